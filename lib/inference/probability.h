/* Probabilities of classes from latent functions whose values are uncertain. */
#ifndef RVM_PROBABILITY_H
#define RVM_PROBABILITY_H

#include <stdbool.h>
#include <stddef.h>

/* All fill p and log_p from the normal distribution of the latent function, or functions, at one
 * row: p sums to 1 but for rounding, log_p is finite however small p is. `mode`: at the means, as
 * if the variances were 0. Means and variances are finite, variances 0 or more. */

/* Two classes, f the log-odds of the first: p, log_p 2. */
void rvm_probability_of_two(double *p, double *log_p, double mean, double variance, bool mode);
/* C > 1 classes of a softmax, p, log_p, mean and variance C each. Returns the most probable class,
 * the first of equals. O(C). */
size_t rvm_probability_of_many(double *p, double *log_p, const double *mean, const double *variance,
                               size_t C, bool mode);
/* The same for latent functions that are each the log-odds of its class against the rest, for
 * itself; their probabilities are brought to sum to 1. O(C). */
size_t rvm_probability_one_vs_rest(double *p, double *log_p, const double *mean,
                                   const double *variance, size_t C, bool mode);

/* P(k), whose logarithms may be -infinity but for one, in proportion to P(k)^power exp(shift_k), C > 0
 * classes; shift_k is finite or -infinity, power above 0. Returns the most probable class, the first of
 * equals. */
size_t rvm_probability_shift(double *p, double *log_p, double power, const double *shift, size_t C);

/* ln Phi(x), Phi the standard normal distribution function; finite for any finite x. */
double rvm_log_phi(double x);

#endif
