/* Training when the candidate columns do not all fit in memory.
 *
 * Columns are kept for the active functions and a chunk of candidates only. The first round takes a
 * random chunk top-down; each later one scores a random sample of candidates by what they would
 * gain, lets the best of them in as a new chunk, and searches on from there.
 *
 * A round reads the rows a few times and then works on the Gram matrix of its columns alone
 * (rvm_quadratic). For two classes that is the quadratic approximation at the mode, made again a
 * few times until search and mode agree.
 *
 * Where rows are few enough there are several searches, as in starts.h: some from a random chunk of
 * their own, the others from the best solution so far without a random part of its functions.
 *
 * Many rows are taken in stages: the first ones by a random part of the rows, which is enough to
 * find most of the functions, the last one by all. Memory O(K^2), and O(N) for what belongs to a
 * row; columns are kept while the budget allows and computed again when it does not. */
#ifndef RVM_WORKING_SET_H
#define RVM_WORKING_SET_H

#include "search/search.h"

/* step: one round. */
extern const rvm_search_type rvm_working_sets;

#endif
