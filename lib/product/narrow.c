/* At most so many relevance vectors. */
#include "product/narrow.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* Of the vectors, go on at the least: what one is worth is known while most of the others stay. */
static const double kept_share = 0.75;

/* 1 - u^2 at the least. */
static const double least_variance = 1e-12;

typedef struct {
    size_t candidate;
    double worth; /* nats */
} vector;

/* ---- What they are worth -------------------------------------------------------------------- */

static double worth_of(double u_squared)
{
    const double c = fmax(1 - u_squared, least_variance);
    return 0.5 * (fmax(u_squared, 0) / c + log(c));
}

/* worth[m] of each candidate, -1 where it is not active. */
static void weigh(double *worth, const rvm_narrow_from *from)
{
    const rvm_study *y = from->y;
    for (size_t m = 0; m < y->basis.count; m++)
        worth[m] = -1;
    for (size_t k = 0; k < from->latents; k++) {
        const rvm_solved *f = from->type->solution(from->search, k).solved;
        for (size_t i = 0; i < f->K; i++) {
            const double square = gsl_pow_2(f->u[i]);
            double *to = &worth[f->id[i]];
            *to = fmax(*to, 0) +
                  (y->outputs > 1 ? square / (double)from->latents : fmax(worth_of(square), 0));
        }
    }
    for (size_t m = 0; m < y->basis.count && y->outputs > 1; m++)
        if (worth[m] >= 0)
            worth[m] = fmax(worth_of(worth[m]), 0);
}

/* Owned by the caller: vectors of the solution, by candidate. */
static rvm_status collect(vector **out, size_t *count, const rvm_narrow_from *from, rvm_error *err)
{
    const rvm_study *y = from->y;
    double *worth = rvm_array(y->basis.count, sizeof *worth);
    *out = rvm_array(y->basis.count, sizeof **out);
    *count = 0;
    if (worth == NULL || *out == NULL) {
        free(worth);
        free(*out);
        return rvm_fail_memory(err, "the vectors");
    }
    weigh(worth, from);
    for (size_t m = y->basis.terms; m < y->basis.count; m++)
        if (worth[m] >= 0)
            (*out)[(*count)++] = (vector){ m, worth[m] };
    free(worth);
    return RVM_OK;
}

rvm_status rvm_narrow_count(size_t *vectors, const rvm_narrow_from *from, rvm_error *err)
{
    vector *all = NULL;
    const rvm_status status = collect(&all, vectors, from, err);
    if (status == RVM_OK)
        free(all);
    return status;
}

/* ---- The search ----------------------------------------------------------------------------- */

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

/* The candidates of y, of kernel functions these alone. */
static rvm_status narrow_view(rvm_study *view, const rvm_study *y, const vector *kept, size_t count,
                              rvm_error *err)
{
    *view = *y;
    view->basis.count = y->basis.terms + count;
    view->basis.row = rvm_array(count, sizeof *view->basis.row);
    if (view->basis.row == NULL)
        return rvm_fail_memory(err, "the vectors");
    for (size_t k = 0; k < count; k++)
        view->basis.row[k] = rvm_basis_row(&y->basis, kept[k].candidate);
    return RVM_OK;
}

/* n->view and n->settings. */
static rvm_status prepare(rvm_narrow *n, const rvm_narrow_from *from, const rvm_settings *s,
                          size_t most, rvm_error *err)
{
    vector *all = NULL;
    size_t vectors = 0;
    rvm_status status = collect(&all, &vectors, from, err);
    if (status != RVM_OK)
        return status;
    const size_t kept = GSL_MAX(most, (size_t)(kept_share * (double)vectors));
    qsort(all, vectors, sizeof *all, by_worth);
    qsort(all, kept, sizeof *all, by_candidate);
    n->settings = *s;
    if (kept > most && s->restarts == 0)
        n->settings.restarts = 1; /* on the way */
    status = narrow_view(&n->view, from->y, all, kept, err);
    free(all);
    return status;
}

rvm_status rvm_narrow_alloc(rvm_narrow **out, const rvm_narrow_from *from, const rvm_settings *s,
                            size_t most, rvm_narrow_choice *choose, rvm_error *err)
{
    rvm_narrow *n = rvm_array(1, sizeof *n);
    if (n == NULL)
        return rvm_fail_memory(err, "the vectors");
    rvm_status status = prepare(n, from, s, most, err);
    if (status == RVM_OK) {
        n->type = choose(&n->view, &n->settings);
        status = rvm_search_alloc(&n->search, n->type, &n->view, &n->settings, err);
    }
    if (status != RVM_OK) {
        rvm_narrow_free(n);
        return status;
    }
    *out = n;
    return RVM_OK;
}

void rvm_narrow_apply(rvm_study *y, const rvm_narrow *n)
{
    y->basis.count = n->view.basis.count;
    memcpy(y->basis.row, n->view.basis.row,
           (y->basis.count - y->basis.terms) * sizeof *y->basis.row);
}

void rvm_narrow_free(rvm_narrow *n)
{
    if (n == NULL)
        return;
    rvm_search_free(n->type, n->search);
    free(n->view.basis.row);
    free(n);
}
