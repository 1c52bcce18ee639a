/* ascent.c: hills whose tops are known by hand. */
#include "base/ascent.h"
#include "base/error.h"
#include "problems.h"
#include "suites.h"

enum { D = 3 };

typedef struct {
    size_t evaluations;
    double wall; /* no value where the first coordinate is above it */
} counts;

static const double far = 100;
static const double low[D] = { -100, -100, -100 }, high[D] = { 100, 100, 100 };

/* -1/2 x'Ax + b'x, A = (4 1 0; 1 3 0; 0 0 2), b = (1, 2, 3): A^-1 b = (1/11, 7/11, 3/2), and the
 * value there is 1/2 b'A^-1 b = 1/2 (1/11 + 14/11 + 9/2) = 129/44. */
static rvm_status quadratic(double *value, double *gradient, void *self, const double *x,
                            rvm_error *err)
{
    static const double A[D][D] = { { 4, 1, 0 }, { 1, 3, 0 }, { 0, 0, 2 } }, b[D] = { 1, 2, 3 };
    counts *c = self;
    (void)err;
    c->evaluations++;
    *value = 0;
    for (size_t i = 0; i < D; i++) {
        const double xi = isfinite(x[i]) ? x[i] : 0;
        gradient[i] = b[i];
        for (size_t j = 0; j < D; j++)
            gradient[i] -= A[i][j] * (isfinite(x[j]) ? x[j] : 0);
        *value += 0.5 * xi * (gradient[i] + b[i]);
    }
    if (x[0] > c->wall)
        *value = -INFINITY;
    return RVM_OK;
}

/* Minus Rosenbrock's function (1960), whose only top is (1, 1), of value 0. */
static rvm_status rosenbrock(double *value, double *gradient, void *self, const double *x,
                             rvm_error *err)
{
    counts *c = self;
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    (void)err;
    c->evaluations++;
    *value = -(a * a + 100 * b * b);
    gradient[0] = 2 * a + 400 * b * x[0];
    gradient[1] = -200 * b;
    return RVM_OK;
}

static rvm_status fails(double *value, double *gradient, void *self, const double *x,
                        rvm_error *err)
{
    (void)value, (void)gradient, (void)self, (void)x;
    return rvm_fail_memory(err, "a hill");
}

static rvm_ascent start_at(const double *x, size_t count)
{
    rvm_ascent a;
    ck_assert(rvm_ascent_init(&a, count));
    memcpy(a.now.theta, x, count * sizeof *x);
    return a;
}

/* To where it rests. */
static void climb(rvm_ascent *a, const rvm_hill *h)
{
    rvm_error err = { 0 };
    ck_assert_int_eq(rvm_ascent_begin(a, h, &err), RVM_OK);
    while (!a->resting)
        ck_assert_int_eq(rvm_ascent_climb(a, h, 1e-14, 10, 1000, &err), RVM_OK);
}

START_TEST(quadratic_has_its_top_by_hand)
    {
        counts c = { 0, INFINITY };
        const rvm_hill h = { D, low, high, quadratic, &c, NULL, 1 };
        const double from[D] = { -7.25, 3.5, 11.75 };
        rvm_ascent a = start_at(from, D);
        climb(&a, &h);
        check_close(a.now.theta[0], 1.0 / 11, 1e-6);
        check_close(a.now.theta[1], 7.0 / 11, 1e-6);
        check_close(a.now.theta[2], 1.5, 1e-6);
        check_close(a.now.value, 129.0 / 44, 1e-12);
        ck_assert_uint_lt(c.evaluations, 60);
        rvm_ascent_free(&a);
    }
END_TEST

/* With x_2 <= 1/4 the others go where b_1 - 4 x_1 - 1/4 = 0. */
START_TEST(bounds_hold_a_coordinate_that_would_leave)
    {
        counts c = { 0, INFINITY };
        const double top[D] = { far, 0.25, far };
        const rvm_hill h = { D, low, top, quadratic, &c, NULL, 1 };
        const double from[D] = { -7.25, -3.5, 11.75 };
        rvm_ascent a = start_at(from, D);
        climb(&a, &h);
        check_close(a.now.theta[0], 0.1875, 1e-6);
        ck_assert_double_eq(a.now.theta[1], 0.25);
        check_close(a.now.theta[2], 1.5, 1e-6);
        ck_assert_double_eq(a.now.gradient[1], 0);
        rvm_ascent_free(&a);
    }
END_TEST

START_TEST(held_coordinates_do_not_move)
    {
        counts c = { 0, INFINITY };
        const double bottom[D] = { -far, 2, -far }, top[D] = { far, 2, far };
        const rvm_hill h = { D, bottom, top, quadratic, &c, NULL, 1 };
        const double from[D] = { 5, 2, -INFINITY }; /* the last one is left out */
        rvm_ascent a = start_at(from, D);
        climb(&a, &h);
        check_close(a.now.theta[0], -0.25, 1e-6); /* 1 - 4 x - 2 = 0 */
        ck_assert_double_eq(a.now.theta[1], 2);
        ck_assert(isinf(a.now.theta[2]) && a.now.theta[2] < 0);
        rvm_ascent_free(&a);
    }
END_TEST

START_TEST(rosenbrock_is_climbed_along_its_valley)
    {
        counts c = { 0, INFINITY };
        const rvm_hill h = { 2, low, high, rosenbrock, &c, NULL, 1 };
        const double from[2] = { -1.2, 1 };
        rvm_ascent a = start_at(from, 2);
        climb(&a, &h);
        check_close(a.now.theta[0], 1, 1e-4);
        check_close(a.now.theta[1], 1, 1e-4);
        ck_assert_double_gt(a.now.value, -1e-10);
        ck_assert_uint_lt(c.evaluations, 300);
        rvm_ascent_free(&a);
    }
END_TEST

/* No value beyond the wall, and 1/11 is: it comes to rest before, having gained all the while. */
START_TEST(where_there_is_no_value_steps_are_cut)
    {
        counts c = { 0, 0.05 };
        const rvm_hill h = { D, low, high, quadratic, &c, NULL, 1 };
        const double from[D] = { -7.25, 3.5, 11.75 }, beyond[D] = { 1, 0, 0 };
        rvm_error err = { 0 };
        rvm_ascent a = start_at(from, D);
        climb(&a, &h);
        ck_assert_double_le(a.now.theta[0], 0.05);
        ck_assert_double_gt(a.now.theta[0], -0.5);
        ck_assert(isfinite(a.now.value));
        rvm_ascent_free(&a);
        a = start_at(beyond, D); /* from there no way is seen */
        ck_assert_int_eq(rvm_ascent_begin(&a, &h, &err), RVM_OK);
        ck_assert(a.resting);
        rvm_ascent_free(&a);
    }
END_TEST

START_TEST(no_step_is_longer_than_allowed)
    {
        counts c = { 0, INFINITY };
        const rvm_hill h = { D, low, high, quadratic, &c, NULL, 0.5 };
        const double from[D] = { -7.25, 3.5, 11.75 };
        rvm_error err = { 0 };
        rvm_ascent a = start_at(from, D);
        ck_assert_int_eq(rvm_ascent_begin(&a, &h, &err), RVM_OK);
        for (int k = 0; k < 40; k++) {
            double before[D];
            const double value = a.now.value;
            memcpy(before, a.now.theta, sizeof before);
            ck_assert_int_eq(rvm_ascent_climb(&a, &h, 0, 1, 1000, &err), RVM_OK);
            for (size_t j = 0; j < D; j++)
                ck_assert_double_le(fabs(a.now.theta[j] - before[j]), 0.5 + 1e-12);
            ck_assert_double_ge(a.now.value, value);
        }
        rvm_ascent_free(&a);
    }
END_TEST

START_TEST(it_ends_after_so_many_steps)
    {
        counts c = { 0, INFINITY };
        const rvm_hill h = { 2, low, high, rosenbrock, &c, NULL, 1 };
        const double from[2] = { -1.2, 1 };
        rvm_error err = { 0 };
        rvm_ascent a = start_at(from, 2);
        ck_assert_int_eq(rvm_ascent_begin(&a, &h, &err), RVM_OK);
        ck_assert_int_eq(rvm_ascent_climb(&a, &h, 0, 3, 5, &err), RVM_OK);
        ck_assert_int_eq(a.steps, 3);
        ck_assert(!a.resting);
        ck_assert_int_eq(rvm_ascent_climb(&a, &h, 0, 3, 5, &err), RVM_OK);
        ck_assert_int_eq(a.steps, 5);
        ck_assert(a.resting);
        rvm_ascent_free(&a);
    }
END_TEST

START_TEST(interrupted_it_stays)
    {
        const volatile int now = 1;
        counts c = { 0, INFINITY };
        const rvm_hill h = { D, low, high, quadratic, &c, &now, 1 };
        const double from[D] = { -7.25, 3.5, 11.75 };
        rvm_error err = { 0 };
        rvm_ascent a = start_at(from, D);
        ck_assert_int_eq(rvm_ascent_begin(&a, &h, &err), RVM_OK);
        ck_assert_int_eq(rvm_ascent_climb(&a, &h, 0, 100, 100, &err), RVM_OK);
        for (size_t j = 0; j < D; j++)
            ck_assert_double_eq(a.now.theta[j], from[j]);
        ck_assert_int_eq(a.steps, 0);
        rvm_ascent_free(&a);
    }
END_TEST

/* From the top of a hill to another place of it, and up again. */
START_TEST(moved_it_climbs_on)
    {
        counts c = { 0, INFINITY };
        const rvm_hill h = { D, low, high, quadratic, &c, NULL, 1 };
        const double from[D] = { 0, 0, 0 }, to[D] = { -3, 2.5, 4 };
        rvm_error err = { 0 };
        rvm_ascent a = start_at(from, D);
        climb(&a, &h);
        memcpy(a.trial.theta, to, sizeof to);
        ck_assert_int_eq(quadratic(&a.trial.value, a.trial.gradient, &c, a.trial.theta, &err),
                         RVM_OK);
        rvm_ascent_move(&a, &h);
        ck_assert(!a.resting);
        ck_assert_double_eq(a.now.theta[1], 2.5);
        while (!a.resting)
            ck_assert_int_eq(rvm_ascent_climb(&a, &h, 1e-14, 10, 1000, &err), RVM_OK);
        check_close(a.now.value, 129.0 / 44, 1e-12);
        rvm_ascent_free(&a);
    }
END_TEST

START_TEST(failures_are_handed_on)
    {
        const rvm_hill h = { D, low, high, fails, NULL, NULL, 1 };
        const double from[D] = { 0, 0, 0 };
        rvm_error err = { 0 };
        rvm_ascent a = start_at(from, D);
        ck_assert_int_eq(rvm_ascent_begin(&a, &h, &err), RVM_ENOMEM);
        ck_assert(a.resting);
        rvm_ascent_free(&a);
    }
END_TEST

Suite *ascent_suite(void)
{
    Suite *s = suite_create("ascent");
    TCase *c = tcase_create("ascent");
    tcase_add_test(c, quadratic_has_its_top_by_hand);
    tcase_add_test(c, bounds_hold_a_coordinate_that_would_leave);
    tcase_add_test(c, held_coordinates_do_not_move);
    tcase_add_test(c, rosenbrock_is_climbed_along_its_valley);
    tcase_add_test(c, where_there_is_no_value_steps_are_cut);
    tcase_add_test(c, no_step_is_longer_than_allowed);
    tcase_add_test(c, it_ends_after_so_many_steps);
    tcase_add_test(c, interrupted_it_stays);
    tcase_add_test(c, moved_it_climbs_on);
    tcase_add_test(c, failures_are_handed_on);
    suite_add_tcase(s, c);
    return s;
}
