/* The inputs of a problem, and a derivative by their weights.
 *
 * A kernel combines two rows by a sum over inputs, a = sum_j eta_j c_j(x, z). What is a function of
 * the kernel matrix, with derivative G by its elements, then has
 *
 *     d / d ln eta_j = sum_in G_in K'(a_in) eta_j c_j(x_i, x_n) */
#ifndef RVM_INPUTS_H
#define RVM_INPUTS_H

#include <gsl/gsl_matrix.h>

#include "basis/kernel.h"

/* The inputs of a problem that are not constant. */
typedef struct {
    size_t count, N;
    int *index;     /* owned, count: feature of each, ascending */
    double *spread; /* owned, count: standard deviation over the rows, above 0 */
    gsl_matrix *X;  /* owned, count x N: values; may be NULL when count is 0 */
} rvm_inputs;

RVM_CHECKED rvm_status rvm_inputs_init(rvm_inputs *in, const rvm_problem *p, rvm_error *err);
void rvm_inputs_free(rvm_inputs *in);

/* sum over n of g[n] c(x[n], z), c being what the kernel sums of one input: x z, (x - z)^2 or
 * |x - z|. */
double rvm_inputs_combine(rvm_combination by, const double *g, const double *x, double z, size_t N);

/* The derivative above by ln eta of each input, for weights eta that the kernel has and the rows,
 * in the order of `in`, are laid out with. G: N x N, symmetric; scratch likewise.
 * Cost N^2 inputs. */
RVM_CHECKED rvm_status rvm_inputs_gradient(double *gradient, const rvm_inputs *in,
                                           const double *eta, const gsl_matrix *G,
                                           gsl_matrix *scratch, const rvm_kernel *kernel,
                                           const rvm_kernel_rows *rows, rvm_error *err);

#endif
