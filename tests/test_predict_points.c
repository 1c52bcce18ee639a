/* Predictions with the kernel prior: mean, variance and probabilities by dense formulas.
 *
 * The figures are those of numpy, from the vectors Z, the rows X (features 1, 2 and 7; no vector
 * has the last one) and the numbers of the files below, R and w, with K = k(Z, Z), of the linear
 * kernel K + 0.001 I, and k written out:
 *
 *     U   = numpy.linalg.cholesky(K).T
 *     phi = numpy.hstack([ones((4, 1)), X[:, :1], k(X, Z)])
 *     q   = (k(X, Z) * numpy.linalg.solve(K, k(X, Z).T).T).sum(1)
 *     S   = numpy.linalg.inv(R.T @ R)
 *     m   = mean of the bias + phi @ w
 *     v   = (phi @ S * phi).sum(1) + s * numpy.maximum(diag(k(X, X)) - q, 0)     (+ the noise) */
#include "problems.h"
#include "suites.h"

enum { ROWS = 4 };

/* The last row is far away along an input that no term has. */
static const char rows_text[] = "0 1:0.25 2:0.5\n0\n0 1:1 7:2\n0 2:-1000\n";

#define FACTOR "factor 2 1 0.5 0 0\nfactor 4 -1 0.25 1\nfactor 5 2 -1\nfactor 3 0.5\nfactor 4\n"
#define U_RBF                                                 \
    "point_factor 1 0.2450605392455259 0.19691167520419406\n" \
    "point_factor 0.9695077782589947 -0.038667119030289993\npoint_factor 0.97965843337061886\n"
#define U_LAPLACIAN                                            \
    "point_factor 1 0.18498139990730428 0.15335496684492847\n" \
    "point_factor 0.9827420219408215 0.060047508326921635\npoint_factor 0.9863450465672341\n"
#define U_POLYNOMIAL                                             \
    "point_factor 1.625 0.4711538461538462 1.3846153846153846\n" \
    "point_factor 1.4569628052062407 -0.44775807699015319\npoint_factor 2.6234238965856189\n"
#define U_LINEAR                                                                 \
    "point_factor 1.1184811129384349 -0.22351740866075839 0.89406963464303357\n" \
    "point_factor 1.0067472215137121 -1.7880951977157253\npoint_factor 0.065992820179424136\n"

typedef struct {
    const char *kernel, *points;
    double mean[ROWS], variance[ROWS];
} regression_case;

static const regression_case regressions[] = {
    { "rbf\ngamma 0.5",
      U_RBF,
      { 1.163663375697211, 0.4786542589612519, 0.3847191326760442, 0.75 },
      { 0.6321917643586975, 1.077146458482213, 1.790868418197499, 1.814924655490451 } },
    { "laplacian\ngamma 0.75",
      U_LAPLACIAN,
      { 0.9691053523101631, 0.6211150677952491, 0.3551591952011803, 0.75 },
      { 1.234445128870258, 1.466932446169788, 1.783625331688375, 1.814924655490451 } },
    { "polynomial\ndegree 2\ngamma 0.5\ncoef0 1",
      U_POLYNOMIAL,
      { 2.623046875, 1, 5.09375, 342751 },
      { 0.8081400156153008, 1.013898018702495, 16.99501711416291, 329531157845.8308 } },
    { "linear",
      U_LINEAR,
      { 2.1875, 0.75, 4.5, -999.25 },
      { 0.3318348817686737, 0.3149246554904514, 6.754644972214009, 47126.26370453212 } },
};

/* Owned by the caller. */
static char *regression_text(const char *kernel, const char *points)
{
    char *text = malloc(2048);

    ck_assert_ptr_nonnull(text);
    snprintf(text, 2048,
             "rvm_model 1\ntask regression\nkernel_type %s\nnr_class 2\ntotal_rv 3\nexamples 9\n"
             "noise_variance 0.04\nnoise_fixed 0\nprocess_variance 1.5\nlog_evidence 0\n"
             "converged 1\nbias 0.25 1 0.5\nbasis x1 -0.5 1\n" FACTOR "%sRV\n"
             "1.5 1:0.5 2:1\n-2 1:-1 2:0.25\n0.75 1:2\nend\n",
             kernel, points);
    return text;
}

static rvm_prediction run(const char *model_text, const rvm_problem *p, rvm_predictor_settings s)
{
    rvm_prediction out = { 0 };
    rvm_predictor *pr = NULL;
    rvm_error err = { 0 };
    rvm_model *m = model_from_text(model_text);

    ck_assert_msg(rvm_predictor_alloc(&pr, m, &s, &err) == RVM_OK, "%s", err.message);
    ck_assert_msg(rvm_predictor_run(&out, pr, p, &err) == RVM_OK, "%s", err.message);
    rvm_predictor_free(pr);
    rvm_model_free(m);
    return out;
}

static rvm_prediction predict(const char *model_text, const char *text, bool mode)
{
    rvm_problem *p = rows_from_text(text, strstr(model_text, "precomputed") != NULL);
    rvm_prediction out =
        run(model_text, p, (rvm_predictor_settings){ .mode = mode, .variance = true });

    rvm_problem_free(p);
    return out;
}

static void expect(double got, double want)
{
    ck_assert_double_eq_tol(got, want, 1e-11 * fmax(1, fabs(want)));
}

START_TEST(regression_by_dense_formulas)
    {
        const regression_case *c = &regressions[_i];
        char *text = regression_text(c->kernel, c->points);
        rvm_prediction out = predict(text, rows_text, false);

        ck_assert_uint_eq(out.rows, ROWS);
        for (size_t n = 0; n < ROWS; n++) {
            expect(out.value[n], c->mean[n]);
            expect(out.variance[n], c->variance[n]);
        }
        rvm_prediction_free(&out);
        free(text);
    }
END_TEST

/* Interval of 90 %: 1.6448536269514722 deviations, the quantile 0.95 of R's qnorm. */
START_TEST(intervals_have_the_whole_variance)
    {
        char *text = regression_text(regressions[0].kernel, regressions[0].points);
        rvm_problem *p = rows_from_text(rows_text, false);
        rvm_prediction out =
            run(text, p, (rvm_predictor_settings){ .variance = true, .interval = 0.9 });

        for (size_t n = 0; n < ROWS; n++) {
            const double half = 1.6448536269514722 * sqrt(regressions[0].variance[n]);
            expect(out.low[n], regressions[0].mean[n] - half);
            expect(out.high[n], regressions[0].mean[n] + half);
        }
        rvm_prediction_free(&out);
        rvm_problem_free(p);
        free(text);
    }
END_TEST

/* Without terms: s k(x,x) and the noise remain far away, and at the vectors the weights' part. */
START_TEST(far_from_the_data_the_process_is_left)
    {
        static const char *const kernels[] = { "rbf", "laplacian" };
        char text[512];

        snprintf(text, sizeof text,
                 "rvm_model 1\ntask regression\nkernel_type %s\ngamma 2\nnr_class 2\ntotal_rv 1\n"
                 "examples 9\nnoise_variance 0.25\nnoise_fixed 0\nprocess_variance 8\n"
                 "log_evidence 0\nconverged 1\nfactor 4\npoint_factor 1\nRV\n3 1:1\nend\n",
                 kernels[_i]);
        rvm_prediction out = predict(text, "0 1:1\n0 1:1000\n0 1:1 5:-1e200\n", false);
        ck_assert_double_eq(out.value[0], 3);
        ck_assert_double_eq(out.variance[0], 0.25 + 1.0 / 16);
        for (size_t n = 1; n < 3; n++) {
            ck_assert_double_eq(out.value[n], 0);
            ck_assert_double_eq(out.variance[n], 8 + 0.25);
        }
        rvm_prediction_free(&out);
    }
END_TEST

/* U smaller than K by 1e-15: q is 1 + 2e-15 at the vector, and what is left -2e-15, times 1e12. */
START_TEST(what_is_left_is_not_negative)
    {
        rvm_prediction out =
            predict("rvm_model 1\ntask regression\nkernel_type rbf\ngamma 2\nnr_class 2\n"
                    "total_rv 1\nexamples 9\nnoise_variance 1e-6\nnoise_fixed 0\n"
                    "process_variance 1e12\nlog_evidence 0\nconverged 1\nfactor 1e6\n"
                    "point_factor 0.999999999999999\nRV\n3 1:1\nend\n",
                    "0 1:1\n", false);
        expect(out.variance[0], 1e-6 + 1e-12);
        rvm_prediction_free(&out);
    }
END_TEST

/* Two rows of 2 functions: q = k' K^-1 k with K = [2 1/2; 1/2 1], K^-1 = [4 -2; -2 8] / 7: of
 * (1, 1/4) 1/2, of (0, 0) 0, of (2, 1/2) 2, more than the 1.75 of the file. Sigma from R = [2 1;
 * 0 4] is [17 -2; -2 4] / 64: 16.25/64, 0 and 65/64. */
START_TEST(precomputed_by_hand)
    {
        rvm_prediction out = predict(
            "rvm_model 1\ntask regression\nkernel_type precomputed\nnr_class 2\n"
            "total_rv 2\nexamples 9\nnoise_variance 0.04\nnoise_fixed 0\n"
            "process_variance 1.5\nkernel_diagonal 1.75\nlog_evidence 0\nconverged 1\n"
            "factor 2 1\nfactor 4\npoint_factor 1.4142135623730951 0.35355339059327373\n"
            "point_factor 0.93541434669348533\nRV\n1 0:3\n-2 0:5\nend\n",
            "0 0:1 1:9 2:9 3:1 4:9 5:0.25\n0 0:2 1:9\n0 0:3 1:0 2:7 3:2 4:0 5:0.5\n", false);
        const double mean[] = { 0.5, 0, 1 };
        const double variance[] = { 16.25 / 64 + 1.5 * 1.25 + 0.04, 1.5 * 1.75 + 0.04,
                                    65.0 / 64 + 0.04 };

        for (size_t n = 0; n < 3; n++) {
            expect(out.value[n], mean[n]);
            expect(out.variance[n], variance[n]);
        }
        rvm_prediction_free(&out);
    }
END_TEST

/* The first output is the regression above; the second has w = (1, 2, -1, 1/2, 1/4), R diagonal,
 * s = 8, noise 1/4 and bias mean -3. */
START_TEST(outputs_have_their_own_factors)
    {
        static const char text[] =
            "rvm_model 1\ntask regression\nkernel_type rbf\ngamma 0.5\nnr_class 2\nnr_output 2\n"
            "total_rv 3\nexamples 9\nnoise_variance 0.04 0.25\nnoise_fixed 0\n"
            "process_variance 1.5 8\nlog_evidence 0\nconverged 1\n"
            "output 1 5\nbias 0.25 1 0.5\nbasis x1 -0.5 1\n" FACTOR
            "output 2 5\nbias 1 1 -3\nbasis x1 2 1\nfactor 1 0 0 0 0\nfactor 2 0 0 0\n"
            "factor 1 0 0\nfactor 2 0\nfactor 4\n" U_RBF "RV\n1.5 -1 1:0.5 2:1\n"
            "-2 0.5 1:-1 2:0.25\n0.75 0.25 1:2\nend\n";
        const double mean[] = { -2.085758337300804, -2.207492771148664, -0.04304244441746263, -2 };
        const double variance[] = { 3.720832628452671, 5.537487851196056, 9.425426051999681, 9.25 };
        rvm_prediction out = predict(text, rows_text, false);

        ck_assert_uint_eq(out.outputs, 2);
        for (size_t n = 0; n < ROWS; n++) {
            expect(out.value[2 * n], regressions[0].mean[n]);
            expect(out.variance[2 * n], regressions[0].variance[n]);
            expect(out.value[2 * n + 1], mean[n]);
            expect(out.variance[2 * n + 1], variance[n]);
        }
        rvm_prediction_free(&out);
    }
END_TEST

/* The function of the regression without its 0.5 and noise: 1 / (1 + exp(-m)) at the most probable
 * weights, which is not averaged; and no variance, though it is asked for. */
START_TEST(two_classes_by_dense_formulas)
    {
        static const char text[] =
            "rvm_model 1\ntask classification\nkernel_type rbf\ngamma 0.5\nnr_class 2\n"
            "label 4 -4\ntotal_rv 3\nexamples 9\nprocess_variance 1.5\nlog_evidence 0\n"
            "converged 1\nprobability 0\nbias 0.25 1 0\nbasis x1 -0.5 1\n"
            "RV\n1.5 1:0.5 2:1\n-2 1:-1 2:0.25\n0.75 1:2\nend\n";
        const double at_mode[] = { 0.6600828342260197, 0.4946637673558215, 0.4712116584261783,
                                   0.5621765008857981 };

        for (int mode = 0; mode < 2; mode++) {
            rvm_prediction out = predict(text, rows_text, mode);

            for (size_t n = 0; n < ROWS; n++) {
                ck_assert_double_eq(out.value[n], at_mode[n] > 0.5 ? 4 : -4);
                ck_assert_double_eq(out.variance[n], 0);
                expect(out.probability[2 * n], at_mode[n]);
            }
            rvm_prediction_free(&out);
        }
    }
END_TEST

static const char three_classes[] =
    "rvm_model 1\ntask classification\nkernel_type rbf\ngamma 0.5\nnr_class 3\nlabel 1 2 3\n"
    "total_rv 3\nexamples 9\nprocess_variance 1.5 1.5 1.5\nlog_evidence 0\nconverged 1\n"
    "probability 0\nclass 1 5\nbias 0.25 1 0\nbasis x1 -0.5 1\nclass 2 5\nbias 1 1 0\n"
    "basis x1 2 1\nclass 3 5\nbias 0 1 0\nbasis x1 0 1\nRV\n1.5 -1 1 1:0.5 2:1\n"
    "-2 0.5 1 1:-1 2:0.25\n0.75 0.25 -1 1:2\nend\n";

/* Probabilities at the most probable weights; at the last row f = 1/4, 1, 0. */
START_TEST(three_classes_by_dense_formulas)
    {
        for (int mode = 0; mode < 2; mode++) {
            rvm_prediction out = predict(three_classes, rows_text, mode);

            for (size_t n = 0; n < ROWS; n++)
                ck_assert_double_eq(out.variance[n], 0);
            expect(out.probability[9], exp(0.25) / (exp(0.25) + exp(1) + 1));
            expect(out.probability[10], exp(1) / (exp(0.25) + exp(1) + 1));
            rvm_prediction_free(&out);
        }
    }
END_TEST

/* 300 rows together, in blocks and with threads: equal to the last bit, whatever the place. */
START_TEST(a_row_does_not_depend_on_its_block)
    {
        enum { N = 300, SIZE = 96 };
        const regression_case *c = &regressions[_i];
        char *text = _i < 4 ? regression_text(c->kernel, c->points) : NULL;
        char many[N * SIZE] = "", row[SIZE];

        for (int n = 0; n < N; n++) {
            snprintf(row, sizeof row, "0 1:%.17g 2:%.17g 7:%.17g\n", sin(n), cos(3 * n),
                     sin(7 * n));
            strcat(many, row);
        }
        rvm_problem *p = rows_from_text(many, false);
        const char *use = text != NULL ? text : three_classes;
        rvm_prediction all =
            run(use, p, (rvm_predictor_settings){ .variance = true, .threads = 3 });
        for (int n = 0; n < N; n += 37) {
            snprintf(row, sizeof row, "0 1:%.17g 2:%.17g 7:%.17g\n", sin(n), cos(3 * n),
                     sin(7 * n));
            rvm_prediction one = predict(use, row, false);

            ck_assert_mem_eq(one.value, all.value + n, sizeof *one.value);
            ck_assert_mem_eq(one.variance, all.variance + n, sizeof *one.variance);
            rvm_prediction_free(&one);
        }
        rvm_prediction_free(&all);
        rvm_problem_free(p);
        free(text);
    }
END_TEST

/* k(x,x) = 1e320 of a row whose k(x,z) is 0. */
START_TEST(variances_out_of_range_are_refused)
    {
        rvm_prediction out = { 0 };
        rvm_error err = { 0 };
        char *text = regression_text("linear", U_LINEAR);
        rvm_model *m = model_from_text(text);
        rvm_problem *p = rows_from_text("0 1:1\n0 7:1e160\n", false);
        rvm_predictor *pr = NULL;

        ck_assert_int_eq(rvm_predict(&out, m, p, false, &err), RVM_ENUMERIC);
        ck_assert_uint_eq(err.line, 2);
        /* The mean by itself is in range. */
        ck_assert_int_eq(
            rvm_predictor_alloc(&pr, m, &(rvm_predictor_settings){ .threads = 1 }, &err), RVM_OK);
        ck_assert_int_eq(rvm_predictor_run(&out, pr, p, &err), RVM_OK);
        expect(out.value[1], 0.75);
        rvm_predictor_free(pr);
        rvm_prediction_free(&out);
        rvm_problem_free(p);
        rvm_model_free(m);
        free(text);
    }
END_TEST

/* Without variance nothing of the process is computed. */
START_TEST(without_variance_the_rest_is_the_same)
    {
        char *text = regression_text(regressions[0].kernel, regressions[0].points);
        rvm_problem *p = rows_from_text(rows_text, false);
        rvm_prediction full = run(text, p, (rvm_predictor_settings){ .variance = true });
        rvm_prediction fast = run(text, p, (rvm_predictor_settings){ .threads = 1 });

        ck_assert_mem_eq(fast.value, full.value, ROWS * sizeof *full.value);
        rvm_prediction_free(&full);
        rvm_prediction_free(&fast);
        rvm_problem_free(p);
        free(text);
    }
END_TEST

Suite *predict_points_suite(void);
Suite *predict_points_suite(void)
{
    Suite *suite = suite_create("predict_points");
    TCase *tc = tcase_create("predict_points");

    tcase_add_loop_test(tc, regression_by_dense_formulas, 0, 4);
    tcase_add_test(tc, intervals_have_the_whole_variance);
    tcase_add_loop_test(tc, far_from_the_data_the_process_is_left, 0, 2);
    tcase_add_test(tc, what_is_left_is_not_negative);
    tcase_add_test(tc, precomputed_by_hand);
    tcase_add_test(tc, outputs_have_their_own_factors);
    tcase_add_test(tc, two_classes_by_dense_formulas);
    tcase_add_test(tc, three_classes_by_dense_formulas);
    tcase_add_loop_test(tc, a_row_does_not_depend_on_its_block, 0, 5);
    tcase_add_test(tc, variances_out_of_range_are_refused);
    tcase_add_test(tc, without_variance_the_rest_is_the_same);
    suite_add_tcase(suite, tc);
    return suite;
}
