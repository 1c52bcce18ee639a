/* Filling an rvm_error; the only place that knows how a message is laid out. */
#ifndef RVM_ERROR_H
#define RVM_ERROR_H

#include "rvm.h"

/* Each returns `status`, so that a fault is one statement: return rvm_fail(err, RVM_ENOMEM, ...).
 * A message longer than the field is cut. err may be NULL. */
rvm_status rvm_fail(rvm_error *err, rvm_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
rvm_status rvm_fail_at(rvm_error *err, rvm_status status, size_t line, size_t column,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));
/* RVM_ENOMEM with the usual words; `what` names the thing that found no room. */
static inline rvm_status rvm_fail_memory(rvm_error *err, const char *what)
{
    (void)rvm_fail(err, RVM_ENOMEM, "out of memory for %s", what);
    return RVM_ENOMEM; /* here, so that analysers see it is never RVM_OK */
}

#endif
