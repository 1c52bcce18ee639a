/* The mode of a log-concave posterior, by Newton's method. */
#include "inference/mode.h"

#include <math.h>
#include <string.h>

enum { MAX_HALVINGS = 40 };

/* Share of the objective that is rounding: what a step may lose. */
static const double rounding = 1e-12;

/* What a step has led to. */
typedef enum { NONE, BY_ROUNDING, SOME } progress;

static rvm_status choose_start(double *objective, double *x, const double *other, const rvm_mode *m,
                               rvm_error *err)
{
    double there = -INFINITY;
    rvm_status status = RVM_OK;
    if (other != NULL)
        status = m->evaluate(&there, m->self, other, err);
    if (status == RVM_OK)
        status = m->evaluate(objective, m->self, x, err);
    if (status != RVM_OK || other == NULL || *objective >= there)
        return status;
    memcpy(x, other, m->size * sizeof *x);
    return m->evaluate(objective, m->self, x, err);
}

/* The step, halved until the objective does not fall by more than its rounding: a full one may go
 * too far where the curvature falls off, and half of it often enough never does, since the
 * objective is concave. */
static rvm_status take_step(progress *made, double *objective, double *x, const double *step,
                            double *trial, const rvm_mode *m, rvm_error *err)
{
    const double least = rounding * (1 + fabs(*objective));
    double length = 1;
    *made = NONE;
    for (int k = 0; k < MAX_HALVINGS && *made == NONE; k++, length /= 2) {
        double value;
        for (size_t i = 0; i < m->size; i++)
            trial[i] = x[i] + length * step[i];
        const rvm_status status = m->evaluate(&value, m->self, trial, err);
        if (status != RVM_OK)
            return status;
        if (!(value >= *objective - least))
            continue;
        *made = value > *objective + least ? SOME : BY_ROUNDING;
        memcpy(x, trial, m->size * sizeof *x);
        *objective = value;
    }
    return RVM_OK;
}

rvm_status rvm_mode_find(double *objective, double *x, double *step, double *trial,
                         const double *other, const rvm_mode *m, rvm_error *err)
{
    double promise = INFINITY;
    progress made = SOME;
    rvm_status status = choose_start(objective, x, other, m, err);
    if (m->size == 0)
        return status;
    for (int k = 0; status == RVM_OK && made != NONE; k++) {
        const double before = promise;
        status = m->newton(step, &promise, m->self, x, err);
        if (status != RVM_OK || promise < m->negligible || k == m->most ||
            (made == BY_ROUNDING && !(promise < before)))
            return status;
        status = take_step(&made, objective, x, step, trial, m, err);
    }
    memset(step, 0, m->size * sizeof *step);
    return status == RVM_OK ? m->evaluate(objective, m->self, x, err) : status;
}
