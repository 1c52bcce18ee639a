/* What searches have in common. */
#include "search/search.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"

rvm_status rvm_search_alloc(void **out, const rvm_search_type *type, const rvm_study *y,
                            const rvm_settings *s, rvm_error *err)
{
    void *search = rvm_array(1, type->size);
    const rvm_status status =
        search == NULL ? rvm_fail_memory(err, "the search") : type->init(search, y, s, err);
    if (status == RVM_OK)
        *out = search;
    else
        rvm_search_free(type, search);
    return status;
}

void rvm_search_free(const rvm_search_type *type, void *search)
{
    if (search != NULL)
        type->free(search);
    free(search);
}

void rvm_search_report_solution(rvm_report *r, const rvm_solution *s, const rvm_study *y)
{
    const bool one = y->outputs == 1;
    r->functions = rvm_solution_functions(s);
    r->log_evidence = rvm_solution_log_evidence(s);
    r->converged = s->converged;
    for (size_t k = 0; k < y->outputs && y->observed.likelihood->has_noise; k++) {
        const rvm_target *t = &y->target[k];
        const double ln_beta = s->latent[k].ln_beta;
        const rvm_observed *o =
            one ? &y->observed : &t->observed; /* a view may have other bounds */
        r->log_evidence -= (double)r->rows * log(t->t_scale);
        r->noise_sd = one ? t->t_scale * exp(-0.5 * ln_beta) : 0;
        if (!t->is_constant && !o->noise_fixed && ln_beta >= o->ln_beta_max - 1e-6)
            r->noise_at_bound = true;
    }
}

void rvm_search_report_credit(rvm_report *r, const rvm_observed *o)
{
    if (r->starts > 1 && o->likelihood->credit > 0)
        r->credit = o->likelihood->credit - o->prune_margin;
}

rvm_found rvm_search_found(const rvm_solved *solved, rvm_columns columns, const rvm_observed *o)
{
    const double log_prior =
        rvm_observed_log_prior(o, solved->norm, NULL, solved->ln_alpha, solved->K, solved->ln_beta);
    return (rvm_found){ solved, columns, log_prior };
}
