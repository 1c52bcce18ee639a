/* The model of a sparse Gaussian process, of all rows.
 *
 * In the features F = [ T alpha^-1/2, s^1/2 V ] of fitc.h the posterior is N(mu, H^-1), H = R'R.
 * The weights of the functions themselves are w = D v with D = diag(alpha^-1/2) for the terms and
 * s^1/2 L^-T for the kernel functions at the points (points.h), so that their covariance is
 * D H^-1 D' = (S'S)^-1 with S = R D^-1, which is upper triangular as R and L' are. */
#include "product/process_finish.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/vecmath.h"
#include "data/problem.h"
#include "inference/fitc.h"
#include "inference/points_mode.h"

/* All rows as the points see them. */
typedef struct {
    const rvm_study *y; /* borrowed */
    const rvm_induced *r;
    rvm_problem *z; /* owned */
    gsl_matrix *T;  /* owned, terms x N */
    rvm_points points;
} whole;

static void whole_free(whole *w)
{
    rvm_points_free(&w->points);
    rvm_problem_free(w->z);
    gsl_matrix_free(w->T);
}

static rvm_status whole_init(whole *w, const rvm_study *y, const rvm_induced *r, int threads,
                             rvm_error *err)
{
    *w = (whole){ .y = y, .r = r };
    rvm_status status = rvm_basis_bring(&y->basis, r->id, r->count, NULL, 0, err);
    if (status != RVM_OK)
        return status;
    w->z = rvm_study_rows_at(y, r->id + r->terms, r->count - r->terms);
    w->T = rvm_basis_terms(&y->basis, r->id, r->terms, y->p);
    status = w->z == NULL || w->T == NULL ? rvm_fail_memory(err, "the model")
                                          : rvm_points_init(&w->points, y->p, w->z, threads, err);
    status = rvm_team_agree(w->y->observed.spans.team, status, err);
    return status == RVM_OK ? rvm_points_place(&w->points, &r->kernel, err) : status;
}

/* ---- Latent functions ----------------------------------------------------------------------- */

static rvm_status alloc_latent(rvm_latent *f, const whole *w, rvm_error *err)
{
    const size_t m = w->r->count;
    size_t *which = rvm_array(m, sizeof *which);
    bool memory = which != NULL;
    for (size_t i = 0; i < m && memory; i++)
        which[i] = i;
    memory = memory && rvm_latent_alloc(f, &w->y->basis, w->r->id, which, m, 0);
    free(which);
    return memory ? RVM_OK : rvm_fail_memory(err, "the model");
}

/* S = R D^-1 row by row; lower: R'. */
static rvm_status copy_factor(rvm_latent *f, const gsl_matrix *lower, const whole *w, double s,
                              double unit, rvm_error *err)
{
    const size_t m = w->r->count, terms = w->r->terms, K = m - terms;
    gsl_matrix *B = gsl_matrix_alloc(m, m);
    double *to = B != NULL && rvm_latent_alloc_factor(f) ? f->factor : NULL;
    if (to == NULL) {
        gsl_matrix_free(B);
        return rvm_fail_memory(err, "the model");
    }
    gsl_matrix_transpose_memcpy(B, lower);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < i; j++)
            gsl_matrix_set(B, i, j, 0);
    for (size_t j = 0; j < terms; j++) {
        gsl_vector_view column = gsl_matrix_subcolumn(B, j, 0, j + 1);
        gsl_vector_scale(&column.vector, sqrt(w->r->precision[j]));
    }
    gsl_matrix_view kernel = gsl_matrix_submatrix(B, 0, terms, m, K);
    gsl_blas_dtrmm(CblasRight, CblasLower, CblasTrans, CblasNonUnit, 1 / sqrt(s), w->points.L,
                   &kernel.matrix);
    for (size_t i = 0; i < m; i++)
        for (size_t j = i; j < m; j++)
            *to++ = gsl_matrix_get(B, i, j) / unit;
    gsl_matrix_free(B);
    return RVM_OK;
}

/* w = D mu, in units of the target; and alpha of the terms. */
static void copy_weights(rvm_latent *f, const double *mu, const whole *w, double s, double unit)
{
    const size_t terms = w->r->terms;
    gsl_vector_view kernel = gsl_vector_view_array(f->weight + terms, f->count - terms);
    for (size_t i = 0; i < f->count; i++) {
        const double precision = i < terms ? w->r->precision[i] : 1 / s;
        f->weight[i] = unit * mu[i] / sqrt(precision);
        f->alpha[i] = i < terms ? precision / (unit * unit) : 0;
    }
    gsl_blas_dtrsv(CblasLower, CblasTrans, CblasNonUnit, w->points.L, &kernel.vector);
}

static rvm_status copy_latent(rvm_latent *f, const whole *w, const double *mu, double s,
                              double unit, rvm_error *err)
{
    const rvm_status status = alloc_latent(f, w, err);
    if (status != RVM_OK)
        return status;
    copy_weights(f, mu, w, s, unit);
    f->process_variance = s * unit * unit;
    return RVM_OK;
}

/* ---- Regression ----------------------------------------------------------------------------- */

/* Of a target that does not vary: what the process has of it is nothing beside its rounding. */
static const double of_constant = 1e-10;

static rvm_status finish_output(rvm_model *m, const whole *w, const rvm_fitc *f, size_t k,
                                rvm_error *err)
{
    const rvm_study view = rvm_study_output(w->y, k);
    const rvm_fitc_target *t = &f->target[k];
    rvm_latent *to = &m->latent[k];
    rvm_status status = copy_latent(to, w, t->mu, t->variance, view.t_scale, err);
    if (status == RVM_OK)
        status = copy_factor(to, t->factor, w, t->variance, view.t_scale, err);
    if (status != RVM_OK)
        return status;
    to->bias_mean = rvm_latent_has_bias(to) ? view.t_mean : 0;
    to->noise_variance = t->noise * gsl_pow_2(view.t_scale);
    m->log_evidence += t->log_evidence - (double)view.observed.spans.N * log(view.t_scale);
    if (to->noise_variance > 0 && isfinite(to->noise_variance) && isfinite(to->process_variance))
        return RVM_OK;
    return rvm_fail(err, RVM_ENUMERIC, "the noise variance is out of range: scale the targets");
}

static rvm_status copy_points(rvm_model *m, const whole *w, rvm_error *err)
{
    const size_t K = w->points.K, N = w->points.N;
    m->point_factor = rvm_array(K * (K + 1) / 2, sizeof *m->point_factor);
    if (m->point_factor == NULL)
        return rvm_fail_memory(err, "the model");
    double *to = m->point_factor;
    for (size_t i = 0; i < K; i++)
        for (size_t j = i; j < K; j++)
            *to++ = gsl_matrix_get(w->points.L, j, i);
    for (size_t n = 0; n < N && m->kernel.type == RVM_PRECOMPUTED; n++)
        m->kernel_diagonal += w->points.diagonal[n] / (double)N;
    return RVM_OK;
}

static rvm_status finish_regression(rvm_model *m, whole *w, const rvm_settings *s, double budget,
                                    rvm_error *err)
{
    const rvm_study *y = w->y;
    rvm_fitc f;
    rvm_status status =
        rvm_fitc_init_total(&f, &w->points, w->T, w->r->terms, y->outputs, budget, err);
    if (status != RVM_OK)
        return status;
    if (w->r->terms > 0)
        memcpy(f.precision, w->r->precision, w->r->terms * sizeof *f.precision);
    for (size_t k = 0; k < y->outputs; k++) {
        f.target[k].t = y->target[k].observed.t;
        f.target[k].variance = fmax(w->r->variance[k], of_constant);
        f.target[k].noise = w->r->noise[k];
    }
    f.interrupted = s->interrupted;
    status = rvm_fitc_total(&f, err);
    for (size_t k = 0; k < y->outputs && status == RVM_OK; k++)
        status = finish_output(m, w, &f, k, err);
    if (status == RVM_OK)
        status = copy_points(m, w, err);
    rvm_fitc_free(&f);
    return status;
}

/* ---- Classes -------------------------------------------------------------------------------- */

/* Nats that a step to the mode must gain. */
static const double at_mode = 1e-4;

static rvm_status finish_class(rvm_model *m, const whole *w, const rvm_points_mode *q, size_t c,
                               const size_t *place, rvm_error *err)
{
    const double *v = gsl_matrix_const_ptr(q->V, c, 0);
    m->log_evidence -= 0.5 * rvm_vec_dot(v, v, q->m);
    return copy_latent(&m->latent[place == NULL ? c : place[c]], w, v, q->variance, 1, err);
}

static rvm_status finish_modes(rvm_model *m, const whole *w, rvm_points_mode *q,
                               const size_t *place, const rvm_settings *s, rvm_error *err)
{
    double log_det = 0;
    q->row_weight = w->y->observed.row_weight;
    q->interrupted = s->interrupted;
    rvm_status status = rvm_points_mode_precondition(q, w->r->variance[0], err);
    if (status == RVM_OK)
        status = rvm_points_mode_find(q, at_mode, err);
    if (status == RVM_OK)
        status = rvm_points_mode_curvature(&log_det, q, err);
    m->log_evidence = q->log_likelihood - 0.5 * (double)q->C * log_det;
    for (size_t c = 0; c < q->C && status == RVM_OK; c++)
        status = finish_class(m, w, q, c, q->C > 1 ? place : NULL, err);
    return status;
}

static rvm_status finish_classes(rvm_model *m, whole *w, const size_t *place, const rvm_settings *s,
                                 double budget, rvm_error *err)
{
    rvm_points_mode q;
    rvm_status status =
        rvm_points_mode_init(&q, &w->points, w->T, w->r->precision, w->r->terms, m->latent_count,
                             w->y->observed.t, w->y->class_of_row, budget, err);
    if (status == RVM_OK)
        status = finish_modes(m, w, &q, place, s, err);
    rvm_points_mode_free(&q);
    return status;
}

/* ---- The model ------------------------------------------------------------------------------ */

/* An upper triangle row by row: a factor, or none. */
static bool is_factor(const double *entry, size_t K)
{
    for (size_t i = 0; entry != NULL && i < K; i++) {
        if (!(entry[0] > 0))
            return false;
        for (size_t j = i; j < K; j++)
            if (!isfinite(*entry++))
                return false;
    }
    return true;
}

static bool is_sound(const rvm_latent *f)
{
    if (!(f->process_variance > 0 && isfinite(f->process_variance)))
        return false;
    for (size_t i = 0; i < f->count; i++)
        if (!isfinite(f->weight[i]) || !isfinite(f->alpha[i]) ||
            !(f->alpha[i] > 0 || i >= f->terms))
            return false;
    return is_factor(f->factor, f->count);
}

/* What could not be read again is not written. */
static rvm_status check_numbers(const rvm_model *m, size_t K, rvm_error *err)
{
    bool sound = isfinite(m->log_evidence) && is_factor(m->point_factor, K);
    for (size_t k = 0; k < m->latent_count; k++)
        sound = sound && is_sound(&m->latent[k]);
    if (sound)
        return RVM_OK;
    return rvm_fail(err, RVM_ENUMERIC,
                    "the model leaves the range of finite numbers: scale the data");
}

rvm_status rvm_process_finish(rvm_model *m, const rvm_study *y, const size_t *place,
                              const rvm_induced *r, const rvm_settings *s, rvm_error *err)
{
    const double budget = s->budget_mb * 1048576 / 8 / 2;
    whole w;
    rvm_status status = whole_init(&w, y, r, rvm_threads(s->threads), err);
    if (status == RVM_OK && !rvm_model_alloc_latents(m, y->classes > 2 ? y->classes : y->outputs))
        status = rvm_fail_memory(err, "the model");
    if (status == RVM_OK)
        status = y->observed.likelihood->curved ? finish_classes(m, &w, place, s, budget, err)
                                                : finish_regression(m, &w, s, budget, err);
    if (status == RVM_OK && m->kernel.type == RVM_PRECOMPUTED)
        status = rvm_points_check(&w.points, err);
    if (status == RVM_OK)
        status = check_numbers(m, w.points.K, err);
    whole_free(&w);
    return rvm_team_agree(y->observed.spans.team, status, err);
}
