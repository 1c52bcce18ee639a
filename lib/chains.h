/* Level 5: what stays of the draws of a sampler: the functions that matter, the draws that are saved. */
#ifndef RVM_CHAINS_H
#define RVM_CHAINS_H

#include "model.h"
#include "sampler.h"

/* One K x (chains x draws) matrix of weights, chain after chain; everything is owned. */
struct rvm_chains {
    size_t chains, draws; /* draws of each chain */
    size_t sampled;       /* functions that were sampled, */
    size_t K;             /* and those of them that matter: */
    size_t *by_effect;    /* K: the one first that does most */
    rvm_term *term;       /* `terms` of them, which come first */
    size_t terms;
    size_t *row;            /* K - terms: that the kernel sits on, in the order of the study, */
    size_t *row_of_file;    /* and of the file, from 0 */
    double *weight;         /* K x chains x draws, units of the target */
    double *log_likelihood; /* chains x draws */
    double *noise_sd;       /* chains x draws */
    double bias_mean;       /* regression: the bias's weight is what differs from this */
    double worst_row;       /* largest split R-hat of what is predicted at the training rows; 0: the
                               chains have not come to their ends */
    bool classes;
};

/* NULL while no draw has been recorded. p: the problem that the study was made of. */
RVM_CHECKED rvm_status rvm_chains_alloc(rvm_chains **out, const rvm_sampler *sm,
                                        const rvm_problem *p, rvm_error *err);
/* A latent function from at most `keep` draws, spread over all chains; its vectors are rows of the
 * study. */
RVM_CHECKED rvm_status rvm_chains_latent(rvm_latent *f, const rvm_chains *c, size_t keep,
                                         rvm_error *err);
/* Means over all draws. */
double rvm_chains_mean_log_likelihood(const rvm_chains *c);

#endif
