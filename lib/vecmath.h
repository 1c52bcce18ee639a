/* Level 0: arithmetic over arrays whose length is a multiple of RVM_LANES.
 *
 * The only file compiled with -ffast-math, so that gcc takes the vector exp of libmvec. Since all
 * lengths are whole vectors, each element goes through the same instructions wherever it stands,
 * and a result depends on the element alone. Arguments must be finite: isfinite() means nothing
 * inside. */
#ifndef RVM_VECMATH_H
#define RVM_VECMATH_H

#include <stddef.h>

enum { RVM_LANES = 8 };

/* sum[j] += x[0] z[j] + x[1] z[n + j] + ... over `terms` rows of z, each n long. */
void rvm_vec_add_products(double *restrict sum, const double *restrict x, const double *restrict z,
                          size_t terms, size_t n);
/* sum[j] += (x[k] - z[k n + j])^2, over k */
void rvm_vec_add_squares(double *restrict sum, const double *restrict x, const double *restrict z,
                         size_t terms, size_t n);
/* sum[j] += |x[k] - z[k n + j]|, over k */
void rvm_vec_add_distances(double *restrict sum, const double *restrict x, const double *restrict z,
                           size_t terms, size_t n);
/* sum[j] += |x - z[j]| - |x| - |z[j]|: exactly 0 where z[j] is 0 */
void rvm_vec_add_distance_excess(double *restrict sum, double x, const double *restrict z,
                                 size_t n);
/* product[j] *= spline(x, z[j]), the linear spline of one input (Tipping 2001, equation 22) */
void rvm_vec_times_spline(double *restrict product, double x, const double *restrict z, size_t n);
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
/* a[j] = exp(-gamma a[j]) for a[j] >= 0, infinity included: 0 from where it is below 1e-325 */
void rvm_vec_decay(double *a, double gamma, size_t n);
/* a[j] = tanh(a[j]) */
void rvm_vec_tanh(double *a, size_t n);
/* a[j] = a[j]^degree, degree >= 0; 0^0 = 1 */
void rvm_vec_power(double *a, int degree, size_t n);

#endif
