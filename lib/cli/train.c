/* What rvm-train does: reads, trains, writes. */
#include "cli/train.h"

#include <stdlib.h>
#include <string.h>

#include "cli/advice.h"
#include "cli/candidates.h"
#include "cli/checkpoint.h"
#include "cli/contenders.h"
#include "cli/live.h"
#include "cli/note.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/score.h"
#include "cli/shared_input.h"
#include "cli/summary.h"
#include "cli/train_job.h"
#include "data/shard.h"
#include "product/together.h"

enum { EXIT_SIGNAL = 128 }; /* and the number of the signal, as a shell has it */

static int interrupted_code(const cli_train_job *job)
{
    return EXIT_SIGNAL + *job->settings.interrupted;
}

/* ---- Cross-validation ----------------------------------------------------------------------- */

static int cross_validate(const cli_train_job *job, const rvm_problem *p)
{
    const size_t rows = rvm_problem_rows(p);
    rvm_prediction prediction = { 0 };
    rvm_error err = { 0 };
    bool finished = false;
    int code = 0;

    if ((size_t)job->folds > rows)
        cli_note(job->tool,
                 "WARNING: # folds (%d) > # data (%zu). Will use # folds = # data instead "
                 "(i.e., leave-one-out cross validation)",
                 job->folds, rows);
    rvm_status status =
        rvm_cross_validate(&prediction, &finished, p, &job->settings, (size_t)job->folds, &err);
    if (status == RVM_OK && finished)
        status = cli_score_folds(&prediction, p, job->quiet, &err);
    if (status != RVM_OK) {
        cli_note_error(job->tool, NULL, &err);
        code = 1;
    } else if (!finished) {
        cli_note(job->tool, "interrupted; no result");
        code = interrupted_code(job);
    }
    rvm_prediction_free(&prediction);
    return code;
}

/* ---- Training ------------------------------------------------------------------------------- */

/* A training and what is shown of it. */
typedef struct {
    const cli_tool *tool;
    const rvm_settings *asked;
    const rvm_problem *p;
    bool quiet;
    bool live;  /* a line may show how far it is: mpirun's terminal is none */
    FILE *text; /* borrowed; where it goes */
    cli_live line;
    cli_checkpoint checkpoint;
    const char
        *resume; /* a checkpoint to go on from; NULL: from the beginning, or it has gone on */
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
        if (status == RVM_OK)
            cli_checkpoint_keep(&t->checkpoint, tr, report, &t->line);
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
    s.resumable = false;
    own.checkpoint.name = NULL;
    own.line = cli_live_start(t->text, t->live);
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

/* *out: owned by the caller, also after a failure. */
static rvm_status begin(rvm_trainer **out, training *t, rvm_error *err)
{
    rvm_status status = rvm_trainer_alloc(out, t->p, t->asked, err);

    if (status == RVM_OK && t->resume != NULL)
        status = cli_checkpoint_resume(*out, t->p->team, t->resume, err);
    if (status == RVM_OK)
        t->resume = NULL;
    return status;
}

/* Trains, with a table of the kernels where one of them is to be chosen. */
static rvm_status train_model(cli_summary *out, training *t, rvm_error *err)
{
    rvm_trainer *tr = NULL;
    rvm_status status = begin(&tr, t, err);
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
        cli_candidates_warn(t->tool, t->asked, tuner);
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
static bool can_trace(const cli_train_job *job, const char *model_name)
{
    if (!cli_output_is_same(job->trace, model_name))
        return cli_output_probe(job->tool, trace_complaint, job->trace);
    cli_note(job->tool, "--trace would write to the model file %s", model_name);
    return false;
}

/* A folder that cannot be written to is no news for the end of an hour. */
static bool can_write(const cli_train_job *job, const char *data_name, const char *model_name)
{
    const char *const others[3] = { data_name, model_name, job->trace };

    return (job->trace == NULL || can_trace(job, model_name)) &&
           cli_output_probe(job->tool, model_complaint, model_name) &&
           (job->checkpoint == NULL || cli_checkpoint_probe(job->tool, job->checkpoint, others));
}

/* One process of all. */
static bool can_save(const cli_train_job *job, const char *data_name, const char *model_name,
                     rvm_team *team)
{
    bool can = rvm_team_rank(team) > 0 || can_write(job, data_name, model_name);

    rvm_team_same(team, &can, sizeof can);
    return can;
}

/* The trace again may be the model file, now that there is one. */
static bool write_files(const cli_train_job *job, const cli_summary *t, const char *model_name)
{
    if (!cli_output_save(job->tool, model_complaint, model_complaint, model_name, write_model,
                         t->model))
        return false;
    return job->trace == NULL || t->chains == NULL ||
           (can_trace(job, model_name) &&
            cli_output_save(job->tool, trace_complaint, trace_complaint, job->trace, write_chains,
                            t->chains));
}

/* One process of all. */
static bool save(const cli_train_job *job, const cli_summary *t, const char *model_name,
                 rvm_team *team)
{
    bool saved = rvm_team_rank(team) > 0 || write_files(job, t, model_name);

    rvm_team_same(team, &saved, sizeof saved);
    return saved;
}

static void report_on(const cli_train_job *job, const cli_words *words, const cli_summary *t,
                      const rvm_problem *p, const char *model_name, FILE *text, double seconds)
{
    if (t->report.done)
        cli_advice_trained(job->tool, t, &job->settings, p, job->quiet);
    else
        cli_note(job->tool, "interrupted; the best model so far is in %s",
                 strcmp(model_name, "-") == 0 ? "the output" : model_name);
    if (!job->quiet)
        cli_summary_print(text, job->tool, words, t, &job->settings, p, seconds);
    if (job->trace != NULL && t->chains == NULL)
        cli_note(job->tool, "nothing was drawn: no trace is in %s", job->trace);
}

static int train(const cli_train_job *job, const cli_words *words, const rvm_problem *p,
                 const char *model_name)
{
    /* Text keeps away from a model or a trace that goes to standard output. */
    const bool is_taken = cli_output_is_same(model_name, "-") ||
                          (job->trace != NULL && cli_output_is_same(job->trace, "-"));
    FILE *text = is_taken ? stderr : stdout;
    const bool live = !job->quiet && job->team == NULL;
    const char *const checkpoint = rvm_team_rank(p->team) > 0 ? NULL : job->checkpoint;
    training t = { job->tool,
                   &job->settings,
                   p,
                   job->quiet,
                   live,
                   text,
                   cli_live_start(text, live),
                   cli_checkpoint_start(job->tool, checkpoint, job->every),
                   job->resume };
    cli_summary found = { .model = NULL };
    rvm_error err = { 0 };
    int code = 1;

    if (!can_save(job, words->word[0], model_name, p->team))
        return 1;
    if (train_model(&found, &t, &err) != RVM_OK) {
        cli_note_error(job->tool, t.resume, &err);
        code = err.status == RVM_EINTERRUPT ? interrupted_code(job) : 1;
    } else if (save(job, &found, model_name, p->team)) {
        report_on(job, words, &found, p, model_name, text, cli_live_seconds() - t.line.started_at);
        code = found.report.done ? 0 : interrupted_code(job);
    }
    cli_summary_free(&found);
    return code;
}

/* ---- The tool ------------------------------------------------------------------------------- */

/* The rows that were read, each of them where it is trained on: NULL after a message, with p freed. */
static rvm_problem *share_out(const cli_train_job *job, rvm_problem *p)
{
    rvm_error err = { 0 };
    bool together = false;

    if (job->settings.kernel.type == RVM_PRECOMPUTED)
        return p; /* rank 0 has read all of them */
    rvm_status status = rvm_shard_sort(&p, job->team, &err);
    if (status == RVM_OK)
        status = rvm_together(&together, p, &job->settings, (size_t)job->folds, &err);
    if (status == RVM_OK && together)
        return p;

    rvm_problem *whole = NULL;
    if (status == RVM_OK)
        status = rvm_shard_whole(&whole, p, &err);
    rvm_problem_free(p);
    if (status != RVM_OK)
        cli_note_error(job->tool, NULL, &err);
    return whole;
}

/* Rank 0 has all rows, and trains alone. */
static bool is_for_others(const cli_train_job *job, const rvm_problem *p)
{
    return p->team == NULL && rvm_team_rank(job->team) > 0;
}

/* A team looks at what all of it knows. */
static void catch_interrupt(cli_train_job *job, rvm_team *team)
{
    const volatile sig_atomic_t *const asked = cli_output_catch_interrupt();

    if (team != NULL)
        team->asked = asked;
    job->settings.interrupted = team == NULL ? asked : &team->interrupted;
}

static int run_on_data(cli_train_job *job, const cli_words *words, const char *model_name)
{
    const rvm_grammar grammar = {
        .class_labels = cli_train_job_classifies(job),
        .precomputed = job->settings.kernel.type == RVM_PRECOMPUTED,
        .outputs = !cli_train_job_classifies(job),
    };
    const char *const written[2] = { job->folds > 0 ? NULL : model_name, job->trace };
    rvm_problem *p = cli_shared_input_problem(job->tool, "input file", words->word[0], written,
                                              grammar, job->team);
    int code = 1;

    if (p != NULL && job->team != NULL)
        p = share_out(job, p);
    if (p != NULL && is_for_others(job, p)) {
        (void)cli_output_catch_interrupt(); /* the one that trains saves what there is */
        code = 0;
    } else if (p != NULL && cli_train_job_fits(job, p)) {
        cli_advice_job(job->tool, words, &job->settings, p, job->quiet);
        catch_interrupt(job, p->team);
        job->settings.resumable = job->checkpoint != NULL || job->resume != NULL;
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

/* What mpirun says in the environment of the size of a team; 0: nothing. */
static int announced_size(void)
{
    static const char *const variables[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE" };
    int size = 0;

    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *const value = getenv(variables[i]);
        const int here = value == NULL ? 0 : atoi(value);
        size = here > size ? here : size;
    }
    return size;
}

/* Several processes that do not know of each other would all write the same model. */
static bool is_started_well(const cli_train_job *job)
{
    const int announced = announced_size();

    if (announced <= 1 || rvm_team_size(job->team) > 1)
        return true;
    if (job->team == NULL)
        cli_note(job->tool, "one of %d that mpirun has started; rvm-train-mpi is for that",
                 announced);
    else
        cli_note(job->tool,
                 "one of %d that mpirun has started, but none of the others is to be found: this "
                 "mpirun belongs to another MPI than the one it was built with",
                 announced);
    return false;
}

static int run(void *given, const cli_words *words)
{
    cli_train_job *job = given;

    if (!cli_train_job_settle(job, words))
        return CLI_WRONG;
    if (!is_started_well(job))
        return 1;
    if (words->count == 2)
        return run_on_data(job, words, words->word[1]);

    char *model_name = default_model_name(words->word[0]);
    const int code = model_name == NULL ? 1 : run_on_data(job, words, model_name);
    if (model_name == NULL)
        cli_note(job->tool, "no memory");
    free(model_name);
    return code;
}

int cli_train_run(int argc, char **argv, const char *name, const char *about, rvm_team *team)
{
    const cli_tool tool = cli_train_job_tool(name, about, run);
    cli_train_job job = cli_train_job_default(&tool);
    job.team = team;
    const int code = cli_options_run(argc, argv, &tool, &job);

    rvm_settings_clear(&job.settings);
    return code;
}
