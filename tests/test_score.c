/* Scores: small examples by hand, and the ways in which naive sums go wrong. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "rvm.h"

static const rvm_model_info regression = { .task = RVM_REGRESSION };
static const int labels[] = { 1, -1 };
static const rvm_model_info classification = { .task = RVM_CLASSIFICATION,
                                               .classes = 2,
                                               .labels = labels };

static rvm_problem *rows(const char *text)
{
    rvm_problem *p = NULL;
    rvm_error err = { 0 };

    FILE *in = fmemopen((void *)text, strlen(text), "r");
    ck_assert_ptr_nonnull(in);
    ck_assert_msg(rvm_problem_read(&p, in, (rvm_grammar){ 0 }, &err) == RVM_OK, "%s", err.message);
    fclose(in);
    return p;
}

static void add(rvm_score *score, double *value, double *variance, const char *targets)
{
    rvm_problem *p = rows(targets);
    const rvm_prediction out = {
        .rows = rvm_problem_rows(p), .outputs = 1, .value = value, .variance = variance
    };

    rvm_score_add(score, &regression, &out, p);
    rvm_problem_free(p);
}

/* The same of classes; p: of each class in each row. */
static void add_classes(rvm_score *score, const rvm_model_info *info, double *value, double *p,
                        const char *truth)
{
    rvm_problem *q = rows(truth);
    double variance[4] = { 0 }, log_p[9];
    const rvm_prediction out = { .rows = rvm_problem_rows(q),
                                 .classes = info->classes,
                                 .value = value,
                                 .variance = variance,
                                 .probability = p,
                                 .log_probability = log_p };

    for (size_t i = 0; i < out.rows * out.classes; i++)
        log_p[i] = log(p[i]);
    rvm_score_add(score, info, &out, q);
    rvm_problem_free(q);
}

/* Predictions 1, 2, 4 for targets 1, 3, 3: errors 0, 1, 1.  Central moments 14/3, 8/3 and 8/3, so
 * the squared correlation is (8/3)^2 / (14/3 8/3) = 4/7.  With variance 1/2 each the densities give
 * (3 ln(2 pi / 2) + (0 + 1 + 1) / (1/2)) / 2 = 1.5 ln(pi) + 2. */
START_TEST(regression_by_hand)
    {
        double value[] = { 1, 2, 4 }, variance[] = { 0.5, 0.5, 0.5 };
        rvm_score score = { 0 };

        add(&score, value, variance, "1\n3\n3\n");
        ck_assert_uint_eq(score.rows, 3);
        ck_assert_double_eq_tol(rvm_score_mean_squared_error(&score), 2.0 / 3, 1e-15);
        ck_assert_double_eq_tol(rvm_score_squared_correlation(&score), 4.0 / 7, 1e-15);
        ck_assert_double_eq_tol(score.nlpd, 1.5 * log(3.14159265358979323846) + 2, 1e-14);
    }
END_TEST

/* The first output as above; the second predicts 0, 0, 0 for 2, 0, -2: errors 4, 0, 4, and no
 * correlation of a constant. */
START_TEST(outputs_by_hand)
    {
        double value[] = { 1, 0, 2, 0, 4, 0 }, variance[] = { 0.5, 1, 0.5, 1, 0.5, 1 };
        rvm_score score[2] = { { 0 } };
        rvm_problem *p = NULL;
        rvm_error err = { 0 };
        static const char text[] = "1,2 1:1\n3,0\n3,-2\n";
        FILE *in = fmemopen((void *)(size_t)text, strlen(text), "r");

        ck_assert_ptr_nonnull(in);
        ck_assert_int_eq(rvm_problem_read(&p, in, (rvm_grammar){ .outputs = true }, &err), RVM_OK);
        fclose(in);
        const rvm_prediction out = {
            .rows = 3, .outputs = 2, .value = value, .variance = variance
        };
        for (size_t k = 0; k < 2; k++)
            rvm_score_add_output(&score[k], &out, p, k);
        ck_assert_double_eq_tol(rvm_score_squared_correlation(&score[0]), 4.0 / 7, 1e-15);
        ck_assert_double_eq_tol(score[0].nlpd, 1.5 * log(3.14159265358979323846) + 2, 1e-14);
        ck_assert_double_eq_tol(rvm_score_mean_squared_error(&score[1]), 8.0 / 3, 1e-15);
        ck_assert_double_eq_tol(rvm_score_mean_error_over(score, 2), (2.0 / 3 + 8.0 / 3) / 2,
                                1e-15);
        ck_assert_double_eq_tol(rvm_score_correlation_over(score, 1), 4.0 / 7, 1e-15);
        ck_assert(isnan(rvm_score_correlation_over(score, 2)));
        score[0].error2 = score[1].error2 = INFINITY; /* still a number */
        ck_assert_double_eq(rvm_score_mean_error_over(score, 2), DBL_MAX);
        rvm_problem_free(p);
    }
END_TEST

/* Residuals of both signs, just within and just beyond the quantiles of a normal distribution of variance
 * 4: R's qnorm(c(0.75, 0.95, 0.975)) = 0.6744897501960817, 1.644853626951472, 1.959963984540054.  The
 * last target is as far as double goes. */
START_TEST(intervals_by_quantiles)
    {
        double value[] = { 0, 0, 0, 0, 0, 0, 1e308 }, variance[] = { 4, 4, 4, 4, 4, 4, 4 };
        rvm_score score[2] = { { 0 } };

        ck_assert_double_eq(rvm_score_cover_over(score, 1, 0), 0);
        add(score, value, variance, "1.3489\n-1.3491\n3.2897\n-3.2898\n-3.9199\n3.92\n-1e308\n");
        ck_assert_uint_eq(score->held[0], 1);
        ck_assert_uint_eq(score->held[1], 3);
        ck_assert_uint_eq(score->held[2], 5);
        ck_assert_double_eq(rvm_score_interval(0), 0.5);
        ck_assert_double_eq(rvm_score_interval(1), 0.9);
        ck_assert_double_eq(rvm_score_interval(2), 0.95);
        ck_assert_double_eq_tol(rvm_score_cover_over(score, 1, 1), 3.0 / 7, 1e-15);
        add(&score[1], value, variance, "0\n");
        ck_assert_double_eq_tol(rvm_score_cover_over(score, 2, 1), 5.0 / 7, 1e-15);
    }
END_TEST

START_TEST(blocks_add_up)
    {
        double value[] = { 1, 2, 4 }, variance[] = { 0.5, 0.5, 0.5 };
        rvm_score score = { 0 };

        add(&score, value, variance, "1\n");
        add(&score, value + 1, variance, "3\n3\n");
        ck_assert_double_eq_tol(rvm_score_mean_squared_error(&score), 2.0 / 3, 1e-15);
        ck_assert_double_eq_tol(rvm_score_squared_correlation(&score), 4.0 / 7, 1e-15);
    }
END_TEST

/* libsvm's sums of squares have no digit left here: 1e9 squared against a spread of 1. */
START_TEST(an_offset_costs_no_digits)
    {
        double value[] = { 1e9 + 1, 1e9 + 2, 1e9 + 4 }, variance[] = { 0.5, 0.5, 0.5 };
        rvm_score score = { 0 };

        add(&score, value, variance, "1000000001\n1000000003\n1000000003\n");
        ck_assert_double_eq_tol(rvm_score_squared_correlation(&score), 4.0 / 7, 1e-6);
    }
END_TEST

START_TEST(undefined_correlations_are_nan)
    {
        double value[] = { 0.1, 0.1, 0.1 }, other[] = { 1, 2, 3 }, variance[] = { 1, 1, 1 };
        rvm_score score = { 0 };

        ck_assert(isnan(rvm_score_squared_correlation(&score)));
        add(&score, other, variance, "5\n");
        ck_assert(isnan(rvm_score_squared_correlation(&score)));
        ck_assert_double_eq(rvm_score_mean_squared_error(&score), 16);
        score = (rvm_score){ 0 };
        add(&score, value, variance, "1\n2\n3\n");
        ck_assert(isnan(rvm_score_squared_correlation(&score)));
        score = (rvm_score){ 0 };
        add(&score, other, variance, "0.1\n0.1\n0.1\n");
        ck_assert(isnan(rvm_score_squared_correlation(&score)));
    }
END_TEST

START_TEST(averages_are_finite)
    {
        double value[] = { 1e200, 0 }, variance[] = { 1, 1 };
        rvm_score score = { 0 };

        ck_assert_double_eq(rvm_score_accuracy(&score), 0);
        ck_assert_double_eq(rvm_score_mean_squared_error(&score), 0);
        add(&score, value, variance, "-1e200\n0\n");
        ck_assert_double_eq(rvm_score_mean_squared_error(&score), DBL_MAX);
        ck_assert_double_eq(score.nlpd, DBL_MAX);
        ck_assert(isnan(rvm_score_squared_correlation(&score)));
    }
END_TEST

/* 0.5 ln(2 pi 1e308) = 355.5170428542877, and half of 1e300 / 1e308; the correlation of lines is 1
 * on any scale. */
START_TEST(extreme_scales_have_scores)
    {
        double value[] = { -1e-155, 1e-155 }, variance[] = { 1e308, 1e308 };
        rvm_score score = { 0 };

        add(&score, value, variance, "-1e150\n1e150\n");
        ck_assert_double_eq_tol(score.nlpd / 2, 355.5170428542877 + 5e-9, 1e-10);
        ck_assert_double_eq_tol(rvm_score_squared_correlation(&score), 1, 1e-12);
    }
END_TEST

/* The log loss of a row of class -1, predicted `times` times with that log probability. */
static double loss_of(double log_probability, int times)
{
    double value[] = { 1 }, variance[] = { 0 }, p[] = { 1, 0 }, log_p[] = { 0, log_probability };
    rvm_prediction out = { .rows = 1,
                           .classes = 2,
                           .value = value,
                           .variance = variance,
                           .probability = p,
                           .log_probability = log_p };
    rvm_problem *truth = rows("-1\n");
    rvm_score score = { 0 };

    for (int k = 0; k < times; k++)
        rvm_score_add(&score, &classification, &out, truth);
    rvm_problem_free(truth);
    return score.log_loss;
}

START_TEST(losses_are_finite)
    {
        ck_assert_double_eq(loss_of(-1000, 1), 1000);
        ck_assert_double_eq(loss_of(-DBL_MAX, 2), DBL_MAX);
    }
END_TEST

/* Labels 1 and -1; the third row is of neither, the fourth has the label 1.5: neither is right, and
 * neither counts in the log loss, which is -ln 0.75 - ln 0.4, nor in Brier's score, which is
 * 2 (0.25^2 + 0.6^2) = 0.845. */
START_TEST(classification_by_hand)
    {
        double value[] = { 1, 1, -1, 1 }, p[] = { 0.75, 0.25, 0.6, 0.4, 0.1, 0.9, 0.5, 0.5 };
        rvm_score score = { 0 };

        add_classes(&score, &classification, value, p, "+1\n-1\n7\n1.5\n");
        ck_assert_uint_eq(score.rows, 4);
        ck_assert_uint_eq(score.correct, 1);
        ck_assert_double_eq(rvm_score_accuracy(&score), 25);
        ck_assert_uint_eq(score.log_loss_rows, 2);
        ck_assert_double_eq_tol(score.log_loss, 1.203972804325936, 1e-15); /* ln(10/3) */
        ck_assert_double_eq_tol(score.brier, 0.845, 1e-15);
    }
END_TEST

/* Three rows of labels 4, 5, 6: the second is wrong; -ln 0.5 - ln 0.25 - ln 0.8 = ln 10. Brier:
 * (0.25 + 2 x 0.0625) + (0.49 + 0.5625 + 0.0025) + (0.015625 + 0.005625 + 0.04). */
START_TEST(three_classes_by_hand)
    {
        const int three[] = { 4, 5, 6 };
        const rvm_model_info info = { .task = RVM_CLASSIFICATION, .classes = 3, .labels = three };
        double value[] = { 4, 4, 6 };
        double p[] = { 0.5, 0.25, 0.25, 0.7, 0.25, 0.05, 0.125, 0.075, 0.8 };
        rvm_score score = { 0 };

        add_classes(&score, &info, value, p, "4\n5\n6\n");
        ck_assert_uint_eq(score.correct, 2);
        ck_assert_uint_eq(score.log_loss_rows, 3);
        ck_assert_double_eq_tol(score.log_loss, 2.302585092994046, 1e-15);
        ck_assert_double_eq_tol(score.brier, 1.49125, 1e-15);
    }
END_TEST

Suite *score_suite(void)
{
    Suite *suite = suite_create("score");
    TCase *tc = tcase_create("score");

    tcase_add_test(tc, outputs_by_hand);
    tcase_add_test(tc, regression_by_hand);
    tcase_add_test(tc, intervals_by_quantiles);
    tcase_add_test(tc, blocks_add_up);
    tcase_add_test(tc, an_offset_costs_no_digits);
    tcase_add_test(tc, undefined_correlations_are_nan);
    tcase_add_test(tc, averages_are_finite);
    tcase_add_test(tc, extreme_scales_have_scores);
    tcase_add_test(tc, losses_are_finite);
    tcase_add_test(tc, classification_by_hand);
    tcase_add_test(tc, three_classes_by_hand);
    suite_add_tcase(suite, tc);
    return suite;
}
