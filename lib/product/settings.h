/* Settings: what one of 0 stands for, and their ranges. */
#ifndef RVM_SETTINGS_H
#define RVM_SETTINGS_H

#include "rvm.h"

/* The kernel that training uses: gamma 0 becomes 1 / the largest feature index of p; it stays 0
 * where no row of p has a feature of index 1 or more. */
rvm_kernel rvm_settings_kernel(const rvm_settings *s, const rvm_problem *p);
/* Whether the kernel is, or may be chosen to be, of that type. */
bool rvm_settings_may_be(const rvm_settings *s, rvm_kernel_type type);
/* The range of each number, alone; a part of rvm_settings_check. */
RVM_CHECKED rvm_status rvm_settings_check_ranges(const rvm_settings *s, rvm_error *err);

/* The text that a setting was given, by its name in rvm_settings_set or `b`, the empty one where it was
 * given without; NULL: it was not. */
typedef const char *rvm_settings_look(const void *of, const char *name);
/* What settings say of each other, whichever came first: once all are set, and s->probability. */
void rvm_settings_settle(rvm_settings *s, rvm_settings_look *look, const void *of);

/* For a training that is only compared with others: one start, which ends where no function gains half
 * a nat. The way on takes most of the time. It lowers the loss of regressions by a tenth or so, for
 * all kernels alike, that of classes and of the kernel prior by nothing. */
void rvm_settings_make_rough(rvm_settings *s);
/* The same for folds of a choice: nothing is left open, nothing calibrated, and a solution stands for
 * draws from the posterior. */
void rvm_settings_make_trial(rvm_settings *s);

#endif
