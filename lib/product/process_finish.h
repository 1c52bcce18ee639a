/* The model of a sparse Gaussian process, of all rows. */
#ifndef RVM_PROCESS_FINISH_H
#define RVM_PROCESS_FINISH_H

#include "product/model.h"
#include "search/inducing.h"

/* Latent functions, log evidence and of a regression point_factor of m, which has none yet; vectors
 * are rows of y for now. place: of each class of y among those of m; NULL where there are no more
 * than two.
 * RVM_EINTERRUPT, m of no use, by s->interrupted. */
RVM_CHECKED rvm_status rvm_process_finish(rvm_model *m, const rvm_study *y, const size_t *place,
                                          const rvm_induced *r, const rvm_settings *s,
                                          rvm_error *err);

#endif
