/* Two classes through the logistic function (Tipping 2001, section 3).
 *
 *     P(t = 1 | f) = y = 1 / (1 + e^-f)    slope  c (t - y)    curvature  c y (1 - y)
 *
 * with c the weight of the row. The mode is found by Newton's method on ln p(t|w) - 1/2 u'u, which
 * is concave; Laplace's approximation there gives
 *
 *     L = ln p(t|f) - 1/2 u'u - 1/2 ln|H|
 *
 * with H taken as constant in the derivatives by alpha, as usual. The exact derivative has a term
 * for the motion of the mode, but following it is a trap: where the classes can be separated, L
 * rises to 0 as all alpha go to 0 and the weights to infinity, since Laplace's approximation loses
 * sight of the likelihood's cliff.
 */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/parallel.h"
#include "base/vecmath.h"
#include "inference/probability.h"
#include "inference/process.h"

enum {
    MAX_NEWTON = 60,
    MAX_HALVINGS = 40,
    BLOCK = 64,             /* columns measured together */
    WORTH_THREADS = 1000000 /* numbers that must be read before threads pay */
};

/* Newton's method ends when the step promises less than this, in nats. ln|H| at the point before
 * that step is then off by about its root, 1e-7, which is what the search for
 * precisions resolves. */
static const double negligible = 1e-14;

/* activation = offset + (D Phi)' u; P has the columns already times D. */
static void activate(double *activation, const gsl_matrix *P, const double *u,
                     const rvm_observed *o)
{
    if (o->offset != NULL)
        memcpy(activation, o->offset, o->N * sizeof *activation);
    else
        memset(activation, 0, o->N * sizeof *activation);
    if (P == NULL)
        return;
    gsl_vector_view out = gsl_vector_view_array(activation, P->size2);
    gsl_vector_const_view in = gsl_vector_const_view_array(u, P->size1);
    gsl_blas_dgemv(CblasTrans, 1, P, &in.vector, 1, &out.vector);
}

/* H = I + P B P' and its factor. */
static bool factor(gsl_matrix *L, const rvm_fit *f, const gsl_matrix *P, rvm_scratch *ws)
{
    gsl_matrix_view scaled = gsl_matrix_submatrix(ws->rows2, 0, 0, f->K, f->N);
    for (size_t n = 0; n < f->N; n++)
        ws->long2[n] = sqrt(f->curvature[n]);
    for (size_t i = 0; i < f->K; i++) {
        const double *from = gsl_matrix_const_ptr(P, i, 0);
        double *to = gsl_matrix_ptr(&scaled.matrix, i, 0);
        for (size_t n = 0; n < f->N; n++)
            to[n] = from[n] * ws->long2[n];
    }
    rvm_product_nt(L, &scaled.matrix, &scaled.matrix, ws->threads);
    for (size_t i = 0; i < f->K; i++)
        *gsl_matrix_ptr(L, i, i) += 1;
    return rvm_cholesky(L, ws->threads);
}

static double half_square(const double *u, size_t K)
{
    double sum = 0;
    for (size_t i = 0; i < K; i++)
        sum += u[i] * u[i];
    return 0.5 * sum;
}

/* step = H^-1 g with g = P slope - u; returns g'step, twice the gain that it promises. */
static double newton_step(double *step, const rvm_fit *f, const gsl_matrix *L, const gsl_matrix *P,
                          double *g)
{
    gsl_vector_view s = gsl_vector_view_array(step, f->K);
    gsl_vector_const_view slope = gsl_vector_const_view_array(f->slope, f->N);
    memcpy(step, f->u, f->K * sizeof *step);
    gsl_blas_dgemv(CblasNoTrans, 1, P, &slope.vector, -1, &s.vector);
    memcpy(g, step, f->K * sizeof *g);
    gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, L, &s.vector);
    gsl_blas_dtrsv(CblasLower, CblasTrans, CblasNonUnit, L, &s.vector);
    double promise = 0;
    for (size_t i = 0; i < f->K; i++)
        promise += g[i] * step[i];
    return promise;
}

/* Takes the step, halved until the objective does not fall by more than its rounding; false when no
 * step helps. */
static bool take_step(rvm_fit *f, double *objective, const double *step, const gsl_matrix *P,
                      const rvm_observed *o, rvm_scratch *ws)
{
    double *trial = ws->vector3, length = 1;
    const double rounding = 1e-13 * (1 + fabs(*objective));
    for (int k = 0; k < MAX_HALVINGS; k++, length /= 2) {
        for (size_t i = 0; i < f->K; i++)
            trial[i] = f->u[i] + length * step[i];
        activate(ws->long1, P, trial, o);
        const double value =
            rvm_vec_logistic_sum(ws->long1, o->t, o->row_weight, o->N) - half_square(trial, f->K);
        if (value >= *objective - rounding) {
            memcpy(f->u, trial, f->K * sizeof *trial);
            *objective = value;
            return true;
        }
    }
    return false;
}

static bool bernoulli_posterior(rvm_fit *f, const rvm_observed *o, const rvm_design *d,
                                rvm_scratch *ws)
{
    gsl_matrix_view P = { 0 }, L = { 0 };
    if (f->K > 0) {
        P = rvm_gather_active(ws, f, d);
        L = rvm_fit_factor(f);
        for (size_t i = 0; i < f->K; i++) {
            gsl_vector_view column = gsl_matrix_row(&P.matrix, i);
            gsl_vector_scale(&column.vector, exp(-0.5 * f->ln_alpha[i]));
        }
    }
    activate(ws->long1, f->K > 0 ? &P.matrix : NULL, f->u, o);
    double objective =
        rvm_vec_logistic_sum(ws->long1, o->t, o->row_weight, o->N) - half_square(f->u, f->K);
    const int steps = ws->mode_steps > 0 ? ws->mode_steps : MAX_NEWTON;
    for (int k = 0; k <= steps; k++) {
        rvm_vec_logistic_slope(f->slope, f->curvature, ws->long1, o->t, o->row_weight, o->N);
        if (f->K == 0)
            break;
        if (!factor(&L.matrix, f, &P.matrix, ws))
            return false;
        if (k == steps ||
            newton_step(ws->vector, f, &L.matrix, &P.matrix, ws->vector2) < negligible)
            break;
        if (!take_step(f, &objective, ws->vector, &P.matrix, o, ws))
            break;
    }
    f->log_evidence = objective - (f->K > 0 ? 0.5 * rvm_cholesky_log_det(&L.matrix) : 0) +
                      rvm_fit_log_prior(f, o, d->norm);
    return isfinite(f->log_evidence);
}

static void bernoulli_residual(rvm_fit *f, const rvm_observed *o, const rvm_design *d,
                               rvm_scratch *ws)
{
    (void)f, (void)o, (void)d, (void)ws; /* the posterior keeps slope up to date */
}

/* Columns first .. first + count - 1, while they are in the cache. */
static void measure_block(double *S, double *Q, gsl_matrix *V, const gsl_matrix *columns,
                          const gsl_matrix *active, size_t first, const rvm_fit *f)
{
    const size_t left = columns->size1 - first, count = left < BLOCK ? left : BLOCK;
    gsl_matrix_const_view c = gsl_matrix_const_submatrix(columns, first, 0, count, f->N);
    gsl_vector_const_view slope = gsl_vector_const_view_array(f->slope, f->N);
    gsl_vector_view q = gsl_vector_view_array(Q + first, count);
    for (size_t m = 0; m < count; m++)
        S[first + m] =
            rvm_vec_weighted_square(f->curvature, gsl_matrix_const_ptr(&c.matrix, m, 0), f->N);
    gsl_blas_dgemv(CblasNoTrans, 1, &c.matrix, &slope.vector, 0, &q.vector);
    if (f->K == 0)
        return;
    gsl_matrix_view v = gsl_matrix_submatrix(V, first, 0, count, f->K);
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, &c.matrix, active, 0, &v.matrix);
}

/* Borrowed. */
typedef struct {
    double *S, *Q;
    gsl_matrix *V;
    const gsl_matrix *all, *active;
    const rvm_fit *f;
} measure_job;

static rvm_status measure_piece(void *context, size_t k, int worker, rvm_error *err)
{
    const measure_job *j = context;
    (void)worker, (void)err;
    measure_block(j->S, j->Q, j->V, j->all, j->active, k * BLOCK, j->f);
    return RVM_OK;
}

static void bernoulli_measure(double *S, double *Q, gsl_matrix *V, const rvm_fit *f,
                              const rvm_observed *o, const rvm_design *d, rvm_scratch *ws)
{
    (void)o;
    gsl_matrix_const_view all = gsl_matrix_const_submatrix(d->PhiT, 0, 0, d->count, d->N);
    gsl_matrix_view active = { 0 };
    if (f->K > 0)
        active = rvm_gather_active(ws, f, d);
    for (size_t i = 0; i < f->K; i++) {
        double *column = gsl_matrix_ptr(&active.matrix, i, 0);
        for (size_t n = 0; n < f->N; n++)
            column[n] *= f->curvature[n];
    }
    const size_t blocks = (d->count + BLOCK - 1) / BLOCK;
    const int team = d->count * f->N < WORTH_THREADS ? 1 : ws->threads;
    measure_job job = { S, Q, V, &all.matrix, &active.matrix, f };
    rvm_share(blocks, measure_piece, &job, team, NULL);
}

static double bernoulli_inner(size_t m, size_t n, const rvm_fit *f, const rvm_design *d)
{
    const double *a = gsl_matrix_const_ptr(d->PhiT, m, 0), *b = gsl_matrix_const_ptr(d->PhiT, n, 0);
    double sum = 0;
    for (size_t i = 0; i < f->N; i++)
        sum += f->curvature[i] * a[i] * b[i];
    return sum;
}

/* ---- The row of the table ------------------------------------------------------------------- */

static double log_density(const rvm_observed *o, const double *f, double ln_beta)
{
    (void)ln_beta;
    return rvm_vec_logistic_sum(f, o->t, o->row_weight, o->N);
}

static void derivatives(double *gradient, double *curvature, const rvm_observed *o, const double *f,
                        double ln_beta)
{
    (void)ln_beta;
    rvm_vec_logistic_slope(gradient, curvature, f, o->t, o->row_weight, o->N);
}

/* c y (1 - y) (1 - 2 y), which is odd in f */
static void third(double *change, const rvm_observed *o, const double *f)
{
    for (size_t n = 0; n < o->N; n++) {
        const double c = o->row_weight == NULL ? 1 : o->row_weight[n], e = exp(-fabs(f[n]));
        change[n] = copysign(c * e * (1 - e) / gsl_pow_3(1 + e), -f[n]);
    }
}

static double mean_target(double mean, double variance)
{
    double p[2], log_p[2];
    rvm_probability_of_two(p, log_p, mean, variance, false);
    return p[0];
}

/* ws->rows and rows2. */
static double row_numbers(double K, double N)
{
    return 2 * K * N;
}

/* The price of a start goes with K^2 N here, and all of them end closer together. */
static const rvm_start_plan plans[] = {
    { RVM_FROM_SUBSET, 1, 400, 1, 0, 0 },   { RVM_FROM_NOTHING, 1, 0, 0, 1, 0 },
    { RVM_FROM_NOTHING, 1, 0, 0, 0, 0 },    { RVM_FROM_SUBSET, 1, 200, 0.5, 0, 0 },
    { RVM_FROM_SUBSET, 1, 200, 0.5, 0, 0 }, { RVM_FROM_SUBSET, 1, 100, 0.25, 0, 0 },
    { RVM_FROM_SUBSET, 1, 200, 0.5, 0, 0 }, { RVM_FROM_SUBSET, 1, 100, 0.25, 0, 0 },
    { RVM_FROM_SUBSET, 1, 200, 0.5, 0, 0 }, { RVM_FROM_SUBSET, 1, 400, 1, 0, RVM_WIDE_PRIOR },
};

const rvm_likelihood rvm_bernoulli = {
    .name = "bernoulli",
    .has_noise = false,
    .curved = true,
    .by_rows = true,
    .log_density = log_density,
    .derivatives = derivatives,
    .third = third,
    .mean = mean_target,
    .process = rvm_process_laplace,
    .plans = plans,
    .plan_count = sizeof plans / sizeof plans[0],
    .scratch = row_numbers,
    .credit = 0,
    .posterior = bernoulli_posterior,
    .residual = bernoulli_residual,
    .measure = bernoulli_measure,
    .inner = bernoulli_inner,
};
