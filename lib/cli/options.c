/* The command line, its usage and its errors. */
#include "cli/options.h"

#include <fcntl.h>
#include <getopt.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_version.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text.h"
#include "base/value.h"
#include "cli/note.h"
#include "cli/output.h"

enum {
    OPTIONS_MAX = 64,
    LONG_OPTION = 1000, /* getopt_long's value for the long name of row i is LONG_OPTION + i */
    HELP = 2000,
    VERSION
};

/* OpenBLAS's own description of itself and its number of threads; NULL in a program that is linked
 * with another BLAS. */
extern char *openblas_get_config(void) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

/* ---- Usage ---------------------------------------------------------------------------------- */

/* The value may be left out, and stands behind an equals sign. */
static bool may_lack(const cli_option *o)
{
    return o->argument != NULL && o->argument[0] == '[';
}

static void print_option(FILE *out, const cli_option *o)
{
    char left[80];
    const char *const argument = o->argument != NULL ? o->argument : "";
    const bool apart = o->argument != NULL && !may_lack(o) && o->kind != CLI_SUFFIXED;
    const char *const blank = apart ? " " : "";

    if (o->kind == CLI_HEADING) {
        fprintf(out, "\n%s:\n", o->help);
        return;
    }
    if (o->letter == '\0')
        snprintf(left, sizeof left, "    --%s%s%s", o->name, blank, argument);
    else if (o->name == NULL)
        snprintf(left, sizeof left, "-%c%s%s", o->letter, blank, argument);
    else
        snprintf(left, sizeof left, "-%c, --%s%s%s", o->letter, o->name, blank, argument);
    fprintf(out, "  %-26s %s", left, o->help);
    if (o->standard != NULL)
        fprintf(out, " (default %s)", o->standard);
    putc('\n', out);
}

static void print_usage(const cli_tool *tool, FILE *out)
{
    static const cli_option help = { .name = "help", .help = "print this text" };
    static const cli_option version = { .name = "version", .help = "print versions" };
    size_t i;

    fprintf(out, "Usage: %s [options] %s\n%s\n", tool->name, tool->operands, tool->about);
    if (tool->option[0].kind != CLI_HEADING)
        fputs("\nOptions:\n", out);
    for (i = 0; i < tool->option_count; i++)
        print_option(out, &tool->option[i]);
    if (tool->option[0].kind == CLI_HEADING)
        fputs("\nHelp:\n", out);
    print_option(out, &help);
    print_option(out, &version);
}

static void print_version(const cli_tool *tool)
{
    printf("%s %s\nGSL %s\nBLAS: %s\n", tool->name, RVM_VERSION, gsl_version,
           openblas_get_config != NULL ? openblas_get_config() : "not OpenBLAS");
}

cli_outcome cli_options_wrong(const cli_tool *tool, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", tool->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, " (try %s --help)\n", tool->name);
    return CLI_WRONG;
}

/* ---- The command line ----------------------------------------------------------------------- */

/* The state of one walk along the words. */
typedef struct {
    int argc;
    char **argv;
    const cli_tool *tool;
    void *job;
    cli_words *words;
} walk;

/* An option as a user writes it. */
typedef struct {
    const char *dashes, *name;
} spelling;

/* What to say of a value that does not convert because of its first character; else "". */
static const char *dash_hint(const char *value)
{
    return rvm_text_has_dash(value, strlen(value)) ? "; its dash is no minus sign, which is -" : "";
}

static cli_outcome missing_value(const walk *w, const char *option)
{
    return cli_options_wrong(w->tool, "option %s needs a value", option);
}

/* The word after those that getopt has seen, which it then has seen too; NULL at the end. */
static const char *take_next_word(const walk *w)
{
    return optind < w->argc ? w->argv[optind++] : NULL;
}

static void *field_of(const walk *w, const cli_option *o)
{
    return (char *)w->job + o->offset;
}

static cli_outcome take_pair(const walk *w, const cli_option *o, spelling as)
{
    const char *first = optarg, *second = take_next_word(w);
    double *const pair = field_of(w, o);

    if (second == NULL)
        return cli_options_wrong(w->tool, "option %s%s needs two values", as.dashes, as.name);
    if (rvm_value_real(&pair[0], first) && rvm_value_real(&pair[1], second))
        return CLI_RUN;
    return cli_options_wrong(w->tool, "%s%s %s %s: expected two numbers%s", as.dashes, as.name,
                             first, second, dash_hint(first));
}

/* Stores a value that is one word, or none. */
static rvm_status store(const walk *w, const cli_option *o, const char *name, const char *value,
                        rvm_error *err)
{
    void *const field = field_of(w, o);

    switch (o->kind) {
    case CLI_INT:
        return rvm_value_read(field, RVM_VALUE_INT, value, err);
    case CLI_REAL:
        return rvm_value_read(field, RVM_VALUE_REAL, value, err);
    case CLI_TEXT:
        *(const char **)field = value;
        return RVM_OK;
    case CLI_SETTING:
    case CLI_SUFFIXED:
        return rvm_settings_set(field, name, value, err);
    default:
        return rvm_value_read(field, RVM_VALUE_FLAG, value, err);
    }
}

static cli_outcome take_option(const walk *w, size_t row, spelling as, const char *value)
{
    const cli_option *o = &w->tool->option[row];
    rvm_error err = { 0 };

    w->words->given |= (uint64_t)1 << row;
    if (o->kind == CLI_PAIR)
        return take_pair(w, o, as);
    if (store(w, o, as.name, value, &err) == RVM_OK)
        return CLI_RUN;
    return cli_options_wrong(w->tool, "%s%s%c%s: %s%s", as.dashes, as.name, may_lack(o) ? '=' : ' ',
                             value, err.message, dash_hint(value));
}

/* Text may follow the letter of few options at once: there it is part of the name. */
static cli_outcome take_letter(const walk *w, size_t row)
{
    const cli_option *o = &w->tool->option[row];
    const char letter[] = { o->letter, '\0' }, shown[] = { '-', o->letter, '\0' };

    if (o->argument == NULL || optarg == w->argv[optind - 1])
        return take_option(w, row, (spelling){ "-", letter }, optarg);
    if (o->kind != CLI_SUFFIXED)
        return cli_options_wrong(w->tool, "the value of %s must be a word of its own: %s", shown,
                                 w->argv[optind - 1]);
    const spelling as = { "-", optarg - 1 };
    const char *value = take_next_word(w);
    return value == NULL ? missing_value(w, shown) : take_option(w, row, as, value);
}

static cli_outcome unknown_option(const walk *w)
{
    const char *const words = w->tool->unknown != NULL ? w->tool->unknown : "Unknown option";

    if (optopt > 0 && optopt < LONG_OPTION)
        return cli_options_wrong(w->tool, "%s: -%c", words, optopt);
    return cli_options_wrong(w->tool, "%s: %s", words, w->argv[optind - 1]);
}

static size_t row_of_letter(const cli_tool *tool, int letter)
{
    size_t i = 0;

    while (i < tool->option_count && tool->option[i].letter != letter)
        i++;
    return i;
}

/* found: what getopt_long returned. */
static cli_outcome take_found(const walk *w, int found)
{
    if (found == '?')
        return unknown_option(w);
    if (found == ':')
        return missing_value(w, w->argv[optind - 1]);
    if (found == HELP || found == VERSION) {
        if (found == HELP)
            print_usage(w->tool, stdout);
        else
            print_version(w->tool);
        return CLI_DONE;
    }
    const size_t row = (size_t)(found - LONG_OPTION);
    if (found >= LONG_OPTION)
        return take_option(w, row, (spelling){ "--", w->tool->option[row].name }, optarg);
    return take_letter(w, row_of_letter(w->tool, found));
}

/* getopt's two lists: "+" stops at the first operand, ":" tells a missing value from an unknown
 * letter. */
static void list_options(char *letters, struct option *names, const cli_tool *tool)
{
    size_t i, n = 0;

    *letters++ = '+';
    *letters++ = ':';
    for (i = 0; i < tool->option_count; i++) {
        const cli_option *o = &tool->option[i];
        const bool valued = o->argument != NULL;

        if (o->letter != '\0') {
            *letters++ = o->letter;
            if (valued)
                *letters++ = ':';
        }
        if (o->name != NULL)
            names[n++] = (struct option){ o->name, may_lack(o) ? optional_argument : valued, NULL,
                                          LONG_OPTION + (int)i };
    }
    *letters = '\0';
    names[n++] = (struct option){ "help", no_argument, NULL, HELP };
    names[n++] = (struct option){ "version", no_argument, NULL, VERSION };
    names[n] = (struct option){ 0 };
}

/* `-` and more. */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0';
}

static cli_outcome too_many_words(const walk *w, bool dashes)
{
    const cli_words *words = w->words;

    for (int i = 0; i < words->count && !dashes; i++)
        if (is_option(words->word[i]))
            return cli_options_wrong(w->tool, "options stand before the files: %s", words->word[i]);
    return cli_options_wrong(w->tool, "too many words: %s", words->word[w->tool->operands_max]);
}

static cli_outcome too_few_files(const walk *w)
{
    if (w->argc > 1)
        return cli_options_wrong(w->tool, "too few files");
    /* Somebody who wants to know what this is; libsvm's tools answer so. */
    cli_note(w->tool, "too few files");
    print_usage(w->tool, stdout);
    return CLI_WRONG;
}

/* A number that would be taken as a file, behind an option that may have a value: --auto 5. */
static bool is_stray_value(const walk *w)
{
    const char *last = w->argv[optind - 1];
    char *const *word = w->argv + optind;
    double number;

    if (word[0] == NULL || strncmp(last, "--", 2) != 0 || !rvm_value_real(&number, word[0]) ||
        access(word[0], F_OK) == 0)
        return false;
    for (size_t i = 0; i < w->tool->option_count; i++) {
        const cli_option *o = &w->tool->option[i];

        if (may_lack(o) && strcmp(last + 2, o->name) == 0)
            return true;
    }
    return false;
}

static cli_outcome take_operands(const walk *w)
{
    cli_words *words = w->words;
    const bool dashes = strcmp(w->argv[optind - 1], "--") == 0;
    char **word = words->word = w->argv + optind;

    words->count = w->argc - optind;
    for (int i = 0; i < words->count && !dashes; i++)
        /* It would be taken as a file; one that is there counts. */
        if (rvm_text_has_dash(word[i], strlen(word[i])) && access(word[i], F_OK) != 0)
            return cli_options_wrong(
                w->tool, "%s begins with a dash that is no minus sign: options begin with -",
                word[i]);
    if (is_stray_value(w))
        return cli_options_wrong(w->tool, "%s takes its value behind an equals sign: %s=%s",
                                 word[-1], word[-1], word[0]);
    if (words->count < w->tool->operands_min)
        return too_few_files(w);
    if (words->count > w->tool->operands_max)
        return too_many_words(w, dashes);
    for (int i = 0; i < words->count && !dashes; i++)
        if (is_option(word[i]))
            cli_note(w->tool, "%s is taken as a file name: options stop at the first file",
                     word[i]);
    return CLI_RUN;
}

/* A file that got descriptor 1 or 2 because the caller had closed it would take in the messages. */
static void open_standard_descriptors(void)
{
    int descriptor;

    do
        descriptor = open("/dev/null", O_RDONLY);
    while (descriptor >= 0 && descriptor <= STDERR_FILENO);
    if (descriptor >= 0)
        close(descriptor);
}

/* OpenBLAS starts a thread for each core when it is loaded, none of which is ever used here, and up
 * to version 0.3.21 each waits for ever, at work and at exit, until it gets 128 MB of address
 * space. Where that is limited (ulimit -v, batch systems) the program begins anew without them;
 * only the environment that it starts with can tell OpenBLAS.
 * Should that fail, it goes on as it is. */
static void shed_blas_threads(char **argv)
{
    static const char variable[] = "OPENBLAS_NUM_THREADS";
    struct rlimit space;

    if (openblas_get_num_threads == NULL || openblas_get_num_threads() == 1 ||
        getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY ||
        getenv(variable) != NULL)
        return;
    if (setenv(variable, "1", 1) == 0)
        (void)execv("/proc/self/exe", argv); /* on other systems there is no such file */
}

void cli_options_prepare(char **argv)
{
    shed_blas_threads(argv);
    open_standard_descriptors();
    gsl_set_error_handler_off();
}

static int next_option(const cli_words *words, const cli_tool *tool, bool first)
{
    char letters[2 + 2 * OPTIONS_MAX + 1];
    struct option names[OPTIONS_MAX + 3];

    list_options(letters, names, tool);
    if (first)
        optind = 0; /* from the start, also in a second call */
    return getopt_long(words->all_count, words->all, letters, names, NULL);
}

cli_outcome cli_options_parse(int argc, char **argv, const cli_tool *tool, void *job,
                              cli_words *words)
{
    const walk w = { argc, argv, tool, job, words };
    bool first = true;
    int found;

    cli_options_prepare(argv);
    *words = (cli_words){ .all_count = argc, .all = argv };
    while ((found = next_option(words, tool, first)) != -1) {
        const cli_outcome outcome = take_found(&w, found);

        first = false;
        if (outcome != CLI_RUN)
            return outcome;
    }
    return take_operands(&w);
}

int cli_options_run(int argc, char **argv, const cli_tool *tool, void *job)
{
    cli_words words = { 0 };
    const cli_outcome outcome = cli_options_parse(argc, argv, tool, job, &words);

    return cli_output_finish(tool, outcome == CLI_RUN ? tool->run(job, &words) : (int)outcome);
}

static bool is_spelled(const cli_option *o, const char *option)
{
    return option[1] == '-' ? o->name != NULL && strcmp(o->name, option + 2) == 0
                            : o->letter == option[1];
}

bool cli_options_given(const cli_words *words, const cli_tool *tool, const char *option)
{
    for (size_t i = 0; i < tool->option_count; i++)
        if (is_spelled(&tool->option[i], option))
            return (words->given >> i & 1) != 0;
    return false;
}

/* ---- The command line again ------------------------------------------------------------------ */

/* An option of a command line that has been parsed, and its values. */
typedef struct {
    const cli_option *option;
    const char *suffix; /* behind the letter; "": nothing */
    const char *value[2];
} given_option;

/* found: what getopt_long returned. */
static given_option read_given(const walk *w, int found)
{
    const bool is_long = found >= LONG_OPTION;
    const size_t row = is_long ? (size_t)(found - LONG_OPTION) : row_of_letter(w->tool, found);
    given_option g = { .option = &w->tool->option[row], .suffix = "" };

    g.value[0] = g.option->argument != NULL ? optarg : NULL;
    if (!is_long && g.option->kind == CLI_SUFFIXED && optarg != w->argv[optind - 1]) {
        g.suffix = optarg;
        g.value[0] = take_next_word(w);
    } else if (g.option->kind == CLI_PAIR) {
        g.value[1] = take_next_word(w);
    }
    return g;
}

const char *cli_options_value(const cli_words *words, const cli_tool *tool, const char *option)
{
    const walk w = { words->all_count, words->all, tool, NULL, NULL };
    const char *value = NULL;
    int found = next_option(words, tool, true);

    for (; found != -1; found = next_option(words, tool, false)) {
        const given_option g = read_given(&w, found);

        if (is_spelled(g.option, option))
            value = g.value[0];
    }
    return value;
}

/* As a shell reads it: in quotes where something in it means something to a shell. */
static void write_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+./,:=@%";

    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (; *word != '\0'; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            putc(*word, out);
    putc('\'', out);
}

static void write_given(FILE *out, const given_option *g)
{
    if (g->option->letter != '\0')
        fprintf(out, " -%c", g->option->letter);
    else
        fprintf(out, " --%s", g->option->name);
    if (g->suffix[0] != '\0')
        write_word(out, g->suffix);
    for (int k = 0; k < 2 && g->value[k] != NULL; k++) {
        putc(may_lack(g->option) ? '=' : ' ', out);
        write_word(out, g->value[k]);
    }
}

void cli_options_write(FILE *out, const cli_words *words, const cli_tool *tool,
                       const char *const *dropped)
{
    const walk w = { words->all_count, words->all, tool, NULL, NULL };
    int found = next_option(words, tool, true);

    for (; found != -1; found = next_option(words, tool, false)) {
        const given_option g = read_given(&w, found);
        bool is_dropped = false;

        for (const char *const *d = dropped; *d != NULL; d++)
            is_dropped = is_dropped || is_spelled(g.option, *d);
        if (!is_dropped)
            write_given(out, &g);
    }
}

void cli_options_write_files(FILE *out, const cli_words *words)
{
    bool dash = false;

    for (int i = 0; i < words->count; i++)
        dash = dash || is_option(words->word[i]);
    fputs(dash ? " --" : "", out);
    for (int i = 0; i < words->count; i++) {
        putc(' ', out);
        write_word(out, words->word[i]);
    }
}
