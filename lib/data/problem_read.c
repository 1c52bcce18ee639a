/* Libsvm's text to a problem; every fault with its line and column.
 *
 * A line is a label, or several with commas between them, and INDEX:VALUE pairs, separated by
 * blanks and tabs; a word that begins with # starts a comment. The grammar in full is in
 * rvm-train(1). */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "data/problem.h"
#include "data/problem_hint.h"
#include "data/reader.h"

struct rvm_reader {
    rvm_text text;
    rvm_grammar grammar;
    bool matrix;         /* the rows must make a whole kernel matrix: serial numbers matter */
    bool part;           /* of the rows: there may be none */
    bool inside;         /* they are not the first ones of the file */
    size_t outputs;      /* labels of every row; 0 before the first one */
    size_t label_column; /* where those of the current row stand */
    double *label;       /* owned; of the current row */
    size_t label_capacity;
    int *index;    /* owned; pairs of the current row */
    double *value; /* owned */
    size_t pairs;  /* of the current row */
    size_t index_capacity, value_capacity;
    size_t pair_column; /* where the first pair of the current row stands */
    const char *line;   /* borrowed from text: the current row */
    size_t line_length;
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
    return rvm_text_fail(err, &r->text, word, reason);
}

/* The same with what is known of such words. */
static rvm_status fail_hint(const rvm_reader *r, rvm_word word, const char *reason, rvm_error *err)
{
    char shown[RVM_EXCERPT_SIZE];
    return rvm_fail_at(err, RVM_EINPUT, r->text.lines, word.column, "%s: '%s'%s", reason,
                       rvm_text_excerpt(shown, word.text, word.length),
                       rvm_problem_hint_of_word(r->line, r->line_length, word.text, word.length));
}

/* ---- One line ------------------------------------------------------------------------------- */

static rvm_status fail_label(const rvm_reader *r, rvm_word word, rvm_error *err)
{
    if (word.text[0] == '#')
        return fail_at(r, word.column, "a line with nothing but a comment", err);
    if (memchr(word.text, ':', word.length) != NULL)
        return fail_hint(r, word, "missing label", err);
    if (memchr(word.text, ',', word.length) != NULL)
        return fail_hint(r, word,
                         r->grammar.class_labels
                             ? "more than one label, which is for regression only"
                             : "more than one label",
                         err);
    return fail_hint(r, word, "label is not a number", err);
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

static rvm_status check_label_count(const rvm_reader *r, size_t count, size_t wanted,
                                    rvm_error *err)
{
    if (wanted == count)
        return RVM_OK;
    return rvm_fail_at(err, RVM_EINPUT, r->text.lines, r->label_column,
                       "%zu label%s where the first row has %zu", count, count == 1 ? "" : "s",
                       wanted);
}

/* A row without a label: targets that are no numbers. */
static rvm_status leave_unlabelled(rvm_reader *r, rvm_error *err)
{
    const size_t count = r->outputs > 0 ? r->outputs : r->grammar.unlabelled;
    if (!rvm_grow(&r->label, &r->label_capacity, count, sizeof *r->label))
        return rvm_fail_memory(err, "a row of the data");
    for (size_t k = 0; k < count; k++)
        r->label[k] = NAN;
    r->outputs = count;
    return RVM_OK;
}

static bool is_unlabelled(const rvm_reader *r, rvm_word word)
{
    return r->grammar.unlabelled > 0 && ((word.length == 1 && word.text[0] == '?') ||
                                         memchr(word.text, ':', word.length) != NULL);
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
    r->label_column = labels.column;
    if (r->outputs == 0)
        r->outputs = count;
    return check_label_count(r, count, r->outputs, err);
}

static rvm_status read_value(double *value, const rvm_reader *r, rvm_word word, const char *colon,
                             rvm_error *err)
{
    const size_t length = (size_t)(word.text + word.length - (colon + 1));
    const bool dashed = rvm_text_has_dash(colon + 1, length);
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
        return fail_word(r, word,
                         dashed ? "value has a dash that is no minus sign, which is -"
                                : "value is not a number",
                         err);
    }
}

static rvm_status read_pair(rvm_reader *r, rvm_word word, rvm_error *err)
{
    const char *colon = word.text, *const end = word.text + word.length;
    while (colon < end && *colon != ':') /* memchr would take longer to set out */
        colon++;
    if (colon == end)
        return fail_word(r, word, "expected INDEX:VALUE", err);
    if (colon == word.text)
        return fail_word(r, word, "missing index", err);
    if (!rvm_grow(&r->index, &r->index_capacity, r->pairs + 1, sizeof *r->index) ||
        !rvm_grow(&r->value, &r->value_capacity, r->pairs + 1, sizeof *r->value))
        return rvm_fail_memory(err, "a row of the data");
    int *const index = &r->index[r->pairs];
    const rvm_number_status read = rvm_text_index(index, word.text, (size_t)(colon - word.text));
    if (read != RVM_NUMBER_OK || (r->pairs > 0 && *index <= index[-1]))
        return rvm_text_fail_index(err, &r->text, word, read);
    const rvm_status status = read_value(&r->value[r->pairs], r, word, colon, err);
    if (status != RVM_OK)
        return status;
    if (r->pairs++ == 0)
        r->pair_column = word.column;
    return RVM_OK;
}

/* Column of pair number `wanted` of a line whose pairs are known to be right. */
static size_t find_pair(const char *line, size_t length, size_t wanted)
{
    size_t at = 0;
    rvm_word word = rvm_text_word(line, length, &at);
    for (size_t i = 0; i <= wanted; i++)
        word = rvm_text_word(line, length, &at);
    return word.column;
}

/* A row of a kernel matrix: 0:serial 1:value 2:value ... without a gap. */
static rvm_status check_kernel_row(const rvm_reader *r, const char *line, size_t length,
                                   size_t label_column, rvm_error *err)
{
    if (r->pairs == 0 || r->index[0] != 0)
        return fail_at(r, r->pairs == 0 ? label_column : r->pair_column,
                       "Wrong input format: first column must be 0:sample_serial_number", err);
    if (r->matrix && (r->value[0] != trunc(r->value[0]) || r->value[0] < 1))
        return fail_at(r, r->pair_column, "Wrong input format: sample_serial_number out of range",
                       err);
    for (size_t i = 1; i < r->pairs; i++)
        if (r->index[i] != (int)i)
            return rvm_fail_at(err, RVM_EINPUT, r->text.lines, find_pair(line, length, i),
                               "kernel row has a gap: index %d where %d is expected", r->index[i],
                               (int)i);
    if (r->grammar.columns > 0 && r->pairs != r->grammar.columns + 1)
        return rvm_fail_at(err, RVM_EINPUT, r->text.lines, r->pair_column,
                           "kernel row of %zu values; the model was trained on %zu rows",
                           r->pairs - 1, r->grammar.columns);
    return RVM_OK;
}

/* The labels of a row, where it has any, and its pairs. */
static rvm_status read_words(rvm_reader *r, rvm_word first, size_t at, rvm_error *err)
{
    rvm_status status;
    if (is_unlabelled(r, first)) {
        at = first.text[0] == '?' ? at : 0; /* the word is a pair */
        status = leave_unlabelled(r, err);
    } else {
        status = read_labels(r, first, err);
    }
    while (status == RVM_OK) {
        const rvm_word word = rvm_text_word(r->line, r->line_length, &at);
        if (word.text == NULL || word.text[0] == '#')
            break;
        status = read_pair(r, word, err);
    }
    return status;
}

/* The line that the text handed out last; appended to *p. */
static rvm_status read_row(rvm_problem *p, rvm_reader *r, const char *line, size_t length,
                           rvm_error *err)
{
    const bool opens = r->text.lines == 1 && !r->inside;
    const char *foreign = opens ? rvm_problem_hint_of_file(line, length) : NULL;
    size_t at = 0;
    const rvm_word first = rvm_text_word(line, length, &at);
    r->pairs = 0;
    r->line = line;
    r->line_length = length;
    if (foreign != NULL)
        return fail_at(r, 1, foreign, err);
    if (first.text == NULL)
        return fail_at(r, 1, "blank line", err);
    rvm_status status = read_words(r, first, at, err);
    if (status == RVM_OK && r->grammar.precomputed)
        status = check_kernel_row(r, line, length, first.column, err);
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
    return r->text.lines == 0 && !r->part ? rvm_reader_fail_empty(err) : RVM_OK;
}

rvm_status rvm_reader_fail_empty(rvm_error *err)
{
    return rvm_fail_at(err, RVM_EINPUT, 1, 1, "no rows");
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

/* ---- Parts of files -------------------------------------------------------------------------- */

rvm_status rvm_reader_part(rvm_reader *r, size_t from, size_t to, rvm_error *err)
{
    r->part = true;
    r->inside = from > 0;
    return from == 0 && to == SIZE_MAX ? RVM_OK : rvm_text_part(&r->text, from, to, err);
}

rvm_status rvm_reader_append(rvm_problem *p, rvm_reader *r, size_t max_rows, rvm_error *err)
{
    const size_t end = max_rows < SIZE_MAX - p->rows ? p->rows + max_rows : SIZE_MAX;
    bool more = true;
    rvm_status status = RVM_OK;
    while (status == RVM_OK && more && p->rows < end)
        status = next_row(&more, p, r, err);
    return status;
}

size_t rvm_reader_lines(const rvm_reader *r)
{
    return r->text.lines;
}

size_t rvm_reader_outputs(const rvm_reader *r)
{
    return r->outputs;
}

rvm_status rvm_reader_expect(rvm_reader *r, size_t outputs, rvm_error *err)
{
    const size_t found = r->outputs;
    r->outputs = outputs;
    return found == 0 ? RVM_OK : check_label_count(r, found, outputs, err);
}

rvm_status rvm_reader_check_features(size_t outputs, int max_index, rvm_error *err)
{
    if (outputs <= 1 || max_index >= 0)
        return RVM_OK;
    return rvm_fail_at(err, RVM_EINPUT, 1, 1,
                       "%zu labels and no feature, in every row; this looks like CSV, and a "
                       "row is LABEL INDEX:VALUE ...",
                       outputs);
}

/* ---- Whole files ---------------------------------------------------------------------------- */

/* A matrix as read; row i stands in line i + 1. */
typedef struct {
    const rvm_problem *p;
    const size_t *column; /* where the serial number of each row stands */
    size_t *row_of;       /* the row of each serial number, one more than that; 0: none yet */
} kernel_matrix;

/* Value of row i with the row that has the serial number of row j. */
static double kernel_value(const kernel_matrix *m, size_t i, size_t j)
{
    const rvm_problem *p = m->p;
    return p->value[p->start[i] + (size_t)p->value[p->start[j]]];
}

static rvm_status check_serials(kernel_matrix *m, rvm_error *err)
{
    const rvm_problem *p = m->p;
    for (size_t i = 0; i < p->rows; i++) {
        const double serial = p->value[p->start[i]];
        if (serial > (double)p->rows)
            return rvm_fail_at(err, RVM_EINPUT, i + 1, m->column[i],
                               "Wrong input format: sample_serial_number out of range");
        size_t *const row = &m->row_of[(size_t)serial - 1];
        if (*row != 0)
            return rvm_fail_at(err, RVM_EINPUT, i + 1, m->column[i],
                               "serial number %g is that of line %zu too", serial, *row);
        *row = i + 1;
    }
    return RVM_OK;
}

/* A value that is missing at the end of a row would count as 0. */
static rvm_status check_square(const kernel_matrix *m, rvm_error *err)
{
    const rvm_problem *p = m->p;
    for (size_t i = 0; i < p->rows; i++) {
        const size_t values = p->start[i + 1] - p->start[i] - 1;
        if (values != (size_t)p->max_index)
            return rvm_fail_at(err, RVM_EINPUT, i + 1, m->column[i],
                               "kernel row of %zu values where another one has %d", values,
                               p->max_index);
    }
    if ((size_t)p->max_index != p->rows)
        return rvm_fail_at(err, RVM_EINPUT, 1, 1,
                           "kernel matrix is not square: %zu rows, %d columns", p->rows,
                           p->max_index);
    return RVM_OK;
}

/* Values may have been written with six digits, and be differences of much larger ones: they are
 * held against the diagonal too. */
static rvm_status check_symmetry(const kernel_matrix *m, rvm_error *err)
{
    const double tolerance = 1e-4;
    for (size_t i = 0; i < m->p->rows; i++)
        for (size_t j = 0; j < i; j++) {
            const double a = kernel_value(m, i, j), b = kernel_value(m, j, i);
            const double scale = fmax(fmax(fabs(a), fabs(b)), fmin(fabs(kernel_value(m, i, i)),
                                                                   fabs(kernel_value(m, j, j))));
            if (!(fabs(a - b) <= tolerance * scale))
                return rvm_fail_at(err, RVM_EINPUT, i + 1, m->column[i],
                                   "kernel matrix is not symmetric: %g with line %zu, which has "
                                   "%g with this one",
                                   a, j + 1, b);
        }
    return RVM_OK;
}

/* column[i] is where the serial number of row i stands. */
static rvm_status check_kernel_matrix(const rvm_problem *p, const size_t *column, rvm_error *err)
{
    kernel_matrix m = { p, column, rvm_array(p->rows, sizeof *m.row_of) };
    assert(column != NULL); /* there are rows */
    if (m.row_of == NULL)
        return rvm_fail_memory(err, "the data");
    rvm_status status = check_serials(&m, err);
    if (status == RVM_OK)
        status = check_square(&m, err);
    if (status == RVM_OK)
        status = check_symmetry(&m, err);
    free(m.row_of);
    return status;
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
    if (status == RVM_OK)
        status = rvm_reader_check_features(p->outputs, p->max_index, err);
    free(columns);
    return status;
}

rvm_status rvm_problem_read(rvm_problem **out, FILE *in, rvm_grammar grammar, rvm_error *err)
{
    rvm_problem *p = rvm_problem_alloc();
    rvm_reader *r = NULL;
    if (p == NULL)
        return rvm_fail_memory(err, "the data");
    rvm_status status = rvm_reader_alloc(&r, in, grammar, err);
    if (status == RVM_OK) {
        r->matrix = grammar.precomputed;
        status = read_all(p, r, err);
    }
    rvm_reader_free(r);
    if (status != RVM_OK) {
        rvm_problem_free(p);
        return status;
    }
    rvm_problem_trim(p);
    *out = p;
    return RVM_OK;
}
