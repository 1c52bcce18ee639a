/* Ascents within bounds, by first derivatives: L-BFGS, its gradient projected (Nocedal 1980;
 * Bertsekas 1982). */
#ifndef RVM_ASCENT_H
#define RVM_ASCENT_H

#include "base/lbfgs.h"
#include "base/team.h"

/* A function of `count` coordinates. */
typedef struct {
    size_t count;
    const double *low, *high; /* borrowed, count: bounds; NULL: none */
    /* The value at theta and its derivatives there; -INFINITY where there is none, or nobody waits
     * for it. */
    rvm_status (*evaluate)(double *value, double *gradient, void *self, const double *theta,
                           rvm_error *err);
    void *self;                      /* borrowed */
    const volatile int *interrupted; /* borrowed, or NULL */
    double longest;                  /* step in any coordinate */
} rvm_hill;

typedef struct {
    double *theta, *gradient; /* borrowed from the ascent; a coordinate of -INFINITY stays there */
    double value;
} rvm_place;

typedef struct {
    double *room; /* owned: all of these */
    rvm_place now, trial;
    double *direction, *move;
    rvm_lbfgs curvature;
    int steps, small; /* steps so far; those in a row that gained little */
    bool resting;
    rvm_team
        *team; /* borrowed, or NULL: processes that climb together, all of them the way that rank 0
                       sees it */
} rvm_ascent;

/* At theta = 0, to be filled in before the first call, and without a team; false without memory. */
bool rvm_ascent_init(rvm_ascent *a, size_t count);
void rvm_ascent_free(rvm_ascent *a);
/* Fills in a->now at its theta; resting where it has no value. */
RVM_CHECKED rvm_status rvm_ascent_begin(rvm_ascent *a, const rvm_hill *h, rvm_error *err);
/* At most `steps` steps; rests where some in a row have gained less than `least`, after `most` of
 * them, or where there is no way up. */
RVM_CHECKED rvm_status rvm_ascent_climb(rvm_ascent *a, const rvm_hill *h, double least, int steps,
                                        int most, rvm_error *err);
/* Where it is, of a function that is another one from now on. */
RVM_CHECKED rvm_status rvm_ascent_again(rvm_ascent *a, const rvm_hill *h, rvm_error *err);
/* Moves to a->trial, which has been evaluated: what was learned of the way here is forgotten. */
void rvm_ascent_move(rvm_ascent *a, const rvm_hill *h);

#endif
