/* text.c: lines, words, numbers both ways. Expected doubles stand as hexadecimal constants, which
 * the compiler does not have to round. */
#include <check.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "suites.h"

/* ---- Lines ---------------------------------------------------------------------------------- */

static FILE *memory_file(const char *bytes, size_t count)
{
    FILE *in = fmemopen((void *)(uintptr_t)bytes, count, "r");

    ck_assert_ptr_nonnull(in);
    return in;
}

static void expect_line(rvm_text *t, const char *want, size_t want_length)
{
    const char *line = NULL;
    size_t length = 0;
    rvm_error err = { 0 };

    ck_assert_int_eq(rvm_text_line(&line, &length, t, &err), RVM_OK);
    if (want == NULL) {
        ck_assert_ptr_null(line);
        return;
    }
    ck_assert_ptr_nonnull(line);
    ck_assert_uint_eq(length, want_length);
    ck_assert_mem_eq(line, want, want_length);
}

START_TEST(lines_of_all_kinds)
    {
        static const char bytes[] = "one\n\ntwo\r\nt\0o\nx\ry\n\r\nlast";
        FILE *in = memory_file(bytes, sizeof bytes - 1);
        rvm_text t;

        rvm_text_init(&t, in);
        expect_line(&t, "one", 3);
        expect_line(&t, "", 0);
        expect_line(&t, "two", 3);
        expect_line(&t, "t\0o", 3);
        expect_line(&t, "x\ry", 3);
        expect_line(&t, "", 0);
        ck_assert_uint_eq(t.lines, 6);
        expect_line(&t, "last", 4);
        expect_line(&t, NULL, 0);
        expect_line(&t, NULL, 0);
        ck_assert_uint_eq(t.lines, 7);
        rvm_text_free(&t);
        fclose(in);
    }
END_TEST

START_TEST(lines_longer_than_any_buffer)
    {
        enum { LONG = 3000000 };
        FILE *in = tmpfile();
        rvm_text t;
        char *want = malloc(LONG);

        ck_assert_ptr_nonnull(in);
        ck_assert_ptr_nonnull(want);
        for (size_t i = 0; i < LONG; i++)
            want[i] = (char)('a' + i % 23);
        for (int i = 0; i < 3; i++)
            ck_assert(fprintf(in, "short\n%.*s\n", LONG - i, want) > 0);
        rewind(in);
        rvm_text_init(&t, in);
        for (int i = 0; i < 3; i++) {
            expect_line(&t, "short", 5);
            expect_line(&t, want, (size_t)(LONG - i));
        }
        expect_line(&t, NULL, 0);
        rvm_text_free(&t);
        free(want);
        fclose(in);
    }
END_TEST

START_TEST(a_line_is_ready_once_it_is_complete)
    {
        int ends[2];
        bool ready = true;
        rvm_error err = { 0 };
        rvm_text t;

        ck_assert_int_eq(pipe(ends), 0);
        FILE *in = fdopen(ends[0], "r");
        rvm_text_init(&t, in);
        ck_assert_int_eq(rvm_text_ready(&ready, &t, &err), RVM_OK);
        ck_assert(!ready);
        ck_assert_int_eq(write(ends[1], "a b\nc", 5), 5);
        ck_assert_int_eq(rvm_text_ready(&ready, &t, &err), RVM_OK);
        ck_assert(ready);
        expect_line(&t, "a b", 3); /* would wait for ever if it wanted more than the line */
        ck_assert_int_eq(rvm_text_ready(&ready, &t, &err), RVM_OK);
        ck_assert(!ready);
        ck_assert_int_eq(write(ends[1], "d", 1), 1);
        close(ends[1]);
        ck_assert_int_eq(rvm_text_ready(&ready, &t, &err), RVM_OK);
        ck_assert(ready);
        expect_line(&t, "cd", 2);
        expect_line(&t, NULL, 0);
        rvm_text_free(&t);
        fclose(in);
    }
END_TEST

START_TEST(a_folder_cannot_be_read)
    {
        const char *line = NULL;
        size_t length = 0;
        rvm_error err = { 0 };
        rvm_text t;
        FILE *in = fopen("/", "r");

        ck_assert_ptr_nonnull(in);
        rvm_text_init(&t, in);
        ck_assert_int_eq(rvm_text_line(&line, &length, &t, &err), RVM_EIO);
        ck_assert_str_eq(err.message, "Is a directory");
        rvm_text_free(&t);
        fclose(in);
    }
END_TEST

/* ---- Words ---------------------------------------------------------------------------------- */

START_TEST(words_and_their_columns)
    {
        static const char line[] = " \tone  2:3\t\tx ";
        size_t at = 0;
        rvm_word word = rvm_text_word(line, sizeof line - 1, &at);

        ck_assert_uint_eq(word.column, 3);
        ck_assert_uint_eq(word.length, 3);
        ck_assert_ptr_eq(word.text, line + 2);
        word = rvm_text_word(line, sizeof line - 1, &at);
        ck_assert_uint_eq(word.column, 8);
        ck_assert_uint_eq(word.length, 3);
        word = rvm_text_word(line, sizeof line - 1, &at);
        ck_assert_uint_eq(word.column, 13);
        ck_assert_uint_eq(word.length, 1);
        word = rvm_text_word(line, sizeof line - 1, &at);
        ck_assert_ptr_null(word.text);
    }
END_TEST

START_TEST(excerpts_are_short_and_printable)
    {
        char shown[RVM_EXCERPT_SIZE];
        char text[100];

        ck_assert_str_eq(rvm_text_excerpt(shown, "1:x", 3), "1:x");
        ck_assert_str_eq(rvm_text_excerpt(shown, "\x1b[2J\0\xff", 6), "?[2J??");
        memset(text, 'y', sizeof text);
        ck_assert_str_eq(rvm_text_excerpt(shown, text, 27), "yyyyyyyyyyyyyyyyyyyyyyyyyyy");
        ck_assert_str_eq(rvm_text_excerpt(shown, text, 28), "yyyyyyyyyyyyyyyyyyyyyyyy...");
    }
END_TEST

/* ---- Numbers -------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    double value;
} good_numbers[] = {
    { "0", 0x0p0 },
    { "-0", -0x0p0 },
    { "+1", 0x1p0 },
    { "007", 0x7p0 },
    { ".5", 0x1p-1 },
    { "1.", 0x1p0 },
    { "5e-1", 0x1p-1 },
    { "1E+0", 0x1p0 },
    { "0.1", 0x1.999999999999ap-4 },
    { "-2.385", -0x1.3147ae147ae14p+1 },
    { "1e22", 0x1.0f0cf064dd592p+73 },
    { "1e23", 0x1.52d02c7e14af6p+76 }, /* the nearest double is below, David Gay's example */
    { "9007199254740993", 0x1p53 },    /* halfway: to the even neighbour */
    { "9007199254740993.0", 0x1p53 },
    { "9007199254740993.00000000000000000000000000000000000001", 0x1.0000000000001p53 },
    { "9007199254740995", 0x1.0000000000002p53 },
    { "1.7976931348623157e308", DBL_MAX },
    { "1.7976931348623158e308", DBL_MAX }, /* below the halfway point to 2^1024 */
    { "2.2250738585072014e-308", DBL_MIN },
    { "0e99999999999999999999", 0 },
    { "0.000e-99999999999999999999", 0 },
    { "-0.0000000000000000000000000000000000000000", -0x0p0 },
};

START_TEST(numbers_that_are)
    {
        const char *const text = good_numbers[_i].text;
        const double want = good_numbers[_i].value;
        double value = 99;

        ck_assert_int_eq(rvm_text_real(&value, text, strlen(text)), RVM_NUMBER_OK);
        ck_assert_msg(memcmp(&value, &want, sizeof value) == 0, "%s read as %a", text, value);
    }
END_TEST

static const char *const bad_numbers[] = {
    "",
    "+",
    "-",
    ".",
    "+.",
    "e1",
    ".e1",
    "1e",
    "1e+",
    "1e+-2",
    "1e1.0",
    "++1",
    "+-1",
    "1x",
    "0x1",
    "0x1p3",
    "nan",
    "NaN",
    "inf",
    "-infinity",
    "1,5",
    " 1",
    "1 ",
    "1:2",
    "1..",
    "1_000",
    "1'000",
    "\xc2\xa0"
    "1",
    "1\r",
};

START_TEST(numbers_that_are_none)
    {
        double value = 99;

        ck_assert_int_eq(rvm_text_real(&value, bad_numbers[_i], strlen(bad_numbers[_i])),
                         RVM_NUMBER_SYNTAX);
        ck_assert_double_eq(value, 99);
    }
END_TEST

START_TEST(numbers_beyond_the_range)
    {
        static const char *const large[] = { "1e400", "-1e400", "1.7976931348623159e308",
                                             "1e99999999999999999999" };
        static const char *const small[] = { "1e-400", "-1e-310", "2.2250738585072011e-308",
                                             "5e-324", "1e-99999999999999999999" };
        double value = 0;

        for (size_t i = 0; i < sizeof large / sizeof *large; i++)
            ck_assert_int_eq(rvm_text_real(&value, large[i], strlen(large[i])),
                             RVM_NUMBER_OVERFLOW);
        for (size_t i = 0; i < sizeof small / sizeof *small; i++)
            ck_assert_int_eq(rvm_text_real(&value, small[i], strlen(small[i])),
                             RVM_NUMBER_UNDERFLOW);
        ck_assert_int_eq(rvm_text_real(&value, "5e-324", 6), RVM_NUMBER_UNDERFLOW);
        ck_assert_double_eq(value, 0x1p-1074);
    }
END_TEST

/* 1 written with a thousand zeros before and behind, and 2^-1 + 2^-54 (halfway between 1/2 and the
 * next double, all of its digits 0.5000000000000000555111512312578270211815834045410156250) with
 * a 1 so far behind that no buffer holds it. */
START_TEST(numbers_of_very_many_digits)
    {
        static const char halfway[] = "0.5000000000000000555111512312578270211815834045410156250";
        enum { ZEROS = 20000 };
        char *text = malloc(2 * ZEROS + 200);
        double value = 0;

        ck_assert_ptr_nonnull(text);
        memset(text, '0', ZEROS);
        strcpy(text + ZEROS, "1");
        memset(text + ZEROS + 1, '0', ZEROS);
        strcpy(text + 2 * ZEROS + 1, ".0e-20000");
        ck_assert_int_eq(rvm_text_real(&value, text, strlen(text)), RVM_NUMBER_OK);
        ck_assert_double_eq(value, 1);

        ck_assert_int_eq(rvm_text_real(&value, halfway, strlen(halfway)), RVM_NUMBER_OK);
        ck_assert_double_eq(value, 0x1p-1);
        strcpy(text, halfway);
        memset(text + strlen(halfway), '0', ZEROS);
        strcpy(text + strlen(halfway) + ZEROS, "1");
        ck_assert_int_eq(rvm_text_real(&value, text, strlen(text)), RVM_NUMBER_OK);
        ck_assert_double_eq(value, 0x1.0000000000001p-1);
        free(text);
    }
END_TEST

/* ---- Against strtod, bit for bit ------------------------------------------------------------ */

/* splitmix64 (Steele, Lea, Flood 2014): the same numbers everywhere. */
static uint64_t next_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int next_below(uint64_t *state, int n)
{
    return (int)(next_bits(state) % (uint64_t)n);
}

static void expect_as_strtod(const char *text)
{
    const double want = strtod(text, NULL);
    const bool zero = strspn(text, "+-0.") == strcspn(text, "eE");
    double value = 99;

    const rvm_number_status status = rvm_text_real(&value, text, strlen(text));
    if (isinf(want)) {
        ck_assert_msg(status == RVM_NUMBER_OVERFLOW, "%s: no overflow", text);
        return;
    }
    ck_assert_msg(memcmp(&value, &want, sizeof value) == 0, "%s read as %a, not %a", text, value,
                  want);
    ck_assert_msg(status == (!zero && fabs(want) < DBL_MIN ? RVM_NUMBER_UNDERFLOW : RVM_NUMBER_OK),
                  "%s: status %d", text, (int)status);
}

/* Digits, few or many, with a point and an exponent or without. */
START_TEST(random_decimals_as_strtod)
    {
        static const int most_digits[] = { 3, 17, 21, 40, 900 };
        static const int most_exponent[] = { 3, 30, 345 };
        uint64_t state = 1;

        for (int i = 0; i < 100000; i++) {
            const int digits = 1 + next_below(&state, most_digits[i % (i % 50 == 0 ? 5 : 4)]);
            const int point = next_below(&state, digits + 1), sign = next_below(&state, 3);
            const int exponent = most_exponent[next_below(&state, 3)];
            char text[1000], *at = text;

            if (sign > 0)
                *at++ = "+-"[sign - 1];
            for (int k = 0; k < digits; k++) {
                if (k == point)
                    *at++ = '.';
                /* Zeros in front, behind and in rows too. */
                *at++ = (char)('0' + (next_below(&state, 4) > 0 ? next_below(&state, 10) : 0));
            }
            *at = '\0';
            if (i % 2 == 0)
                sprintf(at, "e%d", next_below(&state, 2 * exponent) - exponent);
            expect_as_strtod(text);
        }
    }
END_TEST

/* Doubles of any bits, subnormal ones and the largest among them, in 15 to 20 digits. */
START_TEST(random_doubles_as_strtod)
    {
        uint64_t state = 2;

        for (int i = 0; i < 100000; i++) {
            const uint64_t bits = next_bits(&state) >> (i % 5 == 0 ? next_below(&state, 20) : 0);
            char text[64];
            double value;

            memcpy(&value, &bits, sizeof value);
            if (i % 2 == 0) /* of the sizes that data have */
                value = ldexp(1 + (double)(bits >> 12) * 0x1p-52, next_below(&state, 100) - 50);
            if (!isfinite(value))
                continue;
            sprintf(text, "%.*g", 15 + next_below(&state, 6), value);
            expect_as_strtod(text);
        }
    }
END_TEST

/* 19 digits times a power of ten that is large, but where 64 bits hold that power of five: one in
 * two thousand comes to lie just above a number halfway between two doubles. */
START_TEST(longest_whole_numbers_as_strtod)
    {
        uint64_t state = 4;

        for (int i = 0; i < 100000; i++) {
            char text[64];

            sprintf(text, "%llue%d",
                    (unsigned long long)(next_bits(&state) % 10000000000000000000u),
                    next_below(&state, 57) - 28);
            expect_as_strtod(text);
        }
    }
END_TEST

static void expect_around(uint64_t digits, int power)
{
    char text[64];

    for (int off = -1; off <= 1; off++) {
        sprintf(text, "%llue%d", (unsigned long long)(digits + (uint64_t)off), power);
        expect_as_strtod(text);
    }
}

/* Odd whole numbers of 54 bits lie halfway between two doubles, and so does any power of two times
 * them: written as they are, with a longer fraction, and as a multiple of a power of ten. Their
 * neighbours in the last digit as well. */
START_TEST(halfway_cases_as_strtod)
    {
        uint64_t state = 3;

        for (int i = 0; i < 10000; i++) {
            const uint64_t odd = ((uint64_t)1 << 53) + (next_bits(&state) >> 11 | 1);
            const int up = next_below(&state, 22);
            uint64_t scaled = odd, five = 1;

            expect_around(odd, 0);
            expect_around(odd << next_below(&state, 9), 0);
            for (int k = 1; k <= 3; k++) /* odd / 2^k and odd itself */
                expect_around(scaled *= 5, -k);
            expect_around(odd * 100, -2);
            for (int k = 0; k < up; k++)
                five *= 5;
            expect_around((odd / five | 1) << next_below(&state, 8), up);
        }
    }
END_TEST

static rvm_number_status read_index(int *out, const char *text)
{
    return rvm_text_index(out, text, strlen(text));
}

START_TEST(indices)
    {
        int index = -5;

        ck_assert_int_eq(read_index(&index, "2147483647"), RVM_NUMBER_OK);
        ck_assert_int_eq(index, INT_MAX);
        ck_assert_int_eq(read_index(&index, "+01"), RVM_NUMBER_OK);
        ck_assert_int_eq(index, 1);
        ck_assert_int_eq(read_index(&index, "0"), RVM_NUMBER_OK);
        ck_assert_int_eq(index, 0);
        ck_assert_int_eq(read_index(&index, "2147483648"), RVM_NUMBER_OVERFLOW);
        ck_assert_int_eq(read_index(&index, "4294967297"), RVM_NUMBER_OVERFLOW);
        ck_assert_int_eq(read_index(&index, "99999999999999999999999999999"), RVM_NUMBER_OVERFLOW);
        ck_assert_int_eq(read_index(&index, "-1"), RVM_NUMBER_NEGATIVE);
        ck_assert_int_eq(read_index(&index, ""), RVM_NUMBER_SYNTAX);
        ck_assert_int_eq(read_index(&index, "+"), RVM_NUMBER_SYNTAX);
        ck_assert_int_eq(read_index(&index, "--1"), RVM_NUMBER_SYNTAX);
        ck_assert_int_eq(read_index(&index, "1.5"), RVM_NUMBER_SYNTAX);
        ck_assert_int_eq(read_index(&index, "1e3"), RVM_NUMBER_SYNTAX);
    }
END_TEST

START_TEST(numbers_written)
    {
        char text[RVM_REAL_SIZE];

        ck_assert_str_eq(rvm_text_format(text, 0.1, 17), "0.10000000000000001");
        ck_assert_str_eq(rvm_text_format(text, 1, 17), "1");
        ck_assert_str_eq(rvm_text_format(text, -0.0, 17), "-0");
        ck_assert_str_eq(rvm_text_format(text, -DBL_MAX, 17), "-1.7976931348623157e+308");
        ck_assert_str_eq(rvm_text_format(text, 1e300, 17), "1.0000000000000001e+300");
        ck_assert_str_eq(rvm_text_format(text, 2.0 / 3, 6), "0.666667");
        ck_assert_str_eq(rvm_text_format(text, 1234567, 6), "1.23457e+06");
        ck_assert_str_eq(rvm_text_format(text, 1e100, 6), "1e+100");
        ck_assert_str_eq(rvm_text_format(text, INFINITY, 6), "inf");
    }
END_TEST

/* A host program may have called setlocale; the tools never do. */
START_TEST(a_decimal_comma_changes_nothing)
    {
        static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
        char text[RVM_REAL_SIZE], plain[RVM_REAL_SIZE];
        double value = 0;
        bool found = false;

        for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
            found = setlocale(LC_ALL, names[i]) != NULL;
        snprintf(plain, sizeof plain, "%g", 0.5);
        ck_assert_int_eq(rvm_text_real(&value, "1234.56789012345678901234", 25), RVM_NUMBER_OK);
        rvm_text_format(text, -0x1p-70, 17);
        setlocale(LC_ALL, "C");
        ck_assert_double_eq(value, 0x1.34a4584fd0fe0p+10);
        ck_assert_str_eq(text, "-8.4703294725430034e-22");
        if (found)
            ck_assert_str_eq(plain, "0,5"); /* the locale was in force */
    }
END_TEST

Suite *text_suite(void);
Suite *text_suite(void)
{
    Suite *suite = suite_create("text");
    TCase *tc = tcase_create("text");

    tcase_add_test(tc, lines_of_all_kinds);
    tcase_add_test(tc, lines_longer_than_any_buffer);
    tcase_add_test(tc, a_line_is_ready_once_it_is_complete);
    tcase_add_test(tc, a_folder_cannot_be_read);
    tcase_add_test(tc, words_and_their_columns);
    tcase_add_test(tc, excerpts_are_short_and_printable);
    tcase_add_loop_test(tc, numbers_that_are, 0, sizeof good_numbers / sizeof *good_numbers);
    tcase_add_loop_test(tc, numbers_that_are_none, 0, sizeof bad_numbers / sizeof *bad_numbers);
    tcase_add_test(tc, numbers_beyond_the_range);
    tcase_add_test(tc, numbers_of_very_many_digits);
    tcase_add_test(tc, random_decimals_as_strtod);
    tcase_add_test(tc, random_doubles_as_strtod);
    tcase_add_test(tc, longest_whole_numbers_as_strtod);
    tcase_add_test(tc, halfway_cases_as_strtod);
    tcase_add_test(tc, indices);
    tcase_add_test(tc, numbers_written);
    tcase_add_test(tc, a_decimal_comma_changes_nothing);
    suite_add_tcase(suite, tc);
    return suite;
}
