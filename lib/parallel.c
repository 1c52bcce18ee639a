/* Level 0: threads, ours and the BLAS's. */
#include "parallel.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "alloc.h"
#include "error.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* Declared here, since OpenBLAS's header cannot stand beside GSL's. Weak: absent elsewhere. The
 * last two are in no header; they take and give back the buffer of one call,
 * 0 being no position. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern void *blas_memory_alloc(int position) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

#ifdef _OPENMP
/* OMP_NUM_THREADS may say anything, and what does not fit wraps round there. */
static int threads_offered(void)
{
    const int offered = omp_get_max_threads();

    return offered > 0 && offered <= RVM_THREADS_MAX ? offered : omp_get_num_procs();
}
#endif

int rvm_threads(int wanted)
{
#ifdef _OPENMP
    if (omp_in_parallel())
        return 1;
    return wanted > 0 ? wanted : threads_offered();
#else
    (void)wanted;
    return 1;
#endif
}

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

rvm_status rvm_blas_prepare(int threads, rvm_error *err)
{
    /* OpenBLAS's buffer, and the heap that malloc sets aside for a thread. */
    const size_t share = (size_t)(128 + 64) << 20;

    if (openblas_set_num_threads == NULL)
        return RVM_OK;
    openblas_set_num_threads(1);
    if (!address_space_is_limited())
        return RVM_OK;
    if (is_room(share * (size_t)threads) && take_buffers(threads))
        return RVM_OK;
    return rvm_fail(err, RVM_ENOMEM,
                    "out of memory for OpenBLAS, which takes 192 MB of address space a thread "
                    "(threads: %d)",
                    threads);
}

void rvm_collect(rvm_status *status, rvm_error *err, rvm_status fault, const rvm_error *mine)
{
    if (fault == RVM_OK)
        return;
#pragma omp critical(rvm_collect)
    {
        *status = fault;
        if (err != NULL)
            *err = *mine;
    }
}
