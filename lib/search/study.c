/* What training looks at: rows in canonical order, targets free of units, candidates. */
#include "search/study.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/order.h"
#include "data/problem.h"
#include "data/shard.h"
#include "search/sweep.h"

/* The noise is not believed below this share of the variance of the targets: beyond it beta runs
 * away on targets that are free of noise, and nothing is left of the digits of S and Q. */
static const double least_noise_share = 1e-11;

/* Widest prior of a weight of a function of unit norm, against the targets' sum of squares. */
static const double most_prior_variance = 1e12;

/* Beside rows of weight 1, less than this is nothing, and would leave the range of numbers. */
static const double least_row_weight = DBL_EPSILON;

/* Target k of a row. */
static double target(const rvm_problem *p, size_t row, size_t k)
{
    return rvm_problem_targets(p, row)[k];
}

/* Sums over rows of (t - offset) / unit, and of its square. */
typedef struct {
    const rvm_problem *p;
    size_t output;
    double offset, unit;
    double sum, squares;
} target_sums;

static rvm_status add_targets(void *context, size_t first, size_t rows, double *sums, int worker,
                              rvm_error *err)
{
    const target_sums *s = context;
    (void)worker, (void)err;
    for (size_t i = first; i < first + rows; i++) {
        const double r = (target(s->p, i, s->output) - s->offset) / s->unit;
        sums[0] += r;
        sums[1] += r * r;
    }
    return RVM_OK;
}

static rvm_status sum_targets(target_sums *s, rvm_error *err)
{
    const rvm_spans spans = rvm_problem_spans(s->p);
    double sums[2];
    const rvm_status status = rvm_spans_fold(sums, 2, &spans, add_targets, NULL, s, 1, err);
    s->sum = sums[0];
    s->squares = sums[1];
    return status;
}

static rvm_status find_mean(double *mean, const rvm_problem *p, size_t k, rvm_error *err)
{
    target_sums s = { .p = p, .output = k, .unit = (double)rvm_problem_all(p) };
    rvm_status status = sum_targets(&s, err);
    s.offset = s.sum;
    if (status == RVM_OK) /* once more, for what rounding has left */
        status = sum_targets(&s, err);
    *mean = s.offset + s.sum;
    return status;
}

/* Sets t_scale; a target without variation gets the rounding of its size, so that the noise of the
 * model is finite and above 0. A single row says nothing of the noise, which may be all of it. Sums
 * are of numbers divided by the largest: squares of 1e200 would not be finite. */
static rvm_status find_scale(rvm_target *to, const rvm_problem *p, size_t k, rvm_error *err)
{
    const size_t rows = rvm_problem_all(p);
    double largest = 0, size = 0;
    for (size_t i = 0; i < p->rows; i++) {
        largest = fmax(largest, fabs(target(p, i, k) - to->t_mean));
        size = fmax(size, fabs(target(p, i, k)));
    }
    largest = rvm_team_max(p->team, largest);
    size = rvm_team_max(p->team, size);
    to->is_constant = largest <= 8 * DBL_EPSILON * size;
    if (to->is_constant) {
        to->t_scale = fmax(size, 1e-100) * (rows == 1 ? 1 : DBL_EPSILON);
        if (rows == 1 && size == 0)
            to->t_scale = 1;
        return RVM_OK;
    }
    target_sums s = { .p = p, .output = k, .offset = to->t_mean, .unit = largest };
    const rvm_status status = sum_targets(&s, err);
    to->t_scale = largest * sqrt(s.squares / (double)rows);
    return status;
}

/* ---- Sums of what is observed ----------------------------------------------------------------- */

static rvm_status add_squares(void *context, size_t first, size_t rows, double *sums, int worker,
                              rvm_error *err)
{
    const rvm_observed *o = context;
    (void)worker, (void)err;
    for (size_t n = first; n < first + rows; n++) {
        sums[0] += o->t[n] * o->t[n];
        sums[1] += o->row_weight == NULL ? 1 : o->row_weight[n];
    }
    return RVM_OK;
}

/* t't, and the sum of the weights. */
static rvm_status sum_squares(rvm_observed *o, rvm_error *err)
{
    double sums[2];
    const rvm_status status = rvm_spans_fold(sums, 2, &o->spans, add_squares, NULL, o, 1, err);
    o->t_squared = sums[0];
    o->weight = sums[1];
    return status;
}

/* In the units of the target; what several outputs share is in units that they have in common. */
static void observe_priors(rvm_target *to, const rvm_problem *p, const rvm_settings *s)
{
    const double unit = -2 * log(to->t_scale);
    const bool several = p->outputs > 1;
    to->observed.weight_prior = rvm_prior_make(&s->weight_prior, several ? 0 : unit);
    to->observed.noise_prior =
        rvm_prior_make(&s->noise_prior, several && s->shared_noise ? 0 : unit);
}

static rvm_status observe_output(rvm_target *to, const rvm_problem *p, const rvm_settings *s,
                                 size_t k, rvm_error *err)
{
    rvm_observed *o = &to->observed;
    to->t_mean = 0;
    rvm_status status = s->bias ? find_mean(&to->t_mean, p, k, err) : RVM_OK;
    if (status == RVM_OK)
        status = find_scale(to, p, k, err);
    for (size_t i = 0; i < p->rows; i++)
        o->t[i] = to->is_constant ? 0 : (target(p, i, k) - to->t_mean) / to->t_scale;
    o->likelihood = &rvm_gaussian;
    observe_priors(to, p, s);
    o->ln_beta_max = -log(least_noise_share);
    if (s->noise_variance > 0) {
        o->noise_fixed = true;
        o->ln_beta = 2 * log(to->t_scale) - log(s->noise_variance);
        o->ln_beta_max = fmax(o->ln_beta_max, o->ln_beta);
    }
    /* The bias stays in the model, with a prior at least as wide as the targets. */
    o->bias_ln_alpha_max = s->bias ? -log((double)rvm_problem_all(p)) : INFINITY;
    return status;
}

double rvm_class_weight_of(const rvm_settings *s, int label)
{
    double weight = 1;
    for (size_t k = 0; k < s->class_weight_count; k++)
        if (s->class_weights[k].label == label)
            weight *= s->class_weights[k].weight;
    return weight;
}

static double weight_beside(double weight, double largest)
{
    return fmax(weight / largest, least_row_weight);
}

void rvm_class_weights(double *weight, const rvm_settings *s, const int *label, size_t count)
{
    double largest = 0;
    for (size_t c = 0; c < count; c++) {
        weight[c] = rvm_class_weight_of(s, label[c]);
        largest = fmax(largest, weight[c]);
    }
    for (size_t c = 0; c < count; c++)
        weight[c] = weight_beside(weight[c], largest);
}

/* What weights say is which errors cost more, not that there are more rows than there are: rows
 * that counted several times would raise the evidence, and buy functions (on 500 rows, a tenth of
 * them of a class of weight 10, 57 in the place of 3, which find fewer of that class). So the
 * largest weight is 1, and equal ones are none (Elkan 2001: only ratios of costs matter). */
static rvm_status weigh_rows(rvm_observed *o, const rvm_problem *p, const rvm_settings *s,
                             rvm_error *err)
{
    double least = INFINITY, largest = 0;
    o->row_weight = rvm_array(o->N, sizeof *o->row_weight);
    if (o->row_weight == NULL)
        return rvm_fail_memory(err, "the weights of the rows");
    for (size_t n = 0; n < o->N; n++) {
        o->row_weight[n] = rvm_class_weight_of(s, (int)p->target[n]); /* finite and above 0 */
        least = fmin(least, o->row_weight[n]);
        largest = fmax(largest, o->row_weight[n]);
    }
    least = rvm_team_min(p->team, least);
    largest = rvm_team_max(p->team, largest);
    if (least == largest) {
        free(o->row_weight);
        o->row_weight = NULL;
    }
    for (size_t n = 0; n < o->N && o->row_weight != NULL; n++)
        o->row_weight[n] = weight_beside(o->row_weight[n], largest);
    return RVM_OK;
}

static rvm_status observe_classes(rvm_observed *o, const rvm_problem *p, const rvm_settings *s,
                                  int first_label, rvm_error *err)
{
    o->likelihood = &rvm_bernoulli;
    o->weight_prior = rvm_prior_make(&s->weight_prior, 0);
    o->bias_ln_alpha_max = INFINITY;
    for (size_t i = 0; i < p->rows; i++)
        o->t[i] = (int)p->target[i] == first_label;
    return s->class_weight_count == 0 ? RVM_OK : weigh_rows(o, p, s, err);
}

/* Looks at target k: what y sees of it is a copy. */
static void look_at(rvm_study *y, size_t k)
{
    const rvm_target *target = &y->target[k];
    y->observed = target->observed;
    y->t_mean = target->t_mean;
    y->t_scale = target->t_scale;
    y->constant_target = target->is_constant;
}

static rvm_status observe_targets(rvm_study *y, const rvm_settings *s, int first_label,
                                  rvm_error *err)
{
    const bool regression = s->task == RVM_REGRESSION;
    rvm_status status = RVM_OK;
    y->outputs = regression ? y->p->outputs : 1;
    y->target = rvm_array(y->outputs, sizeof *y->target);
    if (y->target == NULL)
        return rvm_fail_memory(err, "the targets");
    for (size_t k = 0; k < y->outputs && status == RVM_OK; k++) {
        rvm_observed *o = &y->target[k].observed;
        o->N = y->p->rows;
        o->spans = rvm_problem_spans(y->p);
        o->t = rvm_array(o->N, sizeof *o->t);
        o->prune_margin = s->prune_margin;
        o->interrupted = s->interrupted;
        y->target[k].t_scale = 1;
        if (o->t == NULL)
            return rvm_fail_memory(err, "the targets");
        if (regression)
            status = observe_output(&y->target[k], y->p, s, k, err);
        else
            status = observe_classes(o, y->p, s, first_label, err);
        if (status == RVM_OK)
            status = sum_squares(o, err);
        if (status != RVM_OK)
            return status;
        look_at(y, k);
        o->ln_alpha_min = rvm_study_ln_alpha(y) - log(most_prior_variance);
    }
    if (status == RVM_OK)
        look_at(y, 0);
    return status;
}

/* Rows that a team shares are in order. */
static rvm_status sort_rows(rvm_study *y, const rvm_problem *p, rvm_error *err)
{
    size_t *order = NULL;
    if (p->team != NULL) {
        y->p = (rvm_problem *)p;
        return RVM_OK;
    }
    const rvm_status status = rvm_order_rows(&order, p, err);
    if (status != RVM_OK)
        return status;
    y->p = rvm_problem_subset(p, order, p->rows);
    free(order);
    return y->p == NULL ? rvm_fail_memory(err, "the rows") : RVM_OK;
}

rvm_status rvm_study_init(rvm_study *y, const rvm_problem *p, const rvm_settings *s,
                          const rvm_kernel *kernel, int first_label, rvm_error *err)
{
    memset(y, 0, sizeof *y);
    rvm_status status = sort_rows(y, p, err);
    if (status == RVM_OK) {
        y->rows = rvm_kernel_rows_alloc(y->p, kernel, NULL);
        if (y->rows == NULL)
            status = rvm_fail_memory(err, "the rows");
    }
    if (status == RVM_OK)
        status = observe_targets(y, s, first_label, err);
    if (status == RVM_OK)
        status = rvm_basis_init(&y->basis, y->p, y->rows, kernel, rvm_term_wanted(s), err);
    if (status != RVM_OK) {
        rvm_study_free(y);
        return status;
    }
    y->basis.row_weight = y->observed.row_weight;
    y->basis.interrupted = s->interrupted;
    return RVM_OK;
}

rvm_problem *rvm_study_rows_at(const rvm_study *y, const size_t *id, size_t count)
{
    return rvm_basis_rows_at(&y->basis, y->p, id, count);
}

rvm_study rvm_study_output(const rvm_study *y, size_t k)
{
    rvm_study view = *y;
    look_at(&view, k);
    return view;
}

/* Which rows of a study a part of it has, and how numbers that belong to rows get there. */
typedef struct {
    const rvm_study *whole;
    const size_t *row;
    size_t count;
    bool is_sample; /* the rows are places among all, and every process gets them */
} choice;

static rvm_status copy_numbers(double **to, size_t N, const choice *c, const double *from,
                               rvm_error *err)
{
    const rvm_problem *p = c->whole->p;
    *to = rvm_array(N, sizeof **to);
    if (*to == NULL)
        return rvm_fail_memory(err, "a part of the rows");
    return c->is_sample ? rvm_shard_pick_numbers(*to, p, c->row, c->count, from, err)
                        : rvm_shard_part_numbers(*to, p, c->row, c->count, from, err);
}

static rvm_status copy_observed(rvm_study *part, const choice *c, rvm_error *err)
{
    const rvm_observed *whole = &c->whole->observed;
    rvm_observed *o = &part->target->observed;
    *o = *whole;
    o->t = o->row_weight = NULL;
    o->N = part->p->rows;
    o->spans = rvm_problem_spans(part->p);
    rvm_status status = copy_numbers(&o->t, o->N, c, whole->t, err);
    if (status == RVM_OK && whole->row_weight != NULL)
        status = copy_numbers(&o->row_weight, o->N, c, whole->row_weight, err);
    return status == RVM_OK ? sum_squares(o, err) : status;
}

static rvm_status take_part(rvm_study *part, const choice *c, rvm_error *err)
{
    const rvm_study *whole = c->whole;
    part->is_part = true;
    part->basis = whole->basis;
    part->outputs = 1;
    part->target = rvm_array(1, sizeof *part->target);
    if (part->target == NULL)
        return rvm_fail_memory(err, "a part of the rows");
    rvm_status status = c->is_sample
                            ? rvm_shard_pick(&part->p, whole->p, NULL, c->row, c->count, err)
                            : rvm_shard_part(&part->p, whole->p, c->row, c->count, err);
    if (status == RVM_OK)
        status = copy_observed(part, c, err);
    if (status != RVM_OK)
        return status;
    part->rows = rvm_kernel_rows_alloc(part->p, &whole->basis.kernel, whole->basis.rows);
    if (part->rows == NULL)
        return rvm_fail_memory(err, "a part of the rows");
    part->target->t_mean = whole->t_mean;
    part->target->t_scale = whole->t_scale;
    look_at(part, 0);
    part->basis.N = part->p->rows;
    part->basis.spans = part->observed.spans;
    part->basis.at = part->rows;
    part->basis.at_p = part->p;
    part->basis.row_weight = part->observed.row_weight;
    return RVM_OK;
}

/* Precisions are of columns of a unit norm: a weight stays the same. */
static void move_bounds(rvm_study *part, const rvm_study *whole)
{
    const double fewer = rvm_study_ln_alpha(part) - rvm_study_ln_alpha(whole);
    part->observed.ln_alpha_min += fewer;
    part->observed.bias_ln_alpha_max += fewer;
}

static rvm_status part_of(rvm_study *part, const choice *c, rvm_error *err)
{
    memset(part, 0, sizeof *part);
    const rvm_status status = take_part(part, c, err);
    if (status == RVM_OK)
        move_bounds(part, c->whole);
    else
        rvm_study_free(part);
    return status;
}

rvm_status rvm_study_part(rvm_study *part, const rvm_study *whole, const size_t *row, size_t count,
                          rvm_error *err)
{
    return part_of(part, &(choice){ whole, row, count, false }, err);
}

rvm_status rvm_study_sample(rvm_study *sample, const rvm_study *whole, const size_t *place,
                            size_t count, rvm_error *err)
{
    return part_of(sample, &(choice){ whole, place, count, true }, err);
}

rvm_status rvm_study_design(rvm_columns *d, const rvm_study *y, const size_t *id, size_t count,
                            int threads, rvm_error *err)
{
    const rvm_observed *o = &y->observed;
    rvm_status status = rvm_columns_init(d, &y->basis, count, INFINITY, threads, err);
    if (status == RVM_OK && !o->likelihood->curved)
        status = rvm_columns_keep_gram(d, o->t, err);
    return status == RVM_OK ? rvm_columns_append(d, id, count, err) : status;
}

rvm_status rvm_study_whole_design(rvm_columns *d, const rvm_study *y, int threads, rvm_error *err)
{
    const size_t M = y->basis.count;
    size_t *id = rvm_array(M, sizeof *id);
    if (id == NULL)
        return rvm_fail_memory(err, "the candidates");
    for (size_t m = 0; m < M; m++)
        id[m] = m;
    const rvm_status status = rvm_study_design(d, y, id, M, threads, err);
    free(id);
    return status;
}

void rvm_study_free(rvm_study *y)
{
    if (y->is_part || y->p == NULL || y->p->team == NULL)
        rvm_problem_free(y->p);
    rvm_kernel_rows_free(y->rows);
    if (!y->is_part)
        rvm_basis_free(&y->basis);
    for (size_t k = 0; y->target != NULL && k < y->outputs; k++) {
        free(y->target[k].observed.t);
        free(y->target[k].observed.row_weight);
    }
    free(y->target);
    free(y->class_of_row);
    memset(y, 0, sizeof *y);
}

double rvm_study_constant_ln_beta(const rvm_study *y)
{
    const rvm_observed *o = &y->observed;
    if (!rvm_observed_free_noise(o))
        return rvm_observed_first_ln_beta(o, 1);
    const rvm_fit nothing_left = { .residual_squares = 0 };
    return rvm_prior_is_flat(&o->noise_prior)
               ? 0
               : fmin(rvm_sweep_noise(&nothing_left, o, RVM_SWEEP_MACKAY, 0), 0);
}

double rvm_study_ln_alpha(const rvm_study *y)
{
    const rvm_observed *o = &y->observed;
    assert(o->weight > 0);
    return -log(o->weight);
}
