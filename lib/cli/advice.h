/* Notes on options, data and models that are not what was meant. */
#ifndef RVM_CLI_ADVICE_H
#define RVM_CLI_ADVICE_H

#include "cli/summary.h"

/* Before training by settings that were checked: unless quiet, options without effect and far too
 * many classes; the warnings of libsvm's tools in any case. */
void cli_advice_job(const cli_tool *tool, const cli_words *words, const rvm_settings *s,
                    const rvm_problem *p, bool quiet);
/* Of a training that came to its end: not converged; unless quiet also that the model is a
 * constant, or that there may be better ones. */
void cli_advice_trained(const cli_tool *tool, const cli_summary *t, const rvm_settings *s,
                        const rvm_problem *p, bool quiet);

#endif
