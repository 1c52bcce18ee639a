/* Functions whose part others can take over.
 *
 * The prior of the function values is N(0, C0), C0 = sum of V_i phi_i phi_i' with V_i = 1/alpha_i.
 * Where the phi_i phi_i' of the active functions are linearly dependent, as those of twins are, or
 * of more than d (d + 1) / 2 functions that span d dimensions, the same C0, and the same evidence,
 * comes of many sets of variances, and some of them have zeros: fewer functions say the same. What
 * deletes one function at a time and leaves the others as they are does not see that. Where the
 * dependence is not exact, the evidence falls along such a way by little.
 *
 * To second order in x_i = V_i / V_i(here), at a maximum, setting x_i to 0 and the others to where
 * they are best then costs, with M the matrix of second derivatives by x and ln beta,
 *
 *     x_i^2 / 2 B_ii,   x - B e_i x_i / B_ii,   B = (-M)^-1    (Hassibi and Stork 1993, equation 5)
 *
 * and B of those left is B - B e_i e_i' B / B_ii. The function that costs least never makes another
 * variance negative: on the way to its zero that other one would have cost less. */
#ifndef RVM_THIN_H
#define RVM_THIN_H

#include "search/climber.h"

/* Chooses functions that cost less than `margin` nats each, cheapest first, at most `most`: their
 * positions into gone, and into share (n numbers) what the variances of the others are multiplied
 * with (0 for those gone) and what is added to the ln betas. Returns how many go.
 *
 * gradient and hessian: by ln alpha of K functions, then by n - K ln betas, as
 * rvm_newton_derivatives leaves them; hessian and scratch, n x n, are destroyed. stays (K): may not
 * go. Cost n^3. */
size_t rvm_thin_choose(size_t *gone, double *share, gsl_matrix *hessian, gsl_matrix *scratch,
                       const double *gradient, const bool *stays, size_t K, double margin,
                       size_t most, int threads);

/* Deletes such functions at s->now, where the evidence falls by no more than the margin for each:
 * all that were chosen, or half of them, or a quarter, ... Returns how many are gone; after an
 * interrupt none. A prior of the precisions tells twins apart, so that there is nothing to do with
 * one. */
size_t rvm_thin_out(rvm_climber *s, double margin);

#endif
