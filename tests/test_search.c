/* search.c: what holds for every search that training may take. */
#include "suites.h"
#include "trained.h"

/* ---- Looking on ----------------------------------------------------------------------------- */

enum { ROWS = 60 };

/* Rows in the unit square whose first target is a class of so many, or whose targets are waves. */
static rvm_problem *case_problem(int classes, bool several)
{
    const char *const format = several ? "%g,%g 1:%g 2:%g\n" : "%g 1:%.9g 2:%.9g\n";
    char text[ROWS * 64], *at = text;
    gsl_rng *rng = random_numbers(31);
    for (int n = 0; n < ROWS; n++) {
        const double x = gsl_rng_uniform(rng), z = gsl_rng_uniform(rng);
        const double noise = 0.1 * gsl_ran_gaussian(rng, 1);
        const double wave = sin(6 * x) + z + noise;
        const double t = classes > 0 ? floor(classes * fmin(fmax(x + noise, 0), 0.999)) : wave;
        const size_t left = sizeof text - (size_t)(at - text);
        at += several ? snprintf(at, left, format, wave, cos(6 * x) - noise, x, z)
                      : snprintf(at, left, format, t, x, z);
    }
    gsl_rng_free(rng);
    return problem_from_text(text, (rvm_grammar){ .outputs = several });
}

/* All that leads to a search of its own, or to something before or after one. */
static const struct {
    int classes; /* 0: regression */
    bool several, ard;
    rvm_method method;
    rvm_multiclass multiclass;
    double budget_mb; /* 0: as usual */
} cases[] = {
    { 0, false, false, RVM_METHOD_AUTO, RVM_SOFTMAX, 0 },
    { 0, false, false, RVM_METHOD_AUTO, RVM_SOFTMAX, 0.5 },
    { 0, true, false, RVM_METHOD_AUTO, RVM_SOFTMAX, 0 },
    { 2, false, false, RVM_METHOD_AUTO, RVM_SOFTMAX, 0 },
    { 2, false, false, RVM_METHOD_AUTO, RVM_SOFTMAX, 0.5 },
    { 3, false, false, RVM_METHOD_AUTO, RVM_SOFTMAX, 0 },
    { 3, false, false, RVM_METHOD_AUTO, RVM_ONE_VS_REST, 0 },
    { 0, false, false, RVM_METHOD_MACKAY, RVM_SOFTMAX, 0 },
    { 2, false, false, RVM_METHOD_EM, RVM_SOFTMAX, 0 },
    { 3, false, false, RVM_METHOD_SEQUENTIAL, RVM_SOFTMAX, 0 },
    { 0, false, true, RVM_METHOD_AUTO, RVM_SOFTMAX, 0 },
    { 3, false, true, RVM_METHOD_AUTO, RVM_SOFTMAX, 0 },
    { 0, false, false, RVM_METHOD_GIBBS, RVM_SOFTMAX, 0 },
    { 2, false, false, RVM_METHOD_GIBBS, RVM_SOFTMAX, 0 },
};
enum { CASES = sizeof cases / sizeof *cases };

static rvm_settings case_settings(int number)
{
    rvm_settings s =
        settings_for(cases[number].classes > 0 ? RVM_CLASSIFICATION : RVM_REGRESSION, RVM_RBF, 4);
    s.method = cases[number].method;
    s.multiclass = cases[number].multiclass;
    s.ard = cases[number].ard;
    s.restarts = 9;
    if (cases[number].budget_mb > 0)
        s.budget_mb = cases[number].budget_mb;
    s.sampling.chains = 2;
    s.sampling.samples = 60;
    s.sampling.burn_in = 20;
    if (s.method == RVM_METHOD_EM)
        s.tolerance = 0.1;
    return s;
}

/* The model at the end, and how many steps that took. */
static rvm_model *train_in_steps(int *steps, const rvm_problem *p, const rvm_settings *s,
                                 bool ask_after_each)
{
    rvm_trainer *tr = NULL;
    rvm_report r = { 0 };
    rvm_model *m = NULL;
    rvm_error err = { 0 };
    CHECK_OK(rvm_trainer_alloc(&tr, p, s, &err));
    for (*steps = 0; !r.done; ++*steps) {
        CHECK_OK(rvm_trainer_step(&r, tr, &err));
        if (!ask_after_each)
            continue;
        CHECK_OK(rvm_trainer_model(&m, tr, &err));
        check_finite_predictions(m, p);
        rvm_model_free(m);
    }
    CHECK_OK(rvm_trainer_model(&m, tr, &err));
    rvm_trainer_free(tr);
    return m;
}

/* A trainer that was asked for its model after every step ends like one that never was. */
START_TEST(looking_changes_nothing)
    {
        rvm_problem *p = case_problem(cases[_i].classes, cases[_i].several);
        const rvm_settings s = case_settings(_i);
        int steps = 0, steps_asked = 0;
        rvm_model *never = train_in_steps(&steps, p, &s, false);
        rvm_model *always = train_in_steps(&steps_asked, p, &s, true);
        char *x = bytes_of(never), *y = bytes_of(always);
        ck_assert_int_gt(steps, 1);
        ck_assert_int_eq(steps, steps_asked);
        ck_assert_str_eq(x, y);
        free(x);
        free(y);
        rvm_model_free(never);
        rvm_model_free(always);
        rvm_problem_free(p);
    }
END_TEST

Suite *search_suite(void);
Suite *search_suite(void)
{
    Suite *s = suite_create("search");
    TCase *c = tcase_create("all searches");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, looking_changes_nothing, 0, CASES);
    suite_add_tcase(s, c);
    return s;
}
