/* point.c: which of two optima is preferred, saving and loading. */
#include <math.h>

#include "problems.h"
#include "search/point.h"
#include "suites.h"

static bool prefer(size_t K_a, double evidence_a, size_t K_b, double evidence_b, double credit)
{
    const rvm_point a = { .K = K_a, .log_evidence = evidence_a };
    const rvm_point b = { .K = K_b, .log_evidence = evidence_b };
    const double top = fmax(rvm_point_criterion(&a), rvm_point_criterion(&b));
    return rvm_point_prefer(&a, &b, top, credit);
}

/* A collapse has many nats more, but not one for each of its functions. On pure noise (200 rows):
 * 200 functions at -157 against 1 at -273, -357 and -274 once a nat is taken off for each. */
START_TEST(collapse_loses_to_sound)
    {
        ck_assert(!prefer(1, -273, 200, -157, 0));
        ck_assert(prefer(200, -157, 1, -273, 0));
        ck_assert(!prefer(1, -273, 200, -157, 0.5));
        ck_assert(prefer(200, -157, 1, -273, 0.5));
    }
END_TEST

/* Beyond ten nats in L - K it decides, whatever the evidence. */
START_TEST(far_apart_in_evidence_less_functions)
    {
        ck_assert(prefer(40, -530, 30, -529, 0)); /* 11 better */
        ck_assert(prefer(40, -530, 30, -529, 0.5));
        ck_assert(prefer(40, -530, 60, -499, 0));  /* 11 better with more functions */
        ck_assert(!prefer(40, -530, 60, -521, 0)); /* 11 worse, evidence 9 better */
    }
END_TEST

/* Within ten nats the evidence decides, and with a credit functions count for it. */
START_TEST(close_optima_go_by_evidence)
    {
        ck_assert(prefer(40, -530, 45, -528, 0));
        ck_assert(!prefer(45, -528, 40, -530, 0));
        ck_assert(prefer(40, -530, 38, -529.5, 0));
        ck_assert(!prefer(40, -530, 38, -529.5, 0.5)); /* half a nat more, two functions less */
        ck_assert(prefer(38, -529.5, 40, -530, 0.5));
        ck_assert(!prefer(40, -530, 42, -531.5, 0.5));
    }
END_TEST

/* Equal ones, rounding included, stay: the first that was found. */
START_TEST(ties_stay)
    {
        ck_assert(!prefer(40, -530, 40, -530, 0.5));
        ck_assert(!prefer(40, -530, 40, -530 + 1e-5, 0.5));
        ck_assert(prefer(40, -530, 40, -530 + 1e-2, 0.5));
        ck_assert(!prefer(0, 0, 0, 0, 0));
    }
END_TEST

/* Never both ways, or the outcome would depend on the order. */
START_TEST(one_way_only)
    {
        for (int k = 0; k < 2000; k++) {
            const size_t Ka = (size_t)(k * 37 % 50), Kb = (size_t)(k * 61 % 47);
            const double a = -500 + 20 * sin(k), b = -500 + 20 * sin(2.3 * k);
            ck_assert(!(prefer(Ka, a, Kb, b, 0.5) && prefer(Kb, b, Ka, a, 0.5)));
        }
    }
END_TEST

START_TEST(points_are_kept_and_taken_up)
    {
        rvm_error err = { 0 };
        rvm_fit f, g;
        rvm_point p = { 0 }, q = { 0 };
        CHECK_OK(rvm_fit_init(&f, 5, 3, &err));
        CHECK_OK(rvm_fit_init(&g, 5, 3, &err));
        f.ln_beta = 2.385;
        f.log_evidence = -17.5;
        ck_assert(rvm_point_save(&p, &f, 0.25, true)); /* without a function */
        ck_assert_ptr_nonnull(p.column);
        ck_assert_uint_eq(p.K, 0);
        for (size_t i = 0; i < 4; i++) {
            rvm_fit_add(&f, 4 - i, 0.1 * (double)i);
            f.u[i] = -(double)i;
        }
        ck_assert(rvm_point_save(&p, &f, 0.5, false));
        rvm_point_swap(&p, &q);
        ck_assert_ptr_nonnull(p.column == NULL ? q.column : NULL);
        rvm_point_load(&g, &q);
        ck_assert_uint_eq(g.K, 4);
        ck_assert_mem_eq(g.column, f.column, 4 * sizeof *g.column);
        ck_assert_mem_eq(g.ln_alpha, f.ln_alpha, 4 * sizeof *g.ln_alpha);
        ck_assert_mem_eq(g.u, f.u, 4 * sizeof *g.u);
        ck_assert_double_eq(g.ln_beta, 2.385);
        ck_assert_double_eq(g.log_evidence, -17.5);
        ck_assert_double_eq(q.margin, 0.5);
        ck_assert(!q.converged);
        f.K = 2; /* less than there is room for */
        ck_assert(rvm_point_save(&q, &f, 0.5, true));
        ck_assert(q.K == 2 && q.converged);
        rvm_point_free(&p);
        rvm_point_free(&q);
        ck_assert_ptr_null(q.column);
        rvm_fit_free(&f);
        rvm_fit_free(&g);
    }
END_TEST

Suite *point_suite(void);
Suite *point_suite(void)
{
    Suite *s = suite_create("point");
    TCase *c = tcase_create("point");
    tcase_add_test(c, collapse_loses_to_sound);
    tcase_add_test(c, far_apart_in_evidence_less_functions);
    tcase_add_test(c, close_optima_go_by_evidence);
    tcase_add_test(c, ties_stay);
    tcase_add_test(c, one_way_only);
    tcase_add_test(c, points_are_kept_and_taken_up);
    suite_add_tcase(s, c);
    return s;
}
