/* Copies of the rows that kernel functions sit on, where a team shares the rows. */
#include "basis/seats.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "data/shard.h"

rvm_seats *rvm_seats_alloc(const rvm_problem *p, const rvm_kernel_rows *like,
                           const rvm_kernel *kernel, const size_t *row, size_t first, size_t count)
{
    rvm_seats *s = rvm_array(1, sizeof *s);
    if (s != NULL)
        *s = (rvm_seats){
            .p = p, .like = like, .kernel = *kernel, .row = row, .first = first, .count = count
        };
    return s;
}

static void forget(rvm_seats *s)
{
    free(s->function);
    free(s->place);
    rvm_problem_free(s->rows);
    rvm_kernel_rows_free(s->sit);
    s->function = s->place = NULL;
    s->rows = NULL;
    s->sit = NULL;
    s->brought = 0;
}

void rvm_seats_free(rvm_seats *s)
{
    if (s != NULL)
        forget(s);
    free(s);
}

size_t rvm_seats_find(const rvm_seats *s, size_t function)
{
    const size_t at = rvm_sort_below(s->function, s->brought, function);
    assert(at < s->brought && s->function[at] == function);
    return at;
}

static bool has_all(const rvm_seats *s, const size_t *function, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!rvm_sort_has(s->function, s->brought, function[k]))
            return false;
    return true;
}

/* s->place[0 .. wanted): of the rows row[0 .. count) of this process, those of the others likewise. */
static rvm_status tell_places(rvm_seats *s, size_t *row, size_t count, size_t wanted,
                              rvm_error *err)
{
    const rvm_spans spans = rvm_problem_spans(s->p);
    size_t bytes;
    for (size_t k = 0; k < count; k++)
        row[k] += rvm_spans_first_row(&spans);
    s->place = rvm_team_collect(&bytes, s->p->team, row, count * sizeof *row);
    if (s->place == NULL)
        return rvm_fail_memory(err, "the rows of basis functions");
    return bytes == wanted * sizeof *row
               ? RVM_OK
               : rvm_fail(err, RVM_ENUMERIC,
                          "the processes have come to different functions: do they run on unlike "
                          "processors?");
}

static rvm_status bring(rvm_seats *s, const size_t *function, size_t count, size_t *mine,
                        rvm_error *err)
{
    size_t many = 0;
    for (size_t k = 0; k < count; k++)
        if (function[k] >= s->first && function[k] - s->first < s->count)
            mine[many++] = s->row[function[k] - s->first];
    s->function = rvm_array(count, sizeof *s->function);
    if (s->function == NULL)
        return rvm_fail_memory(err, "the rows of basis functions");
    if (count > 0)
        memcpy(s->function, function, count * sizeof *function);
    rvm_status status = rvm_shard_gather(&s->rows, s->p, mine, many, err);
    if (status == RVM_OK)
        status = tell_places(s, mine, many, count, err);
    if (status != RVM_OK)
        return status;
    s->brought = count;
    s->sit = rvm_kernel_rows_alloc(s->rows, &s->kernel, s->like);
    return s->sit == NULL ? rvm_fail_memory(err, "the rows of basis functions") : RVM_OK;
}

rvm_status rvm_seats_bring(rvm_seats *s, const size_t *function, size_t count, rvm_error *err)
{
    if (s->rows != NULL && has_all(s, function, count))
        return RVM_OK;
    size_t *mine = rvm_array(count, sizeof *mine);
    if (mine == NULL)
        return rvm_fail_memory(err, "the rows of basis functions");
    forget(s);
    const rvm_status status = bring(s, function, count, mine, err);
    free(mine);
    return status;
}
