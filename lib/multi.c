/* Level 4: more than two classes. */
#include "multi.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "classes.h"
#include "error.h"
#include "gram_search.h"
#include "offers.h"
#include "parallel.h"

enum {
    FIRST_SWEEPS = 10,
    SWEEPS = 5,
    CHUNK = 100, /* candidates let in by a step, the best of a sample */
    MOST_PASSES = 30,
    SEVERAL_STARTS = 2500, /* candidates up to which there are several */
    USUAL_STARTS = 8,
    WIDE_START = 1,       /* number of the start with a wide prior, */
    WIDE_PRIOR = 18,      /* what it takes off ln alpha at first (observe.h):
                             wine, of three classes, is lost with RVM_WIDE_PRIOR */
    SETTLING_PASSES = 60, /* over the classes, to the joint mode; */
    MANY_ROWS_PASSES = 5  /* with many rows, where an interrupt waits for them */
};

/* A step goes on to other candidates long before it is at an optimum. */
static const rvm_climb_settings quick = { .max_moves = 1, .iterations = 4, .newton = 0.1 };
static const rvm_climb_settings last = { .max_moves = 20, .iterations = 20, .newton = 1e-3 };

/* A pass over the classes that gains less than this many nats, or this share of a nat for each row,
 * or this share of what the passes of its start but the first have gained, ends the start. */
static const double poor_pass = 0.5, poor_share = 5e-4, poor_part = 0.01;

/* Share of the functions that a start removes from the best solution. */
static const double kicked_share = 0.25;

/* Change of the log evidence by a pass over the classes, for each row, at which they are near
 * enough to their joint mode to compare solutions, and of many rows to be a model; and where few
 * rows make passes cheap, that change and what a step towards the mode must promise. */
static const double near_mode = 1e-5, at_mode = 1e-11, promise_at_mode = 1e-16;

/* What there is to keep of a class; function i is candidate id[i]. */
typedef struct {
    rvm_point point;
    size_t *id;   /* owned, K of point */
    double *norm; /* owned, likewise */
    size_t id_capacity, norm_capacity;
    double penalty; /* 1/2 u'u + 1/2 ln|H|, less the log prior of the precisions */
} solution;

typedef enum { FIRST, ROUNDS, POLISH } stage;

struct rvm_multi {
    rvm_study *y; /* borrowed */
    size_t count; /* of the classes */
    double tolerance;
    int threads;
    rvm_classes classes;
    rvm_gram_search gram;
    solution *now, *best; /* owned, count: best has no functions before the end of a start */
    double top;           /* log evidence of best */
    rvm_pool pool;
    int start, starts;
    stage stage;
    int pass;       /* of this start */
    size_t next;    /* class of the next step */
    double gained;  /* in this pass */
    double so_far;  /* in this start, but for the first pass */
    bool arrived;   /* this start has come to its end, not to MOST_PASSES; */
    bool converged; /* that of best had */
};

/* ---- Life ----------------------------------------------------------------------------------- */

static int choose_starts(const rvm_study *y, const rvm_settings *s)
{
    if (y->basis.count > SEVERAL_STARTS)
        return 1;
    return s->restarts > 0 ? s->restarts : USUAL_STARTS;
}

static rvm_status alloc_parts(rvm_multi *m, const size_t *class_of_row, const rvm_settings *s,
                              rvm_error *err)
{
    const size_t M = m->y->basis.count, N = m->y->observed.N;
    /* A quarter for columns that are kept; what belongs to each row and candidate comes first. */
    const double numbers = s->budget_mb * 1048576 / 8 - (16 + (double)m->count) * (double)N;
    const size_t capacity = rvm_gram_search_capacity(m->y, 0.75 * numbers);
    if (capacity == 0)
        return rvm_fail(err, RVM_ENOMEM, "-m %g is too small for %zu rows of %zu classes",
                        s->budget_mb, N, m->count);
    m->now = rvm_array(m->count, sizeof *m->now);
    m->best = rvm_array(m->count, sizeof *m->best);
    if (m->now == NULL || m->best == NULL)
        return rvm_fail_memory(err, "the classes");
    rvm_status status = rvm_pool_init(&m->pool, M, s->seed, err);
    if (status == RVM_OK)
        status = rvm_classes_init(&m->classes, class_of_row, m->count, N, s->multiclass, err);
    if (status == RVM_OK)
        status = rvm_gram_search_init(&m->gram, m->y, capacity, 0.25 * numbers, m->threads, err);
    return status == RVM_OK ? rvm_gram_search_take_rows(&m->gram, m->y, err) : status;
}

rvm_status rvm_multi_alloc(rvm_multi **out, rvm_study *y, const size_t *class_of_row,
                           size_t classes, const rvm_settings *s, rvm_error *err)
{
    rvm_multi *m = rvm_array(1, sizeof *m);
    if (m == NULL)
        return rvm_fail_memory(err, "the classes");
    m->y = y;
    m->count = classes;
    m->tolerance = s->tolerance;
    m->threads = rvm_threads(s->threads);
    m->starts = choose_starts(y, s);
    m->top = -INFINITY;
    const rvm_status status = alloc_parts(m, class_of_row, s, err);
    if (status != RVM_OK) {
        rvm_multi_free(m);
        return status;
    }
    *out = m;
    return RVM_OK;
}

static void free_solutions(solution *s, size_t count)
{
    for (size_t k = 0; s != NULL && k < count; k++) {
        rvm_point_free(&s[k].point);
        free(s[k].id);
        free(s[k].norm);
    }
    free(s);
}

void rvm_multi_free(rvm_multi *m)
{
    if (m == NULL)
        return;
    free_solutions(m->now, m->count);
    free_solutions(m->best, m->count);
    rvm_classes_free(&m->classes);
    rvm_gram_search_free(&m->gram);
    rvm_pool_free(&m->pool);
    free(m);
}

/* ---- Solutions ------------------------------------------------------------------------------ */

static double penalty(const rvm_fit *f)
{
    double sum = 0;
    for (size_t i = 0; i < f->K; i++)
        sum += 0.5 * f->u[i] * f->u[i] + log(gsl_matrix_get(f->storage, i, i));
    return sum;
}

static bool make_room(solution *s, size_t K)
{
    return rvm_grow(&s->id, &s->id_capacity, K, sizeof *s->id) &&
           rvm_grow(&s->norm, &s->norm_capacity, K, sizeof *s->norm);
}

/* The search as it stands, into class k. */
static rvm_status keep_class(rvm_multi *m, size_t k, bool arrived, rvm_error *err)
{
    const rvm_columns *c = &m->gram.columns;
    solution *s = &m->now[k];
    if (!make_room(s, c->count) ||
        !rvm_point_save(&s->point, &m->gram.search.now, m->tolerance, arrived))
        return rvm_fail_memory(err, "a solution");
    for (size_t i = 0; i < c->count; i++) { /* a loop: there may be none, and no arrays */
        s->id[i] = c->id[i];
        s->norm[i] = c->norm[i];
    }
    s->penalty = penalty(&m->gram.search.now) -
                 rvm_fit_log_prior(&m->gram.search.now, &m->y->observed, c->norm);
    rvm_classes_set(&m->classes, k, m->gram.laplace.f);
    return RVM_OK;
}

/* Class k into the search, at the mode that the other classes leave it. */
static rvm_status load_class(rvm_multi *m, size_t k, rvm_error *err)
{
    rvm_classes_select(&m->classes, &m->y->observed, k);
    return rvm_gram_search_restore(&m->gram, &m->now[k].point, m->now[k].id, err);
}

static void swap_solutions(rvm_multi *m)
{
    solution *s = m->now;
    m->now = m->best;
    m->best = s;
}

/* Class k of the best solution, each function with probability `share`. */
static rvm_status copy_best(rvm_multi *m, size_t k, double share, rvm_error *err)
{
    const solution *from = &m->best[k];
    solution *s = &m->now[k];
    rvm_fit *f = &m->gram.search.now;
    if (!make_room(s, from->point.K))
        return rvm_fail_memory(err, "a solution");
    f->K = 0;
    f->ln_beta = 0;
    for (size_t i = 0; i < from->point.K; i++) {
        if (share < 1 && gsl_rng_uniform(m->pool.rng) >= share)
            continue;
        s->id[f->K] = from->id[i];
        s->norm[f->K] = from->norm[i];
        rvm_fit_add(f, f->K, from->point.ln_alpha[i]);
        f->u[f->K - 1] = from->point.u[i];
    }
    return rvm_point_save(&s->point, f, m->tolerance, from->point.converged)
               ? RVM_OK
               : rvm_fail_memory(err, "a solution");
}

double rvm_multi_log_likelihood(const rvm_multi *m)
{
    return rvm_classes_log_likelihood(&m->classes, &m->y->observed);
}

/* Of the solution in hand. */
static double log_evidence(const rvm_multi *m)
{
    double sum = rvm_multi_log_likelihood(m);
    for (size_t k = 0; k < m->count; k++)
        sum -= m->now[k].penalty;
    return sum;
}

double rvm_multi_log_evidence(const rvm_multi *m)
{
    return m->start > 0 ? m->top : log_evidence(m);
}

/* To the joint mode, until one of `most` passes changes the log evidence by less than
 * `change` for each row. */
static rvm_status settle(rvm_multi *m, double change, int most, rvm_error *err)
{
    const double least = change * (double)m->y->observed.N;
    rvm_status status = RVM_OK;
    double before = -INFINITY, now = log_evidence(m);
    for (int pass = 0; pass < most && status == RVM_OK && fabs(now - before) > least; pass++) {
        for (size_t k = 0; k < m->count && status == RVM_OK; k++) {
            status = load_class(m, k, err);
            if (status == RVM_OK)
                status = keep_class(m, k, m->now[k].point.converged, err);
        }
        before = now;
        now = log_evidence(m);
    }
    return status;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static rvm_status run(rvm_multi *m, int sweeps, const rvm_climb_settings *how, rvm_error *err)
{
    rvm_climb_settings climb = *how;
    climb.tolerance = m->tolerance;
    return rvm_gram_search_run(&m->gram, sweeps, &climb, err);
}

/* The bias, if there is one, and a random chunk. */
static rvm_status take_first_chunk(rvm_multi *m, rvm_error *err)
{
    const double widen = m->start == WIDE_START ? WIDE_PRIOR : 0;
    const size_t count = rvm_pool_first(&m->pool, m->y, &m->gram.columns, RVM_POOL_FIRST, widen);
    const rvm_status status =
        rvm_gram_search_add(&m->gram, m->pool.order, m->pool.ln_alpha, count, err);
    return status == RVM_OK ? run(m, FIRST_SWEEPS, &quick, err) : status;
}

/* The best of a sample of candidates. */
static rvm_status let_in(rvm_multi *m, rvm_error *err)
{
    const rvm_columns *c = &m->gram.columns;
    rvm_posterior_at at;
    size_t count = 0;
    rvm_status status = rvm_gram_search_posterior(&at, &m->gram, err);
    if (status == RVM_OK)
        status = rvm_pool_sample(&m->pool, &count, &at, m->tolerance, err);
    if (status != RVM_OK)
        return status;
    count = count < CHUNK ? count : CHUNK;
    count = count < c->capacity - c->count ? count : c->capacity - c->count;
    rvm_pool_choose(&m->pool, count);
    return rvm_gram_search_add(&m->gram, m->pool.order, m->pool.ln_alpha, count, err);
}

/* Log evidence less the margin for each function. */
static double worth(const rvm_fit *f, const rvm_study *y)
{
    return f->log_evidence - (double)f->K * y->observed.prune_margin;
}

/* From the class that is loaded; what does not gain is taken back. */
static rvm_status search_class(rvm_multi *m, size_t k, rvm_error *err)
{
    const double before = worth(&m->gram.search.now, m->y);
    rvm_status status = RVM_OK;
    if (m->stage == FIRST) {
        status = take_first_chunk(m, err);
    } else if (m->stage == ROUNDS) {
        status = let_in(m, err);
        if (status == RVM_OK)
            status = run(m, SWEEPS, &quick, err);
    } else {
        status = run(m, 0, &last, err);
    }
    const double gain = worth(&m->gram.search.now, m->y) - before;
    if (status == RVM_OK && gain > 0) {
        m->gained += gain;
        return RVM_OK;
    }
    if (status != RVM_OK && status != RVM_ENUMERIC)
        return status;
    return load_class(m, k, err);
}

static size_t functions_of(const solution *s, size_t classes)
{
    size_t sum = 0;
    for (size_t k = 0; k < classes; k++)
        sum += s[k].point.K;
    return sum;
}

/* A solution is found: it is the best, or is dropped. */
static rvm_status end_start(bool *done, rvm_multi *m, rvm_error *err)
{
    rvm_status status = RVM_OK;
    if (m->starts > 1)
        status = settle(m, near_mode, SETTLING_PASSES, err);
    if (status != RVM_OK)
        return status;
    const double found = log_evidence(m), margin = m->y->observed.prune_margin;
    const double more =
        (double)functions_of(m->now, m->count) - (double)functions_of(m->best, m->count);
    if (found - margin * more > m->top) {
        swap_solutions(m);
        m->top = found;
        m->converged = m->arrived;
    }
    m->start++;
    *done = m->start >= m->starts;
    m->pass = 0;
    m->so_far = 0;
    m->stage = m->start == WIDE_START ? FIRST : ROUNDS;
    for (size_t k = 0; k < m->count && status == RVM_OK; k++)
        status = copy_best(m, k, m->stage == FIRST ? 0 : 1 - kicked_share, err);
    if (m->stage == FIRST)
        gsl_matrix_set_zero(m->classes.F);
    return status;
}

static rvm_status end_pass(bool *done, rvm_multi *m, rvm_error *err)
{
    const double rows = (double)m->y->observed.N;
    const double poor = fmax(fmax(poor_pass, poor_share * rows), poor_part * m->so_far);
    const bool is_poor = m->pass > 0 && m->gained < poor;
    if (m->pass > 0)
        m->so_far += m->gained;
    m->pass++;
    m->next = 0;
    m->gained = 0;
    if (m->stage == POLISH)
        return end_start(done, m, err);
    m->stage = is_poor || m->pass >= MOST_PASSES ? POLISH : ROUNDS;
    m->arrived = is_poor;
    return RVM_OK;
}

rvm_status rvm_multi_step(bool *done, rvm_multi *m, rvm_error *err)
{
    const size_t k = m->next;
    rvm_status status = load_class(m, k, err);
    *done = false;
    if (status == RVM_OK)
        status = search_class(m, k, err);
    if (status == RVM_OK)
        status = keep_class(m, k, m->stage == POLISH, err);
    if (status != RVM_OK || ++m->next < m->count)
        return status;
    return end_pass(done, m, err);
}

rvm_status rvm_multi_settle(rvm_multi *m, rvm_error *err)
{
    const double searching = m->gram.laplace.negligible, rows = (double)m->y->observed.N;
    const bool few = m->y->basis.count <= SEVERAL_STARTS;
    rvm_status status = RVM_OK;
    for (size_t k = 0; k < m->count && status == RVM_OK && m->start > 0; k++)
        status = copy_best(m, k, 1, err);
    if (few)
        m->gram.laplace.negligible = promise_at_mode * rows;
    if (status == RVM_OK)
        status = few ? settle(m, at_mode, SETTLING_PASSES, err)
                     : settle(m, near_mode, MANY_ROWS_PASSES, err);
    m->gram.laplace.negligible = searching;
    return status;
}

/* ---- What others see ------------------------------------------------------------------------ */

void rvm_multi_progress(int *start, int *starts, const rvm_multi *m)
{
    *start = m->start < m->starts ? m->start + 1 : m->starts;
    *starts = m->starts;
}

size_t rvm_multi_functions(const rvm_multi *m)
{
    return functions_of(m->start > 0 ? m->best : m->now, m->count);
}

const rvm_point *rvm_multi_select(rvm_columns *columns, rvm_multi *m, size_t k)
{
    const solution *s = &m->now[k];
    rvm_classes_select(&m->classes, &m->y->observed, k);
    *columns = (rvm_columns){ .count = s->point.K,
                              .capacity = s->point.K,
                              .id = s->id,
                              .norm = s->norm,
                              .threads = m->threads };
    return &s->point;
}

double *rvm_multi_activation(rvm_multi *m, size_t k)
{
    return gsl_matrix_ptr(m->classes.F, k, 0);
}

void rvm_multi_shift_back(rvm_multi *m, size_t k)
{
    rvm_classes_set(&m->classes, k, gsl_matrix_const_ptr(m->classes.F, k, 0));
}

bool rvm_multi_converged(const rvm_multi *m)
{
    return m->converged;
}
