/* The choice of a kernel: what its loss is, what it finds, and what it must not depend on. */
#include <math.h>
#include <stdlib.h>

#include "data/order.h"
#include "problems.h"
#include "product/tune.h"
#include "rvm.h"

/* N rows of one input in [0, 1]: sin(frequency x) and noise. */
static rvm_problem *wave(size_t N, double frequency, double noise, unsigned long seed)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(seed);
    for (size_t i = 0; i < N; i++) {
        const double x = gsl_rng_uniform(rng);
        append_dense(p, sin(frequency * x) + gsl_ran_gaussian(rng, noise), &x, 1);
    }
    gsl_rng_free(rng);
    return p;
}

/* N rows of three inputs, uniform in [-1, 1]: 10 x_1 x_2 + 5 x_3^2, and little noise. */
static rvm_problem *smooth_products(size_t N)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(12);
    for (size_t i = 0; i < N; i++) {
        double x[3];
        for (int j = 0; j < 3; j++)
            x[j] = 2 * gsl_rng_uniform(rng) - 1;
        append_dense(p, 10 * x[0] * x[1] + 5 * x[2] * x[2] + gsl_ran_gaussian(rng, 0.02), x, 3);
    }
    gsl_rng_free(rng);
    return p;
}

static rvm_settings regression(void)
{
    rvm_settings s = rvm_settings_default();
    s.task = RVM_REGRESSION;
    s.tune.gamma = true;
    return s;
}

static rvm_status train_fold(rvm_model **out, rvm_report *last, const rvm_problem *p,
                             const rvm_settings *s, rvm_error *err)
{
    *last = (rvm_report){ .done = true };
    return rvm_train(out, p, s, err);
}

static rvm_choice choose(const rvm_problem *p, const rvm_settings *s)
{
    rvm_tuner *t = NULL;
    rvm_error err = { 0 };
    bool done = false;
    CHECK_OK(rvm_tuner_alloc(&t, p, s, train_fold, &err));
    while (!done)
        CHECK_OK(rvm_tuner_step(&done, t, &err));
    const rvm_choice best = rvm_tuner_best(t);
    rvm_tuner_free(t);
    return best;
}

/* A wave of five times the frequency looks the same at a fifth of the distance, where gamma is 25
 * times as large. */
START_TEST(finer_waves_get_narrower_kernels)
    {
        const rvm_settings s = regression();
        rvm_problem *slow = wave(100, 6, 0.1, 1), *fast = wave(100, 30, 0.1, 1);
        const rvm_choice wide = choose(slow, &s), narrow = choose(fast, &s);
        const double ratio = narrow.kernel.gamma / wide.kernel.gamma;
        ck_assert_msg(ratio >= 4 && ratio <= 150, "ratio %g", ratio);
        /* The noise is 0.01 of a variance of about 1/2. */
        ck_assert_msg(wide.loss > 0.012 && wide.loss < 0.04, "loss %g", wide.loss);
        ck_assert_msg(narrow.loss > 0.012 && narrow.loss < 0.06, "loss %g", narrow.loss);
        rvm_problem_free(slow);
        rvm_problem_free(fast);
    }
END_TEST

/* Units of the inputs: gamma times their square stays the same. */
START_TEST(gamma_follows_the_units_of_the_inputs)
    {
        const rvm_settings s = regression();
        rvm_problem *p = wave(80, 10, 0.1, 2), *q = wave(80, 10, 0.1, 2);
        for (size_t k = 0; k < q->start[q->rows]; k++)
            q->value[k] *= 1024;
        const rvm_choice a = choose(p, &s), b = choose(q, &s);
        check_close(b.kernel.gamma * 1024 * 1024, a.kernel.gamma, 1e-12);
        check_close(b.loss, a.loss, 1e-9);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

START_TEST(order_of_rows_does_not_matter)
    {
        const rvm_settings s = regression();
        rvm_problem *p = wave(100, 10, 0.2, 3);
        size_t turned[100];
        for (size_t i = 0; i < 100; i++)
            turned[i] = 99 - i;
        rvm_problem *q = rvm_problem_subset(p, turned, 100);
        ck_assert_ptr_nonnull(q);
        const rvm_choice a = choose(p, &s), b = choose(q, &s);
        ck_assert(a.kernel.gamma == b.kernel.gamma && a.loss == b.loss);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* Nothing to learn: the kernel is so wide that the bias is left alone, and the noise is that of the
 * targets. */
START_TEST(pure_noise_ends_with_the_bias)
    {
        const size_t rows[] = { 50, 130 };
        for (size_t k = 0; k < 2; k++)
            for (unsigned long seed = 1; seed <= 3; seed++) {
                const rvm_settings s = regression();
                rvm_problem *p = noise_problem(rows[k], 10, seed);
                rvm_model *m = NULL;
                rvm_error err = { 0 };
                CHECK_OK(rvm_train(&m, p, &s, &err));
                const rvm_model_info info = rvm_model_describe(m);
                double square = 0;
                for (size_t n = 0; n < p->rows; n++)
                    square += p->target[n] * p->target[n] / (double)p->rows;
                ck_assert_msg(info.vectors <= 2,
                              "%zu rows, seed %lu: %zu vectors, gamma %g, noise %g", p->rows, seed,
                              info.vectors, info.kernel.gamma,
                              rvm_model_noise_variance(m, 0) / square);
                check_close(sqrt(rvm_model_noise_variance(m, 0) / square), 1, 0.1);
                rvm_model_free(m);
                rvm_problem_free(p);
            }
    }
END_TEST

/* N rows at equal distances in [0, 1): a sine of so many waves and noise of standard deviation
 * 0.1 / sqrt(12), or its sign. */
static rvm_problem *fine_waves(size_t N, double waves, bool classes)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(9);
    for (size_t i = 0; i < N; i++) {
        const double x = (double)i / (double)N, t = sin(2 * M_PI * waves * x + 0.3);
        append_dense(p, classes ? (t > 0 ? 1 : -1) : t + 0.1 * (gsl_rng_uniform(rng) - 0.5), &x, 1);
    }
    gsl_rng_free(rng);
    return p;
}

/* A wave of 12 rows, where the distance of two rows is 6 waves or so: nothing but noise for kernels
 * of that width. The noise is 0.0017 of the variance; a constant has loss 1. */
START_TEST(fine_waves_are_found)
    {
        const rvm_settings s = regression();
        rvm_problem *p = fine_waves(150, 12, false);
        const rvm_choice best = choose(p, &s);
        ck_assert_msg(best.loss < 0.01, "gamma %g, loss %g", best.kernel.gamma, best.loss);
        rvm_problem_free(p);
    }
END_TEST

/* 20 stripes of 5 rows: a constant is wrong about half of them, a row beside a border may be. */
START_TEST(stripes_are_found)
    {
        rvm_settings s = rvm_settings_default();
        rvm_problem *p = fine_waves(100, 10, true);
        s.tune.gamma = true;
        const rvm_choice best = choose(p, &s);
        ck_assert_msg(best.error < 0.4, "gamma %g, error %g", best.kernel.gamma, best.error);
        ck_assert_msg(best.kernel.gamma > 100, "gamma %g", best.kernel.gamma);
        rvm_problem_free(p);
    }
END_TEST

/* Of one input, so that there are kernels as narrow as the spacing of the rows. */
START_TEST(pure_noise_of_one_input_ends_with_the_bias)
    {
        const rvm_settings s = regression();
        rvm_problem *p = noise_problem(60, 1, (unsigned long)_i);
        rvm_model *m = NULL;
        rvm_error err = { 0 };
        CHECK_OK(rvm_train(&m, p, &s, &err));
        const rvm_model_info info = rvm_model_describe(m);
        ck_assert_msg(info.vectors <= 3, "%zu vectors, gamma %g", info.vectors, info.kernel.gamma);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* A smooth function with little noise, of 40 rows: x_1 x_2 + x_3. Guesses of the noise that are
 * small leave it far from what many starts find, and the folds with it. */
START_TEST(folds_are_fitted_as_well_as_the_model)
    {
        rvm_settings s = regression();
        rvm_problem *p = smooth_products(60);
        rvm_prediction out = { 0 };
        rvm_error err = { 0 };
        bool finished = false;
        s.tune.gamma = false;
        s.kernel.gamma = 0.03;
        s.restarts = 1;
        rvm_fold_score one, many;
        CHECK_OK(rvm_cross_validate(&out, &finished, p, &s, 5, &err));
        CHECK_OK(rvm_score_folds(&one, &out, p, &err));
        s.restarts = 0;
        CHECK_OK(rvm_cross_validate(&out, &finished, p, &s, 5, &err));
        CHECK_OK(rvm_score_folds(&many, &out, p, &err));
        ck_assert_msg(one.error <= 1.5 * many.error, "one start %g, many %g", one.error,
                      many.error);
        rvm_prediction_free(&out);
        rvm_problem_free(p);
    }
END_TEST

/* What has been tried is told: each with its loss, the best one among them, and no more than was
 * expected at any time is left at the end. */
START_TEST(all_trials_are_told)
    {
        const rvm_settings s = regression();
        rvm_problem *p = wave(60, 10, 0.1, 3);
        rvm_tuner *t = NULL;
        rvm_error err = { 0 };
        bool done = false, seen = false;
        double before = 0;
        CHECK_OK(rvm_tuner_alloc(&t, p, &s, train_fold, &err));
        ck_assert_uint_eq(rvm_tuner_tried(t), 0);
        ck_assert_uint_eq(rvm_tuner_best(t).rows, 0);
        while (!done) {
            CHECK_OK(rvm_tuner_step(&done, t, &err));
            rvm_report r = { 0 };
            rvm_tuner_report(&r, t);
            ck_assert_int_ge(r.trials_expected, r.trials);
            ck_assert(r.progress >= 0 && r.progress <= 1);
            before = r.progress;
        }
        ck_assert_double_eq(before, 1);
        const rvm_choice best = rvm_tuner_best(t);
        for (size_t k = 0; k < rvm_tuner_tried(t); k++) {
            const rvm_choice c = rvm_tuner_trial(t, k);
            ck_assert_uint_eq(c.rows, 60);
            ck_assert(k == 0 || c.kernel.gamma > rvm_tuner_trial(t, k - 1).kernel.gamma);
            ck_assert(c.cover > 0 && c.cover <= 1);
            if (c.kernel.gamma == best.kernel.gamma) {
                seen = true;
                ck_assert_double_eq(c.loss, best.loss);
            }
        }
        ck_assert(seen);
        ck_assert_uint_ge(rvm_tuner_tried(t), 5);
        rvm_tuner_free(t);
        rvm_problem_free(p);
    }
END_TEST

/* A cubic with an offset, which degree 2 cannot follow; of the kernels without a width a linear one
 * cannot either. */
START_TEST(degree_and_type_are_found)
    {
        rvm_settings s = regression();
        rvm_problem *p = empty_problem();
        gsl_rng *rng = random_numbers(4);
        for (size_t i = 0; i < 80; i++) {
            const double x = 2 * gsl_rng_uniform(rng) - 1;
            append_dense(p, 1 + 4 * x * x * x - 3 * x + gsl_ran_gaussian(rng, 0.05), &x, 1);
        }
        gsl_rng_free(rng);
        s.tune.type[0] = RVM_LINEAR;
        s.tune.type[1] = RVM_POLYNOMIAL;
        s.tune.type_count = 2;
        s.tune.degree = s.tune.coef0 = true;
        const rvm_choice best = choose(p, &s);
        ck_assert_int_eq(best.kernel.type, RVM_POLYNOMIAL);
        ck_assert_int_ge(best.kernel.degree, 3);
        rvm_problem_free(p);
    }
END_TEST

/* Without a width to find there is one kernel: its loss is the mean squared error of a 3-fold
 * cross-validation with one start to half a nat, here of so many rows that the folds are three and
 * drawn once, as a share of the variance. */
START_TEST(the_loss_is_that_of_a_cross_validation)
    {
        rvm_settings s = regression();
        rvm_problem *p = wave(1100, 3, 0.5, 5), *sorted;
        rvm_prediction out = { 0 };
        rvm_error err = { 0 };
        bool finished = false;
        size_t *order = NULL;
        s.tune.gamma = false;
        s.kernel.type = RVM_NO_KERNEL; /* fast */
        s.linear = s.quadratic = true;
        const rvm_choice best = choose(p, &s);
        ck_assert_uint_eq(best.rows, 1100);
        CHECK_OK(rvm_order_rows(&order, p, &err));
        sorted = rvm_problem_subset(p, order, p->rows);
        ck_assert_ptr_nonnull(sorted);
        s.restarts = 1;
        s.tolerance = 0.5;
        CHECK_OK(rvm_cross_validate(&out, &finished, sorted, &s, 3, &err));
        double sum = 0, mean = 0, variance = 0;
        for (size_t n = 0; n < p->rows; n++)
            mean += sorted->target[n] / 1100;
        for (size_t n = 0; n < p->rows; n++) {
            sum += gsl_pow_2(out.value[n] - sorted->target[n]) / 1100;
            variance += gsl_pow_2(sorted->target[n] - mean) / 1099;
        }
        check_close(best.loss, sum / variance, 1e-9);
        rvm_prediction_free(&out);
        free(order);
        rvm_problem_free(sorted);
        rvm_problem_free(p);
    }
END_TEST

/* Two classes apart along one input: no error, and a log loss near 0. */
START_TEST(classes_are_told_apart)
    {
        rvm_settings s = rvm_settings_default();
        rvm_problem *p = empty_problem();
        gsl_rng *rng = random_numbers(6);
        s.tune.gamma = true;
        for (size_t i = 0; i < 50; i++) {
            const double x[2] = { i % 2 == 0 ? 1 + gsl_rng_uniform(rng) : -1 - gsl_rng_uniform(rng),
                                  gsl_rng_uniform(rng) };
            append_dense(p, i % 2 == 0 ? 7 : 3, x, 2);
        }
        gsl_rng_free(rng);
        const rvm_choice best = choose(p, &s);
        ck_assert_msg(best.loss < 0.05, "loss %g", best.loss);
        rvm_problem_free(p);
    }
END_TEST

/* A smooth wave with little noise, and rows so close that the ladder reaches far: kernels that are
 * narrower than the best one, and take longest, are tried until one has lost twice as much. */
START_TEST(narrow_kernels_end_with_the_first_that_is_lost)
    {
        const rvm_settings s = regression();
        rvm_problem *p = wave(60, 8, 0.02, 11);
        rvm_tuner *t = NULL;
        rvm_error err = { 0 };
        bool done = false;
        size_t lost = 0, narrower = 0;
        CHECK_OK(rvm_tuner_alloc(&t, p, &s, train_fold, &err));
        while (!done)
            CHECK_OK(rvm_tuner_step(&done, t, &err));
        const rvm_choice best = rvm_tuner_best(t);
        for (size_t k = 0; k < rvm_tuner_tried(t); k++) {
            const rvm_choice c = rvm_tuner_trial(t, k);
            narrower += c.kernel.gamma > best.kernel.gamma;
            lost += c.kernel.gamma > best.kernel.gamma && c.loss > 2 * best.loss;
        }
        ck_assert_uint_ge(narrower, 2);
        ck_assert_uint_le(lost, 1);
        rvm_tuner_free(t);
        rvm_problem_free(p);
    }
END_TEST

/* Of so many rows the folds are drawn once, for each kernel: those that were compared before are
 * not favoured by a second draw. */
START_TEST(kernels_are_compared_by_as_many_draws)
    {
        rvm_settings s = rvm_settings_default();
        rvm_problem *p = empty_problem();
        rvm_tuner *t = NULL;
        rvm_report r = { 0 };
        rvm_error err = { 0 };
        gsl_rng *rng = random_numbers(13);
        bool done = false;
        s.tune.gamma = true;
        for (size_t i = 0; i < 1001; i++) {
            const double x = floor(9 * gsl_rng_uniform(rng)) / 9;
            append_dense(p, floor(3 * x), &x, 1);
        }
        gsl_rng_free(rng);
        CHECK_OK(rvm_tuner_alloc(&t, p, &s, train_fold, &err));
        while (!done)
            CHECK_OK(rvm_tuner_step(&done, t, &err));
        rvm_tuner_report(&r, t);
        ck_assert_uint_eq(rvm_tuner_tried(t), (size_t)r.trials);
        rvm_tuner_free(t);
        rvm_problem_free(p);
    }
END_TEST

/* Of 700 rows, whose folds are drawn once: the screen leaves a few widths to be trained. A kernel
 * that is no covariance has no screen, and at least the five rungs -6, -4, ... 2. */
START_TEST(the_screen_leaves_few_kernels)
    {
        rvm_settings s = regression();
        rvm_problem *p = wave(700, 6, 0.3, 14), *few = wave(60, 6, 0.3, 14);
        rvm_tuner *t = NULL;
        rvm_error err = { 0 };
        bool done = false;
        CHECK_OK(rvm_tuner_alloc(&t, p, &s, train_fold, &err));
        while (!done)
            CHECK_OK(rvm_tuner_step(&done, t, &err));
        ck_assert_uint_ge(rvm_tuner_tried(t), 3);
        ck_assert_uint_le(rvm_tuner_tried(t), 6);
        rvm_tuner_free(t);
        s.kernel.type = RVM_SIGMOID;
        CHECK_OK(rvm_tuner_alloc(&t, few, &s, train_fold, &err));
        for (done = false; !done;)
            CHECK_OK(rvm_tuner_step(&done, t, &err));
        ck_assert_uint_ge(rvm_tuner_tried(t), 5);
        rvm_tuner_free(t);
        rvm_problem_free(p);
        rvm_problem_free(few);
    }
END_TEST

/* Eight classes along a line: 3000 / 8 of the rows decide. */
START_TEST(many_classes_are_compared_on_fewer_rows)
    {
        rvm_settings s = rvm_settings_default();
        rvm_problem *p = empty_problem();
        gsl_rng *rng = random_numbers(15);
        s.tune.gamma = true;
        for (size_t i = 0; i < 400; i++) {
            const double x = gsl_rng_uniform(rng);
            append_dense(p, floor(8 * x), &x, 1);
        }
        gsl_rng_free(rng);
        const rvm_choice best = choose(p, &s);
        ck_assert_uint_eq(best.rows, 375);
        ck_assert_msg(best.error < 0.2, "error %g", best.error);
        rvm_problem_free(p);
    }
END_TEST

/* Trainers go through the choice first, and what they train is what was chosen. */
START_TEST(training_begins_with_the_choice)
    {
        rvm_settings s = regression();
        rvm_problem *p = wave(40, 3, 0.1, 7);
        rvm_trainer *tr = NULL;
        rvm_report r = { 0 };
        rvm_model *m = NULL;
        rvm_error err = { 0 };
        ck_assert(rvm_tuning_is_open(&s.tune));
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        ck_assert_int_eq(rvm_trainer_report(tr).stage, RVM_TUNE);
        while (!r.done) {
            const rvm_report before = r;
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
            ck_assert_int_eq(r.stage, before.stage_over ? RVM_SEARCH : before.stage);
            ck_assert(r.progress <= 1 && r.progress >= before.progress - 0.05);
        }
        const rvm_choice best = rvm_tuner_best(rvm_trainer_tuner(tr));
        CHECK_OK(rvm_trainer_model(&m, tr, &err));
        ck_assert(best.kernel.gamma > 0 && rvm_model_describe(m).kernel.gamma == best.kernel.gamma);
        s.tune.type[0] = RVM_PRECOMPUTED;
        s.tune.type_count = 1;
        ck_assert_int_eq(rvm_settings_check(&s, p, &err), RVM_ESETTING);
        rvm_model_free(m);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

/* Interrupted before it begins, and too few rows to divide: some kernel comes out all the same. */
START_TEST(there_is_always_a_kernel)
    {
        const rvm_settings s = regression();
        rvm_problem *p = wave(40, 3, 0.1, 8), *few = wave(2, 3, 0.1, 8);
        rvm_tuner *t = NULL;
        rvm_error err = { 0 };
        CHECK_OK(rvm_tuner_alloc(&t, p, &s, train_fold, &err));
        const rvm_kernel kernel = rvm_tuner_best(t).kernel;
        ck_assert(kernel.gamma > 0 && isfinite(kernel.gamma));
        rvm_tuner_free(t);
        const rvm_kernel of_few = choose(few, &s).kernel;
        ck_assert(of_few.gamma > 0 && isfinite(of_few.gamma));
        rvm_problem_free(p);
        rvm_problem_free(few);
    }
END_TEST

Suite *tune_suite(void);
Suite *tune_suite(void)
{
    Suite *s = suite_create("tune");
    TCase *c = tcase_create("tune");
    tcase_set_timeout(c, 240);
    tcase_add_test(c, finer_waves_get_narrower_kernels);
    tcase_add_test(c, gamma_follows_the_units_of_the_inputs);
    tcase_add_test(c, order_of_rows_does_not_matter);
    tcase_add_test(c, pure_noise_ends_with_the_bias);
    tcase_add_loop_test(c, pure_noise_of_one_input_ends_with_the_bias, 1, 11);
    tcase_add_test(c, fine_waves_are_found);
    tcase_add_test(c, stripes_are_found);
    tcase_add_test(c, folds_are_fitted_as_well_as_the_model);
    tcase_add_test(c, all_trials_are_told);
    tcase_add_test(c, degree_and_type_are_found);
    tcase_add_test(c, the_loss_is_that_of_a_cross_validation);
    tcase_add_test(c, classes_are_told_apart);
    tcase_add_test(c, narrow_kernels_end_with_the_first_that_is_lost);
    tcase_add_test(c, kernels_are_compared_by_as_many_draws);
    tcase_add_test(c, the_screen_leaves_few_kernels);
    tcase_add_test(c, many_classes_are_compared_on_fewer_rows);
    tcase_add_test(c, training_begins_with_the_choice);
    tcase_add_test(c, there_is_always_a_kernel);
    suite_add_tcase(s, c);
    return s;
}
