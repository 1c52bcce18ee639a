/* Arithmetic over arrays whose length is a multiple of RVM_LANES.
 *
 * The only file compiled with -ffast-math, so that gcc takes the vector exp of libmvec. Since all
 * lengths are whole vectors, each element goes through the same instructions wherever it stands,
 * and a result depends on the element alone. Arguments must be finite: isfinite() means nothing
 * inside. */
#ifndef RVM_VECMATH_H
#define RVM_VECMATH_H

#include <stdbool.h>
#include <stddef.h>

/* One binary for every x86-64, with the wider vectors where the processor has them. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if __GNUC__ >= \
    12 /* by what a processor can do; of older ones "haswell" is that of its maker alone */
#define RVM_WIDEST __attribute__((target_clones("avx512f", "arch=x86-64-v3", "default")))
#else
#define RVM_WIDEST __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#endif
#else
#define RVM_WIDEST
#endif

enum {
    RVM_LANES = 8,
    RVM_PANEL = 2 * RVM_LANES, /* rows z that are combined at once */
    RVM_ROWS = 4               /* with as many rows x */
};

/* rows x n zeros, n a multiple of RVM_LANES, aligned so that no vector straddles two cache lines;
 * free() gives them back. NULL when there is no memory or the size overflows. */
double *rvm_vec_alloc(size_t rows, size_t n);

/* How two rows are combined, feature by feature, before the kernel's own formula. */
typedef enum {
    RVM_BY_PRODUCTS,  /* sum over k of x z */
    RVM_BY_SQUARES,   /* sum over k of (x - z)^2 */
    RVM_BY_DISTANCES, /* sum over k of |x - z| */
    RVM_BY_SPLINE,    /* product over k of the linear spline of Tipping (2001), equation 22 */
    RVM_BY_LOOKUP     /* not at all: the file holds the value */
} rvm_combination;

/* RVM_ROWS rows x with `panels` panels of RVM_PANEL rows z, all of `terms` numbers. Number k of row
 * r is x[k RVM_ROWS + r]; number k of row l of panel p is z[(p terms + k) RVM_PANEL + l]. The
 * result goes to sum[(r panels + p) RVM_PANEL + l], in the order of k, so that it depends on the
 * two rows alone. */
void rvm_vec_combine(rvm_combination by, double *restrict sum, const double *restrict x,
                     const double *restrict z, size_t terms, size_t panels);

/* sum[j] += |x - z[j]| - |x| - |z[j]|, without rounding what is added: minus twice the smaller of
 * |x| and |z[j]| where the signs are the same, else 0 */
void rvm_vec_add_distance_excess(double *restrict sum, double x, const double *restrict z,
                                 size_t n);
/* sum of x[j] z[j]; n is any number */
double rvm_vec_dot(const double *restrict x, const double *restrict z, size_t n);
/* sum of w[j] x[j]^2; n is any number here */
double rvm_vec_weighted_square(const double *restrict w, const double *restrict x, size_t n);
/* Logistic model of targets t in [0, 1] and activations f, each row counting c[j] times (once where
 * c is NULL); n is any number. The sum of c (t f - ln(1 + e^f)), stable in both tails: */
double rvm_vec_logistic_sum(const double *restrict f, const double *restrict t,
                            const double *restrict c, size_t n);
/* and with y = 1 / (1 + e^-f) slope = c (t - y), curvature = c y (1 - y). */
void rvm_vec_logistic_slope(double *restrict slope, double *restrict curvature,
                            const double *restrict f, const double *restrict t,
                            const double *restrict c, size_t n);
/* a[j] = exp(-gamma a[j]) for a[j] >= 0, infinity included; 0 from gamma a[j] = 708 on, where it
 * would soon be too small for a normal number */
void rvm_vec_decay(double *a, double gamma, size_t n);
/* a[j] = tanh(a[j]) */
void rvm_vec_tanh(double *a, size_t n);
/* a[j] = a[j]^degree, degree >= 0; 0^0 = 1 */
void rvm_vec_power(double *a, int degree, size_t n);
/* No infinity, no nan: by their bits, so it may be asked of any numbers. n is any number here. */
bool rvm_vec_all_finite(const double *a, size_t n);

#endif
