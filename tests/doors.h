/* Calls of the library as programs have it. */
#ifndef RVM_TESTS_DOORS_H
#define RVM_TESTS_DOORS_H

#include <string.h>

#include "door/rvm_ml.h"
#include "suites.h"

#define DOOR_OK(call) ck_assert_msg((call) == RVMML_OK, "%s", fault.message)

/* It has failed with that code at that row, in words that have `part` in them. */
#define DOOR_FAILS(call, code, at, part) check_fault((call), &fault, (code), (at), (part))

static inline void check_fault(rvmml_status status, const rvmml_error *fault, rvmml_status code,
                               size_t row, const char *part)
{
    ck_assert_int_eq(status, code);
    ck_assert_int_eq(fault->status, code);
    ck_assert_uint_eq(fault->row, row);
    ck_assert_msg(strstr(fault->message, part) != NULL, "%s", fault->message);
}

static inline rvmml_settings *settings_of(const char *const *words)
{
    rvmml_settings *s = NULL;
    rvmml_error fault;

    DOOR_OK(rvmml_settings_new(&s, &fault));
    for (; words[0] != NULL; words += 2)
        DOOR_OK(rvmml_settings_set(s, words[0], words[1], &fault));
    return s;
}

static inline char *text_of(const rvmml_model *m)
{
    char *text = NULL;
    size_t length = 0;
    rvmml_error fault;

    DOOR_OK(rvmml_model_to_text(&text, &length, m, &fault));
    ck_assert_uint_eq(length, strlen(text));
    return text;
}

static inline rvmml_data *dense(const double *x, size_t rows, size_t columns, const double *y)
{
    rvmml_data *data = NULL;
    rvmml_error fault;

    DOOR_OK(rvmml_data_dense(&data, x, rows, columns, (ptrdiff_t)columns, 1, y, 1, &fault));
    return data;
}

#endif
