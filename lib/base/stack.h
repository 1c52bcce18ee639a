/* Upper triangles of stacked matrices, by QR: [ B^1/2 Phi D ; I ], rows of Phi some at a time. */
#ifndef RVM_STACK_H
#define RVM_STACK_H

#include <gsl/gsl_matrix.h>

#include "rvm.h"

/* The R of the QR factorisation of [ B^1/2 Phi D ; I ] is a factor of the precision of a ridge
 * regression,
 *
 *     R'R = I + D Phi'B Phi D,
 *
 * without ever squaring the condition number, as forming the right-hand side does (Golub and Van
 * Loan 1996, section 5.3.2). With R = I to begin with, rows are folded in, R := qr([ R ; rows ]),
 * so that memory does not grow with their number. Phi comes transposed, one column a row. */
enum { RVM_STACK_PANEL = 64 }; /* columns that two triangles are joined in at a time */

typedef struct {
    gsl_matrix *rows; /* owned, (K + most) x K: R, and what is folded in */
    gsl_matrix *tau;  /* owned, (K + RVM_STACK_PANEL) x K */
} rvm_stack;

/* Room for `most` rows at a time beside a K x K triangle; false without memory. */
bool rvm_stack_init(rvm_stack *s, size_t K, size_t most);
void rvm_stack_free(rvm_stack *s);

/* Folds `count` rows of B^1/2 Phi D into R: columns first .. first + count - 1 of PhiT, of its rows
 * column[0 .. K) (NULL: of the first K). D: K; root: count, the diagonal of B^1/2; NULL: 1. False
 * when GSL fails. R has zeros below its diagonal, and a non-negative one. */
bool rvm_stack_fold(gsl_matrix *R, rvm_stack *s, const gsl_matrix *PhiT, const size_t *column,
                    size_t first, size_t count, const double *D, const double *root);
/* Triangles packed: rows from their diagonal on, one behind another. Numbers of one K x K, */
size_t rvm_stack_packed_size(size_t K);
void rvm_stack_pack(double *packed, const gsl_matrix *R);
void rvm_stack_unpack(gsl_matrix *R, const double *packed); /* with zeros below */
/* and R := qr([ R ; S ]) of two, for a stack of K columns with room for K + RVM_STACK_PANEL rows.
 * False when GSL fails. Cost 2/3 K^3. */
bool rvm_stack_join(double *R, const double *S, rvm_stack *s);

/* L = R' of [ Phi D ; I ], the lower factor; all N columns of PhiT. RVM_EINTERRUPT by `interrupted`
 * (NULL: none). Cost N K^2. */
RVM_CHECKED rvm_status rvm_stack_factor(gsl_matrix *L, const gsl_matrix *PhiT, const size_t *column,
                                        size_t N, const double *D, const volatile int *interrupted,
                                        rvm_error *err);
/* Numbers that it allocates for K columns. */
double rvm_stack_numbers(double K);

#endif
