/* Sums over rows: the same bits however rows are shared. */
#include <gsl/gsl_sf_psi.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/spans.h"
#include "problems.h"
#include "suites.h"
#include "team_threads.h"

/* 1/3, 2/3, ...: sums of which depend on their order. */
static double number(size_t row)
{
    return (double)(row % 1013 + 1) / 3;
}

typedef struct {
    rvm_spans spans;
    size_t faulty; /* row of all at which the sum fails */
} rows;

static rvm_status add(void *context, size_t first, size_t count, double *sums, int worker,
                      rvm_error *err)
{
    const rows *r = context;
    const size_t from = rvm_spans_first_row(&r->spans) + first;
    (void)worker;
    for (size_t n = from; n < from + count; n++) {
        if (n == r->faulty)
            return rvm_fail(err, RVM_ENUMERIC, "row %zu", n);
        sums[0] += number(n);
        sums[1] += 1;
    }
    return RVM_OK;
}

/* What the tree is, by itself: halves of a power of two. */
static double sum_tree(size_t first, size_t spans, size_t span, size_t N)
{
    double sum = 0;
    if (spans > 1) {
        const size_t half = spans / 2;
        const double left = sum_tree(first, half, span, N);
        return (first + half) * span < N ? left + sum_tree(first + half, half, span, N) : left;
    }
    for (size_t n = first * span; n < (first + 1) * span && n < N; n++)
        sum += number(n);
    return sum;
}

typedef struct {
    size_t N, faulty;
    int threads;
    double wanted;
} job;

static void fold_in_team(void *context, rvm_team *team)
{
    const job *j = context;
    rows r = { rvm_spans_make(j->N, team), j->faulty };
    double sums[2] = { -1, -1 };
    rvm_error err = { 0 };
    const rvm_status status = rvm_spans_fold(sums, 2, &r.spans, add, NULL, &r, j->threads, &err);
    if (j->faulty < j->N) {
        char words[32];
        snprintf(words, sizeof words, "row %zu", j->faulty);
        ck_assert_int_eq(status, RVM_ENUMERIC);
        ck_assert_str_eq(err.message, words);
        return;
    }
    ck_assert_int_eq(status, RVM_OK);
    ck_assert_double_eq(sums[1], (double)j->N);
    ck_assert(memcmp(&sums[0], &j->wanted, sizeof j->wanted) == 0);
}

static const size_t sizes[] = { 0, 1, 4096, 4097, 50000, 300000, 1100000 };
static const int teams[] = { 1, 2, 3, 4, 7, 70 };
enum {
    SIZES = sizeof sizes / sizeof *sizes,
    TEAMS = sizeof teams / sizeof *teams,
    FEW_TEAMS = 5 /* of up to 7 */
};

START_TEST(any_team_has_the_same_bits)
    {
        const size_t N = sizes[_i / TEAMS];
        job j = { N, N, 1, 0 };
        const rvm_spans whole = rvm_spans_make(N, NULL);
        size_t leaves = 1;
        while (leaves < whole.count)
            leaves *= 2;
        j.wanted = sum_tree(0, leaves, whole.rows, N);
        for (j.threads = 1; j.threads <= 3; j.threads++)
            team_threads_run(teams[_i % TEAMS], fold_in_team, &j);
    }
END_TEST

START_TEST(a_fault_of_one_is_that_of_all)
    {
        job j = { 300000, (size_t)_i * 59999, 1, 0 };
        for (j.threads = 1; j.threads <= 2; j.threads++)
            for (int k = 0; k < TEAMS; k++)
                team_threads_run(teams[k], fold_in_team, &j);
    }
END_TEST

/* Every row has one owner, the rows of a process are neighbours, and spans are whole strips. */
START_TEST(rows_are_shared_out)
    {
        for (int k = 0; k < SIZES; k++)
            for (int size = 1; size <= 300; size = size * 2 + 1) {
                size_t next = 0;
                for (int r = 0; r < size; r++) {
                    rvm_team team = { .rank = r, .size = size };
                    const rvm_spans s = rvm_spans_make(sizes[k], &team);
                    ck_assert(s.rows % RVM_STRIP == 0 && s.count <= RVM_SPANS_MOST);
                    ck_assert_uint_eq(rvm_spans_first_row(&s), next);
                    for (size_t n = 0; n < rvm_spans_here(&s); n += 1000)
                        ck_assert_int_eq(rvm_spans_owner(&s, next + n), r);
                    next += rvm_spans_here(&s);
                }
                ck_assert_uint_eq(next, sizes[k]);
            }
    }
END_TEST

/* A join that minds the order, of pieces that are numbers of their first rows. */
static double in_order(double left, double right)
{
    return fmod(3 * left + right, 1009);
}

static rvm_status join_in_order(void *context, double *left, const double *right, int worker,
                                rvm_error *err)
{
    (void)context, (void)worker, (void)err;
    *left = in_order(*left, *right);
    return RVM_OK;
}

static rvm_status name_span(void *context, size_t first, size_t count, double *sums, int worker,
                            rvm_error *err)
{
    const rvm_spans *s = context;
    (void)count, (void)worker, (void)err;
    *sums = (double)((rvm_spans_first_row(s) + first) / s->rows + 1);
    return RVM_OK;
}

static double join_tree(size_t first, size_t spans, size_t count)
{
    const size_t half = spans / 2;
    if (spans == 1)
        return (double)(first + 1);
    const double left = join_tree(first, half, count);
    return first + half < count ? in_order(left, join_tree(first + half, half, count)) : left;
}

static void join_in_team(void *context, rvm_team *team)
{
    const job *j = context;
    const rvm_spans spans = rvm_spans_make(j->N, team);
    double found = -1, *of_span = calloc(spans.count, sizeof *of_span);
    rvm_error err = { 0 };
    ck_assert_int_eq(rvm_spans_fold(&found, 1, &spans, name_span, join_in_order, (void *)&spans,
                                    j->threads, &err),
                     RVM_OK);
    ck_assert_double_eq(found, j->wanted);
    for (size_t k = spans.first; k < spans.end; k++) /* sums that are there already */
        of_span[k - spans.first] = 1.0 / (double)(k + 3);
    ck_assert_int_eq(rvm_spans_add_up(&found, 1, &spans, of_span, RVM_OK, &err), RVM_OK);
    check_close(found, gsl_sf_psi_n(0, (double)spans.count + 3) - gsl_sf_psi_n(0, 3), 1e-14);
    const rvm_status mine = spans.end > spans.first ? RVM_EIO : RVM_OK;
    ck_assert_int_eq(rvm_spans_add_up(&found, 1, &spans, of_span, mine, &err), RVM_EIO);
    free(of_span);
}

START_TEST(nodes_are_joined_in_their_order)
    {
        job j = { .N = sizes[_i / FEW_TEAMS] };
        const size_t count = rvm_spans_make(j.N, NULL).count;
        size_t leaves = 1;
        while (leaves < count)
            leaves *= 2;
        if (count == 0)
            return;
        j.wanted = join_tree(0, leaves, count);
        for (j.threads = 1; j.threads <= 5; j.threads += 2)
            team_threads_run(teams[_i % FEW_TEAMS], join_in_team, &j);
    }
END_TEST

typedef struct {
    int asked; /* rank that has got a signal */
} signals;

static rvm_status nothing(void *context, size_t first, size_t count, double *sums, int worker,
                          rvm_error *err)
{
    (void)context, (void)first, (void)count, (void)sums, (void)worker, (void)err;
    return RVM_OK;
}

static void fold_interrupted(void *context, rvm_team *team)
{
    const signals *s = context;
    const int signal = 15;
    const rvm_spans spans = rvm_spans_make(100000, team);
    double sum = 0;
    team->asked = team->rank == s->asked ? &signal : NULL;
    ck_assert_int_eq(rvm_spans_fold(&sum, 1, &spans, nothing, NULL, NULL, 1, NULL), RVM_OK);
    ck_assert_int_eq(team->interrupted, signal);
}

START_TEST(all_hear_of_an_interrupt)
    {
        for (int rank = 0; rank < 4; rank++)
            team_threads_run(4, fold_interrupted, &(signals){ rank });
    }
END_TEST

Suite *spans_suite(void);
Suite *spans_suite(void)
{
    Suite *suite = suite_create("spans");
    TCase *tcase = tcase_create("spans");
    tcase_add_loop_test(tcase, any_team_has_the_same_bits, 0, SIZES * TEAMS);
    tcase_add_loop_test(tcase, nodes_are_joined_in_their_order, 0, SIZES * FEW_TEAMS);
    tcase_add_loop_test(tcase, a_fault_of_one_is_that_of_all, 0, 5);
    tcase_add_test(tcase, rows_are_shared_out);
    tcase_add_test(tcase, all_hear_of_an_interrupt);
    suite_add_tcase(suite, tcase);
    return suite;
}
