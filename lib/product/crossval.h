/* Cross-validation of any way of training. */
#ifndef RVM_CROSSVAL_H
#define RVM_CROSSVAL_H

#include "rvm.h"

/* Trains on the rows of p. *out, owned by the caller, stays NULL when that was interrupted. *last:
 * filled, what the last step has reported. */
typedef rvm_status rvm_training(rvm_model **out, rvm_report *last, const rvm_problem *p,
                                const rvm_settings *s, rvm_error *err);

/* rvm_cross_validate with that way of training, some folds at a time. residuals: fill them in
 * regression. A place in an error is one of p, which is borrowed. All processes of p's team do the
 * same; each has the folds and the predictions of the rows that are here. */
typedef struct rvm_crossval rvm_crossval;

RVM_CHECKED rvm_status rvm_crossval_alloc(rvm_crossval **out, const rvm_problem *p,
                                          const rvm_settings *s, size_t folds, rvm_training *train,
                                          bool residuals, rvm_error *err);
/* Only the first so many folds are to be trained, all of them where there are not so many; may be
 * raised later. Whoever decides anything by folds that are there asks for a number of them: a step is
 * as long as there are threads. */
void rvm_crossval_limit(rvm_crossval *v, size_t folds);
/* Trains the next folds, as many as fit side by side. *done: all that are wanted are there; never after
 * an interrupt. */
RVM_CHECKED rvm_status rvm_crossval_step(bool *done, rvm_crossval *v, rvm_error *err);
size_t rvm_crossval_finished(const rvm_crossval *v); /* folds that are trained, from 0 on, */
size_t rvm_crossval_folds(const rvm_crossval *v);    /* of so many that are wanted */
size_t rvm_crossval_fold_of(const rvm_crossval *v, size_t row);
/* Of the rows of the folds that are finished, with variances; borrowed. */
const rvm_prediction *rvm_crossval_prediction(const rvm_crossval *v);
/* Of the folds that are finished the mean number of relevance vectors, and the share of those whose
 * noise was held at its lower bound, or of a process next to nothing beside the errors at the rows left out; 0 before the first one. */
double rvm_crossval_vectors(const rvm_crossval *v);
double rvm_crossval_at_bound(const rvm_crossval *v);
void rvm_crossval_free(rvm_crossval *v);

/* All of it: alloc, steps. *out is replaced; *finished is false after an interrupt. */
RVM_CHECKED rvm_status rvm_crossval_predict(rvm_prediction *out, bool *finished,
                                            const rvm_problem *p, const rvm_settings *s,
                                            size_t folds, rvm_training *train, bool residuals,
                                            rvm_error *err);

#endif
