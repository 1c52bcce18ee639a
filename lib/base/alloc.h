/* Arrays whose sizes are checked for overflow before memory is asked for. */
#ifndef RVM_ALLOC_H
#define RVM_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* NULL when there is no memory or the size overflows; count 0 gives a pointer that can be freed.
 * All bytes zero. */
void *rvm_array(size_t count, size_t size);
/* *array (NULL at first) of `size`-byte elements holds at least `need` afterwards; *capacity is
 * the number it has room for and grows geometrically, so that appending is linear in all. False,
 * and nothing changed, when there is no memory. New elements are not zeroed. */
bool rvm_grow(void *array, size_t *capacity, size_t need, size_t size);

#endif
