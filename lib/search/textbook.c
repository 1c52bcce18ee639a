/* The algorithms of the papers, as they stand there: for comparison and for teaching. */
#include "search/textbook.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "search/sequential.h"
#include "search/sweep.h"

enum { MOVES = 5 }; /* of a step, between two estimates of the noise */

static const double noise_share = 0.1; /* of the variance of the targets, at first */

struct rvm_textbook {
    rvm_study *y; /* borrowed */
    const size_t *class_of_row;
    rvm_method method;
    double tolerance;
    rvm_columns design;
    rvm_climber search;
    rvm_sequential sequential; /* RVM_METHOD_SEQUENTIAL */
    rvm_solution solution;     /* of a latent function for each model */
    size_t models, in_hand;
    int iterations;   /* of the model in hand */
    bool begun;       /* the model in hand has been located */
    bool all_arrived; /* all models before it have */
};

/* ---- Life ----------------------------------------------------------------------------------- */

/* What the design, the search and the statistics of the candidates take. */
static double needed_bytes(const rvm_study *y, rvm_method method)
{
    const rvm_likelihood *l = y->observed.likelihood;
    const double M = (double)y->basis.count, N = (double)y->observed.N;
    const double squares = (l->curved ? 5 : 6) + (method == RVM_METHOD_SEQUENTIAL ? 3 : 0);
    return 8 * (M * N + squares * M * M + l->scratch(M, N));
}

static rvm_status check_memory(const rvm_study *y, const rvm_settings *s, rvm_error *err)
{
    const double megabytes = needed_bytes(y, s->method) / 1048576;
    if (megabytes <= s->budget_mb)
        return RVM_OK;
    return rvm_fail(err, RVM_ENOMEM,
                    "--method %s keeps the columns of all %zu candidates and needs -m %.0f "
                    "(it is %g); --method auto does with less",
                    rvm_method_name(s->method), y->basis.count, ceil(megabytes), s->budget_mb);
}

static rvm_status alloc_parts(rvm_textbook *t, const rvm_settings *s, rvm_error *err)
{
    const int threads = rvm_threads(s->threads);
    rvm_status status = check_memory(t->y, s, err);
    if (status != RVM_OK)
        return status;
    status = rvm_solution_init(&t->solution, t->models, false, err);
    if (status != RVM_OK)
        return status;
    status = rvm_study_design(&t->design, t->y, threads, err);
    if (status == RVM_OK)
        status = rvm_climber_init(&t->search, &(const rvm_output){ &t->y->observed, &t->design }, 1,
                                  t->design.count, threads, err);
    if (status == RVM_OK && t->method == RVM_METHOD_SEQUENTIAL)
        status = rvm_sequential_init(&t->sequential, &t->search, err);
    return status;
}

rvm_status rvm_textbook_alloc(rvm_textbook **out, rvm_study *y, const size_t *class_of_row,
                              size_t models, const rvm_settings *s, rvm_error *err)
{
    rvm_textbook *t = rvm_array(1, sizeof *t);
    if (t == NULL)
        return rvm_fail_memory(err, "the search");
    t->y = y;
    t->class_of_row = class_of_row;
    t->method = s->method;
    t->tolerance = s->tolerance;
    t->models = models;
    t->all_arrived = true;
    const rvm_status status = alloc_parts(t, s, err);
    if (status != RVM_OK) {
        rvm_textbook_free(t);
        return status;
    }
    *out = t;
    return RVM_OK;
}

void rvm_textbook_free(rvm_textbook *t)
{
    if (t == NULL)
        return;
    rvm_solution_free(&t->solution);
    rvm_sequential_free(&t->sequential);
    rvm_climber_free(&t->search);
    rvm_columns_free(&t->design);
    free(t);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static void observe_model(rvm_textbook *t, size_t k)
{
    rvm_observed *o = &t->y->observed;
    for (size_t n = 0; n < o->N && t->models > 1; n++)
        o->t[n] = t->class_of_row[n] == k;
}

/* All candidates, or the bias of a regression alone. */
static rvm_status begin(rvm_textbook *t, rvm_error *err)
{
    const rvm_observed *o = &t->y->observed;
    const bool bias_stays = o->bias_ln_alpha_max < INFINITY;
    const double ln_alpha = rvm_study_ln_alpha(t->y);
    rvm_fit *f = t->search.now;
    f->K = 0;
    f->ln_beta = rvm_observed_first_ln_beta(o, noise_share);
    for (size_t m = 0; m < t->design.count; m++)
        if (t->method != RVM_METHOD_SEQUENTIAL || (m == 0 && bias_stays))
            rvm_fit_add(f, m, m == 0 ? fmin(ln_alpha, o->bias_ln_alpha_max) : ln_alpha);
    t->begun = true;
    t->iterations = 0;
    return t->method == RVM_METHOD_SEQUENTIAL ? rvm_sequential_locate(&t->sequential, err)
                                              : rvm_climber_locate(&t->search, err);
}

static rvm_status sweep(rvm_textbook *t, bool *arrived, rvm_error *err)
{
    const rvm_sweep_rule rule = t->method == RVM_METHOD_EM ? RVM_SWEEP_EM : RVM_SWEEP_MACKAY;
    const double before = t->search.now->log_evidence;
    bool at_rest;
    const rvm_status status = rvm_sweep_step(&t->search, rule, 1, &at_rest, err);
    *arrived = fabs(t->search.now->log_evidence - before) < t->tolerance;
    t->iterations++;
    return status;
}

/* Moves, then the noise. It has arrived where neither had anything to gain. */
static rvm_status move(rvm_textbook *t, bool *arrived, rvm_error *err)
{
    const rvm_fit *f = t->search.now;
    rvm_status status = RVM_OK;
    int moves = 0;
    for (; moves < MOVES && status == RVM_OK; moves++) {
        const rvm_sequential_move best = rvm_sequential_best(&t->sequential);
        if (!(best.gain >= t->tolerance))
            break;
        status = rvm_sequential_apply(&t->sequential, best, err);
        t->iterations++;
    }
    const double before = f->log_evidence;
    if (status == RVM_OK)
        status = rvm_sequential_renew(&t->sequential, err);
    *arrived = moves == 0 && fabs(f->log_evidence - before) < t->tolerance;
    return status;
}

rvm_status rvm_textbook_step(bool *done, rvm_textbook *t, rvm_error *err)
{
    bool arrived = false;
    observe_model(t, t->in_hand);
    rvm_status status = t->begun ? RVM_OK : begin(t, err);
    if (status == RVM_OK)
        status =
            t->method == RVM_METHOD_SEQUENTIAL ? move(t, &arrived, err) : sweep(t, &arrived, err);
    if (status == RVM_OK)
        status = rvm_solution_save(&t->solution, t->in_hand, t->search.now, t->design.id,
                                   t->design.norm, err);
    if (status == RVM_EINTERRUPT && t->solution.found)
        return RVM_OK;
    if (status != RVM_OK)
        return status;
    const bool ended = arrived || t->iterations >= RVM_TEXTBOOK_ITERATIONS;
    *done = ended && t->in_hand + 1 == t->models;
    if (ended)
        t->all_arrived = t->all_arrived && arrived;
    t->solution.converged = *done && t->all_arrived;
    if (ended && !*done) {
        t->in_hand++;
        t->begun = false;
    }
    return RVM_OK;
}

/* ---- Results -------------------------------------------------------------------------------- */

void rvm_textbook_progress(int *model, int *models, const rvm_textbook *t)
{
    *model = (int)t->in_hand + 1;
    *models = (int)t->models;
}

const rvm_solution *rvm_textbook_solution(const rvm_textbook *t)
{
    return &t->solution;
}

const rvm_solved *rvm_textbook_select(rvm_textbook *t, size_t k)
{
    observe_model(t, k);
    return &t->solution.latent[k];
}

const rvm_columns *rvm_textbook_design(const rvm_textbook *t)
{
    return &t->design;
}
