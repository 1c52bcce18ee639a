/* The log evidence of Gaussian processes, and its derivative by their covariance.
 *
 * f ~ N(0, C) at N rows. With normal noise of variance s, and a = (C + s I)^-1 t,
 *
 *     L = -1/2 [ t'a + ln|C + s I| + N ln 2 pi ]         dL/dC = 1/2 [ a a' - (C + s I)^-1 ]
 *
 * For two classes by Laplace's approximation at the mode of ln p(t|f) - 1/2 f'C^-1 f, with f = C a,
 * B the curvature, H = I + B^1/2 C B^1/2 and R = B^1/2 H^-1 B^1/2 (Rasmussen and Williams 2006,
 * sections 3.4 and 5.5.1),
 *
 *     L = ln p(t|f) - 1/2 a'f - 1/2 ln|H|
 *     dL/dC = 1/2 [ a a' - R + u a' + a u' ],   u = (I - R C) v
 *
 * where v_n = -1/2 (C - C R C)_nn dB_n/df_n is what the motion of the mode changes of ln|H|. */
#ifndef RVM_PROCESS_H
#define RVM_PROCESS_H

#include <gsl/gsl_matrix.h>

#include "rvm.h"

/* Everything N x N or N long, owned; no call below allocates. */
typedef struct {
    size_t N;
    gsl_matrix *C; /* covariance: filled in by the caller before each call, which destroys it */
    gsl_matrix *G; /* dL/dC, symmetric, after a call */
    gsl_matrix *factor, *R;
    double *f, *trial_f, *trial_a, *slope, *curvature, *root, *v;
} rvm_process;

RVM_CHECKED rvm_status rvm_process_init(rvm_process *s, size_t N, rvm_error *err);
void rvm_process_free(rvm_process *s);

/* L, and s->G, for N targets. a: filled. False when it cannot be computed to working precision. */
bool rvm_process_normal(double *log_evidence, double *a, rvm_process *s, const double *t,
                        double noise_variance, int threads);
/* The same for t of 0 and 1, each row counting row_weight times (NULL: once). a: where the search
 * for the mode starts, and the mode. */
bool rvm_process_logistic(double *log_evidence, double *a, rvm_process *s, const double *t,
                          const double *row_weight, int threads);

#endif
