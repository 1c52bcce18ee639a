/* Likelihoods, and the posterior of the weights for given hyperparameters.
 *
 * Everything is held in scaled weights u_i = sqrt(alpha_i) w_i, whose prior is N(0, I). With
 * D = diag(alpha_i^-1/2), B the curvature of the likelihood (beta I, or diag(y (1 - y))),
 *
 *     H = I + D Phi' B Phi D = L L'    Sigma = D H^-1 D    ln|A + Phi'B Phi| = ln|H| + sum ln alpha
 *
 * so that the eigenvalues of H are at least 1, the prior's ln|A| cancels from the evidence, and
 * with C = H^-1 all of gradient and Hessian is free of units: alpha_i Sigma_ii = C_ii and
 * alpha_i mu_i^2 = u_i^2. */
#ifndef RVM_LIKELIHOOD_H
#define RVM_LIKELIHOOD_H

#include <gsl/gsl_matrix.h>
#include <stdbool.h>

#include "base/spans.h"
#include "basis/columns.h"
#include "inference/prior.h"

typedef struct rvm_likelihood rvm_likelihood;
typedef struct rvm_process rvm_process;
typedef struct rvm_draws rvm_draws;
typedef struct rvm_fit rvm_fit;
typedef struct rvm_scratch rvm_scratch;

/* What is observed, in canonical order. Regression: t with mean 0 and variance 1. */
typedef struct {
    const rvm_likelihood *likelihood;
    size_t N;             /* rows, of this process: of vectors; */
    rvm_spans spans;      /* of all, whose number is what formulas have */
    double *t;            /* owned, N: targets; classification: 1 for the first label, else 0 */
    const double *offset; /* borrowed, N: added to the activation of each row; NULL: 0 */
    double *row_weight;   /* owned, N: how much of a row counts, at most 1; NULL: all */
    double t_squared;     /* sum of t^2 over all rows, */
    double weight;        /* and of row_weight: how many rows they count for */
    double ln_beta_max;   /* noise is not believed below exp(-ln_beta_max) */
    double ln_beta;       /* the precision of a known noise */
    bool noise_fixed;     /* beta stays at exp(ln_beta) */
    double ln_alpha_min; /* of a column of unit norm: a weight of a million times the targets is the
                            rounding of nearly collinear columns, and feeds on itself */
    double ln_ratio_max; /* ln(beta / alpha) at the most; 0: no bound */
    double prune_margin; /* nats that a function is to be worth: below, it is deleted */
    double bias_ln_alpha_max; /* largest ln alpha of the bias's column of unit norm; INFINITY: it
                                 may leave the model */
    rvm_prior weight_prior;   /* of the alpha of a function that is not divided by its norm */
    rvm_prior noise_prior;    /* of a beta that is not fixed */
    const volatile int *interrupted; /* borrowed, or NULL: ends a search early where non-zero */
} rvm_observed;

/* How a search over all columns begins. */
typedef struct {
    enum { RVM_FROM_NOTHING, RVM_FROM_SUBSET, RVM_FROM_BEST } kind;
    double noise_share; /* first guess of the noise, of the variance of the targets */
    size_t most;        /* RVM_FROM_SUBSET: functions at the most */
    double share;       /* RVM_FROM_SUBSET: of all candidates */
    double margin;      /* nats that an addition must gain; 0: the tolerance of the settings */
    double widen;       /* RVM_FROM_SUBSET: taken off ln alpha at the start */
} rvm_start_plan;

/* Where columns are nearly alike (wide kernels; linear and polynomial ones of unscaled data) what
 * tells them apart needs weights far larger than the targets, and a start that does not allow for
 * them loses it for good: no single function helps afterwards. So much is then taken off ln alpha
 * (heart and crabs are lost with 5, found with 10 to 20). */
enum { RVM_WIDE_PRIOR = 10 };

/* One row of the table of likelihoods. */
struct rvm_likelihood {
    const char *name;
    bool has_noise; /* a precision beta of its own, which is estimated unless it is fixed */
    bool curved;    /* the curvature depends on the activation: the posterior is Laplace's at a mode
                       that is found in steps over all rows. Else it is normal, and the Gram matrix
                       of the columns says it all. */
    bool by_rows;   /* looks at rows, not at their Gram matrix alone: a fit has vectors of N */
    /* ---- One target given its activation ---- */
    /* The sum over the rows here of ln p(t | f); row n counts row_weight[n] times. */
    double (*log_density)(const rvm_observed *o, const double *f, double ln_beta);
    /* Of each row d ln p / df and -d2 ln p / df2, */
    void (*derivatives)(double *gradient, double *curvature, const rvm_observed *o, const double *f,
                        double ln_beta);
    /* and the derivative by f of the latter, where it has one. */
    void (*third)(double *change, const rvm_observed *o, const double *f);
    /* Log evidence of a Gaussian process, process.h. */
    bool (*process)(double *log_evidence, double *a, rvm_process *s, const rvm_observed *o,
                    double ln_beta, int threads);
    const rvm_draws *draws; /* how chains take it, gibbs.h; NULL: they cannot */

    /* ---- A search ---- */
    const rvm_start_plan *plans; /* of the first searches, in their order */
    int plan_count;
    /* Numbers that a posterior of K functions and N rows needs beside a fit and square scratch. */
    double (*scratch)(double K, double N);
    /* Nats for each function in choosing between optima of much the same evidence. In regression
     * the one with more functions predicts better: the sparser has picked its few positions from
     * more candidates (half a nat: mean squared error 3.10 against 3.22 on Friedman 1, 0.0129
     * against 0.0135 on Friedman 3). In classification it makes no difference. */
    double credit;
    /* The posterior at f's hyperparameters: sets u (its content is the starting point), L,
     * log_evidence, and residual_squares or gradient and curvature. False when it cannot be
     * computed to working precision. */
    bool (*posterior)(rvm_fit *f, const rvm_observed *o, const rvm_columns *d, rvm_scratch *ws);
    /* S = phi' B phi, Q = phi' gradient and V = phi' B Phi_a (count x K, against the active
     * functions) of all columns of the design. */
    void (*measure)(double *S, double *Q, gsl_matrix *V, const rvm_fit *f, const rvm_observed *o,
                    const rvm_columns *d, rvm_scratch *ws);
    /* phi_m' B phi_n of two columns of the design. */
    double (*inner)(size_t m, size_t n, const rvm_fit *f, const rvm_columns *d);
};

extern const rvm_likelihood rvm_gaussian, rvm_bernoulli;

/* *sum: ln p(t|f) of all rows, by their spans. Side by side where that pays. */
RVM_CHECKED rvm_status rvm_observed_log_likelihood(double *sum, const rvm_observed *o,
                                                   const double *f, double ln_beta, int threads,
                                                   rvm_error *err);
/* Whether beta is estimated. */
bool rvm_observed_free_noise(const rvm_observed *o);
/* ln beta that a search starts from, where the noise is guessed to be that share of the variance of
 * the targets; 0 where there is no noise. */
double rvm_observed_first_ln_beta(const rvm_observed *o, double noise_share);

/* What the Gram matrix G = Phi'B Phi and p = Phi'B z of a design say, and no row: normal noise of
 * precision beta, with z'B z in t_squared. For the rounds of a search over many rows, where the
 * digits that cancel in the residual squares (some 1e-5 nats) do not matter. With beta fixed at 1,
 * B the curvature at a mode and z its working response it is the quadratic approximation of another
 * likelihood there. The design needs no columns. */
extern const rvm_likelihood rvm_quadratic;

/* The prior of the alpha of a column that was divided by that norm. */
rvm_prior rvm_observed_weight_prior(const rvm_observed *o, double norm);
/* Log prior of the ln alphas of functions column[0 .. K), and of ln beta. norm: of the columns, or,
 * with column NULL, of the functions. */
double rvm_observed_log_prior(const rvm_observed *o, const double *norm, const size_t *column,
                              const double *ln_alpha, size_t K, double ln_beta);

/* Least ln alpha of a column of unit norm, at a noise of that precision. */
double rvm_observed_least_ln_alpha(const rvm_observed *o, double ln_beta);

#endif
