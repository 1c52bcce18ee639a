/* Calibration: the optima that scipy finds of the same objectives, and the distributions that they
 * are about. */
#include <check.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "product/calibration.h"
#include "product/calibration_fit.h"
#include "product/predict.h"
#include "team_threads.h"
#include "trained.h"

static rvm_status fit_to_all(rvm_calibration *c, const rvm_problem *p, const rvm_prediction *out,
                             const rvm_settings *s, rvm_error *err)
{
    size_t row[100];
    ck_assert(p->rows <= 100);
    for (size_t n = 0; n < p->rows; n++)
        row[n] = n;
    return rvm_calibration_fit(c, p, out, row, p->rows, s, err);
}

static double to_thousandths(double x)
{
    return rint(1000 * x) / 1000;
}

/* 40 rows: means 3 sin(0.4 n), errors that one outlier may be among, variances and residuals by
 * formula. p and out are made. */
static rvm_problem *held_out_targets(rvm_prediction *out, bool outlier)
{
    enum { N = 40 };
    rvm_problem *p = empty_problem();
    ck_assert(rvm_prediction_resize(out, N, 0, 1));
    for (int n = 0; n < N; n++) {
        const double e =
            outlier && n == 7 ? 9 : to_thousandths(sin(1.7 * n) * (1 + 0.5 * cos(n)) * 1.5);
        out->value[n] = to_thousandths(3 * sin(0.4 * n));
        out->variance[n] = to_thousandths(0.4 + 0.3 * gsl_pow_2(cos(0.9 * n)));
        out->residual[n] = to_thousandths((n % 10) / 10.0 * 0.8);
        append_dense(p, out->value[n] + e, NULL, 0);
    }
    return p;
}

static void check_spread(bool kernel_prior, const rvm_spread *want, double loss,
                         const double cover[3])
{
    rvm_settings s = rvm_settings_default();
    rvm_prediction out = { 0 };
    rvm_calibration c = { .spread = NULL };
    rvm_error err = { 0 };
    rvm_problem *p = held_out_targets(&out, true);
    s.task = RVM_REGRESSION;
    s.kernel_prior = kernel_prior;
    CHECK_OK(fit_to_all(&c, p, &out, &s, &err));
    ck_assert_uint_eq(c.info.rows, 40);
    check_close(c.spread->factor, want->factor, 1e-4);
    check_close(c.spread->residual, want->residual, 1e-4);
    check_close(c.spread->beyond, want->beyond, 1e-4);
    check_close(c.spread->edge, want->edge, 1e-12);
    check_close(c.spread->degrees, want->degrees, 1e-4);
    check_close(c.info.loss, loss, 1e-6);
    check_close(c.info.error, 3.2557141, 1e-7);
    for (size_t i = 0; i < 3; i++)
        check_close(c.info.cover[i], cover[i], 1e-12);
    rvm_calibration_free(&c);
    rvm_prediction_free(&out);
    rvm_problem_free(p);
}

/* scipy.optimize.minimize of the objective at the head of calibration_fit.c, from three starts,
 * scipy.stats.t for density and cover; V = 4.466... is that of the means, 0.72 their quantile of
 * 0.99. */
START_TEST(spreads_are_those_of_scipy)
    {
        const rvm_spread flat = { 2.0656011022, 2.6873473956, 1.7004630397, 0.72, 4.8441266351 };
        const double cover[] = { 0.475, 0.925, 0.975 };
        check_spread(false, &flat, 1.7638181527, cover);
    }
END_TEST

/* The same with two parameters: the process has said of the residual what there is to say. */
START_TEST(a_process_has_its_residual_already)
    {
        const rvm_spread process = { 3.4518601734, 0, 0, 0, 4.0732816984 };
        const double cover[] = { 0.4, 0.925, 0.975 };
        check_spread(true, &process, 1.7622774017, cover);
    }
END_TEST

/* Errors with no tail at all: nu is (6 N)^1/2, scipy finds the others with that. A target 100 standard
 * deviations away costs some 60 nats then, where the normal distribution would have 5000. */
START_TEST(tails_are_never_those_of_a_normal_distribution)
    {
        rvm_settings s = rvm_settings_default();
        rvm_prediction out = { 0 };
        rvm_calibration c = { .spread = NULL };
        rvm_error err = { 0 };
        rvm_problem *p = held_out_targets(&out, false);
        s.task = RVM_REGRESSION;
        CHECK_OK(fit_to_all(&c, p, &out, &s, &err));
        check_close(c.spread->degrees, sqrt(240), 1e-4);
        check_close(c.spread->factor, 1.5511450369, 1e-4);
        check_close(c.spread->residual, 1.4140003291, 1e-4);
        check_close(c.spread->beyond, 2.9738101062, 1e-4);
        ck_assert_double_gt(rvm_spread_log_density(100, 1, c.spread->degrees), -60);
        rvm_calibration_free(&c);
        rvm_prediction_free(&out);
        rvm_problem_free(p);
    }
END_TEST

/* 30 rows of log-odds 4 or 12 sin(1.3 n + 0.5), of class 1 where sin(1.3 n + 0.5) + 0.9 cos(2.1 n) > 0:
 * scipy.optimize.minimize_scalar finds the temperatures. */
static void check_temperature(const rvm_settings *s, double scale, double T, double loss,
                              double error)
{
    enum { N = 30 };
    rvm_prediction out = { 0 };
    rvm_calibration c = { .spread = NULL };
    rvm_error err = { 0 };
    rvm_problem *p = empty_problem();
    ck_assert(rvm_prediction_resize(&out, N, 2, 1));
    for (int n = 0; n < N; n++) {
        const double wave = sin(1.3 * n + 0.5), f = scale * to_thousandths(4 * wave);
        out.value[n] = f >= 0 ? 1 : -1;
        out.log_probability[2 * n] = -log1p(exp(-f));
        out.log_probability[2 * n + 1] = -log1p(exp(f));
        append_dense(p, wave + 0.9 * cos(2.1 * n) > 0 ? 1 : -1, NULL, 0);
    }
    CHECK_OK(fit_to_all(&c, p, &out, s, &err));
    ck_assert_uint_eq(c.info.rows, N);
    ck_assert_double_eq(p->target[0], 1);                  /* the first column is that of class 1 */
    check_close(c.info.temperature, T, T == 1 ? 0 : 1e-6); /* 1 is an edge: to the last bit */
    check_close(c.info.loss, loss, 1e-8);
    check_close(c.info.error, error, 1e-12);
    rvm_prediction_free(&out);
    rvm_problem_free(p);
}

/* Of rows that are not predicted only the class is looked at. 60 of class -1 between the 30 rows
 * above, scale 3, make its share 74/90: scipy finds the temperatures with that. */
START_TEST(shares_are_those_of_all_rows)
    {
        enum { N = 30, STEP = 3 };
        static const double weight[] = { 1, 0.25 }, T[] = { 2.1866705466, 2.5653942873 },
                            loss[] = { 0.4958758606, 0.5066996961 }, error[] = { 4.0 / 30, 0.2 };
        const rvm_class_weight w = { -1, weight[_i] };
        rvm_settings s = rvm_settings_default();
        rvm_prediction out = { 0 };
        rvm_calibration c = { .spread = NULL };
        rvm_error err = { 0 };
        rvm_problem *p = empty_problem();
        size_t row[N];
        s.class_weights = &w;
        s.class_weight_count = 1;
        ck_assert(rvm_prediction_resize(&out, STEP * N, 2, 1));
        for (size_t k = 0; k < (size_t)STEP * N; k++) {
            const double n = (double)(k / STEP), wave = sin(1.3 * n + 0.5);
            const double f = 3 * to_thousandths(4 * wave);
            const bool there = k % STEP == 2;
            out.log_probability[2 * k] = there ? -log1p(exp(-f)) : (double)NAN;
            out.log_probability[2 * k + 1] = there ? -log1p(exp(f)) : (double)NAN;
            append_dense(p, there && wave + 0.9 * cos(2.1 * n) > 0 ? 1 : -1, NULL, 0);
            row[k / STEP] = k; /* the last of STEP stays */
        }
        CHECK_OK(rvm_calibration_fit(&c, p, &out, row, N, &s, &err));
        ck_assert_uint_eq(c.info.rows, N);
        check_close(c.info.temperature, T[_i], 1e-6);
        check_close(c.info.loss, loss[_i], 1e-8);
        check_close(c.info.error, error[_i], 1e-12);
        rvm_prediction_free(&out);
        rvm_problem_free(p);
    }
END_TEST

/* Those in odd places are predicted: the spread is that of scipy above, of a problem without others. */
START_TEST(other_rows_of_a_regression_are_of_no_account)
    {
        rvm_settings s = rvm_settings_default();
        rvm_prediction rows = { 0 }, out = { 0 };
        rvm_calibration c = { .spread = NULL };
        rvm_error err = { 0 };
        rvm_problem *of_rows = held_out_targets(&rows, true), *p = rvm_problem_alloc();
        size_t row[40];
        s.task = RVM_REGRESSION;
        ck_assert_ptr_nonnull(p);
        ck_assert(rvm_prediction_resize(&out, 80, 0, 1));
        for (size_t n = 0; n < 80; n++) {
            const size_t from = n / 2;
            const bool there = n % 2 == 1;
            out.value[n] = there ? rows.value[from] : (double)NAN;
            out.variance[n] = there ? rows.variance[from] : (double)NAN;
            out.residual[n] = there ? rows.residual[from] : (double)NAN;
            append_dense(p, there ? of_rows->target[from] : 1e6, NULL, 0);
            row[from] = n;
        }
        CHECK_OK(rvm_calibration_fit(&c, p, &out, row, 40, &s, &err));
        ck_assert_uint_eq(c.info.rows, 40);
        check_close(c.spread->factor, 2.0656011022, 1e-4);
        check_close(c.spread->residual, 2.6873473956, 1e-4);
        check_close(c.spread->degrees, 4.8441266351, 1e-4);
        check_close(c.info.loss, 1.7638181527, 1e-6);
        rvm_calibration_free(&c);
        rvm_prediction_free(&rows);
        rvm_prediction_free(&out);
        rvm_problem_free(of_rows);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Many rows ------------------------------------------------------------------------------- */

enum { MANY = 120000 }; /* of which two thirds are left out: more than are looked at */

/* Rows first .. end - 1 in canonical order, and their predictions. */
static rvm_problem *many_rows(rvm_prediction *out, rvm_task task, size_t first, size_t end)
{
    const bool classes = task == RVM_CLASSIFICATION;
    rvm_problem *p = empty_problem();
    ck_assert(rvm_prediction_resize(out, end - first, classes ? 2 : 0, 1));
    for (size_t n = first; n < end; n++) {
        const double x = (double)n, u = fraction(0.6180339887 * x), e = fraction(0.7548776662 * x);
        const size_t i = n - first;
        const int index = 1;
        double t = sin(6 * u) + 0.4 * (e - 0.5);
        if (classes) {
            out->log_probability[2 * i] = -log1p(exp(-9 * (u - 0.5)));
            out->log_probability[2 * i + 1] = -log1p(exp(9 * (u - 0.5)));
            t = e < 1 / (1 + exp(-4 * (u - 0.5))) ? 1 : -1;
        } else {
            out->value[i] = sin(6 * u);
            out->variance[i] = 0.01 + 0.02 * u;
            out->residual[i] = u * u / 2;
        }
        ck_assert(rvm_problem_append(p, t, &index, &x, 1));
    }
    return p;
}

static void fit_many(rvm_calibration *c, const rvm_problem *p, const rvm_prediction *out,
                     rvm_task task, size_t first)
{
    rvm_settings s = rvm_settings_default();
    size_t *row = calloc(p->rows + 1, sizeof *row), count = 0;
    rvm_error err = { 0 };
    s.task = task;
    for (size_t i = 0; i < p->rows; i++)
        if ((first + i) % 3 > 0)
            row[count++] = i;
    CHECK_OK(rvm_calibration_fit(c, p, out, row, count, &s, &err));
    free(row);
}

/* What one process has come to. */
typedef struct {
    rvm_task task;
    rvm_calibration c;
} fitted;

static void fit_together(void *context, rvm_team *team)
{
    const fitted *alone = context;
    const rvm_spans spans = rvm_spans_make(MANY, team);
    const size_t first = rvm_spans_first_row(&spans), here = rvm_spans_here(&spans);
    rvm_prediction out = { 0 };
    rvm_calibration c = { .spread = NULL };
    rvm_problem *p = many_rows(&out, alone->task, first, first + here);
    p->team = team;
    p->all = MANY;
    fit_many(&c, p, &out, alone->task, first);
    ck_assert_uint_eq(c.info.rows, alone->c.info.rows);
    ck_assert_double_eq(c.info.loss, alone->c.info.loss);
    ck_assert_double_eq(c.info.error, alone->c.info.error);
    ck_assert_double_eq(c.info.temperature, alone->c.info.temperature);
    ck_assert_uint_eq(c.outputs, alone->c.outputs);
    if (c.outputs > 0)
        ck_assert_mem_eq(c.spread, alone->c.spread, sizeof *c.spread);
    rvm_calibration_free(&c);
    rvm_prediction_free(&out);
    rvm_problem_free(p);
}

/* Errors are even from -0.2 to 0.2, a variance of 0.4^2 / 12; logits are 4 (u - 1/2), and were
 * predicted as 9 (u - 1/2), so that T is 9/4, but for the sample of rows and the prior. */
START_TEST(a_team_fits_to_the_same_rows)
    {
        static const int teams[] = { 1, 2, 3, 7 };
        fitted alone = { tasks[_i], { .spread = NULL } };
        rvm_prediction out = { 0 };
        rvm_problem *p = many_rows(&out, alone.task, 0, MANY);
        fit_many(&alone.c, p, &out, alone.task, 0);
        ck_assert_uint_eq(alone.c.info.rows, 50000);
        if (alone.task == RVM_REGRESSION)
            check_close(alone.c.info.error, 0.16 / 12, 0.01);
        else
            check_close(alone.c.info.temperature, 2.25, 0.05);
        for (size_t t = 0; t < sizeof teams / sizeof teams[0]; t++)
            team_threads_run(teams[t], fit_together, &alone);
        rvm_calibration_free(&alone.c);
        rvm_prediction_free(&out);
        rvm_problem_free(p);
    }
END_TEST

/* A fifth of the rows is a fold: so many of them as hold 2000 rows, and 100 that are not of the
 * commonest class, by hand. */
START_TEST(folds_are_as_many_as_there_is_need_of)
    {
        static const struct {
            size_t rows, others, folds;
        } cases[] = { { 4, 4, 5 },          { 10, 10, 5 },       { 2500, 2500, 4 },
                      { 2499, 2499, 5 },    { 3335, 3335, 3 },   { 3334, 3334, 4 },
                      { 5000, 5000, 2 },    { 9999, 9999, 2 },   { 10000, 10000, 1 },
                      { 1000000, 5000, 1 }, { 10000, 500, 1 },   { 10000, 499, 2 },
                      { 10000, 170, 3 },    { 1000000, 124, 5 }, { 1000000, 125, 4 },
                      { 1000000, 3, 5 },    { 9999, 170, 3 } };
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
            ck_assert_uint_eq(rvm_calibration_folds(cases[k].rows, cases[k].others),
                              cases[k].folds);
    }
END_TEST

START_TEST(temperatures_are_those_of_scipy)
    {
        const rvm_class_weight quarter = { -1, 0.25 }, huge[] = { { 1, 1e308 }, { -1, 0.25e308 } };
        rvm_settings s = rvm_settings_default();
        check_temperature(&s, 1, 1, 0.4036137419,
                          0.2); /* the prior outweighs what there is to gain */
        check_temperature(&s, 3, 2.5985947611, 0.4215075147, 0.2);
        s.class_weights = &quarter;
        s.class_weight_count = 1;
        check_temperature(&s, 1, 1.2315746212, 0.3907646815, 0.2);
        check_temperature(&s, 3, 2.8228500117, 0.3649986379, 4.0 / 15);
        /* Only their ratio counts, however large they are. */
        s.class_weights = huge;
        s.class_weight_count = 2;
        check_temperature(&s, 3, 2.8228500117, 0.3649986379, 4.0 / 15);
    }
END_TEST

/* 60 rows, all right, of probability 0.6: scipy.optimize.minimize_scalar of 60 ln(1 + (2/3)^(1/T)) - 10 ln T. */
START_TEST(rows_that_are_all_right_sharpen)
    {
        const rvm_settings s = rvm_settings_default();
        rvm_prediction out = { 0 };
        rvm_calibration c = { .spread = NULL };
        rvm_error err = { 0 };
        rvm_problem *p = empty_problem();
        ck_assert(rvm_prediction_resize(&out, 60, 2, 1));
        for (size_t n = 0; n < 60; n++) {
            out.value[n] = n % 2 == 0 ? 1 : -1;
            out.log_probability[2 * n + n % 2] = log(0.6);
            out.log_probability[2 * n + 1 - n % 2] = log(0.4);
            append_dense(p, out.value[n], NULL, 0);
        }
        CHECK_OK(fit_to_all(&c, p, &out, &s, &err));
        check_close(c.info.temperature, 0.1482490177, 1e-6);
        check_close(c.info.loss, 0.0628736078, 1e-7);
        rvm_prediction_free(&out);
        rvm_problem_free(p);
    }
END_TEST

/* R: dt(1.5 / s, 5) / s with s = (2 * 3 / 5)^0.5 is 0.1400338, 2 * pt(1.5 / s, 5) - 1 is 0.7709...,
 * qt(0.95, 5) * (3 / 5)^0.5 = 1.5608663; normal: dnorm(1, 0, 2^0.5) = 0.2196956. */
START_TEST(distributions_have_their_variance)
    {
        const double s = sqrt(1.2), z = 1.5 / s;
        /* t of 5 degrees by hand: density 8 / (3 pi 5^0.5) (1 + z^2 / 5)^-3. */
        const double density = 8 / (3 * M_PI * sqrt(5)) * pow(1 + z * z / 5, -3) / s;
        check_close(rvm_spread_log_density(1.5, 2, 5), log(density), 1e-13);
        /* P = 2 / pi (u + sin u cos u (1 + 2/3 cos^2 u)), tan u = z / 5^0.5. */
        const double u = atan(z / sqrt(5));
        check_close(rvm_spread_central_probability(-1.5, 2, 5),
                    2 / M_PI * (u + sin(u) * cos(u) * (1 + 2.0 / 3 * gsl_pow_2(cos(u)))), 1e-12);
        check_close(rvm_spread_steps(0.9, 5), 2.015048373333 * sqrt(0.6), 1e-10);
        check_close(rvm_spread_log_density(1, 2, 0), -0.25 - 0.5 * log(4 * M_PI), 1e-14);
        check_close(rvm_spread_central_probability(1.959963984540, 1, 0), 0.95, 1e-11);
        check_close(rvm_spread_steps(0.95, 0), 1.959963984540, 1e-11);
    }
END_TEST

Suite *calibration_suite(void)
{
    Suite *suite = suite_create("calibration");
    TCase *tc = tcase_create("calibration");

    tcase_add_test(tc, spreads_are_those_of_scipy);
    tcase_add_test(tc, a_process_has_its_residual_already);
    tcase_add_test(tc, tails_are_never_those_of_a_normal_distribution);
    tcase_add_loop_test(tc, shares_are_those_of_all_rows, 0, 2);
    tcase_add_test(tc, other_rows_of_a_regression_are_of_no_account);
    tcase_add_test(tc, folds_are_as_many_as_there_is_need_of);
    tcase_add_test(tc, temperatures_are_those_of_scipy);
    tcase_add_test(tc, rows_that_are_all_right_sharpen);
    tcase_add_test(tc, distributions_have_their_variance);
    suite_add_tcase(suite, tc);
    tc = tcase_create("many rows");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, a_team_fits_to_the_same_rows, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}
