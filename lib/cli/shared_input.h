/* Data of a team: who opens what, and whether it is the same everywhere. */
#ifndef RVM_CLI_SHARED_INPUT_H
#define RVM_CLI_SHARED_INPUT_H

#include "base/team.h"
#include "cli/tool.h"

/* Whether the name stands for a file of each process, its %r for the rank. */
bool cli_shared_input_is_pieces(const char *name);
/* As cli_input_problem, in all processes of the team; NULL in all of them after a message. *p has the
 * rows that this one has read, with their numbers, or those of rank 0 alone where it reads a kernel
 * matrix. A regular file is read by all, whatever else by rank 0. team NULL: cli_input_problem. */
rvm_problem *cli_shared_input_problem(const cli_tool *tool, const char *what, const char *name,
                                      const char *const out[2], rvm_grammar grammar,
                                      rvm_team *team);

#endif
