/* Forward substitution for many right-hand sides at a time.
 *
 *   v_j = (phi_j - sum over a < j of R_aj v_a) / R_jj
 *
 * in the order of a.  WIDTH columns of R make a panel, column by column from row 0 to its last row,
 * so that a vector of v_a is loaded once for WIDTH sums.  Every right-hand side has a lane of its
 * own and all lanes go through the same instructions; a BLAS would choose them by the shape and by
 * the place within it. */
#include "base/forward.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/vecmath.h"

enum {
    LANES = RVM_FORWARD_LANES,
    WIDTH = 6 /* columns of a panel: 12 of the 16 registers of 4 numbers hold the sums */
};

static size_t panel_depth(size_t p)
{
    return (p + 1) * WIDTH;
}

/* Numbers of all panels before panel p. */
static size_t panel_start(size_t p)
{
    return p * (p + 1) / 2 * WIDTH * WIDTH;
}

/* Entry (i, j) of R, i <= j, K x K, packed. */
static double entry(const double *R, size_t K, size_t i, size_t j)
{
    return R[i * K - i * (i + 1) / 2 + j];
}

bool rvm_forward_init(rvm_forward *f, const double *R, size_t K)
{
    const size_t panels = K / WIDTH + (K % WIDTH > 0);
    *f = (rvm_forward){ .K = K, .padded = panels * WIDTH };
    if (K > UINT32_MAX) /* the sizes below would overflow */
        return false;
    f->panel = rvm_array(panel_start(panels), sizeof *f->panel);
    if (f->panel == NULL)
        return false;
    for (size_t p = 0; p < panels; p++) {
        double *to = f->panel + panel_start(p);
        for (size_t j = p * WIDTH; j < (p + 1) * WIDTH; j++)
            for (size_t i = 0; i < panel_depth(p); i++)
                *to++ = i <= j && j < K ? entry(R, K, i, j) : i == j;
    }
    return true;
}

void rvm_forward_clear(rvm_forward *f)
{
    free(f->panel);
    *f = (rvm_forward){ 0 };
}

/* x_j -= sum over a < depth - WIDTH of R_aj v_a, for the columns j of the panel. */
RVM_WIDEST
static void subtract_known(double *restrict x, const double *restrict v,
                           const double *restrict panel, size_t depth)
{
    double sum[WIDTH][LANES];
    for (size_t j = 0; j < WIDTH; j++)
        for (size_t r = 0; r < LANES; r++)
            sum[j][r] = x[j * LANES + r];
    for (size_t a = 0; a < depth - WIDTH; a++)
    /* Unrolled, the sums stay in registers, LANES of them as one vector or few. */
#pragma GCC unroll 6
        for (size_t j = 0; j < WIDTH; j++)
#pragma GCC unroll 8
            for (size_t r = 0; r < LANES; r++)
                sum[j][r] -= panel[j * depth + a] * v[a * LANES + r];
    for (size_t j = 0; j < WIDTH; j++)
        for (size_t r = 0; r < LANES; r++)
            x[j * LANES + r] = sum[j][r];
}

/* The substitution within the panel. */
RVM_WIDEST
static void solve_corner(double *restrict x, const double *restrict panel, size_t depth)
{
    const double *const corner = panel + (depth - WIDTH);
    for (size_t j = 0; j < WIDTH; j++) {
        for (size_t a = 0; a < j; a++)
            for (size_t r = 0; r < LANES; r++)
                x[j * LANES + r] -= corner[j * depth + a] * x[a * LANES + r];
        for (size_t r = 0; r < LANES; r++)
            x[j * LANES + r] /= corner[j * depth + j];
    }
}

void rvm_forward_solve(double *v, size_t tiles, const rvm_forward *f)
{
    for (size_t p = 0; p * WIDTH < f->K; p++)
        for (size_t t = 0; t < tiles; t++) {
            double *const tile = v + t * f->padded * LANES;
            double *const x = tile + p * WIDTH * LANES;
            const double *const panel = f->panel + panel_start(p);
            subtract_known(x, tile, panel, panel_depth(p));
            solve_corner(x, panel, panel_depth(p));
        }
}
