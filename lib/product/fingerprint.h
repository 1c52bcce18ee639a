/* What a training is of: its data, in any order of the rows, and its settings. */
#ifndef RVM_FINGERPRINT_H
#define RVM_FINGERPRINT_H

#include "base/codec.h"

/* Of all rows of p, here or elsewhere, as they are; 64 bits that depend on no order. */
uint64_t rvm_fingerprint_rows(const rvm_problem *p);
/* Writes the settings that a model depends on; or reads them, and RVM_ESETTING names one that is
 * another one in s. */
void rvm_fingerprint_code(rvm_codec *c, const rvm_settings *s);

#endif
