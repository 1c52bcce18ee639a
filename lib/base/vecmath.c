/* Arithmetic over arrays whose length is a multiple of RVM_LANES. */
#include "base/vecmath.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double *rvm_vec_alloc(size_t rows, size_t n)
{
    const size_t vector = RVM_LANES * sizeof(double);
    if (n > 0 && rows > SIZE_MAX / sizeof(double) / n)
        return NULL;
    const size_t bytes = rows * n * sizeof(double);
    double *a = aligned_alloc(vector, bytes > 0 ? bytes : vector);
    if (a != NULL)
        memset(a, 0, bytes);
    return a;
}

static inline __attribute__((always_inline)) double with_term(rvm_combination by, double sum,
                                                              double x, double z)
{
    const double d = x - z, m = x < z ? x : z, m2 = m * m;
    switch (by) {
    case RVM_BY_PRODUCTS:
        return sum + x * z;
    case RVM_BY_SQUARES:
        return sum + d * d;
    case RVM_BY_DISTANCES:
        return sum + fabs(d);
    case RVM_BY_SPLINE:
        return sum * (1 + x * z * (1 + m) - 0.5 * (x + z) * m2 + m2 * m / 3);
    case RVM_BY_LOOKUP:
        break;
    }
    return sum;
}

/* One panel. The sums of RVM_ROWS x 2 vectors stay in registers over all terms, which takes few
 * loads for each operation and leaves none of the 16 registers of older processors short. Terms
 * are at least one, counted at the end of the loop: gcc vectorises the loop around it only then. */
static inline __attribute__((always_inline)) void
combine_panel(rvm_combination by, double *restrict sum, size_t stride, const double *restrict x,
              const double *restrict z, size_t terms)
{
    const double none = by == RVM_BY_SPLINE ? 1 : 0;
#pragma omp simd
    for (size_t l = 0; l < RVM_LANES; l++) {
        double a0 = none, a1 = none, a2 = none, a3 = none;
        double b0 = none, b1 = none, b2 = none, b3 = none;
        size_t k = 0;
        do {
            const double *xk = x + k * RVM_ROWS, *zk = z + k * RVM_PANEL;
            const double za = zk[l], zb = zk[RVM_LANES + l];
            a0 = with_term(by, a0, xk[0], za);
            a1 = with_term(by, a1, xk[1], za);
            a2 = with_term(by, a2, xk[2], za);
            a3 = with_term(by, a3, xk[3], za);
            b0 = with_term(by, b0, xk[0], zb);
            b1 = with_term(by, b1, xk[1], zb);
            b2 = with_term(by, b2, xk[2], zb);
            b3 = with_term(by, b3, xk[3], zb);
        } while (++k < terms);
        double *low = sum + l, *high = low + RVM_LANES;
        low[0] = a0;
        low[stride] = a1;
        low[2 * stride] = a2;
        low[3 * stride] = a3;
        high[0] = b0;
        high[stride] = b1;
        high[2 * stride] = b2;
        high[3 * stride] = b3;
    }
}

static inline __attribute__((always_inline)) void combine(rvm_combination by, double *restrict sum,
                                                          const double *restrict x,
                                                          const double *restrict z, size_t terms,
                                                          size_t panels)
{
    const size_t stride = panels * RVM_PANEL;
    if (terms == 0)
        for (size_t j = 0; j < RVM_ROWS * stride; j++)
            sum[j] = by == RVM_BY_SPLINE ? 1 : 0;
    else
        for (size_t p = 0; p < panels; p++)
            combine_panel(by, sum + p * RVM_PANEL, stride, x, z + p * terms * RVM_PANEL, terms);
}

/* A loop of its own for each combination. */
RVM_WIDEST
void rvm_vec_combine(rvm_combination by, double *restrict sum, const double *restrict x,
                     const double *restrict z, size_t terms, size_t panels)
{
    switch (by) {
    case RVM_BY_PRODUCTS:
        combine(RVM_BY_PRODUCTS, sum, x, z, terms, panels);
        break;
    case RVM_BY_SQUARES:
        combine(RVM_BY_SQUARES, sum, x, z, terms, panels);
        break;
    case RVM_BY_DISTANCES:
        combine(RVM_BY_DISTANCES, sum, x, z, terms, panels);
        break;
    case RVM_BY_SPLINE:
        combine(RVM_BY_SPLINE, sum, x, z, terms, panels);
        break;
    case RVM_BY_LOOKUP:
        break;
    }
}

RVM_WIDEST
void rvm_vec_add_distance_excess(double *restrict sum, double x, const double *restrict z, size_t n)
{
    const double size = fabs(x);
#pragma omp simd
    for (size_t j = 0; j < n; j++) {
        const double other = fabs(z[j]), smaller = size < other ? size : other;
        sum[j] -= (x < 0) == (z[j] < 0) ? 2 * smaller : 0;
    }
}

RVM_WIDEST
double rvm_vec_dot(const double *restrict x, const double *restrict z, size_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++)
        sum += x[j] * z[j];
    return sum;
}

RVM_WIDEST
double rvm_vec_weighted_square(const double *restrict w, const double *restrict x, size_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++)
        sum += w[j] * x[j] * x[j];
    return sum;
}

RVM_WIDEST
double rvm_vec_logistic_sum(const double *restrict f, const double *restrict t,
                            const double *restrict c, size_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++) {
        const double size = fabs(f[j]), e = exp(-(size < 700 ? size : 700));
        const double positive = f[j] > 0 ? f[j] : 0;
        sum += (c == NULL ? 1 : c[j]) * (t[j] * f[j] - positive - log(1 + e));
    }
    return sum;
}

RVM_WIDEST
void rvm_vec_logistic_slope(double *restrict slope, double *restrict curvature,
                            const double *restrict f, const double *restrict t,
                            const double *restrict c, size_t n)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++) {
        const double size = fabs(f[j]), e = exp(-(size < 700 ? size : 700));
        const double weight = c == NULL ? 1 : c[j], low = 1 / (1 + e), high = e / (1 + e);
        slope[j] = weight * (t[j] - (f[j] >= 0 ? low : high));
        curvature[j] = weight * low * high;
    }
}

/* The vector exp wants finite arguments, and hands those below -708 one by one to the plain exp. */
RVM_WIDEST
void rvm_vec_decay(double *a, double gamma, size_t n)
{
    const double last = 708;
    if (gamma == 0) { /* what is infinite would be 0 times that; clang takes the bound below away */
        for (size_t j = 0; j < n; j++)
            a[j] = 1;
        return;
    }
#pragma omp simd
    for (size_t j = 0; j < n; j++) {
        const double distance = a[j] < DBL_MAX ? a[j] : DBL_MAX, x = gamma * distance;
        const double value = exp(-(x < last ? x : last));
        a[j] = x < last ? value : 0;
    }
}

void rvm_vec_tanh(double *a, size_t n)
{
    for (size_t j = 0; j < n; j++)
        a[j] = tanh(a[j]);
}

/* Square and multiply, a short piece at a time. */
RVM_WIDEST
void rvm_vec_power(double *a, int degree, size_t n)
{
    enum { PIECE = 16 * RVM_LANES };
    double base[PIECE];
    for (size_t first = 0; first < n; first += PIECE) {
        const size_t m = n - first < PIECE ? n - first : PIECE;
        double *result = a + first;
#pragma omp simd
        for (size_t j = 0; j < m; j++) {
            base[j] = result[j];
            result[j] = degree & 1 ? base[j] : 1;
        }
        for (int d = degree >> 1; d > 0; d >>= 1) {
#pragma omp simd
            for (size_t j = 0; j < m; j++) {
                base[j] *= base[j];
                result[j] *= d & 1 ? base[j] : 1;
            }
        }
    }
}

RVM_WIDEST
bool rvm_vec_all_finite(const double *a, size_t n)
{
    const uint64_t exponent = (uint64_t)0x7ff << 52;
    uint64_t outside = 0;
#pragma omp simd reduction(| : outside)
    for (size_t j = 0; j < n; j++) {
        uint64_t bits;
        memcpy(&bits, a + j, sizeof bits);
        outside |= (bits & exponent) == exponent;
    }
    return outside == 0;
}
