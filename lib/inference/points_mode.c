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
    CURVATURE_ROWS = 20000, /* rows that P is made of, at the most or so */
    STEPS = 400
};

/* ---- Memory --------------------------------------------------------------------------------- */

/* Rows of a strip, a multiple of what a thread takes: all, or as many as fit. */
static size_t choose_strip(const rvm_points_mode *q, double budget)
{
    const size_t all = rvm_points_pieces(q->points->N) * PIECE;
    const double fit = fmax(16, floor(budget / (double)(q->m + 2 * q->C) / PIECE)) * PIECE;
    return fit < (double)all ? (size_t)fit : all;
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
    q->strip = choose_strip(q, budget);
    q->phi = gsl_matrix_alloc(q->m, q->strip);
    q->A = gsl_matrix_calloc(C, q->strip);
    q->G = gsl_matrix_alloc(C, q->strip);
    q->P = gsl_matrix_alloc(q->m, q->m);
    q->W = gsl_matrix_calloc(C, q->m);
    q->V = gsl_matrix_calloc(C, q->m);
    q->of_piece = rvm_array(q->strip / PIECE, sizeof *q->of_piece);
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

/* ---- Strips --------------------------------------------------------------------------------- */

/* Rows first .. first + count - 1 in hand. */
typedef struct {
    rvm_points_mode *q;
    size_t first, count;
} strip;

static rvm_status share(strip *s, rvm_piece *piece, rvm_error *err)
{
    return rvm_share(rvm_points_pieces(s->count), piece, s, s->q->points->threads, err);
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

static rvm_status fill_piece(void *context, size_t number, int worker, rvm_error *err)
{
    const strip *s = context;
    gsl_matrix_view phi = rvm_points_piece(s->q->phi, s->count, number);
    (void)worker;
    return fill_phi(&phi.matrix, s->q, s->first + number * PIECE, err);
}

/* phi of the rows from `first` on, unless it is there. */
static rvm_status read_strip(strip *s, rvm_points_mode *q, size_t first, rvm_error *err)
{
    const size_t N = q->points->N;
    *s = (strip){ .q = q, .first = first, .count = GSL_MIN(q->strip, N - first) };
    if (q->filled)
        return RVM_OK;
    const rvm_status status = share(s, fill_piece, err);
    q->filled = status == RVM_OK && q->strip >= N;
    return status;
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

/* Activations of a piece of the strip, what its rows say, and the gradient. */
static rvm_status evaluate_piece(void *context, size_t number, int worker, rvm_error *err)
{
    const strip *s = context;
    rvm_points_mode *q = s->q;
    gsl_matrix_view phi = rvm_points_piece(q->phi, s->count, number);
    gsl_matrix_view A = rvm_points_piece(q->A, s->count, number);
    (void)worker, (void)err;
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, q->W, &phi.matrix, 0, &A.matrix);
    q->of_piece[number] =
        (q->C > 1 ? many_classes : two_classes)(s, number * PIECE, A.matrix.size2);
    return RVM_OK;
}

/* At q->W: the log likelihood, and its derivative by the weights into Q, C x m. */
static rvm_status evaluate_rows(gsl_matrix *Q, rvm_points_mode *q, rvm_error *err)
{
    rvm_status status = RVM_OK;
    gsl_matrix_set_zero(Q);
    q->log_likelihood = 0;
    for (size_t first = 0; first < q->points->N && status == RVM_OK; first += q->strip) {
        strip s;
        status = read_strip(&s, q, first, err);
        if (status == RVM_OK)
            status = share(&s, evaluate_piece, err);
        if (status == RVM_OK && rvm_interrupted(q->interrupted))
            status = rvm_fail_interrupted(err);
        if (status != RVM_OK)
            break;
        for (size_t k = 0; k < rvm_points_pieces(s.count); k++)
            q->log_likelihood += q->of_piece[k];
        gsl_matrix_const_view phi = gsl_matrix_const_submatrix(q->phi, 0, 0, q->m, s.count);
        gsl_matrix_const_view G = gsl_matrix_const_submatrix(q->G, 0, 0, q->C, s.count);
        rvm_product_add(Q, &G.matrix, &phi.matrix, q->points->threads);
    }
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

/* Phi' of some rows, which becomes F' = D'Phi'. */
typedef struct {
    const rvm_points_mode *q;
    gsl_matrix *F;
} part;

static rvm_status feature_piece(void *context, size_t number, int worker, rvm_error *err)
{
    const part *p = context;
    const rvm_points_mode *q = p->q;
    gsl_matrix_view F = rvm_points_piece(p->F, p->F->size2, number);
    gsl_matrix_view kernel =
        gsl_matrix_submatrix(&F.matrix, q->terms, 0, q->points->K, F.matrix.size2);
    (void)worker, (void)err;
    for (size_t i = 0; i < q->terms; i++) {
        gsl_vector_view row = gsl_matrix_row(&F.matrix, i);
        gsl_vector_scale(&row.vector, 1 / sqrt(q->precision[i]));
    }
    rvm_points_whiten(&kernel.matrix, q->points);
    gsl_matrix_scale(&kernel.matrix, sqrt(q->variance));
    return RVM_OK;
}

/* P += F'B F of rows whose phi is in F, which is destroyed; root: of the diagonal of B. */
static rvm_status add_weighted(gsl_matrix *F, const double *root, const rvm_points_mode *q,
                               rvm_error *err)
{
    part p = { q, F };
    if (rvm_interrupted(q->interrupted))
        return rvm_fail_interrupted(err);
    const rvm_status status =
        rvm_share(rvm_points_pieces(F->size2), feature_piece, &p, q->points->threads, err);
    for (size_t i = 0; i < F->size1; i++) {
        double *f = gsl_matrix_ptr(F, i, 0);
        for (size_t n = 0; n < F->size2; n++)
            f[n] *= root[n];
    }
    rvm_gram_add(q->P, F, 0, false, q->points->threads);
    return status;
}

/* Of the largest element, on the diagonal beside I: where s is so large that I is lost beside F'B F,
 * which may be singular. */
static const double ridge = 1e-13;

/* P, which is F'B F, becomes the factor of I + F'B F. */
static rvm_status finish_factor(double *log_det, rvm_points_mode *q, rvm_error *err)
{
    double most = 0;
    for (size_t i = 0; i < q->m; i++)
        most = fmax(most, gsl_matrix_get(q->P, i, i));
    for (size_t i = 0; i < q->m; i++)
        *gsl_matrix_ptr(q->P, i, i) += 1 + ridge * (double)q->m * most;
    if (!rvm_cholesky(q->P, q->points->threads))
        return rvm_fail(err, RVM_ENUMERIC,
                        "the process left the range of finite numbers: scale the data");
    *log_det = rvm_cholesky_log_det(q->P);
    return RVM_OK;
}

/* Every `every`-th part of the rows counts `every` times. */
rvm_status rvm_points_mode_precondition(rvm_points_mode *q, double variance, rvm_error *err)
{
    const size_t N = q->points->N, every = N / CURVATURE_ROWS + 1;
    const double share_of = q->C > 1 ? 1.0 / (double)q->C : 0.5;
    gsl_matrix *F = gsl_matrix_alloc(q->m, PART);
    double root[PART], log_det;
    rvm_status status = F == NULL ? rvm_fail_memory(err, "the classes") : RVM_OK;
    q->variance = variance;
    gsl_matrix_set_zero(q->P);
    for (size_t n = 0; n < PART; n++)
        root[n] = sqrt((double)every * share_of * (1 - share_of));
    for (size_t first = 0; first < N && status == RVM_OK; first += every * PART) {
        const size_t count = GSL_MIN(PART, N - first);
        gsl_matrix_view f = gsl_matrix_submatrix(F, 0, 0, q->m, count);
        status = fill_phi(&f.matrix, q, first, err);
        if (status == RVM_OK)
            status = add_weighted(&f.matrix, root, q, err);
    }
    gsl_matrix_free(F);
    return status == RVM_OK ? finish_factor(&log_det, q, err) : status;
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
static rvm_status add_strip(const strip *s, gsl_matrix *F, const double *root, rvm_error *err)
{
    rvm_points_mode *q = s->q;
    rvm_status status = RVM_OK;
    for (size_t at = 0; at < s->count && status == RVM_OK; at += PART) {
        const size_t count = GSL_MIN(PART, s->count - at);
        gsl_matrix_const_view phi = gsl_matrix_const_submatrix(q->phi, 0, at, q->m, count);
        gsl_matrix_view f = gsl_matrix_submatrix(F, 0, 0, q->m, count);
        gsl_matrix_memcpy(&f.matrix, &phi.matrix);
        status = add_weighted(&f.matrix, root + at, q, err);
    }
    return status;
}

static rvm_status add_rows(rvm_points_mode *q, gsl_matrix *F, double *root, rvm_error *err)
{
    rvm_status status = RVM_OK;
    gsl_matrix_set_zero(q->P);
    for (size_t first = 0; first < q->points->N && status == RVM_OK; first += q->strip) {
        strip s;
        status = read_strip(&s, q, first, err);
        if (status == RVM_OK)
            status = share(&s, evaluate_piece, err);
        if (status != RVM_OK)
            break;
        fill_roots(root, &s);
        status = add_strip(&s, F, root, err);
    }
    return status;
}

rvm_status rvm_points_mode_curvature(double *log_det, rvm_points_mode *q, rvm_error *err)
{
    gsl_matrix *F = gsl_matrix_alloc(q->m, PART);
    double *root = rvm_array(q->strip, sizeof *root);
    rvm_status status = F == NULL || root == NULL ? rvm_fail_memory(err, "the classes") : RVM_OK;
    if (status == RVM_OK)
        status = add_rows(q, F, root, err);
    if (status == RVM_OK)
        status = finish_factor(log_det, q, err);
    gsl_matrix_free(F);
    free(root);
    return status;
}
