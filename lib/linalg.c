/* Level 0: the few factorisations and products that training needs; thin over GSL. */
#include "linalg.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_math.h>
#include <math.h>

enum {
    TILE = 192,
    GRAM_TILE = 96 /* small, so that few functions are still several tiles */
};

/* Below this many multiplications starting threads costs more than it saves. */
static const double worth_threads = 2e7;

static int team_for(double work, int threads)
{
    return work < worth_threads ? 1 : threads;
}

static size_t part(size_t at, size_t end)
{
    return end - at < TILE ? end - at : TILE;
}

static void product_tile(gsl_matrix *C, const gsl_matrix *A, const gsl_matrix *B, size_t i,
                         size_t j)
{
    const size_t rows = part(i, C->size1), columns = part(j, C->size2);
    gsl_matrix_view c = gsl_matrix_submatrix(C, i, j, rows, columns);
    gsl_matrix_const_view a = gsl_matrix_const_submatrix(A, i, 0, rows, A->size2);
    gsl_matrix_const_view b = gsl_matrix_const_submatrix(B, j, 0, columns, B->size2);
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, &a.matrix, &b.matrix, 0, &c.matrix);
}

static void mirror_lower(gsl_matrix *C)
{
    for (size_t i = 0; i < C->size1; i++)
        for (size_t j = 0; j < i; j++)
            gsl_matrix_set(C, j, i, gsl_matrix_get(C, i, j));
}

void rvm_product_nt(gsl_matrix *C, const gsl_matrix *A, const gsl_matrix *B, int threads)
{
    const size_t down = (C->size1 + TILE - 1) / TILE, across = (C->size2 + TILE - 1) / TILE;
    const double work = (double)C->size1 * (double)C->size2 * (double)A->size2;
    const int team = team_for(work, threads);
    (void)team; /* without OpenMP */
#pragma omp parallel for schedule(dynamic) num_threads(team) if (team > 1)
    for (size_t k = 0; k < down * across; k++) {
        const size_t i = k / across, j = k % across;
        if (A != B || j <= i)
            product_tile(C, A, B, i * TILE, j * TILE);
    }
    if (A == B)
        mirror_lower(C);
}

void rvm_gram_add(gsl_matrix *G, const gsl_matrix *A, size_t first, bool fresh, int threads)
{
    const size_t n = G->size1, down = (n - first + GRAM_TILE - 1) / GRAM_TILE,
                 across = (n + GRAM_TILE - 1) / GRAM_TILE;
    const int team = team_for((double)(n - first) * (double)n * (double)A->size2, threads);
    (void)team;
#pragma omp parallel for schedule(dynamic) num_threads(team) if (team > 1)
    for (size_t k = 0; k < down * across; k++) {
        const size_t i = first + k / across * GRAM_TILE, j = k % across * GRAM_TILE;
        const size_t rows = GSL_MIN(GRAM_TILE, n - i), columns = GSL_MIN(GRAM_TILE, n - j);
        if (j >= i + rows)
            continue;
        gsl_matrix_view g = gsl_matrix_submatrix(G, i, j, rows, columns);
        gsl_matrix_const_view a = gsl_matrix_const_submatrix(A, i, 0, rows, A->size2);
        gsl_matrix_const_view b = gsl_matrix_const_submatrix(A, j, 0, columns, A->size2);
        gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, &a.matrix, &b.matrix, fresh ? 0 : 1, &g.matrix);
    }
}

void rvm_gram_mirror(gsl_matrix *G, size_t first)
{
    for (size_t i = first; i < G->size1; i++)
        for (size_t j = 0; j < i; j++)
            gsl_matrix_set(G, j, i, gsl_matrix_get(G, i, j));
}

/* Rows below a factored diagonal block: A_i := A_i L^-T. */
static void solve_below(gsl_matrix *A, size_t at, size_t width, int team)
{
    const size_t below = A->size1 - at - width, tiles = (below + TILE - 1) / TILE;
    gsl_matrix_const_view L = gsl_matrix_const_submatrix(A, at, at, width, width);
    (void)team;
#pragma omp parallel for schedule(dynamic) num_threads(team) if (team > 1)
    for (size_t k = 0; k < tiles; k++) {
        const size_t i = at + width + k * TILE;
        gsl_matrix_view a = gsl_matrix_submatrix(A, i, at, part(i, A->size1), width);
        gsl_blas_dtrsm(CblasRight, CblasLower, CblasTrans, CblasNonUnit, 1, &L.matrix, &a.matrix);
    }
}

/* The lower triangle behind the block less what the block explains. */
static void update_behind(gsl_matrix *A, size_t at, size_t width, int team)
{
    const size_t first = at + width, across = (A->size1 - first + TILE - 1) / TILE;
    (void)team;
#pragma omp parallel for schedule(dynamic) num_threads(team) if (team > 1)
    for (size_t k = 0; k < across * across; k++) {
        const size_t i = first + k / across * TILE, j = first + k % across * TILE;
        if (j > i)
            continue;
        gsl_matrix_view c = gsl_matrix_submatrix(A, i, j, part(i, A->size1), part(j, A->size1));
        gsl_matrix_const_view a = gsl_matrix_const_submatrix(A, i, at, c.matrix.size1, width);
        gsl_matrix_const_view b = gsl_matrix_const_submatrix(A, j, at, c.matrix.size2, width);
        gsl_blas_dgemm(CblasNoTrans, CblasTrans, -1, &a.matrix, &b.matrix, 1, &c.matrix);
    }
}

bool rvm_cholesky(gsl_matrix *A, int threads)
{
    const size_t n = A->size1;
    const int team = team_for((double)n * (double)n * (double)n / 3, threads);
    for (size_t at = 0; at < n; at += TILE) {
        const size_t width = part(at, n);
        gsl_matrix_view block = gsl_matrix_submatrix(A, at, at, width, width);
        if (gsl_linalg_cholesky_decomp1(&block.matrix) != GSL_SUCCESS)
            return false;
        if (at + width < n) {
            solve_below(A, at, width, team);
            update_behind(A, at, width, team);
        }
    }
    for (size_t i = 0; i < n; i++)
        if (!isfinite(gsl_matrix_get(A, i, i)))
            return false;
    return true;
}

/* Columns at .. at + width - 1 of L^-1, which begin at row `at`. */
static void invert_columns(double *c, gsl_matrix *T, const gsl_matrix *L, size_t at)
{
    const size_t n = L->size1, width = part(at, n);
    gsl_matrix_view x = gsl_matrix_submatrix(T, at, at, n - at, width);
    gsl_matrix_const_view l = gsl_matrix_const_submatrix(L, at, at, n - at, n - at);
    gsl_matrix_set_identity(&x.matrix);
    gsl_blas_dtrsm(CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, 1, &l.matrix, &x.matrix);
    for (size_t j = 0; j < width; j++)
        c[at + j] = 0;
    for (size_t k = 0; k < n - at; k++) {
        const double *row = gsl_matrix_const_ptr(&x.matrix, k, 0);
        for (size_t j = 0; j < width; j++)
            c[at + j] += row[j] * row[j];
    }
}

void rvm_cholesky_inverse_diagonal(double *c, gsl_matrix *T, const gsl_matrix *L, int threads)
{
    const size_t n = L->size1, blocks = (n + TILE - 1) / TILE;
    const int team = team_for((double)n * (double)n * (double)n / 3, threads);
    (void)team;
#pragma omp parallel for schedule(dynamic) num_threads(team) if (team > 1)
    for (size_t k = 0; k < blocks; k++)
        invert_columns(c, T, L, k * TILE);
}

double rvm_cholesky_log_det(const gsl_matrix *L)
{
    double sum = 0;
    for (size_t i = 0; i < L->size1; i++)
        sum += log(gsl_matrix_get(L, i, i));
    return 2 * sum;
}

void rvm_cholesky_inverse(gsl_matrix *Inv, const gsl_matrix *L)
{
    gsl_matrix_memcpy(Inv, L);
    gsl_linalg_cholesky_invert(Inv);
}

bool rvm_qr_factor(gsl_matrix *S, gsl_matrix *tau)
{
    if (gsl_linalg_QR_decomp_r(S, tau) != GSL_SUCCESS)
        return false;
    for (size_t i = 0; i < S->size2; i++)
        if (gsl_matrix_get(S, i, i) < 0) {
            gsl_vector_view row = gsl_matrix_subrow(S, i, i, S->size2 - i);
            gsl_vector_scale(&row.vector, -1);
        }
    return true;
}
