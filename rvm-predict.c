/* rvm-predict: predicts the rows of a libsvm data file by a relevance vector machine. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/cli/confusion.h"
#include "lib/cli/input.h"
#include "lib/cli/note.h"
#include "lib/cli/options.h"
#include "lib/cli/output.h"
#include "lib/cli/prevalence.h"
#include "lib/cli/score.h"

/* Rows read at a time: enough for several threads, few enough that a stream's first
 * predictions come soon. */
enum { BLOCK_ROWS = 2048 };

static const char open_complaint[] = "can't open output file";
static const char write_complaint[] = "can't write output file";

/* ---- Options -------------------------------------------------------------------------------- */

typedef struct {
    rvm_settings settings; /* threads */
    int probability;
    bool quiet, variance, mode, confusion, unlabelled, c_code;
    double interval;        /* 0: not wanted */
    const char *prevalence; /* NULL: not given */
} predict_job;

#define FIELD(name) offsetof(predict_job, name)

static const cli_option options[] = {
    { .kind = CLI_HEADING, .help = "What is written" },
    { 'b', NULL, "0|1", "0", "1: write the probability of each class", CLI_INT,
      FIELD(probability) },
    { 0, "variance", NULL, NULL, "regression: write the predictive variance too", CLI_FLAG,
      FIELD(variance) },
    { 0, "interval", "P", NULL,
      "regression: write the bounds of the central interval of probability P", CLI_REAL,
      FIELD(interval) },
    { 0, "mode", NULL, NULL,
      "classification: probabilities at the most probable weights, not averaged", CLI_FLAG,
      FIELD(mode) },
    { 0, "prevalence", "SHARES", NULL,
      "classification: correct to these shares of the classes: data, P1,P2,... or "
      "LABEL:P,...",
      CLI_TEXT, FIELD(prevalence) },
    { .kind = CLI_HEADING, .help = "Scores" },
    { 'v', "confusion", NULL, NULL,
      "classification: print the confusion matrix, and precision, recall and F1 of each class",
      CLI_FLAG, FIELD(confusion) },
    { 0, "unlabelled", NULL, NULL,
      "rows may have no label, or ? in its place; they count for no score", CLI_FLAG,
      FIELD(unlabelled) },
    { 'q', NULL, NULL, NULL, "quiet: no scores", CLI_FLAG, FIELD(quiet) },
    { .kind = CLI_HEADING, .help = "Others" },
    { 0, "c-code", NULL, NULL,
      "write model_file as one function of C that predicts a row, alone among the options",
      CLI_FLAG, FIELD(c_code) },
    { 0, "threads", "T", "all", "number of threads; predictions do not depend on it", CLI_SETTING,
      FIELD(settings) },
};

static int run(void *job, const cli_words *words);

static const cli_tool tool = {
    .name = "rvm-predict",
    .about = "Predicts the rows of a libsvm data file by a model of rvm-train.",
    .operands = "test_file model_file [output_file]\n"
                "       rvm-predict --c-code model_file [c_file]",
    .operands_min = 1, /* of --c-code */
    .operands_max = 3,
    .option = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};

/* ---- Checks --------------------------------------------------------------------------------- */

static bool check_job(const predict_job *job, const cli_words *words)
{
    const char *fault = NULL;
    rvm_error err = { 0 };

    if (job->probability != 0 && job->probability != 1)
        fault = "probability != 0 and probability != 1";
    else if (cli_options_given(words, &tool, "--interval") &&
             !(job->interval > 0 && job->interval < 1))
        fault = "--interval needs a probability between 0 and 1";
    else if (strcmp(words->word[0], "-") == 0 && strcmp(words->word[1], "-") == 0)
        fault = "only one of test_file and model_file can be standard input";
    else if (rvm_settings_check(&job->settings, NULL, &err) != RVM_OK)
        fault = err.message;
    if (fault != NULL)
        cli_note(&tool, "ERROR: %s", fault);
    return fault == NULL;
}

static bool check_model(const predict_job *job, const rvm_model_info *m)
{
    const char *fault = NULL;

    if (m->task == RVM_CLASSIFICATION && (job->variance || job->interval > 0))
        fault = "--variance and --interval are for regression, and this model classifies";
    else if (m->task == RVM_REGRESSION && job->confusion)
        fault = "-v is for classification, and this model is of a regression";
    else if (m->task == RVM_REGRESSION && job->mode)
        fault = "--mode is for classification, and this model is of a regression";
    if (fault != NULL)
        cli_note(&tool, "ERROR: %s", fault);
    return fault == NULL;
}

/* ---- Predictions ---------------------------------------------------------------------------- */

static void write_labels(FILE *out, const rvm_model_info *m)
{
    fputs("labels", out);
    for (size_t c = 0; c < m->classes; c++)
        fprintf(out, " %d", m->labels[c]);
    fputc('\n', out);
}

/* A column: the numbers of all outputs of a row with commas between them. */
static void write_column(FILE *out, const double *x, size_t outputs)
{
    for (size_t k = 0; k < outputs; k++)
        fprintf(out, "%s%.17g", k > 0 ? "," : "", x[k]);
}

static void write_regression(FILE *out, const predict_job *job, const rvm_prediction *p, size_t row)
{
    const size_t at = row * p->outputs;

    write_column(out, p->value + at, p->outputs);
    if (job->variance) {
        fputc(' ', out);
        write_column(out, p->variance + at, p->outputs);
    }
    if (job->interval > 0) {
        fputc(' ', out);
        write_column(out, p->low + at, p->outputs);
        fputc(' ', out);
        write_column(out, p->high + at, p->outputs);
    }
    fputc('\n', out);
}

static void write_class(FILE *out, const predict_job *job, const rvm_prediction *p, size_t row)
{
    fprintf(out, "%d", (int)p->value[row]);
    for (size_t c = 0; job->probability && c < p->classes; c++)
        fprintf(out, " %g", p->probability[row * p->classes + c]);
    fputc('\n', out);
}

static void write_block(FILE *out, const predict_job *job, const rvm_prediction *p)
{
    for (size_t i = 0; i < p->rows; i++)
        if (p->classes > 0)
            write_class(out, job, p, i);
        else
            write_regression(out, job, p, i);
}

/* ---- Scores: on the text stream libsvm's lines and no other ---------------------------------- */

static void print_head(FILE *text, const predict_job *job, const rvm_model *m,
                       const rvm_model_info *info)
{
    if (info->task == RVM_CLASSIFICATION && info->probability && !job->probability)
        fprintf(text, "Model supports probability estimates, but disabled in prediction.\n");
    if (info->task == RVM_CLASSIFICATION || !job->probability)
        return;
    fprintf(text, "Prob. model for test data: target value = predicted value + z,\n"
                  "z: Gaussian distribution e^(-z^2/(2sigma^2))/(sigma sqrt(2pi)),sigma=");
    for (size_t k = 0; k < info->outputs; k++)
        fprintf(text, "%s%g", k > 0 ? "," : "", sqrt(rvm_model_noise_variance(m, k)));
    fputc('\n', text);
}

/* On standard error, where libsvm's tool refuses such a model. */
static void note_uncalibrated(const predict_job *job, const rvm_model *m,
                              const rvm_model_info *info)
{
    if (job->probability && info->classes != 1 && rvm_model_calibration(m).rows == 0)
        cli_note(&tool, "the %s of this model are not fitted to held-out rows (rvm-train -b 1)",
                 info->classes > 0 ? "probabilities" : "variances");
}

/* ---- The stream ----------------------------------------------------------------------------- */

typedef struct {
    const predict_job *job;
    const char *test_name;
    rvm_model *m; /* owned */
    rvm_model_info info;
    FILE *in;                 /* owned */
    rvm_reader *reader;       /* owned */
    rvm_predictor *predictor; /* owned */
    rvm_problem *block;       /* owned */
    rvm_prediction prediction;
    double *prevalence;      /* owned: shares of the classes; NULL: as trained */
    size_t rows;             /* predicted so far */
    rvm_score *score;        /* owned; of each output, or one for classification */
    bool scored;             /* the rows have the labels that it takes, and scores are wanted */
    cli_confusion confusion; /* of the rows so far, where it is wanted */
} stream;

static void stream_clear(stream *s)
{
    rvm_predictor_free(s->predictor);
    rvm_model_free(s->m);
    cli_input_close(s->in);
    rvm_reader_free(s->reader);
    rvm_problem_free(s->block);
    rvm_prediction_free(&s->prediction);
    free(s->prevalence);
    free(s->score);
    cli_confusion_free(&s->confusion);
}

static bool read_model(stream *s, const char *name, const char *const output[2])
{
    rvm_error err = { 0 };
    FILE *in = cli_input_open(&tool, "model file", name, output);

    if (in != NULL && rvm_model_read(&s->m, in, &err) != RVM_OK)
        cli_note_error(&tool, name, &err);
    cli_input_close(in);
    if (s->m != NULL)
        s->info = rvm_model_describe(s->m);
    return s->m != NULL;
}

static bool read_prevalence(stream *s)
{
    rvm_error err = { 0 };
    if (s->job->prevalence == NULL ||
        cli_prevalence_read(&s->prevalence, s->job->prevalence, &s->info, &err) == RVM_OK)
        return true;
    cli_note_error(&tool, NULL, &err);
    return false;
}

/* The next rows; none left: a block of 0 rows. */
static rvm_status next_block(stream *s, rvm_error *err)
{
    return rvm_reader_next(&s->block, s->reader, BLOCK_ROWS, err);
}

/* Rows have a label for each output; or one label alone, which tells nothing of several outputs. */
static rvm_status check_labels(stream *s, rvm_error *err)
{
    const size_t labels = rvm_problem_outputs(s->block);
    const size_t outputs = s->info.outputs > 0 ? s->info.outputs : 1;

    s->scored = labels == outputs && !s->job->quiet;
    if (labels != outputs && labels != 1)
        return rvm_fail_at(err, RVM_EINPUT, 1, 1, "%zu labels where the model has %zu outputs",
                           labels, outputs);
    s->score = calloc(outputs, sizeof *s->score);
    if (s->score != NULL && (!s->job->confusion || cli_confusion_init(&s->confusion, &s->info)))
        return RVM_OK;
    return rvm_fail_memory(err, "scores");
}

/* The first block too is read before the output is touched: an empty file is an error. */
static rvm_status start_reading(stream *s, rvm_error *err)
{
    const bool precomputed = s->info.kernel.type == RVM_PRECOMPUTED;
    const size_t outputs = s->info.outputs > 1 ? s->info.outputs : 1;
    const rvm_grammar grammar = { .precomputed = precomputed,
                                  .unlabelled = s->job->unlabelled ? outputs : 0,
                                  .columns = precomputed ? s->info.examples : 0,
                                  .outputs = s->info.outputs > 1 };

    rvm_status status = rvm_reader_alloc(&s->reader, s->in, grammar, err);
    if (status == RVM_OK)
        status = next_block(s, err);
    if (status == RVM_OK && rvm_problem_rows(s->block) == 0)
        status = rvm_fail_at(err, RVM_EINPUT, 1, 1, "the file has no rows");
    return status == RVM_OK ? check_labels(s, err) : status;
}

/* Whether anything that will be written follows from variances, which are most of the work where
 * there are many vectors. */
static bool wants_variance(const predict_job *job, const rvm_model_info *m)
{
    if (m->task == RVM_REGRESSION)
        return !job->quiet || job->variance || job->interval > 0;
    return !job->mode && !m->kernel_prior && (!job->quiet || job->probability);
}

static rvm_status start_predicting(stream *s, rvm_error *err)
{
    const rvm_predictor_settings settings = {
        .mode = s->job->mode,
        .variance = wants_variance(s->job, &s->info),
        .interval = s->job->interval,
        .prevalence = s->prevalence,
        .threads = s->job->settings.threads,
    };

    return rvm_predictor_alloc(&s->predictor, s->m, &settings, err);
}

/* Predicts the block in hand. */
static rvm_status predict_block(stream *s, rvm_error *err)
{
    const rvm_status status = rvm_predictor_run(&s->prediction, s->predictor, s->block, err);

    if (status != RVM_OK) {
        if (err->line > 0)
            err->line += s->rows; /* from the row of the block to that of the file */
        return status;
    }
    s->rows += s->prediction.rows;
    if (s->scored && s->info.task == RVM_CLASSIFICATION)
        rvm_score_add(s->score, &s->info, &s->prediction, s->block);
    if (s->job->confusion)
        cli_confusion_add(&s->confusion, &s->prediction, s->block);
    for (size_t k = 0; s->scored && k < s->info.outputs; k++)
        rvm_score_add_output(&s->score[k], &s->prediction, s->block, k);
    return RVM_OK;
}

/* All rows from the block in hand on. The output, *o, is made when there is something to write;
 * NULL after a message. A write error ends it early; committing the output tells of it. Where there
 * is no temporary file somebody may be reading along. */
static rvm_status predict_rows(stream *s, rvm_outfile **o, const char *output_name, rvm_error *err)
{
    rvm_status status = predict_block(s, err);

    if (status != RVM_OK || (*o = cli_output_create(&tool, open_complaint, output_name)) == NULL)
        return status;
    FILE *out = rvm_outfile_stream(*o);
    if (s->job->probability && s->info.classes > 0)
        write_labels(out, &s->info);
    while (status == RVM_OK && rvm_problem_rows(s->block) > 0) {
        write_block(out, s->job, &s->prediction);
        if (rvm_outfile_temporary(*o) == NULL)
            fflush(out);
        if (rvm_outfile_failed(*o))
            break;
        status = next_block(s, err);
        if (status == RVM_OK && rvm_problem_rows(s->block) > 0)
            status = predict_block(s, err);
    }
    return status;
}

static void print_scores(const stream *s, FILE *text)
{
    if (s->scored && s->score->rows == 0)
        cli_note(&tool, "no scores: no row has a label");
    else if (s->scored && s->info.task == RVM_CLASSIFICATION)
        cli_score_classification(text, s->score);
    else if (s->scored)
        cli_score_regression(text, s->score, s->info.outputs);
    else if (!s->job->quiet)
        cli_note(&tool, "no scores: the rows have one label and the model has %zu outputs",
                 s->info.outputs);
    if (s->job->confusion)
        cli_confusion_print(&s->confusion);
}

static int predict_to(stream *s, const char *output_name)
{
    /* Scores keep away from predictions that go to standard output. */
    FILE *text = cli_output_is_same(output_name, "-") ? stderr : stdout;
    rvm_outfile *o = NULL;
    rvm_error err = { 0 };

    if (!cli_output_probe(&tool, open_complaint, output_name))
        return 1;
    if (!s->job->quiet) {
        print_head(text, s->job, s->m, &s->info);
        note_uncalibrated(s->job, s->m, &s->info);
    }
    const rvm_status status = predict_rows(s, &o, output_name, &err);
    if (status != RVM_OK)
        cli_note_data_error(&tool, s->test_name, &err);
    if (status != RVM_OK || o == NULL) {
        cli_output_discard(o);
        return 1;
    }
    if (!cli_output_commit(&tool, o, write_complaint, output_name))
        return 1;
    print_scores(s, text);
    return 0;
}

static int run_stream(stream *s, const char *model_name, const char *const output[2])
{
    rvm_error err = { 0 };

    s->in = cli_input_open(&tool, "input file", s->test_name, output);
    if (s->in == NULL || !read_model(s, model_name, output) || !check_model(s->job, &s->info) ||
        !read_prevalence(s))
        return 1;
    if (start_reading(s, &err) == RVM_OK && start_predicting(s, &err) == RVM_OK)
        return predict_to(s, output[0]);
    cli_note_data_error(&tool, s->test_name, &err);
    return 1;
}

/* ---- The model as C -------------------------------------------------------------------------- */

static rvm_status write_c(const void *model, FILE *out, rvm_error *err)
{
    return rvm_model_write_c(model, out, err);
}

static int save_c(const rvm_model *m, const char *model_name, const char *output_name)
{
    rvm_error err = { 0 };

    if (!cli_output_probe(&tool, open_complaint, output_name))
        return 1;
    const rvm_status status = cli_output_write(output_name, write_c, m, &err);
    if (status == RVM_EIO)
        cli_note(&tool, "%s %s: %s", write_complaint, output_name, err.message);
    else if (status != RVM_OK)
        cli_note_error(&tool, model_name, &err);
    return status == RVM_OK ? 0 : 1;
}

static int run_c_code(const predict_job *job, const cli_words *words)
{
    stream s = { .job = job };
    const char *const output[2] = { words->count == 2 ? words->word[1] : "-", NULL };

    if (words->count > 2)
        return (int)cli_options_wrong(&tool, "too many words: %s", words->word[2]);
    if ((words->given & (words->given - 1)) != 0)
        return (int)cli_options_wrong(&tool, "--c-code goes with no other option");
    const int code =
        read_model(&s, words->word[0], output) ? save_c(s.m, words->word[0], output[0]) : 1;
    stream_clear(&s);
    return code;
}

static int run(void *given, const cli_words *words)
{
    stream s = { .job = given, .test_name = words->word[0] };

    if (s.job->c_code)
        return run_c_code(s.job, words);
    if (words->count < 2)
        return (int)cli_options_wrong(&tool, "too few files");
    const char *const output[2] = { words->count == 3 ? words->word[2] : "-", NULL };
    if (!check_job(s.job, words))
        return 1;
    const int code = run_stream(&s, words->word[1], output);
    stream_clear(&s);
    return code;
}

int main(int argc, char **argv)
{
    predict_job job = { .settings = rvm_settings_default() };

    return cli_options_run(argc, argv, &tool, &job);
}
