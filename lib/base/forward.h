/* Forward substitution for many right-hand sides at a time. */
#ifndef RVM_FORWARD_H
#define RVM_FORWARD_H

#include <stdbool.h>
#include <stddef.h>

/* Right-hand sides that stand side by side in memory: solutions come in tiles of so many. */
enum { RVM_FORWARD_LANES = 8 };

/* An upper triangular R, laid out for solving R' v = phi. */
typedef struct {
    size_t K;      /* rows of R */
    size_t padded; /* room for a solution, K and a few more */
    double *panel; /* owned */
} rvm_forward;

/* R: K (K + 1) / 2 numbers, row by row from the diagonal on, no diagonal entry 0; not kept. False
 * without memory. */
bool rvm_forward_init(rvm_forward *f, const double *R, size_t K);
void rvm_forward_clear(rvm_forward *f); /* accepts a zeroed one */

/* v: `tiles` times padded x RVM_FORWARD_LANES. The first K numbers of each column, phi, become the
 * solution of R' v = phi; those below do not matter. A solution depends on its own phi alone, to
 * the last bit, not on the columns and the tiles around it. Cost: K^2 / 2 multiplications for each
 * column. Safe in parallel for different v. */
void rvm_forward_solve(double *v, size_t tiles, const rvm_forward *f);

#endif
