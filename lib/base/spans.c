/* Sums over rows that do not depend on how many share the work. */
#include "base/spans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"

enum {
    USUAL_SPANS = 64,    /* at the most, up to */
    MANY_ROWS = 1 << 24, /* so many rows; beyond, RVM_SPANS_MOST, which more processes can share */
    LEVELS = 9,          /* of the tree: 2^8 spans */
    FAILED = 0,
    ASKED = 1, /* numbers behind the sums: somebody has failed, or been interrupted */
    EXTRA = 2
};

/* ---- Who has which --------------------------------------------------------------------------- */

static size_t first_of(const rvm_spans *s, size_t rank)
{
    const size_t size = (size_t)rvm_team_size(s->team);
    return (rank * s->count + size - 1) / size;
}

/* The process that has a span: few of them are those of the first ranks. */
static int owner_of(const rvm_spans *s, size_t span)
{
    return (int)(span * (size_t)rvm_team_size(s->team) / s->count);
}

rvm_spans rvm_spans_make(size_t N, rvm_team *team)
{
    const size_t strips = N / RVM_STRIP + (N % RVM_STRIP != 0);
    const size_t most = N < MANY_ROWS ? USUAL_SPANS : RVM_SPANS_MOST;
    rvm_spans s = { .team = team, .N = N };
    s.rows = (strips + most - 1) / most * RVM_STRIP;
    s.count = N == 0 ? 0 : (N + s.rows - 1) / s.rows;
    s.first = first_of(&s, (size_t)rvm_team_rank(team));
    s.end = first_of(&s, (size_t)rvm_team_rank(team) + 1);
    return s;
}

static size_t row_of(const rvm_spans *s, size_t span)
{
    return span * s->rows < s->N ? span * s->rows : s->N;
}

size_t rvm_spans_first_row(const rvm_spans *s)
{
    return row_of(s, s->first);
}

size_t rvm_spans_here(const rvm_spans *s)
{
    return row_of(s, s->end) - row_of(s, s->first);
}

int rvm_spans_owner(const rvm_spans *s, size_t row)
{
    return owner_of(s, row / s->rows);
}

/* ---- The tree -------------------------------------------------------------------------------- */

/* Borrowed, but for the sums. */
typedef struct {
    const rvm_spans *s;
    rvm_spans_piece *piece;
    rvm_spans_join *join;
    void *context;
    size_t count;
    double *of_span;       /* owned: of each span of this process, or NULL: computed when wanted */
    double *spare[LEVELS]; /* owned: of the right part of a node of that level */
    rvm_status status;
    rvm_error fault;
} fold;

static void note(fold *f, double *sums, rvm_status status, const rvm_error *fault)
{
    if (status == RVM_OK)
        return;
    sums[f->count + FAILED] = 1;
    if (f->status != RVM_OK)
        return;
    f->status = status;
    f->fault = *fault;
}

/* The sums of a span of this process. */
static rvm_status sum_span(double *sums, const fold *f, size_t span, int worker, rvm_error *err)
{
    const size_t first = row_of(f->s, span), end = row_of(f->s, span + 1);
    const volatile int *asked = f->s->team == NULL ? NULL : f->s->team->asked;
    memset(sums, 0, (f->count + EXTRA) * sizeof *sums);
    sums[f->count + ASKED] = asked == NULL ? 0 : *asked;
    return f->piece(f->context, first - rvm_spans_first_row(f->s), end - first, sums, worker, err);
}

static void take_leaf(fold *f, double *sums, size_t span)
{
    const size_t size = f->count + EXTRA;
    rvm_error fault = { 0 };
    if (f->of_span != NULL)
        memcpy(sums, f->of_span + (span - f->s->first) * size, size * sizeof *sums);
    else if (f->status == RVM_OK)
        note(f, sums, sum_span(sums, f, span, 0, &fault), &fault);
    else
        memset(sums, 0, size * sizeof *sums);
}

static void join(fold *f, double *left, const double *right)
{
    rvm_error fault = { 0 };
    left[f->count + FAILED] += right[f->count + FAILED];
    left[f->count + ASKED] = fmax(left[f->count + ASKED], right[f->count + ASKED]);
    for (size_t k = 0; f->join == NULL && k < f->count; k++)
        left[k] += right[k];
    if (f->join != NULL && left[f->count + FAILED] == 0)
        note(f, left, f->join(f->context, left, right, &fault), &fault);
}

/* The node of `level` over spans number << level and on, as far as this process has to do with it: to
 * `sums` of the process that has its first span. */
static void take_node(fold *f, double *sums, int level, size_t number)
{
    const rvm_spans *s = f->s;
    const size_t first = number << level, half = (size_t)1 << level >> 1;
    if (first >= s->end || first + (half > 0 ? 2 * half : 1) <= s->first)
        return;
    if (level == 0) {
        take_leaf(f, sums, first);
        return;
    }
    take_node(f, sums, level - 1, 2 * number);
    if (first + half >= s->count)
        return;
    double *right = f->spare[level - 1];
    const size_t bytes = (f->count + EXTRA) * sizeof *sums;
    const int me = rvm_team_rank(s->team), to = owner_of(s, first),
              from = owner_of(s, first + half);
    take_node(f, right, level - 1, 2 * number + 1);
    if (me == from && from != to)
        rvm_team_send(s->team, right, bytes, to);
    if (me == to && from != to)
        rvm_team_receive(s->team, right, bytes, from);
    if (me == to)
        join(f, sums, right);
}

/* ---- Side by side ---------------------------------------------------------------------------- */

static rvm_status leaf_piece(void *context, size_t k, int worker, rvm_error *err)
{
    const fold *f = context;
    return sum_span(f->of_span + k * (f->count + EXTRA), f, f->s->first + k, worker, err);
}

/* A thread that fails leaves the others' sums as they are: nobody looks at them. */
static void sum_side_by_side(fold *f, int threads)
{
    rvm_error fault = { 0 };
    const rvm_status status = rvm_share(f->s->end - f->s->first, leaf_piece, f, threads, &fault);
    if (f->s->end > f->s->first)
        note(f, f->of_span, status, &fault);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static int levels_of(const rvm_spans *s)
{
    int level = 0;
    while ((size_t)1 << level < s->count)
        level++;
    return level;
}

static bool alloc_parts(fold *f, int levels, bool side_by_side)
{
    const size_t size = f->count + EXTRA, mine = f->s->end - f->s->first;
    bool memory = true;
    if (side_by_side) {
        f->of_span = rvm_array(mine > 0 ? mine : 1, size * sizeof(double));
        memory = f->of_span != NULL;
    }
    for (int k = 0; k < levels; k++) {
        f->spare[k] = malloc(size * sizeof(double));
        memory = memory && f->spare[k] != NULL;
    }
    return memory;
}

static void free_parts(fold *f)
{
    free(f->of_span);
    for (int k = 0; k < LEVELS; k++)
        free(f->spare[k]);
}

/* What rank 0 has in the end, to all; the first fault of any of them. */
static rvm_status share_result(double *sums, fold *f, double *root, rvm_error *err)
{
    rvm_team *team = f->s->team;
    rvm_team_broadcast(team, root, (f->count + EXTRA) * sizeof *root, 0);
    memcpy(sums, root, f->count * sizeof *sums);
    if (team != NULL && team->interrupted == 0)
        team->interrupted = (int)root[f->count + ASKED];
    if (root[f->count + FAILED] == 0)
        return RVM_OK;
    if (err != NULL)
        *err = f->fault;
    return rvm_team_agree(team, f->status, err);
}

rvm_status rvm_spans_fold(double *sums, size_t count, const rvm_spans *s, rvm_spans_piece *piece,
                          rvm_spans_join *join_two, void *context, int threads, rvm_error *err)
{
    fold f = { .s = s, .piece = piece, .join = join_two, .context = context, .count = count };
    const int levels = levels_of(s);
    rvm_status status = RVM_OK;
    double *root = rvm_array(count + EXTRA, sizeof *root);
    if (root == NULL || !alloc_parts(&f, levels, threads > 1)) {
        status = rvm_fail_memory(err, "sums over the rows");
    } else {
        if (threads > 1)
            sum_side_by_side(&f, threads);
        if (s->count > 0)
            take_node(&f, root, levels, 0);
        status = share_result(sums, &f, root, err);
    }
    free_parts(&f);
    free(root);
    return status;
}
