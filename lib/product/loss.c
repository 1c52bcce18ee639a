/* What predictions of rows that training has not seen have cost. */
#include "product/loss.h"

#include <float.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/problem.h"
#include "product/folds.h"
#include "product/predict.h"
#include "product/spread.h"
#include "search/study.h"

/* What a unit of log loss counts beside the error rate: it decides where few rows
 * make rates equal. */
static const double log_loss_share = 0.3;

/* Log loss that a row has at the most: a class that a fold has never seen is no fault of the
 * model. */
static const double most_log_loss = 20;

/* ---- The constant --------------------------------------------------------------------------- */

static rvm_status describe_classes(rvm_constant *c, const rvm_settings *s, rvm_error *err)
{
    double total = 0;
    c->share = rvm_array(c->labels.count, sizeof *c->share);
    c->weight = rvm_array(c->labels.count, sizeof *c->weight);
    if (c->share == NULL || c->weight == NULL)
        return rvm_fail_memory(err, "the classes");
    rvm_class_weights(c->weight, s, c->labels.label, c->labels.count);
    for (size_t k = 0; k < c->labels.count; k++) {
        c->share[k] = c->weight[k] * (double)c->labels.rows[k];
        total += c->share[k];
    }
    for (size_t k = 0; k < c->labels.count; k++)
        c->share[k] /= total;
    c->commonest = gsl_stats_max_index(c->share, 1, c->labels.count);
    return RVM_OK;
}

static rvm_status describe_outputs(rvm_constant *c, const rvm_problem *p, rvm_error *err)
{
    c->mean = rvm_array(p->outputs, sizeof *c->mean);
    c->variance = rvm_array(p->outputs, sizeof *c->variance);
    if (c->mean == NULL || c->variance == NULL)
        return rvm_fail_memory(err, "the outputs");
    for (size_t k = 0; k < p->outputs; k++) {
        c->mean[k] = gsl_stats_mean(p->target + k, p->outputs, p->rows);
        c->variance[k] = gsl_stats_variance(p->target + k, p->outputs, p->rows);
    }
    return RVM_OK;
}

rvm_status rvm_constant_find(rvm_constant *c, const rvm_problem *p, const rvm_settings *s,
                             rvm_error *err)
{
    memset(c, 0, sizeof *c);
    if (s->task == RVM_REGRESSION)
        return describe_outputs(c, p, err);
    const rvm_status status = rvm_labels_find(&c->labels, p, err);
    return status == RVM_OK ? describe_classes(c, s, err) : status;
}

void rvm_constant_free(rvm_constant *c)
{
    rvm_labels_free(&c->labels);
    free(c->share);
    free(c->weight);
    free(c->mean);
    free(c->variance);
    memset(c, 0, sizeof *c);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static double class_loss(bool wrong, double log_p)
{
    return (wrong ? 1 : 0) + log_loss_share * fmin(-log_p, most_log_loss);
}

/* Loss of row n, and what it gains on that of the constant. */
static double class_row(double *gain, const rvm_prediction *out, const rvm_problem *p,
                        const rvm_constant *c, size_t n)
{
    const size_t k = c->labels.of_row[n];
    const double loss =
        class_loss(out->value[n] != p->target[n], out->log_probability[n * out->classes + k]);
    *gain = class_loss(k != c->commonest, log(c->share[k])) - loss;
    return loss;
}

static double output_row(double *gain, const rvm_prediction *out, const rvm_problem *p,
                         const rvm_constant *c, size_t n)
{
    const double *target = p->target + n * p->outputs, *value = out->value + n * p->outputs;
    double loss = 0, constant = 0;
    for (size_t k = 0; k < p->outputs; k++) {
        const double unit = c->variance[k] * (double)p->outputs;
        if (!(unit > 0))
            continue;
        loss += gsl_pow_2(target[k] - value[k]) / unit;
        constant += gsl_pow_2(target[k] - c->mean[k]) / unit;
    }
    *gain = constant - loss;
    return loss;
}

double rvm_loss(double *sure, const rvm_prediction *out, const rvm_problem *p,
                const rvm_constant *c, const rvm_settings *s)
{
    const bool classes = s->task == RVM_CLASSIFICATION;
    double losses = 0, gains = 0, squares = 0, weights = 0;
    for (size_t n = 0; n < p->rows; n++) {
        double gain = 0;
        const double weight = classes ? c->weight[c->labels.of_row[n]] : 1;
        const double loss =
            classes ? class_row(&gain, out, p, c, n) : output_row(&gain, out, p, c, n);
        losses += weight * loss;
        gains += weight * gain;
        squares += gsl_pow_2(weight * gain);
        weights += weight;
    }
    const double scatter = squares - gains * gains / (double)p->rows;
    *sure = scatter > 0 && isfinite(scatter) ? gains / sqrt(scatter) : 0;
    return isnan(losses) ? INFINITY : losses / weights;
}

/* ---- Scores --------------------------------------------------------------------------------- */

/* Sums over rows; of outputs over their targets. */
enum { ERROR, LOG_LOSS, UNSEEN, COVER, SUMS };

/* Borrowed. */
typedef struct {
    const rvm_prediction *prediction;
    const rvm_problem *p;
    const rvm_labels *labels; /* of classes */
} held_out;

static void add_class(void *context, size_t n, double *sums)
{
    const held_out *h = context;
    const rvm_prediction *out = h->prediction;
    const double log_p = out->log_probability[n * out->classes + h->labels->of_row[n]];
    sums[ERROR] += out->value[n] != h->p->target[n];
    if (isfinite(log_p))
        sums[LOG_LOSS] -= log_p;
    else
        sums[UNSEEN]++;
}

static void add_outputs(void *context, size_t n, double *sums)
{
    const held_out *h = context;
    const rvm_prediction *out = h->prediction;
    for (size_t k = n * h->p->outputs; k < (n + 1) * h->p->outputs; k++) {
        const double t = h->p->target[k], error = t - out->value[k];
        sums[ERROR] += gsl_pow_2(error);
        sums[LOG_LOSS] -=
            rvm_spread_log_density(error, out->variance[k], rvm_prediction_degrees(out, k));
        sums[COVER] += t >= out->low[k] && t <= out->high[k];
    }
}

static rvm_fold_score score_classes(const double *sums, double rows)
{
    rvm_fold_score out = { .error = sums[ERROR] / rows,
                           .log_loss = sums[LOG_LOSS],
                           .unseen = (size_t)sums[UNSEEN] };
    if (sums[UNSEEN] < rows)
        out.log_loss /= rows - sums[UNSEEN];
    return out;
}

/* Read as numbers: beyond the range of double they are the largest one. */
static rvm_fold_score score_outputs(const double *sums, double targets)
{
    return (rvm_fold_score){ .error = fmin(sums[ERROR] / targets, DBL_MAX),
                             .log_loss = fmin(sums[LOG_LOSS] / targets, DBL_MAX),
                             .cover = sums[COVER] / targets };
}

rvm_status rvm_score_folds(rvm_fold_score *out, const rvm_prediction *prediction,
                           const rvm_problem *p, rvm_error *err)
{
    const bool classes = prediction->classes > 0;
    const double rows = (double)rvm_problem_all(p);
    rvm_labels labels = { 0 };
    held_out h = { prediction, p, &labels };
    double sums[SUMS];
    *out = (rvm_fold_score){ .error = 0 };
    rvm_status status = classes ? rvm_labels_find(&labels, p, err) : RVM_OK;
    status = rvm_team_agree(p->team, status, err);
    if (status == RVM_OK)
        status = rvm_folds_sum(sums, SUMS, p, classes ? add_class : add_outputs, NULL, &h, err);
    if (status == RVM_OK)
        *out = classes ? score_classes(sums, rows) : score_outputs(sums, rows * (double)p->outputs);
    rvm_labels_free(&labels);
    return status;
}
