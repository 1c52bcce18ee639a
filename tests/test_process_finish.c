/* process_finish.c: all numbers of a trained model of the kernel prior, and what it predicts, by
 * N x N matrices from the hyperparameters that it has; and what must not change a model. */
#include "data/order.h"
#include "product/process_finish.h"
#include "suites.h"
#include "team_threads.h"
#include "trained.h"

/* ---- Matrices ------------------------------------------------------------------------------- */

/* k(row i of a, vector or row j of b). */
static double value(const rvm_model *m, const rvm_problem *a, size_t i, const rvm_problem *b,
                    size_t j)
{
    double distance = 0;
    if (m->kernel.inputs == NULL)
        return kernel_by_formula(&m->kernel, a, i, b, j, 4);
    for (size_t k = 0; k < m->kernel.inputs->count; k++) {
        const int f = m->kernel.inputs->index[k];
        const double d = feature(a, i, f) - feature(b, j, f);
        distance += m->kernel.inputs->weight[k] * (m->kernel.type == RVM_RBF ? d * d : fabs(d));
    }
    return exp(-m->kernel.gamma * distance);
}

/* The vectors; of a precomputed kernel with their values, which a model does not have. */
static rvm_problem *points_of(const rvm_model *m, const rvm_problem *p)
{
    size_t *row = calloc(m->vectors->rows, sizeof *row);
    if (m->kernel.type != RVM_PRECOMPUTED) {
        free(row);
        return copy_of(m->vectors);
    }
    for (size_t k = 0; k < m->vectors->rows; k++)
        for (size_t n = 0; n < p->rows; n++)
            if (feature(p, n, 0) == feature(m->vectors, k, 0))
                row[k] = n;
    rvm_problem *z = rvm_problem_subset(p, row, m->vectors->rows);
    free(row);
    return z;
}

/* K_ZZ with a jitter of 1e-8 of its mean diagonal. */
static gsl_matrix *point_matrix(const rvm_model *m, const rvm_problem *p)
{
    rvm_problem *z = points_of(m, p);
    gsl_matrix *A = gsl_matrix_alloc(z->rows, z->rows);
    double mean = 0;
    for (size_t i = 0; i < z->rows; i++) {
        mean += value(m, z, i, z, i) / (double)z->rows;
        for (size_t j = 0; j < z->rows; j++)
            gsl_matrix_set(A, i, j, value(m, z, i, z, j));
    }
    for (size_t i = 0; i < z->rows; i++)
        *gsl_matrix_ptr(A, i, i) += 1e-8 * mean;
    rvm_problem_free(z);
    return A;
}

/* The prior precision of the weights of l: alpha of the terms, A / s. */
static gsl_matrix *prior_precision(const rvm_latent *l, const gsl_matrix *A)
{
    gsl_matrix *P = gsl_matrix_calloc(l->count, l->count);
    for (size_t i = 0; i < l->terms; i++)
        gsl_matrix_set(P, i, i, l->alpha[i]);
    for (size_t i = 0; i < A->size1; i++)
        for (size_t j = 0; j < A->size1; j++)
            gsl_matrix_set(P, l->terms + i, l->terms + j,
                           gsl_matrix_get(A, i, j) / l->process_variance);
    return P;
}

/* phi_n'P^-1 phi_m over rows of Phi: the prior covariance of what the functions say. */
static gsl_matrix *explained(const gsl_matrix *P, const gsl_matrix *Phi, const gsl_matrix *Psi)
{
    gsl_matrix *L = gsl_matrix_alloc(P->size1, P->size1),
               *Q = gsl_matrix_alloc(Phi->size1, Psi->size1);
    gsl_matrix *X = gsl_matrix_alloc(P->size1, Phi->size1),
               *Y = gsl_matrix_alloc(P->size1, Psi->size1);
    gsl_matrix_memcpy(L, P);
    gsl_linalg_cholesky_decomp1(L);
    gsl_matrix_transpose_memcpy(X, Phi);
    gsl_matrix_transpose_memcpy(Y, Psi);
    gsl_blas_dtrsm(CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, 1, L, X);
    gsl_blas_dtrsm(CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, 1, L, Y);
    gsl_blas_dgemm(CblasTrans, CblasNoTrans, 1, X, Y, 0, Q);
    gsl_matrix_free(L);
    gsl_matrix_free(X);
    gsl_matrix_free(Y);
    return Q;
}

/* s (k(x,x) - q(x)) of each row: what the points leave. */
static void fill_left(double *left, const rvm_model *m, const rvm_latent *l, const gsl_matrix *A,
                      const gsl_matrix *Phi, const rvm_problem *rows)
{
    gsl_matrix_const_view K =
        gsl_matrix_const_submatrix(Phi, 0, l->terms, Phi->size1, Phi->size2 - l->terms);
    gsl_matrix *q = explained(A, &K.matrix, &K.matrix);
    for (size_t n = 0; n < rows->rows; n++) {
        const double k = m->kernel.type == RVM_PRECOMPUTED ? 1 : value(m, rows, n, rows, n);
        left[n] = l->process_variance * fmax(k - gsl_matrix_get(q, n, n), 0);
    }
    gsl_matrix_free(q);
}

static gsl_matrix *functions_at(const rvm_model *m, const rvm_latent *l, const rvm_problem *rows)
{
    gsl_matrix *Phi = basis_values(m, l, rows);
    for (size_t n = 0; n < rows->rows && m->kernel.inputs != NULL; n++)
        for (size_t i = l->terms; i < l->count; i++)
            gsl_matrix_set(Phi, n, i, value(m, rows, n, m->vectors, l->vector[i - l->terms]));
    return Phi;
}

/* ---- Regression ----------------------------------------------------------------------------- */

/* Output j: mean and variance of all rows by C = Phi P^-1 Phi' + diag(noise + left). Returns
 * ln N(t - t_mean; 0, C). */
static double check_output(const rvm_model *m, size_t j, const rvm_problem *p, double relative)
{
    const rvm_latent *l = &m->latent[j];
    const size_t N = p->rows;
    gsl_matrix *A = point_matrix(m, p), *P = prior_precision(l, A), *Phi = functions_at(m, l, p);
    gsl_matrix *Q = explained(P, Phi, Phi), *C = gsl_matrix_alloc(N, N);
    gsl_vector *t = gsl_vector_alloc(N), *a = gsl_vector_alloc(N), *b = gsl_vector_alloc(N);
    double *left = calloc(N, sizeof *left), square, log_det = 0, size = 0;
    fill_left(left, m, l, A, Phi, p);
    gsl_matrix_memcpy(C, Q);
    for (size_t n = 0; n < N; n++) {
        *gsl_matrix_ptr(C, n, n) += l->noise_variance + left[n];
        gsl_vector_set(t, n, p->target[n * p->outputs + j] - l->bias_mean);
        size = fmax(size, fabs(gsl_vector_get(t, n)));
    }
    gsl_linalg_cholesky_decomp1(C);
    gsl_linalg_cholesky_solve(C, t, a);
    gsl_blas_ddot(t, a, &square);
    rvm_prediction out = predict(m, p);
    for (size_t n = 0; n < N; n++) {
        double mean = l->bias_mean, explained_by_data;
        gsl_vector_view q = gsl_matrix_row(Q, n);
        log_det += 2 * log(gsl_matrix_get(C, n, n));
        gsl_blas_ddot(&q.vector, a, &square);
        mean += square;
        gsl_linalg_cholesky_solve(C, &q.vector, b);
        gsl_blas_ddot(&q.vector, b, &explained_by_data);
        const double prior = gsl_matrix_get(Q, n, n);
        const double variance = prior - explained_by_data + left[n] + l->noise_variance;
        ck_assert_double_eq_tol(out.value[n * out.outputs + j], mean, relative * size);
        ck_assert_double_eq_tol(out.variance[n * out.outputs + j], variance,
                                relative * (prior + variance));
    }
    gsl_blas_ddot(t, a, &square);
    rvm_prediction_free(&out);
    free(left);
    gsl_vector_free(t);
    gsl_vector_free(a);
    gsl_vector_free(b);
    gsl_matrix_free(A);
    gsl_matrix_free(P);
    gsl_matrix_free(Phi);
    gsl_matrix_free(Q);
    gsl_matrix_free(C);
    return -0.5 * ((double)N * log(2 * M_PI) + log_det + square);
}

static void check_regression(const rvm_problem *p, const rvm_settings *s)
{
    rvm_model *m = train(p, s);
    double log_evidence = 0;
    ck_assert(rvm_model_is_process(m));
    for (size_t j = 0; j < p->outputs; j++)
        log_evidence += check_output(m, j, p, 1e-5);
    check_close(m->log_evidence, log_evidence, 1e-5);
    rvm_model_free(m);
}

/* Two inputs above 0, as splines need. */
static rvm_problem *two_inputs(size_t N, unsigned long seed, size_t outputs)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(seed);
    for (size_t n = 0; n < N; n++) {
        const double x[] = { 3 * gsl_rng_uniform(rng), 3 * gsl_rng_uniform(rng) };
        const double t[] = { 4 + sin(2 * x[0]) + 0.3 * x[1] + gsl_ran_gaussian(rng, 0.2),
                             10 * cos(x[1]) + gsl_ran_gaussian(rng, 1) };
        ck_assert(rvm_problem_append_outputs(p, t, outputs, (const int[]){ 1, 2 }, x, 2));
    }
    gsl_rng_free(rng);
    return p;
}

static rvm_settings process_settings(rvm_task task, rvm_kernel_type type, double gamma)
{
    rvm_settings s = settings_for(task, type, gamma);
    s.kernel_prior = true;
    s.restarts = 3;
    return s;
}

static const rvm_kernel_type covariances[] = { RVM_RBF, RVM_LAPLACIAN, RVM_POLYNOMIAL, RVM_LINEAR,
                                               RVM_SPLINE };
enum { COVARIANCES = sizeof covariances / sizeof *covariances };

START_TEST(a_model_by_dense_matrices)
    {
        rvm_settings s = process_settings(RVM_REGRESSION, covariances[_i], 0.5);
        rvm_problem *p = two_inputs(45, 1, 1);
        check_regression(p, &s);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(its_terms)
    {
        static const char *const basis[] = { "bias,linear", "none", "linear", "bias,quadratic" };
        rvm_settings s = process_settings(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_problem *p = two_inputs(45, 2, 1);
        rvm_error err = { 0 };
        CHECK_OK(rvm_settings_set(&s, "basis", basis[_i], &err));
        check_regression(p, &s);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(its_length_scales)
    {
        rvm_settings s = process_settings(RVM_REGRESSION, _i == 0 ? RVM_RBF : RVM_LAPLACIAN, 1);
        rvm_problem *p = two_inputs(45, 3, 1);
        s.ard = true;
        check_regression(p, &s);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(its_outputs)
    {
        rvm_settings s = process_settings(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_problem *p = two_inputs(45, 4, 2);
        s.shared_noise = _i == 1;
        check_regression(p, &s);
        if (s.shared_noise) { /* the same share of the variance of the targets */
            rvm_model *m = train(p, &s);
            double share[2];
            for (size_t j = 0; j < 2; j++) {
                double sum = 0, squares = 0;
                for (size_t n = 0; n < p->rows; n++) {
                    sum += p->target[2 * n + j];
                    squares += gsl_pow_2(p->target[2 * n + j]);
                }
                share[j] =
                    m->latent[j].noise_variance / (squares - gsl_pow_2(sum) / (double)p->rows);
            }
            check_close(share[0], share[1], 1e-9);
            rvm_model_free(m);
        }
        rvm_problem_free(p);
    }
END_TEST

START_TEST(a_noise_that_is_given)
    {
        rvm_settings s = process_settings(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_problem *p = two_inputs(45, 5, 1);
        s.noise_variance = 0.04;
        check_regression(p, &s);
        rvm_model *m = train(p, &s);
        check_close(m->latent->noise_variance, 0.04, 1e-12);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* The values of an rbf kernel; indefinite ones; nothing but zeros. */
static rvm_problem *matrix_of(const rvm_problem *q, double diagonal)
{
    const rvm_kernel k = { .type = RVM_RBF, .gamma = 0.5 };
    rvm_problem *p = empty_problem();
    for (size_t n = 0; n < q->rows; n++) {
        int index[64];
        double x[64];
        index[0] = 0;
        x[0] = (double)(n + 1);
        for (size_t j = 0; j < q->rows; j++) {
            index[j + 1] = (int)(j + 1);
            x[j + 1] = kernel_by_formula(&k, q, n, q, j, 2) + (n == j ? diagonal : 0);
        }
        ck_assert(rvm_problem_append_outputs(p, &q->target[n], 1, index, x, q->rows + 1));
    }
    return p;
}

START_TEST(a_precomputed_kernel)
    {
        rvm_settings s = process_settings(RVM_REGRESSION, RVM_PRECOMPUTED, 0);
        rvm_problem *q = two_inputs(45, 6, 1), *p = matrix_of(q, 0), *bad = matrix_of(q, -1.5);
        rvm_model *m = NULL;
        rvm_error err = { 0 };
        check_regression(p, &s);
        ck_assert_int_eq(rvm_train(&m, bad, &s, &err), RVM_ENUMERIC);
        ck_assert_ptr_null(m);
        ck_assert(strstr(err.message, "no covariance") != NULL);
        rvm_problem_free(p);
        rvm_problem_free(q);
        rvm_problem_free(bad);
    }
END_TEST

/* ---- Classes -------------------------------------------------------------------------------- */

/* The sums over the rows at the weights of a model. */
typedef struct {
    const rvm_model *m; /* borrowed */
    const rvm_problem *p;
    const double *row_weight; /* NULL: 1 */
    gsl_matrix *P, *Phi;      /* owned: precision a priori; functions at the rows */
    gsl_matrix *slope, *H;    /* owned: of the log likelihood, C x K; P + Phi'B Phi */
    double log_likelihood;
} sums;

/* Those of row n; got: what was predicted of it. */
static void add_row(sums *x, size_t n, const double *got)
{
    const size_t C = x->m->latent_count, classes = x->m->class_count;
    const double rho = x->row_weight == NULL ? 1 : x->row_weight[n];
    gsl_vector_view phi = gsl_matrix_row(x->Phi, n);
    double f[8], total = 0, b = 0;
    for (size_t c = 0; c < classes; c++) {
        f[c] = c < C ? exp(activation(&x->m->latent[c], x->Phi, n)) : 1;
        total += f[c];
    }
    for (size_t c = 0; c < classes; c++) {
        const double y = f[c] / total, own = x->p->target[n] == x->m->label[c];
        ck_assert_double_eq_tol(got[c], y, 1e-9);
        if (own > 0)
            x->log_likelihood += rho * log(y);
        if (c >= C)
            continue;
        gsl_vector_view slope = gsl_matrix_row(x->slope, c);
        gsl_blas_daxpy(rho * (own - y), &phi.vector, &slope.vector);
        b += rho * y * (1 - y) / (double)C;
    }
    gsl_blas_dger(b, &phi.vector, &phi.vector, x->H);
}

/* w'P w / 2 of class c, of which a step of Newton's would gain next to nothing: g'H^-1 g / 2.
 * L: the factor of H. */
static double penalty_at_mode(sums *x, size_t c, const gsl_matrix *L)
{
    gsl_vector_view w = gsl_vector_view_array(x->m->latent[c].weight, L->size1);
    gsl_vector_view g = gsl_matrix_row(x->slope, c);
    gsl_vector *pull = gsl_vector_alloc(L->size1);
    double square, left;
    gsl_blas_dgemv(CblasNoTrans, 1, x->P, &w.vector, 0, pull);
    gsl_blas_ddot(&w.vector, pull, &square);
    gsl_vector_sub(&g.vector, pull);
    gsl_linalg_cholesky_solve(L, &g.vector, pull);
    gsl_blas_ddot(&g.vector, pull, &left);
    ck_assert_msg(0.5 * left < 5e-3, "%g nats from the mode", 0.5 * left);
    gsl_vector_free(pull);
    return 0.5 * square;
}

/* ln|A| / 2; A becomes its factor. */
static double half_log_det(gsl_matrix *A)
{
    double sum = 0;
    gsl_linalg_cholesky_decomp1(A);
    for (size_t i = 0; i < A->size1; i++)
        sum += log(gsl_matrix_get(A, i, i));
    return sum;
}

/* The mode to what is left of a step, and the log evidence that follows with the curvature. */
static void check_classes(const rvm_problem *p, const rvm_settings *s, const double *row_weight)
{
    rvm_model *m = train(p, s);
    const size_t C = m->latent_count, K = m->latent->count;
    gsl_matrix *A = point_matrix(m, p);
    sums x = { .m = m,
               .p = p,
               .row_weight = row_weight,
               .P = prior_precision(m->latent, A),
               .Phi = functions_at(m, m->latent, p),
               .slope = gsl_matrix_calloc(C, K),
               .H = gsl_matrix_alloc(K, K) };
    ck_assert(rvm_model_is_process(m));
    gsl_matrix_memcpy(x.H, x.P);
    rvm_prediction out = predict(m, p);
    for (size_t n = 0; n < p->rows; n++)
        add_row(&x, n, out.probability + n * out.classes);
    double log_evidence = x.log_likelihood - (double)C * half_log_det(x.H);
    for (size_t c = 0; c < C; c++)
        log_evidence -= penalty_at_mode(&x, c, x.H);
    log_evidence += (double)C * half_log_det(x.P);
    check_close(m->log_evidence, log_evidence, 1e-5);
    rvm_prediction_free(&out);
    gsl_matrix_free(A);
    gsl_matrix_free(x.P);
    gsl_matrix_free(x.Phi);
    gsl_matrix_free(x.slope);
    gsl_matrix_free(x.H);
    rvm_model_free(m);
}

static rvm_problem *some_classes(size_t N, unsigned long seed, size_t classes)
{
    rvm_problem *p = two_inputs(N, seed, 1);
    for (size_t n = 0; n < N; n++) {
        const double f = p->target[n];
        p->target[n] = classes == 2 ? (f > 4.4 ? 1 : -1) : 1 + (f > 4) + (f > 5);
    }
    return p;
}

START_TEST(classes_by_dense_matrices)
    {
        rvm_settings s = process_settings(RVM_CLASSIFICATION, covariances[_i / 2], 0.5);
        rvm_problem *p = some_classes(60, 7, _i % 2 == 0 ? 2 : 3);
        check_classes(p, &s, NULL);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(weights_of_classes)
    {
        const rvm_class_weight weights[] = { { 1, 1000 }, { -1, 250 } };
        rvm_settings s = process_settings(RVM_CLASSIFICATION, RVM_RBF, 0.5);
        rvm_problem *p = some_classes(60, 8, 2);
        double row_weight[60];
        for (size_t n = 0; n < 60; n++)
            row_weight[n] = p->target[n] > 0 ? 1 : 0.25;
        s.class_weights = weights;
        s.class_weight_count = 2;
        check_classes(p, &s, row_weight);
        rvm_problem_free(p);
    }
END_TEST

/* ---- What must not change a model ------------------------------------------------------------- */

static rvm_problem *problem_of_case(int number, rvm_settings *s)
{
    *s = process_settings(number < 2 ? RVM_REGRESSION : RVM_CLASSIFICATION, RVM_RBF, 0.5);
    return number < 2 ? two_inputs(60, 9, number == 0 ? 1 : 2)
                      : some_classes(60, 9, number == 2 ? 2 : 3);
}

/* Labels in the order of the file, so that the first rows stay where they are. */
START_TEST(threads_and_order)
    {
        rvm_settings s;
        rvm_problem *p = problem_of_case(_i, &s);
        size_t row[60];
        for (size_t n = 0; n < 60; n++)
            row[n] = n < 20 ? n : 20 + (n * 7) % 40;
        rvm_problem *q = rvm_problem_subset(p, row, 60);
        rvm_model *a = train(p, &s), *b = train(q, &s);
        s.threads = 2;
        rvm_model *c = train(p, &s);
        check_same_bytes(a, b);
        check_same_bytes(a, c);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_model_free(c);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* Targets in other units, and from another zero. */
START_TEST(units_of_targets)
    {
        static const double units[] = { 1e-6, 1e6, 1 }, offsets[] = { 0, 0, 1e4 };
        const double unit = units[_i], offset = offsets[_i];
        const rvm_settings s = process_settings(RVM_REGRESSION, RVM_RBF, 0.5);
        pair w = { .p = two_inputs(60, 10, 1) };
        w.q = copy_of(w.p);
        for (size_t n = 0; n < 60; n++)
            w.q->target[n] = unit * w.p->target[n] + offset;
        pair_train(&w, &s, &s, w.p);
        const rvm_latent *a = w.a->latent, *b = w.b->latent;
        check_same_vectors(w.a, w.b);
        check_close(b->process_variance, gsl_pow_2(unit) * a->process_variance, 1e-4);
        check_close(b->noise_variance, gsl_pow_2(unit) * a->noise_variance, 1e-4);
        check_close(w.b->log_evidence, w.a->log_evidence - 60 * log(unit), 1e-5);
        for (size_t n = 0; n < 60; n++) {
            ck_assert_double_eq_tol(w.y.value[n], unit * w.x.value[n] + offset, 1e-4 * unit);
            check_close(w.y.variance[n], gsl_pow_2(unit) * w.x.variance[n], 1e-3);
        }
        pair_free(&w);
    }
END_TEST

/* ---- Edges ---------------------------------------------------------------------------------- */

static const struct {
    rvm_task task;
    const char *text;
} edges[] = {
    { RVM_REGRESSION, "3 1:1\n3 1:2\n3 1:4\n" },
    { RVM_REGRESSION, "3 1:1 2:4\n" },
    { RVM_REGRESSION, "3 1:1\n5 1:2\n" },
    { RVM_REGRESSION, "3 1:1\n5 1:1\n" },
    { RVM_REGRESSION, "3 1:1\n3 1:1\n5 1:2\n5 1:2\n" },
    { RVM_REGRESSION, "1\n2\n4\n3\n" },
    { RVM_REGRESSION, "1,7 1:1\n2,7 1:2\n4,7 1:5\n" },
    { RVM_CLASSIFICATION, "1 1:1\n1 1:2\n" },
    { RVM_CLASSIFICATION, "1 1:1\n-1 1:2\n" },
    { RVM_CLASSIFICATION, "1 1:1\n2 1:2\n3 1:3\n" },
    { RVM_CLASSIFICATION, "1 1:1\n-1 1:1\n" },
    { RVM_CLASSIFICATION, "1 1:1\n2 1:1\n3 1:1\n" },
    { RVM_CLASSIFICATION, "1\n-1\n1\n" },
};
enum { EDGES = sizeof edges / sizeof *edges };

START_TEST(edge_cases)
    {
        for (int k = 0; k < COVARIANCES; k++) {
            rvm_settings s = process_settings(edges[_i].task, covariances[k], 0.5);
            const rvm_class_weight heavy = { 1, 1000 };
            rvm_problem *p = problem_from_text(
                edges[_i].text, (rvm_grammar){ .class_labels = s.task == RVM_CLASSIFICATION,
                                               .outputs = s.task == RVM_REGRESSION });
            if (s.task == RVM_CLASSIFICATION && k % 2 == 1) {
                s.class_weights = &heavy;
                s.class_weight_count = 1;
            }
            rvm_model *m = train(p, &s);
            check_finite_predictions(m, p);
            rvm_model_free(m);
            rvm_problem_free(p);
        }
    }
END_TEST

/* Nothing but signal, and classes that are far apart. */
START_TEST(no_noise)
    {
        rvm_settings s =
            process_settings(_i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION, RVM_RBF, 0.5);
        rvm_problem *p = two_inputs(60, 11, 1);
        for (size_t n = 0; n < 60; n++) {
            const double x = feature(p, n, 1);
            p->target[n] = _i == 0 ? sin(x) : _i == 1 ? (x > 1.5 ? 1 : -1) : 1 + floor(x);
        }
        rvm_model *m = train(p, &s);
        check_finite_predictions(m, p);
        rvm_prediction out = predict(m, p);
        for (size_t n = 0; n < 60; n++)
            ck_assert_double_eq_tol(out.value[n], p->target[n], 1e-2);
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(kernels_that_are_no_covariance)
    {
        static const rvm_kernel_type none[] = { RVM_SIGMOID, RVM_NO_KERNEL };
        rvm_settings s = process_settings(RVM_REGRESSION, none[_i], 0.5);
        rvm_problem *p = two_inputs(20, 12, 1);
        rvm_model *m = NULL;
        rvm_error err = { 0 };
        s.linear = true;
        ck_assert_int_eq(rvm_train(&m, p, &s, &err), RVM_ESETTING);
        ck_assert(strstr(err.message, "covariance") != NULL);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Rows that a team shares ------------------------------------------------------------------- */

enum { SEATS = 9, FUNCTIONS = SEATS + 1, ALL = 20000 };

typedef struct {
    rvm_problem *p;  /* in canonical order */
    size_t classes;  /* 0: regression */
    rvm_model *want; /* of one process */
} shared;

static const size_t chosen[FUNCTIONS] = { 0, 5, 411, 4000, 4100, 8000, 9001, 15000, 15001, 19700 };

/* The model of these points, from the rows of this process; first: number of its first row. */
static rvm_model *finish_process(const shared *j, rvm_problem *rows, size_t first)
{
    const double precision[] = { 0.3 }, variance[] = { 0.8, 0.8, 0.8 }, noise[] = { 0.4 };
    const size_t place[] = { 2, 0, 1 };
    rvm_settings s =
        process_settings(j->classes == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION, RVM_RBF, 0.5);
    const rvm_induced points = { chosen, FUNCTIONS, 1, s.kernel, precision, variance, noise };
    rvm_model *m = rvm_model_alloc();
    rvm_study y;
    rvm_error err = { 0 };
    m->kernel = s.kernel;
    CHECK_OK(rvm_study_init(&y, rows, &s, &s.kernel, 1, &err));
    y.classes = j->classes;
    y.class_of_row = calloc(rows->rows + 1, sizeof *y.class_of_row);
    for (size_t n = 0; n < rows->rows && j->classes > 2; n++)
        y.class_of_row[n] = (first + n) * 7 % 11 % 3;
    CHECK_OK(rvm_process_finish(m, &y, place, &points, &s, &err));
    rvm_study_free(&y);
    return m;
}

static void check_numbers(const double *got, const double *want, size_t count)
{
    ck_assert(got == NULL ? want == NULL : memcmp(got, want, count * sizeof *got) == 0);
}

static void check_finished(void *context, rvm_team *team)
{
    const shared *j = context;
    rvm_problem *slice = team_threads_slice(j->p, team);
    const rvm_spans spans = rvm_problem_spans(slice);
    rvm_model *m = finish_process(j, slice, rvm_spans_first_row(&spans));
    ck_assert_double_eq(m->log_evidence, j->want->log_evidence);
    check_numbers(m->point_factor, j->want->point_factor, SEATS * (SEATS + 1) / 2);
    for (size_t k = 0; k < m->latent_count; k++) {
        const rvm_latent *a = &m->latent[k], *b = &j->want->latent[k];
        ck_assert_double_eq(a->noise_variance, b->noise_variance);
        ck_assert(memcmp(a->vector, b->vector, SEATS * sizeof *a->vector) == 0);
        check_numbers(a->weight, b->weight, FUNCTIONS);
        check_numbers(a->factor, b->factor, FUNCTIONS * (FUNCTIONS + 1) / 2);
    }
    rvm_model_free(m);
    rvm_problem_free(slice);
}

START_TEST(a_team_has_the_same_model)
    {
        static const int teams[] = { 2, 3, 7 };
        rvm_problem *file = noise_problem(ALL, 2, 21);
        shared j = { .classes = _i == 0 ? 0 : (size_t)_i + 1 };
        size_t *order = NULL;
        rvm_error err = { 0 };
        for (size_t n = 0; n < ALL && j.classes > 0; n++)
            file->target[n] = 1 + (file->target[n] > 0);
        CHECK_OK(rvm_order_rows(&order, file, &err));
        j.p = rvm_problem_subset(file, order, ALL);
        j.want = finish_process(&j, j.p, 0);
        for (size_t k = 0; k < sizeof teams / sizeof *teams; k++)
            team_threads_run(teams[k], check_finished, &j);
        rvm_model_free(j.want);
        rvm_problem_free(j.p);
        rvm_problem_free(file);
        free(order);
    }
END_TEST

Suite *process_finish_suite(void)
{
    Suite *suite = suite_create("process_finish");
    TCase *tests = tcase_create("process_finish");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, a_model_by_dense_matrices, 0, COVARIANCES);
    tcase_add_loop_test(tests, its_terms, 0, 4);
    tcase_add_loop_test(tests, its_length_scales, 0, 2);
    tcase_add_loop_test(tests, its_outputs, 0, 2);
    tcase_add_test(tests, a_noise_that_is_given);
    tcase_add_test(tests, a_precomputed_kernel);
    tcase_add_loop_test(tests, classes_by_dense_matrices, 0, 2 * COVARIANCES);
    tcase_add_test(tests, weights_of_classes);
    tcase_add_loop_test(tests, threads_and_order, 0, 4);
    tcase_add_loop_test(tests, units_of_targets, 0, 3);
    tcase_add_loop_test(tests, edge_cases, 0, EDGES);
    tcase_add_loop_test(tests, no_noise, 0, 3);
    tcase_add_loop_test(tests, kernels_that_are_no_covariance, 0, 2);
    tcase_add_loop_test(tests, a_team_has_the_same_model, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}
