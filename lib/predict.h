/* Level 5: room for predictions, shared by prediction and cross-validation. */
#ifndef RVM_PREDICT_H
#define RVM_PREDICT_H

#include "rvm.h"

/* Makes room for `rows` rows and sets out->rows, out->classes, 0 for regression, and out->outputs,
 * 1 for classification. False without memory, out then unchanged but for spare room. Values are not
 * set. */
bool rvm_prediction_resize(rvm_prediction *out, size_t rows, size_t classes, size_t outputs);

#endif
