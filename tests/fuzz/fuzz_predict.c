/* Any rows by any model: the bytes are a model file, then a line `rows`, then rows. Whatever both
 * hold, predictions are finite, probabilities are between 0 and 1, or a row is refused. */
#include <gsl/gsl_errno.h>

#include "sound.h"

/* For a model alone. */
static const char hostile[] = "1 1:1 2:-0.5\n-1 1:1e90 2:-1e90 3:1e-300\n0\n"
                              "1e300 1:1.7e308 2:1.7e308 1000:-1e200\n2 2147483647:1\n";
/* The same for a kernel matrix. */
static const char hostile_matrix[] = "1 0:1 1:1 2:-1e300\n-1 0:2 1:1e90 2147483647:3\n0 0:1\n";

static rvm_problem *read_rows(const uint8_t *text, size_t size, rvm_grammar grammar)
{
    rvm_problem *p = NULL;
    rvm_reader *reader = NULL;
    rvm_error err = { 0 };
    FILE *in = open_bytes(text, size);

    if (rvm_reader_alloc(&reader, in, grammar, &err) == RVM_OK &&
        rvm_reader_next(&p, reader, 100, &err) != RVM_OK) {
        rvm_problem_free(p);
        p = NULL;
    }
    rvm_reader_free(reader);
    fclose(in);
    return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *rest;
    size_t rest_size;
    const size_t length = cut_at_rows(&rest, &rest_size, data, size);
    rvm_model *m = NULL;
    rvm_error err = { 0 };
    FILE *in = open_bytes(data, length);

    gsl_set_error_handler_off();
    const rvm_status status = rvm_model_read(&m, in, &err);
    fclose(in);
    if (status != RVM_OK)
        return 0;
    const rvm_model_info info = rvm_model_describe(m);
    const rvm_grammar grammar = { .precomputed = info.kernel.type == RVM_PRECOMPUTED,
                                  .outputs = info.outputs > 1 };
    const char *const text = grammar.precomputed ? hostile_matrix : hostile;
    rvm_problem *p = rest != NULL ? read_rows(rest, rest_size, grammar)
                                  : read_rows((const uint8_t *)text, strlen(text), grammar);
    if (p != NULL) {
        check_rows(m, p, false);
        check_rows(m, p, true);
    }
    rvm_problem_free(p);
    rvm_model_free(m);
    return 0;
}
