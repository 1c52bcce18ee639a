/* Level 5: prediction.
 *
 *   phi     K            basis functions at one row: 1 for the bias, then K(x, vector i)
 *   mu, R   K, K x K     posterior mean of the weights; Sigma = (R'R)^-1, R upper triangular
 *   f       mean         bias_mean + mu' phi
 *   s2      variance     phi' Sigma phi = |v|^2 with R' v = phi, by forward substitution
 *
 * Regression adds the noise: the target is N(f, s2 + sigma^2).  In classification f is the log-odds
 * of the first class, normal with variance s2; averaging the logistic function over it gives
 *
 *     p(first class) ~ 1 / (1 + exp(-kappa f)),    kappa = (1 + pi s2 / 8)^(-1/2)
 *
 * (MacKay 1992, The evidence framework applied to classification networks).
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
#include "problem.h"

enum {
    CHUNK = 64, /* rows whose kernel values are held at a time */
    TILE = 8,   /* rows solved together: R is read once for them all, and they are one vector */
    DEPTH = 16  /* rows of R that are applied together */
};

/* Scratch of one prediction. */
typedef struct {
    const rvm_model *m; /* borrowed */
    rvm_rows *vectors;  /* owned */
    double *Phi;        /* owned, CHUNK x K */
    double *v;          /* owned, K x TILE */
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

static double latent_mean(const rvm_model *m, const double *phi)
{
    double f = m->bias_mean;

    for (size_t i = 0; i < m->function_count; i++)
        f += m->weight[i] * phi[i];
    return f;
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

/* variance[r] = phi' Sigma phi for rows r < count <= TILE of Phi (count x K). */
static void latent_variances(double *variance, double *v, const double *Phi, size_t count,
                             const rvm_model *m)
{
    const size_t K = m->function_count;

    for (size_t i = 0; i < K; i++)
        for (size_t r = 0; r < TILE; r++)
            v[i * TILE + r] = r < count ? Phi[r * K + i] : 0;
    substitute_forward(v, m->factor, K);
    for (size_t r = 0; r < count; r++) {
        double sum = 0;

        for (size_t i = 0; i < K; i++)
            sum += v[i * TILE + r] * v[i * TILE + r];
        variance[r] = sum;
    }
}

/* Two classes: probabilities and their logarithms from the log-odds q of the first, without
 * overflow or loss of digits in either tail. */
static void set_two_classes(double *p, double *log_p, double q)
{
    const double e = exp(-fabs(q));
    const size_t likely = q >= 0 ? 0 : 1;

    p[likely] = 1 / (1 + e);
    p[1 - likely] = e / (1 + e);
    log_p[likely] = -log1p(e);
    log_p[1 - likely] = -fabs(q) - log1p(e);
}

static void set_classes(rvm_prediction *out, size_t row, const rvm_model *m, double f, bool mode)
{
    double *p = out->probability + row * m->class_count;
    double *log_p = out->log_probability + row * m->class_count;
    const double kappa = mode ? 1 : 1 / sqrt(1 + M_PI * out->variance[row] / 8);

    out->value[row] = m->label[f >= 0 || m->class_count == 1 ? 0 : 1];
    if (m->class_count == 1) {
        p[0] = 1;
        log_p[0] = 0;
    } else {
        set_two_classes(p, log_p, kappa * f);
    }
}

/* Rows first .. first + count - 1 of out from their basis functions in pr->Phi. */
static rvm_status fill_rows(rvm_prediction *out, const predictor *pr, size_t first, size_t count,
                            rvm_error *err)
{
    const rvm_model *m = pr->m;
    const size_t K = m->function_count;

    for (size_t r = 0; r < count; r++)
        out->value[first + r] = latent_mean(m, pr->Phi + r * K);
    for (size_t r = 0; r < count; r += TILE)
        latent_variances(out->variance + first + r, pr->v, pr->Phi + r * K,
                         GSL_MIN(TILE, count - r), m);
    for (size_t r = 0; r < count; r++) {
        const size_t row = first + r;
        const double f = out->value[row];

        out->variance[row] += m->noise_variance;
        if (!isfinite(f) || !isfinite(out->variance[row]))
            return rvm_fail_at(err, RVM_ENUMERIC, row + 1, 1,
                               "the prediction leaves the range of finite numbers");
        if (m->task == RVM_CLASSIFICATION)
            set_classes(out, row, m, f, pr->mode);
    }
    return RVM_OK;
}

/* Phi of rows first .. first + count - 1. */
static rvm_status fill_basis(const predictor *pr, const rvm_problem *rows, size_t first,
                             size_t count, rvm_error *err)
{
    const rvm_model *m = pr->m;
    const size_t K = m->function_count, bias = m->bias ? 1 : 0;
    size_t id[CHUNK];

    for (size_t r = 0; r < count; r++) {
        id[r] = first + r;
        if (m->bias)
            pr->Phi[r * K] = 1;
    }
    if (m->vectors->rows == 0)
        return RVM_OK;

    rvm_status status = RVM_ENOMEM;
    rvm_problem *chunk = rvm_problem_subset(rows, id, count);
    rvm_rows *x = chunk == NULL ? NULL : rvm_rows_alloc(chunk, &m->kernel, pr->vectors);
    if (x != NULL) {
        gsl_matrix_view block =
            gsl_matrix_view_array_with_tda(pr->Phi + bias, count, m->vectors->rows, K);
        status = rvm_kernel_rows(&block.matrix, &m->kernel, x, pr->vectors, err);
    } else {
        rvm_fail_memory(err, "rows to predict");
    }
    rvm_rows_free(x);
    rvm_problem_free(chunk);
    return status;
}

static rvm_status predictor_init(predictor *pr, const rvm_model *m, bool mode, rvm_error *err)
{
    const size_t K = m->function_count;

    *pr = (predictor){ .m = m, .mode = mode };
    pr->vectors = rvm_rows_alloc(m->vectors, &m->kernel, NULL);
    pr->Phi = K > SIZE_MAX / CHUNK ? NULL : rvm_array(CHUNK * K, sizeof(double));
    pr->v = K > SIZE_MAX / TILE ? NULL : rvm_array(TILE * K, sizeof(double));
    if (pr->vectors == NULL || pr->Phi == NULL || pr->v == NULL)
        return rvm_fail_memory(err, "prediction");
    return RVM_OK;
}

static void predictor_clear(predictor *pr)
{
    rvm_rows_free(pr->vectors);
    free(pr->Phi);
    free(pr->v);
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

        status = fill_basis(&pr, rows, first, count, err);
        if (status == RVM_OK)
            status = fill_rows(out, &pr, first, count, err);
    }
    predictor_clear(&pr);
    return status;
}
