/* Directions of ascent by limited-memory BFGS (Nocedal 1980).
 *
 *   s, y      of each pair: a move, and what the gradient fell by along it; rho = 1 / s'y
 *   H         H_0 with one update (I - rho s y') H (I - rho y s') + rho s s' for each pair, oldest
 *             first, H_0 = s'y / y'y I of the newest: the size of the inverse Hessian along it
 *
 * H is never formed: the product of all factors on the right goes through the pairs once from the
 * newest to the oldest, and that of those on the left once back. */
#include "base/lbfgs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vecmath.h"

/* Cosine between a move and the fall of the gradient below which there is no curvature to learn. */
static const double straight = 1e-8;

bool rvm_lbfgs_init(rvm_lbfgs *b, size_t n)
{
    memset(b, 0, sizeof *b);
    b->n = n;
    b->step = rvm_array(n, RVM_LBFGS_PAIRS * sizeof *b->step);
    b->turn = rvm_array(n, RVM_LBFGS_PAIRS * sizeof *b->turn);
    if (b->step != NULL && b->turn != NULL)
        return true;
    rvm_lbfgs_free(b);
    return false;
}

void rvm_lbfgs_free(rvm_lbfgs *b)
{
    free(b->step);
    free(b->turn);
    memset(b, 0, sizeof *b);
}

void rvm_lbfgs_reset(rvm_lbfgs *b)
{
    b->count = b->next = 0;
}

static void add(double *to, double factor, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += factor * x[i];
}

/* Place of the pair that was learned `ago` pairs before the last one. */
static size_t place(const rvm_lbfgs *b, size_t ago)
{
    return (b->next + 2 * RVM_LBFGS_PAIRS - 1 - ago) % RVM_LBFGS_PAIRS;
}

void rvm_lbfgs_direction(double *direction, const rvm_lbfgs *b, const double *gradient)
{
    double share[RVM_LBFGS_PAIRS] = { 0 }; /* rho s'q of the first pass */
    const size_t n = b->n;
    memcpy(direction, gradient, n * sizeof *direction);
    for (size_t ago = 0; ago < b->count; ago++) {
        const size_t k = place(b, ago);
        share[k] = rvm_vec_dot(b->step + k * n, direction, n) / b->product[k];
        add(direction, -share[k], b->turn + k * n, n);
    }
    if (b->count > 0) {
        const size_t k = place(b, 0);
        const double scale = b->product[k] / rvm_vec_dot(b->turn + k * n, b->turn + k * n, n);
        for (size_t i = 0; i < n; i++)
            direction[i] *= scale;
    }
    for (size_t ago = b->count; ago-- > 0;) {
        const size_t k = place(b, ago);
        const double back = rvm_vec_dot(b->turn + k * n, direction, n) / b->product[k];
        add(direction, share[k] - back, b->step + k * n, n);
    }
}

void rvm_lbfgs_learn(rvm_lbfgs *b, const double *move, const double *before, const double *after)
{
    const size_t n = b->n;
    double product = 0, steps = 0, turns = 0;
    for (size_t i = 0; i < n; i++) {
        const double turn = before[i] - after[i];
        product += move[i] * turn;
        steps += move[i] * move[i];
        turns += turn * turn;
    }
    if (!(product > straight * sqrt(steps * turns)))
        return;
    memcpy(b->step + b->next * n, move, n * sizeof *move);
    for (size_t i = 0; i < n; i++)
        b->turn[b->next * n + i] = before[i] - after[i];
    b->product[b->next] = product;
    b->next = (b->next + 1) % RVM_LBFGS_PAIRS;
    if (b->count < RVM_LBFGS_PAIRS)
        b->count++;
}
