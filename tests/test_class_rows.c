/* class_rows.c: rows of the classes, and candidates that sit on them. */
#include "search/class_rows.h"

#include <stdlib.h>

#include "data/shard.h"
#include "problems.h"
#include "suites.h"
#include "team_threads.h"

enum { C = 3, N = 9000 };

/* Every feature twice: 4500 functions. Of these every fourth is of class 0, class 2 has the last 30, and
 * class 1 the others. */
static size_t class_of(size_t function)
{
    return function >= N / 2 - 30 ? 2 : function % 4 > 0;
}

static rvm_problem *rows_of(size_t first, size_t end)
{
    rvm_problem *p = rvm_problem_alloc();
    for (size_t i = first; i < end; i++) {
        const int index = 0;
        const double value = (double)(i / 2 + 1);
        ck_assert(rvm_problem_append(p, (double)class_of(i / 2), &index, &value, 1));
    }
    return p;
}

/* Of `all` functions of a class `most` at the most, each in its own part of them: the one at which a
 * line from 0 to `most` passes a whole number. */
static void check_class(const rvm_class_rows *c, size_t k, size_t all)
{
    const size_t wanted = all < c->most ? all : c->most;
    size_t number = 0, found = 0;
    ck_assert_uint_eq(c->owns[k], wanted);
    for (size_t f = 0; f < N / 2; f++) {
        if (class_of(f) != k)
            continue;
        number++;
        if (found < wanted && c->own[k * c->most + found] == f + 1) { /* the bias is 0 */
            ck_assert(all <= c->most || number == (++found * all + c->most - 1) / c->most);
            found += all <= c->most;
        }
    }
    ck_assert_uint_eq(found, wanted);
}

static void find(void *context, rvm_team *team)
{
    const size_t *most = context, rank = (size_t)rvm_team_rank(team);
    const size_t size = (size_t)rvm_team_size(team);
    const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 1);
    rvm_error err = { 0 };
    rvm_problem *p = rows_of(rank * N / size, (rank + 1) * N / size);
    rvm_class_rows c;
    rvm_study y;
    if (team != NULL)
        ck_assert_int_eq(rvm_shard_spread(&p, rank * N / size, team, &err), RVM_OK);
    ck_assert_int_eq(rvm_study_init(&y, p, &s, &s.kernel, 0, &err), RVM_OK);
    ck_assert_uint_eq(y.basis.count, N / 2 + 1);
    y.classes = C;
    y.class_of_row = calloc(y.p->rows + 1, sizeof *y.class_of_row);
    for (size_t n = 0; n < y.p->rows; n++)
        y.class_of_row[n] = (size_t)y.p->target[n];
    ck_assert_int_eq(rvm_class_rows_find(&c, &y, *most, &err), RVM_OK);
    ck_assert(c.rows[0] == 2236 && c.rows[2] == 60 && c.rows[1] == N - 2236 - 60);
    for (size_t k = 0; k < C; k++)
        check_class(&c, k, c.rows[k] / 2);
    rvm_class_rows_free(&c);
    rvm_study_free(&y);
    rvm_problem_free(p);
}

START_TEST(candidates_are_spread_evenly)
    {
        size_t most[] = { 0, 1, 40, 1000, 5000 };
        for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
            find(&most[k], NULL);
            team_threads_run(2, find, &most[k]);
            team_threads_run(3, find, &most[k]);
            team_threads_run(7, find, &most[k]);
        }
    }
END_TEST

Suite *class_rows_suite(void);
Suite *class_rows_suite(void)
{
    Suite *s = suite_create("class_rows");
    TCase *c = tcase_create("class_rows");
    tcase_add_test(c, candidates_are_spread_evenly);
    suite_add_tcase(s, c);
    return s;
}
