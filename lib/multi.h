/* Level 4: more than two classes, one softmax model.
 *
 *     P(k | x) = exp f_k(x) / sum_j exp f_j(x),   f_k(x) = sum_i w_ki phi_i(x),   w_ki ~ N(0, 1/alpha_ki)
 *
 * Every class has basis functions and precisions of its own (Tipping 2001, section 3: nothing is
 * shared but the likelihood). Given the other classes, class k against the rest is a logistic model
 * whose activation has an offset,
 *
 *     P(k | x) = 1 / (1 + exp -(f_k - c)),   c = ln sum_{j != k} exp f_j,
 *
 * and so are slope t_k - y_k and curvature y_k (1 - y_k). Taking the classes in turn, each to an
 * optimum of its own evidence, climbs to the joint mode of all weights, since the joint objective
 * is concave; Laplace's approximation there keeps the blocks of one class each on the diagonal of
 * the Hessian and leaves out those between classes. A round costs what C logistic models cost. */
#ifndef RVM_MULTI_H
#define RVM_MULTI_H

#include "climb.h"
#include "observe.h"
#include "point.h"

typedef struct rvm_multi rvm_multi;

/* class_of_row: borrowed, N, in the order of y's rows. y's observed targets are overwritten. */
RVM_CHECKED rvm_status rvm_multi_alloc(rvm_multi **out, rvm_study *y, const size_t *class_of_row,
                                       size_t classes, const rvm_settings *s, rvm_error *err);
void rvm_multi_free(rvm_multi *m);
/* The next class. *done: a round over all classes has gained next to nothing. */
RVM_CHECKED rvm_status rvm_multi_step(bool *done, rvm_multi *m, rvm_error *err);
/* Moves the weights of all classes to their joint mode at the precisions that are there. */
RVM_CHECKED rvm_status rvm_multi_settle(rvm_multi *m, rvm_error *err);
/* Log evidence of the whole model, and active functions of all classes. */
double rvm_multi_log_evidence(const rvm_multi *m);
size_t rvm_multi_functions(const rvm_multi *m);
/* Sets y's targets and offset to those of class k, at the activations of all others. */
const rvm_point *rvm_multi_select(rvm_multi *m, size_t k);
/* Activations of class k, N: filled by the caller with the offset still in them, which
 * rvm_multi_shift_back takes off again. */
double *rvm_multi_activation(rvm_multi *m, size_t k);
void rvm_multi_shift_back(rvm_multi *m, size_t k);
/* ln p(t | all activations). */
double rvm_multi_log_likelihood(const rvm_multi *m);
const rvm_design *rvm_multi_design(const rvm_multi *m);
bool rvm_multi_converged(const rvm_multi *m);

#endif
