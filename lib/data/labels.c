/* The classes of a problem and their order. */
#include "data/labels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/problem.h"

typedef struct {
    int label;
    size_t row;
} labelled_row;

static int by_label_then_row(const void *a, const void *b)
{
    const labelled_row *x = a, *y = b;

    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static int by_row(const void *a, const void *b)
{
    const labelled_row *x = a, *y = b;

    return x->row < y->row ? -1 : x->row > y->row;
}

/* In sorted[0 .. rows - 1], ordered by label and row, keeps the first row of each label; returns
 * their number. */
static size_t keep_first_rows(labelled_row *sorted, size_t rows)
{
    size_t i, count = 0;

    for (i = 0; i < rows; i++)
        if (count == 0 || sorted[i].label != sorted[count - 1].label)
            sorted[count++] = sorted[i];
    return count;
}

/* libsvm's exception to the order of first appearance, which fixes its columns of -b 1. */
static void put_plus_one_first(labelled_row *first, size_t count)
{
    if (count == 2 && first[0].label == -1 && first[1].label == 1) {
        const labelled_row minus = first[0];

        first[0] = first[1];
        first[1] = minus;
    }
}

static int find_label(const void *key, const void *element)
{
    const int label = *(const int *)key;
    const labelled_row *at = element;

    return label < at->label ? -1 : label > at->label;
}

/* Classes in label order with their final positions: label, and position in place of the row. */
static void order_by_label(labelled_row *first, const rvm_labels *l)
{
    size_t c;

    for (c = 0; c < l->count; c++) {
        first[c].label = l->label[c];
        first[c].row = c;
    }
    qsort(first, l->count, sizeof *first, by_label_then_row);
}

static void assign_rows(rvm_labels *l, const labelled_row *ordered, const rvm_problem *p)
{
    size_t i;

    for (i = 0; i < p->rows; i++) {
        const int label = (int)p->target[i];
        const labelled_row *found = bsearch(&label, ordered, l->count, sizeof *ordered, find_label);

        assert(found != NULL);
        l->of_row[i] = found->row;
        l->rows[found->row]++;
    }
}

rvm_status rvm_labels_find(rvm_labels *out, const rvm_problem *p, rvm_error *err)
{
    rvm_labels l = { 0 };
    labelled_row *first = rvm_array(p->rows, sizeof *first);
    size_t i;

    if (first == NULL)
        return rvm_fail_memory(err, "class labels");
    for (i = 0; i < p->rows; i++)
        first[i] = (labelled_row){ (int)p->target[i], i };
    qsort(first, p->rows, sizeof *first, by_label_then_row);
    l.count = keep_first_rows(first, p->rows);
    qsort(first, l.count, sizeof *first, by_row);
    put_plus_one_first(first, l.count);

    l.label = rvm_array(l.count, sizeof *l.label);
    l.rows = rvm_array(l.count, sizeof *l.rows);
    l.of_row = rvm_array(p->rows, sizeof *l.of_row);
    if (l.label == NULL || l.rows == NULL || l.of_row == NULL) {
        rvm_labels_free(&l);
        free(first);
        return rvm_fail_memory(err, "class labels");
    }
    for (i = 0; i < l.count; i++)
        l.label[i] = first[i].label;
    order_by_label(first, &l);
    assign_rows(&l, first, p);
    free(first);
    *out = l;
    return RVM_OK;
}

void rvm_labels_free(rvm_labels *l)
{
    free(l->label);
    free(l->rows);
    free(l->of_row);
    *l = (rvm_labels){ 0 };
}

static int by_value(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;

    return x < y ? -1 : x > y;
}

rvm_status rvm_labels_differ(bool *out, const int *label, size_t count, rvm_error *err)
{
    int *sorted = rvm_array(count, sizeof *sorted);
    if (sorted == NULL)
        return rvm_fail_memory(err, "class labels");

    memcpy(sorted, label, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    *out = true;
    for (size_t c = 1; c < count; c++)
        if (sorted[c] == sorted[c - 1])
            *out = false;
    free(sorted);
    return RVM_OK;
}
