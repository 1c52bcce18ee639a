/* What a file that is no data seems to be. */
#include "data/problem_hint.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

typedef struct {
    const char *bytes; /* that the file begins with */
    size_t length;
    const char *hint;
} signature;

#define SIGNATURE(bytes, hint)         \
    {                                  \
        bytes, sizeof(bytes) - 1, hint \
    }

static const signature signatures[] = {
    SIGNATURE("\x1f\x8b", "a file compressed by gzip, which gzip -d unpacks"),
    SIGNATURE("BZh", "a file compressed by bzip2, which bzip2 -d unpacks"),
    SIGNATURE("\xfd"
              "7zXZ",
              "a file compressed by xz, which xz -d unpacks"),
    SIGNATURE("\x28\xb5\x2f\xfd", "a file compressed by zstd, which zstd -d unpacks"),
    SIGNATURE("PK\x03\x04", "a zip archive, which unzip unpacks"),
    SIGNATURE("\xff\xfe", "text in UTF-16, which iconv -f UTF-16 -t UTF-8 makes plain"),
    SIGNATURE("\xfe\xff", "text in UTF-16, which iconv -f UTF-16 -t UTF-8 makes plain"),
    SIGNATURE("\xef\xbb\xbf", "byte order mark; only plain text without one is read"),
    SIGNATURE("rvm_model ", "a model of rvm-train and no data file"),
    SIGNATURE("svm_type ", "a model of svm-train and no data file"),
};

static bool begins_with(const char *line, size_t length, const signature *s)
{
    return length >= s->length && memcmp(line, s->bytes, s->length) == 0;
}

/* A line of x or y alone opens the ranges of features or of the target. */
static bool opens_ranges(const char *line, size_t length)
{
    return length == 1 && (line[0] == 'x' || line[0] == 'y');
}

/* Every other byte of plain characters is 0 there. */
static bool is_wide(const char *line, size_t length)
{
    return length >= 4 &&
           ((line[0] != '\0' && line[1] == '\0' && line[2] != '\0' && line[3] == '\0') ||
            (line[0] == '\0' && line[1] != '\0' && line[2] == '\0' && line[3] != '\0'));
}

const char *rvm_problem_hint_of_file(const char *line, size_t length)
{
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++)
        if (begins_with(line, length, &signatures[i]))
            return signatures[i].hint;
    if (opens_ranges(line, length))
        return "a range file of rvm-scale and no data file";
    if (is_wide(line, length))
        return "text in UTF-16, which iconv -f UTF-16LE (or BE) -t UTF-8 makes plain";
    return NULL;
}

const char *rvm_problem_hint_of_word(const char *line, size_t line_length, const char *text,
                                     size_t length)
{
    const bool unknown = length == 1 && text[0] == '?';
    if (rvm_text_has_dash(text, length))
        return "; its dash is no minus sign, which is -";
    if (unknown || memchr(text, ':', length) != NULL)
        return "; in rows to be predicted any number does (rvm-predict --unlabelled needs none)";
    if (memchr(line, ':', line_length) == NULL &&
        (memchr(line, ',', line_length) != NULL || memchr(line, ';', line_length) != NULL))
        return "; this looks like CSV, and a row is LABEL INDEX:VALUE ...";
    return "";
}
