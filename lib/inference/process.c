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
#include "inference/mode.h"

enum { MAX_NEWTON = 50 };

/* Twice the nats that a step to the mode must promise. ln|H| moves with the mode to first order, by
 * about the root of this, and its derivatives are followed. */
static const double at_mode = 1e-18;

rvm_status rvm_process_init(rvm_process *s, size_t N, rvm_error *err)
{
    memset(s, 0, sizeof *s);
    s->N = N;
    double **const vectors[] = { &s->f,    &s->gradient, &s->curvature, &s->root,
                                 &s->step, &s->trial,    &s->v };
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
    free(s->gradient);
    free(s->curvature);
    free(s->root);
    free(s->step);
    free(s->trial);
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

bool rvm_process_normal(double *log_evidence, double *a, rvm_process *s, const rvm_observed *o,
                        double ln_beta, int threads)
{
    const double N = (double)s->N;
    for (size_t n = 0; n < s->N; n++)
        *gsl_matrix_ptr(s->C, n, n) += exp(-ln_beta);
    if (!rvm_cholesky(s->C, threads))
        return false;
    rvm_cholesky_inverse(s->R, s->C);
    multiply(a, s->R, o->t);
    fill_derivative(s, a, s->R);
    *log_evidence =
        -0.5 * (rvm_vec_dot(o->t, a, s->N) + rvm_cholesky_log_det(s->C) + N * log(2 * M_PI));
    return isfinite(*log_evidence);
}

/* ---- Laplace's approximation ---------------------------------------------------------------- */

/* The process as rvm_mode sees it: borrowed. */
typedef struct {
    rvm_process *s;
    const rvm_observed *o;
    double ln_beta;
    int threads;
} space;

/* ln p(t|f) - 1/2 a'f at f = C a */
static rvm_status evaluate(double *objective, void *self, const double *a, rvm_error *err)
{
    const space *p = self;
    (void)err;
    multiply(p->s->f, p->s->C, a);
    *objective = p->o->likelihood->log_density(p->o, p->s->f, p->ln_beta) -
                 0.5 * rvm_vec_dot(a, p->s->f, p->s->N);
    return RVM_OK;
}

/* H = I + B^1/2 C B^1/2 and its factor, with derivatives at s->f; its eigenvalues are 1 or more
 * however small those of C are (Rasmussen and Williams 2006, equation 3.26). */
static bool factor(rvm_process *s, const space *p)
{
    const size_t N = s->N;
    p->o->likelihood->derivatives(s->gradient, s->curvature, p->o, s->f, p->ln_beta);
    for (size_t n = 0; n < N; n++)
        s->root[n] = sqrt(s->curvature[n]);
    for (size_t i = 0; i < N; i++) {
        const double *c = gsl_matrix_const_ptr(s->C, i, 0);
        double *h = gsl_matrix_ptr(s->factor, i, 0);
        for (size_t n = 0; n <= i; n++)
            h[n] = s->root[i] * c[n] * s->root[n];
        h[i] += 1;
    }
    return rvm_cholesky(s->factor, p->threads);
}

/* Newton's method leads to a = b - B^1/2 H^-1 B^1/2 C b with b = B f + gradient (the same,
 * algorithm 3.1). The step d of a is one of C d in f, where the gradient is that of ln p less a. */
static rvm_status newton(double *step, double *promise, void *self, const double *a, rvm_error *err)
{
    const space *p = self;
    rvm_process *s = p->s;
    const size_t N = s->N;
    double *x = s->v;
    if (!factor(s, p))
        return rvm_fail(err, RVM_ENUMERIC, "a process left the range of finite numbers");
    for (size_t n = 0; n < N; n++)
        step[n] = s->curvature[n] * s->f[n] + s->gradient[n];
    multiply(x, s->C, step);
    for (size_t n = 0; n < N; n++)
        x[n] *= s->root[n];
    rvm_cholesky_solve(s->factor, x);
    for (size_t n = 0; n < N; n++)
        step[n] -= s->root[n] * x[n] + a[n];
    multiply(x, s->C, step);
    *promise = rvm_vec_dot(s->gradient, x, N) - rvm_vec_dot(a, x, N);
    return RVM_OK;
}

/* From a, or from 0 where that is better. */
static bool find_mode(double *reached, double *a, space *p)
{
    rvm_process *s = p->s;
    const rvm_mode mode = { s->N, p, evaluate, newton, MAX_NEWTON, at_mode };
    memset(s->root, 0, s->N * sizeof *s->root);
    return rvm_mode_find(reached, a, s->step, s->trial, s->root, &mode, NULL) == RVM_OK;
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

/* u = (I - R C) v, in s->step; needs C R, which goes to s->G. */
static void follow_mode(rvm_process *s, const space *p)
{
    const size_t N = s->N;
    rvm_product_nt(s->G, s->C, s->R, p->threads); /* R is symmetric */
    p->o->likelihood->third(s->v, p->o, s->f);
    for (size_t n = 0; n < N; n++) {
        const double variance =
            gsl_matrix_get(s->C, n, n) -
            rvm_vec_dot(gsl_matrix_const_ptr(s->G, n, 0), gsl_matrix_const_ptr(s->C, n, 0), N);
        s->v[n] *= -0.5 * variance;
    }
    multiply(s->trial, s->C, s->v);
    multiply(s->step, s->R, s->trial);
    for (size_t n = 0; n < N; n++)
        s->step[n] = s->v[n] - s->step[n];
}

bool rvm_process_laplace(double *log_evidence, double *a, rvm_process *s, const rvm_observed *o,
                         double ln_beta, int threads)
{
    space p = { s, o, ln_beta, threads };
    double reached;
    if (!find_mode(&reached, a, &p))
        return false;
    *log_evidence = reached - 0.5 * rvm_cholesky_log_det(s->factor);
    fill_R(s);
    follow_mode(s, &p);
    fill_derivative(s, a, s->R);
    for (size_t i = 0; i < s->N; i++) {
        double *g = gsl_matrix_ptr(s->G, i, 0);
        for (size_t n = 0; n < s->N; n++)
            g[n] += 0.5 * (s->step[i] * a[n] + a[i] * s->step[n]);
    }
    return isfinite(*log_evidence);
}
