/* Training: one pipeline of stages, each of which begins where the one before it has ended.
 *
 *     tune     what is open of the kernel, by cross-validation
 *     widths   ARD length-scales, by the evidence of a Gaussian process
 *     search   the precisions, by the log evidence
 *     points   further points and their process, from the solution of the search
 *     sample   draws from the posterior, from the solution of the search
 *
 * A stage leaves its result in the settings (the kernel) or in an object of the trainer; what is
 * there so far becomes a model at any time. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "data/labels.h"
#include "data/problem.h"
#include "product/chains.h"
#include "product/crossval.h"
#include "product/settings.h"
#include "product/trainer.h"
#include "product/tune.h"
#include "product/widths.h"
#include "search/baselines.h"
#include "search/class_order.h"
#include "search/constant.h"
#include "search/multi.h"
#include "search/starts.h"
#include "search/working_set.h"

/* Ways of searching: the first one that fits is taken. */
static const rvm_search_type *const searches[] = {
    &rvm_constant, &rvm_baselines, &rvm_class_search, &rvm_many_starts, &rvm_working_sets,
};
enum { SEARCHES = sizeof searches / sizeof searches[0] };

static const rvm_search_type *choose_search(const rvm_study *y, const rvm_settings *s)
{
    size_t k = 0;
    while (k + 1 < SEARCHES && !searches[k]->fits(y, s))
        k++;
    return searches[k];
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
    rvm_status status =
        rvm_study_init(&tr->study, tr->p, &s, &tr->settings.kernel, first_label, err);
    tr->study.classes = tr->labels.count;
    if (status == RVM_OK && has_many_classes(tr))
        status = rvm_class_order(tr->place, &tr->study, &tr->labels, err);
    if (status != RVM_OK)
        return status;
    tr->type = choose_search(&tr->study, &tr->settings);
    return RVM_OK;
}

static void report_search(rvm_report *r, const rvm_trainer *tr)
{
    r->rows = tr->study.observed.N;
    tr->type->report(r, tr->search);
    r->converged = tr->done && r->converged;
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
    if (status != RVM_OK)
        return status;
    tr->over = tr->type->trivial;
    return tr->over ? RVM_OK
                    : rvm_widths_alloc(&tr->widths, &tr->study, tr->study.class_of_row,
                                       tr->labels.count, &tr->settings, err);
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

static rvm_status begin_search(rvm_trainer *tr, rvm_error *err)
{
    const rvm_status status = observe_problem(tr, err);
    return status == RVM_OK
               ? rvm_search_alloc(&tr->search, tr->type, &tr->study, &tr->settings, err)
               : status;
}

static size_t latents_of(const rvm_trainer *tr)
{
    return has_many_classes(tr) ? tr->labels.count : tr->study.outputs;
}

static void free_search(rvm_trainer *tr)
{
    if (tr->narrowed == NULL)
        rvm_search_free(tr->type, tr->search);
    rvm_narrow_free(tr->narrowed);
    tr->narrowed = NULL;
    tr->search = NULL;
}

/* A search that has ended with more vectors than are wanted goes on with the best of them. */
static rvm_status bound_vectors(rvm_trainer *tr, rvm_error *err)
{
    const rvm_narrow_from from = { &tr->study, tr->type, tr->search, latents_of(tr) };
    const size_t most = (size_t)tr->settings.vectors;
    size_t vectors = 0;
    if (most == 0 || tr->type->trivial)
        return RVM_OK;
    rvm_status status = rvm_narrow_count(&vectors, &from, err);
    if (status != RVM_OK || vectors <= most)
        return status;
    tr->over = false;
    status = rvm_narrow_alloc(&tr->narrower, &from, &tr->settings, most, choose_search, err);
    return status == RVM_EINTERRUPT ? RVM_OK : status; /* the solution is there */
}

/* Before it is at its end there is the solution so far. */
static rvm_status step_narrower(rvm_trainer *tr, rvm_error *err)
{
    rvm_narrow *n = tr->narrower;
    bool done = false;
    const rvm_status status = n->type->step(&done, n->search, err);
    if (status != RVM_OK || !done || is_interrupted(tr))
        return status == RVM_EINTERRUPT ? RVM_OK : status;
    free_search(tr);
    tr->narrowed = n;
    tr->narrower = NULL;
    tr->type = n->type;
    tr->search = n->search;
    rvm_narrow_apply(&tr->study, n);
    tr->over = true;
    return RVM_OK;
}

static rvm_status step_search(rvm_trainer *tr, rvm_error *err)
{
    const rvm_status status =
        tr->narrower != NULL ? step_narrower(tr, err) : tr->type->step(&tr->over, tr->search, err);
    if (status != RVM_OK || !tr->over || is_interrupted(tr))
        return status;
    return bound_vectors(tr, err);
}

/* Where there is nothing to find there is no process. */
static bool is_process_wanted(const rvm_trainer *tr)
{
    return tr->settings.kernel_prior && (tr->type == NULL || !tr->type->trivial);
}

static rvm_status begin_points(rvm_trainer *tr, rvm_error *err)
{
    const rvm_status status = rvm_inducing_alloc(&tr->inducing, &tr->study, tr->type, tr->search,
                                                 latents_of(tr), &tr->settings, err);
    return status == RVM_EINTERRUPT ? RVM_OK : status; /* the solution is there */
}

static rvm_status step_points(rvm_trainer *tr, rvm_error *err)
{
    if (tr->inducing == NULL)
        return RVM_OK;
    const rvm_status status = rvm_inducing_step(&tr->over, tr->inducing, err);
    return status == RVM_EINTERRUPT ? RVM_OK : status;
}

static void report_points(rvm_report *r, const rvm_trainer *tr)
{
    if (tr->inducing == NULL) {
        report_search(r, tr);
        return;
    }
    rvm_inducing_report(r, tr->inducing);
    r->converged = tr->done && r->converged;
}

/* Where there is nothing to find there is nothing to draw. */
static bool is_sample_wanted(const rvm_trainer *tr)
{
    return is_sampled(tr) && (tr->type == NULL || !tr->type->trivial);
}

static rvm_status begin_sample(rvm_trainer *tr, rvm_error *err)
{
    const rvm_found found = tr->type->solution(tr->search, 0);
    const rvm_status status =
        rvm_sampler_alloc(&tr->sampler, &tr->study, found.solved, &tr->settings, err);
    return status == RVM_EINTERRUPT ? RVM_OK : status; /* the solution is there */
}

static rvm_status step_sample(rvm_trainer *tr, rvm_error *err)
{
    if (tr->sampler == NULL)
        return RVM_OK;
    const rvm_status status = rvm_sampler_step(&tr->over, tr->sampler, err);
    if (status != RVM_OK || !tr->over)
        return status;
    return rvm_chains_agree(&tr->mixed, tr->sampler, tr->p, err);
}

static void report_sample(rvm_report *r, const rvm_trainer *tr)
{
    report_search(r, tr);
    if (tr->sampler != NULL)
        rvm_sampler_report(r, tr->sampler);
    r->converged = tr->done && tr->mixed;
}

typedef struct {
    bool (*wanted)(const rvm_trainer *tr); /* NULL: always */
    rvm_status (*begin)(rvm_trainer *tr, rvm_error *err);
    rvm_status (*step)(rvm_trainer *tr, rvm_error *err);
    void (*report)(rvm_report *r, const rvm_trainer *tr);
    double work; /* a guess, against a search */
} stage;

enum { STAGES = 5 };

static const stage stages[STAGES] = {
    [RVM_TUNE] = { is_open, begin_tune, step_tune, report_tune, 9 },
    [RVM_WIDTHS] = { is_relevance_wanted, begin_widths, step_widths, report_widths, 1 },
    [RVM_SEARCH] = { NULL, begin_search, step_search, report_search, 1 },
    [RVM_POINTS] = { is_process_wanted, begin_points, step_points, report_points, 1 },
    [RVM_SAMPLE] = { is_sample_wanted, begin_sample, step_sample, report_sample, 19 },
};

static bool is_wanted(const rvm_trainer *tr, int number)
{
    return stages[number].wanted == NULL || stages[number].wanted(tr);
}

/* The work of the stages to come. */
static double work_left(const rvm_trainer *tr)
{
    double work = 0;
    for (int k = (int)tr->stage + 1; k < STAGES; k++)
        work += is_wanted(tr, k) ? stages[k].work : 0;
    return work;
}

/* Begins the first stage from this one on that is wanted. */
static rvm_status begin_stage(rvm_trainer *tr, int first, rvm_error *err)
{
    while (!is_wanted(tr, first))
        first++;
    tr->stage = (rvm_stage)first;
    tr->over = false;
    tr->round = 0;
    return stages[first].begin(tr, err);
}

/* s: the settings of tr, for a search with the kernel as far as it is known. */
static void close_kernel(rvm_settings *s, const rvm_trainer *tr)
{
    if (tr->stage == RVM_TUNE)
        s->kernel = rvm_tuner_best(tr->tuner).kernel;
    s->tune = (rvm_tuning){ .gamma = false };
    if (tr->stage == RVM_WIDTHS && tr->widths != NULL) {
        s->kernel.gamma = 1;
        s->kernel.inputs = rvm_widths_best(tr->widths);
    }
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
    r.progress =
        tr->done ? 1 : (tr->past + now->work * r.progress) / (tr->past + now->work + work_left(tr));
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
    tr->done = tr->over && work_left(tr) == 0;
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
    tr->place = rvm_array(tr->labels.count, sizeof *tr->place);
    if (tr->place == NULL)
        return rvm_fail_memory(err, "the classes");
    s->tolerance = fmax(s->tolerance, s->prune_margin); /* what is not kept is not added */
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
    rvm_inducing_free(tr->inducing);
    rvm_sampler_free(tr->sampler);
    rvm_narrow_free(tr->narrower);
    free_search(tr);
    free(tr->place);
    rvm_labels_free(&tr->labels);
    rvm_study_free(&tr->study);
    free(tr);
}

const rvm_tuner *rvm_trainer_tuner(const rvm_trainer *tr)
{
    return tr->tuner;
}

/* ---- Models --------------------------------------------------------------------------------- */

/* The kernel is still on its way: one step of a search with that of now. */
static rvm_status model_by_the_way(rvm_model **out, const rvm_trainer *tr, rvm_error *err)
{
    rvm_settings s = tr->settings;
    rvm_trainer *now = NULL;
    rvm_report r;
    close_kernel(&s, tr);
    s.ard = s.ard && tr->stage == RVM_TUNE; /* then the model is by the way of the next stage */
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
    return rvm_trainer_finish(out, tr, rvm_trainer_report(tr).converged, err);
}

/* ---- Whole runs ------------------------------------------------------------------------------ */

/* To the end; or to an interrupt, where so_far says that what there is then is wanted. */
static rvm_status train(rvm_model **out, const rvm_problem *p, const rvm_settings *s, bool so_far,
                        rvm_error *err)
{
    rvm_trainer *tr = NULL;
    rvm_report r = { .done = false };
    rvm_status status = rvm_trainer_alloc(&tr, p, s, err);
    do {
        if (status == RVM_OK)
            status = rvm_trainer_step(&r, tr, err);
    } while (status == RVM_OK && !r.done && !is_interrupted(tr));
    if (status == RVM_OK && (r.done || so_far))
        status = rvm_trainer_model(out, tr, err);
    rvm_trainer_free(tr);
    return status;
}

rvm_status rvm_train(rvm_model **out, const rvm_problem *p, const rvm_settings *s, rvm_error *err)
{
    return train(out, p, s, true, err);
}

static rvm_status train_fold(rvm_model **out, const rvm_problem *p, const rvm_settings *s,
                             rvm_error *err)
{
    const rvm_status status = train(out, p, s, false, err);
    return status == RVM_EINTERRUPT ? RVM_OK : status;
}

rvm_status rvm_cross_validate(rvm_prediction *out, bool *finished, const rvm_problem *p,
                              const rvm_settings *s, size_t folds, rvm_error *err)
{
    return rvm_crossval_predict(out, finished, p, s, folds, train_fold, err);
}
