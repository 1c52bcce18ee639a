/* log_sum.c: sums of exponentials, in logarithms. */
#include "base/log_sum.h"

#include <math.h>

#include "suites.h"

static double log_sum_of(const double *x, size_t count)
{
    rvm_log_sum s = rvm_log_sum_empty();
    for (size_t i = 0; i < count; i++)
        rvm_log_sum_add(&s, x[i]);
    return rvm_log_sum_total(&s);
}

/* ln(2 + 3 + 5 + 7), in any order. */
START_TEST(ascending_and_descending)
    {
        const double up[] = { log(2), log(3), log(5), log(7) };
        const double down[] = { log(7), log(5), log(3), log(2) };
        ck_assert_double_eq_tol(log_sum_of(up, 4), log(17), 1e-15);
        ck_assert_double_eq_tol(log_sum_of(down, 4), log(17), 1e-15);
    }
END_TEST

/* exp(1e300) and exp(-1e300) are out of range, their logarithms not. */
START_TEST(nothing_overflows)
    {
        const double large[] = { -1e300, 1e300, 1e300 }, small[] = { -1e4, -1e4 };
        ck_assert_double_eq(log_sum_of(large, 3), 1e300);
        ck_assert_double_eq_tol(log_sum_of(small, 2), -1e4 + M_LN2, 1e-11);
    }
END_TEST

/* ln(1 + 1e-30) = 1e-30 to all digits. */
START_TEST(digits_of_a_small_rest_are_kept)
    {
        const double x[] = { log(1e-30), 0 };
        ck_assert_double_eq_tol(log_sum_of(x, 2) / 1e-30, 1, 1e-13);
    }
END_TEST

START_TEST(no_terms)
    {
        const double x[] = { -INFINITY, -INFINITY, 2 };
        ck_assert_double_eq(log_sum_of(x, 0), -INFINITY);
        ck_assert_double_eq(log_sum_of(x, 2), -INFINITY);
        ck_assert_double_eq(log_sum_of(x, 3), 2);
    }
END_TEST

Suite *log_sum_suite(void);
Suite *log_sum_suite(void)
{
    Suite *s = suite_create("log_sum");
    TCase *c = tcase_create("log_sum");
    tcase_add_test(c, ascending_and_descending);
    tcase_add_test(c, nothing_overflows);
    tcase_add_test(c, digits_of_a_small_rest_are_kept);
    tcase_add_test(c, no_terms);
    suite_add_tcase(s, c);
    return s;
}
