/* rvm-train-mpi: trains a relevance vector machine on several processes, which mpirun starts. */
#include <stdio.h>

#include "lib/base/team_mpi.h"
#include "lib/cli/hush.h"
#include "lib/cli/options.h"
#include "lib/cli/train.h"

static const char name[] = "rvm-train-mpi";
static const char about[] =
    "Trains as rvm-train does, on the rows' shares of several processes: mpirun -n P rvm-train-mpi.";

/* Seconds in which those that have failed together have come to the end. */
static const double patience = 3;

int main(int argc, char **argv)
{
    rvm_team *team = NULL;
    rvm_error err = { 0 };

    cli_options_prepare(argv);
    if (rvm_team_mpi_start(&team, &argc, &argv, &err) != RVM_OK) {
        fprintf(stderr, "%s: %s\n", name, err.message);
        return 1;
    }
    const cli_hush hush = rvm_team_rank(team) == 0 ? cli_hush_none() : cli_hush_start();
    int code = cli_train_run(argc, argv, name, about, team);
    if (!rvm_team_mpi_meet(team, &code, code == 1 ? patience : 0)) {
        cli_hush_break(&hush);
        rvm_team_mpi_abort(team, code);
    }
    rvm_team_mpi_free(team);
    return code;
}
