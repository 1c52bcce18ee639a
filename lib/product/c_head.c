/* The comment above a model in C: what it is, and how to call it. */
#include "product/c_head.h"

#include <gsl/gsl_math.h>

#include "base/text.h"
#include "basis/kernel.h"
#include "data/problem.h"

static void say_real(const rvm_c_plan *c, const char *before, double x)
{
    char text[RVM_REAL_SIZE];

    fprintf(c->out, "%s%s", before, rvm_text_format(text, x, 6));
}

static void write_task(const rvm_c_plan *c)
{
    const rvm_model *m = c->m;

    if (rvm_c_plan_is_regression(c)) {
        fprintf(c->out, " *   task          regression, %zu output%s\n", m->latent_count,
                m->latent_count > 1 ? "s" : "");
        return;
    }
    fprintf(c->out, " *   task          classification, %zu class%s:", m->class_count,
            m->class_count > 1 ? "es" : "");
    for (size_t k = 0; k < m->class_count; k++)
        fprintf(c->out, "%s%d", k % 12 == 0 && k > 0 ? "\n *                 " : " ", m->label[k]);
    fprintf(c->out, "\n");
}

static void write_kernel_name(const rvm_c_plan *c)
{
    static const char *const formula[RVM_KERNEL_TYPES] = {
        [RVM_LINEAR] = "x'z",
        [RVM_POLYNOMIAL] = "(gamma x'z + coef0)^degree",
        [RVM_RBF] = "exp(-gamma |x-z|^2)",
        [RVM_SIGMOID] = "tanh(gamma x'z + coef0)",
        [RVM_LAPLACIAN] = "exp(-gamma |x-z|_1)",
        [RVM_SPLINE] = "a product of splines",
        [RVM_NO_KERNEL] = "no kernel functions",
    };
    const rvm_kernel *kernel = &c->m->kernel;
    const unsigned uses = rvm_kernel_uses(kernel->type);

    fprintf(c->out, " *   kernel        %s, %s", rvm_kernel_name(kernel->type),
            formula[kernel->type]);
    if (uses & RVM_USES_GAMMA)
        say_real(c, ", gamma ", kernel->gamma);
    if (uses & RVM_USES_COEF0)
        say_real(c, ", coef0 ", kernel->coef0);
    if (uses & RVM_USES_DEGREE)
        fprintf(c->out, ", degree %d", kernel->degree);
    fprintf(c->out, "%s\n", kernel->inputs != NULL ? ", a weight for each input" : "");
    fprintf(c->out, " *   functions     %zu of %zu vectors, %zu terms%s\n", c->basis - c->terms,
            c->z->rows, c->terms, rvm_model_is_process(c->m) ? "; kernel prior" : "");
    if (c->m->latent->draws > 0)
        fprintf(c->out, " *   draws         %zu\n", c->m->latent->draws);
}

static void write_features(const rvm_c_plan *c)
{
    fprintf(c->out, " *   features      %zu", c->features);
    if (c->features > 0)
        fprintf(c->out, ": x[0] is feature %d of the data file, x[%zu] feature %zu", c->first,
                c->features - 1, c->features - 1 + (size_t)c->first);
    fprintf(c->out, "%s\n", c->m->standard.used ? "; standardised here" : "");
    say_real(c, c->m->latent->draws > 0 ? " *   log likelihood " : " *   log evidence  ",
             c->m->log_evidence);
    fprintf(c->out, "\n");
}

static void write_calibration(const rvm_c_plan *c)
{
    const rvm_model *m = c->m;

    if (m->calibration.info.rows == 0)
        return;
    fprintf(c->out, " *   calibrated on %zu rows", m->calibration.info.rows);
    if (!rvm_c_plan_is_regression(c))
        say_real(c, ", temperature ", m->calibration.info.temperature);
    fprintf(c->out, "\n");
    for (size_t k = 0; rvm_c_plan_is_regression(c) && k < m->latent_count; k++) {
        const double degrees = rvm_model_spread(m, k).degrees;
        fprintf(c->out, " *   output %zu      ", k + 1);
        if (degrees > 0)
            say_real(c, "Student's t distribution, degrees of freedom ", degrees);
        else
            fprintf(c->out, "normal distribution");
        fprintf(c->out, "\n");
    }
}

/* Bytes on the stack, less what a few numbers take. */
static size_t stack_of(const rvm_c_plan *c)
{
    const size_t numbers = c->terms + c->z->rows + c->m->standard.count + c->inputs +
                           GSL_MAX(c->longest, c->z->rows) + 3 * c->m->class_count + 100;

    return numbers * sizeof(double);
}

static const char *prototype(const rvm_c_plan *c)
{
    return rvm_c_plan_is_regression(c)
               ? "void rvm_predict(const double *x, int n, double *mean, double *variance);"
               : "int rvm_predict(const double *x, int n, double *probability);";
}

static void write_call(const rvm_c_plan *c)
{
    fprintf(c->out, " *     %s\n *\n", prototype(c));
    if (rvm_c_plan_is_regression(c))
        fprintf(
            c->out,
            " * mean and variance of the target%s, noise included: room for %zu of each.  A null\n"
            " * pointer for the variance saves most of the time.\n",
            c->m->latent_count > 1 ? "s" : "", c->m->latent_count);
    else
        fprintf(
            c->out,
            " * The label of the most probable class; probability: room for %zu, in the order of the\n"
            " * classes above.\n",
            c->m->class_count);
    fprintf(
        c->out,
        " * x: a row of n features, which are as in the data that the model was trained with, so\n"
        " * scaled if they were (rvm-scale).  Features from x[n] on are 0; those beyond the ones above\n"
        " * count where the kernel looks at all of them.\n *\n"
        " * C99, with IEEE doubles; needs the functions of <math.h> (-lm), no memory but some %zu\n"
        " * bytes of stack, and may be called by several threads.  For several models in one program,\n"
        " * compile each with a name of its own: -Drvm_predict=other_name.  Where a feature\n"
        " * is not finite the result is NaN; where a prediction leaves the range of double it is no\n"
        " * finite number.%s */\n",
        stack_of(c),
        rvm_c_plan_is_regression(c)
            ? ""
            : "  Then all probabilities are NaN, and the label is that of the first class.");
}

void rvm_c_head_write(const rvm_c_plan *c)
{
    fprintf(c->out, "/* A relevance vector machine, written by rvm-predict --c-code %s.\n *\n",
            RVM_VERSION);
    write_task(c);
    write_kernel_name(c);
    write_features(c);
    write_calibration(c);
    fprintf(c->out, " *\n");
    write_call(c);
    fprintf(c->out, "#include <math.h>\n\n%s\n\n", prototype(c));
}
