/* The library as programs have it: what comes in by arrays trains the models of files. */
#include <pthread.h>

#include "base/parallel.h"
#include "door/guard.h"
#include "doors.h"
#include "trained.h"

enum { N = 60, D = 3 };

/* The same rows as arrays of either order, sparse ones out of order, and text; some values are 0. */
typedef struct {
    double x[N * D], columns[N * D], y[N];
    int64_t start[N + 1];
    int32_t index[N * D];
    double value[N * D];
    char *text; /* owned */
} sample;

static void fill_sample(sample *s, bool classes)
{
    gsl_rng *rng = random_numbers(7);
    size_t length = 0;
    FILE *out = open_memstream(&s->text, &length);

    ck_assert_ptr_nonnull(out);
    for (size_t i = 0, to = 0; i < N; i++) {
        double f = 0;

        for (size_t j = 0; j < D; j++) {
            const double x = (i + j) % 5 == 0 ? 0 : gsl_ran_gaussian(rng, 1);

            s->x[i * D + j] = s->columns[j * N + i] = x;
            f += (j == 1 ? 2 : 1) * sin(x);
        }
        f += 0.1 * gsl_ran_gaussian(rng, 1);
        s->y[i] = classes ? (f > 1 ? 3 : f > -1 ? -1 : 8) : f;
        fprintf(out, "%.17g", s->y[i]);
        for (size_t j = 0; j < D; j++)
            if (s->x[i * D + j] != 0)
                fprintf(out, " %zu:%.17g", j + 1, s->x[i * D + j]);
        fputc('\n', out);
        s->start[i] = (int64_t)to;
        for (size_t j = D; j-- > 0;) {
            s->index[to] = (int32_t)j;
            s->value[to++] = s->x[i * D + j];
        }
        s->start[i + 1] = (int64_t)to;
    }
    ck_assert_int_eq(fclose(out), 0);
    gsl_rng_free(rng);
}

/* The model of the data, which are freed, as text. */
static char *text_of_training(rvmml_data *data, const rvmml_settings *s)
{
    rvmml_model *m = NULL;
    rvmml_error fault;

    DOOR_OK(rvmml_train(&m, data, s, &fault));
    char *text = text_of(m);
    rvmml_model_free(m);
    rvmml_data_free(data);
    return text;
}

/* What rvm-train makes of the text. */
static char *text_by_file(const char *text, rvm_settings s)
{
    rvm_problem *p =
        problem_from_text(text, (rvm_grammar){ .class_labels = s.task == RVM_CLASSIFICATION });
    rvm_model *m = train(p, &s);
    char *bytes = bytes_of(m);

    rvm_model_free(m);
    rvm_problem_free(p);
    return bytes;
}

static int give_row(void *context, size_t number, rvmml_row *to)
{
    const sample *s = context;

    for (size_t j = D; j-- > 0;)
        rvmml_row_add(to, j, s->x[number * D + j]);
    rvmml_row_target(to, 0, s->y[number]);
    return 0;
}

/* All ways in, one after the other. */
static rvmml_data *way_in(const sample *s, int which)
{
    rvmml_data *data = NULL;
    rvmml_error fault;
    FILE *in;

    switch (which) {
    case 0:
        return dense(s->x, N, D, s->y);
    case 1:
        DOOR_OK(rvmml_data_dense(&data, s->columns, N, D, 1, N, s->y, 1, &fault));
        break;
    case 2:
        DOOR_OK(rvmml_data_csr(&data, s->start, s->index, s->value, N, D, s->y, 1, &fault));
        break;
    case 3:
        DOOR_OK(rvmml_data_rows(&data, N, D, 1, give_row, (void *)(size_t)s, &fault));
        break;
    default:
        in = open_text(s->text);
        DOOR_OK(rvmml_data_read(&data, in, NULL, &fault));
        fclose(in);
    }
    return data;
}

START_TEST(models_of_files)
    {
        const bool classes = _i >= 5;
        const char *const words[] = { "task", classes ? "classification" : "regression", NULL };
        sample s;
        rvmml_settings *settings = settings_of(words);
        rvm_settings plain = rvm_settings_default();

        fill_sample(&s, classes);
        plain.task = classes ? RVM_CLASSIFICATION : RVM_REGRESSION;
        rvmml_data *data = way_in(&s, _i % 5);
        ck_assert_uint_eq(rvmml_data_row_count(data), N);
        ck_assert_uint_eq(rvmml_data_columns(data), D);
        ck_assert_uint_eq(rvmml_data_outputs(data), 1);
        char *got = text_of_training(data, settings), *wanted = text_by_file(s.text, plain);
        ck_assert_str_eq(got, wanted);
        free(got);
        free(wanted);
        free(s.text);
        rvmml_settings_free(settings);
    }
END_TEST

/* gamma is 1 / columns, whether anything stands in the last ones or not. */
START_TEST(columns_of_zeros_count)
    {
        const double x[] = { 1, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0 }, y[] = { 1, 3, 2 };
        const char *const words[] = { "task", "regression", NULL };
        rvmml_data *data = dense(x, 3, 4, y);
        rvmml_settings *s = settings_of(words);
        rvmml_model *m = NULL;
        rvmml_error fault;

        DOOR_OK(rvmml_train(&m, data, s, &fault));
        ck_assert_double_eq(rvmml_model_gamma(m), 0.25);
        rvmml_model_free(m);
        rvmml_settings_free(s);
        rvmml_data_free(data);
    }
END_TEST

/* Values of a kernel, an array or read as such, are no features. */
static void check_matrix_is_told(const double *k, const double *y, char *text,
                                 const rvmml_settings *precomputed)
{
    const char *const words[] = { "task", "regression", NULL };
    rvmml_settings *plain = settings_of(words);
    double value[N];
    const rvmml_prediction to = { .size = sizeof to, .value = value };
    rvmml_data *data = NULL;
    rvmml_model *m = NULL;
    rvmml_trainer *t = NULL;
    rvmml_error fault;
    FILE *in = open_text(text);

    for (int read = 0; read < 2; read++) {
        if (read)
            DOOR_OK(rvmml_data_read(&data, in, precomputed, &fault));
        else
            DOOR_OK(rvmml_data_kernel(&data, k, N, N, 1, y, 1, &fault));
        DOOR_OK(rvmml_settings_check(precomputed, data, &fault));
        DOOR_FAILS(rvmml_settings_check(plain, data, &fault), RVMML_ESETTING, RVMML_NONE,
                   "kernel=precomputed");
        DOOR_FAILS(rvmml_train(&m, data, plain, &fault), RVMML_ESETTING, RVMML_NONE,
                   "kernel=precomputed");
        DOOR_FAILS(rvmml_trainer_new(&t, data, plain, &fault), RVMML_ESETTING, RVMML_NONE,
                   "kernel=precomputed");
        DOOR_FAILS(rvmml_cross_validate(&to, data, plain, 3, &fault), RVMML_ESETTING, RVMML_NONE,
                   "kernel=precomputed");
        rvmml_data_free(data);
        data = NULL;
    }
    fclose(in);
    rvmml_settings_free(plain);
}

/* A matrix of values trains the same machine as the kernel that they are of; files say both. */
START_TEST(kernel_matrices)
    {
        static double k[N * N];
        const char *const words[] = { "task", "regression", "kernel", "precomputed", NULL };
        rvmml_settings *settings = settings_of(words);
        rvm_settings plain = rvm_settings_default();
        rvm_error err = { 0 };
        rvmml_data *data = NULL;
        rvmml_error fault;
        sample s;
        char *text = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&text, &length);

        fill_sample(&s, false);
        for (size_t i = 0; i < N; i++) {
            fprintf(out, "%.17g 0:%zu", s.y[i], i + 1);
            for (size_t j = 0; j < N; j++) {
                double square = 0;
                for (size_t d = 0; d < D; d++)
                    square += gsl_pow_2(s.x[i * D + d] - s.x[j * D + d]);
                k[i * N + j] = exp(-0.3 * square);
                fprintf(out, " %zu:%.17g", j + 1, k[i * N + j]);
            }
            fputc('\n', out);
        }
        fclose(out);
        plain.task = RVM_REGRESSION;
        CHECK_OK(rvm_settings_set(&plain, "kernel", "precomputed", &err));
        DOOR_OK(rvmml_data_kernel(&data, k, N, N, 1, s.y, 1, &fault));
        char *got = text_of_training(data, settings);
        rvm_problem *p = problem_from_text(text, (rvm_grammar){ .precomputed = true });
        rvm_model *m = train(p, &plain);
        char *wanted = bytes_of(m);
        ck_assert_str_eq(got, wanted);
        check_matrix_is_told(k, s.y, text, settings);
        k[N] += 1;
        DOOR_FAILS(rvmml_data_kernel(&data, k, N, N, 1, s.y, 1, &fault), RVMML_EINPUT, 1,
                   "not symmetric");
        free(got);
        free(wanted);
        free(text);
        free(s.text);
        rvm_model_free(m);
        rvm_problem_free(p);
        rvmml_settings_free(settings);
    }
END_TEST

/* ---- What is wrong -------------------------------------------------------------------------- */

static int stop_at_two(void *context, size_t number, rvmml_row *to)
{
    (void)context;
    rvmml_row_target(to, 0, 1);
    return number == 2;
}

static int forget_target(void *context, size_t number, rvmml_row *to)
{
    (void)context;
    rvmml_row_add(to, 0, 1);
    if (number != 1)
        rvmml_row_target(to, 0, 1);
    return 0;
}

static int repeat_column(void *context, size_t number, rvmml_row *to)
{
    rvmml_row_add(to, 1, 1);
    rvmml_row_add(to, 0, 1);
    if (number == 1)
        rvmml_row_add(to, (size_t)context, 3);
    rvmml_row_target(to, 0, 1);
    return 0;
}

static int go_beyond(void *context, size_t number, rvmml_row *to)
{
    (void)context;
    (void)number;
    rvmml_row_add(to, 0, 1);
    rvmml_row_add(to, 2, 0);
    rvmml_row_target(to, 0, 1);
    return 0;
}

START_TEST(faults_of_data)
    {
        double x[] = { 1, 2, 3, 4, 5, NAN }, y[] = { 1, INFINITY, 2 };
        const int64_t start[] = { 0, 1, 3, 2 }, back[] = { 0, 2, 0 };
        const int32_t index[] = { 0, 1, 1, 7 };
        rvmml_data *data = NULL;
        rvmml_error fault;

        DOOR_FAILS(rvmml_data_dense(&data, x, 3, 2, 2, 1, NULL, 0, &fault), RVMML_EINPUT, 2,
                   "finite");
        DOOR_FAILS(rvmml_data_dense(&data, x, 2, 2, 2, 1, y, 1, &fault), RVMML_EINPUT, 1,
                   "target is inf");
        DOOR_FAILS(rvmml_data_dense(NULL, x, 2, 2, 2, 1, y, 1, &fault), RVMML_EARGUMENT, RVMML_NONE,
                   "NULL");
        DOOR_FAILS(rvmml_data_dense(&data, NULL, 2, 2, 2, 1, y, 1, &fault), RVMML_EARGUMENT,
                   RVMML_NONE, "NULL");
        DOOR_FAILS(rvmml_data_dense(&data, x, 2, 2, 2, 1, y, 0, &fault), RVMML_EARGUMENT,
                   RVMML_NONE, "0 of them");
        DOOR_FAILS(rvmml_data_dense(&data, x, 1, (size_t)1 << 31, 1, 1, y, 1, &fault),
                   RVMML_EARGUMENT, RVMML_NONE, "columns");
        DOOR_FAILS(rvmml_data_dense(&data, x, SIZE_MAX / 4, 1, 1, 1, y, 2, &fault), RVMML_EARGUMENT,
                   RVMML_NONE, "memory");
        DOOR_FAILS(rvmml_data_csr(&data, start, index, x, 2, 2, NULL, 0, &fault), RVMML_EINPUT, 1,
                   "two values");
        DOOR_FAILS(rvmml_data_csr(&data, start, index, x, 3, 2, NULL, 0, &fault), RVMML_EINPUT, 1,
                   "two values");
        DOOR_FAILS(rvmml_data_csr(&data, start + 2, index, x, 1, 8, NULL, 0, &fault),
                   RVMML_EARGUMENT, 0, "ends at 2");
        DOOR_FAILS(rvmml_data_csr(&data, start, index, x, 1, 0, NULL, 0, &fault), RVMML_EINPUT, 0,
                   "no column");
        DOOR_FAILS(rvmml_data_rows(&data, 3, 2, 1, stop_at_two, NULL, &fault), RVMML_EINPUT, 2,
                   "ended");
        DOOR_FAILS(rvmml_data_rows(&data, 3, 2, 1, forget_target, NULL, &fault), RVMML_EINPUT, 1,
                   "target");
        DOOR_FAILS(rvmml_data_rows(&data, 3, 2, 1, repeat_column, NULL, &fault), RVMML_EINPUT, 1,
                   "two values");
        DOOR_FAILS(rvmml_data_rows(&data, 3, 2, 1, repeat_column, (void *)2, &fault), RVMML_EINPUT,
                   1, "no column 2 of 2");
        DOOR_FAILS(rvmml_data_rows(&data, 3, 2, 1, go_beyond, NULL, &fault), RVMML_EINPUT, 0,
                   "no column 2 of 2");
        /* The second row ends before it starts; the first one has no columns, or values, to go by. */
        DOOR_FAILS(rvmml_data_csr(&data, back, NULL, x, 2, 2, NULL, 0, &fault), RVMML_EARGUMENT,
                   RVMML_NONE, "columns is NULL");
        DOOR_FAILS(rvmml_data_csr(&data, back, index, NULL, 2, 2, NULL, 0, &fault), RVMML_EARGUMENT,
                   RVMML_NONE, "values is NULL");
        ck_assert_ptr_null(data);
    }
END_TEST

/* Rows without targets, or with labels that are none, can be had but not trained on. */
START_TEST(faults_of_targets)
    {
        const double x[] = { 1, 2, 3 }, y[] = { 1, 2.5, 2 };
        rvmml_data *none = NULL, *halves = NULL;
        rvmml_model *m = NULL;
        rvmml_error fault;

        DOOR_OK(rvmml_data_dense(&none, x, 3, 1, 1, 1, NULL, 0, &fault));
        ck_assert_uint_eq(rvmml_data_outputs(none), 0);
        DOOR_OK(rvmml_data_dense(&halves, x, 3, 1, 1, 1, y, 1, &fault));
        DOOR_FAILS(rvmml_train(&m, none, NULL, &fault), RVMML_EINPUT, 0, "no target");
        DOOR_FAILS(rvmml_train(&m, halves, NULL, &fault), RVMML_EINPUT, 1, "class label 2.5");
        DOOR_FAILS(rvmml_settings_check(NULL, halves, &fault), RVMML_EINPUT, 1, "class label");
        rvmml_data_free(none);
        DOOR_OK(rvmml_data_dense(&none, NULL, 0, 1, 1, 1, x, 1, &fault));
        DOOR_FAILS(rvmml_train(&m, none, NULL, &fault), RVMML_ESETTING, RVMML_NONE, "no rows");
        rvmml_data_free(none);
        rvmml_data_free(halves);
    }
END_TEST

START_TEST(faults_of_text)
    {
        rvmml_data *data = NULL;
        rvmml_model *m = NULL;
        rvmml_error fault;
        FILE *in = open_text("1 1:2\n2 1:3\n1 3:x\n");

        DOOR_FAILS(rvmml_data_read(&data, in, NULL, &fault), RVMML_EINPUT, 2, "x");
        fclose(in);
        in = open_text("1,2 1:2\n? 1:3\n");
        DOOR_OK(rvmml_data_read(&data, in, NULL, &fault));
        ck_assert_uint_eq(rvmml_data_outputs(data), 2);
        rvmml_data_free(data);
        fclose(in);
        DOOR_FAILS(rvmml_model_from_text(&m, "", 0, &fault), RVMML_EMODEL, 0, "empty");
        DOOR_FAILS(rvmml_model_from_text(&m, "rvm_model 1\ntask tea\n", 21, &fault), RVMML_EMODEL,
                   1, "tea");
        ck_assert_ptr_null(m);
        ck_assert_int_eq(rvmml_model_from_text(&m, "x", 1, NULL), RVMML_EMODEL);
    }
END_TEST

/* ---- Settings ------------------------------------------------------------------------------- */

START_TEST(settings_by_name)
    {
        const char *const words[] = { "g", "0.5", "task", "regression", "w2", "3", NULL };
        rvmml_settings *s = settings_of(words), *copy = NULL;
        rvmml_error fault;

        ck_assert_str_eq(rvmml_settings_get(s, "g"), "0.5");
        ck_assert_ptr_null(rvmml_settings_get(s, "kernel"));
        DOOR_OK(rvmml_settings_copy(&copy, s, &fault));
        DOOR_OK(rvmml_settings_set(s, "g", "auto", &fault));
        ck_assert_str_eq(rvmml_settings_get(s, "g"), "auto");
        ck_assert_str_eq(rvmml_settings_get(copy, "g"), "0.5");
        ck_assert_str_eq(rvmml_settings_get(copy, "w2"), "3");
        DOOR_OK(rvmml_settings_set(s, "ard", NULL, &fault));
        DOOR_OK(rvmml_settings_set(s, "auto", NULL, &fault));
        DOOR_FAILS(rvmml_settings_set(s, "v", "5", &fault), RVMML_ESETTING, RVMML_NONE,
                   "v=5: there is no setting");
        DOOR_FAILS(rvmml_settings_set(s, "g", "x", &fault), RVMML_ESETTING, RVMML_NONE,
                   "g=x: neither a number nor auto");
        DOOR_FAILS(rvmml_settings_set(s, "g", NULL, &fault), RVMML_ESETTING, RVMML_NONE, "needed");
        DOOR_FAILS(rvmml_settings_set(s, "w2", NULL, &fault), RVMML_ESETTING, RVMML_NONE, "w2=");
        DOOR_FAILS(rvmml_settings_set(s, "task", "tea", &fault), RVMML_ESETTING, RVMML_NONE,
                   "classification and regression");
        DOOR_FAILS(rvmml_settings_set(NULL, "g", "1", &fault), RVMML_EARGUMENT, RVMML_NONE, "NULL");
        ck_assert_str_eq(rvmml_settings_get(s, "g"), "auto");
        rvmml_settings_free(s);
        rvmml_settings_free(copy);
    }
END_TEST

/* Each is out of range, alone or with the one before it. */
START_TEST(settings_out_of_range)
    {
        static const struct {
            const char *name, *value, *other, *of_other, *part;
        } row[] = {
            { "g", "-1", "task", "regression", "gamma < 0" },
            { "g", "nan", "task", "regression", "gamma" },
            { "e", "0", "task", "regression", "eps <= 0" },
            { "m", "-1", "task", "regression", "cache_size" },
            { "threads", "5000", "task", "regression", "threads" },
            { "noise-variance", "1", "task", "classification", "regression only" },
            { "interval", "1", "variance", "1", "interval" },
            { "interval", "nan", "variance", "1", "interval" },
            { "interval", "0.9", "variance", "0", "takes the variance" },
        };
        const char *const words[] = { row[_i].name, row[_i].value, row[_i].other, row[_i].of_other,
                                      NULL };
        rvmml_settings *s = settings_of(words);
        rvmml_error fault;

        ck_assert_uint_lt((size_t)_i, sizeof row / sizeof row[0]);
        DOOR_FAILS(rvmml_settings_check(s, NULL, &fault), RVMML_ESETTING, RVMML_NONE, row[_i].part);
        rvmml_settings_free(s);
    }
END_TEST

/* What --select and --auto leave open does not depend on what came first. */
START_TEST(settings_in_any_order)
    {
        sample s;
        rvmml_settings *a = NULL, *b = NULL;
        rvmml_error fault;

        fill_sample(&s, false);
        DOOR_OK(rvmml_settings_new(&a, &fault));
        DOOR_OK(rvmml_settings_new(&b, &fault));
        DOOR_OK(rvmml_settings_set(a, "auto", NULL, &fault));
        DOOR_OK(rvmml_settings_set(a, "kernel", "linear", &fault));
        DOOR_OK(rvmml_settings_set(a, "task", "regression", &fault));
        DOOR_OK(rvmml_settings_set(b, "task", "regression", &fault));
        DOOR_OK(rvmml_settings_set(b, "kernel", "linear", &fault));
        DOOR_OK(rvmml_settings_set(b, "auto", NULL, &fault));
        char *x = text_of_training(way_in(&s, 0), a), *z = text_of_training(way_in(&s, 0), b);
        ck_assert_str_eq(x, z);
        ck_assert_ptr_nonnull(strstr(x, "kernel_type linear"));
        free(x);
        free(z);
        free(s.text);
        rvmml_settings_free(a);
        rvmml_settings_free(b);
    }
END_TEST

/* ---- Training in steps ---------------------------------------------------------------------- */

START_TEST(steps_come_to_the_same)
    {
        const char *const words[] = { "task", "regression", "ard", "1", NULL };
        rvmml_settings *settings = settings_of(words);
        rvmml_trainer *t = NULL;
        rvmml_model *m = NULL;
        rvmml_error fault;
        double before = 0;
        int done = 0;
        sample s;

        fill_sample(&s, false);
        rvmml_data *data = way_in(&s, 0);
        DOOR_OK(rvmml_trainer_new(&t, data, settings, &fault));
        DOOR_FAILS(rvmml_trainer_model(&m, t, &fault), RVMML_EARGUMENT, RVMML_NONE, "first step");
        ck_assert_double_eq(rvmml_trainer_progress(t), 0);
        while (!done) {
            DOOR_OK(rvmml_trainer_step(&done, t, &fault));
            ck_assert_double_ge(rvmml_trainer_progress(t), 0.9 * before);
            before = rvmml_trainer_progress(t);
        }
        ck_assert_double_eq(before, 1);
        ck_assert_str_eq(rvmml_trainer_stage(t), "search");
        ck_assert(isfinite(rvmml_trainer_log_evidence(t)));
        ck_assert_uint_gt(rvmml_trainer_functions(t), 0);
        DOOR_OK(rvmml_trainer_model(&m, t, &fault));
        rvmml_trainer_free(t);
        char *got = text_of(m), *wanted = text_of_training(data, settings);
        ck_assert_str_eq(got, wanted);
        ck_assert_int_eq(rvmml_model_converged(m), 1);
        free(got);
        free(wanted);
        free(s.text);
        rvmml_model_free(m);
        rvmml_settings_free(settings);
    }
END_TEST

/* A trainer that was interrupted is done, and stays so when the flag is taken back; that the model
 * is none of a finished training can be asked. */
START_TEST(interrupted_steps_end)
    {
        volatile int flag = 0;
        const char *const words[] = { "task", "regression", "ard", "1", NULL };
        rvmml_settings *settings = settings_of(words);
        rvmml_trainer *t = NULL;
        rvmml_model *m = NULL;
        rvmml_error fault;
        int done = 0;
        sample s;

        fill_sample(&s, false);
        rvmml_data *data = way_in(&s, 0);
        DOOR_OK(rvmml_settings_interrupt(settings, &flag, &fault));
        DOOR_OK(rvmml_trainer_new(&t, data, settings, &fault));
        DOOR_OK(rvmml_trainer_step(&done, t, &fault));
        ck_assert_int_eq(done, 0);
        flag = 1;
        DOOR_OK(rvmml_trainer_step(&done, t, &fault));
        ck_assert_int_eq(done, 1);
        flag = done = 0;
        DOOR_OK(rvmml_trainer_step(&done, t, &fault));
        ck_assert_int_eq(done, 1);
        ck_assert_double_lt(rvmml_trainer_progress(t), 1);
        DOOR_OK(rvmml_trainer_model(&m, t, &fault));
        ck_assert_int_eq(rvmml_model_converged(m), 0);
        rvmml_model_free(m);
        rvmml_trainer_free(t);
        rvmml_data_free(data);
        rvmml_settings_free(settings);
        free(s.text);
    }
END_TEST

START_TEST(interrupts)
    {
        volatile int flag = 1;
        const char *const words[] = { "task", "regression", NULL };
        rvmml_settings *settings = settings_of(words);
        double value[N];
        const rvmml_prediction to = { .size = sizeof to, .value = value };
        rvmml_error fault;
        sample s;

        fill_sample(&s, false);
        rvmml_data *data = way_in(&s, 0);
        DOOR_OK(rvmml_settings_interrupt(settings, &flag, &fault));
        DOOR_FAILS(rvmml_cross_validate(&to, data, settings, 3, &fault), RVMML_EINTERRUPT,
                   RVMML_NONE, "");
        DOOR_OK(rvmml_settings_interrupt(settings, NULL, &fault));
        DOOR_OK(rvmml_cross_validate(&to, data, settings, 3, &fault));
        free(s.text);
        rvmml_data_free(data);
        rvmml_settings_free(settings);
    }
END_TEST

/* ---- Threads -------------------------------------------------------------------------------- */

/* A training, and predictions by a model that all threads share. */
typedef struct {
    const sample *rows;
    const rvmml_model *shared;
    char *text; /* owned */
    double value[N];
} errand;

static void *run_errand(void *context)
{
    errand *e = context;
    const char *const words[] = { "task", "regression", "threads", "2", NULL };
    const rvmml_prediction to = { .size = sizeof to, .value = e->value };
    rvmml_settings *s = settings_of(words);
    rvmml_predictor *p = NULL;
    rvmml_error fault;

    e->text = text_of_training(way_in(e->rows, 0), s);
    DOOR_OK(rvmml_predictor_new(&p, e->shared, s, &fault));
    DOOR_OK(rvmml_predict_dense(&to, p, e->rows->x, N, D, D, 1, &fault));
    rvmml_predictor_free(p);
    rvmml_settings_free(s);
    return NULL;
}

START_TEST(side_by_side)
    {
        enum { THREADS = 4 };
        errand e[THREADS] = { { NULL, NULL, NULL, { 0 } } };
        pthread_t thread[THREADS];
        const char *const words[] = { "task", "regression", NULL };
        rvmml_settings *settings = settings_of(words);
        rvmml_model *m = NULL;
        rvmml_error fault;
        sample s;

        fill_sample(&s, false);
        rvmml_data *data = way_in(&s, 0);
        DOOR_OK(rvmml_train(&m, data, settings, &fault));
        char *wanted = text_of(m);
        for (int k = 0; k < THREADS; k++) {
            e[k] = (errand){ .rows = &s, .shared = m };
            ck_assert_int_eq(pthread_create(&thread[k], NULL, run_errand, &e[k]), 0);
        }
        for (int k = 0; k < THREADS; k++) {
            pthread_join(thread[k], NULL);
            ck_assert_str_eq(e[k].text, wanted);
            ck_assert_mem_eq(e[k].value, e[0].value, sizeof e[0].value);
            free(e[k].text);
        }
        free(wanted);
        free(s.text);
        rvmml_model_free(m);
        rvmml_data_free(data);
        rvmml_settings_free(settings);
    }
END_TEST

/* ---- The whole process ---------------------------------------------------------------------- */

static void own_handler(const char *reason, const char *file, int line, int number)
{
    (void)reason, (void)file, (void)line, (void)number;
}

/* The caller's handler and its threads of OpenBLAS are back when the last call has returned. */
START_TEST(process_is_left_as_it_was)
    {
        const double x[] = { 1, 2, 3, 4 }, y[] = { 1, -1, 1, -1 };
        const int threads = rvm_blas_threads();
        rvmml_data *data = dense(x, 4, 1, y);
        rvmml_model *m = NULL;
        rvmml_predictor *p = NULL;
        rvmml_error fault;

        gsl_set_error_handler(own_handler);
        rvm_blas_set_threads(threads == 0 ? 0 : 2);
        DOOR_OK(rvmml_train(&m, data, NULL, &fault));
        DOOR_OK(rvmml_predictor_new(&p, m, NULL, &fault));
        ck_assert_int_eq(rvm_blas_threads(), threads == 0 ? 0 : 2);
        door_guard_enter();
        door_guard_enter();
        ck_assert_int_le(rvm_blas_threads(), 1);
        door_guard_leave();
        ck_assert_int_le(rvm_blas_threads(), 1);
        ck_assert(gsl_set_error_handler_off() != own_handler);
        door_guard_leave();
        ck_assert_int_eq(rvm_blas_threads(), threads == 0 ? 0 : 2);
        ck_assert(gsl_set_error_handler_off() == own_handler);
        rvm_blas_set_threads(threads);
        rvmml_predictor_free(p);
        rvmml_model_free(m);
        rvmml_data_free(data);
    }
END_TEST

START_TEST(nothing_is_freed_twice)
    {
        rvmml_data_free(NULL);
        rvmml_settings_free(NULL);
        rvmml_trainer_free(NULL);
        rvmml_model_free(NULL);
        rvmml_predictor_free(NULL);
        rvmml_free(NULL);
        ck_assert_str_eq(rvmml_version(), RVM_VERSION);
    }
END_TEST

Suite *door_suite(void)
{
    Suite *suite = suite_create("door");
    TCase *tc = tcase_create("door");

    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, models_of_files, 0, 10);
    tcase_add_test(tc, columns_of_zeros_count);
    tcase_add_test(tc, kernel_matrices);
    tcase_add_test(tc, faults_of_data);
    tcase_add_test(tc, faults_of_targets);
    tcase_add_test(tc, faults_of_text);
    tcase_add_test(tc, settings_by_name);
    tcase_add_loop_test(tc, settings_out_of_range, 0, 9);
    tcase_add_test(tc, settings_in_any_order);
    tcase_add_test(tc, steps_come_to_the_same);
    tcase_add_test(tc, interrupted_steps_end);
    tcase_add_test(tc, interrupts);
    tcase_add_test(tc, side_by_side);
    tcase_add_test(tc, process_is_left_as_it_was);
    tcase_add_test(tc, nothing_is_freed_twice);
    suite_add_tcase(suite, tc);
    return suite;
}
