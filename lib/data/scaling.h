/* Ranges of the features of a problem; what its two source files share. */
#ifndef RVM_SCALING_H
#define RVM_SCALING_H

#include "rvm.h"

typedef struct {
    double min, max; /* min == max: it does not vary, and a feature is left out */
} rvm_scaling_range;

struct rvm_scaling {
    rvm_scaling_limits limits;
    rvm_scaling_range *target; /* owned, outputs; counts with limits.scale_target */
    size_t outputs, target_capacity;
    int *index;                 /* owned, count: features, ascending */
    rvm_scaling_range *feature; /* owned, count */
    size_t count, index_capacity, feature_capacity;
};

/* A scaling of no features; NULL without memory. */
rvm_scaling *rvm_scaling_alloc(void);
/* Room for one more feature; false without memory. */
bool rvm_scaling_grow(rvm_scaling *s);
/* value on the line that maps min to lower and max to upper, which both are met exactly; computed
 * in svm-scale's order of operations, and in a safer one where that overflows. Not finite when that
 * is of no help either. */
double rvm_scaling_value(double value, double min, double max, double lower, double upper);

#endif
