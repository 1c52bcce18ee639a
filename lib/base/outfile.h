/* An output file that appears whole or not at all. */
#ifndef RVM_OUTFILE_H
#define RVM_OUTFILE_H

#include <stdio.h>

#include "rvm.h"

/* Rows are written to a temporary file in the folder of the target, which takes the target's place
 * by rename when all of it is on disk. A target that is there and is no regular file (a terminal,
 * a pipe, /dev/stdout) is written directly. A symbolic link keeps pointing where it does: the file
 * behind it is replaced; but not that of a stranger in a folder where anybody may put one. The mode
 * of a target that exists is kept, but for set-user-ID and its like, and its group where that is
 * allowed; else it is 0666 & ~umask. It belongs to whoever writes it, and other hard links to the
 * old file keep what they had. A temporary file is called .rvm-PID-N. */
typedef struct rvm_outfile rvm_outfile;

/* Whether `name` can be opened as far as can be told: what has to be computed first is in vain
 * else. Leaves nothing behind, not for a moment. Errors as below. */
RVM_CHECKED rvm_status rvm_outfile_probe(const char *name, rvm_error *err);
/* `-` is standard output. Errors are RVM_EIO, the message strerror's words alone, or RVM_ENOMEM. */
RVM_CHECKED rvm_status rvm_outfile_open(rvm_outfile **out, const char *name, rvm_error *err);
/* Where to write; borrowed. */
FILE *rvm_outfile_stream(rvm_outfile *o);
/* Path of the temporary file, borrowed; NULL when the target is written directly. */
const char *rvm_outfile_temporary(const rvm_outfile *o);
/* True when a write has failed. Asked soon after it, rvm_outfile_commit can tell the reason. */
bool rvm_outfile_failed(rvm_outfile *o);
/* Checks all that was written, puts the file in its place and frees *o. When that fails nothing
 * is left behind and a target that was there is as before. */
RVM_CHECKED rvm_status rvm_outfile_commit(rvm_outfile *o, rvm_error *err);
/* Removes what was written and frees *o; accepts NULL. */
void rvm_outfile_discard(rvm_outfile *o);

#endif
