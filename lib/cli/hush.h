/* Processes that say nothing, since another one speaks for all. */
#ifndef RVM_CLI_HUSH_H
#define RVM_CLI_HUSH_H

typedef struct {
    int loud;  /* a copy of standard error as it was; -1: this process speaks */
    int drawn; /* where what goes to standard error now can be read */
} cli_hush;

/* Standard output goes nowhere from here on, and the first 64 KB or so of standard error are kept. */
cli_hush cli_hush_start(void);
/* One that speaks. */
cli_hush cli_hush_none(void);
/* Says the last line of what is kept, if any, after all: nobody else knows of it. */
void cli_hush_break(const cli_hush *hush);

#endif
