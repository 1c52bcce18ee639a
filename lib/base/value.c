/* Numbers as words have them. */
#include "base/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

bool rvm_value_int(int *out, const char *text)
{
    const bool negative = text[0] == '-';
    int value;

    if (negative && text[1] == '+')
        return false;
    if (rvm_text_index(&value, text + negative, strlen(text + negative)) != RVM_NUMBER_OK)
        return false;
    *out = negative ? -value : value;
    return true;
}

static bool value_unsigned(unsigned long *out, const char *text)
{
    char *end;

    if (text[0] < '0' || text[0] > '9') /* strtoul would take a sign and blanks */
        return false;
    errno = 0;
    *out = strtoul(text, &end, 10);
    return *end == '\0' && errno == 0;
}

/* nan and inf, for which the grammar of data files has no place. */
static bool value_special(double *out, const char *text)
{
    char *end;

    if (strspn(text, "+-naifNAIF") == 0)
        return false;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && !(*out - *out == 0);
}

bool rvm_value_real(double *out, const char *text)
{
    const rvm_number_status status = rvm_text_real(out, text, strlen(text));

    return status == RVM_NUMBER_OK || (status == RVM_NUMBER_SYNTAX && value_special(out, text));
}

rvm_status rvm_value_read(void *field, rvm_value_kind kind, const char *text, rvm_error *err)
{
    switch (kind) {
    case RVM_VALUE_FLAG:
        *(bool *)field = text == NULL || strcmp(text, "1") == 0;
        if (*(bool *)field || strcmp(text, "0") == 0)
            return RVM_OK;
        return rvm_fail(err, RVM_ESETTING, "expected 0 or 1");
    case RVM_VALUE_INT:
        if (rvm_value_int(field, text))
            return RVM_OK;
        return rvm_fail(err, RVM_ESETTING, "expected a whole number");
    case RVM_VALUE_UNSIGNED:
        if (value_unsigned(field, text))
            return RVM_OK;
        return rvm_fail(err, RVM_ESETTING, "expected a whole number, not negative");
    case RVM_VALUE_REAL:
        if (rvm_value_real(field, text))
            return RVM_OK;
        break;
    }
    return rvm_fail(err, RVM_ESETTING, "expected a number");
}
