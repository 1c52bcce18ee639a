/* The kernels that were compared, and what each came to on rows left out. */
#ifndef RVM_CLI_CANDIDATES_H
#define RVM_CLI_CANDIDATES_H

#include "cli/summary.h"

/* The first columns of a table, without the end of the line: what a kernel came to. asked: what
 * was left open. */
void cli_candidates_row(FILE *table, const rvm_settings *asked, const rvm_choice *choice);
/* Those of a kernel that was trained too, up to the end of the line. One that was not trained to
 * the end has no model. */
void cli_candidates_trained(FILE *table, const cli_summary *t, double seconds);
/* What the columns are called, with those of a training or without. */
void cli_candidates_heading(FILE *table, const rvm_settings *asked, bool trained);
/* The table of all that have been tried, a star at the best; nothing where none has. */
void cli_candidates_print(FILE *table, const rvm_settings *asked, const rvm_tuner *tuner);
/* A note where the intervals of the best kernel of a regression miss the targets twice as often as
 * they should, and more often than by chance. */
void cli_candidates_warn(const cli_tool *tool, const rvm_settings *asked, const rvm_tuner *tuner);

#endif
