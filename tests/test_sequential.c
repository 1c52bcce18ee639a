/* sequential.c: each update against everything computed again, by LU and in the N x N form. */
#include "problems.h"
#include "search/sequential.h"
#include "suites.h"

enum { N = 40, M = 8 };

/* Three of eight functions, away from any optimum. */
typedef struct {
    double t[N];
    rvm_observed o;
    rvm_columns d;
    rvm_climber s;
    rvm_sequential q;
} case_data;

static void case_init(case_data *x, const rvm_likelihood *likelihood)
{
    rvm_error err = { 0 };
    if (likelihood->has_noise)
        random_targets(x->t, N, 15);
    else
        random_classes(x->t, N, 15);
    random_design(&x->d, N, M, x->t, 16);
    for (size_t n = 0; n < N && likelihood->has_noise; n++)
        x->t[n] += 4 * gsl_matrix_get(x->d.PhiT, 1, n) - 6 * gsl_matrix_get(x->d.PhiT, 5, n);
    fill_gram(&x->d);
    x->o = observe(likelihood, x->t, N);
    CHECK_OK(rvm_climber_init(&x->s, &(const rvm_output){ &x->o, &x->d }, 1, M, 1, &err));
    CHECK_OK(rvm_sequential_init(&x->q, &x->s, &err));
    x->s.now->ln_beta = likelihood->has_noise ? 0.31 : 0;
    rvm_fit_add(x->s.now, 4, 0.7);
    rvm_fit_add(x->s.now, 1, -1.2);
    rvm_fit_add(x->s.now, 6, 1.9);
    CHECK_OK(rvm_sequential_locate(&x->q, &err));
}

static void case_free(case_data *x)
{
    rvm_sequential_free(&x->q);
    rvm_climber_free(&x->s);
    rvm_columns_free(&x->d);
}

/* A prior of the precisions of functions that are not divided by their norms. */
static const rvm_gamma_prior weight_prior = { 0.8, 0.35 };

static void give_prior(case_data *x)
{
    rvm_error err = { 0 };
    for (size_t m = 0; m < M; m++)
        x->d.norm[m] = 0.4 + 0.3 * (double)m;
    x->o.weight_prior = rvm_prior_make(&weight_prior, 0);
    CHECK_OK(rvm_sequential_locate(&x->q, &err));
}

/* a ln x - b x + a ln b - ln Gamma(a), where there is a prior. */
static double prior_by_formula(const case_data *x, const rvm_fit *f)
{
    const rvm_gamma_prior g = weight_prior;
    double sum = 0;
    for (size_t i = 0; i < f->K && x->o.weight_prior.rate > 0; i++) {
        const double alpha = exp(f->ln_alpha[i]) * gsl_pow_2(x->d.norm[f->column[i]]);
        sum += g.shape * log(g.rate * alpha) - g.rate * alpha - lgamma(g.shape);
    }
    return sum;
}

/* Column k of (A + beta Phi'Phi)^-1, and mu, by LU. */
static void posterior_by_lu(double *column, double *mu, const case_data *x, size_t k)
{
    const rvm_fit *f = x->s.now;
    const double beta = exp(f->ln_beta);
    double unit[M] = { 0 }, right[M];
    unit[k] = 1;
    for (int pass = 0; pass < 2; pass++) {
        gsl_matrix *P = gsl_matrix_alloc(f->K, f->K);
        for (size_t i = 0; i < f->K; i++) {
            right[i] = beta * x->d.p[f->column[i]];
            for (size_t j = 0; j < f->K; j++)
                gsl_matrix_set(P, i, j,
                               beta * gsl_matrix_get(x->d.G, f->column[i], f->column[j]) +
                                   (i == j ? exp(f->ln_alpha[i]) : 0));
        }
        solve_lu(pass == 0 ? column : mu, P, pass == 0 ? unit : right);
        gsl_matrix_free(P);
    }
}

static void check_posterior(const case_data *x)
{
    const rvm_fit *f = x->s.now;
    double column[M], mu[M];
    for (size_t k = 0; k < f->K; k++) {
        posterior_by_lu(column, mu, x, k);
        for (size_t i = 0; i < f->K; i++) {
            check_close(gsl_matrix_get(x->q.Sigma, i, k), column[i], 1e-11);
            check_close(x->q.mu[i], mu[i], 1e-11);
            check_close(f->u[i], exp(0.5 * f->ln_alpha[i]) * mu[i], 1e-11);
        }
    }
}

/* S = phi' C^-1 phi and Q = phi' C^-1 t of all columns, with C written out. */
static void check_statistics(const case_data *x)
{
    double noise[N];
    for (size_t n = 0; n < N; n++)
        noise[n] = exp(-x->s.now->ln_beta);
    gsl_matrix *C = covariance(x->s.now, &x->d, noise);
    for (size_t m = 0; m < M; m++) {
        const double *phi = gsl_matrix_const_ptr(x->d.PhiT, m, 0);
        check_close(x->q.statistics.S[m], inverse_form(C, phi, phi), 1e-11);
        check_close(x->q.statistics.Q[m], inverse_form(C, phi, x->t), 1e-11);
    }
    gsl_matrix_free(C);
}

static void check_everything(const case_data *x)
{
    check_posterior(x);
    check_statistics(x);
    check_close(x->s.now->log_evidence,
                gaussian_evidence(x->s.now, &x->d, x->t) + prior_by_formula(x, x->s.now), 1e-12);
}

START_TEST(what_is_computed_again_is_right)
    {
        case_data x;
        case_init(&x, &rvm_gaussian);
        check_everything(&x);
        case_free(&x);
    }
END_TEST

START_TEST(adding)
    {
        const double ln_alpha[] = { -2.3, 0.45, 5.2 };
        case_data x;
        case_init(&x, &rvm_gaussian);
        rvm_sequential_add(&x.q, 5, ln_alpha[_i]);
        ck_assert_uint_eq(x.s.now->K, 4);
        ck_assert_uint_eq(x.s.now->column[3], 5);
        check_everything(&x);
        case_free(&x);
    }
END_TEST

/* Up, down, a little, and not at all. */
START_TEST(re_estimating)
    {
        const double change[] = { 3.1, -2.6, 0.02, 0 };
        case_data x;
        for (size_t i = 0; i < 3; i++) {
            case_init(&x, &rvm_gaussian);
            rvm_sequential_set_alpha(&x.q, i, x.s.now->ln_alpha[i] + change[_i]);
            check_everything(&x);
            case_free(&x);
        }
    }
END_TEST

START_TEST(deleting)
    {
        const size_t left[3][2] = { { 1, 6 }, { 4, 6 }, { 4, 1 } };
        case_data x;
        case_init(&x, &rvm_gaussian);
        rvm_sequential_remove(&x.q, (size_t)_i);
        ck_assert_uint_eq(x.s.now->K, 2);
        ck_assert_uint_eq(x.s.now->column[0], left[_i][0]);
        ck_assert_uint_eq(x.s.now->column[1], left[_i][1]);
        check_everything(&x);
        case_free(&x);
    }
END_TEST

/* From nothing to all and back, nothing computed again in between. */
START_TEST(one_after_the_other)
    {
        rvm_error err = { 0 };
        case_data x;
        case_init(&x, &rvm_gaussian);
        x.s.now->K = 0;
        CHECK_OK(rvm_sequential_locate(&x.q, &err));
        check_everything(&x);
        for (size_t m = 0; m < M; m++) {
            rvm_sequential_add(&x.q, m, 0.6 * (double)m - 2.1);
            rvm_sequential_set_alpha(&x.q, m / 2, 1.3 - 0.5 * (double)m);
        }
        check_everything(&x);
        while (x.s.now->K > 0) {
            rvm_sequential_remove(&x.q, x.s.now->K / 2);
            check_everything(&x);
        }
        case_free(&x);
    }
END_TEST

/* Evidence and prior with ln alpha of a column at that, all else as it is; INFINITY: without it. */
static double evidence_with(case_data *x, size_t column, double ln_alpha)
{
    rvm_fit *f = x->s.trial;
    rvm_fit_copy(f, x->s.now);
    const size_t at = rvm_fit_find(f, column);
    if (at < f->K)
        rvm_fit_remove(f, at);
    if (ln_alpha < INFINITY)
        rvm_fit_add(f, column, ln_alpha);
    return gaussian_evidence(f, &x->d, x->t) + prior_by_formula(x, f);
}

/* No move of a grid gains more than the one that is named, which gains what it says. */
START_TEST(best_move_by_trying_all)
    {
        rvm_error err = { 0 };
        case_data x;
        case_init(&x, &rvm_gaussian);
        if (_i == 1)
            give_prior(&x);
        for (int move = 0; move < 4; move++) {
            const rvm_sequential_move best = rvm_sequential_best(&x.q);
            const double now = x.s.now->log_evidence;
            ck_assert_double_gt(best.gain, 0);
            check_close(evidence_with(&x, best.column, best.ln_alpha) - now, best.gain, 1e-9);
            for (size_t m = 0; m < M; m++) {
                ck_assert_double_le(evidence_with(&x, m, INFINITY), now + best.gain + 1e-9);
                for (double ln_alpha = -8; ln_alpha < 12; ln_alpha += 0.37)
                    ck_assert_double_le(evidence_with(&x, m, ln_alpha), now + best.gain + 1e-9);
            }
            CHECK_OK(rvm_sequential_apply(&x.q, best, &err));
            check_everything(&x);
        }
        case_free(&x);
    }
END_TEST

/* No function is worth a nat of these, the bias least of all, and yet it stays. */
START_TEST(bias_is_not_deleted)
    {
        rvm_error err = { 0 };
        case_data x;
        case_init(&x, &rvm_gaussian);
        x.s.now->K = 0;
        rvm_fit_add(x.s.now, 0, -4);
        x.o.bias_ln_alpha_max = -3;
        CHECK_OK(rvm_sequential_locate(&x.q, &err));
        for (int move = 0; move < 100 && rvm_sequential_best(&x.q).gain > 1e-9; move++)
            CHECK_OK(rvm_sequential_apply(&x.q, rvm_sequential_best(&x.q), &err));
        ck_assert_double_le(rvm_sequential_best(&x.q).gain, 1e-9);
        ck_assert_uint_lt(rvm_fit_find(x.s.now, 0), x.s.now->K);
        ck_assert_double_eq(x.s.now->ln_alpha[rvm_fit_find(x.s.now, 0)], -3);
        ck_assert_uint_lt(rvm_fit_find(x.s.now, 5), x.s.now->K);
        case_free(&x);
    }
END_TEST

/* beta = (N - sum gamma) / |t - Phi mu|^2 of the posterior before, and all else follows. */
START_TEST(noise_by_the_formula)
    {
        rvm_error err = { 0 };
        case_data x;
        double column[M], mu[M], free_rows = N, misfit = 0;
        case_init(&x, &rvm_gaussian);
        rvm_sequential_add(&x.q, 5, -0.4);
        for (size_t k = 0; k < x.s.now->K; k++) {
            posterior_by_lu(column, mu, &x, k);
            free_rows -= 1 - exp(x.s.now->ln_alpha[k]) * column[k];
        }
        for (size_t n = 0; n < N; n++) {
            double rest = x.t[n];
            for (size_t i = 0; i < x.s.now->K; i++)
                rest -= mu[i] * gsl_matrix_get(x.d.PhiT, x.s.now->column[i], n);
            misfit += rest * rest;
        }
        CHECK_OK(rvm_sequential_renew(&x.q, &err));
        check_close(exp(x.s.now->ln_beta), free_rows / misfit, 1e-11);
        check_everything(&x);
        x.o.noise_fixed = true;
        CHECK_OK(rvm_sequential_renew(&x.q, &err));
        check_close(exp(x.s.now->ln_beta), free_rows / misfit, 1e-11);
        case_free(&x);
    }
END_TEST

/* Two classes: at the mode, alpha_i mu_i = phi_i' (t - y), S as with noise of precision y (1 - y)
 * and Q = phi' (t - y). */
static void check_classes(const case_data *x)
{
    const rvm_fit *f = x->s.now;
    double slope[N], noise[N];
    for (size_t n = 0; n < N; n++) {
        double a = 0;
        for (size_t i = 0; i < f->K; i++)
            a += x->q.mu[i] * gsl_matrix_get(x->d.PhiT, f->column[i], n);
        const double y = 1 / (1 + exp(-a));
        slope[n] = x->t[n] - y;
        noise[n] = 1 / (y * (1 - y));
    }
    gsl_matrix *C = covariance(f, &x->d, noise);
    for (size_t m = 0; m < M; m++) {
        const double *phi = gsl_matrix_const_ptr(x->d.PhiT, m, 0);
        double Q = 0;
        for (size_t n = 0; n < N; n++)
            Q += phi[n] * slope[n];
        check_close(x->q.statistics.S[m], inverse_form(C, phi, phi), 1e-6);
        check_close(x->q.statistics.Q[m], Q, 1e-6);
        const size_t i = rvm_fit_find(f, m);
        if (i < f->K)
            check_close(exp(f->ln_alpha[i]) * x->q.mu[i], Q, 1e-6);
    }
    gsl_matrix_free(C);
}

START_TEST(classes_are_computed_again)
    {
        const rvm_sequential_move moves[] = { { 2, -1.4, 0 }, { 1, 0.8, 0 }, { 4, INFINITY, 0 } };
        rvm_error err = { 0 };
        case_data x;
        case_init(&x, &rvm_bernoulli);
        check_classes(&x);
        for (size_t k = 0; k < 3; k++) {
            CHECK_OK(rvm_sequential_apply(&x.q, moves[k], &err));
            check_classes(&x);
        }
        ck_assert_uint_eq(x.s.now->K, 3);
        ck_assert_uint_eq(rvm_fit_find(x.s.now, 4), 3);
        case_free(&x);
    }
END_TEST

Suite *sequential_suite(void);
Suite *sequential_suite(void)
{
    Suite *s = suite_create("sequential");
    TCase *c = tcase_create("sequential");
    tcase_add_test(c, what_is_computed_again_is_right);
    tcase_add_loop_test(c, adding, 0, 3);
    tcase_add_loop_test(c, re_estimating, 0, 4);
    tcase_add_loop_test(c, deleting, 0, 3);
    tcase_add_test(c, one_after_the_other);
    tcase_add_loop_test(c, best_move_by_trying_all, 0, 2);
    tcase_add_test(c, bias_is_not_deleted);
    tcase_add_test(c, noise_by_the_formula);
    tcase_add_test(c, classes_are_computed_again);
    suite_add_tcase(s, c);
    return s;
}
