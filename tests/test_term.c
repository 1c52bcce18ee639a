/* term.c: terms at rows, their names and their numbers. */
#include <string.h>

#include "basis/term.h"
#include "problems.h"
#include "suites.h"

static const rvm_term bias = { 0, { 0, 0 } };
static const rvm_term x3 = { 1, { 3, 0 } };
static const rvm_term x9 = { 1, { 9, 0 } };
static const rvm_term square = { 2, { 3, 3 } };
static const rvm_term product = { 2, { 3, 2147483647 } };

static const rvm_term *const ascending[] = { &bias, &x3, &x9, &square, &product };
enum { TERMS = sizeof ascending / sizeof ascending[0] };

START_TEST(terms_have_an_order)
    {
        for (int i = 0; i < TERMS; i++)
            for (int j = 0; j < TERMS; j++)
                ck_assert_int_eq(rvm_term_compare(ascending[i], ascending[j]), (i > j) - (i < j));
    }
END_TEST

/* Rows that leave out nothing, something in front, between and behind, and all. */
START_TEST(values_by_hand)
    {
        rvm_problem *p = problem_from_text("0 1:1 2:2 3:-3 9:4 2147483647:0.5\n0 3:5\n"
                                           "0 2:7 9:2 2147483647:1\n0\n0 0:1 2:6 3:2 10:8\n"
                                           "0 9:3 2147483647:2\n",
                                           (rvm_grammar){ 0 });
        const double want[TERMS][6] = { { 1, 1, 1, 1, 1, 1 },
                                        { -3, 5, 0, 0, 2, 0 },
                                        { 4, 0, 2, 0, 0, 3 },
                                        { 9, 25, 0, 0, 4, 0 },
                                        { -1.5, 0, 0, 0, 0, 0 } };
        for (int i = 0; i < TERMS; i++) {
            double all[6], part[3];
            rvm_term_values(all, ascending[i], p, 0, 6);
            rvm_term_values(part, ascending[i], p, 2, 3);
            for (int n = 0; n < 6; n++)
                ck_assert_double_eq(all[n], want[i][n]);
            ck_assert_mem_eq(part, all + 2, sizeof part);
        }
        rvm_problem_free(p);
    }
END_TEST

START_TEST(names_come_back)
    {
        const char *names[TERMS] = { "bias", "x3", "x9", "x3*x3", "x3*x2147483647" };
        for (int i = 0; i < TERMS; i++) {
            char name[RVM_TERM_NAME_SIZE];
            rvm_term term = x9;
            ck_assert_str_eq(rvm_term_name(name, ascending[i]), names[i]);
            ck_assert(rvm_term_by_name(&term, name, strlen(name)));
            ck_assert_int_eq(rvm_term_compare(&term, ascending[i]), 0);
        }
    }
END_TEST

START_TEST(other_names_are_refused)
    {
        const char *names[] = { "",       "x",      "3",        "x-1",         "x03",
                                "x+3",    "X3",     "x3*",      "*x3",         "x3*3",
                                "x3**x4", "x4*x3",  "x3*x4*x5", "x3*bias",     "bias*x3",
                                "biased", "bia",    "x3 ",      "x2147483648", "x3*x2147483648",
                                "x1e2",   "x3*x4*", "xx3" };
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            rvm_term term = x9;
            ck_assert_msg(!rvm_term_by_name(&term, names[i], strlen(names[i])), "%s", names[i]);
            ck_assert_int_eq(rvm_term_compare(&term, &x9), 0);
        }
        rvm_term term = { 0 }; /* the length counts, not the end of the text */
        ck_assert(rvm_term_by_name(&term, "x31", 2) && rvm_term_compare(&term, &x3) == 0);
    }
END_TEST

/* All of five features, numbered in their order: 1 + 5 + 15. */
START_TEST(lists_are_in_order)
    {
        const int feature[] = { 0, 2, 3, 7, 2147483647 };
        const size_t count[] = { 0, 1, 5, 6, 15, 16, 20, 21 };
        for (unsigned wanted = 0; wanted < 8; wanted++) {
            rvm_term_list list;
            rvm_error err = { 0 };
            rvm_term before = { 0 };
            CHECK_OK(rvm_term_list_init(&list, wanted, feature, 5, &err));
            ck_assert_uint_eq(rvm_term_list_count(&list), count[wanted]);
            for (size_t i = 0; i < count[wanted]; i++) {
                const rvm_term term = rvm_term_list_get(&list, i);
                ck_assert(wanted >> term.degree & 1);
                ck_assert(i == 0 || rvm_term_compare(&before, &term) < 0);
                before = term;
            }
        }
    }
END_TEST

static void check_terms_of(int features, rvm_status want)
{
    int *feature = calloc((size_t)features, sizeof *feature);
    rvm_term_list list;
    rvm_error err = { 0 };
    for (int f = 0; f < features; f++)
        feature[f] = f + 1;
    ck_assert_int_eq(rvm_term_list_init(&list, 4, feature, (size_t)features, &err), want);
    if (want == RVM_OK) {
        const size_t M = rvm_term_list_count(&list);
        const rvm_term last = rvm_term_list_get(&list, M - 1);
        ck_assert_uint_eq(M, (size_t)features * ((size_t)features + 1) / 2);
        ck_assert(last.feature[0] == features && last.feature[1] == features);
    } else {
        ck_assert_ptr_nonnull(strstr(err.message, "quadratic"));
    }
    free(feature);
}

/* 3161 * 3162 / 2 = 4997541 and 3162 * 3163 / 2 = 5000703. */
START_TEST(there_is_a_bound)
    {
        check_terms_of(3161, RVM_OK);
        check_terms_of(3162, RVM_ESETTING);
    }
END_TEST

Suite *term_suite(void);
Suite *term_suite(void)
{
    Suite *s = suite_create("term");
    TCase *c = tcase_create("term");
    tcase_add_test(c, terms_have_an_order);
    tcase_add_test(c, values_by_hand);
    tcase_add_test(c, names_come_back);
    tcase_add_test(c, other_names_are_refused);
    tcase_add_test(c, lists_are_in_order);
    tcase_add_test(c, there_is_a_bound);
    suite_add_tcase(s, c);
    return s;
}
