/* From relevance vectors to the points of a sparse Gaussian process, of which they are the first. */
#include "search/inducing.h"

#include <assert.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "data/order.h"
#include "data/problem.h"
#include "inference/points.h"
#include "search/process_climb.h"
#include "search/sample.h"

enum {
    GROWTH = 3,             /* points for each relevance vector */
    LEAST_POINTS = 10,      /* where there are so many rows; a search may have found none, */
    LEAST_OF_CLASSES = 200, /* and of classes it has found those alone that decide */
    CANDIDATES = 4000,      /* rows that further points are chosen from, or */
    ROWS = 2000,            /* that hyperparameters are learned from, or */
    FOR_EACH = 8,           /* so many for each point, */
    MANY_POINTS = 500,      /* half of that where points are many, */
    FOR_ALL = 24,           /* and those of which the noise is learned at the end */
    BATCHES = 6,            /* in which points are added at the most, where they are weighed */
    LEAST_BATCH = 20
};

/* Rows times points squared that further points may lead to: of targets, a few seconds; of classes,
 * whose hyperparameter asks for less. */
static const double work = 4e10, work_of_classes = 2e11;

struct rvm_inducing {
    const rvm_study *y; /* borrowed */
    rvm_settings settings;
    size_t *id; /* owned, count: candidates; terms, ascending, then points in the order they came */
    size_t count, terms, vectors; /* vectors: the points that are relevance vectors */
    size_t *sorted;               /* owned: the same, ascending */
    double *precision, *noise;    /* owned: the start */
    rvm_problem *rows;            /* owned: those that hyperparameters are learned from */
    size_t *row;                  /* owned: their numbers */
    gsl_matrix *T;                /* owned, terms x rows */
    rvm_problem *points;          /* owned */
    const rvm_process_climb *type;
    void *climb;        /* owned */
    void *sample_climb; /* owned: the one before, of a sample of the rows */
    size_t latents;
    bool complete, resting; /* all points are there; the climb through them has ended */
    int steps;              /* of that climb */
};

/* ---- The start ------------------------------------------------------------------------------ */

/* A function of a latent function, with the precision of its raw weight. */
typedef struct {
    size_t id;
    double precision;
} active_function;

/* By candidate, of one those of little precision first. */
static int compare_functions(const void *a, const void *b)
{
    const active_function *x = a, *z = b;
    if (x->id != z->id)
        return x->id < z->id ? -1 : 1;
    return (x->precision > z->precision) - (x->precision < z->precision);
}

/* Those of all latent functions, and the bias, into `list`; NULL: how many there may be. */
static size_t list_functions(active_function *list, rvm_inducing *g, const rvm_search_type *type,
                             const void *search)
{
    size_t count = 0;
    for (size_t k = 0; k < g->latents; k++) {
        const rvm_solved *s = type->solution(search, k).solved;
        for (size_t i = 0; i < s->K; i++, count++)
            if (list != NULL)
                list[count] =
                    (active_function){ s->id[i], exp(s->ln_alpha[i]) * gsl_pow_2(s->norm[i]) };
        g->noise[k] = exp(-s->ln_beta);
    }
    return count;
}

/* Each candidate once, with the least precision that a latent function has for it. The level of a
 * class is not the process's to find, so that the bias is always there. */
static rvm_status collect(rvm_inducing *g, const rvm_search_type *type, const void *search,
                          rvm_error *err)
{
    const rvm_basis *b = &g->y->basis;
    const size_t count = list_functions(NULL, g, type, search);
    active_function *list = rvm_array(count, sizeof *list);
    g->id = rvm_array(count + 1, sizeof *g->id);
    g->precision = rvm_array(count + 1, sizeof *g->precision);
    if (list == NULL || g->id == NULL || g->precision == NULL) {
        free(list);
        return rvm_fail_memory(err, "the points of the process");
    }
    list_functions(list, g, type, search);
    qsort(list, count, sizeof *list, compare_functions);
    if (b->bias && (count == 0 || list[0].id != 0)) {
        g->precision[g->terms++] = 1;
        g->id[g->count++] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        const bool again = g->count > 0 && g->id[g->count - 1] == list[i].id;
        if (again || list[i].precision == 0) /* has left the range of numbers */
            continue;
        if (rvm_basis_is_term(b, list[i].id))
            g->precision[g->terms++] = list[i].precision;
        g->id[g->count++] = list[i].id;
    }
    free(list);
    return RVM_OK;
}

static size_t points_of(const rvm_inducing *g)
{
    return g->count - g->terms;
}

/* `count` of the numbers 0 .. N - 1, or all of them. */
static rvm_status draw(size_t **row, size_t *count, size_t N, unsigned long seed, rvm_error *err)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (rng == NULL)
        return rvm_fail_memory(err, "a part of the rows");
    gsl_rng_set(rng, seed);
    *count = GSL_MIN(*count, N);
    const rvm_status status = rvm_order_sample(row, *count, N, rng, err);
    gsl_rng_free(rng);
    return status;
}

/* Points whose K x K matrices take a quarter of the budget each. */
static size_t room_for(const rvm_inducing *g)
{
    return (size_t)fmax(1, sqrt(g->settings.budget_mb * 1048576 / 8 / 4));
}

static size_t most_points(const rvm_inducing *g)
{
    const size_t all = g->y->basis.count - g->y->basis.terms;
    const bool classes = g->y->observed.likelihood->curved;
    const size_t least = classes ? LEAST_OF_CLASSES : LEAST_POINTS;
    const double fit = sqrt((classes ? work_of_classes : work) / (double)rvm_problem_all(g->y->p));
    const size_t many = GSL_MIN((size_t)fmin(fit, (double)(GROWTH * g->vectors)), room_for(g));
    if (g->settings.vectors > 0)
        return GSL_MIN(all, GSL_MAX(g->vectors, GSL_MIN((size_t)g->settings.vectors, room_for(g))));
    return GSL_MIN(all, GSL_MAX(GSL_MAX(g->vectors, many), least));
}

static void forget_rows(rvm_inducing *g)
{
    rvm_problem_free(g->rows);
    free(g->row);
    gsl_matrix_free(g->T);
    g->rows = NULL;
    g->row = NULL;
    g->T = NULL;
}

/* A sample of so many rows for each point. */
static rvm_status choose_rows(rvm_inducing *g, size_t for_each, rvm_error *err)
{
    const bool classes = g->y->observed.likelihood->curved; /* one number is learned */
    const size_t most = classes ? ROWS : GSL_MAX(ROWS, for_each * most_points(g));
    const rvm_status status = rvm_sample_rows(&g->rows, &g->row, g->y, most, g->settings.seed, err);
    if (status == RVM_OK)
        g->T = rvm_basis_terms(&g->y->basis, g->id, g->terms, g->rows);
    return status == RVM_OK && g->T == NULL ? rvm_fail_memory(err, "a part of the rows") : status;
}

/* For all the points that there may be. */
static rvm_status make_room(rvm_inducing *g, rvm_error *err)
{
    const size_t most = g->terms + most_points(g);
    size_t room = g->count;
    const bool memory = rvm_grow(&g->id, &room, most, sizeof *g->id);
    g->sorted = rvm_array(most, sizeof *g->sorted);
    return memory && g->sorted != NULL ? RVM_OK : rvm_fail_memory(err, "the points of the process");
}

static rvm_status prepare(rvm_inducing *g, const rvm_search_type *type, const void *search,
                          size_t latents, rvm_error *err)
{
    g->latents = latents;
    g->noise = rvm_array(latents, sizeof *g->noise);
    if (g->noise == NULL)
        return rvm_fail_memory(err, "the points of the process");
    rvm_status status = collect(g, type, search, err);
    g->vectors = points_of(g);
    if (status == RVM_OK)
        status = make_room(g, err);
    if (status == RVM_OK)
        status = choose_rows(g, most_points(g) > MANY_POINTS ? FOR_EACH / 2 : FOR_EACH, err);
    if (status != RVM_OK)
        return status;
    const rvm_process_job job = { g->y,    g->rows,      g->row,   g->T,         g->terms,
                                  latents, g->precision, g->noise, &g->settings, NULL };
    g->type = g->y->observed.likelihood->curved ? &rvm_mode_climb : &rvm_fitc_climb;
    return g->type->alloc(&g->climb, &job, err);
}

rvm_status rvm_inducing_alloc(rvm_inducing **out, const rvm_study *y, const rvm_search_type *type,
                              const void *search, size_t latents, const rvm_settings *s,
                              rvm_error *err)
{
    rvm_inducing *g = rvm_array(1, sizeof *g);
    if (g == NULL)
        return rvm_fail_memory(err, "the points of the process");
    g->y = y;
    g->settings = *s;
    const rvm_status status = prepare(g, type, search, latents, err);
    if (status != RVM_OK) {
        rvm_inducing_free(g);
        return status;
    }
    *out = g;
    return RVM_OK;
}

void rvm_inducing_free(rvm_inducing *g)
{
    if (g == NULL)
        return;
    if (g->type != NULL) { /* they borrow from what follows */
        g->type->free(g->climb);
        g->type->free(g->sample_climb);
    }
    free(g->id);
    free(g->sorted);
    free(g->precision);
    free(g->noise);
    forget_rows(g);
    rvm_problem_free(g->points);
    free(g);
}

/* ---- Points --------------------------------------------------------------------------------- */

/* *rows: copies of those that kernel functions id[0 .. count) sit on. */
static rvm_status copy_rows(rvm_problem **rows, const rvm_inducing *g, const size_t *id,
                            size_t count, rvm_error *err)
{
    const rvm_status status = rvm_basis_bring(&g->y->basis, id, count, NULL, 0, err);
    rvm_problem_free(*rows);
    *rows = status == RVM_OK ? rvm_study_rows_at(g->y, id, count) : NULL;
    return status == RVM_OK && *rows == NULL ? rvm_fail_memory(err, "the points of the process")
                                             : status;
}

/* g->points of the ids that are there. */
static rvm_status take_points(rvm_inducing *g, rvm_error *err)
{
    return copy_rows(&g->points, g, g->id + g->terms, points_of(g), err);
}

/* Rows that might become points: a sample of the candidates. */
typedef struct {
    size_t *id; /* owned: the kernel function of each */
    size_t count;
    rvm_problem *rows; /* owned */
    double *weight;    /* owned */
    double enough;
    size_t *chosen; /* owned, most */
} candidates;

static void candidates_free(candidates *c)
{
    free(c->id);
    rvm_problem_free(c->rows);
    free(c->weight);
    free(c->chosen);
}

/* Their whitened features take a quarter of the budget at the most. */
static rvm_status sample_candidates(candidates *c, rvm_inducing *g, rvm_error *err)
{
    const rvm_basis *b = &g->y->basis;
    const size_t most = most_points(g), all = b->count - b->terms;
    const double room = g->settings.budget_mb * 1048576 / 8 / 4 / (double)(most + 1);
    c->count = (size_t)fmax(fmin(fmax(CANDIDATES, 4.0 * (double)most), room), (double)most);
    const rvm_status status = draw(&c->id, &c->count, all, g->settings.seed, err);
    if (status != RVM_OK)
        return status;
    for (size_t k = 0; k < c->count; k++)
        c->id[k] += b->terms;
    c->chosen = rvm_array(most, sizeof *c->chosen);
    return c->chosen == NULL ? rvm_fail_memory(err, "the points of the process")
                             : copy_rows(&c->rows, g, c->id, c->count, err);
}

/* What is a point already has no weight. */
static rvm_status leave_points_out(candidates *c, const rvm_inducing *g, rvm_error *err)
{
    const size_t count = points_of(g);
    size_t *taken = rvm_array(count, sizeof *taken);
    if (taken == NULL)
        return rvm_fail_memory(err, "the points of the process");
    memcpy(taken, g->id + g->terms, count * sizeof *taken);
    rvm_sort_unique_numbers(taken, count);
    for (size_t k = 0; k < c->count; k++)
        if (rvm_sort_has(taken, count, c->id[k]))
            c->weight[k] = 0;
    free(taken);
    return RVM_OK;
}

static rvm_status weigh_candidates(candidates *c, rvm_inducing *g, rvm_error *err)
{
    gsl_matrix *T = rvm_basis_terms(&g->y->basis, g->id, g->terms, c->rows);
    c->weight = rvm_array(c->count, sizeof *c->weight);
    rvm_status status = T == NULL || c->weight == NULL
                            ? rvm_fail_memory(err, "the points of the process")
                            : g->type->place(g->climb, g->points, err);
    if (status == RVM_OK)
        status = g->type->weigh(c->weight, &c->enough, g->climb, c->rows, T, err);
    gsl_matrix_free(T);
    return status == RVM_OK ? leave_points_out(c, g, err) : status;
}

/* The least sure of them, `wanted` at the most, become points too: those that rank 0 finds, since
 * processors may round otherwise. */
static rvm_status choose(candidates *c, rvm_inducing *g, size_t wanted, rvm_error *err)
{
    const rvm_settings *s = &g->settings;
    rvm_team *team = g->y->observed.spans.team;
    rvm_points z = { .N = 0 };
    size_t found = 0;
    rvm_status status = rvm_points_init(&z, c->rows, g->points, rvm_threads(s->threads), err);
    if (status == RVM_OK)
        status = rvm_points_place(&z, g->type->state(g->climb).kernel, err);
    if (status == RVM_OK)
        status = rvm_points_choose(c->chosen, &found, &z, c->weight, c->enough, wanted,
                                   s->interrupted, err);
    status = rvm_team_agree(team, status, err);
    rvm_team_same(team, &found, sizeof found);
    rvm_team_same(team, c->chosen, found * sizeof *c->chosen);
    for (size_t k = 0; k < found && status == RVM_OK; k++)
        g->id[g->count++] = c->id[c->chosen[k]];
    g->complete = found < wanted || points_of(g) >= most_points(g);
    rvm_points_free(&z);
    return status;
}

/* How many at a time: what is known of the others changes with them, where it is weighed. */
static size_t batch(const rvm_inducing *g)
{
    const size_t left = most_points(g) - points_of(g);
    const size_t part = GSL_MAX(g->vectors / 2, (size_t)LEAST_BATCH);
    return !g->type->in_batches ? left : GSL_MIN(left, GSL_MAX(part, left / BATCHES));
}

/* Some further points, by the kernel of the search: length-scales that have adapted to few points
 * are longer, and would leave nothing to choose. */
static rvm_status add_points(rvm_inducing *g, rvm_error *err)
{
    candidates c = { .id = NULL };
    g->complete = points_of(g) >= most_points(g);
    if (g->complete)
        return take_points(g, err);
    rvm_status status = sample_candidates(&c, g, err);
    if (status == RVM_OK && points_of(g) == 0) /* to begin with */
        g->id[g->count++] = c.id[0];
    if (status == RVM_OK)
        status = take_points(g, err);
    if (status == RVM_OK)
        status = weigh_candidates(&c, g, err);
    if (status == RVM_OK)
        status = choose(&c, g, batch(g), err);
    if (status == RVM_OK)
        status = take_points(g, err);
    candidates_free(&c);
    return status;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* What a sample has said of the kernel is held, and the rest learned of many more: of normal noise,
 * whose variance is a sum over them (Friedman 1, 5000 rows: density 1.51 after a sample of 8 rows a
 * point, 1.55 without). */
static rvm_status look_at_more(rvm_inducing *g, rvm_error *err)
{
    const rvm_process_state from = g->type->state(g->climb);
    g->sample_climb = g->climb; /* the kernel is its */
    g->climb = NULL;
    forget_rows(g);
    rvm_status status = choose_rows(g, FOR_ALL, err);
    if (status != RVM_OK)
        return status;
    const rvm_process_job job = { g->y,       g->rows,        g->row,     g->T,         g->terms,
                                  g->latents, from.precision, from.noise, &g->settings, &from };
    status = g->type->alloc(&g->climb, &job, err);
    g->resting = false;
    return status == RVM_OK ? g->type->place(g->climb, g->points, err) : status;
}

static bool is_sample(const rvm_inducing *g)
{
    return !g->type->in_batches && g->sample_climb == NULL &&
           g->rows->rows < rvm_problem_all(g->y->p);
}

rvm_status rvm_inducing_step(bool *done, rvm_inducing *g, rvm_error *err)
{
    rvm_status status = RVM_OK;
    *done = false;
    if (!g->complete)
        return add_points(g, err);
    if (g->steps == 0)
        status = g->type->place(g->climb, g->points, err);
    if (status == RVM_OK && !g->resting)
        status = g->type->step(&g->resting, g->climb, err);
    g->steps++;
    if (status == RVM_OK && g->resting && is_sample(g))
        status = look_at_more(g, err);
    *done = g->resting;
    return status;
}

void rvm_inducing_report(rvm_report *r, const rvm_inducing *g)
{
    const double steps = g->steps;
    r->rows = g->rows->rows;
    r->functions = g->count;
    r->credit = 0; /* there is one way on from here */
    if (g->steps > 0 && isfinite(g->type->state(g->climb).log_evidence))
        r->log_evidence = g->type->state(g->climb).log_evidence;
    r->converged = g->resting;
    r->progress = g->resting ? 1 : steps / (steps + 10);
}

bool rvm_inducing_is_placed(const rvm_inducing *g)
{
    return g->steps > 0;
}

rvm_induced rvm_inducing_result(const rvm_inducing *g)
{
    const rvm_process_state s = g->type->state(g->climb);
    memcpy(g->sorted, g->id, g->count * sizeof *g->id);
    const size_t different = rvm_sort_unique_numbers(g->sorted, g->count);
    assert(different == g->count);
    (void)different;
    return (
        rvm_induced){ g->sorted, g->count, g->terms, *s.kernel, s.precision, s.variance, s.noise };
}
