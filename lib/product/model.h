/* What training leaves behind and prediction needs. */
#ifndef RVM_MODEL_H
#define RVM_MODEL_H

#include "basis/basis.h"
#include "basis/term.h"
#include "data/standard.h"
#include "product/calibration.h"

/* A function with a distribution, of K basis functions: terms in their order, so the bias first
 * when there is one, then kernel functions in the order of their vectors.
 *
 *     f(x) = bias_mean + sum_i weight_i phi_i(x)
 *
 * The posterior of the weights is normal with mean `weight` and covariance Sigma = (R'R)^-1, R
 * upper triangular.  R rather than Sigma or its own factor, because R is what the QR factorisation
 * of [sqrt(B) Phi; sqrt(A)] yields without ever squaring the condition number, and a variance
 * phi' Sigma phi = |R^-T phi|^2 is then one triangular solve and cannot come out negative.
 *
 * The kernel prior makes the vectors z_1 .. z_V the points of a Gaussian process with covariance
 * s k(x, z): the weights of kernel functions are N(0, s K_ZZ^-1) a priori, and f gains, at each row
 * by itself, the variance that the process has left given its values at the points,
 *
 *     s (k(x,x) - q(x)),    q(x) = k_Z(x)' K_ZZ^-1 k_Z(x)
 *
 * (Quinonero-Candela and Rasmussen 2005). Every function then has all V vectors. */
typedef struct {
    double noise_variance; /* sigma^2; regression, else 0 */
    double bias_mean;      /* prior mean of the bias weight; 0 for classification or without bias */
    double process_variance; /* s, units of the target squared, above 0; 0: no kernel prior */
    size_t count;            /* K */
    size_t terms;            /* how many of them are terms */
    rvm_term *term;          /* owned, terms */
    size_t *vector; /* owned, K - terms: row of the model's vectors of each kernel function,
                         ascending */
    double *weight; /* owned, K: posterior mean, units of the target; the bias's is the deviation
                         from bias_mean */
    double *alpha;  /* owned, K: prior precision; a weight is N(0, 1/alpha) a priori; with the
                         kernel prior 0 behind the terms */
    double *factor; /* owned, K (K + 1) / 2: R row by row, R[i][i..K-1]; NULL without a covariance
                         (rvm_model_has_covariance) */
    /* Draws in the place of a normal distribution, where there are any: alpha is then NULL, weight
     * is their mean, and noise_variance that of the squares of noise_sd. Of two classes P(k|x) is
     * the mean of Phi(f(x)) over the draws. */
    size_t draws;
    double *draw;     /* owned, K x draws */
    double *noise_sd; /* owned, draws: regression */
} rvm_latent;

/* Regression has one latent function for each output, the targets of a row, and their weights are
 * independent. Two classes have one, the log-odds of the first class. One class has one of no basis
 * functions. More classes have one each, in the order of the labels, and P(k|x) = exp(f_k(x)) /
 * sum_j exp(f_j(x)), or with RVM_ONE_VS_REST in proportion to 1 / (1 + exp(-f_k(x))); their weights
 * are independent. All latent functions have the kernel prior or none; a model with it has vectors,
 * is not of one class, and has no draws. Its classes are predicted by the weights alone. */
struct rvm_model {
    rvm_task task;
    rvm_standard standard; /* owned: what comes before kernel and terms; of precomputed rows none */
    rvm_kernel kernel;     /* its inputs: NULL, or those below */
    rvm_input_weights inputs;
    int *input_index;     /* owned, inputs.count */
    double *input_weight; /* owned, likewise */
    size_t examples;
    size_t class_count;
    int *label;                /* owned, class_count; NULL for regression */
    size_t *class_rows;        /* owned, likewise: rows of each in training; NULL: not known */
    double *class_weight;      /* owned, likewise: their weights, 1 the largest; NULL: equal ones */
    rvm_multiclass multiclass; /* more than two classes; else RVM_SOFTMAX */
    bool probability;
    bool converged;
    bool noise_fixed;
    double log_evidence;
    rvm_gamma_prior weight_prior, noise_prior; /* that it was trained with, */
    double log_prior;                          /* and their log density at its precisions */
    size_t latent_count;
    rvm_latent *latent;          /* owned */
    rvm_calibration calibration; /* owned: its spreads are of the latent functions */
    /* Of a regression with the kernel prior, else NULL and 0. */
    double *point_factor;   /* owned, V (V + 1) / 2: U row by row, upper triangular, U'U = K_ZZ and
                               a jitter that is small beside it */
    double kernel_diagonal; /* precomputed kernel: k(x,x) of a row that is predicted */
    rvm_problem *vectors;   /* owned; the relevance vectors of all latent functions, targets 0;
                               as in the file, not standardised */
    size_t
        *row; /* owned, one for each vector: its row of the training file, from 1; NULL: unknown */
};

/* An empty model, all zero; NULL without memory. */
rvm_model *rvm_model_alloc(void);
/* Gives a model without latent functions `count` empty ones; false without memory. */
bool rvm_model_alloc_latents(rvm_model *m, size_t count);
/* Gives the kernel a copy of these weights; false without memory. */
bool rvm_model_weigh_inputs(rvm_model *m, const rvm_input_weights *inputs);
/* Gives an empty latent function the basis functions id[which[0]] to id[which[count - 1]] of b, terms
 * first; a kernel function's vector is the row that it is at. The numbers are zero, of a normal
 * distribution (draws 0), still without its factor, or of draws. False without memory, and what it
 * got is then freed with the model. */
bool rvm_latent_alloc(rvm_latent *f, const rvm_basis *b, const size_t *id, const size_t *which,
                      size_t count, size_t draws);
/* Gives it a factor of zeros; false without memory. */
bool rvm_latent_alloc_factor(rvm_latent *f);
/* Makes it an empty one again. */
void rvm_latent_free(rvm_latent *f);
/* It has the kernel prior. */
bool rvm_model_is_process(const rvm_model *m);
/* How targets of an output are spread: as it was calibrated, else as the model has it. */
rvm_spread rvm_model_spread(const rvm_model *m, size_t output);
/* Of rows that it predicts a residual (rvm_prediction) can be told. */
bool rvm_model_has_residual(const rvm_model *m);
/* Its weights have a normal distribution: they are no draws, nor those of classes with the kernel
 * prior, of which the mode is all that is used. */
bool rvm_model_has_covariance(const rvm_model *m);
bool rvm_latent_has_bias(const rvm_latent *f);
/* Some prior of the precisions is not flat. */
bool rvm_model_has_prior(const rvm_model *m);
/* It has terms other than the bias. */
bool rvm_latent_has_terms(const rvm_latent *f);
/* Latent functions of a model of so many classes, 1 or more. */
size_t rvm_latents_for(size_t class_count);
/* Entries of an upper triangle of K rows; false when that overflows. */
bool rvm_triangle_size(size_t *out, size_t K);

#endif
