/* What draws of a latent function say of a row: averages over them, equally weighted. */
#ifndef RVM_MIXTURE_H
#define RVM_MIXTURE_H

#include "rvm.h"

/* Regression: the target is N(f_d, sd_d^2) for draw d, D of them, finite and sd above 0. */
typedef struct {
    const double *f, *sd; /* borrowed, D */
    size_t D;
} rvm_mixture;

/* Mean and variance of the target: the mean of sd^2 and the variance of f. */
void rvm_mixture_moments(double *mean, double *variance, const rvm_mixture *x);
/* The point that the target is below with probability q, 0 < q < 1: (1/D) sum Phi((y - f_d) / sd_d)
 * = q, by Brent's method. Finite where the variance is. */
RVM_CHECKED rvm_status rvm_mixture_quantile(double *y, const rvm_mixture *x, double q,
                                            rvm_error *err);

/* Two classes by the probit model: p[0] = (1/D) sum Phi(f_d), p[1] the rest; log_p is finite.
 * `mode`: Phi of the mean instead. Returns the variance of the log-odds over the draws. */
double rvm_mixture_classes(double p[2], double log_p[2], const double *f, size_t D, bool mode);

#endif
