/* class_order.c: an order of the classes that follows from the rows and what they share. */
#include "search/class_order.h"

#include <stdlib.h>

#include "data/order.h"
#include "data/shard.h"
#include "problems.h"
#include "suites.h"
#include "team_threads.h"

enum { C = 5 };

/* Row i of few different ones: a feature of `kinds` values, a class that goes with it. */
static void append(rvm_problem *p, size_t i, size_t kinds, const int *label)
{
    const size_t h = (i * 2654435761u) % 4294967296u, kind = h / 5 % kinds;
    const int index = 3;
    const double value = (double)kind - 4;
    const size_t class = kind % 3 == 0 ? C - 1 - h / 64 % 2 : h / 1024 % C;
    ck_assert(rvm_problem_append(p, label[class], &index, &value, 1));
}

static rvm_problem *rows_of(size_t first, size_t end, size_t kinds, const int *label)
{
    rvm_problem *p = rvm_problem_alloc();
    for (size_t i = first; i < end; i++)
        append(p, i, kinds, label);
    return p;
}

/* A study that has what the order needs: rows in canonical order. */
static rvm_study study_alone(size_t N, size_t kinds, const int *label)
{
    rvm_error err = { 0 };
    size_t *order = NULL;
    rvm_problem *file = rows_of(0, N, kinds, label);
    CHECK_OK(rvm_order_rows(&order, file, &err));
    rvm_study y = { .p = rvm_problem_subset(file, order, N) };
    free(order);
    rvm_problem_free(file);
    y.observed.row_weight = calloc(N, sizeof(double));
    for (size_t n = 0; n < N; n++)
        y.observed.row_weight[n] = 1 / (double)(abs((int)y.p->target[n]) + 1);
    return y;
}

static void study_end(rvm_study *y)
{
    free(y->observed.row_weight);
    free(y->class_of_row);
    rvm_problem_free(y->p);
}

/* Of labels a and b, by the definition: which has more rows at the first place where they differ. */
static int compare_plainly(const rvm_problem *p, int a, int b)
{
    size_t end;
    for (size_t n = 0; n < p->rows; n = end) {
        int more = 0;
        for (end = n; end < p->rows && rvm_order_same(p, n, end); end++)
            more += (p->target[end] == a) - (p->target[end] == b);
        if (more != 0)
            return more > 0 ? -1 : 1;
    }
    return (a > b) - (a < b);
}

static const int labels_of[2][C] = { { 1, 2, 3, 4, 5 }, { 70, -8, 0, 12, 3 } };

static void check_rows(const rvm_study *y, const rvm_labels *l, const size_t *place)
{
    const rvm_problem *p = y->p;
    size_t end, of_class[C] = { 0 };
    for (size_t k = 1; k < C; k++)
        ck_assert_int_lt(compare_plainly(p, l->label[place[k - 1]], l->label[place[k]]), 0);
    for (size_t n = 0; n < p->rows;
         n = end) { /* in each group as many of each class as there were */
        for (end = n; end < p->rows && rvm_order_same(p, n, end); end++) {
            ck_assert(end == n || y->class_of_row[end] >= y->class_of_row[end - 1]);
            of_class[y->class_of_row[end]]++;
            ck_assert_double_eq(y->observed.row_weight[end],
                                1 / (double)(abs(l->label[place[y->class_of_row[end]]]) + 1));
        }
        for (size_t i = n; i < end; i++)
            for (size_t k = 0; k < C; k++)
                of_class[k] -= (int)p->target[i] == l->label[place[k]];
        for (size_t k = 0; k < C; k++)
            ck_assert_uint_eq(of_class[k], 0);
    }
}

static const size_t many_kinds[] = { 1, 2, 9, 40, 100000 };
enum { KINDS = sizeof many_kinds / sizeof *many_kinds };

START_TEST(order_by_its_definition)
    {
        rvm_error err = { 0 };
        for (size_t which = 0; which < 2; which++) {
            rvm_labels l;
            size_t place[C];
            rvm_study y = study_alone(1000, many_kinds[_i], labels_of[which]);
            CHECK_OK(rvm_labels_find(&l, y.p, &err));
            if (l.count == C) {
                CHECK_OK(rvm_class_order(place, &y, &l, &err));
                check_rows(&y, &l, place);
            } else {
                ck_assert_uint_eq(many_kinds[_i], 1); /* all are of two classes */
            }
            rvm_labels_free(&l);
            study_end(&y);
        }
    }
END_TEST

/* Classes by other names are the same classes. */
START_TEST(names_do_not_matter)
    {
        rvm_error err = { 0 };
        rvm_study y[2];
        for (size_t which = 0; which < 2; which++) {
            rvm_labels l;
            size_t place[C];
            y[which] = study_alone(1000, 40, labels_of[which]);
            CHECK_OK(rvm_labels_find(&l, y[which].p, &err));
            CHECK_OK(rvm_class_order(place, &y[which], &l, &err));
            rvm_labels_free(&l);
        }
        ck_assert_mem_eq(y[0].class_of_row, y[1].class_of_row, 1000 * sizeof(size_t));
        study_end(&y[0]);
        study_end(&y[1]);
    }
END_TEST

/* ---- Teams ---------------------------------------------------------------------------------- */

typedef struct {
    size_t N, kinds;
    rvm_study alone;
    size_t place[C];
} job;

static void order_in_team(void *context, rvm_team *team)
{
    const job *j = context;
    const size_t rank = (size_t)team->rank, size = (size_t)team->size;
    rvm_error err = { 0 };
    rvm_labels l;
    rvm_problem *p = rows_of(rank * j->N / size, (rank + 1) * j->N / size, j->kinds, labels_of[1]);
    ck_assert_int_eq(rvm_shard_spread(&p, rank * j->N / size, team, &err), RVM_OK);
    rvm_study y = { .p = p };
    const rvm_spans spans = rvm_problem_spans(p);
    const size_t first = rvm_spans_first_row(&spans);
    size_t place[C];
    ck_assert_int_eq(rvm_labels_find(&l, p, &err), RVM_OK);
    ck_assert_uint_eq(l.count, C);
    y.observed.row_weight = calloc(p->rows + 1, sizeof(double));
    for (size_t n = 0; n < p->rows; n++)
        y.observed.row_weight[n] = 1 / (double)(abs((int)p->target[n]) + 1);
    ck_assert_int_eq(rvm_class_order(place, &y, &l, &err), RVM_OK);
    for (size_t k = 0; k < C; k++)
        ck_assert_uint_eq(place[k], j->place[k]);
    for (size_t n = 0; n < p->rows; n++) {
        ck_assert_uint_eq(y.class_of_row[n], j->alone.class_of_row[first + n]);
        ck_assert_double_eq(y.observed.row_weight[n], j->alone.observed.row_weight[first + n]);
    }
    rvm_labels_free(&l);
    study_end(&y);
}

/* Also where groups go through the rows of several processes, and some of these have no rows. */
START_TEST(teams_have_the_same_order)
    {
        static const size_t sizes[] = { 3000, 30000 };
        static const int teams[] = { 1, 2, 3, 7, 12 };
        for (size_t s = 0; s < 2; s++) {
            rvm_error err = { 0 };
            rvm_labels l;
            job j = { .N = sizes[s], .kinds = many_kinds[_i] };
            rvm_problem *file = rows_of(0, j.N, j.kinds, labels_of[1]);
            CHECK_OK(rvm_labels_find(&l, file, &err)); /* in the order of the file */
            j.alone = study_alone(j.N, j.kinds, labels_of[1]);
            CHECK_OK(rvm_class_order(j.place, &j.alone, &l, &err));
            for (size_t k = 0; k < sizeof teams / sizeof *teams; k++)
                team_threads_run(teams[k], order_in_team, &j);
            rvm_labels_free(&l);
            rvm_problem_free(file);
            study_end(&j.alone);
        }
    }
END_TEST

Suite *class_order_suite(void);
Suite *class_order_suite(void)
{
    Suite *s = suite_create("class_order");
    TCase *c = tcase_create("class_order");
    tcase_add_loop_test(c, order_by_its_definition, 0, KINDS);
    tcase_add_test(c, names_do_not_matter);
    tcase_add_loop_test(c, teams_have_the_same_order, 1, KINDS);
    suite_add_tcase(s, c);
    return s;
}
