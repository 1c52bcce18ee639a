/* What a setting of 0 stands for, resolved against the problem. */
#ifndef RVM_SETTINGS_H
#define RVM_SETTINGS_H

#include "rvm.h"

/* The kernel that training uses: gamma 0 becomes 1 / the largest feature index of p; it stays 0
 * where no row of p has a feature of index 1 or more. */
rvm_kernel rvm_settings_kernel(const rvm_settings *s, const rvm_problem *p);

#endif
