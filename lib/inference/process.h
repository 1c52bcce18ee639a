/* The log evidence of Gaussian processes, and its derivative by their covariance.
 *
 * f ~ N(0, C) at N rows. With normal noise of variance s, and a = (C + s I)^-1 t (Rasmussen and
 * Williams 2006, equations 2.30 and 5.9),
 *
 *     L = -1/2 [ t'a + ln|C + s I| + N ln 2 pi ]         dL/dC = 1/2 [ a a' - (C + s I)^-1 ]
 *
 * Else by Laplace's approximation at the mode of ln p(t|f) - 1/2 f'C^-1 f, with f = C a, B the
 * curvature, H = I + B^1/2 C B^1/2 and R = B^1/2 H^-1 B^1/2 (the same, sections 3.4 and 5.5.1),
 *
 *     L = ln p(t|f) - 1/2 a'f - 1/2 ln|H|
 *     dL/dC = 1/2 [ a a' - R + u a' + a u' ],   u = (I - R C) v
 *
 * where v_n = -1/2 (C - C R C)_nn dB_n/df_n is what the motion of the mode changes of ln|H|. */
#ifndef RVM_PROCESS_H
#define RVM_PROCESS_H

#include "inference/likelihood.h"

/* Everything N x N or N long, owned; no call below allocates. */
struct rvm_process {
    size_t N;
    gsl_matrix *C; /* covariance: filled in by the caller before each call, which destroys it */
    gsl_matrix *G; /* dL/dC, symmetric, after a call */
    gsl_matrix *factor, *R;
    double *f, *gradient, *curvature, *root; /* at a */
    double *step, *trial, *v;                /* scratch */
};

RVM_CHECKED rvm_status rvm_process_init(rvm_process *s, size_t N, rvm_error *err);
void rvm_process_free(rvm_process *s);

/* L, and s->G. a: where the search for the mode starts, and a there. False when it cannot be
 * computed to working precision. Of a normal likelihood with precision exp(ln_beta): */
bool rvm_process_normal(double *log_evidence, double *a, rvm_process *s, const rvm_observed *o,
                        double ln_beta, int threads);
/* and by Laplace's approximation, of one whose curvature varies. */
bool rvm_process_laplace(double *log_evidence, double *a, rvm_process *s, const rvm_observed *o,
                         double ln_beta, int threads);

#endif
