/* The distribution of a target around its predictive mean. */
#ifndef RVM_SPREAD_H
#define RVM_SPREAD_H

/* With v the variance as the model has it, and r the share of k(x,x) that the vectors leave unsaid of
 * the row (rvm_prediction), the variance is
 *
 *     factor v + residual r + beyond max(0, (r - edge) / (1 - edge))
 *
 * The last term is 0 but for rows that are farther from the vectors than those that were held out
 * when it was calibrated. */
typedef struct {
    double factor;           /* above 0 */
    double residual, beyond; /* 0 or more */
    double edge;             /* from 0 to below 1 */
    double degrees;          /* as below */
} rvm_spread;

double rvm_spread_variance(const rvm_spread *s, double variance, double residual);

/* Student's t distribution of so many degrees of freedom, above 2, brought to that variance, above 0;
 * the normal one where degrees is 0. */

/* ln p of a target that is so far from the mean. */
double rvm_spread_log_density(double error, double variance, double degrees);
/* The same in two parts, of which the first is the same for all targets; scale2: of the normal
 * distribution the variance, of Student's t that times (degrees - 2) / degrees. */
double rvm_spread_log_constant(double degrees);
double rvm_spread_log_shape(double error, double scale2, double degrees);
/* The probability of the central interval that ends at it. */
double rvm_spread_central_probability(double error, double variance, double degrees);
/* Standard deviations on each side of the central interval of probability P, 0 < P < 1. */
double rvm_spread_steps(double P, double degrees);

#endif
