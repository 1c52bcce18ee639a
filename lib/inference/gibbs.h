/* Gibbs sampling of the posterior of weights, precisions and noise: one chain.
 *
 * The model, with the columns of the design as basis functions and f = Phi w:
 *
 *     regression   t_n ~ N(f_n, 1/beta)
 *     two classes  z_n ~ N(f_n, 1/beta), and t_n = 1 if z_n > 0, else 0: the probit model with
 *                  P(t_n = 1) = Phi(f_n beta^1/2) (Albert and Chib 1993)
 *     weights      w_i ~ N(0, 1 / (alpha_i unit_i))
 *     precisions   alpha_i, and beta, by gamma densities x^(shape - 1) exp(-rate x) on [low, high]
 *     mixture      two precisions in all, of which weight i has the second with probability p, and
 *                  p ~ Beta(1/2, 1/2)
 *
 * The bounds make these densities proper. Without an upper bound, a weight that comes near 0 draws
 * a large alpha, which draws it nearer still, and never comes back: the integral over alpha of the
 * prior of w_i is |w_i|^-(1 + 2 shape) and has infinite mass at 0. Without bounds of beta the
 * posterior of two classes is none either, since it depends on w beta^1/2 alone as long as the
 * alphas allow.
 *
 * Each draw takes every unknown from its distribution given all others:
 *
 *     z_n      N(f_n, 1/beta) cut off at 0 on the side of the class
 *     w        N(beta Sigma Phi'z, Sigma), Sigma = (beta Phi'Phi + A)^-1, by the Cholesky factor of
 *              I + beta S Phi'Phi S, S = A^-1/2, all of whose eigenvalues are 1 or more, or by QR
 *              where rounding hides that
 *     alpha_i  Gamma(shape + 1/2, rate + unit_i w_i^2 / 2) on [low, high]; of a mixture, of all n_j
 *              weights that share it, Gamma(shape + n_j / 2, rate + sum unit w^2 / 2)
 *     which_i  the second precision by odds p N(w_i; 0, 1/alpha_2) : (1 - p) N(w_i; 0, 1/alpha_1)
 *     p        Beta(1/2 + n_2, 1/2 + n_1)
 *     beta     Gamma(shape + N/2, rate + |z - f|^2 / 2) on [low, high], a scaled inverse chi-square
 *              for 1/beta; z = t in regression
 *
 * For two classes that is not enough: each z_n ties f_n to where it is, also where the data would
 * let it go anywhere, and thousands of draws do not get far. So two more moves come before them
 * that leave z out, and z is drawn anew afterwards:
 *
 *     scale    beta given w, by slice sampling (Neal 2003)
 *     ellipse  w given beta and the alphas, by elliptical slice sampling (Murray, Adams and MacKay
 *              2010): a point of the ellipse through w and a draw from the prior */
#ifndef RVM_GIBBS_H
#define RVM_GIBBS_H

#include <gsl/gsl_matrix.h>
#include <gsl/gsl_rng.h>

#include "inference/likelihood.h"

/* The prior of a precision; low == high: it is known. */
typedef struct {
    double shape, rate, low, high;
} rvm_precision_prior;

/* How a likelihood is drawn from: a part of its row (likelihood.h). */
struct rvm_draws {
    bool classes; /* by the probit model, the targets being signs of normal z_n */
    rvm_precision_prior alpha, beta; /* where none are given, for targets of variance 1 */
};

typedef struct {
    size_t M, N;
    const gsl_matrix *PhiT;           /* borrowed, M x N, or more rows */
    const gsl_matrix *G;              /* borrowed, M x M, or more: PhiT PhiT', the lower triangle */
    const double *t;                  /* borrowed, N; of two classes 1 or 0 */
    const double *unit;               /* borrowed, M: above 0 */
    const rvm_precision_prior *alpha; /* borrowed, M */
    rvm_precision_prior beta;
    bool classes;
    bool mixture;                  /* of the weights whose alpha is not known; */
    rvm_precision_prior component; /* the prior of either precision */
} rvm_gibbs;

typedef struct {
    const rvm_gibbs *g; /* borrowed */
    gsl_rng *rng;       /* owned */
    double *w, *alpha;  /* owned, M */
    double *z, *f;      /* owned, N; in regression z = t */
    double beta;
    double component[2], share; /* mixture: the precisions, and p */
    bool *which;                /* owned, M: the weight has the second one */
    gsl_matrix *H;              /* owned, M x M: scratch */
    double *v, *scale;          /* owned, M: scratch */
    double *far, *trial;        /* owned, N: scratch */
} rvm_gibbs_chain;

/* A chain at w = 0 and the precisions given, each moved into its bounds; alpha: M. Its random
 * numbers are those of `seed`. */
RVM_CHECKED rvm_status rvm_gibbs_chain_init(rvm_gibbs_chain *c, const rvm_gibbs *g,
                                            const double *alpha, double beta, unsigned long seed,
                                            rvm_error *err);
void rvm_gibbs_chain_free(rvm_gibbs_chain *c);
/* f = Phi w, for weights that the caller has set. */
void rvm_gibbs_activate(rvm_gibbs_chain *c);

/* One draw of everything. Cost: M^3 / 3 + 2 M N. RVM_ENUMERIC where no factor can be had. */
RVM_CHECKED rvm_status rvm_gibbs_draw(rvm_gibbs_chain *c, rvm_error *err);

/* Its parts, in their order; the first three are for two classes. */
void rvm_gibbs_draw_scale(rvm_gibbs_chain *c);
void rvm_gibbs_draw_ellipse(rvm_gibbs_chain *c);
void rvm_gibbs_draw_latent(rvm_gibbs_chain *c);
RVM_CHECKED rvm_status rvm_gibbs_draw_weights(rvm_gibbs_chain *c, rvm_error *err);
void rvm_gibbs_draw_precisions(rvm_gibbs_chain *c);
void rvm_gibbs_draw_noise(rvm_gibbs_chain *c);

/* ln p(t | w, beta), z integrated out; of two classes *log_odds (N, may be NULL) is filled with
 * those of class 1. */
double rvm_gibbs_log_likelihood(double *log_odds, const rvm_gibbs_chain *c);

#endif
