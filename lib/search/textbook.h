/* The algorithms of the papers, as they stand there: for comparison and for teaching.
 *
 *     MacKay       Tipping 2000, equation 9: alpha = gamma / mu^2, from all candidates downwards
 *     EM           Tipping 2000, equation 8: alpha = 1 / (mu^2 + Sigma_ii), likewise
 *     sequential   Tipping and Faul 2003: from nothing, or the bias of a regression, by the move of
 *                  largest gain; the noise is estimated again, and everything with it, after every
 *                  fifth move and before the end
 *
 * One start, one climb. It begins with noise of a tenth of the variance of the targets and, from
 * the full set, with precisions at which each weight alone could make up the targets. Functions
 * leave the full set where alpha passes the bound of rvm_sweep_out. The climb ends with an
 * iteration that changes the log evidence by less than the tolerance, or when no move gains as
 * much, or, not converged, after RVM_TEXTBOOK_ITERATIONS iterations or moves.
 *
 * Regression of one output and two classes; more classes are one model of each class against the
 * rest, one after the other. */
#ifndef RVM_TEXTBOOK_H
#define RVM_TEXTBOOK_H

#include "search/observe.h"
#include "search/solution.h"

enum { RVM_TEXTBOOK_ITERATIONS = 10000 }; /* of each model */

typedef struct rvm_textbook rvm_textbook;

/* By s->method, which is not RVM_METHOD_AUTO. `models` is 1; of more than two classes it is their
 * number, class_of_row (borrowed, N, in the order of y's rows) tells the class of a row, and y's
 * observed targets are overwritten. RVM_ENOMEM, before anything is allocated, when the columns of
 * all candidates need more than the budget. */
RVM_CHECKED rvm_status rvm_textbook_alloc(rvm_textbook **out, rvm_study *y,
                                          const size_t *class_of_row, size_t models,
                                          const rvm_settings *s, rvm_error *err);
void rvm_textbook_free(rvm_textbook *t);
/* One iteration, or up to five moves, of the model in hand. *done: that was the last one. */
RVM_CHECKED rvm_status rvm_textbook_step(bool *done, rvm_textbook *t, rvm_error *err);
/* The model in hand, from 1, and how many there are. */
void rvm_textbook_progress(int *model, int *models, const rvm_textbook *t);
/* A latent function for each model, which has no functions before its turn. */
const rvm_solution *rvm_textbook_solution(const rvm_textbook *t);
/* Where model k is. Of several models it sets y's targets to those of model k. */
const rvm_solved *rvm_textbook_select(rvm_textbook *t, size_t k);
/* The columns of all candidates. */
const rvm_columns *rvm_textbook_design(const rvm_textbook *t);

#endif
