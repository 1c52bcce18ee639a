/* A likelihood of one's own: counts, t ~ Poisson(e^f). It is a row of the table that stands in this
 * file alone; the library trains, finishes and predicts with it as it is. Numbers are compared with
 * Newton's method in plain weights, by dense matrices of GSL. */
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>

#include "inference/laplace.h"
#include "inference/posterior.h"
#include "inference/process.h"
#include "product/finish.h"
#include "search/starts.h"
#include "suites.h"
#include "trained.h"

enum { ROWS = 90 };

/* ---- The row -------------------------------------------------------------------------------- */

/* ln p(t | f) = t f - e^f - ln t! */
static double log_density(const rvm_observed *o, const double *f, double ln_beta)
{
    double sum = 0;
    (void)ln_beta;
    for (size_t n = 0; n < o->N; n++)
        sum += o->t[n] * f[n] - exp(f[n]) - gsl_sf_lngamma(o->t[n] + 1);
    return sum;
}

static void derivatives(double *gradient, double *curvature, const rvm_observed *o, const double *f,
                        double ln_beta)
{
    (void)ln_beta;
    for (size_t n = 0; n < o->N; n++) {
        gradient[n] = o->t[n] - exp(f[n]);
        curvature[n] = exp(f[n]);
    }
}

static void third(double *change, const rvm_observed *o, const double *f)
{
    for (size_t n = 0; n < o->N; n++)
        change[n] = exp(f[n]);
}

/* Of a log-normal rate. */
static double mean_count(double mean, double variance)
{
    return exp(mean + 0.5 * variance);
}

static const rvm_start_plan plans[] = { { RVM_FROM_SUBSET, 1, 400, 1, 0, 0 },
                                        { RVM_FROM_NOTHING, 1, 0, 0, 1, 0 } };

static const rvm_likelihood poisson = {
    .name = "poisson",
    .curved = true,
    .by_rows = true,
    .log_density = log_density,
    .derivatives = derivatives,
    .third = third,
    .process = rvm_process_laplace,
    .plans = plans,
    .plan_count = sizeof plans / sizeof plans[0],
    .scratch = rvm_laplace_scratch,
    .posterior = rvm_laplace_posterior,
    .measure = rvm_laplace_measure,
    .inner = rvm_laplace_inner,
};

/* ---- Data ----------------------------------------------------------------------------------- */

static double true_rate(double x)
{
    return exp(1 + 1.2 * sin(1.4 * x));
}

static rvm_problem *counts(void)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(7);
    for (size_t n = 0; n < ROWS; n++) {
        const double x = 6 * ((double)n + 0.5) / ROWS - 3;
        const int index = 1;
        ck_assert(rvm_problem_append(p, gsl_ran_poisson(rng, true_rate(x)), &index, &x, 1));
    }
    gsl_rng_free(rng);
    return p;
}

typedef struct {
    rvm_settings s;
    rvm_problem *p;
    rvm_study y;
    void *starts;
    rvm_columns columns;
    const rvm_solved *best;
} case_data;

/* A study of counts, from that of two classes, and the best of a few searches. */
static void train_counts(case_data *x)
{
    rvm_error err = { 0 };
    bool done = false;
    x->s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.7);
    x->s.restarts = 6;
    x->p = counts();
    CHECK_OK(rvm_study_init(&x->y, x->p, &x->s, &x->s.kernel, 0, &err));
    x->y.target->observed.likelihood = x->y.observed.likelihood = &poisson;
    for (size_t n = 0; n < ROWS; n++)
        x->y.observed.t[n] = x->y.p->target[n];
    CHECK_OK(rvm_search_alloc(&x->starts, &rvm_many_starts, &x->y, &x->s, &err));
    while (!done)
        CHECK_OK(rvm_many_starts.step(&done, x->starts, &err));
    rvm_report r = { .starts = 1 };
    rvm_many_starts.report(&r, x->starts);
    ck_assert(r.converged);
    const rvm_found found = rvm_many_starts.solution(x->starts, 0);
    x->best = found.solved;
    x->columns = found.columns;
    ck_assert_uint_ge(x->best->K, 3);
    ck_assert_uint_le(x->best->K, 15);
}

static void case_free(case_data *x)
{
    rvm_search_free(&rvm_many_starts, x->starts);
    rvm_study_free(&x->y);
    rvm_problem_free(x->p);
}

/* ---- The same by dense matrices ------------------------------------------------------------- */

/* The functions of a solution without their norms, in the units of the data. */
typedef struct {
    size_t K;
    gsl_matrix *Phi, *precision; /* N x K; K x K: A + Phi'B Phi at the mode */
    double *alpha, *w;
    double log_likelihood, log_evidence;
} dense;

/* 1 or exp(-0.7 (x - z)^2) */
static double plain_phi(const rvm_basis *b, const rvm_problem *p, size_t id, double x)
{
    return rvm_basis_is_bias(b, id)
               ? 1
               : exp(-0.7 * gsl_pow_2(x - feature(p, rvm_basis_row(b, id), 1)));
}

/* Gradient of ln p(t|w) - 1/2 w'A w, and the precision. */
static void expand(double *gradient, dense *d, const double *t)
{
    for (size_t i = 0; i < d->K; i++) {
        gradient[i] = -d->alpha[i] * d->w[i];
        for (size_t j = 0; j < d->K; j++)
            gsl_matrix_set(d->precision, i, j, i == j ? d->alpha[i] : 0);
    }
    d->log_likelihood = 0;
    for (size_t n = 0; n < ROWS; n++) {
        const double *phi = gsl_matrix_const_ptr(d->Phi, n, 0);
        double f = 0;
        for (size_t i = 0; i < d->K; i++)
            f += phi[i] * d->w[i];
        d->log_likelihood += t[n] * f - exp(f) - gsl_sf_lngamma(t[n] + 1);
        for (size_t i = 0; i < d->K; i++) {
            gradient[i] += (t[n] - exp(f)) * phi[i];
            for (size_t j = 0; j < d->K; j++)
                *gsl_matrix_ptr(d->precision, i, j) += exp(f) * phi[i] * phi[j];
        }
    }
}

/* From the weights of the intercept alone: full steps, which lead there from so near. */
static void dense_init(dense *d, const case_data *x)
{
    const rvm_problem *p = x->y.p;
    const size_t K = x->best->K;
    double *gradient = calloc(K, sizeof *gradient), *step = calloc(K, sizeof *step);
    gsl_matrix *copy = gsl_matrix_alloc(K, K);
    *d = (dense){ .K = K, .Phi = gsl_matrix_alloc(ROWS, K), .precision = gsl_matrix_alloc(K, K) };
    d->alpha = calloc(K, sizeof *d->alpha);
    d->w = calloc(K, sizeof *d->w);
    for (size_t i = 0; i < K; i++) {
        d->alpha[i] = exp(x->best->ln_alpha[i]) * gsl_pow_2(x->best->norm[i]);
        for (size_t n = 0; n < ROWS; n++)
            gsl_matrix_set(d->Phi, n, i,
                           plain_phi(&x->y.basis, p, x->best->id[i], feature(p, n, 1)));
    }
    for (int k = 0; k < 100; k++) {
        expand(gradient, d, p->target);
        gsl_matrix_memcpy(copy, d->precision);
        solve_lu(step, copy, gradient);
        for (size_t i = 0; i < K; i++)
            d->w[i] += k < 30 ? 0.5 * step[i] : step[i];
    }
    expand(gradient, d, p->target);
    gsl_matrix_memcpy(copy, d->precision);
    d->log_evidence = d->log_likelihood - 0.5 * solve_lu(step, copy, gradient);
    for (size_t i = 0; i < K; i++)
        d->log_evidence += 0.5 * (log(d->alpha[i]) - d->alpha[i] * d->w[i] * d->w[i]);
    gsl_matrix_free(copy);
    free(gradient);
    free(step);
}

static void dense_free(dense *d)
{
    gsl_matrix_free(d->Phi);
    gsl_matrix_free(d->precision);
    free(d->alpha);
    free(d->w);
}

/* ---- Training ------------------------------------------------------------------------------- */

/* Mode, evidence and the optimality of the precisions: alpha_i (Sigma_ii + w_i^2) = 1. */
START_TEST(training)
    {
        case_data x;
        dense d;
        train_counts(&x);
        dense_init(&d, &x);
        check_close(x.best->log_evidence, d.log_evidence, 1e-9);
        gsl_matrix *Sigma = gsl_matrix_alloc(d.K, d.K);
        gsl_matrix_memcpy(Sigma, d.precision);
        ck_assert_int_eq(gsl_linalg_cholesky_decomp1(Sigma), 0);
        ck_assert_int_eq(gsl_linalg_cholesky_invert(Sigma), 0);
        for (size_t i = 0; i < d.K; i++) {
            const double w = x.best->u[i] * exp(-0.5 * x.best->ln_alpha[i]) / x.best->norm[i];
            check_close(w, d.w[i], 1e-6);
            check_close(d.alpha[i] * (gsl_matrix_get(Sigma, i, i) + w * w), 1, 1e-2);
        }
        gsl_matrix_free(Sigma);
        dense_free(&d);
        case_free(&x);
    }
END_TEST

/* Columns that come strip by strip, as in a search over many rows. */
START_TEST(strips_of_rows)
    {
        case_data x;
        dense d;
        rvm_columns c;
        rvm_laplace l;
        rvm_fit f;
        rvm_error err = { 0 };
        train_counts(&x);
        dense_init(&d, &x);
        const size_t K = x.best->K;
        CHECK_OK(rvm_columns_init(&c, &x.y.basis, K, 0, 1, &err));
        CHECK_OK(rvm_columns_append(&c, x.best->id, K, &err));
        CHECK_OK(rvm_laplace_init(&l, K, ROWS, &err));
        CHECK_OK(rvm_fit_init(&f, K, 0, &err));
        l.negligible = 1e-14;
        for (size_t i = 0; i < K; i++)
            rvm_fit_add(&f, i, x.best->ln_alpha[i]);
        CHECK_OK(rvm_laplace_locate(&f, &l, &c, &x.y.observed, NULL, 0, &err));
        check_close(f.log_evidence, d.log_evidence, 1e-6);
        for (size_t i = 0; i < K; i++)
            check_close(rvm_fit_weight(&f, i) / c.norm[i], d.w[i], 1e-6);
        rvm_fit_free(&f);
        rvm_laplace_free(&l);
        rvm_columns_free(&c);
        dense_free(&d);
        case_free(&x);
    }
END_TEST

/* The bias alone under a prior that is next to flat: w = ln of the mean count, a precision of
 * N times that mean, and an evidence by hand. */
START_TEST(mean_of_the_counts)
    {
        case_data x;
        rvm_columns c;
        rvm_posterior q;
        rvm_error err = { 0 };
        size_t bias = 0;
        double ln_alpha = -25, u = 0, sum = 0, by_hand = 0;
        train_counts(&x);
        ck_assert(rvm_basis_is_bias(&x.y.basis, bias));
        CHECK_OK(rvm_columns_init(&c, &x.y.basis, 1, 1e6, 1, &err));
        CHECK_OK(rvm_columns_append(&c, &bias, 1, &err));
        const rvm_fit at = { .K = 1, .column = &bias, .ln_alpha = &ln_alpha, .u = &u };
        CHECK_OK(rvm_posterior_init(&q, &at, &x.y.observed, &c, &x.y.basis, &err));
        CHECK_OK(rvm_posterior_settle(&q, &err));
        for (size_t n = 0; n < ROWS; n++)
            sum += x.y.p->target[n];
        for (size_t n = 0; n < ROWS; n++)
            by_hand += x.y.p->target[n] * log(sum / ROWS) - sum / ROWS -
                       gsl_sf_lngamma(x.y.p->target[n] + 1);
        check_close(q.f[0], log(sum / ROWS), 1e-9);
        check_close(q.log_likelihood, by_hand, 1e-9);
        check_close(rvm_posterior_penalty(&q), 0.5 * log(sum / ROWS / exp(ln_alpha)), 1e-8);
        rvm_posterior_free(&q);
        rvm_columns_free(&c);
        case_free(&x);
    }
END_TEST

/* ---- Gaussian processes --------------------------------------------------------------------- */

/* C = Phi A^-1 Phi' + shift (e_i e_k' + e_k e_i') */
static void fill(rvm_process *s, const dense *d, size_t i, size_t k, double shift)
{
    for (size_t a = 0; a < ROWS; a++)
        for (size_t b = 0; b < ROWS; b++) {
            double sum = 0;
            for (size_t j = 0; j < d->K; j++)
                sum += gsl_matrix_get(d->Phi, a, j) * gsl_matrix_get(d->Phi, b, j) / d->alpha[j];
            gsl_matrix_set(s->C, a, b, sum);
        }
    *gsl_matrix_ptr(s->C, i, k) += shift;
    *gsl_matrix_ptr(s->C, k, i) += i == k ? 0 : shift;
}

/* The weights, seen as a process, have the same evidence; its derivative by differences. */
START_TEST(evidence_of_a_process)
    {
        case_data x;
        dense d;
        rvm_process s;
        rvm_error err = { 0 };
        const double h = 1e-4;
        double a[ROWS] = { 0 }, L[3], at[] = { 0, h, -h };
        train_counts(&x);
        dense_init(&d, &x);
        CHECK_OK(rvm_process_init(&s, ROWS, &err));
        for (int k = 3; k-- > 0;) {
            fill(&s, &d, 11, 40, at[k]);
            ck_assert(poisson.process(&L[k], a, &s, &x.y.observed, 0, 1));
        }
        check_close(L[0], d.log_evidence, 1e-9);
        const double slope = (L[1] - L[2]) / (2 * h);
        ck_assert(fabs(slope) > 1e-4);
        check_close(gsl_matrix_get(s.G, 11, 40) + gsl_matrix_get(s.G, 40, 11), slope, 1e-6);
        rvm_process_free(&s);
        dense_free(&d);
        case_free(&x);
    }
END_TEST

/* ---- Prediction ----------------------------------------------------------------------------- */

/* A model of one latent function without noise. */
static rvm_model *finish(rvm_finished *numbers, const case_data *x)
{
    rvm_error err = { 0 };
    rvm_model *m = rvm_model_alloc();
    ck_assert(m != NULL && rvm_model_alloc_latents(m, 1));
    m->task = RVM_REGRESSION;
    m->kernel = x->s.kernel;
    m->examples = ROWS;
    CHECK_OK(rvm_finish_latent(m->latent, numbers, x->best, &x->y, &x->columns, &err));
    CHECK_OK(rvm_finish_vectors(m, x->p, x->p, &err));
    return m;
}

/* Mean and variance of f at x0, w'phi and phi'Sigma phi. */
static void dense_predict(double *mean, double *variance, const dense *d, const case_data *x,
                          double x0)
{
    double *phi = calloc(d->K, sizeof *phi);
    *mean = 0;
    for (size_t i = 0; i < d->K; i++) {
        phi[i] = plain_phi(&x->y.basis, x->y.p, x->best->id[i], x0);
        *mean += phi[i] * d->w[i];
    }
    *variance = inverse_form(d->precision, phi, phi);
    free(phi);
}

START_TEST(prediction)
    {
        case_data x;
        dense d;
        rvm_finished numbers = { 0 };
        double off = 0;
        train_counts(&x);
        dense_init(&d, &x);
        rvm_model *m = finish(&numbers, &x);
        rvm_prediction out = predict(m, x.p);
        check_close(numbers.log_likelihood - numbers.penalty, d.log_evidence, 1e-10);
        for (size_t n = 0; n < ROWS; n++) {
            const double x0 = feature(x.p, n, 1);
            double mean, variance;
            dense_predict(&mean, &variance, &d, &x, x0);
            check_close(out.value[n], mean, 1e-9);
            check_close(out.variance[n], variance, 1e-9);
            off += fabs(log(mean_count(mean, variance) / true_rate(x0))) / ROWS;
        }
        ck_assert(off < 0.15);
        rvm_prediction_free(&out);
        rvm_model_free(m);
        dense_free(&d);
        case_free(&x);
    }
END_TEST

Suite *poisson_suite(void)
{
    Suite *s = suite_create("poisson");
    TCase *t = tcase_create("poisson");
    tcase_add_test(t, training);
    tcase_add_test(t, strips_of_rows);
    tcase_add_test(t, mean_of_the_counts);
    tcase_add_test(t, evidence_of_a_process);
    tcase_add_test(t, prediction);
    suite_add_tcase(s, t);
    return s;
}
