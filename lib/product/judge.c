/* What candidates of a race lose on the rows that their folds have left out. */
#include "product/judge.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/problem.h"
#include "product/calibration_fit.h"

/* row[0 .. count - 1]: the rows that the finished folds have left out. */
static size_t list_rows(size_t *row, const rvm_crossval *v, size_t rows)
{
    size_t count = 0;
    for (size_t n = 0; n < rows; n++)
        if (rvm_crossval_fold_of(v, n) < rvm_crossval_finished(v))
            row[count++] = n;
    return count;
}

rvm_status rvm_judge_folds(rvm_calibration_info *info, double *loss, const rvm_crossval *v,
                           const rvm_problem *p, const rvm_settings *s, rvm_error *err)
{
    const rvm_prediction *prediction = rvm_crossval_prediction(v);
    rvm_calibration c = { .outputs = 0 };
    size_t *row = rvm_array(p->rows, sizeof *row);
    if (row == NULL)
        return rvm_fail_memory(err, "the losses");
    const size_t count = list_rows(row, v, p->rows);
    for (size_t n = 0; n < p->rows; n++)
        loss[n] = NAN;
    rvm_status status = rvm_calibration_fit(&c, p, prediction, row, count, s, err);
    if (status == RVM_OK)
        status = rvm_calibration_losses(loss, &c, p, prediction, row, count, s, err);
    *info = c.info;
    rvm_calibration_free(&c);
    free(row);
    return status;
}

bool rvm_judge_compare(double *mean, double *error, const double *a, const double *b, size_t rows)
{
    size_t count = 0;
    double sum = 0, squares = 0;
    for (size_t n = 0; n < rows; n++)
        if (!isnan(a[n]) && !isnan(b[n])) {
            const double d = a[n] - b[n], before = sum;
            count++;
            sum += d;
            /* Welford's update of the squares about the mean. */
            if (count > 1)
                squares += (d - before / (double)(count - 1)) * (d - sum / (double)count);
        }
    if (count < 2)
        return false;
    *mean = sum / (double)count;
    *error = sqrt(squares / (double)(count - 1) / (double)count);
    return true;
}
