/* Cross-validation of any way of training. */
#ifndef RVM_CROSSVAL_H
#define RVM_CROSSVAL_H

#include "rvm.h"

/* Trains on the rows of p. *out, owned by the caller, stays NULL when that was interrupted. */
typedef rvm_status rvm_training(rvm_model **out, const rvm_problem *p, const rvm_settings *s,
                                rvm_error *err);

/* rvm_cross_validate with that way of training. A place in an error is one of p. */
RVM_CHECKED rvm_status rvm_crossval_predict(rvm_prediction *out, bool *finished,
                                            const rvm_problem *p, const rvm_settings *s,
                                            size_t folds, rvm_training *train, rvm_error *err);

#endif
