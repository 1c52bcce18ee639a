/* More than two classes: the latent functions that are saved, at the joint mode of all weights.
 *
 * Each class has the mode that the others leave it (classes.h), and passes over all of them climb
 * to the joint mode, since every step maximises the same objective. The search itself stays as it
 * is, so that looking at it changes nothing. */
#ifndef RVM_JOINT_MODE_H
#define RVM_JOINT_MODE_H

#include "product/model.h"
#include "search/search.h"

/* How far the search has come. */
typedef enum {
    RVM_ON_ITS_WAY, /* to the joint mode if that takes no more than moments */
    RVM_CUT_SHORT,  /* somebody waits: near the mode will do */
    RVM_AT_ITS_END  /* it is at the joint mode but for rounding */
} rvm_search_stand;

/* Latent functions, log evidence and log prior of m, whose model of classes is set. place[k]: which
 * latent function of m is that of class k of y. */
RVM_CHECKED rvm_status rvm_joint_mode_finish(rvm_model *m, const rvm_study *y, const size_t *place,
                                             const rvm_search_type *type, const void *search,
                                             rvm_search_stand stand, rvm_error *err);

#endif
