/* Rows of a caller's arrays, appended to a problem. */
#include "door/rows.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "door/error.h"

static rvmml_status check_columns(size_t columns, rvmml_error *err)
{
    if (columns < INT_MAX)
        return RVMML_OK;
    return door_fail(err, RVMML_EARGUMENT, "%zu columns; less than %d are possible", columns,
                     INT_MAX);
}

rvmml_status door_rows_check_dense(const door_dense *a, rvmml_error *err)
{
    if (a->x == NULL && a->rows > 0 && a->columns > 0)
        return door_fail_null(err, "the array of values");
    return check_columns(a->columns, err);
}

rvmml_status door_rows_check_csr(const door_csr *a, rvmml_error *err)
{
    if (a->start == NULL && a->rows > 0)
        return door_fail_null(err, "the array of starts");
    return check_columns(a->columns, err);
}

rvmml_status door_rows_check_targets(const door_targets *t, size_t rows, rvmml_error *err)
{
    if (t->y != NULL && t->outputs == 0)
        return door_fail(err, RVMML_EARGUMENT, "targets, but 0 of them in a row");
    if (t->y != NULL && rows > PTRDIFF_MAX / sizeof *t->y / t->outputs)
        return door_fail(err, RVMML_EARGUMENT, "%zu rows of %zu targets are beyond all memory",
                         rows, t->outputs);
    return RVMML_OK;
}

/* ---- Parts of a row ------------------------------------------------------------------------- */

static rvmml_status add_value(rvm_problem *p, size_t column, double value, size_t i,
                              rvmml_error *err)
{
    if (!isfinite(value))
        return door_fail_at(err, RVMML_EINPUT, i, column, "a finite number is expected, not %g",
                            value);
    if (value != 0)
        rvm_problem_add(p, (int)column + 1, value);
    return RVMML_OK;
}

/* y: the targets of the row; NULL: it has none. */
static rvmml_status open_row(rvm_problem *p, const double *y, size_t outputs, size_t most,
                             rvmml_error *err)
{
    if (rvm_problem_open(p, y == NULL ? 1 : outputs, most))
        return RVMML_OK;
    return door_fail_memory(err, "the rows");
}

static rvmml_status close_row(rvm_problem *p, const double *y, size_t outputs, size_t i,
                              rvmml_error *err)
{
    const double none = NAN;
    for (size_t k = 0; y != NULL && k < outputs; k++)
        if (!isfinite(y[k]))
            return door_fail_at(err, RVMML_EINPUT, i, RVMML_NONE,
                                "the target is %g; a finite number is expected", y[k]);
    rvm_problem_close(p, y == NULL ? &none : y);
    return RVMML_OK;
}

static const double *targets_of(const door_targets *t, size_t i)
{
    return t->y == NULL ? NULL : t->y + i * t->outputs;
}

typedef struct {
    int index;
    double value;
} pair;

static int by_index(const void *a, const void *b)
{
    const int i = ((const pair *)a)->index, j = ((const pair *)b)->index;
    return (i > j) - (i < j);
}

static bool sort_pairs(int *index, double *value, size_t count)
{
    pair *list = rvm_array(count, sizeof *list);
    if (list == NULL)
        return false;
    for (size_t k = 0; k < count; k++)
        list[k] = (pair){ index[k], value[k] };
    qsort(list, count, sizeof *list, by_index);
    for (size_t k = 0; k < count; k++) {
        index[k] = list[k].index;
        value[k] = list[k].value;
    }
    free(list);
    return true;
}

/* As rule pairs ascend already. */
static rvmml_status order_pairs(int *index, double *value, size_t count, size_t i, rvmml_error *err)
{
    size_t k = 1;
    while (k < count && index[k] > index[k - 1])
        k++;
    if (k >= count)
        return RVMML_OK;
    if (!sort_pairs(index, value, count))
        return door_fail_memory(err, "the rows");
    for (k = 1; k < count; k++)
        if (index[k] == index[k - 1])
            return door_fail_at(err, RVMML_EINPUT, i, (size_t)index[k] - 1,
                                "the row has two values for the column");
    return RVMML_OK;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static const double *dense_value(const door_dense *a, size_t i, size_t j)
{
    return a->x + (ptrdiff_t)i * a->row_stride + (ptrdiff_t)j * a->column_stride;
}

static rvmml_status add_dense(rvm_problem *p, const door_dense *a, const door_targets *t, size_t i,
                              rvmml_error *err)
{
    rvmml_status status = open_row(p, targets_of(t, i), t->outputs, a->columns, err);
    for (size_t j = 0; j < a->columns && status == RVMML_OK; j++)
        status = add_value(p, j, *dense_value(a, i, j), i, err);
    return status == RVMML_OK ? close_row(p, targets_of(t, i), t->outputs, i, err) : status;
}

rvmml_status door_rows_dense(rvm_problem *p, const door_dense *a, const door_targets *t,
                             size_t first, size_t count, rvmml_error *err)
{
    rvmml_status status = RVMML_OK;
    for (size_t i = first; i < first + count && status == RVMML_OK; i++)
        status = add_dense(p, a, t, i, err);
    return status;
}

rvmml_status door_rows_kernel(rvm_problem *p, const door_dense *a, const door_targets *t, size_t i,
                              rvmml_error *err)
{
    rvmml_status status = open_row(p, targets_of(t, i), t->outputs, a->columns + 1, err);
    if (status != RVMML_OK)
        return status;
    rvm_problem_add(p, 0, (double)(i + 1));
    for (size_t j = 0; j < a->columns; j++) {
        const double value = *dense_value(a, i, j);
        if (!isfinite(value))
            return door_fail_at(err, RVMML_EINPUT, i, j, "a finite number is expected, not %g",
                                value);
        rvm_problem_add(p, (int)j + 1, value);
    }
    return close_row(p, targets_of(t, i), t->outputs, i, err);
}

static rvmml_status add_csr(rvm_problem *p, const door_csr *a, const door_targets *t, size_t i,
                            rvmml_error *err)
{
    const int64_t from = a->start[i], to = a->start[i + 1];
    if (from < 0 || to < from)
        return door_fail_at(err, RVMML_EARGUMENT, i, RVMML_NONE,
                            "the row starts at %lld and ends at %lld", (long long)from,
                            (long long)to);
    if (to > from && (a->index == NULL || a->value == NULL))
        return door_fail_null(err, a->index == NULL ? "the array of columns" : "that of values");
    rvmml_status status = open_row(p, targets_of(t, i), t->outputs, (size_t)(to - from), err);
    for (int64_t k = from; k < to && status == RVMML_OK; k++) {
        if (a->index[k] < 0 || (size_t)a->index[k] >= a->columns)
            return door_fail_at(err, RVMML_EINPUT, i, RVMML_NONE, "there is no column %ld of %zu",
                                (long)a->index[k], a->columns);
        status = add_value(p, (size_t)a->index[k], a->value[k], i, err);
    }
    if (status != RVMML_OK)
        return status;
    const size_t first = p->start[p->rows];
    status = order_pairs(p->index + first, p->value + first, p->start[p->rows + 1] - first, i, err);
    return status == RVMML_OK ? close_row(p, targets_of(t, i), t->outputs, i, err) : status;
}

rvmml_status door_rows_csr(rvm_problem *p, const door_csr *a, const door_targets *t, size_t first,
                           size_t count, rvmml_error *err)
{
    rvmml_status status = RVMML_OK;
    for (size_t i = first; i < first + count && status == RVMML_OK; i++)
        status = add_csr(p, a, t, i, err);
    return status;
}

rvmml_status door_rows_pairs(rvm_problem *p, int *index, double *value, size_t pairs,
                             const double *y, size_t outputs, size_t i, rvmml_error *err)
{
    rvmml_status status = order_pairs(index, value, pairs, i, err);
    if (status == RVMML_OK)
        status = open_row(p, y, outputs, pairs, err);
    if (status != RVMML_OK)
        return status;
    for (size_t k = 0; k < pairs; k++)
        rvm_problem_add(p, index[k], value[k]);
    return close_row(p, y, outputs, i, err);
}
