/* Processes that train together, each with a part of the rows.
 *
 * All of them run the same program on the same settings.  Each of them calls what is here in the same
 * order: a call returns when all that are concerned have made it.  NULL is a team of one, for which
 * nothing is sent.  A way of talking is a row of functions: MPI (team_mpi.c) is one.
 *
 * No process may come to another decision than the rest, since it would then wait for ever.  So the
 * outcome of a call that can fail on one of them is agreed on, and so is an interrupt, which reaches
 * them at different times: it counts from the next call on at which the statuses are compared. */
#ifndef RVM_TEAM_H
#define RVM_TEAM_H

#include "rvm.h"

/* Bytes between processes; a lost one ends the program, so that none of them can fail. Each returns
 * when `bytes` may be used again. */
typedef struct {
    void (*send)(void *self, const void *bytes, size_t count, int to);
    void (*receive)(void *self, void *bytes, size_t count, int from);
    void (*broadcast)(void *self, void *bytes, size_t count, int from);
    /* all: count[r] bytes of each rank r, one behind another; mine: those of this one. */
    void (*gather)(void *self, const void *mine, void *all, const size_t *count);
    /* out: out_count[r] bytes for each rank r, one behind another; in: likewise, from each. */
    void (*exchange)(void *self, const void *out, const size_t *out_count, void *in,
                     const size_t *in_count);
} rvm_team_type;

typedef struct {
    int rank, size; /* this one of so many, from 0 on */
    const rvm_team_type *type;
    void *self;                /* borrowed: of the type */
    const volatile int *asked; /* borrowed, or NULL: a signal to end, that this process has got; */
    volatile int interrupted;  /* the same as far as all know of it; what settings point to */
    double sent;               /* bytes that have left this process */
    size_t *width, *number;    /* owned, size: scratch, */
    double *real;              /* likewise */
} rvm_team;

/* False without memory. */
bool rvm_team_init(rvm_team *team, int rank, int size, const rvm_team_type *type, void *self);
void rvm_team_free(rvm_team *team); /* what it owns */

static inline int rvm_team_rank(const rvm_team *team)
{
    return team == NULL ? 0 : team->rank;
}

static inline int rvm_team_size(const rvm_team *team)
{
    return team == NULL ? 1 : team->size;
}

void rvm_team_send(rvm_team *team, const void *bytes, size_t count, int to);
void rvm_team_receive(rvm_team *team, void *bytes, size_t count, int from);
void rvm_team_broadcast(rvm_team *team, void *bytes, size_t count, int from);
void rvm_team_gather(rvm_team *team, const void *mine, void *all, const size_t *count);
void rvm_team_exchange(rvm_team *team, const void *out, const size_t *out_count, void *in,
                       const size_t *in_count);

/* Those of rank 0: what all have computed by themselves from the same numbers is the same again where
 * processors differ in their rounding. */
static inline void rvm_team_same(rvm_team *team, void *bytes, size_t count)
{
    rvm_team_broadcast(team, bytes, count, 0);
}

/* What all have, one behind another by ranks, `mine` of this one; *all bytes. Owned by the caller; NULL
 * without memory. */
void *rvm_team_collect(size_t *all, rvm_team *team, const void *mine, size_t bytes);
/* all[r]: `mine` of rank r; size in all. */
void rvm_team_list(size_t *all, rvm_team *team, size_t mine);
/* offset[r]: the sum of `mine` over the ranks below r; size + 1 in all, the last one over all. */
void rvm_team_offsets(size_t *offset, rvm_team *team, size_t mine);
size_t rvm_team_total(rvm_team *team, size_t mine);
/* Over all; no rounding depends on their number. */
double rvm_team_max(rvm_team *team, double mine);
double rvm_team_min(rvm_team *team, double mine);
/* Each of x[0 .. count). False without memory. */
RVM_CHECKED bool rvm_team_max_each(rvm_team *team, double *x, size_t count);

/* all: `bytes` of each rank, one behind another, where those of this one stand already. */
RVM_CHECKED rvm_status rvm_team_share(rvm_team *team, void *all, size_t bytes, rvm_error *err);

/* What the statuses come to, as rvm_team_agree has it. */
RVM_CHECKED rvm_status rvm_team_compare(rvm_team *team, rvm_status status, rvm_error *err);

/* The status, and the error, of the lowest rank that has failed; RVM_OK where none has. Interrupts
 * are told, too. */
RVM_CHECKED static inline rvm_status rvm_team_agree(rvm_team *team, rvm_status status,
                                                    rvm_error *err)
{
    const rvm_status of_all = rvm_team_compare(team, status, err);
    return status != RVM_OK && of_all == RVM_OK ? status : of_all; /* as analysers see, too */
}

#endif
