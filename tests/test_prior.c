/* prior.c, and what evidence.c makes of a prior: densities and gains against scipy. */
#include "inference/evidence.h"
#include "inference/prior.h"
#include "problems.h"
#include "suites.h"

static rvm_prior prior(double shape, double rate, double ln_unit)
{
    const rvm_gamma_prior g = { shape, rate };
    return rvm_prior_make(&g, ln_unit);
}

/* scipy.stats.gamma.logpdf of x = 1.7 e^0.4, plus the Jacobian ln x. */
START_TEST(density_of_the_logarithm)
    {
        const rvm_prior p = prior(2.385, 0.7, 0.4);
        check_close(rvm_prior_log(&p, log(1.7)), -0.6135166592112158, 1e-14);
        const rvm_prior shifted = rvm_prior_shift(&p, 0.25);
        check_close(rvm_prior_log(&shifted, log(1.7) - 0.25), -0.6135166592112158, 1e-14);
        double mass = 0;
        for (double ln_x = -30; ln_x < 8; ln_x += 1e-3)
            mass += 1e-3 * exp(rvm_prior_log(&p, ln_x));
        check_close(mass, 1, 1e-10);
    }
END_TEST

START_TEST(derivatives_by_differences)
    {
        const rvm_prior p = _i == 0 ? prior(2.385, 0.7, 0.4) : prior(0, 0.3, -1.1);
        const double at = 0.53, h = 1e-4;
        const double below = rvm_prior_log(&p, at - h), above = rvm_prior_log(&p, at + h);
        check_close(rvm_prior_gradient(&p, at), (above - below) / (2 * h), 1e-8);
        check_close(rvm_prior_second(&p, at),
                    (rvm_prior_gradient(&p, at + h) - rvm_prior_gradient(&p, at - h)) / (2 * h),
                    1e-8);
    }
END_TEST

/* Without a constant: x^0 exp(-b x), x^a. */
START_TEST(improper_priors_have_no_constant)
    {
        const rvm_prior rate = prior(0, 0.3, 1.2), shape = prior(1.5, 0, 1.2);
        check_close(rvm_prior_log(&rate, 0.5), -0.3 * exp(1.7), 1e-15);
        check_close(rvm_prior_log(&shape, 0.5), 1.5 * 1.7, 1e-15);
        ck_assert(!rvm_prior_is_flat(&rate) && !rvm_prior_is_flat(&shape));
    }
END_TEST

/* Nothing at all, wherever it is asked. */
START_TEST(flat_is_zero)
    {
        const rvm_prior made = prior(0, 0, 3);
        ck_assert(rvm_prior_is_flat(&made) && rvm_prior_is_flat(&rvm_prior_flat));
        for (double ln_x = -800; ln_x <= 800; ln_x += 800) {
            ck_assert_double_eq(rvm_prior_log(&made, ln_x), 0);
            ck_assert_double_eq(rvm_prior_gradient(&made, ln_x), 0);
            ck_assert_double_eq(rvm_prior_second(&made, ln_x), 0);
        }
        ck_assert_double_eq(rvm_prior_log(&rvm_prior_flat, INFINITY), 0);
        ck_assert_double_eq(rvm_prior_most(&made), 0);
    }
END_TEST

/* x = a / b, where the density is a^a e^-a / Gamma(a), whatever the units; and a bound of 0. */
START_TEST(mode_is_the_highest_point)
    {
        const rvm_prior p = prior(3, 0.7, 0.4), rate = prior(0, 0.3, 1.2);
        check_close(rvm_prior_mode(&p), log(3 / 0.7) - 0.4, 1e-15);
        check_close(rvm_prior_most(&p), log(27 * exp(-3) / 2), 1e-14);
        ck_assert_double_lt(rvm_prior_log(&p, rvm_prior_mode(&p) + 0.01), rvm_prior_most(&p));
        ck_assert_double_lt(rvm_prior_log(&p, rvm_prior_mode(&p) - 0.01), rvm_prior_most(&p));
        ck_assert_double_eq(rvm_prior_most(&rate), 0);
    }
END_TEST

/* Maxima by scipy: a grid of steps of 1e-4 in ln alpha, then minimize_scalar. The fifth has a lower
 * maximum of 1.39 at 8.18 too, the sixth one of -7.31 at -1.20. Below 0: better left out. */
static const struct {
    double S, Q, shape, rate, ln_alpha, gain;
} cases[] = {
    { 2.385, 4.1, 0, 0.5, -1.3272599865479724, 1.8879056930964506 },
    { 2.385, 4.1, 1.3, 0.2, 1.180774231013997, 0.11455792217888949 },
    { 2.385, 9.1, 0.25, 0.03, -2.2174339467710316, 12.314663317834505 },
    { 2, 1.1, 20, 1.5, 2.5918089448796446, 0.5443606664802942 },
    { 50, 100, 8.5, 0.002, 1.7063558130249383, 41.04020464529678 },
    { 3, 30, 12, 0.0001, 11.694935413387249, 0.3203099402120131 },
    { 2.385, 2, 0, 0.5, 0, -0.43 },
    { 0.5, 0.3, 0.5, 0.5, 0, -1.57 },
};

START_TEST(gains_with_a_prior)
    {
        const double S = cases[_i].S, Q = cases[_i].Q;
        /* In units of 1 / 20 the function's alpha is 20 times as large. */
        const rvm_prior unit = prior(cases[_i].shape, cases[_i].rate, 0),
                        other = prior(cases[_i].shape, cases[_i].rate / 20, 0);
        const bool wanted = cases[_i].gain > 0;
        double at = 77, scaled = 77;
        const double gain = rvm_gain_with(&at, &S, &Q, 1, &unit);
        check_close(gain, wanted ? cases[_i].gain : 0, 1e-10);
        const double S_there = 20 * S, Q_there = sqrt(20) * Q;
        check_close(rvm_gain_with(&scaled, &S_there, &Q_there, 1, &other), gain, 1e-10);
        ck_assert_double_ge(rvm_gain_bound(&S, &Q, 1, &unit), cases[_i].gain);
        if (wanted) {
            check_close(at, cases[_i].ln_alpha, 1e-5);
            check_close(scaled, at + log(20), 1e-5);
            check_close(rvm_wanted_ln_alpha(S, Q, &unit), at, 1e-12);
        } else {
            ck_assert_double_eq(at, 77);
            ck_assert_double_eq(rvm_wanted_ln_alpha(S, Q, &unit), INFINITY);
        }
    }
END_TEST

START_TEST(a_flat_prior_takes_the_closed_form)
    {
        const double S = 2, Q = 4, little = 1;
        double at = 77;
        ck_assert_double_eq(rvm_gain_with(&at, &S, &Q, 1, &rvm_prior_flat), rvm_gain(2, 4));
        ck_assert_double_eq(at, rvm_best_ln_alpha(2, 4));
        ck_assert_double_eq(rvm_wanted_ln_alpha(2, 4, &rvm_prior_flat), at);
        ck_assert_double_eq(rvm_gain_with(&at, &S, &little, 1, &rvm_prior_flat), 0);
        ck_assert_double_eq(rvm_wanted_ln_alpha(2, 1, &rvm_prior_flat), INFINITY);
    }
END_TEST

Suite *prior_suite(void);
Suite *prior_suite(void)
{
    Suite *s = suite_create("prior");
    TCase *c = tcase_create("prior");
    tcase_add_test(c, density_of_the_logarithm);
    tcase_add_loop_test(c, derivatives_by_differences, 0, 2);
    tcase_add_test(c, improper_priors_have_no_constant);
    tcase_add_test(c, flat_is_zero);
    tcase_add_test(c, mode_is_the_highest_point);
    tcase_add_loop_test(c, gains_with_a_prior, 0, (int)(sizeof cases / sizeof cases[0]));
    tcase_add_test(c, a_flat_prior_takes_the_closed_form);
    suite_add_tcase(s, c);
    return s;
}
