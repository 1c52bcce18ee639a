/* Probabilities where the shares of the classes are others than in training.
 *
 *   pi_c    rows of class c in training by their weight, as a share of those of all classes
 *   pi'_c   its share where is predicted
 *
 * What rows of a class look like stays the same, p'(x|c) = p(x|c), and so by Bayes's rule
 *
 *     P'(c|x) = P(c|x) pi'_c / pi_c / sum_j P(j|x) pi'_j / pi_j
 *
 * (Saerens, Latinne and Decaestecker 2002; of two classes Elkan 2001, section 3). With pi'_c
 * the shares of the rows, without weights, that takes weights out of the probabilities.
 *
 * A calibration of temperature T has raised P(c|x) / pi_c, what the row says of the class, to the power
 * of 1 / T before (calibration_fit.c). */
#include "product/prevalence.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "product/model.h"

/* Shares are typed with few digits: three times 0.333. */
static const double most_off_one = 2e-3;

/* Written so that nan is refused. */
static rvm_status check_shares(const rvm_model *m, const double *share, rvm_error *err)
{
    double sum = 0;

    for (size_t c = 0; c < m->class_count; c++) {
        if (!(share[c] >= 0 && share[c] <= 1))
            return rvm_fail(err, RVM_ESETTING, "the share of class %d is %g, not from 0 to 1",
                            m->label[c], share[c]);
        sum += share[c];
    }
    if (!(fabs(sum - 1) <= most_off_one))
        return rvm_fail(err, RVM_ESETTING, "the shares of the classes sum to %g, not to 1", sum);
    return RVM_OK;
}

static rvm_status check(const rvm_model *m, const double *share, rvm_error *err)
{
    if (m->task == RVM_REGRESSION)
        return rvm_fail(err, RVM_ESETTING, "a regression has no classes, and they no prevalence");
    if (m->class_rows == NULL)
        return rvm_fail(err, RVM_ESETTING,
                        "the model does not say how many rows of each class it was trained on: "
                        "train it again");
    return check_shares(m, share, err);
}

static double weighted_rows(const rvm_model *m, size_t c)
{
    return (double)m->class_rows[c] * (m->class_weight == NULL ? 1 : m->class_weight[c]);
}

rvm_status rvm_prevalence_shift(double **shift, const rvm_model *m, double power,
                                const double *share, rvm_error *err)
{
    double total = 0;

    *shift = NULL;
    if (share == NULL && power == 1)
        return RVM_OK;
    const rvm_status status = share == NULL ? RVM_OK : check(m, share, err);
    if (status != RVM_OK)
        return status;
    *shift = rvm_array(m->class_count, sizeof **shift);
    if (*shift == NULL)
        return rvm_fail_memory(err, "prediction");
    for (size_t c = 0; c < m->class_count; c++)
        total += weighted_rows(m, c);
    for (size_t c = 0; c < m->class_count; c++) {
        const double trained = weighted_rows(m, c) / total;
        (*shift)[c] = log(share == NULL ? trained : share[c]) - power * log(trained);
    }
    return RVM_OK;
}
