/* Prediction (Tipping 2001, section 2.4).
 *
 *   phi     K            basis functions of a latent function at one row: its terms, then
 *                        K(x, vector i)
 *   mu, R   K, K x K     posterior mean of the weights; Sigma = (R'R)^-1, R upper triangular
 *   f       mean         bias_mean + mu' phi
 *   s2      variance     phi' Sigma phi = |v|^2 with R' v = phi, by forward substitution
 *
 * With the kernel prior (Quinonero-Candela and Rasmussen 2005, the conditional of FITC) f is a
 * Gaussian process of covariance s k, whose values at the vectors leave at the row
 *
 *   s2      variance     phi' Sigma phi + s (k(x,x) - q),  q = |U^-T k_Z|^2,  U'U = K_ZZ
 *
 * which the functions share but for s: one more forward substitution for all of them.  Far from the
 * vectors k_Z and q vanish for a kernel that falls off, and s2 rises to that of the terms and s
 * k(x,x).  The residual 1 - q / k(x,x) widens calibrated models of any prior (calibration.h).
 *
 * Its classes are predicted at the mode, without a variance: its s is that at which modes predict
 * best, and there Laplace's approximation is far too wide to be averaged over
 * (search/mode_climb.c).
 *
 * Regression adds the noise: the target is N(f, s2 + sigma^2), each of several by itself, or where
 * it was calibrated Student's t distribution with a mean and variance of its own.  In
 * classification probabilities follow from mean and variance of the latent function, or functions:
 * probability.c.  A model of draws has f once for each draw, and averages over them: mixture.c.
 * Calibrated ones, and those where classes have other shares than in training, follow from these:
 * prevalence.c.
 *
 * A row's result must not depend on the rows that come with it: a stream cut into blocks elsewhere
 * would give other bytes.  So each row has a lane of its own in every array, all lanes go through
 * the same instructions, and there is no BLAS here, whose order of summation changes with the
 * shape.  Threads take CHUNK rows at a time. */
#include "product/predict.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/vecmath.h"
#include "basis/kernel.h"
#include "data/problem.h"
#include "inference/mixture.h"
#include "inference/probability.h"
#include "product/calibration.h"
#include "product/model.h"
#include "product/prevalence.h"
#include "product/vector_factor.h"

enum {
    LANES = RVM_FORWARD_LANES, /* rows of a tile */
    TILES = 8,
    CHUNK = TILES * LANES, /* rows computed together: what they need fits a level 2 cache */
    KERNEL_COST = 16       /* multiplications that a kernel value takes beside those of its pairs */
};

/* Multiplications for which another thread pays: it has to be woken up, and from one block of a
 * stream to the next it waits for work without sleeping. */
static const double thread_cost = 3e7;

/* A smaller residual is what the jitter of K_ZZ leaves. */
static const double least_share = 1e-6;

/* Scratch of one thread. C: latent functions; F: functions of a row, C or the draws of one. */
typedef struct {
    double *values;   /* owned, with all that follows; V x CHUNK: kernel of each vector and row */
    double *terms;    /* T x CHUNK: terms of one latent function, the most that one has */
    double *phi;      /* TILES x padded x LANES of the largest latent function */
    double *mean;     /* F x CHUNK */
    double *variance; /* C x CHUNK */
    double *left;     /* CHUNK: k(x,x) - q, */
    double *share;    /* CHUNK: and as a share of k(x,x) */
    double *row;      /* F + C: both of one row */
    rvm_kernel_scratch kernel; /* owned */
} worker;

/* How a target is spread around the mean of its latent function. */
typedef struct {
    rvm_spread spread;
    double steps; /* standard deviations on each side of the interval */
} output;

struct rvm_predictor {
    const rvm_model *m; /* borrowed; may be freed before this is */
    size_t functions;   /* latent ones */
    rvm_predictor_settings settings;
    bool variance;            /* compute it */
    bool probability;         /* likewise */
    bool mode;                /* probabilities are those of the most probable weights */
    bool left;                /* likewise: k(x,x) - q */
    bool residual;            /* likewise, as a share of k(x,x) */
    double power, *shift;     /* of rvm_probability_shift; shift: owned, NULL where there is none */
    rvm_problem *own_vectors; /* owned: standardised as the model says; NULL where it does not, */
    rvm_problem *own_rows;    /* and so are the rows of a call */
    const rvm_problem *z;     /* borrowed: the vectors, V of them, as the kernel takes them */
    rvm_kernel_rows *vectors; /* owned: these, */
    rvm_kernel_rows *x;       /* owned: and the rows of a call; NULL before the first */
    rvm_forward *forward;     /* owned, functions; empty without variance */
    rvm_forward points;       /* owned: U; empty where nothing needs it */
    output *output;           /* owned, functions */
    worker *worker;           /* owned */
    size_t workers;
};

/* Functions of a row: the draws of the only latent function, or all latent functions. */
static size_t functions_of_row(const rvm_model *m)
{
    return m->latent->draws > 0 ? m->latent->draws : m->latent_count;
}

bool rvm_prediction_resize(rvm_prediction *out, size_t rows, size_t classes, size_t outputs)
{
    const size_t width = GSL_MAX(classes, outputs);
    if (rows > SIZE_MAX / width)
        return false;

    const size_t need = rows * width;
    double **array[] = { &out->value,   &out->variance, &out->low,         &out->high,
                         &out->degrees, &out->residual, &out->probability, &out->log_probability };
    size_t capacity = out->capacity;
    for (size_t i = 0; i < sizeof array / sizeof array[0]; i++) {
        capacity = out->capacity;
        if (!rvm_grow(array[i], &capacity, need, sizeof(double)))
            return false;
    }
    out->capacity = capacity;
    out->rows = rows;
    out->classes = classes;
    out->outputs = outputs;
    return true;
}

void rvm_prediction_free(rvm_prediction *p)
{
    if (p == NULL)
        return;
    free(p->value);
    free(p->variance);
    free(p->low);
    free(p->high);
    free(p->degrees);
    free(p->residual);
    free(p->probability);
    free(p->log_probability);
    *p = (rvm_prediction){ 0 };
}

/* ---- Latent functions ----------------------------------------------------------------------- */

/* Row i of phi: CHUNK numbers. */
static const double *phi_row(const worker *w, const rvm_latent *f, size_t i)
{
    return i < f->terms ? w->terms + i * CHUNK : w->values + f->vector[i - f->terms] * CHUNK;
}

RVM_WIDEST
static void add_multiple(double *restrict sum, double factor, const double *restrict x)
{
    for (size_t r = 0; r < CHUNK; r++)
        sum[r] += factor * x[r];
}

/* mean += sum of weight_i phi_i over the basis functions of f; weight: `stride` apart. */
static void fill_mean(double *mean, const worker *w, const rvm_latent *f, const double *weight,
                      size_t stride)
{
    for (size_t r = 0; r < CHUNK; r++)
        mean[r] = f->bias_mean;
    for (size_t i = 0; i < f->count; i++)
        add_multiple(mean, weight[i * stride], phi_row(w, f, i));
}

/* Sums in the order of i, whatever the tiles. */
void rvm_predict_variances(double *variance, double *phi, size_t tiles, const rvm_forward *R)
{
    rvm_forward_solve(phi, tiles, R);
    for (size_t t = 0; t < tiles; t++) {
        const double *const v = phi + t * R->padded * LANES;
        double sum[LANES] = { 0 };

        for (size_t i = 0; i < R->K; i++)
            for (size_t r = 0; r < LANES; r++)
                sum[r] += v[i * LANES + r] * v[i * LANES + r];
        memcpy(variance + t * LANES, sum, sizeof sum);
    }
}

static void fill_variance(double *variance, const worker *w, const rvm_latent *f,
                          const rvm_forward *R, size_t tiles)
{
    for (size_t t = 0; t < tiles; t++)
        for (size_t i = 0; i < f->count; i++)
            memcpy(w->phi + (t * R->padded + i) * LANES, phi_row(w, f, i) + t * LANES,
                   LANES * sizeof *w->phi);
    rvm_predict_variances(variance, w->phi, tiles, R);
}

/* k(x,x) - q of rows first .. first + count - 1, 0 where it is negative by rounding: near a vector
 * both are the same but for the last digits. What is no number stays none, and is found later. */
static void fill_left(worker *w, const rvm_predictor *pr, const rvm_kernel_rows *x, size_t first,
                      size_t count)
{
    const rvm_kernel *kernel = &pr->m->kernel;
    const size_t tiles = (count + LANES - 1) / LANES, padded = pr->points.padded;
    double q[CHUNK] = { 0 };

    for (size_t t = 0; t < tiles; t++)
        for (size_t i = 0; i < pr->points.K; i++)
            memcpy(w->phi + (t * padded + i) * LANES, w->values + i * CHUNK + t * LANES,
                   LANES * sizeof *w->phi);
    rvm_predict_variances(q, w->phi, tiles, &pr->points);
    if (kernel->type != RVM_PRECOMPUTED)
        rvm_kernel_diagonal(w->left, kernel, x, first, count);
    for (size_t r = 0; r < count; r++) {
        const double prior = kernel->type == RVM_PRECOMPUTED ? pr->m->kernel_diagonal : w->left[r];
        w->left[r] = prior - q[r] < 0 ? 0 : prior - q[r];
        w->share[r] = w->left[r] <= least_share * prior || prior <= 0 ? 0 : w->left[r] / prior;
    }
}

/* variance[r] += s left[r], the same for each row whichever come with it. */
static void add_left(double *variance, const worker *w, double s, size_t count)
{
    for (size_t r = 0; r < count; r++)
        variance[r] += s * w->left[r];
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* The label of the most probable class. Of two it is the sign of the mean, averaged or not: the
 * average of the logistic function over a normal distribution is above 1/2 where the mean is above
 * 0 (MacKay 1992). */
static void fill_classes(rvm_prediction *out, size_t row, const rvm_predictor *pr,
                         const double *mean, const double *variance)
{
    const rvm_model *m = pr->m;
    const size_t C = m->class_count;
    double *p = out->probability + row * C, *log_p = out->log_probability + row * C;
    size_t best = 0;

    if (C == 1) {
        p[0] = 1;
        log_p[0] = 0;
    } else if (C == 2) {
        if (pr->probability)
            rvm_probability_of_two(p, log_p, mean[0], variance[0], pr->mode);
        best = mean[0] >= 0 ? 0 : 1;
    } else if (m->multiclass == RVM_ONE_VS_REST) {
        best = rvm_probability_one_vs_rest(p, log_p, mean, variance, C, pr->mode);
    } else {
        best = rvm_probability_of_many(p, log_p, mean, variance, C, pr->mode);
    }
    if (pr->shift != NULL)
        best = rvm_probability_shift(p, log_p, pr->power, pr->shift, C);
    out->value[row] = m->label[best];
    out->variance[row] = variance[m->latent_count > 1 ? best : 0];
}

/* variance: as the model has it. False where there is no number for it. */
static bool fill_target(rvm_prediction *out, size_t at, const output *o, double mean,
                        double variance, double residual)
{
    variance = rvm_spread_variance(&o->spread, variance, residual);
    out->value[at] = mean;
    out->variance[at] = variance;
    out->degrees[at] = o->spread.degrees;
    /* Finite: the root of a variance is below 1.4e154, less than the rounding of a mean that it
     * could carry over the edge. */
    out->low[at] = mean - o->steps * sqrt(variance);
    out->high[at] = mean + o->steps * sqrt(variance);
    return isfinite(mean) && isfinite(variance);
}

/* ---- Rows by draws --------------------------------------------------------------------------- */

static rvm_status fault_beyond(size_t row, rvm_error *err)
{
    return rvm_fail_at(err, RVM_ENUMERIC, row + 1, 1,
                       "the prediction leaves the range of finite numbers");
}

/* f: scratch, those of x. */
static rvm_status fill_drawn_interval(rvm_prediction *out, size_t row, double interval, double *f,
                                      const rvm_mixture *x, rvm_error *err)
{
    const double tail = 0.5 * (1 - interval);

    rvm_status status = rvm_mixture_quantile(&out->low[row], x, tail, err);
    /* The lower tail of what is mirrored, which keeps its digits when the interval is wide. */
    for (size_t d = 0; d < x->D; d++)
        f[d] = -f[d];
    if (status == RVM_OK)
        status = rvm_mixture_quantile(&out->high[row], x, tail, err);
    out->high[row] = -out->high[row];
    return status;
}

/* Calibrated, the target has one distribution around the mean rather than a mixture of them. */
static rvm_status fill_drawn_target(rvm_prediction *out, size_t row, const rvm_predictor *pr,
                                    double *f, double residual, rvm_error *err)
{
    const rvm_model *m = pr->m;
    const rvm_mixture x = { f, m->latent->noise_sd, m->latent->draws };
    double mean = 0, variance = 0;

    rvm_mixture_moments(&mean, &variance, &x);
    if (!fill_target(out, row, pr->output, mean, variance, residual))
        return fault_beyond(row, err);
    if (pr->settings.interval == 0 || m->calibration.info.rows > 0)
        return RVM_OK;
    return fill_drawn_interval(out, row, pr->settings.interval, f, &x, err);
}

/* One row from its draws f. */
static rvm_status fill_drawn_row(rvm_prediction *out, size_t row, const rvm_predictor *pr,
                                 double *f, double residual, rvm_error *err)
{
    const rvm_model *m = pr->m;
    double *p = out->probability + 2 * row, *log_p = out->log_probability + 2 * row;

    if (m->task == RVM_REGRESSION)
        return fill_drawn_target(out, row, pr, f, residual, err);
    out->variance[row] = rvm_mixture_classes(p, log_p, f, m->latent->draws, pr->settings.mode);
    if (pr->shift != NULL)
        rvm_probability_shift(p, log_p, pr->power, pr->shift, 2);
    out->value[row] = m->label[p[0] >= p[1] ? 0 : 1];
    return RVM_OK;
}

/* ---- Rows, by chunks ------------------------------------------------------------------------- */

/* Borrowed. */
typedef struct {
    rvm_prediction *out;
    rvm_predictor *pr;
    const rvm_problem *p;
    const rvm_kernel_rows *x;
} rows_job;

/* Means, or draws, and variances of all latent functions at rows first .. first + count - 1. */
static void fill_functions(worker *w, const rows_job *j, size_t first, size_t count)
{
    const rvm_predictor *pr = j->pr;
    const size_t tiles = (count + LANES - 1) / LANES;

    for (size_t k = 0; k < pr->m->latent_count; k++) {
        const rvm_latent *f = &pr->m->latent[k];

        for (size_t i = 0; i < f->terms; i++)
            rvm_term_values(w->terms + i * CHUNK, &f->term[i], j->p, first, count);
        if (f->draws == 0)
            fill_mean(w->mean + k * CHUNK, w, f, f->weight, 1);
        for (size_t d = 0; d < f->draws; d++) /* draw is NULL where no function is left */
            fill_mean(w->mean + d * CHUNK, w, f, f->count > 0 ? f->draw + d : NULL, f->draws);
        if (pr->variance)
            fill_variance(w->variance + k * CHUNK, w, f, &pr->forward[k], tiles);
    }
    if (!pr->left)
        return;
    fill_left(w, pr, j->x, first, count);
    for (size_t k = 0; k < pr->m->latent_count; k++)
        add_left(w->variance + k * CHUNK, w, pr->m->latent[k].process_variance, count);
}

/* Row r of those in hand, which is `row` of out. */
static rvm_status finish_row(const rows_job *j, worker *w, size_t r, size_t row, rvm_error *err)
{
    const rvm_model *m = j->pr->m;
    const size_t F = functions_of_row(m);
    double *mean = w->row, *variance = w->row + F;
    const double residual = j->pr->residual ? w->share[r] : 0;
    bool finite = true;

    for (size_t i = 0; i < F; i++) {
        mean[i] = w->mean[i * CHUNK + r];
        finite = finite && isfinite(mean[i]);
    }
    for (size_t k = 0; k < m->latent_count; k++) {
        variance[k] = w->variance[k * CHUNK + r] + m->latent[k].noise_variance;
        finite = finite && isfinite(variance[k]);
    }
    j->out->residual[row] = residual;
    if (finite && m->latent->draws > 0)
        return fill_drawn_row(j->out, row, j->pr, mean, residual, err);
    if (finite && m->task == RVM_CLASSIFICATION)
        fill_classes(j->out, row, j->pr, mean, variance);
    for (size_t k = 0; finite && k < m->latent_count && m->task == RVM_REGRESSION; k++)
        finite = fill_target(j->out, row * m->latent_count + k, &j->pr->output[k], mean[k],
                             variance[k], residual);
    return finite ? RVM_OK : fault_beyond(row, err);
}

/* Rows first .. first + count - 1 of out; count: CHUNK at most. */
static rvm_status fill_rows(const rows_job *j, worker *w, size_t first, size_t count,
                            rvm_error *err)
{
    const rvm_model *m = j->pr->m;
    rvm_status status = RVM_OK;

    if (m->vectors->rows > 0) {
        gsl_matrix_view block =
            gsl_matrix_view_array_with_tda(w->values, m->vectors->rows, count, CHUNK);
        status = rvm_kernel_block_in(&w->kernel, &block.matrix, &m->kernel, j->pr->vectors, NULL,
                                     j->x, first, err);
        if (status != RVM_OK && err != NULL) {
            err->line = first + 1;
            err->column = 1;
        }
    }
    if (status == RVM_OK)
        fill_functions(w, j, first, count);
    for (size_t r = 0; status == RVM_OK && r < count; r++)
        status = finish_row(j, w, r, first + r, err);
    return status;
}

/* Chunk `number`, by itself, and one row after the other once one of them has failed: the first in
 * order is the one that is reported. */
static rvm_status fill_chunk(void *context, size_t number, int of_worker, rvm_error *err)
{
    const rows_job *j = context;
    worker *w = &j->pr->worker[of_worker];
    const size_t first = number * CHUNK, count = GSL_MIN(CHUNK, j->out->rows - first);

    rvm_status status = fill_rows(j, w, first, count, err);
    if (status != RVM_ENUMERIC)
        return status;
    status = RVM_OK;
    for (size_t r = 0; status == RVM_OK && r < count; r++)
        status = fill_rows(j, w, first + r, 1, err);
    return status;
}

/* ---- The predictor -------------------------------------------------------------------------- */

static bool init_worker(worker *w, const rvm_predictor *pr)
{
    const rvm_model *m = pr->m;
    const size_t C = m->latent_count, F = functions_of_row(m), V = m->vectors->rows;
    size_t longest = pr->points.padded, terms = 0;

    for (size_t k = 0; k < C; k++) {
        terms = GSL_MAX(terms, m->latent[k].terms);
        longest = GSL_MAX(longest, pr->forward[k].padded);
    }
    w->values = rvm_array(V + terms + longest + 2 * (F + C) + 2, CHUNK * sizeof *w->values);
    if (w->values == NULL)
        return false;
    w->terms = w->values + V * CHUNK;
    w->phi = w->terms + terms * CHUNK;
    w->mean = w->phi + longest * CHUNK;
    w->variance = w->mean + F * CHUNK;
    w->left = w->variance + C * CHUNK;
    w->share = w->left + CHUNK;
    w->row = w->share + CHUNK;
    return true;
}

/* Of vectors that are the points of no process. Values that turn out to be no covariance leave no
 * residual. */
static rvm_status init_vectors(rvm_predictor *pr, rvm_error *err)
{
    double *U = NULL;
    rvm_status status = rvm_vector_factor(&U, &pr->m->kernel, pr->z, (int)pr->workers, err);

    if (status == RVM_ENUMERIC) {
        pr->left = pr->residual = false;
        return RVM_OK;
    }
    if (status == RVM_OK && !rvm_forward_init(&pr->points, U, pr->m->vectors->rows))
        status = rvm_fail_memory(err, "prediction");
    free(U);
    return status;
}

static rvm_status init_points(rvm_predictor *pr, rvm_error *err)
{
    const rvm_model *m = pr->m;

    if (!pr->left || m->vectors->rows == 0)
        return RVM_OK;
    if (!rvm_model_is_process(m))
        return init_vectors(pr, err);
    if (!rvm_forward_init(&pr->points, m->point_factor, m->vectors->rows))
        return rvm_fail_memory(err, "prediction");
    return RVM_OK;
}

/* The spread of each output; its residual is computed where that is asked for or counts. */
static rvm_status choose_outputs(rvm_predictor *pr, rvm_error *err)
{
    const double P = pr->settings.interval;
    const rvm_model *m = pr->m;
    bool counts = false;

    for (size_t k = 0; k < m->latent_count; k++) {
        const rvm_spread spread = rvm_model_spread(m, k);

        pr->output[k].spread = spread;
        pr->output[k].steps = P > 0 ? rvm_spread_steps(P, spread.degrees) : 0;
        counts = counts || spread.residual > 0 || spread.beyond > 0;
    }
    pr->residual = pr->settings.variance && m->task == RVM_REGRESSION &&
                   (pr->settings.residual || counts) && rvm_model_has_residual(m);
    pr->left = pr->residual || (pr->variance && rvm_model_is_process(m));
    return init_points(pr, err);
}

/* Vectors are saved as they stood in the file. */
static rvm_status standardize_vectors(rvm_predictor *pr, rvm_error *err)
{
    const rvm_model *m = pr->m;

    pr->z = m->vectors;
    if (!m->standard.used)
        return RVM_OK;
    pr->own_vectors = rvm_problem_alloc();
    pr->own_rows = rvm_problem_alloc();
    if (pr->own_vectors == NULL || pr->own_rows == NULL)
        return rvm_fail_memory(err, "prediction");
    pr->z = pr->own_vectors;
    return rvm_standard_apply(pr->own_vectors, &m->standard, m->vectors, err);
}

static rvm_status init_predictor(rvm_predictor *pr, rvm_error *err)
{
    const rvm_model *m = pr->m;
    bool memory = true;
    rvm_status status = standardize_vectors(pr, err);

    if (status != RVM_OK)
        return status;
    pr->vectors = rvm_kernel_rows_alloc(pr->z, &m->kernel, NULL);
    pr->forward = rvm_array(m->latent_count, sizeof *pr->forward);
    pr->output = rvm_array(m->latent_count, sizeof *pr->output);
    pr->worker = rvm_array(pr->workers, sizeof *pr->worker);
    if (pr->vectors == NULL || pr->forward == NULL || pr->output == NULL || pr->worker == NULL)
        return rvm_fail_memory(err, "prediction");
    for (size_t k = 0; memory && pr->variance && k < m->latent_count; k++)
        memory = rvm_forward_init(&pr->forward[k], m->latent[k].factor, m->latent[k].count);
    status = choose_outputs(pr, err);
    for (size_t i = 0; memory && status == RVM_OK && i < pr->workers; i++)
        memory = init_worker(&pr->worker[i], pr);
    return memory ? status : rvm_fail_memory(err, "prediction");
}

/* Written so that nan is refused. */
static rvm_status check_settings(const rvm_predictor_settings *s, rvm_error *err)
{
    if (!(s->interval >= 0 && s->interval < 1))
        return rvm_fail(err, RVM_ESETTING,
                        "the probability of the interval is %g, not above 0 and below 1",
                        s->interval);
    if ((s->interval > 0 || s->residual) && !s->variance)
        return rvm_fail(err, RVM_ESETTING,
                        "an interval takes the variance, and so does a residual");
    if (s->threads < 0 || s->threads > RVM_THREADS_MAX)
        return rvm_fail(err, RVM_ESETTING, "number of threads is %d, not from 0 to %d", s->threads,
                        RVM_THREADS_MAX);
    return RVM_OK;
}

/* The calibration of the classes, unless they are wanted at the mode and it was made for averages; and
 * their prevalence. */
static rvm_status choose_shift(rvm_predictor *pr, rvm_error *err)
{
    const rvm_model *m = pr->m;
    const bool tempered =
        rvm_calibration_tempers(&m->calibration) && (!pr->settings.mode || rvm_model_is_process(m));

    pr->power = tempered ? 1 / m->calibration.info.temperature : 1;
    return rvm_prevalence_shift(&pr->shift, m, pr->power, pr->settings.prevalence, err);
}

rvm_status rvm_predictor_alloc(rvm_predictor **out, const rvm_model *m,
                               const rvm_predictor_settings *s, rvm_error *err)
{
    rvm_status status = check_settings(s, err);
    rvm_predictor *pr = NULL;

    if (status != RVM_OK)
        return status;
    pr = rvm_array(1, sizeof *pr);
    if (pr == NULL)
        return rvm_fail_memory(err, "prediction");
    pr->m = m;
    pr->functions = m->latent_count;
    pr->settings = *s;
    status = choose_shift(pr, err);
    pr->mode = s->mode || (rvm_model_is_process(m) && m->task == RVM_CLASSIFICATION);
    /* Which of many classes is the most probable one on the average depends on their variances, and
     * so it does of two once their probabilities are shifted. */
    const bool label_takes = (m->class_count > 2 || pr->shift != NULL) && !pr->mode;
    pr->variance = rvm_model_has_covariance(m) && (s->variance || label_takes);
    pr->probability = pr->variance || pr->mode;
    pr->workers = (size_t)rvm_threads(s->threads);
    if (status == RVM_OK)
        status = init_predictor(pr, err);
    if (status != RVM_OK) {
        rvm_predictor_free(pr);
        return status;
    }
    *out = pr;
    return RVM_OK;
}

void rvm_predictor_free(rvm_predictor *pr)
{
    if (pr == NULL)
        return;
    for (size_t i = 0; pr->worker != NULL && i < pr->workers; i++) {
        free(pr->worker[i].values);
        rvm_kernel_scratch_clear(&pr->worker[i].kernel);
    }
    for (size_t k = 0; pr->forward != NULL && k < pr->functions; k++)
        rvm_forward_clear(&pr->forward[k]);
    rvm_forward_clear(&pr->points);
    free(pr->shift);
    free(pr->worker);
    free(pr->output);
    free(pr->forward);
    rvm_kernel_rows_free(pr->vectors);
    rvm_kernel_rows_free(pr->x);
    rvm_problem_free(pr->own_vectors);
    rvm_problem_free(pr->own_rows);
    free(pr);
}

static size_t chunks_of(const rvm_problem *p)
{
    return p->rows / CHUNK + (p->rows % CHUNK > 0);
}

/* Workers for these rows. */
static int threads_worth(const rvm_predictor *pr, const rvm_problem *p)
{
    const size_t most = GSL_MIN(chunks_of(p), pr->workers);
    const double N = (double)p->rows, V = (double)pr->m->vectors->rows;
    double cost = V * (KERNEL_COST * N + (double)p->start[p->rows]) +
                  0.5 * N * (double)pr->points.K * (double)pr->points.K;

    for (size_t k = 0; k < pr->m->latent_count; k++) {
        const double K = (double)pr->m->latent[k].count;
        cost += KERNEL_COST * N * (double)pr->m->latent[k].terms;
        cost += pr->variance ? 0.5 * N * K * K : 0;
        cost += N * (K + KERNEL_COST) * (double)pr->m->latent[k].draws;
    }
    return (int)GSL_MIN((double)most, 1 + cost / thread_cost);
}

/* The memory of the call before is taken again: from one row to the next nothing is allocated. */
static bool lay_out(rvm_predictor *pr, const rvm_problem *rows)
{
    if (pr->x != NULL)
        return rvm_kernel_rows_replace(pr->x, rows, &pr->m->kernel, pr->vectors);
    pr->x = rvm_kernel_rows_alloc(rows, &pr->m->kernel, pr->vectors);
    return pr->x != NULL;
}

rvm_status rvm_predictor_run(rvm_prediction *out, rvm_predictor *pr, const rvm_problem *rows,
                             rvm_error *err)
{
    if (pr->own_rows != NULL) {
        const rvm_status status = rvm_standard_apply(pr->own_rows, &pr->m->standard, rows, err);
        if (status != RVM_OK)
            return status;
        rows = pr->own_rows;
    }
    const size_t outputs = pr->m->task == RVM_REGRESSION ? pr->m->latent_count : 1;
    if (!lay_out(pr, rows) || !rvm_prediction_resize(out, rows->rows, pr->m->class_count, outputs))
        return rvm_fail_memory(err, "predictions");
    rows_job job = { out, pr, rows, pr->x };
    return rvm_share(chunks_of(rows), fill_chunk, &job, threads_worth(pr, rows), err);
}

rvm_status rvm_predict_by(rvm_prediction *out, const rvm_model *m, const rvm_problem *rows,
                          const rvm_predictor_settings *s, rvm_error *err)
{
    rvm_predictor *pr = NULL;

    rvm_status status = rvm_predictor_alloc(&pr, m, s, err);
    if (status == RVM_OK)
        status = rvm_predictor_run(out, pr, rows, err);
    rvm_predictor_free(pr);
    return status;
}

rvm_status rvm_predict(rvm_prediction *out, const rvm_model *m, const rvm_problem *rows, bool mode,
                       rvm_error *err)
{
    const rvm_predictor_settings s = { .mode = mode, .variance = true };
    return rvm_predict_by(out, m, rows, &s, err);
}
