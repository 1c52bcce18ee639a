/* What rvm-train does: reads, trains, writes. */
#ifndef RVM_CLI_TRAIN_H
#define RVM_CLI_TRAIN_H

#include "base/team.h"

/* All of a tool of that name; its exit code. team NULL: of one process. */
int cli_train_run(int argc, char **argv, const char *name, const char *about, rvm_team *team);

#endif
