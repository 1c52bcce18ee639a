/* The time of a draw of the Gibbs sampler beside that of the Cholesky factor in it, one thread:
 *
 *     bench-gibbs [rows ...]
 *
 * Columns: rows, functions, task, milliseconds of a draw, of LAPACK's dpotrf at that size (of GSL's
 * factorisation where there is no LAPACK), and their ratio. Least of several runs each. */
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/linalg.h"
#include "base/parallel.h"
#include "inference/gibbs.h"

/* LAPACK's, where the BLAS brings it. */
extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info)
    __attribute__((weak));

enum { RUNS = 7 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Columns exp(-(x_n - x_i)^2 / 2), of unit norm, over points on a line. */
static void fill_columns(gsl_matrix *PhiT, gsl_rng *rng)
{
    double *x = malloc(PhiT->size2 * sizeof *x);
    for (size_t n = 0; n < PhiT->size2; n++)
        x[n] = 10 * gsl_rng_uniform(rng);
    for (size_t i = 0; i < PhiT->size1; i++) {
        double sum = 0;
        for (size_t n = 0; n < PhiT->size2; n++) {
            const double d = x[n] - x[i % PhiT->size2], value = exp(-0.5 * d * d);
            gsl_matrix_set(PhiT, i, n, value);
            sum += value * value;
        }
        gsl_vector_view row = gsl_matrix_row(PhiT, i);
        gsl_vector_scale(&row.vector, 1 / sqrt(sum));
    }
    free(x);
}

static double time_factor(const gsl_matrix *G)
{
    double best = INFINITY;
    gsl_matrix *A = gsl_matrix_alloc(G->size1, G->size1);
    for (int k = 0; k < RUNS; k++) {
        gsl_vector_view diagonal = gsl_matrix_diagonal(A);
        const int n = (int)G->size1;
        int info = 0;
        gsl_matrix_memcpy(A, G);
        gsl_vector_add_constant(&diagonal.vector, 1);
        const double start = seconds();
        if (dpotrf_ != NULL)
            dpotrf_("U", &n, A->data, &n, &info);
        else
            gsl_linalg_cholesky_decomp1(A);
        best = fmin(best, seconds() - start);
    }
    gsl_matrix_free(A);
    return best;
}

static double time_draw(const rvm_gibbs *g, const double *alpha)
{
    enum { DRAWS = 10 };
    double best = INFINITY;
    rvm_gibbs_chain c;
    rvm_error err;
    if (rvm_gibbs_chain_init(&c, g, alpha, 1, 1, &err) != RVM_OK)
        return NAN;
    for (int k = 0; k < RUNS; k++) {
        const double start = seconds();
        for (int i = 0; i < DRAWS; i++)
            if (rvm_gibbs_draw(&c, &err) != RVM_OK)
                return NAN;
        best = fmin(best, (seconds() - start) / DRAWS);
    }
    rvm_gibbs_chain_free(&c);
    return best;
}

static void measure(size_t N)
{
    const size_t M = N + 1;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_matrix *PhiT = gsl_matrix_alloc(M, N), *G = gsl_matrix_alloc(M, M);
    double *t = malloc(N * sizeof *t), *unit = malloc(M * sizeof *unit);
    rvm_precision_prior *alpha = malloc(M * sizeof *alpha);
    fill_columns(PhiT, rng);
    rvm_product_nt(G, PhiT, PhiT, 1);
    for (size_t i = 0; i < M; i++) {
        unit[i] = 1;
        alpha[i] = (rvm_precision_prior){ 1, 0, 1, 1e4 };
    }
    const double factor = time_factor(G);
    for (int classes = 0; classes < 2; classes++) {
        for (size_t n = 0; n < N; n++)
            t[n] = classes ? n % 2 : gsl_ran_gaussian(rng, 1);
        const rvm_gibbs g = { .M = M,
                              .N = N,
                              .PhiT = PhiT,
                              .G = G,
                              .t = t,
                              .unit = unit,
                              .alpha = alpha,
                              .beta = { 0.5, 0.0005, 1e-4, 1e6 },
                              .classes = classes };
        const double draw = time_draw(&g, unit);
        printf("%6zu %10zu %-12s %10.2f %10.2f %6.2f\n", N, M,
               classes ? "two classes" : "regression", 1e3 * draw, 1e3 * factor, draw / factor);
    }
    gsl_rng_free(rng);
    gsl_matrix_free(PhiT);
    gsl_matrix_free(G);
    free(t);
    free(unit);
    free(alpha);
}

int main(int argc, char **argv)
{
    rvm_error err;
    if (rvm_blas_prepare(1, &err) != RVM_OK)
        return 1;
    printf("%6s %10s %-12s %10s %10s %6s\n", "rows", "functions", "task", "draw ms", "factor ms",
           "ratio");
    for (int k = 1; k < argc; k++)
        measure((size_t)strtoul(argv[k], NULL, 10));
    if (argc == 1)
        for (size_t N = 490; N <= 2000; N += 1510)
            measure(N);
    return 0;
}
