/* The posterior that is saved: at the mode, with a factor by QR.
 *
 * In scaled weights u = A^1/2 w (likelihood.h) the posterior of given functions and precisions is
 * N(u, H^-1) with H = I + D Phi'B Phi D, exactly for normal noise and by Laplace's approximation
 * else (MacKay 1992; Tipping 2001, sections 2.2 and 3). H = R'R with R from the QR factorisation of
 * [ B^1/2 Phi D ; I ], whatever a search has used (stack.h). Then
 *
 *     ln p(t) = ln p(t|u) - 1/2 u'u - ln|R|
 *
 * and for weights of functions that are not normalised, in units of the data, the factor of the
 * precision is R A^1/2. Rows are read strip by strip: O(K (K + strip)) numbers. */
#ifndef RVM_POSTERIOR_H
#define RVM_POSTERIOR_H

#include "basis/columns.h"
#include "inference/fit.h"

typedef struct {
    const rvm_observed *observed; /* borrowed, as all up to basis */
    const rvm_columns *columns;
    const rvm_basis *basis; /* whose rows count; those that columns are kept for may be others */
    bool hasty; /* somebody waits: R is Cholesky's where its digits suffice, and a mode that is not
                   quite reached will do */
    size_t K, N;
    double ln_beta;
    size_t *column;        /* owned, K: of each function, in the order of candidates */
    double *D;             /* owned, K: alpha^-1/2 of columns of unit norm */
    double *u;             /* owned, K: at the mode */
    gsl_matrix *R;         /* owned, K x K, upper */
    bool factored;         /* there is one */
    double log_likelihood; /* ln p(t|u), in the units of observed */
    double *f;             /* owned, N: offset + Phi D u */
    double *gradient;      /* owned, N */
    double *root;          /* owned, N: of the curvature */
    double *step, *trial;  /* owned, K: scratch */
    gsl_matrix *strip;     /* owned, K x some rows: scratch */
} rvm_posterior;

/* Of the functions at->column, here candidates that are all among the columns, with the precisions
 * and scaled weights of `at`; the rest of it is not read. To be freed also where it fails. */
RVM_CHECKED rvm_status rvm_posterior_init(rvm_posterior *q, const rvm_fit *at,
                                          const rvm_observed *o, const rvm_columns *c,
                                          const rvm_basis *basis, rvm_error *err);
void rvm_posterior_free(rvm_posterior *q);

/* To the mode, and R there. The search has ended near it, on these rows or on a part of them.
 * RVM_ENUMERIC where numbers leave the range. Cost: N K^2 for each step, one to three. */
RVM_CHECKED rvm_status rvm_posterior_settle(rvm_posterior *q, rvm_error *err);

/* 1/2 u'u + ln|R|: what the prior and the width of the posterior take off the evidence. */
double rvm_posterior_penalty(const rvm_posterior *q);

#endif
