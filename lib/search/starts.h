/* Many starts, for problems whose candidate columns all fit in memory.
 *
 * Which local optimum a search ends in is decided by where it starts. A batch of searches runs in
 * parallel, each from a start of its own: first from the full set, from random subsets and from
 * nothing, with several guesses of the noise; then again and again from the best point so far with
 * a random part of its functions removed, which finds better optima at a fraction of the price
 * (iterated local search; Lourenco, Martin and Stuetzle 2003). The best point of all is then taken
 * to its very optimum, and thinned out. */
#ifndef RVM_STARTS_H
#define RVM_STARTS_H

#include "search/climb.h"
#include "search/observe.h"
#include "search/solution.h"

typedef struct rvm_starts rvm_starts;

/* Whether all candidates of y fit into the cache. */
bool rvm_starts_fit(const rvm_study *y, const rvm_settings *s);

RVM_CHECKED rvm_status rvm_starts_alloc(rvm_starts **out, rvm_study *y, const rvm_settings *s,
                                        rvm_error *err);
void rvm_starts_free(rvm_starts *st);
/* One batch or, after the last one, a part of the way on from the best point. *done: that has come
 * to its end. RVM_EINTERRUPT where an interrupt came before anything was found. */
RVM_CHECKED rvm_status rvm_starts_step(bool *done, rvm_starts *st, rvm_error *err);
/* Searches finished, and how many there are in all. */
void rvm_starts_progress(int *finished, int *all, const rvm_starts *st);
const rvm_solution *rvm_starts_best(const rvm_starts *st);
const rvm_columns *rvm_starts_design(const rvm_starts *st);

#endif
