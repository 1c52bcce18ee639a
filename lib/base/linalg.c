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

/* What a computation in tiles is made of: borrowed. */
typedef struct {
    gsl_matrix *C;
    const gsl_matrix *A, *B;
    double alpha, beta;
    size_t tile, across; /* tiles of a row */
    size_t first, width; /* of a part: where it begins */
    bool lower;          /* tiles above the diagonal are left out */
    double *c;
} tiled;

static rvm_status product_piece(void *context, size_t k, int worker, rvm_error *err)
{
    const tiled *t = context;
    const size_t i = t->first + k / t->across * t->tile, j = k % t->across * t->tile;
    const size_t rows = GSL_MIN(t->tile, t->C->size1 - i),
                 columns = GSL_MIN(t->tile, t->C->size2 - j);
    (void)worker, (void)err;
    if (t->lower && j >= i + rows)
        return RVM_OK;
    gsl_matrix_view c = gsl_matrix_submatrix(t->C, i, j, rows, columns);
    gsl_matrix_const_view a = gsl_matrix_const_submatrix(t->A, i, 0, rows, t->A->size2);
    gsl_matrix_const_view b = gsl_matrix_const_submatrix(t->B, j, 0, columns, t->B->size2);
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, t->alpha, &a.matrix, &b.matrix, t->beta, &c.matrix);
    return RVM_OK;
}

/* C := beta C + alpha A B', rows t.first and beyond. */
static void multiply(tiled t, int threads)
{
    const size_t rows = t.C->size1 - t.first, down = (rows + t.tile - 1) / t.tile;
    const double work = (double)rows * (double)t.C->size2 * (double)t.A->size2;
    t.across = (t.C->size2 + t.tile - 1) / t.tile;
    rvm_share(down * t.across, product_piece, &t, team_for(work, threads), NULL);
}

void rvm_product_nt(gsl_matrix *C, const gsl_matrix *A, const gsl_matrix *B, int threads)
{
    multiply((tiled){ .C = C, .A = A, .B = B, .alpha = 1, .tile = TILE, .lower = A == B }, threads);
    if (A == B)
        rvm_gram_mirror(C, 0);
}

void rvm_product_add(gsl_matrix *C, const gsl_matrix *A, const gsl_matrix *B, int threads)
{
    multiply((tiled){ .C = C, .A = A, .B = B, .alpha = 1, .beta = 1, .tile = TILE }, threads);
}

void rvm_gram_add(gsl_matrix *G, const gsl_matrix *A, size_t first, bool fresh, int threads)
{
    multiply((tiled){ .C = G,
                      .A = A,
                      .B = A,
                      .alpha = 1,
                      .beta = fresh ? 0 : 1,
                      .tile = GRAM_TILE,
                      .first = first,
                      .lower = true },
             threads);
}

void rvm_gram_mirror(gsl_matrix *G, size_t first)
{
    for (size_t i = first; i < G->size1; i++)
        for (size_t j = 0; j < i; j++)
            gsl_matrix_set(G, j, i, gsl_matrix_get(G, i, j));
}

/* Rows of a lower triangle from `first` on, in blocks of GRAM_TILE of them, each as wide as its last
 * row: numbers before block k. */
static size_t packed_offset(size_t k, size_t first)
{
    return GRAM_TILE * (k * first + GRAM_TILE * (k * (k + 1) / 2));
}

/* Block k of those below K rows. */
static gsl_matrix_view packed_block(double *packed, size_t k, size_t first, size_t K)
{
    const size_t i = first + k * GRAM_TILE, rows = GSL_MIN(GRAM_TILE, K - i);
    return gsl_matrix_view_array(packed + packed_offset(k, first), rows, i + rows);
}

size_t rvm_gram_packed_size(size_t K, size_t first)
{
    const size_t blocks = (K - first) / GRAM_TILE, rest = (K - first) % GRAM_TILE;
    return packed_offset(blocks, first) + rest * K;
}

/* Borrowed. */
typedef struct {
    double *packed;
    const gsl_matrix *A;
    size_t first, across;
} packed_job;

static rvm_status packed_piece(void *context, size_t number, int worker, rvm_error *err)
{
    const packed_job *p = context;
    const size_t k = number / p->across, j = number % p->across * GRAM_TILE;
    gsl_matrix_view block = packed_block(p->packed, k, p->first, p->A->size1);
    (void)worker, (void)err;
    if (j >= block.matrix.size2)
        return RVM_OK;
    const size_t rows = block.matrix.size1, columns = GSL_MIN(GRAM_TILE, block.matrix.size2 - j);
    gsl_matrix_view c = gsl_matrix_submatrix(&block.matrix, 0, j, rows, columns);
    gsl_matrix_const_view a =
        gsl_matrix_const_submatrix(p->A, p->first + k * GRAM_TILE, 0, rows, p->A->size2);
    gsl_matrix_const_view b = gsl_matrix_const_submatrix(p->A, j, 0, columns, p->A->size2);
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, &a.matrix, &b.matrix, 1, &c.matrix);
    return RVM_OK;
}

void rvm_gram_add_packed(double *packed, const gsl_matrix *A, size_t first, int threads)
{
    const size_t K = A->size1, down = (K - first + GRAM_TILE - 1) / GRAM_TILE;
    const double work = (double)(K - first) * (double)K * (double)A->size2;
    packed_job job = { packed, A, first, (K + GRAM_TILE - 1) / GRAM_TILE };
    rvm_share(down * job.across, packed_piece, &job, team_for(work, threads), NULL);
}

void rvm_gram_unpack(gsl_matrix *G, const double *packed, size_t first)
{
    const size_t K = G->size1;
    for (size_t i = first; i < K; i++) {
        const size_t k = (i - first) / GRAM_TILE, top = first + k * GRAM_TILE;
        const size_t width = GSL_MIN(top + GRAM_TILE, K);
        const double *row = packed + packed_offset(k, first) + (i - top) * width;
        for (size_t j = 0; j <= i; j++)
            gsl_matrix_set(G, i, j, row[j]);
    }
    rvm_gram_mirror(G, first);
}

/* Rows below a factored diagonal block, a tile of them: A_i := A_i L^-T. */
static rvm_status solve_piece(void *context, size_t k, int worker, rvm_error *err)
{
    const tiled *t = context;
    const size_t at = t->first, width = t->width, i = at + width + k * TILE;
    gsl_matrix_const_view L = gsl_matrix_const_submatrix(t->C, at, at, width, width);
    gsl_matrix_view a = gsl_matrix_submatrix(t->C, i, at, GSL_MIN(TILE, t->C->size1 - i), width);
    (void)worker, (void)err;
    gsl_blas_dtrsm(CblasRight, CblasLower, CblasTrans, CblasNonUnit, 1, &L.matrix, &a.matrix);
    return RVM_OK;
}

static void solve_below(gsl_matrix *A, size_t at, size_t width, int team)
{
    const size_t below = A->size1 - at - width, tiles = (below + TILE - 1) / TILE;
    tiled t = { .C = A, .first = at, .width = width };
    rvm_share(tiles, solve_piece, &t, team, NULL);
}

/* The lower triangle behind the block less what the block explains. */
static void update_behind(gsl_matrix *A, size_t at, size_t width, int threads)
{
    const size_t behind = at + width, left = A->size1 - behind;
    gsl_matrix_view C = gsl_matrix_submatrix(A, behind, behind, left, left);
    gsl_matrix_const_view L = gsl_matrix_const_submatrix(A, behind, at, left, width);
    multiply((tiled){ .C = &C.matrix,
                      .A = &L.matrix,
                      .B = &L.matrix,
                      .alpha = -1,
                      .beta = 1,
                      .tile = TILE,
                      .lower = true },
             threads);
}

/* By blocks of columns (Golub and Van Loan 1996, section 4.2). With A split behind the block,
 *
 *     A11 = L11 L11'    L21 = A21 L11^-T    A22 := A22 - L21 L21', whose factor is L22
 *
 * so that nearly all of the work is products of matrices, in tiles. */
bool rvm_cholesky(gsl_matrix *A, int threads)
{
    const size_t n = A->size1;
    for (size_t at = 0; at < n; at += TILE) {
        const size_t width = GSL_MIN(TILE, n - at), below = n - at - width;
        gsl_matrix_view block = gsl_matrix_submatrix(A, at, at, width, width);
        if (gsl_linalg_cholesky_decomp1(&block.matrix) != GSL_SUCCESS)
            return false;
        if (below > 0) {
            const double square = (double)width * (double)width;
            solve_below(A, at, width, team_for(0.5 * square * (double)below, threads));
            update_behind(A, at, width, threads);
        }
    }
    for (size_t i = 0; i < n; i++)
        if (!isfinite(gsl_matrix_get(A, i, i)))
            return false;
    return true;
}

/* Columns at .. at + width - 1 of X = L^-1, which begin at row `at`, from L X = I, and c of them:
 * A^-1 = L^-T L^-1, so its diagonal is the squared lengths of the columns of L^-1. */
static void invert_columns(double *c, gsl_matrix *T, const gsl_matrix *L, size_t at)
{
    const size_t n = L->size1, width = GSL_MIN(TILE, n - at);
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

/* Q' = I - V T'V' in compact form, V unit lower trapezoidal (Schreiber and Van Loan 1989); with C the
 * other columns, X = T'V'C and C := C - V X. */
bool rvm_qr_step(gsl_matrix *S, gsl_matrix *T, gsl_matrix *X)
{
    const size_t b = T->size1, below = S->size1 - b, others = S->size2 - b;
    gsl_matrix_view panel = gsl_matrix_submatrix(S, 0, 0, S->size1, b);
    if (gsl_linalg_QR_decomp_r(&panel.matrix, T) != GSL_SUCCESS)
        return false;
    if (others == 0)
        return true;
    gsl_matrix_const_view V1 = gsl_matrix_const_submatrix(S, 0, 0, b, b);
    gsl_matrix_const_view V2 = gsl_matrix_const_submatrix(S, b, 0, below, b);
    gsl_matrix_view C1 = gsl_matrix_submatrix(S, 0, b, b, others);
    gsl_matrix_view C2 = gsl_matrix_submatrix(S, b, b, below, others);
    gsl_matrix_memcpy(X, &C1.matrix);
    gsl_blas_dtrmm(CblasLeft, CblasLower, CblasTrans, CblasUnit, 1, &V1.matrix, X);
    gsl_blas_dgemm(CblasTrans, CblasNoTrans, 1, &V2.matrix, &C2.matrix, 1, X);
    gsl_blas_dtrmm(CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, 1, T, X);
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, -1, &V2.matrix, X, 1, &C2.matrix);
    gsl_blas_dtrmm(CblasLeft, CblasLower, CblasNoTrans, CblasUnit, 1, &V1.matrix, X);
    gsl_matrix_sub(&C1.matrix, X);
    return true;
}
