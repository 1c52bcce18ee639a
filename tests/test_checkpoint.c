/* checkpoint.c, journal.c, fingerprint.c, ended.c, and what searches write of themselves: a training
 * that goes on from any of its checkpoints comes to the same bytes; a file that is damaged, or of
 * something else, is refused. */
#include "base/hash.h"
#include "data/shard.h"
#include "suites.h"
#include "team_threads.h"
#include "trained.h"

enum { MOST_KEPT = 100 };

/* Checkpoints of a training, in their order. */
typedef struct {
    char *text[MOST_KEPT]; /* owned */
    size_t count;
} checkpoints;

static void free_checkpoints(checkpoints *c)
{
    while (c->count > 0)
        free(c->text[--c->count]);
}

/* Owned by the caller. */
static char *checkpoint_of(const rvm_trainer *tr)
{
    char *text = NULL;
    size_t size = 0;
    rvm_error err = { 0 };
    FILE *out = open_memstream(&text, &size);
    CHECK_OK(rvm_trainer_write(tr, out, &err));
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

static rvm_trainer *trainer_of(const rvm_problem *p, const rvm_settings *s)
{
    rvm_settings resumable = *s;
    rvm_trainer *tr = NULL;
    rvm_error err = { 0 };
    resumable.resumable = true;
    CHECK_OK(rvm_trainer_alloc(&tr, p, &resumable, &err));
    return tr;
}

static rvm_status read_text(rvm_trainer *tr, const char *text, size_t size, rvm_error *err)
{
    FILE *in = size > 0 ? fmemopen((void *)text, size, "r") : fopen("/dev/null", "r");
    ck_assert_ptr_nonnull(in);
    const rvm_status status = rvm_trainer_read(tr, in, err);
    fclose(in);
    return status;
}

/* The model as text, owned by the caller, of a training from the beginning or, where `from` is not
 * NULL, from there. kept: filled, unless NULL. *last: what was reported at the end. */
static char *train_on(const rvm_problem *p, const rvm_settings *s, const char *from,
                      checkpoints *kept, rvm_report *last)
{
    rvm_trainer *tr = trainer_of(p, s);
    rvm_model *m = NULL;
    rvm_error err = { 0 };
    if (from != NULL)
        CHECK_OK(read_text(tr, from, strlen(from), &err));
    do {
        CHECK_OK(rvm_trainer_step(last, tr, &err));
        if (kept != NULL && kept->count < MOST_KEPT && rvm_trainer_rests(tr))
            kept->text[kept->count++] = checkpoint_of(tr);
    } while (!last->done);
    CHECK_OK(rvm_trainer_model(&m, tr, &err));
    char *text = bytes_of(m);
    rvm_model_free(m);
    rvm_trainer_free(tr);
    return text;
}

static void check_report(const rvm_report *a, const rvm_report *b)
{
    ck_assert_int_eq(a->stage, b->stage);
    ck_assert_int_eq(a->starts, b->starts);
    ck_assert_int_eq(a->converged, b->converged);
    ck_assert_int_eq(a->noise_at_bound, b->noise_at_bound);
    ck_assert_uint_eq(a->functions, b->functions);
    ck_assert_uint_eq(a->rows, b->rows);
    ck_assert_mem_eq(&a->log_evidence, &b->log_evidence, sizeof a->log_evidence);
    ck_assert_mem_eq(&a->credit, &b->credit, sizeof a->credit);
}

/* From all checkpoints, `least` of them or more, or a dozen of many; every second one goes on with
 * other threads. */
static void check_resuming(const rvm_problem *p, const rvm_settings *s, size_t least)
{
    checkpoints kept = { .count = 0 };
    rvm_report last, again;
    rvm_model *plain = train(p, s);
    char *whole = bytes_of(plain), *checked = train_on(p, s, NULL, &kept, &last);
    ck_assert_str_eq(whole, checked);
    ck_assert_uint_ge(kept.count, least);
    for (size_t k = 0; k < kept.count; k += 1 + kept.count / 12) {
        rvm_settings other = *s;
        other.threads = k % 2 == 0 ? s->threads : 3;
        char *text = train_on(p, &other, kept.text[k], NULL, &again);
        ck_assert_msg(strcmp(whole, text) == 0, "another model from checkpoint %zu", k);
        check_report(&last, &again);
        free(text);
    }
    free_checkpoints(&kept);
    free(whole);
    free(checked);
    rvm_model_free(plain);
}

/* ---- Going on ------------------------------------------------------------------------------- */

START_TEST(few_rows)
    {
        rvm_problem *p = task_problem(_i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION, 60, 1);
        rvm_settings s = settings_for(_i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION, RVM_RBF, 0.5);
        s.restarts = 2;
        check_resuming(p, &s, 1);
        s.probability = true;
        s.vectors = 4;
        check_resuming(p, &s, 3);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(a_choice_by_cross_validation)
    {
        const rvm_task task = _i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION;
        rvm_problem *p = task_problem(task, 40, 2);
        rvm_settings s = settings_for(task, RVM_RBF, 0);
        s.restarts = 1;
        s.tune.gamma = s.probability = true;
        check_resuming(p, &s, 6);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(a_race)
    {
        rvm_problem *p = task_problem(RVM_CLASSIFICATION, 40, 3);
        rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0);
        rvm_error err = { 0 };
        CHECK_OK(rvm_settings_set(&s, "auto", NULL, &err));
        s.restarts = 1;
        s.tune.type_count = 1;
        check_resuming(p, &s, 5);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(length_scales_and_points)
    {
        rvm_problem *p = task_problem(RVM_REGRESSION, 50, 4);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0);
        s.restarts = 1;
        s.ard = s.kernel_prior = s.standardize = true;
        check_resuming(p, &s, 3);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(chains_begin_again)
    {
        rvm_problem *p = task_problem(RVM_CLASSIFICATION, 40, 5);
        rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
        s.method = RVM_METHOD_GIBBS;
        s.restarts = 1;
        s.sampling.burn_in = 5;
        s.sampling.samples = 20;
        check_resuming(p, &s, 2);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(methods_of_the_papers)
    {
        rvm_problem *p = task_problem(RVM_REGRESSION, 40, 6);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        s.method = (rvm_method)_i;
        check_resuming(p, &s, 1);
        rvm_problem_free(p);
    }
END_TEST

/* As many functions as rows do not fit in the memory: rounds of candidates, of all rows, which two
 * starts begin with. */
START_TEST(rounds)
    {
        const rvm_task task = _i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION;
        rvm_problem *p = task_problem(task, 150, 7);
        rvm_settings s = settings_for(task, RVM_RBF, 0.5);
        s.budget_mb = 0.6;
        s.restarts = 2;
        check_resuming(p, &s, 3);
        s.restarts = 1;
        s.vectors = 10;
        check_resuming(p, &s, 2);
        rvm_problem_free(p);
    }
END_TEST

/* 21,000 rows are looked at by 4200 of them first. */
START_TEST(numbers_of_rows)
    {
        const rvm_task task = _i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION;
        rvm_problem *p = task_problem(task, 21000, 8);
        rvm_settings s = settings_for(task, RVM_RBF, 0.2);
        s.tolerance = 20;
        check_resuming(p, &s, 3);
        rvm_problem_free(p);
    }
END_TEST

/* More than 2500 candidates: passes over the classes. */
START_TEST(passes_over_classes)
    {
        rvm_problem *p = task_problem(RVM_REGRESSION, 2600, 9);
        for (size_t n = 0; n < p->rows; n++)
            p->target[n] = p->target[n] < -0.5 ? 1 : p->target[n] < 0.5 ? 2 : 3;
        rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.2);
        s.multiclass = _i == 0 ? RVM_SOFTMAX : RVM_ONE_VS_REST;
        s.tolerance = 20;
        check_resuming(p, &s, 3);
        rvm_problem_free(p);
    }
END_TEST

/* ---- Processes that share the rows ---------------------------------------------------------- */

/* What each of them does; rank 0 fills text and kept. */
typedef struct {
    const rvm_problem *all;
    const rvm_settings *settings;
    const char *from; /* NULL: the beginning */
    char *text;       /* owned: the model */
    checkpoints kept;
} team_job;

static rvm_problem *share_of(const rvm_problem *all, rvm_team *team)
{
    const size_t size = (size_t)team->size, rank = (size_t)team->rank;
    const size_t first = rank * all->rows / size, end = (rank + 1) * all->rows / size;
    rvm_error err = { 0 };
    size_t *row = calloc(all->rows, sizeof *row);
    for (size_t n = first; n < end; n++)
        row[n - first] = n;
    rvm_problem *p = rvm_problem_subset(all, row, end - first);
    ck_assert_ptr_nonnull(p);
    free(row);
    CHECK_OK(rvm_shard_spread(&p, first, team, &err));
    return p;
}

static void train_in_team(void *context, rvm_team *team)
{
    team_job *j = context;
    rvm_problem *p = share_of(j->all, team);
    rvm_trainer *tr = trainer_of(p, j->settings);
    rvm_model *m = NULL;
    rvm_report report;
    rvm_error err = { 0 };
    if (j->from != NULL) {
        FILE *in = team->rank == 0 ? fmemopen((void *)j->from, strlen(j->from), "r") : NULL;
        CHECK_OK(rvm_trainer_read(tr, in, &err));
        if (in != NULL)
            fclose(in);
    }
    do {
        CHECK_OK(rvm_trainer_step(&report, tr, &err));
        if (j->from == NULL && team->rank == 0 && rvm_trainer_rests(tr))
            j->kept.text[j->kept.count++] = checkpoint_of(tr);
    } while (!report.done);
    CHECK_OK(rvm_trainer_model(&m, tr, &err));
    if (team->rank == 0)
        j->text = bytes_of(m);
    rvm_model_free(m);
    rvm_trainer_free(tr);
    rvm_problem_free(p);
}

/* From the checkpoints of two processes three go on, or one. */
START_TEST(processes)
    {
        const rvm_task task = _i == 0 ? RVM_REGRESSION : RVM_CLASSIFICATION;
        rvm_problem *p = task_problem(task, 21000, 8);
        rvm_settings s = settings_for(task, RVM_RBF, 0.2);
        rvm_report last;
        s.tolerance = 20;
        s.threads = 1;
        char *alone = train_on(p, &s, NULL, NULL, &last);
        team_job j = { .all = p, .settings = &s };
        team_threads_run(2, train_in_team, &j);
        ck_assert_str_eq(alone, j.text);
        ck_assert_uint_ge(j.kept.count, 3);
        for (size_t k = 0; k < j.kept.count; k += 2) {
            team_job more = { .all = p, .settings = &s, .from = j.kept.text[k] };
            team_threads_run(3, train_in_team, &more);
            char *here = train_on(p, &s, j.kept.text[k], NULL, &last);
            ck_assert_str_eq(alone, more.text);
            ck_assert_str_eq(alone, here);
            free(more.text);
            free(here);
        }
        free_checkpoints(&j.kept);
        free(j.text);
        free(alone);
        rvm_problem_free(p);
    }
END_TEST

/* ---- What is refused ------------------------------------------------------------------------ */

/* A checkpoint of a choice with calibration, as it is at the end; owned by the caller. */
static char *whole_checkpoint(const rvm_problem *p, const rvm_settings *s)
{
    checkpoints kept = { .count = 0 };
    rvm_report last;
    free(train_on(p, s, NULL, &kept, &last));
    char *text = strdup(kept.text[kept.count - 1]);
    ck_assert_ptr_nonnull(text);
    free_checkpoints(&kept);
    return text;
}

static rvm_settings settings_of_file(void)
{
    rvm_settings s = settings_for(RVM_CLASSIFICATION, RVM_RBF, 0.5);
    s.restarts = 1;
    s.probability = true;
    s.threads = 1;
    return s;
}

static void refuse(const rvm_problem *p, const rvm_settings *s, const char *text, size_t size,
                   rvm_status status, const char *words)
{
    rvm_trainer *tr = trainer_of(p, s);
    rvm_error err = { 0 };
    ck_assert_int_eq(read_text(tr, text, size, &err), status);
    ck_assert_int_eq(err.status, status);
    ck_assert_msg(strstr(err.message, words) != NULL, "says %s", err.message);
    ck_assert_int_eq(err.line > 0, status == RVM_EMODEL);
    rvm_trainer_free(tr);
}

START_TEST(every_truncation)
    {
        rvm_problem *p = task_problem(RVM_CLASSIFICATION, 20, 10);
        const rvm_settings s = settings_of_file();
        char *text = whole_checkpoint(p, &s);
        for (size_t size = 0; text[size] != '\0'; size++)
            refuse(p, &s, text, size, RVM_EMODEL,
                   size <= strlen("rvm_checkpoint") ? "this is no checkpoint" : "");
        free(text);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(every_byte_changed)
    {
        rvm_problem *p = task_problem(RVM_CLASSIFICATION, 20, 10);
        const rvm_settings s = settings_of_file();
        char *text = whole_checkpoint(p, &s);
        const size_t size = strlen(text);
        for (size_t k = 0; k < size; k++) {
            const char was = text[k];
            text[k] = (char)(was ^ (1 << (k % 7)));
            refuse(p, &s, text, size, RVM_EMODEL, "");
            text[k] = was;
        }
        free(text);
        rvm_problem_free(p);
    }
END_TEST

/* text with another sum, that of what it is now. */
static void sum_anew(char *text)
{
    char *end = strstr(text, "\nend ");
    ck_assert_ptr_nonnull(end);
    const uint64_t sum = rvm_hash_bytes(RVM_HASH_START, text, (size_t)(end + 1 - text));
    sprintf(end + 5, "%llx\n", (unsigned long long)sum);
}

/* Nobody would: refused, or gone on with, soundly. */
START_TEST(every_word_forged)
    {
        static const char *const forged[] = { "0", "9", "7ff0000000000000", "99999999999999", "x" };
        rvm_problem *p = task_problem(RVM_REGRESSION, 30, 11);
        rvm_settings s = settings_for(RVM_REGRESSION, RVM_RBF, 0.5);
        checkpoints kept = { .count = 0 };
        rvm_report report;
        s.budget_mb = 0.15;
        s.restarts = 1;
        free(train_on(p, &s, NULL, &kept, &report));
        const char *from = kept.text[0];
        for (const char *word = from; word != NULL; word = strpbrk(word + 1, " \n")) {
            const size_t before = (size_t)(word - from) + 1, length = strcspn(word + 1, " \n");
            const char *by = forged[(size_t)(word - from) % 5];
            char *text = calloc(strlen(from) + 50, 1);
            rvm_error err = { 0 };
            sprintf(text, "%.*s%s%s", (int)before, from, by, from + before + length);
            if (strstr(text, "\nend ") != NULL) {
                sum_anew(text);
                rvm_trainer *tr = trainer_of(p, &s);
                if (read_text(tr, text, strlen(text), &err) == RVM_OK)
                    (void)!rvm_trainer_step(&report, tr, &err);
                rvm_trainer_free(tr);
            }
            free(text);
        }
        free_checkpoints(&kept);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(other_data_and_settings)
    {
        rvm_problem *p = task_problem(RVM_CLASSIFICATION, 20, 10);
        rvm_problem *fewer = task_problem(RVM_CLASSIFICATION, 19, 10);
        rvm_settings s = settings_of_file(), t = s;
        char *text = whole_checkpoint(p, &s);
        const size_t size = strlen(text);
        refuse(fewer, &s, text, size, RVM_ESETTING,
               "other data: 20 rows of 1 targets; here are 19");
        t.kernel.gamma = 0.25;
        refuse(p, &t, text, size, RVM_ESETTING, "another -g");
        t = s;
        t.seed = 2;
        refuse(p, &t, text, size, RVM_ESETTING, "another --seed");
        t = s;
        t.class_weights = &(const rvm_class_weight){ 1, 2 };
        t.class_weight_count = 1;
        refuse(p, &t, text, size, RVM_ESETTING, "another -w");
        p->value[3] += 1e-9;
        refuse(p, &s, text, size, RVM_ESETTING, "other data, if as many rows");
        free(text);
        rvm_problem_free(p);
        rvm_problem_free(fewer);
    }
END_TEST

START_TEST(not_asked_for)
    {
        rvm_problem *p = task_problem(RVM_CLASSIFICATION, 20, 10);
        const rvm_settings s = settings_of_file();
        rvm_trainer *tr = NULL;
        rvm_error err = { 0 };
        CHECK_OK(rvm_trainer_alloc(&tr, p, &s, &err));
        ck_assert(!rvm_trainer_rests(tr));
        ck_assert_int_eq(rvm_trainer_write(tr, stderr, &err), RVM_ESETTING);
        ck_assert_int_eq(rvm_trainer_read(tr, stdin, &err), RVM_ESETTING);
        rvm_trainer_free(tr);
        rvm_problem_free(p);
    }
END_TEST

Suite *checkpoint_suite(void);
Suite *checkpoint_suite(void)
{
    Suite *s = suite_create("checkpoint");
    TCase *c = tcase_create("checkpoint");
    tcase_set_timeout(c, 300);
    tcase_add_loop_test(c, few_rows, 0, 2);
    tcase_add_loop_test(c, a_choice_by_cross_validation, 0, 2);
    tcase_add_test(c, a_race);
    tcase_add_test(c, length_scales_and_points);
    tcase_add_test(c, chains_begin_again);
    tcase_add_loop_test(c, methods_of_the_papers, RVM_METHOD_MACKAY, RVM_METHOD_SEQUENTIAL + 1);
    tcase_add_loop_test(c, rounds, 0, 2);
    tcase_add_loop_test(c, numbers_of_rows, 0, 2);
    tcase_add_loop_test(c, passes_over_classes, 0, 2);
    tcase_add_loop_test(c, processes, 0, 2);
    tcase_add_test(c, every_truncation);
    tcase_add_test(c, every_byte_changed);
    tcase_add_test(c, every_word_forged);
    tcase_add_test(c, other_data_and_settings);
    tcase_add_test(c, not_asked_for);
    suite_add_tcase(s, c);
    return s;
}
