/* What candidates of a race lose on the rows that their folds have left out. */
#ifndef RVM_JUDGE_H
#define RVM_JUDGE_H

#include "product/calibration.h"
#include "product/crossval.h"

/* Of the finished folds of v, on p, trained by *s. *info: of these rows, calibrated by themselves.
 * loss[n], p->rows: that of row n, for which info is the mean, with the weight of its class; nan where no fold has left it out yet. */
RVM_CHECKED rvm_status rvm_judge_folds(rvm_calibration_info *info, double *loss,
                                       const rvm_crossval *v, const rvm_problem *p,
                                       const rvm_settings *s, rvm_error *err);

/* Paired: the mean of a[n] - b[n] over the rows that both have, and its standard error; false where
 * these are fewer than two. */
bool rvm_judge_compare(double *mean, double *error, const double *a, const double *b, size_t rows);

#endif
