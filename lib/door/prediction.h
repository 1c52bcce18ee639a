/* Predictions on their way into the arrays of a caller. */
#ifndef DOOR_PREDICTION_H
#define DOOR_PREDICTION_H

#include "door/rvm_ml.h"
#include "rvm.h"

/* What there is to be had. */
typedef struct {
    rvm_task task;
    bool variance;    /* it was computed, and of classes the probabilities are averages by it; */
    bool interval;    /* likewise */
    bool mode;        /* they are those of the most probable weights */
    bool no_variance; /* this model of classes has none */
} door_offer;

/* Whether *to is sound, and nothing is asked for that is not on offer. */
rvmml_status door_prediction_check(const rvmml_prediction *to, const door_offer *offer,
                                   rvmml_error *err);
/* All rows of p become rows `first` and on of what is wanted. */
void door_prediction_copy(const rvmml_prediction *to, size_t first, const rvm_prediction *p);

#endif
