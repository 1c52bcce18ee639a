/* Ranges of the features of a problem; what its two source files share. */
#ifndef RVM_SCALING_H
#define RVM_SCALING_H

#include "rvm.h"

typedef struct {
    int index;
    double min, max; /* min == max: the feature does not vary and is left out */
    size_t next_row; /* while learning: the first row not yet looked at */
} rvm_feature_range;

typedef struct {
    double min, max;
} rvm_target_range;

struct rvm_scaling {
    rvm_scaling_limits limits;
    rvm_target_range *target; /* owned, outputs; counts with limits.scale_target */
    size_t outputs;
    size_t target_capacity;
    rvm_feature_range *feature; /* owned; ascending by index */
    size_t count;
    size_t capacity;
};

/* A scaling of no features; NULL without memory. */
rvm_scaling *rvm_scaling_alloc(void);
/* Position of a feature, s->count when there is none. When position `guess` holds it no search is
 * needed. */
size_t rvm_scaling_find(const rvm_scaling *s, int index, size_t guess);
/* value on the line that maps min to lower and max to upper, which both are met exactly; computed
 * in svm-scale's order of operations, and in a safer one where that overflows. Not finite when that
 * is of no help either. */
double rvm_scaling_value(double value, double min, double max, double lower, double upper);

#endif
