/* The programs from outside: what a reader types, and what comes back. */
#include "run.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Options that make a run short; other programs run as they are published. */
static const char *const short_runs[][2] = {
    {"score_spread", "--pairs 300 --head-sizes 1,7,64"},
    {"softmax_jacobian", "--trials 300 --keys 7 --head-size 20"},
    {"head_training",
     "--trials 3 --tuning 1 --followed 2 --head-size 20 --vocabulary 12 "
     "--tokens 5 --batch 7 --steps 13"},
    {"permutation_equivariance", "--trials 20 --tokens 17"},
    {"born_saturated", "--trials 300 --keys 7 --head-size 20"},
    {"saturated_gradient", "--trials 50"},
    {"receptive_field", "--tokens 100 --trials 20 --layers 16"},
    {"position_encoding", "--tokens 9 --head-size 6 --trials 3"},
    {"attention_cost", "--tokens 100 --head-size 10 --long 300"},
    {"worked_example", "--trials 40"},
    {"lookup_table", "--trials 2 --keys 2,5"},
};

static const char *options_of(const char *program)
{
    for (size_t i = 0; i < sizeof short_runs / sizeof *short_runs; i++)
        if (strcmp(short_runs[i][0], program) == 0)
            return short_runs[i][1];
    return "";
}

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
                                        "Usage:", "--version", "default"};
    size_t ran = 0;

    for (const char *const *p = run_programs(); *p; p++) {
        const run_result r = run("%s/%s --help", run_bin(), *p);
        cr_assert_eq(r.status, 0);
        cr_assert_str_empty(r.err);
        for (size_t w = 0; w < sizeof words / sizeof *words; w++, ran++)
            cr_assert_not_null(strstr(r.out, words[w]), "%s: %s", *p, words[w]);
    }
    cr_assert_eq(ran, 9 * run_program_count());
}

Test(programs, version_names_the_library_too)
{
    size_t ran = 0;

    for (const char *const *p = run_programs(); *p; p++, ran++) {
        const run_result r = run("%s/%s --version", run_bin(), *p);
        cr_assert_eq(r.status, 0);
        cr_assert_not_null(strstr(r.out, "GSL 2"));
    }
    cr_assert_eq(ran, run_program_count());
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
        {"permutation_equivariance", "--input docs/examples/sentence.txt"},
        {"permutation_equivariance",
         "--input docs/examples/shift.txt --tokens 9"},
        {"permutation_equivariance",
         "--input docs/examples/shift.txt --trials 9"},
        {"attention_cost", "--tokens 15"},
        {"attention_cost", "--head-size 0"},
        {"attention_cost", "--long 1e4"},
        {"worked_example", "--trials 0"},
        {"worked_example", "--input"},
        {"worked_example", "--input no-such-file"},
        {"worked_example", "--input docs"},
        {"worked_example", "--input README.md"},
        {"worked_example", "--input bin/worked_example"},
        {"worked_example", "--input /dev/zero"},
        {"worked_example", "--input /dev/null"},
        {"worked_example", "--input docs/examples/lookup.txt"},
        {"worked_example", "--input docs/examples/steep.txt --trials 5"},
        {"lookup_table", "--keys 1"},
        {"lookup_table", "--keys 257"},
        {"lookup_table", "--weights no-such-file"},
        {"lookup_table", "--weights docs/examples/sentence.txt"},
        {"lookup_table", "--weights docs/examples/lookup.txt --keys 4"},
        {"lookup_table", "--weights docs/examples/lookup.txt --trials 4"},
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
    cr_assert_geq(ran, 40);
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

    for (const char *const *p = run_programs(); *p; p++) {
        char options[256], *tsv, *other_tsv;
        snprintf(options, sizeof options, "%s --threads 1", options_of(*p));
        char *dat = dat_of(*p, options, &tsv);
        for (int threads = 2; threads <= 3; threads++, ran++) {
            snprintf(options, sizeof options, "%s --threads %d", options_of(*p),
                     threads);
            char *other = dat_of(*p, options, &other_tsv);
            cr_expect_str_eq(dat, other, "%s, %d threads", *p, threads);
            cr_expect_str_eq(tsv, other_tsv);
            free(other);
            free(other_tsv);
        }
        free(dat);
        free(tsv);
    }
    cr_assert_eq(ran, 2 * run_program_count());
}

Test(programs, another_seed_gives_other_numbers_from_the_option_or_gsl,
     .timeout = 300)
{
    size_t ran = 0;

    for (const char *const *p = run_programs(); *p; p++, ran++) {
        char options[256], *tsv;
        char *one = dat_of(*p, options_of(*p), &tsv);
        free(tsv);
        snprintf(options, sizeof options, "%s --seed 7", options_of(*p));
        char *seven = dat_of(*p, options, &tsv);
        free(tsv);
        setenv("GSL_RNG_SEED", "7", 1);
        char *environment = dat_of(*p, options_of(*p), &tsv);
        unsetenv("GSL_RNG_SEED");
        cr_expect_str_neq(one, seven);
        cr_expect_str_eq(seven, environment);
        cr_expect_not_null(strstr(seven, "--seed 7\n"));
        free(tsv);
        free(one);
        free(seven);
        free(environment);
    }
    cr_assert_eq(ran, run_program_count());
}

Test(programs, one_trial_is_inconclusive_not_a_pass)
{
    static const char *const one[][2] = {
        {"score_spread", "--pairs 1"},
        {"score_spread", "--pairs 1 --entries rademacher"},
        {"score_spread", "--pairs 1 --entries rademacher --head-sizes 1"},
        {"softmax_jacobian", "--trials 1"},
        {"head_training", "--trials 1 --tuning 1 --steps 20"}};
    size_t ran = 0;

    for (size_t i = 0; i < sizeof one / sizeof *one; i++, ran++) {
        const char *folder = run_folder();
        const run_result r =
            run("%s/%s %s --out %s", run_bin(), one[i][0], one[i][1], folder);
        cr_expect_eq(r.status, 3, "%s: %d", one[i][0], r.status);
        cr_expect_not_null(strstr(r.out, "INCONCLUSIVE"));
        cr_expect_null(strstr(r.out, "nan"));
        run("rm -r %s", folder);
    }
    cr_assert_eq(ran, 5);
}

/* What makes a bar of it appears in longer runs only, and on a terminal, which
 * the sabotaged programs feign. */
Test(sabotage, progress_is_told_by_every_one, .timeout = 300)
{
    size_t ran = 0;

    for (const char *const *p = run_programs(); *p; p++, ran++) {
        const char *folder = run_folder();
        const run_result r =
            run("ATTN_SABOTAGE=watched %s/%s %s --out %s 2>&1 >/dev/null | "
                "sort -u >&2",
                run_sabotaged(), *p, options_of(*p), folder);
        cr_expect_not_null(strstr(r.err, "share 1\n"), "%s: %s", *p, r.err);
        run("rm -r %s", folder);
    }
    cr_assert_eq(ran, run_program_count());
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

    for (const char *const *p = run_programs(); *p; p++, ran++) {
        const char *folder = run_folder();
        const run_result r = run("%s/%s %s --plot --quiet --out %s", run_bin(),
                                 *p, options_of(*p), folder);
        char name[128];
        cr_expect_neq(r.status, 2);
        cr_expect_str_empty(r.err, "%s: %s", *p, r.err);
        snprintf(name, sizeof name, "%s.svg", *p);
        char *svg = run_read(folder, name);
        cr_assert_not_null(svg, "%s", *p);
        cr_expect_not_null(strstr(svg, "</svg>"));
        free(svg);
        run("rm -r %s", folder);
    }
    cr_assert_eq(ran, run_program_count());
}

/* Seconds differ from run to run: they are told, and kept out of the record. */
Test(programs, timings_have_a_file_of_their_own)
{
    const char *folder = run_folder();
    const run_result r = run("%s/attention_cost --tokens 64 --head-size 8 "
                             "--long 100 --out %s",
                             run_bin(), folder);
    char *timing = run_read(folder, "attention_cost.timing.dat");

    cr_assert_neq(r.status, 2, "%s", r.err);
    cr_assert_not_null(timing);
    cr_assert_not_null(strstr(timing, "stream_s"));
    cr_assert_not_null(strstr(r.out, "attention_cost.timing.dat"));
    cr_assert_not_null(strstr(r.out, "stream_s"));
    cr_assert_not(exists(folder, "score_spread.timing.dat"));
    char *dat = run_read(folder, "attention_cost.dat");
    cr_assert_null(strstr(dat, "_s "));
    free(dat);
    free(timing);
    run("rm -r %s", folder);
}

/* Every file of docs/examples, what must be printed for it, and the status. */
static const struct {
    const char *command;
    const char *printed;
    int status;
} examples[] = {
    {"worked_example --input docs/examples/sentence.txt",
     "o hungry = (0.757313, 0.204982)\n", 0},
    {"worked_example --input docs/examples/own_numbers.txt",
     "o who = (4.53702)\n", 0},
    {"worked_example --input docs/examples/steep.txt",
     "e^1000 is beyond a double's range", 0},
    {"lookup_table --weights docs/examples/lookup.txt",
     "4 of 4 keys are right: this layer is the lookup table.", 0},
    {"lookup_table --weights docs/examples/lookup.txt",
     "key 'a' (line 7): the layer returns (2, 1.5), the mean of its 2 values",
     0},
    {"lookup_table --weights docs/examples/lookup.txt",
     "token 5 is in no dictionary: the layer returns (0.75, 3.25), the mean of "
     "all 4 values",
     0},
    {"lookup_table --weights docs/examples/lookup_wrong.txt",
     "key 'b' (line 4): the layer returns 4.52463311, the dictionary says 4: "
     "the second largest weight 0.1749 is on 'a'; make the score gap, 1, "
     "larger (38 is enough).",
     1},
    {"lookup_table --weights docs/examples/lookup_wrong.txt",
     "row 3 of W_Q should ask for the key of 'c'", 1},
    {"lookup_table --weights docs/examples/lookup_wrong.txt",
     "change row 4 of W_V", 1},
    {"permutation_equivariance --input docs/examples/shift.txt",
     "C S = S C: C is circulant, C = 0.25 I + 0.5 S + 0.25 S^2.", 0},
    {"permutation_equivariance --input docs/examples/shift.txt",
     "5 of 5 statements are right.", 0},
    {"permutation_equivariance --input docs/examples/shift_wrong.txt",
     "S is no permutation matrix: row 4 has no 1, exactly one 1 is expected.",
     1},
    {"permutation_equivariance --input docs/examples/shift_wrong.txt",
     "C lets nothing round the edge, as zeros beyond the ends do", 1},
};

Test(programs, the_example_files_are_explained)
{
    const char *folder = run_folder();
    size_t ran = 0;

    for (; ran < sizeof examples / sizeof *examples; ran++) {
        const run_result r = run("%s/%s --plot --out %s", run_bin(),
                                 examples[ran].command, folder);
        cr_expect_eq(r.status, examples[ran].status, "%s: %d",
                     examples[ran].command, r.status);
        cr_expect_str_empty(r.err, "%s: %s", examples[ran].command, r.err);
        cr_expect_not_null(strstr(r.out, examples[ran].printed),
                           "%s: no '%s' in\n%s", examples[ran].command,
                           examples[ran].printed, r.out);
        cr_expect_null(strstr(r.out, "\nexample."));
    }
    cr_assert_eq(ran, 13);
    const run_result listed = run("ls docs/examples");
    cr_assert_str_eq(listed.out, "lookup.txt\nlookup_wrong.txt\n"
                                 "own_numbers.txt\nsentence.txt\n"
                                 "shift.txt\nshift_wrong.txt\n"
                                 "steep.txt\n");
    run("rm -r %s", folder);
}

Test(programs, a_file_as_windows_writes_it_is_read_too)
{
    const char *folder = run_folder();
    const run_result made =
        run("{ printf '\\357\\273\\277'; awk '{ printf \"%%s%%s\", (NR > 1 ? "
            "\"\\r\\n\" : \"\"), $0 }' docs/examples/sentence.txt; } "
            ">%s/f.txt",
            folder);
    cr_assert_eq(made.status, 0);
    const run_result r = run("%s/worked_example --input %s/f.txt --out %s",
                             run_bin(), folder, folder);
    cr_expect_eq(r.status, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "o hungry = (0.757313, 0.204982)"));
    run("rm -r %s", folder);
}

Test(programs, a_bad_file_is_told_with_its_line)
{
    static const struct {
        const char *program, *content, *said;
    } bad[] = {
        {"worked_example --input", "query = 1\\nkey a = 1 2\\nvalue a = 1",
         "f.txt:2: 1 rows of 2 numbers found, one row of 1 is expected"},
        {"worked_example --input", "query = 1\\nkey a = 0x1",
         "f.txt:2: '0x1' given, a number from -1e+100 to 1e+100 is allowed"},
        {"worked_example --input", "query = 1\\n\\nkey a =",
         "f.txt:3: 'key a' has no numbers, a row of them is expected"},
        {"worked_example --input", "query = 1 \\000",
         "f.txt:1: byte 0x00 found, plain text (UTF-8) is expected"},
        {"lookup_table --weights", "key a = 1\\nW_Q = 1\\nW_K = 1\\n",
         "f.txt: 0 entries 'W_V' found, one is expected"},
        {"lookup_table --weights",
         "key a = 1\\nW_Q = 1\\nW_K = 1 2\\nW_V = 1\\n",
         "f.txt:3: W_K has 2 columns, 1 as in W_Q are expected"},
        {"permutation_equivariance --input", "S =\\n 0 1\\n 1 0\\nC = 1 2\\n",
         "f.txt:4: C has 1 rows and 2 columns, 2 and 2 are expected"},
        {"permutation_equivariance --input", "S =\\n 0 1\\n 1\\n",
         "f.txt:3: 1 numbers found, 2 as in the row above are expected"},
    };
    const char *folder = run_folder();
    size_t ran = 0;

    for (; ran < sizeof bad / sizeof *bad; ran++) {
        run("printf '%s' >%s/f.txt", bad[ran].content, folder);
        const run_result r = run("%s/%s %s/f.txt --out %s/new", run_bin(),
                                 bad[ran].program, folder, folder);
        cr_expect_eq(r.status, 2, "%s", bad[ran].content);
        cr_expect_str_empty(r.out);
        cr_expect_eq(lines(r.err), 1, "%s", r.err);
        cr_expect_not_null(strstr(r.err, bad[ran].said), "%s", r.err);
        cr_expect_not(exists(folder, "new"));
    }
    cr_assert_eq(ran, 8);
    run("rm -r %s", folder);
}

Test(programs, a_run_with_a_file_of_ones_own_is_not_the_record)
{
    const char *folder = run_folder();
    const run_result r =
        run("here=$(pwd) && bin=$(cd %s && pwd) && cd %s && "
            "$bin/worked_example --quiet --input "
            "$here/docs/examples/sentence.txt && $bin/lookup_table --quiet "
            "--weights $here/docs/examples/lookup.txt && "
            "$bin/permutation_equivariance --quiet --input "
            "$here/docs/examples/shift.txt",
            run_bin(), folder);

    cr_assert_eq(r.status, 0, "%s", r.err);
    cr_assert_str_empty(r.out);
    cr_assert(exists(folder, "results/scratch/worked_example.dat"));
    cr_assert(exists(folder, "results/scratch/lookup_table.dat"));
    cr_assert(exists(folder, "results/scratch/permutation_equivariance.dat"));
    cr_assert_not(exists(folder, "results/worked_example.dat"));
    cr_assert_not(exists(folder, "results/lookup_table.dat"));
    run("rm -r %s", folder);
}

/* The command in a file's head runs, and gives the same file: at other
 * parameters, and for a file of one's own under a name that needs quotes. */
Test(programs, the_recorded_command_gives_the_same_file, .timeout = 300)
{
    static const char *const own[][3] = {
        {"worked_example", "--input", "sentence.txt"},
        {"lookup_table", "--weights", "lookup_wrong.txt"},
        {"permutation_equivariance", "--input", "shift_wrong.txt"}};
    size_t ran = 0;

    for (size_t i = 0; i < run_program_count() + 3; i++, ran++) {
        const char *folder = run_folder();
        const char *program = i < 3 ? own[i][0] : run_programs()[i - 3];
        char options[512], again[600];
        char *tsv, *tsv_again;

        snprintf(options, sizeof options, "%s",
                 i < 3 ? "" : options_of(program));
        if (i < 3) {
            run("cp docs/examples/%s \"%s/it's %s\"", own[i][2], folder,
                own[i][2]);
            snprintf(options, sizeof options, "%s \"%s/it's %s\" --seed 7",
                     own[i][1], folder, own[i][2]);
        }
        char *dat = dat_of(program, options, &tsv);
        char *command = strstr(dat, "\n# command: ");
        cr_assert_not_null(command);
        command += strlen("\n# command: ");
        cr_assert_eq(strncmp(command, program, strlen(program)), 0);
        command += strlen(program);
        snprintf(again, sizeof again, "%.*s", (int)strcspn(command, "\n"),
                 command);
        char *dat_again = dat_of(program, again, &tsv_again);
        cr_expect_str_eq(dat, dat_again, "%s%s", program, again);
        cr_expect_str_eq(tsv, tsv_again, "%s%s", program, again);
        free(dat);
        free(tsv);
        free(dat_again);
        free(tsv_again);
        run("rm -r %s", folder);
    }
    cr_assert_eq(ran, run_program_count() + 3);
}

/* ---- what the documents show ---- */

/* A folder in which the documents' commands run as they stand, and write their
 * results: links to the rest of the tree. */
static const char *stage(void)
{
    const char *folder = run_folder();
    const run_result r =
        run("bin=$(cd %s && pwd) && ln -s $bin %s/bin && mkdir %s/results && "
            "ln -s $PWD/docs $PWD/plots $PWD/tools %s && "
            "ln -s $PWD/results/*.* %s/results",
            run_bin(), folder, folder, folder, folder);

    cr_assert_eq(r.status, 0, "%s", r.err);
    return folder;
}

/* The command of line "$ ..." prints the lines that follow it, to the next
 * command or the end of the fence; where there are none, it only runs, or is
 * left to the place further down that has them. What it printed is added to
 * all. The line after them. */
static char *check_command(const char *folder, char *line, FILE *all)
{
    char *shown = strchr(line, '\n') + 1, *next = shown;
    char kept;

    while (strncmp(next, "$ ", 2) != 0 && strncmp(next, "```", 3) != 0) {
        next = strchr(next, '\n');
        cr_assert_not_null(next, "a fence that does not end: %s", line);
        next++;
    }
    shown[-1] = '\0';
    kept = *next;
    const char *again = shown == next ? strstr(next, line) : NULL;
    if (again && again[strlen(line)] == '\n') {
        shown[-1] = '\n';
        return next;
    }
    *next = '\0';
    const run_result r = run("cd %s && %s", folder, line + 2);
    cr_expect_str_empty(r.err, "%s: %s", line, r.err);
    if (*shown)
        cr_expect_str_eq(r.out, shown, "%s prints\n%s", line, r.out);
    fputs(r.out, all);
    shown[-1] = '\n';
    *next = kept;
    return next;
}

/* Every `number` in a section is one that its commands printed. */
static size_t check_numbers(const char *section, const char *printed)
{
    size_t ran = 0;

    for (const char *at = section; (at = strchr(at, '`')) != NULL;) {
        const size_t length = strspn(++at, "0123456789.e+-");
        char number[64];
        if (length == 0 || length >= sizeof number || at[length] != '`')
            continue;
        snprintf(number, sizeof number, "%.*s", (int)length, at);
        cr_expect_not_null(strstr(printed, number), "no %s in\n%s", number,
                           printed);
        at += length + 1;
        ran++;
    }
    return ran;
}

/* All console fences of a document, section by section; how many commands and
 * numbers there were. */
static void check_document(const char *path, size_t *commands, size_t *numbers)
{
    char *text = run_read(".", path), *line = text;
    const char *folder = stage();

    cr_assert_not_null(text, "%s", path);
    *commands = *numbers = 0;
    while (line) {
        char *section = line, *printed = NULL;
        size_t size;
        FILE *all = open_memstream(&printed, &size);
        int inside = 0;
        for (; line && (line == section || strncmp(line, "\n##", 3) != 0);
             line = strchr(line + 1, '\n')) {
            if (strncmp(line, "\n```", 4) == 0)
                inside = strncmp(line, "\n```console\n", 12) == 0;
            while (inside && strncmp(line, "\n$ ", 3) == 0) {
                line = check_command(folder, line + 1, all) - 1;
                ++*commands;
            }
            if (strncmp(line, "\n```", 4) == 0)
                inside = strncmp(line, "\n```console\n", 12) == 0;
        }
        fclose(all);
        const char end = line ? *line : '\0';
        if (line)
            *line = '\0';
        *numbers += check_numbers(section, printed);
        if (line)
            *line = end;
        free(printed);
    }
    run("rm -r %s", folder);
    free(text);
}

Test(programs, the_readme_shows_what_the_programs_print)
{
    size_t commands, numbers;

    check_document("README.md", &commands, &numbers);
    cr_assert_geq(commands, 2);
}

Test(programs, the_lesson_shows_what_the_programs_print, .timeout = 1200)
{
    size_t commands, numbers;

    check_document("docs/teaching.md", &commands, &numbers);
    cr_assert_geq(commands, 45, "%zu", commands);
    cr_assert_geq(numbers, 20, "%zu", numbers);
}
