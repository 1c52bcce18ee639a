/* Regression with several targets for each row: starts, and the solution of each output.
 *
 * All outputs share functions and precisions (joint.h), in reduced units. An output whose targets
 * are all equal says nothing about either and takes no part: it has the bias alone. */
#ifndef RVM_OUTPUTS_H
#define RVM_OUTPUTS_H

#include "search/search.h"

/* alloc: which of the outputs y observes is changed; where not all columns fit into the budget the
 * candidates are a random sample. step: one batch of searches, and after the last one the best
 * solution is thinned out. solution: y observes that output from now on. */
extern const rvm_search_type rvm_output_search;

#endif
