/* Which training a team does together. */
#ifndef RVM_TOGETHER_H
#define RVM_TOGETHER_H

#include "rvm.h"

enum { RVM_TOGETHER_ROWS = 5000 }; /* fewer are not worth it */

/* *so: training with these settings, or cross-validation where `folds` is not 0, takes rows that
 * a team shares, and they are worth it. Else one process has to have all rows; the result is the
 * same. All processes of p's team ask at once.
 *
 * Few rows train in seconds, with all columns in memory; what looks at all rows at once, as
 * chains of draws do, is not made for shares of them. */
RVM_CHECKED rvm_status rvm_together(bool *so, const rvm_problem *p, const rvm_settings *s,
                                    size_t folds, rvm_error *err);

#endif
