/* Kernels, one table row each; rows laid out for them, and blocks of kernel values. */
#ifndef RVM_KERNEL_H
#define RVM_KERNEL_H

#include <gsl/gsl_matrix.h>

#include "base/vecmath.h"
#include "rvm.h"

/* ---- The table ------------------------------------------------------------------------------ */

/* What a kernel needs, as bits of rvm_kernel_uses(). */
enum { RVM_USES_GAMMA = 1, RVM_USES_DEGREE = 2, RVM_USES_COEF0 = 4 };

unsigned rvm_kernel_uses(rvm_kernel_type type);
/* It has a gamma, and no weights of inputs in its place. */
bool rvm_kernel_has_gamma(const rvm_kernel *kernel);
/* Type whose -t value is `number`; false when there is none. */
bool rvm_kernel_by_number(rvm_kernel_type *out, int number);
/* Whether it has a weight for each input, and how it combines two rows. */
bool rvm_kernel_weighs_inputs(rvm_kernel_type type);
/* Whether its values are covariances, whatever the rows. */
bool rvm_kernel_is_covariance(const rvm_kernel *kernel);
/* Whether its values are exp(-gamma a), a the combination of two rows, of a row with itself 0. */
bool rvm_kernel_decays(rvm_kernel_type type);
rvm_combination rvm_kernel_combination(rvm_kernel_type type);

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Rows laid out for a kernel. Features are renumbered 0 .. F - 1 by those that occur, so that a
 * huge index costs nothing, and stored densely when they are dense enough, sparsely otherwise. All
 * but `count` is private. */
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
    double *twin;  /* owned, count: a row combined with itself, over all its features */
    size_t row_capacity, panel_capacity, pair_capacity;
} rvm_kernel_rows;

/* Rows of p, in order. Where the kernel has weights of inputs a value is multiplied by the weight
 * of its feature, or by the root of it where two values are multiplied in a combination, so that
 * the combination comes out weighted. With `like` not NULL, in its numbering and layout, so that
 * values between the two can be computed. NULL without memory. p and the weights may be freed
 * afterwards, `like` may not. */
rvm_kernel_rows *rvm_kernel_rows_alloc(const rvm_problem *p, const rvm_kernel *kernel,
                                       const rvm_kernel_rows *like);
void rvm_kernel_rows_free(rvm_kernel_rows *r);
/* The rows of p in the place of those that r has, in the same layout: r was allocated `like` others,
 * for this kernel. Its memory is kept, and grows where it must. False without memory, and r then
 * holds no rows. */
bool rvm_kernel_rows_replace(rvm_kernel_rows *r, const rvm_problem *p, const rvm_kernel *kernel,
                             const rvm_kernel_rows *like);

/* ---- Values --------------------------------------------------------------------------------- */

/* block(i, j) = K(a_i, b_j): i counts the rows a_id[i] of a (rows i where a_id is NULL), j the rows
 * b_first + j of b; the shape of `block` says how many of each. Either a and b are the same object,
 * or one was allocated `like` the other.
 *
 * A value depends on the two rows alone, never on the shape of the block, so that predictions do
 * not change with the size of a batch. Single-threaded; several threads may work on blocks of the
 * same rows. Cost: block->size1 times block->size2 times the non-zeros of a row.
 * A distance that is too large for a number makes the value 0 of a kernel that falls off with it;
 * otherwise RVM_ENUMERIC when a value is not finite. RVM_ENOMEM. */
RVM_CHECKED rvm_status rvm_kernel_block(gsl_matrix *block, const rvm_kernel *kernel,
                                        const rvm_kernel_rows *a, const size_t *a_id,
                                        const rvm_kernel_rows *b, size_t b_first, rvm_error *err);

/* What a block takes while it is computed, kept from one to the next. Zero it before the first; one for
 * each thread. */
typedef struct {
    double *packed; /* owned, with all that follows: rows of a dense layout */
    size_t packed_capacity;
    unsigned *line; /* of a sparse one: all 0 between blocks */
    unsigned *hit_line;
    double *hit_x;
    size_t features; /* that there is room for */
    double *z;
    size_t z_capacity;
} rvm_kernel_scratch;

void rvm_kernel_scratch_clear(rvm_kernel_scratch *s); /* frees, and zeroes *s */
/* rvm_kernel_block in that memory. */
RVM_CHECKED rvm_status rvm_kernel_block_in(rvm_kernel_scratch *s, gsl_matrix *block,
                                           const rvm_kernel *kernel, const rvm_kernel_rows *a,
                                           const size_t *a_id, const rvm_kernel_rows *b,
                                           size_t b_first, rvm_error *err);

/* out[i] = K(x, x) of row x = first + i, i < count, over all its features, those that `like` does
 * not have among them: what a Gaussian process is unsure of before it has seen anything. Not of
 * precomputed kernels, whose rows do not say it. A value that is out of range is infinite. */
void rvm_kernel_diagonal(double *out, const rvm_kernel *kernel, const rvm_kernel_rows *rows,
                         size_t first, size_t count);

/* rvm_kernel_block for the derivative of K by the combination of the two rows, x'z or |x - z|^2 or
 * their like; only for kernels that weigh inputs. */
RVM_CHECKED rvm_status rvm_kernel_derivative(gsl_matrix *block, const rvm_kernel *kernel,
                                             const rvm_kernel_rows *a, const size_t *a_id,
                                             const rvm_kernel_rows *b, size_t b_first,
                                             rvm_error *err);

#endif
