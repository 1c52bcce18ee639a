/* Probabilities of classes from latent functions whose values are uncertain.
 *
 *   m_k, s2_k   mean and variance of f_k at one row, C of each
 *
 * Two classes have one f, the log-odds. The average of the logistic function over a normal f is
 * close to
 *
 *     E 1 / (1 + exp(-f)) ~ 1 / (1 + exp(-kappa m)),    kappa = (1 + pi s2 / 8)^(-1/2)
 *
 * (MacKay 1992, The evidence framework applied to classification networks). Where each of C
 * functions is the log-odds of its class against the rest, q_k is that formula, and
 * p_k = q_k / sum_j q_j. Where the C functions are those of a softmax the average is taken whole
 * (softmax.h). What is small is held in logarithms. */
#include "inference/probability.h"

#include <float.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sf_erf.h>
#include <math.h>
#include <string.h>

#include "base/log_sum.h"
#include "inference/softmax.h"

/* What the logistic function is taken of. */
static double moderate(double mean, double variance, bool mode)
{
    return mode ? mean : mean / sqrt(1 + M_PI / 8 * variance);
}

void rvm_probability_of_two(double *p, double *log_p, double mean, double variance, bool mode)
{
    const double q = moderate(mean, variance, mode), e = exp(-fabs(q));
    const size_t likely = q >= 0 ? 0 : 1;

    p[likely] = 1 / (1 + e);
    p[1 - likely] = e / (1 + e);
    log_p[likely] = -log1p(e);
    log_p[1 - likely] = -fabs(q) - log1p(e);
}

/* The place of the largest, the first of equals. */
static size_t largest_of(const double *x, size_t C)
{
    size_t best = 0;

    for (size_t j = 1; j < C; j++)
        if (x[j] > x[best])
            best = j;
    return best;
}

/* p and log_p from logarithms up to a constant, in log_p; returns the place of the largest. */
static size_t bring_to_one(double *p, double *log_p, size_t C)
{
    const size_t best = largest_of(log_p, C);
    rvm_log_sum sum = rvm_log_sum_empty();

    for (size_t k = 0; k < C; k++)
        rvm_log_sum_add(&sum, log_p[k]);
    const double rest = log1p(sum.rest);
    for (size_t k = 0; k < C; k++) {
        log_p[k] = fmax(log_p[k] - sum.largest - rest, -DBL_MAX);
        p[k] = exp(log_p[k]);
    }
    return best;
}

size_t rvm_probability_of_many(double *p, double *log_p, const double *mean, const double *variance,
                               size_t C, bool mode)
{
    if (mode)
        memcpy(log_p, mean, C * sizeof *log_p);
    else
        rvm_softmax_average(log_p, p, mean, variance, C);
    return bring_to_one(p, log_p, C);
}

size_t rvm_probability_one_vs_rest(double *p, double *log_p, const double *mean,
                                   const double *variance, size_t C, bool mode)
{
    for (size_t k = 0; k < C; k++) {
        const double q = moderate(mean[k], variance[k], mode);

        log_p[k] = fmin(q, 0) - log1p(exp(-fabs(q)));
    }
    return bring_to_one(p, log_p, C);
}

size_t rvm_probability_shift(double *p, double *log_p, double power, const double *shift, size_t C)
{
    for (size_t k = 0; k < C; k++) /* the only class that there is may be as good as impossible */
        log_p[k] = fmax(power * log_p[k], -DBL_MAX) + shift[k];
    return bring_to_one(p, log_p, C);
}

/* ---- The probit model ----------------------------------------------------------------------- */

double rvm_log_phi(double x)
{
    const double farthest = -1e50; /* its square is finite, and no probability is that small */
    const double sure = 40;        /* ln(1 - 1e-350) */
    if (x >= sure)
        return 0; /* where gsl_sf_log_erfc has no number from 1e19 on */
    return gsl_sf_log_erfc(-fmax(x, farthest) * M_SQRT1_2) - M_LN2;
}
