/* Output files, the signals that would leave half of one, and the end of standard output. */
#ifndef RVM_CLI_OUTPUT_H
#define RVM_CLI_OUTPUT_H

#include <signal.h>

#include "base/outfile.h"
#include "cli/tool.h"

/* Whether outputs of two names, `-` being standard output, are one: by name, or one regular file or
 * pipe. Where one is standard output what else is said has to go elsewhere. */
bool cli_output_is_same(const char *a, const char *b);
/* Whether one of that name goes to the regular file that `in` reads. */
bool cli_output_replaces(const char *name, FILE *in);

/* Whether an output can be made, which is known now rather than after the work; the message else is
 * that of cli_output_create. Nothing is made yet, so that no end of the process can leave
 * anything. */
bool cli_output_probe(const cli_tool *tool, const char *complaint, const char *name);
/* An output file as in outfile.h whose temporary file a signal removes; `-` is standard output.
 * Failures print `rvm-train: COMPLAINT NAME: strerror`, complaint being `can't save model to file`,
 * and give NULL or false. cli_output_commit and cli_output_discard free it; discard accepts
 * NULL. */
rvm_outfile *cli_output_create(const cli_tool *tool, const char *complaint, const char *name);
bool cli_output_commit(const cli_tool *tool, rvm_outfile *o, const char *complaint,
                       const char *name);
void cli_output_discard(rvm_outfile *o);

typedef rvm_status cli_writer(const void *object, FILE *out, rvm_error *err);
/* All of it: creates, writes, commits; `create` and `write` are the complaints. */
bool cli_output_save(const cli_tool *tool, const char *create, const char *write, const char *name,
                     cli_writer *writer, const void *object);

/* The same without a word: *err has the reason. */
RVM_CHECKED rvm_status cli_output_write(const char *name, cli_writer *writer, const void *object,
                                        rvm_error *err);

/* The first Ctrl-C, SIGTERM or SIGUSR1 from here on sets the flag, which the caller polls, to the number of
 * the signal; a second one removes the temporary output and ends the process by the signal. */
const volatile sig_atomic_t *cli_output_catch_interrupt(void);

/* `rvm-train: standard output: reason`, or that it is closed. */
void cli_output_stdout_fault(const cli_tool *tool, const char *reason);
/* Flushes and closes standard output; the exit code: `code`, or 1 when the output could not be
 * written, after a message unless code was 1 and so there has been one. */
int cli_output_finish(const cli_tool *tool, int code);

#endif
