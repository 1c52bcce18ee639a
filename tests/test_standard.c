/* standard.c: means and deviations by hand, and training on rows that were standardised by hand
 * against training that does it. */
#include "data/order.h"
#include "data/standard.h"
#include "problems.h"
#include "suites.h"

static rvm_standard learn(const rvm_problem *p)
{
    rvm_standard s = { 0 };
    rvm_error err = { 0 };
    CHECK_OK(rvm_standard_learn(&s, p, &err));
    return s;
}

static rvm_problem *apply(const rvm_standard *s, const rvm_problem *p)
{
    rvm_problem *q = empty_problem();
    rvm_error err = { 0 };
    CHECK_OK(rvm_standard_apply(q, s, p, &err));
    return q;
}

/* Feature 1: 1, 2, 3, 6 has mean 3 and variance 14/4; feature 2 is constant; feature 4, absent but
 * once, is 0, 0, 0, 8 of mean 2 and variance 12; feature 9 is 0.3 by rounding. */
static const char four_rows[] = "1 1:1 2:7 9:0.3\n2 1:2 2:7 9:0.30000000000000004\n"
                                "3 1:3 2:7 9:0.29999999999999999\n4 1:6 2:7 4:8 9:0.3\n";

START_TEST(means_and_deviations)
    {
        rvm_problem *p = problem_from_text(four_rows, (rvm_grammar){ 0 });
        rvm_standard s = learn(p);
        ck_assert(s.used && s.centred);
        ck_assert_uint_eq(s.count, 2);
        ck_assert_int_eq(s.index[0], 1);
        ck_assert_int_eq(s.index[1], 4);
        ck_assert_double_eq_tol(s.mean[0], 3, 1e-15);
        ck_assert_double_eq_tol(s.scale[0], sqrt(3.5), 1e-15);
        ck_assert_double_eq_tol(s.mean[1], 2, 1e-15);
        ck_assert_double_eq_tol(s.scale[1], sqrt(12), 1e-14);
        rvm_standard_free(&s);
        rvm_problem_free(p);
    }
END_TEST

/* Feature 1 at its mean is left out, features 2 and 3 are not known, and the absent 4 is 0. */
START_TEST(rows_of_another_file)
    {
        rvm_problem *p = problem_from_text(four_rows, (rvm_grammar){ 0 });
        rvm_problem *others = problem_from_text("5 1:3 2:8 3:1 4:2\n6 70:1\n", (rvm_grammar){ 0 });
        rvm_standard s = learn(p);
        rvm_problem *q = apply(&s, others);
        ck_assert_uint_eq(q->rows, 2);
        ck_assert_double_eq(q->target[1], 6);
        ck_assert_uint_eq(q->start[1], 0);
        ck_assert_uint_eq(q->start[2], 2);
        ck_assert_int_eq(q->index[0], 1);
        ck_assert_int_eq(q->index[1], 4);
        ck_assert_double_eq_tol(q->value[0], -3 / sqrt(3.5), 1e-15);
        ck_assert_double_eq_tol(q->value[1], -2 / sqrt(12), 1e-15);
        ck_assert_int_eq(q->max_index, 70);
        rvm_problem_free(q);
        rvm_problem_free(others);
        rvm_standard_free(&s);
        rvm_problem_free(p);
    }
END_TEST

/* +-c of two rows each have mean 0 and deviation c. */
START_TEST(features_of_any_size)
    {
        static const double sizes[] = { 1e-320, 1e-300, 1e-6, 1, 1e6, 1e300, 1.7e308 };
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            rvm_problem *p = empty_problem();
            for (size_t n = 0; n < 4; n++)
                append_dense(p, 0, &(double){ n % 2 ? sizes[k] : -sizes[k] }, 1);
            rvm_standard s = learn(p);
            rvm_problem *q = apply(&s, p);
            ck_assert_uint_eq(s.count, 1);
            for (size_t n = 0; n < 4; n++)
                ck_assert_double_eq_tol(q->value[n], n % 2 ? 1 : -1, 1e-14);
            rvm_problem_free(q);
            rvm_standard_free(&s);
            rvm_problem_free(p);
        }
    }
END_TEST

/* What is beyond the numbers is the largest one. */
START_TEST(rows_far_away)
    {
        rvm_problem *p = problem_from_text("1 1:1e-9\n2 1:0\n", (rvm_grammar){ 0 });
        rvm_problem *far = problem_from_text("1 1:1e308\n2 1:-1e308\n", (rvm_grammar){ 0 });
        rvm_standard s = learn(p);
        rvm_problem *q = apply(&s, far);
        ck_assert_double_eq(q->value[0], DBL_MAX);
        ck_assert_double_eq(q->value[1], -DBL_MAX);
        rvm_problem_free(q);
        rvm_standard_free(&s);
        rvm_problem_free(far);
        rvm_problem_free(p);
    }
END_TEST

/* A hundred rows of one of 40 features each: 1/100 and 2/100 are of them, 3 is in the last ones. */
START_TEST(sparse_rows_keep_their_zeros)
    {
        rvm_problem *p = rvm_problem_alloc();
        for (int n = 0; n < 100; n++)
            ck_assert(rvm_problem_append(p, 0, &(int){ n < 40 ? n + 1 : 3 }, &(double){ 5 }, 1));
        rvm_standard s = learn(p);
        rvm_problem *q = apply(&s, p);
        ck_assert(!s.centred);
        ck_assert_uint_eq(s.count, 40);
        ck_assert_double_eq(s.mean[0], 0);
        ck_assert_double_eq_tol(s.scale[0], 5 * sqrt(0.01 * 0.99), 1e-14);
        ck_assert_double_eq_tol(s.scale[2], 5 * sqrt(0.61 * 0.39), 1e-14);
        ck_assert_uint_eq(q->start[100], 100);
        ck_assert_double_eq_tol(q->value[99], 1 / sqrt(0.61 * 0.39), 1e-14);
        rvm_problem_free(q);
        rvm_standard_free(&s);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(no_feature_varies)
    {
        rvm_problem *p = problem_from_text("1 1:4\n2 1:4\n", (rvm_grammar){ 0 });
        rvm_standard s = learn(p), copy = { 0 };
        ck_assert(s.used);
        ck_assert_uint_eq(s.count, 0);
        rvm_problem *q = apply(&s, p);
        ck_assert_uint_eq(q->start[2], 0);
        ck_assert(rvm_standard_copy(&copy, &s));
        ck_assert(copy.used);
        rvm_standard_free(&copy);
        ck_assert(!copy.used);
        rvm_problem_free(q);
        rvm_standard_free(&s);
        rvm_problem_free(p);
    }
END_TEST

/* To the last bit. */
START_TEST(order_of_rows)
    {
        enum { N = 101, D = 4 };
        rvm_problem *p = noise_problem(N, D, 3);
        size_t reversed[N];
        for (size_t n = 0; n < N; n++)
            reversed[n] = N - 1 - n;
        rvm_problem *back = rvm_problem_subset(p, reversed, N);
        rvm_standard a = learn(p), b = learn(back);
        ck_assert_uint_eq(a.count, D);
        ck_assert_mem_eq(a.mean, b.mean, D * sizeof(double));
        ck_assert_mem_eq(a.scale, b.scale, D * sizeof(double));
        rvm_standard_free(&a);
        rvm_standard_free(&b);
        rvm_problem_free(back);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Training ------------------------------------------------------------------------------- */

enum { ROWS = 30, INPUTS = 3 };

/* Inputs of sizes 1e-6, 1 and 1e6 around a tenth, ten and minus a thousand of these; a fourth that
 * does not vary. standardised: x of each with mean 0 and standard deviation 1. */
static void append_row(rvm_problem *raw, rvm_problem *standardised, const double *t, size_t outputs,
                       const double *x)
{
    const int index[] = { 1, 2, 3, 4 };
    const double value[] = { 1e-6 * (x[0] + 0.1), x[1] + 10, 1e6 * (x[2] - 1000), 17 };
    ck_assert(rvm_problem_append_outputs(raw, t, outputs, index, value, 4));
    ck_assert(rvm_problem_append_outputs(standardised, t, outputs, index, x, INPUTS));
}

/* X: ROWS x INPUTS, of mean 0 and standard deviation 1. */
static void fill_inputs(double X[ROWS][INPUTS])
{
    gsl_rng *rng = random_numbers(11);
    for (size_t j = 0; j < INPUTS; j++) {
        double mean = 0, square = 0;
        for (size_t n = 0; n < ROWS; n++)
            mean += (X[n][j] = gsl_ran_flat(rng, -1, 1)) / ROWS;
        for (size_t n = 0; n < ROWS; n++)
            square += gsl_pow_2(X[n][j] -= mean) / ROWS;
        for (size_t n = 0; n < ROWS; n++)
            X[n][j] /= sqrt(square);
    }
    gsl_rng_free(rng);
}

/* Targets of the way that the task takes them. */
static void fill_problems(rvm_problem *raw, rvm_problem *standardised, rvm_task task,
                          size_t classes_or_outputs)
{
    double X[ROWS][INPUTS];
    gsl_rng *rng = random_numbers(12);
    fill_inputs(X);
    for (size_t n = 0; n < ROWS; n++) {
        const double f = sin(2 * X[n][0]) + 0.5 * X[n][1] * X[n][1] - 0.5 + X[n][2];
        double t[2] = { f + gsl_ran_gaussian(rng, 0.2), X[n][0] - f + gsl_ran_gaussian(rng, 0.2) };
        if (task == RVM_CLASSIFICATION)
            t[0] = classes_or_outputs == 2 ? (t[0] > 0) : (t[0] > 0.6) + (t[0] > -0.5);
        append_row(raw, standardised, t, task == RVM_REGRESSION ? classes_or_outputs : 1, X[n]);
    }
    gsl_rng_free(rng);
}

typedef struct {
    rvm_task task;
    size_t number; /* of classes or outputs */
    rvm_kernel kernel;
    bool linear, quadratic, ard, prior, probability, tune;
    rvm_method method;
} training_case;

#define RBF                           \
    {                                 \
        .type = RVM_RBF, .gamma = 0.3 \
    }
static const training_case cases[] = {
    { .task = RVM_REGRESSION, .number = 1, .kernel = RBF },
    { .task = RVM_REGRESSION, .number = 1, .kernel = { .type = RVM_RBF } },
    { .task = RVM_REGRESSION, .number = 1, .kernel = { .type = RVM_LAPLACIAN, .gamma = 0.2 } },
    { .task = RVM_REGRESSION, .number = 1, .kernel = { .type = RVM_LINEAR } },
    { .task = RVM_REGRESSION,
      .number = 1,
      .kernel = { .type = RVM_POLYNOMIAL, .degree = 2, .gamma = 0.5, .coef0 = 1 } },
    { .task = RVM_REGRESSION, .number = 1, .kernel = { .type = RVM_SIGMOID, .gamma = 0.1 } },
    { .task = RVM_REGRESSION, .number = 1, .kernel = { .type = RVM_SPLINE } },
    { .task = RVM_REGRESSION, .number = 1, .kernel = { .type = RVM_NO_KERNEL }, .linear = true },
    { .task = RVM_REGRESSION,
      .number = 1,
      .kernel = { .type = RVM_NO_KERNEL },
      .linear = true,
      .quadratic = true },
    { .task = RVM_REGRESSION, .number = 2, .kernel = RBF },
    { .task = RVM_REGRESSION, .number = 1, .kernel = RBF, .ard = true },
    { .task = RVM_REGRESSION, .number = 1, .kernel = RBF, .prior = true },
    { .task = RVM_REGRESSION, .number = 1, .kernel = RBF, .probability = true },
    { .task = RVM_REGRESSION, .number = 1, .kernel = RBF, .tune = true },
    { .task = RVM_REGRESSION, .number = 1, .kernel = RBF, .method = RVM_METHOD_MACKAY },
    { .task = RVM_CLASSIFICATION, .number = 2, .kernel = RBF },
    { .task = RVM_CLASSIFICATION, .number = 2, .kernel = { .type = RVM_LINEAR } },
    { .task = RVM_CLASSIFICATION, .number = 2, .kernel = RBF, .prior = true },
    { .task = RVM_CLASSIFICATION, .number = 3, .kernel = RBF },
    { .task = RVM_CLASSIFICATION, .number = 2, .kernel = RBF, .probability = true },
    { .task = RVM_CLASSIFICATION, .number = 2, .kernel = RBF, .ard = true },
};

static rvm_settings settings_of(const training_case *c)
{
    rvm_settings s = rvm_settings_default();
    s.task = c->task;
    s.kernel = c->kernel;
    s.linear = c->linear;
    s.quadratic = c->quadratic;
    s.ard = c->ard;
    s.kernel_prior = c->prior;
    s.probability = c->probability;
    s.tune.gamma = c->tune;
    s.method = c->method;
    s.tolerance = 1e-7;
    s.threads = 1;
    return s;
}

static rvm_model *train(const rvm_problem *p, const rvm_settings *s)
{
    rvm_model *m = NULL;
    rvm_error err = { 0 };
    CHECK_OK(rvm_train(&m, p, s, &err));
    return m;
}

/* gamma 1 / largest index is that of the file, whose fourth feature is none of those by hand. */
START_TEST(as_by_hand)
    {
        const training_case *c = &cases[_i];
        rvm_problem *raw = rvm_problem_alloc(), *standardised = rvm_problem_alloc();
        rvm_settings s = settings_of(c);
        rvm_prediction a = { 0 }, b = { 0 };
        rvm_error err = { 0 };
        fill_problems(raw, standardised, c->task, c->number);
        standardised->max_index = 4;
        rvm_model *by_hand = train(standardised, &s);
        s.standardize = true;
        rvm_model *m = train(raw, &s);
        ck_assert(rvm_model_describe(m).standardized && rvm_model_describe(m).centred);
        ck_assert_uint_eq(rvm_model_describe(m).varied, INPUTS);
        check_close(m->log_evidence, by_hand->log_evidence, 1e-4);
        CHECK_OK(rvm_predict(&a, m, raw, false, &err));
        CHECK_OK(rvm_predict(&b, by_hand, standardised, false, &err));
        for (size_t i = 0; i < ROWS * a.outputs; i++) {
            check_close(a.value[i], b.value[i], 1e-4);
            check_close(a.variance[i], b.variance[i], 1e-4);
        }
        for (size_t i = 0; i < ROWS * a.classes; i++)
            check_close(a.probability[i], b.probability[i], 1e-4);
        rvm_prediction_free(&a);
        rvm_prediction_free(&b);
        rvm_model_free(m);
        rvm_model_free(by_hand);
        rvm_problem_free(raw);
        rvm_problem_free(standardised);
    }
END_TEST

START_TEST(vectors_are_those_of_the_file)
    {
        rvm_problem *raw = rvm_problem_alloc(), *standardised = rvm_problem_alloc();
        rvm_settings s = settings_of(&cases[0]);
        fill_problems(raw, standardised, RVM_REGRESSION, 1);
        s.standardize = true;
        rvm_model *m = train(raw, &s);
        ck_assert_uint_gt(m->vectors->rows, 0);
        for (size_t i = 0; i < m->vectors->rows; i++)
            for (int f = 1; f <= 4; f++)
                ck_assert_double_eq(feature(m->vectors, i, f), feature(raw, m->row[i] - 1, f));
        rvm_model_free(m);
        rvm_problem_free(raw);
        rvm_problem_free(standardised);
    }
END_TEST

/* Each row by a model of the others, whose means and deviations are other ones. */
START_TEST(folds_learn_their_own)
    {
        rvm_problem *raw = rvm_problem_alloc(), *standardised = rvm_problem_alloc();
        rvm_settings s = settings_of(&cases[0]);
        rvm_prediction folds = { 0 }, one = { 0 };
        rvm_error err = { 0 };
        bool finished = false;
        fill_problems(raw, standardised, RVM_REGRESSION, 1);
        s.standardize = true;
        CHECK_OK(rvm_cross_validate(&folds, &finished, raw, &s, ROWS, &err));
        for (size_t n = 0; n < ROWS; n += 7) {
            size_t others[ROWS], count = 0;
            for (size_t k = 0; k < ROWS; k++)
                if (k != n)
                    others[count++] = k;
            rvm_problem *rest = rvm_problem_subset(raw, others, count);
            rvm_problem *row = rvm_problem_subset(raw, &n, 1);
            rvm_model *m = train(rest, &s);
            CHECK_OK(rvm_predict(&one, m, row, false, &err));
            check_close(folds.value[n], one.value[0], 1e-10);
            rvm_model_free(m);
            rvm_problem_free(rest);
            rvm_problem_free(row);
        }
        rvm_prediction_free(&one);
        rvm_prediction_free(&folds);
        rvm_problem_free(raw);
        rvm_problem_free(standardised);
    }
END_TEST

/* While gamma is looked for a model is made by the way. */
START_TEST(models_by_the_way)
    {
        rvm_problem *raw = rvm_problem_alloc(), *standardised = rvm_problem_alloc();
        rvm_settings s = settings_of(&cases[0]);
        rvm_trainer *tr = NULL;
        rvm_report r;
        rvm_model *m = NULL;
        rvm_error err = { 0 };
        fill_problems(raw, standardised, RVM_REGRESSION, 1);
        s.standardize = s.tune.gamma = true;
        CHECK_OK(rvm_trainer_alloc(&tr, raw, &s, &err));
        CHECK_OK(rvm_trainer_step(&r, tr, &err));
        CHECK_OK(rvm_trainer_model(&m, tr, &err));
        ck_assert_int_eq(r.stage, RVM_TUNE);
        ck_assert(rvm_model_describe(m).standardized);
        ck_assert_uint_gt(m->vectors->rows, 0);
        ck_assert_double_eq(feature(m->vectors, 0, 4), 17);
        rvm_model_free(m);
        rvm_trainer_free(tr);
        rvm_problem_free(raw);
        rvm_problem_free(standardised);
    }
END_TEST

Suite *standard_suite(void)
{
    Suite *s = suite_create("standard");
    TCase *c = tcase_create("standard");
    tcase_add_test(c, means_and_deviations);
    tcase_add_test(c, rows_of_another_file);
    tcase_add_test(c, features_of_any_size);
    tcase_add_test(c, rows_far_away);
    tcase_add_test(c, sparse_rows_keep_their_zeros);
    tcase_add_test(c, no_feature_varies);
    tcase_add_test(c, order_of_rows);
    tcase_add_loop_test(c, as_by_hand, 0, sizeof cases / sizeof *cases);
    tcase_add_test(c, vectors_are_those_of_the_file);
    tcase_add_test(c, folds_learn_their_own);
    tcase_add_test(c, models_by_the_way);
    suite_add_tcase(s, c);
    return s;
}
