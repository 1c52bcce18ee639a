/* Level 4: training when the candidate columns do not all fit in memory.
 *
 * Columns are kept for the active functions and a chunk of candidates only. The first round takes a
 * random chunk top-down; each later one scores candidates (a random sample, which grows when it has
 * nothing more to offer) by what they would gain, lets the best of them in as a new chunk, and
 * searches on from there. Memory O(N (K + chunk)); a round costs O(N (K + chunk)^2) and the kernel
 * values of what it scores. */
#ifndef RVM_WORKING_SET_H
#define RVM_WORKING_SET_H

#include "climb.h"
#include "observe.h"
#include "point.h"

typedef struct rvm_working_set rvm_working_set;

RVM_CHECKED rvm_status rvm_working_set_alloc(rvm_working_set **out, rvm_study *y,
                                             const rvm_settings *s, rvm_error *err);
void rvm_working_set_free(rvm_working_set *w);
/* One round. *done: no candidate is left that gains more than the tolerance, or there is no room
 * for another function. */
RVM_CHECKED rvm_status rvm_working_set_step(bool *done, rvm_working_set *w, rvm_error *err);
/* The solution so far; its columns are positions in the design. */
const rvm_point *rvm_working_set_best(const rvm_working_set *w);
const rvm_design *rvm_working_set_design(const rvm_working_set *w);

#endif
