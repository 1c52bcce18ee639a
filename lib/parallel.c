/* Level 0: threads, ours and the BLAS's. */
#include "parallel.h"

#include <sys/mman.h>

#include "error.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* Declared here, since OpenBLAS's header cannot stand beside GSL's. Weak: absent elsewhere. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));

int rvm_threads(int wanted)
{
#ifdef _OPENMP
    if (omp_in_parallel())
        return 1;
    return wanted > 0 ? wanted : omp_get_max_threads();
#else
    (void)wanted;
    return 1;
#endif
}

void rvm_blas_serial(void)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
}

rvm_status rvm_blas_prepare(int threads, rvm_error *err)
{
    /* OpenBLAS's buffer, and the heap that malloc sets aside for a thread. */
    const size_t share = (size_t)(128 + 64) << 20, room = share * (size_t)threads;

    rvm_blas_serial();
    if (openblas_set_num_threads == NULL)
        return RVM_OK;
    /* Address space is what is short; PROT_NONE asks for nothing else. */
    void *space = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED)
        return rvm_fail(err, RVM_ENOMEM,
                        "out of memory for OpenBLAS, which takes 192 MB of address space a thread "
                        "(threads: %d)",
                        threads);
    (void)munmap(space, room);
    return RVM_OK;
}
