/* Rows laid out for kernel evaluation. */
#include "basis/rows.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vecmath.h"
#include "data/problem.h"

/* Dense when few features occur at all, or when enough pairs are there that skipping the absent
 * ones would not pay: a dense pass handles a feature some four times faster than a sparse one. */
enum { DENSE_FEATURES = 32 };
static const double dense_share = 0.25;

double rvm_spline(double x, double z)
{
    const double m = fmin(x, z), m2 = m * m;
    return 1 + x * z * (1 + m) - 0.5 * (x + z) * m2 + m2 * m / 3;
}

static int compare_int(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Position of `index` in the ascending list, or `count`. `hint` is looked at first: pairs of a row
 * ascend, so the next feature is mostly the next of the list. */
static size_t find_feature(const int *list, size_t count, int index, size_t hint)
{
    if (hint < count && list[hint] == index)
        return hint;
    if (count == 0)
        return 0;
    const int *at = bsearch(&index, list, count, sizeof *list, compare_int);
    return at == NULL ? count : (size_t)(at - list);
}

/* Sorts list[0 .. total), whose first part is sorted already, and drops repetitions. */
static size_t sort_unique(int *list, size_t total)
{
    size_t kept = 0;
    qsort(list, total, sizeof *list, compare_int);
    for (size_t i = 0; i < total; i++)
        if (i == 0 || list[i] != list[kept - 1])
            list[kept++] = list[i];
    return kept;
}

/* What a value of the feature is multiplied by. *hint: the position to look at first. */
static double factor_of(const rvm_input_weights *inputs, rvm_combination by, int index,
                        size_t *hint)
{
    if (inputs == NULL)
        return 1;
    const size_t at = find_feature(inputs->index, inputs->count, index, *hint);
    *hint = at + 1;
    if (at == inputs->count)
        return 0;
    return by == RVM_BY_DISTANCES ? inputs->weight[at] : sqrt(inputs->weight[at]);
}

/* The features of a weight above 0 that occur in p, ascending. New ones behind all others are the
 * next of the list; others wait behind the sorted part of it until they are as many as it has: in
 * all O(pairs log features), and O(pairs) where rows have the same features. */
static bool collect_features(int **feature, size_t *count, const rvm_problem *p, rvm_combination by,
                             const rvm_input_weights *inputs)
{
    size_t capacity = 0, sorted = 0, total = 0, hint = 0, weight_hint = 0;
    for (size_t k = 0; k < p->start[p->rows]; k++) {
        if (factor_of(inputs, by, p->index[k], &weight_hint) <= 0)
            continue;
        const size_t at = find_feature(*feature, sorted, p->index[k], hint);
        hint = at + 1;
        if (at < sorted)
            continue;
        if (!rvm_grow(feature, &capacity, total + 1, sizeof **feature))
            return false;
        const bool next = total == sorted && (total == 0 || p->index[k] > (*feature)[total - 1]);
        (*feature)[total++] = p->index[k];
        if (next)
            hint = ++sorted;
        else if (total > 2 * sorted + 64)
            sorted = total = sort_unique(*feature, total);
    }
    *count = total > 0 ? sort_unique(*feature, total) : 0;
    return true;
}

bool rvm_rows_features(int **feature, size_t *count, const rvm_problem *p)
{
    *feature = NULL;
    if (collect_features(feature, count, p, RVM_BY_PRODUCTS, NULL))
        return true;
    free(*feature);
    return false;
}

/* A row's pair combined with the empty row. */
static double alone(rvm_combination by, double x)
{
    switch (by) {
    case RVM_BY_SQUARES:
        return x * x;
    case RVM_BY_DISTANCES:
        return fabs(x);
    case RVM_BY_SPLINE:
        return rvm_spline(x, 0);
    case RVM_BY_PRODUCTS:
    case RVM_BY_LOOKUP:
        break;
    }
    return 0;
}

static void accumulate(rvm_combination by, double *sum, double x)
{
    if (by == RVM_BY_SPLINE)
        *sum *= alone(by, x);
    else
        *sum += alone(by, x);
}

/* The largest number is as good as infinity, and differs by 0 from itself. */
static double weighted(double x, double factor)
{
    return factor == 1 ? x : fmax(-DBL_MAX, fmin(factor * x, DBL_MAX));
}

/* Copies the pairs of p, renumbered by the list of features; those not in it go into `rest`. */
static void copy_pairs(rvm_rows *r, const rvm_problem *p, const rvm_input_weights *inputs,
                       const int *original)
{
    const double neutral = r->by == RVM_BY_SPLINE ? 1 : 0;
    size_t to = 0;
    for (size_t i = 0; i < p->rows; i++) {
        size_t hint = 0, weight_hint = 0;
        r->self[i] = r->rest[i] = neutral;
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
            const double factor = factor_of(inputs, r->by, p->index[k], &weight_hint);
            if (factor <= 0)
                continue;
            const double x = weighted(p->value[k], factor);
            accumulate(r->by, &r->self[i], x);
            size_t at = find_feature(original, r->features, p->index[k], hint);
            hint = at + 1;
            if (at == r->features && r->by != RVM_BY_LOOKUP) {
                accumulate(r->by, &r->rest[i], x);
                r->has_rest = true;
            } else if (r->dense) {
                rvm_rows_dense(r, i)[at * RVM_PANEL] = x;
            } else {
                r->feature[to] = r->by == RVM_BY_LOOKUP ? p->index[k] : (int)at;
                r->value[to++] = x;
            }
        }
        if (!r->dense)
            r->start[i + 1] = to;
    }
}

static bool use_dense(const rvm_rows *r, const rvm_problem *p)
{
    if (r->by == RVM_BY_LOOKUP)
        return false;
    const double pairs = (double)p->start[p->rows];
    const size_t rows = (p->rows + RVM_PANEL - 1) / RVM_PANEL * RVM_PANEL; /* with what fills up */
    return r->features <= DENSE_FEATURES ||
           pairs > dense_share * (double)rows * (double)r->features;
}

static bool alloc_pairs(rvm_rows *r, const rvm_problem *p)
{
    const size_t pairs = p->start[p->rows];
    r->self = rvm_array(p->rows, sizeof *r->self);
    r->rest = rvm_array(p->rows, sizeof *r->rest);
    if (r->self == NULL || r->rest == NULL)
        return false;
    if (r->dense) {
        const size_t panels = (p->rows + RVM_PANEL - 1) / RVM_PANEL;
        if (r->features > 0 && panels > SIZE_MAX / r->features)
            return false;
        r->panel = rvm_vec_alloc(panels * r->features, RVM_PANEL);
        return r->panel != NULL;
    }
    r->start = rvm_array(p->rows + 1, sizeof *r->start);
    r->feature = rvm_array(pairs, sizeof *r->feature);
    r->value = rvm_array(pairs, sizeof *r->value);
    return r->start != NULL && r->feature != NULL && r->value != NULL;
}

rvm_rows *rvm_rows_layout(const rvm_problem *p, rvm_combination by, const rvm_input_weights *inputs,
                          const rvm_rows *like)
{
    rvm_rows *r = rvm_array(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->count = p->rows;
    r->by = by;
    r->is_like = like != NULL;
    if (like != NULL) {
        r->features = like->features;
        r->dense = like->dense;
    } else if (r->by == RVM_BY_LOOKUP ||
               collect_features(&r->original, &r->features, p, r->by, inputs)) {
        r->dense = use_dense(r, p);
    } else {
        goto failed;
    }
    if (!alloc_pairs(r, p))
        goto failed;
    copy_pairs(r, p, inputs, like != NULL ? like->original : r->original);
    return r;
failed:
    rvm_rows_free(r);
    return NULL;
}

void rvm_rows_free(rvm_rows *r)
{
    if (r == NULL)
        return;
    free(r->original);
    free(r->panel);
    free(r->start);
    free(r->feature);
    free(r->value);
    free(r->self);
    free(r->rest);
    free(r);
}

size_t rvm_rows_count(const rvm_rows *r)
{
    return r->count;
}

double *rvm_rows_dense(const rvm_rows *r, size_t i)
{
    return r->panel + i / RVM_PANEL * r->features * RVM_PANEL + i % RVM_PANEL;
}

double rvm_rows_apart(const rvm_rows *a, size_t i, const rvm_rows *b, size_t j)
{
    size_t k = a->start[i], l = b->start[j];
    const size_t k_end = a->start[i + 1], l_end = b->start[j + 1];
    double sum = a->rest[i] + b->rest[j];
    while (k < k_end || l < l_end) {
        const bool from_a = k < k_end && (l == l_end || a->feature[k] <= b->feature[l]);
        const bool from_b = l < l_end && (k == k_end || b->feature[l] <= a->feature[k]);
        const double d = (from_a ? a->value[k] : 0) - (from_b ? b->value[l] : 0);
        sum += alone(a->by, d);
        k += from_a;
        l += from_b;
    }
    return sum;
}
