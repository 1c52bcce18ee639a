/* Kernels, one table row each; rows laid out for them, and blocks of kernel values.
 *
 *     dense    combine over all F features of x_f with z_f, for RVM_ROWS rows x and a panel of
 *              rows z at once; then (+) rest(x) (+) rest(z)
 *     sparse   self(x) (+) self(z) (+) a correction for each non-zero of x that z has too;
 *              |x-z|^2 = x'x + z'z - 2 x'z for instance. Some rows z make a tile, transposed, so
 *              that a row x is combined with all of them in vector loops
 *
 * Squares and distances are taken of differences in the dense layout: inputs with a large common
 * offset lose nothing there. */
#include "basis/kernel.h"

#include <assert.h>
#include <float.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "data/problem.h"

enum {
    TILE = 128,               /* rows z at the most that are worked on together */
    TILE_NUMBERS = 1 << 14,   /* their numbers, dense: what fits in the cache of a core ... */
    ROWS_NUMBERS = 1 << 14,   /* ... beside numbers of the rows x */
    SPARSE_NUMBERS = 1 << 16, /* numbers of a sparse tile */
    TOGETHER = 4              /* lines of a sparse tile that are added in one pass */
};

/* ---- The table ------------------------------------------------------------------------------ */

static void linear_finish(double *a, size_t n, const rvm_kernel *k)
{
    (void)a, (void)n, (void)k;
}

RVM_WIDEST
static void scale(double *a, size_t n, double factor, double offset)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        a[j] = factor * a[j] + offset;
}

static void linear_derivative(double *a, size_t n, const rvm_kernel *k)
{
    (void)k;
    for (size_t j = 0; j < n; j++)
        a[j] = 1;
}

static void polynomial_finish(double *a, size_t n, const rvm_kernel *k)
{
    scale(a, n, k->gamma, k->coef0);
    rvm_vec_power(a, k->degree, n);
}

static void zero_finish(double *a, size_t n, const rvm_kernel *k)
{
    (void)k;
    memset(a, 0, n * sizeof *a);
}

static void polynomial_derivative(double *a, size_t n, const rvm_kernel *k)
{
    scale(a, n, k->gamma, k->coef0);
    rvm_vec_power(a, GSL_MAX(k->degree, 1) - 1, n);
    scale(a, n, k->degree * k->gamma, 0);
}

static void decay_finish(double *a, size_t n, const rvm_kernel *k)
{
    rvm_vec_decay(a, k->gamma, n);
}

static void decay_derivative(double *a, size_t n, const rvm_kernel *k)
{
    rvm_vec_decay(a, k->gamma, n);
    scale(a, n, -k->gamma, 0);
}

static void sigmoid_finish(double *a, size_t n, const rvm_kernel *k)
{
    scale(a, n, k->gamma, k->coef0);
    rvm_vec_tanh(a, n);
}

static void sigmoid_derivative(double *a, size_t n, const rvm_kernel *k)
{
    sigmoid_finish(a, n, k);
    for (size_t j = 0; j < n; j++)
        a[j] = k->gamma * (1 - a[j] * a[j]);
}

/* Combined rows in, values out. */
typedef void finisher(double *a, size_t n, const rvm_kernel *k);

typedef struct {
    const char *name; /* in the model file and for --kernel */
    int number;       /* value of -t */
    unsigned uses;
    rvm_combination by;
    bool covariance; /* positive semidefinite, unless coef0 is negative */
    bool bounded;    /* values are finite whatever the rows */
    finisher *finish;
    finisher
        *derivative; /* derivative of the value by the combination; NULL: inputs have no weights */
} kernel_row;

static const kernel_row kernels[] = {
    [RVM_LINEAR] = { "linear", 0, 0, RVM_BY_PRODUCTS, true, false, linear_finish,
                     linear_derivative },
    [RVM_POLYNOMIAL] = { "polynomial", 1, RVM_USES_GAMMA | RVM_USES_DEGREE | RVM_USES_COEF0,
                         RVM_BY_PRODUCTS, true, false, polynomial_finish, polynomial_derivative },
    [RVM_RBF] = { "rbf", 2, RVM_USES_GAMMA, RVM_BY_SQUARES, true, true, decay_finish,
                  decay_derivative },
    [RVM_SIGMOID] = { "sigmoid", 3, RVM_USES_GAMMA | RVM_USES_COEF0, RVM_BY_PRODUCTS, false, false,
                      sigmoid_finish, sigmoid_derivative },
    [RVM_PRECOMPUTED] = { "precomputed", 4, 0, RVM_BY_LOOKUP, false, false, linear_finish, NULL },
    [RVM_LAPLACIAN] = { "laplacian", 5, RVM_USES_GAMMA, RVM_BY_DISTANCES, true, true, decay_finish,
                        decay_derivative },
    [RVM_SPLINE] = { "spline", 6, 0, RVM_BY_SPLINE, true, false, linear_finish, NULL },
    [RVM_NO_KERNEL] = { "none", 7, 0, RVM_BY_PRODUCTS, true, true, zero_finish, NULL },
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

bool rvm_kernel_weighs_inputs(rvm_kernel_type type)
{
    return kernels[type].derivative != NULL;
}

bool rvm_kernel_has_gamma(const rvm_kernel *kernel)
{
    return kernel->inputs == NULL && (kernels[kernel->type].uses & RVM_USES_GAMMA) != 0;
}

bool rvm_kernel_is_covariance(const rvm_kernel *kernel)
{
    const kernel_row *row = &kernels[kernel->type];
    return row->covariance && !((row->uses & RVM_USES_COEF0) && kernel->coef0 < 0);
}

bool rvm_kernel_decays(rvm_kernel_type type)
{
    return kernels[type].finish == decay_finish;
}

rvm_combination rvm_kernel_combination(rvm_kernel_type type)
{
    return kernels[type].by;
}

/* ---- Rows laid out -------------------------------------------------------------------------- */

/* Dense when few features occur at all, or when enough pairs are there that skipping the absent
 * ones would not pay: a dense pass handles a feature some four times faster than a sparse one. */
enum { DENSE_FEATURES = 32 };
static const double dense_share = 0.25;

/* spline(x, z) of Tipping (2001), equation 22, for one input. */
static double spline(double x, double z)
{
    const double m = fmin(x, z), m2 = m * m;
    return 1 + x * z * (1 + m) - 0.5 * (x + z) * m2 + m2 * m / 3;
}

/* Row i of a dense layout: feature f stands f RVM_PANEL numbers further on. */
static double *dense_row(const rvm_kernel_rows *r, size_t i)
{
    return r->panel + i / RVM_PANEL * r->features * RVM_PANEL + i % RVM_PANEL;
}

/* What a value of the feature is multiplied by. *hint: the position to look at first. */
static double factor_of(const rvm_input_weights *inputs, rvm_combination by, int index,
                        size_t *hint)
{
    if (inputs == NULL)
        return 1;
    const size_t at = rvm_sort_find(inputs->index, inputs->count, index, *hint);
    *hint = at + 1;
    if (at == inputs->count)
        return 0;
    return by == RVM_BY_DISTANCES ? inputs->weight[at] : sqrt(inputs->weight[at]);
}

/* The features of p that have a weight above 0, ascending. */
static bool list_features(rvm_kernel_rows *r, const rvm_problem *p, const rvm_input_weights *inputs)
{
    size_t kept = 0, hint = 0;
    if (!rvm_problem_features(&r->original, &r->features, p))
        return false;
    for (size_t f = 0; f < r->features; f++)
        if (factor_of(inputs, r->by, r->original[f], &hint) > 0)
            r->original[kept++] = r->original[f];
    r->features = kept;
    return true;
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
        return spline(x, 0);
    case RVM_BY_PRODUCTS:
    case RVM_BY_LOOKUP:
        break;
    }
    return 0;
}

/* The pair combined with itself: its distance is 0. */
static double with_itself(rvm_combination by, double x)
{
    if (by == RVM_BY_SPLINE)
        return spline(x, x);
    return by == RVM_BY_PRODUCTS ? x * x : 0;
}

static void accumulate(rvm_combination by, double *sum, double value)
{
    if (by == RVM_BY_SPLINE)
        *sum *= value;
    else
        *sum += value;
}

/* The largest number is as good as infinity, and differs by 0 from itself. */
static double weighted(double x, double factor)
{
    return factor == 1 ? x : fmax(-DBL_MAX, fmin(factor * x, DBL_MAX));
}

/* Copies the pairs of p, renumbered by the list of features; those not in it go into `rest`. */
static void copy_pairs(rvm_kernel_rows *r, const rvm_problem *p, const rvm_input_weights *inputs,
                       const int *original)
{
    const double neutral = r->by == RVM_BY_SPLINE ? 1 : 0;
    size_t to = 0;
    for (size_t i = 0; i < p->rows; i++) {
        size_t hint = 0, weight_hint = 0;
        r->self[i] = r->rest[i] = r->twin[i] = neutral;
        for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
            const double factor = factor_of(inputs, r->by, p->index[k], &weight_hint);
            if (factor <= 0)
                continue;
            const double x = weighted(p->value[k], factor);
            accumulate(r->by, &r->self[i], alone(r->by, x));
            accumulate(r->by, &r->twin[i], with_itself(r->by, x));
            size_t at = rvm_sort_find(original, r->features, p->index[k], hint);
            hint = at + 1;
            if (at == r->features && r->by != RVM_BY_LOOKUP) {
                accumulate(r->by, &r->rest[i], alone(r->by, x));
                r->has_rest = true;
            } else if (r->dense) {
                dense_row(r, i)[at * RVM_PANEL] = x;
            } else {
                r->feature[to] = r->by == RVM_BY_LOOKUP ? p->index[k] : (int)at;
                r->value[to++] = x;
            }
        }
        if (!r->dense)
            r->start[i + 1] = to;
    }
}

static bool use_dense(const rvm_kernel_rows *r, const rvm_problem *p)
{
    const double pairs = (double)rvm_team_total(p->team, p->start[p->rows]);
    const size_t all = rvm_problem_all(p);
    const size_t rows = (all + RVM_PANEL - 1) / RVM_PANEL * RVM_PANEL; /* with what fills up */
    return r->features <= DENSE_FEATURES ||
           pairs > dense_share * (double)rows * (double)r->features;
}

/* Room for `count` rows, and for what stands between them. */
static bool make_rows(rvm_kernel_rows *r, size_t count)
{
    double **const array[] = { &r->self, &r->rest, &r->twin };
    size_t capacity = r->row_capacity;
    if (count < capacity)
        return true;
    if (!r->dense && !rvm_grow(&r->start, &capacity, count + 1, sizeof *r->start))
        return false;
    for (size_t k = 0; k < sizeof array / sizeof array[0]; k++) {
        capacity = r->row_capacity;
        if (!rvm_grow(array[k], &capacity, count + 1, sizeof **array[k]))
            return false;
    }
    r->row_capacity = capacity;
    return true;
}

/* Panels of zeros. */
static bool make_panels(rvm_kernel_rows *r, size_t count)
{
    const size_t panels = (count + RVM_PANEL - 1) / RVM_PANEL;
    if (r->features > 0 && panels > SIZE_MAX / r->features)
        return false;
    const size_t blocks = panels * r->features;
    if (r->panel != NULL && blocks <= r->panel_capacity) {
        memset(r->panel, 0, blocks * RVM_PANEL * sizeof *r->panel);
        return true;
    }
    free(r->panel);
    r->panel = rvm_vec_alloc(blocks, RVM_PANEL);
    r->panel_capacity = r->panel == NULL ? 0 : blocks;
    return r->panel != NULL;
}

static bool make_pairs(rvm_kernel_rows *r, size_t count)
{
    const size_t pairs = GSL_MAX(count, 1);
    size_t capacity = r->pair_capacity;
    if (!rvm_grow(&r->feature, &capacity, pairs, sizeof *r->feature))
        return false;
    capacity = r->pair_capacity;
    if (!rvm_grow(&r->value, &capacity, pairs, sizeof *r->value))
        return false;
    r->pair_capacity = capacity;
    return true;
}

static bool make_room(rvm_kernel_rows *r, const rvm_problem *p)
{
    if (!make_rows(r, p->rows))
        return false;
    if (r->dense)
        return make_panels(r, p->rows);
    r->start[0] = 0;
    return make_pairs(r, p->start[p->rows]);
}

bool rvm_kernel_rows_replace(rvm_kernel_rows *r, const rvm_problem *p, const rvm_kernel *kernel,
                             const rvm_kernel_rows *like)
{
    r->count = 0;
    r->has_rest = false;
    if (!make_room(r, p))
        return false;
    r->count = p->rows;
    copy_pairs(r, p, kernel->inputs, like->original);
    return true;
}

rvm_kernel_rows *rvm_kernel_rows_alloc(const rvm_problem *p, const rvm_kernel *kernel,
                                       const rvm_kernel_rows *like)
{
    rvm_kernel_rows *r = rvm_array(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->by = kernels[kernel->type].by;
    r->is_like = like != NULL;
    bool memory = true;
    if (like != NULL) {
        r->features = like->features;
        r->dense = like->dense;
    } else if (r->by != RVM_BY_LOOKUP) {
        memory = list_features(r, p, kernel->inputs);
        r->dense = memory && use_dense(r, p);
    }
    if (!memory || !rvm_kernel_rows_replace(r, p, kernel, like != NULL ? like : r)) {
        rvm_kernel_rows_free(r);
        return NULL;
    }
    return r;
}

void rvm_kernel_rows_free(rvm_kernel_rows *r)
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
    free(r->twin);
    free(r);
}

/* ---- One block ------------------------------------------------------------------------------ */

void rvm_kernel_scratch_clear(rvm_kernel_scratch *s)
{
    free(s->packed);
    free(s->line);
    free(s->hit_line);
    free(s->hit_x);
    free(s->z);
    *s = (rvm_kernel_scratch){ 0 };
}

/* What a call was asked for: everything borrowed. */
typedef struct {
    gsl_matrix *block;
    const kernel_row *row; /* of the table */
    finisher *finish;
    const rvm_kernel *kernel;
    const rvm_kernel_rows *a, *b;
    const size_t *a_id;
    size_t b_first;
    rvm_kernel_scratch *scratch;
} request;

static size_t row_of_a(const request *q, size_t i)
{
    return q->a_id == NULL ? i : q->a_id[i];
}

/* Values of row i of the block, `width` columns from `column` on. */
static rvm_status deliver(const request *q, size_t i, size_t column, const double *value,
                          size_t width, rvm_error *err)
{
    if (!q->row->bounded && !rvm_vec_all_finite(value, width))
        return rvm_fail(err, RVM_ENUMERIC, "a kernel value is out of range: scale the data");
    memcpy(gsl_matrix_ptr(q->block, i, column), value, width * sizeof *value);
    return RVM_OK;
}

/* ---- Dense ---------------------------------------------------------------------------------- */

/* Rows first .. first + count - 1 of the block in groups of RVM_ROWS, the last of which is filled
 * up with its last row. */
static void pack(double *x, const request *q, size_t first, size_t count)
{
    const size_t F = q->a->features;
    for (size_t i = 0; i < count + (RVM_ROWS - count % RVM_ROWS) % RVM_ROWS; i++) {
        const double *from = dense_row(q->a, row_of_a(q, first + GSL_MIN(i, count - 1)));
        double *to = x + i / RVM_ROWS * F * RVM_ROWS + i % RVM_ROWS;
        for (size_t f = 0; f < F; f++)
            to[f * RVM_ROWS] = from[f * RVM_PANEL];
    }
}

/* What the features add that only one of two rows has: `n` values of row i of the block with rows
 * `first` and on. */
static void add_rest(double *value, const request *q, size_t i, size_t first, size_t n)
{
    const double rest = q->a->rest[row_of_a(q, i)];
    for (size_t j = 0; j < n && first + j < q->b->count; j++) {
        if (q->a->by == RVM_BY_SPLINE)
            value[j] *= rest * q->b->rest[first + j];
        else
            value[j] += rest + q->b->rest[first + j];
    }
}

/* A group x, `count` rows from row i of the block on, with `panels` panels of b. */
static rvm_status fill_dense(const request *q, size_t i, size_t count, const double *x,
                             size_t panel, size_t panels, rvm_error *err)
{
    const size_t F = q->b->features, n = panels * RVM_PANEL, first = panel * RVM_PANEL;
    const size_t from = GSL_MAX(first, q->b_first);
    const size_t to = GSL_MIN(first + n, q->b_first + q->block->size2);
    rvm_status status = RVM_OK;
    _Alignas(RVM_LANES * sizeof(double)) double value[RVM_ROWS * TILE];
    rvm_vec_combine(q->a->by, value, x, q->b->panel + first * F, F, panels);
    for (size_t r = 0; r < count && (q->a->has_rest || q->b->has_rest); r++)
        add_rest(value + r * n, q, i + r, first, n);
    q->finish(value, RVM_ROWS * n, q->kernel);
    for (size_t r = 0; r < count && status == RVM_OK; r++)
        status =
            deliver(q, i + r, from - q->b_first, value + r * n + (from - first), to - from, err);
    return status;
}

/* Some rows of the block, packed, with all panels that have a row of it. */
static rvm_status fill_rows(const request *q, size_t first, size_t count, const double *x,
                            rvm_error *err)
{
    const size_t F = q->b->features;
    const size_t at_once = GSL_MIN(TILE / RVM_PANEL, 1 + TILE_NUMBERS / (1 + F * RVM_PANEL));
    const size_t end = (q->b_first + q->block->size2 + RVM_PANEL - 1) / RVM_PANEL;
    rvm_status status = RVM_OK;
    for (size_t p = q->b_first / RVM_PANEL; p < end; p += at_once)
        for (size_t i = 0; i < count && status == RVM_OK; i += RVM_ROWS)
            status = fill_dense(q, first + i, GSL_MIN(RVM_ROWS, count - i), x + i * F, p,
                                GSL_MIN(at_once, end - p), err);
    return status;
}

static rvm_status dense_block(const request *q, rvm_error *err)
{
    const size_t F = q->a->features, rows = q->block->size1;
    const size_t groups =
        GSL_MIN((rows + RVM_ROWS - 1) / RVM_ROWS, 1 + ROWS_NUMBERS / (1 + F * RVM_ROWS));
    rvm_kernel_scratch *s = q->scratch;
    rvm_status status = RVM_OK;
    if (!rvm_grow(&s->packed, &s->packed_capacity, groups * RVM_ROWS * F, sizeof *s->packed))
        return rvm_fail_memory(err, "a block of kernel values");
    for (size_t i = 0; i < rows && status == RVM_OK; i += groups * RVM_ROWS) {
        const size_t count = GSL_MIN(rows - i, groups * RVM_ROWS);
        pack(s->packed, q, i, count);
        status = fill_rows(q, i, count, s->packed, err);
    }
    return status;
}

/* ---- Sparse --------------------------------------------------------------------------------- */

typedef struct {
    size_t first, width;      /* rows of b */
    size_t span;              /* rows there is room for: RVM_LANES to TILE, in whole vectors */
    rvm_kernel_scratch *room; /* borrowed: what follows is of it */
    unsigned *line;           /* F: line of z that holds the feature, 0 where no row has it */
    double *z;                /* lines x span; line 0 is all 0 */
    size_t lines;
    double largest; /* of self */
    _Alignas(RVM_LANES * sizeof(double)) double self[TILE];
    _Alignas(RVM_LANES * sizeof(double)) double value[TILE]; /* scratch */
    unsigned *hit_line; /* F + TOGETHER: lines for the features of a row x ... */
    double *hit_x;      /* ... and its values there; TOGETHER at a time, filled up with line 0 */
} tile;

/* As many rows as a block has columns, and fewer where they have many features between them. */
static size_t tile_span(const rvm_kernel_rows *b, size_t columns)
{
    const size_t pairs = b->count > 0 ? b->start[b->count] / b->count + 1 : 1;
    size_t span = TILE;
    while (span > RVM_LANES &&
           (span / 2 >= columns || GSL_MIN(b->features, span * pairs) * span > SPARSE_NUMBERS))
        span /= 2;
    return span;
}

static bool make_features(rvm_kernel_scratch *s, size_t F)
{
    if (s->line != NULL && F <= s->features)
        return true;
    free(s->line);
    free(s->hit_line);
    free(s->hit_x);
    s->features = F;
    s->line = rvm_array(F, sizeof *s->line);
    s->hit_line = rvm_array(F + TOGETHER, sizeof *s->hit_line);
    s->hit_x = rvm_array(F + TOGETHER, sizeof *s->hit_x);
    if (s->line != NULL && s->hit_line != NULL && s->hit_x != NULL)
        return true;
    rvm_kernel_scratch_clear(s);
    return false;
}

static bool tile_init(tile *t, const rvm_kernel_rows *b, size_t columns, rvm_kernel_scratch *s)
{
    memset(t, 0, sizeof *t);
    t->span = tile_span(b, columns);
    t->room = s;
    if (!make_features(s, b->features))
        return false;
    t->line = s->line;
    t->hit_line = s->hit_line;
    t->hit_x = s->hit_x;
    return true;
}

/* Room for line 0 and one for each pair at the most. */
static bool reserve_lines(tile *t, const rvm_kernel_rows *b, size_t pairs)
{
    rvm_kernel_scratch *s = t->room;
    const size_t need = 1 + GSL_MIN(pairs, b->features);
    if (need * t->span > s->z_capacity) {
        free(s->z);
        s->z = rvm_vec_alloc(need, t->span);
        s->z_capacity = s->z == NULL ? 0 : need * t->span;
    }
    t->z = s->z;
    if (t->z != NULL)
        memset(t->z, 0, t->span * sizeof *t->z);
    return t->z != NULL;
}

/* No feature has a line. */
static void tile_empty(tile *t, const rvm_kernel_rows *b)
{
    for (size_t k = b->start[t->first]; k < b->start[t->first + t->width]; k++)
        t->line[b->feature[k]] = 0;
    t->width = 0;
}

/* The line of a feature, which starts at 0 when it is new. */
static double *line_of(tile *t, int feature)
{
    unsigned *line = &t->line[feature];
    if (*line == 0) {
        *line = (unsigned)t->lines++;
        memset(t->z + *line * t->span, 0, t->span * sizeof *t->z);
    }
    return t->z + *line * t->span;
}

static bool tile_load(tile *t, const rvm_kernel_rows *b, size_t first, size_t width)
{
    tile_empty(t, b);
    t->first = first;
    t->width = width;
    t->lines = 1;
    t->largest = 0;
    for (size_t j = 0; j < t->span; j++) {
        t->self[j] = j < width ? b->self[first + j] : 0;
        t->largest = t->self[j] > t->largest ? t->self[j] : t->largest;
    }
    if (!reserve_lines(t, b, b->start[first + width] - b->start[first]))
        return false;
    for (size_t j = 0; j < width; j++)
        for (size_t k = b->start[first + j]; k < b->start[first + j + 1]; k++)
            line_of(t, b->feature[k])[j] = b->value[k];
    return true;
}

/* Features of row i of a that the tile has too; how many. */
static size_t find_hits(tile *t, const rvm_kernel_rows *a, size_t i)
{
    size_t hits = 0;
    for (size_t k = a->start[i]; k < a->start[i + 1]; k++) {
        t->hit_line[hits] = t->line[a->feature[k]];
        t->hit_x[hits] = a->value[k];
        hits += t->hit_line[hits] != 0;
    }
    for (size_t k = 0; k < TOGETHER; k++) {
        t->hit_line[hits + k] = 0;
        t->hit_x[hits + k] = 0;
    }
    return hits;
}

/* sum += x z over the hits, strictly in their order: those that a row z does not have add 0 and
 * leave its sum as it is, so that it does not depend on the other rows of the tile. */
RVM_WIDEST
static void add_products(double *restrict sum, const double *restrict x, const unsigned *line,
                         size_t hits, const double *restrict z, size_t n)
{
    for (size_t k = 0; k < hits; k += TOGETHER) {
        const double *z0 = z + (size_t)line[k] * n, *z1 = z + (size_t)line[k + 1] * n;
        const double *z2 = z + (size_t)line[k + 2] * n, *z3 = z + (size_t)line[k + 3] * n;
        const double x0 = x[k], x1 = x[k + 1], x2 = x[k + 2], x3 = x[k + 3];
#pragma omp simd
        for (size_t j = 0; j < n; j++)
            sum[j] = (((sum[j] + x0 * z0[j]) + x1 * z1[j]) + x2 * z2[j]) + x3 * z3[j];
    }
}

/* What the pairs that both rows have change against rows that share nothing: the sum of x z, or of
 * |x - z| - |x| - |z|, or the product of spline(x, z) / (spline(x, 0) spline(0, z)). A feature that
 * z does not have contributes exactly nothing, whatever the other rows of the tile. */
static void combine_shared(tile *t, const rvm_kernel_rows *a, size_t i)
{
    const size_t hits = find_hits(t, a, i);
    memset(t->value, 0, t->span * sizeof *t->value);
    if (a->by == RVM_BY_PRODUCTS || a->by == RVM_BY_SQUARES) {
        add_products(t->value, t->hit_x, t->hit_line, hits, t->z, t->span);
        return;
    }
    for (size_t j = 0; j < t->span && a->by == RVM_BY_SPLINE; j++)
        t->value[j] = 1;
    for (size_t k = 0; k < hits; k++) {
        const double x = t->hit_x[k], *z = t->z + (size_t)t->hit_line[k] * t->span;
        if (a->by == RVM_BY_DISTANCES)
            rvm_vec_add_distance_excess(t->value, x, z, t->span);
        else
            for (size_t j = 0; j < t->span; j++)
                if (z[j] != 0)
                    t->value[j] *= spline(x, z[j]) / (spline(x, 0) * spline(0, z[j]));
    }
}

/* |x - z|^2 = x'x + z'z - 2 x'z, and |x - z|_1 likewise. */
RVM_WIDEST
static void expand(double *restrict value, double self, const double *restrict z_self,
                   double factor, size_t n)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++) {
        const double distance = self + z_self[j] + factor * value[j];
        value[j] = distance > 0 ? distance : 0;
    }
}

/* Two rows combined by squares or by distances, feature by feature. */
static double apart(const rvm_kernel_rows *a, size_t i, const rvm_kernel_rows *b, size_t j)
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

/* Rows whose own sums are out of range are taken feature by feature. */
static void expand_distances(tile *t, const rvm_kernel_rows *a, size_t i, const rvm_kernel_rows *b)
{
    const double self = a->self[i];
    expand(t->value, self, t->self, a->by == RVM_BY_SQUARES ? -2 : 1, t->span);
    if (self + t->largest < DBL_MAX)
        return;
    for (size_t j = 0; j < t->width; j++)
        if (!(self + t->self[j] < DBL_MAX))
            t->value[j] = apart(a, i, b, t->first + j);
}

static void combine_sparse(tile *t, const rvm_kernel_rows *a, size_t i, const rvm_kernel_rows *b)
{
    combine_shared(t, a, i);
    if (a->by == RVM_BY_SQUARES || a->by == RVM_BY_DISTANCES)
        expand_distances(t, a, i, b);
    else if (a->by == RVM_BY_SPLINE)
        for (size_t j = 0; j < t->span; j++)
            t->value[j] *= a->self[i] * t->self[j];
}

static rvm_status fill_tile(const request *q, size_t column, tile *t, rvm_error *err)
{
    rvm_status status = RVM_OK;
    for (size_t i = 0; i < q->block->size1 && status == RVM_OK; i++) {
        combine_sparse(t, q->a, row_of_a(q, i), q->b);
        q->finish(t->value, t->span, q->kernel);
        status = deliver(q, i, column, t->value, t->width, err);
    }
    return status;
}

static rvm_status sparse_block(const request *q, rvm_error *err)
{
    const size_t columns = q->block->size2;
    rvm_status status = RVM_OK;
    tile t;
    bool memory = tile_init(&t, q->b, columns, q->scratch);
    for (size_t j = 0; j < columns && memory && status == RVM_OK; j += t.span) {
        memory = tile_load(&t, q->b, q->b_first + j, GSL_MIN(t.span, columns - j));
        if (memory)
            status = fill_tile(q, j, &t, err);
    }
    if (t.line != NULL)
        tile_empty(&t, q->b);
    return memory ? status : rvm_fail_memory(err, "a block of kernel values");
}

/* ---- Looked up ------------------------------------------------------------------------------- */

/* Entry `serial` of a row of a kernel matrix; 0 where the row does not have it. Full rows have it
 * at that very place. */
static double look_up(const rvm_kernel_rows *r, size_t i, int serial)
{
    const size_t first = r->start[i], count = r->start[i + 1] - first;
    const size_t at = rvm_sort_find(r->feature + first, count, serial, (size_t)serial);
    return at == count ? 0 : r->value[first + at];
}

/* The functions belong to the rows that were laid out first; the others hold the values. */
static double look_up_pair(const rvm_kernel_rows *a, size_t i, const rvm_kernel_rows *b, size_t j)
{
    return a->is_like ? look_up(a, i, (int)b->value[b->start[j]])
                      : look_up(b, j, (int)a->value[a->start[i]]);
}

static rvm_status lookup_block(const request *q, rvm_error *err)
{
    rvm_status status = RVM_OK;
    double value[TILE];
    for (size_t i = 0; i < q->block->size1 && status == RVM_OK; i++)
        for (size_t first = 0; first < q->block->size2 && status == RVM_OK; first += TILE) {
            const size_t width = GSL_MIN(TILE, q->block->size2 - first);
            for (size_t j = 0; j < width; j++)
                value[j] = look_up_pair(q->a, row_of_a(q, i), q->b, q->b_first + first + j);
            status = deliver(q, i, first, value, width, err);
        }
    return status;
}

/* ---- Blocks --------------------------------------------------------------------------------- */

static rvm_status fill_block(const request *q, rvm_error *err)
{
    if (q->a->by == RVM_BY_LOOKUP)
        return lookup_block(q, err);
    return q->a->dense ? dense_block(q, err) : sparse_block(q, err);
}

rvm_status rvm_kernel_block_in(rvm_kernel_scratch *s, gsl_matrix *block, const rvm_kernel *kernel,
                               const rvm_kernel_rows *a, const size_t *a_id,
                               const rvm_kernel_rows *b, size_t b_first, rvm_error *err)
{
    const kernel_row *row = &kernels[kernel->type];
    const request q = { block, row, row->finish, kernel, a, b, a_id, b_first, s };
    return fill_block(&q, err);
}

rvm_status rvm_kernel_block(gsl_matrix *block, const rvm_kernel *kernel, const rvm_kernel_rows *a,
                            const size_t *a_id, const rvm_kernel_rows *b, size_t b_first,
                            rvm_error *err)
{
    rvm_kernel_scratch s = { 0 };
    const rvm_status status = rvm_kernel_block_in(&s, block, kernel, a, a_id, b, b_first, err);
    rvm_kernel_scratch_clear(&s);
    return status;
}

/* In tiles of one length, filled up, so that a value does not depend on the others asked for. */
void rvm_kernel_diagonal(double *out, const rvm_kernel *kernel, const rvm_kernel_rows *rows,
                         size_t first, size_t count)
{
    const kernel_row *row = &kernels[kernel->type];
    _Alignas(RVM_LANES * sizeof(double)) double value[TILE];
    assert(rows->by != RVM_BY_LOOKUP);
    for (size_t at = 0; at < count; at += TILE) {
        const size_t width = GSL_MIN(TILE, count - at);
        memset(value, 0, sizeof value);
        memcpy(value, rows->twin + first + at, width * sizeof *value);
        row->finish(value, TILE, kernel);
        memcpy(out + at, value, width * sizeof *value);
    }
}

rvm_status rvm_kernel_derivative(gsl_matrix *block, const rvm_kernel *kernel,
                                 const rvm_kernel_rows *a, const size_t *a_id,
                                 const rvm_kernel_rows *b, size_t b_first, rvm_error *err)
{
    const kernel_row *row = &kernels[kernel->type];
    rvm_kernel_scratch s = { 0 };
    const request q = { block, row, row->derivative, kernel, a, b, a_id, b_first, &s };
    assert(row->derivative != NULL);
    const rvm_status status = fill_block(&q, err);
    rvm_kernel_scratch_clear(&s);
    return status;
}
