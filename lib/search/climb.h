/* From a set of active functions to a local optimum over all columns of the design. */
#ifndef RVM_CLIMB_H
#define RVM_CLIMB_H

#include "search/climber.h"

typedef struct {
    double tolerance; /* nats that an addition must gain */
    int max_moves;    /* additions, a bunch of them counting once */
    int iterations;   /* of Newton's method after each */
    double newton;    /* nats that one of them must gain: far below any gain that is acted on */
    double thin;      /* nats that the model may lose at the end for each function less; 0: none */
} rvm_climb_settings;

/* What `newton` is for a search that must end in the very optimum. */
extern const double rvm_climb_exact;

/* Moves on from s->now (located) until no single addition or deletion of a function gains more
 * than the tolerance, with Newton's method after each, and then thins the model out (thin.h), if
 * that is asked for. s->statistics: with room for all columns. *converged: false when max_moves or
 * an interrupt ended it, or Newton's method was still on its way after several times its
 * iterations. But for what thinning may lose the evidence never falls by more than rounding. */
void rvm_climb_run(rvm_climber *s, const rvm_climb_settings *settings, bool *converged);

#endif
