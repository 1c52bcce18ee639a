/* train.c, starts.c, working_set.c, finish.c: what is saved against the formulas, step by step. */
#include "suites.h"
#include "trained.h"

START_TEST(regression_model_follows_the_formulas)
    {
        rvm_problem *p = smooth_problem(40, 1);
        const rvm_settings s = settings_for(RVM_REGRESSION, vector_kernels[_i], 0.6);
        check_training(p, &s);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(classification_model_follows_the_formulas)
    {
        rvm_problem *p = cloud_problem(40, 1);
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, vector_kernels[_i], 0.6);
        check_training(p, &s);
        rvm_problem_free(p);
    }
END_TEST

/* The kernel matrix of the RBF kernel written out gives what the RBF kernel gives. */
START_TEST(precomputed_is_the_kernel_written_out)
    {
        rvm_problem *p = task_problem(tasks[_i], 30, 2);
        rvm_problem *matrix = empty_problem();
        rvm_settings rbf = settings_for(tasks[_i], RVM_RBF, 0.5);
        rvm_settings precomputed = settings_for(tasks[_i], RVM_PRECOMPUTED, 0.5);
        rbf.restarts = precomputed.restarts = 1; /* from the full set: nothing is drawn */
        for (size_t i = 0; i < 30; i++) {
            int index[31] = { 0 };
            double value[31] = { (double)i + 1 };
            for (size_t j = 0; j < 30; j++) {
                index[j + 1] = (int)j + 1;
                value[j + 1] = kernel_by_formula(&rbf.kernel, p, i, p, j, 3);
            }
            ck_assert(rvm_problem_append(matrix, p->target[i], index, value, 31));
        }
        rvm_model *a = train(p, &rbf), *b = train(matrix, &precomputed);
        check_model(b, matrix, NULL);
        for (size_t i = 0; i < b->vectors->rows; i++)
            ck_assert_uint_eq(b->vectors->start[i + 1], i + 1);
        check_close(b->log_evidence, a->log_evidence, 1e-3);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
        rvm_problem_free(matrix);
    }
END_TEST

/* Weights of one class are multiplied. */
START_TEST(weighted_model_follows_the_formulas)
    {
        const rvm_class_weight weights[] = { { 1, 4 }, { -1, 0.5 }, { 1, 0.5 } };
        rvm_problem *p = cloud_problem(40, 3);
        check_weighted_training(p, settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.6), weights, 3);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(model_without_a_bias)
    {
        rvm_problem *p = task_problem(tasks[_i], 40, 4);
        rvm_settings s = settings_for(tasks[_i], RVM_RBF, 0.5);
        for (size_t n = 0; n < 40 && tasks[_i] == RVM_REGRESSION; n++)
            p->target[n] += 3;
        s.bias = false;
        rvm_model *m = train(p, &s);
        ck_assert(!rvm_latent_has_bias(m->latent));
        ck_assert_double_eq(m->latent->bias_mean, 0);
        check_model(m, p, NULL);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(given_noise_is_kept)
    {
        rvm_problem *p = smooth_problem(40, 4);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        s.noise_variance = 0.04;
        rvm_model *m = train(p, &s);
        ck_assert(m->noise_fixed);
        check_close(m->latent->noise_variance / 0.04, 1, 1e-12);
        check_model(m, p, NULL);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* Also where it is less than training would believe of its own: 1e-9 of the mean square. */
START_TEST(given_noise_may_be_tiny)
    {
        rvm_problem *p = smooth_problem(40, 4);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        for (size_t n = 0; n < 40; n++)
            p->target[n] += 1000;
        s.noise_variance = 1e-3;
        s.bias = false;
        rvm_model *m = train(p, &s);
        gsl_matrix *Phi = basis_values(m, &m->latent[0], p);
        double curvature[40];
        for (size_t n = 0; n < 40; n++)
            curvature[n] = 1 / 1e-3;
        check_close(m->latent->noise_variance / 1e-3, 1, 1e-12);
        check_factor(m->latent, Phi, curvature);
        gsl_matrix_free(Phi);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* ---- The working set ------------------------------------------------------------------------- */

/* With room for some functions only the search goes by rounds; it ends near the full one. */
START_TEST(small_budget)
    {
        rvm_problem *p = task_problem(tasks[_i], 400, 18);
        rvm_settings s = settings_for(tasks[_i], RVM_RBF, 0.5);
        s.restarts = 3;
        rvm_model *full = train(p, &s);
        s.budget_mb = 1.5;
        rvm_error err = { 0 };
        rvm_trainer *tr = NULL;
        rvm_report r = { 0 };
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        double before = -INFINITY;
        for (int k = 0, start = 0; k < 200 && !r.done; k++, start = r.start) {
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
            ck_assert_int_eq(r.starts, 3);
            /* The evidence rises within a start; between starts what chooses does. */
            const bool first = r.start == 1;
            const double now = r.log_evidence + (first ? 0 : r.credit * (double)r.functions);
            ck_assert_int_ge(r.start, start);
            ck_assert(now >= before - 1e-5 * fabs(before) || (start == 1 && !first));
            before = now;
        }
        ck_assert(r.done && r.converged);
        rvm_model *small = NULL;
        CHECK_OK(rvm_trainer_model(&small, tr, &err));
        rvm_trainer_free(tr);
        check_model(small, p, NULL);
        ck_assert_double_ge(small->log_evidence, full->log_evidence - 10);
        for (s.threads = 2; s.threads <= 3; s.threads++) {
            rvm_model *m = train(p, &s);
            check_same_bytes(small, m);
            rvm_model_free(m);
        }
        rvm_model_free(small);
        rvm_model_free(full);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(budget_without_room)
    {
        rvm_problem *p = smooth_problem(400, 19);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_trainer *tr = NULL;
        rvm_error err = { 0 };
        s.budget_mb = 1e-3;
        const rvm_status status = rvm_trainer_alloc(&tr, p, &s, &err);
        if (status == RVM_OK) { /* a few functions always fit */
            rvm_report r = { 0 };
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
            ck_assert(isfinite(r.log_evidence));
        } else {
            ck_assert_int_eq(status, RVM_ENOMEM);
            ck_assert_ptr_nonnull(strstr(err.message, "-m"));
        }
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Steps ---------------------------------------------------------------------------------- */

/* A model can be had after every step, and is a model; more steps after the end change nothing. */
START_TEST(models_along_the_way)
    {
        rvm_problem *p = smooth_problem(40, 20);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_trainer *tr = NULL;
        rvm_error err = { 0 };
        rvm_report r = { 0 };
        rvm_model *m = NULL;
        int steps = 0;
        s.restarts = 10;
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        while (!r.done) {
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
            steps++;
            ck_assert_int_eq(r.starts, 10);
            rvm_model_free(m);
            CHECK_OK(rvm_trainer_model(&m, tr, &err));
            check_model(m, p, NULL);
            check_close(r.log_evidence, m->log_evidence, 1e-7);
            check_close(r.noise_sd * r.noise_sd / m->latent->noise_variance, 1, 1e-9);
            ck_assert_uint_eq(r.functions, m->latent->count);
            ck_assert_int_eq(m->converged, r.converged);
            ck_assert(!r.noise_at_bound);
        }
        ck_assert_int_gt(steps, 1);
        ck_assert(r.converged);
        CHECK_OK(rvm_trainer_step(&r, tr, &err));
        ck_assert(r.done);
        rvm_model *again = NULL;
        CHECK_OK(rvm_trainer_model(&again, tr, &err));
        check_same_bytes(m, again);
        rvm_model_free(again);
        rvm_model_free(m);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(targets_free_of_noise_are_reported)
    {
        rvm_problem *p = line_problem(40);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_LINEAR, 1);
        rvm_trainer *tr = NULL;
        rvm_error err = { 0 };
        rvm_report r = { 0 };
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        while (!r.done)
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
        ck_assert(r.noise_at_bound);
        ck_assert_double_gt(r.noise_sd, 0);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

Suite *train_suite(void);
Suite *train_suite(void)
{
    Suite *s = suite_create("train");
    TCase *c = tcase_create("train");
    tcase_add_loop_test(c, regression_model_follows_the_formulas, 0, KERNELS);
    tcase_add_loop_test(c, classification_model_follows_the_formulas, 0, KERNELS);
    tcase_add_loop_test(c, precomputed_is_the_kernel_written_out, 0, 2);
    tcase_add_test(c, weighted_model_follows_the_formulas);
    tcase_add_loop_test(c, model_without_a_bias, 0, 2);
    tcase_add_test(c, given_noise_is_kept);
    tcase_add_test(c, given_noise_may_be_tiny);
    tcase_add_loop_test(c, small_budget, 0, 2);
    tcase_add_test(c, budget_without_room);
    tcase_add_test(c, models_along_the_way);
    tcase_add_test(c, targets_free_of_noise_are_reported);
    suite_add_tcase(s, c);
    return s;
}
