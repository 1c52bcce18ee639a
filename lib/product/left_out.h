/* Rows that training has left out, and what was predicted of them: some of all, in every
 * process. */
#ifndef RVM_LEFT_OUT_H
#define RVM_LEFT_OUT_H

#include "data/labels.h"
#include "rvm.h"

/* A few numbers are fitted to them, for which so many are more than enough. */
enum { RVM_LEFT_OUT_MOST = 50000 };

typedef struct {
    size_t count;
    rvm_problem *rows;         /* owned: their targets, without features */
    rvm_prediction prediction; /* owned: of outputs values, variances and residuals, of classes log
                                  probabilities */
    size_t *class;             /* owned, of classes: of each row */
} rvm_left_out;

/* Rows row[0 .. count), ascending, of those of p that are here, and of those that the other
 * processes name; of more than RVM_LEFT_OUT_MOST that many, at equal distances. labels: of
 * classification, all rows; NULL in regression. *out: zeroed; to be freed in any case. */
RVM_CHECKED rvm_status rvm_left_out_collect(rvm_left_out *out, const rvm_problem *p,
                                            const rvm_prediction *prediction, const size_t *row,
                                            size_t count, const rvm_labels *labels, rvm_error *err);
void rvm_left_out_free(rvm_left_out *l);

/* The rows of p that would be taken of all its rows in canonical order: *row, owned by the
 * caller, has those that are here. */
RVM_CHECKED rvm_status rvm_left_out_choose(size_t **row, size_t *count, const rvm_problem *p,
                                           rvm_error *err);
/* *all, owned by the caller: the numbers of all processes, one behind another. */
RVM_CHECKED rvm_status rvm_left_out_share(double **all, size_t *count, const rvm_problem *p,
                                          const double *mine, size_t mine_count, rvm_error *err);

#endif
