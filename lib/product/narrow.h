/* At most so many relevance vectors.
 *
 * Where a search has ended with more of them, those go that the log evidence would miss least, a
 * part at a time, and a search over what is left begins: the weights and precisions of the others
 * then take over. With u_i the scaled weight and C of newton.h, at an optimum C_ii = 1 - u_i^2 under
 * a flat prior, and without function i the evidence is less by
 *
 *     1/2 [ u_i^2 / C_ii + ln C_ii ]    (Tipping and Faul 2003, equation 18, in units of alpha_i)
 *
 * the others held; of a row what its function is worth in all classes. Of outputs, which share
 * precisions, that holds of the mean of u_i^2. A gamma prior moves the optimum off; its functions
 * are compared as if there were none. */
#ifndef RVM_NARROW_H
#define RVM_NARROW_H

#include "search/search.h"

/* A search over a part of the candidates. */
typedef struct {
    const rvm_search_type *type;
    void *search;          /* owned */
    rvm_study view;        /* borrowed, but for the list of rows that kernels sit on */
    rvm_settings settings; /* of the search */
} rvm_narrow;

/* The solution of a search; all borrowed. */
typedef struct {
    const rvm_study *y;
    const rvm_search_type *type;
    const void *search;
    size_t latents;
} rvm_narrow_from;

/* Which search is for a study. */
typedef const rvm_search_type *rvm_narrow_choice(const rvm_study *y, const rvm_settings *s);

/* Different rows with an active kernel function, of all latent functions. */
RVM_CHECKED rvm_status rvm_narrow_count(size_t *vectors, const rvm_narrow_from *from,
                                        rvm_error *err);
/* From a solution with more than `most` vectors, three quarters of them or `most` go on. */
RVM_CHECKED rvm_status rvm_narrow_alloc(rvm_narrow **out, const rvm_narrow_from *from,
                                        const rvm_settings *s, size_t most,
                                        rvm_narrow_choice *choose, rvm_error *err);
/* y has the candidates of n and no others from now on. */
void rvm_narrow_apply(rvm_study *y, const rvm_narrow *n);
void rvm_narrow_free(rvm_narrow *n);

#endif
