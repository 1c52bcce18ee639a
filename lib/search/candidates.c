/* S, Q and gain of candidates that have no column yet. */
#include "search/candidates.h"

#include <float.h>
#include <gsl/gsl_blas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/linalg.h"
#include "base/parallel.h"
#include "inference/evidence.h"

enum {
    BLOCK = 64,          /* candidates measured together */
    TOGETHER = 1024,     /* and projected, an interrupt coming through between them */
    ROWS_TO_START = 300, /* rows that the share is measured on: so many, */
    ROWS_A_FUNCTION = 2  /* and so many for each active function */
};

/* The active functions on some of the rows. */
typedef struct {
    rvm_study part; /* of those rows; zeroed where they are all */
    const rvm_basis *basis;
    size_t K, rows;
    double *curvature; /* owned, rows */
    gsl_matrix *A;     /* owned, K x rows: D Phi' B */
    gsl_matrix *L;     /* owned, K x K: of the posterior by these rows */
} sample;

static void sample_free(sample *s)
{
    rvm_study_free(&s->part);
    free(s->curvature);
    gsl_matrix_free(s->A);
    gsl_matrix_free(s->L);
}

/* Every so-many-th row; each then counts for so many. */
static rvm_status choose_rows(sample *s, const rvm_posterior_at *at, rvm_error *err)
{
    const size_t N = at->y->observed.N, K = at->columns->count;
    const size_t wanted = ROWS_TO_START + ROWS_A_FUNCTION * K;
    const size_t stride = N / wanted > 1 ? N / wanted : 1;
    s->rows = (N + stride - 1) / stride;
    s->basis = &at->y->basis;
    s->curvature = rvm_array(s->rows, sizeof *s->curvature);
    size_t *row = rvm_array(s->rows, sizeof *row);
    rvm_status status = RVM_OK;
    if (s->curvature == NULL || row == NULL)
        status = rvm_fail_memory(err, "a sample of the rows");
    for (size_t n = 0; n < s->rows && status == RVM_OK; n++) {
        row[n] = n * stride;
        s->curvature[n] =
            (double)stride * (at->curvature == NULL ? at->beta : at->curvature[row[n]]);
    }
    if (status == RVM_OK && stride > 1) {
        status = rvm_study_part(&s->part, at->y, row, s->rows, err);
        s->basis = &s->part.basis;
    }
    free(row);
    return status;
}

/* H += I, or what rounding has left of a positive definite matrix where that is more. */
static void add_identity(gsl_matrix *H)
{
    double largest = 0;
    for (size_t i = 0; i < H->size1; i++)
        largest = fmax(largest, gsl_matrix_get(H, i, i));
    const double rounding = 4 * DBL_EPSILON * sqrt((double)H->size1) * largest;
    for (size_t i = 0; i < H->size1; i++)
        *gsl_matrix_ptr(H, i, i) += fmax(1, rounding);
}

/* H = I + D Phi' B Phi D of the sample, factored, and A. */
static rvm_status factor_sample(sample *s, const rvm_posterior_at *at, rvm_error *err)
{
    const rvm_columns *c = at->columns;
    const size_t K = s->K;
    gsl_matrix *P = gsl_matrix_alloc(K, s->rows);
    s->A = gsl_matrix_alloc(K, s->rows);
    s->L = gsl_matrix_alloc(K, K);
    rvm_status status = RVM_OK;
    if (P == NULL || s->A == NULL || s->L == NULL)
        status = rvm_fail_memory(err, "a sample of the rows");
    if (status == RVM_OK)
        status = rvm_basis_strip(P, c->norm, s->basis, c->id, K, 0, at->threads, err);
    for (size_t i = 0; i < K && status == RVM_OK; i++) {
        const double D = exp(-0.5 * at->ln_alpha[i]);
        double *p = gsl_matrix_ptr(P, i, 0), *a = gsl_matrix_ptr(s->A, i, 0);
        for (size_t n = 0; n < s->rows; n++) {
            p[n] *= D;
            a[n] = p[n] * s->curvature[n];
        }
    }
    if (status == RVM_OK) {
        rvm_product_nt(s->L, s->A, P, at->threads);
        add_identity(s->L);
        if (!rvm_cholesky(s->L, at->threads))
            status = rvm_fail(err, RVM_ENUMERIC, "the posterior left the range of finite numbers");
    }
    gsl_matrix_free(P);
    return status;
}

/* share[k] = what is left of phi'B phi of candidate id[k], as a part of it. X: BLOCK x rows, V:
 * BLOCK x K. */
static rvm_status measure_block(double *share, gsl_matrix *X, gsl_matrix *V, const sample *s,
                                const size_t *id, size_t count, rvm_error *err)
{
    gsl_matrix_view x = gsl_matrix_submatrix(X, 0, 0, count, s->rows);
    const rvm_status status = rvm_basis_strip(&x.matrix, NULL, s->basis, id, count, 0, 1, err);
    if (status != RVM_OK)
        return status;
    if (s->K > 0) {
        gsl_matrix_view v = gsl_matrix_submatrix(V, 0, 0, count, s->K);
        gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, &x.matrix, s->A, 0, &v.matrix);
        gsl_blas_dtrsm(CblasRight, CblasLower, CblasTrans, CblasNonUnit, 1, s->L, &v.matrix);
    }
    for (size_t k = 0; k < count; k++) {
        const double *phi = gsl_matrix_const_ptr(&x.matrix, k, 0);
        double whole = 0, explained = 0;
        for (size_t n = 0; n < s->rows; n++)
            whole += s->curvature[n] * phi[n] * phi[n];
        for (size_t i = 0; i < s->K; i++) {
            const double w = gsl_matrix_get(V, k, i);
            explained += w * w;
        }
        share[k] = whole > 0 ? fmax(0, 1 - explained / whole) : 0;
    }
    return RVM_OK;
}

/* Borrowed, but for the scratch of each thread. */
typedef struct {
    double *share;
    const sample *s;
    const size_t *id;
    size_t count;
    gsl_matrix **X, **V; /* owned: BLOCK x rows, BLOCK x K */
} share_job;

static rvm_status share_piece(void *context, size_t b, int worker, rvm_error *err)
{
    const share_job *j = context;
    const size_t k = b * BLOCK, many = j->count - k < BLOCK ? j->count - k : BLOCK;
    if (j->X[worker] == NULL)
        j->X[worker] = gsl_matrix_alloc(BLOCK, j->s->rows);
    if (j->V[worker] == NULL)
        j->V[worker] = gsl_matrix_alloc(BLOCK, j->s->K > 0 ? j->s->K : 1);
    if (j->X[worker] == NULL || j->V[worker] == NULL)
        return rvm_fail_memory(err, "the candidates");
    return measure_block(j->share + k, j->X[worker], j->V[worker], j->s, j->id + k, many, err);
}

static rvm_status measure_shares(double *share, const sample *s, const size_t *id, size_t count,
                                 int threads, rvm_error *err)
{
    share_job job = { .share = share, .s = s, .id = id, .count = count };
    job.X = rvm_array((size_t)threads, sizeof *job.X);
    job.V = rvm_array((size_t)threads, sizeof *job.V);
    const bool memory = job.X != NULL && job.V != NULL;
    const rvm_status status =
        memory ? rvm_share((count + BLOCK - 1) / BLOCK, share_piece, &job, threads, err)
               : rvm_fail_memory(err, "the candidates");
    for (int w = 0; memory && w < threads; w++) {
        gsl_matrix_free(job.X[w]);
        gsl_matrix_free(job.V[w]);
    }
    free(job.X);
    free(job.V);
    return status;
}

static int by_gain(const void *a, const void *b)
{
    const rvm_candidate *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain < y->gain ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Shares below this are rounding: the candidate lies in the span of the active functions. */
static const double collinear = 1e-10;

/* The norm of each candidate, the share that is left of it, Q = phi'gradient, and S = phi'B phi,
 * all of it. */
static rvm_status measure(double *norm, double *share, double *Q, double *S,
                          const rvm_posterior_at *at, const size_t *id, size_t count,
                          rvm_error *err)
{
    sample s = { .K = at->columns->count };
    rvm_status status = choose_rows(&s, at, err);
    if (status == RVM_OK && s.K > 0)
        status = factor_sample(&s, at, err);
    if (status == RVM_OK)
        status = measure_shares(share, &s, id, count, at->threads, err);
    for (size_t k = 0; k < count && status == RVM_OK; k += TOGETHER)
        status = rvm_interrupted(at->y->observed.interrupted)
                     ? rvm_fail_interrupted(err)
                     : rvm_basis_project(norm + k, Q + k, S + k, &at->y->basis, id + k,
                                         count - k < TOGETHER ? count - k : TOGETHER, at->gradient,
                                         at->curvature, at->threads, err);
    for (size_t k = 0; k < count && status == RVM_OK && at->curvature == NULL; k++)
        S[k] = norm[k] > 0 ? at->beta : 0;
    sample_free(&s);
    return status;
}

rvm_status rvm_candidates_find(rvm_candidate *candidates, size_t *found, const rvm_posterior_at *at,
                               const size_t *id, size_t count, double tolerance, rvm_error *err)
{
    double *share = rvm_array(4 * count, sizeof *share);
    if (share == NULL)
        return rvm_fail_memory(err, "the candidates");
    double *Q = share + count, *S = Q + count, *norm = S + count;
    const rvm_status status = measure(norm, share, Q, S, at, id, count, err);
    *found = 0;
    for (size_t k = 0; k < count && status == RVM_OK; k++) {
        const double left = share[k] > collinear ? share[k] * S[k] : 0;
        const rvm_prior prior = rvm_observed_weight_prior(&at->y->observed, norm[k]);
        double ln_alpha = 0;
        const double gain = rvm_gain_with(&ln_alpha, &left, &Q[k], 1, &prior);
        if (gain > tolerance)
            candidates[(*found)++] = (rvm_candidate){ gain, ln_alpha, id[k] };
    }
    qsort(candidates, *found, sizeof *candidates, by_gain);
    free(share);
    return status;
}

static int ascending(const void *a, const void *b)
{
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    return (i > j) - (i < j);
}

/* At most `most` of the numbers in order[0 .. count) that are not active, into its first places. */
static size_t draw(size_t *order, size_t count, const bool *active, size_t most, gsl_rng *rng)
{
    size_t drawn = 0;
    /* As far as a shuffle has to go: most of them, and as many again as are passed over. */
    for (size_t k = 0; k < count && drawn < most; k++) {
        const size_t with = k + gsl_rng_uniform_int(rng, count - k), id = order[with];
        order[with] = order[k];
        order[k] = id;
        if (!active[id])
            order[drawn++] = id; /* drawn <= k: that place is done with */
    }
    return drawn;
}

size_t rvm_candidates_draw(size_t *order, bool *active, const rvm_columns *c, size_t M, size_t most,
                           gsl_rng *rng)
{
    size_t end[RVM_BASIS_GROUPS], count = 0, first = 0;
    const size_t groups = rvm_basis_groups(end, &c->basis);
    memset(active, 0, M * sizeof *active);
    for (size_t k = 0; k < c->count; k++)
        active[c->id[k]] = true;
    for (size_t m = 0; m < M; m++)
        order[m] = m;
    for (size_t g = 0; g < groups; first = end[g++]) {
        const size_t left = most - count, places = g + 1 < groups ? left / 2 : left;
        const size_t drawn = draw(order + first, end[g] - first, active, places, rng);
        memmove(order + count, order + first, drawn * sizeof *order);
        count += drawn;
    }
    qsort(order, count, sizeof *order, ascending);
    return count;
}

static int by_id(const void *a, const void *b)
{
    return ascending(&((const rvm_candidate *)a)->id, &((const rvm_candidate *)b)->id);
}

void rvm_candidates_sort_by_id(rvm_candidate *candidates, size_t count)
{
    qsort(candidates, count, sizeof *candidates, by_id);
}

size_t rvm_candidates_add(size_t *order, bool *active, size_t drawn, size_t room,
                          const size_t *wanted, size_t count)
{
    for (size_t k = 0; k < drawn; k++)
        active[order[k]] = true;
    for (size_t k = 0; k < count && drawn < room; k++) {
        if (active[wanted[k]])
            continue;
        active[wanted[k]] = true;
        order[drawn++] = wanted[k];
    }
    qsort(order, drawn, sizeof *order, ascending);
    return drawn;
}
