/* The few factorisations and products that training needs; thin over GSL. */
#include "base/linalg.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_math.h>
#include <math.h>

#include "base/parallel.h"

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

/* What a product in tiles is made of: borrowed. */
typedef struct {
    gsl_matrix *C;
    const gsl_matrix *A, *B;
    size_t across;       /* tiles */
    size_t first, width; /* of a part: where it begins */
    bool fresh;
    double *c;
} tiled;

static rvm_status product_piece(void *context, size_t k, int worker, rvm_error *err)
{
    const tiled *t = context;
    const size_t i = k / t->across, j = k % t->across;
    (void)worker, (void)err;
    if (t->A != t->B || j <= i)
        product_tile(t->C, t->A, t->B, i * TILE, j * TILE);
    return RVM_OK;
}

void rvm_product_nt(gsl_matrix *C, const gsl_matrix *A, const gsl_matrix *B, int threads)
{
    const size_t down = (C->size1 + TILE - 1) / TILE, across = (C->size2 + TILE - 1) / TILE;
    const double work = (double)C->size1 * (double)C->size2 * (double)A->size2;
    tiled t = { .C = C, .A = A, .B = B, .across = across };
    rvm_share(down * across, product_piece, &t, team_for(work, threads), NULL);
    if (A == B)
        mirror_lower(C);
}

static rvm_status gram_piece(void *context, size_t k, int worker, rvm_error *err)
{
    const tiled *t = context;
    const size_t n = t->C->size1, i = t->first + k / t->across * GRAM_TILE,
                 j = k % t->across * GRAM_TILE;
    const size_t rows = GSL_MIN(GRAM_TILE, n - i), columns = GSL_MIN(GRAM_TILE, n - j);
    (void)worker, (void)err;
    if (j >= i + rows)
        return RVM_OK;
    gsl_matrix_view g = gsl_matrix_submatrix(t->C, i, j, rows, columns);
    gsl_matrix_const_view a = gsl_matrix_const_submatrix(t->A, i, 0, rows, t->A->size2);
    gsl_matrix_const_view b = gsl_matrix_const_submatrix(t->A, j, 0, columns, t->A->size2);
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, &a.matrix, &b.matrix, t->fresh ? 0 : 1, &g.matrix);
    return RVM_OK;
}

void rvm_gram_add(gsl_matrix *G, const gsl_matrix *A, size_t first, bool fresh, int threads)
{
    const size_t n = G->size1, down = (n - first + GRAM_TILE - 1) / GRAM_TILE,
                 across = (n + GRAM_TILE - 1) / GRAM_TILE;
    tiled t = { .C = G, .A = A, .across = across, .first = first, .fresh = fresh };
    rvm_share(down * across, gram_piece, &t,
              team_for((double)(n - first) * (double)n * (double)A->size2, threads), NULL);
}

void rvm_gram_mirror(gsl_matrix *G, size_t first)
{
    for (size_t i = first; i < G->size1; i++)
        for (size_t j = 0; j < i; j++)
            gsl_matrix_set(G, j, i, gsl_matrix_get(G, i, j));
}

static rvm_status solve_piece(void *context, size_t k, int worker, rvm_error *err)
{
    const tiled *t = context;
    const size_t at = t->first, width = t->width, i = at + width + k * TILE;
    gsl_matrix_const_view L = gsl_matrix_const_submatrix(t->C, at, at, width, width);
    gsl_matrix_view a = gsl_matrix_submatrix(t->C, i, at, part(i, t->C->size1), width);
    (void)worker, (void)err;
    gsl_blas_dtrsm(CblasRight, CblasLower, CblasTrans, CblasNonUnit, 1, &L.matrix, &a.matrix);
    return RVM_OK;
}

/* Rows below a factored diagonal block: A_i := A_i L^-T. */
static void solve_below(gsl_matrix *A, size_t at, size_t width, int team)
{
    const size_t below = A->size1 - at - width, tiles = (below + TILE - 1) / TILE;
    tiled t = { .C = A, .first = at, .width = width };
    rvm_share(tiles, solve_piece, &t, team, NULL);
}

static rvm_status update_piece(void *context, size_t k, int worker, rvm_error *err)
{
    const tiled *t = context;
    gsl_matrix *A = t->C;
    const size_t at = t->first, width = t->width, first = at + width;
    const size_t i = first + k / t->across * TILE, j = first + k % t->across * TILE;
    (void)worker, (void)err;
    if (j > i)
        return RVM_OK;
    gsl_matrix_view c = gsl_matrix_submatrix(A, i, j, part(i, A->size1), part(j, A->size1));
    gsl_matrix_const_view a = gsl_matrix_const_submatrix(A, i, at, c.matrix.size1, width);
    gsl_matrix_const_view b = gsl_matrix_const_submatrix(A, j, at, c.matrix.size2, width);
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, -1, &a.matrix, &b.matrix, 1, &c.matrix);
    return RVM_OK;
}

/* The lower triangle behind the block less what the block explains. */
static void update_behind(gsl_matrix *A, size_t at, size_t width, int team)
{
    const size_t across = (A->size1 - at - width + TILE - 1) / TILE;
    tiled t = { .C = A, .across = across, .first = at, .width = width };
    rvm_share(across * across, update_piece, &t, team, NULL);
}

bool rvm_cholesky(gsl_matrix *A, int threads)
{
    const size_t n = A->size1;
    for (size_t at = 0; at < n; at += TILE) {
        const size_t width = part(at, n), below = n - at - width;
        gsl_matrix_view block = gsl_matrix_submatrix(A, at, at, width, width);
        if (gsl_linalg_cholesky_decomp1(&block.matrix) != GSL_SUCCESS)
            return false;
        if (below > 0) {
            const double square = (double)width * (double)width;
            solve_below(A, at, width, team_for(0.5 * square * (double)below, threads));
            update_behind(A, at, width,
                          team_for(0.5 * (double)width * (double)below * (double)below, threads));
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

static rvm_status invert_piece(void *context, size_t k, int worker, rvm_error *err)
{
    const tiled *t = context;
    (void)worker, (void)err;
    invert_columns(t->c, t->C, t->A, k * TILE);
    return RVM_OK;
}

void rvm_cholesky_inverse_diagonal(double *c, gsl_matrix *T, const gsl_matrix *L, int threads)
{
    const size_t n = L->size1, blocks = (n + TILE - 1) / TILE;
    tiled t = { .C = T, .A = L, .c = c };
    rvm_share(blocks, invert_piece, &t, team_for((double)n * (double)n * (double)n / 3, threads),
              NULL);
}

double rvm_cholesky_log_det(const gsl_matrix *L)
{
    double sum = 0;
    for (size_t i = 0; i < L->size1; i++)
        sum += log(gsl_matrix_get(L, i, i));
    return 2 * sum;
}

void rvm_cholesky_solve(const gsl_matrix *L, double *x)
{
    gsl_vector_view v = gsl_vector_view_array(x, L->size1);
    gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, L, &v.vector);
    gsl_blas_dtrsv(CblasLower, CblasTrans, CblasNonUnit, L, &v.vector);
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
