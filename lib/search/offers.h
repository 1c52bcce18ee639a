/* Which of many candidates are worth a column.
 *
 * For candidates that have no column yet, S and Q of evidence.h against the posterior of the active
 * functions. Q = phi'slope takes every row: it is what tells a gain of a few nats from noise. S =
 * phi'B phi less what the active functions explain of it would cost K products for each row; the
 * share that they explain varies little from row to row, so it is measured on some of the rows,
 * with the posterior that these alone would give. */
#ifndef RVM_OFFERS_H
#define RVM_OFFERS_H

#include <gsl/gsl_rng.h>

#include "basis/columns.h"
#include "search/study.h"

typedef struct {
    double gain, ln_alpha; /* nats that adding it gains, and with what precision; of a unit norm */
    size_t id;
} rvm_offer;

typedef struct {
    const rvm_study *y;         /* borrowed: rows, candidates */
    const rvm_columns *columns; /* borrowed: the active functions */
    const double *ln_alpha;     /* borrowed, columns->count */
    const double *slope;        /* borrowed, N: d ln p(t|f) / df */
    const double *curvature;    /* borrowed, N: -d2 ln p / df2; NULL: beta */
    double beta;
    int threads;
} rvm_posterior_at;

/* Of the candidates id[0 .. count), ascending, none of them active, those that gain more than
 * `tolerance`, best first, into `offers` (room for count); *found says how many. Cost: count N
 * kernel values and count K products on some of the rows. */
RVM_CHECKED rvm_status rvm_offers_find(rvm_offer *offers, size_t *found, const rvm_posterior_at *at,
                                       const size_t *id, size_t count, double tolerance,
                                       rvm_error *err);

/* At most `most` random ones of the M candidates of c that have no column in it, ascending, into
 * order (room for M). Of their groups (basis.h), which may differ in size a thousandfold, each one
 * gets half of the places that are left, if it fills them, and the last one all of them.
 * active: scratch, M. Returns how many. */
size_t rvm_offers_draw(size_t *order, bool *active, const rvm_columns *c, size_t M, size_t most,
                       gsl_rng *rng);
void rvm_offers_sort_by_id(rvm_offer *offers, size_t count);

/* Candidates on their way into a search, and what draws them. */
typedef struct {
    size_t M;
    gsl_rng *rng;      /* owned */
    size_t *order;     /* owned, M: ids that were drawn or chosen */
    double *ln_alpha;  /* owned, M: those of the chosen ones */
    bool *active;      /* owned, M: scratch */
    rvm_offer *offers; /* owned, RVM_POOL_SAMPLE or M: of the last sample, best first */
} rvm_pool;

enum { RVM_POOL_FIRST = 300, RVM_POOL_SAMPLE = 2000 }; /* candidates at first; scored in a round */

RVM_CHECKED rvm_status rvm_pool_init(rvm_pool *pool, size_t M, unsigned long seed, rvm_error *err);
void rvm_pool_free(rvm_pool *pool);
/* Of the candidates of y without a column in c: the bias, if there is one, and random ones, `most`
 * in all or as many as c has room for, into order; a prior exp(widen) times as wide as the targets.
 * Returns how many. */
size_t rvm_pool_first(rvm_pool *pool, const rvm_study *y, const rvm_columns *c, size_t most,
                      double widen);
/* What a fresh sample of `most` candidates, at most RVM_POOL_SAMPLE, offers: pool->offers, *found
 * of them. wanted[0 .. count): candidates that are to be in it too, while there is room. */
RVM_CHECKED rvm_status rvm_pool_sample(rvm_pool *pool, size_t *found, const rvm_posterior_at *at,
                                       size_t most, const size_t *wanted, size_t count,
                                       double tolerance, rvm_error *err);
/* The best `count` offers, ascending, into order and ln_alpha. */
void rvm_pool_choose(rvm_pool *pool, size_t count);

#endif
