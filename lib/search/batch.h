/* Searches side by side, some at a time.
 *
 * A batch has as many searches whatever the machine offers, so that which results are compared when
 * does not depend on the number of threads. */
#ifndef RVM_BATCH_H
#define RVM_BATCH_H

#include "base/error.h"

enum { RVM_BATCH = 4 };

/* Search `number` of all, into result `place` of the batch; `worker` as in parallel.h. */
typedef rvm_status rvm_batch_search(void *context, size_t place, int number, int worker,
                                    rvm_error *err);

/* How each search of a batch has ended. */
typedef struct {
    int count;
    rvm_status status[RVM_BATCH];
    rvm_error fault[RVM_BATCH];
} rvm_batch;

/* Searches number first .. first + count - 1, by at most `workers` threads. What one fails with is
 * no matter of the others. After an interrupt only the very first one begins, which leaves a model
 * at once; the others are RVM_EINTERRUPT. */
void rvm_batch_run(rvm_batch *b, int first, int count, rvm_batch_search *search, void *context,
                   int workers, const volatile int *interrupted);
/* RVM_OK where all searches have ended well, or some have been lost and there is a solution all the
 * same: one whose posterior left the range of numbers has lost, no more. Want of memory is always
 * an error. */
RVM_CHECKED rvm_status rvm_batch_status(const rvm_batch *b, bool is_found, rvm_error *err);

#endif
