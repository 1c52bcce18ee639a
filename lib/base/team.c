/* Processes that train together, each with a part of the rows. */
#include "base/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

bool rvm_team_init(rvm_team *team, int rank, int size, const rvm_team_type *type, void *self)
{
    *team = (rvm_team){ .rank = rank, .size = size, .type = type, .self = self };
    team->width = rvm_array((size_t)size, sizeof *team->width);
    team->number = rvm_array((size_t)size, sizeof *team->number);
    team->real = rvm_array((size_t)size, sizeof *team->real);
    return team->width != NULL && team->number != NULL && team->real != NULL;
}

void rvm_team_free(rvm_team *team)
{
    free(team->width);
    free(team->number);
    free(team->real);
    team->width = team->number = NULL;
    team->real = NULL;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

void rvm_team_send(rvm_team *team, const void *bytes, size_t count, int to)
{
    team->sent += (double)count;
    team->type->send(team->self, bytes, count, to);
}

void rvm_team_receive(rvm_team *team, void *bytes, size_t count, int from)
{
    team->type->receive(team->self, bytes, count, from);
}

void rvm_team_broadcast(rvm_team *team, void *bytes, size_t count, int from)
{
    if (team == NULL || team->size == 1 || count == 0)
        return;
    if (team->rank == from)
        team->sent += (double)count;
    team->type->broadcast(team->self, bytes, count, from);
}

void rvm_team_gather(rvm_team *team, const void *mine, void *all, const size_t *count)
{
    if (team == NULL || team->size == 1) {
        if (count[0] > 0)
            memcpy(all, mine, count[0]);
        return;
    }
    team->sent += (double)count[team->rank];
    team->type->gather(team->self, mine, all, count);
}

void rvm_team_exchange(rvm_team *team, const void *out, const size_t *out_count, void *in,
                       const size_t *in_count)
{
    if (team == NULL || team->size == 1) {
        if (out_count[0] > 0)
            memcpy(in, out, out_count[0]);
        return;
    }
    for (int r = 0; r < team->size; r++)
        team->sent += r == team->rank ? 0 : (double)out_count[r];
    team->type->exchange(team->self, out, out_count, in, in_count);
}

/* ---- Small numbers --------------------------------------------------------------------------- */

void rvm_team_list(size_t *all, rvm_team *team, size_t mine)
{
    const size_t size = (size_t)rvm_team_size(team);
    if (size == 1) {
        all[0] = mine;
        return;
    }
    for (size_t r = 0; r < size; r++)
        team->width[r] = sizeof mine;
    rvm_team_gather(team, &mine, all, team->width);
}

void rvm_team_offsets(size_t *offset, rvm_team *team, size_t mine)
{
    const size_t size = (size_t)rvm_team_size(team);
    offset[0] = 0;
    rvm_team_list(offset + 1, team, mine);
    for (size_t r = 0; r < size; r++)
        offset[r + 1] += offset[r];
}

size_t rvm_team_total(rvm_team *team, size_t mine)
{
    if (team == NULL)
        return mine;
    size_t total = 0;
    rvm_team_list(team->number, team, mine);
    for (int r = 0; r < team->size; r++)
        total += team->number[r];
    return total;
}

double rvm_team_max(rvm_team *team, double mine)
{
    double most = mine;
    if (rvm_team_size(team) == 1)
        return mine;
    for (int r = 0; r < team->size; r++)
        team->width[r] = sizeof mine;
    rvm_team_gather(team, &mine, team->real, team->width);
    for (int r = 0; r < team->size; r++)
        most = fmax(most, team->real[r]);
    return most;
}

double rvm_team_min(rvm_team *team, double mine)
{
    return -rvm_team_max(team, -mine);
}

void *rvm_team_collect(size_t *all, rvm_team *team, const void *mine, size_t bytes)
{
    const size_t size = (size_t)rvm_team_size(team);
    size_t *each = rvm_array(size, sizeof *each);
    char *collected = NULL;
    *all = 0;
    if (each == NULL)
        return NULL;
    rvm_team_list(each, team, bytes);
    for (size_t r = 0; r < size; r++)
        *all += each[r];
    collected = rvm_array(*all, 1);
    if (collected != NULL)
        rvm_team_gather(team, mine, collected, each);
    free(each);
    return collected;
}

bool rvm_team_max_each(rvm_team *team, double *x, size_t count)
{
    const int size = rvm_team_size(team);
    if (size == 1)
        return true;
    double *most = rvm_array(2 * count, sizeof *most);
    if (most == NULL)
        return false;
    double *of_rank = most + count;
    for (int r = 0; r < size; r++) {
        memcpy(of_rank, x, count * sizeof *x);
        rvm_team_broadcast(team, of_rank, count * sizeof *x, r);
        for (size_t k = 0; k < count; k++)
            most[k] = r == 0 ? of_rank[k] : fmax(most[k], of_rank[k]);
    }
    memcpy(x, most, count * sizeof *x);
    free(most);
    return true;
}

/* ---- Outcomes -------------------------------------------------------------------------------- */

rvm_status rvm_team_compare(rvm_team *team, rvm_status status, rvm_error *err)
{
    if (rvm_team_size(team) == 1) {
        if (team != NULL && team->asked != NULL && *team->asked != 0)
            team->interrupted = *team->asked;
        return status;
    }
    enum { STATUSES = 16 }; /* more than there are */
    const int asked = team->asked == NULL ? 0 : *team->asked;
    rvm_error fault = { 0 };
    rvm_team_list(team->number, team, (size_t)asked * STATUSES + (size_t)status);
    for (int r = 0; r < team->size; r++)
        if (team->number[r] >= STATUSES && team->interrupted == 0)
            team->interrupted = (int)(team->number[r] / STATUSES);
    for (int r = 0; r < team->size; r++) {
        const rvm_status of_rank = (rvm_status)(team->number[r] % STATUSES);
        if (of_rank == RVM_OK)
            continue;
        if (r == team->rank && err != NULL)
            fault = *err;
        rvm_team_broadcast(team, &fault, sizeof fault, r);
        if (err != NULL)
            *err = fault;
        return of_rank;
    }
    return RVM_OK;
}

/* ---- The same of each ------------------------------------------------------------------------ */

rvm_status rvm_team_share(rvm_team *team, void *all, size_t bytes, rvm_error *err)
{
    const size_t size = (size_t)rvm_team_size(team);
    if (size == 1)
        return RVM_OK;
    size_t *each = rvm_array(size, sizeof *each);
    char *mine = rvm_array(bytes, 1);
    rvm_status status = RVM_OK;
    if (each == NULL || mine == NULL)
        status = rvm_fail_memory(err, "what processes tell each other");
    status = rvm_team_agree(team, status, err);
    for (size_t r = 0; r < size && status == RVM_OK; r++)
        each[r] = bytes;
    if (status == RVM_OK) {
        memcpy(mine, (char *)all + (size_t)team->rank * bytes, bytes);
        rvm_team_gather(team, mine, all, each);
    }
    free(each);
    free(mine);
    return status;
}
