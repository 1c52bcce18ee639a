/* Rows and targets as a caller has handed them in. */
#ifndef DOOR_DATA_H
#define DOOR_DATA_H

#include "data/problem.h"
#include "door/rvm_ml.h"
#include "rvm.h"

struct rvmml_data {
    rvm_problem *p; /* owned; its largest index is that of the last column, empty or not, since the
                       default of gamma depends on it */
    size_t columns;
    size_t outputs; /* 0: no targets */
    bool is_matrix; /* of values of a kernel, behind 0:serial in each row */
};

/* p, which may be NULL without memory, is taken over; NULL, and p freed, without memory. */
rvmml_data *door_data_wrap(rvm_problem *p, size_t columns, size_t outputs);
/* Whether these settings can train on it: every row has targets, which are labels where they have
 * to be, and values of a kernel are taken for that. */
rvmml_status door_data_check(const rvmml_data *data, const rvm_settings *s, rvmml_error *err);

#endif
