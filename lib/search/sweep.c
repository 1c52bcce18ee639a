/* The top-down fixed point. */
#include <math.h>

#include "base/interrupt.h"
#include "base/linalg.h"
#include "search/newton.h"

/* A function of unit norm whose alpha has passed this many times beta keeps less than a thousandth
 * of its weight, and goes on shrinking: it is deleted. (Deleting already at q^2 <= s loses 5 to 15
 * nats; 1e9 instead of 1e3 gains nothing and takes up to twice the time.) */
const double rvm_sweep_out = 6.907755278982137; /* ln 1e3 */

/* The mean move of ln alpha below which the fixed point has come to rest. */
const double rvm_sweep_at_rest = 1e-4;

const double rvm_sweep_patience = 4e9; /* some tenths of a second */

static bool is_bias(const rvm_search *s, size_t i)
{
    return s->observed->bias_ln_alpha_max < INFINITY && s->now.column[i] == 0;
}

/* What the rule adds to the ln alpha of function i, from c = C_ii and the scaled weight. */
static double step_of(rvm_sweep_rule rule, const rvm_search *s, size_t i, double c)
{
    const rvm_fit *f = &s->now;
    const double gamma = fmin(fmax(1 - c, 1e-13), 1), u2 = fmax(f->u[i] * f->u[i], 1e-300);
    if (rvm_prior_is_flat(&s->observed->weight_prior))
        return rule == RVM_SWEEP_EM ? -log(u2 + c) : log(gamma / u2);
    const rvm_prior prior = rvm_column_prior(s->observed, s->design->norm[f->column[i]]);
    const double twice_rate = 2 * rvm_prior_bx(&prior, f->ln_alpha[i]); /* times alpha, as u2 is */
    return rule == RVM_SWEEP_EM ? log((1 + 2 * prior.shape) / (u2 + c + twice_rate))
                                : log((gamma + 2 * prior.shape) / (u2 + twice_rate));
}

double rvm_noise_step(const rvm_fit *f, const rvm_observed *o, rvm_sweep_rule rule, double gammas)
{
    const double twice_shape = 2 * o->noise_prior.shape;
    const double N = (double)o->N + twice_shape,
                 free_rows = fmax((double)o->N - gammas, 1e-3) + twice_shape;
    const double misfit = fmax(f->misfit, 1e-300) + 2 * rvm_prior_bx(&o->noise_prior, 0);
    const double beta =
        rule == RVM_SWEEP_EM ? N / (misfit + gammas * exp(-f->ln_beta)) : free_rows / misfit;
    return fmin(log(beta), o->ln_beta_max);
}

/* One step; returns the mean move of ln alpha. */
static double update(rvm_search *s, rvm_sweep_rule rule, double stretch)
{
    rvm_fit *f = &s->now;
    const rvm_observed *o = s->observed;
    double *c = s->step, gammas = 0, moved = 0;
    gsl_matrix_view L = rvm_fit_factor(f);
    gsl_matrix_view T = gsl_matrix_submatrix(s->ws.square, 0, 0, f->K, f->K);
    rvm_cholesky_inverse_diagonal(c, &T.matrix, &L.matrix, s->ws.threads);
    for (size_t i = 0; i < f->K; i++) {
        const double step = step_of(rule, s, i, c[i]);
        double ln_alpha = fmax(f->ln_alpha[i] + (step > 0 ? stretch * step : step),
                               rvm_least_ln_alpha(o, f->ln_beta));
        if (is_bias(s, i))
            ln_alpha = fmin(ln_alpha, o->bias_ln_alpha_max);
        gammas += fmin(fmax(1 - c[i], 1e-13), 1);
        moved += fmin(fabs(ln_alpha - f->ln_alpha[i]), 10);
        rvm_fit_set_alpha(f, i, ln_alpha);
    }
    if (rvm_observed_free_noise(o))
        f->ln_beta = rvm_noise_step(f, o, rule, gammas);
    const double least = rvm_least_ln_alpha(o, f->ln_beta);
    for (size_t i = 0; i < f->K; i++)
        if (f->ln_alpha[i] < least)
            rvm_fit_set_alpha(f, i, least);
    return f->K > 0 ? moved / (double)f->K : 0;
}

static size_t delete_dead(rvm_search *s)
{
    rvm_fit *f = &s->now;
    const double bound = rvm_sweep_out + f->ln_beta;
    size_t deleted = 0;
    for (size_t i = f->K; i-- > 0;)
        if (f->ln_alpha[i] > bound && !is_bias(s, i)) {
            rvm_fit_remove(f, i);
            deleted++;
        }
    return deleted;
}

rvm_status rvm_sweep_step(rvm_search *s, rvm_sweep_rule rule, double stretch, bool *at_rest,
                          rvm_error *err)
{
    *at_rest = s->now.K == 0;
    if (*at_rest)
        return RVM_OK;
    const double moved = update(s, rule, stretch);
    const size_t deleted = delete_dead(s);
    *at_rest = moved < rvm_sweep_at_rest && deleted == 0;
    return rvm_search_locate(s, err);
}

double rvm_sweep_work(const rvm_search *s)
{
    const double K = (double)s->now.K;
    return K * K * (K + (s->observed->likelihood->curved ? (double)s->observed->N : 0));
}

rvm_status rvm_sweep(rvm_search *s, int sweeps, double stretch, rvm_error *err)
{
    bool at_rest = false;
    double work = 0;
    s->ws.mode_steps = 1; /* the fixed point moves on before the mode matters */
    rvm_status status = rvm_search_locate(s, err);
    for (int k = 0; k < sweeps && status == RVM_OK && !at_rest; k++) {
        work += rvm_sweep_work(s);
        if (work > rvm_sweep_patience && rvm_interrupted(s->observed->interrupted))
            break;
        status = rvm_sweep_step(s, RVM_SWEEP_MACKAY, stretch, &at_rest, err);
    }
    s->ws.mode_steps = 0;
    if (status == RVM_OK && s->observed->likelihood->curved)
        status = rvm_search_locate(s, err); /* to the mode; normal noise has it at once */
    return status;
}
