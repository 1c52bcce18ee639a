/* One line on a terminal that shows how far work is. */
#ifndef RVM_CLI_LIVE_H
#define RVM_CLI_LIVE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct {
    FILE *out;       /* borrowed; NULL: no line is shown */
    double drawn_at; /* seconds */
    int width;       /* characters that stand there */
} cli_live;

/* A line on `out` when that is a terminal and one is wanted. */
cli_live cli_live_start(FILE *out, bool wanted);
/* True when the line is shown and its text is a tenth of a second old. */
bool cli_live_due(const cli_live *line);
void cli_live_draw(cli_live *line, const char *text);
/* Leaves an empty line behind. */
void cli_live_clear(cli_live *line);

/* Seconds by a clock that only goes forward. */
double cli_seconds(void);

#endif
