/* Classes by a sparse Gaussian process: the mode of the weights, and the curvature there.
 *
 * C latent functions, one for two classes, else one for each class, share points and terms:
 *
 *     f_c(x) = sum_i w_ci phi_i(x),   w_c = D v_c,   v_c ~ N(0, I)
 *     D = diag(alpha^-1/2) for the terms, s^1/2 L^-T for the kernel functions (points.h)
 *     objective = sum_n rho_n ln P(t_n | f(x_n)) - 1/2 sum_c v_c'v_c
 *
 * with the logistic function of one latent function, or the softmax of several (Williams and Barber
 * 1998), and a weight rho_n of each row.  It is concave.  L-BFGS climbs it in u = P' v, where P P' =
 * I + b F'F, F = Phi D, is what the curvature would be were all probabilities alike: without, wide
 * kernels of large s would take thousands of steps.  Phi is kept where there is room, and else
 * computed for each evaluation; nothing but P takes N m^2.
 *
 * A team may share the rows, as the points have them: sums over rows are folds (base/spans.h). */
#ifndef RVM_POINTS_MODE_H
#define RVM_POINTS_MODE_H

#include "base/ascent.h"
#include "inference/points.h"

typedef struct {
    const rvm_points *points; /* borrowed, placed */
    const gsl_matrix *T;      /* borrowed, terms x N, raw; NULL: none */
    const double *precision;  /* borrowed, terms: alpha */
    size_t terms, m, C;
    double variance;            /* s: set by rvm_points_mode_precondition */
    const double *t;            /* borrowed, N: C 1, 1 for the class of f > 0, else 0 */
    const size_t *class_of_row; /* borrowed, N: C above 1, below C */
    const double *row_weight;   /* borrowed, N: rho; NULL: all 1 */
    size_t unit;                /* rows that are in hand at a time, whole pieces */
    gsl_matrix *phi;            /* owned, of all rows that are here where kept, else m x unit */
    gsl_matrix *A, *G;          /* owned, C x unit: activations; the gradient by them */
    gsl_matrix *P;    /* owned, m x m, lower; the factor of the curvature once that was asked for */
    gsl_matrix *W;    /* owned, C x m: weights w at the place last evaluated, */
    gsl_matrix *V;    /* owned, C x m: and v */
    double *of_piece; /* owned: sums of the pieces of a unit */
    double log_likelihood;
    const volatile int
        *interrupted;   /* borrowed, or NULL: ends what takes long; set by the caller */
    bool keeps, filled; /* phi is for all rows that are here; it has them */
} rvm_points_mode;

/* budget: numbers that it may have. */
RVM_CHECKED rvm_status rvm_points_mode_init(rvm_points_mode *q, const rvm_points *points,
                                            const gsl_matrix *T, const double *precision,
                                            size_t terms, size_t C, const double *t,
                                            const size_t *class_of_row, double budget,
                                            rvm_error *err);
void rvm_points_mode_free(rvm_points_mode *q);

/* P for this s, from every so many rows where there are many. Cost: N m^2 at the most. */
RVM_CHECKED rvm_status rvm_points_mode_precondition(rvm_points_mode *q, double variance,
                                                    rvm_error *err);
/* To the mode, from v as it is in q->V; W, V and log_likelihood there. RVM_EINTERRUPT by
 * q->interrupted. */
RVM_CHECKED rvm_status rvm_points_mode_find(rvm_points_mode *q, double tolerance, rvm_error *err);
/* Activations of rows first .. first + count - 1 at W into A, C x count. */
RVM_CHECKED rvm_status rvm_points_mode_activate(gsl_matrix *A, rvm_points_mode *q, size_t first,
                                                rvm_error *err);
/* *log_det = ln|H|, H = I + F'B F = R'R with the mean over the classes of rho P (1 - P) as B, of two
 * classes the curvature itself; R', which is lower, goes to P. Blocks for each class would be C times
 * the work. Cost: N m^2. */
RVM_CHECKED rvm_status rvm_points_mode_curvature(double *log_det, rvm_points_mode *q,
                                                 rvm_error *err);

#endif
