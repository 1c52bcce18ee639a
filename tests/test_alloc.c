/* alloc.c: sizes that overflow, growth that keeps what is there. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "suites.h"

START_TEST(array_is_zero)
    {
        const size_t count = 1000;
        int *a = rvm_array(count, sizeof *a);

        ck_assert_ptr_nonnull(a);
        for (size_t i = 0; i < count; i++)
            ck_assert_int_eq(a[i], 0);
        free(a);
    }
END_TEST

START_TEST(empty_array_is_no_failure)
    {
        void *a = rvm_array(0, 8), *b = rvm_array(8, 0);

        ck_assert_ptr_nonnull(a);
        ck_assert_ptr_nonnull(b);
        free(a);
        free(b);
    }
END_TEST

START_TEST(array_whose_size_overflows)
    {
        const volatile size_t half = SIZE_MAX / 2 + 1;

        ck_assert_ptr_null(rvm_array(half, 2)); /* the product wraps to 0 */
        ck_assert_ptr_null(rvm_array(half + 4, 2));
    }
END_TEST

START_TEST(growth_keeps_the_content)
    {
        int *a = NULL;
        size_t capacity = 0, changes = 0;

        for (size_t i = 0; i < 100000; i++) {
            const size_t before = capacity;

            ck_assert(rvm_grow(&a, &capacity, i + 1, sizeof *a));
            ck_assert_uint_ge(capacity, i + 1);
            changes += capacity != before;
            a[i] = (int)i;
        }
        for (size_t i = 0; i < 100000; i++)
            ck_assert_int_eq(a[i], (int)i);
        /* Geometric: by half each time, 1.5^30 > 100000, so that copying is linear in all. */
        ck_assert_uint_le(changes, 30);
        free(a);
    }
END_TEST

START_TEST(growth_to_less_changes_nothing)
    {
        double *a = NULL;
        size_t capacity = 0;

        ck_assert(rvm_grow(&a, &capacity, 50, sizeof *a));
        const double *const before = a;
        const size_t room = capacity;
        ck_assert(rvm_grow(&a, &capacity, 3, sizeof *a));
        ck_assert(rvm_grow(&a, &capacity, 0, sizeof *a));
        ck_assert_ptr_eq(a, before);
        ck_assert_uint_eq(capacity, room);
        free(a);
    }
END_TEST

START_TEST(growth_that_cannot_be)
    {
        double *a = NULL;
        size_t capacity = 0;

        ck_assert(rvm_grow(&a, &capacity, 2, sizeof *a));
        a[1] = 2.385;
        const double *const before = a;
        const size_t room = capacity;
        ck_assert(!rvm_grow(&a, &capacity, SIZE_MAX, sizeof *a));
        ck_assert(!rvm_grow(&a, &capacity, SIZE_MAX / 8 + 2, sizeof *a)); /* the product is 8 */
        ck_assert(!rvm_grow(&a, &capacity, SIZE_MAX / 2 + 1, 1));         /* above PTRDIFF_MAX */
        ck_assert_ptr_eq(a, before);
        ck_assert_uint_eq(capacity, room);
        ck_assert_double_eq(a[1], 2.385);
        free(a);
    }
END_TEST

Suite *alloc_suite(void);
Suite *alloc_suite(void)
{
    Suite *suite = suite_create("alloc");
    TCase *tc = tcase_create("alloc");

    tcase_add_test(tc, array_is_zero);
    tcase_add_test(tc, empty_array_is_no_failure);
    tcase_add_test(tc, array_whose_size_overflows);
    tcase_add_test(tc, growth_keeps_the_content);
    tcase_add_test(tc, growth_to_less_changes_nothing);
    tcase_add_test(tc, growth_that_cannot_be);
    suite_add_tcase(suite, tc);
    return suite;
}
