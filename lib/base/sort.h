/* Ascending lists of whole numbers. */
#ifndef RVM_SORT_H
#define RVM_SORT_H

#include <stddef.h>

/* Sorts list[0 .. count) and drops repetitions; returns how many are left. */
size_t rvm_sort_unique(int *list, size_t count);
/* Position of `wanted` in the ascending list, or `count`. `hint`, any number, is looked at first:
 * what comes in order is mostly the next of the list. */
size_t rvm_sort_find(const int *list, size_t count, int wanted, size_t hint);

#endif
