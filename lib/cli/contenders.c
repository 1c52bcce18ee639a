/* The candidates of a race, and what came of it. */
#include "cli/contenders.h"

#include <math.h>
#include <stdio.h>

#include "basis/kernel.h"

static void write_name(char *text, size_t size, const rvm_entrant *what)
{
    char d[16] = "";

    if (rvm_kernel_uses(what->kernel.type) & RVM_USES_DEGREE)
        snprintf(d, sizeof d, " d=%d", what->kernel.degree);
    snprintf(text, size, "%s%s%s%s%s", rvm_kernel_name(what->kernel.type), d,
             what->ard ? " ard" : "", what->linear ? " + linear" : "",
             what->standardize ? "" : " raw");
}

static void print_row(FILE *table, const rvm_contender *c, bool best)
{
    char name[64], gamma[24] = "-";

    write_name(name, sizeof name, &c->what);
    if (rvm_kernel_has_gamma(&c->what.kernel) && !c->what.ard)
        snprintf(gamma, sizeof gamma, "%.4g", c->what.kernel.gamma);
    fprintf(table, "%-20s %-6s %10s %10.4f %10.4g %10.4f %8.4f %7.1f%s%s\n", name,
            c->lap == RVM_SCREENED ? "screen"
            : c->what.kernel_prior ? "kernel"
                                   : "flat",
            gamma, c->loss, c->error, c->behind, c->uncertainty, c->vectors,
            c->lap == RVM_STOPPED ? " stopped" : "", best ? " *" : "");
}

void cli_contenders_print(FILE *table, const rvm_settings *asked, const rvm_race *race)
{
    (void)asked;
    for (size_t k = 0; k < rvm_race_contenders(race); k++) {
        const rvm_contender c = rvm_race_contender(race, k);
        print_row(table, &c, k == rvm_race_winner(race));
    }
}
