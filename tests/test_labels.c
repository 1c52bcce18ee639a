/* labels.c: classes in libsvm's order. */
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "data/labels.h"
#include "data/problem.h"
#include "suites.h"

static rvm_labels find(const double *target, size_t rows)
{
    rvm_problem *p = rvm_problem_alloc();
    rvm_labels l = { 0 };
    rvm_error err = { 0 };

    ck_assert_ptr_nonnull(p);
    for (size_t i = 0; i < rows; i++)
        ck_assert(rvm_problem_append(p, target[i], NULL, NULL, 0));
    ck_assert_int_eq(rvm_labels_find(&l, p, &err), RVM_OK);
    rvm_problem_free(p);
    return l;
}

START_TEST(order_of_first_appearance)
    {
        static const double target[] = { 3, -7, 3, 42, -7, 0, 3 };
        static const int label[] = { 3, -7, 42, 0 };
        static const size_t rows[] = { 3, 2, 1, 1 }, of_row[] = { 0, 1, 0, 2, 1, 3, 0 };
        rvm_labels l = find(target, 7);

        ck_assert_uint_eq(l.count, 4);
        ck_assert_mem_eq(l.label, label, sizeof label);
        ck_assert_mem_eq(l.rows, rows, sizeof rows);
        ck_assert_mem_eq(l.of_row, of_row, sizeof of_row);
        rvm_labels_free(&l);
        ck_assert_uint_eq(l.count, 0);
        ck_assert_ptr_null(l.label);
        rvm_labels_free(&l);
    }
END_TEST

START_TEST(plus_one_comes_before_minus_one)
    {
        static const double target[] = { -1, -1, 1 };
        static const size_t rows[] = { 1, 2 }, of_row[] = { 1, 1, 0 };
        rvm_labels l = find(target, 3);

        ck_assert_uint_eq(l.count, 2);
        ck_assert_int_eq(l.label[0], 1);
        ck_assert_int_eq(l.label[1], -1);
        ck_assert_mem_eq(l.rows, rows, sizeof rows);
        ck_assert_mem_eq(l.of_row, of_row, sizeof of_row);
        rvm_labels_free(&l);
    }
END_TEST

START_TEST(other_pairs_stay_in_order)
    {
        static const double low_first[] = { 1, 2 }, with_third[] = { -1, 1, 5 },
                            only[] = { -1, -1 }, minus_two[] = { -2, 1 };
        rvm_labels l = find(low_first, 2);

        ck_assert_int_eq(l.label[0], 1);
        rvm_labels_free(&l);
        l = find(with_third, 3);
        ck_assert_uint_eq(l.count, 3);
        ck_assert_int_eq(l.label[0], -1);
        rvm_labels_free(&l);
        l = find(only, 2);
        ck_assert_uint_eq(l.count, 1);
        ck_assert_int_eq(l.label[0], -1);
        ck_assert_uint_eq(l.rows[0], 2);
        rvm_labels_free(&l);
        l = find(minus_two, 2);
        ck_assert_int_eq(l.label[0], -2);
        rvm_labels_free(&l);
    }
END_TEST

START_TEST(extreme_labels_and_zeros)
    {
        static const double target[] = { INT_MAX, -INT_MAX, -0.0, 0.0 };
        rvm_labels l = find(target, 4);

        ck_assert_uint_eq(l.count, 3);
        ck_assert_int_eq(l.label[0], INT_MAX);
        ck_assert_int_eq(l.label[1], -INT_MAX);
        ck_assert_int_eq(l.label[2], 0);
        ck_assert_uint_eq(l.rows[2], 2);
        rvm_labels_free(&l);
    }
END_TEST

/* Every row its own class, as when a regression file is given: labels 0, 7919, 2 * 7919, ... modulo
 * a prime, so all different and in no order. */
START_TEST(very_many_classes)
    {
        enum { ROWS = 99991 };
        double *target = malloc(ROWS * sizeof *target);

        ck_assert_ptr_nonnull(target);
        for (size_t i = 0; i < ROWS; i++)
            target[i] = (double)(i * 7919 % ROWS);
        rvm_labels l = find(target, ROWS);
        ck_assert_uint_eq(l.count, ROWS);
        for (size_t i = 0; i < ROWS; i++) {
            ck_assert_int_eq(l.label[i], (int)target[i]);
            ck_assert_uint_eq(l.of_row[i], i);
            ck_assert_uint_eq(l.rows[i], 1);
        }
        rvm_labels_free(&l);
        free(target);
    }
END_TEST

START_TEST(no_rows_no_classes)
    {
        rvm_labels l = find(NULL, 0);

        ck_assert_uint_eq(l.count, 0);
        rvm_labels_free(&l);
    }
END_TEST

START_TEST(equal_labels_are_found)
    {
        const int label[] = { 3, -2147483647 - 1, 2147483647, 0, -1, 3 };
        rvm_error err = { 0 };

        for (size_t first = 0; first < 6; first++)
            for (size_t count = 1; first + count <= 6; count++) {
                bool differ = false;

                ck_assert_int_eq(rvm_labels_differ(&differ, label + first, count, &err), RVM_OK);
                ck_assert_int_eq(differ, count < 6);
            }
    }
END_TEST

Suite *labels_suite(void);
Suite *labels_suite(void)
{
    Suite *suite = suite_create("labels");
    TCase *tc = tcase_create("labels");

    tcase_add_test(tc, order_of_first_appearance);
    tcase_add_test(tc, plus_one_comes_before_minus_one);
    tcase_add_test(tc, other_pairs_stay_in_order);
    tcase_add_test(tc, extreme_labels_and_zeros);
    tcase_add_test(tc, very_many_classes);
    tcase_add_test(tc, no_rows_no_classes);
    tcase_add_test(tc, equal_labels_are_found);
    suite_add_tcase(suite, tc);
    return suite;
}
