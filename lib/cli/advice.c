/* Notes on options, data and models that are not what was meant. */
#include "cli/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "basis/kernel.h"
#include "cli/note.h"
#include "cli/options.h"
#include "data/labels.h"
#include "data/problem.h"
#include "data/shard.h"

/* Some kernel that may come to be used has the parameter. */
static bool kernel_uses(const rvm_settings *s, unsigned use)
{
    const rvm_tuning *tune = &s->tune;

    for (size_t k = 0; k < tune->type_count; k++)
        if (rvm_kernel_uses(tune->type[k]) & use)
            return true;
    return tune->type_count == 0 && (rvm_kernel_uses(s->kernel.type) & use) != 0;
}

/* ---- Options without effect ----------------------------------------------------------------- */

/* Why a parameter of kernels has none; NULL: it has. */
static const char *no_parameter(char text[80], const rvm_settings *s, unsigned use,
                                const char *parameter)
{
    if (kernel_uses(s, use))
        return NULL;
    if (s->tune.type_count > 0)
        snprintf(text, 80, "no kernel of the list has a %s", parameter);
    else
        snprintf(text, 80, "the kernel (%s) has no %s", rvm_kernel_name(s->kernel.type), parameter);
    return text;
}

/* The same of --multiclass. */
static const char *few_classes(const rvm_settings *s, size_t classes, bool one_start)
{
    if (s->task == RVM_REGRESSION)
        return "this is a regression, which has no classes";
    if (classes <= 2)
        return "there are not more than two classes";
    return one_start && s->multiclass == RVM_SOFTMAX
               ? "methods of the papers train each class against the rest"
               : NULL;
}

static void note_unused(const cli_tool *tool, const cli_words *words, const rvm_settings *s,
                        size_t outputs, size_t classes)
{
    const bool one_start = s->method != RVM_METHOD_AUTO && s->method != RVM_METHOD_GIBBS;
    const char *listed = s->tune.type_count > 0 ? "--select lists the kernels" : NULL;
    char degree[80], gamma[80], coef0[80];
    const struct {
        const char *option, *reason;
    } unused[] = {
        { "-t", listed },
        { "--kernel", listed },
        { "-d", no_parameter(degree, s, RVM_USES_DEGREE, "degree") },
        { "-g", no_parameter(gamma, s, RVM_USES_GAMMA, "gamma") },
        { "-r", no_parameter(coef0, s, RVM_USES_COEF0, "coef0") },
        { "-w", s->task == RVM_REGRESSION ? few_classes(s, 0, false) : NULL },
        { "--multiclass", few_classes(s, classes, one_start) },
        { "--shared-noise", s->noise_variance > 0 ? "the noise is given"
                            : outputs > 1         ? NULL
                                                  : "there is one output" },
        { "--restarts", one_start ? "methods of the papers have one start" : NULL },
    };

    for (size_t i = 0; i < sizeof unused / sizeof unused[0]; i++)
        if (unused[i].reason != NULL && cli_options_given(words, tool, unused[i].option))
            cli_note(tool, "%s has no effect: %s", unused[i].option, unused[i].reason);
}

/* Of libsvm's options. */
static void note_ignored(const cli_tool *tool, const cli_words *words)
{
    static const char *const ignored[] = { "-c", "-n", "-p", "-h" };
    char list[sizeof "-c, -n, -p, -h"] = "";

    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        if (cli_options_given(words, tool, ignored[i])) {
            const size_t length = strlen(list);
            snprintf(list + length, sizeof list - length, "%s%s", length > 0 ? ", " : "",
                     ignored[i]);
        }
    if (list[0] != '\0')
        cli_note(tool, "%s ignored: not used by relevance vector machines", list);
}

/* ---- Data that are not what was meant ------------------------------------------------------- */

/* Of the rows of all processes that share them. */
static bool is_so_anywhere(const rvm_problem *p, bool here)
{
    return rvm_team_max(p->team, here) > 0;
}

/* The warning of svm-scale. */
static void warn_index_zero(const cli_tool *tool, const rvm_problem *p)
{
    bool found = false;

    for (size_t i = 0; i < p->rows && !found; i++)
        found = p->start[i + 1] > p->start[i] && p->index[p->start[i]] == 0;
    if (is_so_anywhere(p, found))
        cli_note(tool, "WARNING: minimal feature index is 0, but indices should start from 1");
}

static bool has_class(const rvm_labels *labels, int label)
{
    for (size_t k = 0; k < labels->count; k++)
        if (labels->label[k] == label)
            return true;
    return false;
}

/* libsvm's words. */
static void warn_classes(const cli_tool *tool, const rvm_settings *s, const rvm_labels *labels)
{
    if (labels->count == 1)
        cli_note(tool, "WARNING: training data in only one class: every prediction will be %d",
                 labels->label[0]);
    for (size_t i = 0; i < s->class_weight_count; i++)
        if (!has_class(labels, s->class_weights[i].label))
            cli_note(tool, "WARNING: class label %d specified in weight is not found",
                     s->class_weights[i].label);
}

void cli_advice_job(const cli_tool *tool, const cli_words *words, const rvm_settings *s,
                    const rvm_problem *p, bool quiet)
{
    const bool classify = s->task == RVM_CLASSIFICATION;
    const size_t few = 20;
    rvm_labels labels = { 0 };
    rvm_error err = { 0 };

    if (classify && rvm_labels_find(&labels, p, &err) != RVM_OK)
        return; /* there is no memory, and training will fail with that */
    if (!quiet) {
        note_ignored(tool, words);
        note_unused(tool, words, s, p->outputs, labels.count);
    }
    if (s->kernel.type != RVM_PRECOMPUTED)
        warn_index_zero(tool, p);
    if (classify)
        warn_classes(tool, s, &labels);
    /* Fewer than three rows of a class on the average are seldom meant. */
    if (!quiet && labels.count > few && labels.count > rvm_problem_all(p) / 3)
        cli_note(tool, "%zu classes in %zu rows; regression is -s 3", labels.count,
                 rvm_problem_all(p));
    rvm_labels_free(&labels);
}

/* ---- Models that are a constant ------------------------------------------------------------- */

/* The smallest and the largest range of the features that vary; 0 where none does. */
static void find_spread(double *smallest, double *largest, const rvm_problem *p)
{
    const rvm_scaling_limits unit = { .lower = 0, .upper = 1 };
    rvm_scaling *ranges = NULL;
    rvm_error err = { 0 };

    *smallest = *largest = 0;
    if (rvm_scaling_learn(&ranges, p, &unit, &err) == RVM_OK)
        rvm_scaling_spread(smallest, largest, ranges);
    rvm_scaling_free(ranges);
}

/* Features are seen as they are: nothing has made them alike first, as --auto may do unasked. */
static bool may_need_scaling(const rvm_model_info *info)
{
    return !info->standardized && info->kernel.type != RVM_PRECOMPUTED;
}

/* Some feature is far larger than what rvm-scale makes of it, or than a standardised one. */
static bool is_unscaled(const rvm_problem *p)
{
    const double large = 10; /* standard deviations, which hardly a row is away from the mean */
    bool found = false;

    for (size_t k = 0; k < p->start[p->rows] && !found; k++)
        found = fabs(p->value[k]) > large;
    return is_so_anywhere(p, found);
}

static const char scale_them[] = "where that is unexpected, scale the features (--standardize)";

/* Why a model may be no more than a constant, or what to try, in a clause. */
static const char *constant_cause(const rvm_model_info *info, const rvm_settings *s,
                                  const rvm_problem *p)
{
    static const char nothing[] = "these rows do not tell that anything else is better";
    double smallest, largest;

    if (rvm_shard_equal_targets(p))
        return "all targets are equal";
    if (s->tune.type_count == 0 && s->kernel.type == RVM_NO_KERNEL && !s->linear && !s->quadratic)
        return "without a kernel there is no other function; "
               "--basis bias,linear takes the features";
    if (p->max_index < 0)
        return "no row has a feature";
    find_spread(&smallest, &largest, p);
    if (!(largest > 0))
        return "all rows have the same features";
    if (s->kernel.type == RVM_PRECOMPUTED || s->tune.gamma || s->ard)
        return nothing;
    if (may_need_scaling(info) && is_unscaled(p))
        return scale_them;
    return kernel_uses(s, RVM_USES_GAMMA) ? "where that is unexpected, try another width (-g auto)"
                                          : nothing;
}

/* ---- Models that are not what was meant ------------------------------------------------------ */

/* What may help where a model is worse than none: "scale ...", "-g auto ..." or both. */
static void write_remedy(char *text, size_t size, const rvm_model_info *info, const rvm_settings *s,
                         const rvm_problem *p)
{
    const double uneven = 10;
    double smallest, largest;
    size_t length = 0;

    find_spread(&smallest, &largest, p);
    text[0] = '\0';
    if (may_need_scaling(info) && largest > uneven * smallest)
        length = (size_t)snprintf(
            text, size, "scale the features with --standardize (their ranges go from %.3g to %.3g)",
            smallest, largest);
    if (rvm_kernel_has_gamma(&info->kernel) && !s->tune.gamma)
        snprintf(text + length, size - length, "%s-g auto finds the width of the kernel",
                 length > 0 ? "; " : "");
    else if (length == 0)
        snprintf(text, size,
                 s->tune.race ? "no other kernel that was tried does better"
                              : "another kernel may do better (--auto)");
}

/* Of a model that would predict other rows worse than one without features, and what may help;
 * false where it says nothing. */
static bool note_worse(const cli_tool *tool, const rvm_held_out *h, const rvm_model_info *info,
                       const rvm_settings *s, const rvm_problem *p)
{
    const bool regression = info->task == RVM_REGRESSION;
    const bool constant = info->vectors == 0 && !info->has_terms;
    /* Of targets that are noise alone a process makes next to nothing, and never nothing. */
    const double as_good = info->kernel_prior ? 1.05 : 1;
    char remedy[160];

    if (constant || h->rows == 0 || !(h->loss > as_good * h->constant))
        return false;
    write_remedy(remedy, sizeof remedy, info, s, p);
    cli_note(tool,
             "other rows are predicted worse than by %s alone: %s %.3g times as large "
             "(estimate by leaving out one row); %s",
             regression ? "the mean of the targets" : "the shares of the classes",
             regression ? "squared error" : "log loss", h->loss / h->constant, remedy);
    return true;
}

/* A model of no function but the bias is legal, and right where there is nothing to learn; it is
 * what unscaled inputs come to. One class has said so already. Returns whether scaling was named. */
static bool note_constant(const cli_tool *tool, const rvm_model_info *info, const rvm_settings *s,
                          const rvm_problem *p)
{
    if (info->vectors > 0 || info->has_terms || info->classes == 1)
        return false;
    const char *cause = constant_cause(info, s, p);
    cli_note(tool, "no relevance vectors: the model predicts a constant; %s", cause);
    return cause == scale_them;
}

/* A feature whose values are a thousandth of another's is hardly seen by a kernel. Weights of inputs
 * find that by themselves, and terms have a precision each. */
static void note_uneven(const cli_tool *tool, const rvm_model_info *info, const rvm_problem *p)
{
    const double uneven = 1000;
    double smallest, largest;

    if (!may_need_scaling(info) || info->kernel.type == RVM_NO_KERNEL ||
        info->kernel.inputs != NULL)
        return;
    find_spread(&smallest, &largest, p);
    if (largest > uneven * smallest)
        cli_note(tool,
                 "the ranges of the features go from %.3g to %.3g: --standardize makes them alike",
                 smallest, largest);
}

/* What class weights do to probabilities, which nobody who only wants other errors asks for. */
static void note_weighted(const cli_tool *tool, const rvm_model_info *info)
{
    if (info->class_weights != NULL)
        cli_note(tool, "probabilities are of rows by the weights of their classes (-w): "
                       "rvm-predict --prevalence data corrects them to the rows as they are");
}

/* ---- Models that explain each row by itself --------------------------------------------------- */

/* Fewer rows of a function without noise are all vectors, and rightly so. */
static const size_t few_rows = 20;

/* What may be sound where this is not, after a verb in the third person. */
static const char *sound_kernel(const rvm_model_info *info, const rvm_settings *s)
{
    if (s->tune.race)
        return "of the kernels that --auto has tried none was better";
    if (rvm_kernel_has_gamma(&info->kernel) && !s->tune.gamma)
        return "-g auto finds a kernel that is wider";
    return "--auto compares other kernels and priors";
}

/* A flat prior that takes most rows for vectors has found nothing that they have in common; points of
 * a process are as many as there is work for. */
static void note_dense(const cli_tool *tool, const rvm_model_info *info, const rvm_settings *s)
{
    const char *narrow = rvm_kernel_has_gamma(&info->kernel) ? "is too narrow to" : "does not";

    if (s->method == RVM_METHOD_GIBBS || info->kernel_prior || info->examples <= few_rows ||
        2 * info->vectors <= info->examples)
        return;
    if (s->method != RVM_METHOD_AUTO)
        cli_note(tool,
                 "%zu of %zu rows are vectors: --method %s ends where its one start leads; "
                 "--method auto compares many",
                 info->vectors, info->examples, rvm_method_name(s->method));
    else
        cli_note(tool, "%zu of %zu rows are vectors: the kernel %s tell signal from noise; %s",
                 info->vectors, info->examples, narrow, sound_kernel(info, s));
}

/* Rows that differ; all of them where there is no memory. */
static size_t count_different(const rvm_problem *p)
{
    size_t count = 0;
    rvm_error err = { 0 };

    return rvm_shard_different(&count, p, &err) == RVM_OK ? count : rvm_problem_all(p);
}

/* Why a model whose noise is held at its bound is a collapse, and no function without noise, in the
 * middle of a sentence; false where it may be one. Targets that are rounded, or rows that are there
 * twice, which have a vector in common, look like that. */
static bool is_collapse(char *why, size_t size, const rvm_held_out *h, const rvm_model_info *info,
                        const rvm_settings *s, const rvm_problem *p)
{
    const double sure = 0.5; /* share of the squared error of a constant */
    const size_t different = count_different(p);

    if (s->method == RVM_METHOD_GIBBS || different <= few_rows)
        return false;
    if (!info->kernel_prior && 2 * info->vectors > different)
        snprintf(why, size, "%zu of %zu%s rows are vectors, and no noise is left", info->vectors,
                 different, different < rvm_problem_all(p) ? " different" : "");
    else if (h->rows > 0 && !(h->loss < sure * h->constant))
        snprintf(why, size,
                 "no noise is left, but the squared error of rows left out is %.3g of that of the "
                 "mean",
                 h->loss / h->constant);
    else
        return false;
    return true;
}

static void note_unconverged(const cli_tool *tool, bool drawn)
{
    cli_note(tool, drawn ? "WARNING: the chains have not come together (R-hat above 1.05): more "
                           "--samples and --burn-in may help"
                         : "WARNING: training ended before it converged: with a larger -e it "
                           "asks for less, and with a larger -m many rows have more room");
}

void cli_advice_trained(const cli_tool *tool, const cli_summary *t, const rvm_settings *s,
                        const rvm_problem *p, bool quiet)
{
    const rvm_model_info info = rvm_model_describe(t->model);
    rvm_held_out h = { .rows = 0 };
    rvm_error err = { 0 };
    char why[160];
    bool worse = false, collapse = false;

    if (!quiet) {
        if (rvm_model_held_out(&h, t->model, p, s, &err) != RVM_OK)
            h.rows = 0; /* nothing can be said */
        note_weighted(tool, &info);
        const bool scale = note_constant(tool, &info, s, p);
        worse = note_worse(tool, &h, &info, s, p);
        collapse =
            !worse && t->report.noise_at_bound && is_collapse(why, sizeof why, &h, &info, s, p);
        if (!worse && !collapse)
            note_dense(tool, &info, s);
        if (!worse && !scale)
            note_uneven(tool, &info, p);
    }
    if (!t->report.converged)
        note_unconverged(tool, t->report.draws > 0);
    if (collapse)
        cli_note(tool, "WARNING: %s: each row is explained by itself; %s", why,
                 sound_kernel(&info, s));
    else if (t->report.noise_at_bound && !quiet && !worse)
        cli_note(tool, "%s free of noise: its variance is held at a lower bound",
                 info.outputs > 1 ? "an output looks" : "the target looks");
}
