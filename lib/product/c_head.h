/* The comment above a model in C: what it is, and how to call it. */
#ifndef RVM_C_HEAD_H
#define RVM_C_HEAD_H

#include "product/c_plan.h"

void rvm_c_head_write(const rvm_c_plan *c);

#endif
