/* Level 0: arithmetic over arrays whose length is a multiple of RVM_LANES. */
#include "vecmath.h"

#include <float.h>
#include <math.h>

/* One binary for every x86-64, with the wider vectors where the processor has them. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDEST __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define WIDEST
#endif

WIDEST
void rvm_vec_add_products(double *restrict sum, const double *restrict x, const double *restrict z,
                          size_t terms, size_t n)
{
    size_t k = 0;
    for (; k + 4 <= terms; k += 4) {
        const double *z0 = z + k * n, *z1 = z0 + n, *z2 = z1 + n, *z3 = z2 + n;
        const double x0 = x[k], x1 = x[k + 1], x2 = x[k + 2], x3 = x[k + 3];
#pragma omp simd
        for (size_t j = 0; j < n; j++)
            sum[j] += x0 * z0[j] + x1 * z1[j] + x2 * z2[j] + x3 * z3[j];
    }
    for (; k < terms; k++) {
        const double *z0 = z + k * n;
        const double x0 = x[k];
#pragma omp simd
        for (size_t j = 0; j < n; j++)
            sum[j] += x0 * z0[j];
    }
}

WIDEST
void rvm_vec_add_squares(double *restrict sum, const double *restrict x, const double *restrict z,
                         size_t terms, size_t n)
{
    size_t k = 0;
    for (; k + 2 <= terms; k += 2) {
        const double *z0 = z + k * n, *z1 = z0 + n;
        const double x0 = x[k], x1 = x[k + 1];
#pragma omp simd
        for (size_t j = 0; j < n; j++) {
            const double d0 = x0 - z0[j], d1 = x1 - z1[j];
            sum[j] += d0 * d0 + d1 * d1;
        }
    }
    for (; k < terms; k++) {
        const double *z0 = z + k * n;
        const double x0 = x[k];
#pragma omp simd
        for (size_t j = 0; j < n; j++) {
            const double d0 = x0 - z0[j];
            sum[j] += d0 * d0;
        }
    }
}

WIDEST
void rvm_vec_add_distances(double *restrict sum, const double *restrict x, const double *restrict z,
                           size_t terms, size_t n)
{
    for (size_t k = 0; k < terms; k++) {
        const double *zk = z + k * n;
        const double xk = x[k];
#pragma omp simd
        for (size_t j = 0; j < n; j++)
            sum[j] += fabs(xk - zk[j]);
    }
}

WIDEST
void rvm_vec_add_distance_excess(double *restrict sum, double x, const double *restrict z, size_t n)
{
    const double size = fabs(x);
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        sum[j] += z[j] == 0 ? 0 : fabs(x - z[j]) - (size + fabs(z[j]));
}

WIDEST
void rvm_vec_times_spline(double *restrict product, double x, const double *restrict z, size_t n)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++) {
        const double m = x < z[j] ? x : z[j], m2 = m * m;
        product[j] *= 1 + x * z[j] * (1 + m) - 0.5 * (x + z[j]) * m2 + m2 * m / 3;
    }
}

WIDEST
double rvm_vec_weighted_square(const double *restrict w, const double *restrict x, size_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < n; j++)
        sum += w[j] * x[j] * x[j];
    return sum;
}

WIDEST
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

WIDEST
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

/* The vector exp wants finite arguments; those below -745 give 0 anyway. */
WIDEST
void rvm_vec_decay(double *a, double gamma, size_t n)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++) {
        const double distance = a[j] < DBL_MAX ? a[j] : DBL_MAX, x = gamma * distance;
        a[j] = exp(x < 750 ? -x : -750);
    }
}

void rvm_vec_tanh(double *a, size_t n)
{
    for (size_t j = 0; j < n; j++)
        a[j] = tanh(a[j]);
}

WIDEST
static void multiply(double *restrict a, const double *restrict b, size_t n)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        a[j] *= b[j];
}

/* Powers of one vector at a time: square and multiply. */
void rvm_vec_power(double *a, int degree, size_t n)
{
    for (size_t j = 0; j < n; j += RVM_LANES) {
        double base[RVM_LANES], result[RVM_LANES];
        for (size_t l = 0; l < RVM_LANES; l++) {
            base[l] = a[j + l];
            result[l] = 1;
        }
        for (int d = degree; d > 0; d >>= 1) {
            if (d & 1)
                multiply(result, base, RVM_LANES);
            double square[RVM_LANES];
            for (size_t l = 0; l < RVM_LANES; l++)
                square[l] = base[l];
            multiply(base, square, RVM_LANES);
        }
        for (size_t l = 0; l < RVM_LANES; l++)
            a[j + l] = result[l];
    }
}
