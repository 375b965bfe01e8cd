/* Text files of named rows of numbers: what is read, what is refused. */
#include "attn_text.h"
#include "near.h"
#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static attn_text_error error;

static void enter(void)
{
    snprintf(folder, sizeof folder, "/tmp/attn_text.XXXXXX");
    cr_assert(mkdtemp(folder) && chdir(folder) == 0);
    gsl_set_error_handler_off();
}

static void leave(void)
{
    unlink("f");
    if (chdir("/") == 0)
        rmdir(folder);
}

TestSuite(text, .init = enter, .fini = leave);

static void put(const void *bytes, size_t size)
{
    FILE *out = fopen("f", "wb");

    cr_assert(out && fwrite(bytes, 1, size, out) == size && fclose(out) == 0);
}

/* What a file of that content is read as. */
static attn_text *read_text(const char *content)
{
    attn_text *text = NULL;

    put(content, strlen(content));
    cr_assert_eq(attn_text_read("f", &text, &error), GSL_SUCCESS, "%s: %s",
                 content, error.text);
    cr_assert_not_null(text);
    return text;
}

/* The status and the message of a file that is refused. */
static void assert_refused(const void *bytes, size_t size, int status,
                           const char *message)
{
    attn_text *text = (attn_text *)&text;

    put(bytes, size);
    cr_assert_eq(attn_text_read("f", &text, &error), status, "'%s': %s",
                 (const char *)bytes, error.text);
    cr_assert_null(text);
    cr_assert_str_eq(error.text, message);
}

/* Is entry k "kind label" with these rows, read from that line? */
static void assert_entry(const attn_text *text, size_t k, const char *kind,
                         const char *label, size_t line, size_t rows,
                         size_t columns, const double *numbers)
{
    const attn_text_entry *e = attn_text_get(text, k);

    cr_assert_not_null(e);
    cr_assert_str_eq(e->kind, kind);
    cr_assert_str_eq(e->label, label);
    cr_assert_eq(e->line, line, "%s %s: line %zu", kind, label, e->line);
    cr_assert_eq(e->M->size1, rows);
    cr_assert_eq(e->M->size2, columns);
    for (size_t i = 0; i < rows * columns; i++)
        cr_near(gsl_matrix_get(e->M, i / columns, i % columns), numbers[i], 0,
                0);
}

static const char sentence[] = "# a query, its keys\n"
                               "query hungry = 2 0 -0.5\n"
                               "\n"
                               "\tkey the=-1 0\t1e-3   # a comment\n"
                               "W =\n"
                               "  1 0\n"
                               "  # between rows\n"
                               "\n"
                               "  0 1e100\n"
                               "scale = .5\n"
                               "2.\n";

static void assert_sentence(const attn_text *text, size_t first)
{
    cr_assert_eq(attn_text_count(text), 4);
    assert_entry(text, 0, "query", "hungry", first + 1, 1, 3,
                 (const double[]){2, 0, -0.5});
    assert_entry(text, 1, "key", "the", first + 3, 1, 3,
                 (const double[]){-1, 0, 1e-3});
    assert_entry(text, 2, "W", "", first + 4, 2, 2,
                 (const double[]){1, 0, 0, 1e100});
    assert_entry(text, 3, "scale", "", first + 9, 2, 1,
                 (const double[]){0.5, 2});
    cr_assert_null(attn_text_get(text, 4));
}

Test(text, entries_are_read_in_order_with_their_lines)
{
    attn_text *text = read_text(sentence);

    assert_sentence(text, 1);
    attn_text_free(text);
}

Test(text, line_ends_marks_and_a_missing_last_end_make_no_difference)
{
    static const struct {
        const char *mark, *end;
        int is_cut;
    } cases[] = {{"", "\r\n", 0},
                 {"\xef\xbb\xbf", "\n", 0},
                 {"\xef\xbb\xbf", "\r\n", 0},
                 {"", "\n", 1},
                 {"\xef\xbb\xbf", "\r\n", 1}};
    size_t ran = 0;

    for (; ran < sizeof cases / sizeof *cases; ran++) {
        char content[512] = "";
        size_t length = (size_t)sprintf(content, "%s", cases[ran].mark);

        for (const char *c = sentence; *c; c++)
            length += *c == '\n' ? (size_t)sprintf(content + length, "%s",
                                                   cases[ran].end)
                                 : (size_t)sprintf(content + length, "%c", *c);
        if (cases[ran].is_cut)
            content[length - strlen(cases[ran].end)] = '\0';
        attn_text *text = read_text(content);
        assert_sentence(text, 1);
        attn_text_free(text);
    }
    cr_assert_eq(ran, 5);
}

Test(text, names_may_repeat_and_are_found_in_order)
{
    attn_text *text = read_text("key a = 1\nvalue a = 2\nkey a = 3\n"
                                "key o\xc3\xb9 = 4\n");
    size_t at = 99;

    cr_assert_eq(attn_text_count_of(text, "key"), 3);
    cr_assert_eq(attn_text_count_of(text, "value"), 1);
    cr_assert_eq(attn_text_count_of(text, "val"), 0);
    cr_assert_eq(attn_text_next(text, "key", 0, &at), attn_text_get(text, 0));
    cr_assert_eq(at, 0);
    cr_assert_eq(attn_text_next(text, "key", 1, &at), attn_text_get(text, 2));
    cr_assert_eq(at, 2);
    cr_assert_eq(attn_text_next(text, "key", 3, NULL), attn_text_get(text, 3));
    cr_assert_null(attn_text_next(text, "key", 4, &at));
    cr_assert_null(attn_text_next(text, "scale", 0, &at));
    cr_assert_eq(at, 2);
    cr_assert_str_eq(attn_text_get(text, 3)->label, "o\xc3\xb9");
    attn_text_free(text);
}

Test(text, what_is_wrong_is_said_with_its_line)
{
    static const char *const bad[][2] = {
        {"", "f: nothing found, NAME = NUMBERS is expected"},
        {"\n# only\n", "f: nothing found, NAME = NUMBERS is expected"},
        {"\n1 2\n", "f:2: '1 2' found, NAME = NUMBERS is expected"},
        {"key the -1 0 1e-3 0 0 0 0 0 0 0 0\n",
         "f:1: 'key the -1 0 1e-3 0 0 0 0 0 0 ...' found, NAME = NUMBERS is "
         "expected"},
        {"= 1\n", "f:1: 0 words before '=' found, one or two are expected"},
        {"a b c = 1\n",
         "f:1: 3 words before '=' found, one or two are expected"},
        {"a \"b\" = 1\n", "f:1: '\"b\"' found, a word without quotes and "
                          "backslashes is expected"},
        {"it's = 1\n", "f:1: 'it's' found, a word without quotes and "
                       "backslashes is expected"},
        {"\\nu = 1\n", "f:1: '\\nu' found, a word without quotes and "
                       "backslashes is expected"},
        {"a = 1\nb c =\n\nd = 1\n",
         "f:2: 'b c' has no numbers, a row of them is expected"},
        {"a = 1\nb = # 2\n",
         "f:2: 'b' has no numbers, a row of them is expected"},
        {"a =\n1 2\n1 2 3\n",
         "f:3: 3 numbers found, 2 as in the row above are expected"},
        {"a = 1 2\n3\n",
         "f:2: 1 numbers found, 2 as in the row above are expected"},
        {"a = 1 = 2\n",
         "f:1: '=' given, a number from -1e+100 to 1e+100 is allowed"},
        {"a = 1\tx\n",
         "f:1: 'x' given, a number from -1e+100 to 1e+100 is allowed"},
        {"a = 1\nkey the 1\n",
         "f:2: 'key the 1' found, NAME = NUMBERS or a row of numbers is "
         "expected"},
    };
    size_t ran = 0;

    for (; ran < sizeof bad / sizeof *bad; ran++)
        assert_refused(bad[ran][0], strlen(bad[ran][0]), GSL_EINVAL,
                       bad[ran][1]);
    cr_assert_eq(ran, 16);
}

Test(text, numbers_are_those_of_the_command_line)
{
    static const char *const bad[] = {
        "nan",    "inf",     "-inf", "0x10", "01",  "1e999",
        "1e-999", "1.1e100", "1,",   "1,5",  "+1",  "--1",
        "1e",     "-",       ".",    "1d3",  "1_0", "\342\210\2221"};
    size_t ran = 0;

    for (; ran < sizeof bad / sizeof *bad; ran++) {
        attn_text *text;
        char content[64];
        const int length = sprintf(content, "a = 1\nb = 2 %s\n", bad[ran]);
        put(content, (size_t)length);
        cr_assert_eq(attn_text_read("f", &text, &error), GSL_EINVAL, "%s",
                     bad[ran]);
        cr_assert_null(text);
        cr_assert_eq(strncmp(error.text, "f:2: '", 6), 0, "%s", error.text);
    }
    cr_assert_eq(ran, 18);
}

Test(text, binary_files_are_refused_at_their_first_strange_byte)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *message;
    } bad[] = {
        {"a = 1\n\0b = 2\n", 13,
         "f:2: byte 0x00 found, plain text (UTF-8) is expected"},
        {"\377\376a\0", 4,
         "f:1: byte 0xff found, plain text (UTF-8) is expected"},
        {"\177ELF", 4, "f:1: byte 0x7f found, plain text (UTF-8) is expected"},
        {"a = 1\n\x1b[0m", 10,
         "f:2: byte 0x1b found, plain text (UTF-8) is expected"},
        {"caf\xe9 = 1\n", 9,
         "f:1: byte 0xe9 found, plain text (UTF-8) is expected"},
        {"a = 1\rb = 2\r", 12,
         "f:1: byte 0x0d found, plain text (UTF-8) is expected"},
        {"a = 1 # \xc2\xa0\n# \xc2\x9b", 15,
         "f:2: byte 0xc2 found, plain text (UTF-8) is expected"},
        {"a = 1 # \xc3", 9,
         "f:1: byte 0xc3 found, plain text (UTF-8) is expected"},
        {"a = 1 # \xe0\x80\xaf", 11,
         "f:1: byte 0xe0 found, plain text (UTF-8) is expected"},
        {"a = 1 # \xed\xa0\x80", 11,
         "f:1: byte 0xed found, plain text (UTF-8) is expected"},
        {"a = 1 # \xf0\x80\x80\xaf", 12,
         "f:1: byte 0xf0 found, plain text (UTF-8) is expected"},
        {"a = 1 # \xf4\x90\x80\x80", 12,
         "f:1: byte 0xf4 found, plain text (UTF-8) is expected"},
    };
    size_t ran = 0;

    for (; ran < sizeof bad / sizeof *bad; ran++)
        assert_refused(bad[ran].bytes, bad[ran].size, GSL_EINVAL,
                       bad[ran].message);
    cr_assert_eq(ran, 12);
}

/* count copies of part. */
static char *many(const char *before, const char *part, size_t count)
{
    const size_t length = strlen(part);
    char *content = malloc(strlen(before) + count * length + 1), *at = content;

    cr_assert_not_null(content);
    at += sprintf(at, "%s", before);
    for (size_t i = 0; i < count; i++, at += length)
        memcpy(at, part, length);
    *at = '\0';
    return content;
}

Test(text, each_limit_is_reached_and_not_passed)
{
    static const struct {
        const char *before, *part;
        size_t limit;
        const char *message;
    } cases[] = {
        {"a =", " 1", ATTN_TEXT_COLUMNS,
         "f:1: more than 1024 numbers in a row, no more are allowed"},
        {"a =\n", "1\n", ATTN_TEXT_ROWS,
         "f:1026: more than 1024 rows found, no more are allowed"},
        {"", "a = 1\n", ATTN_TEXT_ENTRIES,
         "f:1025: more than 1024 entries found, no more are allowed"},
        {"a = 1 ", "\n", ATTN_TEXT_BYTES - 6,
         "f: more than 1048576 bytes found, no more are allowed"},
    };
    size_t ran = 0;

    for (; ran < sizeof cases / sizeof *cases; ran++) {
        char *content =
            many(cases[ran].before, cases[ran].part, cases[ran].limit);
        attn_text_free(read_text(content));
        free(content);
        content =
            many(cases[ran].before, cases[ran].part, cases[ran].limit + 1);
        assert_refused(content, strlen(content), GSL_EBADLEN,
                       cases[ran].message);
        free(content);
    }
    cr_assert_eq(ran, 4);
}

Test(text, a_word_has_its_limit_too)
{
    char *word = many("", "x", ATTN_TEXT_WORD + 1), content[128];

    snprintf(content, sizeof content, "a %s = 1\n", word + 1);
    attn_text_free(read_text(content));
    snprintf(content, sizeof content, "a %s = 1\n", word);
    assert_refused(content, strlen(content), GSL_EBADLEN,
                   "f:1: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' found, a word of "
                   "at most 40 bytes is expected");
    free(word);
}

Test(text, what_cannot_be_read_is_said)
{
    attn_text *text = (attn_text *)&text;

    cr_assert_eq(attn_text_read("no/file", &text, &error), GSL_EFAILED);
    cr_assert_str_eq(error.text, "no/file: No such file or directory, a text "
                                 "file is expected");
    cr_assert_null(text);
    cr_assert_eq(attn_text_read(".", &text, &error), GSL_EFAILED);
    cr_assert_str_eq(error.text, ".: Is a directory, a text file is expected");
    cr_assert_null(text);
    cr_assert_eq(attn_text_read("/dev/zero", &text, &error), GSL_EBADLEN);
    cr_assert_null(text);
}

Test(text, a_long_path_is_cut_at_its_beginning)
{
    char *path = many("", "y", 300);
    attn_text *text;

    cr_assert_eq(attn_text_read(path, &text, &error), GSL_EFAILED);
    cr_assert_eq(strncmp(error.text, "...yyy", 6), 0);
    cr_assert_not_null(strstr(error.text, "yyy: "));
    cr_assert_not_null(strstr(error.text, "a text file is expected"));
    free(path);
}

Test(text, a_caller_finds_fault_in_the_same_words)
{
    attn_text *text = read_text("a = 1\n");

    cr_assert_eq(attn_text_refuse(text, 1, &error, "'%s' found", "a\nb"),
                 GSL_EINVAL);
    cr_assert_str_eq(error.text, "f:1: 'a?b' found");
    cr_assert_eq(attn_text_refuse(text, 0, &error, "no key"), GSL_EINVAL);
    cr_assert_str_eq(error.text, "f: no key");
    attn_text_free(text);
}

Test(text, freeing_nothing_is_safe)
{
    attn_text_free(NULL);
}
