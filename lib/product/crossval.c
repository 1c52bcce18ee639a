/* Cross-validation.
 *
 * A fold is a number for each row, drawn once from the seed before anything is trained (folds.c),
 * so folds are the same for any number of threads and on every machine.  Processes that share the
 * rows train one fold after another, all of them together, on their shares of the rows that are not
 * in it; of those that are in it each predicts what it has. */
#include "product/crossval.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "data/labels.h"
#include "data/problem.h"
#include "data/shard.h"
#include "product/folds.h"
#include "product/journal.h"
#include "product/model.h"
#include "product/predict.h"
#include "product/settings.h"

/* What a fold has come to beside its predictions. */
typedef struct {
    size_t vectors;
    bool at_bound; /* its noise was */
} outcome;

struct rvm_crossval {
    const rvm_problem *p;  /* borrowed */
    rvm_settings settings; /* gamma resolved against all rows, not against those of a fold */
    rvm_training *train;
    bool residuals;                 /* predict them */
    size_t folds, wanted, finished; /* of them so many are to be trained, and are */
    int threads, room;              /* in all; folds side by side that there is room for */
    rvm_labels labels;              /* classification */
    size_t *fold;                   /* owned, rows that are here: which fold a row is in */
    outcome *outcome;               /* owned, folds */
    rvm_journal_fold *journal;      /* borrowed, folds: of the settings; NULL: none is kept */
    rvm_prediction out;             /* owned */
};

/* Numbers that a training may take for each pair of its rows, when these are few. */
enum { NUMBERS_A_PAIR = 16 };

static rvm_status validation_init(rvm_crossval *v, const rvm_problem *p, const rvm_settings *s,
                                  size_t folds, rvm_error *err)
{
    v->p = p;
    v->settings = *s;
    v->folds = v->wanted = GSL_MIN(folds, rvm_problem_all(p));
    v->settings.kernel = rvm_settings_kernel(s, p);
    v->fold = rvm_array(p->rows, sizeof *v->fold);
    v->outcome = rvm_array(v->folds, sizeof *v->outcome);
    rvm_status status =
        v->fold == NULL || v->outcome == NULL ? rvm_fail_memory(err, "the folds") : RVM_OK;
    status = rvm_team_agree(p->team, status, err);
    if (status == RVM_OK && s->task == RVM_CLASSIFICATION)
        status = rvm_labels_find(&v->labels, p, err);
    status = rvm_team_agree(p->team, status, err);
    return status == RVM_OK
               ? rvm_folds_draw(v->fold, p, &v->labels, v->folds, v->settings.seed, err)
               : status;
}

/* row[0 .. count): the rows that are here and in fold i (inside), or in all others. */
static size_t list_rows(size_t *row, const rvm_crossval *v, size_t i, bool inside)
{
    size_t count = 0;

    for (size_t r = 0; r < v->p->rows; r++)
        if ((v->fold[r] == i) == inside)
            row[count++] = r;
    return count;
}

/* A line of a part that `row` lists is one of the file. */
static void point_to_file(rvm_error *err, const rvm_crossval *v, const size_t *row)
{
    if (err != NULL && err->line > 0)
        err->line = rvm_problem_number(v->p, row[err->line - 1]) + 1;
}

static bool is_interrupted(const rvm_crossval *v)
{
    return rvm_interrupted(v->settings.interrupted);
}

/* Column of `label` in the class order of all rows. */
static size_t class_position(const rvm_labels *labels, int label)
{
    size_t c = 0;

    while (c + 1 < labels->count && labels->label[c] != label)
        c++;
    return c;
}

/* A part may lack a class or meet its classes in another order; a class that it lacks has
 * probability 0. */
static void copy_classes(rvm_prediction *out, size_t row, const rvm_crossval *v,
                         const rvm_prediction *from, size_t r, const rvm_model_info *m)
{
    double *p = out->probability + row * out->classes;
    double *log_p = out->log_probability + row * out->classes;

    for (size_t c = 0; c < out->classes; c++) {
        p[c] = 0;
        log_p[c] = -INFINITY;
    }
    for (size_t c = 0; c < m->classes; c++) {
        const size_t to = class_position(&v->labels, m->labels[c]);

        p[to] = from->probability[r * m->classes + c];
        log_p[to] = from->log_probability[r * m->classes + c];
    }
}

static void copy_outputs(rvm_prediction *out, size_t row, const rvm_prediction *from, size_t r)
{
    double *const to[] = { out->value, out->variance, out->low, out->high, out->degrees };
    double *const array[] = { from->value, from->variance, from->low, from->high, from->degrees };
    const size_t q = out->outputs;

    for (size_t k = 0; k < sizeof to / sizeof to[0]; k++)
        memcpy(to[k] + row * q, array[k] + r * q, q * sizeof *to[k]);
    out->residual[row] = from->residual[r];
}

/* A fold whose predictions are there. Borrowed. */
typedef struct {
    const rvm_crossval *v;
    size_t i;
} whole_fold;

/* Its rows, and the squared errors of each output. */
static void add_errors(void *context, size_t row, double *sums)
{
    const whole_fold *f = context;
    const size_t q = f->v->p->outputs;
    const double *t = rvm_problem_targets(f->v->p, row), *value = f->v->out.value + row * q;
    if (f->v->fold[row] != f->i)
        return;
    for (size_t k = 0; k < q; k++)
        sums[k] += gsl_pow_2(t[k] - value[k]);
    sums[q]++;
}

/* Whether the noise of an output is next to nothing beside its errors at rows that were left out: that
 * what is noise there was learned by heart. A process of a narrow kernel can do so with the noise away from
 * its bound. */
static rvm_status find_learned_by_heart(bool *so, const rvm_crossval *v, size_t i,
                                        const rvm_model *m, rvm_error *err)
{
    const double next_to_nothing = 0.01;
    const size_t q = v->p->outputs;
    whole_fold f = { v, i };
    double *sums = rvm_array(q + 1, sizeof *sums);
    rvm_status status = sums == NULL ? rvm_fail_memory(err, "a fold") : RVM_OK;
    status = rvm_team_agree(v->p->team, status, err);
    if (status == RVM_OK)
        status = rvm_folds_sum(sums, q + 1, v->p, add_errors, NULL, &f, err);
    *so = false;
    for (size_t k = 0; k < q && status == RVM_OK; k++)
        *so = *so || m->latent[k].noise_variance < next_to_nothing * sums[k] / sums[q];
    free(sums);
    return status;
}

/* Predictions of the rows of fold i that are here, which `row` lists. */
static rvm_status predict_rows(rvm_crossval *v, const size_t *row, size_t count, const rvm_model *m,
                               rvm_error *err)
{
    rvm_problem *held_out = rvm_problem_subset(v->p, row, count);
    if (held_out == NULL)
        return rvm_fail_memory(err, "a fold");

    const rvm_predictor_settings settings = { .variance = true,
                                              .interval = v->settings.task == RVM_REGRESSION
                                                              ? RVM_FOLD_INTERVAL
                                                              : 0,
                                              .residual = v->residuals,
                                              .threads = v->settings.threads };
    const rvm_model_info info = rvm_model_describe(m);
    rvm_prediction of_fold = { 0 };
    const rvm_status status = rvm_predict_by(&of_fold, m, held_out, &settings, err);
    for (size_t r = 0; status == RVM_OK && r < count; r++) {
        copy_outputs(&v->out, row[r], &of_fold, r);
        copy_classes(&v->out, row[r], v, &of_fold, r, &info);
    }
    if (status != RVM_OK)
        point_to_file(err, v, row);
    rvm_prediction_free(&of_fold);
    rvm_problem_free(held_out);
    return status;
}

/* Predictions of all rows of fold i. row: scratch. */
static rvm_status predict_fold(rvm_crossval *v, size_t *row, size_t i, const rvm_model *m,
                               rvm_error *err)
{
    const bool regression = v->settings.task == RVM_REGRESSION;
    const size_t count = list_rows(row, v, i, true);
    rvm_status status = predict_rows(v, row, count, m, err);
    status = rvm_team_agree(v->p->team, status, err);
    if (status == RVM_OK && rvm_model_describe(m).kernel_prior && regression)
        status = find_learned_by_heart(&v->outcome[i].at_bound, v, i, m, err);
    return status;
}

/* ---- Folds that are known ------------------------------------------------------------------- */

/* What tells this cross-validation from others of the same training. */
static uint64_t fingerprint(const rvm_crossval *v)
{
    const rvm_settings *s = &v->settings;
    const double numbers[] = {
        s->kernel.gamma,  s->kernel.coef0, s->tolerance, (double)s->kernel.type,
        s->kernel.degree, (double)s->seed, s->ard,       s->linear,
        s->kernel_prior,  s->restarts,     v->residuals, (double)v->p->rows
    };
    return rvm_hash_bytes(RVM_HASH_START, numbers, sizeof numbers);
}

static rvm_status find_journal(rvm_crossval *v, rvm_error *err)
{
    if (v->settings.journal == NULL || v->p->team != NULL)
        return RVM_OK;
    v->journal = rvm_journal_next(v->settings.journal, fingerprint(v), v->folds);
    return v->journal == NULL ? rvm_fail_memory(err, "the folds") : RVM_OK;
}

/* Arrays of the predictions that are of use, and numbers of a row in each. */
typedef struct {
    double *array[6];
    size_t width[6], count;
} prediction_arrays;

static prediction_arrays arrays_of(const rvm_crossval *v)
{
    const rvm_prediction *out = &v->out;
    const size_t q = out->outputs, C = out->classes;
    if (v->settings.task == RVM_CLASSIFICATION)
        return (prediction_arrays){
            { out->value, out->variance, out->probability, out->log_probability }, { q, q, C, C }, 4
        };
    return (prediction_arrays){ { out->value, out->variance, out->low, out->high, out->degrees,
                                  out->residual },
                                { q, q, q, q, q, 1 },
                                v->residuals ? 6 : 5 };
}

static size_t numbers_of_fold(const rvm_crossval *v, size_t i)
{
    const prediction_arrays a = arrays_of(v);
    size_t rows = 0, width = 0;
    for (size_t r = 0; r < v->p->rows; r++)
        rows += v->fold[r] == i;
    for (size_t k = 0; k < a.count; k++)
        width += a.width[k];
    return rows * width;
}

/* The predictions of fold i into the journal, or from there. */
static void copy_fold(const rvm_crossval *v, size_t i, bool from_journal)
{
    const prediction_arrays a = arrays_of(v);
    double *at = v->journal[i].number;
    for (size_t r = 0; r < v->p->rows; r++)
        for (size_t k = 0; v->fold[r] == i && k < a.count; k++) {
            double *of_row = a.array[k] + r * a.width[k];
            const size_t bytes = a.width[k] * sizeof *at;
            memcpy(from_journal ? of_row : at, from_journal ? at : of_row, bytes);
            at += a.width[k];
        }
}

static bool recall_fold(rvm_crossval *v, size_t i)
{
    const rvm_journal_fold *known = v->journal == NULL ? NULL : &v->journal[i];
    if (known == NULL || !known->known || known->count != numbers_of_fold(v, i))
        return false;
    copy_fold(v, i, true);
    v->outcome[i] = (outcome){ known->vectors, known->at_bound };
    return true;
}

static rvm_status note_fold(rvm_crossval *v, size_t i, rvm_error *err)
{
    const size_t count = v->journal == NULL ? SIZE_MAX : numbers_of_fold(v, i);
    if (count > RVM_JOURNAL_MOST)
        return RVM_OK;
    rvm_journal_fold *known = &v->journal[i];
    if (rvm_journal_room(known, count) == NULL)
        return rvm_fail_memory(err, "the folds");
    copy_fold(v, i, false);
    known->vectors = v->outcome[i].vectors;
    known->at_bound = v->outcome[i].at_bound;
    known->known = true;
    return RVM_OK;
}

/* A model of the rows outside of fold i; NULL after an interrupt. row: scratch. */
static rvm_status train_fold(rvm_model **m, rvm_report *last, const rvm_crossval *v, size_t *row,
                             size_t i, rvm_error *err)
{
    rvm_team *team = v->p->team;
    rvm_problem *rest = NULL;
    const size_t count = list_rows(row, v, i, false);
    rvm_status status = rvm_shard_part(&rest, v->p, row, count, err);
    status = rvm_team_agree(team, status, err);
    if (status == RVM_OK) {
        status = v->train(m, last, rest, &v->settings, err);
        if (status != RVM_OK && team == NULL)
            point_to_file(err, v, row);
        status = rvm_team_agree(team, status, err);
    }
    rvm_problem_free(rest);
    return status;
}

/* Writes the rows of fold i alone, so that several folds may be under way. */
static rvm_status run_fold(rvm_crossval *v, size_t i, rvm_error *err)
{
    rvm_model *m = NULL;
    rvm_report last = { .done = false };
    size_t *row = rvm_array(v->p->rows, sizeof *row);
    rvm_status status = row == NULL ? rvm_fail_memory(err, "a fold") : RVM_OK;

    status = rvm_team_agree(v->p->team, status, err);
    if (status == RVM_OK)
        status = train_fold(&m, &last, v, row, i, err);
    if (status == RVM_OK && m != NULL) {
        v->outcome[i] = (outcome){ rvm_model_describe(m).vectors, last.noise_at_bound };
        status = predict_fold(v, row, i, m, err);
        if (status == RVM_OK)
            status = note_fold(v, i, err);
    }
    rvm_model_free(m);
    free(row);
    return status;
}

/* How many folds there is room for side by side: as many as the budget of one holds; of draws,
 * which fill it and keep all threads busy by themselves, one; of several processes, too, which
 * talk to each other in one order. */
static int find_room(const rvm_crossval *v)
{
    if (v->settings.method == RVM_METHOD_GIBBS || v->p->team != NULL)
        return 1;
    const double rows = (double)v->p->rows;
    const double megabytes = 8.0 * NUMBERS_A_PAIR * rows * rows / 1048576;
    return (int)fmax(1, fmin(v->threads, v->settings.budget_mb / megabytes));
}

static rvm_status fold_piece(void *context, size_t i, int worker, rvm_error *err)
{
    rvm_crossval *v = context;
    (void)worker;
    if (is_interrupted(v) || recall_fold(v, v->finished + i))
        return RVM_OK;
    return run_fold(v, v->finished + i, err);
}

static rvm_status check(const rvm_problem *p, const rvm_settings *s, size_t folds, rvm_error *err)
{
    const rvm_status status = rvm_settings_check(s, p, err);
    if (status != RVM_OK)
        return status;
    if (folds < 2)
        return rvm_fail(err, RVM_ESETTING, "n-fold cross validation: n must >= 2 (it is %zu)",
                        folds);
    if (rvm_problem_all(p) < 2)
        return rvm_fail(err, RVM_ESETTING, "cross-validation needs two rows or more");
    return RVM_OK;
}

static rvm_status prepare(rvm_crossval *v, rvm_error *err)
{
    rvm_status status = rvm_prediction_resize(&v->out, v->p->rows, v->labels.count, v->p->outputs)
                            ? RVM_OK
                            : rvm_fail_memory(err, "predictions");
    v->threads = rvm_threads(v->settings.threads);
    v->room = find_room(v);
    if (status == RVM_OK)
        status = rvm_blas_prepare(v->threads, err);
    return rvm_team_agree(v->p->team, status, err);
}

rvm_status rvm_crossval_alloc(rvm_crossval **out, const rvm_problem *p, const rvm_settings *s,
                              size_t folds, rvm_training *train, bool residuals, rvm_error *err)
{
    rvm_status status = check(p, s, folds, err);
    if (status != RVM_OK)
        return status;
    rvm_crossval *v = rvm_array(1, sizeof *v);
    if (v == NULL)
        return rvm_fail_memory(err, "the folds");
    v->train = train;
    v->residuals = residuals && s->task == RVM_REGRESSION;
    status = validation_init(v, p, s, folds, err);
    if (status == RVM_OK)
        status = prepare(v, err);
    if (status == RVM_OK)
        status = find_journal(v, err);
    if (status != RVM_OK) {
        rvm_crossval_free(v);
        return status;
    }
    *out = v;
    return RVM_OK;
}

/* Where several are under way, each thread trains a fold by itself, which keeps it busy from end to
 * end. */
static rvm_status run_folds(bool *done, rvm_crossval *v, size_t count, rvm_error *err)
{
    const int team = count < (size_t)v->room ? GSL_MAX((int)count, 1) : v->room;
    v->settings.threads = team > 1 ? 1 : v->threads;
    const rvm_status status = rvm_share(count, fold_piece, v, team, err);
    if (status == RVM_OK && !is_interrupted(v))
        v->finished += count;
    *done = v->finished >= v->wanted;
    return status;
}

static size_t folds_left(const rvm_crossval *v)
{
    return v->finished < v->wanted ? v->wanted - v->finished : 0;
}

void rvm_crossval_limit(rvm_crossval *v, size_t folds)
{
    v->wanted = GSL_MIN(folds, v->folds);
}

rvm_status rvm_crossval_step(bool *done, rvm_crossval *v, rvm_error *err)
{
    return run_folds(done, v, GSL_MIN((size_t)v->room, folds_left(v)), err);
}

size_t rvm_crossval_finished(const rvm_crossval *v)
{
    return v->finished;
}

size_t rvm_crossval_folds(const rvm_crossval *v)
{
    return v->wanted;
}

size_t rvm_crossval_fold_of(const rvm_crossval *v, size_t row)
{
    return v->fold[row];
}

double rvm_crossval_vectors(const rvm_crossval *v)
{
    double sum = 0;
    for (size_t i = 0; i < v->finished; i++)
        sum += (double)v->outcome[i].vectors;
    return v->finished > 0 ? sum / (double)v->finished : 0;
}

double rvm_crossval_at_bound(const rvm_crossval *v)
{
    double count = 0;
    for (size_t i = 0; i < v->finished; i++)
        count += v->outcome[i].at_bound;
    return v->finished > 0 ? count / (double)v->finished : 0;
}

const rvm_prediction *rvm_crossval_prediction(const rvm_crossval *v)
{
    return &v->out;
}

void rvm_crossval_free(rvm_crossval *v)
{
    if (v == NULL)
        return;
    rvm_labels_free(&v->labels);
    free(v->fold);
    free(v->outcome);
    rvm_prediction_free(&v->out);
    free(v);
}

rvm_status rvm_crossval_predict(rvm_prediction *out, bool *finished, const rvm_problem *p,
                                const rvm_settings *s, size_t folds, rvm_training *train,
                                bool residuals, rvm_error *err)
{
    rvm_crossval *v = NULL;
    *finished = false;
    rvm_status status = rvm_crossval_alloc(&v, p, s, folds, train, residuals, err);
    if (status == RVM_OK)
        status = run_folds(finished, v, v->folds, err);
    if (status == RVM_OK) {
        rvm_prediction_free(out);
        *out = v->out;
        v->out = (rvm_prediction){ .rows = 0 };
    }
    rvm_crossval_free(v);
    return status;
}
