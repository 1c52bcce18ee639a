/* Processes that say nothing, since another one speaks for all. */
#include "cli/hush.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

cli_hush cli_hush_none(void)
{
    return (cli_hush){ -1, -1 };
}

/* Descriptor `number` becomes what `from` is, which is closed. */
static void replace(int number, int from)
{
    if (from >= 0) {
        (void)dup2(from, number);
        close(from);
    }
}

/* Standard error becomes a pipe that nobody reads until the end; what it has no room for is lost. */
cli_hush cli_hush_start(void)
{
    cli_hush hush = cli_hush_none();
    int ends[2];

    replace(STDOUT_FILENO, open("/dev/null", O_WRONLY));
    if (pipe(ends) != 0)
        return hush;
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    (void)fcntl(ends[1], F_SETFL, O_NONBLOCK);
    hush.loud = dup(STDERR_FILENO);
    hush.drawn = ends[0];
    replace(STDERR_FILENO, ends[1]);
    return hush;
}

void cli_hush_break(const cli_hush *hush)
{
    char line[1 << 10], last[1 << 10] = "";
    FILE *kept = hush->loud < 0 ? NULL : fdopen(hush->drawn, "r");

    if (kept == NULL)
        return;
    while (fgets(line, sizeof line, kept) != NULL)
        strcpy(last, line);
    if (last[0] != '\0')
        (void)dprintf(hush->loud, "%s", last);
    fclose(kept);
}
