/* The mode of a log-concave posterior, by Newton's method. */
#ifndef RVM_MODE_H
#define RVM_MODE_H

#include "rvm.h"

/* What is maximised, over x of `size` numbers: weights, or the dual variables of a process. Both
 * functions leave what they compute in `self`. */
typedef struct {
    size_t size;
    void *self; /* borrowed */
    /* Goes to x; the objective ln p(t|f) + ln p(x) there, but for constants. */
    rvm_status (*evaluate)(double *objective, void *self, const double *x, rvm_error *err);
    /* At x, which was the last to be evaluated: step = H^-1 g, H the precision and g the gradient,
     * and *promise = g'H^-1 g, which is twice what the step gains where the objective is quadratic
     * (Boyd and Vandenberghe 2004, section 9.5.1). */
    rvm_status (*newton)(double *step, double *promise, void *self, const double *x,
                         rvm_error *err);
    int most;          /* steps */
    double negligible; /* a step that promises less is not taken */
} rvm_mode;

/* Moves x to the mode, from where it is or from `other` (NULL: none) where that is better. Each
 * step is halved until the objective does not fall. At the end `self` is at x, after a call of
 * newton, and step (size) has the step that was not taken any more; of size 0 newton is not called.
 * trial: scratch, size. */
RVM_CHECKED rvm_status rvm_mode_find(double *objective, double *x, double *step, double *trial,
                                     const double *other, const rvm_mode *m, rvm_error *err);

#endif
