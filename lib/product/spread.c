/* Normal distributions and Student's t, by their variance: that of t with nu degrees of freedom and
 * scale s is s^2 nu / (nu - 2). */
#include "product/spread.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

/* Square of the scale. */
static double scale2_of(double variance, double degrees)
{
    return degrees == 0 ? variance : variance * ((degrees - 2) / degrees);
}

double rvm_spread_variance(const rvm_spread *s, double variance, double residual)
{
    const double beyond = residual > s->edge ? (residual - s->edge) / (1 - s->edge) : 0;
    return s->factor * variance + s->residual * residual + s->beyond * beyond;
}

/* -ln N = (ln 2 pi + ln v) / 2 + e^2 / 2 v, and
 *
 *     -ln t = ln B(1/2, nu/2) + (ln nu + ln s^2) / 2 + (nu + 1) / 2 ln(1 + e^2 / (nu s^2))
 *
 * The square is divided before it is multiplied: it may overflow. */
double rvm_spread_log_constant(double degrees)
{
    if (degrees == 0)
        return -0.5 * (M_LN2 + M_LNPI);
    return -gsl_sf_lnbeta(0.5, 0.5 * degrees) - 0.5 * log(degrees);
}

double rvm_spread_log_shape(double error, double scale2, double degrees)
{
    const double square = error / scale2 * error;
    if (degrees == 0)
        return -0.5 * log(scale2) - 0.5 * square;
    return -0.5 * log(scale2) - 0.5 * (degrees + 1) * log1p(square / degrees);
}

double rvm_spread_log_density(double error, double variance, double degrees)
{
    return rvm_spread_log_constant(degrees) +
           rvm_spread_log_shape(error, scale2_of(variance, degrees), degrees);
}

/* 2 F(|z|) - 1, z in units of the scale; of the normal distribution erf(|z| / 2^1/2). */
double rvm_spread_central_probability(double error, double variance, double degrees)
{
    const double z = fabs(error) / sqrt(scale2_of(variance, degrees));
    return degrees == 0 ? erf(M_SQRT1_2 * z) : 1 - 2 * gsl_cdf_tdist_Q(z, degrees);
}

double rvm_spread_steps(double P, double degrees)
{
    if (degrees == 0)
        return gsl_cdf_ugaussian_Qinv((1 - P) / 2);
    return gsl_cdf_tdist_Qinv((1 - P) / 2, degrees) * sqrt(scale2_of(1, degrees));
}
