/* Data of a team: who opens what, and whether it is the same everywhere. */
#include "cli/shared_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "cli/input.h"
#include "cli/note.h"
#include "cli/output.h"
#include "data/shared_read.h"

static const char place[] = "%r"; /* of the rank in a name */

bool cli_shared_input_is_pieces(const char *name)
{
    return strstr(name, place) != NULL;
}

/* ---- What each process sees of a file -------------------------------------------------------- */

typedef struct {
    unsigned long long size; /* bytes */
    uint64_t hash;           /* of the first of them */
    int fault;               /* errno of an open that has failed; 0: none */
    bool is_output;          /* it would be overwritten */
} sight;

/* Files of one size that differ begin differently, as a rule. */
static uint64_t hash_first_block(FILE *in)
{
    unsigned char block[1 << 16];
    const ssize_t got = pread(fileno(in), block, sizeof block, 0);

    return rvm_hash_bytes(RVM_HASH_START, block, got > 0 ? (size_t)got : 0);
}

/* Of a file that has just been opened, or not. */
static sight look_at(FILE *in, const char *const out[2])
{
    sight s = { .fault = in == NULL ? errno : 0 };
    struct stat found;

    if (in == NULL)
        return s;
    if (fstat(fileno(in), &found) != 0)
        s.fault = errno;
    else if (S_ISDIR(found.st_mode))
        s.fault = EISDIR;
    else if (S_ISREG(found.st_mode))
        s = (sight){ (unsigned long long)found.st_size, hash_first_block(in), 0, false };
    for (int k = 0; k < 2; k++)
        s.is_output = s.is_output || (out[k] != NULL && cli_output_replaces(out[k], in));
    return s;
}

/* ---- One file -------------------------------------------------------------------------------- */

/* Whether all have opened the same file; rank 0 has. */
static bool is_one_file(const cli_tool *tool, const char *what, const char *name, rvm_team *team,
                        const sight *mine)
{
    sight first = *mine;

    rvm_team_same(team, &first, sizeof first);
    for (int r = 1; r < rvm_team_size(team); r++) {
        sight s = *mine;

        rvm_team_broadcast(team, &s, sizeof s, r);
        if (s.fault == 0 && s.size == first.size && s.hash == first.hash)
            continue;
        if (s.fault != 0)
            cli_note(tool, "can't open %s %s in process %d: %s", what, name, r, strerror(s.fault));
        else
            cli_note(tool,
                     "%s is another file in process %d (%llu bytes) than in process 0 (%llu bytes)",
                     name, r, s.size, first.size);
        return false;
    }
    return true;
}

static rvm_problem *read_file(const cli_tool *tool, const char *what, const char *name, FILE *in,
                              rvm_grammar grammar, rvm_team *team)
{
    static const char *const none[2] = { NULL, NULL }; /* rank 0 has looked at outputs */
    const sight mine = look_at(in, none);
    rvm_problem *p = NULL;
    rvm_error err = { 0 };
    size_t from, to;

    if (!is_one_file(tool, what, name, team, &mine))
        return NULL;
    rvm_shared_read_share(&from, &to, (size_t)mine.size, team);
    if (rvm_shared_read_file(&p, in, from, to, grammar, team, &err) != RVM_OK)
        cli_note_data_error(tool, name, &err);
    return p;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* NULL without memory; owned by the caller. */
static char *piece_name(const char *name, int rank)
{
    const char *const at = strstr(name, place);
    const size_t size = strlen(name) + 16; /* of the digits of an int, and more */
    char *piece = malloc(size);

    if (piece != NULL)
        snprintf(piece, size, "%.*s%d%s", (int)(at - name), name, rank, at + sizeof place - 1);
    return piece;
}

static FILE *open_piece(const char *name, int rank)
{
    char *const piece = piece_name(name, rank);
    FILE *in = NULL;

    errno = ENOMEM;
    if (piece != NULL)
        in = fopen(piece, "r");
    const int fault = errno;
    free(piece);
    errno = fault;
    return in;
}

/* In all processes, whichever's piece it is. */
static void note_piece(const cli_tool *tool, const char *what, const char *name, int rank,
                       const sight *s)
{
    char *const piece = piece_name(name, rank);
    const char *const shown = piece == NULL ? name : piece;

    if (s->fault != 0)
        cli_note(tool, "can't open %s %s: %s", what, shown, strerror(s->fault));
    else
        cli_note(tool, "%s: input and output are the same file", shown);
    free(piece);
}

/* Whether there is a piece for each process, and for no more. */
static bool has_pieces(const cli_tool *tool, const char *what, const char *name, rvm_team *team,
                       const sight *mine)
{
    const int size = rvm_team_size(team);
    FILE *another = rvm_team_rank(team) == 0 ? open_piece(name, size) : NULL;
    bool more = another != NULL;

    cli_input_close(another);
    for (int r = 0; r < size; r++) {
        sight s = *mine;

        rvm_team_broadcast(team, &s, sizeof s, r);
        if (s.fault == 0 && !s.is_output)
            continue;
        note_piece(tool, what, name, r, &s);
        return false;
    }
    rvm_team_same(team, &more, sizeof more);
    if (more)
        cli_note(tool, "%s: more pieces than the %d processes, which would read 0 to %d", name,
                 size, size - 1);
    return !more;
}

static rvm_problem *read_pieces(const cli_tool *tool, const char *what, const char *name,
                                const char *const out[2], rvm_grammar grammar, rvm_team *team)
{
    FILE *in = open_piece(name, rvm_team_rank(team));
    const sight mine = look_at(in, out);
    rvm_problem *p = NULL;
    rvm_error err = { 0 };
    int at = 0;

    if (has_pieces(tool, what, name, team, &mine) &&
        rvm_shared_read_pieces(&p, &at, in, grammar, team, &err) != RVM_OK) {
        char *const piece = piece_name(name, at);
        cli_note_data_error(tool, piece == NULL ? name : piece, &err);
        free(piece);
    }
    cli_input_close(in);
    return p;
}

/* ---- Any ------------------------------------------------------------------------------------- */

typedef enum { BY_NOBODY, BY_RANK_0, AS_STREAM, BY_ALL } way;

/* in: that of rank 0, or NULL after a message. */
static way way_to_read(FILE *in, rvm_grammar grammar)
{
    struct stat found;

    if (in == NULL)
        return BY_NOBODY;
    if (grammar.precomputed)
        return BY_RANK_0;
    return in != stdin && fstat(fileno(in), &found) == 0 && S_ISREG(found.st_mode) ? BY_ALL
                                                                                   : AS_STREAM;
}

static rvm_problem *read_from_one(const cli_tool *tool, const char *name, FILE *in,
                                  rvm_grammar grammar, rvm_team *team, bool whole)
{
    rvm_problem *p = NULL;
    rvm_error err = { 0 };
    const rvm_status status = whole ? rvm_shared_read_whole(&p, in, grammar, team, &err)
                                    : rvm_shared_read_stream(&p, in, grammar, team, &err);

    if (status != RVM_OK)
        cli_note_data_error(tool, name, &err);
    return p;
}

rvm_problem *cli_shared_input_problem(const cli_tool *tool, const char *what, const char *name,
                                      const char *const out[2], rvm_grammar grammar, rvm_team *team)
{
    if (team == NULL)
        return cli_input_problem(tool, what, name, out, grammar);
    if (cli_shared_input_is_pieces(name))
        return read_pieces(tool, what, name, out, grammar, team);

    const bool first = rvm_team_rank(team) == 0;
    FILE *in = first ? cli_input_open(tool, what, name, out) : NULL;
    way how = first ? way_to_read(in, grammar) : BY_NOBODY;
    rvm_problem *p = NULL;

    rvm_team_same(team, &how, sizeof how);
    if (how == BY_ALL && !first)
        in = fopen(name, "r");
    if (how == BY_ALL)
        p = read_file(tool, what, name, in, grammar, team);
    else if (how != BY_NOBODY)
        p = read_from_one(tool, name, in, grammar, team, how == BY_RANK_0);
    cli_input_close(in);
    return p;
}
