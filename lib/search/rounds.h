/* Rounds of candidates: what the searches share that cannot keep the columns of all of them.
 *
 * A round measures a sample of the candidates against the posterior, lets the best of them in, and
 * goes on from there over the Gram matrix of what is active (gram_search.h); it leaves for the next
 * one long before it is at an optimum. Rounds end when one gains next to nothing. */
#ifndef RVM_ROUNDS_H
#define RVM_ROUNDS_H

#include "search/candidates.h"
#include "search/gram_search.h"

typedef struct {
    rvm_gram_search gram;
    double tolerance;
    int count;                 /* rounds since rvm_rounds_begin, */
    double gained;             /* and nats by all of them but the first */
    gsl_rng *rng;              /* owned */
    size_t *order;             /* owned, RVM_ROUNDS_SAMPLE: ids that were drawn or chosen */
    double *ln_alpha;          /* owned, likewise: those of the chosen ones */
    rvm_candidate *candidates; /* owned, likewise: of the last sample, best first */
} rvm_rounds;

enum { RVM_ROUNDS_SAMPLE = 2000 }; /* candidates scored in a round, at the most */

/* row_numbers: numbers for each row that something else takes from the budget. */
RVM_CHECKED rvm_status rvm_rounds_init(rvm_rounds *r, const rvm_study *y, double row_numbers,
                                       const rvm_settings *s, rvm_error *err);
void rvm_rounds_free(rvm_rounds *r);
void rvm_rounds_begin(rvm_rounds *r); /* counts from none again */

/* The bias, if there is one, and random candidates, `most` in all, RVM_ROUNDS_SAMPLE or fewer,
 * top-down; with a prior exp(widen) times as wide as the targets. */
RVM_CHECKED rvm_status rvm_rounds_first(rvm_rounds *r, size_t most, double widen, rvm_error *err);
/* *found candidates gain more than the tolerance, of a sample of `most`, and of wanted[0 .. count)
 * while there is room in it. */
RVM_CHECKED rvm_status rvm_rounds_sample(size_t *found, rvm_rounds *r, size_t most,
                                         const size_t *wanted, size_t count, rvm_error *err);
/* The best `chunk` of them come in. */
RVM_CHECKED rvm_status rvm_rounds_let_in(rvm_rounds *r, size_t chunk, rvm_error *err);
/* A few steps from functions that have come to other rows. */
RVM_CHECKED rvm_status rvm_rounds_move(rvm_rounds *r, rvm_error *err);
/* To the optimum over the functions that are there, and without those that others can replace at a
 * loss of `thin` nats each. */
RVM_CHECKED rvm_status rvm_rounds_settle(rvm_rounds *r, double thin, rvm_error *err);

/* Log evidence less the margin, and so many nats beside, for each function. */
double rvm_rounds_score(const rvm_rounds *r, double nats);
/* Counts a round. Whether it gained less than `least`, or half a nat, or a small share of a nat for
 * each row, or that part of what all rounds but the first have gained. */
bool rvm_rounds_end(rvm_rounds *r, double gained, double least, double part);

/* Writes the counts and the random numbers to come, or reads them; the search is the caller's. */
void rvm_rounds_code(rvm_codec *c, rvm_rounds *r);

#endif
