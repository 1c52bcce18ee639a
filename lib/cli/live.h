/* One line on a terminal that shows how far training is. */
#ifndef RVM_CLI_LIVE_H
#define RVM_CLI_LIVE_H

#include "rvm.h"

typedef struct {
    FILE *out;         /* borrowed; NULL: no line is shown */
    double started_at; /* seconds by a clock that only goes forward */
    double drawn_at;
    int width; /* characters that stand there */
} cli_live;

/* A line on `out` when that is a terminal and one is wanted. */
cli_live cli_live_start(FILE *out, bool wanted);
/* How far the training tr on `rows` rows is, when what stands there is a tenth of a second old.
 * Drawn before each step, the first too, which may take long. */
void cli_live_draw(cli_live *line, const rvm_report *r, const rvm_trainer *tr, size_t rows);
/* Leaves an empty line behind. */
void cli_live_clear(cli_live *line);

/* Seconds by that clock. */
double cli_live_seconds(void);

#endif
