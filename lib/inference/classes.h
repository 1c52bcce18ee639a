/* The activations of more than two classes, one latent function each.
 *
 * Softmax:
 *
 *     P(k | x) = exp f_k(x) / sum_j exp f_j(x)
 *
 * Given the other classes, class k against the rest is a logistic model whose activation has an
 * offset,
 *
 *     P(k | x) = 1 / (1 + exp -(f_k - c)),   c = ln sum_{j != k} exp f_j,
 *
 * and so are gradient t_k - y_k and curvature y_k (1 - y_k). One class against the rest without an
 * offset, each for itself, is the other model (RVM_ONE_VS_REST). */
#ifndef RVM_CLASSES_H
#define RVM_CLASSES_H

#include <gsl/gsl_matrix.h>

#include "inference/likelihood.h"

typedef struct {
    size_t count;         /* of the classes */
    const size_t *of_row; /* borrowed, N: class of each row */
    rvm_multiclass model;
    gsl_matrix *F;  /* owned, count x N: activations; changed by rvm_classes_set alone, */
    double *total;  /* owned, N: ln sum_j exp f_j of each row, which is kept up with it */
    double *offset; /* owned, N: of the class last selected */
} rvm_classes;

RVM_CHECKED rvm_status rvm_classes_init(rvm_classes *c, const size_t *of_row, size_t count,
                                        size_t N, rvm_multiclass model, rvm_error *err);
void rvm_classes_free(rvm_classes *c);

/* All activations are 0 again. */
void rvm_classes_clear(rvm_classes *c);
/* Takes off the rounding that changes have left in the totals; O(count N). */
void rvm_classes_refresh(rvm_classes *c);

/* Sets o's targets to 1 for class k and 0 for all others, and its offset (borrowed from c) to what
 * the activations of the others make of it. O(N), and O(count) besides for each row of which class
 * k has more than half, so that all classes together take O(count N) but for a constant. */
void rvm_classes_select(rvm_classes *c, rvm_observed *o, size_t k);
/* Takes over the activations of the class last selected, offset included; N. */
void rvm_classes_set(rvm_classes *c, size_t k, const double *with_offset);
/* ln p(t | all activations), of all rows, which count by o's weights; NAN without memory for it. O(N),
 * without softmax O(count N). */
double rvm_classes_log_likelihood(const rvm_classes *c, const rvm_observed *o);

#endif
