/* A latent function and its vectors, as the model has them. */
#include "product/finish.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/order.h"
#include "data/problem.h"
#include "inference/posterior.h"

static bool all_saved_numbers_are_sound(const rvm_latent *f)
{
    const double *entry = f->factor;
    for (size_t i = 0; i < f->count; i++) {
        if (!isfinite(f->weight[i]) || !isfinite(f->alpha[i]) || !(f->alpha[i] > 0) ||
            !(entry[0] > 0))
            return false;
        for (size_t j = i; j < f->count; j++)
            if (!isfinite(*entry++))
                return false;
    }
    return true;
}

/* Weights and precisions of functions that are not divided by their norm, in the units of the data.
 */
static rvm_status copy_functions(rvm_latent *latent, const rvm_posterior *q, const rvm_study *y,
                                 rvm_error *err)
{
    const double *norm = q->columns->norm;
    if (!rvm_latent_alloc(latent, &y->basis, q->columns->id, q->column, q->K, 0) ||
        !rvm_latent_alloc_factor(latent))
        return rvm_fail_memory(err, "the model");
    double *to = latent->factor;
    for (size_t i = 0; i < q->K; i++) {
        const size_t column = q->column[i];
        latent->weight[i] = q->D[i] * q->u[i] / norm[column] * y->t_scale;
        latent->alpha[i] = gsl_pow_2(norm[column] / (q->D[i] * y->t_scale));
        for (size_t j = i; j < q->K; j++) /* column j times alpha_j^1/2 */
            *to++ = gsl_matrix_get(q->R, i, j) * norm[q->column[j]] / (q->D[j] * y->t_scale);
    }
    latent->bias_mean = rvm_latent_has_bias(latent) ? y->t_mean : 0;
    if (!all_saved_numbers_are_sound(latent))
        return rvm_fail(err, RVM_ENUMERIC,
                        "the model leaves the range of finite numbers: scale the data");
    return RVM_OK;
}

rvm_status rvm_finish_latent(rvm_latent *latent, rvm_finished *numbers, const rvm_solved *solved,
                             const rvm_study *y, const rvm_columns *c, rvm_error *err)
{
    const rvm_observed *o = &y->observed;
    const rvm_fit at = { .K = solved->K,
                         .column = solved->id,
                         .ln_alpha = solved->ln_alpha,
                         .ln_beta = solved->ln_beta,
                         .u = solved->u };
    rvm_posterior q;
    rvm_status status = rvm_posterior_init(&q, &at, o, c, &y->basis, err);
    q.hasty = numbers->hasty;
    if (status == RVM_OK)
        status = rvm_posterior_settle(&q, err);
    if (status == RVM_OK) {
        numbers->log_likelihood = q.log_likelihood - (double)o->N * log(y->t_scale);
        numbers->penalty = rvm_posterior_penalty(&q);
        numbers->log_prior = rvm_observed_log_prior(o, solved->norm, NULL, solved->ln_alpha,
                                                    solved->K, solved->ln_beta);
        if (numbers->activation != NULL)
            memcpy(numbers->activation, q.f, q.N * sizeof *q.f);
        status = copy_functions(latent, &q, y, err);
    }
    rvm_posterior_free(&q);
    if (status == RVM_OK && !isfinite(numbers->log_likelihood - numbers->penalty))
        return rvm_fail(err, RVM_ENUMERIC, "the log evidence is not a finite number");
    return status;
}

/* ---- Classes -------------------------------------------------------------------------------- */

/* As rows of the classes count (search/study.c); nothing where they count alike. */
static rvm_status keep_weights(rvm_model *m, const rvm_settings *s, rvm_error *err)
{
    m->class_weight = rvm_array(m->class_count, sizeof *m->class_weight);
    if (m->class_weight == NULL)
        return rvm_fail_memory(err, "the model");
    rvm_class_weights(m->class_weight, s, m->label, m->class_count);
    if (gsl_stats_min(m->class_weight, 1, m->class_count) == 1) {
        free(m->class_weight);
        m->class_weight = NULL;
    }
    return RVM_OK;
}

rvm_status rvm_finish_classes(rvm_model *m, const rvm_labels *labels, const rvm_settings *s,
                              rvm_error *err)
{
    m->class_count = labels->count;
    if (labels->count == 0)
        return RVM_OK;
    m->label = rvm_array(labels->count, sizeof *m->label);
    m->class_rows = rvm_array(labels->count, sizeof *m->class_rows);
    if (m->label == NULL || m->class_rows == NULL)
        return rvm_fail_memory(err, "the model");
    memcpy(m->label, labels->label, labels->count * sizeof *m->label);
    memcpy(m->class_rows, labels->rows, labels->count * sizeof *m->class_rows);
    return keep_weights(m, s, err);
}

/* ---- Vectors -------------------------------------------------------------------------------- */

/* A precomputed kernel's vector is its serial number alone. */
static void keep_serials_only(rvm_problem *vectors)
{
    for (size_t i = 0; i < vectors->rows; i++) {
        vectors->index[i] = vectors->index[vectors->start[i]];
        vectors->value[i] = vectors->value[vectors->start[i]];
    }
    for (size_t i = 0; i <= vectors->rows; i++)
        vectors->start[i] = i;
    vectors->max_index = vectors->rows > 0 ? 0 : -1;
}

static size_t kernel_functions(const rvm_latent *f)
{
    return f->count - f->terms;
}

/* place[row] = 1 + number of the vector at that row, 0 where there is none; row lists the vectors'
 * rows. Returns how many there are. */
static size_t number_vectors(size_t *place, size_t *row, const rvm_model *m, size_t N)
{
    size_t count = 0;
    for (size_t k = 0; k < m->latent_count; k++)
        for (size_t i = 0; i < kernel_functions(&m->latent[k]); i++)
            place[m->latent[k].vector[i]] = 1;
    for (size_t n = 0; n < N; n++)
        if (place[n] != 0) {
            row[count++] = n;
            place[n] = count;
        }
    return count;
}

/* row[0 .. count) become rows of p, of rows in its canonical order; m->row is one more. */
static rvm_status find_rows(rvm_model *m, size_t *row, size_t count, const rvm_problem *p,
                            rvm_error *err)
{
    size_t *order = NULL;

    m->row = rvm_array(count, sizeof *m->row);
    if (m->row == NULL)
        return rvm_fail_memory(err, "the model");
    const rvm_status status = rvm_order_rows(&order, p, err);
    for (size_t i = 0; status == RVM_OK && i < count; i++) {
        row[i] = order[row[i]];
        m->row[i] = row[i] + 1;
    }
    free(order);
    return status;
}

rvm_status rvm_finish_vectors(rvm_model *m, const rvm_problem *p, const rvm_problem *file,
                              rvm_error *err)
{
    const size_t N = p->rows;
    size_t *place = rvm_array(N, sizeof *place), *row = rvm_array(N, sizeof *row);
    if (place == NULL || row == NULL) {
        free(place);
        free(row);
        return rvm_fail_memory(err, "the model");
    }
    const size_t count = number_vectors(place, row, m, N);
    rvm_status status = find_rows(m, row, count, p, err);
    m->vectors = status == RVM_OK ? rvm_problem_subset(file, row, count) : NULL;
    for (size_t k = 0; k < m->latent_count; k++)
        for (size_t i = 0; i < kernel_functions(&m->latent[k]); i++)
            m->latent[k].vector[i] = place[m->latent[k].vector[i]] - 1;
    free(place);
    free(row);
    if (status != RVM_OK)
        return status;
    if (m->vectors == NULL)
        return rvm_fail_memory(err, "the model");
    m->vectors->outputs = 1;
    for (size_t i = 0; i < m->vectors->rows; i++)
        m->vectors->target[i] = 0;
    if (m->kernel.type == RVM_PRECOMPUTED)
        keep_serials_only(m->vectors);
    return RVM_OK;
}
