/* Level 5: the posterior that is saved. */
#ifndef RVM_FINISH_H
#define RVM_FINISH_H

#include "model.h"
#include "observe.h"
#include "point.h"

/* Fills the model's weights, precisions, covariance factor, noise, log evidence and vectors from a
 * point, in the units of the data. The factor comes from a QR factorisation of
 * [ sqrt(B) Phi ; sqrt(A) ], whatever the search has used, and the log evidence from the numbers
 * that are saved. Scratch: two strips of rows, O(K (K + strip)). */
RVM_CHECKED rvm_status rvm_finish(rvm_model *m, const rvm_point *point, const rvm_study *y,
                                  const rvm_design *d, rvm_error *err);

#endif
