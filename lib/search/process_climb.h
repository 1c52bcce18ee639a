/* The hyperparameters of a sparse Gaussian process, its points held: one row for each likelihood. */
#ifndef RVM_PROCESS_CLIMB_H
#define RVM_PROCESS_CLIMB_H

#include <gsl/gsl_matrix.h>

#include "search/study.h"

/* All borrowed from the climb, and valid until its next step. */
typedef struct {
    const rvm_kernel *kernel;
    const double *precision, *variance, *noise; /* as in rvm_induced */
    double log_evidence;                        /* of the rows that are looked at */
} rvm_process_state;

/* What is looked at, and where it begins; all borrowed. */
typedef struct {
    const rvm_study *y;
    const rvm_problem *rows; /* of the study, or a sample of them: */
    const size_t *row;       /* their numbers, rows->rows */
    const gsl_matrix *T;     /* terms x rows, raw; NULL where there are none */
    size_t terms, latents;
    const double *precision; /* terms: of the raw term, in reduced units */
    const double *noise;     /* latents: as a variance, in reduced units; regression */
    const rvm_settings *settings;
    const rvm_process_state *from; /* NULL; or where it begins, its kernel held */
} rvm_process_job;

typedef struct {
    /* job: its parts must outlive the climb. */
    rvm_status (*alloc)(void **out, const rvm_process_job *job, rvm_error *err);
    bool in_batches; /* weights change with the points that there are */
    /* weight[n]: how unsure the climb is of each of some rows, its points as they were last placed;
     * T: their terms. *enough: what may be left of a row, in the units of the kernel. */
    rvm_status (*weigh)(double *weight, double *enough, void *climb, const rvm_problem *rows,
                        const gsl_matrix *T, rvm_error *err);
    /* With these points from now on, and the hyperparameters as they are. Borrowed. */
    rvm_status (*place)(void *climb, const rvm_problem *points, rvm_error *err);
    /* Some steps uphill; *rests where there are no more. */
    rvm_status (*step)(bool *rests, void *climb, rvm_error *err);
    rvm_process_state (*state)(const void *climb);
    void (*free)(void *climb); /* NULL is accepted */
} rvm_process_climb;

/* Normal noise; */
extern const rvm_process_climb rvm_fitc_climb;
/* classes. */
extern const rvm_process_climb rvm_mode_climb;

#endif
