/* One line on a terminal that shows how far training is. */
#include "cli/live.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/contenders.h"

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

enum { TEXT = 400 }; /* of the line, without what is left */

/* "  about 40 s left" once there is something to guess from, else "". */
static void write_time_left(char text[48], double progress, double elapsed)
{
    const double least_progress = 0.02, least_seconds = 2;

    text[0] = '\0';
    if (progress > least_progress && elapsed > least_seconds)
        snprintf(text, 48, "  about %.0f s left", elapsed * (1 - progress) / progress);
}

static void write_choice(char text[TEXT], const rvm_report *r, const rvm_tuner *tuner)
{
    const rvm_choice best = rvm_tuner_best(tuner);
    char found[100] = "";

    if (isfinite(best.loss))
        snprintf(found, sizeof found, "  best %s  gamma %.4g  loss %.4g",
                 rvm_kernel_name(best.kernel.type), best.kernel.gamma, best.loss);
    snprintf(text, TEXT, "cross-validation %d of about %d%s",
             r->trials < r->trials_expected ? r->trials + 1 : r->trials, r->trials_expected, found);
}

/* What is tried, and the best so far. */
static void write_race(char text[TEXT], char left[48], const rvm_race *race)
{
    const rvm_race_state now = rvm_race_now(race);
    char name[CLI_CONTENDER_NAME], best[CLI_CONTENDER_NAME], found[128] = "";

    cli_contenders_name(name, &now.what);
    if (rvm_race_contenders(race) > 0) {
        const rvm_contender c = rvm_race_contender(race, rvm_race_winner(race));
        cli_contenders_name(best, &c.what);
        if (c.rows > 0)
            snprintf(found, sizeof found, "  best %s%s  loss %.4g", best,
                     c.lap == RVM_SCREENED ? ""
                     : c.what.kernel_prior ? ", kernel prior"
                                           : ", flat prior",
                     c.loss);
    }
    if (now.screening)
        snprintf(text, TEXT, "screen: %s%s", name, found);
    else if (now.folds > 0)
        snprintf(text, TEXT, "race: %s, %s prior  folds %zu-%zu of %zu%s", name,
                 now.what.kernel_prior ? "kernel" : "flat", now.first, now.last, now.folds, found);
    else
        snprintf(text, TEXT, "race: width of %s%s", name, found);
    left[0] = '\0';
    if (now.seconds_left > 0)
        snprintf(left, 48, "  about %.0f s left", ceil(now.seconds_left));
}

static void write_training(char text[TEXT], const rvm_report *r, size_t rows)
{
    char noise[32] = "", where[64];

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
    snprintf(text, TEXT, "%s  functions %zu  log %s %.3f%s", where, r->functions,
             r->draws > 0 ? "likelihood" : "evidence", r->log_evidence, noise);
}

static void write_folds(char text[TEXT], const rvm_report *r)
{
    snprintf(text, TEXT, "held-out rows: fold %d of %d",
             r->trials < r->trials_expected ? r->trials + 1 : r->trials, r->trials_expected);
}

/* Of classes no log evidence is climbed. */
static void write_points(char text[TEXT], const rvm_report *r, size_t rows)
{
    char part[64] = "";

    if (r->rows < rows)
        snprintf(part, sizeof part, "  rows %zu/%zu", r->rows, rows);
    snprintf(text, TEXT, "points%s  round %d  functions %zu", part, r->round, r->functions);
}

void cli_live_draw(cli_live *line, const rvm_report *r, const rvm_trainer *tr, size_t rows)
{
    const rvm_tuner *tuner = rvm_trainer_tuner(tr);
    const rvm_race *race = rvm_trainer_race(tr);
    const bool tunes = r->stage == RVM_TUNE;
    const double now = cli_live_seconds();
    char text[TEXT], left[48], all[sizeof text + sizeof left];

    if (line->out == NULL || now < line->drawn_at + 0.1 ||
        (tunes && ((tuner == NULL && race == NULL) || r->stage_over)))
        return;
    write_time_left(left, r->progress, now - line->started_at);
    if (tunes && race != NULL)
        write_race(text, left, race);
    else if (tunes)
        write_choice(text, r, tuner);
    else if (r->stage == RVM_POINTS)
        write_points(text, r, rows);
    else if (r->stage == RVM_CALIBRATE && r->trials_expected > 0)
        write_folds(text, r);
    else
        write_training(text, r, rows);
    snprintf(all, sizeof all, "%s%s", text, left);
    fprintf(line->out, "\r%-*s", line->width, all); /* blanks over what is left of a longer text */
    fflush(line->out);
    line->width = (int)strlen(all);
    line->drawn_at = now;
}

void cli_live_clear(cli_live *line)
{
    if (line->out == NULL || line->width == 0)
        return;
    fprintf(line->out, "\r%*s\r", line->width, "");
    fflush(line->out);
    line->width = 0;
}
