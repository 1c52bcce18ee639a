/* A search that has ended, as a file has it: its solution, and what it reports. */
#include "search/ended.h"

#include <limits.h>
#include <stdlib.h>

#include "base/alloc.h"

typedef struct {
    const rvm_study *y; /* borrowed */
    int threads;
    rvm_solution solution;
    double *log_prior; /* owned: of each latent function */
    rvm_report report;
} ended;

/* ---- The file ------------------------------------------------------------------------------- */

static void code_report(rvm_codec *c, rvm_report *r)
{
    rvm_codec_key(c, "report");
    rvm_codec_whole(c, &r->start, 0, INT_MAX);
    rvm_codec_whole(c, &r->starts, 0, INT_MAX);
    rvm_codec_count(c, &r->rows, 0, SIZE_MAX / 2);
    rvm_codec_count(c, &r->functions, 0, SIZE_MAX / 2);
    rvm_codec_bits(c, &r->log_evidence, 1);
    rvm_codec_bits(c, &r->credit, 1);
    rvm_codec_bits(c, &r->progress, 1);
    rvm_codec_bits(c, &r->noise_sd, 1);
    rvm_codec_flag(c, &r->converged);
    rvm_codec_flag(c, &r->noise_at_bound);
}

static void code(rvm_codec *c, ended *e)
{
    const size_t M = e->y->basis.count;
    code_report(c, &e->report);
    rvm_codec_key(c, "log_priors");
    rvm_codec_bits(c, e->log_prior, e->solution.latents);
    rvm_solution_code(c, &e->solution, M, M);
}

/* What the functions are is borrowed from the search. */
void rvm_ended_write(rvm_codec *c, const rvm_search_type *type, const void *search,
                     const rvm_study *y, size_t latents)
{
    ended e = { .y = y };
    e.solution = (rvm_solution){ .latents = latents, .found = true };
    e.solution.latent = rvm_array(latents, sizeof *e.solution.latent);
    e.log_prior = rvm_array(latents, sizeof *e.log_prior);
    const bool memory = e.solution.latent != NULL && e.log_prior != NULL;
    if (!memory)
        rvm_codec_fault_memory(c);
    for (size_t k = 0; k < latents && memory && c->status == RVM_OK; k++) {
        const rvm_found f = type->solution(search, k);
        e.solution.latent[k] = *f.solved;
        e.log_prior[k] = f.log_prior;
    }
    e.report = (rvm_report){ .start = 1, .starts = 1, .rows = y->observed.spans.N };
    type->report(&e.report, search);
    if (c->status == RVM_OK)
        code(c, &e);
    free(e.solution.latent);
    free(e.log_prior);
}

/* ---- The row of the table ------------------------------------------------------------------- */

static rvm_status step(bool *done, void *search, rvm_error *err)
{
    (void)search, (void)err;
    *done = true;
    return RVM_OK;
}

static void report(rvm_report *r, const void *search)
{
    const rvm_report *from = &((const ended *)search)->report;
    r->start = from->start;
    r->starts = from->starts;
    r->rows = from->rows;
    r->functions = from->functions;
    r->log_evidence = from->log_evidence;
    r->credit = from->credit;
    r->progress = from->progress;
    r->noise_sd = from->noise_sd;
    r->converged = from->converged;
    r->noise_at_bound = from->noise_at_bound;
}

static rvm_found solution(const void *search, size_t k)
{
    const ended *e = search;
    const rvm_solved *s = &e->solution.latent[k];
    const rvm_columns columns = { .basis = e->y->basis,
                                  .N = e->y->observed.N,
                                  .count = s->K,
                                  .capacity = s->K,
                                  .id = s->id,
                                  .norm = s->norm,
                                  .threads = e->threads };
    return (rvm_found){ s, columns, e->log_prior[k] };
}

static void ended_free(void *search)
{
    ended *e = search;
    rvm_solution_free(&e->solution);
    free(e->log_prior);
}

void rvm_ended_read(rvm_codec *c, void **search, rvm_search_type *type, const rvm_search_type *of,
                    const rvm_study *y, size_t latents, int threads)
{
    ended *e = rvm_array(1, sizeof *e);
    if (e == NULL) {
        rvm_codec_fault_memory(c);
        return;
    }
    *type = (rvm_search_type){ .name = of->name,
                               .trivial = of->trivial,
                               .one_vs_rest = of->one_vs_rest,
                               .size = sizeof *e,
                               .step = step,
                               .report = report,
                               .solution = solution,
                               .free = ended_free };
    e->y = y;
    e->threads = threads;
    e->log_prior = rvm_array(latents, sizeof *e->log_prior);
    if (e->log_prior == NULL)
        rvm_codec_fault_memory(c);
    if (c->status == RVM_OK)
        c->status = rvm_solution_init(&e->solution, latents, false, c->err);
    if (c->status == RVM_OK)
        code(c, e);
    *search = e;
}
