/* Interrupts, by a flag that is set from the beginning: every search ends at once, with a model
 * that can be used or with the word that there is none, and nothing claims to have converged. */
#include "suites.h"
#include "trained.h"

static const volatile int interrupted = 1;

static rvm_settings heedful(rvm_task task, double gamma)
{
    rvm_settings s = settings_for(task, RVM_RBF, gamma);
    s.interrupted = &interrupted;
    return s;
}

/* Finite predictions of all rows; not done, not converged, and no step does anything more. */
static void check_cut_short(const rvm_problem *p, const rvm_settings *s)
{
    rvm_trainer *tr = NULL;
    rvm_model *m = NULL;
    rvm_report first, later;
    rvm_error err = { 0 };
    CHECK_OK(rvm_trainer_alloc(&tr, p, s, &err));
    CHECK_OK(rvm_trainer_step(&first, tr, &err));
    CHECK_OK(rvm_trainer_step(&later, tr, &err));
    ck_assert(!first.done && !first.converged && !later.done && !later.converged);
    ck_assert_uint_eq(first.functions, later.functions);
    ck_assert_double_eq(first.log_evidence, later.log_evidence);
    CHECK_OK(rvm_trainer_model(&m, tr, &err));
    ck_assert(!m->converged);
    rvm_prediction out = predict(m, p);
    for (size_t n = 0; n < out.rows * out.outputs; n++)
        ck_assert(isfinite(out.value[n]) && isfinite(out.variance[n]));
    rvm_prediction_free(&out);
    rvm_model_free(m);
    rvm_trainer_free(tr);
}

/* The status of a training in which nothing was found. */
static void check_none(const rvm_problem *p, const rvm_settings *s)
{
    rvm_trainer *tr = NULL;
    rvm_report report = { .done = false };
    rvm_error err = { 0 };
    rvm_status status = rvm_trainer_alloc(&tr, p, s, &err);
    if (status == RVM_OK)
        status = rvm_trainer_step(&report, tr, &err);
    ck_assert_int_eq(status, RVM_EINTERRUPT);
    ck_assert_int_eq(err.status, RVM_EINTERRUPT);
    ck_assert_str_eq(err.message, "interrupted before there was a model");
    ck_assert(!report.done);
    rvm_trainer_free(tr);
}

START_TEST(many_starts)
    {
        const rvm_settings s = heedful(tasks[_i], 0.5);
        rvm_problem *p = task_problem(tasks[_i], 90, 3);
        check_cut_short(p, &s);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(many_rows)
    {
        const rvm_settings s = heedful(tasks[_i], 0.5);
        rvm_problem *p = weyl_problem(2600, tasks[_i]);
        check_cut_short(p, &s);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(widths)
    {
        rvm_settings s = heedful(tasks[_i], 0.5);
        rvm_problem *p = task_problem(tasks[_i], 60, 4);
        s.ard = true;
        check_cut_short(p, &s);
        rvm_problem_free(p);
    }
END_TEST

/* Steps are never done after an interrupt, but this must come to its end. */
START_TEST(training_as_a_whole)
    {
        rvm_settings s = heedful(tasks[_i % 2], 0.5);
        rvm_problem *p = task_problem(tasks[_i % 2], 60, 4);
        rvm_model *m = NULL;
        rvm_error err = { 0 };
        s.ard = _i >= 2;
        CHECK_OK(rvm_train(&m, p, &s, &err));
        ck_assert(!m->converged);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(methods_of_the_papers)
    {
        static const rvm_method methods[] = { RVM_METHOD_MACKAY, RVM_METHOD_EM,
                                              RVM_METHOD_SEQUENTIAL, RVM_METHOD_GIBBS };
        rvm_settings s = heedful(tasks[_i % 2], 0.5);
        rvm_problem *p = task_problem(tasks[_i % 2], 60, 5);
        s.method = methods[_i / 2];
        check_cut_short(p, &s);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(a_constant_target)
    {
        const rvm_settings s = heedful(RVM_REGRESSION, 0.5);
        rvm_problem *p = problem_from_text("3 1:1\n3 1:2\n3 1:4\n", (rvm_grammar){ 0 });
        check_cut_short(p, &s);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(several_outputs)
    {
        const rvm_settings s = heedful(RVM_REGRESSION, 0.5);
        rvm_problem *p = empty_problem();
        for (size_t n = 0; n < 50; n++) {
            const double x = 0.1 * (double)n, t[] = { sin(x), cos(x) + 0.1 * fraction(7.3 * x) };
            ck_assert(rvm_problem_append_outputs(p, t, 2, (const int[]){ 1 }, &x, 1));
        }
        check_cut_short(p, &s);
        rvm_problem_free(p);
    }
END_TEST

/* One class of three would be no model. */
START_TEST(several_classes)
    {
        const rvm_settings s = heedful(RVM_CLASSIFICATION, 0.5);
        rvm_problem *p = cloud_problem(60, 6);
        for (size_t n = 0; n < p->rows; n++)
            p->target[n] = (double)(n % 3);
        check_none(p, &s);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(folds)
    {
        const rvm_settings s = heedful(RVM_REGRESSION, 0.5);
        rvm_problem *p = smooth_problem(30, 7);
        rvm_prediction out = { 0 };
        rvm_error err = { 0 };
        bool finished = true;
        CHECK_OK(rvm_cross_validate(&out, &finished, p, &s, 5, &err));
        ck_assert(!finished);
        rvm_prediction_free(&out);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(choice_of_a_width)
    {
        rvm_settings s = heedful(RVM_REGRESSION, 0.5);
        rvm_problem *p = smooth_problem(30, 8);
        rvm_trainer *tr = NULL;
        rvm_report r;
        rvm_error err = { 0 };
        s.tune.gamma = true;
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        CHECK_OK(rvm_trainer_step(&r, tr, &err));
        ck_assert(r.stage == RVM_TUNE && !r.stage_over && !r.done);
        ck_assert_uint_eq(rvm_tuner_tried(rvm_trainer_tuner(tr)), 0);
        rvm_trainer_free(tr);
        check_cut_short(p, &s);
        rvm_problem_free(p);
    }
END_TEST

/* The model of a training that was at its end is the same bytes as ever. */
START_TEST(too_late)
    {
        volatile int flag = 0;
        const bool classes = _i % 2 > 0;
        rvm_settings s = settings_for(tasks[_i % 2], RVM_RBF, 0.5);
        rvm_problem *p = classes ? cloud_problem(60, 9) : smooth_problem(60, 9);
        for (size_t n = 0; classes && n < p->rows; n++)
            p->target[n] = (double)(n % 3);
        s.kernel_prior = _i >= 2;
        rvm_model *want = train(p, &s), *got = NULL;
        rvm_trainer *tr = NULL;
        rvm_report report = { .done = false };
        rvm_error err = { 0 };
        s.interrupted = &flag;
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        while (!report.done)
            CHECK_OK(rvm_trainer_step(&report, tr, &err));
        flag = 1;
        CHECK_OK(rvm_trainer_model(&got, tr, &err));
        check_same_bytes(got, want);
        rvm_trainer_free(tr);
        rvm_model_free(got);
        rvm_model_free(want);
        rvm_problem_free(p);
    }
END_TEST

/* The model of a training that is interrupted after so many steps; NULL: it was done before. */
static rvm_model *interrupted_after(int steps, const rvm_problem *p, rvm_settings s, int *flag)
{
    rvm_trainer *tr = NULL;
    rvm_model *m = NULL;
    rvm_report report = { .done = false };
    rvm_error err = { 0 };
    *flag = 0;
    s.interrupted = flag;
    CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
    for (int k = 0; k < steps && !report.done; k++)
        CHECK_OK(rvm_trainer_step(&report, tr, &err));
    *flag = 1;
    if (!report.done) {
        CHECK_OK(rvm_trainer_step(&report, tr, &err));
        CHECK_OK(rvm_trainer_model(&m, tr, &err));
        ck_assert(!m->converged);
        ck_assert_double_eq_tol(m->log_evidence, report.log_evidence, 0.1);
    }
    rvm_trainer_free(tr);
    return m;
}

/* Several classes, whose solution is put together from the parts of many steps: it is that of which
 * the report told, to what lies between it and the joint mode. */
START_TEST(after_any_step)
    {
        rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
        rvm_problem *p = cloud_problem(40, 12);
        rvm_model *m = NULL;
        int flag = 0, steps = 1;
        for (size_t n = 0; n < p->rows; n += 3)
            p->target[n] = 7;
        s.restarts = 1 + 2 * _i;
        for (; (m = interrupted_after(steps, p, s, &flag)) != NULL; steps++)
            rvm_model_free(m);
        ck_assert_int_gt(steps, 9);
        rvm_problem_free(p);
    }
END_TEST

/* With the kernel prior: that of the search before there are points, then that of the process. */
START_TEST(on_the_way_to_a_process)
    {
        const bool classes = _i > 0;
        rvm_settings s = settings_for(classes ? RVM_CLASSIFICATION : RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_problem *p = classes ? cloud_problem(60, 12) : smooth_problem(60, 12);
        rvm_trainer *tr = NULL;
        rvm_report report = { .done = false };
        rvm_error err = { 0 };
        int flag = 0;
        bool before = false, process = false;
        for (size_t n = 0; _i == 2 && n < p->rows; n += 3)
            p->target[n] = 7;
        s.kernel_prior = true;
        s.interrupted = &flag;
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        while (!report.done) {
            rvm_model *m = NULL;
            flag = 0;
            CHECK_OK(rvm_trainer_step(&report, tr, &err));
            flag = 1;
            CHECK_OK(rvm_trainer_model(&m, tr, &err));
            ck_assert(m->converged == report.converged);
            ck_assert(!rvm_model_is_process(m) || report.stage == RVM_POINTS);
            before = before || !rvm_model_is_process(m);
            process = process || (rvm_model_is_process(m) && !report.done);
            rvm_prediction out = predict(m, p);
            for (size_t n = 0; n < out.rows * out.outputs; n++)
                ck_assert(isfinite(out.value[n]) && isfinite(out.variance[n]));
            rvm_prediction_free(&out);
            rvm_model_free(m);
        }
        ck_assert(before && process);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

/* --vectors: searches one after the other, each over a part of the vectors of the one before, of
 * which an interrupt leaves the last that has ended. */
START_TEST(on_the_way_to_fewer_vectors)
    {
        const bool classes = _i % 3 > 0;
        rvm_settings s = settings_for(classes ? RVM_CLASSIFICATION : RVM_REGRESSION, RVM_RBF, 4);
        rvm_problem *p = classes ? cloud_problem(30, 12) : smooth_problem(30, 12);
        size_t before = SIZE_MAX;
        bool done = false;
        for (size_t n = 0; _i % 3 == 2 && n < p->rows; n += 3)
            p->target[n] = 7;
        s.kernel_prior = _i >= 3;
        s.restarts = 1;
        s.vectors = 2;
        for (int steps = 1; !done; steps += 1 + steps / 8) {
            rvm_trainer *tr = NULL;
            rvm_model *m = NULL;
            rvm_report report = { .done = false };
            rvm_error err = { 0 };
            int flag = 0;
            s.interrupted = &flag;
            CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
            for (int k = 0; k < steps && !report.done; k++)
                CHECK_OK(rvm_trainer_step(&report, tr, &err));
            done = report.done;
            flag = 1;
            CHECK_OK(rvm_trainer_step(&report, tr, &err));
            CHECK_OK(rvm_trainer_model(&m, tr, &err));
            ck_assert(m->converged == report.converged && (done || !m->converged));
            check_finite_predictions(m, p);
            before = m->vectors->rows;
            rvm_model_free(m);
            rvm_trainer_free(tr);
        }
        ck_assert_uint_le(before, 2);
        ck_assert_uint_gt(before, 0);
        rvm_problem_free(p);
    }
END_TEST

Suite *interrupt_suite(void);
Suite *interrupt_suite(void)
{
    Suite *s = suite_create("interrupt");
    TCase *c = tcase_create("interrupt");
    tcase_add_loop_test(c, many_starts, 0, 2);
    tcase_add_loop_test(c, many_rows, 0, 2);
    tcase_add_loop_test(c, widths, 0, 2);
    tcase_add_loop_test(c, training_as_a_whole, 0, 4);
    tcase_add_loop_test(c, methods_of_the_papers, 0, 8);
    tcase_add_test(c, a_constant_target);
    tcase_add_test(c, several_outputs);
    tcase_add_test(c, several_classes);
    tcase_add_test(c, folds);
    tcase_add_test(c, choice_of_a_width);
    tcase_add_loop_test(c, after_any_step, 0, 2);
    tcase_add_loop_test(c, on_the_way_to_a_process, 0, 3);
    tcase_add_loop_test(c, too_late, 0, 4);
    tcase_add_loop_test(c, on_the_way_to_fewer_vectors, 0, 6);
    suite_add_tcase(s, c);
    return s;
}
