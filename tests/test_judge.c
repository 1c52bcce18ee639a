/* What a race makes of rows that were left out: paired differences by hand, losses by the formulas of
 * rvm-model(5), and rows of which nothing is known. */
#include <math.h>

#include "problems.h"
#include "product/judge.h"

enum { ROWS = 60, FOLDS = 5 };

static rvm_status train_fold(rvm_model **out, rvm_report *last, const rvm_problem *p,
                             const rvm_settings *s, rvm_error *err)
{
    *last = (rvm_report){ .done = true };
    return rvm_train(out, p, s, err);
}

/* The first `limit` folds. */
static rvm_crossval *folds_of(const rvm_problem *p, const rvm_settings *s, size_t limit)
{
    rvm_crossval *v = NULL;
    rvm_error err = { 0 };
    bool done = false;
    CHECK_OK(rvm_crossval_alloc(&v, p, s, FOLDS, train_fold, true, &err));
    rvm_crossval_limit(v, limit);
    while (!done)
        CHECK_OK(rvm_crossval_step(&done, v, &err));
    return v;
}

/* Differences 0.5, 1.5 and 0.75 of the rows that both have: mean 11/12, squares about it 13/24, and
 * (13/24 / 2 / 3)^1/2. */
START_TEST(paired_differences)
    {
        const double a[] = { 1, 2.5, NAN, 4, 7, NAN }, b[] = { 0.5, 1, 3, NAN, 6.25, NAN };
        double mean = 0, error = 0;
        ck_assert(rvm_judge_compare(&mean, &error, a, b, 6));
        check_close(mean, 11.0 / 12, 1e-15);
        check_close(error, sqrt(13.0 / 144), 1e-15);
        ck_assert(rvm_judge_compare(&mean, &error, b, a, 6));
        check_close(mean, -11.0 / 12, 1e-15);
        ck_assert(rvm_judge_compare(&mean, &error, a, a, 6));
        ck_assert(mean == 0 && error == 0);
    }
END_TEST

START_TEST(too_few_pairs)
    {
        const double a[] = { 1, NAN, 3 }, b[] = { 4, 5, NAN };
        double mean = 17, error = 18;
        ck_assert(!rvm_judge_compare(&mean, &error, a, b, 3));
        ck_assert(!rvm_judge_compare(&mean, &error, a, b, 0));
        ck_assert(rvm_judge_compare(&mean, &error, b, b, 3));
    }
END_TEST

/* Of 1e6 +- 1/2: the mean of the squares less the square of the mean would be rounding. */
START_TEST(differences_far_from_zero)
    {
        double a[1000], b[1000], mean, error;
        for (size_t n = 0; n < 1000; n++) {
            b[n] = 0;
            a[n] = 1e6 + (n % 2 == 0 ? 0.5 : -0.5);
        }
        ck_assert(rvm_judge_compare(&mean, &error, a, b, 1000));
        check_close(mean, 1e6, 1e-15);
        check_close(error, 0.5 / sqrt(999), 1e-6);
    }
END_TEST

/* Rows of folds to come are nan, and the mean of the others is what info says. */
START_TEST(some_folds_of_a_regression)
    {
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 1);
        rvm_problem *p = weyl_problem(ROWS, RVM_REGRESSION);
        rvm_calibration_info info;
        rvm_error err = { 0 };
        double loss[ROWS], sum = 0, square = 0;
        size_t count = 0;
        rvm_crossval *v = folds_of(p, &s, 2);
        const rvm_prediction *out = rvm_crossval_prediction(v);
        CHECK_OK(rvm_judge_folds(&info, loss, v, p, &s, &err));
        for (size_t n = 0; n < ROWS; n++) {
            ck_assert_int_eq(isnan(loss[n]), rvm_crossval_fold_of(v, n) >= 2);
            if (isnan(loss[n]))
                continue;
            count++;
            sum += loss[n];
            square += gsl_pow_2(p->target[n] - out->value[n]);
        }
        ck_assert_uint_eq(count, info.rows);
        ck_assert_uint_eq(count, 2 * ROWS / FOLDS);
        check_close(sum / (double)count, info.loss, 1e-12);
        check_close(square / (double)count, info.error, 1e-12);
        rvm_crossval_free(v);
        rvm_problem_free(p);
    }
END_TEST

/* P = pi (p / pi)^(1/T) over its sum; rows of class 1 count three times. One row has a class of its own,
 * which its fold has never seen. */
START_TEST(classes_by_formula)
    {
        rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 1);
        const rvm_class_weight heavy = { 1, 3 };
        rvm_problem *p = weyl_problem(ROWS, RVM_CLASSIFICATION);
        rvm_calibration_info info;
        rvm_error err = { 0 };
        double loss[ROWS], sum = 0, weights = 0, share[3] = { 0 };
        size_t wrong = 0;
        s.class_weights = &heavy;
        s.class_weight_count = 1;
        p->target[17] = 9;
        rvm_crossval *v = folds_of(p, &s, FOLDS);
        const rvm_prediction *out = rvm_crossval_prediction(v);
        ck_assert_uint_eq(out->classes, 3);
        CHECK_OK(rvm_judge_folds(&info, loss, v, p, &s, &err));
        /* Classes in the order of their first rows. */
        size_t of_row[ROWS], classes = 0;
        double label[3];
        for (size_t n = 0; n < ROWS; n++) {
            size_t c = 0;
            while (c < classes && label[c] != p->target[n])
                c++;
            if (c == classes)
                label[classes++] = p->target[n];
            of_row[n] = c;
            share[c] += p->target[n] == 1 ? 1 : 1.0 / 3;
        }
        const double total = share[0] + share[1] + share[2];
        for (size_t n = 0; n < ROWS; n++) {
            const double weight = p->target[n] == 1 ? 1 : 1.0 / 3;
            double P[3], Z = 0;
            size_t best = 0;
            for (size_t c = 0; c < 3; c++) {
                const double pi = share[c] / total, q = out->probability[3 * n + c];
                P[c] = pi * pow(q / pi, 1 / info.temperature);
                Z += P[c];
                best = P[c] > P[best] ? c : best;
            }
            wrong += best != of_row[n];
            if (n == 17) {
                ck_assert(out->probability[3 * n + of_row[n]] == 0);
                check_close(loss[n], 0, 0);
                continue;
            }
            check_close(loss[n], -weight * log(P[of_row[n]] / Z), 1e-9);
            sum += loss[n];
            weights += weight;
        }
        check_close(info.loss, sum / weights, 1e-12);
        check_close(info.error, (double)wrong / ROWS, 1e-12);
        rvm_crossval_free(v);
        rvm_problem_free(p);
    }
END_TEST

/* The density of an output that is the same in all rows has no bound, and counts for nothing. */
START_TEST(constant_output)
    {
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 1);
        rvm_problem *p = weyl_problem(ROWS, RVM_REGRESSION), *q = empty_problem();
        rvm_calibration_info info;
        rvm_error err = { 0 };
        double alone[ROWS], loss[ROWS];
        for (size_t n = 0; n < ROWS; n++) {
            const double target[] = { p->target[n], -4 };
            ck_assert(rvm_problem_append_outputs(q, target, 2, p->index + p->start[n],
                                                 p->value + p->start[n],
                                                 p->start[n + 1] - p->start[n]));
        }
        rvm_crossval *v = folds_of(p, &s, FOLDS), *w = folds_of(q, &s, FOLDS);
        CHECK_OK(rvm_judge_folds(&info, alone, v, p, &s, &err));
        CHECK_OK(rvm_judge_folds(&info, loss, w, q, &s, &err));
        for (size_t n = 0; n < ROWS; n++)
            ck_assert_msg(fabs(loss[n]) < 5, "%zu: %g, alone %g", n, loss[n], alone[n]);
        rvm_crossval_free(v);
        rvm_crossval_free(w);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

Suite *judge_suite(void);
Suite *judge_suite(void)
{
    Suite *suite = suite_create("judge");
    TCase *tc = tcase_create("judge");

    tcase_add_test(tc, paired_differences);
    tcase_add_test(tc, too_few_pairs);
    tcase_add_test(tc, differences_far_from_zero);
    tcase_add_test(tc, some_folds_of_a_regression);
    tcase_add_test(tc, classes_by_formula);
    tcase_add_test(tc, constant_output);
    suite_add_tcase(suite, tc);
    return suite;
}
