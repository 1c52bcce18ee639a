/* Random draws from normal and gamma distributions that are cut off. */
#ifndef RVM_TRUNCATED_H
#define RVM_TRUNCATED_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>

/* A draw of N(mean, sd^2), given that it is above 0 (`positive`) or below 0. mean and sd are
 * finite, sd > 0. Never 0: what would underflow has the size DBL_MIN. Takes 2 proposals on average
 * at worst, however far 0 is from the mean. */
double rvm_truncated_normal(gsl_rng *rng, double mean, double sd, bool positive);

/* A draw of the density x^(shape - 1) exp(-rate x), given that low <= x <= high.
 *
 *   shape      > 0; less than 1 and thousands as well
 *   rate       >= 0; 0 makes it a power law
 *   low, high  0 <= low < high, both finite
 *
 * Exact whatever the arguments: no mass is too small and no interval too narrow for the 1.6
 * proposals that it takes on average at worst. 0 is possible if low is 0 and the shape so small
 * that x underflows. */
double rvm_truncated_gamma(gsl_rng *rng, double shape, double rate, double low, double high);

#endif
