/* Have Markov chains converged, and what are their draws worth.
 *
 *   m, n    number of halves, draws in each
 *   W       mean of their sample variances
 *   B / n   sample variance of their means
 *   var+    (n - 1) / n W + B / n: the variance of a draw, too large before convergence, as
 *           W is too small
 *   V_t     mean of (x_i - x_{i - t})^2 over all halves and i
 *   rho_t   1 - V_t / (2 var+), the autocorrelation at lag t
 *
 * R-hat is sqrt(var+ / W), the effective size m n / (1 + 2 sum rho_t): Gelman et al. (2013),
 * equations 11.3, 11.4, 11.7 and 11.8. The sum over all lags would be of noise. Of a reversible
 * chain rho_2k + rho_2k+1 is positive and falls with k (Geyer 1992); so the sum ends before the
 * first such pair that is not positive, and a pair larger than the one before counts as that one.
 */
#include "base/diagnose.h"

#include <assert.h>
#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* ---- Variances ------------------------------------------------------------------------------- */

/* Of the halves seen so far. */
typedef struct {
    size_t halves;
    double mean;     /* of their means */
    double squares;  /* sum of squares of their means about it */
    double variance; /* sum of their variances */
} spread;

static void add_half(spread *s, double mean, double variance)
{
    const double off = mean - s->mean;
    s->halves++;
    s->mean += off / (double)s->halves;
    s->squares += off * (mean - s->mean);
    s->variance += variance;
}

static double within(const spread *s)
{
    return s->variance / (double)s->halves;
}

static double var_plus(const spread *s, size_t n)
{
    return (double)(n - 1) / (double)n * within(s) + s->squares / (double)(s->halves - 1);
}

static double rhat(const spread *s, size_t n)
{
    const double var = var_plus(s, n);
    return var == 0 ? 1 : sqrt(var / within(s));
}

/* Half h of 0 .. 2 chains - 1. */
static const double *half_of(const double *x, size_t draws, size_t h)
{
    return x + h / 2 * draws + h % 2 * (draws - draws / 2);
}

static spread spread_of(const double *x, size_t chains, size_t draws)
{
    const size_t n = draws / 2;
    spread s = { 0 };
    for (size_t h = 0; h < 2 * chains; h++) {
        const double *half = half_of(x, draws, h);
        const double mean = gsl_stats_mean(half, 1, n);
        add_half(&s, mean, gsl_stats_variance_m(half, 1, n, mean));
    }
    return s;
}

double rvm_split_rhat(const double *x, size_t chains, size_t draws)
{
    assert(chains >= 1 && draws >= 4);
    const spread s = spread_of(x, chains, draws);
    return rhat(&s, draws / 2);
}

double rvm_rhat_of_halves(const double *mean, const double *variance, size_t halves, size_t draws)
{
    assert(halves >= 2 && draws >= 2);
    spread s = { 0 };
    for (size_t h = 0; h < halves; h++)
        add_half(&s, mean[h], variance[h]);
    return rhat(&s, draws);
}

/* ---- Autocorrelations ------------------------------------------------------------------------ */

/* A power of two, long enough that no lag wraps around into another one. */
static size_t padded(size_t n)
{
    size_t length = 2;
    while (length < 2 * n)
        length *= 2;
    return length;
}

/* Adds to power the squared moduli of z, the transform of a real series in GSL's halfcomplex order.
 * The inverse transform of them is the sum of x_i x_{i - t} over i, for each t. */
static void add_power(double *power, const double *z, size_t length)
{
    power[0] += z[0] * z[0];
    power[length / 2] += z[length / 2] * z[length / 2];
    for (size_t k = 1; k < length / 2; k++)
        power[k] += z[k] * z[k] + z[length - k] * z[length - k];
}

/* product[t], of padded(n): sum over the halves, about their means, of x_i x_{i - t}. energy[i], of
 * n: sum over the halves of x_i^2. z: scratch, padded(n). product and energy are zero at first. */
static void add_up_products(double *product, double *energy, double *z, const double *x,
                            size_t chains, size_t draws)
{
    const size_t n = draws / 2, length = padded(n);
    for (size_t h = 0; h < 2 * chains; h++) {
        const double *half = half_of(x, draws, h);
        const double mean = gsl_stats_mean(half, 1, n);
        for (size_t i = 0; i < n; i++) {
            z[i] = half[i] - mean;
            energy[i] += z[i] * z[i];
        }
        memset(z + n, 0, (length - n) * sizeof *z);
        gsl_fft_real_radix2_transform(z, 1, length);
        add_power(product, z, length);
    }
    gsl_fft_halfcomplex_radix2_inverse(product, 1, length);
}

/* correlation[t] for t < n, in the place of product[t]. */
static void correlate(double *correlation, const double *energy, size_t n, double halves,
                      double var)
{
    double both = 0; /* sum of x_i^2 + x_{i - t}^2, of which V_t is made with the products */
    for (size_t t = n; t-- > 0;) {
        both += energy[t] + energy[n - 1 - t];
        const double V = (both - 2 * correlation[t]) / (halves * (double)(n - t));
        correlation[t] = 1 - V / (2 * var);
    }
}

/* 1 + 2 sum rho_t by Geyer's initial monotone sequence; rho_0 = 1. */
static double correlation_time(const double *rho, size_t n)
{
    double sum = 0, last = INFINITY;
    for (size_t t = 0; t + 1 < n; t += 2) {
        const double pair = rho[t] + rho[t + 1];
        if (!(pair > 0))
            break;
        last = fmin(last, pair);
        sum += last;
    }
    return 2 * sum - 1;
}

rvm_status rvm_effective_size(double *size, const double *x, size_t chains, size_t draws,
                              rvm_error *err)
{
    assert(chains >= 1 && draws >= 4);
    const size_t n = draws / 2, length = padded(n);
    const double total = (double)chains * (double)draws;
    const spread s = spread_of(x, chains, draws);
    const double var = var_plus(&s, n);
    *size = var == 0 ? total : NAN;
    if (!(var > 0) || isinf(var))
        return RVM_OK;
    double *work = rvm_array(2 * length + n, sizeof *work);
    if (work == NULL)
        return rvm_fail_memory(err, "the autocorrelations of the draws");
    double *const product = work, *const energy = work + 2 * length;
    add_up_products(product, energy, work + length, x, chains, draws);
    correlate(product, energy, n, (double)s.halves, var);
    *size = total / fmax(correlation_time(product, n), 1 / log10(total));
    free(work);
    return RVM_OK;
}
