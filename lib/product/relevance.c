/* How much the function of a model changes along each of its inputs.
 *
 * An input is held at its mean over the rows, all else as it is, and the model asked again: the
 * root mean square of what that changes is the effect of the input. Functions of regression are
 * compared in units of their noise, those of classification by the logarithms of
 * the probabilities. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/problem.h"
#include "data/shard.h"
#include "product/model.h"
#include "product/predict.h"

enum { MOST_ROWS = 100 }; /* every other one, or every third, ... of more */

/* Functions of all rows: the values, or the logarithms of the probabilities, and how many. */
static const double *compared_numbers(size_t *count, const rvm_model *m, const rvm_prediction *p)
{
    *count = p->rows * (m->task == RVM_REGRESSION ? p->outputs : p->classes);
    return m->task == RVM_REGRESSION ? p->value : p->log_probability;
}

static double mean_of_feature(const rvm_problem *p, int feature)
{
    double sum = 0;
    for (size_t k = 0; k < p->start[p->rows]; k++)
        if (p->index[k] == feature)
            sum += p->value[k] / (double)p->rows;
    return sum;
}

/* The pairs of row n with one feature held at a value; returns their number. */
static size_t hold_in_row(int *index, double *value, const rvm_problem *p, size_t n, int feature,
                          double at)
{
    const size_t end = p->start[n + 1];
    size_t count = 0;
    bool held = false;
    for (size_t k = p->start[n]; k < end || !held; k++) {
        if (!held && (k == end || p->index[k] >= feature)) {
            index[count] = feature;
            value[count++] = at;
            held = true;
        }
        if (k < end && p->index[k] != feature) {
            index[count] = p->index[k];
            value[count++] = p->value[k];
        }
    }
    return count;
}

/* The rows with one feature held at a value; NULL without memory. index, value: scratch. */
static rvm_problem *hold_feature(const rvm_problem *p, int feature, double at, int *index,
                                 double *value)
{
    rvm_problem *held = rvm_problem_alloc();
    bool memory = held != NULL;
    for (size_t n = 0; n < p->rows && memory; n++) {
        const size_t count = hold_in_row(index, value, p, n, feature, at);
        memory = rvm_problem_append(held, 0, index, value, count);
    }
    if (memory)
        return held;
    rvm_problem_free(held);
    return NULL;
}

static double root_mean_square_change(const rvm_model *m, const rvm_prediction *a,
                                      const rvm_prediction *b)
{
    size_t count;
    const double *x = compared_numbers(&count, m, a), *y = compared_numbers(&count, m, b);
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        const double variance =
            m->task == RVM_REGRESSION ? m->latent[k % a->outputs].noise_variance : 1;
        sum += (x[k] - y[k]) * (x[k] - y[k]) / variance;
    }
    return sqrt(sum / (double)count);
}

rvm_status rvm_model_effects(double *effect, const rvm_model *m, const rvm_problem *p,
                             rvm_error *err)
{
    const rvm_predictor_settings s = { .mode = true };
    rvm_prediction whole = { 0 }, part = { 0 };
    rvm_problem *rows = NULL;
    rvm_status status = rvm_shard_thin(&rows, p, MOST_ROWS, err);
    if (status != RVM_OK)
        return status;
    const size_t pairs = rows->start[rows->rows] + 1;
    int *index = rvm_array(pairs, sizeof *index);
    double *value = rvm_array(pairs, sizeof *value);
    const bool memory = index != NULL && value != NULL;
    status = memory ? rvm_predict_by(&whole, m, rows, &s, err) : rvm_fail_memory(err, "the inputs");
    for (size_t j = 0; j < m->inputs.count && status == RVM_OK; j++) {
        const int feature = m->inputs.index[j];
        rvm_problem *held =
            hold_feature(rows, feature, mean_of_feature(rows, feature), index, value);
        status = held == NULL ? rvm_fail_memory(err, "the inputs")
                              : rvm_predict_by(&part, m, held, &s, err);
        if (status == RVM_OK)
            effect[j] = root_mean_square_change(m, &whole, &part);
        rvm_problem_free(held);
    }
    rvm_prediction_free(&whole);
    rvm_prediction_free(&part);
    rvm_problem_free(rows);
    free(index);
    free(value);
    return status;
}
