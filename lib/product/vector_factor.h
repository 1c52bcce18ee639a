/* The factor of the kernel matrix of a model's vectors, by which rows near them are told from others. */
#ifndef RVM_VECTOR_FACTOR_H
#define RVM_VECTOR_FACTOR_H

#include "rvm.h"

/* *out, owned by the caller, is U row by row, upper triangular, V (V + 1) / 2 numbers: U'U = K_ZZ and
 * a jitter, of V > 0 vectors as the kernel takes them, which is a covariance. RVM_ENUMERIC where the
 * values turn out to be none, as those of the spline are where features are negative. Cost: V^3 / 3. */
RVM_CHECKED rvm_status rvm_vector_factor(double **out, const rvm_kernel *kernel,
                                         const rvm_problem *vectors, int threads, rvm_error *err);

#endif
