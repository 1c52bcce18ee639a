/* Calibration: what held-out predictions say of the distributions that a model predicts. */
#ifndef RVM_CALIBRATION_FIT_H
#define RVM_CALIBRATION_FIT_H

#include "product/calibration.h"
#include "product/crossval.h"
#include "product/model.h"

/* From the predictions of rows row[0 .. count - 1] of p, in ascending order, by models that have not
 * seen them, trained with *s but for their rows; those of the other rows need not be there, but they
 * count for the shares of the classes. *out: zeroed; owned by the caller. */
RVM_CHECKED rvm_status rvm_calibration_fit(rvm_calibration *out, const rvm_problem *p,
                                           const rvm_prediction *prediction, const size_t *row,
                                           size_t count, const rvm_settings *s, rvm_error *err);

/* loss[n] of the same rows n of p: -ln P of the class, times its weight, or -ln p of the targets,
 * mean over the outputs, as calibrated by c; 0 where the class was not among those of its fold, and
 * of an output that is the same in all rows of p, whose density has no bound. */
RVM_CHECKED rvm_status rvm_calibration_losses(double *loss, const rvm_calibration *c,
                                              const rvm_problem *p,
                                              const rvm_prediction *prediction, const size_t *row,
                                              size_t count, const rvm_settings *s, rvm_error *err);

/* Of the calibration of *m, a regression: a row is not beyond the data where those that *m was trained
 * on, rows, are as far from its vectors. The folds' own may be more, and nearer to their rows. */
RVM_CHECKED rvm_status rvm_calibration_fit_edge(rvm_model *m, const rvm_problem *rows, int threads,
                                                rvm_error *err);

#endif
