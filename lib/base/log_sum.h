/* The logarithm of a sum of exponentials, whose terms come one by one. */
#ifndef RVM_LOG_SUM_H
#define RVM_LOG_SUM_H

/* The sum is exp(largest) (1 + rest): nothing overflows, and where one term is nearly all of it the
 * digits of the others are kept. */
typedef struct {
    double largest; /* of the terms so far */
    double rest;    /* sum of exp(x - largest) over the other ones */
} rvm_log_sum;

/* Of no terms. */
rvm_log_sum rvm_log_sum_empty(void);
/* The sum += exp(x). */
void rvm_log_sum_add(rvm_log_sum *s, double x);
/* ln of the sum; -infinity of no terms. */
double rvm_log_sum_total(const rvm_log_sum *s);

#endif
