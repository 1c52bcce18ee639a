/* What training has in hand, and the model of it. */
#ifndef RVM_TRAINER_H
#define RVM_TRAINER_H

#include "base/interrupt.h"
#include "data/labels.h"
#include "data/standard.h"
#include "product/calibration.h"
#include "product/crossval.h"
#include "product/journal.h"
#include "product/race.h"
#include "product/sampler.h"
#include "product/tune.h"
#include "product/widths.h"
#include "search/inducing.h"
#include "search/search.h"

typedef struct rvm_checkpoint rvm_checkpoint; /* checkpoint.h */

struct rvm_trainer {
    const rvm_problem *file; /* borrowed: the rows as they were given */
    const rvm_problem *p;    /* borrowed: those that are looked at, `file` or `own` */
    rvm_problem *own;        /* owned: standardised; NULL without */
    rvm_standard standard;   /* owned */
    rvm_training *train;     /* how a fold is trained */
    rvm_settings asked;      /* as they were given */
    rvm_settings settings;   /* with what the stages have found of the kernel */
    rvm_settings of_search;  /* with how far the search is to go; the search borrows them */
    rvm_settings of_fold;    /* with what of it a fold does not find by itself */
    rvm_labels labels;       /* classification */
    rvm_stage stage;
    bool over;          /* that one is, and the next one begins at the next step */
    bool done;          /* and there is no next one */
    int round;          /* steps of the stage */
    double past;        /* work of the stages before */
    rvm_tuner *tuner;   /* NULL where nothing was open, or for a race, */
    rvm_race *race;     /* which is NULL where there was none */
    rvm_widths *widths; /* NULL without; owns the length-scales of the kernel */
    rvm_study study;
    size_t *place; /* owned, more than two classes: position in labels of each (class_order.h) */
    const rvm_search_type *type; /* NULL before the study is there */
    void *search;                /* owned, of that type */
    rvm_inducing *inducing;      /* NULL without, or before the points are chosen */
    rvm_sampler *sampler;        /* NULL before the chains begin */
    bool mixed;                  /* they agree */
    rvm_problem *sorted;         /* owned, of the calibration: the rows in canonical order */
    rvm_crossval *crossval;      /* NULL before it begins, or where it needs none */
    rvm_calibration calibration; /* owned; of no rows before it has ended */
    rvm_journal *journal;        /* owned; NULL: no checkpoints are asked for */
    uint64_t fingerprint;        /* of the rows, with them */
    rvm_checkpoint *read;        /* owned: what one has of stages to come; NULL: nothing */
    rvm_search_type ended;       /* of a search that one has the end of */
};

static inline bool rvm_trainer_has_many_classes(const rvm_trainer *tr)
{
    return tr->labels.count > 2;
}

/* Latent functions of the search. */
static inline size_t rvm_trainer_latents(const rvm_trainer *tr)
{
    return rvm_trainer_has_many_classes(tr) ? tr->labels.count : tr->study.outputs;
}

static inline bool rvm_trainer_is_sampled(const rvm_trainer *tr)
{
    return tr->settings.method == RVM_METHOD_GIBBS;
}

static inline bool rvm_trainer_is_interrupted(const rvm_trainer *tr)
{
    return rvm_interrupted(tr->settings.interrupted);
}

/* The model of the solution of the search, or of the draws where there are enough of them. */
RVM_CHECKED rvm_status rvm_trainer_finish(rvm_model **out, const rvm_trainer *tr, bool converged,
                                          rvm_error *err);

#endif
