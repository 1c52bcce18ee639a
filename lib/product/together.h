/* Which training a team does together. */
#ifndef RVM_TOGETHER_H
#define RVM_TOGETHER_H

#include "rvm.h"

/* *so: training with these settings takes rows that a team shares, and they are worth it. Else one
 * process has to have all rows; the model is the same. All processes of p's team ask at once.
 *
 * Few rows train in seconds, with all columns in memory; what looks at all rows at once, as chains of
 * draws and folds of all rows do, is not made for shares of them. */
RVM_CHECKED rvm_status rvm_together(bool *so, const rvm_problem *p, const rvm_settings *s,
                                    rvm_error *err);

#endif
