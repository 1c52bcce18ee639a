/* The rows that stand for all where few are looked at. */
#include "search/sample.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/order.h"
#include "data/shard.h"

static rvm_status draw_rows(size_t **row, size_t count, size_t N, unsigned long seed,
                            rvm_error *err)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (rng == NULL)
        return rvm_fail_memory(err, "random numbers");
    gsl_rng_set(rng, seed);
    const rvm_status status = rvm_order_sample(row, count, N, rng, err);
    gsl_rng_free(rng);
    return status;
}

/* Copies are neighbours: the rows of a study are sorted by features, then by targets. */
static rvm_status drop_copies(rvm_problem **p, size_t *row, rvm_error *err)
{
    rvm_problem *all = *p;
    size_t *kept = rvm_array(all->rows, sizeof *kept), count = 0;
    for (size_t n = 0; n < all->rows && kept != NULL; n++)
        if (count == 0 || !rvm_order_copy(all, kept[count - 1], n)) {
            row[count] = row[n];
            kept[count++] = n;
        }
    if (kept == NULL || count < all->rows) {
        *p = kept == NULL ? NULL : rvm_problem_subset(all, kept, count);
        rvm_problem_free(all);
    }
    free(kept);
    return *p == NULL ? rvm_fail_memory(err, "a part of the rows") : RVM_OK;
}

rvm_status rvm_sample_rows(rvm_problem **p, size_t **row, const rvm_study *y, size_t most,
                           unsigned long seed, rvm_error *err)
{
    const size_t N = rvm_problem_all(y->p), count = GSL_MIN(most, N);
    *p = NULL;
    *row = NULL;
    rvm_status status = draw_rows(row, count, N, seed, err);
    if (status == RVM_OK)
        status = rvm_shard_pick(p, y->p, NULL, *row, count, err);
    if (status == RVM_OK && y->observed.likelihood->has_noise)
        status = drop_copies(p, *row, err);
    return status;
}
