/* Two classes through the logistic function (Tipping 2001, section 3).
 *
 *     P(t = 1 | f) = y = 1 / (1 + e^-f)    gradient  c (t - y)    curvature  c y (1 - y)
 *
 * with c the weight of the row. */
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdint.h>

#include "base/vecmath.h"
#include "inference/gibbs.h"
#include "inference/laplace.h"
#include "inference/process.h"

static double log_density(const rvm_observed *o, const double *f, double ln_beta)
{
    (void)ln_beta;
    return rvm_vec_logistic_sum(f, o->t, o->row_weight, o->N);
}

static void derivatives(double *gradient, double *curvature, const rvm_observed *o, const double *f,
                        double ln_beta)
{
    (void)ln_beta;
    rvm_vec_logistic_slope(gradient, curvature, f, o->t, o->row_weight, o->N);
}

/* c y (1 - y) (1 - 2 y), which is odd in f */
static void third(double *change, const rvm_observed *o, const double *f)
{
    for (size_t n = 0; n < o->N; n++) {
        const double c = o->row_weight == NULL ? 1 : o->row_weight[n], e = exp(-fabs(f[n]));
        change[n] = copysign(c * e * (1 - e) / gsl_pow_3(1 + e), -f[n]);
    }
}

/* Uniform; beta is the scale of all weights and beta^1/2 half a normal of standard deviation 316:
 * where classes can be separated the likelihood goes on rising with it. */
static const rvm_draws draws = { true,
                                 { .shape = 1, .low = 10, .high = 1e4 },
                                 { .shape = 0.5, .rate = 5e-6, .low = 1e-4, .high = 1e8 } };

/* The price of a start goes with K^2 N here, and all of them end closer together. */
static const rvm_start_plan plans[] = {
    { RVM_FROM_SUBSET, 1, 400, 1, 0, 0 },   { RVM_FROM_NOTHING, 1, 0, 0, 1, 0 },
    { RVM_FROM_NOTHING, 1, 0, 0, 0, 0 },    { RVM_FROM_SUBSET, 1, 200, 0.5, 0, 0 },
    { RVM_FROM_SUBSET, 1, 200, 0.5, 0, 0 }, { RVM_FROM_SUBSET, 1, 100, 0.25, 0, 0 },
    { RVM_FROM_SUBSET, 1, 200, 0.5, 0, 0 }, { RVM_FROM_SUBSET, 1, 100, 0.25, 0, 0 },
    { RVM_FROM_SUBSET, 1, 200, 0.5, 0, 0 }, { RVM_FROM_SUBSET, 1, 400, 1, 0, RVM_WIDE_PRIOR },
};

const rvm_likelihood rvm_bernoulli = {
    .name = "bernoulli",
    .has_noise = false,
    .curved = true,
    .by_rows = true,
    .log_density = log_density,
    .derivatives = derivatives,
    .third = third,
    .process = rvm_process_laplace,
    .draws = &draws,
    .plans = plans,
    .plan_count = sizeof plans / sizeof plans[0],
    .scratch = rvm_laplace_scratch,
    .credit = 0,
    .posterior = rvm_laplace_posterior,
    .measure = rvm_laplace_measure,
    .inner = rvm_laplace_inner,
};
