/* The race of candidates, fold by fold; what comes of it is in rvm.h. */
#ifndef RVM_RACE_H
#define RVM_RACE_H

#include "product/crossval.h"

/* p is borrowed and must outlive the race; *s is copied, settings.tune says what is open. train: how the
 * folds are trained, with nothing left open. */
RVM_CHECKED rvm_status rvm_race_alloc(rvm_race **out, const rvm_problem *p, const rvm_settings *s,
                                      rvm_training *train, rvm_error *err);
/* One kernel of the screen, or some folds of one candidate. */
RVM_CHECKED rvm_status rvm_race_step(bool *done, rvm_race *r, rvm_error *err);
/* Fills rows, trials, trials_expected and progress. */
void rvm_race_report(rvm_report *report, const rvm_race *r);
/* *s, with nothing left open, is of the best candidate so far. */
void rvm_race_apply(rvm_settings *s, const rvm_race *r);
/* What the folds of the best candidate have predicted of all rows, borrowed, and the problem with the rows
 * in that order; false where they were of a part of the rows, or not of all folds. */
bool rvm_race_held_out(const rvm_prediction **prediction, const rvm_problem **rows,
                       const rvm_race *r);
void rvm_race_free(rvm_race *r);

#endif
