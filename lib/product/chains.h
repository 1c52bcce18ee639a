/* What stays of the draws of a sampler: summaries, a trace, and those that are saved. */
#ifndef RVM_CHAINS_H
#define RVM_CHAINS_H

#include "product/model.h"
#include "product/sampler.h"

typedef struct {
    char text[RVM_TERM_NAME_SIZE];
} rvm_function_name;

/* Records of the functions that do most at the training rows. Everything is owned. */
struct rvm_chains {
    size_t chains, draws; /* draws of each chain */
    size_t sampled;       /* functions that were sampled, */
    size_t K; /* and those of them that are recorded here, the one first that does most */
    rvm_function_name *name; /* K */
    double *weight;          /* K x chains x draws, units of the target; of two classes of sigma */
    double *log_likelihood;  /* chains x draws, behind the weights, as is */
    double *noise_sd;        /* chains x draws */
    double worst_row; /* largest split R-hat of what is predicted at the training rows; 0: the
                                chains have not come to their ends */
};

/* Draws of each chain that summaries need. */
enum { RVM_LEAST_DRAWS = 4 };

/* p: the problem that the study was made of; RVM_LEAST_DRAWS have been recorded. */
RVM_CHECKED rvm_status rvm_chains_alloc(rvm_chains **out, const rvm_sampler *sm,
                                        const rvm_problem *p, rvm_error *err);
/* Whether the chains agree on what matters: the log likelihood and what they predict. Weights of
 * functions that are nearly alike may change places for ever. */
RVM_CHECKED rvm_status rvm_chains_agree(bool *agree, const rvm_sampler *sm, const rvm_problem *p,
                                        rvm_error *err);
/* A latent function from at most `keep` draws, spread over all chains; its vectors are rows of the
 * study. It has as few functions as say the same as all that were sampled (condense.h). */
RVM_CHECKED rvm_status rvm_chains_latent(rvm_latent *f, const rvm_sampler *sm, size_t keep,
                                         rvm_error *err);

#endif
