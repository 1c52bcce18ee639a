/* newton.c, sweep.c: derivatives against central differences, and the conditions of an optimum. */
#include "base/linalg.h"
#include "problems.h"
#include "search/newton.h"
#include "search/sweep.h"
#include "suites.h"

enum { N = 40, M = 7, K = 5 };

/* A search at a point that is no optimum. */
typedef struct {
    double t[N];
    rvm_observed o;
    rvm_columns d;
    rvm_climber s;
} case_data;

static void case_init(case_data *x)
{
    rvm_error err = { 0 };
    random_targets(x->t, N, 5);
    random_design(&x->d, N, M, x->t, 6);
    for (size_t n = 0; n < N; n++)
        x->t[n] += 5 * gsl_matrix_get(x->d.PhiT, 1, n) - 7 * gsl_matrix_get(x->d.PhiT, 3, n);
    fill_gram(&x->d);
    x->o = observe(&rvm_gaussian, x->t, N);
    CHECK_OK(rvm_climber_init(&x->s, &(const rvm_output){ &x->o, &x->d }, 1, M, 1, &err));
    x->s.now->ln_beta = 0.27;
    for (size_t i = 0; i < K; i++)
        rvm_fit_add(x->s.now, i, 0.45 * (double)i - 1.3);
    CHECK_OK(rvm_climber_locate(&x->s, &err));
}

/* Priors of the precisions of functions that are not divided by their norms, in other units than
 * training's. */
static const rvm_gamma_prior weight_prior = { 0.8, 0.35 }, noise_prior = { 1.5, 0.6 };
static const double ln_unit = -0.4;

static void give_priors(case_data *x)
{
    rvm_error err = { 0 };
    for (size_t m = 0; m < M; m++)
        x->d.norm[m] = 0.4 + 0.3 * (double)m;
    x->o.weight_prior = rvm_prior_make(&weight_prior, ln_unit);
    x->o.noise_prior = rvm_prior_make(&noise_prior, ln_unit);
    CHECK_OK(rvm_climber_locate(&x->s, &err));
}

/* a ln x - b x + a ln b - ln Gamma(a) */
static double gamma_by_formula(rvm_gamma_prior g, double x)
{
    return g.shape * log(g.rate * x) - g.rate * x - lgamma(g.shape);
}

static double alpha_in_units(const rvm_fit *f, const rvm_columns *d, size_t i)
{
    const double norm = d->norm[f->column[i]];
    return exp(f->ln_alpha[i]) * norm * norm * exp(ln_unit);
}

/* The evidence by N x N matrices, and the log prior by its formula. */
static double objective(const case_data *x, bool priors)
{
    const rvm_fit *f = x->s.now;
    double sum = gaussian_evidence(f, &x->d, x->t);
    if (!priors)
        return sum;
    for (size_t i = 0; i < f->K; i++)
        sum += gamma_by_formula(weight_prior, alpha_in_units(f, &x->d, i));
    return sum + gamma_by_formula(noise_prior, exp(f->ln_beta + ln_unit));
}

static void case_free(case_data *x)
{
    rvm_climber_free(&x->s);
    rvm_columns_free(&x->d);
}

/* Coordinate `at` of (ln alpha, ln beta). */
static double *coordinate(case_data *x, size_t at)
{
    return at < x->s.now->K ? &x->s.now->ln_alpha[at] : &x->s.now->ln_beta;
}

static void derivatives(case_data *x, double *gradient, gsl_matrix *hessian)
{
    rvm_error err = { 0 };
    CHECK_OK(rvm_climber_locate(&x->s, &err));
    const size_t n = rvm_newton_derivatives(&x->s);
    for (size_t i = 0; hessian != NULL && i < n; i++)
        for (size_t k = 0; k < n; k++)
            gsl_matrix_set(hessian, i, k, gsl_matrix_get(x->s.hessian, i, k));
    memcpy(gradient, x->s.gradient, (x->s.now->K + 1) * sizeof *gradient);
}

/* By differences of the evidence in its N x N form, without and with priors. */
START_TEST(gradient_by_differences)
    {
        case_data x;
        double gradient[K + 1];
        const double h = 1e-4;
        const bool priors = _i == 1;
        case_init(&x);
        if (priors)
            give_priors(&x);
        check_close(x.s.now->log_evidence, objective(&x, priors), 1e-12);
        derivatives(&x, gradient, NULL);
        for (size_t k = 0; k <= K; k++) {
            double *at = coordinate(&x, k);
            const double here = *at;
            *at = here + h;
            const double above = objective(&x, priors);
            *at = here - h;
            const double below = objective(&x, priors);
            *at = here;
            check_close(gradient[k], (above - below) / (2 * h), 1e-7);
        }
        case_free(&x);
    }
END_TEST

START_TEST(hessian_by_differences_of_the_gradient)
    {
        case_data x;
        double gradient[K + 1], above[K + 1], below[K + 1];
        gsl_matrix *hessian = gsl_matrix_calloc(K + 1, K + 1);
        const double h = 1e-4;
        case_init(&x);
        if (_i == 1)
            give_priors(&x);
        derivatives(&x, gradient, hessian);
        for (size_t k = 0; k <= K; k++) {
            double *at = coordinate(&x, k);
            const double here = *at;
            *at = here + h;
            derivatives(&x, above, NULL);
            *at = here - h;
            derivatives(&x, below, NULL);
            *at = here;
            for (size_t j = 0; j <= K; j++) {
                check_close(gsl_matrix_get(hessian, k, j), (above[j] - below[j]) / (2 * h), 1e-7);
                check_close(gsl_matrix_get(hessian, k, j), gsl_matrix_get(hessian, j, k), 1e-14);
            }
        }
        gsl_matrix_free(hessian);
        case_free(&x);
    }
END_TEST

/* ---- Sigma and mu by LU --------------------------------------------------------------------- */

enum { MOST = 80 };

typedef struct {
    double mu[MOST], variance[MOST]; /* Sigma_ii */
    double gammas;                   /* sum of 1 - alpha_i Sigma_ii */
    double misfit;                   /* |t - Phi mu|^2 */
} plain_posterior;

/* The diagonal of P^-1. */
static void invert_diagonal(double *diagonal, const gsl_matrix *P)
{
    const size_t n = P->size1;
    gsl_matrix *copy = gsl_matrix_alloc(n, n);
    ck_assert_uint_le(n, MOST);
    for (size_t i = 0; i < n; i++) {
        double unit[MOST] = { 0 }, column[MOST];
        unit[i] = 1;
        gsl_matrix_memcpy(copy, P);
        solve_lu(column, copy, unit);
        diagonal[i] = column[i];
    }
    gsl_matrix_free(copy);
}

/* Of a regression: Sigma^-1 = beta G + A, mu = beta Sigma p, over the active functions. */
static plain_posterior posterior_by_lu(const rvm_fit *f, const rvm_columns *d)
{
    const double beta = exp(f->ln_beta);
    plain_posterior q = { 0 };
    double right[MOST];
    gsl_matrix *P = gsl_matrix_alloc(f->K, f->K);
    ck_assert_uint_le(f->K, MOST);
    for (size_t i = 0; i < f->K; i++) {
        right[i] = beta * d->p[f->column[i]];
        for (size_t j = 0; j < f->K; j++)
            gsl_matrix_set(P, i, j,
                           beta * gsl_matrix_get(d->G, f->column[i], f->column[j]) +
                               (i == j ? exp(f->ln_alpha[i]) : 0));
    }
    invert_diagonal(q.variance, P);
    solve_lu(q.mu, P, right);
    gsl_matrix_free(P);
    for (size_t i = 0; i < f->K; i++)
        q.gammas += 1 - exp(f->ln_alpha[i]) * q.variance[i];
    for (size_t n = 0; n < d->N; n++) {
        double rest = d->t[n];
        for (size_t i = 0; i < f->K; i++)
            rest -= q.mu[i] * gsl_matrix_get(d->PhiT, f->column[i], n);
        q.misfit += rest * rest;
    }
    return q;
}

/* ---- Sweeps --------------------------------------------------------------------------------- */

/* The new alpha_i of a step, with Student's t of nu degrees of freedom over the weight (0: a flat
 * prior): in the units of the data, in which a precision has `unit` times its number here, MacKay's
 * rule is alpha = (1 - alpha Sigma_ii + nu) / (mu^2 + nu). */
static double alpha_by_rule(bool em, double alpha, double mu, double variance, double nu,
                            double unit)
{
    const double mu2 = mu * mu / unit;
    return (em ? (1 + nu) / (mu2 + variance / unit + nu)
               : (1 - alpha * variance + nu) / (mu2 + nu)) /
           unit;
}

/* One step by either rule from the point of x, which has that prior of the noise; nu as above. */
static void check_step(case_data *x, bool em, double nu, rvm_gamma_prior noise)
{
    rvm_fit *f = x->s.now;
    const plain_posterior q = posterior_by_lu(f, &x->d);
    const double beta = exp(f->ln_beta), shape = noise.shape, rate = noise.rate * exp(ln_unit);
    rvm_error err = { 0 };
    double wanted[K];
    bool at_rest;
    for (size_t i = 0; i < K; i++) {
        const double alpha = exp(f->ln_alpha[i]);
        wanted[i] = alpha_by_rule(em, alpha, q.mu[i], q.variance[i], nu,
                                  alpha_in_units(f, &x->d, i) / alpha);
    }
    CHECK_OK(rvm_sweep_step(&x->s, em ? RVM_SWEEP_EM : RVM_SWEEP_MACKAY, 1, &at_rest, &err));
    ck_assert(!at_rest);
    ck_assert_uint_eq(f->K, K);
    for (size_t i = 0; i < K; i++)
        check_close(exp(f->ln_alpha[i]) / wanted[i], 1, 1e-11);
    check_close(exp(f->ln_beta),
                em ? (N + 2 * shape) / (q.misfit + q.gammas / beta + 2 * rate)
                   : (N - q.gammas + 2 * shape) / (q.misfit + 2 * rate),
                1e-11);
}

START_TEST(steps_follow_the_formulas)
    {
        const rvm_gamma_prior flat = { 0, 0 };
        case_data x;
        case_init(&x);
        check_step(&x, _i == 1, 0, flat);
        check_close(x.s.now->log_evidence, gaussian_evidence(x.s.now, &x.d, x.t), 1e-12);
        case_free(&x);
    }
END_TEST

START_TEST(steps_with_priors_follow_the_formulas)
    {
        const double nu = 3.5;
        const rvm_gamma_prior student = { nu / 2, nu / 2 };
        case_data x;
        case_init(&x);
        give_priors(&x);
        x.o.weight_prior = rvm_prior_make(&student, ln_unit);
        check_step(&x, _i == 1, nu, noise_prior);
        case_free(&x);
    }
END_TEST

/* ---- Coordinates that are held -------------------------------------------------------------- */

static void check_held(case_data *x, size_t held)
{
    double gradient[K + 1];
    gsl_matrix *hessian = gsl_matrix_calloc(K + 1, K + 1);
    derivatives(x, gradient, hessian);
    for (size_t k = 0; k <= K; k++) {
        ck_assert(k == held ? gradient[k] == 0 : gradient[k] != 0);
        ck_assert_double_eq(gsl_matrix_get(hessian, held, k), 0);
        ck_assert_double_eq(gsl_matrix_get(hessian, k, held), 0);
    }
    gsl_matrix_free(hessian);
}

START_TEST(held_coordinates_do_not_move)
    {
        case_data x;
        double gradient[K + 1];
        case_init(&x);
        x.o.noise_fixed = true;
        check_held(&x, K);
        x.o.noise_fixed = false;
        /* At the noise bound with the evidence rising beyond it, and only then. */
        x.s.now->ln_beta = x.o.ln_beta_max = -2;
        check_held(&x, K);
        x.o.ln_beta_max = log(1e8);
        x.s.now->ln_beta = 9;
        x.o.ln_beta_max = 9;
        derivatives(&x, gradient, NULL);
        ck_assert_double_lt(gradient[K], 0);
        /* The bias stands in column 0, of little use here: the evidence rises with its alpha. */
        x.s.now->ln_beta = 0.27;
        x.o.ln_beta_max = log(1e8);
        derivatives(&x, gradient, NULL);
        ck_assert_double_gt(gradient[0], 0);
        x.o.bias_ln_alpha_max = x.s.now->ln_alpha[0];
        check_held(&x, 0);
        /* Column 1 is of use: at a bound from below it is held once it would fall beyond it. */
        x.o.bias_ln_alpha_max = INFINITY;
        x.s.now->ln_alpha[1] = 6;
        derivatives(&x, gradient, NULL);
        ck_assert_double_lt(gradient[1], 0);
        x.o.ln_alpha_min = 6;
        for (size_t i = 0; i < K; i++)
            x.s.now->ln_alpha[i] = i == 1 ? 6 : 7 + (double)i;
        check_held(&x, 1);
        case_free(&x);
    }
END_TEST

/* ---- Optima --------------------------------------------------------------------------------- */

/* alpha_i (Sigma_ii + mu_i^2) = 1 for each function that is not held, and N - sum gamma =
 * beta |t - Phi mu|^2, from Sigma and mu by LU. */
static void check_stationary(const bench *b, double tolerance)
{
    const rvm_fit *f = b->search.now;
    const rvm_observed *o = &b->study.observed;
    const plain_posterior q = posterior_by_lu(f, &b->design);
    for (size_t i = 0; i < f->K; i++) {
        const bool held = f->column[i] == 0 && f->ln_alpha[i] >= o->bias_ln_alpha_max;
        if (!held)
            check_close(exp(f->ln_alpha[i]) * (q.variance[i] + q.mu[i] * q.mu[i]), 1, tolerance);
    }
    if (!o->noise_fixed)
        check_close(((double)o->N - q.gammas) / (exp(f->ln_beta) * q.misfit), 1, tolerance);
}

static void check_within_bounds(const bench *b)
{
    const rvm_observed *o = &b->study.observed;
    ck_assert_double_le(b->search.now->ln_beta, o->ln_beta_max);
    if (o->bias_ln_alpha_max < INFINITY) {
        ck_assert_uint_eq(b->search.now->column[0], 0);
        ck_assert_double_le(b->search.now->ln_alpha[0], o->bias_ln_alpha_max);
    }
}

START_TEST(newton_ends_at_an_optimum)
    {
        rvm_problem *p = _i % 2 == 0 ? sinc_problem(60, 0.1, 1) : smooth_problem(60, 2);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, _i % 2 == 0 ? 0.1 : 0.5);
        rvm_error err = { 0 };
        bench b;
        s.noise_variance = _i >= 2 ? 0.02 : 0;
        bench_init(&b, p, &s);
        bench_start_full(&b, 0.1);
        CHECK_OK(rvm_sweep_run(&b.search, 15, 1, &err));
        bool converged = false;
        double before = b.search.now->log_evidence;
        for (int k = 0; k < 200 && !converged; k++) {
            rvm_newton_run(&b.search, 1, 1e-10, &converged);
            ck_assert_double_ge(b.search.now->log_evidence, before - 1e-9);
            before = b.search.now->log_evidence;
        }
        ck_assert(converged);
        check_within_bounds(&b);
        ck_assert_uint_gt(b.search.now->K, 1);
        check_stationary(&b, 1e-4);
        check_close(b.search.now->log_evidence,
                    gaussian_evidence(b.search.now, &b.design, b.study.observed.t), 1e-9);
        bench_free(&b);
        rvm_problem_free(p);
    }
END_TEST

/* Targets on a line through the kernel's functions, without noise: it is held at its bound. */
START_TEST(noise_is_held_at_its_bound)
    {
        rvm_problem *p = line_problem(40);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_LINEAR, 1);
        rvm_error err = { 0 };
        bool converged;
        double before;
        bench b;
        bench_init(&b, p, &s);
        bench_start_full(&b, 1e-4);
        CHECK_OK(rvm_sweep_run(&b.search, 20, 1, &err));
        before = b.search.now->log_evidence;
        rvm_newton_run(&b.search, 100, 1e-6, &converged);
        ck_assert_double_ge(b.search.now->log_evidence, before);
        ck_assert_double_eq(b.search.now->ln_beta, b.study.observed.ln_beta_max);
        bench_free(&b);
        rvm_problem_free(p);
    }
END_TEST

/* Targets without any trend leave nothing but the bias, whose prior is as wide as the targets. */
START_TEST(bias_is_held_at_its_bound)
    {
        rvm_problem *p = noise_problem(50, 2, 3);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.01);
        rvm_error err = { 0 };
        bool converged;
        bench b;
        bench_init(&b, p, &s);
        bench_start_full(&b, 0.9);
        CHECK_OK(rvm_sweep_run(&b.search, 50, 1, &err));
        rvm_newton_run(&b.search, 100, 1e-9, &converged);
        ck_assert(converged);
        check_within_bounds(&b);
        ck_assert_double_eq(b.search.now->ln_alpha[0], -log(50));
        bench_free(&b);
        rvm_problem_free(p);
    }
END_TEST

/* At rest alpha = gamma / mu^2 and beta = (N - sum gamma) / |t - Phi mu|^2, which is what Newton's
 * method looks for. */
START_TEST(sweeps_come_to_the_same)
    {
        rvm_problem *p = sinc_problem(30, 0.2, 4);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.05);
        rvm_error err = { 0 };
        bench b;
        bench_init(&b, p, &s);
        bench_start_full(&b, 0.1);
        for (int k = 0; k < 40; k++)
            CHECK_OK(rvm_sweep_run(&b.search, 100, 1, &err));
        check_within_bounds(&b);
        check_stationary(&b, 1e-2);
        bench_free(&b);
        rvm_problem_free(p);
    }
END_TEST

/* From where Newton's method has ended, and some way off, the fixed point leads back. */
START_TEST(sweeps_and_newton_agree_with_a_prior)
    {
        rvm_problem *p = sinc_problem(30, 0.2, 4);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.05);
        s.weight_prior = (rvm_gamma_prior){ 7, 3 };
        s.noise_prior = (rvm_gamma_prior){ 2, 0.08 };
        rvm_error err = { 0 };
        bool converged;
        double ln_alpha[31];
        bench b;
        bench_init(&b, p, &s);
        bench_start_full(&b, 0.1);
        CHECK_OK(rvm_sweep_run(&b.search, 3, 1, &err));
        rvm_newton_run(&b.search, 200, 1e-12, &converged);
        ck_assert(converged);
        rvm_fit *f = b.search.now;
        const size_t left = f->K;
        const double found = f->log_evidence, ln_beta = f->ln_beta;
        ck_assert(left > 5 && left <= 31);
        for (size_t i = 0; i < left; i++) {
            ln_alpha[i] = f->ln_alpha[i];
            if (i > 0) /* the bias is held at its bound */
                rvm_fit_set_alpha(f, i, ln_alpha[i] + (i % 2 == 0 ? 0.6 : -0.5));
        }
        f->ln_beta += 0.4;
        CHECK_OK(rvm_climber_locate(&b.search, &err));
        ck_assert_double_lt(f->log_evidence, found - 0.1);
        for (int k = 0; k < 100; k++)
            CHECK_OK(rvm_sweep_run(&b.search, 100, 1, &err));
        ck_assert_uint_eq(f->K, left);
        check_close(f->log_evidence, found, 1e-8);
        for (size_t i = 0; i < left; i++)
            check_close(f->ln_alpha[i], ln_alpha[i], 1e-4);
        check_close(f->ln_beta, ln_beta, 1e-4);
        bench_free(&b);
        rvm_problem_free(p);
    }
END_TEST

/* What is left is worth its prior: without any one of them the objective would be lower. */
START_TEST(newton_deletes_what_is_not_worth_its_prior)
    {
        bool converged;
        case_data x;
        case_init(&x);
        rvm_fit_add(x.s.now, 5, 0);
        rvm_fit_add(x.s.now, 6, 0);
        give_priors(&x);
        rvm_newton_run(&x.s, 200, 1e-9, &converged);
        rvm_fit *f = x.s.now;
        ck_assert(converged);
        ck_assert_uint_lt(f->K, M);
        ck_assert(rvm_fit_find(f, 1) < f->K && rvm_fit_find(f, 3) < f->K);
        const double here = objective(&x, true);
        check_close(f->log_evidence, here, 1e-12);
        for (size_t i = 0; i < f->K; i++) {
            const size_t column = f->column[i];
            const double ln_alpha = f->ln_alpha[i];
            rvm_fit_remove(f, i);
            ck_assert_double_lt(objective(&x, true), here);
            rvm_fit_add(f, column, ln_alpha);
            for (size_t k = f->K - 1; k > i; k--) { /* back to its place */
                const size_t c = f->column[k - 1];
                const double l = f->ln_alpha[k - 1];
                f->column[k - 1] = f->column[k];
                f->ln_alpha[k - 1] = f->ln_alpha[k];
                f->column[k] = c;
                f->ln_alpha[k] = l;
            }
        }
        case_free(&x);
    }
END_TEST

/* Functions of no use go; those of use, in columns 1 and 3, stay, and so does each that the
 * evidence would be lower without. */
START_TEST(newton_deletes_what_is_superfluous)
    {
        rvm_error err = { 0 };
        bool converged;
        case_data x;
        case_init(&x);
        rvm_fit_add(x.s.now, 5, 0);
        rvm_fit_add(x.s.now, 6, 0);
        CHECK_OK(rvm_climber_locate(&x.s, &err));
        rvm_newton_run(&x.s, 200, 1e-9, &converged);
        rvm_fit *f = x.s.now, *g = x.s.trial;
        ck_assert(converged);
        ck_assert_uint_lt(f->K, M);
        ck_assert(rvm_fit_find(f, 1) < f->K && rvm_fit_find(f, 3) < f->K);
        for (size_t i = 0; i < f->K; i++) {
            rvm_fit_copy(g, f);
            rvm_fit_remove(g, i);
            ck_assert_double_lt(gaussian_evidence(g, &x.d, x.t), gaussian_evidence(f, &x.d, x.t));
        }
        case_free(&x);
    }
END_TEST

/* Fixed points of classification: alpha_i (Sigma_ii + mu_i^2) = 1 with Sigma at the mode. */
START_TEST(newton_for_classes)
    {
        rvm_problem *p = cloud_problem(80, 2);
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
        rvm_error err = { 0 };
        bool converged = false;
        bench b;
        bench_init(&b, p, &s);
        bench_start_full(&b, 1);
        CHECK_OK(rvm_sweep_run(&b.search, 20, 1, &err));
        const double before = b.search.now->log_evidence;
        rvm_newton_run(&b.search, 200, 1e-9, &converged);
        ck_assert(converged);
        ck_assert_double_ge(b.search.now->log_evidence, before - 1e-9);
        const rvm_fit *f = b.search.now;
        ck_assert_uint_gt(f->K, 0);
        gsl_matrix *P = gsl_matrix_calloc(f->K, f->K);
        for (size_t i = 0; i < f->K; i++)
            for (size_t j = 0; j < f->K; j++) {
                double sum = i == j ? exp(f->ln_alpha[i]) : 0;
                for (size_t n = 0; n < 80; n++)
                    sum += f->curvature[n] * gsl_matrix_get(b.design.PhiT, f->column[i], n) *
                           gsl_matrix_get(b.design.PhiT, f->column[j], n);
                gsl_matrix_set(P, i, j, sum);
            }
        double variance[MOST];
        invert_diagonal(variance, P);
        for (size_t i = 0; i < f->K; i++)
            check_close(exp(f->ln_alpha[i]) * variance[i] + f->u[i] * f->u[i], 1, 1e-2);
        gsl_matrix_free(P);
        bench_free(&b);
        rvm_problem_free(p);
    }
END_TEST

Suite *newton_suite(void);
Suite *newton_suite(void)
{
    Suite *s = suite_create("newton");
    TCase *c = tcase_create("newton");
    tcase_add_loop_test(c, gradient_by_differences, 0, 2);
    tcase_add_loop_test(c, hessian_by_differences_of_the_gradient, 0, 2);
    tcase_add_loop_test(c, steps_follow_the_formulas, 0, 2);
    tcase_add_loop_test(c, steps_with_priors_follow_the_formulas, 0, 2);
    tcase_add_test(c, held_coordinates_do_not_move);
    tcase_add_loop_test(c, newton_ends_at_an_optimum, 0, 4);
    tcase_add_test(c, noise_is_held_at_its_bound);
    tcase_add_test(c, bias_is_held_at_its_bound);
    tcase_add_test(c, sweeps_come_to_the_same);
    tcase_add_test(c, sweeps_and_newton_agree_with_a_prior);
    tcase_add_test(c, newton_deletes_what_is_superfluous);
    tcase_add_test(c, newton_deletes_what_is_not_worth_its_prior);
    tcase_add_test(c, newton_for_classes);
    suite_add_tcase(s, c);
    return s;
}
