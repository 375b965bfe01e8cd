/* Command lines, read strictly, and their help, from one table. */
#include "attn_cli.h"
#include "attn_screen.h"
#include <ctype.h>
#include <gsl/gsl_errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS = 80,     /* of a line of help */
    WORD_LONGEST = 40 /* of what was given, in a message */
};

/* Reading one word: 1, or 0 with the value as it was. */

/* 0 or [1-9][0-9]*, below 2^64. */
static int read_whole(const char *word, size_t length, uint64_t *value)
{
    uint64_t v = 0;

    if (length == 0 || (length > 1 && word[0] == '0')) {
        return 0;
    }
    for (size_t i = 0; i < length; i++) {
        const unsigned digit = (unsigned)((unsigned char)word[i] - '0');

        if (word[i] < '0' || digit > 9 || v > (UINT64_MAX - digit) / 10) {
            return 0;
        }
        v = 10 * v + digit;
    }
    *value = v;
    return 1;
}

static int read_size(const attn_cli_option *option, const char *word,
                     size_t length, size_t *value)
{
    uint64_t v = 0;

    if (!read_whole(word, length, &v) || (size_t)v != v ||
        (double)v < option->min || (double)v > option->max) {
        return 0;
    }
    *value = (size_t)v;
    return 1;
}

static int holds(const attn_cli_sizes *list, size_t value)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i] == value) {
            return 1;
        }
    }
    return 0;
}

static int read_sizes(const attn_cli_option *option, const char *word,
                      attn_cli_sizes *value)
{
    attn_cli_sizes list = {0};

    for (;;) {
        const size_t length = strcspn(word, ",");
        size_t item;

        if (list.count == ATTN_CLI_LIST_MAX ||
            !read_size(option, word, length, &item) || holds(&list, item)) {
            return 0;
        }
        list.at[list.count++] = item;
        if (word[length] == '\0') {
            break;
        }
        word += length + 1;
    }
    *value = list;
    return 1;
}

/* -?(0|[1-9][0-9]*)?(.[0-9]*)?([eE][+-]?[0-9]+)?, with a digit before the e */
static int is_decimal(const char *s)
{
    static const char digits[] = "0123456789";
    size_t whole, part = 0, exponent;

    s += *s == '-';
    whole = strspn(s, digits);
    if (whole > 1 && *s == '0') {
        return 0;
    }
    s += whole;
    if (*s == '.') {
        part = strspn(++s, digits);
        s += part;
    }
    if (*s == 'e' || *s == 'E') {
        s++;
        s += *s == '+' || *s == '-';
        exponent = strspn(s, digits);
        if (exponent == 0) {
            return 0;
        }
        s += exponent;
    }
    return whole + part > 0 && *s == '\0';
}

static int read_real(const attn_cli_option *option, const char *word,
                     double *value)
{
    double v;

    if (!is_decimal(word) || (word[0] == '-' && option->min >= 0)) {
        return 0;
    }
    v = strtod(word, NULL);
    /* 1e-999 is not 0. */
    if (v == 0 && strcspn(word, "123456789") < strcspn(word, "eE")) {
        return 0;
    }
    if (!(isfinite(v) && v >= option->min && v <= option->max)) {
        return 0;
    }
    *value = v + 0.0; /* -0 is 0 */
    return 1;
}

static int read_choice(const attn_cli_option *option, const char *word,
                       int *value)
{
    for (int i = 0; option->choices[i] != NULL; i++) {
        if (strcmp(option->choices[i], word) == 0) {
            *value = i;
            return 1;
        }
    }
    return 0;
}

static int read_seed(const char *word, uint64_t *value)
{
    uint64_t v = 0;

    if (!read_whole(word, strlen(word), &v) || v == 0) {
        return 0;
    }
    *value = v;
    return 1;
}

static int read_word(const attn_cli_option *option, const char *word)
{
    switch (option->type) {
    case ATTN_CLI_SIZE:
        return read_size(option, word, strlen(word), option->value);
    case ATTN_CLI_SIZES:
        return read_sizes(option, word, option->value);
    case ATTN_CLI_REAL:
        return read_real(option, word, option->value);
    case ATTN_CLI_CHOICE:
        return read_choice(option, word, option->value);
    case ATTN_CLI_SEED:
        return read_seed(word, option->value);
    case ATTN_CLI_PATH:
    case ATTN_CLI_FILE:
        if (*word == '\0') {
            return 0;
        }
        *(const char **)option->value = word;
        return 1;
    case ATTN_CLI_FLAG:
        break;
    }
    return 0;
}

/* Saying what is allowed, in messages and in the help. */

/* The shortest of 15, 16 or 17 digits that reads back as the same number. */
static void put_real(double value, FILE *out)
{
    char text[40];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    fputs(text, out);
}

static void put_range(const attn_cli_option *option, FILE *out)
{
    if (option->type == ATTN_CLI_SEED) {
        fprintf(out, "1 to %" PRIu64, UINT64_MAX);
    } else if (option->type == ATTN_CLI_REAL) {
        put_real(option->min, out);
        fputs(" to ", out);
        put_real(option->max, out);
    } else {
        fprintf(out, "%.0f to %.0f", option->min, option->max);
    }
}

static void put_choices(const attn_cli_option *option, FILE *out)
{
    for (size_t i = 0; option->choices[i] != NULL; i++) {
        if (i > 0) {
            fputs(option->choices[i + 1] != NULL ? ", " : " or ", out);
        }
        fputs(option->choices[i], out);
    }
}

static void put_allowed(const attn_cli_option *option, FILE *out)
{
    switch (option->type) {
    case ATTN_CLI_SIZE:
    case ATTN_CLI_SEED:
        fputs("a whole number from ", out);
        put_range(option, out);
        break;
    case ATTN_CLI_SIZES:
        fprintf(out, "a list of at most %d different whole numbers from ",
                ATTN_CLI_LIST_MAX);
        put_range(option, out);
        fputs(" with commas between them", out);
        break;
    case ATTN_CLI_REAL:
        fputs("a number from ", out);
        put_range(option, out);
        break;
    case ATTN_CLI_CHOICE:
        put_choices(option, out);
        break;
    case ATTN_CLI_PATH:
    case ATTN_CLI_FILE:
        fputs("a path", out);
        break;
    case ATTN_CLI_FLAG:
        fputs("no value", out);
        break;
    }
    fputs(" is allowed", out);
}

/* What was given, fit for one line of any terminal. */
static void put_word(const char *word, FILE *out)
{
    size_t i;

    for (i = 0; i < WORD_LONGEST && word[i] != '\0'; i++) {
        fputc(word[i] >= ' ' && word[i] <= '~' ? word[i] : '?', out);
    }
    if (word[i] != '\0') {
        fputs("...", out);
    }
}

/* A stream into the error's text, which it cuts where it is full. */
static FILE *open_error(attn_cli_error *error)
{
    memset(error, 0, sizeof *error);
    return fmemopen(error->text, sizeof error->text - 1, "w");
}

/* "--name: 'word' given, this is allowed"; a word of NULL: none was given. */
static int refuse_value(const attn_cli_option *option, const char *word,
                        attn_cli_error *error)
{
    FILE *out = open_error(error);

    if (out == NULL) {
        return GSL_EINVAL;
    }
    fprintf(out, "--%s: ", option->name);
    if (word != NULL) {
        fputc('\'', out);
        put_word(word, out);
        fputs("' given, ", out);
    } else {
        fputs("no value given, ", out);
    }
    put_allowed(option, out);
    fclose(out);
    return GSL_EINVAL;
}

/* "word: complaint" */
static int refuse_word(const char *word, const char *complaint,
                       attn_cli_error *error)
{
    FILE *out = open_error(error);

    if (out == NULL) {
        return GSL_EINVAL;
    }
    put_word(word, out);
    fprintf(out, ": %s", complaint);
    fclose(out);
    return GSL_EINVAL;
}

int attn_cli_read(attn_cli_option *option, const char *word,
                  attn_cli_error *error)
{
    if (!read_word(option, word)) {
        return refuse_value(option, word, error);
    }
    return GSL_SUCCESS;
}

/* The option that "--name" or "--name=value" means, or NULL. */
static attn_cli_option *find(attn_cli_option *table, const char *word)
{
    size_t length;

    if (strncmp(word, "--", 2) != 0) {
        return NULL;
    }
    word += 2;
    length = strcspn(word, "=");
    for (; table->name != NULL; table++) {
        if (strlen(table->name) == length &&
            strncmp(table->name, word, length) == 0) {
            return table;
        }
    }
    return NULL;
}

/* Read the option that begins at argv[*i], and its value; moves *i onto the
 * last word read. */
static int parse_option(attn_cli_option *table, int *i, int argc,
                        char *const argv[], attn_cli_error *error)
{
    const char *word = argv[*i];
    const char *value = strchr(word, '=');
    attn_cli_option *option = find(table, word);

    if (word[0] != '-') {
        return refuse_word(word, "stray word, only options are allowed", error);
    }
    if (option == NULL) {
        return refuse_word(word, "no such option, --help lists them", error);
    }
    if (option->given) {
        return refuse_word(word, "given twice, once is allowed", error);
    }
    option->given = 1;
    if (value != NULL) {
        return attn_cli_read(option, value + 1, error);
    }
    if (option->type == ATTN_CLI_FLAG) {
        *(int *)option->value = 1;
        return GSL_SUCCESS;
    }
    if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0) {
        return refuse_value(option, NULL, error);
    }
    return attn_cli_read(option, argv[++*i], error);
}

int attn_cli_parse(attn_cli_option *table, int argc, char *const argv[],
                   attn_cli_error *error)
{
    int status = GSL_SUCCESS;

    for (attn_cli_option *o = table; o->name != NULL; o++) {
        o->given = 0;
    }
    for (int i = 1; i < argc && status == GSL_SUCCESS; i++) {
        status = parse_option(table, &i, argc, argv, error);
    }
    return status;
}

void attn_cli_print_value(const attn_cli_option *option, FILE *out)
{
    const attn_cli_sizes *list = option->value;

    switch (option->type) {
    case ATTN_CLI_SIZE:
        fprintf(out, "%zu", *(const size_t *)option->value);
        break;
    case ATTN_CLI_SIZES:
        for (size_t i = 0; i < list->count; i++) {
            fprintf(out, i > 0 ? ",%zu" : "%zu", list->at[i]);
        }
        break;
    case ATTN_CLI_REAL:
        put_real(*(const double *)option->value, out);
        break;
    case ATTN_CLI_CHOICE:
        fputs(option->choices[*(const int *)option->value], out);
        break;
    case ATTN_CLI_SEED:
        fprintf(out, "%" PRIu64, *(const uint64_t *)option->value);
        break;
    case ATTN_CLI_PATH:
    case ATTN_CLI_FILE:
        if (*(const char *const *)option->value != NULL) {
            fputs(*(const char *const *)option->value, out);
        }
        break;
    case ATTN_CLI_FLAG:
        break;
    }
}

static int is_path(const attn_cli_option *option)
{
    return option->type == ATTN_CLI_PATH || option->type == ATTN_CLI_FILE;
}

/* A flag that is down and a path that is NULL have no place in a command. */
static int is_set(const attn_cli_option *option)
{
    if (option->type == ATTN_CLI_FLAG) {
        return *(const int *)option->value != 0;
    }
    if (is_path(option)) {
        return *(const char *const *)option->value != NULL;
    }
    return 1;
}

/* A word as a shell reads it: in quotes where it needs them. */
static void put_quoted(const char *word, FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-+=.,:/@%";

    if (word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word != '\0'; word++) {
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
    }
    fputc('\'', out);
}

void attn_cli_command(const attn_cli_option *table, FILE *out)
{
    for (; table->name != NULL; table++) {
        if (is_set(table)) {
            fprintf(out, " --%s", table->name);
            if (is_path(table)) {
                fputc(' ', out);
                put_quoted(*(const char *const *)table->value, out);
            } else if (table->type != ATTN_CLI_FLAG) {
                fputc(' ', out);
                attn_cli_print_value(table, out);
            }
        }
    }
}

void attn_cli_wrap(const char *text, size_t column, size_t indent, FILE *out)
{
    size_t space = 0;

    while (*text != '\0') {
        size_t length = strcspn(text, " ,");
        size_t columns;

        length += text[length] == ',';
        columns = attn_screen_width(text, length);
        if (column > indent && column + space + columns > COLUMNS) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
            space = 0;
        }
        fprintf(out, "%*s%.*s", (int)space, "", (int)length, text);
        column += space + columns;
        text += length;
        space = *text == ' ';
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static const char *placeholder(attn_cli_type type)
{
    switch (type) {
    case ATTN_CLI_SIZE:
    case ATTN_CLI_SEED:
        return " N";
    case ATTN_CLI_SIZES:
        return " N,N,...";
    case ATTN_CLI_REAL:
        return " X";
    case ATTN_CLI_CHOICE:
        return " WORD";
    case ATTN_CLI_PATH:
        return " DIR";
    case ATTN_CLI_FILE:
        return " FILE";
    case ATTN_CLI_FLAG:
        break;
    }
    return "";
}

static size_t label_width(const attn_cli_option *table)
{
    size_t widest = 0;

    for (; table->name != NULL; table++) {
        const size_t width =
            strlen(table->name) + strlen(placeholder(table->type));

        widest = width > widest ? width : widest;
    }
    return widest;
}

/* "meaning (1 to 9; default 5)" */
static void describe(const attn_cli_option *option, FILE *out)
{
    fputs(option->meaning, out);
    if (option->type == ATTN_CLI_FLAG || (is_path(option) && !is_set(option))) {
        return;
    }
    fputs(" (", out);
    if (option->type == ATTN_CLI_CHOICE) {
        put_choices(option, out);
        fputs("; ", out);
    } else if (!is_path(option)) {
        fputs(option->type == ATTN_CLI_SIZES ? "each " : "", out);
        put_range(option, out);
        fputs("; ", out);
    }
    fputs("default ", out);
    attn_cli_print_value(option, out);
    fputc(')', out);
}

void attn_cli_help(const attn_cli_option *table, FILE *out)
{
    const size_t width = label_width(table);
    const size_t indent = strlen("  --") + width + strlen("  ");

    for (; table->name != NULL; table++) {
        const char *word = placeholder(table->type);
        char *text = NULL;
        size_t size = 0;
        FILE *line = open_memstream(&text, &size);

        if (line != NULL) {
            describe(table, line);
            fclose(line);
        }
        fprintf(out, "  --%s%-*s  ", table->name,
                (int)(width - strlen(table->name)), word);
        attn_cli_wrap(text != NULL ? text : table->meaning, indent, indent,
                      out);
        free(text);
    }
}
