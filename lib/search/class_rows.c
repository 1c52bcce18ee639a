/* The rows of each class, and candidates that sit on them. */
#include "search/class_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "basis/seats.h"
#include "data/problem.h"

typedef struct {
    size_t class, id;
} own_candidate;

/* Kernel functions that sit on rows of this process: the first one's number, and how many. */
typedef struct {
    size_t first, count;
} functions;

static functions functions_here(const rvm_basis *b)
{
    return b->seats == NULL ? (functions){ b->terms, b->count - b->terms }
                            : (functions){ b->terms + b->seats->first, b->seats->count };
}

static size_t class_of(const rvm_study *y, size_t function)
{
    return y->class_of_row[y->basis.row[function]];
}

/* told: of each process, one after another, for each class its rows, then its functions. Those of this
 * one. */
static void count_here(size_t *told, const rvm_study *y)
{
    const functions f = functions_here(&y->basis);
    size_t *mine = told + (size_t)rvm_team_rank(y->p->team) * 2 * y->classes;
    for (size_t n = 0; n < y->p->rows; n++)
        mine[y->class_of_row[n]]++;
    for (size_t j = 0; j < f.count; j++)
        mine[y->classes + class_of(y, j)]++;
}

/* Those of this process to `list`; returns how many. Number i of class k, from 0 over all processes, is
 * taken where i most / all[k] passes a whole number, so that exactly `most` are. seen[k]: how many the
 * ranks below have. */
static size_t choose(own_candidate *list, size_t *seen, const size_t *all, const rvm_study *y,
                     size_t most)
{
    const functions f = functions_here(&y->basis);
    size_t chosen = 0;
    for (size_t j = 0; j < f.count; j++) {
        const size_t k = class_of(y, j), i = seen[k]++;
        if (all[k] <= most || (i + 1) * most / all[k] > i * most / all[k])
            list[chosen++] = (own_candidate){ k, f.first + j };
    }
    return chosen;
}

/* All that were chosen, from the processes in turn, to those of each class. */
static rvm_status collect(rvm_class_rows *c, const own_candidate *mine, size_t chosen,
                          rvm_team *team, rvm_error *err)
{
    size_t bytes;
    own_candidate *all = rvm_team_collect(&bytes, team, mine, chosen * sizeof *mine);
    if (all == NULL)
        return rvm_fail_memory(err, "the classes");
    const size_t many = bytes / sizeof *all;
    for (size_t i = 0; i < many; i++)
        c->own[all[i].class * c->most + c->owns[all[i].class]++] = all[i].id;
    free(all);
    return RVM_OK;
}

static rvm_status spread(rvm_class_rows *c, const rvm_study *y, const size_t *told, rvm_error *err)
{
    const size_t C = c->count, me = (size_t)rvm_team_rank(y->p->team);
    size_t *all = rvm_array(C, sizeof *all), *seen = rvm_array(C, sizeof *seen);
    own_candidate *list = rvm_array(C, c->most * sizeof *list);
    const bool memory = all != NULL && seen != NULL && list != NULL;
    for (size_t i = 0; memory && i < C * (size_t)rvm_team_size(y->p->team); i++) {
        const size_t many = told[i / C * 2 * C + C + i % C];
        all[i % C] += many;
        seen[i % C] += i / C < me ? many : 0;
    }
    rvm_status status = memory ? RVM_OK : rvm_fail_memory(err, "the classes");
    status = rvm_team_agree(y->p->team, status, err);
    if (status == RVM_OK)
        status = collect(c, list, choose(list, seen, all, y, c->most), y->p->team, err);
    free(all);
    free(seen);
    free(list);
    return status;
}

rvm_status rvm_class_rows_find(rvm_class_rows *c, const rvm_study *y, size_t most, rvm_error *err)
{
    const size_t C = y->classes, size = (size_t)rvm_team_size(y->p->team);
    size_t *told = rvm_array(size, 2 * C * sizeof *told);
    *c = (rvm_class_rows){ .count = C, .most = most };
    c->rows = rvm_array(C, sizeof *c->rows);
    c->owns = rvm_array(C, sizeof *c->owns);
    c->own = rvm_array(C, most * sizeof *c->own);
    rvm_status status = told == NULL || c->rows == NULL || c->owns == NULL || c->own == NULL
                            ? rvm_fail_memory(err, "the classes")
                            : RVM_OK;
    if (status == RVM_OK)
        count_here(told, y);
    status = rvm_team_agree(y->p->team, status, err);
    if (status == RVM_OK)
        status = rvm_team_share(y->p->team, told, 2 * C * sizeof *told, err);
    for (size_t i = 0; i < size * C && status == RVM_OK; i++)
        c->rows[i % C] += told[i / C * 2 * C + i % C];
    if (status == RVM_OK && most > 0)
        status = spread(c, y, told, err);
    free(told);
    return status;
}

void rvm_class_rows_free(rvm_class_rows *c)
{
    free(c->rows);
    free(c->own);
    free(c->owns);
}
