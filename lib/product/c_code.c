/* A model as one function of C that predicts a row, for programs that have nothing else of this.
 *
 * The file is put together of three kinds of things: what the model is, as constants and tables of
 * numbers; what such models have in common, as text (c_text.h); and between them the few lines that
 * differ from model to model.  A row goes through
 *
 *     x        features as in the data file, x[0] that of index 1, or 0 where the model has that one
 *     row      standardised, where the model is
 *     input    weighted, where there are ARD weights
 *     doubt    0, or NaN where a feature of x is not finite, since what bounds numbers would hide it
 *     value    T + V (+ 1): terms of all latent functions, kernel functions of all vectors, k(x,x)
 *
 * and each latent function uses some of the values.  Vectors are written as the kernel takes them, so
 * standardised and weighted.  Their numbers are all there or, as rows are laid out in kernel.c, only
 * those that are not 0. */
#include <errno.h>
#include <gsl/gsl_math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "basis/kernel.h"
#include "data/problem.h"
#include "product/c_head.h"
#include "product/c_plan.h"
#include "product/c_table.h"
#include "product/c_text.h"

static void put(const rvm_c_plan *c, rvm_c_piece piece)
{
    fputs(rvm_c_text(piece), c->out);
}

static void write_constant(const rvm_c_plan *c, const char *name, double x)
{
    char text[RVM_REAL_SIZE];

    fprintf(c->out, "static const double rvm_%s = %s;\n", name, rvm_text_format(text, x, 17));
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void write_standard(const rvm_c_plan *c)
{
    const rvm_standard *s = &c->m->standard;

    if (!s->used)
        return;
    fprintf(c->out, "enum { RVM_STANDARD = %zu }; /* features that vary */\n", s->count);
    rvm_c_table t = rvm_c_table_open(c->out, "int", "feature");
    for (size_t j = 0; j < s->count; j++)
        rvm_c_table_add_whole(&t, (size_t)(s->index[j] - c->first));
    rvm_c_table_close(&t);
    rvm_c_table_write_reals(c->out, "center", s->mean, s->count);
    rvm_c_table_write_reals(c->out, "scale", s->scale, s->count);
    fprintf(c->out, "\n");
    put(c, RVM_C_STANDARDIZE);
}

static void write_terms(const rvm_c_plan *c)
{
    const rvm_model *m = c->m;

    if (c->terms == 0)
        return;
    rvm_c_table t = rvm_c_table_open(c->out, "int", "term");
    for (size_t f = 0; f < m->latent_count; f++)
        for (size_t i = 0; i < m->latent[f].terms; i++)
            for (int k = 0; k < RVM_TERM_DEGREES - 1; k++) {
                const rvm_term *term = &m->latent[f].term[i];
                if (k < term->degree)
                    rvm_c_table_add_whole(&t, rvm_c_plan_row_place(c, term->feature[k]));
                else
                    rvm_c_table_add_int(&t, -1);
            }
    rvm_c_table_close(&t);
    fprintf(c->out, "\n");
    put(c, RVM_C_TERMS);
}

static void write_inputs(const rvm_c_plan *c)
{
    if (c->m->kernel.inputs == NULL || c->z->rows == 0)
        return;
    fprintf(c->out, "enum { RVM_INPUTS = %zu }; /* inputs of the kernel */\n", c->inputs);
    rvm_c_table_write_ints(c->out, "input", c->input_place, c->inputs);
    rvm_c_table_write_reals(c->out, "factor", c->factor, c->inputs);
    fprintf(c->out, "\n");
    put(c, RVM_C_WEIGH);
}

/* ---- Vectors --------------------------------------------------------------------------------- */

/* row: scratch, width of it. */
static void write_dense(const rvm_c_plan *c, double *row)
{
    rvm_c_table t = rvm_c_table_open(c->out, "double", "vector");

    for (size_t i = 0; i < c->z->rows; i++) {
        memset(row, 0, c->width * sizeof *row);
        for (size_t k = c->z->start[i]; k < c->z->start[i + 1]; k++) {
            double value;
            size_t at;

            if (rvm_c_plan_vector_number(c, &value, &at, k))
                row[at] = value;
        }
        for (size_t j = 0; j < c->width; j++)
            rvm_c_table_add_real(&t, row[j]);
    }
    rvm_c_table_close(&t);
}

/* One of three tables: where each vector begins, the places of its numbers, or these. */
typedef enum { FIRST, INDEX, VALUE } sparse_table;

static void write_sparse(const rvm_c_plan *c, sparse_table which)
{
    static const char *const name[] = { "first", "index", "vector" };
    rvm_c_table t = rvm_c_table_open(c->out, which == VALUE ? "double" : "int", name[which]);
    size_t begun = 0;

    for (size_t i = 0; i < c->z->rows; i++) {
        if (which == FIRST)
            rvm_c_table_add_whole(&t, begun);
        for (size_t k = c->z->start[i]; k < c->z->start[i + 1]; k++) {
            double value;
            size_t at;

            if (!rvm_c_plan_vector_number(c, &value, &at, k))
                continue;
            begun++;
            if (which == INDEX)
                rvm_c_table_add_whole(&t, at);
            else if (which == VALUE)
                rvm_c_table_add_real(&t, value);
        }
    }
    if (which == FIRST)
        rvm_c_table_add_whole(&t, begun);
    rvm_c_table_close(&t);
}

static rvm_status write_vectors(const rvm_c_plan *c, rvm_error *err)
{
    if (!c->dense) {
        write_sparse(c, FIRST);
        write_sparse(c, INDEX);
        write_sparse(c, VALUE);
        return RVM_OK;
    }
    double *row = rvm_array(c->width, sizeof *row);
    if (row == NULL)
        return rvm_fail_memory(err, "a vector");
    fprintf(c->out, "enum { RVM_WIDTH = %zu }; /* numbers of a vector */\n", c->width);
    write_dense(c, row);
    free(row);
    return RVM_OK;
}

static void write_kernel_numbers(const rvm_c_plan *c)
{
    const rvm_kernel *kernel = &c->m->kernel;
    const unsigned uses = rvm_kernel_uses(kernel->type);

    if (uses & RVM_USES_GAMMA)
        write_constant(c, "gamma", kernel->gamma);
    if (uses & RVM_USES_COEF0)
        write_constant(c, "coef0", kernel->coef0);
    if (uses & RVM_USES_DEGREE)
        fprintf(c->out, "enum { RVM_DEGREE = %d };\n", kernel->degree);
}

static rvm_status write_kernel(const rvm_c_plan *c, rvm_error *err)
{
    const rvm_kernel_type type = c->m->kernel.type;
    const bool none_is_one = rvm_kernel_combination(type) == RVM_BY_SPLINE;

    if (c->z->rows == 0 && !c->left)
        return RVM_OK;
    fprintf(c->out, "enum { RVM_EMPTY = %d }; /* what no features combine to */\n", none_is_one);
    write_kernel_numbers(c);
    const rvm_status status = c->z->rows > 0 ? write_vectors(c, err) : RVM_OK;
    fprintf(c->out, "\n%s", rvm_c_text_pair(type));
    if (c->z->rows > 0 && !c->dense)
        fputs(rvm_c_text_change(type), c->out);
    fputs(rvm_c_text_kernel(type), c->out);
    if (c->z->rows > 0)
        put(c, c->dense ? RVM_C_DENSE : RVM_C_SPARSE);
    if (c->left)
        put(c, RVM_C_SELF);
    return status;
}

/* From features to the values of all basis functions. */
static void write_values(const rvm_c_plan *c)
{
    const bool vectors = c->z->rows > 0, weighs = c->m->kernel.inputs != NULL && vectors;
    const rvm_standard *s = &c->m->standard;

    fprintf(c->out, "/* All basis functions of a row of n features. */\n"
                    "static void rvm_fill(double *value, const double *x, int n)\n{\n");
    if (s->used)
        fprintf(c->out, "    double row[%zu];\n", GSL_MAX(s->count, 1));
    if (weighs)
        fprintf(c->out, "    double input[%zu];\n", GSL_MAX(c->inputs, 1));
    if (s->used)
        fprintf(c->out, "    rvm_standardize(row, x, n);\n    x = row;\n    n = RVM_STANDARD;\n");
    if (c->terms > 0)
        fprintf(c->out, "    rvm_fill_terms(value, x, n);\n");
    if (weighs)
        fprintf(c->out, "    rvm_weigh(input, x, n);\n    x = input;\n    n = RVM_INPUTS;\n");
    if (vectors)
        fprintf(c->out, "    rvm_fill_kernel(value + RVM_TERMS, x, n);\n");
    if (c->left)
        fprintf(c->out, "    value[RVM_TERMS + RVM_VECTORS] = rvm_self(x, n);\n");
    if (c->terms == 0 && !vectors && !c->left)
        fprintf(c->out, "    value[0] = 0; /* there are none */\n    (void)x;\n    (void)n;\n");
    fprintf(c->out, "}\n\n");
}

/* ---- Latent functions ------------------------------------------------------------------------ */

/* Which values each function uses: its own terms, and some of the vectors. */
static void write_use(const rvm_c_plan *c)
{
    const rvm_model *m = c->m;
    rvm_c_table t = rvm_c_table_open(c->out, "int", "use");
    size_t terms = 0;

    for (size_t k = 0; k < m->latent_count; k++) {
        const rvm_latent *f = &m->latent[k];

        for (size_t i = 0; i < f->count; i++)
            rvm_c_table_add_whole(&t,
                                  i < f->terms ? terms + i : c->terms + f->vector[i - f->terms]);
        terms += f->terms;
    }
    rvm_c_table_close(&t);
}

static void write_weights(const rvm_c_plan *c)
{
    const rvm_model *m = c->m;
    size_t start = 0;

    rvm_c_table t = rvm_c_table_open(c->out, "int", "start");
    for (size_t k = 0; k < m->latent_count; k++) {
        rvm_c_table_add_whole(&t, start);
        start += m->latent[k].count;
    }
    rvm_c_table_add_whole(&t, start);
    rvm_c_table_close(&t);
    t = rvm_c_table_open(c->out, "double", "weight");
    for (size_t k = 0; k < m->latent_count; k++)
        for (size_t i = 0; i < m->latent[k].count; i++)
            rvm_c_table_add_real(&t, m->latent[k].weight[i]);
    rvm_c_table_close(&t);
    fprintf(c->out, "\n");
    put(c, RVM_C_MEAN);
}

/* The factors of all functions, and where each begins. */
static void write_factors(const rvm_c_plan *c)
{
    const rvm_model *m = c->m;
    size_t corner = 0;

    rvm_c_table t = rvm_c_table_open(c->out, "int", "corner");
    for (size_t k = 0; k < m->latent_count; k++) {
        rvm_c_table_add_whole(&t, corner);
        corner += m->latent[k].count * (m->latent[k].count + 1) / 2;
    }
    rvm_c_table_close(&t);
    t = rvm_c_table_open(c->out, "double", "triangle");
    for (size_t k = 0; k < m->latent_count; k++)
        rvm_c_table_add_triangle(&t, m->latent[k].factor, m->latent[k].count);
    rvm_c_table_close(&t);
    fprintf(c->out, "\n");
    put(c, RVM_C_VARIANCE);
}

/* Weights of each draw, one draw after the other. */
static void write_draws(const rvm_c_plan *c)
{
    const rvm_latent *f = c->m->latent;

    fprintf(c->out, "enum { RVM_DRAWS = %zu, RVM_LONGEST = %zu };\n", f->draws, f->count);
    rvm_c_table t = rvm_c_table_open(c->out, "double", "drawn");
    for (size_t d = 0; d < f->draws; d++)
        for (size_t i = 0; i < f->count; i++)
            rvm_c_table_add_real(&t, f->draw[i * f->draws + d]);
    rvm_c_table_close(&t);
    if (rvm_c_plan_is_regression(c))
        rvm_c_table_write_reals(c->out, "noise_sd", f->noise_sd, f->draws);
    fprintf(c->out, "\n");
    put(c, RVM_C_DRAW);
}

static void write_functions(const rvm_c_plan *c)
{
    const rvm_model *m = c->m;

    if (m->class_count == 1)
        return;
    rvm_c_table t = rvm_c_table_open(c->out, "double", "bias_mean");
    for (size_t k = 0; k < m->latent_count; k++)
        rvm_c_table_add_real(&t, m->latent[k].bias_mean);
    rvm_c_table_close(&t);
    write_use(c);
    if (c->m->latent->draws > 0)
        write_draws(c);
    else
        write_weights(c);
    if (rvm_model_has_covariance(c->m) || c->left)
        put(c, RVM_C_SQUARE);
    if (rvm_model_has_covariance(c->m))
        write_factors(c);
}

static void write_left(const rvm_c_plan *c)
{
    if (!c->left)
        return;
    rvm_c_table t = rvm_c_table_open(c->out, "double", "points");
    rvm_c_table_add_triangle(&t, c->points, c->z->rows);
    rvm_c_table_close(&t);
    fprintf(c->out, "\n");
    put(c, RVM_C_LEFT);
    if (rvm_c_plan_is_calibrated(c))
        put(c, RVM_C_SHARE);
}

/* ---- Regression ------------------------------------------------------------------------------ */

static void write_spreads(const rvm_c_plan *c)
{
    const rvm_model *m = c->m;
    rvm_c_table t;

    if (c->m->latent->draws == 0) {
        t = rvm_c_table_open(c->out, "double", "noise");
        for (size_t k = 0; k < m->latent_count; k++)
            rvm_c_table_add_real(&t, m->latent[k].noise_variance);
        rvm_c_table_close(&t);
    }
    if (rvm_model_is_process(m)) {
        t = rvm_c_table_open(c->out, "double", "process");
        for (size_t k = 0; k < m->latent_count; k++)
            rvm_c_table_add_real(&t, m->latent[k].process_variance);
        rvm_c_table_close(&t);
    }
    if (rvm_c_plan_is_calibrated(c)) {
        t = rvm_c_table_open(c->out, "double", "calibration");
        for (size_t k = 0; k < m->latent_count; k++) {
            const rvm_spread s = rvm_model_spread(m, k);
            const double number[] = { s.factor, s.residual, s.beyond, s.edge };
            for (size_t i = 0; i < sizeof number / sizeof number[0]; i++)
                rvm_c_table_add_real(&t, number[i]);
        }
        rvm_c_table_close(&t);
        fprintf(c->out, "\n");
        put(c, RVM_C_SPREAD);
    } else {
        fprintf(c->out, "\n");
    }
}

/* The mean of all draws, and what they and the noise vary. */
static void write_drawn_moments(const rvm_c_plan *c)
{
    fprintf(c->out,
            "    mean[0] = doubt;\n"
            "    for (k = 0; k < RVM_DRAWS; k++)\n"
            "        mean[0] += rvm_draw(value, k) / RVM_DRAWS;\n"
            "    if (variance == 0)\n"
            "        return;\n"
            "    variance[0] = 0;\n"
            "    for (k = 0; k < RVM_DRAWS; k++) {\n"
            "        const double d = rvm_draw(value, k) - mean[0];\n"
            "        variance[0] += (d * d + rvm_noise_sd[k] * rvm_noise_sd[k]) / RVM_DRAWS;\n"
            "    }\n");
}

static void write_moments(const rvm_c_plan *c)
{
    fprintf(c->out, "    for (k = 0; k < RVM_OUTPUTS; k++)\n"
                    "        mean[k] = rvm_mean(value, k) + doubt;\n"
                    "    if (variance == 0)\n"
                    "        return;\n");
    if (c->left)
        fprintf(c->out, "    left = rvm_left(value);\n");
    fprintf(
        c->out,
        "    for (k = 0; k < RVM_OUTPUTS; k++)\n        variance[k] = rvm_variance(value, k)%s + "
        "rvm_noise[k] + doubt;\n",
        rvm_model_is_process(c->m) ? " + rvm_process[k] * left" : "");
}

static void write_regression(const rvm_c_plan *c)
{
    const bool drawn = c->m->latent->draws > 0;

    write_spreads(c);
    fprintf(c->out, "void rvm_predict(const double *x, int n, double *mean, double *variance)\n{\n"
                    "    const double doubt = rvm_doubt(x, n);\n    double value[RVM_VALUES];\n");
    if (c->left)
        fprintf(c->out, "    double left;\n");
    fprintf(c->out, "    int k;\n    rvm_fill(value, x, n);\n");
    if (drawn)
        write_drawn_moments(c);
    else
        write_moments(c);
    if (c->left && drawn)
        fprintf(c->out, "    left = rvm_left(value);\n");
    if (rvm_c_plan_is_calibrated(c))
        fprintf(c->out,
                "    for (k = 0; k < RVM_OUTPUTS; k++)\n"
                "        variance[k] = rvm_spread(variance[k], %s, k);\n",
                c->left ? "rvm_share(left, value[RVM_TERMS + RVM_VECTORS])" : "0");
    fprintf(c->out, "}\n");
}

/* ---- Classification -------------------------------------------------------------------------- */

/* The average that the classes take, as predict.c has it. */
static const char *write_average(const rvm_c_plan *c)
{
    if (c->m->latent->draws > 0) {
        put(c, RVM_C_LOG_PHI);
        put(c, RVM_C_DRAWN);
        return "    rvm_classes_by_draws(probability, log_p, value);\n"
               "    best = probability[0] >= probability[1] ? 0 : 1;\n";
    }
    if (c->m->class_count == 2) {
        put(c, RVM_C_TWO);
        return "    best = rvm_two(probability, log_p, mean, variance);\n";
    }
    if (c->m->multiclass == RVM_ONE_VS_REST) {
        put(c, RVM_C_REST);
        return "    best = rvm_one_vs_rest(probability, log_p, mean, variance);\n";
    }
    if (!rvm_model_has_covariance(c->m)) {
        put(c, RVM_C_MODE);
        return "    best = rvm_softmax(probability, log_p, mean);\n";
    }
    put(c, RVM_C_RISE);
    put(c, RVM_C_AVERAGE);
    return "    best = rvm_softmax(probability, log_p, mean, variance);\n";
}

/* What leaves the range of double does not reach the averages, whose loops would not end. */
static void write_mean_and_variance(const rvm_c_plan *c, bool takes_variance)
{
    fprintf(c->out, "    for (k = 0; k < RVM_FUNCTIONS; k++) {\n"
                    "        mean[k] = rvm_mean(value, k);\n");
    if (takes_variance)
        fprintf(c->out, "        variance[k] = %s;\n",
                rvm_model_has_covariance(c->m) ? "rvm_variance(value, k)" : "0");
    fprintf(c->out, "        doubt += 0 * mean[k]%s;\n    }\n",
            takes_variance ? " + 0 * variance[k]" : "");
}

static void write_class_function(const rvm_c_plan *c)
{
    const bool drawn = c->m->latent->draws > 0;
    const bool takes_variance = rvm_model_has_covariance(c->m) || c->m->class_count == 2 ||
                                c->m->multiclass == RVM_ONE_VS_REST;

    if (c->m->class_count > 2 || c->shift != NULL)
        put(c, RVM_C_TO_ONE);
    const char *const average = write_average(c);
    if (c->shift != NULL) {
        write_constant(c, "power", c->power);
        rvm_c_table_write_reals(c->out, "shifts", c->shift, c->m->class_count);
        fprintf(c->out, "\n");
        put(c, RVM_C_SHIFT);
    }
    fprintf(c->out, "int rvm_predict(const double *x, int n, double *probability)\n{\n"
                    "    double value[RVM_VALUES], log_p[RVM_CLASSES], doubt = rvm_doubt(x, n);\n");
    if (!drawn)
        fprintf(c->out, "    double mean[RVM_FUNCTIONS]%s;\n",
                takes_variance ? ", variance[RVM_FUNCTIONS]" : "");
    fprintf(c->out, "    int k, best;\n    rvm_fill(value, x, n);\n");
    if (!drawn)
        write_mean_and_variance(c, takes_variance);
    fprintf(c->out, "    if (doubt != 0) {\n"
                    "        for (k = 0; k < RVM_CLASSES; k++)\n"
                    "            probability[k] = doubt;\n"
                    "        return rvm_label[0];\n"
                    "    }\n");
    fprintf(c->out, "%s%s    return rvm_label[best];\n}\n", average,
            c->shift != NULL ? "    best = rvm_shift(probability, log_p);\n" : "");
}

static void write_classification(const rvm_c_plan *c)
{
    rvm_c_table_write_ints(c->out, "label", c->m->label, c->m->class_count);
    fprintf(c->out, "\n");
    if (c->m->class_count > 1) {
        write_class_function(c);
        return;
    }
    fprintf(c->out, "int rvm_predict(const double *x, int n, double *probability)\n{\n"
                    "    probability[0] = 1 + rvm_doubt(x, n);\n    return rvm_label[0];\n}\n");
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Names of the numbers that several parts take. */
static void write_sizes(const rvm_c_plan *c)
{
    const size_t values = c->terms + c->z->rows + (c->left ? 1 : 0);

    fprintf(c->out, "enum { RVM_FEATURES = %zu };\n", c->features);
    if (rvm_c_plan_is_regression(c))
        fprintf(c->out, "enum { RVM_OUTPUTS = %zu };\n", c->m->latent_count);
    else
        fprintf(c->out, "enum { RVM_CLASSES = %zu, RVM_FUNCTIONS = %zu };\n", c->m->class_count,
                c->m->latent_count);
    fprintf(c->out,
            "enum { RVM_TERMS = %zu, RVM_VECTORS = %zu, RVM_VALUES = %zu, RVM_ROOM = %zu };\n\n",
            c->terms, c->z->rows, GSL_MAX(values, 1), GSL_MAX(GSL_MAX(c->longest, c->z->rows), 1));
}

static rvm_status write_rows(const rvm_c_plan *c, rvm_error *err)
{
    const bool weighs = c->m->kernel.inputs != NULL && c->z->rows > 0;

    put(c, RVM_C_DOUBT);
    if (c->m->class_count == 1)
        return RVM_OK;
    if (c->m->standard.used || weighs || c->terms > 0 || c->z->rows > 0)
        put(c, RVM_C_AT);
    if (c->m->standard.used || weighs)
        put(c, RVM_C_BOUNDED);
    write_standard(c);
    write_terms(c);
    write_inputs(c);
    const rvm_status status = write_kernel(c, err);
    write_values(c);
    return status;
}

static rvm_status write_file(const rvm_c_plan *c, rvm_error *err)
{
    rvm_c_head_write(c);
    write_sizes(c);
    const rvm_status status = write_rows(c, err);
    write_functions(c);
    write_left(c);
    if (rvm_c_plan_is_regression(c))
        write_regression(c);
    else
        write_classification(c);
    /* A stream remembers that one of its writes failed. */
    if (status == RVM_OK && (fflush(c->out) != 0 || ferror(c->out)))
        return rvm_fail(err, RVM_EIO, "%s", strerror(errno != 0 ? errno : EIO));
    return status;
}

rvm_status rvm_model_write_c(const rvm_model *m, FILE *out, rvm_error *err)
{
    rvm_c_plan c;

    if (m->kernel.type == RVM_PRECOMPUTED)
        return rvm_fail(err, RVM_EMODEL,
                        "its kernel is precomputed: no function of features can be written");
    rvm_status status = rvm_c_plan_init(&c, m, out, err);
    if (status == RVM_OK)
        status = write_file(&c, err);
    rvm_c_plan_free(&c);
    return status;
}
