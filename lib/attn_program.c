/* The edge of every program: options in, files and verdicts out. */
#include "attn_program.h"
#include "attn_bar.h"
#include "attn_plot.h"
#include "attn_ranks.h"
#include <errno.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_version.h>
#include <inttypes.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    COULD_NOT_RUN = 2,
    THREADS_MAX = 1024,
    PUBLISHED_SEED = 1,
    TEXT_MOST = 1 << 20 /* bytes */
};

/* What the command line says, and what follows from it. */
typedef struct {
    const attn_program *program;
    attn_cli_option *table; /* the program's own, then the common ones */
    size_t own;             /* how many are its own */
    uint64_t seed;
    size_t threads;
    const char *out;
    int plot, quiet, help, version;
    char *command; /* the scientific options, as they were given */
    char *folder;  /* where the files go */
    char *dat_path, *tsv_path, *timing_path;
} session;

/* What a run fills; timing is NULL where the program has none. */
typedef struct {
    attn_dat *dat, *tsv, *timing;
    attn_claims *claims;
    FILE *narrative; /* open_memstream: text holds after fflush */
    char *text;
    size_t size;
} output;

/* One line whatever stands in a path: control characters become "?". */
static void put_line(const char *text)
{
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;

        fputc(c < ' ' || c == 0x7f ? '?' : c, stderr);
    }
}

/* "program: complaint", once, however many ranks have it */
static int fail_usage(const session *s, const char *complaint)
{
    if (attn_ranks_own() != 0) {
        return COULD_NOT_RUN;
    }
    fprintf(stderr, "%s: ", s->program->stem);
    put_line(complaint);
    fputc('\n', stderr);
    return COULD_NOT_RUN;
}

/* "program: what, where, what to do" */
static int fail(const session *s, const char *what, const char *where,
                const char *remedy)
{
    if (attn_ranks_own() != 0) {
        return COULD_NOT_RUN;
    }
    fprintf(stderr, "%s: %s, ", s->program->stem, what);
    put_line(where);
    fprintf(stderr, ", %s\n", remedy);
    return COULD_NOT_RUN;
}

static int fail_memory(const session *s)
{
    return fail(s, "out of memory", "nothing is written",
                "ask for smaller sizes or fewer threads");
}

/* Options. The common ones stand behind the program's own, seed first. */

static int make_table(session *s)
{
    const attn_cli_option common[] = {
        {"seed", ATTN_CLI_SEED, &s->seed, "seed of the random numbers", 0, 0,
         NULL, 0},
        {"threads", ATTN_CLI_SIZE, &s->threads,
         "threads to work with; results do not depend on it", 1, THREADS_MAX,
         NULL, 0},
        {"out", ATTN_CLI_PATH, &s->out,
         "folder for the results, made if missing (default results at the "
         "published parameters, results/scratch at any others)",
         0, 0, NULL, 0},
        {"plot", ATTN_CLI_FLAG, &s->plot,
         "draw the figure, and on a terminal show it in characters too", 0, 0,
         NULL, 0},
        {"quiet", ATTN_CLI_FLAG, &s->quiet, "print nothing but errors", 0, 0,
         NULL, 0},
        {"help", ATTN_CLI_FLAG, &s->help, "print this and stop", 0, 0, NULL, 0},
        {"version", ATTN_CLI_FLAG, &s->version,
         "print the versions of the program and of GSL and stop", 0, 0, NULL,
         0},
        {0}};

    while (s->program->options[s->own].name != NULL) {
        s->own++;
    }
    s->table = malloc(s->own * sizeof *s->table + sizeof common);
    if (s->table == NULL) {
        return GSL_ENOMEM;
    }
    memcpy(s->table, s->program->options, s->own * sizeof *s->table);
    memcpy(s->table + s->own, common, sizeof common);
    return GSL_SUCCESS;
}

/* GSL_RNG_SEED is the default seed where it is set, read by the same rule. */
static int read_environment(session *s, attn_cli_error *error)
{
    const char *word = getenv("GSL_RNG_SEED");
    attn_cli_error seed_error;

    if (word == NULL ||
        attn_cli_read(&s->table[s->own], word, &seed_error) == GSL_SUCCESS) {
        return GSL_SUCCESS;
    }
    snprintf(error->text, sizeof error->text, "GSL_RNG_SEED%.200s",
             seed_error.text + strlen("--seed"));
    return GSL_EINVAL;
}

/* Is there a file of the reader's own? Programs refuse most of their other
 * options beside one. */
static int has_file(const session *s)
{
    for (size_t i = 0; i < s->own; i++) {
        if (s->table[i].type == ATTN_CLI_FILE &&
            *(const char *const *)s->table[i].value != NULL) {
            return 1;
        }
    }
    return 0;
}

/* A stream in memory that cannot grow drops what it is given and keeps no flag
 * of that (glibc). So it grows beforehand, to more than any program tells. The
 * text ends at its first zero; *size may count all that has grown (musl).
 * NULL: no memory; *text is to be freed in any case. */
static FILE *open_memory(char **text, size_t *size)
{
    FILE *out = open_memstream(text, size);

    if (out != NULL &&
        (fseeko(out, TEXT_MOST, SEEK_SET) != 0 || fputc('\0', out) == EOF ||
         fflush(out) != 0 || fseeko(out, 0, SEEK_SET) != 0)) {
        fclose(out);
        return NULL;
    }
    return out;
}

/* The program's own options as a command has them, beside a file only those
 * that were given; NULL: no memory. */
static char *own_command(const session *s)
{
    const int only_given = has_file(s);
    char *text = NULL;
    size_t size;
    FILE *out = open_memory(&text, &size);

    if (out == NULL) {
        free(text);
        return NULL;
    }
    for (size_t i = 0; i < s->own; i++) {
        if (!only_given || s->table[i].given) {
            attn_cli_command((attn_cli_option[]){s->table[i], {0}}, out);
        }
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* The folder, without slashes at its end; NULL: no memory. */
static char *choose_folder(const session *s, int is_published)
{
    char *folder = strdup(s->out != NULL ? s->out
                          : is_published ? "results"
                                         : "results/scratch");

    if (folder != NULL) {
        for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/'; n--) {
            folder[n - 1] = '\0';
        }
    }
    return folder;
}

/* "folder/stem.ending", to be freed; NULL: no memory. */
static char *path_of(const session *s, const char *ending)
{
    const size_t size =
        strlen(s->folder) + strlen(s->program->stem) + strlen(ending) + 3;
    char *path = malloc(size);

    if (path != NULL) {
        snprintf(path, size, "%s%s%s.%s", s->folder,
                 strcmp(s->folder, "/") == 0 ? "" : "/", s->program->stem,
                 ending);
    }
    return path;
}

/* Where the files go; published is the command at the defaults. 0 or -1. */
static int choose_paths(session *s, const char *published)
{
    s->command = own_command(s);
    if (published == NULL || s->command == NULL) {
        return -1;
    }
    s->folder = choose_folder(s, s->seed == PUBLISHED_SEED &&
                                     strcmp(published, s->command) == 0);
    if (s->folder == NULL) {
        return -1;
    }
    s->dat_path = path_of(s, "dat");
    s->tsv_path = path_of(s, "claims.tsv");
    s->timing_path = path_of(s, "timing.dat");
    return s->dat_path != NULL && s->tsv_path != NULL && s->timing_path != NULL
               ? 0
               : -1;
}

/* Do the options go together: 0, or the exit status and a line on stderr. */
static int check(const session *s, const attn_cli_error *bad_environment)
{
    attn_cli_error error = {{0}};

    if (bad_environment != NULL && !s->table[s->own].given) {
        return fail_usage(s, bad_environment->text);
    }
    if (s->program->conflict != NULL && s->program->conflict(&error) != 0) {
        return fail_usage(s, error.text);
    }
    return 0;
}

/* Read the command line into s: 0, or the exit status of a bad one. */
static int configure(session *s, int argc, char *argv[])
{
    attn_cli_error environment, error;
    const int is_bad = read_environment(s, &environment) != GSL_SUCCESS;
    char *published = own_command(s);
    int status = 0;

    if (attn_cli_parse(s->table, argc, argv, &error) != GSL_SUCCESS) {
        status = fail_usage(s, error.text);
    } else if (choose_paths(s, published) != 0) {
        status = fail_memory(s);
    }
    free(published);
    for (size_t i = 0; i < s->own; i++) {
        s->program->options[i].given = s->table[i].given;
    }
    if (status != 0 || s->help || s->version) {
        return status;
    }
    return check(s, is_bad ? &environment : NULL);
}

static int print_help(const session *s)
{
    const attn_program *program = s->program;

    printf("Usage: %s [options]\n\n", program->stem);
    attn_cli_wrap(program->summary, 0, 0, stdout);
    printf("\nLecture section: ");
    attn_cli_wrap(program->section, strlen("Lecture section: "), 2, stdout);
    printf("Claims: ");
    attn_cli_wrap(program->claims, strlen("Claims: "), 2, stdout);
    printf("\nOptions:\n");
    attn_cli_help(s->table, stdout);
    printf("\n");
    if (program->epilogue != NULL) {
        printf("%s\n", program->epilogue);
    }
    attn_cli_wrap("The defaults are the published parameters, at seed 1. "
                  "GSL_RNG_SEED, where set, is the default seed. "
                  "\"--name value\" and \"--name=value\" are the same.",
                  0, 0, stdout);
    attn_cli_wrap("Exit status: 0 every claim holds, 1 a claim is "
                  "contradicted, 2 could not run, 3 nothing is contradicted "
                  "but the sample is too small for a claim.",
                  0, 0, stdout);
    return 0;
}

static int print_version(const session *s)
{
    printf("%s (self-attention, measured) %s, GSL %s\n", s->program->stem,
           ATTN_VERSION, gsl_version);
    return 0;
}

/* Files. */

/* Make folder and what leads to it; 0, or -1 with errno. */
static int make_folder(char *folder)
{
    struct stat made;

    for (char *c = folder + 1;; c++) {
        const char end = *c;

        if (end == '/' || end == '\0') {
            int failed;

            *c = '\0';
            failed = mkdir(folder, 0777) != 0 && errno != EEXIST;
            *c = end;
            if (failed) {
                return -1;
            }
        }
        if (end == '\0') {
            break;
        }
    }
    if (stat(folder, &made) == 0 && !S_ISDIR(made.st_mode)) {
        errno = ENOTDIR;
        return -1;
    }
    return access(folder, W_OK | X_OK);
}

static void write_head(const session *s, attn_dat *dat)
{
    const attn_program *program = s->program;

    attn_dat_comment(dat, "experiment: %s, section \"%s\"", program->stem,
                     program->section);
    attn_dat_comment(dat, "claims: %s", program->claims);
    attn_dat_comment(dat, "command: %s%s --seed %" PRIu64, program->stem,
                     s->command, s->seed);
    attn_dat_comment(dat, "version: self-attention, measured %s", ATTN_VERSION);
    attn_dat_comment(dat, "");
}

/* 0, or the exit status and a line on stderr. */
static int write_file(const session *s, attn_dat *dat, const char *path)
{
    const int status = attn_dat_write(dat, path);

    if (status == GSL_EINVAL) {
        return fail(s, "a number that is none, or a row that does not fit",
                    path, "it is not written; report this defect");
    }
    if (status != GSL_SUCCESS) {
        return fail(s, strerror(errno), path,
                    "make room or choose another folder with --out");
    }
    return 0;
}

/* Where no thread can be had, OpenMP's library says so and ends the process
 * with 1, the status of a contradiction. */
static const char *working; /* the program, while its experiment runs */

static void end_working(void)
{
    if (working != NULL) {
        fprintf(stderr,
                "%s: no more threads, nothing is written, ask for fewer with "
                "--threads\n",
                working);
        _exit(COULD_NOT_RUN);
    }
}

static int run(const session *s, const output *o)
{
    attn_bar bar = attn_bar_start(stderr);
    const int is_watched =
        !s->quiet && attn_ranks_own() == 0 && isatty(STDERR_FILENO);
    attn_run job = {.seed = s->seed,
                    .threads = s->threads,
                    .dat = o->dat,
                    .timing = o->timing,
                    .claims = o->claims,
                    .narrative = o->narrative,
                    .progress = is_watched ? attn_bar_show : NULL,
                    .progress_context = &bar};
    int status;

    write_head(s, o->dat);
    if (o->timing != NULL) {
        write_head(s, o->timing);
    }
    working = s->program->stem;
    status = s->program->run(&job);
    working = NULL;
    if (status == GSL_SUCCESS && attn_claims_has_lost(o->claims)) {
        status = GSL_ENOMEM;
    }
    status = attn_ranks_agree(status);
    attn_bar_clear(&bar);
    if (status == GSL_ENOMEM) {
        return fail_memory(s);
    }
    if (status != GSL_SUCCESS) {
        return fail(s, gsl_strerror(status), "the experiment stopped",
                    "nothing is written; try other options");
    }
    return 0;
}

static int draw(const session *s, const char *executable)
{
    const attn_screen none = {0};
    const attn_plot plot = {.program = executable,
                            .stem = s->program->stem,
                            .folder = s->folder,
                            .report = s->quiet ? NULL : stdout,
                            .screen = s->quiet ? none : attn_screen_of(stdout)};
    attn_plot_error error;

    fflush(stdout);
    if (attn_plot_draw(&plot, &error) != GSL_SUCCESS) {
        return fail_usage(s, error.text);
    }
    return 0;
}

/* All files, the first that fails ends it: 0 or the exit status. */
static int write_files(const session *s, const output *o)
{
    int status = write_file(s, o->dat, s->dat_path);

    if (status == 0) {
        status = attn_claims_tsv(o->claims, attn_dat_stream(o->tsv))
                     ? fail_memory(s)
                     : write_file(s, o->tsv, s->tsv_path);
    }
    if (status == 0 && o->timing != NULL) {
        status = write_file(s, o->timing, s->timing_path);
    }
    return status;
}

static void report(const session *s, const output *o)
{
    const attn_screen screen = attn_screen_of(stdout);

    fputs(o->text, stdout);
    attn_claims_print(o->claims, &screen, stdout);
    printf("wrote %s and %s\n", s->dat_path, s->tsv_path);
    if (o->timing != NULL) {
        printf("timed in %s:\n", s->timing_path);
        attn_dat_print_rows(o->timing, stdout);
    }
}

/* Write, print, draw: 0 or the exit status of what failed. */
static int deliver(const session *s, const char *executable, const output *o)
{
    int status = fflush(o->narrative) == 0 ? write_files(s, o) : fail_memory(s);

    if (status == 0 && !s->quiet) {
        report(s, o);
    }
    if (status == 0 && s->plot) {
        status = draw(s, executable);
    }
    return status;
}

/* Run on every rank, deliver from the first: 0 or the exit status of what
 * failed. */
static int perform(const session *s, const char *executable, const output *o)
{
    const int is_first = attn_ranks_own() == 0;
    int status = 0;

    if (is_first && make_folder(s->folder) != 0) {
        status = fail(s, strerror(errno), s->folder,
                      "choose another folder with --out");
    } else if (attn_ranks_agree(status) != 0) {
        status = fail(s, "another rank could not begin", "nothing is written",
                      "see that every machine has the input");
    }
    if (status == 0) {
        status = run(s, o);
    }
    return status == 0 && is_first ? deliver(s, executable, o) : status;
}

static int experiment(const session *s, const char *executable)
{
    const int is_timed = s->program->has_timings;
    output o = {.dat = attn_dat_alloc(),
                .tsv = attn_dat_alloc(),
                .timing = is_timed ? attn_dat_alloc() : NULL,
                .claims = attn_claims_alloc(s->seed)};
    int status;

    o.narrative = open_memory(&o.text, &o.size);
    if (o.dat == NULL || o.tsv == NULL || o.claims == NULL ||
        o.narrative == NULL || (is_timed && o.timing == NULL)) {
        status = fail_memory(s);
    } else {
        status = perform(s, executable, &o);
        if (status == 0) {
            status = attn_claims_exit_status(o.claims);
        }
    }
    if (o.narrative != NULL) {
        fclose(o.narrative);
    }
    free(o.text);
    attn_claims_free(o.claims);
    attn_dat_free(o.timing);
    attn_dat_free(o.tsv);
    attn_dat_free(o.dat);
    return status;
}

static int serve(session *s, int argc, char *argv[])
{
    int status;

    if (make_table(s) != GSL_SUCCESS) {
        return fail_memory(s);
    }
    status = configure(s, argc, argv);
    if (status != 0) {
        return status;
    }
    if (s->help) {
        return print_help(s);
    }
    if (s->version) {
        return print_version(s);
    }
    return experiment(s, argv[0]);
}

attn_blocks attn_run_job(const attn_run *run, const char *part, size_t setting,
                         size_t trials, size_t per_block)
{
    return (attn_blocks){.trials = trials,
                         .per_block = per_block,
                         .seed = run->seed,
                         .experiment = attn_rng_experiment(part, setting),
                         .threads = run->threads,
                         .is_spread = 1,
                         .progress = run->progress,
                         .progress_context = run->progress_context};
}

void attn_run_progress(const attn_run *run, double share)
{
    if (run->progress) {
        run->progress(share, run->progress_context);
    }
}

int attn_program_main(const attn_program *program, int argc, char *argv[])
{
    attn_ranks_begin();

    const size_t processors = attn_ranks_processors(attn_blocks_processors());
    session s = {.program = program,
                 .seed = PUBLISHED_SEED,
                 .threads =
                     processors < THREADS_MAX ? processors : THREADS_MAX};
    int status;

    atexit(end_working);
    /* Past a file's limit a write fails, as on a full disk. */
    signal(SIGXFSZ, SIG_IGN);
    /* A decimal point in every file, and GSL's errors as statuses. */
    setlocale(LC_ALL, "C");
    gsl_set_error_handler_off();
    status = serve(&s, argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        status = fail(&s, "what is printed was lost", "standard output",
                      "make room for it, or ask for --quiet");
    }
    free(s.timing_path);
    free(s.tsv_path);
    free(s.dat_path);
    free(s.folder);
    free(s.command);
    free(s.table);
    /* Rank 0 knows what became of the files; of the others only a failure
     * counts. */
    return attn_ranks_end(
        attn_ranks_own() == 0 || status == COULD_NOT_RUN ? status : 0);
}
