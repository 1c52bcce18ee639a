/* Messages: all on standard error, all one line. */
#include "cli/note.h"

#include <stdarg.h>

void cli_note(const cli_tool *tool, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", tool->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    putc('\n', stderr);
}

void cli_note_error(const cli_tool *tool, const char *file, const rvm_error *err)
{
    if (err->status == RVM_ESETTING)
        cli_note(tool, "ERROR: %s", err->message);
    else if (file == NULL)
        cli_note(tool, "%s", err->message);
    else if (err->line == 0)
        cli_note(tool, "%s: %s", file, err->message);
    else
        cli_note(tool, "%s:%zu:%zu: %s", file, err->line, err->column, err->message);
}

void cli_note_data_error(const cli_tool *tool, const char *file, const rvm_error *err)
{
    cli_note_error(tool, file, err);
    if (err->status == RVM_EINPUT && err->line > 0)
        cli_note(tool, "Wrong input format at line %zu", err->line);
}
