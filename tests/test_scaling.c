/* scaling.c and scaling_file.c. Expected rows were worked out by hand from
 * lower + (upper - lower) * (value - min) / (max - min). */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "data/problem.h"
#include "data/scaling.h"
#include "suites.h"

static const rvm_scaling_limits minus_one_to_one = { .lower = -1, .upper = 1 };
static const rvm_scaling_limits zero_to_one = { .lower = 0, .upper = 1 };

static rvm_problem *problem_of(const char *text)
{
    rvm_problem *p = NULL;
    rvm_error err = { 0 };
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

    ck_assert_ptr_nonnull(in);
    ck_assert_int_eq(rvm_problem_read(&p, in, (rvm_grammar){ .outputs = true }, &err), RVM_OK);
    fclose(in);
    return p;
}

static rvm_scaling *learn(const char *text, rvm_scaling_limits limits)
{
    rvm_problem *p = problem_of(text);
    rvm_scaling *s = NULL;
    rvm_error err = { 0 };

    ck_assert_int_eq(rvm_scaling_learn(&s, p, &limits, &err), RVM_OK);
    rvm_problem_free(p);
    return s;
}

static rvm_status restore(rvm_scaling **out, const char *text, rvm_error *err)
{
    FILE *in = tmpfile();

    ck_assert_ptr_nonnull(in);
    ck_assert_int_ge(fputs(text, in), 0);
    rewind(in);
    const rvm_status status = rvm_scaling_read(out, in, err);
    fclose(in);
    return status;
}

static rvm_scaling *restore_good(const char *text)
{
    rvm_scaling *s = NULL;
    rvm_error err = { 0 };
    const rvm_status status = restore(&s, text, &err);

    ck_assert_msg(status == RVM_OK, "%zu:%zu: %s", err.line, err.column, err.message);
    return s;
}

static void expect_rows(const rvm_scaling *s, const char *text, const char *want)
{
    rvm_problem *p = problem_of(text);
    rvm_scaling_counts counts = { 0 }, tried = { 0 };
    rvm_error err = { 0 };
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);

    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(rvm_scaling_apply(&tried, s, p, NULL, &err), RVM_OK);
    ck_assert_int_eq(rvm_scaling_apply(&counts, s, p, out, &err), RVM_OK);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_str_eq(got, want);
    ck_assert_uint_eq(counts.pairs_in, p->start[p->rows]);
    ck_assert_uint_eq(counts.pairs_out, tried.pairs_out);
    ck_assert_int_eq(counts.index_zero, tried.index_zero);
    for (const char *at = want; (at = strchr(at, ':')) != NULL; at++)
        counts.pairs_out--;
    ck_assert_uint_eq(counts.pairs_out, 0);
    free(got);
    rvm_problem_free(p);
}

static void expect_file(const rvm_scaling *s, const char *want)
{
    rvm_error err = { 0 };
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);

    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(rvm_scaling_write(s, out, &err), RVM_OK);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_str_eq(got, want);
    free(got);
}

/* ---- Learning and applying ------------------------------------------------------------------ */

static const char small[] = "1 1:2 3:5\n2.5 1:6 3:5\n-3 2:4\n";

START_TEST(absent_counts_as_zero)
    {
        rvm_scaling *s = learn(small, minus_one_to_one);

        expect_rows(s, small, "1 1:-0.333333 2:-1 3:1 \n2.5 1:1 2:-1 3:1 \n-3 1:-1 2:1 3:-1 \n");
        expect_file(s, "x\n-1 1\n1 0 6\n2 0 4\n3 0 5\n");
        rvm_scaling_free(s);
        rvm_scaling_free(NULL);
    }
END_TEST

START_TEST(zero_that_stays_zero_is_left_out)
    {
        rvm_scaling *s = learn(small, zero_to_one);

        expect_rows(s, small, "1 1:0.333333 3:1 \n2.5 1:1 3:1 \n-3 2:1 \n");
        rvm_scaling_free(s);
    }
END_TEST

START_TEST(feature_that_does_not_vary_is_dropped)
    {
        static const char text[] = "1 1:3 2:0 3:1\n2 1:3 2:0 3:2\n";
        rvm_scaling *s = learn(text, minus_one_to_one);

        expect_rows(s, text, "1 3:-1 \n2 3:1 \n");
        expect_file(s, "x\n-1 1\n3 1 2\n");
        rvm_scaling_free(s);
    }
END_TEST

START_TEST(target)
    {
        static const rvm_scaling_limits limits = { 0, 1, true, -1, 4 };
        rvm_scaling *s = learn("1 1:1\n3 1:2\n2 1:1\n", limits);

        /* -1 + 5 * (2 - 1) / (3 - 1) = 1.5; 5 lies beyond: -1 + 5 * 4 / 2 */
        expect_rows(s, "1 1:1\n3 1:2\n2 1:1\n5 1:3\n", "-1 \n4 1:1 \n1.5 \n9 1:2 \n");
        expect_file(s, "y\n-1 4\n1 3\nx\n0 1\n1 1 2\n");
        rvm_scaling_free(s);
    }
END_TEST

START_TEST(constant_target_becomes_the_lower_limit)
    {
        static const rvm_scaling_limits limits = { 0, 1, true, -7, 4 };
        rvm_scaling *s = learn("2 1:1\n2 1:2\n", limits);
        rvm_problem *p = problem_of("3 1:1\n");
        rvm_scaling_counts counts;
        rvm_error err = { 0 };

        expect_rows(s, "2 1:1\n2 1:2\n", "-7 \n-7 1:1 \n");
        /* Any other target is at no finite place between the limits. */
        ck_assert_int_eq(rvm_scaling_apply(&counts, s, p, NULL, &err), RVM_ENUMERIC);
        rvm_problem_free(p);
        rvm_scaling_free(s);
    }
END_TEST

START_TEST(index_zero_is_not_filled_in)
    {
        static const char text[] = "1 0:2 1:1\n2 0:4\n3 1:2\n";
        rvm_scaling *s = learn(text, minus_one_to_one);
        rvm_problem *p = problem_of(text);
        rvm_scaling_counts counts = { 0 };
        rvm_error err = { 0 };

        expect_rows(s, text, "1 0:-1 \n2 0:1 1:-1 \n3 1:1 \n");
        expect_file(s, "x\n-1 1\n1 0 2\n");
        ck_assert_int_eq(rvm_scaling_apply(&counts, s, p, NULL, &err), RVM_OK);
        ck_assert(counts.index_zero);
        ck_assert_uint_eq(counts.pairs_in, 4);
        rvm_problem_free(p);
        rvm_scaling_free(s);
    }
END_TEST

/* On a tie the newer zero stays: -0 seen last is written so, and an absent pair counts as +0. */
START_TEST(sign_of_a_zero_bound)
    {
        rvm_scaling *s = learn("1 1:0 2:-0 3:-0\n1 1:-0 3:-0\n1 1:5 2:5 3:5\n", zero_to_one);

        expect_file(s, "x\n0 1\n1 -0 5\n2 0 5\n3 -0 5\n");
        rvm_scaling_free(s);
    }
END_TEST

/* 3000 rows of one huge index each and a dense one: the list of features is sorted many times. */
START_TEST(very_many_scattered_features)
    {
        enum { ROWS = 30000 };
        rvm_problem *p = rvm_problem_alloc();
        rvm_scaling *s = NULL;
        rvm_error err = { 0 };

        for (int i = 0; i < ROWS; i++) {
            const int index[] = { 1, 2 + (int)((long)i * 7919 % ROWS) * 71000 };
            const double value[] = { i, -1 - i };

            ck_assert(rvm_problem_append(p, 0, index, value, 2));
        }
        ck_assert_int_eq(rvm_scaling_learn(&s, p, &zero_to_one, &err), RVM_OK);
        ck_assert_uint_eq(s->count, ROWS + 1);
        ck_assert_double_eq(s->feature[0].min, 0);
        ck_assert_double_eq(s->feature[0].max, ROWS - 1);
        for (int i = 0; i < ROWS; i++) {
            const size_t at = rvm_sort_find(s->index, s->count, p->index[2 * i + 1], 0);

            ck_assert_uint_eq(at, 1 + (size_t)((long)i * 7919 % ROWS));
            ck_assert_double_eq(s->feature[at].min, -1 - i);
            ck_assert_double_eq(s->feature[at].max, 0);
        }
        ck_assert_uint_eq(rvm_sort_find(s->index, s->count, 3, 0), s->count);
        rvm_problem_free(p);
        rvm_scaling_free(s);
    }
END_TEST

START_TEST(limits_are_checked)
    {
        static const rvm_scaling_limits bad[] = {
            { 1, 1, false, 0, 0 },        { 2, 1, false, 0, 0 },        { NAN, 1, false, 0, 0 },
            { 0, INFINITY, false, 0, 0 }, { 0, 1, true, 1, 1 },         { 0, 1, true, 1, 0 },
            { 0, 1, true, 0, NAN },       { 0, 1, true, -INFINITY, 0 },
        };
        rvm_problem *p = problem_of(small);
        rvm_scaling *s = NULL;

        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            rvm_error err = { 0 };

            ck_assert_int_eq(rvm_scaling_limits_check(&bad[i], &err), RVM_ESETTING);
            ck_assert_str_eq(err.message, "inconsistent lower/upper specification");
            ck_assert_int_eq(rvm_scaling_learn(&s, p, &bad[i], &err), RVM_ESETTING);
        }
        ck_assert_ptr_null(s);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Values --------------------------------------------------------------------------------- */

START_TEST(ends_are_met_exactly)
    {
        ck_assert_double_eq(rvm_scaling_value(0.1, 0.1, 0.7, -0.3, 0.9), -0.3);
        ck_assert_double_eq(rvm_scaling_value(0.7, 0.1, 0.7, -0.3, 0.9), 0.9);
    }
END_TEST

/* (2 * 1.2000000000000002) / 2.4 is one unit above 1 when evaluated from the left; svm-scale prints
 * the residue as 2.22045e-16 = 2^-52, and so do we. */
START_TEST(order_of_operations)
    {
        ck_assert_double_eq(rvm_scaling_value(2.1, 0.9, 3.3, -1, 1), 0x1p-52);
    }
END_TEST

START_TEST(overflow_is_gone_round)
    {
        const double big = DBL_MAX;

        ck_assert_double_eq(rvm_scaling_value(0, -big, big, -1, 1), 0);        /* max - min */
        ck_assert_double_eq(rvm_scaling_value(big / 2, 0, big, -100, 100), 0); /* product */
        ck_assert_double_eq(rvm_scaling_value(1, 0, 2, -big, big), 0);         /* upper - lower */
        ck_assert_double_eq(rvm_scaling_value(big / 2, -big, big, 0, 4), 3);
        ck_assert_double_eq(rvm_scaling_value(0, -big, big, 0, 0.5), 0.25); /* max - min alone */
        ck_assert(!isfinite(rvm_scaling_value(2 * 1.5, 0, 1, -big, big)));  /* 5 times big */
    }
END_TEST

START_TEST(value_beyond_the_range_of_doubles)
    {
        rvm_scaling *s = restore_good("x\n-1e308 1e308\n1 0 1\n");
        rvm_problem *p = problem_of("1 1:0.5\n1 1:9\n");
        rvm_scaling_counts counts;
        rvm_error err = { 0 };

        ck_assert_int_eq(rvm_scaling_apply(&counts, s, p, NULL, &err), RVM_ENUMERIC);
        ck_assert_str_eq(err.message, "feature 1 cannot be scaled to a finite number");
        ck_assert_uint_eq(err.line, 2);
        rvm_problem_free(p);
        rvm_scaling_free(s);
    }
END_TEST

START_TEST(failed_write_is_reported)
    {
        rvm_scaling *s = learn(small, minus_one_to_one);
        rvm_problem *p = problem_of(small);
        rvm_scaling_counts counts;
        rvm_error err = { 0 };
        FILE *out = fopen("/dev/full", "w");

        if (out != NULL) {
            setvbuf(out, NULL, _IONBF, 0);
            ck_assert_int_eq(rvm_scaling_apply(&counts, s, p, out, &err), RVM_EIO);
            ck_assert_str_eq(err.message, "No space left on device");
            ck_assert_int_eq(rvm_scaling_write(s, out, &err), RVM_EIO);
            fclose(out);
        }
        rvm_problem_free(p);
        rvm_scaling_free(s);
    }
END_TEST

/* 1 and 3 go to 0 and 10, 2 to 5; -4 and 4 likewise, 0 to 5; a constant to the lower limit. */
START_TEST(several_targets_each_by_itself)
    {
        static const char text[] = "1,4,7 1:1\n3,0,7 1:2\n2,-4,7 1:1\n";
        static const char file[] = "y\n0 10\n1 3\n-4 4\n7 7\nx\n0 1\n1 1 2\n";
        rvm_scaling *s = learn(text, (rvm_scaling_limits){ 0, 1, true, 0, 10 });
        rvm_error err = { 0 };
        rvm_scaling_counts counts;

        expect_rows(s, text, "0,10,0 \n10,5,0 1:1 \n5,0,0 \n");
        expect_file(s, file);
        rvm_scaling_free(s);
        s = restore_good(file);
        ck_assert_uint_eq(s->outputs, 3);
        expect_file(s, file);
        expect_rows(s, "5,8,7 1:1.5\n", "20,15,0 1:0.5 \n");

        rvm_problem *p = problem_of("1,2 1:1\n");
        ck_assert_int_eq(rvm_scaling_apply(&counts, s, p, NULL, &err), RVM_ESETTING);
        ck_assert_ptr_nonnull(strstr(err.message, "3 labels"));
        rvm_problem_free(p);
        rvm_scaling_free(s);
    }
END_TEST

/* Not scaled they pass, whatever the ranges. */
START_TEST(several_targets_left_alone)
    {
        rvm_scaling *s = restore_good("x\n0 1\n1 0 4\n");
        bool taken = false;
        rvm_error err = { 0 };

        expect_rows(s, "1,2.5 1:1\n-3,1e-5 1:2\n",
                    "1,2.5 1:0.25 \n-3,1.0000000000000001e-05 1:0.5 \n");
        rvm_scaling *learned =
            learn("1,2 1:1\n5,8 1:4\n", (rvm_scaling_limits){ 0, 1, true, 0, 1 });
        ck_assert_int_eq(rvm_scaling_complete(s, &taken, learned, &err), RVM_OK);
        ck_assert(taken);
        rvm_scaling_free(learned);
        expect_rows(s, "3,2 1:1\n", "0.5,0 1:0.25 \n");
        rvm_scaling_free(s);
    }
END_TEST

/* ---- Range files ---------------------------------------------------------------------------- */

START_TEST(file_read_and_written)
    {
        static const char text[] =
            "y\n-1 1\n0.10000000000000001 7\nx\n0 1\n1 -0 5\n7 "
            "2.2250738585072014e-308 1.7976931348623157e+308\n2147483647 3 4\n";
        rvm_scaling *s = restore_good(text);

        expect_file(s, text);
        ck_assert_uint_eq(s->count, 3);
        ck_assert(s->limits.scale_target);
        ck_assert_double_eq(s->target[0].min, 0.1);
        ck_assert_double_eq(s->feature[1].max, DBL_MAX);
        rvm_scaling_free(s);
    }
END_TEST

START_TEST(file_of_other_hands)
    {
        rvm_scaling *s = restore_good("x\r\n 0\t1 \r\n\r\n0 1 2\r\n+3 7 7\n5 1 2");

        ck_assert_uint_eq(s->count, 3);
        ck_assert(!s->limits.scale_target);
        /* 3 has min = max and is dropped; 5 is absent, so (0 - 1) / (2 - 1) */
        expect_rows(s, "1 3:9\n2 0:2 5:1.5\n", "1 5:-1 \n2 0:1 5:0.5 \n");
        rvm_scaling_free(s);
    }
END_TEST

static const struct {
    const char *text;
    size_t line, column;
} bad_files[] = {
    { "", 1, 1 },
    { "junk\n", 1, 1 },
    { "x y\n", 1, 1 },
    { "z\n0 1\n", 1, 1 },
    { "x\n", 2, 1 },
    { "x\n0\n", 2, 1 },
    { "x\n0 1 2\n", 2, 5 },
    { "x\n0 one\n", 2, 3 },
    { "x\nnan 1\n", 2, 1 },
    { "x\n0 inf\n", 2, 3 },
    { "x\n 2 1\n", 2, 2 },
    { "y\n0 1\n", 3, 1 },
    { "y\n2 1\n0 1\nx\n0 1\n", 2, 1 },
    { "y\n0 1\n0 1\n", 4, 1 },
    { "y\n0 1\n0 1\n1 2 3\n", 4, 1 },
    { "y\n0 1\n0 1\ny\n0 1\n", 4, 1 },
    { "x\n0 1\n1 2 3\njunk\n", 4, 1 },
    { "x\n0 1\n1 2 3 4\n", 3, 7 },
    { "x\n0 1\n1 2\n", 3, 1 },
    { "x\n0 1\n1 2 1e999\n", 3, 5 },
    { "x\n0 1\n1 2 3x\n", 3, 5 },
    { "x\n0 1\n1.5 2 3\n", 3, 1 },
    { "x\n0 1\n-1 2 3\n", 3, 1 },
    { "x\n0 1\n2147483648 2 3\n", 3, 1 },
    { "x\n0 1\n2 2 3\n1 2 3\n", 4, 1 },
    { "x\n0 1\n2 2 3\n  2 2 3\n", 4, 3 },
};

START_TEST(files_that_are_none)
    {
        rvm_scaling *s = NULL;
        rvm_error err = { 0 };

        ck_assert_int_eq(restore(&s, bad_files[_i].text, &err), RVM_EINPUT);
        ck_assert_ptr_null(s);
        ck_assert_uint_eq(err.line, bad_files[_i].line);
        ck_assert_uint_eq(err.column, bad_files[_i].column);
        ck_assert_uint_gt(strlen(err.message), 0);
    }
END_TEST

START_TEST(folder_as_a_file)
    {
        rvm_scaling *s = NULL;
        rvm_error err = { 0 };
        FILE *in = fopen("/", "r");

        ck_assert_ptr_nonnull(in);
        ck_assert_int_eq(rvm_scaling_read(&s, in, &err), RVM_EIO);
        fclose(in);
    }
END_TEST

/* ---- A file's ranges on other data ---------------------------------------------------------- */

START_TEST(features_without_a_range)
    {
        /* 1 is in both, 2 varies unseen, 3 is constant, 9 varies unseen, 0 is no matter of files */
        rvm_scaling *learned =
            learn("1 0:1 1:1 2:1 3:4 9:2\n2 0:2 1:2 3:4 9:3\n", minus_one_to_one);
        rvm_scaling *s = restore_good("x\n0 1\n1 0 4\n5 0 1\n");
        int *unseen = NULL;
        size_t count = 0;
        bool taken = true;
        rvm_error err = { 0 };

        ck_assert_int_eq(rvm_scaling_complete(s, &taken, learned, &err), RVM_OK);
        ck_assert(!taken);
        ck_assert_int_eq(rvm_scaling_unseen(&unseen, &count, s, learned, &err), RVM_OK);
        ck_assert_uint_eq(count, 2);
        ck_assert_int_eq(unseen[0], 2);
        ck_assert_int_eq(unseen[1], 9);
        free(unseen);
        /* index 0 by its own range, as svm-scale does, but within the file's limits */
        expect_rows(s, "1 0:1 1:1 2:1 3:4 9:2\n2 0:2 1:2 3:4 9:3\n", "1 1:0.25 \n2 0:1 1:0.5 \n");
        rvm_scaling_free(s);
        rvm_scaling_free(learned);
    }
END_TEST

START_TEST(feature_of_the_file_that_the_data_lack)
    {
        rvm_scaling *s = restore_good("x\n-1 1\n2 0 4\n50 -2 2\n51 1 3\n");

        expect_rows(s, "1 2:1\n2 51:2\n", "1 2:-0.5 51:-2 \n2 2:-1 \n");
        rvm_scaling_free(s);
    }
END_TEST

START_TEST(target_range_of_the_data)
    {
        static const rvm_scaling_limits wanted = { -1, 1, true, 7, 8 };
        rvm_scaling *learned = learn("1 1:1\n5 1:2\n", wanted);
        rvm_scaling *s = restore_good("x\n0 1\n1 0 4\n");
        rvm_scaling *with_own = restore_good("y\n0 1\n0 10\nx\n0 1\n1 0 4\n");
        bool taken = false;
        rvm_error err = { 0 };

        ck_assert_int_eq(rvm_scaling_complete(s, &taken, learned, &err), RVM_OK);
        ck_assert(taken);
        expect_rows(s, "1 1:1\n5 1:2\n2 1:4\n", "7 1:0.25 \n8 1:0.5 \n7.25 1:1 \n");
        ck_assert_int_eq(rvm_scaling_complete(with_own, &taken, learned, &err), RVM_OK);
        ck_assert(!taken);
        expect_rows(with_own, "5 1:4\n", "0.5 1:1 \n");
        rvm_scaling_free(with_own);
        rvm_scaling_free(s);
        rvm_scaling_free(learned);
    }
END_TEST

Suite *scaling_suite(void);
Suite *scaling_suite(void)
{
    Suite *suite = suite_create("scaling");
    TCase *tc = tcase_create("scaling");

    tcase_add_test(tc, absent_counts_as_zero);
    tcase_add_test(tc, zero_that_stays_zero_is_left_out);
    tcase_add_test(tc, feature_that_does_not_vary_is_dropped);
    tcase_add_test(tc, target);
    tcase_add_test(tc, constant_target_becomes_the_lower_limit);
    tcase_add_test(tc, index_zero_is_not_filled_in);
    tcase_add_test(tc, sign_of_a_zero_bound);
    tcase_add_test(tc, very_many_scattered_features);
    tcase_add_test(tc, limits_are_checked);
    tcase_add_test(tc, ends_are_met_exactly);
    tcase_add_test(tc, order_of_operations);
    tcase_add_test(tc, overflow_is_gone_round);
    tcase_add_test(tc, value_beyond_the_range_of_doubles);
    tcase_add_test(tc, failed_write_is_reported);
    tcase_add_test(tc, several_targets_each_by_itself);
    tcase_add_test(tc, several_targets_left_alone);
    tcase_add_test(tc, file_read_and_written);
    tcase_add_test(tc, file_of_other_hands);
    tcase_add_loop_test(tc, files_that_are_none, 0, sizeof bad_files / sizeof *bad_files);
    tcase_add_test(tc, folder_as_a_file);
    tcase_add_test(tc, features_without_a_range);
    tcase_add_test(tc, feature_of_the_file_that_the_data_lack);
    tcase_add_test(tc, target_range_of_the_data);
    suite_add_tcase(suite, tc);
    return suite;
}
