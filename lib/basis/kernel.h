/* Kernels, one table row each, and blocks of kernel values. */
#ifndef RVM_KERNEL_H
#define RVM_KERNEL_H

#include <gsl/gsl_matrix.h>

#include "basis/rows.h"

/* What a kernel needs, as bits of rvm_kernel_uses(). */
enum { RVM_USES_GAMMA = 1, RVM_USES_DEGREE = 2, RVM_USES_COEF0 = 4 };

unsigned rvm_kernel_uses(rvm_kernel_type type);
/* Type whose -t value is `number`; false when there is none. */
bool rvm_kernel_by_number(rvm_kernel_type *out, int number);

/* Whether it has a weight for each input, and how it combines two rows. */
bool rvm_kernel_weighs_inputs(rvm_kernel_type type);
rvm_combination rvm_kernel_combination(rvm_kernel_type type);

/* Rows of p laid out for a kernel, with the weights of its inputs; see rvm_rows_layout. */
rvm_rows *rvm_rows_alloc(const rvm_problem *p, const rvm_kernel *kernel, const rvm_rows *like);

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
                                        const rvm_rows *a, const size_t *a_id, const rvm_rows *b,
                                        size_t b_first, rvm_error *err);

/* The same for the derivative of K by the combination of the two rows, x'z or |x - z|^2 or their
 * like, from row 0 of b on; only for kernels that weigh inputs. */
RVM_CHECKED rvm_status rvm_kernel_slopes(gsl_matrix *block, const rvm_kernel *kernel,
                                         const rvm_rows *a, const size_t *a_id, const rvm_rows *b,
                                         rvm_error *err);

/* All rows of a against all rows of b. */
RVM_CHECKED rvm_status rvm_kernel_rows(gsl_matrix *block, const rvm_kernel *kernel,
                                       const rvm_rows *a, const rvm_rows *b, rvm_error *err);

#endif
