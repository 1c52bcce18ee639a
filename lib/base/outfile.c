/* An output file that appears whole or not at all. */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"

struct rvm_outfile {
    FILE *stream;    /* owned */
    char *target;    /* owned; NULL when the target is written directly */
    char *temporary; /* owned; likewise */
    int fault;       /* errno of the first write that failed, as far as rvm_outfile_failed saw it */
};

static rvm_status fail_errno(rvm_error *err)
{
    return rvm_fail(err, RVM_EIO, "%s", strerror(errno));
}

static void free_outfile(rvm_outfile *o)
{
    free(o->target);
    free(o->temporary);
    free(o);
}

/* ---- Where to write ------------------------------------------------------------------------- */

/* folder of `path` joined with `name`; owned by the caller, NULL without memory. */
static char *beside(const char *path, const char *name)
{
    const char *const slash = strrchr(path, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    char *joined = rvm_array(folder + strlen(name) + 1, 1);
    if (joined != NULL) {
        memcpy(joined, path, folder);
        strcpy(joined + folder, name);
    }
    return joined;
}

/* The system's rule for links in folders where anybody may put one, which reading a link by
 * ourselves would get around: it belongs to us or to the owner of the folder. errno is EACCES else.
 */
static bool may_follow(const char *path)
{
    struct stat link, folder;
    char *const where = beside(path, ".");
    const bool known = where != NULL && lstat(path, &link) == 0 && stat(where, &folder) == 0;
    free(where);
    if (!known)
        return false;
    if (!(folder.st_mode & S_ISVTX) || !(folder.st_mode & S_IWOTH) || link.st_uid == geteuid() ||
        link.st_uid == folder.st_uid)
        return true;
    errno = EACCES;
    return false;
}

/* The path that the symbolic link `path` holds; NULL with errno 0 when it is no link. */
static char *follow_link(const char *path)
{
    char held[PATH_MAX];
    const ssize_t length = readlink(path, held, sizeof held - 1);
    if (length < 0) {
        if (errno == EINVAL || errno == ENOENT)
            errno = 0;
        return NULL;
    }
    if (!may_follow(path))
        return NULL;
    held[length] = '\0';
    return held[0] == '/' ? strdup(held) : beside(path, held);
}

/* `name` with the symbolic links at its end resolved, whether or not there is a file behind them;
 * owned by the caller. NULL with errno. */
static char *resolve(const char *name)
{
    enum { LINKS_MAX = 40 };
    char *path = strdup(name);
    int links;
    for (links = 0; path != NULL && links < LINKS_MAX; links++) {
        char *next = follow_link(path);
        if (next == NULL && errno == 0)
            return path;
        free(path);
        path = next;
    }
    if (path != NULL)
        errno = ELOOP;
    free(path);
    return NULL;
}

/* The file open as standard output or error, as /dev/stdout is when that was redirected to a file:
 * to replace it would lose what is written there besides. -1: none of the two. */
static int standard_descriptor(const struct stat *target)
{
    int descriptor;
    for (descriptor = STDOUT_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        struct stat open_file;
        if (fstat(descriptor, &open_file) == 0 && open_file.st_dev == target->st_dev &&
            open_file.st_ino == target->st_ino)
            return descriptor;
    }
    return -1;
}

/* What stands in the place of an output. */
typedef struct {
    bool direct;  /* written directly: */
    int standard; /* to this descriptor, or by name if it is -1 */
    bool exists;  /* else a file is replaced, which was this one, if any */
    struct stat old;
    char *target; /* owned: its path behind all links */
} place;

/* A name behind which there is a regular file, or nothing. */
static rvm_status look_behind(place *at, const char *name, rvm_error *err)
{
    if (name[0] == '\0')
        return rvm_fail(err, RVM_EIO, "%s", strerror(ENOENT));
    if (at->exists && access(name, W_OK) != 0)
        return fail_errno(err);
    at->target = resolve(name);
    return at->target != NULL ? RVM_OK : fail_errno(err);
}

/* at->target is the caller's to free, whatever the result. */
static rvm_status look_at(place *at, const char *name, rvm_error *err)
{
    const bool is_standard = strcmp(name, "-") == 0;
    *at = (place){ .standard = -1 };
    at->exists = !is_standard && stat(name, &at->old) == 0;
    /* Any other reason is no proof that nothing is there. */
    if (!is_standard && !at->exists && errno != ENOENT)
        return fail_errno(err);
    at->standard = is_standard ? STDOUT_FILENO : at->exists ? standard_descriptor(&at->old) : -1;
    at->direct = at->standard >= 0 || (at->exists && !S_ISREG(at->old.st_mode));
    return at->direct ? RVM_OK : look_behind(at, name, err);
}

/* ---- Opening -------------------------------------------------------------------------------- */

static FILE *open_stream(int descriptor)
{
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (stream == NULL && descriptor >= 0)
        close(descriptor);
    return stream;
}

static rvm_status open_direct(rvm_outfile *o, const char *name, int standard, rvm_error *err)
{
    o->stream = standard >= 0 ? open_stream(dup(standard)) : fopen(name, "w");
    if (o->stream == NULL && standard == STDOUT_FILENO && errno == EINVAL)
        return rvm_fail(err, RVM_EIO, "standard output is closed");
    return o->stream != NULL ? RVM_OK : fail_errno(err);
}

/* A new file in the folder of o->target, its name kept in o->temporary; -1 with errno. Not mkstemp,
 * which would give it mode 0600 and leave the umask to be applied by hand. */
static int create_temporary(rvm_outfile *o, mode_t mode)
{
    enum { TRIES = 1000 };
    int try, descriptor = -1;
    for (try = 0; try < TRIES && descriptor < 0; try++) {
        char name[64];
        snprintf(name, sizeof name, ".rvm-%ld-%d", (long)getpid(), try);
        free(o->temporary);
        o->temporary = beside(o->target, name);
        if (o->temporary == NULL) {
            errno = ENOMEM;
            return -1;
        }
        descriptor = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor < 0 && errno != EEXIST)
            return -1;
    }
    return descriptor;
}

/* The mode of the file that is replaced, but for what makes programs run as somebody else; its
 * group too, or that group's permissions go to nobody who had none. */
static bool take_over_mode(int descriptor, const struct stat *old)
{
    struct stat now;
    mode_t mode = old->st_mode & 0777;
    if (fstat(descriptor, &now) != 0)
        return false;
    if (now.st_gid != old->st_gid && fchown(descriptor, (uid_t)-1, old->st_gid) != 0)
        mode &= (mode & 0007) << 3 | 0707;
    return fchmod(descriptor, mode) == 0;
}

/* A file that takes the place of another one is nobody else's until it has that one's mode. */
static rvm_status open_temporary(rvm_outfile *o, const place *at, rvm_error *err)
{
    const int descriptor = create_temporary(o, at->exists ? at->old.st_mode & 0700 : 0666);
    if (descriptor < 0)
        return fail_errno(err);
    if (at->exists && !take_over_mode(descriptor, &at->old)) {
        const rvm_status status = fail_errno(err);
        close(descriptor);
        unlink(o->temporary);
        return status;
    }
    o->stream = open_stream(descriptor);
    if (o->stream == NULL) {
        unlink(o->temporary);
        return rvm_fail_memory(err, "an output file");
    }
    return RVM_OK;
}

rvm_status rvm_outfile_open(rvm_outfile **out, const char *name, rvm_error *err)
{
    place at;
    rvm_outfile *o = rvm_array(1, sizeof *o);
    if (o == NULL)
        return rvm_fail_memory(err, "an output file");
    rvm_status status = look_at(&at, name, err);
    o->target = at.target;
    if (status == RVM_OK)
        status = at.direct ? open_direct(o, name, at.standard, err) : open_temporary(o, &at, err);
    if (status == RVM_OK)
        *out = o;
    else
        free_outfile(o);
    return status;
}

rvm_status rvm_outfile_probe(const char *name, rvm_error *err)
{
    place at;
    rvm_status status = look_at(&at, name, err);
    char *folder = NULL;
    if (status == RVM_OK && at.direct && at.standard < 0) {
        errno = EISDIR;
        if (S_ISDIR(at.old.st_mode) || access(name, W_OK) != 0)
            status = fail_errno(err);
    } else if (status == RVM_OK && !at.direct) {
        folder = beside(at.target, ".");
        if (folder == NULL)
            status = rvm_fail_memory(err, "an output file");
        else if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
            status = fail_errno(err);
    }
    free(folder);
    free(at.target);
    return status;
}

FILE *rvm_outfile_stream(rvm_outfile *o)
{
    return o->stream;
}

const char *rvm_outfile_temporary(const rvm_outfile *o)
{
    return o->temporary;
}

/* ---- The end -------------------------------------------------------------------------------- */

bool rvm_outfile_failed(rvm_outfile *o)
{
    if (o->fault == 0 && ferror(o->stream))
        o->fault = errno != 0 ? errno : EIO;
    return o->fault != 0;
}

/* Everything on disk and the stream closed. A write that failed earlier left only its mark. */
static rvm_status finish_stream(rvm_outfile *o, rvm_error *err)
{
    rvm_status status = RVM_OK;
    errno = o->fault;
    if (o->fault != 0)
        status = fail_errno(err);
    else if (fflush(o->stream) != 0 || ferror(o->stream))
        status = rvm_fail(err, RVM_EIO, "%s", errno != 0 ? strerror(errno) : "write error");
    else if (o->temporary != NULL && fsync(fileno(o->stream)) != 0)
        status = fail_errno(err);
    if (fclose(o->stream) != 0 && status == RVM_OK)
        status = fail_errno(err);
    o->stream = NULL;
    return status;
}

rvm_status rvm_outfile_commit(rvm_outfile *o, rvm_error *err)
{
    rvm_status status = finish_stream(o, err);
    if (o->temporary != NULL) {
        if (status == RVM_OK && rename(o->temporary, o->target) != 0)
            status = fail_errno(err);
        if (status != RVM_OK)
            unlink(o->temporary);
    }
    free_outfile(o);
    return status;
}

void rvm_outfile_discard(rvm_outfile *o)
{
    if (o == NULL)
        return;
    fclose(o->stream); /* whatever it says, what was written is given up */
    if (o->temporary != NULL)
        unlink(o->temporary);
    free_outfile(o);
}
