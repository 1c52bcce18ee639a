/* A team of threads, for tests: what several processes do, in one. */
#ifndef TEAM_THREADS_H
#define TEAM_THREADS_H

#include "base/team.h"

/* Calls work(context, team) for each rank of a team of that size, each in a thread of its own, and
 * waits for all of them. */
void team_threads_run(int size, void (*work)(void *context, rvm_team *team), void *context);

#endif
