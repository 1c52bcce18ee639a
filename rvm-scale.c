/* rvm-scale: scales the features of a data file linearly, as svm-scale does. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cli/input.h"
#include "lib/cli/note.h"
#include "lib/cli/options.h"
#include "lib/cli/output.h"

typedef struct {
    double lower, upper;
    double target[2];
    const char *save, *restore; /* borrowed from the command line; NULL: not given */
    bool outputs;               /* labels may be t1,t2,... */
    bool quiet;                 /* no warnings */
} scale_job;

#define FIELD(name) offsetof(scale_job, name)

static const cli_option options[] = {
    { 'l', "lower", "LOWER", "-1", "lower limit of the scaled features", CLI_REAL, FIELD(lower) },
    { 'u', "upper", "UPPER", "1", "upper limit of the scaled features", CLI_REAL, FIELD(upper) },
    { 'y', "target", "LOWER UPPER", "the target is left alone", "scale the target to these limits",
      CLI_PAIR, FIELD(target) },
    { 's', "save", "FILE", NULL, "save the ranges found to FILE", CLI_TEXT, FIELD(save) },
    { 'r', "restore", "FILE", NULL, "scale by the ranges and limits saved in FILE", CLI_TEXT,
      FIELD(restore) },
    { 0, "outputs", NULL, NULL, "labels may be t1,t2,...; implied by -y and -r", CLI_FLAG,
      FIELD(outputs) },
    { 'q', "quiet", NULL, NULL, "errors only, no warnings", CLI_FLAG, FIELD(quiet) },
};

static int run(void *job, const cli_words *words);

static const cli_tool tool = {
    .name = "rvm-scale",
    .about = "Scales each feature linearly to [LOWER, UPPER]; writes the data to standard output.",
    .operands = "data_file",
    .operands_min = 1,
    .operands_max = 1,
    .unknown = "unknown option", /* as svm-scale says */
    .option = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};

/* Limits as asked for; false after a message when they, or the options, contradict each other. */
static bool check_job(rvm_scaling_limits *limits, const scale_job *job, const cli_words *words)
{
    rvm_error err = { 0 };

    *limits = (rvm_scaling_limits){ job->lower, job->upper, cli_options_given(words, &tool, "-y"),
                                    job->target[0], job->target[1] };
    if (rvm_scaling_limits_check(limits, &err) != RVM_OK) {
        cli_note(&tool, "%s", err.message);
        return false;
    }
    if (job->save != NULL && job->restore != NULL) {
        cli_note(&tool, "cannot use -r and -s simultaneously");
        return false;
    }
    /* Whoever names standard output by itself wants both there. */
    if (job->save != NULL && strcmp(job->save, "-") != 0 && strncmp(job->save, "/dev/", 5) != 0 &&
        cli_output_is_same(job->save, "-")) {
        cli_note(&tool, "%s: the ranges would mix with the rows on standard output", job->save);
        return false;
    }
    return true;
}

static rvm_scaling *read_ranges(const char *name)
{
    static const char *const output[2] = { "-", NULL };
    rvm_scaling *s = NULL;
    rvm_error err = { 0 };
    FILE *in = cli_input_open(&tool, "file", name, output);

    if (in != NULL && rvm_scaling_read(&s, in, &err) != RVM_OK)
        cli_note_error(&tool, name, &err);
    cli_input_close(in);
    return s;
}

/* What the ranges of a file lack is taken from those of the data, or warned of. */
static bool complete_ranges(rvm_scaling *s, const rvm_scaling *learned, const char *data_name,
                            const scale_job *job)
{
    bool target_taken = false;
    int *unseen = NULL;
    size_t count = 0;
    rvm_error err = { 0 };

    rvm_status status = rvm_scaling_complete(s, &target_taken, learned, &err);
    if (status == RVM_OK)
        status = rvm_scaling_unseen(&unseen, &count, s, learned, &err);
    if (status != RVM_OK)
        cli_note_error(&tool, NULL, &err);
    for (size_t i = 0; i < count && !job->quiet; i++)
        cli_note(&tool,
                 "WARNING: feature index %d appeared in file %s was not seen in the scaling "
                 "factor file %s. The feature is scaled to 0.",
                 unseen[i], data_name, job->restore);
    if (status == RVM_OK && target_taken && !job->quiet)
        cli_note(&tool,
                 "WARNING: %s holds no range of the target. It is scaled by the smallest and the "
                 "largest target of file %s.",
                 job->restore, data_name);
    free(unseen);
    return status == RVM_OK;
}

static rvm_status write_ranges(const void *ranges, FILE *out, rvm_error *err)
{
    return rvm_scaling_write(ranges, out, err);
}

static void warn_of_density(const rvm_scaling_counts *counts)
{
    if (counts->pairs_out <= counts->pairs_in)
        return;
    cli_note(&tool, "WARNING: original #nonzeros %zu", counts->pairs_in);
    cli_note(&tool, "       > new      #nonzeros %zu", counts->pairs_out);
    cli_note(&tool,
             "If feature values are non-negative and sparse, use -l 0 rather than the default "
             "-l -1");
}

/* Tries all rows first: nothing is written, ranges neither, unless all can be scaled. */
static bool scale_rows(const rvm_scaling *s, const rvm_problem *p, const char *data_name,
                       const scale_job *job)
{
    const char *const save = job->save; /* not together with restore */
    rvm_scaling_counts counts;
    rvm_error err = { 0 };

    if (rvm_scaling_apply(&counts, s, p, NULL, &err) != RVM_OK) {
        cli_note_error(&tool, data_name, &err);
        return false;
    }
    if (counts.index_zero && !job->quiet)
        cli_note(&tool, "WARNING: minimal feature index is 0, but indices should start from 1");
    if (save != NULL &&
        !cli_output_save(&tool, "can't open file", "can't write file", save, write_ranges, s))
        return false;
    if (counts.index_zero && save != NULL && !job->quiet)
        cli_note(&tool,
                 "WARNING: scaling factors with indices smaller than 1 are not stored to the "
                 "file %s.",
                 save);
    if (rvm_scaling_apply(&counts, s, p, stdout, &err) != RVM_OK) {
        cli_output_stdout_fault(&tool, err.message);
        return false;
    }
    if (!job->quiet)
        warn_of_density(&counts);
    return true;
}

static bool scale(const scale_job *job, const rvm_scaling_limits *limits, const char *data_name)
{
    const char *const written[2] = { "-", job->save };
    /* A comma in a label is mostly a comma for a decimal point, or another format altogether; only
     * what is said or known to be regression may have several targets. */
    const rvm_grammar grammar = { .outputs = job->outputs || limits->scale_target ||
                                             job->restore != NULL };
    rvm_problem *p = cli_input_problem(&tool, "file", data_name, written, grammar);
    rvm_scaling *learned = NULL, *restored = NULL;
    rvm_error err = { 0 };
    bool done = false;

    if (p == NULL)
        return false;
    if (rvm_scaling_learn(&learned, p, limits, &err) != RVM_OK) {
        cli_note_error(&tool, NULL, &err);
    } else if (job->restore != NULL) {
        restored = read_ranges(job->restore);
        done = restored != NULL && complete_ranges(restored, learned, data_name, job) &&
               scale_rows(restored, p, data_name, job);
    } else {
        if (rvm_problem_rows(p) == 1 && !job->quiet)
            cli_note(&tool,
                     "one row has no ranges, and all of its features are left out: rows to be "
                     "predicted are scaled by the ranges of the training rows, with -r");
        done = scale_rows(learned, p, data_name, job);
    }
    rvm_scaling_free(restored);
    rvm_scaling_free(learned);
    rvm_problem_free(p);
    return done;
}

static int run(void *given, const cli_words *words)
{
    const scale_job *job = given;
    rvm_scaling_limits limits;

    return check_job(&limits, job, words) && scale(job, &limits, words->word[0]) ? 0 : 1;
}

int main(int argc, char **argv)
{
    scale_job job = { .lower = -1, .upper = 1 };

    return cli_options_run(argc, argv, &tool, &job);
}
