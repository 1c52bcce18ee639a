/* Two classes over many rows, strip by strip.
 *
 * The same model as bernoulli.c, where the columns need not be in memory: the mode of the weights
 * by Newton's method, and the quadratic approximation of ln p(t|w) there for columns beyond the
 * active ones. With y = P(t = 1), slope s = c (t - y) and curvature
 * B = diag(c y (1 - y)) at weights w0,
 *
 *     ln p(t|w) = ln p(t|w0) - 1/2 (w'G w - 2 w'p + t_squared)
 *
 *     f0 = Phi w0    G = Phi'B Phi    p = Phi'(B f0 + s)    t_squared = f0'B f0 + 2 f0's */
#ifndef RVM_LAPLACE_H
#define RVM_LAPLACE_H

#include "basis/columns.h"
#include "inference/likelihood.h"

typedef struct {
    size_t capacity, N;
    int threads;
    double negligible;     /* nats that a step towards the mode must promise */
    double log_likelihood; /* at w */
    double *f;             /* owned, N: offset + Phi w */
    double *trial;         /* owned, N: scratch */
    double *slope;         /* owned, N */
    double *curvature;     /* owned, N */
    gsl_matrix *G;         /* owned, capacity x capacity: Phi'B Phi */
    gsl_matrix *scaled;    /* owned, capacity x RVM_STRIP: scratch */
    double *Q;             /* owned, capacity: Phi's */
    double *w;             /* owned, capacity: weights */
    double *g, *step;      /* owned, capacity: scratch */
} rvm_laplace;

RVM_CHECKED rvm_status rvm_laplace_init(rvm_laplace *l, size_t capacity, size_t N, int threads,
                                        rvm_error *err);
void rvm_laplace_free(rvm_laplace *l);

/* Towards the mode of f, whose functions are the columns in order, by at most `steps` steps of
 * Newton's method (0: until it is there): sets u, L and log_evidence, and l to where u is. It
 * starts from the content of u, or from the weights w (NULL: none) where these are better. */
RVM_CHECKED rvm_status rvm_laplace_locate(rvm_fit *f, rvm_laplace *l, rvm_columns *c,
                                          const rvm_observed *o, const double *w, int steps,
                                          rvm_error *err);
/* ln p(t|w), for the weights of f, whose functions are columns in any order. */
RVM_CHECKED rvm_status rvm_laplace_likelihood(double *log_likelihood, rvm_laplace *l,
                                              rvm_columns *c, const rvm_observed *o,
                                              const rvm_fit *f, rvm_error *err);
/* G, p and t_squared of the columns where rvm_laplace_locate has left l. */
void rvm_laplace_expand(gsl_matrix *G, double *p, double *t_squared, const rvm_laplace *l,
                        const rvm_fit *f, const rvm_observed *o);

#endif
