/* Draws of many functions, said again by few of them.
 *
 * Draws give a weight to every function that was sampled. What they say at the rows, f_d = Phi w_d
 * for draw d, is far simpler where the functions are smooth: a few columns span nearly all of it.
 * They are found one by one, each the one that brings the f_d of all draws nearest together with
 * those before it (orthogonal matching pursuit of several signals; Tropp, Gilbert and Strauss
 * 2006), and the weights are those of least squares. All of it needs G = Phi'Phi alone:
 *
 *     L        rows of the Cholesky factor of G in the order of choice
 *     c_m      what is left of |phi_m|^2, C_md of phi_m'f_d, outside of the functions chosen
 *     gain     sum_d C_md^2 / c_m */
#ifndef RVM_CONDENSE_H
#define RVM_CONDENSE_H

#include <gsl/gsl_matrix.h>

#include "rvm.h"

typedef struct {
    size_t count;       /* K */
    size_t *function;   /* owned, K, ascending */
    gsl_matrix *weight; /* owned, K x D; NULL where K = 0 */
} rvm_condensed;

/* As few functions as leave no more than `most` of sum_d |f_d|^2. G: M x M or more, symmetric, of
 * columns of norm 1; W: M x D; first (M): functions that are chosen in any case. Cost: M^2 D +
 * K M (K + D). */
RVM_CHECKED rvm_status rvm_condense(rvm_condensed *out, const gsl_matrix *G, const gsl_matrix *W,
                                    const bool *first, double most, rvm_error *err);
void rvm_condensed_free(rvm_condensed *c);

#endif
