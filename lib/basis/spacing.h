/* How far apart two rows are, as a kernel sees it. */
#ifndef RVM_SPACING_H
#define RVM_SPACING_H

#include <gsl/gsl_rng.h>

#include "rvm.h"

/* What gamma multiplies of two rows, its size: |x - z|^2, |x - z|_1 or |x'z|. */

/* *out: the median over random pairs of rows that differ; 1 where there are none. order: of the rows of
 * p alone into canonical order; NULL: they have it. */
RVM_CHECKED rvm_status rvm_spacing_typical(double *out, rvm_kernel_type type, const rvm_problem *p,
                                           const size_t *order, gsl_rng *rng, rvm_error *err);

/* The median over some rows of p of that to the nearest row that differs; 1 where there is none.
 * Cost: some hundred rows times all of them. */
double rvm_spacing_nearest(rvm_kernel_type type, const rvm_problem *p);

#endif
