/* One line on a terminal that shows how far work is. */
#include "cli/cli_live.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

double cli_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

cli_live cli_live_start(FILE *out, bool wanted)
{
    return (cli_live){ .out = wanted && isatty(fileno(out)) ? out : NULL };
}

bool cli_live_due(const cli_live *line)
{
    return line->out != NULL && cli_seconds() >= line->drawn_at + 0.1;
}

void cli_live_draw(cli_live *line, const char *text)
{
    /* Blanks over what is left of a longer text. */
    fprintf(line->out, "\r%-*s", line->width, text);
    fflush(line->out);
    line->width = (int)strlen(text);
    line->drawn_at = cli_seconds();
}

void cli_live_clear(cli_live *line)
{
    if (line->out == NULL || line->width == 0)
        return;
    fprintf(line->out, "\r%*s\r", line->width, "");
    fflush(line->out);
    line->width = 0;
}
