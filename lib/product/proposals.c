/* Kernels that are worth a training, proposed by a screen of few rows.
 *
 * A family of kernels (a type and what goes with it) has at most one number to be found, gamma. It is
 * searched on a ladder of powers of two around the typical distance of two rows: every second rung
 * from wide kernels down to the spacing of the rows, since the loss may have more than one minimum,
 * then the rungs beside the best one.
 *
 * Length-scales, one for each input, fit whatever rows they are learned from, by chance too. So the rows
 * are halved: each half learns its length-scales, and the other half says what these are worth, to
 * the row, against the best single width. */
#include "product/proposals.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "basis/kernel.h"
#include "basis/spacing.h"
#include "data/labels.h"
#include "data/order.h"
#include "data/problem.h"
#include "product/judge.h"
#include "product/model.h"
#include "product/screen.h"
#include "product/settings.h"
#include "product/sift.h"

enum {
    OUTPUT_ROWS = 300, /* of the screen, of a regression */
    CLASS_ROWS = 200,  /* and of classes: 150 are .001 behind 300 */
    LEAST_HALF = 20,   /* below, nothing is said of length-scales, */
    SURE_HALF = 75,    /* and below, that they are of no use takes more to be believed; */
    MOST_SCALES =
        300, /* inputs, times classes; 1000 take seconds of one step, which no bound ends */
    MOST_TERMS = 100, /* linear functions beside a kernel */
    FIRST = -6,       /* rungs that are tried in any case, every second one, */
    LAST = 2,         /* on to this one, or to the spacing of the rows */
    WIDEST = -8,      /* the ends of the ladder */
    NARROWEST = 24,
    MOST_FAMILIES = RVM_KERNEL_TYPES + 5
};

typedef struct {
    rvm_kernel kernel;
    bool ard, linear;
    bool searched; /* gamma is */
    double gamma;  /* of rung 0 */
    int last;      /* rung of the spacing of the rows, or LAST */
    int best;
    double least;
    double *row_loss; /* owned: of the best rung */
    bool doubtful;    /* length-scales that are not worth their standard error */
} family;

struct rvm_proposals {
    rvm_settings settings; /* nothing is left open */
    rvm_tuning open;
    rvm_training *train;
    gsl_rng *rng;                 /* owned */
    rvm_problem *sample;          /* owned */
    rvm_screen *screen;           /* owned */
    size_t rows, classes, inputs; /* inputs: features that occur */
    family family[MOST_FAMILIES];
    size_t families, current;
    size_t rank[MOST_FAMILIES]; /* families by ascending loss */
};

/* ---- Rows ----------------------------------------------------------------------------------- */

static rvm_status count_inputs(rvm_proposals *q, rvm_error *err)
{
    int *feature = NULL;
    if (!rvm_problem_features(&feature, &q->inputs, q->sample))
        return rvm_fail_memory(err, "the features");
    free(feature);
    return RVM_OK;
}

static rvm_status count_classes(size_t *out, const rvm_problem *rows, rvm_error *err)
{
    rvm_labels labels = { 0 };
    const rvm_status status = rvm_labels_find(&labels, rows, err);
    *out = labels.count;
    rvm_labels_free(&labels);
    return status;
}

/* ---- Families ------------------------------------------------------------------------------- */

static rvm_kernel kernel_at(const family *f, int rung)
{
    rvm_kernel kernel = f->kernel;
    kernel.gamma = f->searched ? ldexp(f->gamma, rung) : f->gamma;
    return kernel;
}

static rvm_status add_family(rvm_proposals *q, family f, rvm_error *err)
{
    const unsigned uses = rvm_kernel_uses(f.kernel.type);
    const rvm_problem *rows = q->sample;
    rvm_status status = RVM_OK;
    f.least = INFINITY;
    f.gamma = f.kernel.gamma;
    if ((uses & RVM_USES_GAMMA) && q->open.gamma) {
        double distance = 1;
        status = rvm_spacing_typical(&distance, f.kernel.type, rows, NULL, q->rng, err);
        f.gamma = 1 / distance;
        /* Without an offset the gamma of a power is a factor of the kernel. */
        f.searched = !f.ard && !((uses & RVM_USES_DEGREE) && f.kernel.coef0 == 0);
    }
    const rvm_kernel first = kernel_at(&f, 0);
    f.last = f.searched ? rvm_sift_rung_of_spacing(rows, &first, LAST, NARROWEST) : 0;
    f.row_loss = rvm_array(q->rows, sizeof *f.row_loss);
    if (f.row_loss == NULL)
        return rvm_fail_memory(err, "the kernels");
    q->rank[q->families] = q->families;
    q->family[q->families++] = f;
    return status;
}

/* Powers are of degrees 2 and 3 and have all degrees below, which what is open asks for. */
static rvm_status add_powers(rvm_proposals *q, family f, rvm_error *err)
{
    rvm_status status = RVM_OK;
    if (!q->open.degree)
        return add_family(q, f, err);
    for (int degree = 2; degree <= 3 && status == RVM_OK; degree++) {
        f.kernel.degree = degree;
        status = add_family(q, f, err);
    }
    return status;
}

/* Each class has a process of its own, and each input a coordinate. */
static bool has_few_scales(const rvm_proposals *q)
{
    return q->inputs * (q->classes > 2 ? q->classes : 1) <= MOST_SCALES;
}

/* What else may go with the rbf kernel, and with the laplacian. */
static rvm_status add_variants(rvm_proposals *q, family f, rvm_error *err)
{
    const bool rbf = f.kernel.type == RVM_RBF;
    family with = f;
    rvm_status status = RVM_OK;
    if (q->open.ard && has_few_scales(q)) {
        with.ard = true;
        status = add_family(q, with, err);
    }
    with = f;
    if (q->open.linear && rbf && q->inputs <= MOST_TERMS && status == RVM_OK) {
        with.linear = true;
        status = add_family(q, with, err);
    }
    return status;
}

static rvm_status add_type(rvm_proposals *q, const rvm_problem *p, rvm_kernel_type type,
                           rvm_error *err)
{
    family f = { .kernel = rvm_settings_kernel(&q->settings, p),
                 .ard = q->settings.ard && rvm_kernel_weighs_inputs(type),
                 .linear = q->settings.linear };
    f.kernel.type = type;
    if (q->open.coef0 && (rvm_kernel_uses(type) & RVM_USES_COEF0))
        f.kernel.coef0 = 1;
    if (type == RVM_POLYNOMIAL)
        return add_powers(q, f, err);
    const rvm_status status = add_family(q, f, err);
    return status == RVM_OK && rvm_kernel_decays(type) ? add_variants(q, f, err) : status;
}

/* ---- Length-scales -------------------------------------------------------------------------- */

/* Half `side` of the rows, one by one in turn. */
static rvm_problem *half(const rvm_problem *rows, size_t *row, int side)
{
    size_t count = 0;
    for (size_t n = (size_t)side; n < rows->rows; n += 2)
        row[count++] = n;
    return rvm_problem_subset(rows, row, count);
}

/* gain[n]: what length-scales of `from` are worth at rows n of `to`, against one width. */
static rvm_status judge_half(double *gain, const rvm_problem *to, const rvm_kernel *single,
                             const rvm_kernel *scales, const rvm_settings *s, rvm_error *err)
{
    rvm_screen *screen = NULL;
    double loss = INFINITY;
    rvm_status status = rvm_screen_alloc(&screen, to, s, err);
    if (status == RVM_OK)
        status = rvm_screen_judge(&loss, screen, single, false, err);
    for (size_t n = 0; n < to->rows && status == RVM_OK; n++)
        gain[n] = rvm_screen_rows(screen)[n];
    if (status == RVM_OK)
        status = rvm_screen_judge(&loss, screen, scales, false, err);
    for (size_t n = 0; n < to->rows && status == RVM_OK; n++)
        gain[n] = isfinite(loss) ? gain[n] - rvm_screen_rows(screen)[n] : -1;
    rvm_screen_free(screen);
    return status;
}

static rvm_status judge_side(double *gain, rvm_proposals *q, const rvm_kernel *single,
                             const rvm_problem *from, const rvm_problem *to, rvm_error *err)
{
    rvm_settings s = q->settings;
    rvm_model *m = NULL;
    rvm_report last;
    s.ard = true;
    s.kernel = *single;
    s.kernel_prior = false;
    rvm_status status = q->train(&m, &last, from, &s, err);
    if (status == RVM_OK && m != NULL)
        status = judge_half(gain, to, single, &m->kernel, &s, err);
    rvm_model_free(m);
    return status == RVM_ENUMERIC ? RVM_OK : status; /* what cannot be trained gains nothing */
}

/* The family of the same kernel with one width, which is judged before. */
static const family *single_of(const rvm_proposals *q, const family *f)
{
    for (size_t k = 0; k < q->families; k++)
        if (q->family[k].kernel.type == f->kernel.type && !q->family[k].ard && !q->family[k].linear)
            return &q->family[k];
    return NULL;
}

static rvm_status judge_scales(rvm_proposals *q, family *f, rvm_error *err)
{
    const family *single = single_of(q, f);
    size_t *row = rvm_array(q->rows, sizeof *row);
    double *gain = rvm_array(q->rows, sizeof *gain);
    rvm_problem *part[2] = { NULL, NULL };
    rvm_status status = row == NULL || gain == NULL ? rvm_fail_memory(err, "the halves") : RVM_OK;
    const rvm_kernel one = kernel_at(single, single->best);
    for (int side = 0; side < 2 && status == RVM_OK; side++) {
        part[side] = half(q->sample, row, side);
        if (part[side] == NULL)
            status = rvm_fail_memory(err, "the halves");
    }
    double sum = 0, squares = 0;
    for (int side = 0; side < 2 && status == RVM_OK; side++) {
        memset(gain, 0, q->rows * sizeof *gain);
        status = judge_side(gain, q, &one, part[1 - side], part[side], err);
        for (size_t n = (size_t)side, k = 0; n < q->rows; n += 2, k++) {
            f->row_loss[n] = single->row_loss[n] - gain[k];
            sum += gain[k] / (double)q->rows;
            squares += gsl_pow_2(gain[k]) / (double)q->rows;
        }
    }
    const double error = sqrt(fmax(squares - sum * sum, 0) / (double)q->rows);
    f->doubtful = !(sum > (q->rows < 2 * SURE_HALF ? -2 : 1) * error);
    f->least = single->least - sum;
    for (int side = 0; side < 2; side++)
        rvm_problem_free(part[side]);
    free(row);
    free(gain);
    return status;
}

/* ---- Families, one by one ------------------------------------------------------------------- */

static rvm_status judge_widths(rvm_proposals *q, family *f, rvm_error *err)
{
    const rvm_sift_ladder ladder = { .kernel = kernel_at(f, 0),
                                     .linear = f->linear,
                                     .searched = f->searched,
                                     .first = FIRST,
                                     .last = f->last,
                                     .widest = WIDEST,
                                     .narrowest = GSL_MIN(f->last + 2, NARROWEST) };
    return rvm_sift_search(&f->best, &f->least, f->row_loss, q->screen, &ladder,
                           q->settings.interrupted, err);
}

/* Insertion: few families, one of which has moved. */
static void rank(rvm_proposals *q)
{
    for (size_t k = 1; k < q->families; k++)
        for (size_t i = k; i > 0 && q->family[q->rank[i]].least < q->family[q->rank[i - 1]].least;
             i--) {
            const size_t swap = q->rank[i];
            q->rank[i] = q->rank[i - 1];
            q->rank[i - 1] = swap;
        }
}

/* Powers grow without bound beyond the rows, where kernels that fall off with the distance know that they
 * know nothing: to be as good on few rows will not do (cpusmall: up to 290 times the error). */
static void doubt_powers(rvm_proposals *q)
{
    const family *best = NULL;
    double gain, error;
    for (size_t k = 0; k < q->families; k++) {
        const family *f = &q->family[k];
        if (rvm_kernel_decays(f->kernel.type) && !f->doubtful && isfinite(f->least) &&
            (best == NULL || f->least < best->least))
            best = f;
    }
    for (size_t k = 0; k < q->families && best != NULL; k++) {
        family *f = &q->family[k];
        if (f->kernel.type == RVM_POLYNOMIAL &&
            rvm_judge_compare(&gain, &error, best->row_loss, f->row_loss, q->rows))
            f->doubtful = !(gain > error);
    }
}

rvm_status rvm_proposals_step(bool *done, rvm_proposals *q, rvm_error *err)
{
    rvm_status status = RVM_OK;
    family *f = &q->family[q->current];
    if (q->current == q->families) {
        *done = true;
        return RVM_OK;
    }
    if (!f->ard)
        status = judge_widths(q, f, err);
    else if (single_of(q, f) != NULL && q->rows >= 2 * LEAST_HALF)
        status = judge_scales(q, f, err);
    if (status != RVM_OK)
        return status;
    q->current++;
    rank(q);
    *done = q->current == q->families;
    if (*done)
        doubt_powers(q);
    return RVM_OK;
}

/* ---- Life ----------------------------------------------------------------------------------- */

static bool is_repeated(const rvm_tuning *open, size_t number)
{
    for (size_t k = 0; k < number; k++)
        if (open->type[k] == open->type[number])
            return true;
    return false;
}

static rvm_status prepare(rvm_proposals *q, const rvm_problem *p, const size_t *order,
                          rvm_error *err)
{
    q->rng = gsl_rng_alloc(gsl_rng_taus2);
    if (q->rng == NULL)
        return rvm_fail_memory(err, "random numbers");
    gsl_rng_set(q->rng, q->settings.seed);
    const bool classes = q->settings.task == RVM_CLASSIFICATION;
    rvm_status status = rvm_screen_draw(&q->sample, p, order, classes ? CLASS_ROWS : OUTPUT_ROWS,
                                        q->settings.task, q->rng, err);
    if (status == RVM_OK) {
        q->rows = q->sample->rows;
        status = count_inputs(q, err);
    }
    if (status == RVM_OK)
        status = rvm_screen_alloc(&q->screen, q->sample, &q->settings, err);
    if (status == RVM_OK && q->settings.task == RVM_CLASSIFICATION)
        status = count_classes(&q->classes, q->sample, err);
    for (size_t k = 0; k < q->open.type_count && status == RVM_OK; k++)
        if (!is_repeated(&q->open, k))
            status = add_type(q, p, q->open.type[k], err);
    return status;
}

rvm_status rvm_proposals_alloc(rvm_proposals **out, const rvm_problem *p, const size_t *order,
                               const rvm_settings *s, rvm_training *train, rvm_error *err)
{
    rvm_proposals *q = rvm_array(1, sizeof *q);
    if (q == NULL)
        return rvm_fail_memory(err, "the kernels");
    q->settings = *s;
    q->settings.tune = (rvm_tuning){ .gamma = false };
    q->open = s->tune;
    if (q->open.type_count == 0)
        q->open.type[q->open.type_count++] = s->kernel.type;
    q->train = train;
    const rvm_status status = prepare(q, p, order, err);
    if (status != RVM_OK) {
        rvm_proposals_free(q);
        return status;
    }
    *out = q;
    return RVM_OK;
}

void rvm_proposals_free(rvm_proposals *q)
{
    if (q == NULL)
        return;
    rvm_problem_free(q->sample);
    rvm_screen_free(q->screen);
    for (size_t k = 0; k < q->families; k++)
        free(q->family[k].row_loss);
    gsl_rng_free(q->rng);
    free(q);
}

size_t rvm_proposals_count(const rvm_proposals *q)
{
    return q->families;
}

static rvm_proposal describe(const rvm_proposals *q, const family *f)
{
    const family *single = f->ard ? single_of(q, f) : NULL;
    const family *like = single != NULL ? single : f;
    return (rvm_proposal){ .kernel = kernel_at(like, like->best), /* where length-scales begin */
                           .ard = f->ard,
                           .linear = f->linear,
                           .doubtful = f->doubtful,
                           .loss = f->least,
                           .row_loss = f->row_loss,
                           .rows = q->rows };
}

rvm_proposal rvm_proposals_get(const rvm_proposals *q, size_t number)
{
    return describe(q, &q->family[q->rank[number]]);
}

rvm_proposal rvm_proposals_current(const rvm_proposals *q)
{
    return describe(q, &q->family[GSL_MIN(q->current, q->families - 1)]);
}

void rvm_proposals_progress(int *steps, int *expected, const rvm_proposals *q)
{
    *steps = (int)q->current;
    *expected = (int)q->families;
}
