/* S, Q and gain of candidates that have no column yet. */
#include "search/candidates.h"

#include <float.h>
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
#include "base/sort.h"
#include "data/order.h"
#include "data/shard.h"
#include "inference/evidence.h"

enum {
    BLOCK = 64,          /* candidates measured together */
    TOGETHER = 1024,     /* and projected, an interrupt coming through between them */
    ROWS_TO_START = 300, /* rows that the share is measured on: so many, */
    ROWS_A_FUNCTION = 2  /* and so many for each active function */
};

/* The active functions on some of the rows, which every process of a team has. */
typedef struct {
    rvm_study some; /* of those rows; zeroed where they are all */
    const rvm_basis *basis;
    size_t K, rows;
    double *curvature; /* owned, rows */
    gsl_matrix *A;     /* owned, K x rows: D Phi' B */
    gsl_matrix *L;     /* owned, K x K: of the posterior by these rows */
} sample;

static void sample_free(sample *s)
{
    rvm_study_free(&s->some);
    free(s->curvature);
    gsl_matrix_free(s->A);
    gsl_matrix_free(s->L);
}

/* Rows row[0 .. s->rows), ascending, by their places among all, and their curvature. */
static rvm_status pick_rows(sample *s, const rvm_posterior_at *at, const size_t *row,
                            rvm_error *err)
{
    rvm_status status = RVM_OK;
    s->basis = &at->y->basis;
    for (size_t n = 0; n < s->rows && at->curvature == NULL; n++)
        s->curvature[n] = at->beta;
    if (at->curvature != NULL)
        status = rvm_shard_pick_numbers(s->curvature, at->y->p, row, s->rows, at->curvature, err);
    if (status != RVM_OK || (at->y->p->team == NULL && s->rows == at->y->p->rows))
        return status;
    status = rvm_study_sample(&s->some, at->y, row, s->rows, err);
    s->basis = &s->some.basis;
    return status;
}

/* Every so-many-th row; each then counts for so many. */
static rvm_status choose_rows(sample *s, const rvm_posterior_at *at, rvm_error *err)
{
    const size_t N = at->y->observed.spans.N, K = at->columns->count;
    const size_t wanted = ROWS_TO_START + ROWS_A_FUNCTION * K;
    const size_t stride = N / wanted > 1 ? N / wanted : 1;
    s->rows = (N + stride - 1) / stride;
    s->curvature = rvm_array(s->rows, sizeof *s->curvature);
    size_t *row = rvm_array(s->rows, sizeof *row);
    for (size_t n = 0; n < s->rows && row != NULL; n++)
        row[n] = n * stride;
    const rvm_status status = s->curvature == NULL || row == NULL
                                  ? rvm_fail_memory(err, "a sample of the rows")
                                  : pick_rows(s, at, row, err);
    for (size_t n = 0; n < s->rows && status == RVM_OK; n++)
        s->curvature[n] *= (double)stride;
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

/* Each process of a team measures some blocks of them, the same way as one would by itself. */
static rvm_status share_out(double *share, const sample *s, const size_t *id, size_t count,
                            const rvm_posterior_at *at, rvm_error *err)
{
    rvm_team *team = at->y->p->team;
    const size_t size = (size_t)rvm_team_size(team), me = (size_t)rvm_team_rank(team);
    const size_t blocks = (count + BLOCK - 1) / BLOCK;
    size_t *bytes = rvm_array(size, sizeof *bytes), first = 0;
    double *mine = rvm_array(count, sizeof *mine);
    rvm_status status =
        bytes == NULL || mine == NULL ? rvm_fail_memory(err, "the candidates") : RVM_OK;
    for (size_t r = 0, begin = 0, end; r < size && status == RVM_OK; r++, begin = end) {
        end = GSL_MIN(blocks * (r + 1) / size * BLOCK, count);
        bytes[r] = (end - begin) * sizeof *share;
        first = r == me ? begin : first;
    }
    if (status == RVM_OK)
        status = measure_shares(mine, s, id + first, bytes[me] / sizeof *share, at->threads, err);
    status = rvm_team_agree(team, status, err);
    if (status == RVM_OK)
        rvm_team_gather(team, mine, share, bytes);
    free(bytes);
    free(mine);
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
    if (status == RVM_OK)
        status = rvm_basis_bring(&at->y->basis, id, count, at->columns->id, s.K, err);
    if (status == RVM_OK && s.K > 0)
        status = factor_sample(&s, at, err);
    status = rvm_team_agree(at->y->p->team, status, err);
    if (status == RVM_OK)
        status = share_out(share, &s, id, count, at, err);
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

/* ---- Samples -------------------------------------------------------------------------------- */

/* The candidates that have a column, ascending; owned by the caller. */
static rvm_status list_active(size_t **active, const rvm_columns *c, rvm_error *err)
{
    *active = rvm_array(c->count, sizeof **active);
    if (*active == NULL)
        return rvm_fail_memory(err, "the candidates");
    memcpy(*active, c->id, c->count * sizeof **active);
    rvm_sort_unique_numbers(*active, c->count);
    return RVM_OK;
}

/* A group of candidates, and those of them that have a column. */
typedef struct {
    size_t first, end;
    const size_t *active; /* borrowed, ascending */
    size_t count;         /* of these */
} group;

/* From places among those that have no column, ascending, to candidates: each one that is passed by
 * moves what follows on by one. */
static void number_places(size_t *id, size_t count, const group *g)
{
    size_t passed = 0;
    for (size_t k = 0; k < count; k++) {
        id[k] += g->first + passed;
        for (; passed < g->count && g->active[passed] <= id[k]; passed++)
            id[k]++;
    }
}

/* At most `most` of a group to order + *drawn. */
static rvm_status draw(size_t *order, size_t *drawn, const group *g, size_t most, gsl_rng *rng,
                       rvm_error *err)
{
    const size_t others = g->end - g->first - g->count, count = most < others ? most : others;
    size_t *id = NULL;
    const rvm_status status = rvm_order_sample(&id, count, others, rng, err);
    if (status != RVM_OK)
        return status;
    number_places(id, count, g);
    memcpy(order + *drawn, id, count * sizeof *order);
    *drawn += count;
    free(id);
    return RVM_OK;
}

rvm_status rvm_candidates_draw(size_t *order, size_t *drawn, const rvm_columns *c, size_t most,
                               gsl_rng *rng, rvm_error *err)
{
    size_t end[RVM_BASIS_GROUPS], first = 0, passed = 0, *active;
    const size_t groups = rvm_basis_groups(end, &c->basis);
    rvm_status status = list_active(&active, c, err);
    *drawn = 0;
    for (size_t g = 0; g < groups && status == RVM_OK; first = end[g++]) {
        const size_t left = most - *drawn, places = g + 1 < groups ? left / 2 : left;
        const size_t inside = rvm_sort_below(active + passed, c->count - passed, end[g]);
        const group of = { first, end[g], active + passed, inside };
        status = draw(order, drawn, &of, places, rng, err);
        passed += inside;
    }
    free(active);
    return status;
}

rvm_status rvm_candidates_add(size_t *order, size_t *drawn, size_t room, const rvm_columns *c,
                              const size_t *wanted, size_t count, rvm_error *err)
{
    const size_t before = *drawn;
    size_t *active;
    const rvm_status status = list_active(&active, c, err);
    for (size_t k = 0; k < count && *drawn < room && status == RVM_OK; k++)
        if (!rvm_sort_has(active, c->count, wanted[k]) && !rvm_sort_has(order, before, wanted[k]))
            order[(*drawn)++] = wanted[k];
    rvm_sort_unique_numbers(order, *drawn);
    free(active);
    return status;
}

static int by_id(const void *a, const void *b)
{
    const size_t i = ((const rvm_candidate *)a)->id, j = ((const rvm_candidate *)b)->id;
    return (i > j) - (i < j);
}

void rvm_candidates_sort_by_id(rvm_candidate *candidates, size_t count)
{
    qsort(candidates, count, sizeof *candidates, by_id);
}
