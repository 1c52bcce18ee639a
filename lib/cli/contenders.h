/* The candidates of a race, and what came of it. */
#ifndef RVM_CLI_CONTENDERS_H
#define RVM_CLI_CONTENDERS_H

#include "cli/tool.h"

enum { CLI_CONTENDER_NAME = 64 };

/* What is kept of a race for the summary. */
typedef struct {
    bool raced;                    /* false: there was none, and nothing else */
    rvm_settings chosen;           /* with which training goes on; nothing is left open */
    size_t compared;               /* candidates that were looked at */
    bool has_run;                  /* the winner did, not only in the screen */
    rvm_contender winner, second;  /* the best of the others that ran, of 0 rows where none did */
    double gain, gain_uncertainty; /* on a constant */
    bool learned;
} cli_choice;

void cli_contenders_keep(cli_choice *out, const rvm_settings *asked, const rvm_race *race);
/* "laplacian", "poly d=2 ard + linear". */
void cli_contenders_name(char name[CLI_CONTENDER_NAME], const rvm_entrant *what);
/* The prior in a word. */
const char *cli_contenders_prior(const rvm_settings *asked, const rvm_entrant *what);
/* The table of those that ran, a star at the winner, and of those that were screened only. */
void cli_contenders_print(FILE *table, const rvm_settings *asked, const rvm_race *race);
/* One line: what won, and by how much. */
void cli_contenders_tell(FILE *out, const rvm_settings *asked, const cli_choice *choice);

#endif
