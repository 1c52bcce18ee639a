/* What the code of a model takes: places of numbers, sizes, factors that the model does not have. */
#include "product/c_plan.h"

#include <gsl/gsl_math.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "basis/kernel.h"
#include "data/problem.h"
#include "product/prevalence.h"
#include "product/vector_factor.h"

/* Some 20 bytes each: a compiler takes seconds and a gigabyte for more. */
static const double most_numbers = 1e6;

/* Vectors leave zeros out where there are more numbers, and less than that share of them: as rows in
 * basis/kernel.c. */
enum { DENSE_WIDTH = 32 };
static const double dense_share = 0.25;

bool rvm_c_plan_is_regression(const rvm_c_plan *c)
{
    return c->m->task == RVM_REGRESSION;
}

bool rvm_c_plan_is_calibrated(const rvm_c_plan *c)
{
    return rvm_c_plan_is_regression(c) && c->m->calibration.info.rows > 0;
}

/* Features that count, in order: those of a weight above 0 that vary. */
static bool list_inputs(rvm_c_plan *c)
{
    const rvm_input_weights *w = c->m->kernel.inputs;
    const rvm_standard *s = &c->m->standard;
    const bool squares = rvm_kernel_combination(c->m->kernel.type) != RVM_BY_DISTANCES;

    c->input_index = rvm_array(w->count, sizeof *c->input_index);
    c->input_place = rvm_array(w->count, sizeof *c->input_place);
    c->factor = rvm_array(w->count, sizeof *c->factor);
    if (c->input_index == NULL || c->input_place == NULL || c->factor == NULL)
        return false;
    for (size_t j = 0; j < w->count; j++) {
        const size_t at = rvm_sort_find(s->index, s->count, w->index[j], j);

        if (w->weight[j] <= 0 || (s->used && at == s->count))
            continue;
        c->input_index[c->inputs] = w->index[j];
        c->input_place[c->inputs] = s->used ? (int)at : w->index[j] - c->first;
        c->factor[c->inputs++] = squares ? sqrt(w->weight[j]) : w->weight[j];
    }
    return true;
}

size_t rvm_c_plan_row_place(const rvm_c_plan *c, int feature)
{
    const rvm_standard *s = &c->m->standard;

    return s->used ? rvm_sort_find(s->index, s->count, feature, 0) : (size_t)(feature - c->first);
}

/* As basis/kernel.c weighs them. */
static double weighted(double x, double factor)
{
    return factor == 1 ? x : fmax(-GSL_DBL_MAX, fmin(factor * x, GSL_DBL_MAX));
}

bool rvm_c_plan_vector_number(const rvm_c_plan *c, double *value, size_t *place, size_t k)
{
    *value = c->z->value[k];
    if (c->m->kernel.inputs == NULL) {
        *place = rvm_c_plan_row_place(c, c->z->index[k]);
        return true;
    }
    *place = rvm_sort_find(c->input_index, c->inputs, c->z->index[k], 0);
    if (*place == c->inputs)
        return false;
    *value = weighted(*value, c->factor[*place]);
    return true;
}

/* The least and the largest feature that anything looks at; max < min: none does. */
static void find_features(int *min, int *max, const rvm_model *m)
{
    const rvm_problem *z = m->vectors;

    *min = INT_MAX;
    *max = -1;
    for (size_t k = 0; k < z->start[z->rows]; k++) {
        *min = GSL_MIN(*min, z->index[k]);
        *max = GSL_MAX(*max, z->index[k]);
    }
    for (size_t f = 0; f < m->latent_count; f++)
        for (size_t i = 0; i < m->latent[f].terms; i++)
            for (int k = 0; k < m->latent[f].term[i].degree; k++) {
                *min = GSL_MIN(*min, m->latent[f].term[i].feature[k]);
                *max = GSL_MAX(*max, m->latent[f].term[i].feature[k]);
            }
    for (size_t j = 0; j < m->standard.count; j++) {
        *min = GSL_MIN(*min, m->standard.index[j]);
        *max = GSL_MAX(*max, m->standard.index[j]);
    }
    for (size_t j = 0; m->kernel.inputs != NULL && j < m->inputs.count; j++) {
        *min = GSL_MIN(*min, m->inputs.index[j]);
        *max = GSL_MAX(*max, m->inputs.index[j]);
    }
}

static rvm_status find_vectors(rvm_c_plan *c, rvm_error *err)
{
    const rvm_model *m = c->m;
    size_t widest = 0;

    c->z = m->vectors;
    if (m->standard.used) {
        c->own = rvm_problem_alloc();
        if (c->own == NULL)
            return rvm_fail_memory(err, "the vectors");
        const rvm_status status = rvm_standard_apply(c->own, &m->standard, m->vectors, err);
        if (status != RVM_OK)
            return status;
        c->z = c->own;
    }
    for (size_t k = 0; k < c->z->start[c->z->rows]; k++) {
        double value;
        size_t at;

        if (rvm_c_plan_vector_number(c, &value, &at, k)) {
            widest = GSL_MAX(widest, at + 1);
            c->pairs++;
        }
    }
    c->width = GSL_MAX(widest, 1);
    c->dense = c->width <= DENSE_WIDTH ||
               (double)c->pairs > dense_share * (double)c->z->rows * (double)c->width;
    return RVM_OK;
}

/* As predict.c chooses: of processes for the variance, of others for calibrations that look at it. */
static rvm_status find_points(rvm_c_plan *c, rvm_error *err)
{
    const rvm_model *m = c->m;
    bool counts = false;

    for (size_t k = 0; rvm_c_plan_is_calibrated(c) && k < m->latent_count; k++) {
        const rvm_spread spread = rvm_model_spread(m, k);

        counts =
            counts || ((spread.residual > 0 || spread.beyond > 0) && rvm_model_has_residual(m));
    }
    c->left = counts || (rvm_c_plan_is_regression(c) && rvm_model_is_process(m));
    c->points = m->point_factor;
    if (!c->left || rvm_model_is_process(m) || c->z->rows == 0)
        return RVM_OK;
    rvm_status status = rvm_vector_factor(&c->own_points, &m->kernel, c->z, 0, err);
    c->points = c->own_points;
    c->left = status == RVM_OK;
    return status == RVM_ENUMERIC ? RVM_OK : status;
}

static void count_functions(rvm_c_plan *c)
{
    for (size_t k = 0; k < c->m->latent_count; k++) {
        c->terms += c->m->latent[k].terms;
        c->basis += c->m->latent[k].count;
        c->longest = GSL_MAX(c->longest, c->m->latent[k].count);
    }
}

static double triangle(size_t K)
{
    return 0.5 * (double)K * ((double)K + 1);
}

/* Numbers that are written. */
static double count_numbers(const rvm_c_plan *c)
{
    const double V = (double)c->z->rows;
    double sum = 3 * (double)c->m->standard.count + 2 * (double)c->basis +
                 (double)c->basis * (double)c->m->latent->draws + 2 * (double)c->terms;

    sum += c->dense ? V * (double)c->width : 2 * (double)c->pairs;
    for (size_t k = 0; rvm_model_has_covariance(c->m) && k < c->m->latent_count; k++)
        sum += triangle(c->m->latent[k].count);
    return sum + (c->left ? triangle(c->z->rows) : 0);
}

static rvm_status find_shift(rvm_c_plan *c, rvm_error *err)
{
    const rvm_calibration *calibration = &c->m->calibration;

    c->power = rvm_calibration_tempers(calibration) ? 1 / calibration->info.temperature : 1;
    return rvm_prevalence_shift(&c->shift, c->m, c->power, NULL, err);
}

static rvm_status check_size(const rvm_c_plan *c, rvm_error *err)
{
    const double numbers = count_numbers(c);

    if (numbers > most_numbers)
        return rvm_fail(err, RVM_EMODEL,
                        "as C the model has %.0f numbers, and %.0f at the most are written",
                        numbers, most_numbers);
    return RVM_OK;
}

rvm_status rvm_c_plan_init(rvm_c_plan *c, const rvm_model *m, FILE *out, rvm_error *err)
{
    int min, max;

    *c = (rvm_c_plan){ .m = m, .out = out };
    find_features(&min, &max, m);
    c->first = min == 0 ? 0 : 1;
    if (max - c->first == INT_MAX)
        return rvm_fail(err, RVM_EMODEL, "feature %d is too far for an array", max);
    c->features = max >= min ? (size_t)(max - c->first) + 1 : 0;
    count_functions(c);
    if (m->kernel.inputs != NULL && !list_inputs(c))
        return rvm_fail_memory(err, "the inputs");
    rvm_status status = find_vectors(c, err);
    if (status == RVM_OK)
        status = check_size(c, err);
    if (status == RVM_OK)
        status = find_points(c, err);
    if (status == RVM_OK)
        status = check_size(c, err); /* with the points */
    return status == RVM_OK ? find_shift(c, err) : status;
}

void rvm_c_plan_free(rvm_c_plan *c)
{
    rvm_problem_free(c->own);
    free(c->input_index);
    free(c->input_place);
    free(c->factor);
    free(c->own_points);
    free(c->shift);
}
