/* The posterior that is saved: at the mode, with a factor by QR. */
#include "inference/posterior.h"

#include <float.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/linalg.h"
#include "base/stack.h"
#include "inference/mode.h"

enum {
    MOST_STEPS = 20, /* to the mode of a likelihood that is not normal; */
    HASTY_STEPS = 3, /* where somebody waits */
    STRIP = 2048     /* rows that are folded in together: more than K, or the K rows of R are most
                        of the work */
};

/* Twice the nats that a step to the mode must promise. One more is taken then, and Newton's method
 * converges quadratically: all digits of u are right. */
static const double at_mode = 1e-12;

/* Error of a pivot, 1 or more, that a factor in haste may have (gaussian.c). */
static const double pivot_noise = 0.01;

static const char out_of_range[] = "the posterior left the range of finite numbers";

/* ---- Life ----------------------------------------------------------------------------------- */

/* The functions of `at`, ascending by candidate, and their columns. */
static void order_functions(rvm_posterior *q, const rvm_fit *at)
{
    for (size_t k = 0; k < q->K; k++)
        q->D[k] = (double)at->column[k];
    gsl_sort_index(q->column, q->D, 1, q->K);
    for (size_t k = 0; k < q->K; k++) {
        const size_t from = q->column[k];
        size_t column = 0;
        while (q->columns->id[column] != at->column[from])
            column++;
        q->column[k] = column;
        q->D[k] = exp(-0.5 * at->ln_alpha[from]);
        q->u[k] = at->u[from];
    }
}

rvm_status rvm_posterior_init(rvm_posterior *q, const rvm_fit *at, const rvm_observed *o,
                              const rvm_columns *c, const rvm_basis *basis, rvm_error *err)
{
    const size_t K = at->K, N = o->N, least = K > 0 ? K : 1;
    *q = (rvm_posterior){ .observed = o, .columns = c, .basis = basis, .K = K, .N = N };
    q->ln_beta = at->ln_beta;
    q->column = rvm_array(K, sizeof *q->column);
    q->D = rvm_array(K, sizeof *q->D);
    q->u = rvm_array(K, sizeof *q->u);
    q->step = rvm_array(K, sizeof *q->step);
    q->trial = rvm_array(K, sizeof *q->trial);
    q->f = rvm_array(N, sizeof *q->f);
    q->root = rvm_array(N, sizeof *q->root);
    q->gradient = rvm_array(N, sizeof *q->gradient);
    q->R = gsl_matrix_alloc(least, least);
    q->strip = gsl_matrix_alloc(least, STRIP);
    if (q->column == NULL || q->D == NULL || q->u == NULL || q->step == NULL || q->trial == NULL ||
        q->f == NULL || q->root == NULL || q->gradient == NULL || q->R == NULL || q->strip == NULL)
        return rvm_fail_memory(err, "the posterior");
    order_functions(q, at);
    return RVM_OK;
}

void rvm_posterior_free(rvm_posterior *q)
{
    free(q->column);
    free(q->D);
    free(q->u);
    free(q->step);
    free(q->trial);
    free(q->f);
    free(q->root);
    free(q->gradient);
    gsl_matrix_free(q->R);
    gsl_matrix_free(q->strip);
    *q = (rvm_posterior){ 0 };
}

/* ---- Strips --------------------------------------------------------------------------------- */

/* Rows `first` and on of the functions, in their order, into the front of `space`: K x STRIP, or
 * what rows are left before `end`. */
static rvm_status read_strip(gsl_matrix_view *out, gsl_matrix *space, const rvm_posterior *q,
                             size_t first, size_t end, rvm_error *err)
{
    *out = gsl_matrix_submatrix(space, 0, 0, q->K, GSL_MIN(STRIP, end - first));
    return rvm_columns_pick(&out->matrix, q->columns, q->basis, q->column, first, err);
}

/* q->f = offset + Phi D u */
static rvm_status activate(rvm_posterior *q, const double *u, rvm_error *err)
{
    const double *offset = q->observed->offset;
    for (size_t n = 0; n < q->N; n++)
        q->f[n] = offset == NULL ? 0 : offset[n];
    for (size_t at = 0; at < q->N && q->K > 0; at += STRIP) {
        gsl_matrix_view X;
        const rvm_status status = read_strip(&X, q->strip, q, at, q->N, err);
        if (status != RVM_OK)
            return status;
        gsl_vector_view part = gsl_vector_view_array(q->f + at, X.matrix.size2);
        for (size_t i = 0; i < q->K; i++) {
            gsl_vector_const_view phi = gsl_matrix_const_row(&X.matrix, i);
            gsl_blas_daxpy(q->D[i] * u[i], &phi.vector, &part.vector);
        }
    }
    return RVM_OK;
}

/* ---- The factor by QR ----------------------------------------------------------------------- */

/* Scratch of a thread: owned. */
typedef struct {
    gsl_matrix *strip, *R; /* K x STRIP, K x K */
    rvm_stack stack;
} lane;

typedef struct {
    const rvm_posterior *q; /* borrowed */
    lane *lanes;            /* owned, threads */
} factor_job;

static rvm_status prepare_lane(lane *l, size_t K, rvm_error *err)
{
    if (l->R != NULL)
        return RVM_OK;
    const bool memory = rvm_stack_init(&l->stack, K, GSL_MAX(STRIP, K + RVM_STACK_PANEL));
    l->strip = gsl_matrix_alloc(K, STRIP);
    l->R = gsl_matrix_alloc(K, K);
    return memory && l->strip != NULL && l->R != NULL ? RVM_OK
                                                      : rvm_fail_memory(err, "the posterior");
}

static void free_lane(lane *l)
{
    gsl_matrix_free(l->strip);
    gsl_matrix_free(l->R);
    rvm_stack_free(&l->stack);
}

/* The triangle of a span's rows of B^1/2 Phi D; the prior's I is folded in with the first of all. */
static rvm_status factor_span(void *context, size_t first, size_t rows, double *packed, int worker,
                              rvm_error *err)
{
    const factor_job *j = context;
    const rvm_posterior *q = j->q;
    const size_t end = first + rows;
    lane *l = &j->lanes[worker];
    rvm_status status = prepare_lane(l, q->K, err);
    if (status != RVM_OK)
        return status;
    if (rvm_spans_first_row(&q->observed->spans) + first == 0)
        gsl_matrix_set_identity(l->R);
    else
        gsl_matrix_set_zero(l->R);
    for (size_t at = first; at < end && status == RVM_OK; at += STRIP) {
        gsl_matrix_view X;
        status = read_strip(&X, l->strip, q, at, end, err);
        if (status == RVM_OK && !rvm_stack_fold(l->R, &l->stack, &X.matrix, NULL, 0, X.matrix.size2,
                                                q->D, q->root + at))
            status = rvm_fail(err, RVM_ENUMERIC, out_of_range);
    }
    rvm_stack_pack(packed, l->R);
    return status;
}

static rvm_status join_spans(void *context, double *left, const double *right, int worker,
                             rvm_error *err)
{
    const factor_job *j = context;
    lane *l = &j->lanes[worker];
    const rvm_status status = prepare_lane(l, j->q->K, err);
    if (status != RVM_OK || rvm_stack_join(left, right, &l->stack))
        return status;
    return rvm_fail(err, RVM_ENUMERIC, out_of_range);
}

/* Each span by itself, and triangles of spans joined by their tree (Demmel, Grigori, Hoemmen and
 * Langou 2012, section 3). */
static rvm_status factor_by_rows(rvm_posterior *q, rvm_error *err)
{
    const int threads = q->columns->threads;
    const size_t size = rvm_stack_packed_size(q->K);
    factor_job job = { q, rvm_array((size_t)threads, sizeof *job.lanes) };
    double *packed = rvm_array(size, sizeof *packed);
    rvm_status status = RVM_OK;
    if (job.lanes == NULL || packed == NULL)
        status = rvm_fail_memory(err, "the posterior");
    if (status == RVM_OK)
        status = rvm_spans_fold(packed, size, &q->observed->spans, factor_span, join_spans, &job,
                                threads, err);
    if (status == RVM_OK)
        rvm_stack_unpack(q->R, packed);
    for (int w = 0; w < threads && job.lanes != NULL; w++)
        free_lane(&job.lanes[w]);
    free(job.lanes);
    free(packed);
    return status;
}

/* ---- The factor in haste -------------------------------------------------------------------- */

static rvm_status add_precision(void *context, size_t first, size_t rows, double *packed,
                                int worker, rvm_error *err)
{
    const rvm_posterior *q = context;
    const size_t end = first + rows;
    (void)worker;
    for (size_t at = first; at < end; at += STRIP) {
        gsl_matrix_view X;
        const rvm_status status = read_strip(&X, q->strip, q, at, end, err);
        if (status != RVM_OK)
            return status;
        for (size_t i = 0; i < q->K; i++) {
            double *x = gsl_matrix_ptr(&X.matrix, i, 0);
            for (size_t n = 0; n < X.matrix.size2; n++)
                x[n] *= q->D[i] * q->root[at + n];
        }
        rvm_gram_add_packed(packed, &X.matrix, 0, q->columns->threads);
    }
    return RVM_OK;
}

/* R := I + D Phi'B Phi D. */
static rvm_status fill_precision(rvm_posterior *q, rvm_error *err)
{
    const size_t size = rvm_gram_packed_size(q->K, 0);
    double *packed = rvm_array(size, sizeof *packed);
    if (packed == NULL)
        return rvm_fail_memory(err, "the posterior");
    const rvm_status status =
        rvm_spans_fold(packed, size, &q->observed->spans, add_precision, NULL, q, 1, err);
    if (status == RVM_OK)
        rvm_gram_unpack(q->R, packed, 0);
    for (size_t i = 0; i < q->K; i++)
        *gsl_matrix_ptr(q->R, i, i) += 1;
    free(packed);
    return status;
}

/* R by Cholesky: a tenth of the time, and half of the digits. *found: these suffice. */
static rvm_status factor_in_haste(bool *found, rvm_posterior *q, rvm_error *err)
{
    const rvm_status status = fill_precision(q, err);
    double largest = 0;
    for (size_t i = 0; i < q->K; i++)
        largest = fmax(largest, gsl_matrix_get(q->R, i, i));
    *found = status == RVM_OK && largest * (double)q->K * DBL_EPSILON < pivot_noise &&
             rvm_cholesky(q->R, q->columns->threads);
    rvm_team_same(q->observed->spans.team, found, sizeof *found);
    if (*found)
        gsl_matrix_transpose(q->R);
    return status;
}

/* R with the curvature at q->f. */
static rvm_status factor(rvm_posterior *q, rvm_error *err)
{
    bool found = false;
    const rvm_status status = q->hasty ? factor_in_haste(&found, q, err) : RVM_OK;
    return status != RVM_OK || found ? status : factor_by_rows(q, err);
}

/* ---- The mode ------------------------------------------------------------------------------- */

/* ln p(t|u) - 1/2 u'u, for rvm_mode. */
static rvm_status evaluate(double *objective, void *self, const double *u, rvm_error *err)
{
    rvm_posterior *q = self;
    const rvm_observed *o = q->observed;
    rvm_status status = rvm_team_agree(o->spans.team, activate(q, u, err), err);
    if (status == RVM_OK)
        status = rvm_observed_log_likelihood(&q->log_likelihood, o, q->f, q->ln_beta,
                                             q->columns->threads, err);
    *objective = q->log_likelihood;
    for (size_t i = 0; i < q->K; i++)
        *objective -= 0.5 * u[i] * u[i];
    rvm_team_same(o->spans.team, objective, sizeof *objective);
    return status;
}

/* Gradient and curvature at q->f, and R, which normal noise has once and for all. */
static rvm_status expand(rvm_posterior *q, rvm_error *err)
{
    const rvm_observed *o = q->observed;
    o->likelihood->derivatives(q->gradient, q->root, o, q->f, q->ln_beta);
    for (size_t n = 0; n < q->N; n++)
        q->root[n] = sqrt(q->root[n]);
    if (q->factored && !o->likelihood->curved)
        return RVM_OK;
    q->factored = true;
    return factor(q, err);
}

/* Phi' gradient */
static rvm_status add_gradient(void *context, size_t first, size_t rows, double *sums, int worker,
                               rvm_error *err)
{
    const rvm_posterior *q = context;
    const size_t end = first + rows;
    gsl_vector_view s = gsl_vector_view_array(sums, q->K);
    (void)worker;
    for (size_t at = first; at < end; at += STRIP) {
        gsl_matrix_view X;
        const rvm_status status = read_strip(&X, q->strip, q, at, end, err);
        if (status != RVM_OK)
            return status;
        gsl_vector_const_view g = gsl_vector_const_view_array(q->gradient + at, X.matrix.size2);
        gsl_blas_dgemv(CblasNoTrans, 1, &X.matrix, &g.vector, 1, &s.vector);
    }
    return RVM_OK;
}

/* The step H^-1 g to the mode from u, g = D Phi' gradient - u, for rvm_mode: with R'x = g it
 * promises x'x. Every process solves; where they round in other ways, the step is that of one. */
static rvm_status newton(double *step, double *promise, void *self, const double *u, rvm_error *err)
{
    rvm_posterior *q = self;
    rvm_team *team = q->observed->spans.team;
    rvm_status status = expand(q, err);
    if (status == RVM_OK)
        status = rvm_spans_fold(step, q->K, &q->observed->spans, add_gradient, NULL, q, 1, err);
    if (status != RVM_OK)
        return status;
    gsl_vector_view s = gsl_vector_view_array(step, q->K);
    for (size_t i = 0; i < q->K; i++)
        step[i] = q->D[i] * step[i] - u[i];
    gsl_blas_dtrsv(CblasUpper, CblasTrans, CblasNonUnit, q->R, &s.vector);
    gsl_blas_ddot(&s.vector, &s.vector, promise);
    gsl_blas_dtrsv(CblasUpper, CblasNoTrans, CblasNonUnit, q->R, &s.vector);
    rvm_team_same(team, step, q->K * sizeof *step);
    rvm_team_same(team, promise, sizeof *promise);
    return RVM_OK;
}

/* For normal noise one step is exact and the second refines it against rounding; else the search
 * has ended near the mode, of these rows or of a part of them, and the steps converge. */
rvm_status rvm_posterior_settle(rvm_posterior *q, rvm_error *err)
{
    const bool curved = q->observed->likelihood->curved;
    const int steps = curved ? (q->hasty ? HASTY_STEPS : MOST_STEPS) : q->hasty ? 1 : 2;
    const rvm_mode mode = { q->K, q, evaluate, newton, steps - 1, at_mode };
    double objective;
    rvm_status status = rvm_mode_find(&objective, q->u, q->step, q->trial, NULL, &mode, err);
    for (size_t i = 0; i < q->K; i++)
        q->u[i] += q->step[i];
    if (status == RVM_OK && q->K > 0)
        status = evaluate(&objective, q, q->u, err);
    return status == RVM_OK && q->K > 0 && curved ? expand(q, err) : status;
}

double rvm_posterior_penalty(const rvm_posterior *q)
{
    double sum = 0;
    for (size_t i = 0; i < q->K; i++)
        sum += 0.5 * q->u[i] * q->u[i] + log(gsl_matrix_get(q->R, i, i));
    return sum;
}
