/* Defaults, the range of every setting, and the checks against a problem. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "product/settings.h"
#include "rvm.h"

static rvm_problem *problem(const char *text, rvm_grammar grammar)
{
    rvm_problem *p = NULL;
    rvm_error err = { 0 };

    FILE *in = fmemopen((void *)text, strlen(text), "r");
    ck_assert_ptr_nonnull(in);
    ck_assert_msg(rvm_problem_read(&p, in, grammar, &err) == RVM_OK, "%s", err.message);
    fclose(in);
    return p;
}

static void expect_fault(const rvm_settings *s, const rvm_problem *p, const char *words)
{
    rvm_error err = { 0 };

    ck_assert_int_eq(rvm_settings_check(s, p, &err), RVM_ESETTING);
    ck_assert_int_eq(err.status, RVM_ESETTING);
    ck_assert_msg(strstr(err.message, words) != NULL, "\"%s\" does not say \"%s\"", err.message,
                  words);
}

static void expect_ok(const rvm_settings *s, const rvm_problem *p)
{
    rvm_error err = { 0 };

    ck_assert_msg(rvm_settings_check(s, p, &err) == RVM_OK, "%s", err.message);
}

START_TEST(several_labels_and_shared_noise_are_for_regression)
    {
        rvm_settings s = rvm_settings_default();
        rvm_problem *p = problem("1,2 1:1\n2,3 1:2\n", (rvm_grammar){ .outputs = true });

        expect_fault(&s, p, "regression only");
        s.shared_noise = true;
        expect_fault(&s, NULL, "regression only");
        s.task = RVM_REGRESSION;
        expect_ok(&s, p);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(kernel_prior_takes_splines_of_positive_features)
    {
        rvm_settings s = rvm_settings_default();
        rvm_problem *p = problem("1 1:1 4:3\n2 1:2 3:-0.5\n", (rvm_grammar){ 0 });
        rvm_problem *above = problem("1 1:1 4:3\n2 1:2 3:0.5\n", (rvm_grammar){ 0 });

        s.kernel.type = RVM_SPLINE;
        expect_ok(&s, p);
        s.kernel_prior = true;
        expect_fault(&s, p,
                     "features of 0 or more, as rvm-scale -l 0 makes them; row 2 has 3:-0.5");
        expect_ok(&s, above);
        s.kernel.type = RVM_RBF;
        expect_ok(&s, p);
        s.tune = (rvm_tuning){ .type = { RVM_RBF, RVM_SPLINE }, .type_count = 2 };
        expect_fault(&s, p, "spline");
        rvm_problem_free(p);
        rvm_problem_free(above);
    }
END_TEST

START_TEST(what_is_not_standardized)
    {
        rvm_settings s = rvm_settings_default();

        s.standardize = true;
        expect_ok(&s, NULL);
        s.kernel.type = RVM_PRECOMPUTED;
        expect_fault(&s, NULL, "--standardize is not for a precomputed kernel");
        s.kernel.type = RVM_SPLINE;
        expect_ok(&s, NULL);
        s.kernel_prior = true;
        expect_fault(&s, NULL, "features of 0 or more, which --standardize does not make");
        s.kernel.type = RVM_RBF;
        expect_ok(&s, NULL);
        s.tune = (rvm_tuning){ .type = { RVM_RBF, RVM_SPLINE }, .type_count = 2 };
        expect_fault(&s, NULL, "--standardize does not make");
    }
END_TEST

START_TEST(weights_of_inputs)
    {
        const int index[] = { 1, 4 };
        double weight[] = { 0, 2.5 };
        rvm_input_weights inputs = { 2, index, weight };
        rvm_settings s = rvm_settings_default();
        rvm_problem *p = problem("1 1:1 4:3\n2 1:2\n", (rvm_grammar){ 0 });

        s.kernel.inputs = &inputs;
        expect_ok(&s, p);
        ck_assert_double_eq(rvm_settings_kernel(&s, p).gamma, 1);
        s.kernel.inputs = NULL;
        ck_assert_double_eq(rvm_settings_kernel(&s, p).gamma, 0.25);
        s.kernel.inputs = &inputs;
        s.kernel.type = RVM_SPLINE;
        expect_fault(&s, p, "the spline kernel has no weights of inputs");
        s.kernel.type = RVM_PRECOMPUTED;
        expect_fault(&s, NULL, "the precomputed kernel has no weights of inputs");
        s.kernel.type = RVM_SIGMOID;
        expect_ok(&s, p);
        weight[1] = -1e-9;
        expect_fault(&s, p, "weight of input 4 is -1e-09");
        weight[1] = INFINITY;
        expect_fault(&s, p, "weight of input 4 is inf");
        weight[1] = 1;
        const int twice[] = { 4, 4 };
        inputs.index = twice;
        expect_fault(&s, p, "ascend");
        rvm_problem_free(p);
    }
END_TEST

START_TEST(weights_that_are_found)
    {
        const rvm_input_weights none = { 0, NULL, NULL };
        rvm_settings s = rvm_settings_default();

        s.ard = true;
        for (int type = RVM_LINEAR; type <= RVM_SPLINE; type++) {
            s.kernel.type = (rvm_kernel_type)type;
            if (type == RVM_PRECOMPUTED || type == RVM_SPLINE)
                expect_fault(&s, NULL, "has no weights of inputs");
            else if (type == RVM_SIGMOID)
                expect_fault(&s, NULL, "no covariance");
            else
                expect_ok(&s, NULL);
        }
        s.kernel.type = RVM_POLYNOMIAL;
        s.kernel.coef0 = -0.1;
        expect_fault(&s, NULL, "no covariance");
        s.kernel.type = RVM_RBF;
        expect_ok(&s, NULL);
        s.kernel.inputs = &none;
        expect_fault(&s, NULL, "are given");
    }
END_TEST

START_TEST(defaults_are_those_of_libsvm)
    {
        const rvm_settings s = rvm_settings_default();

        expect_ok(&s, NULL);
        ck_assert_int_eq(s.task, RVM_CLASSIFICATION);
        ck_assert_int_eq(s.kernel.type, RVM_RBF);
        ck_assert_int_eq(s.kernel.degree, 3);
        ck_assert_double_eq(s.kernel.gamma, 0);
        ck_assert_double_eq(s.kernel.coef0, 0);
        ck_assert_double_eq(s.tolerance, 0.001);
        ck_assert(s.bias);
        ck_assert(!s.probability);
    }
END_TEST

START_TEST(kernel_parameters_have_ranges)
    {
        rvm_settings s = rvm_settings_default();

        s.kernel.gamma = -1;
        expect_fault(&s, NULL, "gamma < 0");
        s.kernel.type = RVM_LINEAR; /* does not use it */
        expect_ok(&s, NULL);
        s.kernel.gamma = NAN;
        expect_fault(&s, NULL, "gamma");
        s.kernel.gamma = INFINITY;
        expect_fault(&s, NULL, "gamma");
        s.kernel.gamma = 1;
        s.kernel.coef0 = -INFINITY;
        expect_fault(&s, NULL, "coef0");
        s.kernel.coef0 = -1;
        s.kernel.degree = -1;
        expect_ok(&s, NULL);
        s.kernel.type = RVM_POLYNOMIAL;
        expect_fault(&s, NULL, "degree of polynomial kernel < 0");
        s.kernel.degree = 0;
        expect_ok(&s, NULL);
        s.kernel.type = (rvm_kernel_type)9;
        expect_fault(&s, NULL, "unknown kernel type");
    }
END_TEST

START_TEST(effort_has_ranges)
    {
        rvm_settings s = rvm_settings_default();

        s.budget_mb = 0;
        expect_fault(&s, NULL, "cache_size <= 0");
        s.budget_mb = INFINITY;
        expect_fault(&s, NULL, "cache_size");
        s.budget_mb = 1;
        s.tolerance = 0;
        expect_fault(&s, NULL, "eps <= 0");
        s.tolerance = NAN;
        expect_fault(&s, NULL, "eps");
        s.tolerance = 1;
        s.restarts = -1;
        expect_fault(&s, NULL, "restarts");
        s.restarts = 3;
        s.threads = -1;
        expect_fault(&s, NULL, "threads");
        s.threads = 1000000;
        expect_fault(&s, NULL, "threads");
        s.threads = 2;
        expect_ok(&s, NULL);
    }
END_TEST

START_TEST(noise_is_for_regression)
    {
        rvm_settings s = rvm_settings_default();

        s.noise_variance = 0.1;
        expect_fault(&s, NULL, "regression");
        s.task = RVM_REGRESSION;
        expect_ok(&s, NULL);
        s.noise_variance = -0.1;
        expect_fault(&s, NULL, "noise variance");
        s.noise_variance = NAN;
        expect_fault(&s, NULL, "noise variance");
        s.task = (rvm_task)7;
        expect_fault(&s, NULL, "unknown svm type");
    }
END_TEST

/* The spacing of doubles at 5 is 2^-52 5 = 1.11e-15, its square 1.2326e-30. */
START_TEST(noise_is_above_the_rounding_of_the_targets)
    {
        rvm_settings s = rvm_settings_default();
        const rvm_grammar grammar = { .outputs = true };
        rvm_problem *p = problem("1,-5 1:1\n3,2 1:2\n", grammar);
        rvm_problem *large = problem("1e300 1:1\n", grammar), *zero = problem("0 1:1\n", grammar);

        s.task = RVM_REGRESSION;
        expect_ok(&s, p);
        s.noise_variance = 1.24e-30;
        expect_ok(&s, p);
        expect_ok(&s, zero);
        expect_fault(&s, large, "noise variance");
        s.noise_variance = 1.22e-30;
        expect_fault(&s, p, "at least 1.2326e-30 is needed");
        rvm_problem_free(p);
        rvm_problem_free(large);
        rvm_problem_free(zero);
    }
END_TEST

START_TEST(priors_have_ranges)
    {
        static const double bad[] = { -1e-9, NAN, INFINITY };
        rvm_settings s = rvm_settings_default();

        ck_assert(s.weight_prior.shape == 0 && s.weight_prior.rate == 0);
        ck_assert(s.noise_prior.shape == 0 && s.noise_prior.rate == 0);
        s.weight_prior = (rvm_gamma_prior){ 0, 0.5 };
        expect_ok(&s, NULL);
        s.weight_prior = (rvm_gamma_prior){ 0.5, 0 };
        expect_fault(&s, NULL, "rate 0");
        s.weight_prior = (rvm_gamma_prior){ 0.5, 0.5 };
        s.noise_prior = (rvm_gamma_prior){ 0.5, 0 };
        expect_fault(&s, NULL, "regression only");
        s.task = RVM_REGRESSION;
        expect_ok(&s, NULL);
        s.noise_variance = 1;
        expect_fault(&s, NULL, "needs no prior");
        s.noise_variance = 0;
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            s.weight_prior = (rvm_gamma_prior){ bad[i], 1 };
            expect_fault(&s, NULL, "prior of the weights");
            s.weight_prior = (rvm_gamma_prior){ 1, bad[i] };
            expect_fault(&s, NULL, "prior of the weights");
            s.weight_prior = (rvm_gamma_prior){ 0, 0 };
            s.noise_prior = (rvm_gamma_prior){ 0, bad[i] };
            expect_fault(&s, NULL, "prior of the noise");
            s.noise_prior = (rvm_gamma_prior){ 0, 0 };
        }
    }
END_TEST

START_TEST(class_weights_are_positive)
    {
        rvm_class_weight w[] = { { 1, 2 }, { -1, 0.5 } };
        rvm_settings s = rvm_settings_default();

        s.class_weights = w;
        s.class_weight_count = 2;
        expect_ok(&s, NULL);
        w[1].weight = 0;
        expect_fault(&s, NULL, "class -1");
        w[1].weight = NAN;
        expect_fault(&s, NULL, "class -1");
        s.task = RVM_REGRESSION; /* ignored there, as in libsvm */
        expect_ok(&s, NULL);
    }
END_TEST

START_TEST(class_weights_multiply_to_a_number)
    {
        rvm_class_weight w[] = { { -1, 1e-200 }, { -1, 1e-200 }, { 1, 1e200 } };
        rvm_settings s = rvm_settings_default();

        s.class_weights = w;
        s.class_weight_count = 3;
        expect_fault(&s, NULL, "the weights of class -1 multiply to 0");
        w[0].weight = w[1].weight = 1e200;
        expect_fault(&s, NULL, "the weights of class -1 multiply to inf");
        w[0].weight = 1e-200;
        expect_ok(&s, NULL);
    }
END_TEST

START_TEST(any_number_of_classes)
    {
        const rvm_grammar grammar = { .class_labels = true };
        rvm_settings s = rvm_settings_default();
        rvm_problem *one = problem("3 1:1\n3 1:2\n", grammar);
        rvm_problem *two = problem("3 1:1\n7 1:2\n", grammar);
        rvm_problem *three = problem("3 1:1\n7 1:2\n-0 1:3\n3 1:3\n", grammar);
        rvm_problem *real = problem("1.5 1:1\n2 1:2\n", (rvm_grammar){ 0 });

        expect_ok(&s, one);
        expect_ok(&s, two);
        expect_ok(&s, three);
        expect_fault(&s, real, "1.5");
        s.task = RVM_REGRESSION;
        expect_ok(&s, three);
        expect_ok(&s, real);
        rvm_problem_free(one);
        rvm_problem_free(two);
        rvm_problem_free(three);
        rvm_problem_free(real);
    }
END_TEST

START_TEST(kernel_matrices_begin_with_a_serial)
    {
        rvm_settings s = rvm_settings_default();
        rvm_problem *plain = problem("1 1:1\n2 1:2\n", (rvm_grammar){ 0 });
        rvm_problem *bare = problem("1 0:1 1:1\n2\n", (rvm_grammar){ 0 });

        s.kernel.type = RVM_PRECOMPUTED;
        expect_fault(&s, plain, "0:serial");
        expect_fault(&s, bare, "row 2");
        rvm_problem_free(plain);
        rvm_problem_free(bare);
    }
END_TEST

START_TEST(gamma_zero_is_one_over_the_largest_index)
    {
        rvm_settings s = rvm_settings_default();
        rvm_problem *p = problem("1 1:1\n2 8:2\n", (rvm_grammar){ 0 });
        rvm_problem *none = problem("1\n2\n", (rvm_grammar){ 0 });

        ck_assert_double_eq(rvm_settings_kernel(&s, p).gamma, 0.125);
        ck_assert_double_eq(rvm_settings_kernel(&s, none).gamma, 0);
        s.kernel.gamma = 3;
        ck_assert_double_eq(rvm_settings_kernel(&s, p).gamma, 3);
        rvm_problem_free(p);
        rvm_problem_free(none);
    }
END_TEST

/* Sets it from text, which must be right. */
static void set(rvm_settings *s, const char *name, const char *value)
{
    rvm_error err = { 0 };

    ck_assert_msg(rvm_settings_set(s, name, value, &err) == RVM_OK, "%s %s: %s", name, value,
                  err.message);
}

/* Text that is wrong, and changes nothing. */
static void refuse(const char *name, const char *value, const char *message)
{
    const rvm_settings before = rvm_settings_default();
    rvm_settings s = before;
    rvm_error err = { 0 };

    ck_assert_int_eq(rvm_settings_set(&s, name, value, &err), RVM_ESETTING);
    ck_assert_str_eq(err.message, message);
    ck_assert_mem_eq(&s, &before, sizeof s);
}

START_TEST(methods_have_names)
    {
        const char *const names[] = { "auto", "mackay", "em", "sequential", "gibbs" };
        rvm_settings s = rvm_settings_default();

        ck_assert_int_eq(s.method, RVM_METHOD_AUTO);
        for (int k = 0; k < 5; k++) {
            set(&s, "method", names[k]);
            ck_assert_int_eq((int)s.method, k);
            ck_assert_str_eq(rvm_method_name(s.method), names[k]);
            expect_ok(&s, NULL);
        }
        refuse("method", "e", "auto, mackay, em, sequential and gibbs are possible");
        refuse("method", "", "auto, mackay, em, sequential and gibbs are possible");
        ck_assert_ptr_null(rvm_method_name((rvm_method)5));
        s.method = (rvm_method)5;
        expect_fault(&s, NULL, "unknown method");
    }
END_TEST

START_TEST(numbers_and_flags_by_name)
    {
        rvm_settings s = rvm_settings_default();

        set(&s, "m", "64");
        set(&s, "e", "1e-4");
        set(&s, "restarts", "7");
        set(&s, "seed", "18446744073709551615");
        set(&s, "samples", "+12");
        set(&s, "alpha-max", "inf"); /* ranges are checked later */
        set(&s, "ard", NULL);
        set(&s, "shared-noise", "1");
        set(&s, "standardize", NULL);
        ck_assert(s.budget_mb == 64 && s.tolerance == 1e-4 && s.restarts == 7);
        ck_assert_uint_eq(s.seed, 18446744073709551615UL);
        ck_assert(s.sampling.samples == 12 && isinf(s.sampling.alpha_max));
        ck_assert(s.ard && s.shared_noise && s.standardize);
        set(&s, "ard", "0");
        ck_assert(!s.ard);
        refuse("m", "much", "expected a number");
        refuse("samples", "1.5", "expected a whole number");
        refuse("seed", "-1", "expected a whole number, not negative");
        refuse("ard", "yes", "expected 0 or 1");
        refuse("samples ", "1", "there is no setting of that name");
        refuse("", "1", "there is no setting of that name");
    }
END_TEST

START_TEST(kernels_by_name)
    {
        rvm_settings s = rvm_settings_default();

        set(&s, "t", "5");
        ck_assert_int_eq(s.kernel.type, RVM_LAPLACIAN);
        set(&s, "kernel", "spline");
        ck_assert_int_eq(s.kernel.type, RVM_SPLINE);
        set(&s, "t", "8");
        expect_fault(&s, NULL, "unknown kernel type");
        refuse("kernel", "wavelet", "there is no kernel of that name");
        set(&s, "g", "0.25");
        set(&s, "d", "auto");
        set(&s, "r", "auto");
        ck_assert(s.kernel.gamma == 0.25 && !s.tune.gamma && s.tune.degree && s.tune.coef0);
        set(&s, "g", "auto");
        set(&s, "r", "-1");
        ck_assert(s.tune.gamma && !s.tune.coef0 && s.kernel.coef0 == -1);
        refuse("g", "automatic", "neither a number nor auto");
        refuse("d", "2.5", "neither a whole number nor auto");
        set(&s, "select", "rbf,poly,rbf,linear");
        ck_assert_uint_eq(s.tune.type_count, 3);
        ck_assert(s.tune.type[0] == RVM_RBF && s.tune.type[1] == RVM_POLYNOMIAL);
        set(&s, "select", "none");
        ck_assert_uint_eq(s.tune.type_count, 1);
        refuse("select", "rbf,", "not a list of kernels that can be compared");
        refuse("select", "precomputed", "not a list of kernels that can be compared");
    }
END_TEST

START_TEST(priors_by_name)
    {
        static const char possible[] =
            "flat, kernel, gamma:A,B, student:NU and mixture are possible";
        rvm_settings s = rvm_settings_default();

        set(&s, "prior", "student:3");
        ck_assert(s.weight_prior.shape == 1.5 && s.weight_prior.rate == 1.5);
        set(&s, "prior", "gamma:0.5,2");
        ck_assert(s.weight_prior.shape == 0.5 && s.weight_prior.rate == 2);
        ck_assert(s.sampling.prior_given && !s.sampling.mixture);
        set(&s, "prior", "mixture");
        ck_assert(!s.sampling.prior_given && s.sampling.mixture);
        set(&s, "noise-prior", "1,1e-3");
        ck_assert(s.sampling.noise_prior_given && s.noise_prior.rate == 1e-3);
        refuse("prior", "gamma:1", possible);
        refuse("prior", "student:", possible);
        refuse("prior", "student:0", "NU must be above 0");
        refuse("noise-prior", "1", "two numbers with a comma between them are needed");
        set(&s, "gibbs-basis", "active");
        ck_assert_int_eq(s.sampling.basis, RVM_BASIS_ACTIVE);
        refuse("gibbs-basis", "", "all and active are possible");
    }
END_TEST

START_TEST(weights_of_classes_by_name)
    {
        rvm_settings s = rvm_settings_default();

        set(&s, "w-1", "2");
        set(&s, "w", "0.5");
        set(&s, "w-1", "3");
        ck_assert_uint_eq(s.class_weight_count, 3);
        ck_assert(s.class_weights[0].label == -1 && s.class_weights[0].weight == 2);
        ck_assert(s.class_weights[1].label == 0 && s.class_weights[1].weight == 0.5);
        ck_assert(s.class_weights[2].label == -1 && s.class_weights[2].weight == 3);
        refuse("wx", "1", "the class is not a whole number");
        refuse("w1", "x", "the weight is not a number");
        rvm_settings_clear(&s);
        ck_assert_uint_eq(s.class_weight_count, 0);
        ck_assert_ptr_null(s.class_weights);
        rvm_settings_clear(&s);
    }
END_TEST

START_TEST(sampling_is_checked)
    {
        rvm_class_weight weight = { 1, 2 };
        rvm_settings s = rvm_settings_default();

        s.sampling.mixture = true;
        expect_fault(&s, NULL, "needs --method gibbs");
        s.method = RVM_METHOD_GIBBS;
        expect_ok(&s, NULL);
        s.weight_prior.shape = 1; /* proper between bounds */
        s.noise_prior = (rvm_gamma_prior){ 1, 1 };
        expect_ok(&s, NULL);
        s.sampling.samples = 3;
        expect_fault(&s, NULL, "number of samples is 3");
        s.sampling.samples = 4;
        s.sampling.burn_in = -1;
        expect_fault(&s, NULL, "burn-in is -1");
        s.sampling.burn_in = 0;
        s.sampling.thin = 0;
        expect_fault(&s, NULL, "thinning is 0");
        s.sampling.thin = 1;
        s.sampling.chains = 0;
        expect_fault(&s, NULL, "number of chains is 0");
        s.sampling.chains = 1;
        s.sampling.keep = 0;
        expect_fault(&s, NULL, "draws to keep are 0");
        s.sampling.keep = 1;
        s.sampling.alpha_min = -1;
        expect_fault(&s, NULL, "alphas from -1");
        s.sampling.alpha_min = 5;
        s.sampling.alpha_max = 5;
        expect_fault(&s, NULL, "is not below");
        s.sampling.alpha_max = INFINITY;
        expect_fault(&s, NULL, "finite");
        s.sampling.alpha_max = 6;
        expect_ok(&s, NULL);
        s.class_weights = &weight;
        s.class_weight_count = 1;
        expect_fault(&s, NULL, "weights of classes");
    }
END_TEST

START_TEST(models_of_several_classes_have_names)
    {
        rvm_multiclass found = RVM_SOFTMAX;
        rvm_settings s = rvm_settings_default();

        ck_assert_int_eq(s.multiclass, RVM_SOFTMAX);
        set(&s, "multiclass", "ovr");
        ck_assert_int_eq(s.multiclass, RVM_ONE_VS_REST);
        ck_assert(rvm_multiclass_by_name(&found, "ovr"));
        ck_assert_int_eq(found, RVM_ONE_VS_REST);
        ck_assert(rvm_multiclass_by_name(&found, "softmax"));
        ck_assert_int_eq(found, RVM_SOFTMAX);
        ck_assert(!rvm_multiclass_by_name(&found, "ov") && !rvm_multiclass_by_name(&found, ""));
        refuse("multiclass", "o", "softmax and ovr are possible");
        ck_assert_str_eq(rvm_multiclass_name(RVM_ONE_VS_REST), "ovr");
        ck_assert_ptr_null(rvm_multiclass_name((rvm_multiclass)2));
        s.multiclass = (rvm_multiclass)2;
        expect_fault(&s, NULL, "several classes");
    }
END_TEST

START_TEST(basis_is_a_list_of_names)
    {
        static const struct {
            const char *list;
            bool bias, linear, quadratic;
        } cases[] = {
            { "bias", true, false, false },
            { "none", false, false, false },
            { "linear", false, true, false },
            { "quadratic,bias", true, false, true },
            { "bias,linear,quadratic", true, true, true },
            { "none,linear,linear", false, true, false },
        };
        static const char *const faults[] = { "",       ",",   "bias,", ",bias",   "bias,,linear",
                                              "biases", "lin", "Bias",  "linear ", "bias;linear" };
        rvm_settings s = rvm_settings_default();

        ck_assert(s.bias && !s.linear && !s.quadratic);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            set(&s, "basis", cases[i].list);
            ck_assert_int_eq(s.bias, cases[i].bias);
            ck_assert_int_eq(s.linear, cases[i].linear);
            ck_assert_int_eq(s.quadratic, cases[i].quadratic);
        }
        for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
            refuse("basis", faults[i], "a list of bias, linear, quadratic and none is possible");
    }
END_TEST

START_TEST(a_basis_must_fit_the_kernel)
    {
        rvm_settings s = rvm_settings_default();

        s.kernel.type = RVM_NO_KERNEL;
        expect_ok(&s, NULL);
        s.bias = false;
        expect_fault(&s, NULL, "without a kernel");
        s.quadratic = true;
        expect_ok(&s, NULL);
        s.kernel.type = RVM_PRECOMPUTED;
        expect_fault(&s, NULL, "precomputed");
        s.quadratic = false;
        expect_ok(&s, NULL);
        s.linear = true;
        expect_fault(&s, NULL, "precomputed");
    }
END_TEST

Suite *settings_suite(void)
{
    Suite *suite = suite_create("settings");
    TCase *tc = tcase_create("settings");

    tcase_add_test(tc, several_labels_and_shared_noise_are_for_regression);
    tcase_add_test(tc, defaults_are_those_of_libsvm);
    tcase_add_test(tc, what_is_not_standardized);
    tcase_add_test(tc, weights_of_inputs);
    tcase_add_test(tc, kernel_prior_takes_splines_of_positive_features);
    tcase_add_test(tc, weights_that_are_found);
    tcase_add_test(tc, kernel_parameters_have_ranges);
    tcase_add_test(tc, effort_has_ranges);
    tcase_add_test(tc, noise_is_for_regression);
    tcase_add_test(tc, noise_is_above_the_rounding_of_the_targets);
    tcase_add_test(tc, priors_have_ranges);
    tcase_add_test(tc, class_weights_are_positive);
    tcase_add_test(tc, class_weights_multiply_to_a_number);
    tcase_add_test(tc, any_number_of_classes);
    tcase_add_test(tc, methods_have_names);
    tcase_add_test(tc, numbers_and_flags_by_name);
    tcase_add_test(tc, kernels_by_name);
    tcase_add_test(tc, priors_by_name);
    tcase_add_test(tc, weights_of_classes_by_name);
    tcase_add_test(tc, sampling_is_checked);
    tcase_add_test(tc, models_of_several_classes_have_names);
    tcase_add_test(tc, kernel_matrices_begin_with_a_serial);
    tcase_add_test(tc, basis_is_a_list_of_names);
    tcase_add_test(tc, a_basis_must_fit_the_kernel);
    tcase_add_test(tc, gamma_zero_is_one_over_the_largest_index);
    suite_add_tcase(suite, tc);
    return suite;
}
