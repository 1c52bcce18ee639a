/* Calibration by maximum a posteriori on held-out predictions.
 *
 * Classes have one temperature T (Guo et al. 2017). With p_nc the probability of class c at row n,
 * averaged over the posterior as it is predicted, pi_c the share of the class among all rows, left out or
 * not, as the model has it, and w_c the weight of its rows,
 *
 *     P_nc = pi_c (p_nc / pi_c)^(1/T) / sum_j pi_j (p_nj / pi_j)^(1/T)
 *     - sum_n w_n ln P_n,t(n) + rate |ln T|    is least, rate 5 where T > 1, else 10
 *
 * so that where nothing was learned probabilities become the shares rather than equal. The prior keeps
 * T at 1 unless the rows are surer of another one than a few nats; it lets it go where they insist.
 *
 * Each output of a regression has a spread of its own (spread.h). With e_n the error of row n, v_n
 * its variance as the model of its fold has it and r_n its residual, the target is Student's t of nu
 * degrees of freedom, of scale w^1/2:
 *
 *     w_n = a v_n + c r_n
 *     - sum_n ln t_nu(e_n; 0, w_n) + 2 (ln a)^2 + (ln(c / V))^2 / 8 + 5 / nu    is least,
 *     3 < nu < (6 N)^1/2
 *
 * V is the variance of the predicted means. Heavy tails take the outliers, for which a normal
 * distribution would widen all intervals. r makes intervals widen away from the vectors, where the
 * variance of an RVM falls to that of the noise (Rasmussen and Quinonero-Candela 2005); with the
 * kernel prior it rises by itself, and c is 0. */
#include "product/calibration_fit.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_multimin.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/log_sum.h"
#include "data/labels.h"
#include "data/problem.h"
#include "product/left_out.h"
#include "product/predict.h"
#include "search/study.h"

/* ---- Classes -------------------------------------------------------------------------------- */

/* The prior of ln T is Laplace's distribution with these rates above and below 1: of normal ones and
 * Student's t none does as well both for flat priors of the weights, where T is 1.5 as a rule, and for
 * kernel priors, which need none. To be surer than the model is takes more: few rows of which none was
 * wrong say little of those that will be, and these then cost most (on 100 rows .10 of log loss at
 * the worst of 39 runs, .03 with the larger rate, and no more on average). */
static const double rate_above = 5, rate_below = 10;

/* Bounds of ln T. */
static const double least_log_temperature = -2.3, most_log_temperature = 3;

/* ln T is found to this; nearer to 0, which is an edge, it is 0. */
static const double resolution = 1e-8;

/* ln p of a class that a fold has never seen: it stays improbable at any temperature. */
static const double least_log_p = -690;

typedef struct {
    const rvm_prediction *prediction; /* borrowed */
    const size_t *class;              /* borrowed: of each row that is predicted */
    const rvm_labels *labels;         /* borrowed: of all rows, left out or not */
    size_t count;                     /* rows that are fitted, the first ones */
    double *weight, *log_share;       /* owned, of each class */
} heat;

/* ln p_nc - ln pi_c. */
static double log_ratio(const heat *h, size_t n, size_t c)
{
    const double log_p = h->prediction->log_probability[n * h->prediction->classes + c];
    return (isfinite(log_p) ? log_p : least_log_p) - h->log_share[c];
}

/* -ln P of the class of row n. */
static double row_loss(const heat *h, size_t n, double T)
{
    const size_t truth = h->class[n];
    rvm_log_sum sum = rvm_log_sum_empty();
    for (size_t c = 0; c < h->prediction->classes; c++)
        rvm_log_sum_add(&sum, h->log_share[c] + log_ratio(h, n, c) / T);
    return rvm_log_sum_total(&sum) - h->log_share[truth] - log_ratio(h, n, truth) / T;
}

/* The weight of a row: 0 where its class was not among those of its fold. */
static double weight_of(const heat *h, size_t n)
{
    const size_t truth = h->class[n];
    const double log_p = h->prediction->log_probability[n * h->prediction->classes + truth];
    return isfinite(log_p) ? h->weight[truth] : 0;
}

static double loss_of_rows(const heat *h, double T)
{
    double loss = 0;
    for (size_t n = 0; n < h->count; n++)
        loss += weight_of(h, n) * row_loss(h, n, T);
    return loss;
}

static double at_log_temperature(double x, void *params)
{
    return loss_of_rows(params, exp(x)) + (x > 0 ? rate_above * x : -rate_below * x);
}

/* Between its neighbours on the grid, by Brent's method; *x stays where it cannot be bracketed. */
static rvm_status refine(double *x, heat *h, double step, rvm_error *err)
{
    enum { MOST = 100 };
    gsl_function f = { at_log_temperature, h };
    gsl_min_fminimizer *solver = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
    if (solver == NULL)
        return rvm_fail_memory(err, "the temperature");
    int status = gsl_min_fminimizer_set(solver, &f, *x, *x - step, *x + step);
    for (int k = 0; k < MOST && status == GSL_SUCCESS; k++) {
        status = gsl_min_fminimizer_iterate(solver);
        *x = gsl_min_fminimizer_x_minimum(solver);
        if (gsl_min_test_interval(gsl_min_fminimizer_x_lower(solver),
                                  gsl_min_fminimizer_x_upper(solver), resolution, 0) == GSL_SUCCESS)
            break;
    }
    gsl_min_fminimizer_free(solver);
    return RVM_OK;
}

/* From the best of a grid that has 1 in it, where the prior has its edge: no other value that is no
 * better takes its place. */
static rvm_status fit_temperature(double *T, heat *h, rvm_error *err)
{
    const double step = 0.1;
    double best = 0, least = at_log_temperature(0, h);
    const double at_one = least;

    for (double x = step * ceil(least_log_temperature / step); x < most_log_temperature;
         x += step) {
        const double value = at_log_temperature(x, h);
        if (value < least) {
            least = value;
            best = x;
        }
    }
    const rvm_status status = refine(&best, h, step, err);
    const bool moved = fabs(best) > resolution && at_log_temperature(best, h) < at_one;
    *T = moved ? exp(best) : 1;
    return status;
}

/* Shares of rows by their weight. */
static void fill_shares(heat *h, const rvm_settings *s)
{
    const rvm_labels *labels = h->labels;
    double total = 0;
    rvm_class_weights(h->weight, s, labels->label, labels->count);
    for (size_t c = 0; c < labels->count; c++)
        total += h->weight[c] * (double)labels->rows[c];
    for (size_t c = 0; c < labels->count; c++)
        h->log_share[c] = log(h->weight[c] * (double)labels->rows[c] / total);
}

/* The class that is most probable by now. */
static size_t class_at(const heat *h, size_t n, double T)
{
    size_t best = 0;
    double most = -INFINITY;
    for (size_t c = 0; c < h->prediction->classes; c++) {
        const double log_p = h->log_share[c] + log_ratio(h, n, c) / T;
        if (log_p > most) {
            best = c;
            most = log_p;
        }
    }
    return best;
}

static void score_classes(rvm_calibration_info *info, const heat *h)
{
    double total = 0;
    size_t wrong = 0;
    for (size_t n = 0; n < h->count; n++) {
        total += weight_of(h, n);
        wrong += class_at(h, n, info->temperature) != h->class[n];
    }
    info->loss = total > 0 ? loss_of_rows(h, info->temperature) / total : 0;
    info->error = (double)wrong / (double)h->count;
}

static rvm_status heat_init(heat *h, const rvm_labels *labels, const size_t *class,
                            const rvm_prediction *prediction, size_t count, const rvm_settings *s,
                            rvm_error *err)
{
    *h = (heat){ .prediction = prediction, .class = class, .labels = labels, .count = count };
    h->weight = rvm_array(labels->count, sizeof *h->weight);
    h->log_share = rvm_array(labels->count, sizeof *h->log_share);
    if (h->weight == NULL || h->log_share == NULL)
        return rvm_fail_memory(err, "the temperature");
    fill_shares(h, s);
    return RVM_OK;
}

static void heat_free(heat *h)
{
    free(h->weight);
    free(h->log_share);
}

static rvm_status fit_classes(rvm_calibration *out, const rvm_left_out *rows,
                              const rvm_labels *labels, const rvm_settings *s, rvm_error *err)
{
    heat h = { .prediction = NULL };
    rvm_status status = heat_init(&h, labels, rows->class, &rows->prediction, rows->count, s, err);
    if (status == RVM_OK)
        status = fit_temperature(&out->info.temperature, &h, err);
    if (status == RVM_OK)
        score_classes(&out->info, &h);
    heat_free(&h);
    return status;
}

static rvm_status class_losses(double *loss, const rvm_calibration *c, const rvm_problem *p,
                               const rvm_prediction *prediction, const size_t *row, size_t count,
                               const rvm_settings *s, rvm_error *err)
{
    rvm_labels labels = { 0 };
    heat h = { .prediction = NULL };
    rvm_status status = rvm_labels_find(&labels, p, err);
    if (status == RVM_OK)
        status = heat_init(&h, &labels, labels.of_row, prediction, p->rows, s, err);
    for (size_t i = 0; i < count && status == RVM_OK; i++) {
        const double weight = weight_of(&h, row[i]);
        loss[row[i]] = weight > 0 ? weight * row_loss(&h, row[i], c->info.temperature) : 0;
    }
    heat_free(&h);
    rvm_labels_free(&labels);
    return status;
}

/* ---- Outputs -------------------------------------------------------------------------------- */

/* Degrees of freedom are above this, so that a variance is no accident of one row. */
static const double least_degrees = 3;

/* From so many degrees on the distribution is taken to be normal. */
static const double normal_degrees = 1e4;

/* A priori the reciprocal of the degrees has an exponential distribution with this rate, ln a is
 * N(0, 0.5^2) and ln(c / V) is N(0, 2^2). */
static const double rate_of_tails = 5, factor_spread = 0.5, residual_spread = 2;

/* Of ln a and ln(c / V). */
static const double most_log = 20;

/* The quantile of the residuals beyond which a row is farther away than those that were seen. */
static const double seen = 0.99;

enum { FACTOR, TAIL, RESIDUAL, PARAMETERS };

/* One output: residuals of the fit, what the models made of their variance, and r, at each row. */
typedef struct {
    size_t N;
    double *error, *variance, *residual; /* owned, N */
    double unit;                         /* V: the variance of the predicted means */
    bool spreads;                        /* c is fitted */
} scatter;

/* Rows without an outlier do not say that the next one is none. At the normal distribution a row has
 * the information 3/2 on 1 / nu, the scale being fitted: the variance of d ln t_nu(z) / d(1 / nu) =
 * (z^4 - 2 z^2 - 1) / 4 but for what z^2 - 1 explains of it. 1 / nu is held above half the standard
 * error (3 N / 2)^-1/2. So a wild target costs its logarithm rather than its square, and where tails are
 * normal all N rows together lose 1/2 3/2 N / (6 N) = 1/8 nat. */
static double least_reciprocal(size_t N)
{
    return fmin(0.5 / sqrt(1.5 * (double)N), 0.5 / least_degrees);
}

/* 1 / nu between its bounds: t of the least is minus infinity. */
static double degrees_at(double t, size_t N)
{
    const double least = least_reciprocal(N), most = 1 / least_degrees;
    return 1 / (least + (most - least) / (1 + exp(-t)));
}

/* By scale: what rvm_spread has, of which the variance is nu / (nu - 2) times this. */
static rvm_spread spread_at(const gsl_vector *x, const scatter *q)
{
    const double degrees = degrees_at(gsl_vector_get(x, TAIL), q->N);
    rvm_spread s = { .factor = exp(gsl_vector_get(x, FACTOR)) };
    s.residual = q->spreads ? q->unit * exp(gsl_vector_get(x, RESIDUAL)) : 0;
    s.degrees = degrees < normal_degrees ? degrees : 0;
    return s;
}

/* Of a variable that is held within bounds by a wall. */
static double wall(double x)
{
    const double height = 1000;
    return height * gsl_pow_2(fmax(0, fabs(x) - most_log));
}

static double variance_of_scale2(double degrees)
{
    return degrees == 0 ? 1 : degrees / (degrees - 2);
}

/* Minus the log posterior. */
static double at_parameters(const gsl_vector *x, void *params)
{
    const scatter *q = params;
    const rvm_spread s = spread_at(x, q);
    const double ln_a = gsl_vector_get(x, FACTOR);
    double sum = 0.5 * gsl_pow_2(ln_a / factor_spread) + wall(ln_a) +
                 rate_of_tails / degrees_at(gsl_vector_get(x, TAIL), q->N);
    if (q->spreads) {
        const double ln_c = gsl_vector_get(x, RESIDUAL);
        sum += 0.5 * gsl_pow_2(ln_c / residual_spread) + wall(ln_c);
    }
    sum -= (double)q->N * rvm_spread_log_constant(s.degrees);
    for (size_t n = 0; n < q->N; n++) {
        const double w = rvm_spread_variance(&s, q->variance[n], q->residual[n]);
        sum -= rvm_spread_log_shape(q->error[n], w, s.degrees);
    }
    return isfinite(sum) ? sum : DBL_MAX;
}

/* The simplex of Nelder and Mead: a few hundred evaluations. */
static rvm_status find_spread(rvm_spread *out, scatter *q, rvm_error *err)
{
    enum { MOST = 2000 };
    const size_t count = q->spreads ? PARAMETERS : PARAMETERS - 1;
    const double start[] = { 0, -1.5, -1 }, step[] = { 1, 2, 2 };
    gsl_multimin_function f = { at_parameters, count, q };
    gsl_multimin_fminimizer *solver =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, count);
    gsl_vector *x = gsl_vector_alloc(count), *size = gsl_vector_alloc(count);
    rvm_status status = RVM_OK;

    if (solver == NULL || x == NULL || size == NULL) {
        status = rvm_fail_memory(err, "the calibration");
    } else {
        for (size_t i = 0; i < count; i++) {
            gsl_vector_set(x, i, start[i]);
            gsl_vector_set(size, i, step[i]);
        }
        int code = gsl_multimin_fminimizer_set(solver, &f, x, size);
        for (int k = 0; k < MOST && code == GSL_SUCCESS; k++) {
            code = gsl_multimin_fminimizer_iterate(solver);
            if (gsl_multimin_fminimizer_size(solver) < 1e-6)
                break;
        }
        *out = spread_at(solver->x, q);
    }
    gsl_multimin_fminimizer_free(solver);
    gsl_vector_free(x);
    gsl_vector_free(size);
    return status;
}

/* From scales to variances. */
static void take_variances(rvm_spread *s)
{
    const double ratio = variance_of_scale2(s->degrees);
    s->factor *= ratio;
    s->residual *= ratio;
}

/* The residual that nearly all rows stay below; sorts them. */
static double find_edge(double *residual, size_t N)
{
    gsl_sort(residual, 1, N);
    return fmax(0, gsl_stats_quantile_from_sorted_data(residual, 1, N, seen));
}

/* Where rows that were seen are as far away as any, c says it all. */
static void move_edge(rvm_spread *s, double edge)
{
    if (edge < 1)
        s->edge = edge;
    else
        s->edge = s->beyond = 0;
}

/* Rows that are farther away than those that were held out have the variance of the means, which is
 * that of a target of which nothing is known. It cannot be fitted: there are none. */
static void reach_beyond(rvm_spread *s, scatter *q)
{
    if (!q->spreads)
        return;
    s->beyond = fmax(0, q->unit - s->residual);
    move_edge(s, find_edge(q->residual, q->N));
}

/* Output k. */
static void gather(scatter *q, const rvm_problem *p, const rvm_prediction *prediction, size_t k)
{
    const double least_share = 1e-3;
    const size_t outputs = p->outputs;
    const double means = gsl_stats_variance(prediction->value + k, outputs, p->rows);
    const double targets = gsl_stats_variance(p->target + k, outputs, p->rows);
    double most = 0;

    q->N = p->rows;
    q->unit = fmax(means, least_share * targets);
    for (size_t n = 0; n < q->N; n++) {
        const size_t at = n * outputs + k;
        q->error[n] = p->target[at] - prediction->value[at];
        q->variance[n] = prediction->variance[at];
        q->residual[n] = prediction->residual[n];
        most = fmax(most, q->residual[n]);
    }
    q->spreads = most > 0 && q->unit > 0;
}

static rvm_status fit_output(rvm_spread *out, scatter *q, const rvm_problem *p,
                             const rvm_prediction *prediction, size_t k, bool process,
                             rvm_error *err)
{
    gather(q, p, prediction, k);
    q->spreads = q->spreads && !process;
    const rvm_status status = find_spread(out, q, err);
    if (status != RVM_OK)
        return status;
    take_variances(out);
    reach_beyond(out, q);
    return RVM_OK;
}

/* Rows of p, all of which are predicted, as the calibrated model predicts them. */
static rvm_status score_outputs(rvm_calibration *out, const rvm_problem *p,
                                rvm_prediction *prediction, rvm_error *err)
{
    const size_t outputs = p->outputs, count = p->rows * outputs;
    rvm_score *score = rvm_array(outputs, sizeof *score);

    if (score == NULL)
        return rvm_fail_memory(err, "the calibration");
    for (size_t i = 0; i < count; i++) {
        const rvm_spread *s = &out->spread[i % outputs];
        prediction->variance[i] =
            rvm_spread_variance(s, prediction->variance[i], prediction->residual[i / outputs]);
        prediction->degrees[i] = s->degrees;
    }
    for (size_t k = 0; k < outputs; k++) {
        rvm_score_add_output(&score[k], prediction, p, k);
        out->info.loss += score[k].nlpd / (double)count;
    }
    out->info.error = rvm_score_mean_error_over(score, outputs);
    for (size_t i = 0; i < RVM_COVERS; i++)
        out->info.cover[i] = rvm_score_cover_over(score, outputs, i);
    free(score);
    return RVM_OK;
}

/* prediction: changed, to what the calibrated model predicts. */
static rvm_status fit_spreads(rvm_calibration *out, const rvm_problem *p,
                              rvm_prediction *prediction, const rvm_settings *s, rvm_error *err)
{
    scatter q = { .error = rvm_array(p->rows, sizeof *q.error),
                  .variance = rvm_array(p->rows, sizeof *q.variance),
                  .residual = rvm_array(p->rows, sizeof *q.residual) };
    rvm_status status = RVM_OK;

    out->outputs = p->outputs;
    out->spread = rvm_array(p->outputs, sizeof *out->spread);
    if (q.error == NULL || q.variance == NULL || q.residual == NULL || out->spread == NULL)
        status = rvm_fail_memory(err, "the calibration");
    for (size_t k = 0; k < p->outputs && status == RVM_OK; k++)
        status = fit_output(&out->spread[k], &q, p, prediction, k, s->kernel_prior, err);
    if (status == RVM_OK)
        status = score_outputs(out, p, prediction, err);
    free(q.error);
    free(q.variance);
    free(q.residual);
    return status;
}

/* Of all rows that were left out, or of as many as are looked at. */
static rvm_status fit(rvm_calibration *out, rvm_left_out *rows, const rvm_labels *labels,
                      const rvm_settings *s, rvm_error *err)
{
    out->info.rows = rows->count;
    return labels != NULL ? fit_classes(out, rows, labels, s, err)
                          : fit_spreads(out, rows->rows, &rows->prediction, s, err);
}

/* All processes have fitted to the same rows. */
static rvm_status agree(rvm_calibration *c, rvm_team *team, rvm_status status, rvm_error *err)
{
    status = rvm_team_agree(team, status, err);
    if (status != RVM_OK)
        return status;
    rvm_team_same(team, &c->info, sizeof c->info);
    rvm_team_same(team, c->spread, c->outputs * sizeof *c->spread);
    return RVM_OK;
}

rvm_status rvm_calibration_fit(rvm_calibration *out, const rvm_problem *p,
                               const rvm_prediction *prediction, const size_t *row, size_t count,
                               const rvm_settings *s, rvm_error *err)
{
    const bool classes = s->task == RVM_CLASSIFICATION;
    rvm_labels labels = { 0 };
    rvm_left_out rows = { .count = 0 };
    rvm_status status = classes ? rvm_labels_find(&labels, p, err) : RVM_OK;
    status = rvm_team_agree(p->team, status, err);
    if (status == RVM_OK)
        status =
            rvm_left_out_collect(&rows, p, prediction, row, count, classes ? &labels : NULL, err);
    if (status == RVM_OK)
        status = agree(out, p->team, fit(out, &rows, classes ? &labels : NULL, s, err), err);
    rvm_left_out_free(&rows);
    rvm_labels_free(&labels);
    return status;
}

/* Of row n. */
static double output_loss(const rvm_calibration *c, const rvm_problem *p,
                          const rvm_prediction *prediction, size_t n, size_t output)
{
    const rvm_spread *s = &c->spread[output];
    const size_t at = n * p->outputs + output;
    const double variance =
        rvm_spread_variance(s, prediction->variance[at], prediction->residual[n]);
    return -rvm_spread_log_density(p->target[at] - prediction->value[at], variance, s->degrees);
}

static bool varies(const rvm_problem *p, size_t output)
{
    for (size_t n = 1; n < p->rows; n++)
        if (p->target[n * p->outputs + output] != p->target[output])
            return true;
    return false;
}

rvm_status rvm_calibration_losses(double *loss, const rvm_calibration *c, const rvm_problem *p,
                                  const rvm_prediction *prediction, const size_t *row, size_t count,
                                  const rvm_settings *s, rvm_error *err)
{
    if (s->task == RVM_CLASSIFICATION)
        return class_losses(loss, c, p, prediction, row, count, s, err);
    for (size_t i = 0; i < count; i++)
        loss[row[i]] = 0;
    for (size_t k = 0; k < p->outputs; k++) {
        const double share = varies(p, k) ? 1 / (double)p->outputs : 0;
        for (size_t i = 0; i < count && share > 0; i++)
            loss[row[i]] += share * output_loss(c, p, prediction, row[i], k);
    }
    return RVM_OK;
}

/* Those of some rows that are here. */
static rvm_status predict_residuals(rvm_prediction *out, const rvm_model *m,
                                    const rvm_problem *rows, const size_t *row, size_t count,
                                    int threads, rvm_error *err)
{
    const rvm_predictor_settings s = { .variance = true, .residual = true, .threads = threads };
    rvm_problem *some = rvm_problem_subset(rows, row, count);
    const rvm_status status = some == NULL ? rvm_fail_memory(err, "the calibration")
                                           : rvm_predict_by(out, m, some, &s, err);
    rvm_problem_free(some);
    return status;
}

rvm_status rvm_calibration_fit_edge(rvm_model *m, const rvm_problem *rows, int threads,
                                    rvm_error *err)
{
    rvm_prediction out = { 0 };
    size_t *row = NULL, count = 0, all = 0;
    double *residual = NULL;
    rvm_status status = rvm_left_out_choose(&row, &count, rows, err);
    status = rvm_team_agree(rows->team, status, err);
    if (status == RVM_OK)
        status = predict_residuals(&out, m, rows, row, count, threads, err);
    status = rvm_team_agree(rows->team, status, err);
    if (status == RVM_OK)
        status = rvm_left_out_share(&residual, &all, rows, out.residual, count, err);
    double edge = status == RVM_OK ? find_edge(residual, all) : 0;
    rvm_team_same(rows->team, &edge, sizeof edge);
    for (size_t k = 0; k < m->calibration.outputs && status == RVM_OK; k++)
        move_edge(&m->calibration.spread[k], fmax(m->calibration.spread[k].edge, edge));
    rvm_prediction_free(&out);
    free(residual);
    free(row);
    return rvm_team_agree(rows->team, status, err);
}
