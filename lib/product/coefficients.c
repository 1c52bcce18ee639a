/* The posterior of the weights of features and of products of features.
 *
 * With Sigma = (R'R)^-1, R upper triangular, the variance of weight i is Sigma_ii = e_i' Sigma e_i,
 * that of a prediction at basis functions e_i. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "product/model.h"
#include "product/predict.h"

/* Posterior standard deviation of weight i; phi: scratch, a tile, of which one column is used. */
static double deviation(size_t i, double *phi, const rvm_forward *R)
{
    double variance[RVM_FORWARD_LANES];

    memset(phi, 0, R->padded * RVM_FORWARD_LANES * sizeof *phi);
    phi[i * RVM_FORWARD_LANES] = 1;
    rvm_predict_variances(variance, phi, 1, R);
    return fmin(sqrt(variance[0]), DBL_MAX);
}

rvm_status rvm_model_coefficients(rvm_coefficient **out, size_t *count, const rvm_model *m,
                                  size_t function, rvm_error *err)
{
    const rvm_latent *f = &m->latent[function];
    const size_t terms = f->draws > 0 ? 0 : f->terms;
    if (terms > 0 && f->factor == NULL)
        return rvm_fail(err, RVM_EMODEL, "the model has no covariance of its weights");
    rvm_coefficient *list = rvm_array(terms, sizeof *list);
    rvm_forward R = { 0 };
    const bool memory = list != NULL && rvm_forward_init(&R, f->factor, terms > 0 ? f->count : 0);
    double *phi = memory ? rvm_array(R.padded, RVM_FORWARD_LANES * sizeof *phi) : NULL;

    for (size_t i = 0; phi != NULL && i < terms; i++) {
        const double offset = f->term[i].degree == 0 ? f->bias_mean : 0;

        rvm_term_name(list[i].name, &f->term[i]);
        list[i].mean = f->weight[i] + offset;
        list[i].sd = deviation(i, phi, &R);
    }
    rvm_forward_clear(&R);
    if (phi == NULL) {
        free(list);
        return rvm_fail_memory(err, "the coefficients");
    }
    free(phi);
    *out = list;
    *count = terms;
    return RVM_OK;
}
