/* The settings: defaults, and one row for each that has a name: how it is read, and its range.
 *
 * Messages on ranges begin with libsvm's words where libsvm makes the same check, because scripts
 * look for them. */
#include "product/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/value.h"
#include "basis/kernel.h"
#include "basis/term.h"
#include "data/problem.h"

enum { SAMPLES_MIN = 4, DRAWS_MAX = 100000000, CHAINS_MAX = 1000 };

rvm_settings rvm_settings_default(void)
{
    return (rvm_settings){
        .task = RVM_CLASSIFICATION,
        .kernel = { .type = RVM_RBF, .degree = 3, .gamma = 0, .coef0 = 0 },
        .bias = true,
        .noise_variance = 0,
        .tolerance = 0.001,
        .budget_mb = 1024,
        .restarts = 0,
        .seed = 1,
        .threads = 0,
        .method = RVM_METHOD_AUTO,
        .sampling = { .samples = 5000, .burn_in = 1000, .thin = 1, .chains = 5, .keep = 200 },
        .multiclass = RVM_SOFTMAX,
    };
}

void rvm_settings_clear(rvm_settings *s)
{
    free(s->own_weights);
    s->own_weights = NULL;
    s->class_weights = NULL;
    s->class_weight_count = 0;
}

rvm_kernel rvm_settings_kernel(const rvm_settings *s, const rvm_problem *p)
{
    rvm_kernel kernel = s->kernel;

    if (kernel.gamma == 0 && kernel.inputs != NULL)
        kernel.gamma = 1;
    else if (kernel.gamma == 0 && p->max_index > 0)
        kernel.gamma = 1.0 / p->max_index;
    return kernel;
}

void rvm_settings_make_rough(rvm_settings *s)
{
    const double worth_comparing = 0.5; /* nats */

    s->restarts = 1;
    if (s->method == RVM_METHOD_AUTO) /* the steps of others are small all the way */
        s->tolerance = fmax(s->tolerance, worth_comparing);
}

void rvm_settings_make_trial(rvm_settings *s)
{
    s->tune = (rvm_tuning){ .gamma = false };
    s->probability = false;
    if (s->method == RVM_METHOD_GIBBS) {
        s->method = RVM_METHOD_AUTO;
        s->sampling.mixture = false;
        s->weight_prior = s->noise_prior = (rvm_gamma_prior){ 0, 0 };
    }
    rvm_settings_make_rough(s);
}

/* ---- Names ---------------------------------------------------------------------------------- */

static const char *const multiclass_names[] = {
    [RVM_SOFTMAX] = "softmax",
    [RVM_ONE_VS_REST] = "ovr",
};
static const char *const method_names[] = {
    [RVM_METHOD_AUTO] = "auto",   [RVM_METHOD_MACKAY] = "mackay",
    [RVM_METHOD_EM] = "em",       [RVM_METHOD_SEQUENTIAL] = "sequential",
    [RVM_METHOD_GIBBS] = "gibbs",
};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* Place of a name among names[0 .. count - 1]; count: there is none. */
static size_t place_of_name(const char *const *names, size_t count, const char *name)
{
    size_t k = 0;

    while (k < count && strcmp(name, names[k]) != 0)
        k++;
    return k;
}

const char *rvm_multiclass_name(rvm_multiclass multiclass)
{
    return (size_t)multiclass < COUNT(multiclass_names) ? multiclass_names[multiclass] : NULL;
}

bool rvm_multiclass_by_name(rvm_multiclass *out, const char *name)
{
    const size_t k = place_of_name(multiclass_names, COUNT(multiclass_names), name);

    if (k == COUNT(multiclass_names))
        return false;
    *out = (rvm_multiclass)k;
    return true;
}

const char *rvm_method_name(rvm_method method)
{
    return (size_t)method < COUNT(method_names) ? method_names[method] : NULL;
}

/* ---- Values that are no plain number -------------------------------------------------------- */

static rvm_status set_kernel_number(rvm_settings *s, const char *value, rvm_error *err)
{
    int number = 0;
    const rvm_status status = rvm_value_read(&number, RVM_VALUE_INT, value, err);

    if (!rvm_kernel_by_number(&s->kernel.type, number))
        s->kernel.type = (rvm_kernel_type)RVM_KERNEL_TYPES; /* none, which the check refuses */
    return status;
}

static rvm_status set_kernel(rvm_settings *s, const char *value, rvm_error *err)
{
    if (rvm_kernel_by_name(&s->kernel.type, value))
        return RVM_OK;
    return rvm_fail(err, RVM_ESETTING, "there is no kernel of that name");
}

/* Adds a kernel by name, `poly` being short for polynomial; false when there is none to compare. */
static bool select_kernel(rvm_tuning *tune, const char *name)
{
    rvm_kernel_type type;

    if (!rvm_kernel_by_name(&type, strcmp(name, "poly") == 0 ? "polynomial" : name) ||
        type == RVM_PRECOMPUTED)
        return false;
    for (size_t k = 0; k < tune->type_count; k++)
        if (tune->type[k] == type)
            return true;
    tune->type[tune->type_count++] = type;
    return true;
}

enum { WORD_SIZE = 64 };

/* The next word of a list with commas between them; false where it has no room. *list moves behind
 * the word and its comma, and is NULL at the end. */
static bool next_of_list(char word[WORD_SIZE], const char **list)
{
    const size_t length = strcspn(*list, ",");

    snprintf(word, WORD_SIZE, "%.*s", (int)length, *list);
    *list = (*list)[length] == ',' ? *list + length + 1 : NULL;
    return length < WORD_SIZE;
}

static rvm_status set_select(rvm_settings *s, const char *value, rvm_error *err)
{
    char name[WORD_SIZE];

    s->tune.type_count = 0;
    while (value != NULL)
        if (!next_of_list(name, &value) || !select_kernel(&s->tune, name))
            return rvm_fail(err, RVM_ESETTING, "not a list of kernels that can be compared");
    return RVM_OK;
}

/* With or without a bound of seconds; all that a race knows is open, until something closes it. */
static rvm_status set_auto(rvm_settings *s, const char *value, rvm_error *err)
{
    static const rvm_kernel_type types[] = { RVM_RBF, RVM_LAPLACIAN, RVM_LINEAR, RVM_POLYNOMIAL };
    double seconds = 0;

    if (value != NULL && !(rvm_value_real(&seconds, value) && seconds > 0 && isfinite(seconds)))
        return rvm_fail(err, RVM_ESETTING, "seconds, more than 0, are needed");
    s->tune = (rvm_tuning){ .gamma = true,
                            .degree = true,
                            .coef0 = true,
                            .type_count = COUNT(types),
                            .race = true,
                            .ard = true,
                            .linear = true,
                            .prior = true,
                            .standardize = true,
                            .seconds = seconds };
    memcpy(s->tune.type, types, sizeof types);
    return RVM_OK;
}

static rvm_status set_basis(rvm_settings *s, const char *value, rvm_error *err)
{
    bool *const wanted[RVM_TERM_DEGREES] = { &s->bias, &s->linear, &s->quadratic };
    char name[WORD_SIZE];

    s->bias = s->linear = s->quadratic = false;
    while (value != NULL) {
        bool known = next_of_list(name, &value) && strcmp(name, "none") == 0;
        for (int d = 0; d < RVM_TERM_DEGREES; d++)
            if (strcmp(name, rvm_term_degree_name(d)) == 0)
                known = *wanted[d] = true;
        if (!known)
            return rvm_fail(err, RVM_ESETTING,
                            "a list of bias, linear, quadratic and none is possible");
    }
    return RVM_OK;
}

/* `auto`, or a number into *number. */
static rvm_status set_or_tune(bool *tune, double *number, const char *value, rvm_error *err)
{
    *tune = strcmp(value, "auto") == 0;
    if (*tune || rvm_value_real(number, value))
        return RVM_OK;
    return rvm_fail(err, RVM_ESETTING, "neither a number nor auto");
}

static rvm_status set_gamma(rvm_settings *s, const char *value, rvm_error *err)
{
    return set_or_tune(&s->tune.gamma, &s->kernel.gamma, value, err);
}

static rvm_status set_coef0(rvm_settings *s, const char *value, rvm_error *err)
{
    return set_or_tune(&s->tune.coef0, &s->kernel.coef0, value, err);
}

static rvm_status set_degree(rvm_settings *s, const char *value, rvm_error *err)
{
    s->tune.degree = strcmp(value, "auto") == 0;
    if (s->tune.degree || rvm_value_int(&s->kernel.degree, value))
        return RVM_OK;
    return rvm_fail(err, RVM_ESETTING, "neither a whole number nor auto");
}

static rvm_status set_multiclass(rvm_settings *s, const char *value, rvm_error *err)
{
    if (rvm_multiclass_by_name(&s->multiclass, value))
        return RVM_OK;
    return rvm_fail(err, RVM_ESETTING, "softmax and ovr are possible");
}

static rvm_status set_method(rvm_settings *s, const char *value, rvm_error *err)
{
    s->method = (rvm_method)place_of_name(method_names, COUNT(method_names), value);
    if (rvm_method_name(s->method) != NULL)
        return RVM_OK;
    return rvm_fail(err, RVM_ESETTING, "auto, mackay, em, sequential and gibbs are possible");
}

static rvm_status set_gibbs_basis(rvm_settings *s, const char *value, rvm_error *err)
{
    if (strcmp(value, "all") == 0)
        s->sampling.basis = RVM_BASIS_ALL;
    else if (strcmp(value, "active") == 0)
        s->sampling.basis = RVM_BASIS_ACTIVE;
    else
        return rvm_fail(err, RVM_ESETTING, "all and active are possible");
    return RVM_OK;
}

/* Two numbers with a comma between them and nothing else. */
static bool read_prior(rvm_gamma_prior *prior, const char *text)
{
    char shape[WORD_SIZE];

    return next_of_list(shape, &text) && text != NULL && rvm_value_real(&prior->shape, shape) &&
           rvm_value_real(&prior->rate, text);
}

/* `flat`, `kernel`, `gamma:A,B`, or `student:NU`, which is gamma:NU/2,NU/2, or `mixture`. */
static rvm_status set_weight_prior(rvm_settings *s, const char *value, rvm_error *err)
{
    static const char gamma[] = "gamma:", student[] = "student:";
    double nu = 0;

    s->weight_prior = (rvm_gamma_prior){ 0, 0 };
    s->sampling.mixture = strcmp(value, "mixture") == 0;
    s->kernel_prior = strcmp(value, "kernel") == 0;
    s->sampling.prior_given = false;
    if (s->sampling.mixture || s->kernel_prior || strcmp(value, "flat") == 0)
        return RVM_OK;
    s->sampling.prior_given = true;
    if (strncmp(value, gamma, strlen(gamma)) == 0 &&
        read_prior(&s->weight_prior, value + strlen(gamma)))
        return RVM_OK;
    if (strncmp(value, student, strlen(student)) != 0 ||
        !rvm_value_real(&nu, value + strlen(student)))
        return rvm_fail(err, RVM_ESETTING,
                        "flat, kernel, gamma:A,B, student:NU and mixture are possible");
    if (!(nu > 0))
        return rvm_fail(err, RVM_ESETTING, "NU must be above 0");
    s->weight_prior.shape = s->weight_prior.rate = nu / 2;
    return RVM_OK;
}

static rvm_status set_noise_prior(rvm_settings *s, const char *value, rvm_error *err)
{
    s->sampling.noise_prior_given = true;
    if (read_prior(&s->noise_prior, value))
        return RVM_OK;
    return rvm_fail(err, RVM_ESETTING, "two numbers with a comma between them are needed");
}

/* The text behind the `w` is the class; none is class 0, as in libsvm. */
static rvm_status add_class_weight(rvm_settings *s, const char *label, const char *value,
                                   rvm_error *err)
{
    const size_t count = s->class_weight_count;
    rvm_class_weight w = { 0, 0 };

    if (*label != '\0' && !rvm_value_int(&w.label, label))
        return rvm_fail(err, RVM_ESETTING, "the class is not a whole number");
    if (!rvm_value_real(&w.weight, value))
        return rvm_fail(err, RVM_ESETTING, "the weight is not a number");
    rvm_class_weight *list = malloc((count + 1) * sizeof *list);
    if (list == NULL)
        return rvm_fail_memory(err, "weights of classes");
    if (count > 0)
        memcpy(list, s->class_weights, count * sizeof *list);
    list[count] = w;
    free(s->own_weights);
    s->own_weights = list;
    s->class_weights = list;
    s->class_weight_count = count + 1;
    return RVM_OK;
}

/* ---- The table ------------------------------------------------------------------------------ */

/* Ranges, and how the message on a number outside goes on behind the row's words. */
typedef enum {
    ANY,
    POSITIVE,      /* `... <= 0 (it is X)`, `... is not finite (it is X)` */
    NOT_BELOW_0,   /* `... < 0 (it is X)` */
    FINITE_FROM_0, /* `... is X; a finite number, 0 or more, is needed` */
    BETWEEN        /* `... X; LOW to HIGH are possible` */
} setting_range;

typedef struct {
    const char *name; /* of the option of rvm-train: a letter of libsvm's, or a long name */
    rvm_status (*set)(rvm_settings *s, const char *value, rvm_error *err); /* NULL: by kind */
    rvm_value_kind kind;
    size_t offset; /* of the field */
    setting_range range;
    const char *words; /* of the message */
    int low, high;
} setting;

#define FIELD(name) offsetof(rvm_settings, name)

/* Ranges are checked in this order. */
static const setting table[] = {
    { .name = "t", .set = set_kernel_number },
    { .name = "kernel", .set = set_kernel },
    { .name = "select", .set = set_select },
    { .name = "d", .set = set_degree },
    { .name = "g", .set = set_gamma },
    { .name = "r", .set = set_coef0 },
    { .name = "ard", .kind = RVM_VALUE_FLAG, .offset = FIELD(ard) },
    { .name = "standardize", .kind = RVM_VALUE_FLAG, .offset = FIELD(standardize) },
    { .name = "auto", .set = set_auto },
    { .name = "basis", .set = set_basis },
    { .name = "multiclass", .set = set_multiclass },
    { .name = "method", .set = set_method },
    { "m", NULL, RVM_VALUE_REAL, FIELD(budget_mb), POSITIVE, "cache_size", 0, 0 },
    { "e", NULL, RVM_VALUE_REAL, FIELD(tolerance), POSITIVE, "eps", 0, 0 },
    { "prune-margin", NULL, RVM_VALUE_REAL, FIELD(prune_margin), FINITE_FROM_0, "prune margin", 0,
      0 },
    { "restarts", NULL, RVM_VALUE_INT, FIELD(restarts), NOT_BELOW_0, "number of restarts", 0, 0 },
    { "threads", NULL, RVM_VALUE_INT, FIELD(threads), BETWEEN, "number of threads is", 0,
      RVM_THREADS_MAX },
    { .name = "seed", .kind = RVM_VALUE_UNSIGNED, .offset = FIELD(seed) },
    { "samples", NULL, RVM_VALUE_INT, FIELD(sampling.samples), BETWEEN, "number of samples is",
      SAMPLES_MIN, DRAWS_MAX },
    { "burn-in", NULL, RVM_VALUE_INT, FIELD(sampling.burn_in), BETWEEN, "burn-in is", 0,
      DRAWS_MAX },
    { "thin", NULL, RVM_VALUE_INT, FIELD(sampling.thin), BETWEEN, "thinning is", 1, DRAWS_MAX },
    { "chains", NULL, RVM_VALUE_INT, FIELD(sampling.chains), BETWEEN, "number of chains is", 1,
      CHAINS_MAX },
    { "keep", NULL, RVM_VALUE_INT, FIELD(sampling.keep), BETWEEN, "draws to keep are", 1,
      RVM_KEEP_MAX },
    { .name = "alpha-min", .kind = RVM_VALUE_REAL, .offset = FIELD(sampling.alpha_min) },
    { .name = "alpha-max", .kind = RVM_VALUE_REAL, .offset = FIELD(sampling.alpha_max) },
    { .name = "gibbs-basis", .set = set_gibbs_basis },
    { "noise-variance", NULL, RVM_VALUE_REAL, FIELD(noise_variance), FINITE_FROM_0,
      "noise variance", 0, 0 },
    { .name = "shared-noise", .kind = RVM_VALUE_FLAG, .offset = FIELD(shared_noise) },
    { .name = "prior", .set = set_weight_prior },
    { "vectors", NULL, RVM_VALUE_INT, FIELD(vectors), NOT_BELOW_0, "number of vectors", 0, 0 },
    { .name = "noise-prior", .set = set_noise_prior },
};

/* It can do without a value. */
static bool is_bare(const setting *row)
{
    return row->set == set_auto || (row->set == NULL && row->kind == RVM_VALUE_FLAG);
}

rvm_status rvm_settings_set(rvm_settings *s, const char *name, const char *value, rvm_error *err)
{
    rvm_settings changed = *s;
    rvm_status status;

    if (name[0] == 'w' && value != NULL)
        return add_class_weight(s, name + 1, value, err);
    for (size_t k = 0; k < COUNT(table); k++) {
        const setting *row = &table[k];
        if (strcmp(row->name, name) != 0)
            continue;
        if (value == NULL && !is_bare(row))
            return rvm_fail(err, RVM_ESETTING, "a value is needed");
        if (row->set != NULL)
            status = row->set(&changed, value, err);
        else
            status = rvm_value_read((char *)&changed + row->offset, row->kind, value, err);
        if (status == RVM_OK)
            *s = changed;
        return status;
    }
    return rvm_fail(err, RVM_ESETTING, "there is no setting of that name");
}

/* An option has a value of its own: it is there, and not as auto. */
static bool is_said(rvm_settings_look *look, const void *of, const char *name)
{
    const char *value = look(of, name);

    return value != NULL && strcmp(value, "auto") != 0;
}

/* What --auto leaves open but another option says, before it or behind. */
static void close_said(rvm_settings *s, rvm_settings_look *look, const void *of)
{
    rvm_tuning *tune = &s->tune;
    const char *list = look(of, "select");

    if (list != NULL && set_select(s, list, NULL) != RVM_OK)
        tune->type_count = 0; /* it has been read before */
    if (list == NULL && (is_said(look, of, "t") || is_said(look, of, "kernel")))
        tune->type_count = 0;
    tune->degree = !is_said(look, of, "d");
    tune->coef0 = !is_said(look, of, "r");
    tune->gamma = !is_said(look, of, "g");
    tune->ard = !is_said(look, of, "ard") && !is_said(look, of, "g");
    tune->linear = !is_said(look, of, "basis");
    tune->prior = !is_said(look, of, "prior");
    tune->standardize = !is_said(look, of, "standardize");
    s->probability = s->probability || !is_said(look, of, "b");
}

void rvm_settings_settle(rvm_settings *s, rvm_settings_look *look, const void *of)
{
    if (s->tune.type_count > 0 && look(of, "g") == NULL)
        s->tune.gamma = true;
    if (s->tune.race)
        close_said(s, look, of);
}

static double number_of(const setting *row, const rvm_settings *s)
{
    const void *field = (const char *)s + row->offset;

    return row->kind == RVM_VALUE_INT ? *(const int *)field : *(const double *)field;
}

static rvm_status check_range(const setting *row, const rvm_settings *s, rvm_error *err)
{
    const double x = number_of(row, s);

    if (row->range == POSITIVE && !(isfinite(x) && x > 0))
        return rvm_fail(err, RVM_ESETTING, "%s %s (it is %g)", row->words,
                        x <= 0 ? "<= 0" : "is not finite", x);
    if (row->range == NOT_BELOW_0 && x < 0)
        return rvm_fail(err, RVM_ESETTING, "%s < 0 (it is %.0f)", row->words, x);
    if (row->range == FINITE_FROM_0 && !(isfinite(x) && x >= 0))
        return rvm_fail(err, RVM_ESETTING, "%s is %g; a finite number, 0 or more, is needed",
                        row->words, x);
    if (row->range == BETWEEN && !(x >= row->low && x <= row->high))
        return rvm_fail(err, RVM_ESETTING, "%s %.0f; %d to %d are possible", row->words, x,
                        row->low, row->high);
    return RVM_OK;
}

rvm_status rvm_settings_check_ranges(const rvm_settings *s, rvm_error *err)
{
    rvm_status status = RVM_OK;

    for (size_t k = 0; k < COUNT(table) && status == RVM_OK; k++)
        if (table[k].range != ANY)
            status = check_range(&table[k], s, err);
    return status;
}

bool rvm_tuning_is_open(const rvm_tuning *tune)
{
    return tune->race || tune->gamma || tune->degree || tune->coef0 || tune->type_count > 0;
}
