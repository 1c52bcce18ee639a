/* Checkpoints: when one is written, and how training goes on from it. */
#include "cli/checkpoint.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cli/input.h"
#include "cli/note.h"
#include "cli/output.h"

static const char complaint[] = "can't save checkpoint to file";

/* Of all time, a twentieth at the most goes into writing. */
static const double least_share = 20;

cli_checkpoint cli_checkpoint_start(const cli_tool *tool, const char *name, double every)
{
    return (cli_checkpoint){
        .tool = tool, .name = name, .every = every, .due = cli_live_seconds() + every
    };
}

bool cli_checkpoint_probe(const cli_tool *tool, const char *name, const char *const others[3])
{
    for (int k = 0; k < 3; k++)
        if (others[k] != NULL && cli_output_is_same(name, others[k])) {
            cli_note(tool, "--checkpoint would write to %s", others[k]);
            return false;
        }
    return cli_output_probe(tool, complaint, name);
}

static rvm_status write_trainer(const void *trainer, FILE *out, rvm_error *err)
{
    return rvm_trainer_write(trainer, out, err);
}

/* Where much has been found, or after some time. */
static bool is_due(const cli_checkpoint *k, const rvm_report *r)
{
    return r->stage_over || r->stage != k->stage || r->rows != k->rows ||
           cli_live_seconds() >= k->due;
}

void cli_checkpoint_keep(cli_checkpoint *k, const rvm_trainer *tr, const rvm_report *r,
                         cli_live *line)
{
    rvm_error err = { 0 };

    if (k->name == NULL || !rvm_trainer_rests(tr) || !is_due(k, r))
        return;
    const double before = cli_live_seconds();
    const rvm_status status = cli_output_write(k->name, write_trainer, tr, &err);
    const double now = cli_live_seconds();

    k->due = now + (k->every > 0 ? fmax(k->every, least_share * (now - before)) : 0);
    k->stage = r->stage;
    k->rows = r->rows;
    if (status == RVM_OK || k->failed)
        return;
    k->failed = true;
    cli_live_clear(line);
    cli_note(k->tool, "%s %s: %s; training goes on", complaint, k->name, err.message);
}

rvm_status cli_checkpoint_resume(rvm_trainer *tr, rvm_team *team, const char *name, rvm_error *err)
{
    const bool reads = rvm_team_rank(team) == 0;
    FILE *in = !reads ? NULL : strcmp(name, "-") == 0 ? stdin : fopen(name, "r");
    rvm_status status =
        reads && in == NULL ? rvm_fail(err, RVM_EIO, "%s", strerror(errno)) : RVM_OK;

    status = rvm_team_agree(team, status, err);
    if (status == RVM_OK)
        status = rvm_trainer_read(tr, in, err);
    cli_input_close(in);
    return status;
}
