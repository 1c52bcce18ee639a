/* Lines of a stream read once, strict numbers, numbers written; whatever the locale. */
#include "base/text.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"

enum { BLOCK = 1 << 16 }; /* bytes that a read asks for at least; a pipe holds as many */

/* ---- Lines ---------------------------------------------------------------------------------- */

void rvm_text_init(rvm_text *t, FILE *in)
{
    *t = (rvm_text){ .in = in, .stop = SIZE_MAX };
}

void rvm_text_free(rvm_text *t)
{
    free(t->buffer);
    *t = (rvm_text){ 0 };
}

/* Room for BLOCK bytes behind `end`. A line is moved at most once, when it becomes the first. */
static bool make_room(rvm_text *t)
{
    if (t->begin > 0) {
        memmove(t->buffer, t->buffer + t->begin, t->end - t->begin);
        t->end -= t->begin;
        t->begin = 0;
    }
    return rvm_grow(&t->buffer, &t->capacity, t->end + BLOCK, 1);
}

/* Whether nothing can be read within so many milliseconds, -1 being as long as it takes. */
static bool is_dry(int descriptor, int milliseconds)
{
    struct pollfd wanted = { .fd = descriptor, .events = POLLIN };
    return descriptor >= 0 && poll(&wanted, 1, milliseconds) == 0;
}

/* Bytes read, 0 at the end, -1 with errno. */
static ssize_t read_some(rvm_text *t)
{
    const int descriptor = fileno(t->in);
    char *const to = t->buffer + t->end;
    const size_t room = t->capacity - t->end;
    ssize_t got;
    if (descriptor < 0) {
        const size_t count = fread(to, 1, room, t->in);
        return count == 0 && ferror(t->in) ? -1 : (ssize_t)count;
    }
    while ((got = read(descriptor, to, room)) < 0) {
        if (errno == EAGAIN || errno == EWOULDBLOCK)
            (void)is_dry(descriptor, -1); /* whatever it says, the next read knows better */
        else if (errno != EINTR)
            return -1;
    }
    return got;
}

static rvm_status fill(rvm_text *t, rvm_error *err)
{
    if (!make_room(t))
        return rvm_fail_memory(err, "a line of input");
    const ssize_t got = read_some(t);
    if (got < 0)
        return rvm_fail(err, RVM_EIO, "%s", strerror(errno));
    t->end += (size_t)got;
    t->ended = got == 0;
    return RVM_OK;
}

/* The newline that ends the first line of the buffer, or NULL. */
static const char *find_newline(rvm_text *t)
{
    const size_t unread = t->end - t->begin;
    const char *found = NULL;
    if (unread > t->searched)
        found = memchr(t->buffer + t->begin + t->searched, '\n', unread - t->searched);
    t->searched = found != NULL ? (size_t)(found - t->buffer) - t->begin : unread;
    return found;
}

rvm_status rvm_text_line(const char **line, size_t *length, rvm_text *t, rvm_error *err)
{
    const char *newline;
    *line = NULL;
    *length = 0;
    if (t->at >= t->stop)
        return RVM_OK;
    while ((newline = find_newline(t)) == NULL && !t->ended) {
        const rvm_status status = fill(t, err);
        if (status != RVM_OK)
            return status;
    }
    if (t->begin == t->end)
        return RVM_OK;
    const char *start = t->buffer + t->begin;
    size_t bytes = t->searched;
    t->begin += newline != NULL ? bytes + 1 : bytes;
    t->at += newline != NULL ? bytes + 1 : bytes;
    t->searched = 0;
    t->lines++;
    if (bytes > 0 && start[bytes - 1] == '\r')
        bytes--;
    *line = start;
    *length = bytes;
    return RVM_OK;
}

/* stdio reads ahead when it seeks, and only some streams have a descriptor. */
static bool seek(FILE *in, size_t to)
{
    const int descriptor = fileno(in);
    return descriptor >= 0 ? lseek(descriptor, (off_t)to, SEEK_SET) >= 0
                           : fseeko(in, (off_t)to, SEEK_SET) == 0;
}

rvm_status rvm_text_part(rvm_text *t, size_t from, size_t to, rvm_error *err)
{
    const char *line;
    size_t length;
    rvm_status status = RVM_OK;
    /* The line that the byte before belongs to, up to its newline, is not one of this part. */
    t->at = from > 0 ? from - 1 : 0;
    if (!seek(t->in, t->at))
        return rvm_fail(err, RVM_EIO, "%s", strerror(errno));
    if (from > 0)
        status = rvm_text_line(&line, &length, t, err);
    t->lines = 0;
    t->stop = to;
    return status;
}

rvm_status rvm_text_ready(bool *ready, rvm_text *t, rvm_error *err)
{
    while (find_newline(t) == NULL && !t->ended) {
        *ready = !is_dry(fileno(t->in), 0);
        if (!*ready)
            return RVM_OK;
        const rvm_status status = fill(t, err);
        if (status != RVM_OK)
            return status;
    }
    *ready = true;
    return RVM_OK;
}

/* ---- Words ---------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

rvm_word rvm_text_word(const char *line, size_t length, size_t *at)
{
    rvm_word word = { NULL, 0, 0 };
    size_t i = *at, first;
    while (i < length && is_blank(line[i]))
        i++;
    first = i;
    while (i < length && !is_blank(line[i]))
        i++;
    *at = i;
    if (i > first)
        word = (rvm_word){ line + first, i - first, first + 1 };
    return word;
}

bool rvm_text_has_dash(const char *text, size_t length)
{
    if (length < 3 || text[0] != '\xe2')
        return false;
    if (text[1] == '\x88')
        return text[2] == '\x92'; /* U+2212 */
    return text[1] == '\x80' && (text[2] & '\xf8') == '\x90' &&
           (text[2] & 7) <= 5; /* U+2010 .. 2015 */
}

const char *rvm_text_excerpt(char buffer[RVM_EXCERPT_SIZE], const char *text, size_t length)
{
    const size_t room = RVM_EXCERPT_SIZE - 1 - 3; /* without the NUL and the dots */
    const size_t shown = length <= RVM_EXCERPT_SIZE - 1 ? length : room;
    size_t i;
    for (i = 0; i < shown; i++)
        buffer[i] = text[i];
    for (i = 0; i < shown; i++)
        if (buffer[i] < ' ' || buffer[i] > '~')
            buffer[i] = '?';
    strcpy(buffer + shown, shown < length ? "..." : "");
    return buffer;
}

/* ---- Numbers -------------------------------------------------------------------------------- */

/* A decimal number is a whole number, its digits, times a power of ten. */
typedef struct {
    bool negative;
    size_t count;    /* digits, at the least from the first that is not 0 on */
    uint64_t digits; /* the whole number; wraps where count > DIGITS_EXACT */
    int64_t power;
} decimal;

enum {
    DIGITS_EXACT = 19, /* digits that always fit into 64 bits */
    /* Any double is decided by the first 768 significant digits of its decimal number and by
     * whether more of them follow that are not all zero. */
    DIGITS_KEPT = 780,
    EXPONENT_LIMIT = 100000
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Appends a run of digits; returns the first byte behind it. */
static const char *scan_digits(uint64_t *digits, const char *at, const char *end)
{
    uint64_t sum = *digits;
    for (; at < end && is_digit(*at); at++)
        sum = sum * 10 + (uint64_t)(*at - '0');
    *digits = sum;
    return at;
}

/* The part behind the e; NULL when it is not [+-]digits. An exponent of 17 digits and more is cut
 * to that size, which no number of digits that fits in memory brings back into range. */
static const char *scan_exponent(int64_t *out, const char *at, const char *end)
{
    const bool negative = at < end && *at == '-';
    int64_t exponent = 0;
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end)
        return NULL;
    for (; at < end && is_digit(*at); at++)
        if (exponent < INT64_MAX / 100)
            exponent = exponent * 10 + (*at - '0');
    *out = negative ? -exponent : exponent;
    return at;
}

static size_t leading_zeros(const char *at, const char *end)
{
    size_t count = 0;
    for (; at < end && (*at == '0' || *at == '.'); at++)
        count += *at == '0';
    return count;
}

static bool scan_decimal(decimal *d, const char *text, size_t length)
{
    const char *at = text, *const end = text + length;
    const char *start;
    int64_t exponent = 0;
    *d = (decimal){ .negative = at < end && *at == '-' };
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    text = start = at;
    at = scan_digits(&d->digits, at, end);
    d->count = (size_t)(at - start);
    if (at < end && *at == '.') {
        start = ++at;
        at = scan_digits(&d->digits, at, end);
        d->count += (size_t)(at - start);
        d->power = start - at;
    }
    if (d->count == 0)
        return false;
    if (d->count > DIGITS_EXACT)
        d->count -= leading_zeros(text, at);
    if (at < end && (*at == 'e' || *at == 'E'))
        at = scan_exponent(&exponent, at + 1, end);
    d->power += exponent;
    return at == end;
}

/* By one correctly rounded operation on two exact doubles, where the digits and the power allow. */
static bool convert_exactly(double *out, uint64_t digits, int64_t power)
{
    static const double ten[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    if (FLT_EVAL_METHOD != 0 || digits > (uint64_t)1 << 53 || power < -22 || power > 22)
        return false;
    *out = power < 0 ? (double)digits / ten[-power] : (double)digits * ten[power];
    return true;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

/* The double nearest to m 2^exponent, the even one of two; `more`: to a number above that by less
 * than 2^exponent. m needs 55 bits or more where there is more. */
static double round_binary(uint64_t m, bool more, int exponent)
{
    const int shift = __builtin_clzll(m);
    const uint64_t half = (uint64_t)1 << 10; /* of the last of the upper 53 bits */
    uint64_t upper = m << shift >> 11;
    const uint64_t lower = m << shift & (2 * half - 1);
    if (lower > half || (lower == half && (more || upper % 2 == 1)))
        upper++;
    return ldexp((double)upper, exponent + 11 - shift);
}

/* 5^n, n <= 27. */
static uint64_t power_of_five(unsigned n)
{
    static const uint64_t low[] = { 1, 5, 25, 125, 625, 3125, 15625, 78125 };
    static const uint64_t high[] = { 1, 390625, 152587890625, 59604644775390625 };
    return low[n % 8] * high[n / 8];
}

/* By whole numbers: 10^n = 5^n 2^n, and up to n = 27 the product of the digits and 5^n, or their
 * quotient and its remainder, are exact and so can be rounded. digits are not 0. */
static bool convert_by_integers(double *out, uint64_t digits, int64_t power)
{
    if (power < -27 || power > 27)
        return false;
    const int n = (int)power;
    if (n >= 0) {
        const wide product = (wide)digits * power_of_five((unsigned)n);
        const uint64_t high = (uint64_t)(product >> 64);
        const int shift = high == 0 ? 0 : 64 - __builtin_clzll(high);
        const uint64_t m = (uint64_t)(product >> shift);
        *out = round_binary(m, (wide)m << shift != product, n + shift);
    } else {
        /* Both with the highest bit set: the quotient then has 63 or 64 bits. */
        const uint64_t five = power_of_five((unsigned)-n);
        const int shift = __builtin_clzll(digits), shift5 = __builtin_clzll(five);
        const uint64_t divisor = five << shift5;
        const wide dividend = (wide)(digits << shift) << 63;
        const uint64_t m = (uint64_t)(dividend / divisor);
        *out = round_binary(m, (wide)m * divisor != dividend, n - 63 - shift + shift5);
    }
    return true;
}
#else
static bool convert_by_integers(double *out, uint64_t digits, int64_t power)
{
    (void)out, (void)digits, (void)power;
    return false;
}
#endif

/* By strtod, on digits and an exponent alone: without a decimal point no locale matters. */
static double convert_by_library(const char *at, const char *end, int64_t power)
{
    char text[DIGITS_KEPT + 32];
    size_t count = 0;
    bool more = false;
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        if (!is_digit(*at) || (count == 0 && *at == '0'))
            continue;
        if (count < DIGITS_KEPT) {
            text[count++] = *at;
        } else {
            more = more || *at != '0';
            power++;
        }
    }
    if (more) {
        text[count++] = '1';
        power--;
    }
    if (power > EXPONENT_LIMIT)
        power = EXPONENT_LIMIT;
    if (power < -EXPONENT_LIMIT)
        power = -EXPONENT_LIMIT;
    snprintf(text + count, sizeof text - count, "e%d", (int)power);
    return strtod(text, NULL);
}

rvm_number_status rvm_text_real(double *out, const char *text, size_t length)
{
    decimal d;
    double value = 0;
    if (!scan_decimal(&d, text, length))
        return RVM_NUMBER_SYNTAX;
    const bool zero = d.count <= DIGITS_EXACT && d.digits == 0;
    if (!zero && (d.count > DIGITS_EXACT || (!convert_exactly(&value, d.digits, d.power) &&
                                             !convert_by_integers(&value, d.digits, d.power))))
        value = convert_by_library(text, text + length, d.power);
    if (isinf(value))
        return RVM_NUMBER_OVERFLOW;
    *out = d.negative ? -value : value;
    return !zero && value < DBL_MIN ? RVM_NUMBER_UNDERFLOW : RVM_NUMBER_OK;
}

rvm_number_status rvm_text_index(int *out, const char *text, size_t length)
{
    const bool signs = length > 0 && (text[0] == '+' || text[0] == '-');
    size_t i = signs ? 1 : 0;
    int64_t index = 0;
    if (i == length)
        return RVM_NUMBER_SYNTAX;
    for (; i < length; i++) {
        if (!is_digit(text[i]))
            return RVM_NUMBER_SYNTAX;
        if (index <= INT_MAX)
            index = index * 10 + (text[i] - '0');
    }
    if (signs && text[0] == '-')
        return RVM_NUMBER_NEGATIVE;
    if (index > INT_MAX)
        return RVM_NUMBER_OVERFLOW;
    *out = (int)index;
    return RVM_NUMBER_OK;
}

/* ---- Faults --------------------------------------------------------------------------------- */

rvm_status rvm_text_fail(rvm_error *err, const rvm_text *t, rvm_word word, const char *reason)
{
    char shown[RVM_EXCERPT_SIZE];
    return rvm_fail_at(err, RVM_EINPUT, t->lines, word.column, "%s: '%s'", reason,
                       rvm_text_excerpt(shown, word.text, word.length));
}

rvm_status rvm_text_fail_index(rvm_error *err, const rvm_text *t, rvm_word word,
                               rvm_number_status status)
{
    switch (status) {
    case RVM_NUMBER_OK:
        return rvm_text_fail(err, t, word, "indices must ascend");
    case RVM_NUMBER_NEGATIVE:
        return rvm_text_fail(err, t, word, "index is negative");
    case RVM_NUMBER_OVERFLOW:
        return rvm_text_fail(err, t, word, "index is out of range");
    default:
        return rvm_text_fail(err, t, word, "index is not a whole number");
    }
}

/* ---- Numbers written ------------------------------------------------------------------------ */

const char *rvm_text_format(char buffer[RVM_REAL_SIZE], double value, int digits)
{
    const int length = snprintf(buffer, RVM_REAL_SIZE, "%.*g", digits, value);
    size_t i = 0, behind;
    if (length < 0 || length >= RVM_REAL_SIZE || !isfinite(value))
        return buffer;
    /* What stands between the digits and is neither digit nor exponent is the locale's point. */
    i += buffer[0] == '-';
    while (is_digit(buffer[i]))
        i++;
    if (buffer[i] == '\0' || buffer[i] == 'e')
        return buffer;
    behind = i;
    while (!is_digit(buffer[behind]))
        behind++;
    buffer[i] = '.';
    memmove(buffer + i + 1, buffer + behind, strlen(buffer + behind) + 1);
    return buffer;
}
