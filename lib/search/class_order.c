/* The order in which training takes more than two classes. */
#include "search/class_order.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/order.h"
#include "data/problem.h"

/* Rows with the same features are one place; the rows of label k are in the places
 * list[start[k] .. start[k + 1]), ascending. */
typedef struct {
    const rvm_labels *labels; /* borrowed */
    size_t N;
    size_t *by_label; /* owned: positions of the labels, ascending labels */
    size_t *at;       /* owned, N: place of each row */
    size_t *start;    /* owned, labels + 1 */
    size_t *list;     /* owned, N */
} places;

/* A class with what compares it: qsort hands over nothing else. */
typedef struct {
    const places *s;
    size_t class;
} placed_class;

/* A row among those of the same features. */
typedef struct {
    size_t class;
    double target, weight;
} twin;

static rvm_status alloc_places(places *s, const rvm_labels *labels, size_t N, rvm_error *err)
{
    *s = (places){ .labels = labels, .N = N };
    s->by_label = rvm_array(labels->count, sizeof *s->by_label);
    s->at = rvm_array(N, sizeof *s->at);
    s->start = rvm_array(labels->count + 1, sizeof *s->start);
    s->list = rvm_array(N, sizeof *s->list);
    if (s->by_label != NULL && s->at != NULL && s->start != NULL && s->list != NULL)
        return RVM_OK;
    return rvm_fail_memory(err, "the order of the classes");
}

static void free_places(places *s)
{
    free(s->by_label);
    free(s->at);
    free(s->start);
    free(s->list);
}

static int compare_labels(const void *a, const void *b)
{
    const placed_class *p = a, *q = b;
    const int x = p->s->labels->label[p->class], z = q->s->labels->label[q->class];
    return (x > z) - (x < z);
}

/* class[0 .. labels), all of them, as `compare` wants them. */
static rvm_status sort_classes(size_t *class, const places *s,
                               int compare(const void *, const void *), rvm_error *err)
{
    const size_t count = s->labels->count;
    placed_class *placed = rvm_array(count, sizeof *placed);
    if (placed == NULL)
        return rvm_fail_memory(err, "the order of the classes");
    for (size_t k = 0; k < count; k++)
        placed[k] = (placed_class){ s, k };
    qsort(placed, count, sizeof *placed, compare);
    for (size_t k = 0; k < count; k++)
        class[k] = placed[k].class;
    free(placed);
    return RVM_OK;
}

/* Position of a label, by bisection. */
static size_t position_of(const places *s, int label)
{
    size_t low = 0, high = s->labels->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (s->labels->label[s->by_label[middle]] <= label)
            low = middle;
        else
            high = middle;
    }
    return s->by_label[low];
}

/* of_row: positions of the labels for now. */
static rvm_status find_places(places *s, size_t *of_row, const rvm_problem *p, rvm_error *err)
{
    const size_t count = s->labels->count;
    const rvm_status status = sort_classes(s->by_label, s, compare_labels, err);
    if (status != RVM_OK)
        return status;
    for (size_t k = 0; k < count; k++)
        s->start[k + 1] = s->start[k] + s->labels->rows[k];
    for (size_t n = 0; n < s->N; n++) {
        s->at[n] = n > 0 && rvm_order_same(p, n - 1, n) ? s->at[n - 1] : n;
        of_row[n] = position_of(s, (int)p->target[n]);
        s->list[s->start[of_row[n]]++] = s->at[n];
    }
    for (size_t k = count; k-- > 0;)
        s->start[k + 1] = s->start[k];
    s->start[0] = 0;
    return RVM_OK;
}

/* By the places of their rows; classes that share them all are alike but for their names. */
static int compare_classes(const void *a, const void *b)
{
    const places *s = ((const placed_class *)a)->s;
    const size_t x = ((const placed_class *)a)->class, z = ((const placed_class *)b)->class;
    const size_t x_rows = s->labels->rows[x], z_rows = s->labels->rows[z];
    for (size_t i = 0; i < x_rows && i < z_rows; i++) {
        const size_t u = s->list[s->start[x] + i], v = s->list[s->start[z] + i];
        if (u != v)
            return u < v ? -1 : 1;
    }
    if (x_rows != z_rows)
        return x_rows < z_rows ? -1 : 1;
    return compare_labels(a, b);
}

static int compare_twins(const void *a, const void *b)
{
    const size_t x = ((const twin *)a)->class, z = ((const twin *)b)->class;
    return (x > z) - (x < z);
}

/* Rows first .. end - 1, of one place, in the order of their classes. */
static void sort_twins(size_t *of_row, twin *t, rvm_study *y, size_t first, size_t end)
{
    double *weight = y->observed.row_weight;
    for (size_t n = first; n < end; n++)
        t[n - first] = (twin){ of_row[n], y->p->target[n], weight == NULL ? 1 : weight[n] };
    qsort(t, end - first, sizeof *t, compare_twins);
    for (size_t n = first; n < end; n++) {
        of_row[n] = t[n - first].class;
        y->p->target[n] = t[n - first].target;
        if (weight != NULL)
            weight[n] = t[n - first].weight;
    }
}

/* From positions of labels to the numbers that their classes have got. */
static rvm_status number_rows(size_t *of_row, const size_t *place, rvm_study *y, const places *s,
                              rvm_error *err)
{
    size_t *number = s->by_label; /* has done its work */
    twin *t = rvm_array(s->N, sizeof *t);
    if (t == NULL)
        return rvm_fail_memory(err, "the order of the classes");
    for (size_t k = 0; k < s->labels->count; k++)
        number[place[k]] = k;
    for (size_t n = 0; n < s->N; n++)
        of_row[n] = number[of_row[n]];
    for (size_t first = 0, end; first < s->N; first = end) {
        for (end = first + 1; end < s->N && s->at[end] == s->at[first];)
            end++;
        sort_twins(of_row, t, y, first, end);
    }
    free(t);
    return RVM_OK;
}

rvm_status rvm_class_order(size_t *place, rvm_study *y, const rvm_labels *labels, rvm_error *err)
{
    places s;
    rvm_status status = alloc_places(&s, labels, y->p->rows, err);
    y->class_of_row = rvm_array(y->p->rows, sizeof *y->class_of_row);
    if (status == RVM_OK && y->class_of_row == NULL)
        status = rvm_fail_memory(err, "the order of the classes");
    if (status == RVM_OK)
        status = find_places(&s, y->class_of_row, y->p, err);
    if (status == RVM_OK)
        status = sort_classes(place, &s, compare_classes, err);
    if (status == RVM_OK)
        status = number_rows(y->class_of_row, place, y, &s, err);
    free_places(&s);
    return status;
}
