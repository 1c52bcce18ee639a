/* Scores of what cross-validation has predicted. */
#ifndef RVM_SCORE_H
#define RVM_SCORE_H

#include "rvm.h"

/* score[k]: of output k of a regression; of classes score[0], of which only rows that are right are
 * counted. Summed as rvm_folds_sum says. */
RVM_CHECKED rvm_status rvm_score_held_out(rvm_score *score, const rvm_prediction *prediction,
                                          const rvm_problem *p, rvm_error *err);

#endif
