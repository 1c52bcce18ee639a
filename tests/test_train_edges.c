/* Training on problems at the edge: constant, empty, tiny, separable, free of noise. */
#include "suites.h"
#include "trained.h"

static rvm_problem *constant_problem(size_t N, double target)
{
    rvm_problem *p = smooth_problem(N, 13);
    for (size_t n = 0; n < N; n++)
        p->target[n] = target;
    return p;
}

START_TEST(constant_target)
    {
        const double targets[] = { 0, 3.25, -1e9, 0.1 };
        rvm_problem *p = constant_problem(25, targets[_i]);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_model *m = train(p, &s);
        rvm_prediction out = predict(m, p);
        ck_assert_uint_eq(m->vectors->rows, 0);
        ck_assert(isfinite(m->log_evidence) && m->latent->noise_variance > 0);
        for (size_t n = 0; n < 25; n++)
            ck_assert_double_le(fabs(out.value[n] - targets[_i]), 1e-13 * fabs(targets[_i]));
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(one_class)
    {
        rvm_problem *p = constant_problem(25, 7);
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
        rvm_model *m = train(p, &s);
        rvm_prediction out = predict(m, p);
        ck_assert_uint_eq(m->class_count, 1);
        ck_assert_double_eq(m->log_evidence, 0);
        for (size_t n = 0; n < 25; n++) {
            ck_assert_double_eq(out.value[n], 7);
            ck_assert_double_eq(out.probability[n], 1);
        }
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* Rows that say nothing: the mean, or the share of the classes; every kernel, with and without a
 * bias. */
START_TEST(features_all_zero)
    {
        rvm_problem *p = empty_problem(), *q = empty_problem();
        for (size_t n = 0; n < 12; n++) {
            ck_assert(rvm_problem_append(p, (double)n, NULL, NULL, 0));
            ck_assert(rvm_problem_append(q, n % 3 == 0 ? 1 : -1, NULL, NULL, 0));
        }
        for (int bias = 0; bias < 2; bias++) {
            rvm_settings s = settings_for(RVM_REGRESSION, vector_kernels[_i], 0.5);
            s.bias = bias == 1;
            rvm_model *m = train(p, &s);
            check_model(m, p, NULL);
            rvm_prediction out = predict(m, p);
            if (bias)
                ck_assert_double_eq_tol(out.value[3], 5.5, 0.5);
            rvm_prediction_free(&out);
            rvm_model_free(m);
            s.task = RVM_CLASSIFICATION;
            m = train(q, &s);
            check_model(m, q, NULL);
            check_finite_predictions(m, q);
            rvm_model_free(m);
        }
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

START_TEST(one_row)
    {
        pair w = { .p = problem_from_text("2.5 1:1 3:2\n", (rvm_grammar){ 0 }),
                   .q = problem_from_text("4 1:1 3:2\n", (rvm_grammar){ 0 }) };
        const rvm_settings regression = settings_for(RVM_REGRESSION, vector_kernels[_i], 0.5);
        const rvm_settings classes = settings_for(RVM_CLASSIFICATION, vector_kernels[_i], 0.5);
        pair_train(&w, &regression, &classes, w.q);
        ck_assert_double_eq_tol(w.x.value[0], 2.5, 1e-12);
        /* Nothing tells the noise from the rest: both may be all of 2.5. */
        ck_assert_double_eq_tol(w.a->latent->noise_variance, 2.5 * 2.5, 1e-12);
        ck_assert_double_eq(w.y.value[0], 4);
        pair_free(&w);
    }
END_TEST

START_TEST(two_rows)
    {
        rvm_problem *p = problem_from_text("1 1:1\n-1 1:-1\n", (rvm_grammar){ 0 });
        for (int k = 0; k < 2; k++) {
            const rvm_settings s = settings_for(tasks[k], vector_kernels[_i], 0.5);
            check_training(p, &s);
        }
        rvm_problem_free(p);
    }
END_TEST

START_TEST(fewer_rows_than_features)
    {
        rvm_problem *p = noise_problem(10, 50, 14);
        for (int k = 0; k < 2; k++) {
            rvm_settings s = settings_for(tasks[k], _i == 0 ? RVM_LINEAR : RVM_RBF, 0.02);
            for (size_t n = 0; n < 10 && tasks[k] == RVM_CLASSIFICATION; n++)
                p->target[n] = n % 2 == 0 ? 1 : -1;
            rvm_model *m = train(p, &s);
            ck_assert(isfinite(m->log_evidence));
            check_finite_predictions(m, p);
            rvm_model_free(m);
        }
        rvm_problem_free(p);
    }
END_TEST

/* Noise is noise: few vectors, and a noise variance near 1. */
START_TEST(pure_noise)
    {
        rvm_problem *p = noise_problem(100, 3, 15);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.3);
        double mean = 0, square = 0;
        for (size_t n = 0; n < 100; n++)
            mean += p->target[n] / 100;
        for (size_t n = 0; n < 100; n++)
            square += gsl_pow_2(p->target[n] - mean) / 100;
        rvm_model *m = train(p, &s);
        ck_assert_uint_le(m->vectors->rows, 10);
        ck_assert_double_eq_tol(m->latent->noise_variance / square, 1, 0.2);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* The target is an input: a linear kernel finds it to the last digits, and needs no more vectors
 * than there are inputs. */
START_TEST(target_is_an_input)
    {
        rvm_problem *p = noise_problem(40, 3, 16);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_LINEAR, 0);
        for (size_t n = 0; n < 40; n++)
            p->target[n] = feature(p, n, 2);
        rvm_model *m = train(p, &s);
        rvm_prediction out = predict(m, p);
        for (size_t n = 0; n < 40; n++)
            ck_assert_double_eq_tol(out.value[n], p->target[n], 1e-3);
        ck_assert_uint_le(m->vectors->rows, 3);
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* Classes that a line separates: weights and evidence stay finite, probabilities below 1. */
START_TEST(separable_classes)
    {
        rvm_problem *p = noise_problem(40, 2, 17);
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, vector_kernels[_i], 0.5);
        for (size_t n = 0; n < 40; n++) {
            p->target[n] = p->value[2 * n] > 0 ? 1 : -1;
            p->value[2 * n] += p->target[n];
        }
        rvm_model *m = train(p, &s);
        rvm_prediction out = predict(m, p);
        ck_assert(isfinite(m->log_evidence));
        for (size_t i = 0; i < 80; i++)
            ck_assert(out.probability[i] > 0 && out.probability[i] < 1);
        check_model(m, p, NULL);
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* 49 rows of one input, with noise of 0.3. */
static rvm_problem *noisy_curve(void)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(21);
    for (size_t n = 0; n < 49; n++) {
        const double x = 2 * gsl_rng_uniform(rng) - 1;
        append_dense(p, sin(2 * x) + x / 2 + 0.3 * gsl_ran_gaussian(rng, 1), &x, 1);
    }
    gsl_rng_free(rng);
    return p;
}

/* Columns alike and a given noise far below that of the targets: weights grow until rounding could
 * take over. A cubic leaves a residual of variance 0.09 at the most, so that no optimum lies far
 * below -N/2 0.09 / sigma^2. */
START_TEST(smooth_kernel_and_little_noise)
    {
        const struct {
            rvm_kernel_type type;
            double gamma, noise_variance;
            bool bias;
        } cases[] = { { RVM_RBF, 0.1, 1e-6, true },       { RVM_RBF, 0.1, 1e-6, false },
                      { RVM_SIGMOID, 0.07, 1e-4, false }, { RVM_RBF, 0.001, 1e-6, false },
                      { RVM_SIGMOID, 0.07, 1e-8, true },  { RVM_RBF, 0.01, 1e-8, false } };
        rvm_problem *p = noisy_curve();
        for (int restarts = 0; restarts < 2; restarts++) {
            rvm_settings s = settings_for(RVM_REGRESSION, cases[_i].type, cases[_i].gamma);
            s.noise_variance = cases[_i].noise_variance;
            s.bias = cases[_i].bias;
            s.restarts = restarts;
            rvm_model *m = train(p, &s);
            const double typical = -49.0 / 2 * 0.09 / s.noise_variance;
            ck_assert_double_ge(m->log_evidence, 2 * typical);
            check_finite_predictions(m, p);
            rvm_model_free(m);
        }
        rvm_problem_free(p);
    }
END_TEST

/* What the search believes is what the model's own numbers say, though weights are large against
 * the targets here and the Gram matrix all but singular. */
START_TEST(search_and_model_agree)
    {
        rvm_problem *p = noisy_curve();
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_SPLINE, 0);
        rvm_trainer *tr = NULL;
        rvm_error err = { 0 };
        rvm_report r = { 0 };
        s.noise_variance = 1e-4;
        s.restarts = 1;
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        while (!r.done)
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
        rvm_model *m = NULL;
        CHECK_OK(rvm_trainer_model(&m, tr, &err));
        check_close(r.log_evidence, m->log_evidence, 1e-4);
        rvm_model_free(m);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

Suite *train_edges_suite(void);
Suite *train_edges_suite(void)
{
    Suite *s = suite_create("train_edges");
    TCase *c = tcase_create("train_edges");
    tcase_add_loop_test(c, constant_target, 0, 4);
    tcase_add_test(c, one_class);
    tcase_add_loop_test(c, features_all_zero, 0, KERNELS);
    tcase_add_loop_test(c, one_row, 0, KERNELS);
    tcase_add_loop_test(c, two_rows, 0, KERNELS);
    tcase_add_loop_test(c, fewer_rows_than_features, 0, 2);
    tcase_add_test(c, pure_noise);
    tcase_add_test(c, target_is_an_input);
    tcase_add_loop_test(c, separable_classes, 0, KERNELS);
    tcase_add_loop_test(c, smooth_kernel_and_little_noise, 0, 6);
    tcase_add_test(c, search_and_model_agree);
    suite_add_tcase(s, c);
    return s;
}
