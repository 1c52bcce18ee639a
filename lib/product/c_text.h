/* The parts of a model in C that are the same for every model that has them. */
#ifndef RVM_C_TEXT_H
#define RVM_C_TEXT_H

#include "rvm.h"

/* Functions and their comments, a blank line behind each.  They call those above them in this list, and
 * take numbers by the names that c_code.c gives them. */
typedef enum {
    RVM_C_DOUBT,       /* whether all features are finite */
    RVM_C_AT,          /* a number of a row */
    RVM_C_BOUNDED,     /* no number is infinite */
    RVM_C_STANDARDIZE, /* what is done to the features first */
    RVM_C_TERMS,       /* basis functions that are no kernel's */
    RVM_C_WEIGH,       /* inputs by their ARD weights */
    RVM_C_DENSE,       /* a row combined with vectors of which all numbers are there, */
    RVM_C_SPARSE,      /* and with those that leave most of them out */
    RVM_C_SELF,        /* and with itself */
    RVM_C_MEAN,        /* of a latent function */
    RVM_C_SQUARE,      /* phi' (R'R)^-1 phi */
    RVM_C_VARIANCE,    /* of a latent function */
    RVM_C_LEFT,        /* what the vectors leave unsaid of a row, */
    RVM_C_SHARE,       /* and as a share of k(x,x) */
    RVM_C_SPREAD,      /* of a calibrated regression */
    RVM_C_DRAW,        /* a latent function by one draw */
    RVM_C_LOG_PHI,     /* ln of the standard normal distribution function, */
    RVM_C_DRAWN,       /* and two classes by draws of its argument */
    RVM_C_TO_ONE,      /* probabilities from logarithms up to a constant */
    RVM_C_TWO,         /* classes by the log-odds of one, */
    RVM_C_REST,        /* each class against the rest, */
    RVM_C_MODE,        /* a softmax of the means, */
    RVM_C_RISE,        /* and its average: one class at one t, */
    RVM_C_AVERAGE,     /* and the integral over t */
    RVM_C_SHIFT,       /* calibrated probabilities */
    RVM_C_TEXTS
} rvm_c_piece;

const char *rvm_c_text(rvm_c_piece piece);

/* How a kernel combines two rows feature by feature, `rvm_pair`, and what a feature that a sparse vector
 * has changes, `rvm_change`; "" of a kernel that has no such thing. */
const char *rvm_c_text_pair(rvm_kernel_type type);
const char *rvm_c_text_change(rvm_kernel_type type);
/* And what it makes of a combination, `rvm_kernel`. */
const char *rvm_c_text_kernel(rvm_kernel_type type);

#endif
