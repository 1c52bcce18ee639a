/* Messages: all on standard error, all one line. */
#ifndef RVM_CLI_NOTE_H
#define RVM_CLI_NOTE_H

#include "cli/tool.h"

/* `rvm-train: text`. */
void cli_note(const cli_tool *tool, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An error: `rvm-train: FILE:LINE:COLUMN: message`, or less where there is no place or file is
 * NULL; `rvm-train: ERROR: message` for RVM_ESETTING. Name `-` prints as `-`. */
void cli_note_error(const cli_tool *tool, const char *file, const rvm_error *err);
/* The same, and for an RVM_EINPUT with a place `rvm-train: Wrong input format at line LINE`, which
 * are libsvm's words, below it. */
void cli_note_data_error(const cli_tool *tool, const char *file, const rvm_error *err);

#endif
