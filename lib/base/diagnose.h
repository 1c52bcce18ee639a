/* Have Markov chains converged, and what are their draws worth; after Gelman et al. (2013,
 * sections 11.4 and 11.5) and Vehtari et al. (2021).
 *
 * x[c * draws + i] is draw i of chain c; at least one chain of four draws. Each chain is split into
 * halves, which then count as chains, so that a trend shows as well as chains that disagree; the
 * middle one of an odd number of draws is left out. A draw that is not finite, or too large to be
 * squared, makes the results nan. */
#ifndef RVM_DIAGNOSE_H
#define RVM_DIAGNOSE_H

#include <stddef.h>

#include "rvm.h"

/* Potential scale reduction: near 1 when the chains have mixed, above when going on would narrow
 * what they say. 1 when nothing varies, infinity when no half varies but they differ. Cost O(chains
 * draws). */
double rvm_split_rhat(const double *x, size_t chains, size_t draws);

/* The same from the means and the sample variances (of divisor draws - 1) of the halves, for what
 * is summed while it is drawn and not kept.
 *
 *   mean, variance  halves of each; halves >= 2
 *   draws           of each half, >= 2 */
double rvm_rhat_of_halves(const double *mean, const double *variance, size_t halves, size_t draws);

/* *size: the number of independent draws whose mean is as precise as that of all of x. At most
 * n log10(n), n = chains * draws, which antithetic chains reach; n when nothing varies. Fails for
 * want of memory alone. Cost O(n log(draws)). */
RVM_CHECKED rvm_status rvm_effective_size(double *size, const double *x, size_t chains,
                                          size_t draws, rvm_error *err);

#endif
