/* What the log evidence gains or loses by a function, in closed form. */
#include "inference/evidence.h"

#include <gsl/gsl_blas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/linalg.h"

/* A candidate whose S is this small against phi' B phi lies in the span of the active functions to
 * working precision: S is rounding, and so is any gain computed from it. */
static const double collinear = 1e-11;

enum { MAX_STEPS = 100 };
static const double longest_step = 2; /* of ln alpha */
static const double arrived = 1e-9;   /* a step of ln alpha; its square is what the gain lacks */

double rvm_gain_by_ratio(double ratio)
{
    return ratio > 1 ? 0.5 * (ratio - 1 - log(ratio)) : 0;
}

double rvm_gain(double S, double Q)
{
    return S > 0 ? rvm_gain_by_ratio(Q * Q / S) : 0;
}

double rvm_best_ln_alpha(double S, double Q)
{
    return 2 * log(S) - log(Q * Q - S);
}

/* ---- Any outputs, any prior ---------------------------------------------------------------- */

double rvm_gain_at(double ln_alpha, const double *S, const double *Q, size_t outputs,
                   const rvm_prior *prior)
{
    double sum = rvm_prior_log(prior, ln_alpha);
    for (size_t j = 0; j < outputs; j++) {
        const double excess = S[j] * exp(-ln_alpha); /* S / alpha */
        sum += 0.5 * (Q[j] * Q[j] / S[j] * (excess / (1 + excess)) - log1p(excess));
    }
    return sum;
}

/* Step of Newton's method in ln alpha, uphill where the gain is not concave. With
 * r = S / (alpha + S) and k = Q^2 / S the derivatives are 1/2 sum of r - k r (1 - r) and of
 * -r (1 - r) (1 - k (1 - 2 r)), and those of the prior. */
static double shared_step(double ln_alpha, const double *S, const double *Q, size_t outputs,
                          const rvm_prior *prior)
{
    double gradient = 2 * rvm_prior_gradient(prior, ln_alpha),
           second = 2 * rvm_prior_second(prior, ln_alpha);
    for (size_t j = 0; j < outputs; j++) {
        const double r = 1 / (1 + exp(ln_alpha) / S[j]), k = Q[j] * Q[j] / S[j];
        gradient += r - k * r * (1 - r);
        second -= r * (1 - r) * (1 - k * (1 - 2 * r));
    }
    if (second < 0)
        return fmax(-longest_step, fmin(-gradient / second, longest_step));
    return gradient > 0 ? longest_step : gradient < 0 ? -longest_step : 0;
}

double rvm_gain_uphill(double *ln_alpha, const double *S, const double *Q, size_t outputs,
                       const rvm_prior *prior)
{
    double gain = rvm_gain_at(*ln_alpha, S, Q, outputs, prior);
    for (int k = 0; k < MAX_STEPS; k++) {
        double step = shared_step(*ln_alpha, S, Q, outputs, prior);
        double next = rvm_gain_at(*ln_alpha + step, S, Q, outputs, prior);
        while (next < gain && fabs(step) > arrived) {
            step /= 2;
            next = rvm_gain_at(*ln_alpha + step, S, Q, outputs, prior);
        }
        if (next < gain)
            break;
        *ln_alpha += step;
        gain = next;
        if (fabs(step) <= arrived)
            break;
    }
    return gain;
}

/* By climbing from each place where a maximum may be near. */
static double search_gain(double *ln_alpha, const double *S, const double *Q, size_t outputs,
                          const rvm_prior *prior)
{
    const bool from_mode = prior->shape > 0 && prior->rate > 0;
    double best = 0;
    for (size_t j = 0; j < outputs + (from_mode ? 1 : 0); j++) {
        if (j < outputs && !(rvm_gain(S[j], Q[j]) > 0))
            continue;
        double at = j < outputs ? rvm_best_ln_alpha(S[j], Q[j]) : rvm_prior_mode(prior);
        const double gain = rvm_gain_uphill(&at, S, Q, outputs, prior);
        if (gain > best) {
            best = gain;
            *ln_alpha = at;
        }
    }
    return best;
}

double rvm_gain_bound(const double *S, const double *Q, size_t outputs, const rvm_prior *prior)
{
    double sum = rvm_prior_most(prior);
    for (size_t j = 0; j < outputs; j++) {
        if (!(S[j] > 0))
            return 0;
        sum += rvm_gain(S[j], Q[j]);
    }
    return sum;
}

double rvm_gain_with(double *ln_alpha, const double *S, const double *Q, size_t outputs,
                     const rvm_prior *prior)
{
    if (!(rvm_gain_bound(S, Q, outputs, prior) > 0))
        return 0;
    if (outputs > 1 || !rvm_prior_is_flat(prior))
        return search_gain(ln_alpha, S, Q, outputs, prior);
    *ln_alpha = rvm_best_ln_alpha(*S, *Q);
    return rvm_gain(*S, *Q);
}

double rvm_wanted_ln_alpha(double S, double Q, const rvm_prior *prior)
{
    double ln_alpha = INFINITY;
    if (rvm_prior_is_flat(prior))
        return Q * Q > S ? rvm_best_ln_alpha(S, Q) : INFINITY;
    rvm_gain_with(&ln_alpha, &S, &Q, 1, prior);
    return ln_alpha;
}

/* ---- Statistics ----------------------------------------------------------------------------- */

double rvm_active_ratio(const gsl_matrix *C, const rvm_fit *f, size_t i)
{
    const double c = gsl_matrix_get(C, i, i);
    const double free_share = c * fmax(1 - c, 1e-300);
    return f->u[i] * f->u[i] / free_share;
}

rvm_status rvm_statistics_init(rvm_statistics *s, size_t capacity, size_t K_capacity,
                               rvm_error *err)
{
    memset(s, 0, sizeof *s);
    s->capacity = capacity;
    s->K_capacity = K_capacity;
    s->S = rvm_array(capacity, sizeof *s->S);
    s->Q = rvm_array(capacity, sizeof *s->Q);
    s->V = gsl_matrix_alloc(capacity, K_capacity);
    s->W = gsl_matrix_alloc(capacity, K_capacity);
    if (s->S == NULL || s->Q == NULL || s->V == NULL || s->W == NULL) {
        rvm_statistics_free(s);
        return rvm_fail_memory(err, "the statistics of the candidates");
    }
    return RVM_OK;
}

void rvm_statistics_free(rvm_statistics *s)
{
    free(s->S);
    free(s->Q);
    gsl_matrix_free(s->V);
    gsl_matrix_free(s->W);
    memset(s, 0, sizeof *s);
}

/* V becomes V D, W = V C, and S loses the part that the active functions explain. */
static void subtract_active(rvm_statistics *s, gsl_matrix *V, const gsl_matrix *C, const rvm_fit *f,
                            rvm_scratch *ws)
{
    gsl_matrix_view W = gsl_matrix_submatrix(s->W, 0, 0, s->count, f->K);
    double *D = ws->vector;
    for (size_t i = 0; i < f->K; i++)
        D[i] = exp(-0.5 * f->ln_alpha[i]);
    for (size_t m = 0; m < s->count; m++) {
        double *v = gsl_matrix_ptr(V, m, 0);
        for (size_t i = 0; i < f->K; i++)
            v[i] *= D[i];
    }
    rvm_product_nt(&W.matrix, V, C, ws->threads); /* C is symmetric */
    for (size_t m = 0; m < s->count; m++) {
        const double *v = gsl_matrix_const_ptr(V, m, 0), *w = gsl_matrix_const_ptr(&W.matrix, m, 0);
        double explained = 0;
        for (size_t i = 0; i < f->K; i++)
            explained += v[i] * w[i];
        s->S[m] = s->S[m] - explained < collinear * s->S[m] ? 0 : s->S[m] - explained;
    }
}

void rvm_statistics_update(rvm_statistics *s, const gsl_matrix *C, const rvm_fit *f,
                           const rvm_observed *o, const rvm_columns *d, rvm_scratch *ws)
{
    gsl_matrix_view V = { 0 };
    s->count = d->count;
    if (f->K > 0)
        V = gsl_matrix_submatrix(s->V, 0, 0, s->count, f->K);
    o->likelihood->measure(s->S, s->Q, &V.matrix, f, o, d, ws);
    if (f->K > 0)
        subtract_active(s, &V.matrix, C, f, ws);
}
