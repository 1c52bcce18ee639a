/* What a kernel comes to in cross-validation, over some draws of the folds. */
#include "product/trial.h"

#include <math.h>

/* The mean of one value more, which is number n. */
static void average(double *mean, double value, int n)
{
    *mean += (value - *mean) / n;
}

static rvm_status add_draw(rvm_trial *t, const rvm_prediction *prediction, const rvm_problem *p,
                           const rvm_constant *c, const rvm_settings *s, rvm_error *err)
{
    rvm_fold_score score;
    double sure = 0;
    const double loss = rvm_loss(&sure, prediction, p, c, s);
    const rvm_status status = rvm_score_folds(&score, prediction, p, err);
    if (status != RVM_OK)
        return status;
    const int n = ++t->draws;
    if (!isinf(t->loss))
        average(&t->loss, loss, n);
    average(&t->sure, sure, n);
    average(&t->score.error, score.error, n);
    average(&t->score.log_loss, score.log_loss, n);
    average(&t->score.cover, score.cover, n);
    return RVM_OK;
}

rvm_status rvm_trial_draw(rvm_trial *t, rvm_prediction *prediction, const rvm_problem *p,
                          const rvm_constant *c, const rvm_settings *s, size_t folds,
                          rvm_training *train, rvm_error *err)
{
    rvm_settings mine = *s;
    bool finished = false;
    mine.seed = s->seed + (unsigned long)t->draws;
    const rvm_status status =
        rvm_crossval_predict(prediction, &finished, p, &mine, folds, train, err);
    if (status == RVM_ENUMERIC) {
        t->draws++;
        t->loss = INFINITY;
        return RVM_OK;
    }
    if (status != RVM_OK || !finished)
        return status;
    return add_draw(t, prediction, p, c, s, err);
}
