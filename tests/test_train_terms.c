/* Training with linear and quadratic basis functions: what is found,
 * and all numbers of the models by the formulas. */
#include "data/problem.h"
#include "suites.h"
#include "trained.h"

enum { FEATURES = 4 };

/* f = 2 x1 - 3 x2 + x1 x2; the other inputs are of no use. Every third row leaves out x4. */
static rvm_problem *bent_plane(size_t rows, bool classes, unsigned long seed)
{
    rvm_problem *p = empty_problem();
    gsl_rng *rng = random_numbers(seed);
    for (size_t n = 0; n < rows; n++) {
        double x[FEATURES];
        for (int f = 0; f < FEATURES; f++)
            x[f] = gsl_ran_gaussian(rng, 1);
        const double f = 2 * x[0] - 3 * x[1] + x[0] * x[1] + 0.1 * gsl_ran_gaussian(rng, 1);
        append_dense(p, classes ? (f > 0 ? 1 : -1) : f, x, n % 3 == 2 ? FEATURES - 1 : FEATURES);
    }
    gsl_rng_free(rng);
    return p;
}

static rvm_settings terms_for(rvm_task task, rvm_kernel_type type)
{
    rvm_settings s = settings_for(task, type, 2);
    s.linear = s.quadratic = true;
    return s;
}

/* Weight of a term by its name; 0 where the model does not have it. */
static double weight_of(const rvm_latent *l, const char *name)
{
    char text[RVM_TERM_NAME_SIZE];
    for (size_t i = 0; i < l->terms; i++)
        if (strcmp(rvm_term_name(text, &l->term[i]), name) == 0)
            return l->weight[i];
    return 0;
}

static const rvm_kernel_type kinds[] = { RVM_NO_KERNEL, RVM_RBF };

/* Noise of 0.1 in 150 rows: a weight is known to 0.1 / sqrt(150) = 0.008. */
START_TEST(the_functions_of_a_regression_are_found)
    {
        rvm_problem *p = bent_plane(150, false, 3);
        const rvm_settings s = terms_for(RVM_REGRESSION, kinds[_i]);
        rvm_model *m = train(p, &s);
        check_model(m, p, NULL);
        ck_assert_double_eq_tol(weight_of(m->latent, "x1"), 2, 0.05);
        ck_assert_double_eq_tol(weight_of(m->latent, "x2"), -3, 0.05);
        ck_assert_double_eq_tol(weight_of(m->latent, "x1*x2"), 1, 0.05);
        ck_assert_double_eq_tol(sqrt(m->latent->noise_variance), 0.1, 0.02);
        ck_assert_uint_lt(m->latent->terms, 10); /* of 1 + 4 + 10 */
        ck_assert(rvm_latent_has_bias(m->latent) && rvm_model_describe(m).has_terms);
        ck_assert(_i > 0 || m->vectors->rows == 0);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(the_functions_of_two_classes_are_found)
    {
        rvm_problem *p = bent_plane(150, true, 4);
        const rvm_settings s = terms_for(RVM_CLASSIFICATION, kinds[_i]);
        rvm_model *m = train(p, &s);
        const double sign = m->label[0] > 0 ? 1 : -1;
        check_model(m, p, NULL);
        ck_assert_double_gt(sign * weight_of(m->latent, "x1"), 0);
        ck_assert_double_lt(sign * weight_of(m->latent, "x2"), 0);
        ck_assert_double_gt(sign * weight_of(m->latent, "x1*x2"), 0);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

/* More candidates than are kept in memory: rounds, and rows and threads that do not matter. */
START_TEST(many_rows_are_trained_in_rounds)
    {
        const bool classes = _i == 1;
        rvm_problem *p = bent_plane(1500, classes, 5), *q = reordered(p, 7, 1);
        rvm_settings s = terms_for(classes ? RVM_CLASSIFICATION : RVM_REGRESSION, RVM_RBF);
        rvm_model *a = train(p, &s);
        s.threads = 3;
        rvm_model *b = train(q, &s);
        check_same_bytes(a, b);
        check_model(a, p, NULL);
        const double sign = classes && a->label[0] < 0 ? -1 : 1;
        ck_assert_double_gt(sign * weight_of(a->latent, "x1"), 0);
        ck_assert_double_lt(sign * weight_of(a->latent, "x2"), 0);
        ck_assert_double_gt(sign * weight_of(a->latent, "x1*x2"), 0);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* Units of an input do not matter: its weight falls by as much, the evidence stays. */
START_TEST(units_of_the_inputs)
    {
        rvm_problem *p = bent_plane(100, false, 6), *q = copy_of(p);
        const rvm_settings s = terms_for(RVM_REGRESSION, RVM_NO_KERNEL);
        for (size_t k = 0; k < q->start[q->rows]; k++)
            q->value[k] *= q->index[k] == 2 ? 1000 : 1;
        rvm_model *a = train(p, &s), *b = train(q, &s);
        check_close(a->log_evidence, b->log_evidence, 1e-6);
        check_close(weight_of(b->latent, "x1"), weight_of(a->latent, "x1"), 1e-6);
        check_close(1000 * weight_of(b->latent, "x2"), weight_of(a->latent, "x2"), 1e-6);
        check_close(1000 * weight_of(b->latent, "x1*x2"), weight_of(a->latent, "x1*x2"), 1e-6);
        rvm_model_free(a);
        rvm_model_free(b);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* Means by the definition, of each row alone and of all; features unknown to the model are passed
 * over. */
START_TEST(rows_are_predicted_one_by_one)
    {
        rvm_problem *p = bent_plane(60, false, 8), *rows = bent_plane(301, false, 9);
        const rvm_settings s = terms_for(RVM_REGRESSION, kinds[_i]);
        const int index[] = { 2, 99 };
        const double x[] = { 1.5, 7 };
        ck_assert(rvm_problem_append(rows, 0, index, x, 2));
        rvm_model *m = train(p, &s);
        rvm_prediction all = predict(m, rows);
        for (size_t n = 0; n < rows->rows; n++) {
            rvm_problem *one = rvm_problem_subset(rows, &n, 1);
            rvm_prediction out = predict(m, one);
            double f = m->latent->bias_mean;
            for (size_t i = 0; i < m->latent->terms; i++)
                f += m->latent->weight[i] * term_by_formula(&m->latent->term[i], rows, n);
            for (size_t i = m->latent->terms; i < m->latent->count; i++)
                f += m->latent->weight[i] *
                     kernel_by_formula(&m->kernel, rows, n, m->vectors,
                                       m->latent->vector[i - m->latent->terms], 99);
            check_close(out.value[0], f, 1e-12);
            ck_assert_double_eq(out.value[0], all.value[n]);
            ck_assert_double_eq(out.variance[0], all.variance[n]);
            rvm_prediction_free(&out);
            rvm_problem_free(one);
        }
        rvm_prediction_free(&all);
        rvm_model_free(m);
        rvm_problem_free(p);
        rvm_problem_free(rows);
    }
END_TEST

/* Columns of zeros are no candidates, in any of the searches. */
START_TEST(inputs_of_zeros)
    {
        rvm_problem *p = empty_problem();
        const rvm_settings s =
            terms_for(_i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION, RVM_NO_KERNEL);
        const int index[] = { 1, 2 };
        for (int n = 0; n < 20; n++) {
            const double x[] = { 0, 0 };
            ck_assert(rvm_problem_append(p, n % (_i + 1), index, x, 2));
            p->target[n] = _i == 0 ? n % 3 : n % (_i + 1);
        }
        rvm_model *m = train(p, &s);
        for (size_t k = 0; k < m->latent_count; k++)
            ck_assert(!rvm_latent_has_terms(&m->latent[k]));
        check_finite_predictions(m, p);
        rvm_model_free(m);
        rvm_problem_free(p);
    }
END_TEST

Suite *train_terms_suite(void);
Suite *train_terms_suite(void)
{
    Suite *s = suite_create("train_terms");
    TCase *c = tcase_create("train_terms");
    tcase_add_loop_test(c, the_functions_of_a_regression_are_found, 0, 2);
    tcase_add_loop_test(c, the_functions_of_two_classes_are_found, 0, 2);
    tcase_add_loop_test(c, many_rows_are_trained_in_rounds, 0, 2);
    tcase_add_test(c, units_of_the_inputs);
    tcase_add_loop_test(c, rows_are_predicted_one_by_one, 0, 2);
    tcase_add_loop_test(c, inputs_of_zeros, 0, 3);
    suite_add_tcase(s, c);
    return s;
}
