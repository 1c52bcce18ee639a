/* The kernels that were compared, and what each came to on rows left out. */
#include "cli/candidates.h"

#include <math.h>
#include <stdio.h>

#include "basis/kernel.h"
#include "cli/note.h"

/* The name, with the degree and the offset where they are to be chosen. */
static void write_name(char *text, size_t size, const rvm_tuning *tune, const rvm_kernel *kernel)
{
    const unsigned uses = rvm_kernel_uses(kernel->type);
    char d[16] = "", r[32] = "";

    if (tune->degree && (uses & RVM_USES_DEGREE))
        snprintf(d, sizeof d, " d=%d", kernel->degree);
    if (tune->coef0 && (uses & RVM_USES_COEF0))
        snprintf(r, sizeof r, " r=%g", kernel->coef0);
    snprintf(text, size, "%s%s%s", rvm_kernel_name(kernel->type), d, r);
}

void cli_candidates_heading(FILE *table, const rvm_settings *asked, bool trained)
{
    fprintf(table, "%-11s %12s %10s %10s %10s", "kernel", "gamma", "loss", "error", "log loss");
    if (asked->task == RVM_REGRESSION)
        fprintf(table, " %6s", "90 %");
    if (trained)
        fprintf(table, " %12s %7s %7s", "log evidence", "vectors", "seconds");
    fputc('\n', table);
}

void cli_candidates_row(FILE *table, const rvm_settings *asked, const rvm_choice *choice)
{
    const bool regression = asked->task == RVM_REGRESSION;
    char name[64], gamma[24] = "-", loss[24] = "-", error[24] = "-", log_loss[24] = "-";
    char cover[24] = "-";

    write_name(name, sizeof name, &asked->tune, &choice->kernel);
    if (rvm_kernel_has_gamma(&choice->kernel))
        snprintf(gamma, sizeof gamma, "%.6g", choice->kernel.gamma);
    if (isfinite(choice->loss)) {
        snprintf(loss, sizeof loss, "%.4g", choice->loss);
        snprintf(error, sizeof error, regression ? "%.4g" : "%.3g %%",
                 regression ? choice->error : 100 * choice->error);
        snprintf(log_loss, sizeof log_loss, "%.4g", choice->log_loss);
        snprintf(cover, sizeof cover, "%.3g", 100 * choice->cover);
    }
    fprintf(table, "%-11s %12s %10s %10s %10s", name, gamma, loss, error, log_loss);
    if (regression)
        fprintf(table, " %6s", cover);
}

void cli_candidates_trained(FILE *table, const cli_summary *t, double seconds)
{
    char evidence[24] = "-", vectors[24] = "-";

    if (t->report.done && t->model != NULL) {
        const rvm_model_info info = rvm_model_describe(t->model);
        if (info.draws == 0)
            snprintf(evidence, sizeof evidence, "%.6g", info.log_evidence);
        snprintf(vectors, sizeof vectors, "%zu", info.vectors);
    }
    fprintf(table, " %12s %7s %7.2f\n", evidence, vectors, seconds);
}

static bool is_same(const rvm_kernel *a, const rvm_kernel *b)
{
    return a->type == b->type && a->gamma == b->gamma && a->degree == b->degree &&
           a->coef0 == b->coef0;
}

void cli_candidates_print(FILE *table, const rvm_settings *asked, const rvm_tuner *tuner)
{
    const rvm_choice best = rvm_tuner_best(tuner);

    if (rvm_tuner_tried(tuner) == 0)
        return;
    cli_candidates_heading(table, asked, false);
    for (size_t k = 0; k < rvm_tuner_tried(tuner); k++) {
        const rvm_choice choice = rvm_tuner_trial(tuner, k);
        cli_candidates_row(table, asked, &choice);
        fputs(is_same(&choice.kernel, &best.kernel) ? " *\n" : "\n", table);
    }
}

/* The one of the best density; the first of equals. */
static rvm_choice densest(const rvm_tuner *tuner)
{
    rvm_choice best = rvm_tuner_best(tuner);

    for (size_t k = 0; k < rvm_tuner_tried(tuner); k++) {
        const rvm_choice choice = rvm_tuner_trial(tuner, k);
        if (isfinite(choice.loss) && choice.log_loss < best.log_loss)
            best = choice;
    }
    return best;
}

void cli_candidates_warn(const cli_tool *tool, const rvm_settings *asked, const rvm_tuner *tuner)
{
    const rvm_choice best = rvm_tuner_best(tuner), other = densest(tuner);
    const double due = RVM_FOLD_INTERVAL, least = 1 - 2 * (1 - due);
    char name[64], better[64];

    /* -b 1 makes up for it. */
    if (asked->task != RVM_REGRESSION || asked->probability || best.rows == 0 ||
        !isfinite(best.loss) || best.cover >= least ||
        best.cover + 2 * sqrt(due * (1 - due) / (double)best.rows) >= due)
        return;
    write_name(name, sizeof name, &asked->tune, &best.kernel);
    write_name(better, sizeof better, &asked->tune, &other.kernel);
    cli_note(tool,
             "the kernel of least error, %s, is too sure of itself: its 90 %% intervals hold "
             "%.3g %% of the targets left out",
             name, 100 * best.cover);
    if (!is_same(&best.kernel, &other.kernel))
        cli_note(tool, "the best density, %.4g for %.4g, is that of %s, gamma %.6g: %.3g %%",
                 other.log_loss, best.log_loss, better, other.kernel.gamma, 100 * other.cover);
}
