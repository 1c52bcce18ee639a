/* Orders of the rows of a problem, and samples of them. */
#include "data/order.h"

#include <gsl/gsl_math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/sort.h"
#include "data/problem.h"

/* A row with what compares it: qsort hands over nothing else. */
typedef struct {
    const rvm_problem *p;
    size_t row;
} placed_row;

/* Features in lexicographic order, an absent one counting as 0. */
static int compare_features(const rvm_problem *p, size_t a, const rvm_problem *q, size_t b)
{
    size_t i = p->start[a], j = q->start[b];
    const size_t i_end = p->start[a + 1], j_end = q->start[b + 1];
    const long long none = (long long)GSL_MAX(p->max_index, q->max_index) + 1;
    while (i < i_end || j < j_end) {
        const long long fa = i < i_end ? p->index[i] : none, fb = j < j_end ? q->index[j] : none;
        const double x = fa <= fb ? p->value[i] : 0, z = fb <= fa ? q->value[j] : 0;
        if (x != z)
            return x < z ? -1 : 1;
        i += fa <= fb;
        j += fb <= fa;
    }
    return 0;
}

bool rvm_order_same(const rvm_problem *p, size_t a, size_t b)
{
    return compare_features(p, a, p, b) == 0;
}

bool rvm_order_alike(const rvm_problem *p, size_t a, const rvm_problem *q, size_t b)
{
    return compare_features(p, a, q, b) == 0;
}

int rvm_order_compare(const rvm_problem *p, size_t a, const rvm_problem *q, size_t b)
{
    const int features = compare_features(p, a, q, b);
    if (features != 0)
        return features;
    const double *s = rvm_problem_targets(p, a), *t = rvm_problem_targets(q, b);
    for (size_t k = 0; k < p->outputs; k++)
        if (s[k] != t[k])
            return s[k] < t[k] ? -1 : 1;
    return 0;
}

static int compare_rows(const void *a, const void *b)
{
    const rvm_problem *p = ((const placed_row *)a)->p;
    const size_t i = ((const placed_row *)a)->row, j = ((const placed_row *)b)->row;
    const int order = rvm_order_compare(p, i, p, j);
    const size_t a_number = rvm_problem_number(p, i), b_number = rvm_problem_number(p, j);
    return order != 0 ? order : (a_number > b_number) - (a_number < b_number);
}

rvm_status rvm_order_rows(size_t **row, const rvm_problem *p, rvm_error *err)
{
    placed_row *placed = rvm_array(p->rows, sizeof *placed);
    size_t *order = rvm_array(p->rows, sizeof *order);
    if (placed == NULL || order == NULL) {
        free(placed);
        free(order);
        return rvm_fail_memory(err, "the order of the rows");
    }
    for (size_t i = 0; i < p->rows; i++)
        placed[i] = (placed_row){ p, i };
    qsort(placed, p->rows, sizeof *placed, compare_rows);
    for (size_t i = 0; i < p->rows; i++)
        order[i] = placed[i].row;
    free(placed);
    *row = order;
    return RVM_OK;
}

bool rvm_order_copy(const rvm_problem *p, size_t a, size_t b)
{
    return rvm_order_same(p, a, b) && memcmp(p->target + a * p->outputs, p->target + b * p->outputs,
                                             p->outputs * sizeof *p->target) == 0;
}

/* ---- Samples -------------------------------------------------------------------------------- */

/* One of 0 .. N - 1; GSL's generators give 32 bits at a time. */
static size_t draw_one(size_t N, gsl_rng *rng)
{
    const size_t part = (size_t)1 << 31, parts = (N - 1) / part + 1;
    size_t drawn = N;
    if (parts == 1)
        return gsl_rng_uniform_int(rng, N);
    while (drawn >= N)
        drawn = gsl_rng_uniform_int(rng, parts) * part + gsl_rng_uniform_int(rng, part);
    return drawn;
}

/* Selection sampling: n is taken with the probability that it is among the `count - taken` of the
 * N - n that are left (Knuth 1998, section 3.4.2, algorithm S). */
static void select_some(size_t *sample, size_t count, size_t N, gsl_rng *rng)
{
    size_t taken = 0;
    for (size_t n = 0; n < N && taken < count; n++)
        if ((double)(N - n) * gsl_rng_uniform(rng) < (double)(count - taken))
            sample[taken++] = n;
}

/* Numbers are drawn with repetition until `count` of them differ, which any set of so many is as
 * likely to be the first to do as another. Never more at a time than are missing, so that none is
 * left over. */
static void draw_few(size_t *sample, size_t count, size_t N, gsl_rng *rng)
{
    size_t found = 0;
    while (found < count) {
        for (size_t k = found; k < count; k++)
            sample[k] = draw_one(N, rng);
        found = rvm_sort_unique_numbers(sample, count);
    }
}

/* Into sample[0 .. count), ascending. */
static void draw(size_t *sample, size_t count, size_t N, gsl_rng *rng)
{
    enum { FEW = 8 }; /* less than one of so many: repetitions are rare */
    if (count < N / FEW)
        draw_few(sample, count, N, rng);
    else
        select_some(sample, count, N, rng);
}

rvm_status rvm_order_sample(size_t **row, size_t count, size_t N, gsl_rng *rng, rvm_error *err)
{
    size_t *sample = rvm_array(count, sizeof *sample);
    if (sample == NULL)
        return rvm_fail_memory(err, "a sample of the rows");
    draw(sample, count, N, rng);
    *row = sample;
    return RVM_OK;
}

/* How many of `count` are below row `first` of N: products are exact for all N below 2^32. */
static size_t share_below(size_t first, size_t count, size_t N)
{
    return (size_t)((uint64_t)first * count / N);
}

/* Of a sample of `count` in span k: spans, counts and seeds have draws of their own. */
static unsigned long seed_of(unsigned long seed, size_t count, size_t k)
{
    const uint64_t sample = rvm_hash_spread(rvm_hash_spread(seed) + count);
    return (unsigned long)(rvm_hash_spread(sample + k) >> 32);
}

rvm_status rvm_order_sample_spans(size_t **row, size_t *here, const rvm_spans *spans, size_t count,
                                  unsigned long seed, rvm_error *err)
{
    const size_t begin = rvm_spans_first_row(spans), N = spans->N;
    const size_t end = begin + rvm_spans_here(spans);
    *here = share_below(end, count, N) - share_below(begin, count, N);
    size_t *sample = rvm_array(*here, sizeof *sample), taken = 0;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (sample == NULL || rng == NULL) {
        free(sample);
        gsl_rng_free(rng);
        return rvm_fail_memory(err, "a sample of the rows");
    }
    for (size_t k = spans->first; k < spans->end; k++) {
        const size_t first = k * spans->rows, last = GSL_MIN(first + spans->rows, N);
        const size_t some = share_below(last, count, N) - share_below(first, count, N);
        gsl_rng_set(rng, seed_of(seed, count, k));
        draw(sample + taken, some, last - first, rng);
        for (size_t n = 0; n < some; n++)
            sample[taken++] += first - begin;
    }
    gsl_rng_free(rng);
    *row = sample;
    return RVM_OK;
}
