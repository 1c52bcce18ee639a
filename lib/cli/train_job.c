/* What rvm-train is asked for: its options, and whether they go together. */
#include "cli/train_job.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/note.h"
#include "cli/options.h"
#include "cli/shared_input.h"
#include "product/settings.h"

/* ---- Options -------------------------------------------------------------------------------- */

#define FIELD(name) offsetof(cli_train_job, name)
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
    { 0, "checkpoint", "FILE", NULL, "write there, now and then, what --resume goes on from",
      CLI_TEXT, FIELD(checkpoint) },
    { 0, "checkpoint-every", "SECONDS", "60", "and how often; 0: as often as it can be", CLI_REAL,
      FIELD(every) },
    { 0, "resume", "FILE", NULL, "go on from a checkpoint of the same data and options; same model",
      CLI_TEXT, FIELD(resume) },
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

cli_tool cli_train_job_tool(const char *name, const char *about,
                            int (*run)(void *job, const cli_words *words))
{
    return (cli_tool){
        .name = name,
        .about = about,
        .operands = "training_set_file [model_file]",
        .operands_min = 1,
        .operands_max = 2,
        .option = options,
        .option_count = sizeof options / sizeof options[0],
        .run = run,
    };
}

cli_train_job cli_train_job_default(const cli_tool *tool)
{
    return (cli_train_job){
        .tool = tool,
        .settings = rvm_settings_default(),
        .C = 1,
        .nu = 0.5,
        .p = 0.1,
        .shrinking = 1,
        .every = 60,
    };
}

/* ---- Checks of the command line -------------------------------------------------------------- */

/* What is wrong with the options of a sampler; NULL: nothing. */
static const char *sampling_fault(const cli_train_job *job, const cli_words *words)
{
    static const char *const sampling[] = { "--samples",   "--burn-in",     "--chains",
                                            "--thin",      "--keep",        "--alpha-min",
                                            "--alpha-max", "--gibbs-basis", "--trace" };

    for (size_t i = 0; i < sizeof sampling / sizeof sampling[0]; i++)
        if (cli_options_given(words, job->tool, sampling[i]) &&
            job->settings.method != RVM_METHOD_GIBBS)
            return "--samples, --burn-in, --chains, --thin, --keep, --alpha-min, --alpha-max, "
                   "--gibbs-basis and --trace are for --method gibbs";
    if (job->trace != NULL && job->folds > 0)
        return "--trace is for a model, not for cross-validation (-v)";
    return NULL;
}

/* The same of checkpoints. */
static const char *checkpoint_fault(const cli_train_job *job, const cli_words *words)
{
    if (cli_options_given(words, job->tool, "--checkpoint-every") && job->checkpoint == NULL)
        return "--checkpoint-every is for --checkpoint";
    if (!(job->every >= 0))
        return "--checkpoint-every: seconds, 0 or more, are needed";
    if (job->checkpoint == NULL && job->resume == NULL)
        return NULL;
    if (job->folds > 0)
        return "--checkpoint and --resume are for a model, not for cross-validation (-v)";
    if (job->settings.tune.seconds > 0)
        return "--checkpoint and --resume do not go with a bound of seconds (--auto=SECONDS): the "
               "model then depends on the time that it takes";
    if (job->checkpoint != NULL && strcmp(job->checkpoint, "-") == 0)
        return "--checkpoint needs a file";
    return NULL;
}

typedef struct {
    const cli_words *words;
    const cli_tool *tool;
} command_line;

/* What was given for a setting (rvm_settings_settle). */
static const char *look(const void *of, const char *name)
{
    const command_line *line = of;
    char option[64];

    snprintf(option, sizeof option, "%s%s", name[1] == '\0' ? "-" : "--", name);
    if (!cli_options_given(line->words, line->tool, option))
        return NULL;
    const char *value = cli_options_value(line->words, line->tool, option);
    return value == NULL ? "" : value;
}

bool cli_train_job_settle(cli_train_job *job, const cli_words *words)
{
    const char *fault = sampling_fault(job, words);

    if (fault == NULL)
        fault = checkpoint_fault(job, words);
    if (fault == NULL && cli_options_given(words, job->tool, "-v") && job->folds < 2)
        fault = "n-fold cross validation: n must >= 2";
    if (fault == NULL && words->count == 1 && strcmp(words->word[0], "-") == 0 && job->folds == 0)
        fault = "data from standard input need a model_file";
    if (fault == NULL && words->count == 1 && job->team != NULL && job->folds == 0 &&
        cli_shared_input_is_pieces(words->word[0]))
        fault = "data in pieces (%r) need a model_file";
    if (fault == NULL && job->settings.kernel.type == RVM_PRECOMPUTED && job->team != NULL &&
        cli_shared_input_is_pieces(words->word[0]))
        fault = "a kernel matrix (-t 4) is one file, not pieces (%r)";
    if (fault != NULL) {
        (void)cli_options_wrong(job->tool, "%s", fault);
        return false;
    }
    const command_line line = { words, job->tool };
    job->settings.task = cli_train_job_classifies(job) ? RVM_CLASSIFICATION : RVM_REGRESSION;
    job->settings.bias = job->settings.bias && !job->no_bias;
    job->settings.probability = job->probability == 1;
    rvm_settings_settle(&job->settings, look, &line);
    return true;
}

/* ---- Checks, after the data are read, in libsvm's order and words ---------------------------- */

bool cli_train_job_classifies(const cli_train_job *job)
{
    return job->svm_type == 0 || job->svm_type == 1;
}

/* What is wrong with the options that are not used; NULL: nothing. */
static const char *ignored_fault(const cli_train_job *job)
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

static const char *type_fault(const cli_train_job *job)
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

bool cli_train_job_fits(cli_train_job *job, const rvm_problem *p)
{
    rvm_settings *s = &job->settings;
    rvm_error err = { 0 };
    const char *fault = type_fault(job);

    if (fault == NULL) {
        if (rvm_settings_check(s, p, &err) != RVM_OK) {
            cli_note_error(job->tool, NULL, &err);
            return false;
        }
        fault = ignored_fault(job);
    }
    if (fault != NULL)
        cli_note(job->tool, "ERROR: %s", fault);
    return fault == NULL;
}
