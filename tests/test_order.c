/* order.c: the canonical order of rows, and samples of them. */
#include "data/order.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "problems.h"
#include "suites.h"
#include "team_threads.h"

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

/* Few of many, which are drawn another way: of 4000 samples of 5 of 60 each number is in 333.3, with a
 * standard deviation of 17.5, and each pair in 4000 * 5 * 4 / (60 * 59) = 22.6, of 4.7. */
START_TEST(samples_of_few_are_even)
    {
        rvm_error err = { 0 };
        gsl_rng *rng = random_numbers(4);
        int drawn[60] = { 0 }, pairs[60][60] = { { 0 } };
        for (int k = 0; k < 4000; k++) {
            size_t *row = NULL;
            CHECK_OK(rvm_order_sample(&row, 5, 60, rng, &err));
            for (size_t i = 0; i < 5; i++) {
                ck_assert(row[i] < 60 && (i == 0 || row[i] > row[i - 1]));
                drawn[row[i]]++;
                for (size_t j = 0; j < i; j++)
                    pairs[row[j]][row[i]]++;
            }
            free(row);
        }
        for (int n = 0; n < 60; n++) {
            ck_assert_int_le(abs(drawn[n] - 333), 5 * 18);
            for (int m = n + 1; m < 60; m++)
                ck_assert_int_le(abs(pairs[n][m] - 23), 6 * 5);
        }
        gsl_rng_free(rng);
    }
END_TEST

/* More numbers than a generator gives at a time, and no list of them. */
START_TEST(samples_of_very_many)
    {
        const size_t part = SIZE_MAX > UINT32_MAX ? (size_t)1 << 40 : (size_t)1 << 30, N = 3 * part;
        rvm_error err = { 0 };
        gsl_rng *rng = random_numbers(6);
        size_t *row = NULL, third[3] = { 0 }, odd = 0;
        CHECK_OK(rvm_order_sample(&row, 30000, N, rng, &err));
        for (size_t k = 0; k < 30000; k++) {
            ck_assert(row[k] < N && (k == 0 || row[k] > row[k - 1]));
            third[row[k] / part]++;
            odd += row[k] % 2;
        }
        for (size_t k = 0; k < 3; k++) /* standard deviation 82; of the odd ones 87 */
            ck_assert_int_le(abs((int)third[k] - 10000), 5 * 82);
        ck_assert_int_le(abs((int)odd - 15000), 5 * 87);
        free(row);
        gsl_rng_free(rng);
    }
END_TEST

/* ---- Samples by spans ----------------------------------------------------------------------- */

typedef struct {
    size_t N, count, found;
    size_t *all; /* what one process draws by itself */
} span_case;

static void draw_in_team(void *context, rvm_team *team)
{
    span_case *x = context;
    const rvm_spans spans = rvm_spans_make(x->N, team);
    const size_t first = rvm_spans_first_row(&spans);
    size_t *row = NULL, here = 0, offset[9];
    rvm_error err = { 0 };
    ck_assert_int_eq(rvm_order_sample_spans(&row, &here, &spans, x->count, 7, &err), RVM_OK);
    rvm_team_offsets(offset, team, here);
    ck_assert_uint_eq(offset[rvm_team_size(team)], x->count);
    for (size_t k = 0; k < here; k++)
        ck_assert_uint_eq(row[k] + first, x->all[offset[rvm_team_rank(team)] + k]);
    free(row);
}

static size_t *draw_alone(size_t count, size_t N, unsigned long seed)
{
    const rvm_spans spans = rvm_spans_make(N, NULL);
    size_t *row = NULL, here = 0;
    rvm_error err = { 0 };
    CHECK_OK(rvm_order_sample_spans(&row, &here, &spans, count, seed, &err));
    ck_assert_uint_eq(here, count);
    return row;
}

/* As many of each span as are its share, to a row, and the same ones whoever has them. */
START_TEST(samples_by_spans_for_any_team)
    {
        static const size_t cases[][2] = {
            { 3000, 1000 }, { 4097, 4097 }, { 300000, 60000 }, { 300000, 900 }, { 300000, 0 }
        };
        for (size_t k = 0; k < 5; k++) {
            span_case x = { .N = cases[k][0], .count = cases[k][1] };
            const rvm_spans spans = rvm_spans_make(x.N, NULL);
            x.all = draw_alone(x.count, x.N, 7);
            for (size_t i = 1; i < x.count; i++)
                ck_assert_uint_gt(x.all[i], x.all[i - 1]);
            for (size_t s = 0, i = 0, before = 0; s < spans.count; s++, before = i) {
                const double share = (double)x.count / (double)x.N * (double)spans.rows;
                while (i < x.count && x.all[i] < (s + 1) * spans.rows)
                    i++;
                if (s + 1 < spans.count)
                    ck_assert_double_lt(fabs((double)(i - before) - share), 1);
            }
            for (int size = 1; size <= 7; size += 2)
                team_threads_run(size, draw_in_team, &x);
            free(x.all);
        }
    }
END_TEST

/* Two samples of a fifth of the rows have a twenty-fifth in common: 12000 of 300000, give or take 96;
 * other seeds and other counts are other draws. */
START_TEST(samples_by_spans_are_independent)
    {
        size_t *row[3] = { draw_alone(60000, 300000, 7), draw_alone(60000, 300000, 8),
                           draw_alone(59999, 300000, 7) };
        for (size_t k = 0; k < 3; k++) {
            const size_t *a = row[k], *b = row[(k + 1) % 3];
            size_t common = 0;
            for (size_t i = 0, j = 0; i < 59999 && j < 59999;) {
                common += a[i] == b[j];
                const bool next = a[i] <= b[j];
                j += b[j] <= a[i];
                i += next;
            }
            ck_assert_int_le(abs((int)common - 12000), 5 * 96);
        }
        for (size_t k = 0; k < 3; k++)
            free(row[k]);
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
    tcase_add_test(c, samples_of_few_are_even);
    tcase_add_test(c, samples_of_very_many);
    tcase_add_test(c, samples_by_spans_for_any_team);
    tcase_add_test(c, samples_by_spans_are_independent);
    suite_add_tcase(s, c);
    return s;
}
