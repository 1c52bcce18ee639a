/* No search: a single class, or targets that are all equal. */
#include "search/constant.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"

typedef struct {
    const rvm_study *y; /* borrowed */
    rvm_columns design; /* the bias alone, or nothing */
    rvm_solution solution;
} constant;

static bool fits(const rvm_study *y, const rvm_settings *s)
{
    if (s->task == RVM_CLASSIFICATION)
        return y->classes < 2;
    bool all = true;
    for (size_t k = 0; k < y->outputs; k++)
        all = all && y->target[k].is_constant;
    return all;
}

rvm_status rvm_constant_save(rvm_solution *to, size_t k, const rvm_study *y, const rvm_columns *c,
                             rvm_error *err)
{
    rvm_fit fit;
    rvm_status status = rvm_fit_init(&fit, 1, 0, err);
    if (status != RVM_OK)
        return status;
    if (y->observed.likelihood->has_noise && y->basis.bias)
        rvm_fit_add(&fit, 0, y->observed.bias_ln_alpha_max);
    fit.ln_beta = rvm_study_constant_ln_beta(y);
    status = rvm_solution_save(to, k, &fit, c->id, c->norm, err);
    rvm_fit_free(&fit);
    return status;
}

static rvm_status settle(constant *c, rvm_error *err)
{
    const size_t bias = 0, count = c->y->observed.likelihood->has_noise && c->y->basis.bias ? 1 : 0;
    rvm_status status = rvm_study_design(&c->design, c->y, &bias, count, 1, err);
    if (status == RVM_OK)
        status = rvm_solution_init(&c->solution, c->y->outputs, true, err);
    for (size_t k = 0; k < c->y->outputs && status == RVM_OK; k++) {
        const rvm_study view = rvm_study_output(c->y, k);
        status = rvm_constant_save(&c->solution, k, &view, &c->design, err);
    }
    c->solution.converged = true;
    return status;
}

static void constant_free(void *search)
{
    constant *c = search;
    rvm_columns_free(&c->design);
    rvm_solution_free(&c->solution);
}

static rvm_status constant_init(void *search, const rvm_study *y, const rvm_settings *s,
                                rvm_error *err)
{
    (void)s;
    constant *c = search;
    c->y = y;
    return settle(c, err);
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
}

static rvm_found constant_solution(const void *search, size_t k)
{
    const constant *c = search;
    if (c->y->outputs > 1) /* their precisions are nobody's: nothing was searched */
        return (rvm_found){ &c->solution.latent[k], c->design, 0 };
    return rvm_search_found(&c->solution.latent[k], c->design, &c->y->observed);
}

const rvm_search_type rvm_constant = { .name = "constant",
                                       .trivial = true,
                                       .fits = fits,
                                       .size = sizeof(constant),
                                       .init = constant_init,
                                       .step = constant_step,
                                       .report = constant_report,
                                       .solution = constant_solution,
                                       .free = constant_free };
