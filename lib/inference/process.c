/* The log evidence of Gaussian processes, and its derivative by their covariance. */
#include "inference/process.h"

#include <gsl/gsl_blas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/linalg.h"
#include "base/vecmath.h"

enum { MAX_NEWTON = 50, MAX_HALVINGS = 20 };

/* Nats that a step to the mode must promise. */
static const double at_mode = 1e-10;

rvm_status rvm_process_init(rvm_process *s, size_t N, rvm_error *err)
{
    memset(s, 0, sizeof *s);
    s->N = N;
    double **const vectors[] = { &s->f,         &s->trial_f, &s->trial_a, &s->slope,
                                 &s->curvature, &s->root,    &s->v };
    gsl_matrix **const matrices[] = { &s->C, &s->G, &s->factor, &s->R };
    bool memory = true;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = rvm_array(N, sizeof(double));
        memory = memory && *vectors[k] != NULL;
    }
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++) {
        *matrices[k] = gsl_matrix_alloc(N, N);
        memory = memory && *matrices[k] != NULL;
    }
    if (memory)
        return RVM_OK;
    rvm_process_free(s);
    return rvm_fail_memory(err, "a covariance");
}

void rvm_process_free(rvm_process *s)
{
    gsl_matrix_free(s->C);
    gsl_matrix_free(s->G);
    gsl_matrix_free(s->factor);
    gsl_matrix_free(s->R);
    free(s->f);
    free(s->trial_f);
    free(s->trial_a);
    free(s->slope);
    free(s->curvature);
    free(s->root);
    free(s->v);
    memset(s, 0, sizeof *s);
}

/* out = A x, A symmetric. */
static void multiply(double *out, const gsl_matrix *A, const double *x)
{
    gsl_vector_const_view in = gsl_vector_const_view_array(x, A->size1);
    gsl_vector_view to = gsl_vector_view_array(out, A->size1);
    gsl_blas_dgemv(CblasNoTrans, 1, A, &in.vector, 0, &to.vector);
}

/* G = 1/2 [ a a' - R ] */
static void fill_derivative(rvm_process *s, const double *a, const gsl_matrix *R)
{
    for (size_t i = 0; i < s->N; i++) {
        const double *r = gsl_matrix_const_ptr(R, i, 0);
        double *g = gsl_matrix_ptr(s->G, i, 0);
        for (size_t n = 0; n < s->N; n++)
            g[n] = 0.5 * (a[i] * a[n] - r[n]);
    }
}

bool rvm_process_normal(double *log_evidence, double *a, rvm_process *s, const double *t,
                        double noise_variance, int threads)
{
    const double N = (double)s->N;
    for (size_t n = 0; n < s->N; n++)
        *gsl_matrix_ptr(s->C, n, n) += noise_variance;
    if (!rvm_cholesky(s->C, threads))
        return false;
    rvm_cholesky_inverse(s->R, s->C);
    multiply(a, s->R, t);
    fill_derivative(s, a, s->R);
    *log_evidence =
        -0.5 * (rvm_vec_dot(t, a, s->N) + rvm_cholesky_log_det(s->C) + N * log(2 * M_PI));
    return isfinite(*log_evidence);
}

/* ---- Two classes ---------------------------------------------------------------------------- */

/* ln p(t|f) - 1/2 a'f */
static double objective(const rvm_process *s, const double *a, const double *f, const double *t,
                        const double *row_weight)
{
    return rvm_vec_logistic_sum(f, t, row_weight, s->N) - 0.5 * rvm_vec_dot(a, f, s->N);
}

/* H, its factor, and slope and curvature at s->f. */
static bool factor(rvm_process *s, const double *t, const double *row_weight, int threads)
{
    const size_t N = s->N;
    rvm_vec_logistic_slope(s->slope, s->curvature, s->f, t, row_weight, N);
    for (size_t n = 0; n < N; n++)
        s->root[n] = sqrt(s->curvature[n]);
    for (size_t i = 0; i < N; i++) {
        const double *c = gsl_matrix_const_ptr(s->C, i, 0);
        double *h = gsl_matrix_ptr(s->factor, i, 0);
        for (size_t n = 0; n <= i; n++)
            h[n] = s->root[i] * c[n] * s->root[n];
        h[i] += 1;
    }
    return rvm_cholesky(s->factor, threads);
}

/* trial_a = b - B^1/2 H^-1 B^1/2 C b with b = B f + slope: Newton's method. */
static void newton_target(rvm_process *s)
{
    const size_t N = s->N;
    double *b = s->trial_a, *x = s->v;
    for (size_t n = 0; n < N; n++)
        b[n] = s->curvature[n] * s->f[n] + s->slope[n];
    multiply(x, s->C, b);
    for (size_t n = 0; n < N; n++)
        x[n] *= s->root[n];
    gsl_vector_view solved = gsl_vector_view_array(x, N);
    gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, s->factor, &solved.vector);
    gsl_blas_dtrsv(CblasLower, CblasTrans, CblasNonUnit, s->factor, &solved.vector);
    for (size_t n = 0; n < N; n++)
        b[n] -= s->root[n] * x[n];
}

/* Half as far while that is no progress; returns what was gained. */
static double move(rvm_process *s, double *a, double *reached, const double *t,
                   const double *row_weight)
{
    for (int k = 0; k < MAX_HALVINGS; k++) {
        multiply(s->trial_f, s->C, s->trial_a);
        const double value = objective(s, s->trial_a, s->trial_f, t, row_weight);
        if (value > *reached) {
            const double gain = value - *reached;
            memcpy(a, s->trial_a, s->N * sizeof *a);
            memcpy(s->f, s->trial_f, s->N * sizeof *a);
            *reached = value;
            return gain;
        }
        for (size_t n = 0; n < s->N; n++)
            s->trial_a[n] = 0.5 * (a[n] + s->trial_a[n]);
    }
    return 0;
}

/* From a, or from 0 where that is better. */
static bool find_mode(double *reached, rvm_process *s, double *a, const double *t,
                      const double *row_weight, int threads)
{
    const size_t N = s->N;
    memset(s->trial_f, 0, N * sizeof *s->trial_f);
    const double nothing = rvm_vec_logistic_sum(s->trial_f, t, row_weight, N);
    multiply(s->f, s->C, a);
    *reached = objective(s, a, s->f, t, row_weight);
    if (!(*reached > nothing)) {
        memset(a, 0, N * sizeof *a);
        memset(s->f, 0, N * sizeof *s->f);
        *reached = nothing;
    }
    for (int k = 0; k < MAX_NEWTON; k++) {
        if (!factor(s, t, row_weight, threads))
            return false;
        newton_target(s);
        if (move(s, a, reached, t, row_weight) < at_mode)
            break;
    }
    return factor(s, t, row_weight, threads);
}

/* R in the place of H^-1. */
static void fill_R(rvm_process *s)
{
    rvm_cholesky_inverse(s->R, s->factor);
    for (size_t i = 0; i < s->N; i++) {
        double *r = gsl_matrix_ptr(s->R, i, 0);
        for (size_t n = 0; n < s->N; n++)
            r[n] *= s->root[i] * s->root[n];
    }
}

/* u = (I - R C) v, in s->trial_a; needs C R, which goes to s->G. */
static void follow_mode(rvm_process *s, const double *t, const double *row_weight, int threads)
{
    const size_t N = s->N;
    rvm_product_nt(s->G, s->C, s->R, threads); /* R is symmetric */
    for (size_t n = 0; n < N; n++) {
        const double c = row_weight == NULL ? 1 : row_weight[n], y = t[n] - s->slope[n] / c;
        const double variance =
            gsl_matrix_get(s->C, n, n) -
            rvm_vec_dot(gsl_matrix_const_ptr(s->G, n, 0), gsl_matrix_const_ptr(s->C, n, 0), N);
        s->v[n] = -0.5 * variance * s->curvature[n] * (1 - 2 * y);
    }
    multiply(s->trial_f, s->C, s->v);
    multiply(s->trial_a, s->R, s->trial_f);
    for (size_t n = 0; n < N; n++)
        s->trial_a[n] = s->v[n] - s->trial_a[n];
}

bool rvm_process_logistic(double *log_evidence, double *a, rvm_process *s, const double *t,
                          const double *row_weight, int threads)
{
    double reached;
    if (!find_mode(&reached, s, a, t, row_weight, threads))
        return false;
    *log_evidence = reached - 0.5 * rvm_cholesky_log_det(s->factor);
    fill_R(s);
    follow_mode(s, t, row_weight, threads);
    fill_derivative(s, a, s->R);
    for (size_t i = 0; i < s->N; i++) {
        double *g = gsl_matrix_ptr(s->G, i, 0);
        for (size_t n = 0; n < s->N; n++)
            g[n] += 0.5 * (s->trial_a[i] * a[n] + a[i] * s->trial_a[n]);
    }
    return isfinite(*log_evidence);
}
