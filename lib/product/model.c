/* The model as an object: made, described, freed. */
#include "product/model.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "basis/kernel.h"
#include "data/problem.h"

rvm_model *rvm_model_alloc(void)
{
    return calloc(1, sizeof(rvm_model));
}

size_t rvm_latents_for(size_t class_count)
{
    return class_count > 2 ? class_count : 1;
}

bool rvm_model_alloc_latents(rvm_model *m, size_t count)
{
    m->latent = rvm_array(count, sizeof *m->latent);
    m->latent_count = m->latent == NULL ? 0 : count;
    return m->latent != NULL;
}

bool rvm_model_weigh_inputs(rvm_model *m, const rvm_input_weights *inputs)
{
    const size_t count = inputs->count;
    free(m->input_index);
    free(m->input_weight);
    m->input_index = rvm_array(count, sizeof *m->input_index);
    m->input_weight = rvm_array(count, sizeof *m->input_weight);
    if (m->input_index == NULL || m->input_weight == NULL)
        return false;
    for (size_t j = 0; j < count; j++) {
        m->input_index[j] = inputs->index[j];
        m->input_weight[j] = inputs->weight[j];
    }
    m->inputs = (rvm_input_weights){ count, m->input_index, m->input_weight };
    m->kernel.inputs = &m->inputs;
    return true;
}

bool rvm_latent_alloc(rvm_latent *f, const rvm_basis *b, const size_t *id, const size_t *which,
                      size_t count, size_t draws)
{
    size_t terms = 0;
    while (terms < count && rvm_basis_is_term(b, id[which[terms]]))
        terms++;
    if (count > 0 && draws > SIZE_MAX / count)
        return false;
    f->count = count;
    f->terms = terms;
    f->draws = draws;
    f->term = rvm_array(terms, sizeof *f->term);
    f->vector = rvm_array(count - terms, sizeof *f->vector);
    f->weight = rvm_array(count, sizeof *f->weight);
    if (f->term == NULL || f->vector == NULL || f->weight == NULL)
        return false;
    for (size_t i = 0; i < terms; i++)
        f->term[i] = rvm_basis_term(b, id[which[i]]);
    for (size_t i = terms; i < count; i++)
        f->vector[i - terms] = rvm_basis_row(b, id[which[i]]);
    if (draws > 0) {
        f->draw = rvm_array(count * draws, sizeof *f->draw);
        f->noise_sd = rvm_array(draws, sizeof *f->noise_sd);
        return f->draw != NULL && f->noise_sd != NULL;
    }
    f->alpha = rvm_array(count, sizeof *f->alpha);
    return f->alpha != NULL;
}

bool rvm_latent_alloc_factor(rvm_latent *f)
{
    size_t triangle = 0;
    if (rvm_triangle_size(&triangle, f->count))
        f->factor = rvm_array(triangle, sizeof *f->factor);
    return f->factor != NULL;
}

void rvm_latent_free(rvm_latent *f)
{
    free(f->term);
    free(f->vector);
    free(f->weight);
    free(f->alpha);
    free(f->factor);
    free(f->draw);
    free(f->noise_sd);
    memset(f, 0, sizeof *f);
}

bool rvm_model_is_process(const rvm_model *m)
{
    return m->latent_count > 0 && m->latent->process_variance > 0;
}

bool rvm_model_has_covariance(const rvm_model *m)
{
    return m->latent->draws == 0 && !(rvm_model_is_process(m) && m->task == RVM_CLASSIFICATION);
}

rvm_spread rvm_model_spread(const rvm_model *m, size_t output)
{
    if (m->calibration.info.rows > 0 && m->task == RVM_REGRESSION)
        return m->calibration.spread[output];
    return (rvm_spread){ .factor = 1 };
}

bool rvm_model_has_residual(const rvm_model *m)
{
    return m->kernel.type != RVM_PRECOMPUTED && m->kernel.type != RVM_NO_KERNEL &&
           rvm_kernel_is_covariance(&m->kernel);
}

void rvm_model_free(rvm_model *m)
{
    if (m == NULL)
        return;
    for (size_t k = 0; k < m->latent_count; k++)
        rvm_latent_free(&m->latent[k]);
    rvm_standard_free(&m->standard);
    free(m->label);
    free(m->class_rows);
    free(m->class_weight);
    free(m->input_index);
    free(m->input_weight);
    free(m->latent);
    rvm_calibration_free(&m->calibration);
    free(m->point_factor);
    rvm_problem_free(m->vectors);
    free(m->row);
    free(m);
}

bool rvm_triangle_size(size_t *out, size_t K)
{
    /* One of K and K + 1 is even: halved first, so that the product alone can overflow. */
    const size_t a = K % 2 == 0 ? K / 2 : K;
    const size_t b = K % 2 == 0 ? K + 1 : K / 2 + 1;

    if (b != 0 && a > SIZE_MAX / b)
        return false;
    *out = a * b;
    return true;
}

bool rvm_model_has_prior(const rvm_model *m)
{
    return m->weight_prior.shape > 0 || m->weight_prior.rate > 0 || m->noise_prior.shape > 0 ||
           m->noise_prior.rate > 0;
}

bool rvm_latent_has_bias(const rvm_latent *f)
{
    return f->terms > 0 && f->term[0].degree == 0;
}

bool rvm_latent_has_terms(const rvm_latent *f)
{
    return f->terms > (rvm_latent_has_bias(f) ? 1 : 0);
}

static bool has(const rvm_model *m, bool (*property)(const rvm_latent *f))
{
    for (size_t k = 0; k < m->latent_count; k++)
        if (property(&m->latent[k]))
            return true;
    return false;
}

rvm_model_info rvm_model_describe(const rvm_model *m)
{
    return (rvm_model_info){
        .task = m->task,
        .kernel = m->kernel,
        .examples = m->examples,
        .vectors = m->vectors->rows,
        .has_terms = has(m, rvm_latent_has_terms),
        .has_bias = has(m, rvm_latent_has_bias),
        .classes = m->class_count,
        .labels = m->label,
        .class_rows = m->class_rows,
        .class_weights = m->class_weight,
        .outputs = m->task == RVM_REGRESSION ? m->latent_count : 0,
        .functions = m->latent_count,
        .multiclass = m->multiclass,
        .draws = m->latent->draws,
        .log_evidence = m->log_evidence,
        .kernel_prior = rvm_model_is_process(m),
        .has_prior = rvm_model_has_prior(m),
        .log_prior = m->log_prior,
        .noise_variance = m->latent->noise_variance,
        .noise_fixed = m->noise_fixed,
        .probability = m->probability,
        .converged = m->converged,
        .standardized = m->standard.used,
        .centred = m->standard.centred,
        .varied = m->standard.count,
    };
}

rvm_calibration_info rvm_model_calibration(const rvm_model *m)
{
    return m->calibration.info;
}

double rvm_model_noise_variance(const rvm_model *m, size_t output)
{
    return m->latent[output].noise_variance;
}

double rvm_model_process_variance(const rvm_model *m, size_t function)
{
    return m->latent[function].process_variance;
}

/* ---- Terms ---------------------------------------------------------------------------------- */

static int compare_terms(const void *a, const void *b)
{
    return rvm_term_compare(a, b);
}

rvm_status rvm_model_terms(char **names, const rvm_model *m, rvm_error *err)
{
    size_t all = 0, to = 0;
    for (size_t k = 0; k < m->latent_count; k++)
        all += m->latent[k].terms;
    rvm_term *term = rvm_array(all, sizeof *term);
    char *text = rvm_array(all + 1, RVM_TERM_NAME_SIZE), *end = text;
    if (term == NULL || text == NULL) {
        free(term);
        free(text);
        return rvm_fail_memory(err, "the names of the basis functions");
    }
    for (size_t k = 0; k < m->latent_count; k++)
        for (size_t i = 0; i < m->latent[k].terms; i++)
            term[to++] = m->latent[k].term[i];
    qsort(term, all, sizeof *term, compare_terms);
    for (size_t i = 0; i < all; i++) {
        if (i > 0 && rvm_term_compare(&term[i], &term[i - 1]) == 0)
            continue; /* of another latent function, too */
        if (i > 0)
            *end++ = ' ';
        end += strlen(rvm_term_name(end, &term[i]));
    }
    free(term);
    *names = text;
    return RVM_OK;
}
