/* No search: a single class, or targets that are all equal.
 *
 * The bias alone, at the mean of a constant target with as much noise as its rounding; nothing at
 * all for a single class. */
#ifndef RVM_CONSTANT_H
#define RVM_CONSTANT_H

#include "search/search.h"

extern const rvm_search_type rvm_constant;

#endif
