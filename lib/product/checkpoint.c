/* A file from which training goes on, to the last bit.
 *
 *     rvm_checkpoint 1 VERSION
 *     data ROWS OUTPUTS FINGERPRINT FIRST     of two classes the first label, else 0
 *     settings ...
 *     validations ...               what folds have come to
 *     widths ...                    where there are length-scales, and they have been found
 *     search 0 | 1 ...              where a search is, or has ended
 *     end SUM                       of all bytes before this line
 *
 * Numbers that are no counts are written as the hexadecimal digits of their bits. */
#include "product/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "data/problem.h"
#include "product/fingerprint.h"
#include "product/stages.h"
#include "search/ended.h"

enum { VERSION = 1 };

static const char first_word[] = "rvm_checkpoint", last_word[] = "end ";

/* A file whose further stages have not begun. */
struct rvm_checkpoint {
    char *bytes; /* owned: all of it */
    FILE *in;    /* owned: reads them */
    rvm_codec codec;
};

void rvm_checkpoint_free(rvm_checkpoint *r)
{
    if (r == NULL)
        return;
    rvm_codec_free(&r->codec);
    if (r->in != NULL)
        fclose(r->in);
    free(r->bytes);
    free(r);
}

rvm_status rvm_checkpoint_prepare(rvm_trainer *tr, rvm_error *err)
{
    tr->fingerprint = rvm_fingerprint_rows(tr->file);
    tr->settings.journal = tr->journal = rvm_journal_alloc();
    return tr->journal == NULL ? rvm_fail_memory(err, "checkpoints") : RVM_OK;
}

/* ---- Parts of the file ---------------------------------------------------------------------- */

static void code_version(rvm_codec *c)
{
    char name[RVM_CODEC_NAME_SIZE];
    int version = VERSION;
    rvm_codec_key(c, first_word);
    rvm_codec_whole(c, &version, VERSION, VERSION);
    if (strcmp(rvm_codec_name(c, name, RVM_VERSION), RVM_VERSION) != 0)
        rvm_codec_fault(c, "it was written by another version than " RVM_VERSION);
}

static void code_data(rvm_codec *c, const rvm_trainer *tr)
{
    const size_t rows = rvm_problem_all(tr->file), outputs = tr->file->outputs;
    size_t its_rows = rows, its_outputs = outputs;
    uint64_t fingerprint = tr->fingerprint;
    const uint64_t first = tr->labels.count == 2 ? (uint64_t)(int64_t)tr->labels.label[0] : 0;
    uint64_t its_first = first;
    rvm_codec_key(c, "data");
    rvm_codec_count(c, &its_rows, 1, SIZE_MAX / 2);
    rvm_codec_count(c, &its_outputs, 1, SIZE_MAX / 2);
    rvm_codec_word64(c, &fingerprint);
    rvm_codec_word64(c, &its_first);
    if (c->status != RVM_OK)
        return;
    if (its_rows != rows || its_outputs != outputs)
        c->status = rvm_fail(
            c->err, RVM_ESETTING,
            "the checkpoint is of other data: %zu rows of %zu targets; here are %zu of %zu",
            its_rows, its_outputs, rows, outputs);
    else if (fingerprint != tr->fingerprint)
        c->status =
            rvm_fail(c->err, RVM_ESETTING, "the checkpoint is of other data, if as many rows");
    else if (its_first != first) /* it is the one whose latent function is positive */
        c->status = rvm_fail(c->err, RVM_ESETTING,
                             "the checkpoint is of these rows in another order, which begins with "
                             "the other class");
}

static void code_head(rvm_codec *c, const rvm_trainer *tr)
{
    code_version(c);
    code_data(c, tr);
    if (c->status == RVM_OK)
        rvm_fingerprint_code(c, &tr->asked);
    if (c->status == RVM_OK)
        rvm_journal_code(c, tr->journal);
}

static void code_end(rvm_codec *c)
{
    if (!rvm_codec_reads(c))
        rvm_codec_line(c); /* ends the one before, which counts */
    uint64_t sum = c->sum;
    rvm_codec_key(c, "end");
    rvm_codec_word64(c, &sum);
    rvm_codec_end(c);
}

/* ---- Writing -------------------------------------------------------------------------------- */

static bool has_ended(const rvm_trainer *tr, rvm_stage stage)
{
    return tr->stage > stage || (tr->stage == stage && tr->over);
}

static bool search_rests(const rvm_trainer *tr)
{
    return tr->stage == RVM_SEARCH && !tr->over && tr->type->rests != NULL &&
           tr->type->rests(tr->search);
}

bool rvm_checkpoint_rests(const rvm_trainer *tr)
{
    if (tr->journal == NULL || tr->read != NULL || rvm_trainer_is_interrupted(tr))
        return false;
    return tr->over || tr->stage == RVM_TUNE || tr->stage == RVM_CALIBRATE || search_rests(tr);
}

static void write_search(rvm_codec *c, const rvm_trainer *tr)
{
    bool ended = has_ended(tr, RVM_SEARCH);
    int round = tr->stage == RVM_SEARCH ? tr->round : 0;
    if (!ended && !search_rests(tr))
        return;
    rvm_codec_key(c, "search");
    rvm_codec_flag(c, &ended);
    rvm_codec_whole(c, &round, 0, INT_MAX);
    if (ended)
        rvm_ended_write(c, tr->type, tr->search, &tr->study, rvm_trainer_latents(tr));
    else
        tr->type->code(c, tr->search);
}

rvm_status rvm_checkpoint_write(const rvm_trainer *tr, FILE *out, rvm_error *err)
{
    rvm_codec c;
    if (tr->journal == NULL || tr->read != NULL)
        return rvm_fail(err, RVM_ESETTING, "there is nothing to go on from yet");
    rvm_codec_write(&c, out, err);
    code_head(&c, tr);
    if (tr->widths != NULL && has_ended(tr, RVM_WIDTHS))
        rvm_widths_code(&c, tr->widths);
    if (c.status == RVM_OK)
        write_search(&c, tr);
    if (c.status == RVM_OK)
        code_end(&c);
    rvm_codec_free(&c);
    return c.status;
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* *bytes (owned by the caller): all of the stream, and a NUL. */
static rvm_status read_all(char **bytes, size_t *count, FILE *in, rvm_error *err)
{
    size_t capacity = 0;
    *count = 0;
    do {
        if (!rvm_grow(bytes, &capacity, *count + BUFSIZ, 1))
            return rvm_fail_memory(err, "the checkpoint");
        errno = 0;
        *count += fread(*bytes + *count, 1, capacity - *count - 1, in);
    } while (!feof(in) && !ferror(in));
    (*bytes)[*count] = '\0';
    return ferror(in) ? rvm_fail(err, RVM_EIO, "%s", strerror(errno != 0 ? errno : EIO)) : RVM_OK;
}

/* The bytes that process 0 has read, in all of them. */
static rvm_status share_bytes(char **bytes, size_t *count, rvm_team *team, FILE *in, rvm_error *err)
{
    rvm_status status = rvm_team_rank(team) == 0 ? read_all(bytes, count, in, err) : RVM_OK;
    status = rvm_team_agree(team, status, err);
    if (status != RVM_OK)
        return status;
    rvm_team_same(team, count, sizeof *count);
    if (rvm_team_rank(team) != 0)
        *bytes = rvm_array(*count + 1, 1);
    status =
        rvm_team_agree(team, *bytes == NULL ? rvm_fail_memory(err, "the checkpoint") : RVM_OK, err);
    if (status == RVM_OK)
        rvm_team_same(team, *bytes, *count + 1);
    return status;
}

static size_t count_lines(const char *bytes, size_t count)
{
    size_t lines = 0;
    for (size_t k = 0; k < count; k++)
        lines += bytes[k] == '\n';
    return lines;
}

/* Nothing of a file that is damaged is used. */
static rvm_status check_sum(const char *bytes, size_t count, rvm_error *err)
{
    const size_t first = sizeof first_word - 1, last = sizeof last_word - 1;
    size_t at = count > 0 ? count - 1 : 0; /* where the last line begins */
    char text[40];
    if (count <= first || memcmp(bytes, first_word, first) != 0)
        return rvm_fail_at(err, RVM_EMODEL, 1, 1,
                           "this is no checkpoint: it does not begin with "
                           "\"rvm_checkpoint\"");
    while (at > 0 && bytes[at - 1] != '\n')
        at--;
    const size_t lines = count_lines(bytes, at) + 1;
    if (bytes[count - 1] != '\n' || count - at <= last || memcmp(bytes + at, last_word, last) != 0)
        return rvm_fail_at(err, RVM_EMODEL, lines, 1,
                           "the file is cut short: it has no line \"end\"");
    const int size =
        snprintf(text, sizeof text, "end %" PRIx64 "\n", rvm_hash_bytes(RVM_HASH_START, bytes, at));
    if ((size_t)size == count - at && memcmp(bytes + at, text, count - at) == 0)
        return RVM_OK;
    return rvm_fail_at(err, RVM_EMODEL, lines, 1, "the file is damaged: its sum is another one");
}

static rvm_status open_bytes(rvm_checkpoint *r, const rvm_trainer *tr, FILE *in, rvm_error *err)
{
    size_t count = 0;
    rvm_status status = share_bytes(&r->bytes, &count, tr->file->team, in, err);
    if (status == RVM_OK)
        status = check_sum(r->bytes, count, err);
    if (status != RVM_OK)
        return status;
    r->in = fmemopen(r->bytes, count, "r");
    if (r->in == NULL)
        return rvm_fail_memory(err, "the checkpoint");
    rvm_codec_read(&r->codec, r->in, err);
    return RVM_OK;
}

/* Nothing more is to come; what is there is the line "end". */
static void close_file(rvm_trainer *tr)
{
    rvm_codec *c = &tr->read->codec;
    code_end(c);
    if (c->status != RVM_OK)
        return;
    rvm_checkpoint_free(tr->read);
    tr->read = NULL;
}

rvm_status rvm_checkpoint_read(rvm_trainer *tr, FILE *in, rvm_error *err)
{
    rvm_checkpoint *r = rvm_array(1, sizeof *r);
    if (r == NULL)
        return rvm_fail_memory(err, "the checkpoint");
    tr->read = r; /* which frees it */
    const rvm_status status = open_bytes(r, tr, in, err);
    if (status != RVM_OK)
        return status;
    code_head(&r->codec, tr);
    if (r->codec.status != RVM_OK)
        return r->codec.status;
    return rvm_checkpoint_enter(tr, err);
}

/* ---- Going on ------------------------------------------------------------------------------- */

static void enter_search(rvm_codec *c, rvm_trainer *tr)
{
    bool ended = false;
    rvm_codec_key(c, "search");
    rvm_codec_flag(c, &ended);
    rvm_codec_whole(c, &tr->round, 0, INT_MAX);
    if (c->status != RVM_OK)
        return;
    if (!ended && tr->type->code == NULL) {
        rvm_codec_fault_line(c, "this search cannot be gone on with");
    } else if (!ended) {
        tr->type->code(c, tr->search);
    } else {
        const rvm_search_type *of = tr->type;
        rvm_search_free(of, tr->search);
        tr->search = NULL;
        rvm_ended_read(c, &tr->search, &tr->ended, of, &tr->study, rvm_trainer_latents(tr),
                       rvm_threads(tr->settings.threads));
        tr->type = &tr->ended;
        tr->over = true;
    }
}

rvm_status rvm_checkpoint_enter(rvm_trainer *tr, rvm_error *err)
{
    if (tr->read == NULL)
        return RVM_OK;
    rvm_codec *c = &tr->read->codec;
    c->err = err;
    if (tr->stage == RVM_WIDTHS && tr->widths != NULL && rvm_codec_next_is(c, "widths")) {
        rvm_widths_code(c, tr->widths);
        tr->over = true;
    } else if (tr->stage == RVM_SEARCH && rvm_codec_next_is(c, "search")) {
        enter_search(c, tr);
    }
    const rvm_status status = c->status;
    if (status == RVM_OK && (rvm_codec_next_is(c, "end") || tr->stage >= RVM_SEARCH))
        close_file(tr);
    return tr->read == NULL ? RVM_OK : c->status;
}
