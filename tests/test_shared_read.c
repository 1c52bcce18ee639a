/* shared_read.c: whatever the cuts, the rows and the errors of one process that reads everything. */
#include "data/shared_read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "team_threads.h"

enum { TEAM_MOST = 5 };

static const rvm_grammar outputs = { .outputs = true };
static const rvm_grammar classes = { .class_labels = true };

/* Carriage returns, a line longer than most shares, short ones, none behind the last. */
static const char *const good[] = {
    "1 1:2 3:4\r\n-2.5\n3 1:1e3 2:-.5 3:+7 4:8 5:9 6:10 7:11 8:12 9:13 10:14\n\t4  2:1 # 5\n5\n6 1:1",
    "1,2 1:1\n3,4\n5,6 2:1 \r\n",
    "7 1:1",
    "7 1:1\n",
    "0\n1\n2\n3\n4\n5\n6\n7\n8\n",
};

static const char *const bad[] = {
    "1 1:1\n2 1:x\n3 1:1\n4 1:y\n5 1:1\n",           /* the earlier one of two */
    "1,2 1:1\n3,4 1:2\n5 1:1\n6,7 1:1\n",            /* other labels than the first row */
    "1 1:1\n3,4 1:x\n",                              /* the labels before the value */
    "1 1:1\n3,4x 1:1\n",                             /* a label before their number */
    "1 1:x\n2,3 1:y\n4,5 1:1\n6,7 1:1\n",            /* the first row itself */
    "1,2 1:1\n3,4 1:1\n\n5,6 1:1\n",                 /* a blank line */
    "1 1:1\n2 2:1 1:2\n",                            /* descending */
    "rvm_model 1\n1 1:1\n",                          /* a hint in line 1 only */
    "1 1:1\nrvm_model 1\n1 1:1\n",                   /* not there */
    "x\n1 1:1\n",                                    /* likewise, a range file */
    "1 1:1\nx\n",                                    /* not there */
    "1,2\n3,4\n5,6\n",                               /* no feature in any row */
    "",                                              /* no rows */
    "\n",                                            /* a blank one */
    "1 1:1\n2 1:1\n3 1:1\n4 1:1\n5 1:1\n6 1:1\n7 ",  /* all is well */
    "1 1:1\n2 1:1\n3 1:1\n4 1:1\n5 1:1\n6 1:1\n7 :", /* the last byte of all */
};

/* ---- What one process says ------------------------------------------------------------------- */

static FILE *open_text(const char *text)
{
    FILE *in = tmpfile();
    ck_assert_ptr_nonnull(in);
    ck_assert(fputs(text, in) >= 0);
    rewind(in);
    return in;
}

typedef struct {
    const char *text;
    rvm_grammar grammar;
    size_t cut[TEAM_MOST + 1]; /* of the file, where it is read in parts; else */
    bool as_stream;
    bool as_pieces, on_disk;
    const char *piece[TEAM_MOST];
    rvm_problem *alone; /* NULL where there is an error */
    rvm_error fault;
    int at;                 /* the piece that has it */
    size_t seen[TEAM_MOST]; /* rows that a rank has */
} job;

static void read_alone(job *j)
{
    FILE *in = open_text(j->text);
    j->fault = (rvm_error){ 0 };
    j->alone = NULL;
    (void)!rvm_problem_read(&j->alone, in, j->grammar, &j->fault);
    fclose(in);
}

static void expect_row(const rvm_problem *p, size_t i, const rvm_problem *alone, size_t row)
{
    const size_t pairs = p->start[i + 1] - p->start[i];
    ck_assert_uint_lt(row, alone->rows);
    ck_assert_uint_eq(pairs, alone->start[row + 1] - alone->start[row]);
    for (size_t k = 0; k < p->outputs; k++)
        ck_assert_double_eq(rvm_problem_targets(p, i)[k], rvm_problem_targets(alone, row)[k]);
    for (size_t k = 0; k < pairs; k++) {
        ck_assert_int_eq(p->index[p->start[i] + k], alone->index[alone->start[row] + k]);
        ck_assert_double_eq(p->value[p->start[i] + k], alone->value[alone->start[row] + k]);
    }
}

static rvm_status read_share(rvm_problem **out, int *at, const job *j, rvm_team *team,
                             rvm_error *err)
{
    const int r = team->rank;
    *at = 0;
    if (j->as_stream) {
        FILE *in = r == 0 ? open_text(j->text) : NULL;
        const rvm_status status = rvm_shared_read_stream(out, in, j->grammar, team, err);
        if (in != NULL)
            fclose(in);
        return status;
    }
    /* The one has a descriptor, the other none. */
    FILE *in = j->as_pieces || j->on_disk || j->text[0] == '\0'
                   ? open_text(j->as_pieces ? j->piece[r] : j->text)
                   : fmemopen((char *)(uintptr_t)j->text, strlen(j->text), "r");
    ck_assert_ptr_nonnull(in);
    const rvm_status status =
        j->as_pieces
            ? rvm_shared_read_pieces(out, at, in, j->grammar, team, err)
            : rvm_shared_read_file(out, in, j->cut[r], j->cut[r + 1], j->grammar, team, err);
    fclose(in);
    return status;
}

static void check_rank(void *context, rvm_team *team)
{
    job *j = context;
    rvm_problem *p = NULL;
    rvm_error err = { 0 };
    int at;
    const rvm_status status = read_share(&p, &at, j, team, &err);
    if (j->alone == NULL) {
        ck_assert_int_eq(status, j->fault.status);
        ck_assert_str_eq(err.message, j->fault.message);
        ck_assert_uint_eq(err.line, j->fault.line);
        ck_assert_uint_eq(err.column, j->fault.column);
        ck_assert_int_eq(at, j->at);
        ck_assert_ptr_null(p);
        return;
    }
    ck_assert_msg(status == RVM_OK, "%zu:%zu: %s", err.line, err.column, err.message);
    ck_assert_uint_eq(p->outputs, j->alone->outputs);
    for (size_t i = 0; i < p->rows; i++)
        expect_row(p, i, j->alone, p->number[i]);
    j->seen[team->rank] = p->rows;
    rvm_problem_free(p);
}

static void check_team(job *j, int size)
{
    size_t rows = 0;
    memset(j->seen, 0, sizeof j->seen);
    team_threads_run(size, check_rank, j);
    for (int r = 0; r < size; r++)
        rows += j->seen[r];
    ck_assert_uint_eq(rows, j->alone == NULL ? 0 : j->alone->rows);
}

/* ---- One file -------------------------------------------------------------------------------- */

/* Between two processes, and for some of them a third. */
static void check_every_cut(const char *text, rvm_grammar grammar)
{
    const size_t size = strlen(text);
    job j = { .text = text, .grammar = grammar };
    read_alone(&j);
    for (size_t a = 0; a <= size; a++) {
        j.cut[1] = a;
        j.cut[2] = size;
        check_team(&j, 2);
        for (size_t b = a; b <= size; b += 7) {
            j.cut[2] = b;
            j.cut[3] = size;
            check_team(&j, 3);
        }
    }
    rvm_problem_free(j.alone);
}

START_TEST(every_cut_of_a_file)
    {
        check_every_cut(good[_i], outputs);
    }
END_TEST

START_TEST(every_cut_of_a_faulty_file)
    {
        check_every_cut(bad[_i], outputs);
        check_every_cut(bad[_i], classes);
    }
END_TEST

/* With a descriptor below it. */
START_TEST(cuts_of_a_real_file)
    {
        job j = { .text = good[0], .grammar = outputs, .on_disk = true };
        read_alone(&j);
        for (size_t a = 0; a <= strlen(j.text); a++) {
            j.cut[1] = a;
            j.cut[2] = strlen(j.text);
            check_team(&j, 2);
        }
        rvm_problem_free(j.alone);
    }
END_TEST

START_TEST(shares_follow_each_other)
    {
        for (size_t size = 0; size < 40; size++)
            for (int processes = 1; processes <= 9; processes++) {
                size_t end = 0;
                for (int r = 0; r < processes; r++) {
                    const rvm_team team = { .rank = r, .size = processes };
                    size_t from, to;
                    rvm_shared_read_share(&from, &to, size, &team);
                    ck_assert_uint_eq(from, end);
                    ck_assert(to >= from && to - from <= size / (size_t)processes + 1);
                    end = to;
                }
                ck_assert_uint_eq(end, size);
            }
    }
END_TEST

/* ---- Streams --------------------------------------------------------------------------------- */

START_TEST(streams)
    {
        job j = { .grammar = outputs, .as_stream = true };
        for (size_t k = 0; k < sizeof good / sizeof good[0] + sizeof bad / sizeof bad[0]; k++) {
            const size_t goods = sizeof good / sizeof good[0];
            j.text = k < goods ? good[k] : bad[k - goods];
            read_alone(&j);
            for (int size = 1; size <= TEAM_MOST; size++)
                check_team(&j, size);
            rvm_problem_free(j.alone);
        }
    }
END_TEST

/* More rows than all processes get in one round, and a fault among the last. */
START_TEST(long_streams)
    {
        enum { ROWS = 4000 };
        char *text = malloc(ROWS * 32), *at = text;
        ck_assert_ptr_nonnull(text);
        for (int i = 0; i < ROWS; i++)
            at += sprintf(at, "%d,%d 1:%d %d:2\n", i, -i, i % 7, 2 + i % 5);
        job j = { .text = text, .grammar = outputs, .as_stream = true };
        for (int faulty = 0; faulty < 2; faulty++) {
            read_alone(&j);
            check_team(&j, 3);
            rvm_problem_free(j.alone);
            at[-1] = 'x';
        }
        free(text);
    }
END_TEST

/* ---- Pieces ---------------------------------------------------------------------------------- */

typedef struct {
    const char *piece[4];
    const char
        *whole; /* the rows of all; of the piece with the fault what stands before it, and it */
    int at;
    size_t skipped; /* lines of the other pieces */
} pieces;

static const pieces cases[] = {
    { { "1 1:1\n2 1:2", "3 1:3\n", "", "4 1:4\n5\n" }, "1 1:1\n2 1:2\n3 1:3\n4 1:4\n5\n", 0, 0 },
    { { "", "", "3,4 1:3\n", "5,6\n" }, "3,4 1:3\n5,6\n", 0, 0 },
    { { "1 1:1\n", "2 1:2\n3 1:x\n", "4 1:y\n", "" }, "1 1:1\n2 1:2\n3 1:x\n", 1, 1 },
    { { "", "2 1:2\n", "3,4 1:3\n", "5 :" }, "2 1:2\n3,4 1:3\n", 2, 1 },
    { { "", "2,1 1:2\n", "3 1:3\n", "5,1 3\n" }, "2,1 1:2\n3 1:3\n", 2, 1 },
    { { "1 1:1\n", "", "", "x\n" }, "x\n", 3, 0 },
    { { "", "", "", "" }, "", 0, 0 },
};

START_TEST(files_of_their_own)
    {
        const pieces *c = &cases[_i];
        job j = { .text = c->whole, .grammar = outputs, .as_pieces = true, .at = c->at };
        memcpy(j.piece, c->piece, sizeof c->piece);
        read_alone(&j);
        j.fault.line -= c->skipped;
        check_team(&j, 4);
        rvm_problem_free(j.alone);
    }
END_TEST

Suite *shared_read_suite(void)
{
    Suite *s = suite_create("shared_read");
    TCase *t = tcase_create("shared_read");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, every_cut_of_a_file, 0, (int)(sizeof good / sizeof good[0]));
    tcase_add_loop_test(t, every_cut_of_a_faulty_file, 0, (int)(sizeof bad / sizeof bad[0]));
    tcase_add_test(t, cuts_of_a_real_file);
    tcase_add_test(t, shares_follow_each_other);
    tcase_add_test(t, streams);
    tcase_add_test(t, long_streams);
    tcase_add_loop_test(t, files_of_their_own, 0, (int)(sizeof cases / sizeof cases[0]));
    suite_add_tcase(s, t);
    return s;
}
