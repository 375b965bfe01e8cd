/*
 * A program run again and again, its k-th allocation failing, k = 1, 2, 3, ...
 * until a run has fewer than k. This stands before the program's main:
 *
 *   PROGRAM OPTIONS... --out FOLDER, in a folder of its own
 *
 * Each time the program either does all that it does with memory enough (the
 * same status, standard output and files) or says in one line on stderr that it
 * could not, with status 2; each file is the old one or the new one, whole; no
 * other is left, and no block of memory. ATTN_STRIDE=s tries every s-th k only.
 * Says "N passed, M failed".
 */
#define _GNU_SOURCE
#include "../leave.h"
#include "allocate.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES_MAX = 16, SECONDS = 600 }; /* of a run that hangs */

int __real_main(int argc, char *argv[]);
int __wrap_main(int argc, char *argv[]);

/* What a run tells the one that started it. */
typedef struct {
    size_t count, live;
} memory;

typedef struct {
    char name[256], *text;
} file;

typedef struct {
    int argc;
    char **argv;
    const char *name, *folder;
    memory *told;
    int status;            /* of the run that had memory enough */
    char *out;             /* its standard output */
    file files[FILES_MAX]; /* what it wrote */
    size_t file_count;
} trial;

/* The whole of a file, to be freed; it must be there. */
static char *content(const char *path)
{
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;

    if (in == NULL || (getdelim(&text, &room, '\0', in) < 0 && !feof(in))) {
        perror(path);
        exit(2);
    }
    if (ftell(in) == 0) {
        text[0] = '\0';
    }
    fclose(in);
    return text;
}

static void path_in(char path[static 1024], const char *folder,
                    const char *name)
{
    snprintf(path, 1024, "%s/%s", folder, name);
}

static void redirect(const char *path, int to)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (fd < 0 || dup2(fd, to) < 0) {
        _exit(127);
    }
    close(fd);
}

/* Run once; the exit status, or 128 + n for signal n. */
static int run(const trial *t, size_t k)
{
    const pid_t child = fork();
    int status = 0;

    if (child == 0) {
        alarm(SECONDS);
        redirect("stdout", STDOUT_FILENO);
        redirect("stderr", STDERR_FILENO);
        allocate_watch(k);
        status = __real_main(t->argc, t->argv);
        t->told->count = allocate_count();
        fclose(stdout);
        t->told->live = allocate_live();
        leave(status);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("fork");
        exit(2);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* All files of the folder, as they are now. */
static size_t list(const char *folder, file files[static FILES_MAX])
{
    DIR *dir = opendir(folder);
    size_t count = 0;

    if (dir == NULL) {
        return 0;
    }
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[1024];

        if (e->d_name[0] == '.' || count == FILES_MAX) {
            continue;
        }
        snprintf(files[count].name, sizeof files->name, "%s", e->d_name);
        path_in(path, folder, e->d_name);
        files[count++].text = content(path);
    }
    closedir(dir);
    return count;
}

static void put_old(const trial *t)
{
    for (size_t i = 0; i < t->file_count; i++) {
        char path[1024];
        FILE *out;

        path_in(path, t->folder, t->files[i].name);
        out = fopen(path, "w");
        if (out == NULL || fputs("old\n", out) < 0 || fclose(out) != 0) {
            perror(path);
            exit(2);
        }
    }
}

/* Seconds differ from run to run, and stand behind these words. */
static int is_same_text(const char *a, const char *b)
{
    const char *timed = strstr(b, "\ntimed in ");

    return timed != NULL ? strncmp(a, b, (size_t)(timed - b)) == 0
                         : strcmp(a, b) == 0;
}

static int is_whole(const trial *t, const file *f, int must_be_new)
{
    for (size_t i = 0; i < t->file_count; i++) {
        if (strcmp(t->files[i].name, f->name) == 0) {
            const int is_timing = strstr(f->name, ".timing.dat") != NULL;
            const int is_old = strcmp(f->text, "old\n") == 0;

            return is_old ? !must_be_new
                          : is_timing || strcmp(f->text, t->files[i].text) == 0;
        }
    }
    return 0;
}

static int are_whole(const trial *t, int must_be_new)
{
    file files[FILES_MAX];
    const size_t count = list(t->folder, files);
    int whole = count == t->file_count;

    for (size_t i = 0; i < count; i++) {
        whole = whole && is_whole(t, &files[i], must_be_new);
        free(files[i].text);
    }
    return whole;
}

static int is_one_line(const char *text)
{
    const char *end = strchr(text, '\n');

    return end != NULL && end > text && end[1] == '\0';
}

/* NULL where all is as it should be with the k-th failing. */
static const char *complaint(const trial *t, int status)
{
    char *out = content("stdout"), *err = content("stderr");
    const int has_run = status == t->status && err[0] == '\0';
    const char *what = NULL;

    if (!has_run && (status != 2 || !is_one_line(err))) {
        what = "neither a run nor status 2 and one line on stderr";
    } else if (strstr(err, "report this defect") != NULL) {
        what = "no memory is taken for a defect";
    } else if (has_run && !is_same_text(out, t->out)) {
        what = "a run that prints something else";
    } else if (!are_whole(t, has_run)) {
        what = "files are neither the old nor the new ones";
    } else if (t->told->live != 0) {
        what = "memory is lost";
    }
    free(out);
    free(err);
    return what;
}

static void begin(trial *t, int argc, char *argv[])
{
    *t = (trial){.argc = argc, .argv = argv, .folder = argv[argc - 1]};
    t->name =
        strrchr(argv[0], '/') != NULL ? strrchr(argv[0], '/') + 1 : argv[0];
    t->told = mmap(NULL, sizeof *t->told, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t->told == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
    t->status = run(t, 0);
    t->out = content("stdout");
    t->file_count = list(t->folder, t->files);
    if (t->status == 2 || t->status > 3 || t->told->live != 0) {
        printf("not ok: %s: status %d, %zu blocks lost with memory enough\n",
               t->name, t->status, t->told->live);
        exit(1);
    }
}

int __wrap_main(int argc, char *argv[])
{
    const char *stride = getenv("ATTN_STRIDE");
    const size_t step = stride != NULL ? strtoul(stride, NULL, 10) : 1;
    size_t passed = 0, failed = 0;
    int has_more = 1;
    trial t;

    begin(&t, argc, argv);
    for (size_t k = 1; has_more; k += step) {
        const char *what;
        int status;

        put_old(&t);
        *t.told = (memory){0};
        status = run(&t, k);
        what = complaint(&t, status);
        if (what != NULL) {
            char *err = content("stderr");

            printf("not ok: %s, allocation %zu: %s: status %d, %zu blocks "
                   "lost: %s\n",
                   t.name, k, what, status, t.told->live, err);
            free(err);
            failed++;
        } else {
            passed++;
        }
        fflush(stdout);
        /* A run that died has told nothing. */
        has_more = t.told->count == 0 || t.told->count >= k;
    }
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed != 0;
}
