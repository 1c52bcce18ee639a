/* More than two classes. */
#include "search/multi.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "inference/classes.h"
#include "search/class_rows.h"
#include "search/rounds.h"

enum {
    CHUNK = 100, /* candidates let in by a step, the best of a sample */
    MOST_PASSES = 30,
    SEVERAL_STARTS = 2500, /* candidates up to which there are several */
    USUAL_STARTS = 8,
    WIDE_START = 1,       /* number of the start with a wide prior, which is never left out, */
    WIDE_PRIOR = 18,      /* what it takes off ln alpha at first (study.h):
                             wine, of three classes, is lost with RVM_WIDE_PRIOR */
    SETTLING_PASSES = 60, /* over the classes, to the joint mode; */
    MANY_ROWS_PASSES = 5, /* with many rows */
    USUAL_CLASSES = 26,   /* with more than that samples for each of them are smaller, */
    LEAST_SAMPLE = 100,   /* down to this size */
    LEAST_FIRST = 20,     /* candidates in the first chunk of a class, so many more for */
    FIRST_OF_A_ROW = 10,  /* each of its rows, */
    MOST_FIRST = 300      /* and so many at the most */
};

/* A pass over the classes that gains less than this share of what the passes of its start but the
 * first have gained ends the start. */
static const double poor_part = 0.01;

/* Share of the functions that a start removes from the best solution. */
static const double kicked_share = 0.25;

/* Change of the log evidence by a pass over the classes, for each row, at which they are near
 * enough to their joint mode to compare solutions, and of many rows to be a model; and where few
 * rows make passes cheap, that change and what a step towards the mode must promise. */
static const double near_mode = 1e-5, at_mode = 1e-12, promise_at_mode = 1e-19;

/* Candidates times classes: with more there are fewer starts and passes. */
static const double usual_work = 2e4;

/* Of a start: a first pass, passes that let functions in, a pass to the optimum, passes to the
 * joint mode. At the very end passes to the joint mode of the best solution. */
typedef enum { FIRST, ROUNDS, POLISH, SETTLE, LAST } stage;

typedef struct {
    rvm_study view; /* of the study, which observes the class in hand */
    double *t;      /* owned, N: its targets */
    size_t count;   /* of the classes */
    int threads;
    rvm_classes classes;
    rvm_rounds rounds;      /* passes over the classes that let functions in, of this start */
    rvm_solution now, best; /* best has no functions before the end of a start */
    int start, starts;
    rvm_class_rows of_class;
    stage stage;
    int pass;      /* of this way to a mode */
    double before; /* SETTLE, LAST: log evidence before this pass */
    size_t next;   /* class of the next step */
    double gained; /* in this pass */
    bool arrived;  /* this start has come to its end, not to MOST_PASSES */
} multi;

/* ---- Life ----------------------------------------------------------------------------------- */

/* `usual` where classes and candidates are no more than usual, and the fewer the more there are, at
 * least `least`: so that the work grows with the classes and no faster. */
static int bound_work(const multi *m, int usual, int least)
{
    const double work = (double)m->view.basis.count * (double)m->count;
    const double share = fmin(usual_work / work, 1);
    return (int)fmax(usual * share, least);
}

static int choose_starts(const multi *m, const rvm_settings *s)
{
    if (m->view.basis.count > SEVERAL_STARTS)
        return 1;
    return s->restarts > 0 ? s->restarts : bound_work(m, USUAL_STARTS, WIDE_START + 1);
}

/* Candidates that a class is offered in a round. */
static size_t sample_size(const multi *m)
{
    const size_t share = (size_t)RVM_ROUNDS_SAMPLE * USUAL_CLASSES / m->count;
    return GSL_MIN(RVM_ROUNDS_SAMPLE, GSL_MAX(share, LEAST_SAMPLE));
}

/* There are so many classes that it is small. */
static bool wants_own(const multi *m)
{
    return m->count > USUAL_CLASSES && sample_size(m) < m->view.basis.count;
}

static rvm_status alloc_parts(multi *m, const rvm_settings *s, rvm_error *err)
{
    const size_t N = m->view.observed.N;
    m->view.observed.t = m->t = rvm_array(N, sizeof *m->t);
    if (m->t == NULL)
        return rvm_fail_memory(err, "the classes");
    rvm_status status = rvm_solution_init(&m->now, m->count, false, err);
    if (status == RVM_OK)
        status = rvm_solution_init(&m->best, m->count, false, err);
    m->best.in_common = -INFINITY; /* any solution is better */
    if (status == RVM_OK)
        status =
            rvm_class_rows_find(&m->of_class, &m->view, wants_own(m) ? sample_size(m) : 0, err);
    if (status == RVM_OK)
        status =
            rvm_classes_init(&m->classes, m->view.class_of_row, m->count, N, s->multiclass, err);
    if (status == RVM_OK)
        status = rvm_rounds_init(&m->rounds, &m->view, 16 + (double)m->count, s, err);
    if (status == RVM_OK)
        rvm_gram_search_heed(&m->rounds.gram, m->view.observed.interrupted);
    return status == RVM_OK ? rvm_gram_search_take_rows(&m->rounds.gram, &m->view, err) : status;
}

static void multi_free(void *search)
{
    multi *m = search;
    rvm_solution_free(&m->now);
    rvm_solution_free(&m->best);
    rvm_classes_free(&m->classes);
    rvm_rounds_free(&m->rounds);
    free(m->t);
    rvm_class_rows_free(&m->of_class);
}

static rvm_status multi_init(void *search, const rvm_study *y, const rvm_settings *s,
                             rvm_error *err)
{
    multi *m = search;
    m->view = *y;
    m->count = y->classes;
    m->threads = rvm_threads(s->threads);
    m->starts = choose_starts(m, s);
    return alloc_parts(m, s, err);
}

/* ---- Solutions ------------------------------------------------------------------------------ */

/* 1/2 u'u + 1/2 ln|H|. */
static double penalty(const rvm_fit *f)
{
    double sum = 0;
    for (size_t i = 0; i < f->K; i++)
        sum += 0.5 * f->u[i] * f->u[i] + log(gsl_matrix_get(f->storage, i, i));
    return sum;
}

/* The search as it stands, into class k. */
static rvm_status keep_class(multi *m, size_t k, rvm_error *err)
{
    const rvm_fit *f = m->rounds.gram.search.now;
    const rvm_status status = rvm_gram_search_save(&m->now, k, &m->rounds.gram, err);
    if (status != RVM_OK)
        return status;
    m->now.latent[k].log_evidence =
        rvm_fit_log_prior(f, &m->view.observed, m->rounds.gram.columns.norm) - penalty(f);
    rvm_classes_set(&m->classes, k, m->rounds.gram.laplace.f);
    return RVM_OK;
}

/* Class k into the search, at the mode that the other classes leave it. */
static rvm_status load_class(multi *m, size_t k, rvm_error *err)
{
    rvm_classes_select(&m->classes, &m->view.observed, k);
    return rvm_gram_search_restore(&m->rounds.gram, &m->now.latent[k], err);
}

/* Class k of the best solution, each function with probability `share`. */
static rvm_status copy_best(multi *m, size_t k, double share, rvm_error *err)
{
    const rvm_solved *from = &m->best.latent[k];
    rvm_fit *f = m->rounds.gram.search.now;
    f->K = 0;
    f->ln_beta = 0;
    for (size_t i = 0; i < from->K; i++) {
        if (share < 1 && gsl_rng_uniform(m->rounds.rng) >= share)
            continue;
        rvm_fit_add(f, i, from->ln_alpha[i]);
        f->u[f->K - 1] = from->u[i];
    }
    return rvm_solution_save(&m->now, k, f, from->id, from->norm, err);
}

/* Of the solution in hand. */
static double log_evidence(const multi *m)
{
    double sum = rvm_classes_log_likelihood(&m->classes, &m->view.observed);
    for (size_t k = 0; k < m->count; k++)
        sum += m->now.latent[k].log_evidence;
    return sum;
}

static bool has_few_rows(const multi *m)
{
    return m->view.basis.count <= SEVERAL_STARTS;
}

/* Class k to its mode, given the others. */
static rvm_status settle_class(multi *m, size_t k, rvm_error *err)
{
    const rvm_status status = load_class(m, k, err);
    return status == RVM_OK ? keep_class(m, k, err) : status;
}

/* Whether the passes to the joint mode have come to their end, of which `pass` are done. */
static bool has_settled(multi *m, int pass, double change, int most)
{
    const double now = log_evidence(m), before = m->before;
    m->before = now;
    rvm_classes_refresh(&m->classes);
    return pass >= most || fabs(now - before) <= change * (double)m->view.observed.spans.N;
}

/* How near to the mode the model is to be, and in how many passes. */
static double change_at_mode(const multi *m)
{
    return has_few_rows(m) ? at_mode : near_mode;
}

static int passes_to_mode(const multi *m)
{
    return has_few_rows(m) ? bound_work(m, SETTLING_PASSES, MANY_ROWS_PASSES) : MANY_ROWS_PASSES;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* The bias, if there is one, and a random chunk. */
static rvm_status take_first_chunk(multi *m, size_t k, rvm_error *err)
{
    const double widen = m->start == WIDE_START ? WIDE_PRIOR : 0;
    const size_t wanted = LEAST_FIRST + FIRST_OF_A_ROW * m->of_class.rows[k];
    const size_t most = wanted < MOST_FIRST ? wanted : MOST_FIRST;
    return rvm_rounds_first(&m->rounds, most, widen, err);
}

/* What class k may choose from: a sample of all candidates, and where there are so many classes that
 * it is small, candidates that sit on rows of the class. */
static rvm_status find_candidates(multi *m, size_t *found, size_t k, rvm_error *err)
{
    const rvm_class_rows *c = &m->of_class;
    return rvm_rounds_sample(found, &m->rounds, sample_size(m), c->own + k * c->most, c->owns[k],
                             err);
}

/* The best of these come in, and the search goes on. */
static rvm_status let_in(multi *m, size_t k, rvm_error *err)
{
    const rvm_columns *c = &m->rounds.gram.columns;
    size_t count = 0;
    const rvm_status status = find_candidates(m, &count, k, err);
    if (status != RVM_OK)
        return status;
    count = count < CHUNK ? count : CHUNK;
    count = count < c->capacity - c->count ? count : c->capacity - c->count;
    return rvm_rounds_let_in(&m->rounds, count, err);
}

/* From the class that is loaded; what does not gain is taken back. */
static rvm_status search_class(multi *m, size_t k, rvm_error *err)
{
    const double thin = m->stage == POLISH ? m->rounds.tolerance : 0;
    const double before = rvm_rounds_score(&m->rounds, thin);
    const rvm_status status = m->stage == FIRST    ? take_first_chunk(m, k, err)
                              : m->stage == ROUNDS ? let_in(m, k, err)
                                                   : rvm_rounds_settle(&m->rounds, thin, err);
    const double gain = rvm_rounds_score(&m->rounds, thin) - before;
    if (status == RVM_OK && gain > 0) {
        m->gained += gain;
        return RVM_OK;
    }
    if (status != RVM_OK && status != RVM_ENUMERIC)
        return status;
    return load_class(m, k, err);
}

/* Passes to the joint mode, of a start (SETTLE) or of the best solution (LAST). */
static void begin_to_settle(multi *m, stage which)
{
    m->stage = which;
    m->pass = 0;
    m->before = -INFINITY;
}

/* The best solution, and from there to the joint mode. */
static rvm_status begin_last(multi *m, rvm_error *err)
{
    rvm_status status = RVM_OK;
    for (size_t k = 0; k < m->count && status == RVM_OK; k++)
        status = copy_best(m, k, 1, err);
    if (has_few_rows(m))
        m->rounds.gram.laplace.negligible = promise_at_mode * (double)m->view.observed.spans.N;
    begin_to_settle(m, LAST);
    return status;
}

/* A solution is found: it is the best, or is dropped. */
static rvm_status end_start(multi *m, rvm_error *err)
{
    const double found = log_evidence(m), margin = m->view.observed.prune_margin;
    const double more =
        (double)rvm_solution_functions(&m->now) - (double)rvm_solution_functions(&m->best);
    rvm_status status = RVM_OK;
    if (found - margin * more > rvm_solution_log_evidence(&m->best)) {
        m->now.in_common = rvm_classes_log_likelihood(&m->classes, &m->view.observed);
        m->now.converged = m->arrived;
        rvm_solution_swap(&m->now, &m->best);
    }
    if (++m->start >= m->starts)
        return begin_last(m, err);
    rvm_rounds_begin(&m->rounds);
    m->stage = m->start == WIDE_START ? FIRST : ROUNDS;
    for (size_t k = 0; k < m->count && status == RVM_OK; k++)
        status = copy_best(m, k, m->stage == FIRST ? 0 : 1 - kicked_share, err);
    if (m->stage == FIRST)
        rvm_classes_clear(&m->classes);
    return status;
}

static void end_searching_pass(multi *m)
{
    const bool is_first = m->rounds.count == 0;
    const bool is_poor =
        rvm_rounds_end(&m->rounds, m->gained, m->rounds.tolerance, poor_part) && !is_first;
    m->stage = is_poor || m->rounds.count >= MOST_PASSES ? POLISH : ROUNDS;
    m->arrived = is_poor;
    rvm_classes_refresh(&m->classes);
}

static rvm_status end_pass(bool *done, multi *m, rvm_error *err)
{
    rvm_status status = RVM_OK;
    m->next = 0;
    if (m->stage == LAST) {
        m->pass++;
        *done = has_settled(m, m->pass, change_at_mode(m), passes_to_mode(m));
    } else if (m->stage == SETTLE) {
        m->pass++;
        if (has_settled(m, m->pass, near_mode, bound_work(m, SETTLING_PASSES, MANY_ROWS_PASSES)))
            status = end_start(m, err);
    } else if (m->stage == POLISH && m->starts > 1) {
        begin_to_settle(m, SETTLE);
    } else if (m->stage == POLISH) {
        status = end_start(m, err);
    } else {
        end_searching_pass(m);
    }
    m->gained = 0;
    return status;
}

/* Activations of class k anew, from its functions and weights. w: K numbers. */
static rvm_status renew_class(multi *m, double *w, size_t k, rvm_error *err)
{
    const rvm_solved *f = &m->now.latent[k];
    rvm_columns c;
    rvm_status status = rvm_basis_bring(&m->view.basis, f->id, f->K, NULL, 0, err);
    if (status == RVM_OK)
        status = rvm_columns_init(&c, &m->view.basis, f->K > 0 ? f->K : 1, 0, m->threads, err);
    if (status != RVM_OK)
        return status;
    for (c.count = 0; c.count < f->K; c.count++) {
        const size_t i = c.count;
        c.id[i] = f->id[i];
        c.norm[i] = f->norm[i];
        w[i] = exp(-0.5 * f->ln_alpha[i]) * f->u[i];
    }
    status = rvm_columns_apply(gsl_matrix_ptr(m->classes.F, k, 0), &c, w, err);
    rvm_columns_free(&c);
    return status;
}

/* What a pass begins with depends on functions and weights alone, so that a search can be gone on
 * with from there: the activations of the pass before, which came off sums with an offset, have
 * other last digits. */
static rvm_status renew_classes(multi *m, rvm_error *err)
{
    double *w = rvm_array(m->rounds.gram.gram.capacity, sizeof *w);
    rvm_status status = w == NULL ? rvm_fail_memory(err, "the classes") : RVM_OK;
    for (size_t k = 0; k < m->count && status == RVM_OK; k++)
        status = renew_class(m, w, k, err);
    if (status == RVM_OK)
        rvm_classes_refresh(&m->classes);
    free(w);
    return status;
}

/* Small problems take no time. */
static bool can_rest(const multi *m)
{
    return m->next == 0 && !has_few_rows(m) && m->rounds.count > 0;
}

static rvm_status step(bool *done, multi *m, rvm_error *err)
{
    const size_t k = m->next;
    rvm_status status = can_rest(m) ? renew_classes(m, err) : RVM_OK;
    if (status != RVM_OK)
        return status;
    if (m->stage == SETTLE || m->stage == LAST) {
        status = settle_class(m, k, err);
    } else {
        status = load_class(m, k, err);
        if (status == RVM_OK)
            status = search_class(m, k, err);
        if (status == RVM_OK)
            status = keep_class(m, k, err);
    }
    if (status != RVM_OK || ++m->next < m->count)
        return status;
    return end_pass(done, m, err);
}

static rvm_status multi_step(bool *done, void *search, rvm_error *err)
{
    multi *m = search;
    *done = false;
    const rvm_status status = step(done, m, err);
    const bool found = m->start > 0 || rvm_solution_functions(&m->now) > 0;
    if (status != RVM_EINTERRUPT || !found)
        return status;
    *done = false;
    return RVM_OK;
}

/* ---- What others see ------------------------------------------------------------------------ */

static void multi_report(rvm_report *r, const void *search)
{
    const multi *m = search;
    r->start = m->start < m->starts ? m->start + 1 : m->starts;
    r->starts = m->starts;
    r->progress = (double)(r->start - 1) / r->starts;
    rvm_search_report_solution(r, m->start > 0 ? &m->best : &m->now, &m->view);
    if (m->start == 0)
        r->log_evidence = log_evidence(m);
}

/* The classes as they stand may not be at their joint mode; what they are at the end is. */
static rvm_found multi_solution(const void *search, size_t k)
{
    const multi *m = search;
    const rvm_solution *best = m->start > 0 && m->stage != LAST ? &m->best : &m->now;
    const rvm_solved *s = &best->latent[k];
    const rvm_columns columns = {
        .count = s->K, .capacity = s->K, .id = s->id, .norm = s->norm, .threads = m->threads
    };
    return rvm_search_found(s, columns, &m->view.observed);
}

/* ---- To be gone on with ---------------------------------------------------------------------- */

static bool multi_rests(const void *search)
{
    return can_rest(search);
}

static void multi_code(rvm_codec *c, void *search)
{
    multi *m = search;
    const size_t M = m->view.basis.count, most = m->rounds.gram.gram.capacity;
    int which = (int)m->stage;
    rvm_codec_key(c, "classes");
    rvm_codec_whole(c, &which, ROUNDS, LAST);
    rvm_codec_whole(c, &m->start, 0, m->starts);
    rvm_codec_whole(c, &m->pass, 0, SETTLING_PASSES);
    rvm_codec_bits(c, &m->before, 1);
    rvm_codec_flag(c, &m->arrived);
    m->stage = (stage)which;
    rvm_solution_code(c, &m->now, M, most);
    rvm_solution_code(c, &m->best, M, most);
    rvm_rounds_code(c, &m->rounds);
    if (m->rounds.count == 0 || (m->stage == LAST) != (m->start == m->starts))
        rvm_codec_fault_line(c, "there is no such pass");
}

static bool fits(const rvm_study *y, const rvm_settings *s)
{
    (void)s;
    return y->classes > 2;
}

const rvm_search_type rvm_class_search = { .name = "classes",
                                           .fits = fits,
                                           .size = sizeof(multi),
                                           .init = multi_init,
                                           .step = multi_step,
                                           .report = multi_report,
                                           .solution = multi_solution,
                                           .free = multi_free,
                                           .rests = multi_rests,
                                           .code = multi_code };
