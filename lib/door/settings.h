/* Settings as words, and what they come to. */
#ifndef DOOR_SETTINGS_H
#define DOOR_SETTINGS_H

#include "door/rvm_ml.h"
#include "rvm.h"

typedef struct {
    rvm_settings train; /* its weights of classes are owned */
    bool no_bias;
    bool variance, mode; /* of prediction */
    double interval;     /* 0: none */
} door_settings;

/* s NULL: the defaults. Ranges are not checked. To be cleared after success. */
rvmml_status door_settings_resolve(door_settings *out, const rvmml_settings *s, rvmml_error *err);
void door_settings_clear(door_settings *s);

#endif
