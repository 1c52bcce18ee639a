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
typedef struct {
    gsl_matrix *rows; /* owned, (K + most) x K: R, and what is folded in */
    gsl_matrix *tau;  /* owned, K x K */
} rvm_stack;

/* Room for `most` rows at a time beside a K x K triangle; false without memory. */
bool rvm_stack_init(rvm_stack *s, size_t K, size_t most);
void rvm_stack_free(rvm_stack *s);

/* Folds `count` rows of B^1/2 Phi D into R: columns first .. first + count - 1 of PhiT, of its rows
 * column[0 .. K) (NULL: of the first K). D: K; root: count, the diagonal of B^1/2; NULL: 1. False
 * when GSL fails. R has zeros below its diagonal, and a non-negative one. */
bool rvm_stack_fold(gsl_matrix *R, rvm_stack *s, const gsl_matrix *PhiT, const size_t *column,
                    size_t first, size_t count, const double *D, const double *root);
/* R := qr([ R ; S ]), both K x K; room for K rows. */
bool rvm_stack_join(gsl_matrix *R, rvm_stack *s, const gsl_matrix *S);

/* L = R' of [ Phi D ; I ], the lower factor; all N columns of PhiT. RVM_EINTERRUPT by `interrupted`
 * (NULL: none). Cost N K^2. */
RVM_CHECKED rvm_status rvm_stack_factor(gsl_matrix *L, const gsl_matrix *PhiT, const size_t *column,
                                        size_t N, const double *D, const volatile int *interrupted,
                                        rvm_error *err);
/* Numbers that it allocates for K columns. */
double rvm_stack_numbers(double K);

#endif
