/* More than two classes.
 *
 * Every class has a latent function f_k(x) = sum_i w_ki phi_i(x), w_ki ~ N(0, 1/alpha_ki), with
 * basis functions and precisions of its own (Tipping 2001, section 3: nothing is shared but the
 * likelihood, classes.h). Laplace's approximation keeps the blocks of one class each on the
 * diagonal of the Hessian and leaves out those between classes; given the others, a class is then a
 * logistic model with an offset, and is searched as such on its Gram matrix (gram_search.h).
 *
 * A pass takes the classes in turn, one a step: the first a random chunk of candidates top-down,
 * each later one the best of a sample of candidates, until a pass gains next to nothing. As each
 * step maximises the same joint objective, passes climb to the joint mode of all weights. Small
 * problems then start again from the best solution with a part of its functions removed, since
 * which optimum is found depends on the start (starts.h). */
#ifndef RVM_MULTI_H
#define RVM_MULTI_H

#include "basis/columns.h"
#include "search/observe.h"
#include "search/solution.h"

typedef struct rvm_multi rvm_multi;

/* class_of_row: borrowed, N, in the order of y's rows. y's observed targets are overwritten. */
RVM_CHECKED rvm_status rvm_multi_alloc(rvm_multi **out, rvm_study *y, const size_t *class_of_row,
                                       size_t classes, const rvm_settings *s, rvm_error *err);
void rvm_multi_free(rvm_multi *m);
/* The next class. *done: no start is left, and the best solution is at the joint mode of its
 * weights. RVM_EINTERRUPT where an interrupt came before any class had a function; not to be called
 * again after one. */
RVM_CHECKED rvm_status rvm_multi_step(bool *done, rvm_multi *m, rvm_error *err);
/* The start in hand, from 1, and how many there are. */
void rvm_multi_progress(int *start, int *starts, const rvm_multi *m);
/* Log evidence of the whole model, and active functions of all classes. */
double rvm_multi_log_evidence(const rvm_multi *m);
size_t rvm_multi_functions(const rvm_multi *m);

/* Takes up the best solution so far, at the joint mode of its weights, or near it where the search
 * is not done and many rows and classes would make that long. A search that goes on afterwards goes
 * on from there. */
RVM_CHECKED rvm_status rvm_multi_settle(rvm_multi *m, rvm_error *err);
/* Class k of it: sets y's targets and offset, at the activations of all others; *columns (borrowed)
 * are those of its functions. */
const rvm_solved *rvm_multi_select(rvm_columns *columns, rvm_multi *m, size_t k);
/* Activations of class k, N: filled by the caller with the offset still in them, which
 * rvm_multi_shift_back takes off again. */
double *rvm_multi_activation(rvm_multi *m, size_t k);
void rvm_multi_shift_back(rvm_multi *m, size_t k);
/* ln p(t | all activations). */
double rvm_multi_log_likelihood(const rvm_multi *m);
bool rvm_multi_converged(const rvm_multi *m);

#endif
