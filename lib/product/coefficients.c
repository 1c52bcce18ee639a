/* The posterior of the weights of features and of products of features.
 *
 * With Sigma = (R'R)^-1, R upper triangular, the variance of weight i is
 *
 *     Sigma_ii = e_i' R^-1 R^-T e_i = |v|^2,   R'v = e_i,
 *
 * a forward substitution that begins at i. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "product/model.h"

/* Where row i of the packed upper triangle of K rows begins. */
static size_t row_start(size_t K, size_t i)
{
    return i * K - i * (i - 1) / 2;
}

/* Standard deviation of weight i; v: scratch, K. */
static double deviation(const rvm_latent *f, size_t i, double *v)
{
    const size_t K = f->count;
    double sum = 0;

    for (size_t j = i; j < K; j++)
        v[j] = j == i;
    for (size_t l = i; l < K; l++) {
        const double *R = f->factor + row_start(K, l); /* R[0] is R_ll */

        v[l] /= R[0];
        sum += v[l] * v[l];
        for (size_t j = l + 1; j < K; j++)
            v[j] -= R[j - l] * v[l];
    }
    return fmin(sqrt(sum), DBL_MAX);
}

rvm_status rvm_model_coefficients(rvm_coefficient **out, size_t *count, const rvm_model *m,
                                  size_t function, rvm_error *err)
{
    const rvm_latent *f = &m->latent[function];
    const size_t terms = f->draws > 0 ? 0 : f->terms;
    rvm_coefficient *list = rvm_array(terms, sizeof *list);
    double *v = rvm_array(f->count, sizeof *v);

    if (list == NULL || v == NULL) {
        free(list);
        free(v);
        return rvm_fail_memory(err, "the coefficients");
    }
    for (size_t i = 0; i < terms; i++) {
        const double offset = f->term[i].degree == 0 ? f->bias_mean : 0;

        rvm_term_name(list[i].name, &f->term[i]);
        list[i].mean = f->weight[i] + offset;
        list[i].sd = deviation(f, i, v);
    }
    free(v);
    *out = list;
    *count = terms;
    return RVM_OK;
}
