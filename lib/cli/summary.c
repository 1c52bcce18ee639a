/* The summary of training: the model, its noise, its inputs and weights, its chains. */
#include "cli/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "basis/kernel.h"
#include "cli/direct.h"
#include "cli/note.h"
#include "product/settings.h"

void cli_summary_free(cli_summary *t)
{
    rvm_model_free(t->model);
    rvm_chains_free(t->chains);
}

static void print_noise(FILE *out, const rvm_model *m, const rvm_model_info *info)
{
    fputs("Noise standard deviation = ", out);
    for (size_t k = 0; k < info->outputs; k++)
        fprintf(out, "%s%g", k > 0 ? "," : "", sqrt(rvm_model_noise_variance(m, k)));
    fputs(info->noise_fixed ? " (given)\n" : "\n", out);
}

/* How far the functions go from their mean: all classes have the same. */
static void print_process(FILE *out, const rvm_model *m, const rvm_model_info *info)
{
    fputs("Process standard deviation = ", out);
    for (size_t k = 0; k < (info->outputs > 1 ? info->outputs : 1); k++)
        fprintf(out, "%s%g", k > 0 ? "," : "", sqrt(rvm_model_process_variance(m, k)));
    fputc('\n', out);
}

/* A regression with the kernel prior goes on from the gamma that is given or chosen. */
static void print_gamma(FILE *out, const rvm_model_info *info, const rvm_settings *s,
                        const rvm_problem *p, const char *how)
{
    const bool learns =
        info->kernel_prior && info->task == RVM_REGRESSION && rvm_kernel_decays(info->kernel.type);

    if (!rvm_kernel_has_gamma(&info->kernel))
        return;
    if (s->tune.gamma)
        fprintf(out, "Gamma = %.6g (%s%s)\n", info->kernel.gamma, how,
                learns ? ", then learned" : "");
    else if (learns && info->kernel.gamma != rvm_settings_kernel(s, p).gamma)
        fprintf(out, "Gamma = %.6g (learned)\n", info->kernel.gamma);
}

/* What was left open of the kernel, in the order of the options. Of few rows, or after an early
 * interrupt, nothing has been compared. */
static void print_chosen(FILE *out, const rvm_model_info *info, const rvm_settings *s,
                         const rvm_problem *p, size_t trials)
{
    const char *how = trials > 1 ? "chosen" : "not compared with any other";
    const rvm_kernel *kernel = &info->kernel;
    const unsigned uses = rvm_kernel_uses(kernel->type);

    if (s->tune.type_count > 0)
        fprintf(out, "Kernel = %s (%s)\n", rvm_kernel_name(kernel->type), how);
    if (s->tune.degree && (uses & RVM_USES_DEGREE))
        fprintf(out, "Degree = %d (%s)\n", kernel->degree, how);
    print_gamma(out, info, s, p, how);
    if (s->tune.coef0 && (uses & RVM_USES_COEF0))
        fprintf(out, "Coef0 = %g (%s)\n", kernel->coef0, how);
}

/* ", 3" or ", 6-10" */
static void print_range(FILE *out, const char *before, int first, int last)
{
    fprintf(out, first == last ? "%s%d" : "%s%d-%d", before, first, last);
}

/* Those of all features up to the last one of the data that have no weight. */
static void print_useless(FILE *out, const rvm_input_weights *inputs, int last)
{
    const char *before = "; of no use: ";
    long long next = 1; /* one more than the last feature may be */

    for (size_t j = 0; j <= inputs->count; j++) {
        const long long end = j < inputs->count ? inputs->index[j] - 1LL : last;
        if (next <= end) {
            print_range(out, before, (int)next, (int)end);
            before = ", ";
        }
        if (j < inputs->count)
            next = inputs->index[j] + 1LL;
    }
}

/* The largest effect first. */
static void print_inputs(FILE *out, const cli_tool *tool, const rvm_model *m, const rvm_problem *p)
{
    const rvm_model_info info = rvm_model_describe(m);
    const rvm_input_weights *inputs = info.kernel.inputs;
    const size_t most_told = 1000;
    rvm_error err = { 0 };

    if (inputs->count > most_told) { /* an effect takes all inputs */
        fprintf(out, "Inputs with a weight = %zu\n", inputs->count);
        return;
    }
    double *effect = calloc(inputs->count + 1, sizeof *effect);
    if (effect == NULL || rvm_model_effects(effect, m, p, &err) != RVM_OK) {
        cli_note(tool, "relevance of inputs: %s", effect == NULL ? "no memory" : err.message);
        free(effect);
        return;
    }
    fputs("Inputs by relevance = ", out);
    for (size_t k = 0; k < inputs->count; k++) {
        size_t best = 0;
        for (size_t j = 1; j < inputs->count; j++)
            if (effect[j] > effect[best])
                best = j;
        fprintf(out, "%s%d (%.3g)", k > 0 ? ", " : "", inputs->index[best], effect[best]);
        effect[best] = -1;
    }
    if (inputs->count == 0)
        fputs("none", out);
    print_useless(out, inputs, rvm_problem_last_feature(p));
    fputc('\n', out);
    free(effect);
}

enum { SHOWN_SIZE = 32 };

/* x with so many decimals; `-` where it is no finite number, as R-hat is of chains that stand still
 * in several places. */
static const char *decimals(char text[SHOWN_SIZE], double x, int decimals)
{
    if (!(fabs(x) < 1e20))
        return "-";
    snprintf(text, SHOWN_SIZE, "%.*f", decimals, x);
    return text;
}

/* The weights that do most, the largest first, those that differ from 0 for sure marked. */
static void print_weights(FILE *out, const cli_tool *tool, const rvm_chains *chains,
                          const rvm_chains_info *info)
{
    rvm_error err = { 0 };

    if (info->functions > 0)
        fprintf(out, "%-10s %12s %12s %12s %8s %8s\n", "weight", "mean", "2.5 %", "97.5 %", "R-hat",
                "size");
    for (size_t k = 0; k < info->functions; k++) {
        char rhat[SHOWN_SIZE], size[SHOWN_SIZE];
        rvm_weight_summary w;
        if (rvm_chains_weight(&w, chains, k, &err) != RVM_OK) {
            cli_note(tool, "weights: %s", err.message);
            return;
        }
        fprintf(out, "%-10s %12.5g %12.5g %12.5g %8s %8s%s\n", w.name, w.mean, w.low, w.high,
                decimals(rhat, w.rhat, 3), decimals(size, w.size, 0),
                w.low > 0 || w.high < 0 ? " *" : "");
    }
    if (info->sampled > info->functions)
        fprintf(out, "and %zu that do less\n", info->sampled - info->functions);
}

static void print_chains(FILE *out, const cli_tool *tool, const rvm_chains *chains)
{
    char rhat[SHOWN_SIZE], size[SHOWN_SIZE];
    rvm_chains_info info;
    rvm_error err = { 0 };

    if (rvm_chains_describe(&info, chains, &err) != RVM_OK) {
        cli_note(tool, "chains: %s", err.message);
        return;
    }
    fprintf(out, "Draws = %zu of each of %zu chains, %zu functions\n", info.draws, info.chains,
            info.sampled);
    fprintf(out, "Log likelihood = %.6g (R-hat %s, effective size %s)\n", info.log_likelihood,
            decimals(rhat, info.log_likelihood_rhat, 3),
            decimals(size, info.log_likelihood_size, 0));
    if (info.prediction_rhat > 0)
        fprintf(out, "Predictions = R-hat %s at the worst training row\n",
                decimals(rhat, info.prediction_rhat, 3));
    print_weights(out, tool, chains, &info);
}

/* What decided between the starts, where that was not the log evidence alone. After an interrupt
 * not all of them have been. */
static void print_criterion(FILE *out, const rvm_report *r, bool has_prior)
{
    if (r->done && r->credit != 0 && r->draws == 0)
        fprintf(out, "Best of %d starts = %.6g (log evidence%s %+g for %s%zu function%s)\n",
                r->starts, r->log_evidence + r->credit * (double)r->functions,
                has_prior ? " + log prior" : "", r->credit, r->functions > 1 ? "each of " : "",
                r->functions, r->functions == 1 ? "" : "s");
}

enum { COEFFICIENTS_SHOWN = 20 };

/* The larger distance from 0 in standard deviations first; names decide between equals. */
static int compare_coefficients(const void *a, const void *b)
{
    const rvm_coefficient *p = a, *q = b;
    const double x = fabs(p->mean) / p->sd, y = fabs(q->mean) / q->sd;

    if (x != y)
        return x > y ? -1 : 1;
    return strcmp(p->name, q->name);
}

static void print_function(FILE *out, const char *heading, rvm_coefficient *list, size_t count)
{
    qsort(list, count, sizeof *list, compare_coefficients);
    fprintf(out, "%-20s %12s %12s\n", heading, "mean", "sd");
    for (size_t i = 0; i < count && i < COEFFICIENTS_SHOWN; i++)
        fprintf(out, "%-20s %12.6g %12.6g\n", list[i].name, list[i].mean, list[i].sd);
    if (count > COEFFICIENTS_SHOWN)
        fprintf(out, "and %zu nearer to 0\n", count - COEFFICIENTS_SHOWN);
}

/* For each function the weights of the features, those that are furthest from 0 in standard
 * deviations first. */
static void print_coefficients(FILE *out, const cli_tool *tool, const rvm_model *m)
{
    const rvm_model_info info = rvm_model_describe(m);

    for (size_t k = 0; k < info.functions; k++) {
        rvm_coefficient *list = NULL;
        size_t count = 0;
        rvm_error err = { 0 };
        char heading[40] = "weight";

        if (info.functions > 1 && info.task == RVM_REGRESSION)
            snprintf(heading, sizeof heading, "output %zu: weight", k + 1);
        else if (info.functions > 1)
            snprintf(heading, sizeof heading, "class %d: weight", info.labels[k]);
        if (rvm_model_coefficients(&list, &count, m, k, &err) != RVM_OK) {
            cli_note(tool, "weights: %s", err.message);
            return;
        }
        if (count > 0)
            print_function(out, heading, list, count);
        free(list);
    }
}

static void print_terms(FILE *out, const cli_tool *tool, const rvm_model *m)
{
    char *names = NULL;
    rvm_error err = { 0 };

    if (rvm_model_terms(&names, m, &err) != RVM_OK)
        cli_note(tool, "basis functions: %s", err.message);
    else
        fprintf(out, "Basis functions = %s\n", names[0] != '\0' ? names : "none");
    free(names);
}

/* What five-fold cross-validation has shown of rows that were left out. */
static void print_calibration(FILE *out, const rvm_model *m, const rvm_model_info *info,
                              const rvm_settings *s)
{
    const rvm_calibration_info c = rvm_model_calibration(m);

    if (c.rows == 0 && s->probability)
        fputs("Held-out rows = none: nothing was fitted to them\n", out);
    if (c.rows == 0)
        return;
    if (info->task == RVM_CLASSIFICATION) {
        fprintf(out, "Held-out log loss = %.6g (error %.4g%%, temperature %.4g)\n", c.loss,
                100 * c.error, c.temperature);
        return;
    }
    fprintf(out, "Held-out negative log predictive density = %.6g (mean squared error %.6g)\n",
            c.loss, c.error);
    fprintf(out, "Held-out targets in 50, 90, 95 %% intervals = %.3g, %.3g, %.3g %%\n",
            100 * c.cover[0], 100 * c.cover[1], 100 * c.cover[2]);
}

static void print_standard(FILE *out, const rvm_model_info *info)
{
    if (info->standardized)
        fprintf(out, "Features standardized = %zu (%s)\n", info->varied,
                info->centred ? "mean 0, standard deviation 1"
                              : "standard deviation 1; sparse rows keep their zeros");
}

/* What a race has chosen, and how to have it without. */
static void print_choice(FILE *out, const cli_tool *tool, const cli_words *words,
                         const cli_summary *t, const rvm_model_info *info, const rvm_settings *s,
                         const rvm_problem *p)
{
    rvm_settings chosen = t->choice.chosen;

    cli_contenders_tell(out, s, &t->choice);
    if (t->choice.learned)
        print_gamma(out, info, s, p, t->choice.compared > 1 ? "chosen" : "not compared");
    chosen.standardize = info->standardized;
    if (t->report.done) {
        fputs("Same model = ", out);
        cli_direct_write(out, tool, words, s, &chosen);
    }
}

void cli_summary_print(FILE *out, const cli_tool *tool, const cli_words *words,
                       const cli_summary *t, const rvm_settings *s, const rvm_problem *p,
                       double seconds)
{
    const rvm_model_info info = rvm_model_describe(t->model);

    if (t->choice.raced)
        print_choice(out, tool, words, t, &info, s, p);
    else
        print_chosen(out, &info, s, p, t->trials);
    fprintf(out, "Examples = %zu\n", info.examples);
    print_standard(out, &info);
    if (info.outputs > 1)
        fprintf(out, "Outputs = %zu\n", info.outputs);
    fprintf(out, "Relevance vectors = %zu\n", info.vectors);
    if (s->linear || s->quadratic || info.has_terms)
        print_terms(out, tool, t->model);
    if (t->chains != NULL)
        print_chains(out, tool, t->chains);
    else
        fprintf(out, "Log evidence = %.6g\n", info.log_evidence);
    if (info.has_prior)
        fprintf(out, "Log evidence + log prior = %.6g\n", info.log_evidence + info.log_prior);
    print_criterion(out, &t->report, info.has_prior);
    if (info.task == RVM_REGRESSION)
        print_noise(out, t->model, &info);
    if (info.kernel_prior)
        print_process(out, t->model, &info);
    print_calibration(out, t->model, &info, s);
    if (info.kernel.inputs != NULL)
        print_inputs(out, tool, t->model, p);
    if (info.has_terms && info.draws == 0 &&
        !(info.kernel_prior && info.task == RVM_CLASSIFICATION))
        print_coefficients(out, tool, t->model);
    fprintf(out, "Seconds = %.2f\n", seconds);
}
