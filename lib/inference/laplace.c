/* Laplace's approximation at the mode. */
#include "inference/laplace.h"

#include <gsl/gsl_blas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/linalg.h"
#include "base/parallel.h"
#include "base/vecmath.h"
#include "inference/curvature.h"
#include "inference/mode.h"

enum {
    MAX_NEWTON = 60,
    BLOCK = 64,             /* columns measured together */
    WORTH_THREADS = 1000000 /* numbers that must be read before threads pay */
};

/* What rvm_laplace.negligible is at first: the price of noise in a search; and where all columns
 * are in memory: ln|H| at the point before that step is then off by about its root, 1e-7, which is
 * what the search for precisions resolves. */
static const double searching = 1e-4, resolved = 1e-14;

rvm_status rvm_laplace_init(rvm_laplace *l, size_t capacity, size_t N, rvm_error *err)
{
    *l = (rvm_laplace){ .negligible = searching, .thins = true };
    l->f = rvm_array(N, sizeof *l->f);
    l->gradient = rvm_array(N, sizeof *l->gradient);
    l->curvature = rvm_array(N, sizeof *l->curvature);
    l->G = gsl_matrix_alloc(capacity, capacity);
    l->scaled = gsl_matrix_alloc(capacity, N < RVM_STRIP ? N : RVM_STRIP);
    l->Q = rvm_array(capacity, sizeof *l->Q);
    l->trial = rvm_array(capacity, sizeof *l->trial);
    l->step = rvm_array(capacity, sizeof *l->step);
    l->w = rvm_array(capacity, sizeof *l->w);
    if (l->f != NULL && l->gradient != NULL && l->curvature != NULL && l->G != NULL &&
        l->scaled != NULL && l->Q != NULL && l->trial != NULL && l->step != NULL && l->w != NULL)
        return RVM_OK;
    rvm_laplace_free(l);
    return rvm_fail_memory(err, "the approximation at the mode");
}

void rvm_laplace_free(rvm_laplace *l)
{
    free(l->f);
    free(l->gradient);
    free(l->curvature);
    gsl_matrix_free(l->G);
    gsl_matrix_free(l->scaled);
    free(l->Q);
    free(l->trial);
    free(l->step);
    free(l->w);
    memset(l, 0, sizeof *l);
}

/* ---- The mode ------------------------------------------------------------------------------- */

/* f = offset + Phi w, and ln p(t|f). */
static rvm_status activate(double *log_likelihood, double *f, rvm_columns *c, const double *w,
                           const rvm_observed *o, double ln_beta, rvm_error *err)
{
    const rvm_status status = rvm_columns_apply(f, c, w, err);
    if (status != RVM_OK)
        return status;
    for (size_t n = 0; o->offset != NULL && n < o->N; n++)
        f[n] += o->offset[n];
    return rvm_observed_log_likelihood(log_likelihood, o, f, ln_beta, c->threads, err);
}

/* What is maximised over u, as rvm_mode sees it: borrowed. */
typedef struct {
    rvm_laplace *l;
    rvm_columns *c;
    const rvm_observed *o;
    const rvm_fit *f;
} space;

/* ln p(t|u) - 1/2 u'u */
static rvm_status evaluate(double *objective, void *self, const double *u, rvm_error *err)
{
    const space *s = self;
    const rvm_fit *f = s->f;
    rvm_laplace *l = s->l;
    for (size_t i = 0; i < f->K; i++)
        l->w[i] = exp(-0.5 * f->ln_alpha[i]) * u[i];
    const rvm_status status = activate(&l->log_likelihood, l->f, s->c, l->w, s->o, f->ln_beta, err);
    *objective = l->log_likelihood;
    for (size_t i = 0; i < f->K; i++)
        *objective -= 0.5 * u[i] * u[i];
    rvm_team_same(s->o->spans.team, objective, sizeof *objective);
    return status;
}

/* H = I + D G D, its factor L, and step = H^-1 g with g = D Q - u; x'x of L x = g is the promise. G
 * may be where L is. */
static rvm_status solve(double *step, double *promise, const space *s, const double *u,
                        rvm_error *err)
{
    const rvm_fit *f = s->f;
    gsl_matrix_view L = rvm_fit_factor(f);
    gsl_vector_view x = gsl_vector_view_array(step, f->K);
    for (size_t i = 0; i < f->K; i++) {
        const double D = exp(-0.5 * f->ln_alpha[i]);
        for (size_t j = 0; j <= i; j++)
            gsl_matrix_set(&L.matrix, i, j,
                           D * exp(-0.5 * f->ln_alpha[j]) * gsl_matrix_get(s->l->G, i, j));
        *gsl_matrix_ptr(&L.matrix, i, i) += 1;
        step[i] = D * s->l->Q[i] - u[i];
    }
    if (!rvm_cholesky(&L.matrix, s->c->threads))
        return rvm_fail(err, RVM_ENUMERIC, "the posterior left the range of finite numbers");
    gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, &L.matrix, &x.vector);
    *promise = rvm_vec_dot(step, step, f->K);
    gsl_blas_dtrsv(CblasLower, CblasTrans, CblasNonUnit, &L.matrix, &x.vector);
    return RVM_OK;
}

/* Every process solves; where their processors round in other ways, the step is that of one. */
static rvm_status newton(double *step, double *promise, void *self, const double *u, rvm_error *err)
{
    const space *s = self;
    rvm_laplace *l = s->l;
    rvm_team *team = s->o->spans.team;
    s->o->likelihood->derivatives(l->gradient, l->curvature, s->o, l->f, s->f->ln_beta);
    const rvm_status status =
        rvm_curvature_gram(l->G, l->Q, s->c, l->scaled, l->curvature, l->gradient, l->thins, err);
    if (status != RVM_OK)
        return status;
    const rvm_status solved = rvm_team_agree(team, solve(step, promise, s, u, err), err);
    rvm_team_same(team, step, s->f->K * sizeof *step);
    rvm_team_same(team, promise, sizeof *promise);
    return solved;
}

rvm_status rvm_laplace_locate(rvm_fit *f, rvm_laplace *l, rvm_columns *c, const rvm_observed *o,
                              const double *w, int steps, rvm_error *err)
{
    space s = { l, c, o, f };
    const rvm_mode mode = { f->K,         &s, evaluate, newton, steps > 0 ? steps : MAX_NEWTON,
                            l->negligible };
    for (size_t i = 0; w != NULL && i < f->K; i++) /* as u */
        l->step[i] = exp(0.5 * f->ln_alpha[i]) * w[i];
    double objective;
    const rvm_status status =
        rvm_mode_find(&objective, f->u, l->step, l->trial, w != NULL ? l->step : NULL, &mode, err);
    if (status != RVM_OK)
        return status;
    if (f->K == 0)
        o->likelihood->derivatives(l->gradient, l->curvature, o, l->f, f->ln_beta);
    f->log_evidence = objective + rvm_fit_log_prior(f, o, c->norm);
    for (size_t i = 0; i < f->K; i++)
        f->log_evidence -= log(gsl_matrix_get(f->storage, i, i));
    rvm_team_same(o->spans.team, &f->log_evidence, sizeof f->log_evidence);
    return isfinite(f->log_evidence)
               ? RVM_OK
               : rvm_fail(err, RVM_ENUMERIC, "the posterior left the range of finite numbers");
}

/* ---- The approximation ---------------------------------------------------------------------- */

/* Borrowed. */
typedef struct {
    const rvm_laplace *l;
    const rvm_observed *o;
} expand_job;

static rvm_status square_piece(void *context, size_t first, size_t rows, double *t_squared,
                               int worker, rvm_error *err)
{
    const expand_job *j = context;
    const rvm_laplace *l = j->l;
    const double *offset = j->o->offset;
    (void)worker, (void)err;
    for (size_t n = first; n < first + rows; n++) {
        const double activation = offset != NULL ? l->f[n] - offset[n] : l->f[n];
        *t_squared += activation * (l->curvature[n] * activation + 2 * l->gradient[n]);
    }
    return RVM_OK;
}

rvm_status rvm_laplace_expand(gsl_matrix *G, double *p, double *t_squared, const rvm_laplace *l,
                              const rvm_fit *f, const rvm_observed *o, rvm_error *err)
{
    const size_t K = f->K;
    expand_job job = { l, o };
    for (size_t i = 0; i < K; i++) {
        p[i] = l->Q[i];
        for (size_t j = 0; j < K; j++) {
            const double g = gsl_matrix_get(l->G, i, j);
            gsl_matrix_set(G, i, j, g);
            p[i] += g * exp(-0.5 * f->ln_alpha[j]) * f->u[j];
        }
    }
    return rvm_spans_fold(t_squared, 1, &o->spans, square_piece, NULL, &job, 1, err);
}

rvm_status rvm_laplace_likelihood(double *log_likelihood, rvm_laplace *l, rvm_columns *c,
                                  const rvm_observed *o, const rvm_fit *f, rvm_error *err)
{
    memset(l->trial, 0, c->count * sizeof *l->trial);
    for (size_t i = 0; i < f->K; i++)
        l->trial[f->column[i]] = rvm_fit_weight(f, i);
    return activate(log_likelihood, l->f, c, l->trial, o, f->ln_beta, err);
}

/* ---- With all columns in memory ------------------------------------------------------------- */

double rvm_laplace_scratch(double K, double N)
{
    return 2 * K * N; /* ws->rows and rows2 */
}

/* The functions of f are gathered, and G has its place in that of the factor. */
bool rvm_laplace_posterior(rvm_fit *f, const rvm_observed *o, const rvm_columns *d, rvm_scratch *ws)
{
    gsl_matrix_view P = { 0 }, L = { 0 };
    if (f->K > 0) {
        P = rvm_gather_active(ws, f, d);
        L = rvm_fit_factor(f);
    }
    rvm_columns c = { .basis = d->basis,
                      .N = d->N,
                      .count = f->K,
                      .norm = d->norm,
                      .PhiT = &P.matrix,
                      .threads = ws->threads };
    rvm_laplace l = { .negligible = resolved,
                      .f = ws->long1,
                      .gradient = f->gradient,
                      .curvature = f->curvature,
                      .G = &L.matrix,
                      .scaled = ws->rows2,
                      .Q = ws->vector,
                      .w = ws->vector2,
                      .trial = ws->vector3,
                      .step = ws->vector4 };
    return rvm_laplace_locate(f, &l, &c, o, NULL, ws->mode_steps, NULL) == RVM_OK;
}

/* Columns first .. first + count - 1, while they are in the cache. */
static void measure_block(double *S, double *Q, gsl_matrix *V, const gsl_matrix *columns,
                          const gsl_matrix *active, size_t first, const rvm_fit *f)
{
    const size_t left = columns->size1 - first, count = left < BLOCK ? left : BLOCK;
    gsl_matrix_const_view c = gsl_matrix_const_submatrix(columns, first, 0, count, f->N);
    gsl_vector_const_view gradient = gsl_vector_const_view_array(f->gradient, f->N);
    gsl_vector_view q = gsl_vector_view_array(Q + first, count);
    for (size_t m = 0; m < count; m++)
        S[first + m] =
            rvm_vec_weighted_square(f->curvature, gsl_matrix_const_ptr(&c.matrix, m, 0), f->N);
    gsl_blas_dgemv(CblasNoTrans, 1, &c.matrix, &gradient.vector, 0, &q.vector);
    if (f->K == 0)
        return;
    gsl_matrix_view v = gsl_matrix_submatrix(V, first, 0, count, f->K);
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, &c.matrix, active, 0, &v.matrix);
}

/* Borrowed. */
typedef struct {
    double *S, *Q;
    gsl_matrix *V;
    const gsl_matrix *all, *active;
    const rvm_fit *f;
} measure_job;

static rvm_status measure_piece(void *context, size_t k, int worker, rvm_error *err)
{
    const measure_job *j = context;
    (void)worker, (void)err;
    measure_block(j->S, j->Q, j->V, j->all, j->active, k * BLOCK, j->f);
    return RVM_OK;
}

void rvm_laplace_measure(double *S, double *Q, gsl_matrix *V, const rvm_fit *f,
                         const rvm_observed *o, const rvm_columns *d, rvm_scratch *ws)
{
    (void)o;
    gsl_matrix_const_view all = gsl_matrix_const_submatrix(d->PhiT, 0, 0, d->count, d->N);
    gsl_matrix_view active = { 0 };
    if (f->K > 0)
        active = rvm_gather_active(ws, f, d);
    for (size_t i = 0; i < f->K; i++) {
        double *column = gsl_matrix_ptr(&active.matrix, i, 0);
        for (size_t n = 0; n < f->N; n++)
            column[n] *= f->curvature[n];
    }
    const size_t blocks = (d->count + BLOCK - 1) / BLOCK;
    const int team = d->count * f->N < WORTH_THREADS ? 1 : ws->threads;
    measure_job job = { S, Q, V, &all.matrix, &active.matrix, f };
    rvm_share(blocks, measure_piece, &job, team, NULL);
}

double rvm_laplace_inner(size_t m, size_t n, const rvm_fit *f, const rvm_columns *d)
{
    const double *a = gsl_matrix_const_ptr(d->PhiT, m, 0), *b = gsl_matrix_const_ptr(d->PhiT, n, 0);
    double sum = 0;
    for (size_t i = 0; i < f->N; i++)
        sum += f->curvature[i] * a[i] * b[i];
    return sum;
}
