/* Any bytes as a model file: refused with a message, or written, read and written as itself, and as C
 * or with a reason why not. */
#include "round_trip.h"

static rvm_status read_model(void **out, FILE *in, rvm_error *err)
{
    rvm_model *m = NULL;
    const rvm_status status = rvm_model_read(&m, in, err);

    *out = m;
    return status;
}

static void write_c(const rvm_model *m)
{
    rvm_error err = { 0 };
    FILE *out = fopen("/dev/null", "w");

    if (out == NULL)
        return;
    if (rvm_model_write_c(m, out, &err) != RVM_OK && err.message[0] == '\0')
        abort();
    fclose(out);
}

static rvm_status write_model(const void *m, FILE *out, rvm_error *err)
{
    write_c(m);
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
