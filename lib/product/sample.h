/* The rows that stand for all where few are looked at. */
#ifndef RVM_SAMPLE_H
#define RVM_SAMPLE_H

#include "search/study.h"

/* *row (owned by the caller): *count rows of y, ascending, at most `most`, else at random by seed.
 *
 * With normal noise, rows with equal features and targets are one. Taken for new measurements they
 * say that there is no noise; but a file that has a row twice, or whose targets are rounded, does not
 * know, and a covariance would be found that explains every row by itself. */
RVM_CHECKED rvm_status rvm_sample_rows(size_t **row, size_t *count, const rvm_study *y, size_t most,
                                       unsigned long seed, rvm_error *err);

#endif
