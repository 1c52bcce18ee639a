/* The evidence of a sparse Gaussian process with normal noise (FITC), and its derivatives.
 *
 * With a = C^-1 t, G = dL/dC = 1/2 (a a' - C^-1) and g = diag G (Rasmussen and Williams 2006,
 * equation 5.9), where C = s Phi K_ZZ^-1 Phi' + diag(noise + s (k - q)) + the terms' part and Phi =
 * k(X, Z), a change of the kernel has
 *
 *     dL/dPhi = D = 2 s (G - diag g) Phi K_ZZ^-1     dL/dK_ZZ = -1/2 K_ZZ^-1 Phi' D
 *
 * and in the whitened features V = Phi L^-T of points.h, transposed as everything here is,
 *
 *     D' = L^-T W    W = 2 s V'(G - diag g)          dL/dK_ZZ = -1/2 L^-T E L^-1    E = W V
 *
 * What is needed of G is known in m numbers a row: F'C^-1 = H^-1 F' Lambda^-1, F'a = mu and so
 *
 *     a_n = (t_n - F_n'mu) / Lambda_n
 *     (C^-1)_nn = 1/Lambda_n - F_n'H^-1 F_n / Lambda_n^2
 *     sqrt(s) V'G = 1/2 [ mu a' - H^-1 F' Lambda^-1 ]          (rows of the kernel's functions)
 *     2 s V'G V = mu mu' - I + H^-1                            (the same of rows and columns)
 *
 * of which the diagonal is MacKay's mu_i^2 - 1 + (H^-1)_ii for ln s, and less it for ln alpha.  A row
 * that is left out is predicted with a mean that is off by a_n / (C^-1)_nn and a variance of
 * 1 / (C^-1)_nn (Rasmussen and Williams 2006, equation 5.12). */
#include "inference/fitc.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/linalg.h"
#include "base/parallel.h"
#include "base/vecmath.h"
#include "data/problem.h"

/* Multiplications for the rows of a strip, after which an interrupt is looked for. */
static const double patience = 5e9;

/* Lambda_n (C^-1)_nn is above 0; where it is less than this it is rounding. */
static const double least_inverse = 1e-10;

/* ---- Memory --------------------------------------------------------------------------------- */

static gsl_matrix *matrix(size_t rows, size_t columns)
{
    return gsl_matrix_alloc(GSL_MAX(rows, 1), GSL_MAX(columns, 1));
}

static bool init_target(rvm_fitc_target *t, size_t terms, size_t m)
{
    t->by_precision = rvm_array(terms, sizeof *t->by_precision);
    t->factor = matrix(m, m);
    t->inverse = matrix(m, m);
    t->b = rvm_array(m, sizeof *t->b);
    t->mu = rvm_array(m, sizeof *t->mu);
    return t->by_precision != NULL && t->factor != NULL && t->inverse != NULL && t->b != NULL &&
           t->mu != NULL;
}

/* Rows of a strip: as many as there are, or a whole number of pieces that fit. */
static size_t choose_strip(const rvm_fitc *f, size_t rows, double of_row, double budget)
{
    const double most = fmin(budget / of_row, patience / ((double)f->m * (double)f->m));
    const double fit = fmax(1, floor(most / RVM_POINTS_PIECE)) * RVM_POINTS_PIECE;
    return fit < (double)rows ? (size_t)fit : rows;
}

/* Where derivatives are wanted. */
static bool init_derivatives(rvm_fitc *f)
{
    const size_t K = f->points->K, S = f->strip, d = f->inputs == NULL ? 0 : f->inputs->count;
    f->values = matrix(K, S);
    f->W = matrix(K, S);
    f->Y = matrix(f->m, S);
    f->E = matrix(K, K);
    f->part = matrix(rvm_points_pieces(GSL_MAX(S, K)), d + 1);
    f->by_input = rvm_array(d, sizeof *f->by_input);
    return f->values != NULL && f->W != NULL && f->Y != NULL && f->E != NULL && f->part != NULL &&
           f->by_input != NULL;
}

static bool init_scratch(rvm_fitc *f)
{
    const size_t S = f->strip;
    bool memory = f->total || init_derivatives(f);
    f->V = matrix(f->points->K, S);
    f->F = matrix(f->m, S);
    f->residual = rvm_array(5 * S, sizeof *f->residual);
    f->precision = rvm_array(f->terms, sizeof *f->precision);
    f->target = rvm_array(f->targets, sizeof *f->target);
    for (size_t j = 0; j < f->targets && f->target != NULL; j++)
        memory = init_target(&f->target[j], f->terms, f->m) && memory;
    memory = memory && f->V != NULL && f->F != NULL && f->residual != NULL &&
             f->precision != NULL && f->target != NULL;
    if (memory) {
        f->lambda = f->residual + S;
        f->g = f->lambda + S;
        f->root = f->g + S;
        f->off = f->root + S;
    }
    return memory;
}

/* Values of the inputs at the points, whose features are among those of the rows. */
static bool copy_point_inputs(rvm_fitc *f)
{
    const rvm_inputs *in = f->inputs;
    const rvm_problem *z = f->points->points;
    if (in == NULL || in->count == 0)
        return true;
    f->point_inputs = gsl_matrix_calloc(in->count, z->rows);
    if (f->point_inputs == NULL)
        return false;
    for (size_t k = 0; k < z->rows; k++)
        for (size_t i = z->start[k], j = 0; i < z->start[k + 1]; i++) {
            while (j < in->count && in->index[j] < z->index[i])
                j++;
            if (j < in->count && in->index[j] == z->index[i])
                gsl_matrix_set(f->point_inputs, j, k, z->value[i]);
        }
    return true;
}

rvm_status rvm_fitc_init(rvm_fitc *f, rvm_points *points, const rvm_inputs *inputs,
                         const gsl_matrix *T, size_t terms, size_t targets, double budget,
                         rvm_error *err)
{
    *f = (rvm_fitc){ .points = points,
                     .inputs = inputs,
                     .T = T,
                     .terms = terms,
                     .m = terms + points->K,
                     .targets = targets };
    f->strip = choose_strip(f, points->N, 3.0 * (double)points->K + 2.0 * (double)f->m + 4, budget);
    if (init_scratch(f) && copy_point_inputs(f))
        return RVM_OK;
    rvm_fitc_free(f);
    return rvm_fail_memory(err, "the evidence of the process");
}

/* What rvm_fitc_total sums of a target: H, b, t' Lambda^-1 t and sum ln Lambda. */
static size_t sums_of_target(const rvm_fitc *f)
{
    return rvm_gram_packed_size(f->m, 0) + f->m + 2;
}

/* Half of the budget for sums, or those of one target; strips, which decide the last digits, are the
 * same for any number of processes. */
rvm_status rvm_fitc_init_total(rvm_fitc *f, rvm_points *points, const gsl_matrix *T, size_t terms,
                               size_t targets, double budget, rvm_error *err)
{
    const rvm_spans *spans = &points->spans;
    *f = (rvm_fitc){ .points = points,
                     .T = T,
                     .terms = terms,
                     .m = terms + points->K,
                     .targets = targets,
                     .total = true };
    const double of_target = (double)(rvm_spans_held(spans) + 1) * (double)sums_of_target(f);
    f->group = (size_t)fmax(1, fmin(floor(0.5 * budget / of_target), (double)targets));
    f->strip = choose_strip(f, GSL_MIN(spans->rows, spans->N), (double)(points->K + f->m + 5),
                            budget - (double)f->group * of_target);
    if (init_scratch(f))
        return RVM_OK;
    rvm_fitc_free(f);
    return rvm_fail_memory(err, "the evidence of the process");
}

void rvm_fitc_free(rvm_fitc *f)
{
    for (size_t j = 0; j < f->targets && f->target != NULL; j++) {
        free(f->target[j].by_precision);
        free(f->target[j].b);
        free(f->target[j].mu);
        gsl_matrix_free(f->target[j].factor);
        gsl_matrix_free(f->target[j].inverse);
    }
    gsl_matrix *const matrices[] = { f->values, f->V, f->F,    f->Y,
                                     f->W,      f->E, f->part, f->point_inputs };
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++)
        gsl_matrix_free(matrices[k]);
    free(f->residual);
    free(f->by_input);
    free(f->precision);
    free(f->target);
    *f = (rvm_fitc){ 0 };
}

/* ---- Strips --------------------------------------------------------------------------------- */

/* Rows first .. first + count - 1 in hand, and the target. */
typedef struct {
    rvm_fitc *f;
    rvm_fitc_target *t;
    size_t first, count;
} strip;

static rvm_status share(strip *s, rvm_piece *piece, rvm_error *err)
{
    return rvm_share(rvm_points_pieces(s->count), piece, s, s->f->points->threads, err);
}

/* Columns of F' Lambda^-1/2, and Lambda. */
static rvm_status scale_piece(void *context, size_t number, int worker, rvm_error *err)
{
    const strip *s = context;
    rvm_fitc *f = s->f;
    const size_t at = number * RVM_POINTS_PIECE, count = GSL_MIN(RVM_POINTS_PIECE, s->count - at);
    const double root_s = sqrt(s->t->variance);
    double *lambda = f->lambda + at, *root = f->root + at;
    (void)worker, (void)err;
    for (size_t n = 0; n < count; n++) {
        lambda[n] = s->t->noise + s->t->variance * f->residual[at + n];
        root[n] = 1 / sqrt(lambda[n]);
    }
    for (size_t i = 0; i < f->m; i++) {
        const bool term = i < f->terms;
        const double *from = term ? gsl_matrix_const_ptr(f->T, i, s->first + at)
                                  : gsl_matrix_const_ptr(f->V, i - f->terms, at);
        const double factor = term ? 1 / sqrt(f->precision[i]) : root_s;
        double *to = gsl_matrix_ptr(f->F, i, at);
        for (size_t n = 0; n < count; n++)
            to[n] = factor * root[n] * from[n];
    }
    return RVM_OK;
}

/* The strip from row `first` on, whitened, of at most so many rows. */
static rvm_status read_strip(strip *s, rvm_fitc *f, size_t first, size_t most, rvm_error *err)
{
    *s = (strip){ f, NULL, first, GSL_MIN(f->strip, most) };
    const rvm_status status = rvm_points_strip(f->V, f->values, f->residual, f->points, first,
                                               s->count, f->interrupted, err);
    for (size_t n = 0; n < s->count; n++)
        f->residual[n] = fmax(f->residual[n], 0);
    return status;
}

static rvm_status scale_strip(strip *s, rvm_fitc_target *t, rvm_error *err)
{
    s->t = t;
    return share(s, scale_piece, err);
}

/* ---- The evidence --------------------------------------------------------------------------- */

/* Adds the rows in hand to H (but for its I), b and the sums. H: packed; NULL: t->factor. */
static void add_strip(const strip *s, double *H, bool fresh)
{
    rvm_fitc *f = s->f;
    rvm_fitc_target *t = s->t;
    const double *target = t->t + s->first;
    gsl_matrix_const_view F = gsl_matrix_const_submatrix(f->F, 0, 0, f->m, s->count);
    gsl_vector_view b = gsl_vector_view_array(t->b, f->m);
    gsl_vector_view scaled = gsl_vector_view_array(f->g, s->count);
    for (size_t n = 0; n < s->count; n++) {
        f->g[n] = target[n] * f->root[n];
        t->tt += f->g[n] * f->g[n];
        t->log_lambda += log(f->lambda[n]);
    }
    gsl_blas_dgemv(CblasNoTrans, 1, &F.matrix, &scaled.vector, fresh ? 0 : 1, &b.vector);
    if (H == NULL)
        rvm_gram_add(t->factor, &F.matrix, 0, fresh, f->points->threads);
    else
        rvm_gram_add_packed(H, &F.matrix, 0, f->points->threads);
}

/* t'C^-1 t = t' Lambda^-1 t - b'mu. It is mu'mu and a sum of squares too, so that what cancellation
 * leaves of it where the noise is small is that at the least. */
static double square_of(const rvm_fitc_target *t, size_t m)
{
    return fmax(t->tt - rvm_vec_dot(t->b, t->mu, m), rvm_vec_dot(t->mu, t->mu, m));
}

static rvm_status solve(rvm_fitc_target *t, const rvm_fitc *f, rvm_error *err)
{
    const double N = (double)f->points->spans.N;
    gsl_vector_view b = gsl_vector_view_array(t->b, f->m), mu = gsl_vector_view_array(t->mu, f->m);
    for (size_t i = 0; i < f->m; i++)
        *gsl_matrix_ptr(t->factor, i, i) += 1;
    if (!rvm_cholesky(t->factor, f->points->threads))
        return rvm_fail(err, RVM_ENUMERIC, "the process left the range of finite numbers");
    rvm_cholesky_inverse(t->inverse, t->factor);
    gsl_blas_dsymv(CblasLower, 1, t->inverse, &b.vector, 0, &mu.vector);
    t->log_evidence = -0.5 * (N * log(2 * M_PI) + t->log_lambda + rvm_cholesky_log_det(t->factor) +
                              square_of(t, f->m));
    if (isfinite(t->log_evidence))
        return RVM_OK;
    return rvm_fail(err, RVM_ENUMERIC, "the log evidence is not a finite number");
}

/* H (but for its I), b and the sums of targets from .. end - 1 over some rows. H: of each, packed, one
 * sums_of_target behind another; NULL: the targets' factors. */
static rvm_status sum_rows(double *H, rvm_fitc *f, size_t from, size_t end, size_t first,
                           size_t rows, rvm_error *err)
{
    const size_t width = sums_of_target(f);
    rvm_status status = RVM_OK;
    for (size_t j = from; j < end; j++)
        f->target[j].log_lambda = f->target[j].tt = 0;
    for (size_t at = 0; at < rows && status == RVM_OK; at += f->strip) {
        strip s;
        status = read_strip(&s, f, first + at, rows - at, err);
        for (size_t j = from; j < end && status == RVM_OK; j++) {
            status = scale_strip(&s, &f->target[j], err);
            if (status == RVM_OK)
                add_strip(&s, H == NULL ? NULL : H + (j - from) * width, at == 0);
        }
    }
    return status;
}

static rvm_status solve_all(rvm_fitc *f, rvm_error *err)
{
    rvm_status status = RVM_OK;
    for (size_t j = 0; j < f->targets && status == RVM_OK; j++)
        status = solve(&f->target[j], f, err);
    return status;
}

rvm_status rvm_fitc_evaluate(rvm_fitc *f, rvm_error *err)
{
    const rvm_status status = sum_rows(NULL, f, 0, f->targets, 0, f->points->N, err);
    return status == RVM_OK ? solve_all(f, err) : status;
}

/* ---- That of all rows ------------------------------------------------------------------------ */

/* Targets from .. end - 1. */
typedef struct {
    rvm_fitc *f;
    size_t from, end;
} group;

static rvm_status sum_span(void *context, size_t first, size_t rows, double *sums, int worker,
                           rvm_error *err)
{
    const group *g = context;
    const size_t m = g->f->m, count = sums_of_target(g->f);
    const rvm_status status = sum_rows(sums + m + 2, g->f, g->from, g->end, first, rows, err);
    (void)worker;
    for (size_t j = g->from; j < g->end && status == RVM_OK; j++, sums += count) {
        const rvm_fitc_target *t = &g->f->target[j];
        memcpy(sums, t->b, m * sizeof *sums);
        sums[m] = t->tt;
        sums[m + 1] = t->log_lambda;
    }
    return status;
}

static void take_sums(const group *g, const double *sums)
{
    const size_t m = g->f->m, count = sums_of_target(g->f);
    for (size_t j = g->from; j < g->end; j++, sums += count) {
        rvm_fitc_target *t = &g->f->target[j];
        memcpy(t->b, sums, m * sizeof *sums);
        t->tt = sums[m];
        t->log_lambda = sums[m + 1];
        rvm_gram_unpack(t->factor, sums + m + 2, 0);
    }
}

rvm_status rvm_fitc_total(rvm_fitc *f, rvm_error *err)
{
    const rvm_spans *spans = &f->points->spans;
    double *sums = rvm_array(f->group, sums_of_target(f) * sizeof *sums);
    rvm_status status = sums == NULL ? rvm_fail_memory(err, "the evidence of the process") : RVM_OK;
    for (size_t from = 0; from < f->targets && status == RVM_OK; from += f->group) {
        group g = { f, from, GSL_MIN(from + f->group, f->targets) };
        status = rvm_spans_fold(sums, (g.end - g.from) * sums_of_target(f), spans, sum_span, NULL,
                                &g, 1, err);
        if (status == RVM_OK)
            take_sums(&g, sums);
    }
    free(sums);
    if (status == RVM_OK)
        status = rvm_team_agree(spans->team, solve_all(f, err), err);
    return status;
}

/* ---- Derivatives ---------------------------------------------------------------------------- */

/* Y = H^-1 F' Lambda^-1/2; then f->g = g of this target, and what it adds to W. */
static rvm_status pull_piece(void *context, size_t number, int worker, rvm_error *err)
{
    const strip *s = context;
    rvm_fitc *f = s->f;
    const rvm_fitc_target *t = s->t;
    const size_t at = number * RVM_POINTS_PIECE, count = GSL_MIN(RVM_POINTS_PIECE, s->count - at);
    gsl_matrix_view F = rvm_points_piece(f->F, s->count, number),
                    Y = rvm_points_piece(f->Y, s->count, number);
    double explained[RVM_POINTS_PIECE] = { 0 }, fitted[RVM_POINTS_PIECE] = { 0 },
           a[RVM_POINTS_PIECE];
    (void)worker, (void)err;
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, t->inverse, &F.matrix, 0, &Y.matrix);
    for (size_t i = 0; i < f->m; i++) {
        const double *x = gsl_matrix_const_ptr(&F.matrix, i, 0);
        const double *y = gsl_matrix_const_ptr(&Y.matrix, i, 0);
        for (size_t n = 0; n < count; n++) {
            explained[n] += x[n] * y[n];
            fitted[n] += x[n] * t->mu[i];
        }
    }
    for (size_t n = 0; n < count; n++) {
        const double root = f->root[at + n];
        a[n] = (t->t[s->first + at + n] * root - fitted[n]) * root;
        const double inverse = fmax(1 - explained[n], least_inverse) * root * root;
        f->g[at + n] = 0.5 * (a[n] * a[n] - inverse);
        f->off[at + n] = a[n] * a[n] / inverse;
    }
    const double root_s = sqrt(t->variance);
    for (size_t k = 0; k < f->points->K; k++) {
        const double mu = t->mu[f->terms + k];
        const double *y = gsl_matrix_const_ptr(&Y.matrix, f->terms + k, 0);
        const double *v = gsl_matrix_const_ptr(f->V, k, at);
        double *w = gsl_matrix_ptr(f->W, k, at);
        for (size_t n = 0; n < count; n++)
            w[n] += root_s * (mu * a[n] - y[n] * f->root[at + n]) -
                    2 * t->variance * f->g[at + n] * v[n];
    }
    return RVM_OK;
}

/* What the diagonal of C has of s and of the noise; weight[n] += s g, for E. */
static void add_diagonal(const strip *s, double *weight)
{
    const rvm_fitc *f = s->f;
    rvm_fitc_target *t = s->t;
    for (size_t n = 0; n < s->count; n++) {
        t->by_noise += t->noise * f->g[n];
        t->by_variance += t->variance * f->residual[n] * f->g[n];
        t->left_out += f->off[n] / (double)f->points->N;
        weight[n] += t->variance * f->g[n];
    }
}

/* E -= 2 V' diag(weight) V; Y is scratch. */
static void add_to_E(const strip *s, const double *weight)
{
    rvm_fitc *f = s->f;
    const size_t K = f->points->K;
    gsl_matrix_view V = gsl_matrix_submatrix(f->V, 0, 0, K, s->count);
    gsl_matrix_view Y = gsl_matrix_submatrix(f->Y, 0, 0, K, s->count);
    for (size_t k = 0; k < K; k++) {
        const double *v = gsl_matrix_const_ptr(&V.matrix, k, 0);
        double *y = gsl_matrix_ptr(&Y.matrix, k, 0);
        for (size_t n = 0; n < s->count; n++)
            y[n] = -2 * weight[n] * v[n];
    }
    rvm_product_add(f->E, &Y.matrix, &V.matrix, f->points->threads);
}

/* The derivative of values exp(-gamma a) by ln gamma, in their place: v ln v. */
static void derive_by_gamma(double *value, size_t count)
{
    for (size_t n = 0; n < count; n++)
        value[n] = value[n] > 0 ? value[n] * log(value[n]) : 0;
}

/* sum of h over rows and points, times the derivative of the value: part[0] by ln gamma, part[1 + j]
 * by ln eta_j. h, which is destroyed, and values: K x count; X: the inputs of those rows, as columns
 * from `first` on. */
static void pull_kernel(double *part, gsl_matrix *h, gsl_matrix *values, const rvm_fitc *f,
                        const gsl_matrix *X, size_t first)
{
    const rvm_kernel *kernel = &f->points->kernel;
    const size_t count = h->size2;
    for (size_t k = 0; k < h->size1; k++) {
        double *weight = gsl_matrix_ptr(h, k, 0), *value = gsl_matrix_ptr(values, k, 0);
        if (kernel->inputs == NULL) {
            derive_by_gamma(value, count);
            part[0] += rvm_vec_dot(weight, value, count);
            continue;
        }
        for (size_t n = 0; n < count; n++)
            weight[n] *= -kernel->gamma * value[n];
        for (size_t j = 0; j < f->inputs->count; j++)
            part[1 + j] += rvm_inputs_combine(rvm_kernel_combination(kernel->type), weight,
                                              gsl_matrix_const_ptr(X, j, first),
                                              gsl_matrix_get(f->point_inputs, j, k), count);
    }
}

static rvm_status kernel_piece(void *context, size_t number, int worker, rvm_error *err)
{
    const strip *s = context;
    rvm_fitc *f = s->f;
    gsl_matrix_view W = rvm_points_piece(f->W, s->count, number),
                    P = rvm_points_piece(f->values, s->count, number);
    (void)worker, (void)err;
    gsl_blas_dtrsm(CblasLeft, CblasLower, CblasTrans, CblasNonUnit, 1, f->points->L, &W.matrix);
    pull_kernel(gsl_matrix_ptr(f->part, number, 0), &W.matrix, &P.matrix, f,
                f->inputs == NULL ? NULL : f->inputs->X, s->first + number * RVM_POINTS_PIECE);
    return RVM_OK;
}

static bool climbs_kernel(const rvm_fitc *f)
{
    const rvm_kernel *kernel = &f->points->kernel;
    return rvm_kernel_decays(kernel->type) && (kernel->inputs == NULL || f->inputs != NULL);
}

/* Adds the parts of the pieces in order, so that sums do not depend on threads. */
static void add_parts(rvm_fitc *f, size_t pieces)
{
    for (size_t k = 0; k < pieces; k++) {
        f->by_gamma += gsl_matrix_get(f->part, k, 0);
        for (size_t j = 0; f->inputs != NULL && j < f->inputs->count; j++)
            f->by_input[j] += gsl_matrix_get(f->part, k, 1 + j);
    }
    gsl_matrix_set_zero(f->part);
}

/* A strip's part of all derivatives. */
static rvm_status pull_strip(strip *s, rvm_fitc *f, rvm_error *err)
{
    rvm_status status = RVM_OK;
    double *weight = rvm_array(s->count, sizeof *weight);
    if (weight == NULL)
        return rvm_fail_memory(err, "the derivatives");
    gsl_matrix_set_zero(f->W);
    for (size_t j = 0; j < f->targets && status == RVM_OK; j++) {
        status = scale_strip(s, &f->target[j], err);
        if (status == RVM_OK)
            status = share(s, pull_piece, err);
        if (status == RVM_OK)
            add_diagonal(s, weight);
    }
    if (status == RVM_OK && climbs_kernel(f)) {
        add_to_E(s, weight);
        status = share(s, kernel_piece, err);
        add_parts(f, rvm_points_pieces(s->count));
    }
    free(weight);
    return status;
}

/* E += mu mu' - I + H^-1 of the kernel's functions; the derivatives by s and alpha beside the
 * diagonal of C. */
static void add_weights(rvm_fitc *f, rvm_fitc_target *t)
{
    for (size_t i = 0; i < f->m; i++) {
        const double gain = gsl_pow_2(t->mu[i]) - 1 + gsl_matrix_get(t->inverse, i, i);
        if (i < f->terms)
            t->by_precision[i] = -0.5 * gain;
        else
            t->by_variance += 0.5 * gain;
    }
    for (size_t i = f->terms; i < f->m; i++)
        for (size_t j = f->terms; j < f->m; j++)
            *gsl_matrix_ptr(f->E, i - f->terms, j - f->terms) +=
                t->mu[i] * t->mu[j] - (i == j) + gsl_matrix_get(t->inverse, i, j);
}

/* What the points have to say: dL/dK_ZZ = -1/2 L^-T E L^-1, against the derivative of K_ZZ. */
static rvm_status pull_points(rvm_fitc *f, rvm_error *err)
{
    const rvm_points *z = f->points;
    gsl_matrix *values = gsl_matrix_alloc(z->K, z->K);
    if (values == NULL)
        return rvm_fail_memory(err, "the derivatives");
    gsl_blas_dtrsm(CblasLeft, CblasLower, CblasTrans, CblasNonUnit, -0.5, z->L, f->E);
    gsl_blas_dtrsm(CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, 1, z->L, f->E);
    gsl_matrix_memcpy(values, z->values);
    pull_kernel(gsl_matrix_ptr(f->part, 0, 0), f->E, values, f, f->point_inputs, 0);
    gsl_matrix_free(values);
    add_parts(f, 1);
    return RVM_OK;
}

/* From the derivative by eta to that by ln eta. */
static void multiply_weights(rvm_fitc *f)
{
    const rvm_input_weights *inputs = f->points->kernel.inputs;
    for (size_t j = 0, k = 0; inputs != NULL && f->inputs != NULL && j < f->inputs->count; j++) {
        while (k < inputs->count && inputs->index[k] < f->inputs->index[j])
            k++;
        const bool there = k < inputs->count && inputs->index[k] == f->inputs->index[j];
        f->by_input[j] *= there ? inputs->weight[k] : 0;
    }
}

rvm_status rvm_fitc_gradient(rvm_fitc *f, rvm_error *err)
{
    rvm_status status = RVM_OK;
    f->by_gamma = 0;
    memset(f->by_input, 0, (f->inputs == NULL ? 0 : f->inputs->count) * sizeof *f->by_input);
    gsl_matrix_set_zero(f->E);
    gsl_matrix_set_zero(f->part);
    for (size_t j = 0; j < f->targets; j++) {
        f->target[j].by_variance = f->target[j].by_noise = f->target[j].left_out = 0;
        add_weights(f, &f->target[j]);
    }
    for (size_t first = 0; first < f->points->N && status == RVM_OK; first += f->strip) {
        strip s = { f, NULL, first, GSL_MIN(f->strip, f->points->N - first) };
        if (f->strip < f->points->N) /* else it is in hand */
            status = read_strip(&s, f, first, s.count, err);
        if (status == RVM_OK)
            status = pull_strip(&s, f, err);
    }
    if (status == RVM_OK && climbs_kernel(f))
        status = pull_points(f, err);
    multiply_weights(f);
    return status;
}
