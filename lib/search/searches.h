/* Which search is for a study. */
#ifndef RVM_SEARCHES_H
#define RVM_SEARCHES_H

#include "search/search.h"

/* The first of all ways of searching that fits. */
const rvm_search_type *rvm_searches_choose(const rvm_study *y, const rvm_settings *s);

#endif
