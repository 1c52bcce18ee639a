/* Level 5: the model as an object: made, described, freed. */
#include "model.h"

#include <stdint.h>
#include <stdlib.h>

#include "alloc.h"
#include "problem.h"

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

bool rvm_latent_alloc(rvm_latent *f, size_t count)
{
    size_t triangle = 0;
    if (!rvm_triangle_size(&triangle, count))
        return false;

    f->count = count;
    f->vector = rvm_array(count, sizeof *f->vector);
    f->weight = rvm_array(count, sizeof *f->weight);
    f->alpha = rvm_array(count, sizeof *f->alpha);
    f->factor = rvm_array(triangle, sizeof *f->factor);
    return f->vector != NULL && f->weight != NULL && f->alpha != NULL && f->factor != NULL;
}

void rvm_model_free(rvm_model *m)
{
    if (m == NULL)
        return;
    free(m->label);
    free(m->input_index);
    free(m->input_weight);
    for (size_t k = 0; k < m->latent_count; k++) {
        free(m->latent[k].vector);
        free(m->latent[k].weight);
        free(m->latent[k].alpha);
        free(m->latent[k].factor);
    }
    free(m->latent);
    rvm_problem_free(m->vectors);
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

static bool has_bias(const rvm_model *m)
{
    for (size_t k = 0; k < m->latent_count; k++)
        if (m->latent[k].bias)
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
        .has_bias = has_bias(m),
        .classes = m->class_count,
        .labels = m->label,
        .outputs = m->task == RVM_REGRESSION ? m->latent_count : 0,
        .multiclass = m->multiclass,
        .log_evidence = m->log_evidence,
        .noise_variance = m->latent->noise_variance,
        .noise_fixed = m->noise_fixed,
        .probability = m->probability,
        .converged = m->converged,
    };
}

double rvm_model_noise_variance(const rvm_model *m, size_t output)
{
    return m->latent[output].noise_variance;
}
