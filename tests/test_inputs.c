/* inputs.c: the inputs of a problem, and the derivative by their weights, against differences of
 * kernel values by formula. */
#include "basis/inputs.h"
#include "problems.h"
#include "suites.h"

enum { N = 12, D = 3 };

static const rvm_kernel weighing[] = {
    { .type = RVM_LINEAR },
    { .type = RVM_POLYNOMIAL, .degree = 3, .gamma = 0.8, .coef0 = 0.5 },
    { .type = RVM_POLYNOMIAL, .degree = 0, .gamma = 0.8, .coef0 = 0.5 },
    { .type = RVM_RBF, .gamma = 0.6 },
    { .type = RVM_SIGMOID, .gamma = 0.3, .coef0 = 0.2 },
    { .type = RVM_LAPLACIAN, .gamma = 0.6 },
};

/* The same rows with features 1 to 3 times factor. */
static rvm_problem *multiplied(const rvm_problem *p, const double *factor)
{
    rvm_problem *q = empty_problem();
    for (size_t n = 0; n < p->rows; n++) {
        double x[D];
        for (int f = 1; f <= D; f++)
            x[f - 1] = feature(p, n, f) * factor[f - 1];
        append_dense(q, 0, x, D);
    }
    return q;
}

/* sum of G_in K(x_i, x_n), the rows weighted by hand. */
static double sum_by_formula(const rvm_kernel *k, const rvm_problem *p, const double *eta,
                             const gsl_matrix *G)
{
    double factor[D], sum = 0;
    for (size_t j = 0; j < D; j++)
        factor[j] = k->type == RVM_LAPLACIAN ? eta[j] : sqrt(eta[j]);
    rvm_problem *q = multiplied(p, factor);
    for (size_t i = 0; i < N; i++)
        for (size_t n = 0; n < N; n++)
            sum += gsl_matrix_get(G, i, n) * kernel_by_formula(k, q, i, q, n, D);
    rvm_problem_free(q);
    return sum;
}

START_TEST(derivative_by_the_weights)
    {
        const int index[D] = { 1, 2, 3 };
        const double eta[D] = { 0.7, 1.9, 0.31 }, step = 1e-5;
        const rvm_input_weights weights = { D, index, eta };
        rvm_kernel k = weighing[_i];
        rvm_problem *p = noise_problem(N, D, 5);
        gsl_rng *rng = random_numbers(6);
        gsl_matrix *G = gsl_matrix_alloc(N, N), *scratch = gsl_matrix_alloc(N, N);
        rvm_inputs in;
        rvm_error err = { 0 };
        double gradient[D];
        for (size_t i = 0; i < N; i++)
            for (size_t n = 0; n <= i; n++) {
                gsl_matrix_set(G, i, n, gsl_ran_gaussian(rng, 1));
                gsl_matrix_set(G, n, i, gsl_matrix_get(G, i, n));
            }
        CHECK_OK(rvm_inputs_init(&in, p, &err));
        ck_assert_uint_eq(in.count, D);
        k.inputs = &weights;
        rvm_kernel_rows *rows = rvm_kernel_rows_alloc(p, &k, NULL);
        ck_assert_ptr_nonnull(rows);
        CHECK_OK(rvm_inputs_gradient(gradient, &in, eta, G, scratch, &k, rows, &err));
        for (size_t j = 0; j < D; j++) {
            double more[D], less[D];
            memcpy(more, eta, sizeof eta);
            memcpy(less, eta, sizeof eta);
            more[j] *= exp(step);
            less[j] *= exp(-step);
            const double slope =
                (sum_by_formula(&k, p, more, G) - sum_by_formula(&k, p, less, G)) / (2 * step);
            ck_assert(k.degree == 0 ? true : fabs(slope) > 1e-2);
            check_close(gradient[j], slope, 1e-7);
        }
        rvm_kernel_rows_free(rows);
        rvm_inputs_free(&in);
        gsl_matrix_free(G);
        gsl_matrix_free(scratch);
        gsl_rng_free(rng);
        rvm_problem_free(p);
    }
END_TEST

/* Constant inputs are no inputs; spreads by hand. */
START_TEST(inputs_that_vary)
    {
        rvm_problem *p = problem_from_text("1 2:3 5:1 9:1e200\n1 2:5 5:1 9:-1e200\n1 2:7 5:1\n"
                                           "1 2:1 5:1\n",
                                           (rvm_grammar){ 0 });
        rvm_inputs in;
        rvm_error err = { 0 };
        CHECK_OK(rvm_inputs_init(&in, p, &err));
        ck_assert_uint_eq(in.count, 2);
        ck_assert_int_eq(in.index[0], 2);
        ck_assert_int_eq(in.index[1], 9);
        check_close(in.spread[0], sqrt(5), 1e-14);
        check_close(in.spread[1], 1e200 * sqrt(0.5), 1e-14);
        ck_assert_double_eq(gsl_matrix_get(in.X, 0, 2), 7);
        ck_assert_double_eq(gsl_matrix_get(in.X, 1, 1), -1e200);
        ck_assert_double_eq(gsl_matrix_get(in.X, 1, 3), 0);
        rvm_inputs_free(&in);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(no_inputs)
    {
        rvm_problem *p = problem_from_text("1\n2\n", (rvm_grammar){ 0 });
        rvm_inputs in;
        rvm_error err = { 0 };
        CHECK_OK(rvm_inputs_init(&in, p, &err));
        ck_assert_uint_eq(in.count, 0);
        rvm_inputs_free(&in);
        rvm_problem_free(p);
    }
END_TEST

Suite *inputs_suite(void)
{
    Suite *s = suite_create("inputs");
    TCase *c = tcase_create("inputs");
    tcase_add_loop_test(c, derivative_by_the_weights, 0, sizeof weighing / sizeof *weighing);
    tcase_add_test(c, inputs_that_vary);
    tcase_add_test(c, no_inputs);
    suite_add_tcase(s, c);
    return s;
}
