/* A search that has ended, as a file has it: its solution, and what it reports. */
#ifndef RVM_ENDED_H
#define RVM_ENDED_H

#include "search/search.h"

/* Writes what `search`, of that type and y, has come to. */
void rvm_ended_write(rvm_codec *c, const rvm_search_type *type, const void *search,
                     const rvm_study *y, size_t latents);
/* Reads it. *search (owned by the caller, rvm_search_free) stands for one of type `of`, and is of
 * *type, which must outlive it; y is borrowed. */
void rvm_ended_read(rvm_codec *c, void **search, rvm_search_type *type, const rvm_search_type *of,
                    const rvm_study *y, size_t latents, int threads);

#endif
