/* Cross-validation.
 *
 * A fold is a number for each row, drawn once from the seed before anything is trained, so folds
 * are the same for any number of threads and on every machine.  As in libsvm, classification with
 * fewer folds than rows shuffles each class by itself and gives fold i the part
 * [i n / folds, (i + 1) n / folds) of it; otherwise one shuffle of all rows is cut that way.  The
 * rows of classes with fewer rows than folds go to the folds in turn instead: those parts would put
 * every single row into the last fold, which then leaves nothing to train on. */
#include "product/crossval.h"

#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "data/labels.h"
#include "data/order.h"
#include "data/problem.h"
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
    size_t *fold;                   /* owned, rows: which fold a row is in */
    size_t turn;                    /* fold of the next row of a small class */
    outcome *outcome;               /* owned, folds */
    rvm_journal_fold *journal;      /* borrowed, folds: of the settings; NULL: none is kept */
    rvm_prediction out;             /* owned */
};

/* Numbers that a training may take for each pair of its rows, when these are few. */
enum { NUMBERS_A_PAIR = 16 };

/* Shuffles the rows listed in `row` and deals them out in contiguous parts, few of them in turn. */
static void deal(rvm_crossval *v, size_t *row, size_t count, gsl_rng *rng)
{
    gsl_ran_shuffle(rng, row, count, sizeof *row);
    for (size_t k = 0; k < count && count < v->folds; k++)
        v->fold[row[k]] = v->turn++ % v->folds;
    for (size_t i = 0; i < v->folds && count >= v->folds; i++)
        for (size_t k = i * count / v->folds; k < (i + 1) * count / v->folds; k++)
            v->fold[row[k]] = i;
}

/* leader[i]: the first one of the rows that are the same as row i, targets and all.
 * Returns how many leaders there are. */
static size_t find_leaders(size_t *leader, const rvm_problem *p, const size_t *order)
{
    size_t count = 0;
    for (size_t k = 0; k < p->rows; k++) {
        const size_t i = order[k], before = k > 0 ? order[k - 1] : i;
        const bool same = k > 0 && rvm_order_copy(p, before, i);
        leader[i] = same ? leader[before] : i;
        count += !same;
    }
    return count;
}

/* Rows of a regression that are there more than once are left out together: with a copy in training a
 * row is not left out. Where most rows are copies that is how such data are, of few values each, and
 * rows to come will be copies too. */
static rvm_status choose_leaders(size_t *leader, const rvm_crossval *v, rvm_error *err)
{
    const rvm_problem *p = v->p;
    size_t *order = NULL, count = p->rows;
    if (v->settings.task == RVM_REGRESSION) {
        const rvm_status status = rvm_order_rows(&order, p, err);
        if (status != RVM_OK)
            return status;
        count = find_leaders(leader, p, order);
        free(order);
    }
    if (v->settings.task != RVM_REGRESSION || count <= p->rows / 2 || count < v->folds)
        for (size_t i = 0; i < p->rows; i++)
            leader[i] = i;
    return RVM_OK;
}

static rvm_status draw_folds(rvm_crossval *v, rvm_error *err)
{
    const size_t N = v->p->rows;
    const bool by_class = v->settings.task == RVM_CLASSIFICATION && v->folds < N;
    const size_t groups = by_class ? v->labels.count : 1;
    size_t *row = rvm_array(N, sizeof *row), *leader = rvm_array(N, sizeof *leader);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    rvm_status status = rng == NULL || row == NULL || leader == NULL
                            ? rvm_fail_memory(err, "the folds")
                            : choose_leaders(leader, v, err);
    if (status == RVM_OK)
        gsl_rng_set(rng, v->settings.seed);
    for (size_t g = 0; status == RVM_OK && g < groups; g++) {
        size_t count = 0;

        for (size_t i = 0; i < N; i++)
            if (leader[i] == i && (!by_class || v->labels.of_row[i] == g))
                row[count++] = i;
        deal(v, row, count, rng);
    }
    for (size_t i = 0; status == RVM_OK && i < N; i++)
        v->fold[i] = v->fold[leader[i]];
    gsl_rng_free(rng);
    free(leader);
    free(row);
    return status;
}

static rvm_status validation_init(rvm_crossval *v, const rvm_problem *p, const rvm_settings *s,
                                  size_t folds, rvm_error *err)
{
    v->p = p;
    v->settings = *s;
    v->folds = v->wanted = GSL_MIN(folds, p->rows);
    v->settings.kernel = rvm_settings_kernel(s, p);
    v->fold = rvm_array(p->rows, sizeof *v->fold);
    v->outcome = rvm_array(v->folds, sizeof *v->outcome);
    if (v->fold == NULL || v->outcome == NULL)
        return rvm_fail_memory(err, "the folds");
    if (s->task == RVM_CLASSIFICATION) {
        const rvm_status status = rvm_labels_find(&v->labels, p, err);
        if (status != RVM_OK)
            return status;
    }
    return draw_folds(v, err);
}

/* The rows in fold i (inside) or in all others, in file order; NULL without memory.
 * `row` lists them afterwards. */
static rvm_problem *part(const rvm_crossval *v, size_t *row, size_t i, bool inside)
{
    size_t count = 0;

    for (size_t r = 0; r < v->p->rows; r++)
        if ((v->fold[r] == i) == inside)
            row[count++] = r;
    return rvm_problem_subset(v->p, row, count);
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

/* Whether the noise of an output is next to nothing beside its errors at rows that were left out: that
 * what is noise there was learned by heart. A process of a narrow kernel can do so with the noise away from
 * its bound. */
static bool learns_by_heart(const rvm_model *m, const rvm_problem *held_out,
                            const rvm_prediction *of_fold)
{
    const double next_to_nothing = 0.01;
    const size_t q = held_out->outputs;
    for (size_t k = 0; k < q; k++) {
        double squares = 0;
        for (size_t n = 0; n < held_out->rows; n++)
            squares += gsl_pow_2(held_out->target[n * q + k] - of_fold->value[n * q + k]);
        if (m->latent[k].noise_variance < next_to_nothing * squares / (double)held_out->rows)
            return true;
    }
    return false;
}

/* Predictions of the rows of fold i. */
static rvm_status predict_fold(rvm_crossval *v, size_t *row, size_t i, const rvm_model *m,
                               rvm_error *err)
{
    rvm_problem *held_out = part(v, row, i, true);
    if (held_out == NULL)
        return rvm_fail_memory(err, "a fold");

    const bool regression = v->settings.task == RVM_REGRESSION;
    const rvm_predictor_settings settings = { .variance = true,
                                              .interval = regression ? RVM_FOLD_INTERVAL : 0,
                                              .residual = v->residuals,
                                              .threads = v->settings.threads };
    const rvm_model_info info = rvm_model_describe(m);
    rvm_prediction *out = &v->out, of_fold = { 0 };
    const rvm_status status = rvm_predict_by(&of_fold, m, held_out, &settings, err);
    for (size_t r = 0; status == RVM_OK && r < held_out->rows; r++) {
        copy_outputs(out, row[r], &of_fold, r);
        copy_classes(out, row[r], v, &of_fold, r, &info);
    }
    if (status == RVM_OK && info.kernel_prior && regression)
        v->outcome[i].at_bound = learns_by_heart(m, held_out, &of_fold);
    rvm_prediction_free(&of_fold);
    rvm_problem_free(held_out);
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

/* Writes the rows of fold i alone, so that several folds may be under way. */
static rvm_status run_fold(rvm_crossval *v, size_t i, rvm_error *err)
{
    rvm_model *m = NULL;
    rvm_report last = { .done = false };
    size_t *row = rvm_array(v->p->rows, sizeof *row);
    rvm_problem *rest = row == NULL ? NULL : part(v, row, i, false);
    rvm_status status = RVM_OK;

    if (rest == NULL)
        status = rvm_fail_memory(err, "a fold");
    if (status == RVM_OK)
        status = v->train(&m, &last, rest, &v->settings, err);
    if (status == RVM_OK && m != NULL) {
        v->outcome[i] = (outcome){ rvm_model_describe(m).vectors, last.noise_at_bound };
        status = predict_fold(v, row, i, m, err);
        if (status == RVM_OK)
            status = note_fold(v, i, err);
    }
    if (status != RVM_OK && rest != NULL && err != NULL && err->line > 0)
        err->line = row[err->line - 1] + 1; /* of the part that `row` lists */
    rvm_model_free(m);
    rvm_problem_free(rest);
    free(row);
    return status;
}

/* How many folds there is room for side by side: as many as the budget of one holds; of draws,
 * which fill it and keep all threads busy by themselves, one. */
static int find_room(const rvm_crossval *v)
{
    if (v->settings.method == RVM_METHOD_GIBBS)
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
    if (p->rows < 2)
        return rvm_fail(err, RVM_ESETTING, "cross-validation needs two rows or more");
    return RVM_OK;
}

static rvm_status prepare(rvm_crossval *v, rvm_error *err)
{
    if (!rvm_prediction_resize(&v->out, v->p->rows, v->labels.count, v->p->outputs))
        return rvm_fail_memory(err, "predictions");
    v->threads = rvm_threads(v->settings.threads);
    v->room = find_room(v);
    return rvm_blas_prepare(v->threads, err);
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
