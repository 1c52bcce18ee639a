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
    PIECE = 256,            /* rows that a thread takes at a time */
    CURVATURE_ROWS = 20000, /* rows that P is made of, at the most or so */
    STEPS = 400
};

static const double longest = 1e10; /* steps in u: no bound */

/* ---- Memory --------------------------------------------------------------------------------- */

/* Rows of a strip, a multiple of what a thread takes: all, or as many as fit. */
static size_t choose_strip(const rvm_points_mode *q, double budget)
{
    const size_t all = (q->points->N + PIECE - 1) / PIECE * PIECE;
    const double fit = fmax(16, floor(budget / (double)(q->m + 2 * q->C) / PIECE)) * PIECE;
    return fit < (double)all ? (size_t)fit : all;
}

rvm_status rvm_points_mode_init(rvm_points_mode *q, const rvm_points *points, const gsl_matrix *T,
                                const double *precision, size_t terms, size_t C,
                                const size_t *class_of_row, double budget, rvm_error *err)
{
    *q = (rvm_points_mode){ .points = points,
                            .T = T,
                            .precision = precision,
                            .terms = terms,
                            .m = terms + points->K,
                            .C = C,
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

static gsl_matrix_view piece_of(gsl_matrix *A, const strip *s, size_t number)
{
    const size_t at = number * PIECE;
    return gsl_matrix_submatrix(A, 0, at, A->size1, GSL_MIN(PIECE, s->count - at));
}

static size_t pieces_of(const strip *s)
{
    return (s->count + PIECE - 1) / PIECE;
}

static rvm_status share(strip *s, rvm_piece *piece, rvm_error *err)
{
    return rvm_share(pieces_of(s), piece, s, s->q->points->threads, err);
}

static rvm_status fill_piece(void *context, size_t number, int worker, rvm_error *err)
{
    const strip *s = context;
    const rvm_points_mode *q = s->q;
    const size_t at = number * PIECE, count = GSL_MIN(PIECE, s->count - at);
    gsl_matrix_view kernel = gsl_matrix_submatrix(q->phi, q->terms, at, q->m - q->terms, count);
    (void)worker;
    for (size_t i = 0; i < q->terms; i++)
        memcpy(gsl_matrix_ptr(q->phi, i, at), gsl_matrix_const_ptr(q->T, i, s->first + at),
               count * sizeof(double));
    return rvm_points_values(&kernel.matrix, q->points, s->first + at, err);
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

/* Sum of rho ln P of some rows, and the gradient in the place of their activations: two classes. */
static double two_classes(double *g, const double *a, const rvm_points_mode *q, size_t first,
                          size_t count)
{
    double sum = 0;
    for (size_t n = 0; n < count; n++) {
        const double rho = q->row_weight == NULL ? 1 : q->row_weight[first + n];
        const double sign = q->class_of_row[first + n] == 0 ? 1 : -1, z = sign * a[n];
        const double e = exp(-fabs(z)), of_other = z > 0 ? e / (1 + e) : 1 / (1 + e);
        sum -= rho * (fmax(-z, 0) + log1p(e));
        g[n] = rho * sign * of_other;
    }
    return sum;
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
static double many_classes(rvm_points_mode *q, const strip *s, size_t at, size_t count)
{
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
        const double rho = q->row_weight == NULL ? 1 : q->row_weight[row];
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
        *gsl_matrix_ptr(q->G, q->class_of_row[row], at + n) +=
            q->row_weight == NULL ? 1 : q->row_weight[row];
    }
    return sum;
}

/* Activations of a piece of the strip, what its rows say, and the gradient. */
static rvm_status evaluate_piece(void *context, size_t number, int worker, rvm_error *err)
{
    const strip *s = context;
    rvm_points_mode *q = s->q;
    const size_t at = number * PIECE, count = GSL_MIN(PIECE, s->count - at);
    gsl_matrix_view phi = piece_of(q->phi, s, number), A = piece_of(q->A, s, number);
    (void)worker, (void)err;
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, q->W, &phi.matrix, 0, &A.matrix);
    q->of_piece[number] =
        q->C > 1 ? many_classes(q, s, at, count)
                 : two_classes(gsl_matrix_ptr(q->G, 0, at), gsl_matrix_const_ptr(q->A, 0, at), q,
                               s->first + at, count);
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
        for (size_t k = 0; k < pieces_of(&s); k++)
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

rvm_status rvm_points_mode_find(rvm_points_mode *q, double tolerance,
                                const volatile int *interrupted, rvm_error *err)
{
    const size_t count = q->C * q->m;
    double *bounds = rvm_array(2 * count, sizeof *bounds);
    rvm_ascent a;
    if (!rvm_ascent_init(&a, count) || bounds == NULL) {
        free(bounds);
        rvm_ascent_free(&a);
        return rvm_fail_memory(err, "the classes");
    }
    for (size_t k = 0; k < count; k++) {
        bounds[k] = -INFINITY;
        bounds[count + k] = INFINITY;
    }
    const rvm_hill hill = { count, bounds, bounds + count, evaluate, q, interrupted, longest };
    gsl_matrix_view U = gsl_matrix_view_array(a.now.theta, q->C, q->m);
    gsl_matrix_memcpy(&U.matrix, q->V);
    gsl_blas_dtrmm(CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, 1, q->P, &U.matrix);
    rvm_status status = rvm_ascent_begin(&a, &hill, err);
    if (status == RVM_OK)
        status = rvm_ascent_climb(&a, &hill, tolerance, STEPS, STEPS, err);
    if (status == RVM_OK && !a.resting && rvm_interrupted(interrupted))
        status = rvm_fail_interrupted(err); /* no mode */
    if (status == RVM_OK) {                 /* the last trial may have been another one */
        double value;
        status = evaluate(&value, a.trial.gradient, q, a.now.theta, err);
        if (status == RVM_OK && !isfinite(value))
            status = rvm_fail(err, RVM_ENUMERIC, "the process left the range of finite numbers");
    }
    rvm_ascent_free(&a);
    free(bounds);
    return status;
}

rvm_status rvm_points_mode_activate(gsl_matrix *A, rvm_points_mode *q, size_t first, rvm_error *err)
{
    gsl_matrix *phi = gsl_matrix_alloc(q->m, A->size2);
    if (phi == NULL)
        return rvm_fail_memory(err, "the classes");
    gsl_matrix_view kernel = gsl_matrix_submatrix(phi, q->terms, 0, q->points->K, A->size2);
    for (size_t i = 0; i < q->terms; i++)
        memcpy(gsl_matrix_ptr(phi, i, 0), gsl_matrix_const_ptr(q->T, i, first),
               A->size2 * sizeof(double));
    const rvm_status status = rvm_points_values(&kernel.matrix, q->points, first, err);
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
    const size_t at = number * PIECE, count = GSL_MIN(PIECE, p->F->size2 - at);
    gsl_matrix_view kernel = gsl_matrix_submatrix(p->F, q->terms, at, q->points->K, count);
    (void)worker, (void)err;
    for (size_t i = 0; i < q->terms; i++) {
        gsl_vector_view row = gsl_matrix_subrow(p->F, i, at, count);
        gsl_vector_scale(&row.vector, 1 / sqrt(q->precision[i]));
    }
    rvm_points_whiten(&kernel.matrix, q->points);
    gsl_matrix_scale(&kernel.matrix, sqrt(q->variance));
    return RVM_OK;
}

/* R += F'B F of rows whose phi is in F, which is destroyed; root: of the diagonal of B. */
static rvm_status add_weighted(gsl_matrix *R, gsl_matrix *F, const double *root,
                               const rvm_points_mode *q, rvm_error *err)
{
    part p = { q, F };
    if (rvm_interrupted(q->interrupted))
        return rvm_fail_interrupted(err);
    const rvm_status status =
        rvm_share((F->size2 + PIECE - 1) / PIECE, feature_piece, &p, q->points->threads, err);
    for (size_t i = 0; i < F->size1; i++) {
        double *f = gsl_matrix_ptr(F, i, 0);
        for (size_t n = 0; n < F->size2; n++)
            f[n] *= root[n];
    }
    rvm_gram_add(R, F, 0, false, q->points->threads);
    return status;
}

/* Of the largest element, on the diagonal beside I: where s is so large that I is lost beside F'B F,
 * which may be singular. */
static const double ridge = 1e-13;

static rvm_status finish_factor(double *log_det, gsl_matrix *R, int threads, rvm_error *err)
{
    double most = 0;
    for (size_t i = 0; i < R->size1; i++)
        most = fmax(most, gsl_matrix_get(R, i, i));
    for (size_t i = 0; i < R->size1; i++)
        *gsl_matrix_ptr(R, i, i) += 1 + ridge * (double)R->size1 * most;
    if (!rvm_cholesky(R, threads))
        return rvm_fail(err, RVM_ENUMERIC,
                        "the process left the range of finite numbers: scale the data");
    *log_det = rvm_cholesky_log_det(R);
    return RVM_OK;
}

/* Every `every`-th piece of the rows counts `every` times. */
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
        gsl_matrix_view kernel = gsl_matrix_submatrix(F, q->terms, 0, q->points->K, count);
        status = rvm_points_values(&kernel.matrix, q->points, first, err);
        for (size_t i = 0; i < q->terms; i++)
            memcpy(gsl_matrix_ptr(F, i, 0), gsl_matrix_const_ptr(q->T, i, first),
                   count * sizeof(double));
        if (status == RVM_OK)
            status = add_weighted(q->P, &f.matrix, root, q, err);
    }
    gsl_matrix_free(F);
    return status == RVM_OK ? finish_factor(&log_det, q->P, q->points->threads, err) : status;
}

/* Probabilities of the rows in hand, in the place of q->A. */
static void fill_probabilities(const strip *s)
{
    rvm_points_mode *q = s->q;
    for (size_t n = 0; n < s->count; n++) {
        double top = q->C > 1 ? -INFINITY : 0, total = 0;
        for (size_t c = 0; c < q->C; c++)
            top = fmax(top, gsl_matrix_get(q->A, c, n));
        for (size_t c = 0; c < q->C; c++) {
            const double p = exp(gsl_matrix_get(q->A, c, n) - top);
            gsl_matrix_set(q->A, c, n, p);
            total += p;
        }
        if (q->C == 1) /* the other class has activation 0 */
            total += exp(-top);
        for (size_t c = 0; c < q->C; c++)
            *gsl_matrix_ptr(q->A, c, n) /= total;
    }
}

/* Roots of rho P (1 - P), the mean over the classes. */
static void fill_roots(double *root, const strip *s)
{
    const rvm_points_mode *q = s->q;
    for (size_t n = 0; n < s->count; n++) {
        const double rho = q->row_weight == NULL ? 1 : q->row_weight[s->first + n];
        double sum = 0;
        for (size_t c = 0; c < q->C; c++) {
            const double p = gsl_matrix_get(q->A, c, n);
            sum += p * (1 - p) / (double)q->C;
        }
        root[n] = sqrt(rho * sum);
    }
}

/* The rows in hand, a part at a time, so that only that is there twice. */
static rvm_status add_strip(gsl_matrix *R, const strip *s, gsl_matrix *F, const double *root,
                            rvm_error *err)
{
    rvm_points_mode *q = s->q;
    rvm_status status = RVM_OK;
    for (size_t at = 0; at < s->count && status == RVM_OK; at += PART) {
        const size_t count = GSL_MIN(PART, s->count - at);
        gsl_matrix_const_view phi = gsl_matrix_const_submatrix(q->phi, 0, at, q->m, count);
        gsl_matrix_view f = gsl_matrix_submatrix(F, 0, 0, q->m, count);
        gsl_matrix_memcpy(&f.matrix, &phi.matrix);
        status = add_weighted(R, &f.matrix, root + at, q, err);
    }
    return status;
}

static rvm_status add_rows(gsl_matrix *R, rvm_points_mode *q, gsl_matrix *F, double *root,
                           rvm_error *err)
{
    rvm_status status = RVM_OK;
    gsl_matrix_set_zero(R);
    for (size_t first = 0; first < q->points->N && status == RVM_OK; first += q->strip) {
        strip s;
        status = read_strip(&s, q, first, err);
        if (status == RVM_OK)
            status = share(&s, evaluate_piece, err);
        if (status != RVM_OK)
            break;
        fill_probabilities(&s);
        fill_roots(root, &s);
        status = add_strip(R, &s, F, root, err);
    }
    return status;
}

rvm_status rvm_points_mode_curvature(gsl_matrix *R, double *log_det, rvm_points_mode *q,
                                     rvm_error *err)
{
    gsl_matrix *F = gsl_matrix_alloc(q->m, PART);
    double *root = rvm_array(q->strip, sizeof *root);
    rvm_status status = F == NULL || root == NULL ? rvm_fail_memory(err, "the classes") : RVM_OK;
    if (status == RVM_OK)
        status = add_rows(R, q, F, root, err);
    if (status == RVM_OK)
        status = finish_factor(log_det, R, q->points->threads, err);
    gsl_matrix_free(F);
    free(root);
    return status;
}
