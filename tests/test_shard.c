/* Rows that a team shares: where they go, and that none is lost. */
#include "data/shard.h"

#include <stdlib.h>
#include <string.h>

#include "data/order.h"
#include "suites.h"
#include "team_threads.h"

/* Row i of a file of few different rows, some of them without features. */
static void append(rvm_problem *p, size_t i)
{
    const size_t h = (i * 2654435761u) % 4294967296u;
    const int index[3] = { 1, 2 + (int)(h % 5), 9 };
    const double value[3] = { (double)(h / 7 % 23) - 11, (double)(h / 1000 % 11) / 3, -1 };
    const double target[2] = { (double)(h / 31 % 3), (double)(h % 2) };
    ck_assert(rvm_problem_append_outputs(p, target, 2, index, value, h / 64 % 4));
}

static rvm_problem *file_of(size_t first, size_t end)
{
    rvm_problem *p = rvm_problem_alloc();
    ck_assert_ptr_nonnull(p);
    for (size_t i = first; i < end; i++)
        append(p, i);
    return p;
}

static void check_row(const rvm_problem *p, size_t i, const rvm_problem *file, size_t row)
{
    ck_assert_uint_eq(rvm_problem_number(p, i), row);
    ck_assert_uint_eq(p->outputs, 2);
    ck_assert_uint_eq(p->start[i + 1] - p->start[i], file->start[row + 1] - file->start[row]);
    ck_assert_int_eq(rvm_order_compare(p, i, file, row), 0);
}

typedef struct {
    size_t N;
    bool at_one; /* a single process has read everything */
    rvm_problem *file;
    size_t *order; /* of the file */
} job;

static rvm_problem *spread(const job *j, rvm_team *team)
{
    const size_t rank = (size_t)team->rank, size = (size_t)team->size;
    const size_t first = j->at_one ? rank > 0 ? j->N : 0 : rank * j->N / size;
    const size_t end = j->at_one ? j->N : (rank + 1) * j->N / size;
    rvm_problem *p = file_of(first, end);
    ck_assert_int_eq(rvm_shard_spread(&p, first, team, NULL), RVM_OK);
    return p;
}

static void check_spread(void *context, rvm_team *team)
{
    const job *j = context;
    rvm_problem *p = spread(j, team);
    const rvm_spans spans = rvm_problem_spans(p);
    ck_assert_uint_eq(p->all, j->N);
    ck_assert_uint_eq(p->rows, rvm_spans_here(&spans));
    ck_assert_int_eq(p->max_index, j->file->max_index);
    for (size_t i = 0; i < p->rows; i++)
        check_row(p, i, j->file, j->order[rvm_spans_first_row(&spans) + i]);
    rvm_problem_free(p);
}

/* Every third row of all, first as a sample that all have, then as a problem that is shared. */
static void check_parts(void *context, rvm_team *team)
{
    const job *j = context;
    rvm_problem *p = spread(j, team), *sample = NULL, *part = NULL, *whole = NULL;
    const rvm_spans spans = rvm_problem_spans(p);
    const size_t first = rvm_spans_first_row(&spans), thirds = (j->N + 2) / 3;
    size_t *row = calloc(j->N + 1, sizeof *row), count = 0;
    for (size_t k = 0; k < thirds; k++)
        row[k] = 3 * k;
    ck_assert_int_eq(rvm_shard_pick(&sample, p, NULL, row, thirds, NULL), RVM_OK);
    ck_assert_uint_eq(sample->rows, thirds);
    ck_assert_ptr_null(sample->team);
    for (size_t k = 0; k < thirds; k++)
        ck_assert_int_eq(rvm_order_compare(sample, k, j->file, j->order[3 * k]), 0);
    ck_assert_ptr_null(sample->number);
    for (size_t i = 0; i < p->rows; i++)
        if ((first + i) % 3 == 0)
            row[count++] = i;
    ck_assert_int_eq(rvm_shard_part(&part, p, row, count, NULL), RVM_OK);
    const rvm_spans of_part = rvm_problem_spans(part);
    ck_assert_uint_eq(part->all, thirds);
    ck_assert_uint_eq(part->rows, rvm_spans_here(&of_part));
    for (size_t i = 0; i < part->rows; i++)
        check_row(part, i, j->file, j->order[3 * (rvm_spans_first_row(&of_part) + i)]);
    double *number = calloc(j->N + 1, sizeof *number), *moved = calloc(j->N + 1, sizeof *moved);
    for (size_t i = 0; i < p->rows; i++)
        number[i] = (double)p->number[i];
    ck_assert_int_eq(rvm_shard_part_numbers(moved, p, row, count, number, NULL), RVM_OK);
    for (size_t i = 0; i < part->rows; i++)
        ck_assert_double_eq(moved[i], (double)part->number[i]);
    for (size_t k = 0; k < thirds; k++)
        row[k] = 3 * k;
    ck_assert_int_eq(rvm_shard_pick_numbers(moved, p, row, thirds, number, NULL), RVM_OK);
    for (size_t k = 0; k < thirds; k++)
        ck_assert_double_eq(moved[k], (double)j->order[3 * k]);
    free(number);
    free(moved);
    ck_assert_int_eq(rvm_shard_whole(&whole, p, NULL), RVM_OK);
    ck_assert_uint_eq(whole->rows, team->rank == 0 ? j->N : 0);
    for (size_t i = 0; i < whole->rows; i++)
        ck_assert_int_eq(rvm_order_compare(whole, i, j->file, i), 0);
    rvm_problem_free(whole);
    rvm_problem_free(part);
    rvm_problem_free(sample);
    rvm_problem_free(p);
    free(row);
}

static const size_t sizes[] = { 1, 5, 4097, 30000 };
static const int teams[] = { 1, 2, 3, 7 };

static void run(int which, bool at_one, void (*check)(void *, rvm_team *))
{
    job j = { .N = sizes[which / 4], .at_one = at_one };
    j.file = file_of(0, j.N);
    ck_assert_int_eq(rvm_order_rows(&j.order, j.file, NULL), RVM_OK);
    team_threads_run(teams[which % 4], check, &j);
    free(j.order);
    rvm_problem_free(j.file);
}

START_TEST(rows_are_spread_in_canonical_order)
    {
        run(_i, false, check_spread);
    }
END_TEST

START_TEST(one_process_may_have_read_all)
    {
        run(_i, true, check_spread);
    }
END_TEST

START_TEST(parts_are_those_of_the_whole)
    {
        run(_i, false, check_parts);
    }
END_TEST

Suite *shard_suite(void);
Suite *shard_suite(void)
{
    Suite *s = suite_create("shard");
    TCase *c = tcase_create("shard");
    tcase_add_loop_test(c, rows_are_spread_in_canonical_order, 0, 16);
    tcase_add_loop_test(c, one_process_may_have_read_all, 0, 16);
    tcase_add_loop_test(c, parts_are_those_of_the_whole, 0, 16);
    suite_add_tcase(s, c);
    return s;
}
