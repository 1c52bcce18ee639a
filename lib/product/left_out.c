/* Rows that training has left out, and what was predicted of them: some of all, in every
 * process.
 *
 * Processes that share the rows each have predictions of their own.  Fits of a few numbers look
 * at them some hundred times; so all processes get the same ones, at most so many, and fit by
 * themselves as one that has all rows does. */
#include "product/left_out.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/order.h"
#include "data/problem.h"
#include "product/predict.h"

static const char no_memory[] = "the rows that were left out";

/* Number i of `all`: so that RVM_LEFT_OUT_MOST are taken where there are more. */
static bool is_taken(size_t i, size_t all)
{
    const size_t most = RVM_LEFT_OUT_MOST;
    return all <= most || (i + 1) * most / all > i * most / all;
}

/* taken[0 .. *kept): of row[0 .. count), as they stand. */
static rvm_status thin(size_t *taken, size_t *kept, const size_t *row, size_t count, rvm_team *team,
                       rvm_error *err)
{
    const size_t size = (size_t)rvm_team_size(team);
    size_t *offset = rvm_array(size + 1, sizeof *offset);
    *kept = 0;
    if (offset == NULL)
        return rvm_fail_memory(err, no_memory);
    rvm_team_offsets(offset, team, count);
    for (size_t k = 0; k < count; k++)
        if (is_taken(offset[rvm_team_rank(team)] + k, offset[size]))
            taken[(*kept)++] = row[k];
    free(offset);
    return RVM_OK;
}

rvm_status rvm_left_out_choose(size_t **row, size_t *count, const rvm_problem *p, rvm_error *err)
{
    size_t *order = NULL, *taken = rvm_array(p->rows, sizeof *taken);
    rvm_status status =
        taken == NULL ? rvm_fail_memory(err, no_memory) : rvm_order_rows(&order, p, err);
    status = rvm_team_agree(p->team, status, err);
    if (status == RVM_OK)
        status = thin(taken, count, order, p->rows, p->team, err);
    free(order);
    if (status == RVM_OK)
        *row = taken;
    else
        free(taken);
    return status;
}

rvm_status rvm_left_out_share(double **all, size_t *count, const rvm_problem *p, const double *mine,
                              size_t mine_count, rvm_error *err)
{
    size_t bytes;
    *all = rvm_team_collect(&bytes, p->team, mine, mine_count * sizeof *mine);
    *count = bytes / sizeof *mine;
    return *all == NULL ? rvm_fail_memory(err, no_memory) : RVM_OK;
}

/* to: `width` numbers of each of the rows taken[0 .. kept), then of those of the other
 * processes. */
static rvm_status share_numbers(double *to, const double *from, size_t width, const rvm_problem *p,
                                const size_t *taken, size_t kept, rvm_error *err)
{
    double *mine = rvm_array(kept, width * sizeof *mine), *all = NULL;
    size_t count = 0;
    rvm_status status = mine == NULL ? rvm_fail_memory(err, no_memory) : RVM_OK;
    for (size_t k = 0; k < kept && status == RVM_OK; k++)
        memcpy(mine + k * width, from + taken[k] * width, width * sizeof *mine);
    status = rvm_team_agree(p->team, status, err);
    if (status == RVM_OK)
        status = rvm_left_out_share(&all, &count, p, mine, kept * width, err);
    if (status == RVM_OK && count > 0)
        memcpy(to, all, count * sizeof *all);
    free(mine);
    free(all);
    return status;
}

/* The rows themselves, of those targets. */
static rvm_status append_rows(rvm_left_out *out, const double *target, size_t outputs,
                              rvm_error *err)
{
    out->rows = rvm_problem_alloc();
    bool memory = out->rows != NULL;
    for (size_t n = 0; n < out->count && memory; n++)
        memory =
            rvm_problem_append_outputs(out->rows, target + n * outputs, outputs, NULL, NULL, 0);
    return memory ? RVM_OK : rvm_fail_memory(err, no_memory);
}

static rvm_status share_targets(rvm_left_out *out, const rvm_problem *p, const size_t *taken,
                                size_t kept, rvm_error *err)
{
    double *target = rvm_array(out->count, p->outputs * sizeof *target);
    rvm_status status = target == NULL ? rvm_fail_memory(err, no_memory) : RVM_OK;
    status = rvm_team_agree(p->team, status, err);
    if (status == RVM_OK)
        status = share_numbers(target, p->target, p->outputs, p, taken, kept, err);
    if (status == RVM_OK)
        status = append_rows(out, target, p->outputs, err);
    free(target);
    return status;
}

static rvm_status share_classes(rvm_left_out *out, const rvm_problem *p,
                                const rvm_prediction *prediction, const size_t *taken, size_t kept,
                                const rvm_labels *labels, rvm_error *err)
{
    double *mine = rvm_array(p->rows, sizeof *mine), *all = rvm_array(out->count, sizeof *all);
    out->class = rvm_array(out->count, sizeof *out->class);
    rvm_status status = mine == NULL || all == NULL || out->class == NULL
                            ? rvm_fail_memory(err, no_memory)
                            : RVM_OK;
    for (size_t k = 0; k < kept && status == RVM_OK; k++)
        mine[taken[k]] = (double)labels->of_row[taken[k]];
    status = rvm_team_agree(p->team, status, err);
    if (status == RVM_OK)
        status = share_numbers(all, mine, 1, p, taken, kept, err);
    for (size_t n = 0; n < out->count && status == RVM_OK; n++)
        out->class[n] = (size_t)all[n];
    if (status == RVM_OK)
        status = share_numbers(out->prediction.log_probability, prediction->log_probability,
                               prediction->classes, p, taken, kept, err);
    free(mine);
    free(all);
    return status;
}

static rvm_status share_outputs(rvm_left_out *out, const rvm_problem *p,
                                const rvm_prediction *prediction, const size_t *taken, size_t kept,
                                rvm_error *err)
{
    const size_t q = p->outputs;
    rvm_prediction *to = &out->prediction;
    rvm_status status = share_targets(out, p, taken, kept, err);
    if (status == RVM_OK)
        status = share_numbers(to->value, prediction->value, q, p, taken, kept, err);
    if (status == RVM_OK)
        status = share_numbers(to->variance, prediction->variance, q, p, taken, kept, err);
    if (status == RVM_OK)
        status = share_numbers(to->residual, prediction->residual, 1, p, taken, kept, err);
    return status;
}

rvm_status rvm_left_out_collect(rvm_left_out *out, const rvm_problem *p,
                                const rvm_prediction *prediction, const size_t *row, size_t count,
                                const rvm_labels *labels, rvm_error *err)
{
    size_t *taken = rvm_array(count, sizeof *taken), kept = 0;
    rvm_status status = taken == NULL ? rvm_fail_memory(err, no_memory) : RVM_OK;
    status = rvm_team_agree(p->team, status, err);
    if (status == RVM_OK)
        status = thin(taken, &kept, row, count, p->team, err);
    status = rvm_team_agree(p->team, status, err);
    if (status == RVM_OK) {
        out->count = rvm_team_total(p->team, kept);
        if (!rvm_prediction_resize(&out->prediction, out->count, prediction->classes, p->outputs))
            status = rvm_fail_memory(err, no_memory);
        status = rvm_team_agree(p->team, status, err);
    }
    if (status == RVM_OK)
        status = labels == NULL ? share_outputs(out, p, prediction, taken, kept, err)
                                : share_classes(out, p, prediction, taken, kept, labels, err);
    free(taken);
    return rvm_team_agree(p->team, status, err);
}

void rvm_left_out_free(rvm_left_out *l)
{
    rvm_problem_free(l->rows);
    rvm_prediction_free(&l->prediction);
    free(l->class);
    *l = (rvm_left_out){ .count = 0 };
}
