/* error.c: what ends up in an rvm_error. */
#include <check.h>
#include <string.h>

#include "base/error.h"
#include "problems.h"
#include "suites.h"

START_TEST(fault_without_a_place)
    {
        rvm_error err = { .line = 7, .column = 9 };

        ck_assert_int_eq(rvm_fail(&err, RVM_EIO, "%s of %d", "two", 3), RVM_EIO);
        ck_assert_int_eq(err.status, RVM_EIO);
        ck_assert_uint_eq(err.line, 0);
        ck_assert_uint_eq(err.column, 0);
        ck_assert_str_eq(err.message, "two of 3");
    }
END_TEST

START_TEST(fault_at_a_place)
    {
        rvm_error err = { 0 };

        ck_assert_int_eq(rvm_fail_at(&err, RVM_EINPUT, 12, 34, "blank line"), RVM_EINPUT);
        ck_assert_int_eq(err.status, RVM_EINPUT);
        ck_assert_uint_eq(err.line, 12);
        ck_assert_uint_eq(err.column, 34);
        ck_assert_str_eq(err.message, "blank line");
    }
END_TEST

START_TEST(long_message_is_cut)
    {
        rvm_error err = { 0 };
        char text[1000];

        memset(text, 'x', sizeof text - 1);
        text[sizeof text - 1] = '\0';
        ck_assert_int_eq(rvm_fail(&err, RVM_EMODEL, "%s", text), RVM_EMODEL);
        ck_assert_uint_eq(strlen(err.message), sizeof err.message - 1);
        ck_assert_uint_eq(strspn(err.message, "x"), sizeof err.message - 1);
    }
END_TEST

START_TEST(nobody_need_listen)
    {
        ck_assert_int_eq(rvm_fail(NULL, RVM_ENUMERIC, "%d", 1), RVM_ENUMERIC);
        ck_assert_int_eq(rvm_fail_at(NULL, RVM_EINPUT, 1, 1, "%d", 1), RVM_EINPUT);
        ck_assert_int_eq(rvm_fail_memory(NULL, "anything"), RVM_ENOMEM);
    }
END_TEST

static const char a_model[] = "rvm_model 1\ntask regression\nkernel_type linear\nnr_class 2\n"
                              "total_rv 1\nexamples 9\nnoise_variance 1\nnoise_fixed 1\n"
                              "log_evidence 0\nconverged 1\nfactor 1\nRV\n1 1 1:1\nend\n";

START_TEST(readers_fail_without_a_listener)
    {
        rvm_problem *p = NULL;
        rvm_reader *reader = NULL;
        rvm_model *m = NULL;
        rvm_scaling *scaling = NULL;
        FILE *rows = open_text("1 2:3 1:4\n"), *again = open_text("x 1:2\n");
        FILE *model = open_text("rvm_model 2\n"), *range = open_text("x\n1\n");

        ck_assert_int_eq(rvm_problem_read(&p, rows, (rvm_grammar){ 0 }, NULL), RVM_EINPUT);
        ck_assert_int_eq(rvm_reader_alloc(&reader, again, (rvm_grammar){ 0 }, NULL), RVM_OK);
        ck_assert_int_eq(rvm_reader_next(&p, reader, 1, NULL), RVM_EINPUT);
        ck_assert_int_eq(rvm_model_read(&m, model, NULL), RVM_EMODEL);
        ck_assert_int_ne(rvm_scaling_read(&scaling, range, NULL), RVM_OK);
        rvm_reader_free(reader);
        rvm_problem_free(p);
        fclose(rows);
        fclose(again);
        fclose(model);
        fclose(range);
    }
END_TEST

START_TEST(writers_fail_without_a_listener)
    {
        const rvm_scaling_limits limits = { .lower = 0, .upper = 1 };
        rvm_problem *p = problem_from_text("1 1:1\n2 1:3\n", (rvm_grammar){ 0 });
        rvm_model *m = NULL;
        rvm_scaling *scaling = NULL;
        rvm_scaling_counts counts;
        FILE *in = open_text(a_model), *full = fopen("/dev/full", "w");

        ck_assert_int_eq(rvm_model_read(&m, in, NULL), RVM_OK);
        ck_assert_int_eq(rvm_scaling_learn(&scaling, p, &limits, NULL), RVM_OK);
        if (full != NULL) {
            setvbuf(full, NULL, _IONBF, 0);
            ck_assert_int_eq(rvm_model_write(m, full, NULL), RVM_EIO);
            ck_assert_int_eq(rvm_scaling_write(scaling, full, NULL), RVM_EIO);
            ck_assert_int_eq(rvm_scaling_apply(&counts, scaling, p, full, NULL), RVM_EIO);
            fclose(full);
        }
        fclose(in);
        rvm_scaling_free(scaling);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(settings_fail_without_a_listener)
    {
        const rvm_scaling_limits limits = { .lower = 1, .upper = 0 };
        const rvm_predictor_settings of_predictor = { .interval = 2 };
        rvm_problem *p = problem_from_text("1 1:1\n2 1:3\n3 1:4\n", (rvm_grammar){ 0 });
        rvm_settings s = rvm_settings_default();
        rvm_trainer *trainer = NULL;
        rvm_predictor *predictor = NULL;
        rvm_model *m = NULL;
        rvm_scaling *scaling = NULL;
        rvm_prediction out = { 0 };
        bool finished = false;
        FILE *in = open_text(a_model);

        s.kernel.gamma = -1;
        ck_assert_int_eq(rvm_settings_set(&s, "nothing", "1", NULL), RVM_ESETTING);
        ck_assert_int_eq(rvm_settings_check(&s, p, NULL), RVM_ESETTING);
        ck_assert_int_eq(rvm_trainer_alloc(&trainer, p, &s, NULL), RVM_ESETTING);
        ck_assert_int_eq(rvm_train(&m, p, &s, NULL), RVM_ESETTING);
        ck_assert_int_eq(rvm_cross_validate(&out, &finished, p, &s, 2, NULL), RVM_ESETTING);
        ck_assert_int_eq(rvm_scaling_limits_check(&limits, NULL), RVM_ESETTING);
        ck_assert_int_eq(rvm_scaling_learn(&scaling, p, &limits, NULL), RVM_ESETTING);
        ck_assert_int_eq(rvm_model_read(&m, in, NULL), RVM_OK);
        ck_assert_int_eq(rvm_predictor_alloc(&predictor, m, &of_predictor, NULL), RVM_ESETTING);
        fclose(in);
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* Training, prediction and scaling of what leaves the range of finite numbers. */
START_TEST(numbers_out_of_range_fail_without_a_listener)
    {
        rvm_problem *p =
            problem_from_text("1 1:1e300\n1 1:-1e300\n2 1:1e299\n3 1:4e300\n", (rvm_grammar){ 0 });
        rvm_settings s = rvm_settings_default();
        rvm_model *m = NULL, *none = NULL;
        rvm_prediction out = { 0 };
        rvm_scaling *scaling = NULL;
        rvm_scaling_counts counts;
        bool finished = false;
        FILE *in = open_text(a_model), *range = open_text("x\n-1e308 1e308\n1 0 1\n");

        s.task = RVM_REGRESSION;
        s.kernel = (rvm_kernel){ .type = RVM_POLYNOMIAL, .degree = 9, .gamma = 1 };
        ck_assert_int_eq(rvm_train(&none, p, &s, NULL), RVM_ENUMERIC);
        ck_assert_int_eq(rvm_cross_validate(&out, &finished, p, &s, 2, NULL), RVM_ENUMERIC);
        ck_assert_int_eq(rvm_model_read(&m, in, NULL), RVM_OK);
        ck_assert_int_eq(rvm_predict(&out, m, p, false, NULL), RVM_ENUMERIC);
        ck_assert_int_eq(rvm_scaling_read(&scaling, range, NULL), RVM_OK);
        ck_assert_int_eq(rvm_scaling_apply(&counts, scaling, p, NULL, NULL), RVM_ENUMERIC);
        fclose(in);
        fclose(range);
        rvm_scaling_free(scaling);
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(no_memory_names_the_thing)
    {
        rvm_error err = { 0 };

        ck_assert_int_eq(rvm_fail_memory(&err, "the moon"), RVM_ENOMEM);
        ck_assert_int_eq(err.status, RVM_ENOMEM);
        ck_assert_str_eq(err.message, "out of memory for the moon");
    }
END_TEST

Suite *error_suite(void);
Suite *error_suite(void)
{
    Suite *suite = suite_create("error");
    TCase *tc = tcase_create("error");

    tcase_add_test(tc, fault_without_a_place);
    tcase_add_test(tc, fault_at_a_place);
    tcase_add_test(tc, long_message_is_cut);
    tcase_add_test(tc, nobody_need_listen);
    tcase_add_test(tc, readers_fail_without_a_listener);
    tcase_add_test(tc, writers_fail_without_a_listener);
    tcase_add_test(tc, settings_fail_without_a_listener);
    tcase_add_test(tc, numbers_out_of_range_fail_without_a_listener);
    tcase_add_test(tc, no_memory_names_the_thing);
    suite_add_tcase(suite, tc);
    return suite;
}
