/* Ascending lists of whole numbers. */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

static int compare_int(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int compare_numbers(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Of a sorted list of things of that size; returns how many are left. */
static size_t drop_repetitions(void *list, size_t count, size_t size)
{
    char *last = list;
    for (size_t i = 1; i < count; i++) {
        const char *next = (const char *)list + i * size;
        if (memcmp(last, next, size) != 0)
            last = memmove(last + size, next, size);
    }
    return count == 0 ? 0 : (size_t)(last - (char *)list) / size + 1;
}

size_t rvm_sort_unique(int *list, size_t count)
{
    if (count > 0)
        qsort(list, count, sizeof *list, compare_int);
    return drop_repetitions(list, count, sizeof *list);
}

size_t rvm_sort_unique_numbers(size_t *list, size_t count)
{
    if (count > 0)
        qsort(list, count, sizeof *list, compare_numbers);
    return drop_repetitions(list, count, sizeof *list);
}

size_t rvm_sort_find(const int *list, size_t count, int wanted, size_t hint)
{
    if (hint < count && list[hint] == wanted)
        return hint;
    if (count == 0)
        return 0;
    size_t low = 0, high = count; /* without jumps, unlike bsearch */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        const bool before = list[middle] <= wanted;
        low = before ? middle : low;
        high = before ? high : middle;
    }
    return list[low] == wanted ? low : count;
}

size_t rvm_sort_below(const size_t *list, size_t count, size_t bound)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle] < bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool rvm_sort_has(const size_t *list, size_t count, size_t wanted)
{
    const size_t place = rvm_sort_below(list, count, wanted);
    return place < count && list[place] == wanted;
}
