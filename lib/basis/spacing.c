/* How far apart two rows are, as a kernel sees it. */
#include "basis/spacing.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "basis/kernel.h"
#include "data/problem.h"
#include "data/shard.h"

enum {
    PAIRS = 1000, /* whose median is the typical one */
    ROWS = 200    /* whose nearest ones are looked for */
};

/* One feature of two rows, combined as the kernel does. */
static double combined(rvm_combination by, double x, double z)
{
    if (by == RVM_BY_SQUARES)
        return gsl_pow_2(x - z);
    return by == RVM_BY_DISTANCES ? fabs(x - z) : x * z;
}

static double combined_rows(rvm_kernel_type type, const rvm_problem *p, size_t i, size_t j)
{
    const rvm_combination by = rvm_kernel_combination(type);
    size_t k = p->start[i], l = p->start[j];
    double sum = 0;
    while (k < p->start[i + 1] || l < p->start[j + 1]) {
        const bool in_i =
            k < p->start[i + 1] && (l == p->start[j + 1] || p->index[k] <= p->index[l]);
        const bool in_j =
            l < p->start[j + 1] && (k == p->start[i + 1] || p->index[l] <= p->index[k]);
        sum += combined(by, in_i ? p->value[k] : 0, in_j ? p->value[l] : 0);
        k += in_i;
        l += in_j;
    }
    return fabs(sum);
}

/* *rows: copies of those rows of a team; row[k] becomes the place there. */
static rvm_status pick(rvm_problem **rows, size_t *row, size_t count, const rvm_problem *p,
                       rvm_error *err)
{
    size_t sorted[2 * PAIRS];
    memcpy(sorted, row, count * sizeof *row);
    const size_t kept = rvm_sort_unique_numbers(sorted, count);
    for (size_t k = 0; k < count; k++)
        row[k] = rvm_sort_below(sorted, kept, row[k]);
    return rvm_shard_pick(rows, p, NULL, sorted, kept, err);
}

rvm_status rvm_spacing_typical(double *out, rvm_kernel_type type, const rvm_problem *p,
                               const size_t *order, gsl_rng *rng, rvm_error *err)
{
    size_t row[2 * PAIRS], count = 0;
    double size[PAIRS];
    rvm_problem *picked = NULL;
    for (int k = 0; k < 2 * PAIRS; k++)
        row[k] = gsl_rng_uniform_int(rng, rvm_problem_all(p));
    const rvm_status status =
        p->team == NULL ? RVM_OK : pick(&picked, row, sizeof row / sizeof *row, p, err);
    if (status != RVM_OK)
        return status;
    for (int k = 0; k < PAIRS; k++) {
        const size_t i = row[2 * k], j = row[2 * k + 1];
        const double d = picked != NULL || order == NULL
                             ? combined_rows(type, picked != NULL ? picked : p, i, j)
                             : combined_rows(type, p, order[i], order[j]);
        if (d > 0 && isfinite(d))
            size[count++] = d;
    }
    rvm_problem_free(picked);
    *out = count > 0 ? gsl_stats_median(size, 1, count) : 1;
    return RVM_OK;
}

/* Infinite where no row differs. */
static double nearest_to(rvm_kernel_type type, const rvm_problem *p, size_t i)
{
    double least = INFINITY;
    for (size_t j = 0; j < p->rows; j++) {
        const double d = combined_rows(type, p, i, j);
        if (d > 0 && d < least)
            least = d;
    }
    return least;
}

double rvm_spacing_nearest(rvm_kernel_type type, const rvm_problem *p)
{
    double size[ROWS];
    size_t count = 0;
    const size_t rows = GSL_MIN(p->rows, (size_t)ROWS);
    for (size_t k = 0; k < rows; k++) {
        const double d = nearest_to(type, p, k * p->rows / rows);
        if (isfinite(d))
            size[count++] = d;
    }
    return count > 0 ? gsl_stats_median(size, 1, count) : 1;
}
