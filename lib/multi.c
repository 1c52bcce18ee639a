/* Level 4: more than two classes, one softmax model. */
#include "multi.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "error.h"
#include "parallel.h"

enum {
    MOST_CANDIDATES = 4000, /* whose columns are kept: scoring reads them all after each move */
    MOST_FUNCTIONS = 1000,  /* of one class */
    LEAST_ROOM = 16,
    MOST_ROUNDS = 30,
    MAX_MOVES = 60,
    ITERATIONS = 10,  /* of Newton's method after each; the next round goes on */
    MOST_PASSES = 100 /* over the classes, to the joint mode */
};

/* A round over all classes that gains less than this many nats is the last, */
static const double poor_round = 0.1;
/* or this share of a nat for each row. */
static const double poor_share = 1e-5;

/* Change of the log evidence by a pass over the classes at which they are at their joint mode. */
static const double at_mode = 1e-9;

struct rvm_multi {
    rvm_study *y;               /* borrowed */
    const size_t *class_of_row; /* borrowed */
    size_t classes;
    double tolerance;
    rvm_design design;
    rvm_search search;
    rvm_statistics statistics;
    rvm_point *point;    /* owned, classes */
    double *log_det;     /* owned, classes: ln|H| */
    double *half_square; /* owned, classes: 1/2 u'u */
    gsl_matrix *F;       /* owned, classes x N: activations */
    double *offset;      /* owned, N */
    size_t next;         /* class of the next step */
    int round;
    double before; /* log evidence at the start of the round */
    bool converged;
};

/* ---- Life ----------------------------------------------------------------------------------- */

/* The bias and, where not all candidates fit, a random sample of the others, ascending. */
static size_t choose_candidates(size_t *id, const rvm_basis *b, size_t room, unsigned long seed)
{
    const size_t fixed = b->bias ? 1 : 0;
    size_t count = 0;
    for (size_t m = 0; m < b->count; m++)
        id[m] = m;
    if (b->count <= room)
        return b->count;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (rng == NULL)
        return 0;
    gsl_rng_set(rng, seed);
    size_t *from = id + fixed;
    const size_t wanted = room - fixed, others = b->count - fixed;
    for (size_t m = 0; m < others && count < wanted; m++) /* selection sampling */
        if ((double)(others - m) * gsl_rng_uniform(rng) < (double)(wanted - count))
            from[count++] = from[m];
    gsl_rng_free(rng);
    return fixed + count;
}

/* Columns that fit into the budget beside the scratch of the search. */
static size_t room_for_columns(const rvm_study *y, const rvm_settings *s, size_t functions)
{
    const double N = (double)y->observed.N, K = (double)functions;
    const double columns = s->budget_mb * 1048576 / 8 - K * (2 * N + 6 * K);
    const double room = columns / (N + 2 * K);
    return room < LEAST_ROOM ? 0 : room < MOST_CANDIDATES ? (size_t)room : MOST_CANDIDATES;
}

static rvm_status fill_design(rvm_multi *m, const rvm_settings *s, size_t room, rvm_error *err)
{
    const rvm_basis *b = &m->y->basis;
    size_t *id = rvm_array(b->count, sizeof *id);
    if (id == NULL)
        return rvm_fail_memory(err, "the candidates");
    const size_t count = choose_candidates(id, b, room, s->seed);
    if (count == 0 && b->count > 0) {
        free(id);
        return rvm_fail_memory(err, "the candidates");
    }
    const size_t capacity = count > 0 ? count : 1;
    rvm_status status = rvm_design_init(&m->design, b->N, capacity, m->y->observed.t, false, err);
    if (status == RVM_OK)
        status = rvm_design_append(&m->design, b, id, count, rvm_threads(s->threads), err);
    free(id);
    return status;
}

static rvm_status alloc_parts(rvm_multi *m, const rvm_settings *s, rvm_error *err)
{
    const size_t N = m->y->observed.N, M = m->y->basis.count;
    size_t functions = M < MOST_FUNCTIONS ? M : MOST_FUNCTIONS;
    while (functions > LEAST_ROOM && room_for_columns(m->y, s, functions) < 4 * functions)
        functions /= 2;
    const size_t room = room_for_columns(m->y, s, functions);
    if (room == 0 && M > 0)
        return rvm_fail(err, RVM_ENOMEM, "-m %g is too small for %zu rows", s->budget_mb, N);
    m->point = rvm_array(m->classes, sizeof *m->point);
    m->log_det = rvm_array(m->classes, sizeof *m->log_det);
    m->half_square = rvm_array(m->classes, sizeof *m->half_square);
    m->offset = rvm_array(N, sizeof *m->offset);
    m->F = gsl_matrix_calloc(m->classes, N);
    if (m->point == NULL || m->log_det == NULL || m->half_square == NULL || m->offset == NULL ||
        m->F == NULL)
        return rvm_fail_memory(err, "the classes");
    rvm_status status = fill_design(m, s, room, err);
    const size_t columns = m->design.count > 0 ? m->design.count : 1;
    if (functions > columns)
        functions = columns;
    if (status == RVM_OK)
        status = rvm_search_init(&m->search, &m->y->observed, &m->design, functions,
                                 rvm_threads(s->threads), err);
    if (status == RVM_OK)
        status = rvm_statistics_init(&m->statistics, columns, functions, err);
    return status;
}

rvm_status rvm_multi_alloc(rvm_multi **out, rvm_study *y, const size_t *class_of_row,
                           size_t classes, const rvm_settings *s, rvm_error *err)
{
    rvm_multi *m = rvm_array(1, sizeof *m);
    if (m == NULL)
        return rvm_fail_memory(err, "the classes");
    m->y = y;
    m->class_of_row = class_of_row;
    m->classes = classes;
    m->tolerance = s->tolerance;
    m->before = -INFINITY;
    const rvm_status status = alloc_parts(m, s, err);
    if (status != RVM_OK) {
        rvm_multi_free(m);
        return status;
    }
    *out = m;
    return RVM_OK;
}

void rvm_multi_free(rvm_multi *m)
{
    if (m == NULL)
        return;
    for (size_t k = 0; m->point != NULL && k < m->classes; k++)
        rvm_point_free(&m->point[k]);
    free(m->point);
    free(m->log_det);
    free(m->half_square);
    free(m->offset);
    gsl_matrix_free(m->F);
    rvm_design_free(&m->design);
    rvm_search_free(&m->search);
    rvm_statistics_free(&m->statistics);
    free(m);
}

/* ---- Activations ---------------------------------------------------------------------------- */

/* ln sum_j exp f_j of row n over all classes but `without` (classes: none is left out). */
static double log_sum(const rvm_multi *m, size_t n, size_t without)
{
    size_t top = m->classes;
    double others = 0;
    for (size_t j = 0; j < m->classes; j++)
        if (j != without &&
            (top == m->classes || gsl_matrix_get(m->F, j, n) > gsl_matrix_get(m->F, top, n)))
            top = j;
    const double largest = gsl_matrix_get(m->F, top, n);
    for (size_t j = 0; j < m->classes; j++)
        if (j != without && j != top)
            others += exp(gsl_matrix_get(m->F, j, n) - largest);
    return largest + log1p(others);
}

const rvm_point *rvm_multi_select(rvm_multi *m, size_t k)
{
    rvm_observed *o = &m->y->observed;
    for (size_t n = 0; n < o->N; n++) {
        o->t[n] = m->class_of_row[n] == k;
        m->offset[n] = -log_sum(m, n, k);
    }
    o->offset = m->offset;
    return &m->point[k];
}

static void activate(rvm_multi *m, size_t k)
{
    const rvm_fit *f = &m->search.now;
    gsl_vector_view row = gsl_matrix_row(m->F, k);
    gsl_vector_set_zero(&row.vector);
    for (size_t i = 0; i < f->K; i++) {
        gsl_vector_const_view column = gsl_matrix_const_row(m->design.PhiT, f->column[i]);
        gsl_blas_daxpy(exp(-0.5 * f->ln_alpha[i]) * f->u[i], &column.vector, &row.vector);
    }
}

double *rvm_multi_activation(rvm_multi *m, size_t k)
{
    return gsl_matrix_ptr(m->F, k, 0);
}

void rvm_multi_shift_back(rvm_multi *m, size_t k)
{
    double *f = gsl_matrix_ptr(m->F, k, 0);
    for (size_t n = 0; n < m->y->observed.N; n++)
        f[n] -= m->offset[n];
}

double rvm_multi_log_likelihood(const rvm_multi *m)
{
    const rvm_observed *o = &m->y->observed;
    double sum = 0;
    for (size_t n = 0; n < o->N; n++) {
        const double weight = o->row_weight == NULL ? 1 : o->row_weight[n];
        sum += weight * (gsl_matrix_get(m->F, m->class_of_row[n], n) - log_sum(m, n, m->classes));
    }
    return sum;
}

double rvm_multi_log_evidence(const rvm_multi *m)
{
    double sum = rvm_multi_log_likelihood(m);
    for (size_t k = 0; k < m->classes; k++)
        sum -= m->half_square[k] + 0.5 * m->log_det[k];
    return sum;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* The posterior of class k, given all others, at the precisions that are there. */
static rvm_status locate_class(rvm_multi *m, size_t k, rvm_error *err)
{
    rvm_multi_select(m, k);
    rvm_point_load(&m->search.now, &m->point[k]); /* nothing at first */
    m->search.now.ln_beta = 0;
    return rvm_search_locate(&m->search, err);
}

static rvm_status keep_class(rvm_multi *m, size_t k, bool arrived, rvm_error *err)
{
    const rvm_search *s = &m->search;
    m->half_square[k] = m->log_det[k] = 0;
    for (size_t i = 0; i < s->now.K; i++) {
        m->half_square[k] += 0.5 * s->now.u[i] * s->now.u[i];
        m->log_det[k] += 2 * log(gsl_matrix_get(s->now.storage, i, i));
    }
    activate(m, k);
    return rvm_point_save(&m->point[k], &s->now, m->tolerance, arrived)
               ? RVM_OK
               : rvm_fail_memory(err, "a solution");
}

static rvm_status update_class(rvm_multi *m, size_t k, rvm_error *err)
{
    const rvm_climb_settings climb = { m->tolerance, MAX_MOVES, ITERATIONS, rvm_climb_exact };
    bool arrived = false;
    rvm_status status = locate_class(m, k, err);
    if (status == RVM_OK)
        status = rvm_climb(&m->search, &m->statistics, &climb, &arrived, err);
    return status == RVM_OK ? keep_class(m, k, arrived, err) : status;
}

rvm_status rvm_multi_settle(rvm_multi *m, rvm_error *err)
{
    rvm_status status = RVM_OK;
    double before = -INFINITY, now = rvm_multi_log_evidence(m);
    for (int k = 0; k < MOST_PASSES && status == RVM_OK && fabs(now - before) > at_mode; k++) {
        for (size_t j = 0; j < m->classes && status == RVM_OK; j++) {
            status = locate_class(m, j, err);
            if (status == RVM_OK)
                status = keep_class(m, j, m->point[j].converged, err);
        }
        before = now;
        now = rvm_multi_log_evidence(m);
    }
    return status;
}

rvm_status rvm_multi_step(bool *done, rvm_multi *m, rvm_error *err)
{
    const rvm_status status = update_class(m, m->next, err);
    *done = false;
    if (status != RVM_OK || ++m->next < m->classes)
        return status;
    m->next = 0;
    m->round++;
    const double now = rvm_multi_log_evidence(m);
    const double poor = fmax(poor_round, poor_share * (double)m->y->observed.N);
    m->converged = now - m->before < poor;
    *done = m->converged || m->round >= MOST_ROUNDS;
    m->before = now;
    return RVM_OK;
}

size_t rvm_multi_functions(const rvm_multi *m)
{
    size_t sum = 0;
    for (size_t k = 0; k < m->classes; k++)
        sum += m->point[k].K;
    return sum;
}

const rvm_design *rvm_multi_design(const rvm_multi *m)
{
    return &m->design;
}

bool rvm_multi_converged(const rvm_multi *m)
{
    return m->converged;
}
