/* A latent function and its vectors, as the model has them. */
#ifndef RVM_FINISH_H
#define RVM_FINISH_H

#include "basis/columns.h"
#include "data/labels.h"
#include "product/model.h"
#include "search/solution.h"
#include "search/study.h"

typedef struct {
    double log_likelihood; /* ln p(t|w) at the mode, in the units of the targets */
    double penalty;        /* 1/2 w'Aw + 1/2 ln|H|; the log evidence is the first less this */
    double log_prior;      /* of the precisions, where they have a prior */
    double *activation;    /* filled, N, where not NULL: offset + Phi w */
    bool hasty; /* in: somebody waits, so the factor is to be Cholesky's where its digits suffice,
                   and a mode that is not quite reached will do */
} rvm_finished;

/* A latent function as it is saved (inference/posterior.h), in the units of the data; its vectors
 * are rows of y for now. c: columns with its functions among them. The numbers come from what is
 * saved. */
RVM_CHECKED rvm_status rvm_finish_latent(rvm_latent *latent, rvm_finished *numbers,
                                         const rvm_solved *solved, const rvm_study *y,
                                         const rvm_columns *c, rvm_error *err);

/* Labels, rows and weights of the classes, where there are classes. */
RVM_CHECKED rvm_status rvm_finish_classes(rvm_model *m, const rvm_labels *labels,
                                          const rvm_settings *s, rvm_error *err);

/* Gathers the vectors of all latent functions, which have numbers in the canonical order of p, into
 * m->vectors and numbers them. `file` has the same rows in the order of p, in which m->row counts,
 * as the model is to have them: p may be standardised. */
RVM_CHECKED rvm_status rvm_finish_vectors(rvm_model *m, const rvm_problem *p,
                                          const rvm_problem *file, rvm_error *err);

#endif
