/* Command lines: what is read, what is refused, what is said. */
#include "attn_cli.h"
#include <criterion/criterion.h>
#include <gsl/gsl_errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static size_t pairs;
static attn_cli_sizes keys;
static double correlation;
static double scale;
static int entries;
static uint64_t seed;
static const char *out;
static int quiet;

static const char *const laws[] = {"normal", "laplace", "rademacher", NULL};

static attn_cli_option table[] = {
    {"pairs", ATTN_CLI_SIZE, &pairs, "independent pairs", 1, 1e9, NULL, 0},
    {"keys", ATTN_CLI_SIZES, &keys, "numbers of keys", 1, 4096, NULL, 0},
    {"correlation", ATTN_CLI_REAL, &correlation,
     "correlation of the entries, of which the help has to say so much that it "
     "does not fit into one line",
     -1, 1, NULL, 0},
    {"scale", ATTN_CLI_REAL, &scale, "a scale", 0, 1e300, NULL, 0},
    {"entries", ATTN_CLI_CHOICE, &entries, "law of the entries", 0, 0, laws, 0},
    {"seed", ATTN_CLI_SEED, &seed, "seed", 0, 0, NULL, 0},
    {"out", ATTN_CLI_PATH, &out, "folder", 0, 0, NULL, 0},
    {"quiet", ATTN_CLI_FLAG, &quiet, "say nothing", 0, 0, NULL, 0},
    {0}};

static attn_cli_error error;

static void reset(void)
{
    pairs = 5000;
    keys = (attn_cli_sizes){3, {1, 2, 4}};
    correlation = 0.25;
    scale = 1;
    entries = 0;
    seed = 1;
    out = NULL;
    quiet = 0;
    memset(&error, 0, sizeof error);
}

static attn_cli_option *named(const char *name)
{
    for (attn_cli_option *o = table; o->name != NULL; o++) {
        if (strcmp(o->name, name) == 0) {
            return o;
        }
    }
    cr_assert_fail("no option %s", name);
    return NULL;
}

/* What print makes of the table, as a string of its own. */
static char *text_of(void (*print)(const attn_cli_option *, FILE *),
                     const attn_cli_option *option)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    cr_assert(stream != NULL);
    print(option, stream);
    fclose(stream);
    return text;
}

static void assert_refused(const char *name, const char *word)
{
    char *before, *after;

    reset();
    before = text_of(attn_cli_command, table);
    cr_assert_eq(attn_cli_read(named(name), word, &error), GSL_EINVAL,
                 "--%s takes '%s'", name, word);
    after = text_of(attn_cli_command, table);
    cr_assert_str_eq(before, after, "--%s '%s' changes a value", name, word);
    cr_assert(strncmp(error.text, "--", 2) == 0 &&
                  strstr(error.text, name) != NULL,
              "'%s'", error.text);
    free(before);
    free(after);
}

/* Words closed by NULL, each refused by the option. */
static void assert_all_refused(const char *name, const char *const *words)
{
    size_t count = 0;

    for (; words[count] != NULL; count++) {
        assert_refused(name, words[count]);
    }
    cr_assert(count > 0, "no case ran");
}

Test(cli, whole_numbers_are_read_strictly)
{
    static const char *const bad[] = {"",
                                      " 5",
                                      "5 ",
                                      "5x",
                                      "x",
                                      "0x10",
                                      "1e3",
                                      "1.0",
                                      "1,000",
                                      "010",
                                      "00",
                                      "0",
                                      "5\n",
                                      "nan",
                                      "inf",
                                      "\xd9\xa3",
                                      "1000000001",
                                      "-",
                                      "+",
                                      "5-",
                                      "18446744073709551617",
                                      "99999999999999999999999",
                                      NULL};

    assert_all_refused("pairs", bad);
}

Test(cli, a_number_with_a_sign_is_refused)
{
    static const char *const bad[] = {"-1", "+1", "-0", "+0", NULL};

    assert_all_refused("pairs", bad);
    assert_all_refused("seed", bad);
    assert_all_refused("scale", bad);
    assert_refused("correlation", "+0.5");
}

Test(cli, both_ends_of_a_range_are_allowed)
{
    reset();
    cr_assert_eq(attn_cli_read(named("pairs"), "1", &error), GSL_SUCCESS);
    cr_assert_eq(pairs, 1);
    cr_assert_eq(attn_cli_read(named("pairs"), "1000000000", &error),
                 GSL_SUCCESS);
    cr_assert_eq(pairs, 1000000000);
    cr_assert_eq(attn_cli_read(named("correlation"), "-1", &error),
                 GSL_SUCCESS);
    cr_assert_eq(correlation, -1);
    cr_assert_eq(attn_cli_read(named("correlation"), "1", &error), GSL_SUCCESS);
    cr_assert_eq(correlation, 1);
}

Test(cli, every_seed_of_64_bits_but_0_is_read)
{
    static const struct {
        const char *word;
        uint64_t value;
    } good[] = {{"1", 1},
                {"4294967296", UINT64_C(1) << 32},
                {"9007199254740993", UINT64_C(9007199254740993)},
                {"18446744073709551609", UINT64_MAX - 6},
                {"18446744073709551615", UINT64_MAX}};
    static const char *const bad[] = {
        "0",  "18446744073709551616",  "01", "28446744073709551615",
        "7 ", "184467440737095516150", NULL};

    reset();
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cr_assert_eq(attn_cli_read(named("seed"), good[i].word, &error),
                     GSL_SUCCESS, "%s", good[i].word);
        cr_assert_eq(seed, good[i].value, "%s gives %" PRIu64, good[i].word,
                     seed);
    }
    assert_all_refused("seed", bad);
}

Test(cli, reals_are_decimal)
{
    static const struct {
        const char *word;
        double value;
    } good[] = {{"0", 0},       {"0.5", 0.5},         {".5", 0.5},  {"1.", 1},
                {"5e-1", 0.5},  {"2.5E-01", 0.25},    {"0e9", 0},   {"1e+0", 1},
                {"-0.5", -0.5}, {"4.9e-324", 5e-324}, {"0.000", 0}, {"-0", 0}};
    static const char *const bad[] = {
        "",     ".",        "-",     "-.",     "e1",  "1e",    "1e+",  "1e1.5",
        "0,5",  "01",       "00.5",  "0x1p-1", "nan", "inf",   "-inf", "NAN",
        "1.5",  "-1.01",    "1e999", "1e-999", "--1", "0.5.1", " 0.5", "0.5 ",
        "0.5f", "infinity", "0b1",   "1_0",    NULL};

    reset();
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cr_assert_eq(attn_cli_read(named("correlation"), good[i].word, &error),
                     GSL_SUCCESS, "'%s': %s", good[i].word, error.text);
        cr_assert(correlation == good[i].value, "%s gives %g", good[i].word,
                  correlation);
    }
    cr_assert_eq(memcmp(&correlation, &(double){0}, sizeof correlation), 0,
                 "-0 keeps its sign");
    assert_all_refused("correlation", bad);
}

Test(cli, lists_have_no_gap_and_nothing_twice)
{
    static const char *const bad[] = {"",       ",",     "1,",   ",1",  "1,,2",
                                      "1,1",    "1,2,1", "1, 2", "1;2", "0,1",
                                      "1,4097", "1,02",  "1,-2", NULL};

    reset();
    cr_assert_eq(attn_cli_read(named("keys"), "4096,1,17", &error),
                 GSL_SUCCESS);
    cr_assert_eq(keys.count, 3);
    cr_assert(keys.at[0] == 4096 && keys.at[1] == 1 && keys.at[2] == 17);
    assert_all_refused("keys", bad);
}

Test(cli, a_list_ends_where_its_room_does)
{
    char word[256] = "1";

    for (int i = 2; i <= ATTN_CLI_LIST_MAX; i++) {
        snprintf(word + strlen(word), sizeof word - strlen(word), ",%d", i);
    }
    reset();
    cr_assert_eq(attn_cli_read(named("keys"), word, &error), GSL_SUCCESS);
    cr_assert_eq(keys.count, ATTN_CLI_LIST_MAX);
    cr_assert_eq(keys.at[ATTN_CLI_LIST_MAX - 1], ATTN_CLI_LIST_MAX);
    strcat(word, ",99");
    assert_refused("keys", word);
}

Test(cli, choices_are_whole_words)
{
    static const char *const bad[] = {"", "norm", "normals", "Normal", NULL};

    reset();
    cr_assert_eq(attn_cli_read(named("entries"), "rademacher", &error),
                 GSL_SUCCESS);
    cr_assert_eq(entries, 2);
    assert_all_refused("entries", bad);
    cr_assert(strstr(error.text, "normal, laplace or rademacher"), "%s",
              error.text);
}

Test(cli, both_spellings_of_a_value_are_read)
{
    char *const argv[] = {"p",       "--pairs",       "7",    "--keys=8,9",
                          "--quiet", "--correlation", "-0.5", "--out=--x=y"};

    reset();
    cr_assert_eq(attn_cli_parse(table, 8, argv, &error), GSL_SUCCESS, "%s",
                 error.text);
    cr_assert_eq(pairs, 7);
    cr_assert(keys.count == 2 && keys.at[1] == 9);
    cr_assert_eq(quiet, 1);
    cr_assert_eq(correlation, -0.5);
    cr_assert_str_eq(out, "--x=y");
    cr_assert(named("pairs")->given && named("quiet")->given);
    cr_assert(!named("seed")->given);
}

Test(cli, what_is_wrong_with_a_line_is_said)
{
    static const struct {
        char *argv[4];
        const char *message;
    } cases[] = {
        {{"p", "--pairs", "1e3"},
         "--pairs: '1e3' given, a whole number from 1 to 1000000000 is "
         "allowed"},
        {{"p", "--pairs"},
         "--pairs: no value given, a whole number from 1 to 1000000000 is "
         "allowed"},
        {{"p", "--correlation", "--quiet"},
         "--correlation: no value given, a number from -1 to 1 is allowed"},
        {{"p", "--seed=0"},
         "--seed: '0' given, a whole number from 1 to 18446744073709551615 is "
         "allowed"},
        {{"p", "--keys", "1,1"},
         "--keys: '1,1' given, a list of at most 32 different whole numbers "
         "from 1 to 4096 with commas between them is allowed"},
        {{"p", "--entries", "cauchy"},
         "--entries: 'cauchy' given, normal, laplace or rademacher is "
         "allowed"},
        {{"p", "--out", ""}, "--out: '' given, a path is allowed"},
        {{"p", "--quiet=1"}, "--quiet: '1' given, no value is allowed"},
        {{"p", "--quiet", "--quiet"}, "--quiet: given twice, once is allowed"},
        {{"p", "--pair", "7"}, "--pair: no such option, --help lists them"},
        {{"p", "-pairs", "7"}, "-pairs: no such option, --help lists them"},
        {{"p", "--"}, "--: no such option, --help lists them"},
        {{"p", "--=3"}, "--=3: no such option, --help lists them"},
        {{"p", "7"}, "7: stray word, only options are allowed"},
        {{"p", ""}, ": stray word, only options are allowed"},
        {{"p", "--seed", "a\n\x1b[2Jb"},
         "--seed: 'a??[2Jb' given, a whole number from 1 to "
         "18446744073709551615 is allowed"},
        {{"p", "--seed", "1234567890123456789012345678901234567890123456789"},
         "--seed: '1234567890123456789012345678901234567890...' given, a "
         "whole number from 1 to 18446744073709551615 is allowed"}};
    size_t count = 0;

    for (; count < sizeof cases / sizeof *cases; count++) {
        int argc = 0;

        while (argc < 4 && cases[count].argv[argc] != NULL) {
            argc++;
        }
        reset();
        cr_assert_eq(attn_cli_parse(table, argc, cases[count].argv, &error),
                     GSL_EINVAL);
        cr_assert_str_eq(error.text, cases[count].message);
    }
    cr_assert(count > 0, "no case ran");
}

Test(cli, a_message_that_is_too_long_is_cut)
{
    static const char *const words[] = {
        "a-choice-with-a-name-as-long-as-it-takes-to-fill-a-message-1",
        "a-choice-with-a-name-as-long-as-it-takes-to-fill-a-message-2",
        "a-choice-with-a-name-as-long-as-it-takes-to-fill-a-message-3",
        "a-choice-with-a-name-as-long-as-it-takes-to-fill-a-message-4",
        "a-choice-with-a-name-as-long-as-it-takes-to-fill-a-message-5",
        NULL};
    int chosen = 0;
    attn_cli_option option = {"word", ATTN_CLI_CHOICE, &chosen, "a word", 0,
                              0,      words,           0};

    memset(&error, 'x', sizeof error);
    cr_assert_eq(attn_cli_read(&option, "no", &error), GSL_EINVAL);
    cr_assert(memchr(error.text, '\0', sizeof error.text) != NULL);
    cr_assert(strlen(error.text) >= sizeof error.text - 2, "%s", error.text);
}

Test(cli, an_empty_line_leaves_the_defaults)
{
    char *const argv[] = {"p"};
    char *before, *after;

    reset();
    before = text_of(attn_cli_command, table);
    cr_assert_eq(attn_cli_parse(table, 1, argv, &error), GSL_SUCCESS);
    after = text_of(attn_cli_command, table);
    cr_assert_str_eq(before, after);
    free(before);
    free(after);
}

Test(cli, a_command_leaves_out_what_is_not_set)
{
    char *command;

    reset();
    command = text_of(attn_cli_command, table);
    cr_assert_str_eq(command,
                     " --pairs 5000 --keys 1,2,4 --correlation 0.25 --scale 1 "
                     "--entries normal --seed 1");
    free(command);
    quiet = 1;
    out = "here";
    command = text_of(attn_cli_command, table);
    cr_assert(strstr(command, " --out here --quiet") != NULL, "%s", command);
    free(command);
}

Test(cli, a_path_is_printed_as_it_is_and_none_as_nothing)
{
    char *text;

    reset();
    text = text_of(attn_cli_print_value, named("out"));
    cr_expect_str_eq(text, "");
    free(text);
    out = "a folder";
    text = text_of(attn_cli_print_value, named("out"));
    cr_expect_str_eq(text, "a folder");
    free(text);
}

Test(cli, a_real_reads_back_as_the_same_number)
{
    static const double values[] = {0,
                                    0.1,
                                    1.0 / 3,
                                    2.0 / 3,
                                    1e-300,
                                    1e15,
                                    1e16,
                                    1e22,
                                    5e-324,
                                    5000,
                                    1e300,
                                    0.1 + 0.2,
                                    123456789.123456789};
    size_t count = 0;

    reset();
    for (; count < sizeof values / sizeof *values; count++) {
        char *text;

        scale = values[count];
        text = text_of(attn_cli_print_value, named("scale"));
        scale = -1;
        cr_assert_eq(attn_cli_read(named("scale"), text, &error), GSL_SUCCESS,
                     "%s", error.text);
        cr_assert(scale == values[count], "%s gives %.17g", text, scale);
        free(text);
    }
    cr_assert(count > 0, "no case ran");
}

/* Every run of blanks and ends of lines becomes one blank. */
static void join_lines(char *text)
{
    char *end = text;

    for (const char *c = text; *c != '\0'; c++) {
        const int is_space = *c == ' ' || *c == '\n';

        if (!is_space || (end > text && end[-1] != ' ')) {
            *end++ = is_space ? ' ' : *c;
        }
    }
    *end = '\0';
}

Test(cli, help_tells_range_and_default_of_every_option)
{
    static const char *const said[] = {
        "--pairs N ",      "1 to 1000000000",
        "default 5000)",   "--keys N,N,...",
        "each 1 to 4096",  "default 1,2,4)",
        "--correlation X", "-1 to 1",
        "default 0.25)",   "--entries WORD",
        "laplace",         "default normal)",
        "--seed N",        "18446744073709551615",
        "--out DIR ",      "--quiet "};
    char *help;

    reset();
    help = text_of(attn_cli_help, table);
    join_lines(help);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        cr_assert(strstr(help, said[i]) != NULL, "no '%s' in\n%s", said[i],
                  help);
    }
    free(help);
}

Test(cli, a_file_is_a_path_with_another_name_in_the_help)
{
    const char *input = NULL;
    attn_cli_option files[] = {
        {"input", ATTN_CLI_FILE, &input, "a file", 0, 0, NULL, 0}, {0}};
    char *help = text_of(attn_cli_help, files);
    char *argv[] = {"test", "--input", "a b", NULL};
    char *command;

    cr_assert_str_eq(help, "  --input FILE  a file\n");
    cr_assert_eq(attn_cli_parse(files, 3, argv, &error), GSL_SUCCESS);
    cr_assert_str_eq(input, "a b");
    command = text_of(attn_cli_command, files);
    cr_assert_str_eq(command, " --input 'a b'");
    free(command);
    input = "it's";
    command = text_of(attn_cli_command, files);
    cr_assert_str_eq(command, " --input 'it'\\''s'");
    cr_assert_eq(attn_cli_read(files, "", &error), GSL_EINVAL);
    cr_assert_str_eq(error.text, "--input: '' given, a path is allowed");
    free(help);
    free(command);
}

Test(cli, help_keeps_to_80_columns)
{
    size_t lines = 0;
    char *help;

    reset();
    keys.count = ATTN_CLI_LIST_MAX;
    for (size_t i = 0; i < keys.count; i++) {
        keys.at[i] = 1000 + i;
    }
    help = text_of(attn_cli_help, table);
    for (char *line = strtok(help, "\n"); line; line = strtok(NULL, "\n")) {
        cr_assert(strlen(line) <= 80, "%s", line);
        cr_assert(line[strlen(line) - 1] != ' ', "blank after '%s'", line);
        lines++;
    }
    cr_assert(lines > 8, "%zu lines", lines);
    free(help);
}
