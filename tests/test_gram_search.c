/* gram_search.c: what it finds against the formulas over all rows. */
#include "problems.h"
#include "search/gram_search.h"
#include "search/sweep.h"
#include "suites.h"

enum { N = 150, CAPACITY = 60, TAKEN = 50 };

static const rvm_climb_settings settle = {
    .tolerance = 1e-3, .max_moves = 30, .iterations = 30, .newton = 1e-5
};

typedef struct {
    rvm_study y;
    rvm_gram_search g;
} case_data;

static void case_init(case_data *x, rvm_problem *p, const rvm_settings *s, double kept, int threads)
{
    rvm_error err = { 0 };
    CHECK_OK(rvm_study_init(&x->y, p, s, &s->kernel, 1, &err));
    rvm_problem_free(p);
    CHECK_OK(rvm_gram_search_init(&x->g, &x->y, CAPACITY, kept, threads, &err));
    CHECK_OK(rvm_gram_search_take_rows(&x->g, &x->y, &err));
}

static void case_free(case_data *x)
{
    rvm_gram_search_free(&x->g);
    rvm_study_free(&x->y);
}

static void regression_case(case_data *x, double kept, int threads)
{
    const rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.8);
    case_init(x, smooth_problem(N, 6), &s, kept, threads);
    x->g.search.now->ln_beta = -log(0.003);
}

static void classes_case(case_data *x, double kept, int threads)
{
    const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.8);
    case_init(x, cloud_problem(N, 6), &s, kept, threads);
    x->g.search.now->ln_beta = 0;
}

/* Every third candidate, the bias first, with the precision that training starts from. */
static void take_candidates(case_data *x)
{
    size_t id[TAKEN];
    double ln_alpha[TAKEN];
    rvm_error err = { 0 };
    for (size_t k = 0; k < TAKEN; k++) {
        id[k] = 3 * k;
        ln_alpha[k] =
            fmin(rvm_study_ln_alpha(&x->y), k == 0 ? x->y.observed.bias_ln_alpha_max : INFINITY);
    }
    CHECK_OK(rvm_gram_search_add(&x->g, id, ln_alpha, TAKEN, &err));
}

static void run(case_data *x, int sweeps)
{
    rvm_error err = { 0 };
    CHECK_OK(rvm_gram_search_run(&x->g, sweeps, &settle, &err));
}

/* The active functions as a design of columns in memory, and a fit to it. */
static void in_memory(rvm_columns *d, rvm_fit *f, const case_data *x)
{
    const rvm_fit *now = x->g.search.now;
    const rvm_observed *o = &x->y.observed;
    rvm_error err = { 0 };
    columns_in_memory(d, &x->y.basis, x->g.columns.id, now->K, o->likelihood->curved ? NULL : o->t);
    CHECK_OK(rvm_fit_init(f, now->K, o->N, &err));
    for (size_t i = 0; i < now->K; i++)
        rvm_fit_add(f, i, now->ln_alpha[i]);
    f->ln_beta = now->ln_beta;
}

/* Functions are the columns in order, and nothing is left of those that were dropped. */
static void check_order(const case_data *x)
{
    const rvm_fit *f = x->g.search.now;
    ck_assert_uint_eq(x->g.columns.count, f->K);
    for (size_t i = 0; i < f->K; i++) {
        ck_assert_uint_eq(f->column[i], i);
        ck_assert_uint_eq(x->g.columns.id[i] % 3, 0);
        if (i > 0)
            ck_assert_uint_gt(x->g.columns.id[i], x->g.columns.id[i - 1]);
    }
}

/* ---- Regression ----------------------------------------------------------------------------- */

static void check_regression_evidence(const case_data *x)
{
    rvm_columns d;
    rvm_fit f;
    in_memory(&d, &f, x);
    ck_assert_double_eq_tol(x->g.search.now->log_evidence,
                            gaussian_evidence(&f, &d, x->y.observed.t), 1e-6);
    rvm_fit_free(&f);
    rvm_columns_free(&d);
}

/* The log evidence is that of the N x N form, and grows with the sweeps. */
START_TEST(regression_raises_the_evidence)
    {
        case_data x;
        double before = -INFINITY;
        regression_case(&x, _i == 0 ? 1e9 : 0, 1);
        take_candidates(&x);
        for (int k = 0; k < 4; k++) {
            run(&x, 2);
            ck_assert_double_ge(x.g.search.now->log_evidence, before - 1e-6);
            before = x.g.search.now->log_evidence;
            check_order(&x);
            check_regression_evidence(&x);
        }
        ck_assert_uint_lt(x.g.columns.count, TAKEN / 2);
        case_free(&x);
    }
END_TEST

/* At the end of a search the fixed point holds, alpha = gamma / mu^2 and beta likewise: Tipping
 * (2001), equations 16 to 18, from sums over the rows. */
START_TEST(regression_ends_at_a_fixed_point)
    {
        case_data x;
        rvm_columns d;
        rvm_fit f;
        regression_case(&x, 1e9, 1);
        take_candidates(&x);
        run(&x, 10);
        in_memory(&d, &f, &x);
        const double beta = exp(f.ln_beta), *t = x.y.observed.t;
        gsl_matrix *P = gsl_matrix_alloc(f.K, f.K);
        double right[CAPACITY], mu[CAPACITY], misfit = 0, determined = 0;
        for (size_t i = 0; i < f.K; i++) {
            right[i] = beta * d.p[i];
            for (size_t j = 0; j < f.K; j++)
                gsl_matrix_set(
                    P, i, j, beta * gsl_matrix_get(d.G, i, j) + (i == j ? exp(f.ln_alpha[i]) : 0));
        }
        gsl_matrix *copy = gsl_matrix_alloc(f.K, f.K);
        gsl_matrix_memcpy(copy, P);
        solve_lu(mu, copy, right);
        for (size_t i = 0; i < f.K; i++) {
            double unit[CAPACITY] = { 0 };
            unit[i] = 1;
            const double gamma = 1 - exp(f.ln_alpha[i]) * inverse_form(P, unit, unit);
            determined += gamma;
            if (i > 0) /* the bias may be at the bound of its prior */
                ck_assert_double_eq_tol(exp(f.ln_alpha[i]) * mu[i] * mu[i] / gamma, 1, 0.05);
        }
        for (size_t n = 0; n < N; n++) {
            double r = t[n];
            for (size_t i = 0; i < f.K; i++)
                r -= mu[i] * gsl_matrix_get(d.PhiT, i, n);
            misfit += r * r;
        }
        ck_assert_double_eq_tol(beta * misfit / (N - determined), 1, 0.01);
        gsl_matrix_free(P);
        gsl_matrix_free(copy);
        rvm_fit_free(&f);
        rvm_columns_free(&d);
        case_free(&x);
    }
END_TEST

/* ---- Two classes ---------------------------------------------------------------------------- */

/* `off`: what the last step towards the mode, of less than 1e-4 nats, may do to ln|H|. */
static void check_classes_evidence(const case_data *x, double off)
{
    rvm_columns d;
    rvm_fit f;
    rvm_scratch ws;
    rvm_error err = { 0 };
    in_memory(&d, &f, x);
    CHECK_OK(rvm_scratch_init(&ws, f.K, N, true, 1, &err));
    ck_assert(rvm_bernoulli.posterior(&f, &x->y.observed, &d, &ws));
    ck_assert_double_eq_tol(x->g.search.now->log_evidence, f.log_evidence, off);
    ck_assert_double_lt(f.log_evidence, 0);
    rvm_scratch_free(&ws);
    rvm_fit_free(&f);
    rvm_columns_free(&d);
}

/* The log evidence is that of bernoulli.c, which has the columns in memory and Newton's method to
 * the end; it is above that of no function at all, N ln 1/2. */
START_TEST(classes_raise_the_evidence)
    {
        case_data x;
        classes_case(&x, _i == 0 ? 1e9 : 0, 1);
        take_candidates(&x);
        run(&x, 10);
        check_order(&x);
        check_classes_evidence(&x, 5e-3);
        const double first = x.g.search.now->log_evidence;
        ck_assert_double_gt(first, -N * log(2) + 10);
        run(&x, 5);
        check_classes_evidence(&x, 5e-3);
        ck_assert_double_gt(x.g.search.now->log_evidence, first - 0.5);
        ck_assert_uint_lt(x.g.columns.count, TAKEN / 2);
        case_free(&x);
    }
END_TEST

/* The search over the approximation ends where one over all rows does: sweeps and climbing with
 * bernoulli.c from the same functions. */
START_TEST(classes_end_where_a_search_over_the_rows_does)
    {
        case_data x;
        rvm_error err = { 0 };
        classes_case(&x, 1e9, 1);
        take_candidates(&x);
        rvm_columns d;
        rvm_climber s;
        bool converged;
        columns_in_memory(&d, &x.y.basis, x.g.columns.id, TAKEN, NULL);
        CHECK_OK(rvm_climber_init(&s, &(const rvm_output){ &x.y.observed, &d }, 1, TAKEN, 1, &err));
        CHECK_OK(rvm_statistics_init(&s.statistics, TAKEN, TAKEN, &err));
        for (size_t k = 0; k < TAKEN; k++)
            rvm_fit_add(s.now, k, x.g.search.now->ln_alpha[k]);
        s.now->ln_beta = 0;
        CHECK_OK(rvm_sweep_run(&s, 10, 2, &err));
        rvm_climb_run(&s, &settle, &converged);
        run(&x, 10);
        run(&x, 5);
        ck_assert_double_eq_tol(x.g.search.now->log_evidence, s.now->log_evidence, 3);
        rvm_climber_free(&s);
        rvm_columns_free(&d);
        case_free(&x);
    }
END_TEST

/* Classes that a circle parts: the weights could grow without end, were it not for the prior. */
START_TEST(parted_classes_do_not_run_away)
    {
        const rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.8);
        rvm_problem *p = empty_problem();
        case_data x;
        for (size_t n = 0; n < N; n++) {
            const double r = n % 2 == 0 ? 0.5 : 2, angle = (double)n;
            const double at[] = { r * cos(angle), r * sin(angle) };
            append_dense(p, n % 2 == 0 ? 1 : -1, at, 2);
        }
        case_init(&x, p, &s, 1e9, 1);
        rvm_fit *f = x.g.search.now;
        take_candidates(&x);
        for (int k = 0; k < 3; k++) {
            run(&x, 8);
            check_classes_evidence(&x, 0.05); /* all y are near 0 or 1, and f is known badly */
            ck_assert_double_gt(f->log_evidence, -40);
            ck_assert_double_lt(f->log_evidence, 0);
            ck_assert_uint_gt(f->K, 0);
            for (size_t i = 0; i < f->K; i++)
                ck_assert(isfinite(f->u[i]) && f->ln_alpha[i] >= x.y.observed.ln_alpha_min);
        }
        case_free(&x);
    }
END_TEST

/* ---- Both ----------------------------------------------------------------------------------- */

static void any_case(case_data *x, bool regression, double kept, int threads)
{
    if (regression)
        regression_case(x, kept, threads);
    else
        classes_case(x, kept, threads);
}

START_TEST(restored_points_are_the_same)
    {
        case_data x;
        rvm_solution kept;
        rvm_error err = { 0 };
        any_case(&x, _i < 2, _i % 2 == 0 ? 1e9 : 0, 1);
        take_candidates(&x);
        run(&x, 6);
        const rvm_fit *f = x.g.search.now;
        const size_t K = f->K;
        CHECK_OK(rvm_solution_init(&kept, 1, false, &err));
        CHECK_OK(rvm_gram_search_save(&kept, 0, &x.g, &err));
        /* Others come in, and all of it moves. */
        const size_t more[] = { 1, 2, 4, 5, 7, 8 };
        const double ln_alpha[] = { -5, -5, -5, -5, -5, -5 };
        CHECK_OK(rvm_gram_search_add(&x.g, more, ln_alpha, 6, &err));
        ck_assert_uint_eq(x.g.columns.count, K + 6);
        run(&x, 2);
        CHECK_OK(rvm_gram_search_restore(&x.g, kept.latent, &err));
        ck_assert_uint_eq(x.g.columns.count, K);
        ck_assert_mem_eq(x.g.columns.id, kept.latent->id, K * sizeof(size_t));
        ck_assert_mem_eq(f->ln_alpha, kept.latent->ln_alpha, K * sizeof(double));
        /* Two classes are there once a step would promise less than 1e-4 nats. */
        ck_assert_double_eq_tol(f->log_evidence, kept.latent->log_evidence, _i < 2 ? 1e-8 : 5e-3);
        if (_i < 2)
            check_regression_evidence(&x);
        else
            check_classes_evidence(&x, 5e-3);
        rvm_solution_free(&kept);
        case_free(&x);
    }
END_TEST

/* Neither threads nor memory change a bit. */
START_TEST(found_to_the_last_bit)
    {
        case_data x, y;
        any_case(&x, _i == 0, 1e9, 1);
        take_candidates(&x);
        run(&x, 6);
        const rvm_fit *a = x.g.search.now;
        for (int k = 1; k < 4; k++) {
            any_case(&y, _i == 0, k == 1 ? 1e9 : 0, k);
            take_candidates(&y);
            run(&y, 6);
            const rvm_fit *b = y.g.search.now;
            ck_assert_uint_eq(a->K, b->K);
            ck_assert_mem_eq(a->ln_alpha, b->ln_alpha, a->K * sizeof(double));
            ck_assert_mem_eq(a->u, b->u, a->K * sizeof(double));
            ck_assert_mem_eq(x.g.columns.id, y.g.columns.id, a->K * sizeof(size_t));
            ck_assert_double_eq(a->log_evidence, b->log_evidence);
            case_free(&y);
        }
        case_free(&x);
    }
END_TEST

/* A linear kernel at a row of zeros is 0 everywhere, and its precision goes with it. */
START_TEST(functions_without_values_are_left_out)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_LINEAR, 0);
        const size_t id[] = { 0, 1, 2, 3 };
        const double ln_alpha[] = { -1, -2, -3, -4 };
        case_data x;
        rvm_error err = { 0 };
        case_init(&x, problem_from_text("1 1:-1\n2\n3 1:4\n", (rvm_grammar){ 0 }), &s, 1e9, 1);
        CHECK_OK(rvm_gram_search_add(&x.g, id, ln_alpha, 4, &err));
        const rvm_fit *f = x.g.search.now;
        ck_assert_uint_eq(f->K, 3);
        ck_assert_double_eq(f->ln_alpha[0], -1);
        ck_assert_double_eq(f->ln_alpha[1], -2);
        ck_assert_double_eq(f->ln_alpha[2], -4);
        ck_assert_uint_eq(f->column[2], 2);
        ck_assert_uint_eq(x.g.columns.id[2], 3);
        case_free(&x);
    }
END_TEST

/* A linear kernel at (a, 0) or (0, b), on rows (1, 0) (0, 1) (0, 4) (2, 0) (3, 0) and then on
 * (2, 0) and (3, 0) alone: columns of the first kind have the norms a sqrt 14 and a sqrt 13, those
 * of the second have no values any more. What multiplies the kernel,
 * u / (sqrt(alpha) norm), stays. */
START_TEST(other_rows_leave_the_functions)
    {
        const rvm_settings s = settings_for(RVM_REGRESSION, RVM_LINEAR, 0);
        case_data x;
        rvm_study part;
        rvm_error err = { 0 };
        size_t id[5], row[2], rows = 0, left[3], K = 0;
        double ln_alpha[5];
        case_init(&x, problem_from_text("1 2:1\n2 1:1\n4 2:4\n3 1:2\n7 1:3\n", (rvm_grammar){ 0 }),
                  &s, 1e9, 1);
        const rvm_problem *p = x.y.p;
        const size_t first = x.y.basis.bias ? 1 : 0;
        ck_assert_uint_eq(x.y.basis.count, 5 + first);
        for (size_t n = 0; n < 5; n++) {
            const size_t at = p->start[n];
            id[n] = n + first;
            ln_alpha[n] = -1 - (double)n;
            if (p->index[at] == 2)
                continue;
            left[K++] = n;
            if (p->value[at] > 1.5)
                row[rows++] = n;
        }
        ck_assert(K == 3 && rows == 2 && left[2] > 2); /* one that goes comes before */
        CHECK_OK(rvm_gram_search_add(&x.g, id, ln_alpha, 5, &err));
        rvm_fit *f = x.g.search.now;
        for (size_t i = 0; i < 5; i++)
            f->u[i] = 0.3 + (double)i;
        CHECK_OK(rvm_study_part(&part, &x.y, row, 2, &err));
        rvm_solution kept;
        CHECK_OK(rvm_solution_init(&kept, 1, false, &err));
        CHECK_OK(rvm_gram_search_save(&kept, 0, &x.g, &err));
        CHECK_OK(rvm_gram_search_carry(&x.g, &part, kept.latent, &err));
        rvm_solution_free(&kept);
        ck_assert_uint_eq(f->K, 3);
        for (size_t i = 0; i < 3; i++) {
            ck_assert_uint_eq(f->column[i], i);
            ck_assert_uint_eq(x.g.columns.id[i], id[left[i]]);
            ck_assert_double_eq(f->u[i], 0.3 + (double)left[i]);
            ck_assert_double_eq_tol(f->ln_alpha[i], -1 - (double)left[i] + log(14.0 / 13), 1e-13);
        }
        case_free(&x);
        rvm_study_free(&part);
    }
END_TEST

Suite *gram_search_suite(void);
Suite *gram_search_suite(void)
{
    Suite *s = suite_create("gram_search");
    TCase *c = tcase_create("gram_search");
    tcase_add_loop_test(c, regression_raises_the_evidence, 0, 2);
    tcase_add_test(c, regression_ends_at_a_fixed_point);
    tcase_add_loop_test(c, classes_raise_the_evidence, 0, 2);
    tcase_add_test(c, classes_end_where_a_search_over_the_rows_does);
    tcase_add_test(c, parted_classes_do_not_run_away);
    tcase_add_loop_test(c, restored_points_are_the_same, 0, 4);
    tcase_add_loop_test(c, found_to_the_last_bit, 0, 2);
    tcase_add_test(c, functions_without_values_are_left_out);
    tcase_add_test(c, other_rows_leave_the_functions);
    suite_add_tcase(s, c);
    return s;
}
