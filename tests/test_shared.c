/* What processes that share rows compute: to the bit what one has that is alone, and the plain sums. */
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/shard.h"
#include "inference/curvature.h"
#include "inference/posterior.h"
#include "problems.h"
#include "search/gram_search.h"
#include "suites.h"
#include "team_threads.h"

enum {
    N = 20500, /* five spans and a bit, and enough rows for those of little curvature to be thinned */
    K = 24,
    STEP = 850 /* candidates between those that are taken */
};

/* Everything that is compared: what has been computed from all rows. */
typedef struct {
    double norm[K], Q[K], S[K], kept_norm[K];
    double G[K * K], p[K], thinned[K * K], thinned_p[K];
    double t_squared, log_likelihood;
    size_t found;
    double ln_alpha[K], u[K], log_evidence;
    double R[K * K], mode[K], log_likelihood_there;
} sums;

typedef struct {
    rvm_task task;
    sums alone;
} job;

/* Every process has read a part of the file. */
static rvm_problem *rows_of(rvm_task task, rvm_team *team)
{
    rvm_error err = { 0 };
    rvm_problem *p = weyl_problem(N, task);
    const size_t rank = (size_t)rvm_team_rank(team), size = (size_t)rvm_team_size(team);
    if (team == NULL)
        return p;
    const size_t first = rank * N / size, end = (rank + 1) * N / size;
    size_t *row = calloc(N, sizeof *row);
    for (size_t i = first; i < end; i++)
        row[i - first] = i;
    rvm_problem *mine = rvm_problem_subset(p, row, end - first);
    rvm_problem_free(p);
    free(row);
    CHECK_OK(rvm_shard_spread(&mine, first, team, &err));
    return mine;
}

static void study(rvm_study *y, const rvm_problem *p, rvm_task task)
{
    rvm_error err = { 0 };
    const rvm_settings s = settings_for(task, RVM_RBF, 0.7);
    CHECK_OK(rvm_study_init(y, p, &s, &s.kernel, 1, &err));
}

static void choose_functions(size_t *id)
{
    for (size_t k = 0; k < K; k++)
        id[k] = k * STEP;
}

/* Some numbers of each row. */
static double slope_of(const rvm_study *y, size_t n)
{
    return y->observed.t[n] - 0.3 * sin(5 * feature(y->p, n, 1));
}

static double curvature_of(const rvm_study *y, size_t n)
{
    return gsl_pow_4(feature(y->p, n, 2));
}

static void fill_numbers(double *slope, double *curvature, const rvm_study *y)
{
    for (size_t n = 0; n < y->observed.N; n++) {
        slope[n] = slope_of(y, n);
        curvature[n] = curvature_of(y, n);
    }
}

/* Columns in memory or computed each time, which are one to the last bit. */
static void sum_columns(sums *s, const rvm_study *y, double kept)
{
    size_t id[K];
    double *slope = calloc(y->observed.N + 1, sizeof *slope);
    double *curvature = calloc(y->observed.N + 1, sizeof *curvature);
    gsl_matrix *G = gsl_matrix_calloc(K, K), *scaled = gsl_matrix_alloc(K, RVM_STRIP);
    const double w[K] = { [1] = 0.5, [4] = -1, [9] = 2.5 };
    rvm_columns c;
    rvm_error err = { 0 };
    choose_functions(id);
    fill_numbers(slope, curvature, y);
    CHECK_OK(rvm_columns_init(&c, &y->basis, K, kept, 2, &err));
    CHECK_OK(rvm_columns_append(&c, id, K, &err));
    ck_assert_uint_eq(c.count, K);
    memcpy(s->kept_norm, c.norm, sizeof s->kept_norm);
    CHECK_OK(rvm_basis_project(s->norm, s->Q, s->S, &y->basis, id, K, slope, curvature, 2, &err));
    CHECK_OK(rvm_columns_gram(G, s->p, &c, 0, slope, NULL, NULL, &err));
    memcpy(s->G, G->data, sizeof s->G);
    CHECK_OK(rvm_curvature_gram(G, s->thinned_p, &c, scaled, curvature, slope, true, &err));
    memcpy(s->thinned, G->data, sizeof s->thinned);
    CHECK_OK(rvm_columns_apply(slope, &c, w, &err));
    CHECK_OK(rvm_observed_log_likelihood(&s->log_likelihood, &y->observed, slope, 1.5, 2, &err));
    s->t_squared = y->observed.t_squared;
    rvm_columns_free(&c);
    gsl_matrix_free(G);
    gsl_matrix_free(scaled);
    free(slope);
    free(curvature);
}

/* The posterior that is saved, of a fit. */
static void settle(sums *s, const rvm_gram_search *g, const rvm_study *y)
{
    rvm_solution solution;
    rvm_posterior q;
    rvm_error err = { 0 };
    CHECK_OK(rvm_solution_init(&solution, 1, false, &err));
    CHECK_OK(rvm_gram_search_save(&solution, 0, g, &err));
    const rvm_solved *f = solution.latent;
    const rvm_fit at = {
        .K = f->K, .column = f->id, .ln_alpha = f->ln_alpha, .ln_beta = f->ln_beta, .u = f->u
    };
    CHECK_OK(rvm_posterior_init(&q, &at, &y->observed, &g->columns, &y->basis, &err));
    CHECK_OK(rvm_posterior_settle(&q, &err));
    for (size_t i = 0; i < q.K; i++)
        memcpy(s->R + i * K, gsl_matrix_const_ptr(q.R, i, 0), q.K * sizeof *s->R);
    memcpy(s->mode, q.u, q.K * sizeof *q.u);
    s->log_likelihood_there = q.log_likelihood;
    rvm_posterior_free(&q);
    rvm_solution_free(&solution);
}

/* R'R = I + D Phi'B Phi D, by plain sums, at the mode that was found. */
static void check_factor(const sums *s, const rvm_gram_search *g, const rvm_study *y)
{
    const rvm_fit *f = g->search.now;
    const size_t rows = y->observed.N, k = f->K;
    gsl_matrix *PhiT = gsl_matrix_alloc(k, rows);
    double *D = calloc(k, sizeof *D), *B = calloc(rows, sizeof *B);
    rvm_error err = { 0 };
    CHECK_OK(rvm_basis_strip(PhiT, g->columns.norm, &y->basis, g->columns.id, k, 0, 1, &err));
    for (size_t i = 0; i < k; i++)
        D[i] = exp(-0.5 * f->ln_alpha[i]);
    for (size_t n = 0; n < rows; n++) {
        double activation = 0;
        for (size_t i = 0; i < k; i++)
            activation += gsl_matrix_get(PhiT, i, n) * D[i] * s->mode[i];
        const double odds = exp(-fabs(activation));
        B[n] = y->observed.likelihood->curved ? odds / gsl_pow_2(1 + odds) : exp(f->ln_beta);
    }
    for (size_t i = 0; i < k; i++)
        for (size_t j = i; j < k; j++) {
            long double wanted = i == j, found = 0;
            for (size_t n = 0; n < rows; n++)
                wanted += (long double)(D[i] * D[j] * B[n]) * gsl_matrix_get(PhiT, i, n) *
                          gsl_matrix_get(PhiT, j, n);
            for (size_t a = 0; a <= i; a++)
                found += (long double)s->R[a * K + i] * s->R[a * K + j];
            check_close((double)found, (double)wanted, 1e-11);
        }
    gsl_matrix_free(PhiT);
    free(D);
    free(B);
}

/* From all functions to what is left of them. */
static void search(sums *s, const rvm_study *y, bool alone)
{
    const rvm_climb_settings climb = { .max_moves = 20, .newton = 1e-3, .tolerance = 1e-3 };
    size_t id[K];
    double ln_alpha[K];
    rvm_gram_search g;
    rvm_error err = { 0 };
    choose_functions(id);
    for (size_t k = 0; k < K; k++)
        ln_alpha[k] =
            fmin(rvm_study_ln_alpha(y), k == 0 ? y->observed.bias_ln_alpha_max : INFINITY);
    CHECK_OK(rvm_gram_search_init(&g, y, K, K * (double)N, 2, &err));
    CHECK_OK(rvm_gram_search_take_rows(&g, y, &err));
    CHECK_OK(rvm_gram_search_add(&g, id, ln_alpha, K, &err));
    CHECK_OK(rvm_gram_search_run(&g, 5, &climb, &err));
    const rvm_fit *f = g.search.now;
    s->found = f->K;
    s->log_evidence = f->log_evidence;
    memcpy(s->ln_alpha, f->ln_alpha, f->K * sizeof *f->ln_alpha);
    memcpy(s->u, f->u, f->K * sizeof *f->u);
    settle(s, &g, y);
    if (alone)
        check_factor(s, &g, y);
    rvm_gram_search_free(&g);
}

static void check_in_team(void *context, rvm_team *team)
{
    const job *j = context;
    rvm_problem *p = rows_of(j->task, team);
    rvm_study y;
    study(&y, p, j->task);
    for (int kept = 0; kept < 2; kept++) {
        sums *s = calloc(1, sizeof *s);
        sum_columns(s, &y, kept * K * (double)N);
        search(s, &y, false);
        ck_assert_mem_eq(s->norm, j->alone.norm, sizeof s->norm);
        ck_assert_mem_eq(s->G, j->alone.G, sizeof s->G);
        ck_assert_mem_eq(s->thinned, j->alone.thinned, sizeof s->thinned);
        ck_assert_mem_eq(s->R, j->alone.R, sizeof s->R);
        ck_assert_mem_eq(s, &j->alone, sizeof *s);
        free(s);
    }
    rvm_study_free(&y);
    rvm_problem_free(p);
}

/* Value of function k at row n, by its formula. */
static long double value_of(const rvm_study *y, const size_t *id, size_t k, size_t n)
{
    if (k == 0)
        return 1;
    return kernel_by_formula(&y->basis.kernel, y->p, n, y->p, rvm_basis_row(&y->basis, id[k]), 3);
}

static void check_plain_sums(const sums *s, const rvm_study *y)
{
    size_t id[K];
    choose_functions(id);
    long double squares = 0;
    for (size_t n = 0; n < N; n++)
        squares += (long double)y->observed.t[n] * y->observed.t[n];
    check_close(s->t_squared, (double)squares, 1e-12);
    for (size_t a = 0; a < K; a += 5)
        for (size_t b = 0; b <= a; b += 5) {
            long double square = 0, other = 0, product = 0, Q = 0, S = 0;
            for (size_t n = 0; n < N; n++) {
                const long double x = value_of(y, id, a, n), z = value_of(y, id, b, n);
                square += x * x;
                other += z * z;
                product += x * z;
                Q += x * slope_of(y, n);
                S += x * x * curvature_of(y, n);
            }
            check_close(s->norm[a], sqrt((double)square), 1e-12);
            check_close(s->G[a * K + b], (double)(product / sqrtl(square * other)), 1e-12);
            check_close(s->Q[a], (double)(Q / sqrtl(square)), 1e-12);
            check_close(s->p[a], (double)(Q / sqrtl(square)), 1e-12);
            check_close(s->S[a], (double)(S / square), 1e-12);
            /* Rows of little curvature have less than a tenth of it, and stand for seven others. */
            ck_assert_double_eq_tol(s->thinned[a * K + a], (double)(S / square), 0.01);
        }
}

START_TEST(a_team_has_the_bits_of_one)
    {
        static const int teams[] = { 2, 3, 7 };
        job *j = calloc(1, sizeof *j);
        rvm_study y;
        j->task = _i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION;
        rvm_problem *p = rows_of(j->task, NULL);
        study(&y, p, j->task);
        sum_columns(&j->alone, &y, 0);
        search(&j->alone, &y, true);
        ck_assert_mem_eq(j->alone.norm, j->alone.kept_norm, sizeof j->alone.norm);
        ck_assert_uint_ge(j->alone.found, 5);
        check_plain_sums(&j->alone, &y);
        for (int k = 0; k < 3; k++)
            team_threads_run(teams[k], check_in_team, j);
        rvm_study_free(&y);
        rvm_problem_free(p);
        free(j);
    }
END_TEST

Suite *shared_suite(void);
Suite *shared_suite(void)
{
    Suite *s = suite_create("shared");
    TCase *c = tcase_create("shared");
    tcase_set_timeout(c, 300);
    tcase_add_loop_test(c, a_team_has_the_bits_of_one, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
