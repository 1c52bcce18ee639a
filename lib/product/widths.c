/* ARD length-scales by the log evidence of a Gaussian process (Neal 1996; Tipping 2001, section 4.3).
 *
 * Dictionary.  eta_j: the relevance of input j, the inverse square of its length-scale (its inverse,
 * where the kernel takes distances). K: N x N, the kernel's values with these. Target k, an output
 * or a class, is
 *
 *     t_k ~ N(0, C_k + s_k I),   C_k = v_k K(eta) + trend          (classes: by Laplace, process.h)
 *
 * where v_k is the variance of its function, s_k the noise and `trend` the covariance of the terms
 * beside the kernel. The log evidence L(theta), a sum over the targets, is climbed in
 * theta = (ln eta, ln v, ln s), in which all derivatives are free of units: with G_k = dL/dC_k
 *
 *     dL/d ln v_k = v_k sum_in G_k,in K_in      dL/d ln s_k = s_k tr G_k
 *     dL/dK = sum_k v_k G_k                     and from there to ln eta by inputs.h.
 *
 * Relevances have a prior that pulls them together. With x_j = ln eta_j free of units, and m common
 * to all of them, the last coordinate of theta,
 *
 *     ln p = -sum_j ln[ 1 + (x_j - m)^2 / tau^2 ],   tau = 1
 *
 * Cauchy's density: inputs that the data say little of share a scale, and one that they know to
 * differ, be it by ten powers of e, pays a few nats. Without it the evidence of few rows finds many
 * inputs of no use, by chance.
 *
 * A few ascents by L-BFGS (Nocedal 1980) within bounds, from scales that differ, go side by side:
 * first with one step for all relevances, so that each comes to the best single scale near it; from
 * there each relevance goes its own way. The best of them goes on to its maximum, and leaves out the
 * inputs that the evidence does without. So it does not end below the best single scale. Where rows
 * stand close, some begin at their spacing: targets with structure so fine look like noise at the
 * other length-scales, and an ascent from there ends in a flat function.
 *
 * A class says less of a row than a number does, and Laplace's evidence is an approximation: of few rows
 * the maximum may be behind one scale for all. So of classes the rows are halved, each half climbs by
 * itself, and on the other half it is judged how far to go, in ln eta, from the best single scale to the
 * maximum: each row predicted from the others (screen.h). All rows go as far as the two halves are best
 * together. Five-fold, right of 100 with the maximum, and so: sonar 78.4, 81.3; heart 82.2, 83.7;
 * ionosphere 94.6, 94.6. Outputs go all the way: halves know less of them than their targets do (mean
 * squared errors of servo .086, .101; yacht .070, .075; machine .197, .196). */
#include "product/widths.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/ascent.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "basis/inputs.h"
#include "basis/term.h"
#include "data/problem.h"
#include "data/shard.h"
#include "inference/process.h"
#include "product/screen.h"
#include "search/sample.h"

enum {
    MOST_ROWS = 500,
    ROUGH_ROWS = 300, /* of classes from one start */
    ASCENTS = 6,      /* at the most; two of them are for fine structure */
    STEPS = 4,        /* of an ascent in one call */
    MAX_STEPS = 200,  /* of an ascent in all */
    LEAST_ROWS = 60,  /* that are halved */
    SHARES = 5        /* steps of the way from one scale to the maximum, both ends among them */
};

/* Nats that a step must gain for another one: of all ascents, and of the best one. */
static const double rough = 0.2, fine = 0.01;
static const double longest = 2; /* step in any coordinate */

/* Where ascents begin: how far apart two rows are at the most, in the sum that the kernel takes;
 * and, of those at the spacing of the rows, how far a row is from its neighbour. */
static const double farthest = 5, neighbours = 0.5;

/* Prior variance of a term of mean square 1, against that of the targets; and terms that there may
 * be, as a share of the rows, to take part. */
static const double term_variance = 10, most_terms = 0.25;

typedef struct {
    double least, start, most;
} range;

/* Logarithms. Of a relevance times the variance of its input (or its standard deviation, as the
 * kernel has it): from a function that is flat over all rows to one that knows of no other row,
 * which takes more where rows stand close. */
static const range of_relevance = { -18, 0, 5 };
static const range of_variance = { -10, 0, 12 };
static const range of_noise = { -14, -2.3, 2 };

static const double prior_spread = 1; /* tau */

/* theta: ln eta (-INFINITY: left out); then ln v of each target; then ln s of each, where the noise
 * is free; then m. */
typedef struct {
    const rvm_widths *w; /* borrowed */
    rvm_ascent path;
    double *eta; /* owned: of the rows as they are laid out */
    rvm_input_weights weights;
    rvm_kernel kernel;
    rvm_process process;
    gsl_matrix *K, *dL_dK; /* owned, N x N */
    gsl_matrix *mode;      /* owned, targets x N: C^-1 f at the mode, where the next one begins */
    bool tied;             /* one step for all relevances */
    int threads;
} ascent;

struct rvm_widths {
    rvm_problem *p; /* owned: the rows that are seen */
    rvm_inputs inputs;
    size_t targets;                   /* functions that are looked at: outputs, or classes */
    gsl_matrix *t;                    /* owned, targets x N: reduced, or 0 and 1 */
    double *fixed;                    /* owned, targets: the noise, where it is known */
    double *row_weight;               /* owned, N, or NULL */
    const rvm_likelihood *likelihood; /* of the targets */
    bool free_noise;
    unsigned terms;     /* degrees of terms beside the kernel's functions, as bits */
    gsl_matrix *trend;  /* owned, N x N: their covariance */
    size_t count;       /* coordinates */
    double *low, *high; /* owned, count */
    double single;      /* the highest log evidence with one scale */
    int threads;
    double nearest; /* median distance of a row to the nearest other one, in the sum that the kernel
                       takes, with weights at which that of two rows is 2 or so; infinite where the
                       kernel knows no distance */
    const volatile int *interrupted; /* borrowed, or NULL */
    ascent ascent[ASCENTS];
    int ascents;
    bool single_start;     /* from gamma alone */
    rvm_kernel kernel;     /* as it was given */
    rvm_settings settings; /* of the screen; class weights are borrowed */
    double *one, *end;     /* owned, count: theta of the best single scale, and of the maximum */
    rvm_widths *half[2];   /* owned: every other row, once the maximum is known */
    int halves_over;
    bool is_half, climbed; /* climbed: the maximum is known */
    int best;              /* -1 while all climb */
    int *best_index;       /* owned, inputs */
    double *best_weight;   /* owned, inputs */
    rvm_input_weights chosen;
    bool settled;        /* they are final, and the ascents are gone */
    double log_evidence; /* then */
};

/* ---- Places --------------------------------------------------------------------------------- */

/* c->K at theta. */
static rvm_status fill_kernel(const rvm_widths *w, ascent *c, const double *theta,
                              rvm_kernel_rows **rows, rvm_error *err)
{
    for (size_t j = 0; j < w->inputs.count; j++)
        c->eta[j] = exp(theta[j]);
    *rows = rvm_kernel_rows_alloc(w->p, &c->kernel, NULL);
    if (*rows == NULL)
        return rvm_fail_memory(err, "the rows");
    return rvm_kernel_block(c->K, &c->kernel, *rows, NULL, *rows, 0, err);
}

/* ln eta_j, free of units. */
static double relevance_of(const rvm_widths *w, const double *theta, size_t j)
{
    return theta[j] - w->low[j] + of_relevance.least;
}

static double noise_of(const rvm_widths *w, const double *theta, size_t k)
{
    return w->free_noise ? exp(theta[w->inputs.count + w->targets + k]) : w->fixed[k];
}

/* Adds the log evidence of target k, and its derivatives: by dL/dC_k = G, which covers the noise on
 * the diagonal as well. */
static bool add_target(double *value, double *gradient, const double *theta, ascent *c, size_t k)
{
    const rvm_widths *w = c->w;
    rvm_process *s = &c->process;
    const size_t N = s->N, d = w->inputs.count;
    const double variance = exp(theta[d + k]), noise = noise_of(w, theta, k);
    const rvm_observed o = { .likelihood = w->likelihood,
                             .N = N,
                             .spans = rvm_spans_make(N, NULL),
                             .t = gsl_matrix_ptr(w->t, k, 0),
                             .row_weight = w->row_weight };
    double *mode = gsl_matrix_ptr(c->mode, k, 0), log_evidence, by_variance = 0, by_noise = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t n = 0; n < N; n++)
            gsl_matrix_set(s->C, i, n,
                           variance * gsl_matrix_get(c->K, i, n) + gsl_matrix_get(w->trend, i, n));
    if (!o.likelihood->process(&log_evidence, mode, s, &o, -log(noise), c->threads))
        return false;
    for (size_t i = 0; i < N; i++) {
        const double *g = gsl_matrix_const_ptr(s->G, i, 0), *v = gsl_matrix_const_ptr(c->K, i, 0);
        double *by_K = gsl_matrix_ptr(c->dL_dK, i, 0);
        for (size_t n = 0; n < N; n++) {
            by_K[n] += variance * g[n];
            by_variance += variance * g[n] * v[n];
        }
        by_noise += noise * g[i];
    }
    *value += log_evidence;
    gradient[d + k] = by_variance;
    if (w->free_noise)
        gradient[d + w->targets + k] = by_noise;
    return true;
}

/* Adds the log density of the relevances, and its derivatives. */
static void add_prior(double *value, double *gradient, const rvm_widths *w, const double *theta)
{
    const size_t m = w->count - 1;
    gradient[m] = 0;
    for (size_t j = 0; j < w->inputs.count; j++) {
        if (!isfinite(theta[j]))
            continue;
        const double apart = (relevance_of(w, theta, j) - theta[m]) / prior_spread,
                     slope = 2 * apart / (1 + apart * apart) / prior_spread;
        *value -= log1p(apart * apart);
        gradient[j] -= slope;
        gradient[m] += slope;
    }
}

/* m at that relevance where the log density is highest: near it is a maximum, and of several far
 * apart this is the one. */
static void place_common(double *theta, const rvm_widths *w)
{
    const size_t d = w->inputs.count, m = w->count - 1;
    double best = -INFINITY;
    for (size_t k = 0; k < d; k++) {
        const double place = relevance_of(w, theta, k);
        double value = 0;
        for (size_t j = 0; j < d; j++)
            if (isfinite(theta[j]))
                value -= log1p(gsl_pow_2((relevance_of(w, theta, j) - place) / prior_spread));
        if (isfinite(place) && value > best) {
            best = value;
            theta[m] = place;
        }
    }
}

/* The part of the gradient along which all relevances, and m, take the same step. */
static void tie(double *gradient, const rvm_widths *w)
{
    const size_t d = w->inputs.count, m = w->count - 1;
    double sum = gradient[m];
    for (size_t j = 0; j < d; j++)
        sum += gradient[j];
    const double mean = sum / (double)(d + 1);
    for (size_t j = 0; j < d; j++)
        gradient[j] = mean;
    gradient[m] = mean;
}

/* Log evidence and gradient at theta (rvm_hill), with the prior. */
static rvm_status evaluate(double *value, double *gradient, void *self, const double *theta,
                           rvm_error *err)
{
    ascent *c = self;
    const rvm_widths *w = c->w;
    rvm_kernel_rows *rows = NULL;
    rvm_status status = fill_kernel(w, c, theta, &rows, err);
    bool found = status != RVM_ENUMERIC;
    if (!found)
        status = RVM_OK;
    gsl_matrix_set_zero(c->dL_dK);
    *value = 0;
    for (size_t k = 0; k < w->targets && status == RVM_OK && found; k++)
        found = !rvm_interrupted(w->interrupted) && add_target(value, gradient, theta, c, k);
    if (status == RVM_OK && found)
        status = rvm_inputs_gradient(gradient, &w->inputs, c->eta, c->dL_dK, c->process.R,
                                     &c->kernel, rows, err);
    if (status == RVM_OK && found)
        add_prior(value, gradient, w, theta);
    if (c->tied)
        tie(gradient, w);
    if (!found)
        *value = -INFINITY;
    rvm_kernel_rows_free(rows);
    return status;
}

static rvm_hill hill_of(ascent *c)
{
    const rvm_widths *w = c->w;
    return (rvm_hill){ w->count, w->low, w->high, evaluate, c, w->interrupted, longest };
}

/* Some steps; rests where some in a row have gained less than `least`. */
static rvm_status climb_on(ascent *c, double least, rvm_error *err)
{
    const rvm_hill hill = hill_of(c);
    rvm_status status = RVM_OK;
    if (c->path.steps == 0)
        status = rvm_ascent_begin(&c->path, &hill, err);
    if (status == RVM_OK)
        status = rvm_ascent_climb(&c->path, &hill, least, STEPS, MAX_STEPS, err);
    return status;
}

/* ---- Inputs of no use ----------------------------------------------------------------------- */

/* Inputs that are there, by the size of their relevances free of units, least first; returns their
 * number. size: scratch, as long as there are inputs. */
static size_t order_inputs(size_t *order, double *size, const ascent *c)
{
    const rvm_widths *w = c->w;
    const double *theta = c->path.now.theta;
    size_t count = 0;
    for (size_t j = 0; j < w->inputs.count; j++) {
        const bool there = isfinite(theta[j]);
        size[j] = there ? theta[j] - w->low[j] : INFINITY;
        count += there;
    }
    gsl_sort_index(order, size, 1, w->inputs.count);
    return count;
}

/* The trial is where the ascent stands, without the first `count` inputs of the order. */
static rvm_status try_without(ascent *c, const size_t *order, size_t count, rvm_error *err)
{
    rvm_place *to = &c->path.trial;
    memcpy(to->theta, c->path.now.theta, c->w->count * sizeof *to->theta);
    for (size_t k = 0; k < count; k++)
        to->theta[order[k]] = -INFINITY;
    place_common(to->theta, c->w);
    return evaluate(&to->value, to->gradient, c, to->theta, err);
}

/* Nats that it costs to leave out `count` of so many inputs: which ones is a choice among
 * d! / [count! (d - count)!], without a price for which there are many subsets better by chance
 * (Scott and Berger 2010, section 3), less half a nat for each. Without all of them the scale and
 * the variance have gone too, each worth 1/2 ln N (Schwarz 1978). */
static double cost_of(const rvm_widths *w, size_t count)
{
    const double simpler = 0.5, d = (double)w->inputs.count, out = (double)count;
    if (count == w->inputs.count)
        return -log((double)w->p->rows);
    return lgamma(d + 1) - lgamma(out + 1) - lgamma(d - out + 1) - simpler * out;
}

/* Of all inputs, the least two thirds of them, two thirds of these, ... one, those that it is best to leave out; 0:
 * none; never some without which one scale for all were better. The first group that saves anything
 * will not do: many of no use would take a useful one with them. */
static rvm_status choose_group(size_t *count, ascent *c, const size_t *order, size_t all,
                               rvm_error *err)
{
    const rvm_widths *w = c->w;
    const size_t out = w->inputs.count - all;
    rvm_status status = RVM_OK;
    double best = c->path.now.value - cost_of(w, out);
    *count = 0;
    for (size_t k = all; k > 0 && status == RVM_OK && !rvm_interrupted(w->interrupted);
         k -= GSL_MAX(k / 3, 1)) {
        status = try_without(c, order, k, err);
        const double value = c->path.trial.value - cost_of(w, out + k);
        if (value > best && (k == all || c->path.trial.value >= w->single)) {
            best = value;
            *count = k;
        }
    }
    return status;
}

static rvm_status leave_out(bool *dropped, ascent *c, rvm_error *err)
{
    const rvm_hill hill = hill_of(c);
    size_t *order = rvm_array(c->w->inputs.count, sizeof *order), count = 0;
    *dropped = false;
    if (order == NULL)
        return rvm_fail_memory(err, "the inputs");
    const size_t all = order_inputs(order, c->path.move, c);
    rvm_status status = choose_group(&count, c, order, all, err);
    if (status == RVM_OK && count > 0)
        status = try_without(c, order, count, err);
    free(order);
    *dropped = status == RVM_OK && count > 0;
    if (*dropped)
        rvm_ascent_move(&c->path, &hill);
    return status;
}

/* ---- What is seen --------------------------------------------------------------------------- */

/* An ascent has five matrices of that size, and there are several. */
static size_t most_rows(const rvm_settings *s)
{
    const bool is_rough = s->restarts == 1 && s->task == RVM_CLASSIFICATION;
    return (size_t)fmax(2, fmin(is_rough ? ROUGH_ROWS : MOST_ROWS,
                                sqrt(s->budget_mb * 1048576 / (8.0 * 8 * ASCENTS))));
}

/* The rows that are seen; *row is owned by the caller. */
static rvm_status choose_rows(size_t **row, rvm_widths *w, const rvm_study *y,
                              const rvm_settings *s, rvm_error *err)
{
    const double *row_weight = y->observed.row_weight;
    const rvm_status status = rvm_sample_rows(&w->p, row, y, most_rows(s), s->seed, err);
    if (status != RVM_OK || row_weight == NULL)
        return status;
    w->row_weight = rvm_array(w->p->rows, sizeof *w->row_weight);
    return w->row_weight == NULL
               ? rvm_fail_memory(err, "a part of the rows")
               : rvm_shard_pick_numbers(w->row_weight, y->p, *row, w->p->rows, row_weight, err);
}

/* t[k]: 1 where a row is of class k, else 0; of some rows. */
static rvm_status tell_classes(gsl_matrix *t, const rvm_problem *p, const size_t *class_of_row,
                               const size_t *row, rvm_error *err)
{
    double *class = rvm_array(p->rows, sizeof *class), *some = rvm_array(t->size2, sizeof *some);
    rvm_status status =
        class == NULL || some == NULL ? rvm_fail_memory(err, "the targets") : RVM_OK;
    for (size_t n = 0; n < p->rows && status == RVM_OK; n++)
        class[n] = (double)class_of_row[n];
    if (status == RVM_OK)
        status = rvm_shard_pick_numbers(some, p, row, t->size2, class, err);
    for (size_t n = 0; n < t->size2 && status == RVM_OK; n++)
        gsl_matrix_set(t, (size_t)some[n], n, 1);
    free(class);
    free(some);
    return status;
}

/* The targets: outputs, but for constant ones, which have nothing to say; or whether a row is of each
 * class, where of two classes one says it all. */
static rvm_status observe_targets(rvm_widths *w, const rvm_study *y, const size_t *class_of_row,
                                  size_t classes, const rvm_settings *s, const size_t *row,
                                  rvm_error *err)
{
    const rvm_likelihood *l = y->observed.likelihood;
    const bool many = classes > 2, has_noise = l->has_noise;
    const size_t count = many ? classes : y->outputs;
    w->likelihood = l;
    w->free_noise = has_noise && !(s->noise_variance > 0);
    w->t = gsl_matrix_calloc(count, w->p->rows);
    w->fixed = rvm_array(count, sizeof *w->fixed);
    if (w->t == NULL || w->fixed == NULL)
        return rvm_fail_memory(err, "the targets");
    rvm_status status = many ? tell_classes(w->t, y->p, class_of_row, row, err) : RVM_OK;
    for (size_t k = 0; k < count && status == RVM_OK; k++) {
        const rvm_target *target = &y->target[many ? 0 : k];
        const rvm_observed *o = &target->observed;
        if (has_noise && target->is_constant)
            continue;
        if (!many)
            status = rvm_shard_pick_numbers(gsl_matrix_ptr(w->t, w->targets, 0), y->p, row,
                                            w->p->rows, o->t, err);
        w->fixed[w->targets++] =
            has_noise ? exp(fmax(of_noise.least, fmin(-o->ln_beta, of_noise.most))) : 1;
    }
    return status;
}

/* ---- Life of the object --------------------------------------------------------------------- */

/* Adds the covariance of a term whose values these are. */
static void add_term(gsl_matrix *trend, const double *value)
{
    gsl_vector_const_view z = gsl_vector_const_view_array(value, trend->size1);
    double square = 0;
    gsl_blas_ddot(&z.vector, &z.vector, &square);
    if (square > 0 && isfinite(square))
        gsl_blas_dger(term_variance * (double)trend->size1 / square, &z.vector, &z.vector, trend);
}

/* The covariance of the terms: what they explain is nothing that inputs need a weight for.
 * Quadratic ones first, then linear ones, are left out where they are too many for the rows. */
static rvm_status fill_trend(rvm_widths *w, rvm_error *err)
{
    const size_t N = w->p->rows;
    rvm_term_list list;
    rvm_status status = rvm_term_list_init(&list, w->terms, w->inputs.index, w->inputs.count, err);
    for (unsigned degree = 4; status == RVM_OK && degree > 1; degree /= 2)
        if ((double)rvm_term_list_count(&list) > most_terms * (double)N) {
            w->terms &= ~degree;
            status = rvm_term_list_init(&list, w->terms, w->inputs.index, w->inputs.count, err);
        }
    if (status != RVM_OK)
        return status;
    double *value = rvm_array(N, sizeof *value);
    w->trend = gsl_matrix_calloc(N, N);
    if (value == NULL || w->trend == NULL) {
        free(value);
        return rvm_fail_memory(err, "a covariance");
    }
    for (size_t k = 0; k < rvm_term_list_count(&list); k++) {
        const rvm_term term = rvm_term_list_get(&list, k);
        rvm_term_values(value, &term, w->p, 0, N);
        add_term(w->trend, value);
    }
    free(value);
    return RVM_OK;
}

static rvm_status ascent_init(ascent *c, const rvm_widths *w, const rvm_kernel *kernel,
                              rvm_error *err)
{
    const size_t N = w->p->rows;
    c->w = w;
    c->eta = rvm_array(w->inputs.count, sizeof *c->eta);
    c->K = gsl_matrix_alloc(N, N);
    c->dL_dK = gsl_matrix_alloc(N, N);
    c->mode = gsl_matrix_calloc(GSL_MAX(w->targets, 1), N);
    if (c->eta == NULL || c->K == NULL || c->dL_dK == NULL || c->mode == NULL ||
        !rvm_ascent_init(&c->path, w->count))
        return rvm_fail_memory(err, "the length-scales");
    c->path.now.value = c->path.trial.value = -INFINITY;
    c->threads = 1;
    c->weights = (rvm_input_weights){ w->inputs.count, w->inputs.index, c->eta };
    c->kernel = *kernel;
    c->kernel.gamma = 1;
    c->kernel.inputs = &c->weights;
    return rvm_process_init(&c->process, N, err);
}

static void ascent_free(ascent *c)
{
    free(c->eta);
    rvm_ascent_free(&c->path);
    gsl_matrix_free(c->K);
    gsl_matrix_free(c->dL_dK);
    gsl_matrix_free(c->mode);
    rvm_process_free(&c->process);
    memset(c, 0, sizeof *c);
}

/* The logarithm of what makes the relevance of an input free of its units. */
static double unit_of(const rvm_widths *w, size_t j, rvm_combination by)
{
    return (by == RVM_BY_DISTANCES ? 1 : 2) * log(w->inputs.spread[j]);
}

/* -ln of the kernel's value at the nearest row that differs; infinite where there is none. */
static double nearest_to(const gsl_matrix *K, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < K->size1; i++) {
        const double value = gsl_matrix_get(K, n, i);
        if (i != n && value < 1)
            most = fmax(most, value);
    }
    return most > 0 ? -log(most) : INFINITY;
}

/* w->nearest, by a kernel that is exp(-distance). */
static rvm_status find_nearest(rvm_widths *w, ascent *c, rvm_combination by, rvm_error *err)
{
    const size_t N = w->p->rows;
    rvm_kernel_rows *rows = NULL;
    w->nearest = INFINITY;
    if (by != RVM_BY_SQUARES && by != RVM_BY_DISTANCES)
        return RVM_OK;
    for (size_t j = 0; j < w->inputs.count; j++)
        c->path.trial.theta[j] = -unit_of(w, j, by) - log((double)w->inputs.count);
    rvm_status status = fill_kernel(w, c, c->path.trial.theta, &rows, err);
    rvm_kernel_rows_free(rows);
    double *size = rvm_array(N, sizeof *size);
    if (size == NULL)
        return rvm_fail_memory(err, "distances");
    for (size_t n = 0; n < N && status == RVM_OK; n++)
        size[n] = nearest_to(c->K, n);
    if (status == RVM_OK)
        w->nearest = gsl_stats_median(size, 1, N);
    free(size);
    return status;
}

static const range *range_of(const rvm_widths *w, size_t j)
{
    const size_t d = w->inputs.count;
    return j < d || j == w->count - 1 ? &of_relevance
           : j < d + w->targets       ? &of_variance
                                      : &of_noise;
}

static void set_bounds(rvm_widths *w, rvm_combination by)
{
    const double alone = 4; /* -ln of the nearest row's value */
    const double most_relevance = fmax(of_relevance.most, log(alone / w->nearest));
    for (size_t j = 0; j < w->count; j++) {
        const range *r = range_of(w, j);
        const double unit = j < w->inputs.count ? unit_of(w, j, by) : 0;
        w->low[j] = r->least - unit;
        w->high[j] = (r == &of_relevance ? most_relevance : r->most) - unit;
    }
}

/* The first ascent is from gamma; the others know the spread of the inputs, and from how far apart
 * two rows then are: some, in any case, and where rows stand much closer, the neighbours. */
static void place_start(ascent *c, const rvm_widths *w, int number, double gamma)
{
    enum { AT_LARGE = 2 }; /* has its relevances go their own ways from the start */
    const double near = neighbours / w->nearest;
    const double apart[ASCENTS] = { 0, 0.3, 1.2, farthest, sqrt(farthest * near), near };
    const size_t d = w->inputs.count;
    for (size_t j = 0; j < w->count; j++) {
        const range *r = range_of(w, j);
        double *theta = &c->path.now.theta[j];
        *theta = w->low[j] - r->least + r->start;
        if (j < d)
            *theta = number == 0 ? log(gamma) : *theta + log(apart[number] / (double)d);
        *theta = fmax(w->low[j], fmin(*theta, w->high[j]));
    }
    place_common(c->path.now.theta, w);
    c->tied = number != AT_LARGE;
}

/* So many, and where there is room between the last one of them and the neighbours the others. */
static int choose_ascents(const rvm_widths *w)
{
    enum { COARSE = 4 };
    if (w->single_start)
        return 1;
    return neighbours / w->nearest > 2 * farthest ? ASCENTS : COARSE;
}

static rvm_status begin_ascents(rvm_widths *w, const rvm_kernel *kernel, rvm_error *err)
{
    const rvm_combination by = rvm_kernel_combination(kernel->type);
    rvm_status status = ascent_init(&w->ascent[0], w, kernel, err);
    if (status == RVM_OK)
        status = find_nearest(w, &w->ascent[0], by, err);
    if (status != RVM_OK)
        return status;
    set_bounds(w, by);
    w->ascents = choose_ascents(w);
    for (int k = 1; k < w->ascents && status == RVM_OK; k++)
        status = ascent_init(&w->ascent[k], w, kernel, err);
    for (int k = 0; k < w->ascents && status == RVM_OK; k++)
        place_start(&w->ascent[k], w, k, kernel->gamma > 0 ? kernel->gamma : 1);
    return status;
}

static rvm_status prepare(rvm_widths *w, const rvm_kernel *kernel, rvm_error *err)
{
    rvm_status status = rvm_inputs_init(&w->inputs, w->p, err);
    if (status == RVM_OK)
        status = fill_trend(w, err);
    if (status != RVM_OK)
        return status;
    w->count = w->inputs.count + (w->free_noise ? 2 : 1) * w->targets + 1;
    w->low = rvm_array(w->count, sizeof *w->low);
    w->high = rvm_array(w->count, sizeof *w->high);
    w->one = rvm_array(w->count, sizeof *w->one);
    w->end = rvm_array(w->count, sizeof *w->end);
    w->best_index = rvm_array(w->inputs.count, sizeof *w->best_index);
    w->best_weight = rvm_array(w->inputs.count, sizeof *w->best_weight);
    if (w->low == NULL || w->high == NULL || w->one == NULL || w->end == NULL ||
        w->best_index == NULL || w->best_weight == NULL)
        return rvm_fail_memory(err, "the length-scales");
    return begin_ascents(w, kernel, err);
}

rvm_status rvm_widths_alloc(rvm_widths **out, const rvm_study *y, const size_t *class_of_row,
                            size_t classes, const rvm_settings *s, rvm_error *err)
{
    rvm_widths *w = rvm_array(1, sizeof *w);
    if (w == NULL)
        return rvm_fail_memory(err, "the length-scales");
    w->threads = rvm_threads(s->threads);
    w->interrupted = s->interrupted;
    w->best = -1;
    w->single = -INFINITY;
    w->terms = rvm_term_wanted(s);
    w->single_start = s->restarts == 1;
    w->settings = *s;
    w->kernel = y->basis.kernel;
    size_t *row = NULL;
    rvm_status status = choose_rows(&row, w, y, s, err);
    if (status == RVM_OK)
        status = observe_targets(w, y, class_of_row, classes, s, row, err);
    free(row);
    if (status == RVM_OK)
        status = prepare(w, &y->basis.kernel, err);
    if (status != RVM_OK) {
        rvm_widths_free(w);
        return status;
    }
    *out = w;
    return RVM_OK;
}

void rvm_widths_free(rvm_widths *w)
{
    if (w == NULL)
        return;
    for (int k = 0; k < ASCENTS; k++)
        ascent_free(&w->ascent[k]);
    rvm_problem_free(w->p);
    rvm_inputs_free(&w->inputs);
    gsl_matrix_free(w->trend);
    gsl_matrix_free(w->t);
    free(w->fixed);
    free(w->row_weight);
    free(w->low);
    free(w->high);
    free(w->one);
    free(w->end);
    for (int side = 0; side < 2; side++)
        rvm_widths_free(w->half[side]);
    free(w->best_index);
    free(w->best_weight);
    free(w);
}

/* ---- Rounds --------------------------------------------------------------------------------- */

static const ascent *highest(const rvm_widths *w)
{
    int best = 0;
    for (int k = 1; k < w->ascents; k++)
        if (w->ascent[k].path.now.value > w->ascent[best].path.now.value)
            best = k;
    return &w->ascent[w->best >= 0 ? w->best : best];
}

static rvm_status ascent_piece(void *context, size_t k, int worker, rvm_error *err)
{
    rvm_widths *w = context;
    (void)worker;
    return climb_on(&w->ascent[k], rough, err);
}

/* Whether another one before it has come to the same place. */
static bool is_double(const rvm_widths *w, int k)
{
    const double near = 0.1; /* in any coordinate */
    for (int i = 0; i < k; i++) {
        double apart = 0;
        for (size_t j = 0; j < w->count; j++)
            apart =
                fmax(apart, fabs(w->ascent[i].path.now.theta[j] - w->ascent[k].path.now.theta[j]));
        if (apart < near)
            return true;
    }
    return false;
}

/* Those that had one step for all relevances go on, from the best single scale near each. */
static rvm_status untie(bool *tied, rvm_widths *w, rvm_error *err)
{
    rvm_status status = RVM_OK;
    *tied = false;
    for (int k = 0; k < w->ascents; k++)
        if (w->ascent[k].tied && w->ascent[k].path.now.value > w->single) {
            w->single = w->ascent[k].path.now.value;
            memcpy(w->one, w->ascent[k].path.now.theta, w->count * sizeof *w->one);
        }
    for (int k = 0; k < w->ascents && status == RVM_OK; k++) {
        ascent *c = &w->ascent[k];
        const rvm_hill hill = hill_of(c);
        if (!c->tied)
            continue;
        c->tied = false;
        if (is_double(w, k)) {
            c->path.now.value = -INFINITY;
            continue;
        }
        *tied = true;
        status = rvm_ascent_again(&c->path, &hill, err);
    }
    return status;
}

static void choose_best(rvm_widths *w)
{
    w->best = (int)(highest(w) - w->ascent);
    w->ascent[w->best].path.resting = false;
    w->ascent[w->best].path.small = 0;
    w->ascent[w->best].threads = w->threads;
}

static rvm_status step_all(rvm_widths *w, rvm_error *err)
{
    bool resting = true, tied = false;
    rvm_status status = rvm_share((size_t)w->ascents, ascent_piece, w, w->threads, err);
    if (status != RVM_OK)
        return status;
    for (int k = 0; k < w->ascents; k++)
        resting = resting && w->ascent[k].path.resting;
    if (!resting)
        return RVM_OK;
    status = untie(&tied, w, err);
    if (status == RVM_OK && !tied)
        choose_best(w);
    return status;
}

static void choose(rvm_widths *w, const double *theta)
{
    size_t count = 0;
    for (size_t j = 0; j < w->inputs.count; j++)
        if (isfinite(theta[j])) {
            w->best_index[count] = w->inputs.index[j];
            w->best_weight[count++] = exp(theta[j]);
        }
    w->chosen = (rvm_input_weights){ count, w->best_index, w->best_weight };
}

static void free_ascents(rvm_widths *w)
{
    for (int k = 0; k < ASCENTS; k++)
        if (k != w->best || w->settled)
            ascent_free(&w->ascent[k]);
}

/* Gives back the memory, which the search to come can use. */
static void settle(rvm_widths *w)
{
    w->settled = true;
    free_ascents(w);
    for (int side = 0; side < 2; side++) {
        rvm_widths_free(w->half[side]);
        w->half[side] = NULL;
    }
}

/* ---- Halves --------------------------------------------------------------------------------- */

/* What half `side` of `of` sees, N of its rows. */
static rvm_status copy_half(rvm_widths *w, const rvm_widths *of, size_t side, size_t N,
                            rvm_error *err)
{
    size_t *row = rvm_array(N, sizeof *row);
    for (size_t n = 0; n < N && row != NULL; n++)
        row[n] = 2 * n + side;
    w->p = row != NULL ? rvm_problem_subset(of->p, row, N) : NULL;
    free(row);
    w->t = gsl_matrix_alloc(of->t->size1, N);
    w->fixed = rvm_array(of->t->size1, sizeof *w->fixed);
    w->row_weight = rvm_array(N, sizeof *w->row_weight);
    if (w->p == NULL || w->t == NULL || w->fixed == NULL || w->row_weight == NULL)
        return rvm_fail_memory(err, "half of the rows");
    memcpy(w->fixed, of->fixed, of->targets * sizeof *w->fixed);
    for (size_t n = 0; n < N; n++) {
        w->row_weight[n] = of->row_weight != NULL ? of->row_weight[2 * n + side] : 1;
        for (size_t k = 0; k < of->targets; k++)
            gsl_matrix_set(w->t, k, n, gsl_matrix_get(of->t, k, 2 * n + side));
    }
    return RVM_OK;
}

static rvm_status half_alloc(rvm_widths **out, const rvm_widths *of, size_t side, rvm_error *err)
{
    rvm_widths *w = rvm_array(1, sizeof *w);
    if (w == NULL)
        return rvm_fail_memory(err, "half of the rows");
    w->is_half = true;
    w->best = -1;
    w->single = -INFINITY;
    w->threads = of->threads;
    w->interrupted = of->interrupted;
    w->terms = of->terms;
    w->single_start = of->single_start;
    w->likelihood = of->likelihood;
    w->free_noise = of->free_noise;
    w->targets = of->targets;
    w->settings = of->settings;
    w->kernel = of->kernel;
    rvm_status status = copy_half(w, of, side, (of->p->rows + 1 - side) / 2, err);
    if (status == RVM_OK)
        status = prepare(w, &w->kernel, err);
    if (status != RVM_OK) {
        rvm_widths_free(w);
        return status;
    }
    *out = w;
    return RVM_OK;
}

/* theta of that share of the way from one scale to the maximum. Inputs that the maximum leaves out are
 * left out from half-way on; to there they go to the least relevance that there is. */
static void place_between(double *theta, const rvm_widths *w, int share)
{
    const double part = (double)share / (SHARES - 1);
    for (size_t j = 0; j < w->count; j++) {
        const bool out = !isfinite(w->end[j]);
        const double end = out ? w->low[j] : w->end[j];
        theta[j] = out && part >= 0.5    ? -INFINITY
                   : share == SHARES - 1 ? end
                                         : w->one[j] + part * (end - w->one[j]);
    }
}

/* Adds what the rows of `others` lose by each share of a half that has not seen them. */
static rvm_status judge_shares(double *loss, rvm_widths *half, const rvm_problem *others,
                               rvm_error *err)
{
    rvm_screen *screen = NULL;
    rvm_kernel kernel = half->kernel;
    double *theta = rvm_array(half->count, sizeof *theta), mean = 0;
    rvm_status status = theta == NULL ? rvm_fail_memory(err, "the length-scales")
                                      : rvm_screen_alloc(&screen, others, &half->settings, err);
    kernel.gamma = 1;
    kernel.inputs = &half->chosen;
    for (int k = 0; k < SHARES && status == RVM_OK && isfinite(half->single); k++) {
        place_between(theta, half, k);
        choose(half, theta);
        status = rvm_screen_judge(&mean, screen, &kernel, half->settings.linear, err);
        loss[k] += mean * (double)others->rows;
    }
    rvm_screen_free(screen);
    free(theta);
    return status;
}

/* The maximum, unless less of the way is better, and never a place behind the best single scale. */
static rvm_status choose_share(rvm_widths *w, rvm_error *err)
{
    double loss[SHARES] = { 0 };
    ascent *c = &w->ascent[w->best];
    rvm_place *to = &c->path.trial;
    int best = SHARES - 1;
    rvm_status status = RVM_OK;
    for (int side = 0; side < 2 && status == RVM_OK; side++)
        status = judge_shares(loss, w->half[side], w->half[1 - side]->p, err);
    for (int k = best - 1; k >= 0; k--)
        if (loss[k] < loss[best])
            best = k;
    if (status != RVM_OK || best == SHARES - 1)
        return status;
    place_between(to->theta, w, best);
    status = evaluate(&to->value, to->gradient, c, to->theta, err);
    if (status == RVM_OK && !(to->value >= w->single)) {
        place_between(to->theta, w, 0);
        to->value = w->single;
    }
    if (status == RVM_OK && !rvm_interrupted(w->interrupted)) {
        w->log_evidence = to->value;
        choose(w, to->theta);
    }
    return status;
}

static rvm_status step_halves(bool *done, rvm_widths *w, rvm_error *err)
{
    bool over = false;
    rvm_status status = rvm_widths_step(&over, w->half[w->halves_over], err);
    w->halves_over += status == RVM_OK && over;
    if (status != RVM_OK || w->halves_over < 2)
        return status;
    if (w->half[0]->settled && w->half[1]->settled)
        status = choose_share(w, err);
    *done = status == RVM_OK;
    if (*done)
        settle(w);
    return status;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static rvm_status finish_climb(bool *done, rvm_widths *w, rvm_error *err)
{
    const rvm_place *top = &w->ascent[w->best].path.now;
    rvm_status status = RVM_OK;
    w->climbed = true;
    w->log_evidence = top->value;
    memcpy(w->end, top->theta, w->count * sizeof *w->end);
    choose(w, w->end);
    free_ascents(w);
    *done = w->is_half || w->single_start || w->likelihood->has_noise || w->p->rows < LEAST_ROWS ||
            !isfinite(w->single);
    for (size_t side = 0; side < 2 && !*done && status == RVM_OK; side++)
        status = half_alloc(&w->half[side], w, side, err);
    if (*done)
        settle(w);
    return status;
}

static rvm_status step_best(bool *done, rvm_widths *w, rvm_error *err)
{
    ascent *c = &w->ascent[w->best];
    bool dropped = false;
    rvm_status status = climb_on(c, fine, err);
    if (status == RVM_OK && c->path.resting)
        status = leave_out(&dropped, c, err);
    if (status == RVM_OK && c->path.resting && !dropped && !rvm_interrupted(w->interrupted))
        status = finish_climb(done, w, err);
    return status;
}

rvm_status rvm_widths_step(bool *done, rvm_widths *w, rvm_error *err)
{
    *done = w->settled || w->inputs.count == 0 || w->targets == 0;
    if (*done)
        return RVM_OK;
    if (w->climbed)
        return step_halves(done, w, err);
    return w->best < 0 ? step_all(w, err) : step_best(done, w, err);
}

void rvm_widths_report(rvm_report *r, const rvm_widths *w)
{
    const double steps = w->climbed ? 0 : highest(w)->path.steps, share = 0.8; /* of all rows */
    r->rows = w->p->rows;
    r->log_evidence = w->climbed ? w->log_evidence : highest(w)->path.now.value;
    r->progress = w->settled   ? 1
                  : w->climbed ? share + (1 - share) * w->halves_over / 2
                               : share * steps / (steps + 20);
}

const rvm_input_weights *rvm_widths_best(rvm_widths *w)
{
    if (!w->climbed)
        choose(w, highest(w)->path.now.theta);
    return &w->chosen;
}

/* ---- To be gone on with ---------------------------------------------------------------------- */

/* The next input of that feature at or behind `from`; the count where there is none. */
static size_t find_input(const rvm_widths *w, size_t from, int feature)
{
    while (from < w->inputs.count && w->inputs.index[from] != feature)
        from++;
    return from;
}

void rvm_widths_code(rvm_codec *c, rvm_widths *w)
{
    const bool reads = rvm_codec_reads(c);
    size_t count = reads ? 0 : rvm_widths_best(w)->count, next = 0;
    rvm_codec_key(c, "widths");
    rvm_codec_count(c, &count, 0, w->inputs.count);
    rvm_codec_bits(c, &w->log_evidence, 1);
    for (size_t j = 0; j < count && c->status == RVM_OK; j++) {
        rvm_codec_line(c);
        rvm_codec_whole(c, &w->best_index[j], 0, INT_MAX);
        rvm_codec_bits(c, &w->best_weight[j], 1);
        next = find_input(w, next, w->best_index[j]) + 1;
        if (next > w->inputs.count || !isfinite(w->best_weight[j]) || w->best_weight[j] < 0)
            rvm_codec_fault_line(c, "there is no such length-scale");
    }
    if (!reads)
        return;
    w->chosen = (rvm_input_weights){ count, w->best_index, w->best_weight };
    w->climbed = true;
    settle(w);
}
