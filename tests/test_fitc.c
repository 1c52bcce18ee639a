/* fitc.c: log evidence against N x N matrices written down here, derivatives against differences. */
#include "inference/fitc.h"

#include "problems.h"
#include "suites.h"
#include "team_threads.h"

enum { N = 40, POINTS = 9, INPUTS = 3, TERMS = 2, TARGETS = 2 };

static const size_t at_points[POINTS] = { 0, 3, 7, 12, 18, 22, 29, 33, 39 };

/* What the evidence depends on, as it climbs: logarithms. */
typedef struct {
    double gamma, eta[INPUTS], precision[TERMS], variance[TARGETS], noise[TARGETS];
} hyperparameters;

enum { COUNT = sizeof(hyperparameters) / sizeof(double) };

static const hyperparameters somewhere = {
    -0.9, { -1, -2.3, 0.2 }, { 0.5, -0.7 }, { 0.8, -0.4 }, { -1.6, -2.5 }
};

typedef struct {
    rvm_problem *p, *z;
    rvm_inputs inputs;
    gsl_matrix *T, *t; /* terms x N, targets x N */
    rvm_points points;
    rvm_fitc fitc;
    bool weighs; /* inputs have weights, in the place of gamma */
    rvm_kernel_type type;
    rvm_kernel kernel;
    rvm_input_weights weights;
    double eta[INPUTS];
    int index[INPUTS];
} setting;

static void set_up(setting *s, rvm_kernel_type type, bool weighs, double budget)
{
    rvm_error err = { 0 };
    *s = (setting){ .type = type, .weighs = weighs };
    s->p = noise_problem(N, INPUTS, 7);
    s->z = rvm_problem_subset(s->p, at_points, POINTS);
    s->T = gsl_matrix_alloc(TERMS, N);
    s->t = gsl_matrix_alloc(TARGETS, N);
    for (size_t n = 0; n < N; n++) {
        gsl_matrix_set(s->T, 0, n, 1);
        gsl_matrix_set(s->T, 1, n, feature(s->p, n, 1));
        gsl_matrix_set(s->t, 0, n, s->p->target[n]);
        gsl_matrix_set(s->t, 1, n, sin(feature(s->p, n, 2)) + 0.1 * s->p->target[n]);
    }
    CHECK_OK(rvm_inputs_init(&s->inputs, s->p, &err));
    CHECK_OK(rvm_points_init(&s->points, s->p, s->z, 2, &err));
    CHECK_OK(rvm_fitc_init(&s->fitc, &s->points, weighs ? &s->inputs : NULL, s->T, TERMS, TARGETS,
                           budget, &err));
    for (size_t j = 0; j < TARGETS; j++)
        s->fitc.target[j].t = gsl_matrix_ptr(s->t, j, 0);
}

static void tear_down(setting *s)
{
    rvm_fitc_free(&s->fitc);
    rvm_points_free(&s->points);
    rvm_inputs_free(&s->inputs);
    gsl_matrix_free(s->T);
    gsl_matrix_free(s->t);
    rvm_problem_free(s->p);
    rvm_problem_free(s->z);
}

static void place(setting *s, const hyperparameters *h)
{
    rvm_error err = { 0 };
    for (int j = 0; j < INPUTS; j++) {
        s->eta[j] = exp(h->eta[j]);
        s->index[j] = j + 1;
    }
    s->weights = (rvm_input_weights){ INPUTS, s->index, s->eta };
    s->kernel = (rvm_kernel){ .type = s->type,
                              .gamma = s->weighs ? 1 : exp(h->gamma),
                              .degree = 2,
                              .coef0 = 1,
                              .inputs = s->weighs ? &s->weights : NULL };
    CHECK_OK(rvm_points_place(&s->points, &s->kernel, &err));
    for (size_t i = 0; i < TERMS; i++)
        s->fitc.precision[i] = exp(h->precision[i]);
    for (size_t j = 0; j < TARGETS; j++) {
        s->fitc.target[j].variance = exp(h->variance[j]);
        s->fitc.target[j].noise = exp(h->noise[j]);
    }
}

static double evidence_at(setting *s, const hyperparameters *h)
{
    rvm_error err = { 0 };
    double sum = 0;
    place(s, h);
    CHECK_OK(rvm_fitc_evaluate(&s->fitc, &err));
    for (size_t j = 0; j < TARGETS; j++)
        sum += s->fitc.target[j].log_evidence;
    return sum;
}

/* ---- By N x N matrices ---------------------------------------------------------------------- */

static double value(const setting *s, const rvm_problem *a, size_t i, const rvm_problem *b,
                    size_t j)
{
    double sum = 0;
    for (int f = 1; f <= INPUTS; f++) {
        const double x = feature(a, i, f), z = feature(b, j, f);
        const double w = s->weighs ? s->eta[f - 1] : s->kernel.gamma;
        sum += w * (s->type == RVM_RBF         ? (x - z) * (x - z)
                    : s->type == RVM_LAPLACIAN ? fabs(x - z)
                                               : x * z);
    }
    return s->type == RVM_POLYNOMIAL ? (sum + 1) * (sum + 1) : exp(-sum);
}

/* a' C^-1 a, and *log_det = ln |C|, by LU; C is destroyed. */
static double solve_dense(double *log_det, gsl_matrix *C, const double *a)
{
    gsl_permutation *order = gsl_permutation_alloc(C->size1);
    gsl_vector *x = gsl_vector_alloc(C->size1);
    gsl_vector_const_view b = gsl_vector_const_view_array(a, C->size1);
    double product;
    int sign;
    gsl_linalg_LU_decomp(C, order, &sign);
    gsl_linalg_LU_solve(C, order, &b.vector, x);
    *log_det = gsl_linalg_LU_lndet(C);
    gsl_blas_ddot(&b.vector, x, &product);
    gsl_permutation_free(order);
    gsl_vector_free(x);
    return product;
}

/* Q = Phi A^-1 Phi', with a jitter of 1e-8 of the mean diagonal of A. */
static gsl_matrix *explained(const setting *s)
{
    gsl_matrix *A = gsl_matrix_alloc(POINTS, POINTS), *inverse = gsl_matrix_alloc(POINTS, POINTS);
    gsl_matrix *Phi = gsl_matrix_alloc(N, POINTS), *half = gsl_matrix_alloc(N, POINTS);
    gsl_matrix *Q = gsl_matrix_alloc(N, N);
    gsl_permutation *order = gsl_permutation_alloc(POINTS);
    double mean = 0;
    int sign;
    for (size_t k = 0; k < POINTS; k++) {
        for (size_t l = 0; l < POINTS; l++)
            gsl_matrix_set(A, k, l, value(s, s->z, k, s->z, l));
        for (size_t n = 0; n < N; n++)
            gsl_matrix_set(Phi, n, k, value(s, s->p, n, s->z, k));
        mean += gsl_matrix_get(A, k, k) / POINTS;
    }
    for (size_t k = 0; k < POINTS; k++)
        *gsl_matrix_ptr(A, k, k) += 1e-8 * mean;
    gsl_linalg_LU_decomp(A, order, &sign);
    gsl_linalg_LU_invert(A, order, inverse);
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, Phi, inverse, 0, half);
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, half, Phi, 0, Q);
    gsl_matrix_free(A);
    gsl_matrix_free(inverse);
    gsl_matrix_free(Phi);
    gsl_matrix_free(half);
    gsl_permutation_free(order);
    return Q;
}

static double dense_evidence(setting *s, const hyperparameters *h)
{
    place(s, h);
    gsl_matrix *Q = explained(s), *C = gsl_matrix_alloc(N, N);
    double sum = 0, log_det;
    for (size_t j = 0; j < TARGETS; j++) {
        const double *t = gsl_matrix_ptr(s->t, j, 0);
        const double variance = exp(h->variance[j]);
        for (size_t i = 0; i < N; i++)
            for (size_t n = 0; n < N; n++) {
                double c = variance * gsl_matrix_get(Q, i, n);
                for (size_t k = 0; k < TERMS; k++)
                    c += exp(-h->precision[k]) * gsl_matrix_get(s->T, k, i) *
                         gsl_matrix_get(s->T, k, n);
                if (i == n)
                    c += exp(h->noise[j]) +
                         variance * (value(s, s->p, n, s->p, n) - gsl_matrix_get(Q, n, n));
                gsl_matrix_set(C, i, n, c);
            }
        const double square = solve_dense(&log_det, C, t);
        sum -= 0.5 * (N * log(2 * M_PI) + log_det + square);
    }
    gsl_matrix_free(Q);
    gsl_matrix_free(C);
    return sum;
}

/* A kernel with gamma, with weights of inputs, and with a diagonal that is not 1. */
static const struct {
    rvm_kernel_type type;
    bool weighs;
} kernels[] = { { RVM_RBF, false },
                { RVM_RBF, true },
                { RVM_LAPLACIAN, false },
                { RVM_LAPLACIAN, true },
                { RVM_POLYNOMIAL, false } };

/* A budget of nothing: strips of 256 rows, here all; threads as set up. */
START_TEST(evidence_is_that_of_dense_matrices)
    {
        setting s;
        set_up(&s, kernels[_i].type, kernels[_i].weighs, 0);
        check_close(evidence_at(&s, &somewhere), dense_evidence(&s, &somewhere), 1e-9);
        tear_down(&s);
    }
END_TEST

START_TEST(total_is_that_of_dense_matrices)
    {
        setting s;
        rvm_error err = { 0 };
        double sum = 0;
        set_up(&s, kernels[_i].type, false, 0);
        rvm_fitc_free(&s.fitc);
        CHECK_OK(rvm_fitc_init_total(&s.fitc, &s.points, s.T, TERMS, TARGETS, 0, &err));
        for (size_t j = 0; j < TARGETS; j++)
            s.fitc.target[j].t = gsl_matrix_ptr(s.t, j, 0);
        place(&s, &somewhere);
        CHECK_OK(rvm_fitc_total(&s.fitc, &err));
        for (size_t j = 0; j < TARGETS; j++)
            sum += s.fitc.target[j].log_evidence;
        check_close(sum, dense_evidence(&s, &somewhere), 1e-10);
        tear_down(&s);
    }
END_TEST

static double *by_coordinate(double *gradient, const setting *s)
{
    const rvm_fitc *f = &s->fitc;
    double *to = gradient;
    *to++ = s->weighs ? 0 : f->by_gamma;
    for (size_t j = 0; j < INPUTS; j++)
        *to++ = s->weighs ? f->by_input[j] : 0;
    for (size_t i = 0; i < TERMS; i++)
        *to++ = f->target[0].by_precision[i] + f->target[1].by_precision[i];
    for (size_t j = 0; j < TARGETS; j++)
        *to++ = f->target[j].by_variance;
    for (size_t j = 0; j < TARGETS; j++)
        *to++ = f->target[j].by_noise;
    return gradient;
}

START_TEST(derivatives_are_differences)
    {
        const double step = 1e-5;
        double gradient[COUNT];
        rvm_error err = { 0 };
        setting s;
        set_up(&s, kernels[_i].type, kernels[_i].weighs, 0);
        evidence_at(&s, &somewhere);
        CHECK_OK(rvm_fitc_gradient(&s.fitc, &err));
        by_coordinate(gradient, &s);
        const bool decays = s.type != RVM_POLYNOMIAL;
        for (size_t k = 0; k < COUNT; k++) {
            hyperparameters more = somewhere, less = somewhere;
            if (k == 0 && !decays)
                continue;
            ((double *)&more)[k] += step;
            ((double *)&less)[k] -= step;
            const double slope = (evidence_at(&s, &more) - evidence_at(&s, &less)) / (2 * step);
            check_close(gradient[k], slope, 1e-6);
        }
        tear_down(&s);
    }
END_TEST

/* ---- Strips, and all rows as points ------------------------------------------------------------ */

/* Many rows, of which a small budget has but 256 in hand: the same sums in other pieces. */
START_TEST(strips_say_the_same)
    {
        enum { MANY = 650 };
        rvm_error err = { 0 };
        rvm_problem *p = noise_problem(MANY, 2, 11);
        size_t at[] = { 3, 200, 255, 256, 400, 649 };
        rvm_problem *z = rvm_problem_subset(p, at, 6);
        const rvm_kernel kernel = { .type = RVM_RBF, .gamma = 0.3 };
        gsl_matrix *T = gsl_matrix_alloc(1, MANY);
        rvm_points points;
        rvm_fitc f[2];
        gsl_matrix_set_all(T, 1);
        CHECK_OK(rvm_points_init(&points, p, z, 2, &err));
        CHECK_OK(rvm_points_place(&points, &kernel, &err));
        for (int k = 0; k < 2; k++) {
            CHECK_OK(rvm_fitc_init(&f[k], &points, NULL, T, 1, 1, k == 0 ? 1e9 : 1, &err));
            f[k].precision[0] = 0.4;
            f[k].target[0].t = p->target;
            f[k].target[0].variance = 0.7;
            f[k].target[0].noise = 0.6;
            CHECK_OK(rvm_fitc_evaluate(&f[k], &err));
            CHECK_OK(rvm_fitc_gradient(&f[k], &err));
        }
        ck_assert_uint_eq(f[0].strip, MANY);
        ck_assert_uint_lt(f[1].strip, MANY);
        const rvm_fitc_target *a = f[0].target, *b = f[1].target;
        check_close(a->log_evidence, b->log_evidence, 1e-12);
        check_close(a->by_variance, b->by_variance, 1e-10);
        check_close(a->by_noise, b->by_noise, 1e-10);
        check_close(a->left_out, b->left_out, 1e-10);
        check_close(a->by_precision[0], b->by_precision[0], 1e-10);
        check_close(f[0].by_gamma, f[1].by_gamma, 1e-9);
        for (size_t i = 0; i < f[0].m; i++)
            check_close(a->mu[i], b->mu[i], 1e-9);
        for (int k = 0; k < 2; k++)
            rvm_fitc_free(&f[k]);
        rvm_points_free(&points);
        gsl_matrix_free(T);
        rvm_problem_free(p);
        rvm_problem_free(z);
    }
END_TEST

/* ---- Rows that a team shares ------------------------------------------------------------------- */

enum { ALL = 20000, SEATS = 12, SHARED_M = SEATS + 1 };

/* What rvm_fitc_total finds of a target. */
typedef struct {
    double log_evidence, log_lambda, tt, mu[SHARED_M], factor[SHARED_M * (SHARED_M + 1) / 2];
} found;

typedef struct {
    rvm_problem *p, *z;
    double budget;
    bool by_sample; /* by rvm_fitc_evaluate */
    found wanted[TARGETS];
} shared;

static void take_target(found *to, const rvm_fitc_target *t)
{
    *to = (found){ t->log_evidence, t->log_lambda, t->tt, { 0 }, { 0 } };
    memcpy(to->mu, t->mu, sizeof to->mu);
    for (size_t i = 0, k = 0; i < SHARED_M; i++)
        for (size_t j = 0; j <= i; j++)
            to->factor[k++] = gsl_matrix_get(t->factor, i, j);
}

/* Of these rows, of which the first is number `first` of all. */
static void find_total(found *to, const shared *j, rvm_problem *rows, size_t first)
{
    const rvm_kernel kernel = { .type = RVM_RBF, .gamma = 0.3 };
    rvm_error err = { 0 };
    rvm_points points;
    rvm_fitc f;
    gsl_matrix *T = gsl_matrix_alloc(1, rows->rows);
    double *t = calloc(rows->rows + 1, sizeof *t);
    gsl_matrix_set_all(T, 1);
    for (size_t n = 0; n < rows->rows; n++)
        t[n] = sin(3 * feature(rows, n, 1)) + 0.1 * (double)((first + n) % 7);
    CHECK_OK(rvm_points_init(&points, rows, j->z, 2, &err));
    CHECK_OK(rvm_points_place(&points, &kernel, &err));
    CHECK_OK(j->by_sample ? rvm_fitc_init(&f, &points, NULL, T, 1, TARGETS, j->budget, &err)
                          : rvm_fitc_init_total(&f, &points, T, 1, TARGETS, j->budget, &err));
    f.precision[0] = 0.4;
    for (size_t k = 0; k < TARGETS; k++) {
        f.target[k].t = k == 0 ? rows->target : t;
        f.target[k].variance = 0.7 + (double)k;
        f.target[k].noise = 0.6;
    }
    CHECK_OK(j->by_sample ? rvm_fitc_evaluate(&f, &err) : rvm_fitc_total(&f, &err));
    for (size_t k = 0; k < TARGETS; k++)
        take_target(&to[k], &f.target[k]);
    rvm_fitc_free(&f);
    rvm_points_free(&points);
    gsl_matrix_free(T);
    free(t);
}

static void check_total(void *context, rvm_team *team)
{
    const shared *j = context;
    found here[TARGETS];
    rvm_problem *slice = team_threads_slice(j->p, team);
    const rvm_spans spans = rvm_problem_spans(slice);
    find_total(here, j, slice, rvm_spans_first_row(&spans));
    ck_assert(memcmp(here, j->wanted, sizeof here) == 0);
    rvm_problem_free(slice);
}

/* To the bit; and what a sample that is held whole comes to. Without a budget a target at a time, and
 * 256 rows. */
START_TEST(a_team_finds_the_same)
    {
        static const int teams[] = { 2, 3, 7 };
        static const size_t at[SEATS] = { 3,    200,  255,  256,   4096,  4097,
                                          8000, 9999, 9000, 13000, 19000, 19999 };
        shared j = { .p = noise_problem(ALL, 2, 11), .budget = _i == 0 ? 0 : 1e9 };
        found sample[TARGETS];
        j.z = rvm_problem_subset(j.p, at, SEATS);
        find_total(j.wanted, &j, j.p, 0);
        for (size_t k = 0; k < sizeof teams / sizeof *teams; k++)
            team_threads_run(teams[k], check_total, &j);
        j.by_sample = true;
        find_total(sample, &j, j.p, 0);
        for (size_t k = 0; k < TARGETS; k++) {
            check_close(j.wanted[k].log_evidence, sample[k].log_evidence, 1e-10);
            for (size_t i = 0; i < SHARED_M; i++)
                check_close(j.wanted[k].mu[i], sample[k].mu[i], 1e-9);
        }
        rvm_problem_free(j.p);
        rvm_problem_free(j.z);
    }
END_TEST

/* C = s K + noise I, of the process itself: ln N(t; 0, C), the mean square of what a row is off
 * where it is left out, (C^-1 t)_n^2 / (C^-1)_nn, and the mean K C^-1 t. */
START_TEST(all_rows_are_the_process_itself)
    {
        const double variance = 1.7, noise = 0.3;
        rvm_error err = { 0 };
        rvm_problem *p = noise_problem(N, INPUTS, 12);
        const rvm_kernel kernel = { .type = _i == 0 ? RVM_RBF : RVM_LAPLACIAN, .gamma = 0.4 };
        gsl_matrix *C = gsl_matrix_alloc(N, N), *V = gsl_matrix_alloc(N, N);
        gsl_vector *a = gsl_vector_alloc(N);
        rvm_points points;
        rvm_fitc f;
        double left_out = 0;
        CHECK_OK(rvm_points_init(&points, p, p, 1, &err));
        CHECK_OK(rvm_points_place(&points, &kernel, &err));
        CHECK_OK(rvm_fitc_init(&f, &points, NULL, NULL, 0, 1, 1e6, &err));
        f.target[0].t = p->target;
        f.target[0].variance = variance;
        f.target[0].noise = noise;
        CHECK_OK(rvm_fitc_evaluate(&f, &err));
        CHECK_OK(rvm_fitc_gradient(&f, &err));
        for (size_t i = 0; i < N; i++)
            for (size_t n = 0; n < N; n++)
                gsl_matrix_set(C, i, n,
                               variance * kernel_by_formula(&kernel, p, i, p, n, INPUTS) +
                                   (i == n ? noise : 0));
        gsl_vector_const_view t = gsl_vector_const_view_array(p->target, N);
        gsl_linalg_cholesky_decomp1(C);
        gsl_linalg_cholesky_solve(C, &t.vector, a);
        double square, log_det = 0;
        gsl_blas_ddot(&t.vector, a, &square);
        for (size_t n = 0; n < N; n++)
            log_det += 2 * log(gsl_matrix_get(C, n, n));
        check_close(f.target[0].log_evidence, -0.5 * (N * log(2 * M_PI) + log_det + square), 1e-6);
        gsl_linalg_cholesky_invert(C);
        for (size_t n = 0; n < N; n++)
            left_out += gsl_pow_2(gsl_vector_get(a, n)) / gsl_matrix_get(C, n, n) / N;
        check_close(f.target[0].left_out, left_out, 1e-5);
        CHECK_OK(rvm_points_values(V, &points, 0, &err));
        rvm_points_whiten(V, &points);
        for (size_t n = 0; n < N; n++) {
            double mean = 0; /* t_n - noise (C^-1 t)_n = s k_n' C^-1 t */
            for (size_t k = 0; k < N; k++)
                mean += sqrt(variance) * gsl_matrix_get(V, k, n) * f.target[0].mu[k];
            check_close(mean, p->target[n] - noise * gsl_vector_get(a, n), 1e-5);
        }
        rvm_fitc_free(&f);
        rvm_points_free(&points);
        gsl_matrix_free(C);
        gsl_matrix_free(V);
        gsl_vector_free(a);
        rvm_problem_free(p);
    }
END_TEST

Suite *fitc_suite(void)
{
    Suite *suite = suite_create("fitc");
    TCase *tests = tcase_create("fitc");
    const int count = sizeof kernels / sizeof *kernels;
    tcase_add_loop_test(tests, evidence_is_that_of_dense_matrices, 0, count);
    tcase_add_loop_test(tests, derivatives_are_differences, 0, count);
    tcase_add_loop_test(tests, total_is_that_of_dense_matrices, 0, 5);
    tcase_add_test(tests, strips_say_the_same);
    tcase_add_loop_test(tests, a_team_finds_the_same, 0, 2);
    tcase_add_loop_test(tests, all_rows_are_the_process_itself, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
