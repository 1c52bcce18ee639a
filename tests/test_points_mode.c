/* points_mode.c: the mode has gradient 0, and the curvature is that of dense matrices, all written
 * down here from the values of the kernel. */
#include "inference/points_mode.h"

#include "base/linalg.h"
#include "problems.h"
#include "suites.h"
#include "team_threads.h"

enum { POINTS = 7, TERMS = 2, CLASSES = 3, M = TERMS + POINTS };

static const double variance = 3.5;

typedef struct {
    size_t N, C;
    rvm_problem *p, *z;
    rvm_kernel kernel;
    rvm_points points;
    gsl_matrix *T, *D, *Phi; /* D: m x m; Phi: N x m, raw */
    double precision[TERMS];
    size_t *class_of_row;
    double *t;          /* 1 for class 0 */
    double *row_weight; /* NULL: none */
    rvm_points_mode mode;
} setting;

/* D = diag(alpha^-1/2), and s^1/2 L^-T for the kernel functions. */
static void fill_D(setting *s)
{
    gsl_matrix *A = gsl_matrix_alloc(POINTS, POINTS);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t j = 0; j < POINTS; j++)
            gsl_matrix_set(
                A, i, j, kernel_by_formula(&s->kernel, s->z, i, s->z, j, 2) + (i == j ? 1e-8 : 0));
    gsl_linalg_cholesky_decomp1(A);
    s->D = gsl_matrix_calloc(M, M);
    for (size_t i = 0; i < TERMS; i++)
        gsl_matrix_set(s->D, i, i, 1 / sqrt(s->precision[i]));
    gsl_matrix_view kernel = gsl_matrix_submatrix(s->D, TERMS, TERMS, POINTS, POINTS);
    gsl_matrix_set_identity(&kernel.matrix);
    gsl_blas_dtrsm(CblasLeft, CblasLower, CblasTrans, CblasNonUnit, sqrt(variance), A,
                   &kernel.matrix);
    gsl_matrix_free(A);
}

/* Noisy classes, alike in number. */
static void fill_rows(setting *s, bool weighted)
{
    s->class_of_row = calloc(s->N, sizeof *s->class_of_row);
    s->t = calloc(s->N, sizeof *s->t);
    s->row_weight = weighted ? calloc(s->N, sizeof *s->row_weight) : NULL;
    s->T = gsl_matrix_alloc(TERMS, s->N);
    s->Phi = gsl_matrix_alloc(s->N, M);
    for (size_t n = 0; n < s->N; n++) {
        const double x = feature(s->p, n, 1), noise = s->p->target[n];
        s->class_of_row[n] =
            (size_t)(x + 0.5 * noise > -0.4) + (size_t)(s->C > 1 && x + 0.5 * noise > 0.4);
        s->t[n] = s->class_of_row[n] == 0;
        if (weighted)
            s->row_weight[n] = n % 7 == 3 ? 0 : 0.1 + fraction(3.7 * (double)n);
        gsl_matrix_set(s->T, 0, n, 1);
        gsl_matrix_set(s->T, 1, n, feature(s->p, n, 2));
        for (size_t i = 0; i < TERMS; i++)
            gsl_matrix_set(s->Phi, n, i, gsl_matrix_get(s->T, i, n));
        for (size_t k = 0; k < POINTS; k++)
            gsl_matrix_set(s->Phi, n, TERMS + k,
                           kernel_by_formula(&s->kernel, s->p, n, s->z, k, 2));
    }
}

static void set_up(setting *s, size_t N, size_t C, bool weighted)
{
    static const size_t at[POINTS] = { 0, 5, 11, 16, 23, 30, 37 };
    rvm_error err = { 0 };
    *s = (setting){ .N = N, .C = C, .precision = { 0.2, 1.5 } };
    s->p = noise_problem(N, 2, 5);
    s->z = rvm_problem_subset(s->p, at, POINTS);
    s->kernel = (rvm_kernel){ .type = RVM_RBF, .gamma = 0.6 };
    fill_rows(s, weighted);
    fill_D(s);
    CHECK_OK(rvm_points_init(&s->points, s->p, s->z, 2, &err));
    CHECK_OK(rvm_points_place(&s->points, &s->kernel, &err));
    CHECK_OK(rvm_points_mode_init(&s->mode, &s->points, s->T, s->precision, TERMS, C, s->t,
                                  s->class_of_row, 0, &err));
    s->mode.row_weight = s->row_weight;
    CHECK_OK(rvm_points_mode_precondition(&s->mode, variance, &err));
    CHECK_OK(rvm_points_mode_find(&s->mode, 1e-13, &err));
}

static void tear_down(setting *s)
{
    rvm_points_mode_free(&s->mode);
    rvm_points_free(&s->points);
    gsl_matrix_free(s->T);
    gsl_matrix_free(s->D);
    gsl_matrix_free(s->Phi);
    free(s->class_of_row);
    free(s->t);
    free(s->row_weight);
    rvm_problem_free(s->p);
    rvm_problem_free(s->z);
}

static double weight_of(const setting *s, size_t n)
{
    return s->row_weight == NULL ? 1 : s->row_weight[n];
}

/* Latent functions of row n at the weights W, and the probability of each class; of two classes P[1]
 * is that of the other one. */
static void predict_row(double *f, double *P, const setting *s, size_t n)
{
    double total = s->C == 1 ? 1 : 0;
    for (size_t c = 0; c < s->C; c++) {
        f[c] = 0;
        for (size_t i = 0; i < M; i++)
            f[c] += gsl_matrix_get(s->Phi, n, i) * gsl_matrix_get(s->mode.W, c, i);
        total += exp(f[c]);
    }
    for (size_t c = 0; c < s->C; c++)
        P[c] = exp(f[c]) / total;
    if (s->C == 1)
        P[1] = 1 / total;
}

static const struct {
    size_t N, C;
    bool weighted;
} cases[] = { { 40, 1, false },      { 40, 1, true },   { 40, CLASSES, false },
              { 40, CLASSES, true }, { 5000, 1, true }, { 5000, CLASSES, false } };
enum { CASES = sizeof cases / sizeof *cases };

/* w = D v; D' Phi' rho (1 - P) - v = 0; and the log likelihood. */
START_TEST(gradient_is_none)
    {
        setting s;
        double f[CLASSES], P[CLASSES], log_likelihood = 0, slope[CLASSES][M] = { { 0 } };
        set_up(&s, cases[_i].N, cases[_i].C, cases[_i].weighted);
        for (size_t n = 0; n < s.N; n++) {
            predict_row(f, P, &s, n);
            log_likelihood += weight_of(&s, n) * log(P[s.class_of_row[n]]);
            for (size_t c = 0; c < s.C; c++)
                for (size_t i = 0; i < M; i++)
                    slope[c][i] += weight_of(&s, n) * ((s.class_of_row[n] == c) - P[c]) *
                                   gsl_matrix_get(s.Phi, n, i);
        }
        check_close(s.mode.log_likelihood, log_likelihood, 1e-10);
        for (size_t c = 0; c < s.C; c++)
            for (size_t i = 0; i < M; i++) {
                double pull = 0, w = 0;
                for (size_t j = 0; j < M; j++) {
                    pull += gsl_matrix_get(s.D, j, i) * slope[c][j];
                    w += gsl_matrix_get(s.D, i, j) * gsl_matrix_get(s.mode.V, c, j);
                }
                ck_assert_double_eq_tol(pull, gsl_matrix_get(s.mode.V, c, i), 2e-4);
                ck_assert_double_eq_tol(w, gsl_matrix_get(s.mode.W, c, i), 1e-5 * (1 + fabs(w)));
            }
        tear_down(&s);
    }
END_TEST

/* P P' = I + D' Phi' B Phi D, B the mean over the classes of rho P (1 - P). */
START_TEST(curvature_is_that_of_dense_matrices)
    {
        setting s;
        rvm_error err = { 0 };
        double f[CLASSES], P[CLASSES], log_det, sum = 0;
        set_up(&s, cases[_i].N, cases[_i].C, cases[_i].weighted);
        gsl_matrix *H = gsl_matrix_calloc(M, M), *half = gsl_matrix_alloc(M, M);
        CHECK_OK(rvm_points_mode_curvature(&log_det, &s.mode, &err));
        for (size_t n = 0; n < s.N; n++) {
            double b = 0;
            predict_row(f, P, &s, n);
            for (size_t c = 0; c < s.C; c++)
                b += weight_of(&s, n) * P[c] * (1 - P[c]) / (double)s.C;
            for (size_t i = 0; i < M; i++)
                for (size_t j = 0; j < M; j++)
                    *gsl_matrix_ptr(H, i, j) +=
                        b * gsl_matrix_get(s.Phi, n, i) * gsl_matrix_get(s.Phi, n, j);
        }
        gsl_blas_dgemm(CblasTrans, CblasNoTrans, 1, s.D, H, 0, half);
        gsl_matrix_set_identity(H);
        gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, half, s.D, 1, H);
        gsl_linalg_cholesky_decomp1(H); /* of which there is one lower factor */
        for (size_t i = 0; i < M; i++) {
            for (size_t j = 0; j <= i; j++)
                ck_assert_double_eq_tol(gsl_matrix_get(s.mode.P, i, j), gsl_matrix_get(H, i, j),
                                        1e-5 * gsl_matrix_get(H, i, i));
            sum += 2 * log(gsl_matrix_get(H, i, i));
        }
        check_close(log_det, sum, 1e-6);
        gsl_matrix_free(H);
        gsl_matrix_free(half);
        tear_down(&s);
    }
END_TEST

START_TEST(activations_of_some_rows)
    {
        setting s;
        rvm_error err = { 0 };
        double f[CLASSES], P[CLASSES];
        set_up(&s, 40, cases[_i].C, false);
        gsl_matrix *A = gsl_matrix_alloc(s.C, 9);
        CHECK_OK(rvm_points_mode_activate(A, &s.mode, 20, &err));
        for (size_t n = 0; n < 9; n++) {
            predict_row(f, P, &s, 20 + n);
            for (size_t c = 0; c < s.C; c++)
                check_close(gsl_matrix_get(A, c, n), f[c], 1e-10);
        }
        gsl_matrix_free(A);
        tear_down(&s);
    }
END_TEST

/* Softmax of two latent functions, each N(0, s/2), is the logistic function of their difference. */
START_TEST(two_of_several_classes_are_two)
    {
        setting one, two;
        double f[CLASSES], g[CLASSES], P[CLASSES];
        rvm_error err = { 0 };
        set_up(&one, 40, 1, false);
        set_up(&two, 40, 1, false);
        rvm_points_mode_free(&two.mode);
        two.C = 2;
        for (size_t i = 0; i < TERMS; i++)
            two.precision[i] *= 2;
        CHECK_OK(rvm_points_mode_init(&two.mode, &two.points, two.T, two.precision, TERMS, 2, two.t,
                                      two.class_of_row, 0, &err));
        CHECK_OK(rvm_points_mode_precondition(&two.mode, variance / 2, &err));
        CHECK_OK(rvm_points_mode_find(&two.mode, 1e-13, &err));
        check_close(one.mode.log_likelihood, two.mode.log_likelihood, 1e-6);
        for (size_t n = 0; n < one.N; n++) {
            predict_row(f, P, &one, n);
            predict_row(g, P, &two, n);
            ck_assert_double_eq_tol(f[0], g[0] - g[1], 1e-4);
        }
        tear_down(&one);
        tear_down(&two);
    }
END_TEST

/* Classes that the first feature parts, and a wide prior: the mode is there. */
START_TEST(separable_classes)
    {
        setting s;
        rvm_error err = { 0 };
        double f[CLASSES], P[CLASSES];
        set_up(&s, 40, _i == 0 ? 1 : CLASSES, false);
        for (size_t n = 0; n < s.N; n++) {
            s.class_of_row[n] = (size_t)(feature(s.p, n, 1) > 0) % (s.C + 1);
            s.t[n] = s.class_of_row[n] == 0;
        }
        CHECK_OK(rvm_points_mode_precondition(&s.mode, 1e6, &err));
        CHECK_OK(rvm_points_mode_find(&s.mode, 1e-6, &err));
        ck_assert(isfinite(s.mode.log_likelihood) && s.mode.log_likelihood > -15);
        for (size_t n = 0; n < s.N; n++) {
            predict_row(f, P, &s, n);
            for (size_t c = 0; c < s.C; c++)
                ck_assert(isfinite(f[c]));
        }
        tear_down(&s);
    }
END_TEST

START_TEST(an_interrupt_ends_it)
    {
        setting s;
        rvm_error err = { 0 };
        const volatile int interrupted = 1;
        set_up(&s, 40, CLASSES, false);
        gsl_matrix_set_zero(s.mode.V);
        s.mode.interrupted = &interrupted;
        ck_assert_int_eq(rvm_points_mode_find(&s.mode, 1e-9, &err), RVM_EINTERRUPT);
        tear_down(&s);
    }
END_TEST

/* ---- Rows that a team shares ------------------------------------------------------------------- */

/* What is found, P as the factor of the curvature. */
typedef struct {
    double log_likelihood, log_det, V[CLASSES * M], W[CLASSES * M], P[M * M];
} found;

typedef struct {
    const setting *s; /* of all rows */
    double budget;
    found wanted;
} shared;

/* Of rows `first` and on. */
static void find_mode(found *to, const shared *j, rvm_problem *rows, size_t first)
{
    const setting *s = j->s;
    rvm_error err = { 0 };
    rvm_points points;
    rvm_points_mode q;
    gsl_matrix *T = gsl_matrix_alloc(TERMS, rows->rows);
    for (size_t n = 0; n < rows->rows; n++)
        for (size_t i = 0; i < TERMS; i++)
            gsl_matrix_set(T, i, n, gsl_matrix_get(s->T, i, first + n));
    memset(to, 0, sizeof *to);
    CHECK_OK(rvm_points_init(&points, rows, s->z, 2, &err));
    CHECK_OK(rvm_points_place(&points, &s->kernel, &err));
    CHECK_OK(rvm_points_mode_init(&q, &points, T, s->precision, TERMS, s->C, s->t + first,
                                  s->class_of_row + first, j->budget, &err));
    q.row_weight = s->row_weight == NULL ? NULL : s->row_weight + first;
    CHECK_OK(rvm_points_mode_precondition(&q, variance, &err));
    CHECK_OK(rvm_points_mode_find(&q, 1e-9, &err));
    CHECK_OK(rvm_points_mode_curvature(&to->log_det, &q, &err));
    to->log_likelihood = q.log_likelihood;
    memcpy(to->V, q.V->data, s->C * M * sizeof *to->V);
    memcpy(to->W, q.W->data, s->C * M * sizeof *to->W);
    memcpy(to->P, q.P->data, sizeof to->P);
    rvm_points_mode_free(&q);
    rvm_points_free(&points);
    gsl_matrix_free(T);
}

static void check_shared(void *context, rvm_team *team)
{
    const shared *j = context;
    found here;
    rvm_problem *slice = team_threads_slice(j->s->p, team);
    const rvm_spans spans = rvm_problem_spans(slice);
    find_mode(&here, j, slice, rvm_spans_first_row(&spans));
    ck_assert(memcmp(&here, &j->wanted, sizeof here) == 0);
    rvm_problem_free(slice);
}

/* To the bit, where nobody keeps Phi, where all do, and where but the processes with few rows do. P is of
 * every second part of the rows. */
START_TEST(a_team_finds_the_same)
    {
        static const double budgets[] = { 0, 130000, 1e9 };
        static const int teams[] = { 2, 3, 7 };
        setting s;
        set_up(&s, 20000, _i % 2 == 0 ? 1 : CLASSES, _i < 3);
        shared j = { .s = &s, .budget = budgets[_i / 2] };
        find_mode(&j.wanted, &j, s.p, 0);
        check_close(j.wanted.log_likelihood, s.mode.log_likelihood, 1e-6);
        for (size_t k = 0; k < sizeof teams / sizeof *teams; k++)
            team_threads_run(teams[k], check_shared, &j);
        tear_down(&s);
    }
END_TEST

Suite *points_mode_suite(void)
{
    Suite *suite = suite_create("points_mode");
    TCase *tests = tcase_create("points_mode");
    tcase_add_loop_test(tests, gradient_is_none, 0, CASES);
    tcase_add_loop_test(tests, curvature_is_that_of_dense_matrices, 0, CASES);
    tcase_add_loop_test(tests, activations_of_some_rows, 0, CASES);
    tcase_add_test(tests, two_of_several_classes_are_two);
    tcase_add_loop_test(tests, separable_classes, 0, 2);
    tcase_add_test(tests, an_interrupt_ends_it);
    tcase_add_loop_test(tests, a_team_finds_the_same, 0, 6);
    suite_add_tcase(suite, tests);
    return suite;
}
