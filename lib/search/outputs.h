/* Regression with several targets for each row: starts, and the solution of each output.
 *
 * All outputs share functions and precisions (joint.h), in reduced units. An output whose targets
 * are all equal says nothing about either and takes no part: it has the bias alone. */
#ifndef RVM_OUTPUTS_H
#define RVM_OUTPUTS_H

#include "search/climb.h"
#include "search/observe.h"
#include "search/solution.h"

typedef struct rvm_outputs rvm_outputs;

/* y: of a problem of several outputs; which of them it observes is changed. Where not all columns
 * fit into the budget the candidates are a random sample. */
RVM_CHECKED rvm_status rvm_outputs_alloc(rvm_outputs **out, rvm_study *y, const rvm_settings *s,
                                         rvm_error *err);
void rvm_outputs_free(rvm_outputs *o);
/* One batch of searches, and after the last one the best solution is thinned out. *done: it was the
 * last one. RVM_EINTERRUPT where an interrupt came before anything was found. */
RVM_CHECKED rvm_status rvm_outputs_step(bool *done, rvm_outputs *o, rvm_error *err);
/* Searches finished, and how many there are in all. */
void rvm_outputs_progress(int *finished, int *all, const rvm_outputs *o);

/* Of the best solution so far: active functions; log evidence, in the units of the targets; whether
 * its search converged, and whether the noise of an output is at its bound. */
size_t rvm_outputs_functions(const rvm_outputs *o);
double rvm_outputs_log_evidence(const rvm_outputs *o);
/* Of the precisions of the best solution so far. */
double rvm_outputs_log_prior(const rvm_outputs *o);
bool rvm_outputs_converged(const rvm_outputs *o);
bool rvm_outputs_noise_at_bound(const rvm_outputs *o);
/* The solution of output k, which y observes from now on. */
const rvm_solved *rvm_outputs_select(rvm_outputs *o, size_t k);
const rvm_columns *rvm_outputs_design(const rvm_outputs *o);

#endif
