/* Upper triangles of stacked matrices, by QR. */
#include "base/stack.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/linalg.h"

enum { LEAST_ROWS = 512 }; /* that rvm_stack_factor folds in at a time, or K */

bool rvm_stack_init(rvm_stack *s, size_t K, size_t most)
{
    s->rows = gsl_matrix_alloc(K + most, K);
    s->tau = gsl_matrix_alloc(K + RVM_STACK_PANEL, K);
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
    gsl_matrix_view tau = gsl_matrix_submatrix(s->tau, 0, 0, K, K);
    if (!rvm_qr_factor(&used.matrix, &tau.matrix))
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

/* ---- Two triangles ---------------------------------------------------------------------------- */

/* Before row i. */
static size_t packed_offset(size_t i, size_t K)
{
    return i * K - i * (i - (i > 0)) / 2;
}

size_t rvm_stack_packed_size(size_t K)
{
    return packed_offset(K, K);
}

void rvm_stack_pack(double *packed, const gsl_matrix *R)
{
    const size_t K = R->size1;
    for (size_t i = 0; i < K; i++)
        memcpy(packed + packed_offset(i, K), gsl_matrix_const_ptr(R, i, i),
               (K - i) * sizeof *packed);
}

void rvm_stack_unpack(gsl_matrix *R, const double *packed)
{
    const size_t K = R->size1;
    for (size_t i = 0; i < K; i++) {
        memset(gsl_matrix_ptr(R, i, 0), 0, i * sizeof *packed);
        memcpy(gsl_matrix_ptr(R, i, i), packed + packed_offset(i, K), (K - i) * sizeof *packed);
    }
}

/* Columns j and on of what is left of S are eliminated, a panel of them, by rows j and on of R. Below
 * the panel's last row S has nothing in these columns: that saves four fifths of the work (Buttari,
 * Langou, Kurzak and Dongarra 2009, section 3). */
static bool join_panel(double *R, rvm_stack *s, gsl_matrix *S, size_t j)
{
    const size_t K = S->size1, b = GSL_MIN(RVM_STACK_PANEL, K - j), end = j + b;
    const size_t number = sizeof *R;
    gsl_matrix_view W = gsl_matrix_submatrix(s->rows, K, 0, b + end, K - j);
    gsl_matrix_view T = gsl_matrix_submatrix(s->tau, 0, 0, b, b);
    gsl_matrix_view X = gsl_matrix_submatrix(s->tau, b, 0, b, K - end);
    for (size_t i = 0; i < b; i++) {
        double *row = gsl_matrix_ptr(&W.matrix, i, 0);
        memset(row, 0, i * number);
        memcpy(row + i, R + packed_offset(j + i, K), (K - j - i) * number);
    }
    for (size_t i = 0; i < end; i++)
        memcpy(gsl_matrix_ptr(&W.matrix, b + i, 0), gsl_matrix_ptr(S, i, j), (K - j) * number);
    if (!rvm_qr_step(&W.matrix, &T.matrix, &X.matrix))
        return false;
    for (size_t i = 0; i < b; i++)
        memcpy(R + packed_offset(j + i, K), gsl_matrix_ptr(&W.matrix, i, i), (K - j - i) * number);
    for (size_t i = 0; i < end && end < K; i++)
        memcpy(gsl_matrix_ptr(S, i, end), gsl_matrix_ptr(&W.matrix, b + i, b), (K - end) * number);
    return true;
}

bool rvm_stack_join(double *R, const double *S, rvm_stack *s)
{
    const size_t K = s->rows->size2;
    gsl_matrix_view left = gsl_matrix_submatrix(s->rows, 0, 0, K, K);
    rvm_stack_unpack(&left.matrix, S);
    for (size_t j = 0; j < K; j += RVM_STACK_PANEL)
        if (!join_panel(R, s, &left.matrix, j))
            return false;
    for (size_t i = 0; i < K; i++) {
        double *row = R + packed_offset(i, K);
        for (size_t j = 0; row[0] < 0 && j < K - i; j++)
            row[K - i - 1 - j] *= -1; /* the diagonal last */
    }
    return true;
}

/* ---- All rows of columns in memory ----------------------------------------------------------- */

double rvm_stack_numbers(double K)
{
    return (2 * K + RVM_STACK_PANEL + fmax(K, LEAST_ROWS)) * K;
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
