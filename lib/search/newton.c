/* Newton's method in (ln alpha, ln beta) on the active set.
 *
 * With C = H^-1, u the scaled weights and gamma_i = 1 - C_ii (likelihood.h), of one output
 *
 *     dL/d ln alpha_i             1/2 (1 - C_ii - u_i^2)
 *     d2L/d ln alpha_i ln alpha_j 1/2 (C_ij^2 + 2 u_i u_j C_ij)  - delta_ij 1/2 (C_ii + u_i^2)
 *     dL/d ln beta                1/2 (N - sum gamma - beta |t - Phi mu|^2)
 *     d2L/d ln beta^2             1/2 (|I - C|_F^2 - sum gamma - beta |t - Phi mu|^2 + 2 u'C u)
 *     d2L/d ln beta ln alpha_i    1/2 (C_ii - (C C)_ii - 2 u_i (C u)_i)
 *
 * and of several the sums. The Hessian is not definite away from the maximum, so a multiple of I is
 * added until -Hessian + lambda I is, and a step counts only if the evidence rises (Levenberg 1944,
 * Marquardt 1963).
 *
 * Without itself, and in units of its alpha, active function i has
 *
 *     S = (1 - C_ii) / C_ii,   Q = u_i / C_ii
 *
 * in each output, which tell what it is worth at any precision (evidence.h): what is not worth the
 * margin at the best of them goes. */
#include "search/newton.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <string.h>

#include "base/linalg.h"

enum { MAX_DAMPINGS = 14 };
static const double longest_step = 4; /* in any ln alpha: the quadratic model reaches no farther */

/* ---- Derivatives ---------------------------------------------------------------------------- */

static void add_alpha_derivatives(rvm_climber *s, const rvm_fit *f, const gsl_matrix *C)
{
    for (size_t i = 0; i < f->K; i++) {
        const double c = gsl_matrix_get(C, i, i), ui = f->u[i];
        const double *row = gsl_matrix_const_ptr(C, i, 0);
        double *h = gsl_matrix_ptr(s->hessian, i, 0);
        s->gradient[i] += 0.5 * (1 - c - ui * ui);
        for (size_t j = 0; j < f->K; j++)
            h[j] += 0.5 * row[j] * row[j] + ui * f->u[j] * row[j];
        h[i] -= 0.5 * (c + ui * ui);
    }
}

/* at: coordinate of this ln beta. */
static void add_beta_derivatives(rvm_climber *s, const rvm_fit *f, const gsl_matrix *C, size_t N,
                                 size_t at)
{
    const double explained = exp(f->ln_beta) * f->residual_squares;
    double gammas = 0, frobenius = 0, uCu = 0;
    for (size_t i = 0; i < f->K; i++) {
        const double *row = gsl_matrix_const_ptr(C, i, 0);
        double squares = 0, Cu = 0;
        for (size_t j = 0; j < f->K; j++) {
            squares += row[j] * row[j];
            Cu += row[j] * f->u[j];
        }
        gammas += 1 - row[i];
        frobenius += squares - row[i] * row[i] + (1 - row[i]) * (1 - row[i]);
        uCu += f->u[i] * Cu;
        const double mixed = 0.5 * (row[i] - squares) - f->u[i] * Cu;
        *gsl_matrix_ptr(s->hessian, i, at) += mixed;
        *gsl_matrix_ptr(s->hessian, at, i) += mixed;
    }
    s->gradient[at] += 0.5 * ((double)N - gammas - explained);
    *gsl_matrix_ptr(s->hessian, at, at) += 0.5 * (frobenius - gammas - explained) + uCu;
}

static void add_prior(rvm_climber *s, size_t at, const rvm_prior *prior, double ln_x)
{
    if (rvm_prior_is_flat(prior))
        return;
    s->gradient[at] += rvm_prior_gradient(prior, ln_x);
    *gsl_matrix_ptr(s->hessian, at, at) += rvm_prior_second(prior, ln_x);
}

/* S and Q of active functions without themselves, in units of their alpha, and what is noted of
 * their use: Q^2 / S less 1, summed over outputs. */
static void note_statistics(rvm_climber *s, size_t j, const gsl_matrix *C)
{
    for (size_t i = 0; i < s->now->K; i++) {
        const double c = gsl_matrix_get(C, i, i), ratio = rvm_active_ratio(C, &s->now[j], i);
        s->S[i * s->outputs + j] = fmax(1 - c, 1e-300) / c;
        s->Q[i * s->outputs + j] = s->now[j].u[i] / c;
        s->use[i] = (j == 0 ? 0 : s->use[i]) + (ratio - 1);
    }
}

static void add_output(rvm_climber *s, size_t j)
{
    const rvm_fit *f = &s->now[j];
    const rvm_observed *o = s->output[j].observed;
    const size_t beta = rvm_climber_beta(s, j);
    gsl_matrix_view C = rvm_climber_inverse(s, j);
    add_alpha_derivatives(s, f, &C.matrix);
    if (rvm_observed_free_noise(o)) {
        add_beta_derivatives(s, f, &C.matrix, o->spans.N, beta);
        add_prior(s, beta, &o->noise_prior, f->ln_beta);
    }
    note_statistics(s, j, &C.matrix);
}

static void hold(rvm_climber *s, size_t coordinate, size_t n)
{
    s->gradient[coordinate] = 0;
    for (size_t k = 0; k < n; k++) {
        gsl_matrix_set(s->hessian, coordinate, k, 0);
        gsl_matrix_set(s->hessian, k, coordinate, 0);
    }
}

static void hold_at_bounds(rvm_climber *s, size_t n)
{
    const double bias_most = s->output->observed->bias_ln_alpha_max;
    double least = -INFINITY;
    for (size_t j = 0; j < s->outputs; j++) {
        const rvm_observed *o = s->output[j].observed;
        const size_t at = rvm_climber_beta(s, j);
        if (!rvm_observed_free_noise(o) ||
            (s->now[j].ln_beta >= o->ln_beta_max && s->gradient[at] > 0))
            hold(s, at, n);
        least = fmax(least, rvm_observed_least_ln_alpha(o, s->now[j].ln_beta));
    }
    for (size_t i = 0; i < s->now->K; i++) {
        const double ln_alpha = s->now->ln_alpha[i];
        if ((s->now->column[i] == 0 && ln_alpha >= bias_most && s->gradient[i] > 0) ||
            (ln_alpha <= least && s->gradient[i] < 0))
            hold(s, i, n);
    }
}

size_t rvm_newton_derivatives(rvm_climber *s)
{
    const size_t n = rvm_climber_coordinates(s);
    gsl_matrix_view h = gsl_matrix_submatrix(s->hessian, 0, 0, n, n);
    gsl_matrix_set_zero(&h.matrix);
    memset(s->gradient, 0, n * sizeof *s->gradient);
    for (size_t j = 0; j < s->outputs; j++)
        add_output(s, j);
    for (size_t i = 0; i < s->now->K; i++) {
        const rvm_prior prior = rvm_climber_prior(s, s->now->column[i]);
        add_prior(s, i, &prior, s->now->ln_alpha[i]);
    }
    hold_at_bounds(s, n);
    return n;
}

/* ---- Deleting ------------------------------------------------------------------------------- */

/* Whether active function i is worth more than the margin in nats, and s->use[i]: how little it is
 * of use. With a prior, that pays for a function, both are what it is worth at the best of its
 * precision uphill from where it is. */
static bool is_worth_it(rvm_climber *s, size_t i)
{
    const double *S = s->S + i * s->outputs, *Q = s->Q + i * s->outputs;
    const double margin = s->output->observed->prune_margin;
    const rvm_prior raw = rvm_climber_prior(s, s->now->column[i]);
    if (!rvm_prior_is_flat(&raw)) {
        const rvm_prior here = rvm_prior_shift(&raw, s->now->ln_alpha[i]);
        double at = 0;
        s->use[i] = rvm_gain_uphill(&at, S, Q, s->outputs, &here);
        return s->use[i] > 0 && s->use[i] >= margin;
    }
    double at = 0;
    const double gain = rvm_gain_with(&at, S, Q, s->outputs, &raw);
    return gain > 0 && gain >= margin;
}

/* Orders active functions that the evidence is better without, or worse by less than the margin,
 * those of least use first; returns how many there are. */
static size_t find_superfluous(rvm_climber *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->now->K; i++) {
        if (is_worth_it(s, i) || rvm_climber_is_bias(s, i))
            s->use[i] = INFINITY;
        else
            count++;
    }
    gsl_sort_index(s->order, s->use, 1, s->now->K);
    return count;
}

/* Deletes all such functions at once, or the worst half of them, or a quarter, ... where that
 * lowers the evidence by more than the margin for each. With a prior each one that goes saves what
 * it pays for that, so that the objective may rise while the fit is lost with too many: half of
 * them at the most go then. True if something was deleted. */
static bool delete_superfluous(rvm_climber *s)
{
    const rvm_observed *o = s->output->observed;
    const double rounding = -1e-9;
    size_t count = find_superfluous(s);
    if (!rvm_prior_is_flat(&o->weight_prior))
        count = (count + 1) / 2;
    for (; count > 0; count /= 2) {
        memset(s->goes, 0, s->now->K * sizeof *s->goes);
        for (size_t k = 0; k < count; k++)
            s->goes[s->order[k]] = true;
        rvm_climber_try(s);
        for (size_t i = s->now->K; i-- > 0;)
            if (s->goes[i])
                rvm_climber_remove(s, s->trial, i);
        if (rvm_climber_accept(s, rounding - (double)count * o->prune_margin))
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

/* s->step = (lambda I - hessian)^-1 gradient, made shorter where it moves a coordinate too far;
 * false when that matrix is not positive definite. */
static bool find_step(rvm_climber *s, size_t n, double lambda)
{
    gsl_matrix_view A = gsl_matrix_submatrix(s->damped, 0, 0, n, n);
    for (size_t i = 0; i < n; i++) {
        const double *h = gsl_matrix_const_ptr(s->hessian, i, 0);
        double *a = gsl_matrix_ptr(s->damped, i, 0);
        for (size_t j = 0; j <= i; j++)
            a[j] = -h[j];
        a[i] += lambda;
    }
    if (!rvm_cholesky(&A.matrix, s->ws.threads))
        return false;
    gsl_vector_view x = gsl_vector_view_array(s->step, n);
    memcpy(s->step, s->gradient, n * sizeof *s->step);
    gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, &A.matrix, &x.vector);
    gsl_blas_dtrsv(CblasLower, CblasTrans, CblasNonUnit, &A.matrix, &x.vector);
    shorten(s->step, n);
    return true;
}

/* One accepted step; 0 when none is found, else the evidence gained. */
static double advance(rvm_climber *s, size_t n, double *lambda)
{
    const double before = rvm_climber_log_evidence(s);
    memset(s->goes, 0, s->now->K * sizeof *s->goes);
    for (int k = 0; k < MAX_DAMPINGS && !rvm_climber_stopped(s); k++) {
        if (find_step(s, n, *lambda)) {
            rvm_climber_try_step(s);
            if (rvm_climber_accept(s, 1e-13 * fabs(before))) {
                *lambda = fmax(*lambda / 5, 1e-9);
                return rvm_climber_log_evidence(s) - before;
            }
        }
        *lambda = fmax(4 * *lambda, 1e-3);
    }
    return 0;
}

void rvm_newton_run(rvm_climber *s, int max_iterations, double tolerance, bool *converged)
{
    double lambda = 1e-3;
    *converged = false;
    for (int k = 0; k < max_iterations && !*converged && !rvm_climber_stopped(s); k++) {
        const size_t n = rvm_newton_derivatives(s);
        if (!delete_superfluous(s))
            *converged = advance(s, n, &lambda) < tolerance && !rvm_climber_stopped(s);
    }
}
