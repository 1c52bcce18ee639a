/* The shares of the classes that a user gives. */
#ifndef RVM_CLI_PREVALENCE_H
#define RVM_CLI_PREVALENCE_H

#include "rvm.h"

/* *share, owned by the caller, has those of the classes of *m: `data` are the shares of the rows of
 * training; else numbers with commas between them, one for each class in the order of the labels,
 * or each behind a label and a colon, where classes that are not named have the rest, in proportion
 * to their rows of training. RVM_ESETTING where it is none of these; ranges are the library's to
 * check. */
RVM_CHECKED rvm_status cli_prevalence_read(double **share, const char *text,
                                           const rvm_model_info *m, rvm_error *err);

#endif
