/* The interface of all searches for functions and precisions.
 *
 * A way of searching is a row of a table, like the minimisers of gsl_multimin: training takes the
 * first one that fits (product/train.c) and then knows it by these functions alone. */
#ifndef RVM_SEARCH_H
#define RVM_SEARCH_H

#include "base/codec.h"
#include "basis/columns.h"
#include "search/solution.h"
#include "search/study.h"

/* A latent function as a search has it; all borrowed from the search. */
typedef struct {
    const rvm_solved *solved;
    rvm_columns columns; /* its functions are among them */
    double log_prior;    /* of its precisions, where they have a prior; what latent functions share
                            counts for the first of them */
} rvm_found;

typedef struct {
    const char *name;
    bool trivial;     /* there is nothing to find: no widths, no draws */
    bool one_vs_rest; /* more than two classes: each against the rest, whatever was asked for */

    /* Whether it is made for what y observes and s asks for, and has room within the budget. */
    bool (*fits)(const rvm_study *y, const rvm_settings *s);
    size_t size; /* of a search */
    /* search: of zeros; y, s: borrowed. */
    rvm_status (*init)(void *search, const rvm_study *y, const rvm_settings *s, rvm_error *err);
    /* A part of the work that an interrupt can wait for. *done: nothing is left to do.
     * RVM_EINTERRUPT where an interrupt came before anything was found; not to be called again
     * after one. */
    rvm_status (*step)(bool *done, void *search, rvm_error *err);
    /* What rvm_report says of the search so far, but for round and done; `converged` as if it ended
     * here. *r: one start of one, all rows, no functions. */
    void (*report)(rvm_report *r, const void *search);
    /* Latent function k, of output k or class k; of the best solution so far. */
    rvm_found (*solution)(const void *search, size_t k);
    void (*free)(void *search); /* what it owns, also after an init that failed, not itself */
    /* Both NULL: it cannot be gone on with. Whether it has come, between two steps, to where it
     * can; */
    bool (*rests)(const void *search);
    /* and what sets it apart there from a search that only has been through init: written; or read,
     * and the search then goes on as the other one, to the last bit. */
    void (*code)(rvm_codec *c, void *search);
} rvm_search_type;

/* A search of that type; y, s: borrowed. */
RVM_CHECKED rvm_status rvm_search_alloc(void **out, const rvm_search_type *type, const rvm_study *y,
                                        const rvm_settings *s, rvm_error *err);
void rvm_search_free(const rvm_search_type *type, void *search); /* NULL is accepted */

/* Parts of reports: of a solution of y; */
void rvm_search_report_solution(rvm_report *r, const rvm_solution *s, const rvm_study *y);
/* the nats for each function by which the best one of several starts is chosen. */
void rvm_search_report_credit(rvm_report *r, const rvm_observed *o);
rvm_found rvm_search_found(const rvm_solved *solved, rvm_columns columns, const rvm_observed *o);

#endif
