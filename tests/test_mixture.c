#include <check.h>
#include <float.h>
#include <math.h>

#include "inference/mixture.h"
#include "suites.h"

static const double f[] = { 0, 1, 4 }, sd[] = { 0.5, 1, 0.2 };
static const rvm_mixture three = { f, sd, 3 };

static double quantile(const rvm_mixture *x, double q)
{
    double y = NAN;
    rvm_error err = { 0 };
    ck_assert_int_eq(rvm_mixture_quantile(&y, x, q, &err), RVM_OK);
    return y;
}

/* (0 + 1 + 4) / 3; mean of sd^2 and of (f - 5/3)^2. */
START_TEST(moments)
    {
        double mean, variance;
        rvm_mixture_moments(&mean, &variance, &three);
        ck_assert_double_eq_tol(mean, 5.0 / 3, 1e-15);
        ck_assert_double_eq_tol(variance, 0.43 + 26.0 / 9, 1e-14);
    }
END_TEST

/* scipy.optimize.brentq on the mean of scipy.stats.norm.cdf. */
START_TEST(quantiles)
    {
        ck_assert_double_eq_tol(quantile(&three, 0.05), -0.6417045892908817, 1e-9);
        ck_assert_double_eq_tol(quantile(&three, 0.5), 1.0457426012290292, 1e-9);
        ck_assert_double_eq_tol(quantile(&three, 0.95), 4.207861073553202, 1e-9);
        ck_assert_double_eq_tol(quantile(&three, 1e-6), -3.52638938319455, 1e-9);
    }
END_TEST

/* Of equal draws it is the normal distribution's: 1.959963984540054 standard deviations. */
START_TEST(one_distribution)
    {
        const double same[] = { 2, 2, 2, 2 }, wide[] = { 3, 3, 3, 3 };
        const rvm_mixture one = { same, wide, 1 }, four = { same, wide, 4 };
        ck_assert_double_eq_tol(quantile(&one, 0.975), 2 + 3 * 1.959963984540054, 1e-9);
        ck_assert_double_eq_tol(quantile(&four, 0.025), 2 - 3 * 1.959963984540054, 1e-9);
    }
END_TEST

/* scipy.stats.norm.cdf and log_ndtr. */
START_TEST(probabilities)
    {
        const double x[] = { 0.3, -1.0, 2.0 }, far[] = { -40, -42 };
        double p[2], log_p[2];
        ck_assert_double_eq_tol(rvm_mixture_classes(p, log_p, x, 3, false), 4.982329493857198,
                                1e-10);
        ck_assert_double_eq_tol(p[0], 0.5846055147240768, 1e-13);
        ck_assert_double_eq_tol(log_p[0], -0.5368179930205818, 1e-13);
        ck_assert_double_eq_tol(p[0] + p[1], 1, 1e-13);
        rvm_mixture_classes(p, log_p, x, 3, true);
        ck_assert_double_eq_tol(p[0], 0.6676136873733249, 1e-13);
        ck_assert_double_eq_tol(p[0] + p[1], 1, 1e-13);
        rvm_mixture_classes(p, log_p, far, 2, false);
        ck_assert_double_eq_tol(log_p[0], -805.3015891943138, 1e-6);
        ck_assert_double_eq(p[1], 1);
    }
END_TEST

/* Phi is 1 from 9 on and 0 from -39 on; of 0.25, 1 and 1e90 it is 0.5987063256829237,
 * 0.8413447460685429 and 1 (scipy.stats.norm.cdf). */
START_TEST(huge_functions_have_probabilities)
    {
        const double x[] = { 0.25, 1, 1e90 }, end[] = { DBL_MAX, -DBL_MAX };
        double p[2], log_p[2];
        for (int mode = 0; mode < 2; mode++)
            for (int k = 0; k < 2; k++) {
                ck_assert(isfinite(rvm_mixture_classes(p, log_p, end + k, 1, mode)));
                ck_assert_double_eq(p[k], 1);
                ck_assert_double_eq(p[1 - k], 0);
                ck_assert(isfinite(log_p[1 - k]));
                ck_assert_double_eq(log_p[k], 0);
            }
        rvm_mixture_classes(p, log_p, x, 3, false);
        ck_assert_double_eq_tol(p[0], (0.5987063256829237 + 0.8413447460685429 + 1) / 3, 1e-13);
        ck_assert_double_eq_tol(p[0] + p[1], 1, 1e-13);
    }
END_TEST

/* Half a unit mass at -1e300 and half at 1e300: the point below which a quarter lies is the median
 * of the lower one, on the scale of its own standard deviation, 600 powers of ten down. */
START_TEST(quantiles_of_far_apart_parts)
    {
        const double far[] = { 0, 1e300 }, narrow[] = { 1e-300, 1 }, end[] = { DBL_MAX, DBL_MAX };
        const double unit[] = { 1, 1 };
        const rvm_mixture apart = { far, narrow, 2 }, edge = { end, unit, 2 };
        ck_assert_double_eq_tol(quantile(&apart, 0.25) / 1e-300, 0, 1e-9);
        ck_assert_double_eq(quantile(&edge, 0.25), DBL_MAX);
    }
END_TEST

Suite *mixture_suite(void)
{
    Suite *s = suite_create("mixture");
    TCase *c = tcase_create("draws");
    tcase_add_test(c, moments);
    tcase_add_test(c, quantiles);
    tcase_add_test(c, one_distribution);
    tcase_add_test(c, probabilities);
    tcase_add_test(c, huge_functions_have_probabilities);
    tcase_add_test(c, quantiles_of_far_apart_parts);
    suite_add_tcase(s, c);
    return s;
}
