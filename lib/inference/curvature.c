/* The Gram matrix of columns in the metric of the curvature of a likelihood. */
#include "inference/curvature.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_math.h>
#include <math.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/linalg.h"
#include "base/parallel.h"

/* ---- Rows of little curvature --------------------------------------------------------------- */

enum {
    MANY_ROWS = 20000, /* from which on rows are thinned out */
    ONE_IN = 8,
    WORTH_A_TEAM = 1000000, /* numbers of a strip from which on threads share its scaling, */
    SCALED_TOGETHER = 32    /* so many columns at a time */
};

/* Curvature, against its mean, below which it is little: all such rows together have less than
 * that share of the whole. */
static const double little = 0.1;

/* Where most rows are far from the boundary of two classes, most rows have next to no curvature,
 * and one in eight of them, eight times over, says as much. */
typedef struct {
    double cut;
    size_t passed; /* rows of little curvature so far */
} thinning;

static thinning thin_out(const double *curvature, size_t N)
{
    double sum = 0;
    if (N < MANY_ROWS)
        return (thinning){ 0, 0 };
    for (size_t n = 0; n < N; n++)
        sum += curvature[n];
    return (thinning){ little * sum / (double)N, 0 };
}

/* The rows of a strip that count, and the root of what each counts for; returns how many. */
static size_t choose_rows(size_t *row, double *root, thinning *thin, const double *curvature,
                          size_t rows)
{
    size_t count = 0;
    for (size_t n = 0; n < rows; n++) {
        double weight = curvature[n];
        if (weight < thin->cut) {
            if (thin->passed++ % ONE_IN != 0)
                continue;
            weight *= ONE_IN;
        }
        row[count] = n;
        root[count++] = sqrt(weight);
    }
    return count;
}

/* Borrowed. */
typedef struct {
    gsl_matrix *out;
    const gsl_matrix *strip;
    const size_t *row;
    const double *root;
    size_t rows;
} scale_job;

static rvm_status scale_piece(void *context, size_t piece, int worker, rvm_error *err)
{
    const scale_job *j = context;
    const size_t end = GSL_MIN((piece + 1) * SCALED_TOGETHER, j->strip->size1);
    (void)worker, (void)err;
    for (size_t i = piece * SCALED_TOGETHER; i < end; i++) {
        const double *from = gsl_matrix_const_ptr(j->strip, i, 0);
        double *to = gsl_matrix_ptr(j->out, i, 0);
        for (size_t n = 0; n < j->rows; n++)
            to[n] = from[j->row[n]] * j->root[n];
    }
    return RVM_OK;
}

/* Those rows of the strip, times the root of the curvature. */
static gsl_matrix_view scale_rows(gsl_matrix *scaled, const gsl_matrix *strip, thinning *thin,
                                  const double *curvature, int threads)
{
    size_t row[RVM_STRIP];
    double root[RVM_STRIP];
    const size_t rows = choose_rows(row, root, thin, curvature, strip->size2), K = strip->size1;
    gsl_matrix_view out = gsl_matrix_submatrix(scaled, 0, 0, K, rows > 0 ? rows : 1);
    if (rows == 0) {
        gsl_matrix_set_zero(&out.matrix);
        return out;
    }
    scale_job job = { &out.matrix, strip, row, root, rows };
    rvm_share((K + SCALED_TOGETHER - 1) / SCALED_TOGETHER, scale_piece, &job,
              K * rows > WORTH_A_TEAM ? threads : 1, NULL);
    return out;
}

/* ---- The sum -------------------------------------------------------------------------------- */

rvm_status rvm_curvature_gram(gsl_matrix *G, double *p, rvm_columns *c, gsl_matrix *scaled,
                              const double *curvature, const double *z, bool thin, rvm_error *err)
{
    thinning thinned = thin ? thin_out(curvature, c->N) : (thinning){ 0, 0 };
    if (c->count == 0)
        return RVM_OK;
    gsl_matrix_view corner = gsl_matrix_submatrix(G, 0, 0, c->count, c->count);
    gsl_vector_view sums = gsl_vector_view_array(p, c->count);
    gsl_vector_set_zero(&sums.vector);
    for (size_t at = 0; at < c->N; at += RVM_STRIP) {
        gsl_matrix_view strip;
        if (rvm_interrupted(c->interrupted))
            return rvm_fail_interrupted(err);
        const rvm_status status = rvm_columns_strip(&strip, c, at, err);
        if (status != RVM_OK)
            return status;
        gsl_vector_const_view target = gsl_vector_const_view_array(z + at, strip.matrix.size2);
        gsl_blas_dgemv(CblasNoTrans, 1, &strip.matrix, &target.vector, 1, &sums.vector);
        strip = scale_rows(scaled, &strip.matrix, &thinned, curvature + at, c->threads);
        rvm_gram_add(&corner.matrix, &strip.matrix, 0, at == 0, c->threads);
    }
    rvm_gram_mirror(&corner.matrix, 0);
    return RVM_OK;
}
