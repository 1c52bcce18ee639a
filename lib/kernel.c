/* Level 2: kernels, one table row each, and blocks of kernel values.
 *
 * A block is computed in tiles of TILE rows of b. A tile holds its rows transposed, feature by
 * feature, so that a row x of a is combined with all of them in vector loops:
 *
 *     dense    sum_j = rest(x) (+) combine over all F features of x_f with z_jf
 *     sparse   sum_j = self(x) (+) self(z_j) (+) a correction for each non-zero of x that the tile
 *              has too; |x-z|^2 = x'x + z'z - 2 x'z for instance
 *
 * Squares and distances are taken of differences in the dense layout: inputs with a large common
 * offset lose nothing there. */
#include "kernel.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "error.h"
#include "vecmath.h"

enum {
    TILE = 128,            /* rows of a tile at the most */
    TILE_NUMBERS = 4 << 20 /* numbers of a tile, beyond which it gets fewer rows */
};

/* ---- The table ------------------------------------------------------------------------------ */

static void linear_finish(double *a, size_t n, const rvm_kernel *k)
{
    (void)a, (void)n, (void)k;
}

static void scale(double *a, size_t n, double factor, double offset)
{
    for (size_t j = 0; j < n; j++)
        a[j] = factor * a[j] + offset;
}

static void polynomial_finish(double *a, size_t n, const rvm_kernel *k)
{
    scale(a, n, k->gamma, k->coef0);
    rvm_vec_power(a, k->degree, n);
}

static void decay_finish(double *a, size_t n, const rvm_kernel *k)
{
    rvm_vec_decay(a, k->gamma, n);
}

static void sigmoid_finish(double *a, size_t n, const rvm_kernel *k)
{
    scale(a, n, k->gamma, k->coef0);
    rvm_vec_tanh(a, n);
}

typedef struct {
    const char *name; /* in the model file and for --kernel */
    int number;       /* value of -t */
    unsigned uses;
    rvm_combination by;
    void (*finish)(double *a, size_t n, const rvm_kernel *k); /* combined rows in, values out */
} kernel_row;

static const kernel_row kernels[] = {
    [RVM_LINEAR] = { "linear", 0, 0, RVM_BY_PRODUCTS, linear_finish },
    [RVM_POLYNOMIAL] = { "polynomial", 1, RVM_USES_GAMMA | RVM_USES_DEGREE | RVM_USES_COEF0,
                         RVM_BY_PRODUCTS, polynomial_finish },
    [RVM_RBF] = { "rbf", 2, RVM_USES_GAMMA, RVM_BY_SQUARES, decay_finish },
    [RVM_SIGMOID] = { "sigmoid", 3, RVM_USES_GAMMA | RVM_USES_COEF0, RVM_BY_PRODUCTS,
                      sigmoid_finish },
    [RVM_PRECOMPUTED] = { "precomputed", 4, 0, RVM_BY_LOOKUP, linear_finish },
    [RVM_LAPLACIAN] = { "laplacian", 5, RVM_USES_GAMMA, RVM_BY_DISTANCES, decay_finish },
    [RVM_SPLINE] = { "spline", 6, 0, RVM_BY_SPLINE, linear_finish },
};
static const size_t kernel_count = sizeof kernels / sizeof kernels[0];

const char *rvm_kernel_name(rvm_kernel_type type)
{
    return (size_t)type < kernel_count ? kernels[type].name : NULL;
}

bool rvm_kernel_by_name(rvm_kernel_type *out, const char *name)
{
    for (size_t i = 0; i < kernel_count; i++)
        if (strcmp(kernels[i].name, name) == 0) {
            *out = (rvm_kernel_type)i;
            return true;
        }
    return false;
}

bool rvm_kernel_by_number(rvm_kernel_type *out, int number)
{
    for (size_t i = 0; i < kernel_count; i++)
        if (kernels[i].number == number) {
            *out = (rvm_kernel_type)i;
            return true;
        }
    return false;
}

unsigned rvm_kernel_uses(rvm_kernel_type type)
{
    return kernels[type].uses;
}

rvm_rows *rvm_rows_alloc(const rvm_problem *p, const rvm_kernel *kernel, const rvm_rows *like)
{
    return rvm_rows_layout(p, kernels[kernel->type].by, like);
}

/* ---- Tiles ---------------------------------------------------------------------------------- */

typedef struct {
    size_t first, width; /* rows of b */
    int *place;          /* sparse: owned, F: line of z that holds the feature, or -1 */
    double *z;           /* owned: lines x span */
    size_t lines, line_capacity;
    size_t span; /* rows there is room for: RVM_LANES to TILE, in whole vectors */
    double self[TILE], rest[TILE];
    double value[TILE]; /* scratch */

} tile;

/* As many rows as a block has columns, and fewer where they have very many features. */
static size_t tile_span(const rvm_rows *b, size_t columns)
{
    size_t span = TILE;
    while (b->dense && span > RVM_LANES && b->features > TILE_NUMBERS / span)
        span /= 2;
    while (span > RVM_LANES && span / 2 >= columns)
        span /= 2;
    return span;
}

static bool tile_alloc(tile *t, const rvm_rows *b, size_t columns)
{
    memset(t, 0, sizeof *t);
    t->span = tile_span(b, columns);
    if (b->by == RVM_BY_LOOKUP)
        return true;
    if (b->dense) {
        t->lines = b->features;
        if (t->lines > SIZE_MAX / t->span)
            return false;
        t->z = rvm_array(t->lines * t->span, sizeof *t->z);
        return t->z != NULL;
    }
    t->place = rvm_array(b->features, sizeof *t->place);
    return t->place != NULL;
}

static void tile_free(tile *t)
{
    free(t->place);
    free(t->z);
}

static void load_dense(tile *t, const rvm_rows *b)
{
    for (size_t f = 0; f < b->features; f++)
        for (size_t j = 0; j < t->span; j++)
            t->z[f * t->span + j] = j < t->width ? b->full[(t->first + j) * b->features + f] : 0;
}

static bool load_sparse(tile *t, const rvm_rows *b)
{
    for (size_t f = 0; f < b->features; f++)
        t->place[f] = -1;
    t->lines = 0;
    for (size_t j = 0; j < t->width; j++)
        for (size_t k = b->start[t->first + j]; k < b->start[t->first + j + 1]; k++) {
            int *place = &t->place[b->feature[k]];
            if (*place < 0) {
                if (!rvm_grow(&t->z, &t->line_capacity, t->lines + 1, t->span * sizeof *t->z))
                    return false;
                memset(t->z + t->lines * t->span, 0, t->span * sizeof *t->z);
                *place = (int)t->lines++;
            }
            t->z[(size_t)*place * t->span + j] = b->value[k];
        }
    return true;
}

static bool tile_load(tile *t, const rvm_rows *b, size_t first, size_t width)
{
    t->first = first;
    t->width = width;
    const double neutral = b->by == RVM_BY_SPLINE ? 1 : 0;
    for (size_t j = 0; j < t->span; j++) {
        t->self[j] = j < width ? b->self[first + j] : neutral;
        t->rest[j] = j < width ? b->rest[first + j] : neutral;
    }
    if (b->by == RVM_BY_LOOKUP)
        return true;
    if (!b->dense)
        return load_sparse(t, b);
    load_dense(t, b);
    return true;
}

/* ---- One row against a tile ----------------------------------------------------------------- */

static void combine_dense(tile *t, const rvm_rows *a, size_t i)
{
    const double *x = a->full + i * a->features;
    const size_t F = a->features;
    for (size_t j = 0; j < t->span; j++)
        t->value[j] = a->by == RVM_BY_SPLINE ? a->rest[i] * t->rest[j] : a->rest[i] + t->rest[j];
    switch (a->by) {
    case RVM_BY_PRODUCTS:
        rvm_vec_add_products(t->value, x, t->z, F, t->span);
        break;
    case RVM_BY_SQUARES:
        rvm_vec_add_squares(t->value, x, t->z, F, t->span);
        break;
    case RVM_BY_DISTANCES:
        rvm_vec_add_distances(t->value, x, t->z, F, t->span);
        break;
    case RVM_BY_SPLINE:
        for (size_t f = 0; f < F; f++)
            rvm_vec_times_spline(t->value, x[f], t->z + f * t->span, t->span);
        break;
    case RVM_BY_LOOKUP:
        break;
    }
}

/* What the pairs that both rows have change against rows that share nothing: the sum of x z, or of
 * |x - z| - |x| - |z|, or the product of spline(x, z) / (spline(x, 0) spline(0, z)). A feature that z
 * does not have contributes exactly nothing, whatever the other rows of the tile. */
static void combine_shared(tile *t, const rvm_rows *a, size_t i)
{
    for (size_t k = a->start[i]; k < a->start[i + 1]; k++) {
        const int place = t->place[a->feature[k]];
        const double x = a->value[k];
        if (place < 0)
            continue;
        const double *z = t->z + (size_t)place * t->span;
        if (a->by == RVM_BY_DISTANCES)
            rvm_vec_add_distance_excess(t->value, x, z, t->span);
        else if (a->by != RVM_BY_SPLINE)
            rvm_vec_add_products(t->value, &x, z, 1, t->span);
        else
            for (size_t j = 0; j < t->span; j++)
                if (z[j] != 0)
                    t->value[j] *= rvm_spline(x, z[j]) / (rvm_spline(x, 0) * rvm_spline(0, z[j]));
    }
}

/* |x - z|^2 = x'x + z'z - 2 x'z, and |x - z|_1 likewise, but for rows whose own sums are out of
 * range. */
static void expand_distances(tile *t, const rvm_rows *a, size_t i, const rvm_rows *b)
{
    const double self = a->self[i], factor = a->by == RVM_BY_SQUARES ? -2 : 1;
    for (size_t j = 0; j < t->span; j++) {
        if (self + t->self[j] < DBL_MAX)
            t->value[j] = fmax(0, self + t->self[j] + factor * t->value[j]);
        else
            t->value[j] = j < t->width ? rvm_rows_apart(a, i, b, t->first + j) : 0;
    }
}

static void combine_sparse(tile *t, const rvm_rows *a, size_t i, const rvm_rows *b)
{
    for (size_t j = 0; j < t->span; j++)
        t->value[j] = a->by == RVM_BY_SPLINE ? 1 : 0;
    combine_shared(t, a, i);
    if (a->by == RVM_BY_SQUARES || a->by == RVM_BY_DISTANCES)
        expand_distances(t, a, i, b);
    else if (a->by == RVM_BY_SPLINE)
        for (size_t j = 0; j < t->span; j++)
            t->value[j] *= a->self[i] * t->self[j];
}

static int compare_int(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Entry `serial` of a row of a kernel matrix; 0 where the row does not have it. Full rows have it
 * at that very place. */
static double look_up(const rvm_rows *r, size_t i, int serial)
{
    const size_t first = r->start[i], count = r->start[i + 1] - first;
    if (serial >= 0 && (size_t)serial < count && r->feature[first + (size_t)serial] == serial)
        return r->value[first + (size_t)serial];
    const int *at = bsearch(&serial, r->feature + first, count, sizeof *at, compare_int);
    return at == NULL ? 0 : r->value[at - r->feature];
}

/* The functions belong to the rows that were laid out first; the others hold the values. */
static void combine_lookup(tile *t, const rvm_rows *a, size_t i, const rvm_rows *b)
{
    for (size_t j = 0; j < t->width; j++) {
        const size_t row = t->first + j;
        if (a->is_like)
            t->value[j] = look_up(a, i, (int)b->value[b->start[row]]);
        else
            t->value[j] = look_up(b, row, (int)a->value[a->start[i]]);
    }
}

static bool all_finite(const double *a, size_t n)
{
    double worst = 0;
    for (size_t j = 0; j < n; j++)
        worst += 0 * a[j]; /* nan as soon as one is not finite */
    return worst == 0;
}

/* ---- Blocks --------------------------------------------------------------------------------- */

static rvm_status fill_tile(gsl_matrix *block, size_t column, tile *t, const rvm_kernel *kernel,
                            const rvm_rows *a, const size_t *a_id, const rvm_rows *b,
                            rvm_error *err)
{
    for (size_t i = 0; i < block->size1; i++) {
        const size_t row = a_id == NULL ? i : a_id[i];
        if (a->by == RVM_BY_LOOKUP)
            combine_lookup(t, a, row, b);
        else if (a->dense)
            combine_dense(t, a, row);
        else
            combine_sparse(t, a, row, b);
        kernels[kernel->type].finish(t->value, t->span, kernel);
        if (!all_finite(t->value, t->width))
            return rvm_fail(err, RVM_ENUMERIC, "a kernel value is out of range: scale the data");
        memcpy(gsl_matrix_ptr(block, i, column), t->value, t->width * sizeof *t->value);
    }
    return RVM_OK;
}

rvm_status rvm_kernel_block(gsl_matrix *block, const rvm_kernel *kernel, const rvm_rows *a,
                            const size_t *a_id, const rvm_rows *b, size_t b_first, rvm_error *err)
{
    rvm_status status = RVM_OK;
    tile *t = rvm_array(1, sizeof *t);
    if (t == NULL || !tile_alloc(t, b, block->size2)) {
        free(t);
        return rvm_fail_memory(err, "a block of kernel values");
    }
    for (size_t j = 0; j < block->size2 && status == RVM_OK; j += t->span) {
        const size_t width = block->size2 - j < t->span ? block->size2 - j : t->span;
        if (tile_load(t, b, b_first + j, width))
            status = fill_tile(block, j, t, kernel, a, a_id, b, err);
        else
            status = rvm_fail_memory(err, "a block of kernel values");
    }
    tile_free(t);
    free(t);
    return status;
}

rvm_status rvm_kernel_rows(gsl_matrix *block, const rvm_kernel *kernel, const rvm_rows *a,
                           const rvm_rows *b, rvm_error *err)
{
    return rvm_kernel_block(block, kernel, a, NULL, b, 0, err);
}
