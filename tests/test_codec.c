/* codec.c: numbers by their bits, and the sum over what is written; model files test the rest. */
#include "base/codec.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "suites.h"

static char text[1000];

static rvm_codec write_to_text(FILE **out, rvm_error *err)
{
    rvm_codec c;
    memset(text, 0, sizeof text);
    *out = fmemopen(text, sizeof text, "w");
    rvm_codec_write(&c, *out, err);
    return c;
}

/* The 64 bits of IEEE 754: 1.5 is 0x3ff8 << 48, -infinity 0xfff0 << 48, the least number 1. */
START_TEST(bits_of_numbers)
    {
        double x[] = { 1.5, 0, -INFINITY, 4.9406564584124654e-324 }, y[4] = { 0 };
        rvm_error err = { 0 };
        FILE *out;
        rvm_codec c = write_to_text(&out, &err);
        rvm_codec_key(&c, "x");
        rvm_codec_bits(&c, x, 4);
        rvm_codec_end(&c);
        fclose(out);
        ck_assert_str_eq(text, "x 3ff8000000000000 0 fff0000000000000 1\n");
        FILE *in = fmemopen(text, strlen(text), "r");
        rvm_codec_read(&c, in, &err);
        rvm_codec_key(&c, "x");
        rvm_codec_bits(&c, y, 4);
        rvm_codec_end(&c);
        ck_assert_int_eq(c.status, RVM_OK);
        ck_assert_mem_eq(x, y, sizeof x);
        rvm_codec_free(&c);
        fclose(in);
    }
END_TEST

START_TEST(words_that_are_no_bits)
    {
        static const char *const wrong[] = { "x", "x 3FF", "x 0x1", "x -1", "x 11112222333344445" };
        double y = 0;
        rvm_error err = { 0 };
        rvm_codec c;
        FILE *in = fmemopen((void *)wrong[_i], strlen(wrong[_i]), "r");
        rvm_codec_read(&c, in, &err);
        rvm_codec_key(&c, "x");
        rvm_codec_bits(&c, &y, 1);
        ck_assert_int_eq(c.status, RVM_EMODEL);
        ck_assert_uint_eq(err.line, 1);
        ck_assert_ptr_nonnull(strstr(err.message, "up to 16 hexadecimal digits are expected"));
        rvm_codec_free(&c);
        fclose(in);
    }
END_TEST

/* FNV-1a of "" and "a": the authors' test vectors. */
START_TEST(sum_of_what_is_written)
    {
        rvm_error err = { 0 };
        FILE *out;
        ck_assert_uint_eq(rvm_hash_bytes(RVM_HASH_START, "", 0), UINT64_C(0xcbf29ce484222325));
        ck_assert_uint_eq(rvm_hash_bytes(RVM_HASH_START, "a", 1), UINT64_C(0xaf63dc4c8601ec8c));
        rvm_codec c = write_to_text(&out, &err);
        uint64_t word = 0xabc;
        rvm_codec_key(&c, "one");
        rvm_codec_word64(&c, &word);
        rvm_codec_key(&c, "end");
        rvm_codec_end(&c);
        fclose(out);
        ck_assert_str_eq(text, "one abc\nend\n");
        ck_assert_uint_eq(c.sum, rvm_hash_bytes(RVM_HASH_START, text, strlen(text)));
    }
END_TEST

Suite *codec_suite(void);
Suite *codec_suite(void)
{
    Suite *s = suite_create("codec");
    TCase *c = tcase_create("codec");
    tcase_add_test(c, bits_of_numbers);
    tcase_add_loop_test(c, words_that_are_no_bits, 0, 5);
    tcase_add_test(c, sum_of_what_is_written);
    suite_add_tcase(s, c);
    return s;
}
