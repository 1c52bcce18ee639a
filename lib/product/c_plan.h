/* What the code of a model takes: places of numbers, sizes, factors that the model does not have. */
#ifndef RVM_C_PLAN_H
#define RVM_C_PLAN_H

#include "product/model.h"

typedef struct {
    const rvm_model *m;   /* borrowed, */
    FILE *out;            /* likewise */
    int first;            /* feature of x[0] */
    rvm_problem *own;     /* owned: standardised vectors, or NULL */
    const rvm_problem *z; /* borrowed: vectors, standardised where the model is */
    /* ARD: */
    size_t inputs;
    int *input_index; /* owned, inputs: the features that count, */
    int *input_place; /* owned: where they are in a row, */
    double *factor;   /* owned: and what they are multiplied by */
    size_t features;  /* of x that the model looks at */
    size_t width;     /* numbers of a row as the kernel takes it, as far as vectors have some */
    size_t pairs;     /* of the vectors, as far as they count */
    bool dense;
    bool left;                    /* k(x,x) - q counts */
    double *own_points;           /* owned, or NULL: */
    const double *points;         /* borrowed: its factor; NULL without vectors */
    double power, *shift;         /* of rvm_probability_shift; owned, NULL: none */
    size_t terms, basis, longest; /* of all functions; the most that one has */
} rvm_c_plan;

/* Of m, whose kernel is not precomputed; RVM_EMODEL where it has more numbers than are written. */
RVM_CHECKED rvm_status rvm_c_plan_init(rvm_c_plan *c, const rvm_model *m, FILE *out,
                                       rvm_error *err);
void rvm_c_plan_free(rvm_c_plan *c); /* accepts one whose init has failed */

bool rvm_c_plan_is_regression(const rvm_c_plan *c);
/* Its variances are those of held-out rows. */
bool rvm_c_plan_is_calibrated(const rvm_c_plan *c);
/* The place of a feature in a row before the kernel's weights; that behind the last: it counts as 0. */
size_t rvm_c_plan_row_place(const rvm_c_plan *c, int feature);
/* Number k of the vectors as the kernel takes it, and its place; false where it does not count. */
bool rvm_c_plan_vector_number(const rvm_c_plan *c, double *value, size_t *place, size_t k);

#endif
