/* order.c: the canonical order of rows, and samples of them. */
#include "data/order.h"
#include "problems.h"
#include "suites.h"

static rvm_problem *rows_of(const char *text)
{
    return problem_from_text(text, (rvm_grammar){ 0 });
}

/* ---- Order ---------------------------------------------------------------------------------- */

static void check_order(const char *text, const size_t *want, size_t count)
{
    rvm_error err = { 0 };
    rvm_problem *p = rows_of(text);
    size_t *order = NULL;
    CHECK_OK(rvm_order_rows(&order, p, &err));
    ck_assert_uint_eq(p->rows, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(order[i], want[i]);
    free(order);
    rvm_problem_free(p);
}

/* Features first, from the left, an absent one counting as 0; then the target. */
START_TEST(order_by_features_then_target)
    {
        const size_t by_features[] = { 2, 3, 1, 0 }, by_target[] = { 1, 2, 0 };
        check_order("1 1:2\n2 1:1 2:1\n3 1:-1 2:5\n4 2:9\n", by_features, 4);
        check_order("7 3:1\n-2 3:1\n0.5 3:1\n", by_target, 3);
    }
END_TEST

/* A pair of value 0 is the same as none. */
START_TEST(order_of_written_zeros)
    {
        const size_t want[] = { 1, 0, 2 };
        check_order("5 1:0 2:1\n4 2:1\n6 1:0 2:1 9:0\n", want, 3);
    }
END_TEST

START_TEST(order_of_the_largest_index)
    {
        const size_t want[] = { 2, 1, 0 };
        check_order("1 1:1 2147483647:1\n1 1:1\n1 2147483647:1\n", want, 3);
    }
END_TEST

START_TEST(order_does_not_know_the_file)
    {
        rvm_error err = { 0 };
        rvm_problem *p = smooth_problem(50, 3);
        size_t *order = NULL, turn[50], *again = NULL;
        CHECK_OK(rvm_order_rows(&order, p, &err));
        for (size_t i = 0; i < 50; i++)
            turn[i] = (i * 17 + 5) % 50;
        rvm_problem *q = rvm_problem_subset(p, turn, 50);
        CHECK_OK(rvm_order_rows(&again, q, &err));
        for (size_t i = 0; i < 50; i++)
            ck_assert_uint_eq(turn[again[i]], order[i]);
        free(order);
        free(again);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* ---- Samples -------------------------------------------------------------------------------- */

/* So many numbers, ascending, and each of them as often as it should: of 3000 samples of 4 of 10
 * numbers each number is in 1200, with a standard deviation of 27. */
START_TEST(samples_are_even)
    {
        rvm_error err = { 0 };
        gsl_rng *rng = random_numbers(3);
        int drawn[10] = { 0 };
        for (int k = 0; k < 3000; k++) {
            size_t *row = NULL;
            CHECK_OK(rvm_order_sample(&row, 4, 10, rng, &err));
            for (size_t i = 0; i < 4; i++) {
                ck_assert_uint_lt(row[i], 10);
                ck_assert(i == 0 || row[i] > row[i - 1]);
                drawn[row[i]]++;
            }
            free(row);
        }
        for (int n = 0; n < 10; n++)
            ck_assert_int_le(abs(drawn[n] - 1200), 5 * 27);
        gsl_rng_free(rng);
    }
END_TEST

START_TEST(samples_of_all_and_of_none)
    {
        rvm_error err = { 0 };
        gsl_rng *rng = random_numbers(3);
        size_t *all = NULL, *none = NULL;
        CHECK_OK(rvm_order_sample(&all, 7, 7, rng, &err));
        CHECK_OK(rvm_order_sample(&none, 0, 7, rng, &err));
        for (size_t n = 0; n < 7; n++)
            ck_assert_uint_eq(all[n], n);
        free(all);
        free(none);
        gsl_rng_free(rng);
    }
END_TEST

Suite *order_suite(void);
Suite *order_suite(void)
{
    Suite *s = suite_create("order");
    TCase *c = tcase_create("order");
    tcase_add_test(c, order_by_features_then_target);
    tcase_add_test(c, order_of_written_zeros);
    tcase_add_test(c, order_of_the_largest_index);
    tcase_add_test(c, order_does_not_know_the_file);
    tcase_add_test(c, samples_are_even);
    tcase_add_test(c, samples_of_all_and_of_none);
    suite_add_tcase(s, c);
    return s;
}
