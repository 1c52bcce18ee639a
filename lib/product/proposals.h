/* Kernels that are worth a training, proposed by a screen of few rows. */
#ifndef RVM_PROPOSALS_H
#define RVM_PROPOSALS_H

#include "product/crossval.h"
#include "rvm.h"

/* A kernel at its best width. */
typedef struct {
    rvm_kernel kernel;
    bool ard, linear;
    bool doubtful; /* length-scales that gain no standard error on one width, or a power that
                               gains none on the kernels that fall off with the distance */
    double loss;   /* of the screen; infinite where nothing is known yet */
    const double *row_loss; /* borrowed: of each row of the sample, */
    size_t rows;            /* so many */
} rvm_proposal;

typedef struct rvm_proposals rvm_proposals;

/* p is borrowed; *s, with what it leaves open, is copied. order: all rows of p in canonical order.
 * train: how a fold is trained. */
RVM_CHECKED rvm_status rvm_proposals_alloc(rvm_proposals **out, const rvm_problem *p,
                                           const size_t *order, const rvm_settings *s,
                                           rvm_training *train, rvm_error *err);
/* Judges one kernel, at all its widths. */
RVM_CHECKED rvm_status rvm_proposals_step(bool *done, rvm_proposals *q, rvm_error *err);
void rvm_proposals_free(rvm_proposals *q);

size_t rvm_proposals_count(const rvm_proposals *q);
/* By ascending loss, of now. */
rvm_proposal rvm_proposals_get(const rvm_proposals *q, size_t number);
/* The one that is judged next, or was last. */
rvm_proposal rvm_proposals_current(const rvm_proposals *q);
/* Steps so far, and a guess of all. */
void rvm_proposals_progress(int *steps, int *expected, const rvm_proposals *q);

#endif
