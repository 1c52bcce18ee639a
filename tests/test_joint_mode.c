/* joint_mode.c: classes of rows that a team shares have the model of one process, to the bit. What the
 * model is, test_multi.c looks at. */
#include "product/joint_mode.h"

#include "data/order.h"
#include "suites.h"
#include "team_threads.h"
#include "trained.h"

enum { ROWS = 9000, FUNCTIONS = 5, CLASSES = 3 };

/* The bias and some kernel functions for each class, with weights that are not at the mode. */
static rvm_found find(const void *search, size_t k)
{
    static const size_t id[CLASSES][FUNCTIONS] = { { 0, 17, 1000, 4097, 8900 },
                                                   { 0, 18, 1000, 4300, 7000 },
                                                   { 0, 4097, 5000, 8192, 8200 } };
    static const double norm[FUNCTIONS] = { 90, 20, 20, 20, 20 },
                        ln_alpha[FUNCTIONS] = { -6, -5, -5, -6, -5 },
                        u[FUNCTIONS] = { 0.1, 0.2, -0.1, 0, 0.1 };
    rvm_solved *s = (rvm_solved *)search + k; /* scratch of this process */
    *s = (rvm_solved){ .K = FUNCTIONS, .ln_beta = 0 };
    s->id = (size_t *)id[k];
    s->norm = (double *)norm;
    s->ln_alpha = (double *)ln_alpha;
    s->u = (double *)u;
    return (rvm_found){ .solved = s,
                        .columns = { .count = FUNCTIONS,
                                     .capacity = FUNCTIONS,
                                     .id = s->id,
                                     .norm = s->norm,
                                     .threads = 1 } };
}

static const rvm_search_type found_already = { .name = "found", .solution = find };

typedef struct {
    rvm_problem *p; /* in canonical order */
    rvm_multiclass multiclass;
    rvm_model *want;
} job;

static rvm_model *finish(const job *j, rvm_problem *rows)
{
    const size_t place[CLASSES] = { 2, 0, 1 };
    rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
    rvm_model *m = rvm_model_alloc();
    rvm_solved scratch[CLASSES];
    rvm_study y;
    rvm_error err = { 0 };
    s.threads = 1;
    m->kernel = s.kernel;
    m->multiclass = j->multiclass;
    CHECK_OK(rvm_study_init(&y, rows, &s, &s.kernel, 1, &err));
    y.classes = CLASSES;
    y.class_of_row = calloc(rows->rows + 1, sizeof *y.class_of_row);
    for (size_t n = 0; n < rows->rows; n++)
        y.class_of_row[n] = (size_t)rows->target[n];
    CHECK_OK(rvm_joint_mode_finish(m, &y, place, &found_already, scratch, RVM_ON_ITS_WAY, &err));
    rvm_study_free(&y);
    return m;
}

static void check_team(void *context, rvm_team *team)
{
    const job *j = context;
    rvm_problem *slice = team_threads_slice(j->p, team);
    rvm_model *m = finish(j, slice);
    ck_assert_double_eq(m->log_evidence, j->want->log_evidence);
    for (size_t k = 0; k < CLASSES; k++) {
        const rvm_latent *a = &m->latent[k], *b = &j->want->latent[k];
        ck_assert_uint_eq(a->count, FUNCTIONS);
        ck_assert(memcmp(a->vector, b->vector, (FUNCTIONS - 1) * sizeof *a->vector) == 0);
        ck_assert(memcmp(a->weight, b->weight, FUNCTIONS * sizeof *a->weight) == 0);
        ck_assert(
            memcmp(a->factor, b->factor, FUNCTIONS * (FUNCTIONS + 1) / 2 * sizeof *a->factor) == 0);
    }
    rvm_model_free(m);
    rvm_problem_free(slice);
}

START_TEST(a_team_has_the_same_model)
    {
        rvm_problem *file = noise_problem(ROWS, 2, 41);
        job j = { .multiclass = _i == 0 ? RVM_SOFTMAX : RVM_ONE_VS_REST };
        size_t *order = NULL;
        rvm_error err = { 0 };
        for (size_t n = 0; n < ROWS; n++)
            file->target[n] = (double)((feature(file, n, 1) + 0.5 * file->target[n] > 0) +
                                       (feature(file, n, 2) > 0.7));
        CHECK_OK(rvm_order_rows(&order, file, &err));
        j.p = rvm_problem_subset(file, order, ROWS);
        j.want = finish(&j, j.p);
        team_threads_run(4, check_team, &j); /* three spans: one has no rows */
        rvm_model_free(j.want);
        rvm_problem_free(j.p);
        rvm_problem_free(file);
        free(order);
    }
END_TEST

Suite *joint_mode_suite(void)
{
    Suite *suite = suite_create("joint_mode");
    TCase *tests = tcase_create("joint_mode");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, a_team_has_the_same_model, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
