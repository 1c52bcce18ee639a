/* The rows that stand for all where few are looked at. */
#include "product/sample.h"

#include <gsl/gsl_rng.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/order.h"
#include "data/problem.h"

/* Copies are neighbours: the rows of a study are sorted by features, then by targets. */
static rvm_status list_rows(size_t **row, size_t *count, const rvm_study *y, rvm_error *err)
{
    const bool has_noise = y->observed.likelihood->has_noise;
    *count = 0;
    *row = rvm_array(y->p->rows, sizeof **row);
    if (*row == NULL)
        return rvm_fail_memory(err, "a part of the rows");
    for (size_t n = 0; n < y->p->rows; n++)
        if (n == 0 || !has_noise || !rvm_order_copy(y->p, n - 1, n))
            (*row)[(*count)++] = n;
    return RVM_OK;
}

/* Leaves `most` of `count` rows. */
static rvm_status draw_rows(size_t *row, size_t most, size_t count, unsigned long seed,
                            rvm_error *err)
{
    size_t *drawn = NULL;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (rng == NULL)
        return rvm_fail_memory(err, "random numbers");
    gsl_rng_set(rng, seed);
    const rvm_status status = rvm_order_sample(&drawn, most, count, rng, err);
    gsl_rng_free(rng);
    for (size_t n = 0; n < most && status == RVM_OK; n++)
        row[n] = row[drawn[n]]; /* they ascend: drawn[n] >= n */
    free(drawn);
    return status;
}

rvm_status rvm_sample_rows(size_t **row, size_t *count, const rvm_study *y, size_t most,
                           unsigned long seed, rvm_error *err)
{
    const rvm_status status = list_rows(row, count, y, err);
    if (status != RVM_OK || *count <= most)
        return status;
    const size_t all = *count;
    *count = most;
    return draw_rows(*row, most, all, seed, err);
}
