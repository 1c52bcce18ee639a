/* basis.c: candidates, columns of norm 1, sums over rows. */
#include "basis/basis.h"
#include "data/order.h"
#include "problems.h"
#include "suites.h"

static rvm_problem *rows_of(const char *text)
{
    return problem_from_text(text, (rvm_grammar){ 0 });
}

/* ---- Candidates ----------------------------------------------------------------------------- */

typedef struct {
    rvm_problem *p; /* in canonical order already */
    rvm_kernel_rows *rows;
    rvm_basis basis;
} candidates;

static void candidates_init(candidates *c, rvm_problem *p, const rvm_kernel *kernel,
                            unsigned degrees)
{
    rvm_error err = { 0 };
    size_t *order = NULL;
    CHECK_OK(rvm_order_rows(&order, p, &err));
    c->p = rvm_problem_subset(p, order, p->rows);
    free(order);
    rvm_problem_free(p);
    c->rows = rvm_kernel_rows_alloc(c->p, kernel, NULL);
    ck_assert(c->p != NULL && c->rows != NULL);
    CHECK_OK(rvm_basis_init(&c->basis, c->p, c->rows, kernel, degrees, &err));
}

static void candidates_free(candidates *c)
{
    rvm_basis_free(&c->basis);
    rvm_kernel_rows_free(c->rows);
    rvm_problem_free(c->p);
}

START_TEST(repeated_rows_are_one_candidate)
    {
        const rvm_kernel rbf = { .type = RVM_RBF, .gamma = 1 };
        candidates c;
        candidates_init(&c, rows_of("1 1:2\n2 1:1\n3 1:2 4:0\n4 1:2\n5\n"), &rbf, true);
        ck_assert_uint_eq(c.basis.count, 4);
        ck_assert(rvm_basis_is_bias(&c.basis, 0) && rvm_basis_is_term(&c.basis, 0));
        for (size_t id = 1; id < 4; id++) {
            ck_assert(!rvm_basis_is_bias(&c.basis, id) && !rvm_basis_is_term(&c.basis, id));
            ck_assert_uint_eq(rvm_basis_row(&c.basis, id), id - 1);
        }
        candidates_free(&c);
        candidates_init(&c, rows_of("1 1:2\n1 1:2\n"), &rbf, false);
        ck_assert_uint_eq(c.basis.count, 1);
        ck_assert_uint_eq(rvm_basis_row(&c.basis, 0), 0);
        ck_assert(!rvm_basis_is_bias(&c.basis, 0));
        candidates_free(&c);
    }
END_TEST

/* The bias, x1, x4, x1*x1, x1*x4, x4*x4, then two kernel functions; columns by hand. */
START_TEST(terms_come_first)
    {
        const rvm_kernel linear = { .type = RVM_LINEAR };
        const double want[8][2] = { { 1, 1 }, { 2, 0 },  { 3, 5 },   { 4, 0 },
                                    { 6, 0 }, { 9, 25 }, { 13, 15 }, { 15, 25 } };
        const size_t id[] = { 6, 1, 0, 7, 5, 3, 4, 2 };
        double norm[8];
        size_t end[RVM_BASIS_GROUPS];
        rvm_error err = { 0 };
        candidates c;
        gsl_matrix *block = gsl_matrix_alloc(8, 2);
        candidates_init(&c, rows_of("0 4:5\n0 1:2 4:3\n"), &linear, 7);
        ck_assert_uint_eq(c.basis.count, 8);
        ck_assert_uint_eq(rvm_basis_groups(end, &c.basis), 3);
        ck_assert(end[0] == 3 && end[1] == 6 && end[2] == 8);
        CHECK_OK(rvm_basis_columns(block, norm, &c.basis, id, 8, 1, &err));
        const size_t last = feature(c.p, 0, 1) == 0 ? 0 : 1; /* the place of the row without x1 */
        for (size_t k = 0; k < 8; k++) {
            const size_t m = id[k] < 6 ? id[k] : id[k] == 6 + last ? 7 : 6;
            check_close(norm[k], hypot(want[m][0], want[m][1]), 1e-15);
            check_close(norm[k] * gsl_matrix_get(block, k, last), want[m][1], 1e-14);
            check_close(norm[k] * gsl_matrix_get(block, k, 1 - last), want[m][0], 1e-14);
        }
        gsl_matrix_free(block);
        candidates_free(&c);
    }
END_TEST

/* Groups: what there is, the bias with the next one. */
START_TEST(groups_of_candidates)
    {
        static const struct {
            rvm_kernel_type type;
            unsigned degrees;
            size_t groups, end[RVM_BASIS_GROUPS];
        } cases[] = {
            { RVM_LINEAR, 0, 1, { 2 } },       { RVM_LINEAR, 1, 1, { 3 } },
            { RVM_LINEAR, 2, 2, { 2, 4 } },    { RVM_LINEAR, 5, 2, { 4, 6 } },
            { RVM_NO_KERNEL, 1, 1, { 1 } },    { RVM_NO_KERNEL, 3, 1, { 3 } },
            { RVM_NO_KERNEL, 6, 2, { 2, 5 } }, { RVM_NO_KERNEL, 5, 1, { 4 } },
        };
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const rvm_kernel kernel = { .type = cases[i].type };
            size_t end[RVM_BASIS_GROUPS];
            candidates c;
            candidates_init(&c, rows_of("0 4:5\n0 1:2 4:3\n"), &kernel, cases[i].degrees);
            ck_assert_uint_eq(rvm_basis_groups(end, &c.basis), cases[i].groups);
            ck_assert_mem_eq(end, cases[i].end, cases[i].groups * sizeof *end);
            ck_assert_uint_eq(c.basis.count, end[cases[i].groups - 1]);
            candidates_free(&c);
        }
    }
END_TEST

/* Rows 1 and 2 of one feature: linear columns (1, 2) and (2, 4), of norm sqrt(5) and sqrt(20). */
START_TEST(columns_by_hand)
    {
        const rvm_kernel linear = { .type = RVM_LINEAR };
        const size_t id[] = { 0, 2, 1 };
        double space[6], norm[3];
        gsl_matrix_view block = gsl_matrix_view_array(space, 3, 2);
        rvm_error err = { 0 };
        candidates c;
        candidates_init(&c, rows_of("0 1:1\n0 1:2\n"), &linear, true);
        CHECK_OK(rvm_basis_columns(&block.matrix, norm, &c.basis, id, 3, 1, &err));
        const double norms[] = { sqrt(2), sqrt(20), sqrt(5) };
        const double values[] = { sqrt(0.5),    sqrt(0.5),   2 / sqrt(20),
                                  4 / sqrt(20), 1 / sqrt(5), 2 / sqrt(5) };
        for (size_t k = 0; k < 3; k++)
            ck_assert_double_eq_tol(norm[k], norms[k], 1e-15);
        for (size_t k = 0; k < 6; k++)
            ck_assert_double_eq_tol(space[k], values[k], 1e-15);
        candidates_free(&c);
    }
END_TEST

/* More rows than a thread takes at a time. */
START_TEST(columns_of_any_number_of_threads)
    {
        enum { ROWS = 1100, COUNT = 20 };
        const rvm_kernel rbf = { .type = RVM_RBF, .gamma = 0.3 };
        gsl_matrix *one = gsl_matrix_alloc(COUNT, ROWS), *two = gsl_matrix_alloc(COUNT, ROWS);
        double norm1[COUNT], norm2[COUNT];
        size_t id[COUNT];
        rvm_error err = { 0 };
        candidates c;
        candidates_init(&c, noise_problem(ROWS, 4, 2), &rbf, true);
        for (size_t k = 0; k < COUNT; k++)
            id[k] = 53 * k;
        CHECK_OK(rvm_basis_columns(one, norm1, &c.basis, id, COUNT, 1, &err));
        CHECK_OK(rvm_basis_columns(two, norm2, &c.basis, id, COUNT, 2, &err));
        ck_assert_mem_eq(one->data, two->data, sizeof(double) * COUNT * ROWS);
        ck_assert_mem_eq(norm1, norm2, sizeof norm1);
        for (size_t k = 1; k < COUNT; k += 6) {
            double squares = 0;
            for (size_t n = 0; n < ROWS; n++) {
                double distance = 0;
                for (int f = 1; f <= 4; f++)
                    distance += gsl_pow_2(feature(c.p, n, f) -
                                          feature(c.p, rvm_basis_row(&c.basis, id[k]), f));
                const double value = exp(-0.3 * distance);
                squares += value * value;
                check_close(norm1[k] * gsl_matrix_get(one, k, n), value, 1e-14);
            }
            check_close(norm1[k], sqrt(squares), 1e-14);
        }
        gsl_matrix_free(one);
        gsl_matrix_free(two);
        candidates_free(&c);
    }
END_TEST

START_TEST(faults_of_the_kernel_are_passed_on)
    {
        const rvm_kernel linear = { .type = RVM_LINEAR };
        const size_t id[] = { 0, 1 };
        double space[4], norm[2];
        gsl_matrix_view block = gsl_matrix_view_array(space, 2, 2);
        rvm_error err = { 0 };
        candidates c;
        candidates_init(&c, rows_of("0 1:1e200\n0 1:1e201\n"), &linear, false);
        ck_assert_int_eq(rvm_basis_columns(&block.matrix, norm, &c.basis, id, 2, 2, &err),
                         RVM_ENUMERIC);
        ck_assert_int_ne(err.message[0], '\0');
        candidates_free(&c);
    }
END_TEST

/* Values of 1e160 are finite, their squares are not. */
START_TEST(norms_beyond_the_finite_numbers)
    {
        const rvm_kernel linear = { .type = RVM_LINEAR };
        const size_t id[] = { 0, 1 };
        double space[4], norm[2];
        gsl_matrix_view block = gsl_matrix_view_array(space, 2, 2);
        rvm_error err = { 0 }, err2 = { 0 };
        candidates c;
        candidates_init(&c, rows_of("0 1:1e80\n0 1:2e80\n"), &linear, false);
        ck_assert_int_eq(rvm_basis_columns(&block.matrix, norm, &c.basis, id, 2, 1, &err),
                         RVM_ENUMERIC);
        ck_assert_int_eq(rvm_basis_project(norm, NULL, NULL, &c.basis, id, 2, NULL, NULL, 1, &err2),
                         RVM_ENUMERIC);
        ck_assert_ptr_nonnull(strstr(err.message, "scale the data"));
        ck_assert_str_eq(err.message, err2.message);
        candidates_free(&c);
    }
END_TEST

/* ---- Strips and sums ------------------------------------------------------------------------ */

/* More rows than two tiles of 1024 have, more functions than two groups of 64. */
enum { LONG = 2500, WIDE = 140 };

static void long_candidates(candidates *c)
{
    const rvm_kernel rbf = { .type = RVM_RBF, .gamma = 0.3 };
    candidates_init(c, noise_problem(LONG, 3, 6), &rbf, true);
}

/* Ascending but for the bias, which stands in the middle of the second group. */
static void wide_ids(size_t *id)
{
    for (size_t k = 0; k < WIDE; k++)
        id[k] = 3 + 17 * k;
    id[100] = 0;
}

/* Values by the formula, of a function and a row here and there. */
static double value_at(const candidates *c, size_t id, size_t n)
{
    if (rvm_basis_is_bias(&c->basis, id))
        return 1;
    return kernel_by_formula(&c->basis.kernel, c->p, n, c->p, rvm_basis_row(&c->basis, id), 3);
}

START_TEST(strips_by_the_formula)
    {
        const size_t first[] = { 0, 1024, 2048 }, rows[] = { LONG, 1024, LONG - 2048 };
        const size_t N = rows[_i];
        size_t id[WIDE];
        double norm[WIDE];
        rvm_error err = { 0 };
        candidates c;
        long_candidates(&c);
        wide_ids(id);
        for (size_t k = 0; k < WIDE; k++)
            norm[k] = 1 + (double)k / 7;
        gsl_matrix *plain = gsl_matrix_alloc(WIDE, N), *divided = gsl_matrix_alloc(WIDE, N);
        gsl_matrix *again = gsl_matrix_alloc(WIDE, N);
        CHECK_OK(rvm_basis_strip(plain, NULL, &c.basis, id, WIDE, first[_i], 1, &err));
        CHECK_OK(rvm_basis_strip(divided, norm, &c.basis, id, WIDE, first[_i], 1, &err));
        CHECK_OK(rvm_basis_strip(again, norm, &c.basis, id, WIDE, first[_i], 3, &err));
        ck_assert(gsl_matrix_equal(divided, again));
        for (size_t k = 0; k < WIDE; k++)
            for (size_t n = 0; n < N; n += k % 2 == 0 ? 1 : 101) {
                const double want = value_at(&c, id[k], first[_i] + n);
                check_close(gsl_matrix_get(plain, k, n), want, 1e-14);
                check_close(gsl_matrix_get(divided, k, n), want / norm[k], 1e-14);
            }
        gsl_matrix_free(plain);
        gsl_matrix_free(divided);
        gsl_matrix_free(again);
        candidates_free(&c);
    }
END_TEST

/* norm, phi'slope and phi'B phi in long double; with weights of rows in the norm, or without. */
START_TEST(sums_over_the_rows)
    {
        size_t id[WIDE];
        double norm[WIDE], Q[WIDE], S[WIDE], alone[WIDE], other[3][WIDE];
        double slope[LONG], curvature[LONG], weight[LONG];
        rvm_error err = { 0 };
        candidates c;
        long_candidates(&c);
        wide_ids(id);
        for (size_t n = 0; n < LONG; n++) {
            slope[n] = sin((double)n);
            curvature[n] = 0.1 + gsl_pow_2(cos((double)n));
            weight[n] = 1 + (double)(n % 5) / 3;
        }
        c.basis.row_weight = _i == 0 ? NULL : weight;
        CHECK_OK(rvm_basis_project(norm, Q, S, &c.basis, id, WIDE, slope, curvature, 1, &err));
        for (size_t k = 0; k < WIDE; k += 5) {
            long double square = 0, along = 0, bent = 0;
            for (size_t n = 0; n < LONG; n++) {
                const long double x = value_at(&c, id[k], n);
                square += x * x * (_i == 0 ? 1 : weight[n]);
                along += x * slope[n];
                bent += x * x * curvature[n];
            }
            check_close(norm[k], (double)sqrtl(square), 1e-13);
            check_close(Q[k], (double)(along / sqrtl(square)), 1e-12);
            check_close(S[k], (double)(bent / square), 1e-13);
        }
        /* Neither threads nor what else is asked for change a bit. */
        CHECK_OK(rvm_basis_project(other[0], other[1], other[2], &c.basis, id, WIDE, slope,
                                   curvature, 3, &err));
        CHECK_OK(rvm_basis_project(alone, NULL, NULL, &c.basis, id, WIDE, NULL, NULL, 2, &err));
        ck_assert_mem_eq(other[0], norm, sizeof norm);
        ck_assert_mem_eq(other[1], Q, sizeof Q);
        ck_assert_mem_eq(other[2], S, sizeof S);
        ck_assert_mem_eq(alone, norm, sizeof norm);
        gsl_matrix *columns = gsl_matrix_alloc(WIDE, LONG); /* nor does a column in memory */
        CHECK_OK(rvm_basis_columns(columns, alone, &c.basis, id, WIDE, 2, &err));
        ck_assert_mem_eq(alone, norm, sizeof norm);
        gsl_matrix_free(columns);
        candidates_free(&c);
    }
END_TEST

/* More than 64 tiles of rows: sums are cut into parts of two tiles each. The kernel is 2. */
START_TEST(sums_over_very_many_rows)
    {
        enum { MANY = 65 * 1024 + 3 };
        const rvm_kernel constant = { .type = RVM_POLYNOMIAL, .degree = 1, .gamma = 1, .coef0 = 2 };
        const size_t id[] = { 0, 1 };
        double norm[2], Q[2], S[2];
        rvm_error err = { 0 };
        rvm_problem *p = empty_problem();
        double *slope = calloc(MANY, sizeof *slope), *B = calloc(MANY, sizeof *B);
        const int index = 1;
        const double zero = 0;
        candidates c;
        ck_assert(slope != NULL && B != NULL);
        for (int n = 0; n < MANY; n++) {
            ck_assert(rvm_problem_append(p, n, &index, &zero, 1));
            slope[n] = n % 3 - 0.25;
            B[n] = n % 4;
        }
        candidates_init(&c, p, &constant, true);
        ck_assert_uint_eq(c.basis.count, 2);
        CHECK_OK(rvm_basis_project(norm, Q, S, &c.basis, id, 2, slope, B, 2, &err));
        /* 66563 rows: 22187 times 0 + 1 + 2, and 0 + 1; 16640 times 0 + 1 + 2 + 3, and 0 + 1 + 2 */
        const double root = sqrt(MANY), sum = 22187 * 3 + 1 - 0.25 * MANY;
        for (int k = 0; k < 2; k++) {
            check_close(norm[k], (k + 1) * root, 1e-12);
            check_close(Q[k], sum / root, 1e-12);
            check_close(S[k], (16640.0 * 6 + 3) / MANY, 1e-12);
        }
        free(slope);
        free(B);
        candidates_free(&c);
    }
END_TEST

/* Functions of some rows at others, laid out like them: values and sums are over the latter. */
START_TEST(functions_at_other_rows)
    {
        const rvm_kernel rbf = { .type = RVM_RBF, .gamma = 1 };
        const size_t id[] = { 2, 0, 1 };
        double norm[3], Q[3];
        const double slope[] = { 1, -3 };
        rvm_error err = { 0 };
        candidates c;
        candidates_init(&c, rows_of("0 1:0\n0 1:1\n"), &rbf, true);
        rvm_problem *other = rows_of("0 1:2\n0 1:-1 7:1\n");
        rvm_kernel_rows *at = rvm_kernel_rows_alloc(other, &rbf, c.rows);
        ck_assert_ptr_nonnull(at);
        c.basis.at = at;
        c.basis.N = 2;
        c.basis.spans = rvm_spans_make(2, NULL);
        gsl_matrix *block = gsl_matrix_alloc(3, 2);
        CHECK_OK(rvm_basis_strip(block, NULL, &c.basis, id, 3, 0, 1, &err));
        CHECK_OK(rvm_basis_project(norm, Q, NULL, &c.basis, id, 3, slope, NULL, 1, &err));
        const double want[] = { exp(-1), exp(-5), 1, 1, exp(-4), exp(-2) };
        for (size_t k = 0; k < 3; k++) {
            const double a = want[2 * k], b = want[2 * k + 1];
            check_close(gsl_matrix_get(block, k, 0), a, 1e-15);
            check_close(gsl_matrix_get(block, k, 1), b, 1e-15);
            check_close(norm[k], hypot(a, b), 1e-15);
            check_close(Q[k], (a - 3 * b) / hypot(a, b), 1e-15);
        }
        gsl_matrix_free(block);
        rvm_kernel_rows_free(at);
        rvm_problem_free(other);
        candidates_free(&c);
    }
END_TEST

/* A column of zeros has norm 0, and nothing is divided by it. */
START_TEST(sums_of_zeros)
    {
        const rvm_kernel linear = { .type = RVM_LINEAR };
        const size_t id[] = { 0, 1 };
        const double slope[] = { 1, 2 }, B[] = { 3, 4 };
        double norm[2], Q[2], S[2];
        rvm_error err = { 0 };
        candidates c;
        candidates_init(&c, rows_of("0\n0 1:2\n"), &linear, false);
        CHECK_OK(rvm_basis_project(norm, Q, S, &c.basis, id, 2, slope, B, 1, &err));
        const double norms[] = { 0, 4 }, Qs[] = { 0, 2 }, Ss[] = { 0, 4 };
        for (size_t k = 0; k < 2; k++) {
            ck_assert_double_eq(norm[k], norms[k]);
            ck_assert_double_eq(Q[k], Qs[k]);
            ck_assert_double_eq(S[k], Ss[k]);
        }
        candidates_free(&c);
    }
END_TEST

START_TEST(faults_of_the_kernel_in_strips_and_sums)
    {
        const rvm_kernel linear = { .type = RVM_LINEAR };
        const size_t id[] = { 0, 1 };
        double space[4], norm[2];
        gsl_matrix_view block = gsl_matrix_view_array(space, 2, 2);
        rvm_error err = { 0 }, err2 = { 0 };
        candidates c;
        candidates_init(&c, rows_of("0 1:1e200\n0 1:1e201\n"), &linear, false);
        ck_assert_int_eq(rvm_basis_strip(&block.matrix, NULL, &c.basis, id, 2, 0, 2, &err),
                         RVM_ENUMERIC);
        ck_assert_int_eq(rvm_basis_project(norm, NULL, NULL, &c.basis, id, 2, NULL, NULL, 2, &err2),
                         RVM_ENUMERIC);
        ck_assert_int_ne(err.message[0], '\0');
        ck_assert_int_ne(err2.message[0], '\0');
        candidates_free(&c);
    }
END_TEST

Suite *basis_suite(void);
Suite *basis_suite(void)
{
    Suite *s = suite_create("basis");
    TCase *c = tcase_create("basis");
    tcase_add_test(c, repeated_rows_are_one_candidate);
    tcase_add_test(c, terms_come_first);
    tcase_add_test(c, groups_of_candidates);
    tcase_add_test(c, columns_by_hand);
    tcase_add_test(c, columns_of_any_number_of_threads);
    tcase_add_test(c, faults_of_the_kernel_are_passed_on);
    tcase_add_test(c, norms_beyond_the_finite_numbers);
    tcase_add_loop_test(c, strips_by_the_formula, 0, 3);
    tcase_add_loop_test(c, sums_over_the_rows, 0, 2);
    tcase_add_test(c, sums_over_very_many_rows);
    tcase_add_test(c, functions_at_other_rows);
    tcase_add_test(c, sums_of_zeros);
    tcase_add_test(c, faults_of_the_kernel_in_strips_and_sums);
    suite_add_tcase(s, c);
    return s;
}
