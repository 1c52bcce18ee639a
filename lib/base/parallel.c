/* Threads, ours and the BLAS's. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"

/* Declared here, since OpenBLAS's header cannot stand beside GSL's. Weak: absent elsewhere, and where
 * the BLAS is the system's choice (make BLAS=generic) they are looked for at the start of a program.
 * The last two are in no header; they take and give back the buffer of one call, 0 being no
 * position. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void *blas_memory_alloc(int position) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

/* ---- How many ------------------------------------------------------------------------------- */

/* Processors that this process may run on. */
static long processors(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    return sysconf(_SC_NPROCESSORS_ONLN);
}

int rvm_threads(int wanted)
{
    const char *const asked = getenv("OMP_NUM_THREADS");
    const long number = asked == NULL ? 0 : strtol(asked, NULL, 10);
    if (wanted > 0)
        return wanted;
    const long threads = number > 0 && number <= RVM_THREADS_MAX ? number : processors();
    return threads < 1 ? 1 : threads > RVM_THREADS_MAX ? RVM_THREADS_MAX : (int)threads;
}

/* ---- Pieces of work ------------------------------------------------------------------------- */

/* What threads that work together share. It belongs to all of them, the last one frees it: a thread
 * that the system is slow to start may come when all is done and the others are gone. */
typedef struct {
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t idle;  /* nothing is left and nothing in hand */
    size_t next, count;   /* pieces dealt out, and all */
    int in_hand, workers, holders;
    rvm_piece *piece;
    void *context;
    size_t failed; /* the first piece that did */
    rvm_status status;
    rvm_error fault;
} crew;

/* One piece, begun and ended under the lock. */
static void take_piece(crew *c, int worker)
{
    const size_t number = c->next++;
    rvm_error mine = { 0 };
    c->in_hand++;
    pthread_mutex_unlock(&c->lock);
    const rvm_status status = c->piece(c->context, number, worker, &mine);
    pthread_mutex_lock(&c->lock);
    c->in_hand--;
    if (status == RVM_OK || number > c->failed)
        return;
    c->failed = number;
    c->status = status;
    c->fault = mine;
    c->count = c->next; /* no more */
}

/* Under the lock, which it gives back. */
static void leave(crew *c)
{
    const bool last = --c->holders == 0;
    pthread_mutex_unlock(&c->lock);
    if (!last)
        return;
    pthread_cond_destroy(&c->idle);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static void *help(void *crew_of)
{
    crew *c = crew_of;
    pthread_mutex_lock(&c->lock);
    const int worker = c->next < c->count ? ++c->workers : 0;
    while (c->next < c->count)
        take_piece(c, worker);
    if (c->in_hand == 0)
        pthread_cond_signal(&c->idle);
    leave(c);
    return NULL;
}

/* Threads that cannot be had are done without. */
static void call_helpers(crew *c, size_t helpers)
{
    pthread_attr_t detached;
    pthread_t thread;
    if (pthread_attr_init(&detached) != 0)
        return;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (size_t k = 0; k < helpers; k++) {
        c->holders++;
        if (pthread_create(&thread, &detached, help, c) != 0) {
            c->holders--;
            break;
        }
    }
    pthread_attr_destroy(&detached);
}

static rvm_status alone(size_t count, rvm_piece *piece, void *context, rvm_error *err)
{
    rvm_status status = RVM_OK;
    for (size_t k = 0; k < count && status == RVM_OK; k++)
        status = piece(context, k, 0, err);
    return status;
}

rvm_status rvm_share(size_t count, rvm_piece *piece, void *context, int threads, rvm_error *err)
{
    crew *c = threads > 1 && count > 1 ? rvm_array(1, sizeof *c) : NULL;
    if (c == NULL)
        return alone(count, piece, context, err);
    c->count = count;
    c->holders = 1;
    c->piece = piece;
    c->context = context;
    c->failed = count;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->idle, NULL);
    pthread_mutex_lock(&c->lock);
    call_helpers(c, ((size_t)threads < count ? (size_t)threads : count) - 1);
    while (c->next < c->count)
        take_piece(c, 0);
    while (c->in_hand > 0)
        pthread_cond_wait(&c->idle, &c->lock);
    const rvm_status status = c->status;
    if (status != RVM_OK && err != NULL)
        *err = c->fault;
    leave(c);
    return status;
}

/* ---- The BLAS's ----------------------------------------------------------------------------- */

static bool address_space_is_limited(void)
{
    struct rlimit space;
    return getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
}

static bool is_room(size_t bytes)
{
    /* PROT_NONE asks for address space and nothing else. */
    void *space = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return space != MAP_FAILED && munmap(space, bytes) == 0;
}

/* OpenBLAS keeps what it once took: each thread's buffer is there before our own arrays fill the
 * room. False without memory. */
static bool take_buffers(int threads)
{
    if (blas_memory_alloc == NULL || blas_memory_free == NULL)
        return true;
    void **buffer = rvm_array((size_t)threads, sizeof *buffer);
    if (buffer == NULL)
        return false;
    for (int i = 0; i < threads; i++)
        buffer[i] = blas_memory_alloc(0);
    for (int i = 0; i < threads; i++)
        blas_memory_free(buffer[i]);
    free(buffer);
    return true;
}

int rvm_blas_threads(void)
{
    return openblas_get_num_threads == NULL ? 0 : openblas_get_num_threads();
}

void rvm_blas_set_threads(int threads)
{
    if (openblas_set_num_threads != NULL && threads > 0)
        openblas_set_num_threads(threads);
}

rvm_status rvm_blas_prepare(int threads, rvm_error *err)
{
    /* OpenBLAS's buffer, and the heap that malloc sets aside for a thread. */
    const size_t share = (size_t)(128 + 64) << 20;
    if (openblas_set_num_threads == NULL)
        return RVM_OK;
    rvm_blas_set_threads(1);
    if (!address_space_is_limited())
        return RVM_OK;
    if (is_room(share * (size_t)threads) && take_buffers(threads))
        return RVM_OK;
    return rvm_fail(err, RVM_ENOMEM,
                    "out of memory for OpenBLAS, which takes 192 MB of address space a thread "
                    "(threads: %d)",
                    threads);
}
