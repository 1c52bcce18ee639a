/* problem_read.c: the grammar, the place of every fault, blocks. Lines and columns were counted by
 * hand. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/problem.h"
#include "suites.h"

static const rvm_grammar plain = { .class_labels = false };
static const rvm_grammar classes = { .class_labels = true };
static const rvm_grammar outputs = { .outputs = true };
static const rvm_grammar matrix = { .precomputed = true };

static rvm_status read_bytes(rvm_problem **out, const char *bytes, size_t count,
                             rvm_grammar grammar, rvm_error *err)
{
    FILE *in = tmpfile();

    ck_assert_ptr_nonnull(in);
    ck_assert_uint_eq(fwrite(bytes, 1, count, in), count);
    rewind(in);
    const rvm_status status = rvm_problem_read(out, in, grammar, err);
    fclose(in);
    return status;
}

static rvm_problem *read_good(const char *text, rvm_grammar grammar)
{
    rvm_problem *p = NULL;
    rvm_error err = { 0 };
    const rvm_status status = read_bytes(&p, text, strlen(text), grammar, &err);

    ck_assert_msg(status == RVM_OK, "%zu:%zu: %s", err.line, err.column, err.message);
    return p;
}

/* ---- What is accepted ----------------------------------------------------------------------- */

static void expect_pair(const rvm_problem *p, size_t row, size_t pair, int index, double value)
{
    ck_assert_uint_lt(pair, p->start[row + 1] - p->start[row]);
    ck_assert_int_eq(p->index[p->start[row] + pair], index);
    ck_assert_double_eq(p->value[p->start[row] + pair], value);
}

START_TEST(ordinary_rows)
    {
        rvm_problem *p = read_good("+1 1:0.5 3:-2e1 2147483647:.25\n-1\n1.5 0:7 +02:1.\n", plain);

        ck_assert_uint_eq(p->rows, 3);
        ck_assert_double_eq(p->target[0], 1);
        ck_assert_double_eq(p->target[1], -1);
        ck_assert_double_eq(p->target[2], 1.5);
        ck_assert_uint_eq(p->start[1], 3);
        ck_assert_uint_eq(p->start[2], 3);
        ck_assert_uint_eq(p->start[3], 5);
        expect_pair(p, 0, 0, 1, 0.5);
        expect_pair(p, 0, 1, 3, -20);
        expect_pair(p, 0, 2, 2147483647, 0.25);
        expect_pair(p, 2, 0, 0, 7);
        expect_pair(p, 2, 1, 2, 1);
        ck_assert_int_eq(p->max_index, 2147483647);
        rvm_problem_free(p);
    }
END_TEST

static const char *const same_rows[] = {
    "1 1:2 2:3\n-1 1:4\n2\n",
    "1 1:2 2:3\n-1 1:4\n2",
    "1 1:2 2:3\r\n-1 1:4\r\n2\r\n",
    "1 1:2 2:3\r\n-1 1:4\r\n2\r",
    "\t1\t1:2 \t 2:3   \n -1  1:4\t\n 2 \n",
    "1 1:2 2:3 # text : and 7:8\n-1 1:4 #5:6\n2 #\n",
    "+1.0 1:+2 2:30e-1\n-1e0 01:4.\n002 \n",
};

START_TEST(many_spellings_of_the_same_rows)
    {
        rvm_problem *p = read_good(same_rows[_i], plain);

        ck_assert_uint_eq(p->rows, 3);
        ck_assert_double_eq(p->target[0], 1);
        ck_assert_double_eq(p->target[1], -1);
        ck_assert_double_eq(p->target[2], 2);
        ck_assert_uint_eq(p->start[3], 3);
        expect_pair(p, 0, 0, 1, 2);
        expect_pair(p, 0, 1, 2, 3);
        expect_pair(p, 1, 0, 1, 4);
        ck_assert_int_eq(p->max_index, 2);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(a_row_of_very_many_pairs)
    {
        enum { PAIRS = 200000 };
        char *text = malloc(PAIRS * 16 + 10), *at = text;

        ck_assert_ptr_nonnull(text);
        at += sprintf(at, "7");
        for (int i = 1; i <= PAIRS; i++)
            at += sprintf(at, " %d:%d", 3 * i, i);
        rvm_problem *p = read_good(text, plain);
        ck_assert_uint_eq(p->start[1], PAIRS);
        for (int i = 1; i <= PAIRS; i++)
            expect_pair(p, 0, (size_t)i - 1, 3 * i, i);
        rvm_problem_free(p);
        free(text);
    }
END_TEST

START_TEST(class_labels)
    {
        rvm_problem *p = read_good("2147483647 1:1\n-2147483647\n-0\n3.0\n", classes);

        ck_assert_double_eq(p->target[0], 2147483647);
        ck_assert_double_eq(p->target[1], -2147483647);
        ck_assert_double_eq(p->target[3], 3);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(several_labels)
    {
        rvm_problem *p = read_good("1,-2.5,+3e1 1:4\n0,.5,7\n  1,2,3 # note\n", outputs);
        static const double wanted[] = { 1, -2.5, 30, 0, 0.5, 7, 1, 2, 3 };

        ck_assert_uint_eq(p->rows, 3);
        ck_assert_uint_eq(rvm_problem_outputs(p), 3);
        ck_assert_mem_eq(p->target, wanted, sizeof wanted);
        ck_assert_ptr_eq(rvm_problem_targets(p, 1), p->target + 3);
        ck_assert_double_eq(rvm_problem_target(p, 1), 0);
        rvm_problem_free(p);
        p = read_good("1 1:4\n0\n", outputs);
        ck_assert_uint_eq(rvm_problem_outputs(p), 1);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(kernel_matrix)
    {
        rvm_problem *p = read_good("1 0:1 1:4 2:0.5\n2 0:2 1:0.5 2:9\n", matrix);

        ck_assert_uint_eq(p->rows, 2);
        expect_pair(p, 1, 0, 0, 2);
        expect_pair(p, 1, 2, 2, 9);
        rvm_problem_free(p);
    }
END_TEST

/* ---- What is not ---------------------------------------------------------------------------- */

static const struct {
    const char *text; /* good rows before it stand in the first lines */
    size_t line, column;
    const char *reason; /* the message begins so */
} faults[] = {
    { "", 1, 1, "no rows" },
    { "\n", 1, 1, "blank line" },
    { " \t \n", 1, 1, "blank line" },
    { "1 1:1\n\n2 1:1\n", 2, 1, "blank line" },
    { "1 1:1\n\n", 2, 1, "blank line" },
    { "1 1:1\r\n\r\n", 2, 1, "blank line" },
    { "1 1:1\n  ", 2, 1, "blank line" },
    { "\xef\xbb\xbf"
      "1 1:1\n",
      1, 1, "byte order mark" },
    { "# note\n1 1:1\n", 1, 1, "a line with nothing but a comment" },
    { "1 1:1\n  #\n", 2, 3, "a line with nothing but a comment" },
    { "1:2 2:3\n", 1, 1, "missing label: '1:2'" },
    { "1 1:1\n  1:2\n", 2, 3, "missing label" },
    { "1,2 1:1\n", 1, 1, "more than one label: '1,2'" },
    { "1;2\n", 1, 1, "label is not a number: '1;2'" },
    { "cat 1:1\n", 1, 1, "label is not a number: 'cat'" },
    { "nan 1:1\n", 1, 1, "label is not a number" },
    { "0x1 1:1\n", 1, 1, "label is not a number" },
    { "1x 1:1\n", 1, 1, "label is not a number" },
    { "1e400 1:1\n", 1, 1, "label is out of range" },
    { "1 1:1 7\n", 1, 7, "expected INDEX:VALUE: '7'" },
    { "1 1 :2\n", 1, 3, "expected INDEX:VALUE" },
    { "1  \t :2\n", 1, 6, "missing index" },
    { "1 1:\n", 1, 3, "missing value" },
    { "1 1: 2\n", 1, 3, "missing value" },
    { "1 1:1\n1 2:3 4:", 2, 7, "missing value" },
    { "1 -1:2\n", 1, 3, "index is negative" },
    { "1 1.5:2\n", 1, 3, "index is not a whole number" },
    { "1 1e3:2\n", 1, 3, "index is not a whole number" },
    { "1 qid:1 1:2\n", 1, 3, "index is not a whole number" },
    { "1 2147483648:1\n", 1, 3, "index is out of range" },
    { "1 4294967297:1\n", 1, 3, "index is out of range" },
    { "1 2:1 1:1\n", 1, 7, "indices must ascend" },
    { "1 2:1 02:1\n", 1, 7, "indices must ascend" },
    { "1 0:1 0:1\n", 1, 7, "indices must ascend" },
    { "1 1:nan\n", 1, 3, "value is not a number" },
    { "1 1:inf\n", 1, 3, "value is not a number" },
    { "1 1:0x1p3\n", 1, 3, "value is not a number" },
    { "1 1:2:3\n", 1, 3, "value is not a number" },
    { "1 1:2,5\n", 1, 3, "value is not a number" },
    { "1 1:1#\n", 1, 3, "value is not a number" },
    { "1 1:1\r2 1:1\r", 1, 3, "value is not a number" },
    { "1 1:1\v2:1\n", 1, 3, "value is not a number" },
    { "1 1:1e400\n", 1, 3, "value is out of range" },
    { "1 1:1e-400\n", 1, 3, "value underflows" },
    { "1 1:-1e-310\n", 1, 3, "value underflows" },
};

START_TEST(faults_and_their_places)
    {
        rvm_problem *p = NULL;
        rvm_error err = { 0 };
        const char *const reason = faults[_i].reason;

        ck_assert_int_eq(read_bytes(&p, faults[_i].text, strlen(faults[_i].text), plain, &err),
                         RVM_EINPUT);
        ck_assert_ptr_null(p);
        ck_assert_int_eq(err.status, RVM_EINPUT);
        ck_assert_uint_eq(err.line, faults[_i].line);
        ck_assert_uint_eq(err.column, faults[_i].column);
        ck_assert_msg(strncmp(err.message, reason, strlen(reason)) == 0, "%s: %s", faults[_i].text,
                      err.message);
    }
END_TEST

START_TEST(a_nul_is_no_end_of_line)
    {
        static const char in_line[] = "1 1:1\n2 1:1\0 2:2\n", at_start[] = "1 1:1\n\0 1:1\n";
        rvm_problem *p = NULL;
        rvm_error err = { 0 };

        ck_assert_int_eq(read_bytes(&p, in_line, sizeof in_line - 1, plain, &err), RVM_EINPUT);
        ck_assert_uint_eq(err.line, 2);
        ck_assert_uint_eq(err.column, 3);
        ck_assert_int_eq(read_bytes(&p, at_start, sizeof at_start - 1, plain, &err), RVM_EINPUT);
        ck_assert_uint_eq(err.line, 2);
        ck_assert_uint_eq(err.column, 1);
    }
END_TEST

static const struct {
    const char *text;
    size_t line, column;
    const char *reason;
} class_faults[] = {
    { "1 1:1\n 1.5 1:1\n", 2, 2, "class label is not a whole number" },
    { "2147483648 1:1\n", 1, 1, "class label is out of range" },
    { "-99999999999 1:1\n", 1, 1, "class label is out of range" },
};

/* Each in the grammar of several labels. */
static const struct {
    const char *text;
    size_t line, column;
    const char *reason;
} label_faults[] = {
    { "1,2 1:1\n1 1:1\n", 2, 1, "1 label where the first row has 2" },
    { "1 1:1\n 1,2,3 1:1\n", 2, 2, "3 labels where the first row has 1" },
    { "1,,2 1:1\n", 1, 3, "a label is missing" },
    { "1, 2:1\n", 1, 3, "a label is missing" },
    { " ,1 2:1\n", 1, 2, "a label is missing" },
    { "1,two 1:1\n", 1, 3, "label is not a number: 'two'" },
    { "1,2,1e400\n", 1, 5, "label is out of range" },
    { "1,2:1 3:4\n", 1, 3, "missing label: '2:1'" },
    { "1,2 1:3,4\n", 1, 5, "value is not a number" },
    { "1;2 1:3\n", 1, 1, "label is not a number" },
    { "1.5,2,3\n2,3,4\n", 1, 1, "3 labels and no feature, in every row; this looks like CSV" },
};

/* One row with a feature is enough. */
START_TEST(several_labels_and_few_features)
    {
        static const char text[] = "1,2\n2,3 7:1\n4,5\n";
        rvm_problem *p = NULL;
        rvm_error err = { 0 };

        ck_assert_int_eq(read_bytes(&p, text, strlen(text), outputs, &err), RVM_OK);
        ck_assert_uint_eq(rvm_problem_rows(p), 3);
        rvm_problem_free(p);
    }
END_TEST

/* `?` and a pair in the place of the label: targets that are no number, the pairs all there. */
START_TEST(rows_without_labels)
    {
        static const char text[] = "? 1:5\n2:7 3:8\n1,2 4:9\n?\n";
        rvm_problem *p = NULL;
        rvm_error err = { 0 };
        const rvm_grammar grammar = { .outputs = true, .unlabelled = 2 };

        ck_assert_int_eq(read_bytes(&p, text, strlen(text), grammar, &err), RVM_OK);
        ck_assert_uint_eq(rvm_problem_rows(p), 4);
        ck_assert_uint_eq(rvm_problem_outputs(p), 2);
        for (size_t i = 0; i < 4; i++)
            for (size_t k = 0; k < 2; k++)
                ck_assert_int_eq(!isnan(rvm_problem_targets(p, i)[k]), i == 2);
        ck_assert_uint_eq(p->start[4], 4);
        ck_assert_int_eq(p->index[1], 2);
        ck_assert_double_eq(p->value[1], 7);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(faults_of_several_labels)
    {
        rvm_problem *p = NULL;
        rvm_error err = { 0 };
        const char *const text = label_faults[_i].text, *const reason = label_faults[_i].reason;

        ck_assert_int_eq(read_bytes(&p, text, strlen(text), outputs, &err), RVM_EINPUT);
        ck_assert_uint_eq(err.line, label_faults[_i].line);
        ck_assert_uint_eq(err.column, label_faults[_i].column);
        ck_assert_msg(strncmp(err.message, reason, strlen(reason)) == 0, "%s", err.message);
    }
END_TEST

START_TEST(several_labels_are_no_class)
    {
        static const char text[] = "1,2 1:1\n";
        rvm_problem *p = NULL;
        rvm_error err = { 0 };

        ck_assert_int_eq(read_bytes(&p, text, strlen(text), classes, &err), RVM_EINPUT);
        ck_assert_str_eq(err.message, "more than one label, which is for regression only: '1,2'");
    }
END_TEST

START_TEST(faults_of_class_labels)
    {
        rvm_problem *p = NULL;
        rvm_error err = { 0 };
        const char *const text = class_faults[_i].text, *const reason = class_faults[_i].reason;

        ck_assert_int_eq(read_bytes(&p, text, strlen(text), classes, &err), RVM_EINPUT);
        ck_assert_uint_eq(err.line, class_faults[_i].line);
        ck_assert_uint_eq(err.column, class_faults[_i].column);
        ck_assert_int_eq(strncmp(err.message, reason, strlen(reason)), 0);
        ck_assert_int_eq(read_bytes(&p, text, strlen(text), plain, &err), RVM_OK);
        rvm_problem_free(p);
    }
END_TEST

static const struct {
    const char *text;
    size_t line, column;
    const char *reason;
} matrix_faults[] = {
    { " 1\n", 1, 2, "Wrong input format: first column must be 0:sample_serial_number" },
    { "1 1:1\n", 1, 3, "Wrong input format: first column must be 0:sample_serial_number" },
    { "1 0:0 1:1\n", 1, 3, "Wrong input format: sample_serial_number out of range" },
    { "1 0:1.5 1:1\n", 1, 3, "Wrong input format: sample_serial_number out of range" },
    { "1  0:2 1:1\n", 1, 4, "Wrong input format: sample_serial_number out of range" },
    { "1 0:1 1:4 2:1\n2 0:3 1:1 2:4\n", 2, 3,
      "Wrong input format: sample_serial_number out of range" },
    { "1 0:1 1:4 2:1\n2 0:2   2:4\n", 2, 9, "kernel row has a gap" },
    { "1 0:1 1:4 2:1 4:1\n", 1, 15, "kernel row has a gap" },
    { "1 0:1 1:4 2:1\n", 1, 1, "kernel matrix is not square" },
    { "1 0:1 1:4 2:1\n2 0:2 1:1\n", 2, 3, "kernel row of 1 values where another one has 2" },
    { "1 0:1 1:4 2:1\n2  0:1 1:4 2:1\n", 2, 4, "serial number 1 is that of line 1 too" },
    { "1 0:1 1:4 2:1\n2 0:2 1:1.01 2:4\n", 2, 3,
      "kernel matrix is not symmetric: 1.01 with line 1, which has 1 with this one" },
    { "1 0:2 1:1 2:4\n2 0:1 1:5 2:2\n", 2, 3,
      "kernel matrix is not symmetric: 2 with line 1, which has 1 with this one" },
};

/* Six digits, rows in any order, and nothing but rounding beside the diagonal. */
START_TEST(nearly_symmetric_matrices)
    {
        static const char *const texts[] = { "1 0:1 1:4 2:0.333333\n2 0:2 1:0.333334 2:4\n",
                                             "1 0:2 1:0.5 2:4\n2 0:1 1:5 2:0.5\n",
                                             "1 0:1 1:4 2:1e-17\n2 0:2 1:-2e-17 2:3\n" };
        rvm_problem *p = NULL;
        rvm_error err = { 0 };

        ck_assert_int_eq(read_bytes(&p, texts[_i], strlen(texts[_i]), matrix, &err), RVM_OK);
        rvm_problem_free(p);
    }
END_TEST

START_TEST(faults_of_a_kernel_matrix)
    {
        rvm_problem *p = NULL;
        rvm_error err = { 0 };
        const char *const text = matrix_faults[_i].text, *const reason = matrix_faults[_i].reason;

        ck_assert_int_eq(read_bytes(&p, text, strlen(text), matrix, &err), RVM_EINPUT);
        ck_assert_uint_eq(err.line, matrix_faults[_i].line);
        ck_assert_uint_eq(err.column, matrix_faults[_i].column);
        ck_assert_msg(strncmp(err.message, reason, strlen(reason)) == 0, "%s", err.message);
    }
END_TEST

START_TEST(a_folder_cannot_be_read)
    {
        rvm_problem *p = NULL;
        rvm_error err = { 0 };
        FILE *in = fopen("/", "r");

        ck_assert_ptr_nonnull(in);
        ck_assert_int_eq(rvm_problem_read(&p, in, plain, &err), RVM_EIO);
        ck_assert_str_eq(err.message, "Is a directory");
        ck_assert_ptr_null(p);
        fclose(in);
    }
END_TEST

/* ---- Blocks --------------------------------------------------------------------------------- */

static rvm_reader *new_reader(FILE *in, rvm_grammar grammar)
{
    rvm_reader *r = NULL;
    rvm_error err = { 0 };

    ck_assert_int_eq(rvm_reader_alloc(&r, in, grammar, &err), RVM_OK);
    return r;
}

START_TEST(blocks_of_a_file)
    {
        enum { ROWS = 20000, BLOCK = 64 };
        FILE *in = tmpfile();
        rvm_error err = { 0 };
        rvm_problem *block = NULL;
        size_t row = 0;

        ck_assert_ptr_nonnull(in);
        for (int i = 0; i < ROWS; i++)
            ck_assert(fprintf(in, "%d %d:1.5\n", i, i + 1) > 0);
        rewind(in);
        rvm_reader *r = new_reader(in, plain);
        do {
            ck_assert_int_eq(rvm_reader_next(&block, r, BLOCK, &err), RVM_OK);
            /* Nothing has to be waited for in a file, so every block but the last is full. */
            ck_assert_uint_eq(block->rows, ROWS - row < BLOCK ? ROWS - row : BLOCK);
            for (size_t i = 0; i < block->rows; i++, row++) {
                ck_assert_double_eq(block->target[i], (double)row);
                expect_pair(block, i, 0, (int)row + 1, 1.5);
            }
        } while (block->rows > 0);
        ck_assert_uint_eq(row, ROWS);
        ck_assert_int_eq(rvm_reader_next(&block, r, BLOCK, &err), RVM_OK);
        ck_assert_uint_eq(block->rows, 0);
        rvm_problem_free(block);
        rvm_reader_free(r);
        rvm_reader_free(NULL);
        fclose(in);
    }
END_TEST

/* The test would hang if a block waited for more than its first row. */
START_TEST(rows_of_a_pipe_come_as_they_are_written)
    {
        int ends[2];
        rvm_error err = { 0 };
        rvm_problem *block = NULL;

        ck_assert_int_eq(pipe(ends), 0);
        FILE *in = fdopen(ends[0], "r");
        rvm_reader *r = new_reader(in, plain);
        ck_assert_int_eq(write(ends[1], "1 1:5\n2 1:6\n3", 13), 13);
        ck_assert_int_eq(rvm_reader_next(&block, r, 100, &err), RVM_OK);
        ck_assert_uint_eq(block->rows, 2);
        ck_assert_int_eq(write(ends[1], "3 1:7\n4", 7), 7);
        ck_assert_int_eq(rvm_reader_next(&block, r, 100, &err), RVM_OK);
        ck_assert_uint_eq(block->rows, 1);
        ck_assert_double_eq(block->target[0], 33);
        close(ends[1]);
        ck_assert_int_eq(rvm_reader_next(&block, r, 100, &err), RVM_OK);
        ck_assert_uint_eq(block->rows, 1);
        ck_assert_double_eq(block->target[0], 4);
        ck_assert_int_eq(rvm_reader_next(&block, r, 100, &err), RVM_OK);
        ck_assert_uint_eq(block->rows, 0);
        rvm_problem_free(block);
        rvm_reader_free(r);
        fclose(in);
    }
END_TEST

START_TEST(lines_are_counted_across_blocks)
    {
        static const char text[] = "1 1:1\n2 1:1\n3 1:1\n4 1:x\n";
        FILE *in = fmemopen((void *)(uintptr_t)text, sizeof text - 1, "r");
        rvm_error err = { 0 };
        rvm_problem *block = NULL;
        rvm_reader *r = new_reader(in, plain);

        ck_assert_int_eq(rvm_reader_next(&block, r, 2, &err), RVM_OK);
        ck_assert_uint_eq(block->rows, 2);
        ck_assert_int_eq(rvm_reader_next(&block, r, 2, &err), RVM_EINPUT);
        ck_assert_uint_eq(err.line, 4);
        ck_assert_uint_eq(err.column, 3);
        rvm_problem_free(block);
        rvm_reader_free(r);
        fclose(in);
    }
END_TEST

/* Rows to be predicted need not make a square matrix, and their serial numbers mean nothing. */
START_TEST(kernel_rows_in_blocks)
    {
        static const char text[] = "1 0:0 1:4 2:1\n1 0:9 1:4 2:1\n1 0:1 2:1\n";
        FILE *in = fmemopen((void *)(uintptr_t)text, sizeof text - 1, "r");
        rvm_error err = { 0 };
        rvm_problem *block = NULL;
        rvm_reader *r = new_reader(in, matrix);

        ck_assert_int_eq(rvm_reader_next(&block, r, 2, &err), RVM_OK);
        ck_assert_uint_eq(block->rows, 2);
        ck_assert_int_eq(rvm_reader_next(&block, r, 2, &err), RVM_EINPUT);
        ck_assert_uint_eq(err.line, 3);
        ck_assert_uint_eq(err.column, 7);
        rvm_problem_free(block);
        rvm_reader_free(r);
        fclose(in);
    }
END_TEST

START_TEST(kernel_rows_of_a_length)
    {
        static const char text[] = "1 0:0 1:4 2:1\n1 0:9 1:4\n";
        FILE *in = fmemopen((void *)(uintptr_t)text, sizeof text - 1, "r");
        rvm_error err = { 0 };
        rvm_problem *block = NULL;
        rvm_reader *r = new_reader(in, (rvm_grammar){ .precomputed = true, .columns = 2 });

        ck_assert_int_eq(rvm_reader_next(&block, r, 2, &err), RVM_EINPUT);
        ck_assert_uint_eq(err.line, 2);
        ck_assert_uint_eq(err.column, 3);
        ck_assert_str_eq(err.message, "kernel row of 1 values; the model was trained on 2 rows");
        rvm_problem_free(block);
        rvm_reader_free(r);
        fclose(in);
    }
END_TEST

/* The number of labels is that of the file, not of a block. */
START_TEST(labels_in_blocks)
    {
        FILE *in = tmpfile();
        rvm_error err = { 0 };
        rvm_problem *block = NULL;

        ck_assert_ptr_nonnull(in);
        ck_assert(fputs("1,2 1:1\n3,4 1:1\n5 1:1\n", in) >= 0);
        rewind(in);
        rvm_reader *r = new_reader(in, outputs);
        ck_assert_int_eq(rvm_reader_next(&block, r, 2, &err), RVM_OK);
        ck_assert_uint_eq(rvm_problem_outputs(block), 2);
        ck_assert_double_eq(rvm_problem_targets(block, 1)[1], 4);
        ck_assert_int_eq(rvm_reader_next(&block, r, 2, &err), RVM_EINPUT);
        ck_assert_uint_eq(err.line, 3);
        rvm_problem_free(block);
        rvm_reader_free(r);
        fclose(in);
    }
END_TEST

START_TEST(blocks_of_an_empty_file)
    {
        FILE *in = tmpfile();
        rvm_error err = { 0 };
        rvm_problem *block = NULL;
        rvm_reader *r = new_reader(in, plain);

        ck_assert_int_eq(rvm_reader_next(&block, r, 10, &err), RVM_EINPUT);
        ck_assert_uint_eq(err.line, 1);
        ck_assert_uint_eq(err.column, 1);
        ck_assert_str_eq(err.message, "no rows");
        rvm_problem_free(block);
        rvm_reader_free(r);
        fclose(in);
    }
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

Suite *problem_read_suite(void);
Suite *problem_read_suite(void)
{
    Suite *suite = suite_create("problem_read");
    TCase *tc = tcase_create("problem_read");

    tcase_add_test(tc, ordinary_rows);
    tcase_add_loop_test(tc, many_spellings_of_the_same_rows, 0, COUNT(same_rows));
    tcase_add_test(tc, a_row_of_very_many_pairs);
    tcase_add_test(tc, class_labels);
    tcase_add_test(tc, kernel_matrix);
    tcase_add_test(tc, several_labels);
    tcase_add_test(tc, labels_in_blocks);
    tcase_add_test(tc, several_labels_are_no_class);
    tcase_add_test(tc, several_labels_and_few_features);
    tcase_add_test(tc, rows_without_labels);
    tcase_add_loop_test(tc, nearly_symmetric_matrices, 0, 3);
    tcase_add_loop_test(tc, faults_of_several_labels, 0, COUNT(label_faults));
    tcase_add_loop_test(tc, faults_and_their_places, 0, COUNT(faults));
    tcase_add_test(tc, a_nul_is_no_end_of_line);
    tcase_add_loop_test(tc, faults_of_class_labels, 0, COUNT(class_faults));
    tcase_add_loop_test(tc, faults_of_a_kernel_matrix, 0, COUNT(matrix_faults));
    tcase_add_test(tc, a_folder_cannot_be_read);
    tcase_add_test(tc, blocks_of_a_file);
    tcase_add_test(tc, rows_of_a_pipe_come_as_they_are_written);
    tcase_add_test(tc, lines_are_counted_across_blocks);
    tcase_add_test(tc, kernel_rows_in_blocks);
    tcase_add_test(tc, kernel_rows_of_a_length);
    tcase_add_test(tc, blocks_of_an_empty_file);
    suite_add_tcase(suite, tc);
    return suite;
}
