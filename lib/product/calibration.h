/* What held-out predictions have made of a model's own: corrections of its distributions, and how
 * good they are. */
#ifndef RVM_CALIBRATION_H
#define RVM_CALIBRATION_H

#include "product/spread.h"
#include "rvm.h"

enum { RVM_CALIBRATION_FOLDS = 5 };

/* How many of these folds are to be trained of so many rows, `others` of which are not of the commonest
 * class; regression: others = rows. */
size_t rvm_calibration_folds(size_t rows, size_t others);

typedef struct {
    rvm_calibration_info info; /* info.rows is 0 where there is none */
    rvm_spread *spread;        /* owned, one for each output; NULL for classes */
    size_t outputs;
} rvm_calibration;

void rvm_calibration_free(rvm_calibration *c); /* accepts a zeroed one, and zeroes it */
/* *to: zeroed. False without memory. */
bool rvm_calibration_copy(rvm_calibration *to, const rvm_calibration *from);

/* It is of classes, and changes their probabilities. */
bool rvm_calibration_tempers(const rvm_calibration *c);

#endif
