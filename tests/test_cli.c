/* Command lines, messages, files, signals. */
#include <check.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/input.h"
#include "cli/note.h"
#include "cli/options.h"
#include "cli/output.h"
#include "suites.h"

/* ---- A tool to try things on ---------------------------------------------------------------- */

typedef struct {
    bool quiet;
    int number;
    double real;
    const char *text;
    double pair[2];
    rvm_settings settings;
} test_job;

#define FIELD(name) offsetof(test_job, name)

static const cli_option options[] = {
    { 'q', "quiet", NULL, NULL, "say nothing", CLI_FLAG, FIELD(quiet) },
    { 'n', "number", "N", "3", "a whole number", CLI_INT, FIELD(number) },
    { 'g', NULL, "G", "0.5", "a real number", CLI_REAL, FIELD(real) },
    { 0, "seed", "SEED", "1", "a seed", CLI_SETTING, FIELD(settings) },
    { 't', "text", "TEXT", NULL, "a text", CLI_TEXT, FIELD(text) },
    { 'y', NULL, "LO HI", NULL, "two numbers", CLI_PAIR, FIELD(pair) },
    { 'w', NULL, "I W", "1", "a weight", CLI_SUFFIXED, FIELD(settings) },
    { 0, "ard", NULL, NULL, "a setting that is a flag", CLI_SETTING, FIELD(settings) },
};

static const cli_tool tool = {
    .name = "rvm-test",
    .about = "Does nothing.",
    .operands = "one [two]",
    .operands_min = 1,
    .operands_max = 2,
    .option = options,
    .option_count = sizeof options / sizeof *options,
};

/* ---- Standard output and error, caught ------------------------------------------------------ */

typedef struct {
    int kept[2];
    FILE *file[2];
} capture;

static capture begin_capture(void)
{
    capture c;

    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        c.file[i] = tmpfile();
        ck_assert_ptr_nonnull(c.file[i]);
        c.kept[i] = dup(STDOUT_FILENO + i);
        ck_assert_int_ge(dup2(fileno(c.file[i]), STDOUT_FILENO + i), 0);
    }
    return c;
}

enum { TEXT_SIZE = 4000 };

static void end_capture(capture *c, char out[TEXT_SIZE], char err[TEXT_SIZE])
{
    char *const text[] = { out, err };

    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        dup2(c->kept[i], STDOUT_FILENO + i);
        close(c->kept[i]);
        rewind(c->file[i]);
        text[i][fread(text[i], 1, TEXT_SIZE - 1, c->file[i])] = '\0';
        fclose(c->file[i]);
    }
}

/* ---- Command lines -------------------------------------------------------------------------- */

typedef struct {
    cli_outcome outcome;
    test_job job;
    cli_words words;
    char *argv[20], *line;
    char out[TEXT_SIZE], err[TEXT_SIZE];
} trial;

/* `line` is split at blanks; _ stands for an empty word. */
static trial *try_with(const cli_tool *tested, const char *line)
{
    trial *t = calloc(1, sizeof *t);
    int argc = 1;

    ck_assert_ptr_nonnull(t);
    t->line = strdup(line);
    t->argv[0] = t->line + strlen(line); /* whatever the tool is called */
    for (char *word = strtok(t->line, " "); word != NULL; word = strtok(NULL, " "))
        t->argv[argc++] = strcmp(word, "_") == 0 ? word + 1 : word;
    t->job = (test_job){ .number = 3, .real = 0.5, .settings = rvm_settings_default() };
    capture c = begin_capture();
    t->outcome = cli_options_parse(argc, t->argv, tested, &t->job, &t->words);
    end_capture(&c, t->out, t->err);
    return t;
}

static trial *try_line(const char *line)
{
    return try_with(&tool, line);
}

static void end_trial(trial *t)
{
    rvm_settings_clear(&t->job.settings);
    free(t->line);
    free(t);
}

static trial *expect_run(const char *line)
{
    trial *t = try_line(line);

    ck_assert_msg(t->outcome == CLI_RUN, "%s: %s", line, t->err);
    ck_assert_str_eq(t->out, "");
    return t;
}

START_TEST(defaults_stay)
    {
        trial *t = expect_run("file");

        ck_assert(!t->job.quiet);
        ck_assert_int_eq(t->job.number, 3);
        ck_assert_double_eq(t->job.real, 0.5);
        ck_assert_ptr_null(t->job.text);
        ck_assert_uint_eq(t->words.given, 0);
        ck_assert_int_eq(t->words.count, 1);
        ck_assert_str_eq(t->words.word[0], "file");
        ck_assert_str_eq(t->err, "");
        end_trial(t);
    }
END_TEST

START_TEST(every_kind_of_option)
    {
        trial *t =
            expect_run("-q -n -7 -g -2.5e-3 --seed 18446744073709551615 -t -q -y -1 1e3 a b");

        ck_assert(t->job.quiet);
        ck_assert_int_eq(t->job.number, -7);
        ck_assert_double_eq(t->job.real, -2.5e-3);
        ck_assert_uint_eq(t->job.settings.seed, 18446744073709551615UL);
        ck_assert_str_eq(t->job.text, "-q");
        ck_assert_double_eq(t->job.pair[0], -1);
        ck_assert_double_eq(t->job.pair[1], 1000);
        ck_assert_int_eq(t->words.count, 2);
        ck_assert_str_eq(t->words.word[1], "b");
        ck_assert(cli_options_given(&t->words, &tool, "-y"));
        ck_assert(cli_options_given(&t->words, &tool, "--seed"));
        ck_assert(cli_options_given(&t->words, &tool, "--number"));
        ck_assert(!cli_options_given(&t->words, &tool, "-w"));
        ck_assert(!cli_options_given(&t->words, &tool, "--ard"));
        end_trial(t);
    }
END_TEST

START_TEST(long_names)
    {
        trial *t = expect_run("--number=12 --quiet --text x --ard --seed 4 a");

        ck_assert_int_eq(t->job.number, 12);
        ck_assert(t->job.quiet);
        ck_assert_str_eq(t->job.text, "x");
        ck_assert_uint_eq(t->job.settings.seed, 4);
        ck_assert(t->job.settings.ard);
        end_trial(t);
    }
END_TEST

START_TEST(suffixed_option)
    {
        static const struct {
            const char *line;
            int label;
        } cases[] = { { "-w1 2.5 a", 1 },
                      { "-w-1 2.5 a", -1 },
                      { "-w+1 2.5 a", 1 },
                      { "-w 2.5 a", 0 },
                      { "-qw3 2.5 a", 3 } };

        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            trial *t = expect_run(cases[i].line);

            ck_assert_uint_eq(t->job.settings.class_weight_count, 1);
            ck_assert_int_eq(t->job.settings.class_weights[0].label, cases[i].label);
            ck_assert_double_eq(t->job.settings.class_weights[0].weight, 2.5);
            end_trial(t);
        }
    }
END_TEST

START_TEST(last_of_repeated_options_counts)
    {
        trial *t = expect_run("-n 1 -n 2 a");

        ck_assert_int_eq(t->job.number, 2);
        end_trial(t);
    }
END_TEST

START_TEST(numbers_that_only_ranges_refuse)
    {
        trial *t = expect_run("-g nan a");

        ck_assert(isnan(t->job.real));
        end_trial(t);
        t = expect_run("-g -inf a");
        ck_assert(isinf(t->job.real));
        end_trial(t);
        t = expect_run("-g 1e-60 a");
        ck_assert_double_eq(t->job.real, 1e-60);
        end_trial(t);
    }
END_TEST

START_TEST(options_stop_at_the_first_file)
    {
        trial *t = expect_run("a -q");

        ck_assert(!t->job.quiet);
        ck_assert_int_eq(t->words.count, 2);
        ck_assert_str_eq(t->words.word[1], "-q");
        ck_assert_str_eq(t->err, "rvm-test: -q is taken as a file name: options stop at the first "
                                 "file\n");
        end_trial(t);
    }
END_TEST

START_TEST(dashes)
    {
        trial *t = expect_run("-q - -");

        ck_assert_int_eq(t->words.count, 2);
        ck_assert_str_eq(t->words.word[0], "-");
        ck_assert_str_eq(t->err, "");
        end_trial(t);
        t = expect_run("-q -- -n");
        ck_assert_int_eq(t->words.count, 1);
        ck_assert_str_eq(t->words.word[0], "-n");
        ck_assert_str_eq(t->err, "");
        end_trial(t);
    }
END_TEST

static const struct {
    const char *line, *message;
} wrong_lines[] = {
    { "-q", "rvm-test: too few files (try rvm-test --help)\n" },
    { "-z 1 a", "rvm-test: Unknown option: -z (try rvm-test --help)\n" },
    { "-qz a", "rvm-test: Unknown option: -z (try rvm-test --help)\n" },
    { "--zeta a", "rvm-test: Unknown option: --zeta (try rvm-test --help)\n" },
    { "--quiet=1 a", "rvm-test: Unknown option: --quiet=1 (try rvm-test --help)\n" },
    { "a -q b", "rvm-test: options stand before the files: -q (try rvm-test --help)\n" },
    { "-q -- a -q b", "rvm-test: too many words: b (try rvm-test --help)\n" },
    { "\xe2\x80\x93q a", "rvm-test: \xe2\x80\x93q begins with a dash that is no minus sign: "
                         "options begin with - (try rvm-test --help)\n" },
    { "-n \xe2\x88\x92\x31 a", "rvm-test: -n \xe2\x88\x92\x31: expected a whole number; "
                               "its dash is no minus sign, which is - (try rvm-test --help)\n" },
    { "a b c", "rvm-test: too many words: c (try rvm-test --help)\n" },
    { "-n", "rvm-test: option -n needs a value (try rvm-test --help)\n" },
    { "--seed", "rvm-test: option --seed needs a value (try rvm-test --help)\n" },
    { "-y 1", "rvm-test: option -y needs two values (try rvm-test --help)\n" },
    { "-w1", "rvm-test: option -w needs a value (try rvm-test --help)\n" },
    { "-n3 a", "rvm-test: the value of -n must be a word of its own: -n3 (try rvm-test --help)\n" },
    { "-n abc a", "rvm-test: -n abc: expected a whole number (try rvm-test --help)\n" },
    { "-n 1.5 a", "rvm-test: -n 1.5: expected a whole number (try rvm-test --help)\n" },
    { "-n -+1 a", "rvm-test: -n -+1: expected a whole number (try rvm-test --help)\n" },
    { "-n _ a", "rvm-test: -n : expected a whole number (try rvm-test --help)\n" },
    { "-n 2147483648 a",
      "rvm-test: -n 2147483648: expected a whole number (try rvm-test --help)\n" },
    { "-g 1x a", "rvm-test: -g 1x: expected a number (try rvm-test --help)\n" },
    { "-g 0x10 a", "rvm-test: -g 0x10: expected a number (try rvm-test --help)\n" },
    { "-g 1e999 a", "rvm-test: -g 1e999: expected a number (try rvm-test --help)\n" },
    { "-g nano a", "rvm-test: -g nano: expected a number (try rvm-test --help)\n" },
    { "--seed -1 a",
      "rvm-test: --seed -1: expected a whole number, not negative (try rvm-test --help)\n" },
    { "--seed 18446744073709551616 a",
      "rvm-test: --seed 18446744073709551616: expected a whole number, not negative "
      "(try rvm-test --help)\n" },
    { "--number=x a", "rvm-test: --number x: expected a whole number (try rvm-test --help)\n" },
    { "-y 1 a", "rvm-test: -y 1 a: expected two numbers (try rvm-test --help)\n" },
    { "-wx 2 a", "rvm-test: -wx 2: the class is not a whole number (try rvm-test --help)\n" },
    { "-w1 y a", "rvm-test: -w1 y: the weight is not a number (try rvm-test --help)\n" },
    { "--ard=y a", "rvm-test: Unknown option: --ard=y (try rvm-test --help)\n" },
};

START_TEST(wrong_command_lines)
    {
        trial *t = try_line(wrong_lines[_i].line);

        ck_assert_int_eq(t->outcome, CLI_WRONG);
        ck_assert_str_eq(t->err, wrong_lines[_i].message);
        ck_assert_str_eq(t->out, "");
        end_trial(t);
    }
END_TEST

/* As libsvm's tools answer, and a newcomer expects. */
START_TEST(usage_without_any_word)
    {
        trial *t = try_line("");

        ck_assert_int_eq(t->outcome, CLI_WRONG);
        ck_assert_str_eq(t->err, "rvm-test: too few files\n");
        ck_assert_int_eq(strncmp(t->out, "Usage: rvm-test [options] one [two]\n", 36), 0);
        end_trial(t);
    }
END_TEST

START_TEST(own_words_for_unknown_options)
    {
        cli_tool other = tool;

        other.unknown = "no such option";
        trial *t = try_with(&other, "-z a");
        ck_assert_int_eq(t->outcome, CLI_WRONG);
        ck_assert_str_eq(t->err, "rvm-test: no such option: -z (try rvm-test --help)\n");
        end_trial(t);
    }
END_TEST

START_TEST(help_has_every_option)
    {
        trial *t = try_line("-n 1 --help");

        ck_assert_int_eq(t->outcome, CLI_DONE);
        ck_assert_str_eq(t->err, "");
        ck_assert_str_eq(t->out, "Usage: rvm-test [options] one [two]\n"
                                 "Does nothing.\n"
                                 "\n"
                                 "Options:\n"
                                 "  -q, --quiet                say nothing\n"
                                 "  -n, --number N             a whole number (default 3)\n"
                                 "  -g G                       a real number (default 0.5)\n"
                                 "      --seed SEED            a seed (default 1)\n"
                                 "  -t, --text TEXT            a text\n"
                                 "  -y LO HI                   two numbers\n"
                                 "  -wI W                      a weight (default 1)\n"
                                 "      --ard                  a setting that is a flag\n"
                                 "      --help                 print this text\n"
                                 "      --version              print versions\n");
        end_trial(t);
    }
END_TEST

START_TEST(help_has_headings)
    {
        static const cli_option rows[] = {
            { .kind = CLI_HEADING, .help = "Numbers" },
            { 'n', "number", "N", "3", "a whole number", CLI_INT, FIELD(number) },
            { .kind = CLI_HEADING, .help = "Others" },
            { 'q', "quiet", NULL, NULL, "say nothing", CLI_FLAG, FIELD(quiet) },
        };
        cli_tool other = tool;

        other.option = rows;
        other.option_count = sizeof rows / sizeof *rows;
        trial *t = try_with(&other, "--help");
        ck_assert_str_eq(t->out, "Usage: rvm-test [options] one [two]\n"
                                 "Does nothing.\n"
                                 "\n"
                                 "Numbers:\n"
                                 "  -n, --number N             a whole number (default 3)\n"
                                 "\n"
                                 "Others:\n"
                                 "  -q, --quiet                say nothing\n"
                                 "\n"
                                 "Help:\n"
                                 "      --help                 print this text\n"
                                 "      --version              print versions\n");
        end_trial(t);
        t = try_with(&other, "-n 7 -q a");
        ck_assert_int_eq(t->outcome, CLI_RUN);
        ck_assert_int_eq(t->job.number, 7);
        ck_assert(t->job.quiet);
        ck_assert(cli_options_given(&t->words, &other, "-q"));
        end_trial(t);
    }
END_TEST

START_TEST(version_names_the_libraries)
    {
        trial *t = try_line("--version");

        ck_assert_int_eq(t->outcome, CLI_DONE);
        ck_assert_int_eq(
            strncmp(t->out, "rvm-test " RVM_VERSION "\nGSL ", 14 + strlen(RVM_VERSION)), 0);
        ck_assert_ptr_nonnull(strstr(t->out, "\nBLAS: "));
        end_trial(t);
    }
END_TEST

/* The caller closed standard output and error: no file that is opened later takes their place. */
START_TEST(closed_descriptors_are_not_handed_out)
    {
        int status = -1;

        fflush(stdout);
        const pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            char *argv[] = { "rvm-test", "a", NULL };
            test_job job = { 0 };
            cli_words words;

            close(STDOUT_FILENO);
            close(STDERR_FILENO);
            if (cli_options_parse(2, argv, &tool, &job, &words) != CLI_RUN)
                _exit(99);
            const bool unwritable = write(STDOUT_FILENO, "x", 1) < 0;
            _exit(open("/dev/null", O_WRONLY) > STDERR_FILENO && unwritable ? 0 : 1);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFEXITED(status));
        ck_assert_int_eq(WEXITSTATUS(status), 0);
    }
END_TEST

/* ---- Messages ------------------------------------------------------------------------------- */

static void expect_error(void (*print)(const cli_tool *, const char *, const rvm_error *),
                         const char *file, rvm_error error, const char *want)
{
    char out[TEXT_SIZE], err[TEXT_SIZE];
    capture c = begin_capture();

    print(&tool, file, &error);
    end_capture(&c, out, err);
    ck_assert_str_eq(err, want);
    ck_assert_str_eq(out, "");
}

START_TEST(errors_as_lines)
    {
        static const rvm_error at = { RVM_EINPUT, 3, 14, "blank line" },
                               whole = { RVM_EIO, 0, 0, "Is a directory" },
                               setting = { RVM_ESETTING, 0, 0, "gamma < 0" },
                               model = { RVM_EMODEL, 2, 1, "no model" };

        expect_error(cli_note_error, "f", at, "rvm-test: f:3:14: blank line\n");
        expect_error(cli_note_error, "f", whole, "rvm-test: f: Is a directory\n");
        expect_error(cli_note_error, NULL, whole, "rvm-test: Is a directory\n");
        expect_error(cli_note_error, "f", setting, "rvm-test: ERROR: gamma < 0\n");
        expect_error(cli_note_data_error, "f", at,
                     "rvm-test: f:3:14: blank line\nrvm-test: Wrong input format at line 3\n");
        expect_error(cli_note_data_error, "-", whole, "rvm-test: -: Is a directory\n");
        expect_error(cli_note_data_error, "f", model, "rvm-test: f:2:1: no model\n");
    }
END_TEST

/* ---- Files ---------------------------------------------------------------------------------- */

START_TEST(inputs_that_cannot_be_opened)
    {
        const char *const none_written[2] = { NULL, NULL };
        char out[TEXT_SIZE], err[TEXT_SIZE];
        capture c = begin_capture();
        FILE *none = cli_input_open(&tool, "input file", "no/such", none_written);
        FILE *folder = cli_input_open(&tool, "file", "/", none_written);

        end_capture(&c, out, err);
        ck_assert_ptr_null(none);
        ck_assert_ptr_null(folder);
        ck_assert_str_eq(err, "rvm-test: can't open input file no/such: No such file or directory\n"
                              "rvm-test: can't open file /: Is a directory\n");
        ck_assert_ptr_eq(cli_input_open(&tool, "file", "-", none_written), stdin);
        cli_input_close(stdin);
        ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0); /* still open */
        cli_input_close(NULL);
    }
END_TEST

/* A folder with nothing in it but what the test makes. */
static char folder[] = "/tmp/rvm-cli-XXXXXX";
static char target[sizeof folder + 10];

static void make_folder(void)
{
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(target, sizeof target, "%s/out", folder);
}

START_TEST(output_committed_or_discarded)
    {
        char out[TEXT_SIZE], err[TEXT_SIZE], got[10] = "";

        make_folder();
        rvm_outfile *o = cli_output_create(&tool, "can't save model to file", target);
        ck_assert_ptr_nonnull(o);
        fputs("rows\n", rvm_outfile_stream(o));
        ck_assert(cli_output_commit(&tool, o, "can't save model to file", target));
        o = cli_output_create(&tool, "can't save model to file", target);
        fputs("lost\n", rvm_outfile_stream(o));
        cli_output_discard(o);
        cli_output_discard(NULL);
        FILE *in = cli_input_open(&tool, "file", target, (const char *[2]){ NULL, NULL });
        ck_assert_ptr_nonnull(in);
        ck_assert_ptr_nonnull(fgets(got, sizeof got, in));
        ck_assert_str_eq(got, "rows\n");
        cli_input_close(in);

        capture c = begin_capture();
        rvm_outfile *none = cli_output_create(&tool, "can't save model to file", "no/such/x");
        end_capture(&c, out, err);
        ck_assert_ptr_null(none);
        ck_assert_str_eq(
            err, "rvm-test: can't save model to file no/such/x: No such file or directory\n");
        unlink(target);
        ck_assert_int_eq(rmdir(folder), 0);
    }
END_TEST

/* ---- Signals -------------------------------------------------------------------------------- */

/* In a process of its own: an output is begun, then it sends itself `first` and, if it is still
 * there, `second`. Returns its wait status; the exit code of a process that outlives both tells
 * whether the flag was set. */
static int signalled(int first, int second, bool polled)
{
    int status = -1;
    const pid_t child = fork();

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        static const volatile sig_atomic_t never = 0;

        signal(SIGINT, SIG_DFL); /* the test runner catches these two */
        signal(SIGTERM, SIG_DFL);
        const volatile sig_atomic_t *flag = polled ? cli_output_catch_interrupt() : &never;
        rvm_outfile *o = cli_output_create(&tool, "can't open", target);

        if (o == NULL || fputs("new\n", rvm_outfile_stream(o)) < 0)
            _exit(99);
        fflush(rvm_outfile_stream(o));
        raise(first);
        if (second != 0 && *flag)
            raise(second);
        const int code = *flag ? 10 : 11;
        _exit(cli_output_commit(&tool, o, "can't write", target) ? code : 98);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

START_TEST(signals_leave_no_temporary_file)
    {
        static const struct {
            int first, second;
            bool polled;
        } cases[] = {
            { SIGINT, SIGINT, true }, { SIGINT, 0, false }, { SIGTERM, SIGTERM, true },
            { SIGTERM, 0, false },    { SIGHUP, 0, false }, { SIGPIPE, 0, false },
        };

        signal(SIGHUP, SIG_DFL); /* whoever runs the tests may ignore these, as nohup does */
        signal(SIGPIPE, SIG_DFL);
        make_folder();
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const int status = signalled(cases[i].first, cases[i].second, cases[i].polled);

            ck_assert(WIFSIGNALED(status));
            ck_assert_int_eq(WTERMSIG(status), cases[i].first);
            ck_assert_int_eq(rmdir(folder), 0); /* it is empty */
            ck_assert_int_eq(mkdir(folder, 0700), 0);
        }
        rmdir(folder);
    }
END_TEST

START_TEST(first_interrupt_only_sets_the_flag)
    {
        static const int first[] = { SIGINT, SIGTERM };

        make_folder();
        for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
            const int status = signalled(first[i], 0, true);

            ck_assert(WIFEXITED(status));
            ck_assert_int_eq(WEXITSTATUS(status), 10);
            ck_assert_int_eq(unlink(target), 0);
        }
        ck_assert_int_eq(rmdir(folder), 0);
    }
END_TEST

START_TEST(ignored_signals_stay_ignored)
    {
        make_folder();
        void (*const before)(int) = signal(SIGHUP, SIG_IGN);
        const int status = signalled(SIGHUP, 0, false);
        signal(SIGHUP, before);

        ck_assert(WIFEXITED(status));
        ck_assert_int_eq(WEXITSTATUS(status), 11);
        ck_assert_int_eq(unlink(target), 0);
        ck_assert_int_eq(rmdir(folder), 0);
    }
END_TEST

/* ---- The end -------------------------------------------------------------------------------- */

/* Exit code of a process that prints a line to `where` and finishes with `code`. */
static int finished(const char *where, int code)
{
    int status = -1;
    const pid_t child = fork();

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        const int file = open(where, O_WRONLY);

        dup2(file, STDOUT_FILENO);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        puts("a line");
        _exit(cli_output_finish(&tool, code));
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(full_disk_on_standard_output)
    {
        fflush(stdout);
        ck_assert_int_eq(finished("/dev/null", 0), 0);
        ck_assert_int_eq(finished("/dev/null", 1), 1);
        if (access("/dev/full", W_OK) == 0)
            ck_assert_int_eq(finished("/dev/full", 0), 1);
    }
END_TEST

Suite *cli_suite(void);
Suite *cli_suite(void)
{
    Suite *suite = suite_create("cli");
    TCase *tc = tcase_create("cli");

    tcase_add_test(tc, defaults_stay);
    tcase_add_test(tc, every_kind_of_option);
    tcase_add_test(tc, long_names);
    tcase_add_test(tc, suffixed_option);
    tcase_add_test(tc, last_of_repeated_options_counts);
    tcase_add_test(tc, numbers_that_only_ranges_refuse);
    tcase_add_test(tc, options_stop_at_the_first_file);
    tcase_add_test(tc, dashes);
    tcase_add_loop_test(tc, wrong_command_lines, 0, sizeof wrong_lines / sizeof *wrong_lines);
    tcase_add_test(tc, usage_without_any_word);
    tcase_add_test(tc, own_words_for_unknown_options);
    tcase_add_test(tc, help_has_every_option);
    tcase_add_test(tc, help_has_headings);
    tcase_add_test(tc, version_names_the_libraries);
    tcase_add_test(tc, closed_descriptors_are_not_handed_out);
    tcase_add_test(tc, errors_as_lines);
    tcase_add_test(tc, inputs_that_cannot_be_opened);
    tcase_add_test(tc, output_committed_or_discarded);
    tcase_add_test(tc, signals_leave_no_temporary_file);
    tcase_add_test(tc, first_interrupt_only_sets_the_flag);
    tcase_add_test(tc, ignored_signals_stay_ignored);
    tcase_add_test(tc, full_disk_on_standard_output);
    suite_add_tcase(suite, tc);
    return suite;
}
