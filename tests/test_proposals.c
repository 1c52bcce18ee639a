/* Which kernels a screen proposes for rows whose best kernel is known. */
#include <math.h>

#include "data/order.h"
#include "problems.h"
#include "product/proposals.h"
#include "product/screen.h"

static rvm_status train_fold(rvm_model **out, rvm_report *last, const rvm_problem *p,
                             const rvm_settings *s, rvm_error *err)
{
    *last = (rvm_report){ .done = true };
    return rvm_train(out, p, s, err);
}

static rvm_status never_trains(rvm_model **out, rvm_report *last, const rvm_problem *p,
                               const rvm_settings *s, rvm_error *err)
{
    (void)out, (void)last, (void)p, (void)s;
    err->status = RVM_ENUMERIC;
    return RVM_ENUMERIC;
}

/* All that --auto leaves open. */
static rvm_settings open_settings(rvm_task task)
{
    rvm_settings s = rvm_settings_default();
    rvm_error err = { 0 };
    s.task = task;
    s.threads = 1;
    CHECK_OK(rvm_settings_set(&s, "auto", NULL, &err));
    return s;
}

static rvm_proposals *propose(const rvm_problem *p, const rvm_settings *s, rvm_training *train)
{
    rvm_proposals *q = NULL;
    rvm_error err = { 0 };
    size_t *order = NULL;
    bool done = false;
    int steps, expected;
    CHECK_OK(rvm_order_rows(&order, p, &err));
    CHECK_OK(rvm_proposals_alloc(&q, p, order, s, train, &err));
    for (int k = 0; !done; k++) {
        ck_assert_int_lt(k, 1000);
        rvm_proposals_progress(&steps, &expected, q);
        ck_assert(steps == k && expected >= k);
        CHECK_OK(rvm_proposals_step(&done, q, &err));
    }
    free(order);
    return q;
}

static rvm_proposal proposal_of(const rvm_proposals *q, rvm_kernel_type type, bool ard)
{
    for (size_t k = 0; k < rvm_proposals_count(q); k++) {
        const rvm_proposal of = rvm_proposals_get(q, k);
        if (of.kernel.type == type && of.ard == ard && !of.linear)
            return of;
    }
    ck_abort_msg("no kernel %d, ard %d", (int)type, ard);
}

static void check_ranks(const rvm_proposals *q)
{
    for (size_t k = 1; k < rvm_proposals_count(q); k++)
        ck_assert(rvm_proposals_get(q, k - 1).loss <= rvm_proposals_get(q, k).loss);
}

typedef double surface(const double *x, size_t d);

static double plane(const double *x, size_t d)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += x[k] * ((double)k - 1.3);
    return sum;
}

static double smooth(const double *x, size_t d)
{
    (void)d;
    return sin(2 * x[0] + x[1]) + cos(2 * x[1] - x[2]);
}

static double edges(const double *x, size_t d)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += fabs(x[k] - 0.2 * (double)k) + (x[k] > 0.1 ? 0.5 : 0);
    return sum;
}

static double bowl(const double *x, size_t d)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += x[k] * x[k] * ((double)k + 1) + x[k] * x[(k + 1) % d];
    return sum;
}

static double first_input(const double *x, size_t d)
{
    (void)d;
    return sin(3 * x[0]);
}

/* All inputs alike. */
static double radius(const double *x, size_t d)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += x[k] * x[k];
    return 2 * sin(sqrt(sum));
}

/* N rows of d inputs, uniform in [-1, 1], and noise; of classes the sign about the middle. */
static rvm_problem *sample_of(surface *f, size_t N, size_t d, double noise, bool classes)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(5);
    double x[16];
    for (size_t n = 0; n < N; n++) {
        for (size_t k = 0; k < d; k++)
            x[k] = 2 * gsl_rng_uniform(rng) - 1;
        const double t = f(x, d) + gsl_ran_gaussian(rng, noise);
        append_dense(p, classes ? (t > 0 ? 1 : -1) : t, x, d);
    }
    gsl_rng_free(rng);
    return p;
}

/* The screen at widths a quarter of an octave apart, far beyond both ends of the ladder's first rungs.
 * The ladder has rungs an octave apart. */
START_TEST(width_is_within_a_rung_of_the_best)
    {
        for (size_t t = 0; t < 2; t++) {
            rvm_settings s = open_settings(tasks[t]);
            s.tune.type[0] = RVM_RBF;
            s.tune.type_count = 1;
            s.tune.ard = s.tune.linear = false;
            rvm_problem *p = sample_of(smooth, 150, 3, 0.1, t == 1);
            rvm_screen *screen = NULL;
            rvm_error err = { 0 };
            double loss, least = INFINITY;
            rvm_proposals *q = propose(p, &s, train_fold);
            const rvm_proposal best = rvm_proposals_get(q, 0);
            CHECK_OK(rvm_screen_alloc(&screen, p, &s, &err));
            rvm_kernel kernel = { .type = RVM_RBF }, at = kernel;
            for (double octave = -8; octave <= 8; octave += 0.25) {
                kernel.gamma = exp2(octave);
                CHECK_OK(rvm_screen_judge(&loss, screen, &kernel, false, &err));
                if (loss < least) {
                    least = loss;
                    at = kernel;
                }
            }
            ck_assert_uint_eq(rvm_proposals_count(q), 1);
            ck_assert_msg(fabs(log2(best.kernel.gamma / at.gamma)) <= 1, "gamma %g, best %g",
                          best.kernel.gamma, at.gamma);
            ck_assert_msg(best.loss < least + 0.05 && best.loss > least - 1e-3, "loss %g, best %g",
                          best.loss, least);
            rvm_screen_free(screen);
            rvm_proposals_free(q);
            rvm_problem_free(p);
        }
    }
END_TEST

static void check_first(surface *f, rvm_kernel_type type, int degree)
{
    rvm_settings s = open_settings(RVM_REGRESSION);
    s.tune.ard = s.tune.linear = false;
    rvm_problem *p = sample_of(f, 200, 4, 0.1, false);
    rvm_proposals *q = propose(p, &s, train_fold);
    const rvm_proposal best = rvm_proposals_get(q, 0);
    ck_assert_uint_eq(rvm_proposals_count(q), 5);
    ck_assert_msg(best.kernel.type == type && (degree == 0 || best.kernel.degree == degree),
                  "kernel %d degree %d", (int)best.kernel.type, best.kernel.degree);
    check_ranks(q);
    rvm_proposals_free(q);
    rvm_problem_free(p);
}

START_TEST(kernels_come_in_their_order)
    {
        check_first(plane, RVM_LINEAR, 0);
        check_first(smooth, RVM_RBF, 0);
        check_first(edges, RVM_LAPLACIAN, 0);
        check_first(bowl, RVM_POLYNOMIAL, 2);
    }
END_TEST

/* One input of ten matters: length-scales win, and are sure. */
START_TEST(length_scales_of_one_input)
    {
        const rvm_settings s = open_settings(RVM_REGRESSION);
        rvm_problem *p = sample_of(first_input, 200, 10, 0.2, false);
        rvm_proposals *q = propose(p, &s, train_fold);
        const rvm_proposal best = rvm_proposals_get(q, 0), single = proposal_of(q, RVM_RBF, false);
        const rvm_proposal scales = proposal_of(q, RVM_RBF, true);
        ck_assert(best.ard);
        ck_assert(!scales.doubtful);
        ck_assert_msg(scales.loss < single.loss - 0.2, "%g %g", scales.loss, single.loss);
        ck_assert(scales.kernel.gamma == single.kernel.gamma);
        check_ranks(q);
        rvm_proposals_free(q);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(length_scales_of_inputs_that_are_alike)
    {
        for (size_t t = 0; t < 2; t++) {
            const rvm_settings s = open_settings(tasks[t]);
            rvm_problem *p = sample_of(radius, 200, 5, 0.3, false);
            for (size_t n = 0; n < p->rows && t == 1; n++)
                p->target[n] = p->target[n] > 1.7;
            rvm_proposals *q = propose(p, &s, train_fold);
            ck_assert(!rvm_proposals_get(q, 0).ard);
            ck_assert(proposal_of(q, RVM_RBF, true).doubtful);
            rvm_proposals_free(q);
            rvm_problem_free(p);
        }
    }
END_TEST

/* Each costs time in every fold: of 301 inputs nobody asks. */
START_TEST(length_scales_of_too_many_inputs)
    {
        const rvm_settings s = open_settings(RVM_REGRESSION);
        for (size_t d = 300; d <= 301; d++) {
            double x[301];
            rvm_problem *p = empty_problem();
            gsl_rng *rng = random_numbers(6);
            rvm_proposals *q = NULL;
            rvm_error err = { 0 };
            size_t order[20], scales = 0;
            for (size_t n = 0; n < 20; n++) {
                order[n] = n;
                for (size_t k = 0; k < d; k++)
                    x[k] = gsl_ran_gaussian(rng, 1);
                append_dense(p, x[0], x, d);
            }
            CHECK_OK(rvm_proposals_alloc(&q, p, order, &s, train_fold, &err));
            for (size_t k = 0; k < rvm_proposals_count(q); k++)
                scales += rvm_proposals_get(q, k).ard;
            ck_assert_uint_eq(scales, d == 300 ? 2 : 0);
            rvm_proposals_free(q);
            gsl_rng_free(rng);
            rvm_problem_free(p);
        }
    }
END_TEST

/* A training that fails is no failure of the screen. */
START_TEST(length_scales_that_cannot_be_trained)
    {
        const rvm_settings s = open_settings(RVM_REGRESSION);
        rvm_problem *p = sample_of(smooth, 60, 3, 0.1, false);
        rvm_proposals *q = propose(p, &s, never_trains);
        ck_assert(!rvm_proposals_get(q, 0).ard);
        ck_assert(isfinite(rvm_proposals_get(q, 0).loss));
        rvm_proposals_free(q);
        rvm_problem_free(p);
    }
END_TEST

/* One row, few rows, equal rows, rows without features, a type that is named twice. */
START_TEST(degenerate_rows)
    {
        for (size_t rows = 1; rows <= 5; rows++)
            for (size_t t = 0; t < 2; t++) {
                rvm_settings s = open_settings(tasks[t]);
                rvm_problem *p = empty_problem();
                for (size_t k = 0; k < RVM_KERNEL_TYPES; k++)
                    s.tune.type[k] = RVM_RBF;
                s.tune.type_count = RVM_KERNEL_TYPES;
                for (size_t n = 0; n < rows; n++) {
                    const double x = rows == 4 ? 2 : (double)(n * n) * 1e200;
                    append_dense(p, (double)(n % 2), &x, rows == 3 ? 0 : 1);
                }
                rvm_proposals *q = propose(p, &s, train_fold);
                ck_assert_uint_eq(rvm_proposals_count(q), 3);
                for (size_t k = 0; k < 3; k++)
                    ck_assert(!isnan(rvm_proposals_get(q, k).loss));
                rvm_proposals_free(q);
                rvm_problem_free(p);
            }
    }
END_TEST

Suite *proposals_suite(void);
Suite *proposals_suite(void)
{
    Suite *suite = suite_create("proposals");
    TCase *tc = tcase_create("proposals");

    tcase_add_test(tc, width_is_within_a_rung_of_the_best);
    tcase_add_test(tc, kernels_come_in_their_order);
    tcase_add_test(tc, length_scales_of_one_input);
    tcase_add_test(tc, length_scales_of_inputs_that_are_alike);
    tcase_add_test(tc, length_scales_of_too_many_inputs);
    tcase_add_test(tc, length_scales_that_cannot_be_trained);
    tcase_add_test(tc, degenerate_rows);
    suite_add_tcase(suite, tc);
    return suite;
}
