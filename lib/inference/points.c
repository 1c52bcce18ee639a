/* The points of a sparse Gaussian process, and rows as they are seen from them. */
#include "inference/points.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/linalg.h"
#include "base/parallel.h"
#include "data/problem.h"

/* Of the mean diagonal of K_ZZ; where rounding still leaves it indefinite, so many times more. */
static const double first_jitter = 1e-8, more_jitter = 100, most_jitter = 1e-2;

rvm_status rvm_points_init(rvm_points *z, const rvm_problem *rows, const rvm_problem *points,
                           int threads, rvm_error *err)
{
    *z = (rvm_points){
        .rows = rows, .points = points, .N = rows->rows, .K = points->rows, .threads = threads
    };
    z->spans = rvm_problem_spans(rows);
    z->diagonal = rvm_array(z->N, sizeof *z->diagonal);
    z->values = gsl_matrix_alloc(z->K, z->K);
    z->L = gsl_matrix_alloc(z->K, z->K);
    if (z->diagonal != NULL && z->values != NULL && z->L != NULL)
        return RVM_OK;
    rvm_points_free(z);
    return rvm_fail_memory(err, "the points of the process");
}

void rvm_points_free(rvm_points *z)
{
    rvm_kernel_rows_free(z->row);
    rvm_kernel_rows_free(z->point);
    free(z->diagonal);
    gsl_matrix_free(z->values);
    gsl_matrix_free(z->L);
    *z = (rvm_points){ 0 };
}

static rvm_status lay_out(rvm_points *z, rvm_error *err)
{
    rvm_kernel_rows_free(z->row);
    rvm_kernel_rows_free(z->point);
    z->point = NULL;
    z->row = rvm_kernel_rows_alloc(z->rows, &z->kernel, NULL);
    if (z->row != NULL)
        z->point = rvm_kernel_rows_alloc(z->points, &z->kernel, z->row);
    return z->point == NULL ? rvm_fail_memory(err, "the rows") : RVM_OK;
}

/* A row with itself, also where the values are the file's. */
static rvm_status check_diagonal(rvm_points *z, size_t n, rvm_error *err)
{
    gsl_matrix_view one = gsl_matrix_view_array(&z->diagonal[n], 1, 1);
    if (z->kernel.type == RVM_PRECOMPUTED) {
        const rvm_status status =
            rvm_kernel_block(&one.matrix, &z->kernel, z->row, &n, z->row, n, err);
        if (status != RVM_OK)
            return status;
    }
    if (!isfinite(z->diagonal[n]))
        return rvm_fail(err, RVM_ENUMERIC,
                        "kernel values leave the range of finite numbers: scale the data");
    if (z->diagonal[n] >= 0)
        return RVM_OK;
    return rvm_fail(err, RVM_ENUMERIC,
                    "the kernel's values are no covariance: a row with itself has %g",
                    z->diagonal[n]);
}

/* The diagonal of a span, and its part of the mean. */
static rvm_status fill_span(void *context, size_t first, size_t rows, double *mean, int worker,
                            rvm_error *err)
{
    rvm_points *z = context;
    rvm_status status = RVM_OK;
    (void)worker;
    if (z->kernel.type != RVM_PRECOMPUTED)
        rvm_kernel_diagonal(z->diagonal + first, &z->kernel, z->row, first, rows);
    for (size_t n = first; n < first + rows && status == RVM_OK; n++) {
        status = check_diagonal(z, n, err);
        *mean += z->diagonal[n] / (double)z->spans.N;
    }
    return status;
}

/* L, with the least jitter that makes K_ZZ definite to working precision. Of a kernel that is 0, as
 * one without any input that counts may be, it is jitter alone, and the process nothing. */
static rvm_status factor(rvm_points *z, rvm_error *err)
{
    double mean = 0;
    for (size_t i = 0; i < z->K; i++)
        mean += gsl_matrix_get(z->values, i, i) / (double)z->K;
    if (mean == 0)
        mean = 1;
    for (double share = first_jitter; share <= most_jitter; share *= more_jitter) {
        gsl_matrix_memcpy(z->L, z->values);
        for (size_t i = 0; i < z->K; i++)
            *gsl_matrix_ptr(z->L, i, i) += share * mean;
        z->jitter = share * mean;
        if (rvm_cholesky(z->L, z->threads))
            return RVM_OK;
    }
    return rvm_fail(err, RVM_ENUMERIC, "the kernel's values are no covariance");
}

double rvm_points_scale(const rvm_points *z)
{
    return z->scale > 0 ? z->scale : 1;
}

/* K_ZZ and its factor, which are to have the same bits on unlike processors. */
static rvm_status place_points(rvm_points *z, rvm_error *err)
{
    rvm_team *team = z->spans.team;
    rvm_status status = rvm_kernel_block(z->values, &z->kernel, z->point, NULL, z->point, 0, err);
    if (status == RVM_OK)
        status = factor(z, err);
    status = rvm_team_agree(team, status, err);
    if (status != RVM_OK)
        return status;
    rvm_team_same(team, &z->jitter, sizeof z->jitter);
    rvm_team_same(team, z->L->data, z->K * z->K * sizeof *z->L->data);
    return RVM_OK;
}

rvm_status rvm_points_place(rvm_points *z, const rvm_kernel *kernel, rvm_error *err)
{
    z->kernel = *kernel;
    rvm_status status = rvm_team_agree(z->spans.team, lay_out(z, err), err);
    if (status == RVM_OK)
        status = rvm_spans_fold(&z->scale, 1, &z->spans, fill_span, NULL, z, 1, err);
    return status == RVM_OK ? place_points(z, err) : status;
}

rvm_status rvm_points_values(gsl_matrix *PT, const rvm_points *z, size_t first, rvm_error *err)
{
    return rvm_kernel_block(PT, &z->kernel, z->point, NULL, z->row, first, err);
}

void rvm_points_whiten(gsl_matrix *VT, const rvm_points *z)
{
    gsl_blas_dtrsm(CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, 1, z->L, VT);
}

/* ---- Strips of rows -------------------------------------------------------------------------- */

gsl_matrix_view rvm_points_piece(gsl_matrix *A, size_t count, size_t number)
{
    const size_t at = number * RVM_POINTS_PIECE;
    return gsl_matrix_submatrix(A, 0, at, A->size1, GSL_MIN(RVM_POINTS_PIECE, count - at));
}

/* Borrowed. */
typedef struct {
    gsl_matrix *VT, *PT;
    double *residual;
    const rvm_points *z;
    size_t first, count;
    const volatile int *interrupted;
} strip;

/* residual = k - q = k(x,x) - |psi|^2 */
static void subtract_explained(double *residual, const gsl_matrix *VT)
{
    for (size_t k = 0; k < VT->size1; k++) {
        const double *v = gsl_matrix_const_ptr(VT, k, 0);
        for (size_t n = 0; n < VT->size2; n++)
            residual[n] -= v[n] * v[n];
    }
}

static rvm_status strip_piece(void *context, size_t number, int worker, rvm_error *err)
{
    const strip *s = context;
    const size_t at = number * RVM_POINTS_PIECE, first = s->first + at;
    gsl_matrix_view V = rvm_points_piece(s->VT, s->count, number);
    (void)worker;
    if (rvm_interrupted(s->interrupted))
        return rvm_fail_interrupted(err);
    const rvm_status status = rvm_points_values(&V.matrix, s->z, first, err);
    if (status != RVM_OK)
        return status;
    if (s->PT != NULL) {
        gsl_matrix_view P = rvm_points_piece(s->PT, s->count, number);
        gsl_matrix_memcpy(&P.matrix, &V.matrix);
    }
    rvm_points_whiten(&V.matrix, s->z);
    memcpy(s->residual + at, s->z->diagonal + first, V.matrix.size2 * sizeof *s->residual);
    subtract_explained(s->residual + at, &V.matrix);
    return RVM_OK;
}

rvm_status rvm_points_strip(gsl_matrix *VT, gsl_matrix *PT, double *residual, const rvm_points *z,
                            size_t first, size_t count, const volatile int *interrupted,
                            rvm_error *err)
{
    gsl_matrix_view V = gsl_matrix_submatrix(VT, 0, 0, z->K, count);
    strip s = { &V.matrix, PT, residual, z, first, count, interrupted };
    return rvm_share(rvm_points_pieces(count), strip_piece, &s, z->threads, err);
}

/* q <= k of every row of a covariance; of others q has no bound. */
static const double most_excess = 0.01;

rvm_status rvm_points_check(const rvm_points *z, rvm_error *err)
{
    enum { SOME = 8 * RVM_POINTS_PIECE };
    const double least = -most_excess * rvm_points_scale(z);
    double residual[SOME];
    gsl_matrix *V = gsl_matrix_alloc(z->K, SOME);
    rvm_status status = V == NULL ? rvm_fail_memory(err, "the points of the process") : RVM_OK;
    for (size_t first = 0; first < z->N && status == RVM_OK; first += SOME) {
        const size_t count = GSL_MIN(SOME, z->N - first);
        status = rvm_points_strip(V, NULL, residual, z, first, count, NULL, err);
        for (size_t n = 0; n < count && status == RVM_OK; n++)
            if (residual[n] < least)
                status = rvm_fail(err, RVM_ENUMERIC, "the kernel's values are no covariance");
    }
    gsl_matrix_free(V);
    return rvm_team_agree(z->spans.team, status, err);
}

/* ---- Further points -------------------------------------------------------------------------- */

/* Of the kernel's value of a row with itself, and of the jitter, which is what is left of a point:
 * with less, a row is as good as a point. */
static const double least_left = 1e-6, least_jitters = 10;

/* All rows, whitened: borrowed. */
typedef struct {
    const rvm_points *z;
    const double *weight;
    double enough;
    gsl_matrix *V;    /* K x N */
    double *residual; /* N */
} whole;

/* The row of which most is left, by weight; N where none has enough. */
static size_t least_known(const whole *w)
{
    const double least = fmax(w->enough, least_jitters * w->z->jitter);
    double most = 0;
    size_t best = w->z->N;
    for (size_t n = 0; n < w->z->N; n++) {
        const double left = w->residual[n] * w->weight[n];
        if (left > most && w->residual[n] > fmax(least, least_left * w->z->diagonal[n])) {
            most = left;
            best = n;
        }
    }
    return best;
}

/* Row `rank` of V: (k(x_j, x) - sum over the rows above of V_j V) / sqrt(residual_j). */
static rvm_status add_pivot(const whole *w, size_t j, size_t rank, rvm_error *err)
{
    const rvm_points *z = w->z;
    gsl_matrix_view row = gsl_matrix_submatrix(w->V, rank, 0, 1, z->N);
    const rvm_status status = rvm_kernel_block(&row.matrix, &z->kernel, z->row, &j, z->row, 0, err);
    if (status != RVM_OK)
        return status;
    gsl_vector_view v = gsl_matrix_row(w->V, rank);
    if (rank > 0) {
        gsl_matrix_const_view above = gsl_matrix_const_submatrix(w->V, 0, 0, rank, z->N);
        gsl_vector_const_view at = gsl_matrix_const_subcolumn(w->V, j, 0, rank);
        gsl_blas_dgemv(CblasTrans, -1, &above.matrix, &at.vector, 1, &v.vector);
    }
    gsl_vector_scale(&v.vector, 1 / sqrt(w->residual[j]));
    for (size_t n = 0; n < z->N; n++) {
        const double x = gsl_vector_get(&v.vector, n);
        w->residual[n] = n == j ? 0 : fmax(w->residual[n] - x * x, 0);
    }
    return RVM_OK;
}

rvm_status rvm_points_choose(size_t *chosen, size_t *count, const rvm_points *z,
                             const double *weight, double enough, size_t most,
                             const volatile int *interrupted, rvm_error *err)
{
    whole w = { z, weight, enough, gsl_matrix_alloc(z->K + most + 1, z->N),
                rvm_array(z->N, sizeof *w.residual) };
    rvm_status status = RVM_OK;
    *count = 0;
    if (w.V == NULL || w.residual == NULL)
        status = rvm_fail_memory(err, "the points of the process");
    else
        status = rvm_points_strip(w.V, NULL, w.residual, z, 0, z->N, interrupted, err);
    while (status == RVM_OK && *count < most) {
        const size_t j = least_known(&w);
        if (j == z->N)
            break;
        if (rvm_interrupted(interrupted)) {
            status = rvm_fail_interrupted(err);
            break;
        }
        status = add_pivot(&w, j, z->K + *count, err);
        chosen[(*count)++] = j;
    }
    gsl_matrix_free(w.V);
    free(w.residual);
    return status;
}
