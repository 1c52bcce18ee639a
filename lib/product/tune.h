/* The choice of a kernel by cross-validation, trial by trial; its results are in rvm.h. */
#ifndef RVM_TUNE_H
#define RVM_TUNE_H

#include "product/crossval.h"

/* p is borrowed and must outlive the tuner; *s is copied. train: how the folds are trained, with
 * nothing left open. */
RVM_CHECKED rvm_status rvm_tuner_alloc(rvm_tuner **out, const rvm_problem *p, const rvm_settings *s,
                                       rvm_training *train, rvm_error *err);
/* One cross-validation of one kernel; without a result when it is interrupted. */
RVM_CHECKED rvm_status rvm_tuner_step(bool *done, rvm_tuner *t, rvm_error *err);
/* Fills rows, trials, trials_expected and progress. */
void rvm_tuner_report(rvm_report *r, const rvm_tuner *t);
void rvm_tuner_free(rvm_tuner *t);

#endif
