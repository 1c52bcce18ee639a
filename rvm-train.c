/* rvm-train: trains a relevance vector machine on a libsvm data file. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli/advice.h"
#include "lib/cli/candidates.h"
#include "lib/cli/contenders.h"
#include "lib/cli/input.h"
#include "lib/cli/live.h"
#include "lib/cli/note.h"
#include "lib/cli/options.h"
#include "lib/cli/output.h"
#include "lib/cli/score.h"
#include "lib/cli/summary.h"

enum { EXIT_SIGNAL = 128 }; /* and the number of the signal, as a shell has it */

/* ---- Options -------------------------------------------------------------------------------- */

typedef struct {
    rvm_settings settings; /* its class weights are owned */
    int svm_type;          /* as given: checked after the data are read, as libsvm does */
    double C, nu, p;       /* libsvm's, checked and not used */
    int shrinking, probability;
    int folds; /* 0: no cross-validation */
    bool quiet, no_bias;
    const char *trace; /* NULL: not wanted */
} train_job;

#define FIELD(name) offsetof(train_job, name)
#define SETTING CLI_SETTING, FIELD(settings)

static const cli_option options[] = {
    { .kind = CLI_HEADING, .help = "Options of svm-train" },
    { 's', NULL, "TYPE", "0", "0, 1: classification; 3, 4: regression", CLI_INT, FIELD(svm_type) },
    { 't', NULL, "KERNEL", "2",
      "0: linear, 1: polynomial, 2: rbf, 3: sigmoid, 4: precomputed; 5 to 7: below", SETTING },
    { 'd', NULL, "DEGREE", "3", "degree of the polynomial kernel; auto", SETTING },
    { 'g', NULL, "GAMMA", "1/features", "gamma of the kernel; 0: the default; auto", SETTING },
    { 'r', NULL, "COEF0", "0", "coef0 of the polynomial and sigmoid kernels; auto", SETTING },
    { 'w', NULL, "I W", "1", "classification: an error on a row of class I costs W", CLI_SUFFIXED,
      FIELD(settings) },
    { 'e', NULL, "EPS", "0.001", "gain in log evidence that is worth an iteration", SETTING },
    { 'b', NULL, "0|1", "0", "1: fit probabilities, intervals to held-out rows", CLI_INT,
      FIELD(probability) },
    { 'm', NULL, "MB", "1024", "memory for training beside the data, in MB", SETTING },
    { 'v', NULL, "N", NULL, "N-fold cross-validation instead of a model", CLI_INT, FIELD(folds) },
    { 'q', NULL, NULL, NULL, "quiet: results and errors only", CLI_FLAG, FIELD(quiet) },
    { .kind = CLI_HEADING, .help = "Kernel" },
    { 0, "auto", "[=SECONDS]", NULL,
      "all of it is found: kernel, its numbers, prior, scale of features; -b is 1", SETTING },
    { 0, "kernel", "NAME", NULL, "kernel by name: those, 5: laplacian, 6: spline, 7: none",
      SETTING },
    { 0, "select", "LIST", NULL,
      "the best of these kernels, as in rbf,laplacian,linear,poly; -g is auto then unless given",
      SETTING },
    { 0, "ard", NULL, NULL, "a length-scale for each input in place of gamma, found in training",
      SETTING },
    { 0, "standardize", NULL, NULL,
      "features to mean 0 and standard deviation 1 first; the model says so", SETTING },
    { 0, "basis", "LIST", "bias",
      "functions beside the kernel's: bias, linear (x_i), quadratic (x_i x_j), none", SETTING },
    { 0, "no-bias", NULL, NULL, "no constant beside the kernel functions", CLI_FLAG,
      FIELD(no_bias) },
    { .kind = CLI_HEADING, .help = "Model" },
    { 0, "noise-variance", "V", "estimated", "regression: noise variance held at V", SETTING },
    { 0, "shared-noise", NULL, NULL,
      "regression of several outputs: the same noise, as a share of variance, in each", SETTING },
    { 0, "prior", "PRIOR", "flat",
      "of weights: flat, kernel (a Gaussian process), gamma:A,B, student:NU; gibbs: mixture",
      SETTING },
    { 0, "vectors", "MAX", "no bound", "most relevance vectors", SETTING },
    { 0, "noise-prior", "C,D", "flat",
      "regression: of the noise's precision, gamma of shape C and rate D", SETTING },
    { 0, "multiclass", "MODEL", "softmax",
      "more than two classes: softmax, or ovr: one against the rest", SETTING },
    { .kind = CLI_HEADING, .help = "Training" },
    { 0, "method", "NAME", "auto",
      "auto; of the papers: mackay, em, sequential; gibbs: draws from the posterior", SETTING },
    { 0, "prune-margin", "NATS", "0", "delete functions that are worth less log evidence",
      SETTING },
    { 0, "restarts", "R", "automatic", "number of starts; the best one counts", SETTING },
    { 0, "seed", "S", "1", "seed of all that is drawn at random", SETTING },
    { 0, "threads", "T", "all", "number of threads; the model does not depend on it", SETTING },
    { .kind = CLI_HEADING, .help = "Draws (--method gibbs)" },
    { 0, "samples", "S", "5000", "post-warm-up draws of each chain", SETTING },
    { 0, "burn-in", "B", "1000", "warm-up draws before them, which are discarded", SETTING },
    { 0, "chains", "C", "5", "number of chains", SETTING },
    { 0, "thin", "K", "1", "every Kth draw counts", SETTING },
    { 0, "keep", "D", "200", "draws that the model keeps", SETTING },
    { 0, "alpha-min", "A", "10", "least precision of a weight; regression: 1e-8/variance",
      SETTING },
    { 0, "alpha-max", "A", "1e4", "largest precision of a weight; regression: 1e6/variance",
      SETTING },
    { 0, "gibbs-basis", "WHICH", "by size",
      "all functions, or active: those of a solution and others at random", SETTING },
    { 0, "trace", "FILE", NULL, "write the draws as text", CLI_TEXT, FIELD(trace) },
    { .kind = CLI_HEADING, .help = "Options of svm-train without effect" },
    { 'c', NULL, "C", "1", "checked and ignored", CLI_REAL, FIELD(C) },
    { 'n', NULL, "NU", "0.5", "checked and ignored", CLI_REAL, FIELD(nu) },
    { 'p', NULL, "EPSILON", "0.1", "checked and ignored", CLI_REAL, FIELD(p) },
    { 'h', NULL, "0|1", "1", "checked and ignored", CLI_INT, FIELD(shrinking) },
};

static int run(void *job, const cli_words *words);

static const cli_tool tool = {
    .name = "rvm-train",
    .about = "Trains a relevance vector machine on data in libsvm's format.",
    .operands = "training_set_file [model_file]",
    .operands_min = 1,
    .operands_max = 2,
    .option = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};

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
    if (job->settings.tune.race && job->settings.kernel.type == RVM_PRECOMPUTED)
        return "--auto cannot compare kernels on the rows of a precomputed one (-t 4)";
    if (job->settings.tune.type_count > 0 && job->settings.kernel.type == RVM_PRECOMPUTED)
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
        s->bias = s->bias && !job->no_bias;
        s->probability = job->probability == 1;
        if (rvm_settings_check(s, p, &err) != RVM_OK) {
            cli_note_error(&tool, NULL, &err);
            return false;
        }
        fault = ignored_fault(job);
    }
    if (fault != NULL)
        cli_note(&tool, "ERROR: %s", fault);
    return fault == NULL;
}

static int interrupted_code(const train_job *job)
{
    return EXIT_SIGNAL + *job->settings.interrupted;
}

/* ---- Cross-validation ----------------------------------------------------------------------- */

static int cross_validate(const train_job *job, const rvm_problem *p)
{
    const size_t rows = rvm_problem_rows(p);
    rvm_prediction prediction = { 0 };
    rvm_error err = { 0 };
    bool finished = false;
    int code = 0;

    if ((size_t)job->folds > rows)
        cli_note(&tool,
                 "WARNING: # folds (%d) > # data (%zu). Will use # folds = # data instead "
                 "(i.e., leave-one-out cross validation)",
                 job->folds, rows);
    rvm_status status =
        rvm_cross_validate(&prediction, &finished, p, &job->settings, (size_t)job->folds, &err);
    if (status == RVM_OK && finished)
        status = cli_score_folds(&prediction, p, job->quiet, &err);
    if (status != RVM_OK) {
        cli_note_error(&tool, NULL, &err);
        code = 1;
    } else if (!finished) {
        cli_note(&tool, "interrupted; no result");
        code = interrupted_code(job);
    }
    rvm_prediction_free(&prediction);
    return code;
}

/* ---- Training ------------------------------------------------------------------------------- */

/* A training and what is shown of it. */
typedef struct {
    const rvm_settings *asked;
    const rvm_problem *p;
    bool quiet;
    FILE *text; /* borrowed; where it goes */
    cli_live line;
} training;

/* Steps until the kernel is chosen, where one is to be chosen; in a second call, or where none is,
 * until done; or until an interrupt. */
static rvm_status step_on(rvm_report *report, rvm_trainer *tr, training *t, rvm_error *err)
{
    rvm_status status = RVM_OK;
    bool over = false;

    while (status == RVM_OK && !over) {
        cli_live_draw(&t->line, report, tr, rvm_problem_rows(t->p));
        status = rvm_trainer_step(report, tr, err);
        over = *t->asked->interrupted || report->done ||
               (report->stage == RVM_TUNE && report->stage_over);
    }
    cli_live_clear(&t->line);
    return status;
}

/* Trains until done or interrupted, which the report tells. */
static rvm_status train_kernel(cli_summary *out, rvm_trainer *tr, training *t, rvm_error *err)
{
    rvm_status status = step_on(&out->report, tr, t, err);

    if (status == RVM_OK)
        status = rvm_trainer_model(&out->model, tr, err);
    if (status == RVM_OK)
        status = rvm_trainer_chains(&out->chains, tr, err);
    return status;
}

/* A row of the table for another kernel than the best one; what it fails with is its own affair. */
static void train_other(const rvm_choice *choice, training *t)
{
    training own = *t;
    rvm_settings s = *t->asked;
    cli_summary other = { .model = NULL };
    rvm_trainer *tr = NULL;
    rvm_error fault = { 0 };

    s.tune = (rvm_tuning){ .gamma = false };
    s.kernel = choice->kernel;
    s.probability = false; /* the model that is saved has it */
    own.line = cli_live_start(t->text, !t->quiet);
    if (rvm_trainer_alloc(&tr, t->p, &s, &fault) == RVM_OK &&
        train_kernel(&other, tr, &own, &fault) != RVM_OK)
        other.report.done = false;
    cli_candidates_row(t->text, t->asked, choice);
    cli_candidates_trained(t->text, &other, cli_live_seconds() - own.line.started_at);
    cli_summary_free(&other);
    rvm_trainer_free(tr);
}

/* The best of each type of kernel, trained for its row of the table. *out is of the one that
 * cross-validation prefers, with which tr goes on. */
static rvm_status train_types(cli_summary *out, rvm_trainer *tr, training *t, rvm_error *err)
{
    const rvm_tuner *tuner = rvm_trainer_tuner(tr);
    const rvm_choice best = rvm_tuner_best(tuner);
    rvm_status status = RVM_OK;

    cli_candidates_heading(t->text, t->asked, true);
    for (size_t k = 0; k < rvm_tuner_types(tuner) && status == RVM_OK; k++) {
        const rvm_choice choice = rvm_tuner_best_of_type(tuner, k);
        const double start = cli_live_seconds();

        if (choice.kernel.type == best.kernel.type) {
            status = train_kernel(out, tr, t, err);
            cli_candidates_row(t->text, t->asked, &best);
            cli_candidates_trained(t->text, out, cli_live_seconds() - start);
        } else if (!*t->asked->interrupted) {
            train_other(&choice, t);
        }
    }
    return status;
}

/* Trains, with a table of the kernels where one of them is to be chosen. */
static rvm_status train_model(cli_summary *out, training *t, rvm_error *err)
{
    rvm_trainer *tr = NULL;
    rvm_status status = rvm_trainer_alloc(&tr, t->p, t->asked, err);
    const rvm_tuner *tuner = status == RVM_OK ? rvm_trainer_tuner(tr) : NULL;
    const rvm_race *race = status == RVM_OK ? rvm_trainer_race(tr) : NULL;
    const bool told = tuner != NULL && !t->quiet;

    if (tuner != NULL || race != NULL) {
        out->report = rvm_trainer_report(tr);
        status = step_on(&out->report, tr, t, err);
    }
    if (status == RVM_OK && race != NULL)
        cli_contenders_keep(&out->choice, t->asked, race);
    if (status == RVM_OK && race != NULL && !t->quiet)
        cli_contenders_print(t->text, t->asked, race);
    if (status == RVM_OK && told && rvm_tuner_types(tuner) > 1) {
        status = train_types(out, tr, t, err);
    } else if (status == RVM_OK) {
        if (told)
            cli_candidates_print(t->text, t->asked, tuner);
        status = train_kernel(out, tr, t, err);
    }
    if (status == RVM_OK && told)
        cli_candidates_warn(&tool, t->asked, tuner);
    out->trials = status == RVM_OK && tuner != NULL ? rvm_tuner_tried(tuner) : 0;
    rvm_trainer_free(tr);
    return status;
}

/* ---- What is written ------------------------------------------------------------------------ */

static const char model_complaint[] = "can't save model to file";
static const char trace_complaint[] = "can't save trace to file";

static rvm_status write_model(const void *model, FILE *out, rvm_error *err)
{
    return rvm_model_write(model, out, err);
}

static rvm_status write_chains(const void *chains, FILE *out, rvm_error *err)
{
    return rvm_chains_write(chains, out, err);
}

/* Whether the file can be made, now rather than at the end. */
static bool can_trace(const char *name, const char *model_name)
{
    if (!cli_output_is_same(name, model_name))
        return cli_output_probe(&tool, trace_complaint, name);
    cli_note(&tool, "--trace would write to the model file %s", model_name);
    return false;
}

/* The trace again may be the model file, now that there is one. */
static bool save(const train_job *job, const cli_summary *t, const char *model_name)
{
    if (!cli_output_save(&tool, model_complaint, model_complaint, model_name, write_model,
                         t->model))
        return false;
    return job->trace == NULL || t->chains == NULL ||
           (can_trace(job->trace, model_name) &&
            cli_output_save(&tool, trace_complaint, trace_complaint, job->trace, write_chains,
                            t->chains));
}

static void report_on(const train_job *job, const cli_words *words, const cli_summary *t,
                      const rvm_problem *p, const char *model_name, FILE *text, double seconds)
{
    if (t->report.done)
        cli_advice_trained(&tool, t, &job->settings, p, job->quiet);
    else
        cli_note(&tool, "interrupted; the best model so far is in %s",
                 strcmp(model_name, "-") == 0 ? "the output" : model_name);
    if (!job->quiet)
        cli_summary_print(text, &tool, words, t, &job->settings, p, seconds);
    if (job->trace != NULL && t->chains == NULL)
        cli_note(&tool, "nothing was drawn: no trace is in %s", job->trace);
}

static int train(const train_job *job, const cli_words *words, const rvm_problem *p,
                 const char *model_name)
{
    /* Text keeps away from a model or a trace that goes to standard output. */
    const bool is_taken = cli_output_is_same(model_name, "-") ||
                          (job->trace != NULL && cli_output_is_same(job->trace, "-"));
    FILE *text = is_taken ? stderr : stdout;
    training t = { &job->settings, p, job->quiet, text, cli_live_start(text, !job->quiet) };
    cli_summary found = { .model = NULL };
    rvm_error err = { 0 };
    int code = 1;

    /* A folder that cannot be written to is no news for the end of an hour. */
    if ((job->trace != NULL && !can_trace(job->trace, model_name)) ||
        !cli_output_probe(&tool, model_complaint, model_name))
        return 1;
    if (train_model(&found, &t, &err) != RVM_OK) {
        cli_note_error(&tool, NULL, &err);
        code = err.status == RVM_EINTERRUPT ? interrupted_code(job) : 1;
    } else if (save(job, &found, model_name)) {
        report_on(job, words, &found, p, model_name, text, cli_live_seconds() - t.line.started_at);
        code = found.report.done ? 0 : interrupted_code(job);
    }
    cli_summary_free(&found);
    return code;
}

/* ---- The tool ------------------------------------------------------------------------------- */

static int run_on_data(train_job *job, const cli_words *words, const char *model_name)
{
    const rvm_grammar grammar = {
        .class_labels = is_classification(job),
        .precomputed = job->settings.kernel.type == RVM_PRECOMPUTED,
        .outputs = !is_classification(job),
    };
    const char *const written[2] = { job->folds > 0 ? NULL : model_name, job->trace };
    rvm_problem *p = cli_input_problem(&tool, "input file", words->word[0], written, grammar);
    int code = 1;

    if (p != NULL && check_job(job, p)) {
        cli_advice_job(&tool, words, &job->settings, p, job->quiet);
        job->settings.interrupted = cli_output_catch_interrupt();
        code = job->folds > 0 ? cross_validate(job, p) : train(job, words, p, model_name);
    }
    rvm_problem_free(p);
    return code;
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

/* What is wrong with the options of a sampler; NULL: nothing. */
static const char *sampling_fault(const train_job *job, const cli_words *words)
{
    static const char *const sampling[] = { "--samples",   "--burn-in",     "--chains",
                                            "--thin",      "--keep",        "--alpha-min",
                                            "--alpha-max", "--gibbs-basis", "--trace" };

    for (size_t i = 0; i < sizeof sampling / sizeof sampling[0]; i++)
        if (cli_options_given(words, &tool, sampling[i]) &&
            job->settings.method != RVM_METHOD_GIBBS)
            return "--samples, --burn-in, --chains, --thin, --keep, --alpha-min, --alpha-max, "
                   "--gibbs-basis and --trace are for --method gibbs";
    if (job->trace != NULL && job->folds > 0)
        return "--trace is for a model, not for cross-validation (-v)";
    return NULL;
}

/* An option has a value of its own: it is there, and not as auto. */
static bool is_said(const cli_words *words, const char *option)
{
    const char *value = cli_options_value(words, &tool, option);

    return cli_options_given(words, &tool, option) && (value == NULL || strcmp(value, "auto") != 0);
}

/* What --auto leaves open but another option says, before it or behind. */
static void close_given(train_job *job, const cli_words *words)
{
    rvm_tuning *tune = &job->settings.tune;
    const char *list = cli_options_value(words, &tool, "--select");
    rvm_error err = { 0 };

    if (!tune->race)
        return;
    if (list != NULL && rvm_settings_set(&job->settings, "select", list, &err) != RVM_OK)
        tune->type_count = 0; /* it has been read before */
    if (list == NULL && (is_said(words, "-t") || is_said(words, "--kernel")))
        tune->type_count = 0;
    tune->degree = !is_said(words, "-d");
    tune->coef0 = !is_said(words, "-r");
    tune->gamma = !is_said(words, "-g");
    tune->ard = !is_said(words, "--ard") && !is_said(words, "-g");
    tune->linear = !is_said(words, "--basis");
    tune->prior = !is_said(words, "--prior");
    tune->standardize = !is_said(words, "--standardize");
    if (!is_said(words, "-b"))
        job->probability = 1;
}

static int run(void *given, const cli_words *words)
{
    train_job *job = given;
    const char *data_name = words->word[0];
    const char *fault = sampling_fault(job, words);

    if (fault != NULL)
        return cli_options_wrong(&tool, "%s", fault);
    if (cli_options_given(words, &tool, "-v") && job->folds < 2)
        return cli_options_wrong(&tool, "n-fold cross validation: n must >= 2");
    if (job->settings.tune.type_count > 0 && !cli_options_given(words, &tool, "-g"))
        job->settings.tune.gamma = true;
    close_given(job, words);
    if (words->count == 2)
        return run_on_data(job, words, words->word[1]);
    if (strcmp(data_name, "-") == 0 && job->folds == 0)
        return cli_options_wrong(&tool, "data from standard input need a model_file");

    char *model_name = default_model_name(data_name);
    const int code = model_name == NULL ? 1 : run_on_data(job, words, model_name);
    if (model_name == NULL)
        cli_note(&tool, "no memory");
    free(model_name);
    return code;
}

int main(int argc, char **argv)
{
    train_job job = {
        .settings = rvm_settings_default(),
        .C = 1,
        .nu = 0.5,
        .p = 0.1,
        .shrinking = 1,
    };
    const int code = cli_options_run(argc, argv, &tool, &job);

    rvm_settings_clear(&job.settings);
    return code;
}
