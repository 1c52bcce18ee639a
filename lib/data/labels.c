/* The classes of a problem and their order. */
#include "data/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "data/problem.h"

/* libsvm's exception to the order of first appearance, which fixes its columns of -b 1. */
static void put_plus_one_first(rvm_labels *l, size_t rows)
{
    if (l->count != 2 || l->label[0] != -1 || l->label[1] != 1)
        return;
    const size_t minus = l->rows[0];
    l->label[0] = 1;
    l->label[1] = -1;
    l->rows[0] = l->rows[1];
    l->rows[1] = minus;
    for (size_t i = 0; i < rows; i++)
        l->of_row[i] = 1 - l->of_row[i];
}

/* A label: rows that have it, and the place in the file of the first one. */
typedef struct {
    int label;
    size_t rows, first;
} found_label;

static int by_label(const void *a, const void *b)
{
    const int x = ((const found_label *)a)->label, z = ((const found_label *)b)->label;
    return (x > z) - (x < z);
}

static int by_place(const void *a, const void *b)
{
    const size_t x = ((const found_label *)a)->first, z = ((const found_label *)b)->first;
    return (x > z) - (x < z);
}

/* The labels of the rows that are here, ascending; *list owned by the caller. False without memory. */
static bool list_labels(found_label **list, size_t *count, const rvm_problem *p)
{
    int *ascending = rvm_array(p->rows, sizeof *ascending);
    *list = NULL;
    for (size_t i = 0; i < p->rows && ascending != NULL; i++)
        ascending[i] = (int)p->target[i];
    *count = ascending == NULL ? 0 : rvm_sort_unique(ascending, p->rows);
    if (ascending != NULL)
        *list = rvm_array(*count, sizeof **list);
    for (size_t i = 0, at = 0; i < p->rows && *list != NULL; i++) {
        at = rvm_sort_find(ascending, *count, (int)p->target[i], at);
        found_label *l = &(*list)[at];
        const size_t place = rvm_problem_number(p, i);
        l->label = ascending[at];
        l->first = l->rows++ == 0 || place < l->first ? place : l->first;
    }
    free(ascending);
    return *list != NULL;
}

/* Those of all processes in the place of those that are here. */
static bool join_labels(found_label **list, size_t *count, rvm_team *team)
{
    size_t bytes, kept = 0;
    found_label *all = rvm_team_collect(&bytes, team, *list, *count * sizeof **list);
    const size_t many = bytes / sizeof *all;
    if (all == NULL)
        return false;
    qsort(all, many, sizeof *all, by_label);
    for (size_t k = 0; k < many; k++) {
        if (kept > 0 && all[kept - 1].label == all[k].label) {
            found_label *l = &all[kept - 1];
            l->rows += all[k].rows;
            l->first = all[k].first < l->first ? all[k].first : l->first;
        } else {
            all[kept++] = all[k];
        }
    }
    free(*list);
    *list = all;
    *count = kept;
    return true;
}

/* As they appear in the file. place: scratch, l->count. */
static void number_labels(rvm_labels *l, found_label *list, int *ascending, size_t *place,
                          const rvm_problem *p)
{
    for (size_t k = 0; k < l->count; k++)
        ascending[k] = list[k].label;
    qsort(list, l->count, sizeof *list, by_place);
    for (size_t k = 0; k < l->count; k++) {
        l->label[k] = list[k].label;
        l->rows[k] = list[k].rows;
        place[rvm_sort_find(ascending, l->count, list[k].label, 0)] = k;
    }
    for (size_t i = 0, at = 0; i < p->rows; i++) {
        at = rvm_sort_find(ascending, l->count, (int)p->target[i], at);
        l->of_row[i] = place[at];
    }
}

rvm_status rvm_labels_find(rvm_labels *out, const rvm_problem *p, rvm_error *err)
{
    rvm_labels l = { 0 };
    found_label *list = NULL;
    int *ascending = NULL;
    size_t *place = NULL;
    bool memory = list_labels(&list, &l.count, p);
    if (memory && p->team != NULL)
        memory = join_labels(&list, &l.count, p->team);
    if (memory) {
        ascending = rvm_array(l.count, sizeof *ascending);
        place = rvm_array(l.count, sizeof *place);
        l.label = rvm_array(l.count, sizeof *l.label);
        l.rows = rvm_array(l.count, sizeof *l.rows);
        l.of_row = rvm_array(p->rows, sizeof *l.of_row);
    }
    memory =
        ascending != NULL && place != NULL && l.label != NULL && l.rows != NULL && l.of_row != NULL;
    if (memory) {
        number_labels(&l, list, ascending, place, p);
        put_plus_one_first(&l, p->rows);
        *out = l;
    } else {
        rvm_labels_free(&l);
    }
    free(list);
    free(ascending);
    free(place);
    return memory ? RVM_OK : rvm_fail_memory(err, "class labels");
}

void rvm_labels_free(rvm_labels *l)
{
    free(l->label);
    free(l->rows);
    free(l->of_row);
    *l = (rvm_labels){ 0 };
}

rvm_status rvm_labels_differ(bool *out, const int *label, size_t count, rvm_error *err)
{
    int *sorted = rvm_array(count, sizeof *sorted);
    if (sorted == NULL)
        return rvm_fail_memory(err, "class labels");
    memcpy(sorted, label, count * sizeof *sorted);
    *out = rvm_sort_unique(sorted, count) == count;
    free(sorted);
    return RVM_OK;
}
