/* The choice of a kernel by cross-validation.
 *
 * Evidence cannot choose a width by itself: it goes on rising into the collapse where every row is
 * a vector and no noise is left, since each function has a precision of its own that was maximised.
 * The loss on rows that training has not seen cannot be fooled that way.
 *
 * Each family of kernels (a type, with a degree and an offset where it has them) has at most one
 * number to be found, the width, on a ladder of powers of two around the typical distance between
 * two rows. The loss may have more than one minimum, and structure that is fine looks like noise to
 * every wider kernel; so all of the ladder is looked at, from wide kernels down to the spacing of
 * the rows, but by a screen of few rows, which trains nothing. Cross-validation begins near the
 * screen's best rung and goes on while the loss falls, two rungs at a time. Kernels that are no
 * covariance, of which the screen knows nothing, are cross-validated at every second rung instead.
 *
 * The search in a fold is a rough one: it has one start, which begins with some of the functions,
 * and ends where nothing gains half a nat. Its losses are too high by a tenth or so, for all widths
 * alike, and it takes a third of the time of three starts to the end, which choose no better.
 *
 * The ladder is searched with one draw of the folds. The best rungs, and then the rungs beside the
 * best one, are compared over more draws, the same ones for each rung, since how folds are drawn
 * moves the loss of few rows by more than a rung does; until no rung beside the best one is better.
 *
 * Of many rows a random sample stands for all, and the more classes there are, which are trained
 * side by side, the smaller it is; since the best kernel grows narrower the more rows there are,
 * the search then goes on from there with more. */
#include "product/tune.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "basis/basis.h"
#include "basis/kernel.h"
#include "basis/spacing.h"
#include "data/labels.h"
#include "data/order.h"
#include "data/problem.h"
#include "data/shard.h"
#include "product/calibration.h"
#include "product/judge.h"
#include "product/loss.h"
#include "product/settings.h"
#include "product/sift.h"

enum {
    SCREEN_ROWS = 300,
    FEW_ROWS = 1500,    /* that the ladder is searched with, */
    MANY_ROWS = 4000,   /* and those that decide between the best rung and narrower ones; */
    FEW_IN_ALL = 3000,  /* with more than two classes these, divided by their number, */
    MANY_IN_ALL = 8000, /* and these, */
    LEAST_SAMPLE = 300, /* but so many at least */
    LEAST_ROWS = 5,     /* below, the middle rung is taken unseen */
    FEW_FOLDS = RVM_CALIBRATION_FOLDS,
    MANY_FOLDS = 3, /* of more rows than */
    FULL_ROWS = 600,
    DRAWN_ROWS = 500, /* rows times draws of the folds, about, */
    MOST_DRAWS = 3,
    MIDDLE = -2, /* rung that is as good as any; rung 0 is gamma = 1 / typical distance */
    FIRST = -6,  /* rungs that are tried in any case, every second one, */
    LAST = 2,    /* on to this one, or to the spacing of the rows */
    BEYOND = 4,  /* rungs from the best one of the screen that are tried before nothing is learnt */
    WIDEST = -14, /* the ends of the ladder */
    NARROWEST = 24,
    CONSTANT = 40, /* rungs farther down no digit sets a function apart from the constant */
    RUNGS = NARROWEST - WIDEST + 1
};

/* Standard errors that a kernel has to be better than a constant by. */
static const double least_sure = 1;

/* The same by which a family is behind another one of its type in the screen, not to be trained. */
static const double out_of_reach = 3;

/* Of the best loss: a kernel beyond it is out of the race. */
static const double clearly_worse = 1.1;

/* The same of a comparison with one start: more may gain so much, where noise is little. */
static const double perhaps_worse = 2;

/* What a kernel has come to: means over the draws of the folds so far. */
typedef struct {
    int draws;
    double loss; /* infinite where a fold has left the range of numbers; the others say nothing then
                  */
    double sure; /* what it gains on a constant, in standard errors */
    rvm_fold_score score;
    rvm_prediction *first; /* owned: of the first draw; NULL where it is not kept */
} trial;

/* The best rung of the ladder of the rows in hand, and what each has come to. */
typedef struct {
    trial rung[RUNGS];
    size_t rows;
    int best; /* the wider one of equals */
} ladder;

/* Kernels that differ in gamma alone. */
typedef struct {
    rvm_kernel kernel;
    bool searched;      /* gamma is */
    double gamma;       /* of rung 0 */
    int last;           /* rung of the spacing of the rows, or LAST */
    bool sifted;        /* the screen has found the rung that the search begins with */
    double *sifted_row; /* owned: the screen's loss of each row; NULL where it has none */
    double sifted_loss;
    int sifted_best, centre;   /* its best rung, and where the search begins, */
    int certain;               /* to go on to this one in any case */
    bool dropped;              /* the screen has: it is not trained */
    bool is_constant;          /* nothing was learnt with any gamma */
    int drawn;                 /* cross-validations so far */
    ladder few, careful, many; /* of few rows, twice, and of more */
    ladder *now;               /* borrowed, one of these */
} family;

typedef enum { SIFT, OUTWARDS, CAREFUL, MORE_ROWS, DONE } tuner_stage;

struct rvm_tuner {
    const rvm_problem *p;  /* borrowed */
    rvm_tuning open;       /* with at least one type */
    unsigned long seed;    /* of the first draw of the folds */
    rvm_settings settings; /* of the trial in hand: nothing is left open */
    rvm_training *train;
    size_t *order;       /* owned, rows of p: canonical, so that the choice does not depend on the
                            order of the file */
    rvm_problem *sample; /* owned: the rows of a trial */
    size_t few_rows, many_rows;
    bool costly;           /* more than two classes */
    rvm_problem *screened; /* owned: the rows of the screen, */
    rvm_screen *screen;    /* owned; NULL before and after it */
    size_t to_sift;        /* the next family */
    rvm_constant constant; /* what a model of the sample has to beat */
    family *family;        /* owned */
    size_t families, current;
    tuner_stage stage;
    gsl_rng *rng;              /* owned */
    rvm_prediction prediction; /* scratch */
    bool keeps;                /* what the first draw of each trial has predicted */
    int tried;                 /* cross-validations so far */
    double work;               /* the same in rows times folds */
};

/* ---- Families ------------------------------------------------------------------------------- */

static rvm_status add_family(rvm_tuner *t, rvm_kernel kernel, rvm_error *err)
{
    const unsigned uses = rvm_kernel_uses(kernel.type);
    family *f = &t->family[t->families++];
    *f = (family){ .kernel = kernel, .gamma = kernel.gamma, .now = &f->few };
    if ((uses & RVM_USES_GAMMA) && t->open.gamma) {
        double typical;
        const rvm_status status =
            rvm_spacing_typical(&typical, kernel.type, t->p, t->order, t->rng, err);
        if (status != RVM_OK)
            return status;
        f->gamma = 1 / typical;
        /* Without an offset the gamma of a power is a factor of the kernel,
         * which changes nothing. */
        f->searched = !((uses & RVM_USES_DEGREE) && kernel.coef0 == 0);
    }
    f->few.best = f->searched ? MIDDLE : 0;
    return RVM_OK;
}

/* All families of a type of kernel. */
static rvm_status add_families(rvm_tuner *t, rvm_kernel_type type, rvm_error *err)
{
    static const int degrees[] = { 2, 3, 4 };
    static const double offsets[] = { 0, 1 };
    const rvm_tuning *tune = &t->open;
    const unsigned uses = rvm_kernel_uses(type);
    const size_t some_degrees = tune->degree && (uses & RVM_USES_DEGREE) ? 3 : 1;
    const size_t some_offsets = tune->coef0 && (uses & RVM_USES_COEF0) ? 2 : 1;
    rvm_status status = RVM_OK;
    for (size_t d = 0; d < some_degrees && status == RVM_OK; d++)
        for (size_t r = 0; r < some_offsets && status == RVM_OK; r++) {
            rvm_kernel kernel = rvm_settings_kernel(&t->settings, t->p);
            kernel.type = type;
            if (some_degrees > 1)
                kernel.degree = degrees[d];
            if (some_offsets > 1)
                kernel.coef0 = offsets[r];
            status = add_family(t, kernel, err);
        }
    return status;
}

static rvm_status make_families(rvm_tuner *t, rvm_error *err)
{
    enum { MOST_FAMILIES = 6 }; /* degrees times offsets */
    t->family = rvm_array(t->open.type_count * MOST_FAMILIES, sizeof *t->family);
    if (t->family == NULL)
        return rvm_fail_memory(err, "the kernels");
    rvm_status status = RVM_OK;
    for (size_t k = 0; k < t->open.type_count && status == RVM_OK; k++)
        status = add_families(t, t->open.type[k], err);
    return status;
}

/* ---- Rows of the trials --------------------------------------------------------------------- */

/* At most so many rows, drawn at random, in canonical order. */
static rvm_status draw_sample(rvm_tuner *t, size_t most, rvm_error *err)
{
    const size_t N = rvm_problem_all(t->p), rows = GSL_MIN(N, most);
    size_t *row = NULL;
    const rvm_status drawn = rvm_order_sample(&row, rows, N, t->rng, err);
    if (drawn != RVM_OK)
        return drawn;
    rvm_problem_free(t->sample);
    rvm_constant_free(&t->constant);
    t->sample = NULL;
    const rvm_status status = rvm_shard_pick(&t->sample, t->p, t->order, row, rows, err);
    free(row);
    return status != RVM_OK ? status
                            : rvm_constant_find(&t->constant, t->sample, &t->settings, err);
}

/* ---- Trials --------------------------------------------------------------------------------- */

static rvm_kernel kernel_at(const family *f, int rung)
{
    rvm_kernel kernel = f->kernel;
    kernel.gamma = f->searched ? ldexp(f->gamma, rung) : f->gamma;
    return kernel;
}

static trial *trial_at(ladder *l, int rung)
{
    return &l->rung[rung - WIDEST];
}

/* Infinite where it has not been tried. */
static double loss_at(const ladder *l, int rung)
{
    const trial *at = &l->rung[rung - WIDEST];
    return at->draws > 0 ? at->loss : INFINITY;
}

static bool is_tried(const family *f, int rung)
{
    return trial_at(f->now, rung)->draws > 0;
}

static double best_loss(const family *f)
{
    return loss_at(f->now, f->now->best);
}

static size_t folds_of(const rvm_tuner *t)
{
    return t->sample->rows > FULL_ROWS && !t->keeps ? MANY_FOLDS : FEW_FOLDS;
}

static int careful_draws(const rvm_tuner *t)
{
    return t->costly ? 1 : (int)GSL_MIN(MOST_DRAWS, 1 + DRAWN_ROWS / t->sample->rows);
}

static int draws_of(const rvm_tuner *t)
{
    return t->stage == CAREFUL ? careful_draws(t) : 1;
}

/* The mean of one value more, which is number n. */
static void average(double *mean, double value, int n)
{
    *mean += (value - *mean) / n;
}

/* What a cross-validation has predicted is one draw more. */
static rvm_status add_draw(trial *to, const rvm_tuner *t, rvm_error *err)
{
    rvm_fold_score score;
    double sure = 0;
    const double loss = rvm_loss(&sure, &t->prediction, t->sample, &t->constant, &t->settings);
    const rvm_status status = rvm_score_folds(&score, &t->prediction, t->sample, err);
    if (status != RVM_OK)
        return status;
    const int n = ++to->draws;
    if (!isinf(to->loss))
        average(&to->loss, loss, n);
    average(&to->sure, sure, n);
    average(&to->score.error, score.error, n);
    average(&to->score.log_loss, score.log_loss, n);
    average(&to->score.cover, score.cover, n);
    return RVM_OK;
}

/* They are those of t, which makes new ones for the next trial. */
static rvm_status keep_rows(trial *to, rvm_tuner *t, rvm_error *err)
{
    to->first = rvm_array(1, sizeof *to->first);
    if (to->first == NULL)
        return rvm_fail_memory(err, "predictions");
    *to->first = t->prediction;
    t->prediction = (rvm_prediction){ .rows = 0 };
    return RVM_OK;
}

/* One draw of the folds for one rung, draw k the same for each of them. */
static rvm_status draw_folds(rvm_tuner *t, family *f, int rung, rvm_error *err)
{
    trial *to = trial_at(f->now, rung);
    rvm_settings *s = &t->settings;
    bool finished = false;
    s->kernel = kernel_at(f, rung);
    s->seed = t->seed + (unsigned long)to->draws;
    rvm_status status = rvm_crossval_predict(&t->prediction, &finished, t->sample, s, folds_of(t),
                                             t->train, t->keeps, err);
    if (status == RVM_ENUMERIC) {
        to->draws++;
        to->loss = INFINITY;
        status = RVM_OK;
    } else if (status != RVM_OK || !finished) {
        return status;
    } else {
        status = add_draw(to, t, err);
    }
    if (status == RVM_OK && t->keeps && to->draws == 1 && !isinf(to->loss))
        status = keep_rows(to, t, err);
    f->drawn++;
    t->tried++;
    t->work += (double)(folds_of(t) * t->sample->rows);
    return status;
}

/* With what it owns. */
static void take_trial(trial *to, trial *from)
{
    *to = *from;
    from->first = NULL;
}

/* What the first comparison has drawn is the first draw of the careful one, and all of it where
 * there is one: a rung that both have seen counts no more draws than its neighbour. */
static rvm_status try_rung(rvm_tuner *t, family *f, int rung, rvm_error *err)
{
    trial *to = trial_at(f->now, rung);
    if (t->stage == CAREFUL && to->draws == 0)
        take_trial(to, trial_at(&f->few, rung));
    return to->draws > 0 && to->draws >= draws_of(t) ? RVM_OK : draw_folds(t, f, rung, err);
}

/* ---- The screen ----------------------------------------------------------------------------- */

static int shift_of(const rvm_tuner *t, const family *f)
{
    return rvm_sift_shift(t->settings.task, f->kernel.type, t->settings.kernel_prior);
}

/* Without a covariance there is nothing to sift; without a width there may be other degrees. */
static bool can_sift(const rvm_tuner *t, const family *f)
{
    return rvm_kernel_is_covariance(&f->kernel) && (f->searched || t->families > 1);
}

static rvm_status begin_screen(rvm_tuner *t, rvm_error *err)
{
    const rvm_settings *s = &t->settings;
    const rvm_status status =
        rvm_screen_draw(&t->screened, t->sample, NULL, SCREEN_ROWS, s->task, t->rng, err);
    return status == RVM_OK ? rvm_screen_alloc(&t->screen, t->screened, s, err) : status;
}

static void end_screen(rvm_tuner *t)
{
    rvm_screen_free(t->screen);
    rvm_problem_free(t->screened);
    t->screen = NULL;
    t->screened = NULL;
}

static rvm_status sift_family(rvm_tuner *t, family *f, rvm_error *err)
{
    const rvm_sift_ladder rungs = { .kernel = kernel_at(f, 0),
                                    .linear = t->settings.linear,
                                    .searched = f->searched,
                                    .first = FIRST,
                                    .last = f->last,
                                    .widest = WIDEST,
                                    .narrowest = NARROWEST };
    int best = 0;
    f->sifted_row = rvm_array(rvm_screen_count(t->screen), sizeof *f->sifted_row);
    if (f->sifted_row == NULL)
        return rvm_fail_memory(err, "the kernels");
    const rvm_status status = rvm_sift_search(&best, &f->sifted_loss, f->sifted_row, t->screen,
                                              &rungs, t->settings.interrupted, err);
    f->sifted = status == RVM_OK && isfinite(f->sifted_loss);
    /* Where straight lines would do, wider kernels are as good for all functions together, but no
     * search sees them apart from the constant. */
    best = GSL_MAX(FIRST, best);
    f->sifted_best = best;
    f->certain = best + (shift_of(t, f) < 0 && t->settings.task == RVM_REGRESSION ? 2 : 0);
    if (f->sifted && f->searched)
        f->centre = f->few.best = GSL_MAX(FIRST, GSL_MIN(best + shift_of(t, f), NARROWEST));
    return status;
}

/* A degree or an offset that is clearly behind another one. */
static void drop_families(rvm_tuner *t)
{
    const size_t rows = rvm_screen_count(t->screen);
    double behind, uncertainty;
    for (size_t k = 0; k < t->families; k++)
        for (size_t i = 0; i < t->families; i++) {
            family *f = &t->family[k];
            const family *other = &t->family[i];
            if (f->sifted && other->sifted && f->kernel.type == other->kernel.type &&
                f->sifted_loss > other->sifted_loss &&
                rvm_judge_compare(&behind, &uncertainty, f->sifted_row, other->sifted_row, rows) &&
                behind > out_of_reach * uncertainty)
                f->dropped = true;
        }
}

/* One family more; all of them, and the search begins. */
static rvm_status sift_next(rvm_tuner *t, rvm_error *err)
{
    rvm_status status = RVM_OK;
    if (t->to_sift < t->families) {
        family *f = &t->family[t->to_sift++];
        if (!can_sift(t, f))
            return RVM_OK;
        if (t->screen == NULL)
            status = begin_screen(t, err);
        return status == RVM_OK ? sift_family(t, f, err) : status;
    }
    if (t->screen != NULL)
        drop_families(t);
    end_screen(t);
    t->stage = OUTWARDS;
    while (t->family[t->current].dropped)
        t->current++; /* the best of a type is not */
    return RVM_OK;
}

/* ---- From rung to rung ---------------------------------------------------------------------- */

/* The side of the best rung where its neighbour is tried first: of the first comparison the better
 * one. *both: whether the other side is worth a trial too. It is not where that comparison has the
 * rungs two away on both sides, nor with more rows, for which the best kernel is narrower. */
static int likely_side(bool *both, const rvm_tuner *t, const family *f)
{
    *both = t->stage != MORE_ROWS;
    if (t->stage != CAREFUL)
        return *both ? -1 : 1;
    const double wide = loss_at(&f->few, GSL_MAX(f->now->best - 2, WIDEST)),
                 narrow = loss_at(&f->few, GSL_MIN(f->now->best + 2, NARROWEST));
    *both = !isfinite(wide) || !isfinite(narrow);
    return narrow < wide ? 1 : -1;
}

/* A rung `step` beside the best one that is still to be tried; false when there is none. */
static bool neighbour(int *rung, const rvm_tuner *t, const family *f, int step)
{
    bool both;
    const int side = likely_side(&both, t, f);
    for (int k = 0; k <= (both ? 1 : 0); k++) {
        *rung = f->now->best + (k == 0 ? side : -side) * step;
        if (*rung >= WIDEST && *rung <= NARROWEST && !is_tried(f, *rung))
            return true;
    }
    return false;
}

/* The rung of least loss among those of at least so many draws. */
static int best_rung(const ladder *l, int draws)
{
    int best = l->best;
    double least = INFINITY;
    for (int k = WIDEST; k <= NARROWEST; k++)
        if (l->rung[k - WIDEST].draws >= draws && loss_at(l, k) < least) {
            best = k;
            least = loss_at(l, k);
        }
    return best;
}

/* The best rung of the first comparison and the second best one, unless it is far behind, where
 * they are still to be compared with care; false when there is none. */
static bool contender(int *rung, const family *f)
{
    ladder rest = f->few;
    const double most = clearly_worse * loss_at(&rest, rest.best);
    for (int count = 0; count < 2; count++) {
        *rung = best_rung(&rest, 1);
        if (!is_tried(f, *rung) && (count == 0 || loss_at(&rest, *rung) <= most))
            return true;
        trial_at(&rest, *rung)->draws = 0;
    }
    return false;
}

/* One that has begun and is not clearly worse than the best; false when there is none. */
static bool unfinished(int *rung, const rvm_tuner *t, const family *f)
{
    for (*rung = WIDEST; *rung <= NARROWEST; ++*rung)
        if (is_tried(f, *rung) && trial_at(f->now, *rung)->draws < draws_of(t) &&
            loss_at(f->now, *rung) <= clearly_worse * best_loss(f))
            return true;
    return false;
}

/* Whether narrower kernels than this rung's, which take longest, have nothing to offer. One that is
 * too wide for fine structure sees none of it, and is not much worse than wider ones for that; one
 * that has lost what those see by half is on the way to seeing nothing. */
static bool is_lost(const family *f, int rung)
{
    return rung >= LAST && loss_at(f->now, rung) > perhaps_worse * best_loss(f);
}

/* Of the rungs that are tried in any case; false when there is none left. */
static bool next_outwards(int *rung, const family *f)
{
    for (*rung = FIRST; *rung <= f->last; *rung += 2) {
        if (!is_tried(f, *rung))
            return true;
        if (is_lost(f, *rung))
            return false;
    }
    return false;
}

/* From the first rung past the best one of the screen, since the loss of a flat prior has minima on
 * both sides of it, and on to narrower ones until something has been learnt: fine structure that
 * all functions show together is too much for a machine that begins with none of them. */
static bool next_narrower(int *rung, const family *f)
{
    const int first = f->centre, last = GSL_MIN(f->sifted_best + BEYOND, NARROWEST);
    for (*rung = first; *rung <= last; *rung += 2)
        if (!is_tried(f, *rung))
            return true;
        else if (*rung >= f->certain && f->now->rung[*rung - WIDEST].sure >= least_sure)
            return false;
    return false;
}

/* Of the rungs of the first comparison that are tried in any case. */
static bool next_coarse(int *rung, const family *f)
{
    return f->sifted ? next_narrower(rung, f) : next_outwards(rung, f);
}

/* The next trial of the family in hand; false when the stage is over. */
static bool next_rung(int *rung, const rvm_tuner *t)
{
    const family *f = &t->family[t->current];
    const bool outwards = t->stage == OUTWARDS;
    if (unfinished(rung, t, f) || (t->stage == CAREFUL && contender(rung, f)))
        return true;
    *rung = f->now->best;
    if (!is_tried(f, *rung))
        return true;
    if (!f->searched || t->stage == DONE)
        return false;
    if (outwards && next_coarse(rung, f))
        return true;
    return !(outwards && f->sifted && t->costly) && neighbour(rung, t, f, outwards ? 2 : 1);
}

static void take_best(rvm_tuner *t)
{
    family *f = &t->family[t->current];
    f->now->best = best_rung(f->now, draws_of(t));
}

/* What a family has come to on few rows: with care, as far as that goes. */
static const ladder *verdict(const family *f)
{
    return loss_at(&f->careful, f->careful.best) < INFINITY ? &f->careful : &f->few;
}

static double verdict_loss(const family *f)
{
    const ladder *l = verdict(f);
    return loss_at(l, l->best);
}

/* The family whose kernel has the least loss; the first of equals. */
static size_t best_family(const rvm_tuner *t)
{
    size_t best = 0;
    for (size_t k = 1; k < t->families; k++)
        if (verdict_loss(&t->family[k]) < verdict_loss(&t->family[best]))
            best = k;
    return best;
}

/* Where not even the best kernel has learnt anything for sure, one so wide that all its functions
 * are the constant does no harm: training ends with the bias alone, where narrow ones find a
 * function for each row. */
static void doubt(family *f)
{
    const double careful = trial_at(&f->careful, f->careful.best)->sure;
    if (f->searched && !(careful >= least_sure))
        f->is_constant = true;
}

/* ---- From stage to stage -------------------------------------------------------------------- */

/* On from the best rung of the ladder before. */
static void enter(rvm_tuner *t, family *f, ladder *to, tuner_stage stage)
{
    to->best = f->now->best;
    to->rows = t->sample->rows;
    f->now = to;
    t->stage = stage;
}

/* All families are through: on to more rows with the best one, where there are more. */
static rvm_status end_families(rvm_tuner *t, rvm_error *err)
{
    t->current = best_family(t);
    t->stage = DONE;
    family *f = &t->family[t->current];
    if (!f->searched || f->is_constant || rvm_problem_all(t->p) < 2 * FEW_ROWS)
        return RVM_OK;
    const rvm_status status = draw_sample(t, t->many_rows, err);
    if (status == RVM_OK)
        enter(t, f, &f->many, MORE_ROWS);
    return status;
}

static rvm_status next_stage(rvm_tuner *t, rvm_error *err)
{
    family *f = &t->family[t->current];
    if (t->stage == OUTWARDS) {
        enter(t, f, &f->careful, CAREFUL);
        return RVM_OK;
    }
    if (t->stage == MORE_ROWS) {
        t->stage = DONE;
        return RVM_OK;
    }
    doubt(f);
    t->current++;
    while (t->current < t->families && t->family[t->current].dropped)
        t->current++;
    if (t->current == t->families)
        return end_families(t, err);
    t->stage = OUTWARDS;
    return RVM_OK;
}

/* ---- Life ----------------------------------------------------------------------------------- */

static rvm_status size_samples(rvm_tuner *t, rvm_error *err)
{
    rvm_labels labels = { 0 };
    size_t classes = 0;
    if (t->settings.task == RVM_CLASSIFICATION) {
        const rvm_status status = rvm_labels_find(&labels, t->p, err);
        if (status != RVM_OK)
            return status;
        classes = labels.count;
        rvm_labels_free(&labels);
    }
    t->few_rows = FEW_ROWS;
    t->many_rows = MANY_ROWS;
    t->costly = classes > 2;
    if (t->costly) {
        t->few_rows = GSL_MAX(LEAST_SAMPLE, FEW_IN_ALL / classes);
        t->many_rows = GSL_MAX(t->few_rows, MANY_IN_ALL / classes);
    }
    t->keeps = t->keeps && rvm_problem_all(t->p) <= t->few_rows;
    return RVM_OK;
}

static rvm_status prepare(rvm_tuner *t, rvm_error *err)
{
    rvm_status status = rvm_order_rows(&t->order, t->p, err);
    if (status == RVM_OK)
        status = size_samples(t, err);
    if (status != RVM_OK)
        return status;
    t->rng = gsl_rng_alloc(gsl_rng_taus2);
    if (t->rng == NULL)
        return rvm_fail_memory(err, "random numbers");
    gsl_rng_set(t->rng, t->seed);
    status = make_families(t, err);
    if (status == RVM_OK)
        status = draw_sample(t, t->few_rows, err);
    for (size_t k = 0; k < t->families && status == RVM_OK; k++) {
        family *f = &t->family[k];
        f->few.rows = t->sample->rows;
        const rvm_kernel first = kernel_at(f, 0);
        f->last = f->searched ? rvm_sift_rung_of_spacing(t->sample, &first, LAST, NARROWEST) : LAST;
    }
    if (rvm_problem_all(t->p) < LEAST_ROWS)
        t->stage = DONE;
    return status;
}

/* A solution at each kernel, not a sample, and from gamma, which a search for length-scales begins
 * with. */
static void set_trials(rvm_tuner *t, const rvm_settings *s)
{
    t->settings = *s;
    t->settings.ard = false;
    rvm_settings_make_trial(&t->settings);
    t->open = s->tune;
    if (t->open.type_count == 0)
        t->open.type[t->open.type_count++] = s->kernel.type;
    t->seed = s->seed;
    t->keeps = s->probability && s->task == RVM_CLASSIFICATION;
}

rvm_status rvm_tuner_alloc(rvm_tuner **out, const rvm_problem *p, const rvm_settings *s,
                           rvm_training *train, rvm_error *err)
{
    rvm_tuner *t = rvm_array(1, sizeof *t);
    if (t == NULL)
        return rvm_fail_memory(err, "the choice of a kernel");
    t->p = p;
    t->train = train;
    set_trials(t, s);
    const rvm_status status = prepare(t, err);
    if (status != RVM_OK) {
        rvm_tuner_free(t);
        return status;
    }
    *out = t;
    return RVM_OK;
}

static void free_ladder(ladder *l)
{
    for (int k = 0; k < RUNGS; k++)
        if (l->rung[k].first != NULL) {
            rvm_prediction_free(l->rung[k].first);
            free(l->rung[k].first);
        }
}

static void free_family(family *f)
{
    free_ladder(&f->few);
    free_ladder(&f->careful);
    free_ladder(&f->many);
    free(f->sifted_row);
}

void rvm_tuner_free(rvm_tuner *t)
{
    if (t == NULL)
        return;
    for (size_t k = 0; t->family != NULL && k < t->families; k++)
        free_family(&t->family[k]);
    rvm_prediction_free(&t->prediction);
    rvm_problem_free(t->sample);
    rvm_constant_free(&t->constant);
    end_screen(t);
    gsl_rng_free(t->rng);
    free(t->order);
    free(t->family);
    free(t);
}

rvm_status rvm_tuner_step(bool *done, rvm_tuner *t, rvm_error *err)
{
    rvm_status status = RVM_OK;
    int rung = 0;
    *done = false;
    if (t->stage == SIFT)
        return sift_next(t, err);
    while (t->stage != DONE && status == RVM_OK && !next_rung(&rung, t))
        status = next_stage(t, err);
    *done = t->stage == DONE;
    if (status != RVM_OK || *done)
        return status;
    status = try_rung(t, &t->family[t->current], rung, err);
    if (status == RVM_OK)
        take_best(t);
    return status;
}

/* ---- What has been found -------------------------------------------------------------------- */

static rvm_choice choice(const family *f, const ladder *l, int rung)
{
    const trial *at = &l->rung[rung - WIDEST];
    return (rvm_choice){ .kernel = kernel_at(f, rung),
                         .loss = loss_at(l, rung),
                         .error = at->score.error,
                         .log_loss = at->score.log_loss,
                         .cover = at->score.cover,
                         .rows = at->draws > 0 ? l->rows : 0 };
}

/* The best one, with what it came to on few rows, as all families have. */
static rvm_choice best_choice(const family *f)
{
    const ladder *l = verdict(f);
    rvm_choice best = choice(f, l, l->best);
    best.kernel = kernel_at(f, f->is_constant     ? -CONSTANT
                               : f->now->rows > 0 ? f->now->best
                                                  : l->best);
    if (f->is_constant)
        best.rows = 0;
    return best;
}

rvm_choice rvm_tuner_best(const rvm_tuner *t)
{
    return best_choice(&t->family[t->stage == MORE_ROWS ? t->current : best_family(t)]);
}

const rvm_prediction *rvm_tuner_held_out(const rvm_tuner *t)
{
    const family *f = &t->family[best_family(t)];
    const ladder *l = verdict(f);
    return f->is_constant ? NULL : l->rung[l->best - WIDEST].first;
}

const rvm_problem *rvm_tuner_sample(const rvm_tuner *t)
{
    return t->sample;
}

size_t rvm_tuner_types(const rvm_tuner *t)
{
    return t->open.type_count;
}

rvm_choice rvm_tuner_best_of_type(const rvm_tuner *t, size_t type)
{
    const rvm_kernel_type wanted = t->open.type[type];
    size_t best = t->families;
    for (size_t k = 0; k < t->families; k++)
        if (t->family[k].kernel.type == wanted &&
            (best == t->families || verdict_loss(&t->family[k]) < verdict_loss(&t->family[best])))
            best = k;
    return best_choice(&t->family[best]);
}

/* ---- All trials ----------------------------------------------------------------------------- */

/* The ladder that says most of a rung among few rows. */
static const ladder *few_at(const family *f, int rung)
{
    return f->careful.rung[rung - WIDEST].draws > 0 ? &f->careful : &f->few;
}

/* Trial `number` of a family, with few rows or with many; false when there are fewer, and *number
 * is then how many are still to be counted. */
static bool find_trial(rvm_choice *out, size_t *number, const family *f, bool many)
{
    for (int k = WIDEST; k <= NARROWEST; k++) {
        const ladder *l = many ? &f->many : few_at(f, k);
        if (l->rung[k - WIDEST].draws > 0 && (*number)-- == 0) {
            *out = choice(f, l, k);
            return true;
        }
    }
    return false;
}

static bool find_in_families(rvm_choice *out, size_t *number, const rvm_tuner *t)
{
    for (size_t k = 0; k < t->families; k++)
        if (find_trial(out, number, &t->family[k], false) ||
            find_trial(out, number, &t->family[k], true))
            return true;
    return false;
}

size_t rvm_tuner_tried(const rvm_tuner *t)
{
    size_t left = SIZE_MAX;
    rvm_choice none;
    (void)find_in_families(&none, &left, t);
    return SIZE_MAX - left;
}

rvm_choice rvm_tuner_trial(const rvm_tuner *t, size_t number)
{
    rvm_choice found = { .rows = 0 };
    (void)find_in_families(&found, &number, t);
    return found;
}

/* Cross-validations that a family takes, as a rule. */
static int expected_of(const rvm_tuner *t, const family *f)
{
    const int coarse = f->sifted ? 1 : (f->last - FIRST) / 2 + 1, rungs = 4;
    if (f->dropped)
        return 0;
    return f->searched ? coarse + rungs * careful_draws(t) : careful_draws(t);
}

/* Each with few rows, and with many those around the best rung. */
static int left_of(int *with_many, const rvm_tuner *t)
{
    const int beside = 2;
    int left = 0;
    for (size_t k = t->current; k < t->families && t->stage < MORE_ROWS; k++)
        left += GSL_MAX(!t->family[k].dropped, expected_of(t, &t->family[k]) - t->family[k].drawn);
    *with_many = t->stage == MORE_ROWS                               ? 1
                 : rvm_problem_all(t->p) >= 2 * FEW_ROWS && left > 0 ? beside
                                                                     : 0;
    return left;
}

void rvm_tuner_report(rvm_report *r, const rvm_tuner *t)
{
    int many = 0;
    const int few = left_of(&many, t);
    const double rows = (double)rvm_problem_all(t->p);
    const double work = few * fmin(rows, (double)t->few_rows) * FEW_FOLDS +
                        many * fmin(rows, (double)t->many_rows) * MANY_FOLDS;
    const bool done = t->stage == DONE;
    r->rows = t->sample->rows;
    r->trials = t->tried;
    r->trials_expected = t->tried + (done ? 0 : few + many);
    r->progress = done ? 1 : t->work / (t->work + work);
}
