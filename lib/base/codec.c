/* Words and numbers of a file of our own, read or written by the same calls. */
#include "base/codec.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"

enum { DIGITS = 17, MESSAGE_SIZE = 96 };

void rvm_codec_read(rvm_codec *c, FILE *in, rvm_error *err)
{
    *c = (rvm_codec){ .err = err };
    rvm_text_init(&c->text, in);
}

void rvm_codec_write(rvm_codec *c, FILE *out, rvm_error *err)
{
    *c = (rvm_codec){ .err = err, .out = out, .sum = RVM_HASH_START };
    errno = 0;
}

void rvm_codec_free(rvm_codec *c)
{
    rvm_text_free(&c->text);
}

/* ---- Faults --------------------------------------------------------------------------------- */

void rvm_codec_fault(rvm_codec *c, const char *format, ...)
{
    char message[MESSAGE_SIZE], excerpt[RVM_EXCERPT_SIZE];
    va_list args;

    if (c->status != RVM_OK)
        return;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (c->word.text == NULL)
        c->status = rvm_fail_at(c->err, RVM_EMODEL, c->text.lines, c->length + 1,
                                "%s; the line ends here", message);
    else
        c->status =
            rvm_fail_at(c->err, RVM_EMODEL, c->text.lines, c->word.column, "%s; found \"%s\"",
                        message, rvm_text_excerpt(excerpt, c->word.text, c->word.length));
}

void rvm_codec_fault_line(rvm_codec *c, const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (c->status == RVM_OK)
        c->status = rvm_fail_at(c->err, RVM_EMODEL, c->text.lines, 1, "%s", message);
}

void rvm_codec_fault_memory(rvm_codec *c)
{
    if (c->status == RVM_OK)
        c->status = rvm_fail_memory(c->err, "the model");
}

/* ---- Lines ---------------------------------------------------------------------------------- */

/* False when no word is left, or after a fault. */
static bool take_word(rvm_codec *c)
{
    if (c->status != RVM_OK)
        return false;
    c->word = rvm_text_word(c->line, c->length, &c->at);
    return c->word.text != NULL;
}

static void write_bytes(rvm_codec *c, const char *bytes, size_t count)
{
    c->sum = rvm_hash_bytes(c->sum, bytes, count);
    fwrite(bytes, 1, count, c->out);
}

static void write_word(rvm_codec *c, const char *word)
{
    if (c->open)
        write_bytes(c, " ", 1);
    write_bytes(c, word, strlen(word));
    c->open = true;
}

static void end_line(rvm_codec *c)
{
    if (c->open && !rvm_codec_reads(c))
        write_bytes(c, "\n", 1);
    else if (c->open && take_word(c))
        rvm_codec_fault(c, "the line is complete");
    c->open = false;
}

void rvm_codec_line(rvm_codec *c)
{
    end_line(c);
    if (c->status != RVM_OK || !rvm_codec_reads(c))
        return;
    c->status = rvm_text_line(&c->line, &c->length, &c->text, c->err);
    c->at = 0;
    c->open = true;
    if (c->status == RVM_OK && c->line == NULL)
        c->status = rvm_fail_at(c->err, RVM_EMODEL, c->text.lines + 1, 1,
                                "the file is cut short: it has no line \"end\"");
}

bool rvm_codec_next_is(rvm_codec *c, const char *key)
{
    if (!c->held) {
        rvm_codec_line(c);
        take_word(c);
        c->held = true;
    }
    return c->status == RVM_OK && c->word.text != NULL && c->word.length == strlen(key) &&
           memcmp(c->word.text, key, c->word.length) == 0;
}

void rvm_codec_key(rvm_codec *c, const char *key)
{
    if (!rvm_codec_reads(c)) {
        end_line(c);
        write_word(c, key);
    } else if (!rvm_codec_next_is(c, key)) {
        rvm_codec_fault(c, "the line \"%s\" is expected", key);
    }
    c->held = false;
}

void rvm_codec_end(rvm_codec *c)
{
    end_line(c);
    if (c->status != RVM_OK)
        return;
    if (rvm_codec_reads(c)) {
        c->status = rvm_text_line(&c->line, &c->length, &c->text, c->err);
        if (c->line != NULL)
            rvm_codec_fault_line(c, "there is text after the line \"end\"");
    } else if (fflush(c->out) != 0 || ferror(c->out)) {
        /* A stream remembers that one of its writes failed, so one look at the end is enough. */
        c->status = rvm_fail(c->err, RVM_EIO, "%s", strerror(errno != 0 ? errno : EIO));
    }
}

/* ---- Words that are read -------------------------------------------------------------------- */

/* text[0 .. length - 1], a part of the word last taken. A number may be as small as it likes: below
 * the normal range is no fault. */
static double parse_real(rvm_codec *c, const char *text, size_t length, rvm_codec_range range)
{
    double x = 0;
    const rvm_number_status status = rvm_text_real(&x, text, length);

    if (status == RVM_NUMBER_OVERFLOW)
        rvm_codec_fault(c, "the number is too large");
    else if (status != RVM_NUMBER_OK && status != RVM_NUMBER_UNDERFLOW)
        rvm_codec_fault(c, "a number is expected");
    else if (range == RVM_POSITIVE && x <= 0)
        rvm_codec_fault(c, "a number above 0 is expected");
    else if (range == RVM_NOT_NEGATIVE && x < 0)
        rvm_codec_fault(c, "a number, 0 or more, is expected");
    return x;
}

static double read_real(rvm_codec *c, rvm_codec_range range)
{
    if (take_word(c))
        return parse_real(c, c->word.text, c->word.length, range);
    rvm_codec_fault(c, "a number is expected");
    return 0;
}

/* `least` after a fault. */
static double read_whole(rvm_codec *c, double least, double most)
{
    const double x = read_real(c, RVM_ANY);

    if (x != floor(x) || x < least || x > most)
        rvm_codec_fault(c, "a whole number from %.0f to %.0f is expected", least, most);
    return c->status == RVM_OK ? x : least;
}

static bool parse_pair(rvm_codec *c, int *index, double *value, rvm_codec_range range)
{
    if (!take_word(c))
        return false;
    const char *colon = memchr(c->word.text, ':', c->word.length);
    const size_t before = colon == NULL ? 0 : (size_t)(colon - c->word.text);

    if (colon == NULL)
        rvm_codec_fault(c, "index:value is expected");
    else if (rvm_text_index(index, c->word.text, before) != RVM_NUMBER_OK)
        rvm_codec_fault(c, "the index is not a whole number from 0 to 2147483647");
    else
        *value = parse_real(c, colon + 1, c->word.length - before - 1, range);
    return c->status == RVM_OK;
}

/* ---- Words in either direction -------------------------------------------------------------- */

const char *rvm_codec_name(rvm_codec *c, char buffer[RVM_CODEC_NAME_SIZE], const char *name)
{
    buffer[0] = '\0';
    if (!rvm_codec_reads(c)) {
        snprintf(buffer, RVM_CODEC_NAME_SIZE, "%s", name);
        write_word(c, buffer);
    } else if (take_word(c) && c->word.length < RVM_CODEC_NAME_SIZE &&
               memchr(c->word.text, '\0', c->word.length) == NULL) {
        memcpy(buffer, c->word.text, c->word.length);
        buffer[c->word.length] = '\0';
    }
    return buffer;
}

void rvm_codec_digits(rvm_codec *c, double *x, rvm_codec_range range, int digits)
{
    char text[RVM_REAL_SIZE];

    if (rvm_codec_reads(c))
        *x = read_real(c, range);
    else
        write_word(c, rvm_text_format(text, *x, digits));
}

/* A whole number, at which reals are exact. */
static double code_whole(rvm_codec *c, double x, double least, double most)
{
    if (rvm_codec_reads(c))
        return read_whole(c, least, most);
    rvm_codec_real(c, &x, RVM_ANY);
    return x;
}

void rvm_codec_whole(rvm_codec *c, int *x, int least, int most)
{
    const double number = code_whole(c, rvm_codec_reads(c) ? 0 : *x, least, most);
    if (rvm_codec_reads(c))
        *x = (int)number;
}

void rvm_codec_count(rvm_codec *c, size_t *x, size_t least, size_t most)
{
    const double now = rvm_codec_reads(c) ? 0 : (double)*x;
    const double number = code_whole(c, now, (double)least, (double)most);
    if (rvm_codec_reads(c))
        *x = (size_t)number;
}

void rvm_codec_flag(rvm_codec *c, bool *x)
{
    const double number = code_whole(c, rvm_codec_reads(c) ? 0 : *x, 0, 1);
    if (rvm_codec_reads(c))
        *x = number == 1;
}

enum { WORD64_SIZE = 17 };

static uint64_t read_word64(rvm_codec *c)
{
    uint64_t x = 0;
    bool fits = take_word(c) && c->word.length < WORD64_SIZE;
    for (size_t k = 0; fits && k < c->word.length; k++) {
        const char digit = c->word.text[k];
        const bool decimal = digit >= '0' && digit <= '9';
        fits = decimal || (digit >= 'a' && digit <= 'f');
        x = x << 4 | (uint64_t)(decimal ? digit - '0' : digit - 'a' + 10);
    }
    if (!fits)
        rvm_codec_fault(c, "up to 16 hexadecimal digits are expected");
    return c->status == RVM_OK ? x : 0;
}

void rvm_codec_word64(rvm_codec *c, uint64_t *x)
{
    char text[WORD64_SIZE];

    if (rvm_codec_reads(c)) {
        *x = read_word64(c);
        return;
    }
    snprintf(text, sizeof text, "%" PRIx64, *x);
    write_word(c, text);
}

void rvm_codec_bits(rvm_codec *c, double *x, size_t count)
{
    for (size_t k = 0; k < count && c->status == RVM_OK; k++) {
        uint64_t bits;
        memcpy(&bits, &x[k], sizeof bits);
        rvm_codec_word64(c, &bits);
        memcpy(&x[k], &bits, sizeof bits);
    }
}

bool rvm_codec_pair(rvm_codec *c, int *index, double *value, rvm_codec_range range)
{
    char text[2 * RVM_REAL_SIZE], real[RVM_REAL_SIZE];

    if (rvm_codec_reads(c))
        return parse_pair(c, index, value, range);
    snprintf(text, sizeof text, "%d:%s", *index, rvm_text_format(real, *value, DIGITS));
    write_word(c, text);
    return true;
}

bool rvm_codec_room(rvm_codec *c, void *array, size_t count, size_t size)
{
    const bool full = (count & (count - 1)) == 0; /* 0, 1, 2, 4, ... */
    size_t capacity = count;

    if (c->status == RVM_OK && rvm_codec_reads(c) && full &&
        !rvm_grow(array, &capacity, count > 0 ? 2 * count : 1, size))
        rvm_codec_fault_memory(c);
    return c->status == RVM_OK;
}
