/* What there is to keep of an optimum, or of a search on its way there. */
#ifndef RVM_SOLUTION_H
#define RVM_SOLUTION_H

#include "base/codec.h"
#include "base/team.h"
#include "inference/fit.h"

/* One latent function: that of an output, of a class, or the only one. An active set with its
 * hyperparameters; light, where an rvm_fit has the whole posterior. */
typedef struct {
    size_t K, capacity;
    size_t *id;       /* owned: candidates */
    double *norm;     /* owned: what the values of each are divided by */
    double *ln_alpha; /* owned: of the columns of unit norm */
    double *u;        /* owned: scaled weights, a warm start */
    double ln_beta;
    double log_evidence; /* its part, log prior of the precisions included */
} rvm_solved;

typedef struct {
    size_t latents;
    rvm_solved *latent; /* owned, latents */
    bool shared;        /* outputs: the basis functions and ln alphas are the same in each */
    double in_common;   /* of the log evidence, beside the parts of the latent functions */
    double margin;      /* nats that an addition had to gain on the way here */
    bool found;         /* something has been saved */
    bool converged;
} rvm_solution;

RVM_CHECKED rvm_status rvm_solution_init(rvm_solution *s, size_t latents, bool shared,
                                         rvm_error *err);
void rvm_solution_free(rvm_solution *s);
void rvm_solution_swap(rvm_solution *a, rvm_solution *b);

/* Latent function k, from a fit whose columns are these candidates, divided by these norms. */
RVM_CHECKED rvm_status rvm_solution_save(rvm_solution *to, size_t k, const rvm_fit *from,
                                         const size_t *id, const double *norm, rvm_error *err);
/* One latent function into a fit, which needs its posterior computed afterwards. id: of the columns
 * in hand, all functions among them; NULL: column i is to be function i. */
void rvm_solution_load(rvm_fit *to, const rvm_solved *from, const size_t *id);

/* That of rank `from` in every process of the team, each of which has one of as many latent
 * functions. */
RVM_CHECKED rvm_status rvm_solution_share(rvm_solution *s, rvm_team *team, int from,
                                          rvm_error *err);

/* Writes s, or reads one of as many latent functions: each of at most `most` functions, candidates
 * below M. */
void rvm_solution_code(rvm_codec *c, rvm_solution *s, size_t M, size_t most);

/* Active functions of all latent functions; those that outputs share count once. */
size_t rvm_solution_functions(const rvm_solution *s);
double rvm_solution_log_evidence(const rvm_solution *s);
double rvm_solution_score(const rvm_solution *s); /* log evidence less functions */

/* Whether b is to be preferred to a. Evidence decides between optima of one kind, with `credit`
 * nats for each function. But evidence alone rises into a collapse at narrow widths, where every
 * row becomes a vector and the noise is gone, since each function has a precision of its own that
 * was maximised; one nat less for each function, in the manner of Akaike, tells such a solution
 * from a real one. It is a blunt measure (choosing by it between sound optima costs accuracy), so
 * it decides only against those that fall more than a few nats behind in it. top: the largest score
 * of all solutions that were met, these two included. */
bool rvm_solution_prefer(const rvm_solution *a, const rvm_solution *b, double top, double credit);

#endif
