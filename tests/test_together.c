/* Training by a team: the bytes of the model that one process makes. */
#include "product/together.h"

#include "data/shard.h"
#include "team_threads.h"
#include "trained.h"

enum { ROWS = 8500, INPUTS = 3 }; /* three spans */

/* A sine over one input, with noise, among two of no use; some rows twice. */
static rvm_problem *problem_of(rvm_task task, size_t classes, size_t outputs, size_t first,
                               size_t end)
{
    rvm_problem *p = rvm_problem_alloc();
    gsl_rng *rng = random_numbers(7);
    for (size_t i = 0; i < ROWS; i++) {
        const int index[INPUTS] = { 1, 2, 3 };
        double value[INPUTS];
        for (size_t j = 0; j < INPUTS; j++)
            value[j] =
                (double)gsl_rng_uniform_int(rng, j == 0 ? 100000 : 4) / (j == 0 ? 20000.0 : 8.0);
        const double f = sin(value[0]) + 0.2 * gsl_ran_gaussian(rng, 1);
        const double t[] = { task == RVM_REGRESSION ? f : floor((f + 2) * (double)classes / 4),
                             cos(value[0]) + value[1] * (f + 1) };
        if (i >= first && i < end)
            ck_assert(rvm_problem_append_outputs(p, t, outputs, index, value, INPUTS));
    }
    gsl_rng_free(rng);
    return p;
}

typedef struct {
    rvm_settings s;
    size_t classes, outputs;
    const char *bytes; /* of the model that is made alone */
} job;

static void train_together(void *context, rvm_team *team)
{
    const job *j = context;
    const size_t rank = (size_t)team->rank, size = (size_t)team->size;
    const size_t first = rank * ROWS / size, end = (rank + 1) * ROWS / size;
    rvm_problem *p = problem_of(j->s.task, j->classes, j->outputs, first, end);
    rvm_settings s = j->s;
    rvm_error err = { 0 };
    bool so = false;
    s.interrupted = &team->interrupted;
    CHECK_OK(rvm_shard_spread(&p, first, team, &err));
    CHECK_OK(rvm_together(&so, p, &s, 0, &err));
    ck_assert(so);
    rvm_model *m = train(p, &s);
    char *bytes = bytes_of(m);
    ck_assert_str_eq(bytes, j->bytes);
    free(bytes);
    rvm_model_free(m);
    rvm_problem_free(p);
}

static void check_outputs(rvm_settings s, size_t classes, size_t outputs, const int *teams,
                          size_t count)
{
    s.threads = 1;
    s.restarts = 1;
    s.tolerance = 1;
    rvm_problem *p = problem_of(s.task, classes, outputs, 0, ROWS);
    rvm_model *m = train(p, &s);
    char *bytes = bytes_of(m);
    job j = { s, classes, outputs, bytes };
    for (size_t k = 0; k < count; k++)
        team_threads_run(teams[k], train_together, &j);
    free(bytes);
    rvm_model_free(m);
    rvm_problem_free(p);
}

static void check_teams(rvm_settings s, size_t classes, size_t count)
{
    static const int teams[] = { 2, 5 };
    check_outputs(s, classes, 1, teams, count);
}

static void check(rvm_settings s, size_t classes)
{
    check_teams(s, classes, 2);
}

static rvm_settings of_task(rvm_task task)
{
    rvm_settings s = rvm_settings_default();
    s.task = task;
    s.kernel.gamma = 2;
    return s;
}

START_TEST(regression)
    {
        check(of_task(RVM_REGRESSION), 0);
    }
END_TEST

START_TEST(two_classes)
    {
        check(of_task(RVM_CLASSIFICATION), 2);
    }
END_TEST

START_TEST(more_classes)
    {
        check(of_task(RVM_CLASSIFICATION), 3);
    }
END_TEST

START_TEST(standardised)
    {
        rvm_settings s = of_task(RVM_REGRESSION);
        s.standardize = true;
        check(s, 0);
    }
END_TEST

START_TEST(weighted_classes)
    {
        rvm_settings s = of_task(RVM_CLASSIFICATION);
        rvm_class_weight weight = { 1, 3 };
        s.class_weights = &weight;
        s.class_weight_count = 1;
        check(s, 2);
    }
END_TEST

START_TEST(kernel_prior)
    {
        rvm_settings s = of_task(_i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION);
        s.kernel_prior = true;
        check_teams(s, 2, 1);
    }
END_TEST

START_TEST(length_scales)
    {
        rvm_settings s = of_task(_i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION);
        s.kernel.gamma = 0;
        s.ard = true;
        check_teams(s, 0, 1);
    }
END_TEST

START_TEST(chosen_width)
    {
        rvm_settings s = of_task(RVM_REGRESSION);
        s.tune.gamma = true;
        check_teams(s, 0, 1);
    }
END_TEST

/* Two outputs, of few candidates: as such, with one noise, as a process, and with length-scales. */
START_TEST(several_outputs)
    {
        static const int teams[] = { 2, 1, 3, 7 };
        rvm_settings s = of_task(RVM_REGRESSION);
        s.budget_mb = 20;
        s.shared_noise = _i == 1;
        s.kernel_prior = _i == 2;
        s.ard = _i == 3;
        s.kernel.gamma = s.ard ? 0 : s.kernel.gamma;
        check_outputs(s, 0, 2, teams, _i == 0 ? 4 : 1);
    }
END_TEST

/* Of one output, of two and three classes, and of two outputs. */
START_TEST(calibrated)
    {
        static const size_t classes[] = { 0, 2, 3, 0 }, outputs[] = { 1, 1, 1, 2 };
        const int team = 2;
        rvm_settings s = of_task(classes[_i] == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION);
        s.probability = true;
        s.standardize = _i == 1;
        s.budget_mb = outputs[_i] > 1 ? 20 : s.budget_mb;
        check_outputs(s, classes[_i], outputs[_i], &team, 1);
    }
END_TEST

/* ---- Cross-validation ------------------------------------------------------------------------ */

typedef struct {
    rvm_settings s;
    size_t classes, outputs, folds;
    const rvm_prediction *alone; /* of the rows in the order of the file */
} folds_job;

static void validate_together(void *context, rvm_team *team)
{
    const folds_job *j = context;
    const size_t rank = (size_t)team->rank, size = (size_t)team->size;
    const size_t first = rank * ROWS / size, end = (rank + 1) * ROWS / size;
    rvm_problem *p = problem_of(j->s.task, j->classes, j->outputs, first, end);
    rvm_settings s = j->s;
    rvm_prediction out = { 0 };
    rvm_error err = { 0 };
    bool so = false, finished = false;
    s.interrupted = &team->interrupted;
    CHECK_OK(rvm_shard_spread(&p, first, team, &err));
    CHECK_OK(rvm_together(&so, p, &s, j->folds, &err));
    ck_assert(so);
    CHECK_OK(rvm_cross_validate(&out, &finished, p, &s, j->folds, &err));
    ck_assert(finished);
    ck_assert_uint_eq(out.rows, p->rows);
    for (size_t i = 0; i < p->rows; i++) {
        const size_t n = rvm_problem_number(p, i);
        for (size_t k = 0; k < j->outputs; k++) {
            ck_assert_double_eq(out.value[i * j->outputs + k], j->alone->value[n * j->outputs + k]);
            ck_assert_double_eq(out.variance[i * j->outputs + k],
                                j->alone->variance[n * j->outputs + k]);
        }
        for (size_t c = 0; c < out.classes; c++)
            ck_assert_double_eq(out.log_probability[i * out.classes + c],
                                j->alone->log_probability[n * out.classes + c]);
    }
    rvm_prediction_free(&out);
    rvm_problem_free(p);
}

START_TEST(folds)
    {
        const size_t classes[] = { 0, 2, 3, 0 }, outputs = _i == 3 ? 2 : 1, count = _i == 3 ? 3 : 2;
        rvm_settings s = of_task(classes[_i] == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION);
        rvm_prediction out = { 0 };
        rvm_error err = { 0 };
        bool finished = false;
        s.threads = s.restarts = 1;
        s.tolerance = 3;
        s.standardize = _i == 0;
        s.budget_mb = _i == 3 ? 20 : s.budget_mb;
        rvm_problem *p = problem_of(s.task, classes[_i], outputs, 0, ROWS);
        CHECK_OK(rvm_cross_validate(&out, &finished, p, &s, count, &err));
        folds_job j = { s, classes[_i], outputs, count, &out };
        team_threads_run(3, validate_together, &j);
        rvm_prediction_free(&out);
        rvm_problem_free(p);
    }
END_TEST

/* Of 8500 rows that all differ a tenth, or half, may be left out: 2500 different ones are to be
 * left. Of copies of 4000 rows half may be too many, and a fifth, as a calibration takes it. */
static void ask(void *context, rvm_team *team)
{
    const bool *copies = context;
    const size_t rank = (size_t)team->rank, size = (size_t)team->size;
    const size_t first = rank * ROWS / size, end = (rank + 1) * ROWS / size;
    const int index = 1;
    rvm_settings s = of_task(RVM_REGRESSION);
    rvm_problem *p = empty_problem();
    rvm_error err = { 0 };
    bool so = false;
    for (size_t i = first; i < end; i++) {
        const double x = (double)(*copies ? i % 4000 : i);
        ck_assert(rvm_problem_append(p, x, &index, &x, 1));
    }
    CHECK_OK(rvm_shard_spread(&p, first, team, &err));
    CHECK_OK(rvm_together(&so, p, &s, 10, &err));
    ck_assert(so);
    CHECK_OK(rvm_together(&so, p, &s, 2, &err));
    ck_assert(so == !*copies);
    s.probability = true;
    CHECK_OK(rvm_together(&so, p, &s, 0, &err));
    ck_assert(so == !*copies);
    CHECK_OK(rvm_together(&so, p, &s, 10, &err));
    ck_assert(!so); /* folds of folds */
    rvm_problem_free(p);
}

START_TEST(enough_rows_are_left)
    {
        bool copies = _i == 1;
        team_threads_run(2, ask, &copies);
    }
END_TEST

static void add_case(Suite *s, const char *name, const TTest *test, int times)
{
    TCase *c = tcase_create(name);
    tcase_set_timeout(c, 300);
    tcase_add_loop_test(c, test, 0, times);
    suite_add_tcase(s, c);
}

Suite *together_suite(void);
Suite *together_suite(void)
{
    Suite *s = suite_create("together");
    add_case(s, "regression", regression, 1);
    add_case(s, "two classes", two_classes, 1);
    add_case(s, "more classes", more_classes, 1);
    add_case(s, "standardised", standardised, 1);
    add_case(s, "weights", weighted_classes, 1);
    add_case(s, "kernel prior", kernel_prior, 2);
    add_case(s, "length-scales", length_scales, 1);
    add_case(s, "chosen width", chosen_width, 1);
    add_case(s, "calibration", calibrated, 4);
    add_case(s, "folds", folds, 4);
    add_case(s, "rows that are left", enough_rows_are_left, 2);
    add_case(s, "several outputs", several_outputs, 4);
    return s;
}
