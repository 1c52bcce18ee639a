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

size_t rvm_spans_largest(const rvm_spans *s)
{
    const size_t size = (size_t)rvm_team_size(s->team), most = (s->count + size - 1) / size;
    return most * s->rows < s->N ? most * s->rows : s->N;
}

int rvm_spans_owner(const rvm_spans *s, size_t row)
{
    return owner_of(s, row / s->rows);
}

/* ---- The tree -------------------------------------------------------------------------------- */

/* Spans number << level and on. */
typedef struct {
    int level;
    size_t number;
} node;

/* Borrowed, but for what is computed side by side. */
typedef struct {
    const rvm_spans *s;
    rvm_spans_piece *piece;
    rvm_spans_join *join;
    void *context;
    size_t count;
    const double *given; /* of each span of this process; NULL: the piece has them */
    int level;           /* of the largest nodes that are computed side by side; -1: none are */
    node *nodes;         /* owned: those, in their order, */
    size_t node_count;
    double *of_node; /* owned: and their sums */
    size_t taken;    /* of them so far */
} fold;

/* What a thread has to itself. */
typedef struct {
    fold *f; /* borrowed */
    int worker;
    bool collects;         /* takes nodes that have been computed */
    double *spare[LEVELS]; /* owned: of the right part of a node of that level */
    rvm_status status;     /* of the first fault that it has met */
    rvm_error fault;
} lane;

static void note(lane *l, double *sums, rvm_status status, const rvm_error *fault)
{
    if (status == RVM_OK)
        return;
    sums[l->f->count + FAILED] = 1;
    if (l->status != RVM_OK)
        return;
    l->status = status;
    l->fault = *fault;
}

static void take_leaf(lane *l, double *sums, size_t span)
{
    const fold *f = l->f;
    const rvm_spans *s = f->s;
    const size_t first = row_of(s, span), end = row_of(s, span + 1);
    const volatile int *asked = s->team == NULL ? NULL : s->team->asked;
    rvm_error fault = { 0 };
    memset(sums, 0, (f->count + EXTRA) * sizeof *sums);
    sums[f->count + ASKED] = asked == NULL ? 0 : *asked;
    if (f->given != NULL)
        memcpy(sums, f->given + (span - s->first) * f->count, f->count * sizeof *sums);
    else if (l->status == RVM_OK)
        note(l, sums,
             f->piece(f->context, first - rvm_spans_first_row(s), end - first, sums, l->worker,
                      &fault),
             &fault);
    if (l->status != RVM_OK)
        sums[f->count + FAILED] = 1;
}

static void join(lane *l, double *left, const double *right)
{
    const fold *f = l->f;
    rvm_error fault = { 0 };
    left[f->count + FAILED] += right[f->count + FAILED];
    left[f->count + ASKED] = fmax(left[f->count + ASKED], right[f->count + ASKED]);
    for (size_t k = 0; f->join == NULL && k < f->count; k++)
        left[k] += right[k];
    if (f->join != NULL && left[f->count + FAILED] == 0)
        note(l, left, f->join(f->context, left, right, l->worker, &fault), &fault);
}

/* Whether this process has something of a node, */
static bool is_here(const rvm_spans *s, int level, size_t number)
{
    return number << level < s->end && (number + 1) << level > s->first;
}

/* or all of it. */
static bool is_whole(const rvm_spans *s, int level, size_t number)
{
    const size_t first = number << level, beyond = (number + 1) << level;
    return first >= s->first && first < s->end && (beyond <= s->end || s->end == s->count);
}

/* A node, as far as this process has to do with it: to `sums` of the process that has its first
 * span. */
static void take_node(lane *l, double *sums, int level, size_t number)
{
    fold *f = l->f;
    const rvm_spans *s = f->s;
    const size_t bytes = (f->count + EXTRA) * sizeof *sums;
    const size_t first = number << level, middle = first + ((size_t)1 << level >> 1);
    if (!is_here(s, level, number))
        return;
    if (l->collects && level <= f->level && is_whole(s, level, number)) {
        memcpy(sums, f->of_node + f->taken++ * (f->count + EXTRA), bytes);
        return;
    }
    if (level == 0) {
        take_leaf(l, sums, first);
        return;
    }
    take_node(l, sums, level - 1, 2 * number);
    if (middle >= s->count)
        return;
    double *right = l->spare[level - 1];
    const int me = rvm_team_rank(s->team), to = owner_of(s, first), from = owner_of(s, middle);
    take_node(l, right, level - 1, 2 * number + 1);
    if (me == from && from != to)
        rvm_team_send(s->team, right, bytes, to);
    if (me == to && from != to)
        rvm_team_receive(s->team, right, bytes, from);
    if (me == to)
        join(l, sums, right);
}

static int levels_of(const rvm_spans *s)
{
    int level = 0;
    while ((size_t)1 << level < s->count)
        level++;
    return level;
}

size_t rvm_spans_held(const rvm_spans *s)
{
    return (size_t)levels_of(s) + 1;
}

/* ---- What a thread has ----------------------------------------------------------------------- */

/* Room for nodes up to that level. */
static bool lane_init(lane *l, fold *f, int worker, int levels)
{
    bool memory = true;
    *l = (lane){ .f = f, .worker = worker };
    for (int k = 0; k < levels; k++) {
        l->spare[k] = rvm_array(f->count + EXTRA, sizeof(double));
        memory = memory && l->spare[k] != NULL;
    }
    return memory;
}

static void lane_free(lane *l)
{
    for (int k = 0; k < LEVELS; k++)
        free(l->spare[k]);
}

/* ---- Side by side ---------------------------------------------------------------------------- */

/* The largest nodes of this process that make enough work for all threads: few of them, since the
 * sums of each are held. */
static int level_of_nodes(const rvm_spans *s, int threads)
{
    const size_t enough = threads > 1 ? (size_t)threads * 4 : 1, here = s->end - s->first;
    int level = 0;
    while (here >> (level + 1) >= enough)
        level++;
    return level;
}

/* Lists them, in the order in which take_node comes across them. */
static void list_nodes(fold *f, int level, size_t number)
{
    if (!is_here(f->s, level, number))
        return;
    if (level <= f->level && is_whole(f->s, level, number)) {
        f->nodes[f->node_count++] = (node){ level, number };
        return;
    }
    list_nodes(f, level - 1, 2 * number);
    list_nodes(f, level - 1, 2 * number + 1);
}

/* Borrowed. */
typedef struct {
    fold *f;
    lane *lanes;
} nodes_job;

static rvm_status node_piece(void *context, size_t k, int worker, rvm_error *err)
{
    const nodes_job *j = context;
    lane *l = &j->lanes[worker];
    const node n = j->f->nodes[k];
    take_node(l, j->f->of_node + k * (j->f->count + EXTRA), n.level, n.number);
    if (l->status != RVM_OK && err != NULL)
        *err = l->fault;
    return l->status;
}

/* The nodes, by `threads` lanes; a fault that keeps some of them from being computed is that of the
 * whole. */
static rvm_status compute_nodes(fold *f, int threads, rvm_error *err)
{
    lane *lanes = rvm_array((size_t)threads, sizeof *lanes);
    rvm_status status = lanes == NULL ? rvm_fail_memory(err, "sums over the rows") : RVM_OK;
    for (int w = 0; w < threads && status == RVM_OK; w++)
        if (!lane_init(&lanes[w], f, w, f->level))
            status = rvm_fail_memory(err, "sums over the rows");
    nodes_job job = { f, lanes };
    if (status == RVM_OK)
        status = rvm_share(f->node_count, node_piece, &job, threads, err);
    for (int w = 0; w < threads && lanes != NULL; w++)
        lane_free(&lanes[w]);
    free(lanes);
    return status;
}

/* All that can be computed here before anything is sent: who sends waits until it is received. */
static rvm_status sum_first(fold *f, int levels, int threads, rvm_error *err)
{
    const size_t here = f->s->end - f->s->first;
    f->level = level_of_nodes(f->s, threads);
    f->nodes = rvm_array(here, sizeof *f->nodes);
    if (f->nodes == NULL)
        return rvm_fail_memory(err, "sums over the rows");
    list_nodes(f, levels, 0);
    f->of_node = rvm_array(f->node_count, (f->count + EXTRA) * sizeof(double));
    if (f->of_node == NULL)
        return rvm_fail_memory(err, "sums over the rows");
    return compute_nodes(f, threads < (int)f->node_count ? threads : (int)f->node_count, err);
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* What rank 0 has in the end, to all; the first fault of any of them. */
static rvm_status share_result(double *sums, const lane *l, double *root, rvm_error *err)
{
    const fold *f = l->f;
    rvm_team *team = f->s->team;
    rvm_team_broadcast(team, root, (f->count + EXTRA) * sizeof *root, 0);
    memcpy(sums, root, f->count * sizeof *sums);
    if (team != NULL && team->interrupted == 0)
        team->interrupted = (int)root[f->count + ASKED];
    if (root[f->count + FAILED] == 0)
        return RVM_OK;
    if (err != NULL)
        *err = l->fault;
    return rvm_team_agree(team, l->status, err);
}

/* status: of what has been computed for it so far. */
static rvm_status run(double *sums, fold *f, int threads, rvm_status status, rvm_error *err)
{
    const int levels = levels_of(f->s);
    const size_t here = f->s->end - f->s->first;
    const bool first =
        f->given == NULL && (threads > 1 || rvm_team_size(f->s->team) > 1) && here > 1;
    lane main_lane;
    rvm_error fault = { 0 };
    double *root = rvm_array(f->count + EXTRA, sizeof *root);
    if (!lane_init(&main_lane, f, 0, levels) || root == NULL) {
        status = rvm_fail_memory(err, "sums over the rows");
    } else {
        if (err != NULL)
            fault = *err;
        if (first)
            status = sum_first(f, levels, threads, &fault);
        note(&main_lane, root, status, &fault);
        main_lane.collects = first && status == RVM_OK;
        if (f->s->count > 0)
            take_node(&main_lane, root, levels, 0);
        status = share_result(sums, &main_lane, root, err);
    }
    lane_free(&main_lane);
    free(f->nodes);
    free(f->of_node);
    free(root);
    return status;
}

/* One span, by one process. */
static bool is_alone(const rvm_spans *s)
{
    return s->count <= 1 && s->team == NULL;
}

rvm_status rvm_spans_fold(double *sums, size_t count, const rvm_spans *s, rvm_spans_piece *piece,
                          rvm_spans_join *join_two, void *context, int threads, rvm_error *err)
{
    fold f = {
        .s = s, .piece = piece, .join = join_two, .context = context, .count = count, .level = -1
    };
    if (!is_alone(s))
        return run(sums, &f, threads, RVM_OK, err);
    memset(sums, 0, count * sizeof *sums);
    return s->count == 0 ? RVM_OK : piece(context, 0, s->N, sums, 0, err);
}

rvm_status rvm_spans_add_up(double *sums, size_t count, const rvm_spans *s, const double *of_span,
                            rvm_status status, rvm_error *err)
{
    fold f = { .s = s, .count = count, .given = of_span, .level = -1 };
    if (!is_alone(s))
        return run(sums, &f, 1, status, err);
    if (status == RVM_OK && s->count == 0)
        memset(sums, 0, count * sizeof *sums);
    else if (status == RVM_OK)
        memcpy(sums, of_span, count * sizeof *sums);
    return status;
}

static rvm_status total_piece(void *context, size_t first, size_t rows, double *sum, int worker,
                              rvm_error *err)
{
    const double *x = context;
    (void)worker, (void)err;
    for (size_t n = first; n < first + rows; n++)
        *sum += x[n];
    return RVM_OK;
}

rvm_status rvm_spans_total(double *sum, const double *x, const rvm_spans *s, rvm_error *err)
{
    return rvm_spans_fold(sum, 1, s, total_piece, NULL, (void *)x, 1, err);
}
