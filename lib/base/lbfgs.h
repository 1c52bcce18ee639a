/* Directions of ascent by limited-memory BFGS (Nocedal 1980), and nothing else: where to
 * evaluate, when to believe a step and when to stop is the caller's, whose function may be
 * expensive, undefined in places, and change its mind about what it depends on. */
#ifndef RVM_LBFGS_H
#define RVM_LBFGS_H

#include <stdbool.h>
#include <stddef.h>

enum { RVM_LBFGS_PAIRS = 20 };

typedef struct {
    size_t n;
    size_t count, next;  /* pairs that are known; where the next one goes */
    double *step, *turn; /* owned, RVM_LBFGS_PAIRS x n: moves, and what the gradient fell by */
    double product[RVM_LBFGS_PAIRS]; /* step'turn of each, above 0 */
} rvm_lbfgs;

bool rvm_lbfgs_init(rvm_lbfgs *b, size_t n);
void rvm_lbfgs_free(rvm_lbfgs *b);
/* Forgets all pairs: the next direction is the gradient. */
void rvm_lbfgs_reset(rvm_lbfgs *b);

/* direction = H gradient with H positive definite, near minus the inverse of the Hessian; all n
 * long, not the same array. Cost O(pairs n). */
void rvm_lbfgs_direction(double *direction, const rvm_lbfgs *b, const double *gradient);

/* Takes note of a move and of the gradients at both ends; of no effect where the function is not
 * concave along it. */
void rvm_lbfgs_learn(rvm_lbfgs *b, const double *move, const double *before, const double *after);

#endif
