/* The kernels that were compared, and what each came to on
 * rows left out. */
#ifndef RVM_CLI_CANDIDATES_H
#define RVM_CLI_CANDIDATES_H

#include "cli/cli.h"

/* The kernel has a gamma, and no weights of inputs in its place. */
bool cli_has_gamma(const rvm_kernel *kernel);

/* The first columns of a table, without the end of the line: what they are called, and what a
 * kernel came to. */
void cli_candidates_heading(FILE *table, const rvm_settings *s);
void cli_candidates_row(FILE *table, const rvm_settings *s, const rvm_choice *choice);
/* The table of all that have been tried, a star at the best; nothing where none has. */
void cli_candidates_print(FILE *table, const rvm_settings *s, const rvm_tuner *tuner);
/* A note where the intervals of the best kernel of a regression miss the targets twice as often as
 * they should, and more often than by chance. */
void cli_candidates_warn(const cli_tool *tool, const rvm_settings *s, const rvm_tuner *tuner);

#endif
