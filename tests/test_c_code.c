/* c_code.c: models of every kind as C, which is compiled and run, against rvm_predict. */
#include <unistd.h>

#include "trained.h"

/* ---- Compiled models ------------------------------------------------------------------------- */

/* A folder of its own with the model as C, and a program that prints what it says of rows. */
typedef struct {
    char folder[64];
    const rvm_model *m; /* borrowed, */
    const rvm_problem *rows;
    size_t features; /* of a row */
    bool exact;      /* to the last bit */
    bool spoilt;     /* each row has a feature that is not finite */
} compiled;

static const char *compiler(void)
{
    static const char *const name[] = { "cc", "gcc", "clang" };
    char command[64];

    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name[i]);
        if (system(command) == 0)
            return name[i];
    }
    return NULL;
}

static FILE *create(const compiled *x, const char *name)
{
    char path[96];

    snprintf(path, sizeof path, "%s/%s", x->folder, name);
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    return out;
}

/* In row i one feature after the other is nan, then inf, then -inf. */
static double spoil(const compiled *x, double value, size_t i, size_t j)
{
    static const double bad[] = { NAN, INFINITY, -INFINITY };
    return x->spoilt && j == i % x->features ? bad[i / x->features % 3] : value;
}

/* Every feature of every row that x[0] and on stand for, as x[0] is feature `first`. */
static void write_rows(const compiled *x, int first)
{
    FILE *out = create(x, "rows");

    for (size_t i = 0; i < x->rows->rows; i++)
        for (size_t j = 0; j < x->features; j++)
            fprintf(out, "%a\n", spoil(x, feature(x->rows, i, (int)j + first), i, j));
    ck_assert_int_eq(fclose(out), 0);
}

/* The numbers of a row: mean and variance of each output, or the label and all probabilities. */
static void write_program(const compiled *x)
{
    FILE *out = create(x, "main.c");

    fprintf(
        out,
        "#include \"model.c\"\n#include <stdio.h>\nint main(void)\n{\n    static double x[%zu];\n"
        "    double a[%zu], b[%zu];\n    int i, j, k;\n"
        "    for (i = 0; i < %zu; i++) {\n        for (j = 0; j < %zu; j++)\n"
        "            if (scanf(\"%%lf\", &x[j]) != 1)\n                return 1;\n",
        x->features + 1, x->m->latent_count + x->m->class_count,
        x->m->latent_count + x->m->class_count, x->rows->rows, x->features);
    if (x->m->task == RVM_REGRESSION)
        fprintf(out,
                "        rvm_predict(x, %zu, a, 0);\n        b[0] = a[0];\n"
                "        rvm_predict(x, %zu, a, b);\n        for (k = 0; k < RVM_OUTPUTS; k++)\n"
                "            printf(\"%%a %%a\\n\", a[k], b[k]);\n",
                x->features, x->features);
    else
        fprintf(
            out,
            "        b[0] = rvm_predict(x, %zu, a);\n        for (k = 0; k < RVM_CLASSES; k++)\n"
            "            printf(\"%%a %%a\\n\", a[k], b[0]);\n",
            x->features);
    fprintf(out, "    }\n    return 0;\n}\n");
    ck_assert_int_eq(fclose(out), 0);
}

static void write_model(const compiled *x)
{
    rvm_error err = { 0 };
    FILE *out = create(x, "model.c");

    CHECK_OK(rvm_model_write_c(x->m, out, &err));
    ck_assert_int_eq(fclose(out), 0);
}

/* Within 1e-12 of the larger of a number and what such numbers are about. */
static void check_number(const compiled *x, double got, double want, double size)
{
    if (x->exact)
        ck_assert_double_eq(got, want);
    else
        ck_assert_msg(fabs(got - want) <= 1e-12 * fmax(fabs(want), size),
                      "got %.17g, wanted %.17g, off by %.3g", got, want, got - want);
}

static void check_numbers(const compiled *x, FILE *in)
{
    rvm_prediction p = predict(x->m, x->rows);
    const size_t width = p.classes > 0 ? p.classes : p.outputs;
    double size = 0, a, b;

    for (size_t i = 0; i < p.rows * p.outputs && p.classes == 0; i++)
        size = fmax(size, fabs(p.value[i]));
    for (size_t i = 0; i < p.rows * width; i++) {
        ck_assert_int_eq(fscanf(in, "%lf %lf", &a, &b), 2);
        check_number(x, a, p.classes > 0 ? p.probability[i] : p.value[i], size);
        if (p.classes > 0)
            ck_assert_double_eq(b, p.value[i / width]);
        else
            check_number(x, b, p.variance[i], 0);
    }
    ck_assert_int_eq(fscanf(in, "%lf", &a), EOF);
    rvm_prediction_free(&p);
}

/* No number is one, and the class is the first. */
static void check_spoilt(const compiled *x, FILE *in)
{
    const rvm_model *m = x->m;
    const size_t width = m->class_count > 0 ? m->class_count : m->latent_count;
    double a, b;

    for (size_t i = 0; i < x->rows->rows * width; i++) {
        ck_assert_int_eq(fscanf(in, "%lf %lf", &a, &b), 2);
        ck_assert_double_nan(a);
        if (m->class_count > 0)
            ck_assert_double_eq(b, m->label[0]);
        else
            ck_assert_double_nan(b);
    }
    ck_assert_int_eq(fscanf(in, "%lf", &a), EOF);
}

/* Numbers with no more digits than doubles have, as the library is compiled (FLOAT in the Makefile). */
#ifdef __i386__
#define AS_DOUBLES "-msse2 -mfpmath=sse "
#else
#define AS_DOUBLES
#endif

static void compile(const compiled *x, const char *cc)
{
    char command[320];

    snprintf(
        command, sizeof command,
        "cd %s && %s -std=c99 -O0 -ffp-contract=off " AS_DOUBLES
        "-Wall -Wextra -Wpedantic -Wshadow "
        "-Wconversion -Wmissing-prototypes -Werror main.c -o main -lm && ./main <rows >numbers",
        x->folder, cc);
    ck_assert_int_eq(system(command), 0);
}

static void check_compiled(const rvm_model *m, const rvm_problem *rows, int first, bool exact,
                           bool spoilt)
{
    const char *const cc = compiler();
    compiled x = { "/tmp/rvm_c_XXXXXX", m, rows, 0, exact, spoilt };
    char path[96];

    if (cc == NULL)
        return;
    x.features = (size_t)(rows->max_index - first + 1);
    ck_assert_ptr_nonnull(mkdtemp(x.folder));
    write_model(&x);
    write_program(&x);
    write_rows(&x, first);
    compile(&x, cc);
    snprintf(path, sizeof path, "%s/numbers", x.folder);
    FILE *in = fopen(path, "r");
    ck_assert_ptr_nonnull(in);
    if (spoilt)
        check_spoilt(&x, in);
    else
        check_numbers(&x, in);
    fclose(in);
    static const char *const name[] = { "model.c", "main.c", "rows", "main", "numbers" };
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", x.folder, name[i]);
        ck_assert_int_eq(unlink(path), 0);
    }
    ck_assert_int_eq(rmdir(x.folder), 0);
}

/* ---- Problems -------------------------------------------------------------------------------- */

typedef rvm_problem *problem_maker(void);

static rvm_problem *smooth(void)
{
    return smooth_problem(50, 1);
}

/* The same features, one of which is far from 0, one constant, and two targets. */
static rvm_problem *two_targets(void)
{
    rvm_problem *from = smooth_problem(50, 2), *p = empty_problem();

    for (size_t i = 0; i < from->rows; i++) {
        const int index[] = { 1, 2, 3, 5 };
        const double value[] = { feature(from, i, 1), 100 + 9 * feature(from, i, 2), 4,
                                 feature(from, i, 3) };
        const double target[] = { from->target[i], 3 - 2 * from->target[i] + value[3] / 9 };
        ck_assert(rvm_problem_append_outputs(p, target, 2, index, value, 4));
    }
    rvm_problem_free(from);
    return p;
}

/* Classes 1, 2, .. by the target of a smooth problem. */
static rvm_problem *classes(int count)
{
    rvm_problem *p = smooth_problem(60, 3);

    for (size_t i = 0; i < p->rows; i++) {
        const double c = floor(count * 0.5 * (1 + 0.7 * p->target[i]));
        p->target[i] = 1 + fmin(fmax(c, 0), count - 1);
    }
    return p;
}

static rvm_problem *two_classes(void)
{
    return classes(2);
}

static rvm_problem *four_classes(void)
{
    return classes(4);
}

/* Rows of 4 features out of 0 .. 119, most of them used by few rows. */
static rvm_problem *sparse(void)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(5);

    for (int i = 0; i < 60; i++) {
        int index[4];
        double value[4], sum = 0;
        for (int k = 0; k < 4; k++) {
            index[k] = 30 * k + (int)gsl_rng_uniform_int(rng, k < 2 ? 3 : 30);
            value[k] = 0.2 + gsl_rng_uniform(rng);
            sum += value[k] * (index[k] % 2 == 0 ? 1 : -1);
        }
        ck_assert(rvm_problem_append(p, sum + 0.1 * gsl_ran_gaussian(rng, 1), index, value, 4));
    }
    gsl_rng_free(rng);
    return p;
}

static rvm_problem *sparse_classes(void)
{
    rvm_problem *p = sparse();

    for (size_t i = 0; i < p->rows; i++)
        p->target[i] = p->target[i] > 0 ? 1 : -1;
    return p;
}

/* ---- Every kind of model --------------------------------------------------------------------- */

enum { SETTINGS = 6 };
typedef struct {
    problem_maker *problem;
    bool exact;                        /* no kernel */
    const char *setting[2 * SETTINGS]; /* name, value */
} kind;

static const kind kinds[] = {
    { smooth, false, { "s", "3", "t", "0" } },
    { smooth, false, { "s", "3", "t", "1", "g", "0.5", "d", "3", "r", "1" } },
    { smooth, false, { "s", "3", "t", "2", "g", "0.5" } },
    { smooth, false, { "s", "3", "t", "3", "g", "0.1", "r", "0.5" } },
    { smooth, false, { "s", "3", "t", "5", "g", "0.3" } },
    { smooth, false, { "s", "3", "t", "6" } },
    { smooth, true, { "s", "3", "t", "7", "basis", "bias,linear,quadratic" } },
    { smooth, false, { "s", "3", "g", "0.5", "basis", "linear" } },
    { smooth, true, { "s", "3", "t", "7", "basis", "linear,quadratic", "standardize", "1" } },
    { smooth, false, { "s", "3", "ard", "1" } },
    { smooth, false, { "s", "3", "t", "5", "ard", "1", "standardize", "1" } },
    { smooth, false, { "s", "3", "t", "1", "r", "1", "ard", "1", "basis", "bias,linear" } },
    { smooth, false, { "s", "3", "g", "0.5", "b", "1" } },
    { smooth, false, { "s", "3", "g", "0.5", "prior", "kernel" } },
    { smooth, false, { "s", "3", "t", "1", "r", "1", "g", "1", "prior", "kernel", "b", "1" } },
    { smooth, false, { "s", "3", "g", "0.5", "method", "gibbs", "seed", "1", "samples", "100" } },
    { smooth, false, { "s", "3", "g", "0.5", "method", "gibbs", "b", "1", "samples", "100" } },
    { two_targets, true, { "s", "3", "t", "7", "basis", "bias,linear,quadratic" } },
    { two_targets, false, { "s", "3", "standardize", "1", "g", "0.5", "b", "1" } },
    { two_targets, false, { "s", "3", "standardize", "1", "prior", "kernel", "g", "0.5" } },
    { sparse, false, { "s", "3", "t", "0" } },
    { sparse, false, { "s", "3", "t", "2", "g", "0.5", "b", "1" } },
    { sparse, false, { "s", "3", "t", "5", "g", "0.3" } },
    { sparse, false, { "s", "3", "t", "6", "b", "1" } },
    { sparse, false, { "s", "3", "t", "1", "g", "1", "standardize", "1" } },
    { sparse, false, { "s", "3", "t", "0", "prior", "kernel" } },
    { sparse_classes, false, { "t", "2", "g", "0.2" } },
    { two_classes, false, { "g", "0.5" } },
    { two_classes, true, { "t", "7", "basis", "bias,linear,quadratic" } },
    { two_classes, true, { "t", "7", "basis", "bias,linear", "b", "1" } },
    { two_classes, false, { "g", "0.5", "prior", "kernel", "b", "1" } },
    { two_classes, false, { "g", "0.5", "method", "gibbs", "samples", "100" } },
    { two_classes, false, { "g", "0.5", "method", "gibbs", "samples", "100", "b", "1" } },
    { four_classes, false, { "g", "0.5", "b", "1" } },
    { four_classes, true, { "t", "7", "basis", "bias,linear,quadratic" } },
    { four_classes, true, { "t", "7", "basis", "bias,linear", "multiclass", "ovr" } },
    { four_classes, false, { "ard", "1", "standardize", "1", "multiclass", "ovr", "b", "1" } },
    { four_classes, false, { "g", "0.5", "prior", "kernel" } },
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* -s 3 and -b 1 are no settings by name. */
static rvm_settings settings_of(const kind *k)
{
    rvm_settings s = rvm_settings_default();
    rvm_error err = { 0 };

    s.threads = 1;
    for (size_t i = 0; i < SETTINGS && k->setting[2 * i] != NULL; i++) {
        const char *name = k->setting[2 * i], *value = k->setting[2 * i + 1];
        if (strcmp(name, "s") == 0)
            s.task = RVM_REGRESSION;
        else if (strcmp(name, "b") == 0)
            s.probability = true;
        else
            CHECK_OK(rvm_settings_set(&s, name, value, &err));
    }
    return s;
}

START_TEST(kinds_of_models)
    {
        const kind *k = &kinds[_i];
        const rvm_settings s = settings_of(k);
        const bool from_zero = k->problem == sparse || k->problem == sparse_classes;
        rvm_problem *p = k->problem();

        rvm_model *m = train(p, &s);
        check_compiled(m, p, from_zero ? 0 : 1, k->exact, false);
        check_compiled(m, p, from_zero ? 0 : 1, k->exact, true);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Edges, by hand --------------------------------------------------------------------------- */

#define REGRESSION "rvm_model 1\ntask regression\n"
#define CLASSES "rvm_model 1\ntask classification\n"
#define NOISE "examples 9\nnoise_variance 0.25\nnoise_fixed 0\n"
#define DONE "log_evidence 0\nconverged 1\n"

static const struct {
    const char *text, *rows;
    bool exact;
} edges[] = {
    /* Features that no vector has. */
    { REGRESSION "kernel_type rbf\ngamma 1\nnr_class 2\ntotal_rv 2\n" NOISE DONE
                 "factor 2 1\nfactor 3\nRV\n0.5 1 2:1\n-1 1 1:1 3:2\nend\n",
      "0 1:1 2:0.5 5:0.25\n0 7:0.5\n0 3:1e200\n", false },
    { REGRESSION "kernel_type linear\nnr_class 2\ntotal_rv 1\n" NOISE DONE
                 "factor 2\nRV\n0.5 1 2:1\nend\n",
      "0 1:1 2:3 5:7\n", true },
    { REGRESSION "kernel_type spline\nnr_class 2\ntotal_rv 1\n" NOISE DONE
                 "factor 2\nRV\n0.5 1 2:1\nend\n",
      "0 1:-1 2:-3 5:-2\n0 2:4\n", false },
    /* No functions, no features, none that vary, no input that counts. */
    { REGRESSION "kernel_type none\nnr_class 2\ntotal_rv 0\n" NOISE DONE "RV\nend\n", "0 1:1\n",
      true },
    { REGRESSION "kernel_type linear\nnr_class 2\ntotal_rv 1\n" NOISE DONE
                 "bias 3 1 2\nfactor 2 1\nfactor 2\nRV\n0.5 1\nend\n",
      "0 1:1\n", true },
    { REGRESSION "kernel_type linear\nstandardized 0 1\nnr_class 2\ntotal_rv 1\n" NOISE DONE
                 "basis x2 3 1\nfactor 2 1\nfactor 2\nRV\n0.5 1 1:4\nend\n",
      "0 1:1 2:5\n", true },
    { REGRESSION "kernel_type linear\neta\nnr_class 2\ntotal_rv 1\n" NOISE DONE
                 "factor 2\nRV\n0.5 1 1:4\nend\n",
      "0 1:1 2:5\n", true },
    { CLASSES "kernel_type rbf\ngamma 1\nnr_class 1\nlabel -4\ntotal_rv 0\nexamples 9\n" DONE
              "probability 0\nRV\nend\n",
      "0 1:1\n", true },
    /* Far tails, of draws and of a softmax, calibrated. */
    { CLASSES "kernel_type none\nnr_class 2\nlabel 7 -3\ntotal_rv 0\nexamples 9\nclass_rows 4 5\n"
              "draws 2\nlog_likelihood 0\nconverged 1\nprobability 1\ncalibration_rows 9\n"
              "temperature 4\nheld_out_loss 1\nheld_out_error 0.5\nbasis x1 1 2\nRV\nend\n",
      "0 1:1\n0 1:-1\n0 1:-20\n0 1:30\n0 1:34.9\n0 1:-35.1\n0 1:-80\n0 1:400\n", false },
    { CLASSES "kernel_type none\nnr_class 3\nlabel 7 -3 0\ntotal_rv 0\nexamples 9\n"
              "class_rows 2 3 4\nclass_weights 1 0.5 0.25\n" DONE
              "probability 1\ncalibration_rows 9\ntemperature 0.5\nheld_out_loss 1\n"
              "held_out_error 0.5\nclass 7 1\nbasis x1 1 2\nfactor 2\nclass -3 1\n"
              "basis x1 -5 2\nfactor 0.1\nclass 0 0\nRV\nend\n",
      "0 1:1\n0 1:-1\n0 1:-20\n0 1:30\n0 1:1e9\n0\n", true },
};
enum { EDGES = sizeof edges / sizeof edges[0] };

START_TEST(edges_by_hand)
    {
        rvm_model *m = model_from_text(edges[_i].text);
        rvm_problem *p = rows_from_text(edges[_i].rows, false);

        check_compiled(m, p, 1, edges[_i].exact, false);
        check_compiled(m, p, 1, edges[_i].exact, true);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* Nothing is written of what cannot be. */
START_TEST(refused)
    {
        static const char *const text[] = {
            REGRESSION "kernel_type precomputed\nnr_class 2\ntotal_rv 1\n" NOISE DONE
                       "factor 1\nRV\n2 1 0:3\nend\n",
            REGRESSION "kernel_type linear\nnr_class 2\ntotal_rv 1\n" NOISE DONE
                       "factor 1\nRV\n2 1 0:3 2147483647:1\nend\n",
        };
        static const char *const reason[] = { "precomputed", "feature 2147483647 is too far" };
        rvm_model *m = model_from_text(text[_i]);
        rvm_error err = { 0 };
        char *bytes = NULL;
        size_t size = 1;
        FILE *out = open_memstream(&bytes, &size);

        ck_assert_int_eq(rvm_model_write_c(m, out, &err), RVM_EMODEL);
        ck_assert_msg(strstr(err.message, reason[_i]) != NULL, "%s", err.message);
        fclose(out);
        ck_assert_uint_eq(size, 0);
        free(bytes);
        rvm_model_free(m);
    }
END_TEST

Suite *c_code_suite(void)
{
    Suite *s = suite_create("c_code");
    TCase *c = tcase_create("c_code");
    tcase_add_loop_test(c, kinds_of_models, 0, KINDS);
    tcase_add_loop_test(c, edges_by_hand, 0, EDGES);
    tcase_add_loop_test(c, refused, 0, 2);
    tcase_set_timeout(c, 120);
    suite_add_tcase(s, c);
    return s;
}
