/* thin.c: what functions can take over from others, without loss and with. */
#include "problems.h"
#include "search/newton.h"
#include "search/thin.h"
#include "suites.h"

enum { N = 25, MOST = 12 };

typedef struct {
    rvm_columns d;
    rvm_observed o;
    rvm_climber s;
    double t[N];
} case_data;

/* Columns that are combinations of `dimensions` random directions, all of norm 1; targets that
 * the first direction explains in part, noise of variance 0.3. */
static void case_init(case_data *x, size_t columns, size_t dimensions)
{
    rvm_error err = { 0 };
    memset(x, 0, sizeof *x);
    random_targets(x->t, N, 3);
    random_design(&x->d, N, columns, x->t, 5);
    gsl_rng *rng = random_numbers(9);
    for (size_t i = dimensions; i < columns; i++) {
        gsl_vector_view to = gsl_matrix_row(x->d.PhiT, i);
        gsl_vector_set_zero(&to.vector);
        for (size_t k = 0; k < dimensions; k++) {
            gsl_vector_const_view from = gsl_matrix_const_row(x->d.PhiT, k);
            gsl_blas_daxpy(gsl_ran_gaussian(rng, 1), &from.vector, &to.vector);
        }
        gsl_vector_scale(&to.vector, 1 / gsl_blas_dnrm2(&to.vector));
    }
    gsl_rng_free(rng);
    for (size_t n = 0; n < N; n++)
        x->t[n] += 5 * gsl_matrix_get(x->d.PhiT, 0, n) +
                   (dimensions > 1 ? 4 * gsl_matrix_get(x->d.PhiT, 1, n) : 0);
    fill_gram(&x->d);
    x->o = observe(&rvm_gaussian, x->t, N);
    x->o.noise_fixed = true;
    x->o.ln_beta = x->o.ln_beta_max = -log(0.3);
    CHECK_OK(rvm_climber_init(&x->s, &(const rvm_output){ &x->o, &x->d }, 1, columns, 1, &err));
    x->s.now->ln_beta = x->o.ln_beta;
}

static void case_free(case_data *x)
{
    rvm_climber_free(&x->s);
    rvm_columns_free(&x->d);
}

static void check_taken_over(const case_data *x, double before)
{
    const rvm_fit *f = x->s.now;
    check_close(gaussian_evidence(f, &x->d, x->t), before, 1e-9);
    check_close(f->log_evidence, before, 1e-9);
}

static double angle(size_t i)
{
    return 0.3 + 1.7 * (double)i + 0.01 * (double)(i * i);
}

static void add_product(double *sum, double a, double times)
{
    sum[0] += times * cos(a) * cos(a);
    sum[1] += times * cos(a) * sin(a);
    sum[2] += times * sin(a) * sin(a);
}

/* Alone, a column of norm 1 has S = beta and Q = beta phi't, and its best variance is
 * (Q^2 - S) / S^2. Divided among twins, some of the opposite sign, it is the same function. */
START_TEST(twins_give_their_variance_to_one)
    {
        const double share[] = { 0.5, 0.2, 0.25, 0.05 };
        rvm_error err = { 0 };
        case_data x;
        case_init(&x, 4, 1);
        const double S = exp(x.o.ln_beta), Q = S * x.d.p[0], variance = (Q * Q - S) / (S * S);
        ck_assert_double_gt(variance, 0);
        for (size_t i = 0; i < 4; i++)
            rvm_fit_add(x.s.now, i, -log(share[i] * variance));
        CHECK_OK(rvm_climber_locate(&x.s, &err));
        const double before = gaussian_evidence(x.s.now, &x.d, x.t);
        ck_assert_uint_eq(rvm_thin_out(&x.s, 1e-6), 3);
        ck_assert_uint_eq(x.s.now->K, 1);
        check_close(exp(-x.s.now->ln_alpha[0]), variance, 1e-6);
        check_taken_over(&x, before);
        case_free(&x);
    }
END_TEST

/* An evidence that knows only the sum C of x_i v_i v_i' over v_i = (cos a_i, sin a_i), by its
 * distance from where it is: M_ij = -(v_i'v_j)^2. Symmetric matrices of two dimensions have three
 * numbers, so that three vectors do. */
START_TEST(no_more_than_the_rank)
    {
        const double gradient[MOST] = { 0 };
        const bool stays[MOST] = { false };
        double share[MOST], was[3] = { 0 }, is[3] = { 0 };
        size_t gone[MOST];
        gsl_matrix *h = gsl_matrix_alloc(MOST, MOST), *scratch = gsl_matrix_alloc(MOST, MOST);
        for (size_t i = 0; i < MOST; i++)
            for (size_t j = 0; j < MOST; j++)
                gsl_matrix_set(h, i, j, -gsl_pow_2(cos(angle(i) - angle(j))));
        ck_assert_uint_eq(
            rvm_thin_choose(gone, share, h, scratch, gradient, stays, MOST, 1e-6, MOST, 1),
            MOST - 3);
        for (size_t i = 0; i < MOST; i++) {
            ck_assert_double_ge(share[i], 0);
            add_product(was, angle(i), 1);
            add_product(is, angle(i), share[i]);
        }
        for (size_t k = 0; k < 3; k++)
            check_close(is[k], was[k], 1e-4);
        gsl_matrix_free(h);
        gsl_matrix_free(scratch);
    }
END_TEST

/* Directions of their own: each that goes costs what the best model without it lacks. */
START_TEST(what_is_of_use_stays)
    {
        rvm_error err = { 0 };
        bool converged;
        case_data x;
        case_init(&x, 2, 2);
        rvm_fit_add(x.s.now, 0, 0);
        rvm_fit_add(x.s.now, 1, 0);
        CHECK_OK(rvm_climber_locate(&x.s, &err));
        rvm_newton_run(&x.s, 100, 1e-10, &converged);
        ck_assert(converged && x.s.now->K == 2);
        const double before = x.s.now->log_evidence;
        ck_assert_uint_eq(rvm_thin_out(&x.s, 0.01), 0);
        ck_assert_uint_eq(x.s.now->K, 2);
        ck_assert_double_eq(x.s.now->log_evidence, before);
        case_free(&x);
    }
END_TEST

/* Twins as above, and nobody waits for one of them to go. */
START_TEST(nothing_after_an_interrupt)
    {
        const volatile int interrupted = 1;
        rvm_error err = { 0 };
        case_data x;
        case_init(&x, 2, 1);
        rvm_fit_add(x.s.now, 0, 0);
        rvm_fit_add(x.s.now, 1, 0);
        CHECK_OK(rvm_climber_locate(&x.s, &err));
        x.o.interrupted = &interrupted;
        ck_assert_uint_eq(rvm_thin_out(&x.s, 1e-3), 0);
        x.o.interrupted = NULL;
        ck_assert_uint_eq(rvm_thin_out(&x.s, 1e-3), 1);
        case_free(&x);
    }
END_TEST

/* A prior that each function pays for tells one function from two of half the variance. */
START_TEST(a_prior_tells_twins_apart)
    {
        rvm_error err = { 0 };
        case_data x;
        case_init(&x, 2, 1);
        x.o.weight_prior = (rvm_prior){ .shape = 1, .rate = 1 };
        rvm_fit_add(x.s.now, 0, 0);
        rvm_fit_add(x.s.now, 1, 0);
        CHECK_OK(rvm_climber_locate(&x.s, &err));
        ck_assert_uint_eq(rvm_thin_out(&x.s, 1e-3), 0);
        ck_assert_uint_eq(x.s.now->K, 2);
        case_free(&x);
    }
END_TEST

/* x_1 and x_2 enter the evidence -1/2 (x_1 + x_2 - 2)^2 + const by their sum, x_3 alone: by
 * ln alpha, at x = 1, the gradient is 0 and the Hessian -(1 1 0; 1 1 0; 0 0 4). Without x_1 the
 * other is 2; x_3 costs 4/2 = 2 nats. */
START_TEST(choice_by_hand)
    {
        const double by_hand[] = { -1, -1, 0, 0, -1, -1, 0, 0, 0, 0, -4, 0, 0, 0, 0, 0 };
        const double gradient[4] = { 0 };
        const bool stays[3] = { _i == 1, false, false };
        size_t gone[3];
        double share[4];
        gsl_matrix *h = gsl_matrix_alloc(4, 4), *scratch = gsl_matrix_alloc(4, 4);
        memcpy(h->data, by_hand, sizeof by_hand);
        const size_t count =
            rvm_thin_choose(gone, share, h, scratch, gradient, stays, 3, 1.9, 3, 1);
        ck_assert_uint_eq(count, 1);
        ck_assert(_i == 0 || gone[0] == 1);
        check_close(share[0] + share[1], 2, 1e-5);
        ck_assert_double_eq(share[gone[0]], 0);
        check_close(share[2], 1, 1e-12);
        ck_assert_double_eq(share[3], 0);
        memcpy(h->data, by_hand, sizeof by_hand);
        ck_assert_uint_eq(rvm_thin_choose(gone, share, h, scratch, gradient, stays, 3, 2.1, 3, 1),
                          2 + (_i == 0));
        gsl_matrix_free(h);
        gsl_matrix_free(scratch);
    }
END_TEST

Suite *thin_suite(void);
Suite *thin_suite(void)
{
    Suite *s = suite_create("thin");
    TCase *c = tcase_create("thin");
    tcase_add_test(c, twins_give_their_variance_to_one);
    tcase_add_test(c, no_more_than_the_rank);
    tcase_add_test(c, what_is_of_use_stays);
    tcase_add_test(c, nothing_after_an_interrupt);
    tcase_add_test(c, a_prior_tells_twins_apart);
    tcase_add_loop_test(c, choice_by_hand, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
