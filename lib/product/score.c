/* How good predictions are.
 *
 * Means and central moments are updated row by row (Welford 1962) rather than from sums of squares,
 * whose difference loses every digit when the spread is small beside the mean. */
#include <float.h>
#include <gsl/gsl_math.h>
#include <math.h>

#include "product/predict.h"
#include "product/spread.h"
#include "rvm.h"

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

void rvm_score_add_output(rvm_score *score, const rvm_prediction *p, const rvm_problem *rows,
                          size_t output)
{
    for (size_t i = 0; i < p->rows; i++) {
        const size_t at = i * p->outputs + output;
        const double target = rvm_problem_targets(rows, i)[output];

        if (isnan(target)) /* unlabelled */
            continue;
        score->rows++;
        add_regression(score, p->value[at], p->variance[at], rvm_prediction_degrees(p, at), target);
    }
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
