/* climber.c, and newton.c, sweep.c, climb.c: several outputs against the N x N form, differences,
 * and numbers from numpy. */
#include "base/linalg.h"
#include "problems.h"
#include "search/climb.h"
#include "search/newton.h"
#include "search/sweep.h"
#include "suites.h"

enum { N = 40, M = 9, K = 5, Q = 3 };

static void see_design(rvm_columns *seen, const rvm_columns *d, const double *t, double *p)
{
    *seen = *d;
    seen->t = t;
    seen->p = p;
    fill_gram(seen);
}

static void start_climber(rvm_climber *s, const rvm_output *output, size_t outputs,
                          bool shared_noise)
{
    const size_t columns = output->columns->count;
    rvm_error err = { 0 };
    CHECK_OK(rvm_climber_init(s, output, outputs, columns, 1, &err));
    CHECK_OK(rvm_statistics_init(&s->statistics, columns, columns, &err));
    s->shared_noise = shared_noise;
}

static void climb(rvm_climber *s, const rvm_climb_settings *settings, bool *converged)
{
    rvm_error err = { 0 };
    CHECK_OK(rvm_climber_locate(s, &err));
    rvm_climb_run(s, settings, converged);
}

/* Three outputs over one random design; the first two columns matter to all of them. */
typedef struct {
    double t[Q][N], p[Q][M];
    rvm_columns d;
    rvm_observed observed[Q];
    rvm_columns seen[Q]; /* the design as each output sees it */
    rvm_output output[Q];
    rvm_climber s;
} case_data;

static void case_init(case_data *x, bool shared_noise)
{
    static const double weight[Q][2] = { { 5, -7 }, { 0.5, 4 }, { -3, 0 } };
    rvm_error err = { 0 };
    random_design(&x->d, N, M, x->t[0], 16);
    for (size_t j = 0; j < Q; j++) {
        random_targets(x->t[j], N, 50 + j);
        for (size_t n = 0; n < N; n++)
            x->t[j][n] += weight[j][0] * gsl_matrix_get(x->d.PhiT, 1, n) +
                          weight[j][1] * gsl_matrix_get(x->d.PhiT, 3, n);
        x->observed[j] = observe(&rvm_gaussian, x->t[j], N);
        see_design(&x->seen[j], &x->d, x->t[j], x->p[j]);
        x->output[j] = (rvm_output){ &x->observed[j], &x->seen[j] };
    }
    start_climber(&x->s, x->output, Q, shared_noise);
    for (size_t i = 0; i < K; i++)
        rvm_climber_add(&x->s, x->s.now, i, 0.45 * (double)i - 1.3);
    for (size_t j = 0; j < Q; j++)
        x->s.now[j].ln_beta = shared_noise ? 0.27 : 0.27 - 0.4 * (double)j;
    CHECK_OK(rvm_climber_locate(&x->s, &err));
}

static void case_free(case_data *x)
{
    rvm_climber_free(&x->s);
    rvm_columns_free(&x->d);
}

/* By N x N matrices, with nothing in common but the hyperparameters. */
static double evidence(const case_data *x)
{
    double sum = 0;
    for (size_t j = 0; j < Q; j++)
        sum += gaussian_evidence(&x->s.now[j], &x->d, x->t[j]);
    return sum;
}

/* Priors in the units of training, the weights' with the first output; formulas as they stand. */
static const rvm_gamma_prior weight_prior = { 0.8, 0.35 }, noise_prior = { 1.5, 0.6 };

static void give_priors(case_data *x)
{
    rvm_error err = { 0 };
    for (size_t m = 0; m < M; m++)
        x->d.norm[m] = 0.4 + 0.3 * (double)m; /* borrowed by the designs of all outputs */
    x->observed->weight_prior = rvm_prior_make(&weight_prior, 0);
    for (size_t j = 0; j < (x->s.shared_noise ? 1 : Q); j++)
        x->observed[j].noise_prior = rvm_prior_make(&noise_prior, 0);
    CHECK_OK(rvm_climber_locate(&x->s, &err));
}

static double gamma_by_formula(rvm_gamma_prior g, double x)
{
    return g.shape * log(g.rate * x) - g.rate * x - lgamma(g.shape);
}

static double prior_by_formula(const case_data *x)
{
    double sum = 0;
    for (size_t i = 0; i < x->s.now->K; i++)
        sum += gamma_by_formula(weight_prior, exp(x->s.now->ln_alpha[i]) *
                                                  gsl_pow_2(x->d.norm[x->s.now->column[i]]));
    for (size_t j = 0; j < (x->s.shared_noise ? 1 : Q); j++)
        sum += gamma_by_formula(noise_prior, exp(x->s.now[j].ln_beta));
    return sum;
}

/* Moves coordinate `at` of (ln alpha, ln betas) by h in all outputs that have it. */
static void move(case_data *x, size_t at, double h)
{
    for (size_t j = 0; j < Q; j++) {
        rvm_fit *f = &x->s.now[j];
        if (at < f->K)
            f->ln_alpha[at] += h;
        else if (x->s.shared_noise || at == f->K + j)
            f->ln_beta += h;
    }
}

/* ---- A tiny problem, solved by numpy -------------------------------------------------------- */

/* 6 rows, 3 columns (brought to norm 1 here), 2 outputs, by the 6 x 6 covariance matrices and by
 * 200000 steps of alpha = sum gamma / sum mu^2, beta = (N - sum gamma) / misfit at most. */
static const double tiny_columns[3][6] = { { 0.5, 1.5, -1, 0.25, 2, -0.75 },
                                           { -0.25, 0.75, 2, 1.25, -0.5, -1.25 },
                                           { 1, -0.5, 0.25, -1.5, 0.75, 0.5 } };
static double tiny_targets[2][6] = { { 1.2, 2.9, -0.3, 1.4, 3.3, -2.6 },
                                     { -0.7, 0.4, 3.1, 2.2, -1.6, -1.9 } };

typedef struct {
    rvm_columns d;
    double p[2][3];
    rvm_observed observed[2];
    rvm_columns seen[2];
    rvm_output output[2];
    rvm_climber s;
} tiny_data;

static void tiny_init(tiny_data *x, bool shared_noise)
{
    static const double alpha[] = { 0.8, 2.5, 6 }, beta[] = { 3, 0.7 };
    random_design(&x->d, 6, 3, tiny_targets[0], 1);
    for (size_t i = 0; i < 3; i++) {
        gsl_vector_const_view column = gsl_vector_const_view_array(tiny_columns[i], 6);
        x->d.norm[i] = gsl_blas_dnrm2(&column.vector);
        for (size_t n = 0; n < 6; n++)
            gsl_matrix_set(x->d.PhiT, i, n, tiny_columns[i][n] / x->d.norm[i]);
    }
    for (size_t j = 0; j < 2; j++) {
        x->observed[j] = observe(&rvm_gaussian, tiny_targets[j], 6);
        see_design(&x->seen[j], &x->d, tiny_targets[j], x->p[j]);
        x->output[j] = (rvm_output){ &x->observed[j], &x->seen[j] };
    }
    start_climber(&x->s, x->output, 2, shared_noise);
    for (size_t i = 0; i < 3; i++)
        rvm_climber_add(&x->s, x->s.now, i, log(alpha[i]) - 2 * log(x->d.norm[i]));
    for (size_t j = 0; j < 2; j++)
        x->s.now[j].ln_beta = log(beta[shared_noise ? 0 : j]);
}

static void tiny_free(tiny_data *x)
{
    rvm_climber_free(&x->s);
    rvm_columns_free(&x->d);
}

START_TEST(evidence_of_a_tiny_problem)
    {
        tiny_data x;
        rvm_error err = { 0 };
        tiny_init(&x, false);
        CHECK_OK(rvm_climber_locate(&x.s, &err));
        check_close(x.s.now[0].log_evidence, -8.181175711758241, 1e-12);
        check_close(x.s.now[1].log_evidence, -10.479303973547399, 1e-12);
        check_close(rvm_climber_log_evidence(&x.s), -18.66047968530564, 1e-12);
        tiny_free(&x);
    }
END_TEST

static void check_tiny_optimum(const tiny_data *x, double tolerance)
{
    static const double alpha[2][3] = {
        { 0.5932556743763908, 0.7239586014239765, 29.565694926201232 },
        { 0.5907780335024584, 0.7112116695713059, 42.4005117159961 }
    };
    static const double beta[2][2] = { { 8.61944033395259, 18.566596727857718 },
                                       { 11.276895982583767, 11.276895982583767 } };
    static const double best[] = { -12.792064000742094, -13.00760276311277 };
    const int shared = x->s.shared_noise;
    ck_assert_uint_eq(x->s.now->K, 3);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 2; j++) {
            const size_t m = x->s.now[j].column[i];
            check_close(x->s.now[j].ln_alpha[i] + 2 * log(x->d.norm[m]), log(alpha[shared][m]),
                        tolerance);
        }
    for (size_t j = 0; j < 2; j++)
        check_close(x->s.now[j].ln_beta, log(beta[shared][j]), tolerance);
    check_close(rvm_climber_log_evidence(&x->s), best[shared], 1e-9);
}

START_TEST(fixed_point_of_a_tiny_problem)
    {
        tiny_data x;
        rvm_error err = { 0 };
        tiny_init(&x, _i == 1);
        for (int k = 0; k < 400; k++) /* sweeps end early where little moves */
            CHECK_OK(rvm_sweep_run(&x.s, 50, 1, &err));
        check_tiny_optimum(&x, 1e-4);
        tiny_free(&x);
    }
END_TEST

START_TEST(climb_of_a_tiny_problem)
    {
        const rvm_climb_settings settings = { 1e-6, 100, 100, 1e-13, 0 };
        tiny_data x;
        bool converged = false;
        tiny_init(&x, _i == 1);
        climb(&x.s, &settings, &converged);
        ck_assert(converged);
        check_tiny_optimum(&x, 1e-5);
        tiny_free(&x);
    }
END_TEST

/* ---- Derivatives ---------------------------------------------------------------------------- */

START_TEST(evidence_is_the_sum)
    {
        case_data x;
        case_init(&x, false);
        check_close(rvm_climber_log_evidence(&x.s), evidence(&x), 1e-12);
        case_free(&x);
    }
END_TEST

START_TEST(gradient_by_differences)
    {
        const double h = 1e-4;
        case_data x;
        const bool priors = _i >= 2;
        case_init(&x, _i % 2 == 1);
        if (priors)
            give_priors(&x);
        check_close(rvm_climber_log_evidence(&x.s),
                    evidence(&x) + (priors ? prior_by_formula(&x) : 0), 1e-12);
        const size_t n = rvm_newton_derivatives(&x.s);
        ck_assert_uint_eq(n, K + (_i % 2 == 1 ? 1 : Q));
        for (size_t k = 0; k < n; k++) {
            move(&x, k, h);
            const double above = evidence(&x) + (priors ? prior_by_formula(&x) : 0);
            move(&x, k, -2 * h);
            const double below = evidence(&x) + (priors ? prior_by_formula(&x) : 0);
            move(&x, k, h);
            ck_assert_double_ne(x.s.gradient[k], 0);
            check_close(x.s.gradient[k], (above - below) / (2 * h), 1e-7);
        }
        case_free(&x);
    }
END_TEST

START_TEST(hessian_by_differences_of_the_gradient)
    {
        const double h = 1e-4;
        double hessian[K + Q][K + Q], above[K + Q];
        rvm_error err = { 0 };
        case_data x;
        case_init(&x, _i % 2 == 1);
        if (_i >= 2)
            give_priors(&x);
        const size_t n = rvm_newton_derivatives(&x.s);
        for (size_t k = 0; k < n; k++)
            for (size_t l = 0; l < n; l++)
                hessian[k][l] = gsl_matrix_get(x.s.hessian, k, l);
        for (size_t k = 0; k < n; k++) {
            move(&x, k, h);
            CHECK_OK(rvm_climber_locate(&x.s, &err));
            rvm_newton_derivatives(&x.s);
            memcpy(above, x.s.gradient, n * sizeof *above);
            move(&x, k, -2 * h);
            CHECK_OK(rvm_climber_locate(&x.s, &err));
            rvm_newton_derivatives(&x.s);
            move(&x, k, h);
            for (size_t l = 0; l < n; l++)
                check_close(hessian[k][l], (above[l] - x.s.gradient[l]) / (2 * h), 1e-7);
        }
        case_free(&x);
    }
END_TEST

/* The fixed point and the climb end where the gradient, with the priors, is none. */
START_TEST(optima_with_priors)
    {
        const rvm_climb_settings settings = { 1e-6, 100, 100, 1e-13, 0 };
        const bool shared = _i % 2 == 1;
        rvm_error err = { 0 };
        bool converged = false;
        case_data x;
        case_init(&x, shared);
        give_priors(&x);
        if (_i < 2)
            climb(&x.s, &settings, &converged);
        for (int k = 0; k < 200 && _i >= 2; k++)
            CHECK_OK(rvm_sweep_run(&x.s, 50, 1, &err));
        ck_assert(converged == (_i < 2));
        ck_assert_uint_ge(x.s.now->K, 2);
        check_close(rvm_climber_log_evidence(&x.s), evidence(&x) + prior_by_formula(&x), 1e-11);
        const size_t n = rvm_newton_derivatives(&x.s);
        for (size_t k = 0; k < n; k++)
            ck_assert_double_lt(fabs(x.s.gradient[k]), _i < 2 ? 1e-4 : 1e-3);
        case_free(&x);
    }
END_TEST

START_TEST(bounds_hold_what_is_at_them)
    {
        case_data x;
        case_init(&x, false);
        for (size_t j = 0; j < Q; j++)
            x.observed[j].bias_ln_alpha_max = -100; /* the gradient is not that small there */
        move(&x, 0, -100 - x.s.now->ln_alpha[0]);
        x.observed[1].ln_beta_max = -5;
        x.s.now[1].ln_beta = -5;
        rvm_error err = { 0 };
        CHECK_OK(rvm_climber_locate(&x.s, &err));
        const size_t n = rvm_newton_derivatives(&x.s);
        for (size_t k = 0; k < n; k++)
            ck_assert(k == 0 || k == K + 1 ? x.s.gradient[k] == 0 : x.s.gradient[k] != 0);
        for (size_t k = 0; k < n; k++)
            ck_assert_double_eq(gsl_matrix_get(x.s.hessian, K + 1, k), 0);
        case_free(&x);
    }
END_TEST

/* ---- The climb ------------------------------------------------------------------------------ */

/* No function gains more than the tolerance by coming at any precision of a wide range, or by
 * going, and no hyperparameter by moving: all by N x N matrices. */
START_TEST(climb_ends_where_nothing_gains)
    {
        const double tolerance = 0.001;
        const rvm_climb_settings settings = { tolerance, 100, 100, 1e-10, 0 };
        case_data x;
        bool converged = false;
        case_init(&x, _i == 1);
        climb(&x.s, &settings, &converged);
        ck_assert(converged);
        const double best = evidence(&x);
        check_close(rvm_climber_log_evidence(&x.s), best, 1e-11);
        ck_assert_uint_lt(rvm_fit_find(x.s.now, 1), x.s.now->K);
        ck_assert_uint_lt(rvm_fit_find(x.s.now, 3), x.s.now->K);
        for (size_t m = 0; m < M; m++) {
            if (rvm_fit_find(x.s.now, m) < x.s.now->K)
                continue;
            for (double ln_alpha = -6; ln_alpha < 10; ln_alpha += 0.5) {
                rvm_climber_add(&x.s, x.s.now, m, ln_alpha);
                ck_assert_double_lt(evidence(&x), best + 1.01 * tolerance);
                rvm_climber_remove(&x.s, x.s.now, x.s.now->K - 1);
            }
        }
        const size_t n = x.s.now->K + (_i == 1 ? 1 : Q);
        for (size_t k = 0; k < n; k++)
            for (int side = -1; side <= 1; side += 2) {
                move(&x, k, 0.1 * side);
                ck_assert_double_lt(evidence(&x), best + 1e-6);
                move(&x, k, -0.1 * side);
            }
        for (size_t i = x.s.now->K; i-- > 0;) {
            const size_t column = x.s.now->column[i];
            const double ln_alpha = x.s.now->ln_alpha[i];
            rvm_climber_remove(&x.s, x.s.now, i);
            ck_assert_double_lt(evidence(&x), best + 1e-6);
            rvm_climber_add(&x.s, x.s.now, column, ln_alpha); /* its place does not matter */
        }
        case_free(&x);
    }
END_TEST

/* Equal outputs with one noise say what one of them says: the same optimum,
 * q times its evidence. */
START_TEST(equal_outputs_are_one)
    {
        const rvm_climb_settings settings = { 1e-7, 100, 100, 1e-12, 0 };
        case_data x;
        bool converged = false;
        case_init(&x, true);
        for (size_t j = 1; j < Q; j++) {
            memcpy(x.t[j], x.t[0], sizeof x.t[0]);
            memcpy(x.p[j], x.p[0], sizeof x.p[0]);
            x.observed[j].t_squared = x.observed[0].t_squared;
        }
        climb(&x.s, &settings, &converged);

        rvm_climber one;
        start_climber(&one, x.output, 1, false);
        for (size_t i = 0; i < K; i++)
            rvm_climber_add(&one, one.now, i, 0.45 * (double)i - 1.3);
        one.now->ln_beta = 0.27;
        climb(&one, &settings, &converged);
        check_close(rvm_climber_log_evidence(&x.s), Q * rvm_climber_log_evidence(&one), 1e-9);
        ck_assert_uint_eq(x.s.now->K, one.now->K);
        for (size_t i = 0; i < one.now->K; i++) {
            const size_t same = rvm_fit_find(x.s.now, one.now->column[i]);
            ck_assert_uint_lt(same, x.s.now->K);
            check_close(x.s.now->ln_alpha[same], one.now->ln_alpha[i], 1e-5);
        }
        check_close(x.s.now->ln_beta, one.now->ln_beta, 1e-6);
        rvm_climber_free(&one);
        case_free(&x);
    }
END_TEST

Suite *climber_suite(void);
Suite *climber_suite(void)
{
    Suite *suite = suite_create("climber");
    TCase *tc = tcase_create("climber");

    tcase_add_test(tc, evidence_of_a_tiny_problem);
    tcase_add_loop_test(tc, fixed_point_of_a_tiny_problem, 0, 2);
    tcase_add_loop_test(tc, climb_of_a_tiny_problem, 0, 2);
    tcase_add_test(tc, evidence_is_the_sum);
    tcase_add_loop_test(tc, gradient_by_differences, 0, 4);
    tcase_add_loop_test(tc, optima_with_priors, 0, 4);
    tcase_add_loop_test(tc, hessian_by_differences_of_the_gradient, 0, 4);
    tcase_add_test(tc, bounds_hold_what_is_at_them);
    tcase_add_loop_test(tc, climb_ends_where_nothing_gains, 0, 2);
    tcase_add_test(tc, equal_outputs_are_one);
    suite_add_tcase(suite, tc);
    return suite;
}
