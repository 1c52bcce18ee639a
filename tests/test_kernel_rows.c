/* kernel.c: rows laid out: numbering of features, dense or sparse, and what is kept of each row. */
#include <float.h>

#include "basis/kernel.h"
#include "problems.h"
#include "suites.h"

static rvm_problem *rows_of(const char *text)
{
    return problem_from_text(text, (rvm_grammar){ 0 });
}

/* The rows for a kernel that combines them so. */
static rvm_kernel_rows *laid_out(const rvm_problem *p, rvm_combination by,
                                 const rvm_input_weights *inputs, const rvm_kernel_rows *like)
{
    static const rvm_kernel_type types[] = { RVM_LINEAR, RVM_RBF, RVM_LAPLACIAN, RVM_SPLINE };
    const rvm_kernel kernel = { .type = types[by], .gamma = 1, .inputs = inputs };
    ck_assert_int_eq(rvm_kernel_combination(kernel.type), by);
    return rvm_kernel_rows_alloc(p, &kernel, like);
}

static double dense_value(const rvm_kernel_rows *r, size_t i, size_t f)
{
    return r->panel[(i / RVM_PANEL * r->features + f) * RVM_PANEL + i % RVM_PANEL];
}

/* Every row of a dense layout: full, row by row. */
static void check_dense(const rvm_kernel_rows *r, const double *full)
{
    ck_assert(r->dense);
    for (size_t i = 0; i < r->count; i++)
        for (size_t f = 0; f < r->features; f++)
            ck_assert_double_eq(dense_value(r, i, f), full[i * r->features + f]);
}

START_TEST(features_are_numbered_by_those_that_occur)
    {
        rvm_problem *p = rows_of("0 7:1 2147483647:2\n0 1:3\n0\n0 7:4 1000000:5\n");
        rvm_kernel_rows *r = laid_out(p, RVM_BY_SQUARES, NULL, NULL);
        const int original[] = { 1, 7, 1000000, 2147483647 };
        ck_assert_ptr_nonnull(r);
        ck_assert_uint_eq(r->count, 4);
        ck_assert_uint_eq(r->features, 4);
        ck_assert_mem_eq(r->original, original, sizeof original);
        const double full[] = { 0, 1, 0, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 4, 5, 0 };
        check_dense(r, full);
        rvm_kernel_rows_free(r);
        rvm_problem_free(p);
    }
END_TEST

/* More rows than a panel: where each number stands, and what fills up the last panel. */
START_TEST(dense_rows_in_panels)
    {
        enum { N = 2 * RVM_PANEL + 3, F = 3 };
        double full[N * F];
        rvm_problem *p = empty_problem();
        for (size_t i = 0; i < N; i++) {
            const int index[] = { 2, 3, 5 };
            for (size_t f = 0; f < F; f++)
                full[i * F + f] = (double)i + 0.125 * (double)(f + 1);
            ck_assert(rvm_problem_append(p, 0, index, full + i * F, F));
        }
        rvm_kernel_rows *r = laid_out(p, RVM_BY_SQUARES, NULL, NULL);
        check_dense(r, full);
        for (size_t k = 0; k < 3 * RVM_PANEL * F; k++) {
            const size_t i = k / RVM_PANEL / F * RVM_PANEL + k % RVM_PANEL, f = k / RVM_PANEL % F;
            ck_assert_double_eq(r->panel[k], i < N ? full[i * F + f] : 0);
        }
        rvm_kernel_rows_free(r);
        rvm_problem_free(p);
    }
END_TEST

/* Many features, each in one row: 2000 of them, in an order that does not ascend. */
START_TEST(many_features)
    {
        rvm_problem *p = empty_problem();
        for (int i = 0; i < 1000; i++) {
            const int first = 1 + i * 617 % 1000;
            const int index[] = { first, 1000 + first };
            const double value[] = { i + 0.5, -i - 0.5 };
            ck_assert(rvm_problem_append(p, 0, index, value, 2));
        }
        rvm_kernel_rows *r = laid_out(p, RVM_BY_PRODUCTS, NULL, NULL);
        ck_assert_uint_eq(r->features, 2000);
        ck_assert(!r->dense);
        for (int f = 0; f < 2000; f++)
            ck_assert_int_eq(r->original[f], f + 1);
        for (size_t i = 0; i < 1000; i++) {
            ck_assert_uint_eq(r->start[i + 1] - r->start[i], 2);
            ck_assert_int_eq(r->original[r->feature[2 * i]], p->index[2 * i]);
            ck_assert_double_eq(r->value[2 * i + 1], -(double)i - 0.5);
        }
        rvm_kernel_rows_free(r);
        rvm_problem_free(p);
    }
END_TEST

/* A row combined with the empty row: 3, -4 and what each combination makes of them. A spline at 0
 * and x is 1 for x >= 0, and 1 - x/2 x^2 + x^3/3 = 1 - x^3/6 for x < 0: here 1 + 64/6. */
START_TEST(rows_alone)
    {
        const double want[] = { 0, 25, 7, 1 + 64.0 / 6 };
        rvm_problem *p = rows_of("0 1:3 2:-4\n0\n");
        for (rvm_combination by = RVM_BY_PRODUCTS; by <= RVM_BY_SPLINE; by++) {
            rvm_kernel_rows *r = laid_out(p, by, NULL, NULL);
            const double nothing = by == RVM_BY_SPLINE ? 1 : 0;
            ck_assert_double_eq_tol(r->self[0], want[by], 1e-14);
            ck_assert_double_eq(r->self[1], nothing);
            ck_assert_double_eq(r->rest[0], nothing);
            rvm_kernel_rows_free(r);
        }
        rvm_problem_free(p);
    }
END_TEST

/* Index 2 is not among the features of the first rows. */
START_TEST(unseen_features_go_into_rest)
    {
        const double want[] = { 0, 16, 4, 1 + 64.0 / 6 };
        rvm_problem *p = rows_of("0 1:1 3:5\n"), *q = rows_of("0 1:3 2:-4 3:2\n");
        for (rvm_combination by = RVM_BY_PRODUCTS; by <= RVM_BY_SPLINE; by++) {
            rvm_kernel_rows *like = laid_out(p, by, NULL, NULL);
            rvm_kernel_rows *r = laid_out(q, by, NULL, like);
            ck_assert_uint_eq(r->features, 2);
            const double seen[] = { 3, 2 };
            check_dense(r, seen);
            ck_assert_double_eq_tol(r->rest[0], want[by], 1e-14);
            ck_assert(r->has_rest && !like->has_rest);
            rvm_kernel_rows_free(r);
            rvm_kernel_rows_free(like);
        }
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

/* x with itself: 9 + 16 + 4 of products; of the spline at 3, 1/2 and 2, with 1 + x^2 + x^3/3, 19
 * times 31/24 times 23/3, the input that the first rows lack among them. */
START_TEST(rows_with_themselves)
    {
        rvm_problem *p = rows_of("0 1:1 3:5\n"), *q = rows_of("0 1:3 2:-4 3:2\n0\n");
        rvm_problem *positive = rows_of("0 1:3 2:0.5 3:2\n0\n");
        for (rvm_combination by = RVM_BY_PRODUCTS; by <= RVM_BY_SPLINE; by++) {
            const double want[] = { 29, 0, 0, 19 * (31.0 / 24) * (23.0 / 3) };
            rvm_kernel_rows *like = laid_out(p, by, NULL, NULL);
            rvm_kernel_rows *r = laid_out(by == RVM_BY_SPLINE ? positive : q, by, NULL, like);
            ck_assert_double_eq_tol(r->twin[0], want[by], 1e-12);
            ck_assert_double_eq(r->twin[1], by == RVM_BY_SPLINE ? 1 : 0);
            rvm_kernel_rows_free(r);
            rvm_kernel_rows_free(like);
        }
        rvm_problem_free(p);
        rvm_problem_free(q);
        rvm_problem_free(positive);
    }
END_TEST

/* Values times the root of the weight, or times the weight for distances; features that are not
 * listed, or weigh nothing, are not there. */
START_TEST(weighted_rows)
    {
        rvm_problem *p = rows_of("0 0:3 1:2 4:5 7:-6 9:1e300\n0 4:-1 8:4\n");
        const int index[] = { 0, 4, 7, 8, 9 };
        const double weight[] = { 0.25, 4, 0, 16, 1e300 };
        const rvm_input_weights inputs = { 5, index, weight };
        for (rvm_combination by = RVM_BY_PRODUCTS; by <= RVM_BY_DISTANCES; by++) {
            const bool roots = by != RVM_BY_DISTANCES;
            rvm_kernel_rows *r = laid_out(p, by, &inputs, NULL);
            ck_assert_ptr_nonnull(r);
            const int original[] = { 0, 4, 8, 9 };
            ck_assert_uint_eq(r->features, 4);
            ck_assert_mem_eq(r->original, original, sizeof original);
            const double by_roots[] = { 1.5, 10, 0, DBL_MAX, 0, -2, 16, 0 };
            const double plain[] = { 0.75, 20, 0, DBL_MAX, 0, -4, 64, 0 };
            check_dense(r, roots ? by_roots : plain);
            rvm_problem *q = rows_of("0 0:1 3:1 4:1\n");
            rvm_kernel_rows *s = laid_out(q, by, &inputs, r);
            ck_assert_ptr_nonnull(s);
            ck_assert(!s->has_rest);
            const double other[] = { roots ? 0.5 : 0.25, roots ? 2 : 4, 0, 0 };
            check_dense(s, other);
            rvm_kernel_rows_free(s);
            rvm_problem_free(q);
            rvm_kernel_rows_free(r);
        }
        rvm_problem_free(p);
    }
END_TEST

/* The same rows multiplied by hand, dense and sparse; roots are exact. */
START_TEST(weights_are_scales)
    {
        rvm_problem *p = empty_problem(), *q = empty_problem();
        enum { N = 30, F = 90 };
        int index[F];
        double weight[F];
        for (int f = 0; f < F; f++) {
            index[f] = f + 1;
            weight[f] = f % 3 == 0 ? 4 : f % 3 == 1 ? 0.25 : 0;
        }
        for (size_t i = 0; i < N; i++) {
            double x[F] = { 0 }, y[F] = { 0 };
            const size_t step = _i == 0 ? 2 : 11;
            for (size_t f = i % step; f < F; f += step) {
                x[f] = sin((double)(f + F * i));
                y[f] = x[f] * sqrt(weight[f]);
            }
            append_dense(p, 0, x, F);
            append_dense(q, 0, y, F);
        }
        const rvm_input_weights inputs = { F, index, weight };
        rvm_kernel_rows *r = laid_out(p, RVM_BY_SQUARES, &inputs, NULL);
        rvm_kernel_rows *s = laid_out(q, RVM_BY_SQUARES, NULL, NULL);
        ck_assert(r != NULL && s != NULL);
        ck_assert_int_eq(r->dense, s->dense);
        ck_assert_int_eq(r->dense, _i == 0);
        ck_assert_uint_eq(r->features, s->features);
        for (size_t i = 0; i < N; i++)
            ck_assert_double_eq(r->self[i], s->self[i]);
        for (size_t i = 0; i < N && r->dense; i++)
            for (size_t f = 0; f < r->features; f++)
                ck_assert_double_eq(dense_value(r, i, f), dense_value(s, i, f));
        if (!r->dense)
            ck_assert_mem_eq(r->value, s->value, r->start[N] * sizeof *r->value);
        rvm_kernel_rows_free(r);
        rvm_kernel_rows_free(s);
        rvm_problem_free(p);
        rvm_problem_free(q);
    }
END_TEST

START_TEST(no_feature_at_all)
    {
        rvm_problem *p = rows_of("1\n2\n");
        for (rvm_combination by = RVM_BY_PRODUCTS; by <= RVM_BY_SPLINE; by++) {
            rvm_kernel_rows *r = laid_out(p, by, NULL, NULL);
            rvm_kernel_rows *q = laid_out(p, by, NULL, r);
            ck_assert(r != NULL && q != NULL);
            ck_assert_uint_eq(r->features, 0);
            ck_assert_uint_eq(q->count, 2);
            rvm_kernel_rows_free(q);
            rvm_kernel_rows_free(r);
        }
        rvm_problem_free(p);
        rvm_kernel_rows_free(NULL);
    }
END_TEST

Suite *kernel_rows_suite(void);
Suite *kernel_rows_suite(void)
{
    Suite *s = suite_create("kernel_rows");
    TCase *c = tcase_create("rows");
    tcase_add_test(c, features_are_numbered_by_those_that_occur);
    tcase_add_test(c, dense_rows_in_panels);
    tcase_add_test(c, many_features);
    tcase_add_test(c, rows_alone);
    tcase_add_test(c, unseen_features_go_into_rest);
    tcase_add_test(c, rows_with_themselves);
    tcase_add_test(c, weighted_rows);
    tcase_add_loop_test(c, weights_are_scales, 0, 2);
    tcase_add_test(c, no_feature_at_all);
    suite_add_tcase(s, c);
    return s;
}
