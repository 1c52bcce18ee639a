/* The candidates of a race, and what came of it. */
#include "cli/contenders.h"

#include <math.h>
#include <stdio.h>

#include "basis/kernel.h"
#include "product/race.h"

/* ---- Words ---------------------------------------------------------------------------------- */

void cli_contenders_name(char name[CLI_CONTENDER_NAME], const rvm_entrant *what)
{
    char degree[16] = "";

    if (rvm_kernel_uses(what->kernel.type) & RVM_USES_DEGREE)
        snprintf(degree, sizeof degree, " d=%d", what->kernel.degree);
    snprintf(name, CLI_CONTENDER_NAME, "%s%s%s%s", rvm_kernel_name(what->kernel.type), degree,
             what->ard ? " ard" : "", what->linear ? " + linear" : "");
}

const char *cli_contenders_prior(const rvm_settings *asked, const rvm_entrant *what)
{
    const bool gamma = asked->weight_prior.shape > 0 || asked->weight_prior.rate > 0;

    return what->kernel_prior ? "kernel" : gamma ? "gamma" : "flat";
}

/* A difference and its standard error. */
static void write_difference(char text[40], double difference, double error)
{
    snprintf(text, 40, "%.4f +- %.4f", difference, error);
}

static const char *loss_name(const rvm_settings *asked)
{
    return asked->task == RVM_CLASSIFICATION ? "log loss" : "-ln p";
}

/* ---- The table ------------------------------------------------------------------------------ */

static void write_gamma(char text[24], const rvm_entrant *what)
{
    const bool has = rvm_kernel_has_gamma(&what->kernel) && !what->ard;

    snprintf(text, 24, has ? "%.4g" : "-", what->kernel.gamma);
}

/* One that ran. */
static void print_runner(FILE *table, const rvm_settings *asked, const rvm_contender *c, bool best)
{
    const bool known = c->rows > 0, classes = asked->task == RVM_CLASSIFICATION;
    char name[CLI_CONTENDER_NAME], gamma[24], loss[24] = "-", error[24] = "-", behind[40] = "-";
    char vectors[24] = "-";

    cli_contenders_name(name, &c->what);
    write_gamma(gamma, &c->what);
    if (known) {
        snprintf(loss, sizeof loss, "%.4f", c->loss);
        snprintf(error, sizeof error, classes ? "%.3g %%" : "%.4g",
                 classes ? 100 * c->error : c->error);
        snprintf(vectors, sizeof vectors, "%.4g", c->vectors);
    }
    if (known && !best)
        write_difference(behind, c->behind, c->uncertainty);
    fprintf(table, "%-16s %-6s %9s %9s %9s %19s %7s%s%s%s\n", name,
            cli_contenders_prior(asked, &c->what), gamma, loss, error, behind, vectors,
            c->collapsed ? " collapsed" : "",
            c->lap == RVM_STOPPED && !c->collapsed   ? " stopped"
            : c->lap == RVM_RUNNING && !c->collapsed ? " unfinished"
                                                     : "",
            best ? " *" : "");
}

static void print_screened(FILE *table, const rvm_contender *c)
{
    char name[CLI_CONTENDER_NAME], gamma[24], behind[40];

    cli_contenders_name(name, &c->what);
    write_gamma(gamma, &c->what);
    write_difference(behind, c->behind, c->uncertainty);
    fprintf(table, "%-16s %-6s %9s %9.4f %9s %19s\n", name, "", gamma, c->loss, "", behind);
}

void cli_contenders_print(FILE *table, const rvm_settings *asked, const rvm_race *race)
{
    bool ran = false, screened = false;

    for (size_t k = 0; k < rvm_race_contenders(race); k++) {
        const rvm_contender c = rvm_race_contender(race, k);

        if (c.lap != RVM_SCREENED && !ran)
            fprintf(table, "%-16s %-6s %9s %9s %9s %19s %7s\n", "candidate", "prior", "gamma",
                    loss_name(asked), "error", "behind the winner", "vectors");
        if (c.lap == RVM_SCREENED && !screened)
            fprintf(table, "%-16s %-6s %9s %9s %9s %19s\n", "screened only", "", "gamma",
                    "screen's", "", "behind the best");
        if (c.lap == RVM_SCREENED)
            print_screened(table, &c);
        else
            print_runner(table, asked, &c,
                         k == rvm_race_winner(race) && rvm_race_has_learned(race));
        ran = ran || c.lap != RVM_SCREENED;
        screened = screened || c.lap == RVM_SCREENED;
    }
}

/* ---- The summary ---------------------------------------------------------------------------- */

void cli_contenders_keep(cli_choice *out, const rvm_settings *asked, const rvm_race *race)
{
    const size_t best = rvm_race_winner(race), count = rvm_race_contenders(race);

    *out = (cli_choice){ .raced = true, .chosen = *asked };
    rvm_race_apply(&out->chosen, race);
    out->learned = rvm_race_has_learned(race);
    out->gain = rvm_race_gain(&out->gain_uncertainty, race);
    if (count == 0)
        return;
    out->winner = rvm_race_contender(race, best);
    out->has_run = out->winner.lap != RVM_SCREENED && out->winner.rows > 0;
    for (size_t k = 0; k < count; k++) {
        const rvm_contender c = rvm_race_contender(race, k);
        out->compared += c.rows > 0;
        if (k != best && c.lap != RVM_SCREENED && !c.collapsed && out->second.rows == 0)
            out->second = c;
    }
}

void cli_contenders_tell(FILE *out, const rvm_settings *asked, const cli_choice *choice)
{
    const rvm_settings *s = &choice->chosen;
    const rvm_contender *second = &choice->second;
    const rvm_entrant what = { s->kernel, s->ard, s->linear, s->kernel_prior };
    char name[CLI_CONTENDER_NAME], other[CLI_CONTENDER_NAME], lead[40];

    cli_contenders_name(name, &what);
    if (!choice->learned)
        cli_contenders_name(name, &choice->winner.what);
    cli_contenders_name(other, &second->what);
    write_difference(lead, choice->gain, choice->gain_uncertainty);
    if (!choice->learned) {
        fprintf(out, "Chosen = a constant (the best candidate, %s, gains %s on it)\n", name, lead);
        return;
    }
    fprintf(out, "Chosen = %s, %s prior (", name, cli_contenders_prior(asked, &what));
    if (choice->has_run && second->rows > 0) {
        write_difference(lead, fabs(second->behind), second->uncertainty);
        fprintf(out,
                second->behind >= 0 ? "%s ahead of %s, %s prior)\n"
                                    : "%s behind %s, %s prior, with fewer vectors)\n",
                lead, other, cli_contenders_prior(asked, &second->what));
    } else if (choice->has_run) {
        fprintf(out, "%s ahead of a constant)\n", lead);
    } else {
        fputs(choice->compared > 1 ? "by the screen alone)\n" : "not compared with any other)\n",
              out);
    }
}
