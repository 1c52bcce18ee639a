/* batch.c: which searches begin, and what is an error of all of them. */
#include "search/batch.h"
#include "suites.h"

typedef struct {
    int begun[RVM_BATCH];         /* 1 + number of the search at each place; 0: none */
    rvm_status ending[RVM_BATCH]; /* of the search at each place */
} log_book;

static rvm_status search(void *context, size_t place, int number, int worker, rvm_error *err)
{
    log_book *l = context;
    (void)worker;
    l->begun[place] = 1 + number;
    return l->ending[place] == RVM_OK ? RVM_OK : rvm_fail(err, l->ending[place], "%d", number);
}

START_TEST(numbers_go_on_from_batch_to_batch)
    {
        log_book l = { .ending = { RVM_OK } };
        rvm_batch b;
        rvm_error err = { 0 };
        rvm_batch_run(&b, 4, 3, search, &l, _i, NULL);
        ck_assert_int_eq(b.count, 3);
        for (int k = 0; k < RVM_BATCH; k++)
            ck_assert_int_eq(l.begun[k], k < 3 ? 5 + k : 0);
        ck_assert_int_eq(rvm_batch_status(&b, false, &err), RVM_OK);
    }
END_TEST

/* Lost searches matter where there is nothing else; want of memory does always, and comes first. */
START_TEST(losses_and_want_of_memory)
    {
        log_book l = { .ending = { RVM_ENUMERIC, RVM_OK, RVM_ENUMERIC } };
        rvm_batch b;
        rvm_error err = { 0 };
        rvm_batch_run(&b, 0, 3, search, &l, 2, NULL);
        ck_assert_int_eq(rvm_batch_status(&b, true, &err), RVM_OK);
        ck_assert_int_eq(rvm_batch_status(&b, false, &err), RVM_ENUMERIC);
        ck_assert_str_eq(err.message, "0");
        l.ending[2] = RVM_ENOMEM;
        rvm_batch_run(&b, 0, 3, search, &l, 2, NULL);
        ck_assert_int_eq(rvm_batch_status(&b, true, &err), RVM_ENOMEM);
        ck_assert_str_eq(err.message, "2");
    }
END_TEST

START_TEST(after_an_interrupt_the_first_search_alone)
    {
        const volatile int interrupted = 1;
        log_book l = { .ending = { RVM_OK } };
        rvm_batch b;
        rvm_error err = { 0 };
        rvm_batch_run(&b, 0, RVM_BATCH, search, &l, 1, &interrupted);
        ck_assert_int_eq(l.begun[0], 1);
        for (int k = 1; k < RVM_BATCH; k++) {
            ck_assert_int_eq(l.begun[k], 0);
            ck_assert_int_eq(b.status[k], RVM_EINTERRUPT);
        }
        ck_assert_int_eq(rvm_batch_status(&b, true, &err), RVM_OK);
        rvm_batch_run(&b, 4, 2, search, &l, 1, &interrupted);
        ck_assert_int_eq(rvm_batch_status(&b, false, &err), RVM_EINTERRUPT);
    }
END_TEST

Suite *batch_suite(void)
{
    Suite *s = suite_create("batch");
    TCase *c = tcase_create("batch");
    tcase_add_loop_test(c, numbers_go_on_from_batch_to_batch, 1, 4);
    tcase_add_test(c, losses_and_want_of_memory);
    tcase_add_test(c, after_an_interrupt_the_first_search_alone);
    suite_add_tcase(s, c);
    return s;
}
