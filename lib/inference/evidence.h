/* What the log evidence gains or loses by a function, in closed form.
 *
 * With S = phi' C^-1 phi and Q = phi' C^-1 t of a candidate out of the model, its precision of
 * largest evidence is S^2 / (Q^2 - S) if Q^2 > S and infinite else, and adding it there gains
 *
 *     1/2 [ (Q^2 - S) / S + ln(S / Q^2) ]                      (Faul & Tipping 2002; 2003, eq. 32)
 *
 * With a prior of alpha (prior.h) it gains, as a function of alpha,
 *
 *     1/2 [ ln(alpha / (alpha + S)) + Q^2 / (alpha + S) ] + ln p(ln alpha)
 *
 * since a function out of the model has no alpha, and no prior to pay for. */
#ifndef RVM_EVIDENCE_H
#define RVM_EVIDENCE_H

#include "inference/fit.h"

/* The gain as a function of Q^2 / S, in which it grows; 0 up to 1. */
double rvm_gain_by_ratio(double ratio);
/* 0 when the function is better left out. */
double rvm_gain(double S, double Q);
/* ln alpha of largest evidence; only where rvm_gain is positive. */
double rvm_best_ln_alpha(double S, double Q);

/* A function of q outputs has an S and a Q in each of them and one precision for all, with its
 * prior. As a function of ln alpha it gains
 *
 *     1/2 sum over outputs of [ ln(alpha / (alpha + S)) + Q^2 / (alpha + S) ] + ln p(ln alpha)
 *
 * For one output and a flat prior that is largest by the formulas above. Else it has no maximum in
 * closed form unless all S are equal and the prior is flat, and may have several. From the best
 * precision of each output that wants the function, and from the mode of the prior, the search
 * climbs to a maximum by Newton's method; the largest counts. (Between them these bracket both
 * maxima that one output with a prior can have.) Cost O(q^2). */

/* The largest gain, at *ln_alpha; 0, and *ln_alpha as it was, when the function is better left out
 * or an S is 0. */
double rvm_gain_with(double *ln_alpha, const double *S, const double *Q, size_t outputs,
                     const rvm_prior *prior);
/* ln alpha there, of one output; INFINITY when the function is better left out. */
double rvm_wanted_ln_alpha(double S, double Q, const rvm_prior *prior);
/* Not less than the gain at any alpha, and found without a search: each output has a precision of
 * its own. */
double rvm_gain_bound(const double *S, const double *Q, size_t outputs, const rvm_prior *prior);
/* The gain at a given ln alpha; below 0 where the function does harm. */
double rvm_gain_at(double ln_alpha, const double *S, const double *Q, size_t outputs,
                   const rvm_prior *prior);
/* The maximum that is uphill from *ln_alpha, which is moved there. */
double rvm_gain_uphill(double *ln_alpha, const double *S, const double *Q, size_t outputs,
                       const rvm_prior *prior);

/* Ratio q^2 / s of active function i without itself, from C = H^-1: u_i^2 / (C_ii (1 - C_ii)).
 * At most 1 when the evidence would rise without the function. */
double rvm_active_ratio(const gsl_matrix *C, const rvm_fit *f, size_t i);

/* Statistics of candidates against a posterior. */
typedef struct {
    size_t count, capacity, K_capacity;
    double *S, *Q; /* owned, capacity */
    gsl_matrix *V; /* owned, capacity x K_capacity: Phi_c' B Phi_a D */
    gsl_matrix *W; /* owned, likewise: V C */
} rvm_statistics;

RVM_CHECKED rvm_status rvm_statistics_init(rvm_statistics *s, size_t capacity, size_t K_capacity,
                                           rvm_error *err);
void rvm_statistics_free(rvm_statistics *s);

/* S and Q of all columns of the design; f->gradient must be up to date. C: K x K, H^-1 at f. Cost
 * count K (K + N). */
void rvm_statistics_update(rvm_statistics *s, const gsl_matrix *C, const rvm_fit *f,
                           const rvm_observed *o, const rvm_columns *d, rvm_scratch *ws);

#endif
