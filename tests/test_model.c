/* The model file: round trips byte for byte, and every way in which a file can be wrong. */
#include <check.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "data/problem.h"
#include "product/model.h"
#include "rvm.h"

/* Written by hand after rvm-model(5). */
static const char regression[] = "rvm_model 1\n"
                                 "task regression\n"
                                 "kernel_type rbf\n"
                                 "gamma 0.10000000000000001\n"
                                 "nr_class 2\n"
                                 "total_rv 2\n"
                                 "examples 7\n"
                                 "noise_variance 0.25\n"
                                 "noise_fixed 0\n"
                                 "log_evidence -12.5\n"
                                 "converged 1\n"
                                 "bias 0.5 4.9406564584124654e-324 22.530000000000001\n"
                                 "factor 2 -1 0.5\n"
                                 "factor 4 1e-300\n"
                                 "factor 5\n"
                                 "RV\n"
                                 "-1.5 3 1:0.33333333333333331 2147483647:-1e+100\n"
                                 "2.25 1.7976931348623157e+308\n"
                                 "end\n";
static const char with_prior[] = "rvm_model 1\n"
                                 "task regression\n"
                                 "kernel_type linear\n"
                                 "nr_class 2\n"
                                 "total_rv 1\n"
                                 "examples 7\n"
                                 "noise_variance 0.25\n"
                                 "noise_fixed 0\n"
                                 "log_evidence -12.5\n"
                                 "prior 0.5 1e-300 0 2\n"
                                 "log_prior 3.25\n"
                                 "converged 1\n"
                                 "basis x3 1.5 8\n"
                                 "factor 2 1\n"
                                 "factor 4\n"
                                 "RV\n"
                                 "-1.5 3 1:2\n"
                                 "end\n";
static const char classification[] = "rvm_model 1\n"
                                     "task classification\n"
                                     "kernel_type polynomial\n"
                                     "degree 3\n"
                                     "gamma 0.5\n"
                                     "coef0 -1\n"
                                     "nr_class 2\n"
                                     "label 1 -1\n"
                                     "total_rv 1\n"
                                     "examples 4\n"
                                     "log_evidence -2.5\n"
                                     "converged 0\n"
                                     "probability 1\n"
                                     "factor 2\n"
                                     "RV\n"
                                     "1 1 0:1 1:2\n"
                                     "end\n";
static const char one_class[] = "rvm_model 1\n"
                                "task classification\n"
                                "kernel_type linear\n"
                                "nr_class 1\n"
                                "label -2147483648\n"
                                "total_rv 0\n"
                                "examples 4\n"
                                "log_evidence 0\n"
                                "converged 1\n"
                                "probability 0\n"
                                "RV\n"
                                "end\n";
static const char precomputed[] = "rvm_model 1\n"
                                  "task regression\n"
                                  "kernel_type precomputed\n"
                                  "nr_class 2\n"
                                  "total_rv 1\n"
                                  "examples 3\n"
                                  "noise_variance 0.25\n"
                                  "noise_fixed 1\n"
                                  "log_evidence -12.5\n"
                                  "converged 1\n"
                                  "factor 2\n"
                                  "RV\n"
                                  "1 1 0:3\n"
                                  "end\n";

/* Class 7 has the bias and the first vector, class -3 both vectors, class 0 nothing. */
static const char three_classes[] = "rvm_model 1\n"
                                    "task classification\n"
                                    "kernel_type linear\n"
                                    "nr_class 3\n"
                                    "label 7 -3 0\n"
                                    "total_rv 2\n"
                                    "examples 9\n"
                                    "log_evidence -4.5\n"
                                    "converged 1\n"
                                    "probability 1\n"
                                    "class 7 2\n"
                                    "bias 0.25 0.5 0\n"
                                    "factor 2 1\n"
                                    "factor 4\n"
                                    "class -3 2\n"
                                    "factor 4 -1\n"
                                    "factor 5\n"
                                    "class 0 0\n"
                                    "RV\n"
                                    "0.5 8 0.125 16 0 0 1:2\n"
                                    "0 0 -1 32 0 0 1:1 2:3\n"
                                    "end\n";

/* Three classes of no function, with rows and weights. */
static const char counted[] = "rvm_model 1\n"
                              "task classification\n"
                              "kernel_type none\n"
                              "nr_class 3\n"
                              "label 7 -3 0\n"
                              "total_rv 0\n"
                              "examples 9\n"
                              "class_rows 4 3 2\n"
                              "class_weights 1 0.5 0.25\n"
                              "log_evidence -4.5\n"
                              "converged 1\n"
                              "probability 1\n"
                              "class 7 0\n"
                              "class -3 0\n"
                              "class 0 0\n"
                              "RV\n"
                              "end\n";

/* The first output has the bias and the vector, the second the bias alone. */
static const char two_outputs[] = "rvm_model 1\n"
                                  "task regression\n"
                                  "kernel_type linear\n"
                                  "nr_class 2\n"
                                  "nr_output 2\n"
                                  "total_rv 1\n"
                                  "examples 9\n"
                                  "noise_variance 0.25 4\n"
                                  "noise_fixed 0\n"
                                  "log_evidence -4.5\n"
                                  "converged 1\n"
                                  "output 1 2\n"
                                  "bias 0.25 0.5 -3\n"
                                  "factor 2 1\n"
                                  "factor 4\n"
                                  "output 2 1\n"
                                  "bias 1 2 7\n"
                                  "factor 3\n"
                                  "RV\n"
                                  "0.5 8 0 0 1:2\n"
                                  "end\n";

/* The bias, two terms and a vector. */
static const char terms[] = "rvm_model 1\n"
                            "task regression\n"
                            "kernel_type linear\n"
                            "nr_class 2\n"
                            "total_rv 1\n"
                            "examples 9\n"
                            "noise_variance 0.25\n"
                            "noise_fixed 0\n"
                            "log_evidence -4.5\n"
                            "converged 1\n"
                            "bias 0.25 0.5 -3\n"
                            "basis x3 1.5 8\n"
                            "basis x1*x2147483647 -2 16\n"
                            "factor 2 1 3 4\n"
                            "factor 4 5 6\n"
                            "factor 7 8\n"
                            "factor 9\n"
                            "RV\n"
                            "0.5 32 1:2\n"
                            "end\n";

/* No kernel: the first output has two terms, the second the bias alone. */
static const char terms_alone[] = "rvm_model 1\n"
                                  "task regression\n"
                                  "kernel_type none\n"
                                  "nr_class 2\n"
                                  "nr_output 2\n"
                                  "total_rv 0\n"
                                  "examples 9\n"
                                  "noise_variance 0.25 4\n"
                                  "noise_fixed 0\n"
                                  "log_evidence -4.5\n"
                                  "converged 1\n"
                                  "output 1 2\n"
                                  "basis x0 0.5 8\n"
                                  "basis x7*x7 0.25 16\n"
                                  "factor 2 1\n"
                                  "factor 4\n"
                                  "output 2 1\n"
                                  "bias 1 2 7\n"
                                  "factor 3\n"
                                  "RV\n"
                                  "end\n";

static const char terms_of_classes[] = "rvm_model 1\n"
                                       "task classification\n"
                                       "kernel_type none\n"
                                       "nr_class 2\n"
                                       "label 1 -1\n"
                                       "total_rv 0\n"
                                       "examples 9\n"
                                       "log_evidence -4.5\n"
                                       "converged 1\n"
                                       "probability 0\n"
                                       "basis x2 1.5 8\n"
                                       "factor 2\n"
                                       "RV\n"
                                       "end\n";
/* Weights of inputs, one output of two. */
static const char weighted[] = "rvm_model 1\n"
                               "task classification\n"
                               "kernel_type rbf\n"
                               "gamma 1\n"
                               "eta 0:0.25 3:1e-300 2147483647:7\n"
                               "nr_class 2\n"
                               "label 1 -1\n"
                               "total_rv 1\n"
                               "examples 4\n"
                               "log_evidence -2.5\n"
                               "converged 0\n"
                               "probability 1\n"
                               "factor 2\n"
                               "RV\n"
                               "1 1 0:1 1:2\n"
                               "end\n";
static const char no_weights[] = "rvm_model 1\n"
                                 "task regression\n"
                                 "kernel_type linear\n"
                                 "eta\n"
                                 "nr_class 2\n"
                                 "nr_output 2\n"
                                 "total_rv 0\n"
                                 "examples 9\n"
                                 "noise_variance 0.25 4\n"
                                 "noise_fixed 0\n"
                                 "log_evidence -4.5\n"
                                 "converged 1\n"
                                 "output 1 1\n"
                                 "bias 1 2 7\n"
                                 "factor 3\n"
                                 "output 2 1\n"
                                 "bias 1 2 7\n"
                                 "factor 3\n"
                                 "RV\n"
                                 "end\n";

/* Standardised features, with their means and without; none that varies. */
static const char standardized[] = "rvm_model 1\n"
                                   "task regression\n"
                                   "kernel_type linear\n"
                                   "standardized 2 1\n"
                                   "feature 0 0.25 -3.5\n"
                                   "feature 2147483647 1e-300 1e+20\n"
                                   "nr_class 2\n"
                                   "total_rv 0\n"
                                   "examples 9\n"
                                   "noise_variance 0.25\n"
                                   "noise_fixed 0\n"
                                   "log_evidence -4.5\n"
                                   "converged 1\n"
                                   "bias 1 2 7\n"
                                   "factor 3\n"
                                   "RV\n"
                                   "end\n";
static const char scaled[] = "rvm_model 1\n"
                             "task classification\n"
                             "kernel_type rbf\n"
                             "gamma 1\n"
                             "eta 3:0.25\n"
                             "standardized 2 0\n"
                             "feature 3 0.5\n"
                             "feature 4 8\n"
                             "nr_class 2\n"
                             "label 1 -1\n"
                             "total_rv 1\n"
                             "examples 4\n"
                             "log_evidence -2.5\n"
                             "converged 0\n"
                             "probability 1\n"
                             "factor 2\n"
                             "RV\n"
                             "1 1 1:1 3:2\n"
                             "end\n";
static const char all_equal[] = "rvm_model 1\n"
                                "task classification\n"
                                "kernel_type none\n"
                                "standardized 0 1\n"
                                "nr_class 2\n"
                                "label 1 -1\n"
                                "total_rv 0\n"
                                "examples 9\n"
                                "log_evidence -4.5\n"
                                "converged 1\n"
                                "probability 0\n"
                                "bias 1 2 0\n"
                                "factor 2\n"
                                "RV\n"
                                "end\n";

/* Draws of the bias, of a term and of a vector. */
static const char drawn[] = "rvm_model 1\n"
                            "task regression\n"
                            "kernel_type linear\n"
                            "nr_class 2\n"
                            "total_rv 1\n"
                            "examples 9\n"
                            "noise_variance 0.25\n"
                            "noise_fixed 0\n"
                            "draws 3\n"
                            "noise_sd 0.5 0.25 1\n"
                            "log_likelihood -4.5\n"
                            "converged 1\n"
                            "bias 7 0.5 -0.25 0.125\n"
                            "basis x3 1 2 4.5\n"
                            "RV\n"
                            "-1 0 1e-20 1:2 4:0.5\n"
                            "end\n";
static const char drawn_classes[] = "rvm_model 1\n"
                                    "task classification\n"
                                    "kernel_type rbf\n"
                                    "gamma 1\n"
                                    "nr_class 2\n"
                                    "label 1 -1\n"
                                    "total_rv 2\n"
                                    "examples 4\n"
                                    "draws 1\n"
                                    "log_likelihood -2.5\n"
                                    "converged 0\n"
                                    "probability 1\n"
                                    "RV\n"
                                    "1.5 1:1\n"
                                    "-2.5 1:2\n"
                                    "end\n";

/* The kernel prior: a bias, a term and two vectors; a kernel matrix; two outputs; three classes of
 * one covariance, and with one each. */
static const char process[] = "rvm_model 1\n"
                              "task regression\n"
                              "kernel_type rbf\n"
                              "gamma 0.5\n"
                              "nr_class 2\n"
                              "total_rv 2\n"
                              "examples 9\n"
                              "noise_variance 0.25\n"
                              "noise_fixed 0\n"
                              "process_variance 1e-300\n"
                              "log_evidence -4.5\n"
                              "converged 1\n"
                              "bias 0.25 0.5 -3\n"
                              "basis x3 1.5 8\n"
                              "factor 2 1 3 4\n"
                              "factor 4 5 6\n"
                              "factor 7 8\n"
                              "factor 9\n"
                              "point_factor 1 -0.25\n"
                              "point_factor 0.5\n"
                              "RV\n"
                              "0.5 1:2\n"
                              "-32\n"
                              "end\n";
static const char process_matrix[] = "rvm_model 1\n"
                                     "task regression\n"
                                     "kernel_type precomputed\n"
                                     "nr_class 2\n"
                                     "total_rv 1\n"
                                     "examples 9\n"
                                     "noise_variance 0.25\n"
                                     "noise_fixed 0\n"
                                     "process_variance 3\n"
                                     "kernel_diagonal 1.75\n"
                                     "log_evidence -4.5\n"
                                     "converged 1\n"
                                     "factor 2\n"
                                     "point_factor 4\n"
                                     "RV\n"
                                     "0.5 0:3\n"
                                     "end\n";
static const char process_outputs[] = "rvm_model 1\n"
                                      "task regression\n"
                                      "kernel_type linear\n"
                                      "nr_class 2\n"
                                      "nr_output 2\n"
                                      "total_rv 1\n"
                                      "examples 9\n"
                                      "noise_variance 0.25 4\n"
                                      "noise_fixed 0\n"
                                      "process_variance 3 7\n"
                                      "log_evidence -4.5\n"
                                      "prior 0 0 1 2\n"
                                      "log_prior -1\n"
                                      "converged 1\n"
                                      "output 1 2\n"
                                      "bias 0.25 0.5 -3\n"
                                      "factor 2 1\n"
                                      "factor 4\n"
                                      "output 2 1\n"
                                      "factor 3\n"
                                      "point_factor 2\n"
                                      "RV\n"
                                      "0.5 0 1:2\n"
                                      "end\n";
/* Classes: weights alone. */
static const char process_classes[] = "rvm_model 1\n"
                                      "task classification\n"
                                      "kernel_type laplacian\n"
                                      "gamma 1\n"
                                      "nr_class 3\n"
                                      "label 7 -3 0\n"
                                      "total_rv 2\n"
                                      "examples 9\n"
                                      "process_variance 1 2 3\n"
                                      "log_evidence -4.5\n"
                                      "converged 1\n"
                                      "probability 1\n"
                                      "class 7 3\n"
                                      "bias 0.25 0.5 0\n"
                                      "class -3 2\n"
                                      "class 0 3\n"
                                      "bias 2 16 0\n"
                                      "RV\n"
                                      "0.5 0.125 3 1:2\n"
                                      "0 -1 4 1:1 2:3\n"
                                      "end\n";
static const char process_two[] = "rvm_model 1\n"
                                  "task classification\n"
                                  "kernel_type precomputed\n"
                                  "nr_class 2\n"
                                  "label 7 -3\n"
                                  "total_rv 2\n"
                                  "examples 9\n"
                                  "process_variance 2\n"
                                  "log_evidence -4.5\n"
                                  "converged 1\n"
                                  "probability 1\n"
                                  "bias 0.25 0.5 0\n"
                                  "RV\n"
                                  "0.5 0:3\n"
                                  "-1 0:5\n"
                                  "end\n";

/* All of them. */
static const char *const models[] = {
    regression,   classification, one_class,       three_classes,   counted,
    precomputed,  two_outputs,    terms,           terms_alone,     terms_of_classes,
    weighted,     no_weights,     with_prior,      drawn,           drawn_classes,
    process,      process_matrix, process_outputs, process_classes, process_two,
    standardized, scaled,         all_equal
};
enum { MODELS = sizeof models / sizeof *models };

static rvm_status read_text(rvm_model **out, const char *text, size_t length, rvm_error *err)
{
    FILE *in = fmemopen((void *)text, length, "r");
    ck_assert_ptr_nonnull(in);
    const rvm_status status = rvm_model_read(out, in, err);
    fclose(in);
    return status;
}

static rvm_model *read_ok(const char *text)
{
    rvm_model *m = NULL;
    rvm_error err = { 0 };

    ck_assert_msg(read_text(&m, text, strlen(text), &err) == RVM_OK, "%zu:%zu: %s", err.line,
                  err.column, err.message);
    return m;
}

/* Owned by the caller. */
static char *write_text(const rvm_model *m)
{
    char *text = NULL;
    size_t length = 0;
    rvm_error err = { 0 };

    FILE *out = open_memstream(&text, &length);
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(rvm_model_write(m, out, &err), RVM_OK);
    fclose(out);
    return text;
}

/* `text` with the first `from` replaced by `to`; owned by the caller. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    ck_assert_msg(at != NULL, "the case \"%s\" does not apply", from);
    const size_t size = strlen(text) + strlen(to) + 1;
    char *copy = malloc(size);

    ck_assert_ptr_nonnull(copy);
    snprintf(copy, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return copy;
}

static void expect_round_trip(const char *text)
{
    rvm_model *m = read_ok(text);
    char *again = write_text(m);

    ck_assert_str_eq(again, text);
    free(again);
    rvm_model_free(m);
}

/* The line is there or not, whatever the version. */
START_TEST(rows_of_vectors)
    {
        char *one = replaced(regression, "examples 7\n", "examples 7\nrows 7 1\n");
        char *outputs = replaced(two_outputs, "examples 9\n", "examples 9\nrows 3\n");
        rvm_model *m = read_ok(one), *none = read_ok(regression);

        ck_assert_uint_eq(m->row[0], 7);
        ck_assert_uint_eq(m->row[1], 1);
        ck_assert_ptr_null(none->row);
        expect_round_trip(one);
        expect_round_trip(outputs);
        rvm_model_free(m);
        rvm_model_free(none);
        free(one);
        free(outputs);
    }
END_TEST

START_TEST(round_trips_are_byte_identical)
    {
        expect_round_trip(models[_i]);
    }
END_TEST

START_TEST(the_locale_does_not_matter)
    {
        /* Only a locale with another decimal point shows something; not every machine has one. */
        if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
            setlocale(LC_ALL, "");
        expect_round_trip(regression);
        setlocale(LC_ALL, "C");
    }
END_TEST

START_TEST(every_field_is_read)
    {
        rvm_model *m = read_ok(regression);
        const rvm_model_info info = rvm_model_describe(m);

        ck_assert_int_eq(info.task, RVM_REGRESSION);
        ck_assert_int_eq(info.kernel.type, RVM_RBF);
        ck_assert_double_eq(info.kernel.gamma, 0.1);
        ck_assert_uint_eq(info.classes, 0);
        ck_assert_ptr_null(info.labels);
        ck_assert_uint_eq(info.vectors, 2);
        ck_assert_uint_eq(info.examples, 7);
        ck_assert_double_eq(info.noise_variance, 0.25);
        ck_assert(!info.noise_fixed && info.converged && info.has_bias);
        ck_assert_double_eq(info.log_evidence, -12.5);
        ck_assert_uint_eq(m->latent->count, 3);
        ck_assert_double_eq(m->latent->bias_mean, 22.53);
        ck_assert_double_eq(m->latent->weight[0], 0.5);
        ck_assert_double_eq(m->latent->weight[1], -1.5);
        ck_assert_double_eq(m->latent->weight[2], 2.25);
        ck_assert_double_eq(m->latent->alpha[1], 3);
        const double factor[] = { 2, -1, 0.5, 4, 1e-300, 5 };
        ck_assert_mem_eq(m->latent->factor, factor, sizeof factor);
        ck_assert_uint_eq(m->vectors->start[1], 2);
        ck_assert_int_eq(m->vectors->index[1], 2147483647);
        ck_assert_double_eq(m->vectors->value[0], 1.0 / 3);
        rvm_model_free(m);
    }
END_TEST

START_TEST(weights_of_inputs_are_read)
    {
        rvm_model *m = read_ok(weighted);
        const rvm_input_weights *inputs = rvm_model_describe(m).kernel.inputs;
        ck_assert_ptr_nonnull(inputs);
        ck_assert_uint_eq(inputs->count, 3);
        const int index[] = { 0, 3, 2147483647 };
        const double weight[] = { 0.25, 1e-300, 7 };
        ck_assert_mem_eq(inputs->index, index, sizeof index);
        ck_assert_mem_eq(inputs->weight, weight, sizeof weight);
        rvm_model_free(m);
        m = read_ok(regression);
        ck_assert_ptr_null(rvm_model_describe(m).kernel.inputs);
        rvm_model_free(m);
    }
END_TEST

START_TEST(standardized_features_are_read)
    {
        rvm_model *m = read_ok(standardized);
        const int index[] = { 0, 2147483647 };
        const double scale[] = { 0.25, 1e-300 }, mean[] = { -3.5, 1e20 }, none[] = { 0, 0 };

        ck_assert(m->standard.used && m->standard.centred);
        ck_assert_uint_eq(m->standard.count, 2);
        ck_assert_mem_eq(m->standard.index, index, sizeof index);
        ck_assert_mem_eq(m->standard.scale, scale, sizeof scale);
        ck_assert_mem_eq(m->standard.mean, mean, sizeof mean);
        rvm_model_free(m);
        m = read_ok(scaled);
        ck_assert(rvm_model_describe(m).standardized && !rvm_model_describe(m).centred);
        ck_assert_uint_eq(rvm_model_describe(m).varied, 2);
        ck_assert_mem_eq(m->standard.mean, none, sizeof none);
        rvm_model_free(m);
        m = read_ok(all_equal);
        ck_assert(rvm_model_describe(m).standardized);
        ck_assert_uint_eq(rvm_model_describe(m).varied, 0);
        rvm_model_free(m);
    }
END_TEST

START_TEST(classes_and_parameters_are_read)
    {
        rvm_model *m = read_ok(classification);
        const rvm_model_info info = rvm_model_describe(m);

        ck_assert_int_eq(info.task, RVM_CLASSIFICATION);
        ck_assert_int_eq(info.kernel.type, RVM_POLYNOMIAL);
        ck_assert_int_eq(info.kernel.degree, 3);
        ck_assert_double_eq(info.kernel.gamma, 0.5);
        ck_assert_double_eq(info.kernel.coef0, -1);
        ck_assert_uint_eq(info.classes, 2);
        ck_assert_int_eq(info.labels[0], 1);
        ck_assert_int_eq(info.labels[1], -1);
        ck_assert(info.probability && !info.converged && !info.has_bias);
        rvm_model_free(m);
    }
END_TEST

START_TEST(latent_functions_are_read)
    {
        rvm_model *m = read_ok(three_classes);
        const rvm_model_info info = rvm_model_describe(m);
        const rvm_latent *f = m->latent;

        ck_assert_uint_eq(info.classes, 3);
        ck_assert_int_eq(info.labels[1], -3);
        ck_assert_uint_eq(info.vectors, 2);
        ck_assert(info.has_bias && info.probability);
        ck_assert_uint_eq(m->latent_count, 3);
        ck_assert(f[0].terms == 1 && f[1].terms == 0 && f[2].terms == 0);
        ck_assert(rvm_latent_has_bias(&f[0]) && !rvm_latent_has_terms(&f[0]));
        ck_assert(f[0].count == 2 && f[1].count == 2 && f[2].count == 0);
        ck_assert_uint_eq(f[0].vector[0], 0);
        ck_assert_uint_eq(f[1].vector[0], 0);
        ck_assert_uint_eq(f[1].vector[1], 1);
        ck_assert(f[0].weight[0] == 0.25 && f[0].weight[1] == 0.5);
        ck_assert(f[0].alpha[0] == 0.5 && f[0].alpha[1] == 8);
        ck_assert(f[1].weight[0] == 0.125 && f[1].weight[1] == -1);
        ck_assert(f[1].alpha[0] == 16 && f[1].alpha[1] == 32);
        ck_assert(f[1].factor[0] == 4 && f[1].factor[1] == -1 && f[1].factor[2] == 5);
        rvm_model_free(m);
    }
END_TEST

START_TEST(outputs_are_read)
    {
        rvm_model *m = read_ok(two_outputs);
        const rvm_model_info info = rvm_model_describe(m);

        ck_assert_uint_eq(info.outputs, 2);
        ck_assert_uint_eq(info.classes, 0);
        ck_assert_double_eq(info.noise_variance, 0.25);
        ck_assert_double_eq(rvm_model_noise_variance(m, 0), 0.25);
        ck_assert_double_eq(rvm_model_noise_variance(m, 1), 4);
        ck_assert_uint_eq(m->latent_count, 2);
        ck_assert(m->latent[0].count == 2 && m->latent[1].count == 1);
        ck_assert(m->latent[0].bias_mean == -3 && m->latent[1].bias_mean == 7);
        ck_assert(m->latent[0].weight[1] == 0.5 && m->latent[1].weight[0] == 1);
        rvm_model_free(m);
    }
END_TEST

START_TEST(terms_are_read)
    {
        rvm_model *m = read_ok(terms);
        const rvm_latent *f = m->latent;
        char *names = NULL;
        rvm_error err = { 0 };

        ck_assert(rvm_model_describe(m).has_terms && rvm_model_describe(m).has_bias);
        ck_assert(f->count == 4 && f->terms == 3 && f->bias_mean == -3);
        ck_assert_int_eq(f->term[2].degree, 2);
        ck_assert_int_eq(f->term[2].feature[0], 1);
        ck_assert_int_eq(f->term[2].feature[1], 2147483647);
        ck_assert(f->weight[0] == 0.25 && f->weight[1] == 1.5);
        ck_assert(f->weight[2] == -2 && f->weight[3] == 0.5);
        ck_assert(f->alpha[0] == 0.5 && f->alpha[1] == 8 && f->alpha[2] == 16 && f->alpha[3] == 32);
        ck_assert_uint_eq(f->vector[0], 0);
        ck_assert_int_eq(rvm_model_terms(&names, m, &err), RVM_OK);
        ck_assert_str_eq(names, "bias x3 x1*x2147483647");
        free(names);
        rvm_model_free(m);
    }
END_TEST

START_TEST(priors_are_read)
    {
        char *of_noise = replaced(with_prior, "prior 0.5 1e-300 0 2", "prior 0 0 1.5 0");
        rvm_model *m = read_ok(with_prior), *n = read_ok(of_noise), *flat = read_ok(terms);

        ck_assert(m->weight_prior.shape == 0.5 && m->weight_prior.rate == 1e-300);
        ck_assert(m->noise_prior.shape == 0 && m->noise_prior.rate == 2);
        ck_assert(rvm_model_describe(m).has_prior && rvm_model_describe(n).has_prior);
        ck_assert_double_eq(rvm_model_describe(m).log_prior, 3.25);
        ck_assert_double_eq(rvm_model_describe(m).log_evidence, -12.5);
        ck_assert(!rvm_model_describe(flat).has_prior);
        ck_assert_double_eq(rvm_model_describe(flat).log_prior, 0);
        rvm_model_free(m);
        rvm_model_free(n);
        rvm_model_free(flat);
        free(of_noise);
    }
END_TEST

/* Of several functions each name once, whichever has it. */
START_TEST(draws_are_read)
    {
        rvm_model *m = read_ok(drawn);
        const rvm_model_info info = rvm_model_describe(m);
        const rvm_latent *f = m->latent;
        const double draws[] = { 0.5, -0.25, 0.125, 1, 2, 4.5, -1, 0, 1e-20 };

        ck_assert_uint_eq(info.draws, 3);
        ck_assert_double_eq(info.log_evidence, -4.5);
        ck_assert_double_eq(info.noise_variance, 0.25);
        ck_assert(info.has_bias && info.has_terms);
        ck_assert_uint_eq(f->count, 3);
        ck_assert_uint_eq(f->terms, 2);
        ck_assert_double_eq(f->bias_mean, 7);
        ck_assert_mem_eq(f->draw, draws, sizeof draws);
        ck_assert_double_eq(f->noise_sd[1], 0.25);
        ck_assert_double_eq_tol(f->weight[0], 0.125, 1e-15);
        ck_assert_double_eq_tol(f->weight[1], 2.5, 1e-15);
        ck_assert_uint_eq(f->vector[0], 0);
        ck_assert_int_eq(m->vectors->index[1], 4);
        rvm_model_free(m);

        m = read_ok(drawn_classes);
        ck_assert_uint_eq(rvm_model_describe(m).draws, 1);
        ck_assert_uint_eq(m->latent->vector[1], 1);
        rvm_model_free(m);
    }
END_TEST

START_TEST(kernel_priors_are_read)
    {
        rvm_model *m = read_ok(process), *flat = read_ok(regression);
        const rvm_latent *f = m->latent;
        const double U[] = { 1, -0.25, 0.5 }, alpha[] = { 0.5, 8, 0, 0 };

        ck_assert(rvm_model_is_process(m) && !rvm_model_is_process(flat));
        ck_assert_ptr_null(flat->point_factor);
        ck_assert_double_eq(flat->latent->process_variance, 0);
        ck_assert_double_eq(f->process_variance, 1e-300);
        ck_assert_mem_eq(m->point_factor, U, sizeof U);
        ck_assert(f->count == 4 && f->terms == 2);
        ck_assert_mem_eq(f->alpha, alpha, sizeof alpha);
        ck_assert(f->weight[2] == 0.5 && f->weight[3] == -32 && f->vector[1] == 1);
        ck_assert(rvm_model_has_covariance(m) && rvm_model_has_covariance(flat));
        rvm_model_free(m);
        rvm_model_free(flat);

        m = read_ok(process_matrix);
        ck_assert_double_eq(m->kernel_diagonal, 1.75);
        ck_assert_double_eq(m->latent->process_variance, 3);
        rvm_model_free(m);
    }
END_TEST

START_TEST(kernel_priors_of_classes)
    {
        rvm_model *m = read_ok(process_classes);
        const rvm_latent *f = m->latent;

        ck_assert(rvm_model_is_process(m) && !rvm_model_has_covariance(m));
        ck_assert(f[0].process_variance == 1 && f[2].process_variance == 3);
        ck_assert(f[0].factor == NULL && f[2].factor == NULL && m->point_factor == NULL);
        ck_assert(f[0].weight[2] == 0 && f[1].weight[1] == -1 && f[2].weight[1] == 3);
        ck_assert_uint_eq(f[2].vector[1], 1);
        rvm_model_free(m);
    }
END_TEST

/* Both may be absent, and weights are with rows only. */
START_TEST(rows_and_weights_of_classes_are_read)
    {
        char *equal = replaced(counted, "class_weights 1 0.5 0.25\n", "");
        rvm_model *m = read_ok(counted), *n = read_ok(equal), *old = read_ok(three_classes);
        const rvm_model_info info = rvm_model_describe(m), even = rvm_model_describe(n);

        ck_assert_uint_eq(info.class_rows[0], 4);
        ck_assert_uint_eq(info.class_rows[2], 2);
        ck_assert_double_eq(info.class_weights[1], 0.5);
        ck_assert_double_eq(info.class_weights[2], 0.25);
        ck_assert_uint_eq(even.class_rows[1], 3);
        ck_assert_ptr_null(even.class_weights);
        ck_assert_ptr_null(rvm_model_describe(old).class_rows);
        expect_round_trip(equal);
        rvm_model_free(m);
        rvm_model_free(n);
        rvm_model_free(old);
        free(equal);
    }
END_TEST

START_TEST(names_of_terms_are_sorted)
    {
        rvm_model *m = read_ok(terms_alone), *none = read_ok(one_class);
        char *names = NULL;
        rvm_error err = { 0 };

        ck_assert_int_eq(rvm_model_terms(&names, m, &err), RVM_OK);
        ck_assert_str_eq(names, "bias x0 x7*x7");
        free(names);
        ck_assert_int_eq(rvm_model_terms(&names, none, &err), RVM_OK);
        ck_assert_str_eq(names, "");
        ck_assert(!rvm_model_describe(none).has_terms);
        free(names);
        rvm_model_free(m);
        rvm_model_free(none);
    }
END_TEST

START_TEST(line_ends_of_other_systems_are_read)
    {
        rvm_model *m = read_ok("rvm_model 1\r\ntask classification\r\nkernel_type linear\r\n"
                               "nr_class 1\r\nlabel 5\r\ntotal_rv 0\r\nexamples 4\r\n"
                               "log_evidence 0\r\nconverged 1\r\nprobability 0\r\nRV\r\nend\r\n");

        ck_assert_int_eq(m->label[0], 5);
        rvm_model_free(m);
    }
END_TEST

typedef struct {
    const char *base, *from, *to;
    size_t line, column;
    const char *words; /* in the message */
} bad_case;

static const bad_case bad_cases[] = {
    { regression, "rvm_model 1", "rvm_model 6", 1, 11, "no version but 1" },
    { regression, "rvm_model 1", "rvm_model 0", 1, 11, "no version but 1" },
    { two_outputs, "rvm_model 1", "rvm_model 2", 1, 11, "train the model again" },
    { terms, "rvm_model 1", "rvm_model 3", 1, 11, "train the model again" },
    { with_prior, "rvm_model 1", "rvm_model 4", 1, 11, "train the model again" },
    { drawn, "rvm_model 1", "rvm_model 5", 1, 11, "train the model again" },
    { drawn, "draws 3\nnoise_sd 0.5 0.25 1\n", "", 9, 1, "\"log_evidence\" is expected" },
    { drawn, "log_likelihood", "log_evidence", 11, 1, "\"log_likelihood\" is expected" },
    { drawn, "0.25\nnoise_fixed 0\ndraws", "0.25 1\nnoise_fixed 0\ndraws", 7, 21, "complete" },
    { drawn, "converged 1", "prior 1 1 0 0\nlog_prior 1\nconverged 1", 12, 1, "no such line" },
    { two_outputs, "log_evidence", "draws 1\nlog_evidence", 10, 1, "no such line" },
    { drawn, "draws 3\n", "", 9, 1, "\"log_evidence\" is expected" },
    { drawn, "draws 3", "draws 0", 9, 7, "whole number" },
    { drawn, "draws 3", "draws 100000", 10, 20, "a number is expected" },
    { drawn, "draws 3", "draws 100001", 9, 7, "whole number" },
    { drawn, "draws 3", "draws 2", 10, 19, "complete" },
    { drawn, "noise_sd 0.5 0.25 1\n", "", 10, 1, "\"noise_sd\" is expected" },
    { drawn, "0.25 1\n", "0 1\n", 10, 14, "above 0" },
    { drawn, "bias 7 0.5 -0.25 0.125", "bias 0.5 -0.25 0.125", 13, 21, "a number is expected" },
    { drawn, "bias 7 0.5", "bias nan 0.5", 13, 6, "a number is expected" },
    { drawn, "basis x3 1 2 4.5", "basis x3 1 2", 14, 13, "a number is expected" },
    { drawn, "basis x3 1 2 4.5", "basis x3 1 2 4.5 6", 14, 18, "complete" },
    { drawn, "basis x3", "basis x0x", 14, 7, "the name of a basis function" },
    { drawn, "basis x3 1 2 4.5\n", "basis x3 1 2 4.5\nbasis x3 1 2 4.5\n", 15, 7, "ascend" },
    { drawn, "bias 7", "bias 7 1 1 1\nbias 7", 14, 1, "\"RV\" is expected" },
    { drawn, "-1 0 1e-20 1:2", "-1 0 1:2", 16, 6, "a number is expected" },
    { drawn, "-1 0 1e-20 1:2", "-1 0 1e-20 3 1:2", 16, 12, "index:value" },
    { drawn, "total_rv 1", "total_rv 2", 17, 1, "a number is expected" },
    { drawn, "linear", "precomputed", 14, 1, "\"RV\" is expected" },
    { drawn_classes, "nr_class 2\nlabel 1 -1", "nr_class 3\nlabel 1 -1 0", 9, 1, "no such line" },
    { drawn_classes, "nr_class 2\nlabel 1 -1", "nr_class 1\nlabel 1", 9, 1, "no such line" },
    { drawn_classes, "draws 1\n", "draws 1\nnoise_sd 1\n", 10, 1,
      "\"log_likelihood\" is expected" },
    { process, "process_variance 1e-300", "process_variance 0", 10, 18, "above 0" },
    { process, "process_variance 1e-300", "process_variance -1", 10, 18, "above 0" },
    { process, "process_variance 1e-300", "process_variance inf", 10, 18, "number" },
    { process, "process_variance 1e-300", "process_variance", 10, 17, "number" },
    { process, "process_variance 1e-300", "process_variance 1 2", 10, 20, "complete" },
    { process, "process_variance 1e-300\n", "", 18, 1, "\"RV\" is expected" },
    { process, "process_variance", "process_variance 1\nprocess_variance", 11, 1,
      "\"log_evidence\" is expected" },
    { process, "log_evidence", "kernel_diagonal 1\nlog_evidence", 11, 1,
      "\"log_evidence\" is expected" },
    { process, "0.5 1:2", "0.5 3 1:2", 22, 5, "index:value" },
    { process, "-32", "-32 1", 23, 5, "index:value" },
    { process, "-32", "nan", 23, 1, "number" },
    { process, "basis x3 1.5 8", "basis x3 1.5", 14, 13, "number" },
    { process, "basis x3 1.5 8", "basis x3 1.5 0", 14, 14, "above 0" },
    { process, "point_factor 1 -0.25\n", "", 19, 17, "number" },
    { process, "point_factor 1 -0.25\npoint_factor 0.5\n", "", 19, 1,
      "\"point_factor\" is expected" },
    { process, "point_factor 0.5\n", "", 20, 1, "\"point_factor\" is expected" },
    { process, "point_factor 0.5\n", "point_factor 0.5\npoint_factor 1\n", 21, 1,
      "\"RV\" is expected" },
    { process, "point_factor 1 ", "point_factor 0 ", 19, 14, "above 0" },
    { process, "point_factor 0.5", "point_factor -0.5", 20, 14, "above 0" },
    { process, "point_factor 1 -0.25", "point_factor 1 inf", 19, 16, "number" },
    { process, "point_factor 0.5", "point_factor 0.5 1", 20, 18, "complete" },
    { regression, "factor 5\n", "factor 5\npoint_factor 1\n", 16, 1, "\"RV\" is expected" },
    { process, "total_rv 2", "total_rv 1", 15, 14, "complete" },
    { one_class, "log_evidence", "process_variance 1\nlog_evidence", 8, 1, "no such line" },
    { terms_of_classes, "log_evidence", "process_variance 1\nlog_evidence", 8, 1, "no such line" },
    { drawn, "log_likelihood", "process_variance 1\nlog_likelihood", 11, 1, "no such line" },
    { regression, "noise_variance", "process_variance 1\nnoise_variance", 8, 1,
      "\"noise_variance\" is expected" },
    { process_matrix, "kernel_diagonal 1.75\n", "", 10, 1, "\"kernel_diagonal\" is expected" },
    { process_matrix, "kernel_diagonal 1.75", "kernel_diagonal -1", 10, 17, "0 or more" },
    { process_matrix, "kernel_diagonal 1.75", "kernel_diagonal 1 2", 10, 19, "complete" },
    { precomputed, "log_evidence", "kernel_diagonal 1\nlog_evidence", 9, 1,
      "\"log_evidence\" is expected" },
    { process_matrix, "0.5 0:3", "0.5 1 0:3", 16, 5, "index:value" },
    { process_outputs, "process_variance 3 7", "process_variance 3", 10, 19, "number" },
    { process_outputs, "process_variance 3 7", "process_variance 3 0", 10, 20, "above 0" },
    { process_outputs, "output 2 1", "output 2 0", 20, 1, "output 2 must have all vectors" },
    { process_outputs, "output 2 1", "output 2 2", 20, 1, "output 2 must have all vectors" },
    { process_outputs, "output 1 2", "output 1 1", 17, 1, "output 1 must have all vectors" },
    { process_outputs, "0.5 0 1:2", "0.5 1:2", 23, 5, "number" },
    { process_outputs, "0.5 0 1:2", "0.5 0 0 1:2", 23, 7, "index:value" },
    { process_two, "log_evidence", "kernel_diagonal 1\nlog_evidence", 9, 1,
      "\"log_evidence\" is expected" },
    { process_two, "RV\n", "factor 2 1 1\nRV\n", 13, 1, "\"RV\" is expected" },
    { process_two, "RV\n", "point_factor 1 0\nRV\n", 13, 1, "\"RV\" is expected" },
    { process_two, "process_variance 2\n", "", 12, 1, "\"factor\" is expected" },
    { process_classes, "process_variance 1 2 3\n", "", 14, 1, "\"factor\" is expected" },
    { process_classes, "class -3 2\n", "class -3 1\n", 16, 1, "class -3 must have all" },
    { process_classes, "class 0 3\n", "factor 1\nclass 0 3\n", 16, 1, "\"class\" is expected" },
    { weighted, "eta", "eta 1:1\neta", 6, 1, "\"nr_class\" is expected" },
    { weighted, "3:1e-300", "0:1e-300", 5, 12, "ascend" },
    { standardized, "standardized 2", "standardized 3", 7, 1, "\"feature\" is expected" },
    { standardized, "standardized 2", "standardized 1", 6, 1, "\"nr_class\" is expected" },
    { standardized, "standardized 2 1", "standardized 2 2", 4, 16, "whole number" },
    { standardized, "standardized 2 1", "standardized 2", 4, 15, "number" },
    { standardized, "standardized 2 1", "standardized 2 0", 5, 16, "complete" },
    { standardized, "standardized 2", "standardized 2147483648", 4, 14, "whole number" },
    { standardized, "feature 2147483647", "feature 0", 6, 9, "ascend" },
    { standardized, "feature 2147483647", "feature 2147483648", 6, 9, "whole number" },
    { standardized, "0.25 -3.5", "0 -3.5", 5, 11, "above 0" },
    { standardized, "0.25 -3.5", "-1 -3.5", 5, 11, "above 0" },
    { standardized, "0.25 -3.5", "0.25 inf", 5, 16, "number" },
    { standardized, "0.25 -3.5", "0.25", 5, 15, "number" },
    { standardized, "0.25 -3.5", "0.25 1 1", 5, 18, "complete" },
    { precomputed, "nr_class", "standardized 0 1\nnr_class", 4, 1, "no such line" },
    { weighted, "3:1e-300", "3:0", 5, 12, "a number above 0" },
    { weighted, "3:1e-300", "3:-1", 5, 12, "a number above 0" },
    { weighted, "3:1e-300", "3:nan", 5, 12, "number" },
    { weighted, "3:1e-300", "3:1e999", 5, 12, "too large" },
    { weighted, "3:1e-300", "3", 5, 12, "index:value" },
    { weighted, "3:1e-300", "-3:1", 5, 12, "whole number" },
    { weighted, "2147483647:7", "2147483648:7", 5, 21, "whole number" },
    { weighted, "rbf\ngamma 1", "spline", 4, 1, "no such line" },
    { weighted, "nr_class 2\nlabel 1 -1", "nr_class 2\nnr_output 2\nlabel 1 -1", 7, 1,
      "\"label\" is expected" },
    { no_weights, "nr_output 2", "nr_output 1", 6, 11, "whole number" },
    { two_outputs, "nr_output 2\n", "", 7, 21, "complete" },
    { classification, "total_rv", "nr_output 2\ntotal_rv", 9, 1, "no such line" },
    { two_outputs, "nr_output 2", "nr_output 1", 5, 11, "whole number" },
    { two_outputs, "nr_output 2", "nr_output 3", 8, 22, "number" },
    { two_outputs, "nr_output 2", "nr_output 2147483647", 8, 22, "number" },
    { two_outputs, "noise_variance 0.25 4", "noise_variance 0.25 0", 8, 21, "above 0" },
    { two_outputs, "noise_variance 0.25 4", "noise_variance 0.25 4 1", 8, 23, "complete" },
    { two_outputs, "output 1 2", "class 1 2", 12, 1, "\"output\" is expected" },
    { two_outputs, "output 1 2", "output 2 2", 12, 8, "order" },
    { two_outputs, "output 1 2", "output 1 3", 14, 11, "number" },
    { two_outputs, "0.5 8 0 0 1:2", "0 0 0 0 1:2", 20, 1, "no output uses" },
    { two_outputs, "0.5 8 0 0 1:2", "0.5 8 3 1 1:2", 20, 9, "the output has more" },
    { two_outputs, "total_rv 1", "total_rv 0", 19, 1, "output 1 has fewer" },
    { regression, "rvm_model 1", "rvm_model", 1, 10, "version" },
    { regression, "rvm_model 1", "rvm_model 1 x", 1, 13, "complete" },
    { regression, "rvm_model 1", "svm_type c_svc", 1, 1, "a LIBSVM model" },
    { regression, "rvm_model 1", "solver_type L2R_LR", 1, 1, "a LIBSVM model" },
    { regression, "rvm_model 1", "+1 1:0.5 2:0.25", 1, 1, "not a model" },
    { regression, "rvm_model 1", "", 1, 1, "not a model" },
    { regression, "task regression", "task clustering", 2, 6, "classification" },
    { regression, "task regression\n", "", 2, 1, "\"task\" is expected" },
    { regression, "kernel_type rbf", "kernel_type wavelet", 3, 13, "kernel" },
    { regression, "kernel_type rbf", "kernel_type", 3, 12, "kernel" },
    { regression, "rbf", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 3, 13, "kernel" },
    { regression, "gamma 0.1", "gamma nan ", 4, 7, "number" },
    { regression, "gamma 0.1", "gamma inf ", 4, 7, "number" },
    { regression, "gamma 0.1", "gamma 0x1", 4, 7, "number" },
    { regression, "gamma 0.1", "gamma 1e999 ", 4, 7, "too large" },
    { regression, "gamma 0.1", "gamma -0.1", 4, 7, "0 or more" },
    { regression, "gamma 0.1", "gamma 0,1", 4, 7, "number" },
    { regression, "gamma 0.10000000000000001\n", "", 4, 1, "\"gamma\" is expected" },
    { regression, "nr_class 2", "nr_class 3", 5, 10, "whole number" },
    { regression, "nr_class 2", "nr_class 2\nnr_class 2", 6, 1, "\"total_rv\" is expected" },
    { regression, "total_rv 2", "total_rv -1", 6, 10, "whole number" },
    { regression, "total_rv 2", "total_rv 1.5", 6, 10, "whole number" },
    { regression, "total_rv 2", "total_rv 2147483647", 13, 16, "number" },
    { regression, "total_rv 2", "total_rv 99999999999999", 6, 10, "whole number" },
    { regression, "total_rv 2", "total_rv 1", 13, 13, "complete" },
    { regression, "total_rv 2", "total_rv 3", 13, 16, "number" },
    { regression, "examples 7", "examples 0", 7, 10, "whole number" },
    { regression, "examples 7", "examples 7\nrows 1", 8, 7, "number" },
    { regression, "examples 7", "examples 7\nrows 1 2 3", 8, 10, "complete" },
    { regression, "examples 7", "examples 7\nrows 1 8", 8, 8, "from 1 to 7" },
    { regression, "examples 7", "examples 7\nrows 0 1", 8, 6, "from 1 to 7" },
    { regression, "examples 7", "examples 7\nrows 1 2\nrows 1 2", 9, 1, "\"noise_variance\" is" },
    { one_class, "examples 4", "examples 4\nrows 1", 8, 1, "no such line" },
    { regression, "noise_variance 0.25", "noise_variance 0", 8, 16, "above 0" },
    { regression, "noise_variance 0.25", "noise_variance -1", 8, 16, "above 0" },
    { regression, "noise_fixed 0", "noise_fixed 2", 9, 13, "whole number" },
    { regression, "log_evidence -12.5", "log_evidence", 10, 13, "number" },
    { regression, "converged 1", "converged yes", 11, 11, "number" },
    { regression, "converged 1", "convergence 1", 11, 1, "\"converged\" is expected" },
    { regression, "bias 0.5 4.9", "bias 0.5 -4.9", 12, 10, "above 0" },
    { regression, "e-324 22.530000000000001", "e-324", 12, 33, "number" },
    { regression, "factor 2", "factor 0", 13, 8, "above 0" },
    { regression, "factor 4", "factor -4", 14, 8, "above 0" },
    { regression, "factor 5\n", "", 15, 1, "\"factor\" is expected" },
    { regression, "factor 5\n", "factor 5\nfactor 5\n", 16, 1, "\"RV\" is expected" },
    { regression, "RV", "RV 2", 16, 4, "complete" },
    { regression, "-1.5 3 ", "-1.5 0 ", 17, 6, "above 0" },
    { regression, " 1:0.33", " -1:0.33", 17, 8, "index" },
    { regression, " 1:0.33", " 0.33", 17, 8, "index:value" },
    { regression, "2147483647:", "2147483648:", 17, 30, "index" },
    { regression, "2147483647:", "1:", 17, 30, "ascend" },
    { regression, "2147483647:-1e+100", "2147483647:", 17, 30, "number" },
    { regression, "2.25 1.79", "x 1.79", 18, 1, "number" },
    { regression, "2.25 1.7976931348623157e+308\n", "", 18, 1, "number" },
    { regression, "2.25 1.7976931348623157e+308\n", "1 1\n1 1\n", 19, 1, "\"end\" is expected" },
    { regression, "end\n", "", 19, 1, "cut short" },
    { regression, "end\n", "end\n\n", 20, 1, "after" },
    { regression, "end\n", "end of it\n", 19, 5, "complete" },
    { classification, "label 1 -1", "label 1", 8, 8, "number" },
    { classification, "label 1 -1", "label 1 1", 8, 9, "differ" },
    { classification, "label 1 -1", "label 1 2147483648", 8, 9, "whole number" },
    { classification, "label 1 -1", "label 1 -1 3", 8, 12, "complete" },
    { classification, "nr_class 2", "nr_class 3", 8, 11, "number" },
    { classification, "nr_class 2\nlabel 1 -1", "nr_class 3\nlabel 1 -1 0", 14, 1,
      "\"class\" is expected" },
    { classification, "nr_class 2", "nr_class 0", 7, 10, "whole number" },
    { classification, "degree 3", "degree -1", 4, 8, "whole number" },
    { classification, "coef0 -1", "coef0 -1x", 6, 7, "number" },
    { classification, "probability 1\n", "", 13, 1, "\"probability\" is expected" },
    { three_classes, "nr_class 3", "nr_class 2147483647", 5, 13, "number" },
    { three_classes, "nr_class 3", "nr_class 2147483648", 4, 10, "whole number" },
    { three_classes, "nr_class 3", "nr_class 4", 5, 13, "number" },
    { three_classes, "nr_class 3", "nr_class 2", 5, 12, "complete" },
    { three_classes, "label 7 -3 0", "label 7 -3 7", 5, 12, "differ" },
    { counted, "class_rows 4 3 2", "class_rows 4 3 3", 8, 1, "as many rows as there are examples" },
    { counted, "class_rows 4 3 2", "class_rows 4 5", 8, 15, "number" },
    { counted, "class_rows 4 3 2", "class_rows 4 3 2 0", 8, 18, "complete" },
    { counted, "class_rows 4 3 2", "class_rows 0 4 5", 8, 12, "whole number" },
    { counted, "class_rows 4 3 2", "class_rows 10 3 2", 8, 12, "whole number" },
    { counted, "class_rows 4 3 2\n", "", 8, 1, "\"log_evidence\" is expected" },
    { counted, "class_weights 1 0.5 0.25", "class_weights 1 0 0.25", 9, 17, "above 0" },
    { counted, "class_weights 1 0.5 0.25", "class_weights 1 0.5", 9, 20, "number" },
    { counted, "class_weights 1 0.5 0.25", "class_weights 1 2 0.25", 9, 17, "to 1 is expected" },
    { counted, "class_weights 1 0.5 0.25", "class_weights 1 1e-16 1", 9, 17,
      "2.220446049250313e-16" },
    { regression, "noise_variance", "class_rows 7\nnoise_variance", 8, 1, "no such line" },
    { three_classes, "label 7 -3 0", "label 7 0 0", 5, 11, "differ" },
    { three_classes, "class 7 2", "class -3 2", 11, 7, "order" },
    { three_classes, "class 7 2", "class x 2", 11, 7, "number" },
    { three_classes, "class 7 2", "class 7", 11, 8, "number" },
    { three_classes, "class 7 2", "class 7 -1", 11, 9, "whole number" },
    { three_classes, "class 7 2", "class 7 2 2", 11, 11, "complete" },
    { three_classes, "class 7 2", "class 7 2147483647", 13, 11, "number" },
    { three_classes, "class 7 2", "class 7 0", 12, 1, "the class has more" },
    { three_classes, "class 7 2", "class 7 1", 13, 10, "complete" },
    { three_classes, "class 7 2\n", "", 11, 1, "\"class\" is expected" },
    { three_classes, "bias 0.25 0.5 0\n", "", 20, 1, "fewer" },
    { three_classes, "class -3 2\n", "", 15, 1, "\"class\" is expected" },
    { three_classes, "class 0 0\n", "", 18, 1, "\"class\" is expected" },
    { three_classes, "class 0 0\n", "class 0 0\nclass 1 0\n", 19, 1, "\"RV\" is expected" },
    { three_classes, "class 0 0\n", "class 0 1\nfactor 1\n", 22, 1, "fewer" },
    { three_classes, "class 0 0\nRV\n", "class 0 0\nbias 1 1 0\nRV\n", 19, 1,
      "the class has more" },
    { three_classes, "0 0 -1 32", "1 2 -1 32", 21, 3, "more" },
    { three_classes, "0 0 -1 32", "0 0 0 0", 21, 1, "no class" },
    { three_classes, "0 0 -1 32", "0 0 -1 0", 21, 8, "above 0" },
    { three_classes, "0 0 -1 32", "0 0 -1 -2", 21, 8, "above 0" },
    { three_classes, "0 0 -1 32", "0 -2 -1 32", 21, 3, "above 0" },
    { three_classes, "0 0 -1 32", "0 -1 32", 21, 3, "above 0" },
    { three_classes, "32 0 0 1:1", "32 0 1:1", 21, 13, "number" },
    { three_classes, "16 0 0 1:2", "16 3 3 1:2", 20, 18, "more" },
    { three_classes, "0.5 8 0.125 16", "0 0 0.125 16", 21, 1, "fewer" },
    { three_classes, "total_rv", "multiclass\ntotal_rv", 6, 11, "\"ovr\" is expected" },
    { three_classes, "total_rv", "multiclass pairs\ntotal_rv", 6, 12, "\"ovr\" is expected" },
    { three_classes, "total_rv", "multiclass ovr 1\ntotal_rv", 6, 16, "complete" },
    { three_classes, "total_rv", "multiclass ovr\nmulticlass ovr\ntotal_rv", 7, 1,
      "\"total_rv\" is expected" },
    { classification, "total_rv", "multiclass ovr\ntotal_rv", 9, 1, "no such line" },
    { regression, "total_rv", "multiclass softmax\ntotal_rv", 6, 1, "no such line" },
    { precomputed, "0:3", "0:0", 13, 1, "serial" },
    { precomputed, "0:3", "0:1.5", 13, 1, "serial" },
    { precomputed, "0:3", "0:3 1:1", 13, 1, "serial" },
    { precomputed, "0:3", "1:3", 13, 1, "serial" },
    { precomputed, "1 1 0:3", "1 1", 13, 1, "serial" },
    { terms, "basis x3 1.5 8", "basis", 12, 6, "the name of a basis function" },
    { terms, "basis x3", "basis bias", 12, 7, "the name of a basis function" },
    { terms, "basis x3", "basis x-1", 12, 7, "the name of a basis function" },
    { terms, "basis x3", "basis x2147483648", 12, 7, "the name of a basis function" },
    { terms, "basis x3", "basis x3*x1", 12, 7, "the name of a basis function" },
    { with_prior, "prior 0.5 1e-300 0 2\n", "", 10, 1, "\"converged\" is expected" },
    { regression, "converged 1", "prior 1 1 0 0\nconverged 1", 12, 1, "\"log_prior\" is expected" },
    { with_prior, "log_prior 3.25\n", "", 11, 1, "\"log_prior\" is expected" },
    { with_prior, "log_prior 3.25", "log_prior inf", 11, 11, "number" },
    { with_prior, "prior 0.5 1e-300 0 2", "prior 0.5 -1 0 2", 10, 11, "0 or more" },
    { with_prior, "prior 0.5 1e-300 0 2", "prior nan 1 0 2", 10, 7, "number" },
    { with_prior, "prior 0.5 1e-300 0 2", "prior 0.5 1", 10, 12, "number" },
    { with_prior, "prior 0.5 1e-300 0 2", "prior 1 1 0 2 0", 10, 15, "complete" },
    { with_prior, "prior 0.5 1e-300 0 2", "prior 0 0 0 0", 10, 13, "flat" },
    { terms, "basis x3", "basis 3", 12, 7, "the name of a basis function" },
    { terms, "basis x3 1.5 8", "basis x3 1.5", 12, 13, "number" },
    { terms, "basis x3 1.5 8", "basis x3 1.5 0", 12, 14, "above 0" },
    { terms, "basis x3 1.5 8", "basis x3 inf 8", 12, 10, "number" },
    { terms, "basis x3 1.5 8", "basis x3 1.5 8 0", 12, 16, "complete" },
    { terms, "basis x1*x2147483647", "basis x3", 13, 7, "ascend" },
    { terms, "basis x1*x2147483647", "basis x1", 13, 7, "ascend" },
    { terms, "basis x3 1.5 8\n", "", 13, 14, "complete" },
    { terms, "basis x3 1.5 8", "bias 1 1 0", 12, 1, "\"factor\" is expected" },
    { terms, "factor 9\n", "", 17, 1, "\"factor\" is expected" },
    { terms, "linear", "precomputed", 12, 1, "\"factor\" is expected" },
    { terms_alone, "total_rv 0", "total_rv 1", 6, 10, "whole number" },
    { terms_alone, "output 1 2", "output 1 1", 14, 1, "the output has more" },
    { terms_alone, "output 1 2", "output 1 0", 13, 1, "the output has more" },
    { terms_alone, "output 1 2", "output 1 3", 15, 11, "number" },
    { terms_alone, "output 2 1", "output 2 2", 19, 9, "number" },
    { terms_of_classes, "label 1 -1", "label 1 -1\nnr_output 2", 6, 1, "no such line" },
};

/* The line that says softmax too may be there; a writer leaves it out. */
START_TEST(multiclass_is_the_line_that_may_be_absent)
    {
        char *ovr = replaced(three_classes, "total_rv", "multiclass ovr\ntotal_rv");
        char *softmax = replaced(three_classes, "total_rv", "multiclass softmax\ntotal_rv");
        expect_round_trip(ovr);
        rvm_model *m = read_ok(softmax), *n = read_ok(ovr);
        char *again = write_text(m);

        ck_assert_str_eq(again, three_classes);
        ck_assert_int_eq(rvm_model_describe(m).multiclass, RVM_SOFTMAX);
        ck_assert_int_eq(rvm_model_describe(n).multiclass, RVM_ONE_VS_REST);
        rvm_model_free(m);
        rvm_model_free(n);
        free(again);
        free(softmax);
        free(ovr);
    }
END_TEST

START_TEST(faults_are_refused_with_their_place)
    {
        const bad_case *c = &bad_cases[_i];
        char *text = replaced(c->base, c->from, c->to);
        rvm_model *m = NULL;
        rvm_error err = { 0 };

        ck_assert_int_eq(read_text(&m, text, strlen(text), &err), RVM_EMODEL);
        ck_assert_ptr_null(m);
        ck_assert_int_eq(err.status, RVM_EMODEL);
        ck_assert_msg(err.line == c->line && err.column == c->column,
                      "\"%s\" for \"%s\": at %zu:%zu, not %zu:%zu: %s", c->to, c->from, err.line,
                      err.column, c->line, c->column, err.message);
        ck_assert_msg(strstr(err.message, c->words) != NULL, "\"%s\" does not say \"%s\"",
                      err.message, c->words);
        free(text);
    }
END_TEST

START_TEST(a_file_cut_anywhere_is_refused)
    {
        /* Without its last newline alone the file is still whole. */
        for (size_t length = 1; length < strlen(models[_i]) - 1; length++) {
            rvm_model *m = NULL;
            rvm_error err = { 0 };

            ck_assert_msg(read_text(&m, models[_i], length, &err) == RVM_EMODEL,
                          "%zu bytes of model %d pass", length, _i);
            ck_assert_ptr_null(m);
        }
    }
END_TEST

START_TEST(an_empty_file_is_refused)
    {
        rvm_model *m = NULL;
        rvm_error err = { 0 };
        FILE *in = tmpfile();

        ck_assert_ptr_nonnull(in);
        ck_assert_int_eq(rvm_model_read(&m, in, &err), RVM_EMODEL);
        ck_assert_uint_eq(err.line, 1);
        ck_assert_ptr_nonnull(strstr(err.message, "empty"));
        fclose(in);
    }
END_TEST

START_TEST(a_failed_write_is_reported)
    {
        rvm_model *m = read_ok(regression);
        rvm_error err = { 0 };
        FILE *out = fopen("/dev/full", "w");

        if (out != NULL) {
            ck_assert_int_eq(rvm_model_write(m, out, &err), RVM_EIO);
            ck_assert_int_eq(err.status, RVM_EIO);
            fclose(out);
        }
        rvm_model_free(m);
        rvm_model_free(NULL);
    }
END_TEST

START_TEST(triangles_do_not_overflow)
    {
        size_t size = 7;

        ck_assert(rvm_triangle_size(&size, 0) && size == 0);
        ck_assert(rvm_triangle_size(&size, 3) && size == 6);
        ck_assert(rvm_triangle_size(&size, 4) && size == 10);
        ck_assert(!rvm_triangle_size(&size, (size_t)-1));
        ck_assert(!rvm_triangle_size(&size, (size_t)-2));
        ck_assert_uint_eq(size, 10);
    }
END_TEST

Suite *model_suite(void)
{
    Suite *suite = suite_create("model");
    TCase *tc = tcase_create("model");

    tcase_add_test(tc, rows_of_vectors);
    tcase_add_loop_test(tc, round_trips_are_byte_identical, 0, MODELS);
    tcase_add_test(tc, multiclass_is_the_line_that_may_be_absent);
    tcase_add_test(tc, the_locale_does_not_matter);
    tcase_add_test(tc, every_field_is_read);
    tcase_add_test(tc, weights_of_inputs_are_read);
    tcase_add_test(tc, standardized_features_are_read);
    tcase_add_test(tc, classes_and_parameters_are_read);
    tcase_add_test(tc, latent_functions_are_read);
    tcase_add_test(tc, outputs_are_read);
    tcase_add_test(tc, terms_are_read);
    tcase_add_test(tc, draws_are_read);
    tcase_add_test(tc, kernel_priors_are_read);
    tcase_add_test(tc, kernel_priors_of_classes);
    tcase_add_test(tc, rows_and_weights_of_classes_are_read);
    tcase_add_test(tc, names_of_terms_are_sorted);
    tcase_add_test(tc, priors_are_read);
    tcase_add_test(tc, line_ends_of_other_systems_are_read);
    tcase_add_loop_test(tc, faults_are_refused_with_their_place, 0,
                        (int)(sizeof bad_cases / sizeof bad_cases[0]));
    tcase_add_loop_test(tc, a_file_cut_anywhere_is_refused, 0, MODELS);
    tcase_add_test(tc, an_empty_file_is_refused);
    tcase_add_test(tc, a_failed_write_is_reported);
    tcase_add_test(tc, triangles_do_not_overflow);
    suite_add_tcase(suite, tc);
    return suite;
}
