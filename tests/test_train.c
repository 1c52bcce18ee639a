/* train.c, starts.c, working_set.c, finish.c: what training promises, seen from outside. */
#include "problems.h"
#include "suites.h"

/* ---- Helpers -------------------------------------------------------------------------------- */

static rvm_model *train(const rvm_problem *p, const rvm_settings *s)
{
    rvm_model *m = NULL;
    rvm_error err = { 0 };
    CHECK_OK(rvm_train(&m, p, s, &err));
    return m;
}

/* The model file, owned by the caller. */
static char *bytes_of(const rvm_model *m)
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

static void check_same_bytes(const rvm_model *a, const rvm_model *b)
{
    char *x = bytes_of(a), *y = bytes_of(b);
    ck_assert_str_eq(x, y);
    free(x);
    free(y);
}

static rvm_prediction predict(const rvm_model *m, const rvm_problem *rows)
{
    rvm_prediction out = { 0 };
    rvm_error err = { 0 };
    CHECK_OK(rvm_predict(&out, m, rows, false, &err));
    return out;
}

static void check_finite_predictions(const rvm_model *m, const rvm_problem *rows)
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
static rvm_problem *reordered(const rvm_problem *p, size_t step, size_t times)
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

static rvm_problem *copy_of(const rvm_problem *p)
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

static void check_same_vectors(const rvm_model *a, const rvm_model *b)
{
    ck_assert_int_eq(a->bias, b->bias);
    ck_assert_uint_eq(a->vectors->rows, b->vectors->rows);
    for (size_t i = 0; i < a->vectors->start[a->vectors->rows]; i++)
        ck_assert_int_eq(a->vectors->index[i], b->vectors->index[i]);
}

/* ---- The model against formulas -------------------------------------------------------------- */

/* Phi (rows x K) of the functions in the model's order. */
static gsl_matrix *basis_values(const rvm_model *m, const rvm_problem *p)
{
    gsl_matrix *Phi = gsl_matrix_alloc(p->rows, m->function_count);
    const size_t first = m->bias ? 1 : 0;
    for (size_t n = 0; n < p->rows; n++) {
        if (m->bias)
            gsl_matrix_set(Phi, n, 0, 1);
        for (size_t i = 0; i < m->vectors->rows; i++)
            gsl_matrix_set(Phi, n, first + i,
                           kernel_by_formula(&m->kernel, p, n, m->vectors, i, 8));
    }
    return Phi;
}

static gsl_matrix *unpacked_factor(const rvm_model *m)
{
    gsl_matrix *R = gsl_matrix_calloc(m->function_count, m->function_count);
    const double *from = m->factor;
    for (size_t i = 0; i < m->function_count; i++)
        for (size_t j = i; j < m->function_count; j++)
            gsl_matrix_set(R, i, j, *from++);
    return R;
}

static double activation(const rvm_model *m, const gsl_matrix *Phi, size_t n)
{
    double sum = m->bias_mean;
    for (size_t i = 0; i < m->function_count; i++)
        sum += gsl_matrix_get(Phi, n, i) * m->weight[i];
    return sum;
}

/* R'R = A + Phi' B Phi, relative to the geometric mean of the diagonal. */
static void check_factor(const rvm_model *m, const gsl_matrix *Phi, const double *curvature)
{
    const size_t K = m->function_count;
    gsl_matrix *R = unpacked_factor(m), *P = gsl_matrix_calloc(K, K);
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++) {
            double sum = i == j ? m->alpha[i] : 0;
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
static double half_log_ratio(const rvm_model *m)
{
    gsl_matrix *R = unpacked_factor(m);
    double sum = 0;
    for (size_t i = 0; i < m->function_count; i++)
        sum += log(gsl_matrix_get(R, i, i)) - 0.5 * log(m->alpha[i]);
    gsl_matrix_free(R);
    return sum;
}

static double prior_square(const rvm_model *m)
{
    double sum = 0;
    for (size_t i = 0; i < m->function_count; i++)
        sum += m->alpha[i] * m->weight[i] * m->weight[i];
    return sum;
}

/* Everything in the saved model against the formulas of rvm-model(5) and Tipping (2001), from the
 * training rows. weight: of each row, or NULL. */
static void check_model(const rvm_model *m, const rvm_problem *p, const double *row_weight)
{
    gsl_matrix *Phi = basis_values(m, p);
    double *curvature = calloc(p->rows, sizeof *curvature), *slope = calloc(p->rows, sizeof *slope);
    double log_likelihood = 0;
    for (size_t n = 0; n < p->rows; n++) {
        const double f = activation(m, Phi, n), c = row_weight == NULL ? 1 : row_weight[n];
        if (m->task == RVM_REGRESSION) {
            curvature[n] = 1 / m->noise_variance;
            slope[n] = (p->target[n] - f) / m->noise_variance;
            log_likelihood -= 0.5 * log(2 * M_PI * m->noise_variance) +
                              0.5 * gsl_pow_2(p->target[n] - f) / m->noise_variance;
        } else {
            const double y = 1 / (1 + exp(-f)), t = (int)p->target[n] == m->label[0];
            curvature[n] = c * y * (1 - y);
            slope[n] = c * (t - y);
            log_likelihood += c * (t > 0 ? log(y) : log1p(-y));
        }
    }
    check_factor(m, Phi, curvature);
    check_close(m->log_evidence, log_likelihood - 0.5 * prior_square(m) - half_log_ratio(m), 1e-6);
    for (size_t i = 0; i < m->function_count; i++) { /* the mode */
        double pull = -m->alpha[i] * m->weight[i], size = fabs(pull);
        for (size_t n = 0; n < p->rows; n++) {
            pull += gsl_matrix_get(Phi, n, i) * slope[n];
            size += fabs(gsl_matrix_get(Phi, n, i) * slope[n]);
        }
        ck_assert_msg(fabs(pull) <= 1e-5 * size, "function %zu: %g of %g", i, pull, size);
    }
    free(curvature);
    free(slope);
    gsl_matrix_free(Phi);
}

static const rvm_kernel_type vector_kernels[] = { RVM_LINEAR,  RVM_POLYNOMIAL, RVM_RBF,
                                                  RVM_SIGMOID, RVM_LAPLACIAN,  RVM_SPLINE };
enum { KERNELS = sizeof vector_kernels / sizeof *vector_kernels };

START_TEST(regression_model_follows_the_formulas)
    {
        rvm_problem *p = smooth_problem(40, 1);
        const rvm_settings s = settings_for(RVM_REGRESSION, vector_kernels[_i], 0.6);
        rvm_model *m = train(p, &s);
        check_model(m, p, NULL);
        check_finite_predictions(m, p);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(classification_model_follows_the_formulas)
    {
        rvm_problem *p = cloud_problem(40, 1);
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, vector_kernels[_i], 0.6);
        rvm_model *m = train(p, &s);
        check_model(m, p, NULL);
        check_finite_predictions(m, p);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* The kernel matrix of the RBF kernel written out gives what the RBF kernel gives. */
START_TEST(precomputed_is_the_kernel_written_out)
    {
        const rvm_task task = _i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION;
        rvm_problem *p = _i == 0 ? smooth_problem(30, 2) : cloud_problem(30, 2);
        rvm_problem *matrix = empty_problem();
        const rvm_settings rbf = settings_for(task, RVM_RBF, 0.5);
        const rvm_settings precomputed = settings_for(task, RVM_PRECOMPUTED, 0.5);
        for (size_t i = 0; i < 30; i++) {
            int index[31] = { 0 };
            double value[31] = { (double)i + 1 };
            for (size_t j = 0; j < 30; j++) {
                index[j + 1] = (int)j + 1;
                value[j + 1] = kernel_by_formula(&rbf.kernel, p, i, p, j, 3);
            }
            ck_assert(rvm_problem_append(matrix, p->target[i], index, value, 31));
        }
        rvm_model *a = train(p, &rbf), *b = train(matrix, &precomputed);
        check_model(b, matrix, NULL);
        for (size_t i = 0; i < b->vectors->rows; i++)
            ck_assert_uint_eq(b->vectors->start[i + 1], i + 1);
        check_close(b->log_evidence, a->log_evidence, 0.02);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
        rvm_problem_free(matrix);
    }
END_TEST

/* Classes of weights 2 and 0.5. */
START_TEST(weighted_model_follows_the_formulas)
    {
        const rvm_class_weight weights[] = { { 1, 4 }, { -1, 0.5 }, { 1, 0.5 } };
        rvm_problem *p = cloud_problem(40, 3);
        rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.6);
        double c[40];
        s.class_weights = weights;
        s.class_weight_count = 3;
        for (size_t n = 0; n < 40; n++)
            c[n] = p->target[n] > 0 ? 2 : 0.5;
        rvm_model *m = train(p, &s);
        check_model(m, p, c);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(model_without_a_bias)
    {
        rvm_problem *p = _i == 0 ? smooth_problem(40, 4) : cloud_problem(40, 4);
        rvm_settings s = settings_for(_i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION, RVM_RBF, 0.5);
        for (size_t n = 0; n < 40 && _i == 0; n++)
            p->target[n] += 3;
        s.bias = false;
        rvm_model *m = train(p, &s);
        ck_assert(!m->bias);
        ck_assert_double_eq(m->bias_mean, 0);
        check_model(m, p, NULL);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(given_noise_is_kept)
    {
        rvm_problem *p = smooth_problem(40, 4);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        s.noise_variance = 0.04;
        rvm_model *m = train(p, &s);
        ck_assert(m->noise_fixed);
        check_close(m->noise_variance / 0.04, 1, 1e-12);
        check_model(m, p, NULL);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Invariances ---------------------------------------------------------------------------- */

START_TEST(order_of_the_rows_does_not_matter)
    {
        rvm_problem *p = _i == 0 ? smooth_problem(50, 5) : cloud_problem(50, 5);
        rvm_problem *q = reordered(p, 7, 1);
        const rvm_settings s =
            settings_for(_i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION, RVM_RBF, 0.5);
        /* Of classes the first to appear is first in the model: +1 in both. */
        ck_assert(_i == 0 || q->target[0] == 1 || q->target[0] == -1);
        rvm_model *a = train(p, &s), *b = train(q, &s);
        check_same_bytes(a, b);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* Predictions scale with the targets, the evidence falls by N ln c. */
static void check_scaled_targets(double factor, double offset, double tolerance)
{
    rvm_problem *p = smooth_problem(40, 6), *q = copy_of(p);
    const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
    for (size_t n = 0; n < p->rows; n++)
        q->target[n] = factor * p->target[n] + offset;
    rvm_model *a = train(p, &s), *b = train(q, &s);
    rvm_prediction x = predict(a, p), y = predict(b, p);
    check_same_vectors(a, b);
    check_close(b->log_evidence, a->log_evidence - 40 * log(factor), tolerance);
    for (size_t n = 0; n < p->rows; n++) {
        check_close((y.value[n] - offset) / factor, x.value[n], tolerance);
        check_close(y.variance[n] / (factor * factor) / x.variance[n], 1, tolerance);
    }
    rvm_prediction_free(&x);
    rvm_prediction_free(&y);
    rvm_model_free(a);
    rvm_model_free(b);
    rvm_problem_free(p);
    rvm_problem_free(q);
}

static const double factors[] = { 1e-6, 1e-3, 0.125, 1e3, 1e6 };

START_TEST(units_of_the_target)
    {
        check_scaled_targets(factors[_i], 0, 1e-6);
    }
END_TEST

START_TEST(offset_of_the_target)
    {
        const double offsets[] = { -3, 12.5, 1000 };
        check_scaled_targets(1, offsets[_i], 1e-6);
    }
END_TEST

START_TEST(units_of_the_features)
    {
        rvm_problem *p = smooth_problem(40, 7), *q = copy_of(p);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_settings scaled = s;
        scaled.kernel.gamma /= factors[_i] * factors[_i];
        for (size_t k = 0; k < q->start[q->rows]; k++)
            q->value[k] *= factors[_i];
        rvm_model *a = train(p, &s), *b = train(q, &scaled);
        rvm_prediction x = predict(a, p), y = predict(b, q);
        check_same_vectors(a, b);
        check_close(b->log_evidence, a->log_evidence, 1e-6);
        for (size_t n = 0; n < p->rows; n++)
            check_close(y.value[n], x.value[n], 1e-6);
        rvm_prediction_free(&x);
        rvm_prediction_free(&y);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* Kernels of products double, say, with the units of the features; precisions take that up. */
START_TEST(size_of_the_kernel)
    {
        rvm_problem *p = smooth_problem(40, 7), *q = copy_of(p);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_LINEAR, 0);
        for (size_t k = 0; k < q->start[q->rows]; k++)
            q->value[k] *= factors[_i];
        rvm_model *a = train(p, &s), *b = train(q, &s);
        rvm_prediction x = predict(a, p), y = predict(b, q);
        check_close(b->log_evidence, a->log_evidence, 1e-4);
        for (size_t n = 0; n < p->rows; n++)
            check_close(y.value[n], x.value[n], 1e-3);
        rvm_prediction_free(&x);
        rvm_prediction_free(&y);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* Names of classes are names: 7 and 42 for +1 and -1, in order of appearance. */
START_TEST(names_of_classes)
    {
        rvm_problem *p = cloud_problem(50, 8), *q = copy_of(p);
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
        for (size_t n = 0; n < 50; n++)
            q->target[n] = p->target[n] > 0 ? 7 : 42;
        rvm_model *a = train(p, &s), *b = train(q, &s);
        rvm_prediction x = predict(a, p), y = predict(b, p);
        ck_assert_int_eq(b->label[0], 7);
        ck_assert_int_eq(b->label[1], 42);
        check_close(b->log_evidence, a->log_evidence, 1e-6);
        for (size_t n = 0; n < 50; n++) {
            ck_assert_double_eq(y.value[n], x.value[n] > 0 ? 7 : 42);
            check_close(y.probability[2 * n], x.probability[2 * n], 1e-6);
        }
        rvm_prediction_free(&x);
        rvm_prediction_free(&y);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* ---- Determinism ---------------------------------------------------------------------------- */

START_TEST(any_number_of_threads)
    {
        rvm_problem *p = _i % 2 == 0 ? smooth_problem(60, 9) : cloud_problem(60, 9);
        rvm_settings s =
            settings_for(_i % 2 == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION, RVM_RBF, 0.5);
        rvm_model *first = train(p, &s);
        for (s.threads = 2; s.threads <= 3; s.threads++) {
            rvm_model *m = train(p, &s);
            check_same_bytes(first, m);
            rvm_model_free(m);
        }
        rvm_model_free(first);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(the_same_seed)
    {
        rvm_problem *p = smooth_problem(60, 10);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_LAPLACIAN, 0.5);
        s.seed = 17;
        rvm_model *a = train(p, &s), *b = train(p, &s);
        check_same_bytes(a, b);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Repeated rows and weights ---------------------------------------------------------------- */

/* A weight of 2 on a class is each of its rows twice: in the evidence and in every prediction. */
static void check_weight_as_rows(double weight_of_plus, double weight_of_minus, size_t N)
{
    const rvm_class_weight weights[] = { { 1, weight_of_plus }, { -1, weight_of_minus } };
    rvm_problem *p = cloud_problem(N, 11), *q = empty_problem();
    const rvm_settings plain = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
    rvm_settings weighted = plain;
    weighted.class_weights = weights;
    weighted.class_weight_count = 2;
    for (size_t i = 0; i < N; i++)
        for (int k = 0; k < (p->target[i] > 0 ? weight_of_plus : weight_of_minus); k++)
            ck_assert(rvm_problem_append(q, p->target[i], p->index + p->start[i],
                                         p->value + p->start[i], p->start[i + 1] - p->start[i]));
    rvm_model *a = train(p, &weighted), *b = train(q, &plain);
    rvm_prediction x = predict(a, p), y = predict(b, p);
    check_same_vectors(a, b);
    check_close(a->log_evidence / b->log_evidence, 1, 1e-9);
    for (size_t n = 0; n < N; n++) {
        check_close(x.probability[2 * n], y.probability[2 * n], 1e-6);
        check_close(x.variance[n], y.variance[n], 1e-5);
    }
    rvm_prediction_free(&x);
    rvm_prediction_free(&y);
    rvm_model_free(a);
    rvm_model_free(b);
    rvm_problem_free(p);
    rvm_problem_free(q);
}

START_TEST(weight_of_a_class_is_its_rows_again)
    {
        check_weight_as_rows(2, 1, 40);
    }
END_TEST

START_TEST(weight_of_both_classes_is_all_rows_again)
    {
        check_weight_as_rows(2, 2, 40);
    }
END_TEST

START_TEST(every_row_twice)
    {
        rvm_problem *p = smooth_problem(30, 12), *q = reordered(p, 7, 2);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_model *m = train(q, &s);
        ck_assert_uint_eq(m->examples, 60);
        ck_assert_uint_le(m->vectors->rows, 30);
        check_model(m, q, NULL);
        check_finite_predictions(m, p);
        rvm_model_free(m);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* ---- At the edge ---------------------------------------------------------------------------- */

static rvm_problem *constant_problem(size_t N, double target)
{
    rvm_problem *p = smooth_problem(N, 13);
    for (size_t n = 0; n < N; n++)
        p->target[n] = target;
    return p;
}

START_TEST(constant_target)
    {
        const double targets[] = { 0, 3.25, -1e9, 0.1 };
        rvm_problem *p = constant_problem(25, targets[_i]);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_model *m = train(p, &s);
        rvm_prediction out = predict(m, p);
        ck_assert_uint_eq(m->vectors->rows, 0);
        ck_assert(isfinite(m->log_evidence) && m->noise_variance > 0);
        for (size_t n = 0; n < 25; n++)
            ck_assert_double_le(fabs(out.value[n] - targets[_i]), 1e-13 * fabs(targets[_i]));
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(one_class)
    {
        rvm_problem *p = constant_problem(25, 7);
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
        rvm_model *m = train(p, &s);
        rvm_prediction out = predict(m, p);
        ck_assert_uint_eq(m->class_count, 1);
        ck_assert_double_eq(m->log_evidence, 0);
        for (size_t n = 0; n < 25; n++) {
            ck_assert_double_eq(out.value[n], 7);
            ck_assert_double_eq(out.probability[n], 1);
        }
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* Rows that say nothing: the mean, or the share of the classes; every kernel, with and without a
 * bias. */
START_TEST(features_all_zero)
    {
        rvm_problem *p = empty_problem(), *q = empty_problem();
        for (size_t n = 0; n < 12; n++) {
            ck_assert(rvm_problem_append(p, (double)n, NULL, NULL, 0));
            ck_assert(rvm_problem_append(q, n % 3 == 0 ? 1 : -1, NULL, NULL, 0));
        }
        for (int bias = 0; bias < 2; bias++) {
            rvm_settings s = settings_for(RVM_REGRESSION, vector_kernels[_i], 0.5);
            s.bias = bias == 1;
            rvm_model *m = train(p, &s);
            check_model(m, p, NULL);
            rvm_prediction out = predict(m, p);
            if (bias)
                ck_assert_double_eq_tol(out.value[3], 5.5, 0.5);
            rvm_prediction_free(&out);
            rvm_model_free(m);
            s.task = RVM_CLASSIFICATION;
            m = train(q, &s);
            check_model(m, q, NULL);
            check_finite_predictions(m, q);
            rvm_model_free(m);
        }
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

START_TEST(one_row)
    {
        rvm_problem *p = problem_from_text("2.5 1:1 3:2\n", (rvm_grammar){ 0 });
        rvm_problem *q = problem_from_text("4 1:1 3:2\n", (rvm_grammar){ 0 });
        const rvm_settings regression = settings_for(RVM_REGRESSION, vector_kernels[_i], 0.5);
        const rvm_settings classes = settings_for(RVM_CLASSIFICATION, vector_kernels[_i], 0.5);
        rvm_model *a = train(p, &regression), *b = train(q, &classes);
        rvm_prediction x = predict(a, p), y = predict(b, q);
        ck_assert_double_eq_tol(x.value[0], 2.5, 1e-12);
        ck_assert_double_eq(y.value[0], 4);
        rvm_prediction_free(&x);
        rvm_prediction_free(&y);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

START_TEST(two_rows)
    {
        rvm_problem *p = problem_from_text("1 1:1\n-1 1:-1\n", (rvm_grammar){ 0 });
        for (int k = 0; k < 2; k++) {
            const rvm_settings s =
                settings_for(k == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION, vector_kernels[_i], 0.5);
            rvm_model *m = train(p, &s);
            check_model(m, p, NULL);
            check_finite_predictions(m, p);
            rvm_model_free(m);
        }
        rvm_problem_free(p);
    }
END_TEST

START_TEST(fewer_rows_than_features)
    {
        rvm_problem *p = noise_problem(10, 50, 14);
        for (int k = 0; k < 2; k++) {
            rvm_settings s = settings_for(k == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION,
                                          _i == 0 ? RVM_LINEAR : RVM_RBF, 0.02);
            for (size_t n = 0; n < 10 && k == 1; n++)
                p->target[n] = n % 2 == 0 ? 1 : -1;
            rvm_model *m = train(p, &s);
            ck_assert(isfinite(m->log_evidence));
            check_finite_predictions(m, p);
            rvm_model_free(m);
        }
        rvm_problem_free(p);
    }
END_TEST

/* Noise is noise: few vectors, and a noise variance near 1. */
START_TEST(pure_noise)
    {
        rvm_problem *p = noise_problem(100, 3, 15);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.3);
        double mean = 0, square = 0;
        for (size_t n = 0; n < 100; n++)
            mean += p->target[n] / 100;
        for (size_t n = 0; n < 100; n++)
            square += gsl_pow_2(p->target[n] - mean) / 100;
        rvm_model *m = train(p, &s);
        ck_assert_uint_le(m->vectors->rows, 10);
        ck_assert_double_eq_tol(m->noise_variance / square, 1, 0.2);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* The target is an input: a linear kernel finds it to the last digits, and needs no more vectors
 * than there are inputs. */
START_TEST(target_is_an_input)
    {
        rvm_problem *p = noise_problem(40, 3, 16);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_LINEAR, 0);
        for (size_t n = 0; n < 40; n++)
            p->target[n] = feature(p, n, 2);
        rvm_model *m = train(p, &s);
        rvm_prediction out = predict(m, p);
        for (size_t n = 0; n < 40; n++)
            ck_assert_double_eq_tol(out.value[n], p->target[n], 1e-3);
        ck_assert_uint_le(m->vectors->rows, 3);
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* Classes that a line separates: weights and evidence stay finite, probabilities below 1. */
START_TEST(separable_classes)
    {
        rvm_problem *p = noise_problem(40, 2, 17);
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, vector_kernels[_i], 0.5);
        for (size_t n = 0; n < 40; n++) {
            p->target[n] = p->value[2 * n] > 0 ? 1 : -1;
            p->value[2 * n] += p->target[n];
        }
        rvm_model *m = train(p, &s);
        rvm_prediction out = predict(m, p);
        ck_assert(isfinite(m->log_evidence));
        for (size_t i = 0; i < 80; i++)
            ck_assert(out.probability[i] > 0 && out.probability[i] < 1);
        check_model(m, p, NULL);
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* ---- The working set ------------------------------------------------------------------------- */

/* With room for some functions only the search goes by rounds; it ends near the full one. */
START_TEST(small_budget)
    {
        const bool regression = _i == 0;
        const size_t N = 400;
        rvm_problem *p = regression ? smooth_problem(N, 18) : cloud_problem(N, 18);
        rvm_settings s =
            settings_for(regression ? RVM_REGRESSION : RVM_CLASSIFICATION, RVM_RBF, 0.5);
        s.restarts = 3;
        rvm_model *full = train(p, &s);
        s.budget_mb = 1.5;
        rvm_error err = { 0 };
        rvm_trainer *tr = NULL;
        rvm_report r = { 0 };
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        double before = -INFINITY;
        for (int k = 0; k < 200 && !r.done; k++) {
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
            ck_assert_int_eq(r.starts, 1);
            ck_assert_double_ge(r.log_evidence, before - 1e-8);
            before = r.log_evidence;
        }
        ck_assert(r.done && r.converged);
        rvm_model *small = NULL;
        CHECK_OK(rvm_trainer_model(&small, tr, &err));
        rvm_trainer_free(tr);
        check_model(small, p, NULL);
        ck_assert_double_ge(small->log_evidence, full->log_evidence - 5);
        for (s.threads = 2; s.threads <= 3; s.threads++) {
            rvm_model *m = train(p, &s);
            check_same_bytes(small, m);
            rvm_model_free(m);
        }
        rvm_model_free(small);
        rvm_model_free(full);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(budget_without_room)
    {
        rvm_problem *p = smooth_problem(400, 19);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_trainer *tr = NULL;
        rvm_error err = { 0 };
        s.budget_mb = 1e-3;
        const rvm_status status = rvm_trainer_alloc(&tr, p, &s, &err);
        if (status == RVM_OK) { /* a few functions always fit */
            rvm_report r = { 0 };
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
            ck_assert(isfinite(r.log_evidence));
        } else {
            ck_assert_int_eq(status, RVM_ENOMEM);
            ck_assert_ptr_nonnull(strstr(err.message, "-m"));
        }
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Steps ---------------------------------------------------------------------------------- */

/* A model can be had after every step, and is a model; more steps after the end change nothing. */
START_TEST(models_along_the_way)
    {
        rvm_problem *p = smooth_problem(40, 20);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_trainer *tr = NULL;
        rvm_error err = { 0 };
        rvm_report r = { 0 };
        rvm_model *m = NULL;
        int steps = 0;
        s.restarts = 10;
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        while (!r.done) {
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
            steps++;
            ck_assert_int_eq(r.starts, 10);
            rvm_model_free(m);
            CHECK_OK(rvm_trainer_model(&m, tr, &err));
            check_model(m, p, NULL);
            check_close(r.log_evidence, m->log_evidence, 1e-7);
            check_close(r.noise_sd * r.noise_sd / m->noise_variance, 1, 1e-9);
            ck_assert_uint_eq(r.functions, m->function_count);
            ck_assert_int_eq(m->converged, r.converged);
            ck_assert(!r.noise_at_bound);
        }
        ck_assert_int_gt(steps, 1);
        ck_assert(r.converged);
        CHECK_OK(rvm_trainer_step(&r, tr, &err));
        ck_assert(r.done);
        rvm_model *again = NULL;
        CHECK_OK(rvm_trainer_model(&again, tr, &err));
        check_same_bytes(m, again);
        rvm_model_free(again);
        rvm_model_free(m);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(targets_free_of_noise_are_reported)
    {
        rvm_problem *p = sinc_problem(40, 0, 1);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.1);
        rvm_trainer *tr = NULL;
        rvm_error err = { 0 };
        rvm_report r = { 0 };
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        while (!r.done)
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
        ck_assert(r.noise_at_bound);
        ck_assert_double_gt(r.noise_sd, 0);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

static void add_formulas(Suite *s)
{
    TCase *c = tcase_create("formulas");
    tcase_add_loop_test(c, regression_model_follows_the_formulas, 0, KERNELS);
    tcase_add_loop_test(c, classification_model_follows_the_formulas, 0, KERNELS);
    tcase_add_loop_test(c, precomputed_is_the_kernel_written_out, 0, 2);
    tcase_add_test(c, weighted_model_follows_the_formulas);
    tcase_add_loop_test(c, model_without_a_bias, 0, 2);
    tcase_add_test(c, given_noise_is_kept);
    tcase_add_loop_test(c, small_budget, 0, 2);
    tcase_add_test(c, budget_without_room);
    tcase_add_test(c, models_along_the_way);
    tcase_add_test(c, targets_free_of_noise_are_reported);
    suite_add_tcase(s, c);
}

static void add_invariances(Suite *s)
{
    TCase *c = tcase_create("invariances");
    const int count = sizeof factors / sizeof *factors;
    tcase_add_loop_test(c, order_of_the_rows_does_not_matter, 0, 2);
    tcase_add_loop_test(c, units_of_the_target, 0, count);
    tcase_add_loop_test(c, offset_of_the_target, 0, 3);
    tcase_add_loop_test(c, units_of_the_features, 0, count);
    tcase_add_loop_test(c, size_of_the_kernel, 0, count);
    tcase_add_test(c, names_of_classes);
    tcase_add_loop_test(c, any_number_of_threads, 0, 2);
    tcase_add_test(c, the_same_seed);
    tcase_add_test(c, weight_of_a_class_is_its_rows_again);
    tcase_add_test(c, weight_of_both_classes_is_all_rows_again);
    tcase_add_test(c, every_row_twice);
    suite_add_tcase(s, c);
}

Suite *train_suite(void);
Suite *train_suite(void)
{
    Suite *s = suite_create("train");
    TCase *edge = tcase_create("edge");
    add_formulas(s);
    add_invariances(s);
    tcase_add_loop_test(edge, constant_target, 0, 4);
    tcase_add_test(edge, one_class);
    tcase_add_loop_test(edge, features_all_zero, 0, KERNELS);
    tcase_add_loop_test(edge, one_row, 0, KERNELS);
    tcase_add_loop_test(edge, two_rows, 0, KERNELS);
    tcase_add_loop_test(edge, fewer_rows_than_features, 0, 2);
    tcase_add_test(edge, pure_noise);
    tcase_add_test(edge, target_is_an_input);
    tcase_add_loop_test(edge, separable_classes, 0, KERNELS);
    suite_add_tcase(s, edge);
    return s;
}
