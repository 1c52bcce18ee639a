/* Ascending lists of whole numbers. */
#ifndef RVM_SORT_H
#define RVM_SORT_H

#include <stdbool.h>
#include <stddef.h>

/* Sorts list[0 .. count) and drops repetitions; returns how many are left. */
size_t rvm_sort_unique(int *list, size_t count);
/* Position of `wanted` in the ascending list, or `count`. `hint`, any number, is looked at first:
 * what comes in order is mostly the next of the list. */
size_t rvm_sort_find(const int *list, size_t count, int wanted, size_t hint);

/* The same of numbers that count something; */
size_t rvm_sort_unique_numbers(size_t *list, size_t count);
/* how many of the ascending list are below `bound`, */
size_t rvm_sort_below(const size_t *list, size_t count, size_t bound);
/* and whether `wanted` is one of them. */
bool rvm_sort_has(const size_t *list, size_t count, size_t wanted);

#endif
