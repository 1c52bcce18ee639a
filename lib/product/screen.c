/* How well a kernel suits a few rows. */
#include "product/screen.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/linalg.h"
#include "base/log_sum.h"
#include "base/parallel.h"
#include "basis/kernel.h"
#include "data/labels.h"
#include "data/order.h"
#include "data/problem.h"
#include "data/shard.h"
#include "search/study.h"

/* tau is a power of this, of an exponent within these. */
static const double noise_step = 4;
enum { LEAST_NOISE = -9, FIRST_NOISE = -2, MOST_NOISE = 4, NOISES = MOST_NOISE - LEAST_NOISE + 1 };

/* Prior variance of a constant, and of the linear kernel, where the kernel's own is 1. */
static const double constant_variance = 10, linear_variance = 1;

/* Bounds of ln kappa. */
static const double least_log_kappa = -3, most_log_kappa = 3;

/* v of targets that the kernel says exactly. */
static const double least_variance = 1e-12;

/* Loss of a row at the most: a class that no other row has is no fault of the kernel. */
static const double most_loss = 20;

struct rvm_screen {
    const rvm_problem *p; /* borrowed */
    size_t N;
    bool classes;
    rvm_labels labels; /* of classes */
    double *weight;    /* owned, N: of each row, 1 the largest */
    size_t targets;
    gsl_matrix *t;          /* owned, targets x N */
    gsl_matrix *K, *C, *R;  /* owned, N x N */
    gsl_matrix *a, *mean;   /* owned, targets x N: R t, and the leave-one-out means */
    double *row, *best_row; /* owned, N: losses */
    int noise;              /* exponent that was best last, where the next search begins */
    bool bias;
    int threads;
};

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Those that may be drawn, of the rows that are here. */
static rvm_status list_rows(size_t *row, size_t *count, const rvm_problem *p, const size_t *order,
                            rvm_task task, rvm_error *err)
{
    bool repeats = false;
    *count = 0;
    const bool all = task == RVM_CLASSIFICATION;
    const rvm_status status = all ? RVM_OK : rvm_shard_repeats(&repeats, p, err);
    for (size_t k = 0; k < p->rows && status == RVM_OK; k++) {
        const size_t n = order == NULL ? k : order[k];
        const bool first = k == 0 && !repeats;
        const size_t before = k == 0 ? n : order == NULL ? k - 1 : order[k - 1];
        if (all || first || (k > 0 && !rvm_order_same(p, before, n)))
            row[(*count)++] = n;
    }
    return status;
}

/* row[0 .. *count) becomes a sample of so many rows of those of all processes. */
static rvm_status draw_rows(size_t *row, size_t *count, const rvm_problem *p, size_t most,
                            gsl_rng *rng, rvm_error *err)
{
    const size_t size = (size_t)rvm_team_size(p->team);
    size_t *offset = rvm_array(size + 1, sizeof *offset), *drawn = NULL, kept = 0;
    if (offset == NULL)
        return rvm_fail_memory(err, "a sample of the rows");
    rvm_team_offsets(offset, p->team, *count);
    const size_t first = offset[rvm_team_rank(p->team)], rows = GSL_MIN(offset[size], most);
    const rvm_status status = rvm_order_sample(&drawn, rows, offset[size], rng, err);
    for (size_t n = 0; n < rows && status == RVM_OK; n++) /* they ascend */
        if (drawn[n] >= first && drawn[n] - first < *count)
            row[kept++] = row[drawn[n] - first];
    *count = kept;
    free(drawn);
    free(offset);
    return status;
}

rvm_status rvm_screen_draw(rvm_problem **out, const rvm_problem *p, const size_t *order,
                           size_t most, rvm_task task, gsl_rng *rng, rvm_error *err)
{
    size_t *row = rvm_array(p->rows, sizeof *row), count = 0;
    if (row == NULL)
        return rvm_fail_memory(err, "a sample of the rows");
    rvm_status status = list_rows(row, &count, p, order, task, err);
    if (status == RVM_OK)
        status = draw_rows(row, &count, p, most, rng, err);
    if (status == RVM_OK)
        status = rvm_shard_gather(out, p, row, count, err);
    if (status == RVM_OK)
        rvm_problem_forget_numbers(*out);
    free(row);
    return status;
}

/* ---- Targets -------------------------------------------------------------------------------- */

static rvm_status observe_classes(rvm_screen *s, const rvm_settings *settings, rvm_error *err)
{
    const rvm_status status = rvm_labels_find(&s->labels, s->p, err);
    if (status != RVM_OK)
        return status;
    s->targets = s->labels.count;
    s->t = gsl_matrix_alloc(s->targets, s->N);
    double *of_class = rvm_array(s->targets, sizeof *of_class);
    if (s->t == NULL || of_class == NULL) {
        free(of_class);
        return rvm_fail_memory(err, "the classes");
    }
    rvm_class_weights(of_class, settings, s->labels.label, s->labels.count);
    for (size_t n = 0; n < s->N; n++) {
        s->weight[n] = of_class[s->labels.of_row[n]];
        for (size_t k = 0; k < s->targets; k++)
            gsl_matrix_set(s->t, k, n, s->labels.of_row[n] == k ? 1 : -1);
    }
    free(of_class);
    return RVM_OK;
}

/* Of mean 0 and variance 1; a constant stays at 0. */
static rvm_status observe_outputs(rvm_screen *s, rvm_error *err)
{
    const rvm_problem *p = s->p;
    s->targets = p->outputs;
    s->t = gsl_matrix_calloc(s->targets, s->N);
    if (s->t == NULL)
        return rvm_fail_memory(err, "the targets");
    for (size_t k = 0; k < s->targets; k++) {
        const double mean = gsl_stats_mean(p->target + k, p->outputs, s->N),
                     sd = gsl_stats_sd_m(p->target + k, p->outputs, s->N, mean);
        for (size_t n = 0; n < s->N && sd > 0 && isfinite(sd); n++)
            gsl_matrix_set(s->t, k, n, (p->target[n * p->outputs + k] - mean) / sd);
    }
    for (size_t n = 0; n < s->N; n++)
        s->weight[n] = 1;
    return RVM_OK;
}

static rvm_status make_room(rvm_screen *s, rvm_error *err)
{
    gsl_matrix **const square[] = { &s->K, &s->C, &s->R };
    bool memory = true;
    for (size_t k = 0; k < sizeof square / sizeof *square; k++) {
        *square[k] = gsl_matrix_alloc(s->N, s->N);
        memory = memory && *square[k] != NULL;
    }
    s->a = gsl_matrix_alloc(s->targets, s->N);
    s->mean = gsl_matrix_alloc(s->targets, s->N);
    s->row = rvm_array(s->N, sizeof *s->row);
    s->best_row = rvm_array(s->N, sizeof *s->best_row);
    if (!memory || s->a == NULL || s->mean == NULL || s->row == NULL || s->best_row == NULL)
        return rvm_fail_memory(err, "a covariance");
    return RVM_OK;
}

rvm_status rvm_screen_alloc(rvm_screen **out, const rvm_problem *p, const rvm_settings *settings,
                            rvm_error *err)
{
    rvm_screen *s = rvm_array(1, sizeof *s);
    if (s == NULL)
        return rvm_fail_memory(err, "the screen");
    s->p = p;
    s->N = p->rows;
    s->classes = settings->task == RVM_CLASSIFICATION;
    s->bias = settings->bias;
    s->threads = rvm_threads(settings->threads);
    s->noise = FIRST_NOISE;
    s->weight = rvm_array(s->N, sizeof *s->weight);
    rvm_status status = s->weight == NULL ? rvm_fail_memory(err, "the screen")
                        : s->classes      ? observe_classes(s, settings, err)
                                          : observe_outputs(s, err);
    if (status == RVM_OK)
        status = make_room(s, err);
    if (status != RVM_OK) {
        rvm_screen_free(s);
        return status;
    }
    *out = s;
    return RVM_OK;
}

void rvm_screen_free(rvm_screen *s)
{
    if (s == NULL)
        return;
    rvm_labels_free(&s->labels);
    gsl_matrix_free(s->t);
    gsl_matrix_free(s->K);
    gsl_matrix_free(s->C);
    gsl_matrix_free(s->R);
    gsl_matrix_free(s->a);
    gsl_matrix_free(s->mean);
    free(s->weight);
    free(s->row);
    free(s->best_row);
    free(s);
}

/* ---- Covariance ----------------------------------------------------------------------------- */

/* Adds `share` times the kernel's values, brought to a mean of 1 on the diagonal. */
static rvm_status add_kernel(rvm_screen *s, const rvm_kernel *kernel, double share, rvm_error *err)
{
    rvm_kernel_rows *rows = rvm_kernel_rows_alloc(s->p, kernel, NULL);
    if (rows == NULL)
        return rvm_fail_memory(err, "the rows");
    const rvm_status status = rvm_kernel_block(s->C, kernel, rows, NULL, rows, 0, err);
    rvm_kernel_rows_free(rows);
    if (status != RVM_OK)
        return status;
    double trace = 0;
    for (size_t n = 0; n < s->N; n++)
        trace += gsl_matrix_get(s->C, n, n) / (double)s->N;
    if (trace > 0 && isfinite(trace))
        gsl_matrix_scale(s->C, share / trace);
    gsl_matrix_add(s->K, s->C);
    return RVM_OK;
}

static rvm_status fill_covariance(rvm_screen *s, const rvm_kernel *kernel, bool linear,
                                  rvm_error *err)
{
    const rvm_kernel beside = { .type = RVM_LINEAR };
    gsl_matrix_set_all(s->K, s->bias ? constant_variance : 0);
    rvm_status status = add_kernel(s, kernel, 1, err);
    if (status == RVM_OK && linear)
        status = add_kernel(s, &beside, linear_variance, err);
    return status;
}

/* ---- Leave one out -------------------------------------------------------------------------- */

/* R, a and the means with that tau; a row of less weight has more noise. False where the covariance
 * is not positive definite. */
static bool leave_one_out(rvm_screen *s, double tau)
{
    gsl_matrix_memcpy(s->C, s->K);
    for (size_t n = 0; n < s->N; n++)
        *gsl_matrix_ptr(s->C, n, n) += tau / s->weight[n];
    if (!rvm_cholesky(s->C, s->threads))
        return false;
    rvm_cholesky_inverse(s->R, s->C);
    rvm_product_nt(s->a, s->t, s->R, s->threads); /* R is symmetric */
    for (size_t k = 0; k < s->targets; k++)
        for (size_t n = 0; n < s->N; n++)
            gsl_matrix_set(s->mean, k, n,
                           gsl_matrix_get(s->t, k, n) -
                               gsl_matrix_get(s->a, k, n) / gsl_matrix_get(s->R, n, n));
    return true;
}

/* Adds the losses of output k: -ln N(t_n; mean_n, v / R_nn); returns minus its log evidence, but for
 * a constant: N/2 ln v + 1/2 ln|K + tau I|. Targets that are all equal say nothing of a kernel, though
 * their density rises with R. */
static double add_output(rvm_screen *s, size_t k)
{
    const gsl_vector_const_view t = gsl_matrix_const_row(s->t, k),
                                a_k = gsl_matrix_const_row(s->a, k);
    double v = 0;
    if (gsl_vector_isnull(&t.vector))
        return 0;
    gsl_blas_ddot(&t.vector, &a_k.vector, &v);
    v = fmax(v / (double)s->N, least_variance);
    for (size_t n = 0; n < s->N; n++) {
        const double R_nn = gsl_matrix_get(s->R, n, n), a = gsl_matrix_get(s->a, k, n);
        s->row[n] += (0.5 * log(2 * M_PI * v / R_nn) + a * a / (2 * v * R_nn)) / (double)s->targets;
    }
    return 0.5 * (double)s->N * log(v) + 0.5 * rvm_cholesky_log_det(s->C);
}

/* -ln P of the class of row n. */
static double class_row(const rvm_screen *s, size_t n, double kappa)
{
    rvm_log_sum sum = rvm_log_sum_empty();
    for (size_t k = 0; k < s->targets; k++)
        rvm_log_sum_add(&sum, kappa * gsl_matrix_get(s->mean, k, n));
    return rvm_log_sum_total(&sum) - kappa * gsl_matrix_get(s->mean, s->labels.of_row[n], n);
}

static double class_loss(double ln_kappa, void *params)
{
    const rvm_screen *s = params;
    double loss = 0;
    for (size_t n = 0; n < s->N; n++)
        loss += s->weight[n] * fmin(class_row(s, n, exp(ln_kappa)), most_loss);
    return loss;
}

/* By Brent's method, from a grid: the loss is convex in kappa. */
static rvm_status fit_kappa(double *kappa, rvm_screen *s, rvm_error *err)
{
    enum { MOST = 12 };
    const double step = 1;
    gsl_function f = { class_loss, s };
    double best = least_log_kappa + step, least = INFINITY;
    for (double x = best; x < most_log_kappa; x += step) {
        const double loss = class_loss(x, s);
        if (loss < least) {
            least = loss;
            best = x;
        }
    }
    gsl_min_fminimizer *solver = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
    if (solver == NULL)
        return rvm_fail_memory(err, "the screen");
    int status = gsl_min_fminimizer_set(solver, &f, best, best - step, best + step);
    for (int k = 0; k < MOST && status == GSL_SUCCESS; k++) {
        status = gsl_min_fminimizer_iterate(solver);
        best = gsl_min_fminimizer_x_minimum(solver);
    }
    gsl_min_fminimizer_free(solver);
    *kappa = exp(best);
    return RVM_OK;
}

static double mean_loss(const rvm_screen *s)
{
    double sum = 0, weights = 0;
    for (size_t n = 0; n < s->N; n++) {
        sum += s->weight[n] * s->row[n];
        weights += s->weight[n];
    }
    return isnan(sum) ? INFINITY : sum / weights;
}

/* The losses with that tau. *cost decides which one: of outputs minus the log evidence, which knows the
 * noise better than the losses do (.034 nats behind the best kernel over 13 sets, for .039). */
static rvm_status judge_noise(double *loss, double *cost, rvm_screen *s, double tau, rvm_error *err)
{
    double kappa = 0;
    *loss = *cost = INFINITY;
    if (!leave_one_out(s, tau))
        return RVM_OK;
    memset(s->row, 0, s->N * sizeof *s->row);
    const rvm_status status = s->classes ? fit_kappa(&kappa, s, err) : RVM_OK;
    if (status != RVM_OK)
        return status;
    for (size_t n = 0; n < s->N && s->classes; n++)
        s->row[n] = fmin(class_row(s, n, kappa), most_loss);
    double minus_evidence = 0;
    for (size_t k = 0; k < s->targets && !s->classes; k++)
        minus_evidence += add_output(s, k);
    *loss = mean_loss(s);
    *cost = s->classes || !isfinite(*loss) ? *loss : minus_evidence;
    return RVM_OK;
}

/* ---- The noise ------------------------------------------------------------------------------ */

/* What is known of each tau. */
typedef struct {
    bool tried[NOISES];
    double least, loss; /* cost, and the loss there */
} descent;

/* Tries an exponent; *better: it is the best so far. */
static rvm_status try_noise(bool *better, rvm_screen *s, descent *d, int exponent, rvm_error *err)
{
    double loss, cost;
    *better = false;
    if (exponent < LEAST_NOISE || exponent > MOST_NOISE || d->tried[exponent - LEAST_NOISE])
        return RVM_OK;
    d->tried[exponent - LEAST_NOISE] = true;
    const rvm_status status = judge_noise(&loss, &cost, s, pow(noise_step, exponent), err);
    if (status != RVM_OK || !(cost < d->least))
        return status;
    *better = true;
    d->least = cost;
    d->loss = loss;
    s->noise = exponent;
    memcpy(s->best_row, s->row, s->N * sizeof *s->row);
    return RVM_OK;
}

/* Downhill from the best tau of the call before, which is near, or from the first one if that is better:
 * where a kernel sees nothing, all is noise, and from there on the way down has a barrier. */
rvm_status rvm_screen_judge(double *loss, rvm_screen *s, const rvm_kernel *kernel, bool linear,
                            rvm_error *err)
{
    descent d = { .least = INFINITY, .loss = INFINITY };
    bool better = true;
    const int start = s->noise;
    *loss = INFINITY;
    rvm_status status = fill_covariance(s, kernel, linear, err);
    if (status == RVM_ENUMERIC)
        return RVM_OK;
    if (status == RVM_OK)
        status = try_noise(&better, s, &d, start, err);
    if (status == RVM_OK)
        status = try_noise(&better, s, &d, FIRST_NOISE, err);
    for (int side = 1; side >= -1 && status == RVM_OK; side -= 2) {
        better = true;
        while (better && status == RVM_OK)
            status = try_noise(&better, s, &d, s->noise + side, err);
    }
    *loss = d.loss;
    return status;
}

const double *rvm_screen_rows(const rvm_screen *s)
{
    return s->best_row;
}

size_t rvm_screen_count(const rvm_screen *s)
{
    return s->N;
}
