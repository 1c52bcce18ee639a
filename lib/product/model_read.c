/* A model from text, in the form that rvm-model(5) lays down.
 *
 * The file is taken for hostile.  Memory grows with what was read, never with a count that the file
 * claims; every number is checked before it is used; and since the keys stand in one order, a
 * missing, repeated or unknown key is a line that is not the one expected.
 *
 * The first fault sticks in reader.status: every step after it does nothing, so that the steps can
 * be written down as the file's grammar. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "basis/kernel.h"
#include "data/labels.h"
#include "data/problem.h"
#include "product/model.h"

enum { NAME_SIZE = 32, VERSIONS = 5, VERSION_OF_DRAWS = 5 };

typedef struct {
    rvm_text text;
    const char *line; /* borrowed from text */
    size_t length, at;
    rvm_word word; /* the one last taken */
    rvm_status status;
    rvm_error *err;

    rvm_model *m; /* owned until handed out */
    int version;
    size_t vectors; /* as claimed */
    bool held;      /* the next key is the one in hand */
    size_t *known;  /* owned: weights read so far of each latent function */
    double *noise;  /* owned: of each output; regression */
    size_t outputs; /* of noise */

    double *term_weight; /* owned: of the terms of one latent function */
    double *term_alpha;  /* owned */
    size_t term_capacity, term_weight_capacity, term_alpha_capacity;
    size_t draws, draw_capacity; /* numbers of the draws read so far */

    int *index;    /* owned: the pairs of one vector */
    double *value; /* owned */
    size_t pairs, index_capacity, value_capacity;
} reader;

/* ---- Faults --------------------------------------------------------------------------------- */

/* At the word last taken: MESSAGE, then what was found there. */
static void fault(reader *r, const char *message)
{
    char excerpt[RVM_EXCERPT_SIZE];

    if (r->word.text == NULL)
        r->status = rvm_fail_at(r->err, RVM_EMODEL, r->text.lines, r->length + 1,
                                "%s; the line ends here", message);
    else
        r->status =
            rvm_fail_at(r->err, RVM_EMODEL, r->text.lines, r->word.column, "%s; found \"%s\"",
                        message, rvm_text_excerpt(excerpt, r->word.text, r->word.length));
}

static void fault_memory(reader *r)
{
    r->status = rvm_fail_memory(r->err, "the model");
}

/* ---- Lines and words ------------------------------------------------------------------------ */

static void next_line(reader *r)
{
    if (r->status != RVM_OK)
        return;
    r->status = rvm_text_line(&r->line, &r->length, &r->text, r->err);
    r->at = 0;
    if (r->status == RVM_OK && r->line == NULL)
        r->status = rvm_fail_at(r->err, RVM_EMODEL, r->text.lines + 1, 1,
                                "the file is cut short: "
                                "it has no line \"end\"");
}

/* False when no word is left, or after a fault. */
static bool next_word(reader *r)
{
    if (r->status != RVM_OK)
        return false;
    r->word = rvm_text_word(r->line, r->length, &r->at);
    return r->word.text != NULL;
}

static bool word_is(const reader *r, const char *text)
{
    return r->status == RVM_OK && r->word.text != NULL && r->word.length == strlen(text) &&
           memcmp(r->word.text, text, r->word.length) == 0;
}

static void next_key(reader *r)
{
    if (r->held) {
        r->held = false;
        return;
    }
    next_line(r);
    next_word(r);
}

static void expect_key(reader *r, const char *key)
{
    char message[64];

    if (r->status != RVM_OK || word_is(r, key))
        return;
    snprintf(message, sizeof message, "the line \"%s\" is expected", key);
    fault(r, message);
}

static void key(reader *r, const char *name)
{
    next_key(r);
    expect_key(r, name);
}

static void end_line(reader *r)
{
    if (next_word(r))
        fault(r, "the line is complete");
}

/* ---- Numbers -------------------------------------------------------------------------------- */

/* text[0 .. length - 1], a part of the word last taken, as a finite number. */
static double parse_real(reader *r, const char *text, size_t length)
{
    double x = 0;
    const rvm_number_status status = rvm_text_real(&x, text, length);

    /* A weight may be as small as it likes: below the normal range is no fault. */
    if (status != RVM_NUMBER_OK && status != RVM_NUMBER_UNDERFLOW)
        fault(r,
              status == RVM_NUMBER_OVERFLOW ? "the number is too large" : "a number is expected");
    return x;
}

static double real(reader *r)
{
    if (!next_word(r)) {
        if (r->status == RVM_OK)
            fault(r, "a number is expected");
        return 0;
    }
    return parse_real(r, r->word.text, r->word.length);
}

static double positive(reader *r)
{
    const double x = real(r);

    if (r->status == RVM_OK && x <= 0)
        fault(r, "a number above 0 is expected");
    return x;
}

static int whole(reader *r, int least, int most)
{
    const double x = real(r);

    if (r->status == RVM_OK && (x != floor(x) || x < least || x > most)) {
        char message[64];
        snprintf(message, sizeof message, "a whole number from %d to %d is expected", least, most);
        fault(r, message);
    }
    return r->status == RVM_OK ? (int)x : least;
}

static double key_real(reader *r, const char *name)
{
    key(r, name);
    const double x = real(r);
    end_line(r);
    return x;
}

/* The key in hand, its number and the end of its line. */
static int whole_of_key(reader *r, const char *name, int least, int most)
{
    expect_key(r, name);
    const int x = whole(r, least, most);
    end_line(r);
    return x;
}

static int key_whole(reader *r, const char *name, int least, int most)
{
    next_key(r);
    return whole_of_key(r, name, least, most);
}

/* One of index:value, from the word last taken, behind those that the line has had so far. */
static void read_pair(reader *r)
{
    const char *colon = memchr(r->word.text, ':', r->word.length);
    if (colon == NULL) {
        fault(r, "index:value is expected");
        return;
    }

    const size_t before = (size_t)(colon - r->word.text);
    int index = 0;
    if (rvm_text_index(&index, r->word.text, before) != RVM_NUMBER_OK) {
        fault(r, "the index is not a whole number from 0 to 2147483647");
        return;
    }
    if (r->pairs > 0 && index <= r->index[r->pairs - 1]) {
        fault(r, "the indices must ascend");
        return;
    }
    const double value = parse_real(r, colon + 1, r->word.length - before - 1);
    if (!rvm_grow(&r->index, &r->index_capacity, r->pairs + 1, sizeof *r->index) ||
        !rvm_grow(&r->value, &r->value_capacity, r->pairs + 1, sizeof *r->value)) {
        fault_memory(r);
        return;
    }
    r->index[r->pairs] = index;
    r->value[r->pairs++] = value;
}

/* ---- Header --------------------------------------------------------------------------------- */

static void read_first_line(reader *r)
{
    next_key(r);
    if (r->status == RVM_EMODEL) {
        rvm_fail_at(r->err, RVM_EMODEL, 1, 1, "the file is empty, not a model");
    } else if (word_is(r, "svm_type") || word_is(r, "solver_type")) {
        fault(r, "a LIBSVM model, not a relevance vector model");
    } else if (!word_is(r, "rvm_model")) {
        fault(r, "not a model file: it does not begin with \"rvm_model 1\"");
    } else {
        next_word(r);
        for (int version = 1; version <= VERSIONS; version++) {
            const char digit[] = { (char)('0' + version), '\0' };
            if (word_is(r, digit))
                r->version = version;
        }
        if (r->status == RVM_OK && r->version == 0)
            fault(r, "a version of the model format other than 1 to 5, the only ones known here");
    }
    end_line(r);
}

static void read_task(reader *r)
{
    key(r, "task");
    next_word(r);
    if (word_is(r, "regression"))
        r->m->task = RVM_REGRESSION;
    else if (word_is(r, "classification"))
        r->m->task = RVM_CLASSIFICATION;
    else if (r->status == RVM_OK)
        fault(r, "\"regression\" or \"classification\" is expected");
    if (r->status == RVM_OK && r->version == 2 && r->m->task != RVM_REGRESSION)
        fault(r, "version 2 of the model format is for regression");
    end_line(r);
}

static void read_kernel(reader *r)
{
    rvm_kernel *kernel = &r->m->kernel;
    char name[NAME_SIZE] = "";

    key(r, "kernel_type");
    if (next_word(r) && r->word.length < sizeof name)
        memcpy(name, r->word.text, r->word.length);
    if (r->status == RVM_OK && !rvm_kernel_by_name(&kernel->type, name))
        fault(r, "the name of a kernel is expected");
    if (r->status == RVM_OK && kernel->type == RVM_NO_KERNEL && r->version < 3)
        fault(r, "a model without a kernel has version 3, 4 or 5 of the model format");
    end_line(r);
    if (r->status != RVM_OK)
        return;

    const unsigned uses = rvm_kernel_uses(kernel->type);
    if (uses & RVM_USES_DEGREE)
        kernel->degree = key_whole(r, "degree", 0, INT_MAX);
    if (uses & RVM_USES_GAMMA) {
        kernel->gamma = key_real(r, "gamma");
        if (r->status == RVM_OK && kernel->gamma < 0)
            r->status = rvm_fail_at(r->err, RVM_EMODEL, r->text.lines, 1, "gamma is below 0");
    }
    if (uses & RVM_USES_COEF0)
        kernel->coef0 = key_real(r, "coef0");
}

/* The weights of the inputs, the key in hand. Memory grows with the pairs that are there. */
static void read_eta(reader *r)
{
    rvm_kernel *kernel = &r->m->kernel;

    if (r->status == RVM_OK && !rvm_kernel_weighs_inputs(kernel->type))
        fault(r, "the kernel has no weights of inputs");
    while (next_word(r)) {
        read_pair(r);
        if (r->status == RVM_OK && r->value[r->pairs - 1] <= 0)
            fault(r, "a weight above 0 is expected");
    }
    const rvm_input_weights inputs = { r->pairs, r->index, r->value };
    if (r->status == RVM_OK && !rvm_model_weigh_inputs(r->m, &inputs))
        fault_memory(r);
}

/* The key `nr_class` in hand. */
static void read_labels(reader *r)
{
    rvm_model *m = r->m;
    size_t capacity = 0;
    bool differ = true;

    m->class_count = (size_t)whole_of_key(r, "nr_class", 1, INT_MAX);
    key(r, "label");
    for (size_t c = 0; r->status == RVM_OK && c < m->class_count; c++) {
        const int label = whole(r, INT_MIN, INT_MAX);
        if (!rvm_grow(&m->label, &capacity, c + 1, sizeof *m->label))
            fault_memory(r);
        else
            m->label[c] = label;
    }
    if (r->status == RVM_OK)
        r->status = rvm_labels_differ(&differ, m->label, m->class_count, r->err);
    if (r->status == RVM_OK && !differ)
        fault(r, "the labels must differ");
    end_line(r);
}

/* One number for each of `count` outputs. Memory grows with the numbers that are there. */
static void read_noise(reader *r, size_t count)
{
    size_t capacity = 0;

    key(r, "noise_variance");
    while (r->status == RVM_OK && r->outputs < count) {
        const double noise = positive(r);
        if (!rvm_grow(&r->noise, &capacity, r->outputs + 1, sizeof *r->noise))
            fault_memory(r);
        else
            r->noise[r->outputs++] = noise;
    }
    end_line(r);
    r->m->noise_fixed = key_whole(r, "noise_fixed", 0, 1) == 1;
}

/* The one line that may be absent, and then is softmax; the next key in hand before and after. */
static void read_multiclass(reader *r)
{
    char name[NAME_SIZE] = "";

    if (!word_is(r, "multiclass"))
        return;
    if (r->m->class_count < 3)
        fault(r, "a model of fewer than three classes has no such line");
    if (next_word(r) && r->word.length < sizeof name)
        memcpy(name, r->word.text, r->word.length);
    if (r->status == RVM_OK && !rvm_multiclass_by_name(&r->m->multiclass, name))
        fault(r, "\"softmax\" or \"ovr\" is expected");
    end_line(r);
    next_key(r);
}

static double not_negative(reader *r)
{
    const double x = real(r);

    if (r->status == RVM_OK && x < 0)
        fault(r, "a number, 0 or more, is expected");
    return x;
}

static void read_prior(reader *r)
{
    rvm_model *m = r->m;

    key(r, "prior");
    m->weight_prior.shape = not_negative(r);
    m->weight_prior.rate = not_negative(r);
    m->noise_prior.shape = not_negative(r);
    m->noise_prior.rate = not_negative(r);
    if (r->status == RVM_OK && !rvm_model_has_prior(m))
        fault(r, "a flat prior has no such line");
    if (r->status == RVM_OK && m->task != RVM_REGRESSION &&
        (m->noise_prior.shape > 0 || m->noise_prior.rate > 0))
        fault(r, "a classification has no noise, and no prior of it");
    end_line(r);
    m->log_prior = key_real(r, "log_prior");
}

static bool has_draws(const reader *r)
{
    return r->version == VERSION_OF_DRAWS;
}

/* Where the vectors stood in the training file, a line that may be absent. */
static void read_rows(reader *r)
{
    size_t capacity = 0;

    next_key(r);
    r->held = !word_is(r, "rows");
    if (r->held)
        return;
    if (r->vectors == 0)
        fault(r, "a model without vectors has no such line");
    for (size_t i = 0; r->status == RVM_OK && i < r->vectors; i++) {
        const int row = whole(r, 1, (int)r->m->examples);

        if (!rvm_grow(&r->m->row, &capacity, i + 1, sizeof *r->m->row))
            fault_memory(r);
        else
            r->m->row[i] = (size_t)row;
    }
    end_line(r);
}

static void read_header(reader *r)
{
    rvm_model *m = r->m;
    size_t outputs = 1;

    read_task(r);
    read_kernel(r);
    next_key(r);
    if (r->version >= 3 && word_is(r, "eta")) {
        read_eta(r);
        next_key(r);
    }
    if (m->task == RVM_CLASSIFICATION)
        read_labels(r);
    if (r->status == RVM_OK && has_draws(r) && m->class_count > 0 && m->class_count != 2)
        r->status =
            rvm_fail_at(r->err, RVM_EMODEL, r->text.lines, 1, "a model of draws has two classes");
    if (m->task == RVM_REGRESSION)
        whole_of_key(r, "nr_class", 2, 2);
    next_key(r);
    if (r->version == 2 || ((r->version == 3 || r->version == 4) && m->task == RVM_REGRESSION &&
                            word_is(r, "nr_output"))) {
        outputs = (size_t)whole_of_key(r, "nr_output", 2, INT_MAX);
        next_key(r);
    }
    read_multiclass(r);
    r->vectors =
        (size_t)whole_of_key(r, "total_rv", 0, m->kernel.type == RVM_NO_KERNEL ? 0 : INT_MAX);
    m->examples = (size_t)key_whole(r, "examples", 1, INT_MAX);
    read_rows(r);
    if (m->task == RVM_REGRESSION)
        read_noise(r, outputs);
    m->log_evidence = key_real(r, has_draws(r) ? "log_likelihood" : "log_evidence");
    if (r->version == 4)
        read_prior(r);
    m->converged = key_whole(r, "converged", 0, 1) == 1;
    if (m->task == RVM_CLASSIFICATION)
        m->probability = key_whole(r, "probability", 0, 1) == 1;
}

/* ---- Basis functions ------------------------------------------------------------------------ */

static const char *too_many_functions(const reader *r)
{
    return r->m->task == RVM_REGRESSION ? "the output has more basis functions than its line says"
                                        : "the class has more basis functions than its line says";
}

/* The term of the key in hand, which comes after all those before it. */
static rvm_term read_term_name(reader *r, const rvm_latent *f)
{
    rvm_term term = { 0 };

    if (word_is(r, "bias"))
        return term;
    next_word(r);
    if (r->status == RVM_OK &&
        (r->word.text == NULL || !rvm_term_by_name(&term, r->word.text, r->word.length) ||
         term.degree == 0))
        fault(r, "the name of a basis function, as x3 or x1*x3, is expected");
    else if (r->status == RVM_OK && f->terms > 0 &&
             rvm_term_compare(&f->term[f->terms - 1], &term) >= 0)
        fault(r, "the basis functions must ascend");
    return term;
}

/* The key in hand, its term, weight and precision. */
static void read_term(reader *r, rvm_latent *f)
{
    const rvm_term term = read_term_name(r, f);
    const double weight = real(r), alpha = positive(r);
    if (r->status != RVM_OK)
        return;
    if (!rvm_grow(&f->term, &r->term_capacity, f->terms + 1, sizeof *f->term) ||
        !rvm_grow(&r->term_weight, &r->term_weight_capacity, f->terms + 1,
                  sizeof *r->term_weight) ||
        !rvm_grow(&r->term_alpha, &r->term_alpha_capacity, f->terms + 1, sizeof *r->term_alpha)) {
        fault_memory(r);
        return;
    }
    f->term[f->terms] = term;
    r->term_weight[f->terms] = weight;
    r->term_alpha[f->terms++] = alpha;
}

/* The terms of a latent function, the next key in hand before and after; most: so many at most. */
static void read_terms(reader *r, rvm_latent *f, size_t most)
{
    const bool precomputed = r->m->kernel.type == RVM_PRECOMPUTED;

    r->term_capacity = 0;
    while (r->status == RVM_OK && ((f->terms == 0 && word_is(r, "bias")) ||
                                   (r->version >= 3 && !precomputed && word_is(r, "basis")))) {
        const bool bias = word_is(r, "bias");
        if (f->terms == most)
            fault(r, bias && most == 0 ? "without basis functions there is no bias"
                                       : too_many_functions(r));
        read_term(r, f);
        if (bias)
            f->bias_mean = real(r);
        end_line(r);
        next_key(r);
    }
}

/* The factor of K functions. The weights are to come, and the lines of the factor have shown that
 * the file is large enough to be believed about their number. */
static void read_factor(reader *r, rvm_latent *f, size_t K)
{
    size_t entries = 0, capacity = 0;

    for (size_t i = 0; r->status == RVM_OK && i < K; i++) {
        expect_key(r, "factor");
        for (size_t j = i; r->status == RVM_OK && j < K; j++) {
            const double entry = j == i ? positive(r) : real(r);
            if (!rvm_grow(&f->factor, &capacity, entries + 1, sizeof *f->factor))
                fault_memory(r);
            else
                f->factor[entries++] = entry;
        }
        end_line(r);
        next_key(r);
    }
    if (r->status != RVM_OK)
        return;
    f->count = K;
    f->vector = rvm_array(K - f->terms, sizeof *f->vector);
    f->weight = rvm_array(K, sizeof *f->weight);
    f->alpha = rvm_array(K, sizeof *f->alpha);
    if (f->vector == NULL || f->weight == NULL || f->alpha == NULL)
        fault_memory(r);
}

/* Latent function k, the next key in hand before and after: its terms and its factor. K: its basis
 * functions, or NULL: all vectors, and the terms. */
static void read_latent(reader *r, size_t k, const size_t *K)
{
    rvm_latent *f = &r->m->latent[k];

    read_terms(r, f, K != NULL ? *K : SIZE_MAX);
    read_factor(r, f, K != NULL ? *K : r->vectors + f->terms);
    if (r->status != RVM_OK)
        return;
    for (size_t i = 0; i < f->terms; i++) {
        f->weight[i] = r->term_weight[i];
        f->alpha[i] = r->term_alpha[i];
    }
    r->known[k] = f->terms;
}

/* The same with the line that opens a class, or an output. */
static void read_block(reader *r, size_t k)
{
    const bool regression = r->m->task == RVM_REGRESSION;
    expect_key(r, regression ? "output" : "class");
    const int label = whole(r, INT_MIN, INT_MAX);
    if (r->status == RVM_OK && regression && label != (int)k + 1)
        fault(r, "the outputs must stand in their order, from 1");
    else if (r->status == RVM_OK && !regression && label != r->m->label[k])
        fault(r, "the classes must stand in the order of the labels");
    const size_t K = (size_t)whole(r, 0, INT_MAX);
    end_line(r);
    next_key(r);
    read_latent(r, k, &K);
}

/* A row of a kernel matrix is known by its number alone. */
static void check_serial(reader *r)
{
    const bool ok = r->pairs == 1 && r->index[0] == 0 && r->value[0] == floor(r->value[0]) &&
                    r->value[0] >= 1 && r->value[0] <= INT_MAX;

    if (!ok)
        r->status = rvm_fail_at(r->err, RVM_EMODEL, r->text.lines, 1,
                                "a vector of a precomputed "
                                "kernel must be 0:serial alone");
}

/* The next two numbers: weight and precision of latent function k at the vector in hand, 0 0 where
 * it is none of several functions'. Returns whether it is one of its own. */
static bool read_weight(reader *r, size_t k, size_t vector)
{
    rvm_latent *f = &r->m->latent[k];
    const double weight = real(r), alpha = real(r);

    if (r->status != RVM_OK || (r->m->latent_count > 1 && weight == 0 && alpha == 0))
        return false;
    if (alpha <= 0) {
        fault(r, "a number above 0 is expected");
    } else if (r->known[k] == f->count) {
        fault(r, too_many_functions(r));
    } else {
        f->vector[r->known[k] - f->terms] = vector;
        f->weight[r->known[k]] = weight;
        f->alpha[r->known[k]++] = alpha;
    }
    return true;
}

/* The pairs of the line in hand, which it ends with, as a vector. */
static void read_features(reader *r)
{
    r->pairs = 0;
    while (next_word(r))
        read_pair(r);
    if (r->status == RVM_OK && r->m->kernel.type == RVM_PRECOMPUTED)
        check_serial(r);
    if (r->status == RVM_OK && !rvm_problem_append(r->m->vectors, 0, r->index, r->value, r->pairs))
        fault_memory(r);
}

static void read_vector(reader *r, size_t vector)
{
    bool used = false;

    next_line(r);
    for (size_t k = 0; r->status == RVM_OK && k < r->m->latent_count; k++)
        used = read_weight(r, k, vector) || used;
    if (r->status == RVM_OK && !used)
        r->status = rvm_fail_at(r->err, RVM_EMODEL, r->text.lines, 1, "no %s uses this vector",
                                r->m->task == RVM_REGRESSION ? "output" : "class");
    read_features(r);
}

static void check_counts(reader *r)
{
    for (size_t k = 0; r->status == RVM_OK && k < r->m->latent_count; k++)
        if (r->known[k] < r->m->latent[k].count)
            r->status = rvm_fail_at(r->err, RVM_EMODEL, r->text.lines, 1,
                                    "%s %d has fewer basis functions than its line says",
                                    r->m->task == RVM_REGRESSION ? "output" : "class",
                                    r->m->task == RVM_REGRESSION ? (int)k + 1 : r->m->label[k]);
}

/* ---- Draws ----------------------------------------------------------------------------------- */

/* The number of draws, and the noise of each. Memory grows with the numbers that are there, so the
 * first line of numbers shows that the number of draws can be believed. */
static void read_noise_of_draws(reader *r, rvm_latent *f)
{
    const size_t draws = (size_t)key_whole(r, "draws", 1, RVM_KEEP_MAX);
    const bool regression = r->m->task == RVM_REGRESSION;
    size_t capacity = 0;

    if (regression)
        key(r, "noise_sd");
    for (f->draws = 0; r->status == RVM_OK && f->draws < draws; f->draws++) {
        const double sd = regression ? positive(r) : 1;
        if (!rvm_grow(&f->noise_sd, &capacity, f->draws + 1, sizeof *f->noise_sd))
            fault_memory(r);
        else
            f->noise_sd[f->draws] = sd;
    }
    if (regression)
        end_line(r);
}

/* The draws of the weight of one more function. */
static void read_draws(reader *r, rvm_latent *f)
{
    double sum = 0;

    for (size_t d = 0; r->status == RVM_OK && d < f->draws; d++) {
        const double w = real(r);
        if (!rvm_grow(&f->draw, &r->draw_capacity, r->draws + 1, sizeof *f->draw)) {
            fault_memory(r);
            return;
        }
        f->draw[r->draws++] = w;
        sum += w / (double)f->draws;
    }
    if (!rvm_grow(&f->weight, &r->term_weight_capacity, f->count + 1, sizeof *f->weight))
        fault_memory(r);
    else
        f->weight[f->count++] = sum;
}

/* The terms, the next key in hand before and after. */
static void read_drawn_terms(reader *r, rvm_latent *f)
{
    const bool precomputed = r->m->kernel.type == RVM_PRECOMPUTED;

    while (r->status == RVM_OK &&
           ((f->terms == 0 && word_is(r, "bias")) || (!precomputed && word_is(r, "basis")))) {
        const bool bias = word_is(r, "bias");
        const rvm_term term = read_term_name(r, f);
        if (bias)
            f->bias_mean = real(r);
        if (r->status == RVM_OK &&
            !rvm_grow(&f->term, &r->term_capacity, f->terms + 1, sizeof *f->term))
            fault_memory(r);
        if (r->status != RVM_OK)
            return;
        f->term[f->terms++] = term;
        read_draws(r, f);
        end_line(r);
        next_key(r);
    }
}

/* Everything behind the header of a model of draws. */
static void read_drawn_functions(reader *r)
{
    size_t capacity = 0;
    if (r->status == RVM_OK && !rvm_model_alloc_latents(r->m, 1))
        fault_memory(r);
    if (r->status != RVM_OK)
        return;

    rvm_latent *f = r->m->latent;
    f->noise_variance = r->outputs > 0 ? r->noise[0] : 0;
    read_noise_of_draws(r, f);
    next_key(r);
    read_drawn_terms(r, f);
    expect_key(r, "RV");
    end_line(r);
    for (size_t i = 0; r->status == RVM_OK && i < r->vectors; i++) {
        next_line(r);
        read_draws(r, f);
        read_features(r);
        if (r->status == RVM_OK && !rvm_grow(&f->vector, &capacity, i + 1, sizeof *f->vector))
            fault_memory(r);
        if (r->status == RVM_OK)
            f->vector[i] = i;
    }
}

static void read_functions(reader *r)
{
    if (r->status != RVM_OK)
        return; /* the claimed number of classes is not to be believed */
    if (has_draws(r)) {
        read_drawn_functions(r);
        return;
    }
    const size_t count =
        r->m->task == RVM_REGRESSION ? r->outputs : rvm_latents_for(r->m->class_count);
    r->known = rvm_array(count, sizeof *r->known);
    if (r->known == NULL || !rvm_model_alloc_latents(r->m, count))
        fault_memory(r);
    for (size_t k = 0; r->status == RVM_OK && k < r->outputs; k++)
        r->m->latent[k].noise_variance = r->noise[k];
    next_key(r);
    if (r->status == RVM_OK && count == 1)
        read_latent(r, 0, NULL);
    for (size_t k = 0; r->status == RVM_OK && count > 1 && k < count; k++)
        read_block(r, k);
    expect_key(r, "RV");
    end_line(r);
    for (size_t i = 0; r->status == RVM_OK && i < r->vectors; i++)
        read_vector(r, i);
    check_counts(r);
}

static void read_end(reader *r)
{
    key(r, "end");
    end_line(r);
    if (r->status != RVM_OK)
        return;
    r->status = rvm_text_line(&r->line, &r->length, &r->text, r->err);
    if (r->status == RVM_OK && r->line != NULL)
        r->status = rvm_fail_at(r->err, RVM_EMODEL, r->text.lines, 1,
                                "there is text after the line \"end\"");
}

rvm_status rvm_model_read(rvm_model **out, FILE *in, rvm_error *err)
{
    reader r = { .err = err };

    rvm_text_init(&r.text, in);
    r.m = rvm_model_alloc();
    if (r.m != NULL)
        r.m->vectors = rvm_problem_alloc();
    if (r.m == NULL || r.m->vectors == NULL)
        fault_memory(&r);
    if (r.status == RVM_OK) {
        read_first_line(&r);
        read_header(&r);
        read_functions(&r);
        read_end(&r);
    }
    if (r.status == RVM_OK)
        *out = r.m;
    else
        rvm_model_free(r.m);
    free(r.known);
    free(r.noise);
    free(r.term_weight);
    free(r.term_alpha);
    free(r.index);
    free(r.value);
    rvm_text_free(&r.text);
    return r.status;
}
