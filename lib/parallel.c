/* Level 0: threads, ours and the BLAS's. */
#include "parallel.h"

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
