/* Training from outside: models as bytes, predictions, and all numbers of a saved model against the
 * formulas. All in the header, since a test file is linked with the library alone. */
#ifndef RVM_TESTS_TRAINED_H
#define RVM_TESTS_TRAINED_H

#include "problems.h"
#include <float.h>

/* ---- Helpers -------------------------------------------------------------------------------- */

static inline rvm_model *train(const rvm_problem *p, const rvm_settings *s)
{
    rvm_model *m = NULL;
    rvm_error err = { 0 };
    CHECK_OK(rvm_train(&m, p, s, &err));
    return m;
}

/* The model file, owned by the caller. */
static inline char *bytes_of(const rvm_model *m)
{
    char *text = NULL;
    size_t size = 0;
    rvm_error err = { 0 };
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    CHECK_OK(rvm_model_write(m, out, &err));
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

/* Without the line that says where the vectors stood in the training file. */
__attribute__((noinline, unused)) static void drop_rows(char *text)
{
    char *const line = strstr(text, "\nrows ");
    if (line != NULL) {
        const char *const end = strchr(line + 1, '\n');
        memmove(line, end, strlen(end) + 1);
    }
}

static inline void check_same_bytes(const rvm_model *a, const rvm_model *b)
{
    char *x = bytes_of(a), *y = bytes_of(b);
    drop_rows(x);
    drop_rows(y);
    ck_assert_str_eq(x, y);
    free(x);
    free(y);
}

static inline rvm_prediction predict(const rvm_model *m, const rvm_problem *rows)
{
    rvm_prediction out = { 0 };
    rvm_error err = { 0 };
    CHECK_OK(rvm_predict(&out, m, rows, false, &err));
    return out;
}

static inline void check_finite_predictions(const rvm_model *m, const rvm_problem *rows)
{
    rvm_prediction out = predict(m, rows);
    for (size_t i = 0; i < out.rows; i++) {
        ck_assert(isfinite(out.value[i]));
        ck_assert(isfinite(out.variance[i]) && out.variance[i] >= 0);
        double sum = 0;
        for (size_t k = 0; k < out.classes; k++)
            sum += out.probability[i * out.classes + k];
        if (out.classes > 0)
            ck_assert_double_eq_tol(sum, 1, 1e-12);
    }
    rvm_prediction_free(&out);
}

/* Rows in another order, or each several times. */
static inline rvm_problem *reordered(const rvm_problem *p, size_t step, size_t times)
{
    size_t *row = calloc(p->rows * times, sizeof *row);
    ck_assert_ptr_nonnull(row);
    for (size_t i = 0; i < p->rows * times; i++)
        row[i] = (i % p->rows * step + 3) % p->rows;
    rvm_problem *q = rvm_problem_subset(p, row, p->rows * times);
    free(row);
    ck_assert_ptr_nonnull(q);
    return q;
}

static inline rvm_problem *copy_of(const rvm_problem *p)
{
    size_t *row = calloc(p->rows, sizeof *row);
    ck_assert_ptr_nonnull(row);
    for (size_t i = 0; i < p->rows; i++)
        row[i] = i;
    rvm_problem *q = rvm_problem_subset(p, row, p->rows);
    free(row);
    ck_assert_ptr_nonnull(q);
    return q;
}

static inline void check_same_vectors(const rvm_model *a, const rvm_model *b)
{
    ck_assert_int_eq(rvm_latent_has_bias(a->latent), rvm_latent_has_bias(b->latent));
    ck_assert_uint_eq(a->vectors->rows, b->vectors->rows);
    for (size_t i = 0; i < a->vectors->start[a->vectors->rows]; i++)
        ck_assert_int_eq(a->vectors->index[i], b->vectors->index[i]);
}

/* Two problems, their models, and what these predict for the same rows. */
typedef struct {
    rvm_problem *p, *q; /* owned, as all of it */
    rvm_model *a, *b;
    rvm_prediction x, y;
} pair;

/* Trains a on p and b on q; x is of p, y of `rows`, which are those of p as b has to see them. */
static inline void pair_train(pair *w, const rvm_settings *s_of_a, const rvm_settings *s_of_b,
                              const rvm_problem *rows)
{
    w->a = train(w->p, s_of_a);
    w->b = train(w->q, s_of_b);
    w->x = predict(w->a, w->p);
    w->y = predict(w->b, rows);
}

static inline void pair_free(pair *w)
{
    rvm_prediction_free(&w->x);
    rvm_prediction_free(&w->y);
    rvm_model_free(w->a);
    rvm_model_free(w->b);
    rvm_problem_free(w->p);
    rvm_problem_free(w->q);
}

/* ---- The model against formulas -------------------------------------------------------------- */

/* Phi (rows x K) of the functions of l, in the order of the model. */
static inline gsl_matrix *basis_values(const rvm_model *m, const rvm_latent *l,
                                       const rvm_problem *p)
{
    gsl_matrix *Phi = gsl_matrix_alloc(p->rows, l->count);
    for (size_t n = 0; n < p->rows; n++) {
        for (size_t i = 0; i < l->terms; i++)
            gsl_matrix_set(Phi, n, i, term_by_formula(&l->term[i], p, n));
        for (size_t i = l->terms; i < l->count; i++)
            gsl_matrix_set(
                Phi, n, i,
                kernel_by_formula(&m->kernel, p, n, m->vectors, l->vector[i - l->terms], 8));
    }
    return Phi;
}

static inline gsl_matrix *unpacked_factor(const rvm_latent *l)
{
    gsl_matrix *R = gsl_matrix_calloc(l->count, l->count);
    const double *from = l->factor;
    for (size_t i = 0; i < l->count; i++)
        for (size_t j = i; j < l->count; j++)
            gsl_matrix_set(R, i, j, *from++);
    return R;
}

static inline double activation(const rvm_latent *l, const gsl_matrix *Phi, size_t n)
{
    double sum = l->bias_mean;
    for (size_t i = 0; i < l->count; i++)
        sum += gsl_matrix_get(Phi, n, i) * l->weight[i];
    return sum;
}

/* R'R = A + Phi' B Phi, relative to the geometric mean of the diagonal. */
static inline void check_factor(const rvm_latent *l, const gsl_matrix *Phi, const double *curvature)
{
    const size_t K = l->count;
    gsl_matrix *R = unpacked_factor(l), *P = gsl_matrix_calloc(K, K);
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++) {
            double sum = i == j ? l->alpha[i] : 0;
            for (size_t n = 0; n < Phi->size1; n++)
                sum += curvature[n] * gsl_matrix_get(Phi, n, i) * gsl_matrix_get(Phi, n, j);
            gsl_matrix_set(P, i, j, sum);
        }
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j <= i; j++) {
            const double size = sqrt(gsl_matrix_get(P, i, i) * gsl_matrix_get(P, j, j));
            double sum = 0;
            for (size_t k = 0; k <= j; k++)
                sum += gsl_matrix_get(R, k, i) * gsl_matrix_get(R, k, j);
            check_close(sum / size, gsl_matrix_get(P, i, j) / size, 1e-8);
        }
    gsl_matrix_free(R);
    gsl_matrix_free(P);
}

/* (1/2) ln|A + Phi'BPhi| less (1/2) sum ln alpha, from the factor. */
static inline double half_log_ratio(const rvm_latent *l)
{
    gsl_matrix *R = unpacked_factor(l);
    double sum = 0;
    for (size_t i = 0; i < l->count; i++)
        sum += log(gsl_matrix_get(R, i, i)) - 0.5 * log(l->alpha[i]);
    gsl_matrix_free(R);
    return sum;
}

static inline double prior_square(const rvm_latent *l)
{
    double sum = 0;
    for (size_t i = 0; i < l->count; i++)
        sum += l->alpha[i] * l->weight[i] * l->weight[i];
    return sum;
}

/* Everything in the saved model against the formulas of rvm-model(5) and Tipping (2001), from the
 * training rows. weight: of each row, or NULL. */
static inline void check_model(const rvm_model *m, const rvm_problem *p, const double *row_weight)
{
    const rvm_latent *l = &m->latent[0];
    gsl_matrix *Phi = basis_values(m, l, p);
    double *curvature = calloc(p->rows, sizeof *curvature), *slope = calloc(p->rows, sizeof *slope);
    double log_likelihood = 0;
    ck_assert_uint_eq(m->latent_count, 1);
    for (size_t n = 0; n < p->rows; n++) {
        const double f = activation(l, Phi, n), c = row_weight == NULL ? 1 : row_weight[n];
        if (m->task == RVM_REGRESSION) {
            curvature[n] = 1 / m->latent->noise_variance;
            slope[n] = (p->target[n] - f) / m->latent->noise_variance;
            log_likelihood -= 0.5 * log(2 * M_PI * m->latent->noise_variance) +
                              0.5 * gsl_pow_2(p->target[n] - f) / m->latent->noise_variance;
        } else {
            const double y = 1 / (1 + exp(-f)), t = (int)p->target[n] == m->label[0];
            curvature[n] = c * y * (1 - y);
            slope[n] = c * (t - y);
            log_likelihood += c * (t > 0 ? log(y) : log1p(-y));
        }
    }
    check_factor(l, Phi, curvature);
    check_close(m->log_evidence, log_likelihood - 0.5 * prior_square(l) - half_log_ratio(l), 1e-6);
    for (size_t i = 0; i < l->count; i++) { /* the mode */
        double pull = -l->alpha[i] * l->weight[i], size = fabs(pull), rounding = 0;
        for (size_t n = 0; n < p->rows; n++) {
            const double phi = gsl_matrix_get(Phi, n, i);
            pull += phi * slope[n];
            size += fabs(phi * slope[n]);
            for (size_t j = 0; j < l->count && m->task == RVM_REGRESSION; j++) /* of residuals */
                rounding += 4 * DBL_EPSILON / l->noise_variance *
                            fabs(phi * gsl_matrix_get(Phi, n, j) * l->weight[j]);
        }
        ck_assert_msg(fabs(pull) <= 1e-5 * size + rounding, "function %zu: %g of %g", i, pull,
                      size);
    }
    free(curvature);
    free(slope);
    gsl_matrix_free(Phi);
}

/* What training finds, and what that predicts for the same rows. */
static inline void check_training(const rvm_problem *p, const rvm_settings *s)
{
    rvm_model *m = train(p, s);
    check_model(m, p, NULL);
    check_finite_predictions(m, p);
    rvm_model_free(m);
}

/* The same with weights of classes by which a row of -1 counts a quarter of one of +1. */
static inline void check_weighted_training(const rvm_problem *p, rvm_settings s,
                                           const rvm_class_weight *weights, size_t count)
{
    double *row_weight = calloc(p->rows, sizeof *row_weight);
    ck_assert_ptr_nonnull(row_weight);
    for (size_t n = 0; n < p->rows; n++)
        row_weight[n] = p->target[n] > 0 ? 1 : 0.25; /* of weights 2 and 0.5 */
    s.class_weights = weights;
    s.class_weight_count = count;
    rvm_model *m = train(p, &s);
    check_model(m, p, row_weight);
    check_finite_predictions(m, p);
    rvm_model_free(m);
    free(row_weight);
}

/* Kernels of rows; tests loop over them. */
static const rvm_kernel_type vector_kernels[] = { RVM_LINEAR,  RVM_POLYNOMIAL, RVM_RBF,
                                                  RVM_SIGMOID, RVM_LAPLACIAN,  RVM_SPLINE };
enum { KERNELS = sizeof vector_kernels / sizeof *vector_kernels };

#endif
