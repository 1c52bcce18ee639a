/* points.c: what the points say of the rows, and which rows become points, against dense matrices
 * and a Cholesky factorisation with pivots, written down here. */
#include "inference/points.h"

#include "problems.h"
#include "suites.h"
#include "team_threads.h"

enum { N = 50, POINTS = 6, MOST = 12 };

static const size_t at_points[POINTS] = { 2, 9, 17, 25, 31, 48 };

static const rvm_kernel_type types[] = { RVM_RBF, RVM_LAPLACIAN, RVM_POLYNOMIAL, RVM_LINEAR };
enum { TYPES = sizeof types / sizeof *types };

typedef struct {
    rvm_problem *p, *z;
    rvm_kernel kernel;
    rvm_points points;
} setting;

static void set_up(setting *s, rvm_kernel_type type, rvm_problem *p, const size_t *at, size_t count)
{
    rvm_error err = { 0 };
    s->p = p;
    s->z = rvm_problem_subset(p, at, count);
    s->kernel = (rvm_kernel){ .type = type, .gamma = 0.7, .degree = 3, .coef0 = 1 };
    CHECK_OK(rvm_points_init(&s->points, s->p, s->z, 2, &err));
    CHECK_OK(rvm_points_place(&s->points, &s->kernel, &err));
}

static void tear_down(setting *s)
{
    rvm_points_free(&s->points);
    rvm_problem_free(s->p);
    rvm_problem_free(s->z);
}

static double value(const setting *s, const rvm_problem *a, size_t i, const rvm_problem *b,
                    size_t j)
{
    return kernel_by_formula(&s->kernel, a, i, b, j, 3);
}

/* A = K_ZZ + 1e-8 of its mean diagonal. */
static gsl_matrix *jittered(const setting *s)
{
    const size_t K = s->z->rows;
    gsl_matrix *A = gsl_matrix_alloc(K, K);
    double mean = 0;
    for (size_t i = 0; i < K; i++) {
        mean += value(s, s->z, i, s->z, i) / (double)K;
        for (size_t j = 0; j < K; j++)
            gsl_matrix_set(A, i, j, value(s, s->z, i, s->z, j));
    }
    for (size_t i = 0; i < K; i++)
        *gsl_matrix_ptr(A, i, i) += 1e-8 * mean;
    return A;
}

/* Q = k_n' A^-1 k_m for all rows; owned by the caller. */
static gsl_matrix *explained(const setting *s)
{
    const size_t K = s->z->rows, rows = s->p->rows;
    gsl_matrix *Q = gsl_matrix_alloc(rows, rows);
    double *a = calloc(K, sizeof *a), *b = calloc(K, sizeof *b);
    gsl_matrix *A = jittered(s);
    for (size_t n = 0; n < rows; n++)
        for (size_t m = 0; m <= n; m++) {
            for (size_t k = 0; k < K; k++) {
                a[k] = value(s, s->p, n, s->z, k);
                b[k] = value(s, s->p, m, s->z, k);
            }
            const double q = inverse_form(A, a, b);
            gsl_matrix_set(Q, n, m, q);
            gsl_matrix_set(Q, m, n, q);
        }
    gsl_matrix_free(A);
    free(a);
    free(b);
    return Q;
}

/* Of linear kernels two features leave nothing but jitter: differences are of the size of k. */
START_TEST(residuals_are_what_points_leave)
    {
        setting s;
        rvm_error err = { 0 };
        set_up(&s, types[_i], noise_problem(N, 2, 3), at_points, POINTS);
        gsl_matrix *VT = gsl_matrix_alloc(POINTS, N), *Q = explained(&s);
        double residual[N];
        CHECK_OK(rvm_points_values(VT, &s.points, 0, &err));
        for (size_t n = 0; n < N; n++)
            for (size_t k = 0; k < POINTS; k++)
                check_close(gsl_matrix_get(VT, k, n), value(&s, s.z, k, s.p, n), 1e-12);
        CHECK_OK(rvm_points_strip(VT, NULL, residual, &s.points, 0, N, NULL, &err));
        for (size_t n = 0; n < N; n++) {
            const double k = value(&s, s.p, n, s.p, n);
            double q = 0;
            for (size_t i = 0; i < POINTS; i++)
                q += gsl_pow_2(gsl_matrix_get(VT, i, n));
            ck_assert_double_eq_tol(q, gsl_matrix_get(Q, n, n), 1e-7 * k);
            ck_assert_double_eq_tol(residual[n], k - gsl_matrix_get(Q, n, n), 1e-7 * k);
        }
        gsl_matrix_free(VT);
        gsl_matrix_free(Q);
        tear_down(&s);
    }
END_TEST

/* A part of the rows is what it is among all of them. */
START_TEST(strips_are_alike)
    {
        setting s;
        rvm_error err = { 0 };
        double all[N], part[7];
        set_up(&s, types[_i], noise_problem(N, 2, 4), at_points, POINTS);
        gsl_matrix *V = gsl_matrix_alloc(POINTS, N), *W = gsl_matrix_alloc(POINTS, 7);
        CHECK_OK(rvm_points_strip(V, NULL, all, &s.points, 0, N, NULL, &err));
        CHECK_OK(rvm_points_strip(W, NULL, part, &s.points, 20, 7, NULL, &err));
        for (size_t n = 0; n < 7; n++)
            ck_assert_double_eq_tol(part[n], all[20 + n], 1e-9 * s.points.diagonal[20 + n]);
        gsl_matrix_free(V);
        gsl_matrix_free(W);
        tear_down(&s);
    }
END_TEST

/* ---- The choice ----------------------------------------------------------------------------- */

/* Pivots of what is left of all rows, E = K - Q, the plain way: the row and column of the largest
 * weighted diagonal are taken out of the whole matrix. */
static size_t plain_pivots(size_t *chosen, const setting *s, const double *weight, double enough,
                           size_t most)
{
    const size_t rows = s->p->rows;
    gsl_matrix *E = explained(s);
    size_t count = 0;
    for (size_t n = 0; n < rows; n++)
        for (size_t m = 0; m < rows; m++)
            gsl_matrix_set(E, n, m, value(s, s->p, n, s->p, m) - gsl_matrix_get(E, n, m));
    while (count < most) {
        size_t best = rows;
        for (size_t n = 0; n < rows; n++) {
            const double left = gsl_matrix_get(E, n, n);
            const double least = fmax(enough, 1e-6 * value(s, s->p, n, s->p, n));
            if (left > least &&
                (best == rows || weight[n] * left > weight[best] * gsl_matrix_get(E, best, best)))
                best = n;
        }
        if (best == rows)
            break;
        chosen[count++] = best;
        const double pivot = gsl_matrix_get(E, best, best);
        double column[N];
        for (size_t n = 0; n < rows; n++)
            column[n] = gsl_matrix_get(E, n, best);
        for (size_t n = 0; n < rows; n++)
            for (size_t m = 0; m < rows; m++)
                *gsl_matrix_ptr(E, n, m) -= column[n] * column[m] / pivot;
    }
    gsl_matrix_free(E);
    return count;
}

static void check_choice(const setting *s, const double *weight, double enough, size_t most,
                         size_t least)
{
    size_t got[N], want[N], count = 0;
    rvm_error err = { 0 };
    CHECK_OK(rvm_points_choose(got, &count, &s->points, weight, enough, most, NULL, &err));
    ck_assert_uint_eq(count, plain_pivots(want, s, weight, enough, most));
    ck_assert_uint_ge(count, least);
    for (size_t k = 0; k < count; k++)
        ck_assert_msg(got[k] == want[k], "choice %zu is %zu, not %zu", k, got[k], want[k]);
}

START_TEST(pivots_are_those_of_a_whole_matrix)
    {
        setting s;
        double one[N], some[N];
        set_up(&s, types[_i], noise_problem(N, 3, 5), at_points, POINTS);
        for (size_t n = 0; n < N; n++) {
            one[n] = 1;
            some[n] = 0.1 + fraction(17.3 * (double)n);
        }
        const size_t least = types[_i] == RVM_LINEAR ? 0 : MOST;
        check_choice(&s, one, 0, MOST, least);
        check_choice(&s, some, 0, MOST, least);
        tear_down(&s);
    }
END_TEST

/* None of which less is left than that. */
START_TEST(enough_is_the_end)
    {
        setting s;
        double one[N];
        size_t chosen[N];
        set_up(&s, RVM_RBF, noise_problem(N, 2, 5), at_points, POINTS);
        for (size_t n = 0; n < N; n++)
            one[n] = 1;
        check_choice(&s, one, 0.3, N, 1);
        ck_assert_uint_lt(plain_pivots(chosen, &s, one, 0.3, N), N / 2);
        tear_down(&s);
    }
END_TEST

/* Each row three times: of equal ones the first is taken, once; and those that are points never. A
 * weight of 0 is no reason. */
START_TEST(equal_rows_are_taken_once)
    {
        setting s;
        rvm_error err = { 0 };
        double one[3 * 16], zero[3 * 16] = { 0 };
        size_t row[3 * 16], chosen[3 * 16], count = 0, at[] = { 0, 4 };
        rvm_problem *once = noise_problem(16, 2, 6);
        for (size_t n = 0; n < 3 * 16; n++) {
            row[n] = n / 3;
            one[n] = 1;
        }
        set_up(&s, RVM_RBF, rvm_problem_subset(once, row, 3 * 16), at, 2);
        CHECK_OK(rvm_points_choose(chosen, &count, &s.points, one, 0, 3 * 16, NULL, &err));
        ck_assert_uint_le(count, 14);
        ck_assert_uint_ge(count, 10);
        for (size_t k = 0; k < count; k++) {
            ck_assert_uint_eq(chosen[k] % 3, 0);
            ck_assert(chosen[k] / 3 != 0 && chosen[k] / 3 != 1);
            for (size_t l = 0; l < k; l++)
                ck_assert_uint_ne(chosen[k], chosen[l]);
        }
        CHECK_OK(rvm_points_choose(chosen, &count, &s.points, zero, 0, 3 * 16, NULL, &err));
        ck_assert_uint_eq(count, 0);
        tear_down(&s);
        rvm_problem_free(once);
    }
END_TEST

START_TEST(an_interrupt_ends_the_choice)
    {
        setting s;
        rvm_error err = { 0 };
        double one[N];
        size_t chosen[N], count = 0;
        const volatile int interrupted = 1;
        set_up(&s, RVM_RBF, noise_problem(N, 2, 5), at_points, POINTS);
        for (size_t n = 0; n < N; n++)
            one[n] = 1;
        ck_assert_int_eq(
            rvm_points_choose(chosen, &count, &s.points, one, 0, MOST, &interrupted, &err),
            RVM_EINTERRUPT);
        tear_down(&s);
    }
END_TEST

/* ---- Values that are none --------------------------------------------------------------------- */

/* Points that are all alike are one, whatever the jitter; a kernel of zeros is a process of nothing. */
START_TEST(singular_points)
    {
        setting s;
        rvm_error err = { 0 };
        const size_t same[] = { 4, 4, 4, 4 };
        double residual[N];
        set_up(&s, RVM_RBF, noise_problem(N, 2, 5), same, 4);
        gsl_matrix *V = gsl_matrix_alloc(4, N);
        CHECK_OK(rvm_points_strip(V, NULL, residual, &s.points, 0, N, NULL, &err));
        for (size_t n = 0; n < N; n++)
            ck_assert_double_eq_tol(residual[n], 1 - gsl_pow_2(value(&s, s.p, 4, s.p, n)), 1e-7);
        gsl_matrix_free(V);
        tear_down(&s);

        rvm_problem *p = problem_from_text("1\n2\n4\n", (rvm_grammar){ 0 });
        const size_t at = 1;
        set_up(&s, RVM_LINEAR, p, &at, 1);
        ck_assert_double_eq(s.points.diagonal[2], 0);
        tear_down(&s);
    }
END_TEST

START_TEST(values_that_are_no_covariance)
    {
        static const char *const texts[] = { "1 0:1 1:1 2:3\n2 0:2 1:3 2:1\n",
                                             "1 0:1 1:1 2:0\n2 0:2 1:0 2:-1\n" };
        rvm_problem *p = problem_from_text(texts[_i], (rvm_grammar){ .precomputed = true });
        const rvm_kernel kernel = { .type = RVM_PRECOMPUTED };
        rvm_points z;
        rvm_error err = { 0 };
        CHECK_OK(rvm_points_init(&z, p, p, 1, &err));
        ck_assert_int_eq(rvm_points_place(&z, &kernel, &err), RVM_ENUMERIC);
        ck_assert(strstr(err.message, "no covariance") != NULL);
        rvm_points_free(&z);
        rvm_problem_free(p);
    }
END_TEST

/* The first row is the point: q = k(x,z)^2 / k(z,z) of the second one is 0.81 and 0.98, or 4, of 1. */
START_TEST(values_that_are_none_elsewhere)
    {
        static const char *const texts[] = { "1 0:1 1:1 2:0.9\n2 0:2 1:0.9 2:1\n",
                                             "1 0:1 1:1 2:0.99\n2 0:2 1:0.99 2:1\n",
                                             "1 0:1 1:1 2:2\n2 0:2 1:2 2:1\n" };
        rvm_problem *p = problem_from_text(texts[_i], (rvm_grammar){ .precomputed = true });
        const size_t first = 0;
        rvm_problem *z = rvm_problem_subset(p, &first, 1);
        const rvm_kernel kernel = { .type = RVM_PRECOMPUTED };
        rvm_points points;
        rvm_error err = { 0 };
        CHECK_OK(rvm_points_init(&points, p, z, 1, &err));
        CHECK_OK(rvm_points_place(&points, &kernel, &err));
        ck_assert_int_eq(rvm_points_check(&points, &err), _i < 2 ? RVM_OK : RVM_ENUMERIC);
        rvm_points_free(&points);
        rvm_problem_free(p);
        rvm_problem_free(z);
    }
END_TEST

/* ---- Rows that a team shares ------------------------------------------------------------------- */

typedef struct {
    setting alone;
    bool faulty;
} shared;

/* The same bits, or the fault of one of them. */
static void check_shared(void *context, rvm_team *team)
{
    const shared *j = context;
    const rvm_points *alone = &j->alone.points;
    rvm_error err = { 0 };
    rvm_points z;
    rvm_problem *slice = team_threads_slice(j->alone.p, team);
    CHECK_OK(rvm_points_init(&z, slice, j->alone.z, 1, &err));
    const rvm_status status = rvm_points_place(&z, &j->alone.kernel, &err);
    if (j->faulty) {
        ck_assert_int_eq(status, RVM_ENUMERIC);
        ck_assert_str_eq(err.message,
                         "kernel values leave the range of finite numbers: scale the data");
    } else {
        ck_assert_int_eq(status, RVM_OK);
        ck_assert_double_eq(rvm_points_scale(&z), rvm_points_scale(alone));
        ck_assert(memcmp(z.diagonal, alone->diagonal + rvm_spans_first_row(&z.spans),
                         z.N * sizeof *z.diagonal) == 0);
        ck_assert(memcmp(z.L->data, alone->L->data, POINTS * POINTS * sizeof *z.L->data) == 0);
        CHECK_OK(rvm_points_check(&z, &err));
    }
    rvm_points_free(&z);
    rvm_problem_free(slice);
}

START_TEST(a_team_places_the_same)
    {
        static const int teams[] = { 1, 2, 3, 7 };
        shared j = { .faulty = false };
        double mean = 0;
        set_up(&j.alone, RVM_POLYNOMIAL, noise_problem(20000, 2, 3), at_points, POINTS);
        for (size_t n = 0; n < 20000; n++)
            mean += value(&j.alone, j.alone.p, n, j.alone.p, n) / 20000;
        check_close(rvm_points_scale(&j.alone.points), mean, 1e-12);
        team_threads_run(teams[_i], check_shared, &j);
        j.alone.p->value[j.alone.p->start[19990]] = 1e200;
        j.faulty = true;
        team_threads_run(teams[_i], check_shared, &j);
        tear_down(&j.alone);
    }
END_TEST

Suite *points_suite(void)
{
    Suite *suite = suite_create("points");
    TCase *tests = tcase_create("points");
    tcase_add_loop_test(tests, residuals_are_what_points_leave, 0, TYPES);
    tcase_add_loop_test(tests, strips_are_alike, 0, TYPES);
    tcase_add_loop_test(tests, pivots_are_those_of_a_whole_matrix, 0, TYPES);
    tcase_add_test(tests, enough_is_the_end);
    tcase_add_test(tests, equal_rows_are_taken_once);
    tcase_add_test(tests, an_interrupt_ends_the_choice);
    tcase_add_test(tests, singular_points);
    tcase_add_loop_test(tests, values_that_are_no_covariance, 0, 2);
    tcase_add_loop_test(tests, values_that_are_none_elsewhere, 0, 3);
    tcase_add_loop_test(tests, a_team_places_the_same, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}
