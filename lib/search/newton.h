/* Newton's method in (ln alpha, ln beta) on the active set. */
#ifndef RVM_NEWTON_H
#define RVM_NEWTON_H

#include "search/climber.h"

/* s->gradient and s->hessian at s->now, located: of log evidence and log prior by K ln alphas, then
 * by the ln beta of each output or, where the noise is shared, by the one of all; for likelihoods
 * with curvature of the Gaussian approximation at the mode. Coordinates that are held (a known
 * noise, a bound) have gradient 0, and a row and column of zeros. Returns how many there are. */
size_t rvm_newton_derivatives(rvm_climber *s);

/* Steps, each checked against the evidence, deleting functions that the evidence is better without.
 * Ends when an iteration gains less than `tolerance` nats; *converged tells whether it did so
 * within max_iterations, and before an interrupt. */
void rvm_newton_run(rvm_climber *s, int max_iterations, double tolerance, bool *converged);

#endif
