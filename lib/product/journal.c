/* What folds have come to, so that a training that is gone on with need not train them again. */
#include "product/journal.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { MOST_FOLDS = 1000, ACROSS = 16 /* numbers of a line */ };

typedef struct {
    uint64_t asked;
    size_t folds;
    rvm_journal_fold *fold; /* owned, folds */
} validation;

struct rvm_journal {
    validation *validation; /* owned */
    size_t count, capacity;
    size_t begun; /* the first so many have been asked for */
};

rvm_journal *rvm_journal_alloc(void)
{
    return rvm_array(1, sizeof(rvm_journal));
}

/* Of those from number `first` on. */
static void forget(rvm_journal *j, size_t first)
{
    while (j->count > first) {
        validation *v = &j->validation[--j->count];
        for (size_t i = 0; v->fold != NULL && i < v->folds; i++)
            free(v->fold[i].number);
        free(v->fold);
    }
}

void rvm_journal_free(rvm_journal *j)
{
    if (j == NULL)
        return;
    forget(j, 0);
    free(j->validation);
    free(j);
}

static validation *append(rvm_journal *j, uint64_t asked, size_t folds)
{
    rvm_journal_fold *fold = rvm_array(folds, sizeof *fold);
    if (fold == NULL || !rvm_grow(&j->validation, &j->capacity, j->count + 1, sizeof(validation))) {
        free(fold);
        return NULL;
    }
    validation *v = &j->validation[j->count++];
    *v = (validation){ asked, folds, fold };
    return v;
}

rvm_journal_fold *rvm_journal_next(rvm_journal *j, uint64_t asked, size_t folds)
{
    const size_t k = j->begun++;
    if (k < j->count && (j->validation[k].asked != asked || j->validation[k].folds != folds))
        forget(j, k);
    if (k < j->count)
        return j->validation[k].fold;
    const validation *v = append(j, asked, folds);
    return v == NULL ? NULL : v->fold;
}

double *rvm_journal_room(rvm_journal_fold *fold, size_t count)
{
    free(fold->number);
    fold->number = rvm_array(count, sizeof *fold->number);
    fold->count = count;
    return fold->number;
}

/* ---- The file ------------------------------------------------------------------------------- */

static void code_fold(rvm_codec *c, rvm_journal_fold *f)
{
    size_t count = f->known ? f->count : 0;
    rvm_codec_key(c, "fold");
    rvm_codec_flag(c, &f->known);
    rvm_codec_flag(c, &f->at_bound);
    rvm_codec_count(c, &f->vectors, 0, SIZE_MAX / 2);
    rvm_codec_count(c, &count, 0, RVM_JOURNAL_MOST);
    if (c->status == RVM_OK && rvm_codec_reads(c) && rvm_journal_room(f, count) == NULL)
        rvm_codec_fault_memory(c);
    for (size_t k = 0; k < count && c->status == RVM_OK; k += ACROSS) {
        rvm_codec_line(c);
        rvm_codec_bits(c, f->number + k, count - k < ACROSS ? count - k : ACROSS);
    }
}

static void code_validation(rvm_codec *c, rvm_journal *j, size_t k)
{
    validation *v = rvm_codec_reads(c) ? NULL : &j->validation[k];
    uint64_t asked = v == NULL ? 0 : v->asked;
    size_t folds = v == NULL ? 0 : v->folds;
    rvm_codec_key(c, "validation");
    rvm_codec_word64(c, &asked);
    rvm_codec_count(c, &folds, 1, MOST_FOLDS);
    if (c->status != RVM_OK)
        return;
    if (v == NULL)
        v = append(j, asked, folds);
    if (v == NULL)
        rvm_codec_fault_memory(c);
    for (size_t i = 0; v != NULL && i < folds && c->status == RVM_OK; i++)
        code_fold(c, &v->fold[i]);
}

void rvm_journal_code(rvm_codec *c, rvm_journal *j)
{
    size_t count = j->count;
    rvm_codec_key(c, "validations");
    rvm_codec_count(c, &count, 0, SIZE_MAX / 2);
    for (size_t k = 0; k < count && c->status == RVM_OK; k++)
        code_validation(c, j, k);
}
