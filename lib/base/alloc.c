/* Arrays whose sizes are checked for overflow before memory is asked for. */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST_CAPACITY = 16 };

void *rvm_array(size_t count, size_t size)
{
    if (size > 0 && count > PTRDIFF_MAX / size)
        return NULL;
    /* Of 0 bytes calloc may return NULL, which would look like a failure. */
    return calloc(count > 0 ? count : 1, size > 0 ? size : 1);
}

bool rvm_grow(void *array, size_t *capacity, size_t need, size_t size)
{
    void *old, *grown;
    size_t room = *capacity;
    if (need <= room)
        return true;
    room += room / 2; /* cannot wrap: an array has at most PTRDIFF_MAX bytes */
    if (room < need)
        room = need;
    if (room < SMALLEST_CAPACITY)
        room = SMALLEST_CAPACITY;
    if (room > PTRDIFF_MAX / size)
        return false;
    memcpy(&old, array, sizeof old); /* `array` is the address of a pointer to any type */
    grown = realloc(old, room * size);
    if (grown == NULL)
        return false;
    memcpy(array, &grown, sizeof grown);
    *capacity = room;
    return true; /* cppcheck-suppress memleak ; kept in *array */
}
