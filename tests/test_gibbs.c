#include <check.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnose.h"
#include "inference/gibbs.h"
#include "suites.h"

/* ---- A model with its arrays ------------------------------------------------------------------
 */

enum { MOST = 8 };

typedef struct {
    rvm_gibbs g;
    gsl_matrix *PhiT, *G;
    double t[MOST], unit[MOST];
    rvm_precision_prior alpha[MOST];
} toy;

static const rvm_precision_prior wide = { 1, 0, 0.5, 20 };
static const rvm_precision_prior noise = { 3, 2, 0.1, 20 };

static void toy_init(toy *y, size_t M, size_t N, const double *PhiT, bool classes)
{
    *y = (toy){ .PhiT = gsl_matrix_alloc(M, N), .G = gsl_matrix_calloc(M, M) };
    memcpy(y->PhiT->data, PhiT, M * N * sizeof *PhiT);
    for (size_t i = 0; i < M; i++) {
        y->unit[i] = 1 + 0.5 * (double)i;
        y->alpha[i] = wide;
        for (size_t j = 0; j < M; j++)
            for (size_t n = 0; n < N; n++)
                *gsl_matrix_ptr(y->G, i, j) += PhiT[i * N + n] * PhiT[j * N + n];
    }
    y->g = (rvm_gibbs){ .M = M,
                        .N = N,
                        .PhiT = y->PhiT,
                        .G = y->G,
                        .t = y->t,
                        .unit = y->unit,
                        .alpha = y->alpha,
                        .beta = noise,
                        .classes = classes,
                        .component = wide };
}

static void toy_free(toy *y)
{
    gsl_matrix_free(y->PhiT);
    gsl_matrix_free(y->G);
}

static rvm_precision_prior known(double x)
{
    return (rvm_precision_prior){ .low = x, .high = x };
}

static rvm_gibbs_chain start(const toy *y, unsigned long seed)
{
    const double alpha[MOST] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    rvm_gibbs_chain c;
    rvm_error err = { 0 };
    ck_assert_int_eq(rvm_gibbs_chain_init(&c, &y->g, alpha, 1, seed, &err), RVM_OK);
    return c;
}

static void draw(rvm_gibbs_chain *c)
{
    rvm_error err = { 0 };
    ck_assert_int_eq(rvm_gibbs_draw(c, &err), RVM_OK);
}

/* The mean of a series is `mean`, within what chance allows once in 15000 times. */
static void check_mean(const double *x, size_t draws, double mean)
{
    double size = 0;
    rvm_error err = { 0 };
    ck_assert_int_eq(rvm_effective_size(&size, x, 1, draws, &err), RVM_OK);
    const double sd = gsl_stats_sd(x, 1, draws), error = gsl_stats_mean(x, 1, draws) - mean;
    ck_assert_msg(fabs(error) <= 4 * sd / sqrt(size),
                  "mean %g, wanted %g, sd %g, effective size %g", gsl_stats_mean(x, 1, draws), mean,
                  sd, size);
}

/* ---- Closed forms -----------------------------------------------------------------------------
 */

/* Mean and covariance by numpy. */
START_TEST(known_precisions_of_a_regression)
    {
        enum { DRAWS = 20000 };
        const double PhiT[] = { 1, 0.5, -0.3, 0.8, -1.1, 0.2, -0.7, 1.0, 0.4, 0.6 };
        const double t[] = { 0.9, -0.2, 0.4, 1.3, -0.5 };
        const double mean[] = { 0.78089518, 0.51046137 };
        const double covariance[] = { 0.10356115, 0.02682403, 0.11623748 };
        static double x[5][DRAWS];
        toy y;
        toy_init(&y, 2, 5, PhiT, false);
        memcpy(y.t, t, sizeof t);
        y.alpha[0] = known(0.7);
        y.alpha[1] = known(2);
        y.g.beta = known(3);
        rvm_gibbs_chain c = start(&y, 1);
        for (size_t k = 0; k < DRAWS; k++) {
            draw(&c);
            for (size_t i = 0; i < 2; i++)
                x[i][k] = c.w[i];
            x[2][k] = (c.w[0] - mean[0]) * (c.w[0] - mean[0]);
            x[3][k] = (c.w[0] - mean[0]) * (c.w[1] - mean[1]);
            x[4][k] = (c.w[1] - mean[1]) * (c.w[1] - mean[1]);
        }
        for (size_t i = 0; i < 2; i++)
            check_mean(x[i], DRAWS, mean[i]);
        for (size_t i = 0; i < 3; i++)
            check_mean(x[2 + i], DRAWS, covariance[i]);
        ck_assert_double_eq(c.beta, 3);
        ck_assert_double_eq(c.alpha[1], 2);
        rvm_gibbs_chain_free(&c);
        toy_free(&y);
    }
END_TEST

/* One column three times, and priors so wide that there is no Cholesky factor: the sum of the
 * weights is that of least squares, 2 and 1 / beta. */
START_TEST(wide_priors_of_columns_that_are_one)
    {
        enum { DRAWS = 5000 };
        const double PhiT[] = { 0.6, 0.8, 0.6, 0.8, 0.6, 0.8 }, t[] = { 1.2, 1.6 };
        static double x[DRAWS], square[DRAWS];
        toy y;
        toy_init(&y, 3, 2, PhiT, false);
        memcpy(y.t, t, sizeof t);
        for (size_t i = 0; i < 3; i++)
            y.alpha[i] = known(1e-24);
        y.g.beta = known(4);
        rvm_gibbs_chain c = start(&y, 6);
        for (size_t k = 0; k < DRAWS; k++) {
            draw(&c);
            x[k] = c.f[0] / 0.6;
            square[k] = (x[k] - 2) * (x[k] - 2);
        }
        check_mean(x, DRAWS, 2);
        check_mean(square, DRAWS, 0.25);
        rvm_gibbs_chain_free(&c);
        toy_free(&y);
    }
END_TEST

static const double column[] = { 0.5, -1.2, 2.0, 0.3 };
static const double classes[] = { 1, 0, 1, 0 };

/* Moments of the weight of the only function by scipy.integrate.quad; the ellipse alone, the latent
 * variables alone, and all moves together. */
START_TEST(known_precisions_of_two_classes)
    {
        enum { DRAWS = 20000 };
        const double mean = 0.9277988861, variance = 0.4025080610;
        static double x[DRAWS], square[DRAWS];
        rvm_error err = { 0 };
        toy y;
        toy_init(&y, 1, 4, column, true);
        memcpy(y.t, classes, sizeof classes);
        y.alpha[0] = known(0.8);
        y.g.beta = known(1.7);
        rvm_gibbs_chain c = start(&y, 2);
        for (size_t k = 0; k < DRAWS; k++) {
            if (_i == 0) {
                rvm_gibbs_draw_ellipse(&c);
            } else if (_i == 1) {
                rvm_gibbs_draw_latent(&c);
                ck_assert_int_eq(rvm_gibbs_draw_weights(&c, &err), RVM_OK);
            } else {
                draw(&c);
            }
            x[k] = c.w[0];
            square[k] = (x[k] - mean) * (x[k] - mean);
            ck_assert_double_eq_tol(c.f[2], 2 * c.w[0], 1e-12);
        }
        check_mean(x, DRAWS, mean);
        check_mean(square, DRAWS, variance);
        rvm_gibbs_chain_free(&c);
        toy_free(&y);
    }
END_TEST

/* ln beta given w: mean and variance by scipy.integrate.quad. */
START_TEST(the_scale_of_two_classes)
    {
        enum { DRAWS = 20000 };
        const double mean = 0.5089503693, variance = 0.7038253577;
        static double x[DRAWS], square[DRAWS];
        toy y;
        toy_init(&y, 1, 4, column, true);
        memcpy(y.t, classes, sizeof classes);
        y.g.beta = (rvm_precision_prior){ 1.5, 0.7, 0.05, 30 };
        rvm_gibbs_chain c = start(&y, 3);
        c.w[0] = 0.9;
        rvm_gibbs_activate(&c);
        for (size_t k = 0; k < DRAWS; k++) {
            rvm_gibbs_draw_scale(&c);
            x[k] = log(c.beta);
            square[k] = (x[k] - mean) * (x[k] - mean);
        }
        check_mean(x, DRAWS, mean);
        check_mean(square, DRAWS, variance);
        rvm_gibbs_chain_free(&c);
        toy_free(&y);
    }
END_TEST

/* By scipy.stats: norm.logpdf, and norm.logcdf of 50 standard deviations. */
START_TEST(log_likelihoods)
    {
        const double PhiT[] = { 1, 0.5, -0.3, 0.8, -1.1, 0.2, -0.7, 1.0, 0.4, 0.6 };
        const double t[] = { 0.9, -0.2, 0.4, 1.3, -0.5 };
        double odds[4];
        toy y, z;
        toy_init(&y, 2, 5, PhiT, false);
        memcpy(y.t, t, sizeof t);
        y.g.beta = known(3);
        rvm_gibbs_chain c = start(&y, 4);
        c.w[0] = 0.4;
        c.w[1] = -0.2;
        rvm_gibbs_activate(&c);
        ck_assert_double_eq_tol(rvm_gibbs_log_likelihood(NULL, &c), -5.191361944353088, 1e-8);
        rvm_gibbs_chain_free(&c);
        toy_free(&y);

        toy_init(&z, 1, 4, column, true);
        memcpy(z.t, classes, sizeof classes);
        z.g.beta = known(1);
        c = start(&z, 4);
        c.w[0] = -25;
        rvm_gibbs_activate(&c);
        ck_assert_double_eq_tol(rvm_gibbs_log_likelihood(odds, &c), -1790.728572966507, 1e-6);
        ck_assert_double_eq_tol(odds[2], -1254.8313611394199, 1e-6);
        rvm_gibbs_chain_free(&c);
        toy_free(&z);
    }
END_TEST

/* ---- Joint distributions ----------------------------------------------------------------------
 */

static const double design[] = { 1.0,  0.4, -0.8, 0.3,  1.2, -0.5, /* three functions at six rows */
                                 -0.3, 1.1, 0.6,  -0.9, 0.2, 0.7,  0.5, 0.5, -0.2, 1.0, -1, 0.1 };

/* A draw of a prior whose bounds are not far out, by rejection. */
static double draw_prior(gsl_rng *rng, const rvm_precision_prior *p)
{
    if (p->low == p->high)
        return p->low;
    if (p->shape == 0) /* flat in the logarithm */
        return p->low * pow(p->high / p->low, gsl_rng_uniform(rng));
    for (;;) {
        const double x = p->rate > 0 ? gsl_ran_gamma(rng, p->shape, 1 / p->rate)
                                     : p->low + (p->high - p->low) * gsl_rng_uniform(rng);
        if (x >= p->low && x <= p->high)
            return x;
    }
}

/* Everything that is unknown, from the prior. */
static void draw_unknowns(rvm_gibbs_chain *c, gsl_rng *rng)
{
    const rvm_gibbs *g = c->g;
    c->beta = draw_prior(rng, &g->beta);
    c->share = gsl_ran_beta(rng, 0.5, 0.5);
    for (int j = 0; j < 2; j++)
        c->component[j] = draw_prior(rng, &g->component);
    for (size_t i = 0; i < g->M; i++) {
        c->which[i] = gsl_rng_uniform(rng) < c->share;
        c->alpha[i] = g->mixture && g->alpha[i].low < g->alpha[i].high
                          ? c->component[c->which[i]]
                          : draw_prior(rng, &g->alpha[i]);
        c->w[i] = gsl_ran_gaussian(rng, 1 / sqrt(c->alpha[i] * g->unit[i]));
    }
    rvm_gibbs_activate(c);
}

static void draw_targets(toy *y, const rvm_gibbs_chain *c, gsl_rng *rng)
{
    for (size_t n = 0; n < y->g.N; n++) {
        y->t[n] = c->f[n] + gsl_ran_gaussian(rng, 1 / sqrt(c->beta));
        if (y->g.classes)
            y->t[n] = y->t[n] > 0;
        else
            c->z[n] = y->t[n];
    }
}

enum { ASPECTS = 8 }; /* the last two of a mixture alone */

static size_t aspects(const toy *y)
{
    return y->g.mixture ? ASPECTS : ASPECTS - 2;
}

static void look(double x[ASPECTS], const rvm_gibbs_chain *c)
{
    x[0] = c->w[0];
    x[1] = c->w[1] * c->w[1];
    x[2] = log(c->alpha[0]);
    x[3] = log(c->alpha[2]);
    x[4] = log(c->beta);
    x[5] = c->f[3] * c->f[3] * c->beta;
    x[6] = c->share;
    x[7] = log(c->component[0]);
}

/* Regression and two classes; both with the mixture; both with priors flat in ln alpha; and so a
 * mixture of which one alpha is known. */
enum { CASES = 7 };
static void toy_of_case(toy *y, int which)
{
    toy_init(y, 3, 6, design, which % 2 == 1);
    y->g.mixture = which == 2 || which == 3 || which == 6;
    for (size_t i = 0; i < 3 && which >= 4; i++)
        y->alpha[i].shape = 0;
    if (which >= 4)
        y->g.component.shape = 0;
    if (which == 6)
        y->alpha[1] = known(3);
}

/* Geweke (2004): targets given the unknowns and the unknowns given the targets, in turn; what is
 * seen of the unknowns must then be the prior. */
START_TEST(joint_distribution)
    {
        enum { DRAWS = 20000 };
        static double here[ASPECTS][DRAWS];
        double x[ASPECTS], sum[ASPECTS] = { 0 };
        gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
        toy y;
        gsl_rng_set(rng, 11 + (unsigned long)_i);
        toy_of_case(&y, _i);
        rvm_gibbs_chain c = start(&y, 5);
        for (size_t k = 0; k < 20 * DRAWS;
             k++) { /* the prior to a fifth of the error of the rest */
            draw_unknowns(&c, rng);
            look(x, &c);
            for (size_t a = 0; a < ASPECTS; a++)
                sum[a] += x[a] / (20 * DRAWS);
        }
        for (size_t k = 0; k < DRAWS; k++) {
            draw_targets(&y, &c, rng);
            draw(&c);
            look(x, &c);
            for (size_t a = 0; a < ASPECTS; a++)
                here[a][k] = x[a];
        }
        for (size_t a = 0; a < aspects(&y); a++)
            check_mean(here[a], DRAWS, sum[a]);
        rvm_gibbs_chain_free(&c);
        toy_free(&y);
        gsl_rng_free(rng);
    }
END_TEST

/* How many of `draws` draws, far from one another, of the posterior of targets made from the prior
 * are below what the targets were made from. */
static void rank(size_t ranks[ASPECTS], toy *y, gsl_rng *rng, size_t draws)
{
    double truth[ASPECTS], x[ASPECTS];
    rvm_gibbs_chain c = start(y, gsl_rng_get(rng));
    draw_unknowns(&c, rng);
    look(truth, &c);
    draw_targets(y, &c, rng);
    draw_unknowns(&c, rng); /* the chain begins elsewhere */
    for (size_t a = 0; a < ASPECTS; a++)
        ranks[a] = 0;
    for (size_t k = 0; k < 200 + 20 * draws; k++) {
        draw(&c);
        if (k < 200 || k % 20 != 0)
            continue;
        look(x, &c);
        for (size_t a = 0; a < ASPECTS; a++)
            ranks[a] += x[a] < truth[a];
    }
    rvm_gibbs_chain_free(&c);
}

/* Simulation-based calibration (Talts et al. 2018): these ranks are uniform. */
START_TEST(ranks_are_uniform)
    {
        enum { DRAWS = 7, BINS = DRAWS + 1, TIMES = 240 };
        size_t count[ASPECTS][BINS] = { 0 }, ranks[ASPECTS];
        gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
        toy y;
        gsl_rng_set(rng, 21 + (unsigned long)_i);
        toy_of_case(&y, _i);
        for (int k = 0; k < TIMES; k++) {
            rank(ranks, &y, rng, DRAWS);
            for (size_t a = 0; a < ASPECTS; a++)
                count[a][ranks[a]]++;
        }
        for (size_t a = 0; a < aspects(&y); a++) {
            double chi2 = 0;
            for (size_t b = 0; b < BINS; b++)
                chi2 += pow((double)count[a][b] - (double)TIMES / BINS, 2) / ((double)TIMES / BINS);
            ck_assert_double_gt(gsl_cdf_chisq_Q(chi2, BINS - 1), 1e-3);
        }
        toy_free(&y);
        gsl_rng_free(rng);
    }
END_TEST

/* The square of 1e200 is no number: neither is there a rate for the precision of the noise. */
START_TEST(draws_out_of_range_are_refused)
    {
        const double PhiT[] = { 1, 0.5, -0.3, 0.8, -1.1, 0.2, -0.7, 1.0, 0.4, 0.6 };
        rvm_error err = { 0 };
        toy y;
        toy_init(&y, 2, 5, PhiT, false);
        y.t[1] = 1e200;
        rvm_gibbs_chain c = start(&y, 1);
        ck_assert_int_eq(rvm_gibbs_draw(&c, &err), RVM_ENUMERIC);
        ck_assert_msg(strstr(err.message, "range") != NULL, "%s", err.message);
        rvm_gibbs_chain_free(&c);
        toy_free(&y);
    }
END_TEST

/* The same seed, the same draws; another seed, others. */
START_TEST(seeds)
    {
        toy y;
        toy_of_case(&y, 1);
        memcpy(y.t, (double[]){ 1, 0, 0, 1, 1, 0 }, 6 * sizeof *y.t);
        rvm_gibbs_chain a = start(&y, 7), b = start(&y, 7), c = start(&y, 8);
        for (int k = 0; k < 3; k++) {
            draw(&a);
            draw(&b);
            draw(&c);
        }
        for (size_t i = 0; i < 3; i++) {
            ck_assert_double_eq(a.w[i], b.w[i]);
            ck_assert_double_ne(a.w[i], c.w[i]);
        }
        rvm_gibbs_chain_free(&a);
        rvm_gibbs_chain_free(&b);
        rvm_gibbs_chain_free(&c);
        toy_free(&y);
    }
END_TEST

Suite *gibbs_suite(void)
{
    Suite *s = suite_create("gibbs");
    TCase *c = tcase_create("draws");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, known_precisions_of_a_regression);
    tcase_add_test(c, wide_priors_of_columns_that_are_one);
    tcase_add_loop_test(c, known_precisions_of_two_classes, 0, 3);
    tcase_add_test(c, the_scale_of_two_classes);
    tcase_add_test(c, log_likelihoods);
    tcase_add_loop_test(c, joint_distribution, 0, CASES);
    tcase_add_loop_test(c, ranks_are_uniform, 0, CASES);
    tcase_add_test(c, seeds);
    tcase_add_test(c, draws_out_of_range_are_refused);
    suite_add_tcase(s, c);
    return s;
}
