/* The algorithms of the papers, as they stand there: for comparison and for teaching.
 *
 *     MacKay       Tipping 2000, equation 9: alpha = gamma / mu^2, from all candidates downwards
 *     EM           Tipping 2000, equation 8: alpha = 1 / (mu^2 + Sigma_ii), likewise
 *     sequential   Tipping and Faul 2003: from nothing, or the bias of a regression, by the move of
 *                  largest gain; the noise is estimated again, and everything with it, after every
 *                  fifth move and before the end
 *
 * One start, one climb. It begins with noise of a tenth of the variance of the targets and, from
 * the full set, with precisions at which each weight alone could make up the targets. Functions
 * leave the full set where alpha passes the bound of the sweeps (sweep.c). The climb ends with an
 * iteration that changes the log evidence by less than the tolerance, or when no move gains as
 * much, or, not converged, after RVM_BASELINE_ITERATIONS iterations or moves.
 *
 * Regression of one output and two classes; more classes are one model of each class against the
 * rest, one after the other. */
#ifndef RVM_BASELINES_H
#define RVM_BASELINES_H

#include "search/search.h"

enum { RVM_BASELINE_ITERATIONS = 10000 }; /* of each model */

/* alloc: RVM_ENOMEM, before anything is allocated, when the columns of all candidates need more
 * than the budget. step: one iteration, or up to five moves, of the model in hand. */
extern const rvm_search_type rvm_baselines;

#endif
