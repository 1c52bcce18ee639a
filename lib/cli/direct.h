/* The command that trains at once what a race has chosen. */
#ifndef RVM_CLI_DIRECT_H
#define RVM_CLI_DIRECT_H

#include "cli/tool.h"

/* In one line, with the options and files of the command line as it was given. asked: what these
 * say; chosen: with what training goes on, the same model to the byte. */
void cli_direct_write(FILE *out, const cli_tool *tool, const cli_words *words,
                      const rvm_settings *asked, const rvm_settings *chosen);

#endif
