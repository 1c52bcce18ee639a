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

/* Numbers the labels, all of which are listed in `ascending`, as they appear. place: scratch, zeros,
 * l->count: of each of that list one more than its number. */
static void number_labels(rvm_labels *l, const int *ascending, size_t *place, const rvm_problem *p)
{
    size_t found = 0;
    for (size_t i = 0, at = 0; i < p->rows; i++) {
        const int label = (int)p->target[i];
        at = rvm_sort_find(ascending, l->count, label, at);
        if (place[at] == 0) {
            l->label[found++] = label;
            place[at] = found;
        }
        l->of_row[i] = place[at] - 1;
        l->rows[l->of_row[i]]++;
    }
}

rvm_status rvm_labels_find(rvm_labels *out, const rvm_problem *p, rvm_error *err)
{
    rvm_labels l = { 0 };
    int *ascending = rvm_array(p->rows, sizeof *ascending);
    size_t *place = NULL;
    if (ascending != NULL) {
        for (size_t i = 0; i < p->rows; i++)
            ascending[i] = (int)p->target[i];
        l.count = rvm_sort_unique(ascending, p->rows);
        place = rvm_array(l.count, sizeof *place);
        l.label = rvm_array(l.count, sizeof *l.label);
        l.rows = rvm_array(l.count, sizeof *l.rows);
        l.of_row = rvm_array(p->rows, sizeof *l.of_row);
    }
    const bool memory = place != NULL && l.label != NULL && l.rows != NULL && l.of_row != NULL;
    if (memory) {
        number_labels(&l, ascending, place, p);
        put_plus_one_first(&l, p->rows);
        *out = l;
    } else {
        rvm_labels_free(&l);
    }
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
