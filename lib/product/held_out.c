/* What the rows that a model was trained on say of its error on others.
 *
 * Each row is predicted by the posterior that the other rows leave at the same precisions, which
 * takes no training: with the latent function N(f, s2) at row n, gradient g and curvature b of its log
 * likelihood there, taking the row away leaves
 *
 *     N(f - s2 g / (1 - s2 b), s2 / (1 - s2 b))
 *
 * For normal noise, g = (t - f) / sigma^2 and b = 1 / sigma^2, that is exact: the residual becomes
 * (t - f) / (1 - h), h = s2 / sigma^2 the diagonal of the hat matrix. For classes it is as good as
 * Laplace's approximation (Opper and Winther 2000), class by class. The precisions have seen the
 * row, so that the error comes out too small rather than too large.
 *
 * With the kernel prior f is the part that the weights make, and the row has a part of its own
 * beside it, of variance v = s (k(x,x) - q(x)), of which no other row knows: in a regression it is
 * noise like the noise, sigma^2 + v in the place of sigma^2 above. Of its classes nothing is said:
 * they have no variance. */
#include <float.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/labels.h"
#include "data/problem.h"
#include "data/shard.h"
#include "inference/probability.h"
#include "product/model.h"
#include "product/predict.h"
#include "search/study.h"

enum {
    MOST_ROWS = 1000,   /* every other one, or every third, ... of more */
    MOST_FUNCTIONS = 20 /* each is asked for all rows by itself: of more nothing is said */
};

/* Below this 1 - h is rounding. */
static const double least_left = 1e-12;

/* Mean and variance of all latent functions at the rows. */
typedef struct {
    const rvm_model *m;
    rvm_problem *p;          /* owned */
    size_t F;                /* latent functions */
    double *mean, *variance; /* owned, rows x F: of what the weights make */
    double *left;            /* owned, rows: k(x,x) - q(x); a regression with the kernel
                                prior, else 0 */
} moments;

/* Function k alone: an output, or as the log-odds of the first of two classes. weights: only what
 * they make of it. */
static rvm_status predict_alone(rvm_prediction *out, const moments *q, size_t k, bool weights,
                                int threads, rvm_error *err)
{
    const rvm_model *m = q->m;
    int label[2] = { 1, -1 };
    const rvm_predictor_settings s = { .mode = true, .variance = true, .threads = threads };
    rvm_model alone = *m;
    rvm_latent f = m->latent[k];
    f.process_variance = weights ? 0 : f.process_variance;
    alone.latent = &f;
    alone.latent_count = 1;
    alone.calibration = (rvm_calibration){ .spread = NULL };
    alone.class_count = m->task == RVM_CLASSIFICATION ? 2 : 0;
    alone.label = label;
    return rvm_predict_by(out, &alone, q->p, &s, err);
}

static rvm_status find_function(moments *q, size_t k, int threads, rvm_error *err)
{
    const rvm_model *m = q->m;
    rvm_prediction out = { 0 };
    const rvm_status status = predict_alone(&out, q, k, true, threads, err);
    for (size_t n = 0; n < out.rows && status == RVM_OK; n++) {
        const double *log_p = out.log_probability + 2 * n;
        q->mean[n * q->F + k] = m->task == RVM_CLASSIFICATION ? log_p[0] - log_p[1] : out.value[n];
        q->variance[n * q->F + k] = out.variance[n] - m->latent[k].noise_variance;
    }
    rvm_prediction_free(&out);
    return status;
}

/* That of the first output is that of all. */
static rvm_status find_left(moments *q, int threads, rvm_error *err)
{
    const rvm_latent *f = q->m->latent;
    rvm_prediction out = { 0 };
    rvm_status status = RVM_OK;
    if (!rvm_model_is_process(q->m))
        return RVM_OK;
    status = predict_alone(&out, q, 0, false, threads, err);
    for (size_t n = 0; n < out.rows && status == RVM_OK; n++) {
        const double weights = q->variance[n * q->F] + f->noise_variance;
        q->left[n] = fmax(out.variance[n] - weights, 0) / f->process_variance;
    }
    rvm_prediction_free(&out);
    return status;
}

/* Variance of function k at row n beside that of the weights. */
static double own_variance(const moments *q, size_t n, size_t k)
{
    return q->m->latent[k].process_variance * q->left[n];
}

static rvm_status moments_init(moments *q, const rvm_model *m, const rvm_problem *p, int threads,
                               rvm_error *err)
{
    *q = (moments){ .m = m, .F = m->latent_count };
    rvm_status status = rvm_shard_thin(&q->p, p, MOST_ROWS, err);
    if (status != RVM_OK)
        return status;
    q->mean = rvm_array(MOST_ROWS * q->F, sizeof *q->mean);
    q->variance = rvm_array(MOST_ROWS * q->F, sizeof *q->variance);
    q->left = rvm_array(MOST_ROWS, sizeof *q->left);
    if (q->mean == NULL || q->variance == NULL || q->left == NULL)
        return rvm_fail_memory(err, "the held-out error");
    for (size_t k = 0; k < q->F && status == RVM_OK; k++)
        status = find_function(q, k, threads, err);
    return status == RVM_OK ? find_left(q, threads, err) : status;
}

static void moments_free(moments *q)
{
    rvm_problem_free(q->p);
    free(q->mean);
    free(q->variance);
    free(q->left);
}

/* Takes an observation with that gradient and curvature out of a normal distribution; false where too
 * little is left to be anything but rounding. */
static bool take_out(double *mean, double *variance, double gradient, double curvature)
{
    const double left = 1 - *variance * curvature;
    if (!(left > least_left))
        return false;
    *mean -= *variance * gradient / left;
    *variance /= left;
    return isfinite(*mean) && isfinite(*variance);
}

/* ---- Regression ----------------------------------------------------------------------------- */

static double mean_target(const rvm_problem *p, size_t output)
{
    double sum = 0;
    for (size_t n = 0; n < p->rows; n++)
        sum += rvm_problem_targets(p, n)[output] / (double)p->rows;
    return sum;
}

/* Adds the squared errors of an output, as a share of those of the mean of the other rows; nothing
 * where these are rounding. */
static void add_output(rvm_held_out *out, moments *q, size_t k)
{
    const rvm_problem *p = q->p;
    const double mean = mean_target(p, k);
    const double others = (double)p->rows / ((double)p->rows - 1);
    double model = 0, constant = 0, size = 0;
    size_t rows = 0;
    for (size_t n = 0; n < p->rows; n++) {
        const double t = rvm_problem_targets(p, n)[k];
        const double noise = q->m->latent[k].noise_variance + own_variance(q, n, k);
        double f = q->mean[n * q->F + k], s2 = q->variance[n * q->F + k];
        if (!take_out(&f, &s2, (t - f) / noise, 1 / noise))
            continue;
        model += gsl_pow_2(t - f);
        constant += gsl_pow_2((t - mean) * others);
        size += gsl_pow_2(t);
        rows++;
    }
    if (!(constant > gsl_pow_2(8 * DBL_EPSILON) * size) || !isfinite(model / constant))
        return;
    out->rows = GSL_MAX(out->rows, rows);
    out->loss += model / constant / (double)q->F;
    out->constant += 1 / (double)q->F;
}

/* ---- Classes -------------------------------------------------------------------------------- */

/* log_p: the logarithms of the probabilities of all classes at row n, without that row in the
 * posterior. p: scratch. */
static bool predict_row(double *log_p, double *p, moments *q, size_t n, size_t class, double weight)
{
    const size_t C = q->m->class_count;
    double *f = q->mean + n * q->F, *s2 = q->variance + n * q->F;
    const bool many = C > 2, alone = q->m->multiclass == RVM_ONE_VS_REST;
    bool sound = true;
    if (!many || !alone) {
        if (many)
            rvm_probability_of_many(p, log_p, f, s2, C, true);
        else
            rvm_probability_of_two(p, log_p, f[0], s2[0], true);
    }
    for (size_t k = 0; k < q->F; k++) {
        const double y = many && alone ? 1 / (1 + exp(-f[k])) : p[k];
        const double t = k == class ? 1 : 0;
        sound = sound && take_out(&f[k], &s2[k], weight * (t - y), weight * y * (1 - y));
    }
    if (!sound)
        return false;
    if (!many)
        rvm_probability_of_two(p, log_p, f[0], s2[0], false);
    else if (alone)
        rvm_probability_one_vs_rest(p, log_p, f, s2, C, false);
    else
        rvm_probability_of_many(p, log_p, f, s2, C, false);
    return true;
}

/* Weights of the classes of the model, the largest 1, and the sum of each over its rows; returns
 * the sum of all. */
static double weigh_classes(double *weight, double *sum, const moments *q, const rvm_settings *s,
                            const size_t *class)
{
    const size_t C = q->m->class_count;
    double total = 0;
    rvm_class_weights(weight, s, q->m->label, C);
    for (size_t k = 0; k < C; k++)
        sum[k] = 0;
    for (size_t n = 0; n < q->p->rows; n++) {
        sum[class[n]] += weight[class[n]];
        total += weight[class[n]];
    }
    return total;
}

/* -ln of the share of a class among the other rows, or of half a row where it has no other. */
static double constant_loss(double sum, double total, double weight)
{
    return log(total - weight) - log(fmax(sum - weight, 0.5 * weight));
}

static size_t class_of(const rvm_model *m, double label)
{
    size_t k = 0;
    while (k < m->class_count && m->label[k] != label)
        k++;
    return k;
}

/* room: 4 C numbers. */
static void add_classes(rvm_held_out *out, moments *q, const rvm_settings *s, size_t *class,
                        double *room)
{
    const size_t C = q->m->class_count;
    double *weight = room, *sum = room + C, *p = room + 2 * C, *log_p = room + 3 * C, weights = 0;
    for (size_t n = 0; n < q->p->rows; n++)
        class[n] = class_of(q->m, q->p->target[n]);
    const double total = weigh_classes(weight, sum, q, s, class);
    for (size_t n = 0; n < q->p->rows; n++) {
        const size_t k = class[n];
        if (!predict_row(log_p, p, q, n, k, weight[k]))
            continue;
        out->loss -= weight[k] * log_p[k];
        out->constant += weight[k] * constant_loss(sum[k], total, weight[k]);
        weights += weight[k];
        out->rows++;
    }
    out->loss /= weights;
    out->constant /= weights;
}

static rvm_status hold_out_classes(rvm_held_out *out, moments *q, const rvm_settings *s,
                                   rvm_error *err)
{
    size_t *class = rvm_array(q->p->rows, sizeof *class);
    double *room = rvm_array(4 * q->m->class_count, sizeof *room);
    rvm_status status = RVM_OK;
    if (class == NULL || room == NULL)
        status = rvm_fail_memory(err, "the held-out error");
    else
        add_classes(out, q, s, class, room);
    free(class);
    free(room);
    return status;
}

rvm_status rvm_model_held_out(rvm_held_out *out, const rvm_model *m, const rvm_problem *p,
                              const rvm_settings *s, rvm_error *err)
{
    const bool classes = m->task == RVM_CLASSIFICATION;
    moments q = { 0 };
    *out = (rvm_held_out){ .rows = 0 };
    if (!rvm_model_has_covariance(m) || m->latent_count > MOST_FUNCTIONS ||
        rvm_problem_all(p) < 2 || (classes && m->class_count < 2))
        return RVM_OK;
    rvm_status status = moments_init(&q, m, p, s->threads, err);
    for (size_t k = 0; k < q.F && status == RVM_OK && !classes; k++)
        add_output(out, &q, k);
    if (status == RVM_OK && classes)
        status = hold_out_classes(out, &q, s, err);
    if (status == RVM_OK && 2 * out->rows < q.p->rows) /* of most rows nothing can be said */
        out->rows = 0;
    moments_free(&q);
    return status;
}
