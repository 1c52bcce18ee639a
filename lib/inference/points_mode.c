/* Classes by a sparse Gaussian process: the mode of the weights, and the curvature there. */
#include "inference/points_mode.h"

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
#include "base/vecmath.h"

enum {
    PIECE = RVM_POINTS_PIECE,
    LEAST_UNIT = 16, /* pieces that are in hand at a time, */
    MOST_UNIT = 64,
    CURVATURE_ROWS = 20000, /* rows that P is made of, at the most or so */
    STEPS = 400
};

/* ---- Memory --------------------------------------------------------------------------------- */

/* What a piece of rows says: the log likelihood, and its derivative by W. */
static size_t sums_of_piece(const rvm_points_mode *q)
{
    return 1 + q->C * q->m;
}

static size_t room_for(size_t rows)
{
    return rvm_points_pieces(rows) * PIECE;
}

/* Rows in hand at a time follow from the budget and the rows of all, so that sums are the same for any
 * number of processes; whether phi is kept does not matter to them. Of the budget phi has what triangles
 * and pieces leave. */
static void share_out(rvm_points_mode *q, double budget)
{
    const rvm_spans *spans = &q->points->spans;
    const double left =
        budget - (double)(rvm_spans_held(spans) + 1) * (double)rvm_gram_packed_size(q->m, 0);
    const double of_piece = (double)((q->m + 2 * q->C) * PIECE + sums_of_piece(q));
    const double fit = fmax(LEAST_UNIT, fmin(floor(left / of_piece), MOST_UNIT)) * PIECE;
    const size_t all = room_for(GSL_MIN(spans->rows, spans->N));
    q->unit = fit < (double)all ? (size_t)fit : all;
    const double unit = (double)(q->unit / PIECE) * of_piece;
    q->keeps =
        (double)(q->m * room_for(q->points->N)) + unit <= left || room_for(q->points->N) <= q->unit;
}

rvm_status rvm_points_mode_init(rvm_points_mode *q, const rvm_points *points, const gsl_matrix *T,
                                const double *precision, size_t terms, size_t C, const double *t,
                                const size_t *class_of_row, double budget, rvm_error *err)
{
    *q = (rvm_points_mode){ .points = points,
                            .T = T,
                            .precision = precision,
                            .terms = terms,
                            .m = terms + points->K,
                            .C = C,
                            .t = t,
                            .class_of_row = class_of_row };
    share_out(q, budget);
    q->phi = gsl_matrix_alloc(q->m, q->keeps ? room_for(points->N) : q->unit);
    q->A = gsl_matrix_calloc(C, q->unit);
    q->G = gsl_matrix_alloc(C, q->unit);
    q->P = gsl_matrix_alloc(q->m, q->m);
    q->W = gsl_matrix_calloc(C, q->m);
    q->V = gsl_matrix_calloc(C, q->m);
    q->of_piece = rvm_array(q->unit / PIECE, sums_of_piece(q) * sizeof *q->of_piece);
    if (q->phi != NULL && q->A != NULL && q->G != NULL && q->P != NULL && q->W != NULL &&
        q->V != NULL && q->of_piece != NULL)
        return RVM_OK;
    rvm_points_mode_free(q);
    return rvm_fail_memory(err, "the classes");
}

void rvm_points_mode_free(rvm_points_mode *q)
{
    gsl_matrix_free(q->phi);
    gsl_matrix_free(q->A);
    gsl_matrix_free(q->G);
    gsl_matrix_free(q->P);
    gsl_matrix_free(q->W);
    gsl_matrix_free(q->V);
    free(q->of_piece);
    *q = (rvm_points_mode){ .points = NULL };
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Rows first .. first + count - 1 in hand, at columns `column` and on of phi. */
typedef struct {
    rvm_points_mode *q;
    size_t first, count, column;
    bool there; /* phi has them */
} strip;

/* The next ones of rows first .. first + rows - 1 that come at `at`. */
static strip take_strip(rvm_points_mode *q, size_t first, size_t rows, size_t at)
{
    return (strip){ .q = q,
                    .first = first + at,
                    .count = GSL_MIN(q->unit, rows - at),
                    .column = q->keeps ? first + at : 0,
                    .there = q->filled };
}

static gsl_matrix_view phi_of_piece(const strip *s, size_t number)
{
    const size_t at = number * PIECE;
    return gsl_matrix_submatrix(s->q->phi, 0, s->column + at, s->q->m,
                                GSL_MIN(PIECE, s->count - at));
}

/* Phi' of rows `first` and on, as many as phi has columns: terms, then kernel functions. */
static rvm_status fill_phi(gsl_matrix *phi, const rvm_points_mode *q, size_t first, rvm_error *err)
{
    const size_t count = phi->size2;
    gsl_matrix_view kernel = gsl_matrix_submatrix(phi, q->terms, 0, q->points->K, count);
    if (q->filled) {
        gsl_matrix_const_view kept = gsl_matrix_const_submatrix(q->phi, 0, first, q->m, count);
        gsl_matrix_memcpy(phi, &kept.matrix);
        return RVM_OK;
    }
    for (size_t i = 0; i < q->terms; i++)
        memcpy(gsl_matrix_ptr(phi, i, 0), gsl_matrix_const_ptr(q->T, i, first),
               count * sizeof(double));
    return rvm_points_values(&kernel.matrix, q->points, first, err);
}

/* ---- D -------------------------------------------------------------------------------------- */

/* Each row x' of X becomes (D x)', from v to w, or (D'x)'. */
static void multiply_D(gsl_matrix *X, const rvm_points_mode *q, bool transposed)
{
    gsl_matrix_view kernel = gsl_matrix_submatrix(X, 0, q->terms, X->size1, q->points->K);
    for (size_t i = 0; i < q->terms; i++) {
        gsl_vector_view column = gsl_matrix_column(X, i);
        gsl_vector_scale(&column.vector, 1 / sqrt(q->precision[i]));
    }
    /* x'D' with D' = s^1/2 L^-1, or x'D */
    gsl_blas_dtrsm(CblasRight, CblasLower, transposed ? CblasTrans : CblasNoTrans, CblasNonUnit,
                   sqrt(q->variance), q->points->L, &kernel.matrix);
}

/* ---- The objective -------------------------------------------------------------------------- */

static double weight_of(const rvm_points_mode *q, size_t row)
{
    return q->row_weight == NULL ? 1 : q->row_weight[row];
}

/* Sum of rho ln P of some rows, and its gradient by their activations: two classes. */
static double two_classes(const strip *s, size_t at, size_t count)
{
    const rvm_points_mode *q = s->q;
    const double *a = gsl_matrix_const_ptr(q->A, 0, at), *t = q->t + s->first + at;
    const double *rho = q->row_weight == NULL ? NULL : q->row_weight + s->first + at;
    double curvature[PIECE];
    rvm_vec_logistic_slope(gsl_matrix_ptr(q->G, 0, at), curvature, a, t, rho, count);
    return rvm_vec_logistic_sum(a, t, rho, count);
}

/* a - max a, rows by columns of A; the largest to top. */
static void subtract_largest(gsl_matrix *G, const gsl_matrix *A, size_t at, size_t count,
                             double *top)
{
    for (size_t n = 0; n < count; n++)
        top[n] = -INFINITY;
    for (size_t c = 0; c < A->size1; c++) {
        const double *a = gsl_matrix_const_ptr(A, c, at);
        for (size_t n = 0; n < count; n++)
            top[n] = fmax(top[n], a[n]);
    }
    for (size_t c = 0; c < A->size1; c++) {
        const double *a = gsl_matrix_const_ptr(A, c, at);
        double *g = gsl_matrix_ptr(G, c, at);
        for (size_t n = 0; n < count; n++)
            g[n] = top[n] - a[n];
        for (size_t n = count; n < PIECE; n++) /* whole vectors */
            g[n] = 0;
    }
}

/* The same of more: g = rho (t - y). */
static double many_classes(const strip *s, size_t at, size_t count)
{
    const rvm_points_mode *q = s->q;
    double top[PIECE], total[PIECE] = { 0 }, sum = 0;
    subtract_largest(q->G, q->A, at, count, top);
    for (size_t c = 0; c < q->C; c++) {
        double *g = gsl_matrix_ptr(q->G, c, at);
        rvm_vec_decay(g, 1, PIECE);
        for (size_t n = 0; n < count; n++)
            total[n] += g[n];
    }
    for (size_t n = 0; n < count; n++) {
        const size_t row = s->first + at + n;
        const double rho = weight_of(q, row);
        const double own = gsl_matrix_get(q->A, q->class_of_row[row], at + n);
        sum += rho * (own - top[n] - log(total[n]));
        total[n] = rho / total[n];
    }
    for (size_t c = 0; c < q->C; c++) {
        double *g = gsl_matrix_ptr(q->G, c, at);
        for (size_t n = 0; n < count; n++)
            g[n] *= -total[n];
    }
    for (size_t n = 0; n < count; n++) {
        const size_t row = s->first + at + n;
        *gsl_matrix_ptr(q->G, q->class_of_row[row], at + n) += weight_of(q, row);
    }
    return sum;
}

/* phi of a piece of the strip, its activations, what its rows say, and the gradient by them. */
static rvm_status activate_piece(void *context, size_t number, int worker, rvm_error *err)
{
    const strip *s = context;
    rvm_points_mode *q = s->q;
    const size_t at = number * PIECE;
    gsl_matrix_view phi = phi_of_piece(s, number);
    gsl_matrix_view A = gsl_matrix_submatrix(q->A, 0, at, q->C, phi.matrix.size2);
    const rvm_status status = s->there ? RVM_OK : fill_phi(&phi.matrix, q, s->first + at, err);
    (void)worker;
    if (status != RVM_OK)
        return status;
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, q->W, &phi.matrix, 0, &A.matrix);
    q->of_piece[number * sums_of_piece(q)] =
        (q->C > 1 ? many_classes : two_classes)(s, at, phi.matrix.size2);
    return RVM_OK;
}

/* And that by the weights, G Phi, while phi is at hand. */
static rvm_status evaluate_piece(void *context, size_t number, int worker, rvm_error *err)
{
    const strip *s = context;
    rvm_points_mode *q = s->q;
    const rvm_status status = activate_piece(context, number, worker, err);
    if (status != RVM_OK)
        return status;
    gsl_matrix_view phi = phi_of_piece(s, number);
    gsl_matrix_view G = gsl_matrix_submatrix(q->G, 0, number * PIECE, q->C, phi.matrix.size2);
    gsl_matrix_view Q =
        gsl_matrix_view_array(q->of_piece + number * sums_of_piece(q) + 1, q->C, q->m);
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, &G.matrix, &phi.matrix, 0, &Q.matrix);
    return RVM_OK;
}

/* Of a strip, all pieces; an interrupt ends it. */
static rvm_status share(strip *s, rvm_piece *piece, rvm_error *err)
{
    if (rvm_interrupted(s->q->interrupted))
        return rvm_fail_interrupted(err);
    return rvm_share(rvm_points_pieces(s->count), piece, s, s->q->points->threads, err);
}

static rvm_status evaluate_span(void *context, size_t first, size_t rows, double *sums, int worker,
                                rvm_error *err)
{
    rvm_points_mode *q = context;
    const size_t count = sums_of_piece(q);
    rvm_status status = RVM_OK;
    (void)worker;
    for (size_t at = 0; at < rows && status == RVM_OK; at += q->unit) {
        strip s = take_strip(q, first, rows, at);
        status = share(&s, evaluate_piece, err);
        for (size_t k = 0; k < rvm_points_pieces(s.count) && status == RVM_OK; k++)
            for (size_t i = 0; i < count; i++)
                sums[i] += q->of_piece[k * count + i];
    }
    return status;
}

/* At q->W: the log likelihood, and its derivative by the weights into Q, C x m. */
static rvm_status evaluate_rows(gsl_matrix *Q, rvm_points_mode *q, rvm_error *err)
{
    const size_t count = sums_of_piece(q);
    double *sums = rvm_array(count, sizeof *sums);
    if (sums == NULL)
        return rvm_fail_memory(err, "the classes");
    const rvm_status status =
        rvm_spans_fold(sums, count, &q->points->spans, evaluate_span, NULL, q, 1, err);
    q->filled = q->filled || (status == RVM_OK && q->keeps);
    q->log_likelihood = sums[0];
    memcpy(Q->data, sums + 1, (count - 1) * sizeof *sums);
    free(sums);
    return status;
}

/* ---- The mode ------------------------------------------------------------------------------- */

/* q->V and q->W of u, C x m. */
static void set_place(rvm_points_mode *q, const double *u)
{
    gsl_matrix_const_view U = gsl_matrix_const_view_array(u, q->C, q->m);
    gsl_matrix_memcpy(q->V, &U.matrix);
    /* u = P'v, as rows u' = v'P */
    gsl_blas_dtrsm(CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, 1, q->P, q->V);
    gsl_matrix_memcpy(q->W, q->V);
    multiply_D(q->W, q, false);
}

static rvm_status evaluate(double *value, double *gradient, void *self, const double *u,
                           rvm_error *err)
{
    rvm_points_mode *q = self;
    gsl_matrix_view Q = gsl_matrix_view_array(gradient, q->C, q->m);
    set_place(q, u);
    const rvm_status status = evaluate_rows(&Q.matrix, q, err);
    *value = q->log_likelihood;
    for (size_t c = 0; c < q->C; c++) {
        const double *v = gsl_matrix_const_ptr(q->V, c, 0);
        *value -= 0.5 * rvm_vec_dot(v, v, q->m);
    }
    multiply_D(&Q.matrix, q, true);
    gsl_matrix_sub(&Q.matrix, q->V);
    /* By u: (P^-1 g)', as rows g'P^-T */
    gsl_blas_dtrsm(CblasRight, CblasLower, CblasTrans, CblasNonUnit, 1, q->P, &Q.matrix);
    if (!isfinite(*value))
        *value = -INFINITY;
    return status;
}

rvm_status rvm_points_mode_find(rvm_points_mode *q, double tolerance, rvm_error *err)
{
    const rvm_hill hill = { .count = q->C * q->m,
                            .evaluate = evaluate,
                            .self = q,
                            .interrupted = q->interrupted,
                            .longest = INFINITY };
    rvm_ascent a;
    if (!rvm_ascent_init(&a, hill.count)) {
        rvm_ascent_free(&a);
        return rvm_fail_memory(err, "the classes");
    }
    a.team = q->points->spans.team;
    gsl_matrix_view U = gsl_matrix_view_array(a.now.theta, q->C, q->m);
    gsl_matrix_memcpy(&U.matrix, q->V);
    gsl_blas_dtrmm(CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, 1, q->P, &U.matrix);
    rvm_status status = rvm_ascent_begin(&a, &hill, err);
    if (status == RVM_OK)
        status = rvm_ascent_climb(&a, &hill, tolerance, STEPS, STEPS, err);
    if (status == RVM_OK && !a.resting && rvm_interrupted(q->interrupted))
        status = rvm_fail_interrupted(err); /* no mode */
    if (status == RVM_OK) {                 /* the last trial may have been another one */
        double value;
        status = evaluate(&value, a.trial.gradient, q, a.now.theta, err);
        if (status == RVM_OK && !isfinite(value))
            status = rvm_fail(err, RVM_ENUMERIC, "the process left the range of finite numbers");
    }
    rvm_ascent_free(&a);
    return status;
}

rvm_status rvm_points_mode_activate(gsl_matrix *A, rvm_points_mode *q, size_t first, rvm_error *err)
{
    gsl_matrix *phi = gsl_matrix_alloc(q->m, A->size2);
    if (phi == NULL)
        return rvm_fail_memory(err, "the classes");
    const rvm_status status = fill_phi(phi, q, first, err);
    if (status == RVM_OK)
        gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, q->W, phi, 0, A);
    gsl_matrix_free(phi);
    return status;
}

/* ---- Curvature ------------------------------------------------------------------------------ */

enum { PART = 8 * PIECE /* rows whose features are in hand */ };

/* Rows first + at, ... of the strip: Phi', which becomes B^1/2 F, F' = D'Phi'; root: of the diagonal
 * of B. */
typedef struct {
    const strip *s;
    size_t at;
    gsl_matrix *F;
    const double *root;
} part;

static rvm_status feature_piece(void *context, size_t number, int worker, rvm_error *err)
{
    const part *p = context;
    const rvm_points_mode *q = p->s->q;
    const size_t at = number * PIECE;
    gsl_matrix_view F = rvm_points_piece(p->F, p->F->size2, number);
    gsl_matrix_view kernel =
        gsl_matrix_submatrix(&F.matrix, q->terms, 0, q->points->K, F.matrix.size2);
    rvm_status status = RVM_OK;
    (void)worker;
    if (p->s->there) {
        gsl_matrix_const_view phi =
            gsl_matrix_const_submatrix(q->phi, 0, p->s->column + p->at + at, q->m, F.matrix.size2);
        gsl_matrix_memcpy(&F.matrix, &phi.matrix);
    } else {
        status = fill_phi(&F.matrix, q, p->s->first + p->at + at, err);
    }
    for (size_t i = 0; i < q->terms; i++) {
        gsl_vector_view row = gsl_matrix_row(&F.matrix, i);
        gsl_vector_scale(&row.vector, 1 / sqrt(q->precision[i]));
    }
    rvm_points_whiten(&kernel.matrix, q->points);
    gsl_matrix_scale(&kernel.matrix, sqrt(q->variance));
    for (size_t i = 0; i < q->m; i++)
        for (size_t n = 0; n < F.matrix.size2; n++)
            *gsl_matrix_ptr(&F.matrix, i, n) *= p->root[at + n];
    return status;
}

/* Adds F'B F of as many rows as F, which is scratch, has columns to the packed triangle `sums`. */
static rvm_status add_part(double *sums, gsl_matrix *F, const strip *s, size_t at,
                           const double *root, rvm_error *err)
{
    const rvm_points_mode *q = s->q;
    part p = { s, at, F, root };
    if (rvm_interrupted(q->interrupted))
        return rvm_fail_interrupted(err);
    const rvm_status status =
        rvm_share(rvm_points_pieces(F->size2), feature_piece, &p, q->points->threads, err);
    rvm_gram_add_packed(sums, F, 0, q->points->threads);
    return status;
}

/* What the sums of P are made with: scratch. */
typedef struct {
    rvm_points_mode *q;
    gsl_matrix *F; /* owned, m x PART */
    double *root;  /* owned, the larger of PART and the rows of a strip */
    size_t every;
} factor_job;

static rvm_status factor_job_init(factor_job *j, rvm_points_mode *q, rvm_error *err)
{
    *j = (factor_job){ .q = q, .F = gsl_matrix_alloc(q->m, PART) };
    j->root = rvm_array(GSL_MAX(q->unit, (size_t)PART), sizeof *j->root);
    return j->F == NULL || j->root == NULL ? rvm_fail_memory(err, "the classes") : RVM_OK;
}

static void factor_job_free(factor_job *j)
{
    gsl_matrix_free(j->F);
    free(j->root);
}

/* Of the largest element, on the diagonal beside I: where s is so large that I is lost beside F'B F,
 * which may be singular. */
static const double ridge = 1e-13;

/* P, which is F'B F, becomes the factor of I + F'B F: of one processor, since others may round
 * otherwise. */
static rvm_status finish_factor(double *log_det, rvm_points_mode *q, rvm_error *err)
{
    rvm_team *team = q->points->spans.team;
    rvm_status status = RVM_OK;
    double most = 0;
    for (size_t i = 0; i < q->m; i++)
        most = fmax(most, gsl_matrix_get(q->P, i, i));
    for (size_t i = 0; i < q->m; i++)
        *gsl_matrix_ptr(q->P, i, i) += 1 + ridge * (double)q->m * most;
    if (!rvm_cholesky(q->P, q->points->threads))
        status = rvm_fail(err, RVM_ENUMERIC,
                          "the process left the range of finite numbers: scale the data");
    status = rvm_team_agree(team, status, err);
    if (status != RVM_OK)
        return status;
    rvm_team_same(team, q->P->data, q->m * q->m * sizeof *q->P->data);
    *log_det = rvm_cholesky_log_det(q->P);
    return RVM_OK;
}

/* From F'B F of spans to P. */
static rvm_status fold_factor(double *log_det, factor_job *j, rvm_spans_piece *piece,
                              rvm_error *err)
{
    rvm_points_mode *q = j->q;
    const size_t count = rvm_gram_packed_size(q->m, 0);
    double *sums = rvm_array(count, sizeof *sums);
    if (sums == NULL)
        return rvm_fail_memory(err, "the classes");
    const rvm_status status =
        rvm_spans_fold(sums, count, &q->points->spans, piece, NULL, j, 1, err);
    rvm_gram_unpack(q->P, sums, 0);
    free(sums);
    return status == RVM_OK ? finish_factor(log_det, q, err) : status;
}

/* Every `every`-th part of the rows of all counts `every` times. */
static rvm_status precondition_span(void *context, size_t first, size_t rows, double *sums,
                                    int worker, rvm_error *err)
{
    const factor_job *j = context;
    rvm_points_mode *q = j->q;
    const size_t number = (rvm_spans_first_row(&q->points->spans) + first) / PART;
    rvm_status status = RVM_OK;
    (void)worker;
    for (size_t at = 0, k = number; at < rows && status == RVM_OK; at += PART, k++) {
        if (k % j->every != 0)
            continue;
        const strip s = { .q = q, .first = first, .column = first, .there = q->filled };
        gsl_matrix_view F = gsl_matrix_submatrix(j->F, 0, 0, q->m, GSL_MIN(PART, rows - at));
        status = add_part(sums, &F.matrix, &s, at, j->root, err);
    }
    return status;
}

rvm_status rvm_points_mode_precondition(rvm_points_mode *q, double variance, rvm_error *err)
{
    const double share_of = q->C > 1 ? 1.0 / (double)q->C : 0.5;
    double log_det;
    factor_job j;
    rvm_status status = factor_job_init(&j, q, err);
    q->variance = variance;
    j.every = q->points->spans.N / CURVATURE_ROWS + 1;
    for (size_t n = 0; n < PART && status == RVM_OK; n++)
        j.root[n] = sqrt((double)j.every * share_of * (1 - share_of));
    if (status == RVM_OK)
        status = fold_factor(&log_det, &j, precondition_span, err);
    factor_job_free(&j);
    return status;
}

/* Roots of rho P (1 - P), the mean over the classes, from the gradient rho (t - P). */
static void fill_roots(double *root, const strip *s)
{
    const rvm_points_mode *q = s->q;
    for (size_t n = 0; n < s->count; n++) {
        const double rho = weight_of(q, s->first + n);
        double sum = 0;
        for (size_t c = 0; c < q->C && rho > 0; c++) {
            const double t = q->C > 1 ? q->class_of_row[s->first + n] == c : q->t[s->first + n];
            const double p = t - gsl_matrix_get(q->G, c, n) / rho;
            sum += p * (1 - p) / (double)q->C;
        }
        root[n] = sqrt(fmax(rho * sum, 0));
    }
}

/* The rows in hand, a part at a time, so that only that is there twice. */
static rvm_status add_strip(double *sums, const strip *s, const factor_job *j, rvm_error *err)
{
    rvm_status status = RVM_OK;
    for (size_t at = 0; at < s->count && status == RVM_OK; at += PART) {
        gsl_matrix_view F = gsl_matrix_submatrix(j->F, 0, 0, s->q->m, GSL_MIN(PART, s->count - at));
        status = add_part(sums, &F.matrix, s, at, j->root + at, err);
    }
    return status;
}

static rvm_status curvature_span(void *context, size_t first, size_t rows, double *sums, int worker,
                                 rvm_error *err)
{
    const factor_job *j = context;
    rvm_points_mode *q = j->q;
    rvm_status status = RVM_OK;
    (void)worker;
    for (size_t at = 0; at < rows && status == RVM_OK; at += q->unit) {
        strip s = take_strip(q, first, rows, at);
        status = share(&s, activate_piece, err);
        if (status != RVM_OK)
            break;
        s.there = true;
        fill_roots(j->root, &s);
        status = add_strip(sums, &s, j, err);
    }
    return status;
}

rvm_status rvm_points_mode_curvature(double *log_det, rvm_points_mode *q, rvm_error *err)
{
    factor_job j;
    rvm_status status = factor_job_init(&j, q, err);
    if (status == RVM_OK)
        status = fold_factor(log_det, &j, curvature_span, err);
    factor_job_free(&j);
    return status;
}
