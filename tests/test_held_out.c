/* Rows that are left out of the posterior, against posteriors that never saw them: each row is
 * taken out by hand, and the equations of all the others are solved again at the precisions of the
 * model. */
#include <gsl/gsl_linalg.h>

#include "suites.h"
#include "trained.h"

static rvm_held_out held_out(const rvm_model *m, const rvm_problem *p, const rvm_settings *s)
{
    rvm_held_out h;
    rvm_error err = { 0 };
    CHECK_OK(rvm_model_held_out(&h, m, p, s, &err));
    return h;
}

/* One step of Newton's method for the weights w of l from all rows but `without`: exact for normal
 * noise. Fills the factor of A + Phi'B Phi. */
static void step_without(gsl_vector *w, gsl_matrix *P, const rvm_latent *l, const gsl_matrix *Phi,
                         const double *slope, const double *curvature, size_t without)
{
    gsl_vector *g = gsl_vector_calloc(l->count);
    gsl_matrix_set_zero(P);
    for (size_t i = 0; i < l->count; i++) {
        double sum = -l->alpha[i] * gsl_vector_get(w, i);
        gsl_matrix_set(P, i, i, l->alpha[i]);
        for (size_t n = 0; n < Phi->size1; n++) {
            if (n == without)
                continue;
            sum += gsl_matrix_get(Phi, n, i) * slope[n];
            for (size_t j = 0; j < l->count; j++)
                *gsl_matrix_ptr(P, i, j) +=
                    curvature[n] * gsl_matrix_get(Phi, n, i) * gsl_matrix_get(Phi, n, j);
        }
        gsl_vector_set(g, i, sum);
    }
    ck_assert_int_eq(gsl_linalg_cholesky_decomp1(P), 0);
    gsl_linalg_cholesky_svx(P, g);
    gsl_vector_add(w, g);
    gsl_vector_free(g);
}

static double value_at(const gsl_vector *w, const gsl_matrix *Phi, size_t n, double sum)
{
    for (size_t i = 0; i < w->size; i++)
        sum += gsl_vector_get(w, i) * gsl_matrix_get(Phi, n, i);
    return sum;
}

/* phi' (A + Phi'B Phi)^-1 phi at row n, from the Cholesky factor. */
static double variance_at(const gsl_matrix *P, const gsl_matrix *Phi, size_t n)
{
    gsl_vector *x = gsl_vector_alloc(P->size1);
    gsl_vector_const_view phi = gsl_matrix_const_row(Phi, n);
    double sum = 0;
    gsl_linalg_cholesky_solve(P, &phi.vector, x);
    for (size_t i = 0; i < P->size1; i++)
        sum += gsl_vector_get(x, i) * gsl_vector_get(&phi.vector, i);
    gsl_vector_free(x);
    return sum;
}

/* Slope and curvature of the log likelihood of all rows at w. */
static void slopes(double *slope, double *curvature, const rvm_model *m, const gsl_vector *w,
                   const gsl_matrix *Phi, const rvm_problem *p, const double *weight)
{
    for (size_t n = 0; n < p->rows; n++) {
        const double f = value_at(w, Phi, n, m->latent->bias_mean);
        if (m->task == RVM_REGRESSION) {
            slope[n] = (p->target[n] - f) / m->latent->noise_variance;
            curvature[n] = 1 / m->latent->noise_variance;
        } else {
            const double y = 1 / (1 + exp(-f)),
                         c = p->target[n] == m->label[0] ? weight[0] : weight[1];
            slope[n] = c * ((p->target[n] == m->label[0]) - y);
            curvature[n] = c * y * (1 - y);
        }
    }
}

/* What the model makes of row n without it: mean and variance of its function there. */
static void leave_out(double *mean, double *variance, const rvm_model *m, const gsl_matrix *Phi,
                      const rvm_problem *p, const double *weight, size_t n)
{
    const rvm_latent *l = m->latent;
    double *slope = calloc(p->rows, sizeof *slope), *curvature = calloc(p->rows, sizeof *curvature);
    gsl_vector *w = gsl_vector_alloc(l->count);
    gsl_matrix *P = gsl_matrix_alloc(l->count, l->count);
    for (size_t i = 0; i < l->count; i++)
        gsl_vector_set(w, i, l->weight[i]);
    for (int step = 0; step < 10; step++) {
        slopes(slope, curvature, m, w, Phi, p, weight);
        step_without(w, P, l, Phi, slope, curvature, n);
    }
    *mean = value_at(w, Phi, n, l->bias_mean);
    *variance = variance_at(P, Phi, n);
    gsl_vector_free(w);
    gsl_matrix_free(P);
    free(slope);
    free(curvature);
}

START_TEST(regression_is_exact)
    {
        rvm_problem *p = smooth_problem(50, 3);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_model *m = train(p, &s);
        gsl_matrix *Phi = basis_values(m, m->latent, p);
        double model = 0, constant = 0, mean = 0;
        for (size_t n = 0; n < p->rows; n++)
            mean += p->target[n] / 50;
        for (size_t n = 0; n < p->rows; n++) {
            double f, variance;
            leave_out(&f, &variance, m, Phi, p, NULL, n);
            model += gsl_pow_2(p->target[n] - f);
            /* the mean of the other rows */
            constant += gsl_pow_2(p->target[n] - (50 * mean - p->target[n]) / 49);
        }
        const rvm_held_out h = held_out(m, p, &s);
        ck_assert_uint_eq(h.rows, 50);
        ck_assert_double_eq(h.constant, 1);
        check_close(h.loss / (model / constant), 1, 1e-6);
        gsl_matrix_free(Phi);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* -ln of the probability of row n's class, averaged as MacKay (1992) does. */
static double log_loss(bool first, double mean, double variance)
{
    const double f = mean / sqrt(1 + M_PI * variance / 8);
    return log1p(exp(first ? -f : f));
}

/* The formula is that of one Newton step and a curvature of before; weights 1 and 1/4. */
START_TEST(two_classes_are_close)
    {
        const rvm_class_weight weights[] = { { 1, 2 }, { -1, _i == 0 ? 2 : 0.5 } };
        rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 1);
        rvm_problem *p = cloud_problem(60, 5);
        s.class_weights = weights;
        s.class_weight_count = 2;
        rvm_model *m = train(p, &s);
        gsl_matrix *Phi = basis_values(m, m->latent, p);
        const double of_minus = _i == 0 ? 1 : 0.25;
        const double weight[] = { m->label[0] == 1 ? 1 : of_minus,
                                  m->label[0] == 1 ? of_minus : 1 };
        double model = 0, constant = 0, sum[2] = { 0, 0 };
        for (size_t n = 0; n < p->rows; n++)
            sum[p->target[n] == m->label[0] ? 0 : 1] += weight[p->target[n] == m->label[0] ? 0 : 1];
        for (size_t n = 0; n < p->rows; n++) {
            const size_t k = p->target[n] == m->label[0] ? 0 : 1;
            double f, variance;
            leave_out(&f, &variance, m, Phi, p, weight, n);
            model += weight[k] * log_loss(k == 0, f, variance) / (sum[0] + sum[1]);
            constant -= weight[k] * log((sum[k] - weight[k]) / (sum[0] + sum[1] - weight[k])) /
                        (sum[0] + sum[1]);
        }
        const rvm_held_out h = held_out(m, p, &s);
        ck_assert_uint_eq(h.rows, 60);
        ck_assert_uint_gt(m->vectors->rows, 0);
        check_close(h.constant, constant, 1e-12);
        check_close(h.loss / model, 1, 0.03);
        gsl_matrix_free(Phi);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* Three classes in clusters are told apart, and -ln of a share of 1/3 among 59 others of 19 is what
 * a constant loses. */
START_TEST(three_classes)
    {
        rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 1);
        rvm_problem *p = cloud_problem(60, 7);
        for (size_t n = 0; n < 60; n++)
            p->target[n] = (double)(n % 3);
        for (size_t n = 0; n < 60; n++)
            p->value[p->start[n]] = 3 * (double)(n % 3) + 0.1 * p->value[p->start[n]];
        s.multiclass = _i == 0 ? RVM_SOFTMAX : RVM_ONE_VS_REST;
        rvm_model *m = train(p, &s);
        const rvm_held_out h = held_out(m, p, &s);
        ck_assert_uint_eq(h.rows, 60);
        check_close(h.constant, log(59.0 / 19), 1e-12);
        ck_assert(h.loss > 0 && h.loss < 0.5 * h.constant);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(nothing_is_said_of_one_class_or_a_constant)
    {
        rvm_problem *p = task_problem(_i == 0 ? RVM_CLASSIFICATION : RVM_REGRESSION, 20, 1);
        const rvm_settings s =
            settings_for(_i == 0 ? RVM_CLASSIFICATION : RVM_REGRESSION, RVM_RBF, 1);
        for (size_t n = 0; n < 20; n++)
            p->target[n] = 1;
        rvm_model *m = train(p, &s);
        ck_assert_uint_eq(held_out(m, p, &s).rows, 0);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* ---- The kernel prior ------------------------------------------------------------------------ */

enum { ROWS = 12 };
static const double point[] = { -1, 1 }, scale = 2, noise = 0.25;

static double input(size_t n)
{
    return -2 + 0.4 * (double)n;
}

static double target(size_t n)
{
    return cos(2 * input(n)) + 0.3 * sin(37 * (double)n);
}

static double rbf(double x, double z)
{
    return exp(-0.5 * (x - z) * (x - z));
}

/* Posterior precision P = K / s + sum of phi phi' / (noise + s (1 - q)) over all rows but one, and
 * the weights there, of the two points, whose K = [1 c; c 1]. */
static void solve_points(double P[3], double w[2], size_t without)
{
    const double c = rbf(point[0], point[1]), det = 1 - c * c;
    double g[2] = { 0, 0 };
    P[0] = P[2] = 1 / scale;
    P[1] = c / scale;
    for (size_t n = 0; n < ROWS; n++) {
        const double a = rbf(input(n), point[0]), b = rbf(input(n), point[1]);
        const double q = (a * a - 2 * c * a * b + b * b) / det;
        const double precision = n == without ? 0 : 1 / (noise + scale * (1 - q));
        P[0] += precision * a * a;
        P[1] += precision * a * b;
        P[2] += precision * b * b;
        g[0] += precision * a * target(n);
        g[1] += precision * b * target(n);
    }
    const double all = P[0] * P[2] - P[1] * P[1];
    w[0] = (P[2] * g[0] - P[1] * g[1]) / all;
    w[1] = (P[0] * g[1] - P[1] * g[0]) / all;
}

/* The model of all rows; R and U by hand. */
static rvm_model *model_of_points(void)
{
    const double c = rbf(point[0], point[1]);
    double P[3], w[2];
    char text[1024];
    solve_points(P, w, ROWS);
    const double r = P[1] / sqrt(P[0]);
    snprintf(text, sizeof text,
             "rvm_model 1\ntask regression\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_rv 2\n"
             "examples 12\nnoise_variance %.17g\nnoise_fixed 0\nprocess_variance %.17g\n"
             "log_evidence 0\nconverged 1\nfactor %.17g %.17g\nfactor %.17g\n"
             "point_factor 1 %.17g\npoint_factor %.17g\nRV\n%.17g 1:-1\n%.17g 1:1\nend\n",
             noise, scale, sqrt(P[0]), r, sqrt(P[2] - r * r), c, sqrt(1 - c * c), w[0], w[1]);
    return model_from_text(text);
}

/* FITC (Quinonero-Candela and Rasmussen 2005): what is left of the process at a row is its noise. */
START_TEST(regression_with_points_is_exact)
    {
        rvm_problem *p = empty_problem();
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        double model = 0, constant = 0, sum = 0;
        for (size_t n = 0; n < ROWS; n++) {
            const double x = input(n);
            append_dense(p, target(n), &x, 1);
            sum += target(n);
        }
        for (size_t n = 0; n < ROWS; n++) {
            double P[3], w[2];
            solve_points(P, w, n);
            model += gsl_pow_2(target(n) - w[0] * rbf(input(n), point[0]) -
                               w[1] * rbf(input(n), point[1]));
            constant += gsl_pow_2(target(n) - (sum - target(n)) / (ROWS - 1));
        }
        rvm_model *m = model_of_points();
        const rvm_held_out h = held_out(m, p, &s);
        ck_assert_uint_eq(h.rows, ROWS);
        check_close(h.loss, model / constant, 1e-10);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(nothing_is_said_of_classes_with_points)
    {
        rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 1);
        rvm_problem *p = cloud_problem(60, 5);
        s.kernel_prior = true;
        rvm_model *m = train(p, &s);
        ck_assert(rvm_model_is_process(m));
        ck_assert_uint_eq(held_out(m, p, &s).rows, 0);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

Suite *held_out_suite(void);
Suite *held_out_suite(void)
{
    Suite *s = suite_create("held_out");
    TCase *c = tcase_create("held_out");
    tcase_add_test(c, regression_is_exact);
    tcase_add_loop_test(c, two_classes_are_close, 0, 2);
    tcase_add_loop_test(c, three_classes, 0, 2);
    tcase_add_loop_test(c, nothing_is_said_of_one_class_or_a_constant, 0, 2);
    tcase_add_test(c, regression_with_points_is_exact);
    tcase_add_test(c, nothing_is_said_of_classes_with_points);
    suite_add_tcase(s, c);
    return s;
}
