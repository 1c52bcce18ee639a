/* What is observed: its noise and the priors of its precisions. */
#include "inference/likelihood.h"

#include <math.h>

enum { WORTH_THREADS = 200000 }; /* rows here that take a millisecond */

/* Borrowed. */
typedef struct {
    const rvm_observed *o;
    const double *f;
    double ln_beta;
} likelihood_job;

static rvm_status likelihood_piece(void *context, size_t first, size_t rows, double *sum,
                                   int worker, rvm_error *err)
{
    const likelihood_job *j = context;
    rvm_observed part = *j->o;
    (void)worker, (void)err;
    part.N = rows;
    part.t += first;
    part.row_weight += part.row_weight == NULL ? 0 : first;
    *sum = part.likelihood->log_density(&part, j->f + first, j->ln_beta);
    return RVM_OK;
}

rvm_status rvm_observed_log_likelihood(double *sum, const rvm_observed *o, const double *f,
                                       double ln_beta, int threads, rvm_error *err)
{
    likelihood_job job = { o, f, ln_beta };
    return rvm_spans_fold(sum, 1, &o->spans, likelihood_piece, NULL, &job,
                          o->N < WORTH_THREADS ? 1 : threads, err);
}

double rvm_observed_least_ln_alpha(const rvm_observed *o, double ln_beta)
{
    return o->ln_ratio_max > 0 ? fmax(o->ln_alpha_min, ln_beta - o->ln_ratio_max) : o->ln_alpha_min;
}

bool rvm_observed_free_noise(const rvm_observed *o)
{
    return o->likelihood->has_noise && !o->noise_fixed;
}

double rvm_observed_first_ln_beta(const rvm_observed *o, double noise_share)
{
    if (!o->likelihood->has_noise)
        return 0;
    return o->noise_fixed ? o->ln_beta : -log(noise_share);
}

rvm_prior rvm_observed_weight_prior(const rvm_observed *o, double norm)
{
    return rvm_prior_is_flat(&o->weight_prior) ? rvm_prior_flat
                                               : rvm_prior_shift(&o->weight_prior, 2 * log(norm));
}

double rvm_observed_log_prior(const rvm_observed *o, const double *norm, const size_t *column,
                              const double *ln_alpha, size_t K, double ln_beta)
{
    double sum = 0;
    if (rvm_observed_free_noise(o))
        sum += rvm_prior_log(&o->noise_prior, ln_beta);
    for (size_t i = 0; i < K && !rvm_prior_is_flat(&o->weight_prior); i++) {
        const rvm_prior prior = rvm_observed_weight_prior(o, norm[column == NULL ? i : column[i]]);
        sum += rvm_prior_log(&prior, ln_alpha[i]);
    }
    return sum;
}
