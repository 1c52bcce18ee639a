/* Any bytes as a range file: refused with a message, or written, read and written as itself. */
#include "round_trip.h"

static rvm_status read_range(void **out, FILE *in, rvm_error *err)
{
    rvm_scaling *s = NULL;
    const rvm_status status = rvm_scaling_read(&s, in, err);

    *out = s;
    return status;
}

static rvm_status write_range(const void *s, FILE *out, rvm_error *err)
{
    return rvm_scaling_write(s, out, err);
}

static void free_range(void *s)
{
    rvm_scaling_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const file_format format = { read_range, write_range, free_range };

    check_round_trip(&format, data, size);
    return 0;
}
