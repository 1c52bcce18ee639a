/* A search for several outputs that share their functions and precisions.
 *
 *     t_j ~ N(Phi w_j, 1/beta_j I),   w_ij ~ N(0, 1/alpha_i),   j = 1 .. q
 *
 * Given alpha and beta the outputs know nothing of each other: each has the posterior of
 * likelihood.h, and the log evidence, its gradient and its Hessian are sums over them.
 * Where that of ln alpha_i is zero,
 *
 *     alpha_i = sum_j gamma_ij / sum_j mu_ij^2,  beta_j = (N - sum_i gamma_ij) / |t_j - Phi mu_j|^2
 *
 * or, with one beta for all, the quotient of the sums over j (Bilionis and Zabaras 2012, who have
 * one beta). Of a prior of what outputs share the first one has all,
 * so that sums over outputs count it once. */
#ifndef RVM_JOINT_H
#define RVM_JOINT_H

#include "search/climb.h"

/* What is observed of one output. */
typedef struct {
    rvm_observed observed; /* t owned; N and the bounds of ln alpha are those of all outputs */
    rvm_design design;     /* borrowed, but for p, which is owned: columns times t */
} rvm_output;

typedef struct {
    const rvm_output *output; /* borrowed, outputs */
    size_t outputs;
    bool shared_noise;    /* one beta for all outputs */
    rvm_fit *now, *trial; /* owned, outputs; columns and ln alpha are the same in each */
    double log_evidence;  /* at `now`, of all outputs */
    /* Private. */
    rvm_scratch ws;
    rvm_statistics statistics;    /* of one output */
    gsl_matrix *S, *Q;            /* owned, columns x outputs */
    gsl_matrix *hessian, *damped; /* owned, columns + outputs square */
    double *gradient, *step;      /* owned, likewise: ln alphas, then the ln betas */
    double *part;                 /* owned, columns + 1 */
    size_t *order;                /* owned, columns */
    bool *chosen;                 /* owned, columns: functions that go, columns that were refused */
} rvm_joint;

/* For outputs, one or more, whose designs have the same columns. */
RVM_CHECKED rvm_status rvm_joint_init(rvm_joint *s, const rvm_output *output, size_t outputs,
                                      bool shared_noise, int threads, rvm_error *err);
void rvm_joint_free(rvm_joint *s);

/* A function of all outputs comes, or goes. */
void rvm_joint_add(rvm_joint *s, size_t column, double ln_alpha);
void rvm_joint_remove(rvm_joint *s, size_t position);

/* The posteriors at s->now; RVM_ENUMERIC when there are none, RVM_EINTERRUPT when nobody waits for
 * them. */
RVM_CHECKED rvm_status rvm_joint_locate(rvm_joint *s, rvm_error *err);
/* s->gradient and s->hessian at s->now, located: by K ln alphas, then by the ln beta of each output
 * or, where the noise is shared, by the one of all. What is held has zeros. Returns how many
 * coordinates there are. */
size_t rvm_joint_derivatives(rvm_joint *s);

/* As rvm_sweep, and as rvm_climb, which this one is for several outputs. */
RVM_CHECKED rvm_status rvm_joint_sweep(rvm_joint *s, int sweeps, double stretch, rvm_error *err);
RVM_CHECKED rvm_status rvm_joint_climb(rvm_joint *s, const rvm_climb_settings *settings,
                                       bool *converged, rvm_error *err);

#endif
