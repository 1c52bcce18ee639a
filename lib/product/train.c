/* Training; chooses the parts, steps, reports. */
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
#include "product/finish.h"
#include "product/sampler.h"
#include "product/settings.h"
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
    rvm_settings settings;
    rvm_kernel kernel;
    rvm_labels labels; /* classification */
    rvm_study study;
    method method;
    rvm_starts *starts;
    rvm_working_set *working_set;
    rvm_multi *multi;
    rvm_outputs *outputs;
    rvm_textbook *textbook;
    bool searched;         /* RVM_METHOD_GIBBS: the solution is found from which the chains begin */
    rvm_sampler *sampler;  /* NULL until then */
    bool mixed;            /* the chains agree */
    size_t *class_of_row;  /* owned, more than two classes: as class_order.h has it; and */
    size_t *place;         /* owned, position in labels of each class */
    rvm_design fixed;      /* NOTHING_TO_FIND: the bias alone */
    rvm_solution constant; /* NOTHING_TO_FIND */
    int round;
    bool done;
    /* With ard: all of the above is unused but for kernel and study until the widths are found, and
     * a trainer with these then takes over. */
    const rvm_problem *p; /* borrowed */
    rvm_widths *widths;
    bool widths_done;
    rvm_trainer *weighted;
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

/* ---- Life of a trainer ---------------------------------------------------------------------- */

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

static rvm_status prepare_classes(rvm_trainer *tr, rvm_error *err)
{
    const rvm_problem *p = tr->study.p;
    tr->class_of_row = rvm_array(p->rows, sizeof *tr->class_of_row);
    tr->place = rvm_array(tr->labels.count, sizeof *tr->place);
    if (tr->class_of_row == NULL || tr->place == NULL)
        return rvm_fail_memory(err, "the classes");
    return rvm_class_order(tr->class_of_row, tr->place, &tr->study, &tr->labels, err);
}

static rvm_status prepare_search(rvm_trainer *tr, rvm_error *err)
{
    const size_t classes = tr->labels.count;
    if (tr->settings.ard && tr->method != NOTHING_TO_FIND)
        return rvm_widths_alloc(&tr->widths, &tr->study, tr->class_of_row, classes, &tr->settings,
                                err);
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

/* The solution from which chains begin knows nothing of their priors, which need not have one. */
static rvm_settings settings_of_search(const rvm_trainer *tr)
{
    rvm_settings s = tr->settings;
    if (is_sampled(tr))
        s.weight_prior = s.noise_prior = (rvm_gamma_prior){ 0, 0 };
    return s;
}

static rvm_status prepare(rvm_trainer *tr, const rvm_problem *p, rvm_error *err)
{
    rvm_status status = rvm_settings_check(&tr->settings, p, err);
    if (status != RVM_OK)
        return status;
    if (rvm_tuning_is_open(&tr->settings.tune))
        return rvm_fail(err, RVM_ESETTING, "the kernel is still to be chosen");
    status = rvm_blas_prepare(rvm_threads(tr->settings.threads), err);
    if (status != RVM_OK)
        return status;
    /* What is not worth keeping is not worth adding. */
    tr->settings.tolerance = fmax(tr->settings.tolerance, tr->settings.prune_margin);
    tr->kernel = rvm_settings_kernel(&tr->settings, p);
    if (tr->settings.task == RVM_CLASSIFICATION)
        status = rvm_labels_find(&tr->labels, p, err);
    if (status == RVM_OK && is_sampled(tr) && has_many_classes(tr))
        status = rvm_fail(err, RVM_ESETTING, "--method gibbs knows two classes; there are %zu",
                          tr->labels.count);
    const rvm_settings search = settings_of_search(tr);
    if (status == RVM_OK)
        status = rvm_study_init(&tr->study, p, &search, &tr->kernel,
                                tr->labels.count > 0 ? tr->labels.label[0] : 0, err);
    if (status != RVM_OK)
        return status;
    tr->method = choose_method(tr);
    if (has_many_classes(tr))
        status = prepare_classes(tr, err);
    return status == RVM_OK ? prepare_search(tr, err) : status;
}

rvm_status rvm_trainer_alloc(rvm_trainer **out, const rvm_problem *p, const rvm_settings *s,
                             rvm_error *err)
{
    rvm_trainer *tr = rvm_array(1, sizeof *tr);
    if (tr == NULL)
        return rvm_fail_memory(err, "the trainer");
    tr->settings = *s;
    tr->p = p;
    const rvm_status status = prepare(tr, p, err);
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
    rvm_trainer_free(tr->weighted);
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

/* The search that comes before the draws is little of the work. */
static void report_draws(rvm_report *r, const rvm_trainer *tr)
{
    const double share = 0.05;
    r->converged = tr->done && (tr->sampler == NULL || tr->mixed);
    r->progress *= share;
    if (tr->sampler == NULL)
        return;
    rvm_sampler_progress(&r->draw, &r->draws, tr->sampler);
    r->progress = share + (1 - share) * (double)r->draw / (double)r->draws;
    r->functions = tr->sampler->model.M;
    r->log_evidence = rvm_sampler_log_likelihood(tr->sampler);
    r->noise_at_bound = false;
    if (r->noise_sd > 0)
        r->noise_sd = tr->study.t_scale / sqrt(tr->sampler->chain[0].beta);
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

static rvm_report report(const rvm_trainer *tr)
{
    rvm_report r = { .start = 1, .starts = 1, .round = tr->round, .done = tr->done };
    r.rows = tr->study.observed.N;
    if (tr->method == BY_STARTS) {
        rvm_starts_progress(&r.start, &r.starts, tr->starts);
        r.progress = (double)r.start / r.starts;
    }
    if (tr->method == BY_WORKING_SET) {
        r.rows = rvm_working_set_rows(tr->working_set);
        r.progress = rvm_working_set_progress(tr->working_set);
        rvm_working_set_starts(&r.start, &r.starts, tr->working_set);
    }
    if (tr->method == BY_CLASSES) {
        rvm_multi_progress(&r.start, &r.starts, tr->multi);
        r.progress = (double)(r.start - 1) / r.starts;
        r.functions = rvm_multi_functions(tr->multi);
        r.log_evidence = rvm_multi_log_evidence(tr->multi);
        r.converged = tr->done && rvm_multi_converged(tr->multi);
    } else if (tr->method == BY_OUTPUTS) {
        report_outputs(&r, tr);
    } else if (tr->method == BY_TEXTBOOK && has_many_classes(tr)) {
        report_one_vs_rest(&r, tr);
    } else {
        report_point(&r, tr);
    }
    r.credit = credit(tr, r.starts);
    if (is_sampled(tr))
        report_draws(&r, tr);
    if (tr->done)
        r.progress = 1;
    return r;
}

/* ---- Widths first ---------------------------------------------------------------------------- */

/* A trainer with the widths so far. */
static rvm_status begin_weighted(rvm_trainer **out, const rvm_trainer *tr, rvm_error *err)
{
    rvm_settings s = tr->settings;
    s.ard = false;
    s.kernel = tr->kernel;
    s.kernel.gamma = 1;
    s.kernel.inputs = rvm_widths_best(tr->widths);
    return rvm_trainer_alloc(out, tr->p, &s, err);
}

/* The widths have been half of the work. */
static rvm_status step_weighted(rvm_report *out, rvm_trainer *tr, rvm_error *err)
{
    const rvm_status status = rvm_trainer_step(out, tr->weighted, err);
    if (status == RVM_OK)
        out->progress = 0.5 + 0.5 * out->progress;
    return status;
}

static rvm_status step_widths(rvm_report *out, rvm_trainer *tr, rvm_error *err)
{
    rvm_status status = RVM_OK;
    if (tr->widths_done)
        status = begin_weighted(&tr->weighted, tr, err);
    else
        status = rvm_widths_step(&tr->widths_done, tr->widths, err);
    tr->round++;
    if (status == RVM_OK && tr->weighted != NULL)
        return step_weighted(out, tr, err);
    *out = (rvm_report){ .start = 1,
                         .starts = 1,
                         .round = tr->round,
                         .widths = true,
                         .rows = rvm_widths_rows(tr->widths),
                         .progress = rvm_widths_progress(tr->widths),
                         .log_evidence = rvm_widths_log_evidence(tr->widths) };
    return status;
}

/* The widths are still on their way: one step with those of now. */
static rvm_status model_by_the_way(rvm_model **out, const rvm_trainer *tr, rvm_error *err)
{
    rvm_trainer *weighted = NULL;
    rvm_report r;
    rvm_status status = begin_weighted(&weighted, tr, err);
    if (status == RVM_OK)
        status = rvm_trainer_step(&r, weighted, err);
    if (status == RVM_OK)
        status = rvm_trainer_model(out, weighted, err);
    if (status == RVM_OK)
        (*out)->converged = false;
    rvm_trainer_free(weighted);
    return status;
}

static rvm_status step_search(bool *done, rvm_trainer *tr, rvm_error *err)
{
    if (tr->method == BY_STARTS)
        return rvm_starts_step(done, tr->starts, err);
    if (tr->method == BY_WORKING_SET)
        return rvm_working_set_step(done, tr->working_set, err);
    if (tr->method == BY_CLASSES)
        return rvm_multi_step(done, tr->multi, err);
    if (tr->method == BY_OUTPUTS)
        return rvm_outputs_step(done, tr->outputs, err);
    if (tr->method == BY_TEXTBOOK)
        return rvm_textbook_step(done, tr->textbook, err);
    *done = true;
    return RVM_OK;
}

/* ---- Draws after the search ------------------------------------------------------------------ */

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

static rvm_status step_sampler(bool *done, rvm_trainer *tr, rvm_error *err)
{
    rvm_status status = RVM_OK;
    if (tr->sampler == NULL) {
        status = rvm_sampler_alloc(&tr->sampler, &tr->study, best_solution(tr)->latent,
                                   &tr->settings, err);
    }
    if (status == RVM_EINTERRUPT) /* the solution is there */
        return RVM_OK;
    if (status == RVM_OK)
        status = rvm_sampler_step(done, tr->sampler, err);
    return status == RVM_OK && *done ? judge_chains(tr, err) : status;
}

/* Where there is nothing to find there is nothing to draw. */
static rvm_status step_sampled(bool *done, rvm_trainer *tr, rvm_error *err)
{
    if (tr->searched)
        return step_sampler(done, tr, err);
    const rvm_status status = step_search(&tr->searched, tr, err);
    *done = tr->method == NOTHING_TO_FIND;
    return status;
}

rvm_status rvm_trainer_step(rvm_report *out, rvm_trainer *tr, rvm_error *err)
{
    if (tr->weighted != NULL)
        return step_weighted(out, tr, err);
    if (tr->widths != NULL)
        return step_widths(out, tr, err);
    rvm_status status = RVM_OK;
    if (!tr->done && (tr->round == 0 || !is_interrupted(tr)))
        status =
            is_sampled(tr) ? step_sampled(&tr->done, tr, err) : step_search(&tr->done, tr, err);
    tr->done = tr->done && !is_interrupted(tr); /* what was cut short looks like an end */
    tr->round++;
    if (status == RVM_OK)
        *out = report(tr);
    return status;
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
    if (tr->weighted != NULL)
        return rvm_trainer_chains(out, tr->weighted, err);
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

rvm_status rvm_trainer_model(rvm_model **out, const rvm_trainer *tr, rvm_error *err)
{
    if (tr->weighted != NULL)
        return rvm_trainer_model(out, tr->weighted, err);
    if (tr->widths != NULL)
        return model_by_the_way(out, tr, err);
    rvm_model *m = rvm_model_alloc();
    if (m == NULL)
        return rvm_fail_memory(err, "the model");
    m->task = tr->settings.task;
    m->kernel = tr->kernel;
    if (tr->kernel.inputs != NULL && !rvm_model_weigh_inputs(m, tr->kernel.inputs)) {
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
