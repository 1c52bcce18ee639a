/* Linear scaling of features: learn their ranges, apply them. */
#include "data/scaling.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
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
    free(s->index);
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

bool rvm_scaling_grow(rvm_scaling *s)
{
    return rvm_grow(&s->index, &s->index_capacity, s->count + 1, sizeof *s->index) &&
           rvm_grow(&s->feature, &s->feature_capacity, s->count + 1, sizeof *s->feature);
}

/* ---- Ranges of a problem -------------------------------------------------------------------- */

static const rvm_scaling_range nothing_seen = { INFINITY, -INFINITY };

/* On a tie the newer value stays, which decides the sign of a zero, as in svm-scale. */
static void widen(rvm_scaling_range *range, double value)
{
    if (!(range->min < value))
        range->min = value;
    if (!(range->max > value))
        range->max = value;
}

/* Rows next_row[j] .. row - 1, in which feature j was absent, count as 0; not so for index 0. */
static void pass_absent_rows(rvm_scaling *s, size_t j, size_t *next_row, size_t row)
{
    if (next_row[j] < row && s->index[j] > 0)
        widen(&s->feature[j], 0);
    next_row[j] = row;
}

/* next_row: zeros, count: scratch. */
static void learn_features(rvm_scaling *s, size_t *next_row, const rvm_problem *p)
{
    for (size_t j = 0; j < s->count; j++)
        s->feature[j] = nothing_seen;
    for (size_t row = 0; row < p->rows; row++)
        for (size_t k = p->start[row], j = 0; k < p->start[row + 1]; k++, j++) {
            j = rvm_sort_find(s->index, s->count, p->index[k], j);
            pass_absent_rows(s, j, next_row, row);
            widen(&s->feature[j], p->value[k]);
            next_row[j] = row + 1;
        }
    for (size_t j = 0; j < s->count; j++)
        pass_absent_rows(s, j, next_row, p->rows);
}

/* Ranges over the rows of all processes that share them. False without memory. */
static bool join_features(rvm_scaling *s, rvm_team *team)
{
    double *ends = rvm_array(2 * s->count, sizeof *ends);
    for (size_t j = 0; ends != NULL && j < s->count; j++) {
        ends[2 * j] = s->feature[j].max;
        ends[2 * j + 1] = -s->feature[j].min;
    }
    const bool memory = ends != NULL && rvm_team_max_each(team, ends, 2 * s->count);
    for (size_t j = 0; memory && j < s->count; j++)
        s->feature[j] = (rvm_scaling_range){ -ends[2 * j + 1], ends[2 * j] };
    free(ends);
    return memory;
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
    for (size_t k = 0; k < s->outputs; k++) {
        s->target[k] = nothing_seen;
        for (size_t row = 0; row < p->rows; row++)
            widen(&s->target[k], rvm_problem_targets(p, row)[k]);
    }
}

/* Features and targets of p, and room for their ranges. */
static bool alloc_ranges(rvm_scaling *s, size_t **next_row, const rvm_problem *p)
{
    if (!rvm_problem_features(&s->index, &s->count, p) || !make_room_for_targets(s, p->outputs))
        return false;
    s->index_capacity = s->count;
    *next_row = rvm_array(s->count, sizeof **next_row);
    return *next_row != NULL &&
           rvm_grow(&s->feature, &s->feature_capacity, s->count, sizeof *s->feature);
}

rvm_status rvm_scaling_learn(rvm_scaling **out, const rvm_problem *p,
                             const rvm_scaling_limits *limits, rvm_error *err)
{
    size_t *next_row = NULL;
    const rvm_status status = rvm_scaling_limits_check(limits, err);
    if (status != RVM_OK)
        return status;
    rvm_scaling *s = rvm_scaling_alloc();
    if (s == NULL || !alloc_ranges(s, &next_row, p)) {
        rvm_scaling_free(s);
        free(next_row);
        return rvm_fail_memory(err, "the ranges of the features");
    }
    s->limits = *limits;
    learn_features(s, next_row, p);
    learn_targets(s, p);
    free(next_row);
    if (p->team != NULL && !join_features(s, p->team)) {
        rvm_scaling_free(s);
        return rvm_fail_memory(err, "the ranges of the features");
    }
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

/* Index 0, which stands first. */
static bool has_serials(const rvm_scaling *s)
{
    return s->count > 0 && s->index[0] == 0;
}

rvm_status rvm_scaling_complete(rvm_scaling *s, bool *target_taken, const rvm_scaling *learned,
                                rvm_error *err)
{
    if (has_serials(learned) && !has_serials(s)) {
        if (!rvm_scaling_grow(s))
            return rvm_fail_memory(err, "the ranges of the features");
        memmove(s->index + 1, s->index, s->count * sizeof *s->index);
        memmove(s->feature + 1, s->feature, s->count * sizeof *s->feature);
        s->index[0] = 0;
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
    size_t found = 0;
    if (unseen == NULL)
        return rvm_fail_memory(err, "the ranges of the features");
    for (size_t j = 0, at = 0; j < learned->count; j++) {
        const rvm_scaling_range *f = &learned->feature[j];
        const size_t place = rvm_sort_find(s->index, s->count, learned->index[j], at);
        if (place < s->count)
            at = place + 1;
        else if (f->min != f->max)
            unseen[found++] = learned->index[j];
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
    const rvm_scaling_range *f = &s->feature[feature];
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
    a->filled = rvm_array(s->count, sizeof *a->filled);
    if (a->filled == NULL)
        return false;
    for (size_t j = 0; j < s->count; j++) {
        const rvm_scaling_range *f = &s->feature[j];
        if (s->index[j] > 0 && f->min != f->max && scale_feature(s, j, 0) != 0)
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
    for (size_t k = 0; k < p->outputs && status == RVM_OK; k++) {
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
    const rvm_scaling_range *f = &a->scaling->feature[feature];
    const int index = a->scaling->index[feature];
    char text[RVM_REAL_SIZE];
    if (f->min == f->max)
        return RVM_OK;
    const double scaled = scale_feature(a->scaling, feature, value);
    if (!isfinite(scaled))
        return rvm_fail_at(err, RVM_ENUMERIC, row + 1, 1,
                           "feature %d cannot be scaled to a finite number", index);
    if (scaled == 0)
        return RVM_OK;
    a->written++;
    if (a->out != NULL && fprintf(a->out, "%d:%s ", index, rvm_text_format(text, scaled, 6)) < 0)
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
        const bool fill = f < a->filled_count && (!pair || s->index[a->filled[f]] < p->index[k]);
        if (fill) {
            status = write_pair(a, a->filled[f++], 0, row, err);
            continue;
        }
        at = rvm_sort_find(s->index, s->count, p->index[k], at);
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
    for (size_t row = 0; row < p->rows && status == RVM_OK; row++) {
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
    for (size_t row = 0; row < p->rows; row++)
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
