/* Cross-validation: against training and predicting by hand, and what folds must keep. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/order.h"
#include "data/problem.h"
#include "data/shard.h"
#include "problems.h"
#include "product/crossval.h"
#include "product/score.h"
#include "product/trainer.h"
#include "rvm.h"
#include "team_threads.h"

/* A wave with scattered noise, or its sign as a class. */
static rvm_problem *wave(size_t N, rvm_task task)
{
    rvm_problem *p = rvm_problem_alloc();
    const int index = 1;

    ck_assert_ptr_nonnull(p);
    for (size_t i = 0; i < N; i++) {
        const double x = 6.0 * (double)i / (double)N, t = sin(2 * x) + 0.3 * sin(97.0 * (double)i);

        ck_assert(rvm_problem_append(p,
                                     task == RVM_REGRESSION ? t
                                     : t > 0                ? 1
                                                            : -1,
                                     &index, &x, 1));
    }
    return p;
}

static rvm_prediction validate(const rvm_problem *p, const rvm_settings *s, size_t folds)
{
    rvm_prediction out = { 0 };
    rvm_error err = { 0 };
    bool finished = false;

    ck_assert_msg(rvm_cross_validate(&out, &finished, p, s, folds, &err) == RVM_OK, "%s",
                  err.message);
    ck_assert(finished);
    ck_assert_uint_eq(out.rows, p->rows);
    return out;
}

static bool same(const rvm_prediction *a, const rvm_prediction *b)
{
    return a->rows == b->rows && memcmp(a->value, b->value, a->rows * sizeof *a->value) == 0 &&
           memcmp(a->variance, b->variance, a->rows * sizeof *a->variance) == 0;
}

/* The prediction of row i by a model of all others. */
static void predict_one(rvm_prediction *out, const rvm_problem *p, size_t i, const rvm_settings *s)
{
    size_t *others = malloc(p->rows * sizeof *others), n = 0;
    rvm_model *m = NULL;
    rvm_error err = { 0 };

    ck_assert_ptr_nonnull(others);
    for (size_t j = 0; j < p->rows; j++)
        if (j != i)
            others[n++] = j;
    rvm_problem *rest = rvm_problem_subset(p, others, n), *one = rvm_problem_subset(p, &i, 1);
    ck_assert_msg(rvm_train(&m, rest, s, &err) == RVM_OK, "%s", err.message);
    ck_assert_int_eq(rvm_predict(out, m, one, false, &err), RVM_OK);
    rvm_model_free(m);
    rvm_problem_free(rest);
    rvm_problem_free(one);
    free(others);
}

/* As many folds as rows (a larger number counts as that): every row by the model of all others. */
START_TEST(leaving_one_out_is_what_it_says)
    {
        const rvm_task task = _i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION;
        const rvm_settings s = settings_for(task, RVM_RBF, 0.5);
        rvm_problem *p = wave(12, task);
        rvm_prediction out = validate(p, &s, 100), one = { 0 };

        for (size_t i = 0; i < p->rows; i++) {
            predict_one(&one, p, i, &s);
            ck_assert_double_eq(out.value[i], one.value[0]);
            ck_assert_double_eq(out.variance[i], one.variance[0]);
        }
        rvm_prediction_free(&out);
        rvm_prediction_free(&one);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(folds_depend_on_the_seed_alone)
    {
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_problem *p = wave(40, RVM_REGRESSION);
        rvm_prediction first = validate(p, &s, 5), again = validate(p, &s, 5);

        ck_assert(same(&first, &again));
        rvm_prediction_free(&again);
        s.threads = 2;
        again = validate(p, &s, 5);
        ck_assert(same(&first, &again));
        rvm_prediction_free(&again);
        s.seed = 2;
        again = validate(p, &s, 5);
        ck_assert(!same(&first, &again));
        rvm_prediction_free(&again);
        rvm_prediction_free(&first);
        rvm_problem_free(p);
    }
END_TEST

/* gamma 0 is 1 / the largest index of all rows, and not of those that a fold happens to have:
 * only one row has feature 50. */
START_TEST(gamma_comes_from_all_rows)
    {
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_problem *p = wave(12, RVM_REGRESSION);
        const int index = 50;
        const double value = 0.001;

        ck_assert(rvm_problem_append(p, 0.5, &index, &value, 1));
        s.kernel.gamma = 0;
        rvm_prediction by_default = validate(p, &s, 20);
        s.kernel.gamma = 1.0 / 50;
        rvm_prediction given = validate(p, &s, 20);
        ck_assert(same(&by_default, &given));
        rvm_prediction_free(&by_default);
        rvm_prediction_free(&given);
        rvm_problem_free(p);
    }
END_TEST

/* Rows 0 and 1 are of class 9, the others of class 4; the features tell them apart. */
static rvm_problem *rare_class(size_t rare, size_t others)
{
    rvm_problem *p = rvm_problem_alloc();
    const int index = 1;

    ck_assert_ptr_nonnull(p);
    for (size_t i = 0; i < rare + others; i++) {
        const double x = i < rare ? 3 + (double)i : -(double)i / 10;

        ck_assert(rvm_problem_append(p, i < rare ? 9 : 4, &index, &x, 1));
    }
    return p;
}

/* Every class is in each training part of two folds, whatever the seed: no probability is 0. */
static void check_stratified(const rvm_problem *p, size_t classes, unsigned long seeds)
{
    rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);

    for (s.seed = 1; s.seed <= seeds; s.seed++) {
        rvm_prediction out = validate(p, &s, 2);

        ck_assert_uint_eq(out.classes, classes);
        for (size_t i = 0; i < out.rows * out.classes; i++)
            ck_assert_double_gt(out.probability[i], 0);
        rvm_prediction_free(&out);
    }
}

/* Two rows of a class in two folds: stratified, each training part has one of them, so that no
 * probability is exactly 0.  Unstratified they would share a fold in 4 of 9 draws. */
START_TEST(folds_are_stratified)
    {
        rvm_problem *p = rare_class(2, 8);

        check_stratified(p, 2, 12);
        rvm_problem_free(p);
    }
END_TEST

/* The only row of class 9 is predicted by a model that never saw it.  Columns stand in the order of
 * the whole problem's classes: 9, which comes first, then 4. */
START_TEST(a_part_may_lack_a_class)
    {
        const rvm_class_weight weights[] = { { 9, 2.0 }, { 4, 0.5 }, { 123, 3.0 } };
        rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
        rvm_problem *p = rare_class(1, 8);

        s.class_weights = weights;
        s.class_weight_count = 3;
        rvm_prediction out = validate(p, &s, 3);
        ck_assert_double_eq(out.value[0], 4);
        ck_assert_double_eq(out.probability[0], 0);
        ck_assert_double_eq(out.probability[1], 1);
        ck_assert(isinf(out.log_probability[0]) && out.log_probability[0] < 0);
        ck_assert_double_eq(out.log_probability[1], 0);
        for (size_t i = 1; i < out.rows; i++)
            ck_assert_double_eq_tol(out.probability[2 * i] + out.probability[2 * i + 1], 1, 1e-15);
        rvm_prediction_free(&out);
        rvm_problem_free(p);
    }
END_TEST

/* `rows` rows of class 9, then 2 of class 4 and 8 of class 6, each class at its own place. */
static rvm_problem *three_classes(size_t rows)
{
    rvm_problem *p = rvm_problem_alloc();
    const int index = 1;

    ck_assert_ptr_nonnull(p);
    for (size_t i = 0; i < rows + 10; i++) {
        const int label = i < rows ? 9 : i < rows + 2 ? 4 : 6;
        const double x = 3 * label + (double)i / 10;

        ck_assert(rvm_problem_append(p, label, &index, &x, 1));
    }
    return p;
}

START_TEST(folds_of_three_classes_are_stratified)
    {
        rvm_problem *p = three_classes(2);

        check_stratified(p, 3, 6);
        rvm_problem_free(p);
    }
END_TEST

/* Class 9 has one row, so its fold is predicted by a model of the two others;
 * columns stay 9, 4, 6. */
START_TEST(a_part_may_lack_one_of_three)
    {
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
        rvm_problem *p = three_classes(1);
        rvm_prediction out = validate(p, &s, 2);
        size_t lacking = 0;

        ck_assert_double_eq(out.probability[0], 0);
        for (size_t i = 0; i < out.rows; i++) {
            const double *q = out.probability + 3 * i;

            ck_assert_double_eq_tol(q[0] + q[1] + q[2], 1, 1e-12);
            lacking += q[0] == 0;
            if (i > 2) { /* the large class is the most probable one of its own rows */
                ck_assert_double_eq(out.value[i], 6);
                ck_assert(q[2] > q[0] && q[2] > q[1]);
            }
        }
        ck_assert(lacking > 0 && lacking < out.rows);
        rvm_prediction_free(&out);
        rvm_problem_free(p);
    }
END_TEST

/* N rows, each of a class of its own. */
static rvm_problem *single_rows(size_t N)
{
    rvm_problem *p = rvm_problem_alloc();
    const int index = 1;

    ck_assert_ptr_nonnull(p);
    for (size_t i = 0; i < N; i++) {
        const double x = (double)i;

        ck_assert(rvm_problem_append(p, (double)i + 1, &index, &x, 1));
    }
    return p;
}

/* Every row has probability 0, in its own fold as in no other: so many classes have that in a row
 * as there are rows in its fold, which are the same in each, or one more. */
START_TEST(single_rows_are_spread_over_the_folds)
    {
        static const size_t rows[] = { 3, 9, 7 }, folds[] = { 2, 3, 5 };
        const size_t N = rows[_i], F = folds[_i];
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
        rvm_problem *p = single_rows(N);
        rvm_prediction out = validate(p, &s, F);

        ck_assert_uint_eq(out.classes, N);
        for (size_t i = 0; i < N; i++) {
            size_t lacking = 0;

            ck_assert_double_eq(out.probability[i * N + i], 0);
            ck_assert(out.value[i] != p->target[i]);
            for (size_t k = 0; k < N; k++)
                lacking += out.probability[i * N + k] == 0;
            ck_assert(lacking == N / F || lacking == N / F + (N % F != 0));
        }
        rvm_prediction_free(&out);
        rvm_problem_free(p);
    }
END_TEST

/* In regression each row has its 90 % interval: 1.6448536 standard deviations on each side. */
START_TEST(rows_have_their_intervals)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_problem *p = wave(30, RVM_REGRESSION);
        rvm_prediction out = validate(p, &s, 3);

        for (size_t i = 0; i < out.rows; i++) {
            const double reach = 1.6448536269514722 * sqrt(out.variance[i]);

            ck_assert_double_eq_tol(out.low[i], out.value[i] - reach, 1e-9);
            ck_assert_double_eq_tol(out.high[i], out.value[i] + reach, 1e-9);
        }
        rvm_prediction_free(&out);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(what_cannot_be_cut_is_refused)
    {
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_problem *p = wave(12, RVM_REGRESSION), *one = wave(1, RVM_REGRESSION);
        rvm_prediction out = { 0 };
        rvm_error err = { 0 };
        bool finished = false;

        ck_assert_int_eq(rvm_cross_validate(&out, &finished, p, &s, 1, &err), RVM_ESETTING);
        ck_assert_ptr_nonnull(strstr(err.message, "n must >= 2"));
        ck_assert_int_eq(rvm_cross_validate(&out, &finished, one, &s, 2, &err), RVM_ESETTING);
        s.kernel.gamma = -1;
        ck_assert_int_eq(rvm_cross_validate(&out, &finished, p, &s, 2, &err), RVM_ESETTING);
        rvm_prediction_free(&out);
        rvm_problem_free(p);
        rvm_problem_free(one);
    }
END_TEST

/* A row that only its own fold cannot predict, with a feature that is far beyond those of others. */
START_TEST(a_fault_is_at_a_row_of_the_file)
    {
        const size_t N = 12, far = 7;
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_problem *p = rvm_problem_alloc();
        rvm_prediction out = { 0 };
        rvm_error err = { 0 };
        bool finished = false;
        s.kernel.type = RVM_NO_KERNEL;
        s.bias = false;
        s.linear = true;
        s.threads = 1;
        ck_assert_ptr_nonnull(p);
        for (size_t i = 0; i < N; i++) {
            const double x = i == far ? 1e150 : 1e-150 * (double)(i + 1);
            const int index = 1;
            ck_assert(rvm_problem_append(p, (double)(i + 1) + 0.1 * sin((double)i), &index, &x, 1));
        }
        ck_assert_int_eq(rvm_cross_validate(&out, &finished, p, &s, 4, &err), RVM_ENUMERIC);
        ck_assert_uint_eq(err.line, far + 1);
        rvm_prediction_free(&out);
        rvm_problem_free(p);
    }
END_TEST

/* A row and its copy are in one fold, so that one model predicts both, to the last bit; where more than
 * half of the rows are copies they are dealt like all rows. */
START_TEST(copies_are_left_out_together)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_problem *p = empty_problem(), *few = empty_problem();
        size_t apart = 0;
        for (int n = 0; n < 50; n++) {
            const double x = 0.1 * (n % 30), y = n % 5; /* rows 30 .. 49 are copies */
            append_dense(p, sin(3 * x) + 0.01 * (n % 30 % 7), &x, 1);
            append_dense(few, y, &y, 1);
        }
        rvm_prediction out = validate(p, &s, 5), other = validate(few, &s, 5);
        for (size_t n = 30; n < 50; n++)
            ck_assert_double_eq(out.value[n], out.value[n - 30]);
        for (size_t n = 5; n < 50; n++)
            apart += other.value[n] != other.value[n % 5];
        ck_assert_uint_gt(apart, 0);
        rvm_prediction_free(&out);
        rvm_prediction_free(&other);
        rvm_problem_free(p);
        rvm_problem_free(few);
    }
END_TEST

/* ---- Some folds at a time -------------------------------------------------------------------- */

/* A model as ever; its noise counts as held where the number of rows is odd. */
static rvm_status train_odd(rvm_model **out, rvm_report *last, const rvm_problem *p,
                            const rvm_settings *s, rvm_error *err)
{
    last->noise_at_bound = p->rows % 2 == 1;
    return rvm_train(out, p, s, err);
}

static rvm_crossval *begin_folds(const rvm_problem *p, const rvm_settings *s, size_t folds)
{
    rvm_crossval *v = NULL;
    rvm_error err = { 0 };
    ck_assert_int_eq(rvm_crossval_alloc(&v, p, s, folds, train_odd, false, &err), RVM_OK);
    return v;
}

static void run_to_limit(rvm_crossval *v, size_t limit)
{
    rvm_error err = { 0 };
    bool done = false;
    rvm_crossval_limit(v, limit);
    while (!done)
        ck_assert_int_eq(rvm_crossval_step(&done, v, &err), RVM_OK);
}

/* Vectors of the model of all rows that are not in fold i; the rows of fold i are predicted as it
 * predicts them. */
static double check_fold(const rvm_crossval *v, const rvm_problem *p, const rvm_settings *s,
                         size_t i)
{
    size_t inside[64], outside[64], n = 0, others = 0;
    rvm_error err = { 0 };
    rvm_model *m = NULL;
    rvm_prediction out = { 0 };
    for (size_t r = 0; r < p->rows; r++)
        if (rvm_crossval_fold_of(v, r) == i)
            inside[n++] = r;
        else
            outside[others++] = r;
    rvm_problem *rest = rvm_problem_subset(p, outside, others);
    rvm_problem *held_out = rvm_problem_subset(p, inside, n);
    ck_assert_int_eq(rvm_train(&m, rest, s, &err), RVM_OK);
    ck_assert_int_eq(rvm_predict(&out, m, held_out, false, &err), RVM_OK);
    for (size_t r = 0; r < n; r++)
        ck_assert_double_eq(out.value[r], rvm_crossval_prediction(v)->value[inside[r]]);
    const double vectors = (double)rvm_model_describe(m).vectors;
    rvm_prediction_free(&out);
    rvm_problem_free(rest);
    rvm_problem_free(held_out);
    rvm_model_free(m);
    return vectors;
}

/* 11 rows in 3 folds are 3, 4 and 4, which leaves 8, 7 and 7. What is predicted of the folds so far, and
 * said of their models, is that of models trained by hand. */
START_TEST(folds_come_some_at_a_time)
    {
        const rvm_task task = _i < 2 ? RVM_REGRESSION : RVM_CLASSIFICATION;
        rvm_settings s = settings_for(task, RVM_RBF, 0.5);
        rvm_problem *p = wave(11, task);
        s.threads = _i % 2 == 0 ? 1 : 3;
        rvm_crossval *v = begin_folds(p, &s, 3);
        double vectors = 0;
        ck_assert_double_eq(rvm_crossval_vectors(v), 0);
        ck_assert_double_eq(rvm_crossval_at_bound(v), 0);
        for (size_t folds = 1; folds <= 3; folds++) {
            run_to_limit(v, folds);
            ck_assert_uint_eq(rvm_crossval_finished(v), folds);
            ck_assert_uint_eq(rvm_crossval_folds(v), folds);
            vectors += check_fold(v, p, &s, folds - 1);
            ck_assert_double_eq_tol(rvm_crossval_vectors(v), vectors / (double)folds, 1e-14);
            if (task == RVM_REGRESSION)
                ck_assert_double_eq_tol(rvm_crossval_at_bound(v),
                                        ((double)folds - 1) / (double)folds, 1e-14);
        }
        run_to_limit(v, 5); /* there are no more: nothing happens */
        ck_assert_uint_eq(rvm_crossval_finished(v), 3);
        ck_assert_uint_eq(rvm_crossval_folds(v), 3);
        run_to_limit(v, 1); /* those that are there stay */
        ck_assert_uint_eq(rvm_crossval_finished(v), 3);
        rvm_crossval_free(v);
        rvm_problem_free(p);
    }
END_TEST

/* A line without noise ends at the bound in each fold, one with noise in none: by the training that
 * the library has for its own folds. */
START_TEST(folds_know_of_their_noise)
    {
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_NO_KERNEL, 0);
        rvm_problem *p = rvm_problem_alloc();
        rvm_trainer *tr = NULL;
        rvm_crossval *v = NULL;
        rvm_error err = { 0 };
        const int index = 1;
        bool done = false;
        s.linear = true;
        for (int n = 0; n < 40; n++) {
            const double x = 0.1 * n, noise = _i == 0 ? 0 : 0.3 * sin(97.0 * n);
            ck_assert(rvm_problem_append(p, 2 * x + 1 + noise, &index, &x, 1));
        }
        ck_assert_int_eq(rvm_trainer_alloc(&tr, p, &s, &err), RVM_OK);
        ck_assert_int_eq(rvm_crossval_alloc(&v, p, &s, 4, tr->train, false, &err), RVM_OK);
        while (!done)
            ck_assert_int_eq(rvm_crossval_step(&done, v, &err), RVM_OK);
        ck_assert_double_eq(rvm_crossval_at_bound(v), _i == 0 ? 1 : 0);
        ck_assert_double_eq(rvm_crossval_vectors(v), 0);
        rvm_crossval_free(v);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Many rows ------------------------------------------------------------------------------- */

enum { MANY = 9001, FOLDS = 3 };

/* Every 60th row of all, in canonical order, by each process alone: what it is trained on is
 * nearly all that there is to see in a second. */
static rvm_status train_some(rvm_model **out, rvm_report *last, const rvm_problem *p,
                             const rvm_settings *s, rvm_error *err)
{
    const size_t all = rvm_problem_all(p), count = all / 60;
    size_t *order = NULL, *row = calloc(count, sizeof *row);
    rvm_problem *some = NULL;
    rvm_settings own = *s;
    own.restarts = 1;
    own.threads = 1;
    for (size_t k = 0; k < count; k++)
        row[k] = 60 * k;
    rvm_status status = rvm_order_rows(&order, p, err);
    if (status == RVM_OK)
        status = rvm_shard_pick(&some, p, p->team == NULL ? order : NULL, row, count, err);
    if (status == RVM_OK)
        status = rvm_train(out, some, &own, err);
    last->noise_at_bound = all % 2 == 1;
    rvm_problem_free(some);
    free(order);
    free(row);
    return status;
}

/* Rows first .. end - 1 of a file: two inputs, a target or one of three classes, and every fifth
 * row there twice. */
static rvm_problem *many_rows(rvm_task task, size_t first, size_t end)
{
    rvm_problem *p = empty_problem();
    for (size_t i = first; i < end; i++) {
        const size_t k = i % 5 == 4 ? i - 1 : i;
        const double x[] = { 4 * fraction(0.6180339887 * (double)k), fraction(0.7 * (double)k) };
        const double t = sin(3 * x[0]) + 0.2 * sin(97.0 * (double)k);
        append_dense(p, task == RVM_REGRESSION ? t : t < -0.5 ? 7 : t < 0.5 ? 2 : 5, x, 2);
    }
    return p;
}

/* What cross-validation has come to: of the rows of a file. */
typedef struct {
    rvm_settings s;
    rvm_crossval *v;
    rvm_score score;
    rvm_fold_score fold;
} validated;

static void validate_all(validated *r, const rvm_problem *p)
{
    rvm_error err = { 0 };
    bool done = false;
    CHECK_OK(rvm_crossval_alloc(&r->v, p, &r->s, FOLDS, train_some, false, &err));
    while (!done)
        CHECK_OK(rvm_crossval_step(&done, r->v, &err));
    CHECK_OK(rvm_score_held_out(&r->score, rvm_crossval_prediction(r->v), p, &err));
    CHECK_OK(rvm_score_folds(&r->fold, rvm_crossval_prediction(r->v), p, &err));
}

static void check_scores(const validated *a, const validated *b)
{
    const rvm_score *x = &a->score, *y = &b->score;
    ck_assert_uint_eq(x->rows, y->rows);
    ck_assert_uint_eq(x->correct, y->correct);
    ck_assert_double_eq(x->error2, y->error2);
    ck_assert_double_eq(x->nlpd, y->nlpd);
    ck_assert_double_eq(x->m_pp, y->m_pp);
    ck_assert_double_eq(x->m_tt, y->m_tt);
    ck_assert_double_eq(x->m_pt, y->m_pt);
    ck_assert_double_eq(a->fold.error, b->fold.error);
    ck_assert_double_eq(a->fold.log_loss, b->fold.log_loss);
    ck_assert_double_eq(a->fold.cover, b->fold.cover);
    ck_assert_double_eq(rvm_crossval_vectors(a->v), rvm_crossval_vectors(b->v));
    ck_assert_double_eq(rvm_crossval_at_bound(a->v), rvm_crossval_at_bound(b->v));
}

/* Row i of the one is row j of the other. */
static void check_row(const validated *a, size_t i, const validated *b, size_t j)
{
    const rvm_prediction *x = rvm_crossval_prediction(a->v), *y = rvm_crossval_prediction(b->v);
    ck_assert_uint_eq(rvm_crossval_fold_of(a->v, i), rvm_crossval_fold_of(b->v, j));
    ck_assert_double_eq(x->value[i], y->value[j]);
    ck_assert_double_eq(x->variance[i], y->variance[j]);
    for (size_t c = 0; c < x->classes; c++)
        ck_assert_double_eq(x->probability[i * x->classes + c], y->probability[j * x->classes + c]);
}

static void validate_together(void *context, rvm_team *team)
{
    const validated *alone = context;
    const size_t rank = (size_t)team->rank, size = (size_t)team->size;
    const size_t first = rank * MANY / size, end = (rank + 1) * MANY / size;
    rvm_problem *p = many_rows(alone->s.task, first, end);
    validated r = { .s = alone->s };
    r.s.interrupted = &team->interrupted;
    ck_assert_int_eq(rvm_shard_spread(&p, first, team, NULL), RVM_OK);
    validate_all(&r, p);
    check_scores(&r, alone);
    for (size_t i = 0; i < p->rows; i++)
        check_row(&r, i, alone, rvm_problem_number(p, i));
    rvm_crossval_free(r.v);
    rvm_problem_free(p);
}

static rvm_settings settings_of_case(int number)
{
    rvm_settings s = settings_for(number == 1 ? RVM_CLASSIFICATION : RVM_REGRESSION, RVM_RBF, 1);
    s.kernel_prior = number == 2;
    s.threads = 2;
    return s;
}

/* Of three spans: of seven processes four have no rows. */
START_TEST(a_team_validates_as_one_process_does)
    {
        static const int teams[] = { 1, 2, 3, 7 };
        validated alone = { .s = settings_of_case(_i) };
        rvm_problem *p = many_rows(alone.s.task, 0, MANY);
        validate_all(&alone, p);
        for (size_t t = 0; t < sizeof teams / sizeof teams[0]; t++)
            team_threads_run(teams[t], validate_together, &alone);
        rvm_crossval_free(alone.v);
        rvm_problem_free(p);
    }
END_TEST

/* Copies of a row may change places with one another, but say the same. */
START_TEST(the_order_of_many_rows_says_nothing)
    {
        validated r = { .s = settings_of_case(_i) }, other = { .s = settings_of_case(_i) };
        rvm_problem *p = many_rows(r.s.task, 0, MANY);
        size_t *row = calloc(MANY, sizeof *row);
        for (size_t i = 0; i < MANY; i++)
            row[i] = (i * 1009 + 17) % MANY;
        rvm_problem *q = rvm_problem_subset(p, row, MANY);
        validate_all(&r, p);
        validate_all(&other, q);
        check_scores(&r, &other);
        for (size_t i = 0; i < MANY && r.s.task == RVM_REGRESSION; i++)
            check_row(&other, i, &r, row[i]);
        rvm_crossval_free(r.v);
        rvm_crossval_free(other.v);
        rvm_problem_free(p);
        rvm_problem_free(q);
        free(row);
    }
END_TEST

/* Scores from their definitions, in two passes. */
START_TEST(scores_of_many_rows_are_right)
    {
        validated r = { .s = settings_of_case(0) };
        rvm_problem *p = many_rows(RVM_REGRESSION, 0, MANY);
        double mean_p = 0, mean_t = 0, pp = 0, tt = 0, pt = 0, error2 = 0, held = 0, density = 0;
        validate_all(&r, p);
        const rvm_prediction *out = rvm_crossval_prediction(r.v);
        for (size_t i = 0; i < MANY; i++) {
            mean_p += out->value[i] / MANY;
            mean_t += p->target[i] / MANY;
        }
        for (size_t i = 0; i < MANY; i++) {
            const double d = out->value[i] - mean_p, e = p->target[i] - mean_t;
            const double miss = p->target[i] - out->value[i], v = out->variance[i];
            pp += d * d;
            tt += e * e;
            pt += d * e;
            error2 += miss * miss;
            held += fabs(miss) <= 1.6448536269514722 * sqrt(v);
            density += 0.5 * (log(2 * M_PI * v) + miss * miss / v);
        }
        check_close(rvm_score_squared_correlation(&r.score), pt * pt / (pp * tt), 1e-12);
        check_close(rvm_score_mean_squared_error(&r.score), error2 / MANY, 1e-12);
        check_close(r.fold.error, error2 / MANY, 1e-12);
        check_close(r.fold.cover, held / MANY, 1e-12);
        check_close(r.fold.log_loss, density / MANY, 1e-12);
        check_close(r.score.nlpd, density, 1e-12);
        rvm_crossval_free(r.v);
        rvm_problem_free(p);
    }
END_TEST

Suite *crossval_suite(void)
{
    Suite *suite = suite_create("crossval");
    TCase *tc = tcase_create("crossval");

    tcase_add_loop_test(tc, leaving_one_out_is_what_it_says, 0, 2);
    tcase_add_test(tc, folds_depend_on_the_seed_alone);
    tcase_add_test(tc, gamma_comes_from_all_rows);
    tcase_add_test(tc, folds_are_stratified);
    tcase_add_test(tc, a_part_may_lack_a_class);
    tcase_add_test(tc, folds_of_three_classes_are_stratified);
    tcase_add_test(tc, a_part_may_lack_one_of_three);
    tcase_add_loop_test(tc, single_rows_are_spread_over_the_folds, 0, 3);
    tcase_add_test(tc, rows_have_their_intervals);
    tcase_add_test(tc, what_cannot_be_cut_is_refused);
    tcase_add_test(tc, a_fault_is_at_a_row_of_the_file);
    tcase_add_test(tc, copies_are_left_out_together);
    tcase_add_loop_test(tc, folds_come_some_at_a_time, 0, 4);
    tcase_add_loop_test(tc, folds_know_of_their_noise, 0, 2);
    suite_add_tcase(suite, tc);
    tc = tcase_create("many rows");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, a_team_validates_as_one_process_does, 0, 3);
    tcase_add_loop_test(tc, the_order_of_many_rows_says_nothing, 0, 2);
    tcase_add_test(tc, scores_of_many_rows_are_right);
    suite_add_tcase(suite, tc);
    return suite;
}
