/* What there is to keep of an optimum, or of a search on its way there. */
#include "search/solution.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/* Nats of score within which two optima count as of one kind. Collapsed ones on pure noise differ
 * by 50 and more, sound ones of 35 to 50 functions by 1 to 8. */
static const double close_call = 10;

rvm_status rvm_solution_init(rvm_solution *s, size_t latents, bool shared, rvm_error *err)
{
    *s = (rvm_solution){ .latents = latents, .shared = shared };
    s->latent = rvm_array(latents, sizeof *s->latent);
    return s->latent == NULL ? rvm_fail_memory(err, "a solution") : RVM_OK;
}

static void free_solved(rvm_solved *f)
{
    free(f->id);
    free(f->norm);
    free(f->ln_alpha);
    free(f->u);
    memset(f, 0, sizeof *f);
}

void rvm_solution_free(rvm_solution *s)
{
    for (size_t k = 0; s->latent != NULL && k < s->latents; k++)
        free_solved(&s->latent[k]);
    free(s->latent);
    memset(s, 0, sizeof *s);
}

void rvm_solution_swap(rvm_solution *a, rvm_solution *b)
{
    const rvm_solution kept = *a;
    *a = *b;
    *b = kept;
}

static bool make_room(rvm_solved *f, size_t K)
{
    if (K <= f->capacity)
        return true;
    free_solved(f);
    f->id = rvm_array(K, sizeof *f->id);
    f->norm = rvm_array(K, sizeof *f->norm);
    f->ln_alpha = rvm_array(K, sizeof *f->ln_alpha);
    f->u = rvm_array(K, sizeof *f->u);
    if (f->id == NULL || f->norm == NULL || f->ln_alpha == NULL || f->u == NULL) {
        free_solved(f);
        return false;
    }
    f->capacity = K;
    return true;
}

rvm_status rvm_solution_save(rvm_solution *to, size_t k, const rvm_fit *from, const size_t *id,
                             const double *norm, rvm_error *err)
{
    rvm_solved *f = &to->latent[k];
    if (!make_room(f, from->K))
        return rvm_fail_memory(err, "a solution");
    for (size_t i = 0; i < from->K; i++) {
        f->id[i] = id[from->column[i]];
        f->norm[i] = norm[from->column[i]];
        f->ln_alpha[i] = from->ln_alpha[i];
        f->u[i] = from->u[i];
    }
    f->K = from->K;
    f->ln_beta = from->ln_beta;
    f->log_evidence = from->log_evidence;
    to->found = true;
    return RVM_OK;
}

void rvm_solution_load(rvm_fit *to, const rvm_solved *from, const size_t *id)
{
    to->K = from->K;
    for (size_t i = 0; i < from->K; i++) {
        size_t column = 0;
        while (id != NULL && id[column] != from->id[i])
            column++;
        to->column[i] = id == NULL ? i : column;
        to->ln_alpha[i] = from->ln_alpha[i];
        to->u[i] = from->u[i];
    }
    to->ln_beta = from->ln_beta;
    to->log_evidence = from->log_evidence;
}

/* ---- Several processes ----------------------------------------------------------------------- */

static rvm_status share_solved(rvm_solved *f, rvm_team *team, int from, rvm_error *err)
{
    rvm_status status = RVM_OK;
    size_t K = f->K;
    rvm_team_broadcast(team, &K, sizeof K, from);
    if (!make_room(f, K))
        status = rvm_fail_memory(err, "a solution");
    status = rvm_team_agree(team, status, err);
    if (status != RVM_OK)
        return status;
    f->K = K;
    rvm_team_broadcast(team, f->id, K * sizeof *f->id, from);
    rvm_team_broadcast(team, f->norm, K * sizeof *f->norm, from);
    rvm_team_broadcast(team, f->ln_alpha, K * sizeof *f->ln_alpha, from);
    rvm_team_broadcast(team, f->u, K * sizeof *f->u, from);
    rvm_team_broadcast(team, &f->ln_beta, sizeof f->ln_beta, from);
    rvm_team_broadcast(team, &f->log_evidence, sizeof f->log_evidence, from);
    return RVM_OK;
}

rvm_status rvm_solution_share(rvm_solution *s, rvm_team *team, int from, rvm_error *err)
{
    rvm_status status = RVM_OK;
    if (rvm_team_size(team) == 1)
        return RVM_OK;
    rvm_team_broadcast(team, &s->in_common, sizeof s->in_common, from);
    rvm_team_broadcast(team, &s->margin, sizeof s->margin, from);
    rvm_team_broadcast(team, &s->found, sizeof s->found, from);
    rvm_team_broadcast(team, &s->converged, sizeof s->converged, from);
    for (size_t k = 0; k < s->latents && status == RVM_OK; k++)
        status = share_solved(&s->latent[k], team, from, err);
    return status;
}

/* ---- In a file ------------------------------------------------------------------------------- */

/* Numbers that precisions, weights and norms can be. */
static void check_function(rvm_codec *c, const rvm_solved *f, size_t i)
{
    if (!isfinite(f->norm[i]) || !(f->norm[i] > 0) || !isfinite(f->ln_alpha[i]) ||
        !isfinite(f->u[i]))
        rvm_codec_fault_line(c, "a basis function has numbers that are impossible");
}

static void code_solved(rvm_codec *c, rvm_solved *f, size_t M, size_t most)
{
    size_t K = f->K;
    rvm_codec_key(c, "functions");
    rvm_codec_count(c, &K, 0, most);
    if (c->status == RVM_OK && !make_room(f, K))
        rvm_codec_fault_memory(c);
    if (c->status != RVM_OK)
        return;
    f->K = K;
    rvm_codec_bits(c, &f->ln_beta, 1);
    rvm_codec_bits(c, &f->log_evidence, 1);
    if (!isfinite(f->ln_beta))
        rvm_codec_fault_line(c, "there is no such noise");
    for (size_t i = 0; i < K && c->status == RVM_OK; i++) {
        rvm_codec_line(c);
        rvm_codec_count(c, &f->id[i], 0, M - 1);
        rvm_codec_bits(c, &f->norm[i], 1);
        rvm_codec_bits(c, &f->ln_alpha[i], 1);
        rvm_codec_bits(c, &f->u[i], 1);
        check_function(c, f, i);
    }
}

void rvm_solution_code(rvm_codec *c, rvm_solution *s, size_t M, size_t most)
{
    rvm_codec_key(c, "solution");
    rvm_codec_flag(c, &s->found);
    rvm_codec_flag(c, &s->converged);
    rvm_codec_bits(c, &s->in_common, 1);
    rvm_codec_bits(c, &s->margin, 1);
    for (size_t k = 0; k < s->latents; k++)
        code_solved(c, &s->latent[k], M, most);
}

/* ---- Which is better ------------------------------------------------------------------------- */

size_t rvm_solution_functions(const rvm_solution *s)
{
    size_t sum = 0, most = 0;
    for (size_t k = 0; k < s->latents; k++) {
        sum += s->latent[k].K;
        most = GSL_MAX(most, s->latent[k].K); /* a constant output has the bias alone */
    }
    return s->shared ? most : sum;
}

double rvm_solution_log_evidence(const rvm_solution *s)
{
    double sum = s->in_common;
    for (size_t k = 0; k < s->latents; k++)
        sum += s->latent[k].log_evidence;
    return sum;
}

double rvm_solution_score(const rvm_solution *s)
{
    return rvm_solution_log_evidence(s) - (double)rvm_solution_functions(s);
}

bool rvm_solution_prefer(const rvm_solution *a, const rvm_solution *b, double top, double credit)
{
    const bool a_sound = rvm_solution_score(a) >= top - close_call;
    const bool b_sound = rvm_solution_score(b) >= top - close_call;
    if (a_sound != b_sound)
        return b_sound;
    const double evidence = rvm_solution_log_evidence(a);
    const double gain = rvm_solution_log_evidence(b) - evidence;
    const double more = (double)rvm_solution_functions(b) - (double)rvm_solution_functions(a);
    return gain + credit * more > 1e-6 * fabs(evidence);
}
