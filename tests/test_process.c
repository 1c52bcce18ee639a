/* process.c: log evidence against numpy, its derivative by the covariance against differences. */
#include "inference/process.h"
#include "problems.h"
#include "suites.h"

enum { N = 40 };

/* 2 exp(-0.7 d1^2 - 0.3 d2^2 - 0.1 d3^2) + 10 between two rows. */
static double covariance_of(const rvm_problem *p, size_t i, size_t n)
{
    const double eta[] = { 0.7, 0.3, 0.1 };
    double sum = 0;
    for (int f = 1; f <= 3; f++)
        sum += eta[f - 1] * gsl_pow_2(feature(p, i, f) - feature(p, n, f));
    return 2 * exp(-sum) + 10;
}

/* `shift` is added to elements (i, k) and (k, i). */
static void fill(rvm_process *s, const rvm_problem *p, size_t i, size_t k, double shift)
{
    for (size_t a = 0; a < N; a++)
        for (size_t b = 0; b < N; b++)
            gsl_matrix_set(s->C, a, b, covariance_of(p, a, b));
    gsl_matrix_set(s->C, i, k, gsl_matrix_get(s->C, i, k) + shift);
    gsl_matrix_set(s->C, k, i, gsl_matrix_get(s->C, i, k));
}

static double log_evidence(rvm_process *s, double *a, const rvm_problem *p, bool classes,
                           const double *row_weight)
{
    const rvm_observed o = { .likelihood = classes ? &rvm_bernoulli : &rvm_gaussian,
                             .N = N,
                             .spans = rvm_spans_make(N, NULL),
                             .t = p->target,
                             .row_weight = (double *)row_weight };
    double L = 0;
    ck_assert(o.likelihood->process(&L, a, s, &o, log(5), 1));
    return L;
}

static void check_derivative(rvm_process *s, const rvm_problem *p, bool classes,
                             const double *row_weight)
{
    static const size_t at[][2] = { { 3, 3 }, { 0, 39 }, { 17, 4 }, { 21, 22 } };
    const double step = 1e-4;
    for (size_t e = 0; e < sizeof at / sizeof *at; e++) {
        const size_t i = at[e][0], k = at[e][1];
        double a[N] = { 0 };
        fill(s, p, i, k, 0);
        log_evidence(s, a, p, classes, row_weight);
        const double both = gsl_matrix_get(s->G, i, k) + (i == k ? 0 : gsl_matrix_get(s->G, k, i));
        fill(s, p, i, k, step);
        const double more = log_evidence(s, a, p, classes, row_weight);
        fill(s, p, i, k, -step);
        const double less = log_evidence(s, a, p, classes, row_weight);
        const double slope = (more - less) / (2 * step);
        ck_assert(fabs(slope) > 1e-4);
        ck_assert_msg(fabs(both - slope) < 1e-6 * (1 + fabs(slope)),
                      "(%zu, %zu): %.12g, by differences %.12g", i, k, both, slope);
    }
}

static void set_up(rvm_process *s)
{
    rvm_error err = { 0 };
    CHECK_OK(rvm_process_init(s, N, &err));
}

START_TEST(normal_noise)
    {
        rvm_problem *p = weyl_problem(N, RVM_REGRESSION);
        rvm_process s;
        double a[N];
        set_up(&s);
        fill(&s, p, 0, 0, 0);
        check_close(log_evidence(&s, a, p, false, NULL), -26.047162378317, 1e-9);
        check_derivative(&s, p, false, NULL);
        rvm_process_free(&s);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(two_classes)
    {
        rvm_problem *p = weyl_problem(N, RVM_CLASSIFICATION);
        rvm_process s;
        double a[N] = { 0 }, row_weight[N];
        set_up(&s);
        fill(&s, p, 0, 0, 0);
        check_close(log_evidence(&s, a, p, true, NULL), -20.666412869907, 1e-9);
        for (size_t n = 0; n < N; n++)
            row_weight[n] = p->target[n] > 0 ? 2.5 : 0.5;
        fill(&s, p, 0, 0, 0);
        check_close(log_evidence(&s, a, p, true, row_weight), -20.982303488471, 1e-9);
        check_derivative(&s, p, true, NULL);
        check_derivative(&s, p, true, row_weight);
        rvm_process_free(&s);
        rvm_problem_free(p);
    }
END_TEST

/* A start that is far off, and worse than none, changes nothing. */
START_TEST(mode_from_anywhere)
    {
        rvm_problem *p = weyl_problem(N, RVM_CLASSIFICATION);
        rvm_process s;
        double a[N];
        set_up(&s);
        for (size_t n = 0; n < N; n++)
            a[n] = n % 2 == 0 ? 30 : -50;
        fill(&s, p, 0, 0, 0);
        check_close(log_evidence(&s, a, p, true, NULL), -20.666412869907, 1e-9);
        for (size_t n = 0; n < N; n++) /* at the mode a is the slope of the likelihood */
            ck_assert_double_eq_tol(a[n], s.gradient[n], 1e-6);
        rvm_process_free(&s);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(no_covariance)
    {
        rvm_problem *p = weyl_problem(N, RVM_REGRESSION);
        rvm_process s;
        double a[N], L;
        set_up(&s);
        fill(&s, p, 5, 5, -20);
        const rvm_observed o = observe(&rvm_gaussian, p->target, N);
        ck_assert(!rvm_process_normal(&L, a, &s, &o, log(5), 1));
        rvm_process_free(&s);
        rvm_problem_free(p);
    }
END_TEST

Suite *process_suite(void)
{
    Suite *s = suite_create("process");
    TCase *c = tcase_create("process");
    tcase_add_test(c, normal_noise);
    tcase_add_test(c, two_classes);
    tcase_add_test(c, mode_from_anywhere);
    tcase_add_test(c, no_covariance);
    suite_add_tcase(s, c);
    return s;
}
