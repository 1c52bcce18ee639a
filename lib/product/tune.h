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
/* What the folds of the best kernel have predicted of all rows, of RVM_CALIBRATION_FOLDS folds,
 * and the problem with these rows in that order, both borrowed. NULL where they were not kept: when
 * settings.probability does not ask for them, in regression, where the folds are fitted too
 * roughly, of a sample, of no kernel that was tried. */
const rvm_prediction *rvm_tuner_held_out(const rvm_tuner *t);
const rvm_problem *rvm_tuner_sample(const rvm_tuner *t);
void rvm_tuner_free(rvm_tuner *t);

#endif
