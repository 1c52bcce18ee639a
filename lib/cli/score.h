/* Scores: on the text stream libsvm's lines and no other, what else there is on standard error. */
#ifndef RVM_CLI_SCORE_H
#define RVM_CLI_SCORE_H

#include "rvm.h"

/* Of predictions; log losses count the rows whose class the model knows. */
void cli_score_classification(FILE *text, const rvm_score *score);
/* Means over the outputs in libsvm's words, and a line for each where there are several. */
void cli_score_regression(FILE *text, const rvm_score *score, size_t outputs);
/* Of cross-validation, on standard output so that libsvm's grid.py understands them; quiet: libsvm's
 * lines alone. */
RVM_CHECKED rvm_status cli_score_folds(const rvm_prediction *prediction, const rvm_problem *p,
                                       bool quiet, rvm_error *err);

#endif
