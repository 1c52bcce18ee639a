/* Words and numbers of a file of our own, read or written by the same calls.
 *
 * A grammar that is written down once, as steps that name what stands in the file, serves both
 * directions.  A step that reads fills what its pointers name; one that writes only looks there.
 * The first fault sticks in `status`, and every step after it does nothing. */
#ifndef RVM_CODEC_H
#define RVM_CODEC_H

#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

typedef struct {
    rvm_status status;
    rvm_error *err;   /* borrowed */
    FILE *out;        /* borrowed; NULL: reads */
    uint64_t sum;     /* of all bytes that were written (base/hash.h) */
    bool open;        /* a line has been begun, and not ended */
    rvm_text text;    /* the rest is of reading */
    const char *line; /* borrowed from text */
    size_t length, at;
    rvm_word word; /* the one last taken */
    bool held;     /* it is the first one of its line, and no step has taken it */
} rvm_codec;

void rvm_codec_read(rvm_codec *c, FILE *in, rvm_error *err);
void rvm_codec_write(rvm_codec *c, FILE *out, rvm_error *err);
static inline bool rvm_codec_reads(const rvm_codec *c)
{
    return c->out == NULL;
}
/* Ends the last line: nothing may follow, and what was written has arrived. */
void rvm_codec_end(rvm_codec *c);
void rvm_codec_free(rvm_codec *c);

/* ---- Faults of a file that is read ---------------------------------------------------------- */

/* At the word last taken: MESSAGE; found "WORD". */
void rvm_codec_fault(rvm_codec *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Of the whole line. */
void rvm_codec_fault_line(rvm_codec *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rvm_codec_fault_memory(rvm_codec *c);

/* ---- Lines ---------------------------------------------------------------------------------- */

/* Reads: whether the next line begins with `key`; ends the one before. */
bool rvm_codec_next_is(rvm_codec *c, const char *key);
/* Begins a line, which ends the one before; `key` is expected there. */
void rvm_codec_key(rvm_codec *c, const char *key);
/* The same without a key. */
void rvm_codec_line(rvm_codec *c);

/* ---- Words ---------------------------------------------------------------------------------- */

enum { RVM_CODEC_NAME_SIZE = 64 };
/* Writes `name` or reads another one, "" where there is none or a longer one: returns buffer, which
 * has it. */
const char *rvm_codec_name(rvm_codec *c, char buffer[RVM_CODEC_NAME_SIZE], const char *name);

typedef enum { RVM_ANY, RVM_NOT_NEGATIVE, RVM_POSITIVE } rvm_codec_range;

/* A finite number; 17 digits are enough for every double to come back as it was. */
void rvm_codec_digits(rvm_codec *c, double *x, rvm_codec_range range, int digits);
static inline void rvm_codec_real(rvm_codec *c, double *x, rvm_codec_range range)
{
    rvm_codec_digits(c, x, range, 17);
}
/* Whole numbers. */
void rvm_codec_whole(rvm_codec *c, int *x, int least, int most);
void rvm_codec_count(rvm_codec *c, size_t *x, size_t least, size_t most);
void rvm_codec_flag(rvm_codec *c, bool *x);
/* Any number at all, infinite ones too, as the hexadecimal digits of its 64 bits: exact, and ten
 * times as fast as decimals. */
void rvm_codec_bits(rvm_codec *c, double *x, size_t count);
void rvm_codec_word64(rvm_codec *c, uint64_t *x);
/* index:value; reads: false at the end of the line, or after a fault. */
bool rvm_codec_pair(rvm_codec *c, int *index, double *value, rvm_codec_range range);

/* Reads: makes room for an element behind the first `count`, which all went through here; so there
 * is room for as many as the next power of 2. Writes: it is there. False after a fault, which may
 * be this one. */
bool rvm_codec_room(rvm_codec *c, void *array, size_t count, size_t size);

#endif
