/* Level 5: what training leaves behind and prediction needs. */
#ifndef RVM_MODEL_H
#define RVM_MODEL_H

#include "rvm.h"

/* K basis functions: the bias first when there is one, then the relevance vectors in order.
 *
 *     f(x) = bias_mean + sum_i weight_i phi_i(x)
 *
 * The posterior of the weights is normal with mean `weight` and covariance Sigma = (R'R)^-1, R
 * upper triangular.  R rather than Sigma or its own factor, because R is what the QR factorisation
 * of [sqrt(B) Phi; sqrt(A)] yields without ever squaring the condition number, and a variance
 * phi' Sigma phi = |R^-T phi|^2 is then one triangular solve and cannot come out negative. */
struct rvm_model {
    rvm_task task;
    rvm_kernel kernel;
    size_t examples;
    size_t class_count;
    int *label; /* owned, class_count; NULL for regression */
    bool probability;
    bool converged;
    bool noise_fixed;
    double noise_variance; /* sigma^2; regression */
    double log_evidence;
    bool bias;
    double bias_mean;      /* prior mean of the bias weight; 0 for classification or without bias */
    size_t function_count; /* K = bias + vectors->rows */
    double *weight;        /* owned, K: posterior mean, units of the target; the bias's is the
                              deviation from bias_mean */
    double *alpha;         /* owned, K: prior precision; a weight is N(0, 1/alpha) a priori */
    double *factor;        /* owned, K (K + 1) / 2: R row by row, R[i][i..K-1] */
    rvm_problem *vectors;  /* owned; the relevance vectors, targets 0 */
};

/* An empty model, all zero; NULL without memory. */
rvm_model *rvm_model_alloc(void);
/* Entries of an upper triangle of K rows; false when that overflows. */
bool rvm_triangle_size(size_t *out, size_t K);

#endif
