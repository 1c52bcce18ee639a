/* outfile.c: whole or not at all; modes, links and devices. Each test works in a folder of its
 * own. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "suites.h"

static char folder[] = "/tmp/rvm-outfile-XXXXXX";
static int old_folder = -1;
static mode_t old_mask;

static void enter_folder(void)
{
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    old_folder = open(".", O_RDONLY | O_DIRECTORY);
    ck_assert_int_ge(old_folder, 0);
    ck_assert_int_eq(chdir(folder), 0);
    old_mask = umask(022);
}

static void leave_folder(void)
{
    DIR *list = opendir(".");

    for (const struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;)
        if (unlink(entry->d_name) != 0)
            rmdir(entry->d_name);
    closedir(list);
    umask(old_mask);
    ck_assert_int_eq(fchdir(old_folder), 0);
    close(old_folder);
    ck_assert_int_eq(rmdir(folder), 0); /* so nothing was left in a folder below */
}

static size_t entries(void)
{
    DIR *list = opendir(".");
    size_t count = 0;

    ck_assert_ptr_nonnull(list);
    while (readdir(list) != NULL)
        count++;
    closedir(list);
    return count - 2;
}

static void put(const char *name, const char *text)
{
    FILE *out = fopen(name, "w");

    ck_assert_ptr_nonnull(out);
    ck_assert_int_ge(fputs(text, out), 0);
    ck_assert_int_eq(fclose(out), 0);
}

static void expect_content(const char *name, const char *want)
{
    char got[100] = "";
    FILE *in = fopen(name, "r");

    ck_assert_ptr_nonnull(in);
    got[fread(got, 1, sizeof got - 1, in)] = '\0';
    fclose(in);
    ck_assert_str_eq(got, want);
}

static mode_t mode_of(const char *name)
{
    struct stat found;

    ck_assert_int_eq(stat(name, &found), 0);
    return found.st_mode & 07777;
}

static rvm_outfile *open_new(const char *name)
{
    rvm_error err = { 0 };
    rvm_outfile *o = NULL;

    ck_assert_int_eq(rvm_outfile_open(&o, name, &err), RVM_OK);
    return o;
}

static void write_file(const char *name, const char *text)
{
    rvm_error err = { 0 };
    rvm_outfile *o = open_new(name);

    ck_assert_int_ge(fputs(text, rvm_outfile_stream(o)), 0);
    ck_assert_int_eq(rvm_outfile_commit(o, &err), RVM_OK);
}

START_TEST(new_file_appears_at_the_end)
    {
        rvm_error err = { 0 };
        rvm_outfile *o = open_new("model");

        ck_assert_int_ge(fputs("new\n", rvm_outfile_stream(o)), 0);
        ck_assert_int_ne(access("model", F_OK), 0);
        ck_assert_ptr_nonnull(rvm_outfile_temporary(o));
        ck_assert_int_eq(access(rvm_outfile_temporary(o), F_OK), 0);
        ck_assert_int_eq(rvm_outfile_commit(o, &err), RVM_OK);
        expect_content("model", "new\n");
        ck_assert_uint_eq(mode_of("model"), 0644);
        ck_assert_uint_eq(entries(), 1);
    }
END_TEST

START_TEST(umask_is_honoured)
    {
        umask(027);
        write_file("model", "x");
        ck_assert_uint_eq(mode_of("model"), 0640);
    }
END_TEST

START_TEST(old_file_stays_until_the_end)
    {
        rvm_error err = { 0 };

        put("model", "old\n");
        ck_assert_int_eq(chmod("model", 0660), 0);
        rvm_outfile *o = open_new("model");
        ck_assert_int_ge(fputs("new\n", rvm_outfile_stream(o)), 0);
        ck_assert_int_eq(fflush(rvm_outfile_stream(o)), 0);
        expect_content("model", "old\n");
        ck_assert_int_eq(rvm_outfile_commit(o, &err), RVM_OK);
        expect_content("model", "new\n");
        ck_assert_uint_eq(mode_of("model"), 0660);
        ck_assert_uint_eq(entries(), 1);
    }
END_TEST

START_TEST(discarded_file_leaves_nothing)
    {
        put("model", "old\n");
        rvm_outfile *o = open_new("model");
        ck_assert_int_ge(fputs("new\n", rvm_outfile_stream(o)), 0);
        rvm_outfile_discard(o);
        rvm_outfile_discard(NULL);
        expect_content("model", "old\n");
        ck_assert_uint_eq(entries(), 1);
    }
END_TEST

/* A write fails: the stream's descriptor is one that cannot be written. */
START_TEST(failed_write_leaves_the_old_file)
    {
        rvm_error err = { 0 };

        put("model", "old\n");
        rvm_outfile *o = open_new("model");
        const int full = open("/dev/full", O_WRONLY);
        if (full < 0) {
            rvm_outfile_discard(o);
            return; /* no such device on this system */
        }
        ck_assert_int_ge(dup2(full, fileno(rvm_outfile_stream(o))), 0);
        close(full);
        ck_assert_int_ge(fputs("new\n", rvm_outfile_stream(o)), 0);
        ck_assert_int_eq(rvm_outfile_commit(o, &err), RVM_EIO);
        ck_assert_str_eq(err.message, strerror(ENOSPC));
        expect_content("model", "old\n");
        ck_assert_uint_eq(entries(), 1);
    }
END_TEST

/* A write failed long ago and the reason is forgotten; the last flush finds nothing to do. */
START_TEST(earlier_failure_is_not_forgotten)
    {
        rvm_error err = { 0 };
        rvm_outfile *o = open_new("model");
        const int full = open("/dev/full", O_WRONLY);

        if (full < 0) {
            rvm_outfile_discard(o);
            return;
        }
        const int kept = dup(fileno(rvm_outfile_stream(o)));
        dup2(full, fileno(rvm_outfile_stream(o)));
        fputs("lost\n", rvm_outfile_stream(o));
        ck_assert_int_eq(fflush(rvm_outfile_stream(o)), EOF);
        dup2(kept, fileno(rvm_outfile_stream(o)));
        close(kept);
        close(full);
        ck_assert_int_eq(rvm_outfile_commit(o, &err), RVM_EIO);
        ck_assert_uint_gt(strlen(err.message), 0);
        ck_assert_uint_eq(entries(), 0);
    }
END_TEST

START_TEST(link_keeps_pointing)
    {
        char held[100] = "";

        ck_assert_int_eq(mkdir("below", 0777), 0);
        put("below/real", "old\n");
        ck_assert_int_eq(symlink("below/second", "first"), 0);
        ck_assert_int_eq(symlink("real", "below/second"), 0);
        write_file("first", "new\n");
        expect_content("below/real", "new\n");
        ck_assert_int_eq(readlink("first", held, sizeof held - 1), 12);
        ck_assert_str_eq(held, "below/second");
        ck_assert_uint_eq(entries(), 2);
        unlink("below/real");

        write_file("first", "made\n"); /* the link points to nothing */
        expect_content("below/real", "made\n");
        unlink("below/real");
        unlink("below/second");
    }
END_TEST

/* Somebody else's link in a folder where anybody may put one: neither the file behind it nor a new
 * one there is written, whatever fs.protected_symlinks says. Only root can arrange that. */
START_TEST(links_of_strangers_are_not_followed)
    {
        enum { STRANGER = 12345, VICTIM = 12346 };
        static const char *const names[] = { "shared/link", "shared/dangling" };

        if (geteuid() != 0)
            return;
        ck_assert_int_eq(chmod(".", 0755), 0);
        ck_assert_int_eq(mkdir("shared", 0777), 0);
        ck_assert_int_eq(chmod("shared", 01777), 0);
        put("precious", "old\n");
        ck_assert_int_eq(mkdir("below", 0777), 0);
        ck_assert_int_eq(chown("precious", VICTIM, 0), 0);
        ck_assert_int_eq(chown("below", VICTIM, 0), 0);
        ck_assert_int_eq(symlink("../precious", names[0]), 0);
        ck_assert_int_eq(symlink("../below/new", names[1]), 0);
        for (size_t i = 0; i < 2; i++)
            ck_assert_int_eq(lchown(names[i], STRANGER, 0), 0);
        for (uid_t user = 0; user <= VICTIM; user += VICTIM) {
            ck_assert_int_eq(seteuid(user), 0);
            for (size_t i = 0; i < 2; i++) {
                rvm_error err = { 0 };
                rvm_outfile *o = NULL;

                ck_assert_int_eq(rvm_outfile_probe(names[i], &err), RVM_EIO);
                ck_assert_int_eq(rvm_outfile_open(&o, names[i], &err), RVM_EIO);
                ck_assert_str_eq(err.message, strerror(EACCES));
            }
            ck_assert_int_eq(seteuid(0), 0);
        }
        expect_content("precious", "old\n");
        /* Their own link they may follow. */
        ck_assert_int_eq(lchown(names[1], VICTIM, 0), 0);
        ck_assert_int_eq(seteuid(VICTIM), 0);
        write_file(names[1], "new\n");
        ck_assert_int_eq(seteuid(0), 0);
        expect_content("below/new", "new\n");
        unlink("below/new");
        unlink(names[0]);
        unlink(names[1]);
    }
END_TEST

/* Not even for a moment may others see more than they did, or a program run as somebody else. */
START_TEST(modes_of_replaced_files)
    {
        static const mode_t modes[][2] = {
            { 0600, 0600 }, { 0666, 0666 }, { 04755, 0755 }, { 02775, 0775 }, { 01777, 0777 }
        };

        for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
            put("model", "old\n");
            ck_assert_int_eq(chmod("model", modes[i][0]), 0);
            rvm_outfile *o = open_new("model");
            rvm_error err = { 0 };
            ck_assert_uint_eq(mode_of(rvm_outfile_temporary(o)), modes[i][1]);
            ck_assert_int_eq(rvm_outfile_commit(o, &err), RVM_OK);
            ck_assert_uint_eq(mode_of("model"), modes[i][1]);
            unlink("model");
        }
    }
END_TEST

/* A group that the new file cannot be given does not hand its permissions to another one. */
START_TEST(permissions_of_a_group_stay_its_own)
    {
        enum { USER = 12345, OTHERS = 12346 };
        struct stat found;

        if (geteuid() != 0)
            return;
        ck_assert_int_eq(chmod(".", 0777), 0);
        put("model", "old\n");
        ck_assert_int_eq(chown("model", USER, OTHERS), 0);
        ck_assert_int_eq(chmod("model", 0664), 0);
        ck_assert_int_eq(setegid(USER), 0);
        ck_assert_int_eq(seteuid(USER), 0);
        write_file("model", "new\n");
        ck_assert_int_eq(seteuid(0), 0);
        ck_assert_int_eq(setegid(0), 0);
        ck_assert_int_eq(stat("model", &found), 0);
        ck_assert_uint_eq(found.st_gid, USER);
        ck_assert_uint_eq(mode_of("model"), 0644);
        ck_assert_int_eq(chown("model", 0, OTHERS), 0); /* root may give it away */
        ck_assert_int_eq(chmod("model", 0664), 0);
        write_file("model", "newer\n");
        ck_assert_int_eq(stat("model", &found), 0);
        ck_assert_uint_eq(found.st_gid, OTHERS);
        ck_assert_uint_eq(mode_of("model"), 0664);
    }
END_TEST

START_TEST(hard_links_keep_the_old_file)
    {
        put("model", "old\n");
        ck_assert_int_eq(link("model", "other"), 0);
        write_file("model", "new\n");
        expect_content("model", "new\n");
        expect_content("other", "old\n");
    }
END_TEST

/* What can be opened and what cannot is known before, and nothing is made to find out. */
START_TEST(probing_leaves_nothing)
    {
        static const char *const good[] = { "new", "old", "-", "/dev/null", "link" };
        rvm_error err = { 0 };

        put("old", "old\n");
        ck_assert_int_eq(symlink("behind", "link"), 0);
        for (size_t i = 0; i < sizeof good / sizeof *good; i++)
            ck_assert_int_eq(rvm_outfile_probe(good[i], &err), RVM_OK);
        ck_assert_uint_eq(entries(), 2);
        expect_content("old", "old\n");
        if (geteuid() != 0)
            return;
        ck_assert_int_eq(chmod(".", 0755), 0);
        ck_assert_int_eq(seteuid(12345), 0);
        const rvm_status status = rvm_outfile_probe("new", &err);
        ck_assert_int_eq(seteuid(0), 0);
        ck_assert_int_eq(status, RVM_EIO);
        ck_assert_str_eq(err.message, strerror(EACCES));
    }
END_TEST

START_TEST(links_in_a_circle)
    {
        rvm_error err = { 0 };
        rvm_outfile *o = NULL;

        ck_assert_int_eq(symlink("b", "a"), 0);
        ck_assert_int_eq(symlink("a", "b"), 0);
        ck_assert_int_eq(rvm_outfile_open(&o, "a", &err), RVM_EIO);
        ck_assert_str_eq(err.message, strerror(ELOOP));
    }
END_TEST

START_TEST(places_where_nothing_can_be_written)
    {
        static const struct {
            const char *name;
            int fault;
        } cases[] = {
            { "no_folder/x", ENOENT }, { "", ENOENT }, { ".", EISDIR }, { "file/x", ENOTDIR }
        };

        put("file", "");
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            rvm_error err = { 0 };
            rvm_outfile *o = NULL;

            ck_assert_int_eq(rvm_outfile_probe(cases[i].name, &err), RVM_EIO);
            ck_assert_str_eq(err.message, strerror(cases[i].fault));
            ck_assert_int_eq(rvm_outfile_open(&o, cases[i].name, &err), RVM_EIO);
            ck_assert_ptr_null(o);
            ck_assert_str_eq(err.message, strerror(cases[i].fault));
        }
        ck_assert_uint_eq(entries(), 1);
    }
END_TEST

START_TEST(write_protected_file_is_respected)
    {
        rvm_error err = { 0 };
        rvm_outfile *o = NULL;

        if (geteuid() == 0)
            return; /* root may write anything */
        put("model", "old\n");
        chmod("model", 0444);
        ck_assert_int_eq(rvm_outfile_open(&o, "model", &err), RVM_EIO);
        ck_assert_str_eq(err.message, strerror(EACCES));
    }
END_TEST

START_TEST(devices_are_written_directly)
    {
        rvm_error err = { 0 };
        rvm_outfile *o = open_new("/dev/null");

        ck_assert_ptr_null(rvm_outfile_temporary(o));
        fputs("gone\n", rvm_outfile_stream(o));
        ck_assert_int_eq(rvm_outfile_commit(o, &err), RVM_OK);

        if (access("/dev/full", W_OK) == 0) {
            o = open_new("/dev/full");
            fputs("gone\n", rvm_outfile_stream(o));
            ck_assert_int_eq(rvm_outfile_commit(o, &err), RVM_EIO);
            ck_assert_str_eq(err.message, strerror(ENOSPC));
        }
    }
END_TEST

START_TEST(fifo_is_written_directly)
    {
        char got[10] = "";
        rvm_error err = { 0 };

        ck_assert_int_eq(mkfifo("queue", 0666), 0);
        const int reader = open("queue", O_RDONLY | O_NONBLOCK);
        ck_assert_int_ge(reader, 0);
        rvm_outfile *o = open_new("queue");
        ck_assert_ptr_null(rvm_outfile_temporary(o));
        fputs("row\n", rvm_outfile_stream(o));
        ck_assert_int_eq(fflush(rvm_outfile_stream(o)), 0);
        ck_assert_int_eq(read(reader, got, sizeof got), 4);
        ck_assert_str_eq(got, "row\n");
        ck_assert_int_eq(rvm_outfile_commit(o, &err), RVM_OK);
        close(reader);
        ck_assert_uint_eq(entries(), 1);
    }
END_TEST

/* Standard output is a file that something else has been written to: it goes on from there. */
static void expect_appended(const char *name)
{
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO), file = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0666);

    dup2(file, STDOUT_FILENO);
    const ssize_t before = write(STDOUT_FILENO, "before\n", 7);
    rvm_error err = { 0 };
    rvm_outfile *o = NULL;
    const rvm_status opened = rvm_outfile_open(&o, name, &err);
    if (opened == RVM_OK)
        fputs("rows\n", rvm_outfile_stream(o));
    const rvm_status closed = opened == RVM_OK ? rvm_outfile_commit(o, &err) : opened;
    const ssize_t after = write(STDOUT_FILENO, "after\n", 6);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(file);

    ck_assert_int_eq(closed, RVM_OK);
    ck_assert_int_eq(before + after, 13);
    expect_content("out", "before\nrows\nafter\n");
    ck_assert_uint_eq(entries(), 1);
}

START_TEST(standard_output)
    {
        expect_appended("-");
        expect_appended("/dev/stdout");
    }
END_TEST

Suite *outfile_suite(void);
Suite *outfile_suite(void)
{
    Suite *suite = suite_create("outfile");
    TCase *tc = tcase_create("outfile");

    tcase_add_checked_fixture(tc, enter_folder, leave_folder);
    tcase_add_test(tc, new_file_appears_at_the_end);
    tcase_add_test(tc, umask_is_honoured);
    tcase_add_test(tc, old_file_stays_until_the_end);
    tcase_add_test(tc, discarded_file_leaves_nothing);
    tcase_add_test(tc, failed_write_leaves_the_old_file);
    tcase_add_test(tc, earlier_failure_is_not_forgotten);
    tcase_add_test(tc, link_keeps_pointing);
    tcase_add_test(tc, links_of_strangers_are_not_followed);
    tcase_add_test(tc, links_in_a_circle);
    tcase_add_test(tc, modes_of_replaced_files);
    tcase_add_test(tc, permissions_of_a_group_stay_its_own);
    tcase_add_test(tc, hard_links_keep_the_old_file);
    tcase_add_test(tc, probing_leaves_nothing);
    tcase_add_test(tc, places_where_nothing_can_be_written);
    tcase_add_test(tc, write_protected_file_is_respected);
    tcase_add_test(tc, devices_are_written_directly);
    tcase_add_test(tc, fifo_is_written_directly);
    tcase_add_test(tc, standard_output);
    suite_add_tcase(suite, tc);
    return suite;
}
