/* The points of a sparse Gaussian process, and rows as they are seen from them.
 *
 *     f ~ GP(0, s k)    K points Z    K_ZZ = L L'    k_x = k(Z, x)
 *     psi(x) = L^-1 k_x                    whitened features: f = sqrt(s) psi'v, v ~ N(0, I)
 *     q(x) = psi'psi = k_x' K_ZZ^-1 k_x    what the points say of k(x,x); the rest is x's alone
 *
 * (Quinonero-Candela and Rasmussen 2005).  With weights w = sqrt(s) L^-T v of the kernel functions
 * at the points f = k_x'w, and w ~ N(0, s K_ZZ^-1).  K_ZZ is nearly singular where the kernel is
 * wide; a jitter on its diagonal, a share of the mean there, bounds its condition, and since q has it
 * too nothing is lost but that the process owes the points themselves this share of its variance. */
#ifndef RVM_POINTS_H
#define RVM_POINTS_H

#include <gsl/gsl_matrix.h>

#include "base/spans.h"
#include "basis/kernel.h"

typedef struct {
    const rvm_problem *rows, *points; /* borrowed */
    size_t N, K;                      /* how many there are, rows of this process; */
    rvm_spans spans;                  /* those of all */
    rvm_kernel kernel;                /* inputs: borrowed */
    rvm_kernel_rows *row, *point;     /* owned: laid out for it */
    double *diagonal;                 /* owned, N: k(x,x) */
    double scale;                     /* its mean over all rows */
    double jitter;                    /* on the diagonal of K_ZZ = L L' */
    gsl_matrix *values;               /* owned, K x K: K_ZZ without it */
    gsl_matrix *L;                    /* owned, K x K, lower */
    int threads;
} rvm_points;

/* Borrows both, whose features agree. A team may share the rows (shard.h); the points are with all of
 * its processes. To be placed before anything else. */
RVM_CHECKED rvm_status rvm_points_init(rvm_points *z, const rvm_problem *rows,
                                       const rvm_problem *points, int threads, rvm_error *err);
void rvm_points_free(rvm_points *z);

/* With this kernel, a covariance; its weights of inputs must stay until the next call.
 * RVM_ENUMERIC where values leave the range of finite numbers; a team agrees. Cost: K^3 / 3. */
RVM_CHECKED rvm_status rvm_points_place(rvm_points *z, const rvm_kernel *kernel, rvm_error *err);

/* The mean of k(x,x) over all rows; 1 where the kernel is 0. */
double rvm_points_scale(const rvm_points *z);

/* PT: K x count, the kernel's values at rows first .. first + count - 1. Several threads may call
 * it at once. */
RVM_CHECKED rvm_status rvm_points_values(gsl_matrix *PT, const rvm_points *z, size_t first,
                                         rvm_error *err);
/* VT := L^-1 VT: values become whitened features, K^2 multiplications a row. Likewise. */
void rvm_points_whiten(gsl_matrix *VT, const rvm_points *z);

/* Rows are shared among threads in pieces, whose columns these are, of the first `count` of A. */
enum { RVM_POINTS_PIECE = 256 };
gsl_matrix_view rvm_points_piece(gsl_matrix *A, size_t count, size_t number);
static inline size_t rvm_points_pieces(size_t count)
{
    return (count + RVM_POINTS_PIECE - 1) / RVM_POINTS_PIECE;
}

/* Whitened features of rows first .. first + count - 1 into the first rows and columns of VT, of K
 * x count or more, their values into PT, of K rows (NULL: not wanted), and residual[i] = k - q, below 0 by
 * rounding where the points say it all. RVM_EINTERRUPT by `interrupted` (NULL: none). */
RVM_CHECKED rvm_status rvm_points_strip(gsl_matrix *VT, gsl_matrix *PT, double *residual,
                                        const rvm_points *z, size_t first, size_t count,
                                        const volatile int *interrupted, rvm_error *err);

/* RVM_ENUMERIC where the points say more of a row than there is of it, by a hundredth of a mean
 * diagonal, far beyond rounding: the values are those of no covariance, though they are at the points.
 * Cost: N K^2. */
RVM_CHECKED rvm_status rvm_points_check(const rvm_points *z, rvm_error *err);

/* chosen[0 .. *count): rows that the points say least of, one after the other, each of which then is
 * a point too: pivots of the Cholesky factor of the process that is left (Fine and Scheinberg 2001),
 * what is left of a row times its weight (N). At most `most`, and none of which less is left than
 * `enough`, or a share of 1e-6; equal ones in order.
 * RVM_EINTERRUPT by `interrupted` (NULL: none). Cost: N K for each; memory N (K + most) numbers. */
RVM_CHECKED rvm_status rvm_points_choose(size_t *chosen, size_t *count, const rvm_points *z,
                                         const double *weight, double enough, size_t most,
                                         const volatile int *interrupted, rvm_error *err);
#endif
