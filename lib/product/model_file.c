/* A model as text, in the form that rvm-model(5) lays down: one grammar, which reads and writes.
 *
 * A file that is read is taken for hostile.  Memory grows with what was read, never with a count
 * that the file claims; every number is checked before it is used; and since the keys stand in one
 * order, a missing, repeated or unknown key is a line that is not the one expected. */
#include <float.h>
#include <gsl/gsl_statistics_double.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/codec.h"
#include "base/error.h"
#include "basis/kernel.h"
#include "data/labels.h"
#include "data/problem.h"
#include "product/model.h"

enum { DRAWN_DIGITS = 9 }; /* of draws, which are recorded in single precision */

typedef struct {
    rvm_codec c;
    rvm_model *m;   /* reads: the model to be; writes: a copy whose arrays are borrowed */
    size_t vectors; /* reads: as claimed, and so the next one */
    size_t outputs; /* of regression; classification: 1 */
    size_t *known;  /* owned: basis functions of each latent function so far */
    int *index;     /* owned, reads: the pairs of one line */
    double *value;  /* owned */
    size_t pairs;
} model_file;

static bool reads(const model_file *x)
{
    return rvm_codec_reads(&x->c);
}

static bool is_sound(const model_file *x)
{
    return x->c.status == RVM_OK;
}

/* For element `count` of an array that grows one by one; false after a fault. */
static bool has_room(model_file *x, void *array, size_t count, size_t size)
{
    return rvm_codec_room(&x->c, array, count, size);
}

/* One more latent function of a model that is read; false after a fault. */
static bool add_latent(model_file *x)
{
    rvm_model *m = x->m;

    if (!has_room(x, &m->latent, m->latent_count, sizeof *m->latent))
        return false;
    if (reads(x))
        m->latent[m->latent_count++] = (rvm_latent){ 0 };
    return true;
}

static bool is_regression(const model_file *x)
{
    return x->m->task == RVM_REGRESSION;
}

static bool is_drawn(const model_file *x)
{
    return x->m->latent_count > 0 && x->m->latent->draws > 0;
}

static bool is_process(const model_file *x)
{
    return rvm_model_is_process(x->m);
}

/* ---- Keys of the header --------------------------------------------------------------------- */

/* Begins the line of a key that may be absent, and says whether it is there. belongs: a model of
 * this kind may have it; is_there: the one that is written does. */
static bool has_key(model_file *x, const char *name, bool belongs, bool is_there)
{
    if (reads(x))
        is_there = rvm_codec_next_is(&x->c, name);
    if (is_there && reads(x) && !belongs)
        rvm_codec_fault(&x->c, "a model of this kind has no such line");
    if (is_there && belongs)
        rvm_codec_key(&x->c, name);
    return is_there && belongs;
}

static void check_kind(model_file *x)
{
    const bool is_model = rvm_codec_next_is(&x->c, "rvm_model");

    if (x->c.status == RVM_EMODEL)
        (void)rvm_fail_at(x->c.err, RVM_EMODEL, 1, 1, "the file is empty, not a model");
    else if (rvm_codec_next_is(&x->c, "svm_type") || rvm_codec_next_is(&x->c, "solver_type"))
        rvm_codec_fault(&x->c, "a LIBSVM model, not a relevance vector model");
    else if (!is_model)
        rvm_codec_fault(&x->c, "not a model file: it does not begin with \"rvm_model 1\"");
}

static void code_version(model_file *x)
{
    char text[RVM_CODEC_NAME_SIZE];

    if (reads(x))
        check_kind(x);
    rvm_codec_key(&x->c, "rvm_model");
    if (strcmp(rvm_codec_name(&x->c, text, "1"), "1") != 0)
        rvm_codec_fault(&x->c, "the model format has no version but 1: train the model again");
}

static void code_task(model_file *x)
{
    char text[RVM_CODEC_NAME_SIZE];

    rvm_codec_key(&x->c, "task");
    rvm_codec_name(&x->c, text, is_regression(x) ? "regression" : "classification");
    x->m->task = strcmp(text, "regression") == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION;
    if (!is_regression(x) && strcmp(text, "classification") != 0)
        rvm_codec_fault(&x->c, "\"regression\" or \"classification\" is expected");
}

/* The pairs up to the end of the line, which memory grows with. */
static void read_pairs(model_file *x, rvm_codec_range range)
{
    int index = 0;
    double value = 0;

    x->pairs = 0;
    while (rvm_codec_pair(&x->c, &index, &value, range)) {
        if (x->pairs > 0 && index <= x->index[x->pairs - 1])
            rvm_codec_fault(&x->c, "the indices must ascend");
        if (!has_room(x, &x->index, x->pairs, sizeof index) ||
            !has_room(x, &x->value, x->pairs, sizeof value))
            return;
        x->index[x->pairs] = index;
        x->value[x->pairs++] = value;
    }
}

/* Weights of inputs, those above 0. */
static void code_eta(model_file *x)
{
    rvm_model *m = x->m;

    for (size_t j = 0; !reads(x) && j < m->inputs.count; j++)
        if (m->input_weight[j] > 0)
            rvm_codec_pair(&x->c, &m->input_index[j], &m->input_weight[j], RVM_POSITIVE);
    if (reads(x)) {
        read_pairs(x, RVM_POSITIVE);
        const rvm_input_weights inputs = { x->pairs, x->index, x->value };
        if (is_sound(x) && !rvm_model_weigh_inputs(m, &inputs))
            rvm_codec_fault_memory(&x->c);
    }
}

static void code_kernel(model_file *x)
{
    rvm_kernel *kernel = &x->m->kernel;
    char text[RVM_CODEC_NAME_SIZE];

    rvm_codec_key(&x->c, "kernel_type");
    if (!rvm_kernel_by_name(&kernel->type,
                            rvm_codec_name(&x->c, text, rvm_kernel_name(kernel->type))))
        rvm_codec_fault(&x->c, "the name of a kernel is expected");
    const unsigned uses = rvm_kernel_uses(kernel->type);
    if (uses & RVM_USES_DEGREE) {
        rvm_codec_key(&x->c, "degree");
        rvm_codec_whole(&x->c, &kernel->degree, 0, INT_MAX);
    }
    if (uses & RVM_USES_GAMMA) {
        rvm_codec_key(&x->c, "gamma");
        rvm_codec_real(&x->c, &kernel->gamma, RVM_NOT_NEGATIVE);
    }
    if (uses & RVM_USES_COEF0) {
        rvm_codec_key(&x->c, "coef0");
        rvm_codec_real(&x->c, &kernel->coef0, RVM_ANY);
    }
    if (has_key(x, "eta", rvm_kernel_weighs_inputs(kernel->type), kernel->inputs != NULL))
        code_eta(x);
}

static void code_feature(model_file *x, size_t j)
{
    rvm_standard *s = &x->m->standard;

    rvm_codec_key(&x->c, "feature");
    rvm_codec_whole(&x->c, &s->index[j], 0, INT_MAX);
    if (j > 0 && s->index[j] <= s->index[j - 1])
        rvm_codec_fault(&x->c, "the features must ascend");
    rvm_codec_real(&x->c, &s->scale[j], RVM_POSITIVE);
    if (reads(x))
        s->mean[j] = 0;
    if (s->centred)
        rvm_codec_real(&x->c, &s->mean[j], RVM_ANY);
}

/* What is done to the features first. */
static void code_standard(model_file *x)
{
    rvm_standard *s = &x->m->standard;

    s->used = has_key(x, "standardized", x->m->kernel.type != RVM_PRECOMPUTED, s->used);
    if (!s->used)
        return;
    rvm_codec_count(&x->c, &s->count, 0, INT_MAX);
    rvm_codec_flag(&x->c, &s->centred);
    for (size_t j = 0;
         j < s->count && has_room(x, &s->index, j, sizeof *s->index) &&
         has_room(x, &s->mean, j, sizeof *s->mean) && has_room(x, &s->scale, j, sizeof *s->scale);
         j++)
        code_feature(x, j);
}

static void code_labels(model_file *x)
{
    rvm_model *m = x->m;
    bool differ = true;

    rvm_codec_key(&x->c, "label");
    for (size_t c = 0; c < m->class_count && has_room(x, &m->label, c, sizeof *m->label); c++)
        rvm_codec_whole(&x->c, &m->label[c], INT_MIN, INT_MAX);
    if (is_sound(x) && reads(x))
        x->c.status = rvm_labels_differ(&differ, m->label, m->class_count, x->c.err);
    if (!differ)
        rvm_codec_fault(&x->c, "the labels must differ");
    for (size_t k = 0; k < rvm_latents_for(m->class_count) && add_latent(x); k++)
        ;
}

/* A regression has 2 classes in the file, as in libsvm's. */
static void code_classes(model_file *x)
{
    rvm_model *m = x->m;
    char text[RVM_CODEC_NAME_SIZE];
    size_t two = 2;

    rvm_codec_key(&x->c, "nr_class");
    if (is_regression(x)) {
        rvm_codec_count(&x->c, &two, 2, 2);
    } else {
        rvm_codec_count(&x->c, &m->class_count, 1, INT_MAX);
        code_labels(x);
    }
    if (has_key(x, "nr_output", is_regression(x), x->outputs > 1))
        rvm_codec_count(&x->c, &x->outputs, 2, INT_MAX);
    if (has_key(x, "multiclass", m->class_count > 2, m->multiclass != RVM_SOFTMAX)) {
        rvm_codec_name(&x->c, text, rvm_multiclass_name(m->multiclass));
        if (!rvm_multiclass_by_name(&m->multiclass, text))
            rvm_codec_fault(&x->c, "\"softmax\" or \"ovr\" is expected");
    }
}

/* Where the vectors stood in the training file. */
static void code_rows(model_file *x)
{
    rvm_model *m = x->m;

    if (has_key(x, "rows", x->vectors > 0, m->row != NULL))
        for (size_t i = 0; i < x->vectors && has_room(x, &m->row, i, sizeof *m->row); i++)
            rvm_codec_count(&x->c, &m->row[i], 1, m->examples);
}

static void check_class_rows(model_file *x)
{
    size_t sum = 0;

    for (size_t c = 0; c < x->m->class_count; c++)
        sum += x->m->class_rows[c]; /* of numbers below 2^31 */
    if (sum != x->m->examples)
        rvm_codec_fault_line(&x->c, "the classes must have as many rows as there are examples");
}

/* Beside the largest, and no less than training makes of any (rvm_class_weights). */
static void code_class_weight(model_file *x, double *weight)
{
    rvm_codec_real(&x->c, weight, RVM_POSITIVE);
    if (*weight > 1 || *weight < DBL_EPSILON)
        rvm_codec_fault(&x->c, "a number from 2.220446049250313e-16 to 1 is expected");
}

/* Rows and weights of the classes in training. */
static void code_class_rows(model_file *x)
{
    rvm_model *m = x->m;
    const size_t C = m->class_count;

    if (!has_key(x, "class_rows", !is_regression(x), m->class_rows != NULL))
        return;
    for (size_t c = 0; c < C && has_room(x, &m->class_rows, c, sizeof *m->class_rows); c++)
        rvm_codec_count(&x->c, &m->class_rows[c], 1, m->examples);
    if (is_sound(x))
        check_class_rows(x);
    if (!has_key(x, "class_weights", C > 1, m->class_weight != NULL))
        return;
    for (size_t c = 0; c < C && has_room(x, &m->class_weight, c, sizeof *m->class_weight); c++)
        code_class_weight(x, &m->class_weight[c]);
}

/* Of each output, which is a latent function. */
static void code_noise(model_file *x)
{
    rvm_codec_key(&x->c, "noise_variance");
    for (size_t k = 0; k < x->outputs && add_latent(x); k++)
        rvm_codec_real(&x->c, &x->m->latent[k].noise_variance, RVM_POSITIVE);
    rvm_codec_key(&x->c, "noise_fixed");
    rvm_codec_flag(&x->c, &x->m->noise_fixed);
}

/* Numbers from number `first` of the array on. */
static void code_draws(model_file *x, double **array, size_t first, size_t count,
                       rvm_codec_range range)
{
    for (size_t i = first; i < first + count && has_room(x, array, i, sizeof **array); i++)
        rvm_codec_digits(&x->c, &(*array)[i], range, DRAWN_DIGITS);
}

static void code_draw_count(model_file *x)
{
    const bool may_be = x->m->latent_count == 1 && x->m->class_count != 1;
    rvm_latent *f = x->m->latent;

    if (!has_key(x, "draws", may_be, is_drawn(x)))
        return;
    rvm_codec_count(&x->c, &f->draws, 1, RVM_KEEP_MAX);
    if (!is_regression(x))
        return;
    rvm_codec_key(&x->c, "noise_sd");
    code_draws(x, &f->noise_sd, 0, f->draws, RVM_POSITIVE);
}

/* The kernel prior, of all latent functions. */
static void code_process(model_file *x)
{
    rvm_model *m = x->m;
    const bool belongs = x->vectors > 0 && m->class_count != 1 && !is_drawn(x);

    if (!has_key(x, "process_variance", belongs, is_process(x)))
        return;
    for (size_t k = 0; is_sound(x) && k < m->latent_count; k++)
        rvm_codec_real(&x->c, &m->latent[k].process_variance, RVM_POSITIVE);
    if (is_regression(x) && m->kernel.type == RVM_PRECOMPUTED) {
        rvm_codec_key(&x->c, "kernel_diagonal");
        rvm_codec_real(&x->c, &m->kernel_diagonal, RVM_NOT_NEGATIVE);
    }
}

static void code_prior(model_file *x)
{
    rvm_model *m = x->m;
    double *number[] = { &m->weight_prior.shape, &m->weight_prior.rate, &m->noise_prior.shape,
                         &m->noise_prior.rate };

    if (!has_key(x, "prior", !is_drawn(x), rvm_model_has_prior(m)))
        return;
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++)
        rvm_codec_real(&x->c, number[i], RVM_NOT_NEGATIVE);
    if (!rvm_model_has_prior(m))
        rvm_codec_fault(&x->c, "a flat prior has no such line");
    if (!is_regression(x) && (m->noise_prior.shape > 0 || m->noise_prior.rate > 0))
        rvm_codec_fault(&x->c, "a classification has no noise, and no prior of it");
    rvm_codec_key(&x->c, "log_prior");
    rvm_codec_real(&x->c, &m->log_prior, RVM_ANY);
}

static void code_fractions(model_file *x, double *value, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        rvm_codec_real(&x->c, &value[k], RVM_NOT_NEGATIVE);
        if (value[k] > 1)
            rvm_codec_fault(&x->c, "a share, 1 at the most, is expected");
    }
}

/* A line for each output. */
static void code_spreads(model_file *x)
{
    rvm_calibration *c = &x->m->calibration;

    for (size_t k = 0; k < x->outputs && has_room(x, &c->spread, k, sizeof *c->spread); k++) {
        rvm_spread *spread = &c->spread[k];

        rvm_codec_key(&x->c, "spread");
        rvm_codec_real(&x->c, &spread->factor, RVM_POSITIVE);
        if (!(spread->factor >= 1e-10 && spread->factor <= 1e10))
            rvm_codec_fault(&x->c, "a factor from 1e-10 to 1e10 is expected");
        rvm_codec_real(&x->c, &spread->residual, RVM_NOT_NEGATIVE);
        rvm_codec_real(&x->c, &spread->beyond, RVM_NOT_NEGATIVE);
        rvm_codec_real(&x->c, &spread->edge, RVM_NOT_NEGATIVE);
        if (spread->edge >= 1)
            rvm_codec_fault(&x->c, "a number below 1 is expected");
        rvm_codec_real(&x->c, &spread->degrees, RVM_NOT_NEGATIVE);
        if (spread->degrees != 0 && !(spread->degrees >= 2.01 && spread->degrees <= 1e6))
            rvm_codec_fault(&x->c, "degrees of freedom from 2.01 to 1000000, or 0, are expected");
    }
    if (reads(x))
        c->outputs = x->outputs;
}

/* Within ten times what training makes of any. */
static void code_temperature(model_file *x)
{
    double *T = &x->m->calibration.info.temperature;

    rvm_codec_key(&x->c, "temperature");
    rvm_codec_real(&x->c, T, RVM_POSITIVE);
    if (*T < 0.01 || *T > 200)
        rvm_codec_fault(&x->c, "a number from 0.01 to 200 is expected");
}

/* What held-out rows have said. */
static void code_calibration(model_file *x)
{
    rvm_calibration_info *info = &x->m->calibration.info;

    const bool belongs = is_regression(x) || (x->m->class_count > 1 && x->m->class_rows != NULL);

    if (!has_key(x, "calibration_rows", belongs, info->rows > 0))
        return;
    rvm_codec_count(&x->c, &info->rows, 1, x->m->examples);
    if (is_regression(x)) {
        code_spreads(x);
    } else {
        code_temperature(x);
    }
    rvm_codec_key(&x->c, "held_out_loss");
    rvm_codec_real(&x->c, &info->loss, RVM_ANY);
    rvm_codec_key(&x->c, "held_out_error");
    rvm_codec_real(&x->c, &info->error, RVM_NOT_NEGATIVE);
    if (is_regression(x)) {
        rvm_codec_key(&x->c, "held_out_cover");
        code_fractions(x, info->cover, RVM_COVERS);
    }
}

/* All keys in their order, each with what it takes to have it. */
static void code_header(model_file *x)
{
    rvm_model *m = x->m;

    code_version(x);
    code_task(x);
    code_kernel(x);
    code_standard(x);
    code_classes(x);
    rvm_codec_key(&x->c, "total_rv");
    rvm_codec_count(&x->c, &x->vectors, 0, m->kernel.type == RVM_NO_KERNEL ? 0 : INT_MAX);
    rvm_codec_key(&x->c, "examples");
    rvm_codec_count(&x->c, &m->examples, 1, INT_MAX);
    code_rows(x);
    code_class_rows(x);
    if (is_regression(x))
        code_noise(x);
    code_draw_count(x);
    code_process(x);
    rvm_codec_key(&x->c, is_drawn(x) ? "log_likelihood" : "log_evidence");
    rvm_codec_real(&x->c, &m->log_evidence, RVM_ANY);
    code_prior(x);
    rvm_codec_key(&x->c, "converged");
    rvm_codec_flag(&x->c, &m->converged);
    if (!is_regression(x)) {
        rvm_codec_key(&x->c, "probability");
        rvm_codec_flag(&x->c, &m->probability);
    }
    code_calibration(x);
}

/* ---- Basis functions ------------------------------------------------------------------------ */

static const char *kind_of_function(const model_file *x)
{
    return is_regression(x) ? "output" : "class";
}

/* The number of an output, the label of a class. */
static int number_of_function(const model_file *x, size_t k)
{
    return is_regression(x) ? (int)k + 1 : x->m->label[k];
}

static bool are_several(const model_file *x)
{
    return x->m->latent_count > 1;
}

/* Room for one basis function more of latent function k; false after a fault. */
static bool reserve(model_file *x, size_t k)
{
    rvm_latent *f = &x->m->latent[k];
    const size_t i = x->known[k];

    return has_room(x, &f->term, i, sizeof *f->term) &&
           has_room(x, &f->vector, i, sizeof *f->vector) &&
           has_room(x, &f->weight, i, sizeof *f->weight) &&
           (f->draws > 0 || has_room(x, &f->alpha, i, sizeof *f->alpha));
}

/* The numbers of the next basis function of latent function k, which there is room for. With the
 * kernel prior the precisions of the kernel functions are not one each. */
static void code_weight(model_file *x, size_t k)
{
    rvm_latent *f = &x->m->latent[k];
    const size_t i = x->known[k]++, D = f->draws;
    const bool has_precision = !is_process(x) || i < f->terms;

    if (D > 0) {
        code_draws(x, &f->draw, i * D, D, RVM_ANY);
        if (is_sound(x) && reads(x))
            f->weight[i] = gsl_stats_mean(f->draw + i * D, 1, D);
        return;
    }
    rvm_codec_real(&x->c, &f->weight[i], RVM_ANY);
    if (has_precision)
        rvm_codec_real(&x->c, &f->alpha[i], RVM_POSITIVE);
    else if (reads(x))
        f->alpha[i] = 0;
}

/* Of term i, which comes after all those before it. */
static void code_term_name(model_file *x, rvm_latent *f, size_t i)
{
    char text[RVM_CODEC_NAME_SIZE], name[RVM_TERM_NAME_SIZE];
    rvm_codec_name(&x->c, text, reads(x) ? "" : rvm_term_name(name, &f->term[i]));

    if (!reads(x))
        return;
    if (!rvm_term_by_name(&f->term[i], text, strlen(text)) || f->term[i].degree == 0)
        rvm_codec_fault(&x->c, "the name of a basis function, as x3 or x1*x3, is expected");
    else if (i > 0 && rvm_term_compare(&f->term[i - 1], &f->term[i]) >= 0)
        rvm_codec_fault(&x->c, "the basis functions must ascend");
}

static bool bias_is_next(model_file *x, const rvm_latent *f, size_t i)
{
    return reads(x) ? rvm_codec_next_is(&x->c, "bias") : f->term[i].degree == 0;
}

static bool term_is_next(model_file *x, const rvm_latent *f, size_t i)
{
    if (!reads(x))
        return i < f->terms;
    return (i == 0 && bias_is_next(x, f, i)) ||
           (x->m->kernel.type != RVM_PRECOMPUTED && rvm_codec_next_is(&x->c, "basis"));
}

/* Term i of latent function k. The mean of the bias stands before draws, which are many. */
static void code_term(model_file *x, size_t k, size_t i)
{
    rvm_latent *f = &x->m->latent[k];
    const bool bias = bias_is_next(x, f, i);

    if (!reserve(x, k))
        return;
    rvm_codec_key(&x->c, bias ? "bias" : "basis");
    if (!bias)
        code_term_name(x, f, i);
    else if (reads(x))
        f->term[i] = (rvm_term){ 0 };
    if (reads(x))
        f->terms++;
    if (bias && f->draws > 0)
        rvm_codec_real(&x->c, &f->bias_mean, RVM_ANY);
    code_weight(x, k);
    if (bias && f->draws == 0)
        rvm_codec_real(&x->c, &f->bias_mean, RVM_ANY);
}

/* The rows of an upper triangle, a line each. */
static void code_triangle(model_file *x, const char *key, double **array, size_t rows)
{
    size_t entries = 0;

    for (size_t i = 0; is_sound(x) && i < rows; i++) {
        rvm_codec_key(&x->c, key);
        for (size_t j = i; j < rows && has_room(x, array, entries, sizeof **array); j++)
            rvm_codec_real(&x->c, &(*array)[entries++], j == i ? RVM_POSITIVE : RVM_ANY);
    }
}

/* The line that opens one of several latent functions. */
static void code_opening(model_file *x, size_t k)
{
    const int wanted = number_of_function(x, k);
    int label = wanted;

    rvm_codec_key(&x->c, kind_of_function(x));
    rvm_codec_whole(&x->c, &label, INT_MIN, INT_MAX);
    if (label != wanted)
        rvm_codec_fault(&x->c, is_regression(x)
                                   ? "the outputs must stand in their order, from 1"
                                   : "the classes must stand in the order of the labels");
    rvm_codec_count(&x->c, &x->m->latent[k].count, 0, INT_MAX);
}

static void fault_of_excess(model_file *x)
{
    rvm_codec_fault(&x->c, "the %s has more basis functions than its line says",
                    kind_of_function(x));
}

static void code_latent(model_file *x, size_t k)
{
    rvm_latent *f = &x->m->latent[k];

    if (are_several(x))
        code_opening(x, k);
    for (size_t i = 0; is_sound(x) && term_is_next(x, f, i); i++) {
        if (are_several(x) && i == f->count)
            fault_of_excess(x);
        code_term(x, k, i);
    }
    if (!are_several(x) && reads(x))
        f->count = f->terms + x->vectors;
    if (is_sound(x) && is_process(x) && f->count != f->terms + x->vectors)
        rvm_codec_fault_line(&x->c, "%s %d must have all vectors, as its prior says",
                             kind_of_function(x), number_of_function(x, k));
    if (rvm_model_has_covariance(x->m))
        code_triangle(x, "factor", &f->factor, f->count);
}

/* ---- Vectors -------------------------------------------------------------------------------- */

/* Weight and precision of one of several latent functions at a vector, 0 0 where it does without.
 * Returns whether it has it. */
static bool code_pair_of_weight(model_file *x, size_t k, size_t vector)
{
    rvm_latent *f = &x->m->latent[k];
    const size_t i = x->known[k];
    const bool has = !reads(x) && i < f->count && f->vector[i - f->terms] == vector;
    double weight = has ? f->weight[i] : 0, alpha = has ? f->alpha[i] : 0;

    rvm_codec_real(&x->c, &weight, RVM_ANY);
    rvm_codec_real(&x->c, &alpha, RVM_ANY);
    if (weight == 0 && alpha == 0)
        return false;
    if (alpha <= 0)
        rvm_codec_fault(&x->c, "a number above 0 is expected");
    if (i == f->count)
        fault_of_excess(x);
    if (!is_sound(x) || !reserve(x, k))
        return false;
    x->known[k]++;
    if (reads(x)) {
        f->vector[i - f->terms] = vector;
        f->weight[i] = weight;
        f->alpha[i] = alpha;
    }
    return true;
}

/* The only latent function has all vectors, and with the kernel prior every one has. */
static bool code_weight_of_vector(model_file *x, size_t k, size_t vector)
{
    if (are_several(x) && !is_process(x))
        return code_pair_of_weight(x, k, vector);
    if (!reserve(x, k))
        return false;
    if (reads(x))
        x->m->latent[k].vector[vector] = vector;
    code_weight(x, k);
    return true;
}

/* A row of a kernel matrix is known by its number alone. */
static void check_serial(model_file *x)
{
    if (x->pairs != 1 || x->index[0] != 0 || x->value[0] != floor(x->value[0]) || x->value[0] < 1 ||
        x->value[0] > INT_MAX)
        rvm_codec_fault_line(&x->c, "a vector of a precomputed kernel must be 0:serial alone");
}

static void code_features(model_file *x, size_t i)
{
    rvm_problem *v = x->m->vectors;

    if (!reads(x)) {
        for (size_t k = v->start[i]; k < v->start[i + 1]; k++)
            rvm_codec_pair(&x->c, &v->index[k], &v->value[k], RVM_ANY);
        return;
    }
    read_pairs(x, RVM_ANY);
    if (is_sound(x) && x->m->kernel.type == RVM_PRECOMPUTED)
        check_serial(x);
    if (is_sound(x) && !rvm_problem_append(v, 0, x->index, x->value, x->pairs))
        rvm_codec_fault_memory(&x->c);
}

static void code_vector(model_file *x, size_t i)
{
    bool used = false;

    rvm_codec_line(&x->c);
    for (size_t k = 0; is_sound(x) && k < x->m->latent_count; k++)
        used = code_weight_of_vector(x, k, i) || used;
    if (!used)
        rvm_codec_fault_line(&x->c, "no %s uses this vector", kind_of_function(x));
    code_features(x, i);
}

static void check_counts(model_file *x)
{
    for (size_t k = 0; is_sound(x) && k < x->m->latent_count; k++)
        if (x->known[k] < x->m->latent[k].count)
            rvm_codec_fault_line(&x->c, "%s %d has fewer basis functions than its line says",
                                 kind_of_function(x), number_of_function(x, k));
}

/* ---- The whole ------------------------------------------------------------------------------ */

/* Behind the header, which has shown how many latent functions there are. */
static void code_functions(model_file *x)
{
    rvm_model *m = x->m;

    if (!is_sound(x))
        return;
    x->known = rvm_array(m->latent_count, sizeof *x->known);
    if (x->known == NULL)
        rvm_codec_fault_memory(&x->c);
    for (size_t k = 0; is_sound(x) && k < m->latent_count; k++)
        code_latent(x, k);
    if (is_process(x) && rvm_model_has_covariance(m))
        code_triangle(x, "point_factor", &m->point_factor, x->vectors);
    rvm_codec_key(&x->c, "RV");
    for (size_t i = 0; is_sound(x) && i < x->vectors; i++)
        code_vector(x, i);
    check_counts(x);
}

static rvm_status code_model(model_file *x)
{
    code_header(x);
    code_functions(x);
    rvm_codec_key(&x->c, "end");
    rvm_codec_end(&x->c);
    free(x->known);
    free(x->index);
    free(x->value);
    rvm_codec_free(&x->c);
    return x->c.status;
}

rvm_status rvm_model_read(rvm_model **out, FILE *in, rvm_error *err)
{
    model_file x = { .m = rvm_model_alloc(), .outputs = 1 };

    if (x.m == NULL)
        return rvm_fail_memory(err, "the model");
    rvm_codec_read(&x.c, in, err);
    x.m->vectors = rvm_problem_alloc();
    if (x.m->vectors == NULL)
        rvm_codec_fault_memory(&x.c);
    const rvm_status status = code_model(&x);
    if (status == RVM_OK)
        *out = x.m;
    else
        rvm_model_free(x.m);
    return status;
}

rvm_status rvm_model_write(const rvm_model *m, FILE *out, rvm_error *err)
{
    rvm_model copy = *m;
    model_file x = { .m = &copy, .vectors = m->vectors->rows, .outputs = m->latent_count };

    rvm_codec_write(&x.c, out, err);
    return code_model(&x);
}
