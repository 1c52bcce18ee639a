/* One function at a time: add, re-estimate, delete (Tipping and Faul 2003). */
#include "search/sequential.h"

#include <gsl/gsl_blas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* S against beta, which it is for a column that the active functions say nothing of. Below this it
 * may be the rounding of a few updates, and so may any gain computed from it. */
static const double least_share = 1e-9;

/* ---- Life ----------------------------------------------------------------------------------- */

rvm_status rvm_sequential_init(rvm_sequential *q, rvm_climber *search, rvm_error *err)
{
    const size_t M = search->output->columns->count, capacity = search->now->capacity;
    memset(q, 0, sizeof *q);
    q->search = search;
    q->Sigma = gsl_matrix_alloc(capacity, capacity);
    q->mu = rvm_array(capacity, sizeof *q->mu);
    q->w = rvm_array(capacity, sizeof *q->w);
    q->c = rvm_array(M, sizeof *q->c);
    rvm_status status = rvm_statistics_init(&q->statistics, M, capacity, err);
    if (status == RVM_OK && (q->Sigma == NULL || q->mu == NULL || q->w == NULL || q->c == NULL))
        status = rvm_fail_memory(err, "the covariance of the weights");
    if (status != RVM_OK)
        rvm_sequential_free(q);
    return status;
}

void rvm_sequential_free(rvm_sequential *q)
{
    rvm_statistics_free(&q->statistics);
    gsl_matrix_free(q->Sigma);
    free(q->mu);
    free(q->w);
    free(q->c);
    memset(q, 0, sizeof *q);
}

/* ---- Everything again ----------------------------------------------------------------------- */

/* Sigma = D C D, mu = D u; S and Q of active functions by these, S = alpha (1 - C_ii) and
 * Q = alpha mu, which loses fewer digits than by their columns. */
static void take_posterior(rvm_sequential *q, const gsl_matrix *C)
{
    const rvm_fit *f = q->search->now;
    for (size_t i = 0; i < f->K; i++) {
        const double d = exp(-0.5 * f->ln_alpha[i]);
        for (size_t j = 0; j < f->K; j++)
            gsl_matrix_set(q->Sigma, i, j,
                           d * exp(-0.5 * f->ln_alpha[j]) * gsl_matrix_get(C, i, j));
        q->mu[i] = d * f->u[i];
        q->statistics.S[f->column[i]] = exp(f->ln_alpha[i]) * (1 - gsl_matrix_get(C, i, i));
        q->statistics.Q[f->column[i]] = f->u[i] / d;
    }
}

rvm_status rvm_sequential_locate(rvm_sequential *q, rvm_error *err)
{
    rvm_climber *s = q->search;
    const rvm_status status = rvm_climber_locate(s, err);
    if (status != RVM_OK)
        return status;
    gsl_matrix_view C = rvm_climber_inverse(s, 0);
    rvm_statistics_update(&q->statistics, &C.matrix, s->now, s->output->observed,
                          s->output->columns, &s->ws);
    take_posterior(q, &C.matrix);
    return RVM_OK;
}

rvm_status rvm_sequential_renew(rvm_sequential *q, rvm_error *err)
{
    rvm_climber *s = q->search;
    const rvm_observed *o = s->output->observed;
    if (rvm_observed_free_noise(o)) {
        double gammas = 0;
        const rvm_status status = rvm_climber_locate(s, err); /* for what is left of the targets */
        if (status != RVM_OK)
            return status;
        for (size_t i = 0; i < s->now->K; i++)
            gammas += 1 - exp(s->now->ln_alpha[i]) * gsl_matrix_get(q->Sigma, i, i);
        s->now->ln_beta = rvm_sweep_noise(s->now, o, RVM_SWEEP_MACKAY, gammas);
    }
    return rvm_sequential_locate(q, err);
}

/* ---- The updates ---------------------------------------------------------------------------- */

static gsl_matrix_view covariance(const rvm_sequential *q)
{
    const size_t K = q->search->now->K;
    return gsl_matrix_submatrix(q->Sigma, 0, 0, K, K);
}

/* c_t = beta sum_j phi_t' phi_j x_j over the active functions j. */
static void against_columns(rvm_sequential *q, const double *x)
{
    const rvm_fit *f = q->search->now;
    const rvm_columns *d = q->search->output->columns;
    const double beta = exp(f->ln_beta);
    for (size_t t = 0; t < d->count; t++) {
        const double *g = gsl_matrix_const_ptr(d->G, t, 0);
        double sum = 0;
        for (size_t j = 0; j < f->K; j++)
            sum += g[f->column[j]] * x[j];
        q->c[t] = beta * sum;
    }
}

/* S_t += factor c_t^2, Q_t += pull c_t. */
static void move_statistics(rvm_sequential *q, double factor, double pull)
{
    for (size_t t = 0; t < q->search->output->columns->count; t++) {
        q->statistics.S[t] += factor * q->c[t] * q->c[t];
        q->statistics.Q[t] += pull * q->c[t];
    }
}

static void rescale_weights(rvm_sequential *q)
{
    rvm_fit *f = q->search->now;
    for (size_t i = 0; i < f->K; i++)
        f->u[i] = exp(0.5 * f->ln_alpha[i]) * q->mu[i];
}

static rvm_prior prior_of(const rvm_sequential *q, size_t column)
{
    return rvm_observed_weight_prior(q->search->output->observed,
                                     q->search->output->columns->norm[column]);
}

/* w = beta Sigma Phi' phi_i, then c_t = beta phi_t' (phi_i - Phi w). */
static void project_new(rvm_sequential *q, size_t column)
{
    const rvm_fit *f = q->search->now;
    const rvm_columns *d = q->search->output->columns;
    const double beta = exp(f->ln_beta);
    const double *g = gsl_matrix_const_ptr(d->G, column, 0);
    for (size_t i = 0; i < f->K; i++) {
        const double *row = gsl_matrix_const_ptr(q->Sigma, i, 0);
        double sum = 0;
        for (size_t j = 0; j < f->K; j++)
            sum += row[j] * g[f->column[j]];
        q->w[i] = beta * sum;
    }
    against_columns(q, q->w);
    for (size_t t = 0; t < d->count; t++)
        q->c[t] = beta * g[t] - q->c[t];
}

void rvm_sequential_add(rvm_sequential *q, size_t column, double ln_alpha)
{
    rvm_fit *f = q->search->now;
    const double S = q->statistics.S[column], Q = q->statistics.Q[column];
    const double v = 1 / (exp(ln_alpha) + S), m = v * Q;
    const size_t K = f->K;
    project_new(q, column);
    for (size_t i = 0; i < K; i++) {
        for (size_t j = 0; j < K; j++)
            *gsl_matrix_ptr(q->Sigma, i, j) += v * q->w[i] * q->w[j];
        gsl_matrix_set(q->Sigma, i, K, -v * q->w[i]);
        gsl_matrix_set(q->Sigma, K, i, -v * q->w[i]);
        q->mu[i] -= m * q->w[i];
    }
    gsl_matrix_set(q->Sigma, K, K, v);
    q->mu[K] = m;
    const rvm_prior prior = prior_of(q, column);
    f->log_evidence += rvm_gain_at(ln_alpha, &S, &Q, 1, &prior);
    rvm_fit_add(f, column, ln_alpha);
    move_statistics(q, -v, -m);
    rescale_weights(q);
}

/* S and Q that active function i has without itself. */
static void statistics_without(double *S, double *Q, const rvm_sequential *q, size_t i)
{
    const rvm_fit *f = q->search->now;
    const double variance = gsl_matrix_get(q->Sigma, i, i);
    *S = q->statistics.S[f->column[i]] * exp(-f->ln_alpha[i]) / variance;
    *Q = q->mu[i] / variance;
}

/* What the evidence gains when ln alpha of active function i becomes that. */
static double gain_of_change(const rvm_sequential *q, size_t i, double ln_alpha)
{
    double S, Q;
    statistics_without(&S, &Q, q, i);
    if (!(S > 0))
        return 0;
    const rvm_fit *f = q->search->now;
    const rvm_prior prior = prior_of(q, f->column[i]);
    const double after = ln_alpha < INFINITY ? rvm_gain_at(ln_alpha, &S, &Q, 1, &prior) : 0;
    return after - rvm_gain_at(f->ln_alpha[i], &S, &Q, 1, &prior);
}

/* Sigma -= k s s' with s column i, and what follows from it. */
static void take_off(rvm_sequential *q, size_t i, double k)
{
    const size_t K = q->search->now->K;
    const double mu = q->mu[i];
    gsl_matrix_view Sigma = covariance(q);
    gsl_vector_view s = gsl_vector_view_array(q->w, K), mean = gsl_vector_view_array(q->mu, K);
    gsl_matrix_get_col(&s.vector, &Sigma.matrix, i);
    against_columns(q, q->w);
    gsl_blas_dger(-k, &s.vector, &s.vector, &Sigma.matrix);
    gsl_blas_daxpy(-k * mu, &s.vector, &mean.vector);
    move_statistics(q, k, k * mu);
}

void rvm_sequential_set_alpha(rvm_sequential *q, size_t position, double ln_alpha)
{
    rvm_fit *f = q->search->now;
    const double change = exp(ln_alpha) - exp(f->ln_alpha[position]);
    const double k = change / (1 + change * gsl_matrix_get(q->Sigma, position, position));
    f->log_evidence += gain_of_change(q, position, ln_alpha);
    take_off(q, position, k);
    f->ln_alpha[position] = ln_alpha;
    rescale_weights(q);
}

void rvm_sequential_remove(rvm_sequential *q, size_t position)
{
    rvm_fit *f = q->search->now;
    const size_t K = f->K, after = K - position - 1;
    f->log_evidence += gain_of_change(q, position, INFINITY);
    take_off(q, position, 1 / gsl_matrix_get(q->Sigma, position, position));
    for (size_t i = 0; i < K; i++) {
        double *row = gsl_matrix_ptr(q->Sigma, i, 0);
        memmove(row + position, row + position + 1, after * sizeof *row);
    }
    for (size_t i = position; i + 1 < K; i++)
        memcpy(gsl_matrix_ptr(q->Sigma, i, 0), gsl_matrix_ptr(q->Sigma, i + 1, 0),
               (K - 1) * sizeof(double));
    memmove(q->mu + position, q->mu + position + 1, after * sizeof *q->mu);
    rvm_fit_remove(f, position);
    rescale_weights(q);
}

/* ---- Moves ---------------------------------------------------------------------------------- */

/* ln alpha of largest evidence within the bounds of a column; INFINITY: better left out. */
static double bounded_ln_alpha(const rvm_sequential *q, size_t column, double S, double Q)
{
    const rvm_observed *o = q->search->output->observed;
    const rvm_prior prior = prior_of(q, column);
    const double best = rvm_wanted_ln_alpha(S, Q, &prior);
    const double bounded = fmax(best, rvm_observed_least_ln_alpha(o, q->search->now->ln_beta));
    return column == 0 ? fmin(bounded, o->bias_ln_alpha_max) : bounded;
}

static void consider_additions(rvm_sequential_move *best, const rvm_sequential *q)
{
    const rvm_fit *f = q->search->now;
    const double least = least_share * exp(f->ln_beta);
    for (size_t t = 0; t < q->statistics.count; t++) {
        const double S = q->statistics.S[t], Q = q->statistics.Q[t];
        const rvm_prior prior = prior_of(q, t);
        if (!(S > least) || !(rvm_gain_bound(&S, &Q, 1, &prior) > best->gain) ||
            rvm_fit_find(f, t) < f->K)
            continue;
        const double ln_alpha = bounded_ln_alpha(q, t, S, Q);
        const double gain = ln_alpha < INFINITY ? rvm_gain_at(ln_alpha, &S, &Q, 1, &prior) : 0;
        if (gain > best->gain)
            *best = (rvm_sequential_move){ t, ln_alpha, gain };
    }
}

rvm_sequential_move rvm_sequential_best(const rvm_sequential *q)
{
    const rvm_fit *f = q->search->now;
    rvm_sequential_move best = { 0 };
    for (size_t i = 0; i < f->K; i++) {
        double S, Q;
        statistics_without(&S, &Q, q, i);
        const double ln_alpha = bounded_ln_alpha(q, f->column[i], S, Q);
        const double gain = gain_of_change(q, i, ln_alpha);
        if (gain > best.gain)
            best = (rvm_sequential_move){ f->column[i], ln_alpha, gain };
    }
    consider_additions(&best, q);
    return best;
}

/* Two classes: the move on the precisions alone. */
static void change_precisions(rvm_fit *f, rvm_sequential_move move, size_t at)
{
    if (at == f->K)
        rvm_fit_add(f, move.column, move.ln_alpha);
    else if (move.ln_alpha < INFINITY)
        rvm_fit_set_alpha(f, at, move.ln_alpha);
    else
        rvm_fit_remove(f, at);
}

rvm_status rvm_sequential_apply(rvm_sequential *q, rvm_sequential_move move, rvm_error *err)
{
    rvm_fit *f = q->search->now;
    const size_t at = rvm_fit_find(f, move.column);
    if (q->search->output->observed->likelihood->curved) {
        change_precisions(f, move, at);
        return rvm_sequential_locate(q, err);
    }
    if (at == f->K)
        rvm_sequential_add(q, move.column, move.ln_alpha);
    else if (move.ln_alpha < INFINITY)
        rvm_sequential_set_alpha(q, at, move.ln_alpha);
    else
        rvm_sequential_remove(q, at);
    return RVM_OK;
}
