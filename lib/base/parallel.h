/* Threads, ours and the BLAS's.
 *
 * Work is cut into pieces whose number and shape do not depend on the number of threads, and the
 * BLAS stays on one thread inside them: results are the same bit for bit for any number of
 * threads. Threads sleep when there is nothing to do, and nobody waits for one that has not begun:
 * on a machine that is busy with other things the caller does all pieces by itself, in the time of
 * one thread. */
#ifndef RVM_PARALLEL_H
#define RVM_PARALLEL_H

#include "rvm.h"

enum { RVM_THREADS_MAX = 1024 };

/* Threads to use when `wanted` are asked for; 0: as many as OMP_NUM_THREADS says or, where it says
 * nothing that is possible, as there are processors for this process. */
int rvm_threads(int wanted);

/* Piece `number` of some work. `worker`, below the number of threads, is nobody else's meanwhile:
 * it may name scratch. */
typedef rvm_status rvm_piece(void *context, size_t number, int worker, rvm_error *err);

/* All pieces 0 .. count - 1, by the caller and at most threads - 1 others, each of which takes the
 * next one whenever it is free. The status of the first piece that failed; those not begun then are
 * left undone. Starting a thread takes some 20 microseconds: what takes less than a millisecond is
 * not worth sharing. */
rvm_status rvm_share(size_t count, rvm_piece *piece, void *context, int threads, rvm_error *err);

/* To be called before `threads` threads of ours call the BLAS: keeps OpenBLAS on the calling
 * thread; other libraries need nothing. RVM_ENOMEM when there is no room for what it takes on each
 * of them, for which OpenBLAS up to version 0.3.21 would wait for ever. */
RVM_CHECKED rvm_status rvm_blas_prepare(int threads, rvm_error *err);
/* The threads of OpenBLAS, which are the whole process's; 0: it is not there, and 0 sets nothing. */
int rvm_blas_threads(void);
void rvm_blas_set_threads(int threads);

#endif
