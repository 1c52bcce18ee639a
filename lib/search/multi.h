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

#include "search/search.h"

/* step: the next class. */
extern const rvm_search_type rvm_class_search;

#endif
