/* Programs seen from outside. */
#include "run.h"
#include <criterion/criterion.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *run_bin(void)
{
    const char *bin = getenv("ATTN_BIN");

    cr_assert_not_null(bin, "run the tests by make");
    return bin;
}

const char *run_sabotaged(void)
{
    const char *bin = getenv("ATTN_SABOTAGED");

    cr_assert_not_null(bin, "run the tests by make");
    return bin;
}

int run_is_asked(const char *program)
{
    const char *only = getenv("ATTN_ONLY");

    return !only || strcmp(only, program) == 0;
}

const char *const *run_programs(void)
{
    static const char *names[256];
    static glob_t found;
    size_t count = 0;

    if (names[0])
        return names;
    cr_assert_eq(glob("experiments/*.c", 0, NULL, &found), 0);
    cr_assert_lt(found.gl_pathc, 256);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *name = found.gl_pathv[i] + strlen("experiments/");
        name[strlen(name) - strlen(".c")] = '\0';
        if (run_is_asked(name))
            names[count++] = name;
    }
    cr_assert_gt(count, 0, "no program is asked for");
    return names;
}

size_t run_program_count(void)
{
    size_t count = 0;

    while (run_programs()[count])
        count++;
    return count;
}

const char *run_folder(void)
{
    static char name[256];
    const char *root = getenv("TMPDIR");

    snprintf(name, sizeof name, "%s/attn-test-XXXXXX", root ? root : "/tmp");
    cr_assert_not_null(mkdtemp(name));
    return name;
}

static void slurp(const char *path, char *text, size_t size)
{
    FILE *in = fopen(path, "r");
    size_t length = 0;

    if (in) {
        length = fread(text, 1, size - 1, in);
        fclose(in);
    }
    text[length] = '\0';
    unlink(path);
}

run_result run(const char *format, ...)
{
    static run_result r;
    char command[2048], whole[4096], out[64], err[64];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    snprintf(out, sizeof out, "/tmp/attn-out-%ld", (long)getpid());
    snprintf(err, sizeof err, "/tmp/attn-err-%ld", (long)getpid());
    snprintf(whole, sizeof whole, "{ %s ; } >%s 2>%s </dev/null", command, out,
             err);
    const int status = system(whole);
    r.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    slurp(out, r.out, sizeof r.out);
    slurp(err, r.err, sizeof r.err);
    return r;
}

/* What a child wrote into a file, which is empty again afterwards. */
static void drain(FILE *file, char *text, size_t size)
{
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    rewind(file);
    cr_assert_eq(ftruncate(fileno(file), 0), 0);
}

run_result run_words(char *const words[])
{
    extern char **environ;
    static run_result r;
    static FILE *out, *err;
    posix_spawn_file_actions_t files;
    pid_t child;
    int status;

    if (!out) {
        out = tmpfile();
        err = tmpfile();
    }
    cr_assert(out && err);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, fileno(out), 1);
    posix_spawn_file_actions_adddup2(&files, fileno(err), 2);
    cr_assert_eq(posix_spawn(&child, words[0], &files, NULL, words, environ), 0,
                 "%s does not start", words[0]);
    posix_spawn_file_actions_destroy(&files);
    cr_assert_eq(waitpid(child, &status, 0), child);
    r.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    drain(out, r.out, sizeof r.out);
    drain(err, r.err, sizeof r.err);
    return r;
}

char *run_read(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t length = 0, got;

    if (!in)
        return NULL;
    do {
        text = realloc(text, length + 65537);
        cr_assert_not_null(text);
        got = fread(text + length, 1, 65536, in);
        length += got;
    } while (got > 0);
    text[length] = '\0';
    fclose(in);
    return text;
}
