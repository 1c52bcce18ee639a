/* Notes on options and data that do not do what was
 * meant. */
#ifndef RVM_CLI_ADVICE_H
#define RVM_CLI_ADVICE_H

#include "cli/cli.h"

/* A note for each option given to rvm-train that has no effect beside the others, and why. */
void cli_note_unused(const cli_tool *tool, const cli_words *words, const rvm_settings *s,
                     const rvm_problem *p);
/* The warning of svm-scale where a feature has index 0. */
void cli_warn_index_zero(const cli_tool *tool, const rvm_problem *p);
/* Why a model may be no more than a constant, or what to try, in a clause. */
const char *cli_constant_cause(const rvm_settings *s, const rvm_problem *p);
/* Of a classification, where classes have fewer than three rows on the average, which is seldom
 * meant. */
void cli_note_many_classes(const cli_tool *tool, const rvm_problem *p);
/* Of a model that would predict other rows worse than one without features, and what may help;
 * false where it says nothing. */
bool cli_note_worse(const cli_tool *tool, const rvm_held_out *h, const rvm_settings *s,
                    const rvm_model *m, const rvm_problem *p);

#endif
