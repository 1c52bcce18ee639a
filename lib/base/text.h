/* Lines of a stream read once, strict numbers, numbers written; whatever the locale. */
#ifndef RVM_TEXT_H
#define RVM_TEXT_H

#include <stdio.h>

#include "rvm.h"

/* ---- Lines ---------------------------------------------------------------------------------- */

/* Reads the descriptor below `in` (or `in` itself where there is none, as with fmemopen), so that
 * no line waits for bytes that are not needed to complete it. Nothing may have been read from
 * `in` before. */
typedef struct {
    FILE *in;          /* borrowed */
    char *buffer;      /* owned */
    size_t capacity;   /* bytes of buffer */
    size_t begin, end; /* bytes of buffer that were read and not yet handed out */
    size_t searched;   /* bytes from begin on that are known to hold no newline */
    size_t lines;      /* lines handed out so far, so the number of the current one */
    size_t at, stop; /* the byte of the stream at `begin`; no line that begins at stop or behind is
                          handed out */
    bool ended;      /* the stream is at its end */
} rvm_text;

void rvm_text_init(rvm_text *t, FILE *in);
void rvm_text_free(rvm_text *t); /* the buffer; `in` stays open */

/* Only the lines that begin at bytes from .. to - 1 of a stream in which nothing has been read yet and
 * that can be read from any byte on; they count from 1. Whatever the cuts, parts that follow each
 * other have all lines, each of them once. RVM_EIO or RVM_ENOMEM. */
RVM_CHECKED rvm_status rvm_text_part(rvm_text *t, size_t from, size_t to, rvm_error *err);
/* The next line, of any length, without its "\n" or "\r\n": *length bytes, which may hold NULs,
 * valid until the next call. The last line need not end in a newline. *line is NULL at the end.
 * RVM_EIO or RVM_ENOMEM. */
RVM_CHECKED rvm_status rvm_text_line(const char **line, size_t *length, rvm_text *t,
                                     rvm_error *err);
/* *ready: the next rvm_text_line will not wait. Reads on as far as that is possible without. */
RVM_CHECKED rvm_status rvm_text_ready(bool *ready, rvm_text *t, rvm_error *err);

/* ---- Words and numbers ---------------------------------------------------------------------- */

typedef struct {
    const char *text; /* borrowed from the line; NULL: no word is left */
    size_t length;
    size_t column; /* of its first byte, counted from 1 */
} rvm_word;

/* The first word of line[0 .. length - 1] at or behind byte *at, words being separated by blanks
 * and tabs; *at moves behind it. */
rvm_word rvm_text_word(const char *line, size_t length, size_t *at);

/* Whether the word begins with an en dash, an em dash, a hyphen or a minus sign of Unicode (UTF-8),
 * which word processors and web pages put in the place of `-`. */
bool rvm_text_has_dash(const char *text, size_t length);

/* Room for a word made fit to be shown in a message. */
enum { RVM_EXCERPT_SIZE = 28 };
/* The word's first bytes, those that are no printable ASCII as `?`; returns buffer. */
const char *rvm_text_excerpt(char buffer[RVM_EXCERPT_SIZE], const char *text, size_t length);

typedef enum {
    RVM_NUMBER_OK,
    RVM_NUMBER_SYNTAX,    /* not [+-]digits[.digits][e[+-]digits], or .digits */
    RVM_NUMBER_OVERFLOW,  /* beyond the largest double; for an index beyond INT_MAX */
    RVM_NUMBER_UNDERFLOW, /* not zero, but below the smallest normal double; *out is set */
    RVM_NUMBER_NEGATIVE   /* an index with a minus sign */
} rvm_number_status;

/* text[0 .. length - 1], all of it, as a plain decimal number, correctly rounded. */
rvm_number_status rvm_text_real(double *out, const char *text, size_t length);
/* The same for a whole number from 0 to INT_MAX: +digits. */
rvm_number_status rvm_text_index(int *out, const char *text, size_t length);

/* RVM_EINPUT at the word, which is of the current line, in the words `reason: 'word'`. */
rvm_status rvm_text_fail(rvm_error *err, const rvm_text *t, rvm_word word, const char *reason);
/* The same for a word that rvm_text_index has read with that status; RVM_NUMBER_OK: it does not
 * ascend. */
rvm_status rvm_text_fail_index(rvm_error *err, const rvm_text *t, rvm_word word,
                               rvm_number_status status);

/* Room for any number in %.17g, its final NUL included. */
enum { RVM_REAL_SIZE = 40 };
/* value as printf's %.*g with `digits` (at most 17) writes it in the C locale; returns buffer. */
const char *rvm_text_format(char buffer[RVM_REAL_SIZE], double value, int digits);

#endif
