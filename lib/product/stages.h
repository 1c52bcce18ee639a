/* The stages of training: one row of a table each. */
#ifndef RVM_STAGES_H
#define RVM_STAGES_H

#include "product/trainer.h"

typedef struct {
    bool (*wanted)(const rvm_trainer *tr); /* NULL: always */
    rvm_status (*begin)(rvm_trainer *tr, rvm_error *err);
    /* A part of the work; sets tr->over where it is the last one. */
    rvm_status (*step)(rvm_trainer *tr, rvm_error *err);
    void (*report)(rvm_report *r, const rvm_trainer *tr);
    double work;                            /* a guess, against a search: the most, */
    double (*share)(const rvm_trainer *tr); /* and how much of it there is to do; NULL: all */
} rvm_stage_type;

enum { RVM_STAGES = RVM_CALIBRATE + 1 };

/* By rvm_stage, in their order. */
extern const rvm_stage_type rvm_stages[RVM_STAGES];

#endif
