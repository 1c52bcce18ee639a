/* At most so many relevance vectors: a search around another one.
 *
 * Where that one has ended with more of them, those go that the log evidence would miss least, a
 * part at a time, and a search over what is left begins: the weights and precisions of the others
 * then take over. With u_i the scaled weight and C of newton.h, at an optimum C_ii = 1 - u_i^2 under
 * a flat prior, and without function i the evidence is less by
 *
 *     1/2 [ u_i^2 / C_ii + ln C_ii ]    (Tipping and Faul 2003, equation 18, in units of alpha_i)
 *
 * the others held; of a row what its function is worth in all classes. Of outputs, which share
 * precisions, that holds of the mean of u_i^2. A gamma prior moves the optimum off; its functions
 * are compared as if there were none. */
#ifndef RVM_BOUNDED_H
#define RVM_BOUNDED_H

#include "search/search.h"

/* settings.vectors, or the search itself where that is 0 or there is nothing to find. */
const rvm_search_type *rvm_bounded_choose(const rvm_study *y, const rvm_settings *s);

#endif
