/* Level 5: prediction.
 *
 *   phi     K            basis functions of a latent function at one row: 1 for the bias, then
 *                        K(x, vector i)
 *   mu, R   K, K x K     posterior mean of the weights; Sigma = (R'R)^-1, R upper triangular
 *   f       mean         bias_mean + mu' phi
 *   s2      variance     phi' Sigma phi = |v|^2 with R' v = phi, by forward substitution
 *
 * Regression adds the noise: the target is N(f, s2 + sigma^2).  In classification probabilities
 * follow from mean and variance of the latent function, or functions: probability.c.
 *
 * A row's result must not depend on the rows that come with it: a stream cut into blocks elsewhere
 * would give other bytes.  So there is no BLAS here, whose order of summation changes with the
 * shape, and the loops below do the same operations in the same order for every row. */
#include "predict.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "alloc.h"
#include "error.h"
#include "kernel.h"
#include "model.h"
#include "probability.h"
#include "problem.h"

enum {
    CHUNK = 64, /* rows whose kernel values are held at a time */
    TILE = 8,   /* rows solved together: R is read once for them all, and they are one vector */
    DEPTH = 16  /* rows of R that are applied together */
};

/* Scratch of one prediction. */
typedef struct {
    const rvm_model *m; /* borrowed */
    rvm_rows *vectors;  /* owned, V of them */
    double *values;     /* owned, CHUNK x V: kernel of each row with each vector */
    double *v;          /* owned, K x TILE, K of the largest latent function */
    double *mean;       /* owned, CHUNK x latent functions */
    double *variance;   /* likewise */
    bool mode;
} predictor;

bool rvm_prediction_resize(rvm_prediction *out, size_t rows, size_t classes)
{
    const size_t width = classes > 0 ? classes : 1;
    if (rows > SIZE_MAX / width)
        return false;

    const size_t need = rows * width;
    double **array[] = { &out->value, &out->variance, &out->probability, &out->log_probability };
    size_t capacity = out->capacity;
    for (size_t i = 0; i < sizeof array / sizeof array[0]; i++) {
        capacity = out->capacity;
        if (!rvm_grow(array[i], &capacity, need, sizeof(double)))
            return false;
    }
    out->capacity = capacity;
    out->rows = rows;
    out->classes = classes;
    return true;
}

void rvm_prediction_free(rvm_prediction *p)
{
    if (p == NULL)
        return;
    free(p->value);
    free(p->variance);
    free(p->probability);
    free(p->log_probability);
    *p = (rvm_prediction){ 0 };
}

/* x -= sum over a < depth of v_a row[a][column - a], in that order; x and v_a are TILE long. */
static void subtract(double *x, const double *v, const double *const *row, size_t column,
                     size_t depth)
{
    double sum[TILE];

    for (size_t r = 0; r < TILE; r++)
        sum[r] = x[r];
    for (size_t a = 0; a < depth; a++) {
        const double entry = row[a][column - a];

        /* In registers, as one vector. */
#pragma GCC unroll 8
        for (size_t r = 0; r < TILE; r++)
            sum[r] -= v[a * TILE + r] * entry;
    }
    for (size_t r = 0; r < TILE; r++)
        x[r] = sum[r];
}

/* Each column phi of v (K x TILE) becomes the solution of R' v = phi. DEPTH rows of R at a time, so
 * that what is still to be solved is loaded and stored once for all of them. */
static void substitute_forward(double *v, const double *R, size_t K)
{
    const double *row[DEPTH]; /* from the diagonal on */

    for (size_t i = 0; i < K; i += DEPTH, v += DEPTH * TILE) {
        const size_t depth = GSL_MIN(DEPTH, K - i);

        for (size_t a = 0; a < depth; a++) {
            row[a] = R;
            R += K - i - a;
            subtract(v + a * TILE, v, row, a, a);
            for (size_t r = 0; r < TILE; r++)
                v[a * TILE + r] /= row[a][0];
        }
        for (size_t j = depth; j < K - i; j++)
            subtract(v + j * TILE, v, row, j, depth);
    }
}

/* v (K x TILE) becomes phi of rows r < count <= TILE, and 0 beyond. values: count x V. */
static void gather(double *v, const double *values, size_t V, size_t count, const rvm_latent *f)
{
    const size_t bias = f->bias ? 1 : 0;

    for (size_t i = 0; i < f->count; i++)
        for (size_t r = 0; r < TILE; r++)
            v[i * TILE + r] = r >= count ? 0 : i < bias ? 1 : values[r * V + f->vector[i - bias]];
}

/* Latent function k at rows first .. first + count - 1 of the chunk, count <= TILE. */
static void fill_latent(const predictor *pr, size_t k, size_t first, size_t count)
{
    const size_t V = pr->m->vectors->rows, C = pr->m->latent_count;
    const rvm_latent *f = &pr->m->latent[k];
    double mean[TILE], variance[TILE] = { 0 };

    for (size_t r = 0; r < TILE; r++)
        mean[r] = f->bias_mean;
    gather(pr->v, pr->values + first * V, V, count, f);
    for (size_t i = 0; i < f->count; i++)
        for (size_t r = 0; r < TILE; r++)
            mean[r] += f->weight[i] * pr->v[i * TILE + r];
    substitute_forward(pr->v, f->factor, f->count);
    for (size_t i = 0; i < f->count; i++)
        for (size_t r = 0; r < TILE; r++)
            variance[r] += pr->v[i * TILE + r] * pr->v[i * TILE + r];
    for (size_t r = 0; r < count; r++) {
        pr->mean[(first + r) * C + k] = mean[r];
        pr->variance[(first + r) * C + k] = variance[r];
    }
}

static void fill_classes(rvm_prediction *out, size_t row, const predictor *pr, const double *mean,
                         const double *variance)
{
    const rvm_model *m = pr->m;
    double *p = out->probability + row * m->class_count;
    double *log_p = out->log_probability + row * m->class_count;
    size_t best = 0;

    if (m->class_count == 1) {
        p[0] = 1;
        log_p[0] = 0;
    } else if (m->class_count == 2) {
        rvm_probability_of_two(p, log_p, mean[0], variance[0], pr->mode);
        best = mean[0] >= 0 ? 0 : 1;
    } else {
        best = rvm_probability_of_many(p, log_p, mean, variance, m->class_count, pr->mode);
    }
    out->value[row] = m->label[best];
    out->variance[row] = variance[m->latent_count > 1 ? best : 0];
}

/* One row from its latent functions, which may have left the range of finite numbers. */
static rvm_status fill_row(rvm_prediction *out, size_t row, const predictor *pr, const double *mean,
                           double *variance, rvm_error *err)
{
    const rvm_model *m = pr->m;

    for (size_t k = 0; k < m->latent_count; k++) {
        variance[k] += m->noise_variance;
        if (!isfinite(mean[k]) || !isfinite(variance[k]))
            return rvm_fail_at(err, RVM_ENUMERIC, row + 1, 1,
                               "the prediction leaves the range of finite numbers");
    }
    if (m->task == RVM_CLASSIFICATION) {
        fill_classes(out, row, pr, mean, variance);
    } else {
        out->value[row] = mean[0];
        out->variance[row] = variance[0];
    }
    return RVM_OK;
}

/* Rows first .. first + count - 1 of out from the kernel values of the chunk. */
static rvm_status fill_rows(rvm_prediction *out, const predictor *pr, size_t first, size_t count,
                            rvm_error *err)
{
    const size_t C = pr->m->latent_count;
    rvm_status status = RVM_OK;

    for (size_t k = 0; k < C; k++)
        for (size_t r = 0; r < count; r += TILE)
            fill_latent(pr, k, r, GSL_MIN(TILE, count - r));
    for (size_t r = 0; status == RVM_OK && r < count; r++)
        status = fill_row(out, first + r, pr, pr->mean + r * C, pr->variance + r * C, err);
    return status;
}

/* Kernel values of rows first .. first + count - 1. */
static rvm_status fill_values(const predictor *pr, const rvm_problem *rows, size_t first,
                              size_t count, rvm_error *err)
{
    const size_t V = pr->m->vectors->rows;
    size_t id[CHUNK];

    if (V == 0)
        return RVM_OK;
    for (size_t r = 0; r < count; r++)
        id[r] = first + r;

    rvm_status status = RVM_ENOMEM;
    rvm_problem *chunk = rvm_problem_subset(rows, id, count);
    rvm_rows *x = chunk == NULL ? NULL : rvm_rows_alloc(chunk, &pr->m->kernel, pr->vectors);
    if (x != NULL) {
        gsl_matrix_view block = gsl_matrix_view_array(pr->values, count, V);
        status = rvm_kernel_rows(&block.matrix, &pr->m->kernel, x, pr->vectors, err);
    } else {
        rvm_fail_memory(err, "rows to predict");
    }
    rvm_rows_free(x);
    rvm_problem_free(chunk);
    return status;
}

/* CHUNK or TILE times count numbers; NULL without memory. */
static double *scratch(size_t times, size_t count)
{
    return count > SIZE_MAX / times ? NULL : rvm_array(times * count, sizeof(double));
}

static rvm_status predictor_init(predictor *pr, const rvm_model *m, bool mode, rvm_error *err)
{
    size_t K = 0;

    for (size_t k = 0; k < m->latent_count; k++)
        K = GSL_MAX(K, m->latent[k].count);
    *pr = (predictor){ .m = m, .mode = mode };
    pr->vectors = rvm_rows_alloc(m->vectors, &m->kernel, NULL);
    pr->values = scratch(CHUNK, m->vectors->rows);
    pr->v = scratch(TILE, K);
    pr->mean = scratch(CHUNK, m->latent_count);
    pr->variance = scratch(CHUNK, m->latent_count);
    if (pr->vectors == NULL || pr->values == NULL || pr->v == NULL || pr->mean == NULL ||
        pr->variance == NULL)
        return rvm_fail_memory(err, "prediction");
    return RVM_OK;
}

static void predictor_clear(predictor *pr)
{
    rvm_rows_free(pr->vectors);
    free(pr->values);
    free(pr->v);
    free(pr->mean);
    free(pr->variance);
}

rvm_status rvm_predict(rvm_prediction *out, const rvm_model *m, const rvm_problem *rows, bool mode,
                       rvm_error *err)
{
    predictor pr;

    rvm_status status = predictor_init(&pr, m, mode, err);
    if (status == RVM_OK && !rvm_prediction_resize(out, rows->rows, m->class_count))
        status = rvm_fail_memory(err, "predictions");
    for (size_t first = 0; status == RVM_OK && first < rows->rows; first += CHUNK) {
        const size_t count = GSL_MIN(CHUNK, rows->rows - first);

        status = fill_values(&pr, rows, first, count, err);
        if (status == RVM_OK)
            status = fill_rows(out, &pr, first, count, err);
    }
    predictor_clear(&pr);
    return status;
}
