/* What training has found, and its summary. */
#ifndef RVM_CLI_SUMMARY_H
#define RVM_CLI_SUMMARY_H

#include "cli/contenders.h"

typedef struct {
    rvm_model *model;   /* owned; the best so far */
    rvm_chains *chains; /* owned; NULL where nothing was drawn */
    rvm_report report;  /* the last one */
    size_t trials;      /* kernels that were compared */
    cli_choice choice;  /* of a race */
} cli_summary;

void cli_summary_free(cli_summary *t);
/* words: the command line; s: as asked for; p: the rows of the training. */
void cli_summary_print(FILE *out, const cli_tool *tool, const cli_words *words,
                       const cli_summary *t, const rvm_settings *s, const rvm_problem *p,
                       double seconds);

#endif
