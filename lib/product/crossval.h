/* Cross-validation of any way of training. */
#ifndef RVM_CROSSVAL_H
#define RVM_CROSSVAL_H

#include "rvm.h"

/* Trains on the rows of p. *out, owned by the caller, stays NULL when that was interrupted. */
typedef rvm_status rvm_training(rvm_model **out, const rvm_problem *p, const rvm_settings *s,
                                rvm_error *err);

/* rvm_cross_validate with that way of training, some folds at a time. residuals: fill them in
 * regression. A place in an error is one of p, which is borrowed. */
typedef struct rvm_crossval rvm_crossval;

RVM_CHECKED rvm_status rvm_crossval_alloc(rvm_crossval **out, const rvm_problem *p,
                                          const rvm_settings *s, size_t folds, rvm_training *train,
                                          bool residuals, rvm_error *err);
/* Trains the next folds, as many as fit side by side. *done: all are; never after an interrupt. */
RVM_CHECKED rvm_status rvm_crossval_step(bool *done, rvm_crossval *v, rvm_error *err);
size_t rvm_crossval_finished(const rvm_crossval *v); /* folds that are trained, */
size_t rvm_crossval_folds(const rvm_crossval *v);    /* of so many */
/* Of all rows, with variances; borrowed. */
const rvm_prediction *rvm_crossval_prediction(const rvm_crossval *v);
void rvm_crossval_free(rvm_crossval *v);

/* All of it: alloc, steps. *out is replaced; *finished is false after an interrupt. */
RVM_CHECKED rvm_status rvm_crossval_predict(rvm_prediction *out, bool *finished,
                                            const rvm_problem *p, const rvm_settings *s,
                                            size_t folds, rvm_training *train, bool residuals,
                                            rvm_error *err);

#endif
