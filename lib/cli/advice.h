/* Notes on options, data and models that are not what was meant. */
#ifndef RVM_CLI_ADVICE_H
#define RVM_CLI_ADVICE_H

#include "cli/summary.h"

/* A note for each option given to rvm-train that has no effect beside the others, and why. */
void cli_advice_unused(const cli_tool *tool, const cli_words *words, const rvm_settings *s,
                       const rvm_problem *p);
/* The warning of svm-scale where a feature has index 0. */
void cli_advice_index_zero(const cli_tool *tool, const rvm_problem *p);
/* Of a classification, where classes have fewer than three rows on the average, which is seldom
 * meant. */
void cli_advice_many_classes(const cli_tool *tool, const rvm_problem *p);
/* Of a training that came to its end: not converged; unless quiet also that the model is a
 * constant, or that there may be better ones. */
void cli_advice_trained(const cli_tool *tool, const cli_trained *t, const rvm_settings *s,
                        const rvm_problem *p, bool quiet);

#endif
