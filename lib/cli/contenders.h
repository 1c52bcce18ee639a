/* The candidates of a race, and what came of it. */
#ifndef RVM_CLI_CONTENDERS_H
#define RVM_CLI_CONTENDERS_H

#include "cli/summary.h"

/* The table of those that ran, and of the best of the others, a star at the winner. */
void cli_contenders_print(FILE *table, const rvm_settings *asked, const rvm_race *race);

#endif
