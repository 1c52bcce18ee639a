/* The variance s of a sparse Gaussian process of classes, by cross-validation with its points held.
 *
 * Laplace's evidence does not know it: it ties s to the width of a posterior that is not normal where
 * s is large, and with many classes chooses one that is far too small (vowel: log loss 0.153 for the
 * 0.067 of cross-validation), for the full Hessian as for its blocks.  So the log loss of the modes
 * on rows left out decides, in five folds, along ln s.  Rows of the same features are left out
 * together.  For s alone a sample of the rows and of the points will do, s being the size of the
 * latent functions whatever they are seen through.
 *
 * One s for all classes: the fixed points of the evidence for each by itself are all alike. */
#include <gsl/gsl_math.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "data/order.h"
#include "data/problem.h"
#include "data/shard.h"
#include "inference/points_mode.h"
#include "inference/probability.h"
#include "search/process_climb.h"

enum { FOLDS = 5, POINTS = 400, MOST_TRIALS = 12 };

/* s, times the mean of k(x,x), where the search begins; factor from one to the next; bounds. */
static const double first_variance = 30, factor = 3.16227766016838, least_variance = 1e-3,
                    most_variance = 1e7;

/* Share of the loss by which the next variance must be better: where classes can be separated it
 * falls for ever, by less and less, and what it falls by is not there on other rows. */
static const double least_fall = 0.005;

/* Nats that a step to the mode of a fold must gain. */
static const double at_mode = 0.01;

/* A row of which the class is sure counts so much. */
static const double least_doubt = 1e-3;

/* A precision for each term: the prior variance of a log-odds, 100, is as good as any. */
static const double of_term = 0.01;

typedef struct {
    double variance, loss;
} trial;

typedef struct {
    rvm_process_job job;
    size_t C;             /* latent functions */
    double *t;            /* owned, rows: two classes, 1 for that of f > 0 */
    size_t *class_of_row; /* owned, rows: that one has number 0 */
    int *fold;            /* owned, rows */
    double *own_weight;   /* owned, rows: what each counts, */
    double *row_weight;   /* owned, rows: and of the fold in hand */
    double *precision;    /* owned, terms */
    double *variance;     /* owned, latents: of the best trial */
    rvm_problem *some;    /* owned: the points that take part */
    rvm_points points;
    rvm_points_mode mode;
    gsl_matrix *V[FOLDS];  /* owned: the modes of the trial before, */
    double at[FOLDS];      /* and their variance; 0: none yet */
    double unit;           /* 1 / mean of k(x,x) */
    double *p, *log_p, *f; /* owned, of one row: P and ln P of each class, C activations */
    trial best;
    int direction; /* of ln s: 1 at first; 0: at rest */
    int trials;
} climb;

static void forget_points(climb *c)
{
    rvm_points_mode_free(&c->mode);
    rvm_points_free(&c->points);
    rvm_problem_free(c->some);
    c->some = NULL;
    for (int k = 0; k < FOLDS; k++) {
        gsl_matrix_free(c->V[k]);
        c->V[k] = NULL;
    }
}

static void climb_free(void *climbing)
{
    climb *c = climbing;
    if (c == NULL)
        return;
    forget_points(c);
    free(c->t);
    free(c->class_of_row);
    free(c->p);
    free(c->fold);
    free(c->own_weight);
    free(c->row_weight);
    free(c->precision);
    free(c->variance);
    free(c);
}

/* The processes that climb, all of them on the same sample, and as rank 0 does. */
static rvm_team *team_of(const climb *c)
{
    return c->job.y->observed.spans.team;
}

/* ---- What is looked at ---------------------------------------------------------------------- */

/* Rows of the same features share a fold. */
static rvm_status deal_folds(climb *c, rvm_error *err)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (rng == NULL)
        return rvm_fail_memory(err, "the folds");
    gsl_rng_set(rng, c->job.settings->seed);
    for (size_t n = 0; n < c->job.rows->rows; n++)
        c->fold[n] = n > 0 && rvm_order_same(c->job.rows, n - 1, n)
                         ? c->fold[n - 1]
                         : (int)gsl_rng_uniform_int(rng, FOLDS);
    gsl_rng_free(rng);
    return RVM_OK;
}

/* Numbers of the rows of the sample, from those of the rows of this process. */
static rvm_status pick(double *to, const climb *c, const double *from, rvm_error *err)
{
    return rvm_shard_pick_numbers(to, c->job.y->p, c->job.row, c->job.rows->rows, from, err);
}

/* Targets, classes and weights of the rows. */
static rvm_status copy_classes(climb *c, rvm_error *err)
{
    const rvm_study *y = c->job.y;
    const size_t here = y->observed.N, N = c->job.rows->rows;
    double *class = rvm_array(here, sizeof *class);
    if (class == NULL)
        return rvm_fail_memory(err, "the classes");
    rvm_status status = pick(c->t, c, y->observed.t, err);
    for (size_t n = 0; n < here && c->C > 1; n++)
        class[n] = (double)y->class_of_row[n];
    if (status == RVM_OK && c->C > 1)
        status = pick(c->own_weight, c, class, err);
    for (size_t n = 0; n < N; n++) {
        c->class_of_row[n] = c->C > 1 ? (size_t)c->own_weight[n] : c->t[n] == 0;
        c->own_weight[n] = 1;
    }
    if (status == RVM_OK && y->observed.row_weight != NULL)
        status = pick(c->own_weight, c, y->observed.row_weight, err);
    free(class);
    return status;
}

static rvm_status prepare(climb *c, rvm_error *err)
{
    const size_t N = c->job.rows->rows;
    c->C = c->job.latents;
    c->t = rvm_array(N, sizeof *c->t);
    c->class_of_row = rvm_array(N, sizeof *c->class_of_row);
    c->p = rvm_array(3 * (c->C + 1), sizeof *c->p);
    c->fold = rvm_array(N, sizeof *c->fold);
    c->own_weight = rvm_array(N, sizeof *c->own_weight);
    c->row_weight = rvm_array(N, sizeof *c->row_weight);
    c->precision = rvm_array(c->job.terms, sizeof *c->precision);
    c->variance = rvm_array(c->C, sizeof *c->variance);
    if (c->t == NULL || c->class_of_row == NULL || c->p == NULL || c->fold == NULL ||
        c->own_weight == NULL || c->row_weight == NULL || c->precision == NULL ||
        c->variance == NULL)
        return rvm_fail_memory(err, "the classes");
    c->log_p = c->p + c->C + 1;
    c->f = c->log_p + c->C + 1;
    for (size_t i = 0; i < c->job.terms; i++)
        c->precision[i] = of_term;
    for (size_t k = 0; k < c->C; k++)
        c->variance[k] = first_variance;
    c->best = (trial){ first_variance, INFINITY };
    c->unit = 1;
    const rvm_status status = copy_classes(c, err);
    return status == RVM_OK ? deal_folds(c, err) : status;
}

static rvm_status climb_alloc(void **out, const rvm_process_job *job, rvm_error *err)
{
    climb *c = rvm_array(1, sizeof *c);
    if (c == NULL)
        return rvm_fail_memory(err, "the classes");
    c->job = *job;
    const rvm_status status = prepare(c, err);
    if (status != RVM_OK) {
        climb_free(c);
        return status;
    }
    *out = c;
    return RVM_OK;
}

static rvm_status climb_place(void *climbing, const rvm_problem *points, rvm_error *err)
{
    climb *c = climbing;
    const rvm_settings *s = c->job.settings;
    const double budget = s->budget_mb * 1048576 / 8 / 4;
    forget_points(c);
    c->some = rvm_problem_thin(points, POINTS);
    c->best.loss = INFINITY;
    c->direction = 1;
    c->trials = 0;
    if (c->some == NULL)
        return rvm_fail_memory(err, "the classes");
    rvm_status status =
        rvm_points_init(&c->points, c->job.rows, c->some, rvm_threads(s->threads), err);
    if (status == RVM_OK)
        status = rvm_points_place(&c->points, &c->job.y->basis.kernel, err);
    if (status == RVM_OK)
        c->unit = 1 / rvm_points_scale(&c->points);
    rvm_team_same(team_of(c), &c->unit, sizeof c->unit);
    if (status == RVM_OK)
        status = rvm_points_mode_init(&c->mode, &c->points, c->job.T, c->precision, c->job.terms,
                                      c->C, c->t, c->class_of_row, budget, err);
    c->mode.interrupted = s->interrupted;
    for (int k = 0; k < FOLDS && status == RVM_OK; k++) {
        c->at[k] = 0;
        c->V[k] = gsl_matrix_calloc(c->C, c->mode.m);
        if (c->V[k] == NULL)
            status = rvm_fail_memory(err, "the classes");
    }
    return status;
}

/* ---- Trials --------------------------------------------------------------------------------- */

/* c->p and c->log_p from column n of the activations; of two classes that of f > 0 comes first. */
static void find_probabilities(climb *c, const gsl_matrix *A, size_t n)
{
    for (size_t k = 0; k < c->C; k++)
        c->f[k] = gsl_matrix_get(A, k, n);
    if (c->C > 1)
        rvm_probability_of_many(c->p, c->log_p, c->f, NULL, c->C, true);
    else
        rvm_probability_of_two(c->p, c->log_p, c->f[0], 0, true);
}

/* Adds what the rows left out have lost, and what they count. */
static rvm_status add_loss(double *loss, double *count, climb *c, int fold, rvm_error *err)
{
    enum { SOME = 512 };
    const size_t N = c->job.rows->rows;
    gsl_matrix *A = gsl_matrix_alloc(c->C, SOME);
    rvm_status status = A == NULL ? rvm_fail_memory(err, "the classes") : RVM_OK;
    for (size_t first = 0; first < N && status == RVM_OK; first += SOME) {
        gsl_matrix_view a = gsl_matrix_submatrix(A, 0, 0, c->C, GSL_MIN(SOME, N - first));
        status = rvm_points_mode_activate(&a.matrix, &c->mode, first, err);
        for (size_t n = 0; n < a.matrix.size2 && status == RVM_OK; n++) {
            const double rho = c->own_weight[first + n];
            if (c->fold[first + n] != fold)
                continue;
            find_probabilities(c, &a.matrix, n);
            *loss -= rho * c->log_p[c->class_of_row[first + n]];
            *count += rho;
        }
    }
    gsl_matrix_free(A);
    return status;
}

/* The mode of a fold, from that at the variance before: there the functions are the same. */
static rvm_status find_mode(climb *c, int fold, double variance, rvm_error *err)
{
    rvm_points_mode *q = &c->mode;
    for (size_t n = 0; n < c->job.rows->rows; n++)
        c->row_weight[n] = c->fold[n] == fold ? 0 : c->own_weight[n];
    q->row_weight = c->row_weight;
    gsl_matrix_view kernel = gsl_matrix_submatrix(c->V[fold], 0, q->terms, q->C, q->m - q->terms);
    if (c->at[fold] > 0)
        gsl_matrix_scale(&kernel.matrix, sqrt(c->at[fold] / variance));
    gsl_matrix_memcpy(q->V, c->V[fold]);
    const rvm_status status = rvm_points_mode_find(q, at_mode, err);
    gsl_matrix_memcpy(c->V[fold], q->V);
    c->at[fold] = variance;
    return status;
}

static rvm_status cross_validate(double *loss, climb *c, double variance, rvm_error *err)
{
    double count = 0;
    *loss = 0;
    rvm_status status = rvm_points_mode_precondition(&c->mode, variance, err);
    for (int k = 0; k < FOLDS && status == RVM_OK; k++) {
        status = find_mode(c, k, variance, err);
        if (status == RVM_OK)
            status = add_loss(loss, &count, c, k, err);
    }
    *loss = count > 0 ? *loss / count : 0;
    if (status != RVM_ENUMERIC)
        return status;
    *loss = INFINITY; /* no mode there */
    return RVM_OK;
}

/* The variance to try next; 0: none. */
static double next_variance(const climb *c)
{
    const double next =
        c->trials == 0 ? first_variance * c->unit : c->best.variance * pow(factor, c->direction);
    const bool within = next >= least_variance * c->unit && next <= most_variance * c->unit;
    return within && c->trials < MOST_TRIALS ? next : 0;
}

/* Upwards while the loss falls; where it never did, downwards. An interrupt leaves what there is so
 * far. */
static rvm_status climb_step(bool *rests, void *climbing, rvm_error *err)
{
    climb *c = climbing;
    trial next = { next_variance(c), INFINITY };
    const rvm_status status =
        next.variance > 0 ? cross_validate(&next.loss, c, next.variance, err) : RVM_OK;
    *rests = false;
    rvm_team_same(team_of(c), &next.loss, sizeof next.loss);
    if (status != RVM_OK)
        return status == RVM_EINTERRUPT ? RVM_OK : status;
    if (c->trials == 0 || next.loss < (1 - least_fall) * c->best.loss)
        c->best = next;
    else
        c->direction = c->direction > 0 && c->trials == 1 ? -1 : 0;
    c->trials++;
    for (size_t k = 0; k < c->C; k++)
        c->variance[k] = c->best.variance;
    *rests = c->direction == 0;
    return RVM_OK;
}

/* ---- Rows that are not sure ----------------------------------------------------------------- */

/* sum of P (1 - P) over the classes. */
static double doubt_of(const climb *c)
{
    double sum = 0;
    for (size_t k = 0; k < (c->C > 1 ? c->C : 2); k++)
        sum += c->p[k] * (1 - c->p[k]);
    return sum;
}

/* The weights of c->mode at other rows. */
static rvm_status weigh_rows(double *weight, climb *c, rvm_points *z, const gsl_matrix *T,
                             rvm_error *err)
{
    enum { SOME = 512 };
    rvm_points_mode q = c->mode; /* borrowed, but for what it looks at */
    gsl_matrix *A = gsl_matrix_alloc(c->C, SOME);
    rvm_status status = A == NULL ? rvm_fail_memory(err, "the classes") : RVM_OK;
    q.points = z;
    q.T = T;
    q.filled = false;
    for (size_t first = 0; first < z->N && status == RVM_OK; first += SOME) {
        gsl_matrix_view a = gsl_matrix_submatrix(A, 0, 0, c->C, GSL_MIN(SOME, z->N - first));
        status = rvm_points_mode_activate(&a.matrix, &q, first, err);
        for (size_t n = 0; n < a.matrix.size2 && status == RVM_OK; n++) {
            find_probabilities(c, &a.matrix, n);
            weight[first + n] = least_doubt + doubt_of(c);
        }
    }
    gsl_matrix_free(A);
    return status;
}

static rvm_status climb_weigh(double *weight, double *enough, void *climbing,
                              const rvm_problem *rows, const gsl_matrix *T, rvm_error *err)
{
    climb *c = climbing;
    *enough = 0;
    rvm_points z;
    for (size_t n = 0; n < c->job.rows->rows; n++)
        c->row_weight[n] = c->own_weight[n];
    c->mode.row_weight = c->row_weight;
    rvm_status status = rvm_points_mode_precondition(&c->mode, first_variance * c->unit, err);
    if (status == RVM_OK)
        status = rvm_points_mode_find(&c->mode, at_mode, err);
    for (size_t n = 0; n < rows->rows; n++)
        weight[n] = 1;
    if (status != RVM_OK)
        return status == RVM_ENUMERIC ? RVM_OK : status;
    status = rvm_points_init(&z, rows, c->some, c->points.threads, err);
    if (status == RVM_OK)
        status = rvm_points_place(&z, &c->job.y->basis.kernel, err);
    if (status == RVM_OK)
        status = weigh_rows(weight, c, &z, T, err);
    rvm_points_free(&z);
    return status;
}

/* ---- The row of the table ------------------------------------------------------------------- */

static rvm_process_state climb_state(const void *climbing)
{
    const climb *c = climbing;
    return (rvm_process_state){ &c->job.y->basis.kernel, c->precision, c->variance, NULL,
                                -INFINITY };
}

const rvm_process_climb rvm_mode_climb = { climb_alloc, true,        climb_weigh, climb_place,
                                           climb_step,  climb_state, climb_free };
