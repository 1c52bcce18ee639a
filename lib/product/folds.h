/* Folds: which rows are left out together, and sums over what was predicted of rows. */
#ifndef RVM_FOLDS_H
#define RVM_FOLDS_H

#include "base/spans.h"
#include "data/labels.h"

/* fold[i]: that of row i of those that are here, one of `folds`, 2 to the number of rows in all.
 * labels: of classification; of no classes in regression. All processes of p's team ask at once. */
RVM_CHECKED rvm_status rvm_folds_draw(size_t *fold, const rvm_problem *p, const rvm_labels *labels,
                                      size_t folds, unsigned long seed, rvm_error *err);

/* Adds what row `row` of those that are here has to say to `sums`. */
typedef void rvm_folds_row(void *context, size_t row, double *sums);
/* sums[0 .. count): over all rows, in every process of p's team. Few rows are taken as they
 * stand, many by the tree of base/spans.h in canonical order, so that neither the order of the
 * file nor the size of the team changes a bit. join NULL: sums are added. */
RVM_CHECKED rvm_status rvm_folds_sum(double *sums, size_t count, const rvm_problem *p,
                                     rvm_folds_row *add, rvm_spans_join *join, void *context,
                                     rvm_error *err);

#endif
