/* Rows of a caller's arrays, appended to a problem. Column j becomes index j + 1; values of 0 are
 * left out. */
#ifndef DOOR_ROWS_H
#define DOOR_ROWS_H

#include "data/problem.h"
#include "door/rvm_ml.h"

/* All borrowed. */
typedef struct {
    const double *y; /* rows x outputs; NULL: none, one target of nan */
    size_t outputs;  /* 1 or more */
} door_targets;

typedef struct {
    const double *x;
    size_t rows, columns;
    ptrdiff_t row_stride, column_stride;
} door_dense;

typedef struct {
    const int64_t *start;
    const int32_t *index;
    const double *value;
    size_t rows, columns;
} door_csr;

/* What is wrong of these whatever the rows; RVMML_EARGUMENT. */
rvmml_status door_rows_check_dense(const door_dense *a, rvmml_error *err);
rvmml_status door_rows_check_csr(const door_csr *a, rvmml_error *err);
rvmml_status door_rows_check_targets(const door_targets *t, size_t rows, rvmml_error *err);

/* Rows first .. first + count - 1. RVMML_EINPUT at the row of the array. */
rvmml_status door_rows_dense(rvm_problem *p, const door_dense *a, const door_targets *t,
                             size_t first, size_t count, rvmml_error *err);
rvmml_status door_rows_csr(rvm_problem *p, const door_csr *a, const door_targets *t, size_t first,
                           size_t count, rvmml_error *err);
/* Row i of a kernel matrix, all of its values, behind 0:serial. */
rvmml_status door_rows_kernel(rvm_problem *p, const door_dense *a, const door_targets *t, size_t i,
                              rvmml_error *err);
/* Row number i of pairs in any order, which are sorted here, and targets y; NULL: none. */
rvmml_status door_rows_pairs(rvm_problem *p, int *index, double *value, size_t pairs,
                             const double *y, size_t outputs, size_t i, rvmml_error *err);

#endif
