/* Any bytes as a model file: refused with a message, or written, read and written as itself. */
#include <gsl/gsl_errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rvm.h"

typedef struct {
    char *bytes; /* owned */
    size_t size;
} text;

static text write_model(const rvm_model *m)
{
    text t = { 0 };
    rvm_error err = { 0 };
    FILE *out = open_memstream(&t.bytes, &t.size);

    if (out == NULL || rvm_model_write(m, out, &err) != RVM_OK || fclose(out) != 0)
        abort();
    return t;
}

static rvm_model *read_model(const void *bytes, size_t size, rvm_error *err)
{
    rvm_model *m = NULL;
    FILE *in = fmemopen((void *)bytes, size, "r");

    if (in == NULL)
        abort();
    if (rvm_model_read(&m, in, err) != RVM_OK)
        m = NULL;
    fclose(in);
    return m;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rvm_error err = { 0 };

    if (size == 0)
        return 0;
    gsl_set_error_handler_off();
    rvm_model *m = read_model(data, size, &err);
    if (m == NULL) {
        if (err.status == RVM_OK || err.message[0] == '\0')
            abort();
        return 0;
    }
    const text first = write_model(m);
    rvm_model_free(m);
    m = read_model(first.bytes, first.size, &err);
    if (m == NULL)
        abort();
    const text second = write_model(m);
    if (first.size != second.size || memcmp(first.bytes, second.bytes, first.size) != 0)
        abort();
    rvm_model_free(m);
    free(first.bytes);
    free(second.bytes);
    return 0;
}
