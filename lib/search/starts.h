/* Many starts, for problems whose candidate columns all fit in memory, and for several outputs.
 *
 * Which local optimum a search ends in is decided by where it starts. A batch of searches runs in
 * parallel, each from a start of its own: first from the full set, from random subsets and from
 * nothing, with several guesses of the noise; then again and again from the best point so far with
 * a random part of its functions removed, which finds better optima at a fraction of the price
 * (iterated local search; Lourenco, Martin and Stuetzle 2003). The best point of all is then taken
 * to its very optimum, and thinned out.
 *
 * Several outputs share functions and precisions (climber.h), in reduced units; where not all
 * columns fit, their candidates are a random sample. An output whose targets are all equal says
 * nothing about either and takes no part: it has the bias alone.
 *
 * With normal noise all that a search needs to know of the rows is Phi'Phi, and of each output j
 * Phi't_j and t_j't_j. So of several outputs many rows are read once, to form these, and no column
 * is kept; rows that a team shares are among them. */
#ifndef RVM_STARTS_H
#define RVM_STARTS_H

#include "search/search.h"

enum { RVM_STARTS_MANY_ROWS = 5000 }; /* of several outputs: from here on rows are read once */

/* step: one batch or, after the last one, a part of the way on from the best point. */
extern const rvm_search_type rvm_many_starts;

#endif
