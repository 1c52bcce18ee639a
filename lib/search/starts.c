/* Many starts, for problems whose candidate columns all fit in memory, and for several outputs. */
#include "search/starts.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "data/order.h"
#include "search/batch.h"
#include "search/climb.h"
#include "search/constant.h"
#include "search/sweep.h"

enum {
    SWEEPS = 20,
    FEW_SWEEPS = 8, /* stretched ones, where each takes long */
    MAX_MOVES = 1000,
    NEWTON_ITERATIONS = 40,
    CACHED = 1200,          /* candidates up to which all columns are kept, */
    MOST_ROWS = 2 * CACHED, /* and rows, where every step reads them: few functions of many rows
                               have one optimum, and one search finds it */
    MOST_SHARED = 1500,     /* candidates of several outputs, */
    LEAST_SHARED = 16,      /* and so many are not too few */
    SIDE_BY_SIDE = 600      /* of them, up to which searches run in parallel, not their parts */
};

/* Multiplications, of the order of them, below which a search for several outputs takes no time to
 * speak of. */
static const double cheap = 3e8;

/* Where the sweeps leave that share of many functions, the width is too narrow for the data or the
 * targets are free of noise. Newton's method over them all takes long then,
 * to gain next to nothing. */
enum { MANY = 400, FEW_ITERATIONS = 3 };
static const double dense_share = 0.8;

/* Of the last way from the best point: K^3 times outputs times iterations of Newton's method in one
 * step, and steps at the most. */
static const double polish_slice = 1e9;
enum { MOST_POLISHED = 30, FEW_STARTS = 3 };

/* Of a tolerance so large that the solution is one for comparison: functions to begin with. Sweeps
 * over all of them would be most of the work, and what is missing is added later; with 300 in
 * regression the wide kernels of many inputs lose what they need (puma8nh: 5 % of the error). */
static const double rough = 0.5;
enum { ROUGH_FIRST = 500, ROUGH_CURVED = 100 };

/* Share of the functions that a restart removes. */
static const double kicked_share = 0.25;

/* By the Gram matrix alone: the share of the variance of the targets that it has digits for as noise,
 * and of beta / alpha the widest prior of a weight. */
static const double least_noise_share = 1e-8, widest = 1e13;

typedef struct {
    const rvm_study *y;           /* borrowed */
    const rvm_settings *settings; /* borrowed */
    bool by_gram;                 /* no columns are kept */
    size_t searched;              /* outputs whose targets vary; */
    size_t *which;                /* owned, all outputs: which they are, and the same order in */
    rvm_observed *observed;       /* owned, what is observed of them; targets borrowed from y */
    rvm_columns *seen;            /* owned, the design as they see it */
    rvm_columns design;
    int all, fresh; /* searches, and those of them that start from a plan */
    int finished;
    int polished; /* slices of the last way, of the best point */
    int workers;
    rvm_climber *worker;            /* owned, workers: one search at a time */
    rvm_solution result[RVM_BATCH]; /* of the batch in hand */
    rvm_solution best;
    double top; /* the largest score of all results */
} rvm_starts;

/* ---- Candidates ----------------------------------------------------------------------------- */

/* Whether searches look at the Gram matrix and at no row: of several outputs and many rows, unless all
 * columns are few enough to be kept in any case. */
static bool by_gram(const rvm_study *y)
{
    return y->outputs > 1 && y->observed.spans.N >= RVM_STARTS_MANY_ROWS &&
           (y->basis.count > CACHED || y->p->team != NULL);
}

/* Whether each search has a thread of its own, of M candidates. */
static bool side_by_side(const rvm_study *y, size_t M)
{
    return y->outputs == 1 || (M <= SIDE_BY_SIDE && !by_gram(y));
}

/* Numbers that the rows take: all columns and what a search has of the rows; or a strip of columns, and
 * the triangles of a sum over all rows. */
static double numbers_of_rows(const rvm_study *y, double M, double searches)
{
    const double N = (double)y->observed.N, q = (double)y->outputs;
    if (by_gram(y))
        return M * RVM_STRIP + 0.5 * ((double)rvm_spans_held(&y->observed.spans) + 1) * M * M;
    return M * N + searches * (y->observed.likelihood->scratch(M, N) + 2 * q * N);
}

/* Counted for as many searches side by side as there can be, whatever the machine offers: which way
 * a problem is solved must not depend on the number of threads. A search has five square arrays,
 * and two for each output; where candidates are as many as fit, there is to be room for two more. */
static bool has_room(const rvm_study *y, size_t candidates, const rvm_settings *s)
{
    const double M = (double)candidates, q = (double)y->outputs;
    const double searches = side_by_side(y, candidates) ? RVM_BATCH : 1;
    const double squares = 2 * q + (q > 1 ? 7 : 5);
    return 8 * (numbers_of_rows(y, M, searches) + M * M + searches * squares * M * M) <=
           s->budget_mb * 1048576;
}

static bool fits(const rvm_study *y, const rvm_settings *s)
{
    if (y->classes > 2 || (y->p->team != NULL && !by_gram(y)))
        return false;
    if (y->outputs > 1)
        return true;
    if (y->observed.likelihood->curved && y->observed.N > MOST_ROWS)
        return false;
    return y->basis.count <= CACHED && has_room(y, y->basis.count, s);
}

/* Candidates that there is room for, of several outputs. */
static size_t count_candidates(const rvm_starts *st)
{
    size_t count = st->y->basis.count;
    if (st->y->outputs == 1)
        return count;
    count = GSL_MIN(count, MOST_SHARED);
    while (count > LEAST_SHARED && !has_room(st->y, count, st->settings))
        count -= (count + 15) / 16;
    return count;
}

/* The bias and the first groups that take no more than half of the places, and a random sample of
 * the others. Ascending. */
static rvm_status choose_candidates(size_t *id, size_t count, const rvm_starts *st, rvm_error *err)
{
    size_t end[RVM_BASIS_GROUPS], fixed = st->y->basis.bias ? 1 : 0, *others = NULL;
    const size_t all = st->y->basis.count, groups = rvm_basis_groups(end, &st->y->basis);
    for (size_t g = 0; g < groups && end[g] <= count / 2; g++)
        fixed = end[g];
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (rng == NULL)
        return rvm_fail_memory(err, "random numbers");
    gsl_rng_set(rng, st->settings->seed);
    const rvm_status status = rvm_order_sample(&others, count - fixed, all - fixed, rng, err);
    for (size_t m = 0; m < count && status == RVM_OK; m++)
        id[m] = m < fixed ? m : fixed + others[m - fixed];
    gsl_rng_free(rng);
    free(others);
    return status;
}

/* Their norms, and room for G and p. */
static rvm_status place_candidates(rvm_columns *d, const rvm_study *y, const size_t *id,
                                   size_t count, int threads, rvm_error *err)
{
    rvm_status status = rvm_columns_init(d, &y->basis, count, 0, threads, err);
    if (status == RVM_OK)
        status = rvm_columns_append(d, id, count, err);
    return status == RVM_OK ? rvm_columns_keep_gram(d, y->observed.t, err) : status;
}

static rvm_status fill_design(rvm_starts *st, rvm_error *err)
{
    const rvm_study first = rvm_study_output(st->y, st->which[0]);
    const int threads = rvm_threads(st->settings->threads);
    const size_t count = count_candidates(st);
    if (!has_room(st->y, count, st->settings))
        return rvm_fail(err, RVM_ENOMEM, "-m %g is too small for %zu rows", st->settings->budget_mb,
                        st->y->basis.spans.N);
    if (count == st->y->basis.count && !st->by_gram)
        return rvm_study_whole_design(&st->design, &first, threads, err);
    size_t *id = rvm_array(count, sizeof *id);
    rvm_status status = id == NULL ? rvm_fail_memory(err, "the candidates") : RVM_OK;
    if (status == RVM_OK)
        status = choose_candidates(id, count, st, err);
    if (status == RVM_OK)
        status = st->by_gram ? place_candidates(&st->design, &first, id, count, threads, err)
                             : rvm_study_design(&st->design, &first, id, count, threads, err);
    free(id);
    return status;
}

/* ---- Outputs -------------------------------------------------------------------------------- */

/* What the Gram matrix says of an output (likelihood.h), within the bounds of its digits. */
static void see_by_gram(rvm_observed *o)
{
    o->likelihood = &rvm_quadratic;
    o->ln_ratio_max = log(widest);
    if (!o->noise_fixed)
        o->ln_beta_max = fmin(o->ln_beta_max, -log(least_noise_share));
}

/* Those that are searched. Priors of what outputs share stay with the first of them (climber.h). */
static rvm_status observe_outputs(rvm_starts *st, rvm_error *err)
{
    const size_t outputs = st->y->outputs;
    st->which = rvm_array(outputs, sizeof *st->which);
    st->observed = rvm_array(outputs, sizeof *st->observed);
    st->seen = rvm_array(outputs, sizeof *st->seen);
    if (st->which == NULL || st->observed == NULL || st->seen == NULL)
        return rvm_fail_memory(err, "the outputs");
    for (size_t k = 0; k < outputs; k++) {
        const rvm_study view = rvm_study_output(st->y, k);
        rvm_observed *o = &st->observed[st->searched];
        if (view.constant_target)
            continue;
        *o = view.observed;
        if (st->by_gram)
            see_by_gram(o);
        if (st->searched > 0)
            o->weight_prior = rvm_prior_flat;
        if (st->searched > 0 && st->settings->shared_noise)
            o->noise_prior = rvm_prior_flat;
        st->which[st->searched++] = k;
    }
    return RVM_OK;
}

/* Phi'Phi, and Phi't of each output. */
static rvm_status sum_gram(rvm_starts *st, rvm_error *err)
{
    const double **t = rvm_array(st->searched, sizeof *t);
    double **p = rvm_array(st->searched, sizeof *p);
    rvm_status status = t == NULL || p == NULL ? rvm_fail_memory(err, "the outputs") : RVM_OK;
    for (size_t j = 0; j < st->searched && status == RVM_OK; j++) {
        t[j] = st->seen[j].t;
        p[j] = st->seen[j].p;
    }
    if (status == RVM_OK)
        status = rvm_columns_gram_targets(st->design.G, p, &st->design, t, st->searched, err);
    free(t);
    free(p);
    return status;
}

/* The design as each output sees it, with its own Phi't. */
static rvm_status share_design(rvm_starts *st, rvm_error *err)
{
    const rvm_columns *d = &st->design;
    for (size_t j = 0; j < st->searched; j++) {
        rvm_columns *seen = &st->seen[j];
        *seen = *d;
        if (j == 0)
            continue;
        seen->t = st->observed[j].t;
        seen->p = rvm_array(d->capacity, sizeof *d->p);
        if (seen->p == NULL)
            return rvm_fail_memory(err, "the outputs");
        if (d->count == 0 || st->by_gram)
            continue;
        gsl_matrix_const_view columns = gsl_matrix_const_submatrix(d->PhiT, 0, 0, d->count, d->N);
        gsl_vector_const_view t = gsl_vector_const_view_array(seen->t, d->N);
        gsl_vector_view p = gsl_vector_view_array(seen->p, d->count);
        gsl_blas_dgemv(CblasNoTrans, 1, &columns.matrix, &t.vector, 0, &p.vector);
    }
    return st->by_gram ? sum_gram(st, err) : RVM_OK;
}

/* ---- Life ----------------------------------------------------------------------------------- */

/* Searches worth their time: many while one takes milliseconds. Beyond these numbers the evidence
 * still creeps up, but neither error nor log loss on test rows improves. The price of a start for q
 * outputs goes with q M^3, that of a restart from the best so far with q K^3. Of many rows one search
 * finds what there is (6000 rows of three outputs: mean squared error 0.616 in 8 s by one, 0.619 in
 * 48 s by four). */
static int searches_for(const rvm_starts *st)
{
    const size_t candidates = st->design.count, q = st->searched;
    if (st->settings->restarts > 0)
        return st->settings->restarts;
    if (st->y->observed.likelihood->curved)
        return 24;
    if (st->by_gram)
        return 1;
    if (q > 1)
        return (double)q * gsl_pow_3((double)candidates) <= cheap ? 24
               : side_by_side(st->y, candidates)                  ? 12
                                                                  : 4;
    return candidates <= 400 ? 40 : candidates <= 700 ? 24 : 4;
}

/* Those that start from a plan: of one output as many as there are plans. */
static int fresh_starts(const rvm_starts *st)
{
    const int plans = st->y->observed.likelihood->plan_count;
    return st->searched == 1 ? plans : GSL_MIN(plans, st->all / 3 + (st->all % 3 > 0));
}

/* With what is known already: the outputs that are not searched. */
static rvm_status init_solution(rvm_solution *s, const rvm_starts *st, rvm_error *err)
{
    rvm_status status = rvm_solution_init(s, st->y->outputs, true, err);
    for (size_t k = 0; k < st->y->outputs && status == RVM_OK; k++) {
        const rvm_study view = rvm_study_output(st->y, k);
        if (view.constant_target)
            status = rvm_constant_save(s, k, &view, &st->design, err);
    }
    s->found = false; /* by a search */
    return status;
}

static rvm_status init_worker(rvm_climber *s, const rvm_starts *st, int threads, rvm_error *err)
{
    const size_t M = GSL_MAX(st->design.count, 1);
    rvm_output *output = rvm_array(st->searched, sizeof *output);
    if (output == NULL)
        return rvm_fail_memory(err, "the searches");
    for (size_t j = 0; j < st->searched; j++)
        output[j] = (rvm_output){ &st->observed[j], &st->seen[j] };
    rvm_status status = rvm_climber_init(s, output, st->searched, M, threads, err);
    s->shared_noise = st->settings->shared_noise;
    if (status == RVM_OK)
        status = rvm_statistics_init(&s->statistics, M, M, err);
    free(output);
    return status;
}

static rvm_status alloc_workers(rvm_starts *st, rvm_error *err)
{
    const int threads = rvm_threads(st->settings->threads);
    const bool parallel = side_by_side(st->y, st->design.count);
    const int most = parallel ? GSL_MIN(threads, RVM_BATCH) : 1;
    st->all = searches_for(st);
    st->fresh = fresh_starts(st);
    st->workers = GSL_MIN(most, st->all);
    st->worker = rvm_array((size_t)st->workers, sizeof *st->worker);
    rvm_status status = st->worker == NULL ? rvm_fail_memory(err, "the searches")
                                           : init_solution(&st->best, st, err);
    for (int k = 0; k < RVM_BATCH && status == RVM_OK; k++)
        status = init_solution(&st->result[k], st, err);
    for (int w = 0; w < st->workers && status == RVM_OK; w++)
        status = init_worker(&st->worker[w], st, parallel ? 1 : threads, err);
    return status;
}

static void starts_free(void *search)
{
    rvm_starts *st = search;
    for (int w = 0; st->worker != NULL && w < st->workers; w++)
        rvm_climber_free(&st->worker[w]);
    free(st->worker);
    for (int k = 0; k < RVM_BATCH; k++)
        rvm_solution_free(&st->result[k]);
    rvm_solution_free(&st->best);
    for (size_t j = 1; st->seen != NULL && j < st->searched; j++)
        free(st->seen[j].p);
    free(st->seen);
    free(st->observed);
    free(st->which);
    rvm_columns_free(&st->design);
}

static rvm_status starts_init(void *search, const rvm_study *y, const rvm_settings *s,
                              rvm_error *err)
{
    rvm_starts *st = search;
    st->y = y;
    st->settings = s;
    st->by_gram = by_gram(y);
    st->top = -INFINITY;
    rvm_status status = observe_outputs(st, err);
    if (status == RVM_OK)
        status = fill_design(st, err);
    if (status == RVM_OK)
        status = share_design(st, err);
    return status == RVM_OK ? alloc_workers(st, err) : status;
}

/* ---- One search ----------------------------------------------------------------------------- */

static bool bias_first(const rvm_starts *st)
{
    return st->design.count > 0 && rvm_basis_is_bias(&st->y->basis, st->design.id[0]);
}

/* Functions that a search begins with, at the most. */
static size_t most_at_first(const rvm_starts *st, const rvm_start_plan *plan)
{
    if (st->searched > 1 || st->settings->tolerance < rough)
        return plan->most;
    const size_t most = st->observed->likelihood->curved ? ROUGH_CURVED : ROUGH_FIRST;
    return GSL_MIN(plan->most, most);
}

/* The width of all priors to begin with, no wider than any output has digits for. */
static double first_ln_alpha(const rvm_climber *s, const rvm_starts *st, const rvm_start_plan *plan)
{
    double ln_alpha = rvm_study_ln_alpha(st->y) - plan->widen;
    for (size_t j = 0; j < st->searched; j++)
        ln_alpha = fmax(ln_alpha, rvm_observed_least_ln_alpha(&st->observed[j], s->now[j].ln_beta));
    return ln_alpha;
}

static void place_subset(rvm_climber *s, const rvm_starts *st, const rvm_start_plan *plan,
                         gsl_rng *rng)
{
    const size_t M = st->design.count;
    const double share = fmin(plan->share, (double)most_at_first(st, plan) / (double)M);
    for (size_t j = 0; j < st->searched; j++) {
        s->now[j].K = 0;
        s->now[j].ln_beta = rvm_observed_first_ln_beta(&st->observed[j], plan->noise_share);
    }
    const double ln_alpha = first_ln_alpha(s, st, plan);
    for (size_t m = 0; m < M; m++) {
        const double most = m == 0 ? st->observed->bias_ln_alpha_max : INFINITY;
        if ((m == 0 && bias_first(st)) ||
            (plan->kind == RVM_FROM_SUBSET && (share >= 1 || gsl_rng_uniform(rng) < share)))
            rvm_climber_add(s, s->now, m, fmin(ln_alpha, most));
    }
}

static void place_at_best(rvm_climber *s, const rvm_starts *st)
{
    for (size_t j = 0; j < st->searched; j++)
        rvm_solution_load(&s->now[j], &st->best.latent[st->which[j]], st->design.id);
}

static void kick(rvm_climber *s, gsl_rng *rng)
{
    for (size_t i = s->now->K; i-- > 0;)
        if (!rvm_climber_is_bias(s, i) && gsl_rng_uniform(rng) < kicked_share)
            rvm_climber_remove(s, s->now, i);
}

static rvm_status keep(rvm_solution *to, const rvm_starts *st, const rvm_climber *s, double margin,
                       bool converged, rvm_error *err)
{
    const rvm_columns *d = &st->design;
    rvm_status status = RVM_OK;
    to->margin = margin;
    to->converged = converged;
    for (size_t j = 0; j < st->searched && status == RVM_OK; j++)
        status = rvm_solution_save(to, st->which[j], &s->now[j], d->id, d->norm, err);
    return status;
}

/* Places search number `number` and takes it to where its climb begins; *margin: nats that an
 * addition must gain on the way. */
static rvm_status begin_search(double *margin, rvm_climber *s, const rvm_starts *st, int number,
                               gsl_rng *rng, rvm_error *err)
{
    const rvm_likelihood *l = st->y->observed.likelihood;
    const bool is_small = side_by_side(st->y, st->design.count);
    if (number >= st->fresh && st->best.found) {
        *margin = st->best.margin;
        place_at_best(s, st);
        kick(s, rng);
        return rvm_climber_locate(s, err);
    }
    const rvm_start_plan *plan = &l->plans[number % l->plan_count];
    *margin = fmax(plan->margin, st->settings->tolerance);
    place_subset(s, st, plan, rng);
    return rvm_sweep_run(s, is_small ? SWEEPS : FEW_SWEEPS, is_small ? 1 : 2, err);
}

/* Of one output. */
static bool is_dense(const rvm_starts *st, size_t K)
{
    return st->searched == 1 && K > MANY && (double)K > dense_share * (double)st->design.count;
}

/* Whether it was interrupted where the functions of several outputs are so many that their
 * posteriors would take long. */
static bool is_unfit(const rvm_starts *st, const rvm_climber *s)
{
    const double N = (double)st->y->observed.spans.N, K = (double)s->now->K;
    return st->y->outputs > 1 && rvm_climber_stopped(s) &&
           (double)st->searched * N * K * K > 10 * rvm_sweep_patience;
}

/* Search number `number`, into *result. */
static rvm_status run_search(rvm_solution *result, const rvm_starts *st, rvm_climber *s, int number,
                             rvm_error *err)
{
    double margin = 0;
    bool converged = false;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (rng == NULL)
        return rvm_fail_memory(err, "random numbers");
    gsl_rng_set(rng, st->settings->seed * 1000003UL + (unsigned long)number + 1);
    const rvm_status status = begin_search(&margin, s, st, number, rng, err);
    gsl_rng_free(rng);
    if (status != RVM_OK)
        return status;
    /* A prior keeps functions from leaving by the sweeps, and many then say nothing. */
    const bool dense = rvm_prior_is_flat(&st->observed->weight_prior) && is_dense(st, s->now->K);
    const rvm_climb_settings climb = { margin, dense ? 1 : MAX_MOVES,
                                       dense ? FEW_ITERATIONS : NEWTON_ITERATIONS, rvm_climb_exact,
                                       0 };
    rvm_climb_run(s, &climb, &converged);
    return is_unfit(st, s) ? rvm_fail_interrupted(err)
                           : keep(result, st, s, margin, converged, err);
}

/* ---- Batches -------------------------------------------------------------------------------- */

/* A search whose posterior left the range of numbers has lost, no more. */
static void take_result(rvm_starts *st, rvm_solution *result)
{
    const double credit = st->y->observed.likelihood->credit - st->observed->prune_margin;
    st->top = fmax(st->top, rvm_solution_score(result));
    if (!st->best.found || rvm_solution_prefer(&st->best, result, st->top, credit))
        rvm_solution_swap(&st->best, result);
}

/* All processes of a team have the Gram matrix, and each search of a batch is made by one of them. */
static int searcher(const rvm_starts *st, int place)
{
    return place % rvm_team_size(st->y->observed.spans.team);
}

static rvm_status search_one(void *context, size_t place, int number, int worker, rvm_error *err)
{
    rvm_starts *st = context;
    if (searcher(st, (int)place) != rvm_team_rank(st->y->observed.spans.team))
        return RVM_OK;
    return run_search(&st->result[place], st, &st->worker[worker], number, err);
}

static void share_batch(rvm_starts *st, rvm_batch *b)
{
    rvm_team *team = st->y->observed.spans.team;
    for (int k = 0; k < b->count; k++) {
        b->status[k] = rvm_team_agree(team, b->status[k], &b->fault[k]);
        if (b->status[k] == RVM_OK)
            b->status[k] = rvm_solution_share(&st->result[k], team, searcher(st, k), &b->fault[k]);
    }
}

/* One by one where a search has all threads; but for processes to share, the fresh ones together and
 * then those that go on from the best of them. */
static int batch_size(const rvm_starts *st)
{
    const int left = st->all - st->finished, fresh = st->fresh - st->finished;
    if (st->by_gram && fresh > 0)
        return GSL_MIN(fresh, RVM_BATCH);
    return st->by_gram || side_by_side(st->y, st->design.count) ? GSL_MIN(left, RVM_BATCH) : 1;
}

static rvm_status run_batch(rvm_starts *st, rvm_error *err)
{
    rvm_batch batch;
    rvm_batch_run(&batch, st->finished, batch_size(st), search_one, st, st->workers,
                  st->y->observed.interrupted);
    share_batch(st, &batch);
    for (int k = 0; k < batch.count; k++)
        if (batch.status[k] == RVM_OK)
            take_result(st, &st->result[k]);
    st->finished += batch.count;
    return rvm_batch_status(&batch, st->best.found, err);
}

/* ---- The last way --------------------------------------------------------------------------- */

/* A few starts are for comparing widths, and one where nearly every row is a function is no match:
 * the long way to its optimum would be most of the work. */
static bool is_worth_polishing(const rvm_starts *st)
{
    return st->best.found &&
           (st->all > FEW_STARTS || !is_dense(st, rvm_solution_functions(&st->best)));
}

/* On from the best point: to its very optimum, and without functions that others can replace. A
 * slice of the way where it takes long, since an interrupt waits for it. */
static rvm_status climb_from_best(rvm_starts *st, rvm_error *err)
{
    rvm_climber *s = st->worker;
    const double tolerance = st->settings->tolerance, margin = st->best.margin;
    const size_t K = rvm_solution_functions(&st->best);
    const double affordable = polish_slice / ((double)st->searched * gsl_pow_3((double)K));
    const bool whole = affordable >= NEWTON_ITERATIONS;
    const rvm_climb_settings climb = { margin, whole ? MAX_MOVES : 1,
                                       whole ? NEWTON_ITERATIONS : (int)fmax(affordable, 1),
                                       rvm_climb_exact, tolerance };
    bool converged = false;
    place_at_best(s, st);
    rvm_status status = rvm_climber_locate(s, err);
    const double before = rvm_climber_log_evidence(s);
    if (status == RVM_OK)
        rvm_climb_run(s, &climb, &converged);
    converged = converged || (!rvm_climber_stopped(s) && s->now->K == K &&
                              rvm_climber_log_evidence(s) - before < tolerance);
    return status == RVM_OK ? keep(&st->best, st, s, margin, converged, err) : status;
}

static rvm_status polish(bool *done, rvm_starts *st, rvm_error *err)
{
    rvm_team *team = st->y->observed.spans.team;
    rvm_status status = rvm_team_rank(team) == 0 ? climb_from_best(st, err) : RVM_OK;
    status = rvm_team_agree(team, status, err);
    const rvm_status shared = rvm_solution_share(&st->best, team, 0, err);
    *done = status != RVM_OK || st->best.converged || ++st->polished >= MOST_POLISHED;
    if (shared != RVM_OK)
        return shared;
    return status == RVM_ENUMERIC || status == RVM_EINTERRUPT ? RVM_OK : status;
}

/* ---- What training asks of it --------------------------------------------------------------- */

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
    for (size_t j = 0; j < st->searched && st->by_gram; j++) { /* has bounds of its own */
        const rvm_observed *o = &st->observed[j];
        if (!o->noise_fixed && st->best.latent[st->which[j]].ln_beta >= o->ln_beta_max - 1e-6)
            r->noise_at_bound = true;
    }
    rvm_search_report_credit(r, &st->y->observed);
}

/* An output that is not searched has a prior of nothing. */
static rvm_found starts_solution(const void *search, size_t k)
{
    const rvm_starts *st = search;
    for (size_t j = 0; j < st->searched; j++)
        if (st->which[j] == k)
            return rvm_search_found(&st->best.latent[k], st->design, &st->observed[j]);
    return (rvm_found){ &st->best.latent[k], st->design, 0 };
}

const rvm_search_type rvm_many_starts = { .name = "starts",
                                          .fits = fits,
                                          .size = sizeof(rvm_starts),
                                          .init = starts_init,
                                          .step = starts_step,
                                          .report = starts_report,
                                          .solution = starts_solution,
                                          .free = starts_free };
