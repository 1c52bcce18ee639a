/* Level 4: training when the candidate columns do not all fit in memory. */
#include "working_set.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "error.h"
#include "gram_search.h"
#include "offers.h"
#include "parallel.h"

enum {
    FIRST_SWEEPS = 10, /* of the first round; later ones start near a solution */
    SWEEPS = 5,
    FIRST_ROWS = 4000, /* rows of the first stage, at the least; */
    GROWTH = 5,        /* each later one has that many times more */
    EARLY_ROUNDS = 6,  /* of a stage that is not the last, at the most */
    USUAL_ROUNDS = 10, /* of a stage, to guess how much work is left */
    LEAST_CHUNK = 200, /* candidates let in by a round: half as many as functions, within these */
    MOST_CHUNK = 400,  /* bounds; */
    CLASS_CHUNK = 100  /* for two classes, where the Gram matrix is formed again and again */
};

/* A round goes on to other candidates long before it is at an optimum. */
static const rvm_climb_settings quick = { .max_moves = 1, .iterations = 4, .newton = 0.1 };
static const rvm_climb_settings last = { .max_moves = 20, .iterations = 20, .newton = 1e-3 };

static const double noise_share = 0.003; /* as in the many starts */

/* A round that gains less than this many nats, or this share of a nat for each row, or this share
 * of what the rounds of its stage but the first have gained, is the last of the stage. */
static const double poor_round = 0.5, poor_share = 5e-4, poor_part = 0.04;

struct rvm_working_set {
    rvm_study *whole; /* borrowed */
    rvm_study part;   /* owned: of the rows of the stage, unless these are all */
    rvm_study *y;     /* the one in use; NULL before the first round */
    double tolerance;
    int threads, rounds; /* of this stage */
    double gained;       /* in this stage */
    double work;         /* rows times rounds of the stages before */
    bool cramped;        /* the last chunk was smaller than it should be, for lack of room */
    rvm_gram_search gram;
    rvm_pool pool;
    size_t *id; /* owned, capacity: candidates of the best point */
    rvm_point best;
};

static bool is_regression(const rvm_working_set *w)
{
    return w->whole->observed.likelihood->owns_noise;
}

/* ---- Life ----------------------------------------------------------------------------------- */

static rvm_status alloc_parts(rvm_working_set *w, const rvm_settings *s, rvm_error *err)
{
    const size_t M = w->whole->basis.count, N = w->whole->observed.N;
    /* A quarter for columns that are kept, and what belongs to each row and candidate. */
    const double numbers = s->budget_mb * 1048576 / 8 - 16 * (double)N;
    const size_t capacity = rvm_gram_search_capacity(w->whole, 0.75 * numbers);
    if (capacity == 0)
        return rvm_fail(err, RVM_ENOMEM, "-m %g is too small for %zu rows", s->budget_mb, N);
    w->id = rvm_array(capacity, sizeof *w->id);
    if (w->id == NULL)
        return rvm_fail_memory(err, "the working set");
    const rvm_status status = rvm_pool_init(&w->pool, M, s->seed, err);
    if (status != RVM_OK)
        return status;
    return rvm_gram_search_init(&w->gram, w->whole, capacity, 0.25 * numbers, w->threads, err);
}

rvm_status rvm_working_set_alloc(rvm_working_set **out, rvm_study *y, const rvm_settings *s,
                                 rvm_error *err)
{
    rvm_working_set *w = rvm_array(1, sizeof *w);
    if (w == NULL)
        return rvm_fail_memory(err, "the working set");
    w->whole = y;
    w->tolerance = s->tolerance;
    w->threads = rvm_threads(s->threads);
    const rvm_status status = alloc_parts(w, s, err);
    if (status != RVM_OK) {
        rvm_working_set_free(w);
        return status;
    }
    *out = w;
    return RVM_OK;
}

void rvm_working_set_free(rvm_working_set *w)
{
    if (w == NULL)
        return;
    rvm_gram_search_free(&w->gram);
    rvm_study_free(&w->part);
    rvm_point_free(&w->best);
    rvm_pool_free(&w->pool);
    free(w->id);
    free(w);
}

/* ---- Stages --------------------------------------------------------------------------------- */

/* Rows of the stage after one of `now` rows: all of them, divided by GROWTH as
 * often as it takes. */
static size_t rows_after(const rvm_working_set *w, size_t now)
{
    size_t rows = w->whole->observed.N;
    while (rows / GROWTH >= FIRST_ROWS && rows / GROWTH > now)
        rows /= GROWTH;
    return rows;
}

/* So many random rows, ascending. */
static rvm_status draw_rows(rvm_working_set *w, size_t rows, rvm_error *err)
{
    const size_t N = w->whole->observed.N;
    size_t *row = rvm_array(rows, sizeof *row), count = 0;
    if (row == NULL)
        return rvm_fail_memory(err, "a part of the rows");
    for (size_t n = 0; n < N && count < rows; n++) /* selection sampling */
        if ((double)(N - n) * gsl_rng_uniform(w->pool.rng) < (double)(rows - count))
            row[count++] = n;
    const rvm_status status = rvm_study_part(&w->part, w->whole, row, count, err);
    free(row);
    return status;
}

/* Begins a stage of so many rows: w->y. */
static rvm_status begin_stage(rvm_working_set *w, size_t rows, rvm_error *err)
{
    if (w->y != NULL)
        w->work += (double)w->rounds * (double)w->y->observed.N;
    w->y = w->whole;
    w->rounds = 0;
    w->gained = 0;
    rvm_study_free(&w->part);
    if (rows == w->whole->observed.N)
        return RVM_OK;
    w->y = &w->part;
    return draw_rows(w, rows, err);
}

/* ---- Rounds --------------------------------------------------------------------------------- */

static rvm_status run(rvm_working_set *w, int sweeps, const rvm_climb_settings *how, rvm_error *err)
{
    rvm_climb_settings climb = *how;
    climb.tolerance = w->tolerance;
    return rvm_gram_search_run(&w->gram, sweeps, &climb, err);
}

static rvm_status keep_best(rvm_working_set *w, rvm_error *err)
{
    memcpy(w->id, w->gram.columns.id, w->gram.columns.count * sizeof *w->id);
    return rvm_point_save(&w->best, &w->gram.search.now, w->tolerance, false)
               ? RVM_OK
               : rvm_fail_memory(err, "a solution");
}

/* The bias, if there is one, and a random chunk, with a prior wide enough for any kernel. */
static rvm_status first_round(rvm_working_set *w, rvm_error *err)
{
    rvm_status status = begin_stage(w, rows_after(w, 0), err);
    if (status == RVM_OK)
        status = rvm_gram_search_take_rows(&w->gram, w->y, err);
    if (status != RVM_OK)
        return status;
    const rvm_observed *o = &w->y->observed;
    const size_t count = rvm_pool_first(&w->pool, w->y, &w->gram.columns, RVM_WIDE_PRIOR);
    w->gram.search.now.ln_beta = o->noise_fixed     ? o->ln_beta
                                 : is_regression(w) ? -log(noise_share)
                                                    : 0;
    status = rvm_gram_search_add(&w->gram, w->pool.order, w->pool.ln_alpha, count, err);
    if (status == RVM_OK)
        status = run(w, FIRST_SWEEPS, &quick, err);
    return status == RVM_OK ? keep_best(w, err) : status;
}

/* The same functions and weights on more rows. */
static rvm_status next_stage(rvm_working_set *w, rvm_error *err)
{
    rvm_status status = begin_stage(w, rows_after(w, w->y->observed.N), err);
    if (status == RVM_OK)
        status = rvm_gram_search_change_rows(&w->gram, w->y, err);
    if (status == RVM_OK)
        status = run(w, 1, &quick, err);
    return status == RVM_OK ? keep_best(w, err) : status;
}

static size_t choose_chunk(rvm_working_set *w, size_t offers)
{
    const size_t K = w->gram.columns.count, space = w->gram.columns.capacity - K;
    size_t chunk = K / 2;
    if (chunk < LEAST_CHUNK)
        chunk = LEAST_CHUNK;
    if (chunk > MOST_CHUNK)
        chunk = MOST_CHUNK;
    if (!is_regression(w))
        chunk = CLASS_CHUNK;
    if (chunk > offers)
        chunk = offers;
    w->cramped = chunk > space && K > 3 * space; /* three quarters are full */
    return chunk < space ? chunk : space;
}

/* Of the search on the best point, in log evidence less the margin for each function. */
static double gain_on_best(const rvm_working_set *w)
{
    const rvm_fit *f = &w->gram.search.now;
    const double functions = (double)f->K - (double)w->best.K;
    return f->log_evidence - w->best.log_evidence - functions * w->y->observed.prune_margin;
}

/* Lets a chunk in and searches on; takes it all back where that has not raised the evidence. */
static rvm_status take_round(rvm_working_set *w, size_t offers, double *gained, rvm_error *err)
{
    const size_t chunk = choose_chunk(w, offers);
    *gained = 0;
    if (chunk == 0)
        return RVM_OK;
    rvm_pool_choose(&w->pool, chunk);
    rvm_status status = rvm_gram_search_add(&w->gram, w->pool.order, w->pool.ln_alpha, chunk, err);
    if (status == RVM_OK)
        status = run(w, SWEEPS, &quick, err);
    *gained = status == RVM_OK ? gain_on_best(w) : 0;
    if (*gained > 0)
        return keep_best(w, err);
    *gained = 0;
    if (status != RVM_OK && status != RVM_ENUMERIC)
        return status;
    return rvm_gram_search_restore(&w->gram, &w->best, w->id, err);
}

/* To the optimum over the functions that are there. */
static rvm_status settle(rvm_working_set *w, rvm_error *err)
{
    rvm_status status = run(w, 0, &last, err);
    if (status == RVM_OK && gain_on_best(w) > 0)
        status = keep_best(w, err);
    else if (status == RVM_OK || status == RVM_ENUMERIC)
        status = rvm_gram_search_restore(&w->gram, &w->best, w->id, err);
    w->best.converged = !w->cramped;
    return status;
}

rvm_status rvm_working_set_step(bool *done, rvm_working_set *w, rvm_error *err)
{
    size_t offers = 0;
    double gained = 0;
    *done = false;
    if (w->y == NULL)
        return first_round(w, err);
    rvm_posterior_at at;
    rvm_status status = rvm_gram_search_posterior(&at, &w->gram, err);
    if (status == RVM_OK)
        status = rvm_pool_sample(&w->pool, &offers, &at, w->tolerance, err);
    w->cramped = false;
    if (status == RVM_OK && offers > 0)
        status = take_round(w, offers, &gained, err);
    if (status != RVM_OK)
        return status;
    const double rows = (double)w->y->observed.N;
    const double poor = fmax(fmax(poor_round, poor_share * rows), poor_part * w->gained);
    if (w->rounds > 0)
        w->gained += gained;
    w->rounds++;
    if (gained >= poor && (w->y == w->whole || w->rounds < EARLY_ROUNDS))
        return RVM_OK;
    if (w->y != w->whole)
        return next_stage(w, err);
    *done = true;
    return settle(w, err);
}

double rvm_working_set_progress(const rvm_working_set *w)
{
    const double N = (double)w->whole->observed.N;
    if (w->y == NULL)
        return 0;
    const double rows = (double)w->y->observed.N, done = w->work + rows * w->rounds;
    double left = rows * fmax(2, USUAL_ROUNDS - w->rounds);
    for (double later = rows * GROWTH; later <= 1.5 * N; later *= GROWTH)
        left += later * USUAL_ROUNDS;
    return done / (done + left);
}

size_t rvm_working_set_rows(const rvm_working_set *w)
{
    return w->y == NULL ? 0 : w->y->observed.N;
}

const rvm_point *rvm_working_set_best(const rvm_working_set *w)
{
    return &w->best;
}

const rvm_columns *rvm_working_set_columns(const rvm_working_set *w)
{
    return &w->gram.columns;
}
