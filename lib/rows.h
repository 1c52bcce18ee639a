/* Level 2: rows laid out for kernel evaluation. Private to kernel.c and rows.c. */
#ifndef RVM_ROWS_H
#define RVM_ROWS_H

#include "kernel.h"

/* How two rows are combined, feature by feature, before the kernel's own formula. */
typedef enum {
    RVM_BY_PRODUCTS,  /* sum of x z */
    RVM_BY_SQUARES,   /* sum of (x - z)^2 */
    RVM_BY_DISTANCES, /* sum of |x - z| */
    RVM_BY_SPLINE,    /* product of spline(x, z) */
    RVM_BY_LOOKUP     /* the file holds the value */
} rvm_combination;

struct rvm_rows {
    size_t count;
    size_t features; /* F: features that occur in the rows that were laid out first */
    int *original;   /* owned, F, ascending: index in the file of each feature; empty when like */
    rvm_combination by;
    bool dense;
    bool is_like; /* laid out like other rows */
    double *full; /* dense: owned, count x F */
    /* Sparse: compressed rows of numbers 0 .. F - 1; by lookup: of indices as in the file. */
    size_t *start;
    int *feature;
    double *value;
    double *self; /* owned, count: a row combined with the empty row, over all its features */
    double *rest; /* owned, count: the same over the features that `like` does not have */
};

rvm_combination rvm_kernel_combination(rvm_kernel_type type);

/* spline(x, z) of Tipping (2001), equation 22, for one input. */
double rvm_spline(double x, double z);

#endif
