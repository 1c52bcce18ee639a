/* The order in which training takes more than two classes.
 *
 * Rows with the same features are a group, and a class has a run in each group that it has rows in.
 * Of two classes the one comes first that has more rows in the first group where they differ.  Groups
 * ascend from process to process: each process of a team orders the classes by the groups that begin
 * with it, and the first process whose groups tell two classes apart decides. */
#include "search/class_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/order.h"
#include "data/problem.h"
#include "data/shard.h"

typedef struct {
    size_t group, rows;
} run;

/* What the others need to know of the rows of a process: numbers in this order, then for each class its
 * rows in a first group that goes on from another process; then in the last group, if that begins
 * here. */
enum { ROWS, GOES_ON, IS_ONE_GROUP, COUNTS };

typedef struct {
    const rvm_labels *labels; /* borrowed */
    const rvm_problem *p;     /* borrowed */
    size_t count, width, me;  /* classes; numbers that a process tells; rank */
    bool goes_on;             /* the first group, from another process */
    size_t last;              /* number of the last group here */
    size_t *by_label;         /* owned: positions of the labels, ascending labels */
    size_t *start; /* owned, count + 1: class k has runs start[k] .. start[k] + runs[k] - 1, */
    size_t *runs;  /* owned, count; groups that begin here, ascending */
    run *list;     /* owned, rows + count */
    size_t *told;  /* owned: `width` numbers of each process */
    size_t *rank;  /* owned: for each process the places of the classes by its groups */
} groups;

/* A class with what compares it: qsort hands over nothing else. */
typedef struct {
    const groups *s;
    size_t class;
} placed_class;

static rvm_status alloc_groups(groups *s, const rvm_labels *labels, const rvm_problem *p,
                               rvm_error *err)
{
    const size_t C = labels->count, size = (size_t)rvm_team_size(p->team);
    *s = (groups){ .labels = labels, .p = p, .count = C, .width = COUNTS + 2 * C };
    s->me = (size_t)rvm_team_rank(p->team);
    s->by_label = rvm_array(C, sizeof *s->by_label);
    s->start = rvm_array(C + 1, sizeof *s->start);
    s->runs = rvm_array(C, sizeof *s->runs);
    s->list = rvm_array(p->rows + C, sizeof *s->list);
    s->told = rvm_array(size, s->width * sizeof *s->told);
    s->rank = rvm_array(size, C * sizeof *s->rank);
    if (s->by_label != NULL && s->start != NULL && s->runs != NULL && s->list != NULL &&
        s->told != NULL && s->rank != NULL)
        return RVM_OK;
    return rvm_fail_memory(err, "the order of the classes");
}

static void free_groups(groups *s)
{
    free(s->by_label);
    free(s->start);
    free(s->runs);
    free(s->list);
    free(s->told);
    free(s->rank);
}

/* ---- Labels --------------------------------------------------------------------------------- */

static int compare_labels(const void *a, const void *b)
{
    const placed_class *p = a, *q = b;
    const int x = p->s->labels->label[p->class], z = q->s->labels->label[q->class];
    return (x > z) - (x < z);
}

/* class[0 .. labels), all of them, as `compare` wants them. */
static rvm_status sort_classes(size_t *class, const groups *s,
                               int compare(const void *, const void *), rvm_error *err)
{
    placed_class *placed = rvm_array(s->count, sizeof *placed);
    if (placed == NULL)
        return rvm_fail_memory(err, "the order of the classes");
    for (size_t k = 0; k < s->count; k++)
        placed[k] = (placed_class){ s, k };
    qsort(placed, s->count, sizeof *placed, compare);
    for (size_t k = 0; k < s->count; k++)
        class[k] = placed[k].class;
    free(placed);
    return RVM_OK;
}

/* Position of a label, by bisection. */
static size_t position_of(const groups *s, int label)
{
    size_t low = 0, high = s->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (s->labels->label[s->by_label[middle]] <= label)
            low = middle;
        else
            high = middle;
    }
    return s->by_label[low];
}

/* ---- Groups --------------------------------------------------------------------------------- */

static void add_rows(groups *s, size_t class, size_t group, size_t rows)
{
    run *last = s->list + s->start[class] + s->runs[class];
    if (s->runs[class] > 0 && last[-1].group == group)
        last[-1].rows += rows;
    else if (rows > 0)
        s->list[s->start[class] + s->runs[class]++] = (run){ group, rows };
}

static size_t rows_in_last_group(const groups *s, size_t class)
{
    const run *last = s->list + s->start[class] + s->runs[class];
    return s->runs[class] > 0 && last[-1].group == s->last ? last[-1].rows : 0;
}

/* of_row: positions of the labels for now. */
static void find_runs(groups *s, size_t *of_row)
{
    const rvm_problem *p = s->p;
    size_t *mine = s->told + s->me * s->width;
    for (size_t n = 0; n < p->rows; n++) {
        of_row[n] = position_of(s, (int)p->target[n]);
        s->start[of_row[n] + 1]++;
    }
    for (size_t k = 0; k < s->count; k++) /* and one more from another process */
        s->start[k + 1] += s->start[k] + 1;
    for (size_t n = 0; n < p->rows; n++) {
        s->last += n > 0 && !rvm_order_same(p, n - 1, n);
        if (s->goes_on && s->last == 0)
            mine[COUNTS + of_row[n]]++;
        else
            add_rows(s, of_row[n], s->last, 1);
    }
    mine[ROWS] = p->rows;
    mine[GOES_ON] = s->goes_on;
    mine[IS_ONE_GROUP] = s->goes_on && s->last == 0;
    for (size_t k = 0; k < s->count && p->rows > 0; k++)
        mine[COUNTS + s->count + k] = rows_in_last_group(s, k);
}

/* The next process that has a part of the last group of process r; 0: none has. */
static size_t next_part(const groups *s, size_t r)
{
    const size_t size = (size_t)rvm_team_size(s->p->team);
    for (size_t next = r + 1; next < size; next++) {
        const size_t *told = s->told + next * s->width;
        if (told[ROWS] > 0)
            return told[GOES_ON] ? next : 0;
    }
    return 0;
}

/* More of the last group of process r, in others: to[k] of class k. */
static void add_parts(size_t *to, const groups *s, size_t r)
{
    for (size_t part = next_part(s, r); part > 0;) {
        const size_t *told = s->told + part * s->width;
        for (size_t k = 0; k < s->count; k++)
            to[k] += told[COUNTS + k];
        part = told[IS_ONE_GROUP] ? next_part(s, part) : 0;
    }
}

static rvm_status find_groups(groups *s, size_t *of_row, rvm_error *err)
{
    rvm_status status = rvm_shard_repeats(&s->goes_on, s->p, err);
    if (status == RVM_OK)
        status = sort_classes(s->by_label, s, compare_labels, err);
    if (status != RVM_OK)
        return status;
    find_runs(s, of_row);
    size_t *more = rvm_array(s->count, sizeof *more);
    status = more == NULL ? rvm_fail_memory(err, "the order of the classes")
                          : rvm_team_share(s->p->team, s->told, s->width * sizeof *s->told, err);
    const bool begins_here = s->p->rows > 0 && !s->told[s->me * s->width + IS_ONE_GROUP];
    if (status == RVM_OK && begins_here) {
        add_parts(more, s, s->me);
        for (size_t k = 0; k < s->count; k++)
            add_rows(s, k, s->last, more[k]);
    }
    free(more);
    return status;
}

/* ---- The order ------------------------------------------------------------------------------ */

/* By the groups that begin here. */
static int compare_runs(const void *a, const void *b)
{
    const groups *s = ((const placed_class *)a)->s;
    const size_t x = ((const placed_class *)a)->class, z = ((const placed_class *)b)->class;
    for (size_t i = 0; i < s->runs[x] && i < s->runs[z]; i++) {
        const run u = s->list[s->start[x] + i], v = s->list[s->start[z] + i];
        if (u.group != v.group)
            return u.group < v.group ? -1 : 1;
        if (u.rows != v.rows)
            return u.rows > v.rows ? -1 : 1;
    }
    return (s->runs[x] < s->runs[z]) - (s->runs[x] > s->runs[z]);
}

/* By what all processes say; classes that no group tells apart are alike but for their names. */
static int compare_classes(const void *a, const void *b)
{
    const groups *s = ((const placed_class *)a)->s;
    const size_t x = ((const placed_class *)a)->class, z = ((const placed_class *)b)->class;
    for (size_t r = 0; r < (size_t)rvm_team_size(s->p->team); r++) {
        const size_t *rank = s->rank + r * s->count;
        if (rank[x] != rank[z])
            return rank[x] < rank[z] ? -1 : 1;
    }
    return compare_labels(a, b);
}

static rvm_status order_classes(size_t *place, groups *s, rvm_error *err)
{
    size_t *mine = s->rank + s->me * s->count;
    rvm_status status = sort_classes(place, s, compare_runs, err);
    for (size_t k = 1; k < s->count && status == RVM_OK; k++) {
        const placed_class before = { s, place[k - 1] }, this = { s, place[k] };
        mine[place[k]] = mine[place[k - 1]] + (compare_runs(&before, &this) != 0);
    }
    if (status == RVM_OK)
        status = rvm_team_share(s->p->team, s->rank, s->count * sizeof *s->rank, err);
    return status == RVM_OK ? sort_classes(place, s, compare_classes, err) : status;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, z = *(const size_t *)b;
    return (x > z) - (x < z);
}

/* Rows 0 .. rows - 1, of a group that has skip + rows or more in all, total[k] of the label of
 * position k. */
static void fill_group(size_t *of_row, size_t rows, size_t skip, const size_t *total,
                       const size_t *place)
{
    size_t seen = 0, filled = 0;
    for (size_t class = 0; filled < rows; class ++) {
        seen += total[place[class]];
        while (filled < rows && skip + filled < seen)
            of_row[filled++] = class;
    }
}

/* The ends of the rows that are here, as parts of groups that others have, too. */
static rvm_status fill_ends(size_t *of_row, const groups *s, const size_t *place, size_t first_end,
                            size_t last_begin, rvm_error *err)
{
    const size_t *mine = s->told + s->me * s->width, N = s->p->rows;
    size_t owner = s->me, skip = 0, *total = rvm_array(s->count, sizeof *total);
    if (total == NULL)
        return rvm_fail_memory(err, "the order of the classes");
    if (N > 0 && !mine[IS_ONE_GROUP]) {
        memcpy(total, mine + COUNTS + s->count, s->count * sizeof *total);
        add_parts(total, s, s->me);
        fill_group(of_row + last_begin, N - last_begin, 0, total, place);
    }
    while (s->goes_on && (owner == s->me || s->told[owner * s->width + ROWS] == 0 ||
                          s->told[owner * s->width + IS_ONE_GROUP])) {
        owner--;
        const size_t *told = s->told + owner * s->width;
        for (size_t k = 0; k < s->count; k++)
            skip += told[COUNTS + (told[IS_ONE_GROUP] ? 0 : s->count) + k];
    }
    if (s->goes_on) {
        memcpy(total, s->told + owner * s->width + COUNTS + s->count, s->count * sizeof *total);
        add_parts(total, s, owner);
        fill_group(of_row, first_end, skip, total, place);
    }
    free(total);
    return RVM_OK;
}

/* From positions of labels to the numbers that their classes have got, ascending in each group. */
static rvm_status number_rows(size_t *of_row, const size_t *place, const groups *s, rvm_error *err)
{
    const rvm_problem *p = s->p;
    size_t *number = s->by_label; /* has done its work */
    size_t first_end = 0, last_begin = 0;
    for (size_t k = 0; k < s->count; k++)
        number[place[k]] = k;
    for (size_t first = 0, end; first < p->rows; first = end) {
        of_row[first] = number[of_row[first]];
        for (end = first + 1; end < p->rows && rvm_order_same(p, end - 1, end); end++)
            of_row[end] = number[of_row[end]];
        if (end - first > 1)
            qsort(of_row + first, end - first, sizeof *of_row, ascending);
        first_end = first == 0 ? end : first_end;
        last_begin = first;
    }
    return p->team == NULL ? RVM_OK : fill_ends(of_row, s, place, first_end, last_begin, err);
}

/* Rows have the weights of their classes. before: positions of their labels, as they were. */
static rvm_status weigh_rows(double *row_weight, const size_t *of_row, const size_t *place,
                             const groups *s, rvm_error *err)
{
    const size_t C = s->count, size = (size_t)rvm_team_size(s->p->team);
    double *weight = rvm_array(size, C * sizeof *weight); /* of the labels that a process has */
    rvm_status status = RVM_OK;
    if (weight == NULL)
        return rvm_fail_memory(err, "the order of the classes");
    status = sort_classes(s->by_label, s, compare_labels, err);
    for (size_t n = 0; n < s->p->rows && status == RVM_OK; n++)
        weight[s->me * C + position_of(s, (int)s->p->target[n])] = row_weight[n];
    if (status == RVM_OK)
        status = rvm_team_share(s->p->team, weight, C * sizeof *weight, err);
    for (size_t i = C; i < size * C; i++)
        weight[i % C] = fmax(weight[i % C], weight[i]);
    for (size_t n = 0; n < s->p->rows && status == RVM_OK; n++)
        row_weight[n] = weight[place[of_row[n]]];
    free(weight);
    return status;
}

rvm_status rvm_class_order(size_t *place, rvm_study *y, const rvm_labels *labels, rvm_error *err)
{
    groups s;
    rvm_status status = alloc_groups(&s, labels, y->p, err);
    y->class_of_row = rvm_array(y->p->rows, sizeof *y->class_of_row);
    if (status == RVM_OK && y->class_of_row == NULL)
        status = rvm_fail_memory(err, "the order of the classes");
    status = rvm_team_agree(y->p->team, status, err);
    if (status == RVM_OK)
        status = find_groups(&s, y->class_of_row, err);
    if (status == RVM_OK)
        status = order_classes(place, &s, err);
    if (status == RVM_OK)
        status = number_rows(y->class_of_row, place, &s, err);
    if (status == RVM_OK && y->observed.row_weight != NULL)
        status = weigh_rows(y->observed.row_weight, y->class_of_row, place, &s, err);
    free_groups(&s);
    return status;
}
