/* Upper triangles of stacked matrices, by QR. */
#include "base/stack.h"

#include <gsl/gsl_math.h>
#include <math.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/linalg.h"

enum { LEAST_ROWS = 512 }; /* that rvm_stack_factor folds in at a time, or K */

bool rvm_stack_init(rvm_stack *s, size_t K, size_t most)
{
    s->rows = gsl_matrix_alloc(K + most, K);
    s->tau = gsl_matrix_alloc(K, K);
    return s->rows != NULL && s->tau != NULL;
}

void rvm_stack_free(rvm_stack *s)
{
    gsl_matrix_free(s->rows);
    gsl_matrix_free(s->tau);
    *s = (rvm_stack){ 0 };
}

/* R := qr([ R ; rows K .. K + count - 1 of s->rows ]). */
static bool fold(gsl_matrix *R, rvm_stack *s, size_t count)
{
    const size_t K = R->size1;
    gsl_matrix_view top = gsl_matrix_submatrix(s->rows, 0, 0, K, K);
    gsl_matrix_view used = gsl_matrix_submatrix(s->rows, 0, 0, K + count, K);
    gsl_matrix_memcpy(&top.matrix, R);
    if (!rvm_qr_factor(&used.matrix, s->tau))
        return false;
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++)
            gsl_matrix_set(R, i, j, j >= i ? gsl_matrix_get(&top.matrix, i, j) : 0);
    return true;
}

bool rvm_stack_fold(gsl_matrix *R, rvm_stack *s, const gsl_matrix *PhiT, const size_t *column,
                    size_t first, size_t count, const double *D, const double *root)
{
    const size_t K = R->size1;
    for (size_t i = 0; i < K; i++) {
        const double *phi = gsl_matrix_const_ptr(PhiT, column == NULL ? i : column[i], first);
        for (size_t n = 0; n < count; n++)
            gsl_matrix_set(s->rows, K + n, i, D[i] * (root == NULL ? 1 : root[n]) * phi[n]);
    }
    return fold(R, s, count);
}

bool rvm_stack_join(gsl_matrix *R, rvm_stack *s, const gsl_matrix *S)
{
    gsl_matrix_view below = gsl_matrix_submatrix(s->rows, R->size1, 0, S->size1, S->size2);
    gsl_matrix_memcpy(&below.matrix, S);
    return fold(R, s, S->size1);
}

double rvm_stack_numbers(double K)
{
    return (2 * K + fmax(K, LEAST_ROWS)) * K;
}

rvm_status rvm_stack_factor(gsl_matrix *L, const gsl_matrix *PhiT, const size_t *column, size_t N,
                            const double *D, const volatile int *interrupted, rvm_error *err)
{
    const size_t most = GSL_MIN(N, GSL_MAX(L->size1, LEAST_ROWS));
    rvm_stack s;
    rvm_status status = RVM_OK;
    if (!rvm_stack_init(&s, L->size1, most))
        status = rvm_fail_memory(err, "the posterior");
    gsl_matrix_set_identity(L);
    for (size_t at = 0; at < N && status == RVM_OK; at += most) {
        if (!rvm_stack_fold(L, &s, PhiT, column, at, GSL_MIN(most, N - at), D, NULL))
            status = rvm_fail(err, RVM_ENUMERIC,
                              "the posterior left the range of finite numbers: scale the data");
        else if (rvm_interrupted(interrupted))
            status = rvm_fail_interrupted(err);
    }
    gsl_matrix_transpose(L);
    rvm_stack_free(&s);
    return status;
}
