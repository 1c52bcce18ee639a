/* Any bytes as a model file: refused with a message, or written, read and written as itself. */
#include "round_trip.h"

static rvm_status read_model(void **out, FILE *in, rvm_error *err)
{
    rvm_model *m = NULL;
    const rvm_status status = rvm_model_read(&m, in, err);

    *out = m;
    return status;
}

static rvm_status write_model(const void *m, FILE *out, rvm_error *err)
{
    return rvm_model_write(m, out, err);
}

static void free_model(void *m)
{
    rvm_model_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const file_format format = { read_model, write_model, free_model };

    check_round_trip(&format, data, size);
    return 0;
}
