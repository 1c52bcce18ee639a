/* The screen of kernels. Expected losses are those of N trainings: numpy has left out each
 * row of a problem that it makes itself (weyl_problem), solved for it with the others, and searched
 * tau on the same grid and kappa by golden section. */
#include <math.h>

#include "problems.h"
#include "product/screen.h"

enum { N = 40 };

static rvm_settings settings_of(rvm_task task)
{
    rvm_settings s = rvm_settings_default();
    s.task = task;
    s.threads = 1;
    return s;
}

/* One kernel, by a screen of its own. */
static double loss_of(const rvm_problem *p, const rvm_settings *s, rvm_kernel kernel, bool linear)
{
    rvm_screen *screen = NULL;
    rvm_error err = { 0 };
    double loss = NAN;
    CHECK_OK(rvm_screen_alloc(&screen, p, s, &err));
    CHECK_OK(rvm_screen_judge(&loss, screen, &kernel, linear, &err));
    rvm_screen_free(screen);
    return loss;
}

static const rvm_kernel rbf = { .type = RVM_RBF, .gamma = 1 };

START_TEST(one_output)
    {
        const rvm_settings s = settings_of(RVM_REGRESSION);
        rvm_problem *p = weyl_problem(N, RVM_REGRESSION);
        rvm_settings without = s;
        without.bias = false;
        /* tau 1/64, 1/16, 1/64, 1/4. */
        check_close(loss_of(p, &s, rbf, false), 0.183091237879, 1e-9);
        check_close(loss_of(p, &s, rbf, true), 0.301738232848, 1e-9);
        check_close(loss_of(p, &without, rbf, false), 0.179015088337, 1e-9);
        const rvm_kernel square = { .type = RVM_POLYNOMIAL, .degree = 2, .gamma = 0.5, .coef0 = 1 };
        check_close(loss_of(p, &s, square, false), 0.825810236056, 1e-9);
        const rvm_kernel laplacian = { .type = RVM_LAPLACIAN, .gamma = 0.5 };
        check_close(loss_of(p, &s, laplacian, false), 0.228535596077, 1e-6); /* tau 4^-9 */
        rvm_problem_free(p);
    }
END_TEST

/* The reduced targets have no unit. */
START_TEST(rows_of_one_output)
    {
        const rvm_settings s = settings_of(RVM_REGRESSION);
        rvm_problem *p = weyl_problem(N, RVM_REGRESSION);
        rvm_screen *screen = NULL;
        rvm_error err = { 0 };
        double loss, sum = 0;
        for (size_t n = 0; n < N; n++)
            p->target[n] = 1e4 - 250 * p->target[n];
        CHECK_OK(rvm_screen_alloc(&screen, p, &s, &err));
        CHECK_OK(rvm_screen_judge(&loss, screen, &rbf, false, &err));
        const double *row = rvm_screen_rows(screen);
        check_close(row[0], 1.13676488371, 1e-8);
        check_close(row[7], 0.158027715662, 1e-8);
        for (size_t n = 0; n < N; n++)
            sum += row[n] / N;
        check_close(sum, loss, 1e-12);
        check_close(loss, 0.183091237879, 1e-8);
        rvm_screen_free(screen);
        rvm_problem_free(p);
    }
END_TEST

/* A copy of p whose targets are `count` of those of `from`, N rows of as many. */
static rvm_problem *with_targets(const rvm_problem *p, const double *from, size_t count)
{
    rvm_problem *q = empty_problem();
    for (size_t n = 0; n < p->rows; n++)
        ck_assert(rvm_problem_append_outputs(q, from + n * count, count, p->index + p->start[n],
                                             p->value + p->start[n],
                                             p->start[n + 1] - p->start[n]));
    return q;
}

START_TEST(two_outputs)
    {
        const rvm_settings s = settings_of(RVM_REGRESSION);
        rvm_problem *p = weyl_problem(N, RVM_REGRESSION);
        double target[2 * N];
        for (size_t n = 0; n < N; n++) {
            target[2 * n] = p->target[n];
            target[2 * n + 1] = feature(p, n, 1) * feature(p, n, 2);
        }
        rvm_problem *q = with_targets(p, target, 2);
        check_close(loss_of(q, &s, rbf, false), -0.108509661725, 1e-9);
        rvm_problem_free(q);
        rvm_problem_free(p);
    }
END_TEST

/* An output that does not vary says nothing: the loss of the other one is half of what it is
 * alone. */
START_TEST(constant_output)
    {
        const rvm_settings s = settings_of(RVM_REGRESSION);
        rvm_problem *p = weyl_problem(N, RVM_REGRESSION);
        double target[2 * N];
        for (size_t n = 0; n < N; n++) {
            target[2 * n] = p->target[n];
            target[2 * n + 1] = 7.25;
        }
        rvm_problem *q = with_targets(p, target, 2);
        check_close(loss_of(q, &s, rbf, false), 0.183091237879 / 2, 1e-9);
        for (size_t n = 0; n < N; n++)
            q->target[2 * n] = -1e300;
        check_close(loss_of(q, &s, rbf, false), 0, 0);
        rvm_problem_free(q);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(two_classes)
    {
        rvm_settings s = settings_of(RVM_CLASSIFICATION);
        rvm_problem *p = weyl_problem(N, RVM_CLASSIFICATION), *more = weyl_problem(60, s.task);
        const rvm_class_weight weight = { 1, 3 };
        const rvm_kernel wide = { .type = RVM_RBF, .gamma = 0.5 };
        check_close(loss_of(p, &s, rbf, false), 0.180965855841, 1e-6);
        check_close(loss_of(more, &s, wide, false), 0.219913874108, 1e-6); /* tau 1 */
        s.class_weights = &weight;
        s.class_weight_count = 1;
        check_close(loss_of(p, &s, rbf, false), 0.164004956954, 1e-6);
        rvm_problem_free(p);
        rvm_problem_free(more);
    }
END_TEST

START_TEST(three_classes)
    {
        const rvm_settings s = settings_of(RVM_CLASSIFICATION);
        rvm_problem *p = weyl_problem(N, RVM_REGRESSION);
        rvm_screen *screen = NULL;
        rvm_error err = { 0 };
        double loss;
        for (size_t n = 0; n < N; n++)
            p->target[n] = p->target[n] < -0.4 ? 3 : p->target[n] < 0.4 ? -8 : 5;
        CHECK_OK(rvm_screen_alloc(&screen, p, &s, &err));
        CHECK_OK(rvm_screen_judge(&loss, screen, &rbf, false, &err));
        check_close(loss, 0.315299425532, 1e-6);
        check_close(rvm_screen_rows(screen)[5], 0.00352260330331, 1e-4);
        rvm_screen_free(screen);
        rvm_problem_free(p);
    }
END_TEST

/* The search for tau begins where the last one ended; it comes to the same. */
START_TEST(calls_before_do_not_matter)
    {
        const rvm_settings s = settings_of(RVM_REGRESSION);
        rvm_problem *p = weyl_problem(N, RVM_REGRESSION);
        rvm_screen *screen = NULL;
        rvm_error err = { 0 };
        CHECK_OK(rvm_screen_alloc(&screen, p, &s, &err));
        for (double gamma = 1e-3; gamma < 1e4; gamma *= 10) {
            const rvm_kernel other = { .type = RVM_RBF, .gamma = gamma };
            double loss;
            CHECK_OK(rvm_screen_judge(&loss, screen, &other, gamma > 1, &err));
            ck_assert(isfinite(loss));
            CHECK_OK(rvm_screen_judge(&loss, screen, &rbf, false, &err));
            check_close(loss, 0.183091237879, 1e-9);
        }
        rvm_screen_free(screen);
        rvm_problem_free(p);
    }
END_TEST

/* tanh(5 x'z - 1), for which numpy finds an eigenvalue of -6.478, and a power that leaves the range
 * of numbers. What is judged afterwards does not mind. */
START_TEST(no_covariance)
    {
        const rvm_settings s = settings_of(RVM_REGRESSION);
        rvm_problem *p = weyl_problem(N, RVM_REGRESSION);
        rvm_screen *screen = NULL;
        rvm_error err = { 0 };
        double loss;
        const rvm_kernel sigmoid = { .type = RVM_SIGMOID, .gamma = 5, .coef0 = -1 };
        const rvm_kernel power = {
            .type = RVM_POLYNOMIAL, .degree = 40, .gamma = 1e30, .coef0 = 1
        };
        CHECK_OK(rvm_screen_alloc(&screen, p, &s, &err));
        CHECK_OK(rvm_screen_judge(&loss, screen, &sigmoid, false, &err));
        ck_assert_msg(isinf(loss) && loss > 0, "%g", loss);
        CHECK_OK(rvm_screen_judge(&loss, screen, &power, false, &err));
        ck_assert_msg(isinf(loss) && loss > 0, "%g", loss);
        CHECK_OK(rvm_screen_judge(&loss, screen, &rbf, false, &err));
        check_close(loss, 0.183091237879, 1e-9);
        rvm_screen_free(screen);
        rvm_problem_free(p);
    }
END_TEST

/* One row, two equal ones, no features, features at the ends of the range, a single class. */
START_TEST(degenerate_rows)
    {
        const double huge = 1e300, tiny = 1e-300;
        const rvm_kernel kernels[] = { rbf,
                                       { .type = RVM_LINEAR },
                                       { .type = RVM_LAPLACIAN, .gamma = 1 } };
        for (size_t rows = 1; rows <= 5; rows++)
            for (size_t k = 0; k < 3; k++)
                for (size_t t = 0; t < 2; t++) {
                    const rvm_settings s = settings_of(tasks[t]);
                    rvm_problem *p = empty_problem();
                    for (size_t n = 0; n < rows; n++)
                        append_dense(p, rows == 3 ? 1 : (double)(n % 2), n % 3 == 2 ? &huge : &tiny,
                                     rows == 2 ? 0 : 1);
                    ck_assert(!isnan(loss_of(p, &s, kernels[k], k == 0)));
                    rvm_problem_free(p);
                }
    }
END_TEST

Suite *screen_suite(void);
Suite *screen_suite(void)
{
    Suite *suite = suite_create("screen");
    TCase *tc = tcase_create("screen");

    tcase_add_test(tc, one_output);
    tcase_add_test(tc, rows_of_one_output);
    tcase_add_test(tc, two_outputs);
    tcase_add_test(tc, constant_output);
    tcase_add_test(tc, two_classes);
    tcase_add_test(tc, three_classes);
    tcase_add_test(tc, calls_before_do_not_matter);
    tcase_add_test(tc, no_covariance);
    tcase_add_test(tc, degenerate_rows);
    suite_add_tcase(suite, tc);
    return suite;
}
