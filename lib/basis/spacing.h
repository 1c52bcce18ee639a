/* How far apart two rows are, as a kernel sees it. */
#ifndef RVM_SPACING_H
#define RVM_SPACING_H

#include <gsl/gsl_rng.h>

#include "rvm.h"

/* What gamma multiplies of two rows, its size: |x - z|^2, |x - z|_1 or |x'z|. */

/* The median over random pairs of the rows order[0 .. p->rows - 1] that differ; 1 where there are
 * none. */
double rvm_spacing_typical(rvm_kernel_type type, const rvm_problem *p, const size_t *order,
                           gsl_rng *rng);

/* The median over some rows of p of that to the nearest row that differs; 1 where there is none.
 * Cost: some hundred rows times all of them. */
double rvm_spacing_nearest(rvm_kernel_type type, const rvm_problem *p);

#endif
