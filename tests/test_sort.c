/* sort.c: ascending lists without repetitions, and places in them. */
#include "base/sort.h"

#include <limits.h>
#include <stdint.h>

#include "suites.h"

START_TEST(lists_without_repetitions)
    {
        int list[] = { 7, -3, 7, INT_MAX, 0, -3, INT_MIN, 7 };
        const int want[] = { INT_MIN, -3, 0, 7, INT_MAX };
        ck_assert_uint_eq(rvm_sort_unique(list, 8), 5);
        ck_assert_mem_eq(list, want, sizeof want);
        ck_assert_uint_eq(rvm_sort_unique(list, 1), 1);
        ck_assert_uint_eq(rvm_sort_unique(NULL, 0), 0);
    }
END_TEST

/* Whatever the hint, also one beyond the list. */
START_TEST(places_in_a_list)
    {
        const int list[] = { -5, 0, 1, 8, 1000 };
        for (size_t hint = 0; hint < 7; hint++) {
            for (size_t k = 0; k < 5; k++)
                ck_assert_uint_eq(rvm_sort_find(list, 5, list[k], hint), k);
            ck_assert_uint_eq(rvm_sort_find(list, 5, 2, hint), 5);
            ck_assert_uint_eq(rvm_sort_find(list, 5, INT_MAX, hint), 5);
            ck_assert_uint_eq(rvm_sort_find(list, 4, 1000, hint), 4);
            ck_assert_uint_eq(rvm_sort_find(NULL, 0, 1, hint), 0);
        }
    }
END_TEST

START_TEST(lists_of_counts)
    {
        size_t list[] = { 7, SIZE_MAX, 7, 0, 12, 0 };
        const size_t want[] = { 0, 7, 12, SIZE_MAX };
        ck_assert_uint_eq(rvm_sort_unique_numbers(list, 6), 4);
        ck_assert_mem_eq(list, want, sizeof want);
        ck_assert_uint_eq(rvm_sort_unique_numbers(NULL, 0), 0);
        ck_assert_uint_eq(rvm_sort_below(list, 4, 0), 0);
        ck_assert_uint_eq(rvm_sort_below(list, 4, 7), 1);
        ck_assert_uint_eq(rvm_sort_below(list, 4, 8), 2);
        ck_assert_uint_eq(rvm_sort_below(list, 3, SIZE_MAX), 3);
        ck_assert_uint_eq(rvm_sort_below(NULL, 0, 5), 0);
        for (size_t k = 0; k < 4; k++)
            ck_assert(rvm_sort_has(list, 4, want[k]));
        ck_assert(!rvm_sort_has(list, 4, 8) && !rvm_sort_has(list, 3, SIZE_MAX));
    }
END_TEST

Suite *sort_suite(void);
Suite *sort_suite(void)
{
    Suite *s = suite_create("sort");
    TCase *c = tcase_create("sort");
    tcase_add_test(c, lists_without_repetitions);
    tcase_add_test(c, places_in_a_list);
    tcase_add_test(c, lists_of_counts);
    suite_add_tcase(s, c);
    return s;
}
