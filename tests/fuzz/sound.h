/* What the fuzz targets ask of predictions, and how they cut their bytes. */
#ifndef RVM_FUZZ_SOUND_H
#define RVM_FUZZ_SOUND_H

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rvm.h"

/* An error says what it is about. */
static inline void check_error(const rvm_error *err, rvm_status status)
{
    assert(err->status == status && err->message[0] != '\0');
}

/* The part of the text before the line `rows`, and *rest, the part behind it; all of it and NULL
 * where there is no such line. Returns the length. */
static inline size_t cut_at_rows(const uint8_t **rest, size_t *rest_size, const uint8_t *data,
                                 size_t size)
{
    static const char line[] = "\nrows\n";
    const size_t length = sizeof line - 1;

    for (size_t at = 0; at + length <= size; at++)
        if (memcmp(data + at, line, length) == 0) {
            *rest = data + at + length;
            *rest_size = size - at - length;
            return at + 1;
        }
    *rest = NULL;
    *rest_size = 0;
    return size;
}

/* fmemopen refuses no bytes at all. */
static inline FILE *open_bytes(const void *bytes, size_t size)
{
    FILE *const in = size > 0 ? fmemopen((void *)bytes, size, "r") : fopen("/dev/null", "r");

    assert(in != NULL);
    return in;
}

static inline void check_probabilities(const double *p, const double *log_p, size_t classes)
{
    double sum = 0;

    for (size_t c = 0; c < classes; c++) {
        assert(p[c] >= 0 && p[c] <= 1 && isfinite(log_p[c]) && log_p[c] <= 0);
        sum += p[c];
    }
    assert(fabs(sum - 1) < 1e-9);
}

/* As the settings that it was made by asked for. */
static inline void check_prediction(const rvm_prediction *p, const rvm_predictor_settings *s)
{
    for (size_t i = 0; i < p->rows * p->outputs; i++) {
        assert(isfinite(p->value[i]));
        assert(!s->variance || (isfinite(p->variance[i]) && p->variance[i] >= 0));
        if (p->classes == 0 && s->variance && s->interval > 0)
            assert(p->low[i] <= p->high[i] && isfinite(p->low[i]) && isfinite(p->high[i]));
    }
    for (size_t i = 0; (s->variance || s->mode) && p->classes > 0 && i < p->rows; i++)
        check_probabilities(p->probability + i * p->classes, p->log_probability + i * p->classes,
                            p->classes);
}

static inline void check_scores(const rvm_model_info *info, const rvm_prediction *p,
                                const rvm_problem *rows)
{
    for (size_t k = 0; k < p->outputs; k++) {
        rvm_score score = { 0 };
        if (info->task == RVM_CLASSIFICATION)
            rvm_score_add(&score, info, p, rows);
        else
            rvm_score_add_output(&score, p, rows, k);
        assert(isfinite(score.nlpd) && isfinite(score.log_loss) &&
               isfinite(rvm_score_mean_squared_error(&score)) &&
               !isinf(rvm_score_squared_correlation(&score)));
    }
}

/* All rows are of the last class; NULL where the model has nothing to compare that with. */
static inline double *last_class(const rvm_model_info *info)
{
    double *share = info->class_rows == NULL ? NULL : calloc(info->classes, sizeof *share);

    if (share != NULL)
        share[info->classes - 1] = 1;
    return share;
}

/* Rows by a model: an error with the place of a row, or sound numbers. */
static inline void check_rows(const rvm_model *m, const rvm_problem *rows, bool mode)
{
    const rvm_model_info info = rvm_model_describe(m);
    double *share = mode ? last_class(&info) : NULL;
    const rvm_predictor_settings s = { .mode = mode && info.task == RVM_CLASSIFICATION,
                                       .variance = true,
                                       .interval = info.task == RVM_REGRESSION ? 0.9 : 0,
                                       .prevalence = share,
                                       .threads = 1 };
    rvm_prediction out = { 0 };
    rvm_predictor *pr = NULL;
    rvm_error err = { 0 };
    rvm_status status = rvm_predictor_alloc(&pr, m, &s, &err);

    if (status == RVM_OK)
        status = rvm_predictor_run(&out, pr, rows, &err);
    if (status != RVM_OK) {
        check_error(&err, status);
        assert(status == RVM_ENOMEM || (err.line > 0 && err.line <= rvm_problem_rows(rows)));
    } else {
        check_prediction(&out, &s);
        if (rvm_problem_outputs(rows) == out.outputs)
            check_scores(&info, &out, rows);
    }
    rvm_predictor_free(pr);
    rvm_prediction_free(&out);
    free(share);
}

#endif
