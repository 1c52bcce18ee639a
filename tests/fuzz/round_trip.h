/* Any bytes as a file of some format: refused with a message, or written, read and written as
 * itself. */
#ifndef RVM_FUZZ_ROUND_TRIP_H
#define RVM_FUZZ_ROUND_TRIP_H

#include <gsl/gsl_errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rvm.h"

typedef struct {
    rvm_status (*read)(void **out, FILE *in, rvm_error *err);
    rvm_status (*write)(const void *object, FILE *out, rvm_error *err);
    void (*free)(void *object);
} file_format;

typedef struct {
    char *bytes; /* owned */
    size_t size;
} file_text;

static file_text write_object(const file_format *format, const void *object)
{
    file_text t = { 0 };
    rvm_error err = { 0 };
    FILE *out = open_memstream(&t.bytes, &t.size);

    if (out == NULL || format->write(object, out, &err) != RVM_OK || fclose(out) != 0)
        abort();
    return t;
}

/* NULL where the bytes are refused. */
static void *read_object(const file_format *format, const void *bytes, size_t size, rvm_error *err)
{
    void *object = NULL;
    FILE *in = fmemopen((void *)bytes, size, "r");

    if (in == NULL)
        abort();
    if (format->read(&object, in, err) != RVM_OK)
        object = NULL;
    fclose(in);
    return object;
}

static void check_round_trip(const file_format *format, const uint8_t *data, size_t size)
{
    rvm_error err = { 0 };

    if (size == 0)
        return;
    gsl_set_error_handler_off();
    void *object = read_object(format, data, size, &err);
    if (object == NULL) {
        if (err.status == RVM_OK || err.message[0] == '\0')
            abort();
        return;
    }
    const file_text first = write_object(format, object);
    format->free(object);
    object = read_object(format, first.bytes, first.size, &err);
    if (object == NULL)
        abort();
    const file_text second = write_object(format, object);
    if (first.size != second.size || memcmp(first.bytes, second.bytes, first.size) != 0)
        abort();
    format->free(object);
    free(first.bytes);
    free(second.bytes);
}

#endif
