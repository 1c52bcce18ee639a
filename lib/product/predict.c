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
 * k(x,x).
 *
 * Its classes are predicted at the mode, without a variance: its s is that at which modes predict
 * best, and there Laplace's approximation is far too wide to be averaged over
 * (search/mode_climb.c).
 *
 * Regression adds the noise: the target is N(f, s2 + sigma^2), each of several by itself.  In
 * classification probabilities follow from mean and variance of the latent function, or functions:
 * probability.c.  A model of draws has f once for each draw, and averages over them: mixture.c.
 * Probabilities where classes have other shares than in training follow from these: prevalence.c.
 *
 * A row's result must not depend on the rows that come with it: a stream cut into blocks elsewhere
 * would give other bytes.  So each row has a lane of its own in every array, all lanes go through
 * the same instructions, and there is no BLAS here, whose order of summation changes with the
 * shape.  Threads take CHUNK rows at a time. */
#include "product/predict.h"

#include <gsl/gsl_cdf.h>
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
#include "product/model.h"
#include "product/prevalence.h"

enum {
    LANES = RVM_FORWARD_LANES, /* rows of a tile */
    TILES = 8,
    CHUNK = TILES * LANES, /* rows computed together: what they need fits a level 2 cache */
    KERNEL_COST = 16       /* multiplications that a kernel value takes beside those of its pairs */
};

/* Multiplications for which another thread pays: it has to be woken up, and from one block of a
 * stream to the next it waits for work without sleeping. */
static const double thread_cost = 3e7;

/* Scratch of one thread. C: latent functions; F: functions of a row, C or the draws of one. */
typedef struct {
    double *values;   /* owned, with all that follows; V x CHUNK: kernel of each vector and row */
    double *terms;    /* T x CHUNK: terms of one latent function, the most that one has */
    double *phi;      /* TILES x padded x LANES of the largest latent function */
    double *mean;     /* F x CHUNK */
    double *variance; /* C x CHUNK */
    double *left;     /* CHUNK: k(x,x) - q */
    double *row;      /* F + C: both of one row */
} worker;

struct rvm_predictor {
    const rvm_model *m; /* borrowed */
    rvm_predictor_settings settings;
    bool variance;            /* compute it */
    bool probability;         /* likewise */
    bool mode;                /* probabilities are those of the most probable weights */
    double steps;             /* standard deviations on each side of the interval */
    double *shift;            /* owned: of prevalence.h, NULL without a prevalence */
    rvm_kernel_rows *vectors; /* owned, V of them */
    rvm_forward *forward;     /* owned, latent functions; empty without variance */
    rvm_forward points;       /* owned: U; empty without variance or kernel prior */
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
    double **array[] = { &out->value, &out->variance,    &out->low,
                         &out->high,  &out->probability, &out->log_probability };
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
        best = rvm_probability_shift(p, log_p, pr->shift, C);
    out->value[row] = m->label[best];
    out->variance[row] = variance[m->latent_count > 1 ? best : 0];
}

/* Targets are normal, so the interval of probability P ends at mean -+ steps * deviation,
 * Phi(steps) = (1 + P) / 2. */
static void fill_targets(rvm_prediction *out, size_t row, const rvm_predictor *pr,
                         const double *mean, const double *variance)
{
    const size_t outputs = pr->m->latent_count;

    for (size_t k = 0, at = row * outputs; k < outputs; k++, at++) {
        out->value[at] = mean[k];
        out->variance[at] = variance[k];
        /* Finite: the root of a variance is below 1.4e154, less than the rounding of a mean that it
         * could carry over the edge. */
        out->low[at] = mean[k] - pr->steps * sqrt(variance[k]);
        out->high[at] = mean[k] + pr->steps * sqrt(variance[k]);
    }
}

/* ---- Rows by draws --------------------------------------------------------------------------- */

static rvm_status fault_beyond(size_t row, rvm_error *err)
{
    return rvm_fail_at(err, RVM_ENUMERIC, row + 1, 1,
                       "the prediction leaves the range of finite numbers");
}

/* f: scratch, those of x. */
static rvm_status fill_drawn_target(rvm_prediction *out, size_t row, double interval, double *f,
                                    const rvm_mixture *x, rvm_error *err)
{
    const double tail = 0.5 * (1 - interval);

    rvm_mixture_moments(&out->value[row], &out->variance[row], x);
    if (!isfinite(out->value[row]) || !isfinite(out->variance[row]))
        return fault_beyond(row, err);
    if (interval == 0)
        return RVM_OK;
    rvm_status status = rvm_mixture_quantile(&out->low[row], x, tail, err);
    /* The lower tail of what is mirrored, which keeps its digits when the interval is wide. */
    for (size_t d = 0; d < x->D; d++)
        f[d] = -f[d];
    if (status == RVM_OK)
        status = rvm_mixture_quantile(&out->high[row], x, tail, err);
    out->high[row] = -out->high[row];
    return status;
}

/* One row from its draws f. */
static rvm_status fill_drawn_row(rvm_prediction *out, size_t row, const rvm_predictor *pr,
                                 double *f, rvm_error *err)
{
    const rvm_model *m = pr->m;
    const rvm_mixture x = { f, m->latent->noise_sd, m->latent->draws };

    if (m->task == RVM_REGRESSION)
        return fill_drawn_target(out, row, pr->settings.interval, f, &x, err);
    double *p = out->probability + 2 * row, *log_p = out->log_probability + 2 * row;
    out->variance[row] = rvm_mixture_classes(p, log_p, f, x.D, pr->settings.mode);
    if (pr->shift != NULL)
        rvm_probability_shift(p, log_p, pr->shift, 2);
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
        for (size_t d = 0; d < f->draws; d++)
            fill_mean(w->mean + d * CHUNK, w, f, f->draw + d, f->draws);
        if (pr->variance)
            fill_variance(w->variance + k * CHUNK, w, f, &pr->forward[k], tiles);
    }
    if (!pr->variance || !rvm_model_is_process(pr->m))
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
    bool finite = true;

    for (size_t i = 0; i < F; i++) {
        mean[i] = w->mean[i * CHUNK + r];
        finite = finite && isfinite(mean[i]);
    }
    for (size_t k = 0; k < m->latent_count; k++) {
        variance[k] = w->variance[k * CHUNK + r] + m->latent[k].noise_variance;
        finite = finite && isfinite(variance[k]);
    }
    if (!finite)
        return fault_beyond(row, err);
    if (m->latent->draws > 0)
        return fill_drawn_row(j->out, row, j->pr, mean, err);
    if (m->task == RVM_CLASSIFICATION)
        fill_classes(j->out, row, j->pr, mean, variance);
    else
        fill_targets(j->out, row, j->pr, mean, variance);
    return RVM_OK;
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
        status =
            rvm_kernel_block(&block.matrix, &m->kernel, j->pr->vectors, NULL, j->x, first, err);
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
    w->values = rvm_array(V + terms + longest + 2 * (F + C) + 1, CHUNK * sizeof *w->values);
    if (w->values == NULL)
        return false;
    w->terms = w->values + V * CHUNK;
    w->phi = w->terms + terms * CHUNK;
    w->mean = w->phi + longest * CHUNK;
    w->variance = w->mean + F * CHUNK;
    w->left = w->variance + C * CHUNK;
    w->row = w->left + CHUNK;
    return true;
}

static bool init_predictor(rvm_predictor *pr)
{
    const rvm_model *m = pr->m;
    bool memory = true;

    pr->vectors = rvm_kernel_rows_alloc(m->vectors, &m->kernel, NULL);
    pr->forward = rvm_array(m->latent_count, sizeof *pr->forward);
    pr->worker = rvm_array(pr->workers, sizeof *pr->worker);
    if (pr->vectors == NULL || pr->forward == NULL || pr->worker == NULL)
        return false;
    for (size_t k = 0; memory && pr->variance && k < m->latent_count; k++)
        memory = rvm_forward_init(&pr->forward[k], m->latent[k].factor, m->latent[k].count);
    if (memory && pr->variance && rvm_model_is_process(m))
        memory = rvm_forward_init(&pr->points, m->point_factor, m->vectors->rows);
    for (size_t i = 0; memory && i < pr->workers; i++)
        memory = init_worker(&pr->worker[i], pr);
    return memory;
}

/* Written so that nan is refused. */
static rvm_status check_settings(const rvm_predictor_settings *s, rvm_error *err)
{
    if (!(s->interval >= 0 && s->interval < 1))
        return rvm_fail(err, RVM_ESETTING,
                        "the probability of the interval is %g, not above 0 and below 1",
                        s->interval);
    if (s->interval > 0 && !s->variance)
        return rvm_fail(err, RVM_ESETTING, "an interval takes the variance");
    if (s->threads < 0 || s->threads > RVM_THREADS_MAX)
        return rvm_fail(err, RVM_ESETTING, "number of threads is %d, not from 0 to %d", s->threads,
                        RVM_THREADS_MAX);
    return RVM_OK;
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
    status = rvm_prevalence_shift(&pr->shift, m, s->prevalence, err);
    pr->settings = *s;
    pr->mode = s->mode || (rvm_model_is_process(m) && m->task == RVM_CLASSIFICATION);
    /* Which of many classes is the most probable one on the average depends on their variances, and
     * so it does of two once their shares are others. */
    const bool label_takes = (m->class_count > 2 || s->prevalence != NULL) && !pr->mode;
    pr->variance = rvm_model_has_covariance(m) && (s->variance || label_takes);
    pr->steps = s->interval > 0 ? gsl_cdf_ugaussian_Qinv((1 - s->interval) / 2) : 0;
    pr->probability = pr->variance || pr->mode;
    pr->workers = (size_t)rvm_threads(s->threads);
    if (status == RVM_OK && !init_predictor(pr))
        status = rvm_fail_memory(err, "prediction");
    if (status == RVM_OK)
        *out = pr;
    else
        rvm_predictor_free(pr);
    return status;
}

void rvm_predictor_free(rvm_predictor *pr)
{
    if (pr == NULL)
        return;
    for (size_t i = 0; pr->worker != NULL && i < pr->workers; i++)
        free(pr->worker[i].values);
    for (size_t k = 0; pr->forward != NULL && k < pr->m->latent_count; k++)
        rvm_forward_clear(&pr->forward[k]);
    rvm_forward_clear(&pr->points);
    free(pr->shift);
    free(pr->worker);
    free(pr->forward);
    rvm_kernel_rows_free(pr->vectors);
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

rvm_status rvm_predictor_run(rvm_prediction *out, rvm_predictor *pr, const rvm_problem *rows,
                             rvm_error *err)
{
    rvm_kernel_rows *x = rvm_kernel_rows_alloc(rows, &pr->m->kernel, pr->vectors);
    const size_t outputs = pr->m->task == RVM_REGRESSION ? pr->m->latent_count : 1;
    if (x == NULL || !rvm_prediction_resize(out, rows->rows, pr->m->class_count, outputs)) {
        rvm_kernel_rows_free(x);
        return rvm_fail_memory(err, "predictions");
    }
    rows_job job = { out, pr, rows, x };
    const rvm_status status =
        rvm_share(chunks_of(rows), fill_chunk, &job, threads_worth(pr, rows), err);
    rvm_kernel_rows_free(x);
    return status;
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
