/* vecmath.c against long double arithmetic, and that an element does not know where it stands. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vecmath.h"
#include "suites.h"

enum { MOST = 64 };

static void check_ulps(double got, double want, double ulps, double argument)
{
    const double size = fabs(want), ulp = nextafter(size, INFINITY) - size;
    ck_assert_msg(fabs(got - want) <= ulps * ulp, "at %.17g: got %.17g, wanted %.17g", argument,
                  got, want);
}

/* Numbers without a pattern in -1 .. 1. */
static double wild(size_t k)
{
    return sin(7.31 * (double)k * (double)k + 0.37 * (double)k + 1.234);
}

static void fill_wild(double *a, size_t n, size_t first)
{
    for (size_t j = 0; j < n; j++)
        a[j] = wild(first + j);
}

/* exp(-gamma a) from 1 down to where it is taken for nothing. */
START_TEST(decay_is_near_libm)
    {
        const double gammas[] = { 1, 0.5, 3.7, 1e-6, 1e7 };
        for (size_t i = 0; i < sizeof gammas / sizeof *gammas; i++)
            for (size_t k = 0; k < 8000; k += RVM_LANES) {
                double a[RVM_LANES], x[RVM_LANES];
                for (size_t j = 0; j < RVM_LANES; j++) {
                    a[j] = 707.9 * (double)(k + j) / 7999 / gammas[i];
                    x[j] = -(gammas[i] * a[j]);
                }
                rvm_vec_decay(a, gammas[i], RVM_LANES);
                for (size_t j = 0; j < RVM_LANES; j++)
                    check_ulps(a[j], (double)expl(x[j]), 4, x[j]);
            }
    }
END_TEST

START_TEST(decay_of_small_arguments)
    {
        double a[RVM_LANES] = { 0, 1e-320, 1e-300, 1e-17, 1e-16, 1e-12, 1e-8, 1e-4 };
        double x[RVM_LANES];
        memcpy(x, a, sizeof x);
        rvm_vec_decay(a, 1, RVM_LANES);
        for (size_t j = 0; j < 4; j++)
            ck_assert_double_eq(a[j], 1);
        for (size_t j = 4; j < RVM_LANES; j++)
            check_ulps(a[j], (double)expl(-x[j]), 4, x[j]);
    }
END_TEST

/* From 708 on, where exp(-708) is 3.3e-308, nothing is left, of infinity neither. */
START_TEST(decay_to_nothing)
    {
        const double numbers[RVM_LANES] = { 708, 720, 750, 1e10, 1e300, DBL_MAX, INFINITY, 745 };
        const double gammas[] = { 1, 2.5, 1e300 };
        for (size_t i = 0; i < sizeof gammas / sizeof *gammas; i++) {
            double a[RVM_LANES];
            memcpy(a, numbers, sizeof a);
            rvm_vec_decay(a, gammas[i], RVM_LANES);
            for (size_t j = 0; j < RVM_LANES; j++)
                ck_assert_double_eq(a[j], 0);
        }
    }
END_TEST

/* Far and near numbers side by side: each as if it were alone. */
START_TEST(decay_among_others)
    {
        double a[RVM_LANES] = { 1e300, 1, INFINITY, 707.5, 709, 0, 800, 2 };
        const double want[RVM_LANES] = { 0, 0.36787944117144233, 0, 5.4532329910667416e-308, 0, 1,
                                         0, 0.1353352832366127 };
        rvm_vec_decay(a, 1, RVM_LANES);
        for (size_t j = 0; j < RVM_LANES; j++)
            check_ulps(a[j], want[j], 4, (double)j);
    }
END_TEST

/* With gamma 0 there is no distance, however far. */
START_TEST(decay_without_gamma)
    {
        double a[RVM_LANES] = { 0, 1, 1e10, 1e300, DBL_MAX, INFINITY, 1e-310, 745 };
        rvm_vec_decay(a, 0, RVM_LANES);
        for (size_t j = 0; j < RVM_LANES; j++)
            ck_assert_double_eq(a[j], 1);
    }
END_TEST

START_TEST(tanh_is_near_libm)
    {
        for (size_t k = 0; k < 4096; k += RVM_LANES) {
            double a[RVM_LANES], x[RVM_LANES];
            for (size_t j = 0; j < RVM_LANES; j++)
                a[j] = x[j] = 25 * wild(k + j) * pow(wild(k + j + 1), 8);
            rvm_vec_tanh(a, RVM_LANES);
            for (size_t j = 0; j < RVM_LANES; j++)
                check_ulps(a[j], (double)tanhl(x[j]), 4, x[j]);
        }
        double a[RVM_LANES] = { 0, 1e-300, -1e-300, 700, -700, 1e300, -1e300, 30 };
        const double want[RVM_LANES] = { 0, 1e-300, -1e-300, 1, -1, 1, -1, 1 };
        rvm_vec_tanh(a, RVM_LANES);
        for (size_t j = 0; j < RVM_LANES; j++)
            ck_assert_double_eq(a[j], want[j]);
    }
END_TEST

/* Each multiplication may round once; square and multiply takes at most 2 log2(degree). */
START_TEST(powers_by_multiplication)
    {
        for (int degree = 0; degree <= 23; degree++) {
            double a[MOST], x[MOST];
            fill_wild(x, MOST, 11);
            for (size_t j = 0; j < MOST; j++)
                a[j] = x[j] = 3 * x[j];
            rvm_vec_power(a, degree, MOST);
            for (size_t j = 0; j < MOST; j++) {
                long double want = 1;
                for (int k = 0; k < degree; k++)
                    want *= x[j];
                ck_assert_msg(fabs(a[j] - (double)want) <=
                                  (degree + 1) * DBL_EPSILON * fabs((double)want),
                              "%.17g^%d", x[j], degree);
            }
        }
    }
END_TEST

START_TEST(powers_known)
    {
        double a[RVM_LANES] = { 0, -2, 3, 0.5, 1, -1, 10, 1e100 };
        double b[RVM_LANES], c[RVM_LANES];
        const double cubes[RVM_LANES] = { 0, -8, 27, 0.125, 1, -1, 1000, 1e300 };
        memcpy(b, a, sizeof b);
        memcpy(c, a, sizeof c);
        rvm_vec_power(b, 0, RVM_LANES);
        for (size_t j = 0; j < RVM_LANES; j++)
            ck_assert_double_eq(b[j], 1); /* 0^0 among them */
        rvm_vec_power(c, 1, RVM_LANES);
        ck_assert_mem_eq(c, a, sizeof c);
        rvm_vec_power(a, 3, RVM_LANES);
        for (size_t j = 0; j < RVM_LANES; j++)
            check_ulps(a[j], cubes[j], 2, cubes[j]);
    }
END_TEST

START_TEST(aligned_zeros)
    {
        for (size_t rows = 0; rows < 4; rows++) {
            double *a = rvm_vec_alloc(rows, 3 * RVM_LANES);
            ck_assert_ptr_nonnull(a);
            ck_assert_uint_eq((uintptr_t)a % (RVM_LANES * sizeof *a), 0);
            for (size_t k = 0; k < rows * 3 * RVM_LANES; k++)
                ck_assert_double_eq(a[k], 0);
            free(a);
        }
        ck_assert_ptr_null(rvm_vec_alloc(SIZE_MAX / 32, RVM_LANES));
        ck_assert_ptr_null(rvm_vec_alloc(SIZE_MAX / 4, RVM_LANES));
    }
END_TEST

START_TEST(finite_or_not)
    {
        const double outside[] = { INFINITY, -INFINITY, NAN, -NAN };
        for (size_t n = 0; n < 20; n++) {
            double a[20] = { DBL_MAX, -DBL_MAX, 0, -0.0, DBL_MIN, 5e-324 };
            ck_assert(rvm_vec_all_finite(a, n));
            for (size_t at = 0; at < n; at++)
                for (size_t k = 0; k < sizeof outside / sizeof *outside; k++) {
                    const double before = a[at];
                    a[at] = outside[k];
                    ck_assert(!rvm_vec_all_finite(a, n));
                    ck_assert(rvm_vec_all_finite(a, at));
                    a[at] = before;
                }
        }
    }
END_TEST

/* ---- Sums over rows ------------------------------------------------------------------------- */

START_TEST(dot_products_are_sums)
    {
        double x[MOST], z[MOST];
        fill_wild(x, MOST, 100);
        fill_wild(z, MOST, 200);
        ck_assert_double_eq(rvm_vec_dot(x, z, 0), 0);
        for (size_t n = 1; n <= MOST; n++) {
            long double want = 0, size = 0;
            for (size_t j = 0; j < n; j++) {
                want += (long double)x[j] * z[j];
                size += fabsl((long double)x[j] * z[j]);
            }
            ck_assert_double_eq_tol(rvm_vec_dot(x, z, n), (double)want,
                                    (double)(n + 1) * DBL_EPSILON * (double)size);
        }
    }
END_TEST

/* ---- Panels --------------------------------------------------------------------------------- */

enum { TERMS = 11, PANELS = 3 };

typedef struct {
    double x[TERMS * RVM_ROWS], z[TERMS * RVM_PANEL * PANELS];
    double sum[RVM_ROWS * RVM_PANEL * PANELS];
} panels;

static long double plain_product(long double sum, long double x, long double z)
{
    return sum + x * z;
}

static long double plain_square(long double sum, long double x, long double z)
{
    return sum + (x - z) * (x - z);
}

static long double plain_distance(long double sum, long double x, long double z)
{
    return sum + fabsl(x - z);
}

static long double plain_spline(long double product, long double x, long double z)
{
    const long double m = fminl(x, z);
    return product * (1 + x * z + x * z * m - (x + z) / 2 * m * m + m * m * m / 3);
}

static const struct {
    rvm_combination by;
    long double (*plain)(long double sum, long double x, long double z);
    double none;
} combinations[] = {
    { RVM_BY_PRODUCTS, plain_product, 0 },
    { RVM_BY_SQUARES, plain_square, 0 },
    { RVM_BY_DISTANCES, plain_distance, 0 },
    { RVM_BY_SPLINE, plain_spline, 1 },
};

START_TEST(panels_are_combined_term_by_term)
    {
        panels p;
        fill_wild(p.x, TERMS * RVM_ROWS, 100);
        fill_wild(p.z, TERMS * RVM_PANEL * PANELS, 200);
        for (size_t terms = 0; terms <= TERMS; terms++) {
            fill_wild(p.sum, RVM_ROWS * RVM_PANEL * PANELS, 1);
            rvm_vec_combine(combinations[_i].by, p.sum, p.x, p.z, terms, PANELS);
            for (size_t r = 0; r < RVM_ROWS; r++)
                for (size_t j = 0; j < RVM_PANEL * PANELS; j++) {
                    const double *z = p.z + j / RVM_PANEL * terms * RVM_PANEL + j % RVM_PANEL;
                    long double want = combinations[_i].none;
                    for (size_t k = 0; k < terms; k++)
                        want =
                            combinations[_i].plain(want, p.x[k * RVM_ROWS + r], z[k * RVM_PANEL]);
                    ck_assert_double_eq_tol(p.sum[r * RVM_PANEL * PANELS + j], (double)want,
                                            40 * DBL_EPSILON * fmax(1, fabs((double)want)));
                }
        }
    }
END_TEST

/* One pair of rows at each place, among others: the same bits. */
START_TEST(panels_depend_on_the_two_rows_alone)
    {
        panels p;
        double x[TERMS], z[TERMS], want = 0;
        fill_wild(x, TERMS, 5);
        fill_wild(z, TERMS, 70);
        for (size_t count = 1; count <= PANELS; count++)
            for (size_t at = 0; at < RVM_ROWS * RVM_PANEL * count; at++) {
                const size_t r = at % RVM_ROWS, j = at / RVM_ROWS;
                fill_wild(p.x, TERMS * RVM_ROWS, at);
                fill_wild(p.z, TERMS * RVM_PANEL * count, 3 * at);
                for (size_t k = 0; k < TERMS; k++) {
                    p.x[k * RVM_ROWS + r] = x[k];
                    p.z[(j / RVM_PANEL * TERMS + k) * RVM_PANEL + j % RVM_PANEL] = z[k];
                }
                rvm_vec_combine(combinations[_i].by, p.sum, p.x, p.z, TERMS, count);
                if (count == 1 && at == 0)
                    want = p.sum[0];
                ck_assert_mem_eq(&p.sum[r * RVM_PANEL * count + j], &want, sizeof want);
            }
    }
END_TEST

/* ---- Functions of one array ------------------------------------------------------------------ */

static void seventh_power(double *a, size_t n)
{
    rvm_vec_power(a, 7, n);
}

static void decay(double *a, size_t n)
{
    for (size_t j = 0; j < n; j++)
        a[j] = fabs(a[j]);
    rvm_vec_decay(a, 0.37, n);
}

static void (*const functions[])(double *a, size_t n) = { decay, rvm_vec_tanh, seventh_power };

START_TEST(functions_depend_on_the_element_alone)
    {
        const double arguments[] = { 1.7320508, -3.25, 0.001, -0.62831, 12.5 };
        for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
            double a[MOST], want = 0;
            for (size_t n = RVM_LANES; n <= MOST; n += RVM_LANES)
                for (size_t at = 0; at < n; at++) {
                    fill_wild(a, n, at + 7 * n);
                    a[at] = arguments[i];
                    functions[_i](a, n);
                    if (n == RVM_LANES && at == 0)
                        want = a[0];
                    ck_assert_mem_eq(&a[at], &want, sizeof want);
                }
        }
    }
END_TEST

/* By hand, with m = min(x, z): 1 + xz + xz m - (x + z)/2 m^2 + m^3/3. */
START_TEST(splines_by_hand)
    {
        const double x[RVM_ROWS] = { 1, 1, 1, 1 };
        double z[RVM_PANEL] = { 2, 1, 0, 0.5, -2, -1, 3, -0.5 }, sum[RVM_ROWS * RVM_PANEL];
        const double at_1[RVM_LANES] = { 23.0 / 6, 7.0 / 3, 1,        77.0 / 48,
                                         7.0 / 3,  2.0 / 3, 16.0 / 3, 31.0 / 48 };
        memcpy(z + RVM_LANES, z, RVM_LANES * sizeof *z);
        rvm_vec_combine(RVM_BY_SPLINE, sum, x, z, 1, 1);
        for (size_t j = 0; j < RVM_ROWS * RVM_PANEL; j++)
            ck_assert_double_eq_tol(sum[j], at_1[j % RVM_LANES], 1e-14);
    }
END_TEST

/* |x - z| - |x| - |z|: 0 where one is 0 or the signs differ, else twice the smaller, negative. */
START_TEST(distance_excess_by_hand)
    {
        const double z[RVM_LANES] = { 0, -0.0, 5, 0.25, -4, 1, -0.5, 3 };
        const double of_1[RVM_LANES] = { 0, 0, -2, -0.5, 0, -2, 0, -2 };
        double sum[RVM_LANES];
        for (size_t j = 0; j < RVM_LANES; j++)
            sum[j] = 0.1;
        rvm_vec_add_distance_excess(sum, 1, z, RVM_LANES);
        for (size_t j = 0; j < RVM_LANES; j++)
            ck_assert_double_eq_tol(sum[j], 0.1 + of_1[j], 1e-15);
        ck_assert_double_eq(sum[0], 0.1); /* exactly */
        ck_assert_double_eq(sum[1], 0.1);
    }
END_TEST

Suite *vecmath_suite(void);
Suite *vecmath_suite(void)
{
    Suite *s = suite_create("vecmath");
    TCase *c = tcase_create("vecmath");
    const int ways = sizeof combinations / sizeof *combinations;
    const int singles = sizeof functions / sizeof *functions;
    tcase_add_test(c, decay_is_near_libm);
    tcase_add_test(c, decay_of_small_arguments);
    tcase_add_test(c, decay_to_nothing);
    tcase_add_test(c, decay_among_others);
    tcase_add_test(c, decay_without_gamma);
    tcase_add_test(c, tanh_is_near_libm);
    tcase_add_test(c, powers_by_multiplication);
    tcase_add_test(c, powers_known);
    tcase_add_test(c, aligned_zeros);
    tcase_add_test(c, finite_or_not);
    tcase_add_test(c, dot_products_are_sums);
    tcase_add_loop_test(c, panels_are_combined_term_by_term, 0, ways);
    tcase_add_loop_test(c, panels_depend_on_the_two_rows_alone, 0, ways);
    tcase_add_loop_test(c, functions_depend_on_the_element_alone, 0, singles);
    tcase_add_test(c, distance_excess_by_hand);
    tcase_add_test(c, splines_by_hand);
    suite_add_tcase(s, c);
    return s;
}
