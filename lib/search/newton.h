/* Moves of the hyperparameters on a given set of candidates: the top-down fixed point, and
 * Newton's method on the active set. */
#ifndef RVM_NEWTON_H
#define RVM_NEWTON_H

#include "inference/likelihood.h"

/* A search in progress: where it is, a second point to try, and the scratch of its thread. */
typedef struct {
    const rvm_observed *observed; /* borrowed */
    rvm_design *design;           /* borrowed */
    rvm_fit now, trial;           /* owned */
    rvm_scratch ws;               /* owned */
    double *gradient, *step;      /* owned, capacity + 1: ln alphas, then ln beta */
    size_t *order, *chosen;       /* owned, capacity */
    bool *stays;                  /* owned, capacity */
} rvm_search;

RVM_CHECKED rvm_status rvm_search_init(rvm_search *s, const rvm_observed *o, rvm_design *d,
                                       size_t capacity, int threads, rvm_error *err);
void rvm_search_free(rvm_search *s);

/* C = H^-1 at s->now: a K x K view of s->ws.square, valid until the next call; computing
 * a posterior leaves it alone. */
gsl_matrix_view rvm_search_inverse(rvm_search *s);

/* The posterior at s->now; RVM_ENUMERIC when there is none, RVM_EINTERRUPT when it was not waited
 * for. */
RVM_CHECKED rvm_status rvm_search_locate(rvm_search *s, rvm_error *err);
/* The posterior at s->trial, which becomes s->now if its log evidence is above now's by more than
 * `margin` (negative: may fall by that much). */
bool rvm_search_accept(rvm_search *s, double margin);

/* Gradient of log evidence and log prior by (ln alpha, ln beta) and, where hessian is not NULL, the
 * matrix of second derivatives, (K + 1) square; for likelihoods with curvature that of the Gaussian
 * approximation at the mode. C from rvm_search_inverse. Coordinates that are held (a known noise,
 * a bound) have gradient 0, and a row and column of zeros. */
void rvm_search_derivatives(rvm_search *s, gsl_matrix *hessian, const gsl_matrix *C);

/* The same of one posterior f, nothing held; gradient: K + 1 numbers, the last one of ln beta where
 * the likelihood owns the noise. norm: of the columns of the design. */
void rvm_fit_derivatives(double *gradient, gsl_matrix *hessian, const rvm_fit *f,
                         const gsl_matrix *C, const rvm_observed *o, const double *norm);

/* step = (lambda I - hessian)^-1 gradient, made shorter where it moves a coordinate by more than 4;
 * false when that matrix is not positive definite. A: scratch, as large as hessian. */
bool rvm_damped_step(double *step, gsl_matrix *A, const gsl_matrix *hessian, const double *gradient,
                     double lambda, int threads);

/* One step of a fixed point of the evidence's gradient:
 *
 *     MacKay   alpha = gamma / mu^2           beta = (N - sum gamma) / |t - Phi mu|^2
 *     EM       alpha = 1 / (mu^2 + Sigma_ii)  beta = N / (|t - Phi mu|^2 + sum gamma / beta)
 *
 * (MacKay 1992 and Tipping 2000, equations 9 and 8; Tipping 2001, equations 16-18). EM never lowers
 * the evidence of a regression, and is slow. A gamma prior (prior.h) adds twice its shape to a
 * numerator and twice its rate to a denominator (Tipping 2001, appendix). */
typedef enum { RVM_SWEEP_MACKAY, RVM_SWEEP_EM } rvm_sweep_rule;

/* From a point that has been located to the next one, located too, without the functions whose
 * precision has passed a large bound. Precisions that rise by MacKay's rule do so by a factor that
 * hardly changes from step to step: with stretch 2 they go twice as far on the logarithm and get
 * there in half the steps; 1 is the plain fixed point. *at_rest: nothing moves any more, or there
 * is no function left. Cost N K^2 with curvature, K^3 without. */
extern const double rvm_sweep_out;      /* ln alpha - ln beta beyond which a function is deleted */
extern const double rvm_sweep_at_rest;  /* mean move of ln alpha below which it stops */
extern const double rvm_sweep_patience; /* multiplications that go on after an interrupt */
double rvm_sweep_work(const rvm_search *s); /* those of one step, about */
RVM_CHECKED rvm_status rvm_sweep_step(rvm_search *s, rvm_sweep_rule rule, double stretch,
                                      bool *at_rest, rvm_error *err);
/* At most `sweeps` steps of MacKay's rule, fewer where nothing moves; after an interrupt as many as
 * take no time, since what none at all would leave is no model. */
RVM_CHECKED rvm_status rvm_sweep(rvm_search *s, int sweeps, double stretch, rvm_error *err);
/* ln beta by the rule, where f is and with that sum of the gammas; not beyond its bound. */
double rvm_noise_step(const rvm_fit *f, const rvm_observed *o, rvm_sweep_rule rule, double gammas);

/* Newton's method in (ln alpha, ln beta), each step checked against the evidence, deleting
 * functions that the evidence is better without. Ends when an iteration gains less than
 * `tolerance` nats; *converged tells whether it did so within max_iterations, and before an
 * interrupt. */
void rvm_newton(rvm_search *s, int max_iterations, double tolerance, bool *converged);

#endif
