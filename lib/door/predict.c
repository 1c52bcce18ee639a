/* Prediction from arrays.
 *
 * Rows are taken some thousand at a time, so that memory does not grow with their number; and that
 * memory is kept, so that after the first call nothing is allocated. */
#include <gsl/gsl_math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "door/data.h"
#include "door/error.h"
#include "door/guard.h"
#include "door/model.h"
#include "door/prediction.h"
#include "door/rows.h"
#include "door/settings.h"
#include "product/model.h"

enum { BLOCK = 4096 }; /* rows; threads take some dozens each */

struct rvmml_predictor {
    rvm_predictor *inner; /* owned */
    door_offer offer;
    bool guarded;       /* quantiles of draws are found by GSL */
    bool precomputed;   /* rows are values of a kernel, */
    size_t least;       /* and so many of them at least; 0: of another kernel */
    rvm_problem *rows;  /* owned: those in hand */
    rvm_prediction out; /* owned */
};

/* The rows in hand, which are `first` and on of the caller's. */
static rvmml_status run(const rvmml_prediction *to, rvmml_predictor *p, const rvm_problem *rows,
                        size_t first, rvmml_error *err)
{
    rvm_error fault = { .line = 0 };
    if (p->guarded)
        door_guard_enter();
    const rvm_status status = rvm_predictor_run(&p->out, p->inner, rows, &fault);
    if (p->guarded)
        door_guard_leave();
    if (status != RVM_OK)
        return door_pass_from(err, status, &fault, first);
    door_prediction_copy(to, first, &p->out);
    return RVMML_OK;
}

/* ---- Its life ------------------------------------------------------------------------------- */

/* Predicts one row with a pair for every column, so that all memory is there. Standardised, 0 would be
 * none. */
static rvmml_status warm_up(rvmml_predictor *p, size_t columns, rvmml_error *err)
{
    const double next_to_nothing = 1e-200;
    const rvmml_prediction nowhere = { .size = sizeof nowhere };
    const double none = 0;
    if (!rvm_problem_open(p->rows, 1, columns))
        return door_fail_memory(err, "prediction");
    for (size_t j = 0; j < columns; j++)
        rvm_problem_add(p->rows, (int)j + 1, next_to_nothing);
    rvm_problem_close(p->rows, &none);
    const rvmml_status status = run(&nowhere, p, p->rows, 0, err);
    return status == RVMML_ENUMERIC ? RVMML_OK : status; /* as good a use of memory */
}

static rvmml_status init(rvmml_predictor *p, const rvmml_model *m, const door_settings *s,
                         rvmml_error *err)
{
    const rvm_predictor_settings settings = { .mode = s->mode,
                                              .variance = s->variance,
                                              .interval = s->interval,
                                              .threads = s->train.threads };
    const bool process_of_classes = m->m->task == RVM_CLASSIFICATION && rvm_model_is_process(m->m);
    rvm_error fault = { .line = 0 };
    p->offer = (door_offer){ .task = m->m->task,
                             .variance = s->variance,
                             .interval = s->interval > 0,
                             .mode = s->mode || process_of_classes,
                             .no_variance = process_of_classes };
    p->guarded = m->m->latent->draws > 0 && s->interval > 0;
    p->precomputed = m->m->kernel.type == RVM_PRECOMPUTED;
    p->least = p->precomputed ? m->columns : 0;
    p->rows = rvm_problem_alloc();
    if (p->rows == NULL)
        return door_fail_memory(err, "prediction");
    const rvmml_status status =
        door_pass(err, rvm_predictor_alloc(&p->inner, m->m, &settings, &fault), &fault);
    return status == RVMML_OK ? warm_up(p, m->columns, err) : status;
}

rvmml_status rvmml_predictor_new(rvmml_predictor **out, const rvmml_model *m,
                                 const rvmml_settings *settings, rvmml_error *err)
{
    door_settings s;
    if (out == NULL || m == NULL)
        return door_fail_null(err, out == NULL ? "out" : "model");
    rvmml_status status = door_settings_resolve(&s, settings, err);
    if (status != RVMML_OK)
        return status;
    rvmml_predictor *p = rvm_array(1, sizeof *p);
    if (p == NULL) {
        door_settings_clear(&s);
        return door_fail_memory(err, "prediction");
    }
    door_guard_enter();
    status = init(p, m, &s, err);
    door_guard_leave();
    door_settings_clear(&s);
    if (status != RVMML_OK) {
        rvmml_predictor_free(p);
        return status;
    }
    *out = p;
    return RVMML_OK;
}

void rvmml_predictor_free(rvmml_predictor *p)
{
    if (p == NULL)
        return;
    rvm_predictor_free(p->inner);
    rvm_problem_free(p->rows);
    rvm_prediction_free(&p->out);
    free(p);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static const door_targets no_targets = { .y = NULL, .outputs = 1 };

static rvmml_status check(const rvmml_prediction *to, const rvmml_predictor *p, rvmml_error *err)
{
    if (p == NULL)
        return door_fail_null(err, "predictor");
    return door_prediction_check(to, &p->offer, err);
}

/* What is not there is 0, which no kernel has to be. */
static rvmml_status check_columns(const rvmml_predictor *p, size_t rows, size_t columns,
                                  rvmml_error *err)
{
    if (rows == 0 || columns >= p->least)
        return RVMML_OK;
    return door_fail_at(err, RVMML_EINPUT, 0, RVMML_NONE,
                        "%zu values of the kernel; one for each of %zu training rows is expected",
                        columns, p->least);
}

rvmml_status rvmml_predict_dense(const rvmml_prediction *to, rvmml_predictor *p, const double *x,
                                 size_t rows, size_t columns, ptrdiff_t row_stride,
                                 ptrdiff_t column_stride, rvmml_error *err)
{
    const door_dense a = { x, rows, columns, row_stride, column_stride };
    rvmml_status status = check(to, p, err);
    if (status == RVMML_OK)
        status = door_rows_check_dense(&a, err);
    if (status == RVMML_OK)
        status = check_columns(p, rows, columns, err);
    for (size_t first = 0; first < rows && status == RVMML_OK; first += BLOCK) {
        rvm_problem_clear(p->rows);
        status =
            door_rows_dense(p->rows, &a, &no_targets, first, GSL_MIN(BLOCK, rows - first), err);
        if (status == RVMML_OK)
            status = run(to, p, p->rows, first, err);
    }
    return status;
}

rvmml_status rvmml_predict_csr(const rvmml_prediction *to, rvmml_predictor *p, const int64_t *start,
                               const int32_t *index, const double *value, size_t rows,
                               size_t columns, rvmml_error *err)
{
    const door_csr a = { start, index, value, rows, columns };
    rvmml_status status = check(to, p, err);
    if (status == RVMML_OK)
        status = door_rows_check_csr(&a, err);
    if (status == RVMML_OK)
        status = check_columns(p, rows, columns, err);
    for (size_t first = 0; first < rows && status == RVMML_OK; first += BLOCK) {
        rvm_problem_clear(p->rows);
        status = door_rows_csr(p->rows, &a, &no_targets, first, GSL_MIN(BLOCK, rows - first), err);
        if (status == RVMML_OK)
            status = run(to, p, p->rows, first, err);
    }
    return status;
}

rvmml_status rvmml_predict_data(const rvmml_prediction *to, rvmml_predictor *p,
                                const rvmml_data *data, rvmml_error *err)
{
    rvmml_status status = check(to, p, err);
    if (status != RVMML_OK)
        return status;
    if (data == NULL)
        return door_fail_null(err, "data");
    if (data->is_matrix && !p->precomputed)
        return door_fail(err, RVMML_EINPUT, "the data are values of a kernel, not features");
    status = check_columns(p, data->p->rows, data->columns, err);
    return status == RVMML_OK ? run(to, p, data->p, 0, err) : status;
}

rvmml_status rvmml_predict_one(const rvmml_prediction *to, rvmml_predictor *p, const double *x,
                               size_t columns, rvmml_error *err)
{
    return rvmml_predict_dense(to, p, x, 1, columns, (ptrdiff_t)columns, 1, err);
}
