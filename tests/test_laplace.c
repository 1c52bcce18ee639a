/* laplace.c: the mode and its quadratic approximation, against bernoulli.c, which holds all columns
 * in memory, against numbers from scipy, and against differences of the likelihood itself. */
#include "inference/laplace.h"
#include "problems.h"
#include "suites.h"

enum { N = 60, K = 5, CAPACITY = 8 };

static const size_t ids[K] = { 0, 4, 17, 30, 52 };
static const double ln_alpha[K] = { -2.385, 0.4, -0.31, 1.7, -3.1 };

typedef struct {
    rvm_study y;
    rvm_columns c;
    rvm_fit f;
    rvm_laplace l;
    double offset[N];
} case_data;

static void case_init(case_data *x, bool weighted, bool shifted)
{
    const rvm_class_weight weights[] = { { 1, 2.5 }, { -1, 0.4 } };
    rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.6);
    rvm_problem *p = cloud_problem(N, 11);
    rvm_error err = { 0 };
    s.class_weights = weights;
    s.class_weight_count = weighted ? 2 : 0;
    CHECK_OK(rvm_study_init(&x->y, p, &s, &s.kernel, 1, &err));
    rvm_problem_free(p);
    for (size_t n = 0; n < N; n++)
        x->offset[n] = 1.5 * sin((double)n);
    if (shifted)
        x->y.observed.offset = x->offset;
    CHECK_OK(rvm_columns_init(&x->c, &x->y.basis, CAPACITY, 0, 1, &err));
    CHECK_OK(rvm_columns_append(&x->c, ids, K, &err));
    CHECK_OK(rvm_laplace_init(&x->l, CAPACITY, N, &err));
    CHECK_OK(rvm_fit_init(&x->f, CAPACITY, 0, &err));
    for (size_t i = 0; i < K; i++)
        rvm_fit_add(&x->f, i, ln_alpha[i]);
}

static void case_free(case_data *x)
{
    rvm_fit_free(&x->f);
    rvm_laplace_free(&x->l);
    rvm_columns_free(&x->c);
    rvm_study_free(&x->y);
}

static void locate(case_data *x, const double *w, int steps)
{
    rvm_error err = { 0 };
    CHECK_OK(rvm_laplace_locate(&x->f, &x->l, &x->c, &x->y.observed, w, steps, &err));
}

static double weight(const rvm_fit *f, size_t i)
{
    return f->u[i] * exp(-0.5 * f->ln_alpha[i]);
}

/* All columns, K x N. */
static gsl_matrix *columns(case_data *x)
{
    gsl_matrix_view strip;
    rvm_error err = { 0 };
    gsl_matrix *PhiT = gsl_matrix_alloc(x->c.count, N);
    ck_assert_ptr_nonnull(PhiT);
    CHECK_OK(rvm_columns_strip(&strip, &x->c, 0, &err));
    gsl_matrix_memcpy(PhiT, &strip.matrix);
    return PhiT;
}

/* ln p(t|w), row by row. */
static double log_likelihood(const rvm_observed *o, const gsl_matrix *PhiT, const double *w)
{
    double sum = 0;
    for (size_t n = 0; n < N; n++) {
        double f = o->offset == NULL ? 0 : o->offset[n];
        for (size_t i = 0; i < PhiT->size1; i++)
            f += w[i] * gsl_matrix_get(PhiT, i, n);
        const double c = o->row_weight == NULL ? 1 : o->row_weight[n];
        sum -= c * log1p(exp(o->t[n] > 0 ? -f : f));
    }
    return sum;
}

/* ---- The mode ------------------------------------------------------------------------------- */

/* Four kinds: weights of rows, an offset, both, neither. The last step, which is left out, is worth
 * less than 1e-4 nats: it moves f by less than 0.01 of what f is known to, and half of ln|H| by
 * less than K / 2 of that. */
START_TEST(mode_and_evidence_as_with_all_columns_in_memory)
    {
        case_data x;
        rvm_columns d;
        rvm_fit f;
        rvm_scratch ws;
        rvm_error err = { 0 };
        case_init(&x, _i % 2 == 1, _i > 1);
        const rvm_observed *o = &x.y.observed;
        columns_in_memory(&d, &x.y.basis, ids, K, NULL);
        CHECK_OK(rvm_fit_init(&f, K, N, &err));
        CHECK_OK(rvm_scratch_init(&ws, K, N, true, 1, &err));
        for (size_t i = 0; i < K; i++)
            rvm_fit_add(&f, i, ln_alpha[i]);
        ck_assert(rvm_bernoulli.posterior(&f, o, &d, &ws));
        locate(&x, NULL, 0);
        ck_assert_double_eq_tol(x.f.log_evidence, f.log_evidence, 5e-3);
        for (size_t i = 0; i < K; i++)
            ck_assert_double_eq_tol(x.f.u[i], f.u[i], 2e-2);
        for (size_t n = 0; n < N; n++) {
            ck_assert_double_eq_tol(x.l.gradient[n], f.gradient[n], 2e-2);
            ck_assert_double_eq_tol(x.l.curvature[n], f.curvature[n], 1e-2);
        }
        rvm_scratch_free(&ws);
        rvm_fit_free(&f);
        rvm_columns_free(&d);
        case_free(&x);
    }
END_TEST

static void check_consistent(const case_data *x, const gsl_matrix *PhiT)
{
    const rvm_observed *o = &x->y.observed;
    double w[K];
    for (size_t i = 0; i < K; i++)
        w[i] = weight(&x->f, i);
    check_close(x->l.log_likelihood, log_likelihood(o, PhiT, w), 1e-12);
    for (size_t n = 0; n < N; n++) {
        double f = o->offset == NULL ? 0 : o->offset[n];
        for (size_t i = 0; i < K; i++)
            f += w[i] * gsl_matrix_get(PhiT, i, n);
        const double c = o->row_weight == NULL ? 1 : o->row_weight[n], y = 1 / (1 + exp(-f));
        check_close(x->l.f[n], f, 1e-13);
        check_close(x->l.gradient[n], c * (o->t[n] - y), 1e-12);
        check_close(x->l.curvature[n], c * y * (1 - y), 1e-12);
    }
}

/* At any number of steps: f, slope, curvature, L and the evidence are those of the weights. */
START_TEST(everything_is_where_the_weights_are)
    {
        case_data x;
        case_init(&x, true, true);
        gsl_matrix *PhiT = columns(&x);
        locate(&x, NULL, _i);
        check_consistent(&x, PhiT);
        gsl_matrix *H = gsl_matrix_alloc(K, K);
        double squares = 0;
        for (size_t i = 0; i < K; i++) {
            squares += x.f.u[i] * x.f.u[i];
            for (size_t j = 0; j < K; j++) {
                double sum = 0;
                for (size_t n = 0; n < N; n++)
                    sum +=
                        gsl_matrix_get(PhiT, i, n) * gsl_matrix_get(PhiT, j, n) * x.l.curvature[n];
                gsl_matrix_set(H, i, j,
                               (i == j ? 1 : 0) + exp(-0.5 * (ln_alpha[i] + ln_alpha[j])) * sum);
            }
        }
        gsl_matrix_view L = rvm_fit_factor(&x.f);
        for (size_t i = 0; i < K; i++)
            for (size_t j = 0; j <= i; j++) {
                double sum = 0;
                for (size_t k = 0; k <= j; k++)
                    sum += gsl_matrix_get(&L.matrix, i, k) * gsl_matrix_get(&L.matrix, j, k);
                check_close(sum, gsl_matrix_get(H, i, j), 1e-12);
            }
        double unused[K];
        const double zero[K] = { 0 };
        const double ln_det = solve_lu(unused, H, zero);
        check_close(x.f.log_evidence, x.l.log_likelihood - 0.5 * squares - 0.5 * ln_det, 1e-12);
        gsl_matrix_free(H);
        gsl_matrix_free(PhiT);
        case_free(&x);
    }
END_TEST

/* From u or from w, whichever is better; a bad one does no harm. */
START_TEST(start_from_the_better_weights)
    {
        case_data x;
        const double far[K] = { 900, -700, 800, 300, -500 };
        double near[K];
        case_init(&x, false, false);
        locate(&x, far, 0);
        const double evidence = x.f.log_evidence;
        for (size_t i = 0; i < K; i++) {
            near[i] = weight(&x.f, i);
            x.f.u[i] = far[i];
        }
        locate(&x, near, 1);
        ck_assert_double_eq_tol(x.f.log_evidence, evidence, 5e-3);
        for (size_t i = 0; i < K; i++)
            x.f.u[i] = far[i];
        locate(&x, NULL, 0);
        ck_assert_double_eq_tol(x.f.log_evidence, evidence, 5e-3);
        case_free(&x);
    }
END_TEST

/* No function: ln p(t) = -N ln 2, or what the offset says. */
START_TEST(without_functions)
    {
        case_data x;
        double want = 0;
        case_init(&x, false, _i == 1);
        x.f.K = 0;
        rvm_columns_keep(&x.c, NULL, 0);
        locate(&x, NULL, 0);
        for (size_t n = 0; n < N; n++) {
            const double f = _i == 1 ? x.offset[n] : 0;
            want -= log1p(exp(x.y.observed.t[n] > 0 ? -f : f));
        }
        check_close(x.f.log_evidence, want, 1e-13);
        case_free(&x);
    }
END_TEST

/* Rows x = -2, -1, -1/2, 1/2, 1, 3; a bias and RBF kernels of gamma 1/2 at -2 and 1, of norm 1;
 * ln alpha -1.2, -0.4, -2.1. The mode by scipy.optimize.minimize with BFGS, and the evidence
 *     ln p(t|w) - 1/2 w'A w - 1/2 ln|A + Phi'B Phi| + 1/2 ln|A|
 * there by numpy.linalg.slogdet. */
START_TEST(numbers_of_scipy)
    {
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
        const char *rows = "1 1:-1\n-1 1:-2\n-1 1:-0.5\n-1 1:0.5\n1 1:1\n1 1:3\n";
        const size_t id[] = { 0, 1, 5 };
        const double alpha[] = { -1.2, -0.4, -2.1 };
        const double mode[] = { 0.09397252150874512, -0.3548503100775, 0.039671617303936646 };
        const double norm[] = { 2.44948974, 1.21463267, 1.3859851 };
        rvm_problem *p = problem_from_text(rows, (rvm_grammar){ 0 });
        rvm_error err = { 0 };
        case_data x;
        CHECK_OK(rvm_study_init(&x.y, p, &s, &s.kernel, 1, &err));
        CHECK_OK(rvm_columns_init(&x.c, &x.y.basis, 3, _i == 0 ? 0 : 1e6, 1, &err));
        CHECK_OK(rvm_columns_append(&x.c, id, 3, &err));
        CHECK_OK(rvm_laplace_init(&x.l, 3, 6, &err));
        CHECK_OK(rvm_fit_init(&x.f, 3, 0, &err));
        for (size_t i = 0; i < 3; i++)
            rvm_fit_add(&x.f, i, alpha[i]);
        locate(&x, NULL, 0);
        ck_assert_double_eq_tol(x.f.log_evidence, -4.999917892922044, 1e-4);
        for (size_t i = 0; i < 3; i++) {
            ck_assert_double_eq_tol(x.c.norm[i], norm[i], 1e-7);
            ck_assert_double_eq_tol(weight(&x.f, i), mode[i], 1e-3);
        }
        rvm_problem_free(p);
        case_free(&x);
    }
END_TEST

/* ---- The approximation ---------------------------------------------------------------------- */

/* Value, gradient and second differences of the quadratic
 *     ln p(t|w0) - 1/2 (w'G w - 2 w'p + t_squared)
 * at w0 are those of ln p(t|w). */
START_TEST(approximation_touches_the_likelihood)
    {
        case_data x;
        double w[K], p[K], t_squared;
        const double h = 1e-3;
        case_init(&x, _i % 2 == 1, _i > 1);
        gsl_matrix *PhiT = columns(&x), *G = gsl_matrix_alloc(CAPACITY, CAPACITY);
        locate(&x, NULL, 2); /* near the mode but not there */
        const rvm_observed *o = &x.y.observed;
        rvm_error err = { 0 };
        CHECK_OK(rvm_laplace_expand(G, p, &t_squared, &x.l, &x.f, o, &err));
        for (size_t i = 0; i < K; i++)
            w[i] = weight(&x.f, i);
        double value = -0.5 * t_squared;
        for (size_t i = 0; i < K; i++) {
            value += w[i] * p[i];
            for (size_t j = 0; j < K; j++)
                value -= 0.5 * w[i] * w[j] * gsl_matrix_get(G, i, j);
        }
        ck_assert_double_eq_tol(value, 0, 1e-11);
        for (size_t i = 0; i < K; i++) {
            double slope = p[i], moved[4];
            for (size_t j = 0; j < K; j++)
                slope -= gsl_matrix_get(G, i, j) * w[j];
            w[i] += h;
            moved[0] = log_likelihood(o, PhiT, w);
            w[i] -= 2 * h;
            moved[1] = log_likelihood(o, PhiT, w);
            w[i] += h;
            ck_assert_double_eq_tol((moved[0] - moved[1]) / (2 * h), slope, 1e-6);
            for (size_t j = 0; j < K; j++) {
                for (int k = 0; k < 4; k++) {
                    const double a = k < 2 ? h : -h, b = k % 2 == 0 ? h : -h;
                    w[i] += a;
                    w[j] += b;
                    moved[k] = log_likelihood(o, PhiT, w);
                    w[i] -= a;
                    w[j] -= b;
                }
                ck_assert_double_eq_tol((moved[0] - moved[1] - moved[2] + moved[3]) / (4 * h * h),
                                        -gsl_matrix_get(G, i, j), 1e-5);
            }
        }
        gsl_matrix_free(PhiT);
        gsl_matrix_free(G);
        case_free(&x);
    }
END_TEST

/* Functions in another order, and fewer of them than columns. */
START_TEST(likelihood_of_any_weights)
    {
        case_data x;
        double value, w[K] = { 0, -0.7, 0, 1.3, 0 };
        rvm_error err = { 0 };
        case_init(&x, true, true);
        gsl_matrix *PhiT = columns(&x);
        x.f.K = 0;
        rvm_fit_add(&x.f, 3, 0.9);
        rvm_fit_add(&x.f, 1, -1.1);
        x.f.u[0] = 1.3 * exp(0.45);
        x.f.u[1] = -0.7 * exp(-0.55);
        CHECK_OK(rvm_laplace_likelihood(&value, &x.l, &x.c, &x.y.observed, &x.f, &err));
        check_close(value, log_likelihood(&x.y.observed, PhiT, w), 1e-12);
        gsl_matrix_free(PhiT);
        case_free(&x);
    }
END_TEST

/* Classes that a line parts have a mode for any prior, however wide. */
START_TEST(parted_classes_have_a_mode)
    {
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_LINEAR, 0);
        rvm_problem *p = empty_problem();
        rvm_error err = { 0 };
        const size_t id[] = { 0, 3 };
        case_data x = { 0 };
        for (int n = 0; n < 40; n++) {
            const double z = (n + 0.5) / 10 - 2;
            append_dense(p, z > 0 ? 1 : -1, &z, 1);
        }
        CHECK_OK(rvm_study_init(&x.y, p, &s, &s.kernel, 1, &err));
        rvm_problem_free(p);
        CHECK_OK(rvm_columns_init(&x.c, &x.y.basis, 2, 0, 1, &err));
        CHECK_OK(rvm_columns_append(&x.c, id, 2, &err));
        CHECK_OK(rvm_laplace_init(&x.l, 2, 40, &err));
        CHECK_OK(rvm_fit_init(&x.f, 2, 0, &err));
        rvm_fit_add(&x.f, 0, -12);
        rvm_fit_add(&x.f, 1, -12);
        locate(&x, NULL, 0);
        ck_assert(x.f.log_evidence < 0 && x.f.log_evidence > -40 * log(2));
        for (size_t n = 0; n < 40; n++)
            ck_assert_double_lt(fabs(x.l.gradient[n]), 0.5);
        double gradient[2] = { -exp(-12) * weight(&x.f, 0), -exp(-12) * weight(&x.f, 1) };
        gsl_matrix_view strip;
        CHECK_OK(rvm_columns_strip(&strip, &x.c, 0, &err));
        for (size_t i = 0; i < 2; i++) {
            for (size_t n = 0; n < 40; n++)
                gradient[i] += gsl_matrix_get(&strip.matrix, i, n) * x.l.gradient[n];
            /* In scaled weights a gradient g promises g^2 / 2 nats, at the most. */
            ck_assert_double_lt(fabs(gradient[i]), 0.05);
        }
        case_free(&x);
    }
END_TEST

Suite *laplace_suite(void);
Suite *laplace_suite(void)
{
    Suite *s = suite_create("laplace");
    TCase *c = tcase_create("laplace");
    tcase_add_loop_test(c, mode_and_evidence_as_with_all_columns_in_memory, 0, 4);
    tcase_add_loop_test(c, everything_is_where_the_weights_are, 0, 4);
    tcase_add_test(c, start_from_the_better_weights);
    tcase_add_loop_test(c, without_functions, 0, 2);
    tcase_add_loop_test(c, numbers_of_scipy, 0, 2);
    tcase_add_loop_test(c, approximation_touches_the_likelihood, 0, 4);
    tcase_add_test(c, likelihood_of_any_weights);
    tcase_add_test(c, parted_classes_have_a_mode);
    suite_add_tcase(s, c);
    return s;
}
