/* What a kernel comes to in cross-validation, over some draws of the folds. */
#ifndef RVM_TRIAL_H
#define RVM_TRIAL_H

#include "product/crossval.h"
#include "product/loss.h"

/* Means over the draws so far. */
typedef struct {
    int draws;
    double loss; /* infinite where a fold has left the range of numbers; the others say nothing then
                  */
    double sure; /* what it gains on a constant, in standard errors */
    rvm_fold_score score;
} rvm_trial;

/* Adds one draw of the folds: the folds that s->seed + t->draws gives, the same for each kernel.
 * s has the kernel, nothing open, and the number of starts. *t is unchanged when interrupted.
 * prediction is scratch; c was found for p. */
RVM_CHECKED rvm_status rvm_trial_draw(rvm_trial *t, rvm_prediction *prediction,
                                      const rvm_problem *p, const rvm_constant *c,
                                      const rvm_settings *s, size_t folds, rvm_training *train,
                                      rvm_error *err);

#endif
