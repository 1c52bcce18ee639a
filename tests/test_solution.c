/* solution.c: which of two optima is preferred, saving and loading. */
#include <math.h>

#include "problems.h"
#include "search/solution.h"
#include "suites.h"
#include "team_threads.h"

static bool prefer(size_t K_a, double evidence_a, size_t K_b, double evidence_b, double credit)
{
    rvm_solved f = { .K = K_a, .log_evidence = evidence_a },
               g = { K_b, .log_evidence = evidence_b };
    const rvm_solution a = { .latents = 1, .latent = &f }, b = { .latents = 1, .latent = &g };
    const double top = fmax(rvm_solution_score(&a), rvm_solution_score(&b));
    return rvm_solution_prefer(&a, &b, top, credit);
}

/* A collapse has many nats more, but not one for each of its functions. On pure noise (200 rows):
 * 200 functions at -157 against 1 at -273, -357 and -274 once a nat is taken off for each. */
START_TEST(collapse_loses_to_sound)
    {
        ck_assert(!prefer(1, -273, 200, -157, 0));
        ck_assert(prefer(200, -157, 1, -273, 0));
        ck_assert(!prefer(1, -273, 200, -157, 0.5));
        ck_assert(prefer(200, -157, 1, -273, 0.5));
    }
END_TEST

/* Beyond ten nats in L - K it decides, whatever the evidence. */
START_TEST(far_apart_in_evidence_less_functions)
    {
        ck_assert(prefer(40, -530, 30, -529, 0)); /* 11 better */
        ck_assert(prefer(40, -530, 30, -529, 0.5));
        ck_assert(prefer(40, -530, 60, -499, 0));  /* 11 better with more functions */
        ck_assert(!prefer(40, -530, 60, -521, 0)); /* 11 worse, evidence 9 better */
    }
END_TEST

/* Within ten nats the evidence decides, and with a credit functions count for it. */
START_TEST(close_optima_go_by_evidence)
    {
        ck_assert(prefer(40, -530, 45, -528, 0));
        ck_assert(!prefer(45, -528, 40, -530, 0));
        ck_assert(prefer(40, -530, 38, -529.5, 0));
        ck_assert(!prefer(40, -530, 38, -529.5, 0.5)); /* half a nat more, two functions less */
        ck_assert(prefer(38, -529.5, 40, -530, 0.5));
        ck_assert(!prefer(40, -530, 42, -531.5, 0.5));
    }
END_TEST

/* Equal ones, rounding included, stay: the first that was found. */
START_TEST(ties_stay)
    {
        ck_assert(!prefer(40, -530, 40, -530, 0.5));
        ck_assert(!prefer(40, -530, 40, -530 + 1e-5, 0.5));
        ck_assert(prefer(40, -530, 40, -530 + 1e-2, 0.5));
        ck_assert(!prefer(0, 0, 0, 0, 0));
    }
END_TEST

/* Never both ways, or the outcome would depend on the order. */
START_TEST(one_way_only)
    {
        for (int k = 0; k < 2000; k++) {
            const size_t Ka = (size_t)(k * 37 % 50), Kb = (size_t)(k * 61 % 47);
            const double a = -500 + 20 * sin(k), b = -500 + 20 * sin(2.3 * k);
            ck_assert(!(prefer(Ka, a, Kb, b, 0.5) && prefer(Kb, b, Ka, a, 0.5)));
        }
    }
END_TEST

/* Functions that outputs share count once, those of classes each. */
START_TEST(latent_functions_are_added_up)
    {
        rvm_solved f[] = { { .K = 4, .log_evidence = -3.5 }, { .K = 4, .log_evidence = -1.25 } };
        rvm_solution s = { .latents = 2, .latent = f, .in_common = -2 };
        ck_assert_uint_eq(rvm_solution_functions(&s), 8);
        ck_assert_double_eq(rvm_solution_log_evidence(&s), -6.75);
        ck_assert_double_eq(rvm_solution_score(&s), -14.75);
        s.shared = true;
        ck_assert_uint_eq(rvm_solution_functions(&s), 4);
        ck_assert_double_eq(rvm_solution_score(&s), -10.75);
    }
END_TEST

START_TEST(fits_are_kept_and_taken_up)
    {
        const size_t id[] = { 7, 3, 11, 5, 2 };
        const double norm[] = { 0.7, 0.3, 1.1, 0.5, 0.2 };
        rvm_error err = { 0 };
        rvm_fit f, g;
        rvm_solution p, q;
        CHECK_OK(rvm_fit_init(&f, 5, 3, &err));
        CHECK_OK(rvm_fit_init(&g, 5, 3, &err));
        CHECK_OK(rvm_solution_init(&p, 2, false, &err));
        CHECK_OK(rvm_solution_init(&q, 2, false, &err));
        f.ln_beta = 2.385;
        f.log_evidence = -17.5;
        ck_assert(!p.found);
        CHECK_OK(rvm_solution_save(&p, 1, &f, id, norm, &err)); /* without a function */
        ck_assert(p.found && rvm_solution_functions(&p) == 0);
        for (size_t i = 0; i < 4; i++) {
            rvm_fit_add(&f, 4 - i, 0.1 * (double)i);
            f.u[i] = -(double)i;
        }
        CHECK_OK(rvm_solution_save(&p, 1, &f, id, norm, &err));
        rvm_solution_swap(&p, &q);
        ck_assert(q.found && !p.found);
        for (size_t i = 0; i < 4; i++)
            ck_assert(q.latent[1].id[i] == id[4 - i] && q.latent[1].norm[i] == norm[4 - i]);
        rvm_solution_load(&g, &q.latent[1], id);
        ck_assert_uint_eq(g.K, 4);
        ck_assert_mem_eq(g.column, f.column, 4 * sizeof *g.column);
        ck_assert_mem_eq(g.ln_alpha, f.ln_alpha, 4 * sizeof *g.ln_alpha);
        ck_assert_mem_eq(g.u, f.u, 4 * sizeof *g.u);
        ck_assert_double_eq(g.ln_beta, 2.385);
        ck_assert_double_eq(g.log_evidence, -17.5);
        rvm_solution_load(&g, &q.latent[1], NULL);
        for (size_t i = 0; i < 4; i++)
            ck_assert_uint_eq(g.column[i], i);
        f.K = 2; /* less than there is room for */
        CHECK_OK(rvm_solution_save(&q, 1, &f, id, norm, &err));
        ck_assert_uint_eq(rvm_solution_functions(&q), 2);
        rvm_solution_free(&p);
        rvm_solution_free(&q);
        ck_assert_ptr_null(q.latent);
        rvm_fit_free(&f);
        rvm_fit_free(&g);
    }
END_TEST

/* ---- Several processes ----------------------------------------------------------------------- */

/* Of rank r: two latent functions of r + 1 and 2 - r functions. */
static void be_of_rank(rvm_solution *s, int rank)
{
    const size_t id[] = { 4, 9, 12 };
    const double norm[] = { 0.5, 1.5, 2.5 }, r = rank;
    rvm_error err = { 0 };
    rvm_fit f;
    CHECK_OK(rvm_solution_init(s, 2, true, &err));
    CHECK_OK(rvm_fit_init(&f, 3, 0, &err));
    for (size_t k = 0; k < 2; k++) {
        f.K = 0;
        for (int i = 0; i < (k == 0 ? rank + 1 : 2 - rank); i++) {
            rvm_fit_add(&f, (size_t)i, r + 0.25 * i);
            f.u[i] = r - 0.375 * i;
        }
        f.ln_beta = 2.385 + r;
        f.log_evidence = -17.5 - r;
        CHECK_OK(rvm_solution_save(s, k, &f, id, norm, &err));
    }
    s->margin = 0.125 + r;
    s->converged = rank == 0;
    rvm_fit_free(&f);
}

static void check_sharing(void *context, rvm_team *team)
{
    rvm_solution mine, want;
    rvm_error err = { 0 };
    const int from = *(const int *)context;
    be_of_rank(&mine, team->rank);
    be_of_rank(&want, from);
    CHECK_OK(rvm_solution_share(&mine, team, from, &err));
    ck_assert(mine.found && mine.converged == (from == 0) && mine.margin == want.margin);
    for (size_t k = 0; k < 2; k++) {
        const rvm_solved *f = &mine.latent[k], *g = &want.latent[k];
        ck_assert_uint_eq(f->K, g->K);
        ck_assert(f->ln_beta == g->ln_beta && f->log_evidence == g->log_evidence);
        if (g->K == 0)
            continue;
        ck_assert_mem_eq(f->id, g->id, g->K * sizeof *g->id);
        ck_assert_mem_eq(f->norm, g->norm, g->K * sizeof *g->norm);
        ck_assert_mem_eq(f->ln_alpha, g->ln_alpha, g->K * sizeof *g->ln_alpha);
        ck_assert_mem_eq(f->u, g->u, g->K * sizeof *g->u);
    }
    rvm_solution_free(&mine);
    rvm_solution_free(&want);
}

START_TEST(one_for_all_processes)
    {
        int from = _i - 1;
        team_threads_run(_i, check_sharing, &from); /* the last one's, */
        from = 0;
        team_threads_run(_i, check_sharing, &from); /* and the first one's */
    }
END_TEST

Suite *solution_suite(void);
Suite *solution_suite(void)
{
    Suite *s = suite_create("solution");
    TCase *c = tcase_create("solution");
    tcase_add_test(c, collapse_loses_to_sound);
    tcase_add_test(c, far_apart_in_evidence_less_functions);
    tcase_add_test(c, close_optima_go_by_evidence);
    tcase_add_test(c, ties_stay);
    tcase_add_test(c, one_way_only);
    tcase_add_test(c, latent_functions_are_added_up);
    tcase_add_test(c, fits_are_kept_and_taken_up);
    tcase_add_loop_test(c, one_for_all_processes, 1, 4);
    suite_add_tcase(s, c);
    return s;
}
