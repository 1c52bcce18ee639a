/* error.c: what ends up in an rvm_error. */
#include <check.h>
#include <string.h>

#include "base/error.h"
#include "suites.h"

START_TEST(fault_without_a_place)
    {
        rvm_error err = { .line = 7, .column = 9 };

        ck_assert_int_eq(rvm_fail(&err, RVM_EIO, "%s of %d", "two", 3), RVM_EIO);
        ck_assert_int_eq(err.status, RVM_EIO);
        ck_assert_uint_eq(err.line, 0);
        ck_assert_uint_eq(err.column, 0);
        ck_assert_str_eq(err.message, "two of 3");
    }
END_TEST

START_TEST(fault_at_a_place)
    {
        rvm_error err = { 0 };

        ck_assert_int_eq(rvm_fail_at(&err, RVM_EINPUT, 12, 34, "blank line"), RVM_EINPUT);
        ck_assert_int_eq(err.status, RVM_EINPUT);
        ck_assert_uint_eq(err.line, 12);
        ck_assert_uint_eq(err.column, 34);
        ck_assert_str_eq(err.message, "blank line");
    }
END_TEST

START_TEST(long_message_is_cut)
    {
        rvm_error err = { 0 };
        char text[1000];

        memset(text, 'x', sizeof text - 1);
        text[sizeof text - 1] = '\0';
        ck_assert_int_eq(rvm_fail(&err, RVM_EMODEL, "%s", text), RVM_EMODEL);
        ck_assert_uint_eq(strlen(err.message), sizeof err.message - 1);
        ck_assert_uint_eq(strspn(err.message, "x"), sizeof err.message - 1);
    }
END_TEST

START_TEST(nobody_need_listen)
    {
        ck_assert_int_eq(rvm_fail(NULL, RVM_ENUMERIC, "%d", 1), RVM_ENUMERIC);
        ck_assert_int_eq(rvm_fail_at(NULL, RVM_EINPUT, 1, 1, "%d", 1), RVM_EINPUT);
        ck_assert_int_eq(rvm_fail_memory(NULL, "anything"), RVM_ENOMEM);
    }
END_TEST

START_TEST(no_memory_names_the_thing)
    {
        rvm_error err = { 0 };

        ck_assert_int_eq(rvm_fail_memory(&err, "the moon"), RVM_ENOMEM);
        ck_assert_int_eq(err.status, RVM_ENOMEM);
        ck_assert_str_eq(err.message, "out of memory for the moon");
    }
END_TEST

Suite *error_suite(void);
Suite *error_suite(void)
{
    Suite *suite = suite_create("error");
    TCase *tc = tcase_create("error");

    tcase_add_test(tc, fault_without_a_place);
    tcase_add_test(tc, fault_at_a_place);
    tcase_add_test(tc, long_message_is_cut);
    tcase_add_test(tc, nobody_need_listen);
    tcase_add_test(tc, no_memory_names_the_thing);
    suite_add_tcase(suite, tc);
    return suite;
}
