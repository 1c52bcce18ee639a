/* Functions whose part others can take over. */
#include "search/thin.h"

#include <gsl/gsl_blas.h>
#include <math.h>

#include "base/linalg.h"
#include "search/newton.h"

/* Share of the trace of -M that is added to its diagonal: rounding leaves dependent functions no
 * eigenvalue 0. More of it, by that factor, where that does not make it positive definite. */
static const double least_ridge = 1e-12, more_ridge = 100;
enum { MAX_RIDGES = 6 };

/* What is left of a variance at the least: rounding must not turn it negative. */
static const double least_share = 1e-3;

/* ---- The choice ----------------------------------------------------------------------------- */

/* Second derivatives by ln alpha = -ln V become those of minus the evidence by shares x of V: at
 * x = 1, d/dx = -d/d ln alpha and d2/dx2 = d2/d ln alpha^2 + d/d ln alpha. Coordinates that are
 * held get a 1. */
static void by_shares(gsl_matrix *h, const double *gradient, size_t K)
{
    const size_t n = h->size1;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            if ((i < K) == (j < K))
                *gsl_matrix_ptr(h, i, j) *= -1;
        if (i < K)
            *gsl_matrix_ptr(h, i, i) -= gradient[i];
        if (gsl_matrix_get(h, i, i) == 0)
            gsl_matrix_set(h, i, i, 1);
    }
}

/* M becomes its inverse; false when that of no ridge exists. */
static bool invert(gsl_matrix *M, gsl_matrix *scratch, int threads)
{
    double trace = 0;
    for (size_t i = 0; i < M->size1; i++)
        trace += fabs(gsl_matrix_get(M, i, i));
    double ridge = least_ridge * trace;
    for (int k = 0; k < MAX_RIDGES; k++, ridge *= more_ridge) {
        gsl_matrix_memcpy(scratch, M);
        for (size_t i = 0; i < M->size1; i++)
            *gsl_matrix_ptr(scratch, i, i) += ridge;
        if (!rvm_cholesky(scratch, threads))
            continue;
        rvm_cholesky_inverse(M, scratch);
        return true;
    }
    return false;
}

/* The one that costs least, or K where none costs less than the margin. */
static size_t cheapest(const double *share, const gsl_matrix *B, const bool *stays, size_t K,
                       double margin)
{
    size_t best = K;
    double least = margin;
    for (size_t i = 0; i < K; i++) {
        if (stays[i] || share[i] == 0)
            continue;
        const double cost = 0.5 * share[i] * share[i] / gsl_matrix_get(B, i, i);
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

static void take_out(double *share, gsl_matrix *B, size_t i, size_t K)
{
    const double pivot = gsl_matrix_get(B, i, i), step = share[i] / pivot;
    gsl_vector_view b = gsl_matrix_row(B, i);
    for (size_t j = 0; j < B->size1; j++) {
        const double b_j = gsl_vector_get(&b.vector, j);
        if (j != i && (j >= K || share[j] != 0))
            share[j] -= step * b_j;
        if (j < K && j != i && share[j] != 0)
            share[j] = fmax(share[j], least_share);
        gsl_vector_view row = gsl_matrix_row(B, j);
        if (j != i)
            gsl_blas_daxpy(-b_j / pivot, &b.vector, &row.vector);
    }
    share[i] = 0;
}

size_t rvm_thin_choose(size_t *gone, double *share, gsl_matrix *hessian, gsl_matrix *scratch,
                       const double *gradient, const bool *stays, size_t K, double margin,
                       size_t most, int threads)
{
    const size_t n = hessian->size1;
    size_t count = 0;
    by_shares(hessian, gradient, K);
    if (!invert(hessian, scratch, threads))
        return 0;
    for (size_t i = 0; i < n; i++)
        share[i] = i < K ? 1 : 0;
    while (count < most) {
        const size_t i = cheapest(share, hessian, stays, K, margin);
        if (i == K)
            break;
        take_out(share, hessian, i, K);
        gone[count++] = i;
    }
    return count;
}

/* ---- One search ----------------------------------------------------------------------------- */

/* Marks those that go, and s->step is how the others move; returns how many go. */
static size_t choose(rvm_climber *s, double margin, size_t most)
{
    const size_t K = s->now->K, n = rvm_newton_derivatives(s);
    gsl_matrix_view h = gsl_matrix_submatrix(s->hessian, 0, 0, n, n),
                    scratch = gsl_matrix_submatrix(s->damped, 0, 0, n, n);
    bool *stays = s->goes; /* until it is known which go */
    for (size_t i = 0; i < K; i++)
        stays[i] = rvm_climber_is_bias(s, i) || gsl_matrix_get(&h.matrix, i, i) == 0;
    const size_t count = rvm_thin_choose(s->order, s->step, &h.matrix, &scratch.matrix, s->gradient,
                                         stays, K, margin, most, s->ws.threads);
    for (size_t i = 0; i < K && count > 0; i++) {
        s->goes[i] = s->step[i] == 0;
        s->step[i] = s->goes[i] ? 0 : -log(s->step[i]); /* ln alpha = -ln V */
    }
    return count;
}

size_t rvm_thin_out(rvm_climber *s, double margin)
{
    const double rounding = 1e-9;
    size_t most = s->now->K;
    if (!rvm_prior_is_flat(&s->output->observed->weight_prior))
        return 0;
    while (most > 0 && !rvm_climber_stopped(s)) {
        const size_t count = choose(s, margin, most);
        if (count == 0)
            break;
        rvm_climber_try_step(s);
        if (rvm_climber_accept(s, -rounding - (double)count * margin))
            return count;
        most = count / 2;
    }
    return 0;
}
