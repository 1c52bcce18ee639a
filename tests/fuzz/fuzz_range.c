/* Any bytes as a range file: refused with a message, or written, read and written as itself. */
#include <gsl/gsl_errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rvm.h"

typedef struct {
    char *bytes; /* owned */
    size_t size;
} text;

static text write_ranges(const rvm_scaling *s)
{
    text t = { 0 };
    rvm_error err = { 0 };
    FILE *out = open_memstream(&t.bytes, &t.size);

    if (out == NULL || rvm_scaling_write(s, out, &err) != RVM_OK || fclose(out) != 0)
        abort();
    return t;
}

static rvm_scaling *read_ranges(const void *bytes, size_t size, rvm_error *err)
{
    rvm_scaling *s = NULL;
    FILE *in = fmemopen((void *)bytes, size, "r");

    if (in == NULL)
        abort();
    if (rvm_scaling_read(&s, in, err) != RVM_OK)
        s = NULL;
    fclose(in);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rvm_error err = { 0 };

    if (size == 0)
        return 0;
    gsl_set_error_handler_off();
    rvm_scaling *s = read_ranges(data, size, &err);
    if (s == NULL) {
        if (err.status == RVM_OK || err.message[0] == '\0')
            abort();
        return 0;
    }
    const text first = write_ranges(s);
    rvm_scaling_free(s);
    s = read_ranges(first.bytes, first.size, &err);
    if (s == NULL)
        abort();
    const text second = write_ranges(s);
    if (first.size != second.size || memcmp(first.bytes, second.bytes, first.size) != 0)
        abort();
    rvm_scaling_free(s);
    free(first.bytes);
    free(second.bytes);
    return 0;
}
