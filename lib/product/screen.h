/* How well a kernel suits a few rows, without a machine that is trained: the screen before a race.
 *
 * All functions of the kernel take part, at once and in closed form. Targets t of N rows are a
 * Gaussian process of covariance v (K + tau I), and each row is predicted from all others (Sundararajan
 * and Keerthi 2001; Rasmussen and Williams 2006, section 5.4.2): with R = (K + tau I)^-1, a = R t,
 *
 *     mean_n = t_n - a_n / R_nn,     variance_n = v / R_nn,     v = t'a / N
 *
 * so that one factorisation stands for N trainings. Outputs of a regression are judged by their density.
 * Classes are learned as numbers, 1 for the own class and -1 for the others, and judged by the softmax
 * of kappa times their means, kappa fitted. tau, the noise as a share of the variance, is the one of
 * least loss, for outputs of most log evidence.  That is no model that anybody should use, but its loss falls and rises with the
 * kernel as that of a sparse one does, at a hundredth of the time. */
#ifndef RVM_SCREEN_H
#define RVM_SCREEN_H

#include <gsl/gsl_rng.h>

#include "rvm.h"

typedef struct rvm_screen rvm_screen;

/* *out, owned by the caller: at most so many rows of p at random, in canonical order, which `order` lists;
 * NULL: p is in it. Those of a regression that have the same features are one: a copy would tell what is
 * left out. */
RVM_CHECKED rvm_status rvm_screen_draw(rvm_problem **out, const rvm_problem *p, const size_t *order,
                                       size_t most, rvm_task task, gsl_rng *rng, rvm_error *err);

/* Of the rows of p, which is borrowed: a few hundred at the most, two or more. settings: the task, the
 * bias and the weights of classes. */
RVM_CHECKED rvm_status rvm_screen_alloc(rvm_screen **out, const rvm_problem *p,
                                        const rvm_settings *s, rvm_error *err);
void rvm_screen_free(rvm_screen *s); /* accepts NULL */

/* *loss: the mean of -ln P(class), or of -ln p(target) with targets of variance 1; infinite where the
 * kernel's values are no covariance of finite numbers. linear: with the linear kernel beside it.
 * Cost: N^3, some ten times. */
RVM_CHECKED rvm_status rvm_screen_judge(double *loss, rvm_screen *s, const rvm_kernel *kernel,
                                        bool linear, rvm_error *err);
/* Of the last call, N, borrowed: the loss of each row, which its weight multiplies in the mean. */
const double *rvm_screen_rows(const rvm_screen *s);
size_t rvm_screen_count(const rvm_screen *s); /* N */

#endif
