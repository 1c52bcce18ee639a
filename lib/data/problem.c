/* Sparse rows and their targets, compressed row storage. */
#include "data/problem.h"

#include <assert.h>
#include <gsl/gsl_math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"

rvm_problem *rvm_problem_alloc(void)
{
    rvm_problem *p = rvm_array(1, sizeof *p);
    if (p == NULL)
        return NULL;
    if (!rvm_grow(&p->start, &p->start_capacity, 1, sizeof *p->start)) {
        free(p);
        return NULL;
    }
    rvm_problem_clear(p);
    return p;
}

void rvm_problem_free(rvm_problem *p)
{
    if (p == NULL)
        return;
    free(p->start);
    free(p->index);
    free(p->value);
    free(p->target);
    free(p->number);
    free(p);
}

void rvm_problem_forget_numbers(rvm_problem *p)
{
    free(p->number);
    p->number = NULL;
}

void rvm_problem_clear(rvm_problem *p)
{
    p->rows = 0;
    p->outputs = 1;
    p->start[0] = 0;
    p->max_index = -1;
}

void rvm_problem_trim(rvm_problem *p)
{
    const size_t pairs = p->start[p->rows] > 0 ? p->start[p->rows] : 1;
    int *const index = p->pair_capacity > pairs ? realloc(p->index, pairs * sizeof *index) : NULL;
    double *const value =
        p->value_capacity > pairs ? realloc(p->value, pairs * sizeof *value) : NULL;
    if (index != NULL) {
        p->index = index;
        p->pair_capacity = pairs;
    }
    if (value != NULL) {
        p->value = value;
        p->value_capacity = pairs;
    }
}

static bool make_room(rvm_problem *p, size_t rows, size_t outputs, size_t pairs)
{
    return rows <= SIZE_MAX / outputs &&
           rvm_grow(&p->start, &p->start_capacity, rows + 1, sizeof *p->start) &&
           rvm_grow(&p->target, &p->target_capacity, rows * outputs, sizeof *p->target) &&
           rvm_grow(&p->index, &p->pair_capacity, pairs, sizeof *p->index) &&
           rvm_grow(&p->value, &p->value_capacity, pairs, sizeof *p->value);
}

bool rvm_problem_append(rvm_problem *p, double target, const int *index, const double *value,
                        size_t pairs)
{
    return rvm_problem_append_outputs(p, &target, 1, index, value, pairs);
}

bool rvm_problem_open(rvm_problem *p, size_t outputs, size_t most)
{
    const size_t first = p->start[p->rows];
    assert(outputs > 0 && (p->rows == 0 || outputs == p->outputs));
    if (most > SIZE_MAX - first || !make_room(p, p->rows + 1, outputs, first + most))
        return false;
    p->outputs = outputs;
    p->start[p->rows + 1] = first;
    return true;
}

void rvm_problem_close(rvm_problem *p, const double *target)
{
    const size_t first = p->start[p->rows], end = p->start[p->rows + 1];
    if (end > first && p->index[end - 1] > p->max_index)
        p->max_index = p->index[end - 1];
    memcpy(p->target + p->rows * p->outputs, target, p->outputs * sizeof *target);
    p->rows++;
}

bool rvm_problem_append_outputs(rvm_problem *p, const double *target, size_t outputs,
                                const int *index, const double *value, size_t pairs)
{
    if (!rvm_problem_open(p, outputs, pairs))
        return false;
    const size_t first = p->start[p->rows];
    if (pairs > 0) {
        memcpy(p->index + first, index, pairs * sizeof *index);
        memcpy(p->value + first, value, pairs * sizeof *value);
    }
    p->start[p->rows + 1] = first + pairs;
    rvm_problem_close(p, target);
    return true;
}

/* Appends row i of `from`; there is room for it. */
static bool copy_row(rvm_problem *p, const rvm_problem *from, size_t i)
{
    const size_t first = from->start[i], width = from->start[i + 1] - first;
    return rvm_problem_append_outputs(p, rvm_problem_targets(from, i), from->outputs,
                                      width > 0 ? from->index + first : NULL,
                                      width > 0 ? from->value + first : NULL, width);
}

rvm_problem *rvm_problem_subset(const rvm_problem *p, const size_t *row, size_t count)
{
    rvm_problem *subset = rvm_problem_alloc();
    size_t pairs = 0;
    if (subset == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        pairs += p->start[row[i] + 1] - p->start[row[i]];
    subset->outputs = p->outputs; /* also of no rows */
    bool memory = make_room(subset, count, p->outputs, pairs);
    for (size_t i = 0; i < count && memory; i++)
        memory = copy_row(subset, p, row[i]);
    if (memory)
        return subset;
    rvm_problem_free(subset);
    return NULL;
}

rvm_problem *rvm_problem_thin(const rvm_problem *p, size_t most)
{
    const size_t step = GSL_MAX(1, (p->rows + most - 1) / most);
    const size_t count = (p->rows + step - 1) / step;
    size_t *row = rvm_array(count, sizeof *row);
    rvm_problem *thin = NULL;
    for (size_t i = 0; row != NULL && i < count; i++)
        row[i] = i * step;
    if (row != NULL)
        thin = rvm_problem_subset(p, row, count);
    free(row);
    return thin;
}

/* New features behind all others are the next of the list; others wait behind the sorted part of it
 * until they are as many as it has: in all O(pairs log features), O(pairs) where rows have the same
 * features, and memory for those that occur, whatever the largest index. */
static bool list_features(int **feature, size_t *count, const rvm_problem *p)
{
    size_t capacity = 0, sorted = 0, total = 0, hint = 0;
    int *list = NULL;
    for (size_t k = 0; k < p->start[p->rows]; k++) {
        const size_t at = rvm_sort_find(list, sorted, p->index[k], hint);
        hint = at + 1;
        if (at < sorted)
            continue;
        if (!rvm_grow(&list, &capacity, total + 1, sizeof *list)) {
            free(list);
            return false;
        }
        const bool next = total == sorted && (total == 0 || p->index[k] > list[total - 1]);
        list[total++] = p->index[k];
        if (next)
            hint = ++sorted;
        else if (total > 2 * sorted + 64)
            sorted = total = rvm_sort_unique(list, total);
    }
    *count = rvm_sort_unique(list, total);
    *feature = list;
    return true;
}

/* Those of all processes in the place of those that are here. */
static bool join_features(int **feature, size_t *count, rvm_team *team)
{
    size_t bytes;
    int *list = rvm_team_collect(&bytes, team, *feature, *count * sizeof **feature);
    if (list == NULL)
        return false;
    free(*feature);
    *feature = list;
    *count = rvm_sort_unique(list, bytes / sizeof *list);
    return true;
}

bool rvm_problem_features(int **feature, size_t *count, const rvm_problem *p)
{
    if (!list_features(feature, count, p))
        return false;
    if (p->team == NULL || join_features(feature, count, p->team))
        return true;
    free(*feature);
    *feature = NULL;
    return false;
}

size_t rvm_problem_rows(const rvm_problem *p)
{
    return rvm_problem_all(p);
}

int rvm_problem_last_feature(const rvm_problem *p)
{
    return p->max_index;
}

double rvm_problem_target(const rvm_problem *p, size_t row)
{
    return p->target[row * p->outputs];
}

size_t rvm_problem_outputs(const rvm_problem *p)
{
    return p->outputs;
}

const double *rvm_problem_targets(const rvm_problem *p, size_t row)
{
    return p->target + row * p->outputs;
}
