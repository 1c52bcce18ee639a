/* The prior of a precision.
 *
 * A precision x, an alpha or the beta, has a gamma prior of shape a and rate b (Tipping 2001,
 * section 2.3 and appendix). As there, and as everything else here, it is taken in ln x, where the
 * flat prior is a = b = 0 and the mode x = a / b; with the Jacobian the log density is
 *
 *     a ln x - b x  +  a ln b - ln Gamma(a)            gradient  a - b x            second  -b x
 *
 * The last two terms, which make it integrate to 1, are left out where that is impossible: with
 * a = 0 or b = 0. Student's t with nu degrees of freedom over a weight is a = b = nu / 2.
 *
 * a and b are those of the precision in the units of the data; `ln_unit` leads there from the units
 * in which training holds it. An object of zeros is the flat prior. */
#ifndef RVM_PRIOR_H
#define RVM_PRIOR_H

#include "rvm.h"

typedef struct {
    double shape, rate;
    double constant; /* a ln b - ln Gamma(a), or 0 */
    double ln_unit;  /* ln of x in the units of the data is ln x + ln_unit */
} rvm_prior;

extern const rvm_prior rvm_prior_flat;

rvm_prior rvm_prior_make(const rvm_gamma_prior *g, double ln_unit);
/* The same prior of a number whose ln is less by `ln_unit`. */
rvm_prior rvm_prior_shift(const rvm_prior *p, double ln_unit);
bool rvm_prior_is_flat(const rvm_prior *p);
/* b x. */
double rvm_prior_bx(const rvm_prior *p, double ln_x);
/* Log density, and its first and second derivative, by ln x. */
double rvm_prior_log(const rvm_prior *p, double ln_x);
double rvm_prior_gradient(const rvm_prior *p, double ln_x);
double rvm_prior_second(const rvm_prior *p, double ln_x);
/* ln x of the largest density, where both shape and rate are above 0. */
double rvm_prior_mode(const rvm_prior *p);
/* The log density there, or the least upper bound that it has: 0 with a shape of 0. */
double rvm_prior_most(const rvm_prior *p);

#endif
