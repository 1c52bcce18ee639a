/* Output files, the signals that would leave half of one, and the end of standard output. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/note.h"

/* What the signal handler must know: a handler has no argument of its own. */
static struct {
    volatile sig_atomic_t interrupted; /* by which signal; 0: by none */
    volatile sig_atomic_t polled;      /* somebody looks at `interrupted` */
    char *volatile temporary;          /* owned; removed when a signal ends the process; or NULL */
    pthread_t thread;                  /* the one that all this belongs to */
} signals;

/* ---- Signals -------------------------------------------------------------------------------- */

static void on_signal(int number)
{
    /* The system picks a thread, and OpenBLAS has some. */
    if (!pthread_equal(pthread_self(), signals.thread)) {
        pthread_kill(signals.thread, number);
        return;
    }
    const char *const temporary = signals.temporary;

    const bool asks = number == SIGINT || number == SIGTERM || number == SIGUSR1;
    if (asks && signals.polled && !signals.interrupted) {
        signals.interrupted = number;
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

const volatile sig_atomic_t *cli_output_catch_interrupt(void)
{
    signals.polled = 1;
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGUSR1); /* which mpirun and batch systems send on */
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

/* `-` is where standard output goes. */
static bool find_output(struct stat *found, const char *name)
{
    return (strcmp(name, "-") == 0 ? fstat(STDOUT_FILENO, found) : stat(name, found)) == 0;
}

static bool is_one_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool cli_output_replaces(const char *name, FILE *in)
{
    struct stat read, written;

    return find_output(&written, name) && fstat(fileno(in), &read) == 0 && S_ISREG(read.st_mode) &&
           is_one_file(&read, &written);
}

bool cli_output_is_same(const char *a, const char *b)
{
    struct stat first, second;

    if (strcmp(a, b) == 0)
        return true;
    return find_output(&first, a) && find_output(&second, b) &&
           (S_ISREG(first.st_mode) || S_ISFIFO(first.st_mode)) && is_one_file(&first, &second);
}

/* The handler forgets the path before it is freed. */
static void forget_temporary(void)
{
    char *const temporary = signals.temporary;

    signals.temporary = NULL;
    free(temporary);
}

static rvm_status create(rvm_outfile **out, const char *name, rvm_error *err)
{
    const rvm_status status = rvm_outfile_open(out, name, err);

    if (status != RVM_OK || rvm_outfile_temporary(*out) == NULL)
        return status;
    forget_temporary();
    signals.temporary = strdup(rvm_outfile_temporary(*out));
    if (signals.temporary != NULL)
        return RVM_OK;
    rvm_outfile_discard(*out);
    return rvm_fail_memory(err, "an output file");
}

bool cli_output_probe(const cli_tool *tool, const char *complaint, const char *name)
{
    rvm_error err = { 0 };
    const bool can = rvm_outfile_probe(name, &err) == RVM_OK;

    if (!can)
        cli_note(tool, "%s %s: %s", complaint, name, err.message);
    return can;
}

static rvm_status open_output(rvm_outfile **out, const char *name, rvm_error *err)
{
    struct stat old;

    /* To open a pipe may take until somebody reads it, and must stay open to Ctrl-C. */
    const bool direct = stat(name, &old) == 0 && !S_ISREG(old.st_mode);

    catch_endings();
    if (!direct)
        block_endings(SIG_BLOCK); /* no temporary file stands without its path being known */
    const rvm_status status = create(out, name, err);
    if (!direct)
        block_endings(SIG_UNBLOCK);
    return status;
}

rvm_outfile *cli_output_create(const cli_tool *tool, const char *complaint, const char *name)
{
    rvm_error err = { 0 };
    rvm_outfile *o = NULL;

    if (open_output(&o, name, &err) == RVM_OK)
        return o;
    cli_note(tool, "%s %s: %s", complaint, name, err.message);
    return NULL;
}

bool cli_output_commit(const cli_tool *tool, rvm_outfile *o, const char *complaint,
                       const char *name)
{
    rvm_error err = { 0 };
    const rvm_status status = rvm_outfile_commit(o, &err);

    forget_temporary();
    if (status != RVM_OK)
        cli_note(tool, "%s %s: %s", complaint, name, err.message);
    return status == RVM_OK;
}

void cli_output_discard(rvm_outfile *o)
{
    rvm_outfile_discard(o);
    forget_temporary();
}

bool cli_output_save(const cli_tool *tool, const char *create, const char *write, const char *name,
                     cli_writer *writer, const void *object)
{
    rvm_error err = { 0 };
    rvm_outfile *o = cli_output_create(tool, create, name);

    if (o == NULL)
        return false;
    if (writer(object, rvm_outfile_stream(o), &err) == RVM_OK)
        return cli_output_commit(tool, o, write, name);
    cli_note(tool, "%s %s: %s", write, name, err.message);
    cli_output_discard(o);
    return false;
}

rvm_status cli_output_write(const char *name, cli_writer *writer, const void *object,
                            rvm_error *err)
{
    rvm_outfile *o = NULL;
    rvm_status status = open_output(&o, name, err);

    if (status == RVM_OK)
        status = writer(object, rvm_outfile_stream(o), err);
    if (status != RVM_OK) {
        cli_output_discard(o);
        return status;
    }
    status = rvm_outfile_commit(o, err);
    forget_temporary();
    return status;
}

/* ---- The end -------------------------------------------------------------------------------- */

/* Where the caller had closed it, cli_options_parse has opened it for reading. */
static bool stdout_is_closed(void)
{
    const int mode = fcntl(STDOUT_FILENO, F_GETFL);

    return mode < 0 || (mode & O_ACCMODE) == O_RDONLY;
}

void cli_output_stdout_fault(const cli_tool *tool, const char *reason)
{
    if (stdout_is_closed())
        cli_note(tool, "standard output is closed");
    else
        cli_note(tool, "standard output: %s", reason);
}

int cli_output_finish(const cli_tool *tool, int code)
{
    int fault = 0;

    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        fault = errno != 0 ? errno : EIO;
    if (fault != 0 && code != 1) /* else the tool has told what is wrong */
        cli_output_stdout_fault(tool, strerror(fault));
    if (fclose(stdout) != 0 && fault == 0) {
        fault = errno;
        if (code != 1)
            cli_note(tool, "standard output: %s", strerror(fault));
    }
    return fault != 0 ? 1 : code;
}
