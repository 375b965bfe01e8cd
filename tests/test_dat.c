/* Result files: whole or not at all, and readable by gnuplot. */
#include "attn_dat.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const attn_dat_column spread[] = {{"d_k", "head size [1]"},
                                         {"sd", "standard deviation [1]"}};
static const attn_dat_column entropy[] = {{"n", "keys [1]"},
                                          {"sd", "its spread [bit]"}};

static void enter_folder(void)
{
    char folder[] = "/tmp/attn_dat.XXXXXX";

    gsl_set_error_handler_off();
    cr_assert(mkdtemp(folder) != NULL && chdir(folder) == 0);
}

static void leave_folder(void)
{
    char here[256];

    if (getcwd(here, sizeof here) != NULL && strstr(here, "/attn_dat.")) {
        char command[300];

        snprintf(command, sizeof command, "rm -rf '%s'", here);
        cr_assert_eq(system(command), 0);
    }
}

TestSuite(dat, .init = enter_folder, .fini = leave_folder);

static attn_dat *new_dat(void)
{
    attn_dat *dat = attn_dat_alloc();

    cr_assert(dat != NULL);
    return dat;
}

static char *content(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "r");
    FILE *copy = open_memstream(&text, &size);
    int c;

    cr_assert(file != NULL && copy != NULL, "no %s", path);
    while ((c = getc(file)) != EOF) {
        fputc(c, copy);
    }
    fclose(file);
    fclose(copy);
    return text;
}

static void assert_content(const char *path, const char *want)
{
    char *got = content(path);

    cr_assert_str_eq(got, want);
    free(got);
}

/* How many files there are here. */
static size_t files_here(void)
{
    DIR *folder = opendir(".");
    size_t count = 0;

    cr_assert(folder != NULL);
    for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    }
    closedir(folder);
    return count;
}

static void write_text(const char *path, const char *text)
{
    attn_dat *dat = new_dat();

    fputs(text, attn_dat_stream(dat));
    cr_assert_eq(attn_dat_write(dat, path), GSL_SUCCESS);
    attn_dat_free(dat);
}

Test(dat, a_file_is_comments_then_blocks)
{
    attn_dat *dat = new_dat();

    attn_dat_comment(dat, "experiment: %s\nclaims: a,%d", "spread", 7);
    attn_dat_comment(dat, "");
    attn_dat_block(dat, "scaled", spread, 2);
    ATTN_DAT_ROW(dat, 16, 1.0 / 3);
    ATTN_DAT_ROW(dat, 1e9, -0.0);
    attn_dat_block(dat, "entropy", entropy, 2);
    ATTN_DAT_ROW(dat, 2, -1.23456789012e-05);
    cr_assert_eq(attn_dat_write(dat, "a.dat"), GSL_SUCCESS);
    attn_dat_free(dat);
    assert_content("a.dat", "# experiment: spread\n"
                            "# claims: a,7\n"
                            "#\n"
                            "# column d_k             head size [1]\n"
                            "# column sd              standard deviation [1]\n"
                            "# scaled\n"
                            "            d_k              sd\n"
                            "             16     0.333333333\n"
                            "          1e+09               0\n"
                            "\n\n"
                            "# column n               keys [1]\n"
                            "# column sd              its spread [bit]\n"
                            "# entropy\n"
                            "              n              sd\n"
                            "              2 -1.23456789e-05\n");
    cr_assert_eq(files_here(), 1);
}

Test(dat, a_second_write_replaces_the_first)
{
    struct stat old, new;

    umask(027);
    write_text("a.dat", "old and longer\n");
    cr_assert_eq(stat("a.dat", &old), 0);
    write_text("a.dat", "new\n");
    cr_assert_eq(stat("a.dat", &new), 0);
    assert_content("a.dat", "new\n");
    cr_assert_eq(new.st_mode & 0777, 0640, "mode %o",
                 (unsigned)(new.st_mode & 0777));
    cr_assert_neq(old.st_ino, new.st_ino, "written over, not renamed");
    cr_assert_eq(files_here(), 1);
}

Test(dat, a_write_may_be_repeated_and_continued)
{
    attn_dat *dat = new_dat();

    attn_dat_comment(dat, "one");
    cr_assert_eq(attn_dat_write(dat, "a.dat"), GSL_SUCCESS);
    attn_dat_comment(dat, "two");
    cr_assert_eq(attn_dat_write(dat, "a.dat"), GSL_SUCCESS);
    attn_dat_free(dat);
    assert_content("a.dat", "# one\n# two\n");
}

static void row_nan(attn_dat *dat)
{
    ATTN_DAT_ROW(dat, 1, NAN);
}

static void row_infinite(attn_dat *dat)
{
    ATTN_DAT_ROW(dat, -INFINITY, 1);
}

static void row_short(attn_dat *dat)
{
    ATTN_DAT_ROW(dat, 1);
}

static void row_long(attn_dat *dat)
{
    ATTN_DAT_ROW(dat, 1, 2, 3);
}

static void block_twice(attn_dat *dat)
{
    attn_dat_block(dat, "scaled", spread, 2);
}

static void block_after_a_longer_name(attn_dat *dat)
{
    attn_dat_block(dat, "scale", spread, 2);
}

static void block_named_like_the_head(attn_dat *dat)
{
    attn_dat_block(dat, "experiment", spread, 2);
}

static void block_of_two_words(attn_dat *dat)
{
    attn_dat_block(dat, "two words", spread, 2);
}

static void block_without_name(attn_dat *dat)
{
    attn_dat_block(dat, "", spread, 2);
}

static void block_without_columns(attn_dat *dat)
{
    attn_dat_block(dat, "none", spread, 0);
}

static void column_of_two_words(attn_dat *dat)
{
    const attn_dat_column two[] = {{"d k", "head size"}};

    attn_dat_block(dat, "other", two, 1);
}

Test(dat, what_does_not_fit_is_refused_however_much_follows)
{
    static void (*const spoil[])(attn_dat *) = {row_nan,
                                                row_infinite,
                                                row_short,
                                                row_long,
                                                block_twice,
                                                block_after_a_longer_name,
                                                block_named_like_the_head,
                                                block_of_two_words,
                                                block_without_name,
                                                block_without_columns,
                                                column_of_two_words};
    size_t count = 0;

    write_text("a.dat", "old\n");
    for (; count < sizeof spoil / sizeof *spoil; count++) {
        attn_dat *dat = new_dat();

        attn_dat_comment(dat, "experiment: spread");
        attn_dat_block(dat, "scaled", spread, 2);
        ATTN_DAT_ROW(dat, 1, 2);
        spoil[count](dat);
        attn_dat_block(dat, "after", entropy, 2);
        ATTN_DAT_ROW(dat, 1, 2);
        cr_assert_eq(attn_dat_write(dat, "a.dat"), GSL_EINVAL, "case %zu",
                     count);
        attn_dat_free(dat);
        assert_content("a.dat", "old\n");
    }
    cr_assert(count > 0, "no case ran");
    cr_assert_eq(files_here(), 1);
}

Test(dat, a_row_may_end_in_a_word)
{
    static const attn_dat_column words[] = {{"n", "keys"}, {"word", "token"}};
    attn_dat *dat = new_dat();

    attn_dat_block(dat, "words", words, 2);
    attn_dat_row_word(dat, 1, (const double[]){2}, "cat");
    attn_dat_row_word(dat, 1, (const double[]){0.5}, "o\xc3\xb9");
    cr_assert_eq(attn_dat_write(dat, "a.dat"), GSL_SUCCESS);
    attn_dat_free(dat);
    assert_content("a.dat", "# column n               keys\n"
                            "# column word            token\n"
                            "# words\n"
                            "              n            word\n"
                            "              2             cat\n"
                            "            0.5             o\xc3\xb9\n");
}

Test(dat, a_word_that_gnuplot_would_misread_is_refused)
{
    static const attn_dat_column words[] = {{"n", "keys"}, {"word", "token"}};
    static const struct {
        size_t count;
        double value;
        const char *word;
    } bad[] = {{1, 2, ""},     {1, 2, "two words"}, {1, 2, "a#"},
               {1, 2, "\""},   {1, 2, "it's"},      {1, 2, "a\nb"},
               {1, 2, "\\nu"}, {1, NAN, "cat"},     {0, 2, "cat"},
               {2, 2, "cat"}};
    size_t ran = 0;

    for (; ran < sizeof bad / sizeof *bad; ran++) {
        const double values[2] = {bad[ran].value, bad[ran].value};
        attn_dat *dat = new_dat();

        attn_dat_block(dat, "words", words, 2);
        attn_dat_row_word(dat, bad[ran].count, values, bad[ran].word);
        cr_assert_eq(attn_dat_write(dat, "a.dat"), GSL_EINVAL, "case %zu", ran);
        attn_dat_free(dat);
    }
    cr_assert_eq(ran, 10);
}

Test(dat, a_row_before_any_block_is_refused)
{
    attn_dat *dat = new_dat();

    ATTN_DAT_ROW(dat, 1, 2);
    cr_assert_eq(attn_dat_write(dat, "a.dat"), GSL_EINVAL);
    attn_dat_free(dat);
}

Test(dat, a_failed_write_tells_why)
{
    attn_dat *dat = new_dat();

    attn_dat_comment(dat, "new");
    cr_assert_eq(mkdir("folder", 0777), 0);
    write_text("file", "old\n");
    errno = 0;
    cr_assert_eq(attn_dat_write(dat, "missing/a.dat"), GSL_EFAILED);
    cr_assert_eq(errno, ENOENT, "%s", strerror(errno));
    cr_assert_eq(attn_dat_write(dat, "folder"), GSL_EFAILED);
    cr_assert_eq(errno, EISDIR, "%s", strerror(errno));
    cr_assert_eq(attn_dat_write(dat, "file/a.dat"), GSL_EFAILED);
    cr_assert_eq(errno, ENOTDIR, "%s", strerror(errno));
    attn_dat_free(dat);
    assert_content("file", "old\n");
    cr_assert_eq(files_here(), 2);
}

Test(dat, the_old_file_survives_a_full_disk)
{
    attn_dat *dat = new_dat();
    struct rlimit limit;

    write_text("a.dat", "old\n");
    attn_dat_block(dat, "scaled", spread, 2);
    for (int i = 0; i < 10000; i++) {
        ATTN_DAT_ROW(dat, i, 1);
    }
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = 65536;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_assert_eq(attn_dat_write(dat, "a.dat"), GSL_EFAILED);
    cr_assert_eq(errno, EFBIG, "%s", strerror(errno));
    limit.rlim_cur = limit.rlim_max;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_content("a.dat", "old\n");
    cr_assert_eq(files_here(), 1, "a temporary file is left");

    cr_assert_eq(attn_dat_write(dat, "a.dat"), GSL_SUCCESS);
    attn_dat_free(dat);
}

Test(dat, a_leftover_of_a_killed_run_is_no_obstacle)
{
    char leftover[64];

    snprintf(leftover, sizeof leftover, "a.dat.tmp.%ld", (long)getpid());
    write_text(leftover, "half\n");
    write_text("a.dat", "whole\n");
    assert_content("a.dat", "whole\n");
    assert_content(leftover, "half\n");
}

/* A thread that would take the signals if only the writer blocked them. */
static void *idle(void *unused)
{
    for (;;) {
        pause();
    }
    return unused;
}

static void write_forever(attn_dat *const dats[2])
{
    pthread_t other;

    if (pthread_create(&other, NULL, idle, NULL) != 0) {
        _exit(9);
    }
    for (unsigned i = 0;; i++) {
        if (attn_dat_write(dats[i % 2], "a.dat") != GSL_SUCCESS) {
            _exit(9);
        }
    }
}

static void fill(attn_dat *dat, double value)
{
    attn_dat_block(dat, "scaled", spread, 2);
    for (int i = 0; i < 20000; i++) {
        ATTN_DAT_ROW(dat, i, value);
    }
}

Test(dat, a_signal_leaves_a_whole_file, .timeout = 120)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    attn_dat *dats[2] = {new_dat(), new_dat()};
    char *whole[2];

    for (int i = 0; i < 2; i++) {
        fill(dats[i], 1 + i);
        cr_assert_eq(attn_dat_write(dats[i], "a.dat"), GSL_SUCCESS);
        whole[i] = content("a.dat");
    }
    for (int round = 0; round < 24; round++) {
        const struct timespec wait = {0, 5000000 + 700000L * round};
        const int sent = signals[round % 3];
        /* Whoever starts the tests may ignore it, and a child may be slow. */
        signal(sent, SIG_DFL);
        const pid_t child = fork();
        int status;
        char *got;

        cr_assert(child >= 0);
        if (child == 0) {
            alarm(20); /* the end of one that swallows its signal */
            write_forever(dats);
        }
        nanosleep(&wait, NULL);
        kill(child, sent);
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == sent,
                  "signal %d gives status %x", sent, (unsigned)status);
        got = content("a.dat");
        cr_assert(strcmp(got, whole[0]) == 0 || strcmp(got, whole[1]) == 0);
        cr_assert_eq(files_here(), 1, "a temporary file is left");
        free(got);
    }
    for (int i = 0; i < 2; i++) {
        attn_dat_free(dats[i]);
        free(whole[i]);
    }
}

Test(dat, the_handlers_of_the_caller_come_back)
{
    struct sigaction action;

    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    write_text("a.dat", "x\n");
    cr_assert_eq(sigaction(SIGINT, NULL, &action), 0);
    cr_assert(action.sa_handler == SIG_IGN);
    cr_assert_eq(sigaction(SIGTERM, NULL, &action), 0);
    cr_assert(action.sa_handler == SIG_DFL);
}

Test(dat, gnuplot_reads_every_block_by_name)
{
    attn_dat *dat = new_dat();
    int status;

    attn_dat_comment(dat, "experiment: spread");
    attn_dat_block(dat, "scaled", spread, 2);
    ATTN_DAT_ROW(dat, 1, 11);
    ATTN_DAT_ROW(dat, 2, 12);
    ATTN_DAT_ROW(dat, 1.5, 11.25);
    attn_dat_block(dat, "scaled-twice", entropy, 2);
    ATTN_DAT_ROW(dat, 3, 13);
    ATTN_DAT_ROW(dat, 4, 14);
    ATTN_DAT_ROW(dat, 3.5, 13.25);
    attn_dat_block(dat, "last", spread, 2);
    ATTN_DAT_ROW(dat, 5, 1.5e-7);
    ATTN_DAT_ROW(dat, 6, 2.5);
    ATTN_DAT_ROW(dat, 5.5, 1);
    cr_assert_eq(attn_dat_write(dat, "a.dat"), GSL_SUCCESS);
    attn_dat_free(dat);

    write_text(
        "read.gp",
        "set datafile columnheaders\n"
        "stats 'a.dat' index 'scaled' using \"d_k\":\"sd\" name 'A' nooutput\n"
        "stats 'a.dat' index 'scaled-twice' using \"n\":\"sd\" name 'B' "
        "nooutput\n"
        "stats 'a.dat' index 'last' using \"d_k\":\"sd\" name 'C' nooutput\n"
        "set print 'read.out'\n"
        "print A_records, A_min_x, A_max_x, A_min_y, A_max_y\n"
        "print B_records, B_min_x, B_max_x, B_min_y, B_max_y\n"
        "print C_records, C_min_x, C_max_x, C_min_y, C_max_y\n");
    status = system("gnuplot read.gp");
    cr_assert_eq(status, 0, "gnuplot: status %d", status);
    assert_content("read.out", "3 1.0 2.0 11.0 12.0\n"
                               "3 3.0 4.0 13.0 14.0\n"
                               "3 5.0 6.0 1.5e-07 2.5\n");
}

Test(dat, freeing_nothing_is_safe)
{
    attn_dat_free(NULL);
}

Test(dat, rows_are_printed_without_the_comments)
{
    static const attn_dat_column columns[] = {{"n", "tokens"}, {"x", "a one"}};
    attn_dat *dat = attn_dat_alloc();
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    attn_dat_comment(dat, "head");
    attn_dat_print_rows(dat, out);
    attn_dat_block(dat, "block", columns, 2);
    ATTN_DAT_ROW(dat, 3, 0.5);
    attn_dat_print_rows(dat, out);
    fclose(out);
    cr_assert_str_eq(text, "              n               x\n"
                           "              3             0.5\n");
    free(text);
    attn_dat_free(dat);
}
