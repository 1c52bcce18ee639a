/* A team of MPI's processes.
 *
 * Not in the library: what trains alone needs no MPI.  Only the thread that has started may talk. */
#ifndef RVM_TEAM_MPI_H
#define RVM_TEAM_MPI_H

#include "base/team.h"

/* Joins the processes that mpirun has started; before anything else looks at the command line. */
RVM_CHECKED rvm_status rvm_team_mpi_start(rvm_team **out, int *argc, char ***argv, rvm_error *err);
/* All meet at the end: *code, the exit code of this one, becomes that of the first rank that has
 * another than 0. False when some have not come within so many seconds; 0: as long as it takes. */
bool rvm_team_mpi_meet(rvm_team *team, int *code, double seconds);
/* Ends it, behind a meeting of all. Accepts NULL. */
void rvm_team_mpi_free(rvm_team *team);
/* Ends all processes at once, wherever they are. */
void rvm_team_mpi_abort(rvm_team *team, int code);

#endif
