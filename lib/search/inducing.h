/* From relevance vectors to the points of a sparse Gaussian process, of which they are the first.
 *
 * A search has chosen functions and, with a precision for each, their weights.  Here the functions
 * are kept and their weights get another prior, w ~ N(0, s A^-1) (points.h), whose few numbers climb
 * the evidence.  Further points are then added, the rows that the process says least of, until there
 * are three times as many or settings.vectors of them.  The evidence is no judge of how many: that
 * of FITC goes up and down as points come, while the error still falls (Friedman 1, 240 rows: mean
 * squared error 4.3 with the relevance vectors, 3.9 with three times as many, 3.5 of all rows).
 *
 * All latent functions share all points and the kernel.  What is learned of the kernel is learned on
 * a sample of the rows, where there are many. */
#ifndef RVM_INDUCING_H
#define RVM_INDUCING_H

#include "search/search.h"

typedef struct rvm_inducing rvm_inducing;

/* What it has come to; borrowed. */
typedef struct {
    const size_t *id; /* candidates of the study, ascending: terms, then kernel functions */
    size_t count, terms;
    rvm_kernel kernel;
    const double *precision; /* terms: of the raw term, in reduced units */
    const double *variance;  /* s of each latent function, reduced units */
    const double *noise;     /* of each output, as a variance, reduced units; regression */
} rvm_induced;

/* latents: of the search, whose solution is the start. y, s: borrowed. */
RVM_CHECKED rvm_status rvm_inducing_alloc(rvm_inducing **out, const rvm_study *y,
                                          const rvm_search_type *type, const void *search,
                                          size_t latents, const rvm_settings *s, rvm_error *err);
void rvm_inducing_free(rvm_inducing *g);
/* Some steps uphill, or further points. */
RVM_CHECKED rvm_status rvm_inducing_step(bool *done, rvm_inducing *g, rvm_error *err);
void rvm_inducing_report(rvm_report *r, const rvm_inducing *g);
/* There is a result: the points are there, and something has been computed of them. */
bool rvm_inducing_is_placed(const rvm_inducing *g);
rvm_induced rvm_inducing_result(const rvm_inducing *g);

#endif
