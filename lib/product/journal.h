/* What folds have come to, so that a training that is gone on with need not train them again.
 *
 * The choice of a kernel and calibration are decided by what folds predict, and do the same again
 * where these say the same. So nothing is saved of where they are: from the beginning they ask for
 * one cross-validation after the other, and of those that are known here no fold is trained. */
#ifndef RVM_JOURNAL_H
#define RVM_JOURNAL_H

#include "base/codec.h"

typedef struct rvm_journal rvm_journal;

typedef struct {
    bool known;
    bool at_bound; /* as crossval.c has them */
    size_t vectors;
    size_t count;
    double *number; /* owned, count: predictions */
} rvm_journal_fold;

rvm_journal *rvm_journal_alloc(void); /* NULL without memory */
void rvm_journal_free(rvm_journal *j);
/* The folds, so many, of the next cross-validation that training begins; borrowed. `asked` tells it
 * from others: what is known of another one in its place is of no use, nor is what lies behind.
 * NULL without memory. */
rvm_journal_fold *rvm_journal_next(rvm_journal *j, uint64_t asked, size_t folds);
/* Numbers of a fold that are kept at the most: more of them are had again by training it again. */
enum { RVM_JOURNAL_MOST = 1 << 22 };
/* Room for `count` numbers of a fold; NULL without memory. */
double *rvm_journal_room(rvm_journal_fold *fold, size_t count);
/* Writes all of them, or reads them into an empty journal. */
void rvm_journal_code(rvm_codec *c, rvm_journal *j);

#endif
