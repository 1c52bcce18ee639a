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
#include "data/shard.h"
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
    rvm_status status = rvm_basis_bring(&y->basis, solved->id, solved->K, c->id, c->count, err);
    if (status != RVM_OK)
        return status;
    status = rvm_posterior_init(&q, &at, o, c, &y->basis, err);
    q.hasty = numbers->hasty;
    if (status == RVM_OK)
        status = rvm_posterior_settle(&q, err);
    if (status == RVM_OK) {
        numbers->log_likelihood = q.log_likelihood - (double)o->spans.N * log(y->t_scale);
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

/* A vector: its row by its place in canonical order, then in the file. */
typedef struct {
    size_t place, number;
} vector_row;

static int by_place(const void *a, const void *b)
{
    const size_t x = ((const vector_row *)a)->place, z = ((const vector_row *)b)->place;
    return (x > z) - (x < z);
}

static int by_number(const void *a, const void *b)
{
    const size_t x = ((const vector_row *)a)->number, z = ((const vector_row *)b)->number;
    return (x > z) - (x < z);
}

/* The rows of the vectors of all latent functions, each once, by their places; the latent functions then
 * have their numbers among these. *row owned by the caller. */
static rvm_status number_vectors(vector_row **row, size_t *count, rvm_model *m, rvm_error *err)
{
    size_t all = 0, kept = 0;
    for (size_t k = 0; k < m->latent_count; k++)
        all += kernel_functions(&m->latent[k]);
    vector_row *list = rvm_array(all, sizeof *list);
    if (list == NULL)
        return rvm_fail_memory(err, "the model");
    for (size_t k = 0, n = 0; k < m->latent_count; k++)
        for (size_t i = 0; i < kernel_functions(&m->latent[k]); i++)
            list[n++].place = m->latent[k].vector[i];
    qsort(list, all, sizeof *list, by_place);
    for (size_t n = 0; n < all; n++)
        if (kept == 0 || list[kept - 1].place != list[n].place)
            list[kept++] = list[n];
    for (size_t k = 0; k < m->latent_count; k++)
        for (size_t i = 0; i < kernel_functions(&m->latent[k]); i++) {
            const vector_row wanted = { m->latent[k].vector[i], 0 };
            const vector_row *at = bsearch(&wanted, list, kept, sizeof *list, by_place);
            m->latent[k].vector[i] = (size_t)(at - list);
        }
    *row = list;
    *count = kept;
    return RVM_OK;
}

/* Their numbers in the file: p has its order, or its rows know theirs. */
static rvm_status find_numbers(vector_row *row, size_t count, const rvm_problem *p, rvm_error *err)
{
    size_t *order = NULL, *place = NULL;
    double *number = NULL, *of_vector = NULL;
    if (p->team == NULL) {
        const rvm_status status = rvm_order_rows(&order, p, err);
        for (size_t i = 0; status == RVM_OK && i < count; i++)
            row[i].number = order[row[i].place];
        free(order);
        return status;
    }
    place = rvm_array(count, sizeof *place);
    number = rvm_array(p->rows, sizeof *number);
    of_vector = rvm_array(count, sizeof *of_vector);
    rvm_status status = place == NULL || number == NULL || of_vector == NULL
                            ? rvm_fail_memory(err, "the model")
                            : RVM_OK;
    for (size_t i = 0; status == RVM_OK && i < count; i++)
        place[i] = row[i].place;
    for (size_t n = 0; status == RVM_OK && n < p->rows; n++)
        number[n] = (double)rvm_problem_number(p, n);
    if (status == RVM_OK)
        status = rvm_shard_pick_numbers(of_vector, p, place, count, number, err);
    for (size_t i = 0; status == RVM_OK && i < count; i++)
        row[i].number = (size_t)of_vector[i];
    free(place);
    free(number);
    free(of_vector);
    return status;
}

/* Of rows that a team shares: which of those here are vectors; of the file, by their numbers. sorted: the
 * vectors by these; here: as many as p has rows. */
static size_t find_here(size_t *here, const vector_row *sorted, size_t count, const rvm_problem *p)
{
    size_t found = 0;
    for (size_t n = 0; n < p->rows; n++) {
        const vector_row wanted = { 0, rvm_problem_number(p, n) };
        if (bsearch(&wanted, sorted, count, sizeof *sorted, by_number) != NULL)
            here[found++] = n;
    }
    return found;
}

static const char not_found[] = "the rows of the vectors are not those of the file";

/* Copies of the rows of the file, those of `row`, in its order. */
static rvm_status copy_vectors(rvm_problem **out, const vector_row *row, size_t count,
                               const rvm_problem *file, rvm_error *err)
{
    rvm_problem *all = NULL;
    size_t *which = rvm_array(GSL_MAX(count, file->rows), sizeof *which);
    vector_row *sorted = rvm_array(count, sizeof *sorted);
    rvm_status status =
        which == NULL || sorted == NULL ? rvm_fail_memory(err, "the model") : RVM_OK;
    for (size_t i = 0; status == RVM_OK && i < count; i++) {
        which[i] = row[i].number;
        sorted[i] = (vector_row){ i, row[i].number };
    }
    if (status == RVM_OK && file->team != NULL) {
        qsort(sorted, count, sizeof *sorted, by_number);
        const size_t here = find_here(which, sorted, count, file);
        status = rvm_shard_gather(&all, file, which, here, err);
        if (status == RVM_OK && all->rows != count)
            status = rvm_fail(err, RVM_ENUMERIC, not_found);
        for (size_t i = 0; status == RVM_OK && i < count; i++) {
            const vector_row wanted = { 0, all->number[i] };
            const vector_row *at = bsearch(&wanted, sorted, count, sizeof *sorted, by_number);
            if (at == NULL)
                status = rvm_fail(err, RVM_ENUMERIC, not_found);
            else
                which[at->place] = i;
        }
    }
    if (status == RVM_OK)
        *out = rvm_problem_subset(all == NULL ? file : all, which, count);
    if (status == RVM_OK && *out == NULL)
        status = rvm_fail_memory(err, "the model");
    rvm_problem_free(all);
    free(sorted);
    free(which);
    return status;
}

rvm_status rvm_finish_vectors(rvm_model *m, const rvm_problem *p, const rvm_problem *file,
                              rvm_error *err)
{
    vector_row *row = NULL;
    size_t count = 0;
    rvm_status status = number_vectors(&row, &count, m, err);
    if (status == RVM_OK)
        status = find_numbers(row, count, p, err);
    if (status == RVM_OK)
        status = copy_vectors(&m->vectors, row, count, file, err);
    m->row = status == RVM_OK ? rvm_array(count, sizeof *m->row) : NULL;
    for (size_t i = 0; m->row != NULL && i < count; i++)
        m->row[i] = row[i].number + 1;
    free(row);
    if (status != RVM_OK)
        return status;
    if (m->row == NULL)
        return rvm_fail_memory(err, "the model");
    m->vectors->outputs = 1;
    for (size_t i = 0; i < m->vectors->rows; i++)
        m->vectors->target[i] = 0;
    if (m->kernel.type == RVM_PRECOMPUTED)
        keep_serials_only(m->vectors);
    return RVM_OK;
}
