/* Numbers as words have them: of a command line, or of whoever sets a setting by its name. */
#ifndef RVM_VALUE_H
#define RVM_VALUE_H

#include "rvm.h"

typedef enum { RVM_VALUE_FLAG, RVM_VALUE_INT, RVM_VALUE_UNSIGNED, RVM_VALUE_REAL } rvm_value_kind;

/* The whole text as a number, into an int, an unsigned long or a double; nan and inf are numbers
 * too, so that the check of a range can name them. Into a bool: 0, or 1, for which NULL stands.
 * RVM_ESETTING: `expected a whole number`. */
RVM_CHECKED rvm_status rvm_value_read(void *field, rvm_value_kind kind, const char *text,
                                      rvm_error *err);
/* The same; false when it is none or does not fit. */
bool rvm_value_int(int *out, const char *text);
bool rvm_value_real(double *out, const char *text);

#endif
