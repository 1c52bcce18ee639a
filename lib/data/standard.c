/* Features standardised by the rows of training: mean 0 and standard deviation 1.
 *
 *     m = 1/N sum x,    s^2 = 1/N sum (x - m)^2,    x becomes (x - m) / s
 *
 * over all N rows, an absent pair being x = 0. Of a kernel of differences x - z the mean drops out,
 * of one of products it does not: x'z of rows far from 0 is nearly the same number for all of them.
 * So means are taken off whatever the kernel, but where rows are sparse: without its mean no pair
 * would be absent. */
#include "data/standard.h"

#include <float.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "data/order.h"
#include "data/problem.h"

/* Rows are sparse with more features than this, less than that share of which is there: where a
 * kernel leaves absent pairs out, too (basis/kernel.c). */
enum { DENSE_FEATURES = 32 };
static const double dense_share = 0.25;

/* A standard deviation that is rounding beside the values, as of a constant that was computed in
 * several ways. */
static const double least_scale = 8 * DBL_EPSILON;

void rvm_standard_free(rvm_standard *s)
{
    free(s->index);
    free(s->mean);
    free(s->scale);
    memset(s, 0, sizeof *s);
}

static bool alloc_numbers(rvm_standard *s)
{
    s->mean = rvm_array(s->count, sizeof *s->mean);
    s->scale = rvm_array(s->count, sizeof *s->scale);
    return s->mean != NULL && s->scale != NULL;
}

bool rvm_standard_copy(rvm_standard *to, const rvm_standard *from)
{
    rvm_standard_free(to);
    to->used = from->used;
    to->centred = from->centred;
    to->count = from->count;
    if (!from->used)
        return true;
    to->index = rvm_array(from->count, sizeof *to->index);
    if (to->index == NULL || !alloc_numbers(to))
        return false;
    for (size_t j = 0; j < from->count; j++) {
        to->index[j] = from->index[j];
        to->mean[j] = from->mean[j];
        to->scale[j] = from->scale[j];
    }
    return true;
}

/* ---- Learning ------------------------------------------------------------------------------- */

/* Sums of one feature: of y = x / largest, which does not overflow. Numbers only, since they are
 * sums over rows (base/spans.h). */
typedef struct {
    double largest; /* |x| */
    double pairs;
    double sum;    /* of y; */
    double mean;   /* sum / N, */
    double rest;   /* and over the pairs that are there the sum of y - mean, rounding but for the
                      absent ones, */
    double square; /* and that of its square */
} feature_sums;
enum { NUMBERS = sizeof(feature_sums) / sizeof(double) };

/* What a pass over all pairs does with each; known: from the passes before. */
typedef void visitor(feature_sums *f, const feature_sums *known, double x);

static void find_largest(feature_sums *f, const feature_sums *known, double x)
{
    (void)known;
    f->largest = fmax(f->largest, fabs(x));
    f->pairs++;
}

static void add_to_sum(feature_sums *f, const feature_sums *known, double x)
{
    if (known->largest > 0)
        f->sum += x / known->largest;
}

static void add_square(feature_sums *f, const feature_sums *known, double x)
{
    if (known->largest > 0) {
        const double y = x / known->largest - known->mean;
        f->rest += y;
        f->square += y * y;
    }
}

/* Borrowed. */
typedef struct {
    const rvm_standard *s;
    const rvm_problem *p;
    const size_t *order;
    const feature_sums *known;
    visitor *visit;
} pass;

/* In an order of the rows that is not that of the file, since rounding depends on it. */
static rvm_status visit_pairs(void *context, size_t first, size_t rows, double *sums, int worker,
                              rvm_error *err)
{
    const pass *v = context;
    const rvm_problem *p = v->p;
    feature_sums *f = (feature_sums *)sums;
    (void)worker, (void)err;
    for (size_t i = first; i < first + rows; i++) {
        size_t hint = 0;
        for (size_t k = p->start[v->order[i]]; k < p->start[v->order[i] + 1]; k++) {
            const size_t j = rvm_sort_find(v->s->index, v->s->count, p->index[k], hint);
            v->visit(&f[j], &v->known[j], p->value[k]);
            hint = j + 1;
        }
    }
    return RVM_OK;
}

static rvm_status join_sums(void *context, double *left, const double *right, int worker,
                            rvm_error *err)
{
    const pass *v = context;
    feature_sums *f = (feature_sums *)left;
    const feature_sums *g = (const feature_sums *)right;
    (void)worker, (void)err;
    for (size_t j = 0; j < v->s->count; j++) {
        f[j].largest = fmax(f[j].largest, g[j].largest);
        f[j].pairs += g[j].pairs;
        f[j].sum += g[j].sum;
        f[j].rest += g[j].rest;
        f[j].square += g[j].square;
    }
    return RVM_OK;
}

/* Standard deviation of y by the corrected two-pass algorithm (Chan, Golub and LeVeque
 * 1983): what the mean is off by is taken out of both. */
static double deviation_of(feature_sums *f, double N)
{
    const double absent = N - f->pairs;
    const double off = (f->rest - absent * f->mean) / N;
    const double square = (f->square + absent * gsl_pow_2(f->mean)) / N;
    f->mean += off;
    return sqrt(fmax(square - off * off, 0));
}

/* Keeps the features that vary. */
static void take_numbers(rvm_standard *s, feature_sums *sums, double N)
{
    size_t kept = 0;
    for (size_t j = 0; j < s->count; j++) {
        const double deviation = deviation_of(&sums[j], N), largest = sums[j].largest;
        if (!(deviation > least_scale && largest * deviation > 0))
            continue;
        s->index[kept] = s->index[j];
        s->mean[kept] = s->centred ? largest * sums[j].mean : 0;
        s->scale[kept] = largest * deviation;
        kept++;
    }
    s->count = kept;
}

static bool is_dense(const rvm_problem *p, size_t features)
{
    const double pairs = (double)rvm_team_total(p->team, p->start[p->rows]);
    return features <= DENSE_FEATURES ||
           pairs > dense_share * (double)rvm_problem_all(p) * (double)features;
}

static rvm_status learn_numbers(rvm_standard *s, feature_sums *known, feature_sums *sums,
                                const rvm_problem *p, const size_t *order, rvm_error *err)
{
    static visitor *const visits[] = { find_largest, add_to_sum, add_square };
    const rvm_spans spans = rvm_problem_spans(p);
    const double N = (double)spans.N;
    rvm_status status = RVM_OK;
    s->centred = is_dense(p, s->count);
    for (int k = 0; k < 3 && status == RVM_OK; k++) {
        pass v = { s, p, order, known, visits[k] };
        status = rvm_spans_fold((double *)sums, NUMBERS * s->count, &spans, visit_pairs, join_sums,
                                &v, 1, err);
        for (size_t j = 0; j < s->count && status == RVM_OK; j++) {
            if (k == 0)
                known[j] = sums[j];
            else if (k == 1)
                known[j].mean = sums[j].sum / N;
            known[j].rest = sums[j].rest;
            known[j].square = sums[j].square;
        }
    }
    if (status == RVM_OK)
        take_numbers(s, known, N);
    return status;
}

rvm_status rvm_standard_learn(rvm_standard *s, const rvm_problem *p, rvm_error *err)
{
    size_t *order = NULL;
    rvm_status status = rvm_order_rows(&order, p, err);
    if (status != RVM_OK)
        return status;
    *s = (rvm_standard){ .used = true };
    const bool memory = rvm_problem_features(&s->index, &s->count, p) && alloc_numbers(s);
    feature_sums *known = memory ? rvm_array(2 * s->count, sizeof *known) : NULL;
    if (known == NULL)
        status = rvm_fail_memory(err, "means and standard deviations of the features");
    else
        status = learn_numbers(s, known, known + s->count, p, order, err);
    free(order);
    free(known);
    if (status != RVM_OK)
        rvm_standard_free(s);
    return status;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* x of feature j, in the row of `out` that is open. */
static void add_value(rvm_problem *out, const rvm_standard *s, size_t j, double x)
{
    const double y = (x - s->mean[j]) / s->scale[j];
    if (y != 0)
        rvm_problem_add(out, s->index[j], fmax(-DBL_MAX, fmin(y, DBL_MAX)));
}

/* Every feature has a value, given or not. */
static void centre_row(rvm_problem *out, const rvm_standard *s, const rvm_problem *p, size_t i)
{
    size_t k = p->start[i];
    const size_t end = p->start[i + 1];
    for (size_t j = 0; j < s->count; j++) {
        while (k < end && p->index[k] < s->index[j])
            k++;
        const bool given = k < end && p->index[k] == s->index[j];
        add_value(out, s, j, given ? p->value[k] : 0);
    }
}

static void scale_row(rvm_problem *out, const rvm_standard *s, const rvm_problem *p, size_t i)
{
    size_t hint = 0;
    for (size_t k = p->start[i]; k < p->start[i + 1]; k++) {
        const size_t j = rvm_sort_find(s->index, s->count, p->index[k], hint);
        if (j == s->count)
            continue;
        add_value(out, s, j, p->value[k]);
        hint = j + 1;
    }
}

static bool copy_numbers(rvm_problem *out, const rvm_problem *p)
{
    if (p->number == NULL)
        return true;
    free(out->number);
    out->number = rvm_array(p->rows, sizeof *out->number);
    if (out->number != NULL)
        memcpy(out->number, p->number, p->rows * sizeof *out->number);
    return out->number != NULL;
}

rvm_status rvm_standard_apply(rvm_problem *out, const rvm_standard *s, const rvm_problem *p,
                              rvm_error *err)
{
    bool memory = true;
    rvm_problem_clear(out);
    out->outputs = p->outputs;
    for (size_t i = 0; i < p->rows && memory; i++) {
        const size_t pairs = p->start[i + 1] - p->start[i];
        memory = rvm_problem_open(out, p->outputs, s->centred ? s->count : pairs);
        if (!memory)
            break;
        if (s->centred)
            centre_row(out, s, p, i);
        else
            scale_row(out, s, p, i);
        rvm_problem_close(out, rvm_problem_targets(p, i));
    }
    out->max_index = GSL_MAX(out->max_index, p->max_index);
    if (memory && copy_numbers(out, p))
        return RVM_OK;
    return rvm_fail_memory(err, "the standardised rows");
}
