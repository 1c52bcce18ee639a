/* What a training is of: its data, in any order of the rows, and its settings. */
#include "product/fingerprint.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/value.h"
#include "data/problem.h"

/* ---- Data ----------------------------------------------------------------------------------- */

static uint64_t row_of(const rvm_problem *p, size_t i)
{
    const size_t first = p->start[i], pairs = p->start[i + 1] - first;
    uint64_t hash = RVM_HASH_START;
    hash = rvm_hash_bytes(hash, p->target + i * p->outputs, p->outputs * sizeof *p->target);
    hash = rvm_hash_bytes(hash, p->index + first, pairs * sizeof *p->index);
    return rvm_hash_spread(rvm_hash_bytes(hash, p->value + first, pairs * sizeof *p->value));
}

uint64_t rvm_fingerprint_rows(const rvm_problem *p)
{
    size_t sum = 0; /* in any order; 32 bits of it do where there are no more */
    for (size_t i = 0; i < p->rows; i++)
        sum += (size_t)row_of(p, i);
    return rvm_team_total(p->team, sum);
}

/* ---- Settings ------------------------------------------------------------------------------- */

typedef struct {
    const char *option; /* of rvm-train, which says it */
    rvm_value_kind kind;
    size_t offset;
} field;

#define FIELD(name) offsetof(rvm_settings, name)

/* Those of one number. An enumeration is an int. */
static const field fields[] = {
    { "-s", RVM_VALUE_INT, FIELD(task) },
    { "-t", RVM_VALUE_INT, FIELD(kernel.type) },
    { "-d", RVM_VALUE_INT, FIELD(kernel.degree) },
    { "-d", RVM_VALUE_FLAG, FIELD(tune.degree) },
    { "-g", RVM_VALUE_REAL, FIELD(kernel.gamma) },
    { "-g", RVM_VALUE_FLAG, FIELD(tune.gamma) },
    { "-r", RVM_VALUE_REAL, FIELD(kernel.coef0) },
    { "-r", RVM_VALUE_FLAG, FIELD(tune.coef0) },
    { "--auto", RVM_VALUE_FLAG, FIELD(tune.race) },
    { "--auto", RVM_VALUE_FLAG, FIELD(tune.ard) },
    { "--auto", RVM_VALUE_FLAG, FIELD(tune.linear) },
    { "--auto", RVM_VALUE_FLAG, FIELD(tune.prior) },
    { "--auto", RVM_VALUE_FLAG, FIELD(tune.standardize) },
    { "--auto", RVM_VALUE_REAL, FIELD(tune.seconds) },
    { "--standardize", RVM_VALUE_FLAG, FIELD(standardize) },
    { "--ard", RVM_VALUE_FLAG, FIELD(ard) },
    { "--basis", RVM_VALUE_FLAG, FIELD(bias) },
    { "--basis", RVM_VALUE_FLAG, FIELD(linear) },
    { "--basis", RVM_VALUE_FLAG, FIELD(quadratic) },
    { "--noise-variance", RVM_VALUE_REAL, FIELD(noise_variance) },
    { "--shared-noise", RVM_VALUE_FLAG, FIELD(shared_noise) },
    { "--prior", RVM_VALUE_REAL, FIELD(weight_prior.shape) },
    { "--prior", RVM_VALUE_REAL, FIELD(weight_prior.rate) },
    { "--prior", RVM_VALUE_FLAG, FIELD(kernel_prior) },
    { "--prior", RVM_VALUE_FLAG, FIELD(sampling.mixture) },
    { "--prior", RVM_VALUE_FLAG, FIELD(sampling.prior_given) },
    { "--vectors", RVM_VALUE_INT, FIELD(vectors) },
    { "--noise-prior", RVM_VALUE_REAL, FIELD(noise_prior.shape) },
    { "--noise-prior", RVM_VALUE_REAL, FIELD(noise_prior.rate) },
    { "--noise-prior", RVM_VALUE_FLAG, FIELD(sampling.noise_prior_given) },
    { "-e", RVM_VALUE_REAL, FIELD(tolerance) },
    { "--prune-margin", RVM_VALUE_REAL, FIELD(prune_margin) },
    { "-m", RVM_VALUE_REAL, FIELD(budget_mb) },
    { "--restarts", RVM_VALUE_INT, FIELD(restarts) },
    { "--seed", RVM_VALUE_UNSIGNED, FIELD(seed) },
    { "--method", RVM_VALUE_INT, FIELD(method) },
    { "--samples", RVM_VALUE_INT, FIELD(sampling.samples) },
    { "--burn-in", RVM_VALUE_INT, FIELD(sampling.burn_in) },
    { "--thin", RVM_VALUE_INT, FIELD(sampling.thin) },
    { "--chains", RVM_VALUE_INT, FIELD(sampling.chains) },
    { "--keep", RVM_VALUE_INT, FIELD(sampling.keep) },
    { "--alpha-min", RVM_VALUE_REAL, FIELD(sampling.alpha_min) },
    { "--alpha-max", RVM_VALUE_REAL, FIELD(sampling.alpha_max) },
    { "--gibbs-basis", RVM_VALUE_INT, FIELD(sampling.basis) },
    { "--multiclass", RVM_VALUE_INT, FIELD(multiclass) },
    { "-b", RVM_VALUE_FLAG, FIELD(probability) },
};

/* The bits of a value. */
static uint64_t value_of(const field *f, const rvm_settings *s)
{
    const void *at = (const char *)s + f->offset;
    uint64_t bits = 0;
    if (f->kind == RVM_VALUE_FLAG)
        return *(const bool *)at;
    if (f->kind == RVM_VALUE_INT)
        return (uint64_t) * (const int *)at;
    if (f->kind == RVM_VALUE_UNSIGNED)
        return *(const unsigned long *)at;
    memcpy(&bits, at, sizeof bits);
    return bits;
}

/* Reads: the same is expected. */
static void code_value(rvm_codec *c, const char *option, uint64_t value)
{
    uint64_t other = value;
    rvm_codec_word64(c, &other);
    if (c->status == RVM_OK && other != value)
        c->status =
            rvm_fail(c->err, RVM_ESETTING, "the checkpoint was made with another %s", option);
}

static uint64_t weights_of(const rvm_settings *s)
{
    uint64_t hash = RVM_HASH_START;
    for (size_t k = 0; k < s->class_weight_count; k++) {
        const rvm_class_weight *w = &s->class_weights[k];
        hash = rvm_hash_bytes(hash, &w->label, sizeof w->label);
        hash = rvm_hash_bytes(hash, &w->weight, sizeof w->weight);
    }
    return hash;
}

void rvm_fingerprint_code(rvm_codec *c, const rvm_settings *s)
{
    const rvm_tuning *tune = &s->tune;
    rvm_codec_key(c, "settings");
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
        code_value(c, fields[k].option, value_of(&fields[k], s));
    code_value(c, "--select",
               rvm_hash_bytes(RVM_HASH_START, tune->type, tune->type_count * sizeof *tune->type));
    code_value(c, "-w", weights_of(s));
}
