/* Which training a team does together. */
#include "product/together.h"

#include "data/problem.h"
#include "data/shard.h"
#include "product/calibration.h"
#include "product/settings.h"
#include "search/starts.h"

/* Rows that differ, where all their columns are never kept (search/starts.c). Folds leave fewer of
 * them; of several outputs so few rows are not searched as many are. */
enum { LEAST_DIFFERENT = 2500, LEAST_IN_FOLDS = RVM_STARTS_MANY_ROWS };

static bool is_usual(const rvm_settings *s)
{
    return s->method == RVM_METHOD_AUTO && s->vectors == 0 && !s->tune.race &&
           !rvm_settings_may_be(s, RVM_PRECOMPUTED) && !rvm_settings_may_be(s, RVM_NO_KERNEL);
}

/* So many rows that differ a fold leaves out at the most: that of a row is dealt once for all its
 * copies, or for each of them, to the folds in turn (product/folds.c). */
static size_t left_out(const rvm_problem *p, size_t folds)
{
    return folds == 0 ? 0 : (p->all + folds - 1) / folds;
}

rvm_status rvm_together(bool *so, const rvm_problem *p, const rvm_settings *s, size_t folds,
                        rvm_error *err)
{
    const size_t of_each = s->probability ? RVM_CALIBRATION_FOLDS : 0;
    const bool in_folds = folds > 0 || of_each > 0;
    const size_t least = in_folds && p->outputs > 1 ? LEAST_IN_FOLDS : LEAST_DIFFERENT;
    size_t different = 0;
    *so = false;
    if (p->team == NULL || p->all < RVM_TOGETHER_ROWS || !is_usual(s) ||
        (folds > 0 && of_each > 0)) /* folds of folds may be of few rows */
        return RVM_OK;
    const rvm_status status = rvm_shard_different(&different, p, err);
    *so = different >= least + left_out(p, folds) + left_out(p, of_each);
    return status;
}
