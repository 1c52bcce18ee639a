/* Training when the candidate columns do not all fit in memory. */
#include "search/working_set.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "data/order.h"
#include "data/problem.h"
#include "search/rounds.h"

enum {
    FIRST_ROWS = 4000, /* rows of the first stage, at the least; */
    GROWTH = 5,        /* each later one has that many times more */
    EARLY_ROUNDS = 6,  /* of a stage that is not the last, at the most */
    USUAL_ROUNDS = 10, /* of a stage, to guess how much work is left */
    LEAST_CHUNK = 200, /* candidates let in by a round: half as many as functions, within these */
    MOST_CHUNK = 400,  /* bounds; */
    CLASS_CHUNK = 100  /* for two classes, where the Gram matrix is formed again and again */
};

/* Where a start of the first stage begins: its guess of the noise, as a share of the variance of
 * the targets, and how many random candidates it begins with. */
typedef struct {
    double noise_share;
    size_t first;
} start_plan;

static const start_plan plans[] = { { 0.003, 300 }, { 0.001, 600 }, { 0.01, 300 }, { 0.003, 600 } };
enum { PLANS = sizeof plans / sizeof plans[0] };

/* Share of the functions that later searches take from the best solution so far. */
static const double kicked_share = 0.25;

/* Share of the variance of the targets that their Gram matrices have digits for as noise. */
static const double least_noise_share = 1e-8;

/* A round that gains less than this share of what the rounds of its stage but the first have gained
 * is the last of the stage. */
static const double poor_part = 0.04;

typedef struct {
    rvm_study whole;    /* a view: with a bound of its own for the noise */
    rvm_study part;     /* owned: of the rows of the stage, unless these are all */
    const rvm_study *y; /* the one in use; NULL before the first round */
    size_t stage_rows;  /* its rows, or those of the stage that has ended; 0 before the first one */
    bool moves;         /* that stage has ended, and the next one has not begun */
    int threads;
    unsigned long seed;
    int starts, start; /* searches of the first stage: how many, and those that have ended */
    bool begun;        /* the search in hand has had its first round */
    double work;       /* rows times rounds of the stages before */
    bool cramped;      /* the last chunk was smaller than it should be, for lack of room */
    rvm_rounds rounds; /* of this stage */
    rvm_solution best; /* of the start or stage in hand */
    rvm_solution kept; /* of the starts that have ended */
    double top;        /* the largest L - K of these */
    bool stopped;      /* by an interrupt: the search is no longer at the best point */
} working_set;

/* ---- Plans --------------------------------------------------------------------------------- */

/* Rows of the stage after one of `now` rows: all of them, divided by GROWTH as
 * often as it takes. */
static size_t rows_after(const working_set *w, size_t now)
{
    size_t rows = w->whole.observed.spans.N;
    while (rows / GROWTH >= FIRST_ROWS && rows / GROWTH > now)
        rows /= GROWTH;
    return rows;
}

/* Searches worth their time, of so many rows in the first stage: several while one is cheap, and
 * fewer for classes, where they hardly differ. Beyond these numbers the evidence still creeps up,
 * but neither error nor density on test rows improves. */
static int searches_for(size_t rows, const rvm_study *y, const rvm_settings *s)
{
    const double rows_in_all = y->observed.likelihood->curved ? 4000 : 8000;
    return s->restarts > 0 ? s->restarts : (int)fmax(1, rows_in_all / (double)rows);
}

/* How many of them begin anew. The others go on from the best of those before: they find more for
 * less (Friedman 1 of 1300 rows: 20 nats by eight, in half the time of eight starts, which find
 * six). */
static int fresh_starts(int searches)
{
    return (int)fmin(PLANS, (searches - 1) / 4 + 1);
}

/* ---- Life ----------------------------------------------------------------------------------- */

static rvm_status alloc_parts(working_set *w, const rvm_settings *s, rvm_error *err)
{
    rvm_status status = rvm_solution_init(&w->best, 1, false, err);
    if (status == RVM_OK)
        status = rvm_solution_init(&w->kept, 1, false, err);
    return status == RVM_OK ? rvm_rounds_init(&w->rounds, &w->whole, 16, s, err) : status;
}

static void working_set_free(void *search)
{
    working_set *w = search;
    rvm_rounds_free(&w->rounds);
    rvm_study_free(&w->part);
    rvm_solution_free(&w->best);
    rvm_solution_free(&w->kept);
}

static rvm_status working_set_init(void *search, const rvm_study *y, const rvm_settings *s,
                                   rvm_error *err)
{
    working_set *w = search;
    w->whole = *y;
    rvm_observed *o = &w->whole.observed;
    if (!o->noise_fixed)
        o->ln_beta_max = fmin(o->ln_beta_max, -log(least_noise_share));
    w->threads = rvm_threads(s->threads);
    w->seed = s->seed;
    w->starts = searches_for(rows_after(w, 0), y, s);
    w->top = -INFINITY;
    return alloc_parts(w, s, err);
}

/* ---- Stages --------------------------------------------------------------------------------- */

/* So many random rows, as many of each span as are its share. */
static rvm_status draw_rows(working_set *w, size_t rows, rvm_error *err)
{
    size_t *row = NULL, here = 0;
    rvm_status status =
        rvm_order_sample_spans(&row, &here, &w->whole.observed.spans, rows, w->seed, err);
    if (status == RVM_OK)
        status = rvm_study_part(&w->part, &w->whole, row, here, err);
    free(row);
    return status;
}

/* Begins a stage of so many rows: w->y. */
static rvm_status begin_stage(working_set *w, size_t rows, rvm_error *err)
{
    w->work += (double)w->rounds.count * (double)w->stage_rows;
    w->stage_rows = rows;
    w->y = &w->whole;
    rvm_rounds_begin(&w->rounds);
    rvm_study_free(&w->part);
    if (rows == w->whole.observed.spans.N)
        return RVM_OK;
    w->y = &w->part;
    return draw_rows(w, rows, err);
}

/* ---- Rounds --------------------------------------------------------------------------------- */

static rvm_status keep_best(working_set *w, rvm_error *err)
{
    w->best.converged = false;
    return rvm_gram_search_save(&w->best, 0, &w->rounds.gram, err);
}

/* The bias, if there is one, and a random chunk, with a prior wide enough for any kernel. */
static rvm_status first_round(working_set *w, rvm_error *err)
{
    rvm_status status = w->y == NULL ? begin_stage(w, rows_after(w, 0), err) : RVM_OK;
    if (status == RVM_OK)
        status = rvm_gram_search_take_rows(&w->rounds.gram, w->y, err);
    if (status != RVM_OK)
        return status;
    const start_plan *plan = &plans[w->start % PLANS];
    w->rounds.gram.search.now->ln_beta =
        rvm_observed_first_ln_beta(&w->y->observed, plan->noise_share);
    status = rvm_rounds_first(&w->rounds, plan->first, RVM_WIDE_PRIOR, err);
    w->begun = status == RVM_OK;
    return status == RVM_OK ? keep_best(w, err) : status;
}

/* The best solution so far without a random part of its functions, which a search then makes good:
 * often by better ones (iterated local search, as in starts.h). */
static rvm_status begin_at_kept(working_set *w, rvm_error *err)
{
    const rvm_solved *from = w->kept.latent;
    rvm_fit *f = w->rounds.gram.search.now;
    f->K = 0;
    for (size_t i = 0; i < from->K; i++) {
        const bool is_bias = rvm_basis_is_bias(&w->y->basis, from->id[i]);
        if (!is_bias && gsl_rng_uniform(w->rounds.rng) < kicked_share)
            continue;
        rvm_fit_add(f, i, from->ln_alpha[i]);
        f->u[f->K - 1] = from->u[i];
    }
    f->ln_beta = from->ln_beta;
    rvm_status status = rvm_solution_save(&w->best, 0, f, from->id, from->norm, err);
    if (status == RVM_OK)
        status = rvm_gram_search_restore(&w->rounds.gram, w->best.latent, err);
    w->begun = status == RVM_OK;
    return status == RVM_OK ? keep_best(w, err) : status;
}

/* The best functions and weights on more rows: nothing else is left of the stage before, so that a
 * search can be gone on with from here. */
static rvm_status next_stage(working_set *w, rvm_error *err)
{
    rvm_status status = begin_stage(w, rows_after(w, w->stage_rows), err);
    w->moves = false;
    if (status == RVM_OK)
        status = rvm_gram_search_carry(&w->rounds.gram, w->y, w->best.latent, err);
    if (status == RVM_OK)
        status = rvm_rounds_move(&w->rounds, err);
    return status == RVM_OK ? keep_best(w, err) : status;
}

static size_t choose_chunk(working_set *w, size_t found)
{
    const size_t K = w->rounds.gram.columns.count, space = w->rounds.gram.columns.capacity - K;
    size_t chunk = K / 2;
    if (chunk < LEAST_CHUNK)
        chunk = LEAST_CHUNK;
    if (chunk > MOST_CHUNK)
        chunk = MOST_CHUNK;
    if (w->whole.observed.likelihood->curved)
        chunk = CLASS_CHUNK;
    if (chunk > found)
        chunk = found;
    w->cramped = chunk > space && K > 3 * space; /* three quarters are full */
    return chunk < space ? chunk : space;
}

/* Of the search on the best point, in log evidence less the margin for each function, and less so
 * many nats for it beside. */
static double gain_on_best(const working_set *w, double nats)
{
    const double each = w->y->observed.prune_margin + nats;
    const rvm_solved *best = w->best.latent;
    return rvm_rounds_score(&w->rounds, nats) - (best->log_evidence - (double)best->K * each);
}

/* Lets a chunk in and searches on; takes it all back where that has not raised the evidence. */
static rvm_status take_round(working_set *w, size_t found, double *gained, rvm_error *err)
{
    const size_t chunk = choose_chunk(w, found);
    *gained = 0;
    if (chunk == 0)
        return RVM_OK;
    const rvm_status status = rvm_rounds_let_in(&w->rounds, chunk, err);
    *gained = status == RVM_OK ? gain_on_best(w, 0) : 0;
    if (*gained > 0)
        return keep_best(w, err);
    *gained = 0;
    if (rvm_interrupted(w->whole.observed.interrupted))
        return rvm_fail_interrupted(err); /* to the best point without a detour */
    if (status != RVM_OK && status != RVM_ENUMERIC)
        return status;
    return rvm_gram_search_restore(&w->rounds.gram, w->best.latent, err);
}

/* To the optimum over the functions that are there, and without those that others can replace. */
static rvm_status settle(working_set *w, rvm_error *err)
{
    const double thin = w->rounds.tolerance;
    rvm_status status = rvm_rounds_settle(&w->rounds, thin, err);
    if (status == RVM_OK && gain_on_best(w, thin) > 0)
        status = keep_best(w, err);
    else if (rvm_interrupted(w->whole.observed.interrupted))
        return rvm_fail_interrupted(err);
    else if (status == RVM_OK || status == RVM_ENUMERIC)
        status = rvm_gram_search_restore(&w->rounds.gram, w->best.latent, err);
    w->best.converged = !w->cramped;
    return status;
}

/* A start of the first stage has ended, or was lost to rounding: the better one of it and those
 * before is kept, and after the last one the search goes on from there. */
static rvm_status end_start(working_set *w, bool lost, rvm_error *err)
{
    const double credit = w->y->observed.likelihood->credit - w->y->observed.prune_margin;
    if (!lost)
        w->top = fmax(w->top, rvm_solution_score(&w->best));
    if (!lost && (!w->kept.found || rvm_solution_prefer(&w->kept, &w->best, w->top, credit)))
        rvm_solution_swap(&w->kept, &w->best);
    w->work += (double)w->rounds.count * (double)w->stage_rows;
    w->start++;
    rvm_rounds_begin(&w->rounds);
    w->begun = w->start == w->starts;
    if (w->start < w->starts)
        return RVM_OK;
    rvm_solution_swap(&w->kept, &w->best);
    return rvm_gram_search_restore(&w->rounds.gram, w->best.latent, err);
}

/* Rounds have nothing more to gain: on to the next start, to more rows, or to the end. */
static rvm_status end_rounds(bool *done, working_set *w, rvm_error *err)
{
    rvm_status status = RVM_OK;
    const bool was_start = w->start < w->starts;
    if (was_start) {
        status = settle(w, err);
        if (status == RVM_OK)
            status = end_start(w, false, err);
    }
    if (status != RVM_OK || w->start < w->starts)
        return status;
    w->moves = w->y != &w->whole;
    if (w->moves)
        return status;
    *done = true;
    return was_start ? status : settle(w, err);
}

static rvm_status step(bool *done, working_set *w, rvm_error *err)
{
    size_t found = 0;
    double gained = 0;
    if (!w->begun)
        return w->start < fresh_starts(w->starts) || !w->kept.found ? first_round(w, err)
                                                                    : begin_at_kept(w, err);
    if (w->moves)
        return next_stage(w, err);
    rvm_status status = rvm_rounds_sample(&found, &w->rounds, RVM_ROUNDS_SAMPLE, NULL, 0, err);
    w->cramped = false;
    if (status == RVM_OK && found > 0)
        status = take_round(w, found, &gained, err);
    if (status != RVM_OK)
        return status;
    const bool is_poor = rvm_rounds_end(&w->rounds, gained, 0, poor_part);
    if (!is_poor && (w->y == &w->whole || w->rounds.count < EARLY_ROUNDS))
        return RVM_OK;
    return end_rounds(done, w, err);
}

static bool has_solution(const working_set *w)
{
    return w->best.found || w->kept.found;
}

/* The very first round has no model to fall back on and is short: it does not heed an interrupt. */
static rvm_status working_set_step(bool *done, void *search, rvm_error *err)
{
    working_set *w = search;
    *done = false;
    rvm_gram_search_heed(&w->rounds.gram, has_solution(w) ? w->whole.observed.interrupted : NULL);
    rvm_status status = step(done, w, err);
    const bool others = w->kept.found || w->start + 1 < w->starts;
    if (status == RVM_ENUMERIC && w->start < w->starts && others)
        status = end_start(w, true, err);
    if (status != RVM_EINTERRUPT)
        return status;
    w->stopped = true;
    *done = false;
    return RVM_OK;
}

/* ---- What others see ------------------------------------------------------------------------ */

static double progress(const working_set *w)
{
    const double N = (double)w->whole.observed.spans.N;
    if (w->stage_rows == 0)
        return 0;
    const double rows = (double)w->stage_rows, done = w->work + rows * w->rounds.count;
    double left = rows * fmax(2, USUAL_ROUNDS - w->rounds.count);
    if (w->start < w->starts)
        left += rows * USUAL_ROUNDS * (w->starts - w->start - 1);
    for (double later = rows * GROWTH; later <= 1.5 * N; later *= GROWTH)
        left += later * USUAL_ROUNDS;
    return done / (done + left);
}

/* While a further start is under way the best of those before stands for the solution. */
static bool shows_kept(const working_set *w)
{
    return w->start < w->starts && w->kept.found;
}

static const rvm_solution *shown(const working_set *w)
{
    return shows_kept(w) ? &w->kept : &w->best;
}

static void working_set_report(rvm_report *r, const void *search)
{
    const working_set *w = search;
    r->start = w->start < w->starts ? w->start + 1 : w->starts;
    r->starts = w->starts;
    r->rows = w->stage_rows;
    r->progress = progress(w);
    rvm_search_report_solution(r, shown(w), &w->whole);
    rvm_search_report_credit(r, &w->whole.observed);
}

/* Whether they have all its functions: after a start that was lost they need not. */
static bool has_functions(const rvm_columns *c, const rvm_solved *solved)
{
    size_t found = 0;
    for (size_t i = 0; i < solved->K; i++)
        for (size_t k = 0; k < c->count; k++)
            found += c->id[k] == solved->id[i];
    return found == solved->K;
}

static rvm_found working_set_solution(const void *search, size_t k)
{
    (void)k;
    const working_set *w = search;
    rvm_columns columns = w->rounds.gram.columns;
    if (shows_kept(w) || w->stopped || !has_functions(&columns, shown(w)->latent))
        columns = (rvm_columns){ .basis = w->y == NULL ? w->whole.basis : w->y->basis,
                                 .count = shown(w)->latent->K,
                                 .capacity = w->rounds.gram.columns.capacity,
                                 .id = shown(w)->latent->id,
                                 .norm = shown(w)->latent->norm,
                                 .threads = w->threads };
    return rvm_search_found(shown(w)->latent, columns, &w->whole.observed);
}

/* ---- To be gone on with ---------------------------------------------------------------------- */

/* Between two stages, and between rounds that see all rows, where most of the time is spent. */
static bool working_set_rests(const void *search)
{
    const working_set *w = search;
    return !w->stopped && has_solution(w) && (w->moves || w->y == &w->whole);
}

static void code_numbers(rvm_codec *c, working_set *w)
{
    rvm_codec_key(c, "working_set");
    rvm_codec_count(c, &w->stage_rows, 1, w->whole.observed.spans.N);
    rvm_codec_flag(c, &w->moves);
    rvm_codec_whole(c, &w->start, 0, w->starts);
    rvm_codec_flag(c, &w->begun);
    rvm_codec_flag(c, &w->cramped);
    rvm_codec_bits(c, &w->work, 1);
    rvm_codec_bits(c, &w->top, 1);
    if (w->moves == (w->stage_rows == w->whole.observed.spans.N) ||
        (w->moves && w->start < w->starts))
        rvm_codec_fault_line(c, "there is no such stage");
}

static void working_set_code(rvm_codec *c, void *search)
{
    working_set *w = search;
    const size_t M = w->whole.basis.count, most = w->rounds.gram.gram.capacity;
    code_numbers(c, w);
    rvm_solution_code(c, &w->best, M, most);
    rvm_solution_code(c, &w->kept, M, most);
    rvm_rounds_code(c, &w->rounds);
    if (!(w->begun || w->start < w->starts) || !has_solution(w) || (w->moves && !w->best.found))
        rvm_codec_fault_line(c, "there is nothing to go on from");
    if (c->status != RVM_OK || w->moves)
        return;
    if (rvm_codec_reads(c)) {
        w->y = &w->whole;
        c->status = rvm_gram_search_take_rows(&w->rounds.gram, w->y, c->err);
    }
    if (w->begun && c->status == RVM_OK)
        rvm_gram_search_code(&w->rounds.gram, c);
}

static bool fits(const rvm_study *y, const rvm_settings *s)
{
    (void)s;
    return y->p->outputs == 1 && y->classes <= 2;
}

const rvm_search_type rvm_working_sets = { .name = "working sets",
                                           .fits = fits,
                                           .size = sizeof(working_set),
                                           .init = working_set_init,
                                           .step = working_set_step,
                                           .report = working_set_report,
                                           .solution = working_set_solution,
                                           .free = working_set_free,
                                           .rests = working_set_rests,
                                           .code = working_set_code };
