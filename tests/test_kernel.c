/* kernel.c: every kernel of the table, in both layouts, against its formula. */
#include <gsl/gsl_eigen.h>

#include "basis/kernel.h"
#include "problems.h"
#include "suites.h"

static const rvm_kernel kernels[] = {
    { .type = RVM_LINEAR },
    { .type = RVM_POLYNOMIAL, .degree = 3, .gamma = 0.7, .coef0 = 0.4 },
    { .type = RVM_POLYNOMIAL, .degree = 0, .gamma = 0.7, .coef0 = 0 },
    { .type = RVM_RBF, .gamma = 0.37 },
    { .type = RVM_SIGMOID, .gamma = 0.21, .coef0 = -0.3 },
    { .type = RVM_LAPLACIAN, .gamma = 0.53 },
    { .type = RVM_SPLINE },
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* ---- Rows ----------------------------------------------------------------------------------- */

enum { FEATURES = 60, PAIRS = 5 };

/* Rows of 5 of 60 features, of both signs; then `filler` rows that have all of them, which tip the
 * layout towards dense. */
static rvm_problem *scattered(size_t N, size_t filler, unsigned long seed)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(seed);
    for (size_t i = 0; i < N + filler; i++) {
        double x[FEATURES] = { 0 };
        for (int k = 0; k < (i < N ? PAIRS : FEATURES); k++)
            x[i < N ? gsl_rng_uniform_int(rng, FEATURES) : (size_t)k] = gsl_ran_gaussian(rng, 1);
        append_dense(p, 0, x, FEATURES);
    }
    gsl_rng_free(rng);
    return p;
}

static gsl_matrix *all_values(const rvm_kernel *k, const rvm_kernel_rows *a,
                              const rvm_kernel_rows *b)
{
    rvm_error err = { 0 };
    gsl_matrix *block = gsl_matrix_alloc(a->count, b->count);
    ck_assert_ptr_nonnull(block);
    CHECK_OK(rvm_kernel_block(block, k, a, NULL, b, 0, &err));
    return block;
}

/* All values between the rows of p, from the text. */
static gsl_matrix *values_of(const rvm_kernel *k, const char *text)
{
    rvm_problem *p = problem_from_text(text, (rvm_grammar){ 0 });
    rvm_kernel_rows *r = rvm_kernel_rows_alloc(p, k, NULL);
    ck_assert_ptr_nonnull(r);
    gsl_matrix *values = all_values(k, r, r);
    rvm_kernel_rows_free(r);
    rvm_problem_free(p);
    return values;
}

static double value_of(const rvm_kernel *k, const char *text)
{
    gsl_matrix *values = values_of(k, text);
    const double value = gsl_matrix_get(values, 0, 1);
    gsl_matrix_free(values);
    return value;
}

/* ---- Values --------------------------------------------------------------------------------- */

/* x = (1, 2), z = (3, 1): x'z = 5, |x - z|^2 = 5, |x - z|_1 = 3; splines 1 + 3 + 3 - 2 + 1/3 = 16/3
 * and 1 + 2 + 2 - 3/2 + 1/3 = 23/6. */
START_TEST(values_by_hand)
    {
        const char *rows = "0 1:1 2:2\n0 1:3 2:1\n";
        const rvm_kernel linear = { .type = RVM_LINEAR };
        const rvm_kernel cubic = { .type = RVM_POLYNOMIAL, .degree = 3, .gamma = 0.5, .coef0 = 1 };
        const rvm_kernel rbf = { .type = RVM_RBF, .gamma = 0.5 };
        const rvm_kernel sigmoid = { .type = RVM_SIGMOID, .gamma = 0.5, .coef0 = -2 };
        const rvm_kernel laplacian = { .type = RVM_LAPLACIAN, .gamma = 0.5 };
        const rvm_kernel splines = { .type = RVM_SPLINE };
        ck_assert_double_eq(value_of(&linear, rows), 5);
        ck_assert_double_eq_tol(value_of(&cubic, rows), 42.875, 1e-13);
        ck_assert_double_eq_tol(value_of(&rbf, rows), 0.0820849986238988, 1e-16);
        ck_assert_double_eq_tol(value_of(&sigmoid, rows), 0.46211715726000973, 1e-15);
        ck_assert_double_eq_tol(value_of(&laplacian, rows), 0.22313016014842982, 1e-16);
        ck_assert_double_eq_tol(value_of(&splines, rows), 16.0 / 3 * 23 / 6, 1e-13);
    }
END_TEST

/* m = -1: 1 - 2 + 2 - 1/2 - 1/3 = 1/6; m = -2: 1 + 2 - 4 + 6 - 8/3 = 7/3. */
START_TEST(spline_of_negative_inputs)
    {
        const rvm_kernel k = { .type = RVM_SPLINE };
        ck_assert_double_eq_tol(value_of(&k, "0 1:-1\n0 1:2\n"), 1.0 / 6, 1e-15);
        ck_assert_double_eq_tol(value_of(&k, "0 1:-1\n0 1:-2\n"), 7.0 / 3, 1e-15);
        ck_assert_double_eq_tol(value_of(&k, "0 1:-1 2:-1\n0 1:2 2:-2\n"), 7.0 / 18, 1e-15);
        ck_assert_double_eq_tol(value_of(&k, "0 1:-2\n0\n"), 1 + 8.0 / 6, 1e-15);
    }
END_TEST

/* Each row with itself, all at once and alone, to the last bit. */
static void check_diagonal(const rvm_kernel *k, const rvm_kernel_rows *r, const rvm_problem *p)
{
    double *diagonal = calloc(r->count, sizeof *diagonal), one;
    ck_assert_ptr_nonnull(diagonal);
    rvm_kernel_diagonal(diagonal, k, r, 0, r->count);
    for (size_t n = 0; n < r->count; n++) {
        check_close(diagonal[n], kernel_by_formula(k, p, n, p, n, FEATURES), 1e-12);
        rvm_kernel_diagonal(&one, k, r, n, 1);
        ck_assert_double_eq(one, diagonal[n]);
    }
    free(diagonal);
}

static void check_against_formula(size_t filler, bool dense)
{
    const size_t N = 140; /* more than a tile */
    rvm_problem *p = scattered(N, filler, 1);
    for (int i = 0; i < KERNELS; i++) {
        rvm_kernel_rows *r = rvm_kernel_rows_alloc(p, &kernels[i], NULL);
        ck_assert_ptr_nonnull(r);
        ck_assert(r->dense == dense);
        check_diagonal(&kernels[i], r, p);
        gsl_matrix *values = all_values(&kernels[i], r, r);
        for (size_t m = 0; m < N; m++)
            for (size_t n = 0; n < N; n += 7)
                check_close(gsl_matrix_get(values, m, n),
                            kernel_by_formula(&kernels[i], p, m, p, n, FEATURES), 1e-13);
        gsl_matrix_free(values);
        rvm_kernel_rows_free(r);
    }
    rvm_problem_free(p);
}

START_TEST(sparse_layout_follows_the_formula)
    {
        check_against_formula(0, false);
    }
END_TEST

START_TEST(dense_layout_follows_the_formula)
    {
        check_against_formula(60, true);
    }
END_TEST

/* Other rows, with features that the first ones do not have: from 41 on. */
static void check_like(size_t filler, bool dense)
{
    rvm_problem *p = empty_problem(), *q = scattered(30, 2, 5);
    gsl_rng *rng = random_numbers(4);
    for (size_t i = 0; i < 30 + filler; i++) {
        double x[40] = { 0 };
        for (size_t k = 0; k < 40; k++)
            if (i >= 30 || gsl_rng_uniform(rng) < 0.1)
                x[k] = gsl_ran_gaussian(rng, 1);
        append_dense(p, 0, x, 40);
    }
    gsl_rng_free(rng);
    for (int i = 0; i < KERNELS; i++) {
        rvm_kernel_rows *a = rvm_kernel_rows_alloc(p, &kernels[i], NULL),
                        *b = rvm_kernel_rows_alloc(q, &kernels[i], a);
        ck_assert(a != NULL && b != NULL && a->dense == dense);
        check_diagonal(&kernels[i], b, q);
        gsl_matrix *across = all_values(&kernels[i], a, b), *back = all_values(&kernels[i], b, a);
        for (size_t m = 0; m < p->rows; m++)
            for (size_t n = 0; n < q->rows; n++) {
                const double want = kernel_by_formula(&kernels[i], p, m, q, n, FEATURES);
                check_close(gsl_matrix_get(across, m, n), want, 1e-12);
                check_close(gsl_matrix_get(back, n, m), want, 1e-12);
            }
        gsl_matrix_free(across);
        gsl_matrix_free(back);
        rvm_kernel_rows_free(b);
        rvm_kernel_rows_free(a);
    }
    rvm_problem_free(p);
    rvm_problem_free(q);
}

START_TEST(unseen_features_sparse)
    {
        check_like(0, false);
    }
END_TEST

START_TEST(unseen_features_dense)
    {
        check_like(30, true);
    }
END_TEST

/* Weights of inputs belong to it, and inputs without one do not: 4 * 9 + 1/4 * 4. */
START_TEST(diagonal_of_weighted_inputs)
    {
        const int index[] = { 1, 2, 3 };
        const double weight[] = { 4, 0, 0.25 };
        const rvm_input_weights inputs = { 3, index, weight };
        const rvm_kernel k = { .type = RVM_LINEAR, .inputs = &inputs };
        rvm_problem *p = problem_from_text("0 1:3 2:1e300 3:-2 4:1e300\n", (rvm_grammar){ 0 });
        rvm_kernel_rows *r = rvm_kernel_rows_alloc(p, &k, NULL);
        double value;
        rvm_kernel_diagonal(&value, &k, r, 0, 1);
        ck_assert_double_eq(value, 37);
        rvm_kernel_rows_free(r);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(symmetric)
    {
        const size_t fillers[] = { 0, 60 };
        for (int i = 0; i < KERNELS; i++) {
            rvm_problem *p = scattered(130, fillers[_i], 2);
            rvm_kernel_rows *r = rvm_kernel_rows_alloc(p, &kernels[i], NULL);
            gsl_matrix *values = all_values(&kernels[i], r, r);
            for (size_t m = 0; m < p->rows; m++)
                for (size_t n = 0; n < m; n++)
                    check_close(gsl_matrix_get(values, m, n), gsl_matrix_get(values, n, m), 1e-14);
            gsl_matrix_free(values);
            rvm_kernel_rows_free(r);
            rvm_problem_free(p);
        }
    }
END_TEST

/* ---- Blocks --------------------------------------------------------------------------------- */

/* Blocks of several shapes and places against the block of everything, bit for bit. */
START_TEST(values_do_not_depend_on_the_block)
    {
        const size_t shapes[][3] = { { 1, 1, 0 },    { 3, 1, 129 },   { 2, 128, 1 },
                                     { 5, 129, 60 }, { 1, 140, 100 }, { 7, 17, 251 } };
        const size_t id[] = { 200, 0, 131, 131, 7, 259, 64 };
        rvm_problem *p = _i == 0 ? scattered(270, 0, 3) : scattered(200, 70, 3);
        for (int i = 0; i < KERNELS; i++) {
            rvm_kernel_rows *r = rvm_kernel_rows_alloc(p, &kernels[i], NULL);
            gsl_matrix *all = all_values(&kernels[i], r, r);
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
                rvm_error err = { 0 };
                gsl_matrix *block = gsl_matrix_alloc(shapes[k][0], shapes[k][1]);
                CHECK_OK(rvm_kernel_block(block, &kernels[i], r, id, r, shapes[k][2], &err));
                for (size_t m = 0; m < block->size1; m++)
                    ck_assert_msg(memcmp(gsl_matrix_ptr(block, m, 0),
                                         gsl_matrix_ptr(all, id[m], shapes[k][2]),
                                         block->size2 * sizeof(double)) == 0,
                                  "%s, block %zu", rvm_kernel_name(kernels[i].type), k);
                gsl_matrix_free(block);
            }
            gsl_matrix_free(all);
            rvm_kernel_rows_free(r);
        }
        rvm_problem_free(p);
    }
END_TEST

/* Rows with some `pairs` of `features` features at random; one in five repeats another. */
static rvm_problem *rows_and_twins(size_t N, size_t features, size_t pairs)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(12);
    double *x = calloc(features, sizeof *x);
    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; i % 5 != 4 && k < features; k++)
            x[k] = gsl_rng_uniform_int(rng, features) < pairs ? gsl_ran_gaussian(rng, 1) : 0;
        append_dense(p, 0, x, features);
    }
    free(x);
    gsl_rng_free(rng);
    return p;
}

/* Rows that are laid out in another order: the same values at other places, bit for bit, and the
 * same for twins. So many features that little of a block is worked on at once. */
static void check_places(size_t features, size_t pairs, bool dense)
{
    enum { N = 143 };
    rvm_problem *p = rows_and_twins(N, features, pairs);
    size_t order[N];
    for (size_t i = 0; i < N; i++)
        order[i] = i * 59 % N;
    rvm_problem *q = rvm_problem_subset(p, order, N);
    ck_assert_ptr_nonnull(q);
    for (int k = 0; k < KERNELS; k++) {
        rvm_kernel_rows *a = rvm_kernel_rows_alloc(p, &kernels[k], NULL),
                        *b = rvm_kernel_rows_alloc(q, &kernels[k], NULL);
        rvm_kernel_rows *c = rvm_kernel_rows_alloc(q, &kernels[k], a);
        ck_assert(a != NULL && b != NULL && c != NULL && a->dense == dense && b->dense == dense);
        gsl_matrix *first = all_values(&kernels[k], a, a), *other = all_values(&kernels[k], b, b);
        gsl_matrix *across = all_values(&kernels[k], c, a);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                const double want = gsl_matrix_get(first, order[i], order[j]);
                const size_t twin = j % 5 == 4 ? j - 1 : j;
                ck_assert_double_eq(gsl_matrix_get(other, i, j), want);
                ck_assert_double_eq(gsl_matrix_get(across, i, order[j]), want);
                ck_assert_double_eq(gsl_matrix_get(first, i, j), gsl_matrix_get(first, i, twin));
            }
        gsl_matrix_free(first);
        gsl_matrix_free(other);
        gsl_matrix_free(across);
        rvm_kernel_rows_free(c);
        rvm_kernel_rows_free(b);
        rvm_kernel_rows_free(a);
    }
    rvm_problem_free(p);
    rvm_problem_free(q);
}

START_TEST(values_do_not_depend_on_the_place)
    {
        check_places(20, 20, true);
        check_places(1700, 850, true);
        check_places(60, 6, false);
        check_places(3000, 60, false);
    }
END_TEST

/* No distance, and so 1: of rows with themselves, with a huge common offset and without. */
START_TEST(rows_are_next_to_themselves)
    {
        const rvm_kernel fall_off[] = { { .type = RVM_RBF, .gamma = 3e5 },
                                        { .type = RVM_LAPLACIAN, .gamma = 3e5 } };
        const double offsets[] = { 0, 1e9 };
        rvm_problem *p = rows_and_twins(40, 60, _i == 0 ? 60 : 6);
        for (int k = 0; k < 2; k++)
            for (int o = 0; o < 2; o++) {
                for (size_t n = 0; n < p->start[p->rows]; n++)
                    p->value[n] += offsets[o];
                rvm_kernel_rows *r = rvm_kernel_rows_alloc(p, &fall_off[k], NULL);
                ck_assert(r != NULL && r->dense == (_i == 0));
                gsl_matrix *values = all_values(&fall_off[k], r, r);
                for (size_t i = 0; i < 40; i++)
                    ck_assert_double_eq(gsl_matrix_get(values, i, i), 1);
                gsl_matrix_free(values);
                rvm_kernel_rows_free(r);
            }
        rvm_problem_free(p);
    }
END_TEST

START_TEST(huge_indices_cost_nothing)
    {
        const rvm_kernel rbf = { .type = RVM_RBF, .gamma = 0.25 };
        ck_assert_double_eq_tol(value_of(&rbf, "0 1:1 2147483647:2\n0 2147483646:1\n"), exp(-1.5),
                                1e-15);
    }
END_TEST

START_TEST(no_features)
    {
        for (int i = 0; i < KERNELS; i++) {
            const rvm_kernel *k = &kernels[i];
            rvm_problem *p = problem_from_text("1\n2\n", (rvm_grammar){ 0 });
            ck_assert_double_eq_tol(value_of(k, "1\n2\n"), kernel_by_formula(k, p, 0, p, 1, 1),
                                    1e-15);
            rvm_problem_free(p);
        }
    }
END_TEST

/* ---- Numbers at the edge --------------------------------------------------------------------- */

/* An offset of 1e8 that doubles hold exactly takes nothing from distances in the dense layout. */
START_TEST(offsets_cancel_exactly)
    {
        const rvm_kernel fall_off[] = { { .type = RVM_RBF, .gamma = 0.5 },
                                        { .type = RVM_LAPLACIAN, .gamma = 0.5 } };
        for (int i = 0; i < 2; i++) {
            const double near = value_of(&fall_off[i], "0 1:0.25 2:1.5\n0 1:1.125 2:-0.5\n");
            const double far = value_of(
                &fall_off[i], "0 1:100000000.25 2:100000001.5\n0 1:100000001.125 2:99999999.5\n");
            ck_assert_double_eq(near, far);
        }
    }
END_TEST

/* Rows of a sparse layout: behind the two of interest 40 with a feature each. */
static const char *sparse_text(char *text, size_t size, const char *two_rows)
{
    size_t at = (size_t)snprintf(text, size, "%s", two_rows);
    for (int k = 1; k <= 40; k++)
        at += (size_t)snprintf(text + at, size - at, "0 %d:1\n", k);
    ck_assert(at < size);
    return text;
}

START_TEST(distance_out_of_range_is_far)
    {
        const rvm_kernel rbf = { .type = RVM_RBF, .gamma = 1e-3 };
        const rvm_kernel laplacian = { .type = RVM_LAPLACIAN, .gamma = 1e-3 };
        const char *far = "0 1:1e200 2:-1e200\n0 1:-1e200 2:1e200\n";
        const char *farther = "0 1:1e308 2:-1e308\n0 1:-1e308 2:1e308\n";
        char text[2000];
        ck_assert_double_eq(value_of(&rbf, far), 0);
        ck_assert_double_eq(value_of(&rbf, sparse_text(text, sizeof text, far)), 0);
        ck_assert_double_eq(value_of(&laplacian, farther), 0);
        ck_assert_double_eq(value_of(&laplacian, sparse_text(text, sizeof text, farther)), 0);
    }
END_TEST

/* Rows that are equal in what is out of range: the distance is that of the rest. */
START_TEST(sums_out_of_range_may_cancel)
    {
        const rvm_kernel laplacian = { .type = RVM_LAPLACIAN, .gamma = 0.5 };
        const char *large = "0 1:1e308 2:-1e308 3:1\n0 1:1e308 2:-1e308 3:3\n";
        const rvm_kernel rbf = { .type = RVM_RBF, .gamma = 0.5 };
        const char *rows = "0 1:1e200 2:1\n0 1:1e200 2:3\n";
        char text[2000];
        ck_assert_double_eq_tol(value_of(&rbf, rows), exp(-2), 1e-15);
        ck_assert_double_eq_tol(value_of(&rbf, sparse_text(text, sizeof text, rows)), exp(-2),
                                1e-15);
        ck_assert_double_eq_tol(value_of(&laplacian, large), exp(-1), 1e-15);
        ck_assert_double_eq_tol(value_of(&laplacian, sparse_text(text, sizeof text, large)),
                                exp(-1), 1e-15);
    }
END_TEST

static rvm_status status_of(const rvm_kernel *k, const char *text)
{
    rvm_error err = { 0 };
    rvm_problem *p = problem_from_text(text, (rvm_grammar){ 0 });
    rvm_kernel_rows *r = rvm_kernel_rows_alloc(p, k, NULL);
    gsl_matrix *block = gsl_matrix_alloc(p->rows, p->rows);
    const rvm_status status = rvm_kernel_block(block, k, r, NULL, r, 0, &err);
    ck_assert(status == RVM_OK || err.message[0] != '\0');
    gsl_matrix_free(block);
    rvm_kernel_rows_free(r);
    rvm_problem_free(p);
    return status;
}

START_TEST(values_out_of_range_are_an_error)
    {
        const rvm_kernel linear = { .type = RVM_LINEAR }, spline_kernel = { .type = RVM_SPLINE };
        const rvm_kernel cubic = { .type = RVM_POLYNOMIAL, .degree = 3, .gamma = 1 };
        char text[2000];
        const char *large = "0 1:1e200\n0 1:1e200\n";
        ck_assert_int_eq(status_of(&linear, large), RVM_ENUMERIC);
        ck_assert_int_eq(status_of(&linear, sparse_text(text, sizeof text, large)), RVM_ENUMERIC);
        ck_assert_int_eq(status_of(&cubic, "0 1:1e60\n0 1:1\n"), RVM_ENUMERIC);
        ck_assert_int_eq(status_of(&spline_kernel, large), RVM_ENUMERIC);
        ck_assert_int_eq(status_of(&cubic, "0 1:1e50\n0 1:1\n"), RVM_OK);
        ck_assert_int_eq(status_of(&linear, "0 1:1e150\n0 1:-1e150\n"), RVM_OK);
    }
END_TEST

/* ---- Precomputed ---------------------------------------------------------------------------- */

/* A row of a kernel matrix: 0:serial, then values of the vectors 1 .. count. */
static void append_kernel_row(rvm_problem *p, int serial, const double *values, int count)
{
    int index[8];
    double value[8];
    index[0] = 0;
    value[0] = serial;
    for (int k = 1; k <= count; k++) {
        index[k] = k;
        value[k] = values[k - 1];
    }
    ck_assert(rvm_problem_append(p, 0, index, value, (size_t)count + 1));
}

/* Serials 1 .. 3, out of order in the file. Value (i, j): in row j, at the serial of row i. */
START_TEST(precomputed_values_are_looked_up)
    {
        const rvm_kernel k = { .type = RVM_PRECOMPUTED };
        const double rows[][3] = { { 21, 22, 23 }, { 31, 32, 33 }, { 11, 12, 13 } };
        const double want[] = { 22, 32, 12, 23, 33, 13, 21, 31, 11 };
        rvm_problem *p = empty_problem();
        append_kernel_row(p, 2, rows[0], 3);
        append_kernel_row(p, 3, rows[1], 3);
        append_kernel_row(p, 1, rows[2], 3);
        rvm_kernel_rows *r = rvm_kernel_rows_alloc(p, &k, NULL);
        gsl_matrix *values = all_values(&k, r, r);
        for (size_t i = 0; i < 9; i++)
            ck_assert_double_eq(gsl_matrix_get(values, i / 3, i % 3), want[i]);
        gsl_matrix_free(values);
        rvm_kernel_rows_free(r);
        rvm_problem_free(p);
    }
END_TEST

/* Vectors of a model, which are no more than their serials, against rows of a test file; the last
 * of these ends before serial 5. */
START_TEST(precomputed_values_of_other_rows)
    {
        const rvm_kernel k = { .type = RVM_PRECOMPUTED };
        const double rows[][5] = { { 9, 8, 0, 0, 7 }, { 1, 2, 3, 4, 5 }, { 6, 5, 4 } };
        const double want[] = { 8, 2, 5, 7, 5, 0 };
        rvm_problem *p = empty_problem(), *q = empty_problem();
        append_kernel_row(p, 2, NULL, 0);
        append_kernel_row(p, 5, NULL, 0);
        append_kernel_row(q, 1, rows[0], 5);
        append_kernel_row(q, 1, rows[1], 5);
        append_kernel_row(q, 7, rows[2], 3);
        rvm_kernel_rows *vectors = rvm_kernel_rows_alloc(p, &k, NULL),
                        *others = rvm_kernel_rows_alloc(q, &k, vectors);
        gsl_matrix *down = all_values(&k, vectors, others),
                   *across = all_values(&k, others, vectors);
        for (size_t i = 0; i < 6; i++) {
            ck_assert_double_eq(gsl_matrix_get(down, i / 3, i % 3), want[i]);
            ck_assert_double_eq(gsl_matrix_get(across, i % 3, i / 3), want[i]);
        }
        gsl_matrix_free(down);
        gsl_matrix_free(across);
        rvm_kernel_rows_free(others);
        rvm_kernel_rows_free(vectors);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* ---- Positive semidefinite ------------------------------------------------------------------- */

static double smallest_eigenvalue(gsl_matrix *A)
{
    gsl_eigen_symm_workspace *ws = gsl_eigen_symm_alloc(A->size1);
    gsl_vector *values = gsl_vector_alloc(A->size1);
    ck_assert_int_eq(gsl_eigen_symm(A, values, ws), 0);
    const double least = gsl_vector_min(values);
    gsl_vector_free(values);
    gsl_eigen_symm_free(ws);
    return least;
}

/* The spline is an integral over 0 .. min(x, z), and so a covariance where inputs are not
 * negative. */
START_TEST(semidefinite_where_promised)
    {
        const rvm_kernel promised[] = { { .type = RVM_LINEAR },
                                        { .type = RVM_RBF, .gamma = 0.4 },
                                        { .type = RVM_LAPLACIAN, .gamma = 0.4 },
                                        { .type = RVM_SPLINE } };
        rvm_problem *p = noise_problem(60, 3, 9);
        for (size_t k = 0; k < p->start[p->rows]; k++)
            p->value[k] = fabs(p->value[k]);
        for (int i = 0; i < 4; i++) {
            rvm_kernel_rows *r = rvm_kernel_rows_alloc(p, &promised[i], NULL);
            gsl_matrix *values = all_values(&promised[i], r, r);
            double largest = 0;
            for (size_t n = 0; n < 60; n++)
                largest = fmax(largest, gsl_matrix_get(values, n, n));
            ck_assert_double_ge(smallest_eigenvalue(values), -1e-12 * fmax(100, 60 * largest));
            gsl_matrix_free(values);
            rvm_kernel_rows_free(r);
        }
        rvm_problem_free(p);
    }
END_TEST

/* ---- The table ------------------------------------------------------------------------------ */

/* libsvm's numbers and rvm-model(5)'s names. */
START_TEST(names_and_numbers)
    {
        const char *names[] = { "linear",      "polynomial", "rbf",    "sigmoid",
                                "precomputed", "laplacian",  "spline", "none" };
        const unsigned uses[] = { 0,
                                  RVM_USES_GAMMA | RVM_USES_DEGREE | RVM_USES_COEF0,
                                  RVM_USES_GAMMA,
                                  RVM_USES_GAMMA | RVM_USES_COEF0,
                                  0,
                                  RVM_USES_GAMMA,
                                  0,
                                  0 };
        for (int number = 0; number < 8; number++) {
            rvm_kernel_type by_number, by_name;
            ck_assert(rvm_kernel_by_number(&by_number, number));
            ck_assert(rvm_kernel_by_name(&by_name, names[number]));
            ck_assert_int_eq(by_number, by_name);
            ck_assert_str_eq(rvm_kernel_name(by_number), names[number]);
            ck_assert_uint_eq(rvm_kernel_uses(by_number), uses[number]);
        }
        rvm_kernel_type none;
        ck_assert(!rvm_kernel_by_number(&none, 8) && !rvm_kernel_by_number(&none, -1));
        ck_assert(!rvm_kernel_by_name(&none, "rb") && !rvm_kernel_by_name(&none, ""));
        ck_assert_ptr_null(rvm_kernel_name((rvm_kernel_type)8));
    }
END_TEST

static void add_values(Suite *s)
{
    TCase *c = tcase_create("values");
    tcase_add_test(c, values_by_hand);
    tcase_add_test(c, spline_of_negative_inputs);
    tcase_add_test(c, sparse_layout_follows_the_formula);
    tcase_add_test(c, dense_layout_follows_the_formula);
    tcase_add_test(c, unseen_features_sparse);
    tcase_add_test(c, unseen_features_dense);
    tcase_add_test(c, diagonal_of_weighted_inputs);
    tcase_add_loop_test(c, symmetric, 0, 2);
    tcase_add_loop_test(c, values_do_not_depend_on_the_block, 0, 2);
    tcase_add_test(c, values_do_not_depend_on_the_place);
    tcase_add_loop_test(c, rows_are_next_to_themselves, 0, 2);
    tcase_add_test(c, precomputed_values_are_looked_up);
    tcase_add_test(c, precomputed_values_of_other_rows);
    tcase_add_test(c, semidefinite_where_promised);
    tcase_add_test(c, names_and_numbers);
    suite_add_tcase(s, c);
}

Suite *kernel_suite(void);
Suite *kernel_suite(void)
{
    Suite *s = suite_create("kernel");
    TCase *edge = tcase_create("edge");
    add_values(s);
    tcase_add_test(edge, huge_indices_cost_nothing);
    tcase_add_test(edge, no_features);
    tcase_add_test(edge, offsets_cancel_exactly);
    tcase_add_test(edge, distance_out_of_range_is_far);
    tcase_add_test(edge, sums_out_of_range_may_cancel);
    tcase_add_test(edge, values_out_of_range_are_an_error);
    suite_add_tcase(s, edge);
    return s;
}
