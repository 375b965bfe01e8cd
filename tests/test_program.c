/* The programs' edge: statuses, folders, messages, figures. */
#define _XOPEN_SOURCE 700 /* posix_openpt */
#include "attn_bar.h"
#include "attn_plot.h"
#include "attn_program.h"
#include "attn_screen.h"
#include "leave.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_version.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A small program whose options say how it ends. */

static size_t pairs = 10;
static int ending;
static size_t slow;

static const char *const endings[] = {
    "holds",   "contradicted", "inconclusive", "memory",
    "failure", "nan",          "no-thread",    NULL};

static attn_cli_option options[] = {
    {"pairs", ATTN_CLI_SIZE, &pairs, "independent pairs", 1, 1e9, NULL, 0},
    {"ending", ATTN_CLI_CHOICE, &ending, "how it ends", 0, 0, endings, 0},
    {"slow", ATTN_CLI_SIZE, &slow, "tenths of a second", 0, 100, NULL, 0},
    {0}};

static const attn_dat_column columns[] = {{"d_k", "head size [1]"},
                                          {"sd", "standard deviation [1]"}};

static int conflict(attn_cli_error *error)
{
    if (pairs == 13 && ending == 0) {
        snprintf(error->text, sizeof error->text,
                 "--pairs: 13 given with --ending holds, allowed with others");
        return 1;
    }
    return 0;
}

static int run(attn_run *job)
{
    static const int statuses[] = {GSL_SUCCESS, GSL_SUCCESS, GSL_SUCCESS,
                                   GSL_ENOMEM,  GSL_EDOM,    GSL_SUCCESS,
                                   GSL_SUCCESS};
    const struct timespec tenth = {0, 100000000};

    if (ending == 6) {
        exit(EXIT_FAILURE); /* as OpenMP's library does */
    }
    for (size_t i = 0; i < slow; i++) {
        nanosleep(&tenth, NULL);
        attn_run_progress(job, (double)(i + 1) / (double)slow);
    }
    fprintf(job->narrative, "%zu pairs, move by move\n", pairs);
    attn_dat_block(job->dat, "scaled", columns, 2);
    ATTN_DAT_ROW(job->dat, (double)pairs, ending == 5 ? NAN : 1);
    ATTN_DAT_ROW(job->dat, (double)job->seed, 2);
    if (job->timing != NULL) {
        attn_dat_block(job->timing, "times", columns, 2);
        ATTN_DAT_ROW(job->timing, 64, 0.25);
    }
    attn_claims_exact(job->claims, "fake.exact", 1, ending == 1 ? 2 : 1, 0.5, 1,
                      "half");
    if (ending == 2) {
        attn_claims_stat(job->claims, "fake.stat", 0, 0, 1, 1, 0.1, 1, "one");
    }
    return statuses[ending];
}

static attn_program fake = {
    .stem = "fake",
    .section = "The spread of scores",
    .summary = "A program that does nothing, and says so in a sentence that is "
               "long enough to need a second line.",
    .claims = "fake.exact, fake.stat",
    .options = options,
    .conflict = conflict,
    .run = run,
    .epilogue = "An input file looks like\n  q = 1 2\n"};

/* Running it, in a process of its own and a temporary folder. */

static char project[1024]; /* where the plots are */

static void enter_folder(void)
{
    char folder[] = "/tmp/attn_program.XXXXXX";

    unsetenv("GSL_RNG_SEED");
    cr_assert(getcwd(project, sizeof project) != NULL);
    cr_assert(mkdtemp(folder) != NULL && chdir(folder) == 0);
    cr_assert(mkdir("work", 0777) == 0 && chdir("work") == 0);
}

static void leave_folder(void)
{
    char top[256], command[300];

    if (chdir("..") == 0 && getcwd(top, sizeof top) != NULL &&
        strstr(top, "/attn_program.") != NULL) {
        snprintf(command, sizeof command, "rm -rf '%s'", top);
        cr_assert_eq(system(command), 0);
    }
}

TestSuite(program, .init = enter_folder, .fini = leave_folder);

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

static int exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void redirect(int stream, const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (fd < 0 || dup2(fd, stream) < 0) {
        _exit(99);
    }
    close(fd);
}

/* The exit status of "fake words"; what it prints is in ../out and ../err. */
static int fake_to(const char *out, const char *words)
{
    char line[512], *argv[32] = {"fake"};
    int argc = 1, status;
    pid_t child;

    snprintf(line, sizeof line, "%s", words);
    for (char *w = strtok(line, " "); w && argc < 31; w = strtok(NULL, " ")) {
        argv[argc++] = w;
    }
    fflush(NULL);
    child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        redirect(STDOUT_FILENO, out);
        redirect(STDERR_FILENO, "../err");
        leave(attn_program_main(&fake, argc, argv));
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status), "'fake %s' ends by a signal", words);
    return WEXITSTATUS(status);
}

static int run_fake(const char *words)
{
    return fake_to("../out", words);
}

static void assert_has(const char *path, const char *part)
{
    char *text = content(path);

    cr_assert(strstr(text, part) != NULL, "no '%s' in %s:\n%s", part, path,
              text);
    free(text);
}

static void assert_is(const char *path, const char *want)
{
    char *text = content(path);

    cr_assert_str_eq(text, want);
    free(text);
}

static void assert_one_line(const char *path)
{
    char *text = content(path);
    const char *end = strchr(text, '\n');

    cr_assert(end != NULL && end[1] == '\0', "not one line:\n%s", text);
    free(text);
}

static size_t files_in(const char *path)
{
    DIR *folder = opendir(path);
    size_t count = 0;

    cr_assert(folder != NULL, "no %s", path);
    for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    }
    closedir(folder);
    return count;
}

Test(program, the_published_run_goes_to_results)
{
    cr_assert_eq(run_fake(""), 0);
    assert_is("../err", "");
    assert_has("../out", "fake.exact");
    assert_has("../out", "HOLDS");
    assert_has("../out", "wrote results/fake.dat and results/fake.claims.tsv");
    assert_has("results/fake.claims.tsv", "fake.exact\texact");
    cr_assert_eq(files_in("results"), 2);
}

Test(program, a_default_that_is_spelled_out_is_published_too)
{
    cr_assert_eq(run_fake("--pairs 10 --ending=holds --seed 1 --threads 3"), 0);
    cr_assert(exists("results/fake.dat") && !exists("results/scratch"));
}

Test(program, any_other_run_goes_to_scratch)
{
    static const struct {
        const char *words;
        int status;
    } cases[] = {{"--pairs 11", 0},
                 {"--seed 2", 0},
                 {"--ending inconclusive", 3},
                 {"--seed 18446744073709551615", 0}};
    size_t count = 0;

    for (; count < sizeof cases / sizeof *cases; count++) {
        cr_assert_eq(run_fake(cases[count].words), cases[count].status);
        cr_assert(exists("results/scratch/fake.dat"), "%s", cases[count].words);
        cr_assert(exists("results/scratch/fake.claims.tsv"));
        cr_assert(!exists("results/fake.dat"), "%s", cases[count].words);
        cr_assert_eq(unlink("results/scratch/fake.dat"), 0);
    }
    cr_assert(count > 0, "no case ran");
}

Test(program, a_folder_is_made_with_what_leads_to_it)
{
    cr_assert_eq(run_fake("--out a/b//c/ --seed 2"), 0);
    cr_assert(exists("a/b/c/fake.dat") && exists("a/b/c/fake.claims.tsv"));
    assert_has("../out", "wrote a/b//c/fake.dat and");
    cr_assert_eq(run_fake("--out a/b/c"), 0);
    cr_assert(!exists("results"));
}

Test(program, the_head_tells_the_whole_command)
{
    cr_assert_eq(run_fake("--seed 7 --pairs 12 --out elsewhere --threads 2 "
                          "--quiet"),
                 0);
    assert_is("elsewhere/fake.dat",
              "# experiment: fake, section \"The spread of scores\"\n"
              "# claims: fake.exact, fake.stat\n"
              "# command: fake --pairs 12 --ending holds --slow 0 --seed 7\n"
              "# version: self-attention, measured " ATTN_VERSION "\n"
              "#\n"
              "# column d_k             head size [1]\n"
              "# column sd              standard deviation [1]\n"
              "# scaled\n"
              "            d_k              sd\n"
              "             12               1\n"
              "              7               2\n");
    assert_is("../out", "");
}

Test(program, the_status_is_the_verdict)
{
    cr_assert_eq(run_fake("--ending holds"), 0);
    cr_assert_eq(run_fake("--ending contradicted"), 1);
    assert_has("../out", "CONTRADICTED");
    assert_has("results/scratch/fake.claims.tsv", "CONTRADICTED");
    cr_assert_eq(run_fake("--ending inconclusive"), 3);
    assert_has("../out", "INCONCLUSIVE");
    assert_is("../err", "");
}

Test(program, an_experiment_that_fails_writes_nothing)
{
    static const char *const failing[] = {"--ending memory --out o",
                                          "--ending failure --out o",
                                          "--ending nan --out o"};
    size_t count = 0;

    for (; count < sizeof failing / sizeof *failing; count++) {
        cr_assert_eq(run_fake(failing[count]), 2, "%s", failing[count]);
        assert_is("../out", "");
        assert_has("../err", "fake: ");
        assert_one_line("../err");
        cr_assert_eq(files_in("o"), 0, "%s", failing[count]);
    }
    cr_assert(count > 0, "no case ran");
}

Test(program, a_thread_that_cannot_be_had_is_no_contradiction)
{
    cr_assert_eq(run_fake("--out o --ending no-thread"), 2);
    assert_is("../err", "fake: no more threads, nothing is written, ask for "
                        "fewer with --threads\n");
    cr_assert_eq(files_in("o"), 0);
}

Test(program, a_bad_option_writes_nothing)
{
    static const char *const bad[] = {"--pairs 0",
                                      "--pairs",
                                      "--pairs -1",
                                      "--seed 0",
                                      "--seed 01",
                                      "--threads 0",
                                      "--threads 1025",
                                      "--out o --seed x",
                                      "--out=",
                                      "--nothing",
                                      "word",
                                      "--seed 1 --seed 1",
                                      "--out o --pairs 13",
                                      "--help=1",
                                      "--out o --plot --quit"};
    size_t count = 0;

    for (; count < sizeof bad / sizeof *bad; count++) {
        cr_assert_eq(run_fake(bad[count]), 2, "'%s'", bad[count]);
        assert_is("../out", "");
        assert_has("../err", "fake: ");
        assert_one_line("../err");
        cr_assert_eq(files_in("."), 0, "'%s' writes", bad[count]);
    }
    cr_assert(count > 0, "no case ran");
}

Test(program, a_conflict_is_told_in_its_own_words)
{
    cr_assert_eq(run_fake("--pairs 13"), 2);
    assert_is("../err", "fake: --pairs: 13 given with --ending holds, allowed "
                        "with others\n");
    cr_assert_eq(run_fake("--pairs 13 --ending contradicted"), 1);
}

Test(program, the_environment_sets_the_default_seed)
{
    setenv("GSL_RNG_SEED", "7", 1);
    cr_assert_eq(run_fake(""), 0);
    assert_has("results/scratch/fake.dat", "--seed 7\n");
    cr_assert_eq(run_fake("--seed 1"), 0);
    assert_has("results/fake.dat", "--seed 1\n");
}

Test(program, a_bad_seed_in_the_environment_counts_unless_overruled)
{
    static const char *const bad[] = {"0", "", "x", "-1", "1e3", "010"};
    size_t count = 0;

    for (; count < sizeof bad / sizeof *bad; count++) {
        setenv("GSL_RNG_SEED", bad[count], 1);
        cr_assert_eq(run_fake(""), 2, "'%s'", bad[count]);
        assert_has("../err", "fake: GSL_RNG_SEED: '");
        assert_has("../err", "a whole number from 1 to 18446744073709551615");
        assert_one_line("../err");
        cr_assert_eq(files_in("."), 0);
    }
    cr_assert(count > 0, "no case ran");
    cr_assert_eq(run_fake("--help"), 0);
    cr_assert_eq(run_fake("--seed 1"), 0);
    cr_assert(exists("results/fake.dat"));
}

Test(program, help_goes_to_standard_output)
{
    char *help;

    cr_assert_eq(run_fake("--help"), 0);
    assert_is("../err", "");
    assert_has("../out", "Usage: fake [options]");
    assert_has("../out", "--pairs N");
    assert_has("../out", "(1 to 1000000000; default 10)");
    assert_has("../out", "--threads N");
    assert_has("../out", "The spread of scores");
    cr_assert_eq(files_in("."), 0);

    help = content("../out");
    for (char *line = strtok(help, "\n"); line; line = strtok(NULL, "\n")) {
        cr_assert(strlen(line) <= 80, "%s", line);
    }
    free(help);
}

Test(program, the_help_shows_what_an_input_file_looks_like)
{
    cr_assert_eq(run_fake("--help"), 0);
    assert_has("../out", "\n\nAn input file looks like\n  q = 1 2\n\n");
}

Test(program, the_narrative_comes_before_the_verdicts)
{
    char *out;

    cr_assert_eq(run_fake(""), 0);
    out = content("../out");
    cr_assert_eq(strncmp(out, "10 pairs, move by move\nclaim ", 29), 0, "%s",
                 out);
    free(out);
    cr_assert_eq(run_fake("--quiet"), 0);
    assert_is("../out", "");
}

Test(program, what_depends_on_the_clock_has_a_file_of_its_own)
{
    fake.has_timings = 1;
    cr_assert_eq(run_fake(""), 0);
    cr_assert_eq(files_in("results"), 3);
    assert_has("results/fake.timing.dat", "64");
    assert_has("../out", "\ntimed in results/fake.timing.dat:\n");
    assert_has("../out", "0.25\n");
}

Test(program, the_version_names_gsl_too)
{
    cr_assert_eq(run_fake("--version"), 0);
    assert_is("../out", "fake (self-attention, measured) " ATTN_VERSION
                        ", GSL " GSL_VERSION "\n");
    cr_assert_eq(files_in("."), 0);
}

Test(program, threads_do_not_reach_the_files)
{
    char *one, *two;

    cr_assert_eq(run_fake("--threads 1 --out one"), 0);
    cr_assert_eq(run_fake("--threads 1024 --out two"), 0);
    one = content("one/fake.dat");
    two = content("two/fake.dat");
    cr_assert_str_eq(one, two);
    free(one);
    free(two);
}

Test(program, a_folder_that_cannot_be_made_is_told)
{
    fclose(fopen("file", "w"));
    cr_assert_eq(run_fake("--out file"), 2);
    assert_is("../err", "fake: Not a directory, file, choose another folder "
                        "with --out\n");
    cr_assert_eq(run_fake("--out file/below"), 2);
    assert_one_line("../err");
    assert_is("../out", "");
}

Test(program, a_file_that_cannot_be_written_is_told)
{
    cr_assert(mkdir("o", 0777) == 0 && mkdir("o/fake.dat", 0777) == 0);
    cr_assert_eq(run_fake("--out o"), 2);
    assert_is("../out", "");
    assert_has("../err", "fake: Is a directory, o/fake.dat, ");
    assert_one_line("../err");
    cr_assert_eq(files_in("o"), 1);
}

Test(program, a_line_of_error_stays_one_line)
{
    cr_assert_eq(run_fake("--out a\nb\x1b/c --seed 2 --ending nan"), 2);
    assert_one_line("../err");
    assert_has("../err", "a?b?/c/fake.dat");
}

Test(program, a_full_standard_output_is_an_error)
{
    if (!exists("/dev/full")) {
        cr_skip_test("no /dev/full here");
    }
    cr_assert_eq(fake_to("/dev/full", ""), 2);
    assert_has("../err", "fake: what is printed was lost, standard output, ");
    cr_assert(exists("results/fake.dat") && exists("results/fake.claims.tsv"));
    cr_assert_eq(fake_to("/dev/full", "--help"), 2);
    cr_assert_eq(fake_to("/dev/full", "--quiet"), 0);
}

/* Figures. */

static void bring_plots(void)
{
    char style[1100];
    FILE *script;

    snprintf(style, sizeof style, "%s/plots/style.gp", project);
    cr_assert(exists(style), "run the tests in the project's folder");
    cr_assert_eq(mkdir("plots", 0777), 0);
    cr_assert_eq(symlink(style, "plots/style.gp"), 0);
    for (int further = 0; further < 2; further++) {
        script = fopen(further ? "plots/fake-more.gp" : "plots/fake.gp", "w");
        cr_assert(script != NULL);
        fputs("heading = 'sd'\ndescription = 'sd against d_k'\n"
              "plot dat index 'scaled' using \"d_k\":\"sd\" with points\n",
              script);
        fclose(script);
    }
}

Test(program, every_figure_of_the_stem_is_drawn)
{
    bring_plots();
    cr_assert_eq(run_fake("--plot"), 0);
    assert_has("results/fake.svg", "</svg>");
    assert_has("results/fake-more.svg", "</svg>");
    assert_has("../out", "wrote results/fake.svg\nwrote results/fake-more.svg");
    cr_assert_eq(files_in("results"), 4);
    cr_assert_eq(run_fake("--plot --quiet --ending contradicted"), 1);
    assert_is("../out", "");
    cr_assert_eq(files_in("results/scratch"), 4);
}

Test(program, a_figure_that_fails_leaves_data_and_the_old_figure)
{
    FILE *script;

    bring_plots();
    cr_assert_eq(run_fake("--plot"), 0);
    script = fopen("plots/fake.gp", "w");
    fputs("plot dat index 'missing' using \"d_k\":\"sd\"\n", script);
    fclose(script);
    cr_assert_eq(run_fake("--plot"), 2);
    assert_has("../err", "fake: gnuplot failed, plots/fake.gp, ");
    assert_has("results/fake.svg", "</svg>");
    cr_assert(exists("results/fake.dat"));
    cr_assert_eq(files_in("results"), 4);
}

Test(program, without_gnuplot_the_data_are_kept)
{
    bring_plots();
    setenv("PATH", "/nowhere", 1);
    cr_assert_eq(run_fake("--plot"), 2);
    assert_has("../err", "fake: gnuplot is not installed, plots/fake.gp, "
                         "install gnuplot");
    assert_one_line("../err");
    cr_assert(exists("results/fake.dat") && exists("results/fake.claims.tsv"));
    cr_assert_eq(files_in("results"), 2);
    setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
}

Test(program, without_a_script_the_data_are_kept)
{
    cr_assert_eq(run_fake("--plot"), 2);
    assert_has("../err", "plots/fake.gp");
    assert_one_line("../err");
    cr_assert_eq(files_in("results"), 2);
}

Test(program, a_folder_of_too_long_a_name_gets_no_figure)
{
    static char folder[5000];
    const attn_plot plot = {
        .program = "fake", .stem = "fake", .folder = folder};
    attn_plot_error error = {""};

    memset(folder, 'x', sizeof folder - 1);
    bring_plots();
    cr_assert_eq(attn_plot_draw(&plot, &error), GSL_EFAILED);
    cr_assert(strstr(error.text, "gnuplot failed") != NULL, "%s", error.text);
}

/* What a terminal sees. */

/* The text that "fake words" puts on a terminal. */
static char *on_terminal(const char *words, int *status)
{
    char line[512], *argv[32] = {"fake"}, *text = NULL, buffer[4096];
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    size_t size = 0;
    FILE *copy = open_memstream(&text, &size);
    int argc = 1, slave;
    pid_t child;
    ssize_t got;

    snprintf(line, sizeof line, "%s", words);
    for (char *w = strtok(line, " "); w && argc < 31; w = strtok(NULL, " ")) {
        argv[argc++] = w;
    }
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
        cr_skip("no pseudo-terminal here");
    }
    slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    cr_assert(slave >= 0);
    fflush(NULL);
    child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        dup2(slave, STDOUT_FILENO);
        dup2(slave, STDERR_FILENO);
        close(slave);
        close(terminal);
        setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
        leave(attn_program_main(&fake, argc, argv));
    }
    close(slave);
    while ((got = read(terminal, buffer, sizeof buffer)) > 0) {
        fwrite(buffer, 1, (size_t)got, copy);
    }
    close(terminal);
    fclose(copy);
    cr_assert_eq(waitpid(child, status, 0), child);
    cr_assert(WIFEXITED(*status));
    *status = WEXITSTATUS(*status);
    return text;
}

Test(program, a_terminal_gets_the_plot_in_characters)
{
    int status;
    char *text;

    bring_plots();
    text = on_terminal("--plot", &status);
    cr_assert_eq(status, 0, "%s", text);
    cr_assert(strstr(text, "wrote results/fake.svg") != NULL, "%s", text);
    cr_assert(strstr(text, "+-----") != NULL, "%s", text);
    free(text);
}

Test(program, slow_work_shows_a_bar_and_clears_it, .timeout = 60)
{
    int status;
    char *text = on_terminal("--slow 14", &status);
    const char *bar = strstr(text, "\r[####");

    cr_assert_eq(status, 0);
    cr_assert(bar != NULL && strstr(bar, " %, ") != NULL &&
                  strstr(bar, " s left") != NULL,
              "%s", text);
    cr_assert(strstr(bar, "\r\033[K10 pairs") != NULL, "%s", text);
    free(text);
}

Test(program, fast_quiet_or_piped_work_shows_no_bar, .timeout = 60)
{
    int status;
    char *text = on_terminal("--slow 3", &status);

    cr_assert_eq(status, 0);
    cr_assert(strstr(text, "\r[") == NULL, "%s", text);
    free(text);
    text = on_terminal("--slow 12 --quiet", &status);
    cr_assert_eq(status, 0);
    cr_assert_str_eq(text, "");
    free(text);
    cr_assert_eq(run_fake("--slow 12"), 0);
    assert_is("../err", "");
}

Test(program, a_terminal_shows_verdicts_in_colour_unless_asked_not_to)
{
    static const struct {
        const char *term, *no_color;
        int in_colour;
    } cases[] = {{"xterm", NULL, 1},
                 {"xterm", "", 1},
                 {"xterm", "1", 0},
                 {"dumb", NULL, 0}};
    size_t ran = 0;

    setenv("COLUMNS", "80", 1);
    for (; ran < sizeof cases / sizeof *cases; ran++) {
        int status;
        char *text;

        setenv("TERM", cases[ran].term, 1);
        unsetenv("NO_COLOR");
        if (cases[ran].no_color != NULL) {
            setenv("NO_COLOR", cases[ran].no_color, 1);
        }
        text = on_terminal("", &status);
        cr_expect_eq(status, 0);
        cr_expect(strstr(text, "HOLDS") != NULL, "%s", text);
        cr_expect_eq(strstr(text, "\033[32mHOLDS\033[0m") != NULL,
                     cases[ran].in_colour, "%s", text);
        cr_expect(strstr(text, "caught") == NULL, "wider than 80: %s", text);
        free(text);
    }
    cr_assert_eq(ran, 4);
}

Test(program, a_screen_is_as_wide_as_its_window_unless_columns_says_so)
{
    static const struct {
        const char *said; /* by COLUMNS */
        unsigned short window;
        int columns;
    } cases[] = {{NULL, 57, 57},    {NULL, 0, 80},   {"33", 57, 33},
                 {"10001", 57, 57}, {"wide", 0, 80}, {"-1", 57, 57}};
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    size_t ran = 0;
    FILE *out;

    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
        cr_skip("no pseudo-terminal here");
    }
    out = fopen(ptsname(terminal), "w");
    cr_assert(out != NULL);
    for (; ran < sizeof cases / sizeof *cases; ran++) {
        const struct winsize window = {.ws_col = cases[ran].window};

        unsetenv("COLUMNS");
        if (cases[ran].said != NULL) {
            setenv("COLUMNS", cases[ran].said, 1);
        }
        cr_assert_eq(ioctl(terminal, TIOCSWINSZ, &window), 0);
        cr_expect_eq(attn_screen_of(out).columns, cases[ran].columns);
    }
    cr_assert_eq(ran, 6);
    fclose(out);
    close(terminal);
}

/* What a bar says of the time left that began so many seconds ago, its stage
 * too, when it is at this share. */
static char *time_left(double begun, double share)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    attn_bar bar = attn_bar_start(out);

    bar.begun -= begun;
    bar.stage -= begun;
    attn_bar_show(share, &bar);
    fclose(out);
    return text;
}

Test(program, a_bar_tells_seconds_minutes_and_hours)
{
    static const struct {
        double begun, share;
        const char *left;
    } cases[] = {{50, 0.5, ", 50 s left"},
                 {150, 0.25, ", 8 min left"},
                 {3600, 0.25, ", 3.0 h left"}};
    size_t ran = 0;

    for (; ran < sizeof cases / sizeof *cases; ran++) {
        char *text = time_left(cases[ran].begun, cases[ran].share);

        cr_expect(strstr(text, cases[ran].left) != NULL, "%s", text);
        free(text);
    }
    cr_assert_eq(ran, 3);
}

Test(program, a_bar_begins_anew_with_every_stage)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    attn_bar bar = attn_bar_start(out);

    bar.begun -= 1000;
    bar.stage -= 1000;
    attn_bar_show(0.5, &bar);
    bar.drawn -= 1;
    attn_bar_show(0.25, &bar);
    fclose(out);
    cr_assert(strstr(text, " 50 %, 17 min left") != NULL, "%s", text);
    cr_assert(strstr(text, " 25 %, 0 s left") != NULL, "%s", text);
    free(text);
}

Test(program, a_bar_never_exceeds_its_end)
{
    attn_bar bar;
    FILE *out = tmpfile();
    char text[256] = "";

    cr_assert(out != NULL);
    bar = attn_bar_start(out);
    bar.begun -= 10;
    bar.stage -= 10;
    attn_bar_show(0, &bar);
    attn_bar_show(1.5, &bar);
    rewind(out);
    cr_assert(fgets(text, sizeof text, out) != NULL);
    cr_assert(strstr(text, "[########################################] 100 %, "
                           "0 s left") != NULL,
              "%s", text);
    fclose(out);
}
