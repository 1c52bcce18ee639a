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

/* Numbers of all columns from which on threads share a sum over rows. */
enum { WORTH_A_TEAM = 1000000 };

rvm_status rvm_columns_init(rvm_columns *c, const rvm_basis *b, size_t capacity,
                            double kept_numbers, int threads, rvm_error *err)
{
    const size_t N = GSL_MAX(rvm_spans_largest(&b->spans), 1); /* all keep columns, or none does */
    const double all = (double)capacity * (double)N;
    *c = (rvm_columns){ .basis = *b, .N = b->N, .capacity = capacity, .threads = threads };
    c->interrupted = b->interrupted;
    c->kept_numbers = (size_t)fmin(kept_numbers, all);
    c->id = rvm_array(capacity, sizeof *c->id);
    c->norm = rvm_array(capacity, sizeof *c->norm);
    if (c->kept_numbers >= N)
        c->PhiT = gsl_matrix_alloc(c->kept_numbers / N, b->N);
    else
        c->strip = gsl_matrix_alloc(capacity, GSL_MIN(b->N, RVM_STRIP));
    if (c->id != NULL && c->norm != NULL && (c->PhiT != NULL || c->strip != NULL))
        return RVM_OK;
    rvm_columns_free(c);
    return rvm_fail_memory(err, "the columns");
}

rvm_status rvm_columns_keep_gram(rvm_columns *c, const double *t, rvm_error *err)
{
    c->t = t;
    c->G = gsl_matrix_alloc(c->capacity, c->capacity);
    c->p = rvm_array(c->capacity, sizeof *c->p);
    if (c->G != NULL && c->p != NULL)
        return RVM_OK;
    rvm_columns_free(c);
    return rvm_fail_memory(err, "the columns");
}

void rvm_columns_free(rvm_columns *c)
{
    free(c->id);
    free(c->norm);
    free(c->p);
    gsl_matrix_free(c->PhiT);
    gsl_matrix_free(c->strip);
    gsl_matrix_free(c->G);
    memset(c, 0, sizeof *c);
}

/* ---- Strips --------------------------------------------------------------------------------- */

static size_t strip_rows(const rvm_columns *c, size_t first)
{
    return c->N - first < RVM_STRIP ? c->N - first : RVM_STRIP;
}

rvm_status rvm_columns_strip(gsl_matrix_view *out, rvm_columns *c, size_t first, rvm_error *err)
{
    const size_t rows = strip_rows(c, first);
    if (c->PhiT != NULL) {
        *out = gsl_matrix_submatrix(c->PhiT, 0, first, c->count, rows);
        return RVM_OK;
    }
    *out = gsl_matrix_submatrix(c->strip, 0, 0, c->count, rows);
    return rvm_basis_strip(&out->matrix, c->norm, &c->basis, c->id, c->count, first, c->threads,
                           err);
}

/* ---- The Gram matrix ------------------------------------------------------------------------ */

/* Behind the `first` columns whose part of G is known, with Phi = [Phi1 Phi2] and a strip of rows at
 * a time,
 *
 *     G21 += Phi2'Phi1    G22 += Phi2'Phi2    p2 += Phi2'z of each target z
 *
 * Of each span of rows that part of the lower triangle is held, and each p2 behind it: with all the
 * tree's levels a fraction of what G takes. Borrowed. */
typedef struct {
    rvm_columns *c;
    size_t first, triangle; /* numbers of the latter */
    const double *const *z;
    size_t targets;
    rvm_columns_scaler *scale;
    void *context;
} gram_job;

static rvm_status add_strip(double *sums, const gram_job *j, size_t at, rvm_error *err)
{
    const size_t first = j->first, added = j->c->count - first;
    gsl_matrix_view strip;
    if (rvm_interrupted(j->c->interrupted))
        return rvm_fail_interrupted(err);
    const rvm_status status = rvm_columns_strip(&strip, j->c, at, err);
    if (status != RVM_OK)
        return status;
    const size_t rows = strip.matrix.size2;
    gsl_matrix_view fresh = gsl_matrix_submatrix(&strip.matrix, first, 0, added, rows);
    for (size_t k = 0; k < j->targets; k++) {
        gsl_vector_const_view z = gsl_vector_const_view_array(j->z[k] + at, rows);
        gsl_vector_view p = gsl_vector_view_array(sums + j->triangle + k * added, added);
        gsl_blas_dgemv(CblasNoTrans, 1, &fresh.matrix, &z.vector, 1, &p.vector);
    }
    if (j->scale != NULL)
        strip = j->scale(&strip.matrix, at, j->context);
    rvm_gram_add_packed(sums, &strip.matrix, first, j->c->threads);
    return RVM_OK;
}

static rvm_status gram_piece(void *context, size_t first, size_t rows, double *sums, int worker,
                             rvm_error *err)
{
    rvm_status status = RVM_OK;
    (void)worker;
    for (size_t at = first; at < first + rows && status == RVM_OK; at += RVM_STRIP)
        status = add_strip(sums, context, at, err);
    return status;
}

/* Threads are inside a strip, so that columns that are not kept are evaluated once, for all of them. */
static rvm_status sum_gram(gsl_matrix *G, double *const *p, gram_job *j, rvm_error *err)
{
    const size_t count = j->c->count, first = j->first, added = count - first;
    if (added == 0)
        return RVM_OK;
    j->triangle = rvm_gram_packed_size(count, first);
    const size_t numbers = j->triangle + j->targets * added;
    double *sums = rvm_array(numbers, sizeof *sums);
    if (sums == NULL)
        return rvm_fail_memory(err, "the Gram matrix");
    const rvm_status status =
        rvm_spans_fold(sums, numbers, &j->c->basis.spans, gram_piece, NULL, j, 1, err);
    if (status == RVM_OK) {
        gsl_matrix_view corner = gsl_matrix_submatrix(G, 0, 0, count, count);
        rvm_gram_unpack(&corner.matrix, sums, first);
        for (size_t k = 0; k < j->targets; k++)
            memcpy(p[k] + first, sums + j->triangle + k * added, added * sizeof *sums);
    }
    free(sums);
    return status;
}

rvm_status rvm_columns_gram(gsl_matrix *G, double *p, rvm_columns *c, size_t first, const double *z,
                            rvm_columns_scaler *scale, void *context, rvm_error *err)
{
    gram_job job = { .c = c, .first = first, .z = &z, .targets = 1 };
    job.scale = scale;
    job.context = context;
    return sum_gram(G, &p, &job, err);
}

rvm_status rvm_columns_gram_targets(gsl_matrix *G, double *const *p, rvm_columns *c,
                                    const double *const *z, size_t targets, rvm_error *err)
{
    gram_job job = { .c = c, .z = z, .targets = targets };
    return sum_gram(G, p, &job, err);
}

/* ---- Columns come and go -------------------------------------------------------------------- */

/* Rows of PhiT are columns of Phi: what moves is contiguous.
 * Column k becomes column `to` < k; the Gram matrix is the caller's. */
static void move_column(rvm_columns *c, size_t to, size_t k)
{
    c->id[to] = c->id[k];
    c->norm[to] = c->norm[k];
    if (c->PhiT != NULL && c->N > 0)
        memcpy(gsl_matrix_ptr(c->PhiT, to, 0), gsl_matrix_const_ptr(c->PhiT, k, 0),
               c->N * sizeof(double));
}

/* From here on columns are computed whenever they are wanted. */
static rvm_status give_up_memory(rvm_columns *c, rvm_error *err)
{
    gsl_matrix_free(c->PhiT);
    c->PhiT = NULL;
    c->strip = gsl_matrix_alloc(c->capacity, GSL_MIN(c->N, RVM_STRIP));
    return c->strip == NULL ? rvm_fail_memory(err, "the columns") : RVM_OK;
}

/* Values of candidates id[0 .. count), where they are kept, and their norms, behind the others. */
static rvm_status evaluate_columns(rvm_columns *c, const size_t *id, size_t count, rvm_error *err)
{
    double *norm = c->norm + c->count;
    if (c->PhiT != NULL && c->count + count > c->PhiT->size1) {
        const rvm_status status = give_up_memory(c, err);
        if (status != RVM_OK)
            return status;
    }
    if (c->PhiT == NULL)
        return rvm_basis_project(norm, NULL, NULL, &c->basis, id, count, NULL, NULL, c->threads,
                                 err);
    gsl_matrix_view block = gsl_matrix_submatrix(c->PhiT, c->count, 0, count, c->N);
    return rvm_basis_columns(&block.matrix, norm, &c->basis, id, count, c->threads, err);
}

static rvm_status append_block(rvm_columns *c, const size_t *id, size_t count, rvm_error *err)
{
    const size_t first = c->count;
    const rvm_status status = evaluate_columns(c, id, count, err);
    if (status != RVM_OK)
        return status;
    memcpy(c->id + first, id, count * sizeof *id);
    for (size_t k = first; k < first + count; k++)
        if (c->norm[k] > 0) {
            if (k > c->count)
                move_column(c, c->count, k);
            c->count++;
        }
    rvm_columns whole = *c; /* no interrupt leaves a part of the Gram matrix */
    whole.interrupted = NULL;
    return c->G == NULL ? RVM_OK
                        : rvm_columns_gram(c->G, c->p, &whole, first, c->t, NULL, NULL, err);
}

/* In blocks that take some tenths of a second each, so that an interrupt comes through. */
rvm_status rvm_columns_append(rvm_columns *c, const size_t *id, size_t count, rvm_error *err)
{
    const double multiplications = 4e9, least = 64;
    const double price = (double)c->basis.spans.N * (double)(c->count + count);
    const size_t most = (size_t)fmax(multiplications / fmax(price, 1), least);
    rvm_status status = rvm_basis_bring(&c->basis, c->id, c->count, id, count, err);
    for (size_t at = 0; at < count && status == RVM_OK; at += most) {
        if (at > 0 && rvm_interrupted(c->interrupted))
            return rvm_fail_interrupted(err);
        status = append_block(c, id + at, GSL_MIN(most, count - at), err);
    }
    return status;
}

void rvm_columns_keep(rvm_columns *c, const size_t *keep, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (keep[k] != k)
            move_column(c, k, keep[k]);
    for (size_t i = 0; c->G != NULL && i < count; i++) {
        c->p[i] = c->p[keep[i]];
        for (size_t j = 0; j < count; j++)
            gsl_matrix_set(c->G, i, j, gsl_matrix_get(c->G, keep[i], keep[j]));
    }
    c->count = count;
}

/* ---- Sums over rows ------------------------------------------------------------------------- */

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
    const size_t N = c->N, strips = (N + RVM_STRIP - 1) / RVM_STRIP;
    rvm_status status = RVM_OK;
    if (c->count == 0) {
        memset(f, 0, N * sizeof *f);
        return RVM_OK;
    }
    if (c->PhiT == NULL)
        status = rvm_basis_bring(&c->basis, c->id, c->count, NULL, 0, err);
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

rvm_status rvm_columns_pick(gsl_matrix *out, const rvm_columns *c, const rvm_basis *basis,
                            const size_t *column, size_t first, rvm_error *err)
{
    const size_t K = out->size1;
    if (c->PhiT != NULL && c->basis.at == basis->at) {
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
