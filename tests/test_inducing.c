/* inducing.c: what a team makes of relevance vectors, and the model of it, is what one process does, to
 * the bit. The numbers of such models are looked at in test_process_finish.c. */
#include "search/inducing.h"

#include "data/order.h"
#include "product/process_finish.h"
#include "suites.h"
#include "team_threads.h"
#include "trained.h"

enum { ROWS = 9000, VECTORS = 6, POINTS = 24, LATENTS = 3 };

/* The bias and some kernel functions, all of unit norm: what a search has found. */
static rvm_found find(const void *search, size_t k)
{
    static const double ln_alpha[VECTORS + 1] = { 1, 0.5, 0, 2, 1, 0, -1 },
                                           norm[VECTORS + 1] = { 1, 1, 1, 1, 1, 1, 1 };
    static const size_t id[VECTORS + 1] = { 0, 17, 1000, 4097, 4300, 7000, 8900 };
    rvm_solved *s = (rvm_solved *)search + k; /* scratch of this process */
    *s = (rvm_solved){ .K = VECTORS + 1 };
    s->id = (size_t *)id;
    s->norm = (double *)norm;
    s->ln_alpha = (double *)ln_alpha;
    s->ln_beta = 1;
    return (rvm_found){ .solved = s };
}

static const rvm_search_type found_already = { .name = "found", .solution = find };

typedef struct {
    size_t count, id[POINTS + 1];
    double precision, variance[LATENTS], noise, gamma;
    double log_evidence, weight[POINTS + 1];
} outcome;

typedef struct {
    rvm_problem *p; /* in canonical order */
    size_t classes; /* 0: regression */
    outcome want;
} job;

static void take_outcome(outcome *o, const rvm_induced *r, const rvm_model *m, size_t classes)
{
    memset(o, 0, sizeof *o);
    ck_assert_uint_eq(r->count, POINTS + 1);
    o->count = r->count;
    memcpy(o->id, r->id, sizeof o->id);
    o->precision = r->precision[0];
    memcpy(o->variance, r->variance, (classes > 2 ? classes : 1) * sizeof *o->variance);
    o->noise = classes == 0 ? r->noise[0] : 0;
    o->gamma = r->kernel.gamma;
    o->log_evidence = m->log_evidence;
    memcpy(o->weight, m->latent[0].weight, sizeof o->weight);
}

/* first: number of the first of these rows. */
static void run(outcome *o, const job *j, rvm_problem *rows, size_t first)
{
    const size_t place[LATENTS] = { 0, 1, 2 }, latents = j->classes > 2 ? j->classes : 1;
    rvm_settings s =
        settings_for(j->classes == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION, RVM_RBF, 0.5);
    rvm_solved scratch[LATENTS];
    rvm_inducing *g = NULL;
    rvm_study y;
    rvm_error err = { 0 };
    bool done = false;
    s.kernel_prior = true;
    s.vectors = POINTS;
    CHECK_OK(rvm_study_init(&y, rows, &s, &s.kernel, 1, &err));
    y.classes = j->classes;
    y.class_of_row = calloc(rows->rows + 1, sizeof *y.class_of_row);
    for (size_t n = 0; n < rows->rows && j->classes > 2; n++)
        y.class_of_row[n] = (size_t)(feature(rows, n, 1) > 0) +
                            (size_t)((first + n) % 5 == 0 || feature(rows, n, 2) > 1);
    CHECK_OK(rvm_inducing_alloc(&g, &y, &found_already, scratch, latents, &s, &err));
    while (!done)
        CHECK_OK(rvm_inducing_step(&done, g, &err));
    const rvm_induced r = rvm_inducing_result(g);
    rvm_model *m = rvm_model_alloc();
    m->kernel = s.kernel;
    CHECK_OK(rvm_process_finish(m, &y, place, &r, &s, &err));
    take_outcome(o, &r, m, j->classes);
    rvm_model_free(m);
    rvm_inducing_free(g);
    rvm_study_free(&y);
}

static void check_team(void *context, rvm_team *team)
{
    const job *j = context;
    outcome here;
    rvm_problem *slice = team_threads_slice(j->p, team);
    const rvm_spans spans = rvm_problem_spans(slice);
    run(&here, j, slice, rvm_spans_first_row(&spans));
    ck_assert(memcmp(&here, &j->want, sizeof here) == 0);
    rvm_problem_free(slice);
}

START_TEST(a_team_comes_to_the_same)
    {
        rvm_problem *file = noise_problem(ROWS, 2, 31);
        job j = { .classes = _i == 0 ? 0 : (size_t)_i + 1 };
        size_t *order = NULL;
        rvm_error err = { 0 };
        for (size_t n = 0; n < ROWS; n++) {
            const double t = sin(2 * feature(file, n, 1)) + 0.3 * file->target[n];
            file->target[n] = j.classes == 0 ? t : 1 + (t > 0);
        }
        CHECK_OK(rvm_order_rows(&order, file, &err));
        j.p = rvm_problem_subset(file, order, ROWS);
        run(&j.want, &j, j.p, 0);
        team_threads_run(2, check_team, &j);
        team_threads_run(3, check_team, &j);
        rvm_problem_free(j.p);
        rvm_problem_free(file);
        free(order);
    }
END_TEST

Suite *inducing_suite(void)
{
    Suite *suite = suite_create("inducing");
    TCase *tests = tcase_create("inducing");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, a_team_comes_to_the_same, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}
