/* A point of the search, and the scratch that is used at it. */
#include "inference/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

double rvm_fit_log_prior(const rvm_fit *f, const rvm_observed *o, const double *norm)
{
    return rvm_observed_log_prior(o, norm, f->column, f->ln_alpha, f->K, f->ln_beta);
}

rvm_status rvm_fit_init(rvm_fit *f, size_t capacity, size_t N, rvm_error *err)
{
    memset(f, 0, sizeof *f);
    f->capacity = capacity;
    f->N = N;
    f->column = rvm_array(capacity, sizeof *f->column);
    f->ln_alpha = rvm_array(capacity, sizeof *f->ln_alpha);
    f->u = rvm_array(capacity, sizeof *f->u);
    f->gradient = rvm_array(N, sizeof *f->gradient);
    f->curvature = rvm_array(N, sizeof *f->curvature);
    f->storage = gsl_matrix_alloc(capacity, capacity);
    if (f->column == NULL || f->ln_alpha == NULL || f->u == NULL || f->gradient == NULL ||
        f->curvature == NULL || f->storage == NULL) {
        rvm_fit_free(f);
        return rvm_fail_memory(err, "the posterior");
    }
    return RVM_OK;
}

void rvm_fit_free(rvm_fit *f)
{
    free(f->column);
    free(f->ln_alpha);
    free(f->u);
    free(f->gradient);
    free(f->curvature);
    gsl_matrix_free(f->storage);
    memset(f, 0, sizeof *f);
}

gsl_matrix_view rvm_fit_factor(const rvm_fit *f)
{
    return gsl_matrix_submatrix(f->storage, 0, 0, f->K, f->K);
}

void rvm_fit_copy(rvm_fit *to, const rvm_fit *from)
{
    to->K = from->K;
    memcpy(to->column, from->column, from->K * sizeof *to->column);
    memcpy(to->ln_alpha, from->ln_alpha, from->K * sizeof *to->ln_alpha);
    memcpy(to->u, from->u, from->K * sizeof *to->u);
    memcpy(to->gradient, from->gradient, from->N * sizeof *to->gradient);
    memcpy(to->curvature, from->curvature, from->N * sizeof *to->curvature);
    to->ln_beta = from->ln_beta;
    to->log_evidence = from->log_evidence;
    to->residual_squares = from->residual_squares;
    if (from->K > 0) {
        gsl_matrix_view into = rvm_fit_factor(to), out = rvm_fit_factor(from);
        gsl_matrix_memcpy(&into.matrix, &out.matrix);
    }
}

size_t rvm_fit_find(const rvm_fit *f, size_t column)
{
    size_t i = 0;
    while (i < f->K && f->column[i] != column)
        i++;
    return i;
}

void rvm_fit_add(rvm_fit *f, size_t column, double ln_alpha)
{
    f->column[f->K] = column;
    f->ln_alpha[f->K] = ln_alpha;
    f->u[f->K] = 0;
    f->K++;
}

void rvm_fit_remove(rvm_fit *f, size_t position)
{
    const size_t after = f->K - position - 1;
    memmove(f->column + position, f->column + position + 1, after * sizeof *f->column);
    memmove(f->ln_alpha + position, f->ln_alpha + position + 1, after * sizeof *f->ln_alpha);
    memmove(f->u + position, f->u + position + 1, after * sizeof *f->u);
    f->K--;
}

double rvm_fit_weight(const rvm_fit *f, size_t i)
{
    return exp(-0.5 * f->ln_alpha[i]) * f->u[i];
}

void rvm_fit_set_alpha(rvm_fit *f, size_t position, double ln_alpha)
{
    f->u[position] *= exp(0.5 * (ln_alpha - f->ln_alpha[position]));
    f->ln_alpha[position] = ln_alpha;
}

rvm_status rvm_scratch_init(rvm_scratch *ws, size_t capacity, size_t N, bool curved, int threads,
                            rvm_error *err)
{
    memset(ws, 0, sizeof *ws);
    ws->capacity = capacity;
    ws->N = N;
    ws->threads = threads;
    ws->square = gsl_matrix_alloc(capacity, capacity);
    ws->vector = rvm_array(capacity + 1, sizeof *ws->vector);
    ws->vector2 = rvm_array(capacity + 1, sizeof *ws->vector2);
    ws->vector3 = rvm_array(capacity + 1, sizeof *ws->vector3);
    ws->vector4 = rvm_array(capacity + 1, sizeof *ws->vector4);
    ws->long1 = rvm_array(N, sizeof *ws->long1);
    bool complete = ws->square != NULL && ws->vector != NULL && ws->vector2 != NULL &&
                    ws->vector3 != NULL && ws->vector4 != NULL && ws->long1 != NULL;
    if (curved) {
        ws->rows = gsl_matrix_alloc(capacity, N);
        ws->rows2 = gsl_matrix_alloc(capacity, N);
        complete = complete && ws->rows != NULL && ws->rows2 != NULL;
    }
    if (complete)
        return RVM_OK;
    rvm_scratch_free(ws);
    return rvm_fail_memory(err, "the workspace");
}

void rvm_scratch_free(rvm_scratch *ws)
{
    gsl_matrix_free(ws->square);
    gsl_matrix_free(ws->rows);
    gsl_matrix_free(ws->rows2);
    free(ws->vector);
    free(ws->vector2);
    free(ws->vector3);
    free(ws->vector4);
    free(ws->long1);
    memset(ws, 0, sizeof *ws);
}

gsl_matrix_view rvm_gather_active(rvm_scratch *ws, const rvm_fit *f, const rvm_columns *d)
{
    for (size_t i = 0; i < f->K; i++)
        memcpy(gsl_matrix_ptr(ws->rows, i, 0), gsl_matrix_const_ptr(d->PhiT, f->column[i], 0),
               d->N * sizeof(double));
    return gsl_matrix_submatrix(ws->rows, 0, 0, f->K, d->N);
}
