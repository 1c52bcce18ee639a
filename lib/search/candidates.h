/* S, Q and gain of candidates that have no column yet.
 *
 * For candidates that have no column yet, S and Q of evidence.h against the posterior of the active
 * functions. Q = phi'gradient takes every row: it is what tells a gain of a few nats from noise. S =
 * phi'B phi less what the active functions explain of it would cost K products for each row; the
 * share that they explain varies little from row to row, so it is measured on some of the rows,
 * with the posterior that these alone would give. */
#ifndef RVM_CANDIDATES_H
#define RVM_CANDIDATES_H

#include <gsl/gsl_rng.h>

#include "basis/columns.h"
#include "search/study.h"

typedef struct {
    double gain, ln_alpha; /* nats that adding it gains, and with what precision; of a unit norm */
    size_t id;
} rvm_candidate;

typedef struct {
    const rvm_study *y;         /* borrowed: rows, candidates */
    const rvm_columns *columns; /* borrowed: the active functions */
    const double *ln_alpha;     /* borrowed, columns->count */
    const double *gradient;     /* borrowed, N: d ln p(t|f) / df */
    const double *curvature;    /* borrowed, N: -d2 ln p / df2; NULL: beta */
    double beta;
    int threads;
} rvm_posterior_at;

/* Of the candidates id[0 .. count), ascending, none of them active, those that gain more than
 * `tolerance`, best first, into `candidates` (room for count); *found says how many. Cost: count N
 * kernel values and count K products on some of the rows. */
RVM_CHECKED rvm_status rvm_candidates_find(rvm_candidate *candidates, size_t *found,
                                           const rvm_posterior_at *at, const size_t *id,
                                           size_t count, double tolerance, rvm_error *err);

/* At most `most` random ones of the candidates of c that have no column in it, ascending, into order
 * (room for as many); *drawn says how many. Of their groups (basis.h), which may differ in size a
 * thousandfold, each one gets half of the places that are left, if it fills them, and the last one
 * all of them. Cost: that of a sort of them, whatever the number of candidates. */
RVM_CHECKED rvm_status rvm_candidates_draw(size_t *order, size_t *drawn, const rvm_columns *c,
                                           size_t most, gsl_rng *rng, rvm_error *err);
/* Adds to the *drawn ones of order those of wanted[0 .. count), all different, that neither have a
 * column nor are among them, while there is room; ascending. */
RVM_CHECKED rvm_status rvm_candidates_add(size_t *order, size_t *drawn, size_t room,
                                          const rvm_columns *c, const size_t *wanted, size_t count,
                                          rvm_error *err);
void rvm_candidates_sort_by_id(rvm_candidate *candidates, size_t count);

#endif
