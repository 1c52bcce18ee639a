/* The shares of the classes that a user gives. */
#include "cli/prevalence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/value.h"

static size_t place_of_label(const rvm_model_info *m, int label)
{
    size_t c = 0;

    while (c < m->classes && m->labels[c] != label)
        c++;
    return c;
}

static rvm_status read_share(double *share, const char *text, rvm_error *err)
{
    if (rvm_value_real(share, text) && !isnan(*share))
        return RVM_OK;
    return rvm_fail(err, RVM_ESETTING, "--prevalence: a share is expected; found \"%.40s\"", text);
}

/* label:share, the colon at `colon`. */
static rvm_status take_named(double *share, char *item, char *colon, const rvm_model_info *m,
                             rvm_error *err)
{
    int label = 0;

    *colon = '\0';
    const bool whole = rvm_value_int(&label, item);
    const size_t c = whole ? place_of_label(m, label) : m->classes;
    if (c == m->classes)
        return rvm_fail(err, RVM_ESETTING, "--prevalence: the model has no class %.40s", item);
    if (!isnan(share[c]))
        return rvm_fail(err, RVM_ESETTING, "--prevalence: class %d has two shares", label);
    return read_share(&share[c], colon + 1, err);
}

/* Item `number` of the list, from 0. */
static rvm_status take_item(double *share, size_t number, char *item, bool named,
                            const rvm_model_info *m, rvm_error *err)
{
    char *colon = strchr(item, ':');

    if ((colon != NULL) != named)
        return rvm_fail(err, RVM_ESETTING, "--prevalence: all shares have a label, or none has");
    if (named)
        return take_named(share, item, colon, m, err);
    if (number < m->classes)
        return read_share(&share[number], item, err);
    return RVM_OK; /* there are too many, which their number tells */
}

/* list: is cut into its items. */
static rvm_status take_list(double *share, char *list, const rvm_model_info *m, rvm_error *err)
{
    const bool named = strchr(list, ':') != NULL;
    rvm_status status = RVM_OK;
    size_t number = 0;

    for (char *item = list; item != NULL && status == RVM_OK; number++) {
        char *comma = strchr(item, ',');

        if (comma != NULL)
            *comma = '\0';
        status = take_item(share, number, item, named, m, err);
        item = comma == NULL ? NULL : comma + 1;
    }
    if (status == RVM_OK && !named && number != m->classes)
        return rvm_fail(err, RVM_ESETTING,
                        "--prevalence: %zu share%s where the model has %zu classes", number,
                        number == 1 ? "" : "s", m->classes);
    return status;
}

/* Classes that have none yet share what is left. */
static void fill_rest(double *share, const rvm_model_info *m)
{
    double left = 1, rows = 0;

    for (size_t c = 0; c < m->classes; c++)
        if (isnan(share[c]))
            rows += (double)m->class_rows[c];
        else
            left -= share[c];
    for (size_t c = 0; c < m->classes; c++)
        if (isnan(share[c]))
            share[c] = fmax(left, 0) * (double)m->class_rows[c] / rows;
}

static rvm_status read_shares(double *share, const char *text, const rvm_model_info *m,
                              rvm_error *err)
{
    rvm_status status = RVM_OK;
    char *list = strdup(text);

    if (list == NULL)
        return rvm_fail_memory(err, "the shares of the classes");
    for (size_t c = 0; c < m->classes; c++)
        share[c] = NAN;
    if (strcmp(text, "data") != 0)
        status = take_list(share, list, m, err);
    if (status == RVM_OK)
        fill_rest(share, m);
    free(list);
    return status;
}

rvm_status cli_prevalence_read(double **share, const char *text, const rvm_model_info *m,
                               rvm_error *err)
{
    *share = NULL;
    if (m->task == RVM_REGRESSION)
        return rvm_fail(err, RVM_ESETTING,
                        "--prevalence is for classification, and this model is of a regression");
    if (m->class_rows == NULL)
        return rvm_fail(err, RVM_ESETTING,
                        "--prevalence: the model does not say how many rows of each class it was "
                        "trained on; train it again");
    *share = rvm_array(m->classes, sizeof **share);
    if (*share == NULL)
        return rvm_fail_memory(err, "the shares of the classes");
    return read_shares(*share, text, m, err);
}
