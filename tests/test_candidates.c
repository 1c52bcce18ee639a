/* candidates.c: S, Q and gain of candidates against the N x N form, C = B^-1 + Phi A^-1 Phi'. */
#include "inference/evidence.h"
#include "problems.h"
#include "search/candidates.h"
#include "suites.h"

enum { N = 70, K = 4 };

static const size_t active[K] = { 0, 9, 30, 55 };
static const double ln_alpha[K] = { -4.385, -1.4, 0.31, -2.7 };

typedef struct {
    rvm_study y;
    rvm_columns c;
    gsl_matrix *all; /* every candidate at every row, unit norm: M x N */
    double gradient[N], curvature[N], residual[N];
    rvm_posterior_at at;
} case_data;

/* The gradient B (z - Phi mu) = C^-1 z at the mode mu = (A + Phi'B Phi)^-1 Phi'B z, by LU. */
static void fill_gradient(case_data *x, size_t count, const double *z)
{
    gsl_matrix *P = gsl_matrix_alloc(count > 0 ? count : 1, count > 0 ? count : 1);
    double right[K], mu[K] = { 0 };
    for (size_t i = 0; i < count; i++) {
        const double *a = gsl_matrix_const_ptr(x->all, active[i], 0);
        right[i] = 0;
        for (size_t n = 0; n < N; n++)
            right[i] += a[n] * x->curvature[n] * z[n];
        for (size_t j = 0; j < count; j++) {
            const double *b = gsl_matrix_const_ptr(x->all, active[j], 0);
            double sum = i == j ? exp(ln_alpha[i]) : 0;
            for (size_t n = 0; n < N; n++)
                sum += a[n] * x->curvature[n] * b[n];
            gsl_matrix_set(P, i, j, sum);
        }
    }
    if (count > 0)
        solve_lu(mu, P, right);
    for (size_t n = 0; n < N; n++) {
        double f = 0;
        for (size_t i = 0; i < count; i++)
            f += mu[i] * gsl_matrix_get(x->all, active[i], n);
        x->gradient[n] = x->curvature[n] * (z[n] - f);
    }
    gsl_matrix_free(P);
}

/* `count` active functions; curved: with a curvature that varies, else beta = 7.3. */
static void case_init(case_data *x, size_t count, bool curved)
{
    const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 2);
    rvm_problem *p = smooth_problem(N, 4);
    rvm_error err = { 0 };
    const double beta = 7.3;
    CHECK_OK(rvm_study_init(&x->y, p, &s, &s.kernel, 0, &err));
    rvm_problem_free(p);
    CHECK_OK(rvm_columns_init(&x->c, &x->y.basis, K, 0, 1, &err));
    CHECK_OK(rvm_columns_append(&x->c, active, count, &err));
    const size_t M = x->y.basis.count;
    size_t id[N + 1];
    double norm[N + 1];
    ck_assert_uint_eq(M, N + 1);
    for (size_t m = 0; m < M; m++)
        id[m] = m;
    x->all = gsl_matrix_alloc(M, N);
    CHECK_OK(rvm_basis_columns(x->all, norm, &x->y.basis, id, M, 1, &err));
    for (size_t n = 0; n < N; n++)
        x->curvature[n] = curved ? 0.3 + 4 * gsl_pow_2(sin(3.0 * (double)n)) : beta;
    fill_gradient(x, count, x->y.observed.t);
    x->at = (rvm_posterior_at){ .y = &x->y,
                                .columns = &x->c,
                                .ln_alpha = ln_alpha,
                                .gradient = x->gradient,
                                .curvature = curved ? x->curvature : NULL,
                                .beta = beta,
                                .threads = 1 };
}

static void case_free(case_data *x)
{
    gsl_matrix_free(x->all);
    rvm_columns_free(&x->c);
    rvm_study_free(&x->y);
}

static gsl_matrix *model_covariance(const case_data *x, size_t count)
{
    gsl_matrix *C = gsl_matrix_calloc(N, N);
    for (size_t m = 0; m < N; m++)
        for (size_t n = 0; n < N; n++) {
            double sum = m == n ? 1 / x->curvature[n] : 0;
            for (size_t i = 0; i < count; i++)
                sum += gsl_matrix_get(x->all, active[i], m) * gsl_matrix_get(x->all, active[i], n) *
                       exp(-ln_alpha[i]);
            gsl_matrix_set(C, m, n, sum);
        }
    return C;
}

/* The candidates that are not active. */
static size_t others(size_t *id, size_t count)
{
    size_t found = 0;
    for (size_t m = 0; m <= N; m++) {
        bool is_active = false;
        for (size_t i = 0; i < count; i++)
            is_active = is_active || active[i] == m;
        if (!is_active)
            id[found++] = m;
    }
    return found;
}

/* With so few rows all of them are looked at. gain and ln alpha by the text of evidence.h; the ones
 * that are left out have no more than the tolerance to gain. */
static void check_candidates(const case_data *x, size_t count, double tolerance)
{
    size_t id[N + 1], found = 0, seen = 0;
    rvm_candidate candidates[N + 1];
    rvm_error err = { 0 };
    const size_t tried = others(id, count);
    CHECK_OK(rvm_candidates_find(candidates, &found, &x->at, id, tried, tolerance, &err));
    gsl_matrix *C = model_covariance(x, count);
    for (size_t k = 0; k < tried; k++) {
        const double *phi = gsl_matrix_const_ptr(x->all, id[k], 0);
        const double S = inverse_form(C, phi, phi), Q = inverse_form(C, phi, x->y.observed.t);
        const double gain = Q * Q > S ? 0.5 * ((Q * Q - S) / S + log(S) - log(Q * Q)) : 0;
        size_t at = 0;
        while (at < found && candidates[at].id != id[k])
            at++;
        if (at == found) {
            ck_assert_double_le(gain, tolerance + 1e-9);
            continue;
        }
        seen++;
        ck_assert_double_gt(gain, tolerance - 1e-9);
        check_close(candidates[at].gain, gain, 1e-9);
        check_close(candidates[at].ln_alpha, log(S * S / (Q * Q - S)), 1e-7);
    }
    ck_assert_uint_eq(seen, found);
    for (size_t k = 1; k < found; k++)
        ck_assert_double_ge(candidates[k - 1].gain, candidates[k].gain);
    if (tolerance < 1) /* some gain and some do not: the loop above saw both */
        ck_assert(found > 2 && found < tried);
    gsl_matrix_free(C);
}

START_TEST(gains_by_the_covariance)
    {
        case_data x;
        case_init(&x, K, _i == 1);
        check_candidates(&x, K, 1e-6);
        check_candidates(&x, K, 1.5);
        case_free(&x);
    }
END_TEST

/* Among them the bias, which is active elsewhere. */
START_TEST(gains_where_nothing_is_active)
    {
        case_data x;
        case_init(&x, 0, _i == 1);
        for (size_t n = 0; n < N; n++) /* so that the bias has something to gain */
            x.y.observed.t[n] += 0.9;
        fill_gradient(&x, 0, x.y.observed.t);
        size_t id[N + 1], found;
        rvm_candidate candidates[N + 1];
        rvm_error err = { 0 };
        check_candidates(&x, 0, 1e-6);
        const size_t tried = others(id, 0);
        ck_assert_uint_eq(id[0], 0);
        CHECK_OK(rvm_candidates_find(candidates, &found, &x.at, id, tried, 1e-6, &err));
        size_t at = 0;
        while (at < found && candidates[at].id != 0)
            at++;
        ck_assert_uint_lt(at, found);
        case_free(&x);
    }
END_TEST

START_TEST(nothing_gains_too_much)
    {
        case_data x;
        case_init(&x, K, false);
        size_t id[N + 1], found = 99;
        rvm_candidate candidates[N + 1];
        rvm_error err = { 0 };
        const size_t tried = others(id, K);
        CHECK_OK(rvm_candidates_find(candidates, &found, &x.at, id, tried, 1e6, &err));
        ck_assert_uint_eq(found, 0);
        case_free(&x);
    }
END_TEST

/* A linear kernel of one feature: all columns are multiples of one another; with one of them active
 * and next to no prior on it nothing is left of the others. */
START_TEST(multiples_of_an_active_function_offer_nothing)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_LINEAR, 0);
        rvm_problem *p = sinc_problem(50, 0.1, 3);
        rvm_study y;
        rvm_columns c;
        rvm_error err = { 0 };
        const size_t first[] = { 20 };
        const double wide[] = { -30 };
        double gradient[50];
        size_t id[50], count = 0, found = 99;
        rvm_candidate candidates[50];
        CHECK_OK(rvm_study_init(&y, p, &s, &s.kernel, 0, &err));
        CHECK_OK(rvm_columns_init(&c, &y.basis, 2, 0, 1, &err));
        CHECK_OK(rvm_columns_append(&c, first, 1, &err));
        for (size_t n = 0; n < 50; n++) /* as a search that is not at the mode might have */
            gradient[n] = feature(y.p, n, 1);
        for (size_t m = 1; m <= 50; m++)
            if (m != 20)
                id[count++] = m;
        const rvm_posterior_at at = { &y, &c, wide, gradient, NULL, 100, 1 };
        CHECK_OK(rvm_candidates_find(candidates, &found, &at, id, count, 1e-3, &err));
        ck_assert_uint_eq(found, 0);
        rvm_columns_free(&c);
        rvm_study_free(&y);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Many rows ------------------------------------------------------------------------------ */

enum { MANY = 6000 };

static void many(rvm_study *y, rvm_columns *c, rvm_posterior_at *at, double *gradient, int threads)
{
    const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 1);
    const size_t id[] = { 0, 900, 2500, 4100 };
    rvm_problem *p = smooth_problem(MANY, 4);
    rvm_error err = { 0 };
    CHECK_OK(rvm_study_init(y, p, &s, &s.kernel, 0, &err));
    rvm_problem_free(p);
    CHECK_OK(rvm_columns_init(c, &y->basis, K, 0, 1, &err));
    CHECK_OK(rvm_columns_append(c, id, K, &err));
    for (size_t n = 0; n < MANY;
         n++) /* any gradient will do: S and Q do not care where it is from */
        gradient[n] = 3 * y->observed.t[n];
    *at = (rvm_posterior_at){ y, c, ln_alpha, gradient, NULL, 3, threads };
}

static double dot(const gsl_matrix *X, size_t i, const gsl_matrix *Y, size_t j)
{
    gsl_vector_const_view a = gsl_matrix_const_row(X, i), b = gsl_matrix_const_row(Y, j);
    double sum;
    gsl_blas_ddot(&a.vector, &b.vector, &sum);
    return sum;
}

/* Of 3 + 3 terms and 70 kernel functions: half of the places for the linear ones and the bias, half
 * of the others for the quadratic ones, as far as they go. */
START_TEST(every_group_has_its_places)
    {
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 2);
        rvm_problem *p = noise_problem(70, 2, 3);
        rvm_study y;
        rvm_columns c;
        rvm_error err = { 0 };
        size_t order[76], of_kind[3] = { 0 }, drawn;
        gsl_rng *rng = random_numbers(1);
        const size_t x1 = 1;
        s.linear = s.quadratic = true;
        CHECK_OK(rvm_study_init(&y, p, &s, &s.kernel, 0, &err));
        ck_assert_uint_eq(y.basis.count, 76);
        CHECK_OK(rvm_columns_init(&c, &y.basis, K, 0, 1, &err));
        CHECK_OK(rvm_columns_append(&c, &x1, 1, &err));
        CHECK_OK(rvm_candidates_draw(order, &drawn, &c, 8, rng, &err));
        ck_assert_uint_eq(drawn, 8);
        for (size_t k = 0; k < 8; k++) {
            ck_assert(order[k] != 1 && order[k] < 76 && (k == 0 || order[k] > order[k - 1]));
            of_kind[order[k] < 3 ? 0 : order[k] < 6 ? 1 : 2]++;
        }
        ck_assert(of_kind[0] == 2 && of_kind[1] == 3 && of_kind[2] == 3);
        CHECK_OK(rvm_candidates_draw(order, &drawn, &c, 1000, rng, &err));
        ck_assert_uint_eq(drawn, 75);
        for (size_t k = 0; k < 75; k++)
            ck_assert_uint_eq(order[k], k < 1 ? k : k + 1);
        gsl_rng_free(rng);
        rvm_columns_free(&c);
        rvm_study_free(&y);
        rvm_problem_free(p);
    }
END_TEST

/* Of 6001 candidates, four of which have a column: each of the others as often as it should be. Tenths
 * of them are drawn 8000 times in all, with a standard deviation of 84. */
START_TEST(draws_are_even_and_leave_active_ones_out)
    {
        rvm_study y;
        rvm_columns c;
        rvm_posterior_at at;
        rvm_error err = { 0 };
        size_t order[400], drawn, tenth[10] = { 0 }, ends = 0;
        double *gradient = calloc(MANY, sizeof *gradient);
        gsl_rng *rng = random_numbers(5);
        many(&y, &c, &at, gradient, 1);
        ck_assert_uint_eq(y.basis.count, MANY + 1);
        for (int time = 0; time < 200; time++) {
            CHECK_OK(rvm_candidates_draw(order, &drawn, &c, 400, rng, &err));
            ck_assert_uint_eq(drawn, 400);
            for (size_t k = 0; k < drawn; k++) {
                ck_assert(order[k] <= MANY && (k == 0 || order[k] > order[k - 1]));
                ck_assert(order[k] != 0 && order[k] != 900 && order[k] != 2500 && order[k] != 4100);
                tenth[(order[k] - 1) * 10 / MANY]++;
                ends += order[k] == 1 || order[k] == MANY;
            }
        }
        for (size_t k = 0; k < 10; k++)
            ck_assert_double_lt(fabs((double)tenth[k] - 8000), 5 * 84);
        ck_assert(ends > 8 && ends < 48); /* 26.7, 5.0 */
        gsl_rng_free(rng);
        free(gradient);
        rvm_columns_free(&c);
        rvm_study_free(&y);
    }
END_TEST

/* Neither active ones nor those that are there, and no more than there is room for. */
START_TEST(wanted_candidates_are_added_once)
    {
        rvm_study y;
        rvm_columns c;
        rvm_posterior_at at;
        rvm_error err = { 0 };
        const size_t wanted[] = { 5000, 900, 17, 40, 3, 0, 4100 }, all[] = { 3, 17, 40, 60, 5000 };
        size_t order[6] = { 17, 40, 60 }, drawn = 3;
        double *gradient = calloc(MANY, sizeof *gradient);
        many(&y, &c, &at, gradient, 1);
        CHECK_OK(rvm_candidates_add(order, &drawn, 6, &c, wanted, 7, &err));
        ck_assert_uint_eq(drawn, 5);
        ck_assert_mem_eq(order, all, sizeof all);
        CHECK_OK(rvm_candidates_add(order, &drawn, 6, &c, (const size_t[]){ 8, 7 }, 2, &err));
        ck_assert_uint_eq(drawn, 6);
        ck_assert_uint_eq(order[1], 8);
        free(gradient);
        rvm_columns_free(&c);
        rvm_study_free(&y);
    }
END_TEST

/* Q takes every row, S the share that 300 or so of the 6000 leave of it: mostly within 30 %. */
START_TEST(many_rows_are_sampled)
    {
        rvm_study y;
        rvm_columns c;
        rvm_posterior_at at;
        rvm_error err = { 0 };
        rvm_candidate candidates[150];
        size_t id[150], found, off = 0;
        double *gradient = calloc(MANY, sizeof *gradient), norm[150], unused[K];
        many(&y, &c, &at, gradient, 1);
        for (size_t k = 0; k < 150; k++)
            id[k] = 7 + 37 * k;
        CHECK_OK(rvm_candidates_find(candidates, &found, &at, id, 150, 1e-3, &err));
        ck_assert_uint_gt(found, 50);
        gsl_matrix *X = gsl_matrix_alloc(150, MANY), *A = gsl_matrix_alloc(K, MANY);
        CHECK_OK(rvm_basis_columns(X, norm, &y.basis, id, 150, 1, &err));
        CHECK_OK(rvm_basis_columns(A, unused, &y.basis, c.id, K, 1, &err));
        gsl_vector_const_view pull = gsl_vector_const_view_array(gradient, MANY);
        for (size_t k = 0; k < found; k++) {
            const size_t i = (candidates[k].id - 7) / 37;
            gsl_matrix *P = gsl_matrix_alloc(K, K);
            double v[K], x[K], Q, S = 3; /* by the formula */
            for (size_t a = 0; a < K; a++) {
                v[a] = 3 * dot(X, i, A, a);
                for (size_t b = 0; b < K; b++)
                    gsl_matrix_set(P, a, b, 3 * dot(A, a, A, b) + (a == b ? exp(ln_alpha[a]) : 0));
            }
            solve_lu(x, P, v);
            for (size_t a = 0; a < K; a++)
                S -= v[a] * x[a];
            gsl_vector_const_view phi = gsl_matrix_const_row(X, i);
            gsl_blas_ddot(&phi.vector, &pull.vector, &Q);
            /* What S was taken for, from alpha = S^2 / (Q^2 - S). */
            const double alpha = exp(candidates[k].ln_alpha);
            const double taken = 0.5 * (sqrt(alpha * alpha + 4 * alpha * Q * Q) - alpha);
            check_close(candidates[k].gain, rvm_gain(taken, Q), 1e-6);
            off += fabs(taken / S - 1) > 0.3;
            gsl_matrix_free(P);
        }
        ck_assert_uint_le(10 * off, found);
        gsl_matrix_free(X);
        gsl_matrix_free(A);
        free(gradient);
        rvm_columns_free(&c);
        rvm_study_free(&y);
    }
END_TEST

START_TEST(candidates_with_any_number_of_threads)
    {
        rvm_study y;
        rvm_columns c;
        rvm_posterior_at at;
        rvm_error err = { 0 };
        rvm_candidate candidates[150], again[150];
        size_t id[150], found, found2;
        double *gradient = calloc(MANY, sizeof *gradient);
        many(&y, &c, &at, gradient, 1);
        for (size_t k = 0; k < 150; k++)
            id[k] = 7 + 37 * k;
        CHECK_OK(rvm_candidates_find(candidates, &found, &at, id, 150, 1e-3, &err));
        for (at.threads = 2; at.threads <= 3; at.threads++) {
            CHECK_OK(rvm_candidates_find(again, &found2, &at, id, 150, 1e-3, &err));
            ck_assert_uint_eq(found, found2);
            ck_assert_mem_eq(candidates, again, found * sizeof *candidates);
        }
        free(gradient);
        rvm_columns_free(&c);
        rvm_study_free(&y);
    }
END_TEST

Suite *candidates_suite(void);
Suite *candidates_suite(void)
{
    Suite *s = suite_create("candidates");
    TCase *c = tcase_create("candidates");
    tcase_add_loop_test(c, gains_by_the_covariance, 0, 2);
    tcase_add_loop_test(c, gains_where_nothing_is_active, 0, 2);
    tcase_add_test(c, nothing_gains_too_much);
    tcase_add_test(c, multiples_of_an_active_function_offer_nothing);
    tcase_add_test(c, every_group_has_its_places);
    tcase_add_test(c, draws_are_even_and_leave_active_ones_out);
    tcase_add_test(c, wanted_candidates_are_added_once);
    tcase_add_test(c, many_rows_are_sampled);
    tcase_add_test(c, candidates_with_any_number_of_threads);
    suite_add_tcase(s, c);
    return s;
}
