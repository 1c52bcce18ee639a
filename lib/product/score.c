/* How good predictions are.
 *
 * Means and central moments are updated row by row (Welford 1962) rather than from sums of squares,
 * whose difference loses every digit when the spread is small beside the mean; those of two sets of
 * rows are put together likewise (Chan, Golub and LeVeque 1983). */
#include "product/score.h"

#include <float.h>
#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/problem.h"
#include "product/folds.h"
#include "product/predict.h"
#include "product/spread.h"

/* Scripts read averages as numbers: a sum that leaves the range of double is the largest one. */
static double finite_sum(double sum)
{
    return fmax(-DBL_MAX, fmin(sum, DBL_MAX));
}

/* ---- Intervals ------------------------------------------------------------------------------ */

double rvm_score_interval(size_t which)
{
    static const double probability[RVM_COVERS] = { 0.5, 0.9, 0.95 };
    return probability[which];
}

/* Intervals of at least that probability hold the target. */
static void count_held(rvm_score *score, double probability)
{
    for (size_t i = 0; i < RVM_COVERS; i++)
        score->held[i] += probability <= rvm_score_interval(i);
}

double rvm_score_cover_over(const rvm_score *score, size_t outputs, size_t which)
{
    double mean = 0;

    for (size_t k = 0; k < outputs; k++)
        if (score[k].rows > 0)
            mean += (double)score[k].held[which] / (double)score[k].rows / (double)outputs;
    return mean;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* One more target t, predicted with mean p and variance v: the squared error, the negative log
 * density, and with n the rows so far, by Welford's recurrence, mean += (x - mean) / n, m_xy += (x -
 * old mean of x) (y - new mean of y). */
static void add_regression(rvm_score *score, double mean, double variance, double degrees,
                           double target)
{
    const double n = (double)score->rows;
    const double error = target - mean;
    const double dp = mean - score->mean_p, dt = target - score->mean_t;

    score->error2 += error * error;
    score->nlpd = finite_sum(score->nlpd - rvm_spread_log_density(error, variance, degrees));
    count_held(score, rvm_spread_central_probability(error, variance, degrees));
    score->mean_p += dp / n;
    score->mean_t += dt / n;
    score->m_pp += dp * (mean - score->mean_p);
    score->m_tt += dt * (target - score->mean_t);
    score->m_pt += dp * (target - score->mean_t);
}

/* Row i, unless it is unlabelled. */
static void add_output_of_row(rvm_score *score, const rvm_prediction *p, const rvm_problem *rows,
                              size_t output, size_t i)
{
    const size_t at = i * p->outputs + output;
    const double target = rvm_problem_targets(rows, i)[output];

    if (isnan(target))
        return;
    score->rows++;
    add_regression(score, p->value[at], p->variance[at], rvm_prediction_degrees(p, at), target);
}

void rvm_score_add_output(rvm_score *score, const rvm_prediction *p, const rvm_problem *rows,
                          size_t output)
{
    for (size_t i = 0; i < p->rows; i++)
        add_output_of_row(score, p, rows, output, i);
}

/* sum_c (p_c - [c is the class])^2, Brier's score as he had it (1950), over all classes. */
static double brier_of(const double *probability, size_t classes, size_t class)
{
    double sum = 0;

    for (size_t c = 0; c < classes; c++)
        sum += gsl_pow_2(probability[c] - (c == class));
    return sum;
}

/* Row i. A row of no class of the model counts for neither. */
static void add_probabilities(rvm_score *score, const rvm_model_info *m, const rvm_prediction *p,
                              size_t i, double target)
{
    for (size_t c = 0; c < m->classes; c++)
        if (target == m->labels[c]) {
            const size_t at = i * p->classes;

            score->log_loss = finite_sum(score->log_loss - p->log_probability[at + c]);
            score->brier += brier_of(p->probability + at, m->classes, c);
            score->log_loss_rows++;
            return;
        }
}

void rvm_score_add(rvm_score *score, const rvm_model_info *m, const rvm_prediction *p,
                   const rvm_problem *rows)
{
    if (m->task == RVM_REGRESSION) {
        rvm_score_add_output(score, p, rows, 0);
        return;
    }
    for (size_t i = 0; i < p->rows; i++) {
        const double target = rvm_problem_target(rows, i);

        if (isnan(target)) /* unlabelled */
            continue;
        score->rows++;
        score->correct += p->value[i] == target;
        add_probabilities(score, m, p, i, target);
    }
}

/* ---- Held-out rows --------------------------------------------------------------------------- */

/* A score as numbers that are summed. */
enum {
    ROWS,
    CORRECT,
    ERROR2,
    NLPD,
    MEAN_P,
    MEAN_T,
    M_PP,
    M_TT,
    M_PT,
    HELD,
    NUMBERS = HELD + RVM_COVERS
};

static rvm_score score_of(const double *x)
{
    rvm_score s = { .rows = (size_t)x[ROWS],
                    .correct = (size_t)x[CORRECT],
                    .error2 = x[ERROR2],
                    .nlpd = x[NLPD],
                    .mean_p = x[MEAN_P],
                    .mean_t = x[MEAN_T],
                    .m_pp = x[M_PP],
                    .m_tt = x[M_TT],
                    .m_pt = x[M_PT] };
    for (size_t i = 0; i < RVM_COVERS; i++)
        s.held[i] = (size_t)x[HELD + i];
    return s;
}

static void numbers_of(double *x, const rvm_score *s)
{
    const double numbers[] = { (double)s->rows, (double)s->correct, s->error2, s->nlpd,
                               s->mean_p,       s->mean_t,          s->m_pp,   s->m_tt,
                               s->m_pt };
    for (size_t k = 0; k < HELD; k++)
        x[k] = numbers[k];
    for (size_t i = 0; i < RVM_COVERS; i++)
        x[HELD + i] = (double)s->held[i];
}

/* Of n and m rows: with d the difference of their means, mean += d m / (n + m), and the moments
 * gain d_x d_y n m / (n + m). */
static void join_moments(double *x, const double *y)
{
    const double n = x[ROWS], m = y[ROWS];
    const double dp = y[MEAN_P] - x[MEAN_P], dt = y[MEAN_T] - x[MEAN_T];
    if (m == 0)
        return;
    x[MEAN_P] += dp * (m / (n + m));
    x[MEAN_T] += dt * (m / (n + m));
    x[M_PP] += y[M_PP] + dp * dp * (n * (m / (n + m)));
    x[M_TT] += y[M_TT] + dt * dt * (n * (m / (n + m)));
    x[M_PT] += y[M_PT] + dp * dt * (n * (m / (n + m)));
}

/* Borrowed. */
typedef struct {
    const rvm_prediction *prediction;
    const rvm_problem *p;
    size_t scores;
} held_out;

static void add_row(void *context, size_t row, double *sums)
{
    const held_out *h = context;
    for (size_t k = 0; k < h->scores; k++) {
        rvm_score s = score_of(sums + k * NUMBERS);
        if (h->prediction->classes == 0) {
            add_output_of_row(&s, h->prediction, h->p, k, row);
        } else {
            s.rows++;
            s.correct += h->prediction->value[row] == rvm_problem_target(h->p, row);
        }
        numbers_of(sums + k * NUMBERS, &s);
    }
}

static rvm_status join_scores(void *context, double *left, const double *right, int worker,
                              rvm_error *err)
{
    const held_out *h = context;
    (void)worker, (void)err;
    for (size_t k = 0; k < h->scores; k++) {
        double *x = left + k * NUMBERS;
        const double *y = right + k * NUMBERS;
        join_moments(x, y);
        x[ROWS] += y[ROWS];
        x[CORRECT] += y[CORRECT];
        x[ERROR2] += y[ERROR2];
        x[NLPD] = finite_sum(x[NLPD] + y[NLPD]);
        for (size_t i = 0; i < RVM_COVERS; i++)
            x[HELD + i] += y[HELD + i];
    }
    return RVM_OK;
}

rvm_status rvm_score_held_out(rvm_score *score, const rvm_prediction *prediction,
                              const rvm_problem *p, rvm_error *err)
{
    held_out h = { prediction, p, prediction->classes == 0 ? prediction->outputs : 1 };
    double *sums = rvm_array(h.scores, NUMBERS * sizeof *sums);
    rvm_status status = sums == NULL ? rvm_fail_memory(err, "scores") : RVM_OK;
    status = rvm_team_agree(p->team, status, err);
    if (status == RVM_OK)
        status = rvm_folds_sum(sums, h.scores * NUMBERS, p, add_row, join_scores, &h, err);
    for (size_t k = 0; k < h.scores && status == RVM_OK; k++)
        score[k] = score_of(sums + k * NUMBERS);
    free(sums);
    return status;
}

/* ---- Averages ------------------------------------------------------------------------------- */

double rvm_score_accuracy(const rvm_score *score)
{
    return score->rows == 0 ? 0 : 100.0 * (double)score->correct / (double)score->rows;
}

double rvm_score_mean_squared_error(const rvm_score *score)
{
    if (score->rows == 0)
        return 0;
    return finite_sum(score->error2 / (double)score->rows);
}

/* r^2 = m_pt^2 / (m_pp m_tt); nan where p or t does not vary. */
double rvm_score_squared_correlation(const rvm_score *score)
{
    if (!(score->m_pp > 0 && score->m_pp <= DBL_MAX && score->m_tt > 0 && score->m_tt <= DBL_MAX))
        return NAN;
    /* Two quotients: the product of the moments may overflow where its quotient does not. */
    const double r = score->m_pt / sqrt(score->m_pp) / sqrt(score->m_tt);
    return isfinite(r) ? r * r : NAN;
}

static double mean_over(double (*figure)(const rvm_score *score), const rvm_score *score,
                        size_t outputs)
{
    double mean = 0;

    for (size_t k = 0; k < outputs; k++)
        mean += figure(&score[k]) / (double)outputs;
    return mean;
}

double rvm_score_mean_error_over(const rvm_score *score, size_t outputs)
{
    return fmin(mean_over(rvm_score_mean_squared_error, score, outputs), DBL_MAX);
}

double rvm_score_correlation_over(const rvm_score *score, size_t outputs)
{
    return mean_over(rvm_score_squared_correlation, score, outputs);
}
