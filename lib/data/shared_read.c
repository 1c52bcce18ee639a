/* Data that the processes of a team read together: one file, a file for each, or a stream. */
#include "data/shared_read.h"

#include <gsl/gsl_math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/reader.h"

/* Rows in one message: little enough that long ones fit beside the data, too. */
enum { BLOCK = 256 };

/* ---- Outcomes -------------------------------------------------------------------------------- */

/* Agrees on the fault of the lowest rank that has one: parts follow each other in the order of ranks,
 * and each of them ends at its first fault, so that it is the earliest. *at: that rank. */
static rvm_status agree(int *at, rvm_team *team, rvm_status status, rvm_error *err)
{
    *at = 0;
    if (rvm_team_size(team) > 1) {
        rvm_team_list(team->number, team, status != RVM_OK);
        while (*at + 1 < team->size && team->number[*at] == 0)
            ++*at;
    }
    status = rvm_team_agree(team, status, err);
    if (status == RVM_OK)
        *at = 0;
    return status;
}

/* What can only be said of all rows together. */
static rvm_status check_all(const rvm_problem *p, rvm_team *team, rvm_error *err)
{
    if (rvm_team_total(team, p->rows) == 0)
        return rvm_reader_fail_empty(err);
    return rvm_reader_check_features(p->outputs, (int)rvm_team_max(team, p->max_index), err);
}

/* Rows stand one behind another from number `first` on. */
static rvm_status number_rows(rvm_problem *p, size_t first, rvm_error *err)
{
    p->number = rvm_array(p->rows, sizeof *p->number);
    if (p->number == NULL)
        return rvm_fail_memory(err, "the data");
    for (size_t i = 0; i < p->rows; i++)
        p->number[i] = first + i;
    return RVM_OK;
}

/* *out is p, or the fault is told and p freed. */
static rvm_status finish(rvm_problem **out, rvm_problem *p, rvm_status status,
                         const rvm_error *fault, rvm_error *err)
{
    if (status == RVM_OK) {
        rvm_problem_trim(p);
        *out = p;
    } else {
        rvm_problem_free(p);
        if (err != NULL)
            *err = *fault;
    }
    return status;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* Labels of the first row of all: those of the lowest rank that has a row. */
static size_t first_outputs(rvm_team *team, size_t mine)
{
    if (rvm_team_size(team) == 1)
        return mine;
    rvm_team_list(team->number, team, mine);
    for (int r = 0; r < team->size; r++)
        if (team->number[r] > 0)
            return team->number[r];
    return 0;
}

/* Lines of the lower ranks. */
static size_t lines_before(rvm_team *team, size_t mine)
{
    size_t lines = 0;
    if (rvm_team_size(team) == 1)
        return 0;
    rvm_team_list(team->number, team, mine);
    for (int r = 0; r < team->rank; r++)
        lines += team->number[r];
    return lines;
}

/* All rows of a part, the reader of which is NULL where it could not be had. Those behind the first row
 * are held against the first one of all; and so is it, before any fault behind its labels. */
static rvm_status read_rows(rvm_problem *p, rvm_reader *r, rvm_status status, rvm_team *team,
                            rvm_error *err)
{
    rvm_error other = { 0 };
    if (status == RVM_OK)
        status = rvm_reader_append(p, r, 1, err);
    const size_t outputs = first_outputs(team, r == NULL ? 0 : rvm_reader_outputs(r));
    if (r != NULL && rvm_reader_expect(r, outputs, &other) != RVM_OK) {
        *err = other;
        return other.status;
    }
    if (status == RVM_OK)
        status = rvm_reader_append(p, r, SIZE_MAX, err);
    if (p->rows == 0)
        p->outputs = GSL_MAX(outputs, 1);
    return status;
}

/* Where the rows of this process are. */
typedef struct {
    FILE *in;
    size_t from, to; /* bytes */
    bool counted;    /* lines are numbered through over all parts; else in each by itself */
    rvm_grammar grammar;
} part;

static rvm_status read_part(rvm_problem *p, const part *mine, rvm_team *team, rvm_error *err)
{
    rvm_reader *r = NULL;
    rvm_status status = rvm_reader_alloc(&r, mine->in, mine->grammar, err);
    if (status == RVM_OK)
        status = rvm_reader_part(r, mine->from, mine->to, err);
    status = read_rows(p, r, status, team, err);
    const size_t first = lines_before(team, r == NULL ? 0 : rvm_reader_lines(r));
    if (status == RVM_OK)
        status = number_rows(p, first, err);
    else if (mine->counted && err->line > 0)
        err->line += first;
    rvm_reader_free(r);
    return status;
}

static rvm_status read_parts(rvm_problem **out, int *at, const part *mine, rvm_team *team,
                             rvm_error *err)
{
    rvm_error fault = { 0 };
    rvm_problem *p = rvm_problem_alloc();
    if (p == NULL)
        return agree(at, team, rvm_fail_memory(err, "the data"), err);
    rvm_status status = agree(at, team, RVM_OK, &fault);
    if (status == RVM_OK)
        status = agree(at, team, read_part(p, mine, team, &fault), &fault);
    if (status == RVM_OK)
        status = check_all(p, team, &fault);
    return finish(out, p, status, &fault, err);
}

void rvm_shared_read_share(size_t *from, size_t *to, size_t size, const rvm_team *team)
{
    const size_t count = (size_t)rvm_team_size(team), rank = (size_t)rvm_team_rank(team);
    const size_t each = size / count, rest = size % count;
    *from = each * rank + GSL_MIN(rank, rest);
    *to = *from + each + (rank < rest);
}

rvm_status rvm_shared_read_file(rvm_problem **out, FILE *in, size_t from, size_t to,
                                rvm_grammar grammar, rvm_team *team, rvm_error *err)
{
    const part mine = { in, from, to, true, grammar };
    int at;
    return read_parts(out, &at, &mine, team, err);
}

rvm_status rvm_shared_read_pieces(rvm_problem **out, int *at, FILE *in, rvm_grammar grammar,
                                  rvm_team *team, rvm_error *err)
{
    const part mine = { in, 0, SIZE_MAX, false, grammar };
    return read_parts(out, at, &mine, team, err);
}

/* ---- Streams --------------------------------------------------------------------------------- */

/* A block of rows, which its indices, values, ends and targets follow; no rows: the last one. */
typedef struct {
    size_t rows, pairs, outputs;
    size_t first; /* number of its first row */
} block_head;

static void send_block(rvm_team *team, const rvm_problem *block, size_t first, int to)
{
    const size_t pairs = block->rows > 0 ? block->start[block->rows] : 0;
    const block_head head = { block->rows, pairs, block->outputs, first };
    rvm_team_send(team, &head, sizeof head, to);
    if (block->rows == 0)
        return;
    rvm_team_send(team, block->start, (block->rows + 1) * sizeof *block->start, to);
    rvm_team_send(team, block->index, pairs * sizeof *block->index, to);
    rvm_team_send(team, block->value, pairs * sizeof *block->value, to);
    rvm_team_send(team, block->target, block->rows * block->outputs * sizeof *block->target, to);
}

/* Room in an empty block. */
static bool make_room(rvm_problem *block, const block_head *head)
{
    return rvm_grow(&block->start, &block->start_capacity, head->rows + 1, sizeof *block->start) &&
           rvm_grow(&block->index, &block->pair_capacity, head->pairs, sizeof *block->index) &&
           rvm_grow(&block->value, &block->value_capacity, head->pairs, sizeof *block->value) &&
           rvm_grow(&block->target, &block->target_capacity, head->rows * head->outputs,
                    sizeof *block->target);
}

/* Without memory the others are not told: they go on until they notice (team.h). */
static rvm_status receive_block(rvm_problem *block, size_t *first, rvm_team *team, rvm_error *err)
{
    block_head head;
    rvm_problem_clear(block);
    rvm_team_receive(team, &head, sizeof head, 0);
    *first = head.first;
    block->outputs = head.outputs;
    if (head.rows == 0)
        return RVM_OK;
    if (!make_room(block, &head))
        return rvm_fail_memory(err, "the data");
    block->rows = head.rows;
    rvm_team_receive(team, block->start, (head.rows + 1) * sizeof *block->start, 0);
    rvm_team_receive(team, block->index, head.pairs * sizeof *block->index, 0);
    rvm_team_receive(team, block->value, head.pairs * sizeof *block->value, 0);
    rvm_team_receive(team, block->target, head.rows * head.outputs * sizeof *block->target, 0);
    return RVM_OK;
}

/* Rows that come block by block. */
typedef struct {
    rvm_problem *p;  /* owned */
    size_t capacity; /* of its numbers */
} pile;

/* Behind those that are there, from number `first` on. */
static rvm_status keep_block(pile *all, const rvm_problem *block, size_t first, rvm_error *err)
{
    rvm_problem *p = all->p;
    bool fits = rvm_grow(&p->number, &all->capacity, p->rows + block->rows, sizeof *p->number);
    for (size_t i = 0; i < block->rows && fits; i++) {
        const size_t from = block->start[i];
        fits = rvm_problem_append_outputs(p, rvm_problem_targets(block, i), block->outputs,
                                          block->index + from, block->value + from,
                                          block->start[i + 1] - from);
        if (fits)
            p->number[p->rows - 1] = first + i;
    }
    return fits ? RVM_OK : rvm_fail_memory(err, "the data");
}

/* Rank 0: to each in turn, itself among them, until there are no more or one has a fault. */
static rvm_status deal(pile *mine, rvm_reader *r, rvm_team *team, rvm_error *err)
{
    rvm_problem *block = NULL;
    rvm_status status = rvm_reader_next(&block, r, BLOCK, err);
    int to = 0;
    for (size_t first = 0; status == RVM_OK && block->rows > 0;) {
        if (to > 0)
            send_block(team, block, first, to);
        else
            status = keep_block(mine, block, first, err);
        first += block->rows;
        to = (to + 1) % rvm_team_size(team);
        if (status == RVM_OK)
            status = rvm_reader_next(&block, r, BLOCK, err);
    }
    rvm_problem_free(block);
    return status;
}

static rvm_status scatter(pile *mine, FILE *in, rvm_grammar grammar, rvm_team *team, rvm_error *err)
{
    const rvm_problem none = { .rows = 0 };
    rvm_reader *r = NULL;
    rvm_status status = rvm_reader_alloc(&r, in, grammar, err);
    if (status == RVM_OK)
        status = deal(mine, r, team, err);
    for (int to = 1; to < rvm_team_size(team); to++)
        send_block(team, &none, 0, to);
    if (status == RVM_OK)
        mine->p->outputs = rvm_reader_outputs(r);
    rvm_reader_free(r);
    return status;
}

/* The other ranks. *lost: others wait in vain for what this one has to say. */
static rvm_status collect(pile *mine, bool *lost, rvm_team *team, rvm_error *err)
{
    rvm_problem *block = rvm_problem_alloc();
    rvm_status status = RVM_OK, received = RVM_OK;
    size_t first = 0;
    if (block == NULL)
        received = rvm_fail_memory(err, "the data");
    else
        received = receive_block(block, &first, team, err);
    while (received == RVM_OK && block->rows > 0) {
        if (status == RVM_OK)
            status = keep_block(mine, block, first, err);
        received = receive_block(block, &first, team, err);
    }
    *lost = received != RVM_OK;
    rvm_problem_free(block);
    return *lost ? received : status;
}

rvm_status rvm_shared_read_stream(rvm_problem **out, FILE *in, rvm_grammar grammar, rvm_team *team,
                                  rvm_error *err)
{
    rvm_error fault = { 0 };
    pile mine = { rvm_problem_alloc(), 0 };
    bool lost = false;
    rvm_status status = mine.p != NULL ? RVM_OK : rvm_fail_memory(&fault, "the data");
    status = rvm_team_agree(team, status, &fault);
    if (status == RVM_OK) {
        status = rvm_team_rank(team) == 0 ? scatter(&mine, in, grammar, team, &fault)
                                          : collect(&mine, &lost, team, &fault);
        if (!lost)
            status = rvm_team_agree(team, status, &fault);
    }
    if (status == RVM_OK) {
        rvm_team_same(team, &mine.p->outputs, sizeof mine.p->outputs);
        status = check_all(mine.p, team, &fault);
    }
    return finish(out, mine.p, status, &fault, err);
}

/* ---- By one ---------------------------------------------------------------------------------- */

rvm_status rvm_shared_read_whole(rvm_problem **out, FILE *in, rvm_grammar grammar, rvm_team *team,
                                 rvm_error *err)
{
    rvm_error fault = { 0 };
    rvm_problem *p = NULL;
    rvm_status status = RVM_OK;
    if (rvm_team_rank(team) == 0) {
        status = rvm_problem_read(&p, in, grammar, &fault);
    } else {
        p = rvm_problem_alloc();
        status = p != NULL ? RVM_OK : rvm_fail_memory(&fault, "the data");
    }
    if (status == RVM_OK)
        status = number_rows(p, 0, &fault);
    status = rvm_team_agree(team, status, &fault);
    if (status == RVM_OK)
        rvm_team_same(team, &p->outputs, sizeof p->outputs);
    return finish(out, p, status, &fault, err);
}
