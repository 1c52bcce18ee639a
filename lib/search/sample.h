/* The rows that stand for all where few are looked at. */
#ifndef RVM_SAMPLE_H
#define RVM_SAMPLE_H

#include "search/study.h"

/* *p, of *row, their numbers among all, both owned by the caller: rows of y, ascending, random ones
 * by seed where there are more than `most`. Each process of a team gets all of them.
 *
 * With normal noise, rows with equal features and targets are one. Taken for new measurements they
 * say that there is no noise; but a file that has a row twice, or whose targets are rounded, does not
 * know, and a covariance would be found that explains every row by itself. */
RVM_CHECKED rvm_status rvm_sample_rows(rvm_problem **p, size_t **row, const rvm_study *y,
                                       size_t most, unsigned long seed, rvm_error *err);

#endif
