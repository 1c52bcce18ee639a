/* Weights of inputs from outside: training with those given, with those found, and the effects of
 * inputs (relevance.c, and what train.c does with widths.c). */
#include "suites.h"
#include "trained.h"

/* Rows with features 1 to 3 times factor. */
static rvm_problem *multiplied(const rvm_problem *p, const double *factor)
{
    rvm_problem *q = empty_problem();
    for (size_t n = 0; n < p->rows; n++) {
        double x[3];
        for (int f = 1; f <= 3; f++)
            x[f - 1] = feature(p, n, f) * factor[f - 1];
        append_dense(q, p->target[n], x, 3);
    }
    return q;
}

static rvm_problem *problem_for(rvm_task task)
{
    rvm_problem *p = weyl_problem(60, RVM_REGRESSION);
    for (size_t n = 0; n < p->rows && task == RVM_CLASSIFICATION; n++)
        p->target[n] = p->target[n] > 0.1 ? 1 : -1;
    return p;
}

/* Weights whose roots are exact: predictions to the last bit those of data multiplied by hand. */
static void check_given_weights(rvm_task task, rvm_kernel_type type)
{
    const int index[] = { 1, 2 };
    const double root[] = { 1.5, 0.5, 0 }, weight[] = { 2.25, 0.25, 0 };
    const rvm_input_weights inputs = { 2, index, weight };
    rvm_settings s = settings_for(task, type, 0.7);
    rvm_problem *p = problem_for(task);
    rvm_problem *q = multiplied(p, type == RVM_LAPLACIAN ? weight : root);
    rvm_model *by_hand = train(q, &s);
    s.kernel.inputs = &inputs;
    rvm_model *given = train(p, &s);
    rvm_prediction a = predict(given, p), b = predict(by_hand, q);
    for (size_t n = 0; n < a.rows; n++) {
        ck_assert_double_eq(a.value[n], b.value[n]);
        ck_assert_double_eq(a.variance[n], b.variance[n]);
    }
    ck_assert_double_eq(rvm_model_describe(given).log_evidence,
                        rvm_model_describe(by_hand).log_evidence);
    rvm_prediction_free(&a);
    rvm_prediction_free(&b);
    rvm_model_free(given);
    rvm_model_free(by_hand);
    rvm_problem_free(q);
    rvm_problem_free(p);
}

static const rvm_kernel_type weighing[] = { RVM_LINEAR, RVM_POLYNOMIAL, RVM_RBF, RVM_SIGMOID,
                                            RVM_LAPLACIAN };

START_TEST(given_weights_are_scales)
    {
        check_given_weights(RVM_REGRESSION, weighing[_i]);
        check_given_weights(RVM_CLASSIFICATION, weighing[_i]);
    }
END_TEST

START_TEST(found_weights_are_kept_in_the_model)
    {
        const rvm_task task = tasks[_i];
        rvm_settings s = settings_for(task, RVM_RBF, 0.3);
        rvm_problem *p = problem_for(task);
        s.ard = true;
        rvm_model *found = train(p, &s);
        const rvm_input_weights *inputs = rvm_model_describe(found).kernel.inputs;
        ck_assert_ptr_nonnull(inputs);
        ck_assert_uint_eq(inputs->count, 2); /* x_3 is of no use */
        ck_assert_int_eq(inputs->index[1], 2);
        ck_assert(inputs->weight[0] > inputs->weight[1]);
        ck_assert(rvm_model_describe(found).converged);
        check_finite_predictions(found, p);
        s.ard = false; /* the search is that of a trainer with these weights */
        s.kernel.inputs = inputs;
        s.kernel.gamma = 1;
        rvm_model *given = train(p, &s);
        check_same_bytes(found, given);
        rvm_model_free(given);
        rvm_model_free(found);
        rvm_problem_free(p);
    }
END_TEST

/* Interrupted after any number of steps there is a model, and it says that it did not converge. */
START_TEST(model_at_any_time)
    {
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.3);
        rvm_problem *p = problem_for(RVM_REGRESSION);
        rvm_trainer *tr = NULL;
        rvm_report r = { 0 };
        rvm_error err = { 0 };
        int by_the_way = 0;
        s.ard = true;
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        for (int k = 0; !r.done; k++) {
            rvm_model *m = NULL;
            const double before = r.progress;
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
            ck_assert(r.progress <= 1);
            ck_assert(r.progress >= before || r.stage != RVM_WIDTHS);
            CHECK_OK(rvm_trainer_model(&m, tr, &err));
            ck_assert_int_eq(rvm_model_describe(m).converged, r.converged);
            ck_assert(r.stage != RVM_WIDTHS || !r.done);
            by_the_way += r.stage == RVM_WIDTHS;
            rvm_model_free(m);
        }
        ck_assert_int_gt(by_the_way, 1);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

/* f = bias + w exp(-eta (x - z)^2) of one vector at 0: the effect of x by hand. x_2 has none. */
static const char one_vector[] = "rvm_model 1\n"
                                 "task regression\n"
                                 "kernel_type rbf\n"
                                 "gamma 1\n"
                                 "eta 1:0.5 3:2\n"
                                 "nr_class 2\n"
                                 "total_rv 1\n"
                                 "examples 7\n"
                                 "noise_variance 0.25\n"
                                 "noise_fixed 0\n"
                                 "log_evidence -12.5\n"
                                 "converged 1\n"
                                 "factor 2\n"
                                 "RV\n"
                                 "3 1\n"
                                 "end\n";

START_TEST(effects_by_hand)
    {
        rvm_problem *p =
            problem_from_text("0 1:1 2:5 3:0.5\n0 1:-2 2:1\n0 2:7 3:2.5\n", (rvm_grammar){ 0 });
        rvm_model *m = model_from_text(one_vector);
        rvm_error err = { 0 };
        double effect[2];
        CHECK_OK(rvm_model_effects(effect, m, p, &err));
        const double x1[] = { 1, -2, 0 }, x3[] = { 0.5, 0, 2.5 };
        double first = 0, third = 0;
        for (int n = 0; n < 3; n++) {
            const double a = exp(-0.5 * x1[n] * x1[n]), b = exp(-2 * x3[n] * x3[n]);
            first += gsl_pow_2(3 * b * (a - exp(-0.5 / 9)));
            third += gsl_pow_2(3 * a * (b - exp(-2.0)));
        }
        check_close(effect[0], sqrt(first / 3) / 0.5, 1e-12);
        check_close(effect[1], sqrt(third / 3) / 0.5, 1e-12);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* The log-odds of two classes: ln p_1 and ln p_2 change together,
 * so the input that matters is first. */
START_TEST(effects_of_classes)
    {
        rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.3);
        rvm_problem *p = problem_for(RVM_CLASSIFICATION);
        rvm_error err = { 0 };
        double effect[2];
        s.ard = true;
        rvm_model *m = train(p, &s);
        ck_assert_uint_eq(rvm_model_describe(m).kernel.inputs->count, 2);
        CHECK_OK(rvm_model_effects(effect, m, p, &err));
        ck_assert(effect[0] > 2 * effect[1] && effect[1] > 0);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

Suite *relevance_suite(void)
{
    Suite *s = suite_create("relevance");
    TCase *c = tcase_create("relevance");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, given_weights_are_scales, 0, sizeof weighing / sizeof *weighing);
    tcase_add_loop_test(c, found_weights_are_kept_in_the_model, 0, 2);
    tcase_add_test(c, model_at_any_time);
    tcase_add_test(c, effects_by_hand);
    tcase_add_test(c, effects_of_classes);
    suite_add_tcase(s, c);
    return s;
}
