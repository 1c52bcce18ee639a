/* gaussian.c, bernoulli.c, fit.c: posteriors and evidence against the N x N form and the formulas
 * of Tipping (2001), in weights that are not scaled. */
#include "base/linalg.h"
#include "inference/fit.h"
#include "problems.h"
#include "suites.h"

enum { N = 40, M = 6, K = 4 };

/* Columns of a random design with a few of them active. */
typedef struct {
    double t[N], c[N];
    rvm_observed o;
    rvm_columns d;
    rvm_fit f;
    rvm_scratch ws;
} case_data;

static void case_init(case_data *x, const rvm_likelihood *likelihood)
{
    rvm_error err = { 0 };
    const double ln_alpha[K] = { -2.385, 0.4, -0.31, 1.7 };
    const size_t column[K] = { 4, 0, 2, 5 };
    if (likelihood->has_noise)
        random_targets(x->t, N, 1);
    else
        random_classes(x->t, N, 1);
    x->o = observe(likelihood, x->t, N);
    random_design(&x->d, N, M, x->t, 2);
    CHECK_OK(rvm_fit_init(&x->f, M, N, &err));
    CHECK_OK(rvm_scratch_init(&x->ws, M, N, likelihood->curved, 1, &err));
    x->f.ln_beta = likelihood->has_noise ? 0.83 : 0;
    for (size_t i = 0; i < K; i++)
        rvm_fit_add(&x->f, column[i], ln_alpha[i]);
}

static void case_free(case_data *x)
{
    rvm_scratch_free(&x->ws);
    rvm_fit_free(&x->f);
    rvm_columns_free(&x->d);
}

static bool posterior(case_data *x)
{
    return x->o.likelihood->posterior(&x->f, &x->o, &x->d, &x->ws);
}

static double weight(const rvm_fit *f, size_t i)
{
    return f->u[i] * exp(-0.5 * f->ln_alpha[i]);
}

static double phi(const case_data *x, size_t i, size_t n)
{
    return gsl_matrix_get(x->d.PhiT, x->f.column[i], n);
}

static double activation(const case_data *x, size_t n)
{
    double sum = x->o.offset == NULL ? 0 : x->o.offset[n];
    for (size_t i = 0; i < x->f.K; i++)
        sum += weight(&x->f, i) * phi(x, i, n);
    return sum;
}

/* A + Phi' B Phi over the active functions. */
static gsl_matrix *precision(const case_data *x, const double *curvature)
{
    gsl_matrix *P = gsl_matrix_alloc(x->f.K, x->f.K);
    for (size_t i = 0; i < x->f.K; i++)
        for (size_t j = 0; j < x->f.K; j++) {
            double sum = i == j ? exp(x->f.ln_alpha[i]) : 0;
            for (size_t n = 0; n < N; n++)
                sum += curvature[n] * phi(x, i, n) * phi(x, j, n);
            gsl_matrix_set(P, i, j, sum);
        }
    return P;
}

/* The factor L of H against A^-1/2 (A + Phi' B Phi) A^-1/2. */
static void check_factor(const case_data *x, const double *curvature)
{
    gsl_matrix *P = precision(x, curvature);
    gsl_matrix_view L = rvm_fit_factor(&x->f);
    for (size_t i = 0; i < x->f.K; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t k = 0; k <= j; k++)
                sum += gsl_matrix_get(&L.matrix, i, k) * gsl_matrix_get(&L.matrix, j, k);
            check_close(sum,
                        gsl_matrix_get(P, i, j) * exp(-0.5 * (x->f.ln_alpha[i] + x->f.ln_alpha[j])),
                        1e-12);
        }
    gsl_matrix_free(P);
}

/* ---- Regression ----------------------------------------------------------------------------- */

START_TEST(gaussian_evidence_is_that_of_the_targets)
    {
        case_data x;
        case_init(&x, &rvm_gaussian);
        const double ln_betas[] = { -3, 0.83, 4.2, 11 };
        for (size_t k = 0; k < 4; k++) {
            x.f.ln_beta = ln_betas[k];
            ck_assert(posterior(&x));
            check_close(x.f.log_evidence, gaussian_evidence(&x.f, &x.d, x.t), 1e-11);
        }
        case_free(&x);
    }
END_TEST

/* (A + beta Phi'Phi) mu = beta Phi't; misfit and slope row by row. */
START_TEST(gaussian_mode)
    {
        case_data x;
        double curvature[N], right[K], mu[K], misfit = 0;
        case_init(&x, &rvm_gaussian);
        ck_assert(posterior(&x));
        const double beta = exp(x.f.ln_beta);
        for (size_t n = 0; n < N; n++)
            curvature[n] = beta;
        check_factor(&x, curvature);
        for (size_t i = 0; i < K; i++) {
            right[i] = 0;
            for (size_t n = 0; n < N; n++)
                right[i] += beta * phi(&x, i, n) * x.t[n];
        }
        gsl_matrix *P = precision(&x, curvature);
        solve_lu(mu, P, right);
        for (size_t i = 0; i < K; i++)
            check_close(weight(&x.f, i), mu[i], 1e-13);
        for (size_t n = 0; n < N; n++) {
            const double rest = x.t[n] - activation(&x, n);
            misfit += rest * rest;
        }
        check_close(x.f.residual_squares, misfit, 1e-13);
        gsl_matrix_free(P);
        case_free(&x);
    }
END_TEST

/* Targets that the functions explain but for a millionth: t't - 2 mu'p + mu'G mu would have lost
 * all digits of the misfit. */
START_TEST(gaussian_misfit_of_an_almost_exact_fit)
    {
        case_data x;
        double misfit = 0;
        case_init(&x, &rvm_gaussian);
        for (size_t n = 0; n < N; n++)
            x.t[n] = 1e-6 * x.t[n] + 3 * phi(&x, 0, n) - 2 * phi(&x, 2, n);
        fill_gram(&x.d);
        x.o = observe(&rvm_gaussian, x.t, N);
        x.f.ln_beta = log(1e12);
        ck_assert(posterior(&x));
        for (size_t n = 0; n < N; n++)
            misfit += gsl_pow_2(x.t[n] - activation(&x, n));
        ck_assert_double_lt(misfit, 1e-10);
        ck_assert_double_eq_tol(x.f.residual_squares / misfit, 1, 1e-6);
        case_free(&x);
    }
END_TEST

/* N targets of variance 1 / beta and nothing else. */
START_TEST(gaussian_without_functions)
    {
        case_data x;
        case_init(&x, &rvm_gaussian);
        x.f.K = 0;
        ck_assert(posterior(&x));
        ck_assert_double_eq(x.f.residual_squares, x.o.t_squared);
        check_close(x.f.log_evidence,
                    0.5 * (N * (0.83 - log(2 * M_PI)) - exp(0.83) * x.o.t_squared), 1e-13);
        case_free(&x);
    }
END_TEST

/* Two functions that are the same, beta / alpha = 1e18: adding 1 to 1e18 changes nothing in
 * doubles, so that H is singular and Cholesky gives up. Together they are one function of twice the
 * variance, v = 2 / alpha: ln|C| = N ln(1 / beta) + ln(1 + beta v), the weight of both is
 * beta v / (1 + beta v) phi't, and each has half. */
START_TEST(gaussian_of_twins_beyond_cholesky)
    {
        case_data x;
        const double alpha = 1e-10, beta = 1e8, v = 2 / alpha;
        double square[] = { 1e18, 1e18, 1e18, 1e18 };
        gsl_matrix_view H = gsl_matrix_view_array(square, 2, 2);
        ck_assert(!rvm_cholesky(&H.matrix, 1));
        case_init(&x, &rvm_gaussian);
        gsl_vector_view first = gsl_matrix_row(x.d.PhiT, 0), second = gsl_matrix_row(x.d.PhiT, 1);
        gsl_vector_memcpy(&second.vector, &first.vector);
        for (size_t n = 0; n < N; n++) /* mostly explained by the two */
            x.t[n] = 0.01 * x.t[n] + 3 * gsl_vector_get(&first.vector, n);
        x.o = observe(&rvm_gaussian, x.t, N);
        fill_gram(&x.d);
        gsl_matrix_set(x.d.G, 0, 0, 1);
        for (size_t k = 1; k < 4; k++)
            gsl_matrix_set(x.d.G, k / 2, k % 2, 1);
        x.f.K = 0;
        x.f.ln_beta = log(beta);
        rvm_fit_add(&x.f, 0, log(alpha));
        rvm_fit_add(&x.f, 1, log(alpha));
        ck_assert(posterior(&x));

        const double p = x.d.p[0], w = beta * v / (1 + beta * v) * p;
        const double square_form = beta * (x.o.t_squared - w * p);
        const double evidence =
            0.5 * (N * (log(beta) - log(2 * M_PI)) - log1p(beta * v) - square_form);
        check_close(weight(&x.f, 0) + weight(&x.f, 1), w, 1e-12);
        ck_assert_double_eq_tol(weight(&x.f, 0), w / 2, 0.01 / sqrt(alpha)); /* of its sd */
        check_close(x.f.log_evidence, evidence, 1e-8);
        case_free(&x);
    }
END_TEST

/* ---- Classification ------------------------------------------------------------------------- */

static double logistic(double f)
{
    return 1 / (1 + exp(-f));
}

/* At the mode Phi' c (t - y) = A w. */
static void check_mode(const case_data *x)
{
    for (size_t i = 0; i < x->f.K; i++) {
        double pull = 0;
        for (size_t n = 0; n < N; n++) {
            const double c = x->o.row_weight == NULL ? 1 : x->o.row_weight[n];
            pull += c * phi(x, i, n) * (x->t[n] - logistic(activation(x, n)));
        }
        check_close(exp(x->f.ln_alpha[i]) * weight(&x->f, i), pull, 1e-6);
    }
}

/* ln p(t|w) - 1/2 w'A w + 1/2 ln|A| - 1/2 ln|A + Phi'B Phi| */
static double laplace_evidence(const case_data *x)
{
    double curvature[N], sum = 0, none[K] = { 0 }, out[K];
    for (size_t n = 0; n < N; n++) {
        const double y = logistic(activation(x, n));
        const double c = x->o.row_weight == NULL ? 1 : x->o.row_weight[n];
        curvature[n] = c * y * (1 - y);
        sum += c * (x->t[n] > 0 ? log(y) : log(1 - y));
    }
    gsl_matrix *P = precision(x, curvature);
    sum -= 0.5 * solve_lu(out, P, none);
    gsl_matrix_free(P);
    for (size_t i = 0; i < x->f.K; i++)
        sum += 0.5 * x->f.ln_alpha[i] -
               0.5 * exp(x->f.ln_alpha[i]) * weight(&x->f, i) * weight(&x->f, i);
    return sum;
}

/* Plain; with weights of rows; with an offset of each activation as well. */
START_TEST(bernoulli_mode_and_evidence)
    {
        case_data x;
        double curvature[N], offset[N];
        case_init(&x, &rvm_bernoulli);
        for (size_t n = 0; n < N; n++) {
            x.c[n] = 0.3 + (double)(n % 5);
            offset[n] = sin(3 * (double)n);
        }
        for (int what = 0; what < 3; what++) {
            const bool weighted = what > 0;
            x.o.row_weight = weighted ? x.c : NULL;
            x.o.offset = what > 1 ? offset : NULL;
            ck_assert(posterior(&x));
            check_mode(&x);
            check_close(x.f.log_evidence, laplace_evidence(&x), 1e-10);
            for (size_t n = 0; n < N; n++) {
                const double y = logistic(activation(&x, n)), c = weighted ? x.c[n] : 1;
                check_close(x.f.gradient[n], c * (x.t[n] - y), 1e-12);
                curvature[n] = c * y * (1 - y);
                check_close(x.f.curvature[n], curvature[n], 1e-12);
            }
            check_factor(&x, curvature);
        }
        case_free(&x);
    }
END_TEST

/* The same mode from a start far away, where the first Newton step overshoots. */
START_TEST(bernoulli_mode_from_afar)
    {
        case_data near, far;
        case_init(&near, &rvm_bernoulli);
        case_init(&far, &rvm_bernoulli);
        for (size_t i = 0; i < K; i++) {
            near.f.ln_alpha[i] = far.f.ln_alpha[i] = -7;
            far.f.u[i] = i % 2 == 0 ? 30 : -30;
        }
        ck_assert(posterior(&near) && posterior(&far));
        check_mode(&far);
        for (size_t i = 0; i < K; i++)
            check_close(far.f.u[i], near.f.u[i], 1e-5);
        check_close(far.f.log_evidence, near.f.log_evidence, 1e-7);
        case_free(&near);
        case_free(&far);
    }
END_TEST

START_TEST(bernoulli_without_functions)
    {
        case_data x;
        case_init(&x, &rvm_bernoulli);
        x.f.K = 0;
        ck_assert(posterior(&x));
        check_close(x.f.log_evidence, -N * log(2), 1e-14);
        for (size_t n = 0; n < N; n++) {
            ck_assert_double_eq(x.f.gradient[n], x.t[n] - 0.5);
            ck_assert_double_eq(x.f.curvature[n], 0.25);
        }
        case_free(&x);
    }
END_TEST

/* Rows of weight 2 against the same rows twice: columns of norm sqrt(2) are brought back to 1, so
 * alpha doubles with the square of the norm. */
START_TEST(weight_2_is_the_row_twice)
    {
        enum { ROWS = N / 2 };
        case_data twice;
        double t[ROWS], c[ROWS];
        rvm_columns d;
        rvm_fit f;
        rvm_scratch ws;
        rvm_error err = { 0 };
        case_init(&twice, &rvm_bernoulli);
        random_design(&d, ROWS, M, t, 9);
        for (size_t n = 0; n < ROWS; n++) {
            c[n] = 2;
            twice.t[n] = twice.t[n + ROWS] = t[n] = n % 3 == 0;
            for (size_t m = 0; m < M; m++) {
                const double value = gsl_matrix_get(d.PhiT, m, n) / sqrt(2);
                gsl_matrix_set(twice.d.PhiT, m, n, value);
                gsl_matrix_set(twice.d.PhiT, m, n + ROWS, value);
            }
        }
        rvm_observed o = observe(&rvm_bernoulli, t, ROWS);
        o.row_weight = c;
        CHECK_OK(rvm_fit_init(&f, M, ROWS, &err));
        CHECK_OK(rvm_scratch_init(&ws, M, ROWS, true, 1, &err));
        for (size_t i = 0; i < K; i++)
            rvm_fit_add(&f, twice.f.column[i], twice.f.ln_alpha[i] + log(2));
        ck_assert(posterior(&twice) && rvm_bernoulli.posterior(&f, &o, &d, &ws));
        check_close(f.log_evidence, twice.f.log_evidence, 1e-12);
        for (size_t i = 0; i < K; i++)
            check_close(weight(&f, i) * sqrt(2), weight(&twice.f, i), 1e-8);
        rvm_scratch_free(&ws);
        rvm_fit_free(&f);
        rvm_columns_free(&d);
        case_free(&twice);
    }
END_TEST

/* ---- Products against columns ---------------------------------------------------------------- */

/* measure and inner against sums over rows. */
static void check_products(const rvm_likelihood *likelihood)
{
    case_data x;
    double Q[M], self[M], f[N], gradient[N], curvature[N];
    case_init(&x, likelihood);
    ck_assert(posterior(&x));
    for (size_t n = 0; n < N; n++)
        f[n] = activation(&x, n);
    likelihood->derivatives(gradient, curvature, &x.o, f, x.f.ln_beta);
    gsl_matrix *V = gsl_matrix_alloc(M, K);
    likelihood->measure(self, Q, V, &x.f, &x.o, &x.d, &x.ws);
    for (size_t m = 0; m < M; m++) {
        double pull = 0, square = 0, cross[K] = { 0 };
        for (size_t n = 0; n < N; n++) {
            const double b = curvature[n];
            const double value = gsl_matrix_get(x.d.PhiT, m, n);
            pull += value * gradient[n];
            square += b * value * value;
            for (size_t i = 0; i < K; i++)
                cross[i] += b * value * phi(&x, i, n);
        }
        check_close(Q[m], pull, 1e-12);
        check_close(self[m], square, 1e-12);
        for (size_t i = 0; i < K; i++) {
            check_close(gsl_matrix_get(V, m, i), cross[i], 1e-12);
            check_close(likelihood->inner(m, x.f.column[i], &x.f, &x.d), cross[i], 1e-12);
        }
    }
    gsl_matrix_free(V);
    case_free(&x);
}

START_TEST(products_of_columns)
    {
        check_products(_i == 0 ? &rvm_gaussian : &rvm_bernoulli);
    }
END_TEST

/* ---- The fit as an object -------------------------------------------------------------------- */

START_TEST(functions_come_and_go)
    {
        case_data x;
        case_init(&x, &rvm_gaussian);
        rvm_fit_remove(&x.f, 1);
        const size_t left[] = { 4, 2, 5 };
        ck_assert_uint_eq(x.f.K, 3);
        ck_assert_mem_eq(x.f.column, left, sizeof left);
        ck_assert_double_eq(x.f.ln_alpha[1], -0.31);
        ck_assert_uint_eq(rvm_fit_find(&x.f, 5), 2);
        ck_assert_uint_eq(rvm_fit_find(&x.f, 0), 3);
        rvm_fit_add(&x.f, 0, 2.5);
        ck_assert_uint_eq(rvm_fit_find(&x.f, 0), 3);
        ck_assert_double_eq(x.f.u[3], 0);
        case_free(&x);
    }
END_TEST

START_TEST(another_alpha_leaves_the_weight)
    {
        case_data x;
        case_init(&x, &rvm_gaussian);
        ck_assert(posterior(&x));
        const double before = weight(&x.f, 2);
        rvm_fit_set_alpha(&x.f, 2, 3.3);
        ck_assert_double_eq(x.f.ln_alpha[2], 3.3);
        check_close(weight(&x.f, 2), before, 1e-15);
        case_free(&x);
    }
END_TEST

START_TEST(copies_are_whole)
    {
        rvm_error err = { 0 };
        case_data x;
        rvm_fit copy;
        case_init(&x, &rvm_bernoulli);
        ck_assert(posterior(&x));
        CHECK_OK(rvm_fit_init(&copy, M, N, &err));
        rvm_fit_copy(&copy, &x.f);
        gsl_matrix_view L = rvm_fit_factor(&x.f), L2 = rvm_fit_factor(&copy);
        ck_assert_uint_eq(copy.K, K);
        ck_assert_mem_eq(copy.column, x.f.column, K * sizeof *copy.column);
        ck_assert_mem_eq(copy.u, x.f.u, K * sizeof *copy.u);
        ck_assert_mem_eq(copy.gradient, x.f.gradient, N * sizeof *copy.gradient);
        ck_assert_mem_eq(copy.curvature, x.f.curvature, N * sizeof *copy.curvature);
        ck_assert_double_eq(copy.log_evidence, x.f.log_evidence);
        for (size_t i = 0; i < K; i++)
            for (size_t j = 0; j <= i; j++)
                ck_assert_double_eq(gsl_matrix_get(&L.matrix, i, j),
                                    gsl_matrix_get(&L2.matrix, i, j));
        rvm_fit_free(&copy);
        case_free(&x);
    }
END_TEST

/* ---- By the Gram matrix alone ---------------------------------------------------------------- */

/* The same observed by a design without columns, with the Gram matrix and p of the other. */
static void forget_columns(rvm_columns *gram, rvm_observed *o, const case_data *x)
{
    *o = x->o;
    o->likelihood = &rvm_quadratic;
    memset(gram, 0, sizeof *gram);
    gram->count = x->d.count;
    gram->capacity = x->d.capacity;
    gram->G = x->d.G;
    gram->p = x->d.p;
}

/* Evidence, weights, misfit and factor by the N x N form and by the Gaussian likelihood. */
START_TEST(quadratic_is_gaussian_without_rows)
    {
        case_data x;
        rvm_columns gram;
        rvm_observed o;
        rvm_fit f;
        rvm_scratch ws;
        rvm_error err = { 0 };
        const double ln_betas[] = { -3, 0.83, 4.2 };
        case_init(&x, &rvm_gaussian);
        forget_columns(&gram, &o, &x);
        CHECK_OK(rvm_fit_init(&f, M, 0, &err));
        CHECK_OK(rvm_scratch_init(&ws, M, 0, false, 1, &err));
        for (size_t i = 0; i < K; i++)
            rvm_fit_add(&f, x.f.column[i], x.f.ln_alpha[i]);
        ck_assert(!rvm_quadratic.by_rows && rvm_quadratic.has_noise);
        for (size_t k = 0; k < 3; k++) {
            x.f.ln_beta = f.ln_beta = ln_betas[k];
            ck_assert(posterior(&x));
            ck_assert(rvm_quadratic.posterior(&f, &o, &gram, &ws));
            check_close(f.log_evidence, gaussian_evidence(&x.f, &x.d, x.t), 1e-11);
            check_close(f.residual_squares, x.f.residual_squares, 1e-12);
            for (size_t i = 0; i < K; i++)
                check_close(f.u[i], x.f.u[i], 1e-12);
            gsl_matrix_view L = rvm_fit_factor(&f), L2 = rvm_fit_factor(&x.f);
            for (size_t i = 0; i < K; i++)
                for (size_t j = 0; j <= i; j++)
                    check_close(gsl_matrix_get(&L.matrix, i, j), gsl_matrix_get(&L2.matrix, i, j),
                                1e-13);
        }
        rvm_scratch_free(&ws);
        rvm_fit_free(&f);
        case_free(&x);
    }
END_TEST

/* G = Phi'B Phi and p = Phi'B t of the design, for B = diag(b). */
static void weigh_rows(gsl_matrix *G, double *p, const case_data *x, const double *b)
{
    const gsl_matrix *PhiT = x->d.PhiT;
    for (size_t i = 0; i < M; i++) {
        p[i] = 0;
        for (size_t n = 0; n < N; n++)
            p[i] += gsl_matrix_get(PhiT, i, n) * b[n] * x->t[n];
        for (size_t j = 0; j < M; j++) {
            double sum = 0;
            for (size_t n = 0; n < N; n++)
                sum += gsl_matrix_get(PhiT, i, n) * gsl_matrix_get(PhiT, j, n) * b[n];
            gsl_matrix_set(G, i, j, sum);
        }
    }
}

/* Q and S - V' (A + Phi'B Phi)^-1 V against phi'C^-1 t and phi'C^-1 phi. */
static void check_weighed(const rvm_fit *f, const rvm_observed *o, const rvm_columns *gram,
                          const case_data *x, const double *b, const gsl_matrix *C, rvm_scratch *ws)
{
    double S[M], Q[M];
    gsl_matrix *P = precision(x, b), *V = gsl_matrix_alloc(M, K);
    rvm_quadratic.measure(S, Q, V, f, o, gram, ws);
    for (size_t m = 0; m < M; m++) {
        const double *phi_m = gsl_matrix_const_ptr(x->d.PhiT, m, 0), *v = gsl_matrix_ptr(V, m, 0);
        check_close(Q[m], inverse_form(C, phi_m, x->t), 1e-11);
        check_close(S[m] - inverse_form(P, v, v), inverse_form(C, phi_m, phi_m), 1e-11);
        for (size_t n = 0; n < M; n++)
            check_close(rvm_quadratic.inner(m, n, f, gram), gsl_matrix_get(gram->G, m, n), 1e-15);
    }
    gsl_matrix_free(P);
    gsl_matrix_free(V);
}

/* Normal noise whose precision b_n differs from row to row: G = Phi'B Phi, p = Phi'B t, t_squared =
 * t'B t and beta 1, against C = B^-1 + Phi A^-1 Phi'. Without N the log evidence is
 * -1/2 (ln|B C| + t'C^-1 t). */
START_TEST(quadratic_of_rows_that_count_differently)
    {
        case_data x;
        rvm_columns gram;
        rvm_observed o;
        rvm_fit f;
        rvm_scratch ws;
        rvm_error err = { 0 };
        double G[M * M], p[M], b[N], noise[N], unused[N], ln_b = 0;
        gsl_matrix_view Gram = gsl_matrix_view_array(G, M, M);
        case_init(&x, &rvm_gaussian);
        forget_columns(&gram, &o, &x);
        gram.G = &Gram.matrix;
        gram.p = p;
        o.N = 0;
        o.spans = rvm_spans_make(0, NULL);
        o.t_squared = 0;
        for (size_t n = 0; n < N; n++) {
            b[n] = 0.3 + gsl_pow_2(sin((double)n));
            noise[n] = 1 / b[n];
            ln_b += log(b[n]);
            o.t_squared += b[n] * x.t[n] * x.t[n];
        }
        weigh_rows(&Gram.matrix, p, &x, b);
        CHECK_OK(rvm_fit_init(&f, M, 0, &err));
        CHECK_OK(rvm_scratch_init(&ws, M, 0, false, 1, &err));
        for (size_t i = 0; i < K; i++)
            rvm_fit_add(&f, x.f.column[i], x.f.ln_alpha[i]);
        ck_assert(rvm_quadratic.posterior(&f, &o, &gram, &ws));
        gsl_matrix *C = covariance(&x.f, &x.d, noise), *copy = covariance(&x.f, &x.d, noise);
        const double ln_det = solve_lu(unused, copy, x.t);
        check_close(f.log_evidence, -0.5 * (ln_det + ln_b + inverse_form(C, x.t, x.t)), 1e-11);
        check_weighed(&f, &o, &gram, &x, b, C, &ws);
        gsl_matrix_free(C);
        gsl_matrix_free(copy);
        rvm_scratch_free(&ws);
        rvm_fit_free(&f);
        case_free(&x);
    }
END_TEST

START_TEST(quadratic_without_functions)
    {
        case_data x;
        rvm_columns gram;
        rvm_observed o;
        case_init(&x, &rvm_gaussian);
        forget_columns(&gram, &o, &x);
        x.f.K = 0;
        ck_assert(rvm_quadratic.posterior(&x.f, &o, &gram, &x.ws));
        check_close(x.f.log_evidence, gaussian_evidence(&x.f, &x.d, x.t), 1e-13);
        double S[M], Q[M];
        rvm_quadratic.measure(S, Q, NULL, &x.f, &o, &gram, &x.ws);
        for (size_t m = 0; m < M; m++) {
            check_close(S[m], exp(0.83), 1e-13);
            check_close(Q[m], exp(0.83) * x.d.p[m], 1e-13);
        }
        case_free(&x);
    }
END_TEST

/* Two columns that are one, with next to no prior: 1 is lost beside beta / alpha. */
START_TEST(quadratic_of_twins_is_refused)
    {
        case_data x;
        rvm_columns gram;
        rvm_observed o;
        case_init(&x, &rvm_gaussian);
        forget_columns(&gram, &o, &x);
        x.f.K = 0;
        rvm_fit_add(&x.f, 0, -40);
        rvm_fit_add(&x.f, 1, -40);
        for (size_t i = 0; i < 2; i++)
            for (size_t j = 0; j < 2; j++)
                gsl_matrix_set(x.d.G, i, j, 1);
        ck_assert(!rvm_quadratic.posterior(&x.f, &o, &gram, &x.ws));
        case_free(&x);
    }
END_TEST

Suite *likelihood_suite(void);
Suite *likelihood_suite(void)
{
    Suite *s = suite_create("likelihood");
    TCase *c = tcase_create("likelihood");
    tcase_add_test(c, gaussian_evidence_is_that_of_the_targets);
    tcase_add_test(c, gaussian_mode);
    tcase_add_test(c, gaussian_misfit_of_an_almost_exact_fit);
    tcase_add_test(c, gaussian_without_functions);
    tcase_add_test(c, gaussian_of_twins_beyond_cholesky);
    tcase_add_test(c, bernoulli_mode_and_evidence);
    tcase_add_test(c, bernoulli_mode_from_afar);
    tcase_add_test(c, bernoulli_without_functions);
    tcase_add_test(c, weight_2_is_the_row_twice);
    tcase_add_loop_test(c, products_of_columns, 0, 2);
    tcase_add_test(c, functions_come_and_go);
    tcase_add_test(c, another_alpha_leaves_the_weight);
    tcase_add_test(c, copies_are_whole);
    tcase_add_test(c, quadratic_is_gaussian_without_rows);
    tcase_add_test(c, quadratic_of_rows_that_count_differently);
    tcase_add_test(c, quadratic_without_functions);
    tcase_add_test(c, quadratic_of_twins_is_refused);
    suite_add_tcase(s, c);
    return s;
}
