/* What training looks at: rows in canonical order, targets free of units, candidates. */
#ifndef RVM_STUDY_H
#define RVM_STUDY_H

#include "basis/columns.h"
#include "inference/fit.h"

/* One target of a regression, or the classes. Regression targets are reduced to
 * (t - t_mean) / t_scale, mean 0 and variance 1 (without a bias the mean is not taken off), so that
 * nothing depends on their units or offset. */
typedef struct {
    rvm_observed observed;
    double t_mean, t_scale;
    bool is_constant; /* regression: all are equal; t_scale is then their rounding, or of a single
                         row its size */
} rvm_target;

/* Does not change once it is made. */
typedef struct {
    rvm_problem *p;        /* owned, unless a team shares it and this is no part; canonical order */
    rvm_kernel_rows *rows; /* owned */
    bool is_part;          /* basis.row belongs to another study */
    rvm_basis basis;
    size_t outputs;
    rvm_target *target; /* owned, outputs */
    /* Of the output that is looked at, the first of them but in a view of another one: */
    rvm_observed observed; /* borrowed from target */
    double t_mean, t_scale;
    bool constant_target;
    size_t classes;       /* classification: how many, in the order of class_order.h; else 0 */
    size_t *class_of_row; /* owned, N, more than two classes: number of each row's class */
} rvm_study;

/* `first_label` is the label of class 1; weights of classes from s. */
RVM_CHECKED rvm_status rvm_study_init(rvm_study *y, const rvm_problem *p, const rvm_settings *s,
                                      const rvm_kernel *kernel, int first_label, rvm_error *err);
/* The rows row[0 .. count) of `whole`, ascending, of those that are here, with all its candidates; the
 * processes of a team share the rows that they name together. `whole` must outlive it. Targets keep the
 * units of `whole`. */
RVM_CHECKED rvm_status rvm_study_part(rvm_study *part, const rvm_study *whole, const size_t *row,
                                      size_t count, rvm_error *err);
/* The same of rows by their places among all, which every process names and gets as rows of its own. */
RVM_CHECKED rvm_status rvm_study_sample(rvm_study *sample, const rvm_study *whole,
                                        const size_t *place, size_t count, rvm_error *err);
/* Copies of the rows that kernel functions id[0 .. count) sit on; NULL without memory. */
rvm_problem *rvm_study_rows_at(const rvm_study *y, const size_t *id, size_t count);
/* What is seen of output k: a view of y, to be used as long as y is there, and not to be freed. A
 * view of one class, or of other targets, is likewise a copy of a study with an `observed` of its
 * own. */
rvm_study rvm_study_output(const rvm_study *y, size_t k);
/* The columns of candidates id[0 .. count), or of all, with their Gram matrix where the posterior
 * is normal. */
RVM_CHECKED rvm_status rvm_study_design(rvm_columns *d, const rvm_study *y, const size_t *id,
                                        size_t count, int threads, rvm_error *err);
RVM_CHECKED rvm_status rvm_study_whole_design(rvm_columns *d, const rvm_study *y, int threads,
                                              rvm_error *err);
void rvm_study_free(rvm_study *y);

/* The weight of a class; only their ratios matter, and a row has 1 at the most: */
double rvm_class_weight_of(const rvm_settings *s, int label);
/* those of these classes, the largest 1 and none below DBL_EPSILON. */
void rvm_class_weights(double *weight, const rvm_settings *s, const int *label, size_t count);

/* ln beta where the target is constant: that of its rounding, or less if a prior of the noise says
 * so. */
double rvm_study_constant_ln_beta(const rvm_study *y);

/* ln alpha that a function of unit norm starts from: a weight of the size of the whole target. */
double rvm_study_ln_alpha(const rvm_study *y);

#endif
