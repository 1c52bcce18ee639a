/* Laplace's approximation at the mode of a likelihood whose curvature depends on the activation.
 *
 *     L = ln p(t|f) - 1/2 u'u - 1/2 ln|H|                    (MacKay 1992; Tipping 2001, eq. 26)
 *
 * in the notation of likelihood.h, for any row of its table with a log density that is concave in
 * f. H is taken as constant in the derivatives by alpha, as usual. The exact derivative has a term
 * for the motion of the mode, but following it is a trap: where two classes can be separated, L
 * rises to 0 as all alpha go to 0 and the weights to infinity, since Laplace's approximation loses
 * sight of the likelihood's cliff.
 *
 * The columns may be in memory or come strip by strip of rows. Beyond the active ones, with
 * gradient s and curvature B at weights w0,
 *
 *     ln p(t|w) = ln p(t|w0) - 1/2 (w'G w - 2 w'p + t_squared)
 *
 *     f0 = Phi w0    G = Phi'B Phi    p = Phi'(B f0 + s)    t_squared = f0'B f0 + 2 f0's */
#ifndef RVM_LAPLACE_H
#define RVM_LAPLACE_H

#include "basis/columns.h"
#include "inference/fit.h"

typedef struct {
    double negligible;     /* nats that a step towards the mode must promise */
    bool thins;            /* rows of little curvature, where there are many */
    double log_likelihood; /* at w */
    double *f;             /* owned, N, rows of this process: offset + Phi w */
    double *gradient;      /* owned, N */
    double *curvature;     /* owned, N */
    gsl_matrix *G;         /* owned, capacity x capacity: Phi'B Phi */
    gsl_matrix *scaled;    /* owned, capacity x RVM_STRIP: scratch */
    double *Q;             /* owned, capacity: Phi's */
    double *w;             /* owned, capacity: weights */
    double *trial, *step;  /* owned, capacity: scratch */
} rvm_laplace;

RVM_CHECKED rvm_status rvm_laplace_init(rvm_laplace *l, size_t capacity, size_t N, rvm_error *err);
void rvm_laplace_free(rvm_laplace *l);

/* Towards the mode of f, whose functions are the columns in order, by at most `steps` steps of
 * Newton's method (0: until it is there): sets u, L and log_evidence, and l to where u is. It
 * starts from the content of u, or from the weights w (NULL: none) where these are better. */
RVM_CHECKED rvm_status rvm_laplace_locate(rvm_fit *f, rvm_laplace *l, rvm_columns *c,
                                          const rvm_observed *o, const double *w, int steps,
                                          rvm_error *err);
/* ln p(t|w), for the weights of f, whose functions are columns in any order; l->f is lost. */
RVM_CHECKED rvm_status rvm_laplace_likelihood(double *log_likelihood, rvm_laplace *l,
                                              rvm_columns *c, const rvm_observed *o,
                                              const rvm_fit *f, rvm_error *err);
/* G, p and t_squared of the columns where rvm_laplace_locate has left l. */
RVM_CHECKED rvm_status rvm_laplace_expand(gsl_matrix *G, double *p, double *t_squared,
                                          const rvm_laplace *l, const rvm_fit *f,
                                          const rvm_observed *o, rvm_error *err);

/* What a row of the table has where all columns are in memory. */
bool rvm_laplace_posterior(rvm_fit *f, const rvm_observed *o, const rvm_columns *d,
                           rvm_scratch *ws);
void rvm_laplace_measure(double *S, double *Q, gsl_matrix *V, const rvm_fit *f,
                         const rvm_observed *o, const rvm_columns *d, rvm_scratch *ws);
double rvm_laplace_inner(size_t m, size_t n, const rvm_fit *f, const rvm_columns *d);
double rvm_laplace_scratch(double K, double N);

#endif
