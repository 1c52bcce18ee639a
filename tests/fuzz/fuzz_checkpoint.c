/* Any text as what a checkpoint has beyond its head, with a sum that fits: refused with a message,
 * or gone on with for some steps, to a model. */
#include <gsl/gsl_errno.h>
#include <stdio.h>

#include "base/hash.h"
#include "sound.h"

enum { ROWS = 30, STEPS = 3 };

/* Which training it is of: the first byte. Rounds of candidates, since -m is scarce; folds; and
 * length-scales. */
static rvm_settings settings_of(uint8_t which)
{
    rvm_settings s = rvm_settings_default();

    s.task = which == 'b' ? RVM_CLASSIFICATION : RVM_REGRESSION;
    s.kernel.gamma = 0.5;
    s.restarts = 1;
    s.threads = 1;
    s.budget_mb = which == 'a' ? 0.15 : 64;
    s.probability = which == 'b';
    s.ard = which == 'c';
    s.resumable = true;
    return s;
}

static rvm_problem *rows_of(bool classes)
{
    char text[ROWS * 64];
    size_t size = 0;
    rvm_problem *p = NULL;
    rvm_error err = { 0 };

    for (int i = 0; i < ROWS; i++) {
        const double x = (7 * i % ROWS) / (double)ROWS * 4 - 2, z = (11 * i % ROWS) / (double)ROWS;
        const double t = sin(2 * x) + z + 0.1 * (i % 5);
        size += (size_t)snprintf(text + size, sizeof text - size, "%g 1:%g 2:%g\n",
                                 classes ? (t > 0.5) : t, x, z);
    }
    FILE *in = fmemopen(text, size, "r");
    assert(in != NULL);
    assert(rvm_problem_read(&p, in, (rvm_grammar){ .class_labels = classes }, &err) == RVM_OK);
    fclose(in);
    return p;
}

/* Owned by the caller: the head of a checkpoint of tr, the text, and the line "end". */
static char *compose(size_t *size, const rvm_trainer *tr, const uint8_t *data, size_t count)
{
    char *head = NULL, *all = NULL;
    size_t head_size = 0;
    rvm_error err = { 0 };
    FILE *out = open_memstream(&head, &head_size);
    assert(out != NULL && rvm_trainer_write(tr, out, &err) == RVM_OK);
    fclose(out);
    const char *rest = strstr(head, "validations ");
    assert(rest != NULL);
    out = open_memstream(&all, size);
    assert(out != NULL);
    fwrite(head, 1, (size_t)(rest - head), out);
    fwrite(data, 1, count, out);
    if (count == 0 || data[count - 1] != '\n')
        putc('\n', out);
    fflush(out);
    fprintf(out, "end %llx\n", (unsigned long long)rvm_hash_bytes(RVM_HASH_START, all, *size));
    fclose(out);
    free(head);
    return all;
}

static void go_on(rvm_trainer *tr)
{
    rvm_report report = { .done = false };
    rvm_model *m = NULL;
    rvm_error err = { 0 };
    rvm_status status = RVM_OK;

    for (int k = 0; k < STEPS && status == RVM_OK && !report.done; k++)
        status = rvm_trainer_step(&report, tr, &err);
    if (status == RVM_OK)
        status = rvm_trainer_model(&m, tr, &err);
    if (status != RVM_OK)
        check_error(&err, status);
    rvm_model_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || data[0] < 'a' || data[0] > 'c')
        return 0;
    const rvm_settings s = settings_of(data[0]);
    rvm_problem *p = rows_of(s.task == RVM_CLASSIFICATION);
    rvm_trainer *tr = NULL;
    rvm_error err = { 0 };

    gsl_set_error_handler_off();
    assert(rvm_trainer_alloc(&tr, p, &s, &err) == RVM_OK);
    size_t all = 0;
    char *text = compose(&all, tr, data + 1, size - 1);
    FILE *in = fmemopen(text, all, "r");
    assert(in != NULL);
    const rvm_status status = rvm_trainer_read(tr, in, &err);
    fclose(in);
    if (status == RVM_OK)
        go_on(tr);
    else
        check_error(&err, status);
    rvm_trainer_free(tr);
    rvm_problem_free(p);
    free(text);
    return 0;
}
