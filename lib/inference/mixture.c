/* What draws of a latent function say of a row: averages over them, equally weighted. */
#include "inference/mixture.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_roots.h>
#include <math.h>

#include "base/error.h"
#include "base/log_sum.h"
#include "inference/probability.h"

void rvm_mixture_moments(double *mean, double *variance, const rvm_mixture *x)
{
    const double D = (double)x->D;
    double sum = 0, square = 0;
    for (size_t d = 0; d < x->D; d++)
        sum += x->f[d] / D;
    for (size_t d = 0; d < x->D; d++)
        square += (gsl_pow_2(x->f[d] - sum) + gsl_pow_2(x->sd[d])) / D;
    *mean = sum;
    *variance = square;
}

typedef struct {
    const rvm_mixture *x;
    double q;
} level;

static double excess(double y, void *params)
{
    const level *l = params;
    double sum = 0;
    for (size_t d = 0; d < l->x->D; d++)
        sum += gsl_cdf_ugaussian_P((y - l->x->f[d]) / l->x->sd[d]);
    return sum / (double)l->x->D - l->q;
}

/* The root lies between the least and the largest of the same point of the parts. */
static void bracket(double *low, double *high, const rvm_mixture *x, double q)
{
    const double steps = gsl_cdf_ugaussian_Pinv(q);
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t d = 0; d < x->D; d++) {
        *low = fmin(*low, x->f[d] + steps * x->sd[d]);
        *high = fmax(*high, x->f[d] + steps * x->sd[d]);
    }
}

rvm_status rvm_mixture_quantile(double *y, const rvm_mixture *x, double q, rvm_error *err)
{
    enum { MOST = 2200 }; /* halvings from the range of double to its least number */
    level l = { x, q };
    gsl_function function = { excess, &l };
    double low, high, least = INFINITY;
    for (size_t d = 0; d < x->D; d++)
        least = fmin(least, x->sd[d]);
    bracket(&low, &high, x, q);
    *y = 0.5 * low + 0.5 * high;
    if (!(excess(low, &l) < 0) || !(excess(high, &l) > 0))
        return RVM_OK; /* but for rounding, all parts have it in one place */
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (solver == NULL)
        return rvm_fail_memory(err, "an interval");
    int status = gsl_root_fsolver_set(solver, &function, low, high);
    for (int k = 0; k < MOST && status == GSL_SUCCESS; k++) {
        status = gsl_root_fsolver_iterate(solver);
        *y = gsl_root_fsolver_root(solver);
        if (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
                                   gsl_root_fsolver_x_upper(solver), 1e-10 * least,
                                   4 * DBL_EPSILON) == GSL_SUCCESS)
            break;
    }
    gsl_root_fsolver_free(solver);
    return RVM_OK;
}

/* ln of the mean of Phi(sign f_d). */
static double log_mean_phi(const double *f, size_t D, double sign)
{
    rvm_log_sum sum = rvm_log_sum_empty();
    for (size_t d = 0; d < D; d++)
        rvm_log_sum_add(&sum, rvm_log_phi(sign * f[d]));
    return rvm_log_sum_total(&sum) - log((double)D);
}

double rvm_mixture_classes(double p[2], double log_p[2], const double *f, size_t D, bool mode)
{
    double mean = 0, mean_odds = 0, variance = 0;
    for (size_t d = 0; d < D; d++) {
        mean += f[d] / (double)D;
        mean_odds += (rvm_log_phi(f[d]) - rvm_log_phi(-f[d])) / (double)D;
    }
    for (size_t d = 0; d < D; d++)
        variance += gsl_pow_2(rvm_log_phi(f[d]) - rvm_log_phi(-f[d]) - mean_odds) / (double)D;
    log_p[0] = mode ? rvm_log_phi(mean) : log_mean_phi(f, D, 1);
    log_p[1] = mode ? rvm_log_phi(-mean) : log_mean_phi(f, D, -1);
    p[0] = exp(log_p[0]);
    p[1] = exp(log_p[1]);
    return variance;
}
