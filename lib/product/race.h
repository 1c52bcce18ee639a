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
/* The folds of the best candidate, borrowed, and the problem that they are of; NULL where that was a part
 * of the rows, or they are not all there: with a bound of seconds the first lap will do. */
const rvm_crossval *rvm_race_folds(const rvm_problem **rows, const rvm_race *r);
/* How many folds there still is time for, before the bound of seconds; SIZE_MAX without one. */
size_t rvm_race_affordable_folds(const rvm_race *r);
void rvm_race_free(rvm_race *r);

#endif
