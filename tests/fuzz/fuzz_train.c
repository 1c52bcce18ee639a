/* Any rows, up to 14 of them, by any settings: refused with a message, or trained to a model that
 * is read as it was written and predicts its rows soundly. */
#include <gsl/gsl_errno.h>

#include "sound.h"

/* Bytes of the settings before the data; with letters for seeds that can be read. */
enum { METHOD, KERNEL, TASK, BASIS, PRIOR, NUMBERS, SETTINGS };
enum { ROWS = 14, FEATURES = 40 };

static unsigned choice(const uint8_t *data, int which, unsigned count)
{
    return (unsigned)(data[which] - 'a') % count;
}

/* Numbers of all sizes, the same for every letter. */
static double number(unsigned k)
{
    static const double sizes[] = { 1, 0.1, 10, 1e-3, 1e3, 1e-9, 1e9, 0, 1e-100, 1e100, 1e300 };
    return sizes[k % (sizeof sizes / sizeof *sizes)];
}

static void choose_prior(rvm_settings *s, const uint8_t *data)
{
    const unsigned prior = choice(data, PRIOR, 16);

    if (prior & 1)
        s->weight_prior = (rvm_gamma_prior){ 1, number(prior) };
    if (prior & 2)
        s->noise_prior = (rvm_gamma_prior){ 0.5, number(prior + 3) };
    if (prior & 4 && s->task == RVM_REGRESSION)
        s->noise_variance = number(prior + 1);
    s->sampling.prior_given = prior & 1;
    s->sampling.noise_prior_given = prior & 2;
    s->sampling.mixture = prior & 8 && s->method == RVM_METHOD_GIBBS;
}

/* Of all kernels, or of the one that is there. */
static void choose_race(rvm_settings *s, bool one)
{
    rvm_error err = { 0 };

    assert(rvm_settings_set(s, "auto", NULL, &err) == RVM_OK);
    if (one || s->kernel.type == RVM_PRECOMPUTED)
        s->tune.type_count = 0;
}

static rvm_settings decode(const uint8_t *data, const rvm_class_weight *weight)
{
    rvm_settings s = rvm_settings_default();
    const unsigned task = choice(data, TASK, 32), basis = choice(data, BASIS, 64);
    const unsigned numbers = choice(data, NUMBERS, 26);

    s.method = (rvm_method)choice(data, METHOD, RVM_METHOD_GIBBS + 1);
    s.kernel = (rvm_kernel){ .type = (rvm_kernel_type)choice(data, KERNEL, RVM_NO_KERNEL + 1),
                             .degree = (int)(numbers % 5),
                             .gamma = number(numbers),
                             .coef0 = number(numbers + 7) };
    s.task = task & 1 ? RVM_REGRESSION : RVM_CLASSIFICATION;
    s.multiclass = task & 2 ? RVM_ONE_VS_REST : RVM_SOFTMAX;
    s.shared_noise = task & 4 && task & 1;
    s.class_weight_count = task & 8 && !(task & 1) ? 1 : 0;
    s.class_weights = weight;
    s.bias = !(basis & 1);
    s.linear = basis & 2;
    s.quadratic = basis & 4;
    s.ard = basis & 8;
    s.probability = basis & 16; /* of 10 rows and more */
    s.standardize = basis & 32; /* a capital letter */
    s.threads = 1;
    s.restarts = 2;
    s.budget_mb = 64;
    s.sampling.samples = 12;
    s.sampling.burn_in = 4;
    s.sampling.chains = 2;
    s.sampling.keep = 7;
    choose_prior(&s, data);
    if (task & 16)
        choose_race(&s, basis & 2);
    return s;
}

static bool is_small(const rvm_problem *p, const rvm_settings *s)
{
    return rvm_problem_rows(p) <= ROWS &&
           (!(s->quadratic || s->ard) || rvm_problem_last_feature(p) <= FEATURES);
}

/* The model as it comes back from its file; freed by the caller. */
static rvm_model *by_file(const rvm_model *m)
{
    char *text = NULL;
    size_t size = 0;
    rvm_model *back = NULL;
    rvm_error err = { 0 };
    FILE *out = open_memstream(&text, &size);

    assert(out != NULL && rvm_model_write(m, out, &err) == RVM_OK && fclose(out) == 0);
    FILE *in = open_bytes(text, size);
    assert(rvm_model_read(&back, in, &err) == RVM_OK);
    fclose(in);
    free(text);
    return back;
}

static void train(const rvm_problem *p, const rvm_settings *s)
{
    rvm_model *m = NULL;
    rvm_error err = { 0 };
    rvm_status status = rvm_settings_check(s, p, &err);

    if (status == RVM_OK)
        status = rvm_train(&m, p, s, &err);
    if (status != RVM_OK) {
        check_error(&err, status);
        return;
    }
    rvm_model *back = by_file(m);
    check_rows(back, p, false);
    check_rows(back, p, true);
    rvm_model_free(back);
    rvm_model_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const rvm_class_weight weight = { 1, 7.5 };
    rvm_problem *p = NULL;
    rvm_error err = { 0 };

    if (size <= SETTINGS + 1 || data[SETTINGS] != '\n')
        return 0;
    gsl_set_error_handler_off();
    const rvm_settings s = decode(data, &weight);
    const rvm_grammar grammar = { .class_labels = s.task == RVM_CLASSIFICATION,
                                  .precomputed = s.kernel.type == RVM_PRECOMPUTED,
                                  .outputs = s.task == RVM_REGRESSION };
    FILE *in = open_bytes(data + SETTINGS + 1, size - SETTINGS - 1);
    if (rvm_problem_read(&p, in, grammar, &err) == RVM_OK && is_small(p, &s))
        train(p, &s);
    rvm_problem_free(p);
    fclose(in);
    return 0;
}
