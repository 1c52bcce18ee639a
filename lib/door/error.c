/* Filling an rvmml_error, and what becomes of an rvm_error there. */
#include "door/error.h"

#include <stdarg.h>
#include <stdlib.h>

_Static_assert((int)RVMML_OK == RVM_OK && (int)RVMML_EINPUT == RVM_EINPUT &&
                   (int)RVMML_ESETTING == RVM_ESETTING && (int)RVMML_EMODEL == RVM_EMODEL &&
                   (int)RVMML_EIO == RVM_EIO && (int)RVMML_ENOMEM == RVM_ENOMEM &&
                   (int)RVMML_ENUMERIC == RVM_ENUMERIC && (int)RVMML_EINTERRUPT == RVM_EINTERRUPT,
               "a status is the same number inside");

const char *rvmml_version(void)
{
    return RVM_VERSION;
}

void rvmml_free(void *memory)
{
    free(memory);
}

static void fill(rvmml_error *err, rvmml_status status, size_t row, size_t column,
                 const char *format, va_list args)
{
    if (err == NULL)
        return;
    err->status = status;
    err->row = row;
    err->column = column;
    if (vsnprintf(err->message, sizeof err->message, format, args) < 0)
        err->message[0] = '\0';
}

rvmml_status door_fail(rvmml_error *err, rvmml_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, status, RVMML_NONE, RVMML_NONE, format, args);
    va_end(args);
    return status;
}

rvmml_status door_fail_at(rvmml_error *err, rvmml_status status, size_t row, size_t column,
                          const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, status, row, column, format, args);
    va_end(args);
    return status;
}

rvmml_status door_pass_from(rvmml_error *err, rvm_status status, const rvm_error *fault,
                            size_t first)
{
    if (status == RVM_OK)
        return RVMML_OK;
    return door_fail_at(err, (rvmml_status)status,
                        fault->line == 0 ? RVMML_NONE : first + fault->line - 1,
                        fault->column == 0 ? RVMML_NONE : fault->column - 1, "%s", fault->message);
}

rvmml_status door_pass(rvmml_error *err, rvm_status status, const rvm_error *fault)
{
    return door_pass_from(err, status, fault, 0);
}
