/* Probabilities where the shares of the classes are others than in training. */
#ifndef RVM_PREVALENCE_H
#define RVM_PREVALENCE_H

#include "rvm.h"

/* *shift, owned by the caller, is ln pi'_c - power ln pi_c of each class, for rvm_probability_shift
 * with that power: pi' are the shares (rvm_predictor_settings.prevalence) of the model's classes,
 * NULL: those of training. Of these and a power of 1 *shift is NULL: nothing changes. RVM_ESETTING for
 * a regression, a model that does not know its rows, or shares that are
 * none. */
RVM_CHECKED rvm_status rvm_prevalence_shift(double **shift, const rvm_model *m, double power,
                                            const double *share, rvm_error *err);

#endif
