/* linalg.c on random and Hilbert matrices, around the size of a tile. */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>

#include "base/linalg.h"
#include "base/stack.h"
#include "problems.h"
#include "suites.h"

/* A tile is 192 wide. */
static const size_t sizes[] = { 1, 2, 191, 192, 193, 400 };
enum { SIZES = sizeof sizes / sizeof *sizes };

static gsl_matrix *random_matrix(size_t rows, size_t columns, unsigned long seed)
{
    gsl_matrix *A = gsl_matrix_alloc(rows, columns);
    gsl_rng *rng = random_numbers(seed);
    ck_assert_ptr_nonnull(A);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            gsl_matrix_set(A, i, j, gsl_ran_gaussian(rng, 1));
    gsl_rng_free(rng);
    return A;
}

/* A B' by plain sums. */
static gsl_matrix *plain_product_nt(const gsl_matrix *A, const gsl_matrix *B)
{
    gsl_matrix *C = gsl_matrix_alloc(A->size1, B->size1);
    ck_assert_ptr_nonnull(C);
    for (size_t i = 0; i < A->size1; i++)
        for (size_t j = 0; j < B->size1; j++) {
            const double *a = gsl_matrix_const_ptr(A, i, 0), *b = gsl_matrix_const_ptr(B, j, 0);
            double sum = 0;
            for (size_t k = 0; k < A->size2; k++)
                sum += a[k] * b[k];
            gsl_matrix_set(C, i, j, sum);
        }
    return C;
}

/* B B' / n + I / 10, of condition some 40. */
static gsl_matrix *random_definite(size_t n, unsigned long seed)
{
    gsl_matrix *B = random_matrix(n, n, seed), *A = plain_product_nt(B, B);
    gsl_matrix_scale(A, 1 / (double)n);
    for (size_t i = 0; i < n; i++)
        *gsl_matrix_ptr(A, i, i) += 0.1;
    gsl_matrix_free(B);
    return A;
}

static gsl_matrix *hilbert(size_t n)
{
    gsl_matrix *A = gsl_matrix_alloc(n, n);
    ck_assert_ptr_nonnull(A);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            gsl_matrix_set(A, i, j, 1 / (double)(i + j + 1));
    return A;
}

static void keep_lower(gsl_matrix *L)
{
    for (size_t i = 0; i < L->size1; i++)
        for (size_t j = i + 1; j < L->size1; j++)
            gsl_matrix_set(L, i, j, 0);
}

static double largest_difference(const gsl_matrix *A, const gsl_matrix *B)
{
    double worst = 0;
    for (size_t i = 0; i < A->size1; i++)
        for (size_t j = 0; j < A->size2; j++)
            worst = fmax(worst, fabs(gsl_matrix_get(A, i, j) - gsl_matrix_get(B, i, j)));
    return worst;
}

static bool same_bits(const gsl_matrix *A, const gsl_matrix *B)
{
    bool same = A->size1 == B->size1 && A->size2 == B->size2;
    for (size_t i = 0; i < A->size1 && same; i++)
        same = memcmp(gsl_matrix_const_ptr(A, i, 0), gsl_matrix_const_ptr(B, i, 0),
                      A->size2 * sizeof(double)) == 0;
    return same;
}

/* ---- Products ------------------------------------------------------------------------------- */

START_TEST(product_is_the_sum)
    {
        const size_t shapes[][3] = { { 1, 1, 1 }, { 3, 5, 7 }, { 192, 1, 4 }, { 193, 385, 20 } };
        for (size_t k = 0; k < 4; k++) {
            gsl_matrix *A = random_matrix(shapes[k][0], shapes[k][2], 1 + k);
            gsl_matrix *B = random_matrix(shapes[k][1], shapes[k][2], 11 + k);
            gsl_matrix *C = gsl_matrix_alloc(A->size1, B->size1), *want = plain_product_nt(A, B);
            rvm_product_nt(C, A, B, 2);
            ck_assert_double_lt(largest_difference(C, want), 1e-13);
            gsl_matrix_free(A);
            gsl_matrix_free(B);
            gsl_matrix_free(C);
            gsl_matrix_free(want);
        }
    }
END_TEST

START_TEST(product_with_itself_is_symmetric)
    {
        gsl_matrix *A = random_matrix(300, 77, 3), *want = plain_product_nt(A, A);
        gsl_matrix *C = gsl_matrix_alloc(300, 300), *turned = gsl_matrix_alloc(300, 300);
        rvm_product_nt(C, A, A, 1);
        gsl_matrix_transpose_memcpy(turned, C);
        ck_assert(same_bits(C, turned));
        ck_assert_double_lt(largest_difference(C, want), 1e-12);
        gsl_matrix_free(A);
        gsl_matrix_free(C);
        gsl_matrix_free(turned);
        gsl_matrix_free(want);
    }
END_TEST

START_TEST(product_of_any_number_of_threads)
    {
        gsl_matrix *A = random_matrix(400, 100, 3), *B = random_matrix(300, 100, 4);
        gsl_matrix *one = gsl_matrix_alloc(400, 300), *two = gsl_matrix_alloc(400, 300);
        rvm_product_nt(one, A, B, 1);
        rvm_product_nt(two, A, B, 2);
        ck_assert(same_bits(one, two));
        gsl_matrix_free(A);
        gsl_matrix_free(B);
        gsl_matrix_free(one);
        gsl_matrix_free(two);
    }
END_TEST

/* ---- Cholesky ------------------------------------------------------------------------------- */

START_TEST(factor_gives_the_matrix_back)
    {
        const size_t n = sizes[_i];
        gsl_matrix *A = random_definite(n, 5), *L = gsl_matrix_alloc(n, n);
        gsl_matrix_memcpy(L, A);
        ck_assert(rvm_cholesky(L, 2));
        keep_lower(L);
        gsl_matrix *back = plain_product_nt(L, L);
        ck_assert_double_lt(largest_difference(back, A), 1e-13 * (double)n);
        for (size_t i = 0; i < n; i++)
            ck_assert_double_gt(gsl_matrix_get(L, i, i), 0);
        gsl_matrix_free(A);
        gsl_matrix_free(L);
        gsl_matrix_free(back);
    }
END_TEST

/* ln det by LU, the inverse by what it is. */
START_TEST(determinant_and_inverse)
    {
        const size_t n = sizes[_i];
        gsl_matrix *A = random_definite(n, 6), *L = gsl_matrix_alloc(n, n);
        gsl_matrix *Inv = gsl_matrix_alloc(n, n), *T = gsl_matrix_alloc(n, n);
        double *c = calloc(n, sizeof *c), *x = calloc(n, sizeof *x);
        gsl_matrix_memcpy(L, A);
        ck_assert(rvm_cholesky(L, 1));
        rvm_cholesky_inverse(Inv, L);
        rvm_cholesky_inverse_diagonal(c, T, L, 2);
        gsl_matrix *unit = plain_product_nt(A, Inv); /* Inv is symmetric */
        for (size_t i = 0; i < n; i++) {
            check_close(c[i], gsl_matrix_get(Inv, i, i), 1e-12);
            for (size_t j = 0; j < n; j++) {
                ck_assert_double_eq_tol(gsl_matrix_get(unit, i, j), i == j, 1e-11);
                ck_assert_double_eq(gsl_matrix_get(Inv, i, j), gsl_matrix_get(Inv, j, i));
            }
        }
        check_close(rvm_cholesky_log_det(L), solve_lu(x, A, c), 1e-12);
        gsl_matrix_free(A);
        gsl_matrix_free(L);
        gsl_matrix_free(Inv);
        gsl_matrix_free(T);
        gsl_matrix_free(unit);
        free(c);
        free(x);
    }
END_TEST

START_TEST(factor_of_any_number_of_threads)
    {
        const size_t n = 400;
        gsl_matrix *one = random_definite(n, 7), *two = gsl_matrix_alloc(n, n);
        gsl_matrix *T = gsl_matrix_alloc(n, n);
        double c1[400], c2[400];
        gsl_matrix_memcpy(two, one);
        ck_assert(rvm_cholesky(one, 1) && rvm_cholesky(two, 2));
        keep_lower(one);
        keep_lower(two);
        ck_assert(same_bits(one, two));
        rvm_cholesky_inverse_diagonal(c1, T, one, 1);
        rvm_cholesky_inverse_diagonal(c2, T, two, 2);
        ck_assert_mem_eq(c1, c2, sizeof c1);
        gsl_matrix_free(one);
        gsl_matrix_free(two);
        gsl_matrix_free(T);
    }
END_TEST

/* The inverse of Hilbert's matrix of order 5 has the diagonal 25, 4800, 79380, 179200, 44100, and
 * its determinant is 1 / 266716800000; the condition is 4.8e5. */
START_TEST(hilbert_of_order_5)
    {
        const double diagonal[] = { 25, 4800, 79380, 179200, 44100 };
        gsl_matrix *L = hilbert(5), *T = gsl_matrix_alloc(5, 5);
        double c[5];
        ck_assert(rvm_cholesky(L, 1));
        rvm_cholesky_inverse_diagonal(c, T, L, 1);
        for (size_t i = 0; i < 5; i++)
            check_close(c[i], diagonal[i], 1e-10);
        check_close(rvm_cholesky_log_det(L), -log(266716800000.0), 1e-11);
        gsl_matrix_free(L);
        gsl_matrix_free(T);
    }
END_TEST

/* Of condition 1e28 at order 20. */
START_TEST(hilbert_of_order_20_breaks_down)
    {
        gsl_matrix *L = hilbert(20);
        ck_assert(!rvm_cholesky(L, 1));
        gsl_matrix_free(L);
    }
END_TEST

START_TEST(breakdown_is_noticed)
    {
        const double twins[] = { 1, 1, 1, 1 }, not_finite[] = { 1, 0, NAN, 2 };
        double a[4];
        gsl_matrix_view A = gsl_matrix_view_array(a, 2, 2);
        memcpy(a, twins, sizeof a);
        ck_assert(!rvm_cholesky(&A.matrix, 1));
        memcpy(a, not_finite, sizeof a);
        ck_assert(!rvm_cholesky(&A.matrix, 1));
        /* In each of the blocks of a larger one. */
        const size_t places[] = { 0, 191, 192, 399 };
        gsl_matrix *good = random_definite(400, 8), *B = gsl_matrix_alloc(400, 400);
        for (size_t k = 0; k < 8; k++) {
            gsl_matrix_memcpy(B, good);
            gsl_matrix_set(B, places[k / 2], places[k / 2], k % 2 == 0 ? -1e-3 : NAN);
            ck_assert(!rvm_cholesky(B, 2));
        }
        gsl_matrix_free(B);
        gsl_matrix_free(good);
    }
END_TEST

/* ---- QR ------------------------------------------------------------------------------------- */

START_TEST(triangle_of_a_stack)
    {
        const size_t shapes[][2] = { { 1, 1 }, { 7, 3 }, { 50, 50 }, { 300, 40 } };
        for (size_t k = 0; k < 4; k++) {
            const size_t n = shapes[k][1];
            gsl_matrix *S = random_matrix(shapes[k][0], n, 20 + k), *tau = gsl_matrix_alloc(n, n);
            gsl_matrix *columns = gsl_matrix_alloc(n, shapes[k][0]);
            gsl_matrix_transpose_memcpy(columns, S);
            gsl_matrix *want = plain_product_nt(columns, columns);
            ck_assert(rvm_qr_factor(S, tau));
            for (size_t i = 0; i < n; i++) {
                ck_assert_double_ge(gsl_matrix_get(S, i, i), 0);
                for (size_t j = i; j < n; j++) {
                    double sum = 0;
                    for (size_t m = 0; m <= i; m++)
                        sum += gsl_matrix_get(S, m, i) * gsl_matrix_get(S, m, j);
                    ck_assert_double_eq_tol(sum, gsl_matrix_get(want, i, j), 1e-11);
                }
            }
            gsl_matrix_free(S);
            gsl_matrix_free(tau);
            gsl_matrix_free(columns);
            gsl_matrix_free(want);
        }
    }
END_TEST

/* Lauchli's columns (1, e, 0), (1, 0, e) have R'R = (1 + e^2, 1; 1, 1 + e^2), so that R_22 is
 * e sqrt((2 + e^2) / (1 + e^2)); at e = 1e-9 the square is gone from S'S in doubles. */
START_TEST(condition_is_not_squared)
    {
        const double e = 1e-9;
        double s[] = { 1, 1, e, 0, 0, e }, square[] = { 1 + e * e, 1, 1, 1 + e * e }, t[4];
        gsl_matrix_view S = gsl_matrix_view_array(s, 3, 2), tau = gsl_matrix_view_array(t, 2, 2);
        gsl_matrix_view A = gsl_matrix_view_array(square, 2, 2);
        ck_assert(!rvm_cholesky(&A.matrix, 1));
        ck_assert(rvm_qr_factor(&S.matrix, &tau.matrix));
        ck_assert_double_eq_tol(s[0], 1, 1e-15);
        ck_assert_double_eq_tol(s[1], 1, 1e-15);
        ck_assert_double_eq_tol(s[3], sqrt(2) * e, 1e-6 * e);
    }
END_TEST

/* R of rows that come in strips is R of them all. */
START_TEST(strips_folded_in)
    {
        const size_t rows = 23, n = 5, most = 7;
        const double D[] = { 1, 1, 1, 1, 1 };
        gsl_matrix *S = random_matrix(rows, n, 31), *ST = gsl_matrix_alloc(n, rows);
        gsl_matrix *tau = gsl_matrix_alloc(n, n), *R = gsl_matrix_calloc(n, n);
        rvm_stack stack;
        ck_assert(rvm_stack_init(&stack, n, most));
        gsl_matrix_transpose_memcpy(ST, S);
        for (size_t at = 0; at < rows; at += most) {
            const size_t count = rows - at < most ? rows - at : most;
            ck_assert(rvm_stack_fold(R, &stack, ST, NULL, at, count, D, NULL));
        }
        ck_assert(rvm_qr_factor(S, tau));
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                ck_assert_double_eq_tol(gsl_matrix_get(R, i, j),
                                        j < i ? 0 : gsl_matrix_get(S, i, j), 1e-13);
        gsl_matrix_free(S);
        gsl_matrix_free(ST);
        rvm_stack_free(&stack);
        gsl_matrix_free(tau);
        gsl_matrix_free(R);
    }
END_TEST

static const size_t triangles[] = { 1, 2, 63, 64, 65, 130, 200 };
enum { TRIANGLES = sizeof triangles / sizeof *triangles };

static gsl_matrix *random_triangle(size_t n, unsigned long seed)
{
    gsl_matrix *R = random_matrix(n, n, seed);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            gsl_matrix_set(R, i, j, 0);
    return R;
}

/* R'R of the triangle of two is R1'R1 + R2'R2, its diagonal is not negative, and one of zeros, which
 * no rows have left, changes nothing. */
START_TEST(triangles_joined)
    {
        const size_t n = triangles[_i], size = rvm_stack_packed_size(n);
        gsl_matrix *R = random_triangle(n, 41), *S = random_triangle(n, 42);
        gsl_matrix *RT = gsl_matrix_alloc(n, n), *ST = gsl_matrix_alloc(n, n);
        gsl_matrix_transpose_memcpy(RT, R);
        gsl_matrix_transpose_memcpy(ST, S);
        gsl_matrix *want = plain_product_nt(RT, RT), *other = plain_product_nt(ST, ST);
        double *r = calloc(2 * size, sizeof *r), *s = r + size;
        rvm_stack stack;
        ck_assert_uint_eq(size, n * (n + 1) / 2);
        ck_assert(rvm_stack_init(&stack, n, n + RVM_STACK_PANEL));
        gsl_matrix_add(want, other);
        rvm_stack_pack(r, R);
        rvm_stack_pack(s, S);
        ck_assert(rvm_stack_join(r, s, &stack));
        memset(s, 0, size * sizeof *s);
        ck_assert(rvm_stack_join(r, s, &stack));
        rvm_stack_unpack(R, r);
        for (size_t i = 0; i < n; i++) {
            ck_assert_double_ge(gsl_matrix_get(R, i, i), 0);
            for (size_t j = 0; j < i; j++)
                ck_assert_double_eq(gsl_matrix_get(R, i, j), 0);
        }
        gsl_matrix_transpose_memcpy(RT, R);
        gsl_matrix *found = plain_product_nt(RT, RT);
        ck_assert_double_lt(largest_difference(found, want), 1e-13 * (double)n);
        rvm_stack_free(&stack);
        gsl_matrix_free(R);
        gsl_matrix_free(S);
        gsl_matrix_free(RT);
        gsl_matrix_free(ST);
        gsl_matrix_free(want);
        gsl_matrix_free(other);
        gsl_matrix_free(found);
        free(r);
    }
END_TEST

/* ---- Gram matrices --------------------------------------------------------------------------- */

/* Around the size of a tile, 96, also of the rows that are new; A is added in two pieces. */
static const size_t gram_sizes[][2] = { { 1, 0 },   { 95, 0 },    { 96, 0 },    { 97, 3 },
                                        { 97, 96 }, { 250, 100 }, { 250, 249 }, { 193, 192 } };
enum { GRAM_SIZES = sizeof gram_sizes / sizeof *gram_sizes };

/* What is there, or only what is new of the lower triangle. */
static void add_piece(gsl_matrix *G, double *packed, const gsl_matrix *A, size_t first, bool fresh)
{
    if (packed == NULL)
        rvm_gram_add(G, A, first, fresh, 1);
    else
        rvm_gram_add_packed(packed, A, first, fresh ? 1 : 3);
}

START_TEST(gram_matrix_in_pieces)
    {
        const size_t n = gram_sizes[_i / 2][0], first = gram_sizes[_i / 2][1];
        const size_t size = rvm_gram_packed_size(n, first);
        double *packed = _i % 2 == 0 ? NULL : calloc(size + 1, sizeof *packed);
        if (packed != NULL)
            packed[size] = 7;
        gsl_matrix *A = random_matrix(n, 70, 5), *want = plain_product_nt(A, A);
        gsl_matrix *G = random_matrix(n, n, 6), *old = gsl_matrix_alloc(n, n);
        gsl_matrix_memcpy(old, G);
        gsl_matrix_view one = gsl_matrix_submatrix(A, 0, 0, n, 30);
        gsl_matrix_view two = gsl_matrix_submatrix(A, 0, 30, n, 40);
        add_piece(G, packed, &one.matrix, first, true);
        add_piece(G, packed, &two.matrix, first, false);
        if (packed == NULL)
            rvm_gram_mirror(G, first);
        else
            rvm_gram_unpack(G, packed, first);
        ck_assert(packed == NULL || packed[size] == 7);
        ck_assert_uint_le(size, (n - first) * n);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                if (i >= first || j >= first)
                    check_close(gsl_matrix_get(G, i, j), gsl_matrix_get(want, i, j), 1e-13);
                else /* what is known stays as it is */
                    ck_assert_double_eq(gsl_matrix_get(G, i, j), gsl_matrix_get(old, i, j));
                if (i >= first || j >= first)
                    ck_assert_double_eq(gsl_matrix_get(G, i, j), gsl_matrix_get(G, j, i));
            }
        gsl_matrix_free(A);
        gsl_matrix_free(want);
        gsl_matrix_free(G);
        gsl_matrix_free(old);
        free(packed);
    }
END_TEST

/* What stood there before does not matter where it is replaced, not a number included. */
START_TEST(gram_matrix_from_nothing)
    {
        gsl_matrix *A = random_matrix(5, 9, 5), *want = plain_product_nt(A, A);
        gsl_matrix *G = gsl_matrix_alloc(5, 5);
        gsl_matrix_set_all(G, NAN);
        rvm_gram_add(G, A, 0, true, 1);
        rvm_gram_mirror(G, 0);
        ck_assert_double_lt(largest_difference(G, want), 1e-13);
        ck_assert(isfinite(gsl_matrix_get(G, 0, 4)));
        gsl_matrix_free(A);
        gsl_matrix_free(want);
        gsl_matrix_free(G);
    }
END_TEST

START_TEST(gram_matrix_of_any_number_of_threads)
    {
        gsl_matrix *A = random_matrix(300, 400, 7), *one = gsl_matrix_calloc(300, 300);
        gsl_matrix *more = gsl_matrix_calloc(300, 300);
        rvm_gram_add(one, A, 50, true, 1);
        for (int threads = 2; threads <= 4; threads++) {
            rvm_gram_add(more, A, 50, true, threads);
            ck_assert(same_bits(one, more));
        }
        gsl_matrix_free(A);
        gsl_matrix_free(one);
        gsl_matrix_free(more);
    }
END_TEST

Suite *linalg_suite(void);
Suite *linalg_suite(void)
{
    Suite *s = suite_create("linalg");
    TCase *c = tcase_create("linalg");
    tcase_add_test(c, product_is_the_sum);
    tcase_add_test(c, product_with_itself_is_symmetric);
    tcase_add_test(c, product_of_any_number_of_threads);
    tcase_add_loop_test(c, factor_gives_the_matrix_back, 0, SIZES);
    tcase_add_loop_test(c, determinant_and_inverse, 0, SIZES);
    tcase_add_test(c, factor_of_any_number_of_threads);
    tcase_add_test(c, hilbert_of_order_5);
    tcase_add_test(c, hilbert_of_order_20_breaks_down);
    tcase_add_test(c, breakdown_is_noticed);
    tcase_add_test(c, triangle_of_a_stack);
    tcase_add_test(c, condition_is_not_squared);
    tcase_add_test(c, strips_folded_in);
    tcase_add_loop_test(c, triangles_joined, 0, TRIANGLES);
    tcase_add_loop_test(c, gram_matrix_in_pieces, 0, 2 * GRAM_SIZES);
    tcase_add_test(c, gram_matrix_from_nothing);
    tcase_add_test(c, gram_matrix_of_any_number_of_threads);
    suite_add_tcase(s, c);
    return s;
}
