/* Chains of Gibbs draws side by side, and their records. */
#include "product/sampler.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "data/order.h"

enum {
    ALL_UP_TO = 600, /* candidates of which all are sampled by default */
    LEAST = 300,     /* functions that are sampled when not all are */
    SLICE = 10       /* draws that a thread takes of a chain at a time */
};

/* Multiplications of a step for each chain: about a second. */
static const double step_work = 1e10;

static size_t functions(const rvm_sampler *sm)
{
    return sm->design.count;
}

double rvm_record_weight(const rvm_record *r, const rvm_sampler *sm, size_t k, size_t i)
{
    const double unit = sm->classes ? 1 / r->noise_sd[k] : sm->t_scale;
    return r->weight[k * functions(sm) + i] * unit / sm->design.norm[i];
}

static void progress(size_t *draw, size_t *draws, const rvm_sampler *sm)
{
    *draws = sm->burn_in + sm->samples * sm->thin;
    *draw = *draws;
    for (size_t k = 0; k < sm->chains; k++)
        *draw = GSL_MIN(*draw, sm->record[k].draws);
}

size_t rvm_sampler_kept(const rvm_sampler *sm)
{
    size_t kept = sm->samples;
    for (size_t k = 0; k < sm->chains; k++)
        kept = GSL_MIN(kept, sm->record[k].kept);
    return kept;
}

/* Of the last draw of a chain, in the units of the targets. log_odds: as of rvm_gibbs. */
static double log_likelihood_of(double *log_odds, const rvm_sampler *sm, size_t chain)
{
    return rvm_gibbs_log_likelihood(log_odds, &sm->chain[chain]) -
           (double)sm->model.N * log(sm->t_scale);
}

void rvm_sampler_report(rvm_report *r, const rvm_sampler *sm)
{
    progress(&r->draw, &r->draws, sm);
    r->progress = (double)r->draw / (double)r->draws;
    r->functions = functions(sm);
    r->log_evidence = log_likelihood_of(NULL, sm, 0);
    r->noise_sd = sm->classes ? 0 : sm->t_scale / sqrt(sm->chain->beta);
    r->noise_at_bound = false;
}

double rvm_sampler_mean_log_likelihood(const rvm_sampler *sm)
{
    const size_t kept = rvm_sampler_kept(sm);
    double sum = 0;
    for (size_t k = 0; k < sm->chains; k++)
        sum += gsl_stats_mean(sm->record[k].log_likelihood, 1, kept);
    return sum / (double)sm->chains;
}

/* ---- Which functions ------------------------------------------------------------------------- */

static size_t how_many(const rvm_study *y, const rvm_sampling *s, size_t active)
{
    const size_t all = y->basis.count;
    if (s->basis == RVM_BASIS_ALL || (s->basis == RVM_BASIS_AUTO && all <= ALL_UP_TO))
        return all;
    return GSL_MIN(all, GSL_MAX(LEAST, 2 * active));
}

/* Marks the active functions, the bias, and as many others at random as are wanted. */
static rvm_status mark(bool *chosen, size_t wanted, const rvm_study *y, const rvm_solved *start,
                       unsigned long seed, rvm_error *err)
{
    const size_t all = y->basis.count;
    size_t *drawn = NULL, marked = 0, other = 0, taken = 0;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (rng == NULL)
        return rvm_fail_memory(err, "the functions");
    chosen[0] = chosen[0] || y->basis.bias;
    for (size_t i = 0; i < start->K; i++)
        chosen[start->id[i]] = true;
    for (size_t m = 0; m < all; m++)
        marked += chosen[m];
    const size_t more = wanted > marked ? wanted - marked : 0;
    gsl_rng_set(rng, seed);
    const rvm_status status = rvm_order_sample(&drawn, more, all - marked, rng, err);
    for (size_t m = 0; status == RVM_OK && taken < more; m++)
        if (!chosen[m]) {
            chosen[m] = drawn[taken] == other++;
            taken += chosen[m];
        }
    free(drawn);
    gsl_rng_free(rng);
    return status;
}

static rvm_status choose_functions(rvm_sampler *sm, size_t wanted, const rvm_solved *start,
                                   const rvm_settings *s, rvm_error *err)
{
    const rvm_study *y = sm->y;
    const size_t all = y->basis.count;
    bool *chosen = rvm_array(all, sizeof *chosen);
    size_t *id = rvm_array(all, sizeof *id), count = 0;
    rvm_status status = chosen == NULL || id == NULL ? rvm_fail_memory(err, "the functions")
                                                     : mark(chosen, wanted, y, start, s->seed, err);
    for (size_t m = 0; status == RVM_OK && m < all; m++)
        if (chosen[m])
            id[count++] = m;
    if (status == RVM_OK)
        status = rvm_columns_init(&sm->design, &y->basis, count, INFINITY, sm->threads, err);
    if (status == RVM_OK)
        status = rvm_columns_keep_gram(&sm->design, y->observed.t, err);
    if (status == RVM_OK)
        status = rvm_columns_append(&sm->design, id, count, err);
    free(chosen);
    free(id);
    if (status == RVM_OK && sm->design.count == 0)
        return rvm_fail(err, RVM_ESETTING, "no basis function differs from 0");
    return status;
}

/* ---- Priors ---------------------------------------------------------------------------------- */

static const rvm_draws *defaults(const rvm_sampler *sm)
{
    return sm->y->observed.likelihood->draws;
}

static rvm_precision_prior alpha_prior(const rvm_sampler *sm, const rvm_settings *s)
{
    const double unit = gsl_pow_2(sm->t_scale);
    const rvm_sampling *g = &s->sampling;
    rvm_precision_prior p = defaults(sm)->alpha;
    p.low = g->alpha_min > 0 ? g->alpha_min : p.low / unit;
    p.high = g->alpha_max > 0 ? g->alpha_max : p.high / unit;
    if (g->prior_given) {
        p.shape = s->weight_prior.shape;
        p.rate = s->weight_prior.rate;
    }
    return p;
}

static rvm_precision_prior beta_prior(const rvm_sampler *sm, const rvm_settings *s)
{
    const rvm_observed *o = &sm->y->observed;
    rvm_precision_prior p = defaults(sm)->beta;
    if (o->noise_fixed)
        return (rvm_precision_prior){ .low = exp(o->ln_beta), .high = exp(o->ln_beta) };
    if (s->sampling.noise_prior_given || !sm->classes) {
        p.shape = s->noise_prior.shape;
        p.rate = s->noise_prior.rate / gsl_pow_2(sm->t_scale);
    }
    return p;
}

/* Bounds that are not given allow for the size of the function: those of one whose mean square over
 * the rows is 1, for targets of variance 1. share: what alpha times it is then. */
static void fit_bounds(rvm_precision_prior *p, const rvm_precision_prior *of_unit, double share,
                       const rvm_sampling *g)
{
    if (g->alpha_min == 0)
        p->low = fmin(of_unit->low / share, 0.5 * p->high);
    if (g->alpha_max == 0)
        p->high = fmax(of_unit->high / share, 2 * p->low);
}

/* Of function i: in the units of the data, where the weight is w_i t_scale / norm_i. The bias of a
 * regression, beside the mean of the targets, is as wide as they are: its alpha is known. */
static rvm_status set_prior(rvm_sampler *sm, size_t i, const rvm_precision_prior *prior,
                            const rvm_settings *s, rvm_error *err)
{
    const double N = (double)sm->y->observed.N, unit = gsl_pow_2(sm->t_scale / sm->design.norm[i]);
    rvm_precision_prior *p = &sm->alpha[i];
    *p = *prior;
    sm->unit[i] = unit;
    if (!sm->classes && !s->sampling.mixture)
        fit_bounds(p, &defaults(sm)->alpha, unit * N, &s->sampling);
    if (!isfinite(unit) || !(unit > 0) || !(p->low > 0) || !(p->low < p->high) ||
        !isfinite(p->high))
        return rvm_fail(err, RVM_ENUMERIC,
                        "a precision is beyond the finite numbers: scale the data");
    if (!sm->classes && rvm_basis_is_bias(&sm->y->basis, sm->design.id[i]))
        *p = (rvm_precision_prior){ .low = 1 / (N * unit), .high = 1 / (N * unit) };
    return RVM_OK;
}

static rvm_status set_priors(rvm_sampler *sm, const rvm_settings *s, rvm_error *err)
{
    const size_t M = functions(sm);
    const rvm_precision_prior prior = alpha_prior(sm, s);
    rvm_status status = RVM_OK;
    sm->unit = rvm_array(M, sizeof *sm->unit);
    sm->alpha = rvm_array(M, sizeof *sm->alpha);
    if (sm->unit == NULL || sm->alpha == NULL)
        return rvm_fail_memory(err, "the priors");
    if (!(prior.low < prior.high))
        return rvm_fail(err, RVM_ESETTING, "the least alpha, %g, is not below the largest, %g",
                        prior.low, prior.high);
    for (size_t i = 0; i < M && status == RVM_OK; i++)
        status = set_prior(sm, i, &prior, s, err);
    if (status != RVM_OK)
        return status;
    sm->model = (rvm_gibbs){ .M = M,
                             .N = sm->y->observed.N,
                             .PhiT = sm->design.PhiT,
                             .G = sm->design.G,
                             .t = sm->y->observed.t,
                             .unit = sm->unit,
                             .alpha = sm->alpha,
                             .beta = beta_prior(sm, s),
                             .classes = sm->classes,
                             .mixture = s->sampling.mixture,
                             .component = prior };
    if (!isfinite(sm->model.beta.rate) || !isfinite(sm->model.beta.shape) || !isfinite(prior.rate))
        return rvm_fail(err, RVM_ENUMERIC, "a prior is beyond the finite numbers");
    return RVM_OK;
}

/* ---- Starts ---------------------------------------------------------------------------------- */

/* Of a candidate among the functions sampled; their number where it is none of them. */
static size_t place_of(const rvm_sampler *sm, size_t id)
{
    size_t m = 0;
    while (m < functions(sm) && sm->design.id[m] != id)
        m++;
    return m;
}

/* The weights of the solution. Those of two classes are log-odds, 1.7 times what the probit model
 * has, and shrink to what the least alpha allows while beta grows. Returns beta. */
static double set_weights(double *w, const rvm_sampler *sm, const rvm_solved *start)
{
    double most = 1;
    for (size_t i = 0; i < start->K; i++) {
        const size_t m = place_of(sm, start->id[i]);
        if (m == functions(sm))
            continue;
        w[m] = start->u[i] * exp(-0.5 * start->ln_alpha[i]);
        most = fmax(most, fabs(w[m]) * sqrt(sm->unit[m] * sm->alpha[m].low));
    }
    if (!sm->classes)
        return exp(start->ln_beta);
    const double shrink = 1 / most;
    for (size_t m = 0; m < functions(sm); m++)
        w[m] *= shrink;
    return 1 / gsl_pow_2(1.7 * shrink);
}

/* The first chain begins at the precisions of the solution, the others anywhere. */
static void set_precisions(double *alpha, const rvm_sampler *sm, const rvm_solved *start,
                           size_t chain, gsl_rng *rng)
{
    for (size_t m = 0; m < functions(sm); m++) {
        const rvm_precision_prior *p = &sm->alpha[m];
        const double u = gsl_rng_uniform(rng);
        alpha[m] = chain == 0 ? p->high : p->low * pow(p->high / p->low, u);
    }
    for (size_t i = 0; chain == 0 && i < start->K; i++) {
        const size_t m = place_of(sm, start->id[i]);
        if (m < functions(sm))
            alpha[m] = exp(start->ln_alpha[i]) / sm->unit[m];
    }
}

static rvm_status start_chains(rvm_sampler *sm, const rvm_solved *start, const rvm_settings *s,
                               rvm_error *err)
{
    const size_t M = functions(sm);
    double *w = rvm_array(M, sizeof *w), *alpha = rvm_array(M, sizeof *alpha), beta = 0;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    rvm_status status = RVM_OK;
    if (w == NULL || alpha == NULL || rng == NULL) {
        status = rvm_fail_memory(err, "the chains");
    } else {
        gsl_rng_set(rng, s->seed);
        beta = set_weights(w, sm, start);
    }
    for (size_t k = 0; k < sm->chains && status == RVM_OK; k++) {
        set_precisions(alpha, sm, start, k, rng);
        status =
            rvm_gibbs_chain_init(&sm->chain[k], &sm->model, alpha, beta, gsl_rng_get(rng), err);
        if (status != RVM_OK)
            break;
        memcpy(sm->chain[k].w, w, M * sizeof *w);
        rvm_gibbs_activate(&sm->chain[k]);
    }
    free(w);
    free(alpha);
    gsl_rng_free(rng);
    return status;
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* What a record holds but for the weights is one piece of memory. */
static bool alloc_record(rvm_record *r, size_t M, size_t N, size_t samples)
{
    double *room = rvm_array(2 * samples + 4 * N, sizeof *room);
    r->weight = M > SIZE_MAX / samples ? NULL : rvm_array(samples * M, sizeof *r->weight);
    r->log_likelihood = room;
    if (room == NULL || r->weight == NULL)
        return false;
    r->noise_sd = room + samples;
    for (int half = 0; half < 2; half++) {
        r->mean[half] = room + 2 * samples + 2 * (size_t)half * N;
        r->deviation[half] = r->mean[half] + N;
    }
    return true;
}

static rvm_status alloc_records(rvm_sampler *sm, rvm_error *err)
{
    const size_t N = sm->model.N;
    sm->chain = rvm_array(sm->chains, sizeof *sm->chain);
    sm->record = rvm_array(sm->chains, sizeof *sm->record);
    sm->log_odds = rvm_array(sm->chains * N, sizeof *sm->log_odds);
    bool whole = sm->chain != NULL && sm->record != NULL && sm->log_odds != NULL;
    for (size_t k = 0; k < sm->chains && whole; k++)
        whole = alloc_record(&sm->record[k], functions(sm), N, sm->samples);
    return whole ? RVM_OK : rvm_fail_memory(err, "the draws");
}

static rvm_status check_memory(const rvm_study *y, const rvm_settings *s, size_t M, rvm_error *err)
{
    const double functions = (double)M, N = (double)y->observed.N;
    const double chains = s->sampling.chains, samples = s->sampling.samples;
    const double keep = fmin(s->sampling.keep, chains * samples); /* condensed at the end */
    const double numbers = functions * N + functions * functions * (2 + chains) +
                           4 * functions * keep + 9 * chains * N + 24 * chains * samples;
    const double megabytes = (8 * numbers + 4 * chains * samples * functions) / 1048576;
    if (megabytes <= s->budget_mb)
        return RVM_OK;
    return rvm_fail(err, RVM_ENOMEM,
                    "%zu functions and their draws need -m %.0f (it is %g); --gibbs-basis active, "
                    "and fewer --samples with more of --thin, do with less",
                    M, ceil(megabytes), s->budget_mb);
}

static rvm_status prepare(rvm_sampler *sm, const rvm_solved *start, const rvm_settings *s,
                          rvm_error *err)
{
    const size_t wanted = how_many(sm->y, &s->sampling, start->K);
    rvm_status status = check_memory(sm->y, s, wanted, err);
    if (status == RVM_OK)
        status = choose_functions(sm, wanted, start, s, err);
    if (status == RVM_OK)
        status = set_priors(sm, s, err);
    if (status == RVM_OK)
        status = alloc_records(sm, err);
    return status == RVM_OK ? start_chains(sm, start, s, err) : status;
}

rvm_status rvm_sampler_alloc(rvm_sampler **out, const rvm_study *y, const rvm_solved *start,
                             const rvm_settings *s, rvm_error *err)
{
    rvm_sampler *sm = rvm_array(1, sizeof *sm);
    if (sm == NULL)
        return rvm_fail_memory(err, "the chains");
    sm->y = y;
    sm->classes = y->observed.likelihood->draws->classes;
    sm->t_scale = sm->classes ? 1 : y->t_scale;
    sm->samples = (size_t)s->sampling.samples;
    sm->burn_in = (size_t)s->sampling.burn_in;
    sm->thin = (size_t)s->sampling.thin;
    sm->chains = (size_t)s->sampling.chains;
    sm->threads = rvm_threads(s->threads);
    const rvm_status status = prepare(sm, start, s, err);
    if (status != RVM_OK) {
        rvm_sampler_free(sm);
        return status;
    }
    *out = sm;
    return RVM_OK;
}

void rvm_sampler_free(rvm_sampler *sm)
{
    if (sm == NULL)
        return;
    for (size_t k = 0; k < sm->chains; k++) {
        if (sm->chain != NULL)
            rvm_gibbs_chain_free(&sm->chain[k]);
        if (sm->record != NULL) {
            free(sm->record[k].weight);
            free(sm->record[k].log_likelihood);
        }
    }
    free(sm->chain);
    free(sm->record);
    free(sm->log_odds);
    free(sm->unit);
    free(sm->alpha);
    rvm_columns_free(&sm->design);
    free(sm);
}

/* ---- Draws ----------------------------------------------------------------------------------- */

/* One more number of a series: its mean and its sum of squared deviations (Welford 1962). */
static void take(double *mean, double *deviation, double x, size_t count)
{
    const double before = x - *mean;
    *mean += before / (double)count;
    *deviation += before * (x - *mean);
}

static void record_rows(rvm_record *r, const rvm_sampler *sm, const double *prediction)
{
    const size_t half = sm->samples / 2;
    const bool first = r->kept < half, second = r->kept >= sm->samples - half;
    if (!first && !second)
        return;
    const size_t count = first ? r->kept + 1 : r->kept + 1 - (sm->samples - half);
    for (size_t n = 0; n < sm->model.N; n++)
        take(&r->mean[!first][n], &r->deviation[!first][n], prediction[n], count);
}

static void record(rvm_sampler *sm, size_t k)
{
    const rvm_gibbs_chain *c = &sm->chain[k];
    rvm_record *r = &sm->record[k];
    double *log_odds = sm->log_odds + k * sm->model.N;
    float *weight = r->weight + r->kept * functions(sm);
    for (size_t i = 0; i < functions(sm); i++)
        weight[i] = (float)c->w[i];
    r->log_likelihood[r->kept] = log_likelihood_of(log_odds, sm, k);
    r->noise_sd[r->kept] = sm->t_scale / sqrt(c->beta);
    record_rows(r, sm, sm->classes ? log_odds : c->f);
    r->kept++;
}

static bool is_stopped(const rvm_sampler *sm)
{
    return rvm_interrupted(sm->y->observed.interrupted);
}

/* Up to SLICE draws of one chain, to `target` at most. */
static rvm_status draw_slice(rvm_sampler *sm, size_t k, size_t target, rvm_error *err)
{
    rvm_record *r = &sm->record[k];
    rvm_status status = RVM_OK;
    for (int i = 0; i < SLICE && r->draws < target && status == RVM_OK && !is_stopped(sm); i++) {
        status = rvm_gibbs_draw(&sm->chain[k], err);
        if (status != RVM_OK)
            break;
        r->draws++;
        if (r->draws > sm->burn_in && (r->draws - sm->burn_in) % sm->thin == 0)
            record(sm, k);
    }
    return status;
}

/* A chain that nobody has in hand and that is the farthest from the target; `chains`: there is
 * none. */
static size_t next_chain(bool *in_hand, const rvm_sampler *sm, size_t target)
{
    size_t best = sm->chains;
    for (size_t k = 0; k < sm->chains; k++)
        if (!in_hand[k] && sm->record[k].draws < target &&
            (best == sm->chains || sm->record[k].draws < sm->record[best].draws))
            best = k;
    if (best < sm->chains)
        in_hand[best] = true;
    return best;
}

/* What the threads share. */
typedef struct {
    rvm_sampler *sm;
    size_t target;
    bool *in_hand; /* owned, chains; under the lock, as is */
    bool failed;
    pthread_mutex_t lock;
} draw_job;

/* Slices of chains, until there is none to be had. */
static rvm_status draw_piece(void *context, size_t number, int worker, rvm_error *err)
{
    draw_job *j = context;
    const size_t none = j->sm->chains;
    rvm_status status = RVM_OK;
    (void)number, (void)worker;
    for (size_t k = 0; k < none && status == RVM_OK;) {
        pthread_mutex_lock(&j->lock);
        const bool over = j->failed || is_stopped(j->sm);
        k = over ? none : next_chain(j->in_hand, j->sm, j->target);
        pthread_mutex_unlock(&j->lock);
        if (k < none)
            status = draw_slice(j->sm, k, j->target, err);
        pthread_mutex_lock(&j->lock);
        j->failed = j->failed || status != RVM_OK;
        if (k < none)
            j->in_hand[k] = false;
        pthread_mutex_unlock(&j->lock);
    }
    return status;
}

/* Every chain to `target` draws. Threads take slices of chains, so that five of them keep two
 * threads busy to the end. */
static rvm_status draw_until(rvm_sampler *sm, size_t target, rvm_error *err)
{
    draw_job job = { .sm = sm, .target = target };
    job.in_hand = rvm_array(sm->chains, sizeof *job.in_hand);
    if (job.in_hand == NULL)
        return rvm_fail_memory(err, "the chains");
    pthread_mutex_init(&job.lock, NULL);
    const rvm_status status = rvm_share((size_t)sm->threads, draw_piece, &job, sm->threads, err);
    pthread_mutex_destroy(&job.lock);
    free(job.in_hand);
    return status;
}

rvm_status rvm_sampler_step(bool *done, rvm_sampler *sm, rvm_error *err)
{
    const double M = (double)functions(sm), N = (double)sm->model.N;
    const double rounds = ceil((double)sm->chains / sm->threads);
    const double work = rounds * (M * M * M / 3 + 4 * M * N + 1000 * N);
    const double most = 1000, count = floor(fmin(most, fmax(1, step_work / work / 2)));
    size_t draw, draws;
    progress(&draw, &draws, sm);
    const size_t target = GSL_MIN(draws, draw + (size_t)count);
    const rvm_status status = draw_until(sm, target, err);
    *done = status == RVM_OK && target == draws && !is_stopped(sm);
    return status;
}
