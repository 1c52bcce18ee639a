/* Rows of a problem that a team shares, and where they go.
 *
 * They are sorted by samples (Shi and Schaeffer 1992): some rows of each process together say between
 * which rows to cut, every process sorts what lies between two cuts, and then it is known which number
 * each row has among all. */
#include "data/shard.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/order.h"

enum { SAMPLES = 64 }; /* rows of each process that decide on the cuts */

static const char no_memory[] = "the rows of the other processes";

/* ---- Rows as bytes --------------------------------------------------------------------------- */

/* A row: its number, how many pairs, its targets, indices, values. */
typedef struct {
    size_t number, pairs;
} heading;

static size_t size_of(const rvm_problem *p, size_t i)
{
    const size_t pairs = p->start[i + 1] - p->start[i];
    return sizeof(heading) + p->outputs * sizeof *p->target +
           pairs * (sizeof *p->index + sizeof *p->value);
}

static char *put(char *to, const void *from, size_t size)
{
    if (size > 0)
        memcpy(to, from, size);
    return to + size;
}

static const char *get(void *to, const char *from, size_t size)
{
    if (size > 0)
        memcpy(to, from, size);
    return from + size;
}

static char *put_row(char *to, const rvm_problem *p, size_t i)
{
    const size_t first = p->start[i], pairs = p->start[i + 1] - first;
    const heading h = { rvm_problem_number(p, i), pairs };
    to = put(to, &h, sizeof h);
    to = put(to, p->target + i * p->outputs, p->outputs * sizeof *p->target);
    if (pairs > 0) {
        to = put(to, p->index + first, pairs * sizeof *p->index);
        to = put(to, p->value + first, pairs * sizeof *p->value);
    }
    return to;
}

/* Room for what the bytes say, exactly. */
static bool make_room(rvm_problem *p, const char *bytes, size_t size)
{
    size_t rows = 0, pairs = 0;
    for (const char *at = bytes; at < bytes + size; rows++) {
        heading h;
        memcpy(&h, at, sizeof h);
        pairs += h.pairs;
        at += sizeof h + p->outputs * sizeof *p->target +
              h.pairs * (sizeof *p->index + sizeof *p->value);
    }
    p->number = rvm_array(rows, sizeof *p->number);
    return p->number != NULL &&
           rvm_grow(&p->start, &p->start_capacity, rows + 1, sizeof *p->start) &&
           rvm_grow(&p->target, &p->target_capacity, rows * p->outputs, sizeof *p->target) &&
           rvm_grow(&p->index, &p->pair_capacity, pairs, sizeof *p->index) &&
           rvm_grow(&p->value, &p->value_capacity, pairs, sizeof *p->value);
}

/* NULL without memory. */
static rvm_problem *problem_of(const char *bytes, size_t size, size_t outputs)
{
    rvm_problem *p = rvm_problem_alloc();
    if (p == NULL)
        return NULL;
    p->outputs = outputs;
    if (!make_room(p, bytes, size)) {
        rvm_problem_free(p);
        return NULL;
    }
    for (const char *at = bytes; at < bytes + size; p->rows++) {
        const size_t first = p->start[p->rows];
        heading h;
        at = get(&h, at, sizeof h);
        at = get(p->target + p->rows * outputs, at, outputs * sizeof *p->target);
        if (h.pairs > 0) {
            at = get(p->index + first, at, h.pairs * sizeof *p->index);
            at = get(p->value + first, at, h.pairs * sizeof *p->value);
            p->max_index = GSL_MAX(p->max_index, p->index[first + h.pairs - 1]);
        }
        p->number[p->rows] = h.number;
        p->start[p->rows + 1] = first + h.pairs;
    }
    return p;
}

/* ---- Parcels --------------------------------------------------------------------------------- */

/* What goes to each process, and comes from each. */
typedef struct {
    size_t *out, *in; /* owned, size: bytes */
    char *bytes;      /* owned: those that go */
} parcels;

static rvm_status parcels_init(parcels *c, rvm_team *team, rvm_error *err)
{
    const size_t size = (size_t)rvm_team_size(team);
    *c = (parcels){ rvm_array(size, sizeof *c->out), rvm_array(size, sizeof *c->in), NULL };
    return c->out != NULL && c->in != NULL ? RVM_OK : rvm_fail_memory(err, no_memory);
}

static void parcels_free(parcels *c)
{
    free(c->out);
    free(c->in);
    free(c->bytes);
}

/* Rows row[0 .. count) to processes to[0 .. count), which ascend. */
static rvm_status pack(parcels *c, const rvm_problem *p, const size_t *row, const int *to,
                       size_t count, rvm_error *err)
{
    size_t size = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t bytes = size_of(p, row[k]);
        c->out[to[k]] += bytes;
        size += bytes;
    }
    c->bytes = malloc(size > 0 ? size : 1);
    if (c->bytes == NULL)
        return rvm_fail_memory(err, no_memory);
    char *at = c->bytes;
    for (size_t k = 0; k < count; k++)
        at = put_row(at, p, row[k]);
    return RVM_OK;
}

/* in[r]: what rank r has for this process. */
static void tell_sizes(parcels *c, rvm_team *team)
{
    const size_t size = (size_t)rvm_team_size(team);
    for (size_t r = 0; team != NULL && r < size; r++)
        team->width[r] = sizeof *c->out;
    if (team == NULL)
        c->in[0] = c->out[0];
    else
        rvm_team_exchange(team, c->out, team->width, c->in, team->width);
}

/* *p: what has come, in the order of the ranks. */
static rvm_status deliver(rvm_problem **out, parcels *c, size_t outputs, rvm_team *team,
                          rvm_error *err)
{
    size_t size = 0;
    tell_sizes(c, team);
    for (int r = 0; r < rvm_team_size(team); r++)
        size += c->in[r];
    char *bytes = malloc(size > 0 ? size : 1);
    if (bytes == NULL)
        return rvm_fail_memory(err, no_memory);
    rvm_team_exchange(team, c->bytes, c->out, bytes, c->in);
    free(c->bytes);
    c->bytes = NULL;
    *out = problem_of(bytes, size, outputs);
    free(bytes);
    return *out == NULL ? rvm_fail_memory(err, no_memory) : RVM_OK;
}

/* Rows row[0 .. count) of p to processes to[0 .. count), which ascend. */
static rvm_status move_rows(rvm_problem **out, const rvm_problem *p, const size_t *row,
                            const int *to, size_t count, rvm_team *team, rvm_error *err)
{
    parcels c;
    rvm_status status = parcels_init(&c, team, err);
    if (status == RVM_OK)
        status = pack(&c, p, row, to, count, err);
    if (status == RVM_OK)
        status = deliver(out, &c, p->outputs, team, err);
    parcels_free(&c);
    return status;
}

/* ---- Cuts ------------------------------------------------------------------------------------ */

/* Features, targets, place in the file: no two rows are equal. */
static int compare(const rvm_problem *p, size_t a, const rvm_problem *q, size_t b)
{
    const int order = rvm_order_compare(p, a, q, b);
    const size_t i = rvm_problem_number(p, a), j = rvm_problem_number(q, b);
    return order != 0 ? order : (i > j) - (i < j);
}

/* Rows of every process, to all of them, in the order of the ranks. */
static rvm_status gather_rows(rvm_problem **out, const rvm_problem *p, const size_t *row,
                              size_t count, rvm_team *team, rvm_error *err)
{
    size_t mine = 0, all;
    for (size_t k = 0; k < count; k++)
        mine += size_of(p, row[k]);
    char *bytes = malloc(mine > 0 ? mine : 1), *at = bytes;
    if (bytes == NULL)
        return rvm_fail_memory(err, no_memory);
    for (size_t k = 0; k < count; k++)
        at = put_row(at, p, row[k]);
    char *collected = rvm_team_collect(&all, team, bytes, mine);
    free(bytes);
    *out = collected == NULL ? NULL : problem_of(collected, all, p->outputs);
    free(collected);
    return *out == NULL ? rvm_fail_memory(err, no_memory) : RVM_OK;
}

/* Some rows of all processes, sorted; the rows of p in the order `order`. */
static rvm_status sample_rows(rvm_problem **sample, const rvm_problem *p, const size_t *order,
                              rvm_team *team, rvm_error *err)
{
    size_t row[SAMPLES], *sorted = NULL;
    rvm_problem *all = NULL;
    const size_t count = GSL_MIN(p->rows, (size_t)SAMPLES);
    for (size_t k = 0; k < count; k++)
        row[k] = order[k * p->rows / count];
    rvm_status status = gather_rows(&all, p, row, count, team, err);
    if (status == RVM_OK)
        status = rvm_order_rows(&sorted, all, err);
    int *to = status == RVM_OK ? rvm_array(all->rows, sizeof *to) : NULL; /* here */
    if (status == RVM_OK && to == NULL)
        status = rvm_fail_memory(err, no_memory);
    if (status == RVM_OK)
        status = move_rows(sample, all, sorted, to, all->rows, NULL, err);
    free(to);
    free(sorted);
    rvm_problem_free(all);
    return status;
}

/* to[k]: the process for row order[k] of p, by cuts at equal distances in the sample. */
static void cut(int *to, const rvm_problem *p, const size_t *order, const rvm_problem *sample,
                int size)
{
    int rank = 0;
    for (size_t k = 0; k < p->rows; k++) {
        while (rank + 1 < size &&
               compare(p, order[k], sample, (size_t)(rank + 1) * sample->rows / (size_t)size) >= 0)
            rank++;
        to[k] = rank;
    }
}

/* Rows that this process and no other has come to between two cuts, sorted. */
static rvm_status sort_by_samples(rvm_problem **out, const rvm_problem *p, rvm_team *team,
                                  rvm_error *err)
{
    size_t *order = NULL;
    rvm_problem *sample = NULL;
    rvm_status status = rvm_order_rows(&order, p, err);
    if (status == RVM_OK)
        status = sample_rows(&sample, p, order, team, err);
    int *to = rvm_array(p->rows, sizeof *to);
    if (status == RVM_OK && to == NULL)
        status = rvm_fail_memory(err, no_memory);
    if (status == RVM_OK) {
        cut(to, p, order, sample, rvm_team_size(team));
        status = move_rows(out, p, order, to, p->rows, team, err);
    }
    free(to);
    free(order);
    rvm_problem_free(sample);
    return status;
}

/* ---- Spans ----------------------------------------------------------------------------------- */

/* to[k]: the process that has the span of the k-th of `count` rows here, where those of all processes
 * stand one behind another; *all: how many these are. */
static rvm_status find_owners(int *to, size_t *all, size_t count, rvm_team *team, rvm_error *err)
{
    const size_t size = (size_t)rvm_team_size(team);
    size_t *offset = rvm_array(size + 1, sizeof *offset);
    if (offset == NULL)
        return rvm_fail_memory(err, no_memory);
    rvm_team_offsets(offset, team, count);
    *all = offset[size];
    const size_t first = offset[rvm_team_rank(team)];
    const rvm_spans spans = rvm_spans_make(*all, team);
    for (size_t k = 0; k < count; k++)
        to[k] = rvm_spans_owner(&spans, first + k);
    free(offset);
    return RVM_OK;
}

/* The rows row[0 .. count) of all processes, one behind another, to those that have their spans. */
static rvm_status align(rvm_problem **out, const rvm_problem *p, const size_t *row, size_t count,
                        rvm_team *team, rvm_error *err)
{
    int *to = rvm_array(count, sizeof *to);
    size_t all = 0;
    if (to == NULL)
        return rvm_fail_memory(err, no_memory);
    rvm_status status = find_owners(to, &all, count, team, err);
    if (status == RVM_OK)
        status = move_rows(out, p, row, to, count, team, err);
    if (status == RVM_OK) {
        (*out)->team = team;
        (*out)->all = all;
        (*out)->max_index = (int)rvm_team_max(team, (*out)->max_index);
    }
    free(to);
    return status;
}

rvm_status rvm_shard_sort(rvm_problem **p, rvm_team *team, rvm_error *err)
{
    rvm_problem *between = NULL, *out = NULL;
    size_t *order = NULL;
    const int last = (int)rvm_team_max(team, (*p)->max_index); /* of features that are gone, too */
    (*p)->outputs = (size_t)rvm_team_max(team, (*p)->rows > 0 ? (double)(*p)->outputs : 1);
    rvm_status status = sort_by_samples(&between, *p, team, err);
    if (status == RVM_OK) {
        rvm_problem_free(*p);
        *p = NULL;
        status = rvm_order_rows(&order, between, err);
    }
    if (status == RVM_OK)
        status = align(&out, between, order, between->rows, team, err);
    if (status == RVM_OK) {
        *p = out;
        out->max_index = last;
    }
    free(order);
    rvm_problem_free(between);
    return status;
}

rvm_status rvm_shard_spread(rvm_problem **p, size_t first, rvm_team *team, rvm_error *err)
{
    free((*p)->number);
    (*p)->number = rvm_array((*p)->rows, sizeof *(*p)->number);
    if ((*p)->number == NULL)
        return rvm_fail_memory(err, no_memory);
    for (size_t i = 0; i < (*p)->rows; i++)
        (*p)->number[i] = first + i;
    return rvm_shard_sort(p, team, err);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static rvm_status copy_rows(rvm_problem **out, const rvm_problem *p, const size_t *row,
                            size_t count, rvm_error *err)
{
    *out = rvm_problem_subset(p, row, count);
    return *out == NULL ? rvm_fail_memory(err, "a part of the rows") : RVM_OK;
}

rvm_status rvm_shard_part(rvm_problem **out, const rvm_problem *p, const size_t *row, size_t count,
                          rvm_error *err)
{
    return p->team == NULL ? copy_rows(out, p, row, count, err)
                           : align(out, p, row, count, p->team, err);
}

/* Alone, with an order. */
static rvm_status copy_places(rvm_problem **out, const rvm_problem *p, const size_t *order,
                              const size_t *row, size_t count, rvm_error *err)
{
    size_t *here = rvm_array(count, sizeof *here);
    if (here == NULL)
        return rvm_fail_memory(err, "a part of the rows");
    for (size_t k = 0; k < count; k++)
        here[k] = order[row[k]];
    const rvm_status status = copy_rows(out, p, here, count, err);
    free(here);
    return status;
}

rvm_status rvm_shard_pick(rvm_problem **out, const rvm_problem *p, const size_t *order,
                          const size_t *row, size_t count, rvm_error *err)
{
    if (p->team == NULL)
        return order == NULL ? copy_rows(out, p, row, count, err)
                             : copy_places(out, p, order, row, count, err);
    const rvm_spans spans = rvm_problem_spans(p);
    const size_t first = rvm_spans_first_row(&spans), end = first + p->rows;
    size_t *mine = rvm_array(count, sizeof *mine), many = 0;
    if (mine == NULL)
        return rvm_fail_memory(err, "a part of the rows");
    for (size_t k = 0; k < count; k++)
        if (row[k] >= first && row[k] < end)
            mine[many++] = row[k] - first;
    const rvm_status status = rvm_shard_gather(out, p, mine, many, err);
    free(mine);
    if (status == RVM_OK)
        rvm_problem_forget_numbers(*out);
    return status;
}

rvm_status rvm_shard_gather(rvm_problem **out, const rvm_problem *p, const size_t *row,
                            size_t count, rvm_error *err)
{
    return p->team == NULL ? copy_rows(out, p, row, count, err)
                           : gather_rows(out, p, row, count, p->team, err);
}

/* *ends: the last row of each process that has any; *place: in it, that of the row before the
 * first one that is here; *found: whether there is one. */
static rvm_status find_row_before(rvm_problem **ends, size_t *place, bool *found,
                                  const rvm_problem *p, rvm_error *err)
{
    const size_t size = (size_t)rvm_team_size(p->team), mine = p->rows > 0, last = p->rows - mine;
    size_t *before = rvm_array(size + 1, sizeof *before);
    if (before == NULL)
        return rvm_fail_memory(err, no_memory);
    rvm_team_offsets(before, p->team, mine);
    const size_t k = before[rvm_team_rank(p->team)];
    free(before);
    *found = mine > 0 && k > 0;
    *place = k - *found;
    return rvm_shard_gather(ends, p, &last, mine, err);
}

/* By features alone, or by targets too. */
static rvm_status compare_with_before(bool *same, const rvm_problem *p, bool targets,
                                      rvm_error *err)
{
    rvm_problem *ends = NULL;
    size_t place = 0;
    *same = false;
    if (p->team == NULL)
        return RVM_OK;
    const rvm_status status = find_row_before(&ends, &place, same, p, err);
    *same =
        status == RVM_OK && *same &&
        (targets ? rvm_order_compare(p, 0, ends, place) == 0 : rvm_order_alike(p, 0, ends, place));
    rvm_problem_free(ends);
    return status;
}

rvm_status rvm_shard_repeats(bool *repeats, const rvm_problem *p, rvm_error *err)
{
    return compare_with_before(repeats, p, false, err);
}

rvm_status rvm_shard_goes_on(bool *goes_on, const rvm_problem *p, rvm_error *err)
{
    return compare_with_before(goes_on, p, true, err);
}

/* ---- Numbers that belong to rows ------------------------------------------------------------- */

rvm_status rvm_shard_part_numbers(double *to, const rvm_problem *p, const size_t *row, size_t count,
                                  const double *from, rvm_error *err)
{
    rvm_team *team = p->team;
    int *owner = rvm_array(count, sizeof *owner);
    double *mine = rvm_array(count, sizeof *mine);
    parcels c = { NULL, NULL, NULL };
    size_t all = 0;
    rvm_status status = owner == NULL || mine == NULL ? rvm_fail_memory(err, no_memory)
                                                      : parcels_init(&c, team, err);
    if (status == RVM_OK)
        status = find_owners(owner, &all, count, team, err);
    for (size_t k = 0; k < count && status == RVM_OK; k++) {
        mine[k] = from[row[k]];
        c.out[owner[k]] += sizeof *mine;
    }
    if (status == RVM_OK) {
        tell_sizes(&c, team);
        rvm_team_exchange(team, mine, c.out, to, c.in);
    }
    parcels_free(&c);
    free(owner);
    free(mine);
    return status;
}

rvm_status rvm_shard_pick_numbers(double *to, const rvm_problem *p, const size_t *row, size_t count,
                                  const double *from, rvm_error *err)
{
    const rvm_spans spans = rvm_problem_spans(p);
    const size_t first = rvm_spans_first_row(&spans), end = first + p->rows;
    double *mine = rvm_array(count, sizeof *mine);
    size_t many = 0, bytes = 0;
    for (size_t k = 0; mine != NULL && k < count; k++)
        if (row[k] >= first && row[k] < end)
            mine[many++] = from[row[k] - first];
    double *all =
        mine == NULL ? NULL : rvm_team_collect(&bytes, p->team, mine, many * sizeof *mine);
    if (all != NULL && count > 0)
        memcpy(to, all, bytes);
    free(mine);
    free(all);
    return all == NULL ? rvm_fail_memory(err, no_memory) : RVM_OK;
}

/* ---- What all rows are ----------------------------------------------------------------------- */

rvm_status rvm_shard_different(size_t *count, const rvm_problem *p, rvm_error *err)
{
    size_t *order = NULL, here = p->rows > 0;
    bool repeats = false;
    rvm_status status = rvm_shard_repeats(&repeats, p, err);
    if (status == RVM_OK)
        status = rvm_order_rows(&order, p, err);
    status = rvm_team_agree(p->team, status, err);
    if (status != RVM_OK)
        return status;
    here -= repeats;
    for (size_t k = 1; k < p->rows; k++)
        here += !rvm_order_same(p, order[k - 1], order[k]);
    free(order);
    *count = rvm_team_total(p->team, here);
    return RVM_OK;
}

bool rvm_shard_equal_targets(const rvm_problem *p)
{
    const size_t q = p->outputs;
    bool equal = true;
    for (size_t k = 0; k < q && equal; k++) {
        double most = -INFINITY, least = INFINITY;
        for (size_t i = 0; i < p->rows; i++) {
            most = fmax(most, p->target[i * q + k]);
            least = fmin(least, p->target[i * q + k]);
        }
        equal = !(rvm_team_max(p->team, most) > rvm_team_min(p->team, least));
    }
    return equal;
}

/* ---- Everything ------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    const size_t i = ((const heading *)a)->number, j = ((const heading *)b)->number;
    return (i > j) - (i < j);
}

/* In the order of the file. */
static rvm_status order_by_file(rvm_problem **out, const rvm_problem *p, rvm_error *err)
{
    heading *place = rvm_array(p->rows, sizeof *place); /* number, row */
    size_t *row = rvm_array(p->rows, sizeof *row);
    rvm_status status = RVM_OK;
    if (place == NULL || row == NULL)
        status = rvm_fail_memory(err, no_memory);
    for (size_t i = 0; i < p->rows && status == RVM_OK; i++)
        place[i] = (heading){ p->number[i], i };
    if (status == RVM_OK)
        qsort(place, p->rows, sizeof *place, by_number);
    for (size_t i = 0; i < p->rows && status == RVM_OK; i++)
        row[i] = place[i].pairs;
    if (status == RVM_OK)
        *out = rvm_problem_subset(p, row, p->rows);
    if (status == RVM_OK && *out == NULL)
        status = rvm_fail_memory(err, no_memory);
    free(place);
    free(row);
    return status;
}

rvm_status rvm_shard_thin(rvm_problem **out, const rvm_problem *p, size_t most, rvm_error *err)
{
    if (p->team == NULL) {
        *out = rvm_problem_thin(p, most);
        return *out == NULL ? rvm_fail_memory(err, "a part of the rows") : RVM_OK;
    }
    const size_t step = GSL_MAX(1, (p->all + most - 1) / most);
    size_t *row = rvm_array(p->rows, sizeof *row), count = 0;
    rvm_problem *found = NULL;
    if (row == NULL)
        return rvm_fail_memory(err, "a part of the rows");
    for (size_t i = 0; i < p->rows; i++)
        if (rvm_problem_number(p, i) % step == 0)
            row[count++] = i;
    rvm_status status = rvm_shard_gather(&found, p, row, count, err);
    if (status == RVM_OK)
        status = order_by_file(out, found, err);
    free(row);
    rvm_problem_free(found);
    return status;
}

rvm_status rvm_shard_canonical(rvm_problem **out, const rvm_problem *p, rvm_error *err)
{
    const rvm_spans spans = rvm_problem_spans(p);
    size_t *order = NULL;
    rvm_status status = rvm_order_rows(&order, p, err);
    if (status == RVM_OK)
        status = copy_rows(out, p, order, p->rows, err);
    for (size_t i = 0; i < p->rows && status == RVM_OK; i++)
        order[i] = rvm_spans_first_row(&spans) + i;
    if (status == RVM_OK && p->team != NULL) {
        (*out)->team = p->team;
        (*out)->all = p->all;
        (*out)->max_index = p->max_index;
        (*out)->number = order;
    } else {
        free(order);
    }
    return rvm_team_agree(p->team, status, err);
}

rvm_status rvm_shard_whole(rvm_problem **out, const rvm_problem *p, rvm_error *err)
{
    size_t *row = rvm_array(p->rows, sizeof *row);
    int *to = rvm_array(p->rows, sizeof *to); /* rank 0 */
    rvm_problem *all = NULL;
    rvm_status status = RVM_OK;
    if (row == NULL || to == NULL)
        status = rvm_fail_memory(err, no_memory);
    for (size_t i = 0; i < p->rows && status == RVM_OK; i++)
        row[i] = i;
    if (status == RVM_OK)
        status = move_rows(&all, p, row, to, p->rows, p->team, err);
    if (status == RVM_OK)
        status = order_by_file(out, all, err);
    free(row);
    free(to);
    rvm_problem_free(all);
    return status;
}
