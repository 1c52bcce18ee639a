/* Which training a team does together. */
#include "product/together.h"

#include "data/order.h"
#include "data/problem.h"
#include "data/shard.h"

enum {
    LEAST_ROWS = 5000, /* below, it is not worth it */
    LEAST_DIFFERENT =
        2500 /* rows that differ, where all their columns are never kept (search/starts.c) */
};

static bool may_be(const rvm_settings *s, rvm_kernel_type type)
{
    for (size_t k = 0; k < s->tune.type_count; k++)
        if (s->tune.type[k] == type)
            return true;
    return s->tune.type_count == 0 && s->kernel.type == type;
}

static bool is_usual(const rvm_problem *p, const rvm_settings *s)
{
    return s->method == RVM_METHOD_AUTO && s->vectors == 0 && p->outputs == 1 && !s->probability &&
           !s->tune.race && !may_be(s, RVM_PRECOMPUTED) && !may_be(s, RVM_NO_KERNEL);
}

/* Of the rows of all processes, those that have features of their own. */
static rvm_status count_different(size_t *count, const rvm_problem *p, rvm_error *err)
{
    bool repeats = false;
    size_t here = p->rows > 0;
    const rvm_status status = rvm_shard_repeats(&repeats, p, err);
    here -= repeats;
    for (size_t i = 1; i < p->rows; i++)
        here += !rvm_order_same(p, i - 1, i);
    *count = rvm_team_total(p->team, here);
    return status;
}

rvm_status rvm_together(bool *so, const rvm_problem *p, const rvm_settings *s, rvm_error *err)
{
    size_t different = 0;
    *so = false;
    if (p->team == NULL || p->all < LEAST_ROWS || !is_usual(p, s))
        return RVM_OK;
    const rvm_status status = count_different(&different, p, err);
    *so = different >= LEAST_DIFFERENT;
    return status;
}
