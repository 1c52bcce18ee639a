/* spacing.c: distances of rows, by hand. */
#include <check.h>
#include <math.h>

#include "basis/spacing.h"
#include "problems.h"
#include "suites.h"

/* On a line 0, 1, 3, 3, 7: to the nearest row that differs 1, 1, 2, 2, 4, as the laplacian kernel
 * has it; squares for rbf. */
START_TEST(nearest_rows)
    {
        rvm_problem *p = problem_from_text("0 1:0\n0 1:1\n0 1:3\n0 1:3\n0 1:7\n",
                                           (rvm_grammar){ .class_labels = false });
        ck_assert_double_eq(rvm_spacing_nearest(RVM_LAPLACIAN, p), 2);
        ck_assert_double_eq(rvm_spacing_nearest(RVM_RBF, p), 4);
        rvm_problem_free(p);
    }
END_TEST

static double typical(rvm_kernel_type type, const rvm_problem *p, const size_t *order, gsl_rng *rng)
{
    double distance = 0;
    ck_assert_int_eq(rvm_spacing_typical(&distance, type, p, order, rng, NULL), RVM_OK);
    return distance;
}

/* Two places: the only distance there is, 3 + 4 or 9 + 16, and the only product other than 0. */
START_TEST(typical_rows)
    {
        rvm_problem *p = problem_from_text("0 1:0\n0 2:3 5:4\n0 2:3 5:4\n0 1:0\n",
                                           (rvm_grammar){ .class_labels = false });
        const size_t order[] = { 0, 1, 2, 3 };
        gsl_rng *rng = random_numbers(1);
        ck_assert_double_eq(typical(RVM_LAPLACIAN, p, order, rng), 7);
        ck_assert_double_eq(typical(RVM_RBF, p, order, rng), 25);
        ck_assert_double_eq(typical(RVM_POLYNOMIAL, p, NULL, rng), 25);
        gsl_rng_free(rng);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(all_rows_alike)
    {
        rvm_problem *p =
            problem_from_text("0 1:2\n0 1:2\n", (rvm_grammar){ .class_labels = false });
        ck_assert_double_eq(rvm_spacing_nearest(RVM_RBF, p), 1);
        rvm_problem_free(p);
    }
END_TEST

Suite *spacing_suite(void);
Suite *spacing_suite(void)
{
    Suite *s = suite_create("spacing");
    TCase *c = tcase_create("spacing");
    tcase_add_test(c, nearest_rows);
    tcase_add_test(c, typical_rows);
    tcase_add_test(c, all_rows_alike);
    suite_add_tcase(s, c);
    return s;
}
