/* Filling an rvm_error; the only place that knows how a message is laid out. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static void fill(rvm_error *err, rvm_status status, size_t line, size_t column, const char *format,
                 va_list args)
{
    if (err == NULL)
        return;
    err->status = status;
    err->line = line;
    err->column = column;
    if (vsnprintf(err->message, sizeof err->message, format, args) < 0)
        err->message[0] = '\0';
}

rvm_status rvm_fail(rvm_error *err, rvm_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, status, 0, 0, format, args);
    va_end(args);
    return status;
}

rvm_status rvm_fail_at(rvm_error *err, rvm_status status, size_t line, size_t column,
                       const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, status, line, column, format, args);
    va_end(args);
    return status;
}
