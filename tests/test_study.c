/* study.c: a part of the rows of a study. Targets and rows of whole studies are tested through
 * training, in test_train.c and beside it. */
#include <stdint.h>

#include "problems.h"
#include "search/study.h"
#include "suites.h"

enum { N = 40, PART = 9 };

static const size_t row[PART] = { 0, 3, 4, 11, 17, 18, 25, 30, 39 };

/* Kernel values of the part's basis: every candidate of the whole, at the rows of the part. */
static void check_columns(const rvm_study *part, const rvm_study *whole, int last)
{
    const size_t M = whole->basis.count;
    gsl_matrix *got = gsl_matrix_alloc(M, PART), *all = gsl_matrix_alloc(M, N);
    size_t *id = calloc(M, sizeof *id);
    double *norm = calloc(M, sizeof *norm);
    rvm_error err = { 0 };
    ck_assert(got != NULL && all != NULL && id != NULL && norm != NULL);
    for (size_t m = 0; m < M; m++)
        id[m] = m;
    ck_assert_uint_eq(part->basis.count, M);
    ck_assert_uint_eq(part->basis.N, PART);
    CHECK_OK(rvm_basis_strip(got, NULL, &part->basis, id, M, 0, 1, &err));
    CHECK_OK(rvm_basis_strip(all, NULL, &whole->basis, id, M, 0, 1, &err));
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < PART; n++) {
            const rvm_basis *b = &whole->basis;
            const double want = rvm_basis_is_bias(b, m)
                                    ? 1
                                    : kernel_by_formula(&b->kernel, whole->p, row[n], whole->p,
                                                        rvm_basis_row(b, m), last);
            check_close(gsl_matrix_get(got, m, n), want, 1e-14);
            ck_assert_double_eq(gsl_matrix_get(got, m, n), gsl_matrix_get(all, m, row[n]));
        }
    gsl_matrix_free(got);
    gsl_matrix_free(all);
    free(id);
    free(norm);
}

START_TEST(part_of_a_regression)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.7);
        rvm_problem *p = smooth_problem(N, 1);
        rvm_study whole, part;
        rvm_error err = { 0 };
        double squares = 0;
        CHECK_OK(rvm_study_init(&whole, p, &s, &s.kernel, 0, &err));
        CHECK_OK(rvm_study_part(&part, &whole, row, PART, &err));
        const rvm_observed *o = &part.observed, *all = &whole.observed;
        ck_assert_uint_eq(o->N, PART);
        ck_assert_ptr_eq(o->likelihood, &rvm_gaussian);
        ck_assert_ptr_null(o->row_weight);
        for (size_t n = 0; n < PART; n++) {
            ck_assert_double_eq(o->t[n], all->t[row[n]]);
            ck_assert_double_eq(part.p->target[n], whole.p->target[row[n]]);
            squares += all->t[row[n]] * all->t[row[n]];
        }
        check_close(o->t_squared, squares, 1e-15);
        ck_assert_double_eq(part.t_mean, whole.t_mean);
        ck_assert_double_eq(part.t_scale, whole.t_scale);
        /* Bounds of precisions are of columns of unit norm: N rows of 1 have norm sqrt(N). */
        check_close(rvm_study_ln_alpha(&part), -log(PART), 1e-14);
        check_close(o->bias_ln_alpha_max, -log(PART), 1e-14);
        check_close(o->ln_alpha_min, all->ln_alpha_min + log((double)N / PART), 1e-14);
        check_columns(&part, &whole, 3);
        rvm_study_free(&part);
        rvm_study_free(&whole);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(part_of_weighted_classes)
    {
        const rvm_class_weight weights[] = { { 1, 3 }, { -1, 0.5 } };
        rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_LAPLACIAN, 0.7);
        rvm_problem *p = cloud_problem(N, 1);
        rvm_study whole, part;
        rvm_error err = { 0 };
        double rows = 0;
        s.class_weights = weights;
        s.class_weight_count = 2;
        CHECK_OK(rvm_study_init(&whole, p, &s, &s.kernel, 1, &err));
        CHECK_OK(rvm_study_part(&part, &whole, row, PART, &err));
        const rvm_observed *o = &part.observed;
        for (size_t n = 0; n < PART; n++) {
            const bool first = whole.p->target[row[n]] == 1;
            ck_assert_double_eq(o->t[n], first ? 1 : 0);
            check_close(o->row_weight[n], first ? 1 : 0.5 / 3, 1e-15);
            rows += o->row_weight[n];
        }
        ck_assert_ptr_eq(part.basis.row_weight, o->row_weight);
        check_close(rvm_study_ln_alpha(&part), -log(rows), 1e-14);
        ck_assert_double_eq(o->bias_ln_alpha_max, INFINITY);
        check_columns(&part, &whole, 2);
        rvm_study_free(&part);
        rvm_study_free(&whole);
        rvm_problem_free(p);
    }
END_TEST

/* K(i, j) = 1 / (1 + |i - j|) written out: rows of a part still know the numbers of all. */
START_TEST(part_of_a_precomputed_kernel)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_PRECOMPUTED, 0);
        rvm_problem *p = empty_problem();
        rvm_study whole, part;
        rvm_error err = { 0 };
        for (size_t i = 0; i < N; i++) {
            int index[N + 1] = { 0 };
            double value[N + 1] = { (double)i + 1 };
            for (size_t j = 0; j < N; j++) {
                index[j + 1] = (int)j + 1;
                value[j + 1] = 1 / (1 + fabs((double)i - (double)j));
            }
            ck_assert(rvm_problem_append(p, sin((double)i), index, value, N + 1));
        }
        CHECK_OK(rvm_study_init(&whole, p, &s, &s.kernel, 0, &err));
        CHECK_OK(rvm_study_part(&part, &whole, row, PART, &err));
        ck_assert_uint_eq(whole.basis.count, N + 1);
        check_columns(&part, &whole, N);
        for (size_t n = 0; n < PART; n++) /* by hand, once: row 0 of the file is its row 1 */
            ck_assert_double_eq(part.p->target[n], sin(feature(part.p, n, 0) - 1));
        rvm_study_free(&part);
        rvm_study_free(&whole);
        rvm_problem_free(p);
    }
END_TEST

/* All features of the whole stay known, also those that no row of the part has. */
START_TEST(part_without_some_features)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.2);
        rvm_problem *p = rvm_problem_alloc();
        rvm_study whole, part;
        rvm_error err = { 0 };
        ck_assert_ptr_nonnull(p);
        for (int i = 0; i < N; i++) { /* row i has feature i % 7 + 1 only */
            const int index = i % 7 + 1;
            const double value = 1 + i / 10.0;
            ck_assert(rvm_problem_append(p, i % 3, &index, &value, 1));
        }
        CHECK_OK(rvm_study_init(&whole, p, &s, &s.kernel, 0, &err));
        CHECK_OK(rvm_study_part(&part, &whole, row, PART, &err));
        check_columns(&part, &whole, 7);
        rvm_study_free(&part);
        rvm_study_free(&whole);
        rvm_problem_free(p);
    }
END_TEST

/* What cannot be begun says so, and asks nothing of what is not there. */
START_TEST(rows_beyond_all_memory)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.7);
        rvm_problem *p = smooth_problem(N, 1);
        rvm_study whole;
        rvm_error err = { 0 };
        p->rows = SIZE_MAX / 4; /* their order alone would take twice all addresses */
        ck_assert_int_eq(rvm_study_init(&whole, p, &s, &s.kernel, 0, &err), RVM_ENOMEM);
        p->rows = N;
        rvm_problem_free(p);
    }
END_TEST

Suite *study_suite(void);
Suite *study_suite(void)
{
    Suite *s = suite_create("study");
    TCase *c = tcase_create("observe");
    tcase_add_test(c, part_of_a_regression);
    tcase_add_test(c, part_of_weighted_classes);
    tcase_add_test(c, part_of_a_precomputed_kernel);
    tcase_add_test(c, part_without_some_features);
    tcase_add_test(c, rows_beyond_all_memory);
    suite_add_tcase(s, c);
    return s;
}
