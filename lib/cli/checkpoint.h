/* Checkpoints: when one is written, and how training goes on from it. */
#ifndef RVM_CLI_CHECKPOINT_H
#define RVM_CLI_CHECKPOINT_H

#include "base/team.h"
#include "cli/live.h"
#include "cli/tool.h"

typedef struct {
    const cli_tool *tool;
    const char *name; /* of the file; NULL: none is wanted */
    double every; /* seconds between two that no stage has ended between; 0: whenever it can be */
    double due;   /* when the next one is, */
    rvm_stage stage; /* unless stage or rows are others than those of the last one */
    size_t rows;
    bool failed; /* which has been told */
} cli_checkpoint;

cli_checkpoint cli_checkpoint_start(const cli_tool *tool, const char *name, double every);
/* Whether the file can be made, now rather than in an hour, and is none of others[0 .. 2] (NULL:
 * none), which training reads or writes; false after a message. */
bool cli_checkpoint_probe(const cli_tool *tool, const char *name, const char *const others[3]);
/* After a step: writes one where one is due. What goes wrong is told once, and training goes on. */
void cli_checkpoint_keep(cli_checkpoint *k, const rvm_trainer *tr, const rvm_report *r,
                         cli_live *line);
/* Before the first step: on from the file of that name, which rank 0 of the team reads; *err is of a
 * place in it. */
RVM_CHECKED rvm_status cli_checkpoint_resume(rvm_trainer *tr, rvm_team *team, const char *name,
                                             rvm_error *err);

#endif
