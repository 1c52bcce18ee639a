/* Data that the processes of a team read together: one file, a file for each, or a stream.
 *
 * All of them call these, and get the same outcome: an error is that which one process would have
 * found in all of the data, the earliest fault, with its line. */
#ifndef RVM_SHARED_READ_H
#define RVM_SHARED_READ_H

#include "data/problem.h"

/* Bytes *from .. *to - 1 of `size` are the share of this process. */
void rvm_shared_read_share(size_t *from, size_t *to, size_t size, const rvm_team *team);
/* *out, owned by the caller: the rows that begin in the bytes from .. to - 1, with their numbers;
 * parts of processes follow each other. `in` is the same file in all of them, or its copy. */
RVM_CHECKED rvm_status rvm_shared_read_file(rvm_problem **out, FILE *in, size_t from, size_t to,
                                            rvm_grammar grammar, rvm_team *team, rvm_error *err);
/* The same where each has a file of its own, which may be empty and be a pipe; *at: the rank in whose
 * file the error is. */
RVM_CHECKED rvm_status rvm_shared_read_pieces(rvm_problem **out, int *at, FILE *in,
                                              rvm_grammar grammar, rvm_team *team, rvm_error *err);
/* The same where rank 0 alone has something to read from; the others' `in` is NULL. It keeps no more
 * than its share. */
RVM_CHECKED rvm_status rvm_shared_read_stream(rvm_problem **out, FILE *in, rvm_grammar grammar,
                                              rvm_team *team, rvm_error *err);
/* The same; rank 0 keeps all of it, the others have no rows. */
RVM_CHECKED rvm_status rvm_shared_read_whole(rvm_problem **out, FILE *in, rvm_grammar grammar,
                                             rvm_team *team, rvm_error *err);

#endif
