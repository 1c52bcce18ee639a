/* Searches side by side, some at a time. */
#include "search/batch.h"

#include <assert.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/parallel.h"

typedef struct {
    rvm_batch *batch;
    int first;
    rvm_batch_search *search;
    void *context;
    const volatile int *interrupted;
} job;

static rvm_status search_piece(void *context, size_t place, int worker, rvm_error *err)
{
    const job *j = context;
    const int number = j->first + (int)place;
    (void)err;
    j->batch->status[place] =
        number == 0 || !rvm_interrupted(j->interrupted)
            ? j->search(j->context, place, number, worker, &j->batch->fault[place])
            : rvm_fail_interrupted(&j->batch->fault[place]);
    return RVM_OK;
}

void rvm_batch_run(rvm_batch *b, int first, int count, rvm_batch_search *search, void *context,
                   int workers, const volatile int *interrupted)
{
    assert(count <= RVM_BATCH);
    memset(b, 0, sizeof *b);
    b->count = count;
    job j = { b, first, search, context, interrupted };
    rvm_share((size_t)count, search_piece, &j, workers, NULL);
}

rvm_status rvm_batch_status(const rvm_batch *b, bool is_found, rvm_error *err)
{
    int failed = -1;
    for (int k = 0; k < b->count; k++)
        if (b->status[k] != RVM_OK && (failed < 0 || b->status[k] == RVM_ENOMEM))
            failed = k;
    if (failed < 0 || (is_found && b->status[failed] != RVM_ENOMEM))
        return RVM_OK;
    if (err != NULL)
        *err = b->fault[failed];
    return b->status[failed];
}
