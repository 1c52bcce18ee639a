/* parallel.c: how many threads, and work in pieces. */
#include <check.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "suites.h"

START_TEST(as_many_as_asked_for)
    {
        ck_assert_int_eq(rvm_threads(1), 1);
        ck_assert_int_eq(rvm_threads(3), 3);
        ck_assert_int_ge(rvm_threads(0), 1);
        ck_assert_int_eq(setenv("OMP_NUM_THREADS", "5", 1), 0);
        ck_assert_int_eq(rvm_threads(0), 5);
        ck_assert_int_eq(rvm_threads(2), 2);
        ck_assert_int_eq(setenv("OMP_NUM_THREADS", "99999999999999999999", 1), 0);
        ck_assert_int_le(rvm_threads(0), RVM_THREADS_MAX);
        ck_assert_int_ge(rvm_threads(0), 1);
        ck_assert_int_eq(setenv("OMP_NUM_THREADS", "many", 1), 0);
        ck_assert_int_ge(rvm_threads(0), 1);
    }
END_TEST

enum { PIECES = 997, THREADS = 4 };

/* The lock of the crew is what orders the counts of one worker; pieces are nobody else's. */
typedef struct {
    int times[PIECES];
    size_t by_worker[THREADS];
    bool busy[THREADS];
    size_t fails_from;
} tally;

static rvm_status count_piece(void *context, size_t number, int worker, rvm_error *err)
{
    tally *t = context;
    ck_assert(worker >= 0 && worker < THREADS && number < PIECES);
    ck_assert(!t->busy[worker]); /* nobody else is that worker */
    t->busy[worker] = true;
    t->times[number]++;
    t->by_worker[worker]++;
    for (volatile int spin = 0; spin < 2000; spin++)
        ;
    t->busy[worker] = false;
    if (number < t->fails_from)
        return RVM_OK;
    *err = (rvm_error){ .status = RVM_ENUMERIC, .line = number };
    return RVM_ENUMERIC;
}

START_TEST(every_piece_once)
    {
        const int threads = _i;
        tally t = { .fails_from = PIECES };
        size_t sum = 0;
        ck_assert_int_eq(rvm_share(PIECES, count_piece, &t, threads, NULL), RVM_OK);
        for (size_t k = 0; k < PIECES; k++)
            ck_assert_int_eq(t.times[k], 1);
        for (int w = 0; w < THREADS; w++)
            sum += t.by_worker[w];
        ck_assert_uint_eq(sum, PIECES);
        ck_assert_int_eq(rvm_share(0, count_piece, &t, threads, NULL), RVM_OK);
    }
END_TEST

/* Many of them, so that threads which come late find the work of their own crew done, and no other
 * one's. */
START_TEST(crews_do_not_mix)
    {
        for (int turn = 0; turn < 300; turn++) {
            tally t = { .fails_from = PIECES };
            const size_t count = 1 + (size_t)turn % 7;
            ck_assert_int_eq(rvm_share(count, count_piece, &t, THREADS, NULL), RVM_OK);
            for (size_t k = 0; k < PIECES; k++)
                ck_assert_int_eq(t.times[k], k < count);
        }
    }
END_TEST

START_TEST(the_first_fault_counts)
    {
        for (int threads = 1; threads <= THREADS; threads++) {
            tally t = { .fails_from = 40 };
            rvm_error err = { 0 };
            ck_assert_int_eq(rvm_share(PIECES, count_piece, &t, threads, &err), RVM_ENUMERIC);
            ck_assert_uint_eq(err.line, 40);
            for (size_t k = 0; k < PIECES; k++)
                ck_assert_int_eq(t.times[k], k <= 40 ? 1 : t.times[k]);
            ck_assert_int_eq(t.times[PIECES - 1], 0); /* the rest is left undone */
        }
    }
END_TEST

/* Pieces that share work themselves. */
static rvm_status nested_piece(void *context, size_t number, int worker, rvm_error *err)
{
    tally *t = (tally *)context + number;
    (void)worker;
    return rvm_share(PIECES, count_piece, t, THREADS, err);
}

START_TEST(pieces_may_share_too)
    {
        static const tally none = { .fails_from = PIECES };
        tally *t = calloc(3, sizeof *t);
        ck_assert_ptr_nonnull(t);
        for (int i = 0; i < 3; i++)
            t[i] = none;
        ck_assert_int_eq(rvm_share(3, nested_piece, t, 2, NULL), RVM_OK);
        for (int i = 0; i < 3; i++)
            for (size_t k = 0; k < PIECES; k++)
                ck_assert_int_eq(t[i].times[k], 1);
        free(t);
    }
END_TEST

Suite *parallel_suite(void);
Suite *parallel_suite(void)
{
    Suite *s = suite_create("parallel");
    TCase *c = tcase_create("parallel");
    tcase_add_test(c, as_many_as_asked_for);
    tcase_add_loop_test(c, every_piece_once, 1, THREADS + 1);
    tcase_add_test(c, crews_do_not_mix);
    tcase_add_test(c, the_first_fault_counts);
    tcase_add_test(c, pieces_may_share_too);
    suite_add_tcase(s, c);
    return s;
}
