/* diagnose.c: against the formulas written down plainly in numpy, and where the answer is known. */
#include "base/diagnose.h"

#include <stdint.h>

#include "problems.h"
#include "suites.h"

enum { MOST = 600 };

static double effective_size(const double *x, size_t chains, size_t draws)
{
    double size = -1;
    rvm_error err = { 0 };
    CHECK_OK(rvm_effective_size(&size, x, chains, draws, &err));
    return size;
}

/* ---- Series that any language makes alike ---------------------------------------------------- */

static void sines(double *x, size_t count)
{
    for (size_t k = 0; k < count; k++)
        x[k] = sin((double)k * (double)k);
}

/* y <- rho y + u - 1/2 from y = 0 in each chain, u by a congruential generator that goes on. */
static void recurrence(double *x, size_t chains, size_t draws, double rho)
{
    uint32_t state = 12345;
    for (size_t c = 0; c < chains; c++) {
        double y = 0;
        for (size_t i = 0; i < draws; i++) {
            state = state * 1664525 + 1013904223;
            y = rho * y + (state / 4294967296.0 - 0.5);
            x[c * draws + i] = y;
        }
    }
}

static void normal_draws(double *x, size_t chains, size_t draws, double rho, unsigned long seed)
{
    gsl_rng *rng = random_numbers(seed);
    for (size_t c = 0; c < chains; c++) {
        double y = gsl_ran_gaussian(rng, 1);
        for (size_t i = 0; i < draws; i++) {
            x[c * draws + i] = y;
            y = rho * y + gsl_ran_gaussian(rng, sqrt(1 - rho * rho));
        }
    }
    gsl_rng_free(rng);
}

/* ---- Numbers from elsewhere ------------------------------------------------------------------ */

/* numpy: halves stacked as rows h of n, W = h.var(1, ddof=1).mean(), var+ = (n - 1) / n W +
 * h.mean(1).var(ddof=1), rho_t = 1 - ((h[:, t:] - h[:, :-t])**2).mean() / (2 var+), a loop over t.
 */
static const struct {
    double rho; /* 0: sines */
    size_t chains, draws;
    double shift; /* of the last chain */
    double rhat, size;
} known[] = {
    { 0, 3, 40, 0, 0.9886150165361282, 134.35578677445915 },
    { 0, 3, 41, 0, 0.9877668155800944, 139.1596450658677 },
    { 0.8, 4, 60, 0, 1.2541382564376047, 17.472375876206065 },
    { 0.8, 4, 60, 3, 3.9703083909749464, 4.412754763807885 },
    { -0.6, 2, 51, 0, 0.9812318821499568, 204.87721751971557 },
    { 0.97, 3, 200, 0, 1.1404875973896083, 14.045937175616947 },
    { -0.95, 2, 300, 0, 0.9967293123145847, 1666.8907502301863 }, /* 600 log10(600) */
};

enum { KNOWN = sizeof known / sizeof *known };

START_TEST(agrees_with_plain_formulas)
    {
        const size_t chains = known[_i].chains, draws = known[_i].draws;
        double x[MOST];
        ck_assert(chains * draws <= MOST);
        if (known[_i].rho == 0)
            sines(x, chains * draws);
        else
            recurrence(x, chains, draws, known[_i].rho);
        for (size_t i = 0; i < draws; i++)
            x[(chains - 1) * draws + i] += known[_i].shift;
        check_close(rvm_split_rhat(x, chains, draws), known[_i].rhat, 1e-12);
        check_close(effective_size(x, chains, draws), known[_i].size, 1e-10);
    }
END_TEST

/* One chain, 1 2 4 | 3 5 8: means 7/3 and 16/3, variances 7/3 and 19/3, so W = 13/3, B / n = 9/2,
 * var+ = 2/3 13/3 + 9/2 = 133/18; V_1 = (1 + 4 + 4 + 9) / 4 = 9/2, rho_1 = 1 - 9/4 18/133 =
 * 185/266. */
START_TEST(smallest_by_hand)
    {
        const double x[] = { 1, 2, 4, 3, 5, 8 }, seven[] = { 1, 2, 4, 1e9, 3, 5, 8 };
        check_close(rvm_split_rhat(x, 1, 6), sqrt(133. / 18 * 3 / 13), 1e-14);
        check_close(rvm_split_rhat(seven, 1, 7), sqrt(133. / 18 * 3 / 13), 1e-14);
        check_close(effective_size(x, 1, 6), 6 / (1 + 2 * 185. / 266), 1e-14);
        check_close(effective_size(seven, 1, 7), 7 / (1 + 2 * 185. / 266), 1e-14);
    }
END_TEST

START_TEST(halves_are_enough_for_rhat)
    {
        const double mean[] = { 7. / 3, 16. / 3 }, variance[] = { 7. / 3, 19. / 3 };
        const double same[] = { 0.1, 0.1 }, none[] = { 0, 0 };
        check_close(rvm_rhat_of_halves(mean, variance, 2, 3), sqrt(133. / 18 * 3 / 13), 1e-14);
        ck_assert_double_eq(rvm_rhat_of_halves(same, none, 2, 3), 1);
        ck_assert(isinf(rvm_rhat_of_halves(mean, none, 2, 3)));
    }
END_TEST

/* ---- Known answers --------------------------------------------------------------------------- */

/* (1 - rho) / (1 + rho) of all draws of an autoregressive chain; rho = 0: independent ones. */
START_TEST(size_of_autoregressive_chains)
    {
        const double rho[] = { 0, 0.5, 0.9, -0.3 };
        enum { CHAINS = 4, LONG = 25000 };
        double *x = calloc(CHAINS * LONG, sizeof *x);
        ck_assert_ptr_nonnull(x);
        for (size_t k = 0; k < sizeof rho / sizeof *rho; k++) {
            const double want = CHAINS * LONG * (1 - rho[k]) / (1 + rho[k]);
            normal_draws(x, CHAINS, LONG, rho[k], 3 + k);
            const double got = effective_size(x, CHAINS, LONG);
            ck_assert_msg(fabs(got / want - 1) < 0.1, "rho %g: %g, not %g", rho[k], got, want);
            ck_assert_double_lt(fabs(rvm_split_rhat(x, CHAINS, LONG) - 1), 0.005);
        }
        free(x);
    }
END_TEST

START_TEST(nothing_varies)
    {
        double x[MOST];
        for (size_t i = 0; i < MOST; i++)
            x[i] = 0.1;
        ck_assert_double_eq(rvm_split_rhat(x, 3, 200), 1);
        ck_assert_double_eq(effective_size(x, 3, 200), MOST);
    }
END_TEST

/* All lags are correlated wholly, so that there is about one draw in two halves: n = 100 each, sum
 * of rho n, size 600 / (2 n - 1). */
START_TEST(each_chain_stays_where_it_is)
    {
        double x[MOST];
        for (size_t i = 0; i < MOST; i++)
            x[i] = 0.1 * (double)(1 + i / 200);
        ck_assert(isinf(rvm_split_rhat(x, 3, 200)));
        check_close(effective_size(x, 3, 200), 600. / 199, 1e-12);
    }
END_TEST

/* A chain that is 3 sd off among 4: B / n is 9 (1/4) (3/4) (8/7). A trend shows in the halves. */
START_TEST(chains_that_disagree)
    {
        enum { LONG = 2000 };
        double *x = calloc(4 * LONG, sizeof *x);
        ck_assert_ptr_nonnull(x);
        normal_draws(x, 4, LONG, 0, 4);
        for (size_t i = 0; i < LONG; i++)
            x[2 * LONG + i] += 3;
        check_close(rvm_split_rhat(x, 4, LONG), sqrt(1 + 27. / 14), 0.02);
        ck_assert_double_lt(effective_size(x, 4, LONG), 10);

        normal_draws(x, 4, LONG, 0, 5);
        for (size_t i = 0; i < 4 * LONG; i++)
            x[i] += 4 * (double)(i % LONG) / LONG;
        ck_assert_double_gt(rvm_split_rhat(x, 4, LONG), 1.3);
        free(x);
    }
END_TEST

/* Neither unit nor origin nor the order of the chains matters. */
START_TEST(invariances)
    {
        enum { DRAWS = 60 };
        double x[4 * DRAWS], y[4 * DRAWS];
        recurrence(x, 4, DRAWS, 0.8);
        const double rhat = rvm_split_rhat(x, 4, DRAWS), size = effective_size(x, 4, DRAWS);
        for (size_t i = 0; i < 4 * DRAWS; i++)
            y[i] = 1e6 - 1e-3 * x[(i + DRAWS) % (4 * DRAWS)];
        check_close(rvm_split_rhat(y, 4, DRAWS), rhat, 1e-6);
        check_close(effective_size(y, 4, DRAWS), size, 1e-5);
        for (size_t i = 0; i < 4 * DRAWS; i++)
            y[i] = 0x1p300 * x[i];
        ck_assert_double_eq(rvm_split_rhat(y, 4, DRAWS), rhat);
        ck_assert_double_eq(effective_size(y, 4, DRAWS), size);
    }
END_TEST

START_TEST(what_is_not_finite_shows)
    {
        const double bad[] = { NAN, INFINITY, -INFINITY, 1e200 };
        double x[80];
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            sines(x, 80);
            x[57] = bad[k];
            ck_assert(isnan(rvm_split_rhat(x, 2, 40)));
            ck_assert(isnan(effective_size(x, 2, 40)));
        }
    }
END_TEST

Suite *diagnose_suite(void)
{
    Suite *s = suite_create("diagnose");
    TCase *c = tcase_create("diagnose");
    tcase_add_loop_test(c, agrees_with_plain_formulas, 0, KNOWN);
    tcase_add_test(c, smallest_by_hand);
    tcase_add_test(c, halves_are_enough_for_rhat);
    tcase_add_test(c, size_of_autoregressive_chains);
    tcase_add_test(c, nothing_varies);
    tcase_add_test(c, each_chain_stays_where_it_is);
    tcase_add_test(c, chains_that_disagree);
    tcase_add_test(c, invariances);
    tcase_add_test(c, what_is_not_finite_shows);
    suite_add_tcase(s, c);
    return s;
}
