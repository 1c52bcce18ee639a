/* Predictions on their way into the arrays of a caller. */
#include "door/prediction.h"

#include <string.h>

#include "door/error.h"

/* Fields that a later header has behind those of this one are to be NULL here. */
static rvmml_status check_size(const rvmml_prediction *to, rvmml_error *err)
{
    if (to == NULL)
        return door_fail_null(err, "where predictions go");
    if (to->size < sizeof *to)
        return door_fail(err, RVMML_EARGUMENT,
                         "the size of the prediction is %zu; sizeof(rvmml_prediction) is expected",
                         to->size);
    const char *byte = (const char *)to;
    for (size_t k = sizeof *to; k < to->size; k++)
        if (byte[k] != 0)
            return door_fail(err, RVMML_EARGUMENT,
                             "something is wanted that this library does not know");
    return RVMML_OK;
}

rvmml_status door_prediction_check(const rvmml_prediction *to, const door_offer *offer,
                                   rvmml_error *err)
{
    const rvmml_status status = check_size(to, err);
    if (status != RVMML_OK)
        return status;
    const bool regression = offer->task == RVM_REGRESSION;
    const bool interval = to->low != NULL || to->high != NULL;
    const bool probability = to->probability != NULL || to->log_probability != NULL;
    if (probability && regression)
        return door_fail(err, RVMML_ENONE, "a regression has no probabilities of classes");
    if (interval && !regression)
        return door_fail(err, RVMML_ENONE, "classes have no intervals");
    if (to->variance != NULL && offer->no_variance)
        return door_fail(err, RVMML_ENONE, "these classes have no variance");
    if (to->variance != NULL && !offer->variance)
        return door_fail(err, RVMML_ESETTING, "variances take the setting variance=1");
    if (interval && !offer->interval)
        return door_fail(err, RVMML_ESETTING, "the settings have no interval");
    if (probability && !offer->variance && !offer->mode)
        return door_fail(err, RVMML_ESETTING, "probabilities take variance=1 or mode=1");
    return RVMML_OK;
}

static void copy(double *to, const double *from, size_t first, size_t rows, size_t width)
{
    if (to != NULL && rows > 0)
        memcpy(to + first * width, from, rows * width * sizeof *to);
}

void door_prediction_copy(const rvmml_prediction *to, size_t first, const rvm_prediction *p)
{
    copy(to->value, p->value, first, p->rows, p->outputs);
    copy(to->variance, p->variance, first, p->rows, p->outputs);
    copy(to->low, p->low, first, p->rows, p->outputs);
    copy(to->high, p->high, first, p->rows, p->outputs);
    copy(to->probability, p->probability, first, p->rows, p->classes);
    copy(to->log_probability, p->log_probability, first, p->rows, p->classes);
}
