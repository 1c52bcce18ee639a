/* problem.c: rows in and out. */
#include <check.h>

#include "data/problem.h"
#include "suites.h"

static const int index_a[] = { 0, 3, 17 };
static const double value_a[] = { 1.25, -2.385, 0 };
static const int index_b[] = { 2147483647 };
static const double value_b[] = { 7.5 };

/* Rows of 3, 0 and 1 pairs. */
static rvm_problem *three_rows(void)
{
    rvm_problem *p = rvm_problem_alloc();

    ck_assert_ptr_nonnull(p);
    ck_assert(rvm_problem_append(p, 1.5, index_a, value_a, 3));
    ck_assert(rvm_problem_append(p, -2, NULL, NULL, 0));
    ck_assert(rvm_problem_append(p, 3, index_b, value_b, 1));
    return p;
}

START_TEST(empty_problem)
    {
        rvm_problem *p = rvm_problem_alloc();

        ck_assert_ptr_nonnull(p);
        ck_assert_uint_eq(rvm_problem_rows(p), 0);
        ck_assert_uint_eq(p->start[0], 0);
        ck_assert_int_eq(p->max_index, -1);
        rvm_problem_free(p);
        rvm_problem_free(NULL);
    }
END_TEST

START_TEST(rows_appended)
    {
        rvm_problem *p = three_rows();

        ck_assert_uint_eq(rvm_problem_rows(p), 3);
        ck_assert_double_eq(rvm_problem_target(p, 0), 1.5);
        ck_assert_double_eq(rvm_problem_target(p, 1), -2);
        ck_assert_double_eq(rvm_problem_target(p, 2), 3);
        ck_assert_uint_eq(p->start[0], 0);
        ck_assert_uint_eq(p->start[1], 3);
        ck_assert_uint_eq(p->start[2], 3);
        ck_assert_uint_eq(p->start[3], 4);
        ck_assert_mem_eq(p->index, index_a, sizeof index_a);
        ck_assert_mem_eq(p->value, value_a, sizeof value_a);
        ck_assert_int_eq(p->index[3], 2147483647);
        ck_assert_double_eq(p->value[3], 7.5);
        ck_assert_int_eq(p->max_index, 2147483647);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(cleared_problem_is_empty_again)
    {
        rvm_problem *p = three_rows();

        rvm_problem_clear(p);
        ck_assert_uint_eq(rvm_problem_rows(p), 0);
        ck_assert_int_eq(p->max_index, -1);
        ck_assert(rvm_problem_append(p, 4, index_a, value_a, 2));
        ck_assert_uint_eq(p->start[1], 2);
        ck_assert_int_eq(p->max_index, 3);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(subset_in_any_order_with_repeats)
    {
        static const size_t rows[] = { 1, 0, 1, 0 };
        rvm_problem *p = three_rows();
        rvm_problem *s = rvm_problem_subset(p, rows, 4);

        rvm_problem_free(p); /* the copy stands alone */
        ck_assert_ptr_nonnull(s);
        ck_assert_uint_eq(s->rows, 4);
        ck_assert_uint_eq(s->start[4], 6);
        ck_assert_double_eq(s->target[0], -2);
        ck_assert_double_eq(s->target[3], 1.5);
        ck_assert_mem_eq(s->index + s->start[3], index_a, sizeof index_a);
        ck_assert_mem_eq(s->value + s->start[1], value_a, sizeof value_a);
        ck_assert_int_eq(s->max_index, 17);
        rvm_problem_free(s);
    }
END_TEST

START_TEST(several_targets)
    {
        static const double target[] = { 1, -2.5, 7 }, other[] = { 4, 5, 6 };
        static const size_t rows[] = { 1, 1, 0 };
        rvm_problem *p = rvm_problem_alloc();

        ck_assert(rvm_problem_append_outputs(p, target, 3, index_a, value_a, 3));
        ck_assert(rvm_problem_append_outputs(p, other, 3, NULL, NULL, 0));
        ck_assert_uint_eq(rvm_problem_outputs(p), 3);
        rvm_problem *s = rvm_problem_subset(p, rows, 3), *none = rvm_problem_subset(p, NULL, 0);
        ck_assert_uint_eq(rvm_problem_outputs(s), 3);
        ck_assert_uint_eq(rvm_problem_outputs(none), 3);
        ck_assert_mem_eq(rvm_problem_targets(s, 1), other, sizeof other);
        ck_assert_mem_eq(rvm_problem_targets(s, 2), target, sizeof target);
        ck_assert_double_eq(rvm_problem_target(s, 2), 1);
        rvm_problem_clear(p);
        ck_assert(rvm_problem_append(p, 8, NULL, NULL, 0));
        ck_assert_uint_eq(rvm_problem_outputs(p), 1);
        ck_assert_double_eq(rvm_problem_target(p, 0), 8);
        rvm_problem_free(none);
        rvm_problem_free(s);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(subset_of_nothing)
    {
        rvm_problem *p = three_rows();
        rvm_problem *s = rvm_problem_subset(p, NULL, 0);

        ck_assert_ptr_nonnull(s);
        ck_assert_uint_eq(s->rows, 0);
        ck_assert_int_eq(s->max_index, -1);
        rvm_problem_free(s);
        rvm_problem_free(p);
    }
END_TEST

Suite *problem_suite(void);
Suite *problem_suite(void)
{
    Suite *suite = suite_create("problem");
    TCase *tc = tcase_create("problem");

    tcase_add_test(tc, empty_problem);
    tcase_add_test(tc, rows_appended);
    tcase_add_test(tc, cleared_problem_is_empty_again);
    tcase_add_test(tc, subset_in_any_order_with_repeats);
    tcase_add_test(tc, subset_of_nothing);
    tcase_add_test(tc, several_targets);
    suite_add_tcase(suite, tc);
    return suite;
}
