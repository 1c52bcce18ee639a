/* Folds: which rows are left out together, and sums over what was predicted of rows.
 *
 * Few rows, as libsvm has it: classification with fewer folds than rows shuffles each class by
 * itself and gives fold i the part [i n / folds, (i + 1) n / folds) of it; otherwise one shuffle
 * of all rows is cut that way.  The rows of classes with fewer rows than folds go to the folds
 * in turn instead: those parts would put every single row into the last fold, which then leaves
 * nothing to train on.
 *
 * Many rows, which several processes may share, are dealt in turn: class after class, in each
 * span after span of the canonical order, the rows of a span in an order that a generator of its
 * own has shuffled. Which row comes next needs counts of the rows before it and no list of all,
 * and the folds have the same number of rows, and of rows of each class, or one more.
 *
 * Rows of a regression that are there more than once are left out together: with a copy in
 * training a row is not left out. Where most rows are copies that is how such data are, of few
 * values each, and rows to come will be copies too. */
#include "product/folds.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "data/order.h"
#include "data/problem.h"
#include "data/shard.h"
#include "product/together.h"

/* ---- Few rows ------------------------------------------------------------------------------- */

/* Borrowed. */
typedef struct {
    size_t *fold;
    size_t folds;
    size_t turn; /* fold of the next row of a small class */
} deck;

/* Shuffles the rows listed in `row` and deals them out in contiguous parts, few of them in turn. */
static void deal(deck *d, size_t *row, size_t count, gsl_rng *rng)
{
    gsl_ran_shuffle(rng, row, count, sizeof *row);
    for (size_t k = 0; k < count && count < d->folds; k++)
        d->fold[row[k]] = d->turn++ % d->folds;
    for (size_t i = 0; i < d->folds && count >= d->folds; i++)
        for (size_t k = i * count / d->folds; k < (i + 1) * count / d->folds; k++)
            d->fold[row[k]] = i;
}

/* leader[i]: the first one of the rows that are the same as row i, targets and all.
 * Returns how many leaders there are. */
static size_t find_leaders(size_t *leader, const rvm_problem *p, const size_t *order)
{
    size_t count = 0;
    for (size_t k = 0; k < p->rows; k++) {
        const size_t i = order[k], before = k > 0 ? order[k - 1] : i;
        const bool same = k > 0 && rvm_order_copy(p, before, i);
        leader[i] = same ? leader[before] : i;
        count += !same;
    }
    return count;
}

static bool are_joined(size_t leaders, size_t rows, size_t folds)
{
    return leaders > rows / 2 && leaders >= folds;
}

static rvm_status choose_leaders(size_t *leader, const rvm_problem *p, bool classes, size_t folds,
                                 rvm_error *err)
{
    size_t *order = NULL, count = p->rows;
    if (!classes) {
        const rvm_status status = rvm_order_rows(&order, p, err);
        if (status != RVM_OK)
            return status;
        count = find_leaders(leader, p, order);
        free(order);
    }
    if (classes || !are_joined(count, p->rows, folds))
        for (size_t i = 0; i < p->rows; i++)
            leader[i] = i;
    return RVM_OK;
}

static rvm_status draw_few(size_t *fold, const rvm_problem *p, const rvm_labels *labels,
                           size_t folds, unsigned long seed, rvm_error *err)
{
    const size_t N = p->rows;
    const bool by_class = labels->count > 0 && folds < N;
    const size_t groups = by_class ? labels->count : 1;
    deck d = { fold, folds, 0 };
    size_t *row = rvm_array(N, sizeof *row), *leader = rvm_array(N, sizeof *leader);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    rvm_status status = rng == NULL || row == NULL || leader == NULL
                            ? rvm_fail_memory(err, "the folds")
                            : choose_leaders(leader, p, labels->count > 0, folds, err);
    if (status == RVM_OK)
        gsl_rng_set(rng, seed);
    for (size_t g = 0; status == RVM_OK && g < groups; g++) {
        size_t count = 0;

        for (size_t i = 0; i < N; i++)
            if (leader[i] == i && (!by_class || labels->of_row[i] == g))
                row[count++] = i;
        deal(&d, row, count, rng);
    }
    for (size_t i = 0; status == RVM_OK && i < N; i++)
        fold[i] = fold[leader[i]];
    gsl_rng_free(rng);
    free(leader);
    free(row);
    return status;
}

/* ---- Many rows ------------------------------------------------------------------------------- */

typedef struct {
    size_t *fold; /* borrowed, as all that is not owned */
    const rvm_problem *p;
    const rvm_labels *labels;
    size_t folds;
    unsigned long seed;
    size_t *order; /* owned, rows: the canonical one of those that are here */
    bool *copy;    /* owned, rows: the same as the row before it in that order, here or elsewhere */
    size_t *next; /* owned, of each class: number of its next row that is dealt, over all classes */
    size_t *list; /* owned: of a span those that are dealt */
    gsl_rng *rng; /* owned */
} dealer;

static size_t groups_of(const dealer *d)
{
    return d->labels->count > 0 ? d->labels->count : 1;
}

static size_t group_of(const dealer *d, size_t row)
{
    return d->labels->count > 0 ? d->labels->of_row[row] : 0;
}

static rvm_status dealer_init(dealer *d, rvm_error *err)
{
    const rvm_spans spans = rvm_problem_spans(d->p);
    d->copy = rvm_array(d->p->rows, sizeof *d->copy);
    d->next = rvm_array(groups_of(d), sizeof *d->next);
    d->list = rvm_array(spans.rows, sizeof *d->list);
    d->rng = gsl_rng_alloc(gsl_rng_taus2);
    if (d->copy == NULL || d->next == NULL || d->list == NULL || d->rng == NULL)
        return rvm_fail_memory(err, "the folds");
    return rvm_order_rows(&d->order, d->p, err);
}

static void dealer_free(dealer *d)
{
    free(d->order);
    free(d->copy);
    free(d->next);
    free(d->list);
    gsl_rng_free(d->rng);
}

/* Where copies are joined they are known. */
static rvm_status find_copies(dealer *d, rvm_error *err)
{
    const rvm_problem *p = d->p;
    const size_t *order = d->order;
    bool goes_on = false;
    size_t leaders = 0;
    rvm_status status = rvm_shard_goes_on(&goes_on, p, err);
    for (size_t k = 0; k < p->rows; k++) {
        d->copy[k] = k == 0 ? goes_on : rvm_order_compare(p, order[k - 1], p, order[k]) == 0;
        leaders += !d->copy[k];
    }
    status = rvm_team_agree(p->team, status, err);
    if (status == RVM_OK &&
        !are_joined(rvm_team_total(p->team, leaders), rvm_problem_all(p), d->folds))
        memset(d->copy, 0, p->rows * sizeof *d->copy);
    return status;
}

typedef struct {
    int label;
    size_t group;
} label_place;

static int by_label(const void *a, const void *b)
{
    const int x = ((const label_place *)a)->label, z = ((const label_place *)b)->label;
    return (x > z) - (x < z);
}

/* d->next: before a class come those of smaller labels, whatever the order in which the file has
 * them, and of its own rows those of lower ranks. of_rank: rows of each class that are dealt, of
 * one rank after another. */
static void find_turns(dealer *d, label_place *place, const size_t *of_rank)
{
    const size_t groups = groups_of(d), size = (size_t)rvm_team_size(d->p->team);
    size_t before = 0;
    for (size_t g = 0; g < groups; g++)
        place[g] = (label_place){ d->labels->count > 0 ? d->labels->label[g] : 0, g };
    qsort(place, groups, sizeof *place, by_label);
    for (size_t k = 0; k < groups; k++) {
        const size_t g = place[k].group;
        for (size_t r = 0; r < size; r++) {
            if (r == (size_t)rvm_team_rank(d->p->team))
                d->next[g] = before;
            before += of_rank[r * groups + g];
        }
    }
}

static rvm_status begin_turns(dealer *d, rvm_error *err)
{
    const size_t groups = groups_of(d);
    size_t bytes;
    label_place *place = rvm_array(groups, sizeof *place);
    for (size_t k = 0; k < d->p->rows; k++)
        d->next[group_of(d, d->order[k])] += !d->copy[k];
    size_t *of_rank = rvm_team_collect(&bytes, d->p->team, d->next, groups * sizeof *of_rank);
    const bool memory = place != NULL && of_rank != NULL;
    if (memory)
        find_turns(d, place, of_rank);
    free(place);
    free(of_rank);
    return memory ? RVM_OK : rvm_fail_memory(err, "the folds");
}

/* Span `span`, whose rows are those of the places first .. end - 1 here. */
static void deal_span(dealer *d, size_t span, size_t first, size_t end)
{
    size_t count = 0;
    for (size_t k = first; k < end; k++)
        if (!d->copy[k])
            d->list[count++] = d->order[k];
    if (count == 0) /* all are copies; and GSL cannot shuffle nothing */
        return;
    gsl_rng_set(d->rng, (unsigned long)(rvm_hash_spread(rvm_hash_spread(d->seed) + span) >> 32));
    gsl_ran_shuffle(d->rng, d->list, count, sizeof *d->list);
    for (size_t i = 0; i < count; i++)
        d->fold[d->list[i]] = d->next[group_of(d, d->list[i])]++ % d->folds;
}

static void deal_spans(dealer *d)
{
    const rvm_spans spans = rvm_problem_spans(d->p);
    size_t first = 0;
    for (size_t span = spans.first; span < spans.end; span++) {
        const size_t left = d->p->rows - first, rows = left < spans.rows ? left : spans.rows;
        deal_span(d, span, first, first + rows);
        first += rows;
    }
}

/* Copies go where the row before them is, which may be that of a lower rank: the last one that
 * any of these has dealt. */
static rvm_status deal_copies(dealer *d, rvm_error *err)
{
    const size_t rows = d->p->rows, size = (size_t)rvm_team_size(d->p->team);
    size_t *last = rvm_array(size, sizeof *last), dealt = rows, before = SIZE_MAX;
    while (dealt > 0 && d->copy[dealt - 1])
        dealt--;
    rvm_status status = last == NULL ? rvm_fail_memory(err, "the folds") : RVM_OK;
    status = rvm_team_agree(d->p->team, status, err);
    if (status == RVM_OK) {
        rvm_team_list(last, d->p->team, dealt > 0 ? d->fold[d->order[dealt - 1]] : SIZE_MAX);
        for (int r = 0; r < rvm_team_rank(d->p->team); r++)
            before = last[r] == SIZE_MAX ? before : last[r];
        for (size_t k = 0; k < rows; k++) {
            if (d->copy[k])
                d->fold[d->order[k]] = before;
            before = d->fold[d->order[k]];
        }
    }
    free(last);
    return status;
}

static rvm_status draw_many(size_t *fold, const rvm_problem *p, const rvm_labels *labels,
                            size_t folds, unsigned long seed, rvm_error *err)
{
    dealer d = { .fold = fold, .p = p, .labels = labels, .folds = folds, .seed = seed };
    rvm_status status = rvm_team_agree(p->team, dealer_init(&d, err), err);
    if (status == RVM_OK && labels->count == 0)
        status = find_copies(&d, err);
    if (status == RVM_OK)
        status = rvm_team_agree(p->team, begin_turns(&d, err), err);
    if (status == RVM_OK) {
        deal_spans(&d);
        status = deal_copies(&d, err);
    }
    dealer_free(&d);
    return status;
}

/* ---- Any number ------------------------------------------------------------------------------ */

static bool are_many(const rvm_problem *p)
{
    return p->team != NULL || p->rows >= RVM_TOGETHER_ROWS;
}

rvm_status rvm_folds_draw(size_t *fold, const rvm_problem *p, const rvm_labels *labels,
                          size_t folds, unsigned long seed, rvm_error *err)
{
    return are_many(p) ? draw_many(fold, p, labels, folds, seed, err)
                       : draw_few(fold, p, labels, folds, seed, err);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Borrowed. */
typedef struct {
    rvm_folds_row *add;
    rvm_spans_join *join;
    void *context;
    const size_t *order; /* NULL: rows are taken as they stand */
} sum;

static rvm_status sum_rows(void *context, size_t first, size_t rows, double *sums, int worker,
                           rvm_error *err)
{
    const sum *s = context;
    (void)worker, (void)err;
    for (size_t n = first; n < first + rows; n++)
        s->add(s->context, s->order == NULL ? n : s->order[n], sums);
    return RVM_OK;
}

static rvm_status join_sums(void *context, double *left, const double *right, int worker,
                            rvm_error *err)
{
    const sum *s = context;
    return s->join(s->context, left, right, worker, err);
}

rvm_status rvm_folds_sum(double *sums, size_t count, const rvm_problem *p, rvm_folds_row *add,
                         rvm_spans_join *join, void *context, rvm_error *err)
{
    sum s = { add, join, context, NULL };
    size_t *order = NULL;
    if (!are_many(p)) {
        memset(sums, 0, count * sizeof *sums);
        return sum_rows(&s, 0, p->rows, sums, 0, err);
    }
    const rvm_spans spans = rvm_problem_spans(p);
    rvm_status status = rvm_team_agree(p->team, rvm_order_rows(&order, p, err), err);
    s.order = order;
    if (status == RVM_OK)
        status = rvm_spans_fold(sums, count, &spans, sum_rows, join == NULL ? NULL : join_sums, &s,
                                1, err);
    free(order);
    return status;
}
