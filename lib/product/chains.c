/* What stays of the draws of a sampler: summaries, a trace, and those that are saved. */
#include "product/chains.h"

#include <errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diagnose.h"
#include "base/error.h"
#include "base/text.h"
#include "data/order.h"
#include "inference/condense.h"

enum { SHOWN = 20 }; /* functions that are reported */

/* What a draw's prediction at the training rows may lose in the model, as a root mean square over
 * rows and draws, in standard deviations of the noise: next to nothing of its variance, and less of
 * the mean over the draws. */
static const double unseen = 0.05;

/* ---- Life ------------------------------------------------------------------------------------ */

void rvm_chains_free(rvm_chains *c)
{
    if (c == NULL)
        return;
    free(c->name);
    free(c->weight);
    free(c);
}

static rvm_status alloc_arrays(rvm_chains *c, rvm_error *err)
{
    const size_t all = c->chains * c->draws;
    c->name = rvm_array(c->K, sizeof *c->name);
    c->weight = all > SIZE_MAX / (c->K + 2) ? NULL : rvm_array((c->K + 2) * all, sizeof *c->weight);
    if (c->name == NULL || c->weight == NULL)
        return rvm_fail_memory(err, "the draws");
    c->log_likelihood = c->weight + c->K * all;
    c->noise_sd = c->log_likelihood + all;
    return RVM_OK;
}

/* ---- Records --------------------------------------------------------------------------------- */

/* The functions by the mean square of what they do at the rows, largest first: order, effect: M. */
static void order_by_effect(size_t *order, double *effect, const rvm_sampler *sm, size_t kept)
{
    const size_t M = sm->model.M;
    for (size_t chain = 0; chain < sm->chains; chain++)
        for (size_t k = 0; k < kept; k++)
            for (size_t i = 0; i < M; i++) {
                const double w = rvm_record_weight(&sm->record[chain], sm, k, i);
                effect[i] -= gsl_pow_2(w * sm->design.norm[i]);
            }
    gsl_sort_index(order, effect, 1, M);
}

/* `w3` for the kernel function of row 3 of the file, `w0` for the bias, else the name of the term.
 * row_of_file: of each row of the study. */
static void name_function(rvm_function_name *name, const rvm_basis *b, size_t id,
                          const size_t *row_of_file)
{
    if (rvm_basis_is_bias(b, id)) {
        snprintf(name->text, sizeof name->text, "w0");
    } else if (rvm_basis_is_term(b, id)) {
        const rvm_term term = rvm_basis_term(b, id);
        rvm_term_name(name->text, &term);
    } else {
        snprintf(name->text, sizeof name->text, "w%zu", row_of_file[rvm_basis_row(b, id)] + 1);
    }
}

static void copy_weights(rvm_chains *c, const rvm_sampler *sm, const size_t *order)
{
    double *to = c->weight;
    for (size_t k = 0; k < c->K; k++)
        for (size_t chain = 0; chain < c->chains; chain++)
            for (size_t d = 0; d < c->draws; d++)
                *to++ = rvm_record_weight(&sm->record[chain], sm, d, order[k]);
}

static void copy_scalars(rvm_chains *c, const rvm_sampler *sm)
{
    for (size_t chain = 0; chain < c->chains; chain++) {
        const size_t at = chain * c->draws, size = c->draws * sizeof(double);
        memcpy(c->log_likelihood + at, sm->record[chain].log_likelihood, size);
        memcpy(c->noise_sd + at, sm->record[chain].noise_sd, size);
    }
}

static rvm_status copy_functions(rvm_chains *c, const rvm_sampler *sm, const rvm_problem *p,
                                 rvm_error *err)
{
    const size_t M = sm->model.M;
    size_t *order = rvm_array(M, sizeof *order), *row_of_file = NULL;
    double *effect = rvm_array(M, sizeof *effect);
    rvm_status status = order == NULL || effect == NULL ? rvm_fail_memory(err, "the draws")
                                                        : rvm_order_rows(&row_of_file, p, err);
    if (status == RVM_OK) {
        order_by_effect(order, effect, sm, c->draws);
        copy_weights(c, sm, order);
        for (size_t k = 0; k < c->K; k++)
            name_function(&c->name[k], &sm->y->basis, sm->design.id[order[k]], row_of_file);
    }
    free(order);
    free(effect);
    free(row_of_file);
    return status;
}

/* The largest split R-hat of the rows' predictions; mean and variance: 2 x chains, scratch. */
static double find_worst_row(const rvm_sampler *sm, double *mean, double *variance)
{
    const size_t half = sm->samples / 2;
    double worst = 0;
    for (size_t n = 0; n < sm->model.N; n++) {
        for (size_t c = 0; c < 2 * sm->chains; c++) {
            const rvm_record *r = &sm->record[c / 2];
            mean[c] = r->mean[c % 2][n];
            variance[c] = r->deviation[c % 2][n] / (double)(half - 1);
        }
        const double r = rvm_rhat_of_halves(mean, variance, 2 * sm->chains, half);
        if (!(r <= worst)) /* also where it is no number */
            worst = r;
    }
    return worst;
}

static rvm_status diagnose_rows(rvm_chains *c, const rvm_sampler *sm, rvm_error *err)
{
    double *scratch = rvm_array(4 * sm->chains, sizeof *scratch);
    if (scratch == NULL)
        return rvm_fail_memory(err, "the draws");
    if (c->draws == sm->samples && sm->samples >= 4)
        c->worst_row = find_worst_row(sm, scratch, scratch + 2 * sm->chains);
    free(scratch);
    return RVM_OK;
}

rvm_status rvm_chains_alloc(rvm_chains **out, const rvm_sampler *sm, const rvm_problem *p,
                            rvm_error *err)
{
    rvm_chains *c = rvm_array(1, sizeof *c);
    if (c == NULL)
        return rvm_fail_memory(err, "the draws");
    c->chains = sm->chains;
    c->draws = rvm_sampler_kept(sm);
    c->sampled = sm->model.M;
    c->K = GSL_MIN(SHOWN, sm->model.M);
    rvm_status status = alloc_arrays(c, err);
    if (status == RVM_OK)
        status = copy_functions(c, sm, p, err);
    if (status == RVM_OK)
        status = diagnose_rows(c, sm, err);
    if (status != RVM_OK) {
        rvm_chains_free(c);
        return status;
    }
    copy_scalars(c, sm);
    *out = c;
    return RVM_OK;
}

/* ---- The latent function --------------------------------------------------------------------- */

/* Draw d of D, spread over all that were recorded. */
static void find_draw(size_t *chain, size_t *k, size_t d, size_t D, const rvm_sampler *sm)
{
    const size_t kept = rvm_sampler_kept(sm), all = sm->chains * kept;
    const size_t at = (size_t)(((double)d + 0.5) * (double)all / (double)D);
    *chain = at / kept;
    *k = at % kept;
}

/* Weights of columns of norm 1 in units of the noise of their draw, as those of two classes are
 * already: M x D. */
static void fill_weights(gsl_matrix *W, const rvm_sampler *sm)
{
    for (size_t d = 0; d < W->size2; d++) {
        size_t chain, k;
        find_draw(&chain, &k, d, W->size2, sm);
        const rvm_record *r = &sm->record[chain];
        const double noise_sd = sm->classes ? 1 : r->noise_sd[k];
        for (size_t i = 0; i < W->size1; i++)
            gsl_matrix_set(W, i, d, rvm_record_weight(r, sm, k, i) * sm->design.norm[i] / noise_sd);
    }
}

/* The draws by few functions. The bias of a regression, which has the mean of the targets with it,
 * is one of them. */
static rvm_status condense(rvm_condensed *out, const rvm_sampler *sm, size_t D, rvm_error *err)
{
    const size_t M = sm->model.M;
    const double most = unseen * unseen * (double)(sm->model.N * D);
    gsl_matrix *W = gsl_matrix_alloc(M, D);
    bool *first = rvm_array(M, sizeof *first);
    rvm_status status = W == NULL || first == NULL ? rvm_fail_memory(err, "the model") : RVM_OK;
    if (status == RVM_OK) {
        fill_weights(W, sm);
        first[0] = !sm->classes && rvm_basis_is_bias(&sm->y->basis, sm->design.id[0]);
        status = rvm_condense(out, sm->design.G, W, first, most, err);
    }
    gsl_matrix_free(W);
    free(first);
    return status;
}

/* In regression back to the units of the target. */
static void fill_draws(rvm_latent *f, const rvm_condensed *c, const rvm_sampler *sm)
{
    const bool classes = sm->classes;
    for (size_t d = 0; d < f->draws; d++) {
        size_t chain, k;
        find_draw(&chain, &k, d, f->draws, sm);
        const double sd = classes ? 1 : sm->record[chain].noise_sd[k];
        f->noise_sd[d] = sd;
        f->noise_variance += classes ? 0 : sd * sd / (double)f->draws;
        for (size_t i = 0; i < c->count; i++)
            f->draw[i * f->draws + d] =
                gsl_matrix_get(c->weight, i, d) * sd / sm->design.norm[c->function[i]];
    }
    for (size_t i = 0; i < c->count; i++)
        f->weight[i] = gsl_stats_mean(f->draw + i * f->draws, 1, f->draws);
}

static rvm_status fill_latent(rvm_latent *f, const rvm_condensed *c, const rvm_sampler *sm,
                              size_t D, rvm_error *err)
{
    if (!rvm_latent_alloc(f, &sm->y->basis, sm->design.id, c->function, c->count, D))
        return rvm_fail_memory(err, "the model");
    fill_draws(f, c, sm);
    for (size_t i = 0; i < c->count * D; i++)
        if (!isfinite(f->draw[i]))
            return rvm_fail(err, RVM_ENUMERIC,
                            "the model leaves the range of finite numbers: scale the data");
    f->bias_mean = !sm->classes && rvm_latent_has_bias(f) ? sm->y->t_mean : 0;
    return RVM_OK;
}

rvm_status rvm_chains_latent(rvm_latent *f, const rvm_sampler *sm, size_t keep, rvm_error *err)
{
    const size_t D = GSL_MIN(keep, sm->chains * rvm_sampler_kept(sm));
    rvm_condensed c;
    rvm_status status = condense(&c, sm, D, err);
    if (status != RVM_OK)
        return status;
    status = fill_latent(f, &c, sm, D, err);
    rvm_condensed_free(&c);
    return status;
}

/* ---- Summaries ------------------------------------------------------------------------------- */

rvm_status rvm_chains_describe(rvm_chains_info *out, const rvm_chains *c, rvm_error *err)
{
    double size = 0;
    const rvm_status status =
        rvm_effective_size(&size, c->log_likelihood, c->chains, c->draws, err);
    *out = (rvm_chains_info){
        .chains = c->chains,
        .draws = c->draws,
        .sampled = c->sampled,
        .functions = c->K,
        .log_likelihood = gsl_stats_mean(c->log_likelihood, 1, c->chains * c->draws),
        .log_likelihood_rhat = rvm_split_rhat(c->log_likelihood, c->chains, c->draws),
        .log_likelihood_size = size,
        .prediction_rhat = c->worst_row,
    };
    return status;
}

rvm_status rvm_chains_weight(rvm_weight_summary *out, const rvm_chains *c, size_t k, rvm_error *err)
{
    const size_t all = c->chains * c->draws;
    const double *x = c->weight + k * all, mean = gsl_stats_mean(x, 1, all);
    double *sorted = rvm_array(all, sizeof *sorted), size = 0;
    if (sorted == NULL)
        return rvm_fail_memory(err, "the draws");
    memcpy(sorted, x, all * sizeof *sorted);
    gsl_sort(sorted, 1, all);
    const rvm_status status = rvm_effective_size(&size, x, c->chains, c->draws, err);
    *out = (rvm_weight_summary){ .mean = mean,
                                 .low = gsl_stats_quantile_from_sorted_data(sorted, 1, all, 0.025),
                                 .high = gsl_stats_quantile_from_sorted_data(sorted, 1, all, 0.975),
                                 .rhat = rvm_split_rhat(x, c->chains, c->draws),
                                 .size = size };
    snprintf(out->name, sizeof out->name, "%s", c->name[k].text);
    free(sorted);
    return status;
}

rvm_status rvm_chains_agree(bool *agree, const rvm_sampler *sm, const rvm_problem *p,
                            rvm_error *err)
{
    const double agreed = 1.05; /* Gelman and others (2013) let 1.1 pass */
    rvm_chains *c = NULL;
    rvm_chains_info info;
    rvm_status status = rvm_chains_alloc(&c, sm, p, err);
    if (status == RVM_OK)
        status = rvm_chains_describe(&info, c, err);
    if (status == RVM_OK)
        *agree = info.log_likelihood_rhat <= agreed && info.prediction_rhat <= agreed;
    rvm_chains_free(c);
    return status;
}

/* ---- The trace ------------------------------------------------------------------------------- */

rvm_status rvm_chains_write(const rvm_chains *c, FILE *out, rvm_error *err)
{
    enum { DIGITS = 7 };
    const size_t all = c->chains * c->draws;
    char text[RVM_REAL_SIZE];

    errno = 0;
    fputs("chain draw log_likelihood sigma", out);
    for (size_t k = 0; k < c->K; k++)
        fprintf(out, " %s", c->name[k].text);
    fputc('\n', out);
    for (size_t at = 0; at < all && !ferror(out); at++) {
        fprintf(out, "%zu %zu ", at / c->draws + 1, at % c->draws + 1);
        fputs(rvm_text_format(text, c->log_likelihood[at], DIGITS), out);
        fprintf(out, " %s", rvm_text_format(text, c->noise_sd[at], DIGITS));
        for (size_t k = 0; k < c->K; k++)
            fprintf(out, " %s", rvm_text_format(text, c->weight[k * all + at], DIGITS));
        fputc('\n', out);
    }
    if (fflush(out) != 0 || ferror(out))
        return rvm_fail(err, RVM_EIO, "%s", strerror(errno != 0 ? errno : EIO));
    return RVM_OK;
}
