/* Probabilities where classes have other shares than in training, against Bayes's rule by hand. */
#include <float.h>

#include "problems.h"

/* f(x) = x1, of practically no variance; `extra` stands behind the line of examples. */
#define CERTAIN(extra)                                                                           \
    "rvm_model 1\ntask classification\nkernel_type linear\nnr_class 2\nlabel 1 -1\ntotal_rv 1\n" \
    "examples 9\n" extra                                                                         \
    "log_evidence 0\nconverged 1\nprobability 0\nfactor 1e9\nRV\n1 1 1:1\nend\n"
static const char plain[] = CERTAIN("class_rows 3 6\n");
static const char weighted[] = CERTAIN("class_rows 3 6\nclass_weights 1 0.5\n");
static const char unknown[] = CERTAIN("");
static const char regression[] = "rvm_model 1\ntask regression\nkernel_type none\nnr_class 2\n"
                                 "total_rv 0\nexamples 9\nnoise_variance 1\nnoise_fixed 0\n"
                                 "log_evidence 0\nconverged 1\nRV\nend\n";
/* f = x1, 2 x1 and 0; 2, 3 and 4 rows. */
#define THREE(multiclass)                                                                         \
    "rvm_model 1\ntask classification\nkernel_type linear\nnr_class 3\nlabel 5 -2 9\n" multiclass \
    "total_rv 1\nexamples 9\nclass_rows 2 3 4\nlog_evidence 0\nconverged 1\nprobability 0\n"      \
    "class 5 1\nfactor 1e9\nclass -2 1\nfactor 1e9\nclass 9 0\nRV\n1 1 2 1 0 0 1:1\nend\n"
static const char softmax[] = THREE("");
static const char one_vs_rest[] = THREE("multiclass ovr\n");
/* Two draws of the bias, 0 and 1, and one of nothing else. */
static const char draws[] = "rvm_model 1\ntask classification\nkernel_type none\nnr_class 2\n"
                            "label 1 -1\ntotal_rv 0\nexamples 9\nclass_rows 3 6\ndraws 2\n"
                            "log_likelihood 0\nconverged 1\nprobability 0\nbias 0 0 1\nRV\nend\n";
/* The kernel prior: predicted at the most probable weights, f = x1. */
static const char process[] = "rvm_model 1\ntask classification\nkernel_type linear\nnr_class 2\n"
                              "label 1 -1\ntotal_rv 1\nexamples 9\nclass_rows 3 6\n"
                              "process_variance 8\nlog_evidence 0\nconverged 1\nprobability 0\n"
                              "RV\n1 1:1\nend\n";

/* Of the row whose only feature is x. */
static rvm_status predict(rvm_prediction *out, const char *model, double x, const double *share,
                          bool variance, rvm_error *err)
{
    const rvm_predictor_settings s = { .variance = variance, .prevalence = share, .threads = 1 };
    char row[40];
    rvm_predictor *pr = NULL;
    rvm_model *m = model_from_text(model);

    snprintf(row, sizeof row, "0 1:%.17g\n", x);
    rvm_problem *p = rows_from_text(row, false);
    rvm_status status = rvm_predictor_alloc(&pr, m, &s, err);
    if (status == RVM_OK)
        status = rvm_predictor_run(out, pr, p, err);
    rvm_predictor_free(pr);
    rvm_problem_free(p);
    rvm_model_free(m);
    return status;
}

static void expect(const char *model, double x, const double *share, int label, const double *want)
{
    rvm_prediction out = { 0 };
    rvm_error err = { 0 };

    CHECK_OK(predict(&out, model, x, share, true, &err));
    ck_assert_double_eq(out.value[0], label);
    for (size_t c = 0; c < out.classes; c++) {
        ck_assert_double_eq_tol(out.probability[c], want[c], 1e-12);
        ck_assert_double_eq_tol(exp(out.log_probability[c]), want[c], 1e-12);
    }
    /* The label is the same where nobody asks for anything else. */
    CHECK_OK(predict(&out, model, x, share, false, &err));
    ck_assert_double_eq(out.value[0], label);
    rvm_prediction_free(&out);
}

/* At x = 0 both have 1/2, with shares of 1/3 and 2/3 in training: 1/4 and 3/4 make it 3/4 to 9/8,
 * which is 0.4 to 0.6. Weights of 1 and 1/2 make the shares of training equal: 1/4 and 3/4, and
 * with those of the rows 1/3 and 2/3. Shares of training change nothing. */
START_TEST(two_classes_by_hand)
    {
        expect(plain, 0, NULL, 1, (double[]){ 0.5, 0.5 });
        expect(plain, 0, (double[]){ 0.25, 0.75 }, -1, (double[]){ 0.4, 0.6 });
        expect(plain, 0, (double[]){ 1.0 / 3, 2.0 / 3 }, 1, (double[]){ 0.5, 0.5 });
        expect(weighted, 0, (double[]){ 0.25, 0.75 }, -1, (double[]){ 0.25, 0.75 });
        expect(weighted, 0, (double[]){ 1.0 / 3, 2.0 / 3 }, -1, (double[]){ 1.0 / 3, 2.0 / 3 });
        expect(process, 0, (double[]){ 0.25, 0.75 }, -1, (double[]){ 0.4, 0.6 });
        /* Odds of 3 become 3 x 2 / 3. */
        expect(plain, log(3), (double[]){ 0.25, 0.75 }, 1, (double[]){ 2.0 / 3, 1.0 / 3 });
    }
END_TEST

/* Odds of e, e^2 and 1 at x = 1, times 0.5 / (2/9), 0.3 / (3/9) and 0.2 / (4/9); one against the
 * rest has the logistic function of 1, 2 and 0 in their place. */
START_TEST(more_classes_by_hand)
    {
        const double share[] = { 0.5, 0.3, 0.2 }, factor[] = { 2.25, 0.9, 0.45 };
        double odds[] = { exp(1), exp(2), 1 }, want[3], sum = 0;

        for (size_t c = 0; c < 3; c++)
            sum += odds[c] * factor[c];
        for (size_t c = 0; c < 3; c++)
            want[c] = odds[c] * factor[c] / sum;
        expect(softmax, 1, share, -2, want);
        sum = 0;
        for (size_t c = 0; c < 3; c++)
            sum += odds[c] / (1 + odds[c]) * factor[c];
        for (size_t c = 0; c < 3; c++)
            want[c] = odds[c] / (1 + odds[c]) * factor[c] / sum;
        expect(one_vs_rest, 1, share, 5, want);
    }
END_TEST

/* The mean of Phi(0) and Phi(1), R's (0.5 + pnorm(1)) / 2 = 0.6706723730342715, is corrected, not
 * each. */
START_TEST(draws_by_hand)
    {
        const double p = 0.6706723730342715, a = p * 0.75, b = (1 - p) * 1.125;
        const double c = p * 0.3, d = (1 - p) * 1.35;

        expect(draws, 0, (double[]){ 0.25, 0.75 }, 1, (double[]){ a / (a + b), b / (a + b) });
        expect(draws, 0, (double[]){ 0.1, 0.9 }, -1, (double[]){ c / (c + d), d / (c + d) });
    }
END_TEST

/* The model with that temperature, owned by the caller. */
static char *tempered(const char *model, const char *temperature)
{
    const char *at = strstr(model, model == process ? "RV" : "factor");
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    ck_assert_ptr_nonnull(out);
    fprintf(out, "%.*scalibration_rows 5\ntemperature %s\nheld_out_loss 0\nheld_out_error 0\n%s",
            (int)(at - model), model, temperature, at);
    fclose(out);
    return text;
}

/* The shares times the roots of p / pi. */
static void expect_roots(const char *model, const double *share, const double *given, int label,
                         const double *quotient)
{
    const double a = share[0] * sqrt(quotient[0]), b = share[1] * sqrt(quotient[1]);
    char *text = tempered(model, "2");

    expect(text, log(9), given, label, (double[]){ a / (a + b), b / (a + b) });
    free(text);
}

/* A temperature of 2 leaves the root of p / pi, whatever the shares: at odds of 9 and shares of 1/3
 * and 2/3 in training p / pi is 2.7 and 0.15, with weights of 1 and 1/2, and so equal ones, 1.8 and
 * 0.2. */
START_TEST(temperature_is_of_what_the_row_says)
    {
        const double thirds[] = { 1.0 / 3, 2.0 / 3 }, halves[] = { 0.5, 0.5 },
                     rare[] = { 0.1, 0.9 };
        const double plainly[] = { 2.7, 0.15 }, evenly[] = { 1.8, 0.2 };

        expect_roots(plain, thirds, NULL, 1, plainly);
        expect_roots(plain, rare, rare, -1, plainly);
        expect_roots(weighted, halves, NULL, 1, evenly);
        expect_roots(weighted, thirds, thirds, 1, evenly);
        expect_roots(weighted, rare, rare, -1, evenly);
        expect_roots(process, rare, rare, -1, plainly);
    }
END_TEST

/* What does not occur is not predicted, however sure the model is; logarithms are finite. */
START_TEST(shares_of_nothing)
    {
        const double first[] = { 1, 0 };
        rvm_prediction out = { 0 };
        rvm_error err = { 0 };

        expect(plain, 0, first, 1, (double[]){ 1, 0 });
        expect(plain, -1e100, first, 1, (double[]){ 1, 0 });
        CHECK_OK(predict(&out, plain, -1e100, first, true, &err));
        ck_assert_double_eq(out.log_probability[1], -DBL_MAX);
        rvm_prediction_free(&out);
        /* Twice these log-odds are beyond double. */
        char *text = tempered(process, "0.5");
        expect(text, -1e308, first, 1, (double[]){ 1, 0 });
        free(text);
    }
END_TEST

static void refuse(const char *model, const double *share, const char *words)
{
    rvm_prediction out = { 0 };
    rvm_error err = { 0 };

    ck_assert_int_eq(predict(&out, model, 0, share, true, &err), RVM_ESETTING);
    ck_assert_msg(strstr(err.message, words) != NULL, "%s", err.message);
    rvm_prediction_free(&out);
}

START_TEST(wrong_shares_are_refused)
    {
        refuse(plain, (double[]){ -0.1, 1.1 }, "the share of class 1 is -0.1, not from 0 to 1");
        refuse(plain, (double[]){ 0, 1.5 }, "the share of class -1 is 1.5, not from 0 to 1");
        refuse(plain, (double[]){ NAN, 1 }, "the share of class 1 is nan");
        refuse(plain, (double[]){ 0.5, 0.4 }, "sum to 0.9, not to 1");
        refuse(unknown, (double[]){ 0.5, 0.5 }, "how many rows of each class");
        refuse(regression, (double[]){ 0.5, 0.5 }, "a regression");
        /* Three times 0.333 is meant well, and probabilities sum to 1 all the same. */
        rvm_prediction out = { 0 };
        rvm_error err = { 0 };
        CHECK_OK(predict(&out, softmax, 0, (double[]){ 0.333, 0.333, 0.333 }, true, &err));
        ck_assert_double_eq_tol(out.probability[0] + out.probability[1] + out.probability[2], 1,
                                1e-15);
        rvm_prediction_free(&out);
    }
END_TEST

Suite *prevalence_suite(void)
{
    Suite *suite = suite_create("prevalence");
    TCase *tc = tcase_create("prevalence");

    tcase_add_test(tc, two_classes_by_hand);
    tcase_add_test(tc, more_classes_by_hand);
    tcase_add_test(tc, draws_by_hand);
    tcase_add_test(tc, temperature_is_of_what_the_row_says);
    tcase_add_test(tc, shares_of_nothing);
    tcase_add_test(tc, wrong_shares_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
