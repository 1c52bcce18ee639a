/* Level 5: the model as an object: made, described, freed. */
#include "model.h"

#include <stdint.h>
#include <stdlib.h>

#include "problem.h"

rvm_model *rvm_model_alloc(void)
{
    return calloc(1, sizeof(rvm_model));
}

void rvm_model_free(rvm_model *m)
{
    if (m == NULL)
        return;
    free(m->label);
    free(m->weight);
    free(m->alpha);
    free(m->factor);
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

rvm_model_info rvm_model_describe(const rvm_model *m)
{
    return (rvm_model_info){
        .task = m->task,
        .kernel = m->kernel,
        .examples = m->examples,
        .vectors = m->vectors->rows,
        .has_bias = m->bias,
        .classes = m->class_count,
        .labels = m->label,
        .log_evidence = m->log_evidence,
        .noise_variance = m->noise_variance,
        .noise_fixed = m->noise_fixed,
        .probability = m->probability,
        .converged = m->converged,
    };
}
