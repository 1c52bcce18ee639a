/* A file from which training goes on, to the last bit.
 *
 * It has what cannot be had again at once: of the choice of a kernel and of calibration what their
 * folds have come to (journal.h), the length-scales, and where a search is or has ended. The rest of
 * a trainer is made again as the one before has made it; each stage, when it begins, takes over
 * what the file has of it. */
#ifndef RVM_CHECKPOINT_H
#define RVM_CHECKPOINT_H

#include "product/trainer.h"

/* A trainer is to be written, or read into, one day: before anything of it begins. */
RVM_CHECKED rvm_status rvm_checkpoint_prepare(rvm_trainer *tr, rvm_error *err);
void rvm_checkpoint_free(rvm_checkpoint *r); /* NULL is accepted */

/* As rvm_trainer_rests, _write and _read of rvm.h, which say more. */
bool rvm_checkpoint_rests(const rvm_trainer *tr);
RVM_CHECKED rvm_status rvm_checkpoint_write(const rvm_trainer *tr, FILE *out, rvm_error *err);
RVM_CHECKED rvm_status rvm_checkpoint_read(rvm_trainer *tr, FILE *in, rvm_error *err);
/* The stage has begun: goes on from what was read of it, if anything was. */
RVM_CHECKED rvm_status rvm_checkpoint_enter(rvm_trainer *tr, rvm_error *err);

#endif
