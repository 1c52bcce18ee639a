/* Features standardised by the rows of training: mean 0 and standard deviation 1. */
#ifndef RVM_STANDARD_H
#define RVM_STANDARD_H

#include "rvm.h"

/* What has been learned of the features that vary; the others are left out of every row. */
typedef struct {
    bool used;     /* false: rows stay as they are, and there is nothing else */
    bool centred;  /* means are taken off; not of sparse rows, whose absent pairs would be none */
    size_t count;  /* features */
    int *index;    /* owned, ascending */
    double *mean;  /* owned; 0 where they are not centred */
    double *scale; /* owned: standard deviation, above 0 */
} rvm_standard;

/* An absent pair counts as 0. It does not depend on the order of the rows. *s: of p alone. */
RVM_CHECKED rvm_status rvm_standard_learn(rvm_standard *s, const rvm_problem *p, rvm_error *err);
/* *out, which is emptied first, becomes the rows of p with (x - mean) / scale for x, where that is
 * not 0; infinity is the largest number. The largest index is that of p, or of s. */
RVM_CHECKED rvm_status rvm_standard_apply(rvm_problem *out, const rvm_standard *s,
                                          const rvm_problem *p, rvm_error *err);
/* False without memory; *to is freed first. */
bool rvm_standard_copy(rvm_standard *to, const rvm_standard *from);
void rvm_standard_free(rvm_standard *s);

#endif
