/* At most so many relevance vectors: a search around another one. */
#include "search/bounded.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "search/searches.h"

/* Of the vectors, go on at the least: what one is worth is known while most of the others stay. */
static const double kept_share = 0.75;

/* 1 - u^2 at the least. */
static const double least_variance = 1e-12;

typedef struct {
    size_t candidate;
    double worth; /* nats */
} vector;

/* ---- What they are worth -------------------------------------------------------------------- */

/* A latent function as the whole study numbers candidates. */
typedef struct {
    rvm_solved solved;      /* borrowed, but for its ids */
    size_t *id, *column_id; /* owned */
} renumbered;

/* A search over all candidates, or over a part of them. */
typedef struct {
    const rvm_search_type *type;
    void *search;   /* owned */
    rvm_study view; /* borrowed, but for the rows that kernels sit on where they are a part */
    rvm_settings settings; /* of the search */
    size_t latents;
    size_t *id;         /* owned: of each candidate of the part in the study; NULL: all, the same */
    renumbered *latent; /* owned, latents; NULL with all */
} part;

typedef struct {
    const rvm_study *y; /* borrowed */
    rvm_settings settings;
    size_t latents;
    part *now;  /* owned: has the solution */
    part *next; /* owned: one that is to take its place; NULL: none */
} bounded;

/* ---- Parts ---------------------------------------------------------------------------------- */

static void part_free(part *p)
{
    if (p == NULL)
        return;
    rvm_search_free(p->type, p->search);
    for (size_t k = 0; p->latent != NULL && k < p->latents; k++) {
        free(p->latent[k].id);
        free(p->latent[k].column_id);
    }
    if (p->id != NULL)
        free(p->view.basis.row);
    free(p->latent);
    free(p->id);
    free(p);
}

static rvm_found solution_of(const part *p, const rvm_study *y, size_t k)
{
    rvm_found found = p->type->solution(p->search, k);
    if (p->id == NULL)
        return found;
    renumbered *r = &p->latent[k];
    r->solved = *found.solved;
    r->solved.id = r->id;
    for (size_t i = 0; i < r->solved.K; i++)
        r->id[i] = p->id[found.solved->id[i]];
    for (size_t i = 0; i < found.columns.count; i++)
        r->column_id[i] = p->id[found.columns.id[i]];
    found.solved = &r->solved;
    found.columns.id = r->column_id;
    found.columns.basis.count = y->basis.count;
    found.columns.basis.row = y->basis.row;
    return found;
}

/* ---- What vectors are worth ----------------------------------------------------------------- */

static double worth_of(double u_squared)
{
    const double c = fmax(1 - u_squared, least_variance);
    return 0.5 * (fmax(u_squared, 0) / c + log(c));
}

/* worth[m] of each candidate, -1 where it is not active. */
static void weigh(double *worth, const bounded *b)
{
    const rvm_study *y = b->y;
    for (size_t m = 0; m < y->basis.count; m++)
        worth[m] = -1;
    for (size_t k = 0; k < b->latents; k++) {
        const rvm_solved *f = solution_of(b->now, y, k).solved;
        for (size_t i = 0; i < f->K; i++) {
            const double square = gsl_pow_2(f->u[i]);
            double *to = &worth[f->id[i]];
            *to = fmax(*to, 0) +
                  (y->outputs > 1 ? square / (double)b->latents : fmax(worth_of(square), 0));
        }
    }
    for (size_t m = 0; m < y->basis.count && y->outputs > 1; m++)
        if (worth[m] >= 0)
            worth[m] = fmax(worth_of(worth[m]), 0);
}

/* Owned by the caller: vectors of the solution, by candidate. */
static rvm_status collect(vector **out, size_t *count, const bounded *b, rvm_error *err)
{
    const rvm_study *y = b->y;
    double *worth = rvm_array(y->basis.count, sizeof *worth);
    *out = rvm_array(y->basis.count, sizeof **out);
    *count = 0;
    if (worth == NULL || *out == NULL) {
        free(worth);
        free(*out);
        return rvm_fail_memory(err, "the vectors");
    }
    weigh(worth, b);
    for (size_t m = y->basis.terms; m < y->basis.count; m++)
        if (worth[m] >= 0)
            (*out)[(*count)++] = (vector){ m, worth[m] };
    free(worth);
    return RVM_OK;
}

/* ---- The best of them ----------------------------------------------------------------------------- */

/* Worth most first; of equals the earlier row, so that the order does not depend on the sort. */
static int by_worth(const void *a, const void *b)
{
    const vector *p = a, *q = b;
    if (p->worth != q->worth)
        return p->worth > q->worth ? -1 : 1;
    return (p->candidate > q->candidate) - (p->candidate < q->candidate);
}

static int by_candidate(const void *a, const void *b)
{
    const vector *p = a, *q = b;
    return (p->candidate > q->candidate) - (p->candidate < q->candidate);
}

/* The vectors among the candidates of the study, and all terms, as the candidates of p. */
static bool choose_candidates(part *p, const rvm_study *y, const vector *kept, size_t count)
{
    const size_t terms = y->basis.terms, all = terms + count;
    size_t *row = rvm_array(count, sizeof *row);
    p->view = *y;
    p->id = rvm_array(all, sizeof *p->id);
    p->latent = rvm_array(p->latents, sizeof *p->latent);
    bool memory = row != NULL && p->id != NULL && p->latent != NULL;
    for (size_t k = 0; memory && k < p->latents; k++) {
        p->latent[k].id = rvm_array(all, sizeof *p->latent[k].id);
        p->latent[k].column_id = rvm_array(all, sizeof *p->latent[k].column_id);
        memory = p->latent[k].id != NULL && p->latent[k].column_id != NULL;
    }
    for (size_t i = 0; memory && i < all; i++)
        p->id[i] = i < terms ? i : kept[i - terms].candidate;
    for (size_t k = 0; memory && k < count; k++)
        row[k] = rvm_basis_row(&y->basis, kept[k].candidate);
    p->view.basis.count = all;
    p->view.basis.row = row;
    if (p->id == NULL) /* it would not be freed with p */
        free(row);
    return memory;
}

/* kept: NULL, all candidates. */
static rvm_status part_alloc(part **out, const bounded *b, const vector *kept, size_t count,
                             rvm_error *err)
{
    part *p = rvm_array(1, sizeof *p);
    rvm_status status = RVM_OK;
    if (p == NULL)
        return rvm_fail_memory(err, "the vectors");
    p->latents = b->latents;
    p->view = *b->y;
    p->settings = b->settings;
    if (kept != NULL && count > (size_t)b->settings.vectors && b->settings.restarts == 0)
        p->settings.restarts = 1; /* on the way */
    if (kept != NULL && !choose_candidates(p, b->y, kept, count))
        status = rvm_fail_memory(err, "the vectors");
    p->type = rvm_searches_choose(&p->view, &p->settings);
    if (status == RVM_OK)
        status = rvm_search_alloc(&p->search, p->type, &p->view, &p->settings, err);
    if (status != RVM_OK) {
        part_free(p);
        return status;
    }
    *out = p;
    return RVM_OK;
}

/* b->next, where there are more vectors than are wanted. */
static rvm_status narrow(bounded *b, rvm_error *err)
{
    const size_t most = (size_t)b->settings.vectors;
    vector *all = NULL;
    size_t vectors = 0;
    rvm_status status = collect(&all, &vectors, b, err);
    if (status != RVM_OK)
        return status;
    if (vectors > most) {
        const size_t kept = GSL_MAX(most, (size_t)(kept_share * (double)vectors));
        qsort(all, vectors, sizeof *all, by_worth);
        qsort(all, kept, sizeof *all, by_candidate);
        status = part_alloc(&b->next, b, all, kept, err);
    }
    free(all);
    return status;
}

/* ---- The row of the table ------------------------------------------------------------------- */

static bool bounded_fits(const rvm_study *y, const rvm_settings *s)
{
    return s->vectors > 0 && !rvm_searches_choose(y, s)->trivial;
}

static rvm_status bounded_init(void *search, const rvm_study *y, const rvm_settings *s,
                               rvm_error *err)
{
    bounded *b = search;
    b->y = y;
    b->settings = *s;
    b->latents = y->classes > 2 ? y->classes : y->outputs;
    return part_alloc(&b->now, b, NULL, 0, err);
}

/* Until the next search is at its end there is the solution of the one before it, an interrupt of the
 * next one included. */
static rvm_status bounded_step(bool *done, void *search, rvm_error *err)
{
    bounded *b = search;
    part *p = b->next != NULL ? b->next : b->now;
    rvm_status status = p->type->step(done, p->search, err);
    if (status == RVM_OK && *done && p == b->next) {
        part_free(b->now);
        b->now = b->next;
        b->next = NULL;
    }
    if (status == RVM_OK && *done && !rvm_interrupted(b->settings.interrupted)) {
        status = narrow(b, err);
        *done = status == RVM_OK && b->next == NULL;
    }
    return status == RVM_EINTERRUPT && p != b->now ? RVM_OK : status;
}

static void bounded_report(rvm_report *r, const void *search)
{
    const bounded *b = search;
    b->now->type->report(r, b->now->search);
}

static rvm_found bounded_solution(const void *search, size_t k)
{
    const bounded *b = search;
    return solution_of(b->now, b->y, k);
}

static void bounded_free(void *search)
{
    bounded *b = search;
    part_free(b->now);
    part_free(b->next);
}

/* In the first search, which is the longest. */
static bool bounded_rests(const void *search)
{
    const bounded *b = search;
    const rvm_search_type *type = b->now->type;
    return b->next == NULL && type->rests != NULL && type->rests(b->now->search);
}

static void bounded_code(rvm_codec *c, void *search)
{
    const bounded *b = search;
    if (b->now->type->code == NULL)
        rvm_codec_fault_line(c, "there is nothing to go on from");
    else
        b->now->type->code(c, b->now->search);
}

static const rvm_search_type rvm_bounded = { .name = "bounded",
                                             .fits = bounded_fits,
                                             .size = sizeof(bounded),
                                             .init = bounded_init,
                                             .step = bounded_step,
                                             .report = bounded_report,
                                             .solution = bounded_solution,
                                             .free = bounded_free,
                                             .rests = bounded_rests,
                                             .code = bounded_code };

/* The same around a search of each class against the rest. */
static const rvm_search_type rvm_bounded_each = { .name = "bounded, one against the rest",
                                                  .one_vs_rest = true,
                                                  .fits = bounded_fits,
                                                  .size = sizeof(bounded),
                                                  .init = bounded_init,
                                                  .step = bounded_step,
                                                  .report = bounded_report,
                                                  .solution = bounded_solution,
                                                  .free = bounded_free,
                                                  .rests = bounded_rests,
                                                  .code = bounded_code };

const rvm_search_type *rvm_bounded_choose(const rvm_study *y, const rvm_settings *s)
{
    const rvm_search_type *plain = rvm_searches_choose(y, s);
    if (!bounded_fits(y, s))
        return plain;
    return plain->one_vs_rest ? &rvm_bounded_each : &rvm_bounded;
}
