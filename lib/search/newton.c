/* Newton's method in (ln alpha, ln beta) on the active set.
 *
 * With C = H^-1, u the scaled weights and gamma_i = 1 - C_ii (likelihood.h),
 *
 *     dL/d ln alpha_i             1/2 (1 - C_ii - u_i^2)
 *     d2L/d ln alpha_i ln alpha_j 1/2 (C_ij^2 + 2 u_i u_j C_ij)  - delta_ij 1/2 (C_ii + u_i^2)
 *     dL/d ln beta                1/2 (N - sum gamma - beta |t - Phi mu|^2)
 *     d2L/d ln beta^2             1/2 (|I - C|_F^2 - sum gamma - beta |t - Phi mu|^2 + 2 u'C u)
 *     d2L/d ln beta ln alpha_i    1/2 (C_ii - (C C)_ii - 2 u_i (C u)_i)
 *
 * The Hessian is not definite away from the maximum, so a multiple of I is added until
 * -Hessian + lambda I is, and a step counts only if the evidence rises (Levenberg, Marquardt). */
#include "search/newton.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/linalg.h"
#include "inference/evidence.h"

enum { MAX_DAMPINGS = 14 };
static const double longest_step = 4; /* in any ln alpha: the quadratic model reaches no farther */

/* ---- The search object ---------------------------------------------------------------------- */

rvm_status rvm_search_init(rvm_search *s, const rvm_observed *o, rvm_design *d, size_t capacity,
                           int threads, rvm_error *err)
{
    memset(s, 0, sizeof *s);
    s->observed = o;
    s->design = d;
    s->gradient = rvm_array(capacity + 1, sizeof *s->gradient);
    s->step = rvm_array(capacity + 1, sizeof *s->step);
    s->order = rvm_array(capacity, sizeof *s->order);
    s->chosen = rvm_array(capacity, sizeof *s->chosen);
    s->stays = rvm_array(capacity, sizeof *s->stays);
    const size_t N = o->likelihood->by_rows ? o->N : 0;
    rvm_status status = RVM_OK;
    if (s->gradient == NULL || s->step == NULL || s->order == NULL || s->chosen == NULL ||
        s->stays == NULL)
        status = rvm_fail_memory(err, "the search");
    if (status == RVM_OK)
        status = rvm_fit_init(&s->now, capacity, N, err);
    if (status == RVM_OK)
        status = rvm_fit_init(&s->trial, capacity, N, err);
    if (status == RVM_OK)
        status = rvm_scratch_init(&s->ws, capacity, N, o->likelihood->curved, threads, err);
    if (status != RVM_OK)
        rvm_search_free(s);
    return status;
}

void rvm_search_free(rvm_search *s)
{
    rvm_fit_free(&s->now);
    rvm_fit_free(&s->trial);
    rvm_scratch_free(&s->ws);
    free(s->gradient);
    free(s->step);
    free(s->order);
    free(s->chosen);
    free(s->stays);
    memset(s, 0, sizeof *s);
}

gsl_matrix_view rvm_search_inverse(rvm_search *s)
{
    gsl_matrix_view C = gsl_matrix_submatrix(s->ws.square, 0, 0, s->now.K, s->now.K);
    gsl_matrix_view L = rvm_fit_factor(&s->now);
    rvm_cholesky_inverse(&C.matrix, &L.matrix);
    return C;
}

rvm_status rvm_search_locate(rvm_search *s, rvm_error *err)
{
    if (s->observed->likelihood->posterior(&s->now, s->observed, s->design, &s->ws))
        return RVM_OK;
    if (rvm_interrupted(s->observed->interrupted))
        return rvm_fail_interrupted(err);
    return rvm_fail(err, RVM_ENUMERIC, "the posterior left the range of finite numbers");
}

bool rvm_search_accept(rvm_search *s, double margin)
{
    if (!s->observed->likelihood->posterior(&s->trial, s->observed, s->design, &s->ws) ||
        !(s->trial.log_evidence > s->now.log_evidence + margin))
        return false;
    const rvm_fit kept = s->now;
    s->now = s->trial;
    s->trial = kept;
    return true;
}

/* ---- Derivatives ---------------------------------------------------------------------------- */

static bool bias_at_bound(const rvm_search *s, size_t i)
{
    return s->now.column[i] == 0 && s->now.ln_alpha[i] >= s->observed->bias_ln_alpha_max;
}

static void alpha_derivatives(double *gradient, gsl_matrix *hessian, const rvm_fit *f,
                              const gsl_matrix *C)
{
    for (size_t i = 0; i < f->K; i++) {
        const double c = gsl_matrix_get(C, i, i), ui = f->u[i];
        gradient[i] = 0.5 * (1 - c - ui * ui);
        if (hessian == NULL)
            continue;
        const double *row = gsl_matrix_const_ptr(C, i, 0);
        double *h = gsl_matrix_ptr(hessian, i, 0);
        for (size_t j = 0; j < f->K; j++)
            h[j] = 0.5 * row[j] * row[j] + ui * f->u[j] * row[j];
        h[i] -= 0.5 * (c + ui * ui);
    }
}

static void beta_derivatives(double *gradient, gsl_matrix *hessian, const rvm_fit *f,
                             const gsl_matrix *C, size_t N)
{
    const size_t K = f->K;
    const double explained = exp(f->ln_beta) * f->misfit;
    double gammas = 0, frobenius = 0, uCu = 0;
    for (size_t i = 0; i < K; i++) {
        const double *row = gsl_matrix_const_ptr(C, i, 0);
        double squares = 0, Cu = 0;
        for (size_t j = 0; j < K; j++) {
            squares += row[j] * row[j];
            Cu += row[j] * f->u[j];
        }
        gammas += 1 - row[i];
        frobenius += squares - row[i] * row[i] + (1 - row[i]) * (1 - row[i]);
        uCu += f->u[i] * Cu;
        const double mixed = 0.5 * (row[i] - squares) - f->u[i] * Cu;
        if (hessian != NULL) {
            gsl_matrix_set(hessian, i, K, mixed);
            gsl_matrix_set(hessian, K, i, mixed);
        }
    }
    gradient[K] = 0.5 * ((double)N - gammas - explained);
    if (hessian != NULL)
        gsl_matrix_set(hessian, K, K, 0.5 * (frobenius - gammas - explained) + uCu);
}

static void add_prior(double *gradient, gsl_matrix *hessian, size_t i, const rvm_prior *prior,
                      double ln_x)
{
    gradient[i] += rvm_prior_slope(prior, ln_x);
    if (hessian != NULL)
        *gsl_matrix_ptr(hessian, i, i) += rvm_prior_bend(prior, ln_x);
}

void rvm_fit_derivatives(double *gradient, gsl_matrix *hessian, const rvm_fit *f,
                         const gsl_matrix *C, const rvm_observed *o, const double *norm)
{
    alpha_derivatives(gradient, hessian, f, C);
    for (size_t i = 0; i < f->K && !rvm_prior_is_flat(&o->weight_prior); i++) {
        const rvm_prior prior = rvm_column_prior(o, norm[f->column[i]]);
        add_prior(gradient, hessian, i, &prior, f->ln_alpha[i]);
    }
    if (!o->likelihood->has_noise)
        return;
    beta_derivatives(gradient, hessian, f, C, o->N);
    if (!rvm_prior_is_flat(&o->noise_prior))
        add_prior(gradient, hessian, f->K, &o->noise_prior, f->ln_beta);
}

static void hold(rvm_search *s, gsl_matrix *hessian, size_t coordinate)
{
    s->gradient[coordinate] = 0;
    for (size_t j = 0; hessian != NULL && j <= s->now.K; j++) {
        gsl_matrix_set(hessian, coordinate, j, 0);
        gsl_matrix_set(hessian, j, coordinate, 0);
    }
}

void rvm_search_derivatives(rvm_search *s, gsl_matrix *hessian, const gsl_matrix *C)
{
    const rvm_observed *o = s->observed;
    const size_t K = s->now.K;
    rvm_fit_derivatives(s->gradient, hessian, &s->now, C, o, s->design->norm);
    if (!rvm_observed_free_noise(o) || (s->now.ln_beta >= o->ln_beta_max && s->gradient[K] > 0))
        hold(s, hessian, K);
    for (size_t i = 0; i < K; i++)
        if ((bias_at_bound(s, i) && s->gradient[i] > 0) ||
            (s->now.ln_alpha[i] <= rvm_least_ln_alpha(o, s->now.ln_beta) && s->gradient[i] < 0))
            hold(s, hessian, i);
}

/* ---- Deleting ------------------------------------------------------------------------------- */

/* What tells whether active function i is of use, and how little: its ratio q^2 / s less 1, or with
 * a prior what it is worth at the optimum of its alpha. */
static double use_of(const rvm_search *s, const gsl_matrix *C, size_t i)
{
    const rvm_observed *o = s->observed;
    if (rvm_prior_is_flat(&o->weight_prior))
        return rvm_active_ratio(C, &s->now, i) - 1;
    const rvm_prior prior = rvm_column_prior(o, s->design->norm[s->now.column[i]]);
    return rvm_active_worth(C, &s->now, i, &prior);
}

/* `use` as above is more than the margin in nats. */
static bool is_worth_it(const rvm_observed *o, double use)
{
    const bool flat = rvm_prior_is_flat(&o->weight_prior);
    return use > 0 && (flat ? rvm_gain_by_ratio(use + 1) : use) >= o->prune_margin;
}

/* Orders active functions that the evidence is better without, or worse by less than the margin,
 * those of least use first; returns how many there are. */
static size_t find_superfluous(size_t *order, double *use, const rvm_search *s, const gsl_matrix *C)
{
    const bool bias_held = s->observed->bias_ln_alpha_max < INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < s->now.K; i++) {
        const double mine = use_of(s, C, i);
        const bool stays = is_worth_it(s->observed, mine) || (bias_held && s->now.column[i] == 0);
        use[i] = stays ? INFINITY : mine;
        count += !stays;
    }
    gsl_sort_index(order, use, 1, s->now.K);
    return count;
}

static int descending(const void *a, const void *b)
{
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    return (i < j) - (i > j);
}

/* Deletes all such functions at once, or the worst half of them, or a quarter, ... where that
 * lowers the evidence by more than the margin for each. With a prior each one that goes saves what
 * it pays for that, so that the objective may rise while the fit is lost with too many: half of
 * them at the most go then. True if something was deleted. */
static bool delete_superfluous(rvm_search *s, const gsl_matrix *C)
{
    const double rounding = -1e-9;
    size_t count = find_superfluous(s->order, s->step, s, C);
    if (!rvm_prior_is_flat(&s->observed->weight_prior))
        count = (count + 1) / 2;
    for (; count > 0; count /= 2) {
        rvm_fit_copy(&s->trial, &s->now);
        memcpy(s->chosen, s->order, count * sizeof *s->chosen);
        qsort(s->chosen, count, sizeof *s->chosen, descending);
        for (size_t k = 0; k < count; k++)
            rvm_fit_remove(&s->trial, s->chosen[k]);
        if (rvm_search_accept(s, rounding - (double)count * s->observed->prune_margin))
            return true;
    }
    return false;
}

/* ---- Stepping ------------------------------------------------------------------------------- */

static void shorten(double *step, size_t n)
{
    double longest = 0;
    for (size_t i = 0; i < n; i++)
        longest = fmax(longest, fabs(step[i]));
    for (size_t i = 0; i < n && longest > longest_step; i++)
        step[i] *= longest_step / longest;
}

bool rvm_damped_step(double *step, gsl_matrix *A, const gsl_matrix *hessian, const double *gradient,
                     double lambda, int threads)
{
    const size_t n = hessian->size1;
    for (size_t i = 0; i < n; i++) {
        const double *h = gsl_matrix_const_ptr(hessian, i, 0);
        double *a = gsl_matrix_ptr(A, i, 0);
        for (size_t j = 0; j <= i; j++)
            a[j] = -h[j];
        a[i] += lambda;
    }
    if (!rvm_cholesky(A, threads))
        return false;
    gsl_vector_view x = gsl_vector_view_array(step, n);
    memcpy(step, gradient, n * sizeof *step);
    gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, A, &x.vector);
    gsl_blas_dtrsv(CblasLower, CblasTrans, CblasNonUnit, A, &x.vector);
    shorten(step, n);
    return true;
}

static void set_trial(rvm_search *s)
{
    const size_t K = s->now.K;
    rvm_fit_copy(&s->trial, &s->now);
    s->trial.ln_beta = fmin(s->now.ln_beta + s->step[K], s->observed->ln_beta_max);
    const double least = rvm_least_ln_alpha(s->observed, s->trial.ln_beta);
    for (size_t i = 0; i < K; i++) {
        double ln_alpha = fmax(s->now.ln_alpha[i] + s->step[i], least);
        if (s->now.column[i] == 0)
            ln_alpha = fmin(ln_alpha, s->observed->bias_ln_alpha_max);
        rvm_fit_set_alpha(&s->trial, i, ln_alpha);
    }
}

/* One accepted step; 0 when none is found, else the evidence gained. */
static double advance(rvm_search *s, const gsl_matrix *hessian, double *lambda)
{
    const double before = s->now.log_evidence;
    gsl_matrix_view A = gsl_matrix_submatrix(s->ws.square2, 0, 0, s->now.K + 1, s->now.K + 1);
    for (int k = 0; k < MAX_DAMPINGS && !rvm_interrupted(s->observed->interrupted); k++) {
        if (rvm_damped_step(s->step, &A.matrix, hessian, s->gradient, *lambda, s->ws.threads)) {
            set_trial(s);
            if (rvm_search_accept(s, 1e-13 * fabs(before))) {
                *lambda = fmax(*lambda / 5, 1e-9);
                return s->now.log_evidence - before;
            }
        }
        *lambda = fmax(4 * *lambda, 1e-3);
    }
    return 0;
}

void rvm_newton(rvm_search *s, int max_iterations, double tolerance, bool *converged)
{
    double lambda = 1e-3;
    const volatile int *stop = s->observed->interrupted;
    *converged = false;
    for (int k = 0; k < max_iterations && !*converged && !rvm_interrupted(stop); k++) {
        gsl_matrix_view C = rvm_search_inverse(s);
        if (delete_superfluous(s, &C.matrix))
            continue;
        gsl_matrix_view hessian =
            gsl_matrix_submatrix(s->ws.square3, 0, 0, s->now.K + 1, s->now.K + 1);
        gsl_matrix_set_zero(&hessian.matrix);
        rvm_search_derivatives(s, &hessian.matrix, &C.matrix);
        *converged = advance(s, &hessian.matrix, &lambda) < tolerance && !rvm_interrupted(stop);
    }
}
