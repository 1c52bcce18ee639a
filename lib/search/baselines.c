/* The algorithms of the papers, as they stand there: for comparison and for teaching. */
#include "search/baselines.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "data/problem.h"
#include "search/sequential.h"
#include "search/sweep.h"

enum { MOVES = 5 }; /* of a step, between two estimates of the noise */

static const double noise_share = 0.1; /* of the variance of the targets, at first */

typedef struct {
    const char *name;
    bool sequential;     /* one function at a time; else sweeps over all of them */
    rvm_sweep_rule rule; /* of these */
} baseline;

static const baseline methods[] = {
    [RVM_METHOD_MACKAY] = { "mackay", false, RVM_SWEEP_MACKAY },
    [RVM_METHOD_EM] = { "em", false, RVM_SWEEP_EM },
    [RVM_METHOD_SEQUENTIAL] = { "sequential", true, RVM_SWEEP_MACKAY },
};
enum { METHODS = sizeof methods / sizeof methods[0] };

typedef struct {
    rvm_study view; /* of all that the study has, with targets of its own of several models */
    const size_t *class_of_row;
    double *t; /* owned, N, several models: 1 for the class in hand, else 0 */
    const baseline *method;
    double tolerance;
    rvm_columns design;
    rvm_climber search;
    rvm_sequential sequential; /* where the method is */
    rvm_solution solution;
    size_t models, in_hand;
    int iterations; /* of the model in hand */
    bool begun;     /* the model in hand has been located */
    bool all_arrived;
} climber;

static bool fits(const rvm_study *y, const rvm_settings *s)
{
    return y->p->outputs == 1 && (size_t)s->method < METHODS && methods[s->method].name != NULL;
}

/* ---- Life ----------------------------------------------------------------------------------- */

/* What the design, the search and the statistics of the candidates take. */
static double needed_bytes(const rvm_study *y, const baseline *method)
{
    const rvm_likelihood *l = y->observed.likelihood;
    const double M = (double)y->basis.count, N = (double)y->observed.N;
    const double squares = (l->curved ? 5 : 6) + (method->sequential ? 3 : 0);
    return 8 * (M * N + squares * M * M + l->scratch(M, N));
}

static rvm_status check_memory(const climber *c, const rvm_settings *s, rvm_error *err)
{
    const double megabytes = needed_bytes(&c->view, c->method) / 1048576;
    if (megabytes <= s->budget_mb)
        return RVM_OK;
    return rvm_fail(err, RVM_ENOMEM,
                    "--method %s keeps the columns of all %zu candidates and needs -m %.0f "
                    "(it is %g); --method auto does with less",
                    c->method->name, c->view.basis.count, ceil(megabytes), s->budget_mb);
}

static rvm_status alloc_parts(climber *c, const rvm_settings *s, rvm_error *err)
{
    const int threads = rvm_threads(s->threads);
    rvm_observed *o = &c->view.observed;
    rvm_status status = check_memory(c, s, err);
    if (status != RVM_OK)
        return status;
    status = rvm_solution_init(&c->solution, c->models, false, err);
    if (status != RVM_OK)
        return status;
    c->t = rvm_array(c->models > 1 ? o->N : 0, sizeof *c->t);
    if (c->t == NULL)
        return rvm_fail_memory(err, "the solutions");
    if (c->models > 1)
        o->t = c->t;
    status = rvm_study_whole_design(&c->design, &c->view, threads, err);
    if (status == RVM_OK)
        status = rvm_climber_init(&c->search, &(const rvm_output){ o, &c->design }, 1,
                                  c->design.count, threads, err);
    if (status == RVM_OK && c->method->sequential)
        status = rvm_sequential_init(&c->sequential, &c->search, err);
    return status;
}

static void baseline_free(void *search)
{
    climber *c = search;
    rvm_solution_free(&c->solution);
    free(c->t);
    rvm_sequential_free(&c->sequential);
    rvm_climber_free(&c->search);
    rvm_columns_free(&c->design);
}

static rvm_status baseline_init(void *search, const rvm_study *y, const rvm_settings *s,
                                rvm_error *err)
{
    climber *c = search;
    c->view = *y;
    c->class_of_row = y->class_of_row;
    c->method = &methods[s->method];
    c->tolerance = s->tolerance;
    c->models = y->classes > 2 ? y->classes : 1;
    c->all_arrived = true;
    return alloc_parts(c, s, err);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* All candidates, or the bias of a regression alone. */
static rvm_status begin(climber *c, rvm_error *err)
{
    const rvm_observed *o = &c->view.observed;
    const bool bias_stays = o->bias_ln_alpha_max < INFINITY;
    const double ln_alpha = rvm_study_ln_alpha(&c->view);
    rvm_fit *f = c->search.now;
    for (size_t n = 0; n < o->N && c->models > 1; n++)
        c->t[n] = c->class_of_row[n] == c->in_hand;
    f->K = 0;
    f->ln_beta = rvm_observed_first_ln_beta(o, noise_share);
    for (size_t m = 0; m < c->design.count; m++)
        if (!c->method->sequential || (m == 0 && bias_stays))
            rvm_fit_add(f, m, m == 0 ? fmin(ln_alpha, o->bias_ln_alpha_max) : ln_alpha);
    c->begun = true;
    c->iterations = 0;
    return c->method->sequential ? rvm_sequential_locate(&c->sequential, err)
                                 : rvm_climber_locate(&c->search, err);
}

static rvm_status sweep(climber *c, bool *arrived, rvm_error *err)
{
    const double before = c->search.now->log_evidence;
    bool at_rest;
    const rvm_status status = rvm_sweep_step(&c->search, c->method->rule, 1, &at_rest, err);
    *arrived = fabs(c->search.now->log_evidence - before) < c->tolerance;
    c->iterations++;
    return status;
}

/* Moves, then the noise. It has arrived where neither had anything to gain. */
static rvm_status move(climber *c, bool *arrived, rvm_error *err)
{
    const rvm_fit *f = c->search.now;
    rvm_status status = RVM_OK;
    int moves = 0;
    for (; moves < MOVES && status == RVM_OK; moves++) {
        const rvm_sequential_move best = rvm_sequential_best(&c->sequential);
        if (!(best.gain >= c->tolerance))
            break;
        status = rvm_sequential_apply(&c->sequential, best, err);
        c->iterations++;
    }
    const double before = f->log_evidence;
    if (status == RVM_OK)
        status = rvm_sequential_renew(&c->sequential, err);
    *arrived = moves == 0 && fabs(f->log_evidence - before) < c->tolerance;
    return status;
}

static rvm_status baseline_step(bool *done, void *search, rvm_error *err)
{
    climber *c = search;
    bool arrived = false;
    rvm_status status = c->begun ? RVM_OK : begin(c, err);
    if (status == RVM_OK)
        status = c->method->sequential ? move(c, &arrived, err) : sweep(c, &arrived, err);
    if (status == RVM_OK)
        status = rvm_solution_save(&c->solution, c->in_hand, c->search.now, c->design.id,
                                   c->design.norm, err);
    if (status == RVM_EINTERRUPT && c->solution.found)
        return RVM_OK;
    if (status != RVM_OK)
        return status;
    const bool ended = arrived || c->iterations >= RVM_BASELINE_ITERATIONS;
    *done = ended && c->in_hand + 1 == c->models;
    if (ended)
        c->all_arrived = c->all_arrived && arrived;
    c->solution.converged = *done && c->all_arrived;
    if (ended && !*done) {
        c->in_hand++;
        c->begun = false;
    }
    return RVM_OK;
}

/* ---- Results -------------------------------------------------------------------------------- */

static void baseline_report(rvm_report *r, const void *search)
{
    const climber *c = search;
    rvm_search_report_solution(r, &c->solution, &c->view);
    r->start = (int)c->in_hand + 1;
    r->starts = (int)c->models;
    r->progress = (double)c->in_hand / (double)c->models;
}

/* A model has no function before its turn. */
static rvm_found baseline_solution(const void *search, size_t k)
{
    const climber *c = search;
    return rvm_search_found(&c->solution.latent[k], c->design, &c->view.observed);
}

const rvm_search_type rvm_baselines = { .name = "baselines",
                                        .one_vs_rest = true,
                                        .fits = fits,
                                        .size = sizeof(climber),
                                        .init = baseline_init,
                                        .step = baseline_step,
                                        .report = baseline_report,
                                        .solution = baseline_solution,
                                        .free = baseline_free };
