/* Orders of the rows of a problem, and samples of them. */
#ifndef RVM_ORDER_H
#define RVM_ORDER_H

#include <gsl/gsl_rng.h>

#include "base/spans.h"

/* *row (owned by the caller): the rows ascending by features, then by targets. Training looks at
 * rows in this order only, so that it cannot depend on the order of the file. */
RVM_CHECKED rvm_status rvm_order_rows(size_t **row, const rvm_problem *p, rvm_error *err);
/* Whether rows a and b have the same features. */
bool rvm_order_same(const rvm_problem *p, size_t a, size_t b);
/* Likewise row a of p and row b of q. */
bool rvm_order_alike(const rvm_problem *p, size_t a, const rvm_problem *q, size_t b);
/* The same targets, too. */
bool rvm_order_copy(const rvm_problem *p, size_t a, size_t b);

/* Below, 0 or above: row a of p against row b of q, by features, then by targets. */
int rvm_order_compare(const rvm_problem *p, size_t a, const rvm_problem *q, size_t b);

/* *row (owned by the caller): `count` <= N of the numbers 0 .. N - 1 at random, ascending. Cost:
 * that of a sort of them, whatever N. */
RVM_CHECKED rvm_status rvm_order_sample(size_t **row, size_t count, size_t N, gsl_rng *rng,
                                        rvm_error *err);
/* *row (owned by the caller): the rows of this process, numbered from 0 here, that are among `count`
 * <= N random ones of all, ascending; *here: how many. Each span gives its share, to a row, drawn by
 * a generator of its own: whoever has it draws the same. Other counts are other draws. */
RVM_CHECKED rvm_status rvm_order_sample_spans(size_t **row, size_t *here, const rvm_spans *spans,
                                              size_t count, unsigned long seed, rvm_error *err);

#endif
