/* Regression with several targets a row: starts, and the solution of each output. */
#include "search/outputs.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
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
    FEW_SWEEPS = 8, /* stretched ones, where each takes long */
    MAX_MOVES = 1000,
    ITERATIONS = 40,
    MOST_CANDIDATES = 1500,
    LEAST_CANDIDATES = 16,
    SIDE_BY_SIDE = 600 /* candidates up to which searches run in parallel, not their parts */
};

/* Multiplications, of the order of them, below which a search takes no time to speak of. */
static const double cheap = 3e8;

/* Share of the functions that a restart removes. */
static const double kicked_share = 0.25;

/* As in starts.c: small guesses of the noise, prior precisions as wide as the targets or wider. */
typedef struct {
    double noise_share; /* first guess of the noise, of the variance of the targets */
    double share;       /* of the candidates that it starts from */
    double margin;      /* nats that an addition must gain; 0: the tolerance of the settings */
    double widen;       /* taken off ln alpha at the start */
} start_plan;

static const start_plan plans[] = {
    { 0.001, 1, 0, 0 },
    { 0.9, 0, 1, 0 },
    { 0.01, 1, 0, 0 },
    { 0.1, 1, 0, 0 },
    { 0.003, 1, 0, 0 },
    { 0.003, 0.5, 0, 0 },
    { 0.003, 1, 0, RVM_WIDE_PRIOR },
    { 0.03, 1, 0, 0 },
};
enum { PLANS = sizeof plans / sizeof plans[0] };

typedef struct {
    rvm_study *y; /* borrowed */
    rvm_settings settings;
    size_t outputs, searched; /* all, and those whose targets vary */
    size_t *place;            /* owned, outputs: among those searched, or `outputs` */
    double *scale;            /* owned, outputs: t_scale */
    rvm_observed *observed;   /* owned, searched */
    rvm_columns *seen;        /* owned, searched: the design as each output sees it */
    rvm_output *output;       /* owned, searched: both */
    rvm_columns design;
    rvm_climber *worker; /* owned, workers */
    int workers;
    rvm_solution result[RVM_BATCH], best; /* of the outputs that are searched */
    rvm_solution constant;                /* of the others: the bias, if there is one */
    double top;                           /* the largest score of all results */
    int all, finished;
} rvm_outputs;

/* ---- Candidates ----------------------------------------------------------------------------- */

static bool side_by_side(size_t candidates)
{
    return candidates <= SIDE_BY_SIDE;
}

/* Counted for as many searches as there can be, whatever the machine offers. */
static bool has_room(double M, const rvm_outputs *o)
{
    const double N = (double)o->y->observed.N, q = (double)o->searched;
    const double searches = side_by_side((size_t)M) ? RVM_BATCH : 1;
    const double stack = rvm_gaussian.scratch(M, N);
    const double numbers = M * N + M * M + searches * ((2 * q + 7) * M * M + stack + 2 * q * N);
    return 8 * numbers <= o->settings.budget_mb * 1048576;
}

/* The bias and the first groups that take no more than half of the places; where not all candidates
 * fit, a random sample of the others. Ascending. */
static rvm_status choose_candidates(size_t *id, size_t count, const rvm_outputs *o, rvm_error *err)
{
    size_t end[RVM_BASIS_GROUPS], fixed = o->y->basis.bias ? 1 : 0;
    const size_t all = o->y->basis.count, groups = rvm_basis_groups(end, &o->y->basis);
    for (size_t g = 0; g < groups && end[g] <= count / 2; g++)
        fixed = end[g];
    size_t *from = rvm_array(all, sizeof *from);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    const bool complete = from != NULL && rng != NULL;
    for (size_t m = 0; complete && m < all; m++)
        from[m] = m;
    if (complete) {
        gsl_rng_set(rng, o->settings.seed);
        memcpy(id, from, fixed * sizeof *id);
        gsl_ran_choose(rng, id + fixed, count - fixed, from + fixed, all - fixed, sizeof *id);
    }
    gsl_rng_free(rng);
    free(from);
    return complete ? RVM_OK : rvm_fail_memory(err, "the candidates");
}

static rvm_status fill_design(rvm_outputs *o, rvm_error *err)
{
    const rvm_basis *b = &o->y->basis;
    size_t count = b->count < MOST_CANDIDATES ? b->count : MOST_CANDIDATES;
    if (o->searched == 0)
        count = b->bias ? 1 : 0;
    while (count > LEAST_CANDIDATES && !has_room((double)count, o))
        count -= (count + 15) / 16;
    if (!has_room((double)count, o))
        return rvm_fail(err, RVM_ENOMEM, "-m %g is too small for %zu rows", o->settings.budget_mb,
                        b->N);
    size_t *id = rvm_array(count, sizeof *id);
    rvm_status status = id == NULL ? rvm_fail_memory(err, "the candidates") : RVM_OK;
    if (status == RVM_OK && count > 0)
        status = choose_candidates(id, count, o, err);
    if (status == RVM_OK)
        status = rvm_columns_init(&o->design, b, count > 0 ? count : 1, INFINITY,
                                  rvm_threads(o->settings.threads), err);
    if (status == RVM_OK)
        status = rvm_columns_keep_gram(&o->design, o->y->observed.t, err);
    if (status == RVM_OK)
        status = rvm_columns_append(&o->design, id, count, err);
    free(id);
    return status;
}

/* ---- Outputs -------------------------------------------------------------------------------- */

/* Takes down the output that y observes. */
static rvm_status copy_output(rvm_observed *out, const rvm_observed *o, rvm_error *err)
{
    *out = *o;
    out->t = rvm_array(o->N, sizeof *o->t);
    if (out->t == NULL)
        return rvm_fail_memory(err, "the outputs");
    memcpy(out->t, o->t, o->N * sizeof *o->t);
    return RVM_OK;
}

/* Leaves the priors of what outputs share with the first one (climber.h). */
static void share_priors(rvm_observed *out, bool shared_noise)
{
    out->weight_prior = rvm_prior_flat;
    if (shared_noise)
        out->noise_prior = rvm_prior_flat;
}

static rvm_status observe_outputs(rvm_outputs *o, rvm_error *err)
{
    rvm_status status = RVM_OK;
    o->place = rvm_array(o->outputs, sizeof *o->place);
    o->scale = rvm_array(o->outputs, sizeof *o->scale);
    o->observed = rvm_array(o->outputs, sizeof *o->observed);
    o->seen = rvm_array(o->outputs, sizeof *o->seen);
    o->output = rvm_array(o->outputs, sizeof *o->output);
    if (o->place == NULL || o->scale == NULL || o->observed == NULL || o->seen == NULL ||
        o->output == NULL)
        return rvm_fail_memory(err, "the outputs");
    for (size_t k = 0; k < o->outputs && status == RVM_OK; k++) {
        rvm_study_select(o->y, &o->settings, k);
        o->scale[k] = o->y->t_scale;
        o->place[k] = o->y->constant_target ? o->outputs : o->searched;
        if (!o->y->constant_target)
            status = copy_output(&o->observed[o->searched++], &o->y->observed, err);
    }
    for (size_t j = 1; j < o->searched; j++)
        share_priors(&o->observed[j], o->settings.shared_noise);
    return status;
}

/* The design as each output sees it. */
static rvm_status share_design(rvm_outputs *o, rvm_error *err)
{
    const rvm_columns *d = &o->design;
    for (size_t j = 0; j < o->searched; j++) {
        rvm_columns *seen = &o->seen[j];
        *seen = *d;
        seen->t = o->observed[j].t;
        seen->p = rvm_array(d->capacity, sizeof *d->p);
        o->output[j] = (rvm_output){ &o->observed[j], seen };
        if (seen->p == NULL)
            return rvm_fail_memory(err, "the outputs");
        if (d->count == 0)
            continue;
        gsl_matrix_const_view columns = gsl_matrix_const_submatrix(d->PhiT, 0, 0, d->count, d->N);
        gsl_vector_const_view t = gsl_vector_const_view_array(seen->t, d->N);
        gsl_vector_view p = gsl_vector_view_array(seen->p, d->count);
        gsl_blas_dgemv(CblasNoTrans, 1, &columns.matrix, &t.vector, 0, &p.vector);
    }
    return RVM_OK;
}

/* The bias alone at the mean of a constant target. */
static rvm_status settle_constant(rvm_outputs *o, rvm_error *err)
{
    const rvm_observed *seen = &o->y->observed;
    rvm_fit f;
    rvm_status status = rvm_fit_init(&f, 1, 0, err);
    if (status != RVM_OK)
        return status;
    if (o->y->basis.bias)
        rvm_fit_add(&f, 0, seen->bias_ln_alpha_max);
    status = rvm_solution_init(&o->constant, 1, false, err);
    if (status == RVM_OK)
        status = rvm_solution_save(&o->constant, 0, &f, o->design.id, o->design.norm, err);
    rvm_fit_free(&f);
    return status;
}

/* ---- Life ----------------------------------------------------------------------------------- */

/* The price of a start goes with q M^3, that of a restart from the best so far with q K^3. */
static int searches_for(const rvm_outputs *o)
{
    const double M = (double)o->design.count, price = (double)o->searched * M * M * M;
    if (o->searched == 0)
        return 0;
    if (o->settings.restarts > 0)
        return o->settings.restarts;
    return price <= cheap ? 3 * PLANS : side_by_side(o->design.count) ? 12 : 4;
}

/* Searches that start from the plans, the others from the best so far. */
static int planned(const rvm_outputs *o)
{
    return (o->all + 2) / 3 < PLANS ? (o->all + 2) / 3 : PLANS;
}

static rvm_status alloc_worker(rvm_climber *s, const rvm_outputs *o, int threads, rvm_error *err)
{
    const size_t M = GSL_MAX(o->design.count, 1);
    const rvm_status status = rvm_climber_init(s, o->output, o->searched, M, threads, err);
    s->shared_noise = o->settings.shared_noise;
    return status == RVM_OK ? rvm_statistics_init(&s->statistics, M, M, err) : status;
}

static rvm_status alloc_workers(rvm_outputs *o, rvm_error *err)
{
    const int threads = rvm_threads(o->settings.threads);
    const bool parallel = side_by_side(o->design.count);
    const int most = parallel ? (threads < RVM_BATCH ? threads : RVM_BATCH) : 1;
    rvm_status status = RVM_OK;
    o->all = searches_for(o);
    o->workers = most < o->all ? most : o->all;
    o->worker = rvm_array((size_t)o->workers, sizeof *o->worker);
    if (o->worker == NULL)
        return rvm_fail_memory(err, "the searches");
    for (int w = 0; w < o->workers && status == RVM_OK; w++)
        status = alloc_worker(&o->worker[w], o, parallel ? 1 : threads, err);
    for (int k = 0; k <= RVM_BATCH && status == RVM_OK; k++) {
        rvm_solution *s = k < RVM_BATCH ? &o->result[k] : &o->best;
        status = rvm_solution_init(s, o->searched, true, err);
    }
    return status;
}

static void outputs_free(void *search)
{
    rvm_outputs *o = search;
    if (o == NULL)
        return;
    for (int w = 0; o->worker != NULL && w < o->workers; w++)
        rvm_climber_free(&o->worker[w]);
    free(o->worker);
    for (int k = 0; k < RVM_BATCH; k++)
        rvm_solution_free(&o->result[k]);
    rvm_solution_free(&o->best);
    rvm_solution_free(&o->constant);
    for (size_t j = 0; o->observed != NULL && j < o->searched; j++)
        free(o->observed[j].t);
    for (size_t j = 0; o->seen != NULL && j < o->searched; j++)
        free(o->seen[j].p);
    free(o->observed);
    free(o->seen);
    free(o->output);
    free(o->place);
    free(o->scale);
    rvm_columns_free(&o->design);
    free(o);
}

static rvm_status outputs_alloc(void **out, rvm_study *y, const rvm_settings *s, rvm_error *err)
{
    rvm_outputs *o = rvm_array(1, sizeof *o);
    if (o == NULL)
        return rvm_fail_memory(err, "the outputs");
    o->y = y;
    o->settings = *s;
    o->outputs = y->p->outputs;
    o->top = -INFINITY;
    rvm_status status = observe_outputs(o, err);
    if (status == RVM_OK)
        status = fill_design(o, err);
    if (status == RVM_OK)
        status = share_design(o, err);
    if (status == RVM_OK)
        status = settle_constant(o, err);
    if (status == RVM_OK)
        status = alloc_workers(o, err);
    if (status != RVM_OK) {
        outputs_free(o);
        return status;
    }
    *out = o;
    return RVM_OK;
}

/* ---- One search ----------------------------------------------------------------------------- */

static bool bias_first(const rvm_outputs *o)
{
    return o->design.count > 0 && rvm_basis_is_bias(&o->y->basis, o->design.id[0]);
}

static void place_subset(rvm_climber *s, const rvm_outputs *o, const start_plan *plan, gsl_rng *rng)
{
    const double ln_alpha = rvm_study_ln_alpha(o->y) - plan->widen;
    for (size_t j = 0; j < o->searched; j++) {
        const rvm_observed *seen = &o->observed[j];
        s->now[j].K = 0;
        s->now[j].ln_beta = seen->noise_fixed ? seen->ln_beta : -log(plan->noise_share);
    }
    for (size_t m = 0; m < o->design.count; m++) {
        const bool bias = m == 0 && bias_first(o);
        if (bias || plan->share >= 1 || gsl_rng_uniform(rng) < plan->share)
            rvm_climber_add(s, s->now, m,
                            bias ? fmin(ln_alpha, o->y->observed.bias_ln_alpha_max) : ln_alpha);
    }
}

static void place_at_best(rvm_climber *s, const rvm_outputs *o, gsl_rng *rng)
{
    const bool keep_first = bias_first(o);
    for (size_t j = 0; j < o->searched; j++)
        rvm_solution_load(&s->now[j], &o->best.latent[j], o->design.id);
    for (size_t i = s->now->K; i-- > 0;)
        if (!(keep_first && s->now->column[i] == 0) && gsl_rng_uniform(rng) < kicked_share)
            rvm_climber_remove(s, s->now, i);
}

static rvm_status keep(rvm_solution *to, const rvm_climber *s, double margin, bool converged,
                       rvm_error *err)
{
    const rvm_columns *d = s->output->columns;
    rvm_status status = RVM_OK;
    to->margin = margin;
    to->converged = converged;
    for (size_t j = 0; j < s->outputs && status == RVM_OK; j++)
        status = rvm_solution_save(to, j, &s->now[j], d->id, d->norm, err);
    return status;
}

/* Whether it was interrupted where its functions are so many that the posterior of a model would
 * take long. */
static bool is_unfit(const rvm_outputs *o, const rvm_climber *s)
{
    const double N = (double)o->y->observed.N, K = (double)s->now->K;
    return rvm_interrupted(o->y->observed.interrupted) &&
           (double)o->searched * N * K * K > 10 * rvm_sweep_patience;
}

/* Search number `number`, into *result. */
static rvm_status run_search(rvm_solution *result, const rvm_outputs *o, rvm_climber *s, int number,
                             rvm_error *err)
{
    double margin = o->settings.tolerance;
    bool converged = false;
    rvm_status status = RVM_OK;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (rng == NULL)
        return rvm_fail_memory(err, "random numbers");
    gsl_rng_set(rng, o->settings.seed * 1000003UL + (unsigned long)number + 1);
    if (number >= planned(o) && o->best.found) {
        margin = o->best.margin;
        place_at_best(s, o, rng);
        status = rvm_climber_locate(s, err);
    } else {
        const start_plan *plan = &plans[number % PLANS];
        margin = fmax(margin, plan->margin);
        place_subset(s, o, plan, rng);
        const bool small = side_by_side(o->design.count);
        status = rvm_sweep_run(s, small ? SWEEPS : FEW_SWEEPS, small ? 1 : 2, err);
    }
    gsl_rng_free(rng);
    const rvm_climb_settings climb = { margin, MAX_MOVES, ITERATIONS, rvm_climb_exact, 0 };
    if (status == RVM_OK)
        rvm_climb_run(s, &climb, &converged);
    if (status == RVM_OK && is_unfit(o, s))
        return rvm_fail_interrupted(err);
    return status == RVM_OK ? keep(result, s, margin, converged, err) : status;
}

/* The best solution without functions that others can replace. */
static rvm_status thin_out(rvm_outputs *o, rvm_error *err)
{
    rvm_climber *s = o->worker;
    const double margin = o->best.margin;
    const rvm_climb_settings climb = { margin, MAX_MOVES, ITERATIONS, rvm_climb_exact,
                                       o->settings.tolerance };
    bool converged = false;
    for (size_t j = 0; j < o->searched; j++)
        rvm_solution_load(&s->now[j], &o->best.latent[j], o->design.id);
    const rvm_status status = rvm_climber_locate(s, err);
    if (status != RVM_OK)
        return status;
    rvm_climb_run(s, &climb, &converged);
    return keep(&o->best, s, margin, converged, err);
}

/* ---- Batches -------------------------------------------------------------------------------- */

static void take_result(rvm_outputs *o, rvm_solution *result)
{
    const double credit = rvm_gaussian.credit - o->settings.prune_margin;
    o->top = fmax(o->top, rvm_solution_score(result));
    if (!o->best.found || rvm_solution_prefer(&o->best, result, o->top, credit))
        rvm_solution_swap(&o->best, result);
}

static rvm_status search_one(void *context, size_t place, int number, int worker, rvm_error *err)
{
    rvm_outputs *o = context;
    return run_search(&o->result[place], o, &o->worker[worker], number, err);
}

static rvm_status run_batch(rvm_outputs *o, rvm_error *err)
{
    const int left = o->all - o->finished, most = side_by_side(o->design.count) ? RVM_BATCH : 1;
    rvm_batch batch;
    rvm_batch_run(&batch, o->finished, left < most ? left : most, search_one, o, o->workers,
                  o->y->observed.interrupted);
    for (int k = 0; k < batch.count; k++)
        if (batch.status[k] == RVM_OK)
            take_result(o, &o->result[k]);
    o->finished += batch.count;
    return rvm_batch_status(&batch, o->best.found, err);
}

static rvm_status outputs_step(bool *done, void *search, rvm_error *err)
{
    rvm_outputs *o = search;
    rvm_status status = o->finished < o->all ? run_batch(o, err) : RVM_OK;
    *done = o->finished >= o->all;
    if (status == RVM_OK && *done && o->best.found && !rvm_interrupted(o->y->observed.interrupted))
        status = thin_out(o, err);
    const bool is_lost = status == RVM_ENUMERIC || status == RVM_EINTERRUPT;
    return is_lost && o->best.found ? RVM_OK : status;
}

/* ---- What others see ------------------------------------------------------------------------ */

/* In the units of the targets. */
static double log_evidence(const rvm_outputs *o)
{
    double sum = rvm_solution_log_evidence(&o->best);
    for (size_t k = 0; k < o->outputs; k++)
        sum -= (double)o->y->observed.N * log(o->scale[k]);
    return sum;
}

static bool noise_at_bound(const rvm_outputs *o)
{
    for (size_t j = 0; j < o->searched && o->best.found; j++)
        if (!o->observed[j].noise_fixed &&
            o->best.latent[j].ln_beta >= o->observed[j].ln_beta_max - 1e-6)
            return true;
    return false;
}

static void outputs_report(rvm_report *r, const void *search)
{
    const rvm_outputs *o = search;
    r->start = o->finished;
    r->starts = o->all;
    r->progress = (double)o->finished / o->all;
    r->functions = rvm_solution_functions(o->best.found ? &o->best : &o->constant);
    r->log_evidence = log_evidence(o);
    r->converged = o->searched == 0 || (o->best.found && o->best.converged);
    r->noise_at_bound = noise_at_bound(o);
    rvm_search_report_credit(r, &o->y->observed);
}

/* y observes output k from now on. */
static rvm_found outputs_solution(void *search, size_t k)
{
    rvm_outputs *o = search;
    const size_t j = o->place[k];
    rvm_study_select(o->y, &o->settings, k);
    if (j < o->outputs)
        return rvm_search_found(&o->best.latent[j], o->design, &o->observed[j]);
    o->constant.latent->ln_beta = rvm_study_constant_ln_beta(o->y);
    return (rvm_found){ o->constant.latent, o->design, 0 };
}

static bool fits(const rvm_study *y, const rvm_settings *s)
{
    (void)s;
    return y->p->outputs > 1;
}

const rvm_search_type rvm_output_search = { .name = "outputs",
                                            .fits = fits,
                                            .alloc = outputs_alloc,
                                            .step = outputs_step,
                                            .report = outputs_report,
                                            .solution = outputs_solution,
                                            .free = outputs_free };
