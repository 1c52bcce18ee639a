/* climb.c: at its end no single function more, or less, is worth while. */
#include "problems.h"
#include "search/climb.h"
#include "suites.h"

static const rvm_climb_settings climb = {
    .tolerance = 1e-3, .max_moves = 1000, .iterations = 40, .newton = 1e-7
};

static const rvm_climb_settings one_move = {
    .tolerance = 1e-3, .max_moves = 1, .iterations = 40, .newton = 1e-7
};

static void climb_from_nothing(bench *b, bool *converged)
{
    rvm_error err = { 0 };
    rvm_fit *f = b->search.now;
    f->K = 0;
    f->ln_beta = b->study.observed.likelihood->has_noise ? -log(0.5) : 0;
    if (b->study.observed.bias_ln_alpha_max < INFINITY)
        rvm_fit_add(f, 0, b->study.observed.bias_ln_alpha_max);
    CHECK_OK(rvm_climber_locate(&b->search, &err));
    rvm_climb_run(&b->search, &climb, converged);
}

/* Tries every function that is out, over a grid of precisions, in the N x N form: none gains more
 * than the tolerance. Likewise every deletion. */
static void check_local_optimum(bench *b)
{
    rvm_fit *f = b->search.now, *g = b->search.trial;
    const double *t = b->study.observed.t;
    const double here = gaussian_evidence(f, &b->design, t);
    check_close(f->log_evidence, here, 1e-8);
    for (size_t m = 0; m < b->design.count; m++) {
        const size_t i = rvm_fit_find(f, m);
        rvm_fit_copy(g, f);
        if (i < f->K) {
            if (m == 0)
                continue; /* the bias stays */
            rvm_fit_remove(g, i);
            ck_assert_double_le(gaussian_evidence(g, &b->design, t), here + 1e-6);
            continue;
        }
        rvm_fit_add(g, m, 0);
        for (double ln_alpha = -6; ln_alpha <= 9; ln_alpha += 1.5) {
            g->ln_alpha[f->K] = ln_alpha;
            ck_assert_double_le(gaussian_evidence(g, &b->design, t), here + climb.tolerance);
        }
    }
}

START_TEST(no_single_change_gains)
    {
        rvm_problem *p = _i == 0 ? sinc_problem(30, 0.1, 3) : smooth_problem(30, 5);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, _i == 0 ? 0.1 : 0.7);
        bool converged = false;
        bench b;
        bench_init(&b, p, &s);
        climb_from_nothing(&b, &converged);
        ck_assert(converged);
        ck_assert_uint_gt(b.search.now->K, 2);
        check_local_optimum(&b);
        bench_free(&b);
        rvm_problem_free(p);
    }
END_TEST

/* q^2 <= s, or a gain below the tolerance, for what is out; for classes with the curvature held. */
START_TEST(no_candidate_for_classes)
    {
        rvm_problem *p = cloud_problem(60, 4);
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
        bool converged = false;
        bench b;
        bench_init(&b, p, &s);
        climb_from_nothing(&b, &converged);
        ck_assert(converged);
        const rvm_fit *f = b.search.now;
        double noise[60];
        ck_assert_uint_gt(f->K, 0);
        for (size_t n = 0; n < 60; n++)
            noise[n] = 1 / f->curvature[n];
        gsl_matrix *C = covariance(f, &b.design, noise);
        int asked = 0;
        for (size_t m = 0; m < b.design.count; m++) {
            if (rvm_fit_find(f, m) < f->K)
                continue;
            const double *phi = gsl_matrix_const_ptr(b.design.PhiT, m, 0);
            const double S = inverse_form(C, phi, phi);
            double Q = 0;
            for (size_t n = 0; n < 60; n++)
                Q += phi[n] * f->gradient[n];
            const double r = Q * Q / S;
            ck_assert_double_lt(r > 1 ? 0.5 * (r - 1 - log(r)) : 0, 0.05);
            asked++;
        }
        ck_assert_int_gt(asked, 40);
        gsl_matrix_free(C);
        bench_free(&b);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(twice_the_same)
    {
        rvm_problem *p = smooth_problem(60, 6);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        bool converged;
        bench a, b;
        bench_init(&a, p, &s);
        bench_init(&b, p, &s);
        climb_from_nothing(&a, &converged);
        climb_from_nothing(&b, &converged);
        const rvm_fit *f = a.search.now, *g = b.search.now;
        ck_assert_uint_eq(f->K, g->K);
        ck_assert_mem_eq(f->column, g->column, f->K * sizeof *f->column);
        ck_assert_mem_eq(f->ln_alpha, g->ln_alpha, f->K * sizeof *f->ln_alpha);
        ck_assert_mem_eq(&f->log_evidence, &g->log_evidence, sizeof f->log_evidence);
        bench_free(&a);
        bench_free(&b);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(evidence_rises_move_by_move)
    {
        rvm_problem *p = smooth_problem(60, 7);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_error err = { 0 };
        bool converged = false;
        int moves = 0;
        bench b;
        bench_init(&b, p, &s);
        b.search.now->ln_beta = 0;
        CHECK_OK(rvm_climber_locate(&b.search, &err)); /* no function at all, no bias either */
        double before = b.search.now->log_evidence;
        for (; moves < 200 && !converged; moves++) {
            rvm_climb_run(&b.search, &one_move, &converged);
            ck_assert_double_ge(b.search.now->log_evidence, before - 1e-8);
            before = b.search.now->log_evidence;
        }
        ck_assert(converged);
        ck_assert_int_gt(moves, 3);
        bench_free(&b);
        rvm_problem_free(p);
    }
END_TEST

/* Not at an optimum after one move, and said so. */
START_TEST(moves_run_out)
    {
        rvm_problem *p = smooth_problem(60, 6);
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        rvm_error err = { 0 };
        bool converged = true;
        bench b;
        bench_init(&b, p, &s);
        b.search.now->ln_beta = 0;
        CHECK_OK(rvm_climber_locate(&b.search, &err));
        rvm_climb_run(&b.search, &one_move, &converged);
        ck_assert(!converged);
        ck_assert_uint_gt(b.search.now->K, 0);
        bench_free(&b);
        rvm_problem_free(p);
    }
END_TEST

Suite *climb_suite(void);
Suite *climb_suite(void)
{
    Suite *s = suite_create("climb");
    TCase *c = tcase_create("climb");
    tcase_add_loop_test(c, no_single_change_gains, 0, 2);
    tcase_add_test(c, no_candidate_for_classes);
    tcase_add_test(c, twice_the_same);
    tcase_add_test(c, evidence_rises_move_by_move);
    tcase_add_test(c, moves_run_out);
    suite_add_tcase(s, c);
    return s;
}
