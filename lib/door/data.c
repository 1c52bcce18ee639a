/* Rows and targets as a caller has handed them in. */
#include "door/data.h"

#include <gsl/gsl_math.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "door/error.h"
#include "door/rows.h"

void rvmml_data_free(rvmml_data *data)
{
    if (data == NULL)
        return;
    rvm_problem_free(data->p);
    free(data);
}

size_t rvmml_data_row_count(const rvmml_data *data)
{
    return data->p->rows;
}

size_t rvmml_data_columns(const rvmml_data *data)
{
    return data->columns;
}

size_t rvmml_data_outputs(const rvmml_data *data)
{
    return data->outputs;
}

rvmml_data *door_data_wrap(rvm_problem *p, size_t columns, size_t outputs)
{
    rvmml_data *data = p == NULL ? NULL : rvm_array(1, sizeof *data);
    if (data == NULL) {
        rvm_problem_free(p);
        return NULL;
    }
    *data = (rvmml_data){ .p = p, .columns = columns, .outputs = outputs };
    return data;
}

static rvmml_data *make(size_t columns, size_t outputs)
{
    return door_data_wrap(rvm_problem_alloc(), columns, outputs);
}

/* Hands over what has been filled, or frees it. */
static rvmml_status deliver(rvmml_data **out, rvmml_data *data, rvmml_status status)
{
    if (status != RVMML_OK) {
        rvmml_data_free(data);
        return status;
    }
    data->p->max_index = GSL_MAX(data->p->max_index, (int)data->columns);
    rvm_problem_trim(data->p);
    *out = data;
    return RVMML_OK;
}

/* ---- Arrays --------------------------------------------------------------------------------- */

/* *data: of no rows yet, where targets are such as rows can have. */
static rvmml_status begin(rvmml_data **data, const door_targets *t, size_t rows, size_t columns,
                          rvmml_error *err)
{
    const rvmml_status status = door_rows_check_targets(t, rows, err);
    if (status != RVMML_OK)
        return status;
    *data = make(columns, t->y == NULL ? 0 : t->outputs);
    return *data == NULL ? door_fail_memory(err, "the data") : RVMML_OK;
}

rvmml_status rvmml_data_dense(rvmml_data **out, const double *x, size_t rows, size_t columns,
                              ptrdiff_t row_stride, ptrdiff_t column_stride, const double *y,
                              size_t outputs, rvmml_error *err)
{
    const door_dense a = { x, rows, columns, row_stride, column_stride };
    const door_targets t = { y, outputs };
    rvmml_data *data = NULL;
    if (out == NULL)
        return door_fail_null(err, "out");
    rvmml_status status = door_rows_check_dense(&a, err);
    if (status == RVMML_OK)
        status = begin(&data, &t, rows, columns, err);
    if (status != RVMML_OK)
        return status;
    return deliver(out, data, door_rows_dense(data->p, &a, &t, 0, rows, err));
}

rvmml_status rvmml_data_csr(rvmml_data **out, const int64_t *start, const int32_t *index,
                            const double *value, size_t rows, size_t columns, const double *y,
                            size_t outputs, rvmml_error *err)
{
    const door_csr a = { start, index, value, rows, columns };
    const door_targets t = { y, outputs };
    rvmml_data *data = NULL;
    if (out == NULL)
        return door_fail_null(err, "out");
    rvmml_status status = door_rows_check_csr(&a, err);
    if (status == RVMML_OK)
        status = begin(&data, &t, rows, columns, err);
    if (status != RVMML_OK)
        return status;
    return deliver(out, data, door_rows_csr(data->p, &a, &t, 0, rows, err));
}

/* As of a matrix in a file: values may have been rounded to six digits, and be differences of much
 * larger ones. Row i, whose values are behind its serial number. */
static rvmml_status check_symmetry(const rvm_problem *p, size_t i, rvmml_error *err)
{
    const double tolerance = 1e-4;
    const double *row = p->value + p->start[i] + 1;
    for (size_t j = 0; j < i; j++) {
        const double *other = p->value + p->start[j] + 1;
        const double a = row[j], b = other[i];
        const double scale = fmax(fmax(fabs(a), fabs(b)), fmin(fabs(row[i]), fabs(other[j])));
        if (!(fabs(a - b) <= tolerance * scale))
            return door_fail_at(err, RVMML_EINPUT, i, j,
                                "the kernel matrix is not symmetric: %g, and %g the other way", a,
                                b);
    }
    return RVMML_OK;
}

rvmml_status rvmml_data_kernel(rvmml_data **out, const double *k, size_t rows, ptrdiff_t row_stride,
                               ptrdiff_t column_stride, const double *y, size_t outputs,
                               rvmml_error *err)
{
    const door_dense a = { k, rows, rows, row_stride, column_stride };
    const door_targets t = { y, outputs };
    rvmml_data *data = NULL;
    if (out == NULL)
        return door_fail_null(err, "out");
    rvmml_status status = door_rows_check_dense(&a, err);
    if (status == RVMML_OK)
        status = begin(&data, &t, rows, rows, err);
    if (status != RVMML_OK)
        return status;
    data->is_matrix = true;
    for (size_t i = 0; i < rows && status == RVMML_OK; i++)
        status = door_rows_kernel(data->p, &a, &t, i, err);
    for (size_t i = 0; i < rows && status == RVMML_OK; i++)
        status = check_symmetry(data->p, i, err);
    return deliver(out, data, status);
}

/* ---- Row by row ----------------------------------------------------------------------------- */

struct rvmml_row {
    size_t number, columns;
    size_t outputs; /* 0: no targets */
    double *target; /* owned, outputs; nan: not given */
    int *index;     /* owned */
    double *value;  /* owned */
    size_t pairs, index_capacity, value_capacity;
    rvmml_status status; /* the first fault, which is described in *err */
    rvmml_error *err;    /* borrowed */
};

/* For one more pair; false without memory. */
static bool make_room(rvmml_row *to)
{
    return rvm_grow(&to->index, &to->index_capacity, to->pairs + 1, sizeof *to->index) &&
           rvm_grow(&to->value, &to->value_capacity, to->pairs + 1, sizeof *to->value);
}

void rvmml_row_add(rvmml_row *to, size_t column, double value)
{
    if (to->status != RVMML_OK)
        return;
    if (column >= to->columns)
        to->status = door_fail_at(to->err, RVMML_EINPUT, to->number, RVMML_NONE,
                                  "there is no column %zu of %zu", column, to->columns);
    else if (!isfinite(value))
        to->status = door_fail_at(to->err, RVMML_EINPUT, to->number, column,
                                  "a finite number is expected, not %g", value);
    else if (value != 0 && !make_room(to))
        to->status = door_fail_memory(to->err, "the rows");
    if (to->status != RVMML_OK || value == 0)
        return;
    to->index[to->pairs] = (int)column + 1;
    to->value[to->pairs++] = value;
}

void rvmml_row_target(rvmml_row *to, size_t output, double value)
{
    if (output < to->outputs)
        to->target[output] = value;
    else if (to->status == RVMML_OK)
        to->status = door_fail_at(to->err, RVMML_EARGUMENT, to->number, RVMML_NONE,
                                  "there is no output %zu of %zu", output, to->outputs);
}

static rvmml_status take_row(rvm_problem *p, rvmml_row *row, size_t number,
                             rvmml_row_source *source, void *context)
{
    row->number = number;
    row->pairs = 0;
    for (size_t k = 0; k < row->outputs; k++)
        row->target[k] = NAN;
    if (source(context, number, row) != 0 && row->status == RVMML_OK)
        row->status = door_fail_at(row->err, RVMML_EINPUT, number, RVMML_NONE,
                                   "whoever gives the rows has ended at this one");
    if (row->status != RVMML_OK)
        return row->status;
    return door_rows_pairs(p, row->index, row->value, row->pairs,
                           row->outputs > 0 ? row->target : NULL, row->outputs, number, row->err);
}

static rvmml_status take_rows(rvm_problem *p, size_t rows, size_t columns, size_t outputs,
                              rvmml_row_source *source, void *context, rvmml_error *err)
{
    rvmml_row row = { .columns = columns,
                      .outputs = outputs,
                      .target = rvm_array(outputs, sizeof *row.target),
                      .err = err };
    rvmml_status status = row.target == NULL ? door_fail_memory(err, "the data") : RVMML_OK;
    for (size_t i = 0; i < rows && status == RVMML_OK; i++)
        status = take_row(p, &row, i, source, context);
    free(row.target);
    free(row.index);
    free(row.value);
    return status;
}

rvmml_status rvmml_data_rows(rvmml_data **out, size_t rows, size_t columns, size_t outputs,
                             rvmml_row_source *source, void *context, rvmml_error *err)
{
    const door_dense shape = { .columns = columns };
    if (out == NULL || source == NULL)
        return door_fail_null(err, out == NULL ? "out" : "source");
    const rvmml_status status = door_rows_check_dense(&shape, err);
    if (status != RVMML_OK)
        return status;
    rvmml_data *data = make(columns, outputs);
    if (data == NULL)
        return door_fail_memory(err, "the data");
    return deliver(out, data, take_rows(data->p, rows, columns, outputs, source, context, err));
}

/* ---- Checks --------------------------------------------------------------------------------- */

static bool is_label(double y)
{
    return y == floor(y) && y >= INT_MIN && y <= INT_MAX;
}

rvmml_status door_data_check(const rvmml_data *data, const rvm_settings *s, rvmml_error *err)
{
    const rvm_problem *p = data->p;
    if (data->is_matrix && s->kernel.type != RVM_PRECOMPUTED)
        return door_fail(err, RVMML_ESETTING,
                         "the data are values of a kernel, which take kernel=precomputed");
    for (size_t i = 0; i < p->rows; i++) {
        const double y = rvm_problem_target(p, i);
        if (isnan(y))
            return door_fail_at(err, RVMML_EINPUT, i, RVMML_NONE, "the row has no target");
        if (s->task == RVM_CLASSIFICATION && !is_label(y))
            return door_fail_at(err, RVMML_EINPUT, i, RVMML_NONE,
                                "class label %g is no whole number in the range of int", y);
    }
    return RVMML_OK;
}
