/* evidence.c: S and Q against the N x N form, and promised gains against what they come to. */
#include "base/linalg.h"
#include "inference/evidence.h"
#include "problems.h"
#include "suites.h"

enum { N = 30, M = 8 };

typedef struct {
    double t[N];
    rvm_observed o;
    rvm_columns d;
    rvm_fit f;
    rvm_scratch ws;
    rvm_statistics stats;
    gsl_matrix *C; /* H^-1 */
} case_data;

static void case_init(case_data *x, const rvm_likelihood *likelihood, size_t K)
{
    rvm_error err = { 0 };
    if (likelihood->has_noise)
        random_targets(x->t, N, 3);
    else
        random_classes(x->t, N, 3);
    random_design(&x->d, N, M, x->t, 4);
    for (size_t n = 0; n < N && likelihood->has_noise; n++) /* something to find in 1, 5, 6 */
        x->t[n] += 4 * gsl_matrix_get(x->d.PhiT, 1, n) + 6 * gsl_matrix_get(x->d.PhiT, 5, n) +
                   9 * gsl_matrix_get(x->d.PhiT, 6, n);
    fill_gram(&x->d);
    x->o = observe(likelihood, x->t, N);
    CHECK_OK(rvm_fit_init(&x->f, M, N, &err));
    CHECK_OK(rvm_scratch_init(&x->ws, M, N, likelihood->curved, 1, &err));
    CHECK_OK(rvm_statistics_init(&x->stats, M, M, &err));
    x->C = gsl_matrix_alloc(M, M);
    x->f.ln_beta = likelihood->has_noise ? 0.41 : 0;
    for (size_t i = 0; i < K; i++)
        rvm_fit_add(&x->f, i, 0.3 * (double)i - 1.1);
}

static void case_free(case_data *x)
{
    gsl_matrix_free(x->C);
    rvm_statistics_free(&x->stats);
    rvm_scratch_free(&x->ws);
    rvm_fit_free(&x->f);
    rvm_columns_free(&x->d);
}

static double evidence_at(case_data *x)
{
    ck_assert(x->o.likelihood->posterior(&x->f, &x->o, &x->d, &x->ws));
    return x->f.log_evidence;
}

static gsl_matrix_view inverse(case_data *x)
{
    gsl_matrix_view L = rvm_fit_factor(&x->f);
    gsl_matrix_view C = gsl_matrix_submatrix(x->C, 0, 0, x->f.K, x->f.K);
    rvm_cholesky_inverse(&C.matrix, &L.matrix);
    return C;
}

static void update(case_data *x)
{
    evidence_at(x);
    gsl_matrix_view C = { 0 };
    if (x->f.K > 0)
        C = inverse(x);
    rvm_statistics_update(&x->stats, &C.matrix, &x->f, &x->o, &x->d, &x->ws);
}

/* S = phi' C^-1 phi with C = B^-1 + Phi A^-1 Phi'; Q = phi' C^-1 t, and phi'(t - y) for classes. */
static void check_statistics(case_data *x)
{
    double noise[N];
    for (size_t n = 0; n < N; n++)
        noise[n] = x->o.likelihood->has_noise ? exp(-x->f.ln_beta) : 1 / x->f.curvature[n];
    gsl_matrix *C = covariance(&x->f, &x->d, noise);
    ck_assert_uint_eq(x->stats.count, M);
    for (size_t m = 0; m < M; m++) {
        const double *phi = gsl_matrix_const_ptr(x->d.PhiT, m, 0);
        double pull = 0;
        for (size_t n = 0; n < N; n++)
            pull += phi[n] * x->f.gradient[n];
        check_close(x->stats.S[m], inverse_form(C, phi, phi), 1e-11);
        check_close(x->stats.Q[m], x->o.likelihood->has_noise ? inverse_form(C, phi, x->t) : pull,
                    1e-11);
    }
    gsl_matrix_free(C);
}

START_TEST(statistics_are_those_of_the_whole_matrix)
    {
        const rvm_likelihood *likelihoods[] = { &rvm_gaussian, &rvm_bernoulli };
        const size_t sizes[] = { 0, 1, 4 };
        for (size_t k = 0; k < 3; k++) {
            case_data x;
            case_init(&x, likelihoods[_i], sizes[k]);
            update(&x);
            check_statistics(&x);
            case_free(&x);
        }
    }
END_TEST

/* The gain of a candidate is the difference that it makes, at the precision said to be best. */
START_TEST(gains_are_kept)
    {
        int positive = 0;
        for (size_t m = 3; m < M; m++) {
            case_data x;
            case_init(&x, &rvm_gaussian, 3);
            update(&x);
            const double before = gaussian_evidence(&x.f, &x.d, x.t);
            const double S = x.stats.S[m], Q = x.stats.Q[m], gain = rvm_gain(S, Q);
            if (gain > 0) {
                positive++;
                rvm_fit_add(&x.f, m, rvm_best_ln_alpha(S, Q));
                check_close(gaussian_evidence(&x.f, &x.d, x.t) - before, gain, 1e-9);
                check_close(evidence_at(&x) - before, gain, 1e-8);
            } else { /* worse at any precision */
                ck_assert_double_le(Q * Q, S);
                rvm_fit_add(&x.f, m, 0);
                for (double ln_alpha = -6; ln_alpha < 12; ln_alpha += 1) {
                    x.f.ln_alpha[3] = ln_alpha;
                    ck_assert_double_lt(gaussian_evidence(&x.f, &x.d, x.t), before);
                }
            }
            case_free(&x);
        }
        ck_assert_int_ge(positive, 2);
    }
END_TEST

START_TEST(best_precision_is_a_maximum)
    {
        case_data x;
        case_init(&x, &rvm_gaussian, 3);
        update(&x);
        const double best = rvm_best_ln_alpha(x.stats.S[6], x.stats.Q[6]), h = 1e-3;
        double evidence[3];
        rvm_fit_add(&x.f, 6, best);
        for (int k = 0; k < 3; k++) {
            x.f.ln_alpha[3] = best + (k - 1) * h;
            evidence[k] = gaussian_evidence(&x.f, &x.d, x.t);
        }
        ck_assert(evidence[1] > evidence[0] && evidence[1] > evidence[2]);
        ck_assert_double_eq_tol((evidence[2] - evidence[0]) / (2 * h), 0, 1e-6);
        case_free(&x);
    }
END_TEST

/* Ratio q^2 / s of an active function: that of Q^2 / S once it is taken out. */
START_TEST(ratio_of_an_active_function)
    {
        for (size_t i = 0; i < 4; i++) {
            case_data x;
            case_init(&x, &rvm_gaussian, 4);
            evidence_at(&x);
            gsl_matrix_view C = inverse(&x);
            const double ratio = rvm_active_ratio(&C.matrix, &x.f, i);
            rvm_fit_remove(&x.f, i);
            update(&x);
            check_close(ratio, x.stats.Q[i] * x.stats.Q[i] / x.stats.S[i], 1e-9);
            case_free(&x);
        }
    }
END_TEST

/* S = 2, Q = 4: Q^2 / S = 8, gain (7 - ln 8) / 2, best alpha 4 / 14. */
START_TEST(formulas_by_hand)
    {
        ck_assert_double_eq_tol(rvm_gain(2, 4), (7 - log(8)) / 2, 1e-15);
        ck_assert_double_eq_tol(rvm_gain(2, -4), (7 - log(8)) / 2, 1e-15);
        ck_assert_double_eq_tol(rvm_gain_by_ratio(8), (7 - log(8)) / 2, 1e-15);
        ck_assert_double_eq_tol(rvm_best_ln_alpha(2, 4), log(4.0 / 14), 1e-15);
        ck_assert_double_eq(rvm_gain(2, 1), 0);
        ck_assert_double_eq(rvm_gain(4, 2), 0);
        ck_assert_double_eq(rvm_gain(0, 1), 0);
        ck_assert_double_eq(rvm_gain_by_ratio(0.5), 0);
    }
END_TEST

/* A candidate equal to an active function that the prior hardly holds has nothing to add. */
START_TEST(span_of_the_active_functions)
    {
        case_data x;
        case_init(&x, &rvm_gaussian, 2);
        gsl_vector_view from = gsl_matrix_row(x.d.PhiT, 0), to = gsl_matrix_row(x.d.PhiT, 7);
        gsl_vector_memcpy(&to.vector, &from.vector);
        fill_gram(&x.d);
        x.f.ln_alpha[0] = -40;
        update(&x);
        ck_assert_double_eq(rvm_gain(x.stats.S[7], x.stats.Q[7]), 0);
        case_free(&x);
    }
END_TEST

/* Maxima by scipy: a grid of steps of 1e-4 in ln alpha, then minimize_scalar. The fourth has a
 * lower maximum at 12.86 too, where one of its outputs alone would have it,
 * and the fifth one at 7.12. */
static const struct {
    size_t outputs;
    double S[3], Q[3], ln_alpha, gain;
} shared_cases[] = {
    { 1, { 2.385 }, { 4.1 }, -0.9305645563507556, 2.047721603134943 },
    { 2, { 2.385, 2.385 }, { 4.1, 1.2 }, -0.1696616820876636, 1.4841770319996321 },
    { 3, { 2, 0.5, 7.5 }, { 3.1, 0.2, 5 }, 0.40552684501777675, 1.3083763317042707 },
    { 2, { 1e6, 1 }, { 1900, 9 }, -3.6632328281013433, 30.70852416316619 },
    { 2, { 1e4, 1 }, { 300, 4 }, -1.859857311300184, 4.88478630154866 },
    { 2, { 3, 400 }, { 1, 21 }, 8.329773068532534, 0.002211171119201868 },
};

START_TEST(shared_gain_is_the_largest)
    {
        const double *S = shared_cases[_i].S, *Q = shared_cases[_i].Q;
        const size_t outputs = shared_cases[_i].outputs;
        double ln_alpha = 77;
        const double gain = rvm_gain_with(&ln_alpha, S, Q, outputs, &rvm_prior_flat);
        check_close(gain, shared_cases[_i].gain, 1e-10);
        check_close(ln_alpha, shared_cases[_i].ln_alpha, 1e-5);
        check_close(rvm_gain_at(ln_alpha, S, Q, outputs, &rvm_prior_flat), gain, 1e-13);
    }
END_TEST

START_TEST(nothing_is_gained_where_no_output_gains)
    {
        const double S[] = { 3, 4 }, none[] = { 1, 1.9 }, little[] = { 0.3, 2.3 };
        double ln_alpha = 77;
        ck_assert_double_eq(rvm_gain_with(&ln_alpha, S, none, 2, &rvm_prior_flat), 0);
        ck_assert_double_eq(rvm_gain_with(&ln_alpha, S, little, 2, &rvm_prior_flat),
                            0); /* the first loses more */
        ck_assert_double_eq(ln_alpha, 77);
    }
END_TEST

/* alpha = q S^2 / (sum Q^2 - q S) where all S are equal. */
START_TEST(equal_shared_gains_in_closed_form)
    {
        const double S[] = { 1.7, 1.7, 1.7 }, Q[] = { 2.2, -0.4, 1.9 };
        const double squares = 2.2 * 2.2 + 0.4 * 0.4 + 1.9 * 1.9;
        const double alpha = 3 * 1.7 * 1.7 / (squares - 3 * 1.7);
        double ln_alpha = 0;
        const double gain = rvm_gain_with(&ln_alpha, S, Q, 3, &rvm_prior_flat);
        check_close(ln_alpha, log(alpha), 1e-7);
        check_close(gain, 1.5 * log(alpha / (alpha + 1.7)) + 0.5 * squares / (alpha + 1.7), 1e-12);
    }
END_TEST

Suite *evidence_suite(void);
Suite *evidence_suite(void)
{
    Suite *s = suite_create("evidence");
    TCase *c = tcase_create("evidence");
    tcase_add_loop_test(c, statistics_are_those_of_the_whole_matrix, 0, 2);
    tcase_add_test(c, gains_are_kept);
    tcase_add_test(c, best_precision_is_a_maximum);
    tcase_add_test(c, ratio_of_an_active_function);
    tcase_add_test(c, formulas_by_hand);
    tcase_add_test(c, span_of_the_active_functions);
    tcase_add_loop_test(c, shared_gain_is_the_largest, 0,
                        sizeof shared_cases / sizeof *shared_cases);
    tcase_add_test(c, nothing_is_gained_where_no_output_gains);
    tcase_add_test(c, equal_shared_gains_in_closed_form);
    suite_add_tcase(s, c);
    return s;
}
