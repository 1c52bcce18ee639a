/* Level 5: the choice of a kernel by cross-validation.
 *
 * Evidence cannot choose a width by itself: it goes on rising into the collapse where every row is
 * a vector and no noise is left, since each function has a precision of its own that was maximised.
 * The loss on rows that training has not seen cannot be fooled that way.
 *
 * Each family of kernels (a type, with a degree and an offset where it has them) has at most one
 * number to be found, the width. It is searched on a ladder of powers of two around the typical
 * distance between two rows: first every second rung of the middle part, and beyond its ends while
 * the loss falls, then the rungs beside the best one. Of many rows a random sample stands for all;
 * since the best kernel grows narrower the more rows there are, the search then goes on from there
 * with more. */
#include <gsl/gsl_math.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "basis.h"
#include "error.h"
#include "kernel.h"
#include "loss.h"
#include "problem.h"
#include "settings.h"

enum {
    FEW_ROWS = 1500,  /* that the ladder is searched with, */
    MANY_ROWS = 8000, /* and those that decide between the rungs around the best one */
    LEAST_ROWS = 5,   /* below, the middle rung is taken unseen */
    FEW_FOLDS = 5,
    MANY_FOLDS = 3,
    DRAWN_ROWS = 1000, /* rows times draws of the folds, about, */
    MOST_DRAWS = 4,
    PAIRS = 1000, /* of rows, whose median distance is the typical one */
    MIDDLE = -2,  /* rung that is as good as any; rung 0 is gamma = 1 / typical distance */
    FIRST = -6,   /* rungs that are tried in any case, every second one, since the loss may have */
    LAST = 2,     /* more than one minimum */
    WIDEST = -14, /* the ends of the ladder */
    NARROWEST = 10,
    CONSTANT = 40, /* rungs farther down no digit tells a function from the constant */
    RUNGS = NARROWEST - WIDEST + 1
};

/* Standard errors that a kernel has to be better than a constant by. */
static const double least_sure = 1;

/* Of the best loss: a kernel beyond it is out of the race. */
static const double clearly_worse = 1.25;

/* Kernels that differ in gamma alone. */
typedef struct {
    rvm_kernel kernel;
    bool searched;      /* gamma is */
    double gamma;       /* of rung 0 */
    bool is_constant;   /* nothing was learnt with any gamma */
    double loss[RUNGS]; /* of each rung; nan: not tried */
    int best;           /* rung of the least loss; the wider one of equals */
    double least;       /* the loss there; of few rows, once there are more */
    double sure;        /* what it gains on a constant, in standard errors */
} family;

typedef enum { OUTWARDS, AROUND, MORE_ROWS, DONE } tuner_stage;

struct rvm_tuner {
    const rvm_problem *p; /* borrowed */
    rvm_settings settings;
    size_t *order;         /* owned, rows of p: canonical, so that the choice does not depend on the
                            order of the file */
    rvm_problem *sample;   /* owned: the rows of a trial */
    rvm_constant constant; /* what a model of the sample has to beat */
    family *family;        /* owned */
    size_t families, current;
    tuner_stage stage;
    gsl_rng *rng;              /* owned */
    rvm_prediction prediction; /* scratch */
    int trials;
};

/* ---- The typical distance ------------------------------------------------------------------- */

/* One feature of two rows, combined as the kernel does. */
static double combined(rvm_kernel_type type, double x, double z)
{
    if (type == RVM_RBF)
        return gsl_pow_2(x - z);
    return type == RVM_LAPLACIAN ? fabs(x - z) : x * z;
}

static double combined_rows(rvm_kernel_type type, const rvm_problem *p, size_t i, size_t j)
{
    size_t k = p->start[i], l = p->start[j];
    double sum = 0;
    while (k < p->start[i + 1] || l < p->start[j + 1]) {
        const bool in_i =
            k < p->start[i + 1] && (l == p->start[j + 1] || p->index[k] <= p->index[l]);
        const bool in_j =
            l < p->start[j + 1] && (k == p->start[i + 1] || p->index[l] <= p->index[k]);
        sum += combined(type, in_i ? p->value[k] : 0, in_j ? p->value[l] : 0);
        k += in_i;
        l += in_j;
    }
    return fabs(sum);
}

/* The median over random pairs of rows that differ; 1 where there are none. */
static double typical(rvm_kernel_type type, const rvm_tuner *t)
{
    const size_t rows = t->p->rows;
    double size[PAIRS];
    size_t count = 0;
    for (int k = 0; k < PAIRS; k++) {
        const size_t i = t->order[gsl_rng_uniform_int(t->rng, rows)];
        const size_t j = t->order[gsl_rng_uniform_int(t->rng, rows)];
        const double d = combined_rows(type, t->p, i, j);
        if (d > 0 && isfinite(d))
            size[count++] = d;
    }
    return count > 0 ? gsl_stats_median(size, 1, count) : 1;
}

/* ---- Families ------------------------------------------------------------------------------- */

static void add_family(rvm_tuner *t, rvm_kernel kernel)
{
    const unsigned uses = rvm_kernel_uses(kernel.type);
    family *f = &t->family[t->families++];
    *f = (family){ .kernel = kernel, .gamma = kernel.gamma };
    if ((uses & RVM_USES_GAMMA) && t->settings.tune.gamma) {
        f->gamma = 1 / typical(kernel.type, t);
        /* Without an offset the gamma of a power is a factor of the kernel,
         * which changes nothing. */
        f->searched = !(kernel.type == RVM_POLYNOMIAL && kernel.coef0 == 0);
    }
    for (int k = 0; k < RUNGS; k++)
        f->loss[k] = NAN;
    f->best = f->searched ? MIDDLE : 0;
    f->least = INFINITY;
}

/* All families of a type of kernel. */
static void add_families(rvm_tuner *t, rvm_kernel_type type)
{
    static const int degrees[] = { 2, 3, 4 };
    static const double offsets[] = { 0, 1 };
    const rvm_tuning *tune = &t->settings.tune;
    const unsigned uses = rvm_kernel_uses(type);
    const size_t some_degrees = tune->degree && (uses & RVM_USES_DEGREE) ? 3 : 1;
    const size_t some_offsets = tune->coef0 && (uses & RVM_USES_COEF0) ? 2 : 1;
    for (size_t d = 0; d < some_degrees; d++)
        for (size_t r = 0; r < some_offsets; r++) {
            rvm_kernel kernel = rvm_settings_kernel(&t->settings, t->p);
            kernel.type = type;
            if (some_degrees > 1)
                kernel.degree = degrees[d];
            if (some_offsets > 1)
                kernel.coef0 = offsets[r];
            add_family(t, kernel);
        }
}

static rvm_status make_families(rvm_tuner *t, rvm_error *err)
{
    enum { MOST_FAMILIES = 6 }; /* degrees times offsets */
    const rvm_settings *s = &t->settings;
    const size_t types = s->tune.type_count > 0 ? s->tune.type_count : 1;
    t->family = rvm_array(types * MOST_FAMILIES, sizeof *t->family);
    if (t->family == NULL)
        return rvm_fail_memory(err, "the kernels");
    for (size_t k = 0; k < types; k++)
        add_families(t, s->tune.type_count > 0 ? s->tune.type[k] : s->kernel.type);
    return RVM_OK;
}

/* ---- Rows of the trials --------------------------------------------------------------------- */

/* At most so many rows, drawn at random, in canonical order. */
static rvm_status draw_sample(rvm_tuner *t, size_t most, rvm_error *err)
{
    const size_t N = t->p->rows, rows = GSL_MIN(N, most);
    size_t *row = rvm_array(rows, sizeof *row), count = 0;
    if (row == NULL)
        return rvm_fail_memory(err, "a sample of the rows");
    for (size_t n = 0; n < N && count < rows; n++) /* selection sampling */
        if ((double)(N - n) * gsl_rng_uniform(t->rng) < (double)(rows - count))
            row[count++] = t->order[n];
    rvm_problem_free(t->sample);
    rvm_constant_free(&t->constant);
    t->sample = rvm_problem_subset(t->p, row, count);
    free(row);
    if (t->sample == NULL)
        return rvm_fail_memory(err, "a sample of the rows");
    return rvm_constant_find(&t->constant, t->sample, &t->settings, err);
}

/* ---- Trials --------------------------------------------------------------------------------- */

static rvm_kernel kernel_at(const family *f, int rung)
{
    rvm_kernel kernel = f->kernel;
    kernel.gamma = f->searched ? ldexp(f->gamma, f->is_constant ? -CONSTANT : rung) : f->gamma;
    return kernel;
}

static bool is_tried(const family *f, int rung)
{
    return !isnan(f->loss[rung - WIDEST]);
}

static double best_loss(const family *f)
{
    return f->loss[f->best - WIDEST];
}

/* One cross-validation: *loss nan when interrupted, infinite when something leaves the range of
 * numbers. */
static rvm_status cross_validate(double *loss, double *sure, rvm_tuner *t, const rvm_settings *s,
                                 const volatile int *interrupted, rvm_error *err)
{
    const size_t folds = t->stage == MORE_ROWS ? MANY_FOLDS : FEW_FOLDS;
    bool finished = false;
    const rvm_status status =
        rvm_cross_validate(&t->prediction, &finished, t->sample, s, folds, interrupted, err);
    *sure = 0;
    *loss = status == RVM_ENUMERIC ? INFINITY : NAN;
    if (status == RVM_OK && finished)
        *loss = rvm_loss(sure, &t->prediction, t->sample, &t->constant, &t->settings);
    return status == RVM_ENUMERIC ? RVM_OK : status;
}

/* One trial. How folds are drawn moves the loss of few rows by more than a rung does, so that is
 * averaged over several draws, the same ones in each trial; one is enough for a kernel that is
 * clearly worse than one with the loss `best` (which may be nan). */
static rvm_status try_kernel(double *loss, double *sure, rvm_tuner *t, rvm_kernel kernel,
                             double best, const volatile int *interrupted, rvm_error *err)
{
    const size_t draws = GSL_MIN(MOST_DRAWS, 1 + DRAWN_ROWS / t->sample->rows);
    rvm_settings s = t->settings;
    rvm_status status = RVM_OK;
    s.kernel = kernel;
    s.tune = (rvm_tuning){ .gamma = false };
    s.restarts = 1;
    s.ard = false; /* it starts from the width that is chosen here */
    *loss = *sure = 0;
    for (size_t k = 0; k < draws && status == RVM_OK; k++) {
        double value = NAN, gain = 0;
        s.seed = t->settings.seed + k;
        status = cross_validate(&value, &gain, t, &s, interrupted, err);
        *loss += (value - *loss) / (double)(k + 1); /* the mean so far */
        *sure += (gain - *sure) / (double)(k + 1);
        if (!isfinite(*loss) || *loss > clearly_worse * best)
            break;
    }
    return status;
}

/* A rung `step` beside the best one that is still to be tried; false when there is none. */
static bool neighbour(int *rung, const family *f, int step)
{
    for (int side = -1; side <= 1; side += 2) {
        *rung = f->best + side * step;
        if (*rung >= WIDEST && *rung <= NARROWEST && !is_tried(f, *rung))
            return true;
    }
    return false;
}

/* The next trial of a family in this stage; false when the stage is over. */
static bool next_rung(int *rung, const family *f, tuner_stage stage)
{
    *rung = f->best;
    if (!is_tried(f, f->best))
        return true;
    if (!f->searched || stage == DONE)
        return false;
    for (*rung = FIRST; *rung <= LAST && stage == OUTWARDS; *rung += 2)
        if (!is_tried(f, *rung))
            return true;
    return neighbour(rung, f, stage == OUTWARDS ? 2 : 1);
}

static void take_loss(family *f, int rung, double value, double sure)
{
    f->loss[rung - WIDEST] = value;
    if (rung != f->best && !(value < best_loss(f) || (value == best_loss(f) && rung < f->best)))
        return;
    f->best = rung;
    f->sure = sure;
}

static void forget_losses(family *f)
{
    for (int k = 0; k < RUNGS; k++)
        f->loss[k] = NAN;
}

/* The family whose kernel has the least loss; the first of equals. */
static size_t best_family(const rvm_tuner *t)
{
    size_t best = 0;
    for (size_t k = 1; k < t->families; k++)
        if (t->family[k].least < t->family[best].least)
            best = k;
    return best;
}

/* Where not even the best kernel has learnt anything for sure, one so wide that all its functions
 * are the constant does no harm: training ends with the bias alone, where narrow ones find a
 * function for each row. */
static void doubt(family *f)
{
    if (f->searched && f->sure < least_sure)
        f->is_constant = true;
}

/* All families are through: on to more rows with the best one, where there are more. */
static rvm_status end_ladder(rvm_tuner *t, rvm_error *err)
{
    t->current = best_family(t);
    t->stage = DONE;
    if (!t->family[t->current].searched || t->family[t->current].is_constant ||
        t->p->rows < 2 * FEW_ROWS)
        return RVM_OK;
    t->stage = MORE_ROWS;
    forget_losses(&t->family[t->current]);
    return draw_sample(t, MANY_ROWS, err);
}

static rvm_status next_stage(rvm_tuner *t, rvm_error *err)
{
    if (t->stage == OUTWARDS) {
        t->stage = AROUND;
    } else if (t->stage == AROUND) {
        doubt(&t->family[t->current]);
        if (t->current + 1 == t->families)
            return end_ladder(t, err);
        t->current++;
        t->stage = OUTWARDS;
    } else {
        t->stage = DONE;
    }
    return RVM_OK;
}

/* ---- What others see ------------------------------------------------------------------------ */

static rvm_status prepare(rvm_tuner *t, rvm_error *err)
{
    rvm_status status = rvm_settings_check(&t->settings, t->p, err);
    if (status == RVM_OK)
        status = rvm_canonical_order(&t->order, t->p, err);
    if (status != RVM_OK)
        return status;
    t->rng = gsl_rng_alloc(gsl_rng_taus2);
    if (t->rng == NULL)
        return rvm_fail_memory(err, "random numbers");
    gsl_rng_set(t->rng, t->settings.seed);
    status = make_families(t, err);
    if (status == RVM_OK)
        status = draw_sample(t, FEW_ROWS, err);
    if (t->p->rows < LEAST_ROWS)
        t->stage = DONE;
    return status;
}

rvm_status rvm_tuner_alloc(rvm_tuner **out, const rvm_problem *p, const rvm_settings *s,
                           rvm_error *err)
{
    rvm_tuner *t = rvm_array(1, sizeof *t);
    if (t == NULL)
        return rvm_fail_memory(err, "the choice of a kernel");
    t->p = p;
    t->settings = *s;
    if (s->method == RVM_METHOD_GIBBS) { /* a solution at each kernel, not a sample */
        t->settings.method = RVM_METHOD_AUTO;
        t->settings.sampling.mixture = false;
        t->settings.weight_prior = t->settings.noise_prior = (rvm_gamma_prior){ 0, 0 };
    }
    const rvm_status status = prepare(t, err);
    if (status != RVM_OK) {
        rvm_tuner_free(t);
        return status;
    }
    *out = t;
    return RVM_OK;
}

void rvm_tuner_free(rvm_tuner *t)
{
    if (t == NULL)
        return;
    rvm_prediction_free(&t->prediction);
    rvm_problem_free(t->sample);
    rvm_constant_free(&t->constant);
    gsl_rng_free(t->rng);
    free(t->order);
    free(t->family);
    free(t);
}

rvm_status rvm_tuner_step(bool *done, rvm_tuner *t, const volatile int *interrupted, rvm_error *err)
{
    rvm_status status = RVM_OK;
    int rung = 0;
    double value = NAN, sure = 0;
    while (t->stage != DONE && status == RVM_OK &&
           !next_rung(&rung, &t->family[t->current], t->stage))
        status = next_stage(t, err);
    *done = t->stage == DONE;
    if (status != RVM_OK || *done)
        return status;
    family *f = &t->family[t->current];
    status = try_kernel(&value, &sure, t, kernel_at(f, rung), best_loss(f), interrupted, err);
    if (status == RVM_OK && !isnan(value)) {
        take_loss(f, rung, value, sure);
        if (t->stage != MORE_ROWS)
            f->least = best_loss(f);
        t->trials++;
    }
    return status;
}

static rvm_choice choice(const rvm_tuner *t, const family *f)
{
    return (rvm_choice){ .kernel = kernel_at(f, f->best), .loss = f->least, .trials = t->trials };
}

rvm_choice rvm_tuner_best(const rvm_tuner *t)
{
    return choice(t, &t->family[t->stage == MORE_ROWS ? t->current : best_family(t)]);
}

size_t rvm_tuner_types(const rvm_tuner *t)
{
    return t->settings.tune.type_count > 0 ? t->settings.tune.type_count : 1;
}

rvm_choice rvm_tuner_best_of_type(const rvm_tuner *t, size_t type)
{
    const rvm_kernel_type wanted =
        t->settings.tune.type_count > 0 ? t->settings.tune.type[type] : t->settings.kernel.type;
    size_t best = t->families;
    for (size_t k = 0; k < t->families; k++)
        if (t->family[k].kernel.type == wanted &&
            (best == t->families || t->family[k].least < t->family[best].least))
            best = k;
    return choice(t, &t->family[best]);
}

bool rvm_tuning_is_open(const rvm_tuning *tune)
{
    return tune->gamma || tune->degree || tune->coef0 || tune->type_count > 0;
}

rvm_status rvm_tune(rvm_settings *out, const rvm_problem *p, const rvm_settings *s,
                    const volatile int *interrupted, rvm_error *err)
{
    rvm_tuner *t = NULL;
    bool done = false;
    rvm_status status = rvm_tuner_alloc(&t, p, s, err);
    while (status == RVM_OK && !done && (interrupted == NULL || *interrupted == 0))
        status = rvm_tuner_step(&done, t, interrupted, err);
    if (status == RVM_OK) {
        *out = *s;
        out->kernel = rvm_tuner_best(t).kernel;
        out->tune = (rvm_tuning){ .gamma = false };
    }
    rvm_tuner_free(t);
    return status;
}
