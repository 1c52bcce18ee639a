/* Columns of chosen functions, read strip by strip of rows. */
#include "basis/columns.h"

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

rvm_status rvm_columns_init(rvm_columns *c, const rvm_basis *b, size_t capacity,
                            double kept_numbers, int threads, rvm_error *err)
{
    const double all = (double)capacity * (double)b->N;
    const size_t strip = b->N < RVM_STRIP ? b->N : RVM_STRIP;
    *c = (rvm_columns){ .basis = b, .capacity = capacity, .threads = threads };
    c->kept_numbers = (size_t)fmin(kept_numbers, all);
    c->id = rvm_array(capacity, sizeof *c->id);
    c->norm = rvm_array(capacity, sizeof *c->norm);
    c->scaled = gsl_matrix_alloc(capacity, strip);
    if (c->kept_numbers >= b->N)
        c->PhiT = gsl_matrix_alloc(c->kept_numbers / b->N, b->N);
    else
        c->strip = gsl_matrix_alloc(capacity, strip);
    if (c->id != NULL && c->norm != NULL && c->scaled != NULL &&
        (c->PhiT != NULL || c->strip != NULL))
        return RVM_OK;
    rvm_columns_free(c);
    return rvm_fail_memory(err, "the columns");
}

void rvm_columns_free(rvm_columns *c)
{
    free(c->id);
    free(c->norm);
    gsl_matrix_free(c->PhiT);
    gsl_matrix_free(c->strip);
    gsl_matrix_free(c->scaled);
    memset(c, 0, sizeof *c);
}

/* From here on columns are computed whenever they are wanted. */
static rvm_status give_up_memory(rvm_columns *c, rvm_error *err)
{
    gsl_matrix_free(c->PhiT);
    c->PhiT = NULL;
    c->strip = gsl_matrix_alloc(c->capacity, c->scaled->size2);
    return c->strip == NULL ? rvm_fail_memory(err, "the columns") : RVM_OK;
}

static void drop_zero_columns(rvm_columns *c, size_t added)
{
    const size_t first = c->count;
    for (size_t k = first; k < first + added; k++) {
        if (c->norm[k] <= 0)
            continue;
        if (k != c->count && c->PhiT != NULL) {
            gsl_vector_const_view from = gsl_matrix_const_row(c->PhiT, k);
            gsl_vector_view to = gsl_matrix_row(c->PhiT, c->count);
            gsl_vector_memcpy(&to.vector, &from.vector);
        }
        c->id[c->count] = c->id[k];
        c->norm[c->count++] = c->norm[k];
    }
}

rvm_status rvm_columns_append(rvm_columns *c, const size_t *id, size_t count, rvm_error *err)
{
    const size_t first = c->count;
    rvm_status status = RVM_OK;
    if (count == 0)
        return RVM_OK;
    if (c->PhiT != NULL && first + count > c->PhiT->size1)
        status = give_up_memory(c, err);
    if (status != RVM_OK)
        return status;
    memcpy(c->id + first, id, count * sizeof *id);
    if (c->PhiT != NULL) {
        gsl_matrix_view block = gsl_matrix_submatrix(c->PhiT, first, 0, count, c->PhiT->size2);
        status =
            rvm_basis_columns(&block.matrix, c->norm + first, c->basis, id, count, c->threads, err);
    } else {
        status = rvm_basis_project(c->norm + first, NULL, NULL, c->basis, id, count, NULL, NULL,
                                   c->threads, err);
    }
    if (status == RVM_OK)
        drop_zero_columns(c, count);
    return status;
}

void rvm_columns_keep(rvm_columns *c, const size_t *keep, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (keep[k] == k)
            continue;
        c->id[k] = c->id[keep[k]];
        c->norm[k] = c->norm[keep[k]];
        if (c->PhiT == NULL)
            continue;
        gsl_vector_const_view from = gsl_matrix_const_row(c->PhiT, keep[k]);
        gsl_vector_view to = gsl_matrix_row(c->PhiT, k);
        gsl_vector_memcpy(&to.vector, &from.vector);
    }
    c->count = count;
}

static size_t strip_rows(const rvm_columns *c, size_t first)
{
    return c->basis->N - first < RVM_STRIP ? c->basis->N - first : RVM_STRIP;
}

rvm_status rvm_columns_strip(gsl_matrix_view *out, rvm_columns *c, size_t first, rvm_error *err)
{
    const size_t rows = strip_rows(c, first);
    if (c->PhiT != NULL) {
        *out = gsl_matrix_submatrix(c->PhiT, 0, first, c->count, rows);
        return RVM_OK;
    }
    *out = gsl_matrix_submatrix(c->strip, 0, 0, c->count, rows);
    return rvm_basis_strip(&out->matrix, c->norm, c->basis, c->id, c->count, first, c->threads,
                           err);
}

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
    if (curvature == NULL || N < MANY_ROWS)
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
static gsl_matrix_view scale_rows(rvm_columns *c, const gsl_matrix *strip, thinning *thin,
                                  const double *curvature)
{
    size_t row[RVM_STRIP];
    double root[RVM_STRIP];
    const size_t rows = choose_rows(row, root, thin, curvature, strip->size2), K = strip->size1;
    gsl_matrix_view out = gsl_matrix_submatrix(c->scaled, 0, 0, K, rows > 0 ? rows : 1);
    if (rows == 0) {
        gsl_matrix_set_zero(&out.matrix);
        return out;
    }
    scale_job job = { &out.matrix, strip, row, root, rows };
    rvm_share((K + SCALED_TOGETHER - 1) / SCALED_TOGETHER, scale_piece, &job,
              K * rows > WORTH_A_TEAM ? c->threads : 1, NULL);
    return out;
}

/* ---- Sums over rows ------------------------------------------------------------------------- */

rvm_status rvm_columns_gram(gsl_matrix *G, double *p, rvm_columns *c, size_t first,
                            const double *curvature, const double *z, rvm_error *err)
{
    const size_t added = c->count - first;
    thinning thin = thin_out(curvature, c->basis->N);
    rvm_status status = RVM_OK;
    if (added == 0)
        return RVM_OK;
    gsl_matrix_view corner = gsl_matrix_submatrix(G, 0, 0, c->count, c->count);
    gsl_vector_view sums = gsl_vector_view_array(p + first, added);
    gsl_vector_set_zero(&sums.vector);
    for (size_t at = 0; at < c->basis->N && status == RVM_OK; at += RVM_STRIP) {
        gsl_matrix_view strip;
        if (rvm_interrupted(c->interrupted))
            return rvm_fail_interrupted(err);
        status = rvm_columns_strip(&strip, c, at, err);
        if (status != RVM_OK)
            break;
        const size_t rows = strip.matrix.size2;
        gsl_matrix_view fresh = gsl_matrix_submatrix(&strip.matrix, first, 0, added, rows);
        gsl_vector_const_view target = gsl_vector_const_view_array(z + at, rows);
        gsl_blas_dgemv(CblasNoTrans, 1, &fresh.matrix, &target.vector, 1, &sums.vector);
        if (curvature != NULL)
            strip = scale_rows(c, &strip.matrix, &thin, curvature + at);
        rvm_gram_add(&corner.matrix, &strip.matrix, first, at == 0, c->threads);
    }
    rvm_gram_mirror(&corner.matrix, first);
    return status;
}

static void apply_strip(double *f, const gsl_matrix *strip, const double *w)
{
    gsl_vector_view out = gsl_vector_view_array(f, strip->size2);
    gsl_vector_const_view weights = gsl_vector_const_view_array(w, strip->size1);
    gsl_blas_dgemv(CblasTrans, 1, strip, &weights.vector, 0, &out.vector);
}

/* Borrowed. */
typedef struct {
    double *f;
    const rvm_columns *c;
    const double *w;
} apply_job;

static rvm_status apply_piece(void *context, size_t s, int worker, rvm_error *err)
{
    const apply_job *j = context;
    const size_t at = s * RVM_STRIP;
    gsl_matrix_const_view strip =
        gsl_matrix_const_submatrix(j->c->PhiT, 0, at, j->c->count, strip_rows(j->c, at));
    (void)worker, (void)err;
    apply_strip(j->f + at, &strip.matrix, j->w);
    return RVM_OK;
}

rvm_status rvm_columns_apply(double *f, rvm_columns *c, const double *w, rvm_error *err)
{
    const size_t N = c->basis->N, strips = (N + RVM_STRIP - 1) / RVM_STRIP;
    rvm_status status = RVM_OK;
    if (c->count == 0) {
        memset(f, 0, N * sizeof *f);
        return RVM_OK;
    }
    if (c->PhiT == NULL) {
        for (size_t at = 0; at < N && status == RVM_OK; at += RVM_STRIP) {
            gsl_matrix_view strip;
            status = rvm_columns_strip(&strip, c, at, err);
            if (status == RVM_OK)
                apply_strip(f + at, &strip.matrix, w);
        }
        return status;
    }
    apply_job job = { f, c, w };
    return rvm_share(strips, apply_piece, &job, c->count * N > WORTH_A_TEAM ? c->threads : 1, err);
}

rvm_columns rvm_columns_of_design(const rvm_design *d)
{
    return (rvm_columns){ .count = d->count,
                          .capacity = d->count,
                          .id = d->id,
                          .norm = d->norm,
                          .PhiT = d->PhiT,
                          .threads = 1 };
}

rvm_status rvm_columns_pick(gsl_matrix *out, const rvm_columns *c, const rvm_basis *basis,
                            const size_t *column, size_t first, rvm_error *err)
{
    const size_t K = out->size1;
    if (c->PhiT != NULL && c->PhiT->size2 == basis->N && (c->basis == NULL || c->basis == basis)) {
        for (size_t k = 0; k < K; k++)
            memcpy(gsl_matrix_ptr(out, k, 0), gsl_matrix_const_ptr(c->PhiT, column[k], first),
                   out->size2 * sizeof(double));
        return RVM_OK;
    }
    size_t *id = rvm_array(K, sizeof *id);
    double *norm = rvm_array(K, sizeof *norm);
    rvm_status status = RVM_OK;
    if (id == NULL || norm == NULL)
        status = rvm_fail_memory(err, "the columns");
    for (size_t k = 0; k < K && status == RVM_OK; k++) {
        id[k] = c->id[column[k]];
        norm[k] = c->norm[column[k]];
    }
    if (status == RVM_OK)
        status = rvm_basis_strip(out, norm, basis, id, K, first, c->threads, err);
    free(id);
    free(norm);
    return status;
}
