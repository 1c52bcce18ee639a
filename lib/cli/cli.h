/* Options, usage, messages, files and signals. */
#ifndef RVM_CLI_H
#define RVM_CLI_H

#include <signal.h>
#include <stdint.h>

#include "base/outfile.h"
#include "rvm.h"

/* ---- Options: one row each, from which parsing, usage and --help are made ------------------- */

typedef enum {
    CLI_FLAG,     /* bool; no value, sets true */
    CLI_INT,      /* int */
    CLI_UNSIGNED, /* unsigned long */
    CLI_REAL,     /* double; nan and inf convert too, so that range checks can name them */
    CLI_TEXT,     /* const char *, borrowed from argv */
    CLI_PAIR,     /* double[2], two words: -y LO HI */
    CLI_CALL,     /* the row's function converts the value */
    CLI_SUFFIXED, /* likewise; text may follow the letter at once: -wI W */
    CLI_HEADING   /* no option: `help` stands above the rows that follow, in --help,
                     and one stands above the first row or there are none */
} cli_kind;

/* Stores `value` in the job. `suffix` is the text behind the letter ("" when there is none). What
 * it reports is printed as `rvm-train: -wI VALUE: message (try rvm-train --help)`; exit 1. */
typedef rvm_status cli_setter(void *job, const char *suffix, const char *value, rvm_error *err);

typedef struct {
    char letter;      /* 0: long name only */
    const char *name; /* long name without its dashes; NULL: letter only */
    cli_kind kind;
    const char *argument; /* name of the value in the usage: "N"; NULL for a flag */
    const char *standard; /* default as shown in the usage; NULL: none */
    const char *help;     /* one line */
    size_t offset;        /* of the field in the job */
    cli_setter *set;      /* CLI_CALL and CLI_SUFFIXED */
} cli_option;

typedef struct {
    const char *name;     /* "rvm-train" in messages, whatever the file is called */
    const char *about;    /* one sentence */
    const char *operands; /* "training_set_file [model_file]" */
    int operands_min, operands_max;
    const char *unknown; /* NULL: "Unknown option", as svm-train says */
    const cli_option *option;
    size_t
        option_count; /* at most 64, headings among them; --help and --version are added to them */
} cli_tool;

/* What is left of the command line. */
typedef struct {
    int count;      /* operands; between operands_min and operands_max */
    char **word;    /* borrowed from argv */
    uint64_t given; /* bit i: the option in row i was there */
} cli_words;

typedef enum {
    CLI_RUN,  /* go on */
    CLI_DONE, /* help or version was printed */
    CLI_WRONG /* a message was printed */
} cli_outcome;

/* Reads the command line into *job, which holds the defaults. Options stop at the first operand; a
 * lone `-` is an operand; `--` ends the options. Only converts; ranges are the caller's to check.
 * Also prepares the process: GSL's error handler off, descriptors 0 to 2 open. */
cli_outcome cli_parse(int argc, char **argv, const cli_tool *tool, void *job, cli_words *words);
/* True when the option of that letter, or (letter 0) of that long name, was given. */
bool cli_given(const cli_words *words, const cli_tool *tool, char letter, const char *name);

/* Whole text as a number; false when it is none or does not fit. For setters. */
bool cli_read_int(int *out, const char *text);
bool cli_read_real(double *out, const char *text);

/* Prints the usage; its first word is `Usage:`. */
void cli_usage(const cli_tool *tool, FILE *out);
/* `rvm-train: message (try rvm-train --help)` on stderr; returns 1, the exit code. */
int cli_usage_error(const cli_tool *tool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- Messages, all on stderr, all one line -------------------------------------------------- */

/* The text as it stands: for scores, which are no messages. */
void cli_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* `rvm-train: text`. */
void cli_note(const cli_tool *tool, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An error: `rvm-train: FILE:LINE:COLUMN: message`, or less where there is no place or file is
 * NULL; `rvm-train: ERROR: message` for RVM_ESETTING. Name `-` prints as `-`. */
void cli_error(const cli_tool *tool, const char *file, const rvm_error *err);
/* The same, and for an RVM_EINPUT with a place `rvm-train: Wrong input format at line LINE`, which
 * are libsvm's words, below it. */
void cli_data_error(const cli_tool *tool, const char *file, const rvm_error *err);

/* One of several outputs, from 0: `Output 1: mean squared error = X, ...`. */
void cli_output_score(size_t output, const rvm_score *score);

/* ---- Files ---------------------------------------------------------------------------------- */

/* Opens an input; `-` is standard input. NULL after the message `rvm-train: can't open WHAT NAME:
 * strerror`; what is "input file", "model file" or, in rvm-scale, "file". A directory is an
 * error. */
FILE *cli_open(const cli_tool *tool, const char *what, const char *name);
void cli_close(FILE *in); /* leaves standard input open; accepts NULL */
/* False, after a message, when the regular file that `in` reads is also where the output of that
 * name would go: the input would be lost, or grow while it is read. */
bool cli_spares_input(const cli_tool *tool, FILE *in, const char *in_name, const char *out_name);

/* Whether an output of that name goes where standard output goes, a file or a pipe: what else is
 * said has to go elsewhere. */
bool cli_is_stdout(const char *name);

/* Whether an output can be made, which is known now rather than after the work; the message else is
 * that of cli_create. Nothing is made yet, so that no end of the process can leave anything. */
bool cli_can_create(const cli_tool *tool, const char *complaint, const char *name);
/* An output file as in outfile.h whose temporary file a signal removes; `-` is standard output.
 * Failures print `rvm-train: COMPLAINT NAME: strerror`, complaint being `can't save model to file`,
 * and give NULL or false. cli_commit and cli_discard free it; discard accepts NULL. */
outfile *cli_create(const cli_tool *tool, const char *complaint, const char *name);
bool cli_commit(const cli_tool *tool, outfile *o, const char *complaint, const char *name);
void cli_discard(outfile *o);

/* ---- Signals and the end -------------------------------------------------------------------- */

/* The first Ctrl-C from here on sets the flag, which the caller polls; a second one removes the
 * temporary output and ends the process by the signal. */
const volatile sig_atomic_t *cli_catch_interrupt(void);

/* `rvm-train: standard output: reason`, or that it is closed. */
void cli_stdout_fault(const cli_tool *tool, const char *reason);

/* Flushes and closes standard output; the exit code: `code`, or 1 when the output could not be
 * written, after a message unless code was 1 and so there has been one. */
int cli_finish(const cli_tool *tool, int code);

#endif
