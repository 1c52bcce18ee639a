/* One function at a time: add, re-estimate, delete (Tipping and Faul 2003).
 *
 * With Sigma and mu of the K active functions, alpha_i their precisions, and of every column t
 *
 *     S_t = phi_t' C^-1 phi_t,   Q_t = phi_t' C^-1 t,   C = 1/beta I + Phi A^-1 Phi'
 *
 * a move of one function i changes C by a multiple of phi_i phi_i', and all else by a rank of one.
 * For regression, beta held (sums are over active functions):
 *
 *   add i at alpha     w = beta Sigma Phi' phi_i,   v = 1 / (alpha + S_i),   m = v Q_i
 *                      c_t = beta phi_t' (phi_i - Phi w)
 *                      Sigma := [ Sigma + v w w', -v w; -v w', v ],   mu := [ mu - m w; m ]
 *                      S_t := S_t - v c_t^2,   Q_t := Q_t - m c_t
 *   re-estimate i      k = 1 / (Sigma_ii + 1 / (alpha_new - alpha)),   s = column i of Sigma
 *                      c_t = beta phi_t' Phi s
 *                      Sigma := Sigma - k s s',   mu := mu - k mu_i s
 *                      S_t := S_t + k c_t^2,   Q_t := Q_t + k mu_i c_t
 *   delete i           the same as alpha_new goes to infinity, k = 1 / Sigma_ii, and row and column
 *                      i go
 *
 * by the inverse of a matrix that changes by a rank of one (their appendix; where k is printed with
 * 1/alpha_new - 1/alpha, that is a slip). What the evidence gains is l(alpha_new) - l(alpha), with
 * l(infinity) = 0 and
 *
 *     l(alpha) = 1/2 [ ln alpha - ln(alpha + s_i) + q_i^2 / (alpha + s_i) ]
 *
 * and the log prior of alpha on top where that has one, in the S and Q that i has without itself:
 * s_i = S_i / (alpha_i Sigma_ii), q_i = mu_i / Sigma_ii.
 *
 * For two classes curvature and mode depend on all precisions, so that all is computed again after
 * a move; the gain is then what the approximation at the old mode promises. */
#ifndef RVM_SEQUENTIAL_H
#define RVM_SEQUENTIAL_H

#include "inference/evidence.h"
#include "search/sweep.h"

typedef struct {
    rvm_climber *search;       /* borrowed; now: functions, precisions, u, log evidence */
    rvm_statistics statistics; /* owned: S and Q of all columns of the design, active or not */
    gsl_matrix *Sigma;         /* owned, capacity x capacity; the first K x K are in use */
    double *mu;                /* owned, capacity */
    double *w;                 /* owned, capacity: scratch */
    double *c;                 /* owned, columns: scratch */
} rvm_sequential;

/* For all columns of the design that the search has, Gram matrix included where the likelihood owns
 * the noise; the search needs room for all of them. */
RVM_CHECKED rvm_status rvm_sequential_init(rvm_sequential *q, rvm_climber *search, rvm_error *err);
void rvm_sequential_free(rvm_sequential *q);

/* Everything from functions and precisions of search->now-> Cost O(columns K (K + 1)), for two
 * classes O(columns K (K + N)); RVM_ENUMERIC when there is no posterior. */
RVM_CHECKED rvm_status rvm_sequential_locate(rvm_sequential *q, rvm_error *err);

/* The moves of a regression, by the updates above; they leave the factor of search->now and its
 * residual squares behind, which the next locate renews. Cost O(columns K). */
void rvm_sequential_add(rvm_sequential *q, size_t column, double ln_alpha);
void rvm_sequential_set_alpha(rvm_sequential *q, size_t position, double ln_alpha);
void rvm_sequential_remove(rvm_sequential *q, size_t position);

typedef struct {
    size_t column;
    double ln_alpha; /* INFINITY: the function is deleted */
    double gain;     /* nats */
} rvm_sequential_move;

/* The move of largest gain; gain 0, or less by rounding, where there is none. The first column
 * keeps the bound that the observed targets set for the bias. */
rvm_sequential_move rvm_sequential_best(const rvm_sequential *q);
/* Makes a move, by the updates or, for two classes, by computing all again. */
RVM_CHECKED rvm_status rvm_sequential_apply(rvm_sequential *q, rvm_sequential_move move,
                                            rvm_error *err);
/* MacKay's step of the noise where it is estimated; everything is computed again in any case. */
RVM_CHECKED rvm_status rvm_sequential_renew(rvm_sequential *q, rvm_error *err);

#endif
