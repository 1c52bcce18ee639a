/* Level 0: threads, ours and the BLAS's. The only includer of omp.h.
 *
 * Every parallel loop of the library cuts its work into pieces whose number and shape do not depend
 * on the number of threads, and the BLAS stays on one thread inside them: results are the same bit
 * for bit for any number of threads. */
#ifndef RVM_PARALLEL_H
#define RVM_PARALLEL_H

#include "rvm.h"

enum { RVM_THREADS_MAX = 1024 };

/* Threads to use when `wanted` are asked for; 0: as many as the machine offers. 1 within a parallel
 * region, and without OpenMP. */
int rvm_threads(int wanted);

/* To be called before `threads` threads of ours call the BLAS: keeps OpenBLAS on the calling
 * thread; other libraries need nothing. RVM_ENOMEM when there is no room for what it takes on each
 * of them, for which OpenBLAS up to version 0.3.21 would wait for ever. */
RVM_CHECKED rvm_status rvm_blas_prepare(int threads, rvm_error *err);

/* For the end of a piece of a parallel loop: where it has failed, *status and *err (which may be
 * NULL), shared by all pieces, become those of the piece; of several failures one counts. */
void rvm_collect(rvm_status *status, rvm_error *err, rvm_status fault, const rvm_error *mine);

#endif
