/* Cross-validation. */
#include "door/data.h"
#include "door/error.h"
#include "door/guard.h"
#include "door/prediction.h"
#include "door/settings.h"

static rvmml_status validate(const rvmml_prediction *to, const rvmml_data *data,
                             const door_settings *s, size_t folds, rvmml_error *err)
{
    rvm_error fault = { .line = 0 };
    rvm_prediction out = { 0 };
    bool finished = false;
    door_guard_enter();
    rvmml_status status = door_pass(
        err, rvm_cross_validate(&out, &finished, data->p, &s->train, folds, &fault), &fault);
    door_guard_leave();
    if (status == RVMML_OK && !finished)
        status = door_fail(err, RVMML_EINTERRUPT, "interrupted");
    if (status == RVMML_OK)
        door_prediction_copy(to, 0, &out);
    rvm_prediction_free(&out);
    return status;
}

rvmml_status rvmml_cross_validate(const rvmml_prediction *to, const rvmml_data *data,
                                  const rvmml_settings *settings, size_t folds, rvmml_error *err)
{
    door_settings s;
    if (data == NULL)
        return door_fail_null(err, "data");
    if (folds < 2)
        return door_fail(err, RVMML_EARGUMENT, "%zu folds; 2 or more are needed", folds);
    rvmml_status status = door_settings_resolve(&s, settings, err);
    if (status != RVMML_OK)
        return status;
    const door_offer offer = { .task = s.train.task,
                               .variance = true,
                               .interval = true,
                               .mode = true,
                               .no_variance = s.train.task == RVM_CLASSIFICATION };
    status = door_prediction_check(to, &offer, err);
    if (status == RVMML_OK)
        status = door_data_check(data, &s.train, err);
    if (status == RVMML_OK)
        status = validate(to, data, &s, folds, err);
    door_settings_clear(&s);
    return status;
}
