/* Many starts, for problems whose candidate columns all fit in memory. */
#include "search/starts.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "data/problem.h"
#include "search/batch.h"
#include "search/climb.h"
#include "search/sweep.h"

enum {
    SWEEPS = 20,
    MAX_MOVES = 1000,
    NEWTON_ITERATIONS = 40,
    CACHED = 1200,         /* candidates up to which all columns are kept, */
    MOST_ROWS = 2 * CACHED /* and rows, where every step reads them: few functions of many rows
                              have one optimum, and one search finds it */
};

/* Where the sweeps leave that share of many functions, the width is too narrow for the data or the
 * targets are free of noise. Newton's method over them all takes long then,
 * to gain next to nothing. */
enum { MANY = 400, FEW_ITERATIONS = 3 };
static const double dense_share = 0.8;

/* Of the last way from the best point: K^3 times iterations of Newton's method in one step, and
 * steps at the most. */
static const double polish_slice = 1e9;
enum { MOST_POLISHED = 30, FEW_STARTS = 3 };

/* Share of the functions that a restart removes. */
static const double kicked_share = 0.25;

typedef struct {
    rvm_study *y; /* borrowed */
    rvm_columns design;
    double tolerance;
    unsigned long seed;
    int all, finished;
    int polished; /* slices of the last way, of the best point */
    int workers;
    rvm_climber *worker;            /* owned, workers: one search at a time */
    rvm_solution result[RVM_BATCH]; /* of the batch in hand */
    rvm_solution best;
    double top; /* the largest score of all results */
} rvm_starts;

/* Counted for as many searches side by side as there can be, whatever the machine offers: which way
 * a problem is solved must not depend on the number of threads. A search has seven square arrays,
 * and with curvature two of the design's size. */
static bool fits(const rvm_study *y, const rvm_settings *s)
{
    const double M = (double)y->basis.count, N = (double)y->observed.N;
    const rvm_likelihood *l = y->observed.likelihood;
    if (y->p->outputs > 1 || y->classes > 2)
        return false;
    if (l->curved && y->observed.N > MOST_ROWS)
        return false;
    const double scratch = RVM_BATCH * l->scratch(M, N);
    const double bytes = 8 * (M * N + (1 + 7 * RVM_BATCH) * M * M + scratch);
    return y->basis.count <= CACHED && bytes <= s->budget_mb * 1048576;
}

/* Searches worth their time: many while one takes milliseconds. Beyond these numbers the evidence
 * still creeps up, but neither error nor log loss on test rows improves. */
static int searches_for(const rvm_study *y, size_t candidates, const rvm_settings *s)
{
    if (s->restarts > 0)
        return s->restarts;
    if (y->observed.likelihood->curved)
        return 24;
    return candidates <= 400 ? 40 : candidates <= 700 ? 24 : 4;
}

static rvm_status alloc_workers(rvm_starts *st, const rvm_settings *s, rvm_error *err)
{
    const int threads = rvm_threads(s->threads);
    const int most = threads < RVM_BATCH ? threads : RVM_BATCH;
    st->workers = most < st->all ? most : st->all;
    st->worker = rvm_array((size_t)st->workers, sizeof *st->worker);
    if (st->worker == NULL)
        return rvm_fail_memory(err, "the searches");
    rvm_status status = RVM_OK;
    for (int k = 0; k < st->workers && status == RVM_OK; k++) {
        const rvm_output output = { &st->y->observed, &st->design };
        const size_t M = st->design.count;
        status = rvm_climber_init(&st->worker[k], &output, 1, M, 1, err);
        if (status == RVM_OK)
            status = rvm_statistics_init(&st->worker[k].statistics, M, M, err);
    }
    return status;
}

static rvm_status alloc_solutions(rvm_starts *st, rvm_error *err)
{
    rvm_status status = rvm_solution_init(&st->best, 1, false, err);
    for (int k = 0; k < RVM_BATCH && status == RVM_OK; k++)
        status = rvm_solution_init(&st->result[k], 1, false, err);
    return status;
}

static void starts_free(void *search)
{
    rvm_starts *st = search;
    if (st == NULL)
        return;
    for (int k = 0; st->worker != NULL && k < st->workers; k++)
        rvm_climber_free(&st->worker[k]);
    free(st->worker);
    for (int k = 0; k < RVM_BATCH; k++)
        rvm_solution_free(&st->result[k]);
    rvm_solution_free(&st->best);
    rvm_columns_free(&st->design);
    free(st);
}

static rvm_status starts_alloc(void **out, rvm_study *y, const rvm_settings *s, rvm_error *err)
{
    rvm_starts *st = rvm_array(1, sizeof *st);
    if (st == NULL)
        return rvm_fail_memory(err, "the searches");
    st->y = y;
    st->tolerance = s->tolerance;
    st->seed = s->seed;
    st->top = -INFINITY;
    rvm_status status = rvm_study_design(&st->design, y, rvm_threads(s->threads), err);
    if (status == RVM_OK)
        status = alloc_solutions(st, err);
    if (status == RVM_OK) {
        st->all = searches_for(y, st->design.count, s);
        status = alloc_workers(st, s, err);
    }
    if (status != RVM_OK) {
        starts_free(st);
        return status;
    }
    *out = st;
    return RVM_OK;
}

/* ---- One search ----------------------------------------------------------------------------- */

static bool bias_first(const rvm_starts *st)
{
    return st->design.count > 0 && rvm_basis_is_bias(&st->y->basis, st->design.id[0]);
}

static void place_subset(rvm_starts *st, rvm_fit *f, const rvm_start_plan *plan, gsl_rng *rng)
{
    const size_t M = st->design.count;
    const double ln_alpha = rvm_study_ln_alpha(st->y) - plan->widen;
    const double share = fmin(plan->share, (double)plan->most / (double)M);
    f->K = 0;
    f->ln_beta = rvm_observed_first_ln_beta(&st->y->observed, plan->noise_share);
    for (size_t m = 0; m < M; m++)
        if ((m == 0 && bias_first(st)) ||
            (plan->kind == RVM_FROM_SUBSET && (share >= 1 || gsl_rng_uniform(rng) < share)))
            rvm_fit_add(f, m,
                        fmin(ln_alpha, m == 0 ? st->y->observed.bias_ln_alpha_max : INFINITY));
}

static void place_at_best(rvm_starts *st, rvm_fit *f, gsl_rng *rng)
{
    const bool keep_first = bias_first(st) && st->y->observed.bias_ln_alpha_max < INFINITY;
    rvm_solution_load(f, st->best.latent, st->design.id);
    for (size_t i = f->K; i-- > 0;)
        if (!(keep_first && f->column[i] == 0) && gsl_rng_uniform(rng) < kicked_share)
            rvm_fit_remove(f, i);
}

static rvm_status keep(rvm_solution *to, const rvm_starts *st, const rvm_fit *f, double margin,
                       bool converged, rvm_error *err)
{
    to->margin = margin;
    to->converged = converged;
    return rvm_solution_save(to, 0, f, st->design.id, st->design.norm, err);
}

/* Search number `number`, into *result. */
static rvm_status run_search(rvm_solution *result, rvm_starts *st, rvm_climber *s, int number,
                             rvm_error *err)
{
    static const rvm_start_plan again = { RVM_FROM_BEST, 0, 0, 0, 0, 0 };
    const rvm_likelihood *l = st->y->observed.likelihood;
    const rvm_start_plan *plan = number < l->plan_count ? &l->plans[number] : &again;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (rng == NULL)
        return rvm_fail_memory(err, "random numbers");
    gsl_rng_set(rng, st->seed * 1000003UL + (unsigned long)number + 1);
    double margin = fmax(plan->margin, st->tolerance);
    rvm_status status;
    if (plan->kind == RVM_FROM_BEST) {
        margin = st->best.margin;
        place_at_best(st, s->now, rng);
        status = rvm_climber_locate(s, err);
    } else {
        place_subset(st, s->now, plan, rng);
        status = rvm_sweep_run(s, SWEEPS, 1, err);
    }
    gsl_rng_free(rng);
    bool converged = false;
    /* A prior keeps functions from leaving by the sweeps, and many then say nothing. */
    const bool dense = rvm_prior_is_flat(&st->y->observed.weight_prior) && s->now->K > MANY &&
                       (double)s->now->K > dense_share * (double)st->design.count;
    const rvm_climb_settings settings = { margin, dense ? 1 : MAX_MOVES,
                                          dense ? FEW_ITERATIONS : NEWTON_ITERATIONS,
                                          rvm_climb_exact, 0 };
    if (status == RVM_OK)
        rvm_climb_run(s, &settings, &converged);
    return status == RVM_OK ? keep(result, st, s->now, margin, converged, err) : status;
}

/* ---- Batches -------------------------------------------------------------------------------- */

/* A search whose posterior left the range of numbers has lost, no more. */
static void take_result(rvm_starts *st, int k)
{
    const rvm_observed *o = &st->y->observed;
    const double credit = o->likelihood->credit - o->prune_margin;
    st->top = fmax(st->top, rvm_solution_score(&st->result[k]));
    if (!st->best.found || rvm_solution_prefer(&st->best, &st->result[k], st->top, credit))
        rvm_solution_swap(&st->best, &st->result[k]);
}

/* A few starts are for comparing widths, and one where nearly every row is a function is no match:
 * the long way to its optimum would be most of the work. */
static bool is_worth_polishing(const rvm_starts *st)
{
    const double K = (double)st->best.latent->K, M = (double)st->design.count;
    return st->all > FEW_STARTS || K <= MANY || K <= dense_share * M;
}

/* On from the best point: to its very optimum, and without functions that others can replace. A
 * slice of the way where it takes long, since an interrupt waits for it. */
static rvm_status polish(bool *done, rvm_starts *st, rvm_error *err)
{
    rvm_climber *s = st->worker;
    const double K = (double)st->best.latent->K, affordable = polish_slice / (K * K * K);
    const bool whole = affordable >= NEWTON_ITERATIONS;
    const rvm_climb_settings settings = { st->best.margin, whole ? MAX_MOVES : 1,
                                          whole ? NEWTON_ITERATIONS : (int)fmax(affordable, 1),
                                          rvm_climb_exact, st->tolerance };
    bool converged = false;
    rvm_solution_load(s->now, st->best.latent, st->design.id);
    rvm_status status = rvm_climber_locate(s, err);
    const double before = s->now->log_evidence;
    if (status == RVM_OK)
        rvm_climb_run(s, &settings, &converged);
    const bool cut_short = rvm_interrupted(st->y->observed.interrupted);
    converged = converged || (!cut_short && s->now->K == st->best.latent->K &&
                              s->now->log_evidence - before < st->tolerance);
    if (status == RVM_OK)
        status = keep(&st->best, st, s->now, st->best.margin, converged, err);
    *done = status != RVM_OK || converged || ++st->polished >= MOST_POLISHED;
    return status == RVM_ENUMERIC || status == RVM_EINTERRUPT ? RVM_OK : status;
}

static rvm_status search_one(void *context, size_t place, int number, int thread, rvm_error *err)
{
    rvm_starts *st = context;
    return run_search(&st->result[place], st, &st->worker[thread], number, err);
}

static rvm_status run_batch(rvm_starts *st, rvm_error *err)
{
    const int left = st->all - st->finished;
    rvm_batch batch;
    rvm_batch_run(&batch, st->finished, left < RVM_BATCH ? left : RVM_BATCH, search_one, st,
                  st->workers, st->y->observed.interrupted);
    for (int k = 0; k < batch.count; k++)
        if (batch.status[k] == RVM_OK)
            take_result(st, k);
    st->finished += batch.count;
    return rvm_batch_status(&batch, st->best.found, err);
}

static rvm_status starts_step(bool *done, void *search, rvm_error *err)
{
    rvm_starts *st = search;
    const bool searched = st->finished >= st->all;
    *done = searched && !is_worth_polishing(st);
    if (*done)
        return RVM_OK;
    return searched ? polish(done, st, err) : run_batch(st, err);
}

static void starts_report(rvm_report *r, const void *search)
{
    const rvm_starts *st = search;
    r->start = st->finished;
    r->starts = st->all;
    r->progress = (double)st->finished / st->all;
    rvm_search_report_solution(r, &st->best, st->y);
    rvm_search_report_credit(r, &st->y->observed);
}

static rvm_found starts_solution(void *search, size_t k)
{
    (void)k;
    const rvm_starts *st = search;
    return rvm_search_found(st->best.latent, st->design, &st->y->observed);
}

const rvm_search_type rvm_many_starts = { .name = "starts",
                                          .fits = fits,
                                          .alloc = starts_alloc,
                                          .step = starts_step,
                                          .report = starts_report,
                                          .solution = starts_solution,
                                          .free = starts_free };
