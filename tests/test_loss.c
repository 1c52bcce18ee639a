/* loss.c: scores of predictions of rows left out, by hand. */
#include <check.h>
#include <math.h>

#include "problems.h"
#include "rvm.h"
#include "suites.h"

/* Targets 1, 2, 3, 4 predicted as 1, 3, 3, 2 with variance 1/2 and intervals of one on each side:
 * squared errors 0, 1, 0, 4, of which the last one is outside. -ln p is half of
 * ln(2 pi / 2) + 2 error^2, on average (ln(pi) + 2 * 5/4) / 2. */
START_TEST(outputs_by_hand)
    {
        rvm_problem *p = problem_from_text("1,2 1:1\n3,4 1:2\n", (rvm_grammar){ .outputs = true });
        double value[] = { 1, 3, 3, 2 }, variance[] = { 0.5, 0.5, 0.5, 0.5 };
        double low[] = { 0, 2, 2, 1 }, high[] = { 2, 4, 4, 3 };
        const rvm_prediction out = {
            .rows = 2, .outputs = 2, .value = value, .variance = variance, .low = low, .high = high
        };
        rvm_fold_score score;
        rvm_error err = { 0 };
        CHECK_OK(rvm_score_folds(&score, &out, p, &err));
        ck_assert_double_eq_tol(score.error, 1.25, 1e-15);
        ck_assert_double_eq_tol(score.log_loss, 0.5 * (log(M_PI) + 2.5), 1e-14);
        ck_assert_double_eq_tol(score.cover, 0.75, 1e-15);
        rvm_problem_free(p);
    }
END_TEST

/* Four rows of classes 7, 3, 9 (in that order), of which 9 has a single one: its fold does not know
 * it. The others have probability 1/2, 1/4 and 1/4: -ln p is 5 ln 2 / 3 on average. */
START_TEST(classes_by_hand)
    {
        rvm_problem *p = problem_from_text("7 1:1\n3 1:2\n9 1:3\n7 1:4\n",
                                           (rvm_grammar){ .class_labels = true });
        double value[] = { 7, 7, 3, 3 };
        double log_p[] = { log(0.5), log(0.25), log(0.25), log(0.5),  log(0.25), log(0.25),
                           log(0.5), log(0.5),  -INFINITY, log(0.25), log(0.5),  log(0.25) };
        const rvm_prediction out = {
            .rows = 4, .classes = 3, .outputs = 1, .value = value, .log_probability = log_p
        };
        rvm_fold_score score;
        rvm_error err = { 0 };
        CHECK_OK(rvm_score_folds(&score, &out, p, &err));
        ck_assert_double_eq_tol(score.error, 0.75, 1e-15);
        ck_assert_uint_eq(score.unseen, 1);
        ck_assert_double_eq_tol(score.log_loss, 5 * log(2) / 3, 1e-14);
        rvm_problem_free(p);
    }
END_TEST

Suite *loss_suite(void);
Suite *loss_suite(void)
{
    Suite *s = suite_create("loss");
    TCase *c = tcase_create("loss");
    tcase_add_test(c, outputs_by_hand);
    tcase_add_test(c, classes_by_hand);
    suite_add_tcase(s, c);
    return s;
}
