/* Targets with normal noise of precision beta (Tipping 2001, section 2).
 *
 *     ln p(t) = 1/2 [ N ln beta - N ln 2 pi - ln|H| - beta |t - Phi mu|^2 - u'u ]
 *
 * with H and u of likelihood.h; the posterior needs the Gram matrix of the columns only. Two rows
 * of the table share it: rvm_gaussian has the columns too and turns to them where the digits of the
 * Gram matrix do not suffice, rvm_quadratic does without them. */
#include <float.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/linalg.h"
#include "base/stack.h"
#include "inference/fit.h"
#include "inference/gibbs.h"
#include "inference/process.h"

/* t't - 2 mu'p + mu'G mu has lost four digits to cancellation when it falls below this share of
 * t't; the residual is then summed row by row. */
static const double cancelled = 1e-4;

/* Digits, as a relative error, that the residual_squares keeps otherwise. */
static const double squares_digits = 1e-7;

/* Error of a pivot of H (1 or more) that Cholesky may make by rounding, where QR can take over; and
 * where nothing can, that at which the least eigenvalue of H, 1, is lost. The first is a bound (K
 * errors of the size of the largest entry's), the second what independent errors add up to. */
static const double pivot_noise = 0.01, pivot_lost = 0.5;

/* H = I + beta D G D into the factor's place. */
static void fill_scaled_gram(gsl_matrix *H, const rvm_fit *f, const rvm_columns *d, const double *D)
{
    const double beta = exp(f->ln_beta);
    for (size_t i = 0; i < f->K; i++) {
        const double *g = gsl_matrix_const_ptr(d->G, f->column[i], 0);
        double *h = gsl_matrix_ptr(H, i, 0);
        for (size_t j = 0; j <= i; j++)
            h[j] = beta * D[i] * D[j] * g[f->column[j]];
        h[i] += 1;
    }
}

/* L from the QR factorisation of [ sqrt(beta) Phi D ; I ], for columns so alike that forming H
 * loses positive definiteness. Rare, and the one place in a search that allocates. False too where
 * it is interrupted. scaled: scratch. */
static bool factor_by_qr(gsl_matrix *L, const rvm_fit *f, const rvm_observed *o,
                         const rvm_columns *d, const double *D, double *scaled)
{
    for (size_t i = 0; i < f->K; i++)
        scaled[i] = exp(0.5 * f->ln_beta) * D[i];
    return rvm_stack_factor(L, d->PhiT, f->column, d->N, scaled, o->interrupted, NULL) == RVM_OK;
}

/* r = t - Phi mu; mu_i = D_i u_i. */
static double residual_by_rows(double *r, const rvm_fit *f, const rvm_observed *o,
                               const rvm_columns *d, const double *D)
{
    gsl_vector_view rest = gsl_vector_view_array(r, o->N);
    memcpy(r, o->t, o->N * sizeof *r);
    for (size_t i = 0; i < f->K; i++) {
        gsl_vector_const_view column = gsl_matrix_const_row(d->PhiT, f->column[i]);
        gsl_blas_daxpy(-D[i] * f->u[i], &column.vector, &rest.vector);
    }
    double sum = 0;
    for (size_t n = 0; n < o->N; n++)
        sum += r[n] * r[n];
    return sum;
}

static double squares_by_gram(const rvm_fit *f, const rvm_observed *o, const rvm_columns *d,
                              const double *D)
{
    double sum = o->t_squared;
    for (size_t i = 0; i < f->K; i++) {
        const double *g = gsl_matrix_const_ptr(d->G, f->column[i], 0);
        double fitted = 0;
        for (size_t j = 0; j < f->K; j++)
            fitted += g[f->column[j]] * D[j] * f->u[j];
        sum += D[i] * f->u[i] * (fitted - 2 * d->p[f->column[i]]);
    }
    return sum;
}

static void fill_D(double *D, const rvm_fit *f)
{
    for (size_t i = 0; i < f->K; i++)
        D[i] = exp(-0.5 * f->ln_alpha[i]);
}

/* u = beta H^-1 D p */
static void solve_mode(rvm_fit *f, const gsl_matrix *L, const rvm_columns *d, const double *D)
{
    const double beta = exp(f->ln_beta);
    for (size_t i = 0; i < f->K; i++)
        f->u[i] = beta * D[i] * d->p[f->column[i]];
    rvm_cholesky_solve(L, f->u);
}

/* L with L L' = H: by Cholesky while the rounding of the largest entry of H is small against 1, the
 * least eigenvalue; by QR beyond that, if there are rows to take it from. */
static bool factor(gsl_matrix *L, const rvm_fit *f, const rvm_observed *o, const rvm_columns *d,
                   const double *D, rvm_scratch *ws)
{
    const double K = (double)f->K;
    double largest = 0;
    fill_scaled_gram(L, f, d, D);
    for (size_t i = 0; i < f->K; i++)
        largest = fmax(largest, gsl_matrix_get(L, i, i));
    if (!o->likelihood->by_rows)
        return largest * sqrt(K) * DBL_EPSILON <= pivot_lost && rvm_cholesky(L, ws->threads);
    if (largest * K * DBL_EPSILON < pivot_noise && rvm_cholesky(L, ws->threads))
        return true;
    return factor_by_qr(L, f, o, d, D, ws->vector2);
}

/* u += H^-1 (beta D Phi' r - u), and the residual afterwards: what the normal equations have lost
 * to rounding in u. Returns the residual_squares. */
static double refine(rvm_fit *f, const gsl_matrix *L, const rvm_observed *o, const rvm_columns *d,
                     const double *D, rvm_scratch *ws)
{
    const double beta = exp(f->ln_beta);
    double *step = ws->vector2;
    residual_by_rows(ws->long1, f, o, d, D);
    gsl_vector_const_view r = gsl_vector_const_view_array(ws->long1, o->N);
    for (size_t i = 0; i < f->K; i++) {
        gsl_vector_const_view column = gsl_matrix_const_row(d->PhiT, f->column[i]);
        gsl_blas_ddot(&column.vector, &r.vector, &step[i]);
        step[i] = beta * D[i] * step[i] - f->u[i];
    }
    rvm_cholesky_solve(L, step);
    for (size_t i = 0; i < f->K; i++)
        f->u[i] += step[i];
    return residual_by_rows(ws->long1, f, o, d, D);
}

/* The residual squares by the Gram matrix, or by rows, if there are any, and with a refined mode
 * where that would be rounding: where the fit is close, or the weights are large against the
 * targets. */
static double settle_squares(rvm_fit *f, const gsl_matrix *L, const rvm_observed *o,
                             const rvm_columns *d, const double *D, rvm_scratch *ws)
{
    const double residual_squares = squares_by_gram(f, o, d, D);
    double weights = 0;
    if (!o->likelihood->by_rows)
        return residual_squares;
    for (size_t i = 0; i < f->K; i++)
        weights += fabs(D[i] * f->u[i]);
    if (residual_squares > cancelled * o->t_squared &&
        residual_squares > weights * weights * DBL_EPSILON / squares_digits)
        return residual_squares;
    refine(f, L, o, d, D, ws);
    return refine(f, L, o, d, D, ws);
}

static bool gaussian_posterior(rvm_fit *f, const rvm_observed *o, const rvm_columns *d,
                               rvm_scratch *ws)
{
    double *D = ws->vector, log_det = 0, squares = 0;
    f->residual_squares = o->t_squared;
    if (f->K > 0) {
        gsl_matrix_view L = rvm_fit_factor(f);
        fill_D(D, f);
        if (!factor(&L.matrix, f, o, d, D, ws))
            return false;
        log_det = rvm_cholesky_log_det(&L.matrix);
        solve_mode(f, &L.matrix, d, D);
        f->residual_squares = settle_squares(f, &L.matrix, o, d, D, ws);
        for (size_t i = 0; i < f->K; i++)
            squares += f->u[i] * f->u[i];
    }
    const double N = (double)o->spans.N;
    f->log_evidence = 0.5 * (N * f->ln_beta - N * log(2 * M_PI) - log_det -
                             exp(f->ln_beta) * f->residual_squares - squares) +
                      rvm_fit_log_prior(f, o, d->norm);
    return isfinite(f->log_evidence);
}

/* V of columns whose Gram matrix is at hand, and Q = beta (p - G mu). */
static void measure_by_gram(double *Q, gsl_matrix *V, const rvm_fit *f, const rvm_columns *d,
                            double *mu)
{
    const double beta = exp(f->ln_beta);
    for (size_t i = 0; i < f->K; i++)
        mu[i] = rvm_fit_weight(f, i);
    for (size_t m = 0; m < d->count; m++) {
        const double *g = gsl_matrix_const_ptr(d->G, m, 0);
        Q[m] = beta * d->p[m];
        if (f->K == 0)
            continue;
        double *v = gsl_matrix_ptr(V, m, 0);
        for (size_t i = 0; i < f->K; i++) {
            v[i] = beta * g[f->column[i]];
            Q[m] -= v[i] * mu[i];
        }
    }
}

static void gaussian_measure(double *S, double *Q, gsl_matrix *V, const rvm_fit *f,
                             const rvm_observed *o, const rvm_columns *d, rvm_scratch *ws)
{
    const double beta = exp(f->ln_beta);
    const bool by_rows = o->likelihood->by_rows;
    for (size_t m = 0; m < d->count; m++)
        S[m] = by_rows ? beta : beta * gsl_matrix_get(d->G, m, m); /* of unit norm, but for B */
    measure_by_gram(Q, V, f, d, ws->vector);
    if (!by_rows || f->residual_squares >= cancelled * (double)f->N)
        return;
    /* p - G mu would be all cancellation. */
    fill_D(ws->vector, f);
    residual_by_rows(ws->long1, f, o, d, ws->vector);
    gsl_matrix_const_view all = gsl_matrix_const_submatrix(d->PhiT, 0, 0, d->count, d->N);
    gsl_vector_const_view r = gsl_vector_const_view_array(ws->long1, f->N);
    gsl_vector_view out = gsl_vector_view_array(Q, d->count);
    gsl_blas_dgemv(CblasNoTrans, beta, &all.matrix, &r.vector, 0, &out.vector);
}

static double gaussian_inner(size_t m, size_t n, const rvm_fit *f, const rvm_columns *d)
{
    return exp(f->ln_beta) * gsl_matrix_get(d->G, m, n);
}

/* ---- The row of the table ------------------------------------------------------------------- */

static double log_density(const rvm_observed *o, const double *f, double ln_beta)
{
    double squares = 0;
    for (size_t n = 0; n < o->N; n++)
        squares += gsl_pow_2(o->t[n] - f[n]);
    return 0.5 * ((double)o->N * (ln_beta - log(2 * M_PI)) - exp(ln_beta) * squares);
}

static void derivatives(double *gradient, double *curvature, const rvm_observed *o, const double *f,
                        double ln_beta)
{
    const double beta = exp(ln_beta);
    for (size_t n = 0; n < o->N; n++) {
        gradient[n] = beta * (o->t[n] - f[n]);
        curvature[n] = beta;
    }
}

/* Flat in ln alpha, as the evidence has it: a uniform prior would put nearly all of its mass at the
 * largest alphas, which takes what is small for noise. */
static const rvm_draws draws = { false,
                                 { .shape = 0, .low = 1e-8, .high = 1e6 },
                                 { .shape = 0, .low = 1e-2, .high = 1e8 } };

/* For factor_by_qr. */
static double stack_numbers(double K, double N)
{
    (void)N;
    return rvm_stack_numbers(K);
}

/* A small guess of the noise keeps more functions for longer and ends in smoother solutions than
 * one near the variance of the targets, which is where greedy growth gets trapped. */
static const rvm_start_plan plans[] = {
    { RVM_FROM_SUBSET, 0.001, SIZE_MAX, 1, 0, 0 },
    { RVM_FROM_NOTHING, 0.9, 0, 0, 1, 0 },
    { RVM_FROM_SUBSET, 0.003, SIZE_MAX, 1, 0, RVM_WIDE_PRIOR },
    { RVM_FROM_SUBSET, 0.003, SIZE_MAX, 1, 0, 0 },
    { RVM_FROM_SUBSET, 0.01, SIZE_MAX, 1, 0, 0 },
    { RVM_FROM_SUBSET, 0.0003, SIZE_MAX, 1, 0, 0 },
    { RVM_FROM_SUBSET, 0.03, SIZE_MAX, 1, 0, 0 },
    { RVM_FROM_SUBSET, 0.1, SIZE_MAX, 1, 0, 0 },
    { RVM_FROM_SUBSET, 0.01, SIZE_MAX, 0.5, 0, 0 },
    { RVM_FROM_SUBSET, 0.001, SIZE_MAX, 0.5, 0, 0 },
};

const rvm_likelihood rvm_gaussian = {
    .name = "gaussian",
    .has_noise = true,
    .by_rows = true,
    .log_density = log_density,
    .derivatives = derivatives,
    .process = rvm_process_normal,
    .draws = &draws,
    .plans = plans,
    .plan_count = sizeof plans / sizeof plans[0],
    .scratch = stack_numbers,
    .credit = 0.5,
    .posterior = gaussian_posterior,
    .measure = gaussian_measure,
    .inner = gaussian_inner,
};

const rvm_likelihood rvm_quadratic = {
    .name = "quadratic",
    .has_noise = true,
    .by_rows = false,
    .credit = 0,
    .posterior = gaussian_posterior,
    .measure = gaussian_measure,
    .inner = gaussian_inner,
};
