/* Filling an rvmml_error, and what becomes of an rvm_error there. */
#ifndef DOOR_ERROR_H
#define DOOR_ERROR_H

#include "door/rvm_ml.h"
#include "rvm.h"

/* Each returns `status`, never RVMML_OK; err may be NULL. About no certain row: */
rvmml_status door_fail(rvmml_error *err, rvmml_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* row, column: from 0, or RVMML_NONE. */
rvmml_status door_fail_at(rvmml_error *err, rvmml_status status, size_t row, size_t column,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The status stands here, so that analysers see it is never RVMML_OK: `what` is NULL, */
static inline rvmml_status door_fail_null(rvmml_error *err, const char *what)
{
    (void)door_fail(err, RVMML_EARGUMENT, "%s is NULL", what);
    return RVMML_EARGUMENT;
}
/* or there is no room for it. */
static inline rvmml_status door_fail_memory(rvmml_error *err, const char *what)
{
    (void)door_fail(err, RVMML_ENOMEM, "out of memory for %s", what);
    return RVMML_ENOMEM;
}
/* status of the library inside, which has described a failure in *fault: line 1 is row 0 + first. */
rvmml_status door_pass_from(rvmml_error *err, rvm_status status, const rvm_error *fault,
                            size_t first);
rvmml_status door_pass(rvmml_error *err, rvm_status status, const rvm_error *fault);

#endif
