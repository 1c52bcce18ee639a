/* The model of what training has found. */
#include "product/trainer.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "data/problem.h"
#include "product/calibration_fit.h"
#include "product/chains.h"
#include "product/finish.h"
#include "product/joint_mode.h"
#include "product/process_finish.h"

/* Noise of an output in the units of its targets. */
static rvm_status finish_noise(rvm_latent *f, const rvm_trainer *tr, double t_scale, double ln_beta,
                               rvm_error *err)
{
    if (tr->study.observed.noise_fixed)
        f->noise_variance = tr->settings.noise_variance; /* to the last digit */
    else
        f->noise_variance = gsl_pow_2(t_scale) * exp(-ln_beta);
    if (f->noise_variance > 0 && isfinite(f->noise_variance))
        return RVM_OK;
    return rvm_fail(err, RVM_ENUMERIC, "the noise variance is out of range: scale the targets");
}

/* After an interrupt; what has come to its end in spite of one is as it ever is, but for a search
 * that is asked only because the process is not waited for. */
static bool is_hasty(const rvm_trainer *tr)
{
    return (!tr->done || tr->inducing != NULL) && rvm_interrupted(tr->settings.interrupted);
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
    m->noise_fixed = tr->study.observed.noise_fixed;
    return rvm_chains_latent(m->latent, tr->sampler, (size_t)tr->settings.sampling.keep, err);
}

/* The latent function of each output, or of two classes; a single class has none, and
 * probability 1. */
static rvm_status finish_outputs(rvm_model *m, const rvm_trainer *tr, rvm_error *err)
{
    const size_t outputs = tr->study.outputs;
    rvm_status status = RVM_OK;
    if (!rvm_model_alloc_latents(m, outputs))
        return rvm_fail_memory(err, "the model");
    for (size_t k = 0; k < outputs && status == RVM_OK; k++) {
        const rvm_study view = rvm_study_output(&tr->study, k);
        const rvm_found f = tr->type->solution(tr->search, k);
        rvm_finished numbers = { .hasty = is_hasty(tr) };
        status = rvm_finish_latent(&m->latent[k], &numbers, f.solved, &view, &f.columns, err);
        m->log_prior += f.log_prior;
        if (tr->labels.count != 1)
            m->log_evidence += numbers.log_likelihood - numbers.penalty;
        if (status == RVM_OK && m->task == RVM_REGRESSION)
            status = finish_noise(&m->latent[k], tr, view.t_scale, f.solved->ln_beta, err);
    }
    m->noise_fixed = tr->study.observed.noise_fixed;
    return status;
}

/* Of all rows in a second or so: an interrupt need not stop it. */
static bool is_quick(const rvm_trainer *tr, const rvm_induced *r)
{
    const double classes = (double)tr->labels.count, m = (double)r->count;
    const double steps = 100; /* to the mode */
    return (double)tr->study.observed.spans.N * m * (m + steps * classes) < 2e9;
}

static rvm_status finish_process(rvm_model *m, const rvm_trainer *tr, rvm_error *err)
{
    const rvm_induced r = rvm_inducing_result(tr->inducing);
    rvm_settings s = tr->settings;
    s.interrupted = is_quick(tr, &r) ? NULL : s.interrupted;
    if (rvm_interrupted(s.interrupted))
        return rvm_fail_interrupted(err);
    m->kernel = r.kernel;
    if (m->kernel.inputs != NULL && !rvm_model_weigh_inputs(m, m->kernel.inputs))
        return rvm_fail_memory(err, "the model");
    m->noise_fixed = tr->study.observed.noise_fixed;
    return rvm_process_finish(m, &tr->study, tr->place, &r, &s, err);
}

static rvm_status finish_search(rvm_model *m, const rvm_trainer *tr, rvm_error *err)
{
    if (has_draws(tr))
        return finish_draws(m, tr, err);
    if (tr->labels.count <= 2)
        return finish_outputs(m, tr, err);
    const rvm_search_stand stand = is_hasty(tr) ? RVM_CUT_SHORT
                                   : tr->done   ? RVM_AT_ITS_END
                                                : RVM_ON_ITS_WAY;
    m->multiclass = tr->type->one_vs_rest ? RVM_ONE_VS_REST : tr->settings.multiclass;
    return rvm_joint_mode_finish(m, &tr->study, tr->place, tr->type, tr->search, stand, err);
}

rvm_status rvm_trainer_chains(rvm_chains **out, const rvm_trainer *tr, rvm_error *err)
{
    *out = NULL;
    return has_draws(tr) ? rvm_chains_alloc(out, tr->sampler, tr->p, err) : RVM_OK;
}

/* finish: fills in the latent functions. */
static rvm_status make_model(rvm_model **out, const rvm_trainer *tr, bool converged,
                             rvm_status (*finish)(rvm_model *, const rvm_trainer *, rvm_error *),
                             rvm_error *err)
{
    rvm_model *m = rvm_model_alloc();
    if (m == NULL)
        return rvm_fail_memory(err, "the model");
    m->task = tr->settings.task;
    m->kernel = tr->settings.kernel;
    if (m->kernel.inputs != NULL && !rvm_model_weigh_inputs(m, m->kernel.inputs)) {
        rvm_model_free(m);
        return rvm_fail_memory(err, "the model");
    }
    if (!rvm_standard_copy(&m->standard, &tr->standard)) {
        rvm_model_free(m);
        return rvm_fail_memory(err, "the model");
    }
    m->examples = tr->study.observed.spans.N;
    m->converged = converged;
    if (tr->settings.method != RVM_METHOD_GIBBS) {
        m->weight_prior = tr->settings.weight_prior;
        m->noise_prior = tr->settings.noise_prior;
    }
    m->probability = tr->settings.probability && m->task == RVM_CLASSIFICATION;
    rvm_status status = rvm_finish_classes(m, &tr->labels, &tr->settings, err);
    if (status == RVM_OK)
        status = finish(m, tr, err);
    if (status == RVM_OK)
        status = rvm_finish_vectors(m, tr->p, tr->file, err);
    if (status != RVM_OK) {
        rvm_model_free(m);
        return status;
    }
    *out = m;
    return RVM_OK;
}

static rvm_status finish_calibration(rvm_model *m, const rvm_trainer *tr, rvm_error *err)
{
    bool reaches = false;
    if (!rvm_calibration_copy(&m->calibration, &tr->calibration))
        return rvm_fail_memory(err, "the model");
    for (size_t k = 0; k < m->calibration.outputs; k++) {
        /* No row is farther from no vectors than another one. */
        if (m->vectors->rows == 0)
            m->calibration.spread[k].beyond = 0;
        reaches = reaches || m->calibration.spread[k].beyond > 0;
    }
    if (!reaches)
        return RVM_OK;
    return rvm_calibration_fit_edge(m, tr->file, tr->settings.threads, err);
}

static rvm_status add_calibration(rvm_model **out, const rvm_trainer *tr, rvm_error *err)
{
    const rvm_status status = finish_calibration(*out, tr, err);
    if (status != RVM_OK) {
        rvm_model_free(*out);
        *out = NULL;
    }
    return status;
}

rvm_status rvm_trainer_finish(rvm_model **out, const rvm_trainer *tr, bool converged,
                              rvm_error *err)
{
    const bool process = tr->inducing != NULL && rvm_inducing_is_placed(tr->inducing);
    rvm_status status = RVM_EINTERRUPT;
    if (process)
        status = make_model(out, tr, converged, finish_process, err);
    const bool as_wanted = tr->done && (!process || status == RVM_OK);
    if (status == RVM_EINTERRUPT) /* what the search has found is there */
        status = make_model(out, tr, converged && !process, finish_search, err);
    return status == RVM_OK && as_wanted ? add_calibration(out, tr, err) : status;
}
