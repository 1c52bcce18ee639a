/* baselines.c, and what train.c makes of it: stationary points, steps, refusals. What it arrives at
 * on the shipped data is compared in tests/cli/numbers/baselines.sh. */
#include "search/baselines.h"
#include "suites.h"
#include "trained.h"

static const rvm_method methods[] = { RVM_METHOD_MACKAY, RVM_METHOD_EM, RVM_METHOD_SEQUENTIAL };
enum { METHODS = sizeof methods / sizeof *methods };

START_TEST(models_follow_the_formulas)
    {
        const rvm_task task = tasks[_i % 2];
        rvm_problem *p = task_problem(task, 40, 1);
        rvm_settings s = settings_for(task, RVM_RBF, 0.6);
        s.method = methods[_i / 2];
        rvm_model *m = train(p, &s);
        ck_assert(m->converged);
        ck_assert_uint_gt(m->latent->count, 0);
        check_model(m, p, NULL);
        check_finite_predictions(m, p);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(weighted_models_follow_the_formulas)
    {
        const rvm_class_weight weights[] = { { 1, 2 }, { -1, 0.5 } };
        rvm_problem *p = cloud_problem(40, 3);
        rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.6);
        s.method = methods[_i];
        check_weighted_training(p, s, weights, 2);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(given_noise_is_kept)
    {
        rvm_problem *p = smooth_problem(40, 4);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        s.method = methods[_i];
        s.noise_variance = 0.04;
        rvm_model *m = train(p, &s);
        ck_assert(m->noise_fixed);
        ck_assert_double_eq(m->latent->noise_variance, 0.04);
        check_model(m, p, NULL);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* All three look for alpha (mu^2 + Sigma_ii) = 1 and N - sum gamma = beta |t - Phi mu|^2, the third
 * with every function that helps. Sigma from the factor that is saved, R'R = Sigma^-1. */
START_TEST(regressions_end_at_stationary_points)
    {
        rvm_problem *p = sinc_problem(40, 0.1, 1);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.1);
        s.method = methods[_i];
        s.tolerance = s.method == RVM_METHOD_EM ? 1e-7 : 1e-12;
        rvm_model *m = train(p, &s);
        const rvm_latent *l = &m->latent[0];
        const double tolerance = s.method == RVM_METHOD_EM ? 0.1 : 1e-4;
        gsl_matrix *R = unpacked_factor(l), *Phi = basis_values(m, l, p);
        double free_rows = 40, misfit = 0;
        ck_assert_uint_le(l->count, s.method == RVM_METHOD_EM ? 41 : 10); /* EM keeps nearly all */
        for (size_t i = 0; i < l->count; i++) {
            double variance = 0, z[64] = { 0 }; /* R'z = unit vector i, Sigma_ii = z'z */
            for (size_t k = i; k < l->count; k++) {
                double sum = k == i;
                for (size_t j = i; j < k; j++)
                    sum -= gsl_matrix_get(R, j, k) * z[j];
                z[k] = sum / gsl_matrix_get(R, k, k);
                variance += z[k] * z[k];
            }
            free_rows -= 1 - l->alpha[i] * variance;
            if (i >= l->terms) /* the bias has a bound */
                check_close(l->alpha[i] * (l->weight[i] * l->weight[i] + variance), 1, tolerance);
        }
        for (size_t n = 0; n < 40; n++)
            misfit += gsl_pow_2(p->target[n] - activation(l, Phi, n));
        check_close(free_rows / misfit * l->noise_variance, 1, 1e-4);
        gsl_matrix_free(R);
        gsl_matrix_free(Phi);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* A model can be taken after any step; steps of EM never lower the evidence of a regression. */
START_TEST(a_model_after_each_step)
    {
        rvm_problem *p = smooth_problem(30, 6);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.6);
        rvm_error err = { 0 };
        rvm_trainer *tr = NULL;
        rvm_report r = { 0 };
        double before = -INFINITY;
        s.method = methods[_i];
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        for (int k = 1; k <= 20 && !r.done; k++) {
            rvm_model *m = NULL;
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
            ck_assert_int_eq(r.round, k);
            ck_assert_int_eq(r.starts, 1);
            CHECK_OK(rvm_trainer_model(&m, tr, &err));
            check_model(m, p, NULL);
            check_close(m->log_evidence, r.log_evidence, 1e-9);
            ck_assert_uint_eq(m->latent->count, r.functions);
            ck_assert_int_eq(m->converged, r.converged);
            if (s.method == RVM_METHOD_EM)
                ck_assert_double_ge(r.log_evidence, before - 1e-9);
            before = r.log_evidence;
            rvm_model_free(m);
        }
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

/* The steps of EM that a tolerance out of reach asks for end at the bound. */
START_TEST(iterations_are_bounded)
    {
        rvm_problem *p = sinc_problem(12, 0.1, 1);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.1);
        rvm_error err = { 0 };
        rvm_trainer *tr = NULL;
        rvm_report r = { 0 };
        s.method = RVM_METHOD_EM;
        s.tolerance = 1e-300;
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        while (!r.done)
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
        ck_assert(!r.converged);
        ck_assert_int_eq(r.round, RVM_BASELINE_ITERATIONS);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

/* Three clouds with labels 7, -2 and 4, which is neither their order nor that of the rows. */
static rvm_problem *three_clouds(void)
{
    static const double label[] = { 7, -2, 4 };
    rvm_problem *p = cloud_problem(60, 8);
    for (size_t n = 0; n < 60; n++)
        p->target[n] = label[n % 2 == 0 ? (n % 4) / 2 : 2];
    return p;
}

/* Each class of several has the model that it has of itself, as a class against the rest. */
START_TEST(more_classes_are_one_against_the_rest)
    {
        rvm_problem *p = three_clouds();
        rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
        double log_evidence = 0;
        s.method = methods[_i];
        rvm_model *all = train(p, &s);
        ck_assert_int_eq(all->multiclass, RVM_ONE_VS_REST);
        ck_assert_uint_eq(all->latent_count, 3);
        for (size_t k = 0; k < 3; k++) {
            rvm_problem *rest = copy_of(p);
            for (size_t n = 0; n < 60; n++) /* class 1 is the label of the first row */
                rest->target[n] = p->target[n] == all->label[k];
            rvm_model *one = train(rest, &s);
            const double sign = one->label[0] == 1 ? 1 : -1;
            ck_assert_uint_eq(one->latent->count, all->latent[k].count);
            for (size_t i = 0; i < one->latent->count; i++)
                check_close(all->latent[k].weight[i], sign * one->latent->weight[i], 1e-5);
            log_evidence += one->log_evidence;
            rvm_model_free(one);
            rvm_problem_free(rest);
        }
        check_close(all->log_evidence, log_evidence, 1e-7);
        check_finite_predictions(all, p);
        rvm_model_free(all);
        rvm_problem_free(p);
    }
END_TEST

/* Also while the second class is in hand, and the search goes on from there undisturbed. */
START_TEST(a_model_between_classes)
    {
        rvm_problem *p = three_clouds();
        rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
        rvm_error err = { 0 };
        rvm_trainer *tr = NULL;
        rvm_report r = { 0 };
        rvm_model *m = NULL;
        s.method = methods[_i];
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        while (r.start < 2)
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
        ck_assert_int_eq(r.starts, 3);
        ck_assert(!r.done && !r.converged);
        CHECK_OK(rvm_trainer_model(&m, tr, &err));
        ck_assert(!m->converged);
        check_finite_predictions(m, p);
        rvm_model_free(m);
        while (!r.done)
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
        ck_assert(r.converged);
        CHECK_OK(rvm_trainer_model(&m, tr, &err));
        rvm_model *straight = train(p, &s);
        check_same_bytes(m, straight);
        rvm_model_free(straight);
        rvm_model_free(m);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(rows_and_threads_make_no_difference)
    {
        const rvm_task task = tasks[_i % 2];
        rvm_problem *p = task_problem(task, 60, 9), *q = reordered(p, 7, 1);
        rvm_settings s = settings_for(task, RVM_RBF, 0.6);
        s.method = methods[_i / 2];
        rvm_model *a = train(p, &s);
        s.threads = 3;
        rvm_model *b = train(p, &s), *c = train(q, &s);
        check_same_bytes(a, b);
        check_close(c->log_evidence, a->log_evidence, 1e-15);
        check_same_vectors(a, c);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_model_free(c);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

START_TEST(what_does_not_fit_is_refused)
    {
        rvm_problem *p = smooth_problem(200, 1);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.6);
        rvm_error err = { 0 };
        rvm_trainer *tr = NULL;
        double needed = 0;
        s.method = methods[_i];
        s.budget_mb = 1;
        ck_assert_int_eq(rvm_trainer_alloc(&tr, p, &s, &err), RVM_ENOMEM);
        ck_assert_ptr_null(tr);
        const char *place = strstr(err.message, "-m ");
        ck_assert_msg(place != NULL && strstr(err.message, rvm_method_name(s.method)) != NULL, "%s",
                      err.message);
        needed = strtod(place + 3, NULL);
        s.budget_mb = needed - 1;
        ck_assert_int_eq(rvm_trainer_alloc(&tr, p, &s, &err), RVM_ENOMEM);
        s.budget_mb = needed;
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(several_outputs_are_refused)
    {
        rvm_problem *p = problem_from_text("1,2 1:1\n3,4 1:2\n", (rvm_grammar){ .outputs = true });
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.6);
        rvm_error err = { 0 };
        s.method = methods[_i];
        ck_assert_int_eq(rvm_settings_check(&s, p, &err), RVM_ESETTING);
        ck_assert_ptr_nonnull(strstr(err.message, "--method auto"));
        s.method = RVM_METHOD_AUTO;
        CHECK_OK(rvm_settings_check(&s, p, &err));
        rvm_problem_free(p);
    }
END_TEST

Suite *baselines_suite(void);
Suite *baselines_suite(void)
{
    Suite *s = suite_create("baselines");
    TCase *c = tcase_create("baselines");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, models_follow_the_formulas, 0, 2 * METHODS);
    tcase_add_loop_test(c, weighted_models_follow_the_formulas, 0, METHODS);
    tcase_add_loop_test(c, given_noise_is_kept, 0, METHODS);
    tcase_add_loop_test(c, regressions_end_at_stationary_points, 0, METHODS);
    tcase_add_loop_test(c, a_model_after_each_step, 0, METHODS);
    tcase_add_test(c, iterations_are_bounded);
    tcase_add_loop_test(c, more_classes_are_one_against_the_rest, 0, METHODS);
    tcase_add_loop_test(c, a_model_between_classes, 0, METHODS);
    tcase_add_loop_test(c, rows_and_threads_make_no_difference, 0, 2 * METHODS);
    tcase_add_loop_test(c, what_does_not_fit_is_refused, 0, METHODS);
    tcase_add_loop_test(c, several_outputs_are_refused, 0, METHODS);
    suite_add_tcase(s, c);
    return s;
}
