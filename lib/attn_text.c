/* Small text files of named rows of numbers, read strictly. */
#include "attn_text.h"
#include "attn_cli.h"
#include <errno.h>
#include <gsl/gsl_errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_LONGEST = 80, /* of a path, in a message */
    WORD_LONGEST = 30  /* of what was found */
};

static const char blanks[] = " \t";

struct attn_text {
    char path[PATH_LONGEST + 4]; /* as messages have it */
    char *bytes; /* the file, cut into words; names point here */
    size_t count;
    attn_text_entry entries[ATTN_TEXT_ENTRIES];
};

/* The entry that is being read: the rows gathered so far. */
typedef struct {
    attn_text *text;
    attn_text_error *error;
    size_t line;
    double *numbers; /* of the present entry, row by row */
    size_t room, rows, columns;
} reader;

/* ---- what was wrong ---- */

/* The end of a path says more than its beginning. */
static void set_path(attn_text *text, const char *path)
{
    const size_t length = strlen(path);
    const int is_long = length > PATH_LONGEST;

    snprintf(text->path, sizeof text->path, "%s%s", is_long ? "..." : "",
             is_long ? path + length - PATH_LONGEST : path);
}

static int complain(const attn_text *text, size_t line, attn_text_error *error,
                    const char *format, va_list arguments)
{
    const size_t size = sizeof error->text;
    const int where =
        line > 0 ? snprintf(error->text, size, "%s:%zu: ", text->path, line)
                 : snprintf(error->text, size, "%s: ", text->path);

    vsnprintf(error->text + where, size - (size_t)where, format, arguments);
    for (char *c = error->text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?'; /* one line */
    return GSL_EINVAL;
}

int attn_text_refuse(const attn_text *text, size_t line, attn_text_error *error,
                     const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    complain(text, line, error, format, arguments);
    va_end(arguments);
    return GSL_EINVAL;
}

/* A refusal at the reader's line, with a status of its own. */
static int refuse(const reader *r, int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    complain(r->text, r->line, r->error, format, arguments);
    va_end(arguments);
    return status;
}

/* ---- bytes ---- */

/* The whole file into text->bytes with a '\0' behind it; *size its length. */
static int load(attn_text *text, const char *path, size_t *size,
                attn_text_error *error)
{
    FILE *in = fopen(path, "rb");
    int failed = in == NULL ? errno : 0;

    if (in == NULL) {
        attn_text_refuse(text, 0, error, "%s, a text file is expected",
                         strerror(failed));
        return failed == ENOMEM ? GSL_ENOMEM : GSL_EFAILED;
    }
    *size = fread(text->bytes, 1, ATTN_TEXT_BYTES + 1, in);
    failed = ferror(in) ? errno : 0;
    fclose(in);
    if (failed) {
        attn_text_refuse(text, 0, error, "%s, a text file is expected",
                         strerror(failed));
        return GSL_EFAILED;
    }
    if (*size > ATTN_TEXT_BYTES) {
        attn_text_refuse(text, 0, error,
                         "more than %d bytes found, no more are allowed",
                         ATTN_TEXT_BYTES);
        return GSL_EBADLEN;
    }
    text->bytes[*size] = '\0';
    return GSL_SUCCESS;
}

/* Bytes of the UTF-8 character at c, 0 when it is none: a '\0', a surrogate,
 * one beyond U+10FFFF, one in more bytes than it needs. */
static size_t utf8_length(const unsigned char *c)
{
    const size_t length = *c < 0x80                  ? 1
                          : *c >= 0xc2 && *c <= 0xdf ? 2
                          : *c >= 0xe0 && *c <= 0xef ? 3
                          : *c >= 0xf0 && *c <= 0xf4 ? 4
                                                     : 0;

    if ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] > 0x9f) ||
        (*c == 0xf0 && c[1] < 0x90) || (*c == 0xf4 && c[1] > 0x8f)) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return *c == '\0' ? 0 : length;
}

/* Is all of it text: no control character but tab and the ends of lines? */
static int check_bytes(reader *r, size_t size)
{
    const unsigned char *c = (const unsigned char *)r->text->bytes;
    const unsigned char *end = c + size;

    r->line = 1;
    while (c < end) {
        const size_t length = utf8_length(c);
        const int is_end = *c == '\n' || (*c == '\r' && c[1] == '\n');

        if (length == 0 || (*c < ' ' && *c != '\t' && !is_end) || *c == 0x7f ||
            (*c == 0xc2 && c[1] < 0xa0)) {
            return refuse(r, GSL_EINVAL,
                          "byte 0x%02x found, plain text (UTF-8) is expected",
                          *c);
        }
        r->line += *c == '\n';
        c += length;
    }
    return GSL_SUCCESS;
}

/* ---- numbers ---- */

static int add_number(reader *r, double value, size_t column)
{
    const size_t k = r->rows * r->columns + column;

    if (k >= r->room) {
        const size_t room = 2 * r->room + 64;
        double *numbers = realloc(r->numbers, room * sizeof *numbers);

        if (numbers == NULL) {
            return refuse(r, GSL_ENOMEM,
                          "out of memory, a smaller file is "
                          "expected");
        }
        r->numbers = numbers;
        r->room = room;
    }
    r->numbers[k] = value;
    return GSL_SUCCESS;
}

static int read_number(reader *r, const char *word, size_t column)
{
    double value = 0;
    attn_cli_option number = {.name = "number",
                              .type = ATTN_CLI_REAL,
                              .value = &value,
                              .min = -ATTN_TEXT_LARGEST,
                              .max = ATTN_TEXT_LARGEST};
    attn_cli_error error;

    if (column == ATTN_TEXT_COLUMNS) {
        return refuse(r, GSL_EBADLEN,
                      "more than %d numbers in a row, no more "
                      "are allowed",
                      ATTN_TEXT_COLUMNS);
    }
    if (attn_cli_read(&number, word, &error) != GSL_SUCCESS) {
        return refuse(r, GSL_EINVAL, "%s", error.text + strlen("--number: "));
    }
    return add_number(r, value, column);
}

/* One row, when there is anything on the rest of the line. */
static int read_row(reader *r, char *rest)
{
    size_t column = 0;
    int status = GSL_SUCCESS;
    char *next;

    for (char *word = strtok_r(rest, blanks, &next); word && !status;
         word = strtok_r(NULL, blanks, &next)) {
        status = read_number(r, word, column++);
    }
    if (status || column == 0) {
        return status;
    }
    if (r->rows == ATTN_TEXT_ROWS) {
        return refuse(r, GSL_EBADLEN,
                      "more than %d rows found, no more are allowed",
                      ATTN_TEXT_ROWS);
    }
    if (r->rows > 0 && column != r->columns) {
        return refuse(r, GSL_EINVAL,
                      "%zu numbers found, %zu as in the row above are expected",
                      column, r->columns);
    }
    r->columns = column;
    r->rows++;
    return GSL_SUCCESS;
}

/* ---- entries ---- */

/* The entry before this line is complete: its numbers become a matrix. */
static int close_entry(reader *r)
{
    attn_text_entry *entry;

    if (r->text->count == 0) {
        return GSL_SUCCESS;
    }
    entry = &r->text->entries[r->text->count - 1];
    if (r->rows == 0) {
        r->line = entry->line;
        return refuse(r, GSL_EINVAL,
                      "'%s%s%s' has no numbers, a row of them is expected",
                      entry->kind, *entry->label ? " " : "", entry->label);
    }
    entry->M = gsl_matrix_alloc(r->rows, r->columns);
    if (entry->M == NULL) {
        return refuse(r, GSL_ENOMEM,
                      "out of memory, a smaller file is expected");
    }
    memcpy(entry->M->data, r->numbers,
           r->rows * r->columns * sizeof *r->numbers);
    r->rows = r->columns = 0;
    return GSL_SUCCESS;
}

/* "kind" or "kind label", cut apart in place. */
static int read_name(reader *r, char *name)
{
    attn_text_entry entry = {.label = "", .line = r->line};
    size_t words = 0;
    char *next;

    for (char *word = strtok_r(name, blanks, &next); word;
         word = strtok_r(NULL, blanks, &next)) {
        if (strlen(word) > ATTN_TEXT_WORD) {
            return refuse(r, GSL_EBADLEN,
                          "'%.*s...' found, a word of at most %d bytes is "
                          "expected",
                          WORD_LONGEST, word, ATTN_TEXT_WORD);
        }
        if (strpbrk(word, "\"'\\") != NULL) {
            return refuse(r, GSL_EINVAL,
                          "'%s' found, a word without quotes and backslashes "
                          "is expected",
                          word);
        }
        if (words < 2) {
            *(words == 0 ? &entry.kind : &entry.label) = word;
        }
        words++;
    }
    if (words == 0 || words > 2) {
        return refuse(r, GSL_EINVAL,
                      "%zu words before '=' found, one or two are expected",
                      words);
    }
    if (r->text->count == ATTN_TEXT_ENTRIES) {
        return refuse(r, GSL_EBADLEN,
                      "more than %d entries found, no more are allowed",
                      ATTN_TEXT_ENTRIES);
    }
    r->text->entries[r->text->count++] = entry;
    return GSL_SUCCESS;
}

/* Of ASCII, whatever the locale: no number begins with one. */
static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int read_line(reader *r, char *line)
{
    char *equals;
    int status = GSL_SUCCESS;

    line[strcspn(line, "#")] = '\0';
    equals = strchr(line, '=');
    line += strspn(line, blanks);
    if (equals != NULL) {
        const size_t here = r->line;

        *equals = '\0';
        status = close_entry(r);
        r->line = status ? r->line : here;
        status = status ? status : read_name(r, line);
        line = equals + 1;
    } else if (*line != '\0' && (r->text->count == 0 || is_letter(*line))) {
        status =
            refuse(r, GSL_EINVAL, "'%.*s%s' found, %s is expected",
                   WORD_LONGEST, line, strlen(line) > WORD_LONGEST ? "..." : "",
                   r->text->count == 0 ? "NAME = NUMBERS"
                                       : "NAME = NUMBERS or a row of numbers");
    }
    return status ? status : read_row(r, line);
}

/* Cut bytes into lines, each without its end, and read them all. */
static int read_lines(reader *r, char *line)
{
    int status = GSL_SUCCESS;

    for (r->line = 1; !status; r->line++) {
        char *end = line + strcspn(line, "\n");
        const int is_last = *end == '\0';

        *end = '\0';
        if (end > line && end[-1] == '\r') {
            end[-1] = '\0';
        }
        status = read_line(r, line);
        if (status || is_last) {
            break;
        }
        line = end + 1;
    }
    if (!status) {
        status = close_entry(r);
    }
    if (!status && r->text->count == 0) {
        r->line = 0;
        status =
            refuse(r, GSL_EINVAL, "nothing found, NAME = NUMBERS is expected");
    }
    return status;
}

static int read_all(attn_text *text, const char *path, attn_text_error *error)
{
    static const char mark[] = "\xef\xbb\xbf";
    reader r = {.text = text, .error = error};
    size_t size;
    int status = load(text, path, &size, error);

    if (!status) {
        status = check_bytes(&r, size);
    }
    if (!status) {
        char *bytes = text->bytes;

        status = read_lines(&r, strncmp(bytes, mark, strlen(mark)) == 0
                                    ? bytes + strlen(mark)
                                    : bytes);
    }
    free(r.numbers);
    return status;
}

int attn_text_read(const char *path, attn_text **text, attn_text_error *error)
{
    attn_text *t = calloc(1, sizeof *t);
    int status;

    *text = NULL;
    if (t == NULL || (t->bytes = malloc(ATTN_TEXT_BYTES + 2)) == NULL) {
        free(t);
        snprintf(error->text, sizeof error->text, "out of memory");
        return GSL_ENOMEM;
    }
    set_path(t, path);
    status = read_all(t, path, error);
    if (status) {
        attn_text_free(t);
        return status;
    }
    *text = t;
    return GSL_SUCCESS;
}

void attn_text_free(attn_text *text)
{
    if (text == NULL) {
        return;
    }
    for (size_t k = 0; k < text->count; k++) {
        gsl_matrix_free(text->entries[k].M);
    }
    free(text->bytes);
    free(text);
}

size_t attn_text_count(const attn_text *text)
{
    return text->count;
}

const attn_text_entry *attn_text_get(const attn_text *text, size_t k)
{
    return k < text->count ? &text->entries[k] : NULL;
}

const attn_text_entry *attn_text_next(const attn_text *text, const char *kind,
                                      size_t k, size_t *at)
{
    for (; k < text->count; k++) {
        if (strcmp(text->entries[k].kind, kind) == 0) {
            if (at != NULL) {
                *at = k;
            }
            return &text->entries[k];
        }
    }
    return NULL;
}

size_t attn_text_count_of(const attn_text *text, const char *kind)
{
    size_t count = 0;

    for (size_t k = 0; k < text->count; k++) {
        count += strcmp(text->entries[k].kind, kind) == 0;
    }
    return count;
}

const attn_text_entry *attn_text_only(const attn_text *text, const char *kind,
                                      attn_text_error *error)
{
    size_t at = 0;
    const attn_text_entry *one = attn_text_next(text, kind, 0, &at);
    const attn_text_entry *two = attn_text_next(text, kind, at + 1, NULL);

    if (one == NULL || two != NULL) {
        attn_text_refuse(text, two != NULL ? two->line : 0, error,
                         "%zu entries '%s' found, one is expected",
                         attn_text_count_of(text, kind), kind);
        return NULL;
    }
    return one;
}

int attn_text_scale(const attn_text *text, double *scale,
                    attn_text_error *error)
{
    const attn_text_entry *e;

    if (attn_text_count_of(text, "scale") == 0) {
        return GSL_SUCCESS;
    }
    e = attn_text_only(text, "scale", error);
    if (e == NULL) {
        return GSL_EINVAL;
    }
    if (e->M->size1 != 1 || e->M->size2 != 1) {
        return attn_text_refuse(text, e->line, error,
                                "%zu rows of %zu numbers found, one number is "
                                "expected",
                                e->M->size1, e->M->size2);
    }
    *scale = gsl_matrix_get(e->M, 0, 0);
    return GSL_SUCCESS;
}
