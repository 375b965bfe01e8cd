/*
 * Bad command lines and bad files, by the thousand: every program, every option
 * that its --help lists, every way for a number to be none. Each is status 2
 * and one line on stderr that names the option or the line of the file; nothing
 * is printed, and no file or folder is made or touched.
 */
#include "run.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char bin[4096];     /* where the programs are, from anywhere */
static const char *folder; /* where they run, empty but for what a test puts
                              there */
static size_t ran;

static void enter(void)
{
    run_programs(); /* looked up from the tree's root */
    const run_result here = run("cd %s && pwd", run_bin());
    snprintf(bin, sizeof bin, "%.*s", (int)strcspn(here.out, "\n"), here.out);
    folder = run_folder();
}

static void leave(void)
{
    run("rm -r %s", folder);
}

TestSuite(bad_input, .init = enter, .fini = leave, .timeout = 1200);

/* ---- one case ---- */

static size_t entries_here(void)
{
    DIR *here = opendir(".");
    size_t count = 0;

    cr_assert_not_null(here);
    while (readdir(here))
        count++;
    closedir(here);
    return count - 2; /* . and .. */
}

/* One line of text? */
static int is_one_line(const char *text)
{
    const size_t length = strlen(text);

    for (size_t i = 0; i + 1 < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return 0;
    return length > 0 && text[length - 1] == '\n';
}

/* The words, cut to what a message holds. */
static const char *shown(const char *const *words)
{
    static char text[400];
    size_t length = 0;

    for (; *words; words++) {
        const int put =
            snprintf(text + length, sizeof text - length, " '%.60s'", *words);
        length += (size_t)put < sizeof text - length ? (size_t)put : 0;
    }
    return text;
}

/* The program refuses these words, closed by NULL, and says named. */
static void refuse(const char *program, const char *const *words,
                   const char *named)
{
    char path[5000], *argv[16] = {path};
    struct stat before = {0}, after = {0};
    size_t count = 0, entries = entries_here();

    snprintf(path, sizeof path, "%s/%s", bin, program);
    for (; words[count]; count++) {
        cr_assert_lt(count, 14);
        argv[count + 1] = (char *)(uintptr_t)words[count];
    }
    stat("f.txt", &before);
    const run_result r = run_words(argv);
    stat("f.txt", &after);
    cr_expect_eq(r.status, 2, "%s%s: status %d", program, shown(words),
                 r.status);
    cr_expect_str_empty(r.out, "%s%s", program, shown(words));
    cr_expect(is_one_line(r.err), "%s%s: %s", program, shown(words), r.err);
    cr_expect(strncmp(r.err, program, strlen(program)) == 0 &&
                  strncmp(r.err + strlen(program), ": ", 2) == 0,
              "%s%s: %s", program, shown(words), r.err);
    cr_expect_not_null(strstr(r.err, named), "%s%s: no '%s' in %s", program,
                       shown(words), named, r.err);
    cr_expect_eq(entries_here(), entries, "%s%s leaves a file", program,
                 shown(words));
    cr_expect(before.st_size == after.st_size &&
                  before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
                  before.st_mtim.tv_nsec == after.st_mtim.tv_nsec,
              "%s%s: f.txt is touched", program, shown(words));
    ran++;
}

#define REFUSE(program, named, ...)                                            \
    refuse((program), (const char *const[]){__VA_ARGS__, NULL}, (named))

/* ---- options, as --help lists them ---- */

typedef struct {
    char name[64];         /* with its dashes */
    char kind[16];         /* "N", "N,N,...", "X", "WORD", "DIR", "FILE", "" */
    char min[40], max[40]; /* of a number */
} documented;

enum { OPTIONS = 32 };

static int is_number(const documented *o)
{
    return *o->kind == 'N' || *o->kind == 'X';
}

/* "(1 to 9; default 5)" or "(each 1 to 9; ..." at the end of a description. */
static void read_range(documented *o, const char *description)
{
    const char *range = strrchr(description, '(');

    cr_assert_not_null(range, "%s: %s", o->name, description);
    range += strncmp(range, "(each ", 6) == 0 ? 6 : 1;
    cr_assert_eq(sscanf(range, "%39s to %39[^; ]", o->min, o->max), 2, "%s: %s",
                 o->name, description);
}

static size_t read_help(const char *program, documented *options)
{
    char path[5000], description[2048];
    size_t count = 0;

    snprintf(path, sizeof path, "%s/%s", bin, program);
    const run_result r =
        run_words((char *const[]){path, (char[]){"--help"}, NULL});
    const char *line = strstr(r.out, "\nOptions:\n");
    cr_assert_not_null(line);
    line += strlen("\nOptions:\n");
    while (*line != '\n') {
        documented *o = &options[count++];
        cr_assert_lt(count, OPTIONS);
        memset(o, 0, sizeof *o);
        cr_assert_eq(sscanf(line, "  %63[-a-z0-9]", o->name), 1, "%s", line);
        if (line[2 + strlen(o->name) + 1] != ' ')
            sscanf(line + 2 + strlen(o->name), " %15s", o->kind);
        *description = '\0';
        do {
            const size_t length = strcspn(line, "\n");
            snprintf(description + strlen(description),
                     sizeof description - strlen(description), " %.*s",
                     (int)length, line);
            line += length + 1;
        } while (*line == ' ' && strncmp(line, "  --", 4) != 0);
        if (is_number(o))
            read_range(o, description);
    }
    return count;
}

/* ---- numbers that are none ---- */

/* Words that none of the kinds (N whole, L list of such, X real) takes. */
static const struct {
    const char *word, *kinds;
} broken[] = {
    {"", "NLX"},
    {" ", "NLX"},
    {"abc", "NLX"},
    {"1,5", "NX"},
    {"1,,5", "NLX"},
    {"1,", "NLX"},
    {"1,1", "NLX"},
    {"0x10", "NLX"},
    {"010", "NLX"},
    {"1e999", "NLX"},
    {"1e-999", "NLX"},
    {"nan", "NLX"},
    {"inf", "NLX"},
    {"-inf", "NLX"},
    {"1 ", "NLX"},
    {" 1", "NLX"},
    {"1\n", "NLX"},
    {"1.5", "NL"},
    {"1e3", "NL"},
    {"-0", "NL"},
    {"-1", "NL"},
    {"+", "NLX"},
    {"-", "NLX"},
    {"--", "NLX"},
    {"+1", "NLX"},
    {"1_000", "NLX"},
    {"1e", "NLX"},
    {".", "NLX"},
    {"1.5.1", "NLX"},
    {"\xd9\xa1", "NLX"},
    {"\xe2\x88\x92\x31", "NLX"},
    {"\xff", "NLX"},
    {"1\x1b[31m", "NLX"},
    {"%s%n", "NLX"},
    {"18446744073709551617", "NL"},
    {"99999999999999999999999", "NL"},
};

/* "--name word" and "--name=word" by turns. */
static void refuse_value(const char *program, const documented *o,
                         const char *word)
{
    char joined[200];

    if (ran % 2 == 0) {
        REFUSE(program, o->name, o->name, word);
    } else {
        snprintf(joined, sizeof joined, "%s=%s", o->name, word);
        REFUSE(program, o->name, joined);
    }
}

/* The nearest numbers outside the range. */
static void refuse_beyond(const char *program, const documented *o)
{
    char word[64];

    if (*o->kind == 'X') {
        snprintf(word, sizeof word, "%.17g",
                 nextafter(strtod(o->max, NULL), INFINITY));
        refuse_value(program, o, word);
        snprintf(word, sizeof word, "%.17g",
                 nextafter(strtod(o->min, NULL), -INFINITY));
        refuse_value(program, o, word);
        if (strtod(o->min, NULL) >= 0)
            refuse_value(program, o, "-1");
        return;
    }
    const uint64_t min = strtoull(o->min, NULL, 10);
    const uint64_t max = strtoull(o->max, NULL, 10);
    snprintf(word, sizeof word, "%" PRIu64, max + 1);
    refuse_value(program, o, max == UINT64_MAX ? "18446744073709551616" : word);
    snprintf(word, sizeof word, "%s0", o->max);
    refuse_value(program, o, word);
    if (min > 0) {
        snprintf(word, sizeof word, "%" PRIu64, min - 1);
        refuse_value(program, o, word);
    }
}

static void refuse_numbers(const char *program, const documented *o)
{
    const char kind = strchr(o->kind, ',') ? 'L' : *o->kind;

    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        if (strchr(broken[i].kinds, kind))
            refuse_value(program, o, broken[i].word);
    refuse_beyond(program, o);
}

static const char *long_word(void)
{
    static char word[100001];

    memset(word, '1', sizeof word - 1);
    return word;
}

/* ---- lines that are no command ---- */

/* A value of the kind that is read without complaint. */
static const char *good_value(const documented *o)
{
    return is_number(o) ? o->min : "there";
}

static int is_listed(const documented *options, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(options[i].name, name) == 0)
            return 1;
    return 0;
}

static void refuse_flag(const char *program, const documented *o)
{
    char joined[200];

    REFUSE(program, o->name, o->name, o->name);
    REFUSE(program, "1", o->name, "1");
    snprintf(joined, sizeof joined, "%s=1", o->name);
    REFUSE(program, o->name, joined);
    snprintf(joined, sizeof joined, "%s=", o->name);
    REFUSE(program, o->name, joined);
}

static void refuse_with_value(const char *program, const documented *o)
{
    char joined[200];

    REFUSE(program, o->name, o->name);
    REFUSE(program, o->name, "--quiet", o->name);
    REFUSE(program, o->name, o->name, "--quiet");
    REFUSE(program, o->name, o->name, "");
    if (strcmp(o->kind, "WORD") == 0) {
        REFUSE(program, o->name, o->name, "no-such-word");
        REFUSE(program, o->name, o->name, "NORMAL");
        return;
    }
    snprintf(joined, sizeof joined, "%s=%s", o->name, good_value(o));
    REFUSE(program, o->name, joined, joined);
    REFUSE(program, o->name, joined, o->name, good_value(o));
}

/* What almost is the option's name. */
static void refuse_names(const char *program, const documented *options,
                         size_t count, const documented *o)
{
    char name[80];

    snprintf(name, sizeof name, "%.*s", (int)strlen(o->name) - 1, o->name);
    if (!is_listed(options, count, name))
        REFUSE(program, name, name, good_value(o));
    REFUSE(program, o->name + 1, o->name + 1, good_value(o));
    snprintf(name, sizeof name, "%ss", o->name);
    if (!is_listed(options, count, name))
        REFUSE(program, name, name, good_value(o));
    snprintf(name, sizeof name, "%s ", o->name);
    REFUSE(program, name, name, good_value(o));
    snprintf(name, sizeof name, "%s", o->name);
    name[2] = (char)(name[2] - 'a' + 'A');
    REFUSE(program, name, name, good_value(o));
}

static void refuse_lines(const char *program)
{
    REFUSE(program, "stray", "stray");
    REFUSE(program, "stray", "--quiet", "stray");
    REFUSE(program, "7", "--seed", "7", "7");
    REFUSE(program, "stray word", "");
    REFUSE(program, "--no-such-option", "--no-such-option");
    REFUSE(program, "--no-such-option", "--no-such-option=1");
    REFUSE(program, "--no-quiet", "--no-quiet");
    REFUSE(program, "--: ", "--");
    REFUSE(program, "-: ", "-");
    REFUSE(program, "-h: ", "-h");
    REFUSE(program, "---seed: ", "---seed", "1");
    REFUSE(program, "--=1: ", "--=1");
    REFUSE(program, "?[31m", "\x1b[31m\n");
    REFUSE(program, "--seed", "--help", "--seed", "0");
    REFUSE(program, "--seed", "--version", "--seed", "0");
    REFUSE(program, "--seed", "--out", "new/deep", "--plot", "--seed", "0");
    REFUSE(program, "--seed", "--seed", long_word());
    REFUSE(program, "111111", long_word());
    REFUSE(program, "--out", "--out=new/", "--quiet", "--out", "new");
}

static void refuse_environment(const char *program)
{
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        if (strchr(broken[i].kinds, 'N')) {
            setenv("GSL_RNG_SEED", broken[i].word, 1);
            REFUSE(program, "GSL_RNG_SEED", "--quiet");
        }
    setenv("GSL_RNG_SEED", "0", 1);
    REFUSE(program, "GSL_RNG_SEED", "--out", "new");
    unsetenv("GSL_RNG_SEED");
}

/* Options that do not go together. */
static const struct {
    const char *program, *named, *words[5];
} conflicts[] = {
    {"score_spread",
     "--correlation",
     {"--correlation", "0.2", "--entries", "laplace"}},
    {"score_spread",
     "--correlation",
     {"--entries", "rademacher", "--correlation=-1"}},
    {"head_training", "--tokens", {"--tokens", "17", "--vocabulary", "16"}},
    {"position_encoding", "--head-size", {"--head-size", "7"}},
    {"worked_example", "--trials", {"--input", "f.txt", "--trials", "5"}},
    {"lookup_table", "--keys", {"--weights", "f.txt", "--keys", "4"}},
    {"lookup_table", "--trials", {"--trials", "4", "--weights", "f.txt"}},
    {"permutation_equivariance",
     "--tokens",
     {"--input", "f.txt", "--tokens", "9"}},
    {"permutation_equivariance",
     "--trials",
     {"--trials", "9", "--input=f.txt"}},
};

Test(bad_input, every_bad_command_line_is_refused)
{
    documented options[OPTIONS];
    const int is_part = getenv("ATTN_ONLY") != NULL;

    cr_assert_eq(chdir(folder), 0);
    for (const char *const *p = run_programs(); *p; p++) {
        const size_t count = read_help(*p, options);
        cr_assert_geq(count, 7);
        for (size_t i = 0; i < count; i++) {
            const documented *o = &options[i];
            if (is_number(o))
                refuse_numbers(*p, o);
            if (*o->kind)
                refuse_with_value(*p, o);
            else
                refuse_flag(*p, o);
            refuse_names(*p, options, count, o);
        }
        refuse_lines(*p);
        refuse_environment(*p);
    }
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++)
        if (run_is_asked(conflicts[i].program))
            refuse(conflicts[i].program, conflicts[i].words,
                   conflicts[i].named);
    printf("bad_input: %zu command lines refused\n", ran);
    cr_assert_geq(ran, is_part ? 100 : 300);
}

/* ---- files ---- */

/* A program, its option for a file, and a file that it takes. */
static const struct {
    const char *program, *option, *example;
} readers[] = {
    {"worked_example", "--input", "sentence.txt"},
    {"lookup_table", "--weights", "lookup.txt"},
    {"permutation_equivariance", "--input", "shift.txt"},
};
enum { READERS = sizeof readers / sizeof *readers };

static void put(const void *bytes, size_t size)
{
    FILE *out = fopen("f.txt", "wb");

    cr_assert(out && fwrite(bytes, 1, size, out) == size && fclose(out) == 0);
}

/* Reader k refuses the file at path, and says named as well as its option. */
static void refuse_path(size_t k, const char *path, const char *named)
{
    char said[200];

    snprintf(said, sizeof said, "%s: %s", readers[k].option, named);
    REFUSE(readers[k].program, said, readers[k].option, path);
}

/* f.txt with these bytes, refused at that line; 0: it is not told which. */
static void refuse_bytes(size_t k, const void *bytes, size_t size, size_t line)
{
    char named[40];

    put(bytes, size);
    snprintf(named, sizeof named, line ? "f.txt:%zu: " : "f.txt:", line);
    refuse_path(k, "f.txt", named);
}

/* The text in one of four forms: with a byte order mark (1), with \r\n (2). */
static char *dressed(const char *text, unsigned form, size_t *size)
{
    char *whole = malloc(2 * strlen(text) + 4);
    size_t n = form & 1 ? (size_t)sprintf(whole, "\xef\xbb\xbf") : 0;

    for (; *text; text++) {
        if (form & 2 && *text == '\n')
            whole[n++] = '\r';
        whole[n++] = *text;
    }
    *size = n;
    return whole;
}

static void refuse_text(size_t k, const char *text, size_t line)
{
    size_t size;
    char *bytes = dressed(text, (unsigned)ran % 4, &size);

    refuse_bytes(k, bytes, size, line);
    free(bytes);
}

static const char *const words[] = {"nan",      "NaN",
                                    "inf",      "-inf",
                                    "Infinity", "1e999",
                                    "-1e999",   "1e-999",
                                    "1.1e100",  "0x1",
                                    "1,5",      "+1",
                                    "abc",      "01",
                                    "--1",      "1e",
                                    ".",        "1_0",
                                    "1;",       "\"1\"",
                                    "\xd9\xa1", "\xe2\x88\x92\x31"};

/* Where the last number of a line, before any comment, begins and ends; 0 when
 * the line has none. */
static size_t last_number(const char *line, size_t *end)
{
    size_t begin;

    for (*end = strcspn(line, "#\n"); *end > 0 && line[*end - 1] == ' ';)
        --*end;
    for (begin = *end; begin > 0 && strchr("0123456789.-", line[begin - 1]);)
        begin--;
    return begin > 0 && begin < *end && line[begin - 1] == ' ' ? begin : 0;
}

/* A row of a matrix: it begins with a blank and has a number. */
static int is_row(const char *line)
{
    size_t end;

    return *line == ' ' && last_number(line, &end) > 0;
}

/* Every word that is no number at the end of every line that has one; and the
 * file cut off there, in the middle of a matrix. */
static void refuse_lines_of(size_t k, const char *good)
{
    size_t line = 1;
    char *text = malloc(strlen(good) + 32);

    for (const char *at = good; *at; line++) {
        const char *next = strchr(at, '\n') + 1;
        size_t end, begin = last_number(at, &end);
        for (size_t w = 0; begin && w < sizeof words / sizeof *words; w++) {
            sprintf(text, "%.*s%s%s", (int)(at - good + (long)begin), good,
                    words[w], at + end);
            refuse_text(k, text, line);
        }
        if (begin && is_row(at) && is_row(next)) {
            size_t cut = strspn(next, " ");
            cut += strcspn(next + cut, " ");
            sprintf(text, "%.*s", (int)(next - good), good);
            refuse_text(k, text, 0);
            sprintf(text, "%.*s", (int)(next - good + (long)cut), good);
            refuse_text(k, text, line + 1);
        }
        at = next;
    }
    free(text);
}

/* Files that no reader takes. */
static const struct {
    const char *bytes;
    size_t size, line;
} strange[] = {
#define BYTES(s) s, sizeof s - 1
    {BYTES(""), 0},
    {BYTES("\n\n\n"), 0},
    {BYTES(" \t \n"), 0},
    {BYTES("# nothing but this"), 0},
    {BYTES("\xef\xbb\xbf"), 0},
    {BYTES("\xef\xbb\xbf\r\n"), 0},
    {BYTES("\xef\xbb\xbf\xef\xbb\xbfS = 1\n"), 1},
    {BYTES("=\n"), 1},
    {BYTES("= 1\n"), 1},
    {BYTES("1 2 3\n"), 1},
    {BYTES("\n\nnothing\n"), 3},
    {BYTES("x ="), 1},
    {BYTES("x = 1 = 2\n"), 1},
    {BYTES("x = 1\n"), 1},
    {BYTES("x y z = 1\n"), 1},
    {BYTES("'x' = 1\n"), 1},
    {BYTES("\\nu = 1\n"), 1},
    {BYTES("x =\n1 2\n3\n"), 3},
    {BYTES("x =\n1\n2 3\n"), 3},
    {BYTES("x = 1\n\nnothing\n"), 3},
    {BYTES("x =\xc2\xa0"
           "1\n"),
     1},
    {BYTES("{\"query\": [2, 0]}\n"), 1},
    {BYTES("2,0,0\n1,0,0\n"), 1},
    {BYTES("<html><body>404</body></html>\n"), 1},
    {BYTES("x = 1\ry = 2\r"), 1},
    {BYTES("\r"), 1},
    {BYTES("x = 1\n\x1a"), 2},
    {BYTES("\0"), 1},
    {BYTES("x = 1\n\0\0\0\0\0\0\0\0"), 2},
    {BYTES("\n# \0"), 2},
    {BYTES("\xff\xfeq\0 \0=\0 \0"), 1},
    {BYTES("\xfe\xff\0q\0 \0=\0 "), 1},
    {BYTES("\177ELF\2\1\1"), 1},
    {BYTES("\x1f\x8b\x08\0"), 1},
    {BYTES("\x89PNG\r\n\x1a\n"), 1},
    {BYTES("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), 2},
    {BYTES("# \x1b[2J\n"), 1},
    {BYTES("# \b\n"), 1},
    {BYTES("# \xc2\x9b"
           "2J\n"),
     1},
    {BYTES("\n\f\n"), 2},
    {BYTES("\n\v\n"), 2},
    {BYTES("caf\xe9 = 1\n"), 1},
    {BYTES("# \xe2\x82"), 1},
    {BYTES("\n# \xc0\xaf\n"), 2},
    {BYTES("\n# \xe0\x80\xaf\n"), 2},
    {BYTES("\n# \xed\xa0\x80\n"), 2},
    {BYTES("\n# \xf0\x80\x80\xaf\n"), 2},
    {BYTES("\n# \xf4\x90\x80\x80\n"), 2},
#undef BYTES
};

/* before, and count times part. */
static void refuse_many(size_t k, const char *before, const char *part,
                        size_t count, size_t line)
{
    const size_t first = strlen(before), each = strlen(part);
    char *bytes = malloc(first + count * each + 1);

    cr_assert_not_null(bytes);
    strcpy(bytes, before);
    for (size_t i = 0; i < count; i++)
        memcpy(bytes + first + i * each, part, each);
    refuse_bytes(k, bytes, first + count * each, line);
    free(bytes);
}

static void refuse_sizes(size_t k)
{
    refuse_many(k, "x =", " 1", 1025, 1);
    refuse_many(k, "x =\n", "1\n", 1025, 1026);
    refuse_many(k, "", "x = 1\n", 1025, 1025);
    refuse_many(k, "x = ", "1", 1000000, 1);
    refuse_many(k, "x = 0.", "1", 2000000, 0);
    refuse_many(k, "x = 1", " ", 2000000, 0);
    refuse_many(k, "", "word", 100, 1);
    refuse_many(k, "", "n", 2000, 1);
    refuse_many(k, "# ", "=", 2000000, 0);
    put("x = 1\n", 6);
    cr_assert_eq(truncate("f.txt", 100 << 20), 0); /* a hole of 100 MB */
    refuse_path(k, "f.txt", "f.txt: more than 1048576 bytes");
}

static void refuse_paths(size_t k)
{
    static char far[6000];
    char program[5000];

    snprintf(program, sizeof program, "%s/%s", bin, readers[k].program);
    memset(far, 'y', sizeof far - 1);
    put("x = 1\n", 6);
    refuse_path(k, ".", ".: Is a directory");
    refuse_path(k, "..", "..: Is a directory");
    refuse_path(k, "no-such-file", "no-such-file: No such file");
    refuse_path(k, "no/such/file", "no/such/file: No such file");
    refuse_path(k, "f.txt/", "f.txt/: Not a directory");
    refuse_path(k, "f.txt/f.txt", "f.txt/f.txt: Not a directory");
    refuse_path(k, "a\nb", "a?b: No such file");
    refuse_path(k, "\x1b[2J", "?[2J: No such file");
    refuse_path(k, "%s%n", "%s%n: No such file");
    refuse_path(k, " ", " : No such file");
    refuse_path(k, "/dev/null", "/dev/null: nothing found");
    refuse_path(k, "/dev/zero", "/dev/zero: more than 1048576 bytes");
    refuse_path(k, program, "");
    refuse_path(k, far, "...yyyy");
    refuse_path(k, far + sizeof far - 300, "...yyyy");
    cr_assert_eq(symlink("loop", "loop"), 0);
    refuse_path(k, "loop", "loop: ");
    unlink("loop");
    if (geteuid() != 0) { /* root may read everything */
        cr_assert_eq(chmod("f.txt", 0), 0);
        refuse_path(k, "f.txt", "f.txt: Permission denied");
        unlink("f.txt");
    }
}

/* Any form of the good file is read: what is refused below is not refused for
 * its form. */
static void accept(size_t k, const char *good)
{
    char path[5000];

    snprintf(path, sizeof path, "%s/%s", bin, readers[k].program);
    for (unsigned form = 0; form < 4; form++) {
        size_t size;
        char *bytes = dressed(good, form, &size);
        char option[32];
        put(bytes, size);
        snprintf(option, sizeof option, "%s", readers[k].option);
        const run_result r = run_words((char *const[]){
            path, option, (char[]){"f.txt"}, (char[]){"--quiet"}, NULL});
        cr_expect_eq(r.status, 0, "%s, form %u: %s", readers[k].program, form,
                     r.err);
        free(bytes);
    }
    run("rm -r results");
}

Test(bad_input, every_bad_file_is_refused_with_its_line)
{
    char *good[READERS];

    for (size_t k = 0; k < READERS; k++) {
        good[k] = run_read("docs/examples", readers[k].example);
        cr_assert_not_null(good[k]);
    }
    cr_assert_eq(chdir(folder), 0);
    for (size_t k = 0; k < READERS; k++) {
        const size_t before = ran;
        if (run_is_asked(readers[k].program)) {
            accept(k, good[k]);
            refuse_lines_of(k, good[k]);
            for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
                refuse_bytes(k, strange[i].bytes, strange[i].size,
                             strange[i].line);
            refuse_sizes(k);
            refuse_paths(k);
            cr_assert_geq(ran, before + 100);
        }
        free(good[k]);
    }
    printf("bad_input: %zu files refused\n", ran);
    if (!getenv("ATTN_ONLY"))
        cr_assert_geq(ran, 300);
}
