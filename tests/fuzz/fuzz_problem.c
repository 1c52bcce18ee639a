/* Any bytes as a data file: read whole and in blocks, the two ways must agree. */
#include <gsl/gsl_errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "rvm.h"

enum { BLOCK_ROWS = 2 };

/* Rows that the blocks hold together; SIZE_MAX after an error, which is that in *err. */
static size_t rows_in_blocks(FILE *in, rvm_grammar grammar, rvm_error *err)
{
    rvm_reader *reader = NULL;
    rvm_problem *block = NULL;
    size_t rows = 0, added = 0;
    rvm_status status = rvm_reader_alloc(&reader, in, grammar, err);

    do {
        if (status == RVM_OK)
            status = rvm_reader_next(&block, reader, BLOCK_ROWS, err);
        added = status == RVM_OK ? rvm_problem_rows(block) : 0;
        if (added > BLOCK_ROWS)
            abort();
        rows += added;
    } while (added > 0);
    rvm_problem_free(block);
    rvm_reader_free(reader);
    return status == RVM_OK ? rows : SIZE_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The first byte chooses the grammar, so that the corpus covers all of them. */
    if (size < 2)
        return 0;
    const rvm_grammar grammar = { .class_labels = data[0] & 1,
                                  .precomputed = data[0] & 2,
                                  .outputs = data[0] & 4 };
    FILE *in = fmemopen((void *)(data + 1), size - 1, "r");
    rvm_problem *p = NULL;
    rvm_error whole = { 0 }, blocks = { 0 };

    if (in == NULL)
        return 0;
    gsl_set_error_handler_off();
    const rvm_status status = rvm_problem_read(&p, in, grammar, &whole);
    rewind(in);
    const size_t rows = rows_in_blocks(in, grammar, &blocks);
    fclose(in);

    if (status == RVM_OK && rvm_problem_rows(p) != rows)
        abort();
    /* Errors of the whole only: a file without rows, a kernel matrix that is none. */
    if (status != RVM_OK && rows != 0 && !grammar.precomputed &&
        (rows != SIZE_MAX || whole.line != blocks.line || whole.column != blocks.column))
        abort();
    rvm_problem_free(p);
    return 0;
}
