/* A team of MPI's processes; the only file that knows MPI. */
#include "base/team_mpi.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"

/* MPI counts in int: more goes in pieces. */
static const size_t PIECE = (size_t)1 << 30;

typedef struct {
    rvm_team team;
    MPI_Comm talk; /* for the work: whatever else uses MPI in this process is not in the way */
    MPI_Comm end;  /* for the meeting, which a process may come to that others do not expect */
    int *count, *offset; /* owned, size: of a gather */
} mpi_team;

/* ---- Waiting --------------------------------------------------------------------------------- */

/* MPI waits by asking again and again. Somebody who waits for long leaves the processor to those
 * who work, which may be threads of the process that is waited for. */
static void rest(double waited)
{
    const double short_wait = 0.01;                         /* seconds */
    const struct timespec nap = { .tv_nsec = 50L * 1000L }; /* little beside such a wait */
    if (waited < short_wait)
        (void)sched_yield();
    else
        (void)nanosleep(&nap, NULL);
}

/* False when it is not done within so many seconds; 0: as long as it takes. */
static bool is_done(MPI_Request *request, double seconds)
{
    const double start = MPI_Wtime();
    int done = 0;
    for (;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return true;
        const double waited = MPI_Wtime() - start;
        if (seconds > 0 && waited > seconds)
            return false;
        rest(waited);
    }
}

static void finish(MPI_Request request)
{
    (void)is_done(&request, 0);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static int piece_of(size_t count)
{
    return (int)(count < PIECE ? count : PIECE);
}

static void send_bytes(void *self, const void *bytes, size_t count, int to)
{
    const mpi_team *m = self;
    MPI_Request request;
    for (const char *at = bytes; count > 0;) {
        const int piece = piece_of(count);
        MPI_Isend(at, piece, MPI_BYTE, to, 0, m->talk, &request);
        finish(request);
        at += piece;
        count -= (size_t)piece;
    }
}

static void receive_bytes(void *self, void *bytes, size_t count, int from)
{
    const mpi_team *m = self;
    MPI_Request request;
    for (char *at = bytes; count > 0;) {
        const int piece = piece_of(count);
        MPI_Irecv(at, piece, MPI_BYTE, from, 0, m->talk, &request);
        finish(request);
        at += piece;
        count -= (size_t)piece;
    }
}

static void broadcast_bytes(void *self, void *bytes, size_t count, int from)
{
    const mpi_team *m = self;
    MPI_Request request;
    for (char *at = bytes; count > 0;) {
        const int piece = piece_of(count);
        MPI_Ibcast(at, piece, MPI_BYTE, from, m->talk, &request);
        finish(request);
        at += piece;
        count -= (size_t)piece;
    }
}

/* Each rank's in turn, however many they are. */
static void gather_much(mpi_team *m, const void *mine, char *all, const size_t *count)
{
    for (int r = 0; r < m->team.size; all += count[r++]) {
        if (r == m->team.rank && count[r] > 0)
            memcpy(all, mine, count[r]);
        broadcast_bytes(m, all, count[r], r);
    }
}

static void gather_bytes(void *self, const void *mine, void *all, const size_t *count)
{
    mpi_team *m = self;
    MPI_Request request;
    size_t total = 0;
    for (int r = 0; r < m->team.size; total += count[r++]) {
        if (count[r] > PIECE || total > PIECE) {
            gather_much(m, mine, all, count);
            return;
        }
        m->count[r] = (int)count[r];
        m->offset[r] = (int)total;
    }
    MPI_Iallgatherv(mine, m->count[m->team.rank], MPI_BYTE, all, m->count, m->offset, MPI_BYTE,
                    m->talk, &request);
    finish(request);
}

/* Where the bytes of rank r begin. */
static size_t offset_of(const size_t *count, int r)
{
    size_t offset = 0;
    for (int k = 0; k < r; k++)
        offset += count[k];
    return offset;
}

/* To one rank and from another at once, in as many pieces as either has. */
static void swap_bytes(mpi_team *m, const char *out, size_t out_count, int to, char *in,
                       size_t in_count, int from)
{
    while (out_count > 0 || in_count > 0) {
        const int sent = piece_of(out_count), got = piece_of(in_count);
        MPI_Request sending, receiving;
        if (got > 0)
            MPI_Irecv(in, got, MPI_BYTE, from, 0, m->talk, &receiving);
        if (sent > 0)
            MPI_Isend(out, sent, MPI_BYTE, to, 0, m->talk, &sending);
        if (got > 0)
            finish(receiving);
        if (sent > 0)
            finish(sending);
        in += got;
        in_count -= (size_t)got;
        out += sent;
        out_count -= (size_t)sent;
    }
}

/* With one neighbour after another, each of them busy with one at a time. */
static void exchange_bytes(void *self, const void *out, const size_t *out_count, void *in,
                           const size_t *in_count)
{
    mpi_team *m = self;
    const int size = m->team.size, rank = m->team.rank;
    if (out_count[rank] > 0)
        memcpy((char *)in + offset_of(in_count, rank),
               (const char *)out + offset_of(out_count, rank), out_count[rank]);
    for (int step = 1; step < size; step++) {
        const int to = (rank + step) % size, from = (rank + size - step) % size;
        swap_bytes(m, (const char *)out + offset_of(out_count, to), out_count[to], to,
                   (char *)in + offset_of(in_count, from), in_count[from], from);
    }
}

static const rvm_team_type by_mpi = { send_bytes, receive_bytes, broadcast_bytes, gather_bytes,
                                      exchange_bytes };

/* ---- Begin and end --------------------------------------------------------------------------- */

static bool fill_team(mpi_team *m)
{
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    m->count = rvm_array((size_t)size, sizeof *m->count);
    m->offset = rvm_array((size_t)size, sizeof *m->offset);
    if (m->count == NULL || m->offset == NULL)
        return false;
    MPI_Comm_dup(MPI_COMM_WORLD, &m->talk);
    MPI_Comm_dup(MPI_COMM_WORLD, &m->end);
    return rvm_team_init(&m->team, rank, size, &by_mpi, m);
}

rvm_status rvm_team_mpi_start(rvm_team **out, int *argc, char ***argv, rvm_error *err)
{
    int threads = MPI_THREAD_SINGLE;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &threads); /* a failure ends the program */
    if (threads < MPI_THREAD_FUNNELED)
        return rvm_fail(err, RVM_ESETTING, "this MPI is not made for programs with threads");
    mpi_team *m = rvm_array(1, sizeof *m);
    if (m == NULL || !fill_team(m)) {
        free(m);
        return rvm_fail_memory(err, "the team");
    }
    *out = &m->team;
    return RVM_OK;
}

bool rvm_team_mpi_meet(rvm_team *team, int *code, double seconds)
{
    mpi_team *m = team->self;
    MPI_Request request;
    MPI_Iallgather(code, 1, MPI_INT, m->count, 1, MPI_INT, m->end, &request);
    if (!is_done(&request, seconds))
        return false;
    for (int r = team->size; r-- > 0;)
        if (m->count[r] != 0)
            *code = m->count[r];
    return true;
}

void rvm_team_mpi_free(rvm_team *team)
{
    if (team == NULL)
        return;
    mpi_team *m = team->self;
    MPI_Comm_free(&m->talk);
    MPI_Comm_free(&m->end);
    rvm_team_free(team);
    free(m->count);
    free(m->offset);
    free(m);
    MPI_Finalize();
}

void rvm_team_mpi_abort(rvm_team *team, int code)
{
    const mpi_team *m = team->self;
    MPI_Abort(m->talk, code);
}
