/* The activations of more than two classes, one latent function each. */
#include "inference/classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/log_sum.h"

rvm_status rvm_classes_init(rvm_classes *c, const size_t *of_row, size_t count, size_t N,
                            rvm_multiclass model, rvm_error *err)
{
    *c = (rvm_classes){ .count = count, .of_row = of_row, .model = model };
    c->F = gsl_matrix_calloc(count, N);
    c->offset = rvm_array(N, sizeof *c->offset);
    c->total = rvm_array(N, sizeof *c->total);
    if (c->F == NULL || c->offset == NULL || c->total == NULL) {
        rvm_classes_free(c);
        return rvm_fail_memory(err, "the classes");
    }
    rvm_classes_clear(c);
    return RVM_OK;
}

void rvm_classes_clear(rvm_classes *c)
{
    gsl_matrix_set_zero(c->F);
    for (size_t n = 0; n < c->F->size2; n++)
        c->total[n] = log((double)c->count);
}

void rvm_classes_free(rvm_classes *c)
{
    gsl_matrix_free(c->F);
    free(c->offset);
    free(c->total);
    memset(c, 0, sizeof *c);
}

/* ln sum_j exp f_j of row n over all classes but `without` (count: none is left out). */
static double log_sum(const rvm_classes *c, size_t n, size_t without)
{
    rvm_log_sum sum = rvm_log_sum_empty();
    for (size_t j = 0; j < c->count; j++)
        if (j != without)
            rvm_log_sum_add(&sum, gsl_matrix_get(c->F, j, n));
    return rvm_log_sum_total(&sum);
}

void rvm_classes_refresh(rvm_classes *c)
{
    for (size_t n = 0; n < c->F->size2; n++)
        c->total[n] = log_sum(c, n, c->count);
}

/* ln sum over the others than k: what is left of the total, unless little is. */
static double log_sum_of_others(const rvm_classes *c, size_t n, size_t k)
{
    const double p = exp(gsl_matrix_get(c->F, k, n) - c->total[n]);
    return p < 0.5 ? c->total[n] + log1p(-p) : log_sum(c, n, k);
}

void rvm_classes_select(rvm_classes *c, rvm_observed *o, size_t k)
{
    const bool softmax = c->model == RVM_SOFTMAX;
    for (size_t n = 0; n < o->N; n++) {
        o->t[n] = c->of_row[n] == k;
        c->offset[n] = softmax ? -log_sum_of_others(c, n, k) : 0;
    }
    o->offset = c->offset;
}

void rvm_classes_set(rvm_classes *c, size_t k, const double *with_offset)
{
    double *f = gsl_matrix_ptr(c->F, k, 0);
    for (size_t n = 0; n < c->F->size2; n++) {
        const double odds = with_offset[n]; /* of k against the others, in logarithms */
        f[n] = odds - c->offset[n];
        c->total[n] = fmax(odds, 0) + log1p(exp(-fabs(odds))) - c->offset[n];
    }
}

/* ln P of what is known of row n: its class, or of each class whether it is that. */
static double log_probability(const rvm_classes *c, size_t n)
{
    const size_t k = c->of_row[n];
    double sum = 0;
    if (c->model == RVM_SOFTMAX)
        return gsl_matrix_get(c->F, k, n) - c->total[n];
    for (size_t j = 0; j < c->count; j++) {
        const double f = gsl_matrix_get(c->F, j, n), against = j == k ? -f : f;
        sum -= fmax(against, 0) + log1p(exp(-fabs(f)));
    }
    return sum;
}

/* Borrowed. */
typedef struct {
    const rvm_classes *c;
    const rvm_observed *o;
} likelihood_job;

static rvm_status likelihood_piece(void *context, size_t first, size_t rows, double *sum,
                                   int worker, rvm_error *err)
{
    const likelihood_job *j = context;
    const double *weight = j->o->row_weight;
    (void)worker, (void)err;
    for (size_t n = first; n < first + rows; n++)
        *sum += (weight == NULL ? 1 : weight[n]) * log_probability(j->c, n);
    return RVM_OK;
}

double rvm_classes_log_likelihood(const rvm_classes *c, const rvm_observed *o)
{
    likelihood_job job = { c, o };
    double sum = NAN;
    const rvm_status status =
        rvm_spans_fold(&sum, 1, &o->spans, likelihood_piece, NULL, &job, 1, NULL);
    return status == RVM_OK ? sum : NAN;
}
