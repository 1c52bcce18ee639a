/* A search for several outputs that share their functions and precisions.
 *
 * An active function i of output j, with c = C_ii and u of that output (likelihood.h), has without
 * itself and in units of its alpha
 *
 *     S = (1 - c) / c,   Q = u / c
 *
 * so that rvm_shared_gain tells what it is worth at any precision, and at ln alpha = 0 what it is
 * worth as it stands. */
#include "search/joint.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/linalg.h"
#include "search/thin.h"

enum {
    MAX_DAMPINGS = 14,
    MAX_FAILURES = 12, /* additions that failed one after the other: the promises are rounding */
    MAX_THINNINGS = 20
};
/* Gains closer than this count as equal and the first one wins. */
static const double tie = 1e-9;

/* ---- Life ----------------------------------------------------------------------------------- */

static rvm_status alloc_fits(rvm_joint *s, size_t columns, size_t N, rvm_error *err)
{
    rvm_status status = RVM_OK;
    s->now = rvm_array(s->outputs, sizeof *s->now);
    s->trial = rvm_array(s->outputs, sizeof *s->trial);
    if (s->now == NULL || s->trial == NULL)
        return rvm_fail_memory(err, "the search");
    for (size_t j = 0; j < s->outputs && status == RVM_OK; j++) {
        status = rvm_fit_init(&s->now[j], columns, N, err);
        if (status == RVM_OK)
            status = rvm_fit_init(&s->trial[j], columns, N, err);
    }
    return status;
}

static rvm_status alloc_scratch(rvm_joint *s, size_t columns, size_t N, int threads, rvm_error *err)
{
    const size_t n = columns + s->outputs;
    s->S = gsl_matrix_alloc(columns, s->outputs);
    s->Q = gsl_matrix_alloc(columns, s->outputs);
    s->hessian = gsl_matrix_alloc(n, n);
    s->damped = gsl_matrix_alloc(n, n);
    s->gradient = rvm_array(n, sizeof *s->gradient);
    s->step = rvm_array(n, sizeof *s->step);
    s->part = rvm_array(columns + 1, sizeof *s->part);
    s->order = rvm_array(columns, sizeof *s->order);
    s->chosen = rvm_array(columns, sizeof *s->chosen);
    if (s->S == NULL || s->Q == NULL || s->hessian == NULL || s->damped == NULL ||
        s->gradient == NULL || s->step == NULL || s->part == NULL || s->order == NULL ||
        s->chosen == NULL)
        return rvm_fail_memory(err, "the search");
    const rvm_status status = rvm_scratch_init(&s->ws, columns, N, false, threads, err);
    return status != RVM_OK ? status : rvm_statistics_init(&s->statistics, columns, columns, err);
}

rvm_status rvm_joint_init(rvm_joint *s, const rvm_output *output, size_t outputs, bool shared_noise,
                          int threads, rvm_error *err)
{
    const size_t columns = output->design.count > 0 ? output->design.count : 1;
    memset(s, 0, sizeof *s);
    s->output = output;
    s->outputs = outputs;
    s->shared_noise = shared_noise;
    rvm_status status = alloc_fits(s, columns, output->observed.N, err);
    if (status == RVM_OK)
        status = alloc_scratch(s, columns, output->observed.N, threads, err);
    if (status != RVM_OK)
        rvm_joint_free(s);
    return status;
}

void rvm_joint_free(rvm_joint *s)
{
    for (size_t j = 0; j < s->outputs; j++) {
        if (s->now != NULL)
            rvm_fit_free(&s->now[j]);
        if (s->trial != NULL)
            rvm_fit_free(&s->trial[j]);
    }
    free(s->now);
    free(s->trial);
    rvm_scratch_free(&s->ws);
    rvm_statistics_free(&s->statistics);
    gsl_matrix_free(s->S);
    gsl_matrix_free(s->Q);
    gsl_matrix_free(s->hessian);
    gsl_matrix_free(s->damped);
    free(s->gradient);
    free(s->step);
    free(s->part);
    free(s->order);
    free(s->chosen);
    memset(s, 0, sizeof *s);
}

/* ---- Points --------------------------------------------------------------------------------- */

void rvm_joint_add(rvm_joint *s, size_t column, double ln_alpha)
{
    for (size_t j = 0; j < s->outputs; j++)
        rvm_fit_add(&s->now[j], column, ln_alpha);
}

void rvm_joint_remove(rvm_joint *s, size_t position)
{
    for (size_t j = 0; j < s->outputs; j++)
        rvm_fit_remove(&s->now[j], position);
}

static void try_from_here(rvm_joint *s)
{
    for (size_t j = 0; j < s->outputs; j++)
        rvm_fit_copy(&s->trial[j], &s->now[j]);
}

static bool is_stopped(const rvm_joint *s)
{
    return rvm_interrupted(s->output->observed.interrupted);
}

/* The posteriors of all outputs; false when one cannot be computed. */
static bool posteriors(double *log_evidence, rvm_fit *fit, rvm_joint *s)
{
    *log_evidence = 0;
    for (size_t j = 0; j < s->outputs; j++) {
        const rvm_output *o = &s->output[j];
        if (!o->observed.likelihood->posterior(&fit[j], &o->observed, &o->design, &s->ws))
            return false;
        *log_evidence += fit[j].log_evidence;
    }
    return true;
}

rvm_status rvm_joint_locate(rvm_joint *s, rvm_error *err)
{
    if (posteriors(&s->log_evidence, s->now, s))
        return RVM_OK;
    if (is_stopped(s))
        return rvm_fail_interrupted(err);
    return rvm_fail(err, RVM_ENUMERIC, "the posterior left the range of finite numbers");
}

/* s->trial becomes s->now if its log evidence is above by more than `margin`. */
static bool accept(rvm_joint *s, double margin)
{
    double log_evidence;
    if (!posteriors(&log_evidence, s->trial, s) || !(log_evidence > s->log_evidence + margin))
        return false;
    rvm_fit *const kept = s->now;
    s->now = s->trial;
    s->trial = kept;
    s->log_evidence = log_evidence;
    return true;
}

static bool is_bias(const rvm_joint *s, size_t i)
{
    return s->output->observed.bias_ln_alpha_max < INFINITY && s->now->column[i] == 0;
}

static double bounded_ln_alpha(const rvm_joint *s, size_t i, double ln_alpha)
{
    const double most = is_bias(s, i) ? s->output->observed.bias_ln_alpha_max : INFINITY;
    return fmin(fmax(ln_alpha, s->output->observed.ln_alpha_min), most);
}

/* C = H^-1 of one output, in s->ws.square, which computing a posterior leaves alone. */
static gsl_matrix_view inverse(rvm_joint *s, size_t j)
{
    const size_t K = s->now->K;
    gsl_matrix_view C = gsl_matrix_submatrix(s->ws.square, 0, 0, K > 0 ? K : 1, K > 0 ? K : 1);
    if (K > 0) {
        gsl_matrix_view L = rvm_fit_factor(&s->now[j]);
        rvm_cholesky_inverse(&C.matrix, &L.matrix);
    }
    return C;
}

/* ---- The fixed point ------------------------------------------------------------------------ */

/* Adds gamma and u^2 of output j to the sums over outputs; returns the sum of gamma. */
static double add_gammas(rvm_joint *s, size_t j, double *gammas, double *squares)
{
    const rvm_fit *f = &s->now[j];
    double *c = s->step, sum = 0;
    if (f->K == 0)
        return 0;
    gsl_matrix_view L = rvm_fit_factor(f);
    gsl_matrix_view T = gsl_matrix_submatrix(s->ws.square, 0, 0, f->K, f->K);
    rvm_cholesky_inverse_diagonal(c, &T.matrix, &L.matrix, s->ws.threads);
    for (size_t i = 0; i < f->K; i++) {
        const double gamma = fmin(fmax(1 - c[i], 1e-13), 1);
        gammas[i] += gamma;
        squares[i] += f->u[i] * f->u[i];
        sum += gamma;
    }
    return sum;
}

/* Rows that the fit leaves free, and what the prior of the noise counts for. */
static double free_rows(const rvm_observed *o, double gammas)
{
    return fmax((double)o->N - gammas, 1e-3) + 2 * o->noise_prior.shape;
}

static double misfit_of(const rvm_joint *s, size_t j)
{
    return s->now[j].misfit + 2 * rvm_prior_bx(&s->output[j].observed.noise_prior, 0);
}

static rvm_prior prior_of(const rvm_joint *s, size_t column)
{
    return rvm_column_prior(&s->output->observed, s->output->design.norm[column]);
}

/* What the fixed point adds to ln alpha of function i, from the sums of gamma and u^2. */
static double step_of(const rvm_joint *s, size_t i, double gammas, double squares)
{
    const double u2 = fmax(squares, 1e-300);
    if (rvm_prior_is_flat(&s->output->observed.weight_prior))
        return log(gammas / u2);
    const rvm_prior prior = prior_of(s, s->now->column[i]);
    return log((gammas + 2 * prior.shape) / (u2 + 2 * rvm_prior_bx(&prior, s->now->ln_alpha[i])));
}

/* ln beta of every output from its rows left free and its misfit, or of all together. */
static void update_noise(rvm_joint *s, const double *rows)
{
    double all_rows = 0, all_misfits = 0;
    if (s->output->observed.noise_fixed)
        return;
    for (size_t j = 0; j < s->outputs; j++) {
        all_rows += rows[j];
        all_misfits += misfit_of(s, j);
    }
    for (size_t j = 0; j < s->outputs; j++) {
        const double share = s->shared_noise ? all_rows : rows[j],
                     misfit = s->shared_noise ? all_misfits : misfit_of(s, j);
        s->now[j].ln_beta =
            fmin(log(share / fmax(misfit, 1e-300)), s->output[j].observed.ln_beta_max);
    }
}

/* One step; returns the mean move of ln alpha. */
static double update(rvm_joint *s, double stretch)
{
    const size_t K = s->now->K;
    double *gammas = s->gradient, *squares = s->part, *rows = s->gradient + K, moved = 0;
    memset(gammas, 0, K * sizeof *gammas);
    memset(squares, 0, K * sizeof *squares);
    for (size_t j = 0; j < s->outputs; j++)
        rows[j] = free_rows(&s->output[j].observed, add_gammas(s, j, gammas, squares));
    update_noise(s, rows);
    for (size_t i = 0; i < K; i++) {
        const double here = s->now->ln_alpha[i], step = step_of(s, i, gammas[i], squares[i]);
        const double next = bounded_ln_alpha(s, i, here + (step > 0 ? stretch * step : step));
        moved += fmin(fabs(next - here), 10);
        for (size_t j = 0; j < s->outputs; j++)
            rvm_fit_set_alpha(&s->now[j], i, next);
    }
    return K > 0 ? moved / (double)K : 0;
}

/* Those that no output has a use for. */
static size_t delete_dead(rvm_joint *s)
{
    double bound = -INFINITY;
    size_t deleted = 0;
    for (size_t j = 0; j < s->outputs; j++)
        bound = fmax(bound, rvm_sweep_out + s->now[j].ln_beta);
    for (size_t i = s->now->K; i-- > 0;)
        if (s->now->ln_alpha[i] > bound && !is_bias(s, i)) {
            rvm_joint_remove(s, i);
            deleted++;
        }
    return deleted;
}

rvm_status rvm_joint_sweep(rvm_joint *s, int sweeps, double stretch, rvm_error *err)
{
    rvm_status status = rvm_joint_locate(s, err);
    double work = 0;
    for (int k = 0; k < sweeps && status == RVM_OK && s->now->K > 0; k++) {
        work += (double)s->outputs * gsl_pow_3((double)s->now->K);
        if (work > rvm_sweep_patience && is_stopped(s))
            break;
        const double moved = update(s, stretch);
        const size_t deleted = delete_dead(s);
        status = rvm_joint_locate(s, err);
        if (moved < rvm_sweep_at_rest && deleted == 0)
            break;
    }
    return status;
}

/* ---- Derivatives ---------------------------------------------------------------------------- */

/* Coordinate of the ln beta of output j. */
static size_t beta_at(const rvm_joint *s, size_t j)
{
    return s->now->K + (s->shared_noise ? 0 : j);
}

static void add_row(gsl_matrix *to, size_t row, const double *from, size_t K, size_t beta)
{
    double *h = gsl_matrix_ptr(to, row, 0);
    for (size_t k = 0; k < K; k++)
        h[k] += from[k];
    h[beta] += from[K];
}

/* Adds the derivatives of output j; its share of each active function's S and Q goes to row i of
 * s->S and s->Q. */
static void add_output(rvm_joint *s, size_t j)
{
    const rvm_fit *f = &s->now[j];
    const size_t K = f->K, beta = beta_at(s, j);
    gsl_matrix_view C = inverse(s, j), h = gsl_matrix_submatrix(s->ws.square3, 0, 0, K + 1, K + 1);
    const rvm_output *o = &s->output[j];
    rvm_fit_derivatives(s->part, &h.matrix, f, &C.matrix, &o->observed, o->design.norm);
    for (size_t i = 0; i <= K; i++) {
        s->gradient[i < K ? i : beta] += s->part[i];
        add_row(s->hessian, i < K ? i : beta, gsl_matrix_const_ptr(&h.matrix, i, 0), K, beta);
    }
    for (size_t i = 0; i < K; i++) {
        const double c = gsl_matrix_get(&C.matrix, i, i);
        gsl_matrix_set(s->S, i, j, fmax(1 - c, 1e-300) / c);
        gsl_matrix_set(s->Q, i, j, f->u[i] / c);
    }
}

static void hold(rvm_joint *s, size_t coordinate, size_t n)
{
    s->gradient[coordinate] = 0;
    for (size_t k = 0; k < n; k++) {
        gsl_matrix_set(s->hessian, coordinate, k, 0);
        gsl_matrix_set(s->hessian, k, coordinate, 0);
    }
}

static void hold_at_bounds(rvm_joint *s, size_t n)
{
    const rvm_observed *o = &s->output->observed;
    for (size_t i = 0; i < s->now->K; i++) {
        const double ln_alpha = s->now->ln_alpha[i];
        if ((is_bias(s, i) && ln_alpha >= o->bias_ln_alpha_max && s->gradient[i] > 0) ||
            (ln_alpha <= o->ln_alpha_min && s->gradient[i] < 0))
            hold(s, i, n);
    }
    for (size_t j = 0; j < s->outputs; j++) {
        const size_t at = beta_at(s, j);
        if (o->noise_fixed ||
            (s->now[j].ln_beta >= s->output[j].observed.ln_beta_max && s->gradient[at] > 0))
            hold(s, at, n);
    }
}

size_t rvm_joint_derivatives(rvm_joint *s)
{
    const size_t n = beta_at(s, s->outputs - 1) + 1;
    gsl_matrix_view h = gsl_matrix_submatrix(s->hessian, 0, 0, n, n);
    gsl_matrix_set_zero(&h.matrix);
    memset(s->gradient, 0, n * sizeof *s->gradient);
    for (size_t j = 0; j < s->outputs; j++)
        add_output(s, j);
    hold_at_bounds(s, n);
    return n;
}

/* ---- Deleting ------------------------------------------------------------------------------- */

/* Orders active functions that the evidence is better without at any precision, or worse by less
 * than the margin, the most harmful first; returns how many there are. S and Q as the
 * derivatives have left them. */
static size_t find_superfluous(rvm_joint *s)
{
    const double margin = s->output[0].observed.prune_margin;
    double *worth = s->step;
    size_t count = 0;
    for (size_t i = 0; i < s->now->K; i++) {
        const double *S = gsl_matrix_const_ptr(s->S, i, 0), *Q = gsl_matrix_const_ptr(s->Q, i, 0);
        const rvm_prior raw = prior_of(s, s->now->column[i]);
        const rvm_prior prior =
            rvm_prior_shift(&raw, s->now->ln_alpha[i]); /* in units of its alpha */
        double best;
        worth[i] = rvm_shared_gain_at(0, S, Q, s->outputs, &prior);
        if (worth[i] > margin || is_bias(s, i) ||
            rvm_shared_gain(&best, S, Q, s->outputs, &prior) > margin)
            worth[i] = INFINITY; /* it stays */
        else
            count++;
    }
    gsl_sort_index(s->order, worth, 1, s->now->K);
    return count;
}

/* Deletes all of them at once, or the worst half, or a quarter, ... where that lowers the evidence.
 * True if something was deleted. */
static bool delete_superfluous(rvm_joint *s)
{
    const double rounding = -1e-9, margin = s->output[0].observed.prune_margin;
    for (size_t count = find_superfluous(s); count > 0; count /= 2) {
        try_from_here(s);
        memset(s->chosen, 0, s->now->K * sizeof *s->chosen);
        for (size_t k = 0; k < count; k++)
            s->chosen[s->order[k]] = true;
        for (size_t i = s->now->K; i-- > 0;)
            for (size_t j = 0; s->chosen[i] && j < s->outputs; j++)
                rvm_fit_remove(&s->trial[j], i);
        if (accept(s, rounding - (double)count * margin))
            return true;
    }
    return false;
}

/* ---- Newton's method ------------------------------------------------------------------------ */

static void set_trial(rvm_joint *s)
{
    try_from_here(s);
    for (size_t j = 0; j < s->outputs; j++) {
        rvm_fit *f = &s->trial[j];
        for (size_t i = 0; i < f->K; i++)
            rvm_fit_set_alpha(f, i, bounded_ln_alpha(s, i, f->ln_alpha[i] + s->step[i]));
        f->ln_beta = fmin(f->ln_beta + s->step[beta_at(s, j)], s->output[j].observed.ln_beta_max);
    }
}

/* One accepted step; 0 when none is found, else the evidence gained. */
static double advance(rvm_joint *s, size_t n, double *lambda)
{
    const double before = s->log_evidence;
    gsl_matrix_view A = gsl_matrix_submatrix(s->damped, 0, 0, n, n),
                    h = gsl_matrix_submatrix(s->hessian, 0, 0, n, n);
    for (int k = 0; k < MAX_DAMPINGS && !is_stopped(s); k++) {
        if (rvm_damped_step(s->step, &A.matrix, &h.matrix, s->gradient, *lambda, s->ws.threads)) {
            set_trial(s);
            if (accept(s, 1e-13 * fabs(before))) {
                *lambda = fmax(*lambda / 5, 1e-9);
                return s->log_evidence - before;
            }
        }
        *lambda = fmax(4 * *lambda, 1e-3);
    }
    return 0;
}

/* As rvm_newton: until an iteration gains less than `tolerance`. */
static bool newton(rvm_joint *s, int max_iterations, double tolerance)
{
    double lambda = 1e-3;
    for (int k = 0; k < max_iterations && !is_stopped(s); k++) {
        const size_t n = rvm_joint_derivatives(s);
        if (!delete_superfluous(s) && advance(s, n, &lambda) < tolerance)
            return !is_stopped(s);
    }
    return false;
}

/* ---- Adding --------------------------------------------------------------------------------- */

/* S and Q of all columns in all outputs. */
static void refresh(rvm_joint *s)
{
    for (size_t j = 0; j < s->outputs; j++) {
        const rvm_output *o = &s->output[j];
        gsl_matrix_view C = inverse(s, j);
        o->observed.likelihood->residual(&s->now[j], &o->observed, &o->design, &s->ws);
        rvm_statistics_update(&s->statistics, &C.matrix, &s->now[j], &o->observed, &o->design,
                              &s->ws);
        for (size_t m = 0; m < o->design.count; m++) {
            gsl_matrix_set(s->S, m, j, s->statistics.S[m]);
            gsl_matrix_set(s->Q, m, j, s->statistics.Q[m]);
        }
    }
}

/* What column m would gain, and where; 0 where it cannot gain more than `least`. */
static double gain_of(double *ln_alpha, const rvm_joint *s, size_t m, double least)
{
    const double *S = gsl_matrix_const_ptr(s->S, m, 0), *Q = gsl_matrix_const_ptr(s->Q, m, 0);
    const rvm_prior prior = prior_of(s, m);
    double most = rvm_prior_most(&prior); /* with a precision for each output */
    for (size_t j = 0; j < s->outputs; j++) {
        if (!(S[j] > 0))
            return 0;
        most += rvm_gain(S[j], Q[j]);
    }
    if (!(most > least) || rvm_fit_find(s->now, m) < s->now->K)
        return 0;
    return rvm_shared_gain(ln_alpha, S, Q, s->outputs, &prior);
}

static double best_addition(size_t *column, double *ln_alpha, const rvm_joint *s)
{
    double best = 0, at = 0;
    for (size_t m = 0; m < s->output->design.count; m++) {
        const double least = best + tie * (1 + best);
        const double gain = s->chosen[m] ? 0 : gain_of(&at, s, m, least);
        if (gain > least) {
            best = gain;
            *column = m;
            *ln_alpha = at;
        }
    }
    return best;
}

static bool try_addition(rvm_joint *s, double tolerance)
{
    memset(s->chosen, 0, s->output->design.count * sizeof *s->chosen);
    for (int failures = 0; failures < MAX_FAILURES && s->now->K < s->now->capacity; failures++) {
        size_t m = 0;
        double ln_alpha = 0;
        const double gain = best_addition(&m, &ln_alpha, s);
        if (!(gain > tolerance))
            return false;
        try_from_here(s);
        for (size_t j = 0; j < s->outputs; j++)
            rvm_fit_add(&s->trial[j], m, ln_alpha);
        if (accept(s, fmin(tolerance, 0.1 * gain)))
            return true;
        s->chosen[m] = true;
    }
    return false;
}

/* ---- Thinning ------------------------------------------------------------------------------- */

static void set_thinner_trial(rvm_joint *s)
{
    try_from_here(s);
    for (size_t j = 0; j < s->outputs; j++) {
        rvm_fit *f = &s->trial[j];
        f->ln_beta = fmin(f->ln_beta + s->step[beta_at(s, j)], s->output[j].observed.ln_beta_max);
        for (size_t i = f->K; i-- > 0;) {
            if (s->step[i] > 0)
                rvm_fit_set_alpha(f, i, bounded_ln_alpha(s, i, f->ln_alpha[i] - log(s->step[i])));
            else
                rvm_fit_remove(f, i);
        }
    }
}

/* As rvm_thin. */
static size_t thin(rvm_joint *s, double margin)
{
    const double rounding = 1e-9;
    const size_t K = s->now->K;
    size_t most = rvm_prior_is_flat(&s->output->observed.weight_prior) ? K : 0;
    while (most > 0 && !is_stopped(s)) {
        const size_t n = rvm_joint_derivatives(s);
        gsl_matrix_view h = gsl_matrix_submatrix(s->hessian, 0, 0, n, n),
                        scratch = gsl_matrix_submatrix(s->damped, 0, 0, n, n);
        for (size_t i = 0; i < K; i++)
            s->chosen[i] = is_bias(s, i) || gsl_matrix_get(&h.matrix, i, i) == 0;
        const size_t count =
            rvm_thin_choose(s->order, s->step, &h.matrix, &scratch.matrix, s->gradient, s->chosen,
                            K, margin, most, s->ws.threads);
        if (count == 0)
            break;
        set_thinner_trial(s);
        if (accept(s, -rounding - (double)count * margin))
            return count;
        most = count / 2;
    }
    return 0;
}

rvm_status rvm_joint_climb(rvm_joint *s, const rvm_climb_settings *settings, bool *converged,
                           rvm_error *err)
{
    const rvm_status status = rvm_joint_locate(s, err);
    *converged = false;
    for (int move = 0; move < settings->max_moves && status == RVM_OK && !*converged; move++) {
        const double before = s->log_evidence;
        const bool at_optimum = newton(s, settings->iterations, settings->newton);
        const bool still = at_optimum || s->log_evidence - before < settings->tolerance;
        if (is_stopped(s))
            break;
        refresh(s);
        *converged = !try_addition(s, settings->tolerance) && still;
    }
    for (int k = 0; k < MAX_THINNINGS && status == RVM_OK && settings->thin > 0; k++) {
        if (thin(s, settings->thin) == 0)
            break;
        *converged = newton(s, settings->iterations, settings->newton);
    }
    return status;
}
