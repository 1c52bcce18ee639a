/* Input files. */
#include "cli/input.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/note.h"
#include "cli/output.h"

static bool is_directory(FILE *in)
{
    struct stat found;

    return fstat(fileno(in), &found) == 0 && S_ISDIR(found.st_mode);
}

FILE *cli_input_open(const cli_tool *tool, const char *what, const char *name,
                     const char *const out[2])
{
    FILE *in = strcmp(name, "-") == 0 ? stdin : fopen(name, "r");
    const int fault = in == NULL ? errno : EISDIR;

    if (in == NULL || is_directory(in))
        cli_note(tool, "can't open %s %s: %s", what, name, strerror(fault));
    else if ((out[0] != NULL && cli_output_replaces(out[0], in)) ||
             (out[1] != NULL && cli_output_replaces(out[1], in)))
        cli_note(tool, "%s: input and output are the same file", name);
    else
        return in;
    if (in != NULL)
        fclose(in); /* standard input too: nothing will be read */
    return NULL;
}

void cli_input_close(FILE *in)
{
    if (in != NULL && in != stdin)
        fclose(in); /* it was only read */
}

rvm_problem *cli_input_problem(const cli_tool *tool, const char *what, const char *name,
                               const char *const out[2], rvm_grammar grammar)
{
    rvm_problem *p = NULL;
    rvm_error err = { 0 };
    FILE *in = cli_input_open(tool, what, name, out);

    if (in != NULL && rvm_problem_read(&p, in, grammar, &err) != RVM_OK)
        cli_note_data_error(tool, name, &err);
    cli_input_close(in);
    return p;
}
