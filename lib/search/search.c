/* What searches have in common. */
#include "search/search.h"

#include <math.h>

void rvm_search_report_solution(rvm_report *r, const rvm_solution *s, const rvm_study *y)
{
    const rvm_observed *o = &y->observed;
    r->functions = rvm_solution_functions(s);
    r->log_evidence = rvm_solution_log_evidence(s);
    r->converged = s->converged;
    if (!o->likelihood->has_noise)
        return;
    r->log_evidence -= (double)r->rows * log(y->t_scale);
    r->noise_sd = y->t_scale * exp(-0.5 * s->latent->ln_beta);
    r->noise_at_bound = !o->noise_fixed && s->latent->ln_beta >= o->ln_beta_max - 1e-6;
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
