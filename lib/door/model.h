/* A model as a caller has it. */
#ifndef DOOR_MODEL_H
#define DOOR_MODEL_H

#include "door/rvm_ml.h"
#include "product/model.h"

struct rvmml_model {
    rvm_model *m; /* owned */
    size_t columns;
};

/* m is taken over; freed without memory. */
rvmml_status door_model_wrap(rvmml_model **out, rvm_model *m, rvmml_error *err);

#endif
