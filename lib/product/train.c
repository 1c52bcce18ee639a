/* Training: one pipeline of stages, each of which begins where the one before it has ended.
 *
 *     tune     what is open of the kernel, by cross-validation
 *     widths   ARD length-scales, by the evidence of a Gaussian process
 *     search   the precisions, by the log evidence
 *     points   further points and their process, from the solution of the search
 *     sample   draws from the posterior, from the solution of the search
 *     calibrate  how far its predictions can be trusted, by those of rows left out
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
#include "data/shard.h"
#include "product/checkpoint.h"
#include "product/crossval.h"
#include "product/model.h"
#include "product/settings.h"
#include "product/stages.h"

static bool is_wanted(const rvm_trainer *tr, int number)
{
    return rvm_stages[number].wanted == NULL || rvm_stages[number].wanted(tr);
}

static double work_of(const rvm_trainer *tr, int number)
{
    const rvm_stage_type *stage = &rvm_stages[number];
    return stage->work * (stage->share == NULL ? 1 : stage->share(tr));
}

/* The work of the stages to come. */
static double work_left(const rvm_trainer *tr)
{
    double work = 0;
    for (int k = (int)tr->stage + 1; k < RVM_STAGES; k++)
        work += is_wanted(tr, k) ? work_of(tr, k) : 0;
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
    return rvm_stages[first].begin(tr, err);
}

/* The same, and goes on where a checkpoint has it. */
static rvm_status enter_stage(rvm_trainer *tr, int first, rvm_error *err)
{
    rvm_error fault = { .line = 0 };
    rvm_status status = begin_stage(tr, first, err);
    if (status != RVM_OK)
        return status;
    status = rvm_checkpoint_enter(tr, &fault);
    if (status == RVM_EMODEL)
        return rvm_fail(err, status, "the checkpoint, line %zu: %s", fault.line, fault.message);
    if (status != RVM_OK && err != NULL)
        *err = fault;
    return status;
}

/* s: the settings of tr, for a search with the kernel as far as it is known. */
static void close_kernel(rvm_settings *s, const rvm_trainer *tr)
{
    if (tr->stage == RVM_TUNE && tr->race != NULL)
        rvm_race_apply(s, tr->race);
    else if (tr->stage == RVM_TUNE)
        s->kernel = rvm_tuner_best(tr->tuner).kernel;
    s->tune = (rvm_tuning){ .gamma = false };
    if (tr->stage == RVM_WIDTHS && tr->widths != NULL) {
        s->kernel.gamma = 1;
        s->kernel.inputs = rvm_widths_best(tr->widths);
    }
}

/* A race would find out that features of one size are better, but in sparse rows, as those of
 * texts: these have one unit as a rule, and the standard deviation of a rare word is small. So it
 * need not, and all its folds are of the same rows as the model. Splines want numbers of 0 and
 * more, and precomputed rows have no features. */
static bool close_standardize(rvm_trainer *tr)
{
    rvm_tuning *tune = &tr->settings.tune;
    const rvm_kernel_type alone = tr->settings.kernel.type;
    bool may = tune->race && tune->standardize;
    for (size_t k = 0; k < tune->type_count; k++)
        may = may && tune->type[k] != RVM_SPLINE;
    if (tune->type_count == 0)
        may = may && alone != RVM_SPLINE && alone != RVM_PRECOMPUTED;
    tune->standardize = false;
    return may;
}

/* From here on all is of standardised rows, those of folds of this training among them. */
static rvm_status standardize(rvm_trainer *tr, rvm_error *err)
{
    const bool dense_only = close_standardize(tr) && !tr->settings.standardize;
    if (!dense_only && !tr->settings.standardize)
        return RVM_OK;
    rvm_status status = rvm_standard_learn(&tr->standard, tr->file, err);
    if (status == RVM_OK && dense_only && !tr->standard.centred) {
        rvm_standard_free(&tr->standard);
        return RVM_OK;
    }
    tr->own = status == RVM_OK ? rvm_problem_alloc() : NULL;
    if (status == RVM_OK && tr->own == NULL)
        status = rvm_fail_memory(err, "the standardised rows");
    if (status == RVM_OK)
        status = rvm_standard_apply(tr->own, &tr->standard, tr->file, err);
    if (status == RVM_OK && tr->file->team != NULL) /* rounding may have made rows equal */
        status = rvm_shard_sort(&tr->own, tr->file->team, err);
    tr->p = tr->own;
    tr->settings.standardize = false;
    return status;
}

static rvm_status next_stage(rvm_trainer *tr, rvm_error *err)
{
    tr->past += work_of(tr, (int)tr->stage);
    close_kernel(&tr->settings, tr);
    if (tr->stage == RVM_TUNE)
        tr->of_fold = tr->settings;
    return enter_stage(tr, (int)tr->stage + 1, err);
}

rvm_report rvm_trainer_report(const rvm_trainer *tr)
{
    const rvm_stage_type *now = &rvm_stages[tr->stage];
    const double work = work_of(tr, (int)tr->stage);
    rvm_report r = { .stage = tr->stage, .stage_over = tr->over, .done = tr->done };
    r.start = r.starts = 1;
    r.round = tr->round;
    now->report(&r, tr);
    r.progress = tr->done ? 1 : (tr->past + work * r.progress) / (tr->past + work + work_left(tr));
    return r;
}

rvm_status rvm_trainer_step(rvm_report *out, rvm_trainer *tr, rvm_error *err)
{
    rvm_status status = RVM_OK;
    if (tr->over && !tr->done && !rvm_trainer_is_interrupted(tr))
        status = next_stage(tr, err);
    if (status == RVM_OK && !tr->over && (tr->round == 0 || !rvm_trainer_is_interrupted(tr)))
        status = rvm_stages[tr->stage].step(tr, err);
    if (status == RVM_OK) /* what has failed here alone ends this process, and that the others */
        status = rvm_team_agree(tr->file->team, status, err);
    tr->over =
        tr->over && (tr->done || !rvm_trainer_is_interrupted(tr)); /* cut short looks like an end */
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
        status = standardize(tr, err);
    if (status == RVM_OK)
        status = rvm_blas_prepare(rvm_threads(s->threads), err);
    if (status == RVM_OK && s->task == RVM_CLASSIFICATION)
        status = rvm_labels_find(&tr->labels, tr->p, err);
    if (status != RVM_OK)
        return status;
    if (rvm_trainer_is_sampled(tr) && rvm_trainer_has_many_classes(tr))
        return rvm_fail(err, RVM_ESETTING, "--method gibbs knows two classes; there are %zu",
                        tr->labels.count);
    tr->place = rvm_array(tr->labels.count, sizeof *tr->place);
    if (tr->place == NULL)
        return rvm_fail_memory(err, "the classes");
    s->tolerance = fmax(s->tolerance, s->prune_margin); /* what is not kept is not added */
    if (s->resumable) {
        status = rvm_checkpoint_prepare(tr, err);
        if (status != RVM_OK)
            return status;
    }
    tr->of_fold = *s;
    return begin_stage(tr, RVM_TUNE, err);
}

static rvm_status train_fold(rvm_model **out, rvm_report *last, const rvm_problem *p,
                             const rvm_settings *s, rvm_error *err);

rvm_status rvm_trainer_alloc(rvm_trainer **out, const rvm_problem *p, const rvm_settings *s,
                             rvm_error *err)
{
    rvm_trainer *tr = rvm_array(1, sizeof *tr);
    if (tr == NULL)
        return rvm_fail_memory(err, "the trainer");
    tr->settings = tr->asked = *s;
    tr->settings.journal = NULL;
    tr->file = tr->p = p;
    tr->train = train_fold;
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
    rvm_checkpoint_free(tr->read);
    rvm_tuner_free(tr->tuner);
    rvm_race_free(tr->race);
    rvm_widths_free(tr->widths);
    rvm_inducing_free(tr->inducing);
    rvm_sampler_free(tr->sampler);
    rvm_crossval_free(tr->crossval);
    rvm_problem_free(tr->sorted);
    rvm_calibration_free(&tr->calibration);
    rvm_search_free(tr->type, tr->search);
    free(tr->place);
    rvm_labels_free(&tr->labels);
    rvm_study_free(&tr->study);
    rvm_standard_free(&tr->standard);
    rvm_problem_free(tr->own);
    rvm_journal_free(tr->journal);
    free(tr);
}

const rvm_tuner *rvm_trainer_tuner(const rvm_trainer *tr)
{
    return tr->tuner;
}

const rvm_race *rvm_trainer_race(const rvm_trainer *tr)
{
    return tr->race;
}

/* ---- Checkpoints ---------------------------------------------------------------------------- */

bool rvm_trainer_rests(const rvm_trainer *tr)
{
    return rvm_checkpoint_rests(tr);
}

rvm_status rvm_trainer_write(const rvm_trainer *tr, FILE *out, rvm_error *err)
{
    return rvm_checkpoint_write(tr, out, err);
}

rvm_status rvm_trainer_read(rvm_trainer *tr, FILE *in, rvm_error *err)
{
    if (tr->journal == NULL || tr->round > 0)
        return rvm_fail(err, RVM_ESETTING, "this training cannot be gone on with");
    const rvm_status status = rvm_checkpoint_read(tr, in, err);
    tr->done = tr->over && work_left(tr) == 0;
    return status;
}

/* ---- Models --------------------------------------------------------------------------------- */

/* The kernel is still on its way: one step of a search with that of now. */
static rvm_status model_by_the_way(rvm_model **out, const rvm_trainer *tr, rvm_error *err)
{
    rvm_settings s = tr->settings;
    rvm_trainer *now = NULL;
    rvm_report r;
    close_kernel(&s, tr);
    s.probability = s.resumable = false;
    s.standardize = s.standardize || tr->standard.used;
    s.ard = s.ard && tr->stage == RVM_TUNE; /* then the model is by the way of the next stage */
    rvm_status status = rvm_trainer_alloc(&now, tr->file, &s, err);
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

/* To the end; or to an interrupt, where so_far says that what there is then is wanted. *last: filled,
 * what has been reported then. */
static rvm_status train(rvm_model **out, rvm_report *last, const rvm_problem *p,
                        const rvm_settings *s, bool so_far, rvm_error *err)
{
    rvm_trainer *tr = NULL;
    *last = (rvm_report){ .done = false };
    rvm_status status = rvm_trainer_alloc(&tr, p, s, err);
    do {
        if (status == RVM_OK)
            status = rvm_trainer_step(last, tr, err);
    } while (status == RVM_OK && !last->done && !rvm_trainer_is_interrupted(tr));
    if (status == RVM_OK && (last->done || so_far))
        status = rvm_trainer_model(out, tr, err);
    rvm_trainer_free(tr);
    return status;
}

rvm_status rvm_train(rvm_model **out, const rvm_problem *p, const rvm_settings *s, rvm_error *err)
{
    rvm_report last;
    return train(out, &last, p, s, true, err);
}

static rvm_status train_fold(rvm_model **out, rvm_report *last, const rvm_problem *p,
                             const rvm_settings *s, rvm_error *err)
{
    rvm_settings own = *s;
    own.resumable = false;
    const rvm_status status = train(out, last, p, &own, false, err);
    return status == RVM_EINTERRUPT ? RVM_OK : status;
}

rvm_status rvm_cross_validate(rvm_prediction *out, bool *finished, const rvm_problem *p,
                              const rvm_settings *s, size_t folds, rvm_error *err)
{
    return rvm_crossval_predict(out, finished, p, s, folds, train_fold, false, err);
}
