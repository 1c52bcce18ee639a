/* The evidence of a sparse Gaussian process with normal noise, by independent residuals at the rows
 * (FITC: Snelson and Ghahramani 2006; Quinonero-Candela and Rasmussen 2005, section 6).
 *
 * Target j, an output in reduced units, is
 *
 *     t_j ~ N(0, C_j)    C_j = F F' + Lambda    F = [ T alpha^-1/2 , sqrt(s_j) V ]   N x m
 *     Lambda_n = noise_j + s_j (k(x_n,x_n) - q(x_n))
 *
 * with the terms T, N x terms, whose weights have precisions alpha, and V the whitened features of
 * points.h.  With H = I + F' Lambda^-1 F = R'R, b = F' Lambda^-1 t and mu = H^-1 b,
 *
 *     L_j = -1/2 [ N ln 2 pi + sum ln Lambda_n + ln|H| + t' Lambda^-1 t - b'mu ]
 *
 * and the posterior of the weights v of F is N(mu, H^-1).  Everything takes O(N m^2), rows in
 * strips.  Where the points are the rows themselves L is that of the process itself.
 *
 * A climb has a sample of the rows, which every process of a team has whole (rvm_fitc_evaluate); the
 * model is of all rows, of which each has its spans (rvm_fitc_total). */
#ifndef RVM_FITC_H
#define RVM_FITC_H

#include <gsl/gsl_matrix.h>

#include "basis/inputs.h"
#include "inference/points.h"

/* One target: what is given, what is computed. */
typedef struct {
    const double *t;      /* borrowed, N */
    double variance;      /* s */
    double noise;         /* above 0 */
    double log_evidence;  /* L_j, and its derivatives: */
    double by_variance;   /* by ln s */
    double by_noise;      /* by ln noise */
    double left_out;      /* mean over the rows of the square of what a row's target is off where it
                              is left out, against its variance; after rvm_fitc_gradient */
    double *by_precision; /* owned, terms: by ln alpha; of this target alone */
    gsl_matrix *factor;   /* owned, m x m: R', lower */
    gsl_matrix *inverse;  /* owned, m x m: H^-1 */
    double *b, *mu;       /* owned, m */
    double log_lambda, tt; /* sum ln Lambda, t' Lambda^-1 t */
} rvm_fitc_target;

typedef struct {
    rvm_points *points;       /* borrowed, placed */
    const rvm_inputs *inputs; /* borrowed: of the rows, for derivatives by their weights; NULL */
    gsl_matrix *point_inputs; /* owned, inputs x K: their values at the points */
    const gsl_matrix *T;      /* borrowed, terms x N; NULL: none */
    double *precision;        /* owned, terms: alpha, set by the caller */
    size_t terms, m;
    size_t targets;
    rvm_fitc_target *target;         /* owned */
    double *by_input;                /* owned, inputs: derivative of the sum of all L_j by ln eta */
    double by_gamma;                 /* and by ln gamma, where the kernel has that */
    bool total;                      /* made for the sums of all rows alone */
    size_t strip;                    /* rows in hand at a time */
    size_t group;                    /* targets whose sums are in hand at a time */
    const volatile int *interrupted; /* borrowed, set by the caller; NULL: never */
    gsl_matrix *V, *F;               /* owned, K or m x strip */
    gsl_matrix *values, *Y, *W;      /* owned, K or m x strip: for derivatives */
    gsl_matrix *E;                   /* owned, K x K: likewise */
    double *residual, *lambda, *g;   /* owned, strip */
    double *root, *off;              /* owned, strip */
    gsl_matrix *part;                /* owned, pieces x (inputs + 1): sums of each piece */
} rvm_fitc;

/* budget: numbers that strips may take together. inputs may be NULL: no derivatives by weights. */
RVM_CHECKED rvm_status rvm_fitc_init(rvm_fitc *f, rvm_points *points, const rvm_inputs *inputs,
                                     const gsl_matrix *T, size_t terms, size_t targets,
                                     double budget, rvm_error *err);
/* For rvm_fitc_total alone, of rows that a team may share. budget: in which its sums take part, too. */
RVM_CHECKED rvm_status rvm_fitc_init_total(rvm_fitc *f, rvm_points *points, const gsl_matrix *T,
                                           size_t terms, size_t targets, double budget,
                                           rvm_error *err);
void rvm_fitc_free(rvm_fitc *f);

/* log_evidence, b, mu, factor and inverse of each target, at its variance and noise and the points as
 * they are placed. RVM_ENUMERIC where H is not positive definite to working precision;
 * RVM_EINTERRUPT, as from the next one, by `interrupted`. */
RVM_CHECKED rvm_status rvm_fitc_evaluate(rvm_fitc *f, rvm_error *err);
/* The same, of all rows: by the tree of base/spans.h, for any team the same. */
RVM_CHECKED rvm_status rvm_fitc_total(rvm_fitc *f, rvm_error *err);
/* All derivatives there; by_gamma and by_input of kernels that decay alone (rvm_kernel_decays). To
 * be called right after the former. */
RVM_CHECKED rvm_status rvm_fitc_gradient(rvm_fitc *f, rvm_error *err);

#endif
