/* Rows of a problem that a team shares, and where they go.
 *
 * Together the processes of a team have all rows in canonical order (order.h), each those of its spans
 * (base/spans.h).  What is a sample of rows, or sits on some, is copied to all of them.  A team of one
 * has all rows; alone, without a team, these are the same as copies of rows. */
#ifndef RVM_SHARD_H
#define RVM_SHARD_H

#include "data/problem.h"

/* *p: rows as they were read, whichever process has read which of them, in the order of the file
 * within each and over the ranks; the first one here is number `first` of the file. *p becomes this
 * process's part of all, and what it was is freed. */
RVM_CHECKED rvm_status rvm_shard_spread(rvm_problem **p, size_t first, rvm_team *team,
                                        rvm_error *err);
/* *p: rows that have changed; they come into canonical order again. */
RVM_CHECKED rvm_status rvm_shard_sort(rvm_problem **p, rvm_team *team, rvm_error *err);
/* *out, owned by the caller: rows row[0 .. count), ascending, of those that are here, and of those
 * that the other processes name; spread out anew. */
RVM_CHECKED rvm_status rvm_shard_part(rvm_problem **out, const rvm_problem *p, const size_t *row,
                                      size_t count, rvm_error *err);
/* *out, owned by the caller: a copy of rows row[0 .. count), ascending, by their places in canonical
 * order; all processes name the same ones, and all get them, as a problem that stands by itself. order:
 * of the rows of p alone, as rvm_order_rows has it; NULL where they have that order. */
RVM_CHECKED rvm_status rvm_shard_pick(rvm_problem **out, const rvm_problem *p, const size_t *order,
                                      const size_t *row, size_t count, rvm_error *err);
/* *out, owned by the caller: a copy of every other row of the file, or every third, ... so that there are
 * at most `most`, in the order of the file, as a problem that stands by itself. */
RVM_CHECKED rvm_status rvm_shard_thin(rvm_problem **out, const rvm_problem *p, size_t most,
                                      rvm_error *err);
/* *repeats: the first row that is here has the features of the one before it, elsewhere. */
RVM_CHECKED rvm_status rvm_shard_repeats(bool *repeats, const rvm_problem *p, rvm_error *err);
/* *goes_on: and its targets, too. */
RVM_CHECKED rvm_status rvm_shard_goes_on(bool *goes_on, const rvm_problem *p, rvm_error *err);
/* *out, owned by the caller: the same of rows row[0 .. count), ascending, of those that are here, and
 * of those that the other processes name of theirs. */
RVM_CHECKED rvm_status rvm_shard_gather(rvm_problem **out, const rvm_problem *p, const size_t *row,
                                        size_t count, rvm_error *err);
/* *count: rows of all that have features of their own. */
RVM_CHECKED rvm_status rvm_shard_different(size_t *count, const rvm_problem *p, rvm_error *err);
/* Whether all rows have the same targets. */
bool rvm_shard_equal_targets(const rvm_problem *p);
/* Of numbers that belong to rows, from[i] to row i of those that are here: those of the rows that went
 * to a part, or were picked, in the same way; to: as many as that has rows here. */
RVM_CHECKED rvm_status rvm_shard_part_numbers(double *to, const rvm_problem *p, const size_t *row,
                                              size_t count, const double *from, rvm_error *err);
RVM_CHECKED rvm_status rvm_shard_pick_numbers(double *to, const rvm_problem *p, const size_t *row,
                                              size_t count, const double *from, rvm_error *err);
/* *out, owned by the caller: a copy of all rows in canonical order, and numbered so. */
RVM_CHECKED rvm_status rvm_shard_canonical(rvm_problem **out, const rvm_problem *p, rvm_error *err);
/* *out, owned by the caller: rank 0 has all rows, in the order of the file; the others have none. */
RVM_CHECKED rvm_status rvm_shard_whole(rvm_problem **out, const rvm_problem *p, rvm_error *err);

#endif
