/* The race of candidates, fold by fold.
 *
 * Evidence cannot choose among kernels by itself: that of a flat prior goes on rising into the collapse
 * where every row is a vector and no noise is left. Rows that training has not seen cannot be fooled
 * that way. They are dear, though; so few candidates run, those that a screen proposes, and each no
 * longer than it may win (Maron and Moore 1997). All have the same folds, so losses are compared
 * row by row, which takes out of the difference that some rows are hard for all.
 *
 * Losses are those of predictions calibrated as the model's will be: a candidate that is only too sure of
 * itself can be mended. The folds are rough ones, with one start that ends where nothing gains half
 * a nat: the losses of all are too high alike, at a third of the time. */
#include "product/race.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "basis/kernel.h"
#include "data/order.h"
#include "data/problem.h"
#include "data/shard.h"
#include "product/calibration.h"
#include "product/judge.h"
#include "product/loss.h"
#include "product/proposals.h"
#include "product/settings.h"
#include "product/sift.h"

enum {
    MOST_ROWS = 1500, /* that folds are made of */
    LEAST_ROWS = 10,  /* below, the first candidate is taken unseen */
    MOST_KERNELS = 2, /* that run: the best of five is third in the screen for .001 nats */
    MOST_RUNNERS = MOST_KERNELS + 1,
    FOLDS = RVM_CALIBRATION_FOLDS,
    WIDE_ROWS = 4000, /* that decide on gamma where there are many, */
    WIDE_FOLDS = 4,   /* of which */
    WIDE_LIMIT = 2,   /* are trained, */
    WIDE_RUNGS = 4,   /* of so many gammas at the most */
    FIRST_LAP = 2 /* folds of a candidate before it can be behind; the second lap is all others */
};

/* Standard errors: beyond so many a candidate of the screen does not run, and one that runs stops; within
 * so many candidates are as good as each other; and what the winner gains on a constant. */
static const double out_of_reach = 1, clearly = 2, as_good = 1, least_sure = 1.5;

/* Nats a row, too, that the sparser one of two may be behind: of few rows the standard error is large. */
static const double most_behind = 0.01;

/* Vectors of a row of training: a flat prior that has more has collapsed. So has any prior whose noise is
 * at its bound in so many folds while it gains less than that (nats a row) on a constant: targets without
 * noise are predicted better. */
static const double most_vectors = 0.5, most_at_bound = 0.5, least_gain = 0.5;

/* gamma, times that of the typical distance, of a kernel that is constant to all digits. */
static const int constant_exponent = -40;

typedef struct {
    rvm_entrant what;
    rvm_crossval *folds; /* owned; NULL before it starts */
    rvm_lap lap;
    bool collapsed;
    size_t judged;  /* folds that loss and info are of; more may be trained after an interrupt */
    double seconds; /* that its folds have taken */
    double *loss;   /* owned: of each row, nan where it is not known */
    rvm_calibration_info info;
} runner;

typedef enum { SCREEN, RUN, WIDE, DONE } race_stage;

struct rvm_race {
    const rvm_problem *p;  /* borrowed */
    rvm_settings settings; /* of the folds: nothing is left open */
    rvm_tuning open;
    rvm_training *train;
    race_stage stage;
    size_t *order;     /* owned, rows of p: canonical */
    rvm_problem *rows; /* owned: of the folds, in that order */
    bool has_all;      /* they are all rows of p */
    rvm_proposals *proposals;
    runner runner[MOST_RUNNERS];
    size_t runners;
    bool flat_has_run;
    double *constant; /* owned: loss of each row without its features */
    /* Many rows: of the winner with gamma times 2^k, the least loss. */
    rvm_problem *wide; /* owned; NULL where there are not that many */
    double wide_least;
    int wide_tried, wide_best;
    double started; /* seconds */
    int laps;       /* steps of runners */
};

/* ---- Losses --------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double constant_row(const rvm_race *r, const rvm_constant *c, size_t n)
{
    const size_t q = r->rows->outputs;
    double loss = 0;
    if (r->settings.task == RVM_CLASSIFICATION) {
        const size_t k = c->labels.of_row[n];
        return -c->weight[k] * log(c->share[k]);
    }
    for (size_t k = 0; k < q; k++)
        if (c->variance[k] > 0)
            loss += 0.5 * log(2 * M_PI * c->variance[k]) +
                    0.5 * gsl_pow_2(r->rows->target[n * q + k] - c->mean[k]) / c->variance[k];
    return loss / (double)q;
}

static rvm_status judge_constant(rvm_race *r, rvm_error *err)
{
    rvm_constant c;
    r->constant = rvm_array(r->rows->rows, sizeof *r->constant);
    if (r->constant == NULL)
        return rvm_fail_memory(err, "the losses");
    const rvm_status status = rvm_constant_find(&c, r->rows, &r->settings, err);
    for (size_t n = 0; n < r->rows->rows && status == RVM_OK; n++)
        r->constant[n] = constant_row(r, &c, n);
    rvm_constant_free(&c);
    return status;
}

/* ---- Runners -------------------------------------------------------------------------------- */

static rvm_settings settings_of(const rvm_race *r, const rvm_entrant *what)
{
    rvm_settings s = r->settings;
    s.kernel = what->kernel;
    s.ard = what->ard;
    s.linear = what->linear;
    s.kernel_prior = what->kernel_prior;
    return s;
}

/* Whether the prior of a process goes together with the kernel, and with what was asked for. */
static bool may_be_process(const rvm_race *r, const rvm_proposal *of)
{
    rvm_settings s = r->settings;
    rvm_error why_not;
    s.kernel = of->kernel;
    s.ard = of->ard;
    s.linear = of->linear;
    s.kernel_prior = true;
    return !(s.weight_prior.shape > 0 || s.weight_prior.rate > 0) &&
           rvm_settings_check(&s, r->p, &why_not) == RVM_OK;
}

/* Whether it begins with the prior of a process. */
static bool is_process(const rvm_race *r, const rvm_proposal *of)
{
    return r->open.prior ? may_be_process(r, of) : r->settings.kernel_prior;
}

/* Length-scales are as they are. */
static rvm_kernel shifted(const rvm_race *r, const rvm_entrant *what, int shift)
{
    rvm_kernel kernel = what->kernel;
    if (r->open.gamma && !what->ard)
        kernel.gamma = ldexp(kernel.gamma, shift);
    return kernel;
}

static int shift_of(const rvm_race *r, const rvm_entrant *what)
{
    return rvm_sift_shift(r->settings.task, what->kernel.type, what->kernel_prior);
}

static rvm_entrant entrant_of(const rvm_race *r, const rvm_proposal *of, bool kernel_prior)
{
    rvm_entrant what = {
        .kernel = of->kernel, .ard = of->ard, .linear = of->linear, .kernel_prior = kernel_prior
    };
    what.kernel = shifted(r, &what, shift_of(r, &what));
    return what;
}

static rvm_status add_runner(rvm_race *r, rvm_entrant what, rvm_error *err)
{
    runner *to = &r->runner[r->runners];
    to->what = what;
    to->lap = RVM_RUNNING;
    to->loss = rvm_array(r->rows->rows, sizeof *to->loss);
    if (to->loss == NULL)
        return rvm_fail_memory(err, "the losses");
    for (size_t n = 0; n < r->rows->rows; n++)
        to->loss[n] = NAN;
    r->runners++;
    return RVM_OK;
}

static bool is_in_reach(const rvm_proposal *of, const rvm_proposal *best)
{
    double behind, uncertainty;
    return rvm_judge_compare(&behind, &uncertainty, of->row_loss, best->row_loss, best->rows) &&
           behind <= out_of_reach * uncertainty;
}

/* The first one that is not in doubt. */
static rvm_proposal best_proposal(const rvm_race *r)
{
    size_t k = 0;
    while (k + 1 < rvm_proposals_count(r->proposals) && rvm_proposals_get(r->proposals, k).doubtful)
        k++;
    return rvm_proposals_get(r->proposals, k);
}

/* Each kernel in reach: with the process's prior, where that is open and possible. */
static rvm_status choose_runners(rvm_race *r, rvm_error *err)
{
    const rvm_proposal best = best_proposal(r);
    rvm_status status = RVM_OK;
    const size_t count = rvm_proposals_count(r->proposals);
    /* Length-scales that were asked for have no single width beside them to be judged by. */
    const bool unseen = !isfinite(best.loss);
    r->stage = r->rows->rows < LEAST_ROWS ? DONE : RUN;
    for (size_t k = 0; k < count && r->runners < MOST_KERNELS && status == RVM_OK; k++) {
        const rvm_proposal of = rvm_proposals_get(r->proposals, k);
        if (count == 1 || unseen || (!of.doubtful && isfinite(of.loss) && is_in_reach(&of, &best)))
            status = add_runner(r, entrant_of(r, &of, is_process(r, &of)), err);
    }
    if (r->runners == 0)
        r->stage = DONE;
    return status;
}

static size_t laps_of(const runner *of)
{
    return of->folds == NULL ? 0 : rvm_crossval_finished(of->folds);
}

/* The one with the fewest folds among those that run; r->runners where none does. Laps do not
 * depend on the number of threads, as the folds of a step would. */
static size_t next_runner(const rvm_race *r)
{
    size_t next = r->runners;
    for (size_t k = 0; k < r->runners; k++) {
        const runner *of = &r->runner[k];
        if (of->lap == RVM_RUNNING && laps_of(of) > of->judged)
            return k; /* within a lap */
        if (of->lap == RVM_RUNNING &&
            (next == r->runners || laps_of(of) < laps_of(&r->runner[next])))
            next = k;
    }
    return next;
}

/* Their losses so far: less is better, and a collapse is the worst. One that has stopped was behind
 * another one on the rows of its folds, which may have been easier than those to come. */
static bool is_better(const runner *a, const runner *b)
{
    if (a->judged == 0 || b->judged == 0)
        return a->judged > b->judged;
    if (a->collapsed != b->collapsed)
        return b->collapsed;
    if ((a->lap == RVM_STOPPED) != (b->lap == RVM_STOPPED))
        return b->lap == RVM_STOPPED;
    return a->info.loss < b->info.loss;
}

/* The same on the rows that both have predicted. */
static bool is_ahead(const runner *a, const runner *b, size_t rows)
{
    double behind, uncertainty;
    const bool alike = a->judged > 0 && b->judged > 0 && a->collapsed == b->collapsed &&
                       (a->lap == RVM_STOPPED) == (b->lap == RVM_STOPPED);
    return alike && rvm_judge_compare(&behind, &uncertainty, a->loss, b->loss, rows)
               ? behind < 0
               : is_better(a, b);
}

static const runner *leader(const rvm_race *r)
{
    const runner *best = &r->runner[0];
    for (size_t k = 1; k < r->runners; k++)
        if (is_ahead(&r->runner[k], best, r->rows->rows))
            best = &r->runner[k];
    return best;
}

static void stop_those_behind(rvm_race *r)
{
    const runner *first = leader(r);
    double behind, uncertainty;
    for (size_t k = 0; k < r->runners; k++) {
        runner *of = &r->runner[k];
        if (of != first && of->lap == RVM_RUNNING && of->judged > 0 && first->judged > 0 &&
            (of->collapsed ||
             (rvm_judge_compare(&behind, &uncertainty, of->loss, first->loss, r->rows->rows) &&
              behind > clearly * uncertainty)))
            of->lap = RVM_STOPPED;
    }
}

static rvm_status start(rvm_race *r, runner *of, rvm_error *err)
{
    const rvm_settings s = settings_of(r, &of->what);
    return rvm_crossval_alloc(&of->folds, r->rows, &s, FOLDS, r->train, true, err);
}

/* Rows that differ: copies have a vector in common. */
static size_t count_different(const rvm_problem *p)
{
    size_t count = p->rows > 0;
    for (size_t n = 1; n < p->rows; n++)
        count += !rvm_order_same(p, n - 1, n);
    return count;
}

/* By the folds so far, each row is explained by itself. */
static bool is_collapse(const rvm_race *r, const runner *of)
{
    const double trained = (double)(FOLDS - 1) / FOLDS;
    const bool at_bound = rvm_crossval_at_bound(of->folds) > most_at_bound;
    const size_t rows = at_bound ? count_different(r->rows) : r->rows->rows;
    double gain, uncertainty;
    if (!of->what.kernel_prior &&
        rvm_crossval_vectors(of->folds) > most_vectors * trained * (double)rows)
        return true;
    return at_bound &&
           rvm_judge_compare(&gain, &uncertainty, r->constant, of->loss, r->rows->rows) &&
           gain < least_gain;
}

static rvm_status judge(rvm_race *r, runner *of, bool done, rvm_error *err)
{
    const rvm_settings s = settings_of(r, &of->what);
    const rvm_status status = rvm_judge_folds(&of->info, of->loss, of->folds, r->rows, &s, err);
    of->collapsed = status == RVM_OK && is_collapse(r, of);
    of->judged = laps_of(of);
    if (done)
        of->lap = RVM_FINISHED;
    return status;
}

/* Some folds of the lap of a candidate, which is judged at its end; one whose training fails is out. */
static rvm_status run(rvm_race *r, runner *of, rvm_error *err)
{
    bool done = false;
    const double before = seconds_now();
    rvm_status status = of->folds == NULL ? start(r, of, err) : RVM_OK;
    if (status == RVM_OK)
        rvm_crossval_limit(of->folds, laps_of(of) < FIRST_LAP ? FIRST_LAP : FOLDS);
    if (status == RVM_OK)
        status = rvm_crossval_step(&done, of->folds, err);
    r->laps++;
    of->seconds += seconds_now() - before;
    if (status == RVM_ENUMERIC) {
        of->lap = RVM_STOPPED;
        of->collapsed = true;
        return RVM_OK;
    }
    if (status == RVM_OK && done)
        status = judge(r, of, laps_of(of) == FOLDS, err);
    if (status == RVM_OK)
        stop_those_behind(r);
    return status;
}

/* ---- The winner ----------------------------------------------------------------------------- */

/* The sparsest of those that are as good as the best, as far as is known. */
static const runner *winner(const rvm_race *r)
{
    const runner *first = leader(r), *best = first;
    double behind, uncertainty;
    for (size_t k = 0; k < r->runners; k++) {
        const runner *of = &r->runner[k];
        if (of == first || of->lap == RVM_STOPPED || of->collapsed || of->judged == 0 ||
            !rvm_judge_compare(&behind, &uncertainty, of->loss, first->loss, r->rows->rows))
            continue;
        if (behind <= fmin(as_good * uncertainty, most_behind) &&
            rvm_crossval_vectors(of->folds) < rvm_crossval_vectors(best->folds))
            best = of;
    }
    return best;
}

bool rvm_race_has_learned(const rvm_race *r)
{
    double gain, uncertainty;
    const runner *best = r->runners > 0 ? winner(r) : NULL;
    return best == NULL || best->judged == 0 ||
           !rvm_judge_compare(&gain, &uncertainty, r->constant, best->loss, r->rows->rows) ||
           gain > least_sure * uncertainty;
}

double rvm_race_gain(double *uncertainty, const rvm_race *r)
{
    double gain = 0;
    *uncertainty = 0;
    if (r->runners > 0)
        (void)rvm_judge_compare(&gain, uncertainty, r->constant, winner(r)->loss, r->rows->rows);
    return gain;
}

/* ---- Many rows ------------------------------------------------------------------------------ */

/* The best kernel grows narrower the more rows there are; the process of a regression finds that out by
 * itself, and length-scales are learned from the rows of training. */
static bool has_narrower(const rvm_race *r, const rvm_entrant *what)
{
    const bool moves = what->kernel_prior && r->settings.task == RVM_REGRESSION;
    return rvm_problem_all(r->p) >= 2 * MOST_ROWS && r->open.gamma && !what->ard && !moves &&
           rvm_kernel_decays(what->kernel.type) && rvm_race_has_learned(r);
}

static rvm_kernel narrower(const rvm_race *r, int times)
{
    rvm_kernel kernel = winner(r)->what.kernel;
    kernel.gamma = ldexp(kernel.gamma, times);
    return kernel;
}

static rvm_status draw_rows(rvm_problem **out, const rvm_race *r, size_t most, rvm_error *err);

/* The next gamma; the last one was it when it was not better than the one before. */
static rvm_status run_wide(rvm_race *r, rvm_error *err)
{
    rvm_settings s = settings_of(r, &winner(r)->what);
    rvm_crossval *folds = NULL;
    rvm_calibration_info info = { .rows = 0 };
    bool done = false;
    rvm_status status = r->wide == NULL ? draw_rows(&r->wide, r, WIDE_ROWS, err) : RVM_OK;
    double *loss = status == RVM_OK ? rvm_array(r->wide->rows, sizeof *loss) : NULL;
    s.kernel = narrower(r, r->wide_tried);
    if (status == RVM_OK && loss == NULL)
        status = rvm_fail_memory(err, "the losses");
    if (status == RVM_OK)
        status = rvm_crossval_alloc(&folds, r->wide, &s, WIDE_FOLDS, r->train, true, err);
    if (status == RVM_OK)
        rvm_crossval_limit(folds, WIDE_LIMIT);
    while (status == RVM_OK && !done && !rvm_interrupted(r->settings.interrupted))
        status = rvm_crossval_step(&done, folds, err);
    if (status == RVM_OK && done)
        status = rvm_judge_folds(&info, loss, folds, r->wide, &s, err);
    rvm_crossval_free(folds);
    free(loss);
    if (status == RVM_OK && !done)
        return RVM_OK;
    const double loss_there = status == RVM_OK ? info.loss : INFINITY;
    const bool better = r->wide_tried == 0 || loss_there < r->wide_least;
    if (better) {
        r->wide_least = loss_there;
        r->wide_best = r->wide_tried;
    }
    r->wide_tried++;
    if (!better || r->wide_tried == WIDE_RUNGS)
        r->stage = DONE;
    return status == RVM_ENUMERIC ? RVM_OK : status;
}

/* A kernel with which training can only end with a constant. */
static rvm_entrant constant_entrant(const rvm_race *r)
{
    rvm_entrant c = { .kernel = { .type = RVM_RBF } };
    const rvm_entrant what = winner(r)->what;
    c.kernel.gamma = ldexp(what.kernel.gamma > 0 ? what.kernel.gamma : 1, constant_exponent);
    return c;
}

void rvm_race_apply(rvm_settings *s, const rvm_race *r)
{
    rvm_entrant what;
    if (r->runners > 0) {
        what = rvm_race_has_learned(r) ? winner(r)->what : constant_entrant(r);
        if (r->wide_best > 0)
            what.kernel = narrower(r, r->wide_best);
    } else {
        const rvm_proposal of = rvm_proposals_get(r->proposals, 0);
        what = entrant_of(r, &of, is_process(r, &of));
    }
    s->kernel = what.kernel;
    s->ard = what.ard;
    s->linear = what.linear;
    s->kernel_prior = what.kernel_prior;
    s->tune = (rvm_tuning){ .gamma = false };
}

/* ---- Steps ---------------------------------------------------------------------------------- */

/* What training on all rows will take, from the folds so far: the model, whose search has more starts than
 * that of a fold where its loss is the better for it, and the folds of its calibration, which are there
 * already for the kernel prior, of all rows. */
static double seconds_to_come(const rvm_race *r)
{
    enum { STARTS = 5 };
    const runner *best = r->runners > 0 ? winner(r) : NULL;
    if (best == NULL || laps_of(best) == 0)
        return 0;
    const bool quick = best->what.kernel_prior && r->settings.task == RVM_CLASSIFICATION;
    const double rows = (double)rvm_problem_all(r->p);
    const double trained = (double)r->rows->rows * (FOLDS - 1) / FOLDS;
    const bool process = best->what.kernel_prior;
    const double folds =
        (double)rvm_calibration_folds(rvm_problem_all(r->p), rvm_problem_all(r->p) / 2) *
        (FOLDS - 1) / FOLDS;
    const double trainings =
        (quick ? 1 : STARTS) + (process && r->has_all ? 0 : folds * (process ? 1 : STARTS));
    return best->seconds / (double)laps_of(best) * rows / trained * trainings;
}

static bool is_time_over(const rvm_race *r)
{
    return r->open.seconds > 0 && seconds_now() - r->started + seconds_to_come(r) > r->open.seconds;
}

/* All have ended: the flat prior has a try with the best kernel, which may need fewer vectors; then many
 * rows have their say on gamma. */
static rvm_status next_heat(rvm_race *r, rvm_error *err)
{
    const runner *best = winner(r);
    rvm_entrant what = best->what;
    if (r->open.prior && what.kernel_prior && !r->flat_has_run) {
        r->flat_has_run = true;
        const int before = shift_of(r, &what);
        what.kernel_prior = false;
        what.kernel = shifted(r, &what, shift_of(r, &what) - before);
        return add_runner(r, what, err);
    }
    r->stage = has_narrower(r, &what) ? WIDE : DONE;
    return RVM_OK;
}

rvm_status rvm_race_step(bool *done, rvm_race *r, rvm_error *err)
{
    bool over = false;
    rvm_status status = RVM_OK;
    const size_t next = next_runner(r);
    if (r->stage == SCREEN) {
        status = rvm_proposals_step(&over, r->proposals, err);
        if (status == RVM_OK && (over || is_time_over(r)))
            status = choose_runners(r, err);
    } else if (is_time_over(r)) {
        r->stage = DONE;
    } else if (r->stage == RUN) {
        status = next < r->runners ? run(r, &r->runner[next], err) : next_heat(r, err);
    } else if (r->stage == WIDE) {
        status = run_wide(r, err);
    }
    *done = r->stage == DONE;
    return status;
}

size_t rvm_race_affordable_folds(const rvm_race *r)
{
    const runner *best = r->runners > 0 ? winner(r) : NULL;
    const double left = r->open.seconds - (seconds_now() - r->started);
    if (!(r->open.seconds > 0))
        return SIZE_MAX;
    if (best == NULL || laps_of(best) == 0 || left <= 0)
        return 0;
    const double more = (double)rvm_problem_all(r->p) / (double)r->rows->rows;
    return (size_t)fmin(left / (more * best->seconds / (double)laps_of(best)), FOLDS);
}

const rvm_crossval *rvm_race_folds(const rvm_problem **rows, const rvm_race *r)
{
    const runner *best = r->runners > 0 ? winner(r) : NULL;
    const size_t least = r->open.seconds > 0 ? FIRST_LAP : FOLDS;
    if (best == NULL || best->judged < least || !r->has_all || !rvm_race_has_learned(r))
        return NULL;
    *rows = r->rows;
    return best->folds;
}

void rvm_race_report(rvm_report *report, const rvm_race *r)
{
    int steps, expected;
    size_t laps = 0, all = 0;
    rvm_proposals_progress(&steps, &expected, r->proposals);
    for (size_t k = 0; k < r->runners; k++) {
        laps += laps_of(&r->runner[k]);
        all += r->runner[k].lap == RVM_RUNNING ? FOLDS : laps_of(&r->runner[k]);
    }
    const double share = 0.2; /* of the screen */
    report->rows = r->rows->rows;
    report->trials = steps + r->laps;
    report->trials_expected =
        expected + (r->stage == SCREEN ? 2 * FOLDS : (int)(all - laps) + r->laps);
    report->progress = r->stage == DONE ? 1
                       : r->stage == SCREEN
                           ? share * steps / (double)expected
                           : share + (1 - share) * (double)laps / (double)(all + 1);
}

/* ---- Life ----------------------------------------------------------------------------------- */

/* At most so many rows, in canonical order. */
static rvm_status draw_rows(rvm_problem **out, const rvm_race *r, size_t most, rvm_error *err)
{
    const size_t N = rvm_problem_all(r->p), rows = GSL_MIN(N, most);
    size_t *row = NULL;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (rng == NULL)
        return rvm_fail_memory(err, "random numbers");
    gsl_rng_set(rng, r->settings.seed);
    rvm_status status = rvm_order_sample(&row, rows, N, rng, err);
    gsl_rng_free(rng);
    if (status == RVM_OK)
        status = rvm_shard_pick(out, r->p, r->order, row, rows, err);
    free(row);
    return status;
}

static rvm_status prepare(rvm_race *r, const rvm_settings *s, rvm_error *err)
{
    rvm_status status = rvm_order_rows(&r->order, r->p, err);
    if (status == RVM_OK)
        status = draw_rows(&r->rows, r, MOST_ROWS, err);
    if (status == RVM_OK)
        status = judge_constant(r, err);
    r->has_all = rvm_problem_all(r->p) <= MOST_ROWS;
    rvm_settings of_screen = r->settings;
    of_screen.tune = s->tune;
    if (status == RVM_OK)
        status = rvm_proposals_alloc(&r->proposals, r->p, r->order, &of_screen, r->train, err);
    return status;
}

/* Rough, and a solution rather than a sample. */
static void set_folds(rvm_race *r, const rvm_settings *s)
{
    r->settings = *s;
    rvm_settings_make_trial(&r->settings);
}

rvm_status rvm_race_alloc(rvm_race **out, const rvm_problem *p, const rvm_settings *s,
                          rvm_training *train, rvm_error *err)
{
    rvm_race *r = rvm_array(1, sizeof *r);
    if (r == NULL)
        return rvm_fail_memory(err, "the race");
    r->p = p;
    r->train = train;
    r->open = s->tune;
    r->open.prior = s->tune.prior && s->method != RVM_METHOD_GIBBS; /* which draws from flat ones */
    r->started = seconds_now();
    set_folds(r, s);
    const rvm_status status = prepare(r, s, err);
    if (status != RVM_OK) {
        rvm_race_free(r);
        return status;
    }
    *out = r;
    return RVM_OK;
}

void rvm_race_free(rvm_race *r)
{
    if (r == NULL)
        return;
    for (size_t k = 0; k < r->runners; k++) {
        rvm_crossval_free(r->runner[k].folds);
        free(r->runner[k].loss);
    }
    rvm_proposals_free(r->proposals);
    rvm_problem_free(r->rows);
    rvm_problem_free(r->wide);
    free(r->order);
    free(r->constant);
    free(r);
}

/* ---- What there is to tell ------------------------------------------------------------------ */

/* Number of the runner of rank `number`, by loss. */
static size_t runner_at(const rvm_race *r, size_t number)
{
    for (size_t k = 0; k < r->runners; k++) {
        size_t before = 0;
        for (size_t i = 0; i < r->runners; i++)
            before += is_better(&r->runner[i], &r->runner[k]) ||
                      (i < k && !is_better(&r->runner[k], &r->runner[i]));
        if (before == number)
            return k;
    }
    return 0;
}

/* Whether a runner has the kernel of a proposal; their gammas differ. */
static bool has_run(const rvm_race *r, const rvm_proposal *of)
{
    for (size_t k = 0; k < r->runners; k++) {
        const rvm_entrant *what = &r->runner[k].what;
        if (what->kernel.type == of->kernel.type && what->kernel.degree == of->kernel.degree &&
            what->ard == of->ard && what->linear == of->linear)
            return true;
    }
    return false;
}

size_t rvm_race_contenders(const rvm_race *r)
{
    size_t count = r->runners;
    for (size_t k = 0; k < rvm_proposals_count(r->proposals); k++) {
        const rvm_proposal of = rvm_proposals_get(r->proposals, k);
        count += isfinite(of.loss) && !has_run(r, &of);
    }
    return count;
}

static rvm_contender describe_runner(const rvm_race *r, const runner *of)
{
    rvm_contender c = { .what = of->what, .lap = of->lap, .collapsed = of->collapsed };
    c.loss = of->info.loss;
    c.error = of->info.error;
    c.rows = of->info.rows;
    c.vectors = of->folds == NULL ? 0 : rvm_crossval_vectors(of->folds);
    (void)rvm_judge_compare(&c.behind, &c.uncertainty, of->loss, winner(r)->loss, r->rows->rows);
    return c;
}

static rvm_contender describe_proposal(const rvm_race *r, const rvm_proposal *of)
{
    const rvm_proposal best = rvm_proposals_get(r->proposals, 0);
    rvm_contender c = { .lap = RVM_SCREENED, .loss = of->loss, .rows = of->rows };
    c.what = (rvm_entrant){ .kernel = of->kernel, .ard = of->ard, .linear = of->linear };
    (void)rvm_judge_compare(&c.behind, &c.uncertainty, of->row_loss, best.row_loss, of->rows);
    return c;
}

rvm_contender rvm_race_contender(const rvm_race *r, size_t number)
{
    if (number < r->runners)
        return describe_runner(r, &r->runner[runner_at(r, number)]);
    size_t left = number - r->runners;
    for (size_t k = 0; k < rvm_proposals_count(r->proposals); k++) {
        const rvm_proposal of = rvm_proposals_get(r->proposals, k);
        if (isfinite(of.loss) && !has_run(r, &of) && left-- == 0)
            return describe_proposal(r, &of);
    }
    return (rvm_contender){ .rows = 0 };
}

size_t rvm_race_winner(const rvm_race *r)
{
    size_t number = 0;
    while (r->runners > 0 && number + 1 < r->runners &&
           &r->runner[runner_at(r, number)] != winner(r))
        number++;
    return number;
}

/* By the folds so far, where there is no bound. */
static double seconds_left(const rvm_race *r)
{
    double seconds = 0, done = 0, left = 0;
    if (r->open.seconds > 0)
        return fmax(r->open.seconds - (seconds_now() - r->started), 0);
    for (size_t k = 0; k < r->runners; k++) {
        const runner *of = &r->runner[k];
        seconds += of->seconds;
        done += (double)laps_of(of);
        left += of->lap == RVM_RUNNING ? FOLDS - (double)laps_of(of) : 0;
    }
    left += r->open.prior && !r->flat_has_run ? FOLDS : 0;
    return done > 0 ? left * seconds / done + seconds_to_come(r) : 0;
}

rvm_race_state rvm_race_now(const rvm_race *r)
{
    const size_t number = next_runner(r);
    const runner *next = number < r->runners ? &r->runner[number] : NULL;
    rvm_race_state now = { .screening = r->stage == SCREEN, .seconds_left = seconds_left(r) };
    if (now.screening) {
        const rvm_proposal of = rvm_proposals_current(r->proposals);
        now.what = (rvm_entrant){ .kernel = of.kernel,
                                  .ard = of.ard,
                                  .linear = of.linear,
                                  .kernel_prior = is_process(r, &of) };
    } else if (r->runners > 0) {
        now.what = next != NULL ? next->what : winner(r)->what;
    }
    if (next != NULL) {
        now.first = laps_of(next) + 1;
        now.last = laps_of(next) < FIRST_LAP ? FIRST_LAP : FOLDS;
        now.folds = FOLDS;
    }
    return now;
}
