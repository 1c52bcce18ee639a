/* The logarithm of a sum of exponentials, whose terms come one by one. */
#include "base/log_sum.h"

#include <math.h>

rvm_log_sum rvm_log_sum_empty(void)
{
    return (rvm_log_sum){ -INFINITY, 0 };
}

/* What was the largest so far becomes one of the rest. */
void rvm_log_sum_add(rvm_log_sum *s, double x)
{
    if (x > s->largest) {
        s->rest = (1 + s->rest) * exp(s->largest - x);
        s->largest = x;
    } else {
        s->rest += x == s->largest ? 1 : exp(x - s->largest);
    }
}

double rvm_log_sum_total(const rvm_log_sum *s)
{
    return s->largest + log1p(s->rest);
}
