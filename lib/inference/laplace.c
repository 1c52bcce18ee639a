/* Two classes over many rows, strip by strip. */
#include "inference/laplace.h"

#include <gsl/gsl_blas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/linalg.h"
#include "base/vecmath.h"
#include "inference/curvature.h"

enum { MAX_NEWTON = 60, MAX_HALVINGS = 40 };

/* What rvm_laplace.negligible is at first: the price of noise in a search. */
static const double searching = 1e-4;

rvm_status rvm_laplace_init(rvm_laplace *l, size_t capacity, size_t N, int threads, rvm_error *err)
{
    *l = (rvm_laplace){ .capacity = capacity, .N = N, .threads = threads, .negligible = searching };
    l->f = rvm_array(N, sizeof *l->f);
    l->trial = rvm_array(N, sizeof *l->trial);
    l->slope = rvm_array(N, sizeof *l->slope);
    l->curvature = rvm_array(N, sizeof *l->curvature);
    l->G = gsl_matrix_alloc(capacity, capacity);
    l->scaled = gsl_matrix_alloc(capacity, N < RVM_STRIP ? N : RVM_STRIP);
    l->Q = rvm_array(capacity, sizeof *l->Q);
    l->g = rvm_array(capacity, sizeof *l->g);
    l->step = rvm_array(capacity, sizeof *l->step);
    l->w = rvm_array(capacity, sizeof *l->w);
    if (l->f != NULL && l->trial != NULL && l->slope != NULL && l->curvature != NULL &&
        l->G != NULL && l->scaled != NULL && l->Q != NULL && l->g != NULL && l->step != NULL &&
        l->w != NULL)
        return RVM_OK;
    rvm_laplace_free(l);
    return rvm_fail_memory(err, "the approximation at the mode");
}

void rvm_laplace_free(rvm_laplace *l)
{
    free(l->f);
    free(l->trial);
    free(l->slope);
    free(l->curvature);
    gsl_matrix_free(l->G);
    gsl_matrix_free(l->scaled);
    free(l->Q);
    free(l->g);
    free(l->step);
    free(l->w);
    memset(l, 0, sizeof *l);
}

/* f, slope and curvature at the weights l->w of all columns. */
static rvm_status move(rvm_laplace *l, rvm_columns *c, const rvm_observed *o, rvm_error *err)
{
    const rvm_status status = rvm_columns_apply(l->f, c, l->w, err);
    if (status != RVM_OK)
        return status;
    for (size_t n = 0; o->offset != NULL && n < o->N; n++)
        l->f[n] += o->offset[n];
    rvm_vec_logistic_slope(l->slope, l->curvature, l->f, o->t, o->row_weight, o->N);
    return RVM_OK;
}

static double half_square(const double *u, size_t K)
{
    double sum = 0;
    for (size_t i = 0; i < K; i++)
        sum += u[i] * u[i];
    return 0.5 * sum;
}

/* l at the weights of u; the objective ln p(t|w) - 1/2 u'u there. */
static rvm_status evaluate(double *objective, rvm_laplace *l, rvm_columns *c, const rvm_observed *o,
                           const rvm_fit *f, const double *u, rvm_error *err)
{
    for (size_t i = 0; i < f->K; i++)
        l->w[i] = exp(-0.5 * f->ln_alpha[i]) * u[i];
    const rvm_status status = move(l, c, o, err);
    if (status == RVM_OK)
        l->log_likelihood = rvm_vec_logistic_sum(l->f, o->t, o->row_weight, o->N);
    *objective = l->log_likelihood - half_square(u, f->K);
    return status;
}

/* H = I + D G D, its factor, and step = H^-1 (D g - u); *promise: twice the gain. */
static bool newton_step(double *promise, rvm_fit *f, rvm_laplace *l)
{
    gsl_matrix_view L = rvm_fit_factor(f);
    gsl_vector_view s = gsl_vector_view_array(l->step, f->K);
    for (size_t i = 0; i < f->K; i++) {
        const double D = exp(-0.5 * f->ln_alpha[i]);
        for (size_t j = 0; j <= i; j++)
            gsl_matrix_set(&L.matrix, i, j,
                           D * exp(-0.5 * f->ln_alpha[j]) * gsl_matrix_get(l->G, i, j));
        *gsl_matrix_ptr(&L.matrix, i, i) += 1;
        l->g[i] = l->step[i] = D * l->Q[i] - f->u[i];
    }
    if (!rvm_cholesky(&L.matrix, l->threads))
        return false;
    gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, &L.matrix, &s.vector);
    gsl_blas_dtrsv(CblasLower, CblasTrans, CblasNonUnit, &L.matrix, &s.vector);
    *promise = 0;
    for (size_t i = 0; i < f->K; i++)
        *promise += l->g[i] * l->step[i];
    return true;
}

/* The step, halved until the objective does not fall by more than its rounding. */
static rvm_status take_step(bool *taken, double *objective, rvm_fit *f, rvm_laplace *l,
                            rvm_columns *c, const rvm_observed *o, rvm_error *err)
{
    const double rounding = 1e-12 * (1 + fabs(*objective));
    double length = 1, value;
    rvm_status status = RVM_OK;
    *taken = false;
    for (int k = 0; k < MAX_HALVINGS && status == RVM_OK && !*taken; k++, length /= 2) {
        for (size_t i = 0; i < f->K; i++)
            l->g[i] = f->u[i] + length * l->step[i];
        status = evaluate(&value, l, c, o, f, l->g, err);
        if (status == RVM_OK && value >= *objective - rounding) {
            memcpy(f->u, l->g, f->K * sizeof *f->u);
            *objective = value;
            *taken = true;
        }
    }
    return status;
}

static rvm_status choose_start(double *objective, rvm_fit *f, rvm_laplace *l, rvm_columns *c,
                               const rvm_observed *o, const double *w, rvm_error *err)
{
    double other = -INFINITY;
    rvm_status status = RVM_OK;
    for (size_t i = 0; w != NULL && i < f->K; i++)
        l->g[i] = exp(0.5 * f->ln_alpha[i]) * w[i];
    if (w != NULL)
        status = evaluate(&other, l, c, o, f, l->g, err);
    if (status == RVM_OK)
        status = evaluate(objective, l, c, o, f, f->u, err);
    if (status != RVM_OK || *objective >= other)
        return status;
    memcpy(f->u, l->g, f->K * sizeof *f->u);
    return evaluate(objective, l, c, o, f, f->u, err);
}

rvm_status rvm_laplace_locate(rvm_fit *f, rvm_laplace *l, rvm_columns *c, const rvm_observed *o,
                              const double *w, int steps, rvm_error *err)
{
    const int most = steps > 0 ? steps : MAX_NEWTON;
    double objective, promise = 0;
    bool taken = true;
    rvm_status status = choose_start(&objective, f, l, c, o, w, err);
    for (int k = 0; status == RVM_OK && f->K > 0 && taken; k++) {
        status = rvm_curvature_gram(l->G, l->Q, c, l->scaled, l->curvature, l->slope, err);
        if (status != RVM_OK)
            break;
        if (!newton_step(&promise, f, l))
            return rvm_fail(err, RVM_ENUMERIC, "the posterior left the range of finite numbers");
        if (promise < l->negligible || k == most)
            break;
        status = take_step(&taken, &objective, f, l, c, o, err);
    }
    if (status != RVM_OK)
        return status;
    gsl_matrix_view L = { 0 };
    if (f->K > 0)
        L = rvm_fit_factor(f);
    f->log_evidence = objective - (f->K > 0 ? 0.5 * rvm_cholesky_log_det(&L.matrix) : 0) +
                      rvm_fit_log_prior(f, o, c->norm);
    return isfinite(f->log_evidence)
               ? RVM_OK
               : rvm_fail(err, RVM_ENUMERIC, "the posterior left the range of finite numbers");
}

void rvm_laplace_expand(gsl_matrix *G, double *p, double *t_squared, const rvm_laplace *l,
                        const rvm_fit *f, const rvm_observed *o)
{
    const size_t K = f->K;
    *t_squared = 0;
    for (size_t n = 0; n < o->N; n++) {
        const double activation = o->offset != NULL ? l->f[n] - o->offset[n] : l->f[n];
        *t_squared += activation * (l->curvature[n] * activation + 2 * l->slope[n]);
    }
    for (size_t i = 0; i < K; i++) {
        p[i] = l->Q[i];
        for (size_t j = 0; j < K; j++) {
            const double g = gsl_matrix_get(l->G, i, j);
            gsl_matrix_set(G, i, j, g);
            p[i] += g * exp(-0.5 * f->ln_alpha[j]) * f->u[j];
        }
    }
}

rvm_status rvm_laplace_likelihood(double *log_likelihood, rvm_laplace *l, rvm_columns *c,
                                  const rvm_observed *o, const rvm_fit *f, rvm_error *err)
{
    memset(l->g, 0, c->count * sizeof *l->g);
    for (size_t i = 0; i < f->K; i++)
        l->g[f->column[i]] = rvm_fit_weight(f, i);
    const rvm_status status = rvm_columns_apply(l->trial, c, l->g, err);
    if (status != RVM_OK)
        return status;
    for (size_t n = 0; o->offset != NULL && n < o->N; n++)
        l->trial[n] += o->offset[n];
    *log_likelihood = rvm_vec_logistic_sum(l->trial, o->t, o->row_weight, o->N);
    return RVM_OK;
}
