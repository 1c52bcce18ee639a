/* Sparse rows and their targets, compressed row storage. */
#ifndef RVM_PROBLEM_H
#define RVM_PROBLEM_H

#include "base/spans.h"

struct rvm_problem {
    size_t rows;           /* that are here */
    size_t *start;         /* owned, rows + 1: row i is the pairs start[i] .. start[i+1] - 1 */
    int *index;            /* owned; ascending within a row, from 0 */
    double *value;         /* owned; finite */
    double *target;        /* owned, rows x outputs, row by row; finite, or all nan: unlabelled */
    size_t outputs;        /* targets of a row, 1 or more; set by the first row */
    int max_index;         /* largest index of any pair, -1 without pairs */
    size_t *number;        /* owned, rows: place of each in its file, from 0; NULL: as they stand */
    rvm_team *team;        /* borrowed; NULL: these are all rows. Else they are the spans that this
                              process has of all, in canonical order (shard.h), */
    size_t all;            /* of so many; max_index is that of all, too */
    size_t start_capacity; /* entries that start has room for */
    size_t target_capacity;
    size_t pair_capacity, value_capacity;
};

/* Rows in all, here or elsewhere. */
static inline size_t rvm_problem_all(const rvm_problem *p)
{
    return p->team == NULL ? p->rows : p->all;
}

static inline rvm_spans rvm_problem_spans(const rvm_problem *p)
{
    return rvm_spans_make(rvm_problem_all(p), p->team);
}

/* Place in the file of row i. */
static inline size_t rvm_problem_number(const rvm_problem *p, size_t i)
{
    return p->number == NULL ? i : p->number[i];
}

/* A problem of no rows; NULL without memory. */
rvm_problem *rvm_problem_alloc(void);
/* Appends a row of `pairs` pairs. False, and the problem unchanged, without memory. */
bool rvm_problem_append(rvm_problem *p, double target, const int *index, const double *value,
                        size_t pairs);
/* The same with `outputs` targets, as many as the rows before have. */
bool rvm_problem_append_outputs(rvm_problem *p, const double *target, size_t outputs,
                                const int *index, const double *value, size_t pairs);
/* A row pair by pair: room for one of at most `most` pairs and of `outputs` targets, the pairs, ascending,
 * and its end with the targets. Without an end it is not there. */
bool rvm_problem_open(rvm_problem *p, size_t outputs, size_t most);
static inline void rvm_problem_add(rvm_problem *p, int index, double value)
{
    const size_t k = p->start[p->rows + 1]++;
    p->index[k] = index;
    p->value[k] = value;
}
void rvm_problem_close(rvm_problem *p, const double *target);
/* Copies of the rows listed in `row` (count of them), in that order; NULL without memory. */
rvm_problem *rvm_problem_subset(const rvm_problem *p, const size_t *row, size_t count);
/* Copies of every other row, or every third, ... so that there are at most `most`; NULL without
 * memory. */
rvm_problem *rvm_problem_thin(const rvm_problem *p, size_t most);
/* The features that occur in p, in all of it, ascending: *feature is owned by the caller (free). False without
 * memory. */
bool rvm_problem_features(int **feature, size_t *count, const rvm_problem *p);
/* It stands by itself from here on: rows are numbered as they stand. */
void rvm_problem_forget_numbers(rvm_problem *p);
/* Forgets the rows, keeps the memory. */
void rvm_problem_clear(rvm_problem *p);
/* Gives back the memory that is kept for pairs to come. */
void rvm_problem_trim(rvm_problem *p);

#endif
