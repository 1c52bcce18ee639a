/* What there is to keep of a local optimum. */
#ifndef RVM_POINT_H
#define RVM_POINT_H

#include "inference/likelihood.h"

/* An active set with its hyperparameters; light, where an rvm_fit has the whole posterior. */
typedef struct {
    size_t K, capacity;
    size_t *column;   /* owned: positions in the design */
    double *ln_alpha; /* owned */
    double *u;        /* owned: scaled weights, a warm start */
    double ln_beta;
    double log_evidence;
    double margin; /* nats that an addition had to gain on the way here */
    bool converged;
} rvm_point;

bool rvm_point_save(rvm_point *to, const rvm_fit *from, double margin, bool converged);
/* `to` needs its posterior computed afterwards. */
void rvm_point_load(rvm_fit *to, const rvm_point *from);
void rvm_point_free(rvm_point *p);
void rvm_point_swap(rvm_point *a, rvm_point *b);

/* Whether b is to be preferred to a. Evidence decides between optima of one kind, with `credit`
 * nats for each function. But evidence alone rises into a collapse at narrow widths, where every
 * row becomes a vector and the noise is gone, since each function has a precision of its own that
 * was maximised; one nat less for each function, in the manner of Akaike, tells such a solution
 * from a real one. It is a blunt measure (choosing by it between sound optima costs accuracy), so
 * it decides only against those that fall more than a few nats behind in it. top: the largest L - K
 * of all points that were met, these two included. */
bool rvm_point_prefer(const rvm_point *a, const rvm_point *b, double top, double credit);
double rvm_point_criterion(const rvm_point *p); /* L - K */

#endif
