/* problem_hint.c: files that are no data, and words that are no labels. */
#include <check.h>
#include <string.h>

#include "data/problem_hint.h"
#include "suites.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define BYTES(text) text, sizeof(text) - 1

static const struct {
    const char *line;
    size_t length;
    const char *words; /* NULL: may be data */
} files[] = {
    { BYTES("\x1f\x8b\x08"), "gzip" },
    { BYTES("BZh9"), "bzip2" },
    { BYTES("\xfd"
            "7zXZ\0"),
      "xz" },
    { BYTES("\x28\xb5\x2f\xfd$"), "zstd" },
    { BYTES("PK\x03\x04"), "zip" },
    { BYTES("\xff\xfe"
            "1\0 \0"),
      "UTF-16" },
    { BYTES("\xfe\xff\0001\0 "), "UTF-16" },
    { BYTES("1\0 \0001\0"), "UTF-16" },
    { BYTES("\0001\0 \0001"), "UTF-16" },
    { BYTES("\xef\xbb\xbf"
            "1 1:2"),
      "byte order mark" },
    { BYTES("rvm_model 1"), "a model of rvm-train" },
    { BYTES("svm_type c_svc"), "a model of svm-train" },
    { BYTES("x"), "range file" },
    { BYTES("y"), "range file" },
    { BYTES("1 1:2"), NULL },
    { BYTES("-1"), NULL },
    { BYTES("1"), NULL },
    { BYTES(""), NULL },
    { BYTES("x 1:2"), NULL },
    { BYTES("1\0 2"), NULL },
};

START_TEST(what_a_file_is)
    {
        const char *hint = rvm_problem_hint_of_file(files[_i].line, files[_i].length);

        if (files[_i].words == NULL)
            ck_assert_ptr_null(hint);
        else
            ck_assert(hint != NULL && strstr(hint, files[_i].words) != NULL);
    }
END_TEST

static const struct {
    const char *line, *word, *words; /* "": nothing is known */
} words[] = {
    { "? 1:2", "?", "--unlabelled" },
    { "1:2 2:3", "1:2", "any number does" },
    { "\xe2\x88\x92\x31 1:2", "\xe2\x88\x92\x31", "minus" },
    { "\xe2\x80\x93\x31 1:2", "\xe2\x80\x93\x31", "minus" },
    { "\xe2\x80\x94\x31 1:2", "\xe2\x80\x94\x31", "minus" },
    { "a,b,c", "a,b,c", "CSV" },
    { "1.5, 2, 3", "1.5,", "CSV" },
    { "1;2", "1;2", "CSV" },
    { "1,2 1:3", "1,2", "" },
    { "one 1:3", "one", "" },
    { "one", "one", "" },
    { "\xe2\x82\xac\x31 1:2", "\xe2\x82\xac\x31", "" }, /* U+20AC */
};

START_TEST(what_a_word_is)
    {
        const char *const line = words[_i].line, *const word = words[_i].word;
        const char *hint = rvm_problem_hint_of_word(line, strlen(line), word, strlen(word));

        if (words[_i].words[0] == '\0')
            ck_assert_str_eq(hint, "");
        else
            ck_assert_msg(strstr(hint, words[_i].words) != NULL, "%s", hint);
    }
END_TEST

Suite *problem_hint_suite(void);
Suite *problem_hint_suite(void)
{
    Suite *suite = suite_create("problem_hint");
    TCase *tc = tcase_create("problem_hint");

    tcase_add_loop_test(tc, what_a_file_is, 0, COUNT(files));
    tcase_add_loop_test(tc, what_a_word_is, 0, COUNT(words));
    suite_add_tcase(suite, tc);
    return suite;
}
