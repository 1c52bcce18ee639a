/* Level 4: training when the candidate columns do not all fit in memory. */
#include "working_set.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "error.h"
#include "parallel.h"

enum {
    CHUNK = 400,       /* candidates let in at a time */
    BLOCK = 256,       /* candidates whose columns are computed at a time */
    LEAST_ROOM = 16,   /* functions without which there is no training */
    FIRST_SWEEPS = 10, /* of the first round; later ones start near a solution */
    SWEEPS = 5,
    FIRST_SAMPLE = 2000, /* candidates scored in a round: at first, */
    LAST_SAMPLE = 20000, /* and at the most: all of the smaller problems */
    LAST_MOVES = 100,
    LAST_ITERATIONS = 40
};

/* Of a round; the next chunk changes it all again. With curvature each posterior costs several
 * products of K^2 N. */
static const rvm_climb_settings quick = { 0, 10, 10 }, quicker = { 0, 2, 3 };

static const double noise_share = 0.003; /* as in the many starts */

/* A round that gains less than this many nats, or this share of a nat for each row, makes the next
 * sample larger; with the largest sample it is the last. */
static const double poor_round = 0.5, poor_share = 1e-4;

typedef struct {
    double gain, ln_alpha;
    size_t id;
} offer;

struct rvm_working_set {
    rvm_study *y; /* borrowed */
    double tolerance;
    int threads, round;
    size_t chunk, sample, block_size;
    rvm_design design;
    rvm_search search;
    rvm_statistics statistics, scores; /* of the design's columns; of a block being scored */
    gsl_matrix *block;                 /* owned, block rows x N */
    double *norm;                      /* owned, block rows */
    size_t *order;                     /* owned: the candidates, shuffled anew for each sample */
    bool *active;                      /* owned, one for each candidate */
    offer *offers;                     /* owned, one for each candidate */
    gsl_rng *rng;
    rvm_point best;
};

/* Bytes that K functions take: each has a column in the design, and with curvature two more in the
 * scratch; K^2 terms count too. */
static double bytes_for(const rvm_study *y, double K)
{
    const double N = (double)y->observed.N, columns = y->observed.likelihood->owns_noise ? 1 : 3;
    return 8 * (K * (columns * N + 12 * K) + 16 * N);
}

/* Functions that the budget has room for beside a block of `block` columns; 0: too few. */
static size_t room(const rvm_study *y, const rvm_settings *s, size_t block)
{
    const double bytes = s->budget_mb * 1048576 - 8 * (double)(block * y->observed.N);
    double K = LEAST_ROOM;
    if (bytes_for(y, K) > bytes)
        return 0;
    while (K < (double)y->basis.count && bytes_for(y, 1.05 * K) < bytes)
        K *= 1.05;
    return K < (double)y->basis.count ? (size_t)K : y->basis.count;
}

/* Columns scored together: a quarter of the budget at the most. */
static size_t choose_block(const rvm_study *y, const rvm_settings *s)
{
    const double fit = s->budget_mb * 1048576 / 4 / (8 * (double)y->observed.N);
    return fit < 1 ? 1 : fit < BLOCK ? (size_t)fit : BLOCK;
}

static rvm_status alloc_parts(rvm_working_set *w, const rvm_settings *s, rvm_error *err)
{
    const rvm_observed *o = &w->y->observed;
    const size_t block = choose_block(w->y, s), M = w->y->basis.count;
    const size_t capacity = room(w->y, s, block);
    const bool quadratic = o->likelihood->owns_noise;
    w->block_size = block;
    if (capacity == 0)
        return rvm_fail(err, RVM_ENOMEM, "-m %g is too small for %zu rows", s->budget_mb, o->N);
    w->chunk = capacity / 2 < CHUNK ? capacity / 2 : CHUNK;
    w->sample = FIRST_SAMPLE;
    w->block = gsl_matrix_alloc(block, o->N);
    w->norm = rvm_array(block, sizeof *w->norm);
    w->order = rvm_array(M, sizeof *w->order);
    w->active = rvm_array(M, sizeof *w->active);
    w->offers = rvm_array(M, sizeof *w->offers);
    w->rng = gsl_rng_alloc(gsl_rng_taus2);
    if (w->block == NULL || w->norm == NULL || w->order == NULL || w->active == NULL ||
        w->offers == NULL || w->rng == NULL)
        return rvm_fail_memory(err, "the working set");
    rvm_status status = rvm_design_init(&w->design, o->N, capacity, o->t, quadratic, err);
    if (status == RVM_OK)
        status = rvm_search_init(&w->search, o, &w->design, capacity, w->threads, err);
    if (status == RVM_OK)
        status = rvm_statistics_init(&w->statistics, capacity, capacity, err);
    if (status == RVM_OK)
        status = rvm_statistics_init(&w->scores, block, capacity, err);
    return status;
}

rvm_status rvm_working_set_alloc(rvm_working_set **out, rvm_study *y, const rvm_settings *s,
                                 rvm_error *err)
{
    rvm_working_set *w = rvm_array(1, sizeof *w);
    if (w == NULL)
        return rvm_fail_memory(err, "the working set");
    w->y = y;
    w->tolerance = s->tolerance;
    w->threads = rvm_threads(s->threads);
    const rvm_status status = alloc_parts(w, s, err);
    if (status != RVM_OK) {
        rvm_working_set_free(w);
        return status;
    }
    for (size_t m = 0; m < y->basis.count; m++)
        w->order[m] = m;
    gsl_rng_set(w->rng, s->seed);
    *out = w;
    return RVM_OK;
}

void rvm_working_set_free(rvm_working_set *w)
{
    if (w == NULL)
        return;
    rvm_design_free(&w->design);
    rvm_search_free(&w->search);
    rvm_statistics_free(&w->statistics);
    rvm_statistics_free(&w->scores);
    rvm_point_free(&w->best);
    gsl_matrix_free(w->block);
    gsl_rng_free(w->rng);
    free(w->norm);
    free(w->order);
    free(w->active);
    free(w->offers);
    free(w);
}

/* ---- The first round ------------------------------------------------------------------------ */

static int ascending(const void *a, const void *b)
{
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    return (i > j) - (i < j);
}

/* The bias, if there is one, and a random chunk. */
static rvm_status first_chunk(rvm_working_set *w, rvm_error *err)
{
    const rvm_basis *b = &w->y->basis;
    const rvm_observed *o = &w->y->observed;
    const size_t fixed = b->bias ? 1 : 0;
    size_t count = fixed + w->chunk < b->count ? fixed + w->chunk : b->count;
    gsl_ran_shuffle(w->rng, w->order + fixed, b->count - fixed, sizeof *w->order);
    qsort(w->order + fixed, count - fixed, sizeof *w->order, ascending);
    const rvm_status status = rvm_design_append(&w->design, b, w->order, count, w->threads, err);
    rvm_fit *f = &w->search.now;
    f->K = 0;
    f->ln_beta = o->noise_fixed ? o->ln_beta : o->likelihood->owns_noise ? -log(noise_share) : 0;
    for (size_t m = 0; m < w->design.count; m++)
        rvm_fit_add(f, m, fmin(rvm_study_ln_alpha(w->y), m == 0 ? o->bias_ln_alpha_max : INFINITY));
    return status;
}

/* ---- Scoring -------------------------------------------------------------------------------- */

static int by_gain(const void *a, const void *b)
{
    const offer *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain < y->gain ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Columns of active functions only, the first K of the design. */
static void drop_inactive(rvm_working_set *w)
{
    rvm_fit *f = &w->search.now;
    size_t *keep = w->search.order;
    memcpy(keep, f->column, f->K * sizeof *keep);
    qsort(keep, f->K, sizeof *keep, ascending);
    /* The functions in the order of their columns, which is that of the design from now on. */
    rvm_fit_copy(&w->search.trial, f);
    for (size_t k = 0; k < f->K; k++) {
        const size_t i = rvm_fit_find(&w->search.trial, keep[k]);
        f->column[k] = k;
        f->ln_alpha[k] = w->search.trial.ln_alpha[i];
        f->u[k] = w->search.trial.u[i];
    }
    rvm_design_keep(&w->design, keep, f->K);
}

static rvm_status score_block(rvm_working_set *w, size_t *found, const size_t *id, size_t count,
                              const gsl_matrix *C, rvm_error *err)
{
    gsl_matrix_view block = gsl_matrix_submatrix(w->block, 0, 0, count, w->design.N);
    const rvm_status status =
        rvm_basis_columns(&block.matrix, w->norm, &w->y->basis, id, count, w->threads, err);
    if (status != RVM_OK)
        return status;
    rvm_statistics_update(&w->scores, &block.matrix, C, &w->search.now, &w->y->observed, &w->design,
                          &w->search.ws);
    for (size_t k = 0; k < count; k++) {
        const double S = w->scores.S[k], Q = w->scores.Q[k], gain = rvm_gain(S, Q);
        if (w->norm[k] > 0 && gain > w->tolerance)
            w->offers[(*found)++] = (offer){ gain, rvm_best_ln_alpha(S, Q), id[k] };
    }
    return RVM_OK;
}

/* A fresh sample of candidates that are not active, in ascending order; returns how many. */
static size_t draw_sample(rvm_working_set *w)
{
    const rvm_basis *b = &w->y->basis;
    size_t count = 0;
    memset(w->active, 0, b->count * sizeof *w->active);
    for (size_t k = 0; k < w->design.count; k++)
        w->active[w->design.id[k]] = true;
    if (w->sample < b->count)
        gsl_ran_shuffle(w->rng, w->order, b->count, sizeof *w->order);
    for (size_t k = 0; k < b->count && count < w->sample; k++)
        if (!w->active[w->order[k]])
            w->order[count++] = w->order[k]; /* count <= k: the rest is redrawn next time */
    qsort(w->order, count, sizeof *w->order, ascending);
    return count;
}

static rvm_status score_sample(rvm_working_set *w, size_t *found, rvm_error *err)
{
    rvm_status status = RVM_OK;
    rvm_search *s = &w->search;
    gsl_matrix_view C = { 0 };
    if (s->now.K > 0)
        C = rvm_search_inverse(s);
    w->y->observed.likelihood->residual(&s->now, &w->y->observed, &w->design, &s->ws);
    const size_t count = draw_sample(w);
    *found = 0;
    for (size_t k = 0; k < count && status == RVM_OK; k += w->block_size)
        status = score_block(w, found, w->order + k,
                             count - k < w->block_size ? count - k : w->block_size, &C.matrix, err);
    for (size_t m = 0; m < w->y->basis.count; m++)
        w->order[m] = m;
    qsort(w->offers, *found, sizeof *w->offers, by_gain);
    return status;
}

/* ---- Rounds --------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    return ascending(&((const offer *)a)->id, &((const offer *)b)->id);
}

/* The best offers become columns of the design and active functions. */
static rvm_status let_in(rvm_working_set *w, size_t count, rvm_error *err)
{
    const size_t first = w->design.count;
    qsort(w->offers, count, sizeof *w->offers, by_id);
    for (size_t k = 0; k < count; k++)
        w->order[k] = w->offers[k].id;
    const rvm_status status =
        rvm_design_append(&w->design, &w->y->basis, w->order, count, w->threads, err);
    for (size_t k = 0; k < w->design.count - first; k++)
        rvm_fit_add(&w->search.now, first + k, w->offers[k].ln_alpha);
    for (size_t m = 0; m < w->y->basis.count; m++)
        w->order[m] = m;
    return status;
}

static rvm_status move_on(rvm_working_set *w, int sweeps, rvm_error *err)
{
    bool converged;
    rvm_climb_settings climb = w->y->observed.likelihood->owns_noise ? quick : quicker;
    climb.tolerance = w->tolerance;
    const rvm_status status = rvm_sweep(&w->search, sweeps, 2, err);
    return status != RVM_OK ? status
                            : rvm_climb(&w->search, &w->statistics, &climb, &converged, err);
}

static rvm_status keep_best(rvm_working_set *w, bool converged, rvm_error *err)
{
    drop_inactive(w);
    if (!rvm_point_save(&w->best, &w->search.now, w->tolerance, converged))
        return rvm_fail_memory(err, "a solution");
    return rvm_search_locate(&w->search, err);
}

/* Lets a chunk in and searches on; takes it all back where that has not raised the evidence. */
static rvm_status take_round(rvm_working_set *w, size_t offers, double *gained, rvm_error *err)
{
    const size_t space = w->design.capacity - w->design.count;
    const size_t count = offers < w->chunk ? offers : w->chunk;
    rvm_status status = let_in(w, count < space ? count : space, err);
    if (status == RVM_OK)
        status = move_on(w, SWEEPS, err);
    *gained = w->search.now.log_evidence - w->best.log_evidence;
    if (status == RVM_OK && *gained > 0)
        return keep_best(w, false, err);
    if (status == RVM_OK || status == RVM_ENUMERIC) {
        rvm_point_load(&w->search.now, &w->best);
        w->design.count = w->best.K;
        *gained = 0;
        status = rvm_search_locate(&w->search, err);
    }
    return status;
}

/* To the optimum over the functions that are there. */
static rvm_status settle(rvm_working_set *w, bool converged, rvm_error *err)
{
    bool arrived = false;
    const rvm_climb_settings last = { w->tolerance, LAST_MOVES, LAST_ITERATIONS };
    const rvm_status status = rvm_climb(&w->search, &w->statistics, &last, &arrived, err);
    return status == RVM_OK ? keep_best(w, converged && arrived, err) : status;
}

rvm_status rvm_working_set_step(bool *done, rvm_working_set *w, rvm_error *err)
{
    *done = false;
    if (w->round++ == 0) {
        rvm_status status = first_chunk(w, err);
        if (status == RVM_OK)
            status = move_on(w, FIRST_SWEEPS, err);
        return status == RVM_OK ? keep_best(w, false, err) : status;
    }
    size_t offers;
    double gained = 0;
    rvm_status status = score_sample(w, &offers, err);
    if (status != RVM_OK)
        return status;
    const bool whole = w->sample >= w->y->basis.count || w->sample >= LAST_SAMPLE;
    const double poor = fmax(poor_round, poor_share * (double)w->y->observed.N);
    if (w->design.count == w->design.capacity) {
        *done = true; /* not converged: candidates with a gain find no room */
        return settle(w, offers == 0 && whole, err);
    }
    if (offers > 0)
        status = take_round(w, offers, &gained, err);
    if (status == RVM_OK && gained < poor && whole) {
        *done = true;
        status = settle(w, true, err);
    } else if (gained < poor)
        w->sample = 4 * w->sample < LAST_SAMPLE ? 4 * w->sample : LAST_SAMPLE;
    return status;
}

const rvm_point *rvm_working_set_best(const rvm_working_set *w)
{
    return &w->best;
}

const rvm_design *rvm_working_set_design(const rvm_working_set *w)
{
    return &w->design;
}
