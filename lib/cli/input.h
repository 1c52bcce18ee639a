/* Input files. */
#ifndef RVM_CLI_INPUT_H
#define RVM_CLI_INPUT_H

#include "cli/tool.h"

/* Opens an input; `-` is standard input. NULL after the message `rvm-train: can't open WHAT NAME:
 * strerror`; what is "input file", "model file" or, in rvm-scale, "file". A directory is an error.
 * NULL, after a message, too when it is a regular file to which an output of one of the names
 * out[0 .. 1] (NULL: none) would go: it would be lost, or grow while it is read. */
FILE *cli_input_open(const cli_tool *tool, const char *what, const char *name,
                     const char *const out[2]);
void cli_input_close(FILE *in); /* leaves standard input open; accepts NULL */
/* Opens and reads all rows of data; NULL after a message. */
rvm_problem *cli_input_problem(const cli_tool *tool, const char *what, const char *name,
                               const char *const out[2], rvm_grammar grammar);

#endif
