/* The few factorisations and products that training needs; thin over GSL. */
#ifndef RVM_LINALG_H
#define RVM_LINALG_H

#include <gsl/gsl_matrix.h>
#include <gsl/gsl_vector.h>
#include <stdbool.h>

/* C = A B' over row-major blocks, in tiles of fixed shape spread over `threads`. With B == A only
 * the lower triangle is computed and then mirrored, so that C is symmetric to the last bit. */
void rvm_product_nt(gsl_matrix *C, const gsl_matrix *A, const gsl_matrix *B, int threads);

/* C += A B', likewise. */
void rvm_product_add(gsl_matrix *C, const gsl_matrix *A, const gsl_matrix *B, int threads);

/* Adds A A' to the lower triangle of G (replaces it where `fresh`), rows `first` and beyond, in the
 * same tiles; rvm_gram_mirror then copies what was computed to the upper triangle. */
void rvm_gram_add(gsl_matrix *G, const gsl_matrix *A, size_t first, bool fresh, int threads);
void rvm_gram_mirror(gsl_matrix *G, size_t first);

/* The same where only rows `first` and beyond of a lower triangle K x K are held, by blocks of rows
 * one behind another: numbers that it takes, */
size_t rvm_gram_packed_size(size_t K, size_t first);
/* A A' of all K rows of A added to it, */
void rvm_gram_add_packed(double *packed, const gsl_matrix *A, size_t first, int threads);
/* and both triangles of G from it. */
void rvm_gram_unpack(gsl_matrix *G, const double *packed, size_t first);

/* The lower triangle of A becomes L with L L' = A, in blocks of fixed shape spread over `threads`.
 * False when A is not positive definite to working precision or not finite; A is then undefined. */
bool rvm_cholesky(gsl_matrix *A, int threads);

/* ln|L L'| of a Cholesky factor. */
double rvm_cholesky_log_det(const gsl_matrix *L);

/* x := (L L')^-1 x. */
void rvm_cholesky_solve(const gsl_matrix *L, double *x);

/* Inv = (L L')^-1, both triangles; L is kept. */
void rvm_cholesky_inverse(gsl_matrix *Inv, const gsl_matrix *L);

/* c[i] = ((L L')^-1)_ii = sum_k (L^-1)_ki^2. T: scratch, as large as L. */
void rvm_cholesky_inverse_diagonal(double *c, gsl_matrix *T, const gsl_matrix *L, int threads);

/* Upper triangular R with R'R = S'S for a stacked S of at least as many rows as columns, by
 * Householder QR; never squares the condition number. S is destroyed, its upper triangle holds R
 * with a non-negative diagonal. tau: scratch, columns x columns. False when GSL fails. */
bool rvm_qr_factor(gsl_matrix *S, gsl_matrix *tau);

/* A step of one: the first T->size1 columns of S are factored, with diagonals of either sign, and
 * Q' applied to the others; below R the former hold reflectors. T, square, and X, as high and as
 * wide as the others: scratch. */
bool rvm_qr_step(gsl_matrix *S, gsl_matrix *T, gsl_matrix *X);

#endif
