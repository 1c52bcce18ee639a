/* From a set of active functions to a local optimum over all columns of the design. */
#include "search/climb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
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

/* Candidates that promised a gain and did not keep it are not asked again until something else has
 * been accepted. */
typedef struct {
    bool *banned; /* owned, one for each column */
    size_t count;
} ban_list;

static void lift_bans(ban_list *b, size_t columns)
{
    memset(b->banned, 0, columns * sizeof *b->banned);
    b->count = 0;
}

static bool better(double gain, double best)
{
    return gain > best + tie * (1 + fabs(best));
}

static bool may_enter(const rvm_search *s, const ban_list *b, const rvm_statistics *stats, size_t m)
{
    return !b->banned[m] && stats->S[m] > 0 && rvm_fit_find(&s->now, m) == s->now.K;
}

static double best_addition(size_t *column, double *ln_alpha, const rvm_search *s,
                            const rvm_statistics *stats, const ban_list *b)
{
    double best = 0;
    for (size_t m = 0; m < stats->count; m++) {
        const double S = stats->S[m], Q = stats->Q[m];
        const rvm_prior prior = rvm_column_prior(s->observed, s->design->norm[m]);
        double at = 0;
        if (!better(rvm_gain_bound(S, Q, &prior), best) || !may_enter(s, b, stats, m))
            continue;
        const double gain = rvm_gain_with(&at, S, Q, &prior);
        if (better(gain, best)) {
            best = gain;
            *column = m;
            *ln_alpha = at;
        }
    }
    return best;
}

static void refresh(rvm_search *s, rvm_statistics *stats)
{
    gsl_matrix_view C = { 0 };
    if (s->now.K > 0)
        C = rvm_search_inverse(s);
    s->observed->likelihood->residual(&s->now, s->observed, s->design, &s->ws);
    rvm_statistics_update(stats, &C.matrix, &s->now, s->observed, s->design, &s->ws);
}

/* Whether candidates m and n would explain much the same: (phi_m' C^-1 phi_n)^2 against S_m S_n. */
static bool alike(const rvm_search *s, const rvm_statistics *stats, size_t m, size_t n)
{
    double joint = s->observed->likelihood->inner(m, n, &s->now, s->design);
    const double *v = gsl_matrix_const_ptr(stats->V, m, 0);
    const double *w = gsl_matrix_const_ptr(stats->W, n, 0);
    for (size_t i = 0; i < s->now.K; i++)
        joint -= v[i] * w[i];
    return joint * joint > similar * stats->S[m] * stats->S[n];
}

/* Adds several candidates at once, none like another: a long way from the optimum they hardly know
 * of each other. Counts as tried only where it beats the best of them alone. */
static bool try_bunch(rvm_search *s, const rvm_statistics *stats, ban_list *b, double tolerance)
{
    size_t chosen[BUNCH], count = 0, m = 0;
    double alone = 0, ln_alpha = 0;
    rvm_fit_copy(&s->trial, &s->now);
    while (count < BUNCH && s->trial.K < s->trial.capacity) {
        const double gain = best_addition(&m, &ln_alpha, s, stats, b);
        if (!(gain > tolerance) || gain < worth_bunching * alone)
            break;
        bool fresh = true;
        for (size_t k = 0; k < count && fresh; k++)
            fresh = !alike(s, stats, chosen[k], m);
        b->banned[m] = true;
        if (!fresh)
            continue;
        if (count == 0)
            alone = gain;
        chosen[count++] = m;
        rvm_fit_add(&s->trial, m, ln_alpha);
    }
    lift_bans(b, stats->count);
    return count > 1 && rvm_search_accept(s, alone);
}

static bool try_addition(rvm_search *s, const rvm_statistics *stats, ban_list *b, double tolerance)
{
    size_t m = 0;
    double ln_alpha = 0;
    if (try_bunch(s, stats, b, tolerance))
        return true;
    while (b->count < MAX_FAILURES && s->now.K < s->now.capacity) {
        const double gain = best_addition(&m, &ln_alpha, s, stats, b);
        if (!(gain > tolerance))
            return false;
        rvm_fit_copy(&s->trial, &s->now);
        rvm_fit_add(&s->trial, m, ln_alpha);
        if (rvm_search_accept(s, fmin(tolerance, 0.1 * gain)))
            return true;
        b->banned[m] = true;
        b->count++;
    }
    return false;
}

rvm_status rvm_climb(rvm_search *s, rvm_statistics *stats, const rvm_climb_settings *settings,
                     bool *converged, rvm_error *err)
{
    ban_list bans = { rvm_array(s->design->count, sizeof *bans.banned), 0 };
    if (bans.banned == NULL)
        return rvm_fail_memory(err, "the search");
    *converged = false;
    int more = MORE_NEWTON;
    for (int move = 0; move < settings->max_moves && more > 0 && !*converged; move++) {
        rvm_newton(s, settings->iterations, settings->newton, converged);
        if (rvm_interrupted(s->observed->interrupted)) {
            *converged = false; /* nobody has looked for something to add */
            break;
        }
        refresh(s, stats);
        lift_bans(&bans, s->design->count);
        if (try_addition(s, stats, &bans, settings->tolerance))
            *converged = false;
        else
            more--;
    }
    free(bans.banned);
    for (int k = 0; k < MAX_THINNINGS && settings->thin > 0 && rvm_thin(s, settings->thin) > 0; k++)
        rvm_newton(s, settings->iterations, settings->newton, converged);
    return RVM_OK;
}
