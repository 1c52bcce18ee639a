/* What each stage of training does with the trainer. */
#include "product/stages.h"

#include <gsl/gsl_math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "data/labels.h"
#include "data/problem.h"
#include "data/shard.h"
#include "product/calibration_fit.h"
#include "product/chains.h"
#include "product/settings.h"
#include "search/bounded.h"
#include "search/class_order.h"

/* ---- What is looked at ----------------------------------------------------------------------- */

/* The solution from which chains begin knows nothing of their priors, which need not have one. That
 * from which the process of classes has its points need not be a good one: it has some 200 of them
 * in any case, and its loss is the same from a rough one. */
static rvm_settings settings_of_search(const rvm_trainer *tr)
{
    rvm_settings s = tr->settings;
    if (s.kernel_prior && s.task == RVM_CLASSIFICATION && s.restarts == 0)
        rvm_settings_make_rough(&s);
    if (rvm_trainer_is_sampled(tr))
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
    if (status == RVM_OK && rvm_trainer_has_many_classes(tr))
        status = rvm_class_order(tr->place, &tr->study, &tr->labels, err);
    if (status != RVM_OK)
        return status;
    tr->type = rvm_bounded_choose(&tr->study, &tr->settings);
    return RVM_OK;
}

static void report_search(rvm_report *r, const rvm_trainer *tr)
{
    r->rows = tr->study.observed.spans.N;
    tr->type->report(r, tr->search);
    r->converged = tr->done && r->converged;
}

/* ---- Stages ---------------------------------------------------------------------------------- */

static bool is_open(const rvm_trainer *tr)
{
    const rvm_tuning *tune = &tr->settings.tune;
    if (!rvm_tuning_is_open(tune))
        return false;
    return !tune->race || !rvm_shard_equal_targets(tr->p); /* then any candidate is a constant */
}

static rvm_status begin_tune(rvm_trainer *tr, rvm_error *err)
{
    return tr->settings.tune.race
               ? rvm_race_alloc(&tr->race, tr->p, &tr->settings, tr->train, err)
               : rvm_tuner_alloc(&tr->tuner, tr->p, &tr->settings, tr->train, err);
}

static rvm_status step_tune(rvm_trainer *tr, rvm_error *err)
{
    return tr->race != NULL ? rvm_race_step(&tr->over, tr->race, err)
                            : rvm_tuner_step(&tr->over, tr->tuner, err);
}

static void report_tune(rvm_report *r, const rvm_trainer *tr)
{
    if (tr->race != NULL)
        rvm_race_report(r, tr->race);
    else
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
    tr->of_search = settings_of_search(tr);
    return status == RVM_OK
               ? rvm_search_alloc(&tr->search, tr->type, &tr->study, &tr->of_search, err)
               : status;
}

static rvm_status step_search(rvm_trainer *tr, rvm_error *err)
{
    return tr->type->step(&tr->over, tr->search, err);
}

/* Where there is nothing to find there is no process. */
static bool is_process_wanted(const rvm_trainer *tr)
{
    return tr->settings.kernel_prior && (tr->type == NULL || !tr->type->trivial);
}

static rvm_status begin_points(rvm_trainer *tr, rvm_error *err)
{
    const rvm_status status = rvm_inducing_alloc(&tr->inducing, &tr->study, tr->type, tr->search,
                                                 rvm_trainer_latents(tr), &tr->settings, err);
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
    return rvm_trainer_is_sampled(tr) && (tr->type == NULL || !tr->type->trivial);
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

/* ---- Calibration ---------------------------------------------------------------------------- */

/* Below, folds say nothing; and folds where time is short. */
enum { LEAST_ROWS = 10, LEAST_FOLDS = 2 };

static bool is_calibration_wanted(const rvm_trainer *tr)
{
    return tr->settings.probability && rvm_problem_all(tr->p) >= LEAST_ROWS &&
           (tr->type == NULL || !tr->type->trivial);
}

/* The finished folds of v say which rows are predicted; NULL: all are. */
static rvm_status calibrate(rvm_trainer *tr, const rvm_problem *p, const rvm_prediction *prediction,
                            const rvm_crossval *v, rvm_error *err)
{
    size_t *row = rvm_array(p->rows, sizeof *row), count = 0;
    rvm_status status = row == NULL ? rvm_fail_memory(err, "the calibration") : RVM_OK;
    status = rvm_team_agree(p->team, status, err);
    if (status != RVM_OK)
        return status;
    for (size_t n = 0; n < p->rows; n++)
        if (v == NULL || rvm_crossval_fold_of(v, n) < rvm_crossval_finished(v))
            row[count++] = n;
    status = rvm_calibration_fit(&tr->calibration, p, prediction, row, count, &tr->settings, err);
    free(row);
    return status;
}

static size_t folds_wanted(const rvm_trainer *tr)
{
    const rvm_labels *classes = &tr->labels;
    size_t commonest = 0;
    for (size_t c = 0; c < classes->count; c++)
        commonest = GSL_MAX(commonest, classes->rows[c]);
    return rvm_calibration_folds(rvm_problem_all(tr->p), rvm_problem_all(tr->p) - commonest);
}

static double share_of_calibration(const rvm_trainer *tr)
{
    return (double)folds_wanted(tr) / RVM_CALIBRATION_FOLDS;
}

/* Classes are numbered as the rows have them, and few rows dealt to folds: the order of the file
 * must not change what is found. */
static rvm_status begin_folds(rvm_trainer *tr, const rvm_settings *s, rvm_error *err)
{
    const size_t may = tr->race == NULL ? SIZE_MAX : rvm_race_affordable_folds(tr->race);
    rvm_status status = rvm_shard_canonical(&tr->sorted, tr->p, err);
    if (status == RVM_OK)
        status = rvm_crossval_alloc(&tr->crossval, tr->sorted, s, RVM_CALIBRATION_FOLDS, tr->train,
                                    true, err);
    if (status == RVM_OK)
        rvm_crossval_limit(tr->crossval, GSL_MIN(folds_wanted(tr), GSL_MAX(may, LEAST_FOLDS)));
    return status;
}

/* Where folds of one start say the same, five of them cost no more than a training. */
static bool is_as_good_rough(const rvm_settings *s)
{
    return s->restarts == 0 && s->kernel_prior;
}

/* The folds of the kernel that was chosen are there, where those that training needs are like them:
 * of all rows, and with nothing else to be found in each. */
static rvm_status begin_calibration(rvm_trainer *tr, rvm_error *err)
{
    const rvm_prediction *rows = NULL;
    const rvm_problem *of_race = NULL;
    const rvm_crossval *folds = NULL;
    rvm_settings s = tr->of_fold;
    s.probability = false;
    if (is_as_good_rough(&s)) {
        rvm_settings_make_rough(&s);
        if (tr->race != NULL && !rvm_trainer_is_sampled(tr))
            folds = rvm_race_folds(&of_race, tr->race);
    }
    if (folds != NULL) {
        tr->over = true;
        return calibrate(tr, of_race, rvm_crossval_prediction(folds), folds, err);
    }
    if (tr->tuner != NULL && !s.ard && !rvm_trainer_is_sampled(tr))
        rows = rvm_tuner_held_out(tr->tuner);
    if (rows == NULL)
        return begin_folds(tr, &s, err);
    tr->over = true;
    return calibrate(tr, rvm_tuner_sample(tr->tuner), rows, NULL, err);
}

static rvm_status step_calibration(rvm_trainer *tr, rvm_error *err)
{
    const rvm_status status = rvm_crossval_step(&tr->over, tr->crossval, err);
    if (status == RVM_ENUMERIC) { /* of a fold: the model is there, and goes without */
        tr->over = true;
        return RVM_OK;
    }
    if (status != RVM_OK || !tr->over)
        return status;
    return calibrate(tr, tr->sorted, rvm_crossval_prediction(tr->crossval), tr->crossval, err);
}

/* Of the model it is what the stage before has said. */
static void report_calibration(rvm_report *r, const rvm_trainer *tr)
{
    void (*of_model)(rvm_report *, const rvm_trainer *) = tr->sampler != NULL    ? report_sample
                                                          : tr->inducing != NULL ? report_points
                                                                                 : report_search;
    of_model(r, tr);
    if (tr->crossval == NULL)
        return;
    r->trials = (int)rvm_crossval_finished(tr->crossval);
    r->trials_expected = (int)rvm_crossval_folds(tr->crossval);
    r->progress = (double)r->trials / r->trials_expected;
}

/* ---- The table ------------------------------------------------------------------------------ */

const rvm_stage_type rvm_stages[RVM_STAGES] = {
    [RVM_TUNE] = { is_open, begin_tune, step_tune, report_tune, 9, NULL },
    [RVM_WIDTHS] = { is_relevance_wanted, begin_widths, step_widths, report_widths, 1, NULL },
    [RVM_SEARCH] = { NULL, begin_search, step_search, report_search, 1, NULL },
    [RVM_POINTS] = { is_process_wanted, begin_points, step_points, report_points, 1, NULL },
    [RVM_SAMPLE] = { is_sample_wanted, begin_sample, step_sample, report_sample, 19, NULL },
    [RVM_CALIBRATE] = { is_calibration_wanted, begin_calibration, step_calibration,
                        report_calibration, 4, share_of_calibration },
};
