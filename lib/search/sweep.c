/* The top-down fixed point: steps of the gradient's equations for all precisions at once.
 *
 * In scaled weights u (likelihood.h) alpha mu^2 = u^2 and alpha Sigma_ii = C_ii = 1 - gamma, so
 * that ln alpha moves by ln(gamma / u^2), or by ln(1 / (u^2 + C_ii)). */
#include "search/sweep.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"

/* A function of unit norm whose alpha has passed this many times beta keeps less than a thousandth
 * of its weight, and goes on shrinking: it is deleted. (Deleting already at q^2 <= s loses 5 to 15
 * nats; 1e9 instead of 1e3 gains nothing and takes up to twice the time.) */
static const double sweep_out = 6.907755278982137; /* ln 1e3 */

const double rvm_sweep_patience = 4e9; /* some tenths of a second */

/* The mean move of ln alpha below which the fixed point has come to rest. */
static const double at_rest_below = 1e-4;

/* ---- The noise ------------------------------------------------------------------------------ */

/* Numerator and denominator of the rule for beta. */
typedef struct {
    double rows, residual;
} noise_quotient;

static void add_noise(noise_quotient *sum, const rvm_fit *f, const rvm_observed *o,
                      rvm_sweep_rule rule, double gammas)
{
    const double N = (double)o->spans.N;
    sum->rows += (rule == RVM_SWEEP_EM ? N : fmax(N - gammas, 1e-3)) + 2 * o->noise_prior.shape;
    sum->residual += fmax(f->residual_squares, 1e-300) + 2 * rvm_prior_bx(&o->noise_prior, 0);
    if (rule == RVM_SWEEP_EM)
        sum->residual += gammas * exp(-f->ln_beta);
}

static double ln_beta_of(noise_quotient sum, const rvm_observed *o)
{
    return fmin(log(sum.rows / sum.residual), o->ln_beta_max);
}

double rvm_sweep_noise(const rvm_fit *f, const rvm_observed *o, rvm_sweep_rule rule, double gammas)
{
    noise_quotient one = { 0, 0 };
    add_noise(&one, f, o, rule, gammas);
    return ln_beta_of(one, o);
}

/* ---- The precisions ------------------------------------------------------------------------- */

/* Adds gamma and u^2 of output j, or 1 and u^2 + C_ii, to the sums over outputs; returns the sum of
 * gamma over functions. */
static double add_gammas(rvm_climber *s, size_t j, rvm_sweep_rule rule)
{
    const rvm_fit *f = &s->now[j];
    double *c = s->step, sum = 0;
    gsl_matrix_view L = rvm_fit_factor(f);
    gsl_matrix_view T = gsl_matrix_submatrix(s->ws.square, 0, 0, f->K, f->K);
    rvm_cholesky_inverse_diagonal(c, &T.matrix, &L.matrix, s->ws.threads);
    for (size_t i = 0; i < f->K; i++) {
        const double gamma = fmin(fmax(1 - c[i], 1e-13), 1), u2 = f->u[i] * f->u[i];
        s->gamma[i] += rule == RVM_SWEEP_EM ? 1 : gamma;
        s->square[i] += rule == RVM_SWEEP_EM ? u2 + c[i] : u2;
        sum += gamma;
    }
    return sum;
}

/* What the fixed point adds to ln alpha of function i. */
static double step_of(const rvm_climber *s, size_t i)
{
    const rvm_prior prior = rvm_climber_prior(s, s->now->column[i]);
    const double twice_rate = 2 * rvm_prior_bx(&prior, s->now->ln_alpha[i]); /* times alpha */
    return log((s->gamma[i] + 2 * prior.shape) / (fmax(s->square[i], 1e-300) + twice_rate));
}

/* One step; returns the mean move of ln alpha. */
static double update(rvm_climber *s, rvm_sweep_rule rule, double stretch)
{
    const size_t K = s->now->K;
    const bool free_noise = rvm_observed_free_noise(s->output->observed);
    noise_quotient all = { 0, 0 };
    double moved = 0;
    memset(s->gamma, 0, K * sizeof *s->gamma);
    memset(s->square, 0, K * sizeof *s->square);
    for (size_t j = 0; j < s->outputs; j++) {
        const double gammas = add_gammas(s, j, rule);
        const rvm_observed *o = s->output[j].observed;
        add_noise(&all, &s->now[j], o, rule, gammas);
        if (free_noise && !s->shared_noise)
            s->now[j].ln_beta = rvm_sweep_noise(&s->now[j], o, rule, gammas);
    }
    for (size_t j = 0; j < s->outputs && free_noise && s->shared_noise; j++)
        s->now[j].ln_beta = ln_beta_of(all, s->output[j].observed);
    for (size_t i = 0; i < K; i++) {
        const double here = s->now->ln_alpha[i], step = step_of(s, i);
        const double next =
            rvm_climber_set_alpha(s, s->now, i, here + (step > 0 ? stretch * step : step));
        moved += fmin(fabs(next - here), 10);
    }
    return K > 0 ? moved / (double)K : 0;
}

/* Those that no output has a use for. */
static size_t delete_dead(rvm_climber *s)
{
    double bound = -INFINITY;
    size_t deleted = 0;
    for (size_t j = 0; j < s->outputs; j++) {
        const bool has_noise = s->output[j].observed->likelihood->has_noise;
        bound = fmax(bound, sweep_out + (has_noise ? s->now[j].ln_beta : 0));
    }
    for (size_t i = s->now->K; i-- > 0;)
        if (s->now->ln_alpha[i] > bound && !rvm_climber_is_bias(s, i)) {
            rvm_climber_remove(s, s->now, i);
            deleted++;
        }
    return deleted;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

rvm_status rvm_sweep_step(rvm_climber *s, rvm_sweep_rule rule, double stretch, bool *at_rest,
                          rvm_error *err)
{
    *at_rest = s->now->K == 0;
    if (*at_rest)
        return RVM_OK;
    const double moved = update(s, rule, stretch);
    const size_t deleted = delete_dead(s);
    *at_rest = moved < at_rest_below && deleted == 0;
    return rvm_climber_locate(s, err);
}

/* Multiplications of a step, about. */
static double work_of_step(const rvm_climber *s)
{
    const rvm_observed *o = s->output->observed;
    const double K = (double)s->now->K, q = (double)s->outputs;
    return q * K * K * (K + (o->likelihood->curved ? (double)o->N : 0));
}

rvm_status rvm_sweep_run(rvm_climber *s, int sweeps, double stretch, rvm_error *err)
{
    bool at_rest = false;
    double work = 0;
    s->ws.mode_steps = 1; /* the fixed point moves on before the mode matters */
    rvm_status status = rvm_climber_locate(s, err);
    for (int k = 0; k < sweeps && status == RVM_OK && !at_rest; k++) {
        work += work_of_step(s);
        if (work > rvm_sweep_patience && rvm_climber_stopped(s))
            break;
        status = rvm_sweep_step(s, RVM_SWEEP_MACKAY, stretch, &at_rest, err);
    }
    s->ws.mode_steps = 0;
    if (status == RVM_OK && s->output->observed->likelihood->curved)
        status = rvm_climber_locate(s, err); /* to the mode; normal noise has it at once */
    return status;
}
