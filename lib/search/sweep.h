/* The top-down fixed point: steps of the gradient's equations for all precisions at once. */
#ifndef RVM_SWEEP_H
#define RVM_SWEEP_H

#include "search/climber.h"

/* Where the gradient of the log evidence is zero (of one output, or summed over outputs j)
 *
 *     MacKay   alpha_i = sum_j gamma_ij / sum_j mu_ij^2
 *              beta_j = (N - sum_i gamma_ij) / |t_j - Phi mu_j|^2
 *     EM       alpha_i = q / sum_j (mu_ij^2 + Sigma_ii)
 *              beta_j = N / (|t_j - Phi mu_j|^2 + sum_i gamma_ij / beta_j)
 *
 * or, with one beta for all outputs, the quotient of the sums over j (MacKay 1992 and Tipping 2000,
 * equations 9 and 8; Tipping 2001, equations 16-18). EM never lowers the evidence of a regression,
 * and is slow. A gamma prior (prior.h) adds twice its shape to a numerator and twice its rate to a
 * denominator (Tipping 2001, appendix). */
typedef enum { RVM_SWEEP_MACKAY, RVM_SWEEP_EM } rvm_sweep_rule;

extern const double rvm_sweep_patience; /* multiplications that go on after an interrupt */

/* From a point that has been located to the next one, located too, without the functions whose
 * precision has passed a large bound. Precisions that rise by MacKay's rule do so by a factor that
 * hardly changes from step to step: with stretch 2 they go twice as far on the logarithm and get
 * there in half the steps; 1 is the plain fixed point. *at_rest: nothing moves any more, or there
 * is no function left. Cost of each output N K^2 with curvature, K^3 without. */
RVM_CHECKED rvm_status rvm_sweep_step(rvm_climber *s, rvm_sweep_rule rule, double stretch,
                                      bool *at_rest, rvm_error *err);
/* At most `sweeps` steps of MacKay's rule, fewer where nothing moves; after an interrupt as many as
 * take no time, since what none at all would leave is no model. */
RVM_CHECKED rvm_status rvm_sweep_run(rvm_climber *s, int sweeps, double stretch, rvm_error *err);
/* ln beta by the rule, where f is and with that sum of the gammas; not beyond its bound. */
double rvm_sweep_noise(const rvm_fit *f, const rvm_observed *o, rvm_sweep_rule rule, double gammas);

#endif
