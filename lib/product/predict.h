/* What prediction shares with cross-validation and with the posterior of weights. */
#ifndef RVM_PREDICT_H
#define RVM_PREDICT_H

#include "base/forward.h"
#include "rvm.h"

/* Makes room for `rows` rows and sets out->rows, out->classes, 0 for regression, and out->outputs,
 * 1 for classification. False without memory, out then unchanged but for spare room. Values are not
 * set. */
bool rvm_prediction_resize(rvm_prediction *out, size_t rows, size_t classes, size_t outputs);

/* Of the distribution of a target: 0, it is normal, where nobody has said. */
static inline double rvm_prediction_degrees(const rvm_prediction *p, size_t at)
{
    return p->degrees == NULL ? 0 : p->degrees[at];
}

/* rvm_predict (rvm.h) with all settings. */
RVM_CHECKED rvm_status rvm_predict_by(rvm_prediction *out, const rvm_model *m,
                                      const rvm_problem *rows, const rvm_predictor_settings *s,
                                      rvm_error *err);

/* variance[c] = phi_c' Sigma phi_c = |v|^2 with R' v = phi_c, Sigma = (R'R)^-1, for the columns c of
 * `tiles` tiles of phi, laid out as for rvm_forward_solve, which makes them v. */
void rvm_predict_variances(double *variance, double *phi, size_t tiles, const rvm_forward *R);

#endif
