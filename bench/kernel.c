/* make bench-kernel: kernel values per second of rvm_kernel_block, one thread, beside a roof.
 *
 * Blocks of 400 functions at 20000 rows, in strips of 1024 rows as training asks for them. The roof
 * is what a block cannot do without on dense rows: the products of the same shape by BLAS, and for
 * the kernels that fall off as many exponentials in a plain vector loop; for each strip with the
 * same rows, so that they stay in the cache. Both are timed in turn, and medians are printed.
 * Compiled with -ffast-math for that loop. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "base/vecmath.h"
#include "basis/kernel.h"
#include "data/problem.h"

enum { FUNCTIONS = 400, ROWS = 20000, STRIP = 1024, REPEATS = 7 };

typedef struct {
    const char *name;
    rvm_kernel_type type;
    int features;
    int pairs;    /* of a row */
    bool flat;    /* all values 1 */
    double gamma; /* times `pairs` */
} shape;

static const shape shapes[] = {
    { "rbf", RVM_RBF, 2, 2, false, 2 },
    { "rbf", RVM_RBF, 10, 10, false, 2 },
    { "rbf", RVM_RBF, 22, 22, false, 2 },
    { "rbf", RVM_RBF, 64, 64, false, 2 },
    { "rbf", RVM_RBF, 256, 256, false, 2 },
    { "rbf, far apart", RVM_RBF, 10, 10, false, 2000 },
    { "laplacian", RVM_LAPLACIAN, 10, 10, false, 2 },
    { "laplacian", RVM_LAPLACIAN, 256, 256, false, 2 },
    { "polynomial", RVM_POLYNOMIAL, 10, 10, false, 0.1 },
    { "polynomial", RVM_POLYNOMIAL, 256, 256, false, 0.1 },
    { "linear", RVM_LINEAR, 10, 10, false, 0 },
    { "linear", RVM_LINEAR, 256, 256, false, 0 },
    { "rbf, as a9a", RVM_RBF, 123, 14, true, 2 },
    { "rbf, as w8a", RVM_RBF, 300, 12, true, 2 },
    { "linear, as a9a", RVM_LINEAR, 123, 14, true, 0 },
    { "rbf, as text", RVM_RBF, 20000, 60, false, 2 },
    { "rbf, a quarter", RVM_RBF, 256, 64, false, 2 },
    { "rbf, a half", RVM_RBF, 256, 128, false, 2 },
};

static void need(bool there)
{
    if (there)
        return;
    fputs("bench-kernel: failed\n", stderr);
    exit(EXIT_FAILURE);
}

/* Time that this thread had, so that others on the machine matter less. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare_double);
    return x[n / 2];
}

/* Rows whose features are drawn evenly, one from each of `pairs` stretches. */
static rvm_problem *random_rows(const shape *s, gsl_rng *rng)
{
    rvm_problem *p = rvm_problem_alloc();
    int *index = malloc((size_t)s->pairs * sizeof *index);
    double *value = malloc((size_t)s->pairs * sizeof *value);
    need(p != NULL && index != NULL && value != NULL);
    for (size_t i = 0; i < ROWS; i++) {
        for (int k = 0; k < s->pairs; k++) {
            const int low = (int)((long)s->features * k / s->pairs);
            const int high = (int)((long)s->features * (k + 1) / s->pairs);
            index[k] = 1 + low + (int)gsl_rng_uniform_int(rng, (unsigned long)(high - low));
            value[k] = s->flat ? 1 : gsl_ran_gaussian(rng, 1);
        }
        need(rvm_problem_append(p, 0, index, value, (size_t)s->pairs));
    }
    free(index);
    free(value);
    return p;
}

static double time_blocks(gsl_matrix *block, const rvm_kernel *kernel, const rvm_kernel_rows *rows,
                          const size_t *id)
{
    rvm_error err = { 0 };
    const double start = seconds();
    for (size_t at = 0; at < ROWS; at += STRIP) {
        const size_t width = ROWS - at < STRIP ? ROWS - at : STRIP;
        gsl_matrix_view strip = gsl_matrix_submatrix(block, 0, at, FUNCTIONS, width);
        need(rvm_kernel_block(&strip.matrix, kernel, rows, id, rows, at, &err) == RVM_OK);
    }
    return (seconds() - start) / FUNCTIONS / ROWS;
}

RVM_WIDEST
static void decay(double *a, size_t n)
{
#pragma omp simd
    for (size_t j = 0; j < n; j++)
        a[j] = exp(-a[j]);
}

/* The columns that time_blocks fills, or of so many features only the first strip of them. */
static double time_roof(gsl_matrix *block, const gsl_matrix *A, const gsl_matrix *B, bool falls_off)
{
    const size_t columns = A->size2 > 1000 ? STRIP : ROWS / STRIP * STRIP;
    const double start = seconds();
    for (size_t at = 0; at < columns; at += STRIP) {
        gsl_matrix_view strip = gsl_matrix_submatrix(block, 0, at, FUNCTIONS, STRIP);
        gsl_blas_dgemm(CblasNoTrans, CblasTrans, 0.01 / (double)A->size2, A, B, 0, &strip.matrix);
        for (size_t i = 0; i < FUNCTIONS && falls_off; i++)
            decay(gsl_matrix_ptr(&strip.matrix, i, 0), STRIP);
    }
    return (seconds() - start) / FUNCTIONS / (double)columns;
}

static gsl_matrix *random_matrix(size_t rows, size_t columns, gsl_rng *rng)
{
    gsl_matrix *A = gsl_matrix_alloc(rows, columns);
    need(A != NULL);
    for (size_t i = 0; i < rows * columns; i++)
        A->data[i] = gsl_ran_gaussian(rng, 1);
    return A;
}

static void measure(const shape *s, gsl_matrix *block)
{
    const bool falls_off = s->type == RVM_RBF || s->type == RVM_LAPLACIAN;
    const rvm_kernel kernel = {
        .type = s->type, .degree = 3, .coef0 = 1, .gamma = s->gamma / s->pairs
    };
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    need(rng != NULL);
    rvm_problem *p = random_rows(s, rng);
    rvm_kernel_rows *rows = rvm_kernel_rows_alloc(p, &kernel, NULL);
    gsl_matrix *A = random_matrix(FUNCTIONS, (size_t)s->features, rng);
    gsl_matrix *B = random_matrix(STRIP, (size_t)s->features, rng);
    size_t id[FUNCTIONS];
    double ours[REPEATS], roof[REPEATS];
    need(rows != NULL);
    for (size_t i = 0; i < FUNCTIONS; i++)
        id[i] = i * 7919 % ROWS;
    for (size_t k = 0; k < REPEATS; k++) {
        roof[k] = time_roof(block, A, B, falls_off);
        ours[k] = time_blocks(block, &kernel, rows, id);
    }
    const double t = median(ours, REPEATS), t_roof = median(roof, REPEATS);
    printf("%-15s %8d %6d  %-6s %10.1f %10.1f %7.0f %%\n", s->name, s->features, s->pairs,
           rows->dense ? "dense" : "sparse", 1e-6 / t, 1e-6 / t_roof, 100 * t_roof / t);
    gsl_matrix_free(A);
    gsl_matrix_free(B);
    rvm_kernel_rows_free(rows);
    rvm_problem_free(p);
    gsl_rng_free(rng);
}

int main(void)
{
    gsl_set_error_handler_off();
    gsl_matrix *block = gsl_matrix_alloc(FUNCTIONS, ROWS);
    need(block != NULL);
    printf("%-15s %8s %6s  %-6s %10s %10s %9s\n", "kernel", "features", "pairs", "layout",
           "million/s", "roof", "of roof");
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        measure(&shapes[k], block);
    gsl_matrix_free(block);
    return EXIT_SUCCESS;
}
