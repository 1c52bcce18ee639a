/* Sums over rows that do not depend on how many share the work.
 *
 * Rows are cut into spans, whose number and size follow from the number of rows alone.  A span is
 * summed in its order; the sums of spans are added in pairs of neighbours, those of pairs in pairs,
 * and so on: one tree, whoever has computed which part of it.  One thread or many, one process or a
 * team, each of which has the rows of some neighbouring spans: the same bits. */
#ifndef RVM_SPANS_H
#define RVM_SPANS_H

#include "base/team.h"

enum {
    RVM_STRIP = 4096, /* rows of which spans are made */
    RVM_SPANS_MOST = 256
};

/* A value: the rows of all, and those of this process. */
typedef struct {
    rvm_team *team;    /* borrowed; NULL: all rows are here */
    size_t N;          /* rows in all */
    size_t rows;       /* of a span; of the last one what is left */
    size_t count;      /* spans */
    size_t first, end; /* those of this process */
} rvm_spans;

rvm_spans rvm_spans_make(size_t N, rvm_team *team);
/* Number of the first row of this process, and how many it has. */
size_t rvm_spans_first_row(const rvm_spans *s);
size_t rvm_spans_here(const rvm_spans *s);
/* Rows of the process that has most: where all are to do the same, this is what counts. */
size_t rvm_spans_largest(const rvm_spans *s);
/* The process that has that row of all. */
int rvm_spans_owner(const rvm_spans *s, size_t row);

/* Adds what rows first .. first + rows - 1, numbered from 0 in each process, have to say to `sums`,
 * which are 0 at first. `worker` as in rvm_piece. */
typedef rvm_status rvm_spans_piece(void *context, size_t first, size_t rows, double *sums,
                                   int worker, rvm_error *err);
/* left := left and right in one, in the place of left + right. */
typedef rvm_status rvm_spans_join(void *context, double *left, const double *right, int worker,
                                  rvm_error *err);

/* sums[0 .. count): over all rows, in every process. `threads` take nodes of the tree side by side;
 * with 1 span follows span, and the piece may have threads of its own. join NULL: sums are added. A
 * team agrees on the status, and hears of interrupts. Memory: `count` numbers rvm_spans_held times
 * with one thread; side by side as often for each thread, and for some four nodes of each. */
RVM_CHECKED rvm_status rvm_spans_fold(double *sums, size_t count, const rvm_spans *s,
                                      rvm_spans_piece *piece, rvm_spans_join *join, void *context,
                                      int threads, rvm_error *err);
/* The same of sums that are there already: of_span, count of each span of this process, one behind
 * another. `status`, with its *err, says whether they are; of a process without spans they always
 * are. */
RVM_CHECKED rvm_status rvm_spans_add_up(double *sums, size_t count, const rvm_spans *s,
                                        const double *of_span, rvm_status status, rvm_error *err);
/* *sum: of x, a number for each row of this process, over all rows. */
RVM_CHECKED rvm_status rvm_spans_total(double *sum, const double *x, const rvm_spans *s,
                                       rvm_error *err);
size_t rvm_spans_held(const rvm_spans *s);

#endif
