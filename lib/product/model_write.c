/* A model as text, in the form that rvm-model(5) lays down. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "basis/kernel.h"
#include "data/problem.h"
#include "product/model.h"

enum {
    DIGITS = 17,     /* enough for every double to come back as it was */
    DRAWN_DIGITS = 9 /* of draws, which are recorded in single precision */
};

static void write_real(FILE *out, char before, double value)
{
    char text[RVM_REAL_SIZE];

    fputc(before, out);
    fputs(rvm_text_format(text, value, DIGITS), out);
}

static void write_key_real(FILE *out, const char *key, double value)
{
    fputs(key, out);
    write_real(out, ' ', value);
    fputc('\n', out);
}

static void write_kernel(const rvm_kernel *kernel, FILE *out)
{
    const unsigned uses = rvm_kernel_uses(kernel->type);

    fprintf(out, "kernel_type %s\n", rvm_kernel_name(kernel->type));
    if (uses & RVM_USES_DEGREE)
        fprintf(out, "degree %d\n", kernel->degree);
    if (uses & RVM_USES_GAMMA)
        write_key_real(out, "gamma", kernel->gamma);
    if (uses & RVM_USES_COEF0)
        write_key_real(out, "coef0", kernel->coef0);
    if (kernel->inputs == NULL)
        return;
    fputs("eta", out);
    for (size_t j = 0; j < kernel->inputs->count; j++)
        if (kernel->inputs->weight[j] > 0) {
            fprintf(out, " %d", kernel->inputs->index[j]);
            write_real(out, ':', kernel->inputs->weight[j]);
        }
    fputc('\n', out);
}

static void write_classes(const rvm_model *m, FILE *out)
{
    if (m->task == RVM_REGRESSION) {
        fputs("nr_class 2\n", out); /* as libsvm does */
        if (m->latent_count > 1)
            fprintf(out, "nr_output %zu\n", m->latent_count);
        return;
    }
    fprintf(out, "nr_class %zu\nlabel", m->class_count);
    for (size_t c = 0; c < m->class_count; c++)
        fprintf(out, " %d", m->label[c]);
    fputc('\n', out);
    if (m->multiclass != RVM_SOFTMAX)
        fprintf(out, "multiclass %s\n", rvm_multiclass_name(m->multiclass));
}

static bool has_draws(const rvm_model *m)
{
    return m->latent->draws > 0;
}

/* The first version that has what this model has. */
static int version_needed(const rvm_model *m)
{
    if (has_draws(m))
        return 5;
    if (rvm_model_has_prior(m))
        return 4;
    if (m->kernel.type == RVM_NO_KERNEL || m->kernel.inputs != NULL ||
        rvm_model_describe(m).has_terms)
        return 3;
    return m->task == RVM_REGRESSION && m->latent_count > 1 ? 2 : 1;
}

static void write_prior(const rvm_model *m, FILE *out)
{
    fputs("prior", out);
    write_real(out, ' ', m->weight_prior.shape);
    write_real(out, ' ', m->weight_prior.rate);
    write_real(out, ' ', m->noise_prior.shape);
    write_real(out, ' ', m->noise_prior.rate);
    fputc('\n', out);
    write_key_real(out, "log_prior", m->log_prior);
}

/* Where the vectors stood in the training file. */
static void write_rows(const rvm_model *m, FILE *out)
{
    if (m->row == NULL || m->vectors->rows == 0)
        return;
    fputs("rows", out);
    for (size_t i = 0; i < m->vectors->rows; i++)
        fprintf(out, " %zu", m->row[i]);
    fputc('\n', out);
}

static void write_header(const rvm_model *m, FILE *out)
{
    const bool regression = m->task == RVM_REGRESSION;

    fprintf(out, "rvm_model %d\ntask %s\n", version_needed(m),
            regression ? "regression" : "classification");
    write_kernel(&m->kernel, out);
    write_classes(m, out);
    fprintf(out, "total_rv %zu\nexamples %zu\n", m->vectors->rows, m->examples);
    write_rows(m, out);
    if (regression) {
        fputs("noise_variance", out);
        for (size_t k = 0; k < m->latent_count; k++)
            write_real(out, ' ', m->latent[k].noise_variance);
        fputc('\n', out);
        fprintf(out, "noise_fixed %d\n", m->noise_fixed);
    }
    write_key_real(out, has_draws(m) ? "log_likelihood" : "log_evidence", m->log_evidence);
    if (rvm_model_has_prior(m))
        write_prior(m, out);
    fprintf(out, "converged %d\n", m->converged);
    if (!regression)
        fprintf(out, "probability %d\n", m->probability);
}

static void write_term(const rvm_latent *f, size_t i, FILE *out)
{
    char name[RVM_TERM_NAME_SIZE];
    const bool bias = f->term[i].degree == 0;

    fprintf(out, "%s%s", bias ? "" : "basis ", rvm_term_name(name, &f->term[i]));
    write_real(out, ' ', f->weight[i]);
    write_real(out, ' ', f->alpha[i]);
    if (bias)
        write_real(out, ' ', f->bias_mean);
    fputc('\n', out);
}

static void write_latent(const rvm_latent *f, FILE *out)
{
    const double *entry = f->factor;

    for (size_t i = 0; i < f->terms; i++)
        write_term(f, i, out);
    for (size_t i = 0; i < f->count; i++) {
        fputs("factor", out);
        for (size_t j = i; j < f->count; j++)
            write_real(out, ' ', *entry++);
        fputc('\n', out);
    }
}

static void write_latents(const rvm_model *m, FILE *out)
{
    for (size_t k = 0; k < m->latent_count; k++) {
        if (m->latent_count > 1 && m->task == RVM_REGRESSION)
            fprintf(out, "output %zu %zu\n", k + 1, m->latent[k].count);
        else if (m->latent_count > 1)
            fprintf(out, "class %d %zu\n", m->label[k], m->latent[k].count);
        write_latent(&m->latent[k], out);
    }
}

/* ---- Models of draws ------------------------------------------------------------------------- */

static void write_draws(const double *draw, size_t count, FILE *out)
{
    char text[RVM_REAL_SIZE];

    for (size_t d = 0; d < count; d++)
        fprintf(out, " %s", rvm_text_format(text, draw[d], DRAWN_DIGITS));
}

static void write_drawn_terms(const rvm_model *m, FILE *out)
{
    const rvm_latent *f = m->latent;
    char name[RVM_TERM_NAME_SIZE];

    fprintf(out, "draws %zu\n", f->draws);
    if (m->task == RVM_REGRESSION) {
        fputs("noise_sd", out);
        write_draws(f->noise_sd, f->draws, out);
        fputc('\n', out);
    }
    for (size_t i = 0; i < f->terms; i++) {
        const bool bias = f->term[i].degree == 0;
        fprintf(out, "%s%s", bias ? "" : "basis ", rvm_term_name(name, &f->term[i]));
        if (bias)
            write_real(out, ' ', f->bias_mean);
        write_draws(f->draw + i * f->draws, f->draws, out);
        fputc('\n', out);
    }
}

/* Weight and precision at vector i, 0 0 where it is none of f's; *at goes through f's functions. */
static void write_weight(const rvm_latent *f, size_t i, size_t *at, FILE *out)
{
    char weight[RVM_REAL_SIZE];

    if (f->terms + *at == f->count || f->vector[*at] != i) {
        fputs("0 0", out);
        return;
    }
    fputs(rvm_text_format(weight, f->weight[f->terms + *at], DIGITS), out);
    write_real(out, ' ', f->alpha[f->terms + *at]);
    ++*at;
}

/* The first number of a line has no blank before it. */
static void write_vector_draws(const rvm_latent *f, size_t i, FILE *out)
{
    const double *draw = f->draw + (f->terms + i) * f->draws;
    char text[RVM_REAL_SIZE];

    fputs(rvm_text_format(text, draw[0], DRAWN_DIGITS), out);
    write_draws(draw + 1, f->draws - 1, out);
}

/* at: zeros, one for each latent function. */
static void write_vectors(const rvm_model *m, size_t *at, FILE *out)
{
    const rvm_problem *v = m->vectors;

    fputs("RV\n", out);
    for (size_t i = 0; i < v->rows; i++) {
        for (size_t k = 0; k < m->latent_count && !has_draws(m); k++) {
            if (k > 0)
                fputc(' ', out);
            write_weight(&m->latent[k], i, &at[k], out);
        }
        if (has_draws(m))
            write_vector_draws(m->latent, i, out);
        for (size_t k = v->start[i]; k < v->start[i + 1]; k++) {
            fprintf(out, " %d", v->index[k]);
            write_real(out, ':', v->value[k]);
        }
        fputc('\n', out);
    }
    fputs("end\n", out);
}

rvm_status rvm_model_write(const rvm_model *m, FILE *out, rvm_error *err)
{
    size_t *at = rvm_array(m->latent_count, sizeof *at);
    if (at == NULL)
        return rvm_fail_memory(err, "writing the model");

    errno = 0;
    write_header(m, out);
    if (has_draws(m))
        write_drawn_terms(m, out);
    else
        write_latents(m, out);
    write_vectors(m, at, out);
    /* A stream remembers that one of its writes failed, so one look at the end is enough. */
    rvm_status status = RVM_OK;
    if (fflush(out) != 0 || ferror(out))
        status = rvm_fail(err, RVM_EIO, "%s", strerror(errno != 0 ? errno : EIO));
    free(at);
    return status;
}
