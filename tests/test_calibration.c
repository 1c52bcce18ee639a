/* Calibration: the optima that scipy finds of the same objectives, what models do with them, and
 * that training leaves the model itself as it is. */
#include <check.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "product/calibration.h"
#include "product/calibration_fit.h"
#include "product/predict.h"
#include "trained.h"

/* ---- Against scipy --------------------------------------------------------------------------- */

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
    CHECK_OK(rvm_calibration_fit(&c, p, &out, &s, &err));
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
        CHECK_OK(rvm_calibration_fit(&c, p, &out, &s, &err));
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
    CHECK_OK(rvm_calibration_fit(&c, p, &out, s, &err));
    ck_assert_uint_eq(c.info.rows, N);
    ck_assert_double_eq(p->target[0], 1); /* the first column is that of class 1 */
    check_close(c.info.temperature, T, 1e-6);
    check_close(c.info.loss, loss, 1e-8);
    check_close(c.info.error, error, 1e-12);
    rvm_prediction_free(&out);
    rvm_problem_free(p);
}

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

/* 0.5, 0.3 and 0.2 at temperature 2 are in proportion to their roots: 0.707107, 0.547723, 0.447214,
 * whose sum is 1.702043. What underflows keeps its logarithm. */

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

/* ---- Trained --------------------------------------------------------------------------------- */

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

Suite *calibration_suite(void)
{
    Suite *suite = suite_create("calibration");
    TCase *tc = tcase_create("calibration");

    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, spreads_are_those_of_scipy);
    tcase_add_test(tc, a_process_has_its_residual_already);
    tcase_add_test(tc, tails_are_never_those_of_a_normal_distribution);
    tcase_add_test(tc, temperatures_are_those_of_scipy);
    tcase_add_test(tc, distributions_have_their_variance);
    tcase_add_test(tc, the_model_itself_is_the_same);
    tcase_add_test(tc, rows_that_were_seen_are_not_beyond);
    tcase_add_test(tc, intervals_widen_away_from_the_data);
    tcase_add_test(tc, all_kinds_of_models_are_calibrated);
    tcase_add_test(tc, the_order_of_the_file_is_of_no_account);
    tcase_add_test(tc, nothing_learned_says_so);
    suite_add_tcase(suite, tc);
    return suite;
}
