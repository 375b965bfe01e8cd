/* The programs from outside: what a reader types, and what comes back. */
#include "run.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Every program, with options that make a run short. */
static const char *const programs[][2] = {
    {"score_spread", "--pairs 300 --head-sizes 1,7,64"},
    {"softmax_jacobian", "--trials 300 --keys 7 --head-size 20"},
    {"head_training",
     "--trials 3 --tuning 1 --followed 2 --head-size 20 --vocabulary 12 "
     "--tokens 5 --batch 7 --steps 13"},
    {"permutation_equivariance", "--trials 20 --tokens 17"},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static int exists(const char *folder, const char *name)
{
    char path[512];
    struct stat s;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &s) == 0;
}

static size_t lines(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += *text == '\n';
    return n;
}

Test(programs, help_says_what_a_program_does_and_its_options)
{
    static const char *const words[] = {"--seed", "--threads", "--out",
                                        "--plot", "--quiet",   "--help",
                                        "usage:", "--version", "default"};
    size_t ran = 0;

    for (size_t p = 0; p < PROGRAMS; p++) {
        const run_result r = run("%s/%s --help", run_bin(), programs[p][0]);
        cr_assert_eq(r.status, 0);
        cr_assert_str_empty(r.err);
        for (size_t w = 0; w < sizeof words / sizeof *words; w++, ran++)
            cr_assert_not_null(strstr(r.out, words[w]), "%s: %s",
                               programs[p][0], words[w]);
    }
    cr_assert_eq(ran, 9 * PROGRAMS);
}

Test(programs, version_names_the_library_too)
{
    size_t ran = 0;

    for (size_t p = 0; p < PROGRAMS; p++, ran++) {
        const run_result r = run("%s/%s --version", run_bin(), programs[p][0]);
        cr_assert_eq(r.status, 0);
        cr_assert_not_null(strstr(r.out, "GSL 2"));
    }
    cr_assert_eq(ran, PROGRAMS);
}

Test(programs, bad_options_are_one_line_status_2_and_no_file)
{
    static const char *const bad[][2] = {
        {"score_spread", "--pairs 0"},
        {"score_spread", "--pairs -5"},
        {"score_spread", "--pairs 1e3"},
        {"score_spread", "--pairs"},
        {"score_spread", "--pairs 10 --pairs 10"},
        {"score_spread", "--head-sizes 1,,2"},
        {"score_spread", "--head-sizes 4,4"},
        {"score_spread", "--entries cauchy"},
        {"score_spread", "--variance 0"},
        {"score_spread", "--variance 1,5"},
        {"score_spread", "--correlation 1.5"},
        {"score_spread", "--correlation nan"},
        {"score_spread", "--correlation 0.2 --entries laplace"},
        {"score_spread", "--seed 0"},
        {"score_spread", "--seed 18446744073709551616"},
        {"score_spread", "--threads 1025"},
        {"score_spread", "--colour red"},
        {"score_spread", "stray"},
        {"softmax_jacobian", "--keys 1"},
        {"softmax_jacobian", "--keys 0x10"},
        {"softmax_jacobian", "--head-size 010"},
        {"softmax_jacobian", "--trials ''"},
        {"head_training", "--tokens 17 --vocabulary 16"},
        {"head_training", "--steps 0"},
        {"permutation_equivariance", "--tokens 4"},
        {"permutation_equivariance", "--tokens +64"},
        {"permutation_equivariance", "--out ''"},
    };
    const char *folder = run_folder();
    size_t ran = 0;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++, ran++) {
        const int own_out = strstr(bad[i][1], "--out") != NULL;
        const run_result r = run("%s/%s %s %s%s%s", run_bin(), bad[i][0],
                                 bad[i][1], own_out ? "" : "--out ",
                                 own_out ? "" : folder, own_out ? "" : "/new");
        cr_expect_eq(r.status, 2, "%s %s", bad[i][0], bad[i][1]);
        cr_expect_str_empty(r.out);
        cr_expect_eq(lines(r.err), 1, "%s %s: %s", bad[i][0], bad[i][1], r.err);
        cr_expect_eq(strncmp(r.err, bad[i][0], strlen(bad[i][0])), 0);
        cr_expect_not(exists(folder, "new"), "%s %s", bad[i][0], bad[i][1]);
    }
    cr_assert_eq(ran, 27);
    run("rm -r %s", folder);
}

static char *dat_of(const char *program, const char *options, char **tsv)
{
    const char *folder = run_folder();
    char name[128];
    const run_result r =
        run("%s/%s %s --quiet --out %s", run_bin(), program, options, folder);

    cr_assert_neq(r.status, 2, "%s %s: %s", program, options, r.err);
    snprintf(name, sizeof name, "%s.claims.tsv", program);
    *tsv = run_read(folder, name);
    snprintf(name, sizeof name, "%s.dat", program);
    char *dat = run_read(folder, name);
    cr_assert(dat && *tsv);
    run("rm -r %s", folder);
    return dat;
}

Test(programs, same_seed_same_bytes_at_any_number_of_threads, .timeout = 300)
{
    size_t ran = 0;

    for (size_t p = 0; p < PROGRAMS; p++) {
        char options[256], *tsv, *other_tsv;
        snprintf(options, sizeof options, "%s --threads 1", programs[p][1]);
        char *dat = dat_of(programs[p][0], options, &tsv);
        for (int threads = 2; threads <= 3; threads++, ran++) {
            snprintf(options, sizeof options, "%s --threads %d", programs[p][1],
                     threads);
            char *other = dat_of(programs[p][0], options, &other_tsv);
            cr_expect_str_eq(dat, other, "%s, %d threads", programs[p][0],
                             threads);
            cr_expect_str_eq(tsv, other_tsv);
            free(other);
            free(other_tsv);
        }
        free(dat);
        free(tsv);
    }
    cr_assert_eq(ran, 2 * PROGRAMS);
}

Test(programs, another_seed_gives_other_numbers_from_the_option_or_gsl,
     .timeout = 300)
{
    size_t ran = 0;

    for (size_t p = 0; p < PROGRAMS; p++, ran++) {
        char options[256], *tsv;
        char *one = dat_of(programs[p][0], programs[p][1], &tsv);
        free(tsv);
        snprintf(options, sizeof options, "%s --seed 7", programs[p][1]);
        char *seven = dat_of(programs[p][0], options, &tsv);
        free(tsv);
        setenv("GSL_RNG_SEED", "7", 1);
        char *environment = dat_of(programs[p][0], programs[p][1], &tsv);
        unsetenv("GSL_RNG_SEED");
        cr_expect_str_neq(one, seven);
        cr_expect_str_eq(seven, environment);
        cr_expect_not_null(strstr(seven, "--seed 7\n"));
        free(tsv);
        free(one);
        free(seven);
        free(environment);
    }
    cr_assert_eq(ran, PROGRAMS);
}

Test(programs, one_trial_is_inconclusive_not_a_pass)
{
    static const char *const one[][2] = {
        {"score_spread", "--pairs 1"},
        {"softmax_jacobian", "--trials 1"},
        {"head_training", "--trials 1 --tuning 1 --steps 20"}};
    size_t ran = 0;

    for (size_t i = 0; i < 3; i++, ran++) {
        const char *folder = run_folder();
        const run_result r =
            run("%s/%s %s --out %s", run_bin(), one[i][0], one[i][1], folder);
        cr_expect_eq(r.status, 3, "%s: %d", one[i][0], r.status);
        cr_expect_not_null(strstr(r.out, "INCONCLUSIVE"));
        cr_expect_null(strstr(r.out, "nan"));
        run("rm -r %s", folder);
    }
    cr_assert_eq(ran, 3);
}

Test(programs, where_nothing_can_be_written_the_status_is_2)
{
    static const char *const places[] = {"/dev/null/x", "/proc/1/attn",
                                         "/dev/full"};
    size_t ran = 0;

    for (size_t i = 0; i < 3; i++, ran++) {
        const run_result r =
            run("%s/score_spread --pairs 10 --out %s", run_bin(), places[i]);
        cr_expect_eq(r.status, 2, "%s", places[i]);
        cr_expect_str_empty(r.out);
        cr_expect_eq(lines(r.err), 1, "%s", r.err);
    }
    cr_assert_eq(ran, 3);
}

Test(programs, a_full_standard_output_is_status_2_and_the_data_are_kept)
{
    const char *folder = run_folder();
    const run_result r = run("%s/score_spread --pairs 10 --out %s >/dev/full",
                             run_bin(), folder);

    cr_assert_eq(r.status, 2);
    cr_assert_eq(lines(r.err), 1, "%s", r.err);
    cr_assert(exists(folder, "score_spread.dat"));
    run("rm -r %s", folder);
}

Test(programs, playing_does_not_disturb_the_record)
{
    const char *folder = run_folder();
    const run_result r = run("bin=$(cd %s && pwd) && cd %s && "
                             "$bin/score_spread --pairs 100 --quiet",
                             run_bin(), folder);

    cr_assert_neq(r.status, 2, "%s", r.err);
    cr_assert(exists(folder, "results/scratch/score_spread.dat"));
    cr_assert_not(exists(folder, "results/score_spread.dat"));
    run("rm -r %s", folder);
}

Test(programs, the_whole_of_a_broken_hypothesis)
{
    const char *folder = run_folder();
    const run_result r =
        run("%s/score_spread --variance 1.2 --out %s", run_bin(), folder);

    cr_assert_eq(r.status, 1);
    cr_assert_not_null(strstr(r.out, "INCONSISTENT"));
    /* and the derived law holds all the same */
    const char *own = strstr(r.out, "spread.hypotheses");
    cr_assert_not_null(own);
    cr_assert_not_null(strstr(own, "CONSISTENT"));
    run("rm -r %s", folder);
}

/* gnuplot reports success when one of several curves has no data: only its
 * silence says that it found every block and column. */
Test(programs, every_figure_is_drawn_without_a_word, .timeout = 300)
{
    size_t ran = 0;

    for (size_t p = 0; p < PROGRAMS; p++, ran++) {
        const char *folder = run_folder();
        const run_result r = run("%s/%s %s --plot --quiet --out %s", run_bin(),
                                 programs[p][0], programs[p][1], folder);
        char name[128];
        cr_expect_neq(r.status, 2);
        cr_expect_str_empty(r.err, "%s: %s", programs[p][0], r.err);
        snprintf(name, sizeof name, "%s.svg", programs[p][0]);
        char *svg = run_read(folder, name);
        cr_assert_not_null(svg, "%s", programs[p][0]);
        cr_expect_not_null(strstr(svg, "</svg>"));
        free(svg);
        run("rm -r %s", folder);
    }
    cr_assert_eq(ran, PROGRAMS);
}

/* Run what stands behind "$ bin/" in the README and compare what follows, to
 * the end of the fence. */
Test(programs, the_readme_shows_what_the_programs_print)
{
    char *readme = run_read(".", "README.md");
    size_t ran = 0;

    cr_assert_not_null(readme);
    for (char *at = readme; (at = strstr(at, "\n$ bin/")) != NULL; ran++) {
        char *command = at + strlen("\n$ bin/");
        char *shown = strchr(command, '\n');
        char *end = strstr(shown, "```");
        cr_assert_not_null(end);
        *shown++ = '\0';
        *end = '\0';
        const run_result r = run("%s/%s", run_bin(), command);
        cr_expect_str_eq(r.out, shown, "bin/%s", command);
        at = end + 1;
    }
    cr_assert_geq(ran, 2);
    free(readme);
}
