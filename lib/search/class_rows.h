/* The rows of each class, and candidates that sit on them. */
#ifndef RVM_CLASS_ROWS_H
#define RVM_CLASS_ROWS_H

#include "search/study.h"

typedef struct {
    size_t count, most;
    size_t *rows; /* owned, count: how many each class has, over all processes */
    size_t
        *own; /* owned, count x most: candidates of class k are own[k * most] and on, ascending; */
    size_t *owns; /* owned, count: so many */
} rvm_class_rows;

/* y->class_of_row of a study of y->classes. As many candidates of each class as it has, `most` at the
 * most, which are then spread evenly over all of them. */
RVM_CHECKED rvm_status rvm_class_rows_find(rvm_class_rows *c, const rvm_study *y, size_t most,
                                           rvm_error *err);
void rvm_class_rows_free(rvm_class_rows *c);

#endif
