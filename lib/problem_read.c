/* Level 1: libsvm's text to a problem; every fault with its line and column.
 *
 * A line is a label, or several with commas between them, and INDEX:VALUE pairs, separated by
 * blanks and tabs; a word that begins with # starts a comment. The grammar in full is in
 * rvm-train(1). */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "error.h"
#include "problem.h"
#include "text.h"

struct rvm_reader {
    rvm_text text;
    rvm_grammar grammar;
    bool matrix;    /* the rows must make a whole kernel matrix: serial numbers matter */
    size_t outputs; /* labels of every row; 0 before the first one */
    double *label;  /* owned; of the current row */
    size_t label_capacity;
    int *index;    /* owned; pairs of the current row */
    double *value; /* owned */
    size_t pairs;  /* of the current row */
    size_t index_capacity, value_capacity;
    size_t pair_column; /* where the first pair of the current row stands */
};

rvm_status rvm_reader_alloc(rvm_reader **out, FILE *in, rvm_grammar grammar, rvm_error *err)
{
    rvm_reader *r = rvm_array(1, sizeof *r);

    if (r == NULL)
        return rvm_fail_memory(err, "the reader");
    rvm_text_init(&r->text, in);
    r->grammar = grammar;
    *out = r;
    return RVM_OK;
}

void rvm_reader_free(rvm_reader *r)
{
    if (r == NULL)
        return;
    rvm_text_free(&r->text);
    free(r->label);
    free(r->index);
    free(r->value);
    free(r);
}

static rvm_status fail_at(const rvm_reader *r, size_t column, const char *reason, rvm_error *err)
{
    return rvm_fail_at(err, RVM_EINPUT, r->text.lines, column, "%s", reason);
}

static rvm_status fail_word(const rvm_reader *r, rvm_word word, const char *reason, rvm_error *err)
{
    char shown[RVM_EXCERPT_SIZE];

    return rvm_fail_at(err, RVM_EINPUT, r->text.lines, word.column, "%s: '%s'", reason,
                       rvm_text_excerpt(shown, word.text, word.length));
}

/* ---- One line ------------------------------------------------------------------------------- */

static rvm_status fail_label(const rvm_reader *r, rvm_word word, rvm_error *err)
{
    if (word.text[0] == '#')
        return fail_at(r, word.column, "a line with nothing but a comment", err);
    if (memchr(word.text, ':', word.length) != NULL)
        return fail_word(r, word, "missing label", err);
    if (memchr(word.text, ',', word.length) != NULL)
        return fail_word(r, word,
                         r->grammar.class_labels
                             ? "more than one label, which is for regression only"
                             : "more than one label",
                         err);
    return fail_word(r, word, "label is not a number", err);
}

static rvm_status read_label(double *label, const rvm_reader *r, rvm_word word, rvm_error *err)
{
    switch (rvm_text_real(label, word.text, word.length)) {
    case RVM_NUMBER_OK:
    case RVM_NUMBER_UNDERFLOW:
        break;
    case RVM_NUMBER_OVERFLOW:
        return fail_word(r, word, "label is out of range", err);
    default:
        return fail_label(r, word, err);
    }
    if (!r->grammar.class_labels)
        return RVM_OK;
    if (fabs(*label) > INT_MAX)
        return fail_word(r, word, "class label is out of range", err);
    if (*label != trunc(*label))
        return fail_word(r, word, "class label is not a whole number", err);
    return RVM_OK;
}

/* The part of `labels` that begins at byte `at` and goes to the next comma, or to the end. */
static rvm_word label_at(rvm_word labels, size_t at)
{
    const char *const comma = memchr(labels.text + at, ',', labels.length - at);
    const size_t end = comma == NULL ? labels.length : (size_t)(comma - labels.text);

    return (rvm_word){ labels.text + at, end - at, labels.column + at };
}

static rvm_status check_label_count(rvm_reader *r, rvm_word labels, size_t count, rvm_error *err)
{
    if (r->outputs == 0)
        r->outputs = count;
    if (r->outputs == count)
        return RVM_OK;
    return rvm_fail_at(err, RVM_EINPUT, r->text.lines, labels.column,
                       "%zu label%s where the first row has %zu", count, count == 1 ? "" : "s",
                       r->outputs);
}

/* All labels of a row, into r->label. */
static rvm_status read_labels(rvm_reader *r, rvm_word labels, rvm_error *err)
{
    size_t at = 0, count = 0;
    bool more = true;

    while (more) {
        const rvm_word word = r->grammar.outputs ? label_at(labels, at) : labels;
        rvm_status status;

        if (!rvm_grow(&r->label, &r->label_capacity, count + 1, sizeof *r->label))
            return rvm_fail_memory(err, "a row of the data");
        status = word.length > 0
                     ? read_label(&r->label[count], r, word, err)
                     : fail_at(r, word.column, "a label is missing beside a comma", err);
        if (status != RVM_OK)
            return status;
        count++;
        at += word.length + 1;
        more = at <= labels.length; /* behind a comma */
    }
    return check_label_count(r, labels, count, err);
}

static rvm_status read_index(int *index, const rvm_reader *r, rvm_word word, size_t length,
                             rvm_error *err)
{
    if (length == 0)
        return fail_word(r, word, "missing index", err);
    switch (rvm_text_index(index, word.text, length)) {
    case RVM_NUMBER_OK:
        break;
    case RVM_NUMBER_NEGATIVE:
        return fail_word(r, word, "index is negative", err);
    case RVM_NUMBER_OVERFLOW:
        return fail_word(r, word, "index is out of range", err);
    default:
        return fail_word(r, word, "index is not a whole number", err);
    }
    if (r->pairs > 0 && *index <= r->index[r->pairs - 1])
        return fail_word(r, word, "indices must ascend", err);
    return RVM_OK;
}

static rvm_status read_value(double *value, const rvm_reader *r, rvm_word word, const char *colon,
                             rvm_error *err)
{
    const size_t length = (size_t)(word.text + word.length - (colon + 1));

    if (length == 0)
        return fail_word(r, word, "missing value", err);
    switch (rvm_text_real(value, colon + 1, length)) {
    case RVM_NUMBER_OK:
        return RVM_OK;
    case RVM_NUMBER_OVERFLOW:
        return fail_word(r, word, "value is out of range", err);
    case RVM_NUMBER_UNDERFLOW:
        return fail_word(r, word, "value underflows", err);
    default:
        return fail_word(r, word, "value is not a number", err);
    }
}

static rvm_status read_pair(rvm_reader *r, rvm_word word, rvm_error *err)
{
    const char *colon = word.text;
    const char *const end = word.text + word.length;
    rvm_status status;

    while (colon < end && *colon != ':') /* memchr would take longer to set out */
        colon++;
    if (colon == end)
        return fail_word(r, word, "expected INDEX:VALUE", err);
    if (!rvm_grow(&r->index, &r->index_capacity, r->pairs + 1, sizeof *r->index) ||
        !rvm_grow(&r->value, &r->value_capacity, r->pairs + 1, sizeof *r->value))
        return rvm_fail_memory(err, "a row of the data");
    status = read_index(&r->index[r->pairs], r, word, (size_t)(colon - word.text), err);
    if (status == RVM_OK)
        status = read_value(&r->value[r->pairs], r, word, colon, err);
    if (status == RVM_OK) {
        if (r->pairs == 0)
            r->pair_column = word.column;
        r->pairs++;
    }
    return status;
}

/* Column of pair number `wanted` of a line whose pairs are known to be right. */
static size_t find_pair(const char *line, size_t length, size_t wanted)
{
    size_t at = 0, i;
    rvm_word word = rvm_text_word(line, length, &at);

    for (i = 0; i <= wanted; i++)
        word = rvm_text_word(line, length, &at);
    return word.column;
}

/* A row of a kernel matrix: 0:serial 1:value 2:value ... without a gap. */
static rvm_status check_kernel_row(const rvm_reader *r, const char *line, size_t length,
                                   size_t label_column, rvm_error *err)
{
    size_t i;

    if (r->pairs == 0 || r->index[0] != 0)
        return fail_at(r, r->pairs == 0 ? label_column : r->pair_column,
                       "Wrong input format: first column must be 0:sample_serial_number", err);
    if (r->matrix && (r->value[0] != trunc(r->value[0]) || r->value[0] < 1))
        return fail_at(r, r->pair_column, "Wrong input format: sample_serial_number out of range",
                       err);
    for (i = 1; i < r->pairs; i++)
        if (r->index[i] != (int)i)
            return rvm_fail_at(err, RVM_EINPUT, r->text.lines, find_pair(line, length, i),
                               "kernel row has a gap: index %d where %d is expected", r->index[i],
                               (int)i);
    return RVM_OK;
}

/* The line that the text handed out last; appended to *p. */
static rvm_status read_row(rvm_problem *p, rvm_reader *r, const char *line, size_t length,
                           rvm_error *err)
{
    size_t at = 0;
    rvm_word word = rvm_text_word(line, length, &at);
    const size_t label_column = word.column;
    rvm_status status;

    r->pairs = 0;
    if (r->text.lines == 1 && length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
        return fail_at(r, 1, "byte order mark", err);
    if (word.text == NULL)
        return fail_at(r, 1, "blank line", err);
    status = read_labels(r, word, err);
    while (status == RVM_OK) {
        word = rvm_text_word(line, length, &at);
        if (word.text == NULL || word.text[0] == '#')
            break;
        status = read_pair(r, word, err);
    }
    if (status == RVM_OK && r->grammar.precomputed)
        status = check_kernel_row(r, line, length, label_column, err);
    if (status == RVM_OK &&
        !rvm_problem_append_outputs(p, r->label, r->outputs, r->index, r->value, r->pairs))
        status = rvm_fail_memory(err, "the data");
    return status;
}

/* ---- Blocks --------------------------------------------------------------------------------- */

/* Appends the next row; *more is false, and nothing appended, at the end. */
static rvm_status next_row(bool *more, rvm_problem *p, rvm_reader *r, rvm_error *err)
{
    const char *line;
    size_t length;
    const rvm_status status = rvm_text_line(&line, &length, &r->text, err);

    if (status != RVM_OK)
        return status;
    *more = line != NULL;
    if (line != NULL)
        return read_row(p, r, line, length, err);
    if (r->text.lines == 0)
        return rvm_fail_at(err, RVM_EINPUT, 1, 1, "no rows");
    return RVM_OK;
}

rvm_status rvm_reader_next(rvm_problem **block, rvm_reader *r, size_t max_rows, rvm_error *err)
{
    bool more = true;
    rvm_status status = RVM_OK;

    if (*block == NULL)
        *block = rvm_problem_alloc();
    if (*block == NULL)
        return rvm_fail_memory(err, "the data");
    rvm_problem_clear(*block);
    while (status == RVM_OK && more && (*block)->rows < max_rows) {
        bool ready = true;

        if ((*block)->rows > 0)
            status = rvm_text_ready(&ready, &r->text, err);
        if (!ready)
            break;
        if (status == RVM_OK)
            status = next_row(&more, *block, r, err);
    }
    return status;
}

/* ---- Whole files ---------------------------------------------------------------------------- */

/* columns[i] is where the serial number of row i stands. */
static rvm_status check_kernel_matrix(const rvm_problem *p, const size_t *columns, rvm_error *err)
{
    size_t i;

    assert(columns != NULL); /* there are rows */
    for (i = 0; i < p->rows; i++)
        if (p->value[p->start[i]] > (double)p->rows)
            return rvm_fail_at(err, RVM_EINPUT, i + 1, columns[i],
                               "Wrong input format: sample_serial_number out of range");
    if ((size_t)p->max_index != p->rows)
        return rvm_fail_at(err, RVM_EINPUT, 1, 1,
                           "kernel matrix is not square: %zu rows, %d columns", p->rows,
                           p->max_index);
    return RVM_OK;
}

static rvm_status read_all(rvm_problem *p, rvm_reader *r, rvm_error *err)
{
    size_t *columns = NULL;
    size_t capacity = 0;
    bool more = true;
    rvm_status status = RVM_OK;

    while (status == RVM_OK && more) {
        status = next_row(&more, p, r, err);
        if (status != RVM_OK || !more || !r->grammar.precomputed)
            continue;
        if (!rvm_grow(&columns, &capacity, p->rows, sizeof *columns))
            status = rvm_fail_memory(err, "the data");
        else
            columns[p->rows - 1] = r->pair_column;
    }
    if (status == RVM_OK && r->grammar.precomputed)
        status = check_kernel_matrix(p, columns, err);
    free(columns);
    return status;
}

rvm_status rvm_problem_read(rvm_problem **out, FILE *in, rvm_grammar grammar, rvm_error *err)
{
    rvm_problem *p = rvm_problem_alloc();
    rvm_reader *r = NULL;
    rvm_status status;

    if (p == NULL)
        return rvm_fail_memory(err, "the data");
    status = rvm_reader_alloc(&r, in, grammar, err);
    if (status == RVM_OK) {
        r->matrix = grammar.precomputed;
        status = read_all(p, r, err);
    }
    rvm_reader_free(r);
    if (status == RVM_OK)
        *out = p;
    else
        rvm_problem_free(p);
    return status;
}
