/* lbfgs.c: directions for a quadratic function, where Newton's are known. */
#include "base/lbfgs.h"
#include "problems.h"
#include "suites.h"

enum { D = 3 };

/* -1/2 x'Ax + b'x; its maximum is A^-1 b = (0.5, -2, 1). */
static const double A[D][D] = { { 4, 1, 0.5 }, { 1, 3, -0.25 }, { 0.5, -0.25, 2 } };
static const double top[D] = { 0.5, -2, 1 };

static void gradient_at(double *g, const double *x)
{
    for (size_t i = 0; i < D; i++) {
        g[i] = 0;
        for (size_t j = 0; j < D; j++)
            g[i] += A[i][j] * (top[j] - x[j]);
    }
}

START_TEST(first_direction_is_the_gradient)
    {
        const double g[D] = { 2.385, -0.5, 7.25 };
        double direction[D];
        rvm_lbfgs b;
        ck_assert(rvm_lbfgs_init(&b, D));
        rvm_lbfgs_direction(direction, &b, g);
        for (size_t i = 0; i < D; i++)
            ck_assert_double_eq(direction[i], g[i]);
        rvm_lbfgs_free(&b);
    }
END_TEST

/* With exact line searches BFGS is there after as many steps as there are coordinates, and knows
 * the inverse of A along all it has seen. */
START_TEST(quadratic_in_as_many_steps_as_coordinates)
    {
        double x[D] = { -3.1, 0.7, 4.6 }, g[D], after[D], direction[D];
        rvm_lbfgs b;
        ck_assert(rvm_lbfgs_init(&b, D));
        gradient_at(g, x);
        for (int k = 0; k < D; k++) {
            double along = 0, curvature = 0;
            rvm_lbfgs_direction(direction, &b, g);
            for (size_t i = 0; i < D; i++) {
                along += direction[i] * g[i];
                for (size_t j = 0; j < D; j++)
                    curvature += direction[i] * A[i][j] * direction[j];
            }
            ck_assert(along > 0);
            for (size_t i = 0; i < D; i++) {
                direction[i] *= along / curvature;
                x[i] += direction[i];
            }
            gradient_at(after, x);
            rvm_lbfgs_learn(&b, direction, g, after);
            memcpy(g, after, sizeof g);
        }
        for (size_t i = 0; i < D; i++)
            check_close(x[i], top[i], 1e-10);
        const double away[D] = { 1.5, 0.25, -2 };
        for (size_t i = 0; i < D; i++)
            x[i] = top[i] - away[i];
        gradient_at(g, x);
        rvm_lbfgs_direction(direction, &b, g);
        for (size_t i = 0; i < D; i++)
            check_close(direction[i], away[i], 1e-8);
        rvm_lbfgs_free(&b);
    }
END_TEST

/* The pair that was learned last is satisfied, however many came before it; one along which the
 * gradient rises changes nothing. */
START_TEST(last_pair_counts)
    {
        rvm_lbfgs b;
        gsl_rng *rng = random_numbers(7);
        double x[D] = { 0, 0, 0 }, g[D], after[D], move[D], direction[D], again[D];
        ck_assert(rvm_lbfgs_init(&b, D));
        gradient_at(g, x);
        for (int k = 0; k < 2 * RVM_LBFGS_PAIRS + 3; k++) {
            for (size_t i = 0; i < D; i++) {
                move[i] = gsl_ran_gaussian(rng, 1);
                x[i] += move[i];
            }
            gradient_at(after, x);
            rvm_lbfgs_learn(&b, move, g, after);
            double turn[D];
            for (size_t i = 0; i < D; i++)
                turn[i] = g[i] - after[i];
            rvm_lbfgs_direction(direction, &b, turn);
            for (size_t i = 0; i < D; i++)
                check_close(direction[i], move[i], 1e-9);
            memcpy(g, after, sizeof g);
        }
        ck_assert_uint_eq(b.count, RVM_LBFGS_PAIRS);
        rvm_lbfgs_direction(direction, &b, g);
        for (size_t i = 0; i < D; i++)
            after[i] = g[i] + move[i];
        rvm_lbfgs_learn(&b, move, g, after);
        rvm_lbfgs_direction(again, &b, g);
        for (size_t i = 0; i < D; i++)
            ck_assert_double_eq(again[i], direction[i]);
        rvm_lbfgs_reset(&b);
        rvm_lbfgs_direction(again, &b, g);
        for (size_t i = 0; i < D; i++)
            ck_assert_double_eq(again[i], g[i]);
        gsl_rng_free(rng);
        rvm_lbfgs_free(&b);
    }
END_TEST

Suite *lbfgs_suite(void)
{
    Suite *s = suite_create("lbfgs");
    TCase *c = tcase_create("lbfgs");
    tcase_add_test(c, first_direction_is_the_gradient);
    tcase_add_test(c, quadratic_in_as_many_steps_as_coordinates);
    tcase_add_test(c, last_pair_counts);
    suite_add_tcase(s, c);
    return s;
}
