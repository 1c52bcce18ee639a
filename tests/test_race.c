/* The race of candidates: what wins, what must not, and what the result must not depend on. */
#include <math.h>
#include <stdlib.h>

#include "product/race.h"
#include "trained.h"

/* All that --auto leaves open. */
static rvm_settings race_settings(rvm_task task)
{
    rvm_settings s = rvm_settings_default();
    rvm_error err = { 0 };
    s.task = task;
    s.threads = 1;
    CHECK_OK(rvm_settings_set(&s, "auto", NULL, &err));
    return s;
}

static rvm_status train_fold(rvm_model **out, rvm_report *last, const rvm_problem *p,
                             const rvm_settings *s, rvm_error *err)
{
    *last = (rvm_report){ .done = true };
    return rvm_train(out, p, s, err);
}

static rvm_race *run_race(const rvm_problem *p, const rvm_settings *s, rvm_training *how)
{
    rvm_race *r = NULL;
    rvm_error err = { 0 };
    bool done = false;
    double before = 0;
    CHECK_OK(rvm_race_alloc(&r, p, s, how, &err));
    for (int k = 0; !done && !(s->interrupted != NULL && *s->interrupted); k++) {
        rvm_report report = { .done = false };
        ck_assert_int_lt(k, 1000);
        CHECK_OK(rvm_race_step(&done, r, &err));
        rvm_race_report(&report, r);
        ck_assert(report.progress >= 0 && report.progress <= 1 && report.trials >= 0);
        before = report.progress;
    }
    ck_assert(!done || before == 1);
    return r;
}

static rvm_settings applied(const rvm_race *r, const rvm_settings *asked)
{
    rvm_settings s = *asked;
    rvm_race_apply(&s, r);
    ck_assert(!s.tune.race && !s.tune.gamma);
    return s;
}

/* ---- What it does not depend on -------------------------------------------------------------- */

static rvm_problem *three_classes(size_t N)
{
    rvm_problem *p = weyl_problem(N, RVM_REGRESSION);
    for (size_t n = 0; n < N; n++)
        p->target[n] = p->target[n] < -0.4 ? 3 : p->target[n] < 0.4 ? -8 : 5;
    return p;
}

static rvm_problem *problem_number(int number, rvm_task *task)
{
    *task = number == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION;
    return number == 2 ? three_classes(60) : weyl_problem(60, *task);
}

START_TEST(threads_do_not_matter)
    {
        rvm_task task;
        rvm_problem *p = problem_number(_i, &task);
        rvm_settings s = race_settings(task);
        s.probability = true;
        rvm_model *a = train(p, &s);
        s.threads = 3;
        rvm_model *b = train(p, &s);
        check_same_bytes(a, b);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(order_of_rows_does_not_matter)
    {
        rvm_task task;
        rvm_problem *p = problem_number(_i, &task), *q = reordered(p, p->rows - 1, 1);
        const rvm_settings s = race_settings(task);
        rvm_race *a = run_race(p, &s, train_fold), *b = run_race(q, &s, train_fold);
        const rvm_settings x = applied(a, &s), y = applied(b, &s);
        ck_assert(x.kernel.type == y.kernel.type && x.kernel.gamma == y.kernel.gamma &&
                  x.kernel.degree == y.kernel.degree && x.ard == y.ard && x.linear == y.linear &&
                  x.kernel_prior == y.kernel_prior);
        ck_assert_uint_eq(rvm_race_contenders(a), rvm_race_contenders(b));
        for (size_t k = 0; k < rvm_race_contenders(a); k++) {
            const rvm_contender c = rvm_race_contender(a, k), d = rvm_race_contender(b, k);
            ck_assert(c.loss == d.loss && c.vectors == d.vectors && c.behind == d.behind);
        }
        rvm_race_free(a);
        rvm_race_free(b);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* ---- Who wins ------------------------------------------------------------------------------- */

/* The winner is within a standard error of the least loss, and has no more vectors than that one; a kernel
 * is named once. */
START_TEST(ties_go_to_the_sparser)
    {
        rvm_task task;
        rvm_problem *p = problem_number(_i, &task);
        const rvm_settings s = race_settings(task);
        rvm_race *r = run_race(p, &s, train_fold);
        const rvm_contender first = rvm_race_contender(r, 0);
        const rvm_contender best = rvm_race_contender(r, rvm_race_winner(r));
        ck_assert(rvm_race_has_learned(r));
        ck_assert_int_eq(best.lap, RVM_FINISHED);
        ck_assert(-first.behind <= first.uncertainty);
        ck_assert(best.vectors <= first.vectors);
        ck_assert(best.behind == 0 && best.uncertainty == 0);
        for (size_t k = 0; k < rvm_race_contenders(r); k++) {
            const rvm_contender c = rvm_race_contender(r, k);
            ck_assert(isfinite(c.loss) && c.rows > 0);
            for (size_t i = 0; i < k && c.lap == RVM_SCREENED; i++) {
                const rvm_contender other = rvm_race_contender(r, i);
                ck_assert(other.what.kernel.type != c.what.kernel.type ||
                          other.what.kernel.degree != c.what.kernel.degree ||
                          other.what.ard != c.what.ard || other.what.linear != c.what.linear);
            }
        }
        rvm_race_free(r);
        rvm_problem_free(p);
    }
END_TEST

/* 20 draws of 60 rows of four features and targets that have nothing to do with them: no function but the
 * bias in 19 of them. */
START_TEST(nothing_to_learn)
    {
        const rvm_settings s = race_settings(tasks[_i]);
        size_t empty = 0;
        for (unsigned long seed = 1; seed <= 20; seed++) {
            rvm_problem *p = noise_problem(60, 4, seed);
            for (size_t n = 0; n < p->rows && s.task == RVM_CLASSIFICATION; n++)
                p->target[n] = p->target[n] > 0 ? 1 : -1;
            rvm_model *m = train(p, &s);
            empty += rvm_model_describe(m).vectors == 0;
            rvm_model_free(m);
            rvm_problem_free(p);
        }
        ck_assert_msg(empty >= 19, "%zu of 20", empty);
    }
END_TEST

/* Six uniform inputs, 5 + 1.5 (x_1 + x_2 - 1) and noise of 0.6, a whole number: a variance of .36 and of
 * 1/12 from rounding. Of five rows two are there twice, with the same target. */
static rvm_problem *quality_scores(size_t N)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(3);
    double x[6];
    for (size_t n = 0; n < N; n++) {
        for (int k = 0; k < 6; k++)
            x[k] = gsl_rng_uniform(rng);
        const double t = round(5 + 1.5 * (x[0] + x[1] - 1) + gsl_ran_gaussian(rng, 0.6));
        for (int copy = 0; copy < (n % 3 == 0 ? 2 : 1); copy++)
            append_dense(p, t, x, 6);
    }
    gsl_rng_free(rng);
    return p;
}

START_TEST(a_collapse_loses)
    {
        const rvm_settings s = race_settings(RVM_REGRESSION);
        rvm_problem *p = quality_scores(150);
        rvm_model *m = train(p, &s);
        const size_t vectors = rvm_model_describe(m).vectors;
        const double noise = rvm_model_noise_variance(m, 0);
        ck_assert_msg(vectors <= 75 && noise > 0.3 && noise < 0.65, "%zu vectors, noise %g",
                      vectors, noise);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Faults and interrupts ------------------------------------------------------------------- */

static rvm_status fails_with_rbf(rvm_model **out, rvm_report *last, const rvm_problem *p,
                                 const rvm_settings *s, rvm_error *err)
{
    if (s->kernel.type != RVM_RBF)
        return train_fold(out, last, p, s, err);
    err->status = RVM_ENUMERIC;
    return RVM_ENUMERIC;
}

static rvm_status fails(rvm_model **out, rvm_report *last, const rvm_problem *p,
                        const rvm_settings *s, rvm_error *err)
{
    (void)out, (void)last, (void)p, (void)s;
    err->status = RVM_ENUMERIC;
    return RVM_ENUMERIC;
}

START_TEST(candidates_that_cannot_be_trained)
    {
        const rvm_settings s = race_settings(RVM_REGRESSION);
        rvm_problem *p = smooth_problem(50, 1);
        rvm_race *r = run_race(p, &s, fails_with_rbf);
        ck_assert_int_ne(applied(r, &s).kernel.type, RVM_RBF);
        rvm_race_free(r);
        r = run_race(p, &s, fails);
        applied(r, &s);
        ck_assert_uint_gt(rvm_race_contenders(r), rvm_race_winner(r));
        rvm_race_free(r);
        rvm_problem_free(p);
    }
END_TEST

static volatile int flag;
static int calls;

/* The second candidate is interrupted when the first of its folds is there. */
static rvm_status interrupts_the_second(rvm_model **out, rvm_report *last, const rvm_problem *p,
                                        const rvm_settings *s, rvm_error *err)
{
    if (p->rows < 40) /* half of the sample: length-scales of the screen */
        return train_fold(out, last, p, s, err);
    flag = ++calls == 3;
    return train_fold(out, last, p, s, err);
}

START_TEST(who_is_cut_short_does_not_win)
    {
        rvm_settings s = race_settings(RVM_REGRESSION);
        rvm_problem *p = smooth_problem(60, 1);
        s.interrupted = &flag;
        flag = calls = 0;
        rvm_race *r = run_race(p, &s, interrupts_the_second);
        ck_assert_int_eq(flag, 1);
        const rvm_contender best = rvm_race_contender(r, rvm_race_winner(r));
        ck_assert(best.rows > 0 && best.loss != 0);
        ck_assert_uint_eq(rvm_race_winner(r), 0);
        rvm_race_free(r);
        rvm_problem_free(p);
    }
END_TEST

/* After each number of steps there is a model. */
START_TEST(interrupts_between_steps)
    {
        rvm_settings s = race_settings(tasks[_i]);
        rvm_problem *p = weyl_problem(45, tasks[_i]);
        rvm_trainer *tr = NULL;
        rvm_error err = { 0 };
        rvm_report report = { .done = false };
        s.probability = true;
        s.interrupted = &flag;
        flag = 0;
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        for (int k = 0; !report.done; k++) {
            if (k % 6 == 0 || report.stage != RVM_TUNE) {
                rvm_model *m = NULL;
                flag = 1;
                CHECK_OK(rvm_trainer_model(&m, tr, &err));
                flag = 0;
                check_finite_predictions(m, p);
                rvm_model_free(m);
            }
            CHECK_OK(rvm_trainer_step(&report, tr, &err));
            ck_assert_int_lt(k, 1000);
        }
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(no_time_at_all)
    {
        rvm_settings s = race_settings(tasks[_i]);
        rvm_problem *p = weyl_problem(60, tasks[_i]);
        s.tune.seconds = 1e-9;
        rvm_model *m = train(p, &s);
        check_finite_predictions(m, p);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* ---- What goes together ---------------------------------------------------------------------- */

/* Draws have no prior of a process, nor has no kernel; splines have it where features are 0 or more. */
START_TEST(priors_that_are_possible)
    {
        rvm_problem *p = smooth_problem(40, 2);
        rvm_settings s = race_settings(RVM_REGRESSION);
        s.method = RVM_METHOD_GIBBS;
        rvm_race *r = run_race(p, &s, train_fold);
        rvm_settings found = applied(r, &s);
        rvm_error err = { 0 };
        ck_assert(!found.kernel_prior);
        CHECK_OK(rvm_settings_check(&found, p, &err));
        rvm_race_free(r);
        const rvm_kernel_type types[] = { RVM_SPLINE, RVM_NO_KERNEL, RVM_SIGMOID };
        for (size_t k = 0; k < 3; k++) {
            s = race_settings(RVM_REGRESSION);
            s.tune.type_count = 1;
            s.tune.type[0] = types[k];
            r = run_race(p, &s, train_fold);
            found = applied(r, &s);
            ck_assert(!found.kernel_prior);
            CHECK_OK(rvm_settings_check(&found, p, &err));
            rvm_race_free(r);
        }
        rvm_problem_free(p);
    }
END_TEST

/* Rows are standardised once where both are asked for. */
START_TEST(standardised_from_the_start)
    {
        rvm_settings s = race_settings(RVM_REGRESSION);
        rvm_problem *p = smooth_problem(40, 2);
        s.standardize = true;
        rvm_model *m = train(p, &s);
        ck_assert(rvm_model_describe(m).standardized);
        check_finite_predictions(m, p);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Odd problems --------------------------------------------------------------------------- */

static void check_trains(const rvm_problem *p, rvm_settings s)
{
    s.probability = true;
    rvm_model *m = train(p, &s);
    check_finite_predictions(m, p);
    rvm_model_free(m);
}

START_TEST(few_rows)
    {
        const size_t rows[] = { 1, 2, 5, 9, 10, 11 };
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            rvm_problem *p = weyl_problem(rows[k], tasks[_i]);
            check_trains(p, race_settings(tasks[_i]));
            rvm_problem_free(p);
        }
    }
END_TEST

START_TEST(targets_that_do_not_vary)
    {
        const rvm_settings s = race_settings(tasks[_i]);
        rvm_problem *p = smooth_problem(30, 2);
        for (size_t n = 0; n < p->rows; n++)
            p->target[n] = -7;
        rvm_model *m = train(p, &s);
        rvm_prediction out = predict(m, p);
        for (size_t n = 0; n < p->rows; n++)
            ck_assert_double_eq_tol(out.value[n], -7, 1e-9);
        ck_assert_uint_eq(rvm_model_describe(m).vectors, 0);
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(rows_that_repeat)
    {
        rvm_problem *p = weyl_problem(12, tasks[_i]), *q = reordered(p, 5, 6);
        check_trains(q, race_settings(tasks[_i]));
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* Features at the ends of the range of numbers, one that is the same everywhere, and rows of none. */
START_TEST(features_out_of_all_proportion)
    {
        rvm_problem *p = empty_problem();
        gsl_rng *rng = random_numbers(4);
        for (size_t n = 0; n < 40; n++) {
            const double x[] = { 1e300 * gsl_ran_gaussian(rng, 0.2), 1e-300 * gsl_rng_uniform(rng),
                                 3, gsl_rng_uniform(rng) };
            const double t = sin(6 * x[3]) + gsl_ran_gaussian(rng, 0.1);
            append_dense(p, tasks[_i] == RVM_REGRESSION ? t : t > 0, x, n % 8 == 7 ? 0 : 4);
        }
        check_trains(p, race_settings(tasks[_i]));
        gsl_rng_free(rng);
        rvm_problem_free(p);
    }
END_TEST

/* Two outputs that are noise beside one that is constant: nothing is learned. */
START_TEST(a_constant_output_teaches_nothing)
    {
        const rvm_settings s = race_settings(RVM_REGRESSION);
        rvm_problem *p = noise_problem(60, 4, 11), *q = empty_problem();
        gsl_rng *rng = random_numbers(12);
        for (size_t n = 0; n < p->rows; n++) {
            const double target[] = { p->target[n], 3, gsl_ran_gaussian(rng, 5) };
            ck_assert(rvm_problem_append_outputs(q, target, 3, p->index + p->start[n],
                                                 p->value + p->start[n],
                                                 p->start[n + 1] - p->start[n]));
        }
        rvm_race *r = run_race(q, &s, train_fold);
        ck_assert(!rvm_race_has_learned(r));
        rvm_race_free(r);
        check_trains(q, s);
        gsl_rng_free(rng);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* Seven classes, three of them of one to three rows, by their weights. */
START_TEST(classes_large_and_small)
    {
        rvm_settings s = race_settings(RVM_CLASSIFICATION);
        const rvm_class_weight weight[] = { { 5, 4 }, { 1, 0.1 } };
        rvm_problem *p = weyl_problem(70, RVM_REGRESSION);
        s.class_weights = weight;
        s.class_weight_count = 2;
        for (size_t n = 0; n < p->rows; n++)
            p->target[n] = n < 6 ? (n < 1   ? 7
                                    : n < 3 ? 8
                                            : 9)
                                 : fmin(floor(3 * (p->target[n] + 1.2)), 5);
        check_trains(p, s);
        rvm_problem_free(p);
    }
END_TEST

/* Ten clouds of eight rows, far from each other: no row that is left out is wrong. */
START_TEST(many_classes)
    {
        const rvm_settings s = race_settings(RVM_CLASSIFICATION);
        rvm_problem *p = empty_problem();
        gsl_rng *rng = random_numbers(8);
        for (size_t n = 0; n < 80; n++) {
            const double k = (double)(n % 10);
            const double x[] = { 10 * cos(k * M_PI / 5) + gsl_ran_gaussian(rng, 0.5),
                                 10 * sin(k * M_PI / 5) + gsl_ran_gaussian(rng, 0.5) };
            append_dense(p, k - 4, x, 2);
        }
        rvm_race *r = run_race(p, &s, train_fold);
        const rvm_contender best = rvm_race_contender(r, rvm_race_winner(r));
        ck_assert(rvm_race_has_learned(r));
        ck_assert_msg(best.error <= 1.0 / 80, "%g", best.error);
        rvm_race_free(r);
        gsl_rng_free(rng);
        rvm_problem_free(p);
    }
END_TEST

/* Features are standardised where nothing says otherwise: the unit of one changes nothing. */
START_TEST(units_of_the_inputs)
    {
        const rvm_settings s = race_settings(RVM_REGRESSION);
        rvm_problem *p = smooth_problem(40, 2), *r = smooth_problem(40, 2);
        for (size_t k = 0; k < r->start[r->rows]; k++)
            r->value[k] *= r->index[k] == 1 ? 4096 : 1;
        rvm_model *a = train(p, &s), *b = train(r, &s);
        const rvm_model_info x = rvm_model_describe(a), y = rvm_model_describe(b);
        ck_assert(x.standardized && y.standardized);
        ck_assert_uint_eq(x.vectors, y.vectors);
        ck_assert_double_eq_tol(x.log_evidence, y.log_evidence, 1e-6 * fabs(x.log_evidence));
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
        rvm_problem_free(r);
    }
END_TEST

Suite *race_suite(void);
Suite *race_suite(void)
{
    Suite *suite = suite_create("race");
    TCase *tc = tcase_create("race");

    tcase_add_loop_test(tc, threads_do_not_matter, 0, 3);
    tcase_add_loop_test(tc, order_of_rows_does_not_matter, 0, 3);
    tcase_add_loop_test(tc, ties_go_to_the_sparser, 0, 3);
    tcase_add_loop_test(tc, nothing_to_learn, 0, 2);
    tcase_add_test(tc, a_collapse_loses);
    tcase_add_test(tc, candidates_that_cannot_be_trained);
    tcase_add_test(tc, who_is_cut_short_does_not_win);
    tcase_add_loop_test(tc, interrupts_between_steps, 0, 2);
    tcase_add_loop_test(tc, no_time_at_all, 0, 2);
    tcase_add_test(tc, priors_that_are_possible);
    tcase_add_test(tc, standardised_from_the_start);
    tcase_add_loop_test(tc, few_rows, 0, 2);
    tcase_add_loop_test(tc, targets_that_do_not_vary, 0, 2);
    tcase_add_loop_test(tc, rows_that_repeat, 0, 2);
    tcase_add_loop_test(tc, features_out_of_all_proportion, 0, 2);
    tcase_add_test(tc, a_constant_output_teaches_nothing);
    tcase_add_test(tc, classes_large_and_small);
    tcase_add_test(tc, many_classes);
    tcase_add_test(tc, units_of_the_inputs);
    suite_add_tcase(suite, tc);
    return suite;
}
