/* Orders of the rows of a problem, and samples of them. */
#include "data/order.h"

#include <gsl/gsl_math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
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
    return order != 0 ? order : (i > j) - (i < j);
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

/* Selection sampling: row n is taken with the probability that it is among the `count - taken` of
 * the N - n that are left (Knuth 1998, section 3.4.2, algorithm S). */
rvm_status rvm_order_sample(size_t **row, size_t count, size_t N, gsl_rng *rng, rvm_error *err)
{
    size_t *sample = rvm_array(count, sizeof *sample), taken = 0;
    if (sample == NULL)
        return rvm_fail_memory(err, "a sample of the rows");
    for (size_t n = 0; n < N && taken < count; n++)
        if ((double)(N - n) * gsl_rng_uniform(rng) < (double)(count - taken))
            sample[taken++] = n;
    *row = sample;
    return RVM_OK;
}
