/* One line on a terminal that shows how far training is. */
#include "cli/live.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double cli_live_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

cli_live cli_live_start(FILE *out, bool wanted)
{
    return (cli_live){ .out = wanted && isatty(fileno(out)) ? out : NULL,
                       .started_at = cli_live_seconds() };
}

static bool is_due(const cli_live *line)
{
    return line->out != NULL && cli_live_seconds() >= line->drawn_at + 0.1;
}

/* Adds "  about 40 s left" once there is something to guess from, and blanks over what is left of a
 * longer text. */
static void draw(cli_live *line, const char *text, double progress)
{
    const double least_progress = 0.02, least_seconds = 2;
    const double elapsed = cli_live_seconds() - line->started_at;
    char all[250], left[48] = "";

    if (progress > least_progress && elapsed > least_seconds)
        snprintf(left, sizeof left, "  about %.0f s left", elapsed * (1 - progress) / progress);
    snprintf(all, sizeof all, "%s%s", text, left);
    fprintf(line->out, "\r%-*s", line->width, all);
    fflush(line->out);
    line->width = (int)strlen(all);
    line->drawn_at = cli_live_seconds();
}

void cli_live_training(cli_live *line, const rvm_report *r, size_t rows)
{
    char text[200], noise[32] = "", where[64];

    if (!is_due(line))
        return;
    if (r->noise_sd > 0)
        snprintf(noise, sizeof noise, "  noise %.4g", r->noise_sd);
    if (r->stage == RVM_SAMPLE)
        snprintf(where, sizeof where, "draw %zu/%zu", r->draw, r->draws);
    else if (r->stage == RVM_WIDTHS)
        snprintf(where, sizeof where, "widths  round %d", r->round);
    else if (r->rows < rows)
        snprintf(where, sizeof where, "rows %zu/%zu  round %d", r->rows, rows, r->round);
    else
        snprintf(where, sizeof where, "start %d/%d  round %d", r->start, r->starts, r->round);
    snprintf(text, sizeof text, "%s  functions %zu  log %s %.3f%s", where, r->functions,
             r->draws > 0 ? "likelihood" : "evidence", r->log_evidence, noise);
    draw(line, text, r->progress);
}

void cli_live_choice(cli_live *line, const rvm_report *r, const rvm_tuner *tuner)
{
    const rvm_choice best = rvm_tuner_best(tuner);
    char text[160], found[100] = "";

    if (!is_due(line))
        return;
    if (isfinite(best.loss))
        snprintf(found, sizeof found, "  best %s  gamma %.4g  loss %.4g",
                 rvm_kernel_name(best.kernel.type), best.kernel.gamma, best.loss);
    snprintf(text, sizeof text, "cross-validation %d of about %d%s",
             r->trials < r->trials_expected ? r->trials + 1 : r->trials, r->trials_expected, found);
    draw(line, text, r->progress);
}

void cli_live_clear(cli_live *line)
{
    if (line->out == NULL || line->width == 0)
        return;
    fprintf(line->out, "\r%*s\r", line->width, "");
    fflush(line->out);
    line->width = 0;
}
