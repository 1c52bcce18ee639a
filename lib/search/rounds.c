/* Rounds of candidates: what the searches share that cannot keep the columns of all of them. */
#include "search/rounds.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/parallel.h"

enum {
    FIRST_SWEEPS = 10, /* of the first round; later ones start near a solution */
    SWEEPS = 5
};

/* A round goes on to other candidates long before it is at an optimum. */
static const rvm_climb_settings quick = { .max_moves = 1, .iterations = 4, .newton = 0.1 };
static const rvm_climb_settings last = { .max_moves = 20, .iterations = 20, .newton = 1e-3 };

/* Nats, and share of a nat for each row, that a round is to gain. */
static const double poor_round = 0.5, poor_share = 5e-4;

rvm_status rvm_rounds_init(rvm_rounds *r, const rvm_study *y, double row_numbers,
                           const rvm_settings *s, rvm_error *err)
{
    const size_t M = y->basis.count, N = y->observed.spans.N;
    const size_t most = M < RVM_ROUNDS_SAMPLE ? M : RVM_ROUNDS_SAMPLE;
    /* A quarter for columns that are kept, of a team all together. All rows count, so that any team
     * has the same capacity. */
    const double numbers = s->budget_mb * 1048576 / 8 - row_numbers * (double)N;
    const double kept = 0.25 * numbers / rvm_team_size(y->observed.spans.team);
    const size_t capacity = rvm_gram_search_capacity(y, 0.75 * numbers);
    if (capacity == 0)
        return rvm_fail(err, RVM_ENOMEM, "-m %g is too small for %zu rows", s->budget_mb, N);
    r->tolerance = s->tolerance;
    r->rng = gsl_rng_alloc(gsl_rng_taus2);
    r->order = rvm_array(most, sizeof *r->order);
    r->ln_alpha = rvm_array(most, sizeof *r->ln_alpha);
    r->candidates = rvm_array(most, sizeof *r->candidates);
    if (r->rng == NULL || r->order == NULL || r->ln_alpha == NULL || r->candidates == NULL)
        return rvm_fail_memory(err, "the candidates");
    gsl_rng_set(r->rng, s->seed);
    return rvm_gram_search_init(&r->gram, y, capacity, kept, rvm_threads(s->threads), err);
}

void rvm_rounds_free(rvm_rounds *r)
{
    rvm_gram_search_free(&r->gram);
    gsl_rng_free(r->rng);
    free(r->order);
    free(r->ln_alpha);
    free(r->candidates);
}

void rvm_rounds_begin(rvm_rounds *r)
{
    r->count = 0;
    r->gained = 0;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

static rvm_status run(rvm_rounds *r, int sweeps, rvm_climb_settings climb, rvm_error *err)
{
    climb.tolerance = r->tolerance;
    return rvm_gram_search_run(&r->gram, sweeps, &climb, err);
}

rvm_status rvm_rounds_first(rvm_rounds *r, size_t most, double widen, rvm_error *err)
{
    const rvm_study *y = r->gram.y;
    const rvm_columns *c = &r->gram.columns;
    const double ln_alpha = rvm_study_ln_alpha(y) - widen;
    size_t count;
    rvm_status status = rvm_candidates_draw(r->order, &count, c,
                                            least_of(c->capacity - c->count, most), r->rng, err);
    if (status != RVM_OK)
        return status;
    for (size_t k = 0; k < count; k++)
        r->ln_alpha[k] = ln_alpha;
    if (y->basis.bias && count > 0) {
        r->order[0] = 0;
        r->ln_alpha[0] = fmin(ln_alpha, y->observed.bias_ln_alpha_max);
    }
    status = rvm_gram_search_add(&r->gram, r->order, r->ln_alpha, count, err);
    return status == RVM_OK ? run(r, FIRST_SWEEPS, quick, err) : status;
}

rvm_status rvm_rounds_sample(size_t *found, rvm_rounds *r, size_t most, const size_t *wanted,
                             size_t count, rvm_error *err)
{
    const size_t room = least_of(r->gram.y->basis.count, RVM_ROUNDS_SAMPLE);
    size_t drawn = 0;
    rvm_posterior_at at;
    rvm_status status = rvm_gram_search_posterior(&at, &r->gram, err);
    if (status == RVM_OK)
        status =
            rvm_candidates_draw(r->order, &drawn, at.columns, least_of(most, room), r->rng, err);
    if (status == RVM_OK && count > 0)
        status = rvm_candidates_add(r->order, &drawn, room, at.columns, wanted, count, err);
    return status == RVM_OK
               ? rvm_candidates_find(r->candidates, found, &at, r->order, drawn, r->tolerance, err)
               : status;
}

rvm_status rvm_rounds_let_in(rvm_rounds *r, size_t chunk, rvm_error *err)
{
    rvm_candidates_sort_by_id(r->candidates, chunk);
    for (size_t k = 0; k < chunk; k++) {
        r->order[k] = r->candidates[k].id;
        r->ln_alpha[k] = r->candidates[k].ln_alpha;
    }
    const rvm_status status = rvm_gram_search_add(&r->gram, r->order, r->ln_alpha, chunk, err);
    return status == RVM_OK ? run(r, SWEEPS, quick, err) : status;
}

rvm_status rvm_rounds_move(rvm_rounds *r, rvm_error *err)
{
    return run(r, 1, quick, err);
}

rvm_status rvm_rounds_settle(rvm_rounds *r, double thin, rvm_error *err)
{
    rvm_climb_settings how = last;
    how.thin = thin;
    return run(r, 0, how, err);
}

double rvm_rounds_score(const rvm_rounds *r, double nats)
{
    const rvm_fit *f = r->gram.search.now;
    return f->log_evidence - (double)f->K * (r->gram.y->observed.prune_margin + nats);
}

bool rvm_rounds_end(rvm_rounds *r, double gained, double least, double part)
{
    const double rows = (double)r->gram.y->observed.spans.N;
    const double poor = fmax(fmax(poor_round, least), fmax(poor_share * rows, part * r->gained));
    if (r->count++ > 0)
        r->gained += gained;
    return gained < poor;
}

/* The state of taus2 is three numbers of 32 bits, from 16 on (L'Ecuyer 1996). */
static void code_state(rvm_codec *c, gsl_rng *rng)
{
    unsigned long *state = gsl_rng_state(rng);
    for (size_t k = 0; k < gsl_rng_size(rng) / sizeof *state; k++) {
        uint64_t word = state[k];
        rvm_codec_word64(c, &word);
        if (word < 16 || word > UINT32_MAX)
            rvm_codec_fault_line(c, "these are no random numbers");
        state[k] = (unsigned long)word;
    }
}

void rvm_rounds_code(rvm_codec *c, rvm_rounds *r)
{
    rvm_codec_key(c, "rounds");
    rvm_codec_whole(c, &r->count, 0, INT_MAX);
    rvm_codec_bits(c, &r->gained, 1);
    code_state(c, r->rng);
}
