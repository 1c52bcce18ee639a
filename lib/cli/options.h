/* Command lines, their usage and their errors. */
#ifndef RVM_CLI_OPTIONS_H
#define RVM_CLI_OPTIONS_H

#include "cli/tool.h"

/* The first two are the tool's exit code, too. */
typedef enum {
    CLI_DONE,  /* help or version was printed */
    CLI_WRONG, /* a message was printed */
    CLI_RUN    /* go on */
} cli_outcome;

/* Prepares the process: GSL's error handler off, descriptors 0 to 2 open. May begin the program anew,
 * and so comes first; a second time it does nothing. */
void cli_options_prepare(char **argv);
/* Reads the command line into *job, which holds the defaults. Options stop at the first operand; a
 * lone `-` is an operand; `--` ends the options. Only converts; ranges are the caller's to check.
 * A value that cannot be taken is `rvm-train: -wI VALUE: message (try rvm-train --help)`.
 * Also prepares the process. */
cli_outcome cli_options_parse(int argc, char **argv, const cli_tool *tool, void *job,
                              cli_words *words);
/* All that a tool does: reads the command line, runs, ends standard output; the exit code. */
int cli_options_run(int argc, char **argv, const cli_tool *tool, void *job);
/* True when the option that is spelled so, `-g` or `--kernel`, was given. */
bool cli_options_given(const cli_words *words, const cli_tool *tool, const char *option);
/* The value of the last of these, borrowed; NULL where it has none, or was not given. */
const char *cli_options_value(const cli_words *words, const cli_tool *tool, const char *option);
/* The command line again, ` -s 3 ...` behind the name of the tool, fit for a shell: all options
 * that were given but those listed, `-g` or `--kernel`, up to NULL. */
void cli_options_write(FILE *out, const cli_words *words, const cli_tool *tool,
                       const char *const *dropped);
/* The files, with a blank before each. */
void cli_options_write_files(FILE *out, const cli_words *words);
/* `rvm-train: message (try rvm-train --help)` on stderr; returns CLI_WRONG. */
cli_outcome cli_options_wrong(const cli_tool *tool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
