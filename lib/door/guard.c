/* What belongs to the whole process while the library computes: GSL's error handler, and the threads
 * of OpenBLAS.
 *
 * Nobody can have these for a thread alone, so what is kept here is the only thing in the library
 * that is not in an object. */
#include "door/guard.h"

#include <gsl/gsl_errno.h>
#include <pthread.h>

#include "base/parallel.h"

static struct {
    pthread_mutex_t lock; /* of what follows */
    unsigned long inside; /* calls under way */
    gsl_error_handler_t *handler;
    int blas_threads;
} guard = { .lock = PTHREAD_MUTEX_INITIALIZER };

void door_guard_enter(void)
{
    pthread_mutex_lock(&guard.lock);
    if (guard.inside++ == 0) {
        guard.handler = gsl_set_error_handler_off();
        guard.blas_threads = rvm_blas_threads();
        if (guard.blas_threads != 1)
            rvm_blas_set_threads(1);
    }
    pthread_mutex_unlock(&guard.lock);
}

void door_guard_leave(void)
{
    pthread_mutex_lock(&guard.lock);
    if (--guard.inside == 0) {
        gsl_set_error_handler(guard.handler);
        if (guard.blas_threads != 1)
            rvm_blas_set_threads(guard.blas_threads);
    }
    pthread_mutex_unlock(&guard.lock);
}
