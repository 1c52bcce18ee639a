/* Folds of many rows: each row in one, of equal sizes, the same for any team and order of the
 * file. */
#include "product/folds.h"

#include <stdlib.h>
#include <string.h>

#include "data/order.h"
#include "data/shard.h"
#include "problems.h"
#include "suites.h"
#include "team_threads.h"

enum { N = 20011, SEED = 3 }; /* five spans, the last one short */

/* Row i of a file: its only feature, and its target. */
typedef struct {
    double (*x)(size_t i);
    double (*target)(size_t i);
    bool classes;
} kind;

static rvm_problem *file_of(const kind *k, size_t first, size_t end)
{
    const int index = 1;
    rvm_problem *p = empty_problem();
    for (size_t i = first; i < end; i++) {
        const double x = k->x(i);
        ck_assert(rvm_problem_append(p, k->target(i), &index, &x, 1));
    }
    return p;
}

/* All different, and in no order: 7919 and N have no factor in common. */
static double scattered(size_t i)
{
    return (double)(i * 7919 % N) - 5000;
}

static double squares(size_t i)
{
    return (double)(i % 97) * (double)(i % 97);
}

/* 8000 rows are one row, 3000 are there twice, and 6011 once. */
static double repeated(size_t i)
{
    const size_t k = i * 7919 % N;
    return k < 8000 ? 9000 : k < 14000 ? (double)(k % 3000 * 5) + 0.5 : (double)k;
}

static double target_of_repeated(size_t i)
{
    return squares((size_t)repeated(i));
}

static double few_values(size_t i)
{
    return (double)(i % 5);
}

/* Class 4 has 7 rows, class 2 some 5000, class -3 the others. */
static double class_of(size_t i)
{
    return i % 3000 == 0 ? 4 : i % 4 == 1 ? 2 : -3;
}

static const kind different = { scattered, squares, false };
static const kind copies = { repeated, target_of_repeated, false };
static const kind values = { few_values, few_values, false };
static const kind classes = { scattered, class_of, true };

/* The folds of the rows that are here. */
static void draw(size_t *fold, const rvm_problem *p, const kind *k, size_t folds,
                 unsigned long seed)
{
    rvm_labels labels = { 0 };
    rvm_error err = { 0 };
    if (k->classes)
        ck_assert_int_eq(rvm_labels_find(&labels, p, &err), RVM_OK);
    ck_assert_int_eq(rvm_folds_draw(fold, p, &labels, folds, seed, &err), RVM_OK);
    rvm_labels_free(&labels);
}

/* The folds of a file that one process has; owned by the caller. */
static size_t *folds_of(const rvm_problem *p, const kind *k, size_t folds, unsigned long seed)
{
    size_t *fold = calloc(p->rows, sizeof *fold);
    ck_assert_ptr_nonnull(fold);
    memset(fold, 0xff, p->rows * sizeof *fold);
    draw(fold, p, k, folds, seed);
    for (size_t i = 0; i < p->rows; i++)
        ck_assert_uint_lt(fold[i], folds);
    return fold;
}

/* Of the rows that count: the same number in each fold, or one more. */
static void check_sizes(const size_t *fold, size_t folds, const bool *counts)
{
    size_t size[16] = { 0 }, least = N, most = 0;
    for (size_t i = 0; i < N; i++)
        size[fold[i]] += counts == NULL || counts[i];
    for (size_t f = 0; f < folds; f++) {
        least = size[f] < least ? size[f] : least;
        most = size[f] > most ? size[f] : most;
    }
    ck_assert_uint_le(most, least + 1);
}

START_TEST(all_folds_have_the_same_size)
    {
        static const size_t folds[] = { 2, 3, 10 };
        rvm_problem *p = file_of(&different, 0, N);
        size_t *fold = folds_of(p, &different, folds[_i], SEED);
        size_t *other = folds_of(p, &different, folds[_i], SEED + 1), apart = 0;
        check_sizes(fold, folds[_i], NULL);
        for (size_t i = 0; i < N; i++)
            apart += fold[i] != other[i];
        ck_assert_uint_gt(apart, N / 3); /* of two folds half the rows are expected to change */
        free(fold);
        free(other);
        rvm_problem_free(p);
    }
END_TEST

/* And in each span: dealt in turn, 4096 rows and 3 folds are 1365, 1365 and 1366. */
START_TEST(all_parts_of_the_order_are_in_all_folds)
    {
        enum { FOLDS = 3 };
        rvm_problem *p = file_of(&different, 0, N);
        size_t *fold = folds_of(p, &different, FOLDS, SEED), *order = NULL;
        ck_assert_int_eq(rvm_order_rows(&order, p, NULL), RVM_OK);
        for (size_t first = 0; first + RVM_STRIP <= N; first += RVM_STRIP) {
            size_t size[FOLDS] = { 0 };
            for (size_t k = first; k < first + RVM_STRIP; k++)
                size[fold[order[k]]]++;
            for (size_t f = 0; f < FOLDS; f++)
                ck_assert(size[f] == 1365 || size[f] == 1366);
        }
        free(order);
        free(fold);
        rvm_problem_free(p);
    }
END_TEST

/* Seven rows in three folds are 3, 2 and 2. */
START_TEST(classes_are_stratified)
    {
        static const double label[] = { 4, 2, -3 };
        rvm_problem *p = file_of(&classes, 0, N);
        size_t *fold = folds_of(p, &classes, 3, SEED);
        bool *of_class = calloc(N, sizeof *of_class);
        check_sizes(fold, 3, NULL);
        for (size_t c = 0; c < 3; c++) {
            for (size_t i = 0; i < N; i++)
                of_class[i] = p->target[i] == label[c];
            check_sizes(fold, 3, of_class);
        }
        free(of_class);
        free(fold);
        rvm_problem_free(p);
    }
END_TEST

/* As many folds as rows: each row has one of its own. */
START_TEST(one_can_be_left_out)
    {
        const kind *k = _i == 0 ? &different : &classes;
        rvm_problem *p = file_of(k, 0, N);
        size_t *fold = folds_of(p, k, N, SEED);
        bool *taken = calloc(N, sizeof *taken);
        for (size_t i = 0; i < N; i++) {
            ck_assert(!taken[fold[i]]);
            taken[fold[i]] = true;
        }
        free(taken);
        free(fold);
        rvm_problem_free(p);
    }
END_TEST

/* 9012 rows differ, which is less than half of them all, so that they are dealt like any; but
 * more than half of the 18,011 that are left without 2000 of the commonest row. */
START_TEST(copies_are_in_one_fold)
    {
        enum { FOLDS = 4 };
        rvm_problem *p = file_of(&copies, 0, N);
        size_t *order = NULL, *row = calloc(N, sizeof *row), count = 0;
        for (size_t i = 0; i < N; i++)
            if (i * 7919 % N >= 2000)
                row[count++] = i;
        rvm_problem *fewer = rvm_problem_subset(p, row, count);
        size_t *fold = folds_of(fewer, &copies, FOLDS, SEED), size[FOLDS] = { 0 };
        ck_assert_int_eq(rvm_order_rows(&order, fewer, NULL), RVM_OK);
        for (size_t k = 0; k < count; k++)
            if (k > 0 && rvm_order_same(fewer, order[k - 1], order[k]))
                ck_assert_uint_eq(fold[order[k]], fold[order[k - 1]]);
            else
                size[fold[order[k]]]++;
        for (size_t f = 0; f < FOLDS; f++)
            ck_assert_uint_eq(size[f], 9012 / FOLDS);
        free(fold);
        fold = folds_of(p, &copies, FOLDS, SEED);
        check_sizes(fold, FOLDS, NULL);
        free(fold);
        free(order);
        free(row);
        rvm_problem_free(fewer);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Teams ----------------------------------------------------------------------------------- */

typedef struct {
    const kind *k;
    size_t folds;
    const size_t *fold; /* of one process */
} job;

static void check_team(void *context, rvm_team *team)
{
    const job *j = context;
    const size_t rank = (size_t)team->rank, size = (size_t)team->size;
    const size_t first = rank * N / size, end = (rank + 1) * N / size;
    rvm_problem *p = file_of(j->k, first, end);
    ck_assert_int_eq(rvm_shard_spread(&p, first, team, NULL), RVM_OK);
    size_t *fold = calloc(p->rows + 1, sizeof *fold);
    draw(fold, p, j->k, j->folds, SEED);
    for (size_t i = 0; i < p->rows; i++)
        ck_assert_uint_eq(fold[i], j->fold[rvm_problem_number(p, i)]);
    free(fold);
    rvm_problem_free(p);
}

/* Seven processes share five spans. */
START_TEST(teams_draw_the_same_folds)
    {
        static const int teams[] = { 1, 2, 3, 5, 7 };
        static const kind *const kinds[] = { &different, &copies, &values, &classes };
        const kind *k = kinds[_i];
        rvm_problem *p = file_of(k, 0, N);
        size_t *fold = folds_of(p, k, 3, SEED);
        const job j = { k, 3, fold };
        for (size_t t = 0; t < sizeof teams / sizeof teams[0]; t++)
            team_threads_run(teams[t], check_team, (void *)&j);
        free(fold);
        rvm_problem_free(p);
    }
END_TEST

/* A run of equal rows that is longer than the share of a process, with most of the rows
 * different. */
static double long_run(size_t i)
{
    return i % 2 == 0 && i < 18000 ? 9000.5 : scattered(i);
}

static double run_target(size_t i)
{
    return long_run(i) == 9000.5 ? 0 : 1;
}

static const kind run = { long_run, run_target, false };

START_TEST(a_run_goes_over_whole_processes)
    {
        static const int teams[] = { 2, 5, 7 };
        rvm_problem *p = file_of(&run, 0, N);
        size_t *fold = folds_of(p, &run, 3, SEED);
        for (size_t i = 2; i < 18000; i += 2)
            ck_assert_uint_eq(fold[i], fold[0]);
        const job j = { &run, 3, fold };
        for (size_t t = 0; t < sizeof teams / sizeof teams[0]; t++)
            team_threads_run(teams[t], check_team, (void *)&j);
        free(fold);
        rvm_problem_free(p);
    }
END_TEST

/* ---- The order of the file ------------------------------------------------------------------- */

/* Row i of the file is row (i step) mod N of another one; classes then appear in another order. */
START_TEST(the_order_of_the_file_says_nothing)
    {
        const kind *k = _i == 0 ? &different : &classes;
        rvm_problem *p = file_of(k, 0, N);
        size_t *row = calloc(N, sizeof *row);
        for (size_t i = 0; i < N; i++)
            row[i] = (i * 101 + 1) % N;
        rvm_problem *q = rvm_problem_subset(p, row, N);
        size_t *fold = folds_of(p, k, 5, SEED), *other = folds_of(q, k, 5, SEED);
        for (size_t i = 0; i < N; i++)
            ck_assert_uint_eq(other[i], fold[row[i]]);
        free(row);
        free(fold);
        free(other);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* ---- Sums ------------------------------------------------------------------------------------ */

static void add_reciprocal(void *context, size_t row, double *sums)
{
    const rvm_problem *p = context;
    const double x = p->value[p->start[row]];
    sums[0] += 1 / (x + 5000.5);
    sums[1]++;
}

static void check_sum(void *context, rvm_team *team)
{
    const double *alone = context;
    const size_t rank = (size_t)team->rank, size = (size_t)team->size;
    rvm_problem *p = file_of(&different, rank * N / size, (rank + 1) * N / size);
    double sums[2];
    ck_assert_int_eq(rvm_shard_spread(&p, rank * N / size, team, NULL), RVM_OK);
    ck_assert_int_eq(rvm_folds_sum(sums, 2, p, add_reciprocal, NULL, p, NULL), RVM_OK);
    ck_assert_double_eq(sums[0], alone[0]);
    ck_assert_double_eq(sums[1], N);
    rvm_problem_free(p);
}

/* x + 5000 goes through 0 .. N - 1; the sum of 1 / (k + 1/2) is digamma(N + 1/2) - digamma(1/2),
 * the number by mpmath. */
START_TEST(sums_have_the_bits_of_any_team)
    {
        rvm_problem *p = file_of(&different, 0, N);
        double sums[2];
        ck_assert_int_eq(rvm_folds_sum(sums, 2, p, add_reciprocal, NULL, p, NULL), RVM_OK);
        ck_assert_double_eq_tol(sums[0], 11.86754742746704, 1e-13);
        for (int size = 1; size < 8; size += 2)
            team_threads_run(size, check_sum, sums);
        rvm_problem_free(p);
    }
END_TEST

Suite *folds_suite(void)
{
    Suite *s = suite_create("folds");
    TCase *c = tcase_create("folds");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, all_folds_have_the_same_size, 0, 3);
    tcase_add_test(c, all_parts_of_the_order_are_in_all_folds);
    tcase_add_test(c, classes_are_stratified);
    tcase_add_loop_test(c, one_can_be_left_out, 0, 2);
    tcase_add_test(c, copies_are_in_one_fold);
    tcase_add_loop_test(c, teams_draw_the_same_folds, 0, 4);
    tcase_add_test(c, a_run_goes_over_whole_processes);
    tcase_add_loop_test(c, the_order_of_the_file_says_nothing, 0, 2);
    tcase_add_test(c, sums_have_the_bits_of_any_team);
    suite_add_tcase(s, c);
    return s;
}
