/* Level 5: room for predictions, shared by prediction and cross-validation. */
#ifndef RVM_PREDICT_H
#define RVM_PREDICT_H

#include "rvm.h"

/* Makes room for `rows` rows and sets out->rows and out->classes; classes 0 is regression. False
 * without memory, out then unchanged but for spare room. Values are not set. */
bool rvm_prediction_resize(rvm_prediction *out, size_t rows, size_t classes);

#endif
