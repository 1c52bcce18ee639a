/* The average of a softmax over functions whose values are normal. */
#ifndef RVM_SOFTMAX_H
#define RVM_SOFTMAX_H

#include <stddef.h>

/* Logarithms of p_k = E exp(f_k) / sum_j exp(f_j), up to a number that they have in common, for
 * independent f_j ~ N(mean_j, variance_j), C > 1 of each, finite and the variances 0 or more. p is
 * within 1e-5 of the integral, and log_p within 1e-3 where p is small; where p is below the range
 * of doubles log_p is finite and of that size. Without any variance they are the means but for
 * rounding. Equals stay equal, and the order of the classes changes rounding alone. scratch: C.
 * O(C), some 10 microseconds a class. Checked in tests/test_probability.c against sums over a grid,
 * in tests/cli/numbers2/average_by_draws.sh against draws. */
void rvm_softmax_average(double *log_p, double *scratch, const double *mean, const double *variance,
                         size_t C);

#endif
