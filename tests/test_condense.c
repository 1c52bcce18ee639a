#include <check.h>
#include <gsl/gsl_blas.h>
#include <math.h>

#include "inference/condense.h"
#include "suites.h"

/* Columns of norm 1 at N rows, one a row of Phi; G = Phi Phi'. */
static gsl_matrix *gram(const gsl_matrix *Phi)
{
    gsl_matrix *G = gsl_matrix_alloc(Phi->size1, Phi->size1);
    gsl_blas_dgemm(CblasNoTrans, CblasTrans, 1, Phi, Phi, 0, G);
    return G;
}

static rvm_condensed condense(const gsl_matrix *G, const gsl_matrix *W, const bool *first,
                              double most)
{
    rvm_condensed c;
    rvm_error err = { 0 };
    ck_assert_int_eq(rvm_condense(&c, G, W, first, most, &err), RVM_OK);
    return c;
}

/* sum over draws and rows of (Phi w - Phi w of the few)^2 */
static double gap(const gsl_matrix *Phi, const gsl_matrix *W, const rvm_condensed *c)
{
    double sum = 0;
    for (size_t d = 0; d < W->size2; d++)
        for (size_t n = 0; n < Phi->size2; n++) {
            double f = 0;
            for (size_t m = 0; m < Phi->size1; m++)
                f += gsl_matrix_get(W, m, d) * gsl_matrix_get(Phi, m, n);
            for (size_t k = 0; k < c->count; k++)
                f -= gsl_matrix_get(c->weight, k, d) * gsl_matrix_get(Phi, c->function[k], n);
            sum += f * f;
        }
    return sum;
}

/* Bells of width 1 on a line, at 40 points, and draws of all their weights. */
static gsl_matrix *bells(size_t M)
{
    enum { N = 40 };
    gsl_matrix *Phi = gsl_matrix_alloc(M, N);
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            const double d = 0.25 * (double)n - 10 * (double)m / (double)M;
            gsl_matrix_set(Phi, m, n, exp(-0.5 * d * d));
        }
        gsl_vector_view row = gsl_matrix_row(Phi, m);
        gsl_vector_scale(&row.vector, 1 / gsl_blas_dnrm2(&row.vector));
    }
    return Phi;
}

static gsl_matrix *weights(size_t M, size_t D)
{
    gsl_matrix *W = gsl_matrix_alloc(M, D);
    for (size_t m = 0; m < M; m++)
        for (size_t d = 0; d < D; d++)
            gsl_matrix_set(W, m, d, sin(1 + 3.7 * (double)(m * D + d) * (double)(m + 1)));
    return W;
}

/* The gap promised is the gap there is, with fewer functions the more of it is allowed. */
START_TEST(no_more_is_lost_than_allowed)
    {
        enum { M = 30, D = 5 };
        const bool none[M] = { false };
        const double most[] = { 1e-8, 1e-3, 0.1, 10 };
        gsl_matrix *Phi = bells(M), *G = gram(Phi), *W = weights(M, D);
        size_t before = M + 1;
        for (int k = 0; k < 4; k++) {
            rvm_condensed c = condense(G, W, none, most[k]);
            ck_assert_double_le(gap(Phi, W, &c), most[k] * (1 + 1e-6) + 1e-12);
            ck_assert_uint_lt(c.count, before);
            for (size_t i = 1; i < c.count; i++)
                ck_assert_uint_lt(c.function[i - 1], c.function[i]);
            before = c.count;
            rvm_condensed_free(&c);
        }
        ck_assert_uint_lt(before, 10);
        gsl_matrix_free(Phi);
        gsl_matrix_free(G);
        gsl_matrix_free(W);
    }
END_TEST

/* Three columns, the third (1, 1)/sqrt(2) of the others: weights 1 and 1 of these are sqrt(2) of
 * it. */
START_TEST(the_function_that_does_it_all)
    {
        const double h = sqrt(0.5), values[] = { 1, 0, 0, 1, h, h };
        const bool none[] = { false, false, false }, second[] = { false, true, false };
        double w[] = { 1, 1, 0 };
        gsl_matrix_const_view Phi = gsl_matrix_const_view_array(values, 3, 2);
        gsl_matrix_view W = gsl_matrix_view_array(w, 3, 1);
        gsl_matrix *G = gram(&Phi.matrix);
        rvm_condensed c = condense(G, &W.matrix, none, 1e-12);
        ck_assert_uint_eq(c.count, 1);
        ck_assert_uint_eq(c.function[0], 2);
        ck_assert_double_eq_tol(gsl_matrix_get(c.weight, 0, 0), sqrt(2), 1e-14);
        rvm_condensed_free(&c);

        c = condense(G, &W.matrix, second, 1e-12); /* in any case, and one more */
        ck_assert_uint_eq(c.count, 2);
        ck_assert(c.function[0] == 1 || c.function[1] == 1);
        ck_assert_double_eq_tol(gap(&Phi.matrix, &W.matrix, &c), 0, 1e-24);
        rvm_condensed_free(&c);
        gsl_matrix_free(G);
    }
END_TEST

/* Nothing to say, or columns that are all one. */
START_TEST(corners)
    {
        const double values[] = { 1, 0, 1, 0 };
        const bool none[] = { false, false };
        double zero[] = { 0, 0 }, w[] = { 0.5, 2 };
        gsl_matrix_const_view Phi = gsl_matrix_const_view_array(values, 2, 2);
        gsl_matrix_view Z = gsl_matrix_view_array(zero, 2, 1), W = gsl_matrix_view_array(w, 2, 1);
        gsl_matrix *G = gram(&Phi.matrix);
        rvm_condensed c = condense(G, &Z.matrix, none, 1e-12);
        ck_assert_uint_eq(c.count, 0);
        rvm_condensed_free(&c);
        c = condense(G, &W.matrix, none, 0);
        ck_assert_uint_eq(c.count, 1);
        ck_assert_double_eq_tol(gsl_matrix_get(c.weight, 0, 0), 2.5, 1e-14);
        rvm_condensed_free(&c);
        gsl_matrix_free(G);
    }
END_TEST

Suite *condense_suite(void)
{
    Suite *s = suite_create("condense");
    TCase *c = tcase_create("few functions");
    tcase_add_test(c, no_more_is_lost_than_allowed);
    tcase_add_test(c, the_function_that_does_it_all);
    tcase_add_test(c, corners);
    suite_add_tcase(s, c);
    return s;
}
