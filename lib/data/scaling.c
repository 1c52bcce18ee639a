/* Linear scaling of features: learn their ranges, apply them. */
#include "data/scaling.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "data/problem.h"

rvm_scaling *rvm_scaling_alloc(void)
{
    return rvm_array(1, sizeof(rvm_scaling));
}

void rvm_scaling_free(rvm_scaling *s)
{
    if (s == NULL)
        return;
    free(s->target);
    free(s->feature);
    free(s);
}

rvm_status rvm_scaling_limits_check(const rvm_scaling_limits *limits, rvm_error *err)
{
    const bool features =
        isfinite(limits->lower) && isfinite(limits->upper) && limits->lower < limits->upper;
    const bool target = !limits->scale_target ||
                        (isfinite(limits->target_lower) && isfinite(limits->target_upper) &&
                         limits->target_lower < limits->target_upper);

    if (!features || !target)
        return rvm_fail(err, RVM_ESETTING, "inconsistent lower/upper specification");
    return RVM_OK;
}

/* ---- The features of a problem -------------------------------------------------------------- */

/* First position of feature[0 .. count - 1], ascending, whose index is not below `index`. */
static size_t lower_bound(const rvm_feature_range *feature, size_t count, int index)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (feature[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t find_among(const rvm_feature_range *feature, size_t count, int index, size_t guess)
{
    size_t at = guess;

    if (at >= count || feature[at].index != index)
        at = lower_bound(feature, count, index);
    return at < count && feature[at].index == index ? at : count;
}

size_t rvm_scaling_find(const rvm_scaling *s, int index, size_t guess)
{
    return find_among(s->feature, s->count, index, guess);
}

static int by_index(const void *a, const void *b)
{
    const rvm_feature_range *x = a, *y = b;

    return x->index < y->index ? -1 : x->index > y->index;
}

static void sort_and_unite(rvm_scaling *s)
{
    size_t i, kept = 0;

    if (s->count > 0)
        qsort(s->feature, s->count, sizeof *s->feature, by_index);
    for (i = 0; i < s->count; i++)
        if (kept == 0 || s->feature[i].index != s->feature[kept - 1].index)
            s->feature[kept++] = s->feature[i];
    s->count = kept;
}

/* Every index of p once, ascending, with an empty range. Memory is proportional to the number of
 * features that occur, not to the largest index: the list is a sorted part followed by newcomers,
 * which are sorted in when they outnumber it. */
static bool list_features(rvm_scaling *s, const rvm_problem *p)
{
    enum { FEW = 4096 };
    const size_t pairs = p->start[p->rows];
    size_t sorted = 0, at = 0, k;

    for (k = 0; k < pairs; k++) {
        const size_t found = find_among(s->feature, sorted, p->index[k], at + 1);

        if (found < sorted) {
            at = found;
            continue;
        }
        if (!rvm_grow(&s->feature, &s->capacity, s->count + 1, sizeof *s->feature))
            return false;
        s->feature[s->count++] = (rvm_feature_range){ p->index[k], INFINITY, -INFINITY, 0 };
        if (s->count - sorted > sorted + FEW) {
            sort_and_unite(s);
            sorted = s->count;
        }
    }
    sort_and_unite(s);
    return true;
}

/* ---- Their ranges --------------------------------------------------------------------------- */

/* On a tie the newer value stays, which decides the sign of a zero, as in svm-scale. */
static void widen(double *min, double *max, double value)
{
    if (!(*min < value))
        *min = value;
    if (!(*max > value))
        *max = value;
}

/* Rows up to `row` in which the feature was absent count as 0; not so for index 0. */
static void pass_absent_rows(rvm_feature_range *f, size_t row)
{
    if (f->next_row < row && f->index > 0)
        widen(&f->min, &f->max, 0);
    f->next_row = row;
}

static void learn_features(rvm_scaling *s, const rvm_problem *p)
{
    size_t row, k, j;

    for (row = 0; row < p->rows; row++) {
        size_t at = 0;

        for (k = p->start[row]; k < p->start[row + 1]; k++) {
            rvm_feature_range *f;

            at = rvm_scaling_find(s, p->index[k], at);
            f = &s->feature[at];
            pass_absent_rows(f, row);
            widen(&f->min, &f->max, p->value[k]);
            f->next_row = row + 1;
            at++;
        }
    }
    for (j = 0; j < s->count; j++)
        pass_absent_rows(&s->feature[j], p->rows);
}

static bool make_room_for_targets(rvm_scaling *s, size_t outputs)
{
    if (!rvm_grow(&s->target, &s->target_capacity, outputs, sizeof *s->target))
        return false;
    s->outputs = outputs;
    return true;
}

static void learn_targets(rvm_scaling *s, const rvm_problem *p)
{
    size_t row, k;

    for (k = 0; k < s->outputs; k++) {
        rvm_target_range *range = &s->target[k];

        *range = (rvm_target_range){ INFINITY, -INFINITY };
        for (row = 0; row < p->rows; row++)
            widen(&range->min, &range->max, rvm_problem_targets(p, row)[k]);
    }
}

rvm_status rvm_scaling_learn(rvm_scaling **out, const rvm_problem *p,
                             const rvm_scaling_limits *limits, rvm_error *err)
{
    rvm_scaling *s;
    const rvm_status status = rvm_scaling_limits_check(limits, err);

    if (status != RVM_OK)
        return status;
    s = rvm_scaling_alloc();
    if (s == NULL || !list_features(s, p) || !make_room_for_targets(s, p->outputs)) {
        rvm_scaling_free(s);
        return rvm_fail_memory(err, "the ranges of the features");
    }
    s->limits = *limits;
    learn_features(s, p);
    learn_targets(s, p);
    *out = s;
    return RVM_OK;
}

void rvm_scaling_spread(double *smallest, double *largest, const rvm_scaling *s)
{
    *smallest = *largest = 0;
    for (size_t j = 0; j < s->count; j++) {
        const double range = s->feature[j].max - s->feature[j].min;
        if (!(range > 0))
            continue;
        *smallest = *smallest > 0 ? fmin(*smallest, range) : range;
        *largest = fmax(*largest, range);
    }
}

/* ---- A file's ranges beside those of the data ----------------------------------------------- */

rvm_status rvm_scaling_complete(rvm_scaling *s, bool *target_taken, const rvm_scaling *learned,
                                rvm_error *err)
{
    const bool zero_known = s->count > 0 && s->feature[0].index == 0;

    if (learned->count > 0 && learned->feature[0].index == 0 && !zero_known) {
        if (!rvm_grow(&s->feature, &s->capacity, s->count + 1, sizeof *s->feature))
            return rvm_fail_memory(err, "the ranges of the features");
        memmove(s->feature + 1, s->feature, s->count * sizeof *s->feature);
        s->feature[0] = learned->feature[0];
        s->count++;
    }
    *target_taken = learned->limits.scale_target && !s->limits.scale_target;
    if (*target_taken) {
        if (!make_room_for_targets(s, learned->outputs))
            return rvm_fail_memory(err, "the ranges of the targets");
        memcpy(s->target, learned->target, learned->outputs * sizeof *s->target);
        s->limits.scale_target = true;
        s->limits.target_lower = learned->limits.target_lower;
        s->limits.target_upper = learned->limits.target_upper;
    }
    return RVM_OK;
}

rvm_status rvm_scaling_unseen(int **index, size_t *count, const rvm_scaling *s,
                              const rvm_scaling *learned, rvm_error *err)
{
    int *unseen = rvm_array(learned->count, sizeof *unseen);
    size_t j, found = 0, at = 0;

    if (unseen == NULL)
        return rvm_fail_memory(err, "the ranges of the features");
    for (j = 0; j < learned->count; j++) {
        const rvm_feature_range *f = &learned->feature[j];
        const size_t place = rvm_scaling_find(s, f->index, at);

        if (place < s->count)
            at = place + 1;
        else if (f->min != f->max)
            unseen[found++] = f->index;
    }
    *index = unseen;
    *count = found;
    return RVM_OK;
}

/* ---- Values --------------------------------------------------------------------------------- */

double rvm_scaling_value(double value, double min, double max, double lower, double upper)
{
    const double width = max - min;
    const double product = (upper - lower) * (value - min);

    if (value == min)
        return lower;
    if (value == max)
        return upper;
    if (isfinite(width) && isfinite(product))
        return lower + product / width;
    const double part = (value / 2 - min / 2) / (max / 2 - min / 2);
    return lower * (1 - part) + upper * part;
}

/* What is too small for a normal number is 0: data files may not hold it. */
static double scale_feature(const rvm_scaling *s, size_t feature, double value)
{
    const double least = 2 * DBL_MIN; /* also when rounded to a few digits */
    const rvm_feature_range *f = &s->feature[feature];
    const double x = rvm_scaling_value(value, f->min, f->max, s->limits.lower, s->limits.upper);

    return fabs(x) < least ? 0 : x;
}

static rvm_status scale_target(double *target, const rvm_scaling *s, size_t output, double value,
                               size_t row, rvm_error *err)
{
    *target = value;
    if (s->limits.scale_target)
        *target = rvm_scaling_value(value, s->target[output].min, s->target[output].max,
                                    s->limits.target_lower, s->limits.target_upper);
    if (!isfinite(*target))
        return rvm_fail_at(err, RVM_ENUMERIC, row + 1, 1,
                           "the label cannot be scaled to a finite number");
    return RVM_OK;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* What applying needs beside the scaling. */
typedef struct {
    const rvm_scaling *scaling;
    size_t *filled; /* owned: features that stand in every row, as their 0 does not map to 0 */
    size_t filled_count;
    FILE *out;      /* NULL: nothing is written */
    size_t written; /* pairs other than 0 */
} applier;

static bool list_filled(applier *a)
{
    const rvm_scaling *s = a->scaling;
    size_t j;

    a->filled = rvm_array(s->count, sizeof *a->filled);
    if (a->filled == NULL)
        return false;
    for (j = 0; j < s->count; j++) {
        const rvm_feature_range *f = &s->feature[j];

        if (f->index > 0 && f->min != f->max && scale_feature(s, j, 0) != 0)
            a->filled[a->filled_count++] = j;
    }
    return true;
}

static rvm_status fail_write(rvm_error *err)
{
    return rvm_fail(err, RVM_EIO, "%s", strerror(errno));
}

/* The label, or labels with commas between them, and a blank. */
static rvm_status write_targets(applier *a, const rvm_problem *p, size_t row, rvm_error *err)
{
    const double *value = rvm_problem_targets(p, row);
    rvm_status status = RVM_OK;
    size_t k;

    for (k = 0; k < p->outputs && status == RVM_OK; k++) {
        const char end = k + 1 < p->outputs ? ',' : ' ';
        char text[RVM_REAL_SIZE];
        double target;

        status = scale_target(&target, a->scaling, k, value[k], row, err);
        if (status == RVM_OK && a->out != NULL &&
            fprintf(a->out, "%s%c", rvm_text_format(text, target, 17), end) < 0)
            status = fail_write(err);
    }
    return status;
}

static rvm_status write_pair(applier *a, size_t feature, double value, size_t row, rvm_error *err)
{
    const rvm_feature_range *f = &a->scaling->feature[feature];
    double scaled;
    char text[RVM_REAL_SIZE];

    if (f->min == f->max)
        return RVM_OK;
    scaled = scale_feature(a->scaling, feature, value);
    if (!isfinite(scaled))
        return rvm_fail_at(err, RVM_ENUMERIC, row + 1, 1,
                           "feature %d cannot be scaled to a finite number", f->index);
    if (scaled == 0)
        return RVM_OK;
    a->written++;
    if (a->out != NULL && fprintf(a->out, "%d:%s ", f->index, rvm_text_format(text, scaled, 6)) < 0)
        return fail_write(err);
    return RVM_OK;
}

/* The pairs of a row merged with the features that are always there. */
static rvm_status write_pairs(applier *a, const rvm_problem *p, size_t row, rvm_error *err)
{
    const rvm_scaling *s = a->scaling;
    size_t k = p->start[row], f = 0, at = 0;
    rvm_status status = RVM_OK;

    while (status == RVM_OK && (k < p->start[row + 1] || f < a->filled_count)) {
        const bool pair = k < p->start[row + 1];
        const bool fill =
            f < a->filled_count && (!pair || s->feature[a->filled[f]].index < p->index[k]);

        if (fill) {
            status = write_pair(a, a->filled[f++], 0, row, err);
            continue;
        }
        at = rvm_scaling_find(s, p->index[k], at);
        if (at < s->count) {
            status = write_pair(a, at, p->value[k], row, err);
            f += f < a->filled_count && a->filled[f] == at;
        }
        at++;
        k++;
    }
    return status;
}

static rvm_status apply_rows(applier *a, const rvm_problem *p, rvm_error *err)
{
    rvm_status status = RVM_OK;
    size_t row;

    for (row = 0; row < p->rows && status == RVM_OK; row++) {
        status = write_targets(a, p, row, err);
        if (status == RVM_OK)
            status = write_pairs(a, p, row, err);
        if (status == RVM_OK && a->out != NULL && putc('\n', a->out) == EOF)
            status = fail_write(err);
    }
    return status;
}

static bool has_index_zero(const rvm_problem *p)
{
    size_t row;

    for (row = 0; row < p->rows; row++)
        if (p->start[row] < p->start[row + 1] && p->index[p->start[row]] == 0)
            return true;
    return false;
}

rvm_status rvm_scaling_apply(rvm_scaling_counts *counts, const rvm_scaling *s, const rvm_problem *p,
                             FILE *out, rvm_error *err)
{
    applier a = { .scaling = s, .out = out };
    rvm_status status;

    if (s->limits.scale_target && s->outputs != p->outputs)
        return rvm_fail(err, RVM_ESETTING, "ranges for %zu label%s in a row, but the data have %zu",
                        s->outputs, s->outputs == 1 ? "" : "s", p->outputs);
    if (!list_filled(&a))
        return rvm_fail_memory(err, "the ranges of the features");
    status = apply_rows(&a, p, err);
    free(a.filled);
    if (status == RVM_OK)
        *counts = (rvm_scaling_counts){ p->start[p->rows], a.written, has_index_zero(p) };
    return status;
}
