/* A search over some columns by their Gram matrix.
 *
 * The rows are read to form the Gram matrix, and then no more: sweeps, Newton's method, additions
 * and deletions all work on it (rvm_quadratic). In regression that is exact. For two classes it is
 * the quadratic approximation of the likelihood at a mode, and is formed anew, over what is still
 * active, whenever the weights have gone farther than it reaches. */
#ifndef RVM_GRAM_SEARCH_H
#define RVM_GRAM_SEARCH_H

#include "basis/columns.h"
#include "inference/laplace.h"
#include "search/candidates.h"
#include "search/climb.h"
#include "search/solution.h"
#include "search/study.h"

typedef struct {
    const rvm_study *y; /* borrowed: the rows in use */
    rvm_columns columns;
    rvm_climber search;  /* search.now: the functions, columns[0], [1], ... but while it runs */
    rvm_laplace laplace; /* two classes: where the mode is */
    /* Private. */
    rvm_observed quadratic;
    rvm_columns gram; /* has no columns of its own */
    rvm_solution before;
    double *w;        /* owned, capacity: weights of the columns */
    double *gradient; /* owned, rows of the first study; regression */
    double kept_numbers;
} rvm_gram_search;

/* Whose interrupt ends what is being done: that of the rows in use, or none's. RVM_EINTERRUPT then
 * comes from whatever reads rows, and the search is good for nothing but being restored. */
void rvm_gram_search_heed(rvm_gram_search *g, const volatile int *interrupted);

/* Functions that `numbers` doubles have room for, at most all candidates of y; 0: too few for a
 * search. */
size_t rvm_gram_search_capacity(const rvm_study *y, double numbers);
/* Room for `capacity` functions, and `kept_numbers` of their columns in memory; for no more rows
 * than those of y. */
RVM_CHECKED rvm_status rvm_gram_search_init(rvm_gram_search *g, const rvm_study *y, size_t capacity,
                                            double kept_numbers, int threads, rvm_error *err);
void rvm_gram_search_free(rvm_gram_search *g);

/* The rows of y from now on, and no functions; y must outlive their use. */
RVM_CHECKED rvm_status rvm_gram_search_take_rows(rvm_gram_search *g, const rvm_study *y,
                                                 rvm_error *err);
/* The rows of y from now on, with those functions, weights and noise, of other rows; precisions move
 * with the norms of the columns. What has no values on these rows is left out. */
RVM_CHECKED rvm_status rvm_gram_search_carry(rvm_gram_search *g, const rvm_study *y,
                                             const rvm_solved *from, rvm_error *err);
/* New functions with their ln alpha; what has no values on these rows is left out. */
RVM_CHECKED rvm_status rvm_gram_search_add(rvm_gram_search *g, const size_t *id,
                                           const double *ln_alpha, size_t count, rvm_error *err);
/* From the functions that are there to the neighbourhood of an optimum: `sweeps` top-down, then
 * `climb`. Functions that it leaves are taken out, and search.now is located. */
RVM_CHECKED rvm_status rvm_gram_search_run(rvm_gram_search *g, int sweeps,
                                           const rvm_climb_settings *climb, rvm_error *err);
/* What candidates are measured against: the posterior where the search is, after it was run or
 * restored. Borrows from g. */
RVM_CHECKED rvm_status rvm_gram_search_posterior(rvm_posterior_at *at, rvm_gram_search *g,
                                                 rvm_error *err);
/* Those functions and weights in the place of what is there. */
RVM_CHECKED rvm_status rvm_gram_search_restore(rvm_gram_search *g, const rvm_solved *f,
                                               rvm_error *err);
/* What is there, into latent function k. */
RVM_CHECKED rvm_status rvm_gram_search_save(rvm_solution *to, size_t k, const rvm_gram_search *g,
                                            rvm_error *err);
/* After a run or a restore: writes where the search is, or goes there, to the last bit, on the rows
 * in use. */
void rvm_gram_search_code(rvm_gram_search *g, rvm_codec *c);

#endif
