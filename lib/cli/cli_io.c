/* Messages, files, signals and the end of a tool. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cli.h"

/* What the signal handler must know: a handler has no argument of its own. */
static struct {
    volatile sig_atomic_t interrupted;
    volatile sig_atomic_t polled; /* somebody looks at `interrupted` */
    char *volatile temporary;     /* owned; removed when a signal ends the process; or NULL */
    pthread_t thread;             /* the one that all this belongs to */
} signals;

/* ---- Messages ------------------------------------------------------------------------------- */

void cli_message(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    putc('\n', stderr);
}

void cli_note(const cli_tool *tool, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", tool->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    putc('\n', stderr);
}

void cli_error(const cli_tool *tool, const char *file, const rvm_error *err)
{
    if (err->status == RVM_ESETTING)
        cli_note(tool, "ERROR: %s", err->message);
    else if (file == NULL)
        cli_note(tool, "%s", err->message);
    else if (err->line == 0)
        cli_note(tool, "%s: %s", file, err->message);
    else
        cli_note(tool, "%s:%zu:%zu: %s", file, err->line, err->column, err->message);
}

void cli_data_error(const cli_tool *tool, const char *file, const rvm_error *err)
{
    cli_error(tool, file, err);
    if (err->status == RVM_EINPUT && err->line > 0)
        cli_note(tool, "Wrong input format at line %zu", err->line);
}

void cli_output_score(size_t output, const rvm_score *score)
{
    const double correlation = rvm_score_squared_correlation(score);
    char text[32] = "nan"; /* never -nan, which the sign of a nan would make of %g */

    if (!isnan(correlation))
        snprintf(text, sizeof text, "%g", correlation);
    cli_message("Output %zu: mean squared error = %g, squared correlation coefficient = %s, "
                "mean negative log predictive density = %g",
                output + 1, rvm_score_mean_squared_error(score), text,
                score->nlpd / (double)score->rows);
}

/* ---- Inputs --------------------------------------------------------------------------------- */

static bool is_directory(FILE *in)
{
    struct stat found;

    return fstat(fileno(in), &found) == 0 && S_ISDIR(found.st_mode);
}

FILE *cli_open(const cli_tool *tool, const char *what, const char *name)
{
    FILE *in = strcmp(name, "-") == 0 ? stdin : fopen(name, "r");
    int fault = errno;

    if (in != NULL && !is_directory(in))
        return in;
    if (in != NULL) {
        fault = EISDIR;
        fclose(in); /* standard input too: nothing will be read */
    }
    cli_note(tool, "can't open %s %s: %s", what, name, strerror(fault));
    return NULL;
}

void cli_close(FILE *in)
{
    if (in != NULL && in != stdin)
        fclose(in); /* it was only read */
}

bool cli_spares_input(const cli_tool *tool, FILE *in, const char *in_name, const char *out_name)
{
    struct stat read, written;
    const int found =
        strcmp(out_name, "-") == 0 ? fstat(STDOUT_FILENO, &written) : stat(out_name, &written);

    if (found != 0 || fstat(fileno(in), &read) != 0 || !S_ISREG(read.st_mode) ||
        read.st_dev != written.st_dev || read.st_ino != written.st_ino)
        return true;
    cli_note(tool, "%s: input and output are the same file", in_name);
    return false;
}

bool cli_is_stdout(const char *name)
{
    struct stat named, open_file;

    if (strcmp(name, "-") == 0)
        return true;
    return stat(name, &named) == 0 && fstat(STDOUT_FILENO, &open_file) == 0 &&
           (S_ISREG(named.st_mode) || S_ISFIFO(named.st_mode)) &&
           named.st_dev == open_file.st_dev && named.st_ino == open_file.st_ino;
}

/* ---- Signals -------------------------------------------------------------------------------- */

static void on_signal(int number)
{
    /* The system picks a thread, and OpenBLAS has some. */
    if (!pthread_equal(pthread_self(), signals.thread)) {
        pthread_kill(signals.thread, number);
        return;
    }
    const char *const temporary = signals.temporary;

    if (number == SIGINT && signals.polled && !signals.interrupted) {
        signals.interrupted = 1;
        return;
    }
    if (temporary != NULL)
        unlink(temporary);
    signal(number, SIG_DFL);
    raise(number); /* delivered when this handler returns */
}

/* Whoever started the process may have had the signal ignored, as nohup does; it stays so. */
static void catch_signal(int number)
{
    struct sigaction action;

    signals.thread = pthread_self();
    if (sigaction(number, NULL, &action) != 0 || action.sa_handler != SIG_DFL)
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL); /* fails for wrong numbers only */
}

const volatile sig_atomic_t *cli_catch_interrupt(void)
{
    signals.polled = 1;
    catch_signal(SIGINT);
    return &signals.interrupted;
}

/* A library may end the process, as some do that are short of memory. */
static void remove_temporary(void)
{
    if (signals.temporary != NULL)
        unlink(signals.temporary);
}

/* Signals that end the process. SIGQUIT asks for a core and leaves all as it is. */
static const int ending[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ };

static void catch_endings(void)
{
    size_t i;

    (void)atexit(remove_temporary); /* without memory for it the file stays in that case */
    for (i = 0; i < sizeof ending / sizeof *ending; i++)
        catch_signal(ending[i]);
}

/* Holds these signals back, or lets them come again. */
static void block_endings(int how)
{
    sigset_t set;
    size_t i;

    sigemptyset(&set);
    for (i = 0; i < sizeof ending / sizeof *ending; i++)
        sigaddset(&set, ending[i]);
    (void)pthread_sigmask(how, &set, NULL); /* fails for a wrong `how` only */
}

/* ---- Outputs -------------------------------------------------------------------------------- */

/* The handler forgets the path before it is freed. */
static void forget_temporary(void)
{
    char *const temporary = signals.temporary;

    signals.temporary = NULL;
    free(temporary);
}

static rvm_status create(outfile **out, const char *name, rvm_error *err)
{
    const rvm_status status = outfile_open(out, name, err);

    if (status != RVM_OK || outfile_temporary(*out) == NULL)
        return status;
    forget_temporary();
    signals.temporary = strdup(outfile_temporary(*out));
    if (signals.temporary != NULL)
        return RVM_OK;
    outfile_discard(*out);
    return rvm_fail_memory(err, "an output file");
}

bool cli_can_create(const cli_tool *tool, const char *complaint, const char *name)
{
    rvm_error err = { 0 };
    const bool can = outfile_probe(name, &err) == RVM_OK;

    if (!can)
        cli_note(tool, "%s %s: %s", complaint, name, err.message);
    return can;
}

outfile *cli_create(const cli_tool *tool, const char *complaint, const char *name)
{
    rvm_error err = { 0 };
    struct stat old;
    outfile *o = NULL;
    rvm_status status;

    /* To open a pipe may take until somebody reads it, and must stay open to Ctrl-C. */
    const bool direct = stat(name, &old) == 0 && !S_ISREG(old.st_mode);

    catch_endings();
    if (!direct)
        block_endings(SIG_BLOCK); /* no temporary file stands without its path being known */
    status = create(&o, name, &err);
    if (!direct)
        block_endings(SIG_UNBLOCK);
    if (status == RVM_OK)
        return o;
    cli_note(tool, "%s %s: %s", complaint, name, err.message);
    return NULL;
}

bool cli_commit(const cli_tool *tool, outfile *o, const char *complaint, const char *name)
{
    rvm_error err = { 0 };
    const rvm_status status = outfile_commit(o, &err);

    forget_temporary();
    if (status != RVM_OK)
        cli_note(tool, "%s %s: %s", complaint, name, err.message);
    return status == RVM_OK;
}

void cli_discard(outfile *o)
{
    outfile_discard(o);
    forget_temporary();
}

/* ---- The end -------------------------------------------------------------------------------- */

/* Where the caller had closed it, cli_parse has opened it for reading. */
static bool stdout_is_closed(void)
{
    const int mode = fcntl(STDOUT_FILENO, F_GETFL);

    return mode < 0 || (mode & O_ACCMODE) == O_RDONLY;
}

void cli_stdout_fault(const cli_tool *tool, const char *reason)
{
    if (stdout_is_closed())
        cli_note(tool, "standard output is closed");
    else
        cli_note(tool, "standard output: %s", reason);
}

int cli_finish(const cli_tool *tool, int code)
{
    int fault = 0;

    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        fault = errno != 0 ? errno : EIO;
    if (fault != 0 && code != 1) /* else the tool has told what is wrong */
        cli_stdout_fault(tool, strerror(fault));
    if (fclose(stdout) != 0 && fault == 0) {
        fault = errno;
        if (code != 1)
            cli_note(tool, "standard output: %s", strerror(fault));
    }
    return fault != 0 ? 1 : code;
}
