/* A model as a caller has it: read, written, looked at. */
#include "door/model.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_matrix.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/linalg.h"
#include "basis/kernel.h"
#include "data/problem.h"
#include "door/error.h"
#include "door/guard.h"

static bool is_precomputed(const rvm_model *m)
{
    return m->kernel.type == RVM_PRECOMPUTED;
}

/* The largest index that occurs in it: of a column one more than its number. */
static int last_index(const rvm_model *m)
{
    const rvm_problem *v = m->vectors;
    int last = is_precomputed(m) ? 0 : v->max_index;
    for (size_t i = 0; i < v->rows && is_precomputed(m); i++)
        last = GSL_MAX(last, (int)v->value[v->start[i]]);
    for (size_t k = 0; k < m->latent_count; k++)
        for (size_t i = 0; i < m->latent[k].terms; i++) {
            const rvm_term *t = &m->latent[k].term[i];
            last = t->degree > 0 ? GSL_MAX(last, t->feature[t->degree - 1]) : last;
        }
    if (m->standard.count > 0)
        last = GSL_MAX(last, m->standard.index[m->standard.count - 1]);
    if (m->inputs.count > 0)
        last = GSL_MAX(last, m->input_index[m->inputs.count - 1]);
    return last;
}

/* A row of a precomputed kernel has a value for each row of the training data. */
static size_t count_columns(const rvm_model *m)
{
    const int last = last_index(m);
    const size_t columns = last > 0 ? (size_t)last : 0;
    return is_precomputed(m) ? GSL_MAX(columns, GSL_MIN(m->examples, (size_t)INT_MAX - 1))
                             : columns;
}

rvmml_status door_model_wrap(rvmml_model **out, rvm_model *m, rvmml_error *err)
{
    rvmml_model *wrapped = rvm_array(1, sizeof *wrapped);
    if (wrapped == NULL) {
        rvm_model_free(m);
        return door_fail_memory(err, "the model");
    }
    *wrapped = (rvmml_model){ m, count_columns(m) };
    *out = wrapped;
    return RVMML_OK;
}

void rvmml_model_free(rvmml_model *m)
{
    if (m == NULL)
        return;
    rvm_model_free(m->m);
    free(m);
}

/* ---- Text ----------------------------------------------------------------------------------- */

rvmml_status rvmml_model_read(rvmml_model **out, FILE *in, rvmml_error *err)
{
    rvm_error fault = { .line = 0 };
    rvm_model *m = NULL;
    if (out == NULL || in == NULL)
        return door_fail_null(err, out == NULL ? "out" : "in");
    const rvm_status status = rvm_model_read(&m, in, &fault);
    return status == RVM_OK ? door_model_wrap(out, m, err) : door_pass(err, status, &fault);
}

rvmml_status rvmml_model_write(const rvmml_model *m, FILE *out, rvmml_error *err)
{
    rvm_error fault = { .line = 0 };
    if (m == NULL || out == NULL)
        return door_fail_null(err, m == NULL ? "model" : "out");
    return door_pass(err, rvm_model_write(m->m, out, &fault), &fault);
}

rvmml_status rvmml_model_from_text(rvmml_model **out, const char *text, size_t length,
                                   rvmml_error *err)
{
    if (out == NULL || text == NULL)
        return door_fail_null(err, out == NULL ? "out" : "text");
    if (length == 0)
        return door_fail_at(err, RVMML_EMODEL, 0, 0, "the text is empty, not a model");
    /* It is only read. */
    FILE *in = fmemopen((void *)(uintptr_t)text, length, "r");
    if (in == NULL)
        return door_fail_memory(err, "the model");
    const rvmml_status status = rvmml_model_read(out, in, err);
    fclose(in);
    return status;
}

rvmml_status rvmml_model_to_text(char **text, size_t *length, const rvmml_model *m,
                                 rvmml_error *err)
{
    char *written = NULL;
    size_t size = 0;
    if (text == NULL || m == NULL)
        return door_fail_null(err, text == NULL ? "text" : "model");
    FILE *out = open_memstream(&written, &size);
    if (out == NULL)
        return door_fail_memory(err, "the model");
    rvmml_status status = rvmml_model_write(m, out, err);
    if (fclose(out) != 0 && status == RVMML_OK)
        status = door_fail_memory(err, "the model");
    if (status != RVMML_OK) {
        free(written);
        return status;
    }
    *text = written;
    if (length != NULL)
        *length = size;
    return RVMML_OK;
}

/* ---- The whole ------------------------------------------------------------------------------ */

rvmml_task rvmml_model_task(const rvmml_model *m)
{
    return m->m->task == RVM_REGRESSION ? RVMML_REGRESSION : RVMML_CLASSIFICATION;
}

size_t rvmml_model_outputs(const rvmml_model *m)
{
    return m->m->task == RVM_REGRESSION ? m->m->latent_count : 1;
}

size_t rvmml_model_classes(const rvmml_model *m)
{
    return m->m->class_count;
}

const int *rvmml_model_labels(const rvmml_model *m)
{
    return m->m->label;
}

size_t rvmml_model_columns(const rvmml_model *m)
{
    return m->columns;
}

size_t rvmml_model_examples(const rvmml_model *m)
{
    return m->m->examples;
}

double rvmml_model_log_evidence(const rvmml_model *m)
{
    return m->m->log_evidence;
}

int rvmml_model_converged(const rvmml_model *m)
{
    return m->m->converged;
}

/* ---- The kernel ----------------------------------------------------------------------------- */

const char *rvmml_model_kernel(const rvmml_model *m)
{
    return rvm_kernel_name(m->m->kernel.type);
}

static bool uses(const rvmml_model *m, unsigned what)
{
    return (rvm_kernel_uses(m->m->kernel.type) & what) != 0;
}

double rvmml_model_gamma(const rvmml_model *m)
{
    return uses(m, RVM_USES_GAMMA) ? m->m->kernel.gamma : 0;
}

double rvmml_model_coef0(const rvmml_model *m)
{
    return uses(m, RVM_USES_COEF0) ? m->m->kernel.coef0 : 0;
}

int rvmml_model_degree(const rvmml_model *m)
{
    return uses(m, RVM_USES_DEGREE) ? m->m->kernel.degree : 0;
}

rvmml_status rvmml_model_relevance(double *weight, const rvmml_model *m, rvmml_error *err)
{
    if (weight == NULL || m == NULL)
        return door_fail_null(err, weight == NULL ? "weight" : "model");
    const bool weighs = m->m->kernel.inputs != NULL;
    for (size_t j = 0; j < m->columns; j++)
        weight[j] = weighs ? 0 : 1;
    for (size_t k = 0; weighs && k < m->m->inputs.count; k++)
        if (m->m->input_index[k] > 0)
            weight[m->m->input_index[k] - 1] = m->m->input_weight[k];
    return RVMML_OK;
}

/* ---- Vectors -------------------------------------------------------------------------------- */

size_t rvmml_model_vectors(const rvmml_model *m)
{
    return m->m->vectors->rows;
}

static rvmml_status check_vector(const rvmml_model *m, size_t vector, rvmml_error *err)
{
    if (m == NULL)
        return door_fail_null(err, "model");
    if (vector >= m->m->vectors->rows)
        return door_fail(err, RVMML_EARGUMENT, "there is no vector %zu of %zu", vector,
                         m->m->vectors->rows);
    if (is_precomputed(m->m))
        return door_fail(err, RVMML_ENONE, "the vectors of a precomputed kernel have no features");
    return RVMML_OK;
}

rvmml_status rvmml_model_vector(double *x, const rvmml_model *m, size_t vector, rvmml_error *err)
{
    if (x == NULL)
        return door_fail_null(err, "x");
    const rvmml_status status = check_vector(m, vector, err);
    if (status != RVMML_OK)
        return status;
    const rvm_problem *v = m->m->vectors;
    for (size_t j = 0; j < m->columns; j++)
        x[j] = 0;
    for (size_t k = v->start[vector]; k < v->start[vector + 1]; k++)
        if (v->index[k] > 0)
            x[v->index[k] - 1] = v->value[k];
    return RVMML_OK;
}

size_t rvmml_model_vector_size(const rvmml_model *m, size_t vector)
{
    const rvm_problem *v = m->m->vectors;
    return is_precomputed(m->m) || vector >= v->rows ? 0 : v->start[vector + 1] - v->start[vector];
}

rvmml_status rvmml_model_vector_pairs(int32_t *column, double *value, const rvmml_model *m,
                                      size_t vector, rvmml_error *err)
{
    if (column == NULL || value == NULL)
        return door_fail_null(err, column == NULL ? "column" : "value");
    const rvmml_status status = check_vector(m, vector, err);
    if (status != RVMML_OK)
        return status;
    const rvm_problem *v = m->m->vectors;
    const size_t first = v->start[vector];
    for (size_t k = first; k < v->start[vector + 1]; k++) {
        column[k - first] = v->index[k] - 1;
        value[k - first] = v->value[k];
    }
    return RVMML_OK;
}

size_t rvmml_model_vector_row(const rvmml_model *m, size_t vector)
{
    if (m->m->row == NULL || vector >= m->m->vectors->rows)
        return RVMML_NONE;
    return m->m->row[vector] - 1;
}

/* ---- Latent functions ----------------------------------------------------------------------- */

size_t rvmml_model_functions(const rvmml_model *m)
{
    return m->m->latent_count;
}

/* NULL where there is no such one. */
static const rvm_latent *find(const rvmml_model *m, size_t function)
{
    return function < m->m->latent_count ? &m->m->latent[function] : NULL;
}

size_t rvmml_model_function_size(const rvmml_model *m, size_t function)
{
    const rvm_latent *f = find(m, function);
    return f == NULL ? 0 : f->count;
}

size_t rvmml_model_function_vector(const rvmml_model *m, size_t function, size_t i)
{
    const rvm_latent *f = find(m, function);
    return f == NULL || i < f->terms || i >= f->count ? RVMML_NONE : f->vector[i - f->terms];
}

/* *out, borrowed: the function, where it is there and so is what is to be filled. */
static rvmml_status look_at(const rvm_latent **out, const void *filled, const rvmml_model *m,
                            size_t function, rvmml_error *err)
{
    if (filled == NULL || m == NULL)
        return door_fail_null(err, m == NULL ? "model" : "what is to be filled");
    *out = find(m, function);
    if (*out != NULL)
        return RVMML_OK;
    (void)door_fail(err, RVMML_EARGUMENT, "there is no latent function %zu of %zu", function,
                    m->m->latent_count);
    return RVMML_EARGUMENT;
}

rvmml_status rvmml_model_function_name(char name[RVMML_NAME_SIZE], const rvmml_model *m,
                                       size_t function, size_t i, rvmml_error *err)
{
    const rvm_latent *f = NULL;
    _Static_assert(RVM_TERM_NAME_SIZE <= RVMML_NAME_SIZE, "there is room for each name");
    const rvmml_status status = look_at(&f, name, m, function, err);
    if (status != RVMML_OK)
        return status;
    if (i >= f->count)
        return door_fail(err, RVMML_EARGUMENT, "there is no basis function %zu of %zu", i,
                         f->count);
    if (i < f->terms)
        rvm_term_name(name, &f->term[i]);
    else
        name[0] = '\0';
    return RVMML_OK;
}

rvmml_status rvmml_model_weights(double *mean, const rvmml_model *m, size_t function,
                                 rvmml_error *err)
{
    const rvm_latent *f = NULL;
    const rvmml_status status = look_at(&f, mean, m, function, err);
    if (status != RVMML_OK)
        return status;
    for (size_t i = 0; i < f->count; i++)
        mean[i] = f->weight[i];
    if (rvm_latent_has_bias(f))
        mean[0] += f->bias_mean;
    return RVMML_OK;
}

rvmml_status rvmml_model_precisions(double *alpha, const rvmml_model *m, size_t function,
                                    rvmml_error *err)
{
    const rvm_latent *f = NULL;
    const rvmml_status status = look_at(&f, alpha, m, function, err);
    if (status != RVMML_OK)
        return status;
    if (f->alpha == NULL || rvm_model_is_process(m->m))
        return door_fail(err, RVMML_ENONE, "the weights of this model have no precisions");
    memcpy(alpha, f->alpha, f->count * sizeof *alpha);
    return RVMML_OK;
}

/* Sigma = (R'R)^-1 = (L L')^-1 with L = R', of which the model has the rows of R. */
static rvmml_status invert(gsl_matrix *covariance, const rvm_latent *f, rvmml_error *err)
{
    size_t from = 0;
    gsl_matrix *L = gsl_matrix_calloc(f->count, f->count);
    if (L == NULL)
        return door_fail_memory(err, "the covariance");
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = i; j < f->count; j++)
            gsl_matrix_set(L, j, i, f->factor[from++]);
    rvm_cholesky_inverse(covariance, L);
    gsl_matrix_free(L);
    return RVMML_OK;
}

rvmml_status rvmml_model_covariance(double *covariance, const rvmml_model *m, size_t function,
                                    rvmml_error *err)
{
    const rvm_latent *f = NULL;
    rvmml_status status = look_at(&f, covariance, m, function, err);
    if (status != RVMML_OK || f->count == 0)
        return status;
    if (!rvm_model_has_covariance(m->m) || f->factor == NULL)
        return door_fail(err, RVMML_ENONE, "the weights of this model have no covariance");
    door_guard_enter();
    gsl_matrix_view to = gsl_matrix_view_array(covariance, f->count, f->count);
    status = invert(&to.matrix, f, err);
    door_guard_leave();
    return status;
}

double rvmml_model_noise_variance(const rvmml_model *m, size_t output)
{
    const rvm_latent *f = find(m, output);
    return f == NULL ? 0 : f->noise_variance;
}
