/* Range files, as svm-scale writes them, both ways.
 *
 *     y                  only when the target is scaled
 *     LOWER UPPER
 *     MIN MAX            one line for each target of a row
 *     x
 *     LOWER UPPER
 *     INDEX MIN MAX      one line for each feature that varies, ascending, from index 1
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "data/scaling.h"

/* ---- Writing -------------------------------------------------------------------------------- */

static bool write_two(FILE *out, double a, double b)
{
    char first[RVM_REAL_SIZE], second[RVM_REAL_SIZE];
    return fprintf(out, "%s %s\n", rvm_text_format(first, a, 17), rvm_text_format(second, b, 17)) >=
           0;
}

static bool write_header(const rvm_scaling *s, FILE *out)
{
    const rvm_scaling_limits *limits = &s->limits;
    if (limits->scale_target &&
        !(fputs("y\n", out) >= 0 && write_two(out, limits->target_lower, limits->target_upper)))
        return false;
    for (size_t k = 0; limits->scale_target && k < s->outputs; k++)
        if (!write_two(out, s->target[k].min, s->target[k].max))
            return false;
    return fputs("x\n", out) >= 0 && write_two(out, limits->lower, limits->upper);
}

rvm_status rvm_scaling_write(const rvm_scaling *s, FILE *out, rvm_error *err)
{
    bool written = write_header(s, out);
    for (size_t j = 0; j < s->count && written; j++) {
        const rvm_scaling_range *f = &s->feature[j];
        if (s->index[j] > 0 && f->min != f->max)
            written = fprintf(out, "%d ", s->index[j]) >= 0 && write_two(out, f->min, f->max);
    }
    return written ? RVM_OK : rvm_fail(err, RVM_EIO, "%s", strerror(errno));
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* The words of a line; one more than any line may have, so that a surplus one is seen. */
enum { WORDS = 4 };

typedef struct {
    rvm_text text;
    rvm_word word[WORDS];
    size_t count; /* 0: the file is at its end */
} range_reader;

/* The next line that is not blank. */
static rvm_status next_line(range_reader *r, rvm_error *err)
{
    do {
        const char *line;
        size_t length, at = 0;
        const rvm_status status = rvm_text_line(&line, &length, &r->text, err);
        r->count = 0;
        if (status != RVM_OK || line == NULL)
            return status;
        while (r->count < WORDS) {
            r->word[r->count] = rvm_text_word(line, length, &at);
            if (r->word[r->count].text == NULL)
                break;
            r->count++;
        }
    } while (r->count == 0);
    return RVM_OK;
}

/* The next line, which must be there; `what` says what it should hold. */
static rvm_status expect_line(range_reader *r, const char *what, rvm_error *err)
{
    const rvm_status status = next_line(r, err);
    if (status == RVM_OK && r->count == 0)
        return rvm_fail_at(err, RVM_EINPUT, r->text.lines + 1, 1,
                           "failed to read scaling parameters: expected %s, found the end", what);
    return status;
}

static rvm_status read_number(double *out, const range_reader *r, size_t word, rvm_error *err)
{
    switch (rvm_text_real(out, r->word[word].text, r->word[word].length)) {
    case RVM_NUMBER_OK:
    case RVM_NUMBER_UNDERFLOW:
        return RVM_OK;
    case RVM_NUMBER_OVERFLOW:
        return rvm_text_fail(err, &r->text, r->word[word], "number is out of range");
    default:
        return rvm_text_fail(err, &r->text, r->word[word], "not a number");
    }
}

/* The two numbers from word `first` on of the line that was read last. */
static rvm_status read_pair(double *a, double *b, const range_reader *r, size_t first,
                            rvm_error *err)
{
    const rvm_status status = read_number(a, r, first, err);
    return status == RVM_OK ? read_number(b, r, first + 1, err) : status;
}

/* The line that was read last, which must hold two numbers. */
static rvm_status parse_two(double *a, double *b, const range_reader *r, const char *what,
                            rvm_error *err)
{
    if (r->count != 2)
        return rvm_fail_at(err, RVM_EINPUT, r->text.lines, r->word[r->count > 2 ? 2 : 0].column,
                           "failed to read scaling parameters: expected %s", what);
    return read_pair(a, b, r, 0, err);
}

static rvm_status read_limits(double *lower, double *upper, range_reader *r, rvm_error *err)
{
    static const char what[] = "a lower and an upper limit";
    rvm_status status = expect_line(r, what, err);
    if (status == RVM_OK)
        status = parse_two(lower, upper, r, what, err);
    if (status == RVM_OK && *lower > *upper)
        return rvm_text_fail(err, &r->text, r->word[0], "lower limit is above the upper limit");
    return status;
}

static bool is_heading(const range_reader *r, char letter)
{
    return r->count == 1 && r->word[0].length == 1 && r->word[0].text[0] == letter;
}

/* The range on the line that was read last; reads the next one. */
static rvm_status read_target_range(rvm_scaling *s, range_reader *r, rvm_error *err)
{
    rvm_scaling_range range;
    const rvm_status status =
        parse_two(&range.min, &range.max, r, "smallest and largest target", err);
    if (status != RVM_OK)
        return status;
    if (!rvm_grow(&s->target, &s->target_capacity, s->outputs + 1, sizeof *s->target))
        return rvm_fail_memory(err, "the ranges of the targets");
    s->target[s->outputs++] = range;
    return expect_line(r, "x", err);
}

static rvm_status read_targets(rvm_scaling *s, range_reader *r, rvm_error *err)
{
    rvm_status status = read_limits(&s->limits.target_lower, &s->limits.target_upper, r, err);
    if (status == RVM_OK)
        status = expect_line(r, "smallest and largest target", err);
    if (status == RVM_OK)
        status = read_target_range(s, r, err);
    while (status == RVM_OK && r->count == 2) /* of further targets */
        status = read_target_range(s, r, err);
    s->limits.scale_target = true;
    return status;
}

static rvm_status read_header(rvm_scaling *s, range_reader *r, rvm_error *err)
{
    rvm_status status = expect_line(r, "x or y", err);
    if (status == RVM_OK && is_heading(r, 'y'))
        status = read_targets(s, r, err);
    if (status == RVM_OK && !is_heading(r, 'x'))
        return rvm_text_fail(err, &r->text, r->word[0], "not a range file, expected x or y");
    return status == RVM_OK ? read_limits(&s->limits.lower, &s->limits.upper, r, err) : status;
}

/* The line that was read last, as a feature. */
static rvm_status read_feature(rvm_scaling *s, const range_reader *r, rvm_error *err)
{
    const rvm_word word = r->word[0];
    if (r->count != 3)
        return rvm_fail_at(err, RVM_EINPUT, r->text.lines, r->word[r->count > 3 ? 3 : 0].column,
                           "expected INDEX MIN MAX");
    if (!rvm_scaling_grow(s))
        return rvm_fail_memory(err, "the ranges of the features");
    int *const index = &s->index[s->count];
    rvm_scaling_range *f = &s->feature[s->count];
    const rvm_number_status read = rvm_text_index(index, word.text, word.length);
    if (read != RVM_NUMBER_OK || (s->count > 0 && *index <= index[-1]))
        return rvm_text_fail_index(err, &r->text, word, read);
    const rvm_status status = read_pair(&f->min, &f->max, r, 1, err);
    s->count += status == RVM_OK;
    return status;
}

static rvm_status read_features(rvm_scaling *s, range_reader *r, rvm_error *err)
{
    rvm_status status = next_line(r, err);
    while (status == RVM_OK && r->count > 0) {
        status = read_feature(s, r, err);
        if (status == RVM_OK)
            status = next_line(r, err);
    }
    return status;
}

rvm_status rvm_scaling_read(rvm_scaling **out, FILE *in, rvm_error *err)
{
    range_reader r = { .count = 0 };
    rvm_scaling *s = rvm_scaling_alloc();
    if (s == NULL)
        return rvm_fail_memory(err, "the ranges of the features");
    rvm_text_init(&r.text, in);
    rvm_status status = read_header(s, &r, err);
    if (status == RVM_OK)
        status = read_features(s, &r, err);
    rvm_text_free(&r.text);
    if (status == RVM_OK)
        *out = s;
    else
        rvm_scaling_free(s);
    return status;
}
