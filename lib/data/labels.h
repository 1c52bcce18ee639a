/* The classes of a problem and their order. */
#ifndef RVM_LABELS_H
#define RVM_LABELS_H

#include "rvm.h"

typedef struct {
    size_t count;
    int *label;     /* owned, count; in order of first appearance, but +1 before -1 when they are
                       the only two and -1 comes first (as libsvm does) */
    size_t *rows;   /* owned, count: rows of each class, of all rows */
    size_t *of_row; /* owned, one for each row that is here: position of its class in label */
} rvm_labels;

/* Targets must be whole numbers in the range of int (the reader's class_labels checks that). */
RVM_CHECKED rvm_status rvm_labels_find(rvm_labels *out, const rvm_problem *p, rvm_error *err);
void rvm_labels_free(rvm_labels *l); /* frees the arrays, zeroes *l */
/* Whether no two of label[0 .. count - 1], count > 0, are equal; O(count ln count). */
RVM_CHECKED rvm_status rvm_labels_differ(bool *out, const int *label, size_t count, rvm_error *err);

#endif
