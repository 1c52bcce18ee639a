/* Any range file on any rows: the bytes are a range file, then a line `rows`, then rows. What is
 * written reads as rows again. */
#include <gsl/gsl_errno.h>

#include "sound.h"

static const char plain_rows[] = "1 1:1 2:-0.5\n-1 1:1e90 2:-1e90 3:1e-300\n0\n";
static const rvm_grammar grammar = { .outputs = true };

static rvm_problem *read_rows(const void *text, size_t size)
{
    rvm_problem *p = NULL;
    rvm_error err = { 0 };
    FILE *in = open_bytes(text, size);

    if (rvm_problem_read(&p, in, grammar, &err) != RVM_OK)
        p = NULL;
    fclose(in);
    return p;
}

/* Ranges of the rows themselves, completed into those of the file as rvm-scale does. */
static rvm_status complete(rvm_scaling *s, const rvm_problem *p, rvm_error *err)
{
    const rvm_scaling_limits limits = { .lower = -1, .upper = 1 };
    rvm_scaling *learned = NULL;
    bool target_taken = false;
    size_t count = 0;
    int *unseen = NULL;
    rvm_status status = rvm_scaling_learn(&learned, p, &limits, err);

    if (status == RVM_OK)
        status = rvm_scaling_complete(s, &target_taken, learned, err);
    if (status == RVM_OK)
        status = rvm_scaling_unseen(&unseen, &count, s, learned, err);
    free(unseen);
    rvm_scaling_free(learned);
    return status;
}

static void check_scaled(const rvm_scaling *s, const rvm_problem *p)
{
    char *text = NULL;
    size_t size = 0;
    rvm_scaling_counts counts;
    rvm_error err = { 0 };
    FILE *out = open_memstream(&text, &size);

    assert(out != NULL);
    const rvm_status tried = rvm_scaling_apply(&counts, s, p, NULL, &err);
    assert(rvm_scaling_apply(&counts, s, p, out, &err) == tried && fclose(out) == 0);
    if (tried != RVM_OK) {
        check_error(&err, tried);
    } else {
        rvm_problem *q = read_rows(text, size);
        assert(q != NULL && rvm_problem_rows(q) == rvm_problem_rows(p));
        rvm_problem_free(q);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *rest;
    size_t rest_size;
    const size_t length = cut_at_rows(&rest, &rest_size, data, size);
    rvm_scaling *s = NULL;
    rvm_error err = { 0 };
    FILE *in = open_bytes(data, length);

    gsl_set_error_handler_off();
    const rvm_status status = rvm_scaling_read(&s, in, &err);
    fclose(in);
    if (status != RVM_OK)
        return 0;
    rvm_problem *p =
        rest != NULL ? read_rows(rest, rest_size) : read_rows(plain_rows, strlen(plain_rows));
    if (p != NULL && complete(s, p, &err) == RVM_OK)
        check_scaled(s, p);
    rvm_problem_free(p);
    rvm_scaling_free(s);
    return 0;
}
