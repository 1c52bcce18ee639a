/* Settings as words, and what they come to.
 *
 * An object keeps the words, in the order in which they came, and whatever uses it reads them anew:
 * so that it can be copied and asked, and that settings which say something of each other do so
 * whichever came first, as on the command line of rvm-train. */
#include "door/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/value.h"
#include "door/data.h"
#include "door/error.h"
#include "product/settings.h"

typedef struct {
    char *name, *value; /* owned */
} word;

struct rvmml_settings {
    word *list; /* owned, count */
    size_t count, capacity;
    const volatile int *interrupted; /* borrowed */
};

/* ---- Words ---------------------------------------------------------------------------------- */

static word *find(const rvmml_settings *s, const char *name)
{
    for (size_t k = 0; k < s->count; k++)
        if (strcmp(s->list[k].name, name) == 0)
            return &s->list[k];
    return NULL;
}

static void drop(rvmml_settings *s, word *w)
{
    free(w->name);
    free(w->value);
    s->count--;
    memmove(w, w + 1, (size_t)(s->list + s->count - w) * sizeof *w);
}

/* NULL without memory. */
static char *copy_of(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = rvm_array(size, 1);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}

/* False without memory. */
static bool word_init(word *w, const char *name, const char *value)
{
    w->name = copy_of(name);
    w->value = copy_of(value);
    if (w->name != NULL && w->value != NULL)
        return true;
    free(w->name);
    free(w->value);
    return false;
}

/* In the place of one of that name. False, and nothing changed, without memory. */
static bool append(rvmml_settings *s, const char *name, const char *value)
{
    if (!rvm_grow(&s->list, &s->capacity, s->count + 1, sizeof *s->list) ||
        !word_init(&s->list[s->count], name, value))
        return false;
    s->count++;
    word *first = find(s, name);
    if (first != NULL && first != &s->list[s->count - 1])
        drop(s, first);
    return true;
}

/* ---- What they come to ---------------------------------------------------------------------- */

static rvm_status read_task(door_settings *s, const char *value)
{
    if (value == NULL || (strcmp(value, "regression") != 0 && strcmp(value, "classification") != 0))
        return RVM_ESETTING;
    s->train.task = strcmp(value, "regression") == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION;
    return RVM_OK;
}

/* One word into *s. */
static rvm_status apply(door_settings *s, const char *name, const char *value, rvm_error *err)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = { { "b", &s->train.probability },
                  { "no-bias", &s->no_bias },
                  { "variance", &s->variance },
                  { "mode", &s->mode } };
    if (value != NULL && *value == '\0')
        value = NULL;
    for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++)
        if (strcmp(name, flags[k].name) == 0)
            return rvm_value_read(flags[k].flag, RVM_VALUE_FLAG, value, err);
    if (strcmp(name, "interval") == 0)
        return rvm_value_read(&s->interval, RVM_VALUE_REAL, value == NULL ? "" : value, err);
    if (strcmp(name, "task") != 0)
        return rvm_settings_set(&s->train, name, value, err);
    if (read_task(s, value) == RVM_OK)
        return RVM_OK;
    return rvm_fail(err, RVM_ESETTING, "classification and regression are possible");
}

static rvmml_status apply_word(door_settings *s, const char *name, const char *value,
                               rvmml_error *err)
{
    rvm_error fault = { .line = 0 };
    const rvm_status status = apply(s, name, value, &fault);
    if (status == RVM_OK)
        return RVMML_OK;
    return door_fail(err, (rvmml_status)status, "%.40s=%.40s: %s", name, value == NULL ? "" : value,
                     fault.message);
}

static const char *look(const void *of, const char *name)
{
    const word *w = find(of, name);
    return w == NULL ? NULL : w->value;
}

static door_settings defaults(void)
{
    return (door_settings){ .train = rvm_settings_default(), .variance = true };
}

rvmml_status door_settings_resolve(door_settings *out, const rvmml_settings *s, rvmml_error *err)
{
    rvmml_status status = RVMML_OK;
    *out = defaults();
    for (size_t k = 0; s != NULL && k < s->count && status == RVMML_OK; k++)
        status = apply_word(out, s->list[k].name, s->list[k].value, err);
    if (status != RVMML_OK) {
        door_settings_clear(out);
        return status;
    }
    out->train.bias = out->train.bias && !out->no_bias;
    if (s != NULL) {
        out->train.interrupted = s->interrupted;
        rvm_settings_settle(&out->train, look, s);
    }
    return RVMML_OK;
}

void door_settings_clear(door_settings *s)
{
    rvm_settings_clear(&s->train);
}

/* ---- The object ----------------------------------------------------------------------------- */

rvmml_status rvmml_settings_new(rvmml_settings **out, rvmml_error *err)
{
    if (out == NULL)
        return door_fail_null(err, "out");
    rvmml_settings *s = rvm_array(1, sizeof *s);
    if (s == NULL)
        return door_fail_memory(err, "settings");
    *out = s;
    return RVMML_OK;
}

void rvmml_settings_free(rvmml_settings *s)
{
    if (s == NULL)
        return;
    for (size_t k = 0; k < s->count; k++) {
        free(s->list[k].name);
        free(s->list[k].value);
    }
    free(s->list);
    free(s);
}

rvmml_status rvmml_settings_copy(rvmml_settings **out, const rvmml_settings *s, rvmml_error *err)
{
    bool memory = true;
    if (out == NULL || s == NULL)
        return door_fail_null(err, out == NULL ? "out" : "settings");
    rvmml_settings *copy = rvm_array(1, sizeof *copy);
    if (copy == NULL)
        return door_fail_memory(err, "settings");
    copy->interrupted = s->interrupted;
    for (size_t k = 0; k < s->count && memory; k++)
        memory = append(copy, s->list[k].name, s->list[k].value);
    if (!memory) {
        rvmml_settings_free(copy);
        return door_fail_memory(err, "settings");
    }
    *out = copy;
    return RVMML_OK;
}

rvmml_status rvmml_settings_set(rvmml_settings *s, const char *name, const char *value,
                                rvmml_error *err)
{
    if (s == NULL || name == NULL)
        return door_fail_null(err, s == NULL ? "settings" : "name");
    door_settings trial = defaults();
    const rvmml_status status = apply_word(&trial, name, value, err);
    door_settings_clear(&trial);
    if (status != RVMML_OK)
        return status;
    if (!append(s, name, value == NULL ? "" : value))
        return door_fail_memory(err, "settings");
    return RVMML_OK;
}

const char *rvmml_settings_get(const rvmml_settings *s, const char *name)
{
    return look(s, name);
}

rvmml_status rvmml_settings_interrupt(rvmml_settings *s, const volatile int *flag, rvmml_error *err)
{
    if (s == NULL)
        return door_fail_null(err, "settings");
    s->interrupted = flag;
    return RVMML_OK;
}

/* Written so that nan is refused. */
static rvmml_status check_prediction(const door_settings *s, rvmml_error *err)
{
    if (!(s->interval >= 0 && s->interval < 1))
        return door_fail(err, RVMML_ESETTING,
                         "the probability of the interval is %g, not above 0 and below 1",
                         s->interval);
    if (s->interval > 0 && !s->variance)
        return door_fail(err, RVMML_ESETTING, "an interval takes the variance");
    return RVMML_OK;
}

static rvmml_status check(const door_settings *s, const rvmml_data *data, rvmml_error *err)
{
    rvm_error fault = { .line = 0 };
    rvmml_status status = data == NULL ? RVMML_OK : door_data_check(data, &s->train, err);
    if (status != RVMML_OK)
        return status;
    status = check_prediction(s, err);
    if (status != RVMML_OK)
        return status;
    return door_pass(err, rvm_settings_check(&s->train, data == NULL ? NULL : data->p, &fault),
                     &fault);
}

rvmml_status rvmml_settings_check(const rvmml_settings *s, const rvmml_data *data, rvmml_error *err)
{
    door_settings resolved;
    rvmml_status status = door_settings_resolve(&resolved, s, err);
    if (status != RVMML_OK)
        return status;
    status = check(&resolved, data, err);
    door_settings_clear(&resolved);
    return status;
}
