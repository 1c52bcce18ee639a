/* multi.c, classes.c: models of more than two classes against the formulas. */
#include "inference/classes.h"
#include "search/gram_search.h"
#include "search/newton.h"
#include "suites.h"
#include "trained.h"

static rvm_settings settings_of(rvm_multiclass multiclass, double gamma)
{
    rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, gamma);
    s.multiclass = multiclass;
    return s;
}

/* Classes 5, -2 and 9 at the corners of a triangle, wide enough to overlap. */
static rvm_problem *triangle_problem(size_t N, unsigned long seed)
{
    static const double x[] = { 0, 1.4, 0.7 }, y[] = { 0, 0, 1.2 };
    static const int label[] = { 5, -2, 9 };
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(seed);
    for (size_t i = 0; i < N; i++) {
        const size_t k = i % 3;
        const double row[] = { x[k] + gsl_ran_gaussian(rng, 0.6),
                               y[k] + gsl_ran_gaussian(rng, 0.6) };
        append_dense(p, label[k], row, 2);
    }
    gsl_rng_free(rng);
    return p;
}

/* ---- A saved model -------------------------------------------------------------------------- */

/* P(k) of row n as far as its slope and curvature go: of all classes together, or of each. */
static double probability_at_mode(const gsl_matrix *F, size_t n, size_t k, rvm_multiclass model)
{
    double sum = 0;
    if (model == RVM_ONE_VS_REST)
        return 1 / (1 + exp(-gsl_matrix_get(F, n, k)));
    for (size_t j = 0; j < F->size2; j++)
        sum += exp(gsl_matrix_get(F, n, j) - gsl_matrix_get(F, n, k));
    return 1 / sum;
}

/* Factor and mode of class k; returns its share of the log evidence, but for the softmax's
 * likelihood, which is that of all classes. */
static double check_class(const rvm_model *m, size_t k, const gsl_matrix *F, const rvm_problem *p,
                          const double *row_weight)
{
    const rvm_latent *l = &m->latent[k];
    gsl_matrix *Phi = basis_values(m, l, p);
    double *slope = calloc(p->rows, sizeof *slope), *curvature = calloc(p->rows, sizeof *curvature);
    double sum = -0.5 * prior_square(l) - half_log_ratio(l);
    for (size_t n = 0; n < p->rows; n++) {
        const double c = row_weight == NULL ? 1 : row_weight[n];
        const double y = probability_at_mode(F, n, k, m->multiclass);
        const bool is_it = (int)p->target[n] == m->label[k];
        slope[n] = c * (is_it - y);
        curvature[n] = c * y * (1 - y);
        if (m->multiclass == RVM_ONE_VS_REST || is_it)
            sum += c * log(is_it ? y : 1 - y);
    }
    check_factor(l, Phi, curvature);
    for (size_t i = 0; i < l->count; i++) {
        double pull = -l->alpha[i] * l->weight[i], size = fabs(pull);
        for (size_t n = 0; n < p->rows; n++) {
            pull += gsl_matrix_get(Phi, n, i) * slope[n];
            size += fabs(gsl_matrix_get(Phi, n, i) * slope[n]);
        }
        ck_assert_msg(fabs(pull) <= 1e-4 * size, "class %zu, function %zu: %g of %g", k, i, pull,
                      size);
    }
    free(slope);
    free(curvature);
    gsl_matrix_free(Phi);
    return sum;
}

static void check_classes(const rvm_model *m, const rvm_problem *p, const double *row_weight)
{
    gsl_matrix *F = gsl_matrix_alloc(p->rows, m->latent_count);
    double log_evidence = 0;
    for (size_t k = 0; k < m->latent_count; k++) {
        gsl_matrix *Phi = basis_values(m, &m->latent[k], p);
        for (size_t n = 0; n < p->rows; n++)
            gsl_matrix_set(F, n, k, activation(&m->latent[k], Phi, n));
        gsl_matrix_free(Phi);
    }
    for (size_t k = 0; k < m->latent_count; k++)
        log_evidence += check_class(m, k, F, p, row_weight);
    check_close(m->log_evidence, log_evidence, 1e-4);
    gsl_matrix_free(F);
}

START_TEST(model_follows_the_formulas)
    {
        rvm_problem *p = triangle_problem(90, 1);
        const rvm_settings s = settings_of(_i == 0 ? RVM_SOFTMAX : RVM_ONE_VS_REST, 0.7);
        rvm_model *m = train(p, &s);
        ck_assert(m->converged);
        ck_assert_uint_eq(m->latent_count, 3);
        ck_assert(m->multiclass == s.multiclass);
        ck_assert_uint_gt(m->vectors->rows, 0);
        check_classes(m, p, NULL);
        check_finite_predictions(m, p);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(weighted_model_follows_the_formulas)
    {
        static const rvm_class_weight weights[] = { { 9, 3 }, { 5, 0.5 } };
        rvm_problem *p = triangle_problem(60, 2);
        rvm_settings s = settings_of(_i == 0 ? RVM_SOFTMAX : RVM_ONE_VS_REST, 0.7);
        double row_weight[60];
        for (size_t n = 0; n < 60; n++)
            row_weight[n] = p->target[n] == 9 ? 1 : p->target[n] == 5 ? 0.5 / 3 : 1.0 / 3;
        s.class_weights = weights;
        s.class_weight_count = 2;
        rvm_model *m = train(p, &s);
        check_classes(m, p, row_weight);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* A model may be taken after any step: it is whole, and follows the formulas like the last. */
START_TEST(model_after_every_step)
    {
        rvm_problem *p = triangle_problem(45, 3);
        rvm_settings s = settings_of(RVM_SOFTMAX, 0.7);
        rvm_trainer *tr = NULL;
        rvm_report r = { 0 };
        rvm_error err = { 0 };
        double last = -INFINITY;
        s.restarts = 3;
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        for (int step = 0; !r.done; step++) {
            rvm_model *m = NULL;
            CHECK_OK(rvm_trainer_step(&r, tr, &err));
            if (step % 5 != 0 && !r.done)
                continue;
            CHECK_OK(rvm_trainer_model(&m, tr, &err));
            check_classes(m, p, NULL);
            ck_assert(m->converged == r.converged);
            if (r.start > 1) {
                ck_assert_msg(m->log_evidence > last - 0.05, "%g after %g", m->log_evidence, last);
                last = m->log_evidence;
            }
            rvm_model_free(m);
        }
        ck_assert_int_eq(r.starts, 3);
        ck_assert(r.converged);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

/* Columns that are nearly collinear: what tells the classes apart is small beside what the inputs
 * have in common, and is lost by a start whose prior is not wide. The labels say whether the
 * difference of two inputs near 100 is below, within or above half a unit. */
START_TEST(nearly_collinear_columns)
    {
        rvm_problem *p = empty_problem();
        gsl_rng *rng = random_numbers(4);
        for (size_t i = 0; i < 120; i++) {
            const double difference = gsl_ran_flat(rng, -2, 2), base = gsl_ran_flat(rng, 90, 110);
            const double row[] = { base, base + difference };
            append_dense(p, difference < -0.5 ? 1 : difference > 0.5 ? 3 : 2, row, 2);
        }
        gsl_rng_free(rng);
        rvm_settings s = settings_of(RVM_SOFTMAX, 1);
        s.kernel.type = RVM_LINEAR;
        rvm_model *m = train(p, &s);
        rvm_prediction out = predict(m, p);
        size_t right = 0;
        for (size_t i = 0; i < 120; i++)
            right += out.value[i] == p->target[i];
        ck_assert_msg(right > 108, "%zu of 120", right);
        rvm_prediction_free(&out);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(threads_do_not_matter)
    {
        rvm_problem *p = triangle_problem(150, 5);
        rvm_settings s = settings_of(RVM_SOFTMAX, 1);
        s.restarts = 2;
        s.threads = 1;
        rvm_model *a = train(p, &s);
        s.threads = 3;
        rvm_model *b = train(p, &s);
        check_same_bytes(a, b);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Given precisions ----------------------------------------------------------------------- */

/* Nine rows, three classes, each with two functions of given precisions; candidate 0 is the bias,
 * n + 1 the RBF kernel of gamma 0.5 at row n. */
enum { ROWS = 9, CLASSES = 3, FUNCTIONS = 2 };
static const double inputs[ROWS] = { -2.1, -1.4, -0.9, -0.3, 0.2, 0.8, 1.3, 1.9, 2.6 };
static const size_t classes_of_rows[ROWS] = { 0, 0, 1, 0, 1, 1, 2, 1, 2 };
static const size_t functions[CLASSES][FUNCTIONS] = { { 0, 2 }, { 0, 5 }, { 4, 8 } };
static const double alpha[CLASSES][FUNCTIONS] = { { 0.7, 0.35 }, { 1.9, 0.8 }, { 0.45, 0.22 } };

/* By numpy and scipy: the joint mode by BFGS and Newton's method, ln|H| of each class's own block
 * by slogdet, and the derivatives by central differences (step 1e-4 in ln alpha) of the evidence of
 * the quadratic approximation at the mode: curvature and the other classes are held fixed. */
static const struct {
    rvm_multiclass model;
    double log_likelihood, log_evidence, weight[CLASSES][FUNCTIONS], gradient[CLASSES][FUNCTIONS];
} expected[] = {
    { RVM_SOFTMAX,
      -7.064953907198,
      -10.494171354850,
      { { -0.21454796, 1.41778232 }, { 0.22464782, 0.67193788 }, { -0.89247676, 0.94980705 } },
      { { 0.2874811181, -0.0923999715 },
        { 0.1582887778, 0.0106679596 },
        { 0.0280467132, 0.2660551453 } } },
    { RVM_ONE_VS_REST,
      -14.626358137280,
      -18.750243758706,
      { { -0.92567259, 1.3011949 }, { -0.22858635, 0.40296451 }, { -1.7197365, 0.2731308 } },
      { { 0.0244028328, -0.0302071402 },
        { 0.1685777658, 0.1281345581 },
        { -0.409684107, 0.3588952669 } } },
};

static double norm_of(size_t candidate)
{
    double sum = 0;
    for (size_t n = 0; n < ROWS; n++)
        sum += candidate == 0 ? 1 : exp(-gsl_pow_2(inputs[n] - inputs[candidate - 1]));
    return sqrt(sum);
}

/* Class k into the search, at the mode that the other classes leave it. */
static void load(rvm_gram_search *g, rvm_classes *c, rvm_study *y, size_t k)
{
    size_t id[FUNCTIONS];
    double ln_alpha[FUNCTIONS], u[FUNCTIONS] = { 0 };
    rvm_error err = { 0 };
    for (size_t i = 0; i < FUNCTIONS; i++) {
        id[i] = functions[k][i];
        ln_alpha[i] = log(alpha[k][i]) - 2 * log(norm_of(functions[k][i]));
    }
    const rvm_solved solved = { .K = FUNCTIONS, .id = id, .ln_alpha = ln_alpha, .u = u };
    rvm_classes_select(c, &y->observed, k);
    CHECK_OK(rvm_gram_search_restore(g, &solved, &err));
    rvm_classes_set(c, k, g->laplace.f);
}

/* 1/2 u'u + 1/2 ln|H|, with weights and gradient against those expected. */
static double check_at_mode(rvm_gram_search *g, const rvm_study *y, size_t k, int which)
{
    const rvm_fit *f = g->search.now;
    gsl_matrix_view L = rvm_fit_factor(f);
    double sum = 0;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        const double w = exp(-0.5 * f->ln_alpha[i]) * f->u[i] / norm_of(functions[k][i]);
        check_close(w, expected[which].weight[k][i], 1e-6);
        sum += 0.5 * f->u[i] * f->u[i] + log(gsl_matrix_get(&L.matrix, i, i));
    }
    rvm_error err = { 0 };
    g->gram.count = FUNCTIONS;
    CHECK_OK(rvm_laplace_expand(g->gram.G, g->gram.p, &g->quadratic.t_squared, &g->laplace, f,
                                &y->observed, &err));
    CHECK_OK(rvm_climber_locate(&g->search, &err));
    rvm_newton_derivatives(&g->search);
    for (size_t i = 0; i < FUNCTIONS; i++)
        ck_assert_double_eq_tol(g->search.gradient[i], expected[which].gradient[k][i], 1e-6);
    return sum;
}

START_TEST(evidence_and_gradient_at_given_precisions)
    {
        rvm_problem *p = empty_problem();
        for (size_t n = 0; n < ROWS; n++)
            append_dense(p, (double)classes_of_rows[n], &inputs[n], 1);
        const rvm_settings s = settings_of(expected[_i].model, 0.5);
        rvm_study y;
        rvm_classes c;
        rvm_gram_search g;
        rvm_error err = { 0 };
        CHECK_OK(rvm_study_init(&y, p, &s, &s.kernel, 0, &err));
        CHECK_OK(rvm_classes_init(&c, classes_of_rows, CLASSES, ROWS, s.multiclass, &err));
        CHECK_OK(rvm_gram_search_init(&g, &y, y.basis.count, 1e4, 1, &err));
        CHECK_OK(rvm_gram_search_take_rows(&g, &y, &err));
        g.laplace.negligible = 1e-20;
        for (int pass = 0; pass < 200; pass++)
            for (size_t k = 0; k < CLASSES; k++)
                load(&g, &c, &y, k);
        double log_evidence = rvm_classes_log_likelihood(&c, &y.observed);
        check_close(log_evidence, expected[_i].log_likelihood, 1e-9);
        for (size_t k = 0; k < CLASSES; k++) {
            load(&g, &c, &y, k);
            log_evidence -= check_at_mode(&g, &y, k, _i);
        }
        check_close(log_evidence, expected[_i].log_evidence, 1e-9);
        rvm_gram_search_free(&g);
        rvm_classes_free(&c);
        rvm_study_free(&y);
        rvm_problem_free(p);
    }
END_TEST

Suite *multi_suite(void);
Suite *multi_suite(void)
{
    Suite *s = suite_create("multi");
    TCase *c = tcase_create("more than two classes");
    tcase_add_loop_test(c, model_follows_the_formulas, 0, 2);
    tcase_add_loop_test(c, weighted_model_follows_the_formulas, 0, 2);
    tcase_add_test(c, model_after_every_step);
    tcase_add_test(c, nearly_collinear_columns);
    tcase_add_test(c, threads_do_not_matter);
    tcase_add_loop_test(c, evidence_and_gradient_at_given_precisions, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
