/* From a set of active functions to a local optimum over all columns of the design. */
#include "search/climb.h"

#include <math.h>
#include <string.h>

#include "search/newton.h"
#include "search/thin.h"

enum {
    MAX_FAILURES = 12, /* additions that failed one after the other: the promises are rounding */
    BUNCH = 8,         /* candidates added together at the most */
    MORE_NEWTON = 5,   /* times that Newton's method may begin where nothing is to be added */
    MAX_THINNINGS = 20
};

/* A squared correlation above which two candidates count as alike, and the share of the best gain
 * that one must promise to be added beside it. Neither decides where the search ends, only how many
 * moves it takes. */
static const double similar = 0.25, worth_bunching = 0.2;

const double rvm_climb_exact = 1e-7;

/* Gains closer than this count as equal and the first one wins: twins (symmetric inputs, duplicate
 * columns) would else be told apart by rounding. */
static const double tie = 1e-9;

static bool better(double gain, double best)
{
    return gain > best + tie * (1 + fabs(best));
}

/* S and Q of all columns in all outputs. */
static void measure_columns(rvm_climber *s)
{
    rvm_statistics *stats = &s->statistics;
    for (size_t j = 0; j < s->outputs; j++) {
        const rvm_output *o = &s->output[j];
        gsl_matrix_view C = rvm_climber_inverse(s, j);
        rvm_statistics_update(stats, &C.matrix, &s->now[j], o->observed, o->columns, &s->ws);
        for (size_t m = 0; m < stats->count; m++) {
            s->S[m * s->outputs + j] = stats->S[m];
            s->Q[m * s->outputs + j] = stats->Q[m];
        }
    }
}

/* Candidates that promised a gain and did not keep it are not asked again until something else has
 * been accepted. */
static void ask_all_again(rvm_climber *s)
{
    memset(s->refused, 0, s->output->columns->count * sizeof *s->refused);
}

static double best_addition(size_t *column, double *ln_alpha, const rvm_climber *s)
{
    const size_t q = s->outputs;
    double best = 0;
    for (size_t m = 0; m < s->output->columns->count; m++) {
        const double *S = s->S + m * q, *Q = s->Q + m * q;
        const rvm_prior prior = rvm_climber_prior(s, m);
        double at = 0;
        if (!better(rvm_gain_bound(S, Q, q, &prior), best) || s->refused[m] ||
            rvm_fit_find(s->now, m) < s->now->K)
            continue;
        const double gain = rvm_gain_with(&at, S, Q, q, &prior);
        if (better(gain, best)) {
            best = gain;
            *column = m;
            *ln_alpha = at;
        }
    }
    return best;
}

/* Whether candidates m and n would explain much the same, in the output that was measured last:
 * (phi_m' C^-1 phi_n)^2 against S_m S_n. */
static bool alike(const rvm_climber *s, size_t m, size_t n)
{
    const size_t j = s->outputs - 1;
    const rvm_output *o = &s->output[j];
    const rvm_statistics *stats = &s->statistics;
    double both = o->observed->likelihood->inner(m, n, &s->now[j], o->columns);
    const double *v = gsl_matrix_const_ptr(stats->V, m, 0);
    const double *w = gsl_matrix_const_ptr(stats->W, n, 0);
    for (size_t i = 0; i < s->now->K; i++)
        both -= v[i] * w[i];
    return both * both > similar * stats->S[m] * stats->S[n];
}

/* Adds several candidates at once, none like another: a long way from the optimum they hardly know
 * of each other. Counts as tried only where it beats the best of them alone. */
static bool try_bunch(rvm_climber *s, double tolerance)
{
    size_t chosen[BUNCH], count = 0, m = 0;
    double alone = 0, ln_alpha = 0;
    rvm_climber_try(s);
    while (count < BUNCH && s->trial->K < s->trial->capacity) {
        const double gain = best_addition(&m, &ln_alpha, s);
        if (!(gain > tolerance) || gain < worth_bunching * alone)
            break;
        bool fresh = true;
        for (size_t k = 0; k < count && fresh; k++)
            fresh = !alike(s, chosen[k], m);
        s->refused[m] = true;
        if (!fresh)
            continue;
        if (count == 0)
            alone = gain;
        chosen[count++] = m;
        rvm_climber_add(s, s->trial, m, ln_alpha);
    }
    ask_all_again(s);
    return count > 1 && rvm_climber_accept(s, alone);
}

static bool try_addition(rvm_climber *s, double tolerance)
{
    ask_all_again(s);
    if (try_bunch(s, tolerance))
        return true;
    for (int failures = 0; failures < MAX_FAILURES && s->now->K < s->now->capacity; failures++) {
        size_t m = 0;
        double ln_alpha = 0;
        const double gain = best_addition(&m, &ln_alpha, s);
        if (!(gain > tolerance))
            return false;
        rvm_climber_try(s);
        rvm_climber_add(s, s->trial, m, ln_alpha);
        if (rvm_climber_accept(s, fmin(tolerance, 0.1 * gain)))
            return true;
        s->refused[m] = true;
    }
    return false;
}

void rvm_climb_run(rvm_climber *s, const rvm_climb_settings *settings, bool *converged)
{
    const double thin = settings->thin;
    int more = MORE_NEWTON;
    *converged = false;
    for (int move = 0; move < settings->max_moves && more > 0 && !*converged; move++) {
        rvm_newton_run(s, settings->iterations, settings->newton, converged);
        if (rvm_climber_stopped(s)) {
            *converged = false; /* nobody has looked for something to add */
            break;
        }
        measure_columns(s);
        if (try_addition(s, settings->tolerance))
            *converged = false;
        else
            more--;
    }
    for (int k = 0; k < MAX_THINNINGS && thin > 0 && rvm_thin_out(s, thin) > 0; k++)
        rvm_newton_run(s, settings->iterations, settings->newton, converged);
}
