/* A team of threads, for tests: what several processes do, in one. */
#ifndef TEAM_THREADS_H
#define TEAM_THREADS_H

#include "data/problem.h"

/* Calls work(context, team) for each rank of a team of that size, each in a thread of its own, and
 * waits for all of them. */
void team_threads_run(int size, void (*work)(void *context, rvm_team *team), void *context);

/* The spans of p, of all rows, that this process has; owned by the caller. */
rvm_problem *team_threads_slice(const rvm_problem *p, rvm_team *team);

#endif
