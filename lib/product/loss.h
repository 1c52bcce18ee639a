/* What predictions of rows that training has not seen have cost, and whether a constant
 * would have done as well. */
#ifndef RVM_LOSS_H
#define RVM_LOSS_H

#include "data/labels.h"

/* The best that can be said of the rows of a problem without looking at their features. */
typedef struct {
    rvm_labels labels; /* classification: */
    double *share;     /* owned: of each class, rows counting by their weight */
    size_t commonest;
    double *weight;          /* owned: of each class, 1 the largest */
    double *mean, *variance; /* owned: of each output; regression */
} rvm_constant;

RVM_CHECKED rvm_status rvm_constant_find(rvm_constant *c, const rvm_problem *p,
                                         const rvm_settings *s, rvm_error *err);
void rvm_constant_free(rvm_constant *c); /* accepts a zeroed one, and zeroes it */

/* Mean over the rows of p, for which c was found: the error rate and a part of the log loss, rows
 * counting by the weight of their class; or the squared error as a share of the variance, averaged
 * over the outputs. *sure: what the predictions gain on the constant, in standard errors. Both are
 * finite, but for a loss of infinity where a number has left the range. */
double rvm_loss(double *sure, const rvm_prediction *out, const rvm_problem *p,
                const rvm_constant *c, const rvm_settings *s);

#endif
