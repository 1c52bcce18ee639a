/* Whether settings fit together, and the problem. */
#include <float.h>
#include <limits.h>
#include <math.h>

#include "base/error.h"
#include "basis/kernel.h"
#include "basis/term.h"
#include "data/problem.h"
#include "product/settings.h"
#include "search/study.h"

static rvm_status check_kernel(const rvm_kernel *kernel, rvm_error *err)
{
    if (rvm_kernel_name(kernel->type) == NULL)
        return rvm_fail(err, RVM_ESETTING, "unknown kernel type");
    const unsigned uses = rvm_kernel_uses(kernel->type);

    if (!isfinite(kernel->gamma) || !isfinite(kernel->coef0))
        return rvm_fail(err, RVM_ESETTING, "%s is %g; a finite number is needed",
                        isfinite(kernel->gamma) ? "coef0" : "gamma",
                        isfinite(kernel->gamma) ? kernel->coef0 : kernel->gamma);
    if ((uses & RVM_USES_GAMMA) && kernel->gamma < 0)
        return rvm_fail(err, RVM_ESETTING, "gamma < 0 (it is %g)", kernel->gamma);
    if ((uses & RVM_USES_DEGREE) && kernel->degree < 0)
        return rvm_fail(err, RVM_ESETTING, "degree of polynomial kernel < 0 (it is %d)",
                        kernel->degree);
    return RVM_OK;
}

static rvm_status check_inputs(const rvm_settings *s, rvm_error *err)
{
    const rvm_kernel *kernel = &s->kernel;
    const rvm_input_weights *inputs = kernel->inputs;

    if ((s->ard || inputs != NULL) && !rvm_kernel_weighs_inputs(kernel->type))
        return rvm_fail(err, RVM_ESETTING, "the %s kernel has no weights of inputs",
                        rvm_kernel_name(kernel->type));
    if (s->ard && !rvm_kernel_is_covariance(kernel))
        return rvm_fail(err, RVM_ESETTING,
                        "weights of inputs cannot be found for a kernel that is no covariance: "
                        "sigmoid, or polynomial with coef0 < 0");
    if (s->ard && inputs != NULL)
        return rvm_fail(err, RVM_ESETTING, "weights of inputs are given, and are to be found");
    for (size_t j = 0; inputs != NULL && j < inputs->count; j++) {
        if (!isfinite(inputs->weight[j]) || inputs->weight[j] < 0)
            return rvm_fail(err, RVM_ESETTING,
                            "weight of input %d is %g; a finite number, 0 or more, is needed",
                            inputs->index[j], inputs->weight[j]);
        if (j > 0 && inputs->index[j] <= inputs->index[j - 1])
            return rvm_fail(err, RVM_ESETTING, "the weights of inputs must ascend by feature");
    }
    return RVM_OK;
}

static rvm_status check_kernel_prior(const rvm_settings *s, rvm_error *err)
{
    if (!s->kernel_prior || s->kernel.type == RVM_PRECOMPUTED ||
        (s->kernel.type != RVM_NO_KERNEL && rvm_kernel_is_covariance(&s->kernel)))
        return RVM_OK;
    return rvm_fail(err, RVM_ESETTING,
                    "--prior kernel needs a kernel that is a covariance: linear, polynomial with "
                    "coef0 >= 0, rbf, laplacian, spline or precomputed");
}

static rvm_status check_basis(const rvm_settings *s, rvm_error *err)
{
    if (s->kernel.type == RVM_NO_KERNEL && rvm_term_wanted(s) == 0)
        return rvm_fail(err, RVM_ESETTING,
                        "without a kernel there must be other basis functions: bias, linear or "
                        "quadratic ones");
    if (s->kernel.type == RVM_PRECOMPUTED && (s->linear || s->quadratic))
        return rvm_fail(err, RVM_ESETTING,
                        "rows of a precomputed kernel have no features for linear or quadratic "
                        "basis functions");
    return RVM_OK;
}

static rvm_status check_class_weights(const rvm_settings *s, rvm_error *err)
{
    if (s->task != RVM_CLASSIFICATION)
        return RVM_OK;
    for (size_t i = 0; i < s->class_weight_count; i++) {
        const rvm_class_weight *w = &s->class_weights[i];
        if (!isfinite(w->weight) || w->weight <= 0)
            return rvm_fail(err, RVM_ESETTING,
                            "weight of class %d is %g; a finite number above 0 is needed", w->label,
                            w->weight);
        const double product = rvm_class_weight_of(s, w->label);
        if (!isfinite(product) || product <= 0)
            return rvm_fail(err, RVM_ESETTING, "the weights of class %d multiply to %g", w->label,
                            product);
    }
    return RVM_OK;
}

static rvm_status check_gamma_prior(const rvm_gamma_prior *g, const char *of, rvm_error *err)
{
    if (isfinite(g->shape) && isfinite(g->rate) && g->shape >= 0 && g->rate >= 0)
        return RVM_OK;
    return rvm_fail(err, RVM_ESETTING,
                    "prior of the %s with shape %g and rate %g; finite numbers, 0 or more, are "
                    "needed",
                    of, g->shape, g->rate);
}

static rvm_status check_priors(const rvm_settings *s, rvm_error *err)
{
    rvm_status status = check_gamma_prior(&s->weight_prior, "weights", err);
    if (status == RVM_OK)
        status = check_gamma_prior(&s->noise_prior, "noise", err);
    if (status != RVM_OK)
        return status;
    if (s->weight_prior.shape > 0 && s->weight_prior.rate == 0 && s->method != RVM_METHOD_GIBBS)
        return rvm_fail(err, RVM_ESETTING,
                        "prior of the weights with shape %g and rate 0: it would send every "
                        "precision to infinity",
                        s->weight_prior.shape);
    return RVM_OK;
}

static rvm_status check_alpha_bounds(const rvm_sampling *g, rvm_error *err)
{
    const double low = g->alpha_min, high = g->alpha_max;
    if (!isfinite(low) || !isfinite(high) || low < 0 || high < 0)
        return rvm_fail(err, RVM_ESETTING,
                        "alphas from %g to %g; finite numbers above 0 are needed", low, high);
    if (low > 0 && high > 0 && low >= high)
        return rvm_fail(err, RVM_ESETTING, "the least alpha, %g, is not below the largest, %g", low,
                        high);
    return RVM_OK;
}

bool rvm_settings_may_be(const rvm_settings *s, rvm_kernel_type type)
{
    for (size_t k = 0; k < s->tune.type_count; k++)
        if (s->tune.type[k] == type)
            return true;
    return s->tune.type_count == 0 && s->kernel.type == type;
}

/* Settings of which each is possible, but not all at once. */
static rvm_status check_company(const rvm_settings *s, rvm_error *err)
{
    const bool regression = s->task == RVM_REGRESSION, gibbs = s->method == RVM_METHOD_GIBBS;
    const bool noise_prior = s->noise_prior.shape > 0 || s->noise_prior.rate > 0;
    const struct {
        bool is_so;
        const char *message;
    } faults[] = {
        { s->standardize && rvm_settings_may_be(s, RVM_PRECOMPUTED),
          "--standardize is not for a precomputed kernel, whose rows have no features" },
        { s->standardize && s->kernel_prior && rvm_settings_may_be(s, RVM_SPLINE),
          "--prior kernel with the spline kernel needs features of 0 or more, which --standardize "
          "does not make" },
        { s->prune_margin > 0 && s->method != RVM_METHOD_AUTO,
          "--prune-margin is for --method auto only" },
        { s->vectors > 0 && gibbs, "--vectors is not for --method gibbs" },
        { s->kernel_prior && gibbs, "--prior kernel is not for --method gibbs" },
        { s->kernel_prior && s->multiclass == RVM_ONE_VS_REST && !regression,
          "--prior kernel knows --multiclass softmax only" },
        { s->kernel_prior && noise_prior,
          "--noise-prior does not go together with --prior kernel" },
        { s->sampling.mixture && !gibbs, "a mixture of priors needs --method gibbs" },
        { s->class_weight_count > 0 && gibbs, "--method gibbs knows no weights of classes (-w)" },
        { s->noise_variance > 0 && !regression,
          "a noise variance is a setting of regression only" },
        { s->shared_noise && !regression, "shared noise is a setting of regression only" },
        { noise_prior && !regression && !gibbs,
          "a prior of the noise is a setting of regression only" },
        { noise_prior && s->noise_variance > 0, "a noise variance that is given needs no prior" },
    };

    for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++)
        if (faults[k].is_so)
            return rvm_fail(err, RVM_ESETTING, "%s", faults[k].message);
    return RVM_OK;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

typedef bool row_test(const rvm_problem *p, size_t i);

/* The first row in the file that is faulty, where it is here; else p->rows. */
static size_t first_faulty(const rvm_problem *p, row_test *is_faulty)
{
    size_t first = p->rows;
    for (size_t i = 0; i < p->rows; i++)
        if (is_faulty(p, i) &&
            (first == p->rows || rvm_problem_number(p, i) < rvm_problem_number(p, first)))
            first = i;
    const double place = first < p->rows ? (double)rvm_problem_number(p, first) : INFINITY;
    return place > rvm_team_min(p->team, place) ? p->rows : first;
}

static bool has_no_class(const rvm_problem *p, size_t i)
{
    const double label = p->target[i];
    return label != floor(label) || label < INT_MIN || label > INT_MAX;
}

/* Rows read by a grammar with class_labels pass; a caller may have read them otherwise. */
static rvm_status check_classes(const rvm_problem *p, rvm_error *err)
{
    const size_t i = first_faulty(p, has_no_class);
    const rvm_status status = i == p->rows
                                  ? RVM_OK
                                  : rvm_fail(err, RVM_ESETTING,
                                             "class label %g of row %zu is no whole number "
                                             "in the range of int",
                                             p->target[i], rvm_problem_number(p, i) + 1);
    return rvm_team_agree(p->team, status, err);
}

static bool has_no_serial(const rvm_problem *p, size_t i)
{
    return p->start[i] == p->start[i + 1] || p->index[p->start[i]] != 0;
}

static rvm_status check_kernel_rows(const rvm_problem *p, rvm_error *err)
{
    const size_t i = first_faulty(p, has_no_serial);
    const rvm_status status = i == p->rows ? RVM_OK
                                           : rvm_fail(err, RVM_ESETTING,
                                                      "row %zu of the precomputed kernel does not "
                                                      "begin with 0:serial",
                                                      rvm_problem_number(p, i) + 1);
    return rvm_team_agree(p->team, status, err);
}

/* A noise below the rounding of the targets is none: what is computed from it are residuals of that
 * rounding, squared and divided by it, which end in nonsense or leave the range of numbers. */
static rvm_status check_noise_of(const rvm_settings *s, const rvm_problem *p, rvm_error *err)
{
    double largest = 0;

    for (size_t i = 0; i < p->rows * p->outputs; i++)
        largest = fmax(largest, fabs(p->target[i]));
    largest = rvm_team_max(p->team, largest);
    const double rounding = DBL_EPSILON * largest;
    if (s->noise_variance == 0 || sqrt(s->noise_variance) >= rounding)
        return RVM_OK;
    return rvm_fail(err, RVM_ESETTING,
                    "noise variance is %g; targets as large as %g are rounded by more: at least "
                    "%g is needed",
                    s->noise_variance, largest, rounding * rounding);
}

/* Its first pair below 0; the end of its pairs where none is. */
static size_t first_negative(const rvm_problem *p, size_t i)
{
    size_t k = p->start[i];
    while (k < p->start[i + 1] && !(p->value[k] < 0))
        k++;
    return k;
}

static bool has_negative(const rvm_problem *p, size_t i)
{
    return first_negative(p, i) < p->start[i + 1];
}

/* The spline kernel is 1 + xz and the integral of (x - t)+ (z - t)+ over t > 0: a covariance of
 * inputs of 0 and more, and below nothing. */
static rvm_status check_spline(const rvm_settings *s, const rvm_problem *p, rvm_error *err)
{
    if (!s->kernel_prior || !rvm_settings_may_be(s, RVM_SPLINE))
        return RVM_OK;
    const size_t i = first_faulty(p, has_negative);
    rvm_status status = RVM_OK;
    if (i < p->rows) {
        const size_t k = first_negative(p, i);
        status = rvm_fail(err, RVM_ESETTING,
                          "--prior kernel with the spline kernel needs features of 0 or "
                          "more, as rvm-scale -l 0 makes them; row %zu has %d:%g",
                          rvm_problem_number(p, i) + 1, p->index[k], p->value[k]);
    }
    return rvm_team_agree(p->team, status, err);
}

static rvm_status check_problem(const rvm_settings *s, const rvm_problem *p, rvm_error *err)
{
    rvm_status status = RVM_OK;

    if (rvm_problem_all(p) == 0)
        return rvm_fail(err, RVM_ESETTING, "there are no rows to train on");
    if (s->task == RVM_CLASSIFICATION && p->outputs > 1)
        return rvm_fail(err, RVM_ESETTING, "%zu labels in a row are for regression only",
                        p->outputs);
    if (s->method != RVM_METHOD_AUTO && p->outputs > 1)
        return rvm_fail(err, RVM_ESETTING, "--method %s knows one output; %zu need --method auto",
                        rvm_method_name(s->method), p->outputs);
    if (s->task == RVM_CLASSIFICATION)
        status = check_classes(p, err);
    else
        status = check_noise_of(s, p, err);
    if (status == RVM_OK && s->kernel.type == RVM_PRECOMPUTED && s->tune.type_count == 0)
        status = check_kernel_rows(p, err);
    if (status == RVM_OK)
        status = check_spline(s, p, err);
    return status;
}

static rvm_status check_one_kernel(const rvm_settings *s, rvm_error *err)
{
    rvm_status status = check_kernel(&s->kernel, err);
    if (status == RVM_OK)
        status = check_basis(s, err);
    if (status == RVM_OK)
        status = check_kernel_prior(s, err);
    return status == RVM_OK ? check_inputs(s, err) : status;
}

/* The kernel, or each of those that there are to choose from. */
static rvm_status check_kernels(const rvm_settings *s, rvm_error *err)
{
    rvm_settings one = *s;
    rvm_status status = RVM_OK;
    if (s->tune.type_count == 0)
        return check_one_kernel(s, err);
    for (size_t k = 0; k < s->tune.type_count && status == RVM_OK; k++) {
        one.kernel.type = s->tune.type[k];
        if (one.kernel.type == RVM_PRECOMPUTED)
            return rvm_fail(err, RVM_ESETTING, "a precomputed kernel is not to be chosen");
        status = check_one_kernel(&one, err);
    }
    return status;
}

rvm_status rvm_settings_check(const rvm_settings *s, const rvm_problem *p, rvm_error *err)
{
    if (s->task != RVM_CLASSIFICATION && s->task != RVM_REGRESSION)
        return rvm_fail(err, RVM_ESETTING, "unknown svm type");
    if (rvm_multiclass_name(s->multiclass) == NULL)
        return rvm_fail(err, RVM_ESETTING, "unknown model of several classes");
    if (rvm_method_name(s->method) == NULL)
        return rvm_fail(err, RVM_ESETTING, "unknown method");

    rvm_status status = check_kernels(s, err);
    if (status == RVM_OK)
        status = rvm_settings_check_ranges(s, err);
    if (status == RVM_OK)
        status = check_company(s, err);
    if (status == RVM_OK && s->method == RVM_METHOD_GIBBS)
        status = check_alpha_bounds(&s->sampling, err);
    if (status == RVM_OK)
        status = check_priors(s, err);
    if (status == RVM_OK)
        status = check_class_weights(s, err);
    if (status == RVM_OK && p != NULL)
        status = check_problem(s, p, err);
    return status;
}
