/* No search: a single class, or targets that are all equal. */
#include "search/constant.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/problem.h"

typedef struct {
    const rvm_study *y; /* borrowed */
    rvm_columns design; /* the bias alone, or nothing */
    rvm_solution solution;
} constant;

static bool fits(const rvm_study *y, const rvm_settings *s)
{
    if (s->task == RVM_CLASSIFICATION)
        return y->classes < 2;
    return y->p->outputs == 1 && y->constant_target;
}

static rvm_status settle(constant *c, rvm_error *err)
{
    const rvm_observed *o = &c->y->observed;
    const bool regression = o->likelihood->has_noise;
    const size_t bias = 0, count = regression && c->y->basis.bias ? 1 : 0;
    rvm_fit fit;
    rvm_status status = rvm_columns_init(&c->design, &c->y->basis, 1, INFINITY, 1, err);
    if (status == RVM_OK)
        status = rvm_columns_append(&c->design, &bias, count, err);
    if (status == RVM_OK)
        status = rvm_fit_init(&fit, 1, 0, err);
    if (status != RVM_OK)
        return status;
    if (count == 1)
        rvm_fit_add(&fit, 0, o->bias_ln_alpha_max);
    fit.ln_beta = rvm_study_constant_ln_beta(c->y);
    status = rvm_solution_init(&c->solution, 1, false, err);
    if (status == RVM_OK)
        status = rvm_solution_save(&c->solution, 0, &fit, c->design.id, c->design.norm, err);
    c->solution.converged = true;
    rvm_fit_free(&fit);
    return status;
}

static void constant_free(void *search)
{
    constant *c = search;
    if (c == NULL)
        return;
    rvm_columns_free(&c->design);
    rvm_solution_free(&c->solution);
    free(c);
}

static rvm_status constant_alloc(void **out, rvm_study *y, const rvm_settings *s, rvm_error *err)
{
    (void)s;
    constant *c = rvm_array(1, sizeof *c);
    if (c == NULL)
        return rvm_fail_memory(err, "the search");
    c->y = y;
    const rvm_status status = settle(c, err);
    if (status != RVM_OK) {
        constant_free(c);
        return status;
    }
    *out = c;
    return RVM_OK;
}

static rvm_status constant_step(bool *done, void *search, rvm_error *err)
{
    (void)search;
    (void)err;
    *done = true;
    return RVM_OK;
}

static void constant_report(rvm_report *r, const void *search)
{
    const constant *c = search;
    rvm_search_report_solution(r, &c->solution, c->y);
    r->noise_at_bound = false;
}

static rvm_found constant_solution(void *search, size_t k)
{
    (void)k;
    const constant *c = search;
    return rvm_search_found(c->solution.latent, c->design, &c->y->observed);
}

const rvm_search_type rvm_constant = { .name = "constant",
                                       .trivial = true,
                                       .fits = fits,
                                       .alloc = constant_alloc,
                                       .step = constant_step,
                                       .report = constant_report,
                                       .solution = constant_solution,
                                       .free = constant_free };
