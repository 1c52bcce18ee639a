/* make bench-widths: what criteria for the width of the rbf kernel look at,
 * and how wrong the models are.
 *
 *     widths TYPE TRAIN TEST [GAMMA...]      TYPE: 0 classification, 3 regression
 *
 * trains a model with each GAMMA and one with -g auto, all in one thread, and prints for them
 *
 *     point GAMMA EVIDENCE FUNCTIONS EFFECTIVE LOSS CV_ERROR ERROR
 *     auto GAMMA EVIDENCE VECTORS NOISE SECONDS ERROR
 *
 * EFFECTIVE is the effective number of parameters, the sum of 1 - alpha_i Sigma_ii. LOSS (the mean
 * of -ln p(target)) and CV_ERROR (percent that are wrong, or the mean squared error) are those of a
 * cross-validation with one start, ERROR is that of TEST. NOISE is a standard deviation, SECONDS
 * are those of the processor. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gsl/gsl_errno.h>

#include "base/forward.h"
#include "product/model.h"
#include "rvm.h"

enum { FOLDS = 5 };

static void stop(const char *reason)
{
    fprintf(stderr, "widths: %s\n", reason);
    exit(1);
}

static void check(rvm_status status, const rvm_error *err)
{
    if (status != RVM_OK)
        stop(err->message);
}

static rvm_problem *read_problem(const char *name)
{
    rvm_error err = { 0 };
    rvm_problem *p = NULL;
    FILE *in = fopen(name, "r");
    if (in == NULL)
        stop(name);
    check(rvm_problem_read(&p, in, (rvm_grammar){ 0 }, &err), &err);
    fclose(in);
    return p;
}

/* sum_i alpha_i Sigma_ii of one function: Sigma_ii = |R^-T e_i|^2. */
static double prior_share(const rvm_latent *f)
{
    const size_t lanes = RVM_FORWARD_LANES;
    rvm_forward solver = { 0 };
    if (!rvm_forward_init(&solver, f->factor, f->count))
        stop("out of memory");
    double *v = calloc(solver.padded * lanes, sizeof *v), share = 0;
    if (v == NULL)
        stop("out of memory");
    for (size_t i = 0; i < f->count; i++) {
        memset(v, 0, solver.padded * lanes * sizeof *v);
        v[i * lanes] = 1;
        rvm_forward_solve(v, 1, &solver);
        for (size_t k = 0; k < f->count; k++)
            share += f->alpha[i] * v[k * lanes] * v[k * lanes];
    }
    free(v);
    rvm_forward_clear(&solver);
    return share;
}

static double functions(const rvm_model *m)
{
    double count = 0;
    for (size_t k = 0; k < m->latent_count; k++)
        count += (double)m->latent[k].count;
    return count;
}

static double effective(const rvm_model *m)
{
    double sum = functions(m);
    for (size_t k = 0; k < m->latent_count; k++)
        if (m->latent[k].count > 0)
            sum -= prior_share(&m->latent[k]);
    return sum;
}

static double error_of(const rvm_score *score, rvm_task task)
{
    return task == RVM_REGRESSION ? rvm_score_mean_squared_error(score)
                                  : 100 - rvm_score_accuracy(score);
}

static double loss_of(const rvm_score *score, rvm_task task)
{
    return task == RVM_REGRESSION ? score->nlpd / (double)score->rows
                                  : score->log_loss / (double)score->log_loss_rows;
}

static double test_error(const rvm_model *m, const rvm_problem *test)
{
    const rvm_model_info info = rvm_model_describe(m);
    rvm_error err = { 0 };
    rvm_prediction prediction = { 0 };
    rvm_score score = { 0 };
    check(rvm_predict(&prediction, m, test, false, &err), &err);
    rvm_score_add(&score, &info, &prediction, test);
    rvm_prediction_free(&prediction);
    return error_of(&score, info.task);
}

/* *m tells the classes, which are those of the predictions. */
static rvm_score cross_validate(const rvm_problem *p, rvm_settings s, const rvm_model *m)
{
    const rvm_model_info info = rvm_model_describe(m);
    rvm_error err = { 0 };
    rvm_prediction prediction = { 0 };
    rvm_score score = { 0 };
    bool finished = false;
    s.restarts = 1;
    check(rvm_cross_validate(&prediction, &finished, p, &s, FOLDS, &err), &err);
    rvm_score_add(&score, &info, &prediction, p);
    rvm_prediction_free(&prediction);
    return score;
}

static void report_point(const rvm_problem *train, const rvm_problem *test, rvm_settings s,
                         double gamma)
{
    rvm_error err = { 0 };
    rvm_model *m = NULL;
    s.kernel.gamma = gamma;
    check(rvm_train(&m, train, &s, &err), &err);
    const rvm_score folds = cross_validate(train, s, m);
    printf("point %g %.10g %g %.10g %.10g %.10g %.10g\n", gamma, m->log_evidence, functions(m),
           effective(m), loss_of(&folds, s.task), error_of(&folds, s.task), test_error(m, test));
    rvm_model_free(m);
}

static void report_auto(const rvm_problem *train, const rvm_problem *test, rvm_settings s)
{
    rvm_error err = { 0 };
    rvm_model *m = NULL;
    const clock_t begin = clock();
    s.tune.gamma = true;
    check(rvm_train(&m, train, &s, &err), &err);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    const rvm_model_info info = rvm_model_describe(m);
    printf("auto %g %.10g %zu %.10g %.2f %.10g\n", info.kernel.gamma, info.log_evidence,
           info.vectors, sqrt(info.noise_variance), seconds, test_error(m, test));
    rvm_model_free(m);
}

int main(int argc, char **argv)
{
    if (argc < 4 || (strcmp(argv[1], "0") != 0 && strcmp(argv[1], "3") != 0))
        stop("usage: widths 0|3 TRAIN TEST [GAMMA...]");
    gsl_set_error_handler_off();
    rvm_settings s = rvm_settings_default();
    s.task = argv[1][0] == '3' ? RVM_REGRESSION : RVM_CLASSIFICATION;
    s.kernel.type = RVM_RBF;
    s.threads = 1;
    rvm_problem *train = read_problem(argv[2]), *test = read_problem(argv[3]);
    for (int k = 4; k < argc; k++)
        report_point(train, test, s, strtod(argv[k], NULL));
    report_auto(train, test, s);
    rvm_problem_free(train);
    rvm_problem_free(test);
    return 0;
}
