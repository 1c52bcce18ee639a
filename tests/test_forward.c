/* forward.c against plain substitution and by a case of whole numbers; columns on their own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/forward.h"
#include "problems.h"
#include "suites.h"

enum { LANES = RVM_FORWARD_LANES };

/* A panel is 6 columns wide. */
static const size_t sizes[] = { 1, 5, 6, 7, 13, 100 };
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Packed, of condition some 10. */
static double *random_triangle(size_t K, gsl_rng *rng)
{
    double *R = calloc(K * (K + 1) / 2, sizeof *R), *at = R;

    ck_assert_ptr_nonnull(R);
    for (size_t i = 0; i < K; i++)
        for (size_t j = i; j < K; j++)
            *at++ = j == i ? 1 + gsl_rng_uniform(rng) : gsl_ran_gaussian(rng, 1) / (double)K;
    return R;
}

/* Random numbers above what must not be looked at. */
static double *random_columns(const rvm_forward *f, size_t tiles, gsl_rng *rng)
{
    double *v = calloc(tiles * f->padded * LANES, sizeof *v);

    ck_assert_ptr_nonnull(v);
    for (size_t t = 0; t < tiles; t++)
        for (size_t i = 0; i < f->padded * LANES; i++)
            v[t * f->padded * LANES + i] = i < f->K * LANES ? gsl_ran_gaussian(rng, 1) : NAN;
    return v;
}

static double product_error(const double *R, size_t K, const double *v, const double *phi, size_t r)
{
    double worst = 0;

    for (size_t j = 0; j < K; j++) {
        long double sum = -(long double)phi[j * LANES + r];

        for (size_t i = 0; i <= j; i++)
            sum += (long double)R[i * K - i * (i + 1) / 2 + j] * v[i * LANES + r];
        worst = fmax(worst, fabs((double)sum));
    }
    return worst;
}

/* R' v gives phi back. */
START_TEST(the_product_is_the_right_hand_side)
    {
        enum { TILES = 3 };
        const size_t K = sizes[_i];
        gsl_rng *rng = random_numbers(K);
        double *R = random_triangle(K, rng);
        rvm_forward f = { 0 };

        ck_assert(rvm_forward_init(&f, R, K));
        ck_assert_uint_ge(f.padded, K);
        const size_t length = f.padded * LANES;
        double *phi = random_columns(&f, TILES, rng), *v = malloc(TILES * length * sizeof *v);
        ck_assert_ptr_nonnull(v);
        memcpy(v, phi, TILES * length * sizeof *v);
        rvm_forward_solve(v, TILES, &f);
        for (size_t t = 0; t < TILES; t++)
            for (size_t r = 0; r < LANES; r++) {
                ck_assert_double_le(product_error(R, K, v + t * length, phi + t * length, r),
                                    1e-14);
            }
        rvm_forward_clear(&f);
        ck_assert_ptr_null(f.panel);
        free(R);
        free(phi);
        free(v);
        gsl_rng_free(rng);
    }
END_TEST

/* 1 on the diagonal, -1 right of it, phi = 1: v_j = 2^j. */
START_TEST(powers_of_two)
    {
        enum { K = 20 };
        double R[K * (K + 1) / 2], *at = R;
        rvm_forward f = { 0 };

        for (size_t i = 0; i < K; i++)
            for (size_t j = i; j < K; j++)
                *at++ = j == i ? 1 : -1;
        ck_assert(rvm_forward_init(&f, R, K));
        double *v = calloc(f.padded * LANES, sizeof *v);
        ck_assert_ptr_nonnull(v);
        for (size_t i = 0; i < K * LANES; i++)
            v[i] = 1;
        rvm_forward_solve(v, 1, &f);
        for (size_t j = 0; j < K; j++)
            for (size_t r = 0; r < LANES; r++)
                ck_assert_double_eq(v[j * LANES + r], ldexp(1, (int)j));
        rvm_forward_clear(&f);
        free(v);
    }
END_TEST

/* Wherever a column stands, and beside whatever, infinities too, its solution is the same. */
START_TEST(a_column_stands_alone)
    {
        enum { TILES = 2, COLUMNS = TILES * LANES };
        const size_t K = sizes[_i];
        gsl_rng *rng = random_numbers(K + 1);
        double *R = random_triangle(K, rng);
        rvm_forward f = { 0 };

        ck_assert(rvm_forward_init(&f, R, K));
        const size_t length = f.padded * LANES;
        double *all = random_columns(&f, TILES, rng),
               *turned = malloc(TILES * length * sizeof *all);
        double *alone = calloc(length, sizeof *alone);
        ck_assert(turned != NULL && alone != NULL);
        for (size_t c = 0; c < COLUMNS; c++) /* column 5 c + 3 mod 16 of `turned` is column c */
            for (size_t i = 0; i < f.padded; i++) {
                const size_t to = (5 * c + 3) % COLUMNS;

                turned[to / LANES * length + i * LANES + to % LANES] =
                    all[c / LANES * length + i * LANES + c % LANES];
            }
        for (size_t i = 0; i < K * LANES; i++)
            alone[i] = i % LANES == 6 ? all[i] : INFINITY;
        rvm_forward_solve(all, TILES, &f);
        rvm_forward_solve(turned, TILES, &f);
        rvm_forward_solve(alone, 1, &f);
        for (size_t i = 0; i < K; i++) {
            for (size_t c = 0; c < COLUMNS; c++) {
                const size_t to = (5 * c + 3) % COLUMNS;

                ck_assert_double_eq(turned[to / LANES * length + i * LANES + to % LANES],
                                    all[c / LANES * length + i * LANES + c % LANES]);
            }
            ck_assert_double_eq(alone[i * LANES + 6], all[i * LANES + 6]);
        }
        rvm_forward_clear(&f);
        free(R);
        free(all);
        free(turned);
        free(alone);
        gsl_rng_free(rng);
    }
END_TEST

START_TEST(no_functions_at_all)
    {
        rvm_forward f = { 0 };

        rvm_forward_clear(&f);
        ck_assert(rvm_forward_init(&f, NULL, 0));
        ck_assert_uint_eq(f.padded, 0);
        rvm_forward_solve(NULL, 0, &f);
        rvm_forward_clear(&f);
        ck_assert(!rvm_forward_init(&f, NULL, SIZE_MAX));
        ck_assert_ptr_null(f.panel);
    }
END_TEST

Suite *forward_suite(void);
Suite *forward_suite(void)
{
    Suite *suite = suite_create("forward");
    TCase *tc = tcase_create("forward");

    tcase_add_loop_test(tc, the_product_is_the_right_hand_side, 0, SIZES);
    tcase_add_test(tc, powers_of_two);
    tcase_add_loop_test(tc, a_column_stands_alone, 0, SIZES);
    tcase_add_test(tc, no_functions_at_all);
    suite_add_tcase(suite, tc);
    return suite;
}
