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

#include "basis/columns.h"
#include "search/climb.h"
#include "search/observe.h"
#include "search/solution.h"

typedef struct rvm_working_set rvm_working_set;

RVM_CHECKED rvm_status rvm_working_set_alloc(rvm_working_set **out, rvm_study *y,
                                             const rvm_settings *s, rvm_error *err);
void rvm_working_set_free(rvm_working_set *w);
/* One round. *done: rounds have nothing more to gain, or there is no room for another function.
 * Not to be called again after an interrupt. */
RVM_CHECKED rvm_status rvm_working_set_step(bool *done, rvm_working_set *w, rvm_error *err);
/* Guess of the share of the work that is done, 0 to 1, and the rows of the stage. */
double rvm_working_set_progress(const rvm_working_set *w);
size_t rvm_working_set_rows(const rvm_working_set *w);
/* Which search of the first stage this is, or was the last one, from 1, and of how many. */
void rvm_working_set_starts(int *start, int *starts, const rvm_working_set *w);
/* The solution so far, and columns with its functions among them; borrowed. */
const rvm_solution *rvm_working_set_best(const rvm_working_set *w);
rvm_columns rvm_working_set_columns(const rvm_working_set *w);

#endif
