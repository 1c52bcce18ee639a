/* Training, whole or in steps. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "door/data.h"
#include "door/error.h"
#include "door/guard.h"
#include "door/model.h"
#include "door/settings.h"

struct rvmml_trainer {
    rvm_trainer *inner;     /* owned */
    door_settings settings; /* owned; the trainer inside borrows the weights of classes */
    bool has_begun;         /* a step was taken */
    bool interrupted;       /* and one was cut short, whatever the flag says since */
};

/* To be cleared after success. */
static rvmml_status prepare(door_settings *out, const rvmml_data *data,
                            const rvmml_settings *settings, rvmml_error *err)
{
    rvmml_status status = door_settings_resolve(out, settings, err);
    if (status != RVMML_OK)
        return status;
    status = door_data_check(data, &out->train, err);
    if (status != RVMML_OK)
        door_settings_clear(out);
    return status;
}

rvmml_status rvmml_train(rvmml_model **out, const rvmml_data *data, const rvmml_settings *settings,
                         rvmml_error *err)
{
    door_settings s;
    rvm_error fault = { .line = 0 };
    rvm_model *m = NULL;
    if (out == NULL || data == NULL)
        return door_fail_null(err, out == NULL ? "out" : "data");
    rvmml_status status = prepare(&s, data, settings, err);
    if (status != RVMML_OK)
        return status;
    door_guard_enter();
    status = door_pass(err, rvm_train(&m, data->p, &s.train, &fault), &fault);
    door_guard_leave();
    door_settings_clear(&s);
    return status == RVMML_OK ? door_model_wrap(out, m, err) : status;
}

rvmml_status rvmml_trainer_new(rvmml_trainer **out, const rvmml_data *data,
                               const rvmml_settings *settings, rvmml_error *err)
{
    rvm_error fault = { .line = 0 };
    if (out == NULL || data == NULL)
        return door_fail_null(err, out == NULL ? "out" : "data");
    rvmml_trainer *t = rvm_array(1, sizeof *t);
    if (t == NULL)
        return door_fail_memory(err, "the trainer");
    rvmml_status status = prepare(&t->settings, data, settings, err);
    if (status != RVMML_OK) {
        free(t);
        return status;
    }
    door_guard_enter();
    status =
        door_pass(err, rvm_trainer_alloc(&t->inner, data->p, &t->settings.train, &fault), &fault);
    door_guard_leave();
    if (status != RVMML_OK) {
        rvmml_trainer_free(t);
        return status;
    }
    *out = t;
    return RVMML_OK;
}

rvmml_status rvmml_trainer_step(int *done, rvmml_trainer *t, rvmml_error *err)
{
    rvm_error fault = { .line = 0 };
    rvm_report report = { .done = false };
    if (done == NULL || t == NULL)
        return door_fail_null(err, done == NULL ? "done" : "trainer");
    if (t->interrupted) {
        *done = 1;
        return RVMML_OK;
    }
    door_guard_enter();
    const rvmml_status status = door_pass(err, rvm_trainer_step(&report, t->inner, &fault), &fault);
    door_guard_leave();
    if (status != RVMML_OK)
        return status;
    t->has_begun = true;
    t->interrupted = !report.done && rvm_interrupted(t->settings.train.interrupted);
    *done = report.done || t->interrupted;
    return RVMML_OK;
}

static rvm_report report(const rvmml_trainer *t)
{
    if (!t->has_begun)
        return (rvm_report){ .done = false };
    return rvm_trainer_report(t->inner);
}

const char *rvmml_trainer_stage(const rvmml_trainer *t)
{
    switch (report(t).stage) {
    case RVM_TUNE:
        break;
    case RVM_WIDTHS:
        return "widths";
    case RVM_SEARCH:
        return "search";
    case RVM_POINTS:
        return "points";
    case RVM_SAMPLE:
        return "sample";
    case RVM_CALIBRATE:
        return "calibrate";
    }
    return "tune";
}

double rvmml_trainer_progress(const rvmml_trainer *t)
{
    return report(t).progress;
}

double rvmml_trainer_log_evidence(const rvmml_trainer *t)
{
    return report(t).log_evidence;
}

size_t rvmml_trainer_functions(const rvmml_trainer *t)
{
    return report(t).functions;
}

rvmml_status rvmml_trainer_model(rvmml_model **out, const rvmml_trainer *t, rvmml_error *err)
{
    rvm_error fault = { .line = 0 };
    rvm_model *m = NULL;
    if (out == NULL || t == NULL)
        return door_fail_null(err, out == NULL ? "out" : "trainer");
    if (!t->has_begun)
        return door_fail(err, RVMML_EARGUMENT, "there is no model before the first step");
    door_guard_enter();
    const rvmml_status status = door_pass(err, rvm_trainer_model(&m, t->inner, &fault), &fault);
    door_guard_leave();
    return status == RVMML_OK ? door_model_wrap(out, m, err) : status;
}

void rvmml_trainer_free(rvmml_trainer *t)
{
    if (t == NULL)
        return;
    rvm_trainer_free(t->inner);
    door_settings_clear(&t->settings);
    free(t);
}
