/* Level 5: what stays of the draws of a sampler: the functions that matter, the draws that are saved. */
#include "chains.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "diagnose.h"
#include "error.h"
#include "text.h"

enum { JUDGES = 200 }; /* draws by which functions are judged */

/* What all functions that are left out may do together to a draw's prediction at the training rows, as
 * a root mean square, in standard deviations of the noise: a hundredth of its variance, and next to
 * nothing of the mean over the draws. */
static const double unseen = 0.1;

/* ---- Functions that matter ------------------------------------------------------------------- */

typedef struct {
    const rvm_sampler *sm;
    size_t kept, D, M, N;
    gsl_matrix
        *W; /* M x D: weights of the judges in units of their noise, of columns of unit norm */
    gsl_matrix *gap; /* D x N: what is missing without those that are left out */
    double
        *square;   /* M: sum over the judges of w^2, which the column's norm of 1 makes that of f */
    size_t *order; /* M, ascending by it */
} judgement;

/* Draw d of D, spread over all that were recorded. */
static void find_draw(size_t *chain, size_t *k, size_t d, size_t D, size_t chains, size_t kept)
{
    const size_t all = chains * kept;
    const size_t at = (size_t)(((double)d + 0.5) * (double)all / (double)D);
    *chain = at / kept;
    *k = at % kept;
}

static void fill_judges(judgement *j)
{
    const rvm_sampler *sm = j->sm;
    const double t_scale = sm->model.classes ? 1 : sm->y->t_scale;
    for (size_t d = 0; d < j->D; d++) {
        size_t chain, k;
        find_draw(&chain, &k, d, j->D, sm->chains, j->kept);
        const rvm_record *r = &sm->record[chain];
        const double unit = t_scale / r->noise_sd[k];
        for (size_t i = 0; i < j->M; i++) {
            const double w = rvm_record_weight(r, sm, k, i) * sm->design.norm[i] / t_scale * unit;
            gsl_matrix_set(j->W, i, d, w);
            j->square[i] += w * w;
        }
    }
    gsl_sort_index(j->order, j->square, 1, j->M);
}

static rvm_status judgement_init(judgement *j, const rvm_sampler *sm, rvm_error *err)
{
    *j = (judgement){ .sm = sm, .kept = rvm_sampler_kept(sm), .M = sm->model.M, .N = sm->model.N };
    j->D = GSL_MIN(JUDGES, sm->chains * j->kept);
    j->W = gsl_matrix_alloc(j->M, j->D);
    j->gap = gsl_matrix_calloc(j->D, j->N);
    j->square = rvm_array(j->M, sizeof *j->square);
    j->order = rvm_array(j->M, sizeof *j->order);
    if (j->W == NULL || j->gap == NULL || j->square == NULL || j->order == NULL)
        return rvm_fail_memory(err, "the draws");
    fill_judges(j);
    return RVM_OK;
}

static void judgement_free(judgement *j)
{
    gsl_matrix_free(j->W);
    gsl_matrix_free(j->gap);
    free(j->square);
    free(j->order);
}

static double gap_size(const judgement *j)
{
    gsl_vector_const_view all = gsl_vector_const_view_array(j->gap->data, j->D * j->N);
    return gsl_blas_dnrm2(&all.vector) / sqrt((double)(j->D * j->N));
}

/* matters[i] for each function: from the one that does least they are left out for as long as nobody
 * could see it. The bias of a regression, which carries the mean, stays. */
static size_t find_functions_that_matter(bool *matters, judgement *j)
{
    const rvm_sampler *sm = j->sm;
    size_t count = j->M;
    for (size_t i = 0; i < j->M; i++)
        matters[i] = true;
    for (size_t k = 0; k < j->M; k++) {
        const size_t i = j->order[k];
        gsl_vector_const_view w = gsl_matrix_const_row(j->W, i);
        gsl_vector_const_view phi = gsl_matrix_const_row(sm->design.PhiT, i);
        if (!sm->model.classes && rvm_basis_is_bias(&sm->y->basis, sm->design.id[i]))
            continue;
        gsl_blas_dger(1, &w.vector, &phi.vector, j->gap);
        if (!(gap_size(j) <= unseen))
            break;
        matters[i] = false;
        count--;
    }
    return count;
}

/* ---- Life ------------------------------------------------------------------------------------ */

void rvm_chains_free(rvm_chains *c)
{
    if (c == NULL)
        return;
    free(c->by_effect);
    free(c->term);
    free(c->row);
    free(c->row_of_file);
    free(c->weight);
    free(c->log_likelihood);
    free(c->noise_sd);
    free(c);
}

static rvm_status alloc_arrays(rvm_chains *c, rvm_error *err)
{
    const size_t all = c->chains * c->draws;
    c->by_effect = rvm_array(c->K, sizeof *c->by_effect);
    c->term = rvm_array(c->K, sizeof *c->term);
    c->row = rvm_array(c->K, sizeof *c->row);
    c->row_of_file = rvm_array(c->K, sizeof *c->row_of_file);
    c->weight = c->K > 0 && all > SIZE_MAX / c->K ? NULL : rvm_array(c->K * all, sizeof *c->weight);
    c->log_likelihood = rvm_array(all, sizeof *c->log_likelihood);
    c->noise_sd = rvm_array(all, sizeof *c->noise_sd);
    if (c->by_effect == NULL || c->term == NULL || c->row == NULL || c->row_of_file == NULL ||
        c->weight == NULL || c->log_likelihood == NULL || c->noise_sd == NULL)
        return rvm_fail_memory(err, "the draws");
    return RVM_OK;
}

/* Where function i of the sampler stands, as function number K of the chains. */
static void place(rvm_chains *c, size_t K, const rvm_sampler *sm, size_t i, const size_t *order)
{
    const rvm_basis *b = &sm->y->basis;
    const size_t id = sm->design.id[i], all = c->chains * c->draws;
    if (rvm_basis_is_term(b, id)) {
        c->term[c->terms++] = rvm_basis_term(b, id);
    } else {
        c->row[K - c->terms] = rvm_basis_row(b, id);
        c->row_of_file[K - c->terms] = order[rvm_basis_row(b, id)];
    }
    for (size_t chain = 0; chain < c->chains; chain++)
        for (size_t k = 0; k < c->draws; k++)
            c->weight[K * all + chain * c->draws + k] =
                rvm_record_weight(&sm->record[chain], sm, k, i);
}

/* effect: K, scratch. */
static void order_by_effect(rvm_chains *c, const judgement *j, const bool *matters, double *effect)
{
    size_t K = 0;
    for (size_t i = 0; i < j->M; i++)
        if (matters[i])
            effect[K++] = -j->square[i];
    gsl_sort_index(c->by_effect, effect, 1, K);
}

static void copy_scalars(rvm_chains *c, const rvm_sampler *sm)
{
    for (size_t chain = 0; chain < c->chains; chain++) {
        const size_t at = chain * c->draws, size = c->draws * sizeof(double);
        memcpy(c->log_likelihood + at, sm->record[chain].log_likelihood, size);
        memcpy(c->noise_sd + at, sm->record[chain].noise_sd, size);
    }
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
        worst = fmax(worst, rvm_rhat_of_halves(mean, variance, 2 * sm->chains, half));
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

static rvm_status fill(rvm_chains *c, const judgement *j, const bool *matters, const rvm_problem *p,
                       rvm_error *err)
{
    const rvm_sampler *sm = j->sm;
    size_t *order = NULL, K = 0;
    rvm_status status = alloc_arrays(c, err);
    if (status == RVM_OK)
        status = rvm_canonical_order(&order, p, err);
    if (status == RVM_OK) /* the draws come to stand there afterwards */
        order_by_effect(c, j, matters, c->weight);
    for (size_t i = 0; status == RVM_OK && i < sm->model.M; i++)
        if (matters[i])
            place(c, K++, sm, i, order);
    free(order);
    if (status != RVM_OK)
        return status;
    copy_scalars(c, sm);
    return diagnose_rows(c, sm, err);
}

rvm_status rvm_chains_alloc(rvm_chains **out, const rvm_sampler *sm, const rvm_problem *p,
                            rvm_error *err)
{
    judgement j = { 0 };
    rvm_chains *c = rvm_array(1, sizeof *c);
    bool *matters = rvm_array(sm->model.M, sizeof *matters);
    rvm_status status = c == NULL || matters == NULL ? rvm_fail_memory(err, "the draws")
                                                     : judgement_init(&j, sm, err);
    if (status == RVM_OK) {
        c->chains = sm->chains;
        c->draws = j.kept;
        c->sampled = sm->model.M;
        c->K = find_functions_that_matter(matters, &j);
        c->classes = sm->model.classes;
        c->bias_mean = sm->model.classes ? 0 : sm->y->t_mean;
        status = fill(c, &j, matters, p, err);
    }
    if (c != NULL && matters != NULL)
        judgement_free(&j);
    free(matters);
    if (status != RVM_OK) {
        rvm_chains_free(c);
        return status;
    }
    *out = c;
    return RVM_OK;
}

/* ---- The latent function --------------------------------------------------------------------- */

static void fill_draws(rvm_latent *f, const rvm_chains *c)
{
    const size_t all = c->chains * c->draws;
    for (size_t d = 0; d < f->draws; d++) {
        size_t chain, k;
        find_draw(&chain, &k, d, f->draws, c->chains, c->draws);
        const size_t at = chain * c->draws + k;
        const double unit = c->classes ? 1 / c->noise_sd[at] : 1;
        f->noise_sd[d] = c->classes ? 1 : c->noise_sd[at];
        for (size_t i = 0; i < c->K; i++)
            f->draw[i * f->draws + d] = c->weight[i * all + at] * unit;
        f->noise_variance += c->classes ? 0 : gsl_pow_2(c->noise_sd[at]) / (double)f->draws;
    }
    for (size_t i = 0; i < c->K; i++)
        f->weight[i] = gsl_stats_mean(f->draw + i * f->draws, 1, f->draws);
}

rvm_status rvm_chains_latent(rvm_latent *f, const rvm_chains *c, size_t keep, rvm_error *err)
{
    if (!rvm_latent_alloc_draws(f, c->K, c->terms, GSL_MIN(keep, c->chains * c->draws)))
        return rvm_fail_memory(err, "the model");
    for (size_t i = 0; i < c->terms; i++)
        f->term[i] = c->term[i];
    for (size_t i = c->terms; i < c->K; i++)
        f->vector[i - c->terms] = c->row[i - c->terms];
    fill_draws(f, c);
    f->bias_mean = rvm_latent_has_bias(f) ? c->bias_mean : 0;
    return RVM_OK;
}

double rvm_chains_mean_log_likelihood(const rvm_chains *c)
{
    return gsl_stats_mean(c->log_likelihood, 1, c->chains * c->draws);
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
        .log_likelihood = rvm_chains_mean_log_likelihood(c),
        .log_likelihood_rhat = rvm_split_rhat(c->log_likelihood, c->chains, c->draws),
        .log_likelihood_size = size,
        .prediction_rhat = c->worst_row,
    };
    return status;
}

/* `w3` for the kernel function of row 3 of the file, `w0` for the bias, else the name of the term. */
static void name_function(char name[RVM_TERM_NAME_SIZE], const rvm_chains *c, size_t k)
{
    if (k >= c->terms)
        snprintf(name, RVM_TERM_NAME_SIZE, "w%zu", c->row_of_file[k - c->terms] + 1);
    else if (c->term[k].degree == 0)
        snprintf(name, RVM_TERM_NAME_SIZE, "w0");
    else
        rvm_term_name(name, &c->term[k]);
}

rvm_status rvm_chains_weight(rvm_weight_summary *out, const rvm_chains *c, size_t k, rvm_error *err)
{
    const size_t all = c->chains * c->draws, i = c->by_effect[k];
    const double *x = c->weight + i * all, mean = gsl_stats_mean(x, 1, all);
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
    name_function(out->name, c, i);
    free(sorted);
    return status;
}

/* ---- The trace ------------------------------------------------------------------------------- */

rvm_status rvm_chains_write(const rvm_chains *c, FILE *out, rvm_error *err)
{
    enum { DIGITS = 7 };
    const size_t all = c->chains * c->draws;
    char name[RVM_TERM_NAME_SIZE], text[RVM_REAL_SIZE];
    fputs("chain draw log_likelihood sigma", out);
    for (size_t k = 0; k < c->K; k++) {
        name_function(name, c, k);
        fprintf(out, " %s", name);
    }
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
        return rvm_fail(err, RVM_EIO, "the trace cannot be written");
    return RVM_OK;
}
