/* Where a search is: a point, another one to try, and the scratch of its thread.
 *
 * Several outputs, j = 1 .. q, can share their functions and precisions:
 *
 *     t_j ~ N(Phi w_j, 1/beta_j I),   w_ij ~ N(0, 1/alpha_i)
 *
 * Given alpha and beta they know nothing of each other: each has the posterior of likelihood.h, and
 * the log evidence, its gradient and its Hessian are sums over them (Bilionis and Zabaras 2012, who
 * have one beta). One output, or the classes of a classification, is the usual case. Of a prior of
 * what outputs share the first one has all, so that sums over outputs count it once. */
#ifndef RVM_CLIMBER_H
#define RVM_CLIMBER_H

#include "inference/evidence.h"

/* An output, and the columns as it sees them: all have the same, each with its own p = Phi't.
 * Borrowed. */
typedef struct {
    const rvm_observed *observed;
    const rvm_columns *columns;
} rvm_output;

typedef struct {
    rvm_output *output; /* owned, outputs */
    size_t outputs;
    bool shared_noise;         /* one beta for all outputs; false unless set */
    rvm_fit *now, *trial;      /* owned, outputs: functions and ln alphas are the same in each */
    rvm_scratch ws;            /* owned */
    rvm_statistics statistics; /* owned: of all columns and one output; climb.h needs it, no other,
                                  and the caller initialises it */
    /* Of the coordinates of Newton's method, as newton.h has them: */
    gsl_matrix *hessian, *damped; /* owned, capacity + outputs square */
    double *gradient, *step;      /* owned, capacity + outputs */
    /* Of functions or columns; owned, capacity, S and Q times outputs: */
    double *S, *Q;          /* a row for each: of active ones without themselves, or of columns */
    double *gamma, *square; /* sums of gamma and u^2 over the outputs */
    double *use;            /* how little an active function is of use */
    size_t *order;          /* which are to go first */
    bool *goes, *refused;   /* active functions that go; columns that were tried in vain */
} rvm_climber;

/* Room for `capacity` functions, and no fewer than there are columns where all are to be measured.
 * No functions yet. */
RVM_CHECKED rvm_status rvm_climber_init(rvm_climber *s, const rvm_output *output, size_t outputs,
                                        size_t capacity, int threads, rvm_error *err);
void rvm_climber_free(rvm_climber *s);

/* Whether somebody wants an end. */
bool rvm_climber_stopped(const rvm_climber *s);
/* Whether active function i is the bias of a regression, which stays. */
bool rvm_climber_is_bias(const rvm_climber *s, size_t i);
/* Of the alpha of a column. */
rvm_prior rvm_climber_prior(const rvm_climber *s, size_t column);
/* Of all outputs, and the log prior on top. */
double rvm_climber_log_evidence(const rvm_climber *s);
/* C = H^-1 of output j at s->now: a view of s->ws.square, valid until the next call; computing a
 * posterior leaves it alone. */
gsl_matrix_view rvm_climber_inverse(rvm_climber *s, size_t j);

/* In all outputs of `at`, which is s->now or s->trial: a function comes, with scaled weight 0, or
 * goes; its ln alpha becomes the nearest to `ln_alpha` that the bounds allow, which is returned. */
void rvm_climber_add(const rvm_climber *s, rvm_fit *at, size_t column, double ln_alpha);
void rvm_climber_remove(const rvm_climber *s, rvm_fit *at, size_t position);
double rvm_climber_set_alpha(const rvm_climber *s, rvm_fit *at, size_t position, double ln_alpha);

/* The posteriors at s->now; RVM_ENUMERIC when there are none, RVM_EINTERRUPT when nobody waits for
 * them. */
RVM_CHECKED rvm_status rvm_climber_locate(rvm_climber *s, rvm_error *err);
/* s->trial becomes what s->now is. */
void rvm_climber_try(rvm_climber *s);
/* s->trial becomes what s->now is, less the functions that s->goes marks, and moved by s->step as
 * far as bounds allow. */
void rvm_climber_try_step(rvm_climber *s);
/* The posteriors at s->trial, which becomes s->now if its log evidence is above now's by more than
 * `margin` (negative: may fall by that much). */
bool rvm_climber_accept(rvm_climber *s, double margin);

/* Coordinate of the ln beta of output j in the gradient: behind the K ln alphas. */
size_t rvm_climber_beta(const rvm_climber *s, size_t j);
/* How many coordinates there are. */
size_t rvm_climber_coordinates(const rvm_climber *s);

#endif
