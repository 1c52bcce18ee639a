/* Scores, of predictions and of cross-validation. */
#include "cli/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "product/score.h"

/* Never -nan, which the sign of a nan would make of %g. */
static const char *write_correlation(char text[32], double x)
{
    snprintf(text, 32, isnan(x) ? "nan" : "%g", x);
    return text;
}

/* rows: those that the mean is of; others: why it is not of all. */
static void print_mean(const char *what, double mean, size_t rows, size_t all, const char *others)
{
    if (rows == all)
        fprintf(stderr, "Mean %s = %g\n", what, mean);
    else if (rows > 0)
        fprintf(stderr, "Mean %s = %g (%zu rows; %s)\n", what, mean, rows, others);
}

static void print_density(double mean)
{
    fprintf(stderr, "Mean negative log predictive density = %g\n", mean);
}

static void print_outputs(const rvm_score *score, size_t outputs)
{
    char text[32];

    for (size_t k = 0; outputs > 1 && k < outputs; k++)
        fprintf(stderr,
                "Output %zu: mean squared error = %g, squared correlation coefficient = %s, "
                "mean negative log predictive density = %g\n",
                k + 1, rvm_score_mean_squared_error(&score[k]),
                write_correlation(text, rvm_score_squared_correlation(&score[k])),
                score[k].nlpd / (double)score[k].rows);
}

/* before: begins the line. */
static void print_cover(const char *before, const rvm_score *score, size_t outputs)
{
    const char *comma[RVM_COVERS] = { "", ", ", " and " };

    fprintf(stderr, "%s", before);
    for (size_t i = 0; i < RVM_COVERS; i++)
        fprintf(stderr, "%s%g", comma[i], 100 * rvm_score_interval(i));
    fprintf(stderr, " %% hold ");
    for (size_t i = 0; i < RVM_COVERS; i++)
        fprintf(stderr, "%s%.3g", comma[i], 100 * rvm_score_cover_over(score, outputs, i));
    fprintf(stderr, " %% of the targets\n");
}

static void print_covers(const rvm_score *score, size_t outputs)
{
    char text[48];

    print_cover("Intervals of ", score, outputs);
    for (size_t k = 0; outputs > 1 && k < outputs; k++) {
        snprintf(text, sizeof text, "Output %zu: intervals of ", k + 1);
        print_cover(text, &score[k], 1);
    }
}

/* ---- Of predictions ------------------------------------------------------------------------- */

void cli_score_classification(FILE *text, const rvm_score *score)
{
    static const char others[] = "the others are of no class of the model";
    const double rows = (double)score->log_loss_rows;

    fprintf(text, "Accuracy = %g%% (%zu/%zu) (classification)\n", rvm_score_accuracy(score),
            score->correct, score->rows);
    print_mean("log loss", score->log_loss / rows, score->log_loss_rows, score->rows, others);
    print_mean("Brier score", score->brier / rows, score->log_loss_rows, score->rows, others);
}

void cli_score_regression(FILE *text, const rvm_score *score, size_t outputs)
{
    char correlation[32];
    double nlpd = 0;

    for (size_t k = 0; k < outputs; k++)
        nlpd += score[k].nlpd / (double)score[k].rows / (double)outputs;
    print_outputs(score, outputs);
    fprintf(text, "Mean squared error = %g (regression)\n",
            rvm_score_mean_error_over(score, outputs));
    fprintf(text, "Squared correlation coefficient = %s (regression)\n",
            write_correlation(correlation, rvm_score_correlation_over(score, outputs)));
    print_density(nlpd);
    print_covers(score, outputs);
}

/* ---- Of cross-validation -------------------------------------------------------------------- */

/* grid.py takes the last word but for its last character as a number.  A single digit would leave
 * nothing and an exponent would lose a digit that matters, so both are written otherwise. */
static void print_for_grid(double x)
{
    char text[32];

    snprintf(text, sizeof text, "%g", x);
    if (strlen(text) == 1) {
        printf("%s.0", text);
    } else if (strchr(text, 'e') == NULL) {
        fputs(text, stdout);
    } else {
        snprintf(text, sizeof text, "%.5e", x);
        const int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
        /* Six significant digits, and zeros to fill up. */
        if (exponent < 0)
            printf("%.*f", 5 - exponent, x);
        else
            printf("%c%.5s%0*d", text[0], text + 2, exponent - 5, 0);
    }
}

static rvm_status print_regression_folds(const rvm_prediction *prediction, const rvm_problem *p,
                                         bool quiet, rvm_error *err)
{
    const size_t outputs = rvm_problem_outputs(p);
    rvm_score *score = calloc(outputs, sizeof *score);
    char correlation[32];

    if (score == NULL)
        return rvm_fail_memory(err, "scores");
    const rvm_status status = rvm_score_held_out(score, prediction, p, err);
    if (status == RVM_OK) {
        if (!quiet)
            print_outputs(score, outputs);
        printf("Cross Validation Mean squared error = ");
        print_for_grid(rvm_score_mean_error_over(score, outputs));
        printf("\nCross Validation Squared correlation coefficient = %s\n",
               write_correlation(correlation, rvm_score_correlation_over(score, outputs)));
    }
    free(score);
    return status;
}

static rvm_status print_class_folds(const rvm_prediction *prediction, const rvm_problem *p,
                                    rvm_error *err)
{
    rvm_score score = { 0 };
    const rvm_status status = rvm_score_held_out(&score, prediction, p, err);

    if (status == RVM_OK)
        printf("Cross Validation Accuracy = %g%%\n", rvm_score_accuracy(&score));
    return status;
}

rvm_status cli_score_folds(const rvm_prediction *prediction, const rvm_problem *p, bool quiet,
                           rvm_error *err)
{
    const bool regression = prediction->classes == 0;
    const size_t rows = rvm_problem_rows(p);
    rvm_fold_score score;
    rvm_status status = regression ? print_regression_folds(prediction, p, quiet, err)
                                   : print_class_folds(prediction, p, err);

    if (status != RVM_OK || quiet)
        return status;
    status = rvm_score_folds(&score, prediction, p, err);
    if (status == RVM_OK && regression) {
        print_density(score.log_loss);
        fprintf(stderr, "90 %% intervals hold %.3g %% of the targets\n", 100 * score.cover);
    } else if (status == RVM_OK) {
        print_mean("log loss", score.log_loss, rows - score.unseen, rows,
                   "the class of the others is in one fold only");
    }
    return status;
}
