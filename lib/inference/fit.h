/* A point of a search, with the posterior there, and scratch. */
#ifndef RVM_FIT_H
#define RVM_FIT_H

#include "inference/likelihood.h"

/* A point of the search: active functions, hyperparameters and the posterior there. */
struct rvm_fit {
    size_t K, capacity;
    size_t N;
    size_t *column;      /* owned, capacity: positions in the design */
    double *ln_alpha;    /* owned, capacity */
    double ln_beta;      /* where the likelihood has noise */
    double *u;           /* owned, capacity: scaled weights at the mode */
    gsl_matrix *storage; /* owned, capacity x capacity; its first K x K is L, lower */
    double log_evidence; /* and the log prior of the precisions on top: what a search maximises */
    double residual_squares; /* regression: |t - Phi mu|^2 */
    double *gradient;        /* owned, N: d ln p(t|f) / df; unused where normal */
    double *curvature;       /* owned, N: -d2 ln p / df2; likewise */
};

/* Scratch of one thread: no posterior allocates, but for the QR factorisation that the Gaussian one
 * falls back to. */
struct rvm_scratch {
    size_t capacity, N;
    gsl_matrix *square;                           /* capacity x capacity */
    gsl_matrix *rows, *rows2;                     /* capacity x N; only with curvature */
    double *vector, *vector2, *vector3, *vector4; /* capacity */
    double *long1;                                /* N */
    int threads;
    int mode_steps; /* steps that a posterior may take towards the mode; 0: until it is there */
};

RVM_CHECKED rvm_status rvm_fit_init(rvm_fit *f, size_t capacity, size_t N, rvm_error *err);
void rvm_fit_free(rvm_fit *f);
/* Of a fit, to be added to its evidence; 0 to the last bit where priors are flat. */
double rvm_fit_log_prior(const rvm_fit *f, const rvm_observed *o, const double *norm);
void rvm_fit_copy(rvm_fit *to, const rvm_fit *from);
/* The K x K lower factor L. */
gsl_matrix_view rvm_fit_factor(const rvm_fit *f);
/* Position among the active functions, or K. */
size_t rvm_fit_find(const rvm_fit *f, size_t column);
void rvm_fit_add(rvm_fit *f, size_t column, double ln_alpha);
void rvm_fit_remove(rvm_fit *f, size_t position);
/* Weight of active function i, of its column of unit norm: u_i / sqrt(alpha_i). */
double rvm_fit_weight(const rvm_fit *f, size_t i);
/* Scales u for a change of a precision, so that the weight itself stays: a warm start. */
void rvm_fit_set_alpha(rvm_fit *f, size_t position, double ln_alpha);

RVM_CHECKED rvm_status rvm_scratch_init(rvm_scratch *ws, size_t capacity, size_t N, bool curved,
                                        int threads, rvm_error *err);
void rvm_scratch_free(rvm_scratch *ws);

/* The active columns, one a row, gathered into ws->rows: K x N. */
gsl_matrix_view rvm_gather_active(rvm_scratch *ws, const rvm_fit *f, const rvm_columns *d);

#endif
