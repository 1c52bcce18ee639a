/* Which training a team does together. */
#include "product/together.h"

#include "data/problem.h"
#include "data/shard.h"
#include "product/settings.h"

enum {
    LEAST_ROWS = 5000, /* below, it is not worth it */
    LEAST_DIFFERENT =
        2500 /* rows that differ, where all their columns are never kept (search/starts.c) */
};

static bool is_usual(const rvm_problem *p, const rvm_settings *s)
{
    return s->method == RVM_METHOD_AUTO && s->vectors == 0 && p->outputs == 1 && !s->probability &&
           !s->tune.race && !rvm_settings_may_be(s, RVM_PRECOMPUTED) &&
           !rvm_settings_may_be(s, RVM_NO_KERNEL);
}

rvm_status rvm_together(bool *so, const rvm_problem *p, const rvm_settings *s, rvm_error *err)
{
    size_t different = 0;
    *so = false;
    if (p->team == NULL || p->all < LEAST_ROWS || !is_usual(p, s))
        return RVM_OK;
    const rvm_status status = rvm_shard_different(&different, p, err);
    *so = different >= LEAST_DIFFERENT;
    return status;
}
