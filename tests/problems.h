/* Small problems made by formula or from a fixed seed, and slow, plain arithmetic to check against:
 * N x N matrices and LU, where the library has K x K ones and Cholesky. All in the header, since a
 * test file is linked with the library alone. */
#ifndef RVM_TESTS_PROBLEMS_H
#define RVM_TESTS_PROBLEMS_H

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/problem.h"
#include "product/model.h"
#include "search/climb.h"
#include "search/study.h"
#include "suites.h"

#define CHECK_OK(call) ck_assert_msg((call) == RVM_OK, "%s", err.message)

/* |got - want| within `relative` of want, or of 1 where want is small. */
static inline void check_close(double got, double want, double relative)
{
    const double allowed = relative * fmax(1, fabs(want));
    ck_assert_msg(fabs(got - want) <= allowed, "got %.17g, wanted %.17g, off by %.3g", got, want,
                  got - want);
}

/* ---- Problems ------------------------------------------------------------------------------- */

static inline gsl_rng *random_numbers(unsigned long seed)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    ck_assert_ptr_nonnull(rng);
    gsl_rng_set(rng, seed);
    return rng;
}

static inline FILE *open_text(const char *text)
{
    FILE *in = fmemopen((void *)(size_t)text, strlen(text), "r");
    ck_assert_ptr_nonnull(in);
    return in;
}

static inline rvm_problem *problem_from_text(const char *text, rvm_grammar grammar)
{
    rvm_problem *p = NULL;
    rvm_error err = { 0 };
    FILE *in = open_text(text);
    CHECK_OK(rvm_problem_read(&p, in, grammar, &err));
    fclose(in);
    return p;
}

/* Through the reader, as rvm-predict does: a whole file of a kernel matrix would have to be
 * square. */
static inline rvm_problem *rows_from_text(const char *text, bool precomputed)
{
    rvm_problem *p = NULL;
    rvm_reader *reader = NULL;
    rvm_error err = { 0 };
    FILE *in = open_text(text);
    CHECK_OK(rvm_reader_alloc(&reader, in, (rvm_grammar){ .precomputed = precomputed }, &err));
    CHECK_OK(rvm_reader_next(&p, reader, 1000, &err));
    rvm_reader_free(reader);
    fclose(in);
    return p;
}

static inline rvm_model *model_from_text(const char *text)
{
    rvm_model *m = NULL;
    rvm_error err = { 0 };
    FILE *in = open_text(text);
    ck_assert_msg(rvm_model_read(&m, in, &err) == RVM_OK, "%zu: %s", err.line, err.message);
    fclose(in);
    return m;
}

/* Appends the row of features 1 .. d, leaving out zeros as files do. */
static inline void append_dense(rvm_problem *p, double target, const double *x, size_t d)
{
    int *index = calloc(d + 1, sizeof *index);
    double *value = calloc(d + 1, sizeof *value);
    size_t pairs = 0;
    ck_assert(index != NULL && value != NULL);
    for (size_t k = 0; k < d; k++)
        if (x[k] != 0) {
            index[pairs] = (int)k + 1;
            value[pairs++] = x[k];
        }
    ck_assert(rvm_problem_append(p, target, index, value, pairs));
    free(index);
    free(value);
}

static inline rvm_problem *empty_problem(void)
{
    rvm_problem *p = rvm_problem_alloc();
    ck_assert_ptr_nonnull(p);
    return p;
}

/* N rows of d normal features; the target is noise. */
static inline rvm_problem *noise_problem(size_t N, size_t d, unsigned long seed)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(seed);
    double x[64];
    ck_assert(d <= 64);
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < d; k++)
            x[k] = gsl_ran_gaussian(rng, 1);
        append_dense(p, gsl_ran_gaussian(rng, 1), x, d);
    }
    gsl_rng_free(rng);
    return p;
}

/* sin(x) / x on -10 .. 10 with normal noise. */
static inline rvm_problem *sinc_problem(size_t N, double noise_sd, unsigned long seed)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(seed);
    for (size_t i = 0; i < N; i++) {
        const double x = -10 + 20 * ((double)i + 0.5) / (double)N;
        append_dense(p, sin(x) / x + noise_sd * gsl_ran_gaussian(rng, 1), &x, 1);
    }
    gsl_rng_free(rng);
    return p;
}

/* Whole numbers on a line, without noise. */
static inline rvm_problem *line_problem(size_t N)
{
    rvm_problem *p = empty_problem();
    for (size_t i = 0; i < N; i++) {
        const double x = (double)i - 7;
        append_dense(p, 3 * x - 5, &x, 1);
    }
    return p;
}

/* sin(2 x1) + x2 / 2 with a little noise, x3 of no use. */
static inline rvm_problem *smooth_problem(size_t N, unsigned long seed)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(seed);
    for (size_t i = 0; i < N; i++) {
        const double x[] = { 2 * gsl_rng_uniform(rng) - 1, 2 * gsl_rng_uniform(rng) - 1,
                             2 * gsl_rng_uniform(rng) - 1 };
        append_dense(p, sin(2 * x[0]) + x[1] / 2 + 0.1 * gsl_ran_gaussian(rng, 1), x, 3);
    }
    gsl_rng_free(rng);
    return p;
}

static inline double fraction(double x)
{
    return x - floor(x);
}

/* Without a generator of random numbers, so that other programs can have the same: x_1, x_2, x_3
 * even over -1 .. 1 by Weyl's sequences, and for regression sin(3 x_1) + 0.3 x_2 with something
 * like noise, for classification 1 where x_1^2 + x_2 with more of it is above 0.3, else 0. */
static inline rvm_problem *weyl_problem(size_t N, rvm_task task)
{
    rvm_problem *p = empty_problem();
    for (size_t i = 1; i <= N; i++) {
        const double n = (double)i, noise = fraction(sin(12.9898 * n) * 43758.5453) - 0.5;
        const double x[] = { 2 * fraction(n * 0.6180339887) - 1, 2 * fraction(n * 0.7548776662) - 1,
                             2 * fraction(n * 0.5698402910) - 1 };
        if (task == RVM_REGRESSION)
            append_dense(p, sin(3 * x[0]) + 0.3 * x[1] + 0.5 * noise, x, 3);
        else
            append_dense(p, x[0] * x[0] + x[1] + 0.8 * noise > 0.3, x, 3);
    }
    return p;
}

/* Two overlapping clouds in the plane, labels +1 and -1, the first row +1. */
static inline rvm_problem *cloud_problem(size_t N, unsigned long seed)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(seed);
    for (size_t i = 0; i < N; i++) {
        const double side = i % 2 == 0 ? 1 : -1;
        const double x[] = { 0.7 * side + gsl_ran_gaussian(rng, 1), gsl_ran_gaussian(rng, 1) };
        append_dense(p, side, x, 2);
    }
    gsl_rng_free(rng);
    return p;
}

/* For tests that loop over both tasks. */
static const rvm_task tasks[] = { RVM_REGRESSION, RVM_CLASSIFICATION };

static inline rvm_problem *task_problem(rvm_task task, size_t N, unsigned long seed)
{
    return task == RVM_REGRESSION ? smooth_problem(N, seed) : cloud_problem(N, seed);
}

/* Value of feature `index` in a row, 0 where it is absent. */
static inline double feature(const rvm_problem *p, size_t row, int index)
{
    for (size_t k = p->start[row]; k < p->start[row + 1]; k++)
        if (p->index[k] == index)
            return p->value[k];
    return 0;
}

/* Kernel of row i of p and row j of q over features 1 .. last, as rvm-model(5) has it. */
static inline double kernel_by_formula(const rvm_kernel *k, const rvm_problem *p, size_t i,
                                       const rvm_problem *q, size_t j, int last)
{
    double product = 0, square = 0, distance = 0, splines = 1, power = 1;
    for (int f = 1; f <= last; f++) {
        const double x = feature(p, i, f), z = feature(q, j, f), m = x < z ? x : z;
        product += x * z;
        square += (x - z) * (x - z);
        distance += fabs(x - z);
        splines *= 1 + x * z + x * z * m - (x + z) / 2 * m * m + m * m * m / 3;
    }
    for (int d = 0; d < k->degree; d++)
        power *= k->gamma * product + k->coef0;
    switch (k->type) {
    case RVM_LINEAR:
        return product;
    case RVM_POLYNOMIAL:
        return power;
    case RVM_RBF:
        return exp(-k->gamma * square);
    case RVM_SIGMOID:
        return tanh(k->gamma * product + k->coef0);
    case RVM_LAPLACIAN:
        return exp(-k->gamma * distance);
    case RVM_SPLINE:
        return splines;
    case RVM_NO_KERNEL:
        return 0;
    case RVM_PRECOMPUTED:
        break;
    }
    return feature(p, i, (int)feature(q, j, 0));
}

/* A term of a problem's row by its definition. */
static inline double term_by_formula(const rvm_term *term, const rvm_problem *p, size_t row)
{
    double product = 1;
    for (int k = 0; k < term->degree; k++)
        product *= feature(p, row, term->feature[k]);
    return product;
}

/* ---- Designs by hand ------------------------------------------------------------------------ */

/* `count` columns of N normal numbers, brought to norm 1, with the Gram matrix by plain sums. */
static inline void fill_gram(rvm_columns *d)
{
    for (size_t i = 0; i < d->count; i++) {
        d->p[i] = 0;
        for (size_t n = 0; n < d->N; n++)
            d->p[i] += gsl_matrix_get(d->PhiT, i, n) * d->t[n];
        for (size_t j = 0; j < d->count; j++) {
            double sum = 0;
            for (size_t n = 0; n < d->N; n++)
                sum += gsl_matrix_get(d->PhiT, i, n) * gsl_matrix_get(d->PhiT, j, n);
            gsl_matrix_set(d->G, i, j, sum);
        }
    }
}

static inline void random_design(rvm_columns *d, size_t N, size_t count, const double *t,
                                 unsigned long seed)
{
    rvm_error err = { 0 };
    gsl_rng *rng = random_numbers(seed);
    const rvm_basis no_candidates = { .N = N, .spans = rvm_spans_make(N, NULL) };
    CHECK_OK(rvm_columns_init(d, &no_candidates, count, INFINITY, 1, &err));
    CHECK_OK(rvm_columns_keep_gram(d, t, &err));
    d->count = count;
    for (size_t i = 0; i < count; i++) {
        gsl_vector_view column = gsl_matrix_row(d->PhiT, i);
        for (size_t n = 0; n < N; n++)
            gsl_vector_set(&column.vector, n, gsl_ran_gaussian(rng, 1));
        d->id[i] = i;
        d->norm[i] = gsl_blas_dnrm2(&column.vector);
        gsl_vector_scale(&column.vector, 1 / d->norm[i]);
    }
    fill_gram(d);
    gsl_rng_free(rng);
}

/* Columns of candidates, all in memory, with their Gram matrix where t is not NULL. */
static inline void columns_in_memory(rvm_columns *d, const rvm_basis *b, const size_t *id,
                                     size_t count, const double *t)
{
    rvm_error err = { 0 };
    CHECK_OK(rvm_columns_init(d, b, count, INFINITY, 1, &err));
    if (t != NULL)
        CHECK_OK(rvm_columns_keep_gram(d, t, &err));
    CHECK_OK(rvm_columns_append(d, id, count, &err));
}

/* Targets of regression: normal, a part of them explained by columns 0 and 1. */
static inline void random_targets(double *t, size_t N, unsigned long seed)
{
    gsl_rng *rng = random_numbers(seed);
    for (size_t n = 0; n < N; n++)
        t[n] = gsl_ran_gaussian(rng, 1);
    gsl_rng_free(rng);
}

static inline void random_classes(double *t, size_t N, unsigned long seed)
{
    random_targets(t, N, seed);
    for (size_t n = 0; n < N; n++)
        t[n] = t[n] > 0;
}

static inline rvm_observed observe(const rvm_likelihood *likelihood, double *t, size_t N)
{
    rvm_observed o = { .likelihood = likelihood,
                       .N = N,
                       .spans = rvm_spans_make(N, NULL),
                       .t = t,
                       .ln_beta_max = log(1e8),
                       .ln_alpha_min = -INFINITY,
                       .bias_ln_alpha_max = INFINITY };
    for (size_t n = 0; n < N; n++)
        o.t_squared += t[n] * t[n];
    return o;
}

/* ---- The N x N form ------------------------------------------------------------------------- */

/* C = diag(noise) + Phi A^-1 Phi' over the active functions; freed by the caller. */
static inline gsl_matrix *covariance(const rvm_fit *f, const rvm_columns *d, const double *noise)
{
    gsl_matrix *C = gsl_matrix_calloc(d->N, d->N);
    ck_assert_ptr_nonnull(C);
    for (size_t m = 0; m < d->N; m++)
        for (size_t n = 0; n < d->N; n++) {
            double sum = m == n ? noise[n] : 0;
            for (size_t i = 0; i < f->K; i++)
                sum += gsl_matrix_get(d->PhiT, f->column[i], m) *
                       gsl_matrix_get(d->PhiT, f->column[i], n) * exp(-f->ln_alpha[i]);
            gsl_matrix_set(C, m, n, sum);
        }
    return C;
}

/* x = C^-1 b; returns ln|C|. C is destroyed. */
static inline double solve_lu(double *x, gsl_matrix *C, const double *b)
{
    int sign;
    gsl_permutation *order = gsl_permutation_alloc(C->size1);
    gsl_vector_view out = gsl_vector_view_array(x, C->size1);
    gsl_vector_const_view in = gsl_vector_const_view_array(b, C->size1);
    ck_assert_ptr_nonnull(order);
    ck_assert_int_eq(gsl_linalg_LU_decomp(C, order, &sign), 0);
    ck_assert_int_eq(gsl_linalg_LU_solve(C, order, &in.vector, &out.vector), 0);
    gsl_permutation_free(order);
    return gsl_linalg_LU_lndet(C);
}

/* a' C^-1 b */
static inline double inverse_form(const gsl_matrix *C, const double *a, const double *b)
{
    gsl_matrix *copy = gsl_matrix_alloc(C->size1, C->size2);
    double *x = calloc(C->size1, sizeof *x), sum = 0;
    ck_assert(copy != NULL && x != NULL);
    gsl_matrix_memcpy(copy, C);
    solve_lu(x, copy, b);
    for (size_t n = 0; n < C->size1; n++)
        sum += a[n] * x[n];
    gsl_matrix_free(copy);
    free(x);
    return sum;
}

/* -1/2 (N ln 2 pi + ln|C| + t' C^-1 t) with C = I / beta + Phi A^-1 Phi' */
static inline double gaussian_evidence(const rvm_fit *f, const rvm_columns *d, const double *t)
{
    double *noise = calloc(d->N, sizeof *noise), *x = calloc(d->N, sizeof *x), square = 0;
    ck_assert(noise != NULL && x != NULL);
    for (size_t n = 0; n < d->N; n++)
        noise[n] = exp(-f->ln_beta);
    gsl_matrix *C = covariance(f, d, noise);
    const double ln_det = solve_lu(x, C, t);
    for (size_t n = 0; n < d->N; n++)
        square += t[n] * x[n];
    gsl_matrix_free(C);
    free(noise);
    free(x);
    return -0.5 * ((double)d->N * log(2 * M_PI) + ln_det + square);
}

/* ---- Searches ------------------------------------------------------------------------------- */

/* All that a search over every candidate of a problem needs. */
typedef struct {
    rvm_study study;
    rvm_columns design;
    rvm_climber search;
} bench;

static inline void bench_init(bench *b, const rvm_problem *p, const rvm_settings *s)
{
    rvm_error err = { 0 };
    const int first_label = s->task == RVM_CLASSIFICATION ? (int)p->target[0] : 0;
    memset(b, 0, sizeof *b);
    CHECK_OK(rvm_study_init(&b->study, p, s, &s->kernel, first_label, &err));
    const rvm_observed *o = &b->study.observed;
    const size_t M = b->study.basis.count;
    size_t *id = calloc(M, sizeof *id);
    ck_assert_ptr_nonnull(id);
    for (size_t m = 0; m < M; m++)
        id[m] = m;
    columns_in_memory(&b->design, &b->study.basis, id, M, o->likelihood->curved ? NULL : o->t);
    free(id);
    CHECK_OK(rvm_climber_init(&b->search, &(const rvm_output){ o, &b->design }, 1, M, 1, &err));
    CHECK_OK(rvm_statistics_init(&b->search.statistics, M, M, &err));
}

static inline void bench_free(bench *b)
{
    rvm_climber_free(&b->search);
    rvm_columns_free(&b->design);
    rvm_study_free(&b->study);
}

/* All candidates active, with the precision that training starts from. */
static inline void bench_start_full(bench *b, double noise_share)
{
    rvm_fit *f = b->search.now;
    f->K = 0;
    f->ln_beta = rvm_observed_first_ln_beta(&b->study.observed, noise_share);
    if (b->study.observed.noise_fixed)
        f->ln_beta = b->study.observed.ln_beta;
    for (size_t m = 0; m < b->design.count; m++)
        rvm_fit_add(f, m,
                    fmin(rvm_study_ln_alpha(&b->study),
                         m == 0 ? b->study.observed.bias_ln_alpha_max : INFINITY));
}

static inline rvm_settings settings_for(rvm_task task, rvm_kernel_type type, double gamma)
{
    rvm_settings s = rvm_settings_default();
    s.task = task;
    s.kernel = (rvm_kernel){ .type = type, .degree = 2, .gamma = gamma, .coef0 = 1 };
    s.threads = 1;
    return s;
}

#endif
