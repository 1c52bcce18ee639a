/* Level 5: a model as text, in the form that rvm-model(5) lays down. */
#include <errno.h>
#include <string.h>

#include "error.h"
#include "kernel.h"
#include "model.h"
#include "problem.h"
#include "text.h"

enum { DIGITS = 17 }; /* enough for every double to come back as it was */

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
}

static void write_classes(const rvm_model *m, FILE *out)
{
    if (m->task == RVM_REGRESSION) {
        fputs("nr_class 2\n", out); /* as libsvm does */
        return;
    }
    fprintf(out, "nr_class %zu\nlabel", m->class_count);
    for (size_t c = 0; c < m->class_count; c++)
        fprintf(out, " %d", m->label[c]);
    fputc('\n', out);
}

static void write_header(const rvm_model *m, FILE *out)
{
    const bool regression = m->task == RVM_REGRESSION;

    fprintf(out, "rvm_model 1\ntask %s\n", regression ? "regression" : "classification");
    write_kernel(&m->kernel, out);
    write_classes(m, out);
    fprintf(out, "total_rv %zu\nexamples %zu\n", m->vectors->rows, m->examples);
    if (regression) {
        write_key_real(out, "noise_variance", m->noise_variance);
        fprintf(out, "noise_fixed %d\n", m->noise_fixed);
    }
    write_key_real(out, "log_evidence", m->log_evidence);
    fprintf(out, "converged %d\n", m->converged);
    if (!regression)
        fprintf(out, "probability %d\n", m->probability);
    if (m->bias) {
        fputs("bias", out);
        write_real(out, ' ', m->weight[0]);
        write_real(out, ' ', m->alpha[0]);
        write_real(out, ' ', m->bias_mean);
        fputc('\n', out);
    }
}

static void write_factor(const rvm_model *m, FILE *out)
{
    const double *entry = m->factor;

    for (size_t i = 0; i < m->function_count; i++) {
        fputs("factor", out);
        for (size_t j = i; j < m->function_count; j++)
            write_real(out, ' ', *entry++);
        fputc('\n', out);
    }
}

static void write_vectors(const rvm_model *m, FILE *out)
{
    const rvm_problem *v = m->vectors;
    const size_t bias = m->bias ? 1 : 0;
    char weight[RVM_REAL_SIZE];

    fputs("RV\n", out);
    for (size_t i = 0; i < v->rows; i++) {
        fputs(rvm_text_format(weight, m->weight[bias + i], DIGITS), out);
        write_real(out, ' ', m->alpha[bias + i]);
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
    errno = 0;
    write_header(m, out);
    write_factor(m, out);
    write_vectors(m, out);
    /* A stream remembers that one of its writes failed, so one look at the end is enough. */
    if (fflush(out) != 0 || ferror(out))
        return rvm_fail(err, RVM_EIO, "%s", strerror(errno != 0 ? errno : EIO));
    return RVM_OK;
}
