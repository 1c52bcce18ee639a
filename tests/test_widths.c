/* widths.c: the weights that are found, against the maximum that scipy's L-BFGS-B has found of the
 * same log evidence and prior, written out in numpy. */
#include "problems.h"
#include "product/widths.h"
#include "suites.h"
#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>

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
    int index[3];
    double weight[3], tolerance, log_evidence;
} reference;

static const reference references[] = {
    { RVM_REGRESSION, RVM_RBF, 2, { 1, 2 }, { 1.37981439, 0.05274564 }, 0.15, -8.58221448 },
    { RVM_REGRESSION,
      RVM_LAPLACIAN,
      3,
      { 1, 2, 3 },
      { 0.41929224, 0.03535056, 0.02479574 },
      0.5,
      -16.23811819 },
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
        ck_assert_double_eq_tol(log(found->weight[0]), log(1.37981439), 0.15);
        ck_assert_double_eq_tol(log(found->weight[1] * 1e6), log(0.05274564), 0.15);
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

/* The second half of q are copies of rows of p. */
START_TEST(copies_say_nothing)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 1);
        rvm_problem *p = weyl_problem(N, RVM_REGRESSION), *q = empty_problem();
        for (size_t n = 0; n < 2 * N; n++) {
            const size_t i = n < N ? n : n * n % N;
            const double x[] = { feature(p, i, 1), feature(p, i, 2), feature(p, i, 3) };
            append_dense(q, p->target[i], x, 3);
        }
        rvm_widths *w = find(p, &s), *v = find(q, &s);
        const rvm_input_weights *a = rvm_widths_best(w), *b = rvm_widths_best(v);
        rvm_report report = { 0 };
        rvm_widths_report(&report, v);
        ck_assert_uint_eq(report.rows, N);
        ck_assert_uint_eq(a->count, b->count);
        for (size_t j = 0; j < a->count; j++) /* the targets have another variance */
            ck_assert_double_eq_tol(log(a->weight[j]), log(b->weight[j]), 0.2);
        rvm_widths_free(v);
        rvm_widths_free(w);
        rvm_problem_free(q);
        rvm_problem_free(p);
    }
END_TEST

enum { ALIKE = 8, ROWS = 50 };

/* ln p(t) at rows X, dense: C = v exp(-eta |x - z|^2) + 10 + s I, the 10 being the bias. */
static double dense_evidence(double X[ROWS][ALIKE], const double *t, double eta, double v, double s)
{
    gsl_matrix *C = gsl_matrix_alloc(ROWS, ROWS);
    gsl_vector *a = gsl_vector_alloc(ROWS);
    double log_det = 0, square;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t n = 0; n < ROWS; n++) {
            double apart = 0;
            for (size_t j = 0; j < ALIKE; j++)
                apart += gsl_pow_2(X[i][j] - X[n][j]);
            gsl_matrix_set(C, i, n, v * exp(-eta * apart) + 10 + (i == n ? s : 0));
        }
    gsl_linalg_cholesky_decomp1(C);
    gsl_vector_const_view y = gsl_vector_const_view_array(t, ROWS);
    gsl_linalg_cholesky_solve(C, &y.vector, a);
    gsl_blas_ddot(a, &y.vector, &square);
    for (size_t n = 0; n < ROWS; n++)
        log_det += 2 * log(gsl_matrix_get(C, n, n));
    gsl_matrix_free(C);
    gsl_vector_free(a);
    return -0.5 * (square + log_det + ROWS * log(2 * M_PI));
}

/* Inputs of one spread, of which all matter alike, too many for the rows to tell them apart: none is
 * left out, and no point of a grid with one weight for all is higher. */
START_TEST(never_below_one_scale)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.1);
        rvm_problem *p = empty_problem();
        gsl_rng *rng = random_numbers(9);
        static double X[ROWS][ALIKE], t[ROWS], root[ROWS];
        for (size_t n = 0; n < ROWS; n++) {
            for (size_t j = 0; j < ALIKE; j++) /* signs: mean 0 and variance 1 by pairs of rows */
                X[n][j] = n % 2 == 1 ? -X[n - 1][j] : gsl_rng_uniform(rng) < 0.5 ? -1 : 1;
            root[n] = 0;
            for (size_t j = 0; j < ALIKE; j++)
                root[n] += X[n][j];
            root[n] = sin(0.5 * root[n]) + 0.3 * gsl_ran_gaussian(rng, 1);
        }
        for (size_t n = 0; n < ROWS; n++)
            t[n] = (root[n] - gsl_stats_mean(root, 1, ROWS)) /
                   sqrt(gsl_stats_variance(root, 1, ROWS) * (ROWS - 1) / ROWS);
        for (size_t n = 0; n < ROWS; n++)
            append_dense(p, root[n], X[n], ALIKE);
        rvm_widths *w = find(p, &s);
        rvm_report report = { 0 };
        rvm_widths_report(&report, w);
        double best = -INFINITY;
        for (double ln_eta = -6; ln_eta < 1; ln_eta += 0.5)
            for (double ln_v = -2; ln_v < 4; ln_v += 0.5)
                for (double ln_s = -5; ln_s < 0.5; ln_s += 0.5)
                    best = fmax(best, dense_evidence(X, t, exp(ln_eta), exp(ln_v), exp(ln_s)));
        ck_assert_msg(report.log_evidence > best - 0.1, "%g below %g", report.log_evidence, best);
        ck_assert_uint_eq(rvm_widths_best(w)->count, ALIKE);
        gsl_rng_free(rng);
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

/* Classes by the sum of many inputs, noise, and few rows. The evidence does without any input, since one
 * by one they are worth little; rows that it has not seen do not bear that out. */
START_TEST(classes_of_inputs_alike)
    {
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.05);
        rvm_problem *p = noise_problem(100, 30, 7);
        for (size_t n = 0; n < p->rows; n++) {
            double sum = 0;
            for (int j = 1; j <= 30; j++)
                sum += feature(p, n, j);
            p->target[n] = sum + 5.5 * p->target[n] > 0 ? 1 : -1;
        }
        rvm_widths *w = find(p, &s);
        const rvm_input_weights *found = rvm_widths_best(w);
        double least = INFINITY, most = 0;
        for (size_t j = 0; j < found->count; j++) {
            least = fmin(least, found->weight[j]);
            most = fmax(most, found->weight[j]);
        }
        ck_assert_uint_eq(found->count, 30);
        ck_assert_msg(most < 10 * least, "weights from %g to %g", least, most);
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
    tcase_add_test(c, copies_say_nothing);
    tcase_add_test(c, never_below_one_scale);
    tcase_add_test(c, a_part_of_many_rows);
    tcase_add_test(c, nothing_varies);
    tcase_add_test(c, nothing_to_learn);
    tcase_add_loop_test(c, fine_structure, 0, 2);
    tcase_add_test(c, one_of_many);
    tcase_add_test(c, classes_of_inputs_alike);
    suite_add_tcase(s, c);
    return s;
}
