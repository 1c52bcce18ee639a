/* rvm-train: trains a relevance vector machine on a libsvm data file. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/cli/cli.h"
#include "lib/cli/cli_advice.h"
#include "lib/cli/cli_candidates.h"
#include "lib/cli/cli_coefficients.h"
#include "lib/cli/cli_live.h"
#include "lib/rvm.h"

enum { EXIT_INTERRUPTED = 130 };

/* ---- Options -------------------------------------------------------------------------------- */

static const char trace_complaint[] = "can't save trace to file";

typedef struct {
    rvm_settings settings;
    int svm_type, kernel_number; /* as given: checked after the data are read, as libsvm does */
    double C, nu, p;             /* libsvm's, checked and not used */
    int shrinking, probability;
    int folds; /* 0: no cross-validation */
    bool quiet, no_bias;
    const char *trace;                         /* NULL: not wanted */
    rvm_kernel_type select[RVM_NO_KERNEL + 1]; /* kernels to choose from */
    rvm_class_weight *weight; /* owned; room for one for each word of the command line */
} train_job;

/* A value that cannot be taken. */
static rvm_status wrong(rvm_error *err, const char *message)
{
    *err = (rvm_error){ .status = RVM_ESETTING };
    snprintf(err->message, sizeof err->message, "%s", message);
    return err->status;
}

static rvm_status set_kernel(void *job, const char *suffix, const char *value, rvm_error *err)
{
    rvm_kernel_type type;
    (void)suffix;

    if (!rvm_kernel_by_name(&type, value))
        return wrong(err, "there is no kernel of that name");
    ((train_job *)job)->kernel_number = (int)type;
    return RVM_OK;
}

/* `auto`, or a number into *number. */
static rvm_status set_or_tune(bool *tune, double *number, const char *value, rvm_error *err)
{
    *tune = strcmp(value, "auto") == 0;
    if (*tune || cli_read_real(number, value))
        return RVM_OK;
    return wrong(err, "neither a number nor auto");
}

static rvm_status set_gamma(void *job, const char *suffix, const char *value, rvm_error *err)
{
    rvm_settings *s = &((train_job *)job)->settings;
    (void)suffix;
    return set_or_tune(&s->tune.gamma, &s->kernel.gamma, value, err);
}

static rvm_status set_coef0(void *job, const char *suffix, const char *value, rvm_error *err)
{
    rvm_settings *s = &((train_job *)job)->settings;
    (void)suffix;
    return set_or_tune(&s->tune.coef0, &s->kernel.coef0, value, err);
}

static rvm_status set_degree(void *job, const char *suffix, const char *value, rvm_error *err)
{
    rvm_settings *s = &((train_job *)job)->settings;
    (void)suffix;
    s->tune.degree = strcmp(value, "auto") == 0;
    if (s->tune.degree || cli_read_int(&s->kernel.degree, value))
        return RVM_OK;
    return wrong(err, "neither a whole number nor auto");
}

/* Adds a kernel by name, `poly` being short for polynomial; false when there is none to compare. */
static bool select_kernel(train_job *job, const char *name)
{
    size_t *count = &job->settings.tune.type_count;
    rvm_kernel_type type;

    if (!rvm_kernel_by_name(&type, strcmp(name, "poly") == 0 ? "polynomial" : name) ||
        type == RVM_PRECOMPUTED)
        return false;
    for (size_t k = 0; k < *count; k++)
        if (job->select[k] == type)
            return true;
    job->select[(*count)++] = type;
    return true;
}

/* A list of kernels with commas between them. */
static rvm_status set_select(void *job, const char *suffix, const char *value, rvm_error *err)
{
    rvm_tuning *tune = &((train_job *)job)->settings.tune;
    char name[32];
    (void)suffix;

    tune->type = ((train_job *)job)->select;
    tune->type_count = 0;
    for (const char *word = value; word != NULL;) {
        const size_t length = strcspn(word, ",");

        snprintf(name, sizeof name, "%.*s", (int)length, word);
        if (length >= sizeof name || !select_kernel(job, name))
            return wrong(err, "not a list of kernels that can be compared");
        word = word[length] == ',' ? word + length + 1 : NULL;
    }
    return RVM_OK;
}

static rvm_status set_basis(void *job, const char *suffix, const char *value, rvm_error *err)
{
    (void)suffix;
    if (rvm_settings_basis(&((train_job *)job)->settings, value))
        return RVM_OK;
    return wrong(err, "a list of bias, linear, quadratic and none is possible");
}

static rvm_status set_multiclass(void *job, const char *suffix, const char *value, rvm_error *err)
{
    (void)suffix;
    if (rvm_multiclass_by_name(&((train_job *)job)->settings.multiclass, value))
        return RVM_OK;
    return wrong(err, "softmax and ovr are possible");
}

static rvm_status set_method(void *job, const char *suffix, const char *value, rvm_error *err)
{
    (void)suffix;
    if (rvm_method_by_name(&((train_job *)job)->settings.method, value))
        return RVM_OK;
    return wrong(err, "auto, mackay, em, sequential and gibbs are possible");
}

static rvm_status set_gibbs_basis(void *job, const char *suffix, const char *value, rvm_error *err)
{
    rvm_gibbs_basis *basis = &((train_job *)job)->settings.sampling.basis;
    (void)suffix;

    if (strcmp(value, "all") == 0)
        *basis = RVM_BASIS_ALL;
    else if (strcmp(value, "active") == 0)
        *basis = RVM_BASIS_ACTIVE;
    else
        return wrong(err, "all and active are possible");
    return RVM_OK;
}

/* Two numbers with a comma between them and nothing else. */
static bool read_pair(double *first, double *second, const char *text)
{
    char head[64];
    const size_t length = strcspn(text, ",");

    if (text[length] == '\0' || length >= sizeof head)
        return false;
    memcpy(head, text, length);
    head[length] = '\0';
    return cli_read_real(first, head) && cli_read_real(second, text + length + 1);
}

/* `gamma:A,B`, or `student:NU`, which is gamma:NU/2,NU/2, or `mixture`. */
static rvm_status set_prior(void *job, const char *suffix, const char *value, rvm_error *err)
{
    static const char gamma[] = "gamma:", student[] = "student:";
    rvm_gamma_prior *prior = &((train_job *)job)->settings.weight_prior;
    rvm_sampling *sampling = &((train_job *)job)->settings.sampling;
    double nu = 0;
    (void)suffix;

    sampling->mixture = strcmp(value, "mixture") == 0;
    sampling->prior_given = !sampling->mixture;
    if (sampling->mixture)
        return RVM_OK;
    if (strncmp(value, gamma, strlen(gamma)) == 0 &&
        read_pair(&prior->shape, &prior->rate, value + strlen(gamma)))
        return RVM_OK;
    if (strncmp(value, student, strlen(student)) != 0 ||
        !cli_read_real(&nu, value + strlen(student)))
        return wrong(err, "gamma:A,B, student:NU and mixture are possible");
    if (!(nu > 0))
        return wrong(err, "NU must be above 0");
    prior->shape = prior->rate = nu / 2;
    return RVM_OK;
}

static rvm_status set_noise_prior(void *job, const char *suffix, const char *value, rvm_error *err)
{
    rvm_gamma_prior *prior = &((train_job *)job)->settings.noise_prior;
    (void)suffix;
    ((train_job *)job)->settings.sampling.noise_prior_given = true;
    if (read_pair(&prior->shape, &prior->rate, value))
        return RVM_OK;
    return wrong(err, "two numbers with a comma between them are needed");
}

/* The text behind the letter is the class; none is class 0, as in libsvm. */
static rvm_status set_weight(void *job, const char *suffix, const char *value, rvm_error *err)
{
    train_job *j = job;
    rvm_class_weight w = { 0, 0 };

    if (*suffix != '\0' && !cli_read_int(&w.label, suffix))
        return wrong(err, "the class is not a whole number");
    if (!cli_read_real(&w.weight, value))
        return wrong(err, "the weight is not a number");
    j->weight[j->settings.class_weight_count++] = w;
    return RVM_OK;
}

#define FIELD(name) offsetof(train_job, name)

static const cli_option options[] = {
    { .kind = CLI_HEADING, .help = "Options of svm-train" },
    { 's', NULL, CLI_INT, "TYPE", "0", "0, 1: classification; 3, 4: regression", FIELD(svm_type),
      NULL },
    { 't', NULL, CLI_INT, "KERNEL", "2",
      "0: linear, 1: polynomial, 2: rbf, 3: sigmoid, 4: precomputed; 5 to 7: below",
      FIELD(kernel_number), NULL },
    { 'd', NULL, CLI_CALL, "DEGREE", "3", "degree of the polynomial kernel; auto", 0, set_degree },
    { 'g', NULL, CLI_CALL, "GAMMA", "1/features", "gamma of the kernel; 0: the default; auto", 0,
      set_gamma },
    { 'r', NULL, CLI_CALL, "COEF0", "0", "coef0 of the polynomial and sigmoid kernels; auto", 0,
      set_coef0 },
    { 'w', NULL, CLI_SUFFIXED, "I W", "1", "classification: an error on a row of class I costs W",
      0, set_weight },
    { 'e', NULL, CLI_REAL, "EPS", "0.001", "gain in log evidence that is worth an iteration",
      FIELD(settings.tolerance), NULL },
    { 'b', NULL, CLI_INT, "0|1", "0", "1: mark the model as one for probabilities",
      FIELD(probability), NULL },
    { 'm', NULL, CLI_REAL, "MB", "1024", "memory for training beside the data, in MB",
      FIELD(settings.budget_mb), NULL },
    { 'v', NULL, CLI_INT, "N", NULL, "N-fold cross-validation instead of a model", FIELD(folds),
      NULL },
    { 'q', NULL, CLI_FLAG, NULL, NULL, "quiet: results and errors only", FIELD(quiet), NULL },
    { .kind = CLI_HEADING, .help = "Kernel" },
    { 0, "kernel", CLI_CALL, "NAME", NULL,
      "kernel by name: those, 5: laplacian, 6: spline, 7: none", 0, set_kernel },
    { 0, "select", CLI_CALL, "LIST", NULL,
      "the best of these kernels, as in rbf,laplacian,linear,poly; -g is auto then unless given", 0,
      set_select },
    { 0, "ard", CLI_FLAG, NULL, NULL,
      "a weight for each input in place of gamma, found in training", FIELD(settings.ard), NULL },
    { 0, "basis", CLI_CALL, "LIST", "bias",
      "functions beside the kernel's: bias, linear (x_i), quadratic (x_i x_j), none", 0,
      set_basis },
    { 0, "no-bias", CLI_FLAG, NULL, NULL, "no constant beside the kernel functions", FIELD(no_bias),
      NULL },
    { .kind = CLI_HEADING, .help = "Model" },
    { 0, "noise-variance", CLI_REAL, "V", "estimated", "regression: noise variance held at V",
      FIELD(settings.noise_variance), NULL },
    { 0, "shared-noise", CLI_FLAG, NULL, NULL,
      "regression of several outputs: the same noise, as a share of variance, in each",
      FIELD(settings.shared_noise), NULL },
    { 0, "prior", CLI_CALL, "PRIOR", "flat",
      "of the weights' precisions: gamma:A,B (shape, rate), student:NU; gibbs: mixture", 0,
      set_prior },
    { 0, "noise-prior", CLI_CALL, "C,D", "flat",
      "regression: of the noise's precision, gamma of shape C and rate D", 0, set_noise_prior },
    { 0, "multiclass", CLI_CALL, "MODEL", "softmax",
      "more than two classes: softmax, or ovr: one against the rest", 0, set_multiclass },
    { .kind = CLI_HEADING, .help = "Training" },
    { 0, "method", CLI_CALL, "NAME", "auto",
      "auto; of the papers: mackay, em, sequential; gibbs: draws from the posterior", 0,
      set_method },
    { 0, "prune-margin", CLI_REAL, "NATS", "0", "delete functions that are worth less log evidence",
      FIELD(settings.prune_margin), NULL },
    { 0, "restarts", CLI_INT, "R", "automatic", "number of starts; the best one counts",
      FIELD(settings.restarts), NULL },
    { 0, "seed", CLI_UNSIGNED, "S", "1", "seed of all that is drawn at random",
      FIELD(settings.seed), NULL },
    { 0, "threads", CLI_INT, "T", "all", "number of threads; the model does not depend on it",
      FIELD(settings.threads), NULL },
    { .kind = CLI_HEADING, .help = "Draws (--method gibbs)" },
    { 0, "samples", CLI_INT, "S", "5000", "draws of each chain that count",
      FIELD(settings.sampling.samples), NULL },
    { 0, "burn-in", CLI_INT, "B", "1000", "draws before them that do not",
      FIELD(settings.sampling.burn_in), NULL },
    { 0, "chains", CLI_INT, "C", "5", "number of chains", FIELD(settings.sampling.chains), NULL },
    { 0, "thin", CLI_INT, "K", "1", "every Kth draw counts", FIELD(settings.sampling.thin), NULL },
    { 0, "keep", CLI_INT, "D", "200", "draws that the model keeps", FIELD(settings.sampling.keep),
      NULL },
    { 0, "alpha-min", CLI_REAL, "A", "10", "least precision of a weight; regression: 1e-8/variance",
      FIELD(settings.sampling.alpha_min), NULL },
    { 0, "alpha-max", CLI_REAL, "A", "1e4",
      "largest precision of a weight; regression: 1e6/variance", FIELD(settings.sampling.alpha_max),
      NULL },
    { 0, "gibbs-basis", CLI_CALL, "WHICH", "by size",
      "all functions, or active: those of a solution and others at random", 0, set_gibbs_basis },
    { 0, "trace", CLI_TEXT, "FILE", NULL, "write the draws as text", FIELD(trace), NULL },
    { .kind = CLI_HEADING, .help = "Options of svm-train without effect" },
    { 'c', NULL, CLI_REAL, "C", "1", "checked and ignored", FIELD(C), NULL },
    { 'n', NULL, CLI_REAL, "NU", "0.5", "checked and ignored", FIELD(nu), NULL },
    { 'p', NULL, CLI_REAL, "EPSILON", "0.1", "checked and ignored", FIELD(p), NULL },
    { 'h', NULL, CLI_INT, "0|1", "1", "checked and ignored", FIELD(shrinking), NULL },
};

static const cli_tool tool = {
    .name = "rvm-train",
    .about = "Trains a relevance vector machine on data in libsvm's format.",
    .operands = "training_set_file [model_file]",
    .operands_min = 1,
    .operands_max = 2,
    .option = options,
    .option_count = sizeof options / sizeof options[0],
};

static train_job train_job_default(void)
{
    return (train_job){
        .settings = rvm_settings_default(),
        .svm_type = 0,
        .kernel_number = RVM_RBF,
        .C = 1,
        .nu = 0.5,
        .p = 0.1,
        .shrinking = 1,
    };
}

/* ---- Checks, after the data are read, in libsvm's order and words ---------------------------- */

static bool is_classification(const train_job *job)
{
    return job->svm_type == 0 || job->svm_type == 1;
}

/* What is wrong with the options that are not used; NULL: nothing. */
static const char *ignored_fault(const train_job *job)
{
    const int s = job->svm_type;

    if ((s == 0 || s == 3 || s == 4) && !(job->C > 0))
        return "C <= 0";
    if ((s == 1 || s == 4) && !(job->nu > 0 && job->nu <= 1))
        return "nu <= 0 or nu > 1";
    if (s == 3 && !(job->p >= 0))
        return "p < 0";
    if (job->shrinking != 0 && job->shrinking != 1)
        return "shrinking != 0 and shrinking != 1";
    if (job->probability != 0 && job->probability != 1)
        return "probability != 0 and probability != 1";
    return NULL;
}

static const char *type_fault(const train_job *job)
{
    if (job->svm_type == 2)
        return "one-class (-s 2) has no relevance vector counterpart";
    if (job->svm_type < 0 || job->svm_type > 4)
        return "unknown svm type";
    if (job->settings.tune.type_count > 0 && job->kernel_number == RVM_PRECOMPUTED)
        return "--select cannot compare kernels on the rows of a precomputed one (-t 4)";
    return NULL;
}

static bool check_job(train_job *job, const rvm_problem *p)
{
    rvm_settings *s = &job->settings;
    rvm_error err = { 0 };
    const char *fault = type_fault(job);

    if (fault == NULL) {
        s->task = is_classification(job) ? RVM_CLASSIFICATION : RVM_REGRESSION;
        s->kernel.type = (rvm_kernel_type)job->kernel_number;
        s->bias = s->bias && !job->no_bias;
        s->probability = job->probability == 1;
        s->class_weights = job->weight;
        if (rvm_settings_check(s, p, &err) != RVM_OK) {
            cli_error(&tool, NULL, &err);
            return false;
        }
        fault = ignored_fault(job);
    }
    if (fault != NULL)
        cli_note(&tool, "ERROR: %s", fault);
    return fault == NULL;
}

/* ---- Notes and warnings --------------------------------------------------------------------- */

static void note_ignored(const cli_words *words)
{
    char list[sizeof "-c, -n, -p, -h"] = "";

    for (const char *letter = "cnph"; *letter != '\0'; letter++)
        if (cli_given(words, &tool, *letter, NULL)) {
            const size_t length = strlen(list);
            snprintf(list + length, sizeof list - length, "%s-%c", length > 0 ? ", " : "", *letter);
        }
    if (list[0] != '\0')
        cli_note(&tool, "%s ignored: not used by relevance vector machines", list);
}

static bool has_class(const rvm_problem *p, int label)
{
    for (size_t i = 0; i < rvm_problem_rows(p); i++)
        if (rvm_problem_target(p, i) == label)
            return true;
    return false;
}

static bool has_one_class(const rvm_problem *p)
{
    for (size_t i = 1; i < rvm_problem_rows(p); i++)
        if (rvm_problem_target(p, i) != rvm_problem_target(p, 0))
            return false;
    return true;
}

/* libsvm's words; they come with -q too. */
static void warn_classes(const train_job *job, const rvm_problem *p)
{
    if (!is_classification(job))
        return;
    if (has_one_class(p))
        cli_note(&tool, "WARNING: training data in only one class: every prediction will be %d",
                 (int)rvm_problem_target(p, 0));
    for (size_t i = 0; i < job->settings.class_weight_count; i++)
        if (!has_class(p, job->weight[i].label))
            cli_note(&tool, "WARNING: class label %d specified in weight is not found",
                     job->weight[i].label);
}

/* ---- Cross-validation ----------------------------------------------------------------------- */

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

static void print_cross_validation(const rvm_score *score, size_t outputs)
{
    const double correlation = rvm_score_correlation_over(score, outputs);

    printf("Cross Validation Mean squared error = ");
    print_for_grid(rvm_score_mean_error_over(score, outputs));
    printf("\nCross Validation Squared correlation coefficient = ");
    if (isnan(correlation))
        printf("nan\n"); /* never -nan, which the sign of a nan would make of %g */
    else
        printf("%g\n", correlation);
}

/* What libsvm's two lines leave out goes where no script reads. */
static rvm_status print_fold_score(const rvm_prediction *prediction, const rvm_problem *p,
                                   rvm_error *err)
{
    rvm_fold_score score;
    const rvm_status status = rvm_score_folds(&score, prediction, p, err);

    if (status != RVM_OK)
        return status;
    if (prediction->classes == 0) {
        cli_message("Mean negative log predictive density = %g", score.log_loss);
        cli_message("90 %% intervals hold %.3g %% of the targets", 100 * score.cover);
    } else if (score.unseen == 0) {
        cli_message("Mean log loss = %g", score.log_loss);
    } else if (score.unseen < prediction->rows) {
        cli_message("Mean log loss = %g (%zu rows; the class of the others is in one fold only)",
                    score.log_loss, prediction->rows - score.unseen);
    }
    return RVM_OK;
}

/* Exit code. */
static int score_regression(const train_job *job, const rvm_prediction *prediction,
                            const rvm_problem *p)
{
    const size_t outputs = rvm_problem_outputs(p);
    rvm_score *score = calloc(outputs, sizeof *score);

    if (score == NULL) {
        cli_note(&tool, "no memory");
        return 1;
    }
    for (size_t k = 0; k < outputs; k++) {
        rvm_score_add_output(&score[k], prediction, p, k);
        if (outputs > 1 && !job->quiet)
            cli_output_score(k, &score[k]);
    }
    print_cross_validation(score, outputs);
    free(score);
    return 0;
}

static int score_classification(const rvm_prediction *prediction, const rvm_problem *p)
{
    const rvm_model_info info = { .task = RVM_CLASSIFICATION };
    rvm_score score = { 0 };

    rvm_score_add(&score, &info, prediction, p);
    printf("Cross Validation Accuracy = %g%%\n", rvm_score_accuracy(&score));
    return 0;
}

static int cross_validate(const train_job *job, const rvm_problem *p)
{
    const size_t rows = rvm_problem_rows(p);
    rvm_prediction prediction = { 0 };
    rvm_error err = { 0 };
    bool finished = false;
    int code = 1;

    if ((size_t)job->folds > rows)
        cli_note(&tool,
                 "WARNING: # folds (%d) > # data (%zu). Will use # folds = # data instead "
                 "(i.e., leave-one-out cross validation)",
                 job->folds, rows);
    if (rvm_cross_validate(&prediction, &finished, p, &job->settings, (size_t)job->folds, &err) !=
        RVM_OK) {
        cli_error(&tool, NULL, &err);
    } else if (!finished) {
        cli_note(&tool, "interrupted; no result");
        code = EXIT_INTERRUPTED;
    } else {
        code = is_classification(job) ? score_classification(&prediction, p)
                                      : score_regression(job, &prediction, p);
        if (!job->quiet && code == 0 && print_fold_score(&prediction, p, &err) != RVM_OK) {
            cli_error(&tool, NULL, &err);
            code = 1;
        }
    }
    rvm_prediction_free(&prediction);
    return code;
}

/* ---- Training ------------------------------------------------------------------------------- */

typedef struct {
    rvm_model *model;   /* owned; the best so far */
    rvm_chains *chains; /* owned; NULL where nothing was drawn */
    int trials;         /* kernels that were compared */
} trained;

static void trained_free(trained *t)
{
    rvm_model_free(t->model);
    rvm_chains_free(t->chains);
}

/* " about 40 s left", once there is something to guess from; else "". */
static void write_time_left(char *text, size_t size, double progress, double elapsed)
{
    const double least_progress = 0.02, least_seconds = 2;

    text[0] = '\0';
    if (progress > least_progress && elapsed > least_seconds)
        snprintf(text, size, "  about %.0f s left", elapsed * (1 - progress) / progress);
}

static void show_progress(cli_live *line, const rvm_report *r, size_t rows, double start)
{
    char text[200], noise[32] = "", where[64], left[48];

    if (!cli_live_due(line))
        return;
    if (r->noise_sd > 0)
        snprintf(noise, sizeof noise, "  noise %.4g", r->noise_sd);
    if (r->draws > 0)
        snprintf(where, sizeof where, "draw %zu/%zu", r->draw, r->draws);
    else if (r->widths)
        snprintf(where, sizeof where, "widths  round %d", r->round);
    else if (r->rows < rows)
        snprintf(where, sizeof where, "rows %zu/%zu  round %d", r->rows, rows, r->round);
    else
        snprintf(where, sizeof where, "start %d/%d  round %d", r->start, r->starts, r->round);
    write_time_left(left, sizeof left, r->progress, cli_seconds() - start);
    snprintf(text, sizeof text, "%s  functions %zu  log %s %.3f%s%s", where, r->functions,
             r->draws > 0 ? "likelihood" : "evidence", r->log_evidence, noise, left);
    cli_live_draw(line, text);
}

/* Drawn before the first one has been tried too, which may take long. */
static void show_choice(cli_live *line, const rvm_tuner *tuner, double start)
{
    const rvm_tuner_report r = rvm_tuner_progress(tuner);
    const rvm_choice best = rvm_tuner_best(tuner);
    char text[160], left[48], found[100] = "";

    if (!cli_live_due(line))
        return;
    if (isfinite(best.loss))
        snprintf(found, sizeof found, "  best %s  gamma %.4g  loss %.4g",
                 rvm_kernel_name(best.kernel.type), best.kernel.gamma, best.loss);
    write_time_left(left, sizeof left, r.progress, cli_seconds() - start);
    snprintf(text, sizeof text, "cross-validation %d of about %d%s%s",
             r.tried < r.expected ? r.tried + 1 : r.tried, r.expected, found, left);
    cli_live_draw(line, text);
}

/* Chooses what is open of the kernel; *out to be freed by the caller.
 * An interrupt ends it early. */
static rvm_status choose_kernel(rvm_tuner **out, const rvm_settings *s, const rvm_problem *p,
                                cli_live *line, rvm_error *err)
{
    const double start = cli_seconds();
    bool done = false;

    rvm_status status = rvm_tuner_alloc(out, p, s, err);
    while (status == RVM_OK && !done && !*s->interrupted) {
        show_choice(line, *out, start);
        status = rvm_tuner_step(&done, *out, err);
    }
    cli_live_clear(line);
    return status;
}

/* Trains until done or interrupted, which *report tells. */
static rvm_status train_kernel(trained *out, rvm_report *report, const rvm_settings *s,
                               const rvm_problem *p, cli_live *line, rvm_error *err)
{
    const double start = cli_seconds();
    rvm_trainer *tr = NULL;

    rvm_status status = rvm_trainer_alloc(&tr, p, s, err);
    do {
        if (status == RVM_OK)
            status = rvm_trainer_step(report, tr, err);
        if (status == RVM_OK)
            show_progress(line, report, rvm_problem_rows(p), start);
    } while (status == RVM_OK && !report->done && !*s->interrupted);
    cli_live_clear(line);
    if (status == RVM_OK)
        status = rvm_trainer_model(&out->model, tr, err);
    if (status == RVM_OK)
        status = rvm_trainer_chains(&out->chains, tr, err);
    rvm_trainer_free(tr);
    return status;
}

/* A kernel that was not trained to the end has no model. */
static void print_type(FILE *table, const train_job *job, const rvm_choice *choice,
                       const rvm_model *m, double seconds)
{
    char evidence[24] = "-", vectors[24] = "-";

    if (m != NULL) {
        const rvm_model_info info = rvm_model_describe(m);
        if (info.draws == 0)
            snprintf(evidence, sizeof evidence, "%.6g", info.log_evidence);
        snprintf(vectors, sizeof vectors, "%zu", info.vectors);
    }
    cli_candidates_row(table, &job->settings, choice);
    fprintf(table, " %12s %7s %7.2f\n", evidence, vectors, seconds);
}

/* The best of each type of kernel, trained for its row of the table. *out is of the one that
 * cross-validation prefers; what another one fails with is its own affair. */
static rvm_status train_types(trained *out, rvm_report *report, rvm_settings *s,
                              const train_job *job, const rvm_tuner *tuner, const rvm_problem *p,
                              cli_live *line, FILE *table, rvm_error *err)
{
    const rvm_kernel_type best = rvm_tuner_best(tuner).kernel.type;
    rvm_status status = RVM_OK;

    cli_candidates_heading(table, &job->settings);
    fprintf(table, " %12s %7s %7s\n", "log evidence", "vectors", "seconds");
    for (size_t k = 0; k < rvm_tuner_types(tuner) && status == RVM_OK; k++) {
        const bool is_best = rvm_tuner_best_of_type(tuner, k).kernel.type == best;
        const rvm_choice choice =
            is_best ? rvm_tuner_best(tuner) : rvm_tuner_best_of_type(tuner, k);
        const double start = cli_seconds();
        trained t = { .model = NULL };
        rvm_report r = { .done = false };
        rvm_error fault = { 0 };

        if (!is_best && *s->interrupted)
            continue;
        s->kernel = choice.kernel;
        const rvm_status end = train_kernel(&t, &r, s, p, line, &fault);
        print_type(table, job, &choice, r.done ? t.model : NULL, cli_seconds() - start);
        if (!is_best) {
            trained_free(&t);
            continue;
        }
        *out = t;
        *report = r;
        *err = fault;
        status = end;
    }
    return status;
}

/* Chooses a kernel where one is to be chosen, and trains. */
static rvm_status train_model(trained *out, rvm_report *report, const train_job *job,
                              const rvm_problem *p, cli_live *line, FILE *text, rvm_error *err)
{
    rvm_settings s = job->settings;
    rvm_tuner *tuner = NULL;

    if (!rvm_tuning_is_open(&s.tune))
        return train_kernel(out, report, &s, p, line, err);
    rvm_status status = choose_kernel(&tuner, &s, p, line, err);
    s.tune = (rvm_tuning){ .gamma = false };
    if (status == RVM_OK && rvm_tuner_types(tuner) > 1 && !job->quiet) {
        status = train_types(out, report, &s, job, tuner, p, line, text, err);
    } else if (status == RVM_OK) {
        if (!job->quiet)
            cli_candidates_print(text, &job->settings, tuner);
        s.kernel = rvm_tuner_best(tuner).kernel;
        status = train_kernel(out, report, &s, p, line, err);
    }
    if (status == RVM_OK && !job->quiet)
        cli_candidates_warn(&tool, &job->settings, tuner);
    out->trials = status == RVM_OK ? (int)rvm_tuner_tried(tuner) : 0;
    /* A search that was cut short is no less so for a training that was over at once. */
    report->done = report->done && !*s.interrupted;
    rvm_tuner_free(tuner);
    return status;
}

static void print_noise(FILE *out, const rvm_model *m, const rvm_model_info *info)
{
    fputs("Noise standard deviation = ", out);
    for (size_t k = 0; k < info->outputs; k++)
        fprintf(out, "%s%g", k > 0 ? "," : "", sqrt(rvm_model_noise_variance(m, k)));
    fputs(info->noise_fixed ? " (given)\n" : "\n", out);
}

/* What was left open of the kernel, in the order of the options. Of few rows, or after an early
 * interrupt, nothing has been compared. */
static void print_chosen(FILE *out, const rvm_tuning *tune, const rvm_kernel *kernel, int trials)
{
    const char *how = trials > 1 ? "chosen" : "not compared with any other";

    if (tune->type_count > 0)
        fprintf(out, "Kernel = %s (%s)\n", rvm_kernel_name(kernel->type), how);
    if (tune->degree && kernel->type == RVM_POLYNOMIAL)
        fprintf(out, "Degree = %d (%s)\n", kernel->degree, how);
    if (tune->gamma && cli_has_gamma(kernel))
        fprintf(out, "Gamma = %.6g (%s)\n", kernel->gamma, how);
    if (tune->coef0 && (kernel->type == RVM_POLYNOMIAL || kernel->type == RVM_SIGMOID))
        fprintf(out, "Coef0 = %g (%s)\n", kernel->coef0, how);
}

/* ", 3" or ", 6-10" */
static void print_range(FILE *out, const char *before, int first, int last)
{
    fprintf(out, first == last ? "%s%d" : "%s%d-%d", before, first, last);
}

/* Those of all features up to the last one of the data that have no weight. */
static void print_useless(FILE *out, const rvm_input_weights *inputs, int last)
{
    const char *before = "; of no use: ";
    long long next = 1; /* one more than the last feature may be */

    for (size_t j = 0; j <= inputs->count; j++) {
        const long long end = j < inputs->count ? inputs->index[j] - 1LL : last;
        if (next <= end) {
            print_range(out, before, (int)next, (int)end);
            before = ", ";
        }
        if (j < inputs->count)
            next = inputs->index[j] + 1LL;
    }
}

/* The largest effect first. */
static void print_inputs(FILE *out, const rvm_model *m, const rvm_problem *p)
{
    const rvm_model_info info = rvm_model_describe(m);
    const rvm_input_weights *inputs = info.kernel.inputs;
    const size_t most_told = 1000;
    rvm_error err = { 0 };

    if (inputs == NULL)
        return;
    if (inputs->count > most_told) { /* an effect takes all inputs */
        fprintf(out, "Inputs with a weight = %zu\n", inputs->count);
        return;
    }
    double *effect = calloc(inputs->count + 1, sizeof *effect);
    if (effect == NULL || rvm_model_effects(effect, m, p, &err) != RVM_OK) {
        cli_note(&tool, "relevance of inputs: %s", effect == NULL ? "no memory" : err.message);
        free(effect);
        return;
    }
    fputs("Inputs by relevance = ", out);
    for (size_t k = 0; k < inputs->count; k++) {
        size_t best = 0;
        for (size_t j = 1; j < inputs->count; j++)
            if (effect[j] > effect[best])
                best = j;
        fprintf(out, "%s%d (%.3g)", k > 0 ? ", " : "", inputs->index[best], effect[best]);
        effect[best] = -1;
    }
    if (inputs->count == 0)
        fputs("none", out);
    print_useless(out, inputs, rvm_problem_last_feature(p));
    fputc('\n', out);
    free(effect);
}

enum { SHOWN_SIZE = 32 };

/* x with so many decimals; `-` where it is no finite number, as R-hat is of chains that stand still
 * in several places. */
static const char *shown(char text[SHOWN_SIZE], double x, int decimals)
{
    if (!(fabs(x) < 1e20))
        return "-";
    snprintf(text, SHOWN_SIZE, "%.*f", decimals, x);
    return text;
}

/* The weights that do most, the largest first, those that differ from 0 for sure marked. */
static void print_weights(FILE *out, const rvm_chains *chains, const rvm_chains_info *info)
{
    rvm_error err = { 0 };

    if (info->functions > 0)
        fprintf(out, "%-10s %12s %12s %12s %8s %8s\n", "weight", "mean", "2.5 %", "97.5 %", "R-hat",
                "size");
    for (size_t k = 0; k < info->functions; k++) {
        char rhat[SHOWN_SIZE], size[SHOWN_SIZE];
        rvm_weight_summary w;
        if (rvm_chains_weight(&w, chains, k, &err) != RVM_OK) {
            cli_note(&tool, "weights: %s", err.message);
            return;
        }
        fprintf(out, "%-10s %12.5g %12.5g %12.5g %8s %8s%s\n", w.name, w.mean, w.low, w.high,
                shown(rhat, w.rhat, 3), shown(size, w.size, 0),
                w.low > 0 || w.high < 0 ? " *" : "");
    }
    if (info->sampled > info->functions)
        fprintf(out, "and %zu that do less\n", info->sampled - info->functions);
}

static void print_chains(FILE *out, const rvm_chains *chains)
{
    char rhat[SHOWN_SIZE], size[SHOWN_SIZE];
    rvm_chains_info info;
    rvm_error err = { 0 };

    if (rvm_chains_describe(&info, chains, &err) != RVM_OK) {
        cli_note(&tool, "chains: %s", err.message);
        return;
    }
    fprintf(out, "Draws = %zu of each of %zu chains, %zu functions\n", info.draws, info.chains,
            info.sampled);
    fprintf(out, "Log likelihood = %.6g (R-hat %s, effective size %s)\n", info.log_likelihood,
            shown(rhat, info.log_likelihood_rhat, 3), shown(size, info.log_likelihood_size, 0));
    if (info.prediction_rhat > 0)
        fprintf(out, "Predictions = R-hat %s at the worst training row\n",
                shown(rhat, info.prediction_rhat, 3));
    print_weights(out, chains, &info);
}

/* What decided between the starts, where that was not the log evidence alone. After an interrupt
 * not all of them have been. */
static void print_criterion(FILE *out, const rvm_report *r, bool has_prior)
{
    if (r->done && r->credit != 0 && r->draws == 0)
        fprintf(out, "Best of %d starts = %.6g (log evidence%s %+g for %s%zu function%s)\n",
                r->starts, r->log_evidence + r->credit * (double)r->functions,
                has_prior ? " + log prior" : "", r->credit, r->functions > 1 ? "each of " : "",
                r->functions, r->functions == 1 ? "" : "s");
}

/* names: of the basis functions beside the kernel's, or NULL: not asked for. */
static void print_summary(FILE *out, const train_job *job, const trained *t, const rvm_problem *p,
                          const rvm_report *report, const char *names, double seconds)
{
    const rvm_model *m = t->model;
    const rvm_model_info info = rvm_model_describe(m);

    print_chosen(out, &job->settings.tune, &info.kernel, t->trials);
    fprintf(out, "Examples = %zu\n", info.examples);
    if (info.outputs > 1)
        fprintf(out, "Outputs = %zu\n", info.outputs);
    fprintf(out, "Relevance vectors = %zu\n", info.vectors);
    if (names != NULL)
        fprintf(out, "Basis functions = %s\n", names[0] != '\0' ? names : "none");
    if (t->chains != NULL)
        print_chains(out, t->chains);
    else
        fprintf(out, "Log evidence = %.6g\n", info.log_evidence);
    if (info.has_prior)
        fprintf(out, "Log evidence + log prior = %.6g\n", info.log_evidence + info.log_prior);
    print_criterion(out, report, info.has_prior);
    if (info.task == RVM_REGRESSION)
        print_noise(out, m, &info);
    print_inputs(out, m, p);
    cli_print_coefficients(out, &tool, m);
    fprintf(out, "Seconds = %.2f\n", seconds);
}

/* A model of no function but the bias is legal, and right where there is nothing to learn; it is
 * what unscaled inputs come to. One class has said so already. */
static void report_constant(const train_job *job, const rvm_report *report, const rvm_model *m,
                            const rvm_problem *p)
{
    const rvm_model_info info = rvm_model_describe(m);

    if (report->done && info.vectors == 0 && !info.has_terms && info.classes != 1 && !job->quiet)
        cli_note(&tool, "no relevance vectors: the model predicts a constant; %s",
                 cli_constant_cause(&job->settings, p));
}

/* Where most rows are vectors there is no sparse solution at this width. */
static void report_dense(const train_job *job, const rvm_report *report, const rvm_model *m)
{
    const rvm_model_info info = rvm_model_describe(m);
    const size_t few_rows = 20;

    if (!report->done || job->quiet || job->settings.method == RVM_METHOD_GIBBS ||
        info.examples <= few_rows || 2 * info.vectors <= info.examples)
        return;
    if (job->settings.method != RVM_METHOD_AUTO) {
        cli_note(
            &tool,
            "%zu of %zu rows are vectors: --method %s ends where its one start leads; --method "
            "auto compares many",
            info.vectors, info.examples, rvm_method_name(job->settings.method));
        return;
    }
    if (!cli_has_gamma(&info.kernel))
        return;
    cli_note(&tool,
             "%zu of %zu rows are vectors: the kernel is too narrow to tell signal from noise; "
             "-g auto finds a wider one",
             info.vectors, info.examples);
}

/* h->rows is 0 where nothing can be said, or is to be. */
static void hold_out(rvm_held_out *h, const train_job *job, const rvm_model *m,
                     const rvm_problem *p)
{
    rvm_error err = { 0 };

    if (job->quiet || rvm_model_held_out(h, m, p, &job->settings, &err) != RVM_OK)
        *h = (rvm_held_out){ .rows = 0 };
}

/* No noise is left, and that is no collapse in which each row predicts itself alone. */
static bool is_free_of_noise(const rvm_report *report, const rvm_held_out *h)
{
    return report->noise_at_bound && (h->rows == 0 || h->loss < 0.5 * h->constant);
}

static void report_end(const train_job *job, const rvm_report *report, size_t outputs,
                       const char *model_name, bool free_of_noise)
{
    if (!report->done)
        cli_note(&tool, "interrupted; the best model so far is in %s",
                 strcmp(model_name, "-") == 0 ? "the output" : model_name);
    else if (!report->converged)
        cli_note(&tool, report->draws > 0
                            ? "WARNING: the chains have not come together (R-hat above 1.05): more "
                              "--samples and --burn-in may help"
                            : "WARNING: training ended before it converged: with a larger -e it "
                              "asks for less, and with a larger -m many rows have more room");
    if (report->done && free_of_noise && !job->quiet)
        cli_note(&tool, "%s free of noise: its variance is held at a lower bound",
                 outputs > 1 ? "an output looks" : "the target looks");
}

static bool save_model(const rvm_model *m, const char *complaint, const char *name)
{
    rvm_error err = { 0 };
    outfile *o = cli_create(&tool, complaint, name);

    if (o == NULL)
        return false;
    if (rvm_model_write(m, outfile_stream(o), &err) != RVM_OK) {
        cli_note(&tool, "%s %s: %s", complaint, name, err.message);
        cli_discard(o);
        return false;
    }
    return cli_commit(&tool, o, complaint, name);
}

static bool is_stream(const char *name)
{
    return name != NULL && cli_is_stdout(name);
}

/* By name, or one file under two names. */
static bool is_model(const char *trace, const char *model)
{
    struct stat a, b;

    if (strcmp(trace, model) == 0)
        return true;
    return stat(trace, &a) == 0 && stat(model, &b) == 0 && S_ISREG(a.st_mode) &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Whether the file can be made, now rather than at the end. */
static bool can_trace(const char *name, const char *model_name)
{
    if (!is_model(name, model_name))
        return cli_can_create(&tool, trace_complaint, name);
    cli_note(&tool, "--trace would write to the model file %s", model_name);
    return false;
}

static bool save_trace(const rvm_chains *chains, const char *name, const char *model_name)
{
    rvm_error err = { 0 };

    if (!can_trace(name, model_name)) /* now that there is a model */
        return false;
    outfile *o = cli_create(&tool, trace_complaint, name);
    if (o == NULL)
        return false;
    if (rvm_chains_write(chains, outfile_stream(o), &err) == RVM_OK)
        return cli_commit(&tool, o, trace_complaint, name);
    cli_note(&tool, "%s %s: %s", trace_complaint, name, err.message);
    cli_discard(o);
    return false;
}

static int train(const train_job *job, const rvm_problem *p, const char *model_name)
{
    static const char complaint[] = "can't save model to file";
    const double start = cli_seconds();
    /* Text keeps away from a model or a trace that goes to standard output. */
    FILE *text = is_stream(model_name) || is_stream(job->trace) ? stderr : stdout;
    cli_live line = cli_live_start(text, !job->quiet);
    rvm_report report = { .done = false };
    trained t = { .model = NULL };
    char *names = NULL;
    rvm_error err = { 0 };
    int code = 1;

    /* A folder that cannot be written to is no news for the end of an hour. */
    if ((job->trace != NULL && !can_trace(job->trace, model_name)) ||
        !cli_can_create(&tool, complaint, model_name))
        return 1;
    rvm_status status = train_model(&t, &report, job, p, &line, text, &err);
    if (status == RVM_OK && (job->settings.linear || job->settings.quadratic))
        status = rvm_model_terms(&names, t.model, &err);
    if (status != RVM_OK) {
        cli_error(&tool, NULL, &err);
        code = status == RVM_EINTERRUPT ? EXIT_INTERRUPTED : 1;
    } else if (save_model(t.model, complaint, model_name) &&
               (job->trace == NULL || t.chains == NULL ||
                save_trace(t.chains, job->trace, model_name))) {
        rvm_held_out h = { .rows = 0 };
        if (report.done)
            hold_out(&h, job, t.model, p);
        const bool free_of_noise = is_free_of_noise(&report, &h);
        report_constant(job, &report, t.model, p);
        if (!cli_note_worse(&tool, &h, &job->settings, t.model, p) && !free_of_noise)
            report_dense(job, &report, t.model);
        report_end(job, &report, rvm_problem_outputs(p), model_name, free_of_noise);
        if (!job->quiet)
            print_summary(text, job, &t, p, &report, names, cli_seconds() - start);
        if (job->trace != NULL && t.chains == NULL)
            cli_note(&tool, "nothing was drawn: no trace is in %s", job->trace);
        code = report.done ? 0 : EXIT_INTERRUPTED;
    }
    free(names);
    trained_free(&t);
    return code;
}

/* ---- The tool ------------------------------------------------------------------------------- */

/* model_name: where the result will go, so that this is no news after the training;
 * NULL: nowhere. */
static bool read_data(rvm_problem **out, const train_job *job, const char *name,
                      const char *model_name)
{
    const rvm_grammar grammar = {
        .class_labels = is_classification(job),
        .precomputed = job->kernel_number == RVM_PRECOMPUTED,
        .outputs = !is_classification(job),
    };
    rvm_error err = { 0 };

    FILE *in = cli_open(&tool, "input file", name);
    if (in == NULL)
        return false;
    if ((model_name != NULL && !cli_spares_input(&tool, in, name, model_name)) ||
        (job->trace != NULL && !cli_spares_input(&tool, in, name, job->trace))) {
        cli_close(in);
        return false;
    }
    const rvm_status status = rvm_problem_read(out, in, grammar, &err);
    if (status != RVM_OK)
        cli_data_error(&tool, name, &err);
    cli_close(in);
    return status == RVM_OK;
}

/* Name of the model when none is given: the data file's, in the current folder. NULL without
 * memory; owned by the caller. */
static char *default_model_name(const char *data_name)
{
    const char *slash = strrchr(data_name, '/');
    const char *base = slash == NULL ? data_name : slash + 1;
    const size_t size = strlen(base) + sizeof ".model";
    char *name = malloc(size);

    if (name != NULL)
        snprintf(name, size, "%s.model", base);
    return name;
}

static int run(train_job *job, const cli_words *words, const char *model_name)
{
    rvm_problem *p = NULL;
    int code = 1;

    if (read_data(&p, job, words->word[0], job->folds > 0 ? NULL : model_name) &&
        check_job(job, p)) {
        if (!job->quiet) {
            note_ignored(words);
            cli_note_unused(&tool, words, &job->settings, p);
        }
        if (job->kernel_number != RVM_PRECOMPUTED)
            cli_warn_index_zero(&tool, p);
        warn_classes(job, p);
        if (!job->quiet && is_classification(job))
            cli_note_many_classes(&tool, p);
        job->settings.interrupted = cli_catch_interrupt();
        code = job->folds > 0 ? cross_validate(job, p) : train(job, p, model_name);
    }
    rvm_problem_free(p);
    return code;
}

/* What is wrong with the options of a sampler; NULL: nothing. */
static const char *sampling_fault(const train_job *job, const cli_words *words)
{
    static const char *const names[] = { "samples",   "burn-in",   "chains",      "thin", "keep",
                                         "alpha-min", "alpha-max", "gibbs-basis", "trace" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (cli_given(words, &tool, 0, names[i]) && job->settings.method != RVM_METHOD_GIBBS)
            return "--samples, --burn-in, --chains, --thin, --keep, --alpha-min, --alpha-max, "
                   "--gibbs-basis and --trace are for --method gibbs";
    if (job->trace != NULL && job->folds > 0)
        return "--trace is for a model, not for cross-validation (-v)";
    return NULL;
}

static int run_words(train_job *job, const cli_words *words)
{
    const char *data_name = words->word[0];
    const char *fault = sampling_fault(job, words);

    if (fault != NULL)
        return cli_usage_error(&tool, "%s", fault);

    if (cli_given(words, &tool, 'v', NULL) && job->folds < 2)
        return cli_usage_error(&tool, "n-fold cross validation: n must >= 2");
    if (job->settings.tune.type_count > 0 && !cli_given(words, &tool, 'g', NULL))
        job->settings.tune.gamma = true;
    if (words->count == 2)
        return run(job, words, words->word[1]);
    if (strcmp(data_name, "-") == 0 && job->folds == 0)
        return cli_usage_error(&tool, "data from standard input need a model_file");

    char *model_name = default_model_name(data_name);
    const int code = model_name == NULL ? 1 : run(job, words, model_name);
    if (model_name == NULL)
        cli_note(&tool, "no memory");
    free(model_name);
    return code;
}

int main(int argc, char **argv)
{
    train_job job = train_job_default();
    cli_words words = { 0 };
    int code = 1;

    job.weight = calloc((size_t)argc + 1, sizeof *job.weight);
    if (job.weight == NULL) {
        cli_note(&tool, "no memory");
        return 1;
    }
    switch (cli_parse(argc, argv, &tool, &job, &words)) {
    case CLI_RUN:
        code = run_words(&job, &words);
        break;
    case CLI_DONE:
        code = 0;
        break;
    case CLI_WRONG:
        break;
    }
    free(job.weight);
    return cli_finish(&tool, code);
}
