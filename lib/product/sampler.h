/* Chains of Gibbs draws side by side, and their records.
 *
 * The functions sampled are all candidates, or the active set of a solution and others at random
 * (rvm-train(1), SAMPLING). The chains are independent, each with a stream of random numbers of its
 * own, and none depends on the number of threads. */
#ifndef RVM_SAMPLER_H
#define RVM_SAMPLER_H

#include "basis/columns.h"
#include "inference/gibbs.h"
#include "search/solution.h"
#include "search/study.h"

/* What one chain leaves behind: its draws after the burn-in, every `thin`th of them. */
typedef struct {
    size_t draws;  /* taken so far, the burn-in included */
    size_t kept;   /* of them recorded below */
    float *weight; /* owned, samples x M: of columns of norm 1, targets of variance 1; single
                               precision is far more than a draw needs */
    double *log_likelihood; /* owned, samples; what follows lies behind it */
    double *noise_sd;       /* samples: beta^-1/2, units of the target */
    /* Of each half of the samples (the middle one of an odd number left out): mean and sum of
     * squared deviations of what is predicted at the training rows, the log-odds or the mean. */
    double *mean[2], *deviation[2]; /* N */
} rvm_record;

typedef struct {
    const rvm_study *y; /* borrowed */
    bool classes;       /* two of them */
    double t_scale;     /* of the targets; 1 of classes */
    size_t samples, burn_in, thin, chains;
    int threads;
    rvm_columns design;
    double *unit;               /* owned, M */
    rvm_precision_prior *alpha; /* owned, M */
    rvm_gibbs model;
    rvm_gibbs_chain *chain; /* owned, chains */
    rvm_record *record;     /* owned, chains */
    double *log_odds;       /* owned, chains x N: of the last draw recorded, of two classes */
} rvm_sampler;

/* start: a solution of y, whose columns are those of c: where the chains begin. RVM_ENOMEM, before
 * anything is allocated, when columns and draws need more than the budget. */
RVM_CHECKED rvm_status rvm_sampler_alloc(rvm_sampler **out, const rvm_study *y,
                                         const rvm_solved *start, const rvm_settings *s,
                                         rvm_error *err);
void rvm_sampler_free(rvm_sampler *sm);
/* Some draws of every chain. *done: they were the last ones. */
RVM_CHECKED rvm_status rvm_sampler_step(bool *done, rvm_sampler *sm, rvm_error *err);
/* Fills draw and draws, functions, noise_sd, progress and, in log_evidence, the log likelihood of the
 * last draw of the first chain in the units of the targets. */
void rvm_sampler_report(rvm_report *r, const rvm_sampler *sm);
/* Mean over all draws recorded, in the units of the targets. */
double rvm_sampler_mean_log_likelihood(const rvm_sampler *sm);
/* Draws that every chain has recorded. */
size_t rvm_sampler_kept(const rvm_sampler *sm);
/* Draw k of the weight of function i of a chain, in the units of the data; of two classes divided
 * by sigma, since f / sigma is what probabilities depend on: alone, neither of the two is
 * determined. */
double rvm_record_weight(const rvm_record *r, const rvm_sampler *sm, size_t k, size_t i);

#endif
