/* Sparse rows and their targets, compressed row storage. */
#ifndef RVM_PROBLEM_H
#define RVM_PROBLEM_H

#include "rvm.h"

struct rvm_problem {
    size_t rows;
    size_t *start;         /* owned, rows + 1: row i is the pairs start[i] .. start[i+1] - 1 */
    int *index;            /* owned; ascending within a row, from 0 */
    double *value;         /* owned; finite */
    double *target;        /* owned, rows x outputs, row by row; finite, or all nan: unlabelled */
    size_t outputs;        /* targets of a row, 1 or more; set by the first row */
    int max_index;         /* largest index of any pair, -1 without pairs */
    size_t start_capacity; /* entries that start has room for */
    size_t target_capacity;
    size_t pair_capacity, value_capacity;
};

/* A problem of no rows; NULL without memory. */
rvm_problem *rvm_problem_alloc(void);
/* Appends a row of `pairs` pairs. False, and the problem unchanged, without memory. */
bool rvm_problem_append(rvm_problem *p, double target, const int *index, const double *value,
                        size_t pairs);
/* The same with `outputs` targets, as many as the rows before have. */
bool rvm_problem_append_outputs(rvm_problem *p, const double *target, size_t outputs,
                                const int *index, const double *value, size_t pairs);
/* Copies of the rows listed in `row` (count of them), in that order; NULL without memory. */
rvm_problem *rvm_problem_subset(const rvm_problem *p, const size_t *row, size_t count);
/* Copies of every other row, or every third, ... so that there are at most `most`; NULL without
 * memory. */
rvm_problem *rvm_problem_thin(const rvm_problem *p, size_t most);
/* The features that occur in p, ascending: *feature is owned by the caller (free). False without
 * memory. */
bool rvm_problem_features(int **feature, size_t *count, const rvm_problem *p);
/* Forgets the rows, keeps the memory. */
void rvm_problem_clear(rvm_problem *p);
/* Gives back the memory that is kept for pairs to come. */
void rvm_problem_trim(rvm_problem *p);

#endif
