/* Probabilities of classes: worked examples, the average that they stand for, both tails. */
#include <check.h>
#include <float.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inference/probability.h"

enum { MANY = 60 };

/* A stand-in for random numbers from 0 to 1 that is the same everywhere. */
static double scattered(size_t i)
{
    const double x = sin((double)i * 12.9898) * 43758.5453;

    return x - floor(x);
}

static void check_sound(const double *p, const double *log_p, size_t C)
{
    double sum = 0;

    for (size_t k = 0; k < C; k++) {
        sum += p[k];
        ck_assert_double_ge(p[k], 0);
        ck_assert(isfinite(log_p[k]) && log_p[k] <= 0);
        ck_assert_double_eq_tol(p[k], exp(log_p[k]), 1e-15);
    }
    ck_assert_double_eq_tol(sum, 1, 1e-12);
}

static void check_best(const double *p, size_t C, size_t best)
{
    for (size_t k = 0; k < C; k++)
        ck_assert_double_le(p[k], p[best]);
}

/* The average by sums over grids of steps 0.25 and 0.2 in each function, which agree to 12 digits
 * (Python); the mode with 30 digits of Python's mpmath. */
START_TEST(three_classes_by_hand)
    {
        const double mean[] = { 1.3, 0.2, -0.7 }, variance[] = { 0.5, 1.7, 3.1 };
        const double averaged[] = { 0.568949250601, 0.263789435244, 0.167261314154 };
        const double mode[] = { 0.68110316268944590291, 0.22671954787462524193,
                                0.092177289435928855165 };
        double p[3], log_p[3];

        ck_assert_uint_eq(rvm_probability_of_many(p, log_p, mean, variance, 3, false), 0);
        check_sound(p, log_p, 3);
        for (size_t k = 0; k < 3; k++) {
            ck_assert_double_eq_tol(p[k], averaged[k], 2e-6);
            ck_assert_double_eq_tol(log_p[k], log(averaged[k]), 1e-5);
        }
        ck_assert_uint_eq(rvm_probability_of_many(p, log_p, mean, variance, 3, true), 0);
        check_sound(p, log_p, 3);
        for (size_t k = 0; k < 3; k++)
            ck_assert_double_eq_tol(p[k], mode[k], 1e-15);
    }
END_TEST

/* The same values as log-odds of each class against the rest; by Python's decimal, 30 digits. */
START_TEST(three_classes_one_against_the_rest)
    {
        const double mean[] = { 1.3, 0.2, -0.7 }, variance[] = { 0.5, 1.7, 3.1 };
        const double averaged[] = { 0.45361436657226373442, 0.31877633252520604853,
                                    0.22760930090253021704 };
        const double mode[] = { 0.47127066810967747196, 0.32973924660316735565,
                                0.19899008528715517238 };
        double p[3], log_p[3];

        ck_assert_uint_eq(rvm_probability_one_vs_rest(p, log_p, mean, variance, 3, false), 0);
        check_sound(p, log_p, 3);
        for (size_t k = 0; k < 3; k++) {
            ck_assert_double_eq_tol(p[k], averaged[k], 1e-15);
            ck_assert_double_eq_tol(log_p[k], log(averaged[k]), 4e-15);
        }
        ck_assert_uint_eq(rvm_probability_one_vs_rest(p, log_p, mean, variance, 3, true), 0);
        check_sound(p, log_p, 3);
        for (size_t k = 0; k < 3; k++)
            ck_assert_double_eq_tol(p[k], mode[k], 1e-15);
    }
END_TEST

/* All classes far from likely: their probabilities underflow, what they have in proportion does
 * not; equals stay equal. Any number of classes sums to 1. */
START_TEST(one_against_the_rest_at_the_ends)
    {
        const double low[] = { -900, -900, -901 }, wide[] = { -DBL_MAX, DBL_MAX, 0 };
        const double variance[] = { 0, 0, 0 };
        const double e = exp(-1);
        double p[MANY], log_p[MANY], mean[MANY], s2[MANY];

        ck_assert_uint_eq(rvm_probability_one_vs_rest(p, log_p, low, variance, 3, true), 0);
        check_sound(p, log_p, 3);
        ck_assert_double_eq(p[0], p[1]);
        ck_assert_double_eq_tol(p[2], e / (2 + e), 1e-15);
        ck_assert_uint_eq(rvm_probability_one_vs_rest(p, log_p, wide, variance, 3, false), 1);
        check_sound(p, log_p, 3);
        for (size_t C = 3; C <= MANY; C++) {
            for (size_t k = 0; k < C; k++) {
                mean[k] = 40 * scattered(C * MANY + k) - 20;
                s2[k] = 30 * scattered(k + 7);
            }
            const size_t best = rvm_probability_one_vs_rest(p, log_p, mean, s2, C, false);
            check_sound(p, log_p, C);
            check_best(p, C, best);
        }
    }
END_TEST

/* Of two classes only the difference counts: mean m_0 - m_1, variance s2_0 + s2_1. MacKay's formula
 * for these is off by up to 0.02, and so is a difference between the two. */
START_TEST(two_of_many_are_the_two)
    {
        for (size_t i = 0; i < 200; i++) {
            const double mean[] = { 60 * scattered(4 * i) - 30, 60 * scattered(4 * i + 1) - 30 };
            const double variance[] = { 9 * scattered(4 * i + 2), 9 * scattered(4 * i + 3) };
            const bool mode = i % 2 == 0;
            double p[2], log_p[2], p2[2], log_p2[2];

            rvm_probability_of_many(p, log_p, mean, variance, 2, mode);
            rvm_probability_of_two(p2, log_p2, mean[0] - mean[1], variance[0] + variance[1], mode);
            for (size_t k = 0; k < 2; k++) {
                ck_assert_double_eq_tol(p[k], p2[k], mode ? 4e-15 : 0.02);
                if (mode)
                    ck_assert_double_eq_tol(log_p[k], log_p2[k], 1e-14 * (1 - log_p2[k]));
            }
        }
    }
END_TEST

/* The average of the softmax over three independent normal functions, by the trapezoidal rule,
 * which for functions as smooth as these has an error far below 1e-6 with this step. */
static void average(double *p, const double *mean, const double *variance)
{
    const double step = 0.3;
    double total = 0, f[3];

    memset(p, 0, 3 * sizeof *p);
    for (int i = 0; i < 51 * 51 * 51; i++) {
        const double z[] = { (i % 51 - 25) * step, (i / 51 % 51 - 25) * step,
                             (i / 51 / 51 - 25) * step };
        const double w = exp(-0.5 * (z[0] * z[0] + z[1] * z[1] + z[2] * z[2]));

        if (w < 1e-10)
            continue;
        for (size_t k = 0; k < 3; k++)
            f[k] = exp(mean[k] + sqrt(variance[k]) * z[k]);
        for (size_t k = 0; k < 3; k++)
            p[k] += w * f[k] / (f[0] + f[1] + f[2]);
        total += w;
    }
    for (size_t k = 0; k < 3; k++)
        p[k] /= total;
}

START_TEST(average_is_the_average)
    {
        for (size_t i = 0; i < 20; i++) {
            double mean[3], variance[3], exact[3], p[3], log_p[3];

            for (size_t k = 0; k < 3; k++) {
                mean[k] = 10 * scattered(6 * i + k) - 5;
                variance[k] = 4 * scattered(6 * i + 3 + k);
            }
            average(exact, mean, variance);
            rvm_probability_of_many(p, log_p, mean, variance, 3, false);
            for (size_t k = 0; k < 3; k++) {
                ck_assert_msg(fabs(p[k] - exact[k]) < 1e-5, "%g, the average is %g", p[k],
                              exact[k]);
                ck_assert_double_eq_tol(log_p[k], log(exact[k]), 1e-3);
            }
        }
    }
END_TEST

/* C - 1 functions of mean 0 and one of mean m, all of variance v: given the one, f, the others are
 * alike and independent, and with enough of them their sum of exponentials is nearly its mean
 * (C - 1) exp(v / 2), so that the one has probability E 1 / (1 + (C - 1) exp(v / 2 - f)), a single
 * integral. The relative variance of the sum is (exp(v) - 1) / (C - 1), its effect on p at most as
 * large. */
START_TEST(thousands_of_classes)
    {
        enum { C = 4001 };
        const double v = 0.3, m = 9, step = 0.05;
        double *mean = calloc(4 * C, sizeof *mean), *variance = mean + C, *p = variance + C;
        double exact = 0, total = 0, sum = 0;

        for (size_t k = 0; k < C; k++) {
            mean[k] = k == 1234 ? m : 0;
            variance[k] = v;
        }
        for (int i = -200; i <= 200; i++) {
            const double z = i * step, w = exp(-0.5 * z * z);

            total += w;
            exact += w / (1 + (C - 1) * exp(v / 2 - m - sqrt(v) * z));
        }
        ck_assert_uint_eq(rvm_probability_of_many(p, p + C, mean, variance, C, false), 1234);
        ck_assert_double_eq_tol(p[1234], exact / total, (exp(v) - 1) / (C - 1));
        for (size_t k = 0; k < C; k++)
            sum += p[k];
        ck_assert_double_eq_tol(sum, 1, 1e-12);
        ck_assert_double_eq(p[0], p[C - 1]);
        free(mean);
    }
END_TEST

/* Deviations of very different sizes. A function that is wide beyond measure, W, is above all
 * others or below them, each with probability 1/2, and below it the others share what they would
 * without it: exp(1) / (exp(1) + 1) = 0.731059 of a half. The class at -1e5 wins where its normal
 * function of deviation 1e4 exceeds what the others reach, Phi(-10) / 2 of all cases: that is
 * 3.8e-24, or where W is above, less. */
START_TEST(wide_and_narrow)
    {
        const double mean[] = { 1, 0, 0, -1e5 }, variance[] = { 0, 0, 1e24, 1e8 };
        double p[4], log_p[4];

        ck_assert_uint_eq(rvm_probability_of_many(p, log_p, mean, variance, 4, false), 2);
        check_sound(p, log_p, 4);
        ck_assert_double_eq_tol(p[0], 0.5 * 0.7310585786300049, 1e-5);
        ck_assert_double_eq_tol(p[1], 0.5 * 0.2689414213699951, 1e-5);
        ck_assert_double_eq_tol(p[2], 0.5, 1e-5);
        ck_assert_double_eq_tol(log_p[3], log(3.8e-24), 0.1);
    }
END_TEST

START_TEST(any_number_of_classes_sums_to_one)
    {
        double mean[MANY], variance[MANY], p[MANY], log_p[MANY];

        for (size_t C = 2; C <= MANY; C++) {
            for (size_t k = 0; k < C; k++) {
                mean[k] = 40 * scattered(C * MANY + k) - 20;
                variance[k] = gsl_pow_4(10 * scattered(C * MANY + k + MANY / 2));
            }
            for (int mode = 0; mode < 2; mode++) {
                const size_t best = rvm_probability_of_many(p, log_p, mean, variance, C, mode);

                check_sound(p, log_p, C);
                check_best(p, C, best);
            }
        }
    }
END_TEST

/* Without variances the average is the value at the mode. */
START_TEST(no_variance_no_moderation)
    {
        const double mean[] = { -3, 2, 0.5, 1.5 }, variance[4] = { 0 };
        double p[4], log_p[4], p0[4], log_p0[4];

        rvm_probability_of_many(p, log_p, mean, variance, 4, false);
        rvm_probability_of_many(p0, log_p0, mean, variance, 4, true);
        for (size_t k = 0; k < 4; k++)
            ck_assert_double_eq_tol(p[k], p0[k], 1e-15);
    }
END_TEST

/* (800, -800, 0) and (0, 40, 0): exp(-40) = 4.248354255291589e-18, exp(-800) is no double. */
START_TEST(tails_keep_their_digits)
    {
        const double mean[] = { 800, -800, 0 }, mean2[] = { 0, 40, 0 }, variance[3] = { 0 };
        double p[3], log_p[3];

        for (int mode = 0; mode < 2; mode++) {
            ck_assert_uint_eq(rvm_probability_of_many(p, log_p, mean, variance, 3, mode), 0);
            ck_assert_double_eq(p[0], 1);
            ck_assert_double_eq(p[1], 0);
            ck_assert_double_eq(p[2], 0);
            ck_assert_double_eq_tol(log_p[1], -1600, 1e-12);
            ck_assert_double_eq_tol(log_p[2], -800, 1e-12);
            ck_assert_uint_eq(rvm_probability_of_many(p, log_p, mean2, variance, 3, mode), 1);
            ck_assert_double_eq_tol(p[0], 4.248354255291589e-18, 1e-32);
            ck_assert_double_eq_tol(p[2], 4.248354255291589e-18, 1e-32);
            ck_assert_double_eq_tol(log_p[1], -2 * 4.248354255291589e-18, 1e-32);
        }
    }
END_TEST

START_TEST(the_ends_of_the_range_are_finite)
    {
        const double ends[] = { DBL_MAX, -DBL_MAX, 0, 1e-300 };
        const double variances[] = { 0, DBL_MAX, 1, DBL_MAX };
        double p[4], log_p[4];

        for (int mode = 0; mode < 2; mode++)
            for (size_t shift = 0; shift < 4; shift++) {
                double variance[4];

                for (size_t k = 0; k < 4; k++)
                    variance[k] = variances[(k + shift) % 4];
                ck_assert_uint_eq(rvm_probability_of_many(p, log_p, ends, variance, 4, mode), 0);
                check_sound(p, log_p, 4);
            }
        rvm_probability_of_two(p, log_p, -DBL_MAX, DBL_MAX, true);
        check_sound(p, log_p, 2);
        ck_assert_double_eq(p[1], 1);
        /* kappa m = 1e154 / sqrt(pi / 8 * 1e308) = 1.5957691216057306 */
        rvm_probability_of_two(p, log_p, 1e154, 1e308, false);
        ck_assert_double_eq_tol(p[0], 0.8314262305927465, 1e-13);
    }
END_TEST

/* mpmath with 40 digits; the largest numbers have the limits. */
START_TEST(log_phi_of_anything)
    {
        const struct {
            double x, want;
        } cases[] = { { 0, -0.6931471805599453 },
                      { 1, -0.17275377902344988 },
                      { -8, -35.01343715991455 },
                      { -40, -804.6084420137538 } };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            ck_assert_double_eq_tol(rvm_log_phi(cases[i].x) / cases[i].want, 1, 1e-12);
        for (double x = 40; x < DBL_MAX / 10; x *= 10) {
            ck_assert_double_eq(rvm_log_phi(x), 0);
            ck_assert(rvm_log_phi(-x) < -800 && isfinite(rvm_log_phi(-x)));
        }
    }
END_TEST

START_TEST(the_first_of_equals)
    {
        const double mean[] = { 0.1, 0.7, -0.3, 0.7, 0.7, 0.2, 0.65 };
        const double variance[] = { 0.3, 0.2, 0.9, 0.2, 0.2, 0.1, 100 };
        const double none[3] = { 0 };
        double p[7], log_p[7];

        /* The last class does not lead at the mode; on the average it does, since it is above all
         * others in nearly half of the cases. */
        ck_assert_uint_eq(rvm_probability_of_many(p, log_p, mean, variance, 7, true), 1);
        ck_assert_uint_eq(rvm_probability_of_many(p, log_p, mean, variance, 7, false), 6);
        for (int mode = 0; mode < 2; mode++) {
            ck_assert_uint_eq(rvm_probability_of_many(p, log_p, mean, variance, 6, mode), 1);
            ck_assert_double_eq(p[1], p[3]);
            ck_assert_double_eq(p[1], p[4]);
            ck_assert_uint_eq(rvm_probability_of_many(p, log_p, none, none, 3, mode), 0);
            ck_assert_double_eq_tol(p[2], 1.0 / 3, 1e-16);
        }
    }
END_TEST

/* Of two classes f = 0 is a half each, and moderation moves towards it. */
START_TEST(two_classes)
    {
        double p[2], log_p[2], p0[2], log_p0[2];

        rvm_probability_of_two(p, log_p, 0, 7, false);
        ck_assert_double_eq(p[0], 0.5);
        ck_assert_double_eq_tol(log_p[1], -M_LN2, 1e-16);
        rvm_probability_of_two(p, log_p, -1.5, 2, false);
        rvm_probability_of_two(p0, log_p0, -1.5, 2, true);
        check_sound(p, log_p, 2);
        ck_assert_double_eq_tol(p0[0], 0.18242552380635634660, 1e-16);
        /* kappa = 1 / sqrt(1 + pi / 4) */
        ck_assert_double_eq_tol(p[0], 0.24552996117280336, 1e-15);
    }
END_TEST

Suite *probability_suite(void);
Suite *probability_suite(void)
{
    Suite *suite = suite_create("probability");
    TCase *tc = tcase_create("probability");

    tcase_add_test(tc, three_classes_by_hand);
    tcase_add_test(tc, three_classes_one_against_the_rest);
    tcase_add_test(tc, one_against_the_rest_at_the_ends);
    tcase_add_test(tc, two_of_many_are_the_two);
    tcase_add_test(tc, average_is_the_average);
    tcase_add_test(tc, thousands_of_classes);
    tcase_add_test(tc, wide_and_narrow);
    tcase_add_test(tc, any_number_of_classes_sums_to_one);
    tcase_add_test(tc, no_variance_no_moderation);
    tcase_add_test(tc, tails_keep_their_digits);
    tcase_add_test(tc, the_ends_of_the_range_are_finite);
    tcase_add_test(tc, log_phi_of_anything);
    tcase_add_test(tc, the_first_of_equals);
    tcase_add_test(tc, two_classes);
    suite_add_tcase(suite, tc);
    return suite;
}
