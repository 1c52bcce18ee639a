/* The hyperparameters of a sparse Gaussian process with normal noise, by its evidence (fitc.h).
 *
 * theta = (ln factor, ln eta_1 .. ln eta_d, ln alpha of the terms, ln s_j, ln noise_j).  The factor
 * multiplies gamma, or all weights of inputs.  With the first points the kernel is held; with more of
 * them the factor climbs, and then each weight for itself, the factor held: from a start where the
 * noise is not known yet weights would be given up that come back with difficulty, and with few
 * points length-scales grow that then hide what other points would say (yacht ends with 49 points
 * and a log evidence of 243 for 123 and 310).  Held coordinates have no room between their bounds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ascent.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "basis/inputs.h"
#include "data/problem.h"
#include "data/shard.h"
#include "inference/fitc.h"
#include "search/process_climb.h"

enum { STEPS = 4 };

/* What climbs besides the terms, s and the noise, and for how many steps. */
typedef enum { HELD, FACTOR, EACH } phase;
static const int most_steps[] = { [HELD] = 8, [FACTOR] = 12, [EACH] = 20 };

/* What may be left of a row at other points, of the noise. */
static const double enough_of_noise = 0.01;

/* Nats that a step must gain for another one; longest step in any coordinate. */
static const double least_gain = 0.02, longest = 1;

/* A leave-one-out scale beyond that is of rows that are not rounded well. */
static const double most_kappa = 100;

typedef struct {
    double least, most;
} range;

/* Logarithms. Of s, times the mean of k(x,x), and the noise against the variance of the targets; of a factor; of a weight
 * against its start; of the variance of what a term does. */
static const range of_variance = { -12, 14 }, of_noise = { -16, 2 }, of_factor = { -5, 5 },
                   of_weight = { -12, 5 }, of_term = { -14, 20 };

typedef struct {
    rvm_process_job job;
    rvm_inputs inputs; /* where weights climb */
    size_t weights;    /* how many: inputs, or 0 */
    bool decays;       /* the kernel has something to climb */
    phase phase;
    rvm_kernel kernel, first; /* at the place in hand; at theta = 0 */
    rvm_input_weights eta;    /* of the kernel in hand */
    double *first_eta;        /* owned, eta.count: at theta = 0 */
    size_t *input_of;         /* owned, eta.count: which of the inputs; inputs.count: none */
    size_t targets;           /* those that vary */
    size_t *output;           /* owned, targets: which output each is */
    gsl_matrix *t;            /* owned, targets x rows */
    double *kappa;            /* owned, targets: what variances are multiplied by */
    double *eta_values;       /* owned, eta.count */
    rvm_points points;
    rvm_fitc fitc;
    bool refines;   /* where a climb with fewer rows has ended: the kernel is held */
    bool evaluated; /* ascent.now has, with these points and in this phase */
    size_t at_precision, at_variance, at_noise, count; /* places in theta */
    double *low, *high;                                /* owned, count */
    double *precision, *variance, *noise;              /* owned, terms and latents: of now */
    rvm_ascent ascent;
} climb;

/* ---- Places --------------------------------------------------------------------------------- */

/* The kernel at theta. */
static void set_kernel(climb *c, const double *theta)
{
    const double factor = exp(theta[0]);
    c->kernel = c->first;
    if (c->first.inputs == NULL) {
        c->kernel.gamma *= factor;
        return;
    }
    for (size_t k = 0; k < c->eta.count; k++) {
        const bool climbs = c->weights > 0 && c->input_of[k] < c->inputs.count;
        c->eta_values[k] = c->first_eta[k] * factor * (climbs ? exp(theta[1 + c->input_of[k]]) : 1);
    }
    c->kernel.inputs = &c->eta;
}

static size_t noise_at(const climb *c, size_t j)
{
    return c->at_noise + (c->job.settings->shared_noise ? 0 : j);
}

static rvm_status set_place(climb *c, const double *theta, rvm_error *err)
{
    set_kernel(c, theta);
    for (size_t i = 0; i < c->job.terms; i++)
        c->fitc.precision[i] = exp(theta[c->at_precision + i]);
    for (size_t j = 0; j < c->targets; j++) {
        c->fitc.target[j].variance = exp(theta[c->at_variance + j]);
        c->fitc.target[j].noise = exp(theta[noise_at(c, j)]);
    }
    const rvm_status status = rvm_points_place(&c->points, &c->kernel, err);
    return status == RVM_OK ? rvm_fitc_evaluate(&c->fitc, err) : status;
}

static void collect_gradient(double *gradient, const climb *c)
{
    const rvm_fitc *f = &c->fitc;
    memset(gradient, 0, c->count * sizeof *gradient);
    if (c->decays && c->first.inputs == NULL)
        gradient[0] = f->by_gamma;
    for (size_t k = 0; k < c->weights; k++) {
        gradient[0] += f->by_input[k];
        gradient[1 + k] = f->by_input[k];
    }
    for (size_t j = 0; j < c->targets; j++) {
        for (size_t i = 0; i < c->job.terms; i++)
            gradient[c->at_precision + i] += f->target[j].by_precision[i];
        gradient[c->at_variance + j] = f->target[j].by_variance;
        gradient[noise_at(c, j)] += f->target[j].by_noise;
    }
}

static rvm_status evaluate(double *value, double *gradient, void *self, const double *theta,
                           rvm_error *err)
{
    climb *c = self;
    rvm_status status = set_place(c, theta, err);
    if (status == RVM_OK)
        status = rvm_fitc_gradient(&c->fitc, err);
    *value = status == RVM_OK ? 0 : -INFINITY;
    for (size_t j = 0; j < c->targets && status == RVM_OK; j++)
        *value += c->fitc.target[j].log_evidence;
    if (status == RVM_OK)
        collect_gradient(gradient, c);
    return status == RVM_ENUMERIC || status == RVM_EINTERRUPT ? RVM_OK : status;
}

/* The processes that climb, all of them on the same sample, and as rank 0 does. */
static rvm_team *team_of(const climb *c)
{
    return c->job.y->observed.spans.team;
}

/* ---- Memory --------------------------------------------------------------------------------- */

static void climb_free(void *climbing)
{
    climb *c = climbing;
    if (c == NULL)
        return;
    rvm_inputs_free(&c->inputs);
    free(c->first_eta);
    free(c->input_of);
    free(c->output);
    free(c->kappa);
    gsl_matrix_free(c->t);
    free(c->eta_values);
    rvm_fitc_free(&c->fitc);
    rvm_points_free(&c->points);
    free(c->low);
    free(c->high);
    free(c->precision);
    free(c->variance);
    free(c->noise);
    rvm_ascent_free(&c->ascent);
    free(c);
}

/* Constant targets say nothing and take no part. */
static rvm_status copy_targets(climb *c, rvm_error *err)
{
    const rvm_study *y = c->job.y;
    const size_t N = c->job.rows->rows;
    c->t = gsl_matrix_calloc(y->outputs, N);
    c->output = rvm_array(y->outputs, sizeof *c->output);
    c->kappa = rvm_array(y->outputs, sizeof *c->kappa);
    if (c->t == NULL || c->output == NULL || c->kappa == NULL)
        return rvm_fail_memory(err, "the targets");
    for (size_t k = 0; k < y->outputs; k++) {
        if (y->target[k].is_constant)
            continue;
        const rvm_status status = rvm_shard_pick_numbers(
            gsl_matrix_ptr(c->t, c->targets, 0), y->p, c->job.row, N, y->target[k].observed.t, err);
        if (status != RVM_OK)
            return status;
        c->kappa[c->targets] = 1;
        c->output[c->targets++] = k;
    }
    return RVM_OK;
}

/* Which of the inputs that vary each weight of the kernel is of. */
static void match_inputs(climb *c)
{
    for (size_t k = 0, j = 0; k < c->eta.count; k++) {
        while (j < c->inputs.count && c->inputs.index[j] < c->eta.index[k])
            j++;
        const bool found = j < c->inputs.count && c->inputs.index[j] == c->eta.index[k];
        c->input_of[k] = found ? j : c->inputs.count;
    }
}

static rvm_status copy_kernel(climb *c, rvm_error *err)
{
    c->first = c->job.from != NULL ? *c->job.from->kernel : c->job.y->basis.kernel;
    c->decays = c->job.from == NULL && rvm_kernel_decays(c->first.type);
    if (c->first.inputs == NULL)
        return RVM_OK;
    c->eta = *c->first.inputs;
    c->first_eta = rvm_array(c->eta.count, sizeof *c->first_eta);
    c->eta_values = rvm_array(c->eta.count, sizeof *c->eta_values);
    c->input_of = rvm_array(c->eta.count, sizeof *c->input_of);
    if (c->first_eta == NULL || c->eta_values == NULL || c->input_of == NULL)
        return rvm_fail_memory(err, "the length-scales");
    memcpy(c->first_eta, c->first.inputs->weight, c->eta.count * sizeof *c->first_eta);
    c->eta.weight = c->eta_values;
    if (!c->decays)
        return RVM_OK;
    const rvm_status status = rvm_inputs_init(&c->inputs, c->job.rows, err);
    c->weights = c->inputs.count;
    if (status == RVM_OK)
        match_inputs(c);
    return status;
}

/* ---- The start ------------------------------------------------------------------------------ */

static void set_bounds(climb *c, size_t at, double value, range r, bool held)
{
    c->ascent.now.theta[at] = fmax(r.least, fmin(value, r.most));
    c->low[at] = held ? c->ascent.now.theta[at] : r.least;
    c->high[at] = held ? c->ascent.now.theta[at] : r.most;
}

/* ln of the mean square of a term. */
static double size_of_term(const climb *c, size_t i)
{
    double sum = 0;
    for (size_t n = 0; n < c->t->size2; n++)
        sum += pow(gsl_matrix_get(c->job.T, i, n), 2) / (double)c->t->size2;
    return log(fmax(sum, 1e-300));
}

/* Targets have mean 0, and a kernel that decays can have any level: a constant beside it, which is
 * the first term, would only add its own variance far from the data. */
static bool is_bias_idle(const climb *c)
{
    return c->job.y->basis.bias && rvm_kernel_decays(c->first.type);
}

static void start(climb *c)
{
    const rvm_process_job *j = &c->job;
    const bool noise_fixed = j->y->observed.noise_fixed;
    set_bounds(c, 0, 0, of_factor, true);
    for (size_t k = 0; k < c->weights; k++)
        set_bounds(c, 1 + k, 0, of_weight, true);
    for (size_t i = 0; i < j->terms; i++) {
        const double size = size_of_term(c, i);
        const range r = { size - of_term.most, size - of_term.least };
        const bool held = i == 0 && is_bias_idle(c);
        set_bounds(c, c->at_precision + i, held ? r.most : log(j->precision[i]), r, held);
    }
    for (size_t k = 0; k < c->targets; k++) {
        const double noise = log(j->noise[c->output[k]]);
        const double variance = j->from == NULL ? 0 : log(j->from->variance[c->output[k]]);
        set_bounds(c, c->at_variance + k, variance, of_variance, false);
        c->ascent.now.theta[c->at_variance + k] = variance;
        if (noise_fixed)
            c->ascent.now.theta[noise_at(c, k)] = c->low[noise_at(c, k)] = c->high[noise_at(c, k)] =
                noise;
        else
            set_bounds(c, noise_at(c, k), noise, of_noise, false);
    }
}

/* kappa: variances are multiplied by what the targets are off where they are left out, where that is more
 * than the variances say: an evidence that has fitted many length-scales to few rows is too sure of
 * itself (yacht, 246 rows: 90 % intervals hold 87 -> 91 %). Means do not move, but for what terms
 * that several outputs share do. */
static rvm_status widen(climb *c, rvm_error *err)
{
    double *gradient = c->ascent.trial.gradient, value, mean = 0;
    const rvm_status status = evaluate(&value, gradient, c, c->ascent.now.theta, err);
    if (status != RVM_OK || !isfinite(value) || c->job.y->observed.noise_fixed)
        return status;
    for (size_t j = 0; j < c->targets; j++)
        mean += c->fitc.target[j].left_out / (double)c->targets;
    for (size_t j = 0; j < c->targets; j++) {
        const double off = c->job.settings->shared_noise ? mean : c->fitc.target[j].left_out;
        c->kappa[j] = fmax(1, fmin(off, most_kappa));
    }
    return RVM_OK;
}

/* What there is to see of the place where the climb is. Constant targets have no variance. */
static void show(climb *c)
{
    const double *theta = c->ascent.now.theta;
    set_kernel(c, theta);
    for (size_t i = 0; i < c->job.terms; i++)
        c->precision[i] = exp(theta[c->at_precision + i]) / (c->targets == 1 ? c->kappa[0] : 1);
    for (size_t k = 0; k < c->job.latents; k++) {
        c->variance[k] = 0;
        c->noise[k] = c->job.noise[k];
    }
    for (size_t j = 0; j < c->targets; j++) {
        c->variance[c->output[j]] = c->kappa[j] * exp(theta[c->at_variance + j]);
        c->noise[c->output[j]] = c->kappa[j] * exp(theta[noise_at(c, j)]);
    }
}

static rvm_status prepare(climb *c, rvm_error *err)
{
    rvm_status status = copy_kernel(c, err);
    if (status == RVM_OK)
        status = copy_targets(c, err);
    if (status != RVM_OK)
        return status;
    c->at_precision = 1 + c->weights;
    c->at_variance = c->at_precision + c->job.terms;
    c->at_noise = c->at_variance + c->targets;
    c->count = c->at_noise + (c->job.settings->shared_noise ? 1 : c->targets);
    c->low = rvm_array(c->count, sizeof *c->low);
    c->high = rvm_array(c->count, sizeof *c->high);
    c->precision = rvm_array(c->job.terms, sizeof *c->precision);
    c->variance = rvm_array(c->job.latents, sizeof *c->variance);
    c->noise = rvm_array(c->job.latents, sizeof *c->noise);
    if (!rvm_ascent_init(&c->ascent, c->count) || c->low == NULL || c->high == NULL ||
        c->precision == NULL || c->variance == NULL || c->noise == NULL)
        return rvm_fail_memory(err, "the process");
    c->ascent.team = team_of(c);
    start(c);
    show(c);
    return RVM_OK;
}

static rvm_status climb_alloc(void **out, const rvm_process_job *job, rvm_error *err)
{
    climb *c = rvm_array(1, sizeof *c);
    if (c == NULL)
        return rvm_fail_memory(err, "the process");
    c->job = *job;
    const rvm_status status = prepare(c, err);
    if (status != RVM_OK) {
        climb_free(c);
        return status;
    }
    c->refines = job->from != NULL;
    c->job.from = NULL; /* it is not there for long */
    *out = c;
    return RVM_OK;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static void begin_phase(climb *c, phase p)
{
    double *theta = c->ascent.now.theta;
    const bool factor = c->decays && p == FACTOR, each = p == EACH;
    c->phase = p;
    c->evaluated = false;
    for (size_t j = 0; j < c->targets; j++)
        c->kappa[j] = 1;
    c->low[0] = factor ? of_factor.least : theta[0];
    c->high[0] = factor ? of_factor.most : theta[0];
    for (size_t k = 1; k <= c->weights; k++) {
        c->low[k] = each ? of_weight.least : theta[k];
        c->high[k] = each ? of_weight.most : theta[k];
    }
}

/* s multiplies k(x,x), which is of any size where the kernel does not decay. */
static rvm_status scale_variances(climb *c, rvm_error *err)
{
    set_kernel(c, c->ascent.now.theta);
    const rvm_status status = rvm_points_place(&c->points, &c->kernel, err);
    if (status != RVM_OK)
        return status;
    double shift = log(rvm_points_scale(&c->points));
    rvm_team_same(team_of(c), &shift, sizeof shift);
    for (size_t j = c->at_variance; j < c->at_noise; j++) {
        c->low[j] -= shift;
        c->high[j] -= shift;
        if (!c->refines)
            c->ascent.now.theta[j] -= shift;
    }
    return RVM_OK;
}

static rvm_status climb_place(void *climbing, const rvm_problem *points, rvm_error *err)
{
    climb *c = climbing;
    const rvm_settings *s = c->job.settings;
    const double budget = s->budget_mb * 1048576 / 8 / 4;
    const bool first = c->points.K == 0;
    begin_phase(c, first || c->refines ? HELD : FACTOR);
    rvm_fitc_free(&c->fitc);
    rvm_points_free(&c->points);
    rvm_status status =
        rvm_points_init(&c->points, c->job.rows, points, rvm_threads(s->threads), err);
    if (status == RVM_OK && first)
        status = scale_variances(c, err);
    if (status == RVM_OK)
        status = rvm_fitc_init(&c->fitc, &c->points, c->weights > 0 ? &c->inputs : NULL, c->job.T,
                               c->job.terms, c->targets, budget, err);
    c->fitc.interrupted = s->interrupted;
    for (size_t j = 0; j < c->targets && status == RVM_OK; j++)
        c->fitc.target[j].t = gsl_matrix_const_ptr(c->t, j, 0);
    return status;
}

static rvm_status step_in_phase(bool *rests, climb *c, rvm_error *err)
{
    const rvm_hill hill = { c->count, c->low, c->high, evaluate, c, c->job.settings->interrupted,
                            longest };
    rvm_status status = RVM_OK;
    if (!c->evaluated) {
        c->ascent.steps = c->ascent.small = 0;
        rvm_lbfgs_reset(&c->ascent.curvature);
        status = rvm_ascent_begin(&c->ascent, &hill, err);
        c->evaluated = true;
    }
    if (status == RVM_OK)
        status = rvm_ascent_climb(&c->ascent, &hill, least_gain, STEPS, most_steps[c->phase], err);
    *rests = c->ascent.resting;
    if (rvm_interrupted(c->job.settings->interrupted)) {
        show(c);
        *rests = false;
        return status;
    }
    if (status == RVM_OK && *rests && c->weights > 0 && c->phase == FACTOR) {
        begin_phase(c, EACH);
        *rests = false;
    }
    if (status == RVM_OK && *rests)
        status = widen(c, err);
    rvm_team_same(team_of(c), c->kappa, c->targets * sizeof *c->kappa);
    show(c);
    return status;
}

/* Where no other points have come the kernel climbs through the first ones. */
static rvm_status climb_step(bool *rests, void *climbing, rvm_error *err)
{
    climb *c = climbing;
    const rvm_status status = step_in_phase(rests, c, err);
    if (status == RVM_OK && *rests && c->decays && c->phase == HELD) {
        begin_phase(c, FACTOR);
        *rests = false;
    }
    return status;
}

/* Other points are of use where they tell a part of the process that can be seen beside the noise. */
static rvm_status climb_weigh(double *weight, double *enough, void *climbing,
                              const rvm_problem *rows, const gsl_matrix *T, rvm_error *err)
{
    climb *c = climbing;
    bool rests = false;
    rvm_status status = RVM_OK;
    (void)T;
    while (!rests && status == RVM_OK && !rvm_interrupted(c->job.settings->interrupted))
        status = step_in_phase(&rests, c, err);
    *enough = INFINITY;
    for (size_t j = 0; j < c->targets; j++)
        *enough =
            fmin(*enough, enough_of_noise * c->noise[c->output[j]] / c->variance[c->output[j]]);
    for (size_t n = 0; n < rows->rows; n++)
        weight[n] = 1;
    return status;
}

static rvm_process_state climb_state(const void *climbing)
{
    const climb *c = climbing;
    return (rvm_process_state){ &c->kernel, c->precision, c->variance, c->noise,
                                c->ascent.now.value };
}

const rvm_process_climb rvm_fitc_climb = { climb_alloc, false,       climb_weigh, climb_place,
                                           climb_step,  climb_state, climb_free };
