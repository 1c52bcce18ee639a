/* A search over some columns by their Gram matrix. */
#include "search/gram_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "search/sweep.h"

enum {
    LEAST_ROOM = 16, /* functions without which there is no training */
    FIRST_STEPS =
        1,     /* towards the mode of what has just come in: the first approximation is rough */
    STEPS = 2, /* between two approximations */
    MOST_APPROXIMATIONS = 10,
    MOST_HALVINGS = 8
};

/* Nats by which the approximation may overrate the likelihood: beyond the first it is formed anew,
 * beyond the second a sweep has gone too far. */
static const double close_by = 1, too_far = 10;

/* Of beta / alpha: the widest prior of a weight that the Gram matrix has digits for. */
static const double widest = 1e13;

static bool is_curved(const rvm_gram_search *g)
{
    return g->y->observed.likelihood->curved;
}

/* ---- Life ----------------------------------------------------------------------------------- */

size_t rvm_gram_search_capacity(const rvm_study *y, double numbers)
{
    const double held = (double)rvm_spans_held(&y->observed.spans) + 1; /* triangles of a sum */
    const double squares = 16 + 0.5 * held, strips = 4; /* arrays of K^2 numbers, of K strips */
    const size_t M = y->basis.count, N = y->observed.spans.N;
    const double strip = strips * (double)(N < RVM_STRIP ? N : RVM_STRIP);
    double K = LEAST_ROOM;
    if (squares * K * K + strip * K > numbers)
        return 0;
    while (K < (double)M && 1.1025 * squares * K * K + 1.05 * strip * K < numbers)
        K *= 1.05;
    return K < (double)M ? (size_t)K : M;
}

rvm_status rvm_gram_search_init(rvm_gram_search *g, const rvm_study *y, size_t capacity,
                                double kept_numbers, int threads, rvm_error *err)
{
    memset(g, 0, sizeof *g);
    g->y = y;
    g->kept_numbers = kept_numbers;
    g->quadratic = y->observed;
    g->quadratic.likelihood = &rvm_quadratic;
    g->quadratic.ln_ratio_max = log(widest);
    if (is_curved(g)) {
        g->quadratic.noise_fixed = true;
        g->quadratic.ln_beta = g->quadratic.ln_beta_max = 0;
    }
    g->w = rvm_array(capacity, sizeof *g->w);
    g->gram.capacity = capacity;
    g->gram.G = gsl_matrix_alloc(capacity, capacity);
    g->gram.p = rvm_array(capacity, sizeof *g->gram.p);
    rvm_status status = RVM_OK;
    g->gradient = rvm_array(is_curved(g) ? 0 : y->observed.N, sizeof *g->gradient);
    if (g->w == NULL || g->gradient == NULL || g->gram.G == NULL || g->gram.p == NULL)
        status = rvm_fail_memory(err, "the search");
    if (status == RVM_OK)
        status = rvm_climber_init(&g->search, &(const rvm_output){ &g->quadratic, &g->gram }, 1,
                                  capacity, threads, err);
    if (status == RVM_OK)
        status = rvm_statistics_init(&g->search.statistics, capacity, capacity, err);
    if (status == RVM_OK)
        status = rvm_solution_init(&g->before, 1, false, err);
    if (status == RVM_OK && is_curved(g))
        status = rvm_laplace_init(&g->laplace, capacity, y->observed.N, err);
    if (status != RVM_OK)
        rvm_gram_search_free(g);
    return status;
}

void rvm_gram_search_heed(rvm_gram_search *g, const volatile int *interrupted)
{
    g->quadratic.interrupted = g->columns.interrupted = interrupted;
}

void rvm_gram_search_free(rvm_gram_search *g)
{
    rvm_columns_free(&g->columns);
    rvm_climber_free(&g->search);
    rvm_laplace_free(&g->laplace);
    rvm_solution_free(&g->before);
    gsl_matrix_free(g->gram.G);
    free(g->gram.p);
    free(g->w);
    free(g->gradient);
    memset(g, 0, sizeof *g);
}

rvm_status rvm_gram_search_take_rows(rvm_gram_search *g, const rvm_study *y, rvm_error *err)
{
    const rvm_observed *o = &y->observed;
    g->y = y;
    g->quadratic.N = is_curved(g) ? 0 : o->N;
    g->quadratic.spans = is_curved(g) ? rvm_spans_make(0, o->spans.team) : o->spans;
    g->quadratic.t_squared = o->t_squared;
    g->quadratic.bias_ln_alpha_max = o->bias_ln_alpha_max;
    g->quadratic.ln_alpha_min = o->ln_alpha_min;
    g->gram.count = 0;
    g->search.now->K = 0;
    rvm_columns_free(&g->columns);
    const rvm_status status = rvm_columns_init(&g->columns, &y->basis, g->gram.capacity,
                                               g->kept_numbers, g->search.ws.threads, err);
    g->columns.interrupted = g->quadratic.interrupted;
    g->gram.norm = g->columns.norm;
    return status;
}

/* ---- Functions come and go ------------------------------------------------------------------ */

rvm_status rvm_gram_search_add(rvm_gram_search *g, const size_t *id, const double *ln_alpha,
                               size_t count, rvm_error *err)
{
    const size_t first = g->columns.count;
    const rvm_status status = rvm_columns_append(&g->columns, id, count, err);
    for (size_t k = 0, from = 0; status == RVM_OK && first + k < g->columns.count; k++, from++) {
        while (id[from] != g->columns.id[first + k])
            from++; /* it had norm 0 */
        rvm_fit_add(g->search.now, first + k, ln_alpha[from]);
    }
    return status;
}

/* Functions that are columns 0, 1, ...: their weights as they were before, on other rows. Columns
 * that came to nothing on these have left a gap there. */
static void carry_over(rvm_gram_search *g, const rvm_solved *before)
{
    rvm_fit *f = g->search.now;
    for (size_t i = 0, from = 0; i < f->K; i++, from++) {
        while (before->id[from] != g->columns.id[i])
            from++;
        f->ln_alpha[i] += 2 * log(before->norm[from] / g->columns.norm[i]);
        f->u[i] = before->u[from];
    }
}

rvm_status rvm_gram_search_carry(rvm_gram_search *g, const rvm_study *y, const rvm_solved *from,
                                 rvm_error *err)
{
    rvm_status status = rvm_gram_search_take_rows(g, y, err);
    g->search.now->ln_beta = from->ln_beta;
    if (status == RVM_OK)
        status = rvm_gram_search_add(g, from->id, from->ln_alpha, from->K, err);
    if (status == RVM_OK)
        carry_over(g, from);
    return status;
}

static void keep_gram(rvm_columns *gram, const size_t *keep, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gram->p[i] = gram->p[keep[i]];
        for (size_t j = 0; j < count; j++)
            gsl_matrix_set(gram->G, i, j, gsl_matrix_get(gram->G, keep[i], keep[j]));
    }
    gram->count = count;
}

/* Columns of active functions only; functions in the order of their columns. */
static void drop_inactive(rvm_gram_search *g)
{
    rvm_fit *f = g->search.now, *old = g->search.trial;
    size_t *keep = g->search.order, k = 0;
    rvm_fit_copy(old, f);
    for (size_t m = 0; m < g->columns.count; m++) {
        const size_t i = rvm_fit_find(old, m);
        if (i == old->K)
            continue;
        keep[k] = m;
        f->column[k] = k;
        f->ln_alpha[k] = old->ln_alpha[i];
        f->u[k] = old->u[i];
        g->w[k++] = g->w[m];
    }
    rvm_columns_keep(&g->columns, keep, f->K);
    keep_gram(&g->gram, keep, f->K);
}

/* Weights of all columns, 0 where the function is not active. */
static void spread_weights(rvm_gram_search *g)
{
    const rvm_fit *f = g->search.now;
    memset(g->w, 0, g->gram.capacity * sizeof *g->w);
    for (size_t i = 0; i < f->K; i++)
        g->w[f->column[i]] = rvm_fit_weight(f, i);
}

/* No prior wider than the Gram matrix can tell from a flat one. */
static void bound_alpha(rvm_gram_search *g)
{
    rvm_fit *f = g->search.now;
    const double least = rvm_observed_least_ln_alpha(&g->quadratic, f->ln_beta);
    for (size_t i = 0; i < f->K; i++)
        if (f->ln_alpha[i] < least)
            rvm_fit_set_alpha(f, i, least);
}

/* ---- Several processes ----------------------------------------------------------------------- */

/* What of a fit is a number. */
typedef struct {
    size_t K;
    double ln_beta, log_evidence, residual_squares;
} fit_numbers;

/* The fit of rank 0, but for its factor. */
static void take_fit(rvm_fit *f, rvm_team *team)
{
    fit_numbers n = { f->K, f->ln_beta, f->log_evidence, f->residual_squares };
    rvm_team_same(team, &n, sizeof n);
    f->K = n.K;
    f->ln_beta = n.ln_beta;
    f->log_evidence = n.log_evidence;
    f->residual_squares = n.residual_squares;
    rvm_team_same(team, f->column, f->K * sizeof *f->column);
    rvm_team_same(team, f->ln_alpha, f->K * sizeof *f->ln_alpha);
    rvm_team_same(team, f->u, f->K * sizeof *f->u);
}

static bool is_same(const rvm_fit *f, const rvm_fit *g)
{
    return f->K == g->K && f->ln_beta == g->ln_beta &&
           memcmp(f->column, g->column, f->K * sizeof *f->column) == 0 &&
           memcmp(f->ln_alpha, g->ln_alpha, f->K * sizeof *f->ln_alpha) == 0;
}

/* Every process moves on the same Gram matrix by itself. Where their processors round in other ways
 * they may end elsewhere, and what they do next would not fit together: what rank 0 has counts. One
 * that was elsewhere computes its factor anew. */
static rvm_status agree(rvm_gram_search *g, rvm_status status, rvm_error *err)
{
    rvm_team *team = g->y->observed.spans.team;
    rvm_fit *f = g->search.now, *mine = g->search.trial;
    if (rvm_team_size(team) == 1)
        return status;
    status = rvm_team_agree(team, status, err);
    if (status != RVM_OK)
        return status;
    rvm_fit_copy(mine, f);
    take_fit(f, team);
    if (!is_same(f, mine))
        status = rvm_climber_locate(&g->search, err);
    status = rvm_team_agree(team, status, err);
    if (status == RVM_OK)
        take_fit(f, team);
    return status;
}

/* The posterior where the search is. */
static rvm_status locate(rvm_gram_search *g, rvm_error *err)
{
    return agree(g, rvm_climber_locate(&g->search, err), err);
}

/* ---- Regression ----------------------------------------------------------------------------- */

static rvm_status extend_gram(rvm_gram_search *g, rvm_error *err)
{
    const size_t known = g->gram.count;
    g->gram.count = g->columns.count;
    return rvm_columns_gram(g->gram.G, g->gram.p, &g->columns, known, g->y->observed.t, NULL, NULL,
                            err);
}

static rvm_status run_regression(rvm_gram_search *g, int sweeps, const rvm_climb_settings *climb,
                                 rvm_error *err)
{
    bool converged;
    rvm_status status = extend_gram(g, err);
    if (status != RVM_OK)
        return status;
    status = rvm_sweep_run(&g->search, sweeps, 2, err);
    if (status == RVM_OK)
        rvm_climb_run(&g->search, climb, &converged);
    status = agree(g, status, err);
    if (status != RVM_OK)
        return status;
    drop_inactive(g);
    return locate(g, err);
}

/* ---- Two classes ---------------------------------------------------------------------------- */

/* Towards the mode of the functions, which are all columns in order, from their u, or from the
 * weights w (NULL: none) of the last approximation where these are better; steps 0: to the mode. */
static rvm_status approach(rvm_gram_search *g, const double *w, int steps, rvm_error *err)
{
    return rvm_laplace_locate(g->search.now, &g->laplace, &g->columns, &g->y->observed, w, steps,
                              err);
}

/* The approximation where `approach` has led. */
static rvm_status approximate(rvm_gram_search *g, rvm_error *err)
{
    g->gram.count = g->columns.count;
    spread_weights(g);
    return rvm_laplace_expand(g->gram.G, g->gram.p, &g->quadratic.t_squared, &g->laplace,
                              g->search.now, &g->y->observed, err);
}

/* Half of the way that the last sweep went, in every ln alpha; what it deleted stays so. */
static void go_halfway(rvm_gram_search *g)
{
    rvm_fit *f = g->search.now;
    const rvm_solved *b = g->before.latent;
    for (size_t i = 0, k = 0; i < f->K; i++) {
        while (b->id[k] != g->columns.id[f->column[i]])
            k++; /* deleting keeps the order */
        rvm_fit_set_alpha(f, i, 0.5 * (f->ln_alpha[i] + b->ln_alpha[k]));
    }
}

/* Nats by which the approximation overrates the likelihood at the weights of the search. */
static rvm_status overrated(double *nats, rvm_gram_search *g, rvm_error *err)
{
    const double belief = g->laplace.log_likelihood - 0.5 * g->search.now->residual_squares;
    double truth = 0;
    const rvm_status status = rvm_laplace_likelihood(&truth, &g->laplace, &g->columns,
                                                     &g->y->observed, g->search.now, err);
    *nats = belief - truth;
    return status;
}

/* One sweep, or as much of it as the approximation reaches. */
static rvm_status sweep_once(double *off, rvm_gram_search *g, rvm_error *err)
{
    rvm_status status = rvm_gram_search_save(&g->before, 0, g, err);
    if (status == RVM_OK)
        status = agree(g, rvm_sweep_run(&g->search, 1, 2, err), err);
    if (status == RVM_OK)
        status = overrated(off, g, err);
    for (int k = 0; k < MOST_HALVINGS && status == RVM_OK && !(*off < too_far); k++) {
        go_halfway(g);
        status = locate(g, err);
        if (status == RVM_OK)
            status = overrated(off, g, err);
    }
    return status;
}

/* As many sweeps as the approximation is good for; *left counts them down. */
static rvm_status sweep_approximation(int *left, rvm_gram_search *g, rvm_error *err)
{
    double off = 0;
    rvm_status status = locate(g, err);
    for (; *left > 0 && status == RVM_OK && off < close_by; --*left)
        status = sweep_once(&off, g, err);
    return status;
}

static rvm_status run_classes(rvm_gram_search *g, int sweeps, const rvm_climb_settings *climb,
                              rvm_error *err)
{
    rvm_status status = RVM_OK;
    int left = sweeps;
    bool converged;
    for (int k = 0; k < MOST_APPROXIMATIONS && left > 0 && status == RVM_OK; k++) {
        status = approach(g, k == 0 ? NULL : g->w, k == 0 ? FIRST_STEPS : STEPS, err);
        if (status == RVM_OK)
            status = approximate(g, err);
        if (status != RVM_OK)
            break;
        status = sweep_approximation(&left, g, err);
        drop_inactive(g);
    }
    if (status == RVM_OK)
        status = approach(g, sweeps > 0 ? g->w : NULL, STEPS, err);
    if (status == RVM_OK)
        status = approximate(g, err);
    if (status == RVM_OK)
        status = locate(g, err);
    if (status != RVM_OK)
        return status;
    rvm_climb_run(&g->search, climb, &converged);
    status = agree(g, RVM_OK, err);
    if (status != RVM_OK)
        return status;
    drop_inactive(g);
    return approach(g, g->w, 0, err);
}

/* ---- Both ----------------------------------------------------------------------------------- */

rvm_status rvm_gram_search_run(rvm_gram_search *g, int sweeps, const rvm_climb_settings *climb,
                               rvm_error *err)
{
    bound_alpha(g);
    return is_curved(g) ? run_classes(g, sweeps, climb, err)
                        : run_regression(g, sweeps, climb, err);
}

rvm_status rvm_gram_search_save(rvm_solution *to, size_t k, const rvm_gram_search *g,
                                rvm_error *err)
{
    return rvm_solution_save(to, k, g->search.now, g->columns.id, g->columns.norm, err);
}

rvm_status rvm_gram_search_restore(rvm_gram_search *g, const rvm_solved *f, rvm_error *err)
{
    rvm_columns_keep(&g->columns, NULL, 0);
    g->gram.count = 0;
    rvm_status status = rvm_columns_append(&g->columns, f->id, f->K, err);
    rvm_solution_load(g->search.now, f, NULL);
    if (status == RVM_OK && is_curved(g))
        return approach(g, NULL, 0, err);
    if (status == RVM_OK)
        status = extend_gram(g, err);
    return status == RVM_OK ? locate(g, err) : status;
}

rvm_status rvm_gram_search_posterior(rvm_posterior_at *at, rvm_gram_search *g, rvm_error *err)
{
    const rvm_observed *o = &g->y->observed;
    const rvm_fit *f = g->search.now;
    const double beta = exp(f->ln_beta);
    *at = (rvm_posterior_at){ .y = g->y,
                              .columns = &g->columns,
                              .ln_alpha = f->ln_alpha,
                              .gradient = g->laplace.gradient,
                              .curvature = g->laplace.curvature,
                              .beta = beta,
                              .threads = g->search.ws.threads };
    if (is_curved(g))
        return RVM_OK;
    spread_weights(g);
    const rvm_status status = rvm_columns_apply(g->gradient, &g->columns, g->w, err);
    for (size_t n = 0; n < o->N && status == RVM_OK; n++)
        g->gradient[n] = beta * (o->t[n] - g->gradient[n]);
    at->gradient = g->gradient;
    return status;
}

/* ---- To be gone on with ---------------------------------------------------------------------- */

/* Two classes: what laplace has of the rows at the mode, which depends on the weights alone. */
static rvm_status stand(rvm_gram_search *g, rvm_error *err)
{
    const rvm_observed *o = &g->y->observed;
    rvm_laplace *l = &g->laplace;
    const rvm_fit *f = g->search.now;
    const rvm_status status = rvm_laplace_likelihood(&l->log_likelihood, l, &g->columns, o, f, err);
    if (status == RVM_OK)
        o->likelihood->derivatives(l->gradient, l->curvature, o, l->f, f->ln_beta);
    return status;
}

/* Regression: sums over rows that came in parts, as functions did, would come to other last digits
 * in one go. */
static void code_gram(rvm_gram_search *g, rvm_codec *c)
{
    const size_t K = g->columns.count;
    g->gram.count = K;
    rvm_codec_key(c, "gram");
    for (size_t i = 0; i < K && c->status == RVM_OK; i++) {
        rvm_codec_line(c);
        rvm_codec_bits(c, &g->gram.p[i], 1);
        rvm_codec_bits(c, gsl_matrix_ptr(g->gram.G, i, 0), i + 1);
        for (size_t j = 0; j < i; j++)
            gsl_matrix_set(g->gram.G, j, i, gsl_matrix_get(g->gram.G, i, j));
    }
}

/* Columns of the functions that were read, all of which have values on these rows. */
static rvm_status place(rvm_gram_search *g, const rvm_solved *f, rvm_error *err)
{
    rvm_columns_keep(&g->columns, NULL, 0);
    rvm_solution_load(g->search.now, f, NULL);
    return rvm_columns_append(&g->columns, f->id, f->K, err);
}

void rvm_gram_search_code(rvm_gram_search *g, rvm_codec *c)
{
    const bool reads = rvm_codec_reads(c);
    if (!reads)
        c->status = rvm_gram_search_save(&g->before, 0, g, c->err);
    rvm_solution_code(c, &g->before, g->y->basis.count, g->gram.capacity);
    if (c->status == RVM_OK && reads)
        c->status = place(g, g->before.latent, c->err);
    if (g->columns.count != g->search.now->K)
        rvm_codec_fault_line(c, "a basis function has no values on these rows");
    if (c->status == RVM_OK && !is_curved(g))
        code_gram(g, c);
    if (c->status == RVM_OK && reads)
        c->status = is_curved(g) ? stand(g, c->err) : rvm_climber_locate(&g->search, c->err);
}
