/* Where a search is: a point, another one to try, and the scratch of its thread. */
#include "search/climber.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/linalg.h"

/* ---- Life ----------------------------------------------------------------------------------- */

static rvm_status alloc_points(rvm_climber *s, size_t capacity, size_t N, rvm_error *err)
{
    rvm_status status = RVM_OK;
    s->now = rvm_array(s->outputs, sizeof *s->now);
    s->trial = rvm_array(s->outputs, sizeof *s->trial);
    if (s->now == NULL || s->trial == NULL)
        return rvm_fail_memory(err, "the search");
    for (size_t j = 0; j < s->outputs && status == RVM_OK; j++) {
        status = rvm_fit_init(&s->now[j], capacity, N, err);
        if (status == RVM_OK)
            status = rvm_fit_init(&s->trial[j], capacity, N, err);
    }
    return status;
}

static bool alloc_arrays(rvm_climber *s, size_t capacity)
{
    const size_t q = s->outputs, n = capacity + q;
    s->hessian = gsl_matrix_alloc(n, n);
    s->damped = gsl_matrix_alloc(n, n);
    s->gradient = rvm_array(n, sizeof *s->gradient);
    s->step = rvm_array(n, sizeof *s->step);
    s->S = rvm_array(capacity * q, sizeof *s->S);
    s->Q = rvm_array(capacity * q, sizeof *s->Q);
    s->gamma = rvm_array(capacity, sizeof *s->gamma);
    s->square = rvm_array(capacity, sizeof *s->square);
    s->use = rvm_array(capacity, sizeof *s->use);
    s->order = rvm_array(capacity, sizeof *s->order);
    s->goes = rvm_array(capacity, sizeof *s->goes);
    s->refused = rvm_array(capacity, sizeof *s->refused);
    return s->hessian != NULL && s->damped != NULL && s->gradient != NULL && s->step != NULL &&
           s->S != NULL && s->Q != NULL && s->gamma != NULL && s->square != NULL &&
           s->use != NULL && s->order != NULL && s->goes != NULL && s->refused != NULL;
}

rvm_status rvm_climber_init(rvm_climber *s, const rvm_output *output, size_t outputs,
                            size_t capacity, int threads, rvm_error *err)
{
    const rvm_likelihood *l = output->observed->likelihood;
    const size_t N = l->by_rows ? output->observed->N : 0;
    *s = (rvm_climber){ .outputs = outputs };
    s->output = rvm_array(outputs, sizeof *s->output);
    rvm_status status = RVM_OK;
    if (s->output == NULL || !alloc_arrays(s, capacity))
        status = rvm_fail_memory(err, "the search");
    if (status == RVM_OK)
        status = alloc_points(s, capacity, N, err);
    if (status == RVM_OK)
        status = rvm_scratch_init(&s->ws, capacity, N, l->curved, threads, err);
    if (status == RVM_OK)
        memcpy(s->output, output, outputs * sizeof *output);
    else
        rvm_climber_free(s);
    return status;
}

void rvm_climber_free(rvm_climber *s)
{
    for (size_t j = 0; j < s->outputs; j++) {
        if (s->now != NULL)
            rvm_fit_free(&s->now[j]);
        if (s->trial != NULL)
            rvm_fit_free(&s->trial[j]);
    }
    free(s->now);
    free(s->trial);
    free(s->output);
    rvm_scratch_free(&s->ws);
    rvm_statistics_free(&s->statistics);
    gsl_matrix_free(s->hessian);
    gsl_matrix_free(s->damped);
    free(s->gradient);
    free(s->step);
    free(s->S);
    free(s->Q);
    free(s->gamma);
    free(s->square);
    free(s->use);
    free(s->order);
    free(s->goes);
    free(s->refused);
    memset(s, 0, sizeof *s);
}

/* ---- What is asked of it -------------------------------------------------------------------- */

bool rvm_climber_stopped(const rvm_climber *s)
{
    return rvm_interrupted(s->output->observed->interrupted);
}

bool rvm_climber_is_bias(const rvm_climber *s, size_t i)
{
    return s->output->observed->bias_ln_alpha_max < INFINITY && s->now->column[i] == 0;
}

rvm_prior rvm_climber_prior(const rvm_climber *s, size_t column)
{
    return rvm_observed_weight_prior(s->output->observed, s->output->columns->norm[column]);
}

static double sum_of_evidence(const rvm_fit *at, size_t outputs)
{
    double sum = at->log_evidence;
    for (size_t j = 1; j < outputs; j++)
        sum += at[j].log_evidence;
    return sum;
}

double rvm_climber_log_evidence(const rvm_climber *s)
{
    return sum_of_evidence(s->now, s->outputs);
}

gsl_matrix_view rvm_climber_inverse(rvm_climber *s, size_t j)
{
    const size_t K = s->now->K;
    gsl_matrix_view C = gsl_matrix_submatrix(s->ws.square, 0, 0, K > 0 ? K : 1, K > 0 ? K : 1);
    if (K > 0) {
        gsl_matrix_view L = rvm_fit_factor(&s->now[j]);
        rvm_cholesky_inverse(&C.matrix, &L.matrix);
    }
    return C;
}

size_t rvm_climber_beta(const rvm_climber *s, size_t j)
{
    return s->now->K + (s->shared_noise ? 0 : j);
}

size_t rvm_climber_coordinates(const rvm_climber *s)
{
    return rvm_climber_beta(s, s->outputs - 1) + 1;
}

/* ---- Moves ---------------------------------------------------------------------------------- */

void rvm_climber_add(const rvm_climber *s, rvm_fit *at, size_t column, double ln_alpha)
{
    for (size_t j = 0; j < s->outputs; j++)
        rvm_fit_add(&at[j], column, ln_alpha);
}

void rvm_climber_remove(const rvm_climber *s, rvm_fit *at, size_t position)
{
    for (size_t j = 0; j < s->outputs; j++)
        rvm_fit_remove(&at[j], position);
}

double rvm_climber_set_alpha(const rvm_climber *s, rvm_fit *at, size_t position, double ln_alpha)
{
    double bounded = ln_alpha;
    for (size_t j = 0; j < s->outputs; j++)
        bounded = fmax(bounded, rvm_observed_least_ln_alpha(s->output[j].observed, at[j].ln_beta));
    if (at->column[position] == 0)
        bounded = fmin(bounded, s->output->observed->bias_ln_alpha_max);
    for (size_t j = 0; j < s->outputs; j++)
        rvm_fit_set_alpha(&at[j], position, bounded);
    return bounded;
}

/* The posteriors of all outputs; false when one cannot be computed. */
static bool compute_posteriors(rvm_fit *at, rvm_climber *s)
{
    for (size_t j = 0; j < s->outputs; j++) {
        const rvm_output *o = &s->output[j];
        if (!o->observed->likelihood->posterior(&at[j], o->observed, o->columns, &s->ws))
            return false;
    }
    return true;
}

rvm_status rvm_climber_locate(rvm_climber *s, rvm_error *err)
{
    if (compute_posteriors(s->now, s))
        return RVM_OK;
    if (rvm_climber_stopped(s))
        return rvm_fail_interrupted(err);
    return rvm_fail(err, RVM_ENUMERIC, "the posterior left the range of finite numbers");
}

void rvm_climber_try(rvm_climber *s)
{
    for (size_t j = 0; j < s->outputs; j++)
        rvm_fit_copy(&s->trial[j], &s->now[j]);
}

void rvm_climber_try_step(rvm_climber *s)
{
    rvm_climber_try(s);
    for (size_t j = 0; j < s->outputs; j++)
        s->trial[j].ln_beta = fmin(s->trial[j].ln_beta + s->step[rvm_climber_beta(s, j)],
                                   s->output[j].observed->ln_beta_max);
    for (size_t i = s->now->K; i-- > 0;) {
        if (s->goes[i])
            rvm_climber_remove(s, s->trial, i);
        else
            rvm_climber_set_alpha(s, s->trial, i, s->now->ln_alpha[i] + s->step[i]);
    }
}

bool rvm_climber_accept(rvm_climber *s, double margin)
{
    if (!compute_posteriors(s->trial, s))
        return false;
    const double trial = sum_of_evidence(s->trial, s->outputs);
    if (!(trial > rvm_climber_log_evidence(s) + margin))
        return false;
    for (size_t j = 0; j < s->outputs; j++) {
        const rvm_fit kept = s->now[j];
        s->now[j] = s->trial[j];
        s->trial[j] = kept;
    }
    return true;
}
