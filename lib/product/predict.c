/* Prediction.
 *
 *   phi     K            basis functions of a latent function at one row: its terms, then
 *                        K(x, vector i)
 *   mu, R   K, K x K     posterior mean of the weights; Sigma = (R'R)^-1, R upper triangular
 *   f       mean         bias_mean + mu' phi
 *   s2      variance     phi' Sigma phi = |v|^2 with R' v = phi, by forward substitution
 *
 * Regression adds the noise: the target is N(f, s2 + sigma^2), each of several by itself.  In
 * classification probabilities follow from mean and variance of the latent function, or functions:
 * probability.c.  A model of draws has f once for each draw, and averages over them: mixture.c.
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
#include "base/forward.h"
#include "base/parallel.h"
#include "base/vecmath.h"
#include "basis/kernel.h"
#include "data/problem.h"
#include "inference/mixture.h"
#include "inference/probability.h"
#include "product/model.h"

enum {
    LANES = RVM_FORWARD_LANES, /* rows of a tile */
    TILES = 8,
    CHUNK = TILES * LANES, /* rows computed together: what they need fits a level 2 cache */
    KERNEL_COST = 16       /* multiplications that a kernel value takes beside those of its pairs */
};
static const char beyond[] = "the prediction leaves the range of finite numbers";

/* Multiplications for which another thread pays: it has to be woken up, and from one block of a
 * stream to the next it waits for work without sleeping. */
static const double thread_cost = 3e7;

/* Scratch of one thread, and what went wrong there. */
typedef struct {
    double *values;   /* owned, V x CHUNK: kernel of each vector with each row */
    double *terms;    /* owned, T x CHUNK: terms of one latent function, the most that one has */
    double *phi;      /* owned, TILES x padded x LANES of the largest latent function */
    double *mean;     /* owned, latent functions x CHUNK */
    double *variance; /* likewise */
    double *row_mean, *row_variance; /* owned, latent functions: of one row */
    double *drawn;                   /* owned, draws x CHUNK: f of each draw */
    double *row_drawn;               /* owned, draws: of one row */
} worker;

typedef size_t probability_of_classes(double *p, double *log_p, const double *mean,
                                      const double *variance, size_t C, bool mode);

struct rvm_predictor {
    const rvm_model *m; /* borrowed */
    rvm_predictor_settings settings;
    bool variance;    /* compute it */
    bool probability; /* likewise */
    double steps;     /* standard deviations on each side of the interval */
    probability_of_classes *probability_of_classes; /* of more than two */
    rvm_rows *vectors;                              /* owned, V of them */
    rvm_forward *forward; /* owned, latent functions; NULL without variance */
    worker *worker;       /* owned */
    size_t workers;
};

static bool has_draws(const rvm_predictor *pr)
{
    return pr->m->latent->draws > 0;
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

static void fill_mean(double *mean, const worker *w, const rvm_latent *f)
{
    for (size_t r = 0; r < CHUNK; r++)
        mean[r] = f->bias_mean;
    for (size_t i = 0; i < f->count; i++)
        add_multiple(mean, f->weight[i], phi_row(w, f, i));
}

static void fill_variance(double *variance, const worker *w, const rvm_latent *f,
                          const rvm_forward *forward, size_t tiles)
{
    const size_t length = forward->padded * LANES;

    for (size_t t = 0; t < tiles; t++) {
        double *const v = w->phi + t * length;

        for (size_t i = 0; i < f->count; i++)
            memcpy(v + i * LANES, phi_row(w, f, i) + t * LANES, LANES * sizeof *v);
    }
    rvm_forward_solve(w->phi, tiles, forward);
    for (size_t t = 0; t < tiles; t++) {
        const double *const v = w->phi + t * length;
        double sum[LANES] = { 0 };

        for (size_t i = 0; i < f->count; i++)
            for (size_t r = 0; r < LANES; r++)
                sum[r] += v[i * LANES + r] * v[i * LANES + r];
        memcpy(variance + t * LANES, sum, sizeof sum);
    }
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static void fill_classes(rvm_prediction *out, size_t row, const rvm_predictor *pr,
                         const double *mean, const double *variance)
{
    const rvm_model *m = pr->m;
    double *p = out->probability + row * m->class_count;
    double *log_p = out->log_probability + row * m->class_count;
    size_t best = 0;

    if (m->class_count == 1) {
        p[0] = 1;
        log_p[0] = 0;
    } else if (m->class_count == 2) {
        if (pr->probability)
            rvm_probability_of_two(p, log_p, mean[0], variance[0], pr->settings.mode);
        best = mean[0] >= 0 ? 0 : 1;
    } else {
        best =
            pr->probability_of_classes(p, log_p, mean, variance, m->class_count, pr->settings.mode);
    }
    out->value[row] = m->label[best];
    out->variance[row] = variance[m->latent_count > 1 ? best : 0];
}

/* One row from its latent functions, which may have left the range of finite numbers. */
static rvm_status fill_row(rvm_prediction *out, size_t row, const rvm_predictor *pr,
                           const double *mean, double *variance, rvm_error *err)
{
    const rvm_model *m = pr->m;

    for (size_t k = 0; k < m->latent_count; k++) {
        variance[k] += m->latent[k].noise_variance;
        if (!isfinite(mean[k]) || !isfinite(variance[k]))
            return rvm_fail_at(err, RVM_ENUMERIC, row + 1, 1, beyond);
    }
    if (m->task == RVM_CLASSIFICATION)
        fill_classes(out, row, pr, mean, variance);
    for (size_t k = 0; m->task == RVM_REGRESSION && k < m->latent_count; k++) {
        const size_t at = row * m->latent_count + k;
        out->value[at] = mean[k];
        out->variance[at] = variance[k];
        /* Finite: the root of a variance is below 1.4e154, less than the rounding of a mean that it
         * could carry over the edge. */
        out->low[at] = mean[k] - pr->steps * sqrt(variance[k]);
        out->high[at] = mean[k] + pr->steps * sqrt(variance[k]);
    }
    return RVM_OK;
}

/* ---- Rows by draws --------------------------------------------------------------------------- */

static void fill_drawn(worker *w, const rvm_latent *f)
{
    for (size_t d = 0; d < f->draws; d++) {
        double *to = w->drawn + d * CHUNK;
        for (size_t r = 0; r < CHUNK; r++)
            to[r] = f->bias_mean;
        for (size_t i = 0; i < f->count; i++)
            add_multiple(to, f->draw[i * f->draws + d], phi_row(w, f, i));
    }
}

static rvm_status fill_drawn_target(rvm_prediction *out, size_t row, const rvm_predictor *pr,
                                    worker *w, const rvm_mixture *x, rvm_error *err)
{
    const double tail = 0.5 * (1 - pr->settings.interval);

    rvm_mixture_moments(&out->value[row], &out->variance[row], x);
    if (!isfinite(out->value[row]) || !isfinite(out->variance[row]))
        return rvm_fail_at(err, RVM_ENUMERIC, row + 1, 1, beyond);
    if (pr->settings.interval == 0)
        return RVM_OK;
    rvm_status status = rvm_mixture_quantile(&out->low[row], x, tail, err);
    /* The lower tail of what is mirrored, which keeps its digits when the interval is wide. */
    for (size_t d = 0; d < x->D; d++)
        w->row_drawn[d] = -w->row_drawn[d];
    if (status == RVM_OK)
        status = rvm_mixture_quantile(&out->high[row], x, tail, err);
    out->high[row] = -out->high[row];
    return status;
}

/* Row r of the chunk. */
static rvm_status fill_drawn_row(rvm_prediction *out, size_t row, const rvm_predictor *pr,
                                 worker *w, size_t r, rvm_error *err)
{
    const rvm_model *m = pr->m;
    const rvm_latent *f = m->latent;

    for (size_t d = 0; d < f->draws; d++) {
        w->row_drawn[d] = w->drawn[d * CHUNK + r];
        if (!isfinite(w->row_drawn[d]))
            return rvm_fail_at(err, RVM_ENUMERIC, row + 1, 1, beyond);
    }
    if (m->task == RVM_REGRESSION) {
        const rvm_mixture x = { w->row_drawn, f->noise_sd, f->draws };
        return fill_drawn_target(out, row, pr, w, &x, err);
    }
    double *p = out->probability + 2 * row;
    out->variance[row] = rvm_mixture_classes(p, out->log_probability + 2 * row, w->row_drawn,
                                             f->draws, pr->settings.mode);
    out->value[row] = m->label[p[0] >= p[1] ? 0 : 1];
    return RVM_OK;
}

static rvm_status fill_drawn_rows(rvm_prediction *out, const rvm_predictor *pr, worker *w,
                                  const rvm_problem *p, size_t first, size_t count, rvm_error *err)
{
    const rvm_latent *f = pr->m->latent;
    rvm_status status = RVM_OK;

    for (size_t i = 0; i < f->terms; i++)
        rvm_term_values(w->terms + i * CHUNK, &f->term[i], p, first, count);
    fill_drawn(w, f);
    for (size_t r = 0; status == RVM_OK && r < count; r++)
        status = fill_drawn_row(out, first + r, pr, w, r, err);
    return status;
}

/* ---- Rows, by chunks ------------------------------------------------------------------------- */

/* Rows first .. first + count - 1 of out, which are those of p, from their kernel values. */
static rvm_status fill_rows(rvm_prediction *out, const rvm_predictor *pr, worker *w,
                            const rvm_problem *p, size_t first, size_t count, rvm_error *err)
{
    const size_t C = pr->m->latent_count, tiles = (count + LANES - 1) / LANES;
    rvm_status status = RVM_OK;

    for (size_t k = 0; k < C; k++) {
        const rvm_latent *f = &pr->m->latent[k];

        for (size_t i = 0; i < f->terms; i++)
            rvm_term_values(w->terms + i * CHUNK, &f->term[i], p, first, count);
        fill_mean(w->mean + k * CHUNK, w, f);
        if (pr->variance)
            fill_variance(w->variance + k * CHUNK, w, f, &pr->forward[k], tiles);
    }
    for (size_t r = 0; status == RVM_OK && r < count; r++) {
        for (size_t k = 0; k < C; k++) {
            w->row_mean[k] = w->mean[k * CHUNK + r];
            w->row_variance[k] = w->variance[k * CHUNK + r];
        }
        status = fill_row(out, first + r, pr, w->row_mean, w->row_variance, err);
    }
    return status;
}

/* Kernel values of all vectors with rows first .. first + count - 1. */
static rvm_status fill_values(worker *w, const rvm_predictor *pr, const rvm_rows *x, size_t first,
                              size_t count, rvm_error *err)
{
    gsl_matrix_view block =
        gsl_matrix_view_array_with_tda(w->values, pr->m->vectors->rows, count, CHUNK);

    return rvm_kernel_block(&block.matrix, &pr->m->kernel, pr->vectors, NULL, x, first, err);
}

/* Of rows that failed together, as *err has it, the first one that does by itself: the place of the
 * fault. The first of all where rounding lets each pass alone. */
static rvm_status find_fault(worker *w, const rvm_predictor *pr, const rvm_rows *x, size_t first,
                             size_t count, rvm_error *err)
{
    rvm_status status = RVM_OK;
    size_t at = first;

    for (size_t r = 0; r < count && status == RVM_OK; r++) {
        status = fill_values(w, pr, x, first + r, 1, err);
        at = status == RVM_OK ? first : first + r;
    }
    if (err != NULL) {
        err->line = at + 1;
        err->column = 1;
    }
    return status == RVM_OK ? RVM_ENUMERIC : status;
}

/* Rows first .. first + CHUNK - 1 of out, or those of them that there are. */
static rvm_status fill_chunk(rvm_prediction *out, const rvm_predictor *pr, worker *w,
                             const rvm_problem *p, const rvm_rows *x, size_t first, rvm_error *err)
{
    const size_t count = GSL_MIN(CHUNK, out->rows - first);
    rvm_status status = RVM_OK;

    if (pr->m->vectors->rows > 0)
        status = fill_values(w, pr, x, first, count, err);
    if (status == RVM_ENUMERIC)
        status = find_fault(w, pr, x, first, count, err);
    if (status != RVM_OK)
        return status;
    return has_draws(pr) ? fill_drawn_rows(out, pr, w, p, first, count, err)
                         : fill_rows(out, pr, w, p, first, count, err);
}

/* Borrowed. */
typedef struct {
    rvm_prediction *out;
    rvm_predictor *pr;
    const rvm_problem *p;
    const rvm_rows *x;
} chunks_job;

static rvm_status chunk_piece(void *context, size_t chunk, int number, rvm_error *err)
{
    const chunks_job *j = context;
    return fill_chunk(j->out, j->pr, &j->pr->worker[number], j->p, j->x, chunk * CHUNK, err);
}

/* ---- The predictor -------------------------------------------------------------------------- */

/* times * count numbers; NULL without memory. */
static double *scratch(size_t times, size_t count)
{
    return count > SIZE_MAX / times ? NULL : rvm_array(times * count, sizeof(double));
}

static bool init_worker(worker *w, const rvm_predictor *pr)
{
    const size_t C = pr->m->latent_count;
    size_t longest = 0, terms = 0;

    for (size_t k = 0; k < C; k++)
        terms = GSL_MAX(terms, pr->m->latent[k].terms);
    for (size_t k = 0; pr->variance && k < C; k++)
        longest = GSL_MAX(longest, pr->forward[k].padded);
    w->values = scratch(CHUNK, pr->m->vectors->rows);
    w->terms = scratch(CHUNK, terms);
    w->phi = scratch(CHUNK, longest);
    w->mean = scratch(CHUNK, C);
    w->variance = scratch(CHUNK, C);
    w->row_mean = scratch(1, C);
    w->row_variance = scratch(1, C);
    w->drawn = scratch(CHUNK, pr->m->latent->draws);
    w->row_drawn = scratch(1, pr->m->latent->draws);
    return w->values != NULL && w->terms != NULL && w->phi != NULL && w->mean != NULL &&
           w->variance != NULL && w->row_mean != NULL && w->row_variance != NULL &&
           w->drawn != NULL && w->row_drawn != NULL;
}

static bool init_forward(rvm_predictor *pr)
{
    const rvm_model *m = pr->m;

    pr->forward = rvm_array(m->latent_count, sizeof *pr->forward);
    for (size_t k = 0; pr->forward != NULL && k < m->latent_count; k++)
        if (!rvm_forward_init(&pr->forward[k], m->latent[k].factor, m->latent[k].count))
            return false;
    return pr->forward != NULL;
}

static bool init_predictor(rvm_predictor *pr)
{
    pr->vectors = rvm_rows_alloc(pr->m->vectors, &pr->m->kernel, NULL);
    if (pr->vectors == NULL || (pr->variance && !init_forward(pr)))
        return false;
    pr->worker = rvm_array(pr->workers, sizeof *pr->worker);
    for (size_t i = 0; pr->worker != NULL && i < pr->workers; i++)
        if (!init_worker(&pr->worker[i], pr))
            return false;
    return pr->worker != NULL;
}

rvm_status rvm_predictor_alloc(rvm_predictor **out, const rvm_model *m,
                               const rvm_predictor_settings *s, rvm_error *err)
{
    rvm_predictor *pr = rvm_array(1, sizeof *pr);

    if (pr == NULL)
        return rvm_fail_memory(err, "prediction");
    pr->m = m;
    pr->probability_of_classes =
        m->multiclass == RVM_ONE_VS_REST ? rvm_probability_one_vs_rest : rvm_probability_of_many;
    pr->settings = *s;
    /* Which of many classes is the most probable one on the average depends on their variances. */
    pr->variance = !has_draws(pr) && (s->variance || (m->class_count > 2 && !s->mode));
    pr->steps = s->interval > 0 ? gsl_cdf_ugaussian_Qinv((1 - s->interval) / 2) : 0;
    pr->probability = pr->variance || s->mode;
    pr->workers = (size_t)rvm_threads(s->threads);
    if (!init_predictor(pr)) {
        rvm_predictor_free(pr);
        return rvm_fail_memory(err, "prediction");
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
        free(pr->worker[i].terms);
        free(pr->worker[i].phi);
        free(pr->worker[i].mean);
        free(pr->worker[i].variance);
        free(pr->worker[i].row_mean);
        free(pr->worker[i].row_variance);
        free(pr->worker[i].drawn);
        free(pr->worker[i].row_drawn);
    }
    for (size_t k = 0; pr->forward != NULL && k < pr->m->latent_count; k++)
        rvm_forward_clear(&pr->forward[k]);
    free(pr->worker);
    free(pr->forward);
    rvm_rows_free(pr->vectors);
    free(pr);
}

/* Workers for these rows. */
static int team_for(const rvm_predictor *pr, const rvm_problem *p)
{
    const size_t chunks = p->rows / CHUNK + (p->rows % CHUNK > 0);
    const size_t most = GSL_MIN(chunks, pr->workers);
    const double N = (double)p->rows, V = (double)pr->m->vectors->rows;
    double cost = V * (KERNEL_COST * N + (double)p->start[p->rows]);

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
    const int team = team_for(pr, rows);

    rvm_rows *x = rvm_rows_alloc(rows, &pr->m->kernel, pr->vectors);
    const size_t outputs = pr->m->task == RVM_REGRESSION ? pr->m->latent_count : 1;
    if (x == NULL || !rvm_prediction_resize(out, rows->rows, pr->m->class_count, outputs)) {
        rvm_rows_free(x);
        return rvm_fail_memory(err, "predictions");
    }
    chunks_job job = { out, pr, rows, x };
    const size_t chunks = rows->rows / CHUNK + (rows->rows % CHUNK > 0);
    const rvm_status status = rvm_share(chunks, chunk_piece, &job, team, err);
    rvm_rows_free(x);
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
