/* Copies of the rows that kernel functions sit on, where a team shares the rows.
 *
 * Kernel functions are numbered from 0 in the order of the rows of all processes, rows that repeat
 * another's features left out.  Each process can evaluate those whose rows have been brought to it. */
#ifndef RVM_SEATS_H
#define RVM_SEATS_H

#include "basis/kernel.h"
#include "data/problem.h"

typedef struct {
    const rvm_problem *p;        /* borrowed: the rows of this process */
    const rvm_kernel_rows *like; /* borrowed: laid out */
    rvm_kernel kernel;
    const size_t *row;    /* borrowed: those of them with a function, ascending; */
    size_t first, count;  /* number of the first such function, and how many */
    size_t *function;     /* owned, brought, ascending: those that are there, */
    size_t *place;        /* owned: of the row of each, among the rows of all, */
    rvm_problem *rows;    /* owned: the rows, */
    rvm_kernel_rows *sit; /* owned: laid out */
    size_t brought;
} rvm_seats;

/* Of no functions yet; what is borrowed must outlive them. NULL without memory. */
rvm_seats *rvm_seats_alloc(const rvm_problem *p, const rvm_kernel_rows *like,
                           const rvm_kernel *kernel, const size_t *row, size_t first, size_t count);
void rvm_seats_free(rvm_seats *s);

/* The rows of function[0 .. count), ascending, are there afterwards, and no others unless all of them
 * were before. All processes of the team name the same ones. */
RVM_CHECKED rvm_status rvm_seats_bring(rvm_seats *s, const size_t *function, size_t count,
                                       rvm_error *err);
/* Position among those that are there. */
size_t rvm_seats_find(const rvm_seats *s, size_t function);

#endif
