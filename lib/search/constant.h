/* No search: a single class, or targets that are all equal.
 *
 * The bias alone, at the mean of a constant target with as much noise as its rounding; nothing at
 * all for a single class. */
#ifndef RVM_CONSTANT_H
#define RVM_CONSTANT_H

#include "search/search.h"

extern const rvm_search_type rvm_constant;

/* Output k of `to`: the bias alone, if there is one, at the mean of a constant target. y: a view of
 * that output; c: columns of which the bias is the first. */
RVM_CHECKED rvm_status rvm_constant_save(rvm_solution *to, size_t k, const rvm_study *y,
                                         const rvm_columns *c, rvm_error *err);

#endif
