/* Predictions: worked examples, both tails of the logistic function, rows in any grouping. */
#include <float.h>

#include "problems.h"

/* phi(x) = (1, 2 x1, x1 + 3 x2), weights 0.25, 0.5, -1. */
#define FUNCTIONS "factor 2 1 0.5\nfactor 4 -1\nfactor 5\nRV\n0.5 1 1:2\n-1 1 1:1 2:3\nend\n"
static const char regression[] = "rvm_model 1\ntask regression\nkernel_type linear\nnr_class 2\n"
                                 "total_rv 2\nexamples 9\nnoise_variance 0.0400\nnoise_fixed 0\n"
                                 "log_evidence 0\nconverged 1\nbias 0.25 1 0.5\n" FUNCTIONS;
static const char classification[] = "rvm_model 1\ntask classification\nkernel_type linear\n"
                                     "nr_class 2\nlabel 7 -3\ntotal_rv 2\nexamples 9\n"
                                     "log_evidence 0\nconverged 1\nprobability 0\n"
                                     "bias 0.25 1 0\n" FUNCTIONS;
/* f(x) = x1, of practically no variance. */
static const char certain[] = "rvm_model 1\ntask classification\nkernel_type linear\n"
                              "nr_class 2\nlabel 1 -1\ntotal_rv 1\nexamples 9\nlog_evidence 0\n"
                              "converged 1\nprobability 0\nfactor 1e9\nRV\n1 1 1:1\nend\n";
/* The vectors are (2, 0) and (1, 3); class 9 is f = 0 and shares no function with the others. */
static const char three_classes[] = "rvm_model 1\ntask classification\nkernel_type linear\n"
                                    "nr_class 3\nlabel 5 -2 9\ntotal_rv 2\nexamples 9\n"
                                    "log_evidence 0\nconverged 1\nprobability 0\n"
                                    "class 5 2\nbias 0.25 1 0\nfactor 2 1\nfactor 4\n"
                                    "class -2 2\nfactor 4 -1\nfactor 5\nclass 9 0\nRV\n"
                                    "0.5 1 0.125 1 0 0 1:2\n0 0 -1 1 0 0 1:1 2:3\nend\n";
static const char one_class[] = "rvm_model 1\ntask classification\nkernel_type rbf\ngamma 1\n"
                                "nr_class 1\nlabel 4\ntotal_rv 0\nexamples 9\nlog_evidence 0\n"
                                "converged 1\nprobability 0\nRV\nend\n";
/* f(x) = 2 K(x, row 3) - K(x, row 5). */
static const char matrix[] = "rvm_model 1\ntask regression\nkernel_type precomputed\nnr_class 2\n"
                             "total_rv 2\nexamples 9\nnoise_variance 1\nnoise_fixed 1\n"
                             "log_evidence 0\nconverged 1\nfactor 1 0\nfactor 1\n"
                             "RV\n2 1 0:3\n-1 1 0:5\nend\n";

/* Predicts, expects success, frees what is not the prediction. */
static rvm_prediction predict(const char *model_text, const char *rows_text, bool mode)
{
    rvm_prediction out = { 0 };
    rvm_error err = { 0 };
    rvm_model *m = model_from_text(model_text);
    rvm_problem *p = rows_from_text(rows_text, strcmp(model_text, matrix) == 0);

    ck_assert_msg(rvm_predict(&out, m, p, mode, &err) == RVM_OK, "%s", err.message);
    ck_assert_uint_eq(out.rows, rvm_problem_rows(p));
    rvm_model_free(m);
    rvm_problem_free(p);
    return out;
}

/* By hand: phi = (1, 2, 7); f = 0.5 + 0.25 + 1 - 7; R'v = phi gives v = (0.5, 0.375, 1.425), so
 * the variance of f is 0.25 + 0.140625 + 2.030625 = 2.42125. */
START_TEST(regression_by_hand)
    {
        rvm_prediction out = predict(regression, "0 1:1 2:2\n0\n", false);

        ck_assert_uint_eq(out.classes, 0);
        ck_assert_double_eq_tol(out.value[0], -5.25, 1e-14);
        ck_assert_double_eq_tol(out.variance[0], 2.46125, 1e-14);
        /* The empty row: phi = (1, 0, 0), v = (0.5, -0.125, -0.075). */
        ck_assert_double_eq_tol(out.value[1], 0.75, 1e-15);
        ck_assert_double_eq_tol(out.variance[1], 0.25 + 0.015625 + 0.005625 + 0.04, 1e-15);
        rvm_prediction_free(&out);
        ck_assert_ptr_null(out.value);
    }
END_TEST

/* 1 on the diagonal of R, -1 right of it, and all phi = x:
 * v_j = x + v_1 + ... + v_(j-1) = 2^(j-1) x, so the variance is x^2 (4^K - 1) / 3, which a double
 * holds exactly for K = 20. */
START_TEST(variance_of_many_functions)
    {
        enum { K = 20, N = 11 };
        char *model_text = NULL, rows_text[N * 8] = "";
        size_t length = 0;
        FILE *out = open_memstream(&model_text, &length);

        ck_assert_ptr_nonnull(out);
        fprintf(out,
                "rvm_model 1\ntask regression\nkernel_type linear\nnr_class 2\ntotal_rv %d\n"
                "examples %d\nnoise_variance 0.5\nnoise_fixed 0\nlog_evidence 0\nconverged 1\n",
                K, K);
        for (size_t i = 0; i < K; i++) {
            fprintf(out, "factor 1");
            for (size_t j = i + 1; j < K; j++)
                fprintf(out, " -1");
            fputc('\n', out);
        }
        fprintf(out, "RV\n");
        for (size_t i = 0; i < K; i++)
            fprintf(out, "%zu 1 1:1\n", i + 1);
        fprintf(out, "end\n");
        fclose(out);
        for (int i = 0; i < N; i++)
            snprintf(rows_text + strlen(rows_text), sizeof rows_text - strlen(rows_text),
                     "0 1:%d\n", i);
        rvm_prediction p = predict(model_text, rows_text, false);
        for (size_t i = 0; i < N; i++) {
            ck_assert_double_eq(p.value[i], 210.0 * (double)i);
            ck_assert_double_eq(p.variance[i], 366503875925.0 * (double)(i * i) + 0.5);
        }
        rvm_prediction_free(&p);
        free(model_text);
    }
END_TEST

/* The same phi without the 0.5: f = -5.75, kappa = 1 / sqrt(1 + pi 2.42125 / 8)
 * = 0.7159638671963642, 1 / (1 + exp(-kappa f)) by Python's math module. */
START_TEST(classification_by_hand)
    {
        rvm_prediction out = predict(classification, "0 1:1 2:2\n0\n", false);

        ck_assert_uint_eq(out.classes, 2);
        ck_assert_double_eq(out.value[0], -3);
        ck_assert_double_eq(out.value[1], 7);
        ck_assert_double_eq_tol(out.variance[0], 2.42125, 1e-14);
        ck_assert_double_eq_tol(out.probability[0], 0.01603538274095942, 1e-15);
        ck_assert_double_eq(out.probability[0] + out.probability[1], 1);
        ck_assert_double_eq_tol(exp(out.log_probability[0]), out.probability[0], 1e-15);
        ck_assert_double_eq_tol(exp(out.log_probability[1]), out.probability[1], 1e-15);
        rvm_prediction_free(&out);
    }
END_TEST

START_TEST(mode_leaves_the_variance_out)
    {
        rvm_prediction out = predict(classification, "0 1:1 2:2\n", true);

        ck_assert_double_eq(out.value[0], -3);
        ck_assert_double_eq_tol(out.probability[0], 0.0031726828424851893, 1e-15);
        ck_assert_double_eq_tol(out.variance[0], 2.42125, 1e-14);
        rvm_prediction_free(&out);
    }
END_TEST

START_TEST(tails_keep_their_digits)
    {
        rvm_prediction out =
            predict(certain, "0 1:1000\n0 1:-1000\n0 1:40\n0 1:-40\n0 1:0\n", true);

        ck_assert_double_eq(out.probability[0], 1);
        ck_assert_double_eq(out.probability[1], 0); /* exp(-1000) is no double */
        ck_assert_double_eq_tol(out.log_probability[1], -1000, 1e-10);
        ck_assert_double_eq_tol(out.log_probability[2], -1000, 1e-10);
        ck_assert_double_eq(out.value[0], 1);
        ck_assert_double_eq(out.value[1], -1);
        /* exp(-40) = 4.248354255291589e-18, far below the rounding of 1 - p. */
        ck_assert_double_eq_tol(out.probability[5], 4.248354255291589e-18, 1e-32);
        ck_assert_double_eq_tol(out.log_probability[4], -4.248354255291589e-18, 1e-32);
        ck_assert_double_eq_tol(out.probability[6], 4.248354255291589e-18, 1e-32);
        ck_assert_double_eq(out.probability[8], 0.5);
        ck_assert_double_eq(out.value[4], 1); /* f = 0 is the first class */
        for (size_t i = 0; i < out.rows; i++)
            ck_assert_double_eq(out.probability[2 * i] + out.probability[2 * i + 1], 1);
        rvm_prediction_free(&out);
    }
END_TEST

/* Row (1, 2): kernel values 2 and 7.  Class 5: phi = (1, 2), f = 0.25 + 1, v = (0.5, 0.375), s2 =
 * 0.390625.  Class -2: phi = (2, 7), f = 0.25 - 7, v = (0.5, 1.5), s2 = 2.5.  Class 9: 0 and 0.
 * Probabilities from these with Python: the mode by mpmath, the average by a sum over a grid of
 * step 0.2 in each function.
 * Row (-4, 0): values -8 and -4, so phi = (1, -8), f = 0.25 - 4; phi = (-8, -4), f = -1 + 4, v =
 * (-2, -1.2), s2 = 5.44. */
START_TEST(three_classes_by_hand)
    {
        const double averaged[] = { 0.759659318596, 0.000966885081, 0.239373796323 };
        const double mode[] = { 0.7770972291446661862, 0.00026068707862463013108,
                                0.22264208377670918367 };

        for (int at_mode = 0; at_mode < 2; at_mode++) {
            rvm_prediction out = predict(three_classes, "0 1:1 2:2\n0 1:-4\n0\n", at_mode);

            ck_assert_uint_eq(out.classes, 3);
            ck_assert_double_eq(out.value[0], 5);
            ck_assert_double_eq_tol(out.variance[0], 0.390625, 1e-15);
            for (size_t k = 0; k < 3; k++)
                ck_assert_double_eq_tol(out.probability[k], at_mode ? mode[k] : averaged[k],
                                        at_mode ? 1e-15 : 2e-6);
            ck_assert_double_eq(out.value[1], -2);
            ck_assert_double_eq_tol(out.variance[1], 5.44, 1e-14);
            ck_assert_double_eq(out.value[2], 5); /* f = 0.25, 0, 0 */
            for (size_t i = 0; i < 9; i++)
                ck_assert_double_eq_tol(exp(out.log_probability[i]), out.probability[i], 1e-15);
            rvm_prediction_free(&out);
        }
    }
END_TEST

START_TEST(one_class_is_certain)
    {
        rvm_prediction out = predict(one_class, "0 1:1 2:2\n4\n", false);

        ck_assert_uint_eq(out.classes, 1);
        for (size_t i = 0; i < 2; i++) {
            ck_assert_double_eq(out.value[i], 4);
            ck_assert_double_eq(out.probability[i], 1);
            ck_assert_double_eq(out.log_probability[i], 0);
        }
        rvm_prediction_free(&out);
    }
END_TEST

START_TEST(kernel_values_come_from_the_row)
    {
        rvm_prediction out = predict(
            matrix, "0 0:1 1:9 2:9 3:0.5 4:9 5:0.25 6:9\n0 0:2 1:9 2:9 3:4\n0 0:3\n", false);

        ck_assert_double_eq(out.value[0], 0.75);
        ck_assert_double_eq(out.variance[0], 1 + 0.25 + 0.0625);
        ck_assert_double_eq(out.value[1], 8); /* absent is 0 */
        ck_assert_double_eq(out.value[2], 0);
        ck_assert_double_eq(out.variance[2], 1);
        rvm_prediction_free(&out);
    }
END_TEST

START_TEST(numbers_out_of_range_are_refused)
    {
        rvm_prediction out = { 0 };
        rvm_error err = { 0 };
        rvm_model *m = model_from_text(regression);
        /* The mean is finite, the variance is not. */
        rvm_problem *p = rows_from_text("0 1:1\n0 1:1e160\n", false);
        rvm_problem *q = rows_from_text("0 1:1.7e308\n", false);

        ck_assert_int_eq(rvm_predict(&out, m, p, false, &err), RVM_ENUMERIC);
        ck_assert_uint_eq(err.line, 2);
        ck_assert_int_eq(rvm_predict(&out, m, q, false, &err), RVM_ENUMERIC);
        rvm_prediction_free(&out);
        rvm_problem_free(p);
        rvm_problem_free(q);
        rvm_model_free(m);
    }
END_TEST

static void expect_fault(const char *text, const char *row, size_t line)
{
    rvm_prediction out = { 0 };
    rvm_error err = { 0 };
    rvm_model *m = model_from_text(text);
    rvm_problem *p = rows_from_text(row, false);

    ck_assert_int_eq(rvm_predict(&out, m, p, false, &err), line > 0 ? RVM_ENUMERIC : RVM_OK);
    ck_assert_uint_eq(err.line, line);
    rvm_prediction_free(&out);
    rvm_problem_free(p);
    rvm_model_free(m);
}

/* Means at the end of the range; the variances are lost in their rounding. */
START_TEST(intervals_at_the_end_of_the_range)
    {
        static const char draws[] = "rvm_model 1\ntask regression\nkernel_type none\nnr_class 2\n"
                                    "total_rv 0\nexamples 9\nnoise_variance 1\nnoise_fixed 0\n"
                                    "draws 2\nnoise_sd 1 1\nlog_likelihood 0\nconverged 1\n"
                                    "bias 1.7976931348623157e308 0 0\nRV\nend\n";
        const rvm_predictor_settings s = { .variance = true, .interval = 0.95 };
        rvm_prediction out = { 0 };
        rvm_predictor *pr = NULL;
        rvm_error err = { 0 };
        rvm_model *m = model_from_text(draws);
        rvm_problem *p = rows_from_text("0 1:1\n", false);

        ck_assert_int_eq(rvm_predictor_alloc(&pr, m, &s, &err), RVM_OK);
        ck_assert_int_eq(rvm_predictor_run(&out, pr, p, &err), RVM_OK);
        ck_assert_double_eq(out.value[0], DBL_MAX);
        ck_assert_double_eq(out.low[0], DBL_MAX);
        ck_assert_double_eq(out.high[0], DBL_MAX);
        rvm_predictor_free(pr);
        rvm_prediction_free(&out);
        rvm_problem_free(p);
        rvm_model_free(m);
    }
END_TEST

/* K(x, 1) = x^3. */
static const char cube[] = "rvm_model 1\ntask regression\nkernel_type polynomial\n"
                           "degree 3\ngamma 1\ncoef0 0\nnr_class 2\ntotal_rv 1\n"
                           "examples 9\nnoise_variance 1\nnoise_fixed 0\n"
                           "log_evidence 0\nconverged 1\nfactor 1\nRV\n1 1 1:1\nend\n";

/* 1e200^3 in the third row of a block; the first row of the file that fails is reported. */
START_TEST(kernel_values_out_of_range_have_a_place)
    {
        expect_fault(cube, "0 1:1\n0 1:2\n0 1:1e200\n0 1:-1e300\n0\n", 3);
        expect_fault(cube, "0 1:1\n0 1:1e50\n", 0);
    }
END_TEST

/* 1e67^3 is a number, and its square, the variance, is none: row 106 fails by itself, row 110 by its
 * kernel value, in the same chunk, and others do in chunks behind. */
START_TEST(the_first_fault_is_reported_by_any_number_of_threads)
    {
        char *text = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&text, &length);

        ck_assert_ptr_nonnull(out);
        for (int row = 1; row <= 2000; row++)
            fprintf(out, "0 1:%s\n", row == 106 ? "1e67" : row == 110 || row > 300 ? "1e200" : "1");
        fclose(out);
        rvm_model *m = model_from_text(cube);
        rvm_problem *p = rows_from_text(text, false);
        for (int threads = 1; threads <= 8; threads++) {
            const rvm_predictor_settings s = { .variance = true, .threads = threads };
            rvm_prediction got = { 0 };
            rvm_predictor *pr = NULL;
            rvm_error err = { 0 };

            ck_assert_int_eq(rvm_predictor_alloc(&pr, m, &s, &err), RVM_OK);
            ck_assert_int_eq(rvm_predictor_run(&got, pr, p, &err), RVM_ENUMERIC);
            ck_assert_uint_eq(err.line, 106);
            ck_assert_ptr_nonnull(strstr(err.message, "prediction leaves the range"));
            ck_assert_int_eq(rvm_predictor_run(&got, pr, p, NULL), RVM_ENUMERIC);
            rvm_predictor_free(pr);
            rvm_prediction_free(&got);
        }
        rvm_problem_free(p);
        rvm_model_free(m);
        free(text);
    }
END_TEST

START_TEST(settings_out_of_range_are_refused)
    {
        const rvm_predictor_settings wrong[] = {
            { .variance = true, .interval = 2 },         { .variance = true, .interval = 1 },
            { .variance = true, .interval = -0.5 },      { .variance = true, .interval = NAN },
            { .variance = true, .interval = -INFINITY }, { .variance = false, .interval = 0.9 },
            { .variance = true, .threads = -1 },         { .variance = true, .threads = 1025 },
        };
        const rvm_predictor_settings right[] = {
            { .variance = true, .interval = 1e-300 },
            { .variance = true, .interval = 1 - DBL_EPSILON },
            { .variance = true, .threads = 3 },
            { .mode = true },
        };
        rvm_model *m = model_from_text(regression);
        rvm_predictor *pr = NULL;

        for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
            rvm_error err = { 0 };
            ck_assert_int_eq(rvm_predictor_alloc(&pr, m, &wrong[i], &err), RVM_ESETTING);
            ck_assert_int_eq(err.status, RVM_ESETTING);
            ck_assert_ptr_null(pr);
        }
        for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
            ck_assert_int_eq(rvm_predictor_alloc(&pr, m, &right[i], NULL), RVM_OK);
            rvm_predictor_free(pr);
        }
        rvm_model_free(m);
    }
END_TEST

/* A stand-in for random digits that is the same everywhere. */
static double scattered(size_t i)
{
    const double x = sin((double)i * 12.9898) * 43758.5453;

    return x - floor(x);
}

static void write_factor(FILE *out, size_t K, size_t *n)
{
    for (size_t i = 0; i < K; i++) {
        fprintf(out, "factor %.17g", 2 + scattered((*n)++));
        for (size_t j = i + 1; j < K; j++)
            fprintf(out, " %.17g", scattered((*n)++) / (double)K);
        fputc('\n', out);
    }
}

static void write_features(FILE *out, size_t d, size_t *n)
{
    for (size_t f = 1; f <= d; f++)
        fprintf(out, " %zu:%.17g", f, scattered((*n)++));
    fputc('\n', out);
}

/* Model of K vectors in d inputs; `kernel` as in the model file. Owned by the caller. */
static char *large_model(const char *kernel, size_t K, size_t d)
{
    char *text = NULL;
    size_t length = 0, n = 0;
    FILE *out = open_memstream(&text, &length);

    ck_assert_ptr_nonnull(out);
    fprintf(out,
            "rvm_model 1\ntask regression\nkernel_type %s\nnr_class 2\n"
            "total_rv %zu\nexamples %zu\nnoise_variance 0.1\nnoise_fixed 0\n"
            "log_evidence 0\nconverged 1\nbias 1 1 0\n",
            kernel, K, K);
    write_factor(out, K + 1, &n);
    fprintf(out, "RV\n");
    for (size_t i = 0; i < K; i++) {
        fprintf(out, "%.17g 1", scattered(n++));
        write_features(out, d, &n);
    }
    fprintf(out, "end\n");
    fclose(out);
    return text;
}

/* The same of three classes: class c has a bias and the vectors i with i mod 3 not c; K is a
 * multiple of 3. */
static char *large_classes(size_t K, size_t d)
{
    char *text = NULL;
    size_t length = 0, n = 0;
    FILE *out = open_memstream(&text, &length);

    ck_assert_ptr_nonnull(out);
    fprintf(out,
            "rvm_model 1\ntask classification\nkernel_type rbf\ngamma 0.5\nnr_class 3\n"
            "label 0 1 2\ntotal_rv %zu\nexamples %zu\nlog_evidence 0\nconverged 1\n"
            "probability 0\n",
            K, K);
    for (size_t c = 0; c < 3; c++) {
        fprintf(out, "class %zu %zu\nbias %zu 1 0\n", c, 2 * K / 3 + 1, c);
        write_factor(out, 2 * K / 3 + 1, &n);
    }
    fprintf(out, "RV\n");
    for (size_t i = 0; i < K; i++) {
        for (size_t c = 0; c < 3; c++)
            if (i % 3 == c)
                fprintf(out, "%s0 0", c > 0 ? " " : "");
            else
                fprintf(out, "%s%.17g 1", c > 0 ? " " : "", 2 * scattered(n++) - 1);
        write_features(out, d, &n);
    }
    fprintf(out, "end\n");
    fclose(out);
    return text;
}

static char *large_rows(size_t N, size_t d)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    ck_assert_ptr_nonnull(out);
    for (size_t i = 0; i < N; i++) {
        fputc('0', out);
        for (size_t f = 1; f <= d; f++)
            fprintf(out, " %zu:%.17g", f, scattered(1000000 + i * d + f));
        fputc('\n', out);
    }
    fclose(out);
    return text;
}

/* Blocks of 1, 7 and 100 rows against all 203 at once: equal to the last bit. */
START_TEST(a_row_does_not_depend_on_its_block)
    {
        enum { D = 5, N = 203 };
        const size_t sizes[] = { 1, 7, 100 };
        char *model_text = _i == 0 ? large_model("rbf\ngamma 0.5", 37, D) : large_classes(36, D);
        char *rows_text = large_rows(N, D);
        rvm_prediction all = predict(model_text, rows_text, false), part = { 0 };
        rvm_model *m = model_from_text(model_text);
        rvm_error err = { 0 };

        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            FILE *in = open_text(rows_text);
            rvm_reader *reader = NULL;
            rvm_problem *block = NULL;
            size_t done = 0;

            ck_assert_int_eq(rvm_reader_alloc(&reader, in, (rvm_grammar){ 0 }, &err), RVM_OK);
            while (rvm_reader_next(&block, reader, sizes[s], &err) == RVM_OK &&
                   rvm_problem_rows(block) > 0) {
                const size_t count = rvm_problem_rows(block);

                ck_assert_uint_le(count, sizes[s]);
                ck_assert_int_eq(rvm_predict(&part, m, block, false, &err), RVM_OK);
                ck_assert_mem_eq(part.value, all.value + done, count * sizeof *part.value);
                ck_assert_mem_eq(part.variance, all.variance + done, count * sizeof *part.variance);
                ck_assert_mem_eq(part.log_probability, all.log_probability + done * all.classes,
                                 count * all.classes * sizeof *part.log_probability);
                done += count;
            }
            ck_assert_uint_eq(done, N);
            rvm_reader_free(reader);
            rvm_problem_free(block);
            fclose(in);
        }
        rvm_prediction_free(&all);
        rvm_prediction_free(&part);
        rvm_model_free(m);
        free(model_text);
        free(rows_text);
    }
END_TEST

/* Rows of text in another order: row i of the result is row (7 i + 3) mod N. */
static char *turned_rows(const char *text, size_t N)
{
    const char **line = calloc(N, sizeof *line);
    char *turned = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&turned, &length);

    ck_assert(line != NULL && out != NULL);
    for (size_t i = 0; i < N; i++, text = strchr(text, '\n') + 1)
        line[i] = text;
    for (size_t i = 0; i < N; i++) {
        const char *from = line[(7 * i + 3) % N];

        fprintf(out, "%.*s\n", (int)strcspn(from, "\n"), from);
    }
    fclose(out);
    free(line);
    return turned;
}

static rvm_prediction run(const rvm_model *m, const rvm_problem *p, rvm_predictor_settings s)
{
    rvm_prediction out = { 0 };
    rvm_predictor *pr = NULL;
    rvm_error err = { 0 };

    ck_assert_msg(rvm_predictor_alloc(&pr, m, &s, &err) == RVM_OK, "%s", err.message);
    ck_assert_msg(rvm_predictor_run(&out, pr, p, &err) == RVM_OK, "%s", err.message);
    rvm_predictor_free(pr);
    return out;
}

static void expect_row(const rvm_prediction *a, size_t i, const rvm_prediction *b, size_t j)
{
    const size_t C = a->classes;

    ck_assert_mem_eq(a->value + i, b->value + j, sizeof *a->value);
    ck_assert_mem_eq(a->variance + i, b->variance + j, sizeof *a->variance);
    ck_assert_mem_eq(a->probability + i * C, b->probability + j * C, C * sizeof *a->probability);
    ck_assert_mem_eq(a->log_probability + i * C, b->log_probability + j * C,
                     C * sizeof *a->log_probability);
}

/* 450 vectors are enough work for three threads; rows move between places in a vector, vectors in
 * a chunk, and chunks. Equal to the last bit. */
START_TEST(neither_threads_nor_places_matter)
    {
        enum { D = 3, N = 709 };
        static const int threads[] = { 2, 3, 8 };
        char *model_text = _i == 0 ? large_model("rbf\ngamma 0.5", 450, D) : large_classes(450, D);
        char *rows_text = large_rows(N, D), *turned_text = turned_rows(rows_text, N);
        rvm_model *m = model_from_text(model_text);
        rvm_problem *p = problem_from_text(rows_text, (rvm_grammar){ 0 }),
                    *q = problem_from_text(turned_text, (rvm_grammar){ 0 });
        rvm_prediction one = run(m, p, (rvm_predictor_settings){ .variance = true, .threads = 1 });

        ck_assert_uint_eq(one.rows, N);
        for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
            const rvm_predictor_settings s = { .variance = true, .threads = threads[k] };
            rvm_prediction many = run(m, p, s), turned = run(m, q, s);

            for (size_t i = 0; i < N; i++) {
                expect_row(&many, i, &one, i);
                expect_row(&turned, i, &one, (7 * i + 3) % N);
            }
            rvm_prediction_free(&many);
            rvm_prediction_free(&turned);
        }
        rvm_prediction_free(&one);
        rvm_problem_free(p);
        rvm_problem_free(q);
        rvm_model_free(m);
        free(model_text);
        free(rows_text);
        free(turned_text);
    }
END_TEST

/* What does not need a variance is the same without. At the last row the three latent functions are
 * -1.75, -0.0099 and 0, of variances 1.52, 1.09 and 0: class 9 leads at the mode, class -2, the
 * uncertain one, on the average, by 0.446 against 0.432 (a sum over a grid). */
START_TEST(without_variance_the_rest_is_the_same)
    {
        static const char *const models[] = { regression, classification, three_classes,
                                              one_class };
        const char *text = models[_i / 2];
        const bool mode = _i % 2 == 1;
        rvm_model *m = model_from_text(text);
        const size_t C = rvm_model_describe(m).classes;
        rvm_problem *p = rows_from_text("0 1:1 2:2\n0 1:-4\n0\n0 1:-2 2:0.5033\n", false);
        rvm_prediction full = run(m, p, (rvm_predictor_settings){ .mode = mode, .variance = true });
        rvm_prediction fast = run(m, p, (rvm_predictor_settings){ .mode = mode });

        ck_assert_uint_eq(fast.rows, 4);
        if (text == three_classes)
            ck_assert_double_eq(fast.value[3], mode ? 9 : -2);
        ck_assert_mem_eq(fast.value, full.value, 4 * sizeof *full.value);
        if (mode)
            ck_assert_mem_eq(fast.log_probability, full.log_probability,
                             4 * C * sizeof *full.log_probability);
        rvm_prediction_free(&full);
        rvm_prediction_free(&fast);
        rvm_problem_free(p);
        rvm_model_free(m);
    }
END_TEST

/* A row of 1e160 has a finite value; its variance, some 1e320, is infinite. */
START_TEST(an_infinite_variance_matters_where_it_is_wanted)
    {
        rvm_predictor *pr = NULL;
        rvm_prediction out = { 0 };
        rvm_error err = { 0 };
        rvm_model *m = model_from_text(regression);
        rvm_problem *p = rows_from_text("0 1:1e160\n", false);
        const rvm_predictor_settings fast = { .variance = false };

        ck_assert_int_eq(rvm_predictor_alloc(&pr, m, &fast, &err), RVM_OK);
        ck_assert_int_eq(rvm_predictor_run(&out, pr, p, &err), RVM_OK);
        ck_assert_int_eq(rvm_predict(&out, m, p, false, &err), RVM_ENUMERIC);
        rvm_problem_free(p);
        p = rows_from_text("0 1:1.7e308\n", false); /* here the value is infinite */
        ck_assert_int_eq(rvm_predictor_run(&out, pr, p, &err), RVM_ENUMERIC);
        rvm_problem_free(p);
        p = rows_from_text("0\n", false); /* a predictor that failed can go on */
        ck_assert_int_eq(rvm_predictor_run(&out, pr, p, &err), RVM_OK);
        ck_assert_double_eq_tol(out.value[0], 0.75, 1e-15);
        rvm_problem_free(p);
        rvm_predictor_free(pr);
        rvm_prediction_free(&out);
        rvm_model_free(m);
    }
END_TEST

/* Of several faults the first row's is reported, whichever thread meets its own first. */
START_TEST(the_first_fault_is_reported)
    {
        enum { N = 1000, FIRST = 517, SECOND = 519, THIRD = 970 };
        char *model_text = large_model("linear", 450, 1), *rows_text = NULL;
        size_t length = 0;
        FILE *text = open_memstream(&rows_text, &length);
        rvm_prediction out = { 0 };
        rvm_error err = { 0 };

        ck_assert_ptr_nonnull(text);
        for (int i = 1; i <= N; i++)
            fprintf(text, "0 1:%s\n", i == FIRST || i == SECOND || i == THIRD ? "1e200" : "1");
        fclose(text);
        rvm_model *m = model_from_text(model_text);
        rvm_problem *p = problem_from_text(rows_text, (rvm_grammar){ 0 });
        for (int threads = 1; threads <= 4; threads++) {
            const rvm_predictor_settings s = { .variance = true, .threads = threads };
            rvm_predictor *pr = NULL;

            ck_assert_int_eq(rvm_predictor_alloc(&pr, m, &s, &err), RVM_OK);
            ck_assert_int_eq(rvm_predictor_run(&out, pr, p, &err), RVM_ENUMERIC);
            ck_assert_uint_eq(err.line, FIRST);
            rvm_predictor_free(pr);
        }
        rvm_predictor_free(NULL);
        rvm_prediction_free(&out);
        rvm_problem_free(p);
        rvm_model_free(m);
        free(model_text);
        free(rows_text);
    }
END_TEST

/* One object for models of either task, one after the other. */
START_TEST(a_prediction_can_be_used_again)
    {
        rvm_prediction out = { 0 };
        rvm_error err = { 0 };
        rvm_model *first = model_from_text(regression), *second = model_from_text(classification);
        rvm_problem *p = rows_from_text("0 1:1 2:2\n0\n0\n", false),
                    *q = rows_from_text("0 1:1 2:2\n", false);

        ck_assert_int_eq(rvm_predict(&out, first, q, false, &err), RVM_OK);
        ck_assert_int_eq(rvm_predict(&out, second, p, false, &err), RVM_OK);
        ck_assert_uint_eq(out.rows, 3);
        ck_assert_uint_eq(out.classes, 2);
        ck_assert_double_eq(out.probability[4] + out.probability[5], 1);
        ck_assert_int_eq(rvm_predict(&out, first, q, false, &err), RVM_OK);
        ck_assert_uint_eq(out.rows, 1);
        ck_assert_uint_eq(out.classes, 0);
        ck_assert_double_eq_tol(out.value[0], -5.25, 1e-14);
        rvm_prediction_free(&out);
        rvm_prediction_free(NULL);
        rvm_problem_free(p);
        rvm_problem_free(q);
        rvm_model_free(first);
        rvm_model_free(second);
    }
END_TEST

Suite *predict_suite(void)
{
    Suite *suite = suite_create("predict");
    TCase *tc = tcase_create("predict");

    tcase_add_test(tc, regression_by_hand);
    tcase_add_test(tc, variance_of_many_functions);
    tcase_add_test(tc, classification_by_hand);
    tcase_add_test(tc, mode_leaves_the_variance_out);
    tcase_add_test(tc, tails_keep_their_digits);
    tcase_add_test(tc, three_classes_by_hand);
    tcase_add_test(tc, one_class_is_certain);
    tcase_add_test(tc, kernel_values_come_from_the_row);
    tcase_add_test(tc, numbers_out_of_range_are_refused);
    tcase_add_test(tc, intervals_at_the_end_of_the_range);
    tcase_add_test(tc, kernel_values_out_of_range_have_a_place);
    tcase_add_test(tc, the_first_fault_is_reported_by_any_number_of_threads);
    tcase_add_test(tc, settings_out_of_range_are_refused);
    tcase_add_loop_test(tc, a_row_does_not_depend_on_its_block, 0, 2);
    tcase_add_loop_test(tc, neither_threads_nor_places_matter, 0, 2);
    tcase_add_loop_test(tc, without_variance_the_rest_is_the_same, 0, 8);
    tcase_add_test(tc, an_infinite_variance_matters_where_it_is_wanted);
    tcase_add_test(tc, the_first_fault_is_reported);
    tcase_add_test(tc, a_prediction_can_be_used_again);
    suite_add_tcase(suite, tc);
    return suite;
}
