/* Ascents within bounds, by first derivatives. */
#include "base/ascent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/interrupt.h"

enum {
    FEW_GAINS = 3, /* steps in a row that gain little, and an ascent comes to rest */
    MAX_CUTS = 8   /* of the length of a step */
};

bool rvm_ascent_init(rvm_ascent *a, size_t count)
{
    *a = (rvm_ascent){ .steps = 0 };
    a->room = rvm_array(6 * count, sizeof *a->room);
    if (a->room == NULL || !rvm_lbfgs_init(&a->curvature, count))
        return false;
    double **const part[] = { &a->now.theta,      &a->now.gradient, &a->trial.theta,
                              &a->trial.gradient, &a->direction,    &a->move };
    for (size_t k = 0; k < 6; k++)
        *part[k] = a->room + k * count;
    return true;
}

void rvm_ascent_free(rvm_ascent *a)
{
    free(a->room);
    rvm_lbfgs_free(&a->curvature);
    *a = (rvm_ascent){ .steps = 0 };
}

/* The gradient without what would leave the bounds or is left out, so that L-BFGS sees a function
 * of the free coordinates alone (projected gradient; Bertsekas 1982). */
static void project(rvm_place *p, const rvm_hill *h)
{
    for (size_t j = 0; j < h->count && h->low != NULL; j++)
        if (!isfinite(p->theta[j]) || (p->theta[j] <= h->low[j] && p->gradient[j] < 0) ||
            (p->theta[j] >= h->high[j] && p->gradient[j] > 0))
            p->gradient[j] = 0;
}

static rvm_status evaluate(rvm_place *p, const rvm_ascent *a, const rvm_hill *h, rvm_error *err)
{
    const rvm_status status = h->evaluate(&p->value, p->gradient, h->self, p->theta, err);
    if (status != RVM_OK)
        return status;
    rvm_team_same(a->team, &p->value, sizeof p->value);
    rvm_team_same(a->team, p->gradient, h->count * sizeof *p->gradient);
    project(p, h);
    return RVM_OK;
}

static void swap_places(rvm_ascent *a)
{
    const rvm_place kept = a->now;
    a->now = a->trial;
    a->trial = kept;
}

static void choose_direction(rvm_ascent *a, const rvm_hill *h)
{
    rvm_lbfgs_direction(a->direction, &a->curvature, a->now.gradient);
    rvm_team_same(a->team, a->direction, h->count * sizeof *a->direction);
    for (size_t j = 0; j < h->count; j++)
        if (a->now.gradient[j] == 0)
            a->direction[j] = 0;
}

/* a->move = the direction, no longer than allowed, times length, within the bounds; returns the
 * gain to first order, move'gradient. */
static double cut_move(rvm_ascent *a, const rvm_hill *h, double length)
{
    double far = 0, promise = 0;
    for (size_t j = 0; j < h->count; j++)
        far = fmax(far, fabs(a->direction[j]));
    const double factor = far > h->longest ? length * h->longest / far : length;
    for (size_t j = 0; j < h->count; j++) {
        const double from = a->now.theta[j];
        double to = from + factor * a->direction[j];
        if (h->low != NULL)
            to = fmax(h->low[j], fmin(to, h->high[j]));
        a->trial.theta[j] = isfinite(from) ? to : from;
        a->move[j] = isfinite(from) ? a->trial.theta[j] - from : 0;
        promise += a->move[j] * a->now.gradient[j];
    }
    return promise;
}

/* One step uphill, the first of ever shorter ones that gains a part of what the gradient promises
 * (Armijo 1966); *gain 0 when none is found. */
static rvm_status step_uphill(double *gain, rvm_ascent *a, const rvm_hill *h, rvm_error *err)
{
    double length = 1;
    *gain = 0;
    choose_direction(a, h);
    for (int k = 0; k < MAX_CUTS && !rvm_interrupted(h->interrupted); k++, length *= 0.3) {
        const double promise = cut_move(a, h, length);
        if (!(promise > 0))
            return RVM_OK;
        const rvm_status status = evaluate(&a->trial, a, h, err);
        if (status != RVM_OK)
            return status;
        if (!(a->trial.value > a->now.value + 1e-4 * promise))
            continue;
        *gain = a->trial.value - a->now.value;
        rvm_lbfgs_learn(&a->curvature, a->move, a->now.gradient, a->trial.gradient);
        swap_places(a);
        return RVM_OK;
    }
    return RVM_OK;
}

rvm_status rvm_ascent_begin(rvm_ascent *a, const rvm_hill *h, rvm_error *err)
{
    const rvm_status status = evaluate(&a->now, a, h, err);
    a->resting = status != RVM_OK || !isfinite(a->now.value);
    return status;
}

rvm_status rvm_ascent_climb(rvm_ascent *a, const rvm_hill *h, double least, int steps, int most,
                            rvm_error *err)
{
    rvm_status status = RVM_OK;
    for (int k = 0; k < steps && status == RVM_OK && !a->resting; k++) {
        double gain;
        if (rvm_interrupted(h->interrupted))
            break;
        status = step_uphill(&gain, a, h, err);
        a->small = gain < least ? a->small + 1 : 0;
        a->steps++;
        a->resting =
            a->small >= FEW_GAINS || a->steps >= most || (gain <= 0 && a->curvature.count == 0);
        if (gain <= 0)
            rvm_lbfgs_reset(&a->curvature);
    }
    return status;
}

rvm_status rvm_ascent_again(rvm_ascent *a, const rvm_hill *h, rvm_error *err)
{
    rvm_lbfgs_reset(&a->curvature);
    a->small = 0;
    return rvm_ascent_begin(a, h, err);
}

void rvm_ascent_move(rvm_ascent *a, const rvm_hill *h)
{
    swap_places(a);
    project(&a->now, h);
    rvm_lbfgs_reset(&a->curvature);
    a->small = 0;
    a->resting = false;
}
