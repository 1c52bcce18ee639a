/* Training with -b 1: what calibrated models predict, and that training leaves the model itself as it
 * is. */
#include <check.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "product/calibration_fit.h"
#include "product/predict.h"
#include "trained.h"

static rvm_problem *shipped(const char *name)
{
    rvm_problem *p = NULL;
    rvm_error err = { 0 };
    FILE *in = fopen(name, "r");
    ck_assert_msg(in != NULL, "%s", name);
    CHECK_OK(rvm_problem_read(&p, in, (rvm_grammar){ 0 }, &err));
    fclose(in);
    return p;
}

/* A bump in noise of 0.1, at 60 places from -3 to 3. */
static rvm_problem *bump(void)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(3);
    for (int n = 0; n < 60; n++) {
        const double x = -3 + 0.1 * n;
        append_dense(p, exp(-x * x) + gsl_ran_gaussian(rng, 0.1), &x, 1);
    }
    gsl_rng_free(rng);
    return p;
}

/* Vectors, weights and precisions are those of training without -b 1: only what is said of their
 * errors changes. */
START_TEST(the_model_itself_is_the_same)
    {
        rvm_settings s = rvm_settings_default();
        rvm_problem *p = bump();
        s.task = RVM_REGRESSION;
        s.kernel.gamma = 1;
        rvm_model *plain = train(p, &s);
        s.probability = true;
        rvm_model *m = train(p, &s);
        rvm_prediction a = predict(plain, p), b = predict(m, p);
        ck_assert_uint_eq(rvm_model_calibration(plain).rows, 0);
        ck_assert_uint_eq(rvm_model_calibration(m).rows, 60);
        for (size_t n = 0; n < 60; n++)
            ck_assert_double_eq(a.value[n], b.value[n]);
        rvm_prediction_free(&a);
        rvm_prediction_free(&b);
        rvm_model_free(plain);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* Of 60 rows that the model was trained on at most one is farther from its vectors than the 0.99
 * quantile, whatever the folds have said; an edge that is farther still stays. */
START_TEST(rows_that_were_seen_are_not_beyond)
    {
        rvm_settings s = rvm_settings_default();
        const rvm_predictor_settings asked = { .variance = true, .residual = true, .threads = 1 };
        rvm_prediction out = { 0 };
        rvm_error err = { 0 };
        rvm_problem *p = bump();
        s.task = RVM_REGRESSION;
        s.kernel.gamma = 1;
        s.probability = true;
        rvm_model *m = train(p, &s);
        int beyond = 0;
        m->calibration.spread->edge = 0;
        m->calibration.spread->beyond = 1;
        CHECK_OK(rvm_calibration_fit_edge(m, p, 1, &err));
        CHECK_OK(rvm_predict_by(&out, m, p, &asked, &err));
        for (size_t n = 0; n < 60; n++)
            beyond += out.residual[n] > m->calibration.spread->edge;
        ck_assert_int_eq(beyond, 1);
        m->calibration.spread->edge = 0.999999;
        CHECK_OK(rvm_calibration_fit_edge(m, p, 1, &err));
        ck_assert_double_ge(m->calibration.spread->edge, 0.999999);
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* Far from all vectors of a kernel that falls off r is 1, the variance of the weights that of the
 * bias: what the lines of the model say of it is what is predicted. */
START_TEST(intervals_widen_away_from_the_data)
    {
        rvm_settings s = rvm_settings_default();
        rvm_problem *p = bump(), *q = empty_problem();
        const double far[] = { 0, 1000 };
        s.task = RVM_REGRESSION;
        s.kernel.gamma = 1;
        s.probability = true;
        rvm_model *m = train(p, &s);
        append_dense(q, 0, &far[0], 1);
        append_dense(q, 0, &far[1], 1);
        rvm_prediction now = predict(m, q);
        const rvm_spread spread = m->calibration.spread[0];
        m->calibration.info.rows = 0;
        rvm_prediction before = predict(m, q);
        check_close(now.variance[1],
                    spread.factor * before.variance[1] + spread.residual + spread.beyond, 1e-12);
        ck_assert_double_eq(now.residual[1], 1);
        ck_assert(now.variance[1] > 4 * now.variance[0]);
        rvm_prediction_free(&now);
        rvm_prediction_free(&before);
        rvm_model_free(m);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* Each setting whose folds must be like it, and a file that says the same again. */
static void check_round(const rvm_problem *p, const rvm_settings *s)
{
    rvm_model *m = train(p, s);
    char *text = bytes_of(m);
    rvm_model *again = model_from_text(text);
    rvm_prediction a = predict(m, p), b = predict(again, p);
    ck_assert_uint_eq(rvm_model_calibration(m).rows, p->rows);
    check_same_bytes(m, again);
    check_finite_predictions(m, p);
    for (size_t n = 0; n < a.rows * a.classes; n++)
        check_close(a.log_probability[n], b.log_probability[n], 1e-8);
    for (size_t n = 0; n < a.rows && a.classes == 0; n++)
        check_close(a.variance[n], b.variance[n], 1e-8) /* draws have 9 digits */;
    rvm_prediction_free(&a);
    rvm_prediction_free(&b);
    rvm_model_free(m);
    rvm_model_free(again);
    free(text);
}

START_TEST(all_kinds_of_models_are_calibrated)
    {
        rvm_settings s = rvm_settings_default();
        rvm_problem *p = bump(), *classes = shipped("data/iris");
        s.probability = true;
        s.threads = 1;
        s.kernel.gamma = 0.5;
        check_round(classes, &s);
        s.kernel_prior = true;
        check_round(classes, &s);
        s.task = RVM_REGRESSION;
        check_round(p, &s);
        s.kernel_prior = false;
        s.kernel.type = RVM_SIGMOID;
        check_round(p, &s);
        s.kernel.type = RVM_NO_KERNEL;
        s.linear = true;
        check_round(p, &s);
        s.kernel.type = RVM_RBF;
        s.ard = true;
        check_round(p, &s);
        s.ard = false;
        s.method = RVM_METHOD_GIBBS;
        s.sampling.samples = 200;
        s.sampling.burn_in = 50;
        s.sampling.chains = 1;
        check_round(p, &s);
        rvm_problem_free(p);
        rvm_problem_free(classes);
    }
END_TEST

static rvm_problem *backwards(const rvm_problem *p)
{
    size_t *row = calloc(p->rows, sizeof *row);
    ck_assert_ptr_nonnull(row);
    for (size_t n = 0; n < p->rows; n++)
        row[n] = p->rows - 1 - n;
    rvm_problem *q = rvm_problem_subset(p, row, p->rows);
    ck_assert_ptr_nonnull(q);
    free(row);
    return q;
}

/* Folds are drawn by the order of the rows, but not that of the file; nor does it matter which class is
 * the first one there. */
START_TEST(the_order_of_the_file_is_of_no_account)
    {
        rvm_settings s = rvm_settings_default();
        rvm_problem *p = bump(), *q = backwards(p), *classes = shipped("data/iris"),
                    *other = backwards(classes);
        s.probability = true;
        s.kernel.gamma = 0.5;
        rvm_model *a = train(classes, &s), *b = train(other, &s);
        ck_assert_double_eq(a->calibration.info.temperature, b->calibration.info.temperature);
        ck_assert_double_eq(a->calibration.info.loss, b->calibration.info.loss);
        rvm_model_free(a);
        rvm_model_free(b);
        s.task = RVM_REGRESSION;
        a = train(p, &s);
        b = train(q, &s);
        check_same_bytes(a, b);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
        rvm_problem_free(q);
        rvm_problem_free(classes);
        rvm_problem_free(other);
    }
END_TEST

/* N rows of two inputs and a line with noise of 1; or two classes, the first `others` of them of the
 * rarer one, which is farther up. */
static rvm_problem *line(size_t N, size_t others)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(8);
    for (size_t n = 0; n < N; n++) {
        double x[2] = { gsl_ran_gaussian(rng, 1), gsl_ran_gaussian(rng, 1) };
        const double t = 2 * x[0] - x[1] + gsl_ran_gaussian(rng, 1);
        x[0] += n < others ? 1 : 0;
        append_dense(p, others == 0 ? t : n < others ? 7 : 3, x, 2);
    }
    gsl_rng_free(rng);
    return p;
}

/* Folds are of 2400 rows: one of them of a regression; two where one has only 60 rows of the rarer
 * class. Neither threads nor the order of the file make another model. */
START_TEST(many_rows_need_few_folds)
    {
        const size_t others = _i == 0 ? 0 : 300;
        rvm_settings s = rvm_settings_default();
        rvm_problem *p = line(12000, others), *q = backwards(p);
        s.task = _i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION;
        s.kernel.type = RVM_NO_KERNEL;
        s.linear = true;
        s.probability = true;
        s.threads = 1;
        rvm_model *a = train(p, &s);
        s.threads = 3;
        rvm_model *b = train(p, &s), *c = train(q, &s);
        const rvm_calibration_info info = rvm_model_calibration(a);
        ck_assert_uint_eq(info.rows, _i == 0 ? 2400 : 4800);
        check_same_bytes(a, b);
        ck_assert_double_eq(info.loss, rvm_model_calibration(c).loss);
        /* 2400 squares of noise have a mean of 1 with standard error .03. */
        if (_i == 0)
            check_close(info.error, 1, 0.12);
        else /* and four of five of the rarer class are taken for the other one, or all */
            ck_assert(info.error > 0.015 && info.error <= 0.0251);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_model_free(c);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* Of pure noise probabilities are the shares, and an interval is that of the targets, about. */
START_TEST(nothing_learned_says_so)
    {
        rvm_settings s = rvm_settings_default();
        rvm_problem *p = noise_problem(50, 3, 5);
        s.probability = true;
        s.task = RVM_REGRESSION;
        s.kernel.gamma = 0.3;
        rvm_model *m = train(p, &s);
        rvm_prediction out = predict(m, p);
        const double variance = gsl_stats_variance(p->target, 1, p->rows);
        for (size_t n = 0; n < p->rows; n++) {
            ck_assert_double_gt(out.variance[n], 0.6 * variance);
            ck_assert_double_lt(out.variance[n], 1.6 * variance);
        }
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

Suite *train_calibration_suite(void)
{
    Suite *suite = suite_create("train_calibration");
    TCase *tc = tcase_create("train_calibration");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, the_model_itself_is_the_same);
    tcase_add_test(tc, rows_that_were_seen_are_not_beyond);
    tcase_add_test(tc, intervals_widen_away_from_the_data);
    tcase_add_test(tc, all_kinds_of_models_are_calibrated);
    tcase_add_test(tc, the_order_of_the_file_is_of_no_account);
    tcase_add_loop_test(tc, many_rows_need_few_folds, 0, 2);
    tcase_add_test(tc, nothing_learned_says_so);
    suite_add_tcase(suite, tc);
    return suite;
}
