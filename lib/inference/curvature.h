/* The Gram matrix of columns in the metric of the curvature of a likelihood. */
#ifndef RVM_CURVATURE_H
#define RVM_CURVATURE_H

#include "basis/columns.h"

/* G = Phi'B Phi (count x count, both triangles) and p = Phi'z, B = diag(curvature). thin: where
 * rows are many, most of those of next to no curvature are left out. scaled: scratch, capacity x
 * RVM_STRIP or N where that is less. RVM_EINTERRUPT by c->interrupted. */
RVM_CHECKED rvm_status rvm_curvature_gram(gsl_matrix *G, double *p, rvm_columns *c,
                                          gsl_matrix *scaled, const double *curvature,
                                          const double *z, bool thin, rvm_error *err);

#endif
