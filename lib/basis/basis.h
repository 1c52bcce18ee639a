/* Candidate basis functions of a problem and their columns. */
#ifndef RVM_BASIS_H
#define RVM_BASIS_H

#include <gsl/gsl_matrix.h>

#include "base/spans.h"
#include "basis/kernel.h"
#include "basis/seats.h"
#include "basis/term.h"

/* Candidates are numbered: the terms in their order, so the bias first when there is one, then
 * kernel functions in the order of the rows that they sit on. */
typedef struct {
    size_t N;        /* rows that a function is evaluated at, of this process; */
    rvm_spans spans; /* those of all */
    size_t count;    /* M: candidates */
    size_t terms;    /* how many of them are terms */
    bool bias;       /* candidate 0 is the bias */
    rvm_term_list term_list;
    int *feature; /* owned: those that terms are made of, whatever weight they have in the kernel */
    size_t *row; /* owned, count - terms: where the kernels sit; rows that repeat another's features
                        are left out. With seats: of those of this process alone */
    rvm_seats *seats; /* owned, borrowed by copies; NULL: all rows are here */
    rvm_kernel kernel;
    const rvm_kernel_rows *rows; /* borrowed: what the kernels sit on */
    const rvm_kernel_rows *at; /* borrowed, N: where they are evaluated; those very rows, or others
                                 laid out like them */
    const rvm_problem *at_p;   /* borrowed, N: the same rows, where terms are evaluated */
    const double *row_weight;  /* borrowed, N, or NULL: so much of a row counts in norms */
    const volatile int *interrupted; /* borrowed, or NULL: ends what takes long where non-zero */
} rvm_basis;

/* p in canonical order; rows laid out from p, which both must outlive b. degrees: of the terms that
 * are wanted, as for rvm_term_list_init. RVM_ESETTING when there are too many of these, or nothing
 * at all is left. */
RVM_CHECKED rvm_status rvm_basis_init(rvm_basis *b, const rvm_problem *p,
                                      const rvm_kernel_rows *rows, const rvm_kernel *kernel,
                                      unsigned degrees, rvm_error *err);
void rvm_basis_free(rvm_basis *b);

/* What candidate `id` is. */
bool rvm_basis_is_term(const rvm_basis *b, size_t id);
bool rvm_basis_is_bias(const rvm_basis *b, size_t id);
rvm_term rvm_basis_term(const rvm_basis *b, size_t id);
/* That the kernel sits on, by its place among all rows. */
size_t rvm_basis_row(const rvm_basis *b, size_t id);

/* What evaluates functions id[0 .. count) or names their rows needs to have brought them before, where a
 * team shares the rows: these, and no others from before but other[0 .. others). Alone it does nothing. */
RVM_CHECKED rvm_status rvm_basis_bring(const rvm_basis *b, const size_t *id, size_t count,
                                       const size_t *other, size_t others, rvm_error *err);
/* Copies of the rows that kernel functions id[0 .. count) sit on, in that order; NULL without memory. p:
 * the rows that b was made of. */
rvm_problem *rvm_basis_rows_at(const rvm_basis *b, const rvm_problem *p, const size_t *id,
                               size_t count);

/* The values of terms id[0 .. count) at `rows`, a term a row, and one row at the least; owned by the
 * caller, NULL without memory. */
gsl_matrix *rvm_basis_terms(const rvm_basis *b, const size_t *id, size_t count,
                            const rvm_problem *rows);

/* Candidates come in groups: linear terms and the bias, quadratic terms, kernel functions; a bias
 * without linear terms is of the next one. end[g]: number of the first candidate beyond group g,
 * ascending, the last one M. Returns how many groups there are; count > 0. */
enum { RVM_BASIS_GROUPS = RVM_TERM_DEGREES };
size_t rvm_basis_groups(size_t end[RVM_BASIS_GROUPS], const rvm_basis *b);

/* Row k of block (at least count x N) becomes the column of candidate id[k] divided by its norm,
 * norm[k] the norm, summed as by rvm_basis_project. A column of zeros stays as it is, with norm 0.
 * RVM_ENUMERIC where a norm is beyond the finite numbers; so too in rvm_basis_project. */
RVM_CHECKED rvm_status rvm_basis_columns(gsl_matrix *block, double *norm, const rvm_basis *b,
                                         const size_t *id, size_t count, int threads,
                                         rvm_error *err);

/* The same for rows first .. first + block->size2 - 1 only, divided by norms that are known; norm
 * NULL: not divided. `first` is a multiple of what a thread evaluates at a time, 1024. */
RVM_CHECKED rvm_status rvm_basis_strip(gsl_matrix *block, const double *norm, const rvm_basis *b,
                                       const size_t *id, size_t count, size_t first, int threads,
                                       rvm_error *err);

/* Sums over all rows, those of other processes too, of columns that are never stored: norm[k], and of the column divided by it
 * Q[k] = phi'slope and S[k] = phi'B phi, B = diag(curvature), all of it; both may be NULL. */
RVM_CHECKED rvm_status rvm_basis_project(double *norm, double *Q, double *S, const rvm_basis *b,
                                         const size_t *id, size_t count, const double *slope,
                                         const double *curvature, int threads, rvm_error *err);

#endif
