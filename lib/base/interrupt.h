/* Whether somebody wants an end.
 *
 * The flag is borrowed from the settings (rvm.h). Loops that may take long look at it and leave
 * what they have found so far; where there is nothing yet, RVM_EINTERRUPT goes up to whoever has
 * something from before. */
#ifndef RVM_INTERRUPT_H
#define RVM_INTERRUPT_H

#include "base/error.h"

static inline bool rvm_interrupted(const volatile int *flag)
{
    return flag != NULL && *flag != 0;
}

static inline rvm_status rvm_fail_interrupted(rvm_error *err)
{
    return rvm_fail(err, RVM_EINTERRUPT, "interrupted before there was a model");
}

#endif
