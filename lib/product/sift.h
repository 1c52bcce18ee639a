/* The best rung of a ladder of widths, as far as a screen of few rows can tell. */
#ifndef RVM_SIFT_H
#define RVM_SIFT_H

#include <gsl/gsl_rng.h>

#include "rvm.h"

typedef struct rvm_sift rvm_sift;

/* A ladder: kernel with gamma times 2^k at rung k. */
typedef struct {
    rvm_kernel kernel; /* at rung 0, the only one where gamma is not searched */
    bool searched;
    int first, last;       /* rungs that are tried in any case, every second one */
    int widest, narrowest; /* the ends */
} rvm_sift_ladder;

/* Draws a few hundred rows of p, which is in canonical order and borrowed for this call only. *s:
 * the task, the bias, the linear functions, the weights of classes. */
RVM_CHECKED rvm_status rvm_sift_alloc(rvm_sift **out, const rvm_problem *p, const rvm_settings *s,
                                      gsl_rng *rng, rvm_error *err);
void rvm_sift_free(rvm_sift *f); /* accepts NULL */
size_t rvm_sift_rows(const rvm_sift *f);

/* *best: the rung of least *loss, the wider one of equals; loss is infinite where no rung has any.
 * row_loss, rvm_sift_rows: that of each row there. An interrupt ends it early. */
RVM_CHECKED rvm_status rvm_sift_search(int *best, double *loss, double *row_loss, rvm_sift *f,
                                       const rvm_sift_ladder *ladder, rvm_error *err);

#endif
