/* Rows laid out for kernel evaluation. */
#ifndef RVM_ROWS_H
#define RVM_ROWS_H

#include "rvm.h"

/* How two rows are combined, feature by feature, before the kernel's own formula. */
typedef enum {
    RVM_BY_PRODUCTS,  /* sum of x z */
    RVM_BY_SQUARES,   /* sum of (x - z)^2 */
    RVM_BY_DISTANCES, /* sum of |x - z| */
    RVM_BY_SPLINE,    /* product of spline(x, z) */
    RVM_BY_LOOKUP     /* the file holds the value */
} rvm_combination;

/* Features are renumbered 0 .. F - 1 by those that occur, so that a huge index costs nothing, and
 * stored densely when they are dense enough, sparsely otherwise. Read by kernel.c alone, but for
 * the list of features. */
typedef struct {
    size_t count;
    size_t features; /* F: features that occur in the rows that were laid out first */
    int *original;   /* owned, F, ascending: index in the file of each feature; empty when like */
    rvm_combination by;
    bool dense;
    bool is_like; /* laid out like other rows */
    /* Dense: owned, panels of RVM_PANEL rows, feature by feature: feature f of row i is number
     * (i / RVM_PANEL * F + f) RVM_PANEL + i % RVM_PANEL. The last panel is filled up with 0. */
    double *panel;
    /* Sparse: compressed rows of numbers 0 .. F - 1; by lookup: of indices as in the file. */
    size_t *start;
    int *feature;
    double *value;
    double *self;  /* owned, count: a row combined with the empty row, over all its features */
    double *rest;  /* owned, count: the same over the features that `like` does not have */
    bool has_rest; /* some row has such features */
} rvm_rows;

/* Rows of p, in order. With `inputs` not NULL a value is multiplied by the weight of its feature,
 * or by the root of it where two values are multiplied in a combination, so that the combination
 * comes out weighted; not by spline and by lookup. With `like` not NULL, in its numbering and
 * layout, so that values between the two can be computed. NULL without memory. p and inputs may be
 * freed afterwards, `like` may not. */
rvm_rows *rvm_rows_layout(const rvm_problem *p, rvm_combination by, const rvm_input_weights *inputs,
                          const rvm_rows *like);
/* The features that occur in p, ascending: *feature is owned by the caller (free). False without
 * memory. */
bool rvm_rows_features(int **feature, size_t *count, const rvm_problem *p);
void rvm_rows_free(rvm_rows *r);
size_t rvm_rows_count(const rvm_rows *r);

/* Row i of a dense layout: feature f stands f RVM_PANEL numbers further on. */
double *rvm_rows_dense(const rvm_rows *r, size_t i);
/* Two rows of a sparse layout combined by squares or by distances, feature by feature. */
double rvm_rows_apart(const rvm_rows *a, size_t i, const rvm_rows *b, size_t j);

/* spline(x, z) of Tipping (2001), equation 22, for one input. */
double rvm_spline(double x, double z);

#endif
