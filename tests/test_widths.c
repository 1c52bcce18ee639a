/* widths.c: the weights that are found, against the maximum that scipy's L-BFGS-B has found of the
 * same log evidence, written out in numpy. */
#include "problems.h"
#include "product/widths.h"
#include "suites.h"

enum { N = 40 };

static rvm_widths *find(const rvm_problem *p, const rvm_settings *s)
{
    rvm_widths *w = NULL;
    rvm_error err = { 0 };
    rvm_study y;
    bool done = false;
    size_t *class_of_row = calloc(p->rows, sizeof *class_of_row), classes = 2;
    ck_assert_ptr_nonnull(class_of_row);
    CHECK_OK(rvm_study_init(&y, p, s, &s->kernel, 1, &err));
    for (size_t n = 0; n < p->rows && s->task == RVM_CLASSIFICATION; n++)
        if (y.p->target[n] >= 0) { /* -1 and 1, or 0, 1, 2 */
            class_of_row[n] = (size_t)y.p->target[n];
            classes = GSL_MAX(classes, class_of_row[n] + 1);
        }
    CHECK_OK(rvm_widths_alloc(&w, &y, class_of_row, classes, s, &err));
    rvm_study_free(&y);
    free(class_of_row);
    for (int k = 0; k < 1000 && !done; k++)
        CHECK_OK(rvm_widths_step(&done, w, &err));
    ck_assert(done);
    return w;
}

typedef struct {
    rvm_task task;
    rvm_kernel_type type;
    size_t count; /* inputs of some use */
    int index[2];
    double weight[2], tolerance, log_evidence;
} reference;

static const reference references[] = {
    { RVM_REGRESSION, RVM_RBF, 2, { 1, 2 }, { 1.2710150419, 0.024422589 }, 0.15, -5.99663746 },
    { RVM_REGRESSION,
      RVM_LAPLACIAN,
      2,
      { 1, 2 },
      { 0.2935482267, 0.0211500558 },
      0.5,
      -13.28175157 },
    { RVM_CLASSIFICATION, RVM_RBF, 1, { 2 }, { 0.50331939203 }, 0.15, -9.7925326 },
    { RVM_CLASSIFICATION, RVM_LAPLACIAN, 1, { 2 }, { 0.47072860205 }, 0.15, -11.70002237 },
};

/* A step that gains less than 0.01 ends the ascent: so near is the log evidence, and the weights as
 * near as that makes them: the laplacian kernel's hang together with its variance. */
START_TEST(the_maximum_of_scipy)
    {
        const reference *r = &references[_i];
        const rvm_settings s = settings_for(r->task, r->type, 1.0 / 3);
        rvm_problem *p = weyl_problem(N, r->task);
        rvm_widths *w = find(p, &s);
        const rvm_input_weights *found = rvm_widths_best(w);
        ck_assert_uint_eq(found->count, r->count);
        for (size_t j = 0; j < r->count; j++) {
            ck_assert_int_eq(found->index[j], r->index[j]);
            ck_assert_double_eq_tol(log(found->weight[j]), log(r->weight[j]), r->tolerance);
        }
        rvm_report report = { 0 };
        rvm_widths_report(&report, w);
        ck_assert_double_eq_tol(report.log_evidence, r->log_evidence, 0.02);
        ck_assert_uint_eq(report.rows, N);
        rvm_widths_free(w);
        rvm_problem_free(p);
    }
END_TEST

/* x_2 in thousandths and an offset on all: weights of the same effect. */
START_TEST(units_of_inputs)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 1);
        rvm_problem *p = weyl_problem(N, RVM_REGRESSION), *q = empty_problem();
        for (size_t n = 0; n < N; n++) {
            const double x[] = { feature(p, n, 1) + 7, 1000 * feature(p, n, 2) + 9,
                                 feature(p, n, 3) - 5 };
            append_dense(q, p->target[n] * 3 + 2, x, 3);
        }
        rvm_widths *w = find(q, &s);
        const rvm_input_weights *found = rvm_widths_best(w);
        ck_assert_uint_eq(found->count, 2);
        ck_assert_double_eq_tol(log(found->weight[0]), log(1.2710150419), 0.15);
        ck_assert_double_eq_tol(log(found->weight[1] * 1e6), log(0.024422589), 0.15);
        rvm_widths_free(w);
        rvm_problem_free(q);
        rvm_problem_free(p);
    }
END_TEST

static void check_same(rvm_widths *v, rvm_widths *w)
{
    const rvm_input_weights *x = rvm_widths_best(v), *y = rvm_widths_best(w);
    ck_assert_uint_eq(x->count, y->count);
    for (size_t j = 0; j < x->count; j++) {
        ck_assert_int_eq(x->index[j], y->index[j]);
        ck_assert_double_eq(x->weight[j], y->weight[j]);
    }
}

START_TEST(threads_change_nothing)
    {
        const rvm_task task = tasks[_i];
        rvm_settings s = settings_for(task, RVM_RBF, 1);
        rvm_problem *p = weyl_problem(150, task);
        rvm_widths *alone = find(p, &s);
        s.threads = 4;
        rvm_widths *team = find(p, &s);
        check_same(alone, team);
        rvm_widths_free(alone);
        rvm_widths_free(team);
        rvm_problem_free(p);
    }
END_TEST

/* The first output has to do with x_1 and x_2, the second with x_3 alone,
 * the third with nothing. */
START_TEST(outputs_have_the_weights_in_common)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 1);
        rvm_problem *p = weyl_problem(N, RVM_REGRESSION), *q = empty_problem();
        for (size_t n = 0; n < N; n++) {
            const int index[] = { 1, 2, 3, 4 };
            const double x[] = { feature(p, n, 1), feature(p, n, 2), feature(p, n, 3),
                                 sin((double)(n * n)) };
            const double t[] = { p->target[n], 50 * cos(2 * x[2]) + sin(77.0 * (double)n), 4 };
            ck_assert(rvm_problem_append_outputs(q, t, 3, index, x, 4));
        }
        rvm_widths *w = find(q, &s);
        const rvm_input_weights *found = rvm_widths_best(w);
        ck_assert_uint_eq(found->count, 3);
        for (size_t j = 0; j < 3; j++)
            ck_assert_int_eq(found->index[j], (int)j + 1);
        rvm_widths_free(w);
        rvm_problem_free(q);
        rvm_problem_free(p);
    }
END_TEST

/* Thirds of the range of x_2. */
START_TEST(classes_have_the_weights_in_common)
    {
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 1);
        rvm_problem *p = weyl_problem(90, RVM_CLASSIFICATION);
        for (size_t n = 0; n < p->rows; n++)
            p->target[n] = floor(1.5 * (feature(p, n, 2) + 1));
        rvm_widths *w = find(p, &s);
        const rvm_input_weights *found = rvm_widths_best(w);
        ck_assert_uint_eq(found->count, 1);
        ck_assert_int_eq(found->index[0], 2);
        rvm_widths_free(w);
        rvm_problem_free(p);
    }
END_TEST

/* A budget for 60 rows at a time. */
START_TEST(a_part_of_many_rows)
    {
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 1);
        rvm_problem *p = weyl_problem(400, RVM_REGRESSION);
        s.budget_mb = 8.0 * 8 * 6 * 60 * 60 / 1048576;
        rvm_widths *w = find(p, &s);
        rvm_report report = { 0 };
        rvm_widths_report(&report, w);
        ck_assert_uint_eq(report.rows, 60);
        ck_assert_int_eq(rvm_widths_best(w)->index[0], 1);
        rvm_widths_free(w);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(nothing_varies)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 1);
        rvm_problem *p = problem_from_text("1 1:2\n2 1:2\n3 1:2\n", (rvm_grammar){ 0 });
        rvm_widths *w = find(p, &s);
        ck_assert_uint_eq(rvm_widths_best(w)->count, 0);
        rvm_widths_free(w);
        rvm_problem_free(p);
    }
END_TEST

/* The targets are noise: no input is worth its weight. */
START_TEST(nothing_to_learn)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.2);
        rvm_problem *p = noise_problem(80, 4, 3);
        rvm_widths *w = find(p, &s);
        ck_assert_uint_eq(rvm_widths_best(w)->count, 0);
        rvm_widths_free(w);
        rvm_problem_free(p);
    }
END_TEST

/* Waves of 12 rows and noise of 0.1 / sqrt(12): at widths of the range of the input that is noise.
 * An ascent from there leaves the input out. */
START_TEST(fine_structure)
    {
        const rvm_task task = tasks[_i];
        const rvm_settings s = settings_for(task, RVM_RBF, 1);
        rvm_problem *p = empty_problem();
        gsl_rng *rng = random_numbers(4);
        for (size_t n = 0; n < 120; n++) {
            const double x = (double)n / 120, t = sin(2 * M_PI * 10 * x + 0.3);
            append_dense(p,
                         task == RVM_REGRESSION ? t + 0.1 * (gsl_rng_uniform(rng) - 0.5)
                         : t > 0                ? 1
                                                : -1,
                         &x, 1);
        }
        gsl_rng_free(rng);
        rvm_widths *w = find(p, &s);
        const rvm_input_weights *found = rvm_widths_best(w);
        ck_assert_uint_eq(found->count, 1);
        ck_assert_msg(found->weight[0] > 100, "weight %g", found->weight[0]);
        rvm_widths_free(w);
        rvm_problem_free(p);
    }
END_TEST

/* What many inputs of no use save is no reason to leave out the one that all depends on, though it
 * is worth less than they are many. */
START_TEST(one_of_many)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.02);
        rvm_problem *p = noise_problem(100, 40, 5);
        for (size_t n = 0; n < p->rows; n++)
            p->target[n] = 0.7 * p->target[n] + sin(2 * feature(p, n, 1));
        rvm_widths *w = find(p, &s);
        const rvm_input_weights *found = rvm_widths_best(w);
        ck_assert_uint_ge(found->count, 1);
        ck_assert_int_eq(found->index[0], 1);
        rvm_widths_free(w);
        rvm_problem_free(p);
    }
END_TEST

Suite *widths_suite(void)
{
    Suite *s = suite_create("widths");
    TCase *c = tcase_create("widths");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, the_maximum_of_scipy, 0, sizeof references / sizeof *references);
    tcase_add_test(c, units_of_inputs);
    tcase_add_loop_test(c, threads_change_nothing, 0, 2);
    tcase_add_test(c, outputs_have_the_weights_in_common);
    tcase_add_test(c, classes_have_the_weights_in_common);
    tcase_add_test(c, a_part_of_many_rows);
    tcase_add_test(c, nothing_varies);
    tcase_add_test(c, nothing_to_learn);
    tcase_add_loop_test(c, fine_structure, 0, 2);
    tcase_add_test(c, one_of_many);
    suite_add_tcase(s, c);
    return s;
}
