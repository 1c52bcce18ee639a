/* parallel.c: how many threads, and one only where threads are at work already. */
#include <check.h>

#include "parallel.h"
#include "suites.h"

START_TEST(as_many_as_asked_for)
    {
#ifdef _OPENMP
        ck_assert_int_eq(rvm_threads(1), 1);
        ck_assert_int_eq(rvm_threads(3), 3);
#else
        ck_assert_int_eq(rvm_threads(3), 1);
#endif
        ck_assert_int_ge(rvm_threads(0), 1);
    }
END_TEST

START_TEST(one_within_a_parallel_region)
    {
        int inside[2] = { 1, 1 };
#pragma omp parallel for num_threads(2)
        for (int k = 0; k < 2; k++)
            inside[k] = rvm_threads(4);
        ck_assert_int_eq(inside[0], 1);
        ck_assert_int_eq(inside[1], 1);
    }
END_TEST

START_TEST(a_fault_of_a_piece_is_kept)
    {
        enum { PIECES = 64 };
        rvm_status status = RVM_OK;
        rvm_error err = { 0 };
#pragma omp parallel for num_threads(2)
        for (int k = 0; k < PIECES; k++) {
            const rvm_error mine = { .status = RVM_ENUMERIC, .line = 7, .message = "piece 40" };
            rvm_collect(&status, &err, k == 40 ? RVM_ENUMERIC : RVM_OK, &mine);
        }
        ck_assert_int_eq(status, RVM_ENUMERIC);
        ck_assert_uint_eq(err.line, 7);
        ck_assert_str_eq(err.message, "piece 40");
        rvm_collect(&status, NULL, RVM_ENOMEM, &err);
        ck_assert_int_eq(status, RVM_ENOMEM);
    }
END_TEST

Suite *parallel_suite(void);
Suite *parallel_suite(void)
{
    Suite *s = suite_create("parallel");
    TCase *c = tcase_create("parallel");
    tcase_add_test(c, as_many_as_asked_for);
    tcase_add_test(c, one_within_a_parallel_region);
    tcase_add_test(c, a_fault_of_a_piece_is_kept);
    suite_add_tcase(s, c);
    return s;
}
