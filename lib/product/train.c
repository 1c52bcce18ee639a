/* Training: one pipeline of stages, each of which begins where the one before it has ended.
 *
 *     tune     what is open of the kernel, by cross-validation
 *     widths   ARD length-scales, by the evidence of a Gaussian process
 *     search   the precisions, by the log evidence
 *     sample   draws from the posterior, from the solution of the search
 *
 * A stage leaves its result in the settings (the kernel) or in an object of the trainer; what is
 * there so far becomes a model at any time. */
#include <float.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "data/labels.h"
#include "data/problem.h"
#include "product/chains.h"
#include "product/crossval.h"
#include "product/finish.h"
#include "product/sampler.h"
#include "product/settings.h"
#include "product/tune.h"
#include "product/widths.h"
#include "search/class_order.h"
#include "search/multi.h"
#include "search/outputs.h"
#include "search/starts.h"
#include "search/textbook.h"
#include "search/working_set.h"

/* How the solution is found. A constant target and a single class need no search. */
typedef enum {
    BY_STARTS,
    BY_WORKING_SET,
    BY_CLASSES,
    BY_OUTPUTS,
    BY_TEXTBOOK,
    NOTHING_TO_FIND
} method;

struct rvm_trainer {
    const rvm_problem *p;  /* borrowed */
    rvm_settings settings; /* with what the stages have found of the kernel */
    rvm_labels labels;     /* classification */
    rvm_stage stage;
    bool over;          /* that one is, and the next one begins at the next step */
    bool done;          /* and there is no next one */
    int round;          /* steps of the stage */
    double past;        /* work of the stages before */
    rvm_tuner *tuner;   /* NULL where nothing was open */
    rvm_widths *widths; /* NULL without; owns the length-scales of the kernel */
    rvm_study study;
    size_t *class_of_row; /* owned, more than two classes: as class_order.h has it; and */
    size_t *place;        /* owned, position in labels of each class */
    method method;
    rvm_starts *starts;
    rvm_working_set *working_set;
    rvm_multi *multi;
    rvm_outputs *outputs;
    rvm_textbook *textbook;
    rvm_columns fixed;     /* NOTHING_TO_FIND: the bias alone */
    rvm_solution constant; /* NOTHING_TO_FIND */
    rvm_sampler *sampler;  /* NULL before the chains begin */
    bool mixed;            /* they agree */
};

/* ---- No search ------------------------------------------------------------------------------ */

/* The bias alone, at the mean of a constant target with as much noise as its rounding; nothing at
 * all for a single class. */
static rvm_status settle(rvm_trainer *tr, rvm_error *err)
{
    const rvm_basis *b = &tr->study.basis;
    const rvm_observed *o = &tr->study.observed;
    const size_t bias = 0, count = o->likelihood->has_noise && b->bias ? 1 : 0;
    rvm_fit fit;
    rvm_status status = rvm_columns_init(&tr->fixed, b, 1, INFINITY, 1, err);
    if (status == RVM_OK)
        status = rvm_columns_append(&tr->fixed, &bias, count, err);
    if (status != RVM_OK)
        return status;
    status = rvm_fit_init(&fit, 1, 0, err);
    if (status != RVM_OK)
        return status;
    if (count == 1)
        rvm_fit_add(&fit, 0, o->bias_ln_alpha_max);
    fit.ln_beta = rvm_study_constant_ln_beta(&tr->study);
    status = rvm_solution_init(&tr->constant, 1, false, err);
    if (status == RVM_OK)
        status = rvm_solution_save(&tr->constant, 0, &fit, tr->fixed.id, tr->fixed.norm, err);
    tr->constant.converged = true;
    rvm_fit_free(&fit);
    return status;
}

/* ---- What is looked at ----------------------------------------------------------------------- */

static bool has_many_classes(const rvm_trainer *tr)
{
    return tr->labels.count > 2;
}

static bool is_sampled(const rvm_trainer *tr)
{
    return tr->settings.method == RVM_METHOD_GIBBS;
}

static bool is_interrupted(const rvm_trainer *tr)
{
    return rvm_interrupted(tr->settings.interrupted);
}

static method choose_method(const rvm_trainer *tr)
{
    if (tr->settings.task == RVM_CLASSIFICATION && tr->labels.count < 2)
        return NOTHING_TO_FIND;
    if (tr->study.p->outputs > 1)
        return BY_OUTPUTS;
    if (tr->settings.task == RVM_REGRESSION && tr->study.constant_target)
        return NOTHING_TO_FIND;
    if (tr->settings.method != RVM_METHOD_AUTO && !is_sampled(tr))
        return BY_TEXTBOOK;
    if (tr->labels.count > 2)
        return BY_CLASSES;
    return rvm_starts_fit(&tr->study, &tr->settings) ? BY_STARTS : BY_WORKING_SET;
}

static rvm_status order_classes(rvm_trainer *tr, rvm_error *err)
{
    if (tr->class_of_row == NULL)
        tr->class_of_row = rvm_array(tr->p->rows, sizeof *tr->class_of_row);
    if (tr->place == NULL)
        tr->place = rvm_array(tr->labels.count, sizeof *tr->place);
    if (tr->class_of_row == NULL || tr->place == NULL)
        return rvm_fail_memory(err, "the classes");
    return rvm_class_order(tr->class_of_row, tr->place, &tr->study, &tr->labels, err);
}

/* The solution from which chains begin knows nothing of their priors, which need not have one. */
static rvm_settings settings_of_search(const rvm_trainer *tr)
{
    rvm_settings s = tr->settings;
    if (is_sampled(tr))
        s.weight_prior = s.noise_prior = (rvm_gamma_prior){ 0, 0 };
    return s;
}

/* With the kernel as the stages so far have left it. */
static rvm_status observe_problem(rvm_trainer *tr, rvm_error *err)
{
    const int first_label = tr->labels.count > 0 ? tr->labels.label[0] : 0;
    tr->settings.kernel = rvm_settings_kernel(&tr->settings, tr->p);
    const rvm_settings s = settings_of_search(tr);
    rvm_study_free(&tr->study);
    const rvm_status status =
        rvm_study_init(&tr->study, tr->p, &s, &tr->settings.kernel, first_label, err);
    if (status != RVM_OK)
        return status;
    tr->method = choose_method(tr);
    return has_many_classes(tr) ? order_classes(tr, err) : RVM_OK;
}

static rvm_status prepare_search(rvm_trainer *tr, rvm_error *err)
{
    const size_t classes = tr->labels.count;
    if (tr->method == BY_STARTS)
        return rvm_starts_alloc(&tr->starts, &tr->study, &tr->settings, err);
    if (tr->method == BY_WORKING_SET)
        return rvm_working_set_alloc(&tr->working_set, &tr->study, &tr->settings, err);
    if (tr->method == BY_CLASSES)
        return rvm_multi_alloc(&tr->multi, &tr->study, tr->class_of_row, classes, &tr->settings,
                               err);
    if (tr->method == BY_TEXTBOOK)
        return rvm_textbook_alloc(&tr->textbook, &tr->study, tr->class_of_row,
                                  has_many_classes(tr) ? classes : 1, &tr->settings, err);
    if (tr->method == BY_OUTPUTS)
        return rvm_outputs_alloc(&tr->outputs, &tr->study, &tr->settings, err);
    return settle(tr, err);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static const rvm_solution *best_solution(const rvm_trainer *tr)
{
    if (tr->method == BY_STARTS)
        return rvm_starts_best(tr->starts);
    if (tr->method == BY_WORKING_SET)
        return rvm_working_set_best(tr->working_set);
    if (tr->method == BY_TEXTBOOK)
        return rvm_textbook_solution(tr->textbook);
    return &tr->constant;
}

static rvm_columns columns(const rvm_trainer *tr)
{
    if (tr->method == BY_STARTS)
        return *rvm_starts_design(tr->starts);
    if (tr->method == BY_WORKING_SET)
        return rvm_working_set_columns(tr->working_set);
    if (tr->method == BY_OUTPUTS)
        return *rvm_outputs_design(tr->outputs);
    if (tr->method == BY_TEXTBOOK)
        return *rvm_textbook_design(tr->textbook);
    return tr->fixed;
}

static void report_point(rvm_report *r, const rvm_trainer *tr)
{
    const rvm_solution *best = best_solution(tr);
    const rvm_observed *o = &tr->study.observed;
    const double ln_beta = best->latent->ln_beta;
    r->functions = rvm_solution_functions(best);
    r->log_evidence = rvm_solution_log_evidence(best);
    r->converged = tr->done && best->converged;
    if (!o->likelihood->has_noise)
        return;
    r->log_evidence -= (double)r->rows * log(tr->study.t_scale);
    r->noise_sd = tr->study.t_scale * exp(-0.5 * ln_beta);
    r->noise_at_bound =
        !o->noise_fixed && tr->method != NOTHING_TO_FIND && ln_beta >= o->ln_beta_max - 1e-6;
}

static void report_outputs(rvm_report *r, const rvm_trainer *tr)
{
    rvm_outputs_progress(&r->start, &r->starts, tr->outputs);
    r->progress = (double)r->start / r->starts;
    r->functions = rvm_outputs_functions(tr->outputs);
    r->log_evidence = rvm_outputs_log_evidence(tr->outputs);
    r->converged = tr->done && rvm_outputs_converged(tr->outputs);
    r->noise_at_bound = rvm_outputs_noise_at_bound(tr->outputs);
}

/* One model of each class against the rest. */
static void report_one_vs_rest(rvm_report *r, const rvm_trainer *tr)
{
    rvm_textbook_progress(&r->start, &r->starts, tr->textbook);
    r->progress = (double)(r->start - 1) / r->starts;
    r->functions = rvm_solution_functions(best_solution(tr));
    r->log_evidence = rvm_solution_log_evidence(best_solution(tr));
    r->converged = tr->done && best_solution(tr)->converged;
}

/* Only between searches that choose by rvm_solution_prefer. */
static double credit(const rvm_trainer *tr, int starts)
{
    const rvm_observed *o = &tr->study.observed;
    const bool chosen =
        tr->method == BY_STARTS || tr->method == BY_WORKING_SET || tr->method == BY_OUTPUTS;
    return chosen && starts > 1 && o->likelihood->credit > 0
               ? o->likelihood->credit - o->prune_margin
               : 0;
}

static void report_search(rvm_report *r, const rvm_trainer *tr)
{
    r->rows = tr->study.observed.N;
    if (tr->method == BY_STARTS) {
        rvm_starts_progress(&r->start, &r->starts, tr->starts);
        r->progress = (double)r->start / r->starts;
    }
    if (tr->method == BY_WORKING_SET) {
        r->rows = rvm_working_set_rows(tr->working_set);
        r->progress = rvm_working_set_progress(tr->working_set);
        rvm_working_set_starts(&r->start, &r->starts, tr->working_set);
    }
    if (tr->method == BY_CLASSES) {
        rvm_multi_progress(&r->start, &r->starts, tr->multi);
        r->progress = (double)(r->start - 1) / r->starts;
        r->functions = rvm_multi_functions(tr->multi);
        r->log_evidence = rvm_multi_log_evidence(tr->multi);
        r->converged = tr->done && rvm_multi_converged(tr->multi);
    } else if (tr->method == BY_OUTPUTS) {
        report_outputs(r, tr);
    } else if (tr->method == BY_TEXTBOOK && has_many_classes(tr)) {
        report_one_vs_rest(r, tr);
    } else {
        report_point(r, tr);
    }
    r->credit = credit(tr, r->starts);
}

/* ---- Stages ---------------------------------------------------------------------------------- */

static bool is_open(const rvm_trainer *tr)
{
    return rvm_tuning_is_open(&tr->settings.tune);
}

static rvm_status train_fold(rvm_model **out, const rvm_problem *p, const rvm_settings *s,
                             rvm_error *err);

static rvm_status begin_tune(rvm_trainer *tr, rvm_error *err)
{
    return rvm_tuner_alloc(&tr->tuner, tr->p, &tr->settings, train_fold, err);
}

static rvm_status step_tune(rvm_trainer *tr, rvm_error *err)
{
    return rvm_tuner_step(&tr->over, tr->tuner, err);
}

static void report_tune(rvm_report *r, const rvm_trainer *tr)
{
    rvm_tuner_report(r, tr->tuner);
}

static bool is_relevance_wanted(const rvm_trainer *tr)
{
    return tr->settings.ard;
}

static rvm_status begin_widths(rvm_trainer *tr, rvm_error *err)
{
    const rvm_status status = observe_problem(tr, err);
    if (status != RVM_OK || tr->method == NOTHING_TO_FIND)
        return status;
    return rvm_widths_alloc(&tr->widths, &tr->study, tr->class_of_row, tr->labels.count,
                            &tr->settings, err);
}

static rvm_status step_widths(rvm_trainer *tr, rvm_error *err)
{
    tr->over = tr->widths == NULL;
    return tr->over ? RVM_OK : rvm_widths_step(&tr->over, tr->widths, err);
}

static void report_widths(rvm_report *r, const rvm_trainer *tr)
{
    if (tr->widths != NULL)
        rvm_widths_report(r, tr->widths);
}

static bool is_search_wanted(const rvm_trainer *tr)
{
    (void)tr;
    return true;
}

static rvm_status begin_search(rvm_trainer *tr, rvm_error *err)
{
    const rvm_status status = observe_problem(tr, err);
    return status == RVM_OK ? prepare_search(tr, err) : status;
}

static rvm_status step_search(rvm_trainer *tr, rvm_error *err)
{
    if (tr->method == BY_STARTS)
        return rvm_starts_step(&tr->over, tr->starts, err);
    if (tr->method == BY_WORKING_SET)
        return rvm_working_set_step(&tr->over, tr->working_set, err);
    if (tr->method == BY_CLASSES)
        return rvm_multi_step(&tr->over, tr->multi, err);
    if (tr->method == BY_OUTPUTS)
        return rvm_outputs_step(&tr->over, tr->outputs, err);
    if (tr->method == BY_TEXTBOOK)
        return rvm_textbook_step(&tr->over, tr->textbook, err);
    tr->over = true;
    return RVM_OK;
}

/* Where there is nothing to find there is nothing to draw. */
static bool is_sample_wanted(const rvm_trainer *tr)
{
    return is_sampled(tr) && tr->method != NOTHING_TO_FIND;
}

static rvm_status begin_sample(rvm_trainer *tr, rvm_error *err)
{
    const rvm_status status =
        rvm_sampler_alloc(&tr->sampler, &tr->study, best_solution(tr)->latent, &tr->settings, err);
    return status == RVM_EINTERRUPT ? RVM_OK : status; /* the solution is there */
}

/* Whether the chains agree on what matters: the log likelihood and what they predict. Weights of
 * functions that are nearly alike may change places for ever. */
static rvm_status judge_chains(rvm_trainer *tr, rvm_error *err)
{
    const double agreed = 1.05;
    rvm_chains *c = NULL;
    rvm_chains_info info;
    rvm_status status = rvm_chains_alloc(&c, tr->sampler, tr->p, err);
    if (status == RVM_OK)
        status = rvm_chains_describe(&info, c, err);
    if (status == RVM_OK)
        tr->mixed = info.log_likelihood_rhat <= agreed && info.prediction_rhat <= agreed;
    rvm_chains_free(c);
    return status;
}

static rvm_status step_sample(rvm_trainer *tr, rvm_error *err)
{
    if (tr->sampler == NULL)
        return RVM_OK;
    const rvm_status status = rvm_sampler_step(&tr->over, tr->sampler, err);
    return status == RVM_OK && tr->over ? judge_chains(tr, err) : status;
}

static void report_sample(rvm_report *r, const rvm_trainer *tr)
{
    report_search(r, tr);
    if (tr->sampler != NULL)
        rvm_sampler_report(r, tr->sampler);
    r->converged = tr->done && tr->mixed;
}

typedef struct {
    bool (*wanted)(const rvm_trainer *tr);
    rvm_status (*begin)(rvm_trainer *tr, rvm_error *err);
    rvm_status (*step)(rvm_trainer *tr, rvm_error *err);
    void (*report)(rvm_report *r, const rvm_trainer *tr);
    double work; /* a guess, against a search */
} stage;

enum { STAGES = 4 };

static const stage stages[STAGES] = {
    [RVM_TUNE] = { is_open, begin_tune, step_tune, report_tune, 9 },
    [RVM_WIDTHS] = { is_relevance_wanted, begin_widths, step_widths, report_widths, 1 },
    [RVM_SEARCH] = { is_search_wanted, begin_search, step_search, report_search, 1 },
    [RVM_SAMPLE] = { is_sample_wanted, begin_sample, step_sample, report_sample, 19 },
};

/* The work of the stages behind that one. */
static double work_behind(const rvm_trainer *tr, rvm_stage last)
{
    double work = 0;
    for (int k = (int)last + 1; k < STAGES; k++)
        work += stages[k].wanted(tr) ? stages[k].work : 0;
    return work;
}

/* Begins the first stage from this one on that is wanted. */
static rvm_status begin_stage(rvm_trainer *tr, int first, rvm_error *err)
{
    while (!stages[first].wanted(tr))
        first++;
    tr->stage = (rvm_stage)first;
    tr->over = false;
    tr->round = 0;
    return stages[first].begin(tr, err);
}

/* The kernel as far as it is known. */
static rvm_kernel kernel_so_far(const rvm_trainer *tr)
{
    rvm_kernel kernel =
        tr->stage == RVM_TUNE ? rvm_tuner_best(tr->tuner).kernel : tr->settings.kernel;
    if (tr->stage == RVM_WIDTHS && tr->widths != NULL) {
        kernel.gamma = 1;
        kernel.inputs = rvm_widths_best(tr->widths);
    }
    return kernel;
}

/* Settings of a search for the kernel so far. */
static void close_kernel(rvm_settings *s, const rvm_trainer *tr)
{
    s->kernel = kernel_so_far(tr);
    s->tune = (rvm_tuning){ .gamma = false };
}

static rvm_status next_stage(rvm_trainer *tr, rvm_error *err)
{
    tr->past += stages[tr->stage].work;
    close_kernel(&tr->settings, tr);
    return begin_stage(tr, (int)tr->stage + 1, err);
}

rvm_report rvm_trainer_report(const rvm_trainer *tr)
{
    const stage *now = &stages[tr->stage];
    rvm_report r = { .stage = tr->stage, .stage_over = tr->over, .done = tr->done };
    r.start = r.starts = 1;
    r.round = tr->round;
    now->report(&r, tr);
    r.progress = tr->done ? 1
                          : (tr->past + now->work * r.progress) /
                                (tr->past + now->work + work_behind(tr, tr->stage));
    return r;
}

rvm_status rvm_trainer_step(rvm_report *out, rvm_trainer *tr, rvm_error *err)
{
    rvm_status status = RVM_OK;
    if (tr->over && !tr->done && !is_interrupted(tr))
        status = next_stage(tr, err);
    if (status == RVM_OK && !tr->over && (tr->round == 0 || !is_interrupted(tr)))
        status = stages[tr->stage].step(tr, err);
    tr->over = tr->over && (tr->done || !is_interrupted(tr)); /* cut short looks like an end */
    tr->done = tr->over && work_behind(tr, tr->stage) == 0;
    tr->round++;
    if (status == RVM_OK)
        *out = rvm_trainer_report(tr);
    return status;
}

/* ---- Life of a trainer ----------------------------------------------------------------------- */

static rvm_status begin(rvm_trainer *tr, rvm_error *err)
{
    rvm_settings *s = &tr->settings;
    rvm_status status = rvm_settings_check(s, tr->p, err);
    if (status == RVM_OK)
        status = rvm_blas_prepare(rvm_threads(s->threads), err);
    if (status == RVM_OK && s->task == RVM_CLASSIFICATION)
        status = rvm_labels_find(&tr->labels, tr->p, err);
    if (status != RVM_OK)
        return status;
    if (is_sampled(tr) && has_many_classes(tr))
        return rvm_fail(err, RVM_ESETTING, "--method gibbs knows two classes; there are %zu",
                        tr->labels.count);
    s->tolerance = fmax(s->tolerance, s->prune_margin); /* not worth keeping: not worth adding */
    return begin_stage(tr, RVM_TUNE, err);
}

rvm_status rvm_trainer_alloc(rvm_trainer **out, const rvm_problem *p, const rvm_settings *s,
                             rvm_error *err)
{
    rvm_trainer *tr = rvm_array(1, sizeof *tr);
    if (tr == NULL)
        return rvm_fail_memory(err, "the trainer");
    tr->settings = *s;
    tr->p = p;
    const rvm_status status = begin(tr, err);
    if (status != RVM_OK) {
        rvm_trainer_free(tr);
        return status;
    }
    *out = tr;
    return RVM_OK;
}

void rvm_trainer_free(rvm_trainer *tr)
{
    if (tr == NULL)
        return;
    rvm_tuner_free(tr->tuner);
    rvm_widths_free(tr->widths);
    rvm_starts_free(tr->starts);
    rvm_working_set_free(tr->working_set);
    rvm_multi_free(tr->multi);
    rvm_outputs_free(tr->outputs);
    rvm_textbook_free(tr->textbook);
    rvm_sampler_free(tr->sampler);
    free(tr->class_of_row);
    free(tr->place);
    rvm_columns_free(&tr->fixed);
    rvm_solution_free(&tr->constant);
    rvm_labels_free(&tr->labels);
    rvm_study_free(&tr->study);
    free(tr);
}

const rvm_tuner *rvm_trainer_tuner(const rvm_trainer *tr)
{
    return tr->tuner;
}

/* ---- Models --------------------------------------------------------------------------------- */

static rvm_status copy_labels(rvm_model *m, const rvm_labels *labels, rvm_error *err)
{
    m->class_count = labels->count;
    if (labels->count == 0)
        return RVM_OK;
    m->label = rvm_array(labels->count, sizeof *m->label);
    if (m->label == NULL)
        return rvm_fail_memory(err, "the model");
    memcpy(m->label, labels->label, labels->count * sizeof *m->label);
    return RVM_OK;
}

/* Noise of the output that the study observes, in the units of its targets. */
static rvm_status finish_noise(rvm_latent *f, const rvm_trainer *tr, double ln_beta, rvm_error *err)
{
    if (tr->study.observed.noise_fixed)
        f->noise_variance = tr->settings.noise_variance; /* to the last digit */
    else
        f->noise_variance = gsl_pow_2(tr->study.t_scale) * exp(-ln_beta);
    if (f->noise_variance > 0 && isfinite(f->noise_variance))
        return RVM_OK;
    return rvm_fail(err, RVM_ENUMERIC, "the noise variance is out of range: scale the targets");
}

/* After an interrupt; what has come to its end in spite of one is as it ever is. */
static bool is_hasty(const rvm_trainer *tr)
{
    return !tr->done && is_interrupted(tr);
}

static rvm_status finish_one(rvm_model *m, const rvm_trainer *tr, rvm_error *err)
{
    rvm_finished numbers = { .hasty = is_hasty(tr) };
    if (!rvm_model_alloc_latents(m, 1))
        return rvm_fail_memory(err, "the model");
    const rvm_solution *best = best_solution(tr);
    const rvm_columns c = columns(tr);
    rvm_status status = rvm_finish_latent(m->latent, &numbers, best->latent, &tr->study, &c, err);
    m->log_evidence = numbers.log_likelihood - numbers.penalty;
    m->log_prior = numbers.log_prior;
    if (tr->labels.count == 1)
        m->log_evidence = 0; /* the only class there is has probability 1 */
    m->converged = tr->done && best->converged;
    m->noise_fixed = tr->study.observed.noise_fixed;
    if (status == RVM_OK && m->task == RVM_REGRESSION)
        status = finish_noise(m->latent, tr, best->latent->ln_beta, err);
    return status;
}

/* So many have been recorded that something can be said of them; an interrupt may come before. */
static bool has_draws(const rvm_trainer *tr)
{
    return tr->sampler != NULL && rvm_sampler_kept(tr->sampler) >= RVM_LEAST_DRAWS;
}

static rvm_status finish_draws(rvm_model *m, const rvm_trainer *tr, rvm_error *err)
{
    if (!rvm_model_alloc_latents(m, 1))
        return rvm_fail_memory(err, "the model");
    m->log_evidence = rvm_sampler_mean_log_likelihood(tr->sampler);
    m->converged = tr->done && tr->mixed;
    m->noise_fixed = tr->study.observed.noise_fixed;
    return rvm_chains_latent(m->latent, tr->sampler, (size_t)tr->settings.sampling.keep, err);
}

rvm_status rvm_trainer_chains(rvm_chains **out, const rvm_trainer *tr, rvm_error *err)
{
    *out = NULL;
    return has_draws(tr) ? rvm_chains_alloc(out, tr->sampler, tr->p, err) : RVM_OK;
}

static rvm_status finish_outputs(rvm_model *m, const rvm_trainer *tr, rvm_error *err)
{
    const size_t outputs = tr->study.p->outputs;
    const rvm_columns c = columns(tr);
    rvm_status status = RVM_OK;
    if (!rvm_model_alloc_latents(m, outputs))
        return rvm_fail_memory(err, "the model");
    for (size_t k = 0; k < outputs && status == RVM_OK; k++) {
        const rvm_solved *solved = rvm_outputs_select(tr->outputs, k);
        rvm_finished numbers = { .hasty = is_hasty(tr) };
        status = rvm_finish_latent(&m->latent[k], &numbers, solved, &tr->study, &c, err);
        m->log_evidence += numbers.log_likelihood - numbers.penalty;
        if (status == RVM_OK)
            status = finish_noise(&m->latent[k], tr, solved->ln_beta, err);
    }
    m->log_prior = rvm_outputs_log_prior(tr->outputs);
    m->noise_fixed = tr->study.observed.noise_fixed;
    m->converged = tr->done && rvm_outputs_converged(tr->outputs);
    return status;
}

static rvm_status finish_classes(rvm_model *m, const rvm_trainer *tr, rvm_error *err)
{
    if (!rvm_model_alloc_latents(m, tr->labels.count))
        return rvm_fail_memory(err, "the model");
    rvm_status status = rvm_multi_settle(tr->multi, err);
    rvm_columns c;
    double penalties = 0;
    for (size_t k = 0; k < tr->labels.count && status == RVM_OK; k++) {
        const rvm_solved *solved = rvm_multi_select(&c, tr->multi, k);
        rvm_finished numbers = { .activation = rvm_multi_activation(tr->multi, k),
                                 .hasty = is_hasty(tr) };
        status = rvm_finish_latent(&m->latent[tr->place[k]], &numbers, solved, &tr->study, &c, err);
        rvm_multi_shift_back(tr->multi, k);
        penalties += numbers.penalty;
        m->log_prior += numbers.log_prior;
    }
    m->log_evidence = rvm_multi_log_likelihood(tr->multi) - penalties;
    m->converged = tr->done && rvm_multi_converged(tr->multi);
    return status;
}

/* A model of each class against the rest, which know nothing of each other. */
static rvm_status finish_one_vs_rest(rvm_model *m, const rvm_trainer *tr, rvm_error *err)
{
    const rvm_columns c = columns(tr);
    rvm_status status = RVM_OK;
    if (!rvm_model_alloc_latents(m, tr->labels.count))
        return rvm_fail_memory(err, "the model");
    for (size_t k = 0; k < tr->labels.count && status == RVM_OK; k++) {
        const rvm_solved *solved = rvm_textbook_select(tr->textbook, k);
        rvm_finished numbers = { .hasty = is_hasty(tr) };
        status = rvm_finish_latent(&m->latent[tr->place[k]], &numbers, solved, &tr->study, &c, err);
        m->log_evidence += numbers.log_likelihood - numbers.penalty;
        m->log_prior += numbers.log_prior;
    }
    m->converged = tr->done && best_solution(tr)->converged;
    return status;
}

/* More than two classes. */
static rvm_multiclass model_of_classes(const rvm_trainer *tr)
{
    if (!has_many_classes(tr))
        return RVM_SOFTMAX;
    return tr->method == BY_TEXTBOOK ? RVM_ONE_VS_REST : tr->settings.multiclass;
}

static rvm_status finish(rvm_model *m, const rvm_trainer *tr, rvm_error *err)
{
    if (has_draws(tr))
        return finish_draws(m, tr, err);
    if (tr->method == BY_CLASSES)
        return finish_classes(m, tr, err);
    if (tr->method == BY_OUTPUTS)
        return finish_outputs(m, tr, err);
    if (tr->method == BY_TEXTBOOK && has_many_classes(tr))
        return finish_one_vs_rest(m, tr, err);
    return finish_one(m, tr, err);
}

/* The kernel is still on its way: one step of a search with that of now. */
static rvm_status model_by_the_way(rvm_model **out, const rvm_trainer *tr, rvm_error *err)
{
    rvm_settings s = tr->settings;
    rvm_trainer *now = NULL;
    rvm_report r;
    close_kernel(&s, tr);
    s.ard = false;
    rvm_status status = rvm_trainer_alloc(&now, tr->p, &s, err);
    if (status == RVM_OK)
        status = rvm_trainer_step(&r, now, err);
    if (status == RVM_OK)
        status = rvm_trainer_model(out, now, err);
    if (status == RVM_OK)
        (*out)->converged = false;
    rvm_trainer_free(now);
    return status;
}

rvm_status rvm_trainer_model(rvm_model **out, const rvm_trainer *tr, rvm_error *err)
{
    if (tr->stage < RVM_SEARCH)
        return model_by_the_way(out, tr, err);
    rvm_model *m = rvm_model_alloc();
    if (m == NULL)
        return rvm_fail_memory(err, "the model");
    m->task = tr->settings.task;
    m->kernel = tr->settings.kernel;
    if (m->kernel.inputs != NULL && !rvm_model_weigh_inputs(m, m->kernel.inputs)) {
        rvm_model_free(m);
        return rvm_fail_memory(err, "the model");
    }
    m->multiclass = model_of_classes(tr);
    m->examples = tr->study.observed.N;
    if (!is_sampled(tr)) {
        m->weight_prior = tr->settings.weight_prior;
        m->noise_prior = tr->settings.noise_prior;
    }
    m->probability = tr->settings.probability && m->task == RVM_CLASSIFICATION;
    rvm_status status = copy_labels(m, &tr->labels, err);
    if (status == RVM_OK)
        status = finish(m, tr, err);
    if (status == RVM_OK)
        status = rvm_finish_vectors(m, &tr->study, tr->p, err);
    if (status != RVM_OK) {
        rvm_model_free(m);
        return status;
    }
    *out = m;
    return RVM_OK;
}

/* ---- Whole runs ------------------------------------------------------------------------------ */

static rvm_status run(rvm_trainer **tr, rvm_report *r, const rvm_problem *p, const rvm_settings *s,
                      rvm_error *err)
{
    rvm_status status = rvm_trainer_alloc(tr, p, s, err);
    do {
        if (status == RVM_OK)
            status = rvm_trainer_step(r, *tr, err);
    } while (status == RVM_OK && !r->done && !rvm_interrupted(s->interrupted));
    return status;
}

rvm_status rvm_train(rvm_model **out, const rvm_problem *p, const rvm_settings *s, rvm_error *err)
{
    rvm_trainer *tr = NULL;
    rvm_report r = { .done = false };
    rvm_status status = run(&tr, &r, p, s, err);
    if (status == RVM_OK)
        status = rvm_trainer_model(out, tr, err);
    rvm_trainer_free(tr);
    return status;
}

/* *out stays NULL when interrupted. */
static rvm_status train_fold(rvm_model **out, const rvm_problem *p, const rvm_settings *s,
                             rvm_error *err)
{
    rvm_trainer *tr = NULL;
    rvm_report r = { .done = false };
    rvm_status status = run(&tr, &r, p, s, err);
    if (status == RVM_OK && r.done)
        status = rvm_trainer_model(out, tr, err);
    rvm_trainer_free(tr);
    return status == RVM_EINTERRUPT ? RVM_OK : status;
}

rvm_status rvm_cross_validate(rvm_prediction *out, bool *finished, const rvm_problem *p,
                              const rvm_settings *s, size_t folds, rvm_error *err)
{
    return rvm_crossval_predict(out, finished, p, s, folds, train_fold, err);
}
