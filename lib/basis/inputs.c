/* The inputs of a problem, and a derivative by their weights. */
#include "basis/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/problem.h"

/* ---- Inputs --------------------------------------------------------------------------------- */

/* Both lists of features ascend. */
static void fill_values(rvm_inputs *in, const rvm_problem *p)
{
    gsl_matrix_set_zero(in->X);
    for (size_t n = 0; n < p->rows; n++)
        for (size_t k = p->start[n], j = 0; k < p->start[n + 1]; k++) {
            while (in->index[j] != p->index[k])
                j++;
            gsl_matrix_set(in->X, j, n, p->value[k]);
        }
}

/* Standard deviation of N numbers, divided first by the largest so that squares stay finite. */
static double spread_of(const double *x, size_t N)
{
    double least = x[0], most = x[0], sum = 0, squares = 0;
    for (size_t n = 0; n < N; n++) {
        least = fmin(least, x[n]);
        most = fmax(most, x[n]);
    }
    const double middle = least / 2 + most / 2, half = most / 2 - least / 2;
    if (!(half > 0))
        return 0;
    for (size_t n = 0; n < N; n++) {
        const double y = (x[n] - middle) / half;
        sum += y;
        squares += y * y;
    }
    sum /= (double)N;
    return half * sqrt(fmax(squares / (double)N - sum * sum, 0));
}

/* Leaves out those that are constant. */
static void keep_varied(rvm_inputs *in)
{
    size_t kept = 0;
    for (size_t j = 0; j < in->count; j++) {
        const double spread = spread_of(gsl_matrix_const_ptr(in->X, j, 0), in->N);
        if (!(spread > 0))
            continue;
        in->index[kept] = in->index[j];
        in->spread[kept] = spread;
        if (kept < j)
            memcpy(gsl_matrix_ptr(in->X, kept, 0), gsl_matrix_const_ptr(in->X, j, 0),
                   in->N * sizeof(double));
        kept++;
    }
    in->count = kept;
}

rvm_status rvm_inputs_init(rvm_inputs *in, const rvm_problem *p, rvm_error *err)
{
    memset(in, 0, sizeof *in);
    in->N = p->rows;
    if (!rvm_problem_features(&in->index, &in->count, p))
        return rvm_fail_memory(err, "the inputs");
    in->spread = rvm_array(in->count, sizeof *in->spread);
    if (in->count > 0)
        in->X = gsl_matrix_alloc(in->count, in->N);
    if (in->spread == NULL || (in->count > 0 && in->X == NULL)) {
        rvm_inputs_free(in);
        return rvm_fail_memory(err, "the inputs");
    }
    if (in->count > 0) {
        fill_values(in, p);
        keep_varied(in);
    }
    return RVM_OK;
}

void rvm_inputs_free(rvm_inputs *in)
{
    free(in->index);
    free(in->spread);
    gsl_matrix_free(in->X);
    memset(in, 0, sizeof *in);
}

/* ---- Derivative ----------------------------------------------------------------------------- */

double rvm_inputs_combine(rvm_combination by, const double *g, const double *x, double z, size_t N)
{
    double sum = 0;
    if (by == RVM_BY_PRODUCTS) {
#pragma omp simd reduction(+ : sum)
        for (size_t n = 0; n < N; n++)
            sum += g[n] * x[n];
        return sum * z;
    }
    if (by == RVM_BY_DISTANCES) {
#pragma omp simd reduction(+ : sum)
        for (size_t n = 0; n < N; n++)
            sum += g[n] * fabs(x[n] - z);
        return sum;
    }
#pragma omp simd reduction(+ : sum)
    for (size_t n = 0; n < N; n++)
        sum += g[n] * (x[n] - z) * (x[n] - z);
    return sum;
}

rvm_status rvm_inputs_gradient(double *gradient, const rvm_inputs *in, const double *eta,
                               const gsl_matrix *G, gsl_matrix *scratch, const rvm_kernel *kernel,
                               const rvm_kernel_rows *rows, rvm_error *err)
{
    const rvm_combination by = rvm_kernel_combination(kernel->type);
    const rvm_status status = rvm_kernel_derivative(scratch, kernel, rows, NULL, rows, 0, err);
    if (status != RVM_OK)
        return status;
    memset(gradient, 0, in->count * sizeof *gradient);
    /* G, K' and c are symmetric: the lower triangle counts twice, the diagonal once. */
    for (size_t i = 0; i < in->N; i++) {
        const double *pull = gsl_matrix_const_ptr(G, i, 0);
        double *g = gsl_matrix_ptr(scratch, i, 0);
        for (size_t n = 0; n <= i; n++)
            g[n] *= n < i ? 2 * pull[n] : pull[n];
        for (size_t j = 0; j < in->count; j++) {
            const double *x = gsl_matrix_const_ptr(in->X, j, 0);
            if (eta[j] > 0)
                gradient[j] += eta[j] * rvm_inputs_combine(by, g, x, x[i], i + 1);
        }
    }
    return RVM_OK;
}
