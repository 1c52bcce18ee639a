/* Gibbs sampling of the posterior of weights, precisions and noise: one chain. */
#include "inference/gibbs.h"

#include <float.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/linalg.h"
#include "base/stack.h"
#include "base/truncated.h"
#include "inference/probability.h"

enum { ELLIPSES = 4 }; /* of a draw: together they take less time than its factor */

static double within(double x, const rvm_precision_prior *p)
{
    return fmin(fmax(x, p->low), p->high);
}

/* Those of known precision stay out of the mixture. */
static bool in_mixture(const rvm_gibbs_chain *c, size_t i)
{
    return c->g->mixture && c->g->alpha[i].low < c->g->alpha[i].high;
}

/* ---- Life ----------------------------------------------------------------------------------- */

static rvm_status alloc_parts(rvm_gibbs_chain *c, rvm_error *err)
{
    const size_t M = c->g->M, N = c->g->N;
    c->rng = gsl_rng_alloc(gsl_rng_mt19937);
    c->w = rvm_array(M, sizeof *c->w);
    c->alpha = rvm_array(M, sizeof *c->alpha);
    c->z = rvm_array(N, sizeof *c->z);
    c->f = rvm_array(N, sizeof *c->f);
    c->which = rvm_array(M, sizeof *c->which);
    c->H = gsl_matrix_alloc(M, M);
    c->v = rvm_array(M, sizeof *c->v);
    c->scale = rvm_array(M, sizeof *c->scale);
    c->far = rvm_array(N, sizeof *c->far);
    c->trial = rvm_array(N, sizeof *c->trial);
    if (c->rng == NULL || c->w == NULL || c->alpha == NULL || c->z == NULL || c->f == NULL ||
        c->which == NULL || c->H == NULL || c->v == NULL || c->scale == NULL || c->far == NULL ||
        c->trial == NULL)
        return rvm_fail_memory(err, "a chain");
    return RVM_OK;
}

rvm_status rvm_gibbs_chain_init(rvm_gibbs_chain *c, const rvm_gibbs *g, const double *alpha,
                                double beta, unsigned long seed, rvm_error *err)
{
    *c = (rvm_gibbs_chain){ .g = g, .beta = within(beta, &g->beta), .share = 0.5 };
    const rvm_status status = alloc_parts(c, err);
    if (status != RVM_OK) {
        rvm_gibbs_chain_free(c);
        return status;
    }
    gsl_rng_set(c->rng, seed);
    c->component[0] = g->component.high;
    c->component[1] = g->component.low;
    for (size_t i = 0; i < g->M; i++) {
        c->alpha[i] = within(alpha[i], &g->alpha[i]);
        c->which[i] = c->alpha[i] * c->alpha[i] < c->component[0] * c->component[1];
        if (in_mixture(c, i))
            c->alpha[i] = c->component[c->which[i]];
    }
    memcpy(c->z, g->t, g->N * sizeof *c->z);
    return RVM_OK;
}

void rvm_gibbs_chain_free(rvm_gibbs_chain *c)
{
    if (c->rng != NULL)
        gsl_rng_free(c->rng);
    free(c->w);
    free(c->alpha);
    free(c->z);
    free(c->f);
    free(c->which);
    gsl_matrix_free(c->H);
    free(c->v);
    free(c->scale);
    free(c->far);
    free(c->trial);
    *c = (rvm_gibbs_chain){ 0 };
}

/* f := Phi w */
static void apply(double *f, const rvm_gibbs *g, const double *w)
{
    gsl_matrix_const_view PhiT = gsl_matrix_const_submatrix(g->PhiT, 0, 0, g->M, g->N);
    gsl_vector_const_view weights = gsl_vector_const_view_array(w, g->M);
    gsl_vector_view out = gsl_vector_view_array(f, g->N);
    gsl_blas_dgemv(CblasTrans, 1, &PhiT.matrix, &weights.vector, 0, &out.vector);
}

void rvm_gibbs_activate(rvm_gibbs_chain *c)
{
    apply(c->f, c->g, c->w);
}

/* ---- The likelihood of two classes ------------------------------------------------------------
 */

/* sum_n ln Phi(+-f_n beta^1/2), the sign that of the class. Products of a few erfc need one
 * logarithm and cannot underflow; beyond `sure` a row adds nothing. */
static double log_probability(const double *f, double beta, const rvm_gibbs *g)
{
    enum { FEW = 8 };
    const double sure = 9, unsure = -5, root = sqrt(beta);
    double sum = 0, product = 1;
    int factors = 0;
    for (size_t n = 0; n < g->N; n++) {
        const double x = g->t[n] > 0.5 ? f[n] * root : -f[n] * root;
        if (x >= sure)
            continue;
        if (x < unsure) {
            sum += rvm_log_phi(x);
            continue;
        }
        product *= 0.5 * erfc(-x * M_SQRT1_2);
        if (++factors % FEW == 0) {
            sum += log(product);
            product = 1;
        }
    }
    return sum + log(product);
}

/* ---- The conditional distributions ----------------------------------------------------------- */

/* ln of the density of ln beta given w, up to a constant. */
static double log_density_of_noise(double ln_beta, const rvm_gibbs_chain *c)
{
    const double beta = exp(ln_beta);
    return log_probability(c->f, beta, c->g) + c->g->beta.shape * ln_beta - c->g->beta.rate * beta;
}

/* The slice is looked for in all of the interval, which shrinks towards where the chain is. */
void rvm_gibbs_draw_scale(rvm_gibbs_chain *c)
{
    const rvm_precision_prior *p = &c->g->beta;
    const double now = log(c->beta);
    double low = log(p->low), high = log(p->high);
    if (p->low == p->high)
        return;
    const double level = log_density_of_noise(now, c) + log(gsl_rng_uniform_pos(c->rng));
    for (;;) {
        const double there = low + (high - low) * gsl_rng_uniform(c->rng);
        if (!(low < there && there < high)) /* nothing is left of the interval */
            return;
        if (log_density_of_noise(there, c) >= level) {
            c->beta = within(exp(there), p);
            return;
        }
        if (there < now)
            low = there;
        else
            high = there;
    }
}

/* Another point of the prior, v in c->v, and its f in c->far. */
static void draw_from_prior(rvm_gibbs_chain *c)
{
    for (size_t i = 0; i < c->g->M; i++)
        c->v[i] = gsl_ran_gaussian_ziggurat(c->rng, 1 / sqrt(c->alpha[i] * c->g->unit[i]));
    apply(c->far, c->g, c->v);
}

void rvm_gibbs_draw_ellipse(rvm_gibbs_chain *c)
{
    const size_t M = c->g->M, N = c->g->N;
    draw_from_prior(c);
    const double level = log_probability(c->f, c->beta, c->g) + log(gsl_rng_uniform_pos(c->rng));
    double angle = 2 * M_PI * gsl_rng_uniform(c->rng), low = angle - 2 * M_PI, high = angle;
    while (angle != 0) {
        for (size_t n = 0; n < N; n++)
            c->trial[n] = cos(angle) * c->f[n] + sin(angle) * c->far[n];
        if (log_probability(c->trial, c->beta, c->g) >= level)
            break;
        if (angle < 0)
            low = angle;
        else
            high = angle;
        angle = low + (high - low) * gsl_rng_uniform(c->rng);
    }
    for (size_t i = 0; i < M; i++)
        c->w[i] = cos(angle) * c->w[i] + sin(angle) * c->v[i];
    if (angle != 0)
        memcpy(c->f, c->trial, N * sizeof *c->f);
}

void rvm_gibbs_draw_latent(rvm_gibbs_chain *c)
{
    const double sd = 1 / sqrt(c->beta);
    for (size_t n = 0; n < c->g->N; n++)
        c->z[n] = rvm_truncated_normal(c->rng, c->f[n], sd, c->g->t[n] > 0.5);
}

/* H := I + beta S G S, the lower triangle. */
static void fill_square(rvm_gibbs_chain *c)
{
    for (size_t i = 0; i < c->g->M; i++) {
        const double factor = c->beta * c->scale[i];
        const double *from = gsl_matrix_const_ptr(c->g->G, i, 0);
        double *to = gsl_matrix_ptr(c->H, i, 0);
        for (size_t j = 0; j <= i; j++)
            to[j] = factor * c->scale[j] * from[j];
        to[i] += 1;
    }
}

/* L with L L' = H, by QR for data so large that the 1 of H is below the rounding of the rest. */
static rvm_status factor(rvm_gibbs_chain *c, rvm_error *err)
{
    fill_square(c);
    if (rvm_cholesky(c->H, 1))
        return RVM_OK;
    for (size_t i = 0; i < c->g->M; i++)
        c->v[i] = sqrt(c->beta) * c->scale[i];
    return rvm_stack_factor(c->H, c->g->PhiT, NULL, c->g->N, c->v, NULL, err);
}

/* With w = S v, v ~ N(H^-1 b, H^-1), b = beta S Phi'z: L v' = b, then L'v = v' + normal numbers. */
rvm_status rvm_gibbs_draw_weights(rvm_gibbs_chain *c, rvm_error *err)
{
    const rvm_gibbs *g = c->g;
    gsl_matrix_const_view PhiT = gsl_matrix_const_submatrix(g->PhiT, 0, 0, g->M, g->N);
    gsl_vector_view v = gsl_vector_view_array(c->v, g->M);
    gsl_vector_const_view z = gsl_vector_const_view_array(c->z, g->N);
    for (size_t i = 0; i < g->M; i++)
        c->scale[i] = 1 / sqrt(c->alpha[i] * g->unit[i]);
    const rvm_status status = factor(c, err);
    if (status != RVM_OK)
        return status;
    gsl_blas_dgemv(CblasNoTrans, c->beta, &PhiT.matrix, &z.vector, 0, &v.vector);
    for (size_t i = 0; i < g->M; i++)
        c->v[i] *= c->scale[i];
    gsl_blas_dtrsv(CblasLower, CblasNoTrans, CblasNonUnit, c->H, &v.vector);
    for (size_t i = 0; i < g->M; i++)
        c->v[i] += gsl_ran_gaussian_ziggurat(c->rng, 1);
    gsl_blas_dtrsv(CblasLower, CblasTrans, CblasNonUnit, c->H, &v.vector);
    for (size_t i = 0; i < g->M; i++)
        c->w[i] = c->scale[i] * c->v[i];
    rvm_gibbs_activate(c);
    return RVM_OK;
}

/* A precision that `count` normal numbers have in common, of which `squares` is the sum of squares.
 */
static double draw_precision(gsl_rng *rng, const rvm_precision_prior *p, double count,
                             double squares)
{
    const double shape = p->shape + 0.5 * count;
    if (p->low == p->high)
        return p->low;
    /* Flat in the logarithm, and nothing has been seen. */
    const double least = DBL_EPSILON;
    return rvm_truncated_gamma(rng, fmax(shape, least), p->rate + 0.5 * squares, p->low, p->high);
}

static double square(const rvm_gibbs_chain *c, size_t i)
{
    return c->g->unit[i] * c->w[i] * c->w[i];
}

/* Which weights have the second precision, and the share p of such weights. */
static void draw_components(rvm_gibbs_chain *c)
{
    const double *a = c->component;
    size_t second = 0, all = 0;
    for (size_t i = 0; i < c->g->M; i++) {
        if (!in_mixture(c, i))
            continue;
        const double ln_odds = log(c->share / (1 - c->share)) +
                               0.5 * (log(a[1] / a[0]) - (a[1] - a[0]) * square(c, i));
        c->which[i] = gsl_rng_uniform_pos(c->rng) < 1 / (1 + exp(-ln_odds));
        second += c->which[i];
        all++;
    }
    c->share = gsl_ran_beta(c->rng, 0.5 + (double)second, 0.5 + (double)(all - second));
    c->share = fmin(fmax(c->share, GSL_DBL_MIN), 1 - GSL_DBL_EPSILON);
}

static void draw_mixture(rvm_gibbs_chain *c)
{
    double count[2] = { 0, 0 }, squares[2] = { 0, 0 };
    for (size_t i = 0; i < c->g->M; i++)
        if (in_mixture(c, i)) {
            count[c->which[i]] += 1;
            squares[c->which[i]] += square(c, i);
        }
    for (int j = 0; j < 2; j++)
        c->component[j] = draw_precision(c->rng, &c->g->component, count[j], squares[j]);
    draw_components(c);
    for (size_t i = 0; i < c->g->M; i++)
        if (in_mixture(c, i))
            c->alpha[i] = c->component[c->which[i]];
}

void rvm_gibbs_draw_precisions(rvm_gibbs_chain *c)
{
    if (c->g->mixture) {
        draw_mixture(c);
        return;
    }
    for (size_t i = 0; i < c->g->M; i++)
        c->alpha[i] = draw_precision(c->rng, &c->g->alpha[i], 1, square(c, i));
}

/* |z - f|^2 */
static double residual_squares(const rvm_gibbs_chain *c)
{
    double squares = 0;
    for (size_t n = 0; n < c->g->N; n++)
        squares += gsl_pow_2(c->z[n] - c->f[n]);
    return squares;
}

void rvm_gibbs_draw_noise(rvm_gibbs_chain *c)
{
    c->beta = draw_precision(c->rng, &c->g->beta, (double)c->g->N, residual_squares(c));
}

/* Whether what the precisions are drawn from is a number, for each and for all in common. */
static bool in_range(const rvm_gibbs_chain *c)
{
    double squares = residual_squares(c);
    for (size_t i = 0; i < c->g->M; i++)
        squares += square(c, i);
    return isfinite(squares);
}

rvm_status rvm_gibbs_draw(rvm_gibbs_chain *c, rvm_error *err)
{
    if (c->g->classes) {
        rvm_gibbs_draw_scale(c);
        for (int k = 0; k < ELLIPSES; k++)
            rvm_gibbs_draw_ellipse(c);
        rvm_gibbs_draw_latent(c);
    }
    const rvm_status status = rvm_gibbs_draw_weights(c, err);
    if (status != RVM_OK)
        return status;
    if (!in_range(c))
        return rvm_fail(err, RVM_ENUMERIC,
                        "the draws left the range of finite numbers: scale the data");
    rvm_gibbs_draw_precisions(c);
    rvm_gibbs_draw_noise(c);
    return RVM_OK;
}

/* ---- What a draw makes of the rows ----------------------------------------------------------- */

double rvm_gibbs_log_likelihood(double *log_odds, const rvm_gibbs_chain *c)
{
    double squares = 0;
    for (size_t n = 0; c->g->classes && log_odds != NULL && n < c->g->N; n++) {
        const double x = c->f[n] * sqrt(c->beta);
        log_odds[n] = rvm_log_phi(x) - rvm_log_phi(-x);
    }
    if (c->g->classes)
        return log_probability(c->f, c->beta, c->g);
    for (size_t n = 0; n < c->g->N; n++)
        squares += gsl_pow_2(c->g->t[n] - c->f[n]);
    return 0.5 * ((double)c->g->N * log(c->beta / (2 * M_PI)) - c->beta * squares);
}
